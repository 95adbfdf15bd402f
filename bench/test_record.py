"""The history, and the page and pictures generated from it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench import page, plots, record, scaling
from bench.test_checker import TIMES
from mextrain.benchmark.backends import backends_for

LINES = [json.loads(text) for text in record.HISTORY.read_text(encoding="utf-8").splitlines()]
PEERS = json.loads(record.PEERS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['date']}-{line['commit']}")
def test_a_line_of_the_history_is_complete(line: dict[str, object]) -> None:
    assert line["format"] == record.FORMAT
    sections = {"environment", "runs", "sweep", "starts", "plain_python", "pieces", "scaling", "instructions"}
    assert set(line) == {"format", "date", "commit", *sections}


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['date']}-{line['commit']}")
def test_the_backends_played_the_same(line: dict[str, list[dict[str, object]]]) -> None:
    for section in ("runs", "sweep"):
        games = {(run["preset"], run["players"], run["policy"], run["games"]) for run in line[section]}
        results = {(*list(run.values())[:3], run["games"], run["hash"]) for run in line[section]}
        assert len(results) == len(games) < len(line[section])


def test_the_last_run_is_far_ahead_of_plain_python() -> None:
    line = LINES[-1]
    for run in line["runs"]:
        assert run["turns_per_second"] > TIMES * line["plain_python"]["turns_per_second"]


@pytest.mark.parametrize("path", record.PAGES, ids=lambda path: path.name)
def test_a_page_shows_the_last_run(path: Path) -> None:
    """If it fails after a change of the page or of `bench.page`: python -m bench.record --redraw."""
    text = path.read_text(encoding="utf-8")
    assert page.filled(text, LINES[-1], PEERS) == text


def test_every_part_has_its_place() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in record.PAGES)
    assert sorted(re.findall(r"<!-- (\w+) -->", text)) == sorted(page.PARTS)


def test_every_part_of_the_page_follows_the_figures() -> None:
    """With other figures the page changes: each part depends on its figures."""

    def doubled(value: object) -> object:
        if isinstance(value, dict):
            return {key: doubled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [doubled(each) for each in value]
        return value * 2 if isinstance(value, float) else value

    other = {**doubled(LINES[-1]), "date": "2001-01-01"}  # type: ignore[dict-item]
    for name, part in page.PARTS.items():
        assert part(other, doubled(PEERS)) != part(LINES[-1], PEERS), name  # type: ignore[arg-type]


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has a part 'weather': expected one of headline, "):
        page.filled("<!-- weather -->\n<!-- end of weather -->", LINES[-1], PEERS)


def test_tables_are_square() -> None:
    for name, part in page.PARTS.items():
        rows = [line.count("|") for line in part(LINES[-1], PEERS).splitlines() if line.startswith("|")]
        assert len(set(rows)) <= 1, name


def test_the_pictures_can_be_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        plots.draw_speed(LINES[-1], tmp_path / name / "speed.svg")
        plots.draw_rounds(LINES[-1], tmp_path / name / "rounds.svg")
        plots.draw_peers(LINES[-1], PEERS, tmp_path / name / "peers.svg")
    for file in (tmp_path / "one").iterdir():
        text = file.read_text(encoding="utf-8")
        assert text == (tmp_path / "two" / file.name).read_text(encoding="utf-8")
        assert (record.PICTURES / file.name).is_file()
    assert "hand-written C" in (tmp_path / "one" / "speed.svg").read_text(encoding="utf-8")


def test_numbers_are_shortened() -> None:
    line = {**LINES[-1], "starts": {"python_seconds": 0.123456789, "import_seconds": 1234567.89, "one_game_seconds": 1}}
    assert list(record.slim(line)["starts"].values()) == [0.12346, 1234600, 1]


def test_workers_play_all_games() -> None:
    rows = scaling.scale_workers(0.002, 2)
    assert {row["backend"] for row in rows} == {
        backend.name for backend in backends_for(scaling.RULES, ("random",) * 4, 1).found
    }
    for row in rows:
        assert row["others"] is None or 0 <= row["others"] <= 1
        assert row["workers"] > 1 or row["speedup"] == row["per_cpu_second"] == 1


def test_rounds_are_measured_by_tens() -> None:
    for row in scaling.scale_rounds(3):
        assert row["backend"] in ("scalar", "lockstep")
        assert row["rounds"] == 77 * 13
        assert row["ns_per_round"] == pytest.approx(row["seconds"] / row["rounds"] * 1e9, abs=0.1)
