/* Perft and a flat Monte Carlo player in C, on the function table of mextrain.
 *
 * Built as a shared library by run.py, which passes the table's address; nothing of Python is needed here. */
#include <string.h>

#include "mextrain.h"

enum { MOST_MOVES = 2048, DEEPEST = 8 };

int driver_compatible(const mextrain_api *api)
{
    return api->abi_version == MEXTRAIN_ABI_VERSION && api->state_size == sizeof(mextrain_state) &&
           api->rules_size == sizeof(mextrain_rules);
}

/* Number of sequences of `depth` decisions from `state`, which must be at a decision. */
static int64_t count(const mextrain_api *api, const mextrain_rules *rules, const mextrain_state *state, int depth)
{
    uint16_t moves[MOST_MOVES];
    if (state->phase != MEXTRAIN_PHASE_DECIDE)
        return 0;
    int n = api->legal_moves(state, rules, moves);
    if (depth == 1)
        return n;
    int64_t total = 0;
    for (int k = 0; k < n; k++) {
        mextrain_state next;
        api->copy(&next, state, rules);
        api->play_unchecked(&next, rules, moves[k]);
        total += count(api, rules, &next, depth - 1);
    }
    return total;
}

int64_t driver_perft(const mextrain_api *api, const mextrain_rules *rules, uint64_t seed, uint32_t engine, int depth)
{
    mextrain_state state;
    memset(&state, 0, sizeof state);
    api->deal_game(&state, rules, seed, 0, engine, MEXTRAIN_NONE);
    api->advance(&state, rules);
    return depth < 1 || depth > DEEPEST ? -1 : count(api, rules, &state, depth);
}

/* The move with the best mean result over `tries` random playouts each; ties go to the first.
 *
 * The other hands stay as they are, so this player looks at hidden tiles; only later draws are resampled. */
static uint32_t best_move(const mextrain_api *api, const mextrain_rules *rules, const mextrain_state *state, int tries)
{
    static const uint8_t everybody_random[MEXTRAIN_MAX_PLAYERS] = {MEXTRAIN_POLICY_RANDOM};
    uint16_t moves[MOST_MOVES];
    int n = api->legal_moves(state, rules, moves);
    uint32_t best = moves[0];
    int64_t least = INT64_MAX;
    for (int k = 0; n > 1 && k < n; k++) {
        int64_t sum = 0;
        for (int t = 0; t < tries; t++) {
            int64_t points[MEXTRAIN_MAX_PLAYERS];
            mextrain_state next;
            api->copy(&next, state, rules);
            api->rekey(&next, state->key + 0x9E3779B97F4A7C15u * (uint64_t)(1 + t));
            api->play_unchecked(&next, rules, moves[k]);
            api->play_to_end(&next, rules, everybody_random);
            api->points(&next, rules, points);
            sum += points[state->seat];
        }
        if (sum < least) {
            least = sum;
            best = moves[k];
        }
    }
    return best;
}

/* Play one round: seat 0 searches, the others play at random. Writes the points; returns the number of decisions. */
int driver_round(const mextrain_api *api, const mextrain_rules *rules, uint64_t seed, uint64_t game, uint32_t engine,
                 int tries, int64_t *points)
{
    uint16_t moves[MOST_MOVES];
    uint64_t noise = seed;
    int decisions = 0;
    mextrain_state state;
    memset(&state, 0, sizeof state);
    api->deal_game(&state, rules, seed, game, engine, MEXTRAIN_NONE);
    api->advance(&state, rules);
    for (; state.phase == MEXTRAIN_PHASE_DECIDE; decisions++) {
        int n = api->legal_moves(&state, rules, moves);
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        uint32_t move = state.seat == 0 ? best_move(api, rules, &state, tries) : moves[(noise >> 33) % (uint64_t)n];
        if (!api->play(&state, rules, move))
            return -1;
    }
    api->points(&state, rules, points);
    return decisions;
}
