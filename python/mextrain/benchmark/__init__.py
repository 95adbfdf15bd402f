"""How fast bulk play is, measured honestly; `mextrain bench` prints it (docs/performance.md).

* All backends play the same games, in turns, in the same processes: the scalar backend, the lockstep backend where it
  serves the rules, and the C twin where there is a compiler. Their result hashes must be equal.
* The clock is the CPU time of the playing thread, so a busy machine does not matter; with several workers it is the
  wall clock, because that is what they are for.
* The time is the smallest of several repeats in several processes: everything that disturbs a run makes it longer, and
  where a process happens to lie in memory costs vector code up to a fifth.
* Cold and warm apart: the first call of each backend is timed by itself, once with an empty cache of compiled code and
  once with a full one; the timed runs come after it.
* Nothing is left out: dealing, every decision, scoring, and the writing of points and counts to memory are in it.

`twin` finds the C twin, `backends` plays games by name, `child` measures in a process of its own, `runs` starts those
and takes the minima, `machine` says where it was, `report` is for people.

Imports `bulk` and the rooms below it.
"""

from mextrain.benchmark import report
from mextrain.benchmark.machine import environment
from mextrain.benchmark.runs import FULL, METHOD, QUICK, STANDARD, Effort, Job, Run, measure, starts

__all__ = ["FULL", "METHOD", "QUICK", "STANDARD", "Effort", "Job", "Run", "environment", "measure", "report", "starts"]
