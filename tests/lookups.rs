//! Elements that are looked up among many, which are sorted first, beside the comparison of all pairs; and values that are put at
//! the places that a mask chooses, each its own.

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

#[test]
fn each_place_of_a_mask_has_its_value() {
    let text = |call: &str| {
        format!(
            "graph \"g\" {{\n  input %0 \"x\": float32[2, 3, 2]\n  input %1 \"mask\": bool[2, 3]\n  \
             input %2 \"values\": float32[4, 2]\n  %3 = {call}\n  output \"y\" = %3\n}}\n"
        )
    };
    let mask = |chosen: [u8; 6]| Tensor::from_bytes(Dtype::Bool, &[2, 3], &chosen).expect("memory");
    let x = tensor(Dtype::Float32, &[2, 3, 2], (0..12).map(f64::from));
    let values = tensor(Dtype::Float32, &[4, 2], (0..8).map(|k| f64::from(100 + k)));
    for backend in ["interpreter", "cpu"] {
        for accumulate in [false, true] {
            let call = text(&format!("aten.index_put.default(%0, [%1], %2, {accumulate})"));
            let program = program(&call, &[("backend", backend)]);
            let results =
                program.run_tensors(&[&x, &mask([1, 0, 1, 1, 0, 1]), &values]).expect("four are chosen");
            let mut want: Vec<f32> = (0..12).map(|k| k as f32).collect();
            for (row, place) in [0, 2, 3, 5].into_iter().enumerate() {
                for k in 0..2 {
                    let value = (100 + 2 * row + k) as f32;
                    want[2 * place + k] = if accumulate { want[2 * place + k] + value } else { value };
                }
            }
            let want: Vec<u8> = want.iter().flat_map(|v| v.to_le_bytes()).collect();
            assert_eq!(results[0].bytes(), want, "{backend}, {accumulate}");
            let other = program.run_tensors(&[&x, &mask([1, 0, 1, 1, 1, 1]), &values]);
            assert!(other.is_err(), "{backend}: five are chosen, and there are four values");
        }
    }
}
