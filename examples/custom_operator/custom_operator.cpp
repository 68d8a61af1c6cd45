// Loads a model that was exported with operators of torch.library, which this program gives Litz: one as an expression, which fuses with
// the layer before it, and one as source text, which goes into the saved library.
//
//   custom_operator model.pt2 ARTIFACT.so
#include <litz/litz.hpp>

#include <cstdio>
#include <exception>

namespace {

// A task computes every tasks-th row.
const char *const kRowMaximum = R"(
void row_maximum(litz_tensor x, litz_tensor out, int64_t task, int64_t tasks) {
    const float *from = static_cast<const float *>(x.data);
    float *to = static_cast<float *>(out.data);
    for (int64_t row = task; row < x.sizes[0]; row += tasks) {
        float most = 0;
        for (int64_t k = 0; k < x.sizes[1]; ++k) {
            const float v = from[row * x.sizes[1] + k], size = v < 0 ? -v : v;
            most = size > most ? size : most;
        }
        to[row] = most;
    }
}
)";

void add_operators(litz::Registry &registry) {
    litz::Registry::Operator soft_sign;
    soft_sign.pointwise_source = "x / (width + fabsf(x))";
    registry.add_operator("mylib::soft_sign(Tensor x, float width=1.0) -> Tensor", soft_sign);

    litz::Registry::Operator row_maximum;
    row_maximum.meta = [](litz::Graph &graph, const std::vector<litz_arg> &args) {
        const litz::Value x(graph.get(), args[0].value);
        return std::vector<litz::Registry::Operator::Result>{{litz::Dtype::float32, {litz::sym_size(x, 0), 1}}};
    };
    registry.add_operator("mylib::row_maximum(Tensor x) -> Tensor", row_maximum);
    registry.add_operator_source("mylib.row_maximum", "cpu", kRowMaximum, "row_maximum");
}

void print(const litz::Tensor &result) {
    const float *values = result.data<float>();
    for (int64_t row = 0; row < result.shape()[0]; ++row)
        for (int64_t k = 0; k < result.shape()[1]; ++k)
            std::printf("%6.3f%s", static_cast<double>(values[row * result.shape()[1] + k]), k + 1 < result.shape()[1] ? " " : "\n");
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s model.pt2 ARTIFACT.so\n", argv[0]);
        return 2;
    }
    try {
        const litz::Tensor x = litz::Tensor::copy<float>({1, 2, 3, -1, 0, 1}, {2, 3});
        try {
            litz::Graph::from_pt2(argv[1]);
        } catch (const litz::Error &error) {
            std::printf("without the operators: status %d\n", static_cast<int>(error.code()));
        }
        litz::Registry registry;
        add_operators(registry);
        litz::Options options;
        options.set("backend", "cpu").set_registry(registry);
        const litz::Graph graph = litz::Graph::from_pt2(argv[1], &options);
        print(graph.compile(options).run({x})[0]);
        graph.compile_artifact(argv[2], options);
        // Expression and source are in the library: opening it takes no registry.
        std::printf("from the library\n");
        print(litz::Executable::open(argv[2]).run({x})[0]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
