"""Which search plays a method."""

from __future__ import annotations

from typing import Protocol

from mextrain.game.rules import RuleSet
from mextrain.searches.bench import Knowledge
from mextrain.searches.flat import FlatSearch
from mextrain.searches.outcome import Outcome
from mextrain.searches.settings import Settings
from mextrain.searches.tree import TreeSearch


class Searcher(Protocol):
    """A search for one set of rules, which holds its memory between decisions. One thread uses it at a time."""

    def run(self, knowledge: Knowledge, seed: int) -> Outcome:
        """Search at the decision of a seat; `seed` decides everything that is random."""
        ...


def searcher(rules: RuleSet, settings: Settings) -> Searcher:
    """Return the search that the settings ask for."""
    return TreeSearch(rules, settings) if settings.method == "tree" else FlatSearch(rules, settings)
