/* What a pass of a host's does: puts neg in the place of every relu of a graph, and counts them. */
#ifndef NEGATE_H
#define NEGATE_H

#include "check.h"

static inline litz_status negate_relus(litz_graph *g, int *found, litz_error **err) {
    litz_node nodes[64];
    size_t n = 0, k;
    litz_status status = litz_graph_nodes(g, nodes, 64, &n, err);
    if (status != LITZ_OK) return status;
    for (k = 0; k < n; ++k) {
        litz_node_info info;
        litz_value out = 0;
        size_t n_outs = 0;
        memset(&info, 0, sizeof info);
        info.struct_size = sizeof info;
        status = litz_graph_node_info(g, nodes[k], &info, err);
        if (status != LITZ_OK) return status;
        if (strcmp(info.op, "aten.relu.default") != 0) continue;
        ++*found;
        status = litz_graph_insert_before(g, nodes[k], err);
        if (status == LITZ_OK) status = litz_graph_call(g, "aten.neg", info.args, info.n_args, &out, 1, &n_outs, err);
        if (status == LITZ_OK) status = litz_graph_replace(g, info.results[0], out, err);
        if (status == LITZ_OK) status = litz_graph_erase(g, nodes[k], err);
        if (status != LITZ_OK) return status;
    }
    return LITZ_OK;
}

#endif
