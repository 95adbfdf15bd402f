"""Archives of self-play: folders of Parquet files with a row for each round, which hold all that replays need.

A folder holds one job. The shards `part-00000.parquet`, … lie in a folder named after the rules and the players, and
beside them the manifest, `_job.parquet`, which says what is played. A shard is a pure function of the job and its
number, whatever the number of workers, so a job that was cut off can be resumed. A sidecar, `_part-00000.parquet`, is
written after its shard and is the mark that this is complete; docs/archive.md has the rest.

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
