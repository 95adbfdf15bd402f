"""Questions that people ask the engine: best trains, tournaments of policies, statistics of first hands.

Imports `bulk` and the rooms below it.
"""
