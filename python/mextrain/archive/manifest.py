"""The manifest of an archive: finding, reading and writing it."""

from __future__ import annotations

from mextrain._support.optional import need
from mextrain.archive.job import Job
from mextrain.archive.layout import COLUMNS, FOLDERS, FORMAT, JOB_FILE, OLD_JOB_FILE
from mextrain.archive.places import Folder, Place, as_place
from mextrain.archive.side_files import read_json_file, read_side_file, write_side_file
from mextrain.errors import MextrainError, one_line, shown


def read_job(folder: Folder) -> Job:
    """Return the job of the archive in `folder`: a path, a URI or a `pyarrow.fs.FileSystem`.

    Raises `MextrainError` for a folder without an archive, with several, or with one of another format or stream
    version, and `MissingExtra` without pyarrow.
    """
    place = as_place(folder)
    job = find_job(place)
    if job is None:
        raise MextrainError(f"{one_line(place.text)} holds no archive: there is no {JOB_FILE} in it")
    return job


def find_job(folder: Folder) -> Job | None:
    """Return the job of the archive in `folder`, or None if there is none; raises the same errors as `read_job`."""
    need("pyarrow", "io")
    place = as_place(folder)
    name = find_manifest(place)
    if name is None:
        return None
    try:
        if name == OLD_JOB_FILE:
            return _checked(Job.from_dict(read_json_file(place, name)), is_old=True)
        job = _checked(Job.from_dict(read_side_file(place, name)), is_old=False)
        lies = name.removesuffix(f"/{JOB_FILE}")
        if lies != job.folder:
            raise MextrainError(f"it lies in {lies}, and its shards in {job.folder}")
        return job
    except (MextrainError, OSError) as error:
        raise MextrainError(f"{one_line(f'{place.text}/{name}')} cannot be read: {error}") from None


def find_manifest(place: Place) -> str | None:
    """Return the name of the archive's manifest, or None if there is none. Raises `MextrainError`."""
    folders = [""]
    for begin in FOLDERS:
        folders = [f"{above}{name}/" for above in folders for name in place.names(above) if name.startswith(begin)]
    found = [f"{folder}{JOB_FILE}" for folder in folders]
    found = [name for name in (*found, OLD_JOB_FILE) if place.kind(name) is not None]
    if len(found) > 1:
        raise MextrainError(
            f"{one_line(place.text)} holds {len(found)} archives ({found[0]} and {found[1]}): "
            "move each to a folder of its own"
        )
    return found[0] if found else None


def write_manifest(place: Place, job: Job) -> None:
    """Write the manifest of a new archive: the job and a description of the columns. Raises `OSError`."""
    write_side_file(place, f"{job.folder}/{JOB_FILE}", {**job.to_dict(), "columns": COLUMNS})


def _checked(job: Job, is_old: bool) -> Job:
    if (job.format != FORMAT) != is_old:
        raise MextrainError(f"its format is {shown(job.format)}, whose manifest has another name")
    return job
