/* The C twin: Mexican Train and Super Train by hand, with frozen rules.
 *
 * It is a yardstick for speed and an independent implementation of the rules. It plays whole matches of one preset with
 * one number of players, both fixed at compile time. All seats choose at random, with the random numbers of
 * docs/determinism.md, so its result hash must equal that of the kernels. The rules are docs/rules.md; "S7"
 * below is section 7 of that page.
 *
 *     gcc -O3 -march=native -DSUPER=0 -DPLAYERS=4 -DMAIN twin.c -o twin && ./twin [seed [first_game [games [repeats]]]]
 *
 * It is C11 with the builtins and vector types that GCC and Clang share; SSSE3 and BMI2 make it faster.
 *
 * Design:
 * - A hand is a symmetric bit matrix: row a has bit b while the hand holds the tile a-b. So the row of an end is the
 *   set of new ends that the hand can make there.
 * - The rows at the ends of all trains, side by side in 64-bit words, are the legal plays in ascending order of action
 *   id: choosing one is finding the k-th set bit. Unpredictable choices (which train, which half of a tile set) use
 *   masks instead of branches, since a mispredicted branch costs as much as fifty instructions.
 * - What is rarely needed (is a double dead, is the round blocked, the points of a hand) is computed from the hands on
 *   demand, so that a play has little state to update.
 */

/* With 512-bit registers GCC spills scalars to them and back, which is a tenth slower. */
#if defined __AVX512F__ && !defined __clang__
#pragma GCC target("no-avx512f")
#endif

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 199309L
#endif
#include <stdint.h>
#include <string.h>
#include <time.h>
#if defined __SSSE3__ || defined __BMI__
#include <immintrin.h>
#endif

#include "twin.h"

/* ---- What is played (S2, S3) ---- */

#ifndef SUPER
#define SUPER 0
#endif
#ifndef PLAYERS
#define PLAYERS 4
#endif
#if PLAYERS < 2 || PLAYERS > 14
#error "PLAYERS must be 2 to 14"
#endif

#define BY_PLAYERS(p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14)                                            \
    (PLAYERS == 2 ? p2 : PLAYERS == 3 ? p3 : PLAYERS == 4 ? p4 : PLAYERS == 5 ? p5 : PLAYERS == 6 ? p6                 \
     : PLAYERS == 7 ? p7 : PLAYERS == 8 ? p8 : PLAYERS == 9 ? p9 : PLAYERS == 10 ? p10 : PLAYERS == 11 ? p11           \
     : PLAYERS == 12 ? p12 : PLAYERS == 13 ? p13 : p14)

#if SUPER
#define HIGHEST 12 /* highest number */
#define HAND_SIZE BY_PLAYERS(25, 23, 18, 16, 14, 12, 11, 10, 9, 8, 7, 6, 6)
#define TILES 112
#else
#define HIGHEST BY_PLAYERS(9, 9, 12, 12, 12, 12, 12, 15, 15, 15, 15, 18, 18)
#define HAND_SIZE BY_PLAYERS(8, 8, 12, 12, 12, 10, 10, 11, 11, 11, 11, 11, 11)
#define TILES PLAIN_TILES
#endif

#define NUMBERS (HIGHEST + 1)
#define PLAIN_TILES (NUMBERS * (NUMBERS + 1) / 2)
#define ROUNDS (NUMBERS + SUPER)
#define DEALT (PLAYERS * HAND_SIZE)
#define MEXICAN PLAYERS /* index of the Mexican Train */
#define TRAINS (PLAYERS + 1)
#define ALL_TRAINS (TRAIN(TRAINS) - 1)
#define TRAIN(train) (1u << (train)) /* sets of trains are bit sets */

enum { STAR = 13, LETTER_A, LETTER_D, LETTER_R, LETTER_S, LETTER_T }; /* half codes of the set super */
enum { TILE_A = 105, TILE_D = 108 };                                  /* tile indices: *-A (three), *-D */
enum { OUT = 1, BLOCKED = 2 };

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define UNROLLED _Pragma("GCC unroll 16")

/* ---- Bits ---- */

static inline unsigned popcount(uint64_t x) { return (unsigned)__builtin_popcountll(x); }

/* Index of the lowest set bit; 64 if there is none. */
static inline unsigned lowest(uint64_t x)
{
#ifdef __BMI__
    return (unsigned)_tzcnt_u64(x);
#else
    return x ? (unsigned)__builtin_ctzll(x) : 64;
#endif
}

