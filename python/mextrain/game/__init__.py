"""The nouns of the game as Python objects: tiles, options, rules, moves, events, seeds, the set-up of a round.

Imports `errors` and `_support`.
"""
