//! Formulas of optimizers' steps over lists of parameters, in the order of PyTorch's kernels.
//!
//! Functional forms give the lists anew; those in place write them. With `found_inf`, nothing changes where it is 1.

use super::super::formula::Scope;
use super::{Built, Cx, MetaError, Results, v};
use crate::ir::{Arg, Value};

/// The learning rate, known or in a tensor.
fn times_rate(cx: &mut Cx<'_, '_>, value: Value, rate: &Arg) -> Built {
    let text = if rate.value().is_some() { "mul($0, $1)" } else { "mul.Scalar($0, $1)" };
    cx.call(text, &[v(value), rate.clone()])
}

/// The gradient that the step uses, negated with `maximize`, and the one that is stored. Both are divided by the scale.
fn gradient(
    cx: &mut Cx<'_, '_>,
    given: Value,
    maximize: bool,
    scale: Option<Value>,
) -> Result<(Value, Value), MetaError> {
    let kept = match scale {
        Some(scale) => {
            let own = cx.dtype(given);
            let scaled = cx.of("div($0, $1)", &[given, scale])?;
            cx.cast(scaled, own)?
        }
        None => given,
    };
    Ok((if maximize { cx.of("neg($0)", &[kept])? } else { kept }, kept))
}

/// Lists before a step and after it, one list for each argument that the step writes to.
struct Lists {
    before: Vec<Vec<Value>>,
    after: Vec<Vec<Value>>,
}

impl Lists {
    /// The results of the form that is called.
    fn results(mut self, cx: &mut Cx<'_, '_>, infinite: Option<Value>) -> Results {
        let stopped = match infinite {
            Some(found) => Some(cx.of("eq.Scalar($0, 1)", &[found])?),
            None => None,
        };
        let in_place = cx.name.contains("_.");
        for (before, after) in self.before.iter().zip(&mut self.after) {
            for (before, after) in before.iter().zip(after) {
                *after = cx.cast(*after, cx.dtype(*before))?;
                if let Some(stopped) = stopped {
                    *after = cx.of("where.self($0, $1, $2)", &[stopped, *before, *after])?;
                }
                if in_place && before != after {
                    cx.of("copy_($0, $1)", &[*before, *after])?;
                }
            }
        }
        Ok(if in_place { Vec::new() } else { self.after.into_iter().flatten().collect() })
    }
}

/// Lists of equal lengths, which may be empty from the second on where `optional` names them.
fn lists(cx: &Cx<'_, '_>, count: usize, optional: &[usize]) -> Result<Vec<Vec<Value>>, MetaError> {
    let lists: Vec<Vec<Value>> = (0..count).map(|k| cx.values(k)).collect();
    for (k, list) in lists.iter().enumerate() {
        if list.len() != lists[0].len() && !(optional.contains(&k) && list.is_empty()) {
            let message = format!("list {k} has {} tensors, not {}", list.len(), lists[0].len());
            return Err(cx.wrong(message));
        }
    }
    Ok(lists)
}

/// Adam's step; `adamw` takes the weights' decay apart from the gradient.
pub fn adam(cx: &mut Cx<'_, '_>) -> Results {
    let apart = cx.name.contains("adamw");
    let rate = cx.args[6].clone();
    let [first, second, decay, eps] = [cx.float(7)?, cx.float(8)?, cx.float(9)?, cx.float(10)?];
    let (largest, maximize) = (cx.flag(11), cx.flag(12));
    let (scale, infinite) = (cx.optional(13), cx.optional(14));
    let mut before = lists(cx, 6, if largest { &[] } else { &[4] })?;
    let steps = before.pop().unwrap_or_default();
    if !largest {
        // Given back as they are.
        before[4].clear();
    }
    let mut after = vec![Vec::new(); 5];
    for k in 0..before[0].len() {
        let [mut own, given, mean, square] = [0, 1, 2, 3].map(|list| before[list][k]);
        let (mut grad, kept) = gradient(cx, given, maximize, scale)?;
        if decay != 0.0 && apart {
            let lost = cx.call("mul.Scalar($0, $1)", &[v(own), Arg::Float(decay)])?;
            let lost = times_rate(cx, lost, &rate)?;
            own = cx.of("sub($0, $1)", &[own, lost])?;
        } else if decay != 0.0 {
            grad = cx.call("add($0, mul.Scalar($1, $2))", &[v(grad), v(own), Arg::Float(decay)])?;
        }
        let text = "add(mul.Scalar($0, $2), mul.Scalar($1, $3))";
        let mean = cx.call(text, &[v(mean), v(grad), Arg::Float(first), Arg::Float(1.0 - first)])?;
        let squared = cx.of("mul($0, $0)", &[grad])?;
        let square = cx.call(text, &[v(square), v(squared), Arg::Float(second), Arg::Float(1.0 - second)])?;
        let size = match largest {
            true => cx.of("maximum($0, $1)", &[before[4][k], square])?,
            false => square,
        };
        let text = "rsub.Scalar(pow.Scalar($0, $1), 1)";
        let of_mean = cx.call(text, &[Arg::Float(first), v(steps[k])])?;
        let of_square = cx.call(text, &[Arg::Float(second), v(steps[k])])?;
        let args = [v(size), v(of_square), Arg::Float(eps)];
        let size_of_step = cx.call("add.Scalar(div(sqrt($0), sqrt($1)), $2)", &args)?;
        let length = cx.of("reciprocal($0)", &[of_mean])?;
        let length = times_rate(cx, length, &rate)?;
        let own = cx.of("sub($0, mul(div($1, $2), $3))", &[own, mean, size_of_step, length])?;
        for (list, value) in after.iter_mut().zip([own, kept, mean, square]) {
            list.push(value);
        }
        if largest {
            after[4].push(size);
        }
    }
    let unchanged = if largest { Vec::new() } else { cx.values(4) };
    let in_place = cx.name.contains("_.");
    let mut results = Lists { before, after }.results(cx, infinite)?;
    if !in_place {
        results.extend(unchanged);
    }
    Ok(results)
}

