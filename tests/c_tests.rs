//! C and C++ programs against the shared library: each is compiled with warnings as errors, linked with `liblitz.so`
//! and run; it says itself what is wrong.

mod common;

use common::{Function, c_program, functions, library_folder};
use litz::device::cpu;
use litz::target::Isa;
use std::fmt::Write;
use std::path::PathBuf;

struct Bench {
    folder: tempfile::TempDir,
    libraries: PathBuf,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = library_folder(folder.path());
    Bench { folder, libraries }
}

impl Bench {
    fn program(&self, source: &str, arguments: &[&str]) {
        let printed = c_program(self.folder.path(), &self.libraries, source, arguments);
        assert!(printed.contains("all right"), "{source} ended early: {printed}");
    }
    fn path(&self) -> &str {
        self.folder.path().to_str().expect("a temporary folder's path is UTF-8")
    }
}

#[test]
fn graphs_by_handles() {
    bench().program("graph.c", &[]);
}

#[test]
fn graphs_are_read_and_edited() {
    let bench = bench();
    bench.program("edit.c", &[bench.path()]);
}

/// Eight times the graph takes about eight times as long: 64 times is what this would be, were a stage quadratic.
#[test]
fn time_to_compile_grows_with_the_graph() {
    bench().program("../benches/growth.cpp", &["interpreter", "all", "5", "24"]);
}

#[test]
fn a_host_adds_to_the_compiler() {
    let bench = bench();
    bench.program("registry.c", &["interpreter"]);
    bench.program("registry.c", &["cpu"]);
    bench.program("training_passes.c", &[]);
}

#[test]
fn operators_of_a_host() {
    let bench = bench();
    bench.program("operators.c", &["interpreter"]);
    bench.program("operators.c", &["cpu", bench.path()]);
    bench.program("expressions.c", &["interpreter"]);
    bench.program("expressions.c", &["cpu"]);
    bench.program("operator_sources.c", &[bench.path()]);
}

#[test]
fn lines_that_programs_print() {
    let bench = bench();
    bench.program("prints.c", &["interpreter"]);
    bench.program("prints.c", &["cpu", bench.path()]);
}

#[test]
fn programs_that_call_operators_of_a_host() {
    let bench = bench();
    let data = |name: &str| common::root().join("tests/data").join(name).display().to_string();
    let programs = [data("custom_operators.pt2"), data("custom_operators_decomposed.pt2")];
    for backend in ["interpreter", "cpu"] {
        bench.program("custom_operators.c", &[backend, &programs[0], &programs[1]]);
    }
}

#[test]
fn inputs_that_share_memory() {
    let bench = bench();
    bench.program("aliases.c", &["interpreter"]);
    bench.program("aliases.c", &["cpu", bench.path()]);
}

#[test]
fn threads_with_small_stacks() {
    let bench = bench();
    bench.program("small_stack.c", &["interpreter"]);
    bench.program("small_stack.c", &["cpu"]);
}

#[test]
fn compiling_with_examples() {
    let bench = bench();
    bench.program("compile_with.c", &["interpreter"]);
    bench.program("compile_with.c", &["cpu"]);
}

#[test]
fn options_by_key() {
    let bench = bench();
    bench.program("options.c", &[bench.path()]);
}

#[test]
fn what_is_wrong_is_found() {
    let planted = if cfg!(debug_assertions) { "planted" } else { "sound" };
    bench().program("debug.c", &[planted]);
}

#[test]
fn failures_in_a_folder() {
    let bench = bench();
    let (include, libraries) = (common::root().join("include"), bench.libraries.display());
    let flags =
        format!("-Wall -Wextra -Werror -I{} -L{libraries} -llitz -Wl,-rpath,{libraries}", include.display());
    bench.program("repro.c", &[bench.path(), &flags]);
}

#[test]
fn smallest_parts_of_graphs() {
    let planted = if cfg!(debug_assertions) { "planted" } else { "sound" };
    bench().program("minify.c", &[planted]);
}

#[test]
fn pictures_and_pages() {
    let bench = bench();
    bench.program("picture.c", &["interpreter", bench.path()]);
    bench.program("picture.c", &["cpu", bench.path()]);
}

#[test]
fn onnx_models() {
    let bench = bench();
    bench.program("onnx.c", &["interpreter", bench.path()]);
}

