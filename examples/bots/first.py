"""Plays the first legal move. Run with: python first.py"""

import sys

for line in sys.stdin:
    words = line.split()
    if words[0] == "mextrain-bot":
        print("ready name first-python", flush=True)
    elif words[0] == "decide":
        print("play", words[words.index("legal") + 1], flush=True)
    elif words[0] == "quit":
        break
