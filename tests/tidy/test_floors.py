"""Imports only go from rooms to the rooms below them."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from tests.tidy import floors
from tests.tidy.tree import CORE, PYTHON, ROOT, imported, sources


def room(path: Path, package: Path) -> str:
    """The room of a file: its sub-package, or the module itself."""
    return path.relative_to(package).parts[0].removesuffix(".py")


def breaches(package: Path, rooms: tuple[str, ...]) -> list[str]:
    """All imports of a package that do not go to lower rooms."""
    found = []
    for path in sources(package):
        here = room(path, package)
        if here == "__init__":
            continue
        if here not in rooms:
            found.append(f"{path.relative_to(ROOT)} has no floor: give its room one in tests/tidy/floors.py")
            continue
        parents = ".".join((package.name, *path.relative_to(package).parent.parts))
        for name in sorted(imported(path, parents)):
            top, _, rest = name.partition(".")
            there = rest.partition(".")[0]
            if top == package.name and there in rooms and rooms.index(there) > rooms.index(here):
                found.append(f"{path.relative_to(ROOT)} imports {name} from the room {there}, which is above {here}")
    return found


PACKAGES = pytest.mark.parametrize(
    ("package", "rooms"), [(CORE, floors.CORE), (PYTHON, floors.PYTHON)], ids=["core", "python"]
)


@PACKAGES
def test_imports_only_go_down(package: Path, rooms: tuple[str, ...]) -> None:
    assert breaches(package, rooms) == []


@PACKAGES
def test_every_floor_has_a_room(package: Path, rooms: tuple[str, ...]) -> None:
    here = {room(path, package) for path in sources(package)} - {"__init__"}
    assert sorted(rooms) == sorted(here)


@pytest.mark.parametrize(("package", "most"), [(CORE, 4), (PYTHON, 8)], ids=["core", "python"])
def test_few_modules_stand_outside_the_rooms(package: Path, most: int) -> None:
    assert len(list(package.glob("*.py"))) <= most


@PACKAGES
def test_every_room_says_what_lives_there(package: Path, rooms: tuple[str, ...]) -> None:
    """The first paragraph of a room's docstring says what it contains; the text says what it may import."""
    silent = []
    for name in rooms:
        door = package / name / "__init__.py"
        if door.exists():
            text = ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or ""
            if "Imports " not in text:
                silent.append(name)
    assert silent == []


def test_no_docstring_repeats_a_floor() -> None:
    numbered = [
        str(path.relative_to(ROOT))
        for folder in (CORE, PYTHON)
        for path in sources(folder)
        if re.search(r"\bfloor \d", path.read_text(encoding="utf-8"))
    ]
    assert numbered == []


def test_core_does_not_know_the_people_upstairs() -> None:
    upward = {
        str(path.relative_to(ROOT)): sorted(names)
        for path in sources(CORE)
        if (names := {n for n in imported(path, CORE.name) if n.partition(".")[0] in ("mextrain", "tests", "bench")})
    }
    assert upward == {}


def test_only_the_compiler_knows_numba() -> None:
    """Only `compiler` imports Numba, and `compact.intrinsics`, which defines a Numba type."""
    others = {
        str(path.relative_to(CORE))
        for path in sources(CORE)
        if any(name.partition(".")[0] in ("numba", "llvmlite") for name in imported(path, CORE.name))
    }
    assert {name for name in others if not name.startswith("compiler/")} == {"compact/intrinsics.py"}


def test_the_package_doors_are_light() -> None:
    """Importing a package must not import its rooms; the first use of a name does."""
    assert imported(CORE / "__init__.py", CORE.name) == set()


def test_the_reference_is_independent() -> None:
    """It is only useful if it is independent, so it may import only the standard library and itself."""
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
    """The detector itself finds absolute, relative and nested imports."""
    file = tmp_path / "x.py"
    file.write_text("import a.b\nfrom . import c\nfrom ..d import e\ndef f():\n    from g import h\n")
    assert imported(file, "p.q") == {"a.b", "p.q.c", "p.d.e", "g.h"}
