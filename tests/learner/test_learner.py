"""The example learner learns, and continues a checkpoint exactly; the trained nets of the package beat `counting`."""

from __future__ import annotations

import importlib.util
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mextrain import BatchPolicy, RuleSet, simulate, tournament
from mextrain.learned import Net
from mextrain.learned.net import _hints, _rows

HERE = Path(__file__).parent.parent.parent / "examples" / "learner"


@pytest.fixture(scope="module")
def learner() -> ModuleType:
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("example_learner", HERE / "learner.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["example_learner"] = module
    spec.loader.exec_module(module)
    return module


def trained(learner: ModuleType, out: Path, *options: str) -> ModuleType:
    """A short training, without a policy to be compiled."""
    given = ["--out", str(out), "--hint", "cautious", "--environments", "64", "--opponents", "self,cautious"]
    return learner.main([*given, *options])  # type: ignore[no-any-return]


def test_it_learns_to_beat_cautious(learner: ModuleType, tmp_path: Path) -> None:
    """By more than 2 points a round, from no knowledge but the features, within a minute of CPU time."""
    done = trained(learner, tmp_path, "--updates", "60", "--every", "20", "--blank", "--rate", "0.003")
    assert done.seconds < 60
    net = BatchPolicy(Net(tmp_path / "net.npz").choose)
    rules = RuleSet.mexican(4, rounds=1)
    points = simulate(rules, games=4000, seed=9, policies=[net, *["cautious"] * 3]).points[:, 0]
    ahead = points[:, 1:].mean(1) - points[:, 0]
    assert ahead.mean() - 2 * ahead.std() / len(ahead) ** 0.5 > 2
    first, *_, last = done.curve
    assert last[-1] > first[-1]


def test_a_checkpoint_continues_to_equal_bytes(learner: ModuleType, tmp_path: Path) -> None:
    short = ("--updates", "4", "--steps", "8", "--every", "1")
    trained(learner, tmp_path / "whole", *short)
    trained(learner, tmp_path / "parts", *short, "--stop-after", "2")
    half = (tmp_path / "parts" / "net.npz").read_bytes()
    trained(learner, tmp_path / "parts", *short, "--resume")
    whole, parts = ((tmp_path / name / "net.npz").read_bytes() for name in ("whole", "parts"))
    assert half != whole == parts


def test_the_curve_is_a_picture(learner: ModuleType, tmp_path: Path) -> None:
    done = trained(learner, tmp_path, "--updates", "3", "--steps", "30", "--every", "1")
    rows = (tmp_path / "curve.csv").read_text().splitlines()
    assert rows[0] == "cpu_seconds,decisions,self,cautious"
    assert len(rows) == 4 == len(done.curve) + 1
    picture = ElementTree.parse(tmp_path / "curve.svg").getroot()
    (line,) = picture.iter("{http://www.w3.org/2000/svg}polyline")
    assert len(re.findall(r"[\d.]+,[\d.]+", line.attrib["points"])) == 3


def test_the_net_of_the_file_is_the_net_that_learned(learner: ModuleType, tmp_path: Path) -> None:
    """Scores and values are the same with and without PyTorch."""
    import torch

    done = trained(learner, tmp_path, "--updates", "2", "--steps", "8")
    net = Net(tmp_path / "net.npz")
    checked = 0

    def choose(batch):  # type: ignore[no-untyped-def]
        nonlocal checked
        rows, hinted = _rows(batch), np.zeros((int(batch.offsets[-1]), 1), np.float32)
        hinted[batch.offsets[:-1] + _hints(batch, net._hint)] = 1
        actions = torch.from_numpy(np.hstack([rows.features, hinted]))
        of = torch.from_numpy(np.repeat(np.arange(len(batch)), batch.counts))
        with torch.no_grad():
            scores, values = done.net(actions, torch.from_numpy(rows.table), of)
        assert np.allclose(scores.numpy(), net.scores(batch), atol=1e-3)
        points = 30 * np.take_along_axis(values.numpy(), (np.arange(4) - batch.seats[:, None].astype(int)) % 4, 1)
        assert np.allclose(np.maximum(points, 0), net.points(batch), atol=0.1)
        checked += len(batch)
        return net.choose(batch)

    simulate(RuleSet.mexican(4, rounds=1), games=5, seed=1, policies=BatchPolicy(choose))
    assert checked > 50


@pytest.mark.parametrize(("preset", "deals"), [("mexican", 400), ("super", 60)])
def test_the_trained_nets_beat_counting(preset: str, deals: int) -> None:
    """By more than chance, with equal deals."""
    policy = f"mextrain.learned:{preset}"
    (pair,) = tournament(RuleSet.preset(preset, players=4), [policy, "counting"], deals=deals, seed=31).pairs()
    assert pair.first == policy
    assert pair.difference.high < 0
