"""The archive: what is read back is what was played, and a folder is never left half-done or damaged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mextrain import MextrainError, MissingExtra, RuleSet, __version__, archive
from mextrain.archive import JOB_FILE, Job, read_job, read_summary, write_archive
from mextrain.seeding import STREAM
from mextrain.simulation import Interrupted, simulate
from mextrain_core.apply import advance, play
from mextrain_core.deal import deal
from mextrain_core.score import score
from mextrain_core.state import BLOCKED, OUT, PHASE_OVER, new_states

pq = pytest.importorskip("pyarrow.parquet")

RULES = RuleSet.super(3, rounds=3)


@pytest.fixture
def job() -> Job:
    return Job.create(RULES, games=100, seed=2**64 - 1, first_game=7, policies="random,heaviest,random", shard_games=30)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_what_is_read_is_what_was_played(job: Job, workers: int, tmp_path: Path) -> None:
    made = write_archive(tmp_path, job, workers=workers)
    assert made.is_complete
    assert made.made == made.shards == (0, 1, 2, 3)
    assert sorted(contents(tmp_path)) == [JOB_FILE, *(f"part-0000{k}.parquet" for k in range(4))]
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
    assert rows["end"] == [{OUT: "out", BLOCKED: "blocked"}[end] for end in played.end.ravel().tolist()]
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
    """A shard of several row groups, the last one short, holds the same rows and statistics."""
    one = write_archive(tmp_path / "one", job)
    monkeypatch.setattr(archive, "GROUP_ROUNDS", 21)
    many = write_archive(tmp_path / "many", job, workers=2)
    assert pq.read_metadata(tmp_path / "many" / "part-00000.parquet").num_row_groups == 5
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
    """Seed, game, engine, starter and moves are the whole round: replaying them gives its end and points."""
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
        assert {OUT: "out", BLOCKED: "blocked"}[int(states[0].end)] == row["end"]
        assert (int(states[0].turns), int(states[0].plays)) == (row["turns"], row["plays"])


def test_files_say_what_they_are(job: Job, tmp_path: Path) -> None:
    write_archive(tmp_path, job)
    assert read_job(tmp_path) == job
    metadata = pq.read_metadata(tmp_path / "part-00003.parquet").metadata
    stored = json.loads(metadata[b"mextrain"])
    assert stored["shard"] == 3
    assert stored["job"]["format"] == "mextrain-archive/1"
    assert stored["job"]["stream"] == STREAM
    assert stored["job"]["package"] == __version__
    assert RuleSet.from_dict(stored["job"]["rules"]) == RULES
    summary = read_summary(tmp_path / "part-00003.parquet", job, 3)
    assert summary == simulate(RULES, games=10, seed=2**64 - 1, first_game=97, policies=job.policies).summary()
    assert read_summary(tmp_path / "part-00003.parquet", job, 2) is None
    assert read_summary(tmp_path / JOB_FILE, job, 2) is None


def test_rows_are_small_and_columns_compact(tmp_path: Path) -> None:
    made = write_archive(tmp_path, Job.create(RuleSet.mexican(4), games=3000, seed=1))
    assert made.bytes / 39_000 < 130
    assert made.bytes == (tmp_path / "part-00000.parquet").stat().st_size


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
    (tmp_path / job.name(1)).unlink()
    (tmp_path / job.name(3)).unlink()
    (tmp_path / f".{job.name(3)}.tmp-1").write_bytes(b"half a file")
    with pytest.raises(MextrainError, match=r"2 of the 4 shards.*--resume"):
        write_archive(tmp_path, job)
    assert len(contents(tmp_path)) == 4
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
def test_a_damaged_shard_is_replaced(job: Job, damage: bytes | None, tmp_path: Path) -> None:
    write_archive(tmp_path, job)
    before = contents(tmp_path)
    path = tmp_path / job.name(2)
    path.write_bytes(before[path.name][: -len(before[path.name]) // 2] if damage is None else damage)
    with pytest.raises(MextrainError, match="3 of the 4"):
        write_archive(tmp_path, job)
    resumed = write_archive(tmp_path, job, resume=True)
    assert (resumed.made, resumed.remade) == ((2,), 1)
    assert contents(tmp_path) == before


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
        ('{"format": "mextrain-archive/1"', "_job.json cannot be"),
        ('{"format": "mextrain-archive/2"}', "'mextrain-archive/2', and this version reads mextrain-archive/1"),
        ('{"format": "mextrain-archive/1", "stream": "mextrain-stream/9"}', "stream is 'mextrain-stream/9'"),
        (f'{{"format": "mextrain-archive/1", "stream": "{STREAM}"}}', "does not describe a job"),
    ],
)
def test_a_job_that_cannot_be_read_is_refused(job: Job, text: str, reason: str, tmp_path: Path) -> None:
    """An older or newer layout is refused by its version; nothing is guessed and nothing is touched."""
    (tmp_path / JOB_FILE).write_text(text)
    for resume in (False, True):
        with pytest.raises(MextrainError, match=reason):
            write_archive(tmp_path, job, resume=resume)
    with pytest.raises(MextrainError, match=reason):
        read_job(tmp_path)
    assert contents(tmp_path) == {JOB_FILE: text.encode()}


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
    assert sorted(contents(tmp_path / "part")) == [JOB_FILE, *(large.name(k) for k in part.shards)]
    assert part.games(part.shards) == 500 * len(part.shards)
    assert whole.games(whole.shards) == 100


def test_an_error_leaves_no_half_file(job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_rows", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_archive(tmp_path, job, workers=2)
    assert list(contents(tmp_path)) == [JOB_FILE]


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: one clear error, no half file, and a resume that works."""
    program = f"""
import resource, sys
from mextrain import RuleSet
from mextrain.cli import main
from mextrain.simulation import simulate
simulate(RuleSet.super(3), games=1)
if sys.argv[1] == "small":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
arguments = "selfplay --rules super --players 3 --games 3000 --seed 4 --shard-games 1500 --workers 1"
sys.exit(main([*arguments.split(), "--resume", "--out", {str(tmp_path / "out")!r}]))
"""
    small = subprocess.run([sys.executable, "-c", program, "small"], capture_output=True, text=True)
    assert small.returncode == 2
    assert small.stderr.count("\n") == 1
    assert small.stderr.startswith("mextrain selfplay: ")
    assert "File too large" in small.stderr
    assert sorted(contents(tmp_path / "out")) == [JOB_FILE]
    large = subprocess.run([sys.executable, "-c", program, "large"], capture_output=True, text=True)
    assert (large.returncode, large.stderr) == (0, "")


