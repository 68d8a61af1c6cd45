//! Graphs as text and what a stage makes of them: `tests/cases/<stage>/*.litz`. A case is a graph in Litz text; the
//! expected text stands in the same file, in lines that start with `#=`. `LITZ_BLESS=1` rewrites those.
//!
//! | stage | expected |
//! |---|---|
//! | `functionalize` | the pure graph |
//! | `passes` | the pure graph after every pass of the pipeline |
//! | `decompose` | the pure graph in simpler operators |
//! | `trace` | what a compilation tells: an event each line, without what differs from machine to machine; a first line `# events: <names>` leaves out all others |
//! | `spec` | the leaves of a program's signature, and the answer to each caller's, which stands as JSON in a line that starts with `#?` |
//! | `lower` | the loops of the pure graph in simpler operators |
//! | `loop_passes` | loops, given as text, after one pass over them; the first line is `# <target>: <pass>` |
//! | `fusion` | the groups that loops, given as text, become; the first line is `# <target>` |
//! | `mapping` | the kernels that loops, given as text, become; the first line is `# <target>` |
//! | `verify` | what the verifier and the interpreter of kernels say to a kernel, given as text; the first line is `# <target>` |
//! | `kernels` | what the whole pipeline compiles: a line for each kernel with its kind and what fused into it |

use litz::base::event::COMMON_KEYS;
use litz::decompose::decompose;
use litz::frontend::pt2;
use litz::functionalize::functionalize;
use litz::ir::text::print as graph_text;
use litz::ir::{Graph, spec};
use litz::kernels::verify::{Data, verify, verify_with};
use litz::kernels::{Kernel, interpret, text};
use litz::loop_passes;
use litz::loops::{self, Number, Program, lower::lower};
use litz::mapping;
use litz::meta::text::parse;
use litz::passes;
use litz::print;
use litz::schedule;
use litz::session::{self, Options};
use litz::target::{CpuTarget, CudaTarget, Isa, Target, Vendor};
use litz::types::{Dtype, SymArena, SymbolId};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const MARK: &str = "#=";
const CALLER: &str = "#? ";

fn kernels(text: &str) -> String {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", "cpu").unwrap();
    let executable = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let described: serde_json::Value = serde_json::from_str(&executable.describe()).unwrap();
    let mut lines = String::new();
    for kernel in described["kernels"].as_array().unwrap() {
        let word = |key: &str| kernel[key].as_str().unwrap_or("?").to_string();
        let operators: Vec<&str> =
            kernel["operators"].as_array().unwrap().iter().filter_map(|o| o.as_str()).collect();
        lines += &format!("{} {}: {}\n", word("stage"), word("kind"), operators.join(", "));
    }
    lines
}

fn events(text: &str) -> String {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    for (key, value) in
        [("backend", "cpu"), ("cpu.isa", "scalar"), ("cpu.threads", "2"), ("cache.enabled", "false")]
    {
        options.set(key, value).unwrap();
    }
    let only = text.lines().next().and_then(|l| l.strip_prefix("# events: "));
    let only: Option<Vec<String>> = only.map(|names| names.split(", ").map(String::from).collect());
    let lines = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&lines);
    options.set_trace(Some(Arc::new(move |line: &str| {
        let mut event: Map<String, Value> = serde_json::from_str(line).unwrap();
        let name = event.shift_remove("event").unwrap();
        for (key, _) in COMMON_KEYS.iter().filter(|(key, _)| *key != "event") {
            assert!(event.shift_remove(*key).is_some_and(|v| v.is_number()), "{key}: {line}");
        }
        if only.as_ref().is_some_and(|only| !only.iter().any(|o| name == o.as_str())) {
            return;
        }
        event.shift_remove("seconds");
        if let Some(description) = event.get_mut("description") {
            description["name"] = Value::Null;
        }
        if name == "cache" {
            event.insert("key".into(), Value::Null);
        }
        *told.lock().unwrap() += &format!("{} {}\n", name.as_str().unwrap(), Value::Object(event));
    })));
    session::plan(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    lines.lock().unwrap().clone()
}

