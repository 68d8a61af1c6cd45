//! The C program that replays a folder: the graph as calls of `litz_ops.h`, then compiling it and one run.
//!
//! A graph that the calls cannot build (`calls`) is read from the folder, and the program says why.
//!
//! Deliberately absent: running it.

use super::{Needs, calls};
use crate::ir::Graph;
use crate::ir::text::quoted;

/// The one command.
pub const SCRIPT: &str = r#"#!/bin/sh
# Compiles replay.c and runs it in this folder. LITZ_FLAGS: the compiler's flags for Litz, where pkg-config does not know it.
# LITZ_HOST: sources, objects or libraries, by paths from this folder or absolute ones, with the function `register_host`; replay.c
# says what it registers, where the program needs any.
set -e
cd "$(dirname "$0")"
flags=${LITZ_FLAGS-$(pkg-config --cflags --libs litz)}
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 ${LITZ_HOST:+-DLITZ_HOST} -o replay replay.c ${LITZ_HOST-} $flags
exec ./replay
"#;

const HEAD: &str = r#"#include <litz/litz_ops.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The program ends with the status of the call that failed. */
static void must(litz_status status, litz_error *err, const char *what) {
    if (status == LITZ_OK) return;
    printf("%s gives status %d: %s\n", what, (int)status, litz_error_message(err));
    litz_error_release(err);
    exit((int)status);
}

#define MUST(call)                  \
    do {                            \
        litz_error *err = NULL;     \
        litz_status status_ = call; \
        must(status_, err, #call);  \
    } while (0)

"#;

const MAIN: &str = r#"
int main(void) {
    litz_graph *saved = NULL, *g;
    litz_options *o = NULL;
    litz_registry *registry = NULL;
    litz_executable *e = NULL;
    struct DLManagedTensorVersioned **inputs, **outputs;
    const DLTensor **given;
    litz_run_options how = {0};
    size_t n = 0, n_outputs, k;
    /* Random numbers are the same each time; another seed draws others. */
    how.struct_size = sizeof how;
    how.flags = LITZ_RUN_HAS_SEED;
@REGISTERS@
    MUST(litz_graph_from_repro_with(".", registry, &saved, &o, &err));
    g = build(saved, o);
    MUST(litz_graph_status(g, &err));
    MUST(litz_compile(g, o, &e, &err));
    n_outputs = litz_executable_num_outputs(e);
    inputs = calloc(litz_executable_num_inputs(e) + 1, sizeof *inputs);
    given = calloc(litz_executable_num_inputs(e) + 1, sizeof *given);
    outputs = calloc(n_outputs + 1, sizeof *outputs);
    if (!inputs || !given || !outputs) return 1;
    MUST(litz_repro_inputs(".", o, inputs, litz_executable_num_inputs(e), &n, &err));
    if (n < litz_executable_num_inputs(e)) {
        puts("compiled; no inputs were kept, so nothing is run");
    } else {
        for (k = 0; k < n; ++k) given[k] = inputs[k] ? &inputs[k]->dl_tensor : NULL;
        MUST(litz_executable_run(e, given, n, outputs, n_outputs, &how, &err));
        for (k = 0; k < n_outputs; ++k) {
            const DLTensor *t = &outputs[k]->dl_tensor;
            int64_t elements = 1, i;
            int32_t d;
            printf("output %zu, of shape [", k);
            for (d = 0; d < t->ndim; ++d) {
                printf("%s%lld", d ? ", " : "", (long long)t->shape[d]);
                elements *= t->shape[d];
            }
            printf("]:");
            for (i = 0; i < elements && i < 8 && t->device.device_type == kDLCPU; ++i) {
                const char *at = (const char *)t->data + t->byte_offset;
                if (t->dtype.code == kDLFloat && t->dtype.bits == 32) printf(" %.9g", (double)((const float *)at)[i]);
                else if (t->dtype.code == kDLFloat && t->dtype.bits == 64) printf(" %.17g", ((const double *)at)[i]);
                else if (t->dtype.code == kDLInt && t->dtype.bits == 64) printf(" %lld", (long long)((const int64_t *)at)[i]);
                else if (t->dtype.bits == 8) printf(" %d", (int)((const unsigned char *)at)[i]);
            }
            puts("");
        }
    }
    for (k = 0; k < n; ++k) litz_tensor_release(inputs[k]);
    for (k = 0; k < n_outputs; ++k) litz_tensor_release(outputs[k]);
    free(inputs);
    free(given);
    free(outputs);
    litz_executable_release(e);
    if (g != saved) litz_graph_release(g);
    litz_graph_release(saved);
    litz_options_release(o);
    litz_registry_release(registry);
    return 0;
}
"#;

/// Lines of the program that fill the registry.
const REGISTERS: &str =
    "    MUST(litz_registry_new(&registry, &err));\n    MUST(register_host(registry, &err));\n";

/// Stands for a function that a host gives.
const NO_HOST: &str = r#"#ifdef LITZ_HOST
litz_status register_host(litz_registry *registry, litz_error **err);
#else
static litz_status register_host(litz_registry *registry, litz_error **err) {
    (void)registry, (void)err;
    puts("LITZ_HOST is not set: this program has nothing of what its host registers");
    return LITZ_OK;
}
#endif

"#;

/// The program for a graph whose text, as the folder has it, is `text`.
pub fn replay(graph: &Graph, text: &str, seeded: bool, needs: &Needs) -> String {
    let head = format!(
        "/* Replays graph {} with its constants, inputs and options as this folder holds them: ./replay.sh. Written by Litz {}. */\n{HEAD}",
        quoted(&graph.name, '"').replace("*/", "* /"),
        env!("CARGO_PKG_VERSION")
    );
    let built = match seeded {
        true => Err("its constants are made of seeds".to_string()),
        false => calls::build(graph, text),
    };
    let build = match built {
        Ok(calls) => calls,
        Err(why) => format!(
            "/* The graph is read from graph.litz and not built by calls: {why}. */\n\
             static litz_graph *build(litz_graph *saved, const litz_options *o) {{\n    (void)o;\n    return saved;\n}}\n"
        ),
    };
    let host = registration(needs);
    let registers = if needs.is_empty() { "" } else { REGISTERS };
    format!("{head}{host}{build}{}", MAIN.replace("@REGISTERS@\n", registers))
}

/// What the program needs of a host, and the function that registers it.
fn registration(needs: &Needs) -> String {
    if needs.is_empty() {
        return String::new();
    }
    let list: String = needs.list().iter().map(|what| format!(" *   {}\n", in_comment(what))).collect();
    format!(
        "/* The host that saved this registered, in the registry of its options:\n{list} * `register_host` registers the same, with its functions: give its source, object or library to replay.sh in LITZ_HOST. */\n{NO_HOST}"
    )
}

fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace('\n', " ")
}
