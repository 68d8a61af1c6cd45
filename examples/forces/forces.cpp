// A small interatomic network: the energy of some atoms, and forces as its gradient by their positions. Compares the forces with finite
// differences, and trains the network on forces of a Lennard-Jones potential, by the gradient of a loss that holds a gradient.
//
//   forces
#include <litz/litz.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace at = litz::aten;
using litz::Value;

namespace {

constexpr int64_t kAtoms = 8, kShells = 12, kWidth = 24;
constexpr double kCutoff = 3.0, kPi = 3.14159265358979;
constexpr int kEpochs = 100, kStructures = 32;

/// Numbers from 0 to 1.
double uniform(std::mt19937_64 &random) { return static_cast<double>(random() >> 11) / 9007199254740992.0; }

/// The energy of atoms at positions of [atoms, 3], all in float64. An atom sees the others as smooth shells of distance within a
/// cutoff; two layers make an energy of them, and energies add up.
class Network {
  public:
    explicit Network(litz::Graph &graph) : graph_(graph) {}
    Value operator()(const Value &positions) {
        std::vector<double> others(kAtoms * kAtoms, 1.0), centres(kShells);
        for (int64_t k = 0; k < kAtoms; ++k) others[static_cast<size_t>(k * kAtoms + k)] = 0;
        for (int64_t k = 0; k < kShells; ++k) centres[static_cast<size_t>(k)] = 0.8 + kCutoff * static_cast<double>(k) / kShells;
        const Value other = graph_.constant("other", litz::Tensor::copy(others, {kAtoms, kAtoms}));
        const Value centre = graph_.constant("centres", litz::Tensor::copy(centres, {kShells}));

        const Value apart = at::unsqueeze(positions, 1) - at::unsqueeze(positions, 0);
        // An atom is at the cutoff from itself, where it is not seen: a distance of 0 would have no derivative.
        const Value squared = at::sum(apart * apart, {2}) + (1.0 - other) * (kCutoff * kCutoff);
        const Value distance = at::clamp(at::sqrt(squared), litz::Scalar(0.0), litz::Scalar(kCutoff));
        const Value seen = (at::cos(distance * (kPi / kCutoff)) + 1.0) * 0.5;
        const Value off = at::unsqueeze(distance, -1) - centre;
        const Value shells = at::sum(at::exp(off * off * -8.0) * at::unsqueeze(seen, -1), {1});
        Value x = at::tanh(linear(shells, "first", kShells, kWidth));
        x = at::tanh(linear(x, "second", kWidth, kWidth));
        // No bias: a constant energy moves no force, so that nothing here would train it.
        return at::sum(at::linear(x, weight("last", kWidth, 1)));
    }
    std::vector<Value> parameters;

