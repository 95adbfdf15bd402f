"""Every scenario file with every implementation, and checks of what the files cover."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.reference.page import PRESETS, TABLE
from tests.reference.page import value_of as printed_value

from .position_adapter import PositionAdapter
from .reference_adapter import ReferenceAdapter
from .scenario import Scenario, ScenarioError, parse, run

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.txt"))
ADAPTERS = [ReferenceAdapter, PositionAdapter]

# The points of docs/rules.md sections 3 to 9, and of the paragraph on chicken feet in section 11, in the order of the
# text. At least one scenario cites each of them.
CLAIMS = {
    "3.1": "set and hand size follow the number of players; a deal that does not fit is refused",
    "3.2": "engines: downwards or upwards; set aside, or dealt and laid by its holder",
    "4.1": "a half joins an end if they are equal numbers or either is *",
    "4.2": "a letter joins only *",
    "4.3": "by option letters join more; joining is not symmetric",
    "4.4": "the half that touches disappears, the other half is the new end",
    "4.5": "where both halves fit the orientations are different plays",
    "4.6": "a double has one orientation and its end is its own half",
    "5.1": "the own train",
    "5.2": "M, started or not, except in the opening turn; mexican_start",
    "5.3": "any other open personal train, started or not",
    "5.4": "a double laid in this turn, wherever it lies",
    "5.5": "a free choice, even if the own train is playable",
    "5.6": "a legal play must be made",
    "5.7": "*-A on any train, open or closed, started or not, in any turn, as long as it matches",
    "5.8": "no option about trains restricts *-A",
    "5.9": "obligations to doubles bind *-A",
    "5.10": "all other specials go where an ordinary tile could",
    "5.11": "own_train_first: before the own train is started, others' trains (and M) may not be used",
    "6.1": "a seat hit by D draws one tile first",
    "6.2": "with an empty boneyard the D is used up without an event",
    "6.3": "a play on the own train closes it, nothing else does; marker_off",
    "6.4": "a covered double is no longer open",
    "6.5": "empty hand: the round ends at once, no further effect; finish_on_double",
    "6.6": "a double owes another required play",
    "6.7": "T owes one bonus play",
    "6.8": "R flips the direction at once, until the round ends",
    "6.9": "S skips the next seat",
    "6.10": "D: the next seat that acts draws one tile first",
    "6.11": "nothing owed: the turn ends",
    "6.12": "no legal play for a required play: draw one, once for each required play; draw_limit",
    "6.13": "then only the drawn tile, on any eligible train, and it must; drawn_tile, drawn_play",
    "6.14": "draws for D never count as that draw and bind nothing",
    "6.15": "still none, or nothing to draw: the own train opens and the turn ends",
    "6.16": "only a bonus play owed: the turn ends, no draw, no marker",
    "6.17": "the next seat in the direction that holds at the end of the turn",
    "6.18": "a skipped seat draws nothing and gets no marker; a D waits for the seat that acts",
    "6.19": "two players: S gives the same seat a new turn; its own double binds it",
    "6.20": "two players: R changes nothing",
    "7.1": "the play owed after a double may go on any eligible train; double_rule",
    "7.2": "a double of this turn may be covered later in it, also on a closed train; other ends stay closed",
    "7.3": "a double still open when its turn ends binds everybody, before anything else",
    "7.4": "answering it is one required play; it ends the turn unless it is a double or T",
    "7.5": "covered on somebody's closed train: that stays closed and no marker changes",
    "7.6": "covering on the own train closes it",
    "7.7": "of several only the oldest; open_double_order",
    "7.8": "doubles of this turn bind nobody until it ends; after T the bonus is free",
    "7.9": "while an inherited double is open every play, bonus or not, goes on the one the order allows",
    "7.10": "who cannot cover draws; if that covers it must be played, and no marker; failed_cover",
    "7.11": "otherwise the train opens and the turn ends",
    "7.12": "a number double is dead when its number's tiles are all on the table",
    "7.13": "in super every tile with a * half too; *-* is joined by every tile",
    "7.14": "dead doubles are released and bind nobody; dead_double",
    "7.15": "laying a dead double still owes the extra play",
    "7.16": "which under cover and chicken foot too may go on any eligible train",
    "7.17": "with two doubles of this turn open one of them must be covered, if it can be; max_uncovered",
    "7.18": "released ones do not count",
    "7.19": "this holds for required and bonus plays",
    "7.20": "it does not take away a permitted stop",
    "7.21": "it never causes a draw",
    "7.22": "five moves are no cap",
    "7.23": "failed_double: a play owed for the own double that cannot be made",
    "7.24": "double_rule none: a double owes no play",
    "8.1": "the opening turn is the first turn that begins without an inherited open double",
    "8.2": "a seat whose train somebody has started has none",
    "8.3": "decided when the seat gets the move, before a D draw",
    "8.4": "being skipped is not a turn",
    "8.5": "only the own train may be used in it",
    "8.6": "*-A excepted, for every play of the turn; the chain goes on after it",
    "8.7": "a turn that begins with an inherited double is ordinary, M included",
    "8.8": "a seat that starts its own train in it has no opening turn any more",
    "8.9": "chain: tile by tile on the own train, each further one a decision with stop",
    "8.10": "if nothing can be laid the turn ends by itself",
    "8.11": "right after a double no stop; its play is owed on the own train, with draw and marker",
    "8.12": "then the double stays open and binds the others at once",
    "8.13": "a drawn starter may be continued by the chain",
    "8.14": "T's bonus play is owed in the chain",
    "8.15": "R, S and D in the chain work as in section 6",
    "8.16": "single: an ordinary turn restricted to the own train",
    "8.17": "no starter: draw one; if it fits it must be played",
    "8.18": "else the train opens and others may start it",
    "8.19": "together: nothing is drawn and no double binds until all have had their opening turn",
    "8.20": "together: no round ends before; the first seat without tiles clockwise from the starter wins",
    "9.1": "a round ends when a seat lays its last tile; the winner is that seat",
    "9.2": "blocked: boneyard empty, no live double, no tile in any hand joins any end",
    "9.3": "unstarted trains, M and closed trains included",
    "9.4": "first the passing seat's train opens, then the test",
    "9.5": "the test is made whatever else happened in the turn",
    "9.6": "as many passes in a row as there are players are not the test",
    "9.7": "a blocked round has no winner and everybody scores",
    "9.8": "pips of the tiles still held",
    "9.9": "* and letters count 10 each",
    "9.10": "0-0 counts double_blank",
    "9.11": "with own_train_first a round is blocked if no seat has a tile for an end that it could use",
    "11.1": "chicken foot: a double needs three toes",
    "11.2": "until then every play goes on the foot",
    "11.3": "further chain tiles too; after a first toe the chain may stop",
    "11.4": "toes may come from different seats",
    "11.5": "each toe is one play",
    "11.6": "then the toes' free halves are ends; foot_ends",
    "11.7": "ends of equal value on one train are one place",
    "11.8": "a foot that can get no more toes is finished with those it has",
    "11.9": "without any the double's own half stays as an end",
    "11.10": "dead_double applies to feet",
    "11.11": "the engine has no foot",
    "11.12": "chicken_foot with the set super is refused",
}

# Samples for options of docs/rules.md section 11 with too many values to cover each, and defaults without a fixed
# value.
SAMPLES = {
    "players": (2, 14),
    "tile_set": ("by-players", "double-1", "double-18"),
    "hand_size": ("by-players", 1),
    "first_engine": ("highest", "5-5"),
    "rounds": ("all", 1),
    "starter": (1,),
    "double_blank": (0, 25, 50),
}


def values_of(option: str) -> tuple:
    """The values of an option that scenarios must cover: all that the page names, and samples of the others."""
    row = TABLE[option]
    few = row.numbers is None or row.numbers[0] == row.numbers[1]
    assert option in SAMPLES or (few and not row.spans), f"name values of {option} that stand for all of them"
    return (*row.words, *SAMPLES[option]) if option in SAMPLES else row.choices


OPTIONS = {option: values_of(option) for option in TABLE}
PARSED = {path.name: parse(path) for path in FILES}


def value_of(rules: dict, option: str):
    """The value that an option has under these rules."""
    return rules.get(option, default_of(option, rules["preset"]))


def default_of(option: str, preset: str):
    """The value in the preset's column of the table in docs/rules.md."""
    default = TABLE[option].defaults[preset]
    return default.replace(" ", "-") if isinstance(default, str) else default


