"""Measures the speed of bulk play; `mextrain bench` prints the result (docs/performance.md).

* All backends play the same games, in turns, in the same processes: the scalar backend, the lockstep backend if it
  supports the rules, and the C twin if there is a compiler. Their result hashes must be equal.
* The clock is the CPU time of the playing thread, so a busy machine does not matter. With several workers it is the
  wall clock, because a shorter wall-clock time is the purpose of workers.
* The time is the minimum of several repeats in several processes. Every disturbance makes a run longer, and the
  placement of a process in memory costs vector code up to a fifth.
* Cold and warm are separate: the first call of each backend is timed separately, once with an empty cache of compiled
  code and once with a full one. The timed runs follow it.
* Nothing is left out: the times include dealing, every decision, scoring, and writing points and counts to memory.

`twin` finds the C twin, `backends` plays games by backend name, `child` measures in its own process, `runs` starts
those processes and takes the minima, `searching` times searches, `machine` describes the machine, `yardsticks` times
programs that never change, `saved` keeps a measurement and compares it with a new one, `report` formats the results for
people.

Imports `bulk` and the rooms below it.
"""

from mextrain.benchmark import report
from mextrain.benchmark.machine import environment
from mextrain.benchmark.runs import FULL, METHOD, QUICK, STANDARD, Effort, Job, Run, measure, starts

__all__ = ["FULL", "METHOD", "QUICK", "STANDARD", "Effort", "Job", "Run", "environment", "measure", "report", "starts"]