  private:
    Value linear(const Value &x, const std::string &name, int64_t from, int64_t to) {
        const Value w = weight(name, from, to);
        const Value bias = graph_.parameter(name + ".bias", litz::Tensor::zeros(litz::Dtype::float64, {to}));
        return at::linear(x, w, parameters.emplace_back(bias));
    }
    Value weight(const std::string &name, int64_t from, int64_t to) {
        std::vector<double> list(static_cast<size_t>(from * to));
        for (double &w : list) w = (2 * uniform(random_) - 1) / std::sqrt(static_cast<double>(from));
        return parameters.emplace_back(graph_.parameter(name + ".weight", litz::Tensor::copy(list, {to, from})));
    }
    litz::Graph &graph_;
    std::mt19937_64 random_{1};
};

/// The energy and the forces of a network, in a graph that is being built.
struct Physics {
    Value positions, energy, forces;
    std::vector<Value> parameters;
    explicit Physics(litz::Graph &graph) {
        Network network(graph);
        positions = graph.input("positions", litz::Dtype::float64, {kAtoms, 3});
        energy = network(positions);
        forces = at::neg(graph.differentiate({energy}, {positions})[0]);
        parameters = network.parameters;
    }
};

litz::Executable compile_physics() {
    litz::Graph graph("physics");
    const Physics physics(graph);
    graph.output("energy", physics.energy);
    graph.output("forces", physics.forces);
    return graph.compile();
}

/// One step of training on the forces of one structure; gives their mean squared error.
litz::Executable compile_step() {
    litz::Graph graph("train_forces");
    const Physics physics(graph);
    const Value wanted = graph.input("wanted", litz::Dtype::float64, {kAtoms, 3});
    const Value rate = graph.input("rate", litz::Dtype::float64, {});
    const Value loss = at::mse_loss(physics.forces, wanted);
    const std::vector<Value> gradients = graph.differentiate({loss}, physics.parameters);
    graph.optimizer_step("adam", physics.parameters, gradients, {litz::named("lr", rate)});
    graph.output("loss", loss);
    return graph.compile();
}

/// The corners of a cube, each moved a little.
std::vector<double> structure(std::mt19937_64 &random) {
    std::vector<double> x(kAtoms * 3);
    for (size_t k = 0; k < x.size(); ++k) x[k] = 1.15 * static_cast<double>(k / 3 >> k % 3 & 1) + 0.2 * (uniform(random) - 0.5);
    return x;
}

/// Forces of the potential 4 (r^-12 - r^-6).
std::vector<double> lennard_jones(const std::vector<double> &x) {
    std::vector<double> forces(x.size(), 0.0);
    for (size_t a = 0; a < kAtoms; ++a) {
        for (size_t b = 0; b < kAtoms; ++b) {
            if (a == b) continue;
            double squared = 0;
            for (size_t k = 0; k < 3; ++k) squared += (x[3 * a + k] - x[3 * b + k]) * (x[3 * a + k] - x[3 * b + k]);
            const double sixth = 1 / (squared * squared * squared), along = 24 * (2 * sixth * sixth - sixth) / squared;
            for (size_t k = 0; k < 3; ++k) forces[3 * a + k] += along * (x[3 * a + k] - x[3 * b + k]);
        }
    }
    return forces;
}

litz::Tensor tensor(const std::vector<double> &x) { return litz::Tensor::copy(x, {kAtoms, 3}); }

/// The largest difference of a force from central finite differences of the energy.
double deviation(const litz::Executable &physics, std::vector<double> x) {
    const auto energy = [&] { return physics.run({tensor(x)})[0].values<double>()[0]; };
    const std::vector<double> forces = physics.run({tensor(x)})[1].values<double>();
    double largest = 0;
    for (size_t k = 0; k < x.size(); ++k) {
        const double at = x[k], step = 1e-5;
        x[k] = at + step;
        const double above = energy();
        x[k] = at - step;
        const double below = energy();
        x[k] = at;
        largest = std::max(largest, std::abs(forces[k] + (above - below) / (2 * step)));
    }
    return largest;
}

int demo() {
    std::mt19937_64 random(2);
    std::vector<std::vector<double>> structures, wanted;
    for (int k = 0; k < kStructures; ++k) {
        structures.push_back(structure(random));
        wanted.push_back(lennard_jones(structures.back()));
    }
    litz::Executable physics = compile_physics();
    const double before = deviation(physics, structures[0]);

    const litz::Executable step = compile_step();
    double first = 0, last = 0;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
        const double rate = 1e-2 * 0.5 * (1 + std::cos(kPi * epoch / kEpochs));
        double loss = 0;
        for (size_t k = 0; k < kStructures; ++k)
            loss += step.run({tensor(structures[k]), tensor(wanted[k]), litz::Tensor::scalar(rate)})[0].values<double>()[0] / kStructures;
        if (epoch == 0) first = loss;
        last = loss;
        std::fprintf(stderr, "\repoch %3d of %d, squared error of the forces %.4f", epoch + 1, kEpochs, loss);
    }
    std::vector<std::pair<std::string, litz::Tensor>> trained;
    for (size_t k = 0; k < physics.num_constants(); ++k) {
        const litz::TensorInfo info = physics.constant_info(k);
        if (info.kind == LITZ_CONSTANT_PARAMETER) trained.emplace_back(info.name, step.constant(info.name));
    }
    physics.update_constants(trained);
    const double after = deviation(physics, structures[1]);
    std::fprintf(stderr, "\nforces differ from finite differences by %.1e at first and by %.1e when trained\n", before, after);
    std::printf("forces are those of finite differences: %s\n", before < 1e-7 && after < 1e-6 ? "yes" : "no");
    std::printf("training takes 90 %% of their squared error away: %s\n", last < 0.1 * first ? "yes" : "no");
    return 0;
}

} // namespace

int main() {
    try {
        litz::check_abi();
        return demo();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "forces: %s\n", error.what());
        return 1;
    }
}
