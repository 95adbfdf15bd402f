"""Adapter of the slow rulebook in tests/reference for scenarios."""

from __future__ import annotations

from tests.reference.options import Rules
from tests.reference.rulebook import Round

from .scenario import Adapter


class ReferenceAdapter(Adapter):
    name = "reference"

    def check_rules(self, rules):
        Rules(**rules)

    def start(self, rules, engine, starter, hands, boneyard):
        self.round = Round(Rules(**rules), engine=engine, starter=starter, hands=hands, boneyard=boneyard)

    def seat(self):
        return self.round.seat

    def legal(self):
        return list(self.round.legal())

    def play(self, text):
        self.round.play(text)

    def events(self):
        return list(self.round.events)

    def ends(self):
        return self.round.ends

    def open_trains(self):
        return self.round.open_trains

    def open_doubles(self):
        return [
            (double, train if isinstance(train, str) else self._train(train), age)
            for double, train, age in self.round.open_doubles
        ]

    def _train(self, index):
        return "M" if index == len(self.round.ends) - 1 else str(index)

    def opening(self):
        return self.round.opening

    def over(self):
        return self.round.over

    def end(self):
        return self.round.end

    def winner(self):
        return self.round.winner

    def points(self):
        return self.round.points
