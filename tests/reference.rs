//! `abi/litz.json` describes `litz.h` for programs that make bindings, and `docs/api.md` is made of it. It has the header's own comments,
//! and none of them is missing: every function, type, member and constant says what it is. `docs/operators.md`, `docs/options.md` and
//! `docs/trace.md` are made of the tables of operators, options and events. `scripts/generate` writes them.

mod common;

use common::documents::up_to_date;
use common::root;
use std::fmt::Write;

/// One thing that the header declares.
#[derive(Debug)]
struct Item {
    kind: Kind,
    name: String,
    comment: String,
    /// The declaration, or a constant's value.
    text: String,
}

#[derive(Debug, PartialEq)]
enum Kind {
    Constant,
    Type,
    Member,
    Function,
}

/// The name that a declaration declares: what stands before its list, or its last word.
fn declared(text: &str) -> String {
    let text = text.trim_end_matches(';').trim();
    let head = match text.split_once("(*") {
        Some((_, pointer)) => pointer.split(')').next().unwrap_or_default(),
        None => text.split(['(', '[', '{']).next().unwrap_or_default().trim(),
    };
    head.rsplit([' ', '*']).next().unwrap_or_default().to_string()
}

/// Everything in `litz.h`, in order.
fn items() -> Vec<Item> {
    let header = std::fs::read_to_string(root().join("include/litz/litz.h")).expect("the header is there");
    let mut items: Vec<Item> = Vec::new();
    let mut comment = String::new();
    let mut holder: Option<String> = None;
    let mut lines = header.lines();
    // Rules and includes stand before the first comment of a declaration.
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line == "/**" {
            comment = lines
                .by_ref()
                .map(str::trim)
                .take_while(|l| *l != "*/")
                .map(|l| l.trim_start_matches('*').trim())
                .collect::<Vec<_>>()
                .join("\n");
        } else if line.starts_with("/*") {
            if !line.ends_with("*/") {
                lines.by_ref().find(|l| l.trim().ends_with("*/"));
            }
        } else if let Some(defined) = line.strip_prefix("#define ") {
            if let Some((name, value)) = defined.split_once(' ') {
                let comment = std::mem::take(&mut comment);
                items.push(Item { kind: Kind::Constant, name: name.into(), comment, text: value.into() });
            }
        } else if let Some(name) = line.strip_prefix("typedef struct ").and_then(|l| l.strip_suffix(" {")) {
            let comment = std::mem::take(&mut comment);
            items.push(Item { kind: Kind::Type, name: name.into(), comment, text: format!("struct {name}") });
            holder = Some(name.into());
        } else if line.starts_with('}') {
            holder = None;
        } else if !line.is_empty() && !line.starts_with('#') && !line.starts_with("extern") {
            let mut text = line.to_string();
            while !text.ends_with(';') {
                let next = lines.next().unwrap_or_else(|| panic!("`{text}` does not end"));
                let _ = write!(text, "\n{next}");
            }
            let comment = std::mem::take(&mut comment);
            let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (kind, name) = match &holder {
                Some(holder) => (Kind::Member, format!("{holder}.{}", declared(&joined))),
                None if joined.starts_with("typedef") => (Kind::Type, declared(&joined)),
                None => (Kind::Function, declared(&joined)),
            };
            items.push(Item { kind, name, comment, text: joined });
        }
    }
    items
}

/// The type that a declaration gives a name: `const char *` of `const char *name`.
fn type_of(declaration: &str) -> String {
    let text = declaration.trim_end_matches(';').trim();
    if text.contains("(*") {
        return text.replacen(&declared(text), "", 1);
    }
    let array = text.find('[').map_or("", |k| &text[k..]);
    let head = text[..text.len() - array.len()].trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    format!("{}{array}", head.trim().replace("struct ", ""))
}

/// Which threads may call a function, as its comment or the header's rules say.
fn threads(function: &common::Function, comment: &str) -> &'static str {
    let of_one = ["litz_graph *", "litz_options *", "litz_registry *", "litz_predicate *"];
    let begins = |ty: &str| of_one.iter().any(|one| ty == *one || ty == format!("const {one}"));
    if ["Any thread", "Any number of", "any number of threads"].iter().any(|words| comment.contains(words)) {
        "any"
    } else if comment.contains("One thread at a time") || function.parameters.iter().any(|(ty, _)| begins(ty))
    {
        "one at a time"
    } else {
        "any"
    }
}

