"""The table at the beginning of docs/rules.md: everything that it tells users to type can be played."""

from __future__ import annotations

import re

import pytest

from mextrain import OPTIONS, Position, RuleSet
from mextrain.cli import main
from tests.docs.pages import ROOT, code_words, tables

PAGE = ROOT / "docs" / "rules.md"
ROWS = [(rule, cell) for rule, cell in tables(PAGE, "Your house rule, and what to type")[0][1:] if cell]
TYPED = [
    ("super" if "Super Train" in rule else "mexican", words.split())
    for rule, cell in ROWS
    for words in code_words(cell)
]
NAMES = [f"{preset}: {' '.join(texts)}" for preset, texts in TYPED]


@pytest.mark.parametrize(("preset", "texts"), TYPED, ids=NAMES)
def test_what_it_says_can_be_typed(preset: str, texts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """In Python and on the command line; each option changes the preset."""
    flags = [flag for text in texts for flag in ("--option", text)]
    assert main(["rules", "--rules", preset, *flags]) == 0
    shown = capsys.readouterr().out
    rules, plain = RuleSet.from_texts(preset, 4, texts), RuleSet.preset(preset, players=4)
    for text in texts:
        name, _, value = text.partition("=")
        assert re.search(rf"(?m)^\* {name} +{re.escape(value)}$", shown)
        assert getattr(rules, name) != getattr(plain, name)
        assert str(getattr(rules, name)).lower() == value
    assert Position.deal(rules, seed=1).legal_moves()


@pytest.mark.parametrize(("rule", "cell"), ROWS, ids=[rule for rule, _ in ROWS])
def test_nothing_else_stands_in_the_cell(rule: str, cell: str) -> None:
    """A cell has alternatives separated by commas, so that users can copy each."""
    assert re.fullmatch(r"`[^`]+`(, `[^`]+`)*", cell)
    assert not rule.endswith(".")


def test_every_option_has_a_row() -> None:
    """A new option needs a row, because users look here first. The number of players is not a house rule."""
    named = {text.partition("=")[0] for _, texts in TYPED for text in texts}
    assert named == set(OPTIONS) - {"players"}


def test_every_other_word_of_an_option_has_a_row() -> None:
    """A word that is no preset's default is a house rule. Sets and engines are too many to list."""
    typed = {(name, value) for _, texts in TYPED for name, _, value in (text.partition("=") for text in texts)}
    rows = {
        (name, word)
        for name, option in OPTIONS.items()
        for word in option.words
        if name not in ("tile_set", "first_engine") and word not in (option.default("mexican"), option.default("super"))
    }
    assert rows - typed == set()
