//! Programs with symbols, at several sizes: each run gives what the same program with these sizes known gives, or is refused
//! where that is refused. Runs that are right must not be refused; those are what the fuzzers found.

use crate::check::{self, Answer};
use crate::common::contents::{Content, fill, number};
use crate::common::guarded::{Operand, dense, extent};
use crate::common::random::Random;
use litz::types::Dtype;

/// A program's lines, and for each run what the symbols `s0`, `s1`, … are. All inputs are float32.
struct Program {
    lines: &'static str,
    /// Runs that are right.
    right: &'static [&'static [i64]],
    /// Runs that must be refused.
    wrong: &'static [&'static [i64]],
}

const PROGRAMS: &[Program] = &[
    // A factor that PyTorch overlooks where a small image doubles.
    Program {
        lines: "input %0 \"x\": float32[1, 1, s0, s1]\n  \
                %1 = aten.upsample_nearest2d.default(%0, [6, 2], 1.5, None)\n  output \"y\" = %1",
        right: &[&[3, 4], &[6, 1], &[4, 2]],
        wrong: &[],
    },
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.norm_except_dim.default(%0)\n  output \"y\" = %1",
        right: &[&[2, 3], &[1, 1]],
        wrong: &[&[0, 1]],
    },
    // Places in flattened rows of a size that a run gives, and a group's part of the channels.
    Program {
        lines: "input %0 \"x\": float32[2, 3, s0, s1, s2]\n  input %1 \"w\": float32[3, 2, 3, 3, 3]\n  \
                %2 = aten.conv_transpose3d.input(%0, %1, None, padding=[1, 1, 1])\n  output \"y\" = %2",
        right: &[&[2, 3, 4], &[3, 2, 2], &[4, 4, 4]],
        wrong: &[],
    },
    Program {
        lines: "input %0 \"x\": float32[2, s0, 5]\n  input %1 \"w\": float32[s0, s1, s2]\n  \
                %2 = aten.conv_transpose1d.default(%0, %1, None, [3], [1], [2], 2, [4])\n  output \"y\" = %2",
        right: &[&[2, 2, 4], &[4, 3, 2], &[6, 1, 1]],
        wrong: &[&[3, 2, 4]],
    },
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  input %1 \"d\": float32[s2]\n  \
                %2 = aten.diagonal_scatter.default(%0, %1, 1)\n  output \"y\" = %2",
        right: &[&[5, 3, 2], &[2, 6, 2], &[3, 3, 2]],
        wrong: &[&[5, 3, 3]],
    },
    Program {
        lines: "input %0 \"x\": float32[1, s0, s1, s2]\n  \
                %1, %2 = aten.max_pool2d_with_indices.default(%0, [3, 3], [2, 2], [0, 0], [1, 1], true)\n  \
                %3 = aten.max_pool2d_with_indices_backward.default(%1, %0, [3, 3], [2, 2], [0, 0], [1, 1], true, %2)\n  \
                output \"y\" = %3",
        right: &[&[2, 3, 6], &[1, 7, 4], &[1, 5, 5]],
        wrong: &[],
    },
    // A step that leaves the image at once.
    Program {
        lines: "input %0 \"x\": float32[1, 1, 1, s0, s1]\n  \
                %1 = aten.upsample_nearest3d.default(%0, [1, 2, 3], None, 1e-40, 1e-30)\n  output \"y\" = %1",
        right: &[&[2, 3], &[3, 2]],
        wrong: &[],
    },
    // The second part of a join begins where a minimum of sizes ends.
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.diagonal.default(%0, 0)\n  \
                %2 = aten.cat.default([%1, %1, %1], 0)\n  output \"y\" = %2",
        right: &[&[5, 3], &[3, 5], &[4, 4], &[1, 1], &[0, 2]],
        wrong: &[],
    },
    // A diagonal below the main one, of a tensor joined from two.
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.cat.default([%0, %0], 1)\n  \
                %2 = aten.diagonal.default(%1, -1)\n  %3 = aten.flip.default(%2, [0])\n  output \"y\" = %3",
        right: &[&[6, 2], &[2, 6], &[4, 3], &[1, 1]],
        wrong: &[],
    },
    // Every second, third row, flattened: a multiple of a quotient by a size.
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.unfold.default(%0, 0, 2, 2)\n  \
                %2 = aten.flatten.using_ints(%1, 0, -1)\n  %3 = aten.neg.default(%2)\n  output \"y\" = %3",
        right: &[&[7, 3], &[2, 1], &[3, 4]],
        wrong: &[&[1, 3]],
    },
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.cumsum.default(%0, 1)\n  \
                %2 = aten.slice.Tensor(%1, 0, 0, 9223372036854775807, 3)\n  \
                %3 = aten.flatten.using_ints(%2, 0, -1)\n  %4 = aten.neg.default(%3)\n  output \"y\" = %4",
        right: &[&[7, 3], &[2, 1], &[3, 4], &[1, 2]],
        wrong: &[],
    },
    // Joined slices, of which each is cut off by the sizes.
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.slice.Tensor(%0, 0, -2, -1, 3)\n  \
                %2 = aten.cat.default([%1, %0, %1], 0)\n  output \"y\" = %2",
        right: &[&[7, 3], &[2, 1], &[1, 4], &[0, 2]],
        wrong: &[],
    },
    // A guard that divides by a size, beside "or nothing is read".
    Program {
        lines: "input %0 \"x\": float32[3, s0]\n  input %1 \"n\": float32[s1]\n  \
                %2 = aten.flatten.using_ints(%0, 0, -1)\n  \
                %3 = aten.as_strided_copy.default(%2, [s1], [0], s0)\n  output \"y\" = %3",
        right: &[&[2, 4], &[0, 0], &[3, 0]],
        wrong: &[&[0, 1]],
    },
    // The size that is asked for cannot be found out where the others are 0.
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.view.default(%0, [-1, s1])\n  output \"y\" = %1",
        right: &[&[3, 2], &[0, 2]],
        wrong: &[&[3, 0], &[0, 0]],
    },
    // A view that a run's sizes allow, and of which symbols leave open how it lies in the input's memory.
    Program {
        lines: "input %0 \"x\": float32[s2, s1]\n  input %1 \"a\": float32[s0]\n  \
                %2 = aten.transpose.int(%0, 0, 1)\n  %3 = aten.slice.Tensor(%2, 1, 1, s0, 3)\n  \
                %4 = aten.view.default(%3, [s0, 2])\n  output \"y\" = %2\n  output \"z\" = %4",
        right: &[&[3, 6, 4], &[2, 4, 4]],
        wrong: &[&[3, 5, 4]],
    },
    // A number of gates that a guard says is three times the hidden size, and another one which number.
    Program {
        lines: "input %0 \"x\": float32[s0, s1, 3]\n  input %1 \"h\": float32[1, 5, 5]\n  \
                input %2 \"w\": float32[s2, 3]\n  input %3 \"u\": float32[s3, s1]\n  input %4 \"b\": float32[15]\n  \
                %5, %6 = aten.gru.input(%0, %1, [%2, %3, %4, %4], true, 1, 0.0, true, false, false)\n  \
                output \"y\" = %5\n  output \"z\" = %6",
        right: &[&[4, 5, 15, 15]],
        wrong: &[&[4, 4, 15, 15], &[4, 5, 12, 15], &[4, 5, 15, 12]],
    },
    // Sizes that cannot agree at all.
    Program {
        lines: "input %0 \"q\": float32[2, s0, 2]\n  input %1 \"k\": float32[s0, s0, s0]\n  \
                input %2 \"v\": float32[s0, 4, s0]\n  \
                %3 = aten.scaled_dot_product_attention.default(%0, %1, %2, None, 0.0, false, scale=1.0)\n  \
                output \"y\" = %3",
        right: &[],
        wrong: &[&[2], &[4]],
    },
    // Windows of inputs that are empty.
    Program {
        lines: "input %0 \"x\": float32[s0, s1, s2]\n  input %1 \"w\": float32[2, 2, 3]\n  \
                %2 = aten.conv1d.default(%0, %1, None, [1], [2])\n  output \"y\" = %2",
        right: &[&[2, 2, 4], &[0, 2, 4], &[0, 2, 0]],
        wrong: &[&[2, 2, 0], &[2, 0, 4]],
    },
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.max_pool1d.default(%0, [2], [1], [1])\n  \
                output \"y\" = %1",
        right: &[&[2, 3], &[1, 1]],
        wrong: &[&[0, 3], &[2, 0]],
    },
    Program {
        lines: "input %0 \"x\": float32[s0]\n  %1 = aten.constant_pad_nd.default(%0, [-2, 3])\n  output \"y\" = %1",
        right: &[&[2], &[5]],
        wrong: &[&[1], &[0]],
    },
    // The dtype says whether something is summed up, which a guard or another one settles.
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.gt.Scalar(%0, 0)\n  \
                %2 = aten.sum_to_size.default(%1, [4, s1])\n  output \"y\" = %2",
        right: &[&[4, 3], &[4, 1]],
        wrong: &[&[3, 3]],
    },
    Program {
        lines: "input %0 \"x\": float32[s0, s1]\n  %1 = aten.gt.Scalar(%0, 0)\n  \
                %2 = aten.sum_to_size.default(%1, [1, s1])\n  output \"y\" = %2",
        right: &[&[4, 3], &[2, 1]],
        wrong: &[&[1, 3]],
    },
];

