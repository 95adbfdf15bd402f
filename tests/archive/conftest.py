"""The tests of archives do not wait for the disk."""

from __future__ import annotations

import pytest

from mextrain._support.files import Disk


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody cuts the power here, but for tests/archive/test_power_cuts.py, which does not need a real disk for it."""
    monkeypatch.setattr(Disk, "sync", lambda self, file: file.flush())
    monkeypatch.setattr(Disk, "sync_folder", lambda self, folder: None)
