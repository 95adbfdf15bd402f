/* Interface of the twin; see twin.c. The build parses this file, so it has only plain declarations. */

/* One round as played. */
struct twin_round {
    uint64_t key;      /* its round key */
    uint64_t hash;     /* its contribution to the result hash */
    uint32_t engine;   /* half code */
    uint32_t starter;  /* seat */
    uint32_t end;      /* 1 somebody went out, 2 blocked */
    uint32_t turns, plays, draws;
    uint32_t points[14]; /* by seat */
};

/* Sums over all rounds of all games. */
struct twin_result {
    uint64_t hash; /* modulo 2**64, so it does not depend on how the games are split between calls */
    uint64_t rounds, turns, plays, draws, blocked, points;
    double seconds; /* CPU time of the calling thread */
};

/* Rounds of a match. */
int twin_rounds(void);

/* Bytes of the table of a round that is played. */
int twin_state_bytes(void);

/* Play the matches first_game ... first_game + games - 1 of a seed. Returns 0, or 1 if a round did not end, which is
 * a bug of the twin. */
int twin_play(uint64_t seed, uint64_t first_game, uint64_t games, struct twin_result *result);

/* Play one match and write its rounds to rounds[twin_rounds()]. Returns the same as twin_play. */
int twin_match(uint64_t seed, uint64_t game, struct twin_round *rounds);
