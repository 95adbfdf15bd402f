"""Checks that a line describes a possible position. Each rule is a function of the values that it needs.

Each function is named after what it checks, and yields what is wrong. It is called only if all of its values could be
read, so that one mistake does not hide the others.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mextrain.errors import Problem
from mextrain.game.events import DRAW
from mextrain.game.read_only import OpenDouble
from mextrain.game.rules import RuleSet
from mextrain.game.tiles import WILD, Half, Tile
from mextrain.notation.snapshot import (
    EARLIER,
    OVER,
    UNSEEN,
    Chance,
    Counts,
    Hidden,
    Place,
    TrainState,
    bound_doubles,
    index_of,
    marked_text,
)
from mextrain_core.model.limits import MAX_ATTEMPTS

_NAMED = 6
"""The number of tiles that a message lists."""

Problems = Iterator[Problem]


def problems_of(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield everything that is wrong with the values of a snapshot, given by name. Values may be missing."""
    found = False
    for rule in _RULES:
        names = inspect.signature(rule).parameters
        if names.keys() <= values.keys():
            for problem in rule(**{name: values[name] for name in names}):
                found = True
                yield problem
    # Whether the tiles form trains is only worth checking when everything else is right.
    names = inspect.signature(_paths).parameters
    if not found and names.keys() <= values.keys():
        yield from _paths(**{name: values[name] for name in names})


# -- tiles


def _account(
    rules: RuleSet, engine: Tile, hands: tuple[Place, ...], boneyard: Place, laid: tuple[Tile, ...]
) -> Problems:
    """Each tile of the set is in exactly one place."""
    places: dict[Tile, list[str]] = {engine: ["engine"]}
    listed = [*((f"hand {seat}", hand) for seat, hand in enumerate(hands)), ("boneyard", boneyard), ("laid", laid)]
    hidden = 0
    for name, place in listed:
        if isinstance(place, Hidden):
            hidden += place.size
            continue
        for tile in place:
            places.setdefault(tile, []).append(name)
    for tile, names in places.items():
        held = rules.tiles.count(tile)
        if len(names) > held:
            remedy = "take it out of all but one" if held == 1 else "take the surplus out"
            expected = f"it {'once' if held == 1 else f'{held} times'}, but it is in {', '.join(names)}"
            yield Problem(names[-1], str(tile), expected, remedy)
    missing = [*(Counter(rules.tiles) - Counter({tile: len(names) for tile, names in places.items()})).elements()]
    if hidden and hidden != len(missing):
        yield Problem("hidden tiles", hidden, f"{len(missing)}, as many as are named nowhere", "correct the sizes")
    if missing and not hidden:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        few = " ".join(map(str, missing[:_NAMED])) + more
        yield Problem("missing tiles", few, f"all tiles of {rules.tile_set}", "name them, or write rest in one place")


def _hands(rules: RuleSet, phase: str, seat: int, hands: tuple[Place, ...], boneyard: Place) -> Problems:
    """Only certain hands may be empty, and the end of the round restricts the hands and the boneyard."""
    if phase == "out" and len(hands[seat]):
        yield Problem(f"hand {seat}", _text(hands[seat]), "none, as the seat went out", "write none, or another phase")
    if phase == "blocked" and len(boneyard):
        yield Problem("boneyard", _text(boneyard), "none in a blocked round", "write none, or another phase")
    if phase in ("draw", "forced-draw") and not len(boneyard):
        yield Problem("phase", phase, "a draw only if the boneyard has tiles", "write what follows instead")
    allowed = {seat} if phase == "out" else set()
    empty = [at for at, hand in enumerate(hands) if not len(hand) and at not in allowed]
    if phase == "decision" and seat in empty:
        yield Problem(f"hand {seat}", "none", "a tile or more, as the seat decides", "name its tiles")
    elif empty and rules.finish_on_double == "ends" and rules.opening != "together":
        remedy = "name its tiles, or write phase out and that seat"
        yield Problem(f"hand {empty[0]}", "none", "a tile or more while the round goes on", remedy)


# -- counters


def _starter(rules: RuleSet, starter: int) -> Problems:
    """Rules with a fixed starter do not allow another one, unless it is the engine's holder who starts."""
    if rules.engine_from == "set_aside" and isinstance(rules.starter, int) and starter != rules.starter:
        yield Problem("starter", starter, f"seat {rules.starter}, as the rules say", "correct starter or the rules")


