/* What the twin offers; see twin.c. The build reads this file too, so it holds plain declarations only. */

/* One round as played. */
struct twin_round {
    uint64_t key;      /* its round key */
    uint64_t hash;     /* its share of the result hash */
    uint32_t engine;   /* half code */
    uint32_t starter;  /* seat */
    uint32_t end;      /* 1 somebody went out, 2 blocked */
    uint32_t turns, plays, draws;
    uint32_t points[14]; /* by seat */
};

/* Sums over all rounds of all games. */
struct twin_result {
    uint64_t hash; /* modulo 2**64, so that it does not depend on how the games were divided */
    uint64_t rounds, turns, plays, draws, blocked, points;
    double seconds; /* CPU time of the calling thread */
};

/* Rounds of a match. */
int twin_rounds(void);

/* Bytes of the table of a round that is played. */
int twin_state_bytes(void);

/* Play the matches first_game ... first_game + games - 1 of a seed. Returns 0, or 1 if a round did not end, which is
 * a fault of the twin. */
int twin_play(uint64_t seed, uint64_t first_game, uint64_t games, struct twin_result *result);

/* Play one match and tell each of its rounds: rounds[twin_rounds()]. Returns as twin_play does. */
int twin_match(uint64_t seed, uint64_t game, struct twin_round *rounds);
