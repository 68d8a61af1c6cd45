//! Compiles and runs the C++ tests of the native kernel headers for every instruction set that this machine has.
//!
//! The compiler is `CXX`, or `c++`; a machine without one skips the test and says so. The headers' numbers come from the registry of
//! templates; no header has one of its own that Rust code has, too.

use litz::templates::Header;
use std::path::{Path, PathBuf};
use std::process::Command;

fn compiler() -> Option<String> {
    let name = std::env::var("CXX").unwrap_or_else(|_| "c++".to_string());
    Command::new(&name).arg("--version").output().ok().filter(|o| o.status.success()).map(|_| name)
}

/// Name, bytes of a vector and compiler flags of each instruction set, the ones that this machine lacks left out.
fn instruction_sets() -> Vec<(&'static str, i64, &'static [&'static str])> {
    let mut sets: Vec<(&str, i64, &[&str])> = vec![("base", 16, &["-march=x86-64"])];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
        {
            sets.push(("avx2", 32, &["-march=x86-64-v3"]));
        }
        if ["avx512f", "avx512dq", "avx512bw", "avx512vl"].iter().all(|name| has_avx512(name)) {
            sets.push(("avx512", 64, &["-march=x86-64-v4", "-mprefer-vector-width=512"]));
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
    for (name, vector_bytes, flags) in instruction_sets() {
        let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}_{name}"));
        let constants = Header::CPU.iter().map(|header| header.constants(vector_bytes));
        let constants = Header::prelude_constants(vector_bytes) + &constants.collect::<String>();
        let numbers = program.with_extension("h");
        std::fs::write(&numbers, constants).expect("the target's folder can be written");
        let built = Command::new(&compiler)
            .args(["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"])
            .arg("-Wno-unused-function")
            .args(flags)
            .arg("-include")
            .arg(&numbers)
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

#[test]
fn attention_backward() {
    run("attention_backward_test");
}

/// All files below a folder whose names end so, with their text.
fn texts(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push((path.clone(), std::fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    found
}

/// The number that follows a name, as in `NAME 8` or `NAME = 8`, where nothing follows that.
fn number_after(text: &str) -> Option<(&str, i64)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start().trim_start_matches('=').trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let after = rest[digits..].trim_start();
    let alone = after.is_empty() || after.starts_with([';', '}', '/']);
    Some((name, rest[..digits].parse().ok().filter(|_| alone)?))
}

/// A kernel that is compiled for other vectors than it was written for is an error.
#[test]
fn vectors_are_those_of_the_compiler() {
    let (Some(compiler), true) = (compiler(), cfg!(target_arch = "x86_64")) else { return };
    let prelude = concat!(env!("CARGO_MANIFEST_DIR"), "/src/codegen/native/prelude.h");
    let all =
        [("base", 16, "-march=x86-64"), ("avx2", 32, "-march=x86-64-v3"), ("avx512", 64, "-march=x86-64-v4")];
    for (name, bytes, _) in all {
        for (of, own, flag) in all {
            let built = Command::new(&compiler)
                .args(["-std=c++17", "-fsyntax-only", "-Wno-psabi", "-x", "c++", flag])
                .arg(format!("-DLITZ_VECTOR_BYTES={bytes}"))
                .arg(prelude)
                .output()
                .expect("the compiler that gave its version can be run");
            assert_eq!(built.status.success(), bytes == own, "{name} with the flags of {of}");
        }
    }
}

/// The numbers with names that a header defines by itself.
fn own_numbers(text: &str) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        let rest = line.strip_prefix("#define ").or_else(|| line.strip_prefix("constexpr int "));
        let rest = rest.or_else(|| line.strip_prefix("static constexpr int "));
        let names: Vec<&str> = match line.strip_prefix("enum {") {
            Some(list) => list.split(',').map(str::trim).collect(),
            None => rest.into_iter().collect(),
        };
        let numbers = names.into_iter().filter_map(number_after);
        found.extend(numbers.map(|(name, value)| (name.to_ascii_uppercase().replace("LITZ_", ""), value)));
    }
    found
}

/// A name of the other's, or the end of it.
fn is_alike(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| long == short || long.ends_with(&format!("_{short}"));
    ends(one, other) || ends(other, one)
}

#[test]
fn a_number_stands_in_one_language() {
    // The code that knows of kernels.
    let rooms = ["codegen", "kernels", "loop_passes", "loops", "print", "schedule", "target", "templates"];
    let sources = rooms.iter().flat_map(|room| texts(&format!("src/{room}"), ".rs"));
    let constants = sources.flat_map(|(path, text)| {
        let lines: Vec<String> = text.lines().map(|l| l.trim_start().replace("pub ", "")).collect();
        let numbers = lines.into_iter().filter_map(|line| {
            let (name, value) = line.strip_prefix("const ")?.split_once(':')?;
            let value = value.split_once('=')?.1.trim().trim_end_matches(';').parse::<i64>().ok()?;
            Some((name.to_string(), value))
        });
        numbers.map(move |number| (path.clone(), number)).collect::<Vec<_>>()
    });
    let constants: Vec<_> = constants.collect();
    assert!(constants.len() > 60, "the sources have more constants than {}", constants.len());
    let mut problems = Vec::new();
    for (path, text) in texts("src/codegen/native", ".h") {
        for (name, value) in own_numbers(&text) {
            let twins =
                constants.iter().filter(|(_, (other, same))| *same == value && is_alike(&name, other));
            problems.extend(twins.map(|(rust, (other, _))| {
                format!("{}: {name} is {value}, as {other} of {}", path.display(), rust.display())
            }));
        }
    }
    assert!(problems.is_empty(), "numbers for src/templates:\n{}", problems.join("\n"));
}

#[test]
fn a_twin_is_seen() {
    let header = "#define LITZ_EACH 8\n    enum { WARPS = T / 32, THIN = 4, X = 2 };\n#define LITZ_S 3 + 1\n";
    let expected = [("EACH", 8), ("THIN", 4), ("X", 2)];
    assert_eq!(own_numbers(header), expected.map(|(name, value)| (name.to_string(), value)));
    assert!(
        is_alike("EACH", "SORT_EACH") && is_alike("THIN_DOTS", "THIN_DOTS") && !is_alike("REACH", "EACH")
    );
}

#[test]
fn each_header_takes_the_constants_that_it_is_given() {
    let headers = texts("src/codegen/native", ".h");
    let mut seen = std::collections::BTreeSet::new();
    for header in Header::ALL {
        for line in header.constants(64).lines() {
            let name = line.split(' ').nth(1).expect("a name follows");
            assert!(seen.insert(name.to_string()), "{name} has two meanings");
            let text = header.text(64);
            assert!(text.matches(name).count() > 1, "{header:?} does not use {name}");
            let defines = format!("#define {name} ");
            let own = headers.iter().find(|(_, text)| text.contains(&defines));
            assert!(own.is_none(), "{name} is defined in {}", own.unwrap().0.display());
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}
