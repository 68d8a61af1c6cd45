//! Pointwise operators: broadcasting, type promotion, and PyTorch's layout of results.

use crate::base::Status;
use crate::ir::Arg;
use crate::meta::numbers::overflows;
use crate::meta::{Infer, MetaError, ScalarArg, elementwise_strides, ranked_type, result_type};
use crate::types::{Dtype, Scalar, SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// What the result's dtype follows from.
#[derive(Clone, Copy, PartialEq)]
pub enum Out {
    /// The operands' common dtype.
    Common,
    /// The common dtype, the default float where that is an integer.
    Float,
    Bool,
    Is(Dtype),
}

/// One result over the broadcast shape of these arguments (tensors, or numbers in their place).
pub fn elementwise(cx: &mut Infer<'_>, names: &[&str], out: Out) -> Result<TensorMeta, MetaError> {
    let args: Vec<&Arg> = names.iter().map(|n| cx.arg(n)).collect();
    let tensors: Vec<&TensorMeta> = args
        .iter()
        .filter_map(|a| match a {
            Arg::Value(v) => Some(cx.graph.meta(*v)),
            _ => None,
        })
        .collect();
    if let Some(meta) = tensors.iter().find(|t| !t.dtype.is_arithmetic() && !t.dtype.is_float8()) {
        return Err(cx.error(Status::Unsupported, format!("operands of dtype {}", meta.dtype)));
    }
    // Float8 numbers promote with nothing, and are converted to what the result is.
    let converted = matches!(out, Out::Is(_)) && tensors.iter().any(|t| t.dtype.is_float8());
    let common = match converted {
        true => Dtype::Float32,
        false => result_type(cx.graph, args.iter().copied()).map_err(|m| cx.error(Status::Dtype, m))?,
    };
    let dtype = match out {
        Out::Common => common,
        Out::Float if common.is_integral() => Dtype::Float32,
        Out::Float => common,
        Out::Bool => Dtype::Bool,
        Out::Is(dtype) => dtype,
    };
    let shapes: Vec<&[SymInt]> = tensors.iter().map(|t| &t.shape[..]).collect();
    let shape = broadcast(cx, &shapes)?;
    let strides = elementwise_strides(cx.syms(), &shape, &tensors);
    Ok(TensorMeta { dtype, shape, strides, offset: cx.syms().constant(0) })
}

/// Rules that differ only in which arguments take part and what dtype results.
macro_rules! elementwise_rules {
    ($($(#[$doc:meta])* $name:ident [$($arg:literal),*] $out:expr;)*) => {
        $($(#[$doc])* pub fn $name(cx: &mut Infer<'_>) -> Metas {
            Ok(vec![elementwise(cx, &[$($arg),*], $out)?])
        })*
    };
}

elementwise_rules! {
    /// Same shape and dtype as `self`.
    unary ["self"] Out::Common;
    unary_float ["self"] Out::Float;
    unary_bool ["self"] Out::Bool;
    /// `self` and `other` broadcast together and promoted.
    binary ["self", "other"] Out::Common;
    binary_float ["self", "other"] Out::Float;
    binary_bool ["self", "other"] Out::Bool;
    addc ["self", "tensor1", "tensor2"] Out::Common;
    special_of_x ["x"] Out::Float;
    special_polynomial ["x", "n"] Out::Float;
}

/// A product with a power of 2. A power of floats is contiguous in PyTorch, whatever their strides.
pub fn ldexp(cx: &mut Infer<'_>) -> Metas {
    let mut result = elementwise(cx, &["self", "other"], Out::Float)?;
    if let (Some(own), Some(other)) = (cx.optional_meta("self"), cx.optional_meta("other"))
        && !other.dtype.is_integral()
    {
        let syms = cx.syms();
        let power = TensorMeta::contiguous(syms, other.dtype, other.shape.clone());
        result.strides = elementwise_strides(syms, &result.shape, &[own, &power]);
    }
    Ok(vec![result])
}

/// The tensor itself. Refuses bools.
pub fn positive(cx: &mut Infer<'_>) -> Metas {
    unary_number(cx)?;
    Ok(vec![cx.meta("self")?.clone()])
}

/// A tensor of real numbers is its own conjugate.
pub fn conj_physical(cx: &mut Infer<'_>) -> Metas {
    let result = unary(cx)?;
    let own = cx.meta("self")?;
    Ok(if own.dtype.is_complex() { result } else { vec![own.clone()] })
}

/// Between `self` and `end`, which are of one dtype, as a tensor of weights is.
pub fn lerp(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    if own.is_integral() {
        return Err(cx.error(Status::Dtype, format!("takes floats and complex numbers, not {own}")));
    }
    let mut names = vec!["self", "end"];
    if cx.optional_meta("weight").is_some() {
        names.push("weight");
    }
    for name in &names {
        let other = cx.meta(name)?.dtype;
        if other != own {
            return Err(cx.error(Status::Dtype, format!("`{name}` is {other}, `self` is {own}")));
        }
    }
    Ok(vec![elementwise(cx, &names, Out::Common)?])
}

/// Powers in double precision.
pub fn float_power(cx: &mut Infer<'_>) -> Metas {
    let names = ["self", "exponent"];
    let complex = names.iter().any(|name| match cx.arg(name) {
        Arg::Value(v) => cx.graph.meta(*v).dtype.is_complex(),
        arg => matches!(arg, Arg::Complex(_)),
    });
    let dtype = if complex { Dtype::Complex128 } else { Dtype::Float64 };
    Ok(vec![elementwise(cx, &names, Out::Is(dtype))?])
}

/// `values` where `self` is zero; both of one dtype.
pub fn heaviside(cx: &mut Infer<'_>) -> Metas {
    let (own, values) = (cx.meta("self")?.dtype, cx.meta("values")?.dtype);
    if own != values {
        return Err(cx.error(Status::Dtype, format!("`self` is {own}, `values` is {values}")));
    }
    Ok(vec![elementwise(cx, &["self", "values"], Out::Common)?])
}

/// Equal but for a tolerance, which is not negative; both are of one dtype.
pub fn isclose(cx: &mut Infer<'_>) -> Metas {
    let (own, other) = (cx.meta("self")?.dtype, cx.meta("other")?.dtype);
    if own != other {
        return Err(cx.error(Status::Dtype, format!("`self` is {own}, `other` is {other}")));
    }
    for name in ["rtol", "atol"] {
        if matches!(cx.arg(name), Arg::Float(v) if *v < 0.0) {
            return Err(cx.error(Status::InvalidArgument, format!("`{name}` must not be negative")));
        }
    }
    binary_bool(cx)
}

fn is_bool(cx: &Infer<'_>, name: &str) -> bool {
    matches!(cx.arg(name), Arg::Value(v) if cx.graph.meta(*v).dtype == Dtype::Bool)
        || matches!(cx.arg(name), Arg::Bool(_))
}

/// `other` may be scaled by `alpha`.
pub fn add(cx: &mut Infer<'_>) -> Metas {
    let metas = binary(cx)?;
    factor_fits(cx, "alpha", metas[0].dtype)?;
    Ok(metas)
}

/// A factor is a number of the result's kind: no float beside integers, no bool beside numbers, none beyond its range.
pub fn factor_fits(cx: &Infer<'_>, name: &str, dtype: Dtype) -> Result<(), MetaError> {
    let message = match cx.scalar(name) {
        Some(ScalarArg::Known(Scalar::Float(_)) | ScalarArg::SymFloat(_)) if dtype.is_integral() => {
            format!("`{name}` must be an integer beside {dtype}")
        }
        Some(ScalarArg::Known(Scalar::Bool(_))) if dtype != Dtype::Bool => {
            format!("`{name}` is a bool beside {dtype}")
        }
        Some(ScalarArg::Known(number)) if overflows(number, dtype) => {
            format!("`{name}` is {}, which {dtype} cannot hold", number.as_f64())
        }
        _ => return Ok(()),
    };
    Err(cx.error(Status::Dtype, message))
}

/// `aten.sub` has no meaning for bools.
pub fn sub(cx: &mut Infer<'_>) -> Metas {
    no_bools(cx)?;
    add(cx)
}

/// `other - alpha * self`: [`sub`] with its operands exchanged. The strides follow `other`, the first one.
pub fn rsub(cx: &mut Infer<'_>) -> Metas {
    no_bools(cx)?;
    let meta = elementwise(cx, &["other", "self"], Out::Common)?;
    factor_fits(cx, "alpha", meta.dtype)?;
    Ok(vec![meta])
}

fn no_bools(cx: &Infer<'_>) -> Result<(), MetaError> {
    if is_bool(cx, "self") || is_bool(cx, "other") {
        return Err(cx.error(Status::Dtype, "bools are not subtracted; use logical_xor or logical_not"));
    }
    Ok(())
}

/// The angles of complex numbers are contiguous, as PyTorch's; those of real numbers lie as the operand.
pub fn angle(cx: &mut Infer<'_>) -> Metas {
    let complex = cx.meta("self")?.dtype.is_complex();
    let meta = unary_float(cx)?.remove(0);
    Ok(vec![if complex { TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape) } else { meta }])
}

/// Refuses bools.
pub fn unary_number(cx: &mut Infer<'_>) -> Metas {
    if is_bool(cx, "self") {
        return Err(cx.error(Status::Dtype, "a bool tensor has no such operation"));
    }
    unary(cx)
}

/// `self` and `weight` are floats of one dtype.
fn slopes(cx: &Infer<'_>) -> Result<(TensorMeta, TensorMeta), MetaError> {
    let (x, weight) = (cx.meta("self")?.clone(), cx.meta("weight")?.clone());
    if x.dtype != weight.dtype || !x.dtype.is_float() {
        let message =
            format!("`self` and `weight` must be floats of one dtype, not {} and {}", x.dtype, weight.dtype);
        return Err(cx.error(Status::Dtype, message));
    }
    Ok((x, weight))
}

/// Like `self`; the slopes of negative elements are one, or one for each channel (dimension 1).
pub fn prelu(cx: &mut Infer<'_>) -> Metas {
    let (x, weight) = slopes(cx)?;
    let syms = cx.syms();
    let one = syms.constant(1);
    if weight.rank() > 1 {
        return Err(cx.shape_error("`weight` must be a number or a vector"));
    }
    if weight.rank() == 1 && weight.shape[0] != one {
        let channels = match x.rank() {
            0 => return Err(cx.shape_error("`self` has no channels for the slopes of `weight`")),
            1 => one,
            _ => x.shape[1],
        };
        cx.require(syms.eq(weight.shape[0], channels), "`weight` must have one number for each channel")?;
    }
    unary(cx)
}

/// `self` with slopes that broadcast with it.
pub fn prelu_kernel(cx: &mut Infer<'_>) -> Metas {
    slopes(cx)?;
    Ok(vec![elementwise(cx, &["self", "weight"], Out::Common)?])
}

/// Refuses two bools.
pub fn binary_number(cx: &mut Infer<'_>) -> Metas {
    let metas = binary(cx)?;
    number(cx, &metas)?;
    Ok(metas)
}
fn number(cx: &Infer<'_>, metas: &[TensorMeta]) -> Result<(), MetaError> {
    if metas[0].dtype == Dtype::Bool {
        return Err(cx.error(Status::Dtype, "bools have no such operation"));
    }
    Ok(())
}

/// Takes floats alone.
pub fn unary_of_float(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    if own.is_integral() {
        return Err(cx.error(Status::Dtype, format!("takes floats, not {own}")));
    }
    unary(cx)
}

/// A power of 2: bools become int64, as they do in `aten.pow`.
pub fn square(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?.dtype;
    let dtype = if own == Dtype::Bool { Dtype::Int64 } else { own };
    Ok(vec![elementwise(cx, &["self"], Out::Is(dtype))?])
}

/// Refuses floats.
pub fn unary_integral(cx: &mut Infer<'_>) -> Metas {
    integral(cx, &["self"])?;
    unary(cx)
}
/// Refuses floats.
pub fn binary_integral(cx: &mut Infer<'_>) -> Metas {
    integral(cx, &["self", "other"])?;
    binary(cx)
}
fn integral(cx: &Infer<'_>, names: &[&str]) -> Result<(), MetaError> {
    let dtype =
        result_type(cx.graph, names.iter().map(|n| cx.arg(n))).map_err(|m| cx.error(Status::Dtype, m))?;
    if dtype.is_integral() {
        return Ok(());
    }
    Err(cx.error(Status::Dtype, format!("takes integers or bools, not {dtype}")))
}

/// The result of a division: a float for true division, the common dtype with a rounding mode.
pub fn div_mode(cx: &mut Infer<'_>) -> Metas {
    match cx.string("rounding_mode") {
        None => binary_float(cx),
        Some("trunc" | "floor") => binary_number(cx),
        Some(other) => {
            Err(cx.error(Status::InvalidArgument, format!("rounding_mode {other:?} is not trunc or floor")))
        }
    }
}

/// `aten.addcdiv` divides truly, which it does not do for integers.
pub fn addc_float(cx: &mut Infer<'_>) -> Metas {
    let meta = addc(cx)?;
    if cx.meta("tensor1")?.dtype.is_integral() && cx.meta("tensor2")?.dtype.is_integral() {
        return Err(cx.error(Status::Dtype, "integer division with addcdiv is not defined"));
    }
    Ok(meta)
}

/// Powers of numbers.
pub fn power(cx: &mut Infer<'_>) -> Metas {
    let metas = vec![elementwise(cx, &["self", "exponent"], Out::Common)?];
    number(cx, &metas)?;
    Ok(metas)
}

/// A number to the powers of a tensor. The result is contiguous, as PyTorch's.
pub fn power_of_number(cx: &mut Infer<'_>) -> Metas {
    let meta = power(cx)?.remove(0);
    Ok(vec![TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape)])
}

/// As [`power_of_number`], in double precision.
pub fn float_power_of_number(cx: &mut Infer<'_>) -> Metas {
    let meta = float_power(cx)?.remove(0);
    Ok(vec![TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape)])
}

