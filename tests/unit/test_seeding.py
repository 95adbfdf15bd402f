"""Seeds and words: the stream `mextrain-stream/1` of docs/determinism.md, with its pinned vectors."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mextrain import RuleSet, SeedError, Tile, TileError
from mextrain.game.seeding import (
    FIRST_DRAW_WORD,
    FIRST_POLICY_WORD,
    STARTER_WORD,
    STREAM,
    below,
    check_game,
    check_seed,
    high,
    low,
    parse_seed,
    round_key,
    word,
    words,
)
from tests.reference import stream as slow

seeds = st.integers(0, 2**64 - 1)
games = st.integers(0, 2**59 - 1)
engines = st.sampled_from([*(f"{n}-{n}" for n in range(19)), "*-*"])

# Computed by an independent program: rules, seed, game, engine, key, word 0, starter, first and last hand in picking
# order, first draws.
VECTORS = [
    (
        RuleSet.mexican(4), 1, 0, "12-12", 0xA5079CED69D943C0, 0x9758BAACA34360B2, 1,
        "9-8 10-2 12-7 12-2 7-6 2-0 2-1 7-1 10-4 12-0 9-9 8-0",
        "11-7 6-2 8-1 12-4 10-7 9-6 6-1 9-4 7-0 4-0 10-0 10-6",
        "4-1 9-3 11-4 8-7",
    ),
    (
        RuleSet.mexican(4), 4294967297, 0, "12-12", 0xE76C89B50EC34806, 0x8683FF5A5FC30BF8, 2,
        "9-2 7-5 12-9 1-0 7-1 11-7 11-9 4-1 5-2 8-2 11-3 8-7",
        "9-0 12-11 7-0 8-8 12-2 9-1 8-6 6-5 11-0 10-4 8-1 11-8",
        "2-1 10-2 2-2 12-10",
    ),
    (
        RuleSet.mexican(2), 18446744073709551615, 5, "0-0", 0xB21ABB72E4159745, 0x20D55725A5C4A811, 1,
        "3-1 8-0 7-2 9-6 4-2 3-0 7-0 8-8",
        "8-4 9-1 7-4 8-5 5-3 9-5 2-0 3-2",
        "8-6 9-2 6-2 9-8",
    ),
    (
        RuleSet.super(4), 7, 1000000, "*-*", 0x61E64A5348159442, 0x3BB87A1115ECF0D3, 2,
        "6-4 3-3 11-5 4-2 9-9 11-9 4-1 11-10 10-2 8-8 *-R 10-0 10-9 2-2 1-0 7-7 2-1 8-5",
        "5-4 *-1 9-0 11-0 *-A 12-8 *-11 12-9 7-5 7-6 6-5 9-3 8-2 7-4 12-6 12-1 9-1 *-8",
        "0-0 11-7 4-0 11-1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "seed", "game", "engine", "key", "first_word", "starter", "first_hand", "last_hand", "draws"), VECTORS
)
def test_the_pinned_vectors(
    rules: RuleSet, seed: int, game: int, engine: str, key: int, first_word: int, starter: int,
    first_hand: str, last_hand: str, draws: str,
) -> None:  # fmt: skip
    """Follow a deal step by step with the public functions."""
    assert round_key(seed, game, engine) == key
    assert word(key, 0) == first_word
    assert below(high(word(key, STARTER_WORD)), rules.players) == starter

    members = [str(tile) for tile in rules.tiles]
    members.remove(engine)
    hands: list[list[str]] = [[] for _ in range(rules.players)]
    for pick in range(rules.players * rules.hand_size):
        half = low if pick % 2 else high
        place = below(half(word(key, pick >> 1)), len(members))
        hands[pick // rules.hand_size].append(members.pop(place))
    assert hands[0] == first_hand.split()
    assert hands[-1] == last_hand.split()

    drawn = [members.pop(below(high(word(key, FIRST_DRAW_WORD + n)), len(members))) for n in range(4)]
    assert drawn == draws.split()


@given(seeds, games, engines, st.integers(0, 2**17))
def test_the_slow_stream_agrees(seed: int, game: int, engine: str, counter: int) -> None:
    key = round_key(seed, game, engine)
    assert key == slow.round_key(seed, game, engine)
    assert word(key, counter) == slow.word(key, counter)
    assert round_key(seed, game, Tile.parse(engine)) == key


def test_the_counters_are_as_documented() -> None:
    assert (STREAM, STARTER_WORD, FIRST_DRAW_WORD, FIRST_POLICY_WORD) == ("mextrain-stream/1", 127, 128, 65536)
    # The deal of the largest game needs only words before that of the starter.
    assert max(RuleSet.mexican(p).players * RuleSet.mexican(p).hand_size for p in range(2, 15)) <= 2 * STARTER_WORD


@given(st.integers(0, 2**64 - 1))
def test_words_follow_each_other(key: int) -> None:
    assert list(islice(words(key), 5)) == [word(key, counter) for counter in range(5)]
    assert next(words(key, 65536)) == word(key, 65536)
    assert all(0 <= w < 2**64 for w in islice(words(key), 5))
    w = word(key, 3)
    assert high(w) << 32 | low(w) == w


@given(st.integers(0, 2**32 - 1), st.integers(1, 190))
def test_below_is_in_range(r: int, n: int) -> None:
    assert 0 <= below(r, n) < n
    assert below(0, n) == 0
    assert below(2**32 - 1, n) == n - 1


def test_every_seed_game_and_engine_has_a_key_of_its_own() -> None:
    keys = [round_key(seed, game, f"{e}-{e}") for seed in (0, 1, 2**32) for game in range(50) for e in range(19)]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("seed", [-1, 2**64, -(2**63), True, False, 1.0, "1", None, np.float64(3), np.bool_(True), [1]])
def test_other_seeds_are_refused_by_name(seed: Any) -> None:
    with pytest.raises(SeedError, match=r"seed = .* expected .*0 … 2\*\*64 - 1"):
        check_seed(seed)
    with pytest.raises(SeedError):
        round_key(seed, 0, "12-12")


@pytest.mark.parametrize("game", [-1, 2**59, True, 0.0, "0", None])
def test_other_games_are_refused_by_name(game: Any) -> None:
    with pytest.raises(SeedError, match=r"game = .* expected .*0 … 2\*\*59 - 1"):
        check_game(game)
    with pytest.raises(SeedError):
        round_key(0, game, "12-12")


def test_the_borders_are_taken() -> None:
    assert check_seed(0) == 0
    assert check_seed(2**64 - 1) == 2**64 - 1
    assert check_seed(np.uint64(2**64 - 1)) == 2**64 - 1
    assert type(check_seed(np.uint64(5))) is int
    assert check_game(2**59 - 1) == 2**59 - 1
    assert parse_seed("18446744073709551615") == 2**64 - 1
    assert parse_seed("007") == 7


@pytest.mark.parametrize("text", ["", "-1", "18446744073709551616", "1.0", "1e3", "0x1", " 1", "١", "9" * 5000, "1_0"])
def test_other_texts_are_no_seeds(text: str) -> None:
    with pytest.raises(SeedError) as caught:
        parse_seed(text)
    assert len(str(caught.value)) < 200


def test_engines_are_doubles() -> None:
    with pytest.raises(SeedError, match="12-5 is not an engine"):
        round_key(1, 0, "12-5")
    with pytest.raises(TileError):
        round_key(1, 0, "12")
