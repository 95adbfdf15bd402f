"""Portions: the shards of a job that one process makes, so that others can make the rest."""

from __future__ import annotations

import re

from mextrain.archive.job import Job
from mextrain.errors import MextrainError, shown

_TEXT = re.compile(r"(\d{1,20})(?:-(\d{1,20}))?(?:/(\d{1,20}))?")

EXPECTED = "shards, such as 7 or 0-99, or parts of N, counted from 0, such as 7/100 or 0-9/100"


def portion(shards: object, job: Job) -> range:
    """Return the numbers of the shards that `shards` names: a text as `--shards` takes it, or a range of numbers.

    `A` and `A-B` are shards, from 0, B included. `A/N` and `A-B/N` are parts of the job, if its shards are divided into
    N parts as equal as possible, in order; a part may be empty. Raises `MextrainError`.
    """
    if isinstance(shards, range):
        if shards.step != 1 or shards.start < 0 or shards.stop > job.shards:
            raise MextrainError(
                f"shards = {shown(shards)}: expected a range within 0 … {job.shards - 1}, step by step, "
                "which are the shards of this job"
            )
        return shards
    found = _TEXT.fullmatch(shards) if isinstance(shards, str) else None
    if found is None:
        raise MextrainError(f"shards = {shown(shards)}: expected {EXPECTED}")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise MextrainError(f"shards = {shown(shards)}: the range ends before it begins; did you mean {last}-{first}?")
    if found[3] is None:
        if last >= job.shards:
            raise MextrainError(f"shards = {shown(shards)}: the shards of this job are 0 … {job.shards - 1}")
        return range(first, last + 1)
    parts = int(found[3])
    if last >= parts:
        raise MextrainError(
            f"shards = {shown(shards)}: "
            + (f"the parts are 0 … {parts - 1}" if parts else "a job has 1 part or more")
        )
    return range(first * job.shards // parts, (last + 1) * job.shards // parts)
