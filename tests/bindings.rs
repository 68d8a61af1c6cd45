//! The bindings of other languages: each declares what `abi/litz.json` describes, and its conformance program does the same as
//! the others'. A language that is not installed is skipped, and the test says so.

mod common;

use common::documents::{blocks, printed, program};
use common::{library_folder, root, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const MODEL: &str = "tests/data/mlp_dynamic_batch.pt2";
const DIGITS: &str = "examples/digits/digits_cnn.pt2";

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// What every conformance program prints.
fn conforms(language: &str, printed: &str) {
    assert_eq!(printed, read("bindings/conformance.txt"), "the conformance program of {language}");
}

/// How many parameters each function of the C ABI has.
fn arity(name: &str) -> usize {
    let abi: Value = serde_json::from_str(&read("abi/litz.json")).expect("abi/litz.json is JSON");
    let functions = abi["functions"].as_array().expect("it lists functions");
    let found = functions.iter().find(|f| f["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not in abi/litz.json"))["parameters"]
        .as_array()
        .expect("a list")
        .len()
}

fn is_installed(program: &str) -> bool {
    let here = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !here {
        eprintln!("skipped: {program} is not installed");
    }
    here
}

#[test]
fn rust_conforms() {
    let library = common::shared_library();
    let folder = common::examples_of("litz-api");
    let example = |name: &str, model: &str| {
        run(Command::new(folder.join(name)).arg(root().join(model)).env("LITZ_LIBRARY", &library))
    };
    conforms("Rust", &example("conformance", MODEL));
    assert_eq!(example("digits", DIGITS), "it is a 1\n");
    let guide = blocks("guide-rust.md");
    assert!(guide.iter().filter(|b| b.words == ["rust", "bindings/rust/examples/guide.rs"]).count() > 8);
    let mut example = Command::new(folder.join("guide"));
    printed("guide-rust.md", &run(example.current_dir(root()).env("LITZ_LIBRARY", &library)));
}

#[test]
fn fortran_conforms() {
    let source = read("bindings/fortran/litz.f90").replace("&\n", " ");
    let mut declared = 0;
    for line in source.lines().filter(|l| l.contains("bind(c, name=\"litz_")) {
        let name = line.split("name=\"").nth(1).and_then(|r| r.split('"').next()).expect("a name");
        let list = line.split_once('(').and_then(|(_, r)| r.split(')').next()).expect("a list");
        let is_empty = !line.split("bind(c").next().is_some_and(|head| head.contains('('));
        let given = if is_empty || list.trim().is_empty() { 0 } else { list.split(',').count() };
        assert_eq!(given, arity(name), "{name} in litz.f90");
        declared += 1;
    }
    assert!(declared > 15, "litz.f90 was not read: {declared}");
    if !is_installed("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = library_folder(folder.path());
    let guide = folder.path().join("guide.f90");
    std::fs::write(&guide, program("guide-fortran.md", "fortran")).expect("the guide's program");
    let built = |source: &Path| {
        let file = folder.path().join(source.file_stem().expect("a name"));
        run(Command::new("gfortran")
            .args(["-std=f2018", "-Wall", "-Wextra", "-Werror", "-fopenmp"])
            .args([&root().join("bindings/fortran/litz.f90"), source])
            .arg("-o")
            .arg(&file)
            .arg("-L")
            .arg(&libraries)
            .args(["-llitz".to_string(), format!("-Wl,-rpath,{}", libraries.display())])
            // Where the module's interface goes.
            .current_dir(folder.path()));
        Command::new(file)
    };
    let example = |name: &str, model: &str| {
        let source = root().join("bindings/fortran").join(name);
        run(built(&source).arg(root().join(model)))
    };
    conforms("Fortran", &example("conformance.f90", MODEL));
    assert_eq!(example("digits.f90", DIGITS), "it is a 1\n");
    printed("guide-fortran.md", &run(built(&guide).current_dir(root())));
}

#[test]
fn node_conforms() {
    let source = read("bindings/node/functions.js").replace("\n", " ");
    let mut declared = 0;
    for entry in source.split(" litz_").skip(1) {
        let (name, rest) = entry.split_once(": [").expect("a function has a list");
        let list = rest.split_once('[').and_then(|(_, r)| r.split(']').next()).expect("its parameters");
        let given = list.split(',').filter(|p| !p.trim().is_empty()).count();
        assert_eq!(given, arity(&format!("litz_{name}")), "litz_{name} in functions.js");
        declared += 1;
    }
    assert!(declared > 20, "functions.js was not read: {declared}");
    if !is_installed("node") || !is_installed("npm") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in ["package.json", "index.js", "functions.js", "conformance.js", "digits.js"] {
        std::fs::copy(root().join("bindings/node").join(file), folder.path().join(file)).expect("a copy");
    }
    let mut install = Command::new("npm");
    install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder.path());
    let installed = install.output().expect("npm starts");
    if !installed.status.success() {
        let said = String::from_utf8_lossy(&installed.stderr).into_owned();
        let offline = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH"];
        assert!(offline.iter().any(|word| said.contains(word)), "{said}");
        eprintln!("skipped: no registry of packages can be reached for koffi");
        return;
    }
    // The guide imports the package by its name.
    let guide = folder.path().join("guide.js");
    std::fs::write(&guide, program("guide-node.md", "js")).expect("the guide's program");
    let node = |name: &str| {
        let mut node = Command::new("node");
        node.arg(folder.path().join(name)).current_dir(root()).env("LITZ_LIBRARY", common::shared_library());
        node
    };
    let example = |name: &str, model: &str| run(node(name).arg(root().join(model)));
    conforms("JavaScript", &example("conformance.js", MODEL));
    assert_eq!(example("digits.js", DIGITS), "it is a 1\n");
    printed("guide-node.md", &run(&mut node("guide.js")));
}

/// What of the module purego is called, for the compiler to check the calls where the module cannot be had.
const PUREGO: &str = "package purego

const (
	RTLD_NOW   = 0
	RTLD_LOCAL = 0
)

func Dlopen(path string, mode int) (uintptr, error)            { panic(path) }
func Dlsym(handle uintptr, name string) (uintptr, error)       { panic(name) }
func NewCallback(f any) uintptr                                { panic(f) }
func SyscallN(f uintptr, args ...uintptr) (r1, r2, err uintptr) { panic(f) }
";

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// A folder with the source of the module purego: the one that `LITZ_PUREGO` names, or that of the distribution's package.
fn source_of_purego() -> Option<PathBuf> {
    let distribution = PathBuf::from("/usr/share/gocode/src/github.com/ebitengine/purego");
    let named = std::env::var_os("LITZ_PUREGO").map(PathBuf::from);
    let found = named.into_iter().chain([distribution]).find(|folder| folder.join("go.mod").exists())?;
    Some(found.canonicalize().expect("the folder exists"))
}

#[test]
fn go_conforms() {
    if !Command::new("go").arg("version").output().is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: go is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let module = folder.path().join("litz");
    copy_folder(&root().join("bindings/go"), &module);
    let guide = module.join("examples/guide/main.go");
    std::fs::create_dir_all(guide.parent().expect("a folder")).expect("a folder");
    std::fs::write(&guide, program("guide-go.md", "go").trim_end().to_string() + "\n").expect("the guide");
    assert_eq!(run(Command::new("gofmt").arg("-l").arg(&module)), "", "gofmt writes these files otherwise");
    let go = |words: &[&str]| {
        let mut go = Command::new("go");
        go.args(words).current_dir(&module).env("CGO_ENABLED", "0").env("GOWORK", "off");
        go.env("LITZ_LIBRARY", common::shared_library());
        go
    };
    // Against declarations alone: everything is compiled, and structs lie as those of C.
    let declared = folder.path().join("purego");
    std::fs::create_dir(&declared).expect("a folder");
    std::fs::write(declared.join("purego.go"), PUREGO).expect("the declarations");
    std::fs::write(declared.join("go.mod"), "module github.com/ebitengine/purego\n\ngo 1.18\n")
        .expect("the module");
    let own = "github.com/ebitengine/purego=../purego";
    run(&mut go(&["mod", "edit", "-replace", own]));
    run(&mut go(&["vet", "./..."]));
    run(&mut go(&["mod", "edit", "-dropreplace", "github.com/ebitengine/purego"]));

    let tidied = go(&["mod", "tidy"]).output().expect("go starts");
    if !tidied.status.success() {
        let said = String::from_utf8_lossy(&tidied.stderr).into_owned();
        let offline = ["no such host", "dial tcp", "i/o timeout", "connection refused", "GOPROXY=off"];
        assert!(offline.iter().any(|word| said.contains(word)), "{said}");
        let Some(source) = source_of_purego() else {
            eprintln!(
                "skipped: no proxy of Go's modules can be reached for purego, LITZ_PUREGO names no folder with its \
                 source, and the distribution's package golang-github-ebitengine-purego-dev is not installed; its \
                 calls were compiled"
            );
            return;
        };
        let own = format!("github.com/ebitengine/purego={}", source.display());
        run(&mut go(&["mod", "edit", "-replace", &own]));
        run(&mut go(&["mod", "tidy"]));
    }
    let built = |name: &str| {
        let (place, package) = (folder.path().join(name), format!("./examples/{name}"));
        run(&mut go(&["build", "-o", place.to_str().expect("UTF-8"), &package]));
        let mut program = Command::new(place);
        program.current_dir(root()).env("LITZ_LIBRARY", common::shared_library());
        program
    };
    conforms("Go", &run(built("conformance").arg(root().join(MODEL))));
    assert_eq!(run(built("digits").arg(root().join(DIGITS))), "it is a 1\n");
    printed("guide-go.md", &run(&mut built("guide")));
    run(&mut go(&["test", "-count=1", "./..."]));
}

#[test]
fn every_binding_has_a_package_and_says_how_it_is_used() {
    let packages =
        [("rust", "Cargo.toml"), ("fortran", "fpm.toml"), ("node", "package.json"), ("go", "go.mod")];
    for (folder, package) in packages {
        let folder = format!("bindings/{folder}");
        for file in [package, "README.md"] {
            assert!(Path::new(&root().join(&folder).join(file)).exists(), "{folder} has no {file}");
        }
        assert!(read("bindings/README.md").contains(&folder), "bindings/README.md does not name {folder}");
        let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
        // A module of Go has the version of its tag.
        if package == "go.mod" {
            continue;
        }
        let of_workspace = read(&format!("{folder}/{package}")).contains("version.workspace = true");
        assert!(
            of_workspace || read(&format!("{folder}/{package}")).contains(&version),
            "{folder}: {version}"
        );
    }
}
