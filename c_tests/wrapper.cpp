// litz.hpp: the same graph through values with operators, on the backend that argv[1] names.
#include <litz/litz.hpp>
#include <litz/litz_ops.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

static void check(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

/// A graph of one float32 input of 3 elements.
template <class Result> static litz::Graph on_three(const char *name, Result result) {
    litz::Graph graph(name);
    graph.output("y", result(graph.input("x", litz::Dtype::float32, {3})));
    return graph;
}

static void control_flow(const litz::Options &options) {
    litz::Graph graph("control");
    const litz::Value x = graph.input("x", litz::Dtype::float32, {3});
    const litz::Value positive = litz::call(graph.get(), "aten.gt.Scalar", {litz::aten::sum(x), 0});
    const litz::Graph twice = on_three("twice", [](const litz::Value &v) { return v * 2; });
    const litz::Graph negative = on_three("negative", [](const litz::Value &v) { return -v; });
    graph.output("chosen", litz::cond(positive, twice, negative, {x})[0]);
    // Doubled until one element is 100 or more.
    const litz::Graph small = on_three("small", [](const litz::Value &v) {
        return litz::call(v.graph(), "aten.lt.Scalar", {litz::aten::max(v), 100});
    });
    graph.output("grown", litz::while_loop(small, twice, {x})[0]);
    const litz::Executable program = graph.compile(options);
    using Floats = std::vector<float>;
    std::vector<litz::Tensor> got = program.run({litz::Tensor::copy<float>({1, 2, 3}, {3})});
    check(got[0].values<float>() == Floats({2, 4, 6}) && got[1].values<float>() == Floats({64, 128, 192}), "a branch, a loop");
    got = program.run({litz::Tensor::copy<float>({1, -200, 100}, {3})});
    check(got[0].values<float>() == Floats({-1, 200, -100}) && got[1].values<float>() == Floats({1, -200, 100}), "the other");
    bool thrown = false;
    try {
        litz::cond(positive, twice, graph, {x});
    } catch (const litz::Error &error) {
        thrown = error.code() == LITZ_ERROR_INVALID_ARGUMENT;
    }
    check(thrown, "branches that differ");
}

static void borrowed_and_half(const litz::Options &options) {
    litz::Graph graph("halves");
    graph.output("b", graph.input("b", litz::Dtype::bfloat16, {2, 2}) + 1);
    graph.output("h", graph.input("h", litz::Dtype::float16, {2}) * 2);
    const std::vector<litz::bfloat16> data{1.0f, 2.0f, 3.0f, 4.0f};
    // Its columns as rows, where they lie.
    const litz::Tensor columns = litz::Tensor::borrow(data.data(), litz::Dtype::bfloat16, {2, 2}, {1, 2});
    check(columns.dl()->data == data.data() && columns.dl()->device.device_type == kDLCPU, "borrowed, not copied");
    const litz::Tensor halves = litz::Tensor::copy<litz::float16>({0.5f, -3.0f}, {2});
    const std::vector<litz::Tensor> got = graph.compile(options).run({columns, halves});
    check(got[0].values<litz::bfloat16>() == std::vector<litz::bfloat16>({2.0f, 4.0f, 3.0f, 5.0f}), "bfloat16");
    check(got[1].values<litz::float16>() == std::vector<litz::float16>({1.0f, -6.0f}), "float16");
    bool thrown = false;
    try {
        litz::Tensor::borrow(data.data(), litz::Dtype::bfloat16, {2, 2}, {1});
    } catch (const litz::Error &error) {
        thrown = error.code() == LITZ_ERROR_SHAPE;
    }
    check(thrown, "strides of another rank");
    // Rounding: ties to even, subnormals, overflow, infinity, NaN; and every finite float16 there and back.
    struct Row {
        float value;
        uint16_t bfloat, half;
    };
    const Row rows[] = {{1.0f, 0x3f80, 0x3c00},       {-0.0f, 0x8000, 0x8000},      {0x1.01p0f, 0x3f80, 0x3c04},
                        {0x1.03p0f, 0x3f82, 0x3c0c},  {0x1.002p0f, 0x3f80, 0x3c00}, {0x1.006p0f, 0x3f80, 0x3c02},
                        {65519.0f, 0x4780, 0x7bff},   {65520.0f, 0x4780, 0x7c00},   {0x1p-24f, 0x3380, 0x0001},
                        {0x1p-25f, 0x3300, 0x0000},   {0x1.8p-24f, 0x33c0, 0x0002}, {0x1.ffep-15f, 0x3880, 0x0400},
                        {-HUGE_VALF, 0xff80, 0xfc00}, {0x1.fffffep127f, 0x7f80, 0x7c00}};
    for (const Row &row : rows)
        check(litz::bfloat16(row.value).bits == row.bfloat && litz::float16(row.value).bits == row.half, "rounding");
    const float nan = std::nanf("");
    check(litz::bfloat16(nan) != litz::bfloat16(nan) && litz::float16(nan) != litz::float16(nan), "NaN");
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        litz::float16 half;
        half.bits = static_cast<uint16_t>(bits);
        if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff)) continue;
        check(litz::float16(static_cast<float>(half)).bits == bits, "there and back");
    }
}

