//! PyTorch's attention by FlashAttention and by cuDNN, and its gradients, as nodes of graphs that were exported for a GPU and decomposed.
//! They become the attention that Litz has kernels for.
//!
//! Some of their results are sizes. Operators of the table have tensors alone for results, so these are read here. The cumulative
//! lengths of sequences are None for dense tensors. The random state is zero, since there is no dropout.
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

/// The library whose operator a node is. Arguments have another order in each, and sums another shape.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Flash,
    Cudnn,
}

impl Kind {
    /// The arguments of the forward operator in the order of its schema.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Kind::Flash => &["query", "key", "value", "dropout_p", "is_causal", "return_debug_mask"],
            Kind::Cudnn => &[
                "query",
                "key",
                "value",
                "attn_bias",
                "compute_log_sumexp",
                "dropout_p",
                "is_causal",
                "return_debug_mask",
            ],
        }
    }
    /// The same of its gradient.
    fn arguments_of_gradient(self) -> &'static [&'static str] {
        match self {
            Kind::Flash => &[
                "grad_out",
                "query",
                "key",
                "value",
                "out",
                "logsumexp",
                "cum_seq_q",
                "cum_seq_k",
                "max_q",
                "max_k",
                "dropout_p",
                "is_causal",
            ],
            Kind::Cudnn => &[
                "grad_out",
                "query",
                "key",
                "value",
                "out",
                "logsumexp",
                "philox_seed",
                "philox_offset",
                "attn_bias",
                "cum_seq_q",
                "cum_seq_k",
                "max_q",
                "max_k",
                "dropout_p",
                "is_causal",
            ],
        }
    }
}

/// A node, and the names of its arguments in order: a file may leave names out.
#[derive(Clone, Copy)]
struct Named<'a> {
    call: Call<'a>,
    arguments: &'static [&'static str],
}

impl Reader<'_> {
    /// `(output, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, state, state, debug_attn_mask)`
    pub(super) fn vendor_attention(&mut self, kind: Kind, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let node = Named { call, arguments: kind.arguments() };
        if self.given(node, scope, "return_debug_mask")? == Arg::Bool(true) {
            return Err(FrontendError::unsupported(
                "the mask of an attention that `return_debug_mask` asks for",
            ));
        }
        let query = self.tensor(node, scope, "query")?;
        let key = self.tensor(node, scope, "key")?;
        let args = [query, key, self.tensor(node, scope, "value")?].map(Arg::Value).to_vec();
        let named = self.settings(node, scope)?;
        let results = Builder::new(&mut self.graph).call_named(FORWARD, args, named)?;
        // PyTorch's result has the layout of the query.
        let out = self.op("aten.copy.default", vec![Arg::Value(query), Arg::Value(results[0])])?;
        // The sums of a head are contiguous; Litz's operator has those of all heads of a query beside each other.
        let wide = vec![Arg::Value(results[1]), Arg::Dtype(Dtype::Float32)];
        let sums = self.op("aten.to.dtype", wide)?;
        let mut sums = self.op("aten.contiguous.default", vec![Arg::Value(sums)])?;
        if kind == Kind::Cudnn {
            sums = self.along_last("aten.unsqueeze.default", sums)?;
        }
        let [max_q, max_k] = [query, key].map(|v| Entry::Number(Number::Int(self.graph.meta(v).shape[2]), 0));
        let (state, shape) = match kind {
            Kind::Flash => (Dtype::Uint64, vec![2]),
            Kind::Cudnn => (Dtype::Int64, Vec::new()),
        };
        let seed = self.zeros(&shape, state)?;
        let offset = self.zeros(&[], state)?;
        let mask = self.zeros(&[0], self.graph.meta(query).dtype)?;
        self.give_all(
            call,
            scope,
            [
                Entry::Tensor(out),
                Entry::Tensor(sums),
                Entry::Nothing,
                Entry::Nothing,
                max_q,
                max_k,
                Entry::Tensor(seed),
                Entry::Tensor(offset),
                Entry::Tensor(mask),
            ],
        )
    }

    /// `(grad_query, grad_key, grad_value)`
    pub(super) fn vendor_attention_backward(
        &mut self,
        kind: Kind,
        call: Call<'_>,
        scope: &mut Scope,
    ) -> Result<()> {
        let node = Named { call, arguments: kind.arguments_of_gradient() };
        let mut args = Vec::new();
        for name in ["grad_out", "query", "key", "value", "out", "logsumexp"] {
            args.push(self.tensor(node, scope, name)?);
        }
        if kind == Kind::Cudnn {
            args[5] = self.along_last("aten.squeeze.dim", args[5])?;
        }
        let operands = [args[1], args[2], args[3]];
        let named = self.settings(node, scope)?;
        let args = args.into_iter().map(Arg::Value).collect();
        let results = Builder::new(&mut self.graph).call_named(BACKWARD, args, named)?;
        let mut gradients = [Entry::Nothing; 3];
        for (k, operand) in operands.into_iter().enumerate() {
            // A gradient has the layout of its operand.
            let laid = self.op("aten.copy.default", vec![Arg::Value(operand), Arg::Value(results[k])])?;
            gradients[k] = Entry::Tensor(laid);
        }
        self.give_all(call, scope, gradients)
    }

    /// Binds the results that the program uses.
    fn give_all<const N: usize>(
        &mut self,
        call: Call<'_>,
        scope: &mut Scope,
        results: [Entry; N],
    ) -> Result<()> {
        for (output, result) in call.outputs.iter().zip(results) {
            let Some(name) = bound_name(output)? else { continue };
            if let Entry::Tensor(value) = result {
                self.graph.values[value].name = Some(name.to_string());
            }
            bind(scope, name, result, "outputs")?;
        }
        Ok(())
    }

    /// The arguments that say how attention is computed, under the names of Litz's operators.
    fn settings(&mut self, node: Named<'_>, scope: &Scope) -> Result<Vec<(String, Arg)>> {
        let mut named = Vec::new();
        let own = [
            ("attn_bias", "attn_mask"),
            ("dropout_p", "dropout_p"),
            ("is_causal", "is_causal"),
            ("scale", "scale"),
        ];
        for (theirs, own) in own {
            match self.given(node, scope, theirs)? {
                Arg::None => {}
                value => named.push((own.to_string(), value)),
            }
        }
        Ok(named)
    }

    fn given(&mut self, node: Named<'_>, scope: &Scope, name: &str) -> Result<Arg> {
        let place = node.arguments.iter().position(|n| *n == name).unwrap_or(usize::MAX);
        node.call.named(name, place).map_or(Ok(Arg::None), |given| self.arg(given, scope))
    }

    fn tensor(&mut self, node: Named<'_>, scope: &Scope, name: &str) -> Result<Value> {
        match self.given(node, scope, name)? {
            Arg::Value(value) => Ok(value),
            _ => Err(FrontendError::parse(format!("the argument `{name}` must be a tensor"))),
        }
    }

    fn zeros(&mut self, shape: &[i64], dtype: Dtype) -> Result<Value> {
        let shape = Arg::Ints(shape.iter().map(|n| self.graph.syms.constant(*n)).collect());
        let named = vec![("dtype".to_string(), Arg::Dtype(dtype))];
        Ok(Builder::new(&mut self.graph).call_named("aten.zeros.default", vec![shape], named)?[0])
    }

    fn along_last(&mut self, operator: &str, value: Value) -> Result<Value> {
        let last = Arg::Int(self.graph.syms.constant(-1));
        self.op(operator, vec![Arg::Value(value), last])
    }
}
