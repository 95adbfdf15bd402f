"""Many games in several processes: `python examples/processes.py [spawn|fork|forkserver]`.

Threads do the same with less overhead (`workers=None`); use processes if you already have a pool. Each process gets a
range of games and returns a summary, and summaries can be added. The pool runs a function of mextrain, which every
process can import, so this works from a file and in a notebook with any start method. (From standard input only `fork`
works: Python's other methods look for the file of the script.)
"""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import mextrain

GAMES, PARTS = 2000, 4


def main() -> None:
    """Play, and compare with the same games played here."""
    method = sys.argv[1] if len(sys.argv) > 1 else "spawn"
    rules = mextrain.RuleSet.mexican(players=4)
    # Compile once here, so that the new processes find the code on disk and do not all compile at the same time.
    mextrain.simulate(rules, games=1)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        step = GAMES // PARTS
        jobs = [
            pool.submit(mextrain.survey, rules, games=step, seed=1, first_game=first)
            for first in range(0, GAMES, step)
        ]
        first, *others = (job.result() for job in jobs)
    total = sum(others, first)
    assert total == mextrain.survey(rules, games=GAMES, seed=1)
    print(total)


# A new process imports this file, and must not start processes of its own.
if __name__ == "__main__":
    main()
