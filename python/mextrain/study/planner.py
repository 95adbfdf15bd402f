"""The provably best train of a hand: the longest, the heaviest, or the least points left (docs/planner.md).

    >>> from mextrain import plan
    >>> found = plan("12-11 11-10 12-1 1-2 2-3 3-4", start=12)
    >>> " ".join(found.train), found.points, found.proved
    ('12-1 1-2 2-3 3-4', 28, True)
    >>> plan("12-11 11-10 12-1 1-2 2-3 3-4", start=12, goal="finish").left
    ()
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from mextrain._support.integers import whole
from mextrain._support.memory import room_for
from mextrain._support.tables import counted
from mextrain.errors import MextrainError, TileError, shown
from mextrain.game.rules import RuleSet, check_rules
from mextrain.game.seeding import check_game, check_seed
from mextrain.game.tiles import WILD, Half, Tile, TileSet, parse_each, parse_half, parse_words
from mextrain.picture.plans import Lines, plan_picture
from mextrain.picture.svg import Picture
from mextrain_core.model.limits import LETTER_A, MAX_TILES, ROWS
from mextrain_core.model.state import new_states
from mextrain_core.planner import batch, counting, graph, order, search

GOALS = {"longest": graph.LONGEST, "heaviest": graph.HEAVIEST, "finish": graph.FINISH}
"""The goals: most tiles, then most points; most points, then most tiles; fewest points left over two trains.

Among equal trains `longest` and `heaviest` prefer one that does not end on a double; `finish` prefers more
tiles.
"""

FIRST_HAND_FIELDS = batch.FIELDS
"""Columns of `first_hands`."""

MAX_HALVES = ROWS
"""Maximum number of different numbers in a connected component of the argument of `longest_chain`."""

_WORK = 2_000_000
"""Units of work per call into the kernel: a few milliseconds, so that Ctrl-C and time limits take effect quickly."""

_SETS = tuple(TileSet(name) for name in (*(f"double-{n}" for n in (6, 9, 12, 15, 18)), "super"))


@dataclass(frozen=True, repr=False)
class Plan:
    """The best trains of a hand from an open end.

    `train`: the plays in order, `12-5 5-7 7-8`, each written with the half that touches the train first. `mexican`: the
    plays of a second train that starts from the same half (goal `finish` only, otherwise empty). `tiles` and `points`:
    totals of all tiles played. `left`: the tiles that stay in the hand, most points first, and `left_points` their
    points. `proved`: whether it is proved that no plan is better. `bound`: an upper bound on tiles (`longest`) or
    points (`heaviest`), or a lower bound on the points left (`finish`); if proved, the plan reaches it. `count`: the
    number of equally good trains, or None if counting was not requested or did not finish in time.
    """

    goal: str
    start: Half
    tile_set: str
    train: tuple[str, ...]
    mexican: tuple[str, ...]
    tiles: int
    points: int
    left: tuple[Tile, ...]
    left_points: int
    proved: bool
    bound: int
    count: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a JSON object; tiles are strings."""
        return {
            "goal": self.goal,
            "start": str(self.start),
            "tile_set": self.tile_set,
            "train": list(self.train),
            "mexican": list(self.mexican),
            "tiles": self.tiles,
            "points": self.points,
            "left": [str(tile) for tile in self.left],
            "left_points": self.left_points,
            "proved": self.proved,
            "bound": self.bound,
            "count": self.count,
        }

    def svg(self, *, width: int = 720, theme: str = "auto") -> Picture:
        """Return the trains and what is left as a picture (docs/pictures.md).

        `width`: pixels, 600 … 4000. `theme`: `light`, `dark`, or `auto` for what the viewer prefers. Raises
        `PositionError` for an invalid argument.
        """
        end = f"{self.tiles} laid, {counted(self.points, 'point')} · {counted(self.left_points, 'point')} left"
        rows = [("train", self.train), *([("Mexican", self.mexican)] if self.goal == "finish" else [])]
        kind = self.goal if self.proved else f"{self.goal}, not proved"
        lines = Lines(f"Best train from {self.start} ({kind})", end, rows, self.left)
        return plan_picture(lines, str(self), width, theme)

    def _repr_svg_(self) -> str:
        return str(self.svg())

    def __repr__(self) -> str:
        end = f"{self.tiles} laid, {counted(self.left_points, 'point')} left"
        return f"<Plan {self.goal} from {self.start}: {end}{'' if self.proved else ', not proved'}>"

    def __str__(self) -> str:
        lines = [f"train:    {' '.join(self.train) or '(nothing fits)'}"]
        if self.goal == "finish":
            lines.append(f"mexican:  {' '.join(self.mexican) or '(nothing)'}")
        lines.append(f"laid:     {counted(self.tiles, 'tile')}, {counted(self.points, 'point')}")
        rest = f": {' '.join(map(str, self.left))}" if self.left else ""
        lines.append(f"left:     {counted(len(self.left), 'tile')}, {counted(self.left_points, 'point')}{rest}")
        if self.proved:
            lines.append(f"proven:   no {_BETTER[self.goal]} is possible")
        else:
            lines.append(f"unproven: best found in time; {_LIMITS[self.goal].format(self.bound)}")
        if self.count is not None:
            lines.append(f"equal:    {counted(self.count, 'train')} as good, this one included")
        return "\n".join(lines)


