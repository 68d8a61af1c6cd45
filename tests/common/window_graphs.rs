//! Random graphs round windows: the largest, least or mean of those of images and volumes, of any side, stride, padding and
//! dilation, over what was computed and before what goes on from it. Rows are below, at and above a vector's width.

use super::programs::Case;
use super::random::Random;
use litz::types::Dtype;
use std::fmt::Write as _;

const DTYPES: [Dtype; 8] = {
    use Dtype::*;
    [Float32, Float64, Float32, Bfloat16, Float32, Float16, Float32, Int32]
};

/// Sides of windows, narrow ones mostly.
const SIDES: [i64; 8] = [1, 2, 2, 3, 3, 3, 4, 5];

/// The input is turned, so that the elements of a row lie apart.
const TURNED: usize = 1;

/// The graph of this number.
pub fn window_case(number: usize) -> Case {
    let dtype = DTYPES[number % DTYPES.len()];
    let mut random = Random(number as u64);
    let dims = if random.once_in(4) { 3 } else { 2 };
    let square = random.once_in(2);
    let one = random.of(&SIDES);
    let sides: Vec<i64> = (0..dims).map(|_| if square { one } else { random.of(&SIDES) }).collect();
    let strides: Vec<i64> = sides
        .iter()
        .map(|side| match random.below(3) {
            0 => *side,
            1 => 1,
            _ => random.within(1, 5),
        })
        .collect();
    let padding: Vec<i64> = sides.iter().map(|side| if random.once_in(2) { side / 2 } else { 0 }).collect();
    let largest = !dtype.is_float() || random.once_in(2);
    let dilation: Vec<i64> = sides.iter().map(|_| if largest && random.once_in(6) { 2 } else { 1 }).collect();
    let mut shape = vec![1, random.within(1, 4)];
    for k in 0..dims {
        let least = dilation[k] * (sides[k] - 1) + 1;
        // Sometimes more rows than a task has.
        let most = if k + 1 == dims || k == 0 && random.once_in(5) { 72 >> dims } else { 24 >> dims };
        shape.push(least + random.within(0, most));
    }
    let before = random.below(4);
    if before == TURNED {
        let n = shape.len();
        shape.swap(n - 1, n - 2);
    }
    let mut text = format!("graph \"windows\" {{\n  input %0 \"x\": {dtype}{shape:?}\n");
    let mut next = 0;
    let mut line = |text: &mut String, call: String| {
        next += 1;
        let _ = writeln!(text, "  %{next} = {call}");
        next
    };
    let x = match before {
        0 => line(&mut text, "aten.abs.default(%0)".to_string()),
        TURNED => line(&mut text, "aten.transpose.int(%0, -1, -2)".to_string()),
        _ => 0,
    };
    let ceil = random.once_in(4);
    let pool = |call: usize, x: i64, counted: bool| match call {
        0 => format!(
            "aten.max_pool{dims}d.default(%{x}, {sides:?}, {strides:?}, {padding:?}, {dilation:?}, {ceil})"
        ),
        _ => format!(
            "aten.avg_pool{dims}d.default(%{x}, {sides:?}, {strides:?}, {padding:?}, {ceil}, {counted})"
        ),
    };
    let call = usize::from(!largest);
    let counted = random.once_in(2);
    let mut results = vec![line(&mut text, pool(call, x, counted))];
    match random.below(4) {
        // Two kinds of windows over the same elements.
        0 if dtype.is_float() && dilation.iter().all(|d| *d == 1) => {
            results.push(line(&mut text, pool(1 - call, x, counted)));
        }
        1 => {
            let own = results[0];
            results.push(line(&mut text, format!("aten.neg.default(%{own})")));
        }
        2 => {
            results[0] = line(&mut text, format!("aten.square.default(%{})", results[0]));
        }
        _ => {}
    }
    for (k, value) in results.iter().enumerate() {
        let _ = writeln!(text, "  output \"y{k}\" = %{value}");
    }
    text.push_str("}\n");
    Case { text, dtype, inputs: vec![shape], results: Vec::new() }
}
