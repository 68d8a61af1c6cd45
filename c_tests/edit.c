/* Graphs read node by node, and edited: walking, inserting, replacing, erasing, checking; and what is refused. */
#include "check.h"
#include <time.h>

static litz_node_info info_of(const litz_graph *g, litz_node n) {
    litz_node_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(litz_graph_node_info(g, n, &info, &err));
    return info;
}

static litz_value call1(litz_graph *g, const char *op, litz_value x) {
    const litz_arg arg = value_arg(x);
    litz_value out = 0;
    size_t n = 0;
    OK(litz_graph_call(g, op, &arg, 1, &out, 1, &n, &err));
    CHECK(n == 1);
    return out;
}

static void run_one(const litz_graph *g, float *x, int64_t *shape, float *y) {
    litz_options *o = NULL;
    litz_executable *e = NULL;
    DLTensor input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "interpreter", &err));
    OK(litz_compile(g, o, &e, &err));
    OK(litz_executable_run_into(e, inputs, 1, outputs, 1, NULL, &err));
    litz_executable_release(e);
    litz_options_release(o);
}

/* y = relu(x) + 0.5 * x */
static litz_graph *sample(litz_value *x, litz_value *r, litz_value *y) {
    const int64_t shape[1] = {3};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_graph *g = NULL;
    litz_arg args[3];
    size_t n = 0;
    OK(litz_graph_new("sample", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, x, &err));
    *r = call1(g, "aten.relu", *x);
    args[0] = value_arg(*r);
    args[1] = value_arg(*x);
    memset(&args[2], 0, sizeof args[2]);
    args[2].name = "alpha";
    args[2].kind = LITZ_ARG_FLOAT;
    args[2].f = 0.5;
    OK(litz_graph_call(g, "aten.add.Tensor", args, 3, y, 1, &n, &err));
    OK(litz_graph_output(g, "y", *y, &err));
    return g;
}

