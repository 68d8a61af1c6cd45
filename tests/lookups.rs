//! Elements that are looked up among many, which are sorted first, beside the comparison of all pairs.

mod common;

use common::draws::program;
use litz::runtime::Tensor;
use litz::types::Dtype;

fn tensor(dtype: Dtype, shape: &[i64], values: impl Iterator<Item = f64>) -> Tensor {
    let bytes: Vec<u8> = values
        .flat_map(|v| match dtype {
            Dtype::Float32 => (v as f32).to_le_bytes().to_vec(),
            Dtype::Float16 => half::f16::from_f64(v).to_le_bytes().to_vec(),
            Dtype::Float64 => v.to_le_bytes().to_vec(),
            Dtype::Int64 => (v as i64).to_le_bytes().to_vec(),
            Dtype::Uint8 => (v as u8).to_le_bytes().to_vec(),
            other => unreachable!("{other}"),
        })
        .collect();
    Tensor::from_bytes(dtype, shape, &bytes).expect("memory")
}

/// Whole numbers, some of them more than once, and where the dtype has them zeros of both signs, infinities and NaN.
fn values(dtype: Dtype, count: i64, step: i64) -> impl Iterator<Item = f64> {
    let special = [f64::NAN, f64::INFINITY, -0.0, f64::NEG_INFINITY, 0.0];
    (0..count).map(move |k| match k % 11 {
        n @ 0..5 if dtype.is_float() => special[n as usize],
        _ => ((k * step) % 251) as f64,
    })
}

#[test]
fn what_stands_among_many_is_found() {
    let pairs = [
        (Dtype::Float32, Dtype::Float32),
        (Dtype::Float16, Dtype::Float16),
        (Dtype::Float64, Dtype::Int64),
        (Dtype::Int64, Dtype::Uint8),
        (Dtype::Uint8, Dtype::Float32),
    ];
    for (own, other) in pairs {
        for invert in [false, true] {
            let compared = if invert { "ne" } else { "eq" };
            let whole = if invert { "all" } else { "any" };
            let text = format!(
                "graph \"g\" {{\n  symbol n in [1, 4000]\n  input %0 \"x\": {own}[7, 60]\n  input %1 \"among\": {other}[n, 2]\n  \
                 %2 = aten.isin.Tensor_Tensor(%0, %1, invert={invert})\n  %3 = aten.unsqueeze.default(%0, -1)\n  \
                 %4 = aten.reshape.default(%1, [-1])\n  %5 = aten.{compared}.Tensor(%3, %4)\n  \
                 %6 = aten.{whole}.dim(%5, -1)\n  output \"y\" = %2\n  output \"want\" = %6\n}}\n"
            );
            for backend in ["interpreter", "cpu"] {
                let program = program(&text, &[("backend", backend)]);
                for count in [1, 3, 200] {
                    let x = tensor(own, &[7, 60], values(own, 420, 3));
                    let tests = [
                        tensor(other, &[count, 2], values(other, 2 * count, 5)),
                        // Nothing but NaN, where there is one.
                        tensor(other, &[count, 2], (0..2 * count).map(|_| f64::NAN)),
                    ];
                    for among in tests {
                        let results = program.run_tensors(&[&x, &among]).expect("it runs");
                        let what = format!("{own} among {count} of {other}, {backend}");
                        assert_eq!(results[0].bytes(), results[1].bytes(), "{what}");
                    }
                }
            }
        }
    }
}
