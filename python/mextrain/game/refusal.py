"""Explains in words why a move is refused, and lists the legal moves closest to it.

The core only reports that a move is illegal. The reason is worked out here afterwards from the same state, for people
to read. Section numbers refer to docs/rules.md.
"""

from __future__ import annotations

from mextrain.game.moves import STOP, Move
from mextrain.game.options import OPTIONS
from mextrain.game.read_only import ReadOnlyPosition, Train
from mextrain.game.tiles import Tile
from mextrain_core.model.limits import NONE

_SHOWN = 6
"""The number of legal moves that a refusal lists."""

_ANYWHERE = Tile("*", "A")


def refusal(position: ReadOnlyPosition, move: Move) -> str:
    """Return the full message for an illegal move: the move, the seat, the reason, and legal moves instead."""
    text = position.rules.actions.text(move)
    if position.over:
        return f"{text} is not legal: the round is over"
    reason = _why_no_stop(position) if move == STOP else _why_no_play(position, move)
    legal = _nearby(position, move)
    return f"{text} is not legal for seat {position.seat}: {reason}" + (f"; legal: {legal}" if legal else "")


def _why_no_stop(position: ReadOnlyPosition) -> str:
    if position.pending_draw:
        return _draw_first(position)
    return f"stop is not allowed now, a {position.owed} play is owed"


def _draw_first(position: ReadOnlyPosition) -> str:
    return f"the seat has to draw first ({position.pending_draw} pending)"


def _why_no_play(position: ReadOnlyPosition, move: Move) -> str:
    actions = position.rules.actions
    tile = actions.tile(move)
    train = position.trains[move.train]
    if position.pending_draw:
        return _draw_first(position)
    if tile not in position.hands[position.seat or 0]:
        return f"the seat does not hold {tile}"
    if position._get("only") not in (NONE, _index_of(position, tile)):
        return f"only the drawn tile {position.drawn} may be played"
    if position._get("barred") == _index_of(position, tile):
        return f"the drawn tile {tile} fits nowhere"
    covers = position.must_cover
    if covers and train not in [double.train for double in covers]:
        return f"the play must cover {' or '.join(map(str, covers))}"
    usable = position._get("eligible_a" if tile == _ANYWHERE else "eligible")
    if not usable >> move.train & 1:
        return _why_not_there(position, train)
    half = actions.tiles.half(move.touch)
    ends = " or ".join(map(str, position.ends(train)))
    if covers:
        ends = str(covers[0].tile.high) if len(covers) == 1 else ends
        return f"{half} does not join the {ends} of the double that must be covered"
    return f"train {train} ends in {ends}, which {half} does not join"


def _index_of(position: ReadOnlyPosition, tile: Tile) -> int:
    """The index that the core uses for `tile`; for a `*-A`, the one that was drawn, if any."""
    index = position._get("drawn")
    return index if position.drawn == tile else position.rules.tiles.index(tile)


def _why_not_there(position: ReadOnlyPosition, train: Train) -> str:
    """Why a free play may not go on `train` (sections 5, 7 and 8)."""
    rules = position.rules
    new = [double for double in position.open_doubles if not double.inherited]
    eligible = position._get("eligible")
    if rules.max_uncovered is not None and len(new) > 1 and rules.double_rule != "chicken_foot":
        trains = sum(1 << position._index(double.train) for double in new)
        if eligible & ~trains == 0:
            return f"one of this turn's doubles must be covered first: {' or '.join(map(str, new))}"
    if position._get("only") != NONE and rules.drawn_tile == "own_train":
        return f"a drawn tile may go on the own train only, which is {position.seat} (option drawn_tile)"
    own = f"its own train, which is {position.seat}"
    is_late = rules.own_train_first != "no" and position.seat not in position.started
    if is_late and (train != "M" or rules.own_train_first == "all"):
        return f"the seat must start {own} first (option own_train_first)"
    if position.opening:
        return f"in its opening turn the seat uses its own train only, which is {position.seat}"
    if train == "M":
        condition = OPTIONS["mexican_start"].explain(rules.mexican_start)
        return f"the Mexican Train may be used {condition} (option mexican_start)"
    return f"train {train} is closed"


def _nearby(position: ReadOnlyPosition, move: Move) -> str:
    """The legal moves: first those with the same tile, then those on the same train, then the others."""
    actions = position.rules.actions
    legal = position.legal_moves()
    tile = None if move == STOP else actions.tile(move)

    def distance(other: Move) -> int:
        if other == STOP or tile is None:
            return 2
        return 0 if actions.tile(other) == tile else 1 if other.train == move.train else 2

    nearest = sorted(legal, key=distance)
    more = f" and {len(legal) - _SHOWN} more" if len(legal) > _SHOWN else ""
    return " ".join(map(actions.text, nearest[:_SHOWN])) + more
