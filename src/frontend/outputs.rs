//! What a program gives and writes back, as its signature says: results under their paths, gradients of a joint program, and
//! mutated inputs and buffers.
//!
//! Deliberately absent: the tree of results (`signature`).

use super::FrontendError;
use super::error::Result;
use super::json;
use super::number::{self, Number};
use super::program::{Document, Reader};
use super::scope::{Entry, Scope, lookup, lookup_number, lookup_tensor};
use super::signature::fixed;
use crate::base::Status;
use crate::ir::spec::{Gradient, Holds, JOINT, Joint};
use crate::ir::{self, Arg, Definition, OutputValue, Value, Write};
use crate::meta::Builder;
use crate::ops::Class;
use crate::types::Scalar;
use serde_json::Value as Json;

impl Reader<'_> {
    pub(super) fn outputs(&mut self, document: &Document<'_>, scope: &Scope) -> Result<()> {
        let specs =
            json::list(json::field(document.signature, "output_specs", "signature")?, "output_specs")?;
        let (mut loss, mut gradients, mut first_gradient) = (None, Vec::new(), None);
        for (k, spec) in specs.iter().enumerate() {
            let place = format!("output_specs[{k}]");
            let (kind, spec) = json::tagged(spec, &place)?;
            let tensor = || -> Result<(&str, Value)> {
                let arg = json::field(spec, "arg", &place)?;
                let name = json::string(json::field(arg, "name", &place)?, &place)?;
                Ok((name, lookup_tensor(scope, name)?))
            };
            match kind {
                "user_output" => {
                    let (tag, arg) = json::tagged(json::field(spec, "arg", &place)?, &place)?;
                    self.user_output(scope, tag, arg, k, &place)?;
                }
                "loss_output" => {
                    let (name, value) = tensor()?;
                    loss = Some(self.graph.outputs.len());
                    self.add_output(name, OutputValue::Tensor(value));
                }
                "buffer_mutation" | "parameter_mutation" => {
                    let key = if kind == "buffer_mutation" { "buffer_name" } else { "parameter_name" };
                    let name = json::string(json::field(spec, key, &place)?, &place)?;
                    let target = self.named.get(name).copied();
                    self.write(target, name, tensor()?.1)?;
                }
                "user_input_mutation" => {
                    let name = json::string(json::field(spec, "user_input_name", &place)?, &place)?;
                    let target = self.user_inputs.get(name).map(|k| Definition::Input(*k));
                    self.write(target, name, tensor()?.1)?;
                }
                "gradient_to_parameter" | "gradient_to_user_input" => {
                    let key =
                        if kind == "gradient_to_parameter" { "parameter_name" } else { "user_input_name" };
                    let of = json::string(json::field(spec, key, &place)?, &place)?;
                    let value = tensor()?.1;
                    let target = match kind {
                        "gradient_to_parameter" => self.named.get(of).copied(),
                        _ => self.user_inputs.get(of).map(|k| Definition::Input(*k)),
                    };
                    first_gradient.get_or_insert(self.graph.outputs.len());
                    let gradient = match target {
                        Some(Definition::Input(k)) => Gradient::Input(self.graph.inputs[k].name.clone()),
                        Some(_) => Gradient::Parameter(of.to_string()),
                        None => {
                            let message =
                                format!("{place}: a gradient of `{of}`, which the program does not have");
                            return Err(FrontendError::parse(message));
                        }
                    };
                    // The tree of results has no leaf for it.
                    self.graph
                        .add_output(&format!("gradient of {}", gradient.of()), OutputValue::Tensor(value));
                    gradients.push(gradient);
                }
                "token" => {}
                other => {
                    return Err(FrontendError::unsupported(format!(
                        "{place}: outputs of kind `{other}` are not supported"
                    )));
                }
            }
        }
        let outputs = self.graph.outputs.len() - gradients.len();
        // Own results behind gradients are only places of a list.
        if (loss.is_some() || !gradients.is_empty()) && first_gradient.is_none_or(|first| first == outputs) {
            let text = Joint { outputs, loss, gradients }.metadata(self.graph.inputs.len());
            self.graph.spec.metadata.insert(JOINT.to_string(), text);
        }
        Ok(())
    }

    fn user_output(&mut self, scope: &Scope, tag: &str, arg: &Json, k: usize, place: &str) -> Result<()> {
        let default = format!("output_{k}");
        match tag {
            "as_none" | "as_string" => {
                self.call.result(fixed(tag, arg, place)?);
                Ok(())
            }
            "as_tensor" => {
                let name = json::string(json::field(arg, "name", place)?, place)?;
                match lookup(scope, name)? {
                    Entry::Tensor(v) => self.add_output(name, OutputValue::Tensor(v)),
                    Entry::Number(n, _) => return self.number_output(name, n),
                    Entry::Nothing => self.call.result(Holds::None),
                }
                Ok(())
            }
            "as_sym_int" | "as_sym_float" | "as_sym_bool" => match json::tagged(arg, place)? {
                ("as_name", name) => {
                    let name = json::string(name, place)?;
                    self.number_output(name, lookup_number(scope, name)?.0)
                }
                (tag, value) => match self.known_number(tag, value, place)? {
                    Some(n) => self.number_output(&default, n),
                    None => Err(FrontendError::parse(format!("{place} is no number"))),
                },
            },
            _ => match self.known_number(tag, arg, place)? {
                Some(n) => self.number_output(&default, n),
                None => Err(FrontendError::unsupported(format!(
                    "{place}: an output of kind `{tag}` cannot be given as a tensor"
                ))),
            },
        }
    }

    fn number_output(&mut self, name: &str, number: Number) -> Result<()> {
        let syms = &self.graph.syms;
        let value = match number {
            Number::Int(v) => match syms.as_const(v) {
                Some(c) => ir::Number::Scalar(Scalar::Int(c)),
                None => ir::Number::Symbolic(v),
            },
            Number::Bool(v) if syms.as_const(v).is_some() => {
                ir::Number::Scalar(Scalar::Bool(syms.as_const(v) == Some(1)))
            }
            Number::Float(v) => ir::Number::Scalar(Scalar::Float(v)),
            Number::Bool(v) => ir::Number::Truth(v),
            Number::Quotient(..) | Number::Bits(_) => ir::Number::Float(number::float_bits(syms, number)),
        };
        self.add_output(name, OutputValue::Number(value));
        Ok(())
    }

    /// Adds an output under its path, or its name where the program does not say how results are returned; or a numbered
    /// one where an input, a constant or an earlier output has that.
    fn add_output(&mut self, name: &str, value: OutputValue) {
        let graph = &self.graph;
        let path = self.call.next_result().map(str::to_string);
        let given = graph.inputs.iter().map(|i| &i.name).chain(graph.constants.iter().map(|c| &c.name));
        let taken = |n: &str| {
            graph.outputs.iter().any(|o| o.name == n) || path.is_some() && given.clone().any(|g| g == n)
        };
        let name = path.as_deref().unwrap_or(name);
        let mut free = name.to_string();
        let mut k = 1;
        while taken(&free) {
            free = format!("{name}_{k}");
            k += 1;
        }
        self.call.result(Holds::Given);
        self.graph.add_output(&free, value);
    }

    fn write(&mut self, target: Option<Definition>, name: &str, value: Value) -> Result<()> {
        let target = target.ok_or_else(|| {
            FrontendError::parse(format!("the signature mutates `{name}`, which is no input or buffer"))
        })?;
        let old = match target {
            Definition::Input(k) => self.graph.inputs[k].value,
            Definition::Constant(k) => self.graph.constants[k].value,
            Definition::Node { node, index } => self.graph.nodes[node].outputs[index],
        };
        let target_value = old;
        let (old, new) = (self.graph.meta(old), self.graph.meta(value));
        let same = old.dtype == new.dtype
            && old.rank() == new.rank()
            && old.shape.iter().zip(&new.shape).all(|(a, b)| self.graph.syms.known_eq(*a, *b));
        if !same {
            return Err(FrontendError::new(
                Status::Shape,
                format!(
                    "`{name}` ({}{}) is mutated to a tensor {}{}, whose dtype or shape differs",
                    old.dtype,
                    self.graph.syms.display_list(&old.shape),
                    new.dtype,
                    self.graph.syms.display_list(&new.shape)
                ),
            ));
        }
        match target {
            // A view of a storage: the write goes through it.
            Definition::Node { node, .. } => {
                let node = &self.graph.nodes[node];
                let of_storage =
                    node.uses().any(|v| matches!(self.graph.values[v].definition, Definition::Constant(_)));
                if node.op.class() != Class::View || !of_storage {
                    return Err(FrontendError::unsupported(format!(
                        "the program writes to `{name}`, whose weights are packed or of another dtype; give weights of {}",
                        old.dtype
                    )));
                }
                let args = vec![Arg::Value(target_value), Arg::Value(value)];
                Builder::new(&mut self.graph).op("aten.copy_.default", args)?;
            }
            _ => self.graph.writes.push(Write { target, value }),
        }
        Ok(())
    }
}