/* The k-th lowest set bit of x as a bit; `wanted` is 1 << k, or 0 for none. 0 if x has no such bit. */
static inline uint64_t deposit(uint64_t wanted, uint64_t x)
{
#ifdef __BMI2__
    return _pdep_u64(wanted, x);
#else
    if (!wanted)
        return 0;
    for (; !(wanted & 1); wanted >>= 1)
        x &= x - 1;
    return x & -x;
#endif
}

/* `yes` or `no` without a branch. */
static inline unsigned choose(unsigned condition, unsigned yes, unsigned no)
{
    return no ^ ((no ^ yes) & -condition);
}

/* ---- Random numbers (docs/determinism.md) ---- */

#define GOLDEN 0x9E3779B97F4A7C15u
#define STARTER_WORD 127u
#define DRAW_WORDS 128u
#define POLICY_WORDS 65536u

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Word `counter` of a key. In a series it is the next(): a state that starts at key + counter * GOLDEN. */
static inline uint64_t word(uint64_t key, uint64_t counter) { return mix(key + (counter + 1) * GOLDEN); }
static inline uint64_t next(uint64_t *state) { return mix(*state += GOLDEN); }
static inline uint32_t high(uint64_t word) { return (uint32_t)(word >> 32); }
static inline unsigned below(uint32_t random, unsigned n) { return (unsigned)((uint64_t)random * n >> 32); }

/* ---- Hands ---- */

typedef uint64_t vector __attribute__((vector_size(32)));
typedef uint64_t pair __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(16)));

/* Rows of up to 16 bits are split into low and high bytes, so that one byte shuffle looks up the rows of all ends.
 * In super the rows of the numbers have bit 13 for `*`, row 13 is always empty, and rows 14 and 15 give their place to
 * the row of `*`, star[0][7] and star[1][7] in one: bits 0 ... 18 for what is on the other half, but for *-A bits 19,
 * 20 and 21, which tell the three apart. */
#if HIGHEST <= 15
#define ROWS 16
#define HAND_VECTORS 1
#else
#define ROWS 24 /* 19, filled up to whole vectors */
#define HAND_VECTORS 3
#endif

union hand {
#if HIGHEST <= 15
    bytes plane[2];
    uint8_t byte[2][ROWS];
    uint16_t star[2][ROWS / 2];
#else
    uint32_t rows[ROWS];
#endif
    vector vectors[HAND_VECTORS];
};

#define EMPTY_ROW STAR
#define A_COPIES 19

static inline uint32_t row(const union hand *hand, unsigned half)
{
#if HIGHEST <= 15
    return hand->byte[0][half] | (uint32_t)hand->byte[1][half] << 8;
#else
    return hand->rows[half];
#endif
}

static inline void set_bit(union hand *hand, unsigned half, unsigned bit)
{
#if HIGHEST <= 15
    hand->byte[bit / 8][half] |= (uint8_t)(1u << bit % 8);
#else
    hand->rows[half] |= 1u << bit;
#endif
}

#if SUPER
static inline uint32_t star_row(const union hand *hand)
{
    return hand->star[0][7] | (uint32_t)hand->star[1][7] << 16;
}
#endif

/* Put a tile into a hand that does not hold it, or take it away from one that does. */
static inline void toggle(union hand *hand, const union hand *tile)
{
    for (unsigned i = 0; i < HAND_VECTORS; i++)
        hand->vectors[i] ^= tile->vectors[i];
}

/* ---- Sets of tiles ---- */

#define TILE_WORDS ((TILES + 63) / 64)

struct set {
    uint64_t bits[TILE_WORDS]; /* by tile index (S2) */
    int64_t size[TILE_WORDS];  /* set bits of each word */
};

/* Take the k-th smallest tile out of a set that has so many. Every word computes a candidate, and a mask
 * says whether the tile is there. */
static inline unsigned take(struct set *set, int64_t k)
{
    uint64_t searching = ~0ull, found = 0, base = 0;
    UNROLLED
    for (unsigned i = 0; i < TILE_WORDS; i++) {
        int64_t beyond = k - set->size[i];
        uint64_t here = i + 1 < TILE_WORDS ? searching & (uint64_t)(beyond >> 63) : searching;
        uint64_t bit = deposit((1ull << (k & 63)) & here, set->bits[i]);
        set->bits[i] ^= bit;
        set->size[i] += (int64_t)here;
        found |= bit;
        searching &= ~here;
        if (i + 1 < TILE_WORDS)
            base += 64 & searching;
        k = beyond;
    }
    return (unsigned)(lowest(found) + base);
}

