// Compiles a digit classifier that PyTorch exported, classifies the test images, says what was compiled, and saves
// the program as a library of its own.
//
//   host digits_cnn.pt2 digits.safetensors OUT.so
#include <litz/litz.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "json.hpp"
#include "safetensors.h"

namespace {

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The median of the seconds that some calls take.
template <class Call> double median(int calls, Call call) {
    std::vector<double> times;
    for (int k = 0; k < calls; ++k) {
        const double begin = seconds();
        call();
        times.push_back(seconds() - begin);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

safetensors_tensor tensor(const safetensors_file &file, const char *name, const char *dtype) {
    safetensors_tensor found;
    if (safetensors_find(&file, name, dtype, &found) != 0)
        throw std::runtime_error(std::string("the images' file has no tensor ") + name);
    return found;
}

void show_kernels(const Json &description) {
    std::printf("kernels\n");
    for (const Json &kernel : description["kernels"].items) {
        std::string operators;
        for (const Json &name : kernel["operators"].items) operators += (operators.empty() ? "" : " + ") + name.text;
        const bool once = kernel["stage"].text == "init";
        std::printf("  %-34s %-11s %s%s\n", kernel["name"].text.c_str(), kernel["kind"].text.c_str(), operators.c_str(),
                    once ? " (once, when loaded)" : "");
    }
}

int demo(const char *model, const char *images_file, const char *artifact) {
    safetensors_file file;
    if (safetensors_open(images_file, &file) != 0) throw std::runtime_error(std::string("cannot read ") + images_file);
    const safetensors_tensor images = tensor(file, "test.images", "F32");
    const safetensors_tensor labels = tensor(file, "test.labels", "I64");
    const int64_t n = images.shape[0], height = images.shape[1], width = images.shape[2];
    const auto *label = static_cast<const int64_t *>(labels.data);
    const auto *pixels = static_cast<const float *>(images.data);

    const double begin = seconds();
    const litz::Graph graph = litz::Graph::from_pt2(model);
    const litz::Executable program = graph.compile(litz::Options().set("backend", "cpu").set("cache.enabled", "false"));
    const double compiled = seconds() - begin;

    const litz::Tensor batch = litz::Tensor::borrow(pixels, {n, 1, height, width});
    const std::vector<float> scores = program.run({batch})[0].values<float>();
    const auto classes = static_cast<int64_t>(scores.size()) / n;
    int64_t right = 0;
    for (int64_t k = 0; k < n; ++k) {
        const auto row = scores.begin() + k * classes;
        right += std::max_element(row, row + classes) - row == label[k];
    }

    // The batch size is the program's own at run time: the same compilation serves one image and all of them.
    const litz::Tensor one = litz::Tensor::borrow(pixels, {1, 1, height, width});
    const litz::Tensor one_score = litz::Tensor::zeros(litz::Dtype::float32, {1, classes});
    const litz::Tensor all_scores = litz::Tensor::zeros(litz::Dtype::float32, {n, classes});
    const double alone = median(1001, [&] { program.run_into({one}, {one_score}); });
    const double together = median(101, [&] { program.run_into({batch}, {all_scores}); });

    std::printf("accuracy          %.1f %% (%lld of %lld)\n", 100.0 * static_cast<double>(right) / static_cast<double>(n),
                static_cast<long long>(right), static_cast<long long>(n));
    std::printf("compile time      %.2f s\n", compiled);
    std::printf("time per image    %.2f us in one batch of %lld; %.2f us alone\n", 1e6 * together / static_cast<double>(n),
                static_cast<long long>(n), 1e6 * alone);
    show_kernels(Json::parse(program.describe()));

    program.save(artifact);
    std::printf("saved             %s\n", artifact);
    safetensors_close(&file);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: host digits_cnn.pt2 digits.safetensors OUT.so\n");
        return 2;
    }
    try {
        litz::check_abi();
        return demo(argv[1], argv[2], argv[3]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "host: %s\n", error.what());
        return 1;
    }
}
