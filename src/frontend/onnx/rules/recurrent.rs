//! `RNN`, `GRU` and `LSTM`: PyTorch's operators where they mean the same, otherwise a cell for each step, in a loop where there are
//! many or a run decides how many.

use super::super::super::error::Result;
use super::super::call::{Cx, Results};
use super::super::control;
use super::super::entry::{At, Tensor};
use crate::ir::{Arg, Value};
use crate::types::{Dtype, SymInt};

/// Steps that a layer is unrolled to where PyTorch's operators do not mean the same; of more it is a loop.
const MOST_STEPS: i64 = 128;

struct Layer {
    /// Gates of a cell.
    gates: i64,
    /// Where in the weights PyTorch's gates stand, one after another.
    order: &'static [i64],
    activations: &'static [&'static str],
    operator: &'static str,
}

const RNN: Layer = Layer { gates: 1, order: &[0], activations: &["Tanh"], operator: "rnn_tanh.input" };
const RNN_OF_RELU: Layer = Layer { activations: &["Relu"], operator: "rnn_relu.input", ..RNN };
const GRU: Layer =
    Layer { gates: 3, order: &[1, 0, 2], activations: &["Sigmoid", "Tanh"], operator: "gru.input" };
const LSTM: Layer = Layer {
    gates: 4,
    order: &[0, 2, 3, 1],
    activations: &["Sigmoid", "Tanh", "Tanh"],
    operator: "lstm.input",
};

/// What one direction of a layer is given.
struct Direction {
    weight: Value,
    recurrent: Value,
    bias: Option<Value>,
    peephole: Option<Value>,
    hidden: Value,
    cell: Value,
    functions: Vec<Activation>,
}

#[derive(Clone)]
struct Activation {
    name: String,
    alpha: Option<f64>,
    beta: Option<f64>,
}

