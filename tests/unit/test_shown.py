"""What results show: a short true repr at a prompt, a table in a notebook, rows for a data frame."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pandas
import pytest

from mextrain import Match, Position, RuleSet, analyse, beliefs, plan, search, survey, survey_hands, tournament
from mextrain._support.html import html_table

RULES = RuleSet.mexican(players=3, rounds=2, double_rule="cover")


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """One of each kind."""
    position = Position.deal(RULES, seed=1)
    match = Match(RULES, seed=1)
    for each in match:
        while not each.over:
            each.play(each.legal_moves()[0])
    short = Position.deal(RuleSet.mexican(players=2, tile_set="double-6", hand_size=4), seed=1)
    while not short.over:
        short.play(short.legal_moves()[0])
    return {
        "search": search(position, playouts=32),
        "analysis": analyse(short, playouts=16, luck_playouts=4),
        "rules": RULES,
        "summary": survey(RULES, games=5, seed=1),
        "hands": survey_hands(RULES, games=4),
        "tournament": tournament(RULES, {"<i>one</i>": "random", "two & three": "heaviest"}, deals=2),
        "beliefs": beliefs(position, 0, samples=20),
        "plan": plan("12-5 5-7", 12),
        "match": match,
        "position": position,
    }


KINDS = ("search", "analysis", "rules", "summary", "hands", "tournament", "beliefs", "plan", "match", "position")


@pytest.mark.parametrize("kind", KINDS)
def test_a_repr_is_one_short_line(results: dict[str, Any], kind: str) -> None:
    assert len(repr(results[kind])) < 120
    assert "\n" not in repr(results[kind])


def test_a_repr_is_true(results: dict[str, Any]) -> None:
    assert repr(RULES) == "RuleSet.mexican(players=3, rounds=2, double_rule='cover')"
    assert "5 games" in repr(results["summary"])
    assert "12 hands" in repr(results["hands"])
    assert f"{results['tournament'].games} games" in repr(results["tournament"])
    assert "20 samples" in repr(results["beliefs"])
    assert f"{results['search'].best_text}, flat, " in repr(results["search"])
    assert f"{len(results['analysis'].decisions)} decisions" in repr(results["analysis"])


@pytest.mark.parametrize(
    "rules",
    [
        RULES,
        RuleSet.super(players=8),
        RuleSet.mexican(players=2, tile_set="double-18", max_uncovered=1, starter=1, first_engine="12-12"),
    ],
    ids=range(3),
)
def test_rules_can_be_typed_as_they_are_shown(rules: RuleSet) -> None:
    assert eval(repr(rules), {"RuleSet": RuleSet}) == rules


@pytest.mark.parametrize("kind", ["search", "analysis", "rules", "summary", "hands", "tournament", "match"])
def test_a_table_is_html(results: dict[str, Any], kind: str) -> None:
    tables = list(ElementTree.fromstring(results[kind]._repr_html_()).iter("table"))
    assert len(tables) == (2 if kind == "analysis" else 1)
    for table in tables:
        columns = len(table.findall("thead/tr/th"))
        rows = table.findall("tbody/tr")
        assert rows
        assert {len(row) for row in rows} == {columns}


def test_the_table_of_a_search_has_the_cells_of_its_text(results: dict[str, Any]) -> None:
    root = ElementTree.fromstring(results["search"]._repr_html_())
    cells = [cell.text for row in root.findall("tbody/tr") for cell in row]
    assert " ".join(filter(None, cells)).split() == " ".join(str(results["search"]).splitlines()[4:]).split()


@pytest.mark.parametrize("kind", ["beliefs", "plan", "position"])
def test_a_picture_is_shown_instead(results: dict[str, Any], kind: str) -> None:
    assert results[kind]._repr_svg_() == results[kind].svg()


def test_names_are_escaped(results: dict[str, Any]) -> None:
    shown = results["tournament"]._repr_html_()
    assert "<i>" not in shown
    assert "&lt;i&gt;one&lt;/i&gt;" in shown
    assert "<b>" not in html_table("<b>", ["<b>"], [["<b>"]])


@pytest.mark.parametrize(
    ("kind", "count", "columns"),
    [
        ("summary", 3, {"seat", "policy", "points", "points_low", "points_high", "round_won", "match_won"}),
        ("hands", RULES.hand_size + 1, {"length", "share", "share_low", "share_high"}),
        ("tournament", 2, {"policy", "points", "against", "won", "won_low"}),
        ("beliefs", None, {"tile", "copies", "seat", "probability", "error"}),
    ],
)
def test_rows_are_a_frame(results: dict[str, Any], kind: str, count: int | None, columns: set[str]) -> None:
    rows = results[kind].rows()
    frame = pandas.DataFrame(rows)
    assert columns <= set(frame.columns)
    assert count is None or len(frame) == count


def test_rows_hold_the_values(results: dict[str, Any]) -> None:
    assert [row["points"] for row in results["summary"].rows()] == [e.value for e in results["summary"].points()]
    found = results["beliefs"]
    for row in found.rows():
        assert row["probability"] == found.of(row["tile"], row["seat"])
    assert sum(row["share"] for row in results["hands"].rows()) == pytest.approx(1)