#[test]
fn weights_from_files() {
    let bench = bench();
    let data = common::root().join("tests/data/weights");
    for backend in ["interpreter", "cpu"] {
        bench.program("weights.c", &[backend, data.to_str().expect("the path is UTF-8"), bench.path()]);
    }
}

#[test]
fn training_from_c() {
    let bench = bench();
    bench.program("training.c", &["interpreter"]);
    bench.program("training.c", &["cpu"]);
}

#[test]
fn what_stands_around_training() {
    let bench = bench();
    bench.program("training_wrappers.c", &["interpreter"]);
    bench.program("training_wrappers.c", &["cpu"]);
}

#[test]
fn training_goes_on_from_a_checkpoint() {
    let bench = bench();
    bench.program("checkpoint.c", &["interpreter", bench.path()]);
    bench.program("checkpoint.c", &["cpu", bench.path()]);
}

#[test]
fn traces_logs_and_counters() {
    let bench = bench();
    bench.program("watch.c", &[bench.path()]);
}

#[test]
fn runs_on_the_interpreter() {
    let bench = bench();
    bench.program("run.c", &["interpreter", bench.path()]);
}

#[test]
fn runs_on_the_cpu() {
    let bench = bench();
    bench.program("run.c", &["cpu", bench.path()]);
}

#[test]
fn the_cxx_wrapper_works() {
    bench().program("wrapper.cpp", &["interpreter"]);
}

