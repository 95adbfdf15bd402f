"""Archives of self-play: folders of Parquet files with one row per round, which hold everything needed for replays.

A folder holds one job. The shards `part-00000.parquet`, … are in a subfolder named after the rules and the number of
players. Beside them is the manifest, `_job.parquet`, which describes the job. A shard depends only on the job and its
number, not on the number of workers, so an interrupted job can be resumed. A sidecar, `_part-00000.parquet`, is written
after its shard and marks it as complete. See docs/archive.md for the rest.
Imports `bulk` and the rooms below it.
"""

from mextrain.archive.check import Checked, check_archive
from mextrain.archive.job import Job
from mextrain.archive.layout import COLUMNS, FORMAT, JOB_FILE
from mextrain.archive.manifest import find_job, read_job
from mextrain.archive.schema import archive_schema
from mextrain.archive.shards import Shard, read_shards
from mextrain.archive.sidecar import Sidecar
from mextrain.archive.verify import verify_archive
from mextrain.archive.write import Archive, write_archive

__all__ = [
    "COLUMNS",
    "FORMAT",
    "JOB_FILE",
    "Archive",
    "Checked",
    "Job",
    "Shard",
    "Sidecar",
    "archive_schema",
    "check_archive",
    "find_job",
    "read_job",
    "read_shards",
    "verify_archive",
    "write_archive",
]
