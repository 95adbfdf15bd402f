"""Helpers that know nothing of the game: integer arguments, files, processors, optional libraries.

Imports `errors`.
"""
