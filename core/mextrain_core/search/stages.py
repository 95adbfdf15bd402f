"""Between the stages of a flat search: which moves go on, and which one is chosen in the end.

All moves that are still in the search have been tried in the same worlds, so they can be compared world by world.
"""

import numpy as np

from mextrain_core.compiler.jit import helper, kernel

f64 = np.float64


@helper
def leader(sums, live):
    """The live move of highest mean utility; of equal ones, the first in ``live``."""
    best = live[0]
    for a in range(1, len(live)):
        if sums.less[live[a], live[0]] > sums.less[best, live[0]]:
            best = live[a]
    return best


@helper
def behind(sums, best, move, worlds):
    """By how much ``move`` is behind ``best`` in one world, and the standard error (float64)."""
    n = f64(worlds)
    less, squares = f64(sums.less[best, move]), f64(sums.less_squares[best, move])
    mean = less / n
    spread = max(squares - less * mean, 0.0)
    return mean, np.sqrt(spread / (n * max(n - 1.0, 1.0)))


@kernel
def narrow(sums, live, worlds, drop, incumbent, stand):
    """Move the moves that go on to the front of ``live`` (int64); returns their number.

    A move is dropped that is behind the best by more than ``drop`` (float64) errors, or whose result was the same as
    that of the best in every world. ``incumbent``: a move that only goes if it is behind by more than ``stand`` errors;
    -1: none.
    """
    best = leader(sums, live)
    count = 0
    for a in range(len(live)):
        move = live[a]
        mean, error = behind(sums, best, move, worlds)
        is_near = mean <= drop * error and sums.less_squares[best, move] != 0
        if move == best or is_near or (move == incumbent and mean <= stand * error):
            live[count] = move
            count += 1
    return count


@kernel
def choose_move(sums, live, worlds, incumbent, stand):
    """The move (index) to make: the best, but the live ``incumbent`` if it is behind by at most ``stand`` errors."""
    best = leader(sums, live)
    for a in range(len(live)):
        if live[a] == incumbent and worlds > 0:
            mean, error = behind(sums, best, incumbent, worlds)
            if mean <= stand * error:
                return incumbent
    return best
