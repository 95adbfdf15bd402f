"""`BotSeat`: a seat of a round that a bot plays; it is told what its seat sees, and nothing else."""

from __future__ import annotations

import json

from mextrain.bots.limits import LIMITS
from mextrain.bots.process import BotFault, BotProcess
from mextrain.errors import MextrainError, shown
from mextrain.game.moves import Move
from mextrain.game.seeding import FIRST_POLICY_WORD, one_way_word
from mextrain.position import Position


class BotSeat:
    """Tells a bot about one round after the other, from `seat`, and asks it for moves."""

    def __init__(self, bot: BotProcess, seat: int) -> None:
        self.bot, self.seat = bot, seat
        self._told = 0
        self._rules = ""
        self._position: Position | None = None

    def follows(self, position: Position) -> bool:
        """Whether the bot can hear of this position next: it goes on from what was told, or begins another round."""
        known = self._position
        return known is None or known.over or (known.start is position.start and self._told <= len(position.events))

    def follow(self, position: Position) -> None:
        """Begin the round of a position, unless it has begun."""
        known = self._position
        if known is None or known.start is not position.start:
            if known is not None:
                self.end(known)
            self.begin(position, position.start.game, position.start.number or 0)
            self._position = position

    def begin(self, position: Position, game: int, number: int) -> None:
        """Begin a round, which is at its first decision."""
        rules = json.dumps(position.rules.to_dict())
        if rules != self._rules:
            self._rules = rules
            self.bot.tell(f"rules {rules}")
        hand = " ".join(map(str, position.start.hands[self.seat]))
        sizes = ",".join(str(len(hand)) for hand in position.start.hands)
        more = "" if position.rules.engine_from == "set_aside" else f"sizes {sizes} "
        self.bot.tell(
            f"round game {game} round {number} engine {position.engine} starter {position.starter} "
            f"seat {self.seat} {more}hand {hand}"
        )
        self._told = 0

    def move(self, position: Position) -> Move:
        """Return the bot's move in a position in which its seat has to decide. Raises `BotFault`."""
        self._tell_events(position)
        milliseconds = LIMITS.milliseconds
        word = one_way_word(int(position._states["key"][0]), FIRST_POLICY_WORD + position.attempts - 1)
        legal = position.legal_texts()
        self.bot.tell(f"decide time {milliseconds} word {word:016x} legal {' '.join(legal)}")
        text = self.bot.ask(milliseconds / 1000, ("play",)).partition(" ")[2].strip()
        if text not in legal:
            raise BotFault(f"its answer {shown(text)} is none of the legal moves: {self._why(position, text)}")
        return position._move(text)

    def end(self, position: Position) -> None:
        """Tell the end of a round; the bot hears it with the next question, or before it is asked to quit."""
        self._tell_events(position)
        how = "blocked" if position.winner is None else f"out {position.winner}"
        self.bot.tell(f"end {how} points {' '.join(map(str, position.points))}")

    def _tell_events(self, position: Position) -> None:
        events = position.events
        for event in events[self._told :]:
            hidden = event.is_draw and event.seat != self.seat
            self.bot.tell(f"event {event.seat}:{event.kind} ?" if hidden else f"event {event.text}")
        self._told = len(events)

    def _why(self, position: Position, text: str) -> str:
        try:
            return position.why_illegal(text) or ""
        except MextrainError as error:
            return str(error)