/// Complex tensors in and out, and a complex number as an operator's argument.
static void complex_numbers(const litz::Options &options) {
    using Complex = std::complex<float>;
    litz::Graph graph("complex");
    const litz::Value z = graph.input("z", litz::Dtype::complex64, {3});
    const litz::Value product = graph.call("aten.mul.Tensor", {z, std::complex<double>(0, 2)});
    graph.output("product", product);
    graph.output("size", graph.call("aten.abs", {product}));
    graph.output("conjugate", graph.call("aten.conj", {z}));
    const litz::Executable program = graph.compile(options);
    const std::vector<Complex> data = {{3, 4}, {0, -1}, {2, 0}};
    const std::vector<litz::Tensor> got = program.run({litz::Tensor::copy<Complex>(data, {3})});
    check(got[0].values<Complex>() == std::vector<Complex>({{-8, 6}, {2, 0}, {0, 4}}), "a product of complex numbers");
    check(got[1].values<float>() == std::vector<float>({10, 2, 4}), "absolute values");
    check(got[2].values<Complex>() == std::vector<Complex>({{3, -4}, {0, 1}, {2, 0}}), "conjugates");
    bool thrown = false;
    try {
        graph.call("aten.lt.Tensor", {z, z});
    } catch (const litz::Error &error) {
        thrown = error.code() == LITZ_ERROR_UNSUPPORTED && std::string(error.what()).find("complex") != std::string::npos;
    }
    check(thrown, "complex numbers have no order");
}

static void minified(const litz::Options &options) {
    litz::Graph graph("long");
    litz::Value v = graph.input("x", litz::Dtype::float32, {3});
    for (int k = 0; k < 20; ++k) v = graph.call(k == 11 ? "aten.exp" : "aten.sin", {v});
    graph.output("y", v);
    int asked = 0;
    const litz::Graph least = graph.minify([&](const litz::Graph::Lent &part) {
        ++asked;
        part.compile(options);
        return part.text().find("aten.exp") != std::string::npos;
    });
    check(asked > 1 && least.describe().find("\"operators\":{\"aten.exp.default\":1}") != std::string::npos, "the part that is left");
    bool thrown = false;
    try {
        graph.minify([](const litz::Graph::Lent &) -> bool { throw std::out_of_range("mine"); });
    } catch (const std::out_of_range &e) {
        thrown = std::string(e.what()) == "mine";
    }
    check(thrown, "what a predicate throws comes back");

    try {
        graph.minify("compile_fails", options);
        check(false, "a graph that compiles has no part that fails");
    } catch (const litz::Error &e) {
        check(e.code() == LITZ_ERROR_INVALID_ARGUMENT, "the predicate does not hold");
    }

    const std::string folder = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + "/litz_wrapper_repro";
    least.save_repro(options, {litz::Tensor::copy<float>({1, 2, 3}, {3})}, folder);
    const auto [read, read_options] = litz::Graph::from_repro(folder);
    check(read.text() == least.text() && read_options.value("backend") == options.value("backend"), "what was kept is read back");
    check(litz::Graph::from_repro(folder, litz::Registry()).first.text() == least.text(), "with a registry, too");
    const std::vector<litz::Tensor> inputs = litz::Graph::repro_inputs(folder, read_options);
    check(inputs.size() == 1 && inputs[0].values<float>() == std::vector<float>({1, 2, 3}), "and its inputs");
}

