"""Adapter of the kernels for scenarios, through `mextrain.Position`."""

from __future__ import annotations

from mextrain import Position, RuleSet

from .scenario import Adapter


class PositionAdapter(Adapter):
    name = "position"

    def check_rules(self, rules):
        RuleSet.from_dict(rules)

    def start(self, rules, engine, starter, hands, boneyard):
        self.position = Position.setup(
            RuleSet.from_dict(rules), engine=engine, starter=starter, hands=hands, boneyard=boneyard
        )

    def seat(self):
        return self.position.seat

    def legal(self):
        return list(self.position.legal_texts())

    def play(self, text):
        self.position.play(text)

    def events(self):
        return list(map(str, self.position.events))

    def ends(self):
        return [list(map(str, self.position.ends(train))) for train in self.position.trains]

    def open_trains(self):
        return {seat for seat in range(self.position.rules.players) if self.position.is_open(seat)}

    def open_doubles(self):
        return [
            (str(double.tile), str(double.train), "inherited" if double.inherited else "new")
            for double in self.position.open_doubles
        ]

    def opening(self):
        return self.position.opening

    def over(self):
        return self.position.over

    def end(self):
        return self.position.end

    def winner(self):
        return self.position.winner

    def points(self):
        return list(self.position.points)
