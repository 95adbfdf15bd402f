"""The choice of the backend for bulk play: made in one place, with equal results."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mextrain import OPTIONS, MextrainError, RuleSet, simulate, survey
from mextrain.archive import Job, write_archive
from mextrain.bulk.backend import COMPILE_ROUNDS, choose_backend, obstacle
from mextrain.bulk.seat_policies import Seats
from mextrain_core.compiler import vectors
from mextrain_core.lockstep import flags
from mextrain_core.lockstep.player import Lockstep
from mextrain_core.model.options import SET_NAMES, TABLE, Row
from tests import limits

MEXICAN = RuleSet.mexican(4)
FEET = RuleSet.mexican(4, double_rule="chicken_foot")
RANDOM = Seats.of("random", 4)

has_lanes = pytest.mark.skipif(not vectors.supported(), reason="there is no lane code for this machine")


def test_what_lockstep_plays() -> None:
    assert obstacle(MEXICAN) is obstacle(RuleSet.super(8)) is None
    assert obstacle(FEET) == "it does not play double_rule=chicken_foot"
    assert obstacle(RuleSet.mexican(14)) == "it does not play tile_set=double-18"
    letters = RuleSet.super(4, letter_match="same_letter")
    assert obstacle(letters) == "it does not play letter_match=same_letter in the set super"
    assert obstacle(RuleSet.super(4, dead_double="binds")) == "it does not play dead_double=binds in the set super"
    without_effect = {"letter_match": "same_letter", "twice_bonus": "may", "foot_ends": "center", "starter": 1}
    assert obstacle(MEXICAN.replace(dead_double="binds", **without_effect)) is None


SERVED = {**flags.SERVED, **flags.SERVED_BESIDES}


def test_the_lists_of_lockstep_name_values_that_exist() -> None:
    for name, values in (SERVED | flags.SERVED_IN_SUPER).items():
        assert set(values) <= {*OPTIONS[name].words, flags.A_NUMBER} or name == "max_uncovered"


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in flags.ALL_SERVED])
def test_lockstep_plays_what_it_lists_and_nothing_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other value is refused by name, including values added to the table in the future."""
    row = TABLE[name]
    monkeypatch.setitem(TABLE, name, replace(row, values={**row.values, "added": "a value of the future"}))
    for place, value in enumerate((0, 1, 2) if name == "max_uncovered" else TABLE[name].words):
        struct = MEXICAN.record[0].copy()
        struct[name] = place
        served = SERVED.get(name, row.words[:1])
        assert flags.obstacle(struct) == ("" if value in served else name), value


def test_an_option_that_lockstep_has_never_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("an option of the future", "6", "turn", {"as_ever": "nothing new", "otherwise": "news"})
    monkeypatch.setitem(TABLE, "added", replace(row, name="added"))
    rules = {name: MEXICAN.record[0][name] for name in MEXICAN.record.dtype.names}
    assert flags.obstacle({**rules, "added": 0}) == ""
    assert flags.obstacle({**rules, "added": 1}) == "added"


