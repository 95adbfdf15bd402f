"""What a person can ask for: a hint, the best train, where hidden tiles probably are, why a move is not legal."""

from __future__ import annotations

from typing import Any

from mextrain.errors import MextrainError, shown
from mextrain.game.tiles import Tile
from mextrain.hidden.beliefs import beliefs
from mextrain.play.screen import WIDTH
from mextrain.position import Position
from mextrain.study.planner import plan
from mextrain.study.search import search

HINT_PLAYOUTS = 2000
"""Play-outs for a hint: tenths of a second, and losses to about a point."""

BELIEF_SAMPLES = 1000
"""Hidden worlds for beliefs."""


def hint(position: Position) -> list[str]:
    """Return the lines with what each legal move loses against the best one, in points."""
    found = search(position, playouts=HINT_PLAYOUTS)
    if found.ended == "forced":
        return [f"{found.best_text} is the only move"]
    lines = [f"{'move':<10} {'loses':>6} {'':<7}{'goes out':>9}   own points at the end"]
    for each in found.moves:
        if each.loss is None:
            lines.append(f"{each.text:<10} not tried")
            continue
        error = f"± {1.96 * each.loss_error:.1f}" if each.loss_error else ""
        own = "" if each.points[found.seat] != each.points[found.seat] else f"{each.points[found.seat]:.1f}"
        out = "" if each.out != each.out else f"{100 * each.out:.0f} %"
        lines.append(f"{each.text:<10} {each.loss:>6.1f} {error:<7}{out:>9}   {own}")
    return [*lines, f"(points, by {found.playouts:,} play-outs of hidden worlds; ± 95 %)"]


def best_train(position: Position, seat: int) -> list[str]:
    """Return the lines with the longest and the heaviest train from the end of the seat's own train."""
    rules, hand = position.rules, position.hands[seat]
    lines = []
    for end in dict.fromkeys(position.ends(seat)):
        options: dict[str, Any] = {"letter_match": rules.letter_match, "double_blank": rules.double_blank}
        for goal in ("longest", "heaviest"):
            found = plan(hand, end, tile_set=rules.tile_set, goal=goal, **options)
            train = " ".join(found.train) or "nothing fits"
            left = " ".join(map(str, found.left)) or "nothing"
            proof = "" if found.proved else " (not proved)"
            lines.append(f"{goal} from {end}: {train}   {found.points} points{proof}; left: {left}")
    return list(dict.fromkeys(lines))


def where(position: Position, seat: int, wanted: str = "") -> list[str]:
    """Return a table of where the unseen tiles probably are, in percent; `wanted`: a half that they must show."""
    found = beliefs(position, seat, BELIEF_SAMPLES)
    others = [other for other in range(position.rules.players) if other != seat]
    columns = [*others, position.rules.players]
    head = "tile  " + "".join(f"{f's{other}':>5}" for other in others) + " bone"
    rows = []
    for tile, chances in zip(found.tiles, found.probabilities, strict=True):
        if not wanted or wanted in str(tile).split("-"):
            rows.append(f"{tile!s:<6}" + "".join(_percent(float(chances[column])) for column in columns))
    if not rows:
        return ["no hidden tile" + (f" shows {wanted}" if wanted else "")]
    side_by_side = max(1, (WIDTH + 4) // (len(head) + 4))
    height = -(-len(rows) // side_by_side)
    parts = [rows[start : start + height] for start in range(0, len(rows), height)]
    lines = ["    ".join([head] * len(parts))]
    for line in range(height):
        lines.append("    ".join(part[line].ljust(len(head)) for part in parts if line < len(part)).rstrip())
    return ["where they probably are, in percent", *lines]


def _percent(chance: float) -> str:
    return f"{100 * chance:>5.0f}" if chance else "    ."


def why_not(position: Position, text: str) -> str:
    """Return why a move is not legal, in one line. `text` is anything that a person may have typed for one."""
    if not text:
        return "which move? For example: why 7-6@M"
    words = _words(text)
    if len(words) == 1 and words[0].isdigit():
        return f"there is no move {text}: expected 1 … {len(position.legal_moves())}"
    try:
        tile = position.rules.tiles.parse(words[0]) if len(words) == 1 else None
    except MextrainError:
        tile = None
    if tile is not None:
        return _why_tile(position, tile)
    if len(words) != 2 and text.strip().lower() != "stop":
        return f"{shown(text)} is not a move"
    try:
        reason = position.why_illegal("@".join(words))
    except MextrainError as error:
        return str(error)
    return reason or f"{text} is legal"


def _why_tile(position: Position, tile: Tile) -> str:
    """Return why a tile cannot be played, on whatever train, or where it can."""
    assert position.seat is not None
    if tile not in position.hands[position.seat]:
        return f"you do not hold {tile}"
    if places := [move for move in position.legal_texts() if _fits(move, tile, None, position)]:
        return f"{tile} is legal: {', '.join(places)}"
    return f"{tile} fits no end on which you may play now; why {tile}@M says more about one train"


def meant(position: Position, text: str) -> list[str]:
    """Return the legal moves that a person may mean by `7-6`, `6-7@M`, `7 6 M` or the number of a move."""
    legal = position.legal_texts()
    words = _words(text)
    if len(words) == 1 and words[0].isdigit():
        number = int(words[0])
        return [legal[number - 1]] if 1 <= number <= len(legal) else []
    written = "".join(text.split())
    if written in legal:
        return [written]
    try:
        tile = position.rules.tiles.parse(words[0]) if words else None
    except MextrainError:
        return [each for each in legal if each == text.strip().lower()]
    train = words[1].upper() if len(words) > 1 else None
    return [each for each in legal if _fits(each, tile, train, position)]


def _words(text: str) -> list[str]:
    """Return the tile and the train of a move as a person types it, `7-6@M` or `7 6 M`, or whatever else was typed."""
    words = text.replace("@", " ").split()
    if len(words) >= 2 and words[0].isalnum() and "-" not in text:
        words = [f"{words[0]}-{words[1]}", *words[2:]]
    return words


def _fits(move: str, tile: Tile | None, train: str | None, position: Position) -> bool:
    if "@" not in move:
        return False
    played, _, place = move.partition("@")
    return position.rules.tiles.parse(played) == tile and train in (None, place)
