//! The documents in `docs/`: what they show is so. A block of code whose fence names a file (```` ```rust src/… ````)
//! stands in that file as it is shown, indentation aside.

mod common;

use common::root;

/// A fenced block: the words behind the fence, and its lines.
struct Block {
    words: Vec<String>,
    text: String,
    line: usize,
}

fn blocks(document: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root().join("docs").join(document)).expect("the document is there");
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(words), None) => {
                let words = words.split_whitespace().map(str::to_string).collect();
                open = Some(Block { words, text: String::new(), line: number + 1 });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document}: a block of code is not closed");
    found
}

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
    let blocks = blocks(document);
    let code: String =
        blocks.iter().filter(|b| b.words == [language]).map(|b| format!("{}\n", b.text)).collect();
    let expected: String = blocks.iter().filter(|b| b.words == ["text"]).map(|b| b.text.as_str()).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let source = folder.path().join("guide").with_extension(language);
    std::fs::write(&source, code).expect("the program can be written");
    let model = root().join("tests/data/mlp_dynamic_batch.pt2");
    let saved = folder.path().join("saved.so");
    let arguments = [&source, &model, &saved].map(|p| p.to_str().expect("the path is UTF-8"));
    let printed = common::c_program(folder.path(), &libraries, arguments[0], &arguments[1..]);
    let path = root().join("docs").join(document);
    if std::env::var_os("LITZ_BLESS").is_some() {
        let text = std::fs::read_to_string(&path).expect("the document is there");
        let told = text.replace(&format!("```text\n{expected}```"), &format!("```text\n{printed}```"));
        std::fs::write(&path, told).expect("the document can be written");
        return;
    }
    assert_eq!(
        printed, expected,
        "what the program of docs/{document} prints; LITZ_BLESS=1 cargo test --test docs rewrites it"
    );
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