_BETTER = {"longest": "longer train", "heaviest": "heavier train", "finish": "better pair of trains"}
_LIMITS = {"longest": "at most {} tiles", "heaviest": "at most {} points", "finish": "at least {} points left"}


def plan(
    hand: str | Iterable[str | Tile],
    start: Half | Tile,
    tile_set: str | None = None,
    goal: str = "longest",
    letter_match: str = "train_only",
    double_blank: int = 0,
    time_limit: float | None = 1.0,
    count: bool = False,
) -> Plan:
    """Return the best train of `hand` from the open end `start`.

    `hand`: a text such as `"12-5 5-7 *-3"`, or tiles. `start`: a number, `*` or a letter; a double such as `12-12`
    stands for its half. Any tile may be played on `*`, also in sets without red trains. `tile_set`: the set to which
    the tiles belong, by default the smallest common set that contains them all. `goal`: one of `GOALS`. `letter_match`,
    `double_blank`: the options of docs/rules.md, section 11. `time_limit`: seconds after which the best train so far is
    returned as not proved; None waits for the proof. `count`: also count the equally good trains by their sequences of
    tiles (goals `longest` and `heaviest`); the count gets the same time limit again.

    Raises `TileError` for a tile or start that is not in the set and for a tile held too often, and names it;
    `RuleError` for invalid options; `MextrainError` for an invalid goal or time limit.
    """
    check_goal(goal)
    if count and goal == "finish":
        raise MextrainError("trains are not counted for the goal finish: count those of longest or heaviest")
    seconds = _seconds(time_limit)
    tiles, end_half, in_set = _read(hand, start, tile_set)
    # An argument that cannot be a key of the cache is invalid anyway, and is rejected without the cache.
    is_usual = isinstance(letter_match, str) and type(double_blank) is int
    rules = (_rules if is_usual else _rules.__wrapped__)(in_set.name, letter_match, double_blank)
    code = GOALS[goal]
    rows, a_count = _matrix(tiles, in_set)
    end = graph.ANY_START if end_half == WILD else np.uint64(in_set.half_code(end_half))

    graphs, found, nodes, table = search.new_buffers()
    whole_weight = int(search.begin(graphs, found, nodes, rules.record, rows, a_count, end, code))
    proved = _search(graphs, found, nodes, table, seconds)
    # `lost` bounds the weight of the tiles left out. The leading part of a weight is the goal's quantity.
    lost = int(search.proven_bound(found, nodes))
    leading = lost if goal == "finish" else whole_weight - lost
    bound = leading // int(graph.TILE_STEP if goal == "longest" else graph.POINT_STEP)

    laid = np.zeros(MAX_TILES, np.uint16)
    spare = np.zeros(ROWS, np.uint32)
    own, other = order.lay_best(graphs, found, rules.record, rows.copy(), a_count, end, code, spare, laid)
    pairs = [(in_set.half(play >> 5), in_set.half(play & 31)) for play in laid[: own + other].tolist()]
    used = [Tile(touch, new) for touch, new in pairs]
    left = sorted((Counter(tiles) - Counter(used)).elements(), key=lambda tile: (-rules.points([tile]), tile))
    equal = None
    if count and proved:
        buffers = (graphs, found, nodes, table)
        equal = _count(buffers, rules.record, (rows, a_count, end), code, seconds) if used else 1
    plays = tuple(f"{touch}-{new}" for touch, new in pairs)
    return Plan(
        goal=goal,
        start=end_half,
        tile_set=in_set.name,
        train=plays[:own],
        mexican=plays[own:],
        tiles=len(used),
        points=rules.points(used),
        left=tuple(left),
        left_points=rules.points(left),
        proved=proved,
        bound=bound,
        count=equal,
    )


def check_goal(goal: object) -> None:
    """Raise `MextrainError` unless the argument is one of `GOALS`."""
    if not isinstance(goal, str) or goal not in GOALS:
        raise MextrainError(f"goal = {shown(goal)}: expected {', '.join(GOALS)}")


