//! What counts as a fault: judged from errors, and from what runs give and touch.

use crate::common::contents::number;
use crate::common::guarded::{self, Fault, Operand, Place};
use litz::base::Status;
use litz::ir::Graph;
use litz::meta::text::parse;
use litz::session::{self, Executable, Options};
use litz::types::Dtype;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// How a program did.
#[derive(Clone, Debug)]
pub enum Answer {
    /// An error that a user can be given.
    Refused(String),
    /// A defect: what kind, and what was seen.
    Defect(Defect),
    /// The outputs, then the inputs after the run.
    Gave(Vec<Operand>),
}

#[derive(Clone, Debug)]
pub struct Defect {
    pub kind: &'static str,
    pub saw: String,
}

pub fn defect(kind: &'static str, saw: impl Into<String>) -> Answer {
    Answer::Defect(Defect { kind, saw: saw.into() })
}

/// The longest message that is one.
const LONGEST: usize = 8192;

/// Judges an error.
pub fn told(status: Status, message: &str, output: Option<&str>) -> Answer {
    if status == Status::Internal {
        return defect("internal error", message);
    }
    if status == Status::Toolchain {
        let output = output.unwrap_or_default();
        let errors: Vec<&str> = output.lines().filter(|l| l.contains("error")).take(2).collect();
        return defect("does not compile", format!("{message}: {}", errors.join("; ")));
    }
    if message.trim().is_empty() {
        return defect("no message", format!("{status:?}"));
    }
    if message.len() > LONGEST {
        let beginning: String = message.chars().take(300).collect();
        return defect("long message", format!("{} bytes: {beginning}", message.len()));
    }
    if has_debug_text(message) {
        return defect("debug text", message);
    }
    Answer::Refused(format!("[{}] {message}", status.code()))
}

/// Whether a message shows how Rust prints a value.
fn has_debug_text(message: &str) -> bool {
    let of_struct = message.match_indices(" { ").any(|(at, _)| {
        let before = message[..at].chars().last().is_some_and(char::is_alphanumeric);
        let word = message[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').count();
        before && word > 0 && message[at + 3 + word..].starts_with(": ")
    });
    of_struct || ["ArgType {", "Some(", "None, None", "panicked", ".rs:"].iter().any(|s| message.contains(s))
}

/// The last panic and its place.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Lets [`guarded`] say where a panic was.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        eprintln!("{info}");
        *PANIC.lock().unwrap_or_else(|e| e.into_inner()) = info.to_string();
    }));
}

/// Runs what must not panic.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Answer>) -> Result<T, Answer> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let said = PANIC.lock().unwrap_or_else(|e| e.into_inner()).replace('\n', " ");
        Err(defect("internal error", said))
    })
}

pub fn read(text: &str) -> Result<Graph, Answer> {
    guarded(|| parse(text).map_err(|e| told(e.status(), &e.to_string(), None)))
}

pub fn compile(graph: &Graph, backend: &str, set: &[(&str, &str)]) -> Result<Executable, Answer> {
    guarded(|| {
        let mut options = Options::new();
        let usual = [("backend", backend), ("cache.enabled", "false")];
        // The interpreter compiles nothing, and refuses to be told how.
        let quick = (backend == "cpu").then_some(&("cpp.optimization", "0"));
        for (key, value) in usual.iter().chain(quick).chain(set) {
            options.set(key, value).map_err(|e| told(e.status(), &e.to_string(), None))?;
        }
        session::compile(graph, &options).map_err(|e| told(e.status(), &e.to_string(), e.output()))
    })
}

