//! ONNX models with recorded results: a sample of the standard's own node cases, which `scripts/onnx-node-tests --save` writes.

use litz::frontend::from_onnx;
use litz::runtime::Tensor;
use litz::session::{self, Options};
use litz::types::{Dtype, floats::float};
use safetensors::SafeTensors;
use std::path::{Path, PathBuf};

fn tensor(file: &SafeTensors<'_>, name: &str) -> Option<Tensor> {
    let view = file.tensor(name).ok()?;
    let dtype = match view.dtype() {
        safetensors::Dtype::F16 => Dtype::Float16,
        safetensors::Dtype::F32 => Dtype::Float32,
        safetensors::Dtype::F64 => Dtype::Float64,
        safetensors::Dtype::I64 => Dtype::Int64,
        safetensors::Dtype::I32 => Dtype::Int32,
        safetensors::Dtype::I8 => Dtype::Int8,
        safetensors::Dtype::U8 => Dtype::Uint8,
        safetensors::Dtype::BOOL => Dtype::Bool,
        other => panic!("{name} is {other:?}"),
    };
    let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
    Some(Tensor::from_bytes(dtype, &shape, view.data()).expect("a tensor"))
}

/// The elements in the order of their indices, whatever the strides.
fn dense(t: &Tensor) -> Vec<u8> {
    let (bytes, size) = (t.bytes(), t.dtype().size());
    let count: i64 = t.shape().iter().product();
    (0..count)
        .flat_map(|k| {
            let mut rest = k;
            let dims = t.shape().iter().zip(t.strides()).rev();
            let place: i64 = dims.map(|(n, stride)| (rest % n * stride, rest /= n).0).sum();
            bytes[place as usize * size..][..size].to_vec()
        })
        .collect()
}

fn close(got: &Tensor, want: &Tensor, what: &str) {
    assert_eq!(got.dtype(), want.dtype(), "{what}");
    assert_eq!(got.shape(), want.shape(), "{what}");
    let floats = |t: &Tensor| -> Vec<f64> {
        dense(t).chunks_exact(t.dtype().size()).map(|element| float(t.dtype(), element)).collect()
    };
    if !got.dtype().is_float() {
        assert_eq!(dense(got), dense(want), "{what}");
        return;
    }
    for (k, (a, b)) in floats(got).into_iter().zip(floats(want)).enumerate() {
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-6 + 1e-3 * b.abs();
        assert!(same, "{what}: element {k} is {a}, not {b}");
    }
}

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/onnx");
    let files = std::fs::read_dir(folder).expect("the models").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "onnx")).collect();
    files.sort();
    files
}

fn run(path: &Path, backend: &str) {
    let what = format!("{} on {backend}", path.display());
    let graph = from_onnx(path).unwrap_or_else(|e| panic!("{what}: {e}"));
    let mut options = Options::new();
    options.set("backend", backend).expect("an option");
    let program = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
    let bytes = std::fs::read(path.with_extension("safetensors")).expect("recorded results");
    let file = SafeTensors::deserialize(&bytes).expect("recorded results");
    let inputs: Vec<Tensor> = (0..).map_while(|k| tensor(&file, &format!("in{k}"))).collect();
    let outputs = program.run_tensors(&inputs.iter().collect::<Vec<_>>());
    let outputs = outputs.unwrap_or_else(|e| panic!("{what}: {e}"));
    for (k, output) in outputs.iter().enumerate() {
        let want = tensor(&file, &format!("out{k}")).unwrap_or_else(|| panic!("{what}: out{k}"));
        close(output, &want, &format!("{what}, output {k}"));
    }
}

#[test]
fn recorded_results_on_the_interpreter() {
    let models = models();
    assert!(models.len() > 20, "{} models", models.len());
    models.iter().for_each(|path| run(path, "interpreter"));
}

#[test]
fn recorded_results_on_the_cpu() {
    models().iter().step_by(6).for_each(|path| run(path, "cpu"));
}

