//! Weights of 4 and 8 bits of products of few rows on a GPU: which stay in memory as codes, and that their copy in the order of lanes
//! holds the same weights. Needs no GPU; `tests/gpu/codes.py` sees to the numbers of kernels.

use litz::decompose::decompose;
use litz::functionalize::functionalize;
use litz::interp::run_program;
use litz::loop_passes::{self, lay_out_codes::codes_of};
use litz::loops::{NodeKind, Program, lower::lower};
use litz::meta::text::parse;
use litz::passes;
use litz::target::{CudaTarget, Target};
use litz::types::SymbolId;

mod common;

fn no_symbol(_: SymbolId) -> Option<i64> {
    None
}

/// A graph over `x` of these rows and depth, and the lines of its constants, numbered from 1, and of its nodes.
fn graph(rows: i64, depth: i64, lines: &str) -> String {
    format!("graph \"g\" {{\n  input %0 \"x\": bfloat16[{rows}, {depth}]\n{lines}\n}}")
}

/// Graphs with the bits of the codes that their products read; none: the weight is no codes.
fn cases() -> Vec<(&'static str, Option<i64>, String)> {
    let signed = "  constant %1 \"w\": int8[96, 256] = seeded 1 from -128 to 127\n  constant %2 \"s\": bfloat16[96, 1] = seeded 2 mean 0.1 spread 0.05\n";
    let unsigned = |n: i64, k: i64, scales: &str| {
        format!(
            "  constant %1 \"w\": uint8[{n}, {k}] = seeded 1 from 0 to 255\n  constant %2 \"s\": bfloat16{scales} = seeded 2 mean 0.1 spread 0.05\n"
        )
    };
    let scaled = "  %3 = aten._to_copy.default(%1, dtype=bfloat16)\n  %4 = aten.mul.Tensor(%3, %2)\n  %5 = aten.linear.default(%0, %4)\n  output \"y\" = %5";
    let tiles = "  constant %1 \"w\": int32[12, 2, 32, 4] = seeded 1 from -2147483648 to 2147483647\n  constant %2 \"s\": bfloat16[2, 96, 2] = seeded 2 mean 0.1 spread 0.05\n  %3 = aten._weight_int4pack_mm.default(%0, %1, 128, %2)\n  output \"y\" = %3";
    // Numbers of 4 bits less a zero point for each group, in integers.
    let grouped = |group: i64| {
        format!(
            "  %3 = aten.bitwise_and.Scalar(%1, 15)\n  %4 = aten._to_copy.default(%3, dtype=int32)\n  %5 = aten.sub.Tensor(%4, 7)\n  %6 = aten.reshape.default(%5, [100, {}, {group}])\n  %7 = aten._to_copy.default(%6, dtype=bfloat16)\n  %8 = aten.mul.Tensor(%7, %2)\n  %9 = aten.reshape.default(%8, [100, 96])\n  %10 = aten.linear.default(%0, %9)\n  output \"y\" = %10",
            96 / group
        )
    };
    // Two codes of a byte, less a zero point of their group.
    let stacked = [
        "  constant %1 \"w\": uint8[100, 48] = seeded 1 from 0 to 255",
        "  constant %2 \"s\": bfloat16[100, 3, 1] = seeded 2 mean 0.1 spread 0.05",
        "  constant %3 \"z\": uint8[100, 3, 1] = seeded 3 from 0 to 15",
        "  %4 = aten.bitwise_and.Scalar(%1, 15)",
        "  %5 = aten.bitwise_right_shift.Tensor_Scalar(%1, 4)",
        "  %6 = aten.stack.default([%4, %5], 2)",
        "  %7 = aten.reshape.default(%6, [100, 3, 32])",
        "  %8 = aten._to_copy.default(%7, dtype=bfloat16)",
        "  %9 = aten._to_copy.default(%3, dtype=bfloat16)",
        "  %10 = aten.sub.Tensor(%8, %9)",
        "  %11 = aten.mul.Tensor(%10, %2)",
        "  %12 = aten.reshape.default(%11, [100, 96])",
        "  %13 = aten.linear.default(%0, %12)",
        "  output \"y\" = %13",
    ]
    .join("\n");
    vec![
        (
            "int8",
            Some(8),
            graph(
                1,
                256,
                &format!(
                    "{signed}  %3 = aten.reshape.default(%2, [96])\n  %4 = aten._weight_int8pack_mm.default(%0, %1, %3)\n  output \"y\" = %4"
                ),
            ),
        ),
        ("int8 scaled", Some(8), graph(8, 256, &format!("{signed}{scaled}"))),
        ("uint8 scaled", Some(8), graph(2, 80, &(unsigned(60, 80, "[60, 1]") + scaled))),
        ("int4 of tensor cores", Some(4), graph(3, 256, tiles)),
        ("groups of 32", Some(4), graph(4, 96, &(unsigned(100, 96, "[100, 3, 1]") + &grouped(32)))),
        (
            "groups of 16, which a chunk has two of",
            None,
            graph(4, 96, &(unsigned(100, 96, "[100, 6, 1]") + &grouped(16))),
        ),
        ("two codes of a byte", Some(4), graph(5, 96, &stacked)),
        ("many rows", None, graph(9, 256, &format!("{signed}{scaled}"))),
        ("a depth of part of a chunk", None, graph(1, 72, &(unsigned(64, 72, "[64, 1]") + scaled))),
    ]
}

