/* Opens the artifact argv[1]; says why not. */
#include "check.h"

int main(int argc, char **argv) {
    litz_executable *e = NULL;
    CHECK(argc == 2);
    OK(litz_executable_open(argv[1], NULL, &e, &err));
    litz_executable_release(e);
    puts("opener: all right");
    return 0;
}
