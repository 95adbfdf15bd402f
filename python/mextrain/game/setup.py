"""`Setup`: how a round begins, with everything needed to play it again (docs/rules.md, section 3).

All arguments of a deal are checked here. The core trusts the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, islice

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.lazy import cached_property
from mextrain.errors import MextrainError, PositionError, TileError, shown
from mextrain.game import seeding
from mextrain.game.engine_deal import Beginning, beginning, check_beginning, lay
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import Tile, TileSet, parse_words
from mextrain_core.game.deal import deal, deal_tiles
from mextrain_core.model.limits import NONE
from mextrain_core.model.rng import ENGINE_WORD, STARTER_WORD
from mextrain_core.model.state import new_states


@dataclass(frozen=True)
class Setup:
    """A round before its first turn.

    `given` holds the tile indices of the hands by seat, or is None if the round is dealt from `seed` and `game`. With
    given hands, `seed` and `game` (if any) decide only the draws. `order` holds the tile indices of the boneyard in
    drawing order, or is None if the stream or the caller decides the draws. If `starter` is None, the stream decides
    the starter. If the rules deal the engine (option `engine_from`) and there are no given hands, `starter` is the seat
    that is asked first for it.

    `named` is the engine that names the round if the deal decides which double is the engine, else None.
    """

    rules: RuleSet
    engine: Tile
    starter: int | None
    seed: int | None
    game: int
    given: tuple[tuple[int, ...], ...] | None = None
    order: tuple[int, ...] | None = None
    named: Tile | None = None

    @classmethod
    def dealt(cls, rules: RuleSet, seed: int, game: int, engine: Tile | str | None, starter: int | None) -> Setup:
        """Return the setup of the round with `engine` (default: the first engine) in game `game` of `seed`.

        If `starter` is None, it is the fixed seat of the rules if they name one, else the stream decides. If the deal
        decides the engine, `engine` names the round. Raises `SeedError` and `PositionError`.
        """
        _check_rules(rules)
        start = cls(
            rules,
            _engine(rules, engine),
            _starter(rules, starter),
            seeding.check_seed(seed),
            seeding.check_game(game),
        )
        if rules.engines_are_known:
            return start
        half = rules.tiles.half(int(start.state()["engine"][0]))
        return replace(start, engine=Tile(half, half), named=start.engine)

    @classmethod
    def set_up(
        cls,
        rules: RuleSet,
        engine: Tile | str | None,
        starter: int | None,
        hands: Sequence[str | Iterable[Tile | str]],
        boneyard: str | Iterable[Tile | str] | None,
        seed: int | None,
        game: int,
    ) -> Setup:
        """Return the setup of a round with these hands; `boneyard` is in drawing order, or None.

        If `starter` is None, it is the fixed seat of the rules if they name one, else seat 0. Tiles are `Tile`s or
        texts; a hand or boneyard may be one text, such as `"12-5 9-1"`. Raises `PositionError` if the tiles and the
        engine do not make up the set, if a hand is empty, or if the number of hands is wrong.
        """
        _check_rules(rules)
        tile = _engine(rules, engine)
        places = _Places(rules.tiles, tile)
        if isinstance(hands, str) or not isinstance(hands, Iterable):
            raise PositionError(f"the hands {shown(hands)} are not usable: expected a list with a hand for each seat")
        listed = list(hands)
        if len(listed) != rules.players:
            raise PositionError(f"{len(listed)} hands are given, but {rules.players} players need one each")
        given = tuple(places.take(hand, f"the hand of seat {seat}") for seat, hand in enumerate(listed))
        if not all(given):
            seat = given.index(())
            raise PositionError(f"the hand of seat {seat} is empty: a round begins with a tile or more in each hand")
        order = None
        if boneyard is not None:
            order = places.take(boneyard, "the boneyard")
            places.check_all_taken()
        seat = _starter(rules, starter, engine_is_laid=True) or 0
        if not rules.engines_are_known:
            begun = Beginning(seat, tuple(map(len, given)))
            named = {seat: [rules.tiles[index] for index in hand] for seat, hand in enumerate(given)}
            check_beginning(rules, tile, begun, named)
        return cls(
            rules,
            tile,
            seat,
            None if seed is None else seeding.check_seed(seed),
            seeding.check_game(game),
            given,
            order,
        )

    @cached_property
    def hands(self) -> tuple[tuple[Tile, ...], ...]:
        """The hands by seat, each in the order in which the tiles were dealt or given."""
        if self.given is None:
            return dealt_hands(self.rules, self._key, self.named or self.engine, self.starter)
        return tuple(tuple(self.rules.tiles[index] for index in hand) for hand in self.given)

    @property
    def number(self) -> int | None:
        """The number of the round in a match; None if it is not one of a match's rounds, or if that is not known."""
        engines, engine = self.rules.engines, self.named
        if self.rules.engines_are_known:
            engine = self.engine
        return engines.index(engine) if engine in engines else None

    @property
    def is_continued(self) -> bool:
        """Whether the round continues from a line, so that its deal and its earlier course are not known."""
        return False

    @property
    def laid(self) -> tuple[Tile, ...]:
        """The tiles on trains before the first move. There are none, unless the round continues from a line."""
        return ()

    @property
    def laid_on(self) -> frozenset[int | str]:
        """The trains that hold the `laid` tiles."""
        return frozenset()

    @property
    def _key(self) -> int:
        return seeding.round_key(self.seed or 0, self.game, self.named or self.engine)

    def state(self) -> np.ndarray:
        """Return a new STATE array of length 1 with the round before its first turn."""
        states = new_states(1)
        rules = self.rules
        half = np.uint64(rules.tiles.half_code((self.named or self.engine).high))
        starter = np.uint64(NONE if self.starter is None else self.starter)
        if self.given is None:
            deal(states, 0, rules.record, np.uint64(self.seed or 0), np.uint64(self.game), half, starter)
            return states
        sizes = np.array([len(hand) for hand in self.given], np.int64)
        indices = np.zeros((rules.players, int(sizes.max())), np.uint8)
        for seat, hand in enumerate(self.given):
            indices[seat, : len(hand)] = hand
        deal_tiles(states, 0, rules.record, half, starter, indices, sizes)
        if self.seed is not None:
            states["key"] = self._key
        return states


