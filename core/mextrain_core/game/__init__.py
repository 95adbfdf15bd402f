"""The rules of the game: dealing, legal plays, turns, points, the event log, invariants, perft.

Imports `compiler`, `model` and `compact`.
"""