/// Inputs joined one after the other, with sums of sizes that are long enough to be symbols: each step is read, what other steps make
/// of the same sizes meets it, and parts of it are taken out again.
fn long_joins() -> [String; 3] {
    const COUNT: usize = 30;
    let inputs: String = (0..COUNT).map(|k| format!("input %{k} \"x{k}\": float32[s{k}]\n  ")).collect();
    let (names, sizes): (Vec<String>, Vec<String>) =
        (0..COUNT).map(|k| (format!("%{k}"), format!("s{k}"))).unzip();
    let mut steps = String::new();
    let joined = |k: usize| if k == 0 { "%0".to_string() } else { format!("%{}", 100 + k) };
    for k in 1..COUNT {
        steps += &format!("{} = aten.cat.default([{}, %{k}])\n  ", joined(k), joined(k - 1));
    }
    let whole = joined(COUNT - 1);
    let relus: String =
        (1..COUNT).map(|k| format!("%{} = aten.relu.default({})\n  ", 200 + k, joined(k))).collect();
    let outputs: Vec<String> =
        (1..COUNT).step_by(7).chain([COUNT - 1]).map(|k| format!("output \"y{k}\" = %{}", 200 + k)).collect();
    let read = format!("{inputs}{steps}{relus}{}", outputs.join("\n  "));
    let met = format!(
        "{inputs}{steps}%300 = aten.cat.default([{}])\n  %301 = aten.cat.default([{}])\n  \
         %302 = aten.cat.default([{}, %301])\n  %303 = aten.sub.Tensor({whole}, %300)\n  \
         %304 = aten.add.Tensor(%303, %302)\n  %305 = aten.view.default(%304, [{}])\n  \
         %306 = aten.mul.Tensor(%305, {whole})\n  output \"y\" = %306",
        names.join(", "),
        names[COUNT - 3..].join(", "),
        joined(COUNT - 4),
        sizes.join(" + ")
    );
    let parts: Vec<String> = (400..400 + COUNT).map(|k| format!("%{k}")).collect();
    let taken = format!(
        "{inputs}{steps}{} = aten.split_with_sizes.default({whole}, [{}])\n  %500 = aten.neg.default(%427)\n  \
         %501 = aten.slice.Tensor({whole}, 0, {}, {})\n  %502 = aten.exp.default(%501)\n  \
         %503 = aten.cumsum.default({whole}, 0)\n  output \"y\" = %500\n  output \"z\" = %502\n  output \"u\" = %503",
        parts.join(", "),
        sizes.join(", "),
        sizes[..26].join(" + "),
        sizes[..28].join(" + ")
    );
    [read, met, taken]
}

