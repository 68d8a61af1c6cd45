//! Connectionist temporal classification (Graves et al., 2006): the loss of all alignments of a target with a sequence, and its slope.
//!
//! A target of `n` labels becomes `2 n + 1` states: its labels with blanks around each. A turn of a loop computes the states of one step of
//! the sequence from those of the step before, for the whole batch.
//!
//! Invariants: what lies behind a target's length or a sequence's is never read as a label or a step.

use super::super::formula::Scope;
use super::repeat::{Turns, repeat};
use super::sampling::{checked, checked_by};
use super::{Built, Cx, MetaError, Results, v};
use crate::base::Status;
use crate::ir::{Arg, Value};
use crate::types::{Range, SymInt};

/// The lengths of a batch: a tensor, and the numbers where they are known.
struct Lengths {
    tensor: Value,
    known: Option<Vec<i64>>,
}

/// Of a batch, each at most `most`.
fn lengths(cx: &mut Cx<'_, '_>, k: usize, batch: SymInt, most: SymInt) -> Result<Lengths, MetaError> {
    if let Some(tensor) = cx.optional(k) {
        let (rank, dtype) = (cx.rank(tensor), cx.dtype(tensor));
        if rank > 1 || !dtype.is_integer() {
            return Err(cx.wrong(format!("lengths must be integers of one dimension, not {dtype} of {rank}")));
        }
        let syms = cx.b.graph.syms.clone();
        let count = cx.shape(tensor).first().copied().unwrap_or(syms.constant(1));
        if syms.decide(syms.eq(count, batch)) == Some(false) {
            let [count, batch] = [count, batch].map(|n| syms.display(n).to_string());
            return Err(cx.error(Status::Shape, format!("{count} lengths are given for a batch of {batch}")));
        }
        let tensor = cx.call("to.dtype(expand($0, [$1]), $2)", &[v(tensor), Arg::Int(batch), INT64])?;
        let message = "a length is negative, or more than there are steps or labels";
        let tensor = checked(cx, tensor, "ge.Scalar($0, 0)", message)?;
        let within = cx.call("le.Scalar($0, $1)", &[v(tensor), Arg::Int(most)])?;
        let tensor = checked_by(cx, tensor, within, message)?;
        return Ok(Lengths { tensor, known: None });
    }
    let syms = cx.b.graph.syms.clone();
    let known = cx.args[k].ints().and_then(|list| syms.as_consts(list));
    let known = known.ok_or_else(|| cx.error(Status::Unsupported, "lengths must be known, or a tensor"))?;
    if syms.as_const(batch).is_some_and(|n| n != known.len() as i64) {
        let message = format!("{} lengths are given for a batch of {}", known.len(), syms.display(batch));
        return Err(cx.error(Status::Shape, message));
    }
    if let Some(negative) = known.iter().find(|n| **n < 0) {
        return Err(cx.wrong(format!("the length {negative} is negative")));
    }
    let tensor = numbers(cx, &known)?;
    Ok(Lengths { tensor, known: Some(known) })
}

const INT64: Arg = Arg::Dtype(crate::types::Dtype::Int64);

/// Integers as a tensor.
fn numbers(cx: &mut Cx<'_, '_>, list: &[i64]) -> Built {
    if list.windows(2).all(|pair| pair[0] == pair[1]) {
        let args = [cx.int(list.len() as i64), cx.int(list.first().copied().unwrap_or(0))];
        return cx.call("full([$0], $1)", &args);
    }
    let mut each = Vec::new();
    for n in list {
        let args = [cx.ints(&[]), cx.int(*n)];
        each.push(Some(cx.call("full($0, $1)", &args)?));
    }
    cx.call("stack($0)", &[Arg::Values(each)])
}

/// The loss of a batch as its states.
struct States {
    log_probs: Value,
    /// `[batch]`.
    steps: Lengths,
    labels: Lengths,
    /// `[batch, labels]`: the targets, 0 behind their ends.
    targets: Value,
    blank: Arg,
    /// `[batch, states]`: the class of each state.
    classes: Value,
    /// `[batch, states]`: 0 where a state is reached from the one two before, too; else minus infinity.
    skips: Value,
    /// `[steps, batch, states]`: the logarithms of the states' classes.
    logarithms: Value,
    sizes: [SymInt; 4],
}

