"""Plays games in which bots sit, on positions, one game after the other (docs/bots.md)."""

from __future__ import annotations

import sys
import threading

import numpy as np

from mextrain.bots.limits import LIMITS
from mextrain.bots.process import POOL, BotFault, BotProcess
from mextrain.bots.seat import BotSeat
from mextrain.bulk.one_decision import Deciders
from mextrain.bulk.results import BLOCKED, OUT, Rounds
from mextrain.bulk.seat_policies import Seats
from mextrain.errors import PolicyError, one_line
from mextrain.game.moves import Move
from mextrain.game.rules import RuleSet
from mextrain.game.seeding import mix
from mextrain.match import Match
from mextrain.position import Position
from mextrain_core.bulk.rollout import HASH_FACTOR

_WORD = 2**64 - 1


class _Forfeits:
    """The games in which a bot failed and `random` played on, since somebody last asked: (game, seat)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: list[tuple[int, int]] = []

    def add(self, game: int, seat: int) -> None:
        with self._lock:
            self._found.append((game, seat))

    def take(self) -> list[tuple[int, int]]:
        """Return all, and forget them."""
        with self._lock:
            found, self._found = self._found, []
        return found


FORFEITS = _Forfeits()
"""The forfeits of this process."""


class BotPlayer:
    """Plays ranges of games in which bots decide for some of the seats. Each seat has its own process."""

    def __init__(self, rules: RuleSet, seats: Seats, seed: int) -> None:
        self._rules, self._seats, self._seed = rules, seats, seed
        self._deciders = Deciders(rules, seats)
        self._forfeit = Deciders(rules, "random")

    def warm_up(self) -> None:
        """Start every bot once, so that one that cannot be started is found before any game."""
        bots = [POOL.take(command) for command in self._seats.commands if command is not None]
        for bot in bots:
            POOL.give_back(bot)

    def play(self, first_game: int, rounds: Rounds, actions: np.ndarray) -> tuple[int, int]:
        """Play `rounds.games` games; arguments and result are the same as for `simulate.Player.play`."""
        total = moves = 0
        for game in range(rounds.games):
            table = _Game(self._rules, self._seats, Match(self._rules, seed=self._seed, game=first_game + game))
            try:
                for number, position in enumerate(table.match):
                    played = self._round(table, position, number)
                    if actions.size:
                        actions[moves : moves + len(played)] = [move.code for move in played]
                    moves += len(played)
                    rounds.points[game, number] = position.points
                    winner = -1 if position.winner is None else position.winner
                    end = BLOCKED if position.winner is None else OUT
                    counts = (position.turns, position.plays, position.draws, len(played))
                    rounds.facts[game, number] = (end, winner, position.starter, *counts)
                    total += _hash(position, end)
            finally:
                table.leave()
        return total & _WORD, moves

    def _round(self, table: _Game, position: Position, number: int) -> list[Move]:
        for bot in table.bots.values():
            bot.begin(position, table.match.game, number)
        played = []
        while not position.over:
            move = self._move(table, position, number)
            played.append(move)
            position.play_unchecked(move)
        for bot in table.bots.values():
            bot.end(position)
        return played

    def _move(self, table: _Game, position: Position, number: int) -> Move:
        seat = position.seat
        assert seat is not None
        if seat in table.forfeited:
            return self._forfeit.move(position)
        bot = table.bots.get(seat)
        if bot is None:
            return self._deciders.move(position)
        try:
            return bot.move(position)
        except BotFault as fault:
            what = (
                f"the bot {bot.bot.command} of seat {seat} failed in game {table.match.game}, round {number}, "
                f"before event {len(position.events)}: {fault}; the last line heard from it was {bot.bot.heard!r}"
            )
            table.lose(seat)
            if LIMITS.on_fault == "stop":
                raise PolicyError(one_line(what, 2000)) from None
            FORFEITS.add(table.match.game, seat)
            print(f"forfeit: {one_line(what, 2000)}", file=sys.stderr, flush=True)
            return self._forfeit.move(position)


class _Game:
    """A match, its bots by seat, and the seats whose bots have failed in it."""

    def __init__(self, rules: RuleSet, seats: Seats, match: Match) -> None:
        self.match = match
        self.bots: dict[int, BotSeat] = {}
        self.forfeited: set[int] = set()
        try:
            for seat, command in enumerate(seats.commands):
                if command is not None:
                    self.bots[seat] = BotSeat(POOL.take(command), seat)
        except BaseException:
            self.leave()
            raise

    def lose(self, seat: int) -> None:
        """End the bot of a seat for this match; a new process plays the next one."""
        self.bots.pop(seat).bot.kill()
        self.forfeited.add(seat)

    def leave(self) -> None:
        """Give back the bots; those in the middle of a round are ended, as they could not begin another one."""
        bots: list[BotProcess] = [seat.bot for seat in self.bots.values()]
        self.bots.clear()
        for bot in bots:
            if self.match.over:
                POOL.give_back(bot)
            else:
                bot.kill()


def _hash(position: Position, end: int) -> int:
    """Return the hash of a finished round, as the kernels compute it."""
    total, factor = position.starter, int(HASH_FACTOR)
    for value in (end, position.turns, position.plays, position.draws, *position.points):
        total = (total * factor + value) & _WORD
    return mix(int(position._states["key"][0]) + total & _WORD)