/// A file of weights that is larger than 4 GB, in which nothing but the weight is written.
#[test]
fn weights_lie_anywhere_in_a_large_file() {
    const PLACE: u64 = 5_000_000_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = folder.path().join("far.onnx");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/far.onnx"), &model).expect("a copy");
    let file = std::fs::File::create(folder.path().join("far.bin")).expect("a file");
    let data: Vec<u8> = [1.0f32, 2.0, 3.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    std::os::unix::fs::FileExt::write_all_at(&file, &data, PLACE).expect("a file with a hole");
    let graph = from_onnx(&model).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", "interpreter").expect("an option");
    let program = session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}"));
    let x = Tensor::from_bytes(Dtype::Float32, &[3], &data).expect("a tensor");
    let outputs = program.run_tensors(&[&x]).unwrap_or_else(|e| panic!("{e}"));
    let sums: Vec<u8> = [2.0f32, 4.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(dense(&outputs[0]), sums);
    // One byte less, and the weight ends behind the file.
    file.set_len(PLACE + 11).expect("a shorter file");
    drop(graph);
    assert!(from_onnx(&model).is_err());
}

/// An image of four dimensions that are all data: the number of its elements is a sum of a hundred products, and a proof gives up on it.
#[test]
fn sizes_of_many_terms_are_refused_in_time() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/col2im_of_unknown_sizes.onnx");
    let graph = from_onnx(&path).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options::new();
    options.set("backend", "interpreter").expect("a backend");
    let began = std::time::Instant::now();
    let refused = session::compile(&graph, &options).map(|_| ()).expect_err("nothing shows its bounds");
    assert!(refused.to_string().contains("cannot show that reads of input"), "{refused}");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

/// Each size depends on the product of all others. Seven are proved; for 64 a proof gives up before it takes long.
#[test]
fn sizes_that_depend_on_each_other_are_proved_or_refused_in_time() {
    let mut options = Options::new();
    options.set("backend", "interpreter").expect("a backend");
    for (count, is_proved) in [(7, true), (64, false)] {
        let name = format!("tests/data/reshape_to_{count}_unknown_sizes.onnx");
        let graph =
            from_onnx(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap_or_else(|e| panic!("{e}"));
        let began = std::time::Instant::now();
        let compiled = session::compile(&graph, &options);
        assert_eq!(compiled.is_ok(), is_proved, "{count}: {:?}", compiled.err().map(|e| e.to_string()));
        assert!(began.elapsed().as_secs() < 40, "{count}: {:?}", began.elapsed());
    }
}

/// Sizes are the elements of a vector; a shape of 3 x 3 x 3 would be one of 27 dimensions.
#[test]
fn sizes_lie_in_a_vector() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sizes_in_three_dimensions.onnx");
    let refused = from_onnx(&path).expect_err("a shape of three dimensions").to_string();
    assert!(refused.contains("input 1 holds sizes, and has 3 dimensions, not one"), "{refused}");
}

/// PyTorch's exporter turns a matrix for a list of paddings, whose numbers are known.
#[test]
fn sizes_that_are_known_leave_no_nodes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/onnx/exported_padding.onnx");
    let text = litz::ir::text::print(&from_onnx(&path).expect("a graph"));
    assert!(!text.contains("litz.bind"), "{text}");
}

#[test]
fn one_error_names_every_operator_that_is_not_supported() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/several_unsupported.onnx");
    let error = from_onnx(&path).expect_err("operators that nobody knows");
    assert_eq!(
        error.to_string().split_once(": ").expect("the file").1,
        "node `first` (Missing, opset 20): the operator `Missing` of the domain `ai.onnx` (opset 20) is not supported\n\
         These operators are not supported either:\n\
         - the operator `Absent` of `ai.onnx`, opset 20 (2 nodes, the first is `second`)\n\
         - the operator `Gone` of `ai.onnx`, opset 20 (node `inside`)\n\
         - the operator `Unheard` of `some.domain`, opset 3 (node `deep`)"
    );
}
