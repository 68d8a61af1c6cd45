//! The optimizers: their hyper-parameters, and the formula of each, named by the class of `torch.optim` that it is of.
//!
//! Deliberately absent: what is done to gradients before, and around each update (`optimizer`).

use super::SessionError;
use super::optimizer::{Built, Hyper, Kind, Update};
use crate::ir::{Arg, Value};
use crate::types::Dtype;

/// The optimizers and their hyper-parameters, with PyTorch's usual values.
pub(super) const KINDS: &[Kind] = &[
    (
        "sgd",
        sgd,
        &[
            ("lr", 1e-3),
            ("momentum", 0.0),
            ("dampening", 0.0),
            ("weight_decay", 0.0),
            ("nesterov", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "adam",
        adam,
        &[
            ("lr", 1e-3),
            ("beta1", 0.9),
            ("beta2", 0.999),
            ("eps", 1e-8),
            ("weight_decay", 0.0),
            ("amsgrad", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "adamw",
        adamw,
        &[
            ("lr", 1e-3),
            ("beta1", 0.9),
            ("beta2", 0.999),
            ("eps", 1e-8),
            ("weight_decay", 1e-2),
            ("amsgrad", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "adagrad",
        adagrad,
        &[
            ("lr", 1e-2),
            ("lr_decay", 0.0),
            ("weight_decay", 0.0),
            ("initial_accumulator_value", 0.0),
            ("eps", 1e-10),
            ("maximize", 0.0),
        ],
    ),
    (
        "rmsprop",
        rmsprop,
        &[
            ("lr", 1e-2),
            ("alpha", 0.99),
            ("eps", 1e-8),
            ("weight_decay", 0.0),
            ("momentum", 0.0),
            ("centered", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "lion",
        lion,
        &[("lr", 1e-4), ("beta1", 0.9), ("beta2", 0.99), ("weight_decay", 0.0), ("maximize", 0.0)],
    ),
    (
        "adafactor",
        adafactor,
        &[
            ("lr", 1e-2),
            ("beta2_decay", -0.8),
            ("eps1", f64::NAN),
            ("eps2", 1e-3),
            ("d", 1.0),
            ("weight_decay", 0.0),
            ("maximize", 0.0),
        ],
    ),
    (
        "muon",
        muon,
        &[
            ("lr", 1e-3),
            ("weight_decay", 0.1),
            ("momentum", 0.95),
            ("nesterov", 1.0),
            ("ns_a", 3.4445),
            ("ns_b", -4.775),
            ("ns_c", 2.0315),
            ("eps", 1e-7),
            ("ns_steps", 5.0),
        ],
    ),
];

/// `torch.optim.SGD`.
fn sgd(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let mut direction = gradient;
    if !u.is_zero("momentum") {
        let buffer = u.state("momentum_buffer")?;
        let kept = u.scaled(buffer, "momentum")?;
        let rest = u.rest("dampening")?;
        let new = u.binary("mul", gradient, rest)?;
        let sum = u.add(kept, new)?;
        // The first step takes the gradient as it is.
        let first = u.call("aten.eq.Scalar", vec![Arg::Value(u.count), Arg::Float(1.0)])?;
        let sum =
            u.call("aten.where.self", vec![Arg::Value(first), Arg::Value(gradient), Arg::Value(sum)])?;
        let momentum = u.keep(buffer, sum)?;
        direction = match u.flag("nesterov")? {
            true => {
                let ahead = u.scaled(momentum, "momentum")?;
                u.add(gradient, ahead)?
            }
            false => momentum,
        };
    }
    let by = u.scaled(direction, "lr")?;
    u.sub(u.weight, by)
}

/// `torch.optim.Adam`: weight decay is part of the gradient.
fn adam(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let weight = u.weight;
    moments(u, weight, gradient)
}

/// `torch.optim.AdamW`: weight decay shrinks the parameter.
fn adamw(u: &mut Update<'_>) -> Built {
    let weight = u.shrunk()?;
    let gradient = u.gradient;
    moments(u, weight, gradient)
}

fn moments(u: &mut Update<'_>, weight: Value, gradient: Value) -> Built {
    let (first, second) = (u.state("exp_avg")?, u.state("exp_avg_sq")?);
    let mean = u.blend(first, gradient, "beta1")?;
    let mean = u.keep(first, mean)?;
    let square = u.mul(gradient, gradient)?;
    let mut spread = u.blend(second, square, "beta2")?;
    spread = u.keep(second, spread)?;
    if u.flag("amsgrad")? {
        let most = u.state("max_exp_avg_sq")?;
        let larger = u.call("aten.maximum.default", vec![Arg::Value(most), Arg::Value(spread)])?;
        spread = u.keep(most, larger)?;
    }
    let root = u.unary("sqrt", spread)?;
    let correction = u.correction("beta2")?;
    let correction = u.unary("sqrt", correction)?;
    let root = u.binary("div", root, Hyper::Tensor(correction))?;
    let eps = u.hyper("eps");
    let divisor = u.binary("add", root, eps)?;
    let correction = u.correction("beta1")?;
    let mean = u.binary("div", mean, Hyper::Tensor(correction))?;
    let direction = u.binary("div", mean, Hyper::Tensor(divisor))?;
    let by = u.scaled(direction, "lr")?;
    u.sub(weight, by)
}

/// `torch.optim.Adagrad`.
fn adagrad(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let first = u.number("initial_accumulator_value")?;
    let sum = u.state_from("sum", first)?;
    let square = u.mul(gradient, gradient)?;
    let total = u.add(sum, square)?;
    let total = u.keep(sum, total)?;
    let root = u.unary("sqrt", total)?;
    let eps = u.hyper("eps");
    let divisor = u.binary("add", root, eps)?;
    let direction = u.binary("div", gradient, Hyper::Tensor(divisor))?;
    let mut by = u.scaled(direction, "lr")?;
    if !u.is_zero("lr_decay") {
        let before = u.call("aten.sub.Scalar", vec![Arg::Value(u.count), Arg::Float(1.0)])?;
        let slowed = u.scaled(before, "lr_decay")?;
        let slowed = u.call("aten.add.Scalar", vec![Arg::Value(slowed), Arg::Float(1.0)])?;
        let slowed = u.cast(slowed, u.dtype)?;
        by = u.binary("div", by, Hyper::Tensor(slowed))?;
    }
    u.sub(u.weight, by)
}

/// `torch.optim.RMSprop`.
fn rmsprop(u: &mut Update<'_>) -> Built {
    let gradient = u.decayed()?;
    let average = u.state("square_avg")?;
    let square = u.mul(gradient, gradient)?;
    let mut spread = u.blend(average, square, "alpha")?;
    spread = u.keep(average, spread)?;
    if u.flag("centered")? {
        let center = u.state("grad_avg")?;
        let mean = u.blend(center, gradient, "alpha")?;
        let mean = u.keep(center, mean)?;
        let square = u.mul(mean, mean)?;
        spread = u.sub(spread, square)?;
    }
    let root = u.unary("sqrt", spread)?;
    let eps = u.hyper("eps");
    let divisor = u.binary("add", root, eps)?;
    let mut direction = u.binary("div", gradient, Hyper::Tensor(divisor))?;
    if !u.is_zero("momentum") {
        let buffer = u.state("momentum_buffer")?;
        let kept = u.scaled(buffer, "momentum")?;
        let sum = u.add(kept, direction)?;
        direction = u.keep(buffer, sum)?;
    }
    let by = u.scaled(direction, "lr")?;
    u.sub(u.weight, by)
}

/// Lion (Chen et al., 2023): the sign of a blend of momentum and gradient.
fn lion(u: &mut Update<'_>) -> Built {
    let weight = u.shrunk()?;
    let momentum = u.state("exp_avg")?;
    let blend = u.blend(momentum, u.gradient, "beta1")?;
    let direction = u.unary("sign", blend)?;
    let next = u.blend(momentum, u.gradient, "beta2")?;
    u.keep(momentum, next)?;
    let by = u.scaled(direction, "lr")?;
    u.sub(weight, by)
}

/// `torch.optim.Adafactor`: the squares' averages of a matrix are kept by rows and by columns.
fn adafactor(u: &mut Update<'_>) -> Built {
    let eps1 = match u.hyper("eps1") {
        Hyper::Number(n) if n.is_nan() => Hyper::Number(epsilon(u.graph.meta(u.parameter).dtype)),
        given => given,
    };
    let shape = u.graph.meta(u.weight).shape.clone();
    let rank = shape.len();
    let elements = u.graph.syms.as_const(u.graph.syms.product(&shape)).unwrap_or(1).max(1) as f64;
    let step = u.cast(u.count, u.dtype)?;
    let rest = match u.hyper("beta2_decay") {
        Hyper::Number(by) => u.call("aten.pow.Tensor_Scalar", vec![Arg::Value(step), Arg::Float(by)])?,
        Hyper::Tensor(by) => u.call("aten.pow.Tensor_Tensor", vec![Arg::Value(step), Arg::Value(by)])?,
    };
    let slowed = u.unary("rsqrt", step)?;
    let rho = match u.hyper("lr") {
        Hyper::Number(lr) => u.call("aten.clamp_max.default", vec![Arg::Value(slowed), Arg::Float(lr)])?,
        Hyper::Tensor(lr) => u.call("aten.minimum.default", vec![Arg::Value(slowed), Arg::Value(lr)])?,
    };
    let size = u.norm(u.weight)?;
    let size = u.binary("div", size, Hyper::Number(elements.sqrt()))?;
    let size = match u.hyper("eps2") {
        Hyper::Number(least) => {
            u.call("aten.clamp_min.default", vec![Arg::Value(size), Arg::Float(least)])?
        }
        Hyper::Tensor(least) => u.call("aten.maximum.default", vec![Arg::Value(size), Arg::Value(least)])?,
    };
    let alpha = u.mul(size, rho)?;
    let weight = u.shrunk()?;
    let square = u.mul(u.gradient, u.gradient)?;
    let spread = if rank > 1 {
        let mut parts = Vec::new();
        for (name, axis) in [("row_var", rank - 1), ("col_var", rank - 2)] {
            let mut sizes = shape.clone();
            sizes[axis] = u.graph.syms.constant(1);
            let state = u.state_of(name, sizes)?;
            let dims = Arg::Ints(vec![u.graph.syms.constant(axis as i64)]);
            let mean = u.call("aten.mean.dim", vec![Arg::Value(square), dims, Arg::Bool(true)])?;
            let average = u.lerp(state, mean, rest)?;
            parts.push(u.keep(state, average)?);
        }
        let product = u.mul(parts[0], parts[1])?;
        let dims = Arg::Ints(vec![u.graph.syms.constant(rank as i64 - 2)]);
        let mean = u.call("aten.mean.dim", vec![Arg::Value(parts[0]), dims, Arg::Bool(true)])?;
        let mean = u.at_least(mean, eps1)?;
        u.binary("div", product, Hyper::Tensor(mean))?
    } else {
        let state = u.state("variance")?;
        let average = u.lerp(state, square, rest)?;
        u.keep(state, average)?
    };
    let least = match eps1 {
        Hyper::Number(n) => Hyper::Number(n * n),
        Hyper::Tensor(n) => Hyper::Tensor(u.mul(n, n)?),
    };
    let spread = u.at_least(spread, least)?;
    let root = u.unary("rsqrt", spread)?;
    let direction = u.mul(root, u.gradient)?;
    let size = u.norm(direction)?;
    let by = u.hyper("d");
    let size = u.binary("div", size, Hyper::Number(elements.sqrt()))?;
    let size = u.binary("div", size, by)?;
    let size = u.at_least(size, Hyper::Number(1.0))?;
    let by = u.binary("div", alpha, Hyper::Tensor(size))?;
    let by = u.mul(direction, by)?;
    u.sub(weight, by)
}

/// `eps` of `torch.finfo`.
fn epsilon(dtype: Dtype) -> f64 {
    match dtype {
        Dtype::Float64 => f64::EPSILON,
        Dtype::Float16 => f64::from(half::f16::EPSILON.to_f32()),
        Dtype::Bfloat16 => f64::from(half::bf16::EPSILON.to_f32()),
        _ => f64::from(f32::EPSILON),
    }
}

/// `torch.optim.Muon`: the direction is made nearly orthogonal by Newton-Schulz steps in bfloat16. Of matrices alone.
fn muon(u: &mut Update<'_>) -> Built {
    let shape = u.graph.meta(u.weight).shape.clone();
    let Some([rows, columns]) = u.graph.syms.as_consts(&shape).and_then(|s| <[i64; 2]>::try_from(s).ok())
    else {
        let message = format!("muon updates matrices; `{}` has {} dimensions", u.name, shape.len());
        return Err(SessionError::invalid(message));
    };
    let [a, b, c, eps, steps] =
        [u.number("ns_a")?, u.number("ns_b")?, u.number("ns_c")?, u.number("eps")?, u.number("ns_steps")?];
    if !(0.0..100.0).contains(&steps) || steps.fract() != 0.0 {
        return Err(SessionError::invalid("muon's `ns_steps` is a whole number below 100"));
    }
    let buffer = u.state("momentum_buffer")?;
    let momentum = u.blend(buffer, u.gradient, "momentum")?;
    let momentum = u.keep(buffer, momentum)?;
    let ahead = match u.flag("nesterov")? {
        true => u.blend(momentum, u.gradient, "momentum")?,
        false => momentum,
    };
    let mut near = u.cast(ahead, Dtype::Bfloat16)?;
    let turned = rows > columns;
    if turned {
        near = u.unary("t", near)?;
    }
    let size = u.norm(near)?;
    let size = u.at_least(size, Hyper::Number(eps))?;
    near = u.binary("div", near, Hyper::Tensor(size))?;
    for _ in 0..steps as usize {
        let other = u.unary("t", near)?;
        let gram = u.call("aten.mm.default", vec![Arg::Value(near), Arg::Value(other)])?;
        let square = u.addmm(gram, gram, gram, b, c)?;
        near = u.addmm(near, square, near, a, 1.0)?;
    }
    if turned {
        near = u.unary("t", near)?;
    }
    let near = u.cast(near, u.dtype)?;
    let by = u.scaled(near, "lr")?;
    let by = u.binary("mul", by, Hyper::Number((rows as f64 / columns as f64).max(1.0).sqrt()))?;
    let weight = u.shrunk()?;
    u.sub(weight, by)
}