def covered(scenario: Scenario) -> list:
    pairs = []
    for word in scenario.covers:
        option, _, text = word.partition("=")
        pairs.append((option, printed_value(option, text)))
    return pairs


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
@pytest.mark.parametrize("name", PARSED)
def test_scenario(name, adapter):
    run(PARSED[name], adapter())


def test_there_are_many():
    assert len(FILES) >= 100


@pytest.mark.parametrize("name", PARSED)
def test_header(name):
    """The name begins with the section; the rules have the values that it covers; the points that it cites exist."""
    scenario = PARSED[name]
    assert name.split("-")[0] == scenario.section, f"{name}: section {scenario.section}"
    assert scenario.covers, f"{name}: no option value named in 'covers:'"
    assert scenario.cites, f"{name}: no point of the rules named in 'cites:'"
    for option, value in covered(scenario):
        assert option in OPTIONS, f"{name}: there is no option {option}"
        actual = value_of(scenario.rules, option)
        assert actual == value, f"{name}: covers {option}={value}, but the rules have {actual}"
    for key in scenario.cites:
        assert key in CLAIMS, f"{name}: there is no point {key}"
    for option in scenario.rules:
        assert option == "preset" or option in OPTIONS, f"{name}: there is no option {option}"
    first = scenario.path.read_text(encoding="utf-8").splitlines()[0]
    assert re.match(r"# Sections? \d", first), f"{name}: the first line names the section"


