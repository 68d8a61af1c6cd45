// Teaches the exported classifier of ../digits a task that it fails at, dark digits on white, by low-rank adapters (LoRA): each layer
// gets a narrow side path of new parameters, and the exported parameters stay as they are.
//
//   fine_tune digits_cnn.pt2 digits.safetensors ARTIFACT.so
#include <litz/litz.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "../digits/json.hpp"
#include "../digits/safetensors.h"

namespace at = litz::aten;
using litz::Value;

namespace {

constexpr int64_t kRank = 4, kRows = 64, kSteps = 500, kSide = 8, kPixels = kSide * kSide, kClasses = 10;
constexpr double kPi = 3.14159265358979;

/// Images with dark and light exchanged, and their labels.
struct Set {
    std::vector<float> pixels;
    std::vector<int64_t> labels;
    int64_t n;
    Set(const safetensors_file &file, const std::string &name) {
        safetensors_tensor images, classes;
        if (safetensors_find(&file, (name + ".images").c_str(), "F32", &images) != 0 ||
            safetensors_find(&file, (name + ".labels").c_str(), "I64", &classes) != 0 || images.ndim != 3 ||
            images.shape[1] != kSide || images.shape[2] != kSide || classes.ndim != 1 || classes.shape[0] != images.shape[0])
            throw std::runtime_error("the file of images has no set `" + name + "`");
        n = images.shape[0];
        const auto *bright = static_cast<const float *>(images.data);
        const auto *label = static_cast<const int64_t *>(classes.data);
        for (int64_t k = 0; k < n * kPixels; ++k) pixels.push_back(1 - bright[k]);
        labels.assign(label, label + n);
    }
};

/// The result of an operator that has one.
Value call(const litz::Graph &graph, const std::string &op, const std::vector<litz_arg> &args) {
    litz_value out = 0;
    size_t n = 0;
    litz::detail::call(litz_graph_call, graph.get(), op.c_str(), args.data(), args.size(), &out, size_t{1}, &n);
    return Value(graph.get(), out);
}

/// New parameters of a graph.
class Adapters {
  public:
    explicit Adapters(litz::Graph &graph) : graph_(graph) {}
    std::vector<Value> parameters;
    std::vector<std::string> names;

    /// Puts a side path beside each convolution and linear layer: y = layer(x) + up(down(x)). `down` is the layer with as few outputs as
    /// the rank, and `up` mixes these; it begins as zeros, so that nothing changes at first.
    void attach() {
        for (const litz::Node &node : graph_.nodes()) {
            const std::string op = node.op();
            const bool linear = op == "aten.linear.default";
            if (!linear && op != "aten.conv2d.default") continue;
            // What arguments point at stays until the node is asked again.
            const std::vector<litz_arg> args = node.args();
            const litz::Shape shape = shape_of(Value(graph_.get(), args[1].value));
            const std::string name = "adapter." + std::to_string(names.size() / 2);
            graph_.insert_before(node);
            const Value layer = call(graph_, op, args);
            litz::Shape narrow = shape, mix(shape.size(), 1);
            narrow[0] = mix[1] = kRank;
            mix[0] = shape[0];
            std::vector<litz_arg> down = args;
            down[1].value = uniform(name + ".down", narrow).get();
            down[2].kind = LITZ_ARG_NONE; // the bias
            const Value few = call(graph_, op, down);
            const Value up = add(name + ".up", litz::Tensor::zeros(litz::Dtype::float32, mix));
            const Value side = linear ? at::linear(few, up) : at::conv2d(few, up);
            graph_.replace(node.results()[0], layer + side);
            graph_.erase(node);
        }
        graph_.insert_before();
    }

