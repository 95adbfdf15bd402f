"""Bots as child processes: the same games as in this process, and every way in which a bot can fail."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import Decision, Match, Move, PolicyError, Position, RuleSet, information_key, simulate
from mextrain.bots import limits as bot_limits
from mextrain.bots.limits import LIMITS
from mextrain.bots.process import POOL, BotProcess
from mextrain.hidden.follow import Follower
from mextrain.play.guest import serve
from tests import limits
from tests.cli.run import fail

pytestmark = pytest.mark.skipif(os.name != "posix", reason="bots need a POSIX system")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "bots"
RULES = RuleSet.mexican(4, rounds=2, tile_set="double-6", hand_size=5)


@pytest.fixture(autouse=True)
def usual_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The settings of this process are as before after each test, and no bot is left."""
    before = vars(LIMITS).copy()
    monkeypatch.setattr("mextrain.bots.process.START_SECONDS", 60.0)
    yield
    vars(LIMITS).update(before)
    POOL.end()


def first(decision: Decision) -> Move:
    """What the bots called first do."""
    return decision.legal[0]


def heavy(decision: Decision) -> Move:
    """What heavy.py does."""
    rules = decision.rules

    def value(move: Move) -> int:
        text = rules.actions.text(move)
        halves = text.partition("@")[0].split("-")
        return -1 if text == "stop" else sum(int(half) if half.isdigit() else 10 for half in halves)

    best = max(map(value, decision.legal))
    choices = [move for move in decision.legal if value(move) == best]
    return choices[decision.random(len(choices))]


def commands() -> list[tuple[str, Any]]:
    """The example bots that can run here, with what they do."""
    found: list[tuple[str, Any]] = [("python", first), ("heavy", heavy)]
    found += [("awk", first)] if shutil.which("awk") else []
    found += [("node", first)] if shutil.which("node") else []
    return found + ([("c", first)] if shutil.which("cc") or shutil.which("gcc") else [])


def command(name: str, folder: Path) -> str:
    """The command of an example bot."""
    if name == "c":
        compiler = shutil.which("cc") or shutil.which("gcc")
        done = limits.run([str(compiler), "-o", str(folder / "first"), str(EXAMPLES / "first.c")])
        assert done.returncode == 0, done.stderr
        return str(folder / "first")
    if name == "awk":
        # Old mawk reads its input in blocks unless told otherwise.
        is_mawk = "mawk" in Path(str(shutil.which("awk"))).resolve().name
        return f"awk {'-W interactive ' if is_mawk else ''}-f {EXAMPLES / 'first.awk'}"
    if name == "node":
        return f"node {EXAMPLES / 'first.js'}"
    return f"{sys.executable} {EXAMPLES / ('heavy.py' if name == 'heavy' else 'first.py')}"


