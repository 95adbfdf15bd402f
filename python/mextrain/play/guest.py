"""Our policies as a bot for another host: answers `mextrain-bot/1` on two streams (docs/bots.md)."""

from __future__ import annotations

import json
from typing import TextIO

import numpy as np

from mextrain.bulk.one_decision import Deciders
from mextrain.errors import MextrainError, one_line
from mextrain.game.rules import RuleSet
from mextrain.hidden.follow import Follower
from mextrain.position import Position


class Guest:
    """Plays `policy`, a built-in policy or a search, for the host at the other end of `source` and `target`."""

    def __init__(self, policy: str, source: TextIO, target: TextIO) -> None:
        self._policy, self._source, self._target = policy, source, target
        self._rules: RuleSet | None = None
        self._deciders: Deciders | None = None
        self._round: Follower | None = None
        # Everything is compiled before `ready`, because decisions have a time limit.
        self._warm_up()

    def run(self) -> None:
        """Answer until the host says `quit` or closes its end."""
        for line in self._source:
            words = line.split()
            first = words[0] if words else ""
            if first == "quit":
                return
            if first == "mextrain-bot":
                self._say(f"ready name mextrain-{self._policy}")
            elif first == "rules":
                self._begin(line.partition(" ")[2])
            elif first == "round":
                self._begin_round(words[1:])
            elif first == "event" and self._round is not None:
                self._hear(line.strip().removeprefix("event "))
            elif first == "decide":
                self._decide(words)
            elif first == "end":
                self._round = None

    def _say(self, line: str) -> None:
        print(line, file=self._target, flush=True)

    def _begin(self, text: str) -> None:
        self._rules = self._deciders = self._round = None
        try:
            self._rules = RuleSet.from_dict(json.loads(text))
            self._deciders = Deciders(self._rules, self._policy)
        except (MextrainError, ValueError) as error:
            self._complain(error)

    def _begin_round(self, words: list[str]) -> None:
        self._round = None
        if self._rules is None:
            return
        place = words.index("hand") if "hand" in words else len(words)
        facts = dict(zip(words[:place:2], words[1:place:2], strict=False))
        try:
            self._round = Follower(
                self._rules,
                engine=facts["engine"],
                starter=int(facts["starter"]),
                seat=int(facts["seat"]),
                hand=words[place + 1 :],
                sizes=[int(size) for size in facts["sizes"].split(",")] if "sizes" in facts else None,
            )
        except (MextrainError, KeyError, ValueError) as error:
            self._complain(error)

    def _hear(self, text: str) -> None:
        assert self._round is not None
        try:
            self._round.add(text)
        except MextrainError as error:
            self._complain(error)
            self._round = None

    def _decide(self, words: list[str]) -> None:
        legal = words[words.index("legal") + 1 :] if "legal" in words else []
        move = self._move(words, legal) if len(legal) > 1 else None
        if legal:
            self._say(f"play {move if move in legal else legal[0]}")

    def _move(self, words: list[str], legal: list[str]) -> str | None:
        """Return the move of the policy; None, after a line `info`, if the round cannot be followed."""
        if self._round is None or self._deciders is None or self._rules is None:
            return None
        word = int(words[words.index("word") + 1], 16) if "word" in words else 0
        try:
            position = self._round.position(seed=word)
            if sorted(position.legal_texts()) != sorted(legal):
                raise MextrainError("the host plays by other rules: its legal moves are others")
            # The policies take their random words from the key of the round; the host's word stands for it.
            position._states["key"] = np.uint64(word)
            return self._rules.actions.text(self._deciders.move(position))
        except MextrainError as error:
            self._complain(error)
            return None

    def _complain(self, error: Exception) -> None:
        self._say(f"info cannot follow: {one_line(str(error))}")

    def _warm_up(self) -> None:
        rules = RuleSet.mexican(2, rounds=1)
        position = Position.deal(rules, seed=0)
        deciders = Deciders(rules, self._policy)
        while position.seat is not None and len(position.legal_moves()) < 2:
            position.play(position.legal_moves()[0])
        if position.seat is None:
            return
        seat = position.seat
        follower = Follower(
            rules, engine=position.engine, starter=position.starter, seat=seat, hand=position.start.hands[seat]
        )
        for event in position.events:
            hidden = event.is_draw and event.seat != seat
            follower.add(f"{event.seat}:{event.kind} ?" if hidden else event.text)
        deciders.move(follower.position())


def serve(policy: str, source: TextIO, target: TextIO) -> None:
    """Play `policy` for a host. Raises `PolicyError` for an unknown policy."""
    Guest(policy, source, target).run()