def _counts(rules: RuleSet, counts: Counts, phase: str, seat: int, starter: int) -> Problems:
    """Turns, plays and attempts are consistent: each play has an attempt, and so does each turn."""
    turns, plays, _, attempts = counts
    if turns < 1:
        yield Problem("counts", f"turns={turns}", "1 or more, as the turn on move counts", "count it")
    if turns == 1 and seat != starter:
        yield Problem("seat", seat, f"the starter {starter} in turn 1", "correct seat, starter or turns")
    waiting = phase in ("decision", "draw", "blocked")
    least = max(turns - (phase == "forced-draw"), plays + waiting)
    if not least <= attempts <= MAX_ATTEMPTS:
        expected = f"{least} … {MAX_ATTEMPTS}: each turn has an attempt, and each play" + ", this one too" * waiting
        yield Problem("counts", f"attempts={attempts}", expected, f"write attempts={least} if you do not know")


def _plays(counts: Counts, laid: tuple[Tile, ...]) -> Problems:
    """The number of plays equals the number of tiles laid."""
    if counts.plays != len(laid):
        expected = f"{len(laid)}, the number of tiles laid"
        yield Problem("counts", f"plays={counts.plays}", expected, f"write plays={len(laid)}, or correct laid")


def _draws(rules: RuleSet, counts: Counts, boneyard: Place, drew: Tile | str | None) -> Problems:
    """There are no more draws than the boneyard can have held after the deal."""
    most = len(rules.tiles) - 1 - rules.players - len(boneyard)
    least = 0 if drew is None else 1
    if not least <= counts.draws <= most:
        expected = f"{least} … {most}, as each hand began with a tile or more"
        yield Problem("counts", f"draws={counts.draws}", expected, "correct draws or boneyard")


def _events(counts: Counts, hands: tuple[Place, ...], events: tuple[str, ...] | None) -> Problems:
    """The events have as many plays and draws as the counts, and hide what the hands hide."""
    if events is None:
        return
    for name, sign, number in (("plays", "@", counts.plays), ("draws", f"{DRAW} ", counts.draws)):
        found = sum(sign in text for text in events)
        if found != number:
            yield Problem("counts", f"{name}={number}", f"{found}, as in events", "correct counts or events")
    for text in events:
        seat, _, what = text.partition(":")
        hand = hands[int(seat)]
        if f"{DRAW} " in what and len(hand) and isinstance(hand, Hidden) != what.endswith(f" {UNSEEN}"):
            expected = f"{UNSEEN} for a hidden hand" if isinstance(hand, Hidden) else "the tile, as the hand is known"
            yield Problem("events", text, expected, "hide the hand and what it drew, or neither")


# -- the table


def _trains(
    rules: RuleSet, trains: tuple[TrainState, ...], doubles: tuple[OpenDouble, ...], laid: tuple[Tile, ...]
) -> Problems:
    """Ends are halves of laid tiles. Each train has one end, except with chicken feet."""
    started = [_name(index, rules) for index, train in enumerate(trains) if train.ends]
    for index, train in enumerate(trains):
        if len(train.ends) > 1 and rules.double_rule != "chicken_foot":
            value = f"{_name(index, rules)}:{','.join(map(str, train.ends))}"
            yield Problem("trains", value, "one end", "several ends are for double_rule=chicken_foot")
    if len(started) > len(laid) or bool(started) != bool(laid):
        expected = "as many started trains as tiles can start, none if none is laid"
        remedy = "name the tiles laid, or write a train that is not started as in 0:-"
        yield Problem("trains", f"{len(started)} started, {len(laid)} tiles laid", expected, remedy)
    shown = _shown(laid)
    ends = Counter(end for train in trains for end in train.ends)
    ends.update(doubles[0].toes if doubles else ())
    for half, count in ends.items():
        if count > shown[half]:
            where = ", ".join(_name(index, rules) for index, train in enumerate(trains) if half in train.ends)
            expected = f"no more ends of {half} than tiles laid that show it, which are {shown[half]}"
            yield Problem("trains", f"{half} ends {where or 'a toe'}", expected, "correct trains or laid")


