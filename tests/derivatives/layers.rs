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

/// Layers over two sequences of three steps of one number, whose weights of one hidden value are made of `%1`.
pub fn recurrences() -> impl Iterator<Item = String> {
    [
        ("lstm", 4, true, false),
        ("gru", 3, false, true),
        ("rnn_tanh", 1, true, true),
        ("rnn_relu", 1, false, false),
    ]
    .map(|(kind, gates, batch_first, both)| {
        let sides = if both { 2 } else { 1 };
        let mut text = format!(
            "%3 = aten.unsqueeze.default(%0, 2)\n  %4 = aten.transpose.int(%3, 0, {})\n  ",
            1 - i64::from(batch_first)
        );
        text += "%5 = aten.cat.default([%1, %1])\n  %6 = aten.reshape.default(%5, [12, 1])\n  ";
        text += "%7 = aten.slice.Tensor(%0, 1, 0, 2)\n  ";
        let state = if both { "[2, 2, 1]" } else { "[1, 2, 1]" };
        let states = if both { "%7" } else { "%8" };
        text += &format!(
            "%8 = aten.slice.Tensor(%7, 0, 0, 1)\n  %9 = aten.reshape.default({states}, {state})\n  "
        );
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
            "{results} = aten.{kind}.input(%4, {hx}, [{}], false, 1, 0.0, false, {both}, {batch_first})\n  ",
            params.join(", ")
        );
        text += &format!("%40 = aten.sum.default(%{last})\n  %2 = aten.add.Tensor(%{k}, %40)");
        text
    })
    .into_iter()
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
