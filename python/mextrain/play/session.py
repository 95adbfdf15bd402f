"""`Session`: the game at the keyboard, turn by turn, and what can be typed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

from mextrain.errors import MextrainError
from mextrain.play import advice, screen
from mextrain.play.game import Table
from mextrain.play.keyboard import Keyboard

HELP = """
  3            play move number 3
  7-6          play this tile; 7-6@M if it fits in several places (@M, @0, @1 …)
  stop         end the opening train, or keep the drawn tile
  h            hint: what each move loses against the best one
  p            the best train of your hand
  b [HALF]     where the tiles you cannot see probably are, all or those with a half
  why MOVE     why a move is not legal
  t            all trains in full
  u            take back your last move
  w [FILE]     save the game
  q            save and leave
"""


class Left(Exception):
    """The person has left the game."""


class Session:
    """A game at the keyboard. `path`: where it is saved after every move of a person; None: only with `w`."""

    def __init__(self, table: Table, keyboard: Keyboard, path: Path | None = None, hints: bool = True) -> None:
        self.table, self.keyboard, self.path, self.hints = table, keyboard, path, hints
        self._told = len(table.position.events)
        self._last_person: int | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "?": self._help, "help": self._help, "h": self._hint, "hint": self._hint, "p": self._plan,
            "plan": self._plan,
            "b": self._beliefs, "beliefs": self._beliefs, "why": self._why, "t": self._trains, "trains": self._trains,
            "u": self._undo, "undo": self._undo, "w": self._write, "save": self._write, "q": self._quit,
            "quit": self._quit, "exit": self._quit,
        }  # fmt: skip

    def run(self) -> None:
        """Play until the match is over or the person leaves. Raises `EOFError` at the end of input."""
        match = self.table.match
        while True:
            try:
                self._round()
            except Left:
                return
            self._after_round()
            if match.over:
                return
            match.next_round()
            self._told = 0

    def save(self) -> None:
        """Save the game if it has a file."""
        if self.path is not None:
            self.table.save(self.path)

    # -- one round

    def _round(self) -> None:
        position, people = self.table.position, self.table.people
        while not position.over:
            if position.seat not in people:
                self.table.bots_move()
                continue
            self._turn(position.seat)
            position = self.table.position

    def _turn(self, seat: int) -> None:
        """Show the table to a person, and take answers until a move is made."""
        position = self.table.position
        if len(self.table.people) > 1 and self._last_person != seat:
            self._hand_over(seat)
        self._last_person = seat
        self._tell_events(seat)
        self._show(seat)
        moves = len(position.events)
        while len(position.events) == moves and position.seat == seat:
            answer = self.keyboard.ask("> ")
            word, _, rest = answer.partition(" ")
            command = self._commands.get(word.lower())
            if command is not None:
                command(rest.strip())
            elif not answer:
                self._show(seat)
            else:
                self._play(answer)

    def _hand_over(self, seat: int) -> None:
        self.keyboard.clear()
        if self.keyboard.interactive:
            self.keyboard.ask(f"{self.table.names[seat]}, press Enter when only you can see the screen ")
        else:
            self.keyboard.tell(["", f"-- {self.table.names[seat]} --"])

    def _play(self, answer: str) -> None:
        position = self.table.position
        found = advice.meant(position, answer)
        if len(found) > 1:
            self.keyboard.tell(f"which one: {', '.join(found)}?")
        elif not found:
            told = advice.why_not(position, answer)
            self.keyboard.tell(f"{told.rstrip('.')} (? tells what can be typed)" if "legal" not in told else told)
        else:
            position.play(found[0])
            self.save()

    def _show(self, seat: int) -> None:
        table, match = self.table, self.table.match
        position = table.position
        head = f"round {len(match.rounds)} of {table.rules.rounds}" if table.rules.rounds > 1 else ""
        lines = [*screen.board(position, table.names, head), *screen.hand(position, seat), *screen.duty(position)]
        self.keyboard.tell([*lines, *screen.moves(position)])

    def _tell_events(self, you: int) -> None:
        events = self.table.position.events[self._told :]
        self._told = len(self.table.position.events)
        self.keyboard.tell(screen.told(events, self.table.names, you))

    def _after_round(self) -> None:
        table, position = self.table, self.table.position
        people = table.people
        self._tell_events(people[0] if len(people) == 1 else -1)
        self.save()
        number = len(table.match.rounds)
        winner = position.winner
        won = "nobody can play, it is blocked" if winner is None else f"{table.names[winner]} went out"
        self.keyboard.tell(["", f"Round {number} is over: {won}."])
        self.keyboard.tell(screen.scores(table.names, position.points, table.match.totals))
        if table.match.over and table.rules.rounds > 1:
            winners = " and ".join(table.names[seat] for seat in table.match.winners)
            self.keyboard.tell(f"The match is over. Fewest points: {winners}.")

    # -- what can be typed

    def _help(self, _: str) -> None:
        self.keyboard.tell(HELP.strip("\n").splitlines())

    def _hint(self, _: str) -> None:
        if not self.hints:
            self.keyboard.tell("hints are off in this game")
            return
        self.keyboard.tell(advice.hint(self.table.position))

    def _plan(self, _: str) -> None:
        seat = self.table.position.seat
        assert seat is not None
        for line in advice.best_train(self.table.position, seat):
            self.keyboard.tell(textwrap.wrap(line, screen.WIDTH, subsequent_indent="  "))

    def _beliefs(self, half: str) -> None:
        seat = self.table.position.seat
        assert seat is not None
        if not self.hints:
            self.keyboard.tell("hints are off in this game")
            return
        self.keyboard.tell(advice.where(self.table.position, seat, half.upper()))

    def _why(self, move: str) -> None:
        told = advice.why_not(self.table.position, move)
        self.keyboard.tell(textwrap.wrap(told, screen.WIDTH))

    def _trains(self, _: str) -> None:
        for train, tiles in screen.trains(self.table.position).items():
            name = screen.whose(train, self.table.names, self.table.position.seat)
            text = f"{name}: {' '.join(tiles) or 'not started'}"
            self.keyboard.tell(textwrap.wrap(text, screen.WIDTH, subsequent_indent="  "))

    def _undo(self, _: str) -> None:
        if not self.table.undo():
            self.keyboard.tell("there is no move of yours in this round to take back")
            return
        # The turn of the person who decided then begins again.
        self._told = len(self.table.position.events)
        self.save()

    def _write(self, name: str) -> None:
        path = Path(name) if name else self.path
        if path is None:
            self.keyboard.tell("where to? For example: w game.jsonl")
            return
        try:
            self.table.save(path)
        except (OSError, MextrainError) as error:
            self.keyboard.tell(f"not saved: {error}")
            return
        self.path = path
        self.keyboard.tell(f"saved; mextrain play --resume {path} goes on with it")

    def _quit(self, _: str) -> None:
        self.save()
        raise Left