@pytest.mark.parametrize(("name", "function"), commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_the_same_games_in_every_language(name: str, function: Any, tmp_path: Path) -> None:
    bot = f"cmd:{command(name, tmp_path)}"
    wanted = simulate(RULES, games=2, seed=2, policies=[function, "cautious", function, "random"], record_actions=True)
    found = simulate(RULES, games=2, seed=2, policies=[bot, "cautious", bot, "random"], record_actions=True)
    assert found.hash == wanted.hash
    assert np.array_equal(found.points, wanted.points)
    assert np.array_equal(found.facts, wanted.facts)
    assert found.actions is not None
    assert np.array_equal(found.actions, wanted.actions)
    two = simulate(RULES, games=2, seed=2, policies=[bot, "cautious", bot, "random"], workers=2)
    assert two.hash == wanted.hash


def script(folder: Path, text: str) -> str:
    """The command of a bot in Python; `text` is its body, with `say` and `lines`."""
    path = folder / "bot.py"
    path.write_text(
        "import sys, os, subprocess\nfrom time import sleep as wait\n"
        "def say(text): print(text, flush=True)\n"
        f"lines = iter(sys.stdin.readline, '')\n{text}\n"
    )
    return f"{sys.executable} {path}"


READY = "next(lines); say('ready name bad')\n"
PLAYS = (
    "for line in lines:\n"
    "    words = line.split()\n"
    "    if words[0] == 'quit': break\n"
    "    if words[0] == 'decide': {}\n"
)
UNFLUSHED = "held = os.fdopen(os.dup(1), 'w'); held.write('play x'); wait(99)"
ILLEGAL = READY + PLAYS.format("say('play 6-6@9')")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("wait(1000)", "is not ready: it gave no answer within 500 ms"),
        ("sys.exit(3)", "is not ready: it ended with exit code 3"),
        ("say('hello'); sys.exit(0)", "is not ready: it ended with exit code 0"),
        (READY + "sys.exit(4)", "it ended with exit code 4"),
        (READY + PLAYS.format("os.kill(os.getpid(), 9)"), "it was ended by signal 9"),
        (READY + PLAYS.format("os.close(1); wait(1000)"), "it closed its output"),
        (READY + PLAYS.format("wait(1000)"), "it gave no answer within 500 ms (a bot must flush its output"),
        (READY + PLAYS.format(UNFLUSHED), "it gave no answer within 500 ms"),
        (READY + PLAYS.format("say('info thinking')"), "the last line heard from it was 'info thinking'"),
        (ILLEGAL, "its answer '6-6@9' is none of the legal moves"),
        (READY + PLAYS.format("say('play')"), "its answer '' is none of the legal moves"),
        (READY + PLAYS.format("print('x' * 200000, flush=True)"), "a line of more than 65,536 bytes"),
    ],
)
def test_faults_name_what_happened(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "not ready" in reason:
        monkeypatch.setattr("mextrain.bots.process.START_SECONDS", 0.5 if "500" in reason else 60.0)
    LIMITS.milliseconds = 500 if "500 ms" in reason or "heard" in reason else 60_000
    bot = f"cmd:{script(tmp_path, text)}"
    with pytest.raises(PolicyError) as caught:
        simulate(RULES, games=1, seed=2, policies=["random", bot, "random", "random"])
    told = str(caught.value)
    assert reason in told
    assert "bot.py" in told
    if "not ready" not in reason:
        assert "of seat 1 failed in game 0, round 0, before event" in told


@pytest.mark.parametrize("text", ["./nowhere", "", "'unclosed"])
def test_commands_that_cannot_be_started(text: str) -> None:
    with pytest.raises(PolicyError):
        simulate(RULES, games=1, policies=f"cmd:{text}")


def test_a_forfeit_plays_on_at_random(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LIMITS.on_fault = "forfeit"
    bot = f"cmd:{script(tmp_path, ILLEGAL)}"
    found = simulate(RULES, games=2, seed=2, policies=[bot, "cautious", "cautious", "cautious"])
    wanted = simulate(RULES, games=2, seed=2, policies=["random", "cautious", "cautious", "cautious"])
    assert found.hash == wanted.hash
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in told] == ["forfeit", "forfeit"]


def test_what_a_bot_hears(tmp_path: Path) -> None:
    """Everything that its seat sees, in order, and nothing else."""
    log = tmp_path / "log"
    text = f"log = open({str(log)!r}, 'w')\nlog.write(next(lines)); say('ready name listener')\n" + (
        "for line in lines:\n"
        "    log.write(line)\n"
        "    words = line.split()\n"
        "    if words[0] == 'quit': break\n"
        "    if words[0] == 'decide': say('play ' + words[words.index('legal') + 1])\n"
        "log.close()\n"
    )
    simulate(RULES, games=1, seed=3, policies=["cautious", f"cmd:{script(tmp_path, text)}", "random", "cautious"])
    POOL.end()
    match = Match(RULES, seed=3)
    found = log.read_text().splitlines()
    assert found[0] == "mextrain-bot 1"
    assert found[1].startswith('rules {"preset": "mexican"')
    assert found[-1] == "quit"
    assert sum(line.startswith("rules") for line in found) == 1
    rounds = [at for at, line in enumerate(found) if line.startswith("round ")]
    assert len(rounds) == 2
    heard = found[rounds[0] : rounds[1]]
    position = match.position
    hand = " ".join(map(str, position.start.hands[1]))
    engine, starter = position.engine, position.starter
    assert heard[0] == f"round game 0 round 0 engine {engine} starter {starter} seat 1 hand {hand}"
    events = []
    for line in heard[1:-1]:
        first_word, _, rest = line.partition(" ")
        events += [rest] if first_word == "event" else []
        if first_word == "decide":
            assert rest.startswith("time 5000 word ")
            legal = rest.partition(" legal ")[2].split()
    for event in events:
        seat, _, what = event.partition(":")
        if "draw" in what:
            assert what.endswith("?") == (seat != "1")
            continue
        if what not in ("open", "skip"):
            assert position.seat == int(seat)
            position.play(what)
    assert legal
    how = "blocked" if position.winner is None else f"out {position.winner}"
    assert heard[-1] == f"end {how} points {' '.join(map(str, position.points))}"


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_no_process_is_left(tmp_path: Path) -> None:
    """Not even one that the bot has started, and that does not listen."""
    note = tmp_path / "pids"
    text = (
        "child = subprocess.Popen([sys.executable, '-c', 'from time import sleep; sleep(1000)'])\n"
        f"open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
    ) + READY + "wait(1000)"
    bot = BotProcess(script(tmp_path, text))
    pids = list(map(int, note.read_text().split()))
    assert all(map(is_alive, pids))
    bot.quit()
    for _ in limits.patience(20):
        if not any(map(is_alive, pids)):
            break
    assert not any(map(is_alive, pids))


def test_bots_end_when_their_host_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    body = f"open({str(note)!r}, 'w').write(str(os.getpid()))\n" + READY + PLAYS.format("say('play ' + words[-1])")
    program = (
        "from mextrain.bots.process import BotProcess\n"
        f"bot = BotProcess({script(tmp_path, body)!r})\nprint('up', flush=True)\nfrom time import sleep; sleep(1000)"
    )
    host = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "up\n"
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    for _ in limits.patience(20):
        if not is_alive(int(note.read_text())):
            break
    assert not is_alive(int(note.read_text()))


def seen(position: Position, seat: int) -> list[str]:
    """The events of a round as a seat sees them."""
    return [
        f"{event.seat}:{event.kind} ?" if event.is_draw and event.seat != seat else event.text
        for event in position.events
    ]


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.mexican(3, rounds=1, tile_set="double-4", hand_size=3),
        RuleSet.mexican(3, rounds=1, tile_set="double-5", hand_size=4, double_rule="cover", opening="single"),
        RuleSet.super(6, rounds=1),
        RuleSet.mexican(3, rounds=1, tile_set="double-4", hand_size=3, engine_from="holder"),
        RuleSet.mexican(3, rounds=1, tile_set="double-4", hand_size=2, engine_from="own_highest"),
    ],
    ids=["small", "cover", "super", "holder", "own"],
)
def test_a_follower_knows_what_its_seat_knows(rules: RuleSet) -> None:
    """At every decision: the same legal moves, and the same information as in the true round."""
    for game in range(3):
        position = Match(rules, seed=4, game=game).position
        seat = 1
        follower = Follower(
            rules,
            engine=position.engine,
            starter=position.starter,
            seat=seat,
            hand=position.start.hands[seat],
            sizes=[len(hand) for hand in position.start.hands],
        )
        told = 0
        while not position.over:
            events = seen(position, seat)
            for text in events[told:]:
                follower.add(text)
            told = len(events)
            assert follower.hand == position.hands[seat]
            if position.seat == seat:
                found = follower.position(seed=told)
                assert found.legal_texts() == position.legal_texts()
                assert information_key(found, seat) == information_key(position, seat)
            position.play(position.legal_moves()[told % len(position.legal_moves())])


