//! Random calls of operators. What the interpreter takes must give the same on the CPU; a call with symbols must do what the
//! same call with known sizes does, or refuse.
//!
//! The interpreter sees each call alone. The CPU compiles many calls as one graph, since a compiler takes long to start.

use crate::calls::{self, Call, MOST};
use crate::check::{self, Answer, Defect};
use crate::common::contents::Content;
use crate::common::guarded::Operand;
use crate::common::random::Random;
use crate::fuzzer::Cases;
use crate::watch::{Finding, Log};
use litz::ops::Class;

/// How many calls the CPU compiles as one graph.
const BATCH: usize = 24;

/// The most elements of all values of a graph that is run.
const LARGEST: u64 = 1 << 18;

/// A call that the interpreter took, with what it gave.
struct Taken {
    number: u64,
    call: Call,
    gave: Vec<Operand>,
}

/// Whether a call may draw random numbers.
fn draws(call: &Call) -> bool {
    let steered = ["dropout", "rrelu", "attention", "lstm", "gru", "rnn_"];
    call.op.class() == Class::Random || steered.iter().any(|word| call.name.contains(word))
}

#[derive(Default)]
pub struct Operators {
    seed: u64,
    batch: Vec<Taken>,
    most: usize,
}

impl Cases for Operators {
    fn begin(&mut self, seed: u64, alone: bool) {
        (self.seed, self.most) = (seed, if alone { 1 } else { BATCH });
    }

    /// One call on the interpreter, and now and then a batch on the CPU.
    fn case(&mut self, number: u64, log: &mut Log) {
        log.count("cases", 1);
        let mut call = calls::call(self.seed, number);
        calls::name_results(&mut call);
        let answer = match call.symbols.is_empty() {
            true => interpreted(&call),
            false => symbolic(&call, number),
        };
        match answer {
            Answer::Defect(defect) => log.found(finding(number, &call, defect)),
            // Beside others it would draw other numbers.
            Answer::Gave(gave) if draws(&call) => {
                let alone = [Taken { number, call, gave }];
                if let Some(defect) = compared(&alone) {
                    log.found(finding(number, &alone[0].call, defect));
                }
            }
            Answer::Gave(gave) => self.batch.push(Taken { number, call, gave }),
            // What a run refuses, the CPU must refuse, too.
            Answer::Refused(_) if self.most == 1 || number.is_multiple_of(40) => {
                if let Some(defect) = refused_alike(&call) {
                    log.found(finding(number, &call, defect));
                }
            }
            Answer::Refused(_) => {}
        }
        if self.batch.len() >= self.most {
            self.finish(log);
        }
    }

    /// What waits for the CPU.
    fn finish(&mut self, log: &mut Log) {
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return;
        }
        let numbers: Vec<u64> = batch.iter().map(|t| t.number).collect();
        log.begin(&numbers, 240);
        log.count("compared", batch.len());
        let Some(defect) = compared(&batch) else { return };
        let mut some = false;
        for taken in batch.chunks(1) {
            log.begin(&[taken[0].number], 60);
            if let Some(defect) = compared(taken) {
                some = true;
                log.found(finding(taken[0].number, &taken[0].call, defect));
            }
        }
        if !some {
            let calls: Vec<Call> = batch.into_iter().map(|t| t.call).collect();
            log.found(Finding {
                numbers,
                kind: defect.kind.into(),
                subject: "calls that are right alone".into(),
                saw: defect.saw,
                case: calls::text(&calls),
            });
        }
    }

    fn described(&mut self, seed: u64, number: u64) -> (String, String) {
        let call = calls::call(seed, number);
        let contents = call.operands().map(|all| shown(&all)).unwrap_or_default();
        (call.op.name().into(), call.text() + &contents)
    }
}

fn finding(number: u64, call: &Call, defect: Defect) -> Finding {
    let contents = call.operands().map(|all| shown(&all)).unwrap_or_default();
    Finding {
        numbers: vec![number],
        kind: defect.kind.into(),
        subject: call.op.name().into(),
        saw: defect.saw,
        case: call.text() + &contents,
    }
}

/// The first elements of inputs, as comments.
fn shown(inputs: &[Operand]) -> String {
    let one = |(k, o): (usize, &Operand)| {
        let elements =
            o.bytes.chunks(o.dtype.size()).take(12).map(|b| crate::common::contents::number(o.dtype, b));
        format!("# x{k}: {:?} {:?}\n", o.shape, elements.collect::<Vec<_>>())
    };
    inputs.iter().enumerate().map(one).collect()
}

/// A call as the interpreter does it.
fn interpreted(call: &Call) -> Answer {
    on("interpreter", call).unwrap_or_else(|answer| answer)
}

fn on(backend: &str, call: &Call) -> Result<Answer, Answer> {
    let graph = check::read(&call.text())?;
    let program = check::compile(&graph, backend, &[])?;
    match (check::elements(&graph), call.operands()) {
        (Some(count), Some(inputs)) if count <= LARGEST => Ok(check::run(&program, &inputs)),
        _ => Ok(Answer::Refused("too large for a test".into())),
    }
}

