"""The rows of memory of 32 games, and of a pool of 32 dealt rounds.

A row has a 16-bit number for each of the 32 lanes. A *one-hot* number has one bit set: bit h stands for half h, bit s
for seat s, bit t for train t.

The rows of every rule set come first, at fixed numbers, because the driver reads them; ``Layout`` assigns the others. A
lane that starts a round copies the rows ``SEAT`` … ``Layout.rows - 1`` from a pool; the driver sets the streams of
random numbers.
"""

from functools import cache

import numpy as np

from mextrain_core.bulk.policies import CAUTIOUS, COUNTING
from mextrain_core.lockstep.flags import WILD_NUMBERS, Flags

STREAM_ROWS = 4
"""32 lanes of 64 bits. Word j of row q belongs to lane 4j + q, see ``lanes.next_words``."""

CHOICES = 0
"""Stream of the policy's words: key plus a multiple of the golden number, STREAM_ROWS rows."""
DRAWS = 4
"""Stream of the draws."""
SEAT = 8
"""Seat to move, one-hot."""
LEFT = 9
"""Tiles in the boneyard."""
TURNS, PLAYS, DECISIONS = 10, 11, 12
"""The same counts as in the scalar backend."""
POINTS = 13
"""One row for each seat: twice the pips in hand, plus 1 if it holds 0-0. So 0 means an empty hand."""

NO_AGE = 0xFFF0
"""No open double: ages from here on if the oldest is searched for; ages below 16 if the newest is."""

NO_MOVE = 0xFFFF
"""In the log: the lane had no decision."""

LOG_ROWS = 128
"""Steps that fit into the log of a block, in rows 1 … LOG_ROWS; row 0 is for moves that are not kept."""

DEALING = CHOICES
"""The stream of the deal, in a pool."""


WILD_BIT, LETTER_BIT = 1 << WILD_NUMBERS, 2 << WILD_NUMBERS
"""``*`` as a one-hot half, and a letter, which stands for all letters."""

WILD_VALUE = 10
"""Points of ``*`` and of each letter."""

LETTERS = "AAADRST"
"""The letters of the tiles with a letter, by index; bit i of a word of letters is tile i."""


def word_groups(halves: int) -> list[list[int]]:
    """The rows of the boneyard (high halves), packed into words of 16 bits in the order of tile indices.

    Tile {h, l} with l ≤ h is bit l of row h. Row h starts at bit ``h (h + 1) / 2 - f (f + 1) / 2`` of its word, where f
    is the first row of the word.
    """
    groups: list[list[int]] = []
    room = 0
    for high in range(halves):
        if high + 1 > room:
            groups.append([])
            room = 16
        groups[-1].append(high)
        room -= high + 1
    return groups


LOADED_ROWS = (
    "held", "owner", "bone", "off", "end", "age", "doubles", "fresh", "marked", "started", "opening_to_come",
    "same_turn", "opening", "chain", "cover", "drew", "letters", "letter_owner", "bonus", "penalty", "skips", "turned",
    "tiles",
)  # fmt: skip
"""Rows that are written from a STATE struct, in the order of ``Layout.table``."""