/// What a program says of its signature, and to those of callers.
fn signature(text: &str) -> String {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", "interpreter").unwrap();
    let program = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let own = program.spec().unwrap_or_else(|e| panic!("{e}"));
    let mut lines = String::new();
    for side in ["inputs", "outputs"] {
        for leaf in own[side].as_array().unwrap() {
            lines += &format!("{side}: {leaf}\n");
        }
    }
    for caller in text.lines().filter_map(|l| l.strip_prefix(CALLER)) {
        let caller: Value = serde_json::from_str(caller).unwrap_or_else(|e| panic!("{e}: {caller}"));
        lines += &match spec::compare(&own, &caller) {
            Ok(()) => "fits\n".to_string(),
            Err(difference) => format!("differs at {difference}\n"),
        };
    }
    lines
}

/// The target that a case's first line names, and what stands behind it.
fn target(text: &str) -> (Target, String) {
    let line = text.lines().next().and_then(|l| l.strip_prefix("# ")).expect("the first line names a target");
    let (name, rest) = line.split_once(": ").unwrap_or((line, ""));
    let target = match Isa::from_name(name) {
        Some(isa) => Target::Cpu(CpuTarget::generic(isa)),
        None => {
            let (gpu, library) = name.split_once(" with ").unwrap_or((name, ""));
            let arch = gpu.strip_prefix("sm_").and_then(|a| a.parse().ok());
            let mut cuda = CudaTarget::generic(arch.unwrap_or_else(|| panic!("there is no target `{name}`")));
            cuda.vendor.cublaslt = library == "cuBLASLt";
            Target::Cuda(cuda)
        }
    };
    (target, rest.to_string())
}