/// A call with symbols: at its own values and at others, where sizes that were equal may differ.
fn symbolic(call: &Call, number: u64) -> Answer {
    let graph = match check::read(&call.text()) {
        Ok(graph) => graph,
        Err(answer) => return answer,
    };
    let program = match check::compile(&graph, "interpreter", &[]) {
        Ok(program) => program,
        Err(answer) => return answer,
    };
    let mut random = Random(number);
    let own: Vec<i64> = call.symbols.iter().map(|s| s.value).collect();
    let mut first = None;
    for attempt in 0..3 {
        let mut values = own.clone();
        for (value, symbol) in values.iter_mut().zip(&call.symbols) {
            if attempt > 0 && random.once_in(2) {
                *value = random.of(&[0, 1, 2, 3, 5, *value + 1]).clamp(symbol.least, symbol.most.min(MOST));
            }
        }
        let call = call.with(&values);
        let known = call.known();
        let want = interpreted(&known);
        if let Answer::Defect(defect) = want {
            let saw = format!("with sizes {values:?} known: {}", defect.saw);
            return check::defect(defect.kind, saw);
        }
        if check::read(&known.text()).is_ok_and(|g| check::elements(&g).is_none_or(|n| n > LARGEST)) {
            continue;
        }
        let Some(inputs) = call.operands() else { continue };
        let got = check::run(&program, &inputs);
        let at = |how: String| format!("with sizes {values:?}: {how}");
        match (&got, &want) {
            (Answer::Defect(defect), _) => return check::defect(defect.kind, at(defect.saw.clone())),
            (Answer::Gave(_), Answer::Refused(message)) if !message.starts_with("[2]") => {
                return check::defect("takes sizes that must be refused", at(message.clone()));
            }
            (Answer::Gave(got), Answer::Gave(want)) if is_determined(&call) => {
                if let Some(how) = check::difference(got, want, false) {
                    return check::defect("symbols change the result", at(how));
                }
            }
            _ => {}
        }
        if attempt == 0 {
            first = Some(got);
        }
    }
    first.unwrap_or_else(|| Answer::Refused("too large for a test".into()))
}

/// Whether two ways to compute a call must agree. Empty tensors are memory as it is. With numbers at the end of a dtype's range
/// what is summed up or multiplied depends on the order, and a conversion to an integer that cannot hold a float is
/// undefined, as in PyTorch; operators that only choose or move elements agree on them.
fn is_determined(call: &Call) -> bool {
    let name = call.op.name();
    // Integers wrap alike in every order, unless they become floats beside others.
    let floats = call.inputs.iter().any(|i| i.dtype.is_float());
    let extreme = floats && call.inputs.iter().any(|i| i.content == Content::Extreme);
    let chooses = ["max", "min", "arg", "any", "all", "median", "mode", "sort", "topk", "kth"];
    let determined = match call.op.class() {
        Class::Pointwise => !["aten.to.", "_to_copy", "convert", "type_as"].iter().any(|n| name.contains(n)),
        Class::View | Class::Indexing | Class::Factory => true,
        Class::Reduction | Class::Scan => chooses.iter().any(|n| name.contains(n)),
        _ => false,
    };
    !name.contains("empty") && (!extreme || determined)
}

/// What the interpreter's run refuses, the CPU's must.
fn refused_alike(call: &Call) -> Option<Defect> {
    let graph = check::read(&call.text()).ok()?;
    check::compile(&graph, "interpreter", &[]).ok()?;
    if check::elements(&graph).is_none_or(|n| n > LARGEST) {
        return None;
    }
    match on("cpu", call) {
        Ok(Answer::Gave(_)) => {
            Some(Defect { kind: "takes what the interpreter refuses", saw: "results".into() })
        }
        Ok(Answer::Defect(defect)) | Err(Answer::Defect(defect)) => Some(defect),
        _ => None,
    }
}

/// Compiles calls for the CPU and compares what they give with what the interpreter gave.
fn compared(batch: &[Taken]) -> Option<Defect> {
    let calls: Vec<Call> = batch.iter().map(|t| t.call.clone()).collect();
    let inputs: Option<Vec<Vec<Operand>>> = calls.iter().map(Call::operands).collect();
    let inputs = inputs.expect("the interpreter had them").concat();
    let run = || {
        let graph = check::read(&calls::text(&calls))?;
        let program = check::compile(&graph, "cpu", &[])?;
        Ok(check::run(&program, &inputs))
    };
    let gave = match run() {
        Ok(Answer::Gave(gave)) => gave,
        Ok(Answer::Defect(defect)) | Err(Answer::Defect(defect)) => return Some(defect),
        Ok(Answer::Refused(saw)) | Err(Answer::Refused(saw)) => {
            return Some(Defect { kind: "refuses what the interpreter takes", saw });
        }
        Err(Answer::Gave(_)) => unreachable!("an error is no result"),
    };
    let outputs: usize = calls.iter().map(|c| c.results).sum();
    let (mut output, mut input) = (0, outputs);
    for taken in batch {
        let (results, inputs) = (taken.call.results, taken.call.inputs.len());
        let mut mine = gave[output..output + results].to_vec();
        mine.extend_from_slice(&gave[input..input + inputs]);
        (output, input) = (output + results, input + inputs);
        if is_determined(&taken.call)
            && let Some(how) = check::difference(&mine, &taken.gave, false)
        {
            return Some(Defect { kind: "differs from the interpreter", saw: how });
        }
    }
    None
}
