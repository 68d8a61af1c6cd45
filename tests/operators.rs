//! Operators against what PyTorch computed: each case is an exported graph with its inputs, their strides, and its
//! outputs (`tests/data/ops`, gzipped safetensors; the cases stand as JSON in the file's metadata).
//! `tests/results.py` writes a program of its own, as text.
//!
//! A case is right, refused as not supported, or a failure. `tests/data/ops/expected.txt` lists for each operator and
//! backend which cases are right (`+`) and which are refused (`-`), so that what works cannot shrink unseen;
//! `LITZ_BLESS=1` rewrites it. `LITZ_OPS` names a further folder of such files, `LITZ_BACKEND` its backend and
//! `LITZ_ONLY` operators by name, separated by commas.

mod common;

use litz::base::Status;
use litz::frontend::export_json;
use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::Dtype;
use litz::types::dlpack::{DLDataType, DLDevice, DLTensor};
use safetensors::SafeTensors;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Right,
    Refused(String),
    Failed(String),
}

/// Bytes in a dtype and the place of the elements in them, in elements.
struct Strided<'a> {
    dtype: Dtype,
    bytes: &'a [u8],
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Strided<'_> {
    /// The place of every element, in row-major order.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0i64];
        for (size, stride) in self.shape.iter().zip(&self.strides) {
            places = places.iter().flat_map(|p| (0..*size).map(move |k| p + k * stride)).collect();
        }
        places.into_iter().map(|p| p as usize).collect()
    }
    fn values(&self) -> Vec<f64> {
        let size = self.dtype.size();
        self.places().into_iter().map(|p| number(self.dtype, &self.bytes[p * size..][..size])).collect()
    }
}

/// Integers beyond 2^53 lose digits here; exact bytes are compared before values are.
fn number(dtype: Dtype, b: &[u8]) -> f64 {
    match dtype {
        Dtype::Float64 => f64::from_le_bytes(b.try_into().unwrap()),
        Dtype::Float32 => f32::from_le_bytes(b.try_into().unwrap()).into(),
        Dtype::Float16 => half::f16::from_le_bytes(b.try_into().unwrap()).into(),
        Dtype::Bfloat16 => half::bf16::from_le_bytes(b.try_into().unwrap()).into(),
        Dtype::Int64 => i64::from_le_bytes(b.try_into().unwrap()) as f64,
        Dtype::Int32 => i32::from_le_bytes(b.try_into().unwrap()).into(),
        Dtype::Int16 => i16::from_le_bytes(b.try_into().unwrap()).into(),
        Dtype::Int8 => i8::from_le_bytes(b.try_into().unwrap()).into(),
        Dtype::Bool | Dtype::Uint8 => b[0].into(),
        other => panic!("the cases hold no {other}"),
    }
}

fn is_float(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::Float64 | Dtype::Float32 | Dtype::Float16 | Dtype::Bfloat16)
}

fn contiguous(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k].max(1);
    }
    strides
}

fn stored<'a>(file: &SafeTensors<'a>, name: &str) -> Option<Strided<'a>> {
    use safetensors::Dtype as S;
    let view = file.tensor(name).ok()?;
    let dtype = match view.dtype() {
        S::F64 => Dtype::Float64,
        S::F32 => Dtype::Float32,
        S::F16 => Dtype::Float16,
        S::BF16 => Dtype::Bfloat16,
        S::I64 => Dtype::Int64,
        S::I32 => Dtype::Int32,
        S::I16 => Dtype::Int16,
        S::I8 => Dtype::Int8,
        S::U8 => Dtype::Uint8,
        S::BOOL => Dtype::Bool,
        _ => return None,
    };
    let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
    let strides = contiguous(&shape);
    Some(Strided { dtype, bytes: view.data(), shape, strides })
}

fn integers(value: &Value) -> Vec<i64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// An input laid out as the operator saw it: a storage with gaps, and the tensor in it.
struct Input {
    storage: Vec<u8>,
    dtype: Dtype,
    shape: Vec<i64>,
    strides: Vec<i64>,
    offset: usize,
}

impl Input {
    fn new(values: &Strided<'_>, strides: Vec<i64>, offset: i64) -> Input {
        let size = values.dtype.size();
        let placed = Strided { dtype: values.dtype, bytes: &[], shape: values.shape.clone(), strides };
        let places = placed.places();
        let elements = places.iter().max().map_or(0, |m| m + 1) + offset as usize;
        let mut storage = vec![0; elements.max(1) * size];
        for (from, to) in values.places().into_iter().zip(places) {
            let to = (to + offset as usize) * size;
            storage[to..to + size].copy_from_slice(&values.bytes[from * size..][..size]);
        }
        let Strided { dtype, shape, strides, .. } = placed;
        Input { storage, dtype, shape, strides, offset: offset as usize }
    }
    fn dl(&mut self) -> DLTensor {
        DLTensor {
            data: self.storage[self.offset * self.dtype.size()..].as_mut_ptr().cast(),
            device: DLDevice::CPU,
            ndim: self.shape.len() as i32,
            dtype: DLDataType::from(self.dtype),
            shape: self.shape.as_mut_ptr(),
            strides: self.strides.as_mut_ptr(),
            byte_offset: 0,
        }
    }
}