  private:
    /// The sizes of a weight, which are numbers.
    static litz::Shape shape_of(const Value &weight) {
        litz::Shape shape;
        const Json told = Json::parse(weight.describe());
        for (const Json &size : told["shape"].items) shape.push_back(static_cast<int64_t>(size.number()));
        return shape;
    }
    Value uniform(const std::string &name, const litz::Shape &shape) {
        int64_t n = 1;
        for (const int64_t size : shape) n *= size;
        const float bound = 1 / std::sqrt(static_cast<float>(n / shape[0]));
        std::vector<float> list(static_cast<size_t>(n));
        for (float &x : list) x = bound * (static_cast<float>(random_() >> 40) / (1 << 23) - 1.0f);
        return add(name, litz::Tensor::copy(list, shape));
    }
    Value add(const std::string &name, const litz::Tensor &data) {
        names.push_back(name);
        return parameters.emplace_back(graph_.parameter(name, data));
    }
    litz::Graph &graph_;
    std::mt19937_64 random_{1};
};

/// One step: the exported network with adapters, the gradients of the adapters alone, and their update.
litz::Executable compile_step(const char *model) {
    litz::Graph graph = litz::Graph::from_pt2(model);
    Adapters adapters(graph);
    adapters.attach();
    const Value labels = graph.input("labels", litz::Dtype::int64, {kRows}), rate = graph.input("rate", litz::Dtype::float32, {});
    const Value loss = at::nll_loss(graph.outputs()[0], labels);
    const std::vector<Value> gradients = graph.differentiate({loss}, adapters.parameters);
    graph.optimizer_step("adamw", adapters.parameters, gradients, {litz::named("lr", rate)});
    graph.output("loss", loss);
    return graph.compile();
}

void train(const litz::Executable &step, const Set &set) {
    std::mt19937_64 random(2);
    for (int64_t k = 0; k < kSteps; ++k) {
        std::vector<float> images;
        std::vector<int64_t> labels;
        for (int64_t row = 0; row < kRows; ++row) {
            const auto image = static_cast<int64_t>(random() % static_cast<uint64_t>(set.n));
            images.insert(images.end(), set.pixels.begin() + image * kPixels, set.pixels.begin() + (image + 1) * kPixels);
            labels.push_back(set.labels[static_cast<size_t>(image)]);
        }
        const double rate = 1e-2 * 0.5 * (1 + std::cos(kPi * static_cast<double>(k) / kSteps));
        const std::vector<litz::Tensor> got =
            step.run({litz::Tensor::borrow(images.data(), {kRows, 1, kSide, kSide}), litz::Tensor::borrow(labels.data(), {kRows}),
                      litz::Tensor::scalar(static_cast<float>(rate))});
        std::fprintf(stderr, "\rstep %lld of %lld, loss %.3f", static_cast<long long>(k + 1), static_cast<long long>(kSteps),
                     static_cast<double>(got.back().values<float>()[0]));
    }
    std::fprintf(stderr, "\n");
}

/// The share of images that are classified right.
double accuracy(const litz::Executable &program, const Set &set) {
    const litz::Tensor images = litz::Tensor::borrow(set.pixels.data(), {set.n, 1, kSide, kSide});
    const std::vector<float> scores = program.run({images})[0].values<float>();
    int64_t right = 0;
    for (int64_t k = 0; k < set.n; ++k) {
        const auto row = scores.begin() + k * kClasses;
        right += std::max_element(row, row + kClasses) - row == set.labels[static_cast<size_t>(k)];
    }
    return static_cast<double>(right) / static_cast<double>(set.n);
}

int demo(const char *model, const char *images, const char *artifact) {
    safetensors_file file;
    if (safetensors_open(images, &file) != 0) throw std::runtime_error(std::string("cannot read ") + images);
    const Set training(file, "train"), test(file, "test");
    const litz::Executable base = litz::Graph::from_pt2(model).compile();
    const litz::Executable step = compile_step(model);
    train(step, training);

    // The exported parameters are what they were, bit for bit.
    bool frozen = true;
    for (size_t k = 0; k < base.num_constants(); ++k) {
        const litz::TensorInfo info = base.constant_info(k);
        if (info.dtype.code == kDLFloat)
            frozen = frozen && base.constant(info.name).values<float>() == step.constant(info.name).values<float>();
    }

    litz::Graph graph = litz::Graph::from_pt2(model);
    Adapters adapters(graph);
    adapters.attach();
    litz::Executable tuned = graph.compile();
    std::vector<std::pair<std::string, litz::Tensor>> trained;
    for (const std::string &name : adapters.names) trained.emplace_back(name, step.constant(name));
    tuned.update_constants(trained);
    tuned.save(artifact);
    const double before = accuracy(base, test), after = accuracy(litz::Executable::open(artifact), test);
    std::fprintf(stderr, "right on dark digits: %.1f %% without the adapters, %.1f %% with them\n", 100 * before, 100 * after);
    std::printf("the exported network alone is right on less than half of the dark digits: %s\n", before < 0.5 ? "yes" : "no");
    std::printf("with adapters it is right on at least 90 %%: %s\n", after >= 0.9 ? "yes" : "no");
    std::printf("the exported parameters have not changed: %s\n", frozen ? "yes" : "no");
    safetensors_close(&file);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: fine_tune digits_cnn.pt2 digits.safetensors ARTIFACT.so\n");
        return 2;
    }
    try {
        litz::check_abi();
        return demo(argv[1], argv[2], argv[3]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "fine_tune: %s\n", error.what());
        return 1;
    }
}
