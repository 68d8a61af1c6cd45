#include <litz/litz.h>
#include <stdio.h>

int main(void) {
    litz_graph *g = NULL;
    litz_error *err = NULL;
    if (litz_check_abi(LITZ_ABI_VERSION, &err) != LITZ_OK || litz_graph_new("consumer", NULL, &g, &err) != LITZ_OK) {
        fprintf(stderr, "%s\n", litz_error_message(err));
        litz_error_release(err);
        return 1;
    }
    litz_graph_release(g);
    printf("litz %s: all right\n", litz_version());
    return 0;
}
