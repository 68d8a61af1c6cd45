/* litz_ops.h: arguments of every kind arrive as they were given, what is left out takes its default, and the first
 * failure of a graph is kept to its end. */
#include "check.h"
#include <litz/litz_ops.h>

static litz_value input(litz_graph *g, const char *name, int32_t ndim, const int64_t *shape, const litz_value *symbols) {
    const litz_tensor_spec spec = float_spec(ndim, shape, symbols);
    litz_value value = 0;
    litz_graph_input(g, name, &spec, &value, NULL);
    return value;
}

static litz_graph *fresh(litz_value *n, litz_value *image, litz_value *matrix) {
    const int64_t image_shape[4] = {0, 3, 8, 8}, matrix_shape[2] = {4, 4};
    litz_value symbols[4] = {0, 0, 0, 0};
    litz_graph *g = NULL;
    OK(litz_graph_new("ops", NULL, &g, &err));
    OK(litz_graph_symbol(g, "n", 1, 16, -1, n, &err));
    symbols[0] = *n;
    *image = input(g, "image", 4, image_shape, symbols);
    *matrix = input(g, "matrix", 2, matrix_shape, NULL);
    OK(litz_graph_status(g, &err));
    return g;
}

/* The text of the graph, which ends with it. */
static litz_string *text_of(litz_graph *g, litz_value y) {
    litz_string *text = NULL;
    OK(litz_graph_status(g, &err));
    OK(litz_graph_output(g, "y", y, &err));
    OK(litz_graph_to_text(g, &text, &err));
    litz_graph_release(g);
    return text;
}

static void expect(litz_string *text, const char *const *words, size_t n) {
    size_t k;
    for (k = 0; k < n; ++k) {
        if (strstr(litz_string_data(text), words[k]) == NULL) {
            fprintf(stderr, "`%s` is not in the graph:\n%s\n", words[k], litz_string_data(text));
            exit(1);
        }
    }
    litz_string_release(text);
}

static litz_value named_call(litz_graph *g, const char *op, const litz_arg *args, size_t n_args) {
    litz_value outs[4] = {0, 0, 0, 0};
    size_t n = 0;
    OK(litz_graph_call(g, op, args, n_args, outs, 4, &n, &err));
    return outs[0];
}

static litz_arg arg(const char *name, int32_t kind) {
    litz_arg made;
    memset(&made, 0, sizeof made);
    made.name = name;
    made.kind = kind;
    return made;
}