pub fn layer(cx: &mut Cx<'_, '_>) -> Results {
    let kind = match &cx.node.op_type[..] {
        "RNN" => RNN,
        "GRU" => GRU,
        _ => LSTM,
    };
    let is_lstm = kind.gates == 4;
    let mut x = cx.value(0)?;
    let by_batch = cx.flag("layout");
    if by_batch {
        x = cx.of("transpose.int($0, 0, 1)", &[x])?;
    }
    let direction = cx.string("direction", "forward")?;
    let count: usize = match &direction[..] {
        "forward" | "reverse" => 1,
        "bidirectional" => 2,
        other => return Err(cx.wrong(format!("the direction `{other}`"))),
    };
    let (weight, recurrent) = (cx.value(1)?, cx.value(2)?);
    let shape = cx.shape(x);
    let (Some(width), &[length, batch, _]) = (cx.shape(recurrent).get(2).copied(), &shape[..]) else {
        return Err(cx.wrong("its inputs are not of rank 3"));
    };
    let dtype = cx.dtype(x);
    let mut states = Vec::new();
    for k in [5, 6] {
        let given = if k == 6 && !is_lstm { None } else { cx.optional(k)? };
        states.push(match given {
            Some(state) if by_batch => cx.of("transpose.int($0, 0, 1)", &[state])?,
            Some(state) => state,
            None => {
                let sizes = vec![cx.syms.constant(count as i64), batch, width];
                cx.call("zeros($0, dtype=$1)", &[Arg::Ints(sizes), Arg::Dtype(dtype)])?
            }
        });
    }
    let lengths = cx.optional(4)?;
    let bias = cx.optional(3)?;
    let peephole = if is_lstm { cx.optional(7)? } else { None };
    let functions = functions(cx, &kind, count)?;
    let of_relu = kind.gates == 1 && functions.iter().all(|f| f.name == "Relu");
    let kind = if of_relu { RNN_OF_RELU } else { kind };
    let plain = functions.iter().zip(kind.activations.iter().cycle()).all(|(f, name)| f.name == *name)
        && lengths.is_none()
        && peephole.is_none()
        && cx.attribute("clip").is_none()
        && !cx.flag("input_forget")
        && (kind.gates != 3 || cx.flag("linear_before_reset"));
    let mut list = Vec::new();
    for k in 0..count {
        let at = |cx: &mut Cx<'_, '_>, v: Value| {
            let k = cx.int(k as i64);
            cx.call("select.int($0, 0, $1)", &[Arg::Value(v), k])
        };
        let per = kind.activations.len();
        list.push(Direction {
            weight: at(cx, weight)?,
            recurrent: at(cx, recurrent)?,
            bias: bias.map(|b| at(cx, b)).transpose()?,
            peephole: peephole.map(|p| at(cx, p)).transpose()?,
            hidden: at(cx, states[0])?,
            cell: at(cx, states[1])?,
            functions: functions[k * per..(k + 1) * per].to_vec(),
        });
    }
    let (mut outputs, mut hidden, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    for (k, own) in list.iter().enumerate() {
        let backwards = direction == "reverse" || k == 1;
        let (y, h, c) = match plain {
            true => whole(cx, &kind, own, x, backwards)?,
            false => steps(cx, &kind, own, (x, length, lengths), backwards)?,
        };
        outputs.push(Some(y));
        hidden.push(Some(h));
        cells.push(Some(c));
    }
    // `[length, directions, batch, width]`, or the batch first.
    let (dim, state) = if by_batch { (1, 1) } else { (1, 0) };
    let y = cx.call("stack($0, $1)", &[Arg::Values(outputs), cx.int(dim)])?;
    let y = if by_batch { cx.of("permute($0, [2, 0, 1, 3])", &[y])? } else { y };
    let mut results = vec![cx.entry(y)];
    for list in if is_lstm { vec![hidden, cells] } else { vec![hidden] } {
        let value = cx.call("stack($0, $1)", &[Arg::Values(list), cx.int(state)])?;
        results.push(cx.entry(value));
    }
    Ok(results)
}

/// The activations of all directions, with what they are given by.
fn functions(cx: &Cx<'_, '_>, kind: &Layer, count: usize) -> Result<Vec<Activation>> {
    let names: Vec<String> = match cx.attribute("activations") {
        Some(list) => list.strings.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect(),
        None => kind
            .activations
            .iter()
            .map(|s| s.to_string())
            .cycle()
            .take(count * kind.activations.len())
            .collect(),
    };
    if names.len() != count * kind.activations.len() {
        return Err(cx.wrong(format!("{} activations", names.len())));
    }
    let numbers = |name: &str| cx.attribute(name).map(|a| a.floats.clone()).unwrap_or_default();
    let (mut alphas, mut betas) =
        (numbers("activation_alpha").into_iter(), numbers("activation_beta").into_iter());
    let mut list = Vec::new();
    for name in names {
        // Each takes the next of the numbers that it has.
        let takes = |of: &[&str]| of.contains(&&name[..]);
        let alpha = if takes(&["LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu", "Affine", "ScaledTanh"])
        {
            alphas.next()
        } else {
            None
        };
        let beta = if takes(&["HardSigmoid", "Affine", "ScaledTanh"]) { betas.next() } else { None };
        list.push(Activation { name, alpha: alpha.map(f64::from), beta: beta.map(f64::from) });
    }
    Ok(list)
}

fn activated(cx: &mut Cx<'_, '_>, x: Value, f: &Activation) -> Result<Value> {
    let text = match &f.name[..] {
        "Sigmoid" => "sigmoid($0)",
        "Tanh" => "tanh($0)",
        "Relu" => "relu($0)",
        "Softsign" => "div($0, add(abs($0), 1))",
        "Softplus" => "softplus($0)",
        "LeakyRelu" => "leaky_relu($0, $1)",
        "ThresholdedRelu" => "threshold($0, $1, 0)",
        "Elu" => "elu($0, $1)",
        "HardSigmoid" => "clamp(add(mul($0, $1), $2), 0, 1)",
        "Affine" => "add(mul($0, $1), $2)",
        "ScaledTanh" => "mul(tanh(mul($0, $2)), $1)",
        other => return Err(cx.refuse(format!("the activation `{other}`"))),
    };
    let (alpha, beta) = match &f.name[..] {
        "LeakyRelu" => (0.01, 0.0),
        "HardSigmoid" => (0.2, 0.5),
        _ => (1.0, if f.name == "ScaledTanh" { 1.0 } else { 0.0 }),
    };
    let args = [Arg::Value(x), Arg::Float(f.alpha.unwrap_or(alpha)), Arg::Float(f.beta.unwrap_or(beta))];
    cx.call(text, &args)
}

/// By PyTorch's operator, whose gates stand in another order.
fn whole(
    cx: &mut Cx<'_, '_>,
    kind: &Layer,
    own: &Direction,
    x: Value,
    backwards: bool,
) -> Result<(Value, Value, Value)> {
    let mut params = Vec::new();
    let ordered = |cx: &mut Cx<'_, '_>, v: Value, first: i64| {
        let rows = cx.size(own.recurrent, 1)?;
        let mut parts = Vec::new();
        for k in kind.order {
            let start = cx.syms.mul_const(rows, first + k);
            let args = [Arg::Value(v), Arg::Int(start), Arg::Int(rows)];
            parts.push(Some(cx.call("narrow($0, 0, $1, $2)", &args)?));
        }
        cx.call("cat($0, 0)", &[Arg::Values(parts)])
    };
    params.push(Some(ordered(cx, own.weight, 0)?));
    params.push(Some(ordered(cx, own.recurrent, 0)?));
    if let Some(bias) = own.bias {
        params.push(Some(ordered(cx, bias, 0)?));
        params.push(Some(ordered(cx, bias, kind.gates)?));
    }
    let x = if backwards { cx.of("flip($0, [0])", &[x])? } else { x };
    let (h, c) = (cx.of("unsqueeze($0, 0)", &[own.hidden])?, cx.of("unsqueeze($0, 0)", &[own.cell])?);
    let first = if kind.gates == 4 { Arg::Values(vec![Some(h), Some(c)]) } else { Arg::Value(h) };
    let args = [Arg::Value(x), first, Arg::Values(params), Arg::Bool(own.bias.is_some())];
    let results =
        cx.calls(&format!("{}($0, $1, $2, $3, 1, 0.0, false, false, false)", kind.operator), &args)?;
    let mut y = results[0];
    if backwards {
        y = cx.of("flip($0, [0])", &[y])?;
    }
    let h = cx.of("select.int($0, 0, 0)", &[results[1]])?;
    let c = match results.get(2) {
        Some(c) => cx.of("select.int($0, 0, 0)", &[*c])?,
        None => h,
    };
    Ok((y, h, c))
}

/// Step by step. Behind the end of its sequence, an item keeps its state and gives zeros.
fn steps(
    cx: &mut Cx<'_, '_>,
    kind: &Layer,
    own: &Direction,
    (x, length, lengths): (Value, SymInt, Option<Value>),
    backwards: bool,
) -> Result<(Value, Value, Value)> {
    let lengths = match lengths {
        Some(lengths) => Some(cx.cast(lengths, Dtype::Int64)?),
        None => None,
    };
    let Some(count) = cx.syms.as_const(length).filter(|n| (1..=MOST_STEPS).contains(n)) else {
        return looped(cx, kind, own, (x, length, lengths), backwards);
    };
    let (mut h, mut c) = (own.hidden, own.cell);
    let mut outputs = vec![None; count as usize];
    for step in 0..count {
        let at = if backwards { count - 1 - step } else { step };
        let input = cx.call("select.int($0, 0, $1)", &[Arg::Value(x), cx.int(at)])?;
        let at_arg = cx.int(at);
        let shown;
        (shown, h, c) = one_step(cx, kind, own, input, (h, c), lengths.map(|lengths| (lengths, at_arg)))?;
        outputs[at as usize] = Some(shown);
    }
    let y = cx.call("stack($0, 0)", &[Arg::Values(outputs)])?;
    Ok((y, h, c))
}

/// The same as a loop, which writes each step's output to its place.
fn looped(
    cx: &mut Cx<'_, '_>,
    kind: &Layer,
    own: &Direction,
    (x, length, lengths): (Value, SymInt, Option<Value>),
    backwards: bool,
) -> Result<(Value, Value, Value)> {
    let level = cx.reader.frames.len() - 1;
    let mut shape = vec![length];
    shape.extend(cx.shape(own.hidden));
    let y = cx.call("zeros($0, dtype=$1)", &[Arg::Ints(shape), Arg::Dtype(cx.dtype(own.hidden))])?;
    let last = cx.syms.sub(length, cx.syms.constant(1));
    let results = control::counted(cx, length, vec![own.hidden, own.cell, y], |cx, given| {
        let mut around = |value: Value| {
            let at = At::Graph(level, value);
            cx.reader.value(&Tensor { at, known: None, narrow: None })
        };
        let x = around(x)?;
        let lengths = lengths.map(&mut around).transpose()?;
        let own = Direction {
            weight: around(own.weight)?,
            recurrent: around(own.recurrent)?,
            bias: own.bias.map(&mut around).transpose()?,
            peephole: own.peephole.map(&mut around).transpose()?,
            hidden: given[1],
            cell: given[2],
            functions: own.functions.clone(),
        };
        let at = match backwards {
            true => cx.call("rsub.Scalar($0, $1)", &[Arg::Value(given[0]), Arg::Int(last)])?,
            false => given[0],
        };
        let input = cx.of("index.Tensor($0, [$1])", &[x, at])?;
        let ends = lengths.map(|lengths| (lengths, Arg::Value(at)));
        let (shown, h, c) = one_step(cx, kind, &own, input, (own.hidden, own.cell), ends)?;
        Ok(vec![h, c, cx.of("index_put($0, [$1], $2)", &[given[3], at, shown])?])
    })?;
    Ok((results[2], results[0], results[1]))
}

/// The output, the hidden state and the cell after a step; `ends` has the lengths of the items' sequences, and the step's place.
fn one_step(
    cx: &mut Cx<'_, '_>,
    kind: &Layer,
    own: &Direction,
    input: Value,
    (h, c): (Value, Value),
    ends: Option<(Value, Arg)>,
) -> Result<(Value, Value, Value)> {
    let (next, cell) = match kind.gates {
        1 => (plain_cell(cx, own, input, h)?, c),
        3 => (gated_cell(cx, own, input, h)?, c),
        _ => long_cell(cx, own, input, h, c)?,
    };
    let Some((lengths, at)) = ends else { return Ok((next, next, cell)) };
    let on = cx.call("unsqueeze(gt($0, $1), 1)", &[Arg::Value(lengths), at])?;
    let shown = cx.of("where.self($0, $1, zeros_like($1))", &[on, next])?;
    Ok((
        shown,
        cx.of("where.self($0, $1, $2)", &[on, next, h])?,
        cx.of("where.self($0, $1, $2)", &[on, cell, c])?,
    ))
}

/// Part `k` of something that has one for each gate.
fn part(cx: &mut Cx<'_, '_>, own: &Direction, x: Value, dim: i64, k: i64) -> Result<Value> {
    let rows = cx.size(own.recurrent, 1)?;
    let args = [Arg::Value(x), cx.int(dim), Arg::Int(cx.syms.mul_const(rows, k)), Arg::Int(rows)];
    cx.call("narrow($0, $1, $2, $3)", &args)
}

/// `x @ w.T + b`, clipped where the node asks for it; `k` is the gate, `of` how many gates there are.
fn gate(cx: &mut Cx<'_, '_>, own: &Direction, input: Value, hidden: Value, k: i64, of: i64) -> Result<Value> {
    let (w, r) = (part(cx, own, own.weight, 0, k)?, part(cx, own, own.recurrent, 0, k)?);
    let (mut first, mut second) = (None, None);
    if let Some(bias) = own.bias {
        first = Some(part(cx, own, bias, 0, k)?);
        second = Some(part(cx, own, bias, 0, of + k)?);
    }
    let of_bias = |b: Option<Value>| b.map_or(Arg::None, Arg::Value);
    let args = [
        Arg::Value(input),
        Arg::Value(w),
        of_bias(first),
        Arg::Value(hidden),
        Arg::Value(r),
        of_bias(second),
    ];
    cx.call("add(linear($0, $1, $2), linear($3, $4, $5))", &args)
}

fn clipped(cx: &mut Cx<'_, '_>, x: Value) -> Result<Value> {
    match cx.attribute("clip").map(|a| a.f as f64) {
        None => Ok(x),
        Some(limit) => cx.call("clamp($0, $1, $2)", &[Arg::Value(x), Arg::Float(-limit), Arg::Float(limit)]),
    }
}

fn plain_cell(cx: &mut Cx<'_, '_>, own: &Direction, input: Value, h: Value) -> Result<Value> {
    let sum = gate(cx, own, input, h, 0, 1)?;
    let sum = clipped(cx, sum)?;
    activated(cx, sum, &own.functions[0])
}

/// Update, reset, and the new state.
fn gated_cell(cx: &mut Cx<'_, '_>, own: &Direction, input: Value, h: Value) -> Result<Value> {
    let mut gates = Vec::new();
    for k in [0, 1] {
        let sum = gate(cx, own, input, h, k, 3)?;
        let sum = clipped(cx, sum)?;
        gates.push(activated(cx, sum, &own.functions[0])?);
    }
    let (update, reset) = (gates[0], gates[1]);
    let sum = match cx.flag("linear_before_reset") {
        false => {
            let hidden = cx.of("mul($0, $1)", &[reset, h])?;
            gate(cx, own, input, hidden, 2, 3)?
        }
        true => {
            let (w, r) = (part(cx, own, own.weight, 0, 2)?, part(cx, own, own.recurrent, 0, 2)?);
            let (mut first, mut second) = (Arg::None, Arg::None);
            if let Some(bias) = own.bias {
                first = Arg::Value(part(cx, own, bias, 0, 2)?);
                second = Arg::Value(part(cx, own, bias, 0, 5)?);
            }
            let args = [input, w, h, r, reset].map(Arg::Value);
            let args = [&args[..], &[first, second]].concat();
            cx.call("add(linear($0, $1, $5), mul($4, linear($2, $3, $6)))", &args)?
        }
    };
    let sum = clipped(cx, sum)?;
    let new = activated(cx, sum, &own.functions[1])?;
    cx.of("add(mul(rsub.Scalar($0, 1), $1), mul($0, $2))", &[update, new, h])
}

/// Input, output and forget gates, and the new cell; peepholes show the gates the cell.
fn long_cell(
    cx: &mut Cx<'_, '_>,
    own: &Direction,
    input: Value,
    h: Value,
    c: Value,
) -> Result<(Value, Value)> {
    let sees = |cx: &mut Cx<'_, '_>, sum: Value, cell: Value, k: i64| match own.peephole {
        None => Ok(sum),
        Some(peephole) => {
            let weight = part(cx, own, peephole, 0, k)?;
            cx.of("add($0, mul($1, $2))", &[sum, weight, cell])
        }
    };
    let opened = |cx: &mut Cx<'_, '_>, k: i64, seen: Option<(Value, i64)>, f: usize| {
        let mut sum = gate(cx, own, input, h, k, 4)?;
        if let Some((cell, peephole)) = seen {
            sum = sees(cx, sum, cell, peephole)?;
        }
        let sum = clipped(cx, sum)?;
        activated(cx, sum, &own.functions[f])
    };
    let into = opened(cx, 0, Some((c, 0)), 0)?;
    let kept = match cx.flag("input_forget") {
        true => cx.of("rsub.Scalar($0, 1)", &[into])?,
        false => opened(cx, 2, Some((c, 2)), 0)?,
    };
    let new = opened(cx, 3, None, 1)?;
    let cell = cx.of("add(mul($0, $1), mul($2, $3))", &[kept, c, into, new])?;
    let out = opened(cx, 1, Some((cell, 1)), 0)?;
    let shown = activated(cx, cell, &own.functions[2])?;
    Ok((cx.of("mul($0, $1)", &[out, shown])?, cell))
}
