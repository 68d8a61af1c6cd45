//! Compiles the executor: once into the library, and as relocatable objects that the library embeds, from which
//! every artifact is linked. Native headers are embedded, too. What is embedded is deflated.

use std::path::{Path, PathBuf};

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in std::fs::read_dir("src/executor").expect("src/executor is a folder").flatten() {
        println!("cargo:rerun-if-changed={}", file.path().display());
    }
    println!("cargo:rerun-if-changed=include/litz/artifact.h");
    println!("cargo:rerun-if-changed=include/litz/dlpack.h");
    // The machine that generated code is for is the one that the library itself is built for.
    executor(&out, "unity.c", "2", &[], None).compile("litz_executor");

    println!("cargo:rerun-if-changed=src/codegen/native");
    for folder in ["", "cuda/"] {
        let files =
            std::fs::read_dir(format!("src/codegen/native/{folder}")).expect("native headers lie in folders");
        for file in files.flatten().filter(|f| f.path().is_file()) {
            let text = std::fs::read_to_string(file.path()).expect("a file of this build can be read");
            let name = format!("native/{folder}{}", file.file_name().display());
            deflate(&out, without_comments(&text).as_bytes(), &name);
        }
    }

    schemas(&out);

    // Nobody observes or profiles what an artifact runs by itself, and its constants stay where they are.
    let apart = [("LX_IS_WATCHED", "0"), ("LX_HAS_LINALG", "0")];
    // The driver's share of a launch is many times the executor's.
    executor(&out, "unity.c", "s", &apart, Some("executor.o"));
    executor(&out, "unity.c", "2", &[apart[0], apart[1], ("LX_HAS_GPU", "0")], Some("executor_cpu.o"));
    executor(&out, "linalg.c", "s", &[], Some("linalg.o"));
    executor(&out, "artifact.c", "s", &[], Some("artifact.o"));

    println!("cargo:rerun-if-changed=src/device/limits.c");
    let mut limits = cc::Build::new();
    // Multiplications and additions join, as kernels' do.
    limits
        .file("src/device/limits.c")
        .std("gnu11")
        .opt_level(3)
        .debug(false)
        .pic(true)
        .flag("-ffp-contract=fast");
    limits.flag("-fvisibility=hidden").warnings(true).extra_warnings(true).warnings_into_errors(true);
    limits.compile("litz_limits");
}

/// Embeds names and schemas of all operators, a line each in the order of the table: the macro of a family hands its rows on to
/// that of another.
fn schemas(out: &Path) {
    println!("cargo:rerun-if-changed=src/ops/rows");
    let read = |family: &str| {
        let path = format!("src/ops/rows/{family}.rs");
        let text = std::fs::read_to_string(path).expect("a family has a file");
        let next = text.split("$crate::ops::rows::").nth(1).and_then(|rest| rest.split("_rows!").next());
        (next.map(str::to_string), text)
    };
    let mut lines = Vec::new();
    let (mut next, _) = read("mod");
    while let Some(family) = next {
        let text;
        (next, text) = read(&family);
        // A row: `Id "name" "schema" Class …`.
        for line in text.lines() {
            if let Some((id, rest)) = line.split_once(" \"")
                && !id.contains('/')
                && let Some((name, rest)) = rest.split_once("\" \"")
                && let Some((schema, _)) = rest.rsplit_once("\" ")
            {
                lines.push(format!("{name} {}", schema.replace("\\\"", "\"")));
            }
        }
    }
    deflate(out, (lines.join("\n") + "\n").as_bytes(), "schemas");
}

/// A native header without its comments, which are for readers of this repository, and with a tab for each four spaces.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let code = line.find("// ").map_or(line, |at| &line[..at]).trim_end();
        if !code.is_empty() && !code.trim_start().starts_with("//") {
            let inner = code.trim_start_matches(' ');
            let spaces = code.len() - inner.len();
            kept.extend(std::iter::repeat_n('\t', spaces / 4).chain(std::iter::repeat_n(' ', spaces % 4)));
            kept.push_str(inner);
            kept.push('\n');
        }
    }
    kept
}

/// Deflates a file into `$OUT_DIR/embedded/<name>`, where the macro `embedded!` finds it.
fn embed(out: &Path, file: &Path, name: &str) {
    deflate(out, &std::fs::read(file).expect("a file of this build can be read"), name);
}
fn deflate(out: &Path, content: &[u8], name: &str) {
    let packed = out.join("embedded").join(name);
    std::fs::create_dir_all(packed.parent().expect("a file lies in a folder"))
        .expect("OUT_DIR can be written");
    // Its last twentieth takes seconds, which a library that is shipped is worth.
    let tries = if std::env::var("PROFILE").as_deref() == Ok("release") { 15 } else { 1 };
    let options = zopfli::Options {
        iteration_count: std::num::NonZeroU64::new(tries).expect("a number of tries"),
        ..Default::default()
    };
    let file = std::fs::File::create(packed).expect("OUT_DIR can be written");
    zopfli::compress(options, zopfli::Format::Deflate, content, file).expect("OUT_DIR can be written");
}

/// Compiles one file of `src/executor`, and embeds its object under its name where that is asked for. Functions have sections
/// of their own, of which an artifact's linker drops those that it does not need.
fn executor(
    out: &Path,
    source: &str,
    level: &str,
    defines: &[(&str, &str)],
    embedded: Option<&str>,
) -> cc::Build {
    let mut build = cc::Build::new();
    for (name, value) in defines {
        build.define(name, *value);
    }
    build
        .file(Path::new("src/executor").join(source))
        .std("c11")
        .opt_level_str(level)
        .debug(false)
        .pic(true)
        .force_frame_pointer(false)
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .flag("-fvisibility=hidden")
        .flag("-ffunction-sections")
        .flag("-pthread");
    // Loops and functions are short: padding before them is a page of every artifact. Nothing unwinds through them.
    let short = ["-falign-functions=8", "-fno-align-loops", "-fno-align-jumps"];
    for flag in short.into_iter().chain(["-fno-asynchronous-unwind-tables"]) {
        build.flag_if_supported(flag);
    }
    let objects = build.compile_intermediates();
    if let Some(name) = embedded {
        embed(out, &objects[0], name);
    }
    build
}
