"""Features for learners that score legal actions: of each action, and of the table as the seat to decide sees it.

``ACTION_FEATURES`` and ``TABLE_FEATURES`` list them; the published table and the kernel's constants come from there.
Each value is divided by its scale, so that most are near 0 … 1. Nothing is read that the seat cannot see.
"""

import numpy as np

from mextrain_core.bulk.counting_policy import plan_after
from mextrain_core.bulk.plan_value import fewest_tiles, own_ends_after, plan_value, play_value
from mextrain_core.compiler.jit import helper
from mextrain_core.compiler.machine import lowest, popcount
from mextrain_core.game.movegen import ends_of
from mextrain_core.game.score import hand_points, tile_points
from mextrain_core.model.limits import LETTER_A, NONE, WILD

u64, i64, f32 = np.uint64, np.int64, np.float32

U0, U1 = u64(0), u64(1)
I0, I1 = i64(0), i64(1)
WILD_HALF, A_HALF = u64(WILD), u64(LETTER_A)

FEATURES_VERSION = 2
"""Version of both tables; any change of them is a new version."""

ACTION_FEATURES = (
    ("stop", 1, "the action is `stop`; all other features of the row are 0"),
    ("points", 12, "points of the tile"),
    ("double", 1, "the tile is a double"),
    ("own", 1, "on the own train"),
    ("mexican", 1, "on the Mexican Train"),
    ("other", 1, "on another seat's train"),
    ("closes", 1, "on the own train, which is open"),
    ("follow", 4, "other tiles in the hand with the half that becomes the end"),
    ("lone", 1, "there is no such tile"),
    ("out", 1, "the last tile of the hand"),
    ("covers", 1, "on the double that the required play follows"),
    ("followed_double", 1, "a double, and another tile of the hand fits it"),
    ("bound", 1, "the play has to go on a double"),
    ("own_plays", 4, "plays of the hand on the own train afterwards, in both orientations"),
    ("own_stuck", 1, "there is no such play"),
    ("plan_tiles", 6, "tiles of the longest train that the hand can still lay afterwards, as `counting` counts them"),
    ("plan_points", 60, "points of that train"),
    ("plan_in_time", 60, "the share of these points that as many turns shed as the smallest other hand has tiles"),
    ("plan_rest", 6, "tiles of the hand outside that train"),
    ("wild", 1, "the tile shows a `*`"),
    ("letter_a", 1, "the tile is a `*-A`"),
    ("letter_d", 1, "the tile is a `*-D`"),
    ("letter_r", 1, "the tile is a `*-R`"),
    ("letter_s", 1, "the tile is a `*-S`"),
    ("letter_t", 1, "the tile is a `*-T`"),
    ("counting", 10, "the value of the play to `counting`, in points, minus that of the best play"),
    ("counting_best", 1, "no play is worth more to `counting`"),
    ("unseen", 6, "tiles that the seat cannot see with the half that becomes the end"),
    ("covered_unseen", 6, "tiles that the seat cannot see with the half that the play touches"),
    ("covered_hand", 4, "other tiles in the hand with the half that the play touches"),
    ("owner_tiles", 12, "tiles in the hand of the other seat whose train it is"),
)
"""Name, scale and meaning of each feature of an action."""

(
    STOP_ACTION, TILE_POINTS, DOUBLE, OWN, MEXICAN, OTHER, CLOSES, FOLLOW, LONE, OUT_FIRST, COVERS, FOLLOWED_DOUBLE,
    BOUND, OWN_PLAYS, OWN_STUCK, PLAN_TILES, PLAN_POINTS, PLAN_IN_TIME, PLAN_REST, SHOWS_WILD, FIRST_LETTER, _, _, _, _,
    BY_COUNTING, COUNTING_BEST, UNSEEN, COVERED_UNSEEN, COVERED_HAND, OWNER_TILES,
) = range(len(ACTION_FEATURES))  # fmt: skip

