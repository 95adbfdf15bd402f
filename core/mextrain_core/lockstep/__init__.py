"""Many games per vector register: 32 rounds step together, each in a 16-bit lane.

The scalar engine is the truth: for everything that ``engine.accepts`` admits, ``engine.Lockstep`` gives the bytes of
``rollout.play_games``, several times faster. ``flags`` says what is frozen while a kernel is compiled, ``layout`` which
row of memory holds what, ``lanes`` has the idioms of lane code. ``deal``, ``turn``, ``policy`` and ``wild`` (the set
super) are the rules, ``step`` is the turn as a part of a kernel, ``load`` makes a lane of a STATE record, and
``engine`` drives it all.

Imports `bulk` and the rooms below it.
"""
