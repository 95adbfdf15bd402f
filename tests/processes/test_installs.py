"""The package in unusual installations: read-only, in a zip file, without Numba, with a cache that was warmed up."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from mextrain import Position, RuleSet, simulate
from tests import limits
from tests.processes.fresh import environment, install, ordinary_user, python

PROGRAM = """
import mextrain
from mextrain_core.compiler.cache import cache_folder
from mextrain_core.compiler.jit import kernel_counts
print(mextrain.__file__)
print({result})
print(*kernel_counts())
print(cache_folder())
"""
RULES = RuleSet.super(3, rounds=2)
DEAL = PROGRAM.format(result="mextrain.Position.deal(mextrain.RuleSet.super(3, rounds=2), seed=1).hands")
PLAY = PROGRAM.format(result="mextrain.simulate(mextrain.RuleSet.super(3, rounds=2), games=3, seed=1).hash")


def test_a_read_only_install(tmp_path: Path) -> None:
    """A user without any writable folder gets the same deal after one warning."""
    folder = install(tmp_path / "site")
    for path in [*folder.rglob("*"), folder, tmp_path]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(folder)}
    try:
        done = python("-c", DEAL, prefix=ordinary_user(), env=environment(**home))
    finally:
        for path in [tmp_path, folder, *folder.rglob("*")]:
            path.chmod(0o755)
    assert done.returncode == 0, done.stderr
    place, result, counts, cache = done.stdout.splitlines()
    assert Path(place).is_relative_to(folder)
    assert result == str(Position.deal(RULES, seed=1).hands)
    assert (counts.split()[0] != "0", cache) == (True, "None")
    assert done.stderr.count("mextrain cannot write a cache folder") == 1
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".pyc", ".nbi", ".nbc")]


def test_in_a_zip_file(tmp_path: Path) -> None:
    """With a cache the second process compiles nothing; after an upgrade of the zip file the old code is not used."""
    folder, archive = install(tmp_path / "site"), tmp_path / "mextrain.whl"
    cache = environment(MEXTRAIN_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=str(archive))

    def pack() -> None:
        with zipfile.ZipFile(archive, "w") as file:
            for path in sorted(folder.rglob("*")):
                file.write(path, path.relative_to(folder))

    def run(program: str) -> list[str]:
        done = python("-c", program, env=cache)
        assert (done.returncode, done.stderr) == (0, "")
        place, *rest = done.stdout.splitlines()
        assert place.startswith(str(archive))
        return rest

    pack()
    result, counts, place = run(PLAY)
    assert result == str(simulate(RULES, games=3, seed=1).hash)
    assert counts.endswith(" 0")
    result_again, counts, place_again = run(PLAY)
    assert (result_again, counts.split()[0], place_again) == (result, "0", place)
    with (folder / "mextrain_core" / "rng.py").open("a") as source:
        source.write("# Another version.\n")
    pack()
    assert run(PROGRAM.format(result="'no kernel'"))[-1] not in (place, "None")


@pytest.mark.parametrize("command", [["selfplay", "--games", "1", "--out", "games"], ["bench", "--signature"]])
def test_without_numba(command: list[str], tmp_path: Path) -> None:
    """One line that names what is missing; commands without kernels still work."""
    lacking = "import sys; sys.modules['numba'] = None; from mextrain.cli import main; sys.exit(main(sys.argv[1:]))"
    done = limits.run([sys.executable, "-c", lacking, *command], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mextrain {command[0]}: mextrain compiles its kernels with Numba, which cannot be i")
    assert "pip install" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
    assert python("-c", lacking, "rules", "--rules", "super").returncode == 0


# Commands and calls of `simulate`, which must find all of their kernels in the cache.
EVERYTHING = """
import contextlib, io, json, sys
import numpy as np
import mextrain
from mextrain import Batch, BatchPolicy
from mextrain.cli import main
from mextrain_core.compiler.jit import kernel_counts

hand = ["--hand", "12-5 5-7 12-12", "--start", "12"]
commands = [
    ["selfplay", "--games", "3", "--out", "games"], ["stats", "--games", "3"],
    ["record", "--games", "1", "--out", "round.jsonl"], ["check", "round.jsonl"], ["plan", *hand, "--count"],
    ["bench", "--signature"], ["bench", "--quick", "--players", "2"],
    ["plan", *hand, "--goal", "finish"], ["rules"],
]
for command in commands:
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(command) == 0, command
rules = mextrain.RuleSet.super(3, rounds=1)
mextrain.simulate(rules, games=2, workers=2, record_actions=True)
mextrain.simulate(rules, games=2, policies=BatchPolicy(Batch.random_moves), record_actions=True)
mextrain.simulate(rules, games=2, policies=["heaviest", lambda decision: decision.legal[0], "random"])
mextrain.survey(rules, games=2)
position = mextrain.Position.from_line(mextrain.Position.deal(rules, seed=1, chance="explicit").line(key=True))
while position.pending_draw:
    position.draw(position.chance_outcomes()[0][0])
print(json.dumps(kernel_counts()))
"""


def test_after_a_warmup_nothing_is_compiled(tmp_path: Path) -> None:
    env = environment(MEXTRAIN_CACHE_DIR=str(tmp_path / "cache"))
    done = python("-m", "mextrain", "warmup", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    *parts, counts, folder = done.stdout.splitlines()
    assert [line[:28].strip() for line in parts][-1] == "all"
    assert "kernels compiled, 0 loaded" in counts
    assert Path(folder.removeprefix("cache: ")).parent == tmp_path / "cache"
    done = limits.run([sys.executable, "-c", EVERYTHING], env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    compiled, loaded = json.loads(done.stdout.splitlines()[-1])
    assert (compiled, loaded > 10) == (0, True)
    again = python("-m", "mextrain", "warmup", env=env)
    assert again.stdout.splitlines()[-2].startswith("0 kernels compiled")


def test_a_warmup_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    wall = tmp_path / "a-file"
    wall.write_text("not a folder")
    places = {name: str(wall) for name in ("MEXTRAIN_CACHE_DIR", "NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME")}
    program = "import mextrain.precompile as w, mextrain.cli as c, sys; w.PARTS.clear(); sys.exit(c.main(['warmup']))"
    done = python("-c", program, env=environment(**places))
    assert done.returncode == 1
    assert "none can be written" in done.stdout
    assert "mextrain cannot write a cache folder" in done.stderr