TABLE_FEATURES = (
    ("tiles", 12, "tiles in the own hand"),
    ("fewest", 12, "tiles in the smallest other hand"),
    ("hand_points", 100, "points of the own hand"),
    ("boneyard", 50, "tiles in the boneyard"),
    ("open", 1, "the own train is open"),
    ("started", 1, "the own train is started"),
    ("mexican_started", 1, "the Mexican Train is started"),
    ("open_trains", 4, "open trains"),
    ("doubles", 3, "open doubles"),
    ("drew", 1, "a tile was drawn for the play owed"),
    ("opening", 1, "this is the seat's opening turn"),
    ("turns", 60, "turns begun so far"),
    ("required", 1, "a required play is owed"),
    ("bonus", 1, "a bonus play is owed"),
    ("chain", 1, "another tile of the chain may be laid"),
    ("legal", 8, "legal plays"),
    ("may_stop", 1, "`stop` is legal"),
    ("others", 40, "tiles in all other hands"),
    ("next_1", 12, "tiles of the next seat clockwise"),
    ("next_2", 12, "tiles of the second next seat"),
    ("next_3", 12, "tiles of the third next seat; further round the table with fewer players"),
    ("own_fits", 4, "plays of the hand on the own train, in both orientations"),
    ("lead", 100, "mean points of the others in the rounds of the match so far, minus the own ones"),
    ("rounds_left", 13, "rounds of the match after this one"),
    ("open_1", 1, "the train of the next seat clockwise is open"),
    ("open_2", 1, "the train of the second next seat is open"),
    ("open_3", 1, "the train of the third next seat is open"),
    ("other_fits", 4, "plays of the hand on the Mexican Train, if it is started, and on open trains of others"),
    ("best", 100, "the value of the best play to `counting`, in points"),
)
"""Name, scale and meaning of each feature of the table."""

VALUE_SCALE, BEST_SCALE = f32(1 / 640), f32(1 / 6400)
"""From the values of ``counting``, which are 64ths of a point, to the features."""

ACTION_SCALES = np.array([1 / scale for _, scale, _ in ACTION_FEATURES], np.float32)
BEST = u64(len(TABLE_FEATURES) - 1)
"""The last feature of the table is known when all actions are listed."""

TABLE_SCALES = np.array([1 / scale for _, scale, _ in TABLE_FEATURES], np.float32)


@helper
def plays_on(s, r, seat, ends):
    """Plays (int64) of the whole hand on ``ends`` (mask), each orientation counted."""
    count = U0
    while ends != U0:
        halves = u64(r.join[lowest(ends)])
        ends &= ends - U1
        while halves != U0:
            count += popcount(u64(s.hand[seat, lowest(halves)]))
            halves &= halves - U1
    return i64(count)


@helper
def plays_of_tile(r, ends, touch, new):
    """Plays (int64) of the tile {touch, new} on ``ends`` (mask), each orientation counted."""
    count = U0
    while ends != U0:
        halves = u64(r.join[lowest(ends)])
        ends &= ends - U1
        count += (halves >> touch) & U1
        if touch != new:
            count += (halves >> new) & U1
    return i64(count)


@helper
def plays_elsewhere(s, r, seat):
    """Plays (int64) of the whole hand on the Mexican Train, if it is started, and on open trains of other seats."""
    count = I0
    trains = (u64(s.open) & ((U1 << u64(r.players)) - U1) & ~(U1 << seat)) | (
        u64(s.started) & (U1 << u64(r.players))
    )
    while trains != U0:
        count += plays_on(s, r, seat, ends_of(s, r, lowest(trains)))
        trains &= trains - U1
    return count


@helper
def tiles_with(s, r, seat, half):
    """Tiles (int64) in the hand of the seat that show ``half``."""
    count = popcount(u64(s.hand[seat, half]))
    if r.wild != NONE and (half == WILD_HALF or half == A_HALF):
        count += max(u64(s.a_count[seat]), U1) - U1
    return i64(count)


@helper
def put_table_features(s, r, env, out):
    """Write the features of the table for the seat to decide into ``out`` (float32)."""
    seat, players = u64(s.seat), u64(r.players)
    all_tiles, all_totals = I0, I0
    for other in range(players):
        all_tiles += i64(s.hand_count[u64(other)])
        all_totals += i64(env.totals[u64(other)])
    own_tiles, own_total = i64(s.hand_count[seat]), i64(env.totals[seat])
    others = f32(players) - f32(1)
    out[0] = f32(own_tiles)
    out[1] = f32(fewest_tiles(s, r, seat))
    out[2] = f32(hand_points(s, r, seat))
    out[3] = f32(s.boneyard_size)
    out[4] = f32((u64(s.open) >> seat) & U1)
    out[5] = f32((u64(s.started) >> seat) & U1)
    out[6] = f32((u64(s.started) >> players) & U1)
    out[7] = f32(popcount(u64(s.open)))
    out[8] = f32(s.double_count)
    out[9] = f32(u64(s.play_drew != 0))
    out[10] = f32(s.opening)
    out[11] = f32(s.turns)
    out[12] = f32(u64(s.owed == 0))
    out[13] = f32(u64(s.owed == 1))
    out[14] = f32(u64(s.owed == 2))
    out[15] = f32(s.legal_count)
    out[16] = f32(s.may_stop)
    out[17] = f32(all_tiles - own_tiles)
    other = seat
    for k in range(18, 21):
        other = other + U1 if other + U1 < players else U0
        out[u64(k)] = f32(s.hand_count[other])
        out[u64(k + 6)] = f32((u64(s.open) >> other) & U1)
    out[21] = f32(plays_on(s, r, seat, ends_of(s, r, seat)))
    out[22] = f32(all_totals - own_total) / others - f32(own_total)
    out[23] = f32(i64(r.rounds) - I1 - i64(env.number))
    out[27] = f32(plays_elsewhere(s, r, seat))
    out[BEST] = f32(0)
    for k in range(len(out)):
        out[u64(k)] *= TABLE_SCALES[u64(k)]


