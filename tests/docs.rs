//! The documents in `docs/`: what they show is so. A block of code whose fence names a file (```` ```rust src/… ````)
//! stands in that file as it is shown, indentation aside.

mod common;

use common::documents::{blocks, printed};
use common::root;

/// Without what indentation and line breaks add.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn quoted_sources_stand_in_their_files() {
    let mut quoted = 0;
    for entry in std::fs::read_dir(root().join("docs")).expect("docs is a folder").flatten() {
        let name = entry.file_name().into_string().expect("a document's name is UTF-8");
        if !name.ends_with(".md") {
            continue;
        }
        for block in blocks(&name) {
            let Some(file) = block.words.get(1).filter(|w| w.contains('/')) else { continue };
            let source = std::fs::read_to_string(root().join(file));
            let source = source.unwrap_or_else(|e| panic!("docs/{name}:{}: {file}: {e}", block.line));
            assert!(
                squeezed(&source).contains(&squeezed(&block.text)),
                "docs/{name}:{}: this does not stand in {file} any more; quote what stands there now",
                block.line
            );
            quoted += 1;
        }
    }
    assert!(quoted > 4, "the documents were not read: {quoted} quotations");
}

/// A guide's pieces of code, in order, are one program, and it prints what the guide says.
fn guide(document: &str, language: &str) {
    let code = common::documents::program(document, language);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let source = folder.path().join("guide").with_extension(language);
    std::fs::write(&source, code).expect("the program can be written");
    let model = root().join("tests/data/mlp_dynamic_batch.pt2");
    let saved = folder.path().join("saved.so");
    let arguments = [&source, &model, &saved].map(|p| p.to_str().expect("the path is UTF-8"));
    let told = common::c_program(folder.path(), &libraries, arguments[0], &arguments[1..]);
    printed(document, &told);
}

#[test]
fn the_guide_in_c_is_a_program() {
    guide("guide-c.md", "c");
}

#[test]
fn the_guide_in_cxx_is_a_program() {
    guide("guide-cpp.md", "cpp");
}

#[test]
fn the_page_on_training_is_a_program() {
    guide("training.md", "cpp");
}

/// Which test runs the blocks of a language in a document; all others are quotations of files.
fn is_run(document: &str, words: &[String]) -> bool {
    let [language] = words else { return words.len() == 2 };
    match (document, &language[..]) {
        // What programs print, and declarations that are generated.
        (_, "text") => true,
        // Here.
        ("guide-c.md", "c") | ("guide-cpp.md" | "training.md", "cpp") => true,
        // tests/bindings.rs
        ("guide-node.md", "js") | ("guide-fortran.md", "fortran") | ("guide-go.md", "go") => true,
        // python/tests/test_docs.py and python/tests/with_torch/test_guide.py
        ("guide-python.md" | "introduction.md" | "onnx.md" | "weights.md" | "random.md", "python") => true,
        ("guide-torch-compile.md", "python") => true,
        // tests/command.rs
        ("cli.md" | "introduction.md", "sh") => true,
        // Scripts of the repository, which are only looked for.
        ("abi.md" | "add-an-operator.md", "sh") => true,
        _ => false,
    }
}

#[test]
fn every_block_of_code_is_run_or_quoted() {
    for entry in std::fs::read_dir(root().join("docs")).expect("docs is a folder").flatten() {
        let name = entry.file_name().into_string().expect("a document's name is UTF-8");
        if !name.ends_with(".md") {
            continue;
        }
        for block in blocks(&name) {
            let words = &block.words;
            assert!(is_run(&name, words), "docs/{name}:{}: no test runs this block of {words:?}", block.line);
            let is_script = words == &["sh"] && block.text.starts_with("scripts/");
            for script in block.text.lines().filter(|_| is_script) {
                assert!(root().join(script).exists(), "docs/{name}:{}: there is no {script}", block.line);
            }
        }
    }
}

#[test]
fn the_summary_lists_every_document() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("docs/SUMMARY.md");
    let mut listed: Vec<&str> =
        summary.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)).collect();
    listed.sort_unstable();
    let entries = std::fs::read_dir(root().join("docs")).expect("docs is a folder").flatten();
    let mut there: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    there.retain(|name| name.ends_with(".md") && name != "SUMMARY.md");
    there.sort();
    assert_eq!(listed, there);
}
