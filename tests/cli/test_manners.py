"""What all commands have in common: help, numbers, suggestions, widths, notices, completion."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mextrain.bulk.policies import POLICIES
from mextrain.cli import COMMANDS, build_parser, common, compiling, main, policies
from mextrain.cli.compiling import CompileWatch
from mextrain.cli.progress import Meter
from tests import limits
from tests.cli.run import fail, succeed


def helped(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The help that a command line prints."""
    try:
        code: object = main(argv)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    return captured.out


def test_mextrain_alone_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert helped(capsys) == helped(capsys, "--help") == helped(capsys, "help")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = helped(capsys, command, "--help")
    assert text == helped(capsys, "help", command)
    assert text.split("\n\n")[1][0].isupper()
    assert "\nexamples:\n  mextrain" in text
    assert ("--policy NAME" in text) == ("\npolicies:\n" in text)


def examples() -> list[str]:
    """The examples of all commands."""
    found = []
    for parser in build_parser().commands.values():
        assert parser.epilog is not None
        found += [line.strip() for line in parser.epilog.partition("examples:")[2].splitlines() if line.strip()]
    return found


@pytest.mark.parametrize("example", examples())
def test_examples_can_be_parsed(example: str) -> None:
    for part in re.split(r"[|>#<]", example):
        words = shlex.split(part)
        if words[:1] == ["mextrain"]:
            assert build_parser().parse_args(words[1:]).run


def test_help_lists_every_policy() -> None:
    assert {name for name in policies.BUILT_IN if ":" not in name} == set(POLICIES)
    assert all(f"  {name} " in policies.policies_text() for name in (*POLICIES, "module:function"))


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("-3", -3), ("1_000_000", 10**6), ("12_345", 12345), ("1e6", 10**6), ("1E3", 1000), ("2.5e3", 2500)],
)
def test_numbers_as_people_write_them(text: str, number: int) -> None:
    assert common.whole_number(text) == number


@pytest.mark.parametrize("text", ["", "x", "1_0", "_1", "1__000", "1.5", "1e", "e6", "1.5e0", "1e-3", "0x1", "٣"])
def test_no_numbers(text: str) -> None:
    assert common.whole_number(text) is None


def test_ranges_are_honest() -> None:
    for read, told in ((common.whole(1, 2**59), "1 or more"), (common.whole(1, 1024), "1 … 1024")):
        with pytest.raises(argparse.ArgumentTypeError, match=f"expected a whole number, {told}$"):
            read("0")
    with pytest.raises(argparse.ArgumentTypeError, match="too much"):
        common.whole(1, 2**59)("1e30")


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["stats", "--policies", "random"], "did you mean --policy?"),
        (["stats", "--game=3"], "did you mean --games?"),
        (["hands", "--goal", "longst"], "did you mean longest?"),
        (["stats", "extra"], "unrecognized arguments: extra"),
        (["plan", "--hand", "3-2"], "required: --start"),
    ],
)
def test_the_command_itself_says_what_was_meant(
    argv: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = fail(capsys, *argv)
    assert hint in line
    assert line.endswith(f"(see mextrain {argv[0]} --help)\n")


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["tournement"])
    assert end.value.code == 2
    assert "did you mean tournament?" in capsys.readouterr().err


