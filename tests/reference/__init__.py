"""The slow reference of the game: docs/rules.md, docs/determinism.md and docs/actions.md as plain Python.

It imports only the standard library, so everything that is compared with it was written twice.
"""

from .match import Match, play_match, play_out, play_round
from .options import Rules
from .replay import RecordFault, first_fault, record_of, replay
from .rulebook import Round

__all__ = [
    "Match",
    "RecordFault",
    "Round",
    "Rules",
    "first_fault",
    "play_match",
    "play_out",
    "play_round",
    "record_of",
    "replay",
]