fn lowered(text: &str) -> (Program, Vec<Vec<u8>>) {
    let graph = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut graph = decompose(&functionalize(&graph).expect("pure")).expect("simple");
    passes::run(&mut graph).expect("passes");
    let constants = graph.constants.iter().map(|c| c.data.bytes().to_vec()).collect();
    (lower(&graph).expect("loops"), constants)
}

/// The bits of the codes that the program's one product reads.
fn bits(program: &Program) -> Option<i64> {
    let product = program.nodes.iter().find_map(|node| match &node.kind {
        NodeKind::Gemm { n, k, b, .. } => Some((*n, *k, *b)),
        _ => None,
    });
    let (n, k, b) = product.expect("a product");
    let syms = &program.syms;
    codes_of(program, [syms.index_var(1, n), syms.index_var(2, k)], b).map(|codes| codes.bits)
}

#[test]
fn codes_in_the_order_of_lanes_are_the_same_weights() {
    for (name, wanted, text) in cases() {
        let (mut program, constants) = lowered(&text);
        let size = program.buffers[program.inputs[0]]
            .sizes
            .iter()
            .map(|s| program.syms.as_const(*s).expect("known"));
        let count = size.product::<i64>();
        // Halves between 1 and 2.
        let x: Vec<u8> = (0..count).flat_map(|k| (0x3f80u16 + (k * 37 % 128) as u16).to_le_bytes()).collect();
        let given: Vec<&[u8]> = constants.iter().map(Vec::as_slice).collect();
        let run = |program: &Program| {
            run_program(program, &[&x], &given, &no_symbol).unwrap_or_else(|e| panic!("{name}: {e}")).0
        };
        let before = run(&program);
        for architecture in [75, 80] {
            let target = Target::Cuda(CudaTarget::generic(architecture));
            let mut program = program.clone();
            loop_passes::run(&mut program, &target, false).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(bits(&program), wanted.filter(|_| architecture >= 80), "{name}, {architecture}");
        }
        let target = Target::Cuda(CudaTarget::generic(90));
        let report = loop_passes::run_named(&mut program, "lay_out_codes", &target);
        report.expect("a pass").unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(bits(&program), wanted, "{name}");
        assert!(run(&program) == before, "{name}: other results");
    }
}

/// Two layers share what the places of their codes are made of.
#[test]
fn each_of_two_layers_reads_its_codes() {
    let layer = |k: i64| {
        format!(
            "  constant %{k} \"w{k}\": int32[12, 2, 32, 4] = seeded {k} from -2147483648 to 2147483647\n  constant %{} \"s{k}\": bfloat16[2, 96, 2] = seeded {k} mean 0.1 spread 0.05\n",
            k + 1
        )
    };
    let text = graph(
        1,
        256,
        &(layer(1)
            + &layer(3)
            + "  %5 = aten._weight_int4pack_mm.default(%0, %1, 128, %2)\n  %6 = aten._weight_int4pack_mm.default(%0, %3, 128, %4)\n  output \"y\" = %5\n  output \"z\" = %6"),
    );
    let (mut program, _) = lowered(&text);
    loop_passes::run(&mut program, &Target::Cuda(CudaTarget::generic(90)), false).expect("passes");
    let products = program.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::Gemm { n, k, b, .. } => {
            Some([*n, *k].into_iter().zip(1..).map(|(s, d)| program.syms.index_var(d, s)).collect::<Vec<_>>())
                .zip(Some(*b))
        }
        _ => None,
    });
    let coded = products.filter(|(vars, b)| codes_of(&program, [vars[0], vars[1]], *b).is_some()).count();
    assert_eq!(coded, 2);
}

/// A product of few rows reads its codes and is one kernel; nothing makes floats of them.
#[cfg(feature = "cuda")]
#[test]
fn a_product_of_few_rows_unpacks_its_codes() {
    use common::graphs;
    for (name, _, text) in cases().into_iter().filter(|case| case.1.is_some()) {
        let graph = parse(&text).expect("a graph");
        for architecture in ["80", "90"] {
            let options = graphs::cuda(architecture, &[("artifact.vendor", "off")]);
            let described = graphs::describe(&graph, &options);
            let kernels = described["kernels"].as_array().expect("kernels");
            let run: Vec<&str> = kernels
                .iter()
                .filter(|k| k["stage"] == "run")
                .map(|k| k["kind"].as_str().expect("a kind"))
                .collect();
            // The other one puts the codes in order, once.
            assert!(run == ["gemv"] && kernels.len() == 2, "{name}, {architecture}: {described:#}");
        }
    }
}