fn loops_of(text: &str) -> Program {
    loops::text::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn lowered(graph: &Graph) -> Program {
    let functional = functionalize(graph).unwrap_or_else(|e| panic!("{e}"));
    let mut graph = decompose(&functional).unwrap_or_else(|e| panic!("{e}"));
    passes::run(&mut graph).unwrap_or_else(|e| panic!("{e}"));
    lower(&graph).unwrap_or_else(|e| panic!("{e}"))
}

fn after_pass(text: &str) -> String {
    let (target, pass) = target(text);
    let mut program = loops_of(text);
    let report = loop_passes::run_named(&mut program, &pass, &target);
    report.unwrap_or_else(|| panic!("there is no pass `{pass}`")).unwrap_or_else(|e| panic!("{e}"));
    loops::text::text(&program)
}

fn groups(text: &str) -> String {
    let (target, _) = target(text);
    let mut program = loops_of(text);
    loop_passes::run(&mut program, &target, false).unwrap_or_else(|e| panic!("{e}"));
    let settings = schedule::Settings { fuse: true, explain: true };
    let scheduled = schedule::schedule(&mut program, &target, settings);
    let mut lines = String::new();
    for decision in &scheduled.decisions {
        if let Some(apart) = decision.apart {
            lines += &format!(
                "{} apart from {}: {}\n",
                decision.node.text(),
                decision.group.text(),
                apart.reason()
            );
        }
    }
    lines + &schedule::text::groups(&program, &scheduled)
}

/// The kernels of every group, each of which passes the verifier.
fn mapped(text: &str) -> String {
    let (target, _) = target(text);
    let mut program = loops_of(text);
    loop_passes::run(&mut program, &target, false).unwrap_or_else(|e| panic!("{e}"));
    let settings = schedule::Settings { fuse: true, explain: false };
    let scheduled = schedule::schedule(&mut program, &target, settings);
    let mut lines = String::new();
    for group in scheduled.init.iter().chain(&scheduled.main) {
        let (kind, kernel) = match mapping::kernel(&program, group, &target, 1 << 16) {
            Ok(mapped) => mapped,
            Err(refusal) => {
                lines += &format!("refused: {refusal}\n");
                continue;
            }
        };
        lines += &format!("{kind} ({})\n{}", group.operators.text(), text::text(&program.syms, &kernel));
        if let Err(error) = verify_with(&program.syms, &kernel, &target, Data::BoundByLoops) {
            lines += &format!("refused by the verifier: {error}\n");
        }
    }
    lines
}

/// The size of every symbol: its hint, or a small one.
fn size_of(read: &text::Read, symbol: SymbolId) -> i64 {
    let range = read.syms.symbol_range(symbol);
    read.syms.symbol_hint(symbol).unwrap_or(range.min.max(5).min(range.max))
}

fn judged(text: &str) -> String {
    let (target, _) = target(text);
    let read = text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let printed = text::text(&read.syms, &read.kernel);
    if printed != bare_lines(text) {
        return format!("the text is not as it is printed:\n{printed}");
    }
    if let Err(error) = verify(&read.syms, &read.kernel, &target) {
        return format!("refused by the verifier: {error}\n");
    }
    // Values are looked up while the arena is at work.
    let sizes: Vec<(SymbolId, i64)> = read.symbols.iter().map(|s| (*s, size_of(&read, *s))).collect();
    for order in 0..6 {
        let symbols = |symbol| sizes.iter().find(|(s, _)| *s == symbol).map(|(_, size)| *size);
        let mut memory: Vec<Vec<u8>> = Vec::new();
        for buffer in &read.kernel.buffers {
            let given = |k: usize| Number::Integer((k % 3) as i64).cast(Dtype::Int64, buffer.dtype);
            let mut bytes = vec![0; 1 << 14];
            let parts = bytes.chunks_exact_mut(buffer.dtype.size()).enumerate();
            parts.for_each(|(k, bytes)| given(k).write(bytes, buffer.dtype));
            memory.push(bytes);
        }
        if let Err(fault) = interpret::run(&read.syms, &read.kernel, &symbols, &mut memory, order) {
            let kind = if matches!(fault.cause(), interpret::Fault::Assertion(_)) {
                "ends"
            } else {
                "refused by the interpreter"
            };
            return format!("{kind}: {fault}\n");
        }
    }
    "accepted\n".to_string()
}

/// A kernel's lines without comments.
fn bare_lines(text: &str) -> String {
    text.lines().filter(|l| !l.starts_with('#')).map(|l| format!("{l}\n")).collect()
}

fn stage(name: &str, text: &str) -> String {
    let functional = || {
        let graph = parse(text).unwrap_or_else(|e| panic!("{e}"));
        functionalize(&graph).unwrap_or_else(|e| panic!("{e}"))
    };
    match name {
        "functionalize" => match functionalize(&parse(text).unwrap_or_else(|e| panic!("{e}"))) {
            Ok(graph) => graph_text(&graph),
            Err(e) => format!("error {}: {e}\n", e.status.code()),
        },
        "passes" => {
            let mut graph = functional();
            passes::run(&mut graph).unwrap_or_else(|e| panic!("{e}"));
            graph_text(&graph)
        }
        "decompose" => graph_text(&decompose(&functional()).unwrap_or_else(|e| panic!("{e}"))),
        "lower" => loops::text::text(&lowered(&parse(text).unwrap_or_else(|e| panic!("{e}")))),
        "loop_passes" => after_pass(text),
        "fusion" => groups(text),
        "kernels" => kernels(text),
        "mapping" => mapped(text),
        "verify" => judged(text),
        "trace" => events(text),
        "spec" => signature(text),
        other => panic!("no stage is called `{other}`"),
    }
}

/// The graph and the expected text.
fn split(text: &str) -> (String, String) {
    let (expected, graph): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with(MARK));
    let strip = |l: &&str| format!("{}\n", l[MARK.len()..].strip_prefix(' ').unwrap_or_default());
    (graph.join("\n").trim_end().to_string(), expected.iter().map(strip).collect())
}

fn check(path: &Path, name: &str) -> Option<String> {
    let (graph, expected) = split(&std::fs::read_to_string(path).unwrap());
    let got = stage(name, &graph);
    if std::env::var_os("LITZ_BLESS").is_some() {
        let marked: String =
            got.lines().map(|l| format!("{MARK} {l}").trim_end().to_string() + "\n").collect();
        std::fs::write(path, format!("{graph}\n\n{marked}")).unwrap();
        return None;
    }
    (got != expected).then(|| format!("{}: expected\n{expected}got\n{got}", path.display()))
}

fn cases(name: &str) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")).join(name);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    let problems: Vec<String> = paths.iter().filter_map(|p| check(p, name)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn functionalized_graphs() {
    cases("functionalize");
}

#[test]
fn passes_over_graphs() {
    cases("passes");
}

#[test]
fn decomposed_graphs() {
    cases("decompose");
}