impl States {
    /// Of arguments from `first` on: logarithms of probabilities, targets, and their lengths; and the blank's class.
    /// `states`: how many there are, where a tensor of them is given.
    fn new(
        cx: &mut Cx<'_, '_>,
        first: usize,
        blank: usize,
        states: Option<SymInt>,
    ) -> Result<States, MetaError> {
        let (log_probs, targets) = (cx.value(first)?, cx.value(first + 1)?);
        let shape = cx.shape(log_probs);
        let [steps_most, batch, classes] = shape[..] else {
            let message = format!("`log_probs` must have 3 dimensions, not {}", shape.len());
            return Err(cx.error(Status::Shape, message));
        };
        let number = cx.known(blank)?;
        if number < 0 || cx.syms().as_const(classes).is_some_and(|n| number >= n) {
            let message = format!("the blank {number} is none of {} classes", cx.syms().display(classes));
            return Err(cx.wrong(message));
        }
        let steps = lengths(cx, first + 2, batch, steps_most)?;
        let labels_most = *cx.shape(targets).last().unwrap_or(&steps_most);
        let labels = lengths(cx, first + 3, batch, labels_most)?;
        if let (Some(most), Some(known)) = (cx.syms().as_const(steps_most), &steps.known)
            && let Some(long) = known.iter().find(|n| **n > most)
        {
            return Err(cx.wrong(format!("the input length {long} is more than the {most} steps")));
        }
        let (targets, most) = table(cx, targets, &labels, batch, states)?;
        let syms = cx.b.graph.syms.clone();
        let states = syms.add_const(syms.mul_const(most, 2), 1);
        let blank = cx.args[blank].clone();
        let sizes = [Arg::Int(batch), Arg::Int(syms.mul_const(most, 2)), Arg::Int(most)];
        let args = [
            v(targets),
            v(labels.tensor),
            blank.clone(),
            sizes[0].clone(),
            sizes[1].clone(),
            sizes[2].clone(),
        ];
        let targets = cx.call("mul($0, lt(arange($5), unsqueeze($1, 1)))", &args)?;
        let args = [&[v(targets)], &args[1..]].concat();
        let text = "constant_pad_nd(reshape(stack([full_like($0, $2), $0], 2), [$3, $4]), [0, 1], $2)";
        let classes_of = cx.call(text, &args)?;
        let before = cx.of("slice(constant_pad_nd($0, [2, 0], -1), 1, 0, -2)", &[classes_of])?;
        let skips = cx.of(
            "masked_fill.Scalar(zeros_like($0, dtype=#2), eq($0, $1), -inf)",
            &[classes_of, before, log_probs],
        )?;
        let sizes = [steps_most, batch, states, classes];
        let args = [v(log_probs), v(classes_of), Arg::Ints(sizes[..3].to_vec())];
        let logarithms = cx.call("gather($0, 2, expand(unsqueeze($1, 0), $2))", &args)?;
        Ok(States { log_probs, steps, labels, targets, blank, classes: classes_of, skips, logarithms, sizes })
    }

    /// Minus infinity in all states of a batch but one.
    fn only(&self, cx: &mut Cx<'_, '_>, state: Value) -> Built {
        let text = "masked_fill.Scalar(zeros_like($0), ne(arange($2), $1), -inf)";
        cx.call(text, &[v(self.skips), v(state), Arg::Int(self.sizes[2])])
    }
}

/// The targets as `[batch, labels]`, and how many labels that is: those of the longest, which `states` has if given.
fn table(
    cx: &mut Cx<'_, '_>,
    targets: Value,
    lengths: &Lengths,
    batch: SymInt,
    states: Option<SymInt>,
) -> Result<(Value, SymInt), MetaError> {
    let (shape, dtype) = (cx.shape(targets), cx.dtype(targets));
    if !dtype.is_integer() || shape.is_empty() || shape.len() > 2 {
        let message =
            format!("`targets` must be integers of one or two dimensions, not {dtype} of {}", shape.len());
        return Err(cx.wrong(message));
    }
    let syms = cx.b.graph.syms.clone();
    let targets = cx.cast(targets, crate::types::Dtype::Int64)?;
    let longest = lengths.known.as_ref().map(|known| known.iter().copied().max().unwrap_or(0));
    if let [_, have] = shape[..] {
        let most = longest.map_or(have, |n| syms.constant(n));
        if let (Some(longest), Some(have)) = (longest, syms.as_const(have))
            && longest > have
        {
            return Err(
                cx.wrong(format!("the target length {longest} is more than the {have} labels of a row"))
            );
        }
        if syms.decide(syms.eq(shape[0], batch)) == Some(false) {
            let [rows, batch] = [shape[0], batch].map(|n| syms.display(n).to_string());
            return Err(
                cx.error(Status::Shape, format!("{rows} rows of targets are given for a batch of {batch}"))
            );
        }
        let args = [v(targets), Arg::Int(most), Arg::Int(batch)];
        return Ok((cx.call("expand(slice($0, 1, 0, $1), [$2, $1])", &args)?, most));
    }
    let sum = lengths.known.as_ref().map(|known| known.iter().sum::<i64>());
    if let (Some(sum), Some(have)) = (sum, syms.as_const(shape[0]))
        && sum != have
    {
        return Err(cx.wrong(format!("the target lengths add up to {sum}, and there are {have} targets")));
    }
    let mut tensor = lengths.tensor;
    if sum.is_none() {
        let whole = cx.call("eq.Scalar(sum($0), $1)", &[v(tensor), Arg::Int(shape[0])])?;
        tensor = checked_by(cx, tensor, whole, "the target lengths do not add up to the number of targets")?;
    }
    let most = match (longest, states) {
        (Some(longest), _) => syms.constant(longest),
        (None, Some(states)) => syms.floordiv(states, syms.constant(2)),
        (None, None) => {
            let none = cx.ints(&[1]);
            let longest = cx.call("max(cat([$0, full($1, 0)]))", &[v(tensor), none])?;
            let symbol = cx.b.data_symbol(Range::size());
            cx.b.read_number(longest, symbol)?;
            symbol
        }
    };
    // Behind the last target there are as many zeros as a row may reach over.
    let text = "index(constant_pad_nd($0, [0, $2]), [add(unsqueeze(sub(cumsum($1, 0), $1), 1), arange($2))])";
    Ok((cx.call(text, &[v(targets), v(tensor), Arg::Int(most)])?, most))
}

