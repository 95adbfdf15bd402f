"""Builds the C twin on demand and calls it.

One extension module for each preset and number of players, built with cffi's API mode and kept in a cache folder, with
a name derived from all inputs: sources, flags, compiler version, machine. The compiler is `CC` (default gcc) and its
flags are `MEXTRAIN_TWIN_CFLAGS` (default `-O3 -march=native`); the cache is in `MEXTRAIN_CACHE_DIR`, else in the user's
cache folder, else in the one for temporary files.

The compiler is called directly: setuptools would add the flags that Python was built with, and is not part of Python
3.12 and newer.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import cffi

HERE = Path(__file__).resolve().parent
PRESETS = ("mexican", "super")
DEFAULT_FLAGS = "-O3 -march=native"

ROUND_FIELDS = ("key", "hash", "engine", "starter", "end", "turns", "plays", "draws")
"""Fields of struct twin_round, without the points, which are by seat."""

RESULT_FIELDS = ("hash", "rounds", "turns", "plays", "draws", "blocked", "points", "seconds")
"""Fields of struct twin_result: sums over rounds."""


class TwinBuildError(RuntimeError):
    """The twin could not be built; the message has the command and its output."""


class Twin:
    """The twin of one preset and number of players.

    Attributes: `preset`, `players`, `rounds` (of a match), `state_bytes` (size of the state of a round), `compiler`
    (first line of its version), `flags`.
    """

    def __init__(self, module: ModuleType, preset: str, players: int, compiler: str, flags: str) -> None:
        self._ffi: Any = module.ffi  # type: ignore[attr-defined]
        self._lib: Any = module.lib  # type: ignore[attr-defined]
        self.preset = preset
        self.players = players
        self.rounds: int = self._lib.twin_rounds()
        self.state_bytes: int = self._lib.twin_state_bytes()
        self.compiler = compiler
        self.flags = flags

    def play(self, seed: int, first_game: int, games: int) -> dict[str, int | float]:
        """Play matches `first_game` … `first_game + games - 1` of `seed`, every seat at random.

        Returns the sums over all rounds by `RESULT_FIELDS`: `hash` is the result hash of
        `mextrain_core.bulk.rollout.play_games`, `seconds` the CPU time of the calling thread. The GIL is released
        meanwhile. Measure with a thousand games or more: with few games the branch predictor learns them.
        """
        result = self._ffi.new("struct twin_result *")
        if self._lib.twin_play(seed, first_game, games, result):
            raise RuntimeError(f"the twin did not end a round of seed {seed}, games from {first_game}")
        return {name: getattr(result, name) for name in RESULT_FIELDS}

    def match(self, seed: int, game: int) -> list[dict[str, Any]]:
        """Play one match and return a row for each round: `ROUND_FIELDS` and `points`, a list by seat.

        `end` is 1 if somebody went out, 2 if the round was blocked; `engine` is a half code.
        """
        rounds = self._ffi.new("struct twin_round[]", self.rounds)
        if self._lib.twin_match(seed, game, rounds):
            raise RuntimeError(f"the twin did not end a round of seed {seed}, game {game}")
        return [
            {name: getattr(row, name) for name in ROUND_FIELDS} | {"points": list(row.points)[: self.players]}
            for row in rounds
        ]


def load(preset: str, players: int, flags: str | None = None) -> Twin:
    """Build (once) and load the twin of `preset` (`mexican` or `super`) for 2 … 14 players.

    `flags` replace the default compiler flags. Raises `ValueError` for other presets or numbers of players, and
    `TwinBuildError` if there is no working compiler.
    """
    if preset not in PRESETS:
        raise ValueError(f"preset {preset!r}: expected {' or '.join(PRESETS)}")
    if players not in range(2, 15):
        raise ValueError(f"players {players!r}: expected 2 … 14")
    compiler = shlex.split(os.environ.get("CC") or "gcc")
    chosen = os.environ.get("MEXTRAIN_TWIN_CFLAGS", DEFAULT_FLAGS) if flags is None else flags
    return _load(preset, players, tuple(compiler), chosen)


@functools.cache
def _load(preset: str, players: int, compiler: tuple[str, ...], flags: str) -> Twin:
    version = _run([*compiler, "--version"]).partition("\n")[0]
    sources = [(HERE / name).read_text(encoding="utf-8") for name in ("build.py", "twin.c", "twin.h")]
    made_from = [*sources, flags, *compiler, version, _machine(), sys.version, cffi.__version__]
    stamp = hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:16]
    name = f"mextrain_twin_{preset}_{players}_{stamp}"
    path = _cache_folder() / f"{name}.abi3.so"
    if not path.exists():
        _build(path, name, preset, players, compiler, flags)
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return Twin(module, preset, players, version, flags)


def _build(path: Path, name: str, preset: str, players: int, compiler: tuple[str, ...], flags: str) -> None:
    ffi = cffi.FFI()
    ffi.cdef((HERE / "twin.h").read_text(encoding="utf-8"))
    macros = f"#define SUPER {int(preset == 'super')}\n#define PLAYERS {players}\n"
    ffi.set_source(name, macros + '#include "twin.c"\n')
    include = ["-I", str(HERE), "-I", sysconfig.get_paths()["include"]]
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    # Built in another folder and moved into place, so that concurrent processes see a complete file or none.
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        source, built = Path(folder, f"{name}.c"), Path(folder, path.name)
        with contextlib.redirect_stdout(io.StringIO()):  # cffi prints what it writes
            ffi.emit_c_code(str(source))
        options = [*shlex.split(flags), "-std=gnu11", "-shared", "-fPIC", *include, *undefined]
        _run([*compiler, *options, str(source), "-o", str(built)])
        built.replace(path)


def _run(command: list[str]) -> str:
    """The output of a compiler call; raises `TwinBuildError` with the command and its output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise TwinBuildError(
            f"the C twin needs a C compiler, but {command[0]!r} cannot be run ({error.strerror}): "
            "install gcc or clang, or name your compiler in CC"
        ) from None
    if done.returncode:
        raise TwinBuildError(
            f"the C twin could not be built, {shlex.join(command)} ended with status {done.returncode}: "
            "name a working compiler in CC and its flags in MEXTRAIN_TWIN_CFLAGS\n" + done.stderr.strip()
        )
    return done.stdout


def _machine() -> str:
    """The processor that `-march=native` means here, as far as known: a cache may be copied to another machine."""
    platform = sysconfig.get_platform()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform
    return platform + "".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


def _cache_folder() -> Path:
    user = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    for base in (os.environ.get("MEXTRAIN_CACHE_DIR"), user, tempfile.gettempdir()):
        if not base:
            continue
        folder = Path(base, "mextrain-twin")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    raise TwinBuildError("the C twin finds no folder that it can write to: name one in MEXTRAIN_CACHE_DIR")