/// Integers to negative powers known now are an error, as in PyTorch.
pub fn power_scalar(cx: &mut Infer<'_>) -> Metas {
    let meta = power(cx)?.remove(0);
    if let (true, Arg::Int(e)) = (meta.dtype.is_integral(), cx.arg("exponent"))
        && cx.syms().range(*e).max < 0
    {
        return Err(cx.error(Status::InvalidArgument, "integers to negative integer powers are not allowed"));
    }
    if let Some(ScalarArg::Known(exponent)) = cx.scalar("exponent")
        && (meta.dtype.is_integral() || meta.dtype.is_reduced_float())
        && overflows(exponent, meta.dtype)
    {
        let message = format!("`exponent` is {}, which {} cannot hold", exponent.as_f64(), meta.dtype);
        return Err(cx.error(Status::InvalidArgument, message));
    }
    Ok(vec![meta])
}

/// `self` or `other` where the bool (or uint8) `condition` says so.
pub fn where_rule(cx: &mut Infer<'_>) -> Metas {
    let condition = cx.meta("condition")?.dtype;
    if !matches!(condition, Dtype::Bool | Dtype::Uint8) {
        return Err(cx.error(Status::Dtype, format!("the condition must be bool, not {condition}")));
    }
    let dtype = elementwise(cx, &["self", "other"], Out::Common)?.dtype;
    for name in ["self", "other"] {
        if let Some(ScalarArg::Known(number)) = cx.scalar(name)
            && overflows(number, dtype.compute())
        {
            let message = format!("`{name}` is {}, which {dtype} cannot hold", number.as_f64());
            return Err(cx.error(Status::InvalidArgument, message));
        }
    }
    Ok(vec![elementwise(cx, &["condition", "self", "other"], Out::Is(dtype))?])
}

