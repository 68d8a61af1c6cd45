//! The examples, as a reader would run them: the commands of each README give what the README says they print.

mod common;

use common::{library_folder, root, run};
use std::process::Command;

/// The first block of a README with this word behind its fence.
fn block<'t>(text: &'t str, word: &str) -> &'t str {
    let (_, rest) =
        text.split_once(&format!("```{word}\n")).unwrap_or_else(|| panic!("there is no `{word}`"));
    rest.split_once("```").expect("the block ends").0
}

/// Runs the commands in a copy of the folder, beside what they name by `../`.
fn example(name: &str) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let libraries = library_folder(place.path());
    let link = |from: &str| {
        std::os::unix::fs::symlink(root().join(from), place.path().join(from))
            .expect("a link into the repository");
    };
    link("include");
    std::fs::create_dir(place.path().join("examples")).expect("a folder");
    link("examples/digits");
    let folder = place.path().join("examples").join(name);
    run(Command::new("cp").arg("-r").arg(root().join("examples").join(name)).arg(&folder));
    let readme_path = root().join("examples").join(name).join("README.md");
    let readme = std::fs::read_to_string(&readme_path).expect("every example has a README.md");
    let printed = run(Command::new("sh")
        .args(["-euc", block(&readme, "sh")])
        .current_dir(&folder)
        .env("LITZ", &libraries)
        .env("PYTHONDONTWRITEBYTECODE", "1"));
    let expected = block(&readme, "text");
    if std::env::var_os("LITZ_BLESS").is_some() {
        let told = readme.replace(&format!("```text\n{expected}```"), &format!("```text\n{printed}```"));
        std::fs::write(&readme_path, told).expect("the README can be written");
        return;
    }
    assert_eq!(
        printed, expected,
        "what examples/{name} prints, and what its README says; LITZ_BLESS=1 cargo test --test examples rewrites it"
    );
}

#[test]
fn attention_in_c() {
    example("attention_c");
}

#[test]
fn a_program_with_state_in_cxx() {
    example("average_cpp");
}

#[test]
fn a_model_with_operators_of_its_own_in_cxx() {
    example("custom_operator");
}

#[test]
fn digits_trained_in_cxx() {
    example("train_digits");
}

#[test]
fn a_language_model_killed_and_resumed_in_cxx() {
    example("train_gpt");
}

#[test]
fn an_exported_model_fine_tuned_in_cxx() {
    example("fine_tune");
}

#[test]
fn forces_in_cxx() {
    example("forces");
}

#[test]
fn digits_in_python() {
    example("digits_python");
}

/// What `scripts/demo` shows: a C++ host that compiles and saves, and a C host with what was saved alone.
#[test]
fn digits_in_cxx_and_from_the_saved_library() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let libraries = library_folder(place.path());
    let digits = root().join("examples/digits");
    let at = |name: &str| place.path().join(name);
    let strict = ["-Wall", "-Wextra", "-Werror", "-I"];
    run(Command::new(common::cxx_compiler())
        .arg("-std=c++17")
        .args(strict)
        .arg(root().join("include"))
        .arg(digits.join("host.cpp"))
        .arg("-L")
        .arg(&libraries)
        .arg("-llitz")
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .arg("-o")
        .arg(at("host")));
    let images = digits.join("digits.safetensors");
    run(Command::new(at("host")).arg(digits.join("digits_cnn.pt2")).arg(&images).arg(at("digits_cnn.so")));
    run(Command::new(common::c_compiler())
        .arg("-std=c11")
        .args(strict)
        .arg(root().join("include"))
        .arg(digits.join("artifact_host.c"))
        .arg("-ldl")
        .arg("-o")
        .arg(at("artifact_host")));
    let printed = run(Command::new(at("artifact_host"))
        .arg(at("digits_cnn.so"))
        .arg(&images)
        .env("PATH", "/nonexistent")
        .env_remove("LD_LIBRARY_PATH"));
    assert!(printed.contains("358") && printed.contains("360"), "{printed}");
}
