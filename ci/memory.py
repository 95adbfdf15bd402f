"""Check for memory leaks: bulk play in every form, and refused moves, long enough for a leak to show.

    python ci/memory.py                                       20 million rounds, a million refused moves: minutes
    python ci/memory.py --rounds 200000 --refusals 20000      what the tests run

Each part runs in slices, and the resident memory is read after each slice. The first tenth is warm-up; its peak is
compared with the peak of the rest. The exit code is 1 if the peak grew by more than the limit of the part.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mextrain import Batch, BatchPolicy, IllegalMove, Position, RuleSet, simulate

SLICES = 200
MB = 1e6


def resident() -> int:
    """Resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(what: str, work: Callable[[int, int], None], count: int, limit: float) -> bool:
    """Run `work(first, number)` in slices, print how far memory grew, and return whether that is below `limit` MB."""
    began, size, peaks = time.perf_counter(), max(1, count // SLICES), []
    for number in range(SLICES):
        work(number * size, size)
        peaks.append(resident())
    warm = max(peaks[: SLICES // 10])
    grown = (max(peaks[SLICES // 10 :]) - warm) / MB
    seconds = time.perf_counter() - began
    counted = f"{what:<28}{SLICES * size:>12,} in {seconds:6.1f} s"
    print(f"{counted}: {warm / MB:6.1f} MB, grown by {grown:+.2f} MB", flush=True)
    return grown < limit


MEXICAN, SUPER = RuleSet.mexican(4, rounds=1), RuleSet.super(4, rounds=1)


def plain(first: int, rounds: int) -> None:
    """Built-in policies, two threads, both presets."""
    simulate(MEXICAN, games=rounds - rounds // 4, first_game=first, workers=2)
    simulate(SUPER, games=rounds // 4, first_game=first, workers=2)


def recorded(first: int, rounds: int) -> None:
    """The same with all moves kept."""
    simulate(MEXICAN, games=rounds, first_game=first, workers=2, record_actions=True)


def asked(first: int, rounds: int) -> None:
    """A Python policy decides."""
    simulate(MEXICAN, games=rounds, first_game=first, policies=BatchPolicy(Batch.random_moves))


def refused(first: int, plays: int) -> None:
    """Illegal plays, each of which raises an exception."""
    position = Position.deal(SUPER, seed=first)
    illegal = [text for text in ("12-12@0", "0-1@M", "stop", "*-A@3") if text not in position.legal_texts()]
    for number in range(plays):
        try:
            position.play(illegal[number % len(illegal)])
        except IllegalMove:
            continue
        sys.exit("an illegal play was accepted")


def main() -> int:
    """Run all parts; 0 if memory stayed flat in each."""
    parser = argparse.ArgumentParser(description="does memory stay flat?")
    parser.add_argument("--rounds", type=int, default=20_000_000)
    parser.add_argument("--refusals", type=int, default=1_000_000)
    args = parser.parse_args()
    flat = [
        growth("rounds", plain, args.rounds, 20),
        growth("rounds with moves kept", recorded, args.rounds // 10, 20),
        growth("rounds of a Python policy", asked, args.rounds // 100, 20),
        growth("refused plays", refused, args.refusals, 5),
    ]
    return 0 if all(flat) else 1


if __name__ == "__main__":
    sys.exit(main())
