// litz_ops.hpp: overloads, defaults, lists, several results and failures; the graph is the one that calls by name build.
#include <litz/litz_ops.hpp>

#include <cstdio>
#include <cstdlib>

static void check(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

int main() {
    using namespace litz;
    namespace at = litz::aten;

    Graph graph("ops");
    const Value n = graph.symbol("n", 1, 16);
    const Value x = graph.input("x", Dtype::float32, {n, 4});
    const Value w = graph.parameter("w", Tensor::copy<float>({1, 2, 3, 4, -1, -2, -3, -4, 0, 1, 0, 1}, {3, 4}));

    Value y = at::linear(x, w);                       // a tensor left out
    y = at::add(y, y, 0.5);                           // overloads: a tensor or a number, with a scale
    y = at::add(y, 1);
    y = at::clamp(y, std::nullopt, 30);
    y = at::relu_(y);                                 // in place
    y = at::reshape(y, {n, 3, 1});                    // a symbol in a list
    auto [values, indices] = at::topk(y, 2, 1);       // several results
    const std::vector<Value> parts = at::split(values, 1, 1);
    check(parts.size() == 2, "a list of results");
    y = at::cat({parts[1], parts[0]}, 1);
    y = at::squeeze(y, -1);
    y = at::mul(y, at::full(graph, {}, 2, Dtype::float32));
    graph.output("y", y);
    graph.output("sum", at::sum(y, 1, true));         // one number for a list
    graph.output("both", at::sum(y, {0, 1}));
    graph.output("all", at::sum(y));
    graph.output("std", at::std(y, {1}));             // a name that is a namespace elsewhere
    graph.output("where", at::where(at::gt(y, 5), y, 0));
    graph.output("first", at::index(y, {Value(), at::full(graph, {1}, 0, Dtype::int64)}));
    graph.output("indices", at::to(indices, Dtype::float32));

    // The same by name, where all is said.
    Graph named_graph("ops");
    {
        Graph &g = named_graph;
        const Value m = g.symbol("n", 1, 16);
        const Value a = g.input("x", Dtype::float32, {m, 4});
        const Value b = g.parameter("w", Tensor::copy<float>({1, 2, 3, 4, -1, -2, -3, -4, 0, 1, 0, 1}, {3, 4}));
        const auto ints = [](std::vector<Size> list) { return Arg(list); };
        Value z = g.call("aten.linear", {a, b, std::nullopt});
        z = g.call("aten.add.Tensor", {z, z, named("alpha", 0.5)});
        z = g.call("aten.add.Scalar", {z, 1, 1});
        z = g.call("aten.clamp", {z, std::nullopt, 30});
        z = g.call("aten.relu_", {z});
        z = g.call("aten.reshape", {z, ints({m, 3, 1})});
        const std::vector<Value> top = g.call_all("aten.topk", {z, 2, 1});
        const std::vector<Value> pieces = g.call_all("aten.split.Tensor", {top[0], 1, 1});
        z = g.call("aten.cat", {std::vector<Value>{pieces[1], pieces[0]}, 1});
        z = g.call("aten.squeeze.dim", {z, -1});
        z = g.call("aten.mul.Tensor", {z, g.call("aten.full", {ints({}), 2, named("dtype", Dtype::float32)})});
        g.output("y", z);
        g.output("sum", g.call("aten.sum.dim_IntList", {z, ints({1}), true}));
        g.output("both", g.call("aten.sum.dim_IntList", {z, ints({0, 1})}));
        g.output("all", g.call("aten.sum", {z}));
        g.output("std", g.call("aten.std.correction", {z, ints({1})}));
        const Value greater = g.call("aten.gt.Scalar", {z, 5});
        g.output("where", g.call("aten.where.ScalarOther", {greater, z, 0}));
        const Value zero = g.call("aten.full", {ints({1}), 0, named("dtype", Dtype::int64)});
        g.output("first", g.call("aten.index.Tensor", {z, std::vector<Value>{Value(), zero}}));
        g.output("indices", g.call("aten.to.dtype", {top[1], Dtype::float32}));
    }
    if (graph.text() != named_graph.text()) {
        std::fprintf(stderr, "by functions:\n%s\nby name:\n%s\n", graph.text().c_str(), named_graph.text().c_str());
        return 1;
    }

    const Executable program = graph.compile(Options().set("backend", "interpreter"));
    const auto out = program.run({Tensor::copy<float>({1, 0, 0, 0, 0, 0, 1, 1}, {2, 4})});
    // relu(min(1.5 x w^T + 1, 30)): [2.5, 0, 1], [11.5, 0, 2.5]; the two largest, the lesser first, twice.
    check(out[0].values<float>() == std::vector<float>({2, 5, 5, 23}), "the values");
    check(out[1].values<float>() == std::vector<float>({7, 28}) && out[1].shape() == Shape({2, 1}), "the sums");
    check(out[3].values<float>() == std::vector<float>({35}), "the sum of all");
    check(out[5].values<float>() == std::vector<float>({0, 0, 0, 23}), "where");
    check(out[7].values<float>() == std::vector<float>({0, 2, 0, 2}), "the indices");

    // Symbols are computed with.
    {
        Graph halves("halves");
        const Value m = halves.symbol("m", 2, 16);
        const Value even = halves.input("x", Dtype::float32, {sym("mul", m, 2), 3});
        check(sym("floordiv", sym_size(even, 0), 2).describe() == m.describe(), "half of twice a size");
        check(sym("add", m, m).describe() == sym_size(even, 0).describe() && sym("neg", m), "sums and negatives");
    }

    // Failures are thrown, and the graph is as it was.
    bool thrown = false;
    try {
        at::mm(x, w);
    } catch (const Error &error) {
        thrown = error.code() == LITZ_ERROR_SHAPE;
    }
    check(thrown, "a shape that does not fit is thrown");
    check(graph.text() == named_graph.text(), "a failed call adds nothing");
    thrown = false;
    try {
        at::cat({}, 0);
    } catch (const Error &error) {
        thrown = error.code() == LITZ_ERROR_INVALID_ARGUMENT;
    }
    check(thrown, "no tensor, no graph");
    std::puts("all right");
    return 0;
}
