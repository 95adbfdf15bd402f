"""The options of the rules: one table of names, values, defaults and meanings (docs/rules.md, section 11).

Everything that lists, checks or explains options reads `OPTIONS`; the kernels hold the same values in the same
order, and a test compares the two. How options depend on each other is the business of `mextrain.game.rules`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mextrain.errors import TileError
from mextrain.game.tiles import MAX_NUMBER, WILD, Tile
from mextrain_core.model.limits import MAX_PLAYERS, MAX_TILES
from mextrain_core.model.tiles import SET_NAMES

PRESETS = ("mexican", "super")
"""The names of the presets: seed rules of Mexican Train and of Super Train."""

MAX_DOUBLE_BLANK = 1_000_000_000
"""The most that 0-0 may count, so that the points of a match stay far inside 64 bits."""

BY_PLAYERS = "by players"
HIGHEST = "highest double"
ALL_ROUNDS = "all"
"""Descriptions of defaults that follow from other options; they are shown, but never accepted as values."""

_DOUBLES = (*(f"{n}-{n}" for n in range(MAX_NUMBER + 1)), f"{WILD}-{WILD}")


@dataclass(frozen=True)
class Option:
    """One option: what it accepts, what the presets choose, and what it means.

    `words` are its named values, `whole` the inclusive range of its numbers (None: it takes no number), `none`
    whether None is a value. `mexican` and `super` are the defaults; a default that follows from other options is
    described in words. `meaning` is one line, `section` where docs/rules.md has the details.
    """

    name: str
    meaning: str
    section: str
    mexican: str | int | None
    super: str | int | None
    words: tuple[str, ...] = ()
    whole: tuple[int, int] | None = None
    none: bool = False

    def default(self, preset: str) -> str | int | None:
        """The default of `preset`, or its description in words."""
        return self.super if preset == "super" else self.mexican

    @property
    def accepted(self) -> str:
        """What the option takes, as a text for people."""
        if self.name == "tile_set":
            words = ["double-1 … double-18", "super"]
        elif self.name == "first_engine":
            words = ["a double such as 5-5 or *-*"]
        else:
            words = list(self.words)
        if self.none:
            words.append("none")
        if self.whole is not None:
            low, high = self.whole
            words.append(f"{low}" if low == high else f"a whole number {low} … {high:,}")
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is one of the option's values; types are exact, so True is not 1."""
        if value is None:
            return self.none
        if type(value) is int:
            return self.whole is not None and self.whole[0] <= value <= self.whole[1]
        return type(value) is str and value in self.words

    def parse(self, text: str) -> str | int | None:
        """Return the value that `text` writes on a command line; whether it is accepted is checked elsewhere."""
        if self.none and text == "none":
            return None
        if self.name == "first_engine":
            try:
                return str(Tile.parse(text))
            except TileError:
                return text
        # 18 digits are more than any option takes and less than Python refuses to convert.
        if self.whole is not None and re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        return text


