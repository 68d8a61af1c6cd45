//! What the compiler does not check: floors, module docs, file lengths, and what must not stand in the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// About 600 lines is where a file asks to be split by meaning; this is where it must be.
const LONGEST_FILE: usize = 750;

/// Longer files, each with the reason why it is one.
const LONG_FILES: &[(&str, &str)] =
    &[("src/codegen/native/prelude.h", "one vocabulary, embedded whole into every kernel")];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let skipped = [".git", "target", "build", ".carry"].iter().any(|s| name == *s);
        if path.is_dir() && !skipped {
            walk(&path, found);
        } else if path.is_file() {
            found.push(path);
        }
    }
}

/// Every file below `folder` with one of the endings, as its path inside the repository and its text.
fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    found
        .into_iter()
        .filter(|p| endings.iter().any(|e| p.to_string_lossy().ends_with(e)))
        .filter_map(|p| {
            let name = p.strip_prefix(root()).ok()?.to_string_lossy().into_owned();
            Some((name, std::fs::read_to_string(&p).ok()?))
        })
        .collect()
}

fn assert_none(problems: &[String], what: &str) {
    assert!(problems.is_empty(), "{what}:\n{}", problems.join("\n"));
}

/// The table in `src/lib.rs`: module to floor.
fn floors() -> BTreeMap<String, u32> {
    let text = std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    text.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.strip_prefix("//! |")?.split('|').map(str::trim).collect();
            let module = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
            Some((module.to_string(), cells[0].parse().ok()?))
        })
        .collect()
}

/// The modules that a line of code names after `crate::`, groups (`crate::{a, b::c}`) included.
fn modules_named(code: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut named = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            named.push(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut first = true;
        for (k, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => first = true,
                c if first && !c.is_whitespace() => {
                    named.push(word(&group[k..]));
                    first = false;
                }
                _ => {}
            }
        }
    }
    named
}

