"""OpenSpiel: `python_mextrain`, one round with explicit chance (docs/environments.md). It needs the extra `spiel`.

Importing this module registers it: `pyspiel.load_game("python_mextrain", {"players": 2, "tile_set": "double-2"})`.
"""

from __future__ import annotations

import json
from math import comb
from typing import Any

import numpy as np

from mextrain._support.optional import need

try:
    import pyspiel
except ModuleNotFoundError:
    need("pyspiel", "spiel")
    raise

from mextrain.errors import MextrainError, shown
from mextrain.game.engine_deal import lay
from mextrain.game.rules import RuleSet
from mextrain.hidden.knowledge import information_text
from mextrain.hidden.observation import Layout, expand, observe
from mextrain.hidden.sampler import determinize
from mextrain.position import Position
from mextrain_core.model.limits import MAX_DECISIONS, MAX_PLAYERS

NAME = "python_mextrain"

DEALS = ("tiles", "sets")
"""How hands are dealt: tile by tile in any order, or in ascending order, which makes one history of equal hands."""

TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Mexican Train and Super Train",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_PLAYERS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={
        "players": 2,
        "preset": "mexican",
        "tile_set": "",
        "hand_size": 0,
        "options": "",
        "deal": "tiles",
    },
)


class Shared:
    """What all states of a game share. Copies of a state share it, too."""

    def __init__(self, rules: RuleSet, deal: str) -> None:
        self.rules, self.deal = rules, deal
        self.layout = Layout(rules)
        self.engine = rules.engines[0]
        tiles = list(rules.tiles)
        self.tiles = tiles
        self.first = {tile: tiles.index(tile) for tile in set(tiles)}
        self.is_dealt = rules.engine_from != "set_aside"
        self.deck = [k for k, tile in enumerate(tiles) if tile != self.engine or self.is_dealt]
        self.starters = [rules.starter] if isinstance(rules.starter, int) else list(range(rules.players))

    def __deepcopy__(self, memo: object) -> Shared:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Shared, (self.rules, self.deal)

    def next_tiles(self, hands: list[list[int]], hunted: list[int]) -> list[tuple[int, float]]:
        """Return the tiles that can be dealt next, with their probabilities.

        `hands` are full but for the last one; if all are, the next tile is drawn to find the engine, after those in
        `hunted`.
        """
        size = self.rules.hand_size
        held = {*hunted, *(tile for hand in hands for tile in hand)}
        left = [k for k in self.deck if k not in held]
        if self.deal == "tiles" or self.all_dealt(hands):
            return [(k, 1 / len(left)) for k in left]
        hand = hands[-1] if hands and len(hands[-1]) < size else []
        open_tiles = [k for k in left if not hand or k > hand[-1]]
        missing = size - len(hand)
        whole = comb(len(open_tiles), missing)
        odds = [(k, comb(len(open_tiles) - 1 - n, missing - 1) / whole) for n, k in enumerate(open_tiles)]
        return [(k, p) for k, p in odds if p > 0]

    def all_dealt(self, hands: list[list[int]]) -> bool:
        """Return whether all hands have their tiles."""
        return len(hands) == self.rules.players and len(hands[-1]) == self.rules.hand_size

    def begin(self, hands: list[list[int]], hunted: list[int], starter: int) -> Position | None:
        """Return the round with these hands; None if another tile has to be drawn to find the engine.

        `starter`: if the engine is dealt, the seat that is asked first for it.
        """
        named = [[self.tiles[k] for k in hand] for hand in hands]
        if not self.is_dealt:
            return Position.setup(self.rules, hands=named, engine=self.engine, starter=starter, chance="explicit")
        laid = lay(self.rules, self.engine, starter, named, [self.tiles[k] for k in hunted])
        if laid is None:
            return None
        engine, starter, held = laid
        return Position.setup(self.rules, hands=held, engine=engine, starter=starter, chance="explicit")


class Game(pyspiel.Game):  # type: ignore[misc]
    """The game. Parameters: `players`, `preset`, `tile_set` and `hand_size` (empty and 0: by players), `options` (a
    JSON object with any other options of the rules) and `deal` (`tiles` or `sets`).

    Raises `RuleError` for rules that cannot be played, `MextrainError` for other parameters.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = TYPE.parameter_specification | dict(params or {})
        if given["deal"] not in DEALS:
            raise MextrainError(f"deal = {shown(given['deal'])}: expected {' or '.join(DEALS)}")
        self.shared = Shared(_rules(given), given["deal"])
        rules = self.shared.rules
        most = float(rules.points(rules.tiles))
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.action_count,
            max_chance_outcomes=max(len(rules.tiles), rules.players),
            num_players=rules.players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=MAX_DECISIONS,
        )
        super().__init__(TYPE, info, dict(params or {}))

    def new_initial_state(self) -> State:
        """Return the state before the deal."""
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return an observer; its tensor has the sections of `Layout` by name."""
        return Observer(self.shared, iig_obs_type)


def _rules(given: dict[str, Any]) -> RuleSet:
    """Return the rules that the parameters describe."""
    try:
        more = json.loads(given["options"] or "{}")
    except ValueError:
        more = None
    if not isinstance(more, dict):
        raise MextrainError(f"options = {shown(given['options'])}: expected a JSON object, or nothing")
    named = {name: given[name] for name in ("tile_set", "hand_size") if given[name]}
    return RuleSet.from_dict({"preset": given["preset"], "players": given["players"], **named, **more})