def test_killed_at_any_moment(tmp_path: Path) -> None:
    """SIGKILL leaves complete shards and temporary files; resuming gives the bytes of an unbroken run."""
    arguments = "selfplay --rules super --players 3 --games 6000 --seed 4 --shard-games 300 --workers 2"
    command = [sys.executable, "-m", "mextrain", *arguments.split(), "--resume", "--out"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    broken = tmp_path / "broken"
    job = read_job(tmp_path / "whole")
    kills = 0
    for attempt in range(4):
        running = subprocess.Popen([*command, str(broken)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(list(broken.glob("part-*"))) if broken.exists() else 0
        while running.poll() is None:
            if broken.exists() and len(list(broken.glob("part-*"))) > before + attempt:
                running.send_signal(signal.SIGKILL)
                kills += running.wait() == -signal.SIGKILL
                break
            time.sleep(0.002)
        assert all(read_summary(path, job, int(path.name[5:10])) for path in broken.glob("part-*"))
    assert kills >= 1
    subprocess.run([*command, str(broken)], check=True, capture_output=True)
    assert contents(broken) == contents(tmp_path / "whole")
    games = pq.read_table(broken, columns=["game"])["game"].to_numpy()
    assert np.array_equal(games, np.repeat(np.arange(6000), 14))


def test_memory_does_not_grow(tmp_path: Path) -> None:
    """Four times the games, the same peak: memory is bounded by the row groups, not by the job."""
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
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder), str(games)], check=True, capture_output=True, text=True
        )
        peaks.append(int(done.stdout))
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