def _doubles(
    rules: RuleSet,
    engine: Tile,
    phase: str,
    trains: tuple[TrainState, ...],
    doubles: tuple[OpenDouble, ...],
    laid: tuple[Tile, ...],
    boneyard: Place,
) -> Problems:
    """An open double is the end of a train, and some tile can still join it."""
    for place, double in enumerate(doubles):
        text = str(double)
        ends = trains[index_of(double.train, rules)].ends
        if double.tile not in laid:
            yield Problem("doubles", text, "a double that is laid", "add it to laid, or leave it out")
        if double.tile.high not in ends:
            expected = f"an end of train {double.train}, which has {','.join(map(str, ends)) or 'no tile yet'}"
            yield Problem("doubles", text, expected, "correct trains or doubles")
        if double.train in [other.train for other in doubles[:place]]:
            yield Problem("doubles", text, "one open double a train", "leave the covered one out")
        if double.inherited and not all(other.inherited for other in doubles[:place]):
            yield Problem("doubles", text, "inherited doubles before those of this turn", "list the oldest first")
        if double.inherited and rules.open_double_binds == "nobody" and rules.double_rule != "chicken_foot":
            yield Problem("doubles", text, "a double of this turn (open_double_binds=nobody)", "leave it out")
        if phase not in OVER and _released(rules, double.tile.high, engine, laid, boneyard):
            yield Problem("doubles", text, "a double that some tile can still join", "it is released: leave it out")
    if rules.double_rule == "chicken_foot" and len(doubles) > 1:
        yield Problem("doubles", " ".join(map(str, doubles)), "one unfinished foot at most", "leave finished feet out")


def _toes(doubles: tuple[OpenDouble, ...], laid: tuple[Tile, ...], owed: str, after: OpenDouble | None) -> Problems:
    """Toes are laid and touch their double, and there are at most two while the foot is unfinished."""
    for double in doubles[:1]:
        half, toes = double.tile.high, double.toes
        if len(toes) > 2:
            yield Problem("toes", " ".join(map(str, toes)), "two at most", "with three the foot is finished: no double")
        for place, toe in enumerate(toes):
            touches = toe != half and any({half, toe} == set(tile.halves) for tile in laid)
            if not touches or toe in toes[:place]:
                expected = f"the other half of a tile that is laid and touches the {double}"
                yield Problem("toes", str(toe), expected, "name each toe once, by its free half")
        if toes and after is not None:
            yield Problem("toes", " ".join(map(str, toes)), f"none right after the {after}", "correct owes or toes")


# -- the turn


def _phase(
    phase: str, owed: str, after: OpenDouble | None, doubles: tuple[OpenDouble, ...], chance: Chance
) -> Problems:
    """The phase, the play owed and the source of draws are consistent."""
    if (phase in OVER) != (owed == "nothing"):
        expected = "nothing once the round is over, and something before"
        yield Problem("owes", owed, expected, "correct phase or owes")
    if phase in ("draw", "forced-draw"):
        if owed != "required" or (phase == "forced-draw" and after is not None):
            yield Problem("owes", owed, f"a required play at a {phase}", "correct phase or owes")
        if chance.kind != "explicit":
            yield Problem("chance", chance.kind, f"explicit, as the {phase} is the caller's", "write chance explicit")
    if phase == "blocked" and doubles:
        yield Problem("doubles", " ".join(map(str, doubles)), "none in a blocked round", "correct phase or doubles")


def _owes(
    rules: RuleSet,
    owed: str,
    after: OpenDouble | None,
    opening: bool,
    doubles: tuple[OpenDouble, ...],
    laid: tuple[Tile, ...],
) -> Problems:
    """What is owed fits the rules, and follows what was laid in this turn."""
    new = [double for double in doubles if not double.inherited]
    if owed == "chain" and not (opening and rules.opening != "single"):
        yield Problem("owes", owed, "an opening turn under opening=chain", "correct owes, opening or the rules")
    if owed == "bonus" and Tile(WILD, "T") not in laid:
        yield Problem("owes", owed, "a *-T that is laid", "add *-T to laid, or correct owes")
    if _first(owed, after) and new:
        expected = f"required after a double, as {new[-1]} was laid in this turn"
        yield Problem("owes", owed, expected, f"write required after {new[-1]}, or correct doubles")


def _follows(
    rules: RuleSet,
    engine: Tile,
    after: OpenDouble | None,
    opening: bool,
    openings: frozenset[int],
    trains: tuple[TrainState, ...],
    doubles: tuple[OpenDouble, ...],
    laid: tuple[Tile, ...],
    boneyard: Place,
) -> Problems:
    """The tile that a play follows has been laid."""
    if after is None:
        return
    if rules.double_rule == "none" or _lasts(rules, opening, openings):
        option = "double_rule=none" if rules.double_rule == "none" else "opening=together, until all have had theirs"
        yield Problem("owes", f"after {after}", f"no play for a double ({option})", "correct owes or the rules")
    here = [double for double in doubles if double.train == after.train]
    if after.tile not in laid or after.tile.high not in trains[index_of(after.train, rules)].ends:
        expected = f"a double that is laid and ends train {after.train}"
        yield Problem("owes", f"after {after}", expected, "correct owes, trains or laid")
    elif here and (here[0].inherited or here[0] is not doubles[-1]):
        yield Problem("owes", f"after {after}", "the last double of this turn", "mark it as new, and list it last")
    elif not here and not _released(rules, after.tile.high, engine, laid, boneyard):
        yield Problem("owes", f"after {after}", "an open double", f"add {after},new to doubles")