/// `_ctc_loss` of targets that lie one behind another, whose lengths a run knows, as that of rows as long as the longest target.
pub fn of_line(cx: &mut Cx<'_, '_>) -> Results {
    let s = States::new(cx, 0, 4, None)?;
    cx.args[1] = v(s.targets);
    (cx.args[2], cx.args[3]) = (v(s.steps.tensor), v(s.labels.tensor));
    let args = cx.args.clone();
    cx.calls("_ctc_loss.Tensor($0, $1, $2, $3, $4, $5)", &args)
}

/// `litz.ctc_loss`: each loss, `[batch]`, and the logarithm of the states' probabilities, `[batch, steps, states]`.
pub fn loss(cx: &mut Cx<'_, '_>) -> Results {
    let s = States::new(cx, 0, 4, None)?;
    let zero = numbers(cx, &[0])?;
    let first = s.only(cx, zero)?;
    let all = cx.of("full_like($0, -inf)", &[s.logarithms])?;
    let turns = Turns {
        carried: &[first, all],
        given: &[v(s.logarithms), v(s.skips), Arg::Int(s.sizes[0])],
        goes_on: "lt.Scalar($0, $5)",
        steps: &[
            "logaddexp($1, slice(constant_pad_nd($1, [1, 0], -inf), 1, 0, -1))",
            "logaddexp($6, add(slice(constant_pad_nd($1, [2, 0], -inf), 1, 0, -2), $4))",
            "add($7, squeeze.dim(index_select($3, 0, unsqueeze($0, 0)), 0))",
            "index_put($2, [$0], $8)",
        ],
    };
    let all = repeat(cx, turns)?[1];
    // Row 0 has the states before the first step.
    let batch = Arg::Int(s.sizes[1]);
    let args = [v(first), v(all), v(s.steps.tensor), batch, v(s.labels.tensor)];
    let last = cx.call("index(cat([unsqueeze($0, 0), $1]), [$2, arange($3)])", &args)?;
    let args = [v(last), v(s.labels.tensor)];
    let blank = cx.call("gather($0, 1, unsqueeze(mul.Scalar($1, 2), 1))", &args)?;
    let label =
        cx.call("gather($0, 1, unsqueeze(clamp_min(sub.Scalar(mul.Scalar($1, 2), 1), 0), 1))", &args)?;
    let label = cx
        .call("masked_fill.Scalar($0, unsqueeze(eq.Scalar($1, 0), 1), -inf)", &[v(label), args[1].clone()])?;
    let loss = cx.of("squeeze.dim(neg(logaddexp($0, $1)), 1)", &[blank, label])?;
    Ok(vec![loss, cx.of("permute($0, [1, 0, 2])", &[all])?])
}

/// `_ctc_loss` with lengths that are numbers, as that with tensors.
pub fn of_lists(cx: &mut Cx<'_, '_>) -> Results {
    let s = States::new(cx, 0, 4, None)?;
    let args =
        [v(s.log_probs), v(s.targets), v(s.steps.tensor), v(s.labels.tensor), s.blank, cx.args[5].clone()];
    cx.calls("_ctc_loss.Tensor($0, $1, $2, $3, $4, $5)", &args)
}

