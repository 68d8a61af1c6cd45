//! The library's binary interface: what it exports, what it needs at load time, and that Rust and C see the same
//! structs and numbers.

mod common;

use common::{c_compiler, library_folder, root, run, shared_library};
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn exports_are_exactly_the_headers_functions() {
    let symbols = run(Command::new("nm").args(["-D", "--defined-only"]).arg(shared_library()));
    let exported: BTreeSet<String> =
        symbols.lines().filter_map(|l| l.split_whitespace().last()).map(str::to_string).collect();
    let declared: BTreeSet<String> = common::functions().into_iter().map(|f| f.name).collect();
    assert!(declared.len() > 50, "the header was not read: {declared:?}");
    let missing: Vec<_> = declared.difference(&exported).collect();
    let extra: Vec<_> = exported.difference(&declared).collect();
    assert!(missing.is_empty() && extra.is_empty(), "not exported: {missing:?}; not declared: {extra:?}");
}

#[test]
fn needs_only_the_c_library_at_load_time() {
    let dynamic = run(Command::new("readelf").arg("-d").arg(shared_library()));
    let named = |what: &str| -> Vec<String> {
        let lines = dynamic.lines().filter(|l| l.contains(what));
        lines.filter_map(|l| Some(l.split_once('[')?.1.split_once(']')?.0.to_string())).collect()
    };
    assert_eq!(named("(SONAME)"), ["liblitz.so.0"]);
    let allowed = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "ld-linux"];
    for needed in named("(NEEDED)") {
        assert!(allowed.iter().any(|a| needed.starts_with(a)), "the library needs {needed}");
    }
}

#[test]
fn functions_have_the_promised_signatures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = library_folder(folder.path());
    common::c_program(folder.path(), &libraries, "signatures.c", &[]);
    // None is left out.
    let promised =
        std::fs::read_to_string(root().join("c_tests/signatures.c")).expect("c_tests/signatures.c");
    for function in common::functions() {
        let name = function.name;
        assert!(
            promised.contains(&format!("= {name};")) && promised.contains(&format!("p_{name} != 0")),
            "c_tests/signatures.c says nothing of {name}"
        );
    }
}

/// What the Rust side declares, as one file that ctest can read alone: the structs and numbers of `capi::types` and of
/// `types::dlpack`, without their imports and methods.
fn rust_view() -> String {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("the source is there");
    let dlpack = read("src/types/dlpack.rs").replace("use super::Dtype;", "");
    let structs = dlpack.split("impl DLDevice").next().unwrap_or_default().to_string();
    let rest = dlpack.split_once("impl DLDevice").expect("the method stands there").1;
    let rest = &rest[rest.find("\n}\n").expect("the method ends") + 3..];
    let rest = rest.split("use Dtype::*").next().unwrap_or_default();
    let types = read("src/capi/types.rs");
    let kept = |text: &str| -> String {
        let lines = text.lines().filter(|l| !l.starts_with("//!") && !l.contains("use super::"));
        lines
            .filter(|l| !l.contains("use crate::") && !l.starts_with("use std::"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let opaque = OPAQUE.map(|name| format!("#[repr(C)] pub struct {name} {{ _opaque: [u8; 0] }}")).join("\n");
    format!(
        "use std::ffi::{{c_char, c_void}};\n{}\n{}\n{opaque}\n{}\n",
        kept(&structs),
        kept(rest),
        kept(&types)
    )
}

/// Handles that structs and callbacks name.
const OPAQUE: [&str; 3] = ["litz_graph", "litz_error", "litz_meta"];

#[test]
fn rust_and_c_see_the_same_types() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("view.rs"), rust_view()).expect("the view can be written");
    let mut generator = ctest::TestGenerator::new();
    generator
        .header("litz/litz.h")
        .out_dir(folder.path())
        .target(&target())
        .skip_private(true)
        // Typedefs of anonymous structs, as DLPack has them, are named without `struct`.
        .rename_struct_ty(|ty| (ty.starts_with("DL") || ty.starts_with("litz_")).then(|| ty.to_string()))
        .rename_type(|ty| (ty == "DLDeviceType").then(|| "int32_t".to_string()))
        // An enum in C, as in DLPack's own header; a number in Rust. Sizes and places are compared.
        .skip_struct_field_type(|s, f| s.ident() == "DLDevice" && f.ident() == "device_type")
        .skip_struct(|s| OPAQUE.contains(&s.ident()))
        // ctest has no words for a nullable pointer to a function that takes one.
        .skip_alias(|a| a.ident() == "litz_parallel_for_fn")
        .skip_signededness(|name| name.ends_with("_fn"));
    generator.generate_files(at("view.rs"), at("generated.rs")).expect("ctest understands the types");
    run(Command::new(c_compiler())
        .args(["-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter", "-c", "-I"])
        .arg(root().join("include"))
        .arg(at("generated.c"))
        .arg("-o")
        .arg(at("generated.o")));
    let main = format!("include!({:?});\ninclude!({:?});\n", at("view.rs"), at("generated.rs"));
    std::fs::write(at("main.rs"), main).expect("the program can be written");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    run(Command::new(rustc)
        .args(["--edition", "2021", "-A", "warnings", "-o"])
        .arg(at("main"))
        .arg(at("main.rs"))
        .arg("-C")
        .arg(format!("link-arg={}", at("generated.o").display())));
    let printed = run(&mut Command::new(at("main")));
    assert!(printed.contains("PASSED"), "ctest ran nothing: {printed}");
}

fn target() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let told = run(Command::new(rustc).arg("-vV"));
    told.lines().find_map(|l| l.strip_prefix("host: ")).expect("rustc tells its host").to_string()
}
