"""The random numbers of docs/determinism.md, ``mextrain-stream/1``: keys, words, deal, starter, draws, policy words."""

from __future__ import annotations

from collections.abc import Iterator

from .options import Rules
from .tiles import WILD, halves, tiles_of

MODULUS = 1 << 64
GOLDEN = 0x9E3779B97F4A7C15
ENGINE_WORD = 126
STARTER_WORD = 127
FIRST_DRAW_WORD = 128
FIRST_POLICY_WORD = 1 << 16
MOST_ATTEMPTS = 1 << 16


def mix(z: int) -> int:
    """SplitMix64's finaliser."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % MODULUS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % MODULUS
    return z ^ (z >> 31)


def round_key(seed: int, game: int, engine: str) -> int:
    """The key of a round: one for each seed, game and engine (docs/determinism.md)."""
    for name, value, limit in (("seed", seed, MODULUS), ("game", game, 1 << 59)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < limit:
            raise ValueError(f"{name} must be 0 to {limit - 1}, not {value!r}")
    half = halves(engine)[0]
    code = 13 if half == WILD else int(half)
    start = mix((seed + GOLDEN) % MODULUS)
    return mix((start + (32 * game + code) * 0xD1342543DE82EF95) % MODULUS)


def word(key: int, counter: int) -> int:
    """W(c)."""
    return mix((key + (counter + 1) * GOLDEN) % MODULUS)


def hi(w: int) -> int:
    """The high 32 bits of a word."""
    return w >> 32


def lo(w: int) -> int:
    """The low 32 bits of a word."""
    return w & 0xFFFFFFFF


def below(r: int, n: int) -> int:
    """A number 0 ... n-1 from a 32-bit r."""
    return (r * n) >> 32


def set_up(rules: Rules, place: int, caller: int) -> tuple[int, list[int]]:
    """Starter and hand sizes if the engine is tile number ``place`` of the shuffled set (engine_from = holder).

    The set is dealt hand by hand; the rest is drawn in the hunt, from the caller on.
    """
    sizes = [rules.hand_size] * rules.players
    if place < sum(sizes):
        holder = place // rules.hand_size
        sizes[holder] -= 1
        return holder, sizes
    left = len(tiles_of(rules.tile_set)) - sum(sizes)
    to_engine = place - sum(sizes)
    finder = None
    while finder is None:
        for step in range(rules.players):
            seat = (caller + step) % rules.players
            if left == 0 or (finder is not None and rules.engine_hunt == "in_turn"):
                break
            left -= 1
            if to_engine == 0:
                finder = seat
            else:
                sizes[seat] += 1
            to_engine -= 1
    return finder, sizes


def first_turn(rules: Rules, key: int, caller: int) -> tuple[int, list[int]]:
    """Starter and hand sizes of the round of this key."""
    if rules.engine_from == "set_aside":
        return caller, [rules.hand_size] * rules.players
    return set_up(rules, below(hi(word(key, ENGINE_WORD)), len(tiles_of(rules.tile_set))), caller)


def deal(rules: Rules, key: int, engine: str, sizes: list[int] | None = None) -> tuple[list[list[str]], list[str]]:
    """Hands in picking order and the boneyard in index order (docs/determinism.md)."""
    members = list(tiles_of(rules.tile_set))
    members.remove(engine)
    hands: list[list[str]] = []
    pick = 0
    for size in sizes or [rules.hand_size] * rules.players:
        hand = []
        for _ in range(size):
            w = word(key, pick >> 1)
            r = hi(w) if pick % 2 == 0 else lo(w)
            hand.append(members.pop(below(r, len(members))))
            pick += 1
        hands.append(hand)
    return hands, members


def deal_all(rules: Rules, key: int, caller: int) -> tuple[str, int, list[list[str]], list[str]]:
    """Engine, starter, hands and boneyard if the deal decides the engine (engine_from = highest, own_highest)."""
    members = list(tiles_of(rules.tile_set))
    order = []
    for pick in range(len(members)):
        w = word(key, pick >> 1)
        order.append(members.pop(below(hi(w) if pick % 2 == 0 else lo(w), len(members))))
    engine, starter, hands, rest = lay_first(rules, order, caller)
    return engine, starter, hands, [tile for tile in tiles_of(rules.tile_set) if tile in rest]


def lay_first(rules: Rules, order: list[str], caller: int) -> tuple[str, int, list[list[str]], list[str]]:
    """Engine, starter, hands and what is left if the tiles are dealt and drawn in this order."""
    members = list(order)
    hands = [[members.pop(0) for _ in range(rules.hand_size)] for _ in range(rules.players)]
    clockwise = [(caller + step) % rules.players for step in range(rules.players)]

    def highest(hand: list[str]) -> str | None:
        doubles = [tile for tile in hand if halves(tile)[0] == halves(tile)[1]]
        return max(doubles, key=lambda tile: int(halves(tile)[0]), default=None)

    def laid_by(seat: int, engine: str) -> tuple[str, int, list[list[str]], list[str]]:
        hands[seat].remove(engine)
        return engine, seat, hands, members

    if rules.engine_from == "highest":
        engine = highest([tile for hand in hands for tile in hand])
        if engine is not None:
            return laid_by(next(seat for seat in clockwise if engine in hands[seat]), engine)
    while True:
        for seat in clockwise:
            engine = highest(hands[seat])
            if engine is not None:
                return laid_by(seat, engine)
            if members:
                hands[seat].append(members.pop(0))
                engine = highest(hands[seat][-1:])
                if engine is not None:
                    return laid_by(seat, engine)


def beginnings(rules: Rules) -> Iterator[tuple[int, list[int], list[int], list[int]]]:
    """Every way in which a round can begin if the deal decides the engine, as everybody sees it.

    Each is the starter, the hand sizes, the seats that show to have no double, and the seats that show to have no
    double above the engine.
    """
    seats = range(rules.players)
    left = len(tiles_of(rules.tile_set)) - rules.players * rules.hand_size
    for caller in seats:
        order = [(caller + step) % rules.players for step in seats]
        for turn, holder in enumerate(order):
            asked = order[:turn] if rules.engine_from == "own_highest" else []
            sizes = [rules.hand_size + (seat in asked[:left]) - (seat == holder) for seat in seats]
            yield holder, sizes, asked, [holder] if rules.engine_from == "own_highest" else list(seats)
        for before in range(left):
            kept = [order[n % rules.players] for n in range(before)]
            sizes = [rules.hand_size + kept.count(seat) for seat in seats]
            finder = order[before % rules.players]
            yield finder, sizes, list(seats) if rules.engine_from == "highest" else [*kept, finder], []


def drawn_starter(key: int, players: int) -> int:
    """The starter when it is drawn (docs/determinism.md)."""
    return below(hi(word(key, STARTER_WORD)), players)


def draw_position(key: int, draw: int, size: int) -> int:
    """The index, from the smallest, of the member of the boneyard that draw n takes (docs/determinism.md)."""
    return below(hi(word(key, FIRST_DRAW_WORD + draw)), size)


def policy_word(key: int, attempt: int) -> int:
    """A policy's number for an attempt (docs/determinism.md)."""
    return word(key, FIRST_POLICY_WORD + attempt)
