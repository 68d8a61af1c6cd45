//! Declarations of the routines, and of the numbers that a plan and its executor share, as source text for C and for the second library.
//! `scripts/generate` writes both files, which are committed; a test compares.
//!
//! Deliberately absent: the routines' semantics (`external`).

use super::STACK_SCRATCH;
use super::external::{Activation, Library, Routine};
use std::fmt::Write;

/// The interface's number of `liblitz_linalg.so.0`: changes with its routines' attributes and operands.
const LINALG_VERSION: u32 = 4;

/// `src/executor/routines.h`.
pub fn c_header() -> String {
    let upper = |name: &str| name.to_ascii_uppercase();
    let list = |text: &mut String, what: &str, names: Vec<String>, count: &str| {
        let names: Vec<String> = names.iter().map(|n| format!("LX_{what}_{}", upper(n))).collect();
        let _ = writeln!(text, "enum {{ {}, {count} }};", names.join(", "));
    };
    let mut text = String::from(
        "/*\n * Written by scripts/generate from src/plan/external.rs: what steps of libraries are asked for, and the numbers that the plan and\n * its executor share.\n */\n#ifndef LITZ_EXECUTOR_ROUTINES_H\n#define LITZ_EXECUTOR_ROUTINES_H\n\n#include <stdint.h>\n\n",
    );
    let _ = writeln!(text, "/* The most of a kernel's scratch that lies on its thread's stack. */");
    let _ = writeln!(text, "#define LX_STACK_SCRATCH {STACK_SCRATCH}u");
    let _ = writeln!(text, "/* The interface of liblitz_linalg.so.0 that the routines are called by. */");
    let _ = writeln!(text, "#define LX_LINALG_VERSION {LINALG_VERSION}u\n");
    let _ = writeln!(text, "{}", super::format::c_numbers());
    let names = |all: &[Library]| all.iter().map(|l| format!("{l:?}")).collect();
    list(&mut text, "LIBRARY", names(&Library::ALL), "LX_N_LIBRARIES");
    let names = Routine::ALL.iter().map(|r| format!("{r:?}")).collect();
    list(&mut text, "ROUTINE", names, "LX_N_ROUTINES");
    let names = Activation::ALL.iter().map(|a| format!("{a:?}")).collect();
    list(&mut text, "ACTIVATION", names, "LX_N_ACTIVATIONS");
    text.push_str(
        "\ntypedef struct lx_matrix {\n    int64_t offset, batch_stride, stride, turned;\n} lx_matrix;\n",
    );
    let with_struct = || Routine::ALL.iter().filter(|r| r.library() != Library::Host);
    for routine in with_struct() {
        let name = format!("{routine:?}");
        let (lower, upper) = (name.to_ascii_lowercase(), upper(&name));
        let _ = writeln!(text, "\ntypedef struct lx_{lower} {{");
        for (c, field, behind) in routine.fields() {
            let _ = writeln!(text, "    {c} {field}{behind};");
        }
        let _ = writeln!(text, "}} lx_{lower};");
        let operands = routine.operands().iter().map(|o| o.to_string()).collect();
        list(&mut text, &upper, operands, &format!("LX_N_{upper}_OPERANDS"));
    }
    text.push_str("\n/* Of each routine: its library, the device's library that does it where that is found (LX_NONE: none does), how many operands it has, which\n * of them it writes (a bit each), how many attributes it has, and its function in Litz's own library. */\ntypedef struct lx_routine {\n    uint32_t library, on_device, operands, written, attributes;\n    const char *function;\n} lx_routine;\nstatic const lx_routine lx_routines[LX_N_ROUTINES] = {\n");
    for routine in with_struct() {
        let name = format!("{routine:?}");
        let (lower, upper_name) = (name.to_ascii_lowercase(), upper(&name));
        let written = routine.written().iter();
        let written = written.map(|k| format!("1u << LX_{upper_name}_{}", upper(routine.operands()[*k])));
        let written: Vec<String> = written.collect();
        let _ = writeln!(
            text,
            "    [LX_ROUTINE_{upper_name}] = {{LX_LIBRARY_{}, {}, LX_N_{upper_name}_OPERANDS, {}, sizeof(lx_{lower}) / sizeof(int64_t), {}}},",
            upper(&format!("{:?}", routine.library())),
            routine
                .on_device()
                .map_or("LX_NONE".into(), |l| format!("LX_LIBRARY_{}", upper(&format!("{l:?}")))),
            written.join(" | "),
            if routine.library() == Library::Linalg {
                format!("\"litz_linalg_{lower}\"")
            } else {
                "0".into()
            },
        );
    }
    text.push_str("    [LX_ROUTINE_HOST] = {.library = LX_LIBRARY_HOST, .on_device = LX_NONE}, /* its step's words say more */\n");
    text.push_str("};\n\n#endif\n");
    text
}

/// `linalg/src/routines.rs`: the second library is not made of this crate.
#[cfg(test)]
fn rust_source() -> String {
    let mut text = String::from(
        "//! Written by scripts/generate from src/plan/external.rs: the attributes of this library's routines.\n\npub const VERSION: u32 = ",
    );
    let _ = writeln!(text, "{LINALG_VERSION};");
    for routine in Routine::ALL.iter().filter(|r| r.library() == Library::Linalg) {
        let _ = writeln!(text, "\n#[repr(C)]\npub struct {routine:?} {{");
        for (_, field, _) in routine.fields() {
            let _ = writeln!(text, "    pub {field}: i64,");
        }
        text.push_str("}\n");
    }
    text
}

#[test]
fn the_committed_declarations_are_generated() {
    for (path, text) in [("src/executor/routines.h", c_header()), ("linalg/src/routines.rs", rust_source())] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if std::env::var_os("LITZ_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the declarations can be written");
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == text, "run scripts/generate and commit what it writes");
    }
}
