"""Are the better policies better under every printed rule set, too? Paired tournaments against `cautious`.

    python -m bench.presets [PRESET …]

prints the table of docs/statistics.md: the points a round that each policy loses on `cautious`, with 95 % intervals.
Searches play single rounds, all others whole matches.
"""

from __future__ import annotations

import sys

from mextrain import RuleSet, tournament
from mextrain.bulk.stats import number_text
from mextrain.game.options import PRESETS

DEALS = {"planner": 150, "counting": 400, "expert": 150, "flat:50": 400}
"""Deals by policy; each is played in both seatings."""


def difference(preset: str, policy: str) -> str:
    """Return the points a round of the policy less those of `cautious`, four players."""
    rules = RuleSet.preset(preset, players=4, **({"rounds": 1} if ":" in policy else {}))
    (pair,) = tournament(rules, [policy, "cautious"], deals=DEALS[policy], seed=1, workers=None).pairs()
    value = pair.difference
    if pair.first != policy:
        value = value._replace(value=-value.value, low=-(value.high or 0.0), high=-(value.low or 0.0))
    return number_text(value)


def main() -> None:
    """Print the table."""
    print(f"| preset | {' | '.join(f'`{policy}`' for policy in DEALS)} |\n|{'---|' * (len(DEALS) + 1)}")
    for preset in sys.argv[1:] or [name for name in PRESETS if name not in ("mexican", "super")]:
        cells = [difference(preset, policy) for policy in DEALS]
        print(f"| `{preset}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
