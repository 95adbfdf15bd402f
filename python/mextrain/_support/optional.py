"""Optional libraries, imported when they are needed and named with their extra when they are missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from mextrain.errors import MissingExtra


def need(module: str, extra: str) -> ModuleType:
    """Import and return `module`, which `pip install 'mextrain[extra]'` provides; raises `MissingExtra` without it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A module that the library itself misses is not ours to explain.
        library = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != library:
            raise
        raise MissingExtra(library, extra) from None
