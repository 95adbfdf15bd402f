"""The table of options (docs/rules.md section 11): the only place where options are defined.

An option is an attribute of ``Options``; its row is the annotation of that attribute. Everything that lists, checks,
stores or explains options reads ``TABLE``; type checkers read the attributes. NumPy is not imported, so that help texts
print quickly.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, TypeVar

from mextrain_core.model.limits import MAX_HALVES, MAX_PLAYERS, MAX_TILES

Value = str | int | None

CODE, NUMBER, OWN = "code", "number", "own"
"""What the RULES field of an option holds: the index of the value among the named ones, the number (0 for none), or
what ``rules.encode`` computes."""

DEAL, TURN, POINTS, MATCH = "deal", "turn", "points", "match"
"""What an option affects: the deal (all before the first turn), the turns, the points of a round, or a match.
"""

SET_NAMES = (*(f"double-{n}" for n in range(1, MAX_HALVES)), "super")
"""Every tile set of docs/rules.md section 2, in the order of their codes in the RULES struct."""

MAX_DOUBLE_BLANK = 1_000_000_000
"""Upper limit of the points of 0-0; it keeps the points of a match far below 2**63."""


class Numbers(NamedTuple):
    """The numbers ``low`` … ``high`` as values, and what they mean."""

    low: int
    high: int
    meaning: str


@dataclass(frozen=True)
class Row:
    """One option: its name, its values and their meaning; every text is one line.

    ``section``: the section of docs/rules.md that describes it. ``shapes``: DEAL, TURN, POINTS or MATCH. ``values``:
    meaning by named value; the index of a value is its code, so new values go to the end, and the first one keeps the
    behaviour from before the option existed. ``numbers``, ``none``: the numbers among the values, and what None means
    ("": it is not a value). ``usual``: the default where a preset sets no other; for a default that is computed from
    other options, which ``follows`` names, a description of it. ``fills``: CODE, NUMBER or OWN.
    """

    meaning: str
    section: str
    shapes: str
    values: dict[str, str] = field(default_factory=dict, hash=False)
    numbers: Numbers | None = None
    none: str = ""
    usual: Value = None
    follows: tuple[str, ...] = ()
    fills: str = CODE
    name: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The named values in the order of their codes."""
        return tuple(self.values)


TABLE: dict[str, Row] = {}
"""The row of every option by name, in the order of docs/rules.md section 11."""

_Class = TypeVar("_Class", bound=type)


def _listed(table: dict[str, Row]) -> Callable[[_Class], _Class]:
    """Move the rows of a class into ``table``; its annotations become plain types, as help texts show them."""

    def move(cls: _Class) -> _Class:
        plain = {}
        for name, hint in cls.__annotations__.items():
            plain[name] = getattr(hint, "__origin__", hint)
            for row in getattr(hint, "__metadata__", ()):
                usual = next(iter(row.values), None) if row.usual is None and not row.none else row.usual
                table[name] = Row(**{**vars(row), "name": name, "usual": usual})
        cls.__annotations__ = plain
        return cls

    return move


