//! The Go package `bindings/go/abi` declares all of `litz.h`: constants, types, functions and the layout of structs, made of
//! `abi/litz.json` and `abi/layouts.txt`. `scripts/generate` writes the files, and these tests compare.

mod common;

use common::documents::up_to_date;
use common::root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn abi() -> Value {
    serde_json::from_str(&read("abi/litz.json")).expect("abi/litz.json is JSON")
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

/// A name of C as an exported one of Go: `litz_executable_run` is `ExecutableRun`, `LITZ_DTYPE_INT8` is `DtypeInt8`.
fn exported(name: &str) -> String {
    if name == "LITZ_ABI_VERSION" {
        // There is a function of that name.
        return "HeaderVersion".into();
    }
    let own = name.strip_prefix("litz_").or(name.strip_prefix("LITZ_")).unwrap_or(name);
    let lower = own.to_lowercase();
    let words = lower.split('_').filter(|w| !w.is_empty());
    words
        .map(|word| match word {
            "abi" | "json" | "gpu" | "cpu" | "cuda" | "io" | "ok" => word.to_uppercase(),
            word => format!("{}{}", word[..1].to_uppercase(), &word[1..]),
        })
        .collect()
}

/// A parameter's name, which may be a word of Go's.
fn parameter(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_string();
    let name = words.fold(first, |all, word| all + &exported(word));
    if ["type", "func", "got", "range", "map", "string", "len", "error"].contains(&&name[..]) {
        name + "_"
    } else {
        name
    }
}

/// A type of C in Go. Pointers keep their depth, and strings are pointers to bytes, so that NULL can be said.
fn type_of(c: &str, callbacks: &BTreeSet<String>) -> String {
    if let Some((element, count)) = c.strip_suffix(']').and_then(|c| c.split_once('[')) {
        return format!("[{count}]{}", type_of(element, callbacks));
    }
    let plain = c.replace("const ", "").replace("*const", "*");
    let depth = plain.matches('*').count();
    let base = plain.trim_end_matches(['*', ' ']).trim();
    let stars = |n: usize| "*".repeat(n);
    match (base, depth) {
        ("void", 0) => String::new(),
        ("void", n) => format!("{}unsafe.Pointer", stars(n - 1)),
        ("char", n) => format!("{}byte", stars(n)),
        ("size_t", n) => format!("{}uintptr", stars(n)),
        ("double", n) => format!("{}float64", stars(n)),
        ("int32_t" | "int64_t" | "uint8_t" | "uint32_t" | "uint64_t", n) => {
            format!("{}{}", stars(n), base.trim_end_matches("_t"))
        }
        (name, 0) if callbacks.contains(name) => "uintptr".into(),
        (name, n) if name.starts_with("DL") => format!("{}{name}", stars(n)),
        (name, n) if name.starts_with("litz_") => format!("{}{}", stars(n), exported(name)),
        other => panic!("there is no type of Go for {other:?}"),
    }
}

/// A comment of Go, in lines that gofmt leaves as they are: none begins like an item of a list or a heading.
fn comment(indent: &str, said: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in said.split_whitespace() {
        let begins_a_line = word.starts_with(|c: char| c.is_alphanumeric() || c == '`' || c == '(');
        let is_item = word.ends_with(['.', ')']) && word.starts_with(|c: char| c.is_ascii_digit());
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 112 || !begins_a_line || is_item => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{indent}// {line}");
        all
    })
}

const HEAD: &str = "// Code generated from abi/litz.json by scripts/generate. DO NOT EDIT.\n\npackage abi\n";

fn callbacks(abi: &Value) -> BTreeSet<String> {
    let types = list(abi, "types").iter();
    types.filter(|t| t["kind"] == "callback").map(|t| text(t, "name").to_string()).collect()
}

