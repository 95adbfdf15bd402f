"""Numbers of actions (docs/actions.md): half codes, the 16-bit move, the dense action id."""

from __future__ import annotations

from functools import cache

from .tiles import WILD, halves, highest_number, tiles_of

STOP = "stop"
STOP_MOVE = 0x3FFF
HALF_CODES = {str(number): number for number in range(19)}
HALF_CODES |= {WILD: 13, "A": 14, "D": 15, "R": 16, "S": 17, "T": 18}  # with the set super


def split_play(text: str, players: int) -> tuple[int, str, str]:
    """``12-5@0`` as (train, touch, new); train M is the number of players."""
    tile, _, train = text.partition("@")
    touch, _, new = tile.partition("-")
    return (players if train == "M" else int(train)), touch, new


def play_text(train: int, touch: str, new: str, players: int) -> str:
    """The text of a play: the first half touches the train, the second becomes the end."""
    return f"{touch}-{new}@{'M' if train == players else train}"


def move_of(action: str, players: int) -> int:
    """The 16-bit move: train << 10 | touch << 5 | new."""
    if action == STOP:
        return STOP_MOVE
    train, touch, new = split_play(action, players)
    return train << 10 | HALF_CODES[touch] << 5 | HALF_CODES[new]


@cache
def pair_ranks(tile_set: str) -> dict[tuple[str, str], int]:
    """p of each (touch, new) of a set.

    Double-n: touch * (n+1) + new. Super: the rank among the ordered pairs that
    exist, in the order of their half codes.
    """
    if tile_set != "super":
        size = highest_number(tile_set) + 1
        return {(str(a), str(b)): a * size + b for a in range(size) for b in range(size)}
    pairs = {halves(tile) for tile in tiles_of(tile_set)}
    pairs |= {(second, first) for first, second in pairs}
    ordered = sorted(pairs, key=lambda pair: (HALF_CODES[pair[0]], HALF_CODES[pair[1]]))
    return {pair: rank for rank, pair in enumerate(ordered)}


@cache
def ids_per_train(tile_set: str) -> int:
    """K: (n+1)^2, or 206."""
    return len(pair_ranks(tile_set))


def stop_id(tile_set: str, players: int) -> int:
    """The id of stop, the last one."""
    return (players + 1) * ids_per_train(tile_set)


def number_of_ids(tile_set: str, players: int) -> int:
    """A: the number of action ids for a set and a number of players."""
    return stop_id(tile_set, players) + 1


def action_id(action: str, tile_set: str, players: int) -> int:
    """The dense action id of a play or stop."""
    if action == STOP:
        return stop_id(tile_set, players)
    train, touch, new = split_play(action, players)
    return train * ids_per_train(tile_set) + pair_ranks(tile_set)[touch, new]


def action_of(number: int, tile_set: str, players: int) -> str:
    """The text of a dense action id."""
    if not 0 <= number < number_of_ids(tile_set, players):
        raise ValueError(f"{number!r} is not an action id of {tile_set} with {players} players")
    if number == stop_id(tile_set, players):
        return STOP
    train, rank = divmod(number, ids_per_train(tile_set))
    touch, new = next(pair for pair, p in pair_ranks(tile_set).items() if p == rank)
    return play_text(train, touch, new, players)
