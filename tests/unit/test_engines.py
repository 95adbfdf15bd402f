"""Which engine plays in bulk: chosen in one place, the same bytes either way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mextrain import MextrainError, RuleSet
from mextrain.archive import Job, write_archive
from mextrain.engines import COMPILE_ROUNDS, choose_engine, obstacle
from mextrain.seats import Seats
from mextrain.simulation import simulate, survey
from mextrain_core import _lanes
from mextrain_core.lockstep.engine import Lockstep
from mextrain_core.tiles import SET_NAMES

MEXICAN = RuleSet.mexican(4)
FEET = RuleSet.mexican(4, double_rule="chicken_foot")
RANDOM = Seats.of("random", 4)

has_lanes = pytest.mark.skipif(not _lanes.supported(), reason="there is no lane code for this machine")


def test_what_lockstep_plays() -> None:
    assert obstacle(MEXICAN) is obstacle(RuleSet.super(8)) is None
    assert "chicken" in str(obstacle(FEET))
    assert "double-15" in str(obstacle(RuleSet.mexican(14)))
    assert "letter_match" in str(obstacle(RuleSet.super(4, letter_match="same_letter")))
    assert "dead_double" in str(obstacle(RuleSet.super(4, dead_double="binds")))


@has_lanes
@pytest.mark.parametrize("policies", ["random", "heaviest", "random,heaviest,random,random"])
def test_it_plays_what_nothing_speaks_against(policies: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every set and rule of doubles: a long job goes to lockstep if and only if there is no reason against it."""
    monkeypatch.setattr(_lanes, "is_fast", lambda: True)
    for tile_set in SET_NAMES:
        for double_rule in ("anywhere", "cover", "chicken_foot"):
            if (tile_set, double_rule) == ("super", "chicken_foot"):
                continue
            players = 2 if tile_set == "double-1" else 4
            options = {"tile_set": tile_set, "hand_size": 1, "double_rule": double_rule}
            rules = RuleSet.preset("mexican", players=players, **options)
            seats = Seats.of(policies.split(",")[0] if players == 2 else policies, players)
            chosen = choose_engine("auto", rules, seats, COMPILE_ROUNDS)
            assert (chosen == "lockstep") == (obstacle(rules) is None)


@pytest.mark.parametrize("policy", ["cautious", lambda decision: decision.moves[0]], ids=["cautious", "callable"])
def test_it_plays_two_policies(policy: Any) -> None:
    seats = Seats.of([policy, "random", "random", "random"], 4)
    assert choose_engine("auto", MEXICAN, seats, COMPILE_ROUNDS) == "scalar"
    with pytest.raises(MextrainError, match="random and heaviest"):
        choose_engine("lockstep", MEXICAN, seats, COMPILE_ROUNDS)


@has_lanes
def test_a_compile_must_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lanes, "is_fast", lambda: True)
    monkeypatch.setattr(Lockstep, "is_compiled", False)
    assert choose_engine("auto", MEXICAN, RANDOM, COMPILE_ROUNDS - 1) == "scalar"
    assert choose_engine("auto", MEXICAN, RANDOM, COMPILE_ROUNDS) == "lockstep"
    assert choose_engine("auto", FEET, RANDOM, COMPILE_ROUNDS) == "scalar"
    assert choose_engine("lockstep", MEXICAN, RANDOM, 1) == "lockstep"
    assert choose_engine("scalar", MEXICAN, RANDOM, COMPILE_ROUNDS) == "scalar"
    monkeypatch.setattr(Lockstep, "is_compiled", True)
    assert choose_engine("auto", MEXICAN, RANDOM, 1) == "lockstep"
    assert choose_engine("auto", FEET, RANDOM, 1) == "scalar"
    monkeypatch.setattr(_lanes, "is_fast", lambda: False)
    assert choose_engine("auto", MEXICAN, RANDOM, COMPILE_ROUNDS) == "scalar"


def test_what_cannot_be_had_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MextrainError, match=r"'fast'.*auto, scalar, lockstep"):
        simulate(MEXICAN, games=1, engine="fast")
    with pytest.raises(MextrainError, match="auto or scalar"):
        simulate(FEET, games=1, engine="lockstep")
    with pytest.raises(MextrainError, match="auto or scalar"):
        write_archive(tmp_path / "out", Job.create(FEET, games=1), engine="lockstep")
    assert not list(tmp_path.iterdir())


@has_lanes
@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_bytes(workers: int) -> None:
    one = simulate(MEXICAN, games=300, seed=5, record_actions=True, engine="scalar")
    other = simulate(MEXICAN, games=300, seed=5, record_actions=True, engine="lockstep", workers=workers)
    assert (one.engine, other.engine) == ("scalar", "lockstep")
    assert one.hash == other.hash
    for name in ("points", "facts", "actions"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    # It is compiled now.
    assert simulate(MEXICAN, games=1, seed=5).engine == ("lockstep" if _lanes.is_fast() else "scalar")
    surveys = [survey(MEXICAN, games=300, seed=5, engine=engine) for engine in ("scalar", "lockstep")]
    assert surveys[0].state() == surveys[1].state()


@has_lanes
def test_the_same_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    job = Job.create(MEXICAN, games=300, seed=5, shard_games=100)
    for engine in ("scalar", "lockstep"):
        write_archive(tmp_path / engine, job, engine=engine)
    scalar, lockstep = (
        {path.relative_to(tmp_path / engine): path.read_bytes() for path in (tmp_path / engine).rglob("*.*")}
        for engine in ("scalar", "lockstep")
    )
    assert scalar == lockstep
    assert sum(path.suffix == ".parquet" for path in scalar) == 3


PROGRAM = """
from mextrain import RuleSet, simulate
from mextrain_core._jit import kernel_counts
print(*(simulate(RuleSet.mexican(2, rounds=1), games=3, engine=engine).hash for engine in ({engines})))
print(simulate(RuleSet.mexican(2, rounds=1), games=3).engine, *kernel_counts())
"""


def run(cache: Path, *engines: str, **environment: str) -> tuple[set[str], str, int]:
    """Results, engine of a small job and number of compiled kernels of a fresh process."""
    program = PROGRAM.format(engines="".join(f"{engine!r}," for engine in engines))
    env = {**os.environ, "MEXTRAIN_CACHE_DIR": str(cache), **environment}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    hashes, facts = done.stdout.splitlines()
    engine, compiled, _ = facts.split()
    return set(hashes.split()), engine, int(compiled)


@has_lanes
def test_compiled_once_and_kept_on_disk(tmp_path: Path) -> None:
    hashes, engine, compiled = run(tmp_path, "lockstep")
    assert (engine, compiled > 0) == ("lockstep" if _lanes.is_fast() else "scalar", True)
    assert run(tmp_path, "lockstep") == (hashes, engine, 0)


def test_where_nothing_is_compiled(tmp_path: Path) -> None:
    """Interpreted kernels: lockstep steps aside, and says why if it is asked for."""
    hashes, engine, _ = run(tmp_path, "auto", "scalar", NUMBA_DISABLE_JIT="1")
    assert (len(hashes), engine) == (1, "scalar")
    with pytest.raises(AssertionError, match="compiling is switched on"):
        run(tmp_path, "lockstep", NUMBA_DISABLE_JIT="1")
