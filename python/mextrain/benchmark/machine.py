"""The machine and the versions that a measurement depends on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mextrain import __version__
from mextrain._support.processors import usable_processors
from mextrain.game.seeding import STREAM


def environment() -> dict[str, Any]:
    """Return the machine, its load, and the versions of all software that generates code."""
    import llvmlite.binding

    return {
        "cpu": cpu_name(),
        "code_for": os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name(),
        "usable_processors": usable_processors(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "mextrain": __version__,
        "stream": STREAM,
        **{name: version(name) for name in ("numba", "llvmlite", "numpy")},
    }


def cpu_name() -> str:
    """Return the processor's name as the system reports it, with details that distinguish processors of one name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in reversed(lines))}
    name = facts.get("model name", platform.machine())
    details = [f"{word} {facts[key]}" for word, key in (("family", "cpu family"), ("model", "model")) if key in facts]
    return f"{name} ({', '.join(details)})" if details else name