/* ---- Tables, written once when the program or module is loaded ---- */

static union hand TILE[TILES];                /* hands with one tile each */
static uint8_t TILE_OF[32 * 19];              /* by touching half * 32 + new end; the first *-A for all three */
static uint64_t JOINING[NUMBERS][TILE_WORDS]; /* the tiles that join a number */
static union hand DIAGONAL;                   /* the number doubles */
static bytes ONLY[16];                        /* ones in one byte */

static void add_tile(unsigned tile, unsigned a, unsigned b)
{
    union hand *hand = &TILE[tile];
#if SUPER
    if (b == STAR) {
        unsigned bit = a == LETTER_A ? A_COPIES + tile - TILE_A : a;
        hand->star[bit / 16][7] |= (uint16_t)(1u << bit % 16);
        if (a < STAR)
            set_bit(hand, a, STAR);
    } else
#endif
    {
        set_bit(hand, a, b);
        set_bit(hand, b, a);
        if (a == b)
            toggle(&DIAGONAL, hand);
    }
    if (a != LETTER_A || !SUPER || tile == TILE_A)
        TILE_OF[32 * a + b] = TILE_OF[32 * b + a] = (uint8_t)tile;
    for (unsigned half = 0; half < NUMBERS; half++)
        if (half == a || half == b || (SUPER && b == STAR))
            JOINING[half][tile / 64] |= 1ull << tile % 64;
}

__attribute__((constructor)) static void fill_tables(void)
{
    unsigned tile = 0;
    for (unsigned b = 0; b < NUMBERS; b++)
        for (unsigned a = 0; a <= b; a++)
            add_tile(tile++, a, b);
    if (SUPER) {
        for (unsigned a = 0; a <= STAR; a++)
            add_tile(tile++, a, STAR);
        for (unsigned copy = 0; copy < 3; copy++)
            add_tile(tile++, LETTER_A, STAR);
        for (unsigned a = LETTER_D; a <= LETTER_T; a++)
            add_tile(tile++, a, STAR);
    }
    for (unsigned i = 0; i < 16; i++)
        ONLY[i][i] = 255;
}

/* ---- The table ---- */

struct table {
    union hand hand[PLAYERS];
    uint8_t hand_size[PLAYERS];
    unsigned boneyard_size;
    unsigned top;         /* the tile that the next draw gives, while there is one: nothing but draws can change it, so
                             it is found ahead, off the path that waits for it */
    struct set boneyard;  /* the others */
    uint64_t draw_state;  /* of the random numbers of draws */
    uint8_t end[TRAINS];  /* the row to look up for the end of a train: its number, or EMPTY_ROW for `*` and letters */
    uint32_t stars;       /* trains that end in `*` */
    uint64_t doubles;     /* trains with open doubles, oldest first, four bits each (S7) */
    unsigned double_count;
};

static unsigned draw(struct table *t)
{
    unsigned tile = t->top;
    if (LIKELY(--t->boneyard_size))
        t->top = take(&t->boneyard, below(high(next(&t->draw_state)), t->boneyard_size));
    return tile;
}

static void deal(struct table *t, uint64_t key, unsigned engine)
{
    struct set rest;
    for (unsigned i = 0; i < TILE_WORDS; i++) {
        rest.size[i] = i + 1 < TILE_WORDS ? 64 : TILES - 64 * (TILE_WORDS - 1);
        rest.bits[i] = ~0ull >> (64 - rest.size[i]);
    }
    unsigned engine_tile = TILE_OF[33 * engine];
    rest.bits[engine_tile / 64] ^= 1ull << engine_tile % 64;
    rest.size[engine_tile / 64]--;

    /* The numbers do not depend on one another, so they come first, and only the search is a chain. */
    uint8_t choice[DEALT + 1];
    for (unsigned i = 0; i < DEALT; i += 2) {
        uint64_t w = word(key, i / 2);
        choice[i] = (uint8_t)below(high(w), TILES - 1 - i);
        choice[i + 1] = (uint8_t)below((uint32_t)w, TILES - 2 - i);
    }
    const uint8_t *next_choice = choice;
    for (unsigned seat = 0; seat < PLAYERS; seat++) {
        union hand hand = {0};
        for (unsigned i = 0; i < HAND_SIZE; i++)
            toggle(&hand, &TILE[take(&rest, *next_choice++)]);
        t->hand[seat] = hand;
        t->hand_size[seat] = HAND_SIZE;
    }
    t->boneyard = rest;
    t->boneyard_size = TILES - 1 - DEALT;
    t->draw_state = key + DRAW_WORDS * GOLDEN;
    t->top = take(&t->boneyard, below(high(next(&t->draw_state)), t->boneyard_size));
    memset(t->end, (int)engine, sizeof t->end);
    t->stars = SUPER && engine == STAR ? ALL_TRAINS : 0;
    t->doubles = 0;
    t->double_count = 0;
}

