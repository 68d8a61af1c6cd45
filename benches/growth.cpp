// How the time to compile grows with a graph: programs of 2,500 and 20,000 operators (a `cat` of 250 and 2,000 inputs, a
// `cond` of depth 4 and 16, 125 and 1,000 of them in a row), each in this process without a cache. scripts/bench builds and calls it.
//
//   growth BACKEND [KIND]   a line for each kind: both times, and how often the second takes the first; eight is linear
#include <litz/litz.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

std::string number(int k) { return "%" + std::to_string(k); }

/// One operator after the other on a small matrix.
std::string chain(const std::string &kind, int n) {
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[4, 4]\n";
    for (int k = 0; k < n; ++k) {
        const std::string last = number(k), before = number(k ? k - 1 : 0);
        std::string call;
        if (kind == "pointwise") call = "aten." + std::string(k % 2 ? "relu" : "tanh") + ".default(" + last + ")";
        if (kind == "softmax") call = "aten._softmax.default(" + last + ", -1, false)";
        if (kind == "products") call = "aten.mm.default(" + last + ", %0)";
        if (kind == "differences") call = "aten.sub.Tensor(" + last + ", " + before + ")";
        if (kind == "views") call = "aten.transpose.int(" + last + ", 0, 1)";
        text += "  " + number(k + 1) + " = " + call + "\n";
    }
    return text + "  output \"y\" = " + number(n) + "\n}\n";
}

std::string cat(int n) {
    std::string text = "graph \"g\" {\n", list;
    for (int k = 0; k < n; ++k) {
        text += "  input " + number(k) + " \"x" + std::to_string(k) + "\": float32[2]\n";
        list += (k ? ", " : "") + number(k);
    }
    return text + "  " + number(n) + " = aten.cat.default([" + list + "])\n  output \"y\" = " + number(n) + "\n}\n";
}

/// A vector of symbolic size joined to what was joined before.
std::string grown(int n) {
    std::string text = "graph \"g\" {\n  symbol s0 in [1, 9]\n  input %0 \"x\": float32[s0]\n";
    for (int k = 0; k < n; ++k) text += "  " + number(k + 1) + " = aten.cat.default([" + number(k) + ", %0])\n";
    return text + "  output \"y\" = " + number(n) + "\n}\n";
}

/// Vectors of as many symbolic sizes: joined, or added up, which makes all sizes one by as many guards.
std::string symbolic(int n, bool joined) {
    std::string text = "graph \"g\" {\n", inputs, list, sums;
    for (int k = 0; k < n; ++k) {
        text += "  symbol s" + std::to_string(k) + " in [1, 9]\n";
        inputs += "  input " + number(k) + " \"x" + std::to_string(k) + "\": float32[s" + std::to_string(k) + "]\n";
        list += (k ? ", " : "") + number(k);
        if (k) sums += "  " + number(n + k) + " = aten.add.Tensor(" + number(k > 1 ? n + k - 1 : 0) + ", " + number(k) + ")\n";
    }
    const std::string body = joined ? "  " + number(n) + " = aten.cat.default([" + list + "])\n" : sums;
    return text + inputs + body + "  output \"y\" = " + number(joined ? n : 2 * n - 1) + "\n}\n";
}

/// One graph in both branches, and that one again.
std::string shared(int depth) {
    std::string text = "graph \"leaf\" as 0 {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n"
                       " %2 = aten.relu.default(%1)\n output \"y\" = %2\n }";
    for (int k = 1; k <= depth; ++k) {
        const std::string name = k == depth ? "\"g\"" : "\"c\" as " + std::to_string(k);
        text = "graph " + name + " {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n"
               " %2 = higher_order.cond.default(%0, " + text + ", graph " + std::to_string(k - 1) +
               ", [%0, %1])\n output \"y\" = %2\n }";
    }
    return text + "\n";
}

/// Two graphs that differ, each of which runs both of the level below, in another order.
std::string branches(int depth) {
    int known = 0;
    const std::string head = " input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n";
    const auto graph = [&](const std::string &body) {
        return "graph \"c\" as " + std::to_string(known++) + " {\n" + head + body + " }";
    };
    std::string yes = graph(" %2 = aten.sin.default(%1)\n output \"y\" = %2\n");
    std::string no = graph(" %2 = aten.cos.default(%1)\n output \"y\" = %2\n");
    const auto cond = [](const std::string &a, const std::string &b, const std::string &x, int result) {
        return " " + number(result) + " = higher_order.cond.default(%0, " + a + ", " + b + ", [%0, " + x + "])\n";
    };
    const auto below = [&](int behind) { return "graph " + std::to_string(known - behind); };
    for (int k = 1; k < depth; ++k) {
        const std::string first = graph(cond(yes, no, "%1", 2) + " output \"y\" = %2\n");
        const std::string second = graph(" %2 = aten.relu.default(%1)\n" + cond(below(2), below(3), "%2", 3) +
                                         " output \"y\" = %3\n");
        yes = first, no = second;
    }
    return "graph \"g\" {\n" + head + cond(yes, no, "%1", 2) + " output \"y\" = %2\n}\n";
}

/// One small `cond` after the other.
std::string conditions(int n) {
    std::string text = "graph \"g\" {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n";
    const auto graph = [](const char *call) {
        return std::string("graph \"c\" {\n input %0 \"x\": float32[4]\n %1 = aten.") + call +
               ".default(%0)\n output \"y\" = %1\n }";
    };
    for (int k = 1; k <= n; ++k)
        text += " " + number(k + 1) + " = higher_order.cond.default(%0, " + graph("sin") + ", " + graph("cos") + ", [" +
                number(k) + "])\n";
    return text + " output \"y\" = " + number(n + 1) + "\n}\n";
}

double seconds(const std::string &text, const char *backend) {
    const auto begin = std::chrono::steady_clock::now();
    const litz::Graph graph = litz::Graph::from_text(text);
    graph.compile(litz::Options().set("backend", backend).set("cache.enabled", "false"));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) return std::fprintf(stderr, "usage: growth BACKEND [KIND]\n"), 2;
    const auto wanted = [&](const char *kind) { return argc == 2 || std::strcmp(argv[2], kind) == 0; };
    const auto line = [&](const char *kind, int few, int many, const std::string &small, const std::string &large) {
        const double first = seconds(small, argv[1]), second = seconds(large, argv[1]);
        std::printf("%-12s %6d %8.3f s %6d %8.3f s   x %.1f\n", kind, few, first, many, second, second / first);
        std::fflush(stdout);
    };
    try {
        for (const char *kind : {"pointwise", "softmax", "products", "differences", "views"})
            if (wanted(kind)) line(kind, 2500, 20000, chain(kind, 2500), chain(kind, 20000));
        if (wanted("cat")) line("cat", 250, 2000, cat(250), cat(2000));
        if (wanted("grown")) line("grown", 50, 400, grown(50), grown(400));
        if (wanted("joined")) line("joined", 125, 1000, symbolic(125, true), symbolic(1000, true));
        if (wanted("added")) line("added", 125, 1000, symbolic(125, false), symbolic(1000, false));
        if (wanted("conditions")) line("conditions", 125, 1000, conditions(125), conditions(1000));
        if (wanted("shared")) line("shared", 4, 16, shared(4), shared(16));
        if (wanted("branches")) line("branches", 4, 20, branches(4), branches(20));
    } catch (const std::exception &error) {
        return std::fprintf(stderr, "growth: %s\n", error.what()), 1;
    }
    return 0;
}
