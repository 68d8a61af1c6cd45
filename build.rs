//! Compiles the executor: once into the library, and as relocatable objects that the library embeds, from which
//! every artifact is linked.

use std::path::{Path, PathBuf};

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in std::fs::read_dir("src/executor").expect("src/executor is a folder").flatten() {
        println!("cargo:rerun-if-changed={}", file.path().display());
    }
    println!("cargo:rerun-if-changed=include/litz/artifact.h");
    println!("cargo:rerun-if-changed=include/litz/dlpack.h");

    // The machine that generated code is for is the one that the library itself is built for.

    executor(&out, "unity.c", "executor_here.o", &[], false).compile("litz_executor");
    // Nobody observes or profiles what an artifact runs by itself, and its constants stay where they are.
    executor(&out, "unity.c", "executor.o", &[("LX_IS_WATCHED", "0")], true);
    executor(&out, "unity.c", "executor_cpu.o", &[("LX_IS_WATCHED", "0"), ("LX_HAS_GPU", "0")], true);
    executor(&out, "artifact.c", "artifact.o", &[], true);

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

/// Compiles one file of `src/executor` and keeps its object as `$OUT_DIR/<object>`, to be embedded. Functions have sections
/// of their own, of which an artifact's linker drops those that it does not need.
fn executor(
    out: &Path,
    source: &str,
    object: &str,
    defines: &[(&str, &str)],
    is_embedded: bool,
) -> cc::Build {
    let mut build = cc::Build::new();
    for (name, value) in defines {
        build.define(name, *value);
    }
    build
        .file(Path::new("src/executor").join(source))
        .std("c11")
        .opt_level(2)
        .debug(false)
        .pic(true)
        .force_frame_pointer(false)
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .flag("-fvisibility=hidden")
        .flag("-ffunction-sections")
        .flag("-fdata-sections")
        .flag("-pthread");
    if is_embedded {
        // Loops and functions are short: padding before them is a page of every artifact.
        for flag in ["-falign-functions=8", "-fno-align-loops", "-fno-align-jumps"] {
            build.flag_if_supported(flag);
        }
    }
    let objects = build.compile_intermediates();
    std::fs::copy(&objects[0], out.join(object)).expect("the executor's object can be copied");
    build
}
