"""docs/rules.md against the code: options, sets, deals, and the facts to test against."""

from __future__ import annotations

import re

import pytest

from mextrain import OPTIONS, Option, RuleSet, TileSet, simulate
from mextrain.game.options import ALL_ROUNDS, BY_PLAYERS, HIGHEST, MAX_DOUBLE_BLANK, PLAYERS_TABLE, PRESETS
from tests.docs.pages import ROOT, code_words, headings, prose, section, tables

PAGE = ROOT / "docs" / "rules.md"
HOUSE_RULES = "Your house rule, and what to type"
ROWS = {cells[0].strip("[]"): cells[1:] for cells in tables(PAGE, "11. Options")[0][1:]}


def test_sections_have_their_numbers() -> None:
    """The code cites sections by number."""
    first, *titles = [text for level, text in headings(PAGE) if level == 2]
    assert first == HOUSE_RULES
    assert [int(title.partition(".")[0]) for title in titles] == list(range(1, 14))


def test_the_table_has_all_options_in_order() -> None:
    assert list(ROWS) == list(OPTIONS)


def number_range(text: str) -> tuple[int, int] | None:
    """The range of numbers that a cell of the table names last: `2 … 14`, `none, 1`."""
    found = re.search(r"(\d[\d,]*)(?: … (\d[\d,]*))?$", text)
    if found is None:
        return None
    low, high = found[1].replace(",", ""), (found[2] or found[1]).replace(",", "")
    return int(low), int(high)


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_is_described_in_full(option: Option) -> None:
    values, mexican, super_, effect = ROWS[option.name]
    assert effect
    # What it takes.
    if option.name == "first_engine":
        assert values == "any double of the set, such as `5-5` or `*-*`"
    elif option.name == "tile_set":
        assert values == "`double-1` … `double-18`, `super`"
    else:
        assert code_words(values) == [*(["none"] if option.none else []), *option.words]
    ends = {"hand_size": "1 … what fits", "rounds": "1 … all"}.get(option.name)
    if ends is not None:
        assert values == ends
    elif option.name not in ("first_engine", "tile_set"):
        assert number_range(values) == option.whole
    # What the presets take.
    for cell, preset in ((mexican, "mexican"), (super_, "super")):
        default = option.default(preset)
        words = {BY_PLAYERS: "by players", HIGHEST: "highest double", ALL_ROUNDS: "all"}
        if option.name == "players":
            assert cell == "must be given"
        elif default in words and default not in option.words:
            assert cell == words[str(default)]
        elif default is None:
            assert cell == "`none`"
        else:
            assert cell == (f"`{default}`" if isinstance(default, str) else f"{default}")
    # Its own text explains each of its values.
    text = section(PAGE, option.name)
    if option.name not in ("first_engine", "tile_set"):
        assert [word for word in option.words if word not in text] == []


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_is_marked_where_it_acts(option: Option) -> None:
    """`Option.section` names the sections that describe what it changes, and these carry its mark."""
    titles = {text.partition(".")[0]: text for level, text in headings(PAGE) if level == 2}
    whole = prose(PAGE)
    for number in option.section.split(", "):
        start = whole.index(f"## {titles[number]}")
        end = whole.find("\n## ", start + 3)
        assert f"[{option.name}]" in whole[start:end], f"section {number} does not mention {option.name}"


def test_the_limit_of_the_blank() -> None:
    assert ROWS["double_blank"][0] == f"0 … {MAX_DOUBLE_BLANK:,}"


def test_the_sets() -> None:
    for name, tiles, showing, points, rounds in tables(PAGE, "2. Tiles")[0][1:]:
        tile_set = TileSet(name.strip("`"))
        assert len(tile_set) == int(tiles)
        assert sum(7 in tile.halves for tile in tile_set) == int(showing)
        assert sum(tile.points for tile in tile_set) == int(points.split()[0])
        assert len(tile_set.doubles) == int(rounds)


def test_the_hands() -> None:
    rows = tables(PAGE, "3. Setting up")[0][1:]
    assert [int(row[0]) for row in rows] == list(range(2, 15))
    for players, tile_set, mexican, super_ in rows:
        assert PLAYERS_TABLE["mexican"][int(players)] == (tile_set, int(mexican))
        assert PLAYERS_TABLE["super"][int(players)] == ("super", int(super_))


def test_the_boneyards() -> None:
    header, *rows = tables(PAGE, "10. Facts to test against")[0]
    assert [row[0].strip("`") for row in rows] == list(PRESETS)
    for preset, *sizes in rows:
        for players, size in zip(header[1:], sizes, strict=True):
            assert RuleSet.preset(preset.strip("`"), players=int(players)).boneyard_size == int(size)


@pytest.mark.parametrize(
    "row", tables(PAGE, "10. Facts to test against")[1][1:], ids=lambda row: f"{row[0].strip(chr(96))}-{row[1]}"
)
def test_random_play(row: list[str]) -> None:
    """The published means have 4,000 rounds behind them, these many more: the difference is theirs."""
    rules = RuleSet.preset(row[0].strip("`"), players=int(row[1]))
    turns, blocked, points = (float(cell.removesuffix(" %")) for cell in row[2:])
    played = simulate(rules, games=4000, seed=20)
    rounds = played.turns.size
    for published, mean, spread in (
        (turns, played.turns.mean(), played.turns.std()),
        (blocked / 100, (played.end == 2).mean(), max((played.end == 2).std(), 0.01)),
        (points, played.points.mean(), played.points.mean(axis=2).std()),
    ):
        error = spread * (1 / 4000 + 1 / rounds) ** 0.5
        assert abs(published - mean) < 5 * error + 0.05
