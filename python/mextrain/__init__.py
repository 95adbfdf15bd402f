"""mextrain: a fast, exact simulation core for Mexican Train and Super Train dominoes.

    >>> import mextrain
    >>> rules = mextrain.RuleSet.mexican(players=4)
    >>> rules.boneyard_size
    42

The public names are loaded when they are first used, so importing the package costs next to nothing; Numba and
pyarrow are imported only by the parts that need them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Every public name, under the module it lives in. Type checkers read the imports below, which a test compares
# with this table.
_NAMES = {
    "callbacks": ("Batch", "BatchPolicy", "Decision"),
    "determinization": ("WorldSampler", "determinize"),
    "errors": (
        "ArchiveError",
        "EngineError",
        "IllegalMove",
        "MextrainError",
        "MissingExtra",
        "MoveError",
        "PolicyError",
        "PositionError",
        "Problem",
        "RecordError",
        "RuleError",
        "SeedError",
        "TileError",
    ),
    "events": ("Event",),
    "histories": ("WorldCount", "count_worlds"),
    "information": ("information_key", "information_text"),
    "hands": ("HandSummary", "survey_hands"),
    "match": ("Match",),
    "moves": ("STOP", "Actions", "Move"),
    "observations": ("Layout", "observe"),
    "options": ("OPTIONS", "Option"),
    "planner": ("Plan", "plan"),
    "position": ("OpenDouble", "Position"),
    "records": ("RoundRecord", "replay"),
    "rules": ("RuleSet",),
    "simulation": ("Interrupted", "Simulation", "simulate", "survey"),
    "tile_probabilities": ("Beliefs", "beliefs"),
    "tiles": ("Tile", "TileSet"),
    "tournaments": ("Tournament", "tournament"),
    "warming": ("Warmup", "warmup"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

if TYPE_CHECKING:
    from mextrain.callbacks import Batch as Batch
    from mextrain.callbacks import BatchPolicy as BatchPolicy
    from mextrain.callbacks import Decision as Decision
    from mextrain.determinization import WorldSampler as WorldSampler
    from mextrain.determinization import determinize as determinize
    from mextrain.errors import ArchiveError as ArchiveError
    from mextrain.errors import EngineError as EngineError
    from mextrain.errors import IllegalMove as IllegalMove
    from mextrain.errors import MextrainError as MextrainError
    from mextrain.errors import MissingExtra as MissingExtra
    from mextrain.errors import MoveError as MoveError
    from mextrain.errors import PolicyError as PolicyError
    from mextrain.errors import PositionError as PositionError
    from mextrain.errors import Problem as Problem
    from mextrain.errors import RecordError as RecordError
    from mextrain.errors import RuleError as RuleError
    from mextrain.errors import SeedError as SeedError
    from mextrain.errors import TileError as TileError
    from mextrain.events import Event as Event
    from mextrain.hands import HandSummary as HandSummary
    from mextrain.hands import survey_hands as survey_hands
    from mextrain.histories import WorldCount as WorldCount
    from mextrain.histories import count_worlds as count_worlds
    from mextrain.information import information_key as information_key
    from mextrain.information import information_text as information_text
    from mextrain.match import Match as Match
    from mextrain.moves import STOP as STOP
    from mextrain.moves import Actions as Actions
    from mextrain.moves import Move as Move
    from mextrain.observations import Layout as Layout
    from mextrain.observations import observe as observe
    from mextrain.options import OPTIONS as OPTIONS
    from mextrain.options import Option as Option
    from mextrain.planner import Plan as Plan
    from mextrain.planner import plan as plan
    from mextrain.position import OpenDouble as OpenDouble
    from mextrain.position import Position as Position
    from mextrain.records import RoundRecord as RoundRecord
    from mextrain.records import replay as replay
    from mextrain.rules import RuleSet as RuleSet
    from mextrain.simulation import Interrupted as Interrupted
    from mextrain.simulation import Simulation as Simulation
    from mextrain.simulation import simulate as simulate
    from mextrain.simulation import survey as survey
    from mextrain.tile_probabilities import Beliefs as Beliefs
    from mextrain.tile_probabilities import beliefs as beliefs
    from mextrain.tiles import Tile as Tile
    from mextrain.tiles import TileSet as TileSet
    from mextrain.tournaments import Tournament as Tournament
    from mextrain.tournaments import tournament as tournament
    from mextrain.warming import Warmup as Warmup
    from mextrain.warming import warmup as warmup
else:
    # Hidden from type checkers, which would otherwise take every misspelt name for one that may exist.
    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'mextrain' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"mextrain.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
