"""`mextrain selfplay`: its files and messages, and how it is stopped and resumed."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from pathlib import Path

import pytest

from mextrain import RuleSet, simulate
from mextrain.archive import read_job
from mextrain.cli import main
from mextrain.cli.progress import Meter, duration
from tests import limits
from tests.cli.interrupting import A_SECOND, interrupt
from tests.cli.run import fail, run, succeed

pq = pytest.importorskip("pyarrow.parquet")


FOLDER = "preset=mexican/players=4"


def arguments(out: Path, **changes: object) -> list[str]:
    """The arguments of a small job."""
    flags = {"rules": "mexican", "players": 4, "games": 300, "seed": 5, "shard-games": 100, "out": out, **changes}
    return ["selfplay", *(text for name, value in flags.items() for text in (f"--{name}", str(value)))]


def test_what_it_writes_and_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a folder's name"
    text = succeed(
        capsys, *arguments(out, workers=2), "--option", "rounds=2", "--policy", "random,heaviest,random,random"
    )
    rules = RuleSet.mexican(4, rounds=2)
    policies = ("random", "heaviest", "random", "random")
    played = simulate(rules, games=300, seed=5, policies=policies)
    table = pq.read_table(out)
    assert table.column("points").to_pylist() == played.points.reshape(-1, 4).tolist()
    assert rules.describe() in text
    assert "300 games, 600 rounds in " in text
    assert re.search(r"[\d,]+ rounds/s, [\d,]+ turns/s", text)
    means = "  ".join(f"{mean:.2f}" for mean in played.points.mean(axis=(0, 1)))
    assert f"points      {means} a round, by seat" in text
    assert f"blocked     {100 * (played.end == 2).mean():.2f} % of the rounds" in text
    assert f"3 files in {out}: " in text
    assert read_job(out).policies == policies


@pytest.mark.parametrize(("rounds", "games"), [(1, 1), (13, 1), (14, 2), (26, 2), (27, 3)])
def test_rounds_in_place_of_games(rounds: int, games: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole matches, the fewest with at least that many rounds; the files equal those of the same number of games."""
    flags = ["selfplay", "--rules", "mexican", "--players", "4", "--seed", "5", "--out", str(tmp_path)]
    text = succeed(capsys, *flags, "--rounds", str(rounds))
    assert f"{games} games, {13 * games} rounds in " in text
    assert read_job(tmp_path).games == games
    assert f"nothing: all {games} games" in succeed(capsys, *flags, "--games", str(games))
    assert len(pq.read_table(tmp_path)) == 13 * games


def test_rounds_and_games_are_refused_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    for flags, text in (
        (["--rounds", "5", "--games", "1"], "not allowed with argument"),
        ([], "one of the arguments --games --rounds is required"),
        (["--rounds", "0"], "expected a whole number, 1 or more"),
        (["--rounds", "1.5"], "expected a whole number, 1 or more"),
    ):
        assert text in fail(capsys, "selfplay", "--out", out, *flags)
    assert not Path(out).exists()


@pytest.mark.parametrize("folder", ["a-1/b", 'it\'s "x"', "$HOME `date`"])
def test_the_lines_that_read_it_back_work(folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, *arguments(tmp_path / folder, games=2))
    lines = dict(re.findall(r"(?m)^(read it|check it) +(.*)$", text))
    if folder == "a-1/b":
        # One pair of quotes, which works in every shell.
        assert lines["read it"].count('"') == 2
        assert "\\" not in lines["read it"]
    command = shlex.split(lines["read it"])
    assert command[:2] == ["python", "-c"]
    read = limits.output_of([sys.executable, *command[1:]])
    assert "'seed': 5" in read
    assert "'actions': [" in read
    assert "no fault" in succeed(capsys, *shlex.split(lines["check it"])[1:])


