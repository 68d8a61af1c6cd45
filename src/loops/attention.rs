//! The operands and results of attention and of its gradient.

use super::{BufferId, ExprId};
use crate::types::{SymArena, SymInt};

/// `out[b, h, q, :] = softmax over k of (scale * query·key + mask) · value`, softmax in float32 or float64. A query
/// whose scores are all minus infinity gives zeros, or NaN where `empty_is_nan`; one without keys gives zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct Attention {
    pub batch: SymInt,
    pub heads: SymInt,
    /// Key/value heads; head `h` uses `h / (heads / kv_heads)`.
    pub kv_heads: SymInt,
    pub queries: SymInt,
    pub keys: SymInt,
    pub head_size: SymInt,
    pub value_size: SymInt,
    /// Over variables `[batch, heads, queries, head_size]`.
    pub query: ExprId,
    /// Over `[batch, kv_heads, keys, head_size]`.
    pub key: ExprId,
    /// Over `[batch, kv_heads, keys, value_size]`.
    pub value: ExprId,
    /// Over `[batch, heads, queries, keys]`: a bool (false: not attended) or a number added to the score.
    pub mask: Option<ExprId>,
    /// What becomes of a score, scaled already, before the softmax; never together with a mask.
    pub score: Option<Score>,
    /// Keys outside it have no part in a query's softmax; on a CPU it is everything, or causal.
    pub band: Band,
    pub scale: f64,
    pub empty_is_nan: bool,
    /// The index in `out` of the result at `[batch, heads, queries, value_size]`.
    pub place: Vec<SymInt>,
    pub out: BufferId,
    /// `[batch, heads, queries]`, float32, or float64 for such operands: the logarithm of the sum of the exponentials of
    /// a query's scores; 0 for a query that attends nothing.
    pub log_sum: Option<BufferId>,
}

/// The gradients of an [`Attention`] without a `score`. With `P = exp(scale * query·key + mask - log_sum)`, zero outside
/// the band, and `D = scale * P * (grad·value - mean)`:
///
/// - `grad_query[b, h, q, :] = sum over k of D · key`;
/// - `grad_key[b, g, k, :] = sum over the heads of g and over q of D · query`;
/// - `grad_value[b, g, k, :] = sum over the heads of g and over q of P · grad`.
///
/// The results have the operands' dtype in memory, which may be a half: `P` and `D` are then rounded to it before the
/// products, as by PyTorch's kernels. Sums are in float32, or in float64 for such operands; a result is rounded once.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionBackward {
    pub batch: SymInt,
    pub heads: SymInt,
    /// Key/value heads; head `h` uses `h / (heads / kv_heads)`.
    pub kv_heads: SymInt,
    pub queries: SymInt,
    pub keys: SymInt,
    pub head_size: SymInt,
    pub value_size: SymInt,
    /// Over variables `[batch, heads, queries, head_size]`.
    pub query: ExprId,
    /// Over `[batch, kv_heads, keys, head_size]`.
    pub key: ExprId,
    /// Over `[batch, kv_heads, keys, value_size]`.
    pub value: ExprId,
    /// The cotangent of the attention's result, over `[batch, heads, queries, value_size]`.
    pub grad: ExprId,
    /// What [`Attention::log_sum`] holds, over `[batch, heads, queries]`.
    pub log_sum: ExprId,
    /// The sum of a query's `grad` times the attention's result, over `[batch, heads, queries]`, in the dtype of `log_sum`.
    pub mean: ExprId,
    /// As the attention's; it has no gradient of its own.
    pub mask: Option<ExprId>,
    pub band: Band,
    pub scale: f64,
    /// `[batch, heads, queries, head_size]`. At least one of the three results is there, and all have one dtype.
    pub grad_query: Option<BufferId>,
    /// `[batch, kv_heads, keys, head_size]`.
    pub grad_key: Option<BufferId>,
    /// `[batch, kv_heads, keys, value_size]`.
    pub grad_value: Option<BufferId>,
}

impl AttentionBackward {
    /// The results that are there, each with its sizes.
    pub fn results(&self) -> impl Iterator<Item = (BufferId, [SymInt; 4])> + use<> {
        let [query, key, value] = self.operand_sizes();
        let all = [(self.grad_query, query), (self.grad_key, key), (self.grad_value, value)];
        all.into_iter().filter_map(|(buffer, sizes)| Some((buffer?, sizes)))
    }
    /// The sizes of query, key and value.
    pub fn operand_sizes(&self) -> [[SymInt; 4]; 3] {
        [
            [self.batch, self.heads, self.queries, self.head_size],
            [self.batch, self.kv_heads, self.keys, self.head_size],
            [self.batch, self.kv_heads, self.keys, self.value_size],
        ]
    }
    /// The expressions that every such node has, in the order of [`super::LoopNode::exprs`], with the sizes of their spaces.
    pub fn operands(&self) -> [(ExprId, Vec<SymInt>); 6] {
        let [query, key, value] = self.operand_sizes();
        let rows = vec![self.batch, self.heads, self.queries];
        let mut grad = rows.clone();
        grad.push(self.value_size);
        [
            (self.query, query.to_vec()),
            (self.key, key.to_vec()),
            (self.value, value.to_vec()),
            (self.grad, grad),
            (self.log_sum, rows.clone()),
            (self.mean, rows),
        ]
    }
    /// The expressions of `operands` and those that may be absent, in the order of [`super::LoopNode::exprs`].
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        let AttentionBackward { query, key, value, grad, log_sum, mean, mask, band, .. } = self;
        [query, key, value, grad, log_sum, mean].into_iter().chain(mask).chain(&mut band.length)
    }
}

/// Which keys a query attends: query `i` those from `i + lower` to `i + upper`, of the first `length` keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Band {
    pub lower: Option<SymInt>,
    pub upper: Option<SymInt>,
    /// An int64 value over `[batch, heads]`, from 0 to the number of keys: how many of them a sequence has.
    pub length: Option<ExprId>,
}

impl Band {
    /// Each query attends the keys up to its own place.
    pub fn causal(syms: &SymArena) -> Band {
        Band { upper: Some(syms.constant(0)), ..Band::default() }
    }
}

/// A function of an attention's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Loads of it, wherever, stand for the score at this point; there is no such memory.
    pub raw: BufferId,
    /// Over `[batch, heads, queries, keys]`, in the dtype of `raw`.
    pub value: ExprId,
}
