//! PyTorch's attention by FlashAttention and by cuDNN, and the gradients of both: what graphs exported for a GPU and decomposed have.
//! They become the attention that Litz has kernels for.
//!
//! Among their results are sizes, which no operator of the table has: so they are read here. Cumulative lengths of sequences are None for
//! dense tensors; the random state is zero, for there is no dropout.
//!
//! Deliberately absent: dropout inside, and the mask that debugging asks for.

use super::FrontendError;
use super::args::{Call, bound_name};
use super::error::Result;
use super::number::Number;
use super::program::Reader;
use super::scope::{Entry, Scope, bind};
use crate::ir::{Arg, Value};
use crate::meta::Builder;
use crate::types::Dtype;

const FORWARD: &str = "aten._scaled_dot_product_flash_attention_for_cpu.default";
const BACKWARD: &str = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";

/// Which of the two libraries' operators a node is of: their arguments stand in other places, and their sums have other shapes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Flash,
    Cudnn,
}

impl Kind {
    /// The places of arguments of the forward operator, where the file has no names.
    fn place(self, name: &str) -> usize {
        match (self, name) {
            (_, "query") => 0,
            (_, "key") => 1,
            (_, "value") => 2,
            (Kind::Cudnn, "attn_bias") => 3,
            (Kind::Flash, "dropout_p") => 3,
            (Kind::Flash, "is_causal") => 4,
            (Kind::Flash, "return_debug_mask") => 5,
            (Kind::Cudnn, "dropout_p") => 5,
            (Kind::Cudnn, "is_causal") => 6,
            (Kind::Cudnn, "return_debug_mask") => 7,
            _ => usize::MAX,
        }
    }
    /// The same of the gradient.
    fn place_behind(self, name: &str) -> usize {
        match (self, name) {
            (_, "grad_out") => 0,
            (_, "query") => 1,
            (_, "key") => 2,
            (_, "value") => 3,
            (_, "out") => 4,
            (_, "logsumexp") => 5,
            (Kind::Cudnn, "attn_bias") => 8,
            (Kind::Flash, "dropout_p") => 10,
            (Kind::Flash, "is_causal") => 11,
            (Kind::Cudnn, "dropout_p") => 13,
            (Kind::Cudnn, "is_causal") => 14,
            _ => usize::MAX,
        }
    }
}

