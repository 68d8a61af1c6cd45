//! The results of the operators that PyTorch's `MultiheadAttention` and `TransformerEncoderLayer` call in inference.

use super::contraction::{made, same_dtype, same_size};
use crate::base::Status;
use crate::meta::{Infer, MetaError};
use crate::types::{SymInt, TensorMeta};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The result is `[batch, length, width]`. The weights are `[batch, length, length]` if they are averaged, otherwise `[batch, heads,
/// length, length]`, and `[0]` if they are not asked for.
pub fn native_multi_head_attention(cx: &mut Infer<'_>) -> Metas {
    let [batch, length, width] = operand(cx, "query", "num_head")?;
    for name in ["key", "value"] {
        let shape = cx.meta(name)?.shape.clone();
        if shape.len() != 3 {
            return Err(cx.error(Status::Shape, format!("`{name}` must have three dimensions")));
        }
        for (own, size) in shape.into_iter().zip([batch, length, width]) {
            same_size(cx, &format!("the sizes of `{name}` and the query"), own, size)?;
        }
    }
    let dtype =
        same_dtype(cx, &["query", "key", "value", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias"])?;
    let heads = cx.known_int("num_head")?;
    let weights = match (cx.bool("need_weights"), cx.bool("average_attn_weights")) {
        (false, _) => vec![cx.syms().constant(0)],
        (true, true) => vec![batch, length, length],
        (true, false) => vec![batch, cx.syms().constant(heads), length, length],
    };
    Ok(vec![made(cx, dtype, vec![batch, length, width]), made(cx, dtype, weights)])
}

/// One tensor like the source.
pub fn transformer_encoder_layer(cx: &mut Infer<'_>) -> Metas {
    let shape = operand(cx, "src", "num_heads")?.to_vec();
    let dtype = same_dtype(
        cx,
        &[
            "src",
            "qkv_weight",
            "proj_weight",
            "norm_weight_1",
            "norm_weight_2",
            "ffn_weight_1",
            "ffn_weight_2",
        ],
    )?;
    Ok(vec![made(cx, dtype, shape)])
}

/// The sizes of an operand, whose width must be `embed_dim`.
fn operand(cx: &mut Infer<'_>, name: &str, heads: &str) -> Result<[SymInt; 3], MetaError> {
    let meta = cx.meta(name)?.clone();
    let &[batch, length, width] = &meta.shape[..] else {
        return Err(
            cx.error(Status::Shape, format!("`{name}` must have three dimensions; it has {}", meta.rank()))
        );
    };
    if !meta.dtype.is_float() {
        return Err(cx.error(Status::Dtype, format!("`{name}` must be of floats, not {}", meta.dtype)));
    }
    let (all, heads) = (cx.known_int("embed_dim")?, cx.known_int(heads)?);
    if heads < 1 || all < heads || all % heads != 0 {
        return Err(cx.error(Status::Shape, format!("`embed_dim` {all} is no multiple of {heads} heads")));
    }
    let all = cx.syms().constant(all);
    same_size(cx, &format!("`embed_dim` and the last size of `{name}`"), all, width)?;
    Ok([batch, length, width])
}
