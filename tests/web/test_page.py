"""The replay page as a file: alone, of one seat, its numbers."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import MextrainError, Position, RuleSet, Tile, analyse, beliefs, determinize, replay_page
from mextrain.web.frames import steps
from tests.picture.drawing import played, texts

SUPER = played(RuleSet.super(players=4), 5)
SMALL = RuleSet.mexican(players=3, tile_set="double-6", hand_size=5)
END = played(SMALL, 3)


def data_of(page: str) -> dict[str, Any]:
    """The data of a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def heat_of(data: dict[str, Any], seats: int) -> np.ndarray:
    """The heat maps: frame, seat, tile, place."""
    raw = np.frombuffer(base64.b64decode(data["heat"]), np.uint8)
    return raw.reshape(len(data["frames"]), seats, len(data["tiles"]), len(data["names"]) + 1)


def test_it_needs_nothing_else() -> None:
    page = replay_page(END, worlds=20, beliefs=False)
    rest = page.replace("http://www.w3.org", "")
    assert not re.search(r"https?:|//[a-z]|<link|<img|@import|\bimport\b|fetch\(|XMLHttp|url\(", rest)
    assert "default-src 'none'" in page
    assert len(re.findall("<script", page)) == 2


@pytest.mark.parametrize("seat", range(4))
def test_a_page_of_one_seat_holds_nothing_hidden(seat: int) -> None:
    found = analyse(SUPER, playouts=20, luck_playouts=2)
    page = replay_page(SUPER, for_seat=seat, worlds=20, beliefs=False, analysis=found)
    seen = Counter([SUPER.engine, *SUPER.hands[seat]])
    seen.update(event.tile for event in SUPER.events if event.tile and (event.kind == "play" or event.seat == seat))
    data = data_of(page)
    # The names of all tiles, for the heat maps, tell nothing.
    data.pop("tiles")
    source = json.dumps(data)
    assert not {str(tile) for tile in set(SUPER.rules.tiles) - set(seen) if texts(source, tile)}
    assert all(texts(source, event.tile) for event in SUPER.events if event.kind == "play" and event.tile)
    others = [points for other, points in enumerate(SUPER.points) if other != seat and points]
    assert others
    assert data["result"].count("?") == len(others)


def test_a_tile_drawn_and_laid_later_is_not_named_before(tmp_path: Path) -> None:
    data = data_of(replay_page(SUPER, for_seat=0, worlds=20, beliefs=False))
    position = SUPER.restart()
    for frame, step in zip(data["frames"], steps(SUPER), strict=True):
        position = step.position
        seen = Counter([position.engine, *position.hands[0]])
        seen.update(event.tile for event in position.events if event.kind == "play")
        source = " ".join([*(data["pool"][part] for part in frame["parts"]), json.dumps(frame["told"])])
        assert not {str(tile) for tile in set(SUPER.rules.tiles) - set(seen) if texts(source, tile)}


def test_frames_are_the_decisions() -> None:
    data = data_of(replay_page(END, worlds=20))
    assert len(data["frames"]) == 1 + sum(event.is_decision for event in END.events)
    told = [short for frame in data["frames"] for _, _, short, _, _ in frame["told"]]
    assert told == [str(event) for event in END.events]
    assert [frame["event"] for frame in data["frames"][1:]] == [i for i, e in enumerate(END.events) if e.is_decision]
    assert data["frames"][-1]["points"] == list(map(float, END.points))


def test_heat_maps_are_beliefs() -> None:
    page = replay_page(END, worlds=4000)
    data = data_of(page)
    maps = heat_of(data, 3)
    names = [name for name, _, _ in data["tiles"]]
    for index, step in enumerate(steps(END)):
        if index % 5:
            continue
        found = beliefs(step.position, 1, samples=4000)
        hidden = {str(tile) for tile in found.tiles}
        for row, name in enumerate(names):
            if name in hidden:
                right = found.probabilities[found.tiles.index(Tile.parse(name))]
                assert maps[index, 1, row] / 200 == pytest.approx(right, abs=0.06)
            else:
                assert (maps[index, 1, row] == 255).all()


def test_the_same_round_gives_the_same_bytes() -> None:
    again = played(SMALL, 3)
    assert replay_page(END, worlds=20, seed=3) == replay_page(again, worlds=20, seed=3)
    assert replay_page(END.record(), worlds=20) == replay_page(END, worlds=20)
    assert replay_page(END, worlds=20, seed=3) != replay_page(END, worlds=20, seed=4)


def test_a_seat_learns_nothing_from_numbers() -> None:
    """Expected points and heat maps of a seat do not depend on what it cannot see."""
    position = played(SMALL, 8, 9)
    other = determinize(position, 1, 5)
    assert other.hands != position.hands
    assert replay_page(position, for_seat=1, worlds=40) == replay_page(other, for_seat=1, worlds=40)


def test_it_opens_before_an_event() -> None:
    for frame, step in enumerate(steps(END)):
        opened = data_of(replay_page(END, worlds=20, beliefs=False, event=len(step.position.events)))
        assert opened["at"] == frame
    assert data_of(replay_page(END, worlds=20, beliefs=False))["at"] == 0


def test_every_kind_of_round_has_a_page() -> None:
    for rules in (
        RuleSet.mexican(players=14),
        RuleSet.mexican(players=5, double_rule="chicken_foot"),
        RuleSet.super(players=2),
    ):
        data = data_of(replay_page(played(rules, 1, 60), worlds=20))
        assert len(data["frames"]) > 50
    explicit = Position.deal(SMALL, seed=1, chance="explicit")
    while not explicit.over and explicit.plays < 8:
        if explicit.pending_draw:
            explicit.draw(explicit.boneyard[0])
        else:
            explicit.play(explicit.legal_moves()[0])
    assert len(data_of(replay_page(explicit, worlds=20))["frames"]) > 5


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"for_seat": 3}, "no seat 3"),
        ({"names": ["a"]}, "expected 3 texts"),
        ({"worlds": 5}, "worlds = 5"),
        ({"worlds": "many"}, "worlds = 'many'"),
        ({"beliefs": 1}, "beliefs = 1"),
        ({"analysis": 1}, "analysis = 1"),
        ({"seed": -1}, "-1"),
        ({"event": 10**6}, "event = 1000000"),
        ({"event": "first"}, "event = 'first'"),
    ],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(MextrainError) as caught:
        replay_page(END, **options)
    assert named in str(caught.value)


def test_a_position_without_its_events_is_refused() -> None:
    with pytest.raises(MextrainError, match="without its events"):
        replay_page(Position.from_line(played(SMALL, 8, 9).line()))
    with pytest.raises(MextrainError):
        replay_page(5)  # type: ignore[arg-type]


def test_save(tmp_path: Path) -> None:
    page = replay_page(END, names=["\ud800", "</script>", "\u2028"], worlds=20)
    assert page.save(tmp_path / "a.html").read_bytes() == page.encode()
    assert data_of(page)["names"] == ["?", "</script>", "\u2028"]
    with pytest.raises(MextrainError, match="only HTML"):
        page.save(tmp_path / "a.svg")
    assert len(repr(page)) < 60
