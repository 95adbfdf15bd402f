"""`mextrain companion`: a round typed in as it happens."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import pytest

from mextrain import MextrainError, Position, RuleSet, determinize
from mextrain.cli import main
from mextrain.play.companion import Companion
from tests.cli.run import without_notice

RULES = RuleSet.mexican(3, rounds=1, tile_set="double-6", hand_size=5)


def companion_of(position: Position, seat: int) -> Companion:
    """A companion for a seat of a round."""
    hand = [str(tile) for tile in position.start.hands[seat]]
    return Companion(position.rules, str(position.engine), position.starter, seat, hand)


def typed(text: str, seat: int) -> str:
    """An event as the person of a seat would type it."""
    who, _, what = text.partition(":")
    if "draw" in what and who != str(seat):
        return f"{who} {what.partition(' ')[0]}"
    return what if who == str(seat) else f"{who} {what}"


@pytest.mark.parametrize("seed", range(3))
def test_a_round_is_followed(seed: int) -> None:
    """Hand, ends and open trains are those of the true round after every entry, and every entry is accepted."""
    position, rng, seat = Position.deal(RULES, seed=seed), random.Random(seed), 1
    companion = companion_of(position, seat)
    told = 0
    while not position.over:
        position.play(rng.choice(position.legal_moves()))
        for event in position.events[told:]:
            companion.note(typed(event.text, seat))
        told = len(position.events)
        assert companion.follower.hand == position.hands[seat]
        for train, ends in companion.ends().items():
            assert ends == [str(end) for end in position.ends(train)]
        others = [other for other in range(3) if other != seat and position.is_open(other)]
        assert companion.open_trains() == [seat, *others, "M"]
    lines = companion.report()
    assert lines


def small() -> Companion:
    """Seat 0 of three begins with the engine 6-6."""
    return Companion(RULES, "6-6", 0, 0, ["6-1", "1-2", "2-5", "4-4", "3-0"])


def test_the_report() -> None:
    lines = small().report()
    assert lines[0] == "hand (26 points): 2-1 3-0 4-4 5-2 6-1" or lines[0].startswith("hand (")
    assert "plan from 6: 6-1 1-2 2-5 (17 points)" in lines
    assert "no place in it: 4-4 3-0 (11 points)" in lines
    assert lines[-1].startswith("goes on with 5, chance to be in the boneyard: 5-")


def test_what_could_be_thrown_where() -> None:
    companion = small()
    companion.note("6-1@0, 1-2@0, 2-5@0")
    companion.note("1 draw")
    companion.note("1 open")
    companion.note("2 6-4@2")
    assert companion.open_trains() == [0, 1, "M"]
    assert companion.ends() == {0: ["5"], 1: ["6"], 2: ["4"], "M": ["6"]}
    lines = companion.report()
    assert "no place in it: 4-4 3-0 (11 points)" in lines
    companion.note("2 4-3@2")
    companion.note("0 draw 6-3")
    assert "  throw 6-3 on the train of seat 1 or the Mexican Train" in companion.report()


def test_either_order_of_the_halves() -> None:
    companion = small()
    assert [event.text for event in companion.note("1-6@0")] == ["0:6-1@0"]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("6-5@0", "you do not hold 6-5"), ("6-1", "on which train?"), ("draw", "which tile did you draw?"),
        ("1 6-5@1", ""), ("2-1@0", ""), ("7-7@0", ""), ("jump", ""), ("1 skip", ""), ("9 draw", ""),
        ("6-1@0, 4-4@0", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(entry: str, reason: str) -> None:
    companion = small()
    with pytest.raises(MextrainError, match=reason.replace("?", r"\?")):
        companion.note(entry)
    assert companion.follower.events == []


def test_chances_are_those_of_the_hidden_worlds() -> None:
    """Against samples of `determinize` from the true round."""
    position = Position.deal(RULES, seed=5)
    while position.seat != 1:
        position.play(position.legal_moves()[0])
    companion = companion_of(position, 1)
    for event in position.events:
        companion.note(typed(event.text, 1))
    counts = companion.follower.places(400, deciding=True)
    tile = next(iter(set(RULES.tiles) - set(position.hands[1]) - {position.engine} - {e.tile for e in position.events}))
    index = RULES.tiles.index(tile)
    share = counts[index][-1] / counts[index].sum()
    drawn = [tile in determinize(position, 1, seed).boneyard for seed in range(60)]
    assert abs(share - sum(drawn) / len(drawn)) < 0.3


def test_saved_and_taken_up(tmp_path: Path) -> None:
    companion = small()
    companion.note("6-1@0, 1-2@0")
    file = tmp_path / "round.json"
    companion.save(file)
    again = Companion.load(file)
    assert again.report() == companion.report()
    assert str(again.undo()) == "0:1-2@0"
    for text in ("", "{}", "[]", '{"format": "mextrain-companion/1"}', "\xff"):
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(MextrainError, match="is not a file of mextrain companion"):
            Companion.load(file)


def test_at_the_keyboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "round.json"
    rules = ["--players", "3", "--option", "tile_set=double-6", "--option", "hand_size=5"]
    hand = ["--hand", "6-1 1-2 2-5 4-4 3-0", "--engine", "6-6"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("?\n6-1@0\nnonsense\nu\nu\nl\n6-1@0\nl\nw\n"))
    assert main(["companion", *rules, *hand, "-o", str(file)]) == 0
    captured = capsys.readouterr()
    for word in ("draw 5-2       you draw", "not taken:", "taken back: 0:6-1@0", "nothing to take back", "nothing yet"):
        assert word in captured.out
    assert max(map(len, captured.out.splitlines())) <= 80 + len(str(file))
    assert json.loads(file.read_text())["events"] == ["0:6-1@0"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["companion", "--resume", str(file)]) == 0
    assert "plan from 1: 1-2 2-5" in capsys.readouterr().out
    assert main(["companion"]) == 2
    assert "--hand is needed" in without_notice(capsys.readouterr().err)
