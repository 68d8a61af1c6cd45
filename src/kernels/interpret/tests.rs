//! Runs kernels, and finds the mistakes in them.

use super::{Fault, run};
use crate::kernels::Role;
use crate::kernels::text::parse;

const LENGTH: usize = 23;

/// Runs a kernel whose buffers are float32 for n = 23 in some orders; gives the last buffer.
fn results(text: &str) -> Result<Vec<f32>, Fault> {
    let read = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut last = Vec::new();
    for order in 0..6 {
        let mut memory: Vec<Vec<u8>> = Vec::new();
        for buffer in &read.kernel.buffers {
            let given = |k: usize| if buffer.role == Role::Input { k as f32 } else { 0.0 };
            memory.push((0..4096).flat_map(|k| given(k).to_le_bytes()).collect());
        }
        run(&read.syms, &read.kernel, &|_| Some(LENGTH as i64), &mut memory, order)?;
        let bytes = memory.pop().unwrap_or_default();
        last = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    }
    Ok(last)
}

/// Doubles each number: whole vectors, then a tail.
const CPU: &str = "kernel {
  symbol n in [1, 1000]
  b0: float32[n] Input
  b1: float32[n] Result
  parameter n
  cpu tasks (n + 15) // 16 grain 1 scratch 0
  lanes 4
  for Task part = task.begin to task.end {
    var i: index = (part * 16)
    let end: index = index.Min((i + 16), symbol(n))
    for Vector i to end step vectors 1 {
      store.vector b1[i] = Add(load.vector b0[i], load.vector b0[i])
    }
    if (i < end) {
      store.tail((end - i)) b1[i] = Add(load.tail((end - i)) b0[i], load.tail((end - i)) b0[i])
    }
  }
}";

/// Two blocks of 64 threads add up; the last one adds their partial results.
const GPU: &str = "kernel {
  symbol n in [1, 1000]
  b0: float32[n] Input
  b1: int32[1] Semaphores
  b2: float32[2] Workspace
  b3: float32[1] Result
  parameter n
  gpu blocks 2 threads 64 cluster 1 resident 0 shared 0
  lanes 1
  array work: float32[64] Shared
  var sum: float32 = 0.0:float32
  for Thread i = ((grid.block * 64) + block.thread) to symbol(n) step 128 {
    set sum = Add(sum, load b0[i])
  }
  store work[block.thread] = sum
  barrier Block
  let beside: float32 = load work[((block.thread + 1) % 64)]
  barrier Block
  array workspace: float32[64] Shared
  reduce.Sum.float32 total: float32 over threads 64 of beside in workspace
  if (block.thread == 0) {
    store b2[grid.block] = total
  }
  last ready: int32 at b1[0] of grid.blocks
  region {
    if (block.thread == 0) {
      store b3[0] = Add(load b2[0], load b2[1])
    }
  }
}";

#[test]
fn kernels_compute() {
    let doubled = results(CPU).unwrap_or_else(|e| panic!("{e}"));
    assert!(doubled[..LENGTH].iter().enumerate().all(|(k, v)| *v == 2.0 * k as f32));
    let sum = results(GPU).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(sum[0], (LENGTH * (LENGTH - 1) / 2) as f32);
}

#[test]
fn mistakes_are_found() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (CPU, "index.Min((i + 16), symbol(n))", "(i + 16)", "outside"),
        (CPU, "if (i < end)", "if (i < (end - 3))", "never written"),
        (CPU, "store.tail((end - i)) b1[i]", "store.tail((end - i)) b1[(i - 1)]", "written twice"),
        (CPU, "(part * 16)", "(part * 15)", "race|written twice"),
        (CPU, "(part * 16)", "(part * 17)", "outside|never written"),
        (CPU, "store.vector b1[i]", "store.vector b0[i]", "is written"),
        (CPU, "store.vector b1[i]", "store.aligned b1[(i + 1)]", "not at a multiple"),
        (CPU, "var i: index = (part * 16)", "var i: index", "before it has a value"),
        (CPU, "load.vector b0[i])", "load.vector b1[i])", "nothing was written"),
        (GPU, "= sum\n  barrier Block", "= sum\n", "race|nothing was written"),
        (
            GPU,
            "barrier Block\n  let",
            "if (block.thread < 32) { barrier Block }\n  let",
            "has ended|another|nothing was written",
        ),
        (GPU, "    store b2[grid.block] = total", "", "nothing was written"),
        (GPU, "region {\n    if (block.thread == 0)", "region {\n    if (block.thread < 2)", "race"),
        (
            GPU,
            "region {\n    if (block.thread == 0)",
            "region {\n    if (block.thread == 64)",
            "never written",
        ),
        (GPU, "store b2[grid.block]", "store b2[0]", "race"),
        (GPU, "of grid.blocks", "of 3", "is 2 after"),
        (GPU, "of grid.blocks", "of 1", "race|nothing was written"),
        (GPU, "array work: float32[64]", "array work: float32[63]", "outside"),
        (GPU, "  last ready", "  return (block.thread > 40)\n  last ready", "has ended"),
    ];
    let mut problems = Vec::new();
    for (kernel, from, to, words) in cases {
        assert!(kernel.contains(from), "{from}");
        let message =
            results(&kernel.replace(from, to)).err().map_or("nothing".to_string(), |f| f.to_string());
        if !words.split('|').any(|w| message.contains(w)) {
            problems.push(format!("`{to}` for `{from}`: {message}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