def test_every_option_value_is_covered():
    seen = {pair for scenario in PARSED.values() for pair in covered(scenario)}
    wanted = {(option, value) for option, values in OPTIONS.items() for value in values}
    assert not sorted(wanted - seen, key=str)


# A scenario is one round dealt by hand, so options of the deal or the match have no other effect.
PAIRS = [
    (option, value, other)
    for option, values in OPTIONS.items()
    if TABLE[option].shapes not in ("deal", "match")
    for value in values
    for other in values
    if other != value
]


@pytest.mark.parametrize(("option", "value", "other"), PAIRS)
def test_every_option_value_matters(option, value, other):
    """Some file that covers the value fails if its rules have the other value."""
    for scenario in PARSED.values():
        if scenario.refused or (option, value) not in covered(scenario):
            continue
        changed = replace(scenario, rules={**scenario.rules, option: other})
        try:
            run(changed, ReferenceAdapter())
        except ScenarioError:
            return
        except ValueError:  # refused together with the file's other options
            continue
    pytest.fail(f"no scenario tells {option}={value} from {other}")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_value_is_covered(preset):
    """Where the presets differ, a file of each preset covers the value of the preset."""
    seen = {pair for each in PARSED.values() if each.rules["preset"] == preset for pair in covered(each)}
    differ = [option for option in TABLE if len({default_of(option, each) for each in PRESETS}) > 1]
    wanted = {(option, default_of(option, preset)) for option in differ}
    assert not sorted(wanted - seen, key=str)


def test_every_claim_is_cited():
    cited = {key for scenario in PARSED.values() for key in scenario.cites}
    assert not sorted(set(CLAIMS) - cited)


def test_every_deal_is_the_set():
    """Hands, boneyard and engine are exactly the set (three *-A included)."""
    for name, scenario in PARSED.items():
        if scenario.refused:
            continue
        tiles = [tile for hand in scenario.hands for tile in hand] + scenario.boneyard + [scenario.engine]
        assert sorted(tiles) == sorted(all_tiles(scenario.tile_set)), name


def all_tiles(tile_set: str) -> list:
    """The tiles of the set, independently of the parser's table."""
    if tile_set == "super":
        halves = [*map(str, range(13)), "*"]
        letters = ["*-A"] * 3 + ["*-D", "*-R", "*-S", "*-T"]
    else:
        halves, letters = [str(half) for half in range(int(tile_set[7:]) + 1)], []
    pairs = [(high, low) for index, high in enumerate(halves) for low in halves[: index + 1]]
    return [f"{high}-{low}" for high, low in pairs] + letters


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("legal 1: 6-1@1", "legal 1: 6-1@1 stop", "LINE missing stop"),
        ("legal 1: 6-1@1", "legal 1:", "LINE not expected 6-1@1"),
        ("legal 1: 6-1@1", "legal 0: 6-1@1", "LINE expected seat 0"),
        ("trains: 0=5 1=6 M=6", "trains: 0=5 1=6+ M=6", "LINE train 1 must be open"),
        ("trains: 0=5 1=6 M=6", "trains: 0=6", "LINE train 0 must end in 6"),
        ("trains: 0=5 1=6 M=6", "doubles: 5-5@0 new", "LINE open doubles"),
        ("trains: 0=5 1=6 M=6", "opening: no", "LINE opening turn"),
        ("trains: 0=5 1=6 M=6", "seat: 0", "LINE expected seat 0"),
        ("trains: 0=5 1=6 M=6", "1:draw 1-0", "LINE waits for seat 1"),
        ("trains: 0=5 1=6 M=6", "0:6-5@0", "LINE expected seat 0"),
        ("1:6-1@1\n", "1:6-1@M\n", "LINE not legal"),
        ("illegal 0: 5-6@0 5-4@0 stop", "illegal 0: 6-5@0", "LINE must not be legal"),
        ("end: out winner=0 points=0,6", "end: out winner=0 points=0,7", "LINE expected"),
        ("end: out winner=0 points=0,6", "end: blocked points=0,6", "LINE expected"),
        ("end: out winner=0 points=0,6", "end: running", "LINE is over"),
        ("0:4-3@0\n", "\n", "must be over"),
        ("hand 0: 6-5", "hand 0: 5-6", "not in the set"),
        ("hand 0: 6-5", "hand 0: 6-1", "placed twice"),
        ("boneyard: rest", "boneyard: 0-0", "nowhere"),
        ("hand 0: 6-5 ", "hand 0: ", "the rules say 3"),
    ],
)
def test_the_runner_notices(tmp_path, old, new, message):
    """A wrong expectation fails, with file and line."""
    text = (FOLDER / "4-touching-half-disappears.txt").read_text(encoding="utf-8")
    line = text[: text.index(old)].count("\n") + 1
    path = tmp_path / "wrong.txt"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ScenarioError) as error:
        run(parse(path), ReferenceAdapter())
    where = f"wrong.txt:{line}: " if message.startswith("LINE") else "wrong.txt"
    assert str(error.value).startswith(where)
    assert message.removeprefix("LINE ") in str(error.value)