/// PyTorch's rule for equal within tolerance; integers and bools must be equal.
fn difference(got: &Tensor, want: &Strided<'_>, relative: f64, absolute: f64) -> Option<String> {
    if got.dtype() != want.dtype || got.shape() != want.shape {
        let (have, asked) = (got.shape(), &want.shape);
        return Some(format!("{} {have:?}, not {} {asked:?}", got.dtype(), want.dtype));
    }
    let strides = got.strides().to_vec();
    let got = Strided { dtype: got.dtype(), bytes: got.bytes(), shape: want.shape.clone(), strides };
    if !is_float(want.dtype) {
        let size = want.dtype.size();
        let bytes = |t: &Strided<'_>, p: usize| t.bytes[p * size..][..size].to_vec();
        let differ =
            got.places().into_iter().zip(want.places()).filter(|(a, b)| bytes(&got, *a) != bytes(want, *b));
        let n = differ.count();
        return (n > 0).then(|| format!("{n} of {} elements differ", want.places().len()));
    }
    got.values().into_iter().zip(want.values()).enumerate().find_map(|(k, (a, b))| {
        let within = b.is_finite() && (a - b).abs() <= absolute + relative * b.abs();
        let same = a == b || (a.is_nan() && b.is_nan()) || within;
        (!same).then(|| format!("element {k} is {a}, not {b}"))
    })
}

/// Operators whose results are positions, and which of several equal elements they name PyTorch does not promise.
const UNSTABLE: [&str; 7] = [
    "aten.sort.default",
    "aten.argsort.default",
    "aten.topk.default",
    "aten.kthvalue.default",
    "aten.mode.default",
    "aten.median.dim",
    "aten.nanmedian.dim",
];

