//! Litz as a package: what `cmake --install` writes is found by CMake and by pkg-config, also after the tree was moved; so
//! is a build tree; and projects take the sources in with `add_subdirectory` and FetchContent. Each way is used by
//! `cmake/consumer`, and its programs run. All but one hand CMake the libraries that cargo built for these tests; that one lets
//! CMake drive cargo. CMake and pkg-config must be here: `scripts/setup` installs them.

mod common;

use common::{c_compiler, root, run, shared_library, static_library};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Tests that use the libraries hold this for reading. The test in which cargo may link them anew holds it for writing.
static LIBRARIES: RwLock<()> = RwLock::new(());

struct Bench {
    folder: tempfile::TempDir,
    _libraries: Option<RwLockReadGuard<'static, ()>>,
}

impl Bench {
    fn new() -> Bench {
        let libraries = LIBRARIES.read().unwrap_or_else(PoisonError::into_inner);
        Bench { _libraries: Some(libraries), ..Bench::beside() }
    }
    /// For the test that holds `LIBRARIES` itself.
    fn beside() -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bench = Bench { folder, _libraries: None };
        std::fs::create_dir(bench.at("given")).expect("a folder");
        let link = |from: PathBuf, name: &str| {
            std::os::unix::fs::symlink(from, bench.at("given").join(name)).expect("a link to the library");
        };
        link(shared_library(), "liblitz.so");
        link(static_library(), "liblitz.a");
        link(common::command().to_path_buf(), "litz");
        link(common::linear_algebra(), "liblitz_linalg.so");
        bench
    }
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    /// `cmake -S source -B build` with definitions.
    fn configure(&self, source: &Path, build: &str, definitions: &[(&str, &str)]) -> Command {
        let mut command = Command::new("cmake");
        command.arg("-S").arg(source).arg("-B").arg(self.at(build));
        for (name, value) in definitions {
            command.arg(format!("-D{name}={value}"));
        }
        command
    }
    fn given(&self) -> String {
        self.at("given").display().to_string()
    }
    /// A tree that was installed, and then moved.
    fn installed(&self) -> PathBuf {
        self.installed_with(&[])
    }
    fn installed_with(&self, definitions: &[(&str, &str)]) -> PathBuf {
        run(&mut self.configure(
            &root(),
            "build",
            &[&[("LITZ_LIBRARY_DIR", &*self.given())], definitions].concat(),
        ));
        run(Command::new("cmake")
            .arg("--install")
            .arg(self.at("build"))
            .arg("--prefix")
            .arg(self.at("first")));
        std::fs::rename(self.at("first"), self.at("moved")).expect("the tree can be moved");
        self.at("moved")
    }
    /// Configures and builds the consumer, and runs what it built.
    fn consume(&self, definitions: &[(&str, &str)]) {
        run(&mut self.configure(&root().join("cmake/consumer"), "consumer", definitions));
        run(Command::new("cmake").arg("--build").arg(self.at("consumer")).args(["--parallel", "2"]));
        self.run_consumers();
    }
    fn run_consumers(&self) {
        for program in ["in_c", "in_c_static", "in_cxx"] {
            let printed = run(&mut Command::new(self.at("consumer").join(program)));
            assert!(printed.contains("all right"), "{program}: {printed}");
        }
        let dynamic =
            |program: &str| run(Command::new("readelf").arg("-d").arg(self.at("consumer").join(program)));
        assert!(dynamic("in_c").contains("[liblitz.so.0]"), "the shared library is needed by its SONAME");
        assert!(
            !dynamic("in_c_static").contains("liblitz"),
            "the static library leaves nothing to be loaded"
        );
    }
}

/// A command that must fail, and say why.
fn refused(command: &mut Command, words: &str) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?} does not start: {e}"));
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        !output.status.success() && said.contains(words),
        "{command:?} was to fail with `{words}`:\n{said}"
    );
}

