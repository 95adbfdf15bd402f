"""One complete record for each preset and number of players, as files: what a seed plays must not change unnoticed.

To write them again after a deliberate change of the stream: `MEXTRAIN_WRITE_GOLDEN=1 pytest tests/golden`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mextrain import Position, RuleSet, replay
from mextrain.game.options import PLAYERS_TABLE
from tests.reference.replay import first_fault

HERE = Path(__file__).parent
TABLES = [(preset, players) for preset in sorted(PLAYERS_TABLE) for players in (2, 4, 8, 14)]


def play(preset: str, players: int) -> str:
    """The first round of game 0 of seed 2026; every seat makes the middle one of its legal moves."""
    position = Position.deal(RuleSet.preset(preset, players=players), seed=2026)
    while not position.over:
        legal = position.legal_moves()
        position.play(legal[len(legal) // 2])
    return json.dumps(position.record(legal=True), ensure_ascii=False) + "\n"


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_the_round_is_the_one_on_file(preset: str, players: int) -> None:
    path = HERE / f"{preset}-{players}.jsonl"
    found = play(preset, players)
    if os.environ.get("MEXTRAIN_WRITE_GOLDEN"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")
    record = json.loads(found)
    assert replay(record).points == tuple(record["points"])
    assert first_fault(record) is None


def test_no_file_is_left_over_and_none_is_missing() -> None:
    assert {path.stem for path in HERE.glob("*.jsonl")} == {f"{preset}-{players}" for preset, players in TABLES}