#[test]
fn long_joins_are_what_they_are_at_known_sizes() {
    check::note_panics();
    const SOME: [i64; 30] =
        [1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 17, 2, 3, 4, 2];
    const FEW: [i64; 30] = [0; 30];
    for lines in long_joins() {
        let program = Program { lines: lines.leak(), right: &[&SOME, &FEW], wrong: &[] };
        // The proofs about parts of generated kernels take minutes of a debug build.
        holds(&program, "interpreter");
    }
}

/// Lines as a graph's text, with `count` symbols, or with these values for them.
fn text(lines: &str, count: usize, values: Option<&[i64]>) -> String {
    let (mut lines, mut symbols) = (lines.to_string(), String::new());
    for k in 0..count {
        symbols += &format!("  symbol s{k} in [0, 64]\n");
    }
    if let Some(values) = values {
        symbols.clear();
        // `s1` begins `s10`, too.
        for k in (0..count).rev() {
            lines = lines.replace(&format!("s{k}"), &values[k].to_string());
        }
    }
    format!("graph \"g\" {{\n{symbols}  {lines}\n}}\n")
}

fn inputs(graph: &litz::ir::Graph) -> Vec<Operand> {
    let mut random = Random(5);
    let one = |input: &litz::ir::Input| {
        let shape = graph.syms.as_consts(&graph.meta(input.value).shape).expect("the sizes are known");
        let strides = dense(&shape);
        let bytes = fill(Dtype::Float32, extent(&shape, &strides), Content::Small, &mut random);
        Operand { dtype: Dtype::Float32, shape, strides, bytes }
    };
    graph.inputs.iter().map(one).collect()
}