@helper
def put_stop_features(out):
    """Write the features of ``stop``."""
    for k in range(len(out)):
        out[u64(k)] = f32(0)
    out[STOP_ACTION] = f32(1)


@helper
def put_play_features(s, r, seat, known, train, touch, new, out):
    """Write the features of a play; ``known``: ``know_hand``. Returns its value to ``counting`` (float32, exact), which
    ``put_best`` compares with those of the other plays.
    """
    follow = popcount(u64(s.hand[seat, new]) & ~(U1 << touch))
    is_own, is_mexican, is_double = train == seat, train == u64(r.players), touch == new
    left = i64(s.hand_count[seat]) - I1
    ends = own_ends_after(s, r, seat, train, touch, new)
    fitting = plays_on(s, r, seat, ends)
    if r.wild == NONE or s.a_count[seat] < 2 or max(touch, new) != A_HALF:
        fitting -= plays_of_tile(r, ends, touch, new)
    plan = plan_after(s, r, seat, known.hand, known.here, train, touch, new)
    value = play_value(s, r, known.look, seat, train, touch, new) + plan_value(known.look, plan)
    in_time = f32(plan.points * min(known.look.turns, plan.tiles)) / f32(plan.of) if plan.of > 0 else f32(0)
    out[STOP_ACTION] = f32(0)
    out[TILE_POINTS] = f32(tile_points(r, touch, new))
    out[DOUBLE] = f32(u64(is_double))
    out[OWN] = f32(u64(is_own))
    out[MEXICAN] = f32(u64(is_mexican))
    out[OTHER] = f32(u64(not is_own and not is_mexican))
    out[CLOSES] = f32(u64(is_own) & (u64(s.open) >> seat))
    out[FOLLOW] = f32(follow)
    out[LONE] = f32(u64(follow == U0))
    out[OUT_FIRST] = f32(u64(left == I0))
    out[COVERS] = f32(u64(u64(s.cover) == train))
    out[FOLLOWED_DOUBLE] = f32(u64(is_double and follow != U0))
    out[BOUND] = f32(s.bound)
    out[OWN_PLAYS] = f32(fitting)
    out[OWN_STUCK] = f32(u64(fitting == I0))
    out[PLAN_TILES] = f32(plan.tiles)
    out[PLAN_POINTS] = f32(plan.points)
    out[PLAN_IN_TIME] = in_time
    out[PLAN_REST] = f32(left - plan.tiles)
    for k in range(SHOWS_WILD, BY_COUNTING):
        out[u64(k)] = f32(0)
    if r.wild != NONE:
        put_letter_features(max(touch, new), out)
    hand_new, hand_touch = tiles_with(s, r, seat, new), tiles_with(s, r, seat, touch)
    out[BY_COUNTING] = f32(0)
    out[COUNTING_BEST] = f32(0)
    out[UNSEEN] = f32(i64(s.off[new]) - hand_new)
    out[COVERED_UNSEEN] = f32(i64(s.off[touch]) - hand_touch)
    out[COVERED_HAND] = f32(hand_touch - I1)
    out[OWNER_TILES] = f32(0) if is_own or is_mexican else f32(s.hand_count[train])
    for k in range(len(out)):
        out[u64(k)] *= ACTION_SCALES[u64(k)]
    out[BY_COUNTING] = f32(value)
    return f32(value)


@helper
def put_best(best, out):
    """Replace the value of a play to ``counting`` by its difference to the ``best`` one (float32)."""
    out[COUNTING_BEST] = f32(u64(out[BY_COUNTING] == best))
    out[BY_COUNTING] = (out[BY_COUNTING] - best) * VALUE_SCALE


@helper
def put_letter_features(higher, out):
    """Write the features of a tile with a red half; ``higher``: its higher half."""
    if higher >= WILD_HALF:
        out[SHOWS_WILD] = f32(1)
    if higher >= A_HALF:
        out[u64(FIRST_LETTER) + higher - A_HALF] = f32(1)
