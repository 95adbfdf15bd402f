"""Writing archives: the rows read back are the rounds played, and a folder is never left in a broken state."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import ArchiveError, Interrupted, MextrainError, MissingExtra, RuleSet, __version__, simulate
from mextrain.archive import COLUMNS, JOB_FILE, Job, check_archive, making, read_job, read_shards, rows, write_archive
from mextrain.archive.layout import OLD_JOB_FILE
from mextrain.archive.places import as_place
from mextrain.archive.side_files import read_side_file
from mextrain.bulk.positions import play_rounds
from mextrain.game.seeding import STREAM
from mextrain_core.game.deal import deal
from mextrain_core.game.score import score
from mextrain_core.game.turn import advance, play
from mextrain_core.model.state import BLOCKED, OUT, PHASE_OVER, new_states
from tests import limits
from tests.archive.jobs import FOLDER, RULES, contents, names, small_job

pyarrow = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

@pytest.fixture
def job() -> Job:
    return small_job()


@pytest.mark.parametrize("starter", ["draw", "rotate"])
def test_the_engine_of_a_row_is_the_one_that_was_laid(starter: str, tmp_path: Path) -> None:
    """If the deal decides the engine, the column has it; `check` deals again, and refuses another one."""
    rules = RuleSet.preset("pressman", players=3, tile_set="double-4", hand_size=2, rounds=3, starter=starter)
    write_archive(tmp_path, Job.create(rules, games=20, seed=3, policies="random"))
    table = pq.read_table(tmp_path)
    laid = [str(position.engine) for position in play_rounds(rules, games=20, seed=3)]
    assert table.column("engine").to_pylist() == laid
    assert len(set(laid)) > 3
    assert check_archive(tmp_path).rounds == 60


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_what_is_read_is_what_was_played(job: Job, workers: int, tmp_path: Path) -> None:
    made = write_archive(tmp_path, job, workers=workers)
    assert made.is_complete
    assert made.made == made.shards == (0, 1, 2, 3)
    assert list(contents(tmp_path)) == names(0, 1, 2, 3)
    played = simulate(RULES, games=100, seed=2**64 - 1, first_game=7, policies=job.policies, record_actions=True)
    assert made.summary == played.summary()
    table = pq.read_table(tmp_path)
    rows = {name: table.column(name).to_pylist() for name in table.column_names}
    assert rows["seed"] == [2**64 - 1] * 300
    assert rows["game"] == np.repeat(played.game, 3).tolist()
    assert rows["round"] == [0, 1, 2] * 100
    assert {RuleSet.from_dict(json.loads(text)) for text in rows["rules"]} == {RULES}
    assert set(rows["policies"]) == {"random,heaviest,random"}
    assert rows["engine"] == [str(engine) for engine in RULES.engines] * 100
    assert rows["starter"] == played.starter.ravel().tolist()
    assert rows["winner"] == played.winner.ravel().tolist()
    assert rows["ending"] == [{OUT: "out", BLOCKED: "blocked"}[end] for end in played.end.ravel().tolist()]
    for name in ("turns", "plays", "draws"):
        assert rows[name] == getattr(played, name).ravel().tolist()
    assert rows["points"] == played.points.reshape(-1, 3).tolist()
    assert played.actions is not None
    assert [action for actions in rows["actions"] for action in actions] == played.actions.tolist()
    assert [len(actions) for actions in rows["actions"]] == played.decisions.ravel().tolist()


def test_workers_change_no_byte(job: Job, tmp_path: Path) -> None:
    for workers in (1, 2, 3, 8):
        write_archive(tmp_path / str(workers), job, workers=workers)
    one = contents(tmp_path / "1")
    assert all(contents(tmp_path / str(workers)) == one for workers in (2, 3, 8))


def test_row_groups_change_no_row(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard with several row groups, the last one short, has the same rows and statistics."""
    one = write_archive(tmp_path / "one", job)
    monkeypatch.setattr(rows, "GROUP_ROUNDS", 21)
    many = write_archive(tmp_path / "many", job, workers=2)
    assert pq.read_metadata(tmp_path / "many" / FOLDER / "part-00000.parquet").num_row_groups == 5
    assert one.summary == many.summary
    assert pq.read_table(tmp_path / "one").equals(pq.read_table(tmp_path / "many"))


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.mexican(4),
        RuleSet.super(5, twice_bonus="may"),
        RuleSet.mexican(2, double_rule="chicken_foot"),
        RuleSet.mexican(3, starter="winner", drawn_play="may", double_blank=50),
        RuleSet.mexican(14),
    ],
)
def test_a_row_can_be_replayed(rules: RuleSet, tmp_path: Path) -> None:
    """Seed, game, engine, starter and moves determine the round: replaying them gives its end and points."""
    write_archive(tmp_path, Job.create(rules, games=3, seed=11, policies="random"))
    states = new_states(1)
    points = np.zeros(rules.players, np.int64)
    rows = pq.read_table(tmp_path).to_pylist()
    assert len(rows) == 3 * rules.rounds
    for row in rows:
        engine = rules.tiles.half_code(rules.engines[row["round"]].high)
        numbers = (row["seed"], row["game"], engine, row["starter"])
        deal(states, 0, rules.record, *map(np.uint64, numbers))
        advance(states, 0, rules.record, None)
        for action in row["actions"]:
            assert play(states, 0, rules.record, None, np.uint64(action))
        assert states[0].phase == PHASE_OVER
        score(states, 0, rules.record, points)
        assert points.tolist() == row["points"]
        assert {OUT: "out", BLOCKED: "blocked"}[int(states[0].end)] == row["ending"]
        assert (int(states[0].turns), int(states[0].plays)) == (row["turns"], row["plays"])


