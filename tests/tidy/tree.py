"""The project's files, and what their Python sources import."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core" / "mextrain_core"
PYTHON = ROOT / "python" / "mextrain"
TEXTS = {".py", ".md", ".toml", ".txt", ".json", ".jsonl", ".c", ".h", ".sh", ".cfg", ".yml", ".yaml", ".mk", ""}


def project_files() -> Iterator[Path]:
    """Yield the text files of the project: those in its fixed folders and in the root."""
    for path in sorted(ROOT.iterdir()):
        hidden = path.name.startswith(".") and path.name != ".gitignore"
        if path.is_file() and path.suffix in TEXTS and not hidden:
            yield path
    for name in ("core", "python", "bench", "tests", "ci", ".ci", "docs", "examples"):
        for folder, folders, files in os.walk(ROOT / name):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and not f.endswith("cache__"))
            for file in sorted(files):
                path = Path(folder, file)
                if path.suffix in TEXTS:
                    yield path


def sources(folder: Path) -> list[Path]:
    """Return the Python files under `folder`."""
    return sorted(folder.rglob("*.py"))


def imported(path: Path, package: str) -> set[str]:
    """Return the absolute dotted names that a file of `package` imports, anywhere in it.

    `from a import b` counts as `a.b`, so that a module imported from its package is seen as itself.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            start = ".".join(part for part in (base, node.module) if part)
            names.update(f"{start}.{alias.name}" for alias in node.names)
    return names