#[test]
fn an_installed_tree_serves_cmake_projects() {
    let bench = Bench::new();
    let prefix = bench.installed();
    for (file, link) in [
        ("lib/liblitz.so.0.1.0", None),
        ("lib/liblitz.so.0", Some("liblitz.so.0.1.0")),
        ("lib/liblitz.so", Some("liblitz.so.0")),
        ("lib/liblitz.a", None),
        ("lib/liblitz_linalg.so.0", None),
        ("lib/pkgconfig/litz.pc", None),
        ("lib/cmake/litz/litz-config.cmake", None),
        ("lib/cmake/litz/litz-config-version.cmake", None),
        ("include/litz/litz.h", None),
        ("include/litz/litz.hpp", None),
        ("include/litz/litz_ops.h", None),
        ("include/litz/litz_ops.hpp", None),
        ("include/litz/artifact.h", None),
        ("include/litz/dlpack.h", None),
        ("share/doc/litz/LICENSE-MIT", None),
        ("bin/litz", None),
        ("share/man/man1/litz.1", None),
        ("share/man/man1/litz-run.1", None),
        ("share/bash-completion/completions/litz", None),
        ("share/zsh/site-functions/_litz", None),
        ("share/fish/vendor_completions.d/litz.fish", None),
    ] {
        let path = prefix.join(file);
        assert!(path.exists(), "{file} is not installed");
        let target = std::fs::read_link(&path).ok();
        assert_eq!(target.as_deref(), link.map(Path::new), "where {file} leads");
    }
    // Nothing installed knows where it was built or first installed.
    let folder = bench.folder.path().display().to_string();
    for file in
        ["lib/pkgconfig/litz.pc", "lib/cmake/litz/litz-config.cmake", "lib/cmake/litz/litzTargets.cmake"]
    {
        let text = std::fs::read_to_string(prefix.join(file)).expect("the file can be read");
        for path in [&folder, &root().display().to_string()] {
            assert!(!text.contains(path.as_str()), "{file} holds {path}");
        }
    }
    bench.consume(&[("CMAKE_PREFIX_PATH", &prefix.display().to_string())]);
    // The command uses the library of its own tree.
    let said =
        run(Command::new(prefix.join("bin/litz")).args(["doctor", "--json"]).env_remove("LITZ_LIBRARY"));
    let library = prefix.join("bin/../lib/liblitz.so.0");
    assert!(said.contains(&format!("\"library\": \"{}\"", library.display())), "{said}");
}

#[test]
fn the_version_file_and_components_are_honest() {
    let bench = Bench::new();
    let prefix = bench.installed().display().to_string();
    let project = |words: &str| {
        let folder = bench.at("asks");
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = format!("cmake_minimum_required(VERSION 3.16)\nproject(asks C)\nfind_package({words})\n");
        std::fs::write(folder.join("CMakeLists.txt"), text).expect("the project can be written");
        bench.configure(&folder, "asked", &[("CMAKE_PREFIX_PATH", &prefix)])
    };
    run(&mut project("Litz 0.1.0 EXACT REQUIRED"));
    run(&mut project("litz 0.1 REQUIRED"));
    let config = "asked/CMakeCache.txt";
    std::fs::remove_file(bench.at(config)).expect("the cache is there");
    refused(&mut project("Litz 0.2 REQUIRED"), "requested version \"0.2\"");
    refused(&mut project("Litz 1.0 REQUIRED"), "requested version \"1.0\"");
    refused(&mut project("Litz REQUIRED COMPONENTS training"), "Litz has no component training");
    std::fs::remove_file(Path::new(&prefix).join("lib/liblitz.a")).expect("the archive is there");
    refused(&mut project("Litz REQUIRED"), "liblitz.a is missing");
}

