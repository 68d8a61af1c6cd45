//! Regions that are read where they are called: graphs that only set a mode, or that a program repeats by name. Nothing of a
//! region is left in the graph but its nodes.
//!
//! A region of autocast has its casts put in as its operators are read, by the lists of its device (`passes::autocast`).
//!
//! Deliberately absent: graphs that run for each slice of a tensor (see `slices`).

use super::FrontendError;
use super::args::{Call, Given, bound_name};
use super::error::Result;
use super::json;
use super::program::Reader;
use super::scope::{Entry, Scope, bind};
use crate::ir::{Arg, Value};
use crate::meta::Builder;
use crate::ops::OpId;
use crate::ops::autocast::Lists;
use crate::passes::Autocast;
use crate::types::Dtype;

/// What the region that is being read says of its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    /// Nothing: operators run in the dtypes that they are given, unless option `amp` says otherwise.
    Given,
    /// Autocast is off, whatever option `amp` says.
    Off,
    Mixed(Autocast),
}

impl Reader<'_> {
    /// Tokens order effects; nodes here are in order anyway, so they vanish.
    pub(super) fn with_effects(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [_, operator, given @ ..] = call.given else {
            return Err(FrontendError::parse("`with_effects` must have a token and an operator"));
        };
        let [token, outputs @ ..] = call.outputs else {
            return Err(FrontendError::parse("`with_effects` must give a token"));
        };
        if operator.tag != "as_operator" {
            return Err(FrontendError::unsupported("`with_effects` of something that is no operator"));
        }
        let target = json::string(operator.value, "as_operator")?;
        let target = target.strip_prefix("torch.ops.").unwrap_or(target);
        let last = self.graph.order.last();
        self.operator(target, Call { given, outputs, ..call }, scope)?;
        let made: Vec<_> = self.graph.order.iter_after(last).collect();
        for id in made {
            let op = &mut self.graph.nodes[id].op;
            if *op == OpId::HostCall {
                *op = OpId::HostEffect;
            }
        }
        match bound_name(token)? {
            Some(name) => bind(scope, name, Entry::Nothing, "outputs"),
            None => Ok(()),
        }
    }

    /// A graph that stands in the file where it is called.
    pub(super) fn invoke_subgraph(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [body, _identifier, operands @ ..] = call.given else {
            return Err(FrontendError::parse("`invoke_subgraph` must have a graph and a name"));
        };
        self.inline(body, operands, call, scope, false)
    }

    /// A region whose inner values a backward computes again: each is marked so, but not what the region gives, which others keep.
    pub(super) fn checkpoint(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [body, operands @ ..] = call.given else {
            return Err(FrontendError::parse("`tag_activation_checkpoint` must have a graph"));
        };
        // Options of the call that recomputing here needs no word of (`use_reentrant`, `preserve_rng_state`) have names.
        let positional = operands.iter().take_while(|g| g.name.is_empty()).count();
        let entries = self.entries(&operands[..positional], scope)?;
        let last = self.graph.order.last();
        let results = self.inline_graph(body, &entries, call.place)?;
        let given = |v: &Value| results.iter().any(|e| matches!(e, Entry::Tensor(r) if r == v));
        let made: Vec<_> = self.graph.order.iter_after(last).collect();
        for id in made {
            let outputs = self.graph.nodes[id].outputs.clone();
            if outputs.iter().any(given) {
                continue;
            }
            for value in outputs {
                Builder::new(&mut self.graph).op("litz.recompute.default", vec![Arg::Value(value)])?;
            }
        }
        self.give(&results, call, scope)
    }

    pub(super) fn set_grad_enabled(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [enabled, body, operands @ ..] = call.given else {
            return Err(FrontendError::parse("`wrap_with_set_grad_enabled` must have a mode and a graph"));
        };
        let cut = !json::boolean(enabled.value, "the mode")?;
        self.inline(body, operands, call, scope, cut)
    }

    pub(super) fn autocast(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [device, dtype, enabled, _, body, operands @ ..] = call.given else {
            return Err(FrontendError::parse(
                "`wrap_with_autocast` must have a device, a dtype, two modes and a graph",
            ));
        };
        let precision = match json::boolean(enabled.value, "enabled")? {
            true => Precision::Mixed(self.mixed_precision(device, dtype, scope)?),
            false => Precision::Off,
        };
        let outer = std::mem::replace(&mut self.precision, precision);
        let outcome = self.inline(body, operands, call, scope, false);
        self.precision = outer;
        outcome
    }

    /// The precision of a region that switches autocast on. Without a dtype the lower precision is the device's usual one.
    fn mixed_precision(&self, device: &Given<'_>, dtype: &Given<'_>, scope: &Scope) -> Result<Autocast> {
        let (lists, usual) = match json::string(device.value, "the device")?.split(':').next() {
            Some("cpu") => (Lists::Cpu, Dtype::Bfloat16),
            Some("cuda") => (Lists::Cuda, Dtype::Float16),
            _ => {
                let message = format!("`wrap_with_autocast` for the device {}", device.value);
                return Err(FrontendError::unsupported(message));
            }
        };
        let lower = match self.arg(dtype, scope)? {
            Arg::Dtype(lower) => lower,
            _ => usual,
        };
        if !matches!(lower, Dtype::Bfloat16 | Dtype::Float16) {
            let message =
                format!("`wrap_with_autocast` to {lower}: the lower precision is bfloat16 or float16");
            return Err(FrontendError::unsupported(message));
        }
        Ok(Autocast { lower, lists })
    }

    /// Reads a subgraph in place. `cut`: its results carry no gradient.
    fn inline(
        &mut self,
        body: &Given<'_>,
        operands: &[Given<'_>],
        call: Call<'_>,
        scope: &mut Scope,
        cut: bool,
    ) -> Result<()> {
        let entries = self.entries(operands, scope)?;
        let mut results = self.inline_graph(body, &entries, call.place)?;
        for entry in &mut results {
            if let (true, Entry::Tensor(v)) = (cut, *entry)
                && self.graph.meta(v).dtype.is_float()
            {
                let detached =
                    Builder::new(&mut self.graph).op("aten.detach.default", vec![Arg::Value(v)])?;
                *entry = Entry::Tensor(detached);
            }
        }
        self.give(&results, call, scope)
    }

    /// The nodes of a subgraph, in this graph; gives its results.
    pub(super) fn inline_graph(
        &mut self,
        body: &Given<'_>,
        operands: &[Entry],
        place: &str,
    ) -> Result<Vec<Entry>> {
        if body.tag != "as_graph" {
            return Err(FrontendError::parse("the region's body must be a graph"));
        }
        let graph = json::field(body.value, "graph", place)?;
        let inputs = json::list(json::field(graph, "inputs", place)?, place)?;
        if inputs.len() != operands.len() {
            return Err(FrontendError::parse(format!(
                "the region takes {} operands, but is given {}",
                inputs.len(),
                operands.len()
            )));
        }
        let mut inner = Scope::default();
        for (input, entry) in inputs.iter().zip(operands) {
            if let Some(name) = bound_name(input)? {
                bind(&mut inner, name, *entry, place)?;
            }
        }
        self.nodes(graph, &mut inner, place)?;
        let results = json::list(json::field(graph, "outputs", place)?, place)?.iter().map(|result| {
            let (tag, value) = json::tagged(result, place)?;
            self.entry(tag, value, &inner)
        });
        results.collect()
    }
}
