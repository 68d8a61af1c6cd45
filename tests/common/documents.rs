//! The documents in `docs/`: their blocks of code. Files that are generated and committed.

use super::root;

/// A fenced block: the words behind the fence, and its lines.
pub struct Block {
    pub words: Vec<String>,
    pub text: String,
    pub line: usize,
}

pub fn blocks(document: &str) -> Vec<Block> {
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

/// The pieces of a document in a language, in order, as one program.
pub fn program(document: &str, language: &str) -> String {
    let blocks = blocks(document);
    blocks.iter().filter(|b| b.words == [language]).map(|b| format!("{}\n", b.text)).collect()
}

/// Compares what a document's program printed with what the document says. LITZ_BLESS=1 rewrites that.
pub fn printed(document: &str, printed: &str) {
    let blocks = blocks(document);
    let expected: String = blocks.iter().filter(|b| b.words == ["text"]).map(|b| b.text.as_str()).collect();
    let path = root().join("docs").join(document);
    if std::env::var_os("LITZ_BLESS").is_some() {
        let text = std::fs::read_to_string(&path).expect("the document is there");
        let told = text.replace(&format!("```text\n{expected}```"), &format!("```text\n{printed}```"));
        std::fs::write(&path, told).expect("the document can be written");
        return;
    }
    assert_eq!(printed, expected, "what the program of docs/{document} prints; LITZ_BLESS=1 rewrites it");
}

/// Compares a committed file with what is generated. LITZ_BLESS=1 rewrites it.
pub fn up_to_date(file: &str, generated: &str) {
    let path = root().join(file);
    if std::env::var_os("LITZ_BLESS").is_some() {
        std::fs::write(&path, generated).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "{file} is out of date: run scripts/generate and commit what it writes");
}
