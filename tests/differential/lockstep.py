"""Plays a round with the kernels and the slow rulebook side by side, and compares them at every decision.

The kernel side is read directly from the STATE struct, with separate tables: nothing of `mextrain.position` is used, so
that a fault there cannot hide one here. A decision takes about twenty microseconds on either side.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from mextrain import Actions, RuleSet
from mextrain_core.game import events
from mextrain_core.game.deal import deal
from mextrain_core.game.movegen import is_legal, legal_ids, legal_mask, legal_moves
from mextrain_core.game.score import score
from mextrain_core.game.turn import advance, play, play_unchecked
from mextrain_core.model.limits import NONE, STOP
from mextrain_core.model.state import BLOCKED, OUT, PHASE_OVER, new_states
from tests.reference.options import Rules
from tests.reference.rulebook import Round

OWED = ("required", "bonus", "chain")
ENDS = {OUT: "out", BLOCKED: "blocked"}
EVERY = 16
"""Hands, all action ids and illegal plays are compared at one decision in this many."""

Choice = Callable[[list[str]], str]


class Disagreement(AssertionError):
    """The kernels and the rulebook differ; the message says how to reproduce it."""


@cache
def reference_rules(rules: RuleSet) -> Rules:
    """The rules in the rulebook's form."""
    return Rules.from_record(rules.to_dict())


@cache
def action_texts(actions: Actions) -> dict[int, str]:
    """The text of every 16-bit move; rule sets of the same tiles and players share them."""
    return {int(code): actions.text(i) for i, code in enumerate(actions.codes(np.arange(actions.count)).tolist())}


@cache
def action_codes(actions: Actions) -> dict[str, np.uint64]:
    """The 16-bit move of every text, by action id."""
    return {text: np.uint64(code) for code, text in action_texts(actions).items()}


