"""The pages of the API reference: which public names each shows. Their texts are the docstrings of the sources."""

from __future__ import annotations

import ast
from pathlib import Path

import mextrain

PYTHON = Path(mextrain.__file__).parent

AREAS: dict[str, tuple[str, str]] = {
    "rules": ("Rules, tiles and moves", "game"),
    "position": ("Positions, matches and records", "position match records"),
    "bulk": ("Many games, and policies of your own", "bulk"),
    "hidden": ("Hidden information", "hidden"),
    "study": ("Search, analysis, trains, tournaments", "searches study"),
    "learning": ("Environments", "env"),
    "archive": ("Archives", "archive"),
    "dataset": ("Data sets", "dataset"),
    "pages": ("Pictures and pages", "picture web"),
    "machine": ("Compiling ahead, and the C interface", "precompile c"),
    "errors": ("Errors", "errors"),
}
"""By name of the page: its title, and the rooms whose public names it shows."""

MORE = ("picture.svg.Picture", "bulk.stats.Estimate", "bulk.stats.Summary")
"""What users get from public functions, but need not import."""


def names_of(room: str) -> list[str]:
    """The public names of a room, with their modules: those of `mextrain`, and those in its `__all__`."""
    found = [f"mextrain.{home}.{name}" for name, home in mextrain._HOMES.items() if home.partition(".")[0] == room]
    known = {name.rpartition(".")[2] for name in found}
    more = [name for name in _exported(PYTHON / room / "__init__.py") if name not in known]
    return [
        *found,
        *(f"mextrain.{room}.{name}" for name in more),
        *(f"mextrain.{name}" for name in MORE if name.partition(".")[0] == room),
    ]


def _exported(path: Path) -> list[str]:
    """The names in `__all__` of a file, or none."""
    if not path.exists():
        return []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def pages() -> dict[str, str]:
    """All pages, by name without `.md`."""
    made, rows = {}, []
    for page, (title, rooms) in AREAS.items():
        names = [name for room in rooms.split() for name in names_of(room)]
        made[page] = "\n\n".join([f"# {title}", *(f"::: {name}" for name in names), ""])
        listed = ", ".join(f"[`{name.rpartition('.')[2]}`]({page}.md#{name})" for name in names)
        rows.append(f"| [{title}]({page}.md) | {listed} |")
    head = ["# API reference", "", "All public names, from the docstrings.", "", "| page | names |", "|---|---|"]
    made["index"] = "\n".join([*head, *rows, ""])
    return made