/// `abi/litz.json`: everything that the header declares, for programs that make bindings.
fn description() -> String {
    use serde_json::{Value, json};
    let items = items();
    let functions = common::functions();
    let is_function = |name: &str| functions.iter().any(|f| f.name == name);
    let comment = |item: &Item| paragraph(&item.comment);
    let of = |kind: Kind| items.iter().filter(move |i| i.kind == kind);
    let described: Vec<Value> = functions
        .iter()
        .map(|function| {
            let item = items.iter().find(|i| i.name == function.name).expect("a function is an item");
            let said = comment(item);
            let parameters: Vec<Value> = function
                .parameters
                .iter()
                .map(|(ty, name)| {
                    // What a call writes to a pointer to a pointer is the caller's to release.
                    let made = ty.strip_suffix("**").map(str::trim).filter(|t| !t.starts_with("const "));
                    let release = made.map(|t| match t {
                        "DLManagedTensorVersioned" => "litz_tensor_release".to_string(),
                        handle => format!("{handle}_release"),
                    });
                    json!({
                        "name": name,
                        "type": ty,
                        "owner": made.map(|_| "caller"),
                        "release": release.filter(|r| is_function(r)),
                    })
                })
                .collect();
            json!({
                "name": function.name,
                "result": function.result,
                "parameters": parameters,
                "fails": function.result == "litz_status",
                "result_owner": (function.result.starts_with("const char")).then_some("borrowed"),
                "threads": threads(function, &said),
                "comment": said,
            })
        })
        .collect();
    let constants: Vec<Value> = of(Kind::Constant)
        .map(|c| {
            let value = c.text.parse::<i64>().map_or_else(|_| json!(c.text), |n| json!(n));
            json!({"name": c.name, "value": value, "comment": comment(c)})
        })
        .collect();
    let types: Vec<Value> = of(Kind::Type)
        .map(|ty| {
            let own = format!("{}.", ty.name);
            let members: Vec<Value> = of(Kind::Member)
                .filter(|m| m.name.starts_with(&own))
                .map(
                    |m| json!({"name": m.name[own.len()..], "type": type_of(&m.text), "comment": comment(m)}),
                )
                .collect();
            let words = ty.text.trim_start_matches("typedef ").trim_end_matches(';');
            let kind = match ty.text.as_str() {
                _ if !members.is_empty() => "struct",
                text if text.contains("(*") => "callback",
                text if text.starts_with("typedef struct") => "handle",
                _ => "alias",
            };
            let release = format!("{}_release", ty.name);
            json!({
                "name": ty.name,
                "kind": kind,
                "declaration": (kind == "callback" || kind == "alias").then_some(words),
                "release": (kind == "handle" && is_function(&release)).then_some(release),
                "members": members,
                "comment": comment(ty),
            })
        })
        .collect();
    let header = std::fs::read_to_string(root().join("include/litz/litz.h")).expect("the header is there");
    let rules = header.split("*/").next().unwrap_or_default().lines();
    let rules: Vec<&str> =
        rules.map(|l| l.trim_start_matches(['/', '*', ' '])).filter(|l| !l.is_empty()).collect();
    let all = json!({
        "about": "The C ABI of Litz. Generated from include/litz/litz.h by scripts/generate.",
        "soname": "liblitz.so.0",
        "rules": rules.join(" "),
        "constants": constants,
        "types": types,
        "functions": described,
    });
    format!("{all:#}\n")
}

