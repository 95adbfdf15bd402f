"""Many games per vector register (floor 9): 32 rounds step together, each in a 16-bit lane.

The scalar engine is the truth: for everything that ``accepts`` admits, ``play_games`` gives the bytes of
``rollout.play_games``, several times faster. ``flags`` says what is frozen while a kernel is compiled, ``layout`` which
row of memory holds what, ``lanes`` has the idioms of lane code, ``deal`` and ``step`` are the rules, and ``engine``
drives them.
"""

from mextrain_core.lockstep.engine import accepts, play_games

__all__ = ["accepts", "play_games"]