fn holds(program: &Program, backend: &str) {
    let runs = program.right.iter().chain(program.wrong);
    let count = runs.map(|values| values.len()).max().unwrap_or(0);
    let symbolic = text(program.lines, count, None);
    let compiled = check::read(&symbolic).and_then(|graph| check::compile(&graph, backend, &[]));
    for values in program.right {
        let known = text(program.lines, count, Some(values));
        let graph = check::read(&known).unwrap_or_else(|e| panic!("{e:?}\n{known}"));
        let operands = inputs(&graph);
        let alone = check::compile(&graph, "interpreter", &[]).unwrap_or_else(|e| panic!("{e:?}\n{known}"));
        let Answer::Gave(want) = check::run(&alone, &operands) else { panic!("not run:\n{known}") };
        let executable = compiled.as_ref().unwrap_or_else(|e| panic!("{backend}: {e:?}\n{symbolic}"));
        match check::run(executable, &operands) {
            Answer::Gave(got) => {
                let how = check::difference(&got, &want, false);
                assert!(how.is_none(), "{backend}: with {values:?}: {how:?}\n{symbolic}");
            }
            answer => panic!("{backend}: with {values:?}: {answer:?}\n{symbolic}"),
        }
    }
    for values in program.wrong {
        let Ok(executable) = &compiled else {
            assert!(
                matches!(compiled, Err(Answer::Refused(_))),
                "{backend}: not refused in words\n{symbolic}"
            );
            continue;
        };
        // The inputs' shapes, by a program that does nothing with them.
        let reads = |line: &&str| line.trim_start().starts_with("input");
        let only: Vec<&str> = program.lines.lines().filter(reads).collect();
        let graph =
            check::read(&text(&only.join("\n"), count, Some(values))).expect("inputs alone are a program");
        let answer = check::run(executable, &inputs(&graph));
        assert!(matches!(answer, Answer::Refused(_)), "{backend}: with {values:?}: {answer:?}\n{symbolic}");
    }
}

#[test]
fn programs_with_symbols_run_at_the_sizes_that_are_right() {
    check::note_panics();
    for program in PROGRAMS {
        for backend in ["interpreter", "cpu"] {
            holds(program, backend);
        }
    }
}

/// A copy that is written to, of a tensor that shows each of its elements many times, has elements of its own.
#[test]
fn copies_of_repeated_elements_are_written_to_apart() {
    check::note_panics();
    let repeated = "input %0 \"x\": float32[4, 3]\n  %1 = aten.unsqueeze.default(%0, 0)\n  \
                    %2 = aten.expand.default(%1, [3, 4, 3])\n  ";
    let writes = [
        "%3 = aten.slice.Tensor(%2, 0, 0, 1)\n  %4 = aten.mul.Scalar(%3, 2)\n  \
         %5 = aten.slice_scatter.default(%2, %4, 0, 0, 1)",
        "%3 = aten.select.int(%2, 0, 1)\n  %4 = aten.mul.Scalar(%3, 2)\n  \
         %5 = aten.select_scatter.default(%2, %4, 0, 1)",
        "%3 = aten.diagonal.default(%2)\n  %4 = aten.mul.Scalar(%3, 2)\n  \
         %5 = aten.diagonal_scatter.default(%2, %4)",
    ];
    for write in writes {
        let outputs = "\n  %6 = aten.sub.Tensor(%5, %2)\n  output \"y\" = %5\n  output \"z\" = %6";
        let text = text(&[repeated, write, outputs].concat(), 0, None);
        let graph = check::read(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        for backend in ["interpreter", "cpu"] {
            let program = check::compile(&graph, backend, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            let inputs = inputs(&graph);
            let Answer::Gave(got) = check::run(&program, &inputs) else {
                panic!("{backend}: not run:\n{text}")
            };
            let elements = |o: &Operand| -> Vec<f64> {
                let places = crate::common::guarded::places(&o.shape, &o.strides);
                places.iter().map(|p| number(o.dtype, &o.bytes[4 * p..4 * p + 4])).collect()
            };
            let (whole, written, x) = (elements(&got[0]), elements(&got[1]), elements(&inputs[0]));
            let once = (0..whole.len()).all(|k| whole[k] == x[k % x.len()] + written[k]);
            assert!(once && written.contains(&0.0), "{backend}: {whole:?}\n{text}");
        }
    }
}