/* The same graph twice: by litz_ops.h, and by litz_graph_call with what litz_ops.h leaves to the schema written out. */
static void the_same_as_by_name(void) {
    litz_value n, image, matrix, y, more[3];
    const int64_t dims[2] = {-1, -2}, flat[2] = {0, 192}, pads[4] = {1, 1, 0, 2};
    litz_value with_symbol[2];
    litz_graph *g = fresh(&n, &image, &matrix);
    litz_string *first, *second;
    litz_arg args[4];

    with_symbol[0] = n;
    with_symbol[1] = 0;
    y = litz_aten_add_Tensor(g, image, image, litz_scalar_float(0.25));
    y = litz_aten_constant_pad_nd(g, y, litz_ints_of(pads, 4), litz_scalar_int(-3));
    y = litz_aten_sum_dim_IntList(g, y, litz_ints_of(dims, 2), 1, LITZ_DTYPE_FLOAT64);
    y = litz_aten_softmax_int(g, y, 1, 0);
    image = litz_aten_view(g, image, litz_ints_with_symbols(flat, with_symbol, 2));
    image = litz_aten_topk(g, image, litz_scalar_int(3), -1, 1, 0, more);
    CHECK(more[0] == image && more[1] != 0 && more[1] != image);
    more[2] = litz_aten_div_Tensor_mode(g, matrix, matrix, "floor");
    matrix = litz_aten_sum_dim_IntList(g, more[2], litz_ints_default(), 0, 0);
    y = litz_aten_mul_Tensor(g, y, matrix);
    first = text_of(g, y);

    g = fresh(&n, &image, &matrix);
    args[0] = value_arg(image);
    args[1] = value_arg(image);
    args[2] = arg("alpha", LITZ_ARG_FLOAT);
    args[2].f = 0.25;
    y = named_call(g, "aten.add.Tensor", args, 3);
    args[0] = value_arg(y);
    args[1] = arg(NULL, LITZ_ARG_INTS);
    args[1].ints = pads;
    args[1].n = 4;
    args[2] = int_arg(-3);
    y = named_call(g, "aten.constant_pad_nd", args, 3);
    args[0] = value_arg(y);
    args[1].ints = dims;
    args[1].n = 2;
    args[2] = arg(NULL, LITZ_ARG_BOOL);
    args[2].i = 1;
    args[3] = arg("dtype", LITZ_ARG_DTYPE);
    args[3].i = LITZ_DTYPE_FLOAT64;
    y = named_call(g, "aten.sum.dim_IntList", args, 4);
    args[0] = value_arg(y);
    args[1] = int_arg(1);
    args[2] = arg(NULL, LITZ_ARG_NONE);
    y = named_call(g, "aten.softmax.int", args, 3);
    with_symbol[0] = n;
    args[0] = value_arg(image);
    args[1] = arg(NULL, LITZ_ARG_INTS);
    args[1].ints = flat;
    args[1].values = with_symbol;
    args[1].n = 2;
    image = named_call(g, "aten.view", args, 2);
    args[0] = value_arg(image);
    args[1] = int_arg(3);
    args[2] = arg("sorted", LITZ_ARG_BOOL);
    named_call(g, "aten.topk", args, 3);
    args[0] = args[1] = value_arg(matrix);
    args[2] = arg("rounding_mode", LITZ_ARG_STRING);
    args[2].s = "floor";
    matrix = named_call(g, "aten.div.Tensor_mode", args, 3);
    args[0] = value_arg(matrix);
    args[1] = arg(NULL, LITZ_ARG_NONE);
    matrix = named_call(g, "aten.sum.dim_IntList", args, 2);
    args[0] = value_arg(y);
    args[1] = value_arg(matrix);
    y = named_call(g, "aten.mul.Tensor", args, 2);
    second = text_of(g, y);
    if (strcmp(litz_string_data(first), litz_string_data(second)) != 0) {
        fprintf(stderr, "by functions:\n%s\nby name:\n%s\n", litz_string_data(first), litz_string_data(second));
        exit(1);
    }
    litz_string_release(first);
    litz_string_release(second);
}

/* Lists of tensors, None among them, several results, in-place forms, factories, numbers of every kind. */
static void arguments_of_every_kind(void) {
    litz_value n, image, matrix, y, parts[3] = {0, 0, 0}, pair[2];
    const int64_t index[2] = {1, 0}, size[2] = {2, 3};
    static const char *const words[] = {"aten.cat.default", "aten.split.Tensor",  "aten.add_.Tensor",
                                        "aten.full.default", "aten.clamp.default", "aten.index.Tensor",
                                        "aten._assert_scalar.default"};
    DLDevice device;
    size_t count = 99;
    litz_graph *g = fresh(&n, &image, &matrix);
    memset(&device, 0, sizeof device);

    /* Two rows each; too little room is no failure of the graph. */
    CHECK(litz_aten_split_Tensor(g, matrix, litz_scalar_int(2), 0, parts, 1, &count) == 0 && count == 2 && parts[0] == 0);
    y = litz_aten_split_Tensor(g, matrix, litz_scalar_int(2), 0, parts, 3, &count);
    CHECK(y != 0 && y == parts[0] && parts[1] != 0 && parts[2] == 0 && count == 2);
    pair[0] = parts[1];
    pair[1] = parts[0];
    y = litz_aten_cat(g, pair, 2, 0);
    CHECK(litz_aten_add__Tensor(g, y, matrix, litz_scalar_default()) != 0);
    y = litz_aten_clamp(g, y, litz_scalar_default(), litz_scalar_int(1));
    /* y[None, idx]: the first index is None. */
    pair[0] = 0;
    pair[1] = litz_aten_full(g, litz_ints_of(index, 1), litz_scalar_int(2), LITZ_DTYPE_INT64, 0, device, litz_scalar_default());
    y = litz_aten_index_Tensor(g, y, pair, 2);
    CHECK(y != 0);
    y = litz_aten_mul_Tensor(g, y,
                             litz_aten_full(g, litz_ints_of(size, 0), litz_scalar_symbol(n), LITZ_DTYPE_FLOAT32, 0, device,
                                            litz_scalar_default()));
    CHECK(litz_aten__assert_scalar(g, litz_scalar_bool(1), "true") == LITZ_OK);
    CHECK(litz_aten_aminmax(g, y, litz_scalar_default(), 0, NULL) != 0);
    expect(text_of(g, y), words, sizeof words / sizeof *words);
}

