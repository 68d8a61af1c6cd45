//! Every operator on operands of right and wrong rank, size, dtype and value, against what PyTorch says of the same calls:
//! what it refuses is refused, and nothing ends in an internal error. `tests/refusals.py` wrote the calls.

use flate2::read::GzDecoder;
use litz::base::Status;
use litz::meta::text::parse;
use litz::ops::{ArgBase, OpId};
use litz::runtime::Tensor;
use litz::session::{self, BackendRequest, Options};
use litz::types::Dtype;
use std::collections::HashSet;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Operators of which PyTorch's CPU kernels take fewer dtypes than its others, where Litz has one kernel for all;
/// `prims.sum`, whose function for a CPU lacks an argument of its schema; and `bernoulli.p`, whose probability has a default
/// in place alone, where Litz has one schema for both forms.
const WIDER: [&str; 8] = [
    "aten.bernoulli.p",
    "aten._softmax.default",
    "aten._log_softmax.default",
    "aten.gelu_backward.default",
    "prims.sum.default",
    "aten.avg_pool3d.default",
    "aten._upsample_bilinear2d_aa.default",
    "aten._upsample_bicubic2d_aa.default",
];
/// What a run refuses: integers divided by the number 0.
const DIVISIONS: [&str; 4] = ["aten.fmod.", "aten.remainder.", "aten.floor_divide.", "aten.div"];
/// And counts of elements that data give.
const COUNTED: &str = "output_size=";

struct Call {
    taken: bool,
    /// One that a fuzzer found: if PyTorch takes it, so must Litz.
    found: bool,
    text: String,
    operands: usize,
}

/// Calls on operands of all dtypes but uint16 to uint64.
fn calls() -> Vec<Call> {
    let found =
        std::fs::read_to_string("tests/data/refusals_found.txt").expect("the calls that fuzzers found");
    let mut calls = drawn("refusals.txt.gz");
    calls.extend(found.lines().map(|line| Call::read(line, true)));
    calls
}

/// The calls of a file that `tests/refusals.py` wrote.
fn drawn(name: &str) -> Vec<Call> {
    let packed = std::fs::read(format!("tests/data/{name}")).expect("the calls");
    let mut lines = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut lines).expect("packed text");
    lines.lines().map(|line| Call::read(line, false)).collect()
}

impl Call {
    fn read(line: &str, found: bool) -> Call {
        let (types, call) = line[2..].split_once(" :: ").expect("types and a call");
        let types: Vec<&str> = types.split_whitespace().collect();
        let inputs: String =
            types.iter().enumerate().map(|(k, t)| format!("  input %{k} \"x{k}\": {t}\n")).collect();
        Call { taken: line.starts_with('+'), found, text: format!("{inputs}\n{call}"), operands: types.len() }
    }
    fn name(&self) -> &str {
        let call = self.text.lines().last().unwrap_or_default();
        call.split('(').next().unwrap_or_default()
    }
    fn is_refused_in_a_run(&self) -> bool {
        let by_zero = DIVISIONS.iter().any(|name| self.name().starts_with(name)) && self.text.contains(", 0");
        by_zero || self.name().starts_with("aten.repeat_interleave.") && self.text.contains(COUNTED)
    }
    /// A graph in which the call gives so many results.
    fn graph(&self, results: usize) -> String {
        let (inputs, call) = self.text.split_once("\n\n").unwrap_or(("", self.text.trim_start()));
        let names: Vec<String> = (0..results).map(|k| format!("%{}", self.operands + k)).collect();
        let outputs: String =
            names.iter().enumerate().map(|(k, n)| format!("  output \"y{k}\" = {n}\n")).collect();
        let assigned = if results == 0 { String::new() } else { format!("{} = ", names.join(", ")) };
        format!("graph \"g\" {{\n{inputs}\n  {assigned}{call}\n{outputs}}}\n")
    }
}

