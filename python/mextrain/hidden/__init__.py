"""Hidden information: what a seat knows, observations, samples of what it cannot see, exact counts, probabilities.

Imports `position`, `records` and the rooms below them.
"""
