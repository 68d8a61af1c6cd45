//! Whole models: what PyTorch computed, on every backend. `LITZ_MODELS` names a further folder of cases.

use litz::frontend::pt2;
use litz::ir::NodeId;
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
        safetensors::Dtype::I8 => Dtype::Int8,
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

/// `unfused`: every node is a region's that runs one operator at a time.
fn case(path: &Path, backend: &str, unfused: bool) {
    let mut graph = pt2::read(path).unwrap();
    let nodes: Vec<NodeId> = graph.order.iter().copied().filter(|_| unfused).collect();
    nodes.into_iter().for_each(|id| graph.unfuse(id));
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
        for name in file.names().into_iter().filter(|n| prefix.is_empty() && n.starts_with("buffer.")) {
            let now = executable.constant(&name["buffer.".len()..]).unwrap();
            close(&now, &tensor(&file, name).unwrap(), name);
        }
    }
}

/// Buffers that are views of one storage stay so: an update of one is seen in the other, in clones and in artifacts.
#[test]
fn views_of_one_storage_are_updated_together() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    let graph = pt2::read(&folder.join("tied_views.pt2")).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut options = Options::new();
    options.set("backend", "cpu").unwrap();
    let compiled = session::compile(&graph, &options).unwrap();
    let before = numbers(&compiled.constant("v2").unwrap());
    let update = |e: &Executable, values: [f32; 4]| {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        e.update_tensors(&[("v1", &Tensor::from_bytes(Dtype::Float32, &[4], &bytes).unwrap())]).unwrap();
    };
    let overlap = |e: &Executable| {
        let (v1, v2) = (numbers(&e.constant("v1").unwrap()), numbers(&e.constant("v2").unwrap()));
        (v1[2..].to_vec(), v2[..2].to_vec(), v2[2..].to_vec())
    };
    update(&compiled, [10.0, 11.0, 12.0, 13.0]);
    let updated = (vec![12.0, 13.0], vec![12.0, 13.0], before[2..].to_vec());
    assert_eq!(overlap(&compiled), updated);
    let clone = compiled.clone_instance().unwrap();
    let path = out.path().join("tied.so");
    compiled.save(&path).unwrap();
    let opened = session::open(&path, &options).unwrap();
    for e in [&clone, &opened, &opened.clone_instance().unwrap()] {
        assert_eq!(overlap(e), updated);
        update(e, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(overlap(e), (vec![2.0, 3.0], vec![2.0, 3.0], before[2..].to_vec()));
    }
    assert_eq!(overlap(&compiled), updated);
}

fn cases(names: &[&str], backend: &str) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    for name in names {
        case(&folder.join(format!("{name}.pt2")), backend, false);
    }
}

const STATIC: &[&str] = &[
    "mlp",
    "mlp_dynamic_batch",
    "guarded_branch",
    "tied_views",
    "joint_program",
    "symbolic_arithmetic",
    "torch211_mlp_dynamic_batch",
    "lstm",
    "gru",
    "rnn_kinds",
    "detection_operators",
    "signal",
    "scans",
    "scans_fixed",
    "slices",
    "splits",
    "associative_scans",
    "composite/input",
    "composite/results",
    "composite/one_result",
    "composite/sizes",
    "composite/returned",
    "quantized_parameters",
    "jagged",
    "attention/vendor",
    "repeated_region",
    "dlrm_thin",
    "unet_thin",
];

#[test]
fn models_on_the_interpreter() {
    cases(STATIC, "interpreter");
}

#[test]
fn models_on_the_cpu() {
    cases(STATIC, "cpu");
}

/// On the interpreter, whose loops are as they were lowered, and on the CPU.
#[test]
fn models_one_operator_at_a_time() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    for name in STATIC {
        case(&folder.join(format!("{name}.pt2")), "interpreter", true);
    }
    for name in ["mlp_dynamic_batch", "gpt2_tiny", "control_flow", "data_dependent_sizes"] {
        case(&folder.join(format!("{name}.pt2")), "cpu", true);
    }
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
            case(&path, &backend, false);
        }
    }
}
