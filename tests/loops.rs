//! Loops that write slices of what they carry in place, against the same loops that copy all of it.

use litz::meta::text::parse;
use litz::runtime::Tensor;
use litz::session::{self, Executable, Options};
use litz::types::Dtype;

/// Bodies over a number `%0`, float32 `%1` of [6, 3], `%2` of [n, 3], `%3` of [3], and `%4`, which is not written. They give the first
/// four again: `%10` to `%13`.
const BODIES: [&str; 6] = [
    // What a turn reads is what the turns before it wrote.
    "%20 = aten.select.int(%1, 0, 0)\n %21 = aten.add.Tensor(%20, %3)\n %11 = aten.index_put.default(%1, [%0], %21)\n \
     %12 = aten.index_put.default(%2, [%0], %20)\n %13 = aten.mul.Scalar(%3, 1.5)",
    // Rows of each go to the other, some counted from the end.
    "%20 = aten.neg.default(%0)\n %21 = aten.sub.Scalar(%20, 1)\n %22 = aten.index.Tensor(%1, [%21])\n \
     %23 = aten.index.Tensor(%2, [%0])\n %11 = aten.index_put.default(%1, [%0], %23)\n \
     %12 = aten.index_put.default(%2, [%21], %22)\n %13 = aten.add.Tensor(%3, %22)",
    // A carried tensor is a row, and changes in the same turn.
    "%11 = aten.index_put.default(%1, [%0], %3)\n %12 = aten.select_scatter.default(%2, %3, 0, -1)\n \
     %13 = aten.mul.Tensor(%3, %4)",
    // Several slices of one tensor, which overlap.
    "%20 = aten.slice.Tensor(%2, 0, 0, 2)\n %21 = aten.slice_scatter.default(%1, %20, 0, 1, 3)\n \
     %22 = aten.select_scatter.default(%21, %4, 0, 2)\n %11 = aten.index_put.default(%22, [%0], %3)\n \
     %12 = aten.slice_scatter.default(%2, %20, 0, 1, 3)\n %13 = aten.sin.default(%3)",
    // One value for a whole row, of another shape.
    "%20 = aten.sum.default(%1)\n %11 = aten.index_put.default(%1, [%0], %20)\n %21 = aten.unsqueeze.default(%3, 0)\n \
     %12 = aten.slice_scatter.default(%2, %21, 0, 3, 4)\n %13 = aten.mul.Tensor(%3, %4)",
    // Slices of the second dimension, sums, and one tensor written over another are copied.
    "%20 = aten.index_put.default(%1, [%0], %3, true)\n %21 = aten.select.int(%20, 1, 0)\n \
     %11 = aten.select_scatter.default(%20, %21, 1, 1)\n %12 = aten.alias.default(%2)\n %13 = aten.mul.Tensor(%3, %4)",
];

/// A loop with this body. Where `copies`, the body uses what it wrote, so that nothing is written in place.
fn program(body: &str, turns: &str, copies: bool) -> String {
    let inputs = " input %0 \"i\": int64[]\n input %1 \"x\": float32[6, 3]\n input %2 \"y\": float32[n, 3]\n \
         input %3 \"h\": float32[3]\n";
    let (more, sums, first, extra) = match copies {
        true => (
            " input %5 \"a\": float32[]\n input %6 \"b\": float32[]\n input %4 \"w\": float32[3]\n",
            " %14 = aten.sum.default(%11)\n %15 = aten.sum.default(%12)\n",
            ", %14, %14",
            " output \"a\" = %14\n output \"b\" = %15\n",
        ),
        false => (" input %4 \"w\": float32[3]\n", "", "", ""),
    };
    let results = if copies { "%20, %21, %22, %23, %24, %25" } else { "%20, %21, %22, %23" };
    format!(
        "graph \"g\" {{\n  symbol n in [6, 20]\n  input %0 \"x\": float32[6, 3]\n  input %1 \"y\": float32[n, 3]\n  \
         input %2 \"h\": float32[3]\n  input %3 \"w\": float32[3]\n  %10 = aten.zeros.default([], dtype=int64)\n  \
         %14 = aten.zeros.default([])\n  \
         {results} = higher_order.while_loop.default(graph \"more\" {{\n{inputs}{more} %9 = aten.lt.Scalar(%0, {turns})\n output \"c\" = %9\n }}, \
         graph \"turn\" {{\n{inputs}{more} {body}\n{sums} %10 = aten.add.Scalar(%0, 1)\n output \"i\" = %10\n output \"x\" = %11\n \
         output \"y\" = %12\n output \"h\" = %13\n{extra} }}, [%10, %0, %1, %2{first}], [%3])\n  \
         output \"x\" = %21\n  output \"y\" = %22\n  output \"h\" = %23\n}}\n"
    )
}

fn compiled(text: &str, list: &[(&str, &str)]) -> Executable {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut options = Options::default();
    for (key, value) in list {
        options.set(key, value).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
    session::compile(&graph, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn floats(shape: &[i64], seed: f64) -> Tensor {
    let count: i64 = shape.iter().product();
    let one = |k: i64| (((k as f64 + seed) * 0.618_034) % 1.0 - 0.3) as f32;
    let bytes: Vec<u8> = (0..count).flat_map(|k| one(k).to_ne_bytes()).collect();
    Tensor::from_bytes(Dtype::Float32, shape, &bytes).expect("memory")
}

fn inputs() -> [Tensor; 4] {
    [floats(&[6, 3], 0.1), floats(&[7, 3], 5.0), floats(&[3], 2.5), floats(&[3], 9.0)]
}

const MODES: [&[(&str, &str)]; 3] = [
    &[("backend", "interpreter")],
    &[("backend", "cpu")],
    &[("backend", "cpu"), ("debug.compare", "interpreter"), ("debug.check", "finite")],
];

#[test]
fn slices_written_in_place_are_those_of_a_copy() {
    let inputs = inputs();
    let given: Vec<&Tensor> = inputs.iter().collect();
    for body in BODIES {
        let want = compiled(&program(body, "6", true), MODES[0]).run_tensors(&given).expect("it runs");
        for mode in MODES {
            let text = program(body, "6", false);
            let have = compiled(&text, mode).run_tensors(&given).unwrap_or_else(|e| panic!("{body}: {e}"));
            for (have, want) in have.iter().zip(&want) {
                let read = |t: &Tensor| -> Vec<f32> {
                    t.bytes()
                        .chunks(4)
                        .map(|b| f32::from_ne_bytes(b.try_into().expect("four bytes")))
                        .collect()
                };
                let near =
                    read(have).iter().zip(read(want)).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs().max(1.0));
                assert!(near, "{mode:?}, {body}: {:?}, not {:?}", read(have), read(want));
            }
        }
    }
}

/// Memory beside the tensor is never written.
#[test]
fn a_slice_outside_of_its_tensor_is_an_error() {
    let inputs = inputs();
    let given: Vec<&Tensor> = inputs.iter().collect();
    for mode in MODES {
        let error =
            compiled(&program(BODIES[0], "9", false), mode).run_tensors(&given).expect_err("it fails");
        assert!(error.to_string().contains("index is out of bounds for dimension 0"), "{mode:?}: {error}");
    }
}
