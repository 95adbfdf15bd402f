"""Finds the C twin: the same game written by hand in C, the reference for speed (bench/twin in the source tree).

It is compiled on demand by the machine's C compiler. The wheel therefore includes its sources in `twin_sources` beside
this file; in a source tree they are in `bench/twin`.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from mextrain.errors import MextrainError
from mextrain.game.rules import RuleSet

HERE = Path(__file__).resolve()
PLACES = (HERE.parent / "twin_sources", HERE.parents[3] / "bench" / "twin")
"""Possible locations of the twin's sources: in an installed wheel, in a source tree."""


class NoTwin(MextrainError):
    """There is no C twin to compare with; the message says why and what to do."""


def load_twin(rules: RuleSet, policies: tuple[str, ...]) -> Any:
    """Return the twin that plays `rules` (`bench.twin.Twin`); the first use compiles it.

    Raises `NoTwin` for rules or policies that the twin does not support, and if it cannot be built.
    """
    if set(policies) != {"random"}:
        raise NoTwin("the C twin plays the policy random only")
    if rules != RuleSet.preset(rules.preset_name, players=rules.players):
        raise NoTwin("the C twin plays the presets without other options")
    builder = _builder()
    if rules.preset_name not in builder.PRESETS:
        raise NoTwin(f"the C twin plays the presets {' and '.join(builder.PRESETS)} only")
    try:
        return builder.load(rules.preset_name, rules.players)
    except builder.TwinBuildError as error:
        raise NoTwin(str(error)) from None


@cache
def _builder() -> ModuleType:
    """Return the module that builds the twin."""
    for place in PLACES:
        spec = importlib.util.spec_from_file_location("mextrain_twin_builder", place / "build.py")
        if spec is not None and spec.loader is not None and (place / "build.py").is_file():
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise NoTwin(f"the sources of the C twin are missing: expected them in {' or '.join(map(str, PLACES))}")