#[test]
fn everything_in_the_header_says_what_it_is() {
    let items = items();
    let count = |kind: Kind| items.iter().filter(|i| i.kind == kind).count();
    assert!(
        count(Kind::Function) >= 57 && count(Kind::Member) > 40 && count(Kind::Constant) > 70,
        "{items:?}"
    );
    let functions: Vec<&str> =
        items.iter().filter(|i| i.kind == Kind::Function).map(|i| i.name.as_str()).collect();
    let exported: Vec<String> = common::functions().into_iter().map(|f| f.name).collect();
    assert_eq!(functions, exported, "the reference and the exports");
    let silent: Vec<&str> =
        items.iter().filter(|i| i.comment.trim().is_empty()).map(|i| i.name.as_str()).collect();
    assert!(silent.is_empty(), "without a comment in src/capi: {silent:#?}");
}

/// A comment as one paragraph of Markdown.
fn paragraph(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text as Markdown shows it: what stands in angle brackets would be a tag of HTML, unless it is code.
fn shown(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts: Vec<String> = parts
        .map(|(k, part)| if k % 2 == 0 { part.replace('<', "&lt;") } else { part.to_string() })
        .collect();
    parts.join("`")
}

/// A name with its type as C declares it: `uint64_t reserved[4]`, `void (*release)(void *context)`.
fn declaration(ty: &str, name: &str) -> String {
    if let Some((result, list)) = ty.split_once("(*") {
        return format!("{result}(*{name}{list}");
    }
    let (ty, array) = ty.split_at(ty.find('[').unwrap_or(ty.len()));
    let space = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{space}{name}{array}")
}

/// `docs/api.md`, of what `abi/litz.json` says.
fn reference() -> String {
    let all: serde_json::Value = serde_json::from_str(&description()).expect("it is JSON");
    let list = |of: &serde_json::Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
    let text_of = |of: &serde_json::Value, key: &str| of[key].as_str().unwrap_or_default().to_string();
    let mut text = String::from(
        "# Reference of litz.h\n\nGenerated from `abi/litz.json`, which describes the header for programs, by `scripts/generate`. The \
         rules that hold for every function stand at the header's top; `docs/guide-c.md` shows how they go together. \
         `include/litz/artifact.h`, `litz_ops.h`, `litz_ops.hpp` and `litz.hpp` say for themselves what they hold.\n",
    );
    text.push_str("\n## Functions\n");
    for function in list(&all, "functions") {
        let parameters = list(&function, "parameters");
        let given: Vec<String> =
            parameters.iter().map(|p| declaration(&text_of(p, "type"), &text_of(p, "name"))).collect();
        let given = if given.is_empty() { "void".to_string() } else { given.join(", ") };
        let name = text_of(&function, "name");
        let own = declaration(&text_of(&function, "result"), &format!("{name}({given});"));
        let _ = write!(
            text,
            "\n### {name}\n\n```text\n{own}\n```\n\n{}\n",
            shown(&text_of(&function, "comment"))
        );
        let mut facts = vec![format!("Threads: {}.", text_of(&function, "threads"))];
        for parameter in parameters.iter().filter(|p| p["release"].is_string() && p["name"] != "err") {
            let (name, release) = (text_of(parameter, "name"), text_of(parameter, "release"));
            facts.push(format!("`*{name}` is released by `{release}`."));
        }
        let _ = write!(text, "\n*{}*\n", facts.join(" "));
    }
    text.push_str("\n## Types\n");
    for ty in list(&all, "types") {
        let _ = write!(text, "\n### {}\n\n{}\n", text_of(&ty, "name"), shown(&text_of(&ty, "comment")));
        if ty["kind"] == "callback" {
            let _ = write!(text, "\n```text\ntypedef {};\n```\n", text_of(&ty, "declaration"));
        }
        let members = list(&ty, "members");
        if !members.is_empty() {
            text.push_str("\n| member | |\n|---|---|\n");
        }
        for member in members {
            let own = declaration(&text_of(&member, "type"), &text_of(&member, "name"));
            let _ =
                writeln!(text, "| `{own}` | {} |", shown(&text_of(&member, "comment")).replace('|', "\\|"));
        }
    }
    text.push_str("\n## Constants\n\n| constant | value | |\n|---|---|---|\n");
    for constant in list(&all, "constants") {
        let value = constant["value"].as_str().map_or_else(|| constant["value"].to_string(), str::to_string);
        let comment = shown(&text_of(&constant, "comment")).replace('|', "\\|");
        let _ = writeln!(text, "| `{}` | {value} | {comment} |", text_of(&constant, "name"));
    }
    text
}

/// Every option, as `litz_options_list` tells it.
fn options() -> String {
    let listed: serde_json::Value =
        serde_json::from_str(&litz::session::Options::list_json()).expect("the options are JSON");
    let mut text = String::from(
        "# Options\n\nGenerated from the table of `src/session/options.rs` by `scripts/generate`. `litz_options_set` takes them \
         as strings. A key that cannot act on the program's backend is an \
         error, unless it has its default value. What a mode sets is for every backend.\n\n| key | values | default | |\n|---|---|---|---|\n",
    );
    for option in listed.as_array().expect("a list") {
        let cell = |key: &str| option[key].as_str().unwrap_or_default().replace('|', "\\|");
        let default = match cell("default") {
            empty if empty.is_empty() => String::new(),
            default => format!("`{default}`"),
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {default} | {} |",
            cell("key"),
            cell("type"),
            shown(&cell("meaning"))
        );
    }
    text
}

/// Every event of a trace, by the table that they are made by.
fn events() -> String {
    use litz::base::event::{COMMON_KEYS, Channel, KINDS};
    let cell = |text: &str| text.replace('|', "\\|");
    let mut text = String::from(
        "# Events\n\nGenerated from the table of `src/base/event.rs` by `scripts/generate`.\n\nCompilations and runs \
         report events. `litz_options_set_trace` sends each to a callback, as a line of JSON. The option `trace.file` writes \
         them as a trace for Chrome and Perfetto; the line is the `args` of the entry there. The log is a view of them, in \
         words: `litz_options_set_log` selects events up to a level, the option `log` all events of some channels. \
         `litz_counters` counts some of them. An event without a listener costs nothing.\n\n\
         Every event has\n\n| key | |\n|---|---|\n",
    );
    for (key, meaning) in COMMON_KEYS {
        let _ = writeln!(text, "| `{key}` | {} |", cell(meaning));
    }
    let names: Vec<String> = Channel::ALL.iter().map(|c| format!("`{}`", c.name())).collect();
    let _ = write!(text, "\nThe channels are {}.\n", names.join(", "));
    for kind in &KINDS {
        let _ = write!(
            text,
            "\n## {}\n\n{} Channel `{}`, level {}.\n\n| key | |\n|---|---|\n",
            kind.name,
            kind.meaning,
            kind.channel.name(),
            kind.level
        );
        for (key, meaning) in kind.keys {
            let _ = writeln!(text, "| `{key}` | {} |", cell(meaning));
        }
    }
    text += "\n## The files of debug.dump\n\nEach compilation has a folder, `<graph>_<n>` with the first `n` that is free.\n\n\
             | file | |\n|---|---|\n";
    for (name, meaning) in litz::session::dump::FILES {
        let _ = writeln!(text, "| `{}` | {} |", cell(name), cell(meaning));
    }
    text
}

/// Every operator, by the table that all floors expand.
fn operators() -> String {
    use litz::frontend::OWN;
    use litz::ops::OpId;
    let mut text = String::from(
        "# Operators\n\nGenerated from the table of `src/ops/rows` by `scripts/generate`. `litz_ops.h` has a function for \
         each, with its schema.\n\nEvery operator runs on the interpreter, on CPUs and on CUDA GPUs, JIT and in artifacts.\n\n\
         - *complex*: whether it takes complex64 and complex128, too; such operators run on the real and the imaginary parts.\n\
         - *dtypes*: what its operands may be; `any` is bool, uint8, int8 to int64, float16, bfloat16, float32 and float64, but for \
         what PyTorch refuses, too: means of integers, logic of floats. The message says which.\n\
         - *also*: `unsigned` where it takes uint16, uint32 and uint64, too, as PyTorch has kernels for them on the CPU; `float8` where it takes \
         float8_e4m3fn and float8_e5m2.\n\
         - *in place*: whether the form whose name ends in `_` exists, too. A form with an argument `out` (`aten.add.out`) exists for \
         each operator with one result; the result is copied to that tensor.\n\
         - *as*: `loops` have a rule of their own; `graph` is rebuilt from simpler operators, which a host's decomposition can replace; \
         `sizes` becomes others when it is added to a graph, since data decide the sizes; `view` shares memory.\n\
         - *gradient*: whether gradients flow through it.\n\n\
         Refused by every operator: complex32 and quantised dtypes, sparse layouts, and tensors of more than 64 dimensions. The message names all operators of a program that are in the way.\n\n\
         | operator | dtypes | also | complex | in place | as | gradient |\n|---|---|---|---|---|---|---|\n",
    );
    let yes = |holds: bool| if holds { "yes" } else { "" };
    let mut all: Vec<OpId> = OpId::all().to_vec();
    all.sort_by_key(|op| op.name());
    for op in all {
        let made = match op.class() {
            _ if litz::meta::expands_always(op) => "sizes",
            litz::ops::Class::View => "view",
            _ if litz::decompose::has_rule(op) || litz::meta::rules::differentiated(op).is_some() => "graph",
            _ => "loops",
        };
        let dtypes = match op.row().takes {
            litz::ops::Takes::Any => "any",
            some => some.text(),
        };
        let unsigned = op.row().wide_unsigned && op.row().takes.has(litz::types::Dtype::Uint32);
        let also = [(unsigned, "unsigned"), (op.takes_float8(), "float8")];
        let also: Vec<&str> = also.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect();
        let gradient = litz::differentiate::is_differentiable(op);
        let _ = writeln!(
            text,
            "| `{}` | {dtypes} | {} | {} | {} | {made} | {} |",
            op.name(),
            also.join(", "),
            yes(op.complex() != litz::ops::Complex::Refused),
            yes(op.row().inplace),
            yes(gradient)
        );
    }
    text += "\n## Formulas\n\nThese operators are expanded when they are added to a graph. Dtypes, layouts and gradients are those of the \
             operators in the expansion. Each `aten._foreach_…` expands to the operator on single tensors, once for each element of its \
             lists.\n\n\
             | operator | becomes |\n|---|---|\n";
    let mut formulas: Vec<_> = litz::meta::formulas::all().collect();
    formulas.sort_unstable();
    for (name, formula) in formulas {
        let _ = writeln!(text, "| `{name}` | {} |", formula.map_or("a graph".into(), |f| format!("`{f}`")));
    }
    text += "\n## Read as numbers\n\nNodes of exported programs that become symbolic numbers, have some among their results, or are part of the program's structure:\n\n";
    for name in OWN {
        let _ = writeln!(text, "- `{name}`");
    }
    text + "\nPython's arithmetic of sizes, too: `_operator.*`, `math.*`, `torch.sym_*` and `builtins.*`.\n"
}

#[test]
fn the_committed_reference_is_generated() {
    up_to_date("docs/api.md", &reference());
}

#[test]
fn the_committed_description_is_generated() {
    let text = description();
    let all: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let names = |key: &str| all[key].as_array().map_or(0, Vec::len);
    assert_eq!(names("functions"), common::functions().len());
    assert!(names("constants") > 70 && names("types") > 20, "the header was not read");
    let function =
        |name: &str| all["functions"].as_array().unwrap().iter().find(|f| f["name"] == name).unwrap();
    let run = function("litz_executable_run");
    assert_eq!(
        (&run["threads"], &run["parameters"][3]["release"]),
        (&"any".into(), &"litz_tensor_release".into())
    );
    assert_eq!(function("litz_options_set")["threads"], "one at a time");
    assert_eq!(function("litz_graph_new")["parameters"][2]["release"], "litz_graph_release");
    assert!(function("litz_graph_new")["parameters"][1]["owner"].is_null());
    up_to_date("abi/litz.json", &text);
}

#[test]
fn the_committed_list_of_events_is_generated() {
    up_to_date("docs/trace.md", &events());
}

#[test]
fn the_committed_list_of_operators_is_generated() {
    up_to_date("docs/operators.md", &operators());
}

#[test]
fn the_committed_list_of_options_is_generated() {
    up_to_date("docs/options.md", &options());
}
