// litz.hpp: the same graph through values with operators, on the backend that argv[1] names.
#include <litz/litz.hpp>
#include <litz/litz_ops.h>

#include <cstdio>
#include <cstdlib>

static void check(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
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

    check(litz::version() == litz_version() && litz::abi_version() == LITZ_ABI_VERSION, "versions");
    check(litz::memory_stats().find("\"tensors\"") != std::string::npos, "memory statistics");
    litz::memory_release();
    litz::reset();
    std::printf("wrapper on %s: all right\n", argv[1]);
    return 0;
}
