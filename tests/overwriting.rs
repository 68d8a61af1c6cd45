//! Backwards that write over what their forwards kept: gradients are the same bits as without, and the memory is not needed twice.

use litz::base::Status;
use litz::meta::text::parse;
use litz::runtime::{RuntimeError, Tensor};
use litz::session::{Options, Training};
use litz::types::Dtype;
use serde_json::Value as Json;
use std::fmt::Write;

fn options(list: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (key, value) in [("backend", "cpu"), ("cpu.threads", "2")].iter().chain(list) {
        options.set(key, value).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
    options
}

fn trained(text: &str, list: &[(&str, &str)]) -> Training {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Training::compile(&graph, &options(list)).expect("it compiles")
}

/// The names of what the backward overwrites.
fn overwritten(training: &Training) -> Vec<String> {
    let plan = training.backward_program().expect("it compiles").plan();
    plan.inputs.iter().filter(|i| i.overwritten).map(|i| i.name.clone()).collect()
}

/// Small numbers: sums of products of them saturate no function here.
fn floats(shape: &[i64], seed: u64) -> Tensor {
    let count = shape.iter().product::<i64>() as u64;
    let one = |k: u64| (((k + seed * 7919) as f64 * 0.618_034) % 1.0 - 0.3) as f32 / 4.0;
    let bytes: Vec<u8> = (0..count).flat_map(|k| one(k).to_ne_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory")
}

fn pointers(tensors: &[Tensor]) -> Vec<*const litz::types::dlpack::DLTensor> {
    tensors.iter().map(|t| std::ptr::from_ref(t.dl())).collect()
}

fn forward(training: &Training, inputs: &[Tensor]) -> litz::runtime::training::Saved {
    // SAFETY: own tensors are as they say, and no program here writes to them.
    unsafe { training.forward(training.forward_program(), &pointers(inputs), None) }.expect("it runs").1
}

fn backward(
    training: &Training,
    saved: &litz::runtime::training::Saved,
    cotangent: Option<&Tensor>,
) -> Result<Vec<Vec<u8>>, RuntimeError> {
    let given = cotangent.map(|t| std::ptr::from_ref(t.dl()));
    let program = training.backward_program().expect("it compiles");
    // SAFETY: as above.
    let gradients = unsafe { training.backward(program, saved, &[given], None) }?;
    Ok(gradients.into_iter().flatten().map(|t| t.bytes().to_vec()).collect())
}

/// A random program over tensors of 16 by 24 elements: functions of one, sums and products of two, reductions and matrix products.
fn program(seed: u64) -> String {
    let mut state = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    let mut below = move |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut nodes = String::new();
    let (mut all, mut next) = (vec![0, 1], 3);
    for _ in 0..24 {
        let (a, b) = (all[all.len() - 1 - below(2)], all[below(all.len())]);
        let call = match below(9) {
            0 => format!("aten.tanh.default(%{a})"),
            1 => format!("aten.sigmoid.default(%{a})"),
            2 => format!("aten.gelu.default(%{a})"),
            3 => format!("aten.mul.Tensor(%{a}, %{b})"),
            4 => format!("aten.add.Tensor(%{a}, %{b})"),
            5 => format!("aten.softmax.int(%{a}, {})", below(2)),
            6 => format!("aten.layer_norm.default(%{a}, [24], None, None, 0.00001)"),
            7 => format!("aten.cumsum.default(%{a}, {})", below(2)),
            _ => format!("aten.matmul.default(%{a}, %2)"),
        };
        let _ = writeln!(nodes, "  %{next} = {call}");
        all.push(next);
        next += 1;
    }
    let _ = writeln!(nodes, "  %{next} = aten.sum.default(%{})", next - 1);
    format!(
        "graph \"g\" {{\n  input %0 \"x\": float32[16, 24]\n  input %1 \"y\": float32[16, 24]\n  input %2 \"w\": float32[24, 24]\n{nodes}  \
         output \"loss\" = %{next}\n}}"
    )
}

#[test]
fn gradients_are_the_same_bits_as_beside() {
    let inputs = [floats(&[16, 24], 1), floats(&[16, 24], 2), floats(&[24, 24], 3)];
    let mut count = 0;
    for seed in 0..5 {
        // All is kept, so that there is much to overwrite.
        let list = [("training.partitioner", if seed % 2 == 0 { "default" } else { "min_cut" })];
        let text = program(seed);
        let over = trained(&text, &list);
        // Comparing reads what kernels have read once more: nothing is overwritten then, and the kernels are held to the interpreter.
        let beside = trained(&text, &[list[0], ("debug.compare", "interpreter")]);
        assert!(overwritten(&beside).is_empty());
        count += overwritten(&over).len();
        let own = backward(&over, &forward(&over, &inputs), None).expect("it runs");
        let other = backward(&beside, &forward(&beside, &inputs), None).expect("it runs");
        assert!(own == other, "program {seed}: {text}");
    }
    assert!(count > 20, "{count}");
}

/// The gradient before the last `tanh` is written over its result: products read it.
const LAYERS: &str = "graph \"g\" {\n  input %0 \"x\": float32[64, 32]\n  input %1 \"w\": float32[32, 32]\n  \
                      %2 = aten.matmul.default(%0, %1)\n  %3 = aten.tanh.default(%2)\n  %4 = aten.matmul.default(%3, %1)\n  \
                      %5 = aten.tanh.default(%4)\n  %6 = aten.sum.default(%5)\n  output \"loss\" = %6\n}";

fn layers(seed: u64) -> [Tensor; 2] {
    [floats(&[64, 32], seed), floats(&[32, 32], seed + 1)]
}

#[test]
fn threads_overwrite_their_own() {
    let training = trained(LAYERS, &[("training.partitioner", "default")]);
    assert!(!overwritten(&training).is_empty());
    let inputs: Vec<[Tensor; 2]> = (0..4).map(layers).collect();
    let alone: Vec<_> =
        inputs.iter().map(|i| backward(&training, &forward(&training, i), None).expect("it runs")).collect();
    assert!(alone[0] != alone[1]);
    let saved: Vec<_> = inputs.iter().map(|i| forward(&training, i)).collect();
    std::thread::scope(|scope| {
        let training = &training;
        let runs: Vec<_> = saved
            .iter()
            .map(|s| scope.spawn(move || backward(training, s, None).expect("it runs")))
            .collect();
        for (run, alone) in runs.into_iter().zip(&alone) {
            assert!(run.join().expect("no panic") == *alone);
        }
    });
}

#[test]
fn a_refused_backward_leaves_what_is_kept() {
    let training = trained(LAYERS, &[]);
    let inputs = layers(1);
    let want = backward(&training, &forward(&training, &inputs), None).expect("it runs");
    let saved = forward(&training, &inputs);
    let wrong = floats(&[3], 1);
    let error = backward(&training, &saved, Some(&wrong)).expect_err("a cotangent of other sizes");
    assert_eq!(error.status, Status::Shape, "{error}");
    assert!(backward(&training, &saved, None).expect("it runs") == want);
    let error = backward(&training, &saved, None).expect_err("it has run");
    assert_eq!(error.status, Status::State, "{error}");
}

/// Rows of a table are looked up by more numbers than are copied, so that a host can break its word and change them before the backward,
/// which checks them again.
#[test]
fn a_backward_that_failed_is_not_run_again() {
    let text = "graph \"g\" {\n  input %0 \"w\": float32[10, 16]\n  input %1 \"k\": int64[140000]\n  \
                input %2 \"v\": float32[16, 16]\n  %3 = aten.embedding.default(%0, %1)\n  %4 = aten.matmul.default(%3, %2)\n  \
                %5 = aten.tanh.default(%4)\n  %6 = aten.sum.default(%5)\n  output \"loss\" = %6\n}";
    let training = trained(text, &[("training.partitioner", "default")]);
    assert!(!overwritten(&training).is_empty());
    let numbers = vec![0u8; 140_000 * 8];
    let rows = Tensor::from_bytes(Dtype::Int64, &[140_000], &numbers).expect("memory");
    let mut inputs = [floats(&[10, 16], 1), rows, floats(&[16, 16], 2)];
    let saved = forward(&training, &inputs);
    inputs[1].bytes_mut()[..8].copy_from_slice(&99i64.to_ne_bytes());
    let error = backward(&training, &saved, None).expect_err("row 99 of 10");
    assert_eq!(error.status, Status::Assertion, "{error}");
    inputs[1].bytes_mut()[..8].copy_from_slice(&0i64.to_ne_bytes());
    let error = backward(&training, &saved, None).expect_err("part of what was kept is overwritten");
    assert_eq!(error.status, Status::State, "{error}");
    assert!(error.to_string().contains("failed"), "{error}");
    assert!(backward(&training, &forward(&training, &inputs), None).is_ok());
}

/// The gradient of the logits lies where the logits were: beside gradients and what is kept, a backward needs less than one more of
/// them.
#[test]
fn the_logits_of_a_cross_entropy_are_overwritten() {
    let (rows, width, classes) = (256, 64, 4096);
    let text = format!(
        "graph \"g\" {{\n  input %0 \"x\": float32[{rows}, {width}]\n  input %1 \"w\": float32[{classes}, {width}]\n  \
         input %2 \"y\": int64[{rows}]\n  %3 = aten.linear.default(%0, %1)\n  %4 = aten.cross_entropy_loss.default(%3, %2)\n  \
         output \"loss\" = %4\n}}"
    );
    let graph = parse(&text).expect("it parses");
    let (forward, backward) = Training::plans(&graph, &options(&[])).expect("it compiles");
    assert!(forward.inputs.iter().all(|i| !i.overwritten));
    let logits = (rows * classes * 4) as f64;
    let kept = backward.inputs.iter().find(|i| i.overwritten).expect("one");
    assert_eq!(kept.max_shape, [rows, classes]);
    let described: Json = serde_json::from_str(&backward.metadata).expect("JSON");
    let arena = described["typical_arena_bytes"].as_f64().expect("bytes");
    assert!(arena < 0.5 * logits, "{arena} of {logits}");
}
