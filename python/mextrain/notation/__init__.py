"""The text of a position in one line: what it says, how it is written, read and checked (docs/formats.md).

Imports `game` and the rooms below it.
"""
