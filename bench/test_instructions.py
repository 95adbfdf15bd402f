"""Instruction counts: without valgrind, and the evaluation of its output."""

from __future__ import annotations

import pytest

from bench import emulated, instructions


def test_without_valgrind_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert instructions.instructions() == {}


def test_what_comes_before_playing_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process costs a million instructions and each turn 300."""
    turns = [int(count) for count in instructions.turns_of_games(instructions.MANY)]

    def count(backend: str, games: int) -> dict[str, int]:
        return {name: 1_000_000 + 300 * sum(turns[:games]) for name in instructions.EVENTS}

    monkeypatch.setattr(instructions.shutil, "which", lambda _: "valgrind")
    monkeypatch.setattr(instructions, "count", count)
    monkeypatch.setattr(instructions, "warm_up", lambda _: None)
    found = instructions.instructions()
    assert {"scalar", "c"} <= set(found)
    assert all(events == dict.fromkeys(instructions.EVENTS, 300) for events in found.values())


def test_counts_are_read_from_what_valgrind_prints() -> None:
    printed = "==1== Events    : Ir Bc Bcm Bi Bim\n==1== Collected : 1000 400 30 60 2\n==1== \n"
    assert instructions.read_counts(printed) == {"instructions": 1000, "branches": 460, "mispredictions": 32}


def test_counts_are_read_from_what_the_plugin_prints() -> None:
    printed = "a warning\nCollected : 1000 600 30\n"
    assert emulated.read_counts(printed) == {"instructions": 1000, "vector": 600, "branches": 30}
