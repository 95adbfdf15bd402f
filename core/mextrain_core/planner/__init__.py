"""The best train of a hand: provably longest, heaviest, or with the fewest points left (docs/planner.md).

``graph`` defines which tiles make a train, ``search`` finds the tiles to leave out, ``order`` puts the others in
playing order, ``counting`` counts the best trains, and ``batch`` plans the hands of many deals.

Imports `game` and the rooms below it.
"""