/* ---- Legal plays (S4, S5) ---- */

struct play {
    unsigned train, touch, new; /* touch: the half that meets the end; new: the half that becomes the end */
};

/* Where a play may go: trains for all tiles, and more trains for *-A. */
struct places {
    uint32_t trains, trains_for_a;
};

#define LANE_BITS (HIGHEST <= 15 ? 16 : 21)
#define PER_WORD (64 / LANE_BITS)
#define WORDS ((TRAINS + PER_WORD - 1) / PER_WORD)

/* Legal plays in ascending order of action id. In number sets, and in super as long as neither a tile with `*` is in
 * the hand nor an end is `*`, a lane for each train has a bit for each new end. Otherwise, a word for each train: the
 * new ends that the end's own number makes, and from bit STAR_LANE on those that `*` makes. */
struct plays {
#if SUPER
    int wild;
    uint64_t lanes[TRAINS];
    unsigned before[TRAINS]; /* plays on earlier trains */
    unsigned count[WORDS];
#else
    uint64_t lanes[WORDS];
    unsigned count[WORDS];
#endif
};

#define STAR_LANE 16

static uint64_t SPREAD[1 << PER_WORD]; /* a set of trains as lanes of ones */

__attribute__((constructor)) static void fill_spread(void)
{
    for (unsigned trains = 0; trains < 1u << PER_WORD; trains++)
        for (unsigned i = 0; i < PER_WORD; i++)
            if (trains >> i & 1)
                SPREAD[trains] |= ~0ull >> (64 - LANE_BITS) << LANE_BITS * i;
}

/* The rows at all ends as lanes; `ends` is the table's end[], kept in a register. */
static inline void rows_at_ends(const union hand *hand, bytes ends, uint64_t *lanes)
{
#if defined __SSSE3__ && HIGHEST <= 15
    __m128i low = _mm_shuffle_epi8((__m128i)hand->plane[0], (__m128i)ends);
    __m128i rest = _mm_shuffle_epi8((__m128i)hand->plane[1], (__m128i)ends);
    pair first = (pair)_mm_unpacklo_epi8(low, rest), second = (pair)_mm_unpackhi_epi8(low, rest);
    UNROLLED
    for (unsigned w = 0; w < WORDS; w++)
        lanes[w] = (w < 2 ? first : second)[w % 2];
#else
    for (unsigned w = 0; w < WORDS; w++) {
        lanes[w] = 0;
        for (unsigned i = 0; i < PER_WORD && w * PER_WORD + i < TRAINS; i++)
            lanes[w] |= (uint64_t)row(hand, ends[w * PER_WORD + i]) << LANE_BITS * i;
    }
#endif
}

#if SUPER
/* The row of `*` with one bit for all *-A. */
static inline uint32_t star_plays(const union hand *hand)
{
    uint32_t star = star_row(hand);
    return (star & ((1u << A_COPIES) - 1)) | (uint32_t)(star >> A_COPIES != 0) << LETTER_A;
}

/* Number of plays on a `*` end: every tile in both orientations. */
static unsigned count_on_star(const union hand *hand)
{
    unsigned count = 0;
    for (unsigned half = 0; half < NUMBERS; half++)
        count += popcount(row(hand, half));
    uint32_t star = star_plays(hand);
    return count + popcount(star) + popcount(star >> LETTER_A);
}

/* The k-th of them. */
static struct play pick_on_star(const union hand *hand, unsigned train, unsigned k)
{
    uint32_t star = star_plays(hand);
    for (unsigned half = 0; half <= STAR; half++) {
        uint32_t ends = half == STAR ? star : row(hand, half);
        unsigned count = popcount(ends);
        if (k < count)
            return (struct play){train, half, lowest(deposit(1ull << k, ends))};
        k -= count;
    }
    return (struct play){train, LETTER_A + lowest(deposit(1ull << k, star >> LETTER_A)), STAR};
}