#[test]
fn what_fuses() {
    cases("kernels");
}

#[test]
fn what_kernels_may_not_do() {
    cases("verify");
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/verify"));
    let texts =
        std::fs::read_dir(&folder).unwrap().map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap());
    let refused = texts.filter(|text| text.contains("#= refused")).count();
    assert!(refused >= 60, "{refused} cases that are refused");
}

#[test]
fn what_is_told() {
    cases("trace");
}

#[test]
fn signatures_and_those_of_callers() {
    cases("spec");
}

#[test]
fn lowered_graphs() {
    cases("lower");
}

#[test]
fn passes_over_loops() {
    cases("loop_passes");
}

#[test]
fn groups_of_loops() {
    cases("fusion");
}

#[test]
fn kernels_of_loops() {
    cases("mapping");
}

/// A text without its comments.
fn bare(text: &str) -> String {
    text.lines().map(|l| l.split("  # ").next().unwrap_or_default().to_string() + "\n").collect()
}

/// The loops of published models, of graphs that use every template, and of cases.
fn programs() -> Vec<(PathBuf, Program)> {
    let folder = |name: &str| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    let files = |name: &str| std::fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in files("tests/data").filter(|path| path.extension().is_some_and(|e| e == "pt2")) {
        let Ok(graph) = pt2::read(&path) else { continue };
        found.push((path, lowered(&graph)));
    }
    for path in files("tests/cases/fusion").chain(files("tests/cases/mapping")) {
        let (text, _) = split(&std::fs::read_to_string(&path).unwrap());
        found.push((path, loops_of(&text)));
    }
    let graphs = TEMPLATES.iter().map(|graph| (PathBuf::from("a graph"), lowered(&parse(graph).unwrap())));
    found.extend(graphs);
    found
}

/// Every machine, and one whose libraries do what they can.
fn machines() -> Vec<Target> {
    let named = ["avx2", "avx512", "sm_80", "sm_90"].map(|name| target(&format!("# {name}")).0);
    let vendor = Vendor { cublaslt: true, cudnn: true, cufft: true, cusolver: true, ..Vendor::default() };
    let with_libraries = Target::Cuda(CudaTarget { vendor, ..CudaTarget::generic(90) });
    named.into_iter().chain([with_libraries]).collect()
}

