"""Bulk play of rounds and matches: built-in policies, play-outs, games that wait for outside decisions, replay,
samples.

Imports `game`, `hidden`, `planner` and the rooms below them.
"""
