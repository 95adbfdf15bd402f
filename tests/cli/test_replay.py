"""`mextrain replay`: the page that it writes, and one clear line for every wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mextrain import Position, RuleSet, analyse, replay_page
from tests.cli.run import fail, succeed
from tests.picture.drawing import played

END = played(RuleSet.mexican(3, tile_set="double-4", hand_size=3), 3)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with one round."""
    path = tmp_path / "rounds.jsonl"
    path.write_text(json.dumps(END.record()) + "\n", encoding="utf-8")
    return str(path)


def test_the_page_is_that_of_the_library(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert succeed(capsys, "replay", file, "-o", str(out)) == ""
    assert out.read_text(encoding="utf-8") == replay_page(END)
    options = ("--for-seat", "1", "--names", "a,b,c", "--no-beliefs", "--worlds", "30", "--seed", "7", "--event", "-1")
    event = max(number for number, each in enumerate(END.events) if each.is_decision)
    assert event == len(END.events) - 1
    assert succeed(capsys, "replay", file, "-o", str(out), *options) == ""
    wanted = replay_page(END, for_seat=1, names=["a", "b", "c"], beliefs=False, worlds=30, seed=7, event=event)
    assert out.read_text(encoding="utf-8") == wanted


def test_losses(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert succeed(capsys, "replay", file, "-o", str(out), "--analyse", "flat:40") == ""
    assert out.read_text(encoding="utf-8") == replay_page(END, analysis=analyse(END, method="flat:40"))


def test_wrong_input(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "page.html")
    assert "only HTML" in fail(capsys, "replay", file, "-o", str(tmp_path / "page.txt"))
    assert "no seat 5" in fail(capsys, "replay", file, "-o", out, "--for-seat", "5")
    assert "expected 3 texts" in fail(capsys, "replay", file, "-o", out, "--names", "a,b")
    assert "'deep' is unknown" in fail(capsys, "replay", file, "-o", out, "--analyse", "deep")
    assert "nothing to replay" in fail(capsys, "replay", Position.deal(END.rules, seed=1).line(), "-o", out)
    assert "-o/--out" in fail(capsys, "replay", file)
    assert not Path(out).exists()
