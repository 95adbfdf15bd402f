"""The tables of the pages that are generated from the code: the structs of docs/state-layout.md, the kernels of
docs/kernels.md, the sections of docs/hidden-information.md, the features of docs/environments.md.

`python -m tests.docs.generated` writes them into the pages, and the pictures that the code draws. A table is between
two comments with its name.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from mextrain import Layout, RuleSet
from mextrain_core.env.features import ACTION_FEATURES, TABLE_FEATURES
from mextrain_core.game import events
from mextrain_core.hidden.observe import SECTIONS
from mextrain_core.model import rules, state
from tests.docs import drawings
from tests.docs.pages import ROOT, read
from tests.tidy.tree import CORE, sources

LAYOUT, KERNELS, HIDDEN, ENVIRONMENTS = (
    ROOT / "docs" / f"{name}.md" for name in ("state-layout", "kernels", "hidden-information", "environments")
)
STRUCTS: dict[str, tuple[np.dtype[Any], ModuleType]] = {
    "STATE": (state.STATE, state),
    "RULES": (rules.RULES, rules),
    "EVENT": (events.EVENT, events),
}
ELSEWHERE: dict[str, dict[str, str]] = {
    "STATE": {"hand": "bit h of `hand[seat, half]`: the seat holds the tile {half, h}"},
    "RULES": dict.fromkeys(rules.OPTION_CODES, "option of that name: the index of its value"),
    "EVENT": {},
}
"""The meaning of fields without a comment."""


def meanings(name: str) -> dict[str, str]:
    """The comment of each field of a struct."""
    found = re.findall(r'(?m)^ +\("(\w+)", .*?\),  # (.*)$', inspect.getsource(STRUCTS[name][1]))
    return dict(found) | ELSEWHERE[name]


def cells(*texts: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(str(text).replace("|", "\\|") for text in texts) + " |"


def struct_table(name: str) -> str:
    """A row for each field of the struct: offset in bytes, name, type, shape and meaning."""
    dtype, told = STRUCTS[name][0], meanings(name)
    fields: Any = dtype.fields
    rows = [cells("offset", "field", "type", "shape", "meaning"), "|---|---|---|---|---|"]
    for field in dtype.names or ():
        kind, offset = fields[field][:2]
        base, shape = kind.subdtype or (kind, ())
        meaning = "unused" if field.startswith("pad_") else told[field]
        rows.append(cells(offset, f"`{field}`", base, " × ".join(map(str, shape)) or 1, meaning))
    return "\n".join([*rows, f"\n{dtype.itemsize:,} bytes."])


def kernel_table() -> str:
    """A row for each kernel: module, name and arguments, and the first sentence of its docstring."""
    rows = [cells("module", "kernel", "what it does"), "|---|---|---|"]
    for path in sources(CORE):
        # The planner's kernels are steps of one search, which docs/planner.md explains.
        if path.parent.name == "planner":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "kernel" for each in node.decorator_list):
                first = re.split(r"(?<=[.])\s|\n\n", ast.get_docstring(node) or "")[0]
                module = ".".join(path.relative_to(CORE).with_suffix("").parts)
                rows.append(cells(f"`{module}`", f"`{node.name}({ast.unparse(node.args)})`", " ".join(first.split())))
    return "\n".join(rows)


def section_table() -> str:
    """A row for each section of an observation: size, offset and meaning."""
    begins = Layout(RuleSet.mexican(4)).slices
    rows = [cells("section", "bits", "from, `mexican` 4", "meaning"), "|---|---|---|---|"]
    rows += [cells(f"`{name}`", size, begins[name].start, meaning) for name, size, meaning in SECTIONS]
    return "\n".join(rows)


def size_table() -> str:
    """A row for each of a few rule sets: the size of an observation."""
    rows = [cells("rules", "bits", "words"), "|---|---|---|"]
    for rule_set in (RuleSet.mexican(4), RuleSet.super(4), RuleSet.mexican(8), RuleSet.mexican(14)):
        layout = Layout(rule_set)
        rows.append(cells(f"`{rule_set.preset_name}`, {rule_set.players} players", layout.bits, layout.words))
    return "\n".join(rows)


def feature_table(features: tuple[tuple[str, int, str], ...]) -> str:
    """A row for each feature: column, name, scale and meaning."""
    rows = [cells("column", "feature", "scale", "meaning"), "|---|---|---|---|"]
    rows += [cells(column, f"`{name}`", scale, text) for column, (name, scale, text) in enumerate(features)]
    return "\n".join(rows)


TABLES: dict[Any, dict[str, Callable[[], str]]] = {
    LAYOUT: {name: lambda name=name: struct_table(name) for name in STRUCTS},  # type: ignore[misc]
    KERNELS: {"kernels": kernel_table},
    ENVIRONMENTS: {
        "action features": lambda: feature_table(ACTION_FEATURES),
        "table features": lambda: feature_table(TABLE_FEATURES),
    },
    HIDDEN: {"sections": section_table, "sizes": size_table},
}


def page(path: Any) -> str:
    """The page with regenerated tables."""
    text = read(path)
    for name, table in TABLES[path].items():
        parts = re.split(rf"(?s)(?<=<!-- {name} -->\n).*?(?=\n<!-- end of {name} -->)", text)
        assert len(parts) == 2, f"{path.name} has {len(parts) - 1} places for the table {name}: expected 1"
        text = table().join(parts)
    return text


if __name__ == "__main__":
    for each in TABLES:
        each.write_text(page(each), encoding="utf-8")
    drawings.write()