/// Whether a result that differs from PyTorch's is right all the same. Positions: none comes twice in a line, and each
/// names an element equal to the one that PyTorch's names. With `sorted=False` a line is any order of what it holds.
fn differs_in_order_alone(
    case: &Value,
    file: &SafeTensors<'_>,
    (k, output): (usize, usize),
    got: &Tensor,
    want: &Strided<'_>,
) -> bool {
    let text = case["graph"].to_string();
    let unstable = UNSTABLE.iter().any(|op| text.contains(&format!("{op}\"")));
    let Some(source) = stored(file, &format!("c{k}.in0")).filter(|_| unstable) else { return false };
    if got.dtype() != want.dtype || got.shape() != want.shape {
        return false;
    }
    let (strides, shape) = (got.strides().to_vec(), want.shape.clone());
    let mine = Strided { dtype: got.dtype(), bytes: got.bytes(), shape, strides }.values();
    let theirs = want.values();
    let unsorted = text.contains("topk") && text.contains(r#""name":"sorted","arg":{"as_bool":false}"#);
    let values = source.values();
    // `argsort` gives nothing else, the others values first.
    let positions = output == 1 || text.contains("argsort");
    if !positions && !unsorted {
        return false;
    }
    // Positions along a dimension; a choice of one leaves the dimension out.
    (0..source.shape.len()).any(|d| {
        let mut shape = source.shape.clone();
        let dropped = want.shape.len() + 1 == shape.len();
        shape[d] = if dropped { 1 } else { want.shape.get(d).copied().unwrap_or(1) };
        let fits = if dropped {
            shape.iter().enumerate().filter(|(k, _)| *k != d).map(|(_, n)| *n).eq(want.shape.iter().copied())
        } else {
            shape == want.shape
        };
        if !fits {
            return false;
        }
        let inner: i64 = source.shape[d + 1..].iter().product();
        let (all, kept) = (source.shape[d], shape[d]);
        let lines = shape.iter().product::<i64>() / kept.max(1);
        (0..lines).all(|line| {
            let (outer, within) = (line / inner, line % inner);
            let results = |of: &[f64]| -> Vec<f64> {
                (0..kept).map(|p| of[((outer * kept + p) * inner + within) as usize]).collect()
            };
            let (mut mine, mut theirs) = (results(&mine), results(&theirs));
            if positions {
                let mut seen = std::collections::HashSet::new();
                if !mine.iter().all(|p| (0..all).contains(&(*p as i64)) && seen.insert(*p as i64)) {
                    return false;
                }
                let element =
                    |p: &mut f64| *p = values[((outer * all + *p as i64) * inner + within) as usize];
                mine.iter_mut().chain(&mut theirs).for_each(element);
            }
            if unsorted {
                mine.sort_by(f64::total_cmp);
                theirs.sort_by(f64::total_cmp);
            }
            mine.iter().zip(&theirs).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
        })
    })
}

fn refused_or_failed(status: Status, message: String) -> Outcome {
    if status == Status::Unsupported {
        Outcome::Refused(message)
    } else {
        Outcome::Failed(format!("{status:?}: {message}"))
    }
}

fn run_case(file: &SafeTensors<'_>, k: usize, case: &Value, backend: &str) -> Outcome {
    let read = match case["text"].as_str() {
        Some(text) => parse(text).map_err(|e| (e.status(), e.to_string())),
        None => export_json::read(case["graph"].to_string().as_bytes())
            .map_err(|e| (e.status(), e.into_fields().message)),
    };
    let graph = match read {
        Ok(graph) => graph,
        Err((status, message)) => return refused_or_failed(status, message),
    };
    let mut options = Options::new();
    options.set("backend", backend).unwrap();
    let executable = match session::compile(&graph, &options) {
        Ok(executable) => executable,
        Err(e) => {
            let compiler =
                e.output().map(|o| format!("\n{}", o.lines().take(6).collect::<Vec<_>>().join("\n")));
            return refused_or_failed(e.status(), format!("{e}{}", compiler.unwrap_or_default()));
        }
    };
    let mut inputs = Vec::new();
    for (i, meta) in case["inputs"].as_array().into_iter().flatten().enumerate() {
        let Some(values) = stored(file, &format!("c{k}.in{i}")) else {
            return Outcome::Refused(format!("input {i} has a dtype that this test does not read"));
        };
        let (strides, offset) = (integers(&meta["stride"]), meta["offset"].as_i64().unwrap_or(0));
        inputs.push(Input::new(&values, strides, offset));
    }
    let tensors: Vec<DLTensor> = inputs.iter_mut().map(Input::dl).collect();
    let pointers: Vec<*const DLTensor> = tensors.iter().map(std::ptr::from_ref).collect();
    // SAFETY: every tensor lies in a storage of `inputs` that reaches to its last element and is used by this thread
    // alone.
    let outputs = match unsafe { executable.run(&pointers, None) } {
        Ok(outputs) => outputs,
        Err(e) => return refused_or_failed(e.status, e.into_fields().message),
    };
    let tolerance = |name: &str| case["tol"][name].as_f64().unwrap_or(0.0);
    for j in 0..case["outputs"].as_u64().unwrap_or(0) as usize {
        let Some(want) = stored(file, &format!("c{k}.out{j}")) else { continue };
        let Some(got) = outputs.get(j) else { return Outcome::Failed(format!("output {j} is missing")) };
        if let Some(how) = difference(got, &want, tolerance("rtol"), tolerance("atol"))
            && !differs_in_order_alone(case, file, (k, j), got, &want)
        {
            return Outcome::Failed(format!("output {j}: {how}"));
        }
    }
    Outcome::Right
}

/// Runs the cases of one file that `wanted` takes, by index.
fn run_file(path: &Path, backend: &str, wanted: impl Fn(usize) -> bool) -> Vec<Option<Outcome>> {
    let mut bytes = Vec::new();
    let compressed = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(compressed).read_to_end(&mut bytes).unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    let cases: Value = serde_json::from_str(&metadata.metadata().as_ref().unwrap()["cases"]).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let one = |(k, case): (usize, &Value)| {
        wanted(k).then(|| {
            catch_unwind(AssertUnwindSafe(|| run_case(&file, k, case, backend)))
                .unwrap_or_else(|_| Outcome::Failed("a panic".to_string()))
        })
    };
    cases.as_array().unwrap().iter().enumerate().map(one).collect()
}

/// Every file of a folder by operator, with its outcomes on a backend; as many at once as there are CPUs.
fn run_folder(
    folder: &Path,
    backend: &str,
    wanted: fn(usize) -> bool,
) -> BTreeMap<String, Vec<Option<Outcome>>> {
    let only: Vec<String> =
        std::env::var("LITZ_ONLY").map(|o| o.split(',').map(str::to_string).collect()).unwrap_or_default();
    let mut files: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name()?.to_str()?.strip_suffix(".safetensors.gz")?.to_string();
            (only.is_empty() || only.contains(&name)).then_some((name, path))
        })
        .collect();
    files.sort();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, path)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcomes = run_file(path, backend, wanted);
                    done.lock().unwrap().insert(name.clone(), outcomes);
                }
            });
        }
    });
    done.into_inner().unwrap()
}

