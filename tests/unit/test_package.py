"""The package's public names: lazy imports that type checkers see, and errors that can be pickled."""

from __future__ import annotations

import ast
import pickle
import sys
from pathlib import Path

import pytest

import mextrain
from mextrain import errors
from mextrain._support.optional import need
from tests import limits


def test_the_table_of_names_is_what_type_checkers_see() -> None:
    tree = ast.parse(Path(mextrain.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mextrain.")
        for alias in node.names
    }
    assert seen == {name: f"mextrain.{module}" for name, module in mextrain._HOMES.items()}


def test_every_public_name_is_there() -> None:
    for name in mextrain._HOMES:
        assert getattr(mextrain, name) is not None
        assert name in dir(mextrain)
    with pytest.raises(AttributeError, match="no_such_name"):
        mextrain.no_such_name  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "error",
    [
        errors.MextrainError("x"),
        errors.TileError("x"),
        errors.IllegalMove("x"),
        errors.RecordError("x", line=3, event=0),
        errors.RecordError("x"),
        errors.RuleError([errors.Problem("a", 1, "2", "write 2"), errors.Problem("b", None, "3", "write 3")]),
        errors.PositionError("x"),
        errors.PositionError("x", [errors.Problem("a", 1, "2", "write 2")]),
        errors.MissingExtra("pyarrow", "io"),
    ],
)
def test_errors_survive_a_process_border(error: errors.MextrainError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)
    assert isinstance(twin, ValueError)


def test_record_errors_say_where() -> None:
    assert str(errors.RecordError("why", line=1, event=0)) == "line 1, event 0: why"
    assert str(errors.RecordError("why", line=1)) == "line 1: why"
    assert str(errors.RecordError("why")) == "why"


def test_missing_extras_are_named() -> None:
    with pytest.raises(errors.MissingExtra, match=r"no_such_library .*pip install 'mextrain\[io\]'"):
        need("no_such_library.part", "io")
    assert need("json", "io").__name__ == "json"


def test_a_library_that_breaks_inside_is_not_called_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_installed.py").write_text("import something_it_needs\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="something_it_needs"):
        need("half_installed", "io")


@pytest.mark.parametrize("first", ["", "import mextrain.study.planner, mextrain.position", "mextrain.Tile"])
def test_a_star_import_gives_every_public_name(first: str) -> None:
    """Before anything is loaded, and after some names are loaded."""
    missing = "print(*sorted(name for name in mextrain._HOMES if name not in globals()))"
    code = f"import mextrain\n{first}\nfrom mextrain import *\n{missing}"
    done = limits.run([sys.executable, "-c", code])
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
    assert set(mextrain.__all__) == {*mextrain._HOMES, "__version__"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Postion", "Position"), ("position_", "Position"), ("ruleset", "RuleSet"), ("Simulat", "simulate"), ("qqq", "")],
)
def test_a_misspelt_name_is_answered_with_the_right_one(name: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(mextrain, name)
    hint = f"; did you mean {meant}?" if meant else ""
    assert str(caught.value) == f"module 'mextrain' has no attribute {name!r}{hint}"


def test_messages_are_short_lines() -> None:
    for text in ("a\nb", "x" * 10_000, "\ud800", "\x1b[31m", "a\u2028b"):
        for line in (errors.one_line(text), errors.shown(text), errors.shown([text] * 50), errors.shown({text: text})):
            assert line.isprintable()
            assert len(line) <= errors.MAX_TEXT
    many = [errors.Problem(f"option {n}", n, "another", "change it") for n in range(1000)]
    assert len(str(errors.RuleError(many))) < 3000
    assert "980 more" in str(errors.RuleError(many))