/// The graph with as many results as the parser says there are.
fn built(graph: impl Fn(usize) -> String) -> Result<litz::ir::Graph, (Status, String)> {
    let mut results = 1;
    loop {
        let built = parse(&graph(results)).map_err(|e| (e.status(), e.to_string()));
        let counted = built.as_ref().err().and_then(|(_, message)| {
            let (_, rest) = message.split_once("gives ")?;
            let (count, rest) = rest.split_once(" results, but ")?;
            rest.contains("are named").then(|| count.parse::<usize>().ok()).flatten()
        });
        match counted {
            Some(count) if count != results => results = count,
            _ => return built,
        }
    }
}

#[test]
fn what_pytorch_refuses_is_refused_and_nothing_is_an_internal_error() {
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let (mut wrong, mut refused, mut taken) = (Vec::new(), 0, 0);
    for call in calls() {
        let built = built(|results| call.graph(results));
        let result = built.and_then(|graph| {
            session::compile(&graph, &options).map(|_| ()).map_err(|e| (e.status(), e.to_string()))
        });
        let failed = match &result {
            Err((Status::Internal, _)) => true,
            Ok(()) => !call.taken && !WIDER.contains(&call.name()) && !call.is_refused_in_a_run(),
            Err(_) => call.taken && call.found,
        };
        refused += usize::from(result.is_err());
        taken += usize::from(result.is_ok() && call.taken);
        if failed {
            wrong.push(format!("{}\n  {result:?}", call.graph(1)));
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 1500 && taken > 1800, "{refused} refused, {taken} taken");
}

/// Rows that do not occur among the calls, by the beginning of their names, and why.
const LEFT_OUT: [(&str, &str); 14] = [
    ("aten.cholesky.", "PyTorch 2.15 has it no more"),
    ("aten.qr.", "PyTorch 2.15 has it no more"),
    ("aten._conj", "PyTorch takes complex operands alone, which are not drawn"),
    ("aten._linalg_check_errors.", "it raises by its operand's data"),
    ("aten._scaled_dot_product_efficient_", "PyTorch has kernels of it for GPUs alone"),
    ("aten._print.", "its only operand is a text, which PyTorch prints"),
    ("prims.broadcast_in_dim.", "PyTorch's checks are assertions, which say nothing about the call"),
    ("prims.var.", "PyTorch's function lacks a default of its schema"),
    ("higher_order.", "operands are graphs"),
    ("litz.", "PyTorch has none of these"),
    ("quantized_decomposed.", "PyTorch does not register these by itself"),
    ("torchao.", "PyTorch does not register these by itself"),
    ("torchvision.", "PyTorch does not register these by itself"),
    ("transformers.", "PyTorch does not register these by itself"),
];

#[test]
fn every_row_occurs_among_the_calls() {
    let calls = calls();
    let names: HashSet<&str> = calls.iter().map(Call::name).collect();
    let left_out = |name: &str| LEFT_OUT.iter().any(|(start, _)| name.starts_with(start));
    let missing: Vec<&str> =
        OpId::all().iter().map(|op| op.name()).filter(|n| !names.contains(n) && !left_out(n)).collect();
    assert!(missing.is_empty(), "rows without a call that `tests/refusals.py` drew: {missing:?}");
    let occurs =
        |start: &str| OpId::all().iter().any(|op| op.name().starts_with(start) && !names.contains(op.name()));
    assert!(LEFT_OUT.iter().all(|(start, _)| occurs(start)), "a reason without a row");
}

/// Numbers that arithmetic on sizes takes beyond 64 bits.
const EXTREMES: [i64; 6] = [i64::MAX, i64::MAX - 1, 1 << 62, 1 << 31, i64::MIN + 1, i64::MIN];

/// Calls with one integer replaced by an extreme one, or with one more argument that is one.
fn with_extremes(call: &Call) -> Vec<Call> {
    let line = call.text.lines().last().unwrap_or_default();
    let with = |line: String| {
        let (inputs, _) = call.text.split_once("\n\n").unwrap_or(("", ""));
        Call { taken: false, found: false, text: format!("{inputs}\n\n{line}"), operands: call.operands }
    };
    let mut calls = Vec::new();
    for value in EXTREMES {
        for place in integers(line) {
            calls.push(with(format!("{}{value}{}", &line[..place.start], &line[place.end..])));
        }
        let schema = OpId::find(call.name()).expect("an operator of the table").0.schema();
        for arg in schema.args.iter().filter(|a| a.ty.base == ArgBase::Int) {
            let given = line.strip_suffix(')').expect("a call ends with a bracket");
            let values = match arg.ty.list {
                true => vec![format!("[{value}]"), format!("[1, {value}]"), format!("[{value}, 1, 1]")],
                false => vec![value.to_string()],
            };
            calls.extend(values.iter().map(|v| with(format!("{given}, {}={v})", arg.name))));
        }
    }
    calls
}

/// Where the integers of a call stand that are no parts of words or fractions.
fn integers(call: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = call.as_bytes();
    let open = call.find('(').unwrap_or(0);
    let (mut found, mut k) = (Vec::new(), open);
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'%' | b'"');
    while k < bytes.len() {
        if !part(bytes[k]) {
            k += 1;
            continue;
        }
        let end = (k..bytes.len()).find(|e| !part(bytes[*e])).unwrap_or(bytes.len());
        if call[k..end].parse::<i64>().is_ok() {
            found.push(k..end);
        }
        k = end;
    }
    found
}