/// `ctc_loss`: the losses, their sum, or the mean of each divided by its target's length.
pub fn reduced(cx: &mut Cx<'_, '_>) -> Results {
    let given = cx.value(0)?;
    let is_batched = cx.rank(given) != 2;
    if !is_batched {
        cx.args[0] = v(cx.of("unsqueeze($0, 1)", &[given])?);
    }
    let reduction = cx.known(5)?;
    let s = States::new(cx, 0, 4, None)?;
    let zero_infinity = cx.args[6].clone();
    let args = [v(s.log_probs), v(s.targets), v(s.steps.tensor), v(s.labels.tensor), s.blank, zero_infinity];
    let mut loss = cx.call("_ctc_loss.Tensor($0, $1, $2, $3, $4, $5)", &args)?;
    if cx.flag(6) {
        loss = cx.of("masked_fill.Scalar($0, eq.Scalar($0, inf), 0)", &[loss])?;
    }
    Ok(vec![match reduction {
        0 if is_batched => loss,
        0 => cx.of("squeeze.dim($0, 0)", &[loss])?,
        1 => cx.of("mean(div($0, clamp_min($1, 1)))", &[loss, s.labels.tensor])?,
        _ => cx.of("sum($0)", &[loss])?,
    }])
}

/// `_ctc_loss_backward`. As PyTorch's, the slope is that by the logits from which a softmax makes `log_probs`.
pub fn backward(cx: &mut Cx<'_, '_>) -> Results {
    let (grad, loss, alpha) = (cx.value(0)?, cx.value(5)?, cx.value(6)?);
    let states = cx.shape(alpha).get(2).copied();
    let s = States::new(cx, 1, 7, states)?;
    let [steps, batch, states, classes] = s.sizes;
    let syms = cx.b.graph.syms.clone();
    let end = cx.of("unsqueeze(mul.Scalar($0, 2), 1)", &[s.labels.tensor])?;
    let first = s.only(cx, end)?;
    let all = cx.of("full_like($0, -inf)", &[s.logarithms])?;
    let skips = cx.of("slice(constant_pad_nd($0, [0, 2], -inf), 1, 2)", &[s.skips])?;
    let last = Arg::Int(syms.add_const(steps, -1));
    let turns = Turns {
        carried: &[first, all],
        given: &[v(s.logarithms), v(skips), v(s.steps.tensor), Arg::Int(steps), last],
        goes_on: "lt.Scalar($0, $6)",
        steps: &[
            "rsub.Scalar($0, $7)",
            "logaddexp($1, slice(constant_pad_nd($1, [0, 1], -inf), 1, 1))",
            "logaddexp($9, add(slice(constant_pad_nd($1, [0, 2], -inf), 1, 2), $4))",
            "add($10, squeeze.dim(index_select($3, 0, unsqueeze($8, 0)), 0))",
            "where.self(unsqueeze(lt($8, $5), 1), $11, $1)",
            "index_put($2, [$0], $12)",
        ],
    };
    let beta = repeat(cx, turns)?[1];
    let args = [alpha, beta, s.logarithms, loss];
    // Both have the step's own logarithm.
    let parts =
        cx.of("exp(add(sub(add(permute($0, [1, 0, 2]), flip($1, [0])), $2), unsqueeze($3, 1)))", &args)?;
    let sizes = |list: &[SymInt]| Arg::Ints(list.to_vec());
    let args = [
        v(s.log_probs),
        v(s.classes),
        v(parts),
        sizes(&[steps, batch, states]),
        sizes(&[steps, batch, classes]),
    ];
    let occupied = cx.call("scatter_add(zeros($4, dtype=#0), 2, expand(unsqueeze($1, 0), $3), $2)", &args)?;
    // Without any alignment, and where a class is impossible, the slope is no number.
    let text = "mul(sub(exp($0), add($1, mul.Scalar(add($0, unsqueeze($2, 1)), 0))), unsqueeze($3, 1))";
    let slope = cx.of(text, &[s.log_probs, occupied, loss, grad])?;
    let args = [v(slope), v(s.steps.tensor), Arg::Int(steps)];
    let text = "masked_fill.Scalar($0, unsqueeze(ge(unsqueeze(arange($2), 1), $1), 2), 0)";
    let slope = cx.call(text, &args)?;
    if !cx.flag(8) {
        return Ok(vec![slope]);
    }
    Ok(vec![cx.of("masked_fill.Scalar($0, unsqueeze(eq.Scalar($1, inf), 1), 0)", &[slope, loss])?])
}
