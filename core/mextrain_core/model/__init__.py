"""What a game is made of: limits, tiles, options, the RULES and STATE structs, moves, random words, bit sets.

Imports `compiler`.
"""
