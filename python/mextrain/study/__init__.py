"""Studies of the game: best trains, search at a position, tournaments, rules compared, statistics of first hands.

Imports `bulk` and the rooms below it.
"""
