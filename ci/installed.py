"""Run by `ci/wheel` with the installed package: check its files, play, and read back the output of `mextrain`.

Arguments: a folder from `selfplay`, a file from `bench --json`, one from `rules --page`.
"""

import json
import re
import sys
from importlib.metadata import files, version
from pathlib import Path

import pyarrow.parquet

import mextrain
from mextrain import simulate
from mextrain.game.options import PLAYERS_TABLE

assert version("mextrain") == mextrain.__version__
home = Path(mextrain.__file__).parent
assert "site-packages" in home.parts, f"imported from {home}"

installed = {str(file) for file in files("mextrain") or ()}
wanted = {"mextrain/include/mextrain.h", "mextrain/py.typed", "mextrain_core/py.typed", "mextrain_core/compiler/jit.py"}
assert wanted <= installed, f"not in the wheel: {wanted - installed}"
assert not [name for name in installed if name.startswith(("tests", "bench", "ci"))]

rule_sets = [mextrain.RuleSet.preset(preset, players=n) for preset, table in PLAYERS_TABLE.items() for n in table]
assert len(rule_sets) == 13 * len(PLAYERS_TABLE)
assert all(rules.describe() for rules in rule_sets)

rules = mextrain.RuleSet.mexican(4)
played = simulate(rules, games=2, seed=1, workers=2)
position = mextrain.Position.deal(rules, seed=1)
while not position.over:
    position.play(position.legal_moves()[0])

rows = pyarrow.parquet.read_table(next(Path(sys.argv[1]).rglob("part-*.parquet"))).to_pylist()
assert [row["points"] for row in rows] == played.points.reshape(-1, 4).tolist()
# The wheel contains the C twin.
runs = {run["backend"]: run for run in json.loads(Path(sys.argv[2]).read_text())["runs"]}
assert runs["c"]["ratio_to_c"] == 1, runs["c"]
assert len({run["hash"] for run in runs.values()}) == 1

# It contains the pages, with everything that they link to below docs.
pages = home / "docs"
assert (pages / "rules.md").read_bytes() == Path(sys.argv[3]).read_bytes()
for page in pages.rglob("*.md"):
    for target in re.findall(r"\]\(([\w./-]+)", page.read_text(encoding="utf-8")):
        there = (page.parent / target).resolve()
        assert there.exists() or not there.is_relative_to(pages.resolve()), f"{page.name}: {target} is missing"

print(f"mextrain {mextrain.__version__} from {home}: {len(rule_sets)} rule sets, 2 games played and read back")
