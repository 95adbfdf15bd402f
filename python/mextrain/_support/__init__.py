"""Helpers that do not depend on the game: integer arguments, large arrays, files, processors, optional libraries.

Imports `errors`.
"""