@has_lanes
@pytest.mark.parametrize("policies", ["random", "heaviest", "random,heaviest,random,random"])
def test_it_plays_what_nothing_speaks_against(policies: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every set and rule of doubles, a long job goes to lockstep if and only if there is no obstacle."""
    monkeypatch.setattr(vectors, "is_fast", lambda: True)
    for tile_set in SET_NAMES:
        for double_rule in ("anywhere", "cover", "chicken_foot"):
            if (tile_set, double_rule) == ("super", "chicken_foot"):
                continue
            players = 2 if tile_set == "double-1" else 4
            options = {"tile_set": tile_set, "hand_size": 1, "double_rule": double_rule}
            rules = RuleSet.preset("mexican", players=players, **options)
            seats = Seats.of(policies.split(",")[0] if players == 2 else policies, players)
            chosen = choose_backend("auto", rules, seats, COMPILE_ROUNDS)
            assert (chosen == "lockstep") == (obstacle(rules) is None)


@has_lanes
def test_it_plays_every_mixture_of_the_policies_with_lane_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "is_fast", lambda: True)
    for names in (["cautious"] * 4, ["cautious", "random", "heaviest", "counting"]):
        assert choose_backend("auto", MEXICAN, Seats.of(names, 4), COMPILE_ROUNDS) == "lockstep"


@has_lanes
def test_where_counting_has_no_lane_code() -> None:
    seats = Seats.of(["counting", "random", "random", "random"], 4)
    rules = MEXICAN.replace(double_blank=256)
    assert choose_backend("auto", rules, seats, COMPILE_ROUNDS) == "scalar"
    with pytest.raises(MextrainError, match="counting only with double_blank up to 255"):
        choose_backend("lockstep", rules, seats, 1)


@pytest.mark.parametrize("policy", ["planner", lambda decision: decision.moves[0]], ids=["planner", "callable"])
def test_other_policies_are_left_to_the_scalar_backend(policy: Any) -> None:
    seats = Seats.of([policy, "random", "random", "random"], 4)
    assert choose_backend("auto", MEXICAN, seats, COMPILE_ROUNDS) == "scalar"
    with pytest.raises(MextrainError, match="random, heaviest, cautious"):
        choose_backend("lockstep", MEXICAN, seats, COMPILE_ROUNDS)


@has_lanes
def test_a_compile_must_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "is_fast", lambda: True)
    monkeypatch.setattr(Lockstep, "is_compiled", False)
    assert choose_backend("auto", MEXICAN, RANDOM, COMPILE_ROUNDS - 1) == "scalar"
    assert choose_backend("auto", MEXICAN, RANDOM, COMPILE_ROUNDS) == "lockstep"
    assert choose_backend("auto", FEET, RANDOM, COMPILE_ROUNDS) == "scalar"
    assert choose_backend("lockstep", MEXICAN, RANDOM, 1) == "lockstep"
    assert choose_backend("scalar", MEXICAN, RANDOM, COMPILE_ROUNDS) == "scalar"
    monkeypatch.setattr(Lockstep, "is_compiled", True)
    assert choose_backend("auto", MEXICAN, RANDOM, 1) == "lockstep"
    assert choose_backend("auto", FEET, RANDOM, 1) == "scalar"
    monkeypatch.setattr(vectors, "is_fast", lambda: False)
    assert choose_backend("auto", MEXICAN, RANDOM, COMPILE_ROUNDS) == "scalar"


def test_what_cannot_be_had_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MextrainError, match=r"'fast'.*auto, scalar, lockstep"):
        simulate(MEXICAN, games=1, backend="fast")
    with pytest.raises(MextrainError, match="auto or scalar"):
        simulate(FEET, games=1, backend="lockstep")
    with pytest.raises(MextrainError, match="auto or scalar"):
        write_archive(tmp_path / "out", Job.create(FEET, games=1), backend="lockstep")
    assert not list(tmp_path.iterdir())


@has_lanes
@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_bytes(workers: int) -> None:
    one = simulate(MEXICAN, games=300, seed=5, record_actions=True, backend="scalar")
    other = simulate(MEXICAN, games=300, seed=5, record_actions=True, backend="lockstep", workers=workers)
    assert (one.backend, other.backend) == ("scalar", "lockstep")
    assert one.hash == other.hash
    for name in ("points", "facts", "actions"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    # It is compiled by now.
    assert simulate(MEXICAN, games=1, seed=5).backend == ("lockstep" if vectors.is_fast() else "scalar")
    surveys = [survey(MEXICAN, games=300, seed=5, backend=backend) for backend in ("scalar", "lockstep")]
    assert surveys[0].state() == surveys[1].state()


@has_lanes
def test_the_same_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    job = Job.create(MEXICAN, games=300, seed=5, shard_games=100)
    for backend in ("scalar", "lockstep"):
        write_archive(tmp_path / backend, job, backend=backend)
    scalar, lockstep = (
        {path.relative_to(tmp_path / backend): path.read_bytes() for path in (tmp_path / backend).rglob("*.*")}
        for backend in ("scalar", "lockstep")
    )
    assert scalar == lockstep
    assert sum(path.name.startswith("part-") for path in scalar) == 3


PROGRAM = """
from mextrain import RuleSet, simulate
from mextrain_core.compiler.jit import kernel_counts
print(*(simulate(RuleSet.mexican(2, rounds=1), games=3, backend=backend).hash for backend in ({backends})))
print(simulate(RuleSet.mexican(2, rounds=1), games=3).backend, *kernel_counts())
"""


def run(cache: Path, *backends: str, **environment: str) -> tuple[set[str], str, int]:
    """Results, backend of a small job and number of compiled kernels of a fresh process."""
    program = PROGRAM.format(backends="".join(f"{backend!r}," for backend in backends))
    env = {**os.environ, "MEXTRAIN_CACHE_DIR": str(cache), **environment}
    hashes, facts = limits.output_of([sys.executable, "-c", program], env=env).splitlines()
    backend, compiled, _ = facts.split()
    return set(hashes.split()), backend, int(compiled)


@has_lanes
def test_compiled_once_and_kept_on_disk(tmp_path: Path) -> None:
    hashes, backend, compiled = run(tmp_path, "lockstep")
    assert (backend, compiled > 0) == ("lockstep" if vectors.is_fast() else "scalar", True)
    assert run(tmp_path, "lockstep") == (hashes, backend, 0)


def test_where_nothing_is_compiled(tmp_path: Path) -> None:
    """With interpreted kernels lockstep is not used, and asking for it gives the reason."""
    hashes, backend, _ = run(tmp_path, "auto", "scalar", NUMBA_DISABLE_JIT="1")
    assert (len(hashes), backend) == (1, "scalar")
    with pytest.raises(AssertionError, match="compiling to be switched on"):
        run(tmp_path, "lockstep", NUMBA_DISABLE_JIT="1")