fn constants(abi: &Value) -> String {
    let mut all = format!("{HEAD}\nconst (\n");
    for (k, constant) in list(abi, "constants").iter().enumerate() {
        let name = text(constant, "name");
        let gap = if k > 0 { "\n" } else { "" };
        let ty = if name == "LITZ_OK" || name.starts_with("LITZ_ERROR_") { " Status" } else { "" };
        let said = comment("\t", &format!("{} is {name}. {}", exported(name), text(constant, "comment")));
        let _ = writeln!(all, "{gap}{said}\t{}{ty} = {}", exported(name), constant["value"]);
    }
    all + ")\n"
}

fn types(abi: &Value) -> String {
    let callbacks = callbacks(abi);
    let mut all = format!("{HEAD}\nimport \"unsafe\"\n");
    for ty in list(abi, "types") {
        let (name, kind) = (text(ty, "name"), text(ty, "kind"));
        let own = exported(name);
        if kind == "callback" {
            // Where one is taken, it is the address that purego.NewCallback gives.
            continue;
        }
        let said = comment("", &format!("{own} is {name}. {}", text(ty, "comment")));
        let _ = write!(all, "\n{said}");
        match kind {
            "handle" => {
                let _ = writeln!(all, "type {own} struct{{ _ [0]byte }}");
            }
            "alias" => {
                let c = text(ty, "declaration").split(' ').next().unwrap_or_default();
                let _ = writeln!(all, "type {own} {}", type_of(c, &callbacks));
            }
            _ => {
                let _ = writeln!(all, "type {own} struct {{");
                for (k, member) in list(ty, "members").iter().enumerate() {
                    let gap = if k > 0 { "\n" } else { "" };
                    let said = comment("\t", text(member, "comment"));
                    let (name, ty) =
                        (exported(text(member, "name")), type_of(text(member, "type"), &callbacks));
                    let _ = writeln!(all, "{gap}{said}\t{name} {ty}");
                }
                all += "}\n";
            }
        }
    }
    all
}

/// The functions whose names begin with one of `prefixes`, or with none of `others`.
fn functions(abi: &Value, is_here: impl Fn(&str) -> bool) -> String {
    let callbacks = callbacks(abi);
    let mut all = format!("{HEAD}\nimport (\n\t\"unsafe\"\n\n\t\"github.com/ebitengine/purego\"\n)\n");
    for (k, function) in list(abi, "functions").iter().enumerate() {
        let name = text(function, "name");
        if !is_here(name) {
            continue;
        }
        let mut declared = Vec::new();
        let mut given = vec![format!("addresses[{k}]")];
        for one in list(function, "parameters") {
            let (name, ty) = (parameter(text(one, "name")), type_of(text(one, "type"), &callbacks));
            given.push(match &ty[..] {
                "uintptr" => name.clone(),
                "unsafe.Pointer" => format!("uintptr({name})"),
                ty if ty.starts_with('*') => format!("uintptr(unsafe.Pointer({name}))"),
                _ => format!("uintptr({name})"),
            });
            declared.push(format!("{name} {ty}"));
        }
        let result = type_of(text(function, "result"), &callbacks);
        let call = format!("purego.SyscallN({})", given.join(", "));
        let body = match &result[..] {
            "" => format!("\t{call}\n"),
            ty if ty.starts_with('*') => format!("\tgot, _, _ := {call}\n\treturn ({ty})(pointer(got))\n"),
            ty => format!("\tgot, _, _ := {call}\n\treturn {ty}(got)\n"),
        };
        let (own, said) = (exported(name), text(function, "comment"));
        let of_one = text(function, "threads") != "any" && !said.contains("thread at a time");
        let threads = if of_one { " One thread at a time." } else { "" };
        let said = comment("", &format!("{own} is {name}. {said}{threads}"));
        let result = if result.is_empty() { String::new() } else { format!(" {result}") };
        let _ = write!(all, "\n{said}func {own}({}){result} {{\n{body}}}\n", declared.join(", "));
    }
    all
}

