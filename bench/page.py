"""The generated parts of docs/performance.md and README.md, each between two comments with its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Line = Mapping[str, Any]

RULES = {"mexican": "Mexican Train", "super": "Super Train"}
NAMES = {"scalar": "scalar", "lockstep": "lockstep", "c": "hand-written C"}


def filled(text: str, line: Line, peers: Mapping[str, Any]) -> str:
    """The page with every generated part rewritten; raises `ValueError` for an unknown part."""

    def part(match: re.Match[str]) -> str:
        name = match[1]
        if name not in PARTS:
            raise ValueError(f"the page has a part '{name}': expected one of {', '.join(PARTS)}")
        return f"<!-- {name} -->\n{PARTS[name](line, peers)}\n<!-- end of {name} -->"

    return re.sub(r"<!-- ([a-z]+) -->\n.*?<!-- end of \1 -->", part, text, flags=re.DOTALL)


def table(heading: Sequence[str], rows: Iterable[Sequence[str]], numbers_from: int = 1) -> str:
    """A table in Markdown; columns from `numbers_from` on are right-aligned."""
    rule = ["---" if i < numbers_from else "--:" for i in range(len(heading))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, rule, *rows))


def millions(value: float) -> str:
    """A number in millions, with at least three digits."""
    return f"{value / 1e6:.0f}" if value >= 1e8 else f"{value / 1e6:.1f}"


def ratio_of(run: Line) -> str:
    """Speed relative to the hand-written C in the same run, or a dash."""
    return "–" if run["ratio_to_c"] is None else f"{run['ratio_to_c']:.2f}"


def machine(line: Line, peers: Line) -> str:
    """Machine, date and versions."""
    here = line["environment"]
    versions = ", ".join(f"{name} {here[name]}" for name in ("mextrain", "python", "numba", "llvmlite", "numpy"))
    return (
        f"Measured on {line['date']} (commit {line['commit']}): {here['cpu']}, code for {here['code_for']}, "
        f"{here['usable_processors']} processors, load {here['load']} when it began; {versions}."
    )


def speed(line: Line, peers: Line) -> str:
    """The standard games by backend."""
    rows = []
    for run in line["runs"]:
        game = f"{RULES[run['preset']]}, {run['players']} players, {run['policy']}"
        rates = (millions(run[f"{what}_per_second"]) for what in ("turns", "plays", "decisions"))
        rounds = f"{run['rounds_per_second'] / 1e6:.2f}"
        rows.append((game, NAMES[run["backend"]], *rates, rounds, f"{run['ns_per_turn']:.1f}", ratio_of(run)))
    units = ("M turns/s", "M plays/s", "M decisions/s", "M rounds/s", "ns a turn", "× C")
    return table(("game", "backend", *units), rows, numbers_from=2)


def headline(line: Line, peers: Line) -> str:
    """The headline figures of README.md, with their source."""
    rows = []
    for run in line["runs"]:
        if _four_random(run) and run["backend"] != "c":
            what = f"turns of {RULES[run['preset']]}, backend `{run['backend']}`"
            rows.append((what, millions(run["turns_per_second"]), ratio_of(run)))
    for what, key in HEADLINES.items():
        costs = (value for name, value in line["pieces"][key].items() if name.startswith("ns per"))
        rows.append((what, millions(1e9 / next(costs)), "–"))
    here = line["environment"]
    note = (
        f"Measured on {line['date']} on one core of an {here['cpu']}, Python {here['python']}, CPU time, four players. "
        "`mextrain bench` measures the turns on your machine, `make bench` everything."
    )
    return f"{table(('what', 'millions a second', '× hand-written C'), rows)}\n\n{note}"


HEADLINES = {
    "play-outs of a Mexican Train round from its 25th play on": "test_playouts: test_play_out[lockstep-mexican-4]",
    "samples of the tiles that a seat cannot see": "test_hidden: test_samples_along_a_chain[mexican-4]",
    "rounds played at random and written to an archive": "test_archive: test_write[mexican-4]",
    "shuffled decisions read from an archive for a learner": "test_archive: test_decisions[mexican-4-shuffled]",
}
"""Further figures of README.md, with the benchmark that they come from."""


def _four_random(run: Line) -> bool:
    return (run["players"], run["policy"]) == (4, "random")


def plain(line: Line, peers: Line) -> str:
    """The plain rulebook compared with the backends."""
    slow = line["plain_python"]["turns_per_second"]
    ours = {
        run["backend"]: run["turns_per_second"] / slow
        for run in line["runs"]
        if run["preset"] == "mexican" and _four_random(run)
    }
    names = (name for name in ("scalar", "lockstep") if name in ours)
    times = "".join(f" The {name} backend plays {ours[name]:,.0f} times as many." for name in names)
    return f"The same rules in plain Python, with lists and sets, play {slow:,.0f} turns a second.{times}"


def cold(line: Line, peers: Line) -> str:
    """Compiling, starting, and memory."""
    rows = [
        (
            f"{RULES[run['preset']]}, {run['players']} players, {run['policy']}",
            NAMES[run["backend"]],
            f"{run['compile_seconds']:.1f} s",
            f"{run['first_call_seconds']:.2f} s",
            f"{run['bytes_per_game']:,}",
            f"{run['peak_memory_bytes'] / 1e6:.0f} MB",
        )
        for run in line["runs"]
    ]
    heading = ("game", "backend", "first game, cold", "first game, warm", "bytes a game", "peak of the process")
    starts = line["starts"]
    python, importing, one_game = (starts[f"{name}_seconds"] for name in ("python", "import", "one_game"))
    note = (
        f"A process takes {python:.2f} s of CPU time if Python alone starts, {importing:.2f} s with `import mextrain`, "
        f"and {one_game:.2f} s with one game."
    )
    return f"{table(heading, rows, numbers_from=2)}\n\n{note}"


def pieces(line: Line, peers: Line) -> str:
    """The speed of the parts, on Mexican Train and Super Train with four players."""
    found = line["pieces"]
    rows = []
    for what, key in PIECES.items():
        cells = []
        for rules in ("mexican-4", "super-4"):
            known = rules == "mexican-4" or "{rules}" in key
            extra = found.get(key.format(rules=rules), {}) if known else {}
            costs = (f"{value:,.4g} {name}" for name, value in extra.items() if name.startswith("ns per"))
            cells.append(next(costs, "–"))
        rows.append((what, *cells))
    size = found.get("test_archive: test_write[mexican-4]", {}).get("bytes per round")
    note = "" if size is None else f"\n\nAn archive takes {size:.0f} bytes a round."
    return table(("part", "Mexican Train", "Super Train"), rows) + note


PIECES = {
    "deal a round": "test_deal: test_deal[{rules}]",
    "play a given move, the forced steps after it included": "test_apply: test_apply[{rules}]",
    "list the legal moves": "test_movegen: test_legal[{rules}-list]",
    "list their ids": "test_movegen: test_legal[{rules}-ids]",
    "write the mask": "test_movegen: test_legal[{rules}-mask]",
    "whole games, scalar, random": "test_rollout: test_random[{rules}]",
    "whole games, lockstep, random": "test_lockstep: test_random[{rules}]",
    "play a copy out after 25 plays, scalar": "test_playouts: test_play_out[scalar-{rules}]",
    "play copies out after 25 plays, lockstep": "test_playouts: test_play_out[lockstep-{rules}]",
    "sample hidden tiles after 25 plays, along a chain": "test_hidden: test_samples_along_a_chain[{rules}]",
    "write an observation": "test_hidden: test_observation[{rules}]",
    "`simulate`, one worker": "test_simulate: test_simulate[1]",
    "its summary": "test_simulate: test_summary",
    "write an archive": "test_archive: test_write[{rules}]",
    "read it back": "test_archive: test_read[{rules}]",
    "replay and check its rows": "test_archive: test_check[{rules}]",
    "shuffled decisions for learners": "test_archive: test_decisions[{rules}-shuffled]",
}
"""The rows with the benchmark that each comes from; one without rules is about Mexican Train."""


def instructions(line: Line, peers: Line) -> str:
    """Counts by callgrind."""
    rows = [
        (NAMES[name], *(f"{counts[event]:.1f}" for event in ("instructions", "branches", "mispredictions")))
        for name, counts in line["instructions"].items()
    ]
    return table(("backend", "instructions", "branches", "mispredicted"), rows)


QUIET = 0.1
"""If other processes use more of the processors than this share, wall-clock times are meaningless."""


def workers(line: Line, peers: Line) -> str:
    """Scaling with threads."""
    rows = [
        (
            NAMES[row["backend"]],
            str(row["workers"]),
            f"{row['per_cpu_second']:.2f}",
            "–" if row["others"] is None else f"{row['others']:.0%}",
            f"{row['speedup']:.2f}" if row["others"] is None or row["others"] <= QUIET else "not measurable",
        )
        for row in line["scaling"]["workers"]
        if row["workers"] > 1
    ]
    heading = ("backend", "workers", "work in a CPU second", "taken by other processes", "times as fast, wall clock")
    return table(heading, rows)


def rounds(line: Line, peers: Line) -> str:
    """Scaling with rounds."""
    found: dict[int, dict[str, Line]] = {}
    for row in line["scaling"]["rounds"]:
        found.setdefault(row["rounds"], {})[row["backend"]] = row
    backends = list(dict.fromkeys(row["backend"] for row in line["scaling"]["rounds"]))
    rows = [
        (
            f"{number:,}",
            *(f"{by_backend[name]['seconds']:.3g} s" for name in backends),
            *(f"{by_backend[name]['ns_per_round']:,.0f}" for name in backends),
        )
        for number, by_backend in found.items()
    ]
    heading = ("rounds", *(f"{name}, CPU time" for name in backends), *(f"{name}, ns a round" for name in backends))
    return table(heading, rows, numbers_from=0)


def others(line: Line, peers: Mapping[str, Any]) -> str:
    """Comparison with other libraries."""
    rows = [
        (
            row["library"],
            row["game"],
            str(row["players"]),
            row["way"],
            f"{row['actions_per_game']:.0f}",
            _thousands(row["actions_per_second"]),
        )
        for row in peers["rows"]
    ]
    heading = ("library", "game", "players", "way", "actions a game", "actions a second")
    versions = ", ".join(f"{name} {version}" for name, version in peers["versions"].items())
    return table(heading, rows, numbers_from=4) + f"\n\nMeasured on {peers['date']}: {peers['cpu']}; {versions}."


def _thousands(value: float) -> str:
    return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value / 1e3:,.0f} k"


PARTS: dict[str, Callable[[Line, Line], str]] = {
    "headline": headline,
    "machine": machine,
    "speed": speed,
    "plain": plain,
    "cold": cold,
    "pieces": pieces,
    "instructions": instructions,
    "workers": workers,
    "rounds": rounds,
    "peers": others,
}
"""The parts by name."""
