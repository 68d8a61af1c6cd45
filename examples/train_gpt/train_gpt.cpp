// Trains a small transformer to continue a text, byte by byte, and writes a sample to the standard output. It writes a checkpoint after
// every few steps and begins at the one that it finds: killed and started again, it ends with the same weights, bit for bit.
//
//   train_gpt TEXT CHECKPOINT.safetensors STEPS
#include <litz/litz.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace at = litz::aten;
using litz::Value;

namespace {

constexpr int64_t kBytes = 256, kContext = 64, kRows = 16, kWidth = 64, kHeads = 4, kLayers = 2;
constexpr int64_t kCheckpointEvery = 20, kSample = 200;
constexpr double kRate = 3e-3, kDropout = 0.1;
constexpr uint64_t kSeed = 1;

/// The transformer over bytes. Its first weights are drawn from a generator of its own, so that two of them are equal.
class Model {
  public:
    Model(litz::Graph &graph, bool training) : graph_(graph), training_(training) {}
    /// Scores of the next byte after each one, for tokens of [rows, length].
    Value operator()(const Value &tokens, const litz::Size &rows, const litz::Size &length) {
        const Value places = at::slice(normal("places", {kContext, kWidth}), 0, 0, length);
        const Value bytes = normal("bytes", {kBytes, kWidth});
        Value x = dropout(at::embedding(bytes, tokens) + places);
        for (int64_t k = 0; k < kLayers; ++k) {
            const std::string name = "layers." + std::to_string(k);
            x = x + dropout(attention(norm(x, name + ".before_attention"), name + ".attention", rows, length));
            const Value wide = at::gelu(linear(norm(x, name + ".before_mlp"), name + ".up", kWidth, 4 * kWidth));
            x = x + dropout(linear(wide, name + ".down", 4 * kWidth, kWidth));
        }
        // The table of bytes is the last layer's weight, too.
        return at::linear(norm(x, "last"), bytes);
    }
    std::vector<Value> parameters;
    std::vector<std::string> names;

  private:
    Value attention(const Value &x, const std::string &name, const litz::Size &rows, const litz::Size &length) {
        const Value all =
            at::reshape(linear(x, name + ".in", kWidth, 3 * kWidth), {rows, length, 3, kHeads, kWidth / kHeads});
        const auto part = [&](int64_t k) { return at::transpose(at::select(all, 2, k), 1, 2); };
        const Value mixed = at::scaled_dot_product_attention(part(0), part(1), part(2), Value(), 0.0, true);
        return linear(at::reshape(at::transpose(mixed, 1, 2), {rows, length, kWidth}), name + ".out", kWidth, kWidth);
    }
    Value dropout(const Value &x) { return training_ ? at::dropout(x, kDropout, true) : x; }
    Value norm(const Value &x, const std::string &name) {
        const Value weight = parameter(name + ".weight", std::vector<float>(kWidth, 1.0f), {kWidth});
        return at::layer_norm(x, {kWidth}, weight, parameter(name + ".bias", std::vector<float>(kWidth, 0.0f), {kWidth}));
    }
    Value linear(const Value &x, const std::string &name, int64_t from, int64_t to) {
        const Value weight = normal(name + ".weight", {to, from});
        return at::linear(x, weight, parameter(name + ".bias", std::vector<float>(static_cast<size_t>(to), 0.0f), {to}));
    }
    /// Almost normal, with deviation 0.02: sums of four uniform numbers.
    Value normal(const std::string &name, const litz::Shape &shape) {
        std::vector<float> list(static_cast<size_t>(shape[0] * shape[1]));
        for (float &x : list) {
            int64_t sum = 0;
            for (int k = 0; k < 4; ++k) sum += static_cast<int64_t>(random_() >> 40);
            x = 0.02f * 1.732f * (static_cast<float>(sum) / (1 << 24) - 2.0f);
        }
        return parameter(name, list, shape);
    }
    Value parameter(const std::string &name, const std::vector<float> &data, const litz::Shape &shape) {
        names.push_back(name);
        return parameters.emplace_back(graph_.parameter(name, litz::Tensor::copy(data, shape)));
    }
    litz::Graph &graph_;
    bool training_;
    std::mt19937_64 random_{kSeed};
};

/// One step of training: takes rows of one byte more than the context; gives the loss.
litz::Executable compile_step() {
    litz::Graph graph("train_gpt");
    const Value text = graph.input("text", litz::Dtype::int64, {kRows, kContext + 1});
    Model model(graph, true);
    const Value scores = model(at::slice(text, 1, 0, kContext), kRows, kContext);
    const Value next = at::reshape(at::slice(text, 1, 1, kContext + 1), {kRows * kContext});
    const Value loss = at::cross_entropy_loss(at::reshape(scores, {kRows * kContext, kBytes}), next);
    const std::vector<Value> gradients = graph.differentiate({loss}, model.parameters);
    graph.optimizer_step("adamw", model.parameters, gradients, {litz::named("lr", kRate), litz::named("clip_grad_norm", 1.0)});
    graph.output("loss", loss);
    return graph.compile();
}

/// How probable each byte is after a text of up to `kContext` bytes, with the weights of a step.
litz::Executable compile_sampler(const litz::Executable &step) {
    litz::Graph graph("sample_gpt");
    const Value length = graph.symbol("length", 1, kContext);
    const Value text = graph.input("text", litz::Dtype::int64, {1, length});
    Model model(graph, false);
    const Value scores = model(text, 1, length);
    graph.output("probabilities", at::softmax(at::select(at::select(scores, 1, -1), 0, 0), 0));
    litz::Executable sampler = graph.compile();
    std::vector<std::pair<std::string, litz::Tensor>> trained;
    for (const std::string &name : model.names) trained.emplace_back(name, step.constant(name));
    sampler.update_constants(trained);
    return sampler;
}

/// The rows of one step. They depend on the step's number alone, so that a run that resumes sees what it would have seen.
std::vector<int64_t> batch(const std::string &text, int64_t step) {
    std::mt19937_64 random(kSeed + static_cast<uint64_t>(step) * 0x9e3779b97f4a7c15u);
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < kRows; ++row) {
        const size_t begin = random() % (text.size() - kContext);
        for (size_t k = begin; k <= begin + kContext; ++k) rows.push_back(static_cast<unsigned char>(text[k]));
    }
    return rows;
}

