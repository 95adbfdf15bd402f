"""Notebooks kept as Python files: cells between lines `# %%`, those of `# %% [markdown]` in comments.

`run` runs one and collects what its cells print, and the value of an expression at the end of a cell, as notebooks do.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A cell: whether it is prose, the number of its first line, and its text (prose without the comment signs)."""

    prose: bool
    line: int
    text: str


class Output(NamedTuple):
    """What a cell printed, and its value or None."""

    printed: str
    value: Any


def cells(source: str) -> list[Cell]:
    """The cells of a notebook."""
    found: list[Cell] = []
    for line_number, line in enumerate(source.splitlines(), 1):
        mark = re.fullmatch(r"# %%( \[markdown\])?", line)
        if mark:
            found.append(Cell(mark[1] is not None, line_number + 1, ""))
            continue
        assert found, f"line {line_number} stands before the first cell: expected # %%"
        cell = found[-1]
        if cell.prose and line:
            assert line.startswith("#"), f"line {line_number} of a cell of prose is not a comment"
            line = line[1:].removeprefix(" ")
        found[-1] = cell._replace(text=f"{cell.text}{line}\n")
    return [cell._replace(text=cell.text.strip("\n") + "\n") for cell in found]


def run(path: Path) -> Iterator[tuple[Cell, Output | None]]:
    """Run the cells of a notebook one after the other; yield each with its output, prose with None."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells(path.read_text(encoding="utf-8")):
        yield cell, None if cell.prose else _run(cell, path, names)


def _run(cell: Cell, path: Path, names: dict[str, Any]) -> Output:
    # Leading blank lines, so that a traceback shows the line of the file.
    tree = ast.parse("\n" * (cell.line - 1) + cell.text, str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(path), "exec"), names)
        value = eval(compile(ast.Expression(last.value), str(path), "eval"), names) if last else None
    return Output(printed.getvalue(), value)


def page(path: Path, pictures: Path | None) -> str:
    """A notebook as a page. With a folder for pictures it is run, and the page has its outputs."""
    parts = []
    ran = run(path) if pictures else ((cell, None) for cell in cells(path.read_text(encoding="utf-8")))
    for number, (cell, output) in enumerate(ran):
        parts.append(cell.text if cell.prose else f"```python\n{cell.text}```\n")
        if output and pictures:
            parts += _shown(output, pictures, f"{path.stem}-{number}.svg")
    parts.append(f"The source of this page is `{path.parent.parent.name}/{path.parent.name}/{path.name}`.\n")
    return "\n".join(parts)


def _shown(output: Output, pictures: Path, name: str) -> Iterator[str]:
    """Yield the output of a cell as Markdown; a picture becomes a file."""
    if output.printed:
        yield f"```text\n{output.printed}```\n"
    value = output.value
    if value is None:
        return
    if hasattr(value, "_repr_svg_"):
        source = value._repr_svg_()
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / name).write_text(source, encoding="utf-8")
        title = re.search(r"<title[^>]*>([^<]*)", source)
        yield f"![{html.unescape(title[1]) if title else 'a picture'}]({name})\n"
    elif hasattr(value, "_repr_html_"):
        yield '<div class="output">\n' + re.sub(r"\n\s*\n", "\n", value._repr_html_()) + "\n</div>\n"
    else:
        yield f"```text\n{value!r}\n```\n"