def dealt_hands(rules: RuleSet, key: int, engine: Tile, starter: int | None) -> tuple[tuple[Tile, ...], ...]:
    """Return the hands by seat that the stream deals from the round key `key`, each in dealing order.

    `engine` is the one that names the round, `starter` that of `Setup`. This is the core's deal in plain Python
    (docs/determinism.md). It keeps the order of the tiles, which the core does not.
    """
    members = [tile for tile in rules.tiles if tile != engine or not rules.engines_are_known]
    place = seeding.below(seeding.high(seeding.word(key, int(ENGINE_WORD))), len(rules.tiles))
    caller = starter
    if caller is None:
        caller = seeding.below(seeding.high(seeding.word(key, int(STARTER_WORD))), rules.players)
    picks = _picks(key, members)
    if rules.engines_are_known:
        sizes = beginning(rules, place, caller).sizes
        return tuple(tuple(islice(picks, size)) for size in sizes)
    hands = [list(islice(picks, rules.hand_size)) for _ in range(rules.players)]
    drawn: list[Tile] = []
    while (laid := lay(rules, engine, caller, hands, drawn)) is None:
        drawn.append(next(picks))
    return laid.hands


def _picks(key: int, members: list[Tile]) -> Iterator[Tile]:
    """Yield the tiles that the deal takes out of `members`, one after the other."""
    for pick in count():
        word = seeding.word(key, pick // 2)
        random = seeding.low(word) if pick % 2 else seeding.high(word)
        yield members.pop(seeding.below(random, len(members)))


def _engine(rules: RuleSet, engine: Tile | str | None) -> Tile:
    if engine is None:
        return rules.engines[0]
    try:
        tile = engine if isinstance(engine, Tile) else rules.tiles.parse(engine)
    except MextrainError as error:
        raise PositionError(f"the engine {shown(engine)} is not usable: {error}") from None
    if tile not in rules.tiles.doubles:
        first, *_, last = rules.tiles.doubles
        raise PositionError(f"the engine {tile} is not a double of {rules.tile_set}: expected {first} … {last}")
    return tile


def _check_rules(rules: object) -> None:
    if not isinstance(rules, RuleSet):
        raise PositionError(f"the rules {shown(rules)} are not usable: expected a RuleSet")


def _starter(rules: RuleSet, starter: int | None, engine_is_laid: bool = False) -> int | None:
    """The requested starter, checked. For None, the fixed seat of the rules, or None if they have none.

    `engine_is_laid`: with the engine from a hand, the rules fix the seat that is asked first, not who starts.
    """
    is_fixed = isinstance(rules.starter, int) and not (engine_is_laid and rules.engine_from != "set_aside")
    fixed = rules.starter if is_fixed and isinstance(rules.starter, int) else None
    if starter is None:
        return fixed
    seat = whole(starter)
    if seat is None or not 0 <= seat < rules.players:
        raise PositionError(f"the starter {shown(starter)} is not a seat: expected 0 … {rules.players - 1}")
    if fixed is not None and seat != fixed:
        raise PositionError(
            f"the starter {seat} contradicts the rules, by which seat {fixed} starts: leave it out, or change the rules"
        )
    return seat


@lru_cache(maxsize=64)
def tile_indices(tiles: TileSet) -> dict[Tile | str, int]:
    """Return the first index of each tile of a set, keyed both by the tile and by its canonical text."""
    indices: dict[Tile | str, int] = {}
    for index, tile in enumerate(tiles):
        indices.setdefault(tile, index)
        indices.setdefault(str(tile), index)
    return indices


class _Places:
    """Keeps track of which tiles of a set have been placed. Copies of `*-A` get their indices in the order named."""

    def __init__(self, tiles: TileSet, engine: Tile) -> None:
        self._tiles = tiles
        self._engine = tiles.index(engine)
        self._free = [True] * len(tiles)
        self._free[self._engine] = False

    def take(self, tiles: str | Iterable[Tile | str], place: str) -> tuple[int, ...]:
        """Place `tiles` in `place`, and return their indices. Raises `PositionError` for tiles that cannot go there."""
        indices = tile_indices(self._tiles)
        taken: list[int] = []
        try:
            listed = parse_words(tiles)
            if not all(isinstance(tile, Tile | str) and tile in indices for tile in listed):
                listed = list(self._tiles.parse_each(listed))
            taken += [self._take(indices[tile], place) for tile in listed]
        except TileError as error:
            raise PositionError(f"{place} cannot be read: {error}") from None
        return tuple(taken)

    def _take(self, first: int, place: str) -> int:
        index, tile = first, self._tiles[first]
        while not self._free[index]:
            index += 1
            if index == len(self._tiles) or self._tiles[index] != tile:
                where = "is the engine" if first == self._engine else "lies elsewhere already, or is there too often"
                raise PositionError(f"{place} holds {tile}, which {where}")
        self._free[index] = False
        return index

    def check_all_taken(self) -> None:
        """Raise `PositionError` if a tile of the set has not been placed."""
        missing = [tile for tile, free in zip(self._tiles, self._free, strict=True) if free]
        if missing:
            raise PositionError(
                f"{len(missing)} tiles are neither in a hand nor in the boneyard, {missing[0]} among them"
            )
