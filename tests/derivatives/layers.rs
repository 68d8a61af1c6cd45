//! Slopes of recurrent layers, and of images sampled at places that move.

use super::compare;

#[test]
fn slopes_of_sampling_are_those_of_differences() {
    compare(samplings());
}

#[test]
fn slopes_of_recurrent_layers_are_those_of_differences() {
    compare(recurrences());
}

/// Layers over two sequences of three steps of one number, whose weights of one hidden value are made of `%1`; with the number of steps
/// known, and decided by data. And one that has two hidden values and shows a projection of them.
pub fn recurrences() -> impl Iterator<Item = String> {
    let layers = [
        ("lstm", 4, true, false),
        ("gru", 3, false, true),
        ("rnn_tanh", 1, true, true),
        ("rnn_relu", 1, false, false),
    ];
    let known = layers.map(|layer| recurrence(layer, false));
    let decided = layers.map(|layer| recurrence(layer, true));
    known.into_iter().chain(decided).chain([projected()])
}

fn projected() -> String {
    "%3 = aten.unsqueeze.default(%0, 2)\n  %5 = aten.cat.default([%1, %1])\n  %6 = aten.reshape.default(%5, [12, 1])\n  \
     %7 = aten.slice.Tensor(%6, 0, 0, 8)\n  %8 = aten.slice.Tensor(%6, 0, 3, 11)\n  %9 = aten.slice.Tensor(%5, 1, 0, 2)\n  \
     %10 = aten.slice.Tensor(%9, 0, 1, 2)\n  %11 = aten.slice.Tensor(%0, 1, 0, 2)\n  %12 = aten.reshape.default(%11, [1, 2, 2])\n  \
     %13 = aten.slice.Tensor(%12, 2, 0, 1)\n  \
     %14, %15, %16 = aten.lstm.input(%3, [%13, %12], [%7, %8, %10], false, 1, 0.0, false, false, true)\n  \
     %17 = aten.sum.default(%15)\n  %18 = aten.sum.default(%16)\n  %19 = aten.mul.Tensor(%17, %18)\n  %2 = aten.add.Tensor(%14, %19)"
        .to_string()
}

fn recurrence((kind, gates, batch_first, both): (&str, i64, bool, bool), decided: bool) -> String {
    let sides = if both { 2 } else { 1 };
    let mut text = format!(
        "%3 = aten.unsqueeze.default(%0, 2)\n  %4 = aten.transpose.int(%3, 0, {})\n  ",
        1 - i64::from(batch_first)
    );
    let mut sequence = "%4";
    if decided {
        text += "%50 = aten.full.default([3], 1.0)\n  %51 = aten.nonzero.default(%50)\n  %52 = aten.squeeze.dim(%51, 1)\n  ";
        text += &format!("%53 = aten.index_select.default(%4, {}, %52)\n  ", i64::from(batch_first));
        sequence = "%53";
    }
    text += "%5 = aten.cat.default([%1, %1])\n  %6 = aten.reshape.default(%5, [12, 1])\n  ";
    text += "%7 = aten.slice.Tensor(%0, 1, 0, 2)\n  ";
    let state = if both { "[2, 2, 1]" } else { "[1, 2, 1]" };
    let states = if both { "%7" } else { "%8" };
    text +=
        &format!("%8 = aten.slice.Tensor(%7, 0, 0, 1)\n  %9 = aten.reshape.default({states}, {state})\n  ");
    let (mut params, mut k) = (Vec::new(), 10);
    for side in 0..sides {
        for from in [0, 1] {
            let from = from + side;
            text += &format!("%{k} = aten.slice.Tensor(%6, 0, {from}, {})\n  ", from + gates);
            params.push(format!("%{k}"));
            k += 1;
        }
    }
    let hx = if kind == "lstm" { "[%9, %9]" } else { "%9" };
    let (results, last) = if kind == "lstm" {
        (format!("%{k}, %{}, %{}", k + 1, k + 2), k + 2)
    } else {
        (format!("%{k}, %{}", k + 1), k + 1)
    };
    text += &format!(
        "{results} = aten.{kind}.input({sequence}, {hx}, [{}], false, 1, 0.0, false, {both}, {batch_first})\n  ",
        params.join(", ")
    );
    text += &format!("%40 = aten.sum.default(%{last})\n  %2 = aten.add.Tensor(%{k}, %40)");
    text
}

/// Sampling `%3`, `%0` and `%1` as an image of two channels, at places that are made of `%1`.
pub fn samplings() -> impl Iterator<Item = String> {
    let flat = "%3 = aten.stack.default([%0, %1], 0)\n  %4 = aten.reshape.default(%3, [1, 2, 2, 3])\n  \
         %5 = aten.mul.Scalar(%1, 2.7)\n  %6 = aten.sub.Scalar(%5, 1.3)\n  %7 = aten.reshape.default(%6, [1, 1, 3, 2])\n  ";
    let flat = (0..18).map(move |k| {
        let (mode, padding, align) = (k % 3, k / 3 % 3, k / 9 == 0);
        format!("{flat}%2 = aten.grid_sampler_2d.default(%4, %7, {mode}, {padding}, {align})")
    });
    let solid = "%3 = aten.reshape.default(%0, [1, 1, 1, 2, 3])\n  %5 = aten.mul.Scalar(%1, 2.7)\n  \
         %6 = aten.sub.Scalar(%5, 1.3)\n  %7 = aten.reshape.default(%6, [1, 1, 1, 2, 3])\n  ";
    let solid = (0..4).map(move |k| {
        format!("{solid}%2 = aten.grid_sampler_3d.default(%3, %7, 0, {}, {})", k % 2, k / 2 == 0)
    });
    flat.chain(solid)
}
