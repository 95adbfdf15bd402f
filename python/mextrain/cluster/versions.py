"""The software of a machine, as far as results and files depend on it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from mextrain.errors import MextrainError


def software() -> dict[str, str]:
    """Return the versions on this machine, by name: the package, its random stream, its kernels, and pyarrow."""
    from mextrain import __version__
    from mextrain.game.seeding import STREAM
    from mextrain_core.compiler.cache import package_stamp

    found = {"mextrain": __version__, "stream": STREAM, "kernels": (package_stamp() or "unknown")[:12]}
    try:
        found["pyarrow"] = importlib.import_module("pyarrow").__version__
    except ImportError:
        found["pyarrow"] = "none"
    return found


def check_software(nodes: Mapping[str, dict[str, str] | BaseException]) -> None:
    """Raise `MextrainError` that lists the nodes whose software differs from that of this machine."""
    here = software()
    odd = []
    for node, found in nodes.items():
        if isinstance(found, BaseException):
            odd.append(f"{node} cannot import mextrain ({type(found).__name__})")
            continue
        other = [f"{name} {found.get(name)} (here {here[name]})" for name in here if found.get(name) != here[name]]
        if other:
            odd.append(f"{node} has {' and '.join(other)}")
    if odd:
        raise MextrainError(
            f"{len(odd)} of {len(nodes)} nodes have other software than this machine: {'; '.join(odd)}; "
            "install the same everywhere"
        )
