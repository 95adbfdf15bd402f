"""docs/rules.md compared with the code: options, sets, deals, and the facts to test against."""

from __future__ import annotations

import re

import pytest

from mextrain import OPTIONS, Option, RuleSet, TileSet, simulate
from mextrain.game.options import PLAYERS_TABLE, PRESETS
from tests.docs.pages import ROOT, headings, prose, section, tables

PAGE = ROOT / "docs" / "rules.md"
HOUSE_RULES = "Your house rule, and what to type"
HEADER, *_ROWS = tables(PAGE, "11. Options")[0]
ROWS = {cells[0].strip("[]"): cells[1:] for cells in _ROWS}


def test_sections_have_their_numbers() -> None:
    """The code cites sections by number."""
    first, *titles = [text for level, text in headings(PAGE) if level == 2]
    assert first == HOUSE_RULES
    assert [int(title.partition(".")[0]) for title in titles] == list(range(1, 15))


def test_the_table_has_all_options_in_order() -> None:
    assert list(ROWS) == list(OPTIONS)


def test_the_presets_are_those_of_the_page() -> None:
    assert [cell.strip("`") for cell in HEADER[3:-1]] == list(PRESETS)


def printed(option: Option) -> list[str]:
    """The cells of an option's row, derived from the table in the code."""
    values = [
        line if line[0].isdigit() and "-" not in line else " … ".join(f"`{word}`" for word in line.split(" … "))
        for line in option.lines
    ]
    defaults = []
    for preset in PRESETS:
        default = option.default(preset)
        plain = type(default) is int or (option.follows and default == option.usual)
        text = "none" if default is None else f"{default}"
        defaults.append(text if plain else f"`{text}`")
    return [option.shapes, ", ".join(values), *defaults, option.meaning]


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_is_described_in_full(option: Option) -> None:
    """The page is written first and by hand, because tests take their expectations from it: no program generates it."""
    assert ROWS[option.name] == printed(option)
    # Its own section explains each of its values.
    text = section(PAGE, option.name)
    if option.name not in ("first_engine", "tile_set"):
        assert [word for word in option.words if word not in text] == []


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_is_marked_where_it_acts(option: Option) -> None:
    """`Option.section` names the sections that describe its effect, and these mention the option."""
    titles = {text.partition(".")[0]: text for level, text in headings(PAGE) if level == 2}
    whole = prose(PAGE)
    for number in option.section.split(", "):
        start = whole.index(f"## {titles[number]}")
        end = whole.find("\n## ", start + 3)
        assert f"[{option.name}]" in whole[start:end], f"section {number} does not mention {option.name}"


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


def test_the_hands_of_other_presets() -> None:
    """Double-12 with the hands of the second table; beyond its rows and at a dash what `mexican` is dealt."""
    header, *rows = tables(PAGE, "3. Setting up")[1]
    hands = {int(row[0]): row[1:] for row in rows}
    assert {cell.strip("`") for cell in header[1:]} == set(PRESETS) - {"mexican", "super"}
    for column, preset in enumerate(header[1:]):
        for players, deal in PLAYERS_TABLE[preset.strip("`")].items():
            hand = hands[players][column] if players in hands else "–"
            assert deal == (PLAYERS_TABLE["mexican"][players] if hand == "–" else ("double-12", int(hand)))


def test_printed_rules_can_be_typed() -> None:
    """Section 14: the settings of each printed text are rules, each text is there once, and the presets say so too."""
    (header, *printed), (_, *missing) = tables(PAGE, "14. Printed rule sets, and what to type")
    assert header == ["printed rules", "settings", "what differs"]
    names = [name.removesuffix(" ~") for row in (*printed, *missing) for name in row[0].split(", ")]
    assert len(names) > 40
    assert {len(row) for row in printed} == {3}
    typed = set()
    for _, settings, more in printed:
        words = re.findall(r"`([^`]*)`", settings)
        assert " ".join(f"`{word}`" for word in words) == settings
        preset = [word.removeprefix("--rules ") for word in words if word.startswith("--rules ")]
        options = [word for word in words if not word.startswith("--rules ")]
        rules = RuleSet.from_texts((*preset, "mexican")[0], 4, options)
        assert rules.preset_name == (*preset, "mexican")[0]
        typed.add(rules.preset_name)
        for option in re.findall(r"`(\w+=[^`]*)`", more):
            RuleSet.from_texts(rules.preset_name, 2, [option])
    assert typed == set(PRESETS)


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
    """The published means are from 4,000 rounds, these from many more, so the error is that of the published ones."""
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
