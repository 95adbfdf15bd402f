"""docs/formats.md, docs/determinism.md, docs/actions.md and docs/architecture.md compared with the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mextrain import Event, Position, RuleSet
from mextrain.archive import COLUMNS, Job, archive_schema, write_archive
from mextrain.archive.layout import FORMATS as ARCHIVE_FORMATS
from mextrain.archive.places import as_place
from mextrain.archive.side_files import read_side_file
from mextrain.game.events import KINDS
from mextrain.game.seeding import FIRST_DRAW_WORD, STARTER_WORD, STREAM, below, high, low, round_key, word
from mextrain.notation.read import read as read_line
from mextrain.notation.snapshot import FIELDS
from mextrain_core.model.limits import STOP
from tests.docs.pages import ROOT, Fence, code_words, fences, prose, read, tables
from tests.reference.replay import replay
from tests.tidy import floors

FORMATS, DETERMINISM, ACTIONS, ARCHITECTURE = (
    ROOT / "docs" / f"{name}.md" for name in ("formats", "determinism", "actions", "architecture")
)
RECORDS = [fence for fence in fences(FORMATS) if (fence.language, fence.words) == ("json", ("record",))]
LINES = [fence for fence in fences(FORMATS) if (fence.language, fence.words) == ("text", ("position",))]


# -- formats


def test_the_record_can_be_replayed() -> None:
    """The slow rulebook replays the example of the page, with legal moves, end and points."""
    assert len(RECORDS) == 1
    played = replay(json.loads(RECORDS[0].text))
    assert played.over


def test_every_field_of_the_record_is_described() -> None:
    described = [name for row in tables(FORMATS, "Round records")[0][1:] for name in code_words(row[0])]
    assert described == list(json.loads(RECORDS[0].text))


def test_the_events_are_all_there() -> None:
    record = json.loads(RECORDS[0].text)
    actions = RuleSet.from_dict(record["rules"]).actions
    assert [str(Event.parse(text, actions)) for text in record["events"]] == record["events"]
    written = [code_words(row[0])[0] for row in tables(FORMATS, "Events")[0][1:]]
    assert [text.partition(":")[2].partition(" ")[0].lower() for text in written] == list(KINDS)


def test_the_plays_mean_what_the_page_says() -> None:
    actions = RuleSet.super(4).actions
    for row in tables(FORMATS, "Trains and plays")[0][1:]:
        text = row[0].strip("`")
        assert actions.text(actions.parse(text)) == text
        if "end is" in row[1]:
            assert text.partition("@")[0].partition("-")[2] == re.search(r"end is (\d+)", row[1])[1]  # type: ignore[index]


def test_the_columns_of_an_archive() -> None:
    pytest.importorskip("pyarrow")
    arrow = {
        "text": "dictionary<values=string, indices=int32, ordered=0>",
        "list of uint16": "list<element: uint16 not null>",
        "list of int64": "list<element: int64 not null>",
    }
    described = {row[0].strip("`"): row[1] for row in tables(FORMATS, "Archives")[1][1:]}
    assert described == COLUMNS
    schema = archive_schema()
    assert {field.name: str(field.type) for field in schema} == {
        name: arrow.get(kind, kind) for name, kind in described.items()
    }
    assert not any(field.nullable for field in schema)


def test_the_files_of_an_archive(tmp_path: Path) -> None:
    """The files, and the fields of a sidecar, equal those of an archive written here."""
    pytest.importorskip("pyarrow")
    files, _, fields = tables(FORMATS, "Archives")
    job = Job.create(RuleSet.mexican(2), games=1)
    write_archive(tmp_path, job)
    names = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    described = [code_words(row[0])[0] for row in files[1:4]]
    assert sorted(name.replace("…", "mexican", 1).replace("…", "2", 1) for name in described) == names
    sidecar = read_side_file(as_place(tmp_path), job.sidecar_path(0).as_posix())
    assert [name for row in fields[1:] for name in code_words(row[0])] == list(sidecar)
    assert all(f"`{name}`" in read(FORMATS) for name in ARCHIVE_FORMATS)


@pytest.mark.parametrize("fence", LINES, ids=lambda fence: f"line {fence.line}")
def test_the_lines_of_positions_can_be_read(fence: Fence) -> None:
    line = " ".join(fence.text.split())
    snapshot = read_line(line)
    assert str(read_line(str(snapshot))) == str(snapshot)
    assert "rest" in line or str(snapshot) == line
    if not snapshot.hidden:
        assert Position.from_line(line).line(events=snapshot.events is not None) == str(snapshot)


def test_every_field_of_a_line_is_described() -> None:
    described = [code_words(row[0])[0] for row in tables(FORMATS, "Position: one line of text")[0][1:]]
    assert [name.partition(" ")[0] for name in described] == list(FIELDS)
    assert all(any(f"; {name}" in " ".join(fence.text.split()) for fence in LINES) for name in FIELDS)


# -- determinism


@pytest.mark.parametrize("row", tables(DETERMINISM, "Test vectors")[0][1:], ids=lambda row: f"{row[0]}, seed {row[1]}")
def test_the_vectors(row: list[str]) -> None:
    """The table of the page, recomputed with the public functions."""
    names, seed, game, engine, key, first, starter, hand, draws = (cell.replace("\\", "").strip("`") for cell in row)
    preset, players = names.split(", ")
    rules = RuleSet.preset(preset, players=int(players))
    k = round_key(int(seed), int(game), engine)
    assert (f"{k:016X}", f"{word(k, 0):016X}") == (key, first)
    assert below(high(word(k, STARTER_WORD)), rules.players) == int(starter)
    members = [str(tile) for tile in rules.tiles]
    members.remove(engine)
    dealt = []
    for pick in range(rules.players * rules.hand_size):
        half = low if pick % 2 else high
        dealt.append(members.pop(below(half(word(k, pick >> 1)), len(members))))
    assert dealt[: len(hand.split())] == hand.split()
    drawn = [members.pop(below(high(word(k, FIRST_DRAW_WORD + n)), len(members))) for n in range(len(draws.split()))]
    assert drawn == draws.split()


def test_the_stream_is_named() -> None:
    assert f"`{STREAM}`" in read(DETERMINISM)


# -- actions


def test_the_numbers_of_ids() -> None:
    header, *rows = next(table for table in tables(ACTIONS) if table[0][0] == "players")
    for preset, *counts in rows:
        found = [RuleSet.preset(preset.strip("`"), players=int(players)).action_count for players in header[1:]]
        assert found == [int(count) for count in counts]


def test_the_code_of_stop() -> None:
    assert f"`stop` is `{STOP:#06X}`".replace("0X", "0x") in read(ACTIONS)


def test_the_moves_in_the_text_exist() -> None:
    actions = RuleSet.super(4).actions
    for text in re.findall(r"`([^`]+@[^`]+)`", prose(ACTIONS)):
        if text != "HALF-HALF@TRAIN":
            assert actions.text(actions.parse(text)) == text


# -- architecture


def test_the_rooms_are_on_the_page_from_bottom_to_top() -> None:
    rooms = [[name for row in table[1:] for name in code_words(row[0])] for table in tables(ARCHITECTURE)[:2]]
    assert rooms == [list(floors.CORE), list(floors.PYTHON[:-1])]
