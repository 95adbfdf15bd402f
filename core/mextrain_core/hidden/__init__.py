"""What a seat sees, what it can infer from the public events, and where the hidden tiles can be.

Imports `game` and the rooms below it.
"""