def test_games_in_a_short_form(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--option", "rounds=1", "--json"]
    short, long = (succeed(capsys, "stats", "--games", text, *flags) for text in ("1e2", "100"))
    assert short == long
    assert json.loads(short)["games"] == 100


@pytest.mark.parametrize(
    "argv",
    [
        ["stats", "--games", "20"],
        ["stats", "--games", "20", "--players", "14", "--policy", "random"],
        ["hands", "--games", "5"],
        ["hands", "--games", "5", "--players", "3"],
        ["tournament", "--deals", "2", "--option", "rounds=1", "--policy", "random,heaviest,cautious"],
        ["compare", "--games", "5", "--with", "opening=single"],
        ["compare", "--games", "5", "--with", "super", "--with", "double_rule=chicken_foot foot_ends=center"],
        ["rules"],
        ["rules", "--rules", "super"],
        ["rules", "--players", "14", "--option", "double_rule=chicken_foot"],
    ],
    ids=" ".join,
)
def test_piped_output_has_80_columns(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = succeed(capsys, *argv).splitlines()
    # The last line of `rules` names a path.
    assert [line for line in lines if len(line) > 80 and "rules --page" not in line] == []


def test_json_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, folder = str(tmp_path / "r.jsonl"), str(tmp_path / "runs")
    succeed(capsys, "record", "--games", "1", "--option", "rounds=1", "-o", file)
    commands = [
        ["check", file], ["selfplay", "--games", "2", "--option", "rounds=1", "--out", folder], ["check", folder],
        ["check", "--verify", folder], ["rules"], ["plan", "--hand", "3-2", "--start", "3"],
    ]  # fmt: skip
    found = []
    for argv in commands:
        text = succeed(capsys, *argv, "--json")
        assert text.count("\n") == 1
        found.append(json.loads(text))
    assert (found[0]["rounds"], found[0]["fault"]) == (1, None)
    assert (found[1]["rounds"], found[1]["played_games"], found[1]["files"]) == (2, 2, 1)
    assert (found[2]["rounds"], found[2]["fault"]) == (2, None)
    assert found[3]["problems"] == []
    broken = Path(file).read_text().replace('"end": "out"', '"end": "blocked"')
    Path(file).write_text(broken.replace('"winner": ', '"winner": null, "was": '))
    assert main(["check", file, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["fault"]["line"] == 1


@pytest.mark.parametrize("workers", ["2", "3"])
def test_records_do_not_depend_on_workers(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["record", "--games", "45", "--option", "rounds=1", "--seed", "3", "--first-game", "7"]
    assert succeed(capsys, *argv) == succeed(capsys, *argv, "--workers", workers)


def test_plan_takes_rules(capsys: pytest.CaptureFixture[str]) -> None:
    hand = ["plan", "--hand", "12-5 *-A 7-8", "--start", "12", "--json"]
    plain = json.loads(succeed(capsys, *hand))
    loose = json.loads(succeed(capsys, *hand, "--rules", "super", "--option", "letter_match=anywhere"))
    assert (plain["tiles"], loose["tiles"]) == (2, 3)
    blank = ["plan", "--hand", "0-0", "--start", "0", "--json", "--option", "double_blank=50"]
    assert json.loads(succeed(capsys, *blank))["points"] == 50


COMPILES = """
import sys
from mextrain.cli import compiling
compiling.NOTICE_SECONDS = 0.2
sys.argv = ["mextrain", "plan", "--hand", "3-2", "--start", "3"]
from mextrain.__main__ import main
sys.exit(main())
"""


def test_a_notice_while_kernels_are_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a cold cache one line says so; with a warm one there is none."""
    monkeypatch.setenv("MEXTRAIN_CACHE_DIR", str(tmp_path))
    cold = limits.run([sys.executable, "-c", COMPILES])
    assert cold.stderr == compiling.notice("plan") + "\n"
    assert "once (about 12 s; mextrain warmup does it ahead)" in cold.stderr
    warm = limits.run([sys.executable, "-c", COMPILES])
    assert warm.stderr == ""
    assert warm.stdout == cold.stdout


def test_meters_begin_after_compiling(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 100.0
    monkeypatch.setattr("mextrain.cli.progress.time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr("mextrain.cli.progress.FILE_SECONDS", 1.0)
    watch = CompileWatch("stats")
    monkeypatch.setattr(compiling, "_current", watch)
    with Meter() as meter:
        meter(0, 1000)
        watch.active = True
        for _ in range(30):
            now += 1
            watch.seconds += 1
            meter(0, 1000)
        watch.active = False
        assert capsys.readouterr().err == ""
        now += 2
        meter(200, 1000)
    assert capsys.readouterr().err == "200 of 1,000 games, 100 games/s, 8 s left\n"


def completed(words: list[str]) -> list[str]:
    """What bash offers for the last of these words."""
    bash = shutil.which("bash")
    assert bash is not None
    script = limits.output_of([sys.executable, "-m", "mextrain", "completion", "bash"])
    array = " ".join(map(shlex.quote, words))
    typed = f"COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}"
    program = f"{script}\n{typed}; _mextrain; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = limits.run([bash, "-c", program])
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["mextrain", "tour"], ["tournament"]),
        (["mextrain", "stats", "--pol"], ["--policy"]),
        (["mextrain", "stats", "--policy", "cau"], ["cautious"]),
        (["mextrain", "hands", "--goal", "h"], ["heaviest"]),
        (["mextrain", "stats", "--option", "opening", "=", "ch"], ["chain"]),
        (["mextrain", "stats", "--option", "double_r"], ["double_rule=anywhere", "double_rule=cover"]),
        (["mextrain", "compare", "--with", "card"], ["cardinal"]),
        (["mextrain", "compare", "--with", "opening", "=", "ch"], ["chain"]),
        (["mextrain", "help", "war"], ["warmup"]),
        (["mextrain", "completion", "z"], ["zsh"]),
    ],
)
def test_completion_in_bash(words: list[str], offered: list[str]) -> None:
    found = completed(words)
    assert set(offered) <= set(found)
    assert len(found) < 5


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_scripts_name_everything(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = succeed(capsys, "completion", shell)
    for name, parser in build_parser().commands.items():
        assert name in script
        for action in parser._actions:
            for option in action.option_strings:
                assert (option if shell == "zsh" else option.lstrip("-")) in script
    program = shutil.which(shell)
    if program:
        assert limits.run([program, "-n"], stdin=script).returncode == 0


@pytest.mark.parametrize("command", ["show", "legal", "check", "analyse", "beliefs"])
def test_a_file_that_is_not_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name and in words, without the numbers of the system."""
    assert fail(capsys, command, "gone.jsonl") == f"mextrain {command}: gone.jsonl: No such file or directory\n"


def test_one_game_is_not_games(capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, "stats", "--games", "1", "--option", "rounds=1")
    assert "\n1 game, 1 round; (…)" in text
