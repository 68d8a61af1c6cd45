// Trains the digit classifier of ../digits from random weights: forward, gradients and the update of AdamW are one program. Shows the
// loss as it falls, classifies the test images with the exported network and the new weights, and writes both.
//
//   train_digits digits_cnn.pt2 digits.safetensors WEIGHTS.safetensors ARTIFACT.so
#include <litz/litz.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../digits/safetensors.h"

namespace at = litz::aten;

namespace {

constexpr int64_t kRows = 64, kEpochs = 20, kSide = 8, kClasses = 10;
constexpr double kRate = 3e-3;
constexpr uint64_t kSeed = 2;

/// Images and their labels, in the memory of the file.
struct Set {
    const float *pixels;
    const int64_t *labels;
    int64_t n;
    Set(const safetensors_file &file, const std::string &name) {
        safetensors_tensor images, classes;
        if (safetensors_find(&file, (name + ".images").c_str(), "F32", &images) != 0 ||
            safetensors_find(&file, (name + ".labels").c_str(), "I64", &classes) != 0 || images.ndim != 3 ||
            images.shape[1] != kSide || images.shape[2] != kSide || classes.ndim != 1 || classes.shape[0] != images.shape[0])
            throw std::runtime_error("the file of images has no set `" + name + "`");
        pixels = static_cast<const float *>(images.data);
        labels = static_cast<const int64_t *>(classes.data);
        n = images.shape[0];
    }
    litz::Tensor images() const { return litz::Tensor::borrow(pixels, {n, 1, kSide, kSide}); }
};

/// Parameters and buffers under the exported network's names, with the first values that PyTorch's modules give them.
class Network {
  public:
    Network(litz::Graph &graph, std::mt19937_64 &random) : graph_(graph), random_(random) {}
    litz::Value operator()(const litz::Value &images) {
        litz::Value x = block(images, "1", 1, 16);
        x = block(x, "2", 16, 32);
        return linear(at::flatten(x, 1), "f", 128, kClasses);
    }
    std::vector<litz::Value> parameters;