def test_files_say_what_they_are(job: Job, tmp_path: Path) -> None:
    """Manifest, metadata and sidecar: versions, schema, rules, and a summary of the shard."""
    write_archive(tmp_path, job)
    assert read_job(tmp_path) == job
    manifest = read_side_file(as_place(tmp_path), f"{FOLDER}/{JOB_FILE}")
    path = tmp_path / FOLDER / "part-00003.parquet"
    stored = json.loads(pq.read_metadata(path).metadata[b"mextrain"])
    assert {**stored["job"], "columns": manifest["columns"]} == manifest
    assert stored["shard"] == 3
    assert manifest["format"] == "mextrain-archive/3"
    assert manifest["stream"] == STREAM
    assert manifest["package"] == __version__
    assert manifest["columns"] == COLUMNS
    assert RuleSet.from_dict(manifest["rules"]) == RULES
    played = simulate(RULES, games=10, seed=2**64 - 1, first_game=97, policies=job.policies)
    sidecar = read_side_file(as_place(tmp_path), f"{FOLDER}/_part-00003.parquet")
    data = path.read_bytes()
    assert (sidecar["rows"], sidecar["bytes"]) == (30, len(data))
    assert sidecar["sha256"] == hashlib.sha256(data).hexdigest()
    assert (sidecar["first_game"], sidecar["games"]) == (97, 10)
    assert int(sidecar["hash"], 16) == played.hash
    assert sidecar["writer"] == f"pyarrow {pyarrow.__version__}"
    _, shards = read_shards(tmp_path)
    assert shards[3].sidecar is not None
    assert shards[3].sidecar.summary == played.summary()


def test_rows_are_small_and_columns_compact(tmp_path: Path) -> None:
    made = write_archive(tmp_path, Job.create(RuleSet.mexican(4), games=3000, seed=1))
    assert made.bytes / 39_000 < 130
    assert made.bytes == (tmp_path / "preset=mexican/players=4/part-00000.parquet").stat().st_size


def test_the_size_of_a_shard_does_not_depend_on_workers() -> None:
    job = Job.create(RuleSet.mexican(4), games=10**6)
    assert job.shard_games == 2**18 // 13
    assert job.shards == 50
    assert [job.shard(k) for k in (0, 1, 49)] == [(0, 20164), (20164, 20164), (49 * 20164, 10**6 - 49 * 20164)]


def test_a_complete_job_is_not_played_again(job: Job, tmp_path: Path) -> None:
    first = write_archive(tmp_path, job)
    before = contents(tmp_path)
    for resume in (False, True):
        again = write_archive(tmp_path, job, resume=resume)
        assert again.made == ()
        assert again.is_complete
        assert again.summary == first.summary
    assert contents(tmp_path) == before