_TABLE = (
    Option(
        "players", "seats at the table", "3", BY_PLAYERS, BY_PLAYERS, whole=(2, MAX_PLAYERS)
    ),
    Option(
        "tile_set",
        "the tiles; by default those that the preset takes for so many players",
        "2, 3", BY_PLAYERS, "super", words=SET_NAMES,
    ),
    Option(
        "hand_size",
        "tiles dealt to each seat; players × hand_size + 1 must fit the set",
        "3", BY_PLAYERS, BY_PLAYERS, whole=(1, MAX_TILES),
    ),
    Option("first_engine", "the double that starts round 0", "3", HIGHEST, HIGHEST, words=_DOUBLES),
    Option(
        "rounds",
        "rounds of a match, counted from first_engine downwards",
        "3", ALL_ROUNDS, ALL_ROUNDS, whole=(1, MAX_NUMBER + 1),
    ),
    Option(
        "starter",
        "who starts a round: drawn, in rotation, the winner of the last round, or a fixed seat",
        "3", "draw", "draw", words=("draw", "rotate", "winner"), whole=(0, MAX_PLAYERS - 1),
    ),
    Option(
        "opening",
        "the opening turn: a chain of tiles on the own train, or a single tile",
        "8", "chain", "single", words=("chain", "single"),
    ),
    Option(
        "mexican_start",
        "when the Mexican Train may be used, or started",
        "5, 8", "after_opening", "after_opening",
        words=("after_opening", "any_turn", "only_if_stuck", "after_own_train"),
    ),
    Option(
        "drawn_tile",
        "where a tile drawn for want of a play may be played at once",
        "6", "anywhere", "anywhere", words=("anywhere", "own_train"),
    ),
    Option(
        "draw_limit",
        "whether each required play may draw once, or each turn",
        "6", "per_play", "per_play", words=("per_play", "per_turn"),
    ),
    Option(
        "drawn_play",
        "whether a drawn tile that fits must be played, or may be kept",
        "6", "must", "must", words=("must", "may"),
    ),
    Option(
        "failed_cover",
        "whether the tile drawn for want of a cover may cover, or the train opens in any case",
        "7", "play_drawn", "play_drawn", words=("play_drawn", "mark"),
    ),
    Option(
        "double_rule",
        "where the play after a double goes: anywhere, on that double, or three toes on it before all else",
        "7", "anywhere", "anywhere", words=("anywhere", "cover", "chicken_foot"),
    ),
    Option(
        "foot_ends",
        "ends of a finished chicken foot: all three toes, or the last one laid (no effect without feet)",
        "11", "all", "all", words=("all", "center"),
    ),
    Option(
        "open_double_order",
        "which of several inherited open doubles may be covered (no effect with chicken feet)",
        "7", "oldest", "oldest", words=("oldest", "newest", "any"),
    ),
    Option(
        "open_double_binds",
        "whom a double binds that is still open after its turn (no effect with chicken feet)",
        "7", "everyone", "everyone", words=("everyone", "nobody"),
    ),
    Option(
        "max_uncovered",
        "how many of a turn's own doubles may stay open before one must be covered (no effect with chicken feet)",
        "7", None, 1, whole=(1, 1), none=True,
    ),
    Option(
        "dead_double",
        "whether a double that no tile can join any more is released at once, or binds while there are tiles to draw",
        "7", "released", "released", words=("released", "binds"),
    ),
    Option(
        "finish_on_double",
        "whether a double as last tile ends the round, or must be covered first",
        "6, 9", "ends", "ends", words=("ends", "must_cover"),
    ),
    Option(
        "marker_off",
        "which plays close the own train again",
        "6", "own_train", "own_train", words=("own_train", "any_play"),
    ),
    Option("double_blank", "points of 0-0 in a hand", "9", 0, 0, whole=(0, MAX_DOUBLE_BLANK)),
    Option(
        "letter_match",
        "what a letter joins besides the red train (matters with the set super)",
        "4", "train_only", "train_only", words=("train_only", "same_letter", "any_letter", "anywhere"),
    ),
    Option(
        "twice_bonus",
        "whether the bonus play of *-T must be made, or may be left out (matters with the set super)",
        "6", "must", "must", words=("must", "may"),
    ),
)  # fmt: skip

OPTIONS: dict[str, Option] = {option.name: option for option in _TABLE}
"""All options by name, in the order of docs/rules.md, section 11."""

PLAYERS_TABLE: dict[str, dict[int, tuple[str, int]]] = {
    "mexican": {
        **dict.fromkeys((2, 3), ("double-9", 8)),
        **dict.fromkeys((4, 5, 6), ("double-12", 12)),
        **dict.fromkeys((7, 8), ("double-12", 10)),
        **dict.fromkeys((9, 10, 11, 12), ("double-15", 11)),
        **dict.fromkeys((13, 14), ("double-18", 11)),
    },
    "super": {
        players: ("super", hand)
        for players, hand in enumerate((25, 23, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 6), start=2)
    },
}
"""Tile set and hand size by preset and number of players (docs/rules.md, section 3)."""