class Layout:
    """The row numbers for given flags."""

    def __init__(self, flags: Flags):
        self._next = POINTS + flags.players
        self.halves = flags.halves
        self.wild = bool(flags.wild)
        self.groups = word_groups(flags.halves)
        self.words = len(self.groups) + flags.wild
        self.seat_bits = (flags.players - 1).bit_length()
        self.tiles_with = [flags.halves] * flags.halves
        """Number of tiles of the set that show a half."""
        if flags.wild:
            self.tiles_with = [flags.halves] * WILD_NUMBERS + [flags.halves + len(LETTERS), len(LETTERS)]
        self.count_bits = max(self.tiles_with).bit_length()
        self.held = self._take(flags.halves)
        """Bit matrix of the tiles in all hands: bit l of row h is the tile {h, l}."""
        self.owner = self._take(self.seat_bits * flags.halves)
        """Bit z of the owner of each held tile; meaningless where ``held`` is 0."""
        self.bone = self._take(self.words)
        """The boneyard by ``word_groups``, and a word for the letters (``LETTERS``)."""
        self.off = self._take(self.count_bits)
        """Bit j of the number of tiles off the table that show a half; each half is a bit column."""
        self.end = self._take(flags.trains)
        """End of each train, one-hot."""
        nobody = flags.is_set("open_double_binds", "nobody")
        any_order = flags.is_set("open_double_order", "any")
        self.age = None if nobody or any_order else self._take(flags.trains)
        """Age of a train's open double: plays when it was laid << 4 | train, see NO_AGE."""
        self.no_double = NO_AGE if flags.is_set("open_double_order", "oldest") else 0
        self.doubles = self._take(1) if not nobody and any_order else None
        """Bit set: trains with an open double."""
        self.fresh = self._take(1)
        """Bit set: trains whose open double was laid in this turn."""
        self.marked = self._take(1)
        """Bit set: open trains."""
        self.started = self._take(1)
        """Bit set: trains on which a tile lies."""
        self.opening_to_come = self._take(1)
        """Bit set of seats."""
        self.same_turn = self._take(1)
        """0xFFFF: the next attempt belongs to the same turn as the previous one."""
        self.opening = self._take(1)
        """0xFFFF: this turn is the seat's opening turn."""
        self.chain = self._take(1) if flags.is_set("opening", "chain") else None
        """0xFFFF: the next play is another tile of the chain, so it is optional."""
        self.cover = self._take(1) if flags.is_set("double_rule", "cover") else None
        """Bit of the train of the double that the required play follows, or 0."""
        self.drew = self._take(1) if flags.is_set("draw_limit", "per_turn") else None
        """0xFFFF: the turn has drawn."""
        counts_tiles = flags.has_policy(CAUTIOUS) or flags.has_policy(COUNTING)
        self.tiles = self._take(flags.players) if counts_tiles else None
        """Number of tiles in each seat's hand, where a policy asks for it."""
        if flags.wild:
            self.letters = self._take(1)
            """Bit set of all tiles with a letter in some hand, as in LETTERS."""
            self.letter_owner = self._take(self.seat_bits)
            """Bit z of the owner of each of them."""
            self.bonus = self._take(1)
            """0xFFFF: the next play is the bonus play of a T."""
            self.penalty = self._take(1)
            """0xFFFF: a D was laid: the next seat that acts draws."""
            self.skips = self._take(1)
            """0xFFFF: an S was laid in this turn."""
            self.turned = self._take(1)
            """0xFFFF: the direction of play is reversed."""
        self.rows = self._next
        """Number of rows of 32 games; a lane takes over the rows below this from a pool."""
        self.engine = self._take(1)
        """One-hot engine of the round to deal."""
        self.before = self._take(self.words)
        """The boneyard before the seat's picks."""
        self.upto = self._take(self.words)
        """Number of members of the boneyard in this word and those before it."""
        self.owner_words = self._take(self.seat_bits * self.words)
        """Bit z of the owner of each dealt tile, by ``word_groups``."""
        self.random = self._take(4)
        """The current word of the stream: upper and lower half of its upper 32 bits, then of its lower 32 bits."""
        self.pool_rows = self._next

    def value(self, half: int) -> int:
        """Points of a half of the matrix."""
        return WILD_VALUE if self.wild and half == WILD_NUMBERS else half

    @property
    def table(self) -> np.ndarray:
        """Table for loading a STATE struct: uint64, first the row number of each of LOADED_ROWS (0: there is none).

        Then follow the numbers of halves, of bits of a seat, of bits of a count and of words of the boneyard; the age
        that stands for no double; and the index of the first tile of each word, then one past the last tile.
        """
        rows = [getattr(self, name, None) or 0 for name in LOADED_ROWS]
        starts = [group[0] * (group[0] + 1) // 2 for group in self.groups]
        starts.append(self.halves * (self.halves + 1) // 2)
        if self.wild:
            starts.append(starts[-1] + len(LETTERS))
        numbers = [self.halves, self.seat_bits, self.count_bits, self.words, self.no_double, *starts]
        return np.array([*rows, *numbers], np.uint64)

    def _take(self, count: int) -> int:
        first = self._next
        self._next += count
        return first


@cache
def layout(flags: Flags) -> Layout:
    """The layout for the flags."""
    return Layout(flags)
