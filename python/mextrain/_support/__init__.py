"""Helpers that do not depend on the game: integer arguments, files, processors, optional libraries.

Imports `errors`.
"""
