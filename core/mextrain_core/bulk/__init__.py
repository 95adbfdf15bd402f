"""Many rounds and matches: built-in policies, playing to the end, waiting for decisions from outside, replay, samples.

Imports `game`, `hidden`, `planner` and the rooms below them.
"""
