//! The CMake package: what is installed is found by `find_package(Litz)`, also after the tree was moved, and programs
//! that link it run. Skipped, saying so, where there is no cmake.

mod common;

use common::{root, run, shared_library};
use std::path::Path;
use std::process::Command;

#[test]
fn an_installed_tree_serves_a_consumer_project() {
    if Command::new("cmake").arg("--version").output().is_err() {
        eprintln!("skipped: there is no cmake on PATH");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    // Libraries that are built already: cargo's own, under the names that a release has.
    let libraries = shared_library().parent().expect("the library lies in a folder").to_path_buf();
    let given = at("given");
    std::fs::create_dir(&given).expect("a folder");
    std::fs::copy(shared_library(), given.join("liblitz.so")).expect("a copy");
    std::fs::copy(static_library(&libraries), given.join("liblitz.a")).expect("a copy");

    let configure = |source: &Path, build: &Path| {
        let mut command = Command::new("cmake");
        command.arg("-S").arg(source).arg("-B").arg(build);
        command
    };
    run(configure(&root().join("cmake"), &at("build")).arg(format!("-DLITZ_LIBRARY_DIR={}", given.display())));
    run(Command::new("cmake").arg("--install").arg(at("build")).arg("--prefix").arg(at("first")));
    std::fs::rename(at("first"), at("moved")).expect("the tree can be moved");
    for file in [
        "lib/liblitz.so",
        "lib/liblitz.so.0",
        "lib/liblitz.a",
        "include/litz/litz.h",
        "include/litz/litz.hpp",
    ] {
        assert!(at("moved").join(file).exists(), "{file} is not installed");
    }

    run(configure(&root().join("cmake/consumer"), &at("consumer"))
        .arg(format!("-DCMAKE_PREFIX_PATH={}", at("moved").display()))
        .arg("-DCMAKE_BUILD_TYPE=Debug"));
    run(Command::new("cmake").arg("--build").arg(at("consumer")));
    for program in ["in_c", "in_c_static", "in_cxx"] {
        let printed = run(&mut Command::new(at("consumer").join(program)));
        assert!(printed.contains("all right"), "{program}: {printed}");
    }
}

/// The archive beside the shared library: `liblitz.a`, or with cargo's hash in its name.
fn static_library(folder: &Path) -> std::path::PathBuf {
    let is_archive = |name: &str| name.starts_with("liblitz") && name.ends_with(".a");
    let entries = std::fs::read_dir(folder).expect("the folder can be read").flatten();
    let archives = entries.filter(|e| e.file_name().to_str().is_some_and(is_archive));
    let newest = archives.max_by_key(|e| e.metadata().and_then(|m| m.modified()).ok());
    newest.expect("cargo builds a static library").path()
}