def first_hands(rules: RuleSet, games: int, seed: int = 0, first_game: int = 0, goal: str = "longest") -> np.ndarray:
    """Return the best trains of the hands dealt in the first rounds of many games: int32[games, players, 4].

    The columns are `FIRST_HAND_FIELDS`: tiles played, points played, points left, and 1 if proved. The deals are
    those of `games` games of `seed`, from `first_game` on. The engine is set aside also if the rules deal it, so that
    all hands have one size. Raises `SeedError` for a seed or game out of range,
    `MextrainError` for any other invalid argument.
    """
    check_rules(rules)
    check_goal(goal)
    number = whole(games)
    if number is None or number < 0:
        raise MextrainError(f"games = {shown(games)}: expected a whole number of games, 0 or more")
    seed, first_game = check_seed(seed), check_game(first_game, "first_game")
    check_game(first_game + number, "first_game + games")
    with room_for("games", number, "plan them in parts, or call survey_hands, which keeps only statistics"):
        result = np.zeros((number, rules.players, len(FIRST_HAND_FIELDS)), np.int32)
    states, buffers = new_states(1), search.new_buffers()
    rules = rules.replace(engine_from="set_aside")
    slice_games = 2000 // rules.players + 1
    for begin in range(0, number, slice_games):
        part = result[begin : begin + slice_games]
        first = np.uint64(first_game + begin)
        batch.plan_first_hands(
            rules.record, np.uint64(seed), first, len(part), GOALS[goal], states, buffers, 10 * _WORK, part
        )
    return result


def longest_chain(pairs: Iterable[Sequence[int]], time_limit: float | None = 1.0) -> tuple[list[tuple[int, int]], bool]:
    """Return the longest chain of arbitrary tiles, and whether it is proved to be the longest.

    Neighbours in the chain share a number; any tile may be first. `pairs` may hold any integers, and the same tile many
    times. The tiles of the chain are oriented as they lie in it. Raises `MextrainError` for an element that is not a
    pair of integers, and for a connected component with more than `MAX_HALVES` different numbers.
    """
    tiles = _tiles_of(pairs)
    seconds = _seconds(time_limit)
    best: list[tuple[int, int]] = []
    proved = True
    for component in sorted(_components(tiles), key=len, reverse=True):
        if len(component) <= len(best):
            break
        vertices = sorted({vertex for edge in component for vertex in edge})
        if len(vertices) > MAX_HALVES:
            raise MextrainError(
                f"{len(vertices)} different numbers are connected with each other: "
                f"a chain is sought among at most {MAX_HALVES}"
            )
        codes = {vertex: index for index, vertex in enumerate(vertices)}
        coded = np.array([[codes[u], codes[v]] for u, v in component], np.int64)
        graphs, found, nodes, table = search.new_buffers()
        search.begin_pairs(graphs, found, nodes, coded, np.uint64(len(vertices)))
        proved = _search(graphs, found, nodes, table, seconds) and proved
        chain = _euler_walk(_kept(component, codes, found[0]))
        best = max(best, chain, key=len)
    return best, proved


def is_ring(pairs: Iterable[Sequence[int]]) -> bool:
    """Return whether all tiles of `pairs` (any integers) can form a single ring; an empty collection is a ring.

    This is the case if they are connected and every number occurs an even number of times. Raises `MextrainError`
    for an element that is not a pair of integers.
    """
    tiles = _tiles_of(pairs)
    degrees = Counter(vertex for edge in tiles for vertex in edge)
    return len(_components(tiles)) <= 1 and all(degree % 2 == 0 for degree in degrees.values())


def _seconds(time_limit: float | None) -> float:
    if time_limit is None:
        return math.inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float) or not time_limit >= 0:
        raise MextrainError(f"time_limit = {shown(time_limit)}: expected seconds, 0 or more, or None for no limit")
    return float(time_limit)


def _read(
    hand: str | Iterable[str | Tile], start: Half | Tile, tile_set: str | None
) -> tuple[tuple[Tile, ...], Half, TileSet]:
    """Return the tiles of a hand, the start half, and the set that contains them."""
    words = _words(hand)
    half = _start(start)
    if tile_set is not None:
        in_set = TileSet(tile_set)
    else:
        listed = list(parse_each(words))
        needed = {str(half) for tile in listed for half in tile.halves} | ({str(half)} - {WILD})
        usual = [usual for usual in _SETS if needed <= set(usual.tables.half_names)]
        in_set = usual[0] if usual else _SETS[-1]
    if half != WILD:
        in_set.half_code(half)
    return in_set.parse_all(words), half, in_set


def _words(hand: str | Iterable[str | Tile]) -> list[Tile | str]:
    try:
        return parse_words(hand)
    except TileError as error:
        raise TileError(f"the hand {error}") from None


