"""The speed of searches: play-outs a second at one decision, by method and by the policy of the play-outs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mextrain.bulk.one_decision import Deciders
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import MextrainError
from mextrain.game.rules import RuleSet
from mextrain.hidden.knowledge import PublicRecord
from mextrain.position import Position
from mextrain.searches.bench import Knowledge
from mextrain.searches.searcher import searcher
from mextrain.searches.settings import Settings

METHODS = ("flat", "tree")
POLICIES = ("random", "counting")
PLAYS = 20
"""The first decision with a choice after so many plays is searched."""
GAMES = 100
"""Games that are looked at for such a decision."""

SEARCH_METHOD = (
    f"a search at the first decision with a choice after {PLAYS} plays, where `counting` plays; no move drops out; CPU "
    "time of the process; the minimum of the repeats; sampling of worlds included, compiling not"
)


@dataclass(frozen=True)
class SearchRun:
    """The speed of one search: `playouts` in `seconds` of CPU time, the minimum of `repeats`."""

    preset: str
    players: int
    method: str
    policy: str
    moves: int
    playouts: int
    repeats: int
    seconds: float

    @property
    def playouts_per_second(self) -> float:
        """Play-outs a second on one core."""
        return self.playouts / self.seconds

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as a JSON object."""
        return {**asdict(self), "playouts_per_second": self.playouts_per_second}


def measure_searches(tables: Sequence[RuleSet], repeats: int, seconds: float) -> Iterator[SearchRun]:
    """Measure flat search and trees with play-outs of `random` and `counting`.

    `seconds`: the approximate length of a repeat. The kinds of searches take turns, so that changes in the machine's
    speed affect all of them.
    """
    for rules in tables:
        position = _decision(rules)
        public = PublicRecord(position)
        log = public.log, len(public.log)
        seat, moves = position.seat, len(position.legal_moves())
        assert seat is not None
        knowledge = Knowledge(position._states, 0, public.tables, public.evidence, *log, seat)
        kinds = [(method, policy) for method in METHODS for policy in POLICIES]
        times: dict[tuple[str, str], list[float]] = {kind: [] for kind in kinds}
        budgets = dict.fromkeys(kinds, 64 * moves)
        # The first search of a kind compiles, and the second one tells how many play-outs take the time.
        for number in range(2 + repeats):
            for kind in kinds:
                seats = Seats.of(kind[1], rules.players)
                settings = Settings(kind[0], budgets[kind], seats.ids, seats.addresses, drop=None)
                search = searcher(rules, settings)
                began = time.process_time()
                search.run(knowledge, number)
                spent = time.process_time() - began
                if number == 1:
                    budgets[kind] = max(1, round(4 * seconds / max(spent, 1e-4))) * 16 * moves
                elif number > 1:
                    times[kind].append(spent)
        for (method, policy), taken in times.items():
            playouts = budgets[method, policy]
            yield SearchRun(rules.preset_name, rules.players, method, policy, moves, playouts, repeats, min(taken))


def _decision(rules: RuleSet) -> Position:
    """Return the position that is searched."""
    for game in range(GAMES):
        position, table = Position.deal(rules, seed=1, game=game), Deciders(rules, "counting")
        plays = 0
        while not position.over and (plays < PLAYS or len(position.legal_moves()) < 2):
            position.play(table.move(position))
            plays += 1
        if not position.over:
            return position
    raise MextrainError(f"rounds of {rules.preset_name} are over before {PLAYS} plays: nothing to search")


def searches_text(runs: Sequence[SearchRun]) -> str:
    """Return a table of at most 80 columns."""
    lines = [f"{'preset':<12}{'players':>8}  {'method':<8}{'play-outs by':<14}{'M play-outs/s':>14}{'µs each':>10}"]
    lines += [
        f"{run.preset:<12}{run.players:>8}  {run.method:<8}{run.policy:<14}"
        f"{run.playouts_per_second / 1e6:>14.2f}{1e6 / run.playouts_per_second:>10.2f}"
        for run in runs
    ]
    return "\n".join(lines)
