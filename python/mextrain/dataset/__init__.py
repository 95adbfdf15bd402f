"""Data sets from archives: replayed decisions in shuffled batches for learners, or as a table for people.

docs/archive.md shows both.

Imports `archive`, `hidden` and the rooms below them.
"""

from mextrain.dataset.batch import DecisionBatch
from mextrain.dataset.reader import DecisionDataset
from mextrain.dataset.table import decision_table

__all__ = ["DecisionBatch", "DecisionDataset", "decision_table"]
