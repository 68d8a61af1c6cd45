// How the time to compile grows with a graph. Most programs have 2,500 and 20,000 operators, inputs or results; those that take a
// compiler longer have fewer (`kinds`). All are compiled in this process without a cache. For `cuda` they become artifacts for one
// kind of GPU, which needs NVRTC and no GPU. scripts/bench builds and calls it.
//
//   growth BACKEND [KIND|all [SHARE LIMIT]]
//
// A line for each kind: both times, and how often the second takes the first; eight is linear. With a limit, programs are as
// many times smaller as the share says, the processor's time counts, and a kind that takes more than the limit three times
// is an error.
#include <litz/litz.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <unistd.h>

namespace {

std::string number(int k) { return "%" + std::to_string(k); }

/// One operator after the other on a small matrix.
std::string chain(const char *name, int n) {
    const std::string kind = name;
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[4, 4]\n";
    for (int k = 0; k < n; ++k) {
        const std::string last = number(k), before = number(k ? k - 1 : 0);
        std::string call;
        if (kind == "pointwise") call = "aten." + std::string(k % 2 ? "relu" : "tanh") + ".default(" + last + ")";
        if (kind == "softmax") call = "aten._softmax.default(" + last + ", -1, false)";
        if (kind == "products") call = "aten.mm.default(" + last + ", %0)";
        if (kind == "differences") call = "aten.sub.Tensor(" + last + ", " + before + ")";
        if (kind == "rotations") call = "aten.roll.default(" + last + ", [1], [0])";
        if (kind == "views") call = "aten.transpose.int(" + last + ", 0, 1)";
        text += "  " + number(k + 1) + " = " + call + "\n";
    }
    return text + "  output \"y\" = " + number(n) + "\n}\n";
}

std::string cat(const char *, int n) {
    std::string text = "graph \"g\" {\n", list;
    for (int k = 0; k < n; ++k) {
        text += "  input " + number(k) + " \"x" + std::to_string(k) + "\": float32[2]\n";
        list += (k ? ", " : "") + number(k);
    }
    return text + "  " + number(n) + " = aten.cat.default([" + list + "])\n  output \"y\" = " + number(n) + "\n}\n";
}

/// A vector of symbolic size joined to what was joined before.
std::string grown(const char *, int n) {
    std::string text = "graph \"g\" {\n  symbol s0 in [1, 9]\n  input %0 \"x\": float32[s0]\n";
    for (int k = 0; k < n; ++k) text += "  " + number(k + 1) + " = aten.cat.default([" + number(k) + ", %0])\n";
    return text + "  output \"y\" = " + number(n) + "\n}\n";
}

/// As many vectors, each of a symbolic size of its own, joined one after the other.
std::string appended(const char *, int n) {
    std::string text = "graph \"g\" {\n", inputs, calls;
    for (int k = 0; k < n; ++k) {
        const std::string size = "s" + std::to_string(k);
        text += "  symbol " + size + " in [1, 9]\n";
        inputs += "  input " + number(k) + " \"x" + std::to_string(k) + "\": float32[" + size + "]\n";
        if (k) calls += "  " + number(n + k) + " = aten.cat.default([" + number(k > 1 ? n + k - 1 : 0) + ", " + number(k) + "])\n";
    }
    return text + inputs + calls + "  output \"y\" = " + number(2 * n - 1) + "\n}\n";
}

/// Vectors of as many symbolic sizes: joined, or added up, which makes all sizes one by as many guards.
std::string symbolic(const char *name, int n) {
    const bool joined = std::strcmp(name, "joined") == 0;
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
std::string shared(const char *, int depth) {
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
std::string branches(const char *, int depth) {
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
std::string conditions(const char *, int n) {
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

/// A chain of operators on a vector of symbolic size.
std::string of_symbols(const char *name, int n) {
    const std::string kind = name;
    std::string text = "graph \"g\" {\n  symbol s0 in [1, 99]\n  input %0 \"x\": float32[s0, 4]\n";
    for (int k = 0; k < n; ++k) {
        std::string call = "aten." + std::string(k % 2 ? "relu" : "tanh") + ".default(" + number(k) + ")";
        if (kind == "reshaped") call = "aten.reshape.default(" + number(k) + (k % 2 ? ", [s0, 4])" : ", [4, s0])");
        text += "  " + number(k + 1) + " = " + call + "\n";
    }
    return text + "  output \"y\" = " + number(n) + "\n}\n";
}

/// As many operators side by side: of one input or of one each, joined, summed up, or given out.
std::string beside(const char *name, int n) {
    const std::string kind = name;
    std::string text = "graph \"g\" {\n", list;
    const bool many = kind == "inputs";
    const int inputs = many ? n : 1;
    for (int k = 0; k < inputs; ++k)
        text += "  input " + number(k) + " \"x" + std::to_string(k) + "\": float32[" + (many ? "4" : std::to_string(n)) + "]\n";
    const auto result = [&](int k) { return number(inputs + k); };
    const std::string size = std::to_string(n);
    if (kind == "split") {
        for (int k = 0; k < n; ++k) list += (k ? ", " : "") + result(k);
        text += "  " + list + " = aten.split.Tensor(%0, 1)\n";
    } else {
        for (int k = 0; k < n; ++k) {
            const std::string at = std::to_string(k), next = std::to_string(k + 1);
            std::string call;
            if (kind == "inputs") call = "relu.default(" + number(k) + ")";
            if (kind == "outputs") call = "mul.Scalar(%0, " + next + ")";
            if (kind == "slices") call = "slice.Tensor(%0, 0, " + at + ", " + next + ")";
            if (kind == "sums") call = "mul.Scalar(%0, " + next + ")";
            if (kind == "reductions") call = "sum.dim_IntList(%0, [0], " + std::string(k % 2 ? "true" : "false") + ")";
            if (kind == "factories") call = "full.default([" + std::to_string(k % 7 + 1) + "], " + at + ", dtype=float32)";
            text += "  " + result(k) + " = aten." + call + "\n";
            list += (k ? ", " : "") + result(k);
        }
    }
    if (kind == "slices" || kind == "split") {
        text += "  " + result(n) + " = aten.cat.default([" + list + "])\n  output \"y\" = " + result(n) + "\n";
    } else if (kind == "sums") {
        for (int k = 1; k < n; ++k)
            text += "  " + result(n + k) + " = aten.add.Tensor(" + (k > 1 ? result(n + k - 1) : result(0)) + ", " + result(k) + ")\n";
        text += "  output \"y\" = " + result(2 * n - 1) + "\n";
    } else {
        for (int k = 0; k < n; ++k) text += "  output \"y" + std::to_string(k) + "\" = " + result(k) + "\n";
    }
    return text + "}\n";
}

/// Writes to one tensor: to all of it, to a row of it, and at indices.
std::string writes(const char *name, int n) {
    const std::string kind = name;
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[64, 4]\n  input %1 \"i\": int64[2]\n  input %2 \"v\": float32[2, 4]\n";
    int next = 3;
    for (int k = 0; k < n; ++k) {
        if (kind == "added_to") text += "  " + number(next++) + " = aten.add_.Scalar(%0, 1.5)\n";
        if (kind == "put") text += "  " + number(next++) + " = aten.index_put_.default(%0, [%1], %2)\n";
        if (kind == "rows") {
            text += "  " + number(next) + " = aten.select.int(%0, 0, " + std::to_string(k % 64) + ")\n";
            text += "  " + number(next + 1) + " = aten.add_.Scalar(" + number(next) + ", 1.5)\n";
            next += 2;
        }
    }
    return text + "  output \"y\" = %0\n}\n";
}

/// Sizes that data decide, one after the other.
std::string counted(const char *, int n) {
    std::string text = "graph \"g\" {\n  input %0 \"x\": int64[8]\n";
    int last = 0, next = 1;
    for (int k = 0; k < n; ++k) {
        text += "  " + number(next) + " = aten.nonzero.default(" + number(last) + ")\n  " + number(next + 1) +
                " = aten.select.int(" + number(next) + ", 1, 0)\n";
        last = next + 1, next += 2;
    }
    return text + "  output \"y\" = " + number(last) + "\n}\n";
}

/// Loops one after the other.
std::string loops(const char *, int n) {
    std::string text = "graph \"g\" {\n input %0 \"k\": int64[]\n input %1 \"x\": float32[4]\n";
    const std::string test = "graph \"t\" {\n input %0 \"k\": int64[]\n input %1 \"x\": float32[4]\n %2 = aten.lt.Scalar(%0, 3)\n"
                             " output \"y\" = %2\n }",
                      body = "graph \"b\" {\n input %0 \"k\": int64[]\n input %1 \"x\": float32[4]\n %2 = aten.add.Scalar(%0, 1)\n"
                             " %3 = aten.tanh.default(%1)\n output \"k\" = %2\n output \"x\" = %3\n }";
    for (int k = 0; k < n; ++k)
        text += " " + number(2 + 2 * k) + ", " + number(3 + 2 * k) + " = higher_order.while_loop.default(" + test + ", " + body +
                ", [%0, " + (k ? number(1 + 2 * k) : "%1") + "], [])\n";
    return text + " output \"y\" = " + number(1 + 2 * n) + "\n}\n";
}

/// A branch in a branch, each with a graph of its own.
std::string nested(const char *, int depth) {
    std::string text = "graph \"leaf\" {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n"
                       " %2 = aten.relu.default(%1)\n output \"y\" = %2\n }";
    for (int k = 1; k <= depth; ++k)
        text = "graph \"g\" {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n %2 = higher_order.cond.default(%0, " + text +
               ", graph \"other\" {\n input %0 \"p\": bool[]\n input %1 \"x\": float32[4]\n %2 = aten.sin.default(%1)\n"
               " output \"y\" = %2\n }, [%0, %1])\n output \"y\" = %2\n }";
    return text + "\n";
}

/// Attention, again and again: a product, a softmax, a product with that.
std::string attentions(const char *, int n) {
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[4, 4]\n";
    for (int k = 0; k < n; k += 3) {
        text += "  " + number(k + 1) + " = aten._softmax.default(" + number(k) + ", -1, false)\n";
        text += "  " + number(k + 2) + " = aten.mm.default(" + number(k + 1) + ", %0)\n";
        text += "  " + number(k + 3) + " = aten.tanh.default(" + number(k + 2) + ")\n";
    }
    return text + "  output \"y\" = " + number((n + 2) / 3 * 3) + "\n}\n";
}

/// Residual blocks: two products, and the block's input added to them.
std::string residuals(const char *, int n) {
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[8, 4]\n  input %1 \"w\": float32[4, 4]\n";
    int last = 0, next = 2;
    for (int k = 0; k < n; k += 4, last = next - 1) {
        text += "  " + number(next) + " = aten.mm.default(" + number(last) + ", %1)\n";
        text += "  " + number(next + 1) + " = aten.relu.default(" + number(next) + ")\n";
        text += "  " + number(next + 2) + " = aten.mm.default(" + number(next + 1) + ", %1)\n";
        text += "  " + number(next + 3) + " = aten.add.Tensor(" + number(last) + ", " + number(next + 2) + ")\n";
        next += 4;
    }
    return text + "  output \"y\" = " + number(last) + "\n}\n";
}

/// All rows of an input, or of a value, as results.
std::string shown(const char *name, int n) {
    const bool given = std::strcmp(name, "rows_of_input") == 0;
    const std::string size = std::to_string(n);
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[" + size + ", 4]\n", outputs;
    if (!given) text += "  %1 = aten.tanh.default(%0)\n";
    for (int k = 0; k < n; ++k) {
        text += "  " + number(k + 2) + " = aten.select.int(" + (given ? "%0" : "%1") + ", 0, " + std::to_string(n - 1 - k) + ")\n";
        outputs += "  output \"y" + std::to_string(k) + "\" = " + number(k + 2) + "\n";
    }
    return text + outputs + "}\n";
}

/// One value that all others read, and those two by two until one is left.
std::string tree(const char *name, int n) {
    const bool joined = std::strcmp(name, "joins") == 0;
    std::string text = "graph \"g\" {\n  input %0 \"x\": float32[4]\n  %1 = aten.tanh.default(%0)\n";
    int first = 2, next = 2;
    for (int k = 0; k < n; ++k) text += "  " + number(next++) + " = aten.mul.Scalar(%1, " + std::to_string(k + 1) + ")\n";
    while (next - first > 1) {
        const int last = next;
        for (int k = first; k + 1 < last; k += 2) {
            const std::string a = number(k), b = number(k + 1);
            text += "  " + number(next++) + (joined ? " = aten.cat.default([" + a + ", " + b + "])\n" : " = aten.add.Tensor(" + a + ", " + b + ")\n");
        }
        if ((last - first) % 2) text += "  " + number(next++) + " = aten.neg.default(" + number(last - 1) + ")\n";
        first = last;
    }
    return text + "  output \"y\" = " + number(first) + "\n}\n";
}

/// As many inputs, each written to; or as many buffers or parameters, each read or written to.
std::string held(const char *name, int n) {
    const std::string kind = name;
    std::string text = "graph \"g\" {\n", calls;
    for (int k = 0; k < n; ++k) {
        const std::string of = number(k + 1), named = " \"x" + std::to_string(k) + "\": float32[4]";
        if (kind == "mutated") text += "  input " + of + named + "\n";
        if (kind == "buffers") text += "  buffer " + of + named + " = [1.0, 2.0, 3.0, " + std::to_string(k) + ".0]\n";
        if (kind == "parameters") text += "  parameter " + of + named + " = [1.0, 2.0, 3.0, " + std::to_string(k) + ".0]\n";
        if (kind == "parameters") calls += "  " + number(n + k + 1) + " = aten.mul.Tensor(" + (k ? number(n + k) : "%0") + ", " + of + ")\n";
        else calls += "  " + number(n + k + 1) + " = aten.add_.Tensor(" + of + ", %0)\n";
    }
    return text + "  input %0 \"x\": float32[4]\n" + calls + "  output \"y\" = " + (kind == "parameters" ? number(2 * n) : "%0") + "\n}\n";
}

/// Views of views of a tensor of symbolic size: turned, cut, flattened, and written to in the end.
std::string viewed(const char *name, int n) {
    const bool written = std::strcmp(name, "written") == 0;
    std::string text = "graph \"g\" {\n  symbol s0 in [2, 99]\n  input %0 \"x\": float32[s0, 4]\n";
    for (int k = 0; k < n; ++k) {
        const std::string last = number(k);
        std::string call = "aten.transpose.int(" + last + ", 0, 1)";
        if (k % 4 == 1) call = "aten.unsqueeze.default(" + last + ", 0)";
        if (k % 4 == 2) call = "aten.squeeze.dim(" + last + ", 0)";
        if (k % 4 == 3) call = "aten.slice.Tensor(" + last + ", 0, 0, 9223372036854775807)";
        text += "  " + number(k + 1) + " = " + call + "\n";
    }
    if (written) text += "  " + number(n + 1) + " = aten.add_.Scalar(" + number(n) + ", 1.5)\n";
    return text + "  output \"y\" = " + (written ? std::string("%0") : number(n)) + "\n}\n";
}

/// Pieces of one tensor of symbolic size, each of as many elements, summed up.
std::string pieces(const char *, int n) {
    const std::string size = std::to_string(n);
    std::string text = "graph \"g\" {\n  symbol s0 in [1, 9]\n  input %0 \"x\": float32[" + size + " * s0]\n";
    for (int k = 0; k < n; ++k) {
        text += "  " + number(2 * k + 1) + " = aten.slice.Tensor(%0, 0, s0 * " + std::to_string(k) + ", s0 * " + std::to_string(k + 1) + ")\n";
        text += "  " + number(2 * k + 2) + (k ? " = aten.add.Tensor(" + number(2 * k) + ", " + number(2 * k + 1) + ")\n" : " = aten.tanh.default(%1)\n");
    }
    return text + "  output \"y\" = " + number(2 * n) + "\n}\n";
}

/// Loops whose bodies hold a `cond`, one after the other.
std::string loops_of_branches(const char *, int n) {
    std::string text = "graph \"g\" {\n input %0 \"k\": int64[]\n input %1 \"x\": float32[4]\n";
    const std::string heads = "input %0 \"k\": int64[]\n input %1 \"x\": float32[4]\n";
    const auto branch = [](const char *call) {
        return std::string("graph \"c\" {\n input %0 \"x\": float32[4]\n %1 = aten.") + call + ".default(%0)\n output \"y\" = %1\n }";
    };
    const std::string test = "graph \"t\" {\n " + heads + " %2 = aten.lt.Scalar(%0, 3)\n output \"y\" = %2\n }",
                      body = "graph \"b\" {\n " + heads + " %2 = aten.add.Scalar(%0, 1)\n %3 = aten.lt.Scalar(%0, 1)\n"
                             " %4 = higher_order.cond.default(%3, " + branch("sin") + ", " + branch("cos") + ", [%1])\n"
                             " output \"k\" = %2\n output \"x\" = %4\n }";
    for (int k = 0; k < n; ++k)
        text += " " + number(2 + 2 * k) + ", " + number(3 + 2 * k) + " = higher_order.while_loop.default(" + test + ", " + body +
                ", [%0, " + (k ? number(1 + 2 * k) : "%1") + "], [])\n";
    return text + " output \"y\" = " + number(1 + 2 * n) + "\n}\n";
}

/// Of this thread and its helpers, which other programs on the machine change little; `elapsed` counts compilers, too.
double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double elapsed() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds(const std::string &text, const char *backend, double (*now)()) {
    const double begin = now();
    const litz::Graph graph = litz::Graph::from_text(text);
    litz::Options options = litz::Options().set("backend", backend).set("cache.enabled", "false");
    if (std::strcmp(backend, "cuda") == 0) {
        const std::string path = "/tmp/litz-growth-" + std::to_string(getpid()) + ".so";
        graph.compile_artifact(path, options.set("cuda.arch", "90"));
        std::remove(path.c_str());
    } else {
        graph.compile(options);
    }
    return now() - begin;
}

struct Kind {
    const char *name;
    int few, many;
    std::string (*text)(const char *kind, int n);
};

const Kind kinds[] = {
    {"pointwise", 2500, 20000, chain},
    {"softmax", 2500, 20000, chain},
    {"products", 2500, 20000, chain},
    {"differences", 2500, 20000, chain},
    {"rotations", 2500, 20000, chain},
    {"views", 2500, 20000, chain},
    {"symbolic", 2500, 20000, of_symbols},
    {"reshaped", 2500, 20000, of_symbols},
    {"cat", 250, 2000, cat},
    {"inputs", 250, 2000, beside},
    {"outputs", 250, 2000, beside},
    {"slices", 250, 2000, beside},
    {"split", 250, 2000, beside},
    {"sums", 250, 2000, beside},
    {"reductions", 250, 2000, beside},
    {"factories", 250, 2000, beside},
    {"added_to", 250, 2000, writes},
    {"put", 250, 2000, writes},
    {"rows", 250, 2000, writes},
    {"grown", 50, 400, grown},
    {"appended", 625, 5000, appended},
    {"joined", 625, 5000, symbolic},
    {"added", 2500, 20000, symbolic},
    {"counted", 25, 200, counted},
    {"conditions", 125, 1000, conditions},
    {"loops", 25, 200, loops},
    {"nested", 5, 40, nested},
    {"shared", 4, 16, shared},
    {"branches", 4, 20, branches},
    {"attentions", 2500, 20000, attentions},
    {"residuals", 2500, 20000, residuals},
    {"rows_of_input", 2500, 20000, shown},
    {"rows_of_value", 2500, 20000, shown},
    {"sums_of_two", 1250, 10000, tree},
    {"joins", 1250, 10000, tree},
    {"mutated", 2500, 20000, held},
    {"buffers", 2500, 20000, held},
    {"parameters", 2500, 20000, held},
    {"viewed", 2500, 20000, viewed},
    {"written", 2500, 20000, viewed},
    {"pieces", 375, 3000, pieces},
    {"loops_of_branches", 25, 200, loops_of_branches},
};

} // namespace

int main(int argc, char **argv) {
    if (argc < 2 || argc > 5) return std::fprintf(stderr, "usage: growth BACKEND [KIND|all [SHARE LIMIT]]\n"), 2;
    const char *wanted = argc > 2 ? argv[2] : "all";
    const int share = argc > 3 ? std::atoi(argv[3]) : 1;
    const double limit = argc > 4 ? std::atof(argv[4]) : 0;
    int beyond = 0;
    try {
        for (const Kind &kind : kinds) {
            if (std::strcmp(wanted, "all") != 0 && std::strcmp(wanted, kind.name) != 0) continue;
            // Few are few already where they are less than a hundred.
            const int by = kind.few < 100 ? 1 : share;
            const std::string small = kind.text(kind.name, kind.few / by), large = kind.text(kind.name, kind.many / by);
            double first = 0, second = 0;
            for (int attempt = 0; attempt < (limit > 0 ? 3 : 1); ++attempt) {
                first = seconds(small, argv[1], limit > 0 ? processor : elapsed);
                second = seconds(large, argv[1], limit > 0 ? processor : elapsed);
                if (second <= limit * first) break;
            }
            std::printf("%-12s %6d %8.3f s %6d %8.3f s   x %.1f\n", kind.name, kind.few / by, first, kind.many / by, second,
                        second / first);
            std::fflush(stdout);
            if (limit > 0 && second > limit * first) beyond += 1;
        }
    } catch (const std::exception &error) {
        return std::fprintf(stderr, "growth: %s\n", error.what()), 1;
    }
    if (beyond) return std::fprintf(stderr, "growth: %d kinds take more than %s times as long\n", beyond, argv[4]), 1;
    std::puts("all right");
    return 0;
}