/// The dimensions that a multivariate gamma function may have: each is a term of its own.
const MOST_GAMMAS: i64 = 64;

/// A sum over a dimension that is added.
pub fn mvlgamma(cx: &mut Infer<'_>) -> Metas {
    let p = cx.known_int("p")?;
    if p < 1 {
        return Err(cx.error(Status::InvalidArgument, format!("a gamma function of {p} dimensions")));
    }
    if p > MOST_GAMMAS {
        let message = format!("a gamma function of {p} dimensions, more than {MOST_GAMMAS}");
        return Err(cx.error(Status::Unsupported, message));
    }
    let result = elementwise(cx, &["self"], Out::Float)?;
    Ok(vec![TensorMeta::contiguous(cx.syms(), result.dtype, result.shape)])
}

/// `self` with `value` where `mask` holds; dtype of `self`.
pub fn masked_fill(cx: &mut Infer<'_>) -> Metas {
    let (own, mask) = (cx.meta("self")?.dtype, cx.meta("mask")?.dtype);
    if mask != Dtype::Bool {
        return Err(cx.error(Status::Dtype, format!("the mask must be bool, not {mask}")));
    }
    cx.require_zero_dim("value")?;
    takes_value(cx, own)?;
    let filled = elementwise(cx, &["self", "mask"], Out::Is(own))?;
    Ok(vec![TensorMeta::contiguous(cx.syms(), own, filled.shape)])
}

