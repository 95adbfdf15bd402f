/* Plays the first legal move. Build: cc -o first first.c */
#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[1 << 16];
    setvbuf(stdout, NULL, _IOLBF, 0); /* Flush after every line. */
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "mextrain-bot", 12) == 0) {
            puts("ready name first-c");
        } else if (strncmp(line, "decide", 6) == 0) {
            char *move = strstr(line, " legal ") + 7;
            move[strcspn(move, " \n")] = '\0';
            printf("play %s\n", move);
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
    }
    return 0;
}