static unsigned look_wild(const struct table *t, const union hand *hand, bytes ends, struct places where,
                          struct plays *plays)
{
    uint64_t rows[WORDS], star = star_plays(hand), star_a = star & 1u << LETTER_A;
    unsigned total = 0;
    rows_at_ends(hand, ends, rows);
    UNROLLED
    for (unsigned train = 0; train < TRAINS; train++) {
        uint64_t all = where.trains >> train & 1, a = where.trains_for_a >> train & 1;
        uint64_t own = rows[train / 4] >> 16 * (train % 4) & 0xFFFF;
        uint64_t lanes = ((own | star << STAR_LANE) & -all) | (star_a << STAR_LANE & -a);
        unsigned count = popcount(lanes);
        if (UNLIKELY(t->stars >> train & 1))
            count = all ? count_on_star(hand) : 2 * count;
        plays->lanes[train] = lanes;
        plays->before[train] = total;
        total += count;
    }
    plays->wild = 1;
    return total;
}

static struct play pick_wild(const struct table *t, const union hand *hand, struct places where,
                             const struct plays *plays, unsigned k)
{
    unsigned train = 0;
    UNROLLED
    for (unsigned i = 1; i < TRAINS; i++)
        train += k >= plays->before[i];
    k -= plays->before[train];
    if (UNLIKELY(t->stars >> train & 1)) {
        if (where.trains >> train & 1)
            return pick_on_star(hand, train, k);
        return k ? (struct play){train, LETTER_A, STAR} : (struct play){train, STAR, LETTER_A};
    }
    unsigned bit = lowest(deposit(1ull << k, plays->lanes[train]));
    if (bit < STAR_LANE)
        return (struct play){train, t->end[train], bit};
    return (struct play){train, STAR, bit - STAR_LANE};
}
#endif

/* Find the legal plays of a hand; returns their number. */
static inline unsigned look(const struct table *t, const union hand *hand, bytes ends, struct places where,
                            struct plays *plays)
{
#if SUPER
    if (star_row(hand) || (where.trains & t->stars))
        return look_wild(t, hand, ends, where, plays);
    plays->wild = 0;
#endif
    unsigned total = 0;
    rows_at_ends(hand, ends, plays->lanes);
    (void)t;
    UNROLLED
    for (unsigned w = 0; w < WORDS; w++) {
        uint32_t trains = where.trains >> w * PER_WORD;
        plays->lanes[w] &= SPREAD[w + 1 < WORDS ? trains & ((1u << PER_WORD) - 1) : trains];
        plays->count[w] = popcount(plays->lanes[w]);
        total += plays->count[w];
    }
    return total;
}

/* The k-th of the plays found. Every word gives a candidate; the last word that starts at or before k wins. */
static inline struct play pick(const struct table *t, const union hand *hand, struct places where,
                               const struct plays *plays, unsigned k)
{
#if SUPER
    if (plays->wild)
        return pick_wild(t, hand, where, plays, k);
#endif
    (void)hand, (void)where;
    unsigned before[WORDS], bit = 0;
    before[0] = 0;
    for (unsigned w = 1; w < WORDS; w++)
        before[w] = before[w - 1] + plays->count[w - 1];
    UNROLLED
    for (unsigned w = WORDS; w-- > 0;) {
        unsigned offered = 64 * w + lowest(deposit(1ull << ((k - before[w]) & 63), plays->lanes[w]));
        bit = w + 1 == WORDS ? offered : choose(k < before[w + 1], offered, bit);
    }
    unsigned train = LANE_BITS == 16 ? bit / 16 : bit / 64 * PER_WORD + bit % 64 / LANE_BITS;
    unsigned new = LANE_BITS == 16 ? bit % 16 : bit % 64 % LANE_BITS;
    return (struct play){train, t->end[train], new};
}

static inline void remove_tile(union hand *hand, struct play play)
{
    unsigned tile = TILE_OF[32 * play.touch + play.new];
#if SUPER
    if (UNLIKELY(tile == TILE_A))
        tile += lowest(star_row(hand) >> A_COPIES);
#endif
    toggle(hand, &TILE[tile]);
}

/* ---- Doubles, the blocked round, points (S7, S9) ---- */

