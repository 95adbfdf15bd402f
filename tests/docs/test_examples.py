"""The programs in examples/ work as described. Those for processes and for C are tested elsewhere."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest

from mextrain import Decision, Move, Position, RuleSet, determinize, simulate
from tests.docs.pages import ROOT, read
from tests.processes.fresh import python

EXAMPLES = ROOT / "examples"


def load(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(name: str, *arguments: str) -> list[str]:
    """The lines that an example prints."""
    done = python(EXAMPLES / f"{name}.py", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/README.md"])
def test_every_example_is_on_the_page(page: str) -> None:
    text = read(ROOT / page)
    names = [path.name for path in EXAMPLES.iterdir() if not path.name.startswith(("_", "."))]
    assert [name for name in names if name not in text] == []


# -- own_policy.py


@pytest.fixture(scope="module")
def own_policy() -> ModuleType:
    return load("own_policy")


def doubles_first(decision: Decision) -> Move:
    """The policy of the example in plain Python."""
    tile_of, points = decision.rules.actions.tile, decision.rules.points
    tiles = {move: tile_of(move) for move in decision.legal if move != decision.rules.actions.parse("stop")}
    return max(tiles, key=lambda move: (tiles[move].is_double, points([tiles[move]])))


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.mexican(4),
        RuleSet.super(3, twice_bonus="may", letter_match="any_letter"),
        RuleSet.mexican(2, double_rule="chicken_foot", drawn_play="may"),
    ],
    ids=lambda rules: rules.preset_name,
)
def test_the_policy_plays_what_its_docstring_says(rules: RuleSet, own_policy: ModuleType) -> None:
    assert simulate(rules, games=2, seed=4, policies=own_policy.doubles_first).hash == (
        simulate(rules, games=2, seed=4, policies=doubles_first).hash
    )


def test_the_policy_beats_random_and_heaviest() -> None:
    """By more than chance: the mean of its 6,500 rounds has a standard error below 0.5 points."""
    for line in printed("own_policy")[:2]:
        own, *others = map(float, line.split()[2:])
        assert own < min(others) - 2, line


# -- policy_gradient.py


def test_the_policy_learns_to_beat_random_players() -> None:
    """It begins level with them, and 4,000 rounds have a standard error below half a point."""
    learning, random, *_ = printed("policy_gradient", "600")
    rewards = [float(word) for word in learning.split()[1:11]]
    assert rewards[0] < rewards[-1] - 3, learning
    assert float(random.split(": ")[1].split()[0]) > 5, random


# -- search_backend.py


@pytest.fixture(scope="module")
def search() -> ModuleType:
    return load("search_backend")


def after(plays: int, rules: RuleSet, seed: int) -> Position:
    """A round after `plays` plays of the first legal move, in which the seat to move has a choice."""
    position = Position.deal(rules, seed=seed)
    while len(position.events) < plays or len(position.legal_moves()) == 1:
        position.play(position.legal_moves()[0])
    return position


@pytest.mark.parametrize("rules", [RuleSet.mexican(4), RuleSet.super(3)], ids=lambda rules: rules.preset_name)
def test_the_search_does_not_look_at_hidden_tiles(rules: RuleSet, search: ModuleType) -> None:
    """In a round that looks the same to its seat it finds the same numbers."""
    for seed in range(3):
        position = after(20, rules, seed)
        other = determinize(position, position.seat, seed=seed)
        assert other.hands != position.hands
        expected = search.expected_points(position, 7)
        assert expected == search.expected_points(other, 7)
        assert list(expected) == list(position.legal_moves())
        assert search.choose(position, 7) == min(expected, key=lambda move: expected[move])


def test_the_search_goes_out_when_it_can(search: ModuleType) -> None:
    """In the opening chain, seat 0 may lay its last tile, 5-4, or stop and keep its 9 points for now."""
    rules = RuleSet.mexican(players=2, tile_set="double-6", hand_size=2)
    position = Position.setup(rules, hands=["6-5 5-4", "6-1 2-1"], engine="6-6", starter=0)
    position.play("6-5@0")
    assert position.legal_texts() == ("5-4@0", "stop")
    expected: dict[Any, float] = {
        rules.actions.text(move): points for move, points in search.expected_points(position, 1).items()
    }
    assert expected["5-4@0"] == 0 < expected["stop"]
    assert rules.actions.text(search.choose(position, 1)) == "5-4@0"


def test_the_search_beats_random_players() -> None:
    (line,) = printed("search_backend", "20")
    own, *others = map(float, line.split(":")[1].split())
    assert own < min(others) - 5, line


# -- search_bots.py


def test_both_bots_win() -> None:
    """The second one by more than chance; the interval of the first one is in the output of a tournament."""
    lines = printed("search_bots", "60")
    assert lines[6].split()[1] == "improve:100"
    ours, theirs = (float(text.split()[0].rstrip(",")) for text in lines[-1].split(": ")[1:])
    assert ours < theirs


# -- self_play.py


def test_self_play_is_checked_and_learned_from(tmp_path: Any) -> None:
    pytest.importorskip("pyarrow")
    folder = str(tmp_path / "games")
    lines = printed("self_play", folder)
    assert lines[0].startswith("2,600 rounds in ")
    planner, cautious, *_ = (float(line.split()[1]) for line in lines[1:5])
    assert planner < cautious - 2
    assert lines[5].endswith("moves replayed without a fault")
    # A model without any knowledge explains no variance.
    assert float(lines[6].split("explains ")[1].split("%")[0]) > 5
    # The second run finds everything there, with the same results.
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "games").rglob("*.parquet")}
    assert printed("self_play", folder) == lines
    assert {path: path.stat().st_mtime_ns for path in before} == before