static void walking(void) {
    litz_value x, r, y, values[2] = {0, 0};
    litz_graph *g = sample(&x, &r, &y), *other = linear_relu();
    litz_node nodes[2] = {0, 0}, users[2] = {0, 0}, producer = 0, theirs[8];
    litz_node_info first, second, wrong;
    litz_string *json = NULL;
    size_t n = 0, result = 9;
    FAILS(LITZ_ERROR_CAPACITY, "2 nodes", litz_graph_nodes(g, nodes, 1, &n, &err));
    CHECK(n == 2 && nodes[0] == 0);
    FAILS(LITZ_ERROR_CAPACITY, "2 nodes", litz_graph_nodes(g, NULL, 0, &n, &err));
    OK(litz_graph_nodes(g, nodes, 2, &n, &err));
    first = info_of(g, nodes[0]);
    second = info_of(g, nodes[1]);
    CHECK(strcmp(first.op, "aten.relu.default") == 0 && first.n_args == 1 && first.n_results == 1);
    CHECK(strcmp(first.args[0].name, "self") == 0 && first.args[0].kind == LITZ_ARG_VALUE && first.args[0].value == x);
    CHECK(first.results[0] == r);
    CHECK(strcmp(second.op, "aten.add.Tensor") == 0 && second.n_args == 3);
    CHECK(second.args[0].value == r && second.args[1].value == x);
    CHECK(strcmp(second.args[2].name, "alpha") == 0 && second.args[2].kind == LITZ_ARG_FLOAT && second.args[2].f == 0.5);
    OK(litz_graph_node_describe(g, nodes[1], &json, &err));
    CHECK(strstr(litz_string_data(json), "\"operator\":\"aten.add.Tensor\"") != NULL);
    CHECK(strstr(litz_string_data(json), "{\"output\":\"y\"}") != NULL);
    litz_string_release(json);
    OK(litz_graph_users(g, x, users, 2, &n, &err));
    CHECK(n == 2 && users[0] == nodes[0] && users[1] == nodes[1]);
    OK(litz_graph_users(g, y, users, 2, &n, &err));
    CHECK(n == 0);
    FAILS(LITZ_ERROR_CAPACITY, "room for 1", litz_graph_users(g, x, users, 1, &n, &err));
    OK(litz_graph_producer(g, y, &producer, &result, &err));
    CHECK(producer == nodes[1] && result == 0);
    OK(litz_graph_producer(g, x, &producer, &result, &err));
    CHECK(producer == 0 && result == 0);
    OK(litz_graph_values(g, LITZ_INFO_INPUT, values, 2, &n, &err));
    CHECK(n == 1 && values[0] == x);
    OK(litz_graph_values(g, LITZ_INFO_OUTPUT, values, 2, &n, &err));
    CHECK(n == 1 && values[0] == y);
    OK(litz_graph_values(g, LITZ_INFO_WRITE, values, 2, &n, &err));
    CHECK(n == 0);
    FAILS(LITZ_ERROR_CAPACITY, "2 constants", litz_graph_values(other, LITZ_INFO_CONSTANT, NULL, 0, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "what", litz_graph_values(g, 17, values, 2, &n, &err));
    /* Nodes that are none. */
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "node is 0", litz_graph_node_describe(g, 0, &json, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "value where a node", litz_graph_node_describe(g, x, &json, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "none that this graph gave", litz_graph_node_describe(g, nodes[1] + 5, &json, &err));
    OK(litz_graph_nodes(other, theirs, 8, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "another graph", litz_graph_node_describe(g, theirs[0], &json, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "node where a value", litz_graph_users(g, nodes[0], users, 2, &n, &err));
    memset(&wrong, 0, sizeof wrong);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "struct_size", litz_graph_node_info(g, nodes[0], &wrong, &err));
    litz_graph_release(g);
    litz_graph_release(other);
}

static void editing(void) {
    float data[3] = {-2, 0, 3}, result[3] = {0, 0, 0};
    int64_t shape[1] = {3};
    litz_value x, r, y, neg, twice;
    litz_graph *g = sample(&x, &r, &y);
    litz_node nodes[8];
    litz_node_info add;
    litz_arg args[3];
    litz_string *json = NULL;
    size_t n = 0;
    OK(litz_graph_lint(g, &err));
    OK(litz_graph_nodes(g, nodes, 8, &n, &err));
    /* What comes later cannot be used, and what is used cannot go. */
    OK(litz_graph_insert_before(g, nodes[0], &err));
    args[0] = value_arg(y);
    neg = 0;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "behind the place of insertion",
          litz_graph_call(g, "aten.neg", args, 1, &neg, 1, &n, &err));
    CHECK(neg == 0);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "cannot be erased", litz_graph_erase(g, nodes[0], &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "output \"y\"", litz_graph_erase(g, nodes[1], &err));
    OK(litz_graph_insert_before(g, 0, &err));
    neg = call1(g, "aten.neg", r);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "stands before that is made", litz_graph_replace(g, r, neg, &err));
    OK(litz_graph_producer(g, neg, &nodes[2], &n, &err));
    OK(litz_graph_erase(g, nodes[2], &err));
    /* neg(relu(x)) in the place of relu(x); neg itself keeps it. */
    OK(litz_graph_insert_after(g, nodes[0], &err));
    neg = call1(g, "aten.neg", r);
    twice = call1(g, "aten.neg", neg);
    OK(litz_graph_replace(g, r, neg, &err));
    OK(litz_graph_lint(g, &err));
    OK(litz_graph_nodes(g, nodes, 8, &n, &err));
    CHECK(n == 4);
    CHECK(strcmp(info_of(g, nodes[1]).op, "aten.neg.default") == 0 && info_of(g, nodes[1]).args[0].value == r);
    CHECK(info_of(g, nodes[2]).results[0] == twice && info_of(g, nodes[2]).args[0].value == neg);
    CHECK(info_of(g, nodes[3]).args[0].value == neg);
    run_one(g, data, shape, result);
    CHECK(result[0] == -1 && result[1] == 0 && result[2] == -1.5f);
    OK(litz_graph_erase(g, nodes[2], &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "was erased", litz_graph_erase(g, nodes[2], &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "was erased", litz_graph_value_describe(g, twice, &json, &err));
    args[0] = value_arg(twice);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "was erased", litz_graph_call(g, "aten.neg", args, 1, &neg, 1, &n, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`new_value`", litz_graph_replace(g, r, 0, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`old_value`", litz_graph_replace(g, 0, r, &err));
    /* A node again with another argument: what was read is what is called. */
    OK(litz_graph_insert_before(g, 0, &err));
    add = info_of(g, nodes[3]);
    memcpy(args, add.args, sizeof args);
    args[2].f = 2;
    OK(litz_graph_call(g, add.op, args, add.n_args, &twice, 1, &n, &err));
    OK(litz_graph_replace(g, y, twice, &err));
    OK(litz_graph_erase(g, nodes[3], &err));
    run_one(g, data, shape, result);
    CHECK(result[0] == -4 && result[1] == 0 && result[2] == 3);
    litz_graph_release(g);
}

/* Results behind a replacement follow it, or it is refused and nothing is changed. */
static void types_follow(void) {
    litz_value x, r, y, other, wide;
    litz_graph *g = sample(&x, &r, &y);
    const int64_t shape[1] = {5};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_string *before = NULL, *after = NULL;
    OK(litz_graph_input(g, "other", &spec, &other, &err));
    OK(litz_graph_to_text(g, &before, &err));
    FAILS(LITZ_ERROR_SHAPE, "cannot be replaced", litz_graph_replace(g, r, other, &err));
    OK(litz_graph_to_text(g, &after, &err));
    CHECK(strcmp(litz_string_data(before), litz_string_data(after)) == 0);
    litz_string_release(before);
    litz_string_release(after);
    spec.dtype.bits = 64;
    spec.shape = (const int64_t[1]){3};
    OK(litz_graph_input(g, "wide", &spec, &wide, &err));
    OK(litz_graph_replace(g, r, wide, &err));
    OK(litz_graph_value_describe(g, y, &after, &err));
    CHECK(strstr(litz_string_data(after), "float64") != NULL);
    litz_string_release(after);
    OK(litz_graph_lint(g, &err));
    /* Unheard failures stick to a graph, as ever. */
    CHECK(litz_graph_replace(g, r, 0, NULL) == LITZ_ERROR_INVALID_ARGUMENT);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`new_value`", litz_graph_lint(g, &err));
    litz_graph_release(g);
}

/* The graphs that a node runs are read through its arguments. */
static void graphs_inside(void) {
    static const char text[] = "graph \"g\" {\n"
                               "  input %0 \"p\": bool[]\n"
                               "  input %1 \"x\": float32[3]\n"
                               "  %2 = higher_order.cond.default(%0, graph \"yes\" {\n"
                               "    input %0 \"x\": float32[3]\n"
                               "    %1 = aten.relu.default(%0)\n"
                               "    output \"y\" = %1\n"
                               "  }, graph \"no\" {\n"
                               "    input %0 \"x\": float32[3]\n"
                               "    %1 = aten.neg.default(%0)\n"
                               "    output \"y\" = %1\n"
                               "  }, [%1])\n"
                               "  output \"y\" = %2\n"
                               "}\n";
    litz_graph *g = NULL, *copy = NULL;
    litz_node nodes[4], inner[4];
    litz_node_info cond;
    litz_value again[1];
    size_t n = 0, k;
    const litz_graph *yes = NULL;
    g = graph_of(text);
    OK(litz_graph_nodes(g, nodes, 4, &n, &err));
    CHECK(n == 1);
    cond = info_of(g, nodes[0]);
    for (k = 0; k < cond.n_args && yes == NULL; ++k)
        if (cond.args[k].kind == LITZ_ARG_SUBGRAPH) yes = cond.args[k].subgraph;
    CHECK(yes != NULL);
    OK(litz_graph_nodes(yes, inner, 4, &n, &err));
    CHECK(n == 1 && strcmp(info_of(yes, inner[0]).op, "aten.relu.default") == 0);
    OK(litz_graph_clone(yes, &copy, &err));
    litz_graph_release(copy);
    /* The node again, as it was read. */
    OK(litz_graph_call(g, cond.op, cond.args, cond.n_args, again, 1, &n, &err));
    OK(litz_graph_replace(g, cond.results[0], again[0], &err));
    OK(litz_graph_erase(g, nodes[0], &err));
    OK(litz_graph_lint(g, &err));
    litz_graph_release(g);
}

/* Walks a chain of nodes, asks all about each, puts another node behind it, in its place, and takes that out again. Gives
   the seconds of the walk. */
static double walk_and_edit(size_t count) {
    const int64_t shape[1] = {3};
    litz_tensor_spec spec = float_spec(1, shape, NULL);
    litz_graph *g = NULL;
    litz_node *nodes = malloc(count * sizeof *nodes), user, made;
    litz_value x, r, back;
    size_t n = 0, k, result = 0;
    clock_t start;
    OK(litz_graph_new("chain", NULL, &g, &err));
    OK(litz_graph_input(g, "x", &spec, &x, &err));
    for (k = 0, r = x; k < count; ++k) r = call1(g, "aten.relu", r);
    OK(litz_graph_output(g, "y", r, &err));
    start = clock();
    OK(litz_graph_nodes(g, nodes, count, &n, &err));
    CHECK(n == count && nodes != NULL);
    for (k = 0; k < count; ++k) {
        litz_string *json = NULL;
        const litz_value old = info_of(g, nodes[k]).results[0];
        litz_value new_value;
        OK(litz_graph_node_describe(g, nodes[k], &json, &err));
        litz_string_release(json);
        OK(litz_graph_users(g, old, &user, 1, &n, &err));
        CHECK(n == (k + 1 < count ? 1 : 0));
        OK(litz_graph_insert_after(g, nodes[k], &err));
        new_value = call1(g, "aten.neg", old);
        back = call1(g, "aten.neg", new_value);
        OK(litz_graph_replace(g, old, back, &err));
        OK(litz_graph_producer(g, back, &made, &result, &err));
        OK(litz_graph_users(g, back, &user, 1, &n, &err));
        CHECK(n == (k + 1 < count ? 1 : 0));
        OK(litz_graph_replace(g, back, new_value, &err));
        OK(litz_graph_erase(g, made, &err));
    }
    start = clock() - start;
    OK(litz_graph_lint(g, &err));
    free(nodes);
    litz_graph_release(g);
    return (double)start / CLOCKS_PER_SEC;
}

/* Calls on one node take the same time in a graph of ten times the size. */
static void long_graphs(void) {
    const double one = walk_and_edit(2000), ten = walk_and_edit(20000);
    if (ten > 30 * one) fprintf(stderr, "2,000 nodes take %g s, 20,000 take %g s\n", one, ten);
    CHECK(ten <= 30 * one);
}

/* The graph as PyTorch's export schema has it, and back. */
static void export_json(void) {
    static const char number[] = "graph \"g\" {\n"
                                 "  symbol bits in [-inf, inf]\n"
                                 "  number %0 \"f\": float64 = bits\n"
                                 "  output \"y\" = %0\n"
                                 "}\n";
    float data[3] = {-2, 0, 3}, first[3], second[3];
    int64_t shape[1] = {3};
    litz_value x, r, y;
    litz_graph *g = sample(&x, &r, &y), *read = NULL, *with_constants = linear_relu();
    litz_string *json = NULL;
    size_t k;
    OK(litz_graph_to_export_json(g, &json, &err));
    OK(litz_graph_from_export_json(litz_string_data(json), litz_string_size(json), NULL, &read, &err));
    run_one(g, data, shape, first);
    run_one(read, data, shape, second);
    for (k = 0; k < 3; ++k) CHECK(first[k] == second[k]);
    litz_string_release(json);
    litz_graph_release(read);
    litz_graph_release(g);
    /* Weights are left out: constants become inputs. */
    OK(litz_graph_to_export_json(with_constants, &json, &err));
    CHECK(strstr(litz_string_data(json), "\"parameter_name\":\"l.weight\"") != NULL);
    OK(litz_graph_from_export_json(litz_string_data(json), litz_string_size(json), NULL, &read, &err));
    OK(litz_graph_find(read, "l.weight", &x, &err));
    litz_string_release(json);
    litz_graph_release(read);
    litz_graph_release(with_constants);
    /* What the schema has no form for is refused by name. */
    g = graph_of(number);
    json = NULL;
    FAILS(LITZ_ERROR_UNSUPPORTED, "`f`", litz_graph_to_export_json(g, &json, &err));
    CHECK(json == NULL);
    litz_graph_release(g);
}

static size_t kernels_of(const litz_executable *e) {
    litz_string *json = NULL;
    const char *at;
    size_t count = 0;
    OK(litz_executable_describe(e, &json, &err));
    at = strstr(litz_string_data(json), "\"kernels\"");
    CHECK(at != NULL);
    while ((at = strstr(at, "\"operators\"")) != NULL) ++at, ++count;
    litz_string_release(json);
    return count;
}

/* How many kernels a graph becomes, compiled and as an artifact, and what it computes. */
static size_t kernels(const litz_graph *g, const char *artifact, float *x, int64_t *shape, float *y) {
    litz_options *o = NULL;
    litz_executable *e = NULL, *opened = NULL;
    DLTensor input = float_tensor(x, 1, shape), output = float_tensor(y, 1, shape);
    const DLTensor *inputs[1] = {&input}, *outputs[1] = {&output};
    size_t count;
    OK(litz_options_new(&o, &err));
    OK(litz_options_set(o, "backend", "cpu", &err));
    OK(litz_compile(g, o, &e, &err));
    count = kernels_of(e);
    OK(litz_compile_artifact(g, o, artifact, &err));
    OK(litz_executable_open(artifact, o, &opened, &err));
    CHECK(kernels_of(opened) == count);
    OK(litz_executable_run_into(opened, inputs, 1, outputs, 1, NULL, &err));
    litz_executable_release(opened);
    litz_executable_release(e);
    litz_options_release(o);
    return count;
}

/* Nodes that run one at a time, and what cannot be such nodes. */
static void unfused(const char *folder) {
    static const char chain[] = "graph \"g\" {\n"
                                "  input %0 \"x\": float32[3]\n"
                                "  %1 = aten.relu.default(%0)\n"
                                "  %2 = aten.mul.Scalar(%1, 3.0)\n"
                                "  %3 = aten.neg.default(%2)\n"
                                "  output \"y\" = %3\n"
                                "}\n";
    float data[3] = {-2, 0, 3}, y[3];
    int64_t shape[1] = {3};
    litz_graph *g = graph_of(chain), *other = graph_of(chain), *read = NULL;
    litz_node nodes[3] = {0, 0, 0}, theirs[3], wrong[2];
    litz_value x = 0;
    litz_string *text = NULL;
    char artifact[4096];
    size_t n = 0;
    snprintf(artifact, sizeof artifact, "%s/unfused.so", folder);
    OK(litz_graph_nodes(g, nodes, 3, &n, &err));
    OK(litz_graph_nodes(other, theirs, 3, &n, &err));
    OK(litz_graph_find(g, "x", &x, &err));
    CHECK(kernels(g, artifact, data, shape, y) == 1);
    CHECK(y[0] == 0 && y[2] == -9);
    OK(litz_graph_disable_fusion(g, NULL, 0, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`g`", litz_graph_disable_fusion(NULL, nodes, 1, &err));
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`nodes`", litz_graph_disable_fusion(g, NULL, 1, &err));
    /* One that is wrong: none is marked. */
    wrong[0] = nodes[1];
    wrong[1] = 0;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "the node is 0", litz_graph_disable_fusion(g, wrong, 2, &err));
    wrong[1] = theirs[0];
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "belongs to another graph", litz_graph_disable_fusion(g, wrong, 2, &err));
    wrong[1] = x;
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "a value where a node is asked", litz_graph_disable_fusion(g, wrong, 2, &err));
    CHECK(kernels(g, artifact, data, shape, y) == 1);
    OK(litz_graph_disable_fusion(g, &nodes[1], 1, &err));
    CHECK(kernels(g, artifact, data, shape, y) == 3);
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == -9);
    OK(litz_graph_to_text(g, &text, &err));
    OK(litz_graph_from_text(litz_string_data(text), litz_string_size(text), NULL, &read, &err));
    CHECK(kernels(read, artifact, data, shape, y) == 3);
    litz_string_release(text);
    litz_graph_release(read);
    litz_graph_release(other);
    litz_graph_release(g);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    walking();
    editing();
    unfused(argv[1]);
    types_follow();
    graphs_inside();
    long_graphs();
    export_json();
    puts("all right");
    return 0;
}