# fmt: off
@dataclass(frozen=True)
@_listed(TABLE)
class Options:
    """The preset's name and a value for every option; the first named value is the usual one. Checks nothing."""

    preset_name: str
    players: Annotated[
        int,
        Row(
            "number of seats", "3", DEAL,
            numbers=Numbers(2, MAX_PLAYERS, "this many; it decides set and hand size where they are not given"),
            usual="must be given", follows=("players",), fills=NUMBER,
        ),
    ]
    tile_set: Annotated[
        str,
        Row(
            "the tiles", "2, 3", DEAL,
            {name: "every pair of the numbers 0 … n once" for name in SET_NAMES}
            | {"super": "double-12 and 21 tiles with the red half *, seven of them with a letter"},
            usual="by players", follows=("players",), fills=OWN,
        ),
    ]
    hand_size: Annotated[
        int,
        Row(
            "tiles dealt to each seat", "3", DEAL,
            # Two seats can share the largest set, except for the engine in the centre.
            numbers=Numbers(1, (MAX_TILES - 1) // 2, "this many, if players × hand_size + 1 tiles are in the set"),
            usual="by players", follows=("players",), fills=NUMBER,
        ),
    ]
    first_engine: Annotated[
        str,
        Row(
            "the engine of round 0", "3", DEAL,
            {f"{n}-{n}": "this double, if the set has it" for n in range(MAX_HALVES)}
            | {"*-*": "the red double of the set super, which is its last engine"},
            usual="highest", follows=("players", "tile_set", "engine_order"), fills=OWN,
        ),
    ]
    rounds: Annotated[
        int,
        Row(
            "rounds of a match", "3", DEAL,
            numbers=Numbers(1, MAX_HALVES, "this many, if there are so many engines from first_engine on"),
            usual="all", follows=("players", "tile_set", "engine_order", "first_engine"), fills=NUMBER,
        ),
    ]
    starter: Annotated[
        str | int,
        Row(
            "who starts a round", "3", DEAL,
            {
                "draw": "a random seat, drawn anew in every round",
                "rotate": "a random seat in round 0, then the next seat clockwise in each round",
                "winner": "the winner of the last round; a random seat in round 0 and after a blocked round",
            },
            numbers=Numbers(0, MAX_PLAYERS - 1, "always this seat"), fills=OWN,
        ),
    ]
    opening: Annotated[
        str,
        Row(
            "tiles of the opening turn", "8", TURN,
            {
                "chain": "one after the other on the own train, as long as the seat can and likes",
                "single": "one, as in other turns, but on the own train",
                "together": "as chain, as if all seats laid them at once: nothing is drawn, no double binds",
            },
        ),
    ]
    mexican_start: Annotated[
        str,
        Row(
            "when the Mexican Train may be used, or started", "5, 8", TURN,
            {
                "after_opening": "in any turn but the opening turn",
                "any_turn": "in any turn; in the opening turn like the own train",
                "only_if_stuck": "in any turn but the opening turn, and started only when nothing in the hand fits "
                "the own train",
                "after_own_train": "in any turn but the opening turn, and started only once the own train is started",
                "after_all_trains": "in any turn but the opening turn, and started only once all own trains are",
                "never": "never: there is no Mexican Train",
            },
        ),
    ]
    drawn_tile: Annotated[
        str,
        Row(
            "where a tile drawn for want of a play may go", "6", TURN,
            {
                "anywhere": "wherever the play could have gone",
                "own_train": "on the own train only, or on the double that the play must cover",
            },
        ),
    ]
    draw_limit: Annotated[
        str,
        Row(
            "how often a turn may draw for want of a play", "6", TURN,
            {
                "per_play": "once for each required play",
                "per_turn": "once",
                "until_it_fits": "tile after tile, until one fits or the boneyard is empty",
            },
        ),
    ]
    drawn_play: Annotated[
        str,
        Row(
            "whether a drawn tile that fits may be kept", "6", TURN,
            {
                "must": "no, it must be played",
                "may": "yes; the own train is opened then, and the turn ends",
            },
        ),
    ]
    failed_cover: Annotated[
        str,
        Row(
            "whether a drawn tile may save a play that must cover", "7", TURN,
            {
                "play_drawn": "yes, it may cover, and no train is opened then",
                "mark": "no, it is kept, and the own train is opened in any case",
                "mark_and_play": "no, the own train is opened in any case; then it is played if it fits",
            },
        ),
    ]
    double_rule: Annotated[
        str,
        Row(
            "where the play after a double goes", "7", TURN,
            {
                "anywhere": "wherever a play may go",
                "cover": "on that double",
                "chicken_foot": "on that double, and so do all plays until it has three toes",
                "none": "nowhere: a double owes no play",
            },
        ),
    ]
    foot_ends: Annotated[
        str,
        Row(
            "ends of a finished chicken foot (no effect without feet)", "11", TURN,
            {"all": "the free halves of all its toes", "center": "the free half of the toe laid last"},
        ),
    ]
    open_double_order: Annotated[
        str,
        Row(
            "which of several inherited doubles may be covered (no effect with chicken feet)", "7", TURN,
            {"oldest": "the one laid first", "newest": "the one laid last", "any": "any of them"},
        ),
    ]
    open_double_binds: Annotated[
        str,
        Row(
            "whom a double binds that is open when its turn ends (no effect with chicken feet)", "7", TURN,
            {"everyone": "every seat, until it is covered", "nobody": "nobody: it is an ordinary end from then on"},
        ),
    ]
    max_uncovered: Annotated[
        int | None,
        Row(
            "open doubles that a turn may leave before it must cover (no effect with chicken feet)", "7", TURN,
            none="any number", numbers=Numbers(1, 1, "one: with two open, the next play must cover one if it can"),
            fills=NUMBER,
        ),
    ]
    dead_double: Annotated[
        str,
        Row(
            "when a dead double stops binding", "7", TURN,
            {"released": "at once", "binds": "once the boneyard is empty"},
        ),
    ]
    finish_on_double: Annotated[
        str,
        Row(
            "whether a double as last tile ends the round", "6, 9", TURN,
            {
                "ends": "yes, as any other tile does",
                "must_cover": "no, its play is owed: the seat draws for it, and stays in the round",
            },
        ),
    ]
    marker_off: Annotated[
        str,
        Row(
            "which plays close the own train", "6", TURN,
            {"own_train": "those on the own train", "any_play": "all plays of the seat, on whatever train"},
        ),
    ]
    double_blank: Annotated[
        int,
        Row(
            "points of 0-0 in a hand", "9", POINTS,
            numbers=Numbers(0, MAX_DOUBLE_BLANK, "this many; 25 and 50 are common"), usual=0, fills=NUMBER,
        ),
    ]
    letter_match: Annotated[
        str,
        Row(
            "what letters join (matters with the set super)", "4", TURN,
            {
                "train_only": "the red half * and nothing else",
                "same_letter": "* and the same letter",
                "any_letter": "* and any letter",
                "anywhere": "* and any letter; and a letter that is laid joins any end",
            },
        ),
    ]
    twice_bonus: Annotated[
        str,
        Row(
            "whether the bonus play of *-T may be left out (matters with the set super)", "6", TURN,
            {"must": "no, it must be made if there is one", "may": "yes, the seat may stop instead"},
        ),
    ]
    engine_order: Annotated[
        str,
        Row(
            "which engine the next round has", "3", DEAL,
            {
                "down": "the next lower double",
                "up": "the next higher double; the first engine is then 0-0, if no other is given",
            },
        ),
    ]
    tie_break: Annotated[
        str,
        Row(
            "who wins a match if the lowest total is shared", "9", MATCH,
            {
                "shared": "all seats with that total",
                "zeros": "of these, those with most rounds of 0 points; then those with the lowest other round",
            },
        ),
    ]
    engine_from: Annotated[
        str,
        Row(
            "where the engine comes from", "3", DEAL,
            {
                "set_aside": "it is laid out before the deal",
                "holder": "it is dealt with the other tiles; the seat that gets it lays it and starts",
                "highest": "it is the highest double in any hand; the seat that holds it lays it and starts",
                "own_highest": "the first seat lays the highest double of its own hand and starts",
            },
        ),
    ]
    engine_hunt: Annotated[
        str,
        Row(
            "who draws if nobody was dealt the engine (matters with engine_from holder)", "3", DEAL,
            {
                "in_turn": "one seat after the other draws a tile, until the engine comes",
                "together": "all seats draw a tile in every circuit, also in that in which the engine comes",
            },
        ),
    ]
    own_train_first: Annotated[
        str,
        Row(
            "what a seat may not use before its own train is started", "5, 8, 9", TURN,
            {
                "no": "nothing: it may use everything",
                "trains": "open trains of other seats",
                "all": "open trains of other seats and the Mexican Train",
            },
        ),
    ]
    failed_double: Annotated[
        str,
        Row(
            "what happens if the play after the own double cannot be made", "7", TURN,
            {
                "draw": "the seat draws, as for any required play",
                "mark": "nothing is drawn, the own train is opened, and the turn ends",
                "pass": "nothing is drawn, no train is opened, and the turn ends",
            },
        ),
    ]

# fmt: on


BRANDS, SHEETS = "Rules in the box of a brand", "Sheets of clubs and tournaments, and web pages"
"""Who prints the rules of a preset."""


class Preset(NamedTuple):
    """Named rules: tile set and hand size by number of players, and the options that differ from the defaults.

    ``printed_by``: BRANDS or SHEETS. ``plays``: the printed texts that it plays. ``deviates``: where it differs from
    them; all that a program never forgets (announcing a double or the last tile) is left out everywhere.
    """

    meaning: str
    printed_by: str
    plays: str
    deviates: str
    deals: dict[int, tuple[str, int]]
    options: dict[str, Value]


MEXICAN_DEALS = {
    **dict.fromkeys((2, 3), ("double-9", 8)),
    **dict.fromkeys((4, 5, 6), ("double-12", 12)),
    **dict.fromkeys((7, 8), ("double-12", 10)),
    **dict.fromkeys((9, 10, 11, 12), ("double-15", 11)),
    **dict.fromkeys((13, 14), ("double-18", 11)),
}


def _double_12(*hands: int) -> dict[int, tuple[str, int]]:
    """Double-12 with these hands for 2, 3, … players, and the deals of ``mexican`` for more players."""
    return MEXICAN_DEALS | {players: ("double-12", hand) for players, hand in enumerate(hands, start=2)}


PRESETS = {
    "mexican": Preset(
        "Mexican Train",
        BRANDS,
        "the leaflet of The Spruce Crafts",
        "section 13 of docs/rules.md lists the differences, and the options that play it to the letter",
        MEXICAN_DEALS,
        {},
    ),
    "super": Preset(
        "Super Train",
        BRANDS,
        "the Super Train leaflet of Puremco",
        "section 13 of docs/rules.md lists the differences; hands for 9 to 14 players are ours",
        {
            players: ("super", hand)
            for players, hand in enumerate((25, 23, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 6), start=2)
        },
        {"tile_set": "super", "opening": "single", "max_uncovered": 1},
    ),
    "tournament": Preset(
        "Mexican Train as tournaments play it",
        SHEETS,
        "the tournament sheet of Bauguess; Wikipedia has nearly the same rules, with this tie-break",
        "the sheet is silent on ties; sets and hands for 9 to 14 players are those of mexican",
        _double_12(15, 15, 15, 12, 12, 10, 10),
        {
            "starter": "rotate",
            "opening": "single",
            "mexican_start": "any_turn",
            "draw_limit": "per_turn",
            "double_rule": "cover",
            "finish_on_double": "must_cover",
            "double_blank": 50,
            "tie_break": "zeros",
        },
    ),
    "puremco": Preset(
        "Mexican Train as Puremco prints it",
        BRANDS,
        "the Mexican Train leaflet of Puremco; the Good Sam sheet of Texas, there with double-9 for 2 to 4 players",
        "sets and hands for 9 to 14 players are those of mexican",
        _double_12(16, 15, 14, 12, 11, 10, 9),
        {"opening": "single", "max_uncovered": 1},
    ),
    "cardinal": Preset(
        "Mexican Train as Cardinal prints it",
        BRANDS,
        "the leaflet of Cardinal; Celko's rules on Pagat and in the Game Cabinet",
        "what they say of doubles is not known; sets and hands for 9 to 14 players are those of mexican",
        _double_12(15, 15, 15, 12, 12, 11, 11),
        {"engine_from": "holder"},
    ),
    "pagat": Preset(
        "Mexican Train as Pagat describes it",
        SHEETS,
        "the main rules on pagat.com (McLeod)",
        "sets and hands for 11 to 14 players are those of mexican",
        _double_12(15, 15, 15, 12, 12, 10, 10, 8, 8),
        {"engine_from": "holder", "opening": "together", "drawn_play": "may"},
    ),
    "pressman": Preset(
        "Mexican Train as Pressman prints it",
        BRANDS,
        "the leaflet of Pressman (2015)",
        "what it says of doubles is not known; when M may be started is from a sister sheet; sets and hands for 9 to "
        "14 players are those of mexican",
        _double_12(15, 15, 15, 11, 11, 8, 8),
        {
            "engine_from": "highest",
            "opening": "single",
            "own_train_first": "trains",
            "mexican_start": "after_own_train",
        },
    ),
}
"""The presets by name (docs/rules.md sections 3 and 11)."""


def code(option: str, value: str) -> int:
    """The code of a named value: what the RULES field of the option holds."""
    return TABLE[option].words.index(value)
