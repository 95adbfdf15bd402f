# %% [markdown]
# # Where did the round go wrong?
#
# A beginner lays the heaviest tile that fits. `analyse` goes through a whole round, looks for the best move at every
# decision with what the seat knew then, and says what the move made lost against it, in points. This notebook plays
# such a round, finds the decision that lost most, and looks at it.
#
# Open it in an editor that knows `# %%`, such as VS Code, PyCharm, Spyder, or Jupyter with jupytext.

# %%
from mextrain import STOP, Position, RuleSet, analyse, search

rules = RuleSet.mexican(players=4)


def heaviest(position):
    """The legal move whose tile has the most points; it stops only if it must."""
    moves = [move for move in position.legal_moves() if move != STOP]
    return max(moves, key=lambda move: rules.actions.tile(move).points)


position = Position.deal(rules, seed=3)
while not position.over:
    position.play(heaviest(position))
position

# %% [markdown]
# How well did each seat play, and how lucky was it? `luck` is what the draws changed, in points that the seat could
# expect. The sum of the losses is what its moves cost.

# %%
found = analyse(position, playouts=200, seed=1)
for seat in found.seats:
    points = position.points[seat.seat]
    print(f"seat {seat.seat}: {points:>3} points, {seat.loss_sum:>5.1f} lost by its moves, luck {seat.luck:+.1f}")

# %% [markdown]
# All choices of the seat that lost most. `fine` lost less than a point, a `blunder` more than eight; the intervals say
# how sure that is. A loss can be negative: in the worlds in which it was measured, the move did better by chance.

# %%
print(found.of(max(found.seats, key=lambda seat: seat.loss_sum).seat))

# %% [markdown]
# The worst decision of the round, as its seat saw the table. The dashed ring is the move that was better.

# %%
worst = max(found.decisions, key=lambda row: row.loss or 0)
before = position.restart()
for event in position.events[: worst.event]:
    if event.move is not None:
        before.play(event.move)
print(f"event {worst.event}: seat {worst.seat} laid {worst.move}, but {worst.best} was {worst.loss:.1f} points better")
before.svg(for_seat=worst.seat, suggest=worst.best)

# %% [markdown]
# Was it really worse? A larger search, in which no move is dropped early, says what each legal move is worth there.

# %%
search(before, playouts=1200, drop=None, seed=2)
