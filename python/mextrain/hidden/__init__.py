"""Hidden information: a seat's knowledge, observations, samples of the hidden tiles, exact counts, probabilities.

Imports `position`, `records` and the rooms below them.
"""
