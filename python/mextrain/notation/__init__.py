"""Positions as one line of text: the format, and how lines are written, read and checked (docs/formats.md).

Imports `game` and the rooms below it.
"""
