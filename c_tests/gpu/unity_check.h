/* A check of tests that are one unit of compilation with the executor: it ends the program, with the executor's last message. */
#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, message);    \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

static char message[512];