#[test]
fn integers_near_the_ends_of_64_bits_end_in_words() {
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let (mut wrong, mut tried, mut compiled) = (Vec::new(), 0, 0);
    // Of each operator a call that is taken and one that is not, whose first arguments may be what is wrong.
    let mut seen = HashSet::new();
    let chosen = calls().into_iter().filter(|c| seen.insert((c.name().to_string(), c.taken, c.operands)));
    for call in chosen.flat_map(|c| with_extremes(&c)) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            built(|results| call.graph(results)).and_then(|graph| {
                session::compile(&graph, &options).map(|_| ()).map_err(|e| (e.status(), e.to_string()))
            })
        }));
        tried += 1;
        compiled += usize::from(matches!(result, Ok(Ok(()))));
        if matches!(result, Err(_) | Ok(Err((Status::Internal, _)))) {
            wrong.push(format!("{}\n  {result:?}", call.graph(1)));
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 10000 && compiled > 300, "{tried} tried, {compiled} compiled");
}

/// The status and message of a run, or of the compile before it, with one number as input.
fn ran_with(text: &str, number: i64, backend: &str) -> Result<(), (Status, String)> {
    let graph = parse(text).map_err(|e| (e.status(), e.to_string()))?;
    let mut options = Options::default();
    options.set("backend", backend).expect("the option");
    let executable = session::compile(&graph, &options).map_err(|e| (e.status(), e.to_string()))?;
    let number = Tensor::from_bytes(Dtype::Int64, &[], &number.to_le_bytes()).expect("memory");
    executable.run_tensors(&[&number]).map(|_| ()).map_err(|e| (e.status, e.to_string()))
}

#[test]
fn sizes_beyond_any_memory_end_in_words_where_nothing_has_them_in_memory() {
    let head =
        "graph \"g\" {\n  symbol n in [0, inf]\n  symbol u in [0, inf]\n  number %0 \"n\": int64 = n\n";
    let sum = |size: &str| {
        format!(
            "{head}  %1 = aten.full.default([{size}], 1.0)\n  %2 = aten.sum.default(%1)\n  output \"y\" = %2\n}}\n"
        )
    };
    // A count that only a run knows.
    let late = format!(
        "{head}  %1 = aten.full.default([], n, dtype=int64)\n  litz.bind.default(%1, u)\n  %2 = aten.full.default([u, u], 1.0)\n  \
         %3 = aten.sum.default(%2)\n  output \"y\" = %3\n}}\n"
    );
    for backend in ["interpreter", "cpu"] {
        for (text, number, status) in [
            (sum("n"), i64::MAX, Status::Shape),
            (sum("n"), (1 << 47) + 1, Status::Shape),
            (sum("n * n"), 1 << 24, Status::Shape),
            (sum("n * n"), 1 << 32, Status::Shape),
            (sum("n + n + 2"), 1 << 62, Status::Shape),
            (sum("n, n, n"), 1 << 20, Status::Shape),
            (late.clone(), 1 << 24, Status::Assertion),
            (late.clone(), 1 << 32, Status::Shape),
        ] {
            let (found, message) = ran_with(&text, number, backend).expect_err("too large");
            assert_eq!(found, status, "{backend} {number}: {message}\n{text}");
            assert_eq!(ran_with(&text, 3, backend), Ok(()), "{backend}\n{text}");
        }
    }
    let rank = |n: usize| format!("[{}]", vec!["1"; n].join(", "));
    let text = |n| {
        format!(
            "graph \"g\" {{\n  symbol n in [0, inf]\n  number %0 \"n\": int64 = n\n  input %1 \"x\": float32{}\n  \
             output \"y\" = %1\n}}\n",
            rank(n)
        )
    };
    let message = ran_with(&text(65), 1, "interpreter").expect_err("65 dimensions");
    assert_eq!(message.0, Status::Unsupported);
    assert!(message.1.contains("`x` has 65 dimensions, more than 64"), "{message:?}");
}