#[test]
fn loops_are_read_as_they_were_printed() {
    let (machines, mut count) = (machines(), 0);
    for (path, program) in programs() {
        let after = machines.iter().map(|target| {
            let mut program = program.clone();
            loop_passes::run(&mut program, target, false).unwrap_or_else(|e| panic!("{e}"));
            program
        });
        for program in std::iter::once(program.clone()).chain(after) {
            let text = bare(&loops::text::text(&program));
            let again =
                loops::text::parse(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", path.display()));
            assert_eq!(bare(&loops::text::text(&again)), text, "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 1000, "{count}");
}

/// A kernel's statements in any order, each without the numbers and the order of its names: the terms of a sum stand in the order
/// in which they were made, and locals are numbered as they are made.
fn in_any_order(syms: &SymArena, kernel: &Kernel) -> String {
    let word = |word: &str| match word.strip_prefix('b').is_some_and(|n| n.parse::<u32>().is_ok())
        || word.starts_with(|c: char| c.is_ascii_digit())
        || Dtype::from_name(word).is_some()
    {
        true => word.to_string(),
        false => word.trim_end_matches(|c: char| c.is_ascii_digit()).to_string(),
    };
    let line = |line: &str| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let mut words: Vec<String> = words.map(word).collect();
        words.sort_unstable();
        words.join(" ")
    };
    let mut lines: Vec<String> = text::text(syms, kernel).lines().map(line).collect();
    lines.sort_unstable();
    lines.join("\n")
}

/// Groups come back from their text, with the same kernels.
#[test]
fn groups_are_read_as_they_were_printed() {
    let (machines, mut printed_all) = (machines(), String::new());
    for (path, stated) in programs() {
        // Models are large, and what they have beyond cases does not depend on the generation of a machine.
        let is_model = path.extension().is_some_and(|e| e == "pt2");
        for target in machines.iter().skip(usize::from(is_model)).step_by(1 + usize::from(is_model)) {
            let mut program = stated.clone();
            loop_passes::run(&mut program, target, false).unwrap_or_else(|e| panic!("{e}"));
            let settings = schedule::Settings { fuse: true, explain: false };
            let scheduled = schedule::schedule(&mut program, target, settings);
            let both = |program: &Program, scheduled: &schedule::Schedule| {
                bare(&(loops::text::text(program) + &schedule::text::groups(program, scheduled)))
            };
            let printed = both(&program, &scheduled);
            let read = schedule::text::parse(&printed)
                .unwrap_or_else(|e| panic!("{} for {}: {e}\n{printed}", path.display(), target.name()));
            assert_eq!(both(&read.program, &read.schedule), printed, "{}", path.display());
            let groups = |s: &schedule::Schedule| s.init.iter().chain(&s.main).cloned().collect::<Vec<_>>();
            for (group, read_group) in groups(&scheduled).iter().zip(&groups(&read.schedule)) {
                let kernel = |program: &Program, group| match mapping::kernel(program, group, target, 1 << 16)
                {
                    Ok((kind, kernel)) => format!("{kind}\n{}", in_any_order(&program.syms, &kernel)),
                    Err(refusal) => format!("refused: {refusal}\n"),
                };
                let (own, again) = (kernel(&program, group), kernel(&read.program, read_group));
                assert_eq!(again, own, "{} for {}", path.display(), target.name());
            }
            printed_all += &printed[printed.find("\n}\n").unwrap()..];
        }
    }
    for word in [
        "\ninit",
        "control",
        "packed",
        "packing for",
        "for a library",
        "library Product",
        "unpacked columns",
        "scale =",
        "updates",
        "rows of the same",
        "  row ",
        "last block of all rows",
        "last block of neighbours",
        "last block of apart",
        "last block of a panel",
        "workspace",
        "derived at",
        "slot",
        "semaphores at",
    ] {
        assert!(printed_all.contains(word), "no text has `{word}`");
    }
}

#[test]
fn wrong_texts_of_groups_are_errors() {
    let loops = "loops { b0: float32[8] input 0 b1: float32[8] node \"aten.exp.default\" b1 = for [8] value = Exp(b0[i0]) output b1 }\n";
    let group = "launch 0: loops \"aten.exp.default\" reads b0 writes b1 rows [] inner [8] b1[i64] = Exp(b0[i64]) by node 0\n";
    let end = "b0 lies in input 0 arena of 0 bytes";
    schedule::text::parse(&format!("{loops}{group}{end}")).unwrap_or_else(|e| panic!("{e}"));
    for (wrong, right, message) in [
        ("launch 1", "launch 0", "launches are numbered in order"),
        ("by node 1", "by node 0", "there is no node 1"),
        ("by node -1", "by node 0", "negative"),
        ("writes b2", "writes b1", "there is no buffer `b2`"),
        ("b0[i65]", "b0[i64]", "i65"),
        ("b0[i0]", "b0[i64]", "i0"),
        ("b1, b0[i64] =", "b1[i64] =", "a store has one buffer"),
        ("Most of Exp", "Exp", "a reduction"),
        ("node 7 alone", "loops", "there is no node 7"),
        ("template of node 0 dims [8] packed b9", "loops", "there is no buffer `b9`"),
        ("template of node 0 dims [8]", "loops", "expected"),
        ("lies in the arena", "lies in input 0", "`arena`"),
        ("arena of bytes", "arena of 0 bytes", "line 3"),
        ("arena of 0 bytes more", "arena of 0 bytes", "the end"),
    ] {
        let text = format!("{group}{end}");
        assert!(text.contains(right), "{right}");
        let error = schedule::text::parse(&format!("{loops}{}", text.replace(right, wrong)));
        let error = error.map(|_| ()).expect_err(wrong).to_string();
        assert!(error.contains(message), "{wrong}: {error}");
    }
    for (from, to) in [(0, 40), (0, group.len() / 2), (0, group.len())] {
        assert!(schedule::text::parse(&format!("{loops}{}", &group[from..to])).is_err());
    }
}

/// Graphs whose groups use every template of a CPU, and a library.
const TEMPLATES: [&str; 6] = [
    r#"graph "packed" {
  input %0 "x": float32[64, 96]
  constant %1 "w": float32[80, 96] = seeded 1 mean 0.0 spread 1.0
  %2 = aten.linear.default(%0, %1)
  output "y" = %2
}"#,
    r#"graph "attention" {
  symbol n in [1, 4096]
  input %0 "q": float32[2, 4, n, 64]
  input %1 "k": float32[2, 4, n, 64]
  input %2 "mask": bool[n, n]
  %3 = aten.scaled_dot_product_attention.default(%0, %1, %1, %2)
  %4 = aten.slice.Tensor(%0, 2, 0, 1)
  %5 = aten.scaled_dot_product_attention.default(%4, %1, %1)
  output "y" = %3
  output "z" = %5
}"#,
    r#"graph "convolutions" {
  input %0 "x": float32[2, 16, 20, 20]
  input %1 "w": float32[32, 16, 3, 3]
  input %2 "b": float32[32]
  input %3 "each": float32[32, 1, 3, 3]
  %4 = aten.convolution.default(%0, %1, %2, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  %5 = aten.relu.default(%4)
  %6 = aten.convolution.default(%5, %3, None, [1, 1], [1, 1], [1, 1], false, [0, 0], 32)
  output "y" = %6
}"#,
    r#"graph "sorted" {
  input %0 "x": bfloat16[8, 300]
  %1, %2 = aten.sort.default(%0, 1, true)
  %3, %4 = aten.topk.default(%0, 5)
  output "values" = %1
  output "positions" = %2
  output "most" = %3
}"#,
    r#"graph "recurrent" {
  symbol n in [1, 64]
  input %0 "x": float32[n, 3, 8]
  input %1 "h": float32[1, 3, 16]
  input %2 "w": float32[48, 8]
  input %3 "u": float32[48, 16]
  input %4 "b": float32[48]
  %5, %6 = aten.gru.input(%0, %1, [%2, %3, %4, %4], true, 1, 0.0, false, false, false)
  output "y" = %5
}"#,
    r#"graph "library" {
  input %0 "x": float32[3, 8, 8]
  %1, %2 = aten.linalg_cholesky_ex.default(%0)
  %3 = aten.fft_rfft.default(%1)
  %4 = aten.view_as_real.default(%3)
  output "factor" = %1
  output "spectrum" = %4
}"#,
];

