/* mextrain.h - the C interface of mextrain. Generated from the records; do not edit. See docs/c-abi.md. */
#ifndef MEXTRAIN_H
#define MEXTRAIN_H

#include <stddef.h>
#include <stdint.h>

#define MEXTRAIN_ABI_VERSION 1
#define MEXTRAIN_STOP 16383
#define MEXTRAIN_NONE 255
#define MEXTRAIN_WILD 13
#define MEXTRAIN_PHASE_TURN 0
#define MEXTRAIN_PHASE_FORCED_DRAW 1
#define MEXTRAIN_PHASE_LOOK 2
#define MEXTRAIN_PHASE_DRAW 3
#define MEXTRAIN_PHASE_LOOK_DRAWN 4
#define MEXTRAIN_PHASE_FAIL 5
#define MEXTRAIN_PHASE_DECIDE 6
#define MEXTRAIN_PHASE_OVER 7
#define MEXTRAIN_OWED_REQUIRED 0
#define MEXTRAIN_OWED_BONUS 1
#define MEXTRAIN_OWED_CHAIN 2
#define MEXTRAIN_MAX_PLAYERS 14
#define MEXTRAIN_MAX_TRAINS 15
#define MEXTRAIN_MAX_HALVES 19
#define MEXTRAIN_MAX_TILES 190
#define MEXTRAIN_LETTER_A 14
#define MEXTRAIN_LETTER_D 15
#define MEXTRAIN_LETTER_R 16
#define MEXTRAIN_LETTER_S 17
#define MEXTRAIN_LETTER_T 18
#define MEXTRAIN_MAX_ATTEMPTS 65536
#define MEXTRAIN_MAX_DECISIONS 512
#define MEXTRAIN_END_RUNNING 0
#define MEXTRAIN_END_OUT 1
#define MEXTRAIN_END_BLOCKED 2
#define MEXTRAIN_END_FAULT 3
#define MEXTRAIN_END_FAILED 4
#define MEXTRAIN_EVENT_PLAY 0
#define MEXTRAIN_EVENT_STOPPED 1
#define MEXTRAIN_EVENT_DRAW 2
#define MEXTRAIN_EVENT_FORCED_DRAW 3
#define MEXTRAIN_EVENT_OPEN 4
#define MEXTRAIN_EVENT_SKIP 5
#define MEXTRAIN_EVENT_NO_PLAY 6
#define MEXTRAIN_POLICY_RANDOM 0
#define MEXTRAIN_POLICY_HEAVIEST 1
#define MEXTRAIN_POLICY_CAUTIOUS 2
#define MEXTRAIN_POLICY_COUNTING 4