class Kernels:
    """One round in a STATE struct, read as the rulebook's texts."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.record = rules.record
        self.feet = rules.double_rule == "chicken_foot"
        self.tiles = [str(tile) for tile in rules.tiles]
        self.halves = rules.tiles.tables.half_names
        self.texts = action_texts(rules.actions)
        self.codes = action_codes(rules.actions)
        self.states = new_states(1)
        self.log = np.zeros(1024, events.EVENT)
        self.moves = np.zeros(4096, np.uint16)
        self.ids = np.zeros(4096, np.uint16)
        self.words = np.zeros((rules.action_count + 63) // 64, np.uint64)
        self.events: list[str] = []
        # A struct with fields as views takes a fifth of the time of indexing the array by name each time.
        self.field = {name: self.states[name] for name in self.states.dtype.names or ()}

    def get(self, name: str) -> int:
        return int(self.field[name][0])

    def deal(self, seed: int, game: int, engine: str, starter: int | None) -> None:
        half = self.halves.index(engine.partition("-")[0])
        seat = NONE if starter is None else starter
        deal(self.states, 0, self.record, *map(np.uint64, (seed, game, half, seat)))

    def begin(self) -> None:
        advance(self.states, 0, self.record, self.log)
        self._read_events()

    def play(self, text: str, checked: bool) -> bool:
        if checked:
            done = bool(play(self.states, 0, self.record, self.log, self.codes[text]))
        else:
            play_unchecked(self.states, 0, self.record, self.log, self.codes[text])
            done = True
        if done:
            self._read_events()
        return done

    def _read_events(self) -> None:
        count = self.get("events")
        assert count <= len(self.log)
        for kind, seat, data, _ in self.log[:count].tolist():
            if kind == events.PLAY:
                self.events.append(f"{seat}:{self.texts[data]}")
            elif kind == events.DRAW:
                self.events.append(f"{seat}:draw {self.tiles[data]}")
            elif kind == events.FORCED_DRAW:
                self.events.append(f"{seat}:forced-draw {self.tiles[data]}")
            elif kind != events.NO_PLAY:
                names = {events.STOPPED: "stop", events.OPEN: "open", events.SKIP: "skip"}
                self.events.append(f"{seat}:{names[kind]}")

    def legal(self) -> list[str]:
        count = legal_moves(self.states, 0, self.record, self.moves)
        return [self.texts[move] for move in self.moves[:count].tolist()]

    def legal_ids(self) -> list[int]:
        return self.ids[: legal_ids(self.states, 0, self.record, self.ids)].tolist()

    def mask(self) -> list[int]:
        legal_mask(self.states, 0, self.record, self.words)
        return np.flatnonzero(np.unpackbits(self.words.view(np.uint8), bitorder="little")).tolist()

    def mask_is(self, ids: list[int]) -> bool:
        """Whether `mask()` equals `ids`, in a fraction of the time."""
        legal_mask(self.states, 0, self.record, self.words)
        return int.from_bytes(self.words.astype("<u8").tobytes(), "little") == sum(1 << number for number in ids)

    def accepted(self, moves: Iterable[str]) -> list[str]:
        """Those of `moves` that `is_legal` accepts."""
        states, record, codes = self.states, self.record, self.codes
        return [text for text in moves if is_legal(states, 0, record, codes[text])]

    def bits(self, name: str) -> set[int]:
        value = self.get(name)
        return {i for i in range(16) if value >> i & 1}

    def table(self) -> dict[str, object]:
        """The table and the play owed, by the names of the rulebook."""
        players = self.rules.players
        halves = self.halves
        end_half = self.field["end_half"][0, : players + 1].tolist()
        count = self.get("double_count")
        fresh = self.bits("fresh")
        doubles = self.field["double_train"][0, :count].tolist()
        return {
            "turns": self.get("turns"),
            "plays": self.get("plays"),
            "draws": self.get("draws"),
            "attempts": self.get("attempts"),
            "started": self.bits("started"),
            "open": self.bits("open"),
            "opening": bool(self.get("opening")),
            "owed": OWED[self.get("owed")],
            "drawn": None if self.get("drawn") == NONE else self.tiles[self.get("drawn")],
            "direction": 1 if self.get("step") == 1 else -1,  # 1 with two players, where both directions are the same
            "boneyard_size": self.get("boneyard_size"),
            "doubles": [(f"{halves[end_half[t]]}-{halves[end_half[t]]}", t, t in fresh) for t in doubles],
            "ends": self._several_ends() if self.feet else [[halves[e]] for e in end_half],
            "skip": bool(self.get("skip")),
            "penalty": bool(self.get("penalty")),
            "hand_count": self.field["hand_count"][0, :players].tolist(),
        }

    def _several_ends(self) -> list[list[str]]:
        halves = self.halves
        counts = self.field["end_count"][0, : self.rules.players + 1].tolist()
        ends = [[halves[h] for h, n in enumerate(row) for _ in range(n)] for row in counts]
        if self.get("double_count"):
            # The counts do not contain the half of an unfinished foot yet.
            train = int(self.field["double_train"][0, 0])
            ends[train].append(halves[int(self.field["end_half"][0, train])])
        return [sorted(row) for row in ends]

    def hands(self) -> list[list[str]]:
        """Hands by seat, in the order of the tiles' indices; `*-A` as often as it is held."""
        rows = self.field["hand"][0, : self.rules.players]
        bits = rows[:, :, None] >> np.arange(rows.shape[1], dtype=np.uint32) & 1
        assert np.array_equal(bits, bits.transpose(0, 2, 1)), "a hand's matrix is not symmetric"
        tables = self.rules.tiles.tables
        hands: list[list[str]] = [[] for _ in range(self.rules.players)]
        for seat, tile in zip(*(found.tolist() for found in np.nonzero(bits[:, tables.hi, tables.lo])), strict=True):
            if self.tiles[tile] != "*-A":
                hands[seat].append(self.tiles[tile])
            elif self.tiles[tile - 1] != "*-A":
                hands[seat] += ["*-A"] * int(self.field["a_count"][0, seat])
        return hands

    def boneyard(self) -> list[str]:
        words = self.field["boneyard"][0].tolist()
        return [tile for i, tile in enumerate(self.tiles) if words[i >> 6] >> (i & 63) & 1]

    def points(self) -> list[int]:
        out = np.zeros(self.rules.players, np.int64)
        score(self.states, 0, self.record, out)
        return out.tolist()


def table_of(book: Round) -> dict[str, object]:
    """The same facts from the rulebook."""
    return {
        "turns": book.turns,
        "plays": book.plays,
        "draws": book.draws,
        "attempts": book.attempts,
        "started": book.started,
        "open": book.open_trains,
        "opening": book.opening,
        "owed": book.owed,
        "drawn": book.drawn,
        "direction": book.direction if book.players > 2 else 1,
        "boneyard_size": len(book.boneyard),
        "doubles": [(d.tile, d.train, not d.inherited) for d in book.doubles],
        "ends": book.ends,
        "skip": book.skip_pending,
        "penalty": book.draw_pending,
        "hand_count": [len(hand) for hand in book.hands],
    }


