"""The lockstep backend: 32 rounds step together, each in a 16-bit lane of vector registers.

The scalar backend is the reference: wherever ``player.accepts`` is true, ``player.Lockstep`` gives byte for byte the
results of ``rollout.play_games``, several times faster. ``flags`` has what is known at compile time, ``layout`` assigns
rows of memory, ``lanes`` has idioms of lane code. ``deal``, ``turn``, ``policy`` and ``wild`` (the set super) are the
rules, ``step`` is a turn as a part of a kernel, ``load`` copies a STATE struct into a lane, and ``player`` drives them
all.

Imports `bulk` and the rooms below it.
"""
