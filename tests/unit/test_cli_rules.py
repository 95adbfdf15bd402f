"""The command line: `mextrain rules`, and the errors of all commands."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

import mextrain
from mextrain import OPTIONS, MextrainError, RuleSet
from mextrain.cli import COMMANDS, build_parser, main
from mextrain.cli import rules as command
from mextrain_core.model.options import BRANDS, PRESETS, SHEETS
from tests import limits


def failure(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr of a command that must fail with code 2."""
    try:
        code: object = main(argv)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.endswith("\n")
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("mextrain")
    return captured.err


def test_the_catalogue_lists_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    text = capsys.readouterr().out
    words = f" {' '.join(text.split())} "
    for option in OPTIONS.values():
        assert f"{option.name}: {option.meaning} (section {option.section})" in words
        for value, meaning in option.lines.items():
            assert f" {value} {meaning} " in words
    assert "      1 … 94  this many" in text
    assert "13-14 players: double-18, 11 tiles each" in text
    assert "    8 players: super, 11 tiles each" in text


def test_the_catalogue_says_who_prints_what(capsys: pytest.CaptureFixture[str]) -> None:
    """Every preset is under the heading of its printer, with the text that it plays and its own options."""
    assert main(["rules"]) == 0
    text, _, _ = capsys.readouterr().out.partition("\nOptions: ")
    words = " ".join(text.split())
    for name, preset in PRESETS.items():
        assert preset.printed_by in (BRANDS, SHEETS)
        before, found, after = words.partition(f" {name}: {preset.meaning} plays: {preset.plays} differs: ")
        assert found
        assert after.startswith(f"{preset.deviates} ")
        assert (SHEETS in before) == (preset.printed_by == SHEETS)
        for option, value in preset.options.items():
            assert f" {option}={value}" in after


def test_the_catalogue_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    catalogue = json.loads(capsys.readouterr().out)
    assert list(catalogue["options"]) == list(OPTIONS)
    for name, option in OPTIONS.items():
        assert catalogue["options"][name]["values"] == option.lines
    assert catalogue["presets"]["super"]["players"]["5"] == {"tile_set": "super", "hand_size": 16}
    assert catalogue["presets"]["super"]["defaults"]["max_uncovered"] == 1
    assert catalogue["presets"]["mexican"]["defaults"]["max_uncovered"] is None


def test_resolved_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--rules", "super", "--players", "5", "--option", "opening=chain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rules = RuleSet.super(5, opening="chain")
    described, lines = lines[: lines.index("")], lines[lines.index("") - 1 :]
    assert " ".join(described) == rules.describe().splitlines()[0]
    assert [line.split() for line in lines if line.startswith("* opening")] == [["*", "opening", "chain"]]
    shown = {line[2:].split()[0]: line[2:].split()[1] for line in lines[2 : 2 + len(OPTIONS)]}
    assert shown == {name: "none" if value is None else str(value) for name, value in rules.options().items()}
    assert f"action ids: {rules.action_count}" in lines


def test_resolved_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["rules", "--json", "--rules", "super", "--option", "max_uncovered=none", "--option", "starter=2"]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    rules = RuleSet.super(4, max_uncovered=None, starter=2)
    assert RuleSet.from_dict(found["rules"]) == rules
    assert found["options"] == rules.options()
    assert found["engines"] == [str(engine) for engine in rules.engines]
    assert (found["tiles"], found["boneyard"], found["actions"]) == (112, 39, 1031)


def test_players_as_flag_or_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--option", "players=7"]) == 0
    assert capsys.readouterr().out.startswith("mexican, 7 players")
    assert main(["rules", "--players", "7"]) == 0
    assert capsys.readouterr().out.startswith("mexican, 7 players")


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["nonsense"], "nonsense"),
        (["rules", "--nonsense"], "--nonsense"),
        (["rules", "extra"], "extra"),
        (["rules", "--rules"], "--rules"),
        (["rules", "--rules", "mexicn"], "did you mean mexican"),
        (["rules", "--players", "x"], "'x'"),
        (["rules", "--players", ""], "''"),
        (["rules", "--players", "4.0"], "'4.0'"),
        (["rules", "--players", "1"], "2 … 14"),
        (["rules", "--players", "15"], "2 … 14"),
        (["rules", "--players", "9" * 5000], "whole number"),
        (["rules", "--option", "opening"], "KEY=VALUE"),
        (["rules", "--option", "opening=chian"], "did you mean chain"),
        (["rules", "--option", "opning=chain"], "did you mean opening"),
        (["rules", "--players", "14", "--option", "tile_set=double-12", "--option", "hand_size=12"], "169"),
        (["rules", "--players", "3", "--option", "players=4"], "came before"),
        (["rules", "--option", "double_rule=chicken_foot", "--rules", "super"], "feet on feet"),
        (["rules", "--option", "line\nbreak=1"], "no"),
        (["rules", "--rul", "super"], "--rul"),
    ],
)
def test_faults_are_one_line_and_code_2(argv: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = failure(argv, capsys)
    assert word in line
    assert len(line) < 500


@pytest.mark.parametrize(
    ("error", "code"), [(MextrainError("a\nb"), 2), (OSError(28, "no space"), 2), (KeyboardInterrupt(), 130)]
)
def test_what_a_command_raises(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(args: object) -> int:
        raise error

    monkeypatch.setattr(command, "run", fail)
    assert main(["rules"]) == code
    err = capsys.readouterr().err
    assert err.startswith("mextrain rules: ")
    assert err.count("\n") == 1


def test_a_fault_of_ours_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: object) -> int:
        raise mextrain.InternalError("a round that does not end")

    monkeypatch.setattr(command, "run", fail)
    with pytest.raises(mextrain.InternalError):
        main(["rules"])


def test_every_command_explains_itself() -> None:
    parser = build_parser()
    text = parser.format_help()
    for name in COMMANDS:
        assert name in text
        with pytest.raises(SystemExit) as caught:
            parser.parse_args([name, "--help"])
        assert caught.value.code == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"mextrain {mextrain.__version__}\n"


def test_the_installed_script(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("mextrain")
    done = limits.run([script, "rules", "--players", "4"], cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("mexican, 4 players")


def test_a_terminal_without_the_characters() -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for argv, code in ((["rules"], 0), (["rules", "--players", "1"], 2), (["--help"], 0)):
        done = limits.run([sys.executable, "-m", "mextrain", *argv], text=False, env=env)
        assert done.returncode == code
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device to write to")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        program = [sys.executable, "-m", "mextrain", "rules"]
        done = limits.run(program, stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith("mextrain rules: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="pipes close otherwise here")
def test_a_closed_pipe_is_silent() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "mextrain", "rules"]
    with os.fdopen(writing, "w") as out:
        done = limits.run(program, stdout=out)
    assert done.returncode == 141
    assert done.stderr == ""
