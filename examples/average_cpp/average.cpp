// A program with state, written down in C++ with litz::aten: an exponential average of what it is fed. Clones have a
// state of their own, what was learnt is saved and loaded, and the program is saved as a library and opened again.
#include <litz/litz.hpp>

#include <cstdio>
#include <thread>
#include <vector>

namespace at = litz::aten;

namespace {

/// average = average + (x - average) * rate; deviation = |x - average|
litz::Graph graph() {
    litz::Graph graph("average");
    const litz::Value x = graph.input("x", litz::Dtype::float32, {3});
    const litz::Value average = graph.buffer("average", litz::Tensor::zeros(litz::Dtype::float32, {3}));
    const litz::Value rate = graph.parameter("rate", litz::Tensor::scalar(0.5f));
    at::lerp_(average, x, rate);
    graph.output("deviation", at::abs(x - average));
    return graph;
}

void show(const char *what, const litz::Tensor &tensor) {
    std::printf("%-22s", what);
    for (const float value : tensor.values<float>()) std::printf(" %6.3f", static_cast<double>(value));
    std::printf("\n");
}

int run() {
    const litz::Executable program = graph().compile();
    const auto feed = [](const litz::Executable &one, float value, int times) {
        for (int k = 0; k < times; ++k) one.run({litz::Tensor::copy<float>({value, 2 * value, -value}, {3})});
    };

    // Two clones on two threads: they share code and constants, and each has an average of its own.
    litz::Executable first = program.clone(), second = program.clone();
    std::thread one(feed, std::cref(first), 1.0f, 3), other(feed, std::cref(second), 10.0f, 20);
    one.join();
    other.join();
    show("original's average", program.constant("average"));
    show("first clone's", first.constant("average"));
    show("second clone's", second.constant("average"));

    // Another rate, for the first alone; and its state, kept in a file and given to the original.
    first.update_constants({{"rate", litz::Tensor::scalar(1.0f)}});
    feed(first, 7.0f, 1);
    first.save_constants("average.safetensors");
    litz::Executable original = program;
    original.load_constants("average.safetensors");
    show("after loading", original.constant("average"));

    // A library of its own, with the state as it is now.
    original.save("average.so");
    litz::Executable opened = litz::Executable::open("average.so");
    opened.update_constants({{"rate", litz::Tensor::scalar(0.5f)}});
    show("deviation from opened", opened.run({litz::Tensor::copy<float>({8, 13, -7}, {3})})[0]);

    // What does not fit is thrown, and says what is wrong.
    try {
        opened.run({litz::Tensor::copy<float>({1, 2}, {2})});
    } catch (const litz::Error &error) {
        std::printf("refused with status %d\n", static_cast<int>(error.code()));
    }
    return 0;
}

} // namespace

int main() {
    try {
        litz::check_abi();
        return run();
    } catch (const litz::Error &error) {
        std::fprintf(stderr, "failed with status %d: %s\n", static_cast<int>(error.code()), error.what());
        return 1;
    }
}