/// `self`'s shape and dtype, filled from a 0-d `value` or with zeros.
pub fn filled(cx: &mut Infer<'_>) -> Metas {
    if cx.op.schema().arg("value").is_some() {
        cx.require_zero_dim("value")?;
    }
    let own = cx.meta("self")?.dtype;
    if cx.op.schema().arg("value").is_some() {
        takes_value(cx, own)?;
    }
    Ok(vec![elementwise(cx, &["self"], Out::Is(own))?])
}

/// Refuses to fill real numbers with a complex one.
fn takes_value(cx: &Infer<'_>, own: Dtype) -> Result<(), MetaError> {
    let is_complex = match cx.arg("value") {
        Arg::Complex([_, imaginary]) => *imaginary != 0.0,
        Arg::Value(value) => cx.graph.meta(*value).dtype.is_complex(),
        _ => false,
    };
    if is_complex && !own.is_complex() {
        return Err(cx.error(Status::Dtype, format!("a complex number can't fill a tensor of {own}")));
    }
    Ok(())
}

/// `src` broadcast to `self`, in `self`'s dtype.
pub fn copy(cx: &mut Infer<'_>) -> Metas {
    let own = cx.meta("self")?;
    let (dtype, shape) = (own.dtype, own.shape.clone());
    let source = cx.meta("src")?.shape.clone();
    let fitted = broadcast(cx, &[&shape, &source])?;
    if fitted.len() != shape.len() {
        return Err(cx.shape_error("the source has more dimensions than the target"));
    }
    for (k, (have, want)) in fitted.iter().zip(&shape).enumerate() {
        let message = format!("size {} of the source does not fit dimension {k}", cx.syms().display(*have));
        cx.require(cx.syms().eq(*have, *want), message)?;
    }
    Ok(vec![elementwise(cx, &["self"], Out::Is(dtype))?])
}

