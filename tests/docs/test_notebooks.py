"""The notebooks in examples/ run, and show what their text says. `make docs` renders them in the same way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ci.site import notebooks
from ci.site.notebooks import Cell, Output
from ci.site.stage import NOTEBOOKS
from tests.docs.pages import ROOT

FILES = sorted(NOTEBOOKS.glob("*.py"))

EXAMPLE = '''# %% [markdown]
# # A title
#
# Prose.

# %%
x = 2
print("x is", x)

# %%
x + 1

# %%
class Drawing:
    def _repr_svg_(self):
        return "<svg><title>two &amp; two</title></svg>"


class Table:
    def _repr_html_(self):
        return "<table>\\n\\n</table>"


Drawing()

# %%
Table()
'''


def ran(name: str) -> list[tuple[Cell, Output]]:
    """The cells of code of a notebook, with their outputs."""
    return [(cell, output) for cell, output in notebooks.run(NOTEBOOKS / f"{name}.py") if output]


def rows(output: Output) -> list[list[str]]:
    """The words of each line that a cell printed."""
    return [line.split() for line in output.printed.splitlines()]


def test_there_are_notebooks() -> None:
    assert len(FILES) == 3


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_a_notebook_says_what_it_is_and_shows_a_picture(file: Path) -> None:
    first, *cells = notebooks.cells(file.read_text(encoding="utf-8"))
    assert first.prose
    assert first.text.startswith("# ")
    assert any(cell.prose for cell in cells)
    assert file.name in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


def test_a_long_train_is_worth_points_and_wins() -> None:
    """Hands that cannot start end with more points, and win less often, than those with nine tiles."""
    cells = ran("worth_of_a_hand")
    (table,) = (output for _, output in cells if output.printed.startswith("train"))
    by_length = {int(row[0]): (float(row[2]), float(row[5].rstrip("%"))) for row in rows(table)[1:]}
    assert by_length[0][0] > by_length[9][0] + 5
    assert by_length[0][1] < 25 < by_length[9][1]
    fit = next(output.printed for _, output in cells if output.printed.startswith("points at the end"))
    per_tile, per_point = map(float, re.findall(r"[+-][\d.]+", fit))
    assert per_tile < 0 < per_point
    share = next(output.printed for _, output in cells if "explains" in output.printed)
    assert 1 < float(share.split("explains ")[1].split("%")[0]) < 50


def test_the_worst_decision_was_worse() -> None:
    """The larger search in other worlds agrees that the move made loses against the best one."""
    cells = ran("where_it_went_wrong")
    (picture,) = (output for _, output in cells if output.printed.startswith("event "))
    words = picture.printed.replace(",", "").split()
    made, better = words[5], words[7]
    found = cells[-1][1].value
    assert better in found.best_text or found[better].loss < found[made].loss
    assert found[made].loss > 1
    assert "svg" in picture.value[:200]


def test_the_policies_keep_their_order() -> None:
    """Planning beats caution, and both beat chance, under every rule that the notebook plays."""
    *_, (_, orders) = ran("comparing_policies")
    assert len(rows(orders)) == 4
    for line in orders.printed.splitlines():
        order = line[26:].strip().split(" < ")
        assert order[-1] == "random"
        assert order.index("counting") < order.index("cautious")


# -- the runner


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "examples" / "notebooks" / "example.py"
    path.parent.mkdir(parents=True)
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_a_page_has_the_outputs(example: Path, tmp_path: Path) -> None:
    page = notebooks.page(example, tmp_path / "pictures")
    assert page.startswith("# A title\n\nProse.\n")
    assert '```python\nx = 2\nprint("x is", x)\n```\n\n```text\nx is 2\n```' in page
    assert "```text\n3\n```" in page
    assert "![two & two](example-3.svg)" in page
    assert (tmp_path / "pictures" / "example-3.svg").read_text().startswith("<svg>")
    assert '<div class="output">\n<table>\n</table>\n</div>' in page


def test_without_outputs_nothing_runs(example: Path) -> None:
    example.write_text("# %%\nraise SystemExit\n", encoding="utf-8")
    assert "```python\nraise SystemExit\n```" in notebooks.page(example, None)


def test_an_error_names_the_line_of_the_file(example: Path) -> None:
    example.write_text("# %%\nx = 1\n\n# %%\n1 / 0\n", encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as raised:
        list(notebooks.run(example))
    assert raised.traceback[-1].lineno == 4  # counted from 0
    assert Path(str(raised.traceback[-1].path)).name == "example.py"


def test_code_before_the_first_cell_is_refused() -> None:
    with pytest.raises(AssertionError, match="line 1 stands before the first cell"):
        notebooks.cells("x = 1\n# %%\n")
