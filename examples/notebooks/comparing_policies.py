# %% [markdown]
# # Which policy plays better, and is it always the same one?
#
# Policies are compared on equal deals: every deal is played in every seating, so the luck of the tiles cancels out
# ([statistics](../../docs/statistics.md#which-policy-is-best)). This notebook plays small tournaments under several
# rules and draws the results with their intervals.
#
# Open it in an editor that knows `# %%`, such as VS Code, PyCharm, Spyder, or Jupyter with jupytext.

# %%
from mextrain import RuleSet, tournament

POLICIES = ["counting", "planner", "cautious", "heaviest", "random"]
RULES = {
    "Mexican Train, 2 players": RuleSet.mexican(players=2),
    "Mexican Train, 4 players": RuleSet.mexican(players=4),
    "Mexican Train, 4, cover": RuleSet.mexican(players=4, double_rule="cover"),
    "Super Train, 4 players": RuleSet.super(players=4),
}
results = {name: tournament(rules, POLICIES, deals=25, seed=1) for name, rules in RULES.items()}
results["Mexican Train, 4 players"]

# %% [markdown]
# Points a round less those of the opponents, with 95 % intervals: the further to the left, the better. Two intervals
# that overlap do not mean that nothing is known: `pairs()` compares every two policies on the same deals, which is more
# exact.

# %%
COLOURS = ("#0d6fa3", "#1f7a33", "#b04e00", "#6a2fb5", "#c72424")


class Chart(str):
    """SVG source that a notebook shows."""

    def _repr_svg_(self):
        return str(self)


def chart(results, width=720, row=22, label=190):
    """A dot and an interval for each policy and each set of rules."""
    ranks = {name: {rank.policy: rank.against for rank in result.ranks()} for name, result in results.items()}
    values = [value for found in ranks.values() for value in found.values()]
    low, high = min(value.low for value in values), max(value.high for value in values)

    def x(value):
        return label + (value - low) / (high - low) * (width - label - 20)

    out, y = [], 30
    for name, found in ranks.items():
        out.append(f'<text x="12" y="{y}" font-weight="bold">{name}</text>')
        for policy, colour in zip(POLICIES, COLOURS, strict=True):
            y, value = y + row, found[policy]
            left, middle, right = (round(x(each), 1) for each in (value.low, value.value, value.high))
            out.append(f'<text x="32" y="{y}">{policy}</text>')
            out.append(f'<path d="M{left} {y - 4}H{right}" stroke="{colour}" stroke-width="3"/>')
            out.append(f'<circle cx="{middle}" cy="{y - 4}" r="5" fill="{colour}"/>')
            out.append(f'<text x="{middle}" y="{y - 11}" font-size="10" text-anchor="middle">{value.value:+.1f}</text>')
        y += row + 14
    zero = f'<path d="M{x(0):.1f} 12V{y - 20}" stroke="#888" stroke-dasharray="3 3"/>'
    return Chart(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" '
        f'font-family="sans-serif" font-size="13"><title>Points against the others, by policy and rules</title>'
        f'<rect width="{width}" height="{y}" fill="#fffdf6"/>{zero}{"".join(out)}</svg>'
    )


chart(results)

# %% [markdown]
# The order is the same under all these rules, but the distances are not: planning ahead is worth far more in Super
# Train, whose hands are larger.

# %%
for name, result in results.items():
    order = [rank.policy for rank in result.ranks()]
    print(f"{name:<26} {' < '.join(order)}")
