"""The lockstep backend: 32 rounds step together, each in a 16-bit lane of vector registers.

The scalar backend is the truth: for everything that ``backend.accepts`` admits, ``backend.Lockstep`` gives the bytes of
``rollout.play_games``, several times faster. ``flags`` says what is known while a kernel is compiled, ``layout`` which
row of memory holds what, ``lanes`` has the idioms of lane code. ``deal``, ``turn``, ``policy`` and ``wild`` (the set
super) are the rules, ``step`` is the turn as a part of a kernel, ``load`` makes a lane of a STATE struct, and
``backend`` drives it all.

Imports `bulk` and the rooms below it.
"""
