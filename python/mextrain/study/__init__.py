"""Studies of the game: best trains, tournaments between policies, statistics of first hands.

Imports `bulk` and the rooms below it.
"""