void train(litz::Executable &step, const std::string &text, const std::string &checkpoint, int64_t steps) {
    litz::RandomState random{kSeed, 0};
    if (std::ifstream(checkpoint).good()) random = step.load_checkpoint(checkpoint);
    const int64_t begin = step.constant("optimizer.step").values<int64_t>()[0];
    for (int64_t k = begin; k < steps; ++k) {
        const std::vector<int64_t> rows = batch(text, k);
        const litz_run_options from = litz::seeded(random.seed, random.offset, &random.offset);
        const std::vector<litz::Tensor> got = step.run({litz::Tensor::borrow(rows.data(), {kRows, kContext + 1})}, &from);
        std::fprintf(stderr, "\rstep %lld of %lld, loss %.3f", static_cast<long long>(k + 1), static_cast<long long>(steps),
                     static_cast<double>(got[0].values<float>()[0]));
        if ((k + 1) % kCheckpointEvery == 0 || k + 1 == steps) step.save_checkpoint(checkpoint, random);
    }
    if (begin < steps) std::fprintf(stderr, "\n");
}

/// Continues the text's first bytes.
std::string sample(const litz::Executable &sampler, const std::string &text) {
    std::mt19937_64 random(kSeed);
    std::string out = text.substr(0, 8);
    for (int64_t k = 0; k < kSample; ++k) {
        const size_t n = std::min<size_t>(out.size(), kContext);
        std::vector<int64_t> last;
        for (size_t i = out.size() - n; i < out.size(); ++i) last.push_back(static_cast<unsigned char>(out[i]));
        const std::vector<float> p =
            sampler.run({litz::Tensor::borrow(last.data(), {1, static_cast<int64_t>(n)})})[0].values<float>();
        double left = static_cast<double>(random() >> 11) / 9007199254740992.0;
        size_t byte = 0;
        while (byte + 1 < p.size() && left >= static_cast<double>(p[byte])) left -= static_cast<double>(p[byte++]);
        out.push_back(static_cast<char>(byte));
    }
    return out;
}

int demo(const char *file, const char *checkpoint, const char *count) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.size() <= kContext) throw std::runtime_error(std::string(file) + " has no " + std::to_string(kContext + 1) + " bytes");
    litz::Executable step = compile_step();
    train(step, text, checkpoint, std::stoll(count));
    std::puts(sample(compile_sampler(step), text).c_str());
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: train_gpt TEXT CHECKPOINT.safetensors STEPS\n");
        return 2;
    }
    try {
        litz::check_abi();
        return demo(argv[1], argv[2], argv[3]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "train_gpt: %s\n", error.what());
        return 1;
    }
}