class State(pyspiel.State):  # type: ignore[misc]
    """A history: the starter is drawn, then the hands are dealt tile by tile, seat by seat, then the round is played.

    If the engine is dealt (option `engine_from`), the seat drawn is the one that is asked first for it, and further
    tiles may be drawn until it is found.

    Actions are action ids with absolute seats; the outcomes of chance are seats and tile indices.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._shared = game.shared
        self._starter: int | None = game.shared.starters[0] if len(game.shared.starters) == 1 else None
        self._hands: list[list[int]] = []
        self._hunted: list[int] = []
        self.position: Position | None = None

    def current_player(self) -> int:
        """Return the seat to move, or the number of chance or of the end."""
        position = self.position
        if position is None or position.pending_draw:
            return int(pyspiel.PlayerId.CHANCE)
        seat = position.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def _legal_actions(self, player: int) -> list[int]:
        assert self.position is not None
        return list(self.position.legal_ids())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance can do, with probabilities."""
        shared = self._shared
        if self.position is not None:
            found: dict[int, float] = {}
            for tile, odds in self.position.chance_outcomes():
                found[shared.first[tile]] = found.get(shared.first[tile], 0.0) + odds
            return sorted(found.items())
        if self._starter is None:
            return [(seat, 1 / len(shared.starters)) for seat in shared.starters]
        return shared.next_tiles(self._hands, self._hunted)

    def _apply_action(self, action: int) -> None:
        shared, position = self._shared, self.position
        if position is not None:
            if position.pending_draw:
                position.draw(shared.tiles[action])
            else:
                position.play(action)
        elif self._starter is None:
            self._starter = action
        else:
            self._deal(action)

    def _deal(self, tile: int) -> None:
        """Give a tile to the seat whose hand is not full yet; after the last one the round begins.

        If the engine is not found then, the tile is drawn to find it.
        """
        shared = self._shared
        if shared.all_dealt(self._hands):
            self._hunted.append(tile)
        else:
            if not self._hands or len(self._hands[-1]) == shared.rules.hand_size:
                self._hands.append([])
            self._hands[-1].append(tile)
        if shared.all_dealt(self._hands):
            assert self._starter is not None
            self.position = shared.begin(self._hands, self._hunted, self._starter)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self._shared.rules.actions.text(action)
        if self.position is None and self._starter is None:
            return f"starter {action}"
        # With the index, because the three `*-A` would have one name.
        return f"{action} {self._shared.tiles[action]}"

    def is_terminal(self) -> bool:
        """Return whether the round is over."""
        return self.position is not None and self.position.over

    def returns(self) -> list[float]:
        """Return the mean points of the others minus the own ones, by seat; 0 before the end."""
        players = self._shared.rules.players
        if self.position is None or not self.position.over:
            return [0.0] * players
        points = np.array(self.position.points, float)
        values: list[float] = ((points.sum() - players * points) / (players - 1)).tolist()
        return values

    def __str__(self) -> str:
        if self.position is None:
            hands = ["-".join(map(str, hand)) for hand in self._hands]
            drawn = f"; drawn {'-'.join(map(str, self._hunted))}" if self._hunted else ""
            return f"deal: starter {'?' if self._starter is None else self._starter}; hands {' '.join(hands)}{drawn}"
        return self.position.line()

    def information_state_string(self, player: int | None = None) -> str:
        """Return everything that a seat has seen, in order."""
        seat = self.current_player() if player is None else player
        if self.position is not None:
            return information_text(self.position, seat)
        own = sorted(self._hands[seat]) if len(self._hands) > seat else []
        sizes = " ".join(str(len(hand)) for hand in self._hands)
        drawn = ""
        if self._hunted and self._starter is not None:
            players = self._shared.rules.players
            own += self._hunted[(seat - self._starter) % players :: players]
            drawn = f"; drawn {len(self._hunted)}"
        return f"deal: starter {'?' if self._starter is None else self._starter}; sizes {sizes}{drawn}; own {own}"

    def resample_from_infostate(self, player: int, sampler: Any) -> State:
        """Return a state that `player` cannot tell from this one: hidden tiles are sampled, uniform over histories.

        `sampler` returns random numbers 0 … 1. The history of the copy is that of this state.
        """
        other: State = self.clone()
        if self.position is not None:
            other.position = determinize(self.position, player, seed=int(sampler() * 2**53))
        return other


class Observer:
    """What OpenSpiel asks for: a tensor with named parts, and a text."""

    def __init__(self, shared: Shared, kind: Any) -> None:
        self._layout = shared.layout
        self._recalls = kind is not None and kind.perfect_recall
        self.tensor = None if self._recalls else np.zeros(shared.layout.bits, np.float32)
        self.dict: dict[str, np.ndarray] = {}
        if self.tensor is not None:
            self.dict = {name: self.tensor[part] for name, part in shared.layout.slices.items()}

    def set_from(self, state: State, player: int) -> None:
        """Write what `player` sees into the tensor; all 0 before the round begins."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        if state.position is not None:
            self.tensor[:] = expand(observe(state.position, player), self._layout.bits, np.float32)

    def string_from(self, state: State, player: int) -> str:
        """Return what `player` has seen, or without perfect recall the table as it sees it."""
        if self._recalls or state.position is None:
            return state.information_state_string(player)
        return state.position.line(for_seat=player)


if NAME not in pyspiel.registered_names():
    pyspiel.register_game(TYPE, Game)
