//! Compiles and runs the C++ tests of the native kernel headers for every instruction set that this machine has.
//!
//! The compiler is `CXX`, or `c++`; a machine without one skips the test and says so.

use std::path::{Path, PathBuf};
use std::process::Command;

fn compiler() -> Option<String> {
    let name = std::env::var("CXX").unwrap_or_else(|_| "c++".to_string());
    Command::new(&name).arg("--version").output().ok().filter(|o| o.status.success()).map(|_| name)
}

/// Name and compiler flags of each instruction set, the ones that this machine lacks left out.
fn instruction_sets() -> Vec<(&'static str, &'static [&'static str])> {
    let mut sets: Vec<(&str, &[&str])> = vec![("base", &["-march=x86-64"])];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
        {
            sets.push(("avx2", &["-march=x86-64-v3"]));
        }
        if ["avx512f", "avx512dq", "avx512bw", "avx512vl"].iter().all(|name| has_avx512(name)) {
            sets.push(("avx512", &["-march=x86-64-v4", "-mprefer-vector-width=512"]));
        }
    }
    sets
}

#[cfg(target_arch = "x86_64")]
fn has_avx512(name: &str) -> bool {
    match name {
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512dq" => is_x86_feature_detected!("avx512dq"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        _ => is_x86_feature_detected!("avx512vl"),
    }
}

fn run(test: &str) {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let Some(compiler) = compiler() else {
        eprintln!("no C++ compiler: {test} is not run");
        return;
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/native").join(format!("{test}.cpp"));
    for (name, flags) in instruction_sets() {
        let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}_{name}"));
        let built = Command::new(&compiler)
            .args(["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"])
            .arg("-Wno-unused-function")
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .output()
            .expect("the compiler that gave its version can be run");
        assert!(built.status.success(), "{test} for {name}:\n{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&program).output().expect("what was just built can be run");
        assert!(ran.status.success(), "{test} for {name}:\n{}", String::from_utf8_lossy(&ran.stdout));
    }
}

#[test]
fn prelude() {
    run("prelude_test");
}

#[test]
fn gemm() {
    run("gemm_test");
}

#[test]
fn convolution() {
    run("conv_test");
}

#[test]
fn attention() {
    run("attention_test");
}
