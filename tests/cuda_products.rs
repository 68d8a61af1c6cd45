//! Matrix products on GPUs by the own templates: which of them a product takes, and that NVRTC takes what is written. No GPU
//! is needed; `tests/gpu/products.py` sees to the numbers.
#![cfg(feature = "cuda")]

mod common;

use common::graphs;
use litz::ir::{Arg, Graph, Value};
use litz::plan::{Plan, Step};
use litz::types::Dtype;

/// The plan of a graph over contiguous inputs.
fn plan_of(
    dtype: Dtype,
    arch: &str,
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Graph, &[Value]) -> Value,
) -> Plan {
    plan_with(dtype, arch, &[], shapes, build)
}

fn plan_with(
    dtype: Dtype,
    arch: &str,
    more: &[(&str, &str)],
    shapes: &[&[i64]],
    build: impl FnOnce(&mut Graph, &[Value]) -> Value,
) -> Plan {
    let graph = graphs::graph_of(dtype, shapes, |g, x| vec![build(g, x)]);
    let options: Vec<_> = [("artifact.vendor", "off")].iter().chain(more).copied().collect();
    graphs::plan(&graph, &graphs::cuda(arch, &options))
}

fn op(graph: &mut Graph, name: &str, args: &[Value]) -> Value {
    graphs::op(graph, name, args.iter().map(|v| Arg::Value(*v)).collect())
}

/// The product of two inputs, each as it lies or transposed.
fn product(transposed: [bool; 2]) -> impl FnOnce(&mut Graph, &[Value]) -> Value {
    move |g, x| {
        let sides = [0, 1].map(|k| if transposed[k] { op(g, "aten.t.default", &[x[k]]) } else { x[k] });
        op(g, "aten.mm.default", &sides)
    }
}

/// Of each kernel of a run: its name up to the digest, and how many tensor maps it takes.
fn kernels(plan: &Plan) -> Vec<(String, usize)> {
    let mut list = Vec::new();
    for step in &plan.main {
        if let Step::Kernel { kernel, maps, .. } = step {
            let symbol = &plan.kernels[kernel.0 as usize].symbol;
            let (name, _) = symbol.rsplit_once('_').unwrap();
            list.push((name.to_string(), maps.len()));
        }
    }
    list
}

fn one(name: &str, maps: usize) -> Vec<(String, usize)> {
    vec![(name.to_string(), maps)]
}

#[test]
fn the_copy_engine_feeds_products_whose_rows_it_can_reach() {
    let bf16 = Dtype::Bfloat16;
    let by_boxes =
        |dtype, shapes: [&[i64]; 2], transposed| kernels(&plan_of(dtype, "90", &shapes, product(transposed)));
    // Every layout, sizes that no tile divides, tiles that share k, and those that take turns. The third map is the result's,
    // where its rows, too, begin at multiples of 16 bytes.
    assert_eq!(by_boxes(bf16, [&[1000, 712], &[712, 1304]], [false, false]), one("litz_gemm", 3));
    assert_eq!(by_boxes(bf16, [&[712, 1000], &[1301, 712]], [true, true]), one("litz_gemm", 2));
    assert_eq!(by_boxes(Dtype::Float16, [&[77, 72], &[51, 72]], [false, true]), one("litz_gemm", 2));
    assert_eq!(by_boxes(bf16, [&[8192, 4096], &[4096, 8192]], [false, false]), one("litz_gemm", 3));
    assert_eq!(by_boxes(bf16, [&[1024, 3072], &[768, 3072]], [false, true]), one("litz_gemm", 3));
    assert_eq!(by_boxes(bf16, [&[2048, 256], &[2048, 256]], [false, true]), one("litz_gemm", 3));
    // Rows of 100 halves do not begin at multiples of 16 bytes; float32 has no such instructions.
    assert_eq!(by_boxes(bf16, [&[130, 100], &[70, 100]], [false, true]), one("litz_gemm", 0));
    assert_eq!(by_boxes(Dtype::Float32, [&[128, 64], &[64, 128]], [false, false]), one("litz_gemm", 0));
    // Other generations have neither engine nor wgmma, or not these.
    for arch in ["80", "100"] {
        let plan = plan_of(bf16, arch, &[&[1000, 712], &[712, 1304]], product([false, false]));
        assert_eq!(kernels(&plan), one("litz_gemm", 0));
    }
}