/* Sizes are symbols, and symbols are computed with. */
static void symbols_are_computed_with(void) {
    static const char *const words[] = {"[2*n, 2, 48]", "aten.view.default"};
    litz_value n, image, matrix, y;
    const int64_t shape[3] = {0, 2, -1};
    litz_value symbols[3] = {0, 0, 0};
    litz_graph *g = fresh(&n, &image, &matrix);
    CHECK(litz_sym_size(g, image, 0) == n);
    symbols[0] = litz_sym(g, "sym.mul", litz_scalar_symbol(n), litz_scalar_int(2));
    CHECK(litz_sym(g, "sym.neg", litz_scalar_symbol(n), litz_scalar_default()) != 0);
    y = litz_aten_view(g, image, litz_ints_with_symbols(shape, symbols, 3));
    expect(text_of(g, y), words, sizeof words / sizeof *words);

    g = fresh(&n, &image, &matrix);
    CHECK(litz_sym(g, "sym.nothing", litz_scalar_symbol(n), litz_scalar_int(2)) == 0);
    FAILS(LITZ_ERROR_UNSUPPORTED, "sym.nothing", litz_graph_status(g, &err));
    litz_graph_release(g);
}

/* The first failure is the one that is told, by every function, and nothing is added behind it. */
static void failures_are_sticky(void) {
    litz_value n, image, matrix, y, outs[2] = {7, 7};
    litz_executable *program = NULL;
    litz_string *text = NULL;
    litz_graph *g = fresh(&n, &image, &matrix), *copy = NULL;
    size_t count = 99;
    CHECK(litz_aten_mm(g, image, matrix) == 0);
    /* Later failures, and calls that would succeed. */
    CHECK(litz_aten_softmax_int(g, matrix, 7, 0) == 0);
    y = litz_aten_relu(g, matrix);
    CHECK(y == 0);
    y = litz_aten_add_Tensor(g, y, y, litz_scalar_default());
    CHECK(litz_aten_topk(g, y, litz_scalar_int(1), -1, 1, 1, outs) == 0 && outs[0] == 0 && outs[1] == 0);
    CHECK(litz_aten_split_Tensor(g, y, litz_scalar_int(2), 0, outs, 2, &count) == 0 && count == 0);
    CHECK(litz_aten__assert_scalar(g, litz_scalar_bool(1), "true") != LITZ_OK);
    CHECK(litz_graph_output(g, "y", y, NULL) != LITZ_OK);
    FAILS(LITZ_ERROR_SHAPE, "aten.mm", litz_graph_status(g, &err));
    FAILS(LITZ_ERROR_SHAPE, "aten.mm", litz_compile(g, NULL, &program, &err));
    FAILS(LITZ_ERROR_SHAPE, "aten.mm", litz_graph_output(g, "y", matrix, &err));
    FAILS(LITZ_ERROR_SHAPE, "aten.mm", litz_graph_to_text(g, &text, &err));
    FAILS(LITZ_ERROR_SHAPE, "aten.mm", litz_graph_clone(g, &copy, &err));
    CHECK(program == NULL && text == NULL && copy == NULL);
    litz_graph_release(g);

    /* With somewhere to put it, a failure is told at once and not kept. */
    g = fresh(&n, &image, &matrix);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "0", litz_graph_output(g, "y", 0, &err));
    OK(litz_graph_status(g, &err));
    CHECK(litz_aten_relu(g, matrix) != 0);
    /* Handles of another graph and NULL graphs fail as any call does. */
    CHECK(litz_aten_relu(NULL, matrix) == 0);
    /* What must be given is missed by its name. */
    CHECK(litz_aten_leaky_relu(g, matrix, litz_scalar_default()) != 0);
    CHECK(litz_aten_full_like(g, matrix, litz_scalar_default(), 0, 0, (DLDevice){kDLCPU, 0}, litz_scalar_default(), 0) == 0);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`fill_value` is missing", litz_graph_status(g, &err));
    litz_graph_release(g);

    g = fresh(&n, &image, &matrix);
    CHECK(litz_aten_linear(g, matrix, 0, 0) == 0);
    FAILS(LITZ_ERROR_INVALID_ARGUMENT, "`weight`", litz_graph_status(g, &err));
    litz_graph_release(g);
}

int main(void) {
    the_same_as_by_name();
    arguments_of_every_kind();
    symbols_are_computed_with();
    failures_are_sticky();
    puts("all right");
    return 0;
}
