"""The parts of the game as Python objects: tiles, options, rules, moves, events, seeds, the setup of a round.

Imports `errors` and `_support`.
"""