/// The wrapper has everything that the C ABI has.
#[test]
fn the_cxx_wrapper_leaves_no_function_out() {
    // An error's code is the status that the call gave; a C++ callback throws instead of making errors.
    let needless = ["litz_error_code", "litz_error_new"];
    let wrapper = std::fs::read_to_string(common::root().join("include/litz/litz.hpp")).expect("litz.hpp");
    let used = |name: &str| {
        let after =
            |at: usize| wrapper[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        wrapper.match_indices(name).any(|(at, _)| !after(at))
    };
    let missing: Vec<String> = functions().into_iter().map(|f| f.name).filter(|n| !used(n)).collect();
    assert_eq!(missing.iter().filter(|n| !needless.contains(&n.as_str())).count(), 0, "{missing:?}");
}

#[test]
fn graphs_from_text_and_archives() {
    let bench = bench();
    let archive = common::root().join("tests/data/mlp.pt2");
    bench.program("load.c", &[bench.path(), archive.to_str().expect("the path is UTF-8")]);
}

#[test]
fn signatures_of_graphs_executables_and_artifacts() {
    let bench = bench();
    let archive = common::root().join("tests/data/trees/plain.pt2");
    bench.program("spec.c", &[bench.path(), archive.to_str().expect("the path is UTF-8")]);
}

#[test]
fn unused_inputs_and_constants_and_frozen_ones() {
    let bench = bench();
    bench.program("unused.c", &[bench.path()]);
}

#[test]
fn results_that_are_parts_of_one_value() {
    let bench = bench();
    bench.program("parts.c", &["interpreter"]);
    bench.program("parts.c", &["cpu"]);
}

#[test]
fn artifacts_of_frozen_programs_hold_what_was_made_of_constants() {
    let bench = bench();
    bench.program("frozen.c", &[bench.path()]);
}

#[test]
fn artifacts_with_and_without_the_library() {
    let bench = bench();
    bench.program("artifact.c", &[bench.path()]);
    // The host that knows dlopen and artifact.h only is linked without the library.
    let host = bench.folder.path().join("artifact_host");
    common::run(
        std::process::Command::new(common::c_compiler())
            .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
            .arg(common::root().join("include"))
            .arg(common::root().join("c_tests/artifact_host.c"))
            .arg("-o")
            .arg(&host)
            .arg("-ldl"),
    );
    let moved = bench.folder.path().join("elsewhere.so");
    std::fs::rename(bench.folder.path().join("saved.so"), &moved).expect("the artifact can be moved");
    let printed = common::run(std::process::Command::new(&host).arg(&moved).env("PATH", "/nonexistent"));
    assert!(printed.contains("all right"), "{printed}");
}

#[test]
fn memory_is_shared_and_given_back() {
    let bench = bench();
    bench.program("shared_memory.c", &[bench.path()]);
}

#[test]
fn one_pool_of_threads() {
    let bench = bench();
    bench.program("pool.c", &[bench.path()]);
}

#[test]
fn artifacts_from_memory_and_of_several_kinds() {
    let bench = bench();
    let more: &[&str] = match cpu::native_isa() {
        Isa::Scalar => &[],
        Isa::Avx2 => &["avx2"],
        Isa::Avx512 => &["avx2", "avx512"],
    };
    bench.program("artifact_forms.c", &[bench.path(), &more.join(",")]);
}

#[test]
fn runs_and_compilations_are_cancelled() {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench();
    // A compiler as long as there is a file `ends`. Otherwise it answers what compilers are asked, and then does not end.
    let compiler = bench.folder.path().join("compiler");
    let text = "#!/bin/sh\n[ -e \"${0%/*}/ends\" ] && exec c++ \"$@\"\n\
        case \"$*\" in *-dM*) echo '#define __GNUC__ 14'; exit;; --version) echo fake; exit;; esac\nsleep 600\n";
    std::fs::write(&compiler, text).expect("the script can be written");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("a script's mode");
    bench.program("cancel.c", &[bench.path(), compiler.to_str().expect("the path is UTF-8")]);
}

#[test]
fn artifacts_linked_into_one_program() {
    let bench = bench();
    bench.program("prefixed.c", &[bench.path()]);
    let (folder, host) = (bench.folder.path(), bench.folder.path().join("artifact_linked"));
    common::run(
        std::process::Command::new(common::c_compiler())
            .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
            .arg(common::root().join("include"))
            .arg(common::root().join("c_tests/artifact_linked.c"))
            .args([folder.join("one.so"), folder.join("two.so")])
            .arg("-o")
            .arg(&host),
    );
    let printed = common::run(std::process::Command::new(&host).arg(folder.join("two.so")));
    assert!(printed.contains("all right"), "{printed}");
}

/// Functions that only a callback has arguments for: its own test gives them NULL.
const WITHIN_CALLBACKS: [&str; 1] = ["litz_meta_output"];

/// Pointers that may be NULL, by function (`*`: every one) and parameter.
const NULLABLE: &[(&str, &str)] = &[
    ("*", "err"),
    ("*", "ro"),
    ("litz_graph_new", "o"),
    ("litz_graph_from_pt2", "o"),
    ("litz_graph_from_pt2_memory", "o"),
    ("litz_graph_from_onnx", "o"),
    ("litz_graph_from_onnx_memory", "o"),
    ("litz_graph_from_onnx_memory", "folder"),
    ("litz_graph_from_export_json", "o"),
    ("litz_graph_from_export_json_with_weights", "o"),
    ("litz_graph_weight", "name"),
    ("litz_graph_from_text", "o"),
    ("litz_compile", "o"),
    ("litz_compile_with", "o"),
    ("litz_compile_with", "examples"),
    ("litz_compile_with", "static_inputs"),
    ("litz_compile_artifact", "o"),
    ("litz_executable_open", "o"),
    ("litz_executable_open_memory", "o"),
    ("litz_options_get", "o"),
    ("litz_options_json", "o"),
    ("litz_machine_describe", "o"),
    ("litz_cache_describe", "o"),
    ("litz_cache_prune", "o"),
    ("litz_options_set_log", "fn"),
    ("litz_options_set_registry", "r"),
    ("litz_registry_add_pass", "context"),
    ("litz_registry_add_decomposition", "context"),
    ("litz_registry_add_cleanup", "context"),
    ("litz_options_set_log", "context"),
    ("litz_options_set_trace", "fn"),
    ("litz_options_set_trace", "context"),
    ("litz_minify", "context"),
    ("litz_predicate_new", "o"),
    ("litz_graph_set_metadata", "value"),
    ("litz_graph_save_repro", "o"),
    ("litz_graph_from_repro_with", "r"),
    ("litz_repro_inputs", "o"),
    ("litz_graph_differentiate", "cotangents"),
    ("litz_compile_training", "o"),
    ("litz_graph_export_joint", "o"),
];

fn is_pointer((ty, _): &(String, String)) -> bool {
    ty.ends_with('*') || ty.ends_with("_fn")
}

fn nullable(function: &str, parameter: &str) -> bool {
    NULLABLE.iter().any(|(f, p)| (*f == "*" || *f == function) && *p == parameter)
}

/// A valid argument for a parameter; the names are those of `null_fixture.h`.
fn valid(function: &str, (ty, name): &(String, String)) -> String {
    match (ty.as_str(), name.as_str()) {
        // Nothing of the cache may go.
        ("uint64_t", "max_bytes") => "UINT64_MAX".into(),
        ("uint64_t", _) => "1".into(),
        ("uint64_t *", _) => "&out_state".into(),
        ("const litz_graph *" | "litz_graph *", _) => "g".into(),
        ("const litz_options *" | "litz_options *", _) => "o".into(),
        ("const litz_executable *" | "litz_executable *", _) => "e".into(),
        ("const litz_training *" | "litz_training *", _) => "t".into(),
        ("litz_training **", _) => "&out_training".into(),
        ("litz_saved *", _) => "s".into(),
        ("litz_saved **", _) => "&out_saved".into(),
        ("const litz_error *" | "litz_error *", _) => "an_error".into(),
        ("const litz_string *" | "litz_string *", _) => "a_string".into(),
        ("litz_error **", "err") => "&err".into(),
        ("litz_graph **", _) => "&out_graph".into(),
        ("litz_predicate **", _) => "&out_predicate".into(),
        ("litz_predicate *", _) => "p".into(),
        ("void *", "context") if function == "litz_predicate_holds" => "p".into(),
        ("int32_t *", _) => "&out_answer".into(),
        ("const char *", "kind") if function == "litz_graph_optimizer_step" => "\"sgd\"".into(),
        ("const char *", "kind") => "\"compile_fails\"".into(),
        ("litz_options **", _) => "&out_options".into(),
        ("litz_executable **", _) => "&out_executable".into(),
        ("litz_string **", _) => "&out_string".into(),
        ("DLManagedTensorVersioned **", "outputs" | "grads") => "out_tensors".into(),
        ("DLManagedTensorVersioned **", _) => "&out_tensors[0]".into(),
        ("DLManagedTensorVersioned *", _) => "out_tensors[0]".into(),
        ("litz_value *", _) => "&out_value".into(),
        ("const litz_value *", _) => "&x".into(),
        ("const litz_registry *" | "litz_registry *", _) => "r".into(),
        ("litz_registry **", _) => "&out_registry".into(),
        ("const litz_weights *" | "litz_weights *", _) => "w".into(),
        ("litz_weights **", _) => "&out_weights".into(),
        ("const char *", "tensor") => "\"t\"".into(),
        ("const litz_backend *", _) => "&backend".into(),
        // Only a callback has one.
        ("litz_meta *", _) => "NULL".into(),
        ("const litz_operator *", _) => "&operator_of_a_host".into(),
        ("const char *", "schema") => "\"mylib::fresh(Tensor x) -> Tensor\"".into(),
        ("litz_pass_fn", _) => "a_pass".into(),
        ("litz_decomposition_fn", _) => "a_rule".into(),
        ("litz_release_fn", _) => "a_release".into(),
        ("const char *", "point") => "\"joint\"".into(),
        ("litz_node *", _) => "&out_node".into(),
        ("const litz_node *", _) => "&node".into(),
        ("litz_node", _) => "node".into(),
        ("litz_node_info *", _) => "&node_info".into(),
        ("size_t *", _) => "&out_count".into(),
        ("litz_tensor_info *", _) => "&info".into(),
        ("const litz_tensor_spec *", _) => "&spec".into(),
        ("const litz_arg *", _) => "&arg".into(),
        ("const DLTensor *", _) => "&tensor".into(),
        ("const DLTensor *const *", _) => "tensors".into(),
        ("DLTensor *", _) => "&inferred".into(),
        ("const char *const *", _) => "names".into(),
        ("const char *", "op") => "\"aten.relu\"".into(),
        ("const char *", "key") => "\"backend\"".into(),
        ("const char *", "format") => "\"svg\"".into(),
        ("const char *", "value") => "\"auto\"".into(),
        // Nothing can be made there, whoever runs the tests.
        ("const char *", "folder") => "\"/dev/null/litz\"".into(),
        ("const char *", "path") => "\"/nonexistent/litz\"".into(),
        ("const char *", _) => "\"fresh\"".into(),
        ("const uint8_t *", _) => "flags".into(),
        ("const void *", _) => "\"fresh\"".into(),
        ("void *", _) => "&out_count".into(),
        ("const litz_run_options *", _) => "&ro".into(),
        ("litz_log_fn", _) => "a_log".into(),
        ("litz_trace_fn", _) => "a_trace".into(),
        ("litz_predicate_fn", _) => "a_predicate".into(),
        ("litz_value", _) => "x".into(),
        ("size_t", "k") => "0".into(),
        ("size_t", "size") => "5".into(),
        ("size_t", _) => "1".into(),
        ("uint32_t" | "int32_t" | "int64_t" | "litz_status", n) => match n {
            "dtype" => "LITZ_DTYPE_INT64".into(),
            "device_type" | "max" => "1".into(),
            "header_version" => "LITZ_ABI_VERSION".into(),
            _ => "0".into(),
        },
        other => panic!("{function}: no valid argument is known for {other:?}"),
    }
}

/// One C function that calls `function` with NULL for parameter `k` (all of them for `None`) and checks the outcome.
fn null_call(function: &Function, k: Option<usize>) -> String {
    let null = |i: usize| k.is_none_or(|k| k == i) && is_pointer(&function.parameters[i]);
    let arguments: Vec<String> = (0..function.parameters.len())
        .map(|i| if null(i) { "NULL".to_string() } else { valid(&function.name, &function.parameters[i]) })
        .collect();
    let call = format!("{}({})", function.name, arguments.join(", "));
    let status = function.result == "litz_status" && function.name != "litz_error_code";
    let reports = status && k.is_some_and(|k| function.parameters[k].1 != "err");
    let mut code = String::from("    begin();\n");
    if !status {
        let _ = writeln!(code, "    (void){call};");
    } else if reports && !nullable(&function.name, &function.parameters[k.unwrap_or(0)].1) {
        let name = &function.parameters[k.unwrap_or(0)].1;
        let _ = writeln!(code, "    EXPECT_NULL_ERROR({call}, \"`{name}`\");");
    } else {
        let _ = writeln!(code, "    expect_nothing({call});");
    }
    code.push_str("    end();\n");
    code
}

#[test]
fn null_in_every_pointer_of_every_function() {
    let mut calls = String::new();
    let mut count = 0;
    for function in functions().into_iter().filter(|f| !WITHIN_CALLBACKS.contains(&f.name.as_str())) {
        let pointers: Vec<usize> =
            (0..function.parameters.len()).filter(|i| is_pointer(&function.parameters[*i])).collect();
        // A handle that is released stays released: only NULL is given to those.
        let single = if function.name.ends_with("_release") { Vec::new() } else { pointers.clone() };
        for k in single.into_iter().map(Some).chain((!pointers.is_empty()).then_some(None)) {
            calls.push_str(&null_call(&function, k));
            count += 1;
        }
    }
    assert!(count > 150, "the header has fewer pointers than it should: {count}");
    let program = format!(
        "#include \"null_fixture.h\"\n\nint main(void) {{\n    prepare();\n{calls}    puts(\"all right\");\n    return 0;\n}}\n"
    );
    let bench = bench();
    let source = bench.folder.path().join("null_pointers.c");
    std::fs::write(&source, program).expect("the program can be written");
    bench.program(source.to_str().expect("the path is UTF-8"), &[]);
}

/// One C function that calls `function` with valid arguments while every export panics.
#[cfg(debug_assertions)]
fn panicking_call(function: &Function) -> String {
    let arguments: Vec<String> = function.parameters.iter().map(|p| valid(&function.name, p)).collect();
    let call = format!("{}({})", function.name, arguments.join(", "));
    let mut code = String::from("    begin();\n    setenv(\"LITZ_TEST_PLANT\", \"panic\", 1);\n");
    let status = function.result == "litz_status" && function.name != "litz_error_code";
    if status {
        let _ = writeln!(code, "    EXPECT_PANIC({call});");
    } else {
        let _ = writeln!(code, "    (void){call};");
    }
    code.push_str("    unsetenv(\"LITZ_TEST_PLANT\");\n    end();\n");
    code
}

/// Release builds have no such hook.
#[cfg(debug_assertions)]
#[test]
fn no_panic_leaves_an_export() {
    let functions = functions();
    let calls: String = functions.iter().map(panicking_call).collect();
    let program = format!(
        "#define _GNU_SOURCE\n#include \"null_fixture.h\"\n\nint main(void) {{\n    prepare();\n{calls}    puts(\"all right\");\n    return 0;\n}}\n"
    );
    let bench = bench();
    let source = bench.folder.path().join("panics.c");
    std::fs::write(&source, program).expect("the program can be written");
    bench.program(source.to_str().expect("the path is UTF-8"), &[]);
}
