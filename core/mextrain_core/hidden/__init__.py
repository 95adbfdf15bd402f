"""What a seat sees, what it can infer from the public events, and how the hidden tiles may lie.

Imports `game` and the rooms below it.
"""