/// Each coordinate of a point is a dimension of the counts, and tensors have at most 64.
#[test]
fn histograms_have_no_more_dimensions_than_tensors() {
    for (count, is_taken) in [(64, true), (65, false), (1i64 << 40, false)] {
        let results: Vec<String> = (1..=count.min(64) + 1).map(|k| format!("%{k}")).collect();
        let text = format!(
            "graph \"g\" {{\n  input %0 \"x\": float32[2, {count}]\n  {} = aten.histogramdd.int_bins(%0, 1)\n  output \"y\" = %1\n}}\n",
            results.join(", ")
        );
        match parse(&text) {
            Ok(_) => assert!(is_taken, "{count} coordinates"),
            Err(e) => {
                assert!(!is_taken && e.status() == Status::Unsupported, "{count}: {e}");
                let words = format!("points have {count} coordinates, more than 64");
                assert!(e.to_string().contains(&words), "{e}");
            }
        }
    }
}

#[test]
fn a_histogram_of_what_is_not_finite_ends_the_run() {
    for (call, results) in
        [("histogram.bin_ct(%2, 4)", "%3, %4"), ("histogramdd.default(%2, [3, 2])", "%3, %4, %5")]
    {
        let text = format!(
            "graph \"g\" {{\n  input %0 \"n\": int64[]\n  %1 = aten.log.default(%0)\n  %2 = aten.expand.default(%1, [4, 2])\n  \
             {results} = aten.{call}\n  output \"y\" = %3\n}}\n"
        );
        for backend in ["interpreter", "cpu"] {
            assert_eq!(ran_with(&text, 3, backend), Ok(()), "{backend}\n{text}");
            let (status, message) = ran_with(&text, 0, backend).expect_err("minus infinity");
            assert_eq!(status, Status::Assertion, "{message}");
            assert!(message.contains("is not finite"), "{message}");
        }
    }
}

/// Operators that PyTorch has kernels of for uint16, uint32 and uint64 along some of its ways, where Litz has one.
const WIDER_UNSIGNED: [&str; 5] = [
    "aten.isin.",
    "aten.count_nonzero.dim_IntList",
    "aten.poisson_nll_loss.default",
    "aten.random.from",
    "aten.ldexp.Tensor",
];

#[test]
fn wide_unsigned_integers_are_taken_where_pytorch_has_kernels_for_them() {
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let (mut wrong, mut refused, mut taken) = (Vec::new(), 0, 0);
    for call in drawn("refusals_unsigned.txt.gz") {
        let result = built(|results| call.graph(results)).and_then(|graph| {
            session::compile(&graph, &options).map(|_| ()).map_err(|e| (e.status(), e.to_string()))
        });
        let wider = WIDER_UNSIGNED.iter().any(|name| call.name().starts_with(name));
        let failed = match &result {
            Err((Status::Internal, _)) => true,
            Ok(()) => !call.taken && !wider && !call.is_refused_in_a_run(),
            Err(_) => false,
        };
        refused += usize::from(result.is_err() && !call.taken);
        taken += usize::from(result.is_ok() && call.taken);
        if failed {
            wrong.push(format!("{}\n  {result:?}", call.graph(1)));
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 1700 && taken > 2400, "{refused} refused, {taken} taken");
}
