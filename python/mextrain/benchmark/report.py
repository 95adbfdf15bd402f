"""Measurements as text for people, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from mextrain.benchmark.runs import METHOD, Run
from mextrain.benchmark.saved import Change

WIDTH = 100


def text(environment: dict[str, Any], starting: dict[str, float], runs: Sequence[Run]) -> str:
    """Return a header, a block for each job with a line for each backend, and the startup times."""
    versions = ", ".join(f"{name} {environment[name]}" for name in ("mextrain", "python", "numba", "llvmlite", "numpy"))
    machine = f"{environment['cpu']}, code for {environment['code_for']}, processors to use:"
    load = "" if environment["load"] is None else f", load {environment['load']}"
    lines = [
        *_wrapped(f"{machine} {environment['usable_processors']}{load}"),
        *_wrapped(versions),
        *_wrapped(f"method: {METHOD}"),
    ]
    for _, job in groupby(runs, lambda run: (run.rules, run.policy, run.workers)):
        lines += ["", *_block(list(job))]
    lines += [
        "",
        f"CPU time of a process: Python alone {starting['python_seconds']:.2f} s, import mextrain "
        f"{starting['import_seconds']:.2f} s, one game {starting['one_game_seconds']:.2f} s",
    ]
    return "\n".join(lines)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _block(runs: list[Run]) -> Iterable[str]:
    one = runs[0]
    workers = "1 worker" if one.workers == 1 else f"{one.workers} workers"
    options = "".join(f", {key}={value}" for key, value in one.rules.items() if key not in ("preset", "players"))
    checked = f"{one.games:,} games, {one.repeats} times by each backend: all with hash {one.hash}"
    yield from _wrapped(
        f"{one.preset}, {one.players} players, {one.tile_set}{options}; policy {one.policy}; {workers}, {one.clock}"
    )
    yield from _wrapped(checked)
    yield (
        f"{'backend':<9}{'M turns/s':>10}{'ns/turn':>9}{'x C':>6}{'M plays/s':>10}{'M decisions/s':>14}"
        f"{'ns/decision':>12}{'rounds/s':>12}{'cold s':>7}{'warm s':>7}"
    )
    for run in runs:
        ratio = "-" if run.ratio_to_c is None else f"{run.ratio_to_c:.2f}"
        cold = "-" if run.compile_seconds is None else f"{run.compile_seconds:.2f}"
        yield (
            f"{run.backend:<9}{run.turns_per_second / 1e6:>10.2f}{run.ns_per_turn:>9.2f}{ratio:>6}"
            f"{run.plays_per_second / 1e6:>10.2f}{run.decisions_per_second / 1e6:>14.2f}{run.ns_per_decision:>12.2f}"
            f"{run.rounds_per_second:>12,.0f}{cold:>7}{run.first_call_seconds:>7.2f}"
        )
    if one.ratio_note:
        yield from _wrapped(f"no ratio to C: {one.ratio_note}")
    used = ", ".join(f"{run.bytes_per_game:,} ({run.backend})" for run in runs)
    kept = f"a game: {used} bytes while it is played, {one.result_bytes_per_game:,} bytes of results"
    peak = "" if one.peak_memory_bytes is None else f"; most memory of a process: {one.peak_memory_bytes / 1e6:.0f} MB"
    yield from _wrapped(kept + peak)


def changes_text(changes: Sequence[Change]) -> str:
    """Return a line for each backend of each job: what it took and takes, the change of speed, and the verdict."""
    lines = [
        f"{'':<54}{'ns/turn then':>13}{'now':>8}{'x as fast':>11}",
    ]
    for one in changes:
        name = f"{one.job}, {one.backend}"
        interval = f"({one.low:.2f} … {one.high:.2f})"
        lines.append(f"{name:<54}{one.saved_ns:>13.2f}{one.ns:>8.2f}{one.times:>11.2f} {interval}")
        lines.append(f"  {one.verdict}")
    return "\n".join(lines)
