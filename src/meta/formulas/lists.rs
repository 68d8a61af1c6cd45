//! Operators on lists of tensors, `aten._foreach_…`: the operator on single tensors for each element.
//!
//! Deliberately absent: the order of additions in PyTorch's fused kernels for lists.

use super::super::coerce_by;
use super::super::formula;
use super::{Builder, Cx, MetaError, Results};
use crate::base::Status;
use crate::ir::Arg;
use crate::ops::{Form, parse_schema};

const PREFIX: &str = "aten._foreach_";

/// Operators of one kind: their words, the overload, the arguments, and the formula of an element. `~` stands for the word.
struct Kind {
    words: &'static str,
    overload: &'static str,
    arguments: &'static str,
    element: &'static str,
}

macro_rules! kinds {
    ($($words:literal $overload:literal $arguments:literal $element:literal;)*) => {
        const KINDS: &[Kind] =
            &[$(Kind { words: $words, overload: $overload, arguments: $arguments, element: $element },)*];
    };
}

kinds! {
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc max" "default" "Tensor[] self" "~($0)";
    "zero" "default" "Tensor[] self" "zeros_like($0)";
    "clone" "default" "Tensor[] self, *, MemoryFormat? memory_format=None" "clone($0, memory_format=$1)";
    "copy" "default" "Tensor[] self, Tensor[] src, bool non_blocking=False" "copy($0, $1)";
    "mm" "default" "Tensor[] self, Tensor[] mat2" "mm($0, $1)";
    "add sub" "List" "Tensor[] self, Tensor[] other, *, Scalar alpha=1" "~.Tensor($0, $1, alpha=$2)";
    "add" "Tensor" "Tensor[] self, Tensor other, *, Scalar alpha=1" "~.Tensor($0, $1, alpha=$2)";
    "mul div" "List" "Tensor[] self, Tensor[] other" "~.Tensor($0, $1)";
    "mul div" "Tensor" "Tensor[] self, Tensor other" "~.Tensor($0, $1)";
    "add sub mul div" "Scalar" "Tensor[] self, Scalar scalar" "~.Scalar($0, $1)";
    "add sub mul div" "ScalarList" "Tensor[] self, Scalar[] scalars" "~.Scalar($0, $1)";
    "clamp_max minimum" "List" "Tensor[] self, Tensor[] other" "minimum($0, $1)";
    "clamp_max minimum" "Scalar" "Tensor[] self, Scalar scalar" "clamp_max($0, $1)";
    "clamp_max minimum" "ScalarList" "Tensor[] self, Scalar[] scalars" "clamp_max($0, $1)";
    "clamp_min maximum" "List" "Tensor[] self, Tensor[] other" "maximum($0, $1)";
    "clamp_min maximum" "Scalar" "Tensor[] self, Scalar scalar" "clamp_min($0, $1)";
    "clamp_min maximum" "ScalarList" "Tensor[] self, Scalar[] scalars" "clamp_min($0, $1)";
    "pow" "List" "Tensor[] self, Tensor[] exponent" "pow.Tensor_Tensor($0, $1)";
    "pow" "Scalar" "Tensor[] self, Scalar exponent" "pow.Tensor_Scalar($0, $1)";
    "pow" "ScalarList" "Tensor[] self, Scalar[] exponent" "pow.Tensor_Scalar($0, $1)";
    "pow" "ScalarAndTensor" "Scalar self, Tensor[] exponent" "pow.Scalar($0, $1)";
    "lerp" "List" "Tensor[] self, Tensor[] tensors1, Tensor[] weights" "lerp.Tensor($0, $1, $2)";
    "lerp" "Scalar" "Tensor[] self, Tensor[] tensors1, Scalar weight" "lerp.Scalar($0, $1, $2)";
    "lerp" "ScalarList" "Tensor[] self, Tensor[] tensors1, Scalar[] weight" "lerp.Scalar($0, $1, $2)";
    "addcdiv addcmul" "Scalar" "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1" "~($0, $1, $2, value=$3)";
    "addcdiv addcmul" "ScalarList" "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars" "~($0, $1, $2, value=$3)";
    "addcdiv" "Tensor" "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars" "add($0, mul(div($1, $2), select.int($3, 0, $4)))";
    "addcmul" "Tensor" "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars" "add($0, mul(mul($1, $2), select.int($3, 0, $4)))";
    "norm" "Scalar" "Tensor[] self, Scalar ord=2, ScalarType? dtype=None" "linalg_vector_norm($0, $1, none, false, dtype=$2)";
    "powsum" "Scalar" "Tensor[] self, Scalar ord=2, ScalarType? dtype=None" "linalg__powsum($0, $1, none, false, dtype=$2)";
}