  private:
    litz::Value block(const litz::Value &x, const std::string &k, int64_t from, int64_t to) {
        const auto [weight, bias] = drawn("c" + k, {to, from, 3, 3}, from * 9);
        const litz::Value y = at::conv2d(x, weight, bias, {1, 1}, litz::IntList<true>{1, 1});
        const litz::Value scale = parameter("b" + k + ".weight", std::vector<float>(to, 1.0f), {to});
        const litz::Value shift = parameter("b" + k + ".bias", std::vector<float>(to, 0.0f), {to});
        const litz::Value mean = graph_.buffer("b" + k + ".running_mean", litz::Tensor::zeros(litz::Dtype::float32, {to}));
        const litz::Value variance =
            graph_.buffer("b" + k + ".running_var", litz::Tensor::copy(std::vector<float>(to, 1.0f), {to}));
        const litz::Value z = at::batch_norm(y, scale, shift, mean, variance, true, 0.1, 1e-5, false);
        return at::max_pool2d(at::relu(z), {2, 2});
    }
    litz::Value linear(const litz::Value &x, const std::string &name, int64_t from, int64_t to) {
        const auto [weight, bias] = drawn(name, {to, from}, from);
        return at::linear(x, weight, bias);
    }
    /// A weight and a bias, uniform within 1 / sqrt(inputs of an output).
    std::pair<litz::Value, litz::Value> drawn(const std::string &name, const litz::Shape &shape, int64_t fan_in) {
        const auto uniform = [&](size_t n) {
            const float bound = 1.0f / std::sqrt(static_cast<float>(fan_in));
            std::vector<float> list(n);
            // Not std::uniform_real_distribution, whose numbers are each library's own.
            for (float &x : list) x = bound * (static_cast<float>(random_() >> 40) / (1 << 23) - 1.0f);
            return list;
        };
        const auto n = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
        const litz::Value weight = parameter(name + ".weight", uniform(static_cast<size_t>(n)), shape);
        return {weight, parameter(name + ".bias", uniform(static_cast<size_t>(shape[0])), {shape[0]})};
    }
    litz::Value parameter(const std::string &name, const std::vector<float> &data, const litz::Shape &shape) {
        return parameters.emplace_back(graph_.parameter(name, litz::Tensor::copy(data, shape)));
    }
    litz::Graph &graph_;
    std::mt19937_64 &random_;
};

/// One step of training: takes images, labels and a learning rate; gives the loss and how many images were classified right.
litz::Executable compile_step(std::mt19937_64 &random) {
    litz::Graph graph("train_digits");
    const litz::Value images = graph.input("images", litz::Dtype::float32, {kRows, 1, kSide, kSide});
    const litz::Value labels = graph.input("labels", litz::Dtype::int64, {kRows});
    const litz::Value rate = graph.input("rate", litz::Dtype::float32, {});
    Network network(graph, random);
    const litz::Value scores = network(images);
    const litz::Value loss = at::cross_entropy_loss(scores, labels);
    const std::vector<litz::Value> gradients = graph.differentiate({loss}, network.parameters);
    graph.optimizer_step("adamw", network.parameters, gradients, {litz::named("lr", rate)});
    graph.output("loss", loss);
    graph.output("right", at::sum(at::eq(at::argmax(scores, 1), labels)));
    return graph.compile();
}

void progress(int64_t step, int64_t steps, double loss, double accuracy) {
    const int64_t width = 30, done = width * step / steps;
    std::fprintf(stderr, "\r[%s%s] %3lld %%  loss %.4f  accuracy %5.1f %%", std::string(done, '#').c_str(),
                 std::string(width - done, '.').c_str(), static_cast<long long>(100 * step / steps), loss, 100 * accuracy);
    if (step == steps) std::fprintf(stderr, "\n");
}

void train(const litz::Executable &step, const Set &set, std::mt19937_64 &random) {
    const int64_t batches = set.n / kRows, steps = kEpochs * batches, pixels = kSide * kSide;
    std::vector<int64_t> order(static_cast<size_t>(set.n)), labels(kRows);
    std::vector<float> images(kRows * pixels);
    std::iota(order.begin(), order.end(), 0);
    double loss = 0, accuracy = 0;
    for (int64_t k = 0; k < steps; ++k) {
        const int64_t batch = k % batches;
        if (batch == 0)
            for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
        for (int64_t row = 0; row < kRows; ++row) {
            const int64_t image = order[static_cast<size_t>(batch * kRows + row)];
            std::copy_n(set.pixels + image * pixels, pixels, images.begin() + row * pixels);
            labels[static_cast<size_t>(row)] = set.labels[image];
        }
        // The rate falls along half a cosine: a schedule is an input, and nothing is compiled again.
        const double rate = kRate * 0.5 * (1 + std::cos(3.14159265358979 * static_cast<double>(k) / static_cast<double>(steps)));
        const std::vector<litz::Tensor> got =
            step.run({litz::Tensor::borrow(images.data(), {kRows, 1, kSide, kSide}),
                      litz::Tensor::borrow(labels.data(), {kRows}), litz::Tensor::scalar(static_cast<float>(rate))});
        // Averages over the last steps.
        const double fresh = k == 0 ? 1.0 : 0.1;
        loss += fresh * (static_cast<double>(got[0].values<float>()[0]) - loss);
        accuracy += fresh * (static_cast<double>(got[1].values<int64_t>()[0]) / kRows - accuracy);
        progress(k + 1, steps, loss, accuracy);
    }
}

int64_t right(const litz::Executable &program, const Set &set) {
    const std::vector<float> scores = program.run({set.images()})[0].values<float>();
    int64_t count = 0;
    for (int64_t k = 0; k < set.n; ++k) {
        const auto row = scores.begin() + k * kClasses;
        count += std::max_element(row, row + kClasses) - row == set.labels[k];
    }
    return count;
}

int demo(const char *model, const char *images, const char *weights, const char *artifact) {
    safetensors_file file;
    if (safetensors_open(images, &file) != 0) throw std::runtime_error(std::string("cannot read ") + images);
    const Set training(file, "train"), test(file, "test");
    const auto begin = std::chrono::steady_clock::now();
    std::mt19937_64 random(kSeed);
    const litz::Executable step = compile_step(random);
    train(step, training, random);

    // The exported network is the same one for inference: it takes the trained weights by their names.
    litz::Executable classifier = litz::Graph::from_pt2(model).compile();
    std::vector<std::pair<std::string, litz::Tensor>> trained;
    for (size_t k = 0; k < classifier.num_constants(); ++k) {
        const litz::TensorInfo info = classifier.constant_info(k);
        // Batch norm's count of batches plays no part in what a network computes.
        if (info.dtype.code == kDLFloat) trained.emplace_back(info.name, step.constant(info.name));
    }
    classifier.update_constants(trained);
    classifier.save_constants(weights);
    classifier.save(artifact);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    const int64_t count = right(classifier, test), opened = right(litz::Executable::open(artifact), test);
    std::fprintf(stderr, "%lld of %lld test images, after %.1f s\n", static_cast<long long>(count),
                 static_cast<long long>(test.n), seconds);
    std::printf("at least 98 %% of the test images: %s\n", 100 * count >= 98 * test.n ? "yes" : "no");
    std::printf("the artifact classifies the same: %s\n", opened == count ? "yes" : "no");
    safetensors_close(&file);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: train_digits digits_cnn.pt2 digits.safetensors WEIGHTS.safetensors ARTIFACT.so\n");
        return 2;
    }
    try {
        litz::check_abi();
        return demo(argv[1], argv[2], argv[3], argv[4]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "train_digits: %s\n", error.what());
        return 1;
    }
}