/// Steps along the gradient, or along its moving sum.
pub fn sgd(cx: &mut Cx<'_, '_>) -> Results {
    let (decay, momentum, damping) = (cx.float(3)?, cx.float(4)?, cx.float(6)?);
    let rate = cx.args[5].clone();
    let (nesterov, maximize, is_first) = (cx.flag(7), cx.flag(8), cx.flag(9));
    let (scale, infinite) = (cx.optional(10), cx.optional(11));
    let before = lists(cx, 3, if momentum == 0.0 { &[2] } else { &[] })?;
    if momentum == 0.0 && !before[2].is_empty() {
        return Err(cx.wrong("`momentum_buffer_list` must be empty where `momentum` is 0".into()));
    }
    let mut after = vec![Vec::new(); 3];
    for k in 0..before[0].len() {
        let [own, given] = [0, 1].map(|list| before[list][k]);
        let (mut grad, kept) = gradient(cx, given, maximize, scale)?;
        if decay != 0.0 {
            grad = cx.call("add($0, mul.Scalar($1, $2))", &[v(grad), v(own), Arg::Float(decay)])?;
        }
        if momentum != 0.0 {
            let sum = match (is_first, before[2].get(k)) {
                (true, _) | (_, None) => grad,
                (false, Some(sum)) => {
                    let args = [v(*sum), v(grad), Arg::Float(momentum), Arg::Float(1.0 - damping)];
                    cx.call("add(mul.Scalar($0, $2), mul.Scalar($1, $3))", &args)?
                }
            };
            after[2].push(sum);
            grad = match nesterov {
                true => cx.call("add($0, mul.Scalar($1, $2))", &[v(grad), v(sum), Arg::Float(momentum)])?,
                false => sum,
            };
        }
        let moved = times_rate(cx, grad, &rate)?;
        let own = cx.of("sub($0, $1)", &[own, moved])?;
        after[0].push(own);
        after[1].push(kept);
    }
    Lists { before, after }.results(cx, infinite)
}

/// Steps along the gradient, divided by the root of the sum of all squares so far; the learning rate falls with the number of steps.
pub fn adagrad(cx: &mut Cx<'_, '_>) -> Results {
    let [falls, decay, eps] = [cx.float(5)?, cx.float(6)?, cx.float(7)?];
    let (rate, maximize) = (cx.args[4].clone(), cx.flag(8));
    let (scale, infinite) = (cx.optional(9), cx.optional(10));
    let mut before = lists(cx, 4, &[])?;
    let steps = before.pop().unwrap_or_default();
    let mut after = vec![Vec::new(); 3];
    for k in 0..before[0].len() {
        let [own, given, sum] = [0, 1, 2].map(|list| before[list][k]);
        let (mut grad, kept) = gradient(cx, given, maximize, scale)?;
        if decay != 0.0 {
            grad = cx.call("add($0, mul.Scalar($1, $2))", &[v(grad), v(own), Arg::Float(decay)])?;
        }
        let text = "reciprocal(add.Scalar(mul.Scalar(sub.Scalar($0, 1), $1), 1))";
        let wide = cx.dtype(own).compute();
        let step = cx.cast(steps[k], wide)?;
        let slower = cx.call(text, &[v(step), Arg::Float(falls)])?;
        let length = times_rate(cx, slower, &rate)?;
        let sum = cx.of("add($0, mul($1, $1))", &[sum, grad])?;
        let args = [v(own), v(grad), v(length), v(sum), Arg::Float(eps)];
        let own = cx.call("sub($0, div(mul($1, $2), add.Scalar(sqrt($3), $4)))", &args)?;
        for (list, value) in after.iter_mut().zip([own, kept, sum]) {
            list.push(value);
        }
    }
    let mut results = Lists { before, after }.results(cx, infinite)?;
    if cx.name.ends_with("adagrad.default") {
        results.extend(steps);
    }
    Ok(results)
}
