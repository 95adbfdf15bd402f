"""Many games on several processes: `python examples/processes.py [spawn|fork|forkserver]`.

Threads do the same with less (`workers=None`); processes are for pools that exist anyway. Each gets a range of games
and returns a summary, and summaries add up. What runs in the pool is mextrain's own function, which every process can
import, so this works from a file and in a notebook, whatever the start method. (From standard input only `fork` does:
Python's other methods look for the file of the script.)
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
    # Compiles once, so that the new processes find the code on disk and do not all compile it at the same time.
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
