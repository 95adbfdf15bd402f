"""The manifest of an archive: finding, reading and writing it."""

from __future__ import annotations

import os
from pathlib import Path

from mextrain._support.optional import need
from mextrain.archive.job import Job
from mextrain.archive.layout import COLUMNS, FORMAT, JOB_FILE, MANIFESTS, OLD_JOB_FILE
from mextrain.archive.side_files import read_json_file, read_side_file, write_side_file
from mextrain.errors import MextrainError, one_line, shown


def read_job(folder: str | os.PathLike[str]) -> Job:
    """Return the job of the archive in `folder`.

    Raises `MextrainError` for a folder without an archive, with several, or with one of another format or stream
    version, and `MissingExtra` without pyarrow.
    """
    job = find_job(folder)
    if job is None:
        raise MextrainError(f"{one_line(str(folder))} holds no archive: there is no {JOB_FILE} in it")
    return job


def find_job(folder: str | os.PathLike[str]) -> Job | None:
    """Return the job of the archive in `folder`, or None if there is none; raises the same errors as `read_job`."""
    need("pyarrow", "io")
    path = find_manifest(folder)
    if path is None:
        return None
    try:
        if path.name == OLD_JOB_FILE:
            return _checked(Job.from_dict(read_json_file(path)), is_old=True)
        job = _checked(Job.from_dict(read_side_file(path)), is_old=False)
        if path.parent != Path(folder) / job.folder:
            raise MextrainError(f"it lies in {path.parent}, and its shards in {job.folder}")
        return job
    except (MextrainError, OSError) as error:
        raise MextrainError(f"{one_line(str(path))} cannot be read: {error}") from None


def as_folder(folder: object) -> Path:
    """Return an argument that names a folder as a `Path`. Raises `MextrainError` if it cannot be one."""
    try:
        path = Path(folder) if isinstance(folder, str | os.PathLike) and folder != "" else None
        if path is not None:
            path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except Exception:  # A name that no file can have, or an object whose path cannot be read.
        path = None
    if path is None:
        raise MextrainError(f"folder = {shown(folder)}: expected the path of a folder")
    return path


def find_manifest(folder: str | os.PathLike[str]) -> Path | None:
    """Return the path of the archive's manifest in `folder`, or None if there is none. Raises `MextrainError`."""
    root = as_folder(folder)
    found = sorted(root.glob(MANIFESTS))
    if os.path.lexists(root / OLD_JOB_FILE):
        found.append(root / OLD_JOB_FILE)
    if len(found) > 1:
        raise MextrainError(
            f"{one_line(str(folder))} holds {len(found)} archives "
            f"({found[0].relative_to(root)} and {found[1].relative_to(root)}): move each to a folder of its own"
        )
    return found[0] if found else None


def write_manifest(folder: Path, job: Job) -> None:
    """Write the manifest of a new archive: the job and a description of the columns. Raises `OSError`."""
    write_side_file(folder / job.folder / JOB_FILE, {**job.to_dict(), "columns": COLUMNS})


def _checked(job: Job, is_old: bool) -> Job:
    if (job.format != FORMAT) != is_old:
        raise MextrainError(f"its format is {shown(job.format)}, whose manifest has another name")
    return job
