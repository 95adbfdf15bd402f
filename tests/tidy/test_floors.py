"""Every line knows its room, and imports only go down."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tidy import floors
from tests.tidy.tree import CORE, PYTHON, ROOT, imported, sources


def room(path: Path, package: Path) -> str:
    """The module of a package that a file belongs to; files of a sub-package belong to that."""
    return path.relative_to(package).parts[0].removesuffix(".py")


def breaches(package: Path, table: tuple[tuple[str, ...], ...]) -> list[str]:
    """All imports of a package that do not go down."""
    floor_of = floors.by_module(table)
    found = []
    for path in sources(package):
        here = room(path, package)
        if here == "__init__":
            continue
        if here not in floor_of:
            found.append(f"{path.relative_to(ROOT)} has no floor: give it one in tests/tidy/floors.py")
            continue
        parents = ".".join((package.name, *path.relative_to(package).parent.parts))
        for name in sorted(imported(path, parents)):
            top, _, rest = name.partition(".")
            there = rest.partition(".")[0]
            if top == package.name and there in floor_of and there != here and floor_of[there] >= floor_of[here]:
                found.append(f"{path.relative_to(ROOT)} (floor {floor_of[here]}) imports {there} ({floor_of[there]})")
    return found


@pytest.mark.parametrize(
    ("package", "table"), [(CORE, floors.CORE), (PYTHON, floors.PYTHON)], ids=["core", "python"]
)
def test_imports_only_go_down(package: Path, table: tuple[tuple[str, ...], ...]) -> None:
    assert breaches(package, table) == []


def test_core_does_not_know_the_people_upstairs() -> None:
    upward = {
        str(path.relative_to(ROOT)): sorted(names)
        for path in sources(CORE)
        if (names := {n for n in imported(path, CORE.name) if n.partition(".")[0] in ("mextrain", "tests", "bench")})
    }
    assert upward == {}


def test_only_four_doors_lead_to_numba() -> None:
    """`_jit` compiles and caches; `_lanes` writes vector code; `_frozen` and `_compact` are types of our own."""
    others = [
        str(path.relative_to(ROOT))
        for path in sources(CORE)
        if path.name not in ("_jit.py", "_lanes.py", "_frozen.py", "_compact.py")
        and any(name.partition(".")[0] in ("numba", "llvmlite") for name in imported(path, CORE.name))
    ]
    assert others == []


def test_the_package_doors_are_light() -> None:
    """Importing a package must not import its rooms: the first use of a name does."""
    assert imported(CORE / "__init__.py", CORE.name) == set()


def test_the_reference_is_independent() -> None:
    """Its worth is that it was written twice, so it imports the standard library and itself, nothing else."""
    folder = ROOT / "tests" / "reference"
    files = [path for path in sources(folder) if not path.name.startswith("test_")]
    assert files, "the slow rulebook is missing"
    foreign = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name in imported(path, ".".join(path.relative_to(ROOT).parent.parts))
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith("tests.reference.")
    }
    assert foreign == set()


def test_imports_are_seen(tmp_path: Path) -> None:
    """The detector itself: absolute, relative and nested imports all count."""
    file = tmp_path / "x.py"
    file.write_text("import a.b\nfrom . import c\nfrom ..d import e\ndef f():\n    from g import h\n")
    assert imported(file, "p.q") == {"a.b", "p.q.c", "p.d.e", "g.h"}
