//! `litz_ops.h` and `litz_ops.hpp` are what the operator table says: they are made again and compared
//! (`LITZ_BLESS=1` rewrites them), compiled, and every function in them is called.

#[path = "../common/mod.rs"]
mod common;

mod c;
mod cxx;
mod operators;

use common::root;
use operators::{Kind, Operator, Parameter, Results, operators};
use std::fmt::Write;

/// The committed file is what is generated; `scripts/generate` writes it.
fn up_to_date(file: &str, generated: &str) {
    let path = root().join("include/litz").join(file);
    if std::env::var_os("LITZ_BLESS").is_some() {
        std::fs::write(&path, generated).expect("the header can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "include/litz/{file} is not what the operator table says: run scripts/generate and commit what it writes"
    );
}

#[test]
fn the_committed_c_header_is_generated() {
    up_to_date("litz_ops.h", &c::header(&operators()));
}

#[test]
fn the_committed_cxx_header_is_generated() {
    up_to_date("litz_ops.hpp", &cxx::header(&operators()));
}

/// Every function is called in C with an argument of its kind for every parameter, and with all left out that may be.
/// What the operator makes of them is not the question: no call may fail because the function named an argument that
/// the operator lacks, gave one of another kind, or forgot one.
#[test]
fn every_c_function_says_what_its_operator_takes() {
    let operators = operators();
    let mut names: Vec<String> = operators.iter().map(c::name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), operators.len(), "two operators have one name in C");

    let mut code = String::from("#include \"ops_fixture.h\"\n\nint main(void) {\n");
    for op in &operators {
        for all in [true, false] {
            let call = c_call(op, all);
            let _ = writeln!(code, "    begin(\"{}\");\n{call}", op.name);
        }
    }
    code.push_str("    return finish();\n}\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let source = folder.path().join("every_operator.c");
    std::fs::write(&source, code).expect("the program can be written");
    let printed =
        common::c_program(folder.path(), &libraries, source.to_str().expect("the path is UTF-8"), &[]);
    assert!(printed.contains("all right"), "{printed}");
}

fn c_call(op: &Operator, all: bool) -> String {
    let mut list = vec!["graph".to_string()];
    for p in &op.parameters {
        let given = all || !p.omittable();
        for (k, (ty, _)) in c::declarations(p).into_iter().enumerate() {
            list.push(c_argument(p, ty, k == 1, given));
        }
    }
    let call = |extra: &str| format!("{}({}{extra})", c::name(op), list.join(", "));
    match op.results {
        Results::None => format!("    status({});", call("")),
        Results::One => format!("    value({});", call("")),
        Results::Fixed(n) => format!("    values({}, {n});", call(", outs")),
        Results::List => format!("    value({});", call(", outs, 8, &n_outs")),
    }
}

/// An argument of the parameter's kind, from the fixture's variables; or what says that it is left out.
fn c_argument(p: &Parameter, ty: &str, count: bool, given: bool) -> String {
    let text = match (ty, p.kind) {
        ("litz_scalar", _) if !given => "litz_scalar_default()",
        ("litz_scalar", Kind::Int | Kind::SymInt) => "litz_scalar_int(1)",
        ("litz_scalar", Kind::Bool) => "litz_scalar_bool(1)",
        ("litz_scalar", _) => "litz_scalar_float(0.5)",
        ("litz_ints", _) if !given => "litz_ints_default()",
        ("litz_ints", _) => return format!("litz_ints_of(ones, {})", p.length.unwrap_or(2)),
        // A plain number cannot be left out.
        ("int64_t", _) => "1",
        ("double", _) => "0.5",
        ("int32_t", Kind::Bool) => "1",
        ("DLDevice", _) => return if given { "cpu" } else { "no_device" }.to_string(),
        ("size_t", _) if count => return if given { p.length.unwrap_or(2).to_string() } else { "0".into() },
        _ if !given && ty.ends_with('*') => "NULL",
        _ if !given => "0",
        ("litz_value", _) => "x",
        ("const litz_value *", _) => "two",
        ("const double *", _) => "halves",
        ("const int64_t *", _) => "ones",
        ("const char *", _) => "\"none\"",
        ("int32_t", Kind::Dtype) => "LITZ_DTYPE_FLOAT32",
        ("int32_t", Kind::Layout) => "LITZ_LAYOUT_STRIDED",
        ("int32_t", _) => "LITZ_MEMORY_FORMAT_CONTIGUOUS",
        other => panic!("no argument is known for {other:?}"),
    };
    text.to_string()
}

/// Overload resolution finds exactly one function for every number of arguments that one can be called with, whether
/// they are variables or numbers as one writes them.
#[test]
fn every_cxx_function_can_be_called_with_every_number_of_arguments() {
    let operators = operators();
    let functions = cxx::functions(&operators);
    assert_eq!(functions.len(), operators.len());
    let mut code = String::from(
        "#include <litz/litz_ops.hpp>\nusing namespace litz;\nvoid every(Graph &graph, const Value &x) {\n",
    );
    for function in &functions {
        for count in function.least..=function.types.len() {
            let mut list: Vec<&str> = function.types[..count].iter().map(|ty| cxx_argument(ty)).collect();
            if cxx::takes_graph(function.operator) {
                list.insert(0, "graph");
            }
            let result = match function.operator.results {
                Results::None => String::new(),
                Results::One => "const Value y = ".into(),
                Results::Fixed(n) => format!("const std::array<Value, {n}> y = "),
                Results::List => "const std::vector<Value> y = ".into(),
            };
            let (space, name) = (function.operator.namespace(), &function.name);
            let _ = writeln!(code, "    {{ {result}litz::{space}::{name}({}); }}", list.join(", "));
        }
    }
    code.push_str("}\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("every_operator.cpp");
    std::fs::write(&source, code).expect("the program can be written");
    common::run(
        std::process::Command::new(common::cxx_compiler())
            .args(["-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused", "-fsyntax-only"])
            .arg("-I")
            .arg(root().join("include"))
            .arg(&source),
    );
}

fn cxx_argument(ty: &str) -> &'static str {
    match ty.trim_start_matches("const ").trim_end_matches(" &") {
        "Value" => "x",
        "std::vector<Value>" | "std::optional<std::vector<Value>>" => "std::vector<Value>{x, x}",
        list if list.starts_with("IntList<true") => "1",
        list if list.starts_with("IntList") => "{1, 2}",
        "std::vector<double>" | "std::optional<std::vector<double>>" => "std::vector<double>{0.5}",
        "std::vector<bool>" | "std::optional<std::vector<bool>>" => "std::vector<bool>{true, false}",
        "Size" | "std::optional<Size>" => "1",
        "double" | "std::optional<double>" => "0.5",
        "Flag" | "std::optional<Flag>" => "true",
        "Scalar" | "std::optional<Scalar>" | "std::optional<Number>" => "2",
        "std::string" | "std::optional<std::string>" => "\"none\"",
        "Dtype" | "std::optional<Dtype>" => "Dtype::float32",
        "Layout" | "std::optional<Layout>" => "Layout::strided",
        "MemoryFormat" | "std::optional<MemoryFormat>" => "MemoryFormat::contiguous",
        "DLDevice" | "std::optional<DLDevice>" => "DLDevice{kDLCPU, 0}",
        other => panic!("no argument is known for {other}"),
    }
}

fn program(source: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let printed = common::c_program(folder.path(), &libraries, source, &[]);
    assert!(printed.contains("all right"), "{source} ended early: {printed}");
}

#[test]
fn c_functions_build_the_graphs_that_calls_by_name_build() {
    program("ops.c");
}

#[test]
fn cxx_functions_build_the_graphs_that_calls_by_name_build() {
    program("ops.cpp");
}
