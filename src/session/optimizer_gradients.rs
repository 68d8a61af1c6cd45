//! Prepares the gradients of an optimizer step, for all parameters of a call at once: they are scaled back, added up over runs,
//! looked through for NaN and infinity, and clipped.
//!
//! Deliberately absent: what is done with them (`optimizer`, `optimizer_rules`).

use super::SessionError;
use super::optimizer::{Built, GATHERED, Hyper, SKIPPED, constant_named, counted, name_of, written, zeros};
use crate::ir::{Arg, Graph, Value};
use crate::meta::Builder;
use crate::types::{Dtype, TensorMeta};

/// The gradients of a call.
pub(super) struct Gradients<'g> {
    pub graph: &'g mut Graph,
    pub hyper: &'g [(&'static str, Hyper)],
}

/// Gradients as the rules take them, and whether the run is a step.
pub(super) struct Ready {
    pub list: Vec<Value>,
    pub applies: Option<Value>,
}

impl Gradients<'_> {
    pub fn ready(&mut self, pairs: &[(Value, Value)]) -> Built<Ready> {
        let scale = self.hyper("loss_scale");
        let mut list = Vec::with_capacity(pairs.len());
        for (parameter, gradient) in pairs {
            let dtype = self.graph.meta(*parameter).dtype.compute();
            let mut wide = *gradient;
            if self.graph.meta(wide).dtype != dtype {
                wide = self.call("aten.to.dtype", vec![Arg::Value(wide), Arg::Dtype(dtype)])?;
            }
            if scale != Hyper::Number(0.0) {
                wide = match scale {
                    Hyper::Number(n) => {
                        self.call("aten.div.Scalar", vec![Arg::Value(wide), Arg::Float(n)])?
                    }
                    Hyper::Tensor(n) => {
                        self.call("aten.div.Tensor", vec![Arg::Value(wide), Arg::Value(n)])?
                    }
                };
            }
            list.push(wide);
        }
        let due = self.gathered(pairs, &mut list)?;
        let skips = scale != Hyper::Number(0.0) || self.number("skip_nonfinite")? != 0.0;
        let finite = if skips { self.finite(&list)? } else { None };
        let applies = match (due, finite) {
            (Some(due), Some(finite)) => {
                Some(self.call("aten.logical_and.default", vec![Arg::Value(due), Arg::Value(finite)])?)
            }
            (due, finite) => due.or(finite),
        };
        if let Some(finite) = finite {
            let mut left_out = self.call("aten.logical_not.default", vec![Arg::Value(finite)])?;
            if let Some(due) = due {
                left_out =
                    self.call("aten.logical_and.default", vec![Arg::Value(left_out), Arg::Value(due)])?;
            }
            counted(self.graph, SKIPPED, Some(left_out))?;
        }
        self.clipped(&mut list)?;
        Ok(Ready { list, applies })
    }

    /// Adds gradients up over several runs, the last of which is a step.
    fn gathered(&mut self, pairs: &[(Value, Value)], list: &mut [Value]) -> Built<Option<Value>> {
        let every = self.number("accumulate")?;
        if every < 1.0 || every.fract() != 0.0 || every > 1e9 {
            return Err(SessionError::invalid("the hyper-parameter `accumulate` is a whole number from 1"));
        }
        if every == 1.0 {
            return Ok(None);
        }
        let known = constant_named(self.graph, GATHERED);
        let count = match known {
            Some(count) => count,
            None => {
                let meta = TensorMeta::contiguous(&self.graph.syms, Dtype::Int64, Vec::new());
                zeros(self.graph, GATHERED, meta)?
            }
        };
        let one = Arg::Int(self.graph.syms.constant(1));
        let next = self.call("aten.add.Scalar", vec![Arg::Value(count), one])?;
        let due = self.call("aten.ge.Scalar", vec![Arg::Value(next), Arg::Float(every)])?;
        let zero = Arg::Float(0.0);
        let left =
            self.call("aten.masked_fill.Scalar", vec![Arg::Value(next), Arg::Value(due), zero.clone()])?;
        written(self.graph, count, left)?;
        for ((parameter, _), gradient) in pairs.iter().zip(list) {
            let name = format!("{}.grad", name_of(self.graph, *parameter));
            let known = constant_named(self.graph, &name);
            let sum = match known {
                Some(sum) => sum,
                None => {
                    let like = self.graph.meta(*gradient);
                    let meta = TensorMeta::contiguous(&self.graph.syms, like.dtype, like.shape.clone());
                    zeros(self.graph, &name, meta)?
                }
            };
            let total = self.call("aten.add.Tensor", vec![Arg::Value(sum), Arg::Value(*gradient)])?;
            let left =
                self.call("aten.masked_fill.Scalar", vec![Arg::Value(total), Arg::Value(due), zero.clone()])?;
            written(self.graph, sum, left)?;
            *gradient = total;
        }
        Ok(Some(due))
    }

    /// Whether no gradient has a NaN or an infinity.
    fn finite(&mut self, list: &[Value]) -> Built<Option<Value>> {
        let mut all: Option<Value> = None;
        for gradient in list {
            let is = self.call("aten.isfinite.default", vec![Arg::Value(*gradient)])?;
            let is = self.call("aten.all.default", vec![Arg::Value(is)])?;
            all = Some(match all {
                None => is,
                Some(all) => self.call("aten.logical_and.default", vec![Arg::Value(all), Arg::Value(is)])?,
            });
        }
        Ok(all)
    }

    /// As `torch.nn.utils.clip_grad_norm_` and `clip_grad_value_`.
    fn clipped(&mut self, list: &mut [Value]) -> Built<()> {
        let most = self.hyper("clip_grad_norm");
        if most != Hyper::Number(0.0) && !list.is_empty() {
            let mut sum: Option<Value> = None;
            for gradient in list.iter() {
                let square = self.call("aten.mul.Tensor", vec![Arg::Value(*gradient); 2])?;
                let part = self.call("aten.sum.default", vec![Arg::Value(square)])?;
                sum = Some(match sum {
                    None => part,
                    Some(sum) => self.call("aten.add.Tensor", vec![Arg::Value(sum), Arg::Value(part)])?,
                });
            }
            let norm = sum.map(|sum| self.call("aten.sqrt.default", vec![Arg::Value(sum)])).transpose()?;
            let Some(norm) = norm else { return Ok(()) };
            let norm = self.call("aten.add.Scalar", vec![Arg::Value(norm), Arg::Float(1e-6)])?;
            let inverse = self.call("aten.reciprocal.default", vec![Arg::Value(norm)])?;
            let by = match most {
                Hyper::Number(n) => self.call("aten.mul.Scalar", vec![Arg::Value(inverse), Arg::Float(n)])?,
                Hyper::Tensor(n) => self.call("aten.mul.Tensor", vec![Arg::Value(inverse), Arg::Value(n)])?,
            };
            let by = self.call("aten.clamp_max.default", vec![Arg::Value(by), Arg::Float(1.0)])?;
            for gradient in list.iter_mut() {
                *gradient = self.call("aten.mul.Tensor", vec![Arg::Value(*gradient), Arg::Value(by)])?;
            }
        }
        let most = self.hyper("clip_grad_value");
        if most != Hyper::Number(0.0) {
            for gradient in list.iter_mut() {
                *gradient = match most {
                    Hyper::Number(n) => {
                        let args = vec![Arg::Value(*gradient), Arg::Float(-n), Arg::Float(n)];
                        self.call("aten.clamp.default", args)?
                    }
                    Hyper::Tensor(n) => {
                        let least = self.call("aten.neg.default", vec![Arg::Value(n)])?;
                        let args = vec![Arg::Value(*gradient), Arg::Value(least), Arg::Value(n)];
                        self.call("aten.clamp.Tensor", args)?
                    }
                };
            }
        }
        Ok(())
    }

    fn hyper(&self, name: &str) -> Hyper {
        let found = self.hyper.iter().find(|(known, _)| *known == name);
        found.map_or(Hyper::Number(0.0), |(_, value)| *value)
    }
    fn number(&self, name: &str) -> Built<f64> {
        match self.hyper(name) {
            Hyper::Number(number) => Ok(number),
            Hyper::Tensor(_) => {
                Err(SessionError::invalid(format!("the hyper-parameter `{name}` is a number, not a tensor")))
            }
        }
    }
    fn call(&mut self, name: &str, args: Vec<Arg>) -> Built {
        Ok(Builder::new(self.graph).op(name, args)?)
    }
}
