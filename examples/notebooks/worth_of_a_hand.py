# %% [markdown]
# # What is a first hand worth?
#
# You pick up twelve tiles. How long a train they make can be computed ([planner](../../docs/planner.md)); how many
# points you will have at the end of the round cannot, but it can be counted. This notebook deals a few thousand rounds,
# plans every first hand, plays all rounds to the end, and puts both side by side.
#
# Open it in an editor that knows `# %%`, such as VS Code, PyCharm, Spyder, or Jupyter with jupytext.

# %%
import numpy as np

from mextrain import Position, RuleSet, plan, simulate
from mextrain.study.planner import first_hands

GAMES = 4000
rules = RuleSet.mexican(players=4, rounds=1)
hands = first_hands(rules, GAMES, seed=1)  # games × seats × (tiles and points of the train, points left, proved)
played = simulate(rules, games=GAMES, seed=1, policies="counting")  # the same deals, played by a good policy
length = hands[:, :, 0]
points = played.points[:, 0]
won = played.winner[:, 0, None] == np.arange(4)
played

# %% [markdown]
# One of these hands as the planner lays it out:

# %%
hand = Position.deal(rules, seed=1).hands[2]
plan(hand, 12)

# %% [markdown]
# Now all of them. Each row has the hands whose longest train has that many tiles, with the mean points at the end of
# the round (± 1.96 standard errors) and the share of rounds that they won. A quarter would be an equal share.

# %%
print("train  hands   points at the end   rounds won")
for tiles in range(13):
    chosen = length == tiles
    if (n := chosen.sum()) < 50:
        continue  # too few to say anything
    mean, error = points[chosen].mean(), 1.96 * points[chosen].std() / n**0.5
    print(f"{tiles:>5}  {n:>5}   {mean:>8.1f} ± {error:<8.1f}  {won[chosen].mean():>9.1%}")

# %% [markdown]
# A long train helps, and a hand that cannot start costs a lot: its owner waits while the others lay theirs. Is the
# length of the train all that counts? Points that have no place in it should cost extra. A linear fit separates the
# two:

# %%
left = hands[:, :, 2]
table = np.stack([length.ravel(), left.ravel(), np.ones(length.size)], axis=1)
(per_tile, per_point, base), *_ = np.linalg.lstsq(table, points.ravel(), rcond=None)
print(f"points at the end = {base:.1f} {per_tile:+.2f} for each tile of the train {per_point:+.3f} for each point left")

# %% [markdown]
# How much of the result is decided by the deal? The share of the variance that this fit explains is small: most of a
# round is decided by the draws, by what the others do, and by how the hand is played.

# %%
rest = points.ravel() - table @ [per_tile, per_point, base]
print(f"the first hand explains {1 - rest.var() / points.var():.0%} of the variance of the points")
