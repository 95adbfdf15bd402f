"""The software of a machine, as far as results and files depend on it."""

from __future__ import annotations

import importlib
import platform
from collections.abc import Callable, Mapping
from typing import Any

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


def run_checked(expected: dict[str, str], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function in a worker, if this machine has the expected software: nodes may join while a job runs.

    Raises `MextrainError` otherwise.
    """
    if other := _differences(software(), expected):
        raise MextrainError(
            f"the node {platform.node()} has joined the cluster with {other}: install the same everywhere"
        )
    return function(*arguments)


def _differences(found: Mapping[str, str], here: Mapping[str, str]) -> str:
    """Return what a node has otherwise than the driver, as a text."""
    other = [name for name in here if found.get(name) != here[name]]
    return " and ".join(f"{name} {found.get(name)} (here {here[name]})" for name in other)


def check_software(nodes: Mapping[str, dict[str, str] | BaseException]) -> None:
    """Raise `MextrainError` that lists the nodes whose software differs from that of this machine."""
    here = software()
    odd = []
    for node, found in nodes.items():
        if isinstance(found, BaseException):
            odd.append(f"{node} cannot import mextrain ({type(found).__name__})")
            continue
        if other := _differences(found, here):
            odd.append(f"{node} has {other}")
    if odd:
        raise MextrainError(
            f"{len(odd)} of {len(nodes)} nodes have other software than this machine: {'; '.join(odd)}; "
            "install the same everywhere"
        )
