"""The RULES struct: one small field per option of docs/rules.md section 11, and the tables of the tile set.

Rules are data: one compiled kernel serves all rule sets and reads the fields at run time. Nothing is validated here;
``mextrain.RuleSet`` does that and passes a complete mapping.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mextrain_core.model.limits import LETTER_A, MAX_HALVES, MAX_TILES, NONE, ROWS, TILE_WORDS, WILD
from mextrain_core.model.options import CODE, NUMBER, SET_NAMES, TABLE, code
from mextrain_core.model.tiles import tables

OPTION_CODES: dict[str, tuple[str, ...]] = {name: row.words for name, row in TABLE.items() if row.fills == CODE}
"""Options with named values: the index of a value is its code in the struct."""

USUAL: dict[str, int] = {name: 0 for name in OPTION_CODES if name not in ("opening", "tie_break", "engine_hunt")}
"""The fields that `mexican` and `super` share; options that cost next to no time are left out."""
USUAL["together"] = 0
USUAL_PLAIN = {**USUAL, "wild": NONE, "plain": 1, "max_uncovered": 0}
USUAL_SUPER = {**USUAL, "wild": WILD, "plain": 0}
VARIED = (
    "mexican_start", "draw_limit", "drawn_play", "double_rule", "finish_on_double", "engine_from", "own_train_first",
    "together",
)  # fmt: skip
"""Of USUAL, the fields in which printed rule sets differ."""
USUAL_PRINTED = {**{name: 0 for name in USUAL if name not in VARIED}, "wild": NONE, "plain": 1}
"""The fields that the presets with number sets share."""

ANY_TURN, ONLY_IF_STUCK = code("mexican_start", "any_turn"), code("mexican_start", "only_if_stuck")
AFTER_OWN_TRAIN = code("mexican_start", "after_own_train")
AFTER_ALL_TRAINS, NEVER = code("mexican_start", "after_all_trains"), code("mexican_start", "never")
COVER, CHICKEN_FOOT = code("double_rule", "cover"), code("double_rule", "chicken_foot")
NO_DUTY = code("double_rule", "none")
OWN_FIRST_ALL = code("own_train_first", "all")
OLDEST, ANY_ORDER = code("open_double_order", "oldest"), code("open_double_order", "any")
UP = code("engine_order", "up")
SET_ASIDE, TOGETHER = code("engine_from", "set_aside"), code("engine_hunt", "together")
HIGHEST = code("engine_from", "highest")
"""With this value of ``engine_from`` and those after it, the deal decides which double is the engine."""

STARTERS = TABLE["starter"].words
STARTER_DRAW, STARTER_ROTATE, STARTER_WINNER = (STARTERS.index(word) for word in ("draw", "rotate", "winner"))
STARTER_FIXED = len(STARTERS)
"""The code of ``starter`` if it names a seat."""

_FIELDS = np.dtype(
    [
        ("players", np.uint8),  # number of seats
        ("halves", np.uint8),  # half codes in use: n + 1, or 19 in super
        ("wild", np.uint8),  # 13 in super, else NONE
        ("hand_size", np.uint8),  # tiles dealt to a seat
        ("tiles", np.uint8),  # tiles of the set, the engine included
        ("tile_set", np.uint8),  # index in options.SET_NAMES
        ("first_engine", np.uint8),  # half code
        ("rounds", np.uint8),  # rounds of a match
        ("starter", np.uint8),  # STARTER_ code
        ("starter_seat", np.uint8),  # seat, for STARTER_FIXED; else NONE
        *((name, np.uint8) for name in OPTION_CODES),
        ("max_uncovered", np.uint8),  # 0 = none
        ("plain", np.uint8),  # 1: a number set with one end per train, so one row of a hand has the plays on a train
        ("together", np.uint8),  # 1: the option opening is together, else 0
        ("double_blank", np.uint32),  # points of 0-0
        ("action_count", np.uint16),  # size of the action space
        ("pairs", np.uint16),  # K: ordered (touch, new) pairs
        ("set_words", np.uint64, TILE_WORDS),  # bit set of all tiles by index
        ("join", np.uint32, ROWS),  # bit t of join[e]: half t may be laid on end e
        ("off", np.uint8, ROWS),  # tiles of the set that show a half
        ("half_points", np.uint8, ROWS),  # points of a half
        ("hi", np.uint8, MAX_TILES),  # higher half by tile index
        ("lo", np.uint8, MAX_TILES),  # lower half by tile index
        ("place", np.uint16, ROWS * ROWS),  # dense rank of touch * ROWS + new
        ("pair", np.uint16, MAX_HALVES * MAX_HALVES),  # touch << 5 | new by rank
    ],
    align=True,
)
RULES = np.dtype((np.record, _FIELDS))


def _join_masks(halves: int, wild: int, letter_match: str) -> np.ndarray:
    """Which halves may be laid on an end: uint32[ROWS] by end (docs/rules.md section 4, option ``letter_match``)."""
    join = np.zeros(ROWS, np.uint32)
    if wild == NONE:
        for half in range(halves):
            join[half] = 1 << half
        return join
    letters = sum(1 << letter for letter in range(LETTER_A, MAX_HALVES))
    every_letter = letter_match in ("any_letter", "anywhere")
    for number in range(WILD):
        join[number] = 1 << number | 1 << WILD | (letters if letter_match == "anywhere" else 0)
    join[WILD] = (1 << MAX_HALVES) - 1
    for letter in range(LETTER_A, MAX_HALVES):
        same = 1 << letter if letter_match == "same_letter" else 0
        join[letter] = 1 << WILD | (letters if every_letter else same)
    return join


def encode(options: Mapping[str, Any]) -> np.ndarray:
    """The RULES struct of a complete option mapping (names and values of docs/rules.md section 11): shape (1,)."""
    table = tables(options["tile_set"])
    out = np.zeros(1, RULES)
    rules = out[0]
    rules["halves"] = table.halves
    rules["wild"] = table.wild
    rules["tiles"] = table.size
    rules["tile_set"] = SET_NAMES.index(table.name)
    rules["first_engine"] = table.half_names.index(options["first_engine"].split("-")[0])
    starter = options["starter"]
    fixed = isinstance(starter, int)
    rules["starter"] = STARTER_FIXED if fixed else STARTERS.index(starter)
    rules["starter_seat"] = starter if fixed else NONE
    for name, row in TABLE.items():
        if row.fills == CODE:
            rules[name] = row.words.index(options[name])
        elif row.fills == NUMBER:
            rules[name] = options[name] or 0
    rules["plain"] = table.wild == NONE and options["double_rule"] != "chicken_foot"
    rules["together"] = options["opening"] == "together"
    rules["pairs"] = len(table.pairs)
    rules["action_count"] = (options["players"] + 1) * len(table.pairs) + 1
    every_tile = (1 << table.size) - 1
    for word in range(TILE_WORDS):
        rules["set_words"][word] = (every_tile >> (64 * word)) & (2**64 - 1)
    rules["join"] = _join_masks(table.halves, table.wild, options["letter_match"])
    rules["off"] = table.off
    rules["half_points"] = table.half_points
    rules["hi"][: table.size] = table.hi
    rules["lo"][: table.size] = table.lo
    rules["place"] = table.place
    rules["pair"][: len(table.pairs)] = table.pairs
    return out