def _drew(
    rules: RuleSet,
    phase: str,
    seat: int,
    owed: str,
    after: OpenDouble | None,
    drew: Tile | str | None,
    hands: tuple[Place, ...],
) -> Problems:
    """A drawn tile is in the hand, and a seat draws only for a required play."""
    if drew is None:
        return
    hand = hands[seat]
    draws_again = phase == "draw" and rules.draw_limit == "until_it_fits"
    if phase in (*OVER, "forced-draw") or (phase == "draw" and drew != EARLIER and not draws_again):
        yield Problem("drew", str(drew), f"none at the phase {phase}", "write none")
    elif drew == EARLIER:
        if _first(owed, after):
            yield Problem("drew", drew, "none, as the turn owes its first play", "write none, or the tile drawn")
    elif owed != "required":
        yield Problem("drew", str(drew), "a draw for a required play", "write earlier, or correct owes")
    elif isinstance(hand, Hidden) != (drew == UNSEEN):
        expected = "? for a hidden hand" if isinstance(hand, Hidden) else "the tile, as the hand is known"
        yield Problem("drew", str(drew), expected, "hide the hand and the tile, or neither")
    elif not isinstance(hand, Hidden) and drew not in hand:
        yield Problem("drew", str(drew), f"a tile of hand {seat}", "add it to the hand")


def _marked(
    rules: RuleSet,
    phase: str,
    seat: int,
    owed: str,
    after: OpenDouble | None,
    drew: Tile | str | None,
    marked: tuple[OpenDouble, ...] | None,
    trains: tuple[TrainState, ...],
    doubles: tuple[OpenDouble, ...],
    boneyard: Place,
) -> Problems:
    """With `failed_cover` = `mark_and_play`, a seat that drew for a double has opened its train before it plays."""
    bound = bound_doubles(rules, doubles, after)
    # If the seat's own double is gone, this draw released it: it was binding while the boneyard still had a tile.
    by_draw = rules.double_rule == "cover" and after is not None and rules.dead_double == "binds" and not len(boneyard)
    due = (
        rules.failed_cover == "mark_and_play"
        and (phase, owed) == ("decision", "required")
        and drew not in (None, EARLIER)
        and bool(bound or by_draw)
    )
    text = f"{drew}{marked_text(marked)}"
    if not due:
        if marked is not None:
            expected = "no train opened before the drawn tile is played (that is failed_cover=mark_and_play)"
            yield Problem("drew", text, expected, "leave marked out")
        return
    wanted = [(double.tile, double.train) for double in bound]
    if marked is None or sorted((double.tile, str(double.train)) for double in marked) != sorted(
        (tile, str(train)) for tile, train in wanted
    ):
        expected = "what the tile was drawn for, as the train was opened before (failed_cover=mark_and_play)"
        yield Problem("drew", text, expected, f"write drew {drew}{marked_text(bound)}")
    elif not trains[seat].open:
        yield Problem("trains", str(seat), f"the train of seat {seat} open", f"write it as {seat}:…,open")


def _openings(
    rules: RuleSet,
    phase: str,
    seat: int,
    owed: str,
    after: OpenDouble | None,
    opening: bool,
    openings: frozenset[int],
    trains: tuple[TrainState, ...],
    doubles: tuple[OpenDouble, ...],
    boneyard: Place,
) -> Problems:
    """An opening turn begins on a train that nobody has started, and with no inherited double."""
    for other in sorted(openings):
        if trains[other].ends:
            yield Problem("openings", str(other), "seats whose train is not started", "leave it out")
    first = _first(owed, after)
    if opening:
        if phase in OVER or seat in openings:
            yield Problem("opening", "yes", "a turn that goes on, whose seat is not in openings", "correct one of them")
        if any(double.inherited for double in doubles) and rules.opening != "together":
            yield Problem("opening", "yes", "no inherited double: they make it an ordinary turn", "write opening no")
        if first and trains[seat].ends:
            yield Problem("opening", "yes", f"train {seat} not started before the first play", "write opening no")
    elif first and seat in openings:
        begins_bound = bool(doubles) or (rules.dead_double == "binds" and not len(boneyard))
        if rules.opening == "together" or not begins_bound:
            expected = f"the opening turn of seat {seat}, which is in openings"
            yield Problem("opening", "no", expected, "correct one of them")


