"""Sheds the most points, and chooses among equal plays by the random word of the decision. Run with: python heavy.py"""

import sys


def points(half: str) -> int:
    """The points of a half: 10 for a red train, a letter counts as one."""
    return int(half) if half.isdigit() else 10


def value(move: str) -> int:
    """The points of the tile that a move lays; stopping sheds nothing."""
    return -1 if move == "stop" else sum(map(points, move.partition("@")[0].split("-")))


for line in sys.stdin:
    words = line.split()
    if words[0] == "mextrain-bot":
        print("ready name heavy", flush=True)
    elif words[0] == "decide":
        word = int(words[words.index("word") + 1], 16)
        legal = words[words.index("legal") + 1 :]
        best = max(map(value, legal))
        choices = [move for move in legal if value(move) == best]
        print("info value", choices[0], best, flush=True)
        print("play", choices[(word >> 32) * len(choices) >> 32], flush=True)
    elif words[0] == "quit":
        break
