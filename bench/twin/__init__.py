"""The C twin: the same game written by hand in C with frozen rules, as a yardstick for speed and a third witness.

`load(preset, players)` builds it on demand and returns a `Twin`. What it plays is in twin.c.
"""

from bench.twin.build import Twin, TwinBuildError, load

__all__ = ["Twin", "TwinBuildError", "load"]