/* Whether some tile off the table could join the double on a train. */
static inline int lives(const struct table *t, unsigned train)
{
    if (SUPER && t->stars >> train & 1)
        return 1;
    unsigned half = t->end[train];
    uint64_t found = 0;
    for (unsigned seat = 0; seat < PLAYERS; seat++) {
        found |= row(&t->hand[seat], half);
#if SUPER
        found |= star_row(&t->hand[seat]);
#endif
    }
    for (unsigned i = 0; i < TILE_WORDS; i++)
        found |= t->boneyard.bits[i] & JOINING[half][i];
    if (t->boneyard_size)
        found |= JOINING[half][t->top / 64] >> t->top % 64 & 1;
    return found != 0;
}

/* Take a train out of the open doubles; returns how old its double was, or double_count if it has none. */
static inline unsigned cover(struct table *t, unsigned train)
{
    for (unsigned i = 0; i < t->double_count; i++)
        if ((t->doubles >> 4 * i & 15) == train) {
            uint64_t younger = ~0ull << 4 * i;
            t->doubles = (t->doubles & ~younger) | (t->doubles >> 4 & younger);
            t->double_count--;
            return i;
        }
    return t->double_count;
}

/* Release dead doubles, oldest first; those behind a live one can wait until it is their turn. */
static inline void release_dead(struct table *t, unsigned *inherited)
{
    while (*inherited && !lives(t, t->doubles & 15)) {
        t->doubles >>= 4;
        t->double_count--;
        --*inherited;
    }
}

static inline struct places oldest_double(const struct table *t)
{
    uint32_t train = TRAIN(t->doubles & 15);
    return (struct places){train, train};
}

/* The doubles of this turn that must be covered first: in super, if two or more are live; else none. */
static inline uint32_t pressing(const struct table *t, uint32_t fresh)
{
    uint32_t live = 0;
    if (SUPER && UNLIKELY(fresh & (fresh - 1)))
        for (unsigned train = 0; train < TRAINS; train++)
            if (fresh >> train & 1 && lives(t, train))
                live |= TRAIN(train);
    return live & (live - 1) ? live : 0;
}

/* Find the legal plays of a hand; if there are some on `first`, then only those, and `where` is narrowed to it. */
static inline unsigned look_first_at(uint32_t first, const struct table *t, const union hand *hand, bytes ends,
                                     struct places *where, struct plays *plays)
{
    if (SUPER && UNLIKELY(first)) {
        struct places doubles = {first, first};
        unsigned count = look(t, hand, ends, doubles, plays);
        if (count) {
            *where = doubles;
            return count;
        }
    }
    return look(t, hand, ends, *where, plays);
}

/* Whether no tile in any hand joins an end; called with an empty boneyard. */
static int nothing_fits(const struct table *t, bytes ends)
{
    union hand all = t->hand[0];
    for (unsigned seat = 1; seat < PLAYERS; seat++)
        for (unsigned i = 0; i < HAND_VECTORS; i++)
            all.vectors[i] |= t->hand[seat].vectors[i];
#if SUPER
    if (t->stars || star_row(&all))
        return 0;
#endif
    uint64_t lanes[WORDS], found = 0;
    rows_at_ends(&all, ends, lanes);
    for (unsigned w = 0; w < WORDS; w++)
        found |= lanes[w];
    return !found;
}

#if HIGHEST <= 15
static inline uint8_t popcount8(uint8_t x)
{
    x = (uint8_t)(x - (x >> 1 & 0x55));
    x = (uint8_t)((x & 0x33) + (x >> 2 & 0x33));
    return (x + (x >> 4)) & 15;
}
#endif

static unsigned points(const union hand *hand)
{
    unsigned sum = 0;
#if HIGHEST <= 15 /* in a form that compilers can vectorise */
    for (unsigned half = 0; half < 16; half++) {
        uint8_t low = hand->byte[0][half], rest = hand->byte[1][half];
        uint8_t is_double = (low & DIAGONAL.byte[0][half]) || (rest & DIAGONAL.byte[1][half]);
        sum += (popcount8(low) + popcount8(rest) + is_double) * (half < NUMBERS ? half : 0);
    }
#else
    for (unsigned half = 0; half < NUMBERS; half++)
        sum += (popcount(row(hand, half)) + (row(hand, half) >> half & 1)) * half;
#endif
#if SUPER /* ten for each `*` and each letter; `*-*` and letters have two of them */
    uint32_t star = star_row(hand);
    sum += 10 * (popcount(star) + popcount(star >> STAR));
#endif
    return sum;
}