def test_verify_lists_what_is_wrong_or_mends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    first = succeed(capsys, *arguments(out), "--verify")
    assert "all there and unchanged" in succeed(capsys, *arguments(out), "--verify")
    assert "holds another job: its seed is 5, not 6" in fail(capsys, *arguments(out, seed=6), "--verify")
    path = out / FOLDER / "part-00001.parquet"
    data = path.read_bytes()
    path.write_bytes(data[:1000] + bytes([data[1000] ^ 1]) + data[1001:])
    (out / FOLDER / "part-00002.parquet").unlink()
    assert main([*arguments(out), "--verify"]) == 1
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in listed] == [f"{FOLDER}/part-00001.parquet", f"{FOLDER}/part-00002.parquet"]
    text = succeed(capsys, *arguments(out), "--resume", "--verify")
    assert "replaced    1 file that was damaged" in text
    assert path.read_bytes() == data
    assert text.partition("points")[2] == first.partition("points")[2]


def test_a_complete_job_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = succeed(capsys, *arguments(tmp_path / "out"))
    for extra in ([], ["--resume"]):
        again = succeed(capsys, *arguments(tmp_path / "out"), *extra)
        assert "nothing: all 300 games are there already" in again
        assert again.partition("points")[2] == first.partition("points")[2]


def test_resume_makes_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    first = succeed(capsys, *arguments(out))
    path = out / FOLDER / "part-00001.parquet"
    data = path.read_bytes()
    path.unlink()
    (out / FOLDER / "part-00002.parquet").write_bytes(data[:1000])
    text = succeed(capsys, *arguments(out), "--resume")
    assert "played      200 games" in text
    assert "replaced    1 file that was damaged" in text
    assert "kept        1 file of an earlier run" in text
    assert path.read_bytes() == data
    assert text.partition("points")[2] == first.partition("points")[2]


def test_ctrl_c_stops_at_once_and_can_be_resumed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = interrupt(*arguments(out, games=5_000_000, workers=2))
    assert (ended.code, ended.out) == (130, "")
    assert ended.seconds < 2 * A_SECOND
    shards = len(list(out.rglob("_part-*")))
    advice = "and the same command with --resume makes the others"
    assert ended.err == f"mextrain selfplay: interrupted; {out} holds {shards} of 50000 files, {advice}\n"
    # Only complete files: the first ones of the job, except one that the other worker had not finished.
    held = sorted(int(path.stem.removeprefix("part-")) for path in out.rglob("part-*"))
    assert held
    assert max(held) <= len(held)
    names = [f"part-{k:05}.parquet" for k in held]
    files = sorted(path.name for path in out.rglob("*.*"))
    assert files == ["_job.parquet", *(f"_part-{k:05}.parquet" for k in held), *names]
    for k, name in zip(held, names, strict=True):
        games = pq.read_table(out / FOLDER / name, columns=["game"])["game"]
        assert sorted(set(games.to_pylist())) == [*range(100 * k, 100 * (k + 1))]


def test_progress_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Meter() as meter:
        for now, done in ((30.0, 400), (33.0, 500), (41.0, 1500), (42.0, 1600), (60.0, 9900)):  # noqa: B007
            meter(done, 10_000)
    assert capsys.readouterr().err.splitlines() == [
        "1,500 of 10,000 games, 100 games/s, 1 min 25 s left",
        "9,900 of 10,000 games, 317 games/s, 0 s left",
    ]


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Meter() as meter:
        for now, done in ((0.0, 0), (0.1, 5), (1.0, 50), (2.0, 99)):  # noqa: B007
            meter(done, 100)
    text = capsys.readouterr().err
    assert "\n" not in text
    parts = text.split("\r")
    assert [part.strip() for part in parts] == [
        "", "50 of 100 games, 50 games/s, 1 s left", "99 of 100 games, 50 games/s, 0 s left", "", ""
    ]  # fmt: skip
    assert len(parts[-2]) == len(parts[1])


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7500, "2 h 5 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_without_pyarrow(tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError('No module named pyarrow', name='pyarrow')\n")
    done = run(*arguments(tmp_path / "out"), env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'mextrain[io]'" in done.stderr
    assert not (tmp_path / "out").exists()
