//! What the tests share: the library under test, compilers, and graphs.
#![allow(dead_code)]

pub mod attention_graphs;
pub mod contents;
pub mod documents;
pub mod draws;
pub mod graphs;
pub mod guarded;
pub mod planted_graphs;
pub mod programs;
pub mod random;
pub mod template_graphs;
pub mod window_graphs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn c_compiler() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_string())
}

pub fn cxx_compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_string())
}

/// Runs a command that must succeed; what it printed is in the failure's message.
pub fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|e| panic!("{command:?} does not start: {e}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?} failed: {status}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

/// The shared library, built like the test itself: with its profile and its features. Cargo is asked for it here, because
/// for a test it builds only what the test is linked with.
pub fn shared_library() -> PathBuf {
    built_libraries().join("liblitz.so")
}

/// The static library, built like `shared_library`.
pub fn static_library() -> PathBuf {
    built_libraries().join("liblitz.a")
}

fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows its path");
    test.ancestors().nth(2).expect("a test lies in <target>/<profile>/deps").to_path_buf()
}

/// Flags with which `cargo build` makes the libraries that the tests use. They name a test, so that dependencies get the features that
/// they have in tests, and are not built again.
pub fn flags_of_tests() -> [String; 5] {
    let features = [
        ("default", cfg!(feature = "default")),
        ("allocator", cfg!(feature = "allocator")),
        ("cuda", cfg!(feature = "cuda")),
        ("remote-cache", cfg!(feature = "remote-cache")),
    ];
    let features: Vec<&str> = features.iter().filter(|f| f.1).map(|f| f.0).collect();
    let features = features.join(",");
    ["--test", env!("CARGO_CRATE_NAME"), "--no-default-features", "--features", &features].map(str::to_string)
}

fn built_libraries() -> &'static Path {
    static FOLDER: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = profile_folder();
        let profile =
            folder.file_name().and_then(|n| n.to_str()).expect("cargo names the folder by the profile");
        run(Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "--package", "litz", "--package", "liblitz"])
            .args(["--package", "liblitz_linalg", "--lib"])
            .args(flags_of_tests())
            .args(["--profile", if profile == "debug" { "dev" } else { profile }, "--target-dir"])
            .arg(folder.parent().expect("the target folder"))
            .current_dir(root()));
        folder
    })
}

/// The folder of a package's examples, built with the profile of the test.
pub fn examples_of(package: &str) -> PathBuf {
    built(&["--package", package, "--examples"]).join("examples")
}

/// Builds what belongs to packages that need none of the library's features; gives the folder of the profile.
fn built(what: &[&str]) -> &'static Path {
    let folder = built_libraries();
    build_in(folder, what);
    folder
}

fn build_in(folder: &Path, what: &[&str]) {
    let profile = folder.file_name().and_then(|n| n.to_str()).expect("cargo names the folder");
    run(Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked"])
        .args(what)
        .args(["--profile", if profile == "debug" { "dev" } else { profile }, "--target-dir"])
        .arg(folder.parent().expect("the target folder"))
        .current_dir(root()));
}

/// The second library, built in the folder of the tests, where the executor of a test finds it.
pub fn linear_algebra() -> PathBuf {
    build_in(&profile_folder(), &["--package", "liblitz_linalg"]);
    profile_folder().join("liblitz_linalg.so")
}

/// The command `litz`, built with the profile of the test. Its package needs none of the library's features.
pub fn command() -> &'static Path {
    static FILE: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    FILE.get_or_init(|| built(&["--package", "litz-cli", "--bin", "litz"]).join("litz"))
}

/// A folder with the library under both of its names, to link and run C programs with.
pub fn library_folder(at: &Path) -> PathBuf {
    let folder = at.join("lib");
    std::fs::create_dir_all(&folder).expect("a folder for the library");
    for name in ["liblitz.so", "liblitz.so.0"] {
        std::os::unix::fs::symlink(shared_library(), folder.join(name)).expect("a link to the library");
    }
    folder
}

/// The folder of the only compilation that was dumped to a folder.
pub fn dumped(folder: &Path) -> PathBuf {
    let mut inside = std::fs::read_dir(folder).expect("the folder is there").flatten().map(|e| e.path());
    let only = inside.next().expect("a compilation was dumped");
    assert!(inside.next().is_none(), "several compilations were dumped to {}", folder.display());
    only
}

/// One function of the header.
#[derive(Debug)]
pub struct Function {
    pub result: String,
    pub name: String,
    /// Type and name of each parameter.
    pub parameters: Vec<(String, String)>,
}

/// Every function that `include/litz/litz.h` declares.
pub fn functions() -> Vec<Function> {
    let header = std::fs::read_to_string(root().join("include/litz/litz.h")).expect("the header is there");
    let mut code = String::new();
    let mut rest = header.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").expect("comments end").1;
    }
    code.push_str(rest);
    let code = code
        .split_once("extern \"C\" {\n#endif // __cplusplus")
        .expect("the functions stand in extern \"C\"")
        .1;
    let code: String = code.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l} ")).collect();
    code.split(';')
        .filter_map(|declaration| {
            let (head, list) = declaration.trim().strip_suffix(')')?.split_once('(')?;
            let (result, name) = split_name(head);
            let list = if list.trim() == "void" { "" } else { list };
            let parameters = list.split(',').filter(|p| !p.trim().is_empty()).map(split_name).collect();
            Some(Function { result, name, parameters })
        })
        .collect()
}

/// `const char *name` as type and name.
fn split_name(text: &str) -> (String, String) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("struct ", "");
    let at = text.rfind([' ', '*']).map_or(0, |k| k + 1);
    (text[..at].trim().to_string(), text[at..].to_string())
}

/// Compiles a program of `c_tests` (or a generated one, by its path) against the library. The flags come after the
/// usual ones.
pub fn c_build(folder: &Path, libraries: &Path, source: &str, flags: &[&str]) -> PathBuf {
    let source = root().join("c_tests").join(source);
    let cxx = source.extension().is_some_and(|e| e == "cpp");
    let program = folder.join(source.file_stem().expect("a source has a name"));
    let (compiler, standard) = if cxx { (cxx_compiler(), "-std=c++17") } else { (c_compiler(), "-std=c11") };
    run(Command::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", "-I"])
        .arg(root().join("include"))
        .arg("-I")
        .arg(root().join("c_tests"))
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(libraries)
        .args(["-llitz", "-ldl", "-lm", "-pthread"])
        .arg(format!("-Wl,-rpath,{}", libraries.display())));
    program
}

/// Compiles a program as [`c_build`] does and runs it.
pub fn c_program(folder: &Path, libraries: &Path, source: &str, arguments: &[&str]) -> String {
    run(Command::new(c_build(folder, libraries, source, &[])).args(arguments))
}
