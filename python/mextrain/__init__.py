"""mextrain: a fast, exact simulation core for Mexican Train and Super Train dominoes.

    >>> import mextrain
    >>> rules = mextrain.RuleSet.mexican(players=4)
    >>> rules.boneyard_size
    42

The public names are loaded on first use, so importing the package is almost free; Numba and pyarrow are imported only
by the parts that need them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mextrain_core.compiler.forks import undivided

__version__ = "0.1.0"

# Every public name, by the module that defines it. Type checkers read the imports below; a test compares them with
# this table.
_NAMES = {
    "bulk.callbacks": ("Batch", "BatchPolicy", "Decision"),
    "bulk.simulate": ("Interrupted", "Simulation", "simulate", "survey"),
    "env.batch": ("BatchEnv",),
    "errors": (
        "ArchiveError",
        "InternalError",
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
    "game.events": ("Event",),
    "game.moves": ("STOP", "Actions", "Move"),
    "game.options": ("OPTIONS", "Option"),
    "game.rules": ("RuleSet",),
    "game.tiles": ("Tile", "TileSet"),
    "hidden.beliefs": ("Beliefs", "beliefs"),
    "hidden.exact": ("WorldCount", "count_worlds"),
    "hidden.knowledge": ("information_key", "information_text"),
    "hidden.observation": ("Layout", "observe"),
    "hidden.sampler": ("WorldSampler", "determinize"),
    "match": ("Match",),
    "position": ("OpenDouble", "Position"),
    "precompile": ("Warmup", "warmup"),
    "records": ("RoundRecord", "replay"),
    "searches.result": ("MoveResult", "SearchResult"),
    "study.analysis": ("Analysis", "analyse"),
    "study.comparison": ("RuleComparison", "compare_rules"),
    "study.hands": ("HandSummary", "survey_hands"),
    "study.planner": ("Plan", "plan"),
    "study.search": ("search",),
    "study.standings": ("Tournament",),
    "study.stopping": ("StopRule",),
    "study.tournament": ("resume_tournament", "tournament"),
    "web.page": ("Page", "replay_page"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:
    from mextrain.bulk.callbacks import Batch as Batch
    from mextrain.bulk.callbacks import BatchPolicy as BatchPolicy
    from mextrain.bulk.callbacks import Decision as Decision
    from mextrain.bulk.simulate import Interrupted as Interrupted
    from mextrain.bulk.simulate import Simulation as Simulation
    from mextrain.bulk.simulate import simulate as simulate
    from mextrain.bulk.simulate import survey as survey
    from mextrain.env.batch import BatchEnv as BatchEnv
    from mextrain.errors import ArchiveError as ArchiveError
    from mextrain.errors import IllegalMove as IllegalMove
    from mextrain.errors import InternalError as InternalError
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
    from mextrain.game.events import Event as Event
    from mextrain.game.moves import STOP as STOP
    from mextrain.game.moves import Actions as Actions
    from mextrain.game.moves import Move as Move
    from mextrain.game.options import OPTIONS as OPTIONS
    from mextrain.game.options import Option as Option
    from mextrain.game.rules import RuleSet as RuleSet
    from mextrain.game.tiles import Tile as Tile
    from mextrain.game.tiles import TileSet as TileSet
    from mextrain.hidden.beliefs import Beliefs as Beliefs
    from mextrain.hidden.beliefs import beliefs as beliefs
    from mextrain.hidden.exact import WorldCount as WorldCount
    from mextrain.hidden.exact import count_worlds as count_worlds
    from mextrain.hidden.knowledge import information_key as information_key
    from mextrain.hidden.knowledge import information_text as information_text
    from mextrain.hidden.observation import Layout as Layout
    from mextrain.hidden.observation import observe as observe
    from mextrain.hidden.sampler import WorldSampler as WorldSampler
    from mextrain.hidden.sampler import determinize as determinize
    from mextrain.match import Match as Match
    from mextrain.position import OpenDouble as OpenDouble
    from mextrain.position import Position as Position
    from mextrain.precompile import Warmup as Warmup
    from mextrain.precompile import warmup as warmup
    from mextrain.records import RoundRecord as RoundRecord
    from mextrain.records import replay as replay
    from mextrain.searches.result import MoveResult as MoveResult
    from mextrain.searches.result import SearchResult as SearchResult
    from mextrain.study.analysis import Analysis as Analysis
    from mextrain.study.analysis import analyse as analyse
    from mextrain.study.comparison import RuleComparison as RuleComparison
    from mextrain.study.comparison import compare_rules as compare_rules
    from mextrain.study.hands import HandSummary as HandSummary
    from mextrain.study.hands import survey_hands as survey_hands
    from mextrain.study.planner import Plan as Plan
    from mextrain.study.planner import plan as plan
    from mextrain.study.search import search as search
    from mextrain.study.standings import Tournament as Tournament
    from mextrain.study.stopping import StopRule as StopRule
    from mextrain.study.tournament import resume_tournament as resume_tournament
    from mextrain.study.tournament import tournament as tournament
    from mextrain.web.page import Page as Page
    from mextrain.web.page import replay_page as replay_page
else:
    # Hidden from type checkers: otherwise they would assume that every misspelt name exists.
    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'mextrain' has no attribute {name!r}{_hint(name)}")
        with undivided():
            value = getattr(importlib.import_module(f"mextrain.{home}"), name)
        globals()[name] = value
        return value


def _hint(name: str) -> str:
    """Return a hint at the name that was probably meant by a misspelt one."""
    if name.startswith("_"):
        return ""  # Tools ask every module for such names.
    import difflib

    lower = {known.lower(): known for known in _HOMES}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    return f"; did you mean {lower[near[0]]}?" if near else ""


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
