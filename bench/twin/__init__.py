"""The C twin: the same game written by hand in C with fixed rules, as a yardstick for speed and a check of the rules.

`load(preset, players)` builds it on demand and returns a `Twin`. The game is in twin.c.
"""

from bench.twin.build import Twin, TwinBuildError, load

__all__ = ["Twin", "TwinBuildError", "load"]