/// A file's code without line comments and without its tests, which stand last and may use any floor.
fn code_of(text: &str) -> String {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").map(|line| {
        let code = line.trim_start();
        if code.starts_with("//") { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_module_uses_only_lower_floors() {
    let floors = floors();
    let mut problems = Vec::new();
    for (name, text) in files("src", &[".rs"]) {
        let inside = name.trim_start_matches("src/");
        let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        if module == "lib" || inside.ends_with("/tests.rs") {
            continue;
        }
        let Some(own) = floors.get(module) else {
            problems.push(format!("{name}: `{module}` is not in the table of src/lib.rs"));
            continue;
        };
        // A macro's `$crate::` is used where the macro is.
        for used in modules_named(&code_of(&text).replace("$crate::", "")) {
            match floors.get(&used) {
                _ if used == module => {}
                Some(floor) if floor < own => {}
                Some(floor) => problems.push(format!("{name}: floor {own} uses `{used}` of floor {floor}")),
                // What is exported at the crate's root by `#[macro_export]`.
                None if text.contains(&format!("crate::{used}!")) => {}
                None => problems.push(format!("{name}: `crate::{used}` is not in the table of src/lib.rs")),
            }
        }
    }
    assert_none(&problems, "uses that go up or sideways");
}

#[test]
fn the_table_of_floors_is_what_there_is() {
    let floors = floors();
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let declared: Vec<&str> = lib
        .lines()
        .filter_map(|l| l.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let mut problems = Vec::new();
    for module in &declared {
        if !floors.contains_key(*module) {
            problems.push(format!("`{module}` has no row"));
        }
    }
    for module in floors.keys().filter(|m| !declared.contains(&m.as_str())) {
        problems.push(format!("`{module}` has a row but is no module"));
    }
    assert_none(&problems, "src/lib.rs");
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (module, floor) in &floors {
        if !architecture.contains(&format!("| {floor} | `{module}` |")) {
            problems.push(format!("`{module}` on floor {floor} is not in the table"));
        }
    }
    assert_none(&problems, "ARCHITECTURE.md");
}

#[test]
fn every_module_says_what_it_is() {
    let problems: Vec<String> = ["src", "tests", "benches", "cli", "bindings"]
        .iter()
        .flat_map(|folder| files(folder, &[".rs"]))
        .filter(|(_, text)| !text.starts_with("//! "))
        .map(|(name, _)| name)
        .collect();
    assert_none(&problems, "files that do not open with `//!`");
}

#[test]
fn files_are_split_before_they_are_long() {
    let mut problems = Vec::new();
    let mut long = Vec::new();
    for folder in ["src", "tests", "benches", "c_tests", "examples", "python", "cli", "bindings"] {
        for (name, text) in
            files(folder, &[".rs", ".c", ".h", ".cpp", ".hpp", ".py", ".go", ".js", ".mjs", ".f90"])
        {
            let lines = text.lines().count();
            if lines > LONGEST_FILE {
                long.push(name.clone());
                if !LONG_FILES.iter().any(|(file, _)| *file == name) {
                    problems.push(format!("{name} has {lines} lines"));
                }
            }
        }
    }
    for (file, _) in LONG_FILES.iter().filter(|(file, _)| !long.iter().any(|l| l == file)) {
        problems.push(format!("{file} is exempt but not long"));
    }
    assert_none(&problems, "files to split by meaning");
}

#[test]
fn nothing_is_left_for_later_or_tied_to_one_machine() {
    // Spelt in pieces, so that this file passes its own test.
    let work = ["/wo", "rk/"].concat();
    let home = ["/ro", "ot/"].concat();
    let never = [
        (["todo", "!("].concat(), "an unfinished place"),
        (["unimpl", "emented!("].concat(), "an unfinished place"),
        (["TO", "DO"].concat(), "an unfinished place"),
        (["FIX", "ME"].concat(), "an unfinished place"),
        (["dbg", "!("].concat(), "a left-over"),
        (work, "a path of one machine"),
        (home, "a path of one machine"),
    ];
    let endings =
        [".rs", ".c", ".h", ".cpp", ".hpp", ".md", ".toml", ".txt", ".cmake", ".sh", ".py", "run", "setup"];
    let mut problems = Vec::new();
    for (name, text) in files(".", &endings).into_iter().chain(files("scripts", &[""])) {
        for (number, line) in text.lines().enumerate() {
            for (word, what) in &never {
                if line.contains(word.as_str()) {
                    problems.push(format!("{name}:{}: {what}: {}", number + 1, line.trim()));
                }
            }
        }
    }
    assert_none(&problems, "what must not stand in the repository");
}

#[test]
fn unsafe_stands_where_c_is_met() {
    let allowed = [
        "src/capi/",
        "src/device/",
        "src/runtime/",
        "src/base/signal.rs",
        "src/frontend/archive.rs",
        "src/frontend/mapped.rs",
    ];
    let mut problems = Vec::new();
    for (name, text) in files("src", &[".rs"]) {
        let code = code_of(&text);
        let uses = code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl");
        if uses && !allowed.iter().any(|a| name.starts_with(a)) {
            problems.push(name);
        }
    }
    assert_none(&problems, "files with `unsafe` on floors that need none");
}

/// Files of the library, without tests and the excepted one, whose code is wrong by this measure.
fn files_whose_code(excepted: &str, is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    files("src", &[".rs"])
        .into_iter()
        .filter(|(name, _)| !name.contains("tests") && name != excepted)
        .filter(|(_, text)| is_wrong(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)))
        .map(|(name, _)| name)
        .collect()
}

/// The standard library's hash maps have a table of their own for each type: `base::HashMap` and `base::HashSet` have one for all.
/// The writer of safetensors files takes the standard library's.
#[test]
fn the_library_hashes_with_one_copy_of_the_table() {
    let problems = files_whose_code("src/runtime/weights.rs", |code| {
        let mut imports = code.split("std::collections::").skip(1).filter_map(|rest| rest.split(';').next());
        imports.any(|items| items.contains("Hash"))
            || code.contains("FxHashMap")
            || code.contains("FxHashSet")
    });
    assert_none(&problems, "files with hash maps of the standard library");
}

/// The standard library's sort costs kilobytes for each type: `base::StableSort` has one copy for all.
#[test]
fn the_library_sorts_with_one_copy_of_the_algorithm() {
    let problems = files_whose_code("src/base/sort.rs", |code| {
        [".sort()", ".sort_by(", ".sort_by_key(", ".sort_unstable"].iter().any(|call| code.contains(call))
    });
    assert_none(&problems, "files that sort by themselves");
}

#[test]
fn documents_name_files_that_exist() {
    let mut problems = Vec::new();
    // A folder of the library may be named without `src/`, but for the one with the name of Cargo's.
    let modules: Vec<String> =
        floors().into_keys().filter(|m| m != "target").map(|module| format!("{module}/")).collect();
    for (name, text) in files(".", &[".md"]) {
        // Every second piece between backquotes is code.
        for code in text.split('`').skip(1).step_by(2) {
            let path = code.trim_end_matches('/');
            let looks_like_path = [
                "src/",
                "tests/",
                "scripts/",
                "examples/",
                "docs/",
                "benches/",
                "include/",
                "c_tests/",
                "cmake/",
                "abi/",
                "cli/",
                "bindings/",
            ]
            .iter()
            .any(|p| path.starts_with(p))
                && !path.contains(['*', ' ', '<', '{', '\n']);
            let in_library = modules.iter().any(|module| path.starts_with(module)) && !path.contains(' ');
            let is_missing = (looks_like_path && !root().join(path).exists())
                || (in_library && !root().join("src").join(path).exists());
            if is_missing {
                problems.push(format!("{name}: `{code}` does not exist"));
            }
        }
    }
    assert_none(&problems, "paths in documents");
}
