//! The record of the binary interface, `abi/`: what the library exports, the signatures, the layout of every struct and
//! the value of every constant. A change must update it on purpose: `scripts/record-abi` does, and refuses what breaks
//! programs that are compiled already unless the ABI's major version is raised. `docs/abi.md` has the policy.

mod common;

use common::{c_compiler, root, run, shared_library};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

const HEADERS: [&str; 3] = ["dlpack.h", "artifact.h", "litz.h"];

fn header(name: &str) -> String {
    std::fs::read_to_string(root().join("include/litz").join(name)).expect("the header is there")
}

/// A header's declarations, without comments and lines of the preprocessor.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").expect("comments end").1;
    }
    code.push_str(rest);
    let mut kept = String::new();
    let mut continued = false;
    for line in code.lines() {
        let directive = continued || line.trim_start().starts_with('#');
        continued = directive && line.ends_with('\\');
        if !directive {
            kept.push_str(line);
            kept.push(' ');
        }
    }
    kept
}

/// Names and fields of the structs that a header defines with `typedef struct … { … } name;`.
fn structs(code: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("struct ") {
        let Some((head, body)) = code[at..].split_once('{') else { continue };
        if head.contains([';', '(', ')']) {
            continue;
        }
        let (body, rest) = body.split_once('}').expect("a struct ends");
        let tag = head.trim_start_matches("struct ").trim();
        let alias = rest.split(';').next().unwrap_or_default().trim();
        let name = if alias.is_empty() { format!("struct {tag}") } else { alias.to_string() };
        let fields = body.split(';').flat_map(fields).collect();
        found.push((name, fields));
    }
    found
}

/// The fields of one declaration: `uint64_t seed, offset`, `void (*release)(void *)`, `uint64_t reserved[2]`.
fn fields(declaration: &str) -> Vec<String> {
    let declaration = declaration.trim();
    if declaration.is_empty() {
        return Vec::new();
    }
    if let Some((_, pointer)) = declaration.split_once("(*") {
        return vec![pointer.split(')').next().expect("a pointer has a name").trim().to_string()];
    }
    let word = |text: &str| {
        let text = text.split('[').next().unwrap_or_default().trim();
        text.rsplit([' ', '*']).next().unwrap_or_default().to_string()
    };
    declaration.split(',').map(word).collect()
}

/// The constants that a header defines: `#define LITZ_… value`, and DLPack's enumerators.
fn constants(text: &str) -> Vec<String> {
    let defined = text.lines().filter_map(|line| {
        let mut words = line.trim().strip_prefix("#define ")?.split_whitespace();
        let name = words.next()?;
        // Guards have no value, and linkage and strings are not numbers.
        let value = words.next()?;
        let ours = name.starts_with("LITZ_") || name.starts_with("DLPACK_");
        (ours && value.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '-'))
            .then(|| name.to_string())
    });
    let code = code(text);
    let enumerators = code.split("enum").skip(1).filter_map(|rest| {
        let body = rest.split_once('{')?.1.split_once('}')?.0.to_string();
        Some(
            body.split(',')
                .map(|e| e.split('=').next().unwrap_or_default().trim().to_string())
                .collect::<Vec<_>>(),
        )
    });
    let enumerators: Vec<String> = enumerators.flatten().filter(|e| !e.is_empty()).collect();
    defined.chain(enumerators).collect()
}