def _start(start: Half | Tile) -> Half:
    """Return the half from which a train starts; an engine such as `12-12` stands for its half."""
    if type(start) is int:
        start = str(start)
    try:
        tile = start if isinstance(start, Tile) else Tile.parse(start) if isinstance(start, str) else None
    except TileError:
        tile = None
    if tile is not None and tile.is_double:
        return tile.high
    try:
        return parse_half(start)  # type: ignore[arg-type]
    except TileError:
        expected = f"expected a number, {WILD}, a letter, or a double such as 12-12"
        raise TileError(f"the start {shown(start)} is not usable: {expected}") from None


@lru_cache(maxsize=64)
def _rules(tile_set: str, letter_match: str, double_blank: int) -> RuleSet:
    """Return rules with the given set and options; the other options do not affect a plan."""
    preset = "super" if tile_set == "super" else "mexican"
    options: dict[str, Any] = {"letter_match": letter_match, "double_blank": double_blank}
    return RuleSet.preset(preset, players=2, tile_set=tile_set, hand_size=1, **options)


def _matrix(tiles: Iterable[Tile], in_set: TileSet) -> tuple[np.ndarray, np.uint64]:
    """Return a hand in the core's representation: rows by half, and the number of `*-A` tiles."""
    rows = [0] * ROWS
    a_count = 0
    for tile in tiles:
        high, low = (in_set.half_code(half) for half in tile.halves)
        rows[high] |= 1 << low
        rows[low] |= 1 << high
        a_count += in_set.has_wild and low == LETTER_A
    return np.array(rows, np.uint32), np.uint64(a_count)


def _search(graphs: Any, found: Any, nodes: Any, table: Any, seconds: float) -> bool:
    """Search until the train is proved or the time is up; either way a train has been found."""
    deadline = time.perf_counter() + seconds
    while not search.search(graphs, found, nodes, table, _WORK):
        if found[0].top == 0 or time.perf_counter() >= deadline:
            return False
    return True


def _count(buffers: tuple[Any, ...], record: Any, hand: tuple[Any, ...], goal: int, seconds: float) -> int | None:
    """Return the number of trains as good as the proved one, or None if the time is up first."""
    under_way = np.zeros(1, counting.COUNT)
    counting.begin_count(under_way, buffers[1], record, *hand)
    deadline = time.perf_counter() + seconds
    while not counting.count_best(under_way, *buffers, record, goal, 500):
        if time.perf_counter() >= deadline:
            return None
    return int(under_way[0].found)


def _tiles_of(pairs: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    if not isinstance(pairs, Iterable):
        raise MextrainError(f"pairs = {shown(pairs)}: expected pairs of whole numbers")
    return [_pair(pair) for pair in pairs]


def _pair(pair: Sequence[int]) -> tuple[int, int]:
    halves = [whole(half) for half in pair] if isinstance(pair, Sequence) and len(pair) == 2 else [None]
    if halves[0] is None or halves[-1] is None:
        raise MextrainError(f"pairs hold {shown(pair)}: expected pairs of whole numbers")
    return halves[0], halves[-1]


def _components(tiles: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the edges by connected component; every tile is an edge between its two numbers."""
    component_of: dict[int, list[tuple[int, int]]] = {}
    for tile in tiles:
        joined = [tile]
        for component in {id(component_of[v]): component_of[v] for v in tile if v in component_of}.values():
            joined += component
        for vertex in {vertex for edge in joined for vertex in edge}:
            component_of[vertex] = joined
    return list({id(component): component for component in component_of.values()}.values())


def _kept(component: list[tuple[int, int]], codes: dict[int, int], found: Any) -> list[tuple[int, int]]:
    """Return the edges of the best chain. Of parallel edges it uses all, all but one, or none."""
    kept: list[tuple[int, int]] = []
    for (low, high), times in Counter((min(tile), max(tile)) for tile in component).items():
        u, v = codes[low], codes[high]
        if u == v:
            used = times * (int(found.best_loops) >> u & 1)
        else:
            used = times * (int(found.best_edges[u]) >> v & 1) - (int(found.best_out[u]) >> v & 1)
        kept += [(low, high)] * used
    return kept


def _euler_walk(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a walk that uses every edge once, if there is one (Hierholzer: detours are inserted as they are found)."""
    if not edges:
        return []
    edges_at: dict[int, list[int]] = defaultdict(list)
    for index, (u, v) in enumerate(edges):
        edges_at[u].append(index)
        edges_at[v].append(index)
    start = next((vertex for vertex, incident in edges_at.items() if len(incident) % 2), edges[0][0])
    used = [False] * len(edges)
    under_way, vertices = [start], []
    while under_way:
        vertex = under_way[-1]
        while edges_at[vertex] and used[edges_at[vertex][-1]]:
            edges_at[vertex].pop()
        if not edges_at[vertex]:
            vertices.append(under_way.pop())
            continue
        index = edges_at[vertex].pop()
        used[index] = True
        u, v = edges[index]
        under_way.append(v if vertex == u else u)
    return list(pairwise(vertices))
