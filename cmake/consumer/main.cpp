#include <cstdio>
#include <litz/litz.hpp>

int main() {
    litz::check_abi();
    litz::Graph graph("consumer");
    const litz::Value x = graph.input("x", litz::Dtype::float32, {2, 2});
    graph.output("y", graph.call("aten.relu", {x}));
    const litz::Executable program = graph.compile(litz::Options().set("backend", "interpreter"));
    const auto outputs = program.run({litz::Tensor::copy<float>({-1, 2, -3, 4}, {2, 2})});
    if (outputs[0].values<float>() != std::vector<float>{0, 2, 0, 4}) return 1;
    std::puts("all right");
    return 0;
}
