"""`decision_table`: the decisions of an archive as one table for people, with the names of tiles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from mextrain._support.integers import whole
from mextrain.archive import read_shards
from mextrain.archive.shards import read_groups
from mextrain.errors import MextrainError, shown
from mextrain.game.moves import STOP, Move
from mextrain.position import Position

COLUMNS = {
    "seed": "uint64",
    "game": "uint64",
    "round": "uint8",
    "step": "uint16",
    "turn": "uint32",
    "seat": "uint8",
    "move": "text",
    "train": "text",
    "hand": "list of text",
    "unseen": "list of text",
    "ends": "list of text",
    "markers": "list of bool",
    "legal": "list of text",
    "points": "list of int64",
}
"""Name and type of every column; they are the same for all rules and numbers of players."""


def decision_table(folder: str | os.PathLike[str], rounds: int = 1000) -> Any:
    """Return the decisions of the first rounds of an archive as a `pyarrow.Table`, a row for each, in their order.

    `step` counts the decisions of the round from 0, `turn` its turns from 1. `move` is the play or `stop`, `train`
    its train, null for `stop`. `hand` and `unseen` (the tiles that the seat sees nowhere), `legal`, the legal moves,
    as they were before the move. `ends` by train, M last: the halves that are open, separated by blanks if a train has
    several. `markers` by seat: whether its train is open to the others. `points` by seat at the end of the round.

    Replaying for people is slow, about 100 rounds a second; `DecisionDataset` is for learners. Raises `MextrainError`
    for a folder without an archive or a number of rounds below 1, `IllegalMove` for a row that breaks the rules, and
    `MissingExtra` without pyarrow.
    """
    number = whole(rounds)
    if number is None or number < 1:
        raise MextrainError(f"rounds = {shown(rounds)}: expected a whole number from 1")
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for position, moves, points in _rounds(folder, number):
        for step, code in enumerate(moves):
            move = Move.from_code(code)
            row = _row(position, step, move)
            for name, value in row.items():
                columns[name].append(value)
            columns["points"].append(points)
            position.play(move)
    return _table(columns)


def _rounds(folder: str | os.PathLike[str], count: int) -> Iterator[tuple[Position, list[int], list[int]]]:
    """Yield each of the first rounds: its beginning, its moves and its points."""
    job, shards = read_shards(folder)
    for shard in shards:
        for group in read_groups(shard.path, job.rules.players):
            for row in range(len(group)):
                if not count:
                    return
                count -= 1
                position = Position.deal(
                    job.rules,
                    seed=job.seed,
                    game=int(group.columns["game"][row]),
                    engine=job.rules.engines[int(group.columns["round"][row])],
                    starter=int(group.columns["starter"][row]),
                )
                moves = group.actions[group.offsets[row] : group.offsets[row + 1]]
                yield position, moves.tolist(), group.points[row].tolist()


def _row(position: Position, step: int, move: Move) -> dict[str, Any]:
    """What a row says but the points; the position is at the decision."""
    start, seat, hands = position.start, position.seat, position.hands
    assert seat is not None
    others = [tile for q, hand in enumerate(hands) if q != seat for tile in hand]
    text = position.rules.actions.text(move)
    return {
        "seed": start.seed,
        "game": start.game,
        "round": position.rules.engines.index(position.engine),
        "step": step,
        "turn": position.turns,
        "seat": seat,
        "move": text,
        "train": None if move == STOP else text.partition("@")[2],
        "hand": [str(tile) for tile in hands[seat]],
        "unseen": [str(tile) for tile in sorted([*others, *position.boneyard])],
        "ends": [" ".join(map(str, position.ends(train))) for train in position.trains],
        "markers": [position.is_open(train) for train in position.trains[:-1]],
        "legal": list(position.legal_texts()),
    }


def _table(columns: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    def kind(name: str) -> Any:
        if name.startswith("list of "):
            return pa.list_(kind(name.removeprefix("list of ")))
        return pa.string() if name == "text" else pa.type_for_alias(name)

    return pa.table(columns, schema=pa.schema([(name, kind(text)) for name, text in COLUMNS.items()]))