def _lasts(rules: RuleSet, opening: bool, openings: frozenset[int]) -> bool:
    """Whether first trains are still laid as if all at once, so that no double binds."""
    return rules.opening == "together" and (opening or bool(openings))


def _pending(
    rules: RuleSet,
    owed: str,
    after: OpenDouble | None,
    opening: bool,
    skip: bool,
    penalty: bool,
    laid: tuple[Tile, ...],
) -> Problems:
    """S and D effects are pending only within an opening chain. Otherwise the turn ends, and they take effect."""
    for due, name, letter in ((skip, "skip", "S"), (penalty, "draw", "D")):
        if due and (Tile(WILD, letter) not in laid or not opening or rules.opening == "single" or _first(owed, after)):
            expected = f"*-{letter} laid in an opening chain that goes on"
            yield Problem("pending", name, expected, "leave it out; in other turns the effect has been taken")


def _blocked(
    rules: RuleSet, engine: Tile, phase: str, seat: int, trains: tuple[TrainState, ...], laid: tuple[Tile, ...]
) -> Problems:
    """A round is blocked if no tile off the table fits anywhere and the last seat's train is open."""
    if phase != "blocked":
        return
    if not trains[seat].open:
        yield Problem("trains", _name(seat, rules), "the train of the last seat open", f"write it as {seat}:…,open")
    if rules.own_train_first != "no":
        return  # It depends on what each seat holds.
    code, half = rules.tiles.half_code, rules.tiles.half
    off = _off(rules, engine, laid)
    for index, train in enumerate(trains[: rules.players] if rules.mexican_start == "never" else trains):
        for end in train.ends or (engine.high,):
            joins = int(rules.record["join"][0, code(end)])
            if any(joins >> code(other) & 1 for other in off):
                expected = f"no tile that fits the {half(code(end))} of train {_name(index, rules)}"
                yield Problem("phase", phase, expected, "the round goes on: correct phase or trains")
                return


_RULES = (
    _account, _hands, _starter, _counts, _plays, _draws, _events, _trains, _doubles, _toes, _phase, _owes, _follows,
    _drew, _marked, _openings, _pending, _blocked,
)  # fmt: skip


def _paths(rules: RuleSet, engine: Tile, trains: tuple[TrainState, ...], laid: tuple[Tile, ...]) -> Problems:
    """The laid tiles can form trains with these ends. Checked only if every joint needs two equal halves.

    This is possible if the tiles are connected to the engine and each number appears on an even number of halves. The
    open ends count too, and so does the engine's half, once for each started train. The tiles then form an Euler walk,
    which is cut at the engine.
    """
    if rules.tiles.has_wild or rules.double_rule == "chicken_foot":
        return
    halves = Counter(half for tile in laid for half in tile.halves)
    for train in trains:
        halves.update([*train.ends, engine.high] if train.ends else ())
    odd = [str(half) for half in sorted(halves, key=rules.tiles.half_code) if halves[half] % 2]
    if odd:
        expected = "ends that the tiles laid lead to, where each half but the ends meets an equal one"
        yield Problem("trains", f"unpaired {' '.join(odd)}", expected, "correct trains or laid")
    reached, waiting = {engine.high}, set(laid)
    while joined := {tile for tile in waiting if reached & set(tile.halves)}:
        waiting -= joined
        reached |= {half for tile in joined for half in tile.halves}
    if waiting:
        expected = f"tiles that lead to the engine {engine}"
        yield Problem("laid", " ".join(map(str, sorted(waiting)[:_NAMED])), expected, "correct laid or engine")


def _first(owed: str, after: OpenDouble | None) -> bool:
    """Whether the turn owes its first play."""
    return owed == "required" and after is None


def _name(index: int, rules: RuleSet) -> str:
    return "M" if index == rules.players else str(index)


def _text(place: Place) -> str:
    return f"?{place.size}" if isinstance(place, Hidden) else " ".join(map(str, place))


def _shown(tiles: tuple[Tile, ...]) -> Counter[Half]:
    """The number of tiles that show each half."""
    return Counter(half for tile in tiles for half in set(tile.halves))


def _off(rules: RuleSet, engine: Tile, laid: tuple[Tile, ...]) -> Counter[Half]:
    """The number of tiles off the table that show each half."""
    return _shown(rules.tiles.tiles) - _shown((engine, *laid))


def _released(rules: RuleSet, half: Half, engine: Tile, laid: tuple[Tile, ...], boneyard: Place) -> bool:
    """Whether an open double is released: it is dead, and under the rules a dead double no longer binds."""
    off = _off(rules, engine, laid)
    joined = off.total() if half == WILD else off[half] + off[WILD]
    return not joined and (rules.dead_double == "released" or not len(boneyard))