/// Kernels of real programs, with regions, calls of templates and their operands, come back from their text.
#[test]
fn kernels_are_read_as_they_were_printed() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/kernels");
    let files = std::fs::read_dir(folder).expect("a folder of cases").map(|e| e.expect("a case").path());
    let mut graphs: Vec<String> = files.map(|f| split(&std::fs::read_to_string(f).unwrap()).0).collect();
    graphs.extend(TEMPLATES.map(String::from));
    let mut kinds = std::collections::BTreeSet::new();
    for graph in graphs {
        for name in ["avx2", "avx512", "sm_90"] {
            let (target, _) = target(&format!("# {name}"));
            let mut program = lowered(&parse(&graph).unwrap_or_else(|e| panic!("{e}")));
            loop_passes::run(&mut program, &target, false).unwrap_or_else(|e| panic!("{e}"));
            let settings = schedule::Settings { fuse: true, explain: false };
            let scheduled = schedule::schedule(&mut program, &target, settings);
            for group in scheduled.init.iter().chain(&scheduled.main) {
                let Ok((kind, kernel)) = mapping::kernel(&program, group, &target, 1 << 16) else { continue };
                kinds.insert(kind);
                let printed = text::text(&program.syms, &kernel);
                let read = text::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
                assert_eq!(text::text(&read.syms, &read.kernel), printed);
                // What the text left out would be missing from the source.
                let source = |kernel: &Kernel| match &target {
                    Target::Cpu(_) => print::cxx::function(&kernel.buffers, &kernel.body),
                    Target::Cuda(_) => print::cuda::function(kernel),
                };
                assert_eq!(source(&read.kernel), source(&kernel), "{printed}");
            }
        }
    }
    for kind in ["loops", "pack", "gemm", "convolution", "attention", "sort", "recurrence", "rows", "points"]
    {
        assert!(kinds.contains(kind), "no kernel is a {kind}: {kinds:?}");
    }
}