#[test]
fn float32_goes_to_tensor_cores_by_option() {
    let options = [("cuda.tf32", "true")];
    let rounded = |shapes: [&[i64]; 2], transposed| {
        let plan = plan_with(Dtype::Float32, "90", &options, &shapes, product(transposed));
        let maps = |s: &Step| if let Step::Kernel { maps, .. } = s { maps.clone() } else { Vec::new() };
        let maps: Vec<_> = plan.main.iter().flat_map(maps).collect();
        assert!(maps.iter().all(|m| m.tf32 && m.boxes[0] == 32));
        kernels(&plan)
    };
    assert_eq!(rounded([&[1000, 712], &[1304, 712]], [false, true]), one("litz_gemm", 2));
    assert_eq!(rounded([&[64, 4096], &[100, 4096]], [false, true]), one("litz_gemm", 2));
    // Tensor cores take float32 with neighbours in k alone, whose rows begin at multiples of 16 bytes.
    assert_eq!(rounded([&[1000, 712], &[712, 1304]], [false, false]), one("litz_gemm", 0));
    assert_eq!(rounded([&[1000, 710], &[1304, 710]], [false, true]), one("litz_gemm", 0));
    // Halves are not rounded.
    let half = plan_with(Dtype::Float16, "90", &options, &[&[64, 64], &[64, 64]], product([false, true]));
    let Step::Kernel { maps, .. } = &half.main[0] else { panic!("a kernel") };
    assert!(maps.len() == 3 && maps.iter().all(|m| !m.tf32));
}

#[test]
fn batches_are_dimensions_of_the_maps() {
    let batched =
        plan_of(Dtype::Bfloat16, "90", &[&[5, 200, 96], &[5, 96, 136]], |g, x| op(g, "aten.bmm.default", x));
    let Step::Kernel { maps, .. } = &batched.main[0] else { panic!("a kernel") };
    assert_eq!(maps.iter().map(|m| m.sizes.len()).collect::<Vec<_>>(), [3, 3, 3]);
    // What every batch reads the same of has no such dimension.
    let shared =
        plan_of(Dtype::Bfloat16, "90", &[&[72, 64], &[4, 64, 128]], |g, x| op(g, "aten.matmul.default", x));
    let ranks = |plan: &Plan| {
        plan.main
            .iter()
            .flat_map(|s| if let Step::Kernel { maps, .. } = s { maps.clone() } else { Vec::new() })
            .map(|m| m.sizes.len())
            .collect::<Vec<_>>()
    };
    assert!(ranks(&shared).contains(&2), "{:?}", ranks(&shared));
}

#[test]
fn products_of_few_rows_read_the_matrix_once() {
    for dtype in [Dtype::Bfloat16, Dtype::Float32] {
        for rows in [1, 2, 4] {
            let by_rows = plan_of(dtype, "90", &[&[rows, 4096], &[1000, 4096]], product([false, true]));
            assert_eq!(kernels(&by_rows), one("litz_gemv", 0), "{rows} rows");
        }
        let by_columns = plan_of(dtype, "90", &[&[1, 4096], &[4096, 16384]], product([false, false]));
        assert_eq!(kernels(&by_columns), one("litz_gemv", 0));
        // A product with a vector is a sum of each row, or of each column, which read the matrix once, too, and as fast: 134 MB
        // take 32.8 and 34.7 us on an H200, `litz_gemv` 32.5.
        let mv = |g: &mut Graph, x: &[Value]| op(g, "aten.mv.default", x);
        assert_eq!(kernels(&plan_of(dtype, "90", &[&[1003, 640], &[640]], mv)), one("litz_rows", 0));
        assert_eq!(kernels(&plan_of(dtype, "90", &[&[16384, 4096], &[4096]], mv)), one("litz_rows", 0));
        let transposed = plan_of(dtype, "90", &[&[4096, 16384], &[4096]], |g, x| {
            let turned = op(g, "aten.t.default", &x[..1]);
            op(g, "aten.mv.default", &[turned, x[1]])
        });
        assert_eq!(kernels(&transposed), one("litz_columns", 0));
    }
    let many = plan_of(Dtype::Bfloat16, "90", &[&[16, 4096], &[1000, 4096]], product([false, true]));
    assert_eq!(kernels(&many), one("litz_gemm", 2));
}

#[test]
fn epilogues_stay_in_the_product() {
    let shapes: [&[i64]; 4] = [&[700, 256], &[512, 256], &[512], &[700, 512]];
    let plan = plan_of(Dtype::Bfloat16, "90", &shapes, |g, x| {
        let product = op(g, "aten.linear.default", &x[..3]);
        let sum = op(g, "aten.add.Tensor", &[product, x[3]]);
        op(g, "aten.gelu.default", &[sum])
    });
    assert_eq!(kernels(&plan), one("litz_gemm", 2));
}
