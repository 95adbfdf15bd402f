"""How long the host waits for bots, and what it does about one that fails."""

from __future__ import annotations

from dataclasses import dataclass

ON_FAULT = ("stop", "forfeit")
"""What a fault does: it ends the run with an error, or `random` plays the seat of the bot for the rest of the game."""


@dataclass
class Limits:
    """The settings of this process. `milliseconds`: time for a decision. `on_fault`: one of `ON_FAULT`."""

    milliseconds: int = 5000
    on_fault: str = "stop"


LIMITS = Limits()
"""What hosts in this process use; the command line sets it from its flags."""

START_SECONDS = 10.0
"""Seconds until a new bot must have answered `ready`."""

END_SECONDS = 1.0
"""Seconds that a bot has to end by itself after `quit`."""

MAX_LINE = 1 << 16
"""The most bytes of a line from a bot."""
