"""`mextrain tournament`."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mextrain import RuleSet, tournament
from mextrain.bots.limits import LIMITS
from mextrain.cli import main
from tests.cli.interrupting import interrupt
from tests.cli.run import fail, succeed

ARGUMENTS = ["tournament", "--rules", "super", "--players", "3", "--option", "rounds=2", "--seed", "9", "--deals", "12"]
RULES = RuleSet.super(3, rounds=2)


def told(capsys: pytest.CaptureFixture[str], words: str, *argv: str) -> str:
    """Run a command that succeeds and says `words` on stderr; return its output."""
    assert main(argv) == 0
    captured = capsys.readouterr()
    assert words in captured.err
    return captured.out


def test_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = succeed(capsys, *ARGUMENTS, "--policy", "heaviest,random", "--first-game", "5")
    wanted = tournament(RULES, "heaviest,random", deals=12, seed=9, first_game=5)
    assert text == f"{wanted.text(80)}\nseed 9, games 5 … 16\n"


@pytest.mark.parametrize("workers", ["1", "2", "8"])
def test_for_programs(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    extra = ["--policy", "heaviest,random,cautious", "--format", "table", "--workers", workers, "--json"]
    found = json.loads(succeed(capsys, *ARGUMENTS, *extra))
    assert found == tournament(RULES, "heaviest,random,cautious", deals=12, seed=9, format="table").to_dict()


def test_all_built_in_policies_play_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(succeed(capsys, "tournament", "--deals", "2", "--option", "rounds=1", "--json"))
    assert found["policies"] == ["random", "heaviest", "cautious", "planner"]
    assert len(found["pairs"]) == 6


def test_what_cannot_be_played_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "give two or more" in fail(capsys, "tournament", "--policy", "random")
    assert "for a table of 4 players" in fail(capsys, "tournament", "--policy", "random,random", "--format", "table")
    assert "'league'" in fail(capsys, "tournament", "--format", "league")


def test_ctrl_c_prints_what_is_finished() -> None:
    arguments = ["--policy", "random,heaviest", "--deals", str(10**12), "--seed", "9", "--json"]
    # The first deal takes two games, so after these there is a result to keep.
    ended = interrupt("tournament", *arguments, games=1000)
    assert ended.code == 130
    found = json.loads(ended.out)
    assert ended.err == f"mextrain tournament: interrupted after {found['deals']:,} deals\n"
    assert found == tournament(RuleSet.mexican(4), "random,heaviest", deals=found["deals"], seed=9).to_dict()


def test_saved_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "rounds.jsonl")
    job = ["tournament", "--option", "rounds=1", "--policy", "heaviest,random", "--seed", "3"]
    told(capsys, f"--resume {file}", *job, "--deals", "2", "-o", file)
    assert ": 4 rounds" in succeed(capsys, "check", file)
    more = json.loads(told(capsys, "more deals", "tournament", "--resume", file, "--deals", "5", "--json"))
    assert more == json.loads(succeed(capsys, *job, "--deals", "5", "--json"))
    assert ": 10 rounds" in succeed(capsys, "check", file)
    refused = fail(capsys, "tournament", "--resume", file, "--seed", "0", "--policy", "random,random")
    assert "leave out --policy, --seed" in refused
    assert "5 deals already" in fail(capsys, "tournament", "--resume", file, "--deals", "4")


def test_ctrl_c_and_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "rounds.jsonl")
    job = ["--option", "rounds=1", "--policy", "random,heaviest", "--seed", "9"]
    ended = interrupt("tournament", *job, "--deals", str(10**6), "-o", file, "--json", games=10)
    assert ended.code == 130
    assert ended.err.splitlines()[-1].endswith(f"go on with: mextrain tournament --resume {file}")
    deals = json.loads(ended.out)["deals"]
    succeed(capsys, "check", file)
    more = told(capsys, "more", "tournament", "--resume", file, "--deals", str(deals + 2), "--json")
    assert more == succeed(capsys, "tournament", *job, "--deals", str(deals + 2), "--json")


def test_killed_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SIGKILL may come at any moment; what the state does not count is played again."""
    file = str(tmp_path / "rounds.jsonl")
    job = ["--option", "rounds=1", "--policy", "random,heaviest", "--seed", "9"]
    ended = interrupt("tournament", *job, "--deals", str(10**6), "-o", file, games=100, number=signal.SIGKILL)
    assert ended.code == -signal.SIGKILL
    state = Path(f"{file}.state")
    deals = json.loads(state.read_bytes())["deals"]
    more = told(capsys, "more", "tournament", "--resume", file, "--deals", str(deals + 2), "--json")
    assert more == succeed(capsys, "tournament", *job, "--deals", str(deals + 2), "--json")
    assert f": {2 * (deals + 2):,} rounds" in succeed(capsys, "check", file)


def test_rules_that_stop_early(capsys: pytest.CaptureFixture[str]) -> None:
    job = ["tournament", "--option", "rounds=1", "--policy", "cautious,random"]
    found = json.loads(succeed(capsys, *job, "--test", "0:1", "--error", "0.01", "--json"))
    assert found["verdict"]["hypothesis"] == 1
    assert found["stopping"] == {"until": None, "test": [0.0, 1.0], "error": 0.01}
    text = succeed(capsys, *job, "--until", "9")
    assert max(map(len, text.splitlines())) <= 80
    assert "give both" in fail(capsys, *job, "--error", "0.1")
    assert "two numbers" in fail(capsys, *job, "--test", "1")
    assert "'x'" in fail(capsys, *job, "--test", "x:1")
    assert "the lower one first" in fail(capsys, *job, "--test", "1:0")
    assert "until = -1.0" in fail(capsys, *job, "--until", "-1")


def test_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    job = ["tournament", "--option", "rounds=2", "--policy", "cautious,random", "--deals", "40"]
    text = succeed(capsys, *job, "--ratings")
    assert "Elo: cautious is " in text
    assert max(map(len, text.splitlines())) <= 80
    found = json.loads(succeed(capsys, *job, "--ratings", "--json"))
    assert [each["policy"] for each in found["ratings"]] == ["cautious", "random"]
    assert "rating" not in succeed(capsys, *job)


def test_bots_have_names_and_forfeits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that plays three moves and then leaves: `random` plays on, and the table counts the matches."""
    monkeypatch.setattr(LIMITS, "on_fault", LIMITS.on_fault)
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys\nplayed = 0\nprint('ready name Short Breath', flush=True)\n"
        "for line in sys.stdin:\n"
        "    words = line.split()\n"
        "    if words and words[0] == 'decide':\n"
        "        played += 1\n"
        "        if played > 3: sys.exit(3)\n"
        "        print('play', words[words.index('legal') + 1], flush=True)\n",
        encoding="utf-8",
    )
    job = ["tournament", "--option", "rounds=1", "--policy", f"cmd:{sys.executable} {bot},random", "--deals", "1"]
    found = json.loads(told(capsys, "forfeit", *job, "--on-fault", "forfeit", "--json"))
    assert found["policies"] == ["Short Breath", "random"]
    # In both matches both seats of the bot play more than three moves.
    assert found["forfeits"] == {"Short Breath": 4, "random": 0}


def test_forfeits_have_a_column() -> None:
    found = tournament(RULES, "heaviest,random", deals=2)
    assert "forfeits" not in found.text(80)
    lines = replace(found, forfeits=(0, 3)).text(80).splitlines()
    head = next(k for k, line in enumerate(lines) if line.endswith("forfeits"))
    rows = lines[head + 1 : head + 3]
    assert sorted(row.split()[-1] for row in rows) == ["0", "3"]
