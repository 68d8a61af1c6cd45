//! The README's C program, as a reader would paste it.

mod common;

use common::{c_compiler, library_folder, root, run};
use std::process::Command;

#[test]
fn the_readme_s_program_compiles_and_runs() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let (_, rest) = readme.split_once("```c\n").expect("the README has a C program");
    let (program, _) = rest.split_once("```").expect("the program ends");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = library_folder(folder.path());
    let (source, binary) = (folder.path().join("rows.c"), folder.path().join("rows"));
    std::fs::write(&source, program).expect("the program can be written");
    run(Command::new(c_compiler())
        .args(["-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join("include"))
        .arg(&source)
        .arg("-L")
        .arg(&libraries)
        .arg("-llitz")
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .arg("-o")
        .arg(&binary));
    assert_eq!(run(&mut Command::new(&binary)), "0.0900 0.2447 0.6652\n0.3333 0.3333 0.3333\n");
}