def test_an_unfinished_job_is_resumed(job: Job, tmp_path: Path) -> None:
    whole = write_archive(tmp_path, job)
    before = contents(tmp_path)
    (tmp_path / job.path(1)).unlink()
    (tmp_path / job.path(3)).unlink()
    (tmp_path / job.sidecar_path(3)).unlink()
    (tmp_path / FOLDER / ".part-00003.parquet.tmp-1").write_bytes(b"half a file")
    (tmp_path / f".{JOB_FILE}.tmp-1").write_bytes(b"half a file")
    left = contents(tmp_path)
    with pytest.raises(MextrainError, match=r"2 of the 4 shards.*--resume"):
        write_archive(tmp_path, job)
    assert contents(tmp_path) == left
    seen: list[tuple[int, int]] = []
    resumed = write_archive(
        tmp_path, job, workers=2, resume=True, progress=lambda done, games: seen.append((done, games))
    )
    assert resumed.made == (1, 3)
    assert resumed.remade == 0
    assert resumed.summary == whole.summary
    assert contents(tmp_path) == before
    assert all(done >= 60 for done, _ in seen)
    assert seen[-1] == (100, 100)


@pytest.mark.parametrize("damage", [b"", b"PAR1", None])
@pytest.mark.parametrize("what", ["shard", "sidecar"])
def test_a_damaged_shard_is_replaced(job: Job, what: str, damage: bytes | None, tmp_path: Path) -> None:
    write_archive(tmp_path, job)
    before = contents(tmp_path)
    path = tmp_path / (job.path(2) if what == "shard" else job.sidecar_path(2))
    data = path.read_bytes()
    path.write_bytes(data[: -len(data) // 2] if damage is None else damage)
    with pytest.raises(MextrainError, match="3 of the 4"):
        write_archive(tmp_path, job)
    resumed = write_archive(tmp_path, job, resume=True)
    assert (resumed.made, resumed.remade) == ((2,), 1)
    assert contents(tmp_path) == before


def test_a_changed_byte_is_found_by_reading(job: Job, tmp_path: Path) -> None:
    """Size and sidecar do not show the change, the SHA-256 does."""
    write_archive(tmp_path, job)
    before = contents(tmp_path)
    path = tmp_path / job.path(1)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    assert write_archive(tmp_path, job, resume=True).made == ()
    with pytest.raises(MextrainError, match="3 of the 4"):
        write_archive(tmp_path, job, verify=True)
    resumed = write_archive(tmp_path, job, resume=True, verify=True)
    assert (resumed.made, resumed.remade) == ((1,), 1)
    assert contents(tmp_path) == before


def test_a_shard_of_another_job_is_no_shard(job: Job, tmp_path: Path) -> None:
    """With files copied from two jobs: the sidecar names its job."""
    write_archive(tmp_path / "mine", job)
    before = contents(tmp_path / "mine")
    other = Job.create(RULES, games=100, seed=1, first_game=7, policies=job.policies, shard_games=30)
    write_archive(tmp_path / "other", other)
    for path in (job.path(0), job.sidecar_path(0)):
        (tmp_path / "mine" / path).write_bytes((tmp_path / "other" / path).read_bytes())
    with pytest.raises(ArchiveError, match="belongs to another job or shard"):
        read_shards(tmp_path / "mine")
    assert write_archive(tmp_path / "mine", job, resume=True).made == (0,)
    assert contents(tmp_path / "mine") == before


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"seed": 5}, "its seed is 18446744073709551615, not 5"),
        ({"games": 99}, "its games is 100, not 99"),
        ({"first_game": 0}, "its first_game is 7, not 0"),
        ({"shard_games": 31}, "its shard_games is 30, not 31"),
        ({"policies": "random"}, "its policies is"),
        ({"rules": RuleSet.super(3, rounds=2)}, r'its rules is {"preset": "super", "players": 3, "rounds": 3}'),
    ],
)
def test_another_jobs_folder_is_left_alone(
    job: Job, change: dict[str, Any], text: str, resume: bool, tmp_path: Path
) -> None:
    write_archive(tmp_path, job)
    before = contents(tmp_path)
    same = {"rules": RULES, "games": 100, "seed": 2**64 - 1, "first_game": 7, "shard_games": 30}
    other = {**same, "policies": job.policies, **change}
    with pytest.raises(MextrainError, match=text.replace("{", r"\{")):
        write_archive(tmp_path, Job.create(other.pop("rules"), **other), resume=resume)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_of_other_files_is_left_alone(job: Job, resume: bool, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(MextrainError, match=r"other files \(notes.txt\)"):
        write_archive(tmp_path, job, resume=resume)
    assert contents(tmp_path) == {"notes.txt": b"mine"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "_job.json cannot be"),
        ("[]", "_job.json cannot be"),
        ('{"format": "mextrain-archive/2"', "_job.json cannot be"),
        (
            '{"format": "mextrain-archive/4"}',
            "'mextrain-archive/4', and this version reads mextrain-archive/3 and mextrain-archive/2 and",
        ),
        ('{"format": "mextrain-archive/2", "stream": "mextrain-stream/9"}', "stream is 'mextrain-stream/9'"),
        (f'{{"format": "mextrain-archive/2", "stream": "{STREAM}"}}', "does not describe a job"),
    ],
)
def test_a_job_that_cannot_be_read_is_refused(job: Job, text: str, reason: str, tmp_path: Path) -> None:
    """A newer layout is refused by its version; nothing is guessed and nothing is touched."""
    (tmp_path / OLD_JOB_FILE).write_text(text)
    for resume in (False, True):
        with pytest.raises(MextrainError, match=reason):
            write_archive(tmp_path, job, resume=resume)
    with pytest.raises(MextrainError, match=reason):
        read_job(tmp_path)
    assert contents(tmp_path) == {OLD_JOB_FILE: text.encode()}