def conversation(policy: str, position: Position, seat: int) -> str:
    """What our bot answers a host that asks about one decision."""
    hand = " ".join(map(str, position.start.hands[seat]))
    import json

    lines = [
        "mextrain-bot 1 extra words", "unknown line", "", f"rules {json.dumps(position.rules.to_dict())}",
        f"round game 0 round 0 engine {position.engine} starter {position.starter} seat {seat} hand {hand}",
        *(f"event {text}" for text in seen(position, seat)),
        f"decide time 1000 word 00000000000000ff legal {' '.join(position.legal_texts())}",
        "end blocked points 0 0 0", "quit", "decide time 1 word 0 legal 1-1@0",
    ]  # fmt: skip
    target = io.StringIO()
    serve(policy, io.StringIO("\n".join(lines)), target)
    return target.getvalue()


def test_our_policies_as_bots() -> None:
    from mextrain.bulk.one_decision import Deciders

    rules = RuleSet.mexican(3, rounds=1)
    position = Match(rules, seed=6).position
    deciders = Deciders(rules, "cautious")
    for _ in range(12):
        seat = position.seat
        assert seat is not None
        same = position.copy()
        same._states["key"] = np.uint64(255)
        wanted = rules.actions.text(deciders.move(same))
        assert conversation("cautious", position, seat) == f"ready name mextrain-cautious\nplay {wanted}\n"
        position.play(position.legal_moves()[0])


def test_a_host_with_other_rules_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    target = io.StringIO()
    lines = ["mextrain-bot 1", "rules {}", "round game 0", "event x", "decide time 1 word 0 legal 1-2@0 1-3@0"]
    serve("random", io.StringIO("\n".join(lines)), target)
    ready, complaint, answer = target.getvalue().splitlines()
    assert ready == "ready name mextrain-random"
    assert complaint.startswith("info cannot follow: ")
    assert answer == "play 1-2@0"
    assert "'nobody'" in fail(capsys, "bot", "--policy", "nobody")


def test_the_default_time_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    from mextrain.cli import main

    with pytest.raises(SystemExit):
        main(["stats", "--help"])
    assert f"time for a decision (default: {bot_limits.Limits().milliseconds})" in capsys.readouterr().out


def test_a_program_that_cannot_be_started_is_told_how(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "bot.py"
    program.write_text("")
    told = fail(capsys, "stats", "--games", "1", "--policy", f"cmd:{program}")
    assert "it is not executable; run chmod +x, or name what runs it, as in cmd:python bot.py" in told
    told = fail(capsys, "stats", "--games", "1", "--policy", f"cmd:{tmp_path / 'gone'}")
    assert told.endswith("cannot be started: No such file or directory\n")


@pytest.mark.parametrize(
    ("name", "hint"), [("bot.py", "cmd:python bot.py"), ("./bot", "cmd:./bot"), ("randon", "random")]
)
def test_a_policy_that_is_a_program_is_told_how(name: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(capsys, "stats", "--games", "1", "--policy", name).rstrip("?\n").endswith(hint)