/// Checked here and gone: a dtype or a size that is known to differ is an error, one that may differ a guard.
pub fn assert_tensor_metadata(cx: &mut Infer<'_>) -> Metas {
    let meta = cx.meta("a")?;
    if let Some(want) = cx.dtype("dtype")
        && want != meta.dtype
    {
        return Err(cx.error(Status::Dtype, format!("the tensor has dtype {}, not {want}", meta.dtype)));
    }
    if let Some(sizes) = cx.optional_ints("size") {
        if sizes.len() != meta.rank() {
            return Err(cx.shape_error(format!(
                "the tensor has {} dimensions, not {}",
                meta.rank(),
                sizes.len()
            )));
        }
        for (have, want) in meta.shape.clone().into_iter().zip(sizes) {
            let message = format!("size {} is not {}", cx.syms().display(have), cx.syms().display(*want));
            cx.require(cx.syms().eq(have, *want), message)?;
        }
    }
    if let Some(strides) = cx.optional_ints("stride") {
        let text = |list: &[SymInt]| cx.syms().display_list(list);
        let message = format!("the tensor has strides {}, not {}", text(&meta.strides), text(strides));
        cx.require_sizes(&meta.strides, strides, None, &message)?;
    }
    Ok(Vec::new())
}

/// A condition on symbols becomes a guard.
pub fn assert_scalar(cx: &mut Infer<'_>) -> Metas {
    let message = cx.string("assert_msg").unwrap_or("assertion failed").to_string();
    match cx.arg("self") {
        Arg::Int(condition) => {
            let zero = cx.syms().constant(0);
            cx.require(cx.syms().ne(*condition, zero), message)?;
        }
        Arg::Bool(true) => {}
        Arg::Float(v) if *v != 0.0 => {}
        _ => return Err(cx.shape_error(message)),
    }
    Ok(Vec::new())
}

/// PyTorch's result dtype of tensors alone; see [`result_type`].
pub fn promote_tensors(cx: &Infer<'_>, tensors: &[&TensorMeta]) -> Result<Dtype, MetaError> {
    ranked_type(tensors.iter().map(|t| (usize::from(t.rank() == 0), t.dtype)))
        .map_err(|m| cx.error(Status::Dtype, m))
}

