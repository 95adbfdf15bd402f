"""`decision_table`: the decisions of archives as one table for people, with the names of tiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mextrain.archive.places import Folder
from mextrain.archive.read_rows import RowGroup, starter_to_deal
from mextrain.bulk.results import ENDS
from mextrain.dataset.selection import Part, Selection, at_least
from mextrain.errors import ArchiveError, MextrainError
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
    "winner": "int8",
    "ending": "text",
}
"""Name and type of every column; they do not depend on the rules or the number of players."""


def decision_table(*folders: Folder, rounds: int = 1000, games: range | None = None) -> Any:
    """Return the decisions of the first rounds of archives as a `pyarrow.Table`, one row per decision, in order.

    `rounds`: maximum number of rounds. `games`: a range of game numbers; only these games of each archive are read.
    Archives may have different rules.

    `step` counts the decisions of the round from 0, `turn` its turns from 1. `move` is the play or `stop`, `train`
    its train, null for `stop`. `hand`, `unseen` (the tiles that the seat cannot see) and `legal` (the legal moves)
    describe the situation before the move. `ends` by train, M last: the open halves, separated by spaces if a train has
    several. `markers` by seat: whether its train is open to the others. The result of the round: `points` by seat, the
    `winner` (-1 if it was blocked), and the `ending`, `out` or `blocked`.

    Replaying for people is slow, about 100 rounds per second; use `DecisionDataset` for learners. Raises
    `MextrainError` for a folder without an archive, an empty range of games or a number of rounds below 1,
    `ArchiveError` for damaged files and for rows that break the rules, and `MissingExtra` without pyarrow.
    """
    left = at_least(1, "rounds", rounds)
    selection = Selection(folders, games)
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for part in selection.parts():
        rows = selection.read(part)
        for row in range(min(left, len(rows))):
            for name, value in _decisions(part, rows, row):
                columns[name].append(value)
        left -= min(left, len(rows))
        if not left:
            break
    return _table(columns)


def _decisions(part: Part, rows: RowGroup, row: int) -> Iterator[tuple[str, Any]]:
    """Yield (column, value) for every decision of a round."""
    job = part.shard.job
    moves = rows.actions[rows.offsets[row] : rows.offsets[row + 1]].tolist()
    results = {
        "points": rows.points[row].tolist(),
        "winner": int(rows.columns["winner"][row]),
        "ending": ENDS[int(rows.codes("ending", ENDS)[row])],
    }
    try:
        position = Position.deal(
            job.rules,
            seed=job.seed,
            game=int(rows.columns["game"][row]),
            engine=job.rules.engines[int(rows.columns["round"][row])],
            starter=starter_to_deal(rows, job.rules, row),
        )
        for step, code in enumerate(moves):
            if position.over:
                raise _fault(part, rows, row, "there are moves after the end of the round")
            move = Move.from_code(code)
            yield from {**_row(position, step, move), **results}.items()
            position.play(move)
    except ArchiveError:
        raise
    except MextrainError as error:
        raise _fault(part, rows, row, str(error)) from None
    if not position.over:
        raise _fault(part, rows, row, f"the moves end, but the round goes on with seat {position.seat}")
    winner = -1 if position.winner is None else position.winner
    found = {"points": list(position.points), "winner": winner, "ending": position.end}
    for name, stored in results.items():
        if stored != found[name]:
            raise _fault(part, rows, row, f"{name} is {stored}, expected {found[name]}")


def _fault(part: Part, rows: RowGroup, row: int, reason: str) -> ArchiveError:
    return ArchiveError(reason, part.shard.name, int(rows.places[row]))


def _row(position: Position, step: int, move: Move) -> dict[str, Any]:
    """Return the columns of a row except the points; the position is the one before the decision."""
    start, seat, hands = position.start, position.seat, position.hands
    assert seat is not None
    others = [tile for q, hand in enumerate(hands) if q != seat for tile in hand]
    text = position.rules.actions.text(move)
    return {
        "seed": start.seed,
        "game": start.game,
        "round": start.number,
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
