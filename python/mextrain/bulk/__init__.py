"""Many games: who plays the seats, which backend plays, results and statistics.

Imports `position` and the rooms below it.
"""
