"""Compiled code is run only from folders that only this user and root can write to."""

import os
from pathlib import Path

import pytest

from mextrain_core.compiler.trust import distrust
from tests.unit.test_cache import MOVE, PROGRAM, copy, run

__all__ = ["copy"]

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="here folders have no owners and no mode bits")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to somebody else")
SOMEBODY = 12345


def places(copy: Path) -> dict[str, str]:
    """An environment in which the user's cache folder is another place for compiled code."""
    return {"XDG_CACHE_HOME": str(copy / "usual")}


def spoil(path: Path, fault: str) -> None:
    """Let other users write to a folder."""
    if fault == "owner":
        os.chown(path, SOMEBODY, SOMEBODY)
    elif fault == "group":
        os.chown(path, -1, SOMEBODY)
        path.chmod(0o775)
    else:
        path.chmod(0o777 if fault == "world" else 0o1777)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("world", "can be written by everybody"),
        ("sticky", "can be written by everybody"),
        pytest.param("group", f"can be written by a group ({SOMEBODY}", marks=needs_root),
        pytest.param("owner", f"belongs to another user ({SOMEBODY})", marks=needs_root),
    ],
)
@pytest.mark.parametrize("variable", ["MEXTRAIN_CACHE_DIR", "NUMBA_CACHE_DIR"])
def test_a_folder_of_code_that_others_can_write_is_not_used(copy: Path, variable: str, fault: str, says: str) -> None:
    """The code in it is valid, but is not loaded; the next place is used."""
    cache = copy / "cache"
    run(copy, cache)
    [folder] = cache.iterdir()
    spoil(folder, fault)
    there = {variable: str(cache), **places(copy)}
    move, hits, misses, errors = run(copy, None, **there)
    assert (move, hits, misses) == (MOVE, 0, 1)
    assert errors.count("RuntimeWarning") == 1
    assert f"{cache} is not used: {folder} {says}" in errors
    assert run(copy, None, **there)[1:3] == (1, 0)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("world", "can be written by everybody"),
        ("sticky", None),
        pytest.param("owner", f"belongs to another user ({SOMEBODY})", marks=needs_root),
    ],
)
def test_the_folders_above_count_too(copy: Path, fault: str, says: str | None) -> None:
    """Whoever can rename a folder can replace it; the sticky bit of /tmp prevents that."""
    above = copy / "above"
    above.mkdir()
    spoil(above, fault)
    move, hits, misses, errors = run(copy, above / "cache", **places(copy))
    assert (move, hits, misses) == (MOVE, 0, 1)
    assert (above / "cache").exists() == (says is None)
    assert errors == "" if says is None else f"{above} {says}" in errors


def test_links_are_followed_to_what_they_name(copy: Path) -> None:
    open_to_all = copy / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (copy / "link").symlink_to(open_to_all / "cache")
    errors = run(copy, copy / "link", **places(copy))[3]
    assert f"{open_to_all} can be written by everybody" in errors
    assert list(open_to_all.iterdir()) == []


def test_without_any_other_place_nothing_is_kept_and_one_warning_says_why(copy: Path) -> None:
    bad = copy / "bad"
    bad.mkdir()
    bad.chmod(0o777)
    move, hits, misses, errors = run(copy, bad, HOME=str(bad), XDG_CACHE_HOME=str(bad))
    assert (move, hits, misses) == (MOVE, 0, 1)
    assert errors.count("RuntimeWarning") == 1
    assert "kernels are compiled in each process" in errors
    assert list(bad.iterdir()) == []


YAML = """
def safe_load(file):
    return dict(line.strip().split(": ") for line in file)
"""
SAYS_FOLDER = PROGRAM + """
import sys
from numba.core import config
print(config.CACHE_DIR, cache.cache_folder(), file=sys.stderr)
"""


def test_numbas_file_in_the_current_folder_does_not_say_where_code_is(copy: Path) -> None:
    """Numba reads `.numba_config.yaml` from the current folder, which may be an unpacked archive of somebody else."""
    (copy / "lib" / "yaml.py").write_text(YAML)
    foreign = copy / "foreign"
    (copy / ".numba_config.yaml").write_text(f"cache_dir: {foreign}\ncache_locator_classes: planted.Locator\n")
    (copy / "lib" / "planted.py").write_text("raise SystemExit('planted code ran')\n")
    move, hits, misses, errors = run(copy, None, SAYS_FOLDER, **places(copy))
    assert (move, hits, misses) == (MOVE, 0, 1), errors
    read, used = errors.split()
    assert read == str(foreign)
    assert Path(used).parent == copy / "usual" / "mextrain"
    assert not foreign.exists()


def test_a_folder_that_is_not_there_is_judged_by_those_above(tmp_path: Path) -> None:
    assert distrust(tmp_path / "a" / "b") is None
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o777)
    why = distrust(tmp_path / "a" / "b")
    assert why is not None
    assert str(tmp_path / "a") in why