/// Layouts and values, as the C compiler sees them: a line each.
fn layouts() -> String {
    let mut program = String::from("#include <stddef.h>\n#include <stdio.h>\n");
    for name in HEADERS {
        let _ = writeln!(program, "#include <litz/{name}>");
    }
    program.push_str("int main(void) {\n");
    let mut seen = Vec::new();
    for name in HEADERS {
        let text = header(name);
        for constant in constants(&text) {
            if seen.contains(&constant) {
                continue;
            }
            let _ =
                writeln!(program, "    printf(\"constant {constant} %lld\\n\", (long long)({constant}));");
            seen.push(constant);
        }
        for (name, fields) in structs(&code(&text)) {
            if seen.contains(&name) {
                continue;
            }
            let _ = writeln!(program, "    printf(\"size {name} %zu\\n\", sizeof({name}));");
            for field in fields {
                let _ = writeln!(
                    program,
                    "    printf(\"field {name}.{field} at %zu of %zu\\n\", offsetof({name}, {field}), \
                     sizeof((({name} *)0)->{field}));"
                );
            }
            seen.push(name);
        }
    }
    program.push_str("    return 0;\n}\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, binary) = (folder.path().join("layouts.c"), folder.path().join("layouts"));
    std::fs::write(&source, program).expect("the program can be written");
    run(Command::new(c_compiler())
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join("include"))
        .arg(&source)
        .arg("-o")
        .arg(&binary));
    run(&mut Command::new(&binary))
}

/// What the dynamic linker sees.
fn symbols() -> String {
    let dynamic = run(Command::new("readelf").arg("-d").arg(shared_library()));
    let soname = dynamic.lines().find(|l| l.contains("(SONAME)")).expect("the library has a SONAME");
    let soname = soname.split(['[', ']']).nth(1).expect("a SONAME stands in brackets");
    let listed = run(Command::new("nm").args(["-D", "--defined-only"]).arg(shared_library()));
    let mut exports: Vec<String> = listed
        .lines()
        .filter_map(|l| {
            let mut words = l.split_whitespace().skip(1);
            Some(format!("export {} {}", words.next()?, words.next()?))
        })
        .collect();
    exports.sort();
    format!("soname {soname}\n{}\n", exports.join("\n"))
}

fn signatures() -> String {
    let mut text = String::new();
    for f in common::functions() {
        let types: Vec<String> = f.parameters.iter().map(|(ty, name)| format!("{ty} {name}")).collect();
        let _ = writeln!(text, "function {} {}({})", f.name, f.result, types.join(", "));
    }
    for name in ["artifact.h", "litz.h"] {
        for declaration in code(&header(name)).split("typedef ").skip(1) {
            let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some((head, rest)) = declaration.split_once("(*litz_")
                && !head.contains('{')
            {
                let (name, list) = rest.split_once(')').expect("a pointer's name ends");
                let list = list.split(';').next().unwrap_or_default();
                let line = format!("callback litz_{name} {head}{list}\n");
                if !text.contains(&line) {
                    text.push_str(&line);
                }
            }
        }
    }
    for (name, declaration) in ["artifact.h", "litz.h"].iter().flat_map(|h| members(&code(&header(h)))) {
        let line = format!("member {name} {declaration}\n");
        if !text.contains(&line) {
            text.push_str(&line);
        }
    }
    text
}

/// The functions that structs point at: `litz_artifact_api.run`, with its declaration.
fn members(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("typedef struct ") {
        let Some((_, body)) = code[at..].split_once('{') else { continue };
        let (body, rest) = body.split_once('}').expect("a struct ends");
        let name = rest.split(';').next().unwrap_or_default().trim();
        for declaration in body.split(';').filter(|d| d.contains("(*")) {
            let field = fields(declaration).remove(0);
            let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
            found.push((format!("{name}.{field}"), declaration));
        }
    }
    found
}

/// A record's lines by what they are about (`field litz_arg.kind`), with what they say of it; a symbol says nothing more.
fn facts(record: &str) -> BTreeMap<String, String> {
    let fact = |line: &str| {
        if line.starts_with("export ") {
            return (line.to_string(), String::new());
        }
        let mut words = line.splitn(3, ' ');
        let kind = words.next().unwrap_or_default();
        let name = words.next().unwrap_or_default();
        (format!("{kind} {name}"), words.next().unwrap_or_default().to_string())
    };
    record.lines().map(fact).collect()
}