#ifdef __cplusplus
#define MEXTRAIN_CHECK(condition, text) static_assert(condition, text)
extern "C" {
#else
#define MEXTRAIN_CHECK(condition, text) _Static_assert(condition, text)
#endif

typedef struct mextrain_state {
    uint64_t key;
    uint64_t boneyard[3];
    uint32_t turns;
    uint32_t plays;
    uint32_t draws;
    uint32_t attempts;
    uint32_t events;
    uint16_t started;
    uint16_t open;
    uint16_t opening_to_come;
    uint16_t fresh;
    uint8_t players;
    uint8_t engine;
    uint8_t starter;
    uint8_t seat;
    uint8_t step;
    uint8_t phase;
    uint8_t owed;
    uint8_t opening;
    uint8_t play_drew;
    uint8_t turn_drew;
    uint8_t drawn;
    uint8_t cover;
    uint8_t skip;
    uint8_t penalty;
    uint8_t end;
    uint8_t winner;
    uint8_t boneyard_size;
    uint8_t off_total;
    uint8_t double_count;
    uint8_t double_train[15];
    uint8_t end_half[16];
    uint8_t off[20];
    uint8_t hand_count[14];
    uint8_t a_count[14];
    uint8_t bound;
    uint8_t may_stop;
    uint8_t only;
    uint8_t barred;
    uint16_t eligible;
    uint16_t eligible_a;
    uint16_t legal_count;
    uint8_t pad_42[24];
    uint32_t hand[14][20];
    uint8_t toes;
    uint8_t toe[3];
    uint32_t end_mask[15];
    uint8_t end_count[15][20];
    uint8_t pad_48[48];
} mextrain_state;

typedef struct mextrain_rules {
    uint8_t players;
    uint8_t halves;
    uint8_t wild;
    uint8_t hand_size;
    uint8_t tiles;
    uint8_t tile_set;
    uint8_t first_engine;
    uint8_t rounds;
    uint8_t starter;
    uint8_t starter_seat;
    uint8_t opening;
    uint8_t mexican_start;
    uint8_t drawn_tile;
    uint8_t draw_limit;
    uint8_t drawn_play;
    uint8_t failed_cover;
    uint8_t double_rule;
    uint8_t foot_ends;
    uint8_t open_double_order;
    uint8_t open_double_binds;
    uint8_t dead_double;
    uint8_t finish_on_double;
    uint8_t marker_off;
    uint8_t letter_match;
    uint8_t twice_bonus;
    uint8_t engine_order;
    uint8_t tie_break;
    uint8_t engine_from;
    uint8_t engine_hunt;
    uint8_t own_train_first;
    uint8_t failed_double;
    uint8_t max_uncovered;
    uint8_t plain;
    uint8_t together;
    uint32_t double_blank;
    uint16_t action_count;
    uint16_t pairs;
    uint64_t set_words[3];
    uint32_t join[20];
    uint8_t off[20];
    uint8_t half_points[20];
    uint8_t hi[190];
    uint8_t lo[190];
    uint16_t place[400];
    uint16_t pair[361];
} mextrain_rules;

typedef struct mextrain_event {
    uint8_t kind;
    uint8_t seat;
    uint16_t data;
    uint32_t ends;
} mextrain_event;

/* A policy: the move (16 bits) for the seat to move. state holds only what that seat sees. */
typedef int32_t (*mextrain_policy)(const mextrain_state *state, const mextrain_rules *rules, uint64_t word);

/* A value function: writes the expected points of every seat; 0, or negative if it failed. state holds only what the seat to move sees. */
typedef int32_t (*mextrain_value)(const mextrain_state *state, const mextrain_rules *rules, double *points);

typedef struct mextrain_api {
    uint32_t abi_version;
    uint32_t state_size;
    uint32_t rules_size;
    uint32_t event_size;
    /* Deal the round that game of seed plays from engine (half code, of the key); starter 255 is drawn. */
    void (*deal_game)(mextrain_state *state, const mextrain_rules *rules, uint64_t seed, uint64_t game, uint32_t engine, uint32_t starter);
    /* Run the forced steps to the next decision or the end of the round. */
    void (*advance)(mextrain_state *state, const mextrain_rules *rules);
    /* Run one forced step and return the phase after it; a draw draws tile, or with 255 what the key says. */
    int32_t (*step_forced)(mextrain_state *state, const mextrain_rules *rules, uint32_t tile);
    /* Play a move and run the forced steps that follow: 1, or 0 and nothing changes if the move is not legal. */
    int32_t (*play)(mextrain_state *state, const mextrain_rules *rules, uint32_t move);
    /* Like play, for a move that is known to be legal. */
    void (*play_unchecked)(mextrain_state *state, const mextrain_rules *rules, uint32_t move);
    /* 1 if move is legal now, else 0. */
    int32_t (*is_legal)(const mextrain_state *source, const mextrain_rules *rules, uint32_t move);
    /* Write the legal moves, ascending, stop last, and return their number; out has room for legal_count + 1. */
    int32_t (*legal_moves)(const mextrain_state *source, const mextrain_rules *rules, uint16_t *out);
    /* Dense action id of a move of the set. */
    uint32_t (*move_to_id)(const mextrain_rules *rules, uint32_t move);
    /* Move of an action id below rules->action_count. */
    uint32_t (*id_to_move)(const mextrain_rules *rules, uint32_t action);
    /* Write the points of every seat's hand; out has room for rules->players. */
    void (*points)(const mextrain_state *source, const mextrain_rules *rules, int64_t *out);
    /* Copy source over target. */
    void (*copy)(mextrain_state *target, const mextrain_state *source, const mextrain_rules *rules);
    /* Give the state another key, so that its draws are no longer those of the game it was copied from. */
    void (*rekey)(mextrain_state *state, uint64_t key);
    /* Play on to the end of the round with the built-in policies policies[seat]; returns the number of moves. */
    int32_t (*play_to_end)(mextrain_state *state, const mextrain_rules *rules, const uint8_t *policies);
} mextrain_api;

MEXTRAIN_CHECK(sizeof(mextrain_state) == 1728, "size of mextrain_state");
MEXTRAIN_CHECK(offsetof(mextrain_state, key) == 0, "offset of key");
MEXTRAIN_CHECK(offsetof(mextrain_state, boneyard) == 8, "offset of boneyard");
MEXTRAIN_CHECK(offsetof(mextrain_state, turns) == 32, "offset of turns");
MEXTRAIN_CHECK(offsetof(mextrain_state, plays) == 36, "offset of plays");
MEXTRAIN_CHECK(offsetof(mextrain_state, draws) == 40, "offset of draws");
MEXTRAIN_CHECK(offsetof(mextrain_state, attempts) == 44, "offset of attempts");
MEXTRAIN_CHECK(offsetof(mextrain_state, events) == 48, "offset of events");
MEXTRAIN_CHECK(offsetof(mextrain_state, started) == 52, "offset of started");
MEXTRAIN_CHECK(offsetof(mextrain_state, open) == 54, "offset of open");
MEXTRAIN_CHECK(offsetof(mextrain_state, opening_to_come) == 56, "offset of opening_to_come");
MEXTRAIN_CHECK(offsetof(mextrain_state, fresh) == 58, "offset of fresh");
MEXTRAIN_CHECK(offsetof(mextrain_state, players) == 60, "offset of players");
MEXTRAIN_CHECK(offsetof(mextrain_state, engine) == 61, "offset of engine");
MEXTRAIN_CHECK(offsetof(mextrain_state, starter) == 62, "offset of starter");
MEXTRAIN_CHECK(offsetof(mextrain_state, seat) == 63, "offset of seat");
MEXTRAIN_CHECK(offsetof(mextrain_state, step) == 64, "offset of step");
MEXTRAIN_CHECK(offsetof(mextrain_state, phase) == 65, "offset of phase");
MEXTRAIN_CHECK(offsetof(mextrain_state, owed) == 66, "offset of owed");
MEXTRAIN_CHECK(offsetof(mextrain_state, opening) == 67, "offset of opening");
MEXTRAIN_CHECK(offsetof(mextrain_state, play_drew) == 68, "offset of play_drew");
MEXTRAIN_CHECK(offsetof(mextrain_state, turn_drew) == 69, "offset of turn_drew");
MEXTRAIN_CHECK(offsetof(mextrain_state, drawn) == 70, "offset of drawn");
MEXTRAIN_CHECK(offsetof(mextrain_state, cover) == 71, "offset of cover");
MEXTRAIN_CHECK(offsetof(mextrain_state, skip) == 72, "offset of skip");
MEXTRAIN_CHECK(offsetof(mextrain_state, penalty) == 73, "offset of penalty");
MEXTRAIN_CHECK(offsetof(mextrain_state, end) == 74, "offset of end");
MEXTRAIN_CHECK(offsetof(mextrain_state, winner) == 75, "offset of winner");
MEXTRAIN_CHECK(offsetof(mextrain_state, boneyard_size) == 76, "offset of boneyard_size");
MEXTRAIN_CHECK(offsetof(mextrain_state, off_total) == 77, "offset of off_total");
MEXTRAIN_CHECK(offsetof(mextrain_state, double_count) == 78, "offset of double_count");
MEXTRAIN_CHECK(offsetof(mextrain_state, double_train) == 79, "offset of double_train");
MEXTRAIN_CHECK(offsetof(mextrain_state, end_half) == 94, "offset of end_half");
MEXTRAIN_CHECK(offsetof(mextrain_state, off) == 110, "offset of off");
MEXTRAIN_CHECK(offsetof(mextrain_state, hand_count) == 130, "offset of hand_count");
MEXTRAIN_CHECK(offsetof(mextrain_state, a_count) == 144, "offset of a_count");
MEXTRAIN_CHECK(offsetof(mextrain_state, bound) == 158, "offset of bound");
MEXTRAIN_CHECK(offsetof(mextrain_state, may_stop) == 159, "offset of may_stop");
MEXTRAIN_CHECK(offsetof(mextrain_state, only) == 160, "offset of only");
MEXTRAIN_CHECK(offsetof(mextrain_state, barred) == 161, "offset of barred");
MEXTRAIN_CHECK(offsetof(mextrain_state, eligible) == 162, "offset of eligible");
MEXTRAIN_CHECK(offsetof(mextrain_state, eligible_a) == 164, "offset of eligible_a");
MEXTRAIN_CHECK(offsetof(mextrain_state, legal_count) == 166, "offset of legal_count");
MEXTRAIN_CHECK(offsetof(mextrain_state, pad_42) == 168, "offset of pad_42");
MEXTRAIN_CHECK(offsetof(mextrain_state, hand) == 192, "offset of hand");
MEXTRAIN_CHECK(offsetof(mextrain_state, toes) == 1312, "offset of toes");
MEXTRAIN_CHECK(offsetof(mextrain_state, toe) == 1313, "offset of toe");
MEXTRAIN_CHECK(offsetof(mextrain_state, end_mask) == 1316, "offset of end_mask");
MEXTRAIN_CHECK(offsetof(mextrain_state, end_count) == 1376, "offset of end_count");
MEXTRAIN_CHECK(offsetof(mextrain_state, pad_48) == 1676, "offset of pad_48");
MEXTRAIN_CHECK(sizeof(mextrain_rules) == 2096, "size of mextrain_rules");
MEXTRAIN_CHECK(offsetof(mextrain_rules, players) == 0, "offset of players");
MEXTRAIN_CHECK(offsetof(mextrain_rules, halves) == 1, "offset of halves");
MEXTRAIN_CHECK(offsetof(mextrain_rules, wild) == 2, "offset of wild");
MEXTRAIN_CHECK(offsetof(mextrain_rules, hand_size) == 3, "offset of hand_size");
MEXTRAIN_CHECK(offsetof(mextrain_rules, tiles) == 4, "offset of tiles");
MEXTRAIN_CHECK(offsetof(mextrain_rules, tile_set) == 5, "offset of tile_set");
MEXTRAIN_CHECK(offsetof(mextrain_rules, first_engine) == 6, "offset of first_engine");
MEXTRAIN_CHECK(offsetof(mextrain_rules, rounds) == 7, "offset of rounds");
MEXTRAIN_CHECK(offsetof(mextrain_rules, starter) == 8, "offset of starter");
MEXTRAIN_CHECK(offsetof(mextrain_rules, starter_seat) == 9, "offset of starter_seat");
MEXTRAIN_CHECK(offsetof(mextrain_rules, opening) == 10, "offset of opening");
MEXTRAIN_CHECK(offsetof(mextrain_rules, mexican_start) == 11, "offset of mexican_start");
MEXTRAIN_CHECK(offsetof(mextrain_rules, drawn_tile) == 12, "offset of drawn_tile");
MEXTRAIN_CHECK(offsetof(mextrain_rules, draw_limit) == 13, "offset of draw_limit");
MEXTRAIN_CHECK(offsetof(mextrain_rules, drawn_play) == 14, "offset of drawn_play");
MEXTRAIN_CHECK(offsetof(mextrain_rules, failed_cover) == 15, "offset of failed_cover");
MEXTRAIN_CHECK(offsetof(mextrain_rules, double_rule) == 16, "offset of double_rule");
MEXTRAIN_CHECK(offsetof(mextrain_rules, foot_ends) == 17, "offset of foot_ends");
MEXTRAIN_CHECK(offsetof(mextrain_rules, open_double_order) == 18, "offset of open_double_order");
MEXTRAIN_CHECK(offsetof(mextrain_rules, open_double_binds) == 19, "offset of open_double_binds");
MEXTRAIN_CHECK(offsetof(mextrain_rules, dead_double) == 20, "offset of dead_double");
MEXTRAIN_CHECK(offsetof(mextrain_rules, finish_on_double) == 21, "offset of finish_on_double");
MEXTRAIN_CHECK(offsetof(mextrain_rules, marker_off) == 22, "offset of marker_off");
MEXTRAIN_CHECK(offsetof(mextrain_rules, letter_match) == 23, "offset of letter_match");
MEXTRAIN_CHECK(offsetof(mextrain_rules, twice_bonus) == 24, "offset of twice_bonus");
MEXTRAIN_CHECK(offsetof(mextrain_rules, engine_order) == 25, "offset of engine_order");
MEXTRAIN_CHECK(offsetof(mextrain_rules, tie_break) == 26, "offset of tie_break");
MEXTRAIN_CHECK(offsetof(mextrain_rules, engine_from) == 27, "offset of engine_from");
MEXTRAIN_CHECK(offsetof(mextrain_rules, engine_hunt) == 28, "offset of engine_hunt");
MEXTRAIN_CHECK(offsetof(mextrain_rules, own_train_first) == 29, "offset of own_train_first");
MEXTRAIN_CHECK(offsetof(mextrain_rules, failed_double) == 30, "offset of failed_double");
MEXTRAIN_CHECK(offsetof(mextrain_rules, max_uncovered) == 31, "offset of max_uncovered");
MEXTRAIN_CHECK(offsetof(mextrain_rules, plain) == 32, "offset of plain");
MEXTRAIN_CHECK(offsetof(mextrain_rules, together) == 33, "offset of together");
MEXTRAIN_CHECK(offsetof(mextrain_rules, double_blank) == 36, "offset of double_blank");
MEXTRAIN_CHECK(offsetof(mextrain_rules, action_count) == 40, "offset of action_count");
MEXTRAIN_CHECK(offsetof(mextrain_rules, pairs) == 42, "offset of pairs");
MEXTRAIN_CHECK(offsetof(mextrain_rules, set_words) == 48, "offset of set_words");
MEXTRAIN_CHECK(offsetof(mextrain_rules, join) == 72, "offset of join");
MEXTRAIN_CHECK(offsetof(mextrain_rules, off) == 152, "offset of off");
MEXTRAIN_CHECK(offsetof(mextrain_rules, half_points) == 172, "offset of half_points");
MEXTRAIN_CHECK(offsetof(mextrain_rules, hi) == 192, "offset of hi");
MEXTRAIN_CHECK(offsetof(mextrain_rules, lo) == 382, "offset of lo");
MEXTRAIN_CHECK(offsetof(mextrain_rules, place) == 572, "offset of place");
MEXTRAIN_CHECK(offsetof(mextrain_rules, pair) == 1372, "offset of pair");
MEXTRAIN_CHECK(sizeof(mextrain_event) == 8, "size of mextrain_event");
MEXTRAIN_CHECK(offsetof(mextrain_event, kind) == 0, "offset of kind");
MEXTRAIN_CHECK(offsetof(mextrain_event, seat) == 1, "offset of seat");
MEXTRAIN_CHECK(offsetof(mextrain_event, data) == 2, "offset of data");
MEXTRAIN_CHECK(offsetof(mextrain_event, ends) == 4, "offset of ends");

#ifdef __cplusplus
}
#endif
#endif
