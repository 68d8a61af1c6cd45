// The figures of docs/performance.md that need no PyTorch. scripts/bench builds and calls it.
//
//   figures compile MODEL.pt2 [CACHE] seconds from the file to a program that can run, in this fresh process; without
//                                     the folder of a cache, kernels are compiled
//   figures artifact MODEL.pt2 OUT    writes the artifact with its weights beside it
//   figures memory MODEL.pt2          bytes of the arena, of what lives in it at the worst moment, and of a thread's scratch
//   figures overhead                  microseconds of a call that computes next to nothing
#include <litz/litz.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void compile(const char *model, const char *cache) {
    const double begin = seconds();
    const litz::Graph graph = litz::Graph::from_pt2(model);
    const litz::Executable program = graph.compile(
        litz::Options().set("backend", "cpu").set("cache.enabled", cache ? "true" : "false").set("cache.dir", cache ? cache : ""));
    std::printf("%.3f\n", seconds() - begin);
}

void artifact(const char *model, const char *path) {
    litz::Graph::from_pt2(model).compile_artifact(
        path, litz::Options().set("backend", "cpu").set("artifact.weights", "external"));
}

/// A number of the program's description.
long number(const std::string &description, const std::string &key) {
    const std::size_t at = description.find("\"" + key + "\":");
    if (at == std::string::npos) throw litz::Error(LITZ_ERROR_INTERNAL, "the description has no " + key);
    return std::atol(description.c_str() + at + key.size() + 3);
}

void memory(const char *model) {
    const litz::Graph graph = litz::Graph::from_pt2(model);
    const std::string description = graph.compile(litz::Options().set("backend", "cpu")).describe();
    std::printf("%ld %ld %ld\n", number(description, "typical_arena_bytes"), number(description, "live_bytes"),
                number(description, "scratch_bytes"));
}

void overhead() {
    litz::Graph graph("tiny");
    const litz::Value a = graph.input("a", litz::Dtype::float32, {8});
    const litz::Value b = graph.input("b", litz::Dtype::float32, {8});
    graph.output("y", graph.call("aten.relu", {a + b}) * a);
    const litz::Executable program = graph.compile(litz::Options().set("backend", "cpu"));
    const litz::Tensor x = litz::Tensor::zeros(litz::Dtype::float32, {8});
    const litz::Tensor y = litz::Tensor::zeros(litz::Dtype::float32, {8});
    const litz::Tensor z = litz::Tensor::zeros(litz::Dtype::float32, {8});
    // The C function itself: the wrapper's lists of pointers are not what is measured.
    const DLTensor *inputs[2] = {x.dl(), y.dl()};
    const DLTensor *outputs[1] = {z.dl()};
    std::vector<double> batches;
    for (int batch = 0; batch < 100; ++batch) {
        const double begin = seconds();
        for (int k = 0; k < 1000; ++k) {
            if (litz_executable_run_into(program.get(), inputs, 2, outputs, 1, nullptr, nullptr) != LITZ_OK)
                throw litz::Error(LITZ_ERROR_INTERNAL, "the program does not run");
        }
        batches.push_back((seconds() - begin) / 1000);
    }
    std::sort(batches.begin(), batches.end());
    std::printf("%.3f\n", 1e6 * batches[batches.size() / 2]);
}

} // namespace

int main(int argc, char **argv) {
    try {
        if ((argc == 3 || argc == 4) && std::strcmp(argv[1], "compile") == 0) compile(argv[2], argc == 4 ? argv[3] : nullptr);
        else if (argc == 4 && std::strcmp(argv[1], "artifact") == 0) artifact(argv[2], argv[3]);
        else if (argc == 3 && std::strcmp(argv[1], "memory") == 0) memory(argv[2]);
        else if (argc == 2 && std::strcmp(argv[1], "overhead") == 0) overhead();
        else return std::fprintf(stderr, "usage: figures compile|artifact|memory|overhead ...\n"), 2;
    } catch (const std::exception &error) {
        return std::fprintf(stderr, "figures: %s\n", error.what()), 1;
    }
    return 0;
}