/// Passes, decompositions and backends are functions, and what they throw is the compilation's error.
static void registered(const char *backend) {
    litz::Registry registry;
    int runs = 0;
    registry.add_pass("joint", [](litz::Graph &g) {
        for (const litz::Node &node : g.nodes())
            if (node.op() == "aten.relu.default") {
                g.insert_before(node);
                const litz::Value x(g.get(), node.args()[0].value);
                g.replace(node.results()[0], litz::aten::neg(x));
                g.erase(node);
            }
        g.disable_fusion(g.nodes());
        g.lint();
    });
    registry.add_decomposition("aten.softplus", [](litz::Graph &g, const std::vector<litz_arg> &args) {
        return std::vector<litz::Value>{litz::aten::log1p(litz::aten::exp(litz::Value(g.get(), args[0].value)))};
    });
    registry.add_backend("mine", {"debug"}, [&runs](litz::Graph &g) {
        const size_t n = g.nodes().size();
        check(g.inputs().size() == 1 && g.outputs().size() == 1 && g.constants().empty() && g.writes().empty(), "values");
        check(g.producer(g.outputs()[0]) == g.nodes()[n - 1] && g.users(g.inputs()[0]).size() == 1, "who uses what");
        return [&runs](const litz_backend_call &call) {
            if (++runs == 2) throw std::runtime_error("enough");
            static_cast<float *>(call.outputs[0]->data)[0] = static_cast<const float *>(call.inputs[0]->data)[0];
        };
    });
    check(registry.describe().find("aten.softplus.default") != std::string::npos, "what is registered");
    litz::Graph g("registered");
    g.output("y", litz::aten::softplus(litz::aten::relu(g.input("x", litz::Dtype::float32, {1}))));
    litz::Options options;
    options.set_registry(registry).set("backend", backend);
    const litz::Tensor x = litz::Tensor::copy<float>({-1}, {1});
    const float y = g.compile(options).run({x})[0].values<float>()[0];
    check(y > 1.3132f && y < 1.3133f, "a pass and a decomposition");
    options.set("backend", "mine");
    const litz::Executable program = g.compile(options);
    check(program.run({x})[0].values<float>()[0] == -1.0f, "a backend of the host's");
    bool thrown = false;
    try {
        program.run({x});
    } catch (const litz::Error &error) {
        thrown = std::string(error.what()) == "backend `mine`: enough";
    }
    check(thrown, "what a backend throws");
    registry.add_pass("post_grad", [](litz::Graph &) { throw std::runtime_error("not this one"); });
    thrown = false;
    try {
        g.compile(options);
    } catch (const litz::Error &error) {
        thrown = std::string(error.what()).find("pass 0 at `post_grad`: not this one") != std::string::npos;
    }
    check(thrown, "what a pass throws");
}

