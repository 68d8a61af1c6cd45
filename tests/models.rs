//! Whole models: what PyTorch computed, on every backend. `LITZ_MODELS` names a further folder of cases.

use litz::frontend::pt2;
use litz::runtime::Tensor;
use litz::session::{self, Executable, Options};
use litz::types::Dtype;
use safetensors::SafeTensors;
use std::path::{Path, PathBuf};

fn tensor(file: &SafeTensors<'_>, name: &str) -> Option<Tensor> {
    let view = file.tensor(name).ok()?;
    let dtype = match view.dtype() {
        safetensors::Dtype::F32 => Dtype::Float32,
        safetensors::Dtype::F64 => Dtype::Float64,
        safetensors::Dtype::I64 => Dtype::Int64,
        safetensors::Dtype::I32 => Dtype::Int32,
        safetensors::Dtype::BOOL => Dtype::Bool,
        other => panic!("{name} is {other:?}"),
    };
    let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
    Some(Tensor::from_bytes(dtype, &shape, view.data()).unwrap())
}

fn numbers(t: &Tensor) -> Vec<f64> {
    let b = t.bytes();
    match t.dtype() {
        Dtype::Float32 => b.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()) as f64).collect(),
        Dtype::Float64 => b.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect(),
        Dtype::Int64 => b.chunks(8).map(|c| i64::from_le_bytes(c.try_into().unwrap()) as f64).collect(),
        Dtype::Int32 => b.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap()) as f64).collect(),
        _ => b.iter().map(|c| f64::from(*c)).collect(),
    }
}

/// PyTorch's rule for equal within tolerance.
fn close(got: &Tensor, want: &Tensor, what: &str) {
    assert_eq!(got.dtype(), want.dtype(), "{what}");
    assert_eq!(got.shape(), want.shape(), "{what}");
    for (k, (a, b)) in numbers(got).into_iter().zip(numbers(want)).enumerate() {
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-4 + 1e-3 * b.abs();
        assert!(same, "{what}: element {k} is {a}, not {b}");
    }
}

fn inputs(file: &SafeTensors<'_>, prefix: &str) -> Vec<Tensor> {
    (0..).map_while(|k| tensor(file, &format!("{prefix}in{k}"))).collect()
}

fn run(executable: &Executable, file: &SafeTensors<'_>, prefix: &str) {
    let given = inputs(file, prefix);
    let outputs = executable.run_tensors(&given.iter().collect::<Vec<_>>()).unwrap();
    for (k, output) in outputs.iter().enumerate() {
        let name = format!("{prefix}out{k}");
        close(output, &tensor(file, &name).unwrap_or_else(|| panic!("{name}")), &name);
    }
}

fn case(path: &Path, backend: &str) {
    let graph = pt2::read(path).unwrap();
    let mut options = Options::new();
    options.set("backend", backend).unwrap();
    if let Some(dump) = std::env::var_os("LITZ_DUMP") {
        options.set("debug.dump", &dump.to_string_lossy()).unwrap();
    }
    let executable = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if std::env::var_os("LITZ_DESCRIBE").is_some() {
        let described: serde_json::Value = serde_json::from_str(&executable.describe()).unwrap();
        eprintln!("{:#}", described["compile_seconds"]);
        for k in described["kernels"].as_array().unwrap() {
            eprintln!("{} {} {}", k["stage"], k["kind"], k["operators"]);
        }
    }
    let bytes = std::fs::read(path.with_extension("safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    for prefix in ["", "dyn0.", "dyn1.", "dyn2.", "dyn3."] {
        if file.tensor(&format!("{prefix}in0")).is_ok() {
            run(&executable, &file, prefix);
        }
    }
}

fn cases(names: &[&str], backend: &str) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    for name in names {
        case(&folder.join(format!("{name}.pt2")), backend);
    }
}

const STATIC: &[&str] = &["mlp", "mlp_dynamic_batch", "guarded_branch", "torch211_mlp_dynamic_batch"];

#[test]
fn models_on_the_interpreter() {
    cases(STATIC, "interpreter");
}

#[test]
fn models_on_the_cpu() {
    cases(STATIC, "cpu");
}

#[test]
fn further_models() {
    let Some(folder) = std::env::var_os("LITZ_MODELS") else { return };
    let only = std::env::var("LITZ_ONLY").unwrap_or_default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "pt2") && only.split(',').any(|o| o == name) {
            let backend = std::env::var("LITZ_BACKEND").unwrap_or("cpu".into());
            eprintln!("{name}");
            case(&path, &backend);
        }
    }
}