impl Reader<'_> {
    /// `(output, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, state, state, debug_attn_mask)`
    pub(super) fn vendor_attention(&mut self, kind: Kind, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let place = |name: &str| kind.place(name);
        let [query, key, value] =
            ["query", "key", "value"].map(|name| self.tensor(call, scope, name, place(name)));
        let (query, key, value) = (query?, key?, value?);
        if matches!(
            self.given(call, scope, "return_debug_mask", place("return_debug_mask"))?,
            Arg::Bool(true)
        ) {
            return Err(FrontendError::unsupported(
                "the mask of an attention that `return_debug_mask` asks for",
            ));
        }
        let named = self.settings(kind, call, scope, place)?;
        let args = [query, key, value].map(Arg::Value).to_vec();
        let results = Builder::new(&mut self.graph).call_named(FORWARD, args, named)?;
        // The result lies as the query does.
        let out = self.op("aten.copy.default", vec![Arg::Value(query), Arg::Value(results[0])])?;
        // Litz's operator keeps the sums of all heads of a query side by side, these those of a head.
        let sums = self.op_to(results[1], Dtype::Float32)?;
        let sums = self.op("aten.contiguous.default", vec![Arg::Value(sums)])?;
        let last = self.graph.syms.constant(-1);
        let sums = match kind {
            Kind::Flash => sums,
            Kind::Cudnn => self.op("aten.unsqueeze.default", vec![Arg::Value(sums), Arg::Int(last)])?,
        };
        let [max_q, max_k] = [query, key].map(|v| Entry::Number(Number::Int(self.graph.meta(v).shape[2]), 0));
        let (state, shape) = match kind {
            Kind::Flash => (Dtype::Uint64, vec![2]),
            Kind::Cudnn => (Dtype::Int64, Vec::new()),
        };
        let seed = self.zeros(&shape, state)?;
        let offset = self.zeros(&[], state)?;
        let mask = self.zeros(&[0], self.graph.meta(query).dtype)?;
        let results = [
            Entry::Tensor(out),
            Entry::Tensor(sums),
            Entry::Nothing,
            Entry::Nothing,
            max_q,
            max_k,
            Entry::Tensor(seed),
            Entry::Tensor(offset),
            Entry::Tensor(mask),
        ];
        for (output, result) in call.outputs.iter().zip(results) {
            if let Some(name) = bound_name(output)? {
                if let Entry::Tensor(value) = result {
                    self.graph.values[value].name = Some(name.to_string());
                }
                bind(scope, name, result, "outputs")?;
            }
        }
        Ok(())
    }

    /// `(grad_query, grad_key, grad_value)`
    pub(super) fn vendor_attention_backward(
        &mut self,
        kind: Kind,
        call: Call<'_>,
        scope: &mut Scope,
    ) -> Result<()> {
        let place = |name: &str| kind.place_behind(name);
        let mut args = Vec::new();
        for name in ["grad_out", "query", "key", "value", "out", "logsumexp"] {
            args.push(self.tensor(call, scope, name, place(name))?);
        }
        if kind == Kind::Cudnn {
            let last = self.graph.syms.constant(-1);
            args[5] = self.op("aten.squeeze.dim", vec![Arg::Value(args[5]), Arg::Int(last)])?;
        }
        // Gradients lie as what they are of.
        let operands = [args[1], args[2], args[3]];
        let mut args: Vec<Arg> = args.into_iter().map(Arg::Value).collect();
        let mut named = self.settings(kind, call, scope, place)?;
        // Dropout and causality are no arguments with names there.
        for name in ["dropout_p", "is_causal"] {
            let at = named.iter().position(|(n, _)| n == name).map(|k| named.swap_remove(k).1);
            args.push(at.unwrap_or(if name == "dropout_p" { Arg::Float(0.0) } else { Arg::Bool(false) }));
        }
        let results = Builder::new(&mut self.graph).call_named(BACKWARD, args, named)?;
        for ((output, value), operand) in call.outputs.iter().zip(results).zip(operands) {
            if let Some(name) = bound_name(output)? {
                let value = self.op("aten.copy.default", vec![Arg::Value(operand), Arg::Value(value)])?;
                self.graph.values[value].name = Some(name.to_string());
                bind(scope, name, Entry::Tensor(value), "outputs")?;
            }
        }
        Ok(())
    }

    /// What says how attention is computed, under the names of Litz's operator.
    fn settings(
        &mut self,
        kind: Kind,
        call: Call<'_>,
        scope: &Scope,
        place: impl Fn(&str) -> usize,
    ) -> Result<Vec<(String, Arg)>> {
        let mut named = Vec::new();
        let bias = if kind == Kind::Cudnn { Some(("attn_bias", "attn_mask")) } else { None };
        let others = ["dropout_p", "is_causal", "scale"].map(|name| (name, name));
        for (name, own) in others.into_iter().chain(bias) {
            match self.given(call, scope, name, place(name))? {
                Arg::None => {}
                value => named.push((own.to_string(), value)),
            }
        }
        Ok(named)
    }

    fn given(&mut self, call: Call<'_>, scope: &Scope, name: &str, place: usize) -> Result<Arg> {
        call.named(name, place).map_or(Ok(Arg::None), |given| self.arg(given, scope))
    }

    fn tensor(&mut self, call: Call<'_>, scope: &Scope, name: &str, place: usize) -> Result<Value> {
        match self.given(call, scope, name, place)? {
            Arg::Value(value) => Ok(value),
            _ => Err(FrontendError::parse(format!("the argument `{name}` must be a tensor"))),
        }
    }

    fn zeros(&mut self, shape: &[i64], dtype: Dtype) -> Result<Value> {
        let shape = Arg::Ints(shape.iter().map(|n| self.graph.syms.constant(*n)).collect());
        let named = vec![("dtype".to_string(), Arg::Dtype(dtype))];
        Ok(Builder::new(&mut self.graph).call_named("aten.zeros.default", vec![shape], named)?[0])
    }

    fn op_to(&mut self, value: Value, dtype: Dtype) -> Result<Value> {
        if self.graph.meta(value).dtype == dtype {
            return Ok(value);
        }
        self.op("aten.to.dtype", vec![Arg::Value(value), Arg::Dtype(dtype)])
    }
}
