//! Every operator on operands of right and wrong rank, size, dtype and value, against what PyTorch says of the same calls:
//! what it refuses is refused, and nothing ends in an internal error. `tests/refusals.py` wrote the calls.

use flate2::read::GzDecoder;
use litz::base::Status;
use litz::meta::text::parse;
use litz::session::{self, BackendRequest, Options};
use std::io::Read;

/// Operators whose calls PyTorch refuses on the CPU and takes on a GPU, where Litz has one kernel for both.
const WIDER: [&str; 5] = [
    "aten._softmax.default",
    "aten._log_softmax.default",
    "aten.avg_pool3d.default",
    "aten._upsample_bilinear2d_aa.default",
    "aten._upsample_bicubic2d_aa.default",
];
/// Integers divided by the number 0: what a run refuses.
const IN_A_RUN: [&str; 4] = ["aten.fmod.", "aten.remainder.", "aten.floor_divide.", "aten.div"];

struct Call {
    taken: bool,
    text: String,
    operands: usize,
}

fn calls() -> Vec<Call> {
    let packed = std::fs::read("tests/data/refusals.txt.gz").expect("the calls");
    let mut lines = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut lines).expect("packed text");
    let call = |line: &str| {
        let (types, call) = line[2..].split_once(" :: ").expect("types and a call");
        let types: Vec<&str> = types.split_whitespace().collect();
        let inputs: String =
            types.iter().enumerate().map(|(k, t)| format!("  input %{k} \"x{k}\": {t}\n")).collect();
        Call { taken: line.starts_with('+'), text: format!("{inputs}\n{call}"), operands: types.len() }
    };
    lines.lines().map(call).collect()
}

impl Call {
    fn name(&self) -> &str {
        let call = self.text.lines().last().unwrap_or_default();
        call.split('(').next().unwrap_or_default()
    }
    fn divides_by_zero(&self) -> bool {
        IN_A_RUN.iter().any(|name| self.name().starts_with(name)) && self.text.contains(", 0")
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

#[test]
fn what_pytorch_refuses_is_refused_and_nothing_is_an_internal_error() {
    let mut options = Options::default();
    options.backend = BackendRequest::Interpreter;
    let (mut wrong, mut refused, mut taken) = (Vec::new(), 0, 0);
    for call in calls() {
        let mut results = 1;
        // The parser says how many results there are where their number is wrong.
        let built = loop {
            let built = parse(&call.graph(results)).map_err(|e| (e.status(), e.to_string()));
            let counted = built.as_ref().err().and_then(|(_, message)| {
                let (_, rest) = message.split_once("gives ")?;
                let (count, rest) = rest.split_once(" results, but ")?;
                rest.contains("are named").then(|| count.parse::<usize>().ok()).flatten()
            });
            match counted {
                Some(count) if count != results => results = count,
                _ => break built,
            }
        };
        let result = built.and_then(|graph| {
            session::compile(&graph, &options).map(|_| ()).map_err(|e| (e.status(), e.to_string()))
        });
        let failed = match &result {
            Err((Status::Internal, _)) => true,
            Ok(()) => !call.taken && !WIDER.contains(&call.name()) && !call.divides_by_zero(),
            Err(_) => false,
        };
        refused += usize::from(result.is_err());
        taken += usize::from(result.is_ok() && call.taken);
        if failed {
            wrong.push(format!("{}\n  {result:?}", call.graph(results)));
        }
    }
    assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 1500 && taken > 1800, "{refused} refused, {taken} taken");
}
