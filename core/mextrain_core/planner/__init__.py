"""The best train of a hand: provably longest, heaviest, or with the fewest points left (docs/planner.md).

``graph`` says which tiles make a train, ``search`` finds the tiles to leave out, ``lay`` puts the rest in
playing order and counts the orders, ``batch`` plans the hands of many deals.

Imports `game` and the rooms below it.
"""