/* ---- A round (S6, S8, S9) ---- */

#define MANY_TURNS 10000 /* far more than any round has */

static int play_round(uint64_t key, unsigned engine, struct twin_round *round)
{
    struct table t;
    struct plays plays;
    deal(&t, key, engine);

    bytes ends = (bytes){0} + (uint8_t)engine;
    for (unsigned i = TRAINS; i < 16; i++)
        ends |= ONLY[i]; /* which looks up nothing */
    uint64_t policy_state = key + POLICY_WORDS * GOLDEN;
    uint32_t open = TRAIN(MEXICAN), opening_to_come = TRAIN(PLAYERS) - 1;
    unsigned seat = below(high(word(key, STARTER_WORD)), PLAYERS), step = 1, penalty = 0;
    unsigned turns = 0, end = 0;
    round->starter = seat;

    for (;;) { /* a turn */
        uint32_t own = TRAIN(seat), fresh = 0, first = 0;
        union hand *hand = &t.hand[seat];
        unsigned inherited = t.double_count, opening = 0, chain = 0, bonus = 0, skip = 0;
        struct places where = {own | open, ALL_TRAINS};
        turns++;
        if (UNLIKELY(t.double_count | (opening_to_come & own))) {
            release_dead(&t, &inherited);
            if (inherited) {
                where = oldest_double(&t);
            } else if (opening_to_come & own) {
                opening = 1;
                opening_to_come &= ~own;
                where.trains = own;
            }
        }
        if (SUPER && UNLIKELY(penalty)) {
            penalty = 0;
            if (t.boneyard_size) {
                toggle(hand, &TILE[draw(&t)]);
                t.hand_size[seat]++;
            }
        }

        for (;;) { /* a play of the turn */
            uint32_t random = high(next(&policy_state));
            unsigned count = look_first_at(first, &t, hand, ends, &where, &plays);
            struct play play;
            if (count) {
                unsigned k = below(random, count + chain);
                if (UNLIKELY(k == count))
                    break; /* stop */
                play = pick(&t, hand, where, &plays, k);
                remove_tile(hand, play);
                t.hand_size[seat]--;
            } else {
                if (UNLIKELY(chain | bonus))
                    break;
                if (LIKELY(t.boneyard_size)) {
                    const union hand *tile = &TILE[draw(&t)];
                    count = look_first_at(first, &t, tile, ends, &where, &plays);
                    if (count) {
                        play = pick(&t, tile, where, &plays, below(random, count));
                    } else {
                        toggle(hand, tile);
                        t.hand_size[seat]++;
                    }
                }
                if (!count) {
                    open |= own;
                    if (UNLIKELY(!t.boneyard_size)) {
                        if (nothing_fits(&t, ends))
                            end = BLOCKED;
                        else if (turns > MANY_TURNS)
                            return 1;
                    }
                    break;
                }
            }

            uint32_t train = TRAIN(play.train);
            uint8_t end_row = (uint8_t)play.new;
            if (SUPER) {
                end_row = play.new < STAR ? end_row : EMPTY_ROW;
                t.stars = (t.stars & ~train) | (uint32_t)(play.new == STAR) << play.train;
            }
            t.end[play.train] = end_row;
            bytes only = ONLY[play.train];
            ends = (ends & ~only) | (only & end_row);
            opening_to_come &= ~train;
            open &= ~(own & train);
            if (UNLIKELY(t.double_count)) {
                if (cover(&t, play.train) < inherited)
                    inherited--;
                else
                    fresh &= ~train;
            }
            if (UNLIKELY(!t.hand_size[seat])) {
                end = OUT;
                break;
            }
            unsigned letter = play.touch > play.new ? play.touch : play.new;
            if (UNLIKELY(play.touch == play.new)) {
                t.doubles |= (uint64_t)play.train << 4 * t.double_count++;
                if (SUPER)
                    fresh |= train; /* in a number set it is on a train that may be used anyway */
                chain = bonus = 0;
            } else if (SUPER && UNLIKELY(letter > LETTER_A)) {
                bonus = letter == LETTER_T;
                penalty = letter == LETTER_D;
                skip = letter == LETTER_S;
                step = letter == LETTER_R ? PLAYERS - step : step;
                if (!bonus)
                    break;
            } else if (!SUPER && UNLIKELY(opening)) {
                chain = 1;
            } else {
                break;
            }
            if (SUPER) { /* in a number set the places stay the same */
                release_dead(&t, &inherited);
                where = inherited ? oldest_double(&t)
                                  : (struct places){opening ? own : own | open | fresh, ALL_TRAINS};
                first = inherited ? 0 : pressing(&t, fresh);
            }
        }
        if (UNLIKELY(end))
            break;
        seat += step;
        seat = seat >= PLAYERS ? seat - PLAYERS : seat;
        if (SUPER && UNLIKELY(skip)) {
            seat += step;
            seat = seat >= PLAYERS ? seat - PLAYERS : seat;
        }
    }

    unsigned draws = TILES - 1 - DEALT - t.boneyard_size, tiles = DEALT + draws;
    for (unsigned s = 0; s < PLAYERS; s++)
        tiles -= t.hand_size[s];
    const uint64_t factor = 0x100000001B3u;
    uint64_t h = round->starter;
    h = h * factor + end;
    h = h * factor + turns;
    h = h * factor + tiles;
    h = h * factor + draws;
    for (unsigned s = 0; s < PLAYERS; s++) {
        round->points[s] = points(&t.hand[s]);
        h = h * factor + round->points[s];
    }
    round->hash = mix(key + h);
    round->key = key;
    round->engine = engine;
    round->end = end;
    round->turns = turns;
    round->plays = tiles;
    round->draws = draws;
    return 0;
}