/// The table of names, in the order of the addresses.
fn names(abi: &Value) -> String {
    let mut all = format!(
        "{HEAD}\n// names are the library's functions; addresses has each one's at the same place.\nvar names = [...]string{{\n"
    );
    for function in list(abi, "functions") {
        let _ = writeln!(all, "\t\"{}\",", text(function, "name"));
    }
    all + "}\n"
}

/// Lines that do not compile where a struct of Go lies otherwise than C's.
fn layouts(abi: &Value) -> String {
    let mut structs: BTreeSet<String> =
        ["DLDevice", "DLDataType", "DLTensor", "DLManagedTensorVersioned"].map(str::to_string).into();
    structs
        .extend(list(abi, "types").iter().filter(|t| t["kind"] == "struct").map(|t| text(t, "name").into()));
    let mut all = format!(
        "{HEAD}\nimport \"unsafe\"\n\n// An index other than 0 is out of the array's bounds.\nvar _ = [...]struct{{}}{{\n"
    );
    let go = |c: &str| if c.starts_with("DL") { c.to_string() } else { exported(c) };
    let mut seen = BTreeSet::new();
    for line in read("abi/layouts.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let zero = match words[..] {
            ["size", name, size] if structs.contains(name) => {
                seen.insert(name.to_string());
                format!("unsafe.Sizeof({}{{}})-{size}", go(name))
            }
            ["field", path, "at", at, ..] => match path.split_once('.') {
                Some((name, field)) if structs.contains(name) => {
                    format!("unsafe.Offsetof({}{{}}.{})-{at}", go(name), exported(field))
                }
                _ => continue,
            },
            _ => continue,
        };
        let _ = writeln!(all, "\t[1]struct{{}}{{}}[{zero}],");
    }
    assert_eq!(seen, structs, "abi/layouts.txt has each struct");
    all + "}\n"
}

#[test]
fn the_committed_declarations_of_go_are_generated() {
    let abi = abi();
    let of_graphs = |name: &str| name.starts_with("litz_graph") || name.starts_with("litz_symbol");
    let of_programs =
        |name: &str| ["litz_executable", "litz_training", "litz_compile"].iter().any(|p| name.starts_with(p));
    let folder = "bindings/go/abi";
    up_to_date(&format!("{folder}/constants.go"), &constants(&abi));
    up_to_date(&format!("{folder}/types.go"), &types(&abi));
    up_to_date(&format!("{folder}/names.go"), &names(&abi));
    up_to_date(&format!("{folder}/layouts.go"), &layouts(&abi));
    up_to_date(&format!("{folder}/functions_graph.go"), &functions(&abi, of_graphs));
    up_to_date(&format!("{folder}/functions_executable.go"), &functions(&abi, of_programs));
    up_to_date(&format!("{folder}/functions.go"), &functions(&abi, |n| !of_graphs(n) && !of_programs(n)));
}

#[test]
fn each_declaration_has_a_name_of_its_own() {
    let abi = abi();
    let all = constants(&abi) + &types(&abi) + &functions(&abi, |_| true);
    let mut names = BTreeSet::new();
    for line in all.lines() {
        let words = line.strip_prefix("func ").or(line.strip_prefix("type "));
        let constant = line.strip_prefix('\t').filter(|l| l.contains(" = ") && !l.starts_with("//"));
        let Some(words) = words.or(constant) else { continue };
        let name = words.split([' ', '(']).next().unwrap_or_default();
        assert!(names.insert(name.to_string()), "{name} is declared twice");
    }
    let declared = list(&abi, "functions").len() + list(&abi, "constants").len();
    assert!(names.len() > declared && declared > 200, "{} of {declared}", names.len());
    // What C takes goes through a register of whole numbers.
    let floats =
        |f: &Value| list(f, "parameters").iter().any(|p| p["type"] == "double" || p["type"] == "float");
    assert!(!list(&abi, "functions").iter().any(floats), "purego.SyscallN passes no floats");
    assert!(
        list(&abi, "functions").iter().all(|f| list(f, "parameters").len() <= 15),
        "nor more than 15 arguments"
    );
}
