"""Archive tests do not wait for the disk."""

from __future__ import annotations

import pytest

from mextrain._support.files import Disk


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are no power cuts here, except simulated ones in test_cuts.py, so syncing would only take time."""
    monkeypatch.setattr(Disk, "sync", lambda self, file: file.flush())
    monkeypatch.setattr(Disk, "sync_folder", lambda self, folder: None)
