"""Interpreted kernels do the same as compiled ones."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import random
import subprocess
import sys

import numpy as np
import pytest

import mextrain_core
from mextrain_core.model.state import PHASE_DECIDE, PHASE_OVER
from tests.interpreted.games import RULES, digests
from tests.invariants.test_every_step import Steps
from tests.limits import communicate


def test_both_modes_play_the_same() -> None:
    """Compare with an interpreted process; if this process is interpreted, only its line coverage is measured."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    program = [sys.executable, "-m", "tests.interpreted.games"]
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as other:
        ours = digests()
        out, err = communicate(other)
    assert (other.returncode, err) == (0, "")
    assert json.loads(out) == ours


def test_invariants_hold_in_this_mode() -> None:
    """A few whole rounds; `tests/invariants` checks many more, compiled."""
    for number, name in enumerate(("mexican-2", "super", "foot", "house")):
        rules = RULES[name]
        dice = random.Random(number)
        steps = Steps(rules, number, 0, str(rules.engines[0]), None)
        while steps.phase != PHASE_OVER:
            if steps.phase == PHASE_DECIDE:
                steps.decide(dice)
            else:
                steps.force()


MODULES = [name for _, name, _ in pkgutil.walk_packages(mextrain_core.__path__, "mextrain_core.")]


@pytest.mark.parametrize("module", MODULES)
def test_fields_of_records_can_be_read_as_attributes(module: str) -> None:
    """A field with the name of an attribute of `np.record` would be that field in compiled code only."""
    values = vars(importlib.import_module(module)).items()
    records = {name: value for name, value in values if isinstance(value, np.dtype) and value.type is np.record}
    assert not {(name, field) for name in records for field in records[name].names if hasattr(np.record, field)}