/// What breaks programs that are compiled already: anything that is gone or says something else, but for the version
/// itself and the size of structs that say their size.
fn breaks(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (facts(old), facts(new));
    let grows = |name: &str| {
        name.strip_prefix("size ").is_some_and(|s| new.contains_key(&format!("field {s}.struct_size")))
    };
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    old.iter()
        .filter(|(name, _)| *name != "constant LITZ_ABI_VERSION")
        .filter_map(|(name, was)| match new.get(name) {
            Some(is) if is == was => None,
            Some(is) if grows(name) && number(is) > number(was) => None,
            Some(is) => Some(format!("{name}: was {was}, is {is}")),
            None => Some(format!("{name}: is gone")),
        })
        .collect()
}

fn compare(file: &str, now: &str) {
    let path = root().join("abi").join(file);
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("LITZ_RECORD_ABI").is_some() {
        let major = |text: &str| {
            let version = facts(text).get("constant LITZ_ABI_VERSION").and_then(|v| v.parse::<u64>().ok());
            version.map(|v| v >> 16)
        };
        let layouts_then = std::fs::read_to_string(root().join("abi/layouts.txt")).unwrap_or_default();
        let raised = major(&layouts_then) < major(&layouts());
        let broken = breaks(&recorded, now);
        assert!(
            broken.is_empty() || raised,
            "this breaks programs that are compiled already; keep it as it was, or raise the major version of \
             LITZ_ABI_VERSION and of the SONAME (docs/abi.md):\n{}",
            broken.join("\n")
        );
        std::fs::write(&path, now).expect("the record can be written");
        return;
    }
    let (then, is) = (facts(&recorded), facts(now));
    let changed: Vec<String> = is
        .iter()
        .filter(|(name, says)| then.get(*name) != Some(says))
        .map(|(name, says)| format!("+ {name} {says}"))
        .chain(
            then.iter().filter(|(name, says)| is.get(*name) != Some(says)).map(|(n, s)| format!("- {n} {s}")),
        )
        .collect();
    assert!(
        changed.is_empty() && recorded == now,
        "the binary interface is not what abi/{file} records; if that is meant, run scripts/record-abi and commit what \
         it writes:\n{}",
        changed.join("\n")
    );
}

// One test, so that the records are read before any of them is written.
#[test]
fn the_binary_interface_is_the_recorded_one() {
    let signatures = signatures();
    assert!(signatures.lines().count() > 55, "the headers were not read: {signatures}");
    compare("symbols.txt", &symbols());
    compare("signatures.txt", &signatures);
    let layouts = layouts();
    for fact in [
        "field litz_run_options.offset",
        "field DLTensor.strides",
        "field litz_arg.reserved",
        "constant kDLCUDA",
    ] {
        assert!(facts(&layouts).contains_key(fact), "{fact} was not read:\n{layouts}");
    }
    compare("layouts.txt", &layouts);
}

#[test]
fn what_breaks_programs_is_told_from_what_adds() {
    let old = "constant LITZ_ABI_VERSION 1\nsize a 16\nfield a.struct_size at 0 of 8\nsize b 4\nfield b.x at 0 of 4\n";
    assert_eq!(breaks(old, old), [""; 0]);
    let grown = old.replace("size a 16", "size a 24").replace("VERSION 1", "VERSION 2") + "constant NEW 3\n";
    assert_eq!(breaks(old, &grown), [""; 0]);
    assert_eq!(breaks(old, &old.replace("size a 16", "size a 8")), ["size a: was 16, is 8"]);
    assert_eq!(breaks(old, &old.replace("size b 4", "size b 8")), ["size b: was 4, is 8"]);
    assert_eq!(breaks(old, &old.replace("field b.x at 0 of 4\n", "")), ["field b.x: is gone"]);
    let exports = "export T litz_a\nexport T litz_b\n";
    assert_eq!(breaks(exports, "export T litz_b\nexport T litz_c\n"), ["export T litz_a: is gone"]);
}