/* ---- Matches ---- */

int twin_rounds(void) { return ROUNDS; }

int twin_state_bytes(void) { return (int)sizeof(struct table); }

static uint64_t round_key(uint64_t seed, uint64_t game, unsigned engine)
{
    return mix(mix(seed + GOLDEN) + (32 * game + engine) * 0xD1342543DE82EF95u);
}

/* Engines go down from the highest number; in super `*` comes last (S3). */
static unsigned engine_of(unsigned round) { return round < NUMBERS ? HIGHEST - round : STAR; }

int twin_match(uint64_t seed, uint64_t game, struct twin_round *rounds)
{
    int failed = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        failed |= play_round(round_key(seed, game, engine_of(i)), engine_of(i), &rounds[i]);
    return failed;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int twin_play(uint64_t seed, uint64_t first_game, uint64_t games, struct twin_result *result)
{
    double start = cpu_seconds();
    struct twin_result sum = {0};
    for (uint64_t game = first_game; game != first_game + games; game++) {
        struct twin_round rounds[ROUNDS];
        if (twin_match(seed, game, rounds))
            return 1;
        for (unsigned i = 0; i < ROUNDS; i++) {
            const struct twin_round *r = &rounds[i];
            sum.hash += r->hash;
            sum.rounds++;
            sum.turns += r->turns;
            sum.plays += r->plays;
            sum.draws += r->draws;
            sum.blocked += r->end == BLOCKED;
            for (unsigned seat = 0; seat < PLAYERS; seat++)
                sum.points += r->points[seat];
        }
    }
    *result = sum;
    result->seconds = cpu_seconds() - start;
    return 0;
}

#ifdef MAIN
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], 0, 0) : 1, first = argc > 2 ? strtoull(argv[2], 0, 0) : 0;
    uint64_t games = argc > 3 ? strtoull(argv[3], 0, 0) : 1000;
    int repeats = argc > 4 ? atoi(argv[4]) : 20;
    struct twin_result r;
    double best = 1e9;
    for (int i = 0; i < repeats; i++) {
        if (twin_play(seed, first, games, &r))
            return 1;
        if (r.seconds < best)
            best = r.seconds;
    }
    double rounds = (double)r.rounds;
    printf("%s %d players, seed %" PRIu64 ", games %" PRIu64 " + %" PRIu64 ": hash %016" PRIx64
           ", %.2f M turns/s, %.2f ns/turn; per round %.2f turns, %.2f plays, %.2f draws, %.2f points a seat, "
           "blocked %.4f\n",
           SUPER ? "super" : "mexican", PLAYERS, seed, first, games, r.hash, (double)r.turns / best / 1e6,
           best / (double)r.turns * 1e9, (double)r.turns / rounds, (double)r.plays / rounds,
           (double)r.draws / rounds, (double)r.points / rounds / PLAYERS, (double)r.blocked / rounds);
    return 0;
}
#endif
