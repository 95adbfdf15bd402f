"""Every wrong input to a command that plays: one clear line, exit code 2, and no file changed."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from tests import limits
from tests.cli.run import fail, run, without_notice

COMMANDS = ("selfplay", "record", "stats", "bench")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder for commands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(command: str, **changes: str | None) -> list[str]:
    """Valid arguments of a command, with `changes`; None omits a flag."""
    flags: dict[str, str | None] = {"rules": "mexican", "players": "4"}
    if command == "bench":
        flags |= {"milliseconds": "1", "repeats": "2"}
    else:
        flags |= {"games": "1", "seed": "1"}
    if command in ("selfplay", "record"):
        flags["out"] = "out"
    flags |= changes
    given = {name: value for name, value in flags.items() if value is not None}
    return [command, *(text for name, value in given.items() for text in (f"--{name}", value))]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("rules", "mexicn", "did you mean mexican"),
        ("players", "15", "2 … 14"),
        ("players", "four", "'four' is not usable: expected a whole number, 2 … 14"),
        ("players", "-1", "'-1'"),
        ("option", "opening", "KEY=VALUE"),
        ("option", "=", "the name of an option"),
        ("option", "opening=chian", "did you mean chain"),
        ("option", "nonsense=1", "the name of an option"),
        ("option", "players=5", "came before"),
        ("option", "hand_size=23", "a deal that fits"),
        ("policy", "rando", "did you mean random"),
        ("policy", "random,random", "2 policies for 4 players"),
        ("policy", "", "''"),
        ("policy", "random,random,random,", "''"),
        ("nonsense", "1", "--nonsense"),
    ],
)
def test_rules_and_policies(
    command: str, name: str, value: str, word: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert word in fail(capsys, *arguments(command, **{name: value}))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", ["selfplay", "record", "stats"])
@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("games", "0", "'0'"),
        ("games", "-3", "'-3'"),
        ("games", "1.5", "'1.5'"),
        ("games", "1e-3", "'1e-3'"),
        ("games", "1.5e0", "'1.5e0'"),
        ("games", "1_0", "'1_0'"),
        ("games", "1e99", "whole number"),
        ("games", "", "''"),
        ("games", "many", "'many'"),
        ("games", "9" * 5000, "whole number"),
        ("games", "٣", "whole number"),
        ("seed", "-1", "-1"),
        ("seed", "18446744073709551616", "2**64 - 1"),
        ("seed", "0x10", "0x10"),
        ("seed", "", "''"),
        ("first-game", "-1", "'-1'"),
        ("first-game", str(2**59), "whole number"),
        ("first-game", str(2**59 - 1), "games"),
    ],
)
def test_games_and_seeds(
    command: str, name: str, value: str, word: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = {name: value}
    if name == "first-game":
        # Two games from the last possible number on are one too many.
        changes["games"] = "2"
    assert word in fail(capsys, *arguments(command, **changes))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", ["selfplay", "stats", "bench"])
@pytest.mark.parametrize("workers", ["0", "-1", "two", "1.5", "1000000"])
def test_workers(command: str, workers: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"'{workers}'" in fail(capsys, *arguments(command, workers=workers))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (arguments("selfplay", games=None), "--games"),
        (arguments("selfplay", out=None), "--out"),
        (arguments("selfplay", **{"shard-games": "0"}), "'0'"),
        (arguments("record", games=None), "--games"),
        (arguments("bench", repeats="0"), "'0'"),
        (arguments("bench", milliseconds="0"), "'0'"),
        ([*arguments("stats"), "extra"], "extra"),
        (["selfplay", "--games"], "--games"),
        ([*arguments("stats"), "--option"], "--option"),
    ],
)
def test_flags(argv: list[str], word: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert word in fail(capsys, *argv)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("extra", [[], ["--resume"]])
def test_selfplay_into_what_is_no_empty_folder(
    extra: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "file").write_text("mine")
    (folder / "full").mkdir()
    (folder / "full" / "notes").write_text("mine")
    assert "file is a file" in fail(capsys, *arguments("selfplay", out="file"), *extra)
    assert "file" in fail(capsys, *arguments("selfplay", out="file/below"), *extra)
    assert "other files (notes)" in fail(capsys, *arguments("selfplay", out="full"), *extra)
    assert (folder / "file").read_text() == "mine"
    assert [path.name for path in (folder / "full").iterdir()] == ["notes"]


def test_another_job_in_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments("selfplay")).returncode == 0
    before = {path: path.read_bytes() for path in (folder / "out").rglob("*.*")}
    assert any(path.suffix == ".parquet" for path in before)
    for extra in ([], ["--resume"]):
        line = fail(capsys, *arguments("selfplay", seed="2"), *extra)
        assert "out holds another job: its seed is 1, not 2" in line
    assert {path: path.read_bytes() for path in (folder / "out").rglob("*.*")} == before


def test_record_keeps_the_old_file_until_it_has_a_new_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out").write_text("mine")
    fail(capsys, *arguments("record", policy="nobody"))
    assert (folder / "out").read_text() == "mine"
    assert run(*arguments("record")).returncode == 0
    assert (folder / "out").read_text().startswith('{"format": "mextrain-round/1"')
    assert [path.name for path in folder.iterdir()] == ["out"]


def test_record_into_impossible_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "folder").mkdir()
    assert "folder" in fail(capsys, *arguments("record", out="folder"))
    assert "nowhere" in fail(capsys, *arguments("record", out="nowhere/file"))
    assert sorted(path.name for path in folder.iterdir()) == ["folder"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are others here")
def test_folders_that_may_not_be_written(folder: Path) -> None:
    """As a user without privileges, since root may write everywhere."""
    if os.geteuid() == 0:
        pytest.skip("a superuser may write everywhere")
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    for command in ("selfplay", "record"):
        done = run(*arguments(command))
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "Permission denied" in done.stderr


@pytest.mark.parametrize("command", ["record", "stats", "bench"])
def test_a_closed_pipe_is_silent(command: str, folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    argv = [sys.executable, "-m", "mextrain", *arguments(command, **({"out": None} if command == "record" else {}))]
    with os.fdopen(writing, "w") as out:
        done = limits.run(argv, stdout=out)
    assert done.returncode == 128 + signal.SIGPIPE
    assert without_notice(done.stderr) == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device to write to")
@pytest.mark.parametrize("command", ["record", "stats", "bench"])
def test_a_full_disk_is_one_line(command: str, folder: Path) -> None:
    argv = [sys.executable, "-m", "mextrain", *arguments(command, **({"out": None} if command == "record" else {}))]
    with Path("/dev/full").open("w") as full:
        done = limits.run(argv, stdout=full)
    assert done.returncode == 2
    err = without_notice(done.stderr)
    assert err.startswith(f"mextrain {command}: ")
    assert err.count("\n") == 1