def test_folders_that_cannot_be_used(job: Job, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(MextrainError, match="is a file"):
        write_archive(file, job)
    with pytest.raises(OSError, match="file"):
        write_archive(file / "below", job)
    assert file.read_text() == "mine"
    with pytest.raises(MextrainError, match="holds no archive"):
        read_job(tmp_path)


def test_folders_are_made(job: Job, tmp_path: Path) -> None:
    assert write_archive(tmp_path / "a" / "b", job).is_complete


def test_ctrl_c_leaves_complete_shards_only(job: Job, tmp_path: Path) -> None:
    whole = write_archive(tmp_path / "whole", job)

    def interrupt(done: int, games: int) -> None:
        raise KeyboardInterrupt

    large = Job.create(RULES, games=10**6, seed=1, shard_games=500)
    with pytest.raises(Interrupted) as caught:
        write_archive(tmp_path / "part", large, workers=2, progress=interrupt)
    part = caught.value.finished
    assert not part.is_complete
    assert list(contents(tmp_path / "part")) == names(*part.shards)
    assert part.games(part.shards) == 500 * len(part.shards)
    assert whole.games(whole.shards) == 100


def test_two_writers_do_not_meet(job: Job, tmp_path: Path) -> None:
    """The second one is refused, whatever its arguments, and the first one continues."""
    refused = []

    def second(done: int, games: int) -> None:
        if not refused:
            for other in (job, Job.create(RULES, games=5)):
                with pytest.raises(MextrainError, match="another process is writing into"):
                    write_archive(tmp_path / "out", other, resume=True)
                refused.append(other)

    write_archive(tmp_path / "whole", job)
    write_archive(tmp_path / "out", job, progress=second)
    assert len(refused) == 2
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_an_error_leaves_no_half_file(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "arrow_rows", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_archive(tmp_path, job, workers=2)
    assert list(contents(tmp_path)) == names()


def test_memory_does_not_grow(tmp_path: Path) -> None:
    """Four times as many games have the same peak: memory is bounded by the row groups, not by the job."""
    program = """
import resource, sys
from mextrain import RuleSet
from mextrain.archive import Job, write_archive
write_archive(sys.argv[1], Job.create(RuleSet.mexican(4, rounds=1), games=int(sys.argv[2]), shard_games=50_000))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    peaks = []
    for games in (100_000, 400_000):
        folder = tmp_path / str(games)
        peaks.append(int(limits.output_of([sys.executable, "-c", program, str(folder), str(games)])))
    assert peaks[1] - peaks[0] < 40_000  # kB


def test_without_pyarrow_one_line_says_what_to_install(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"mextrain\[io\]"):
        write_archive(tmp_path / "out", job)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="a superuser may write everywhere")
def test_a_folder_that_may_not_be_written(job: Job, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        write_archive(tmp_path, job)