def compare_round(
    rules: RuleSet, seed: int, game: int, engine: str, starter: int | None, choices: int, policy: str = "random"
) -> Kernels:
    """Play the round on both sides with the same choices (a seed of `random.Random`); raises `Disagreement`.

    `policy`: `random`, or `mean`, which prefers doubles, stops and other seats' trains and so leads to rarer states.
    """
    if starter is None and isinstance(rules.starter, int):
        starter = rules.starter
    book = Round.dealt(reference_rules(rules), seed, game, engine, starter)
    kernels = Kernels(rules)
    kernels.deal(seed, game, engine, starter)
    dice = random.Random(choices)
    order = {tile: i for i, tile in reversed(list(enumerate(kernels.tiles)))}

    def check(name: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            raise Disagreement(
                f"{name}: the kernels say {ours!r}, the rulebook says {theirs!r}\n"
                f"  after {len(book.events)} events, the last: {' '.join(book.events[-8:])}\n"
                f"  hands {book.hands}\n  boneyard {book.boneyard}\n"
                f"  kernels:  {kernels.table()}\n  rulebook: {table_of(book)}\n"
                f"  legal by kernels {kernels.legal()}\n  legal by rulebook {book.legal()}\n"
                f"again: compare_round(RuleSet.from_dict({rules.to_dict()!r}), {seed}, {game}, {engine!r}, "
                f"{starter!r}, {choices}, {policy!r})"
            )

    def by_index(hands: list[list[str]]) -> list[list[str]]:
        return [sorted(hand, key=order.__getitem__) for hand in hands]

    check("hands as dealt", kernels.hands(), by_index(book.dealt_hands))
    check("starter", kernels.get("starter"), book.starter)
    kernels.begin()
    decisions = 0
    every = list(kernels.codes)
    while True:
        check("events", kernels.events, book.events)
        check("over", kernels.get("phase") == PHASE_OVER, book.over)
        ours, theirs = kernels.table(), table_of(book)
        if book.over:
            # When a round is over, the fields of its last turn have no meaning.
            for name in ("owed", "drawn", "doubles", "opening", "skip", "penalty"):
                del ours[name], theirs[name]
        check("table", ours, theirs)
        rare = decisions % EVERY == 0 or book.over
        if rare:
            check("hands", kernels.hands(), by_index(book.hands))
            check("boneyard", kernels.boneyard(), sorted(book.boneyard, key=order.__getitem__))
        if book.over:
            break
        check("seat", kernels.get("seat"), book.seat)
        legal = kernels.legal()
        check("legal", legal, book.legal_by_id())
        ids = book.legal_ids()
        check("legal ids", kernels.legal_ids(), ids)
        if not kernels.mask_is(ids):
            check("mask", kernels.mask(), ids)
        if rare:
            asked = kernels.codes if decisions % (EVERY * 8) == 0 else sorted({*legal, *dice.choices(every, k=50)})
            lawful = set(legal)
            check("is_legal", kernels.accepted(asked), [text for text in asked if text in lawful])
            refuse_some(kernels, legal, every, dice, check)
        choice = choose(legal, dice, policy, rules.players, kernels.get("seat"))
        check("play", kernels.play(choice, checked=decisions % 2 == 0), True)
        book.play(choice)
        decisions += 1
    check("legal after the end", [kernels.legal(), kernels.legal_ids(), kernels.mask()], [[], [], []])
    check("end", ENDS.get(kernels.get("end")), book.end)
    check("winner", None if kernels.get("winner") == NONE else kernels.get("winner"), book.winner)
    check("points", kernels.points(), book.points)
    return kernels


def choose(legal: list[str], dice: random.Random, policy: str, players: int, seat: int) -> str:
    """One of the legal actions."""
    if policy == "mean" and dice.random() < 0.8:
        doubles = [text for text in legal if (half := text.partition("@")[0].split("-")) and half[0] == half[-1]]
        letters = [text for text in legal if not text.isascii() or any(letter in text for letter in "ADRST")]
        others = [text for text in legal if not text.endswith(f"@{seat}")]
        for liked in (doubles, letters, others):
            if liked and dice.random() < 0.6:
                return dice.choice(liked)
    return dice.choice(legal)


def refuse_some(
    kernels: Kernels, legal: list[str], every: list[str], dice: random.Random, check: Callable[..., None]
) -> None:
    """Illegal moves and meaningless codes are refused, and no bit of the state changes."""
    before = kernels.states.tobytes()
    for code in dice.choices(every, k=4):
        if code not in legal:
            check(f"refusal of {code}", kernels.play(code, checked=True), False)
    for number in (STOP + 1, 0xFFFF, 2**63, dice.getrandbits(16), dice.getrandbits(14)):
        if kernels.texts.get(number) not in legal:
            refused = not play(kernels.states, 0, kernels.record, kernels.log, np.uint64(number))
            check(f"refusal of the code {number:#x}", refused, True)
    check("the state after refusals", kernels.states.tobytes(), before)
