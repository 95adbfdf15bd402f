"""Pictures as files: well-formed, accessible, alone on their page, equal for equal positions, and nothing overlaps."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mextrain import IllegalMove, MextrainError, Position, PositionError, RuleSet, beliefs, plan
from mextrain.picture import colours
from mextrain.picture.svg import Picture
from tests import limits
from tests.picture.drawing import SVG, boxes, played
from tests.strategies import rounds

RULES = RuleSet.mexican(players=4)
POSITION = played(RULES, 4, 30)
FEET = RuleSet.mexican(players=8, double_rule="chicken_foot")


def pictures() -> dict[str, Picture]:
    """One of each kind."""
    return {
        "light": POSITION.svg(theme="light"),
        "dark": POSITION.svg(theme="dark", for_seat=1),
        "narrow": POSITION.svg(width=600, names=["<b>", "a&b", '"', "\x00\ud800 control"]),
        "suggestion": POSITION.svg(suggest=POSITION.legal_moves()[0], hands=False),
        "feet": played(FEET, 5, 60).svg(),
        "super": played(RuleSet.super(players=5), 8, 70).svg(),
        "fourteen": played(RuleSet.mexican(players=14), 3, 150).svg(),
        "finished": played(RULES, 7).svg(for_seat=2),
        "line": Position.from_line(POSITION.line()).svg(),
        "plan": plan("4-2 2-2 2-7 7-9 9-9 9-0 *-A 3-3", 4).svg(),
        "empty plan": plan("", 12, goal="finish").svg(),
        "beliefs": beliefs(POSITION, 0, samples=20).svg(),
        "beliefs of all": beliefs(played(RuleSet.super(players=8), 1, 20), 3, samples=20).svg(theme="dark"),
    }


PICTURES = pictures()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_stands_alone(name: str) -> None:
    source = PICTURES[name]
    root = ElementTree.fromstring(source)
    assert root.tag == f"{SVG}svg"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    refs = {element.get("href", "")[1:] for element in root.iter(f"{SVG}use")}
    assert refs <= set(ids)
    glyphs = root.find(f"{SVG}defs")
    assert glyphs is not None
    assert {glyph.get("id") for glyph in glyphs} == refs
    assert not re.search(r"var\(|@import|<script|<image|<foreignObject|url\(|\son\w+=", source)
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg\")", source)
    scope = root.get("class")
    style = root.findtext(f"{SVG}style") or ""
    rules = re.findall(r"([^{}]+)\{", style.replace("@media (prefers-color-scheme:dark){", ""))
    assert rules
    assert all(rule.startswith(f".{scope} ") for rule in rules)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_read_aloud(name: str) -> None:
    root = ElementTree.fromstring(PICTURES[name])
    assert root.get("role") == "img"
    title, told = (root.find(f"*[@id='{each}']") for each in (root.get("aria-labelledby") or "").split())
    assert title is not None
    assert told is not None
    assert (title.tag, told.tag) == (f"{SVG}title", f"{SVG}desc")
    assert title.text
    assert told.text
    tiles = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}use") is not None]
    assert all(group.findtext(f"{SVG}title") for group in tiles)


def test_the_description_is_the_table_of_the_same_seat() -> None:
    root = ElementTree.fromstring(POSITION.svg(for_seat=2))
    assert root.findtext(f"{SVG}desc") == POSITION.table(for_seat=2)
    assert root.findtext(f"{SVG}title") == repr(POSITION)[1:-1]


def test_different_pictures_share_no_names() -> None:
    names = {}
    for name, source in PICTURES.items():
        root = ElementTree.fromstring(source)
        names[name] = {root.get("class")} | {element.get("id") for element in root.iter() if element.get("id")}
    assert not [pair for pair in combinations(names, 2) if names[pair[0]] & names[pair[1]]]


def test_the_same_course_gives_the_same_bytes() -> None:
    again = played(RULES, 4, 30)
    assert again.svg() == POSITION.svg()
    there = Position.from_line(POSITION.line())
    assert there.svg() == Position.from_line(POSITION.line()).svg()
    assert POSITION.copy().svg(theme="dark", width=800) == POSITION.svg(theme="dark", width=800)
    assert POSITION.svg(theme="dark") != POSITION.svg(theme="light")


def test_drawing_changes_nothing() -> None:
    before = POSITION.line(key=True)
    POSITION.svg(suggest=POSITION.legal_moves()[0])
    assert POSITION.line(key=True) == before


@settings(max_examples=40, deadline=None)
@given(rounds(), st.integers(0, 150), st.sampled_from([600, 720, 1000]), st.integers(0, 2**32))
def test_tiles_do_not_overlap_and_stay_inside(dealt: Any, moves: int, width: int, dice: int) -> None:
    from random import Random

    rules, seed, game, engine, starter = dealt
    position, random = Position.deal(rules, seed=seed, game=game, engine=engine, starter=starter), Random(dice)
    for _ in range(moves):
        if not position.over:
            position.play(random.choice(position.legal_moves()))
    suggest = random.choice(position.legal_moves()) if position.legal_moves() else None
    seat = random.choice([None, *range(rules.players)])
    root = ElementTree.fromstring(position.svg(width=width, suggest=suggest, for_seat=seat))
    _, _, wide, tall = map(float, (root.get("viewBox") or "").split())
    tiles = boxes(root, "face", "back")
    for x, y, right, bottom in tiles + boxes(root, "owed", "ring", "open"):
        assert x >= 0
        assert y >= 0
        assert right <= wide
        assert bottom <= tall
    tiles.sort()
    for index, (_, top, right, bottom) in enumerate(tiles):
        for x, y, _, under in tiles[index + 1 :]:
            if x >= right - 0.21:
                break
            assert y >= bottom - 0.21 or under <= top + 0.21, (position.line(key=True), width)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"for_seat": 4}, "no seat 4"),
        ({"for_seat": "1"}, "no seat '1'"),
        ({"width": 599}, "width = 599"),
        ({"width": 720.5}, "width = 720.5"),
        ({"theme": "blue"}, "theme = 'blue'"),
        ({"theme": ["light"]}, "theme = "),
        ({"names": ["a", "b"]}, "expected 4 texts"),
        ({"names": "abcd"}, "expected 4 texts"),
        ({"names": ["a", "b", "c", 4]}, "expected 4 texts"),
        ({"names": 5}, "expected 4 texts"),
        ({"hands": 1}, "hands = 1"),
        ({"suggest": "13-0@0"}, "13-0"),
        ({"suggest": 1.5}, "1.5"),
    ],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(MextrainError) as caught:
        POSITION.svg(**options)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_suggestion_must_be_legal() -> None:
    with pytest.raises(IllegalMove):
        POSITION.svg(suggest="12-12@M")
    with pytest.raises(PositionError, match="width"):
        plan("1-2", 1).svg(width=1)
    with pytest.raises(PositionError, match="theme"):
        beliefs(POSITION, 0, samples=20).svg(theme="x")


def test_save_writes_the_source(tmp_path: Path) -> None:
    picture = POSITION.svg()
    file = picture.save(tmp_path / "a.svg")
    assert file.read_bytes() == picture.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]
    with pytest.raises(PositionError, match=r"only SVG"):
        picture.save(tmp_path / "a.png")
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_a_notebook_shows_it_and_a_prompt_does_not() -> None:
    assert POSITION._repr_svg_() == POSITION.svg()
    assert POSITION.svg()._repr_svg_() == POSITION.svg()
    assert re.fullmatch(r"<Picture, SVG, [\d,]+ bytes>", repr(POSITION.svg()))
    assert len(repr(plan("12-5 5-7", 12))) < 100
    assert len(repr(beliefs(POSITION, 0, samples=20))) < 100


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_can_be_read(theme: str) -> None:
    (own,) = colours.THEMES[theme]
    for number in colours.NUMBERS[1:]:
        assert contrast(number, own["face"]) > 4.4
    for ink in ("ink", "dim", "owed", "accent"):
        assert contrast(own[ink], own["felt"]) > 4.4
    for ground in ("accent", "open"):
        assert contrast(own["on"], own[ground]) > 4.4
    for letter in colours.LETTERS.values():
        assert contrast("#ffffff", letter) > 4.4


def test_a_converter_draws_it(tmp_path: Path) -> None:
    """librsvg, which knows no CSS variables: the tiles are ivory, not black."""
    program = shutil.which("rsvg-convert")
    if program is None:
        pytest.skip("rsvg-convert is not installed")
    file = POSITION.svg().save(tmp_path / "a.svg")
    out = tmp_path / "a.png"
    assert limits.run([program, "-o", str(out), str(file)]).returncode == 0
    assert out.stat().st_size > 5000
