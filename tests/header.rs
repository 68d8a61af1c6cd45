//! `include/litz/litz.h` is what cbindgen makes of `src/capi`, and it compiles alone under every standard that the
//! compilers at hand know. `LITZ_BLESS=1` rewrites it.

mod common;

use common::{c_compiler, cxx_compiler, root, run};
use std::path::Path;
use std::process::Command;

/// In the order that a reader wants: types, then the functions from graph to run.
const SOURCES: [&str; 19] = [
    "types",
    "error",
    "options",
    "graph",
    "call",
    "nodes",
    "edit",
    "load",
    "weights",
    "compile",
    "executable",
    "training",
    "picture",
    "signature",
    "minify",
    "repro",
    "registry",
    "operators",
    "process",
];

fn generate() -> String {
    let mut builder = cbindgen::Builder::new()
        .with_config(cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml"));
    for name in SOURCES {
        builder = builder.with_src(root().join("src/capi").join(name).with_extension("rs"));
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen reads src/capi").write(&mut text);
    String::from_utf8(text).expect("cbindgen writes UTF-8")
}

#[test]
fn the_committed_header_is_generated() {
    let path = root().join("include/litz/litz.h");
    let generated = generate();
    if std::env::var_os("LITZ_BLESS").is_some() {
        std::fs::write(&path, &generated).expect("the header can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "include/litz/litz.h is not what src/capi says: run scripts/generate and commit what it writes"
    );
}

const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"];

/// Compiles `text` as one file under each standard; standards that the compiler lacks are skipped, all missing is a
/// failure.
fn compiles(compilers: &[String], standards: &[&str], suffix: &str, text: &str) {
    for compiler in compilers {
        compiles_with(compiler, standards, suffix, text);
    }
}

fn compiles_with(compiler: &str, standards: &[&str], suffix: &str, text: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("alone").with_extension(suffix);
    std::fs::write(&file, text).expect("the file can be written");
    let mut done = 0;
    for standard in standards {
        if !knows(compiler, standard, suffix, folder.path()) {
            continue;
        }
        run(Command::new(compiler)
            .arg(standard)
            .args(STRICT)
            .arg("-I")
            .arg(root().join("include"))
            .arg(&file));
        done += 1;
    }
    assert!(done > 0, "{compiler} knows none of {standards:?}");
}

fn knows(compiler: &str, standard: &str, suffix: &str, folder: &Path) -> bool {
    let file = folder.join("empty").with_extension(suffix);
    std::fs::write(&file, "int litz_nothing;\n").expect("the file can be written");
    let tried = Command::new(compiler).arg(standard).arg("-fsyntax-only").arg(&file).output();
    tried.expect("the compiler starts").status.success()
}

/// The compiler that the other tests use, and each of the others that is here.
fn compilers(first: String, others: [&str; 2]) -> Vec<String> {
    let here = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    let others = others.into_iter().filter(here).map(str::to_string);
    let mut all: Vec<String> = others.filter(|name| *name != first).collect();
    all.insert(0, first);
    all
}

fn c_compilers() -> Vec<String> {
    compilers(c_compiler(), ["gcc", "clang"])
}

fn cxx_compilers() -> Vec<String> {
    compilers(cxx_compiler(), ["g++", "clang++"])
}

const C_STANDARDS: [&str; 6] = ["-std=c99", "-std=c11", "-std=c17", "-std=c2x", "-std=gnu99", "-std=gnu17"];
const CXX_STANDARDS: [&str; 6] =
    ["-std=gnu++11", "-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20", "-std=c++23"];

#[test]
fn headers_compile_alone_and_in_any_order() {
    let orders = [
        "#include <litz/litz.h>\n",
        "#include <litz/artifact.h>\n",
        "#include <litz/dlpack.h>\n",
        "#include <litz/artifact.h>\n#include <litz/litz.h>\n",
        "#include <litz/litz.h>\n#include <litz/artifact.h>\n#include <litz/litz.h>\n",
        "#include <litz/litz_ops.h>\n",
        "#include <litz/artifact.h>\n#include <litz/litz_ops.h>\n#include <litz/litz_ops.h>\n",
    ];
    for text in orders {
        let text = format!("{text}int litz_here;\n");
        compiles(&c_compilers(), &C_STANDARDS, "c", &text);
        compiles(&cxx_compilers(), &CXX_STANDARDS, "cpp", &text);
    }
}

/// Warnings that careful projects turn on: what a header does must not show in their builds.
const CAREFUL: [&str; 6] =
    ["-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wcast-qual", "-Wdouble-promotion", "-Wundef"];

#[test]
fn headers_bring_no_warnings_into_careful_projects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let c = "#include <litz/litz_ops.h>\n#include <litz/artifact.h>\nint litz_here;\n";
    let cxx = "#include <litz/litz.hpp>\n#include <litz/litz_ops.h>\nint litz_here;\n";
    let cases = [(c_compilers(), "-std=c99", "c", c), (cxx_compilers(), "-std=c++17", "cpp", cxx)];
    for (compilers, standard, suffix, text) in cases {
        let file = folder.path().join("careful").with_extension(suffix);
        std::fs::write(&file, text).expect("the file can be written");
        for compiler in compilers {
            run(Command::new(compiler)
                .arg(standard)
                .args(STRICT)
                .args(CAREFUL)
                .arg("-I")
                .arg(root().join("include"))
                .arg(&file));
        }
    }
}

#[test]
fn the_cxx_wrapper_compiles_alone() {
    let orders = [
        "#include <litz/litz.hpp>\n",
        "#include <litz/litz_ops.hpp>\n#include <litz/litz.hpp>\n",
        "#include <litz/litz_ops.h>\n#include <litz/litz.hpp>\n",
        "#define LITZ_NO_OPERATORS\n#include <litz/litz.hpp>\n",
    ];
    let since_17 = &CXX_STANDARDS[3..];
    for (k, text) in orders.into_iter().enumerate() {
        // What a standard could dislike is in the first already.
        let standards = if k == 0 { since_17 } else { &since_17[..1] };
        compiles(&cxx_compilers(), standards, "cpp", &format!("{text}int litz_here;\n"));
    }
}
