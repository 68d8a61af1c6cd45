//! PyTorch's attention for GPUs by the operators that Litz has kernels for.

use super::gradient::without_dropout;
use crate::decompose::{Decompose, DecomposeError};
use crate::ir::{Arg, Value};
use crate::meta::rules::SUMS_TOGETHER;
use crate::types::{Dtype, SymInt};

type Results = Result<Vec<Value>, DecomposeError>;
type Built = Result<Value, DecomposeError>;

/// Memory-efficient attention. Its results are the attention, the logarithms of the sums and a random state, which is zero without dropout.
pub fn efficient_attention(cx: &mut Decompose<'_>) -> Results {
    without_dropout(cx)?;
    let (query, key, value) = (cx.value("query")?, cx.value("key")?, cx.value("value")?);
    let args = [query, key, value].map(Arg::Value).to_vec();
    let named = ["attn_mask", "is_causal", "scale"].into_iter();
    let named = named.zip(["attn_bias", "is_causal", "scale"].map(|own| cx.arg(own).clone())).collect();
    let keeps_sums = cx.bool("compute_log_sumexp");
    let state = zeros(cx, Vec::new(), Dtype::Int64)?;
    // The operator with sums takes keys and values of one size alone.
    if cx.shape(key)[3] == cx.shape(value)[3] {
        let name = "aten._scaled_dot_product_flash_attention_for_cpu.default";
        let results = cx.call_all(name, args, named)?;
        let sums = if keeps_sums { padded_sums(cx, results[1])? } else { no_sums(cx, query)? };
        return Ok(vec![results[0], sums, state, state]);
    }
    if keeps_sums {
        return Err(cx.unsupported("sums of an attention whose keys and values differ in size"));
    }
    let out = cx.call_with("aten.scaled_dot_product_attention.default", args, named)?;
    Ok(vec![out, no_sums(cx, query)?, state, state])
}

fn zeros(cx: &mut Decompose<'_>, shape: Vec<SymInt>, dtype: Dtype) -> Built {
    cx.call_with("aten.zeros.default", vec![Arg::Ints(shape)], vec![("dtype", Arg::Dtype(dtype))])
}

fn no_sums(cx: &mut Decompose<'_>, query: Value) -> Built {
    let shape = cx.shape(query);
    let none = cx.constant(0);
    zeros(cx, vec![shape[0], shape[1], none], Dtype::Float32)
}

/// Pads the rows to a multiple of [`SUMS_TOGETHER`] with infinity, as PyTorch's kernel does.
fn padded_sums(cx: &mut Decompose<'_>, sums: Value) -> Built {
    let sums = cx.cast(sums, Dtype::Float32)?;
    let queries = cx.shape(sums)[2];
    let syms = cx.syms();
    let together = syms.constant(SUMS_TOGETHER);
    let missing = syms.sub(syms.mul(syms.ceildiv(queries, together), together), queries);
    let pad = Arg::Ints(vec![syms.constant(0), missing]);
    cx.call("aten.constant_pad_nd.default", vec![Arg::Value(sums), pad, Arg::Float(f64::INFINITY)])
}
