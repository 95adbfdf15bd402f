"""Limits of the game and the special codes that everything else uses.

Everything is sized for the largest game (14 players, double-18), so that one layout of each struct and one compiled
kernel serve every rule set.
"""

MAX_PLAYERS = 14
MAX_TRAINS = MAX_PLAYERS + 1
"""Personal trains and the Mexican Train, which has index ``players``."""

MAX_HALVES = 19
"""Half codes 0 … 18; with the set super 13 is ``*`` and 14 … 18 are the letters."""

ROWS = 20
"""Rows of a hand matrix: MAX_HALVES rounded up, so that a hand is a multiple of 16 bytes."""

MAX_TILES = 190
TILE_WORDS = 3
"""64-bit words of a tile set: 190 tiles of double-18."""

WILD = 13
"""Half code of ``*`` in the set super."""

LETTER_A, LETTER_D, LETTER_R, LETTER_S, LETTER_T = 14, 15, 16, 17, 18

NONE = 255
"""Null in every 8-bit field: no tile, no train, no seat, no half."""

STOP = 0x3FFF
"""The 16-bit move ``stop``."""

MAX_ATTEMPTS = 1 << 16
"""A round has fewer attempts than this (docs/determinism.md); one that reaches it ends as FAULT, which is a bug."""

MAX_DECISIONS = 512
"""Plays and stops of one round never exceed this: at most 189 plays, at most one stop between two plays or draws."""
