"""Draws the pictures of docs/performance.md from the results of `bench.record` and `bench.peers`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

BACKENDS = {"lockstep": ("lockstep backend", "o", "#0b6e4f"), "scalar": ("scalar backend", "s", "#2a6fbb")}
TWIN = "#b3541e"
GREY = "#8a8a8a"
LOOP = "#7a3b8f"


def draw_speed(line: Mapping[str, Any], file: Path) -> None:
    """Turns per second on one core by number of players: markers for the backends, a line for the C twin."""
    plt = _pyplot()
    presets = {"mexican": "Mexican Train", "super": "Super Train"}
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for axis, (preset, title) in zip(axes, presets.items(), strict=True):
        for backend in ("c", *BACKENDS):
            runs = [run for run in line["sweep"] if (run["preset"], run["backend"]) == (preset, backend)]
            points = sorted((run["players"], run["turns_per_second"] / 1e6) for run in runs)
            if not points:
                continue
            x, y = zip(*points, strict=True)
            if backend == "c":
                axis.plot(x, y, color=TWIN, linewidth=2, label="hand-written C")
            else:
                name, mark, colour = BACKENDS[backend]
                axis.plot(x, y, mark, color=colour, markersize=6, label=name)
        axis.set(title=title, xlabel="players", xticks=range(2, 15, 2), ylim=(0, None))
        _tidy(axis)
    axes[0].set_ylabel("million turns a second of one core")
    axes[0].legend(frameon=False)
    _save(figure, file)


def draw_rounds(line: Mapping[str, Any], file: Path) -> None:
    """CPU time by number of rounds, both logarithmic, with straight lines for a constant time per round."""
    plt = _pyplot()
    figure, axis = plt.subplots(figsize=(5, 3.4), layout="constrained")
    for backend, (name, mark, colour) in BACKENDS.items():
        rows = [row for row in line["scaling"]["rounds"] if row["backend"] == backend]
        if rows:
            x, y = [row["rounds"] for row in rows], [row["seconds"] for row in rows]
            axis.plot(x, [y[-1] / x[-1] * rounds for rounds in x], color=GREY, linewidth=1)
            axis.plot(x, y, mark, color=colour, label=name)
    axis.plot([], [], color=GREY, linewidth=1, label="equal time for each round")
    axis.set(xscale="log", yscale="log", xlabel="rounds", ylabel="CPU seconds")
    axis.legend(frameon=False)
    _tidy(axis)
    _save(figure, file)


def draw_peers(line: Mapping[str, Any], peers: Mapping[str, Any], file: Path) -> None:
    """Decisions per second on one core in random play: bars on a logarithmic scale."""
    plt = _pyplot()
    ours = [
        (
            f"mextrain, {run['players']} players, {run['backend']}",
            run["decisions_per_second"],
            BACKENDS[run["backend"]][2],
        )
        for run in line["runs"]
        if (run["preset"], run["players"], run["policy"], run["workers"]) == ("mexican", 4, "random", 1)
        and run["backend"] in BACKENDS
    ]
    theirs = [
        (
            f"{row['library']}, {row['game'].replace('_', ' ')}, {row['way']}",
            row["actions_per_second"],
            LOOP if row["library"] == "mextrain" else GREY,
        )
        for row in peers["rows"]
    ]
    bars = sorted([*ours, *theirs], key=lambda bar: bar[1])
    names, values, colours = zip(*bars, strict=True)
    figure, axis = plt.subplots(figsize=(8, 0.6 + 0.27 * len(bars)), layout="constrained")
    axis.barh(names, values, color=colours, height=0.7)
    axis.set(xscale="log", xlabel="decisions a second of one core, random play")
    for place, value in enumerate(values):
        axis.text(value * 1.1, place, _short(value), va="center", fontsize=8)
    axis.set_xlim(min(values) / 3, max(values) * 5)
    axis.margins(y=0.01)
    _tidy(axis, "x")
    _save(figure, file)


def _short(value: float) -> str:
    return f"{value / 1e6:.3g} M" if value >= 1e6 else f"{value / 1e3:.3g} k"


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    # The same numbers give the same file: fixed ids, and text that is not converted to paths.
    matplotlib.rcParams.update({"svg.hashsalt": "mextrain", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    return pyplot


def _tidy(axis: Any, lines: str = "y") -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis=lines, color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)


def _save(figure: Any, file: Path) -> None:
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None, dpi=110)
    _pyplot().close(figure)
    if file.suffix == ".svg":
        # Remove trailing blanks.
        text = "\n".join(part.rstrip() for part in file.read_text(encoding="utf-8").splitlines())
        file.write_text(text + "\n", encoding="utf-8")