/// NumPy's broadcasting; sizes that only run time knows to be equal are guarded.
pub fn broadcast(cx: &mut Infer<'_>, shapes: &[&[SymInt]]) -> Result<Vec<SymInt>, MetaError> {
    let syms = cx.syms();
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let one = syms.constant(1);
    let mut result = vec![one; rank];
    for shape in shapes {
        for (k, size) in shape.iter().enumerate() {
            let place = rank - shape.len() + k;
            let have = result[place];
            if have == one {
                result[place] = *size;
            } else if *size != one && *size != have {
                let message = format!(
                    "sizes {} and {} of dimension {place} do not broadcast",
                    syms.display(have),
                    syms.display(*size)
                );
                cx.require(syms.eq(have, *size), message)?;
                if syms.as_const(*size).is_some() {
                    result[place] = *size;
                }
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use crate::ir::{Arg, Graph, Value};
    use crate::meta::{Builder, MetaError};
    use crate::types::{Dtype, Range, TensorMeta};

    fn tensor(graph: &mut Graph, dtype: Dtype, shape: &[i64]) -> Value {
        let shape = shape.iter().map(|s| graph.syms.constant(*s)).collect();
        let meta = TensorMeta::contiguous(&graph.syms, dtype, shape);
        let name = format!("x{}", graph.inputs.len());
        graph.add_input(&name, meta)
    }
    fn result(
        name: &str,
        dtypes: &[(Dtype, &[i64])],
        more: Vec<Arg>,
    ) -> Result<(Dtype, Vec<i64>), MetaError> {
        let mut graph = Graph::new("test");
        let args: Vec<Arg> = dtypes.iter().map(|(d, s)| Arg::Value(tensor(&mut graph, *d, s))).collect();
        let more = more.into_iter().map(|a| match a {
            // Written as floats and whole numbers; ints are made in the graph's arena.
            Arg::Str(s) => Arg::Int(graph.syms.constant(s.parse().unwrap_or(0))),
            other => other,
        });
        let args: Vec<Arg> = args.into_iter().chain(more).collect();
        let value = Builder::new(&mut graph).op(name, args)?;
        let meta = graph.meta(value);
        Ok((meta.dtype, graph.syms.as_consts(&meta.shape).unwrap_or_default()))
    }

    #[test]
    fn numbers_and_0d_tensors_rank_below_tensors() {
        use Dtype::*;
        let dtype = |name: &str, t: &[(Dtype, &[i64])], more: Vec<Arg>| result(name, t, more).unwrap().0;
        assert_eq!(dtype("aten.mul.Tensor", &[(Int32, &[2])], vec![Arg::Float(2.5)]), Float32);
        assert_eq!(dtype("aten.mul.Tensor", &[(Float16, &[2])], vec![Arg::Float(2.5)]), Float16);
        assert_eq!(dtype("aten.add.Tensor", &[(Int8, &[2]), (Int64, &[])], vec![]), Int8);
        assert_eq!(dtype("aten.add.Tensor", &[(Int8, &[2]), (Float64, &[])], vec![]), Float64);
        assert_eq!(dtype("aten.add.Tensor", &[(Uint8, &[2]), (Int8, &[2])], vec![]), Int16);
        assert_eq!(dtype("aten.add.Tensor", &[(Bool, &[2])], vec![Arg::Str("3".into())]), Int64);
        assert_eq!(dtype("aten.div.Tensor", &[(Int64, &[2]), (Int64, &[2])], vec![]), Float32);
        assert_eq!(dtype("aten.exp", &[(Bool, &[2])], vec![]), Float32);
        assert_eq!(dtype("aten.eq.Scalar", &[(Float16, &[2])], vec![Arg::Float(1.0)]), Bool);
        assert_eq!(dtype("aten.sum", &[(Bool, &[2])], vec![]), Int64);
        assert_eq!(dtype("aten.where.self", &[(Bool, &[2]), (Int32, &[2]), (Float16, &[])], vec![]), Float16);
    }

    #[test]
    fn shapes_broadcast_or_are_refused() {
        use Dtype::Float32;
        let ok = result("aten.add.Tensor", &[(Float32, &[3, 1]), (Float32, &[4])], vec![]).unwrap();
        assert_eq!(ok.1, [3, 4]);
        let bad = result("aten.add.Tensor", &[(Float32, &[3]), (Float32, &[4])], vec![]).unwrap_err();
        assert!(bad.message.contains("do not broadcast"), "{bad}");
    }

    #[test]
    fn sizes_that_may_differ_are_guarded() {
        let mut graph = Graph::new("test");
        let (a, b) = (
            graph.syms.symbol("a", Range::new(2, 100), None),
            graph.syms.symbol("b", Range::new(2, 100), None),
        );
        let (x, y) = (
            TensorMeta::contiguous(&graph.syms, Dtype::Float32, vec![a]),
            TensorMeta::contiguous(&graph.syms, Dtype::Float32, vec![b]),
        );
        let (x, y) = (graph.add_input("x", x), graph.add_input("y", y));
        Builder::new(&mut graph).op("aten.add.Tensor", vec![Arg::Value(x), Arg::Value(y)]).unwrap();
        assert_eq!(graph.guards.len(), 1);
    }
}