/// An operator on lists: its kind, its word, and whether it writes to its first list.
struct Found {
    kind: &'static Kind,
    word: &'static str,
    in_place: bool,
}

fn find(name: &str) -> Option<Found> {
    let name = name.strip_prefix("torch.ops.").unwrap_or(name).strip_prefix(PREFIX)?;
    let (word, overload) = name.split_once('.').unwrap_or((name, "default"));
    let (word, in_place) = word.strip_suffix('_').map_or((word, false), |word| (word, true));
    KINDS.iter().filter(|kind| kind.overload == overload).find_map(|kind| {
        let word = kind.words.split(' ').find(|known| *known == word)?;
        Some(Found { kind, word, in_place })
    })
}

pub(super) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// The argument for element `k`: an element of a list, or an argument that all elements share.
fn element(arg: &Arg, is_list: bool, k: usize) -> Option<Arg> {
    match arg {
        _ if !is_list => Some(arg.clone()),
        Arg::Values(list) => list.get(k).map(|value| value.map_or(Arg::None, Arg::Value)),
        Arg::Ints(list) => list.get(k).map(|n| Arg::Int(*n)),
        Arg::Floats(list) => list.get(k).map(|n| Arg::Float(*n)),
        Arg::Bools(list) => list.get(k).map(|n| Arg::Bool(*n)),
        _ => None,
    }
}

/// The results for all elements; none where the first list is written to.
pub(super) fn each(
    b: &mut Builder<'_>,
    name: &str,
    positional: Vec<Arg>,
    named: Vec<(String, Arg)>,
) -> Results {
    let at = "operators on lists of tensors";
    let Some(Found { kind, word, in_place }) = find(name) else {
        return Err(MetaError::new(Status::Unsupported, at, format!("there is no operator `{name}`")));
    };
    let wrong = |message: String| MetaError::new(Status::InvalidArgument, at, format!("{name}: {message}"));
    let schema = parse_schema(&format!("({}) -> Tensor[]", kind.arguments)).map_err(wrong)?;
    let args = coerce_by(b.graph, (at, &schema), Form::Functional, positional, named)
        .map_err(|e| wrong(e.into_fields().message))?;
    let lists: Vec<bool> = schema.args.iter().map(|arg| arg.ty.list).collect();
    let lengths = args.iter().zip(&lists).filter(|(_, is_list)| **is_list).map(|(arg, _)| match arg {
        Arg::Values(list) => list.len(),
        Arg::Ints(list) => list.len(),
        Arg::Floats(list) => list.len(),
        Arg::Bools(list) => list.len(),
        _ => 0,
    });
    let lengths: Vec<usize> = lengths.collect();
    let count = lengths.first().copied().unwrap_or(0);
    if lengths.iter().any(|length| *length != count) {
        return Err(wrong(format!("the lists have different lengths: {lengths:?}")));
    }
    let text = kind.element.replace('~', word);
    let mut results = Vec::with_capacity(count);
    for k in 0..count {
        let mut one = Vec::with_capacity(args.len() + 1);
        for (arg, is_list) in args.iter().zip(&lists) {
            one.push(element(arg, *is_list, k).ok_or_else(|| wrong(format!("element {k} is missing")))?);
        }
        // The place in the list, for formulas that need it.
        one.push(Arg::Int(b.graph.syms.constant(k as i64)));
        let mut cx = Cx { b, name: at, args: Vec::new() };
        let inside = |e: MetaError| {
            MetaError::new(e.status, at, format!("{name}: element {k}: {}: {}", e.op, e.message))
        };
        let made = formula::evaluate(&mut cx, &text, &one).map_err(inside)?[0];
        if let (true, Some(own)) = (in_place, one[0].value()) {
            cx.write(own, made).map_err(inside)?;
        } else {
            results.push(made);
        }
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::OpId;

    #[test]
    fn each_kind_is_found_and_its_arguments_parse() {
        for kind in KINDS {
            assert!(parse_schema(&format!("({}) -> Tensor[]", kind.arguments)).is_ok(), "{}", kind.arguments);
            for word in kind.words.split(' ') {
                for form in ["", "_"] {
                    let name = format!("{PREFIX}{word}{form}.{}", kind.overload);
                    assert!(find(&name).is_some_and(|found| found.in_place != form.is_empty()), "{name}");
                    assert_eq!(OpId::find(&name), None, "{name}");
                }
            }
        }
        assert!(!is_known("aten._foreach_nothing.List") && !is_known("aten.add.Tensor"));
        assert!(is_known("torch.ops.aten._foreach_sqrt"));
    }
}
