"""Imports optional libraries on demand. If one is missing, the error names the extra to install."""

from __future__ import annotations

import importlib
from types import ModuleType

from mextrain.errors import MissingExtra


def need(module: str, extra: str) -> ModuleType:
    """Import and return `module`, which `pip install 'mextrain[extra]'` provides. Raises `MissingExtra` otherwise."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # If the library itself lacks a module, its own error says more.
        library = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != library:
            raise
        raise MissingExtra(library, extra) from None