/// Runs a program four times: on operands at the end of their pages and at their beginning, into outputs of the library's
/// and of the caller's. What the runs give must be the same. Each has buffers of its own.
pub fn run(program: &Executable, inputs: &[Operand]) -> Answer {
    let once = |outputs: Option<&[Operand]>, place: Place| {
        guarded(|| {
            let fresh = program.clone_instance();
            let fresh = fresh.map_err(|e| told(e.status(), &e.to_string(), e.output()))?;
            guarded::run(&fresh, inputs, outputs, place).map_err(|fault| match fault {
                Fault::Told(e) => told(e.status, &e.message, e.output.as_deref()),
                Fault::Touched(what) => defect("touches memory outside", what),
            })
        })
    };
    let mut first: Option<Vec<Operand>> = None;
    let mut outputs = 0;
    for (into, place) in
        [(false, Place::AtEnd), (false, Place::AtBeginning), (true, Place::AtEnd), (true, Place::AtBeginning)]
    {
        let given = first.as_ref().map(|all| &all[..outputs]).filter(|_| into);
        // The caller's outputs lie as the library's do, with other elements.
        let fresh: Option<Vec<Operand>> = given.map(|all| {
            let blank = |o: &Operand| Operand { bytes: vec![0xc3; o.bytes.len()], ..o.clone() };
            all.iter().map(blank).collect()
        });
        let ran = match once(fresh.as_deref(), place) {
            Ok(ran) => ran,
            Err(answer @ Answer::Defect(_)) => return answer,
            Err(answer) if first.is_none() => return answer,
            Err(Answer::Refused(message)) => return defect("differs from run to run", message),
            Err(Answer::Gave(_)) => unreachable!("an error is no result"),
        };
        outputs = ran.outputs.len();
        let all: Vec<Operand> = ran.outputs.into_iter().chain(ran.inputs).collect();
        match &first {
            None => first = Some(all),
            Some(before) => {
                if let Some(how) = difference(&all, before, true) {
                    return defect("depends on what lies beside the inputs", how);
                }
            }
        }
    }
    first.map_or_else(|| defect("internal error", "no run"), Answer::Gave)
}

/// How far two results of a dtype may lie apart: relative, absolute.
fn tolerance(dtype: Dtype) -> (f64, f64) {
    match dtype {
        Dtype::Float64 => (1e-9, 1e-11),
        Dtype::Float32 => (2e-4, 2e-5),
        Dtype::Float16 => (1e-2, 4e-3),
        Dtype::Bfloat16 => (4e-2, 3e-2),
        _ => (0.0, 0.0),
    }
}

/// The first difference; `exact`: bit for bit, but for which NaN it is.
pub fn difference(got: &[Operand], want: &[Operand], exact: bool) -> Option<String> {
    if got.len() != want.len() {
        return Some(format!("{} tensors instead of {}", got.len(), want.len()));
    }
    got.iter().zip(want).enumerate().find_map(|(k, (a, b))| {
        if (a.dtype, &a.shape) != (b.dtype, &b.shape) {
            return Some(format!(
                "tensor {k} is {}{:?} instead of {}{:?}",
                a.dtype, a.shape, b.dtype, b.shape
            ));
        }
        // A complex number is two parts.
        let part = a.dtype.part();
        let (parts, size) = (a.dtype.size() / part.size(), part.size());
        let (relative, absolute) = if exact { (0.0, 0.0) } else { tolerance(part) };
        let of = |o: &Operand| {
            let places = guarded::places(&o.shape, &o.strides);
            places.into_iter().flat_map(move |p| (0..parts).map(move |k| p * parts + k))
        };
        of(a).zip(of(b)).enumerate().find_map(|(element, (p, q))| {
            let (x, y) = (&a.bytes[p * size..][..size], &b.bytes[q * size..][..size]);
            if x == y {
                return None;
            }
            let element = element / parts;
            let (x, y) = (number(part, x), number(part, y));
            let near = y.is_finite() && (x - y).abs() <= absolute + relative * y.abs();
            let same = part.is_float() && (x == y || (x.is_nan() && y.is_nan()) || near);
            (!same).then(|| {
                format!("tensor {k}, {}{:?}: element {element} is {x} instead of {y}", a.dtype, a.shape)
            })
        })
    })
}

/// How many elements all values of a graph have together, where sizes are known or by these symbols; nested graphs count,
/// too. `None`: more than can be counted.
pub fn elements(graph: &Graph) -> Option<u64> {
    let mut total = 0u64;
    for (value, _) in graph.values.iter() {
        let mut count = 1u64;
        for size in &graph.meta(value).shape {
            let most = graph.syms.as_const(*size).unwrap_or_else(|| graph.syms.hint(*size));
            count = count.checked_mul(u64::try_from(most).ok()?)?;
        }
        total = total.checked_add(count)?;
    }
    for inner in graph.order.iter().flat_map(|n| graph.nodes[*n].subgraphs()) {
        total = total.checked_add(elements(inner)?)?;
    }
    Some(total)
}