fn count(outcomes: &BTreeMap<String, Vec<Option<Outcome>>>, what: fn(&Outcome) -> bool) -> usize {
    outcomes.values().flatten().flatten().filter(|o| what(o)).count()
}

/// One line that says how many cases there were and what became of them.
fn summary(outcomes: &BTreeMap<String, Vec<Option<Outcome>>>, backend: &str) -> String {
    let right = count(outcomes, |o| *o == Outcome::Right);
    let refused = count(outcomes, |o| matches!(o, Outcome::Refused(_)));
    let failed = count(outcomes, |o| matches!(o, Outcome::Failed(_)));
    let all = right + refused + failed;
    format!(
        "{backend}: {all} cases of {} operators: {right} right, {refused} refused, {failed} failed",
        outcomes.len()
    )
}

fn failures(outcomes: &BTreeMap<String, Vec<Option<Outcome>>>) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, cases) in outcomes {
        for (k, outcome) in cases.iter().enumerate() {
            if let Some(Outcome::Failed(why)) = outcome {
                lines.push(format!("{name} case {k}: {why}"));
            }
        }
    }
    lines
}

fn marks(cases: &[Option<Outcome>]) -> String {
    let mark = |outcome: &Option<Outcome>| match outcome {
        None => '.',
        Some(Outcome::Right) => '+',
        Some(Outcome::Refused(_)) => '-',
        Some(Outcome::Failed(_)) => 'x',
    };
    cases.iter().map(mark).collect()
}

static BLESSING: Mutex<()> = Mutex::new(());

/// Holds the outcomes to `expected.txt`: what is right there must be right; what is newly right is said.
fn compare(outcomes: &BTreeMap<String, Vec<Option<Outcome>>>, folder: &Path, backend: &str) {
    let path = folder.join("expected.txt");
    if std::env::var_os("LITZ_BLESS").is_some() {
        let _one_at_a_time = BLESSING.lock().unwrap();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines: Vec<String> =
            text.lines().filter(|l| l.split(' ').nth(1) != Some(backend)).map(str::to_string).collect();
        lines.extend(outcomes.iter().map(|(name, cases)| format!("{name} {backend} {}", marks(cases))));
        lines.sort();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut problems = Vec::new();
    let mut listed = 0;
    for line in text.lines() {
        let [name, of, expected] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("expected.txt: {line}")
        };
        if of != backend {
            continue;
        }
        listed += 1;
        let Some(cases) = outcomes.get(name) else {
            problems.push(format!("{name}: its cases are gone"));
            continue;
        };
        for (k, (want, have)) in expected.chars().zip(cases).enumerate() {
            match (want, have) {
                ('+', Some(Outcome::Refused(why))) => {
                    problems.push(format!("{name} case {k} was right and is refused now: {why}"));
                }
                ('-', Some(Outcome::Right)) => {
                    eprintln!("{name} case {k} is right now: LITZ_BLESS=1 notes it in expected.txt");
                }
                _ => {}
            }
        }
        if expected.len() != cases.len() {
            problems.push(format!("{name}: {} cases, not {}", cases.len(), expected.len()));
        }
    }
    assert_eq!(listed, outcomes.len(), "operators of expected.txt for {backend}, and of the folder");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn sample(backend: &str, wanted: fn(usize) -> bool) {
    if std::env::var_os("LITZ_ONLY").is_some() {
        return;
    }
    common::linear_algebra();
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/ops"));
    let outcomes = run_folder(&folder, backend, wanted);
    println!("{}", summary(&outcomes, backend));
    let failures = failures(&outcomes);
    let blessing = std::env::var_os("LITZ_BLESS").is_some();
    if blessing || failures.is_empty() {
        compare(&outcomes, &folder, backend);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_sample_on_the_interpreter() {
    sample("interpreter", |_| true);
}

/// Compiling takes a while: every third case, so that each dtype has its turn.
#[test]
fn the_sample_on_the_cpu() {
    sample("cpu", |k| k % 3 == 0);
}

#[test]
fn a_further_folder() {
    let Some(folder) = std::env::var_os("LITZ_OPS") else { return };
    let backend = std::env::var("LITZ_BACKEND").unwrap_or("interpreter".to_string());
    let outcomes = run_folder(Path::new(&folder), &backend, |_| true);
    for (name, cases) in &outcomes {
        if cases.iter().any(|c| *c != Some(Outcome::Right)) {
            let mut why: Vec<String> = Vec::new();
            for outcome in cases.iter().flatten() {
                if let Outcome::Refused(text) | Outcome::Failed(text) = outcome
                    && !why.contains(text)
                {
                    why.push(text.clone());
                }
            }
            println!("{name} {}: {}", marks(cases), why[..why.len().min(3)].join("; "));
        }
    }
    println!("{}", summary(&outcomes, &backend));
    let failures = failures(&outcomes);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