/// Operators of a host's that give lists, that are made of others, and that constants alone determine.
static void operators_of_other_kinds(const char *backend) {
    using Operator = litz::Registry::Operator;
    litz::Registry registry;
    Operator parts;
    parts.meta = [](litz::Graph &, const std::vector<litz_arg> &args) {
        return std::vector<Operator::Result>(static_cast<size_t>(args[1].i), {litz::Dtype::float32, {1}});
    };
    parts.run_cpu = [](const Operator::Call &call) {
        for (size_t k = 0; k < call.outs.size(); ++k)
            *static_cast<float *>(call.outs[k]->data) = static_cast<const float *>(call.tensors[0]->data)[k] + 100;
    };
    registry.add_operator("mylib::parts(Tensor x, int n) -> Tensor[]", std::move(parts));
    Operator table;
    int tables = 0;
    table.meta = [](litz::Graph &, const std::vector<litz_arg> &args) {
        return std::vector<Operator::Result>{{litz::Dtype::float32, {args[0].i}}};
    };
    table.run_cpu = [&tables](const Operator::Call &call) {
        ++tables;
        for (int64_t k = 0; k < call.outs[0]->shape[0]; ++k) static_cast<float *>(call.outs[0]->data)[k] = 10 * static_cast<float>(k);
    };
    registry.add_operator("mylib::table(int n) -> Tensor", std::move(table));
    // Nothing computes it but the rule.
    Operator twice;
    twice.meta = [](litz::Graph &, const std::vector<litz_arg> &) {
        return std::vector<Operator::Result>{{litz::Dtype::float32, {3}}};
    };
    registry.add_operator("mylib::twice(Tensor x) -> Tensor", std::move(twice));
    registry.add_decomposition("mylib.twice", [](litz::Graph &g, const std::vector<litz_arg> &args) {
        return std::vector<litz::Value>{g.call("aten.mul.Scalar", {litz::Value(g.get(), args[0].value), 2.0})};
    });
    litz::Options options;
    options.set("backend", backend).set_registry(registry);
    litz::Graph g("other kinds", options);
    const litz::Value x = g.input("x", litz::Dtype::float32, {3});
    const litz::Value y = g.call("mylib.twice", {litz::aten::add(x, g.call("mylib.table", {3}))});
    g.output("y", y);
    const std::vector<litz::Value> list = g.call_all("mylib.parts", {y, 2});
    check(list.size() == 2, "as many results as the meta function told");
    for (size_t k = 0; k < list.size(); ++k) g.output("part " + std::to_string(k), list[k]);
    const litz::Executable program = g.compile(options);
    for (int k = 0; k < 3; ++k) {
        const std::vector<litz::Tensor> out = program.run({litz::Tensor::copy<float>({1, 2, 3}, {3})});
        check(out[0].values<float>() == std::vector<float>({2, 24, 46}), "a rule for a host's operator");
        check(out[1].values<float>()[0] == 102 && out[2].values<float>()[0] == 124, "the results of a list");
    }
    check(tables == 1, "what constants determine is computed once");
    if (backend != std::string("cpu")) return;
    // An artifact of a frozen program has it inside, and needs no registry.
    options.set("freeze", "true");
    litz::Graph h("once", options);
    h.output("y", litz::aten::add(h.input("x", litz::Dtype::float32, {3}), h.call("mylib.table", {3})));
    char path[] = "/tmp/litz_once_XXXXXX.so";
    const int file = mkstemps(path, 3);
    check(file >= 0, "a temporary file");
    close(file);
    h.compile_artifact(path, options);
    const litz::Executable opened = litz::Executable::open(path);
    std::remove(path);
    check(tables == 2, "it is computed when the artifact is made");
    const std::vector<litz::Tensor> out = opened.run({litz::Tensor::copy<float>({1, 2, 3}, {3})});
    check(out[0].values<float>() == std::vector<float>({1, 12, 23}) && tables == 2, "and not when it runs");
    check(opened.describe().find("mylib") == std::string::npos || opened.describe().find("\"needs\":[]") != std::string::npos,
          "it needs no operator");
}

/// Operators of a host's are functions, too.
static void operators(const char *backend) {
    litz::Registry registry;
    litz::Registry::Operator twice;
    int runs = 0;
    twice.meta = [](litz::Graph &g, const std::vector<litz_arg> &args) {
        const litz::Value x(g.get(), args[0].value);
        const litz::Value n = g.call("aten.sym_size.int", {x, 0});
        return std::vector<litz::Registry::Operator::Result>{{litz::Dtype::float32, {n}}};
    };
    twice.run_cpu = [&runs](const litz::Registry::Operator::Call &call) {
        if (++runs == 3) throw std::runtime_error("enough");
        for (int64_t k = 0; k < call.outs[0]->shape[0]; ++k)
            static_cast<float *>(call.outs[0]->data)[k] = 2 * static_cast<const float *>(call.tensors[0]->data)[k];
    };
    twice.derivative = [](litz::Graph &, const std::vector<litz_arg> &, const std::vector<litz::Value> &cotangents) {
        return std::vector<litz::Value>{cotangents[0] * 2.0};
    };
    registry.add_operator("mylib::twice(Tensor x) -> Tensor", std::move(twice));
    litz::Registry::Operator hill;
    hill.pointwise_source = "expf(-x * x / width)";
    registry.add_operator("mylib::hill(Tensor x, float width=1.0) -> Tensor", std::move(hill));
    litz::Options options;
    options.set_registry(registry).set("backend", backend);
    litz::Graph g("operators", options);
    const litz::Value x = g.input("x", litz::Dtype::float32, {g.symbol("n", 1, 8)});
    const litz::Value y = g.call("mylib.twice", {g.call("mylib.hill", {x, 4.0})});
    g.output("y", y);
    g.output("slope", g.differentiate({litz::aten::sum(y)}, {x})[0]);
    const litz::Executable program = g.compile(options);
    const litz::Tensor data = litz::Tensor::copy<float>({0, 2}, {2});
    const std::vector<litz::Tensor> results = program.run({data});
    const std::vector<float> values = results[0].values<float>(), slopes = results[1].values<float>();
    // 2 exp(-1), and -2 x exp(-1) / 2.
    check(values[0] == 2.0f && values[1] > 0.7357f && values[1] < 0.7358f, "an operator of the host's");
    check(slopes[0] == 0.0f && slopes[1] < -0.7357f && slopes[1] > -0.7358f, "its gradient");
    bool thrown = false;
    try {
        program.run({data});
        program.run({data});
    } catch (const litz::Error &error) {
        thrown = std::string(error.what()) == "mylib.twice.default: enough";
    }
    check(thrown, "what an operator throws");
}