#[test]
fn an_installed_tree_serves_pkg_config() {
    let bench = Bench::new();
    // Folders as some distributions have them, from which the prefix must be found all the same.
    let folders = [("CMAKE_INSTALL_LIBDIR", "lib/some-machine"), ("CMAKE_INSTALL_INCLUDEDIR", "headers")];
    let lib = bench.installed_with(&folders).join("lib/some-machine");
    let ask = |words: &[&str]| {
        run(Command::new("pkg-config").args(words).arg("litz").env("PKG_CONFIG_PATH", lib.join("pkgconfig")))
    };
    assert_eq!(ask(&["--modversion"]).trim(), "0.1.0");
    let shared = ask(&["--cflags", "--libs"]);
    // With the archive named, what it needs itself comes from `--static`.
    let archive = ask(&["--cflags", "--libs", "--static"]).replace("-llitz", "-l:liblitz.a");
    assert!(archive.contains("-lpthread") && !shared.contains("-lpthread"), "{shared} {archive}");
    for (name, words) in [("shared", shared), ("static", archive)] {
        run(Command::new(c_compiler())
            .arg(root().join("cmake/consumer/main.c"))
            .arg("-o")
            .arg(bench.at(name))
            .args(words.split_whitespace()));
        let printed = run(Command::new(bench.at(name)).env("LD_LIBRARY_PATH", &lib));
        assert!(printed.contains("all right"), "{name}: {printed}");
    }
    let package = lib.join("cmake/litz").display().to_string();
    run(&mut bench.configure(&root().join("cmake/consumer"), "consumer", &[("Litz_DIR", &package)]));
    run(Command::new("cmake").arg("--build").arg(bench.at("consumer")).args(["--target", "in_c"]));
}

#[test]
fn a_build_tree_serves_cmake_projects() {
    let bench = Bench::new();
    // The folder that the README names is the same project.
    run(&mut bench.configure(&root().join("cmake"), "build", &[("LITZ_LIBRARY_DIR", &bench.given())]));
    run(Command::new("cmake").arg("--build").arg(bench.at("build")));
    bench.consume(&[("Litz_DIR", &bench.at("build").display().to_string())]);
}

#[test]
fn a_project_takes_the_sources_in() {
    for how in ["subdirectory", "fetch"] {
        let bench = Bench::new();
        let source = root().display().to_string();
        bench.consume(&[("LITZ_FROM", how), ("LITZ_SOURCE", &source), ("LITZ_LIBRARY_DIR", &bench.given())]);
        // A part of another project installs nothing by itself.
        run(Command::new("cmake")
            .arg("--install")
            .arg(bench.at("consumer"))
            .arg("--prefix")
            .arg(bench.at("none")));
        assert!(!bench.at("none").exists(), "{how} installs");
    }
}

#[test]
fn cmake_drives_cargo() {
    let _alone = LIBRARIES.write().unwrap_or_else(PoisonError::into_inner);
    let bench = Bench::beside();
    // With the flags and the target folder of the tests, cargo rebuilds little.
    let library = shared_library();
    let folder = library.parent().expect("a folder");
    let profile = folder.file_name().and_then(|n| n.to_str()).expect("cargo names the folder by the profile");
    let flags = common::flags_of_tests().join(";");
    let definitions = [
        ("LITZ_CARGO_PROFILE", if profile == "debug" { "dev" } else { profile }),
        ("LITZ_CARGO_TARGET_DIR", &*folder.parent().expect("the target folder").display().to_string()),
        ("LITZ_CARGO_FLAGS", &*flags),
    ];
    run(&mut bench.configure(&root(), "build", &definitions));
    let asks_for_it = bench.at("build").display().to_string();
    let build = || {
        let mut command = Command::new("cmake");
        command.arg("--build").arg(bench.at("build"));
        command
    };
    let consumer = root().join("cmake/consumer");
    refused(&mut bench.configure(&consumer, "early", &[("Litz_DIR", &asks_for_it)]), "Litz is not built");
    run(&mut build());
    bench.consume(&[("Litz_DIR", &asks_for_it)]);
    // Cargo is asked again, and has nothing to do.
    let built = || std::fs::metadata(&library).and_then(|m| m.modified()).expect("built");
    let first = built();
    run(&mut build());
    assert_eq!(built(), first, "the second build built again");
    // Its failure is the build's.
    run(&mut bench.configure(&root(), "build", &[("LITZ_CARGO_FLAGS", "--features;no_such_feature")]));
    refused(&mut build(), "no_such_feature");
}
