"""Other programs read an archive as a folder or by a pattern, and see only the rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mextrain import RuleSet
from mextrain.archive import COLUMNS, Job, write_archive
from mextrain.dataset.table import COLUMNS as TABLE_COLUMNS

pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

PARTITIONS = {"preset", "players"}


def names(frame: Any) -> list[str]:
    """The columns of the result of a library."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def files(pattern: str) -> list[str]:
    """The files that match a pattern in a shell."""
    root, _, rest = pattern.partition("/**/")
    return sorted(map(str, Path(root).rglob(rest)))


READERS: dict[str, Callable[[str, str], Any]] = {
    "polars scan, folder": lambda folder, _: polars.scan_parquet(folder).collect(),
    "polars read, folder": lambda folder, _: polars.read_parquet(folder),
    "polars, pattern": lambda _, pattern: polars.scan_parquet(pattern, hive_partitioning=True).collect(),
    "pyarrow, folder": lambda folder, _: parquet.read_table(folder),
    "pyarrow dataset, folder": lambda folder, _: dataset.dataset(folder, partitioning="hive").to_table(),
    "pyarrow, pattern": lambda _, pattern: parquet.read_table(files(pattern)),
    "pandas, folder": lambda folder, _: pandas.read_parquet(folder),
    "pandas, pattern": lambda _, pattern: pandas.read_parquet(files(pattern)),
    "duckdb, folder": lambda folder, _: duckdb.sql(f"select * from read_parquet('{folder}')").to_arrow_table(),
    "duckdb, pattern": lambda _, pattern: duckdb.sql(f"select * from '{pattern}'").to_arrow_table(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20 games of 13 rounds in three shards."""
    out = tmp_path_factory.mktemp("readers") / "archive"
    write_archive(out, Job.create(RuleSet.mexican(4), games=20, seed=1, shard_games=7))
    return out


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("pattern", ["**/*.parquet", "**/part-*.parquet"])
def test_all_rows_and_the_partitions(reader: str, pattern: str, folder: Path) -> None:
    read = READERS[reader](str(folder), f"{folder}/{pattern}")
    assert len(read) == 260
    assert {*names(read)} == {*COLUMNS} | PARTITIONS
    assert len(names(read)) == len(COLUMNS) + 2


def test_several_archives_below_one_folder(folder: Path, tmp_path: Path) -> None:
    """Also with different rules; the partitions distinguish them."""
    for players in (2, 3):
        write_archive(tmp_path / f"job {players}", Job.create(RuleSet.mexican(players, rounds=2), games=5))
    lazy = polars.scan_parquet(tmp_path)
    assert lazy.group_by("players").len().sort("players").collect().rows() == [(2, 10), (3, 10)]
    query = f"select players, count(*) from '{tmp_path}/**/*.parquet' group by all order by all"
    assert [(int(players), count) for players, count in duckdb.sql(query).fetchall()] == [(2, 10), (3, 10)]


def test_an_archive_without_a_shard(tmp_path: Path) -> None:
    """A job without any finished shard is an empty table in every program."""
    job = Job.create(RuleSet.mexican(2, rounds=2), games=5)
    write_archive(tmp_path, job)
    for path in (job.path(0), job.sidecar_path(0)):
        (tmp_path / path).unlink()
    for reader in ("polars scan, folder", "duckdb, folder", "polars, pattern", "duckdb, pattern"):
        assert len(READERS[reader](str(tmp_path), f"{tmp_path}/**/*.parquet")) == 0


# Words reserved in ISO 9075-2:2016 that are conceivable as column names.
RESERVED = """
action all and any array as at begin between both by call case check column commit condition cross cube current cycle
date day declare default delete desc describe distinct do drop each element else end equals escape every exec exists
exit external false fetch filter for foreign from full function get global grant group grouping having hold hour if in
initial inner insert int into is join lag language last large lead left like limit local match max member merge method
min minute mod month natural new no none not null of offset old on one only open or order out outer over partition per
position power precision prepare primary range rank reads real ref release result return revoke right role rollback row
rows savepoint scope search second seek select set show some sql start static sum symmetric system table then time to
trigger true union unique until update upper user using value values when where window with within without year
""".split()  # noqa: SIM905


def test_no_column_is_a_word_of_sql(folder: Path) -> None:
    """Every column can be used in a query without quotes."""
    columns = [*COLUMNS, *PARTITIONS]
    words = duckdb.sql("select keyword_name from duckdb_keywords() where keyword_category = 'reserved'").fetchall()
    for name in {*columns, *TABLE_COLUMNS}:
        assert re.fullmatch("[a-z]+", name)
        assert name not in {*RESERVED, *(word for (word,) in words)}
    query = f"select {', '.join(columns)} from read_parquet('{folder}')"
    assert len(duckdb.sql(f"{query} order by {', '.join(columns)}").fetchall()) == 260
    context = polars.SQLContext(rounds=polars.scan_parquet(folder))
    assert len(context.execute(f"select {', '.join(columns)} from rounds").collect()) == 260


def test_page_checksums(folder: Path, tmp_path: Path) -> None:
    """pandas and Arrow find a flipped bit in the middle of a page if page checksums are verified."""
    path = folder / Job.create(RuleSet.mexican(4), games=20, seed=1, shard_games=7).path(0)
    data = bytearray(path.read_bytes())
    column = parquet.read_metadata(path).row_group(0).column(COLUMNS_IN_FILE.index("actions.list.element"))
    assert column.path_in_schema == "actions.list.element"
    data[column.data_page_offset + column.total_compressed_size // 2] ^= 1
    (tmp_path / "flipped.parquet").write_bytes(data)
    for read in (parquet.read_table, pandas.read_parquet):
        with pytest.raises(OSError, match=r"CRC|crc"):
            read(tmp_path / "flipped.parquet", page_checksum_verification=True)


COLUMNS_IN_FILE = [f"{name}.list.element" if kind.startswith("list") else name for name, kind in COLUMNS.items()]
"""The columns by their names in Parquet."""