int main(int argc, char **argv) {
    check(argc == 2, "one argument");
    litz::check_abi();
    litz::Graph graph("wrapper");
    const litz::Value n = graph.symbol("n", 1, 16);
    const litz::Value x = graph.input("x", litz::Dtype::float32, {n, 3});
    const litz::Value w = graph.parameter("w", litz::Tensor::copy<float>({1, 2, 3, -1, -2, -3}, {2, 3}));
    const litz::Value y = graph.call("aten.linear", {x, w});
    graph.output("y", graph.call("aten.relu", {y * 2.0 + 1.0 - y / 4.0}));
    graph.output("sum", graph.call("aten.sum.dim_IntList", {x + x, std::vector<int64_t>{1}, litz::named("keepdim", true)}));

    // Moving a graph moves its values too.
    const litz::Graph moved = std::move(graph);
    check(moved.find("x").get() == x.get(), "a moved graph's values are its values");
    check(moved.describe().find("\"aten.relu.default\":1") != std::string::npos, "describe counts operators");

    litz::Options options;
    options.set("backend", argv[1]);
    complex_numbers(options);
    minified(options);
    const litz::Executable program = moved.compile(options);
    const litz::Executable copy = program;
    check(copy.input(0).name == "x" && copy.output(0).max_shape == litz::Shape({16, 2}), "info");

    const litz::Tensor data = litz::Tensor::copy<float>({1, 0, 0, -1, 0, 0}, {2, 3});
    const std::vector<litz::Tensor> outputs = program.run({data});
    check(outputs.size() == 2 && outputs[0].shape() == litz::Shape({2, 2}), "the output's shape");
    check(outputs[0].values<float>() == std::vector<float>({2.75f, 0.0f, 0.0f, 2.75f}), "the output's values");
    check(outputs[1].values<float>() == std::vector<float>({2.0f, -2.0f}), "the sum's values");

    check(program.infer_shapes({data})[1] == litz::Shape({2, 1}), "inferred shapes");
    const litz::Tensor y2 = litz::Tensor::zeros(litz::Dtype::float32, {2, 2});
    const litz::Tensor s2 = litz::Tensor::zeros(litz::Dtype::float32, {2, 1});
    program.run_into({data}, {y2, s2});
    check(y2.values<float>() == outputs[0].values<float>(), "run_into");
    check(program.constant("w").values<float>()[5] == -3.0f, "a constant");

    bool thrown = false;
    try {
        program.run({});
    } catch (const litz::Error &error) {
        thrown = error.code() == LITZ_ERROR_INVALID_ARGUMENT && error.detail().front() == '{';
    }
    check(thrown, "a failure is thrown");
    // A graph that calls of litz_ops.h have failed says so.
    litz::Graph sticky("sticky", options);
    const litz::Value a = sticky.input("a", litz::Dtype::float32, {2, 3});
    sticky.check();
    check(litz_aten_mm(sticky.get(), a.get(), a.get()) == 0, "a product that does not fit");
    thrown = false;
    try {
        sticky.check();
    } catch (const litz::Error &error) {
        thrown = error.code() == LITZ_ERROR_SHAPE;
    }
    check(thrown, "check throws the first failure");

    // Borrowed data is read where it lies.
    const litz::Tensor own = litz::Tensor::copy<float>({1, 2}, {2});
    litz::Graph borrower("borrower");
    borrower.output("twice", borrower.constant("c", own, LITZ_CONSTANT_BORROW) * 2);
    check(borrower.compile(options).run({})[0].values<float>() == std::vector<float>({2.0f, 4.0f}), "borrowed data");

    control_flow(options);
    registered(argv[1]);
    operators(argv[1]);
    operators_of_other_kinds(argv[1]);
    borrowed_and_half(options);

    check(litz::version() == litz_version() && litz::abi_version() == LITZ_ABI_VERSION, "versions");
    check(litz::memory_stats().find("\"tensors\"") != std::string::npos, "memory statistics");
    litz::memory_release();
    litz::reset();
    std::printf("wrapper on %s: all right\n", argv[1]);
    return 0;
}
