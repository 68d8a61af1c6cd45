//! Normalisations that update their running statistics, although their schemas do not say so.

use super::Functionalize;
use crate::base::Status;
use crate::ir::{Arg, Node, NodeId, Value};
use crate::meta::MetaError;
use crate::ops::{Form, OpId};
use crate::types::{Dtype, SymInt};

/// True for a batch or instance norm that trains and has running statistics.
pub(super) fn updates_statistics(node: &Node) -> bool {
    use OpId::*;
    let flag = |name: &str| matches!(node.arg(name), Some(Arg::Bool(true)));
    let trains = match node.op {
        BatchNorm | NativeBatchNorm | NativeBatchNormLegit | CudnnBatchNorm => flag("training"),
        InstanceNorm => flag("use_input_stats"),
        BatchNormWithUpdate => true,
        _ => false,
    };
    trains && matches!(node.arg("running_mean"), Some(Arg::Value(_)))
}

impl Functionalize<'_> {
    pub(super) fn norm(&mut self, id: NodeId) -> Result<(), MetaError> {
        let node = &self.old.nodes[id];
        let op = node.op;
        let (Some(Arg::Value(mean)), Some(Arg::Value(var))) =
            (node.arg("running_mean"), node.arg("running_var"))
        else {
            let message = "running_mean and running_var must be given together";
            return Err(self.error(Status::InvalidArgument, op, message));
        };
        let statistics = [self.resolve(*mean), self.resolve(*var)];
        let args = self.args(&node.args)?;
        let by_name = |name: &str| op.schema().arg(name).map(|k| args[k].clone()).unwrap_or(Arg::None);
        if let (OpId::BatchNorm, Arg::Value(input)) = (op, by_name("input"))
            && self.new.meta(input).shape.iter().any(|size| self.new.syms.as_const(*size) == Some(0))
        {
            // PyTorch returns a batch without elements before it reads or updates the statistics.
            let copy = self.builder().op("aten.clone.default", vec![Arg::Value(input)])?;
            self.add_base(node.outputs[0], copy);
            return Ok(());
        }
        let (results, updated) = match op {
            OpId::InstanceNorm => self.instance_norm(&by_name)?,
            OpId::BatchNormWithUpdate => {
                let call =
                    self.builder().call(OpId::BatchNormWithUpdateFunctional, Form::Functional, args)?;
                let (results, updated) = call.split_at(call.len() - 2);
                (results.to_vec(), [updated[0], updated[1]])
            }
            OpId::CudnnBatchNorm => {
                let call = self.training_norm(
                    [by_name("input"), by_name("weight"), by_name("bias")],
                    [by_name("running_mean"), by_name("running_var")],
                    [by_name("exponential_average_factor"), by_name("epsilon")],
                )?;
                let empty = Arg::Ints(vec![self.new.syms.constant(0)]);
                let named = vec![("dtype", Arg::Dtype(Dtype::Uint8))];
                let reserve = self.builder().op_with("aten.zeros.default", vec![empty], named)?;
                ([&call[..3], &[reserve]].concat(), [call[3], call[4]])
            }
            _ => {
                let call = self.training_norm(
                    [by_name("input"), by_name("weight"), by_name("bias")],
                    [by_name("running_mean"), by_name("running_var")],
                    [by_name("momentum"), by_name("eps")],
                )?;
                (call[..3].to_vec(), [call[3], call[4]])
            }
        };
        for (old, new) in node.outputs.iter().zip(results) {
            self.add_base(*old, new);
        }
        for (target, new) in statistics.into_iter().zip(updated) {
            self.mutate(op, target, new)?;
        }
        Ok(())
    }

    /// Gives the result, the batch's statistics, and the running ones after the update.
    fn training_norm(
        &mut self,
        [input, weight, bias]: [Arg; 3],
        [mean, var]: [Arg; 2],
        [momentum, eps]: [Arg; 2],
    ) -> Result<Vec<Value>, MetaError> {
        let args = vec![input, weight, bias, mean, var, Arg::Bool(true), momentum, eps];
        self.builder().call(OpId::NativeBatchNormLegitFunctional, Form::Functional, args)
    }

    /// As one batch norm over `[1, batch * channels, ...]`; the running statistics take the mean over the batch.
    fn instance_norm(&mut self, arg: &dyn Fn(&str) -> Arg) -> Result<(Vec<Value>, [Value; 2]), MetaError> {
        let op = OpId::InstanceNorm;
        let Arg::Value(input) = arg("input") else {
            return Err(self.error(Status::InvalidArgument, op, "argument `input` must be a tensor"));
        };
        let shape = self.new.meta(input).shape.clone();
        if shape.len() < 2 {
            return Err(self.error(Status::Shape, op, "needs at least two dimensions"));
        }
        let syms = self.new.syms.clone();
        let (one, batch, channels) = (syms.constant(1), shape[0], shape[1]);
        let mut joined: Vec<SymInt> = vec![one, syms.mul(batch, channels)];
        joined.extend(&shape[2..]);
        let input = self.reshape(input, joined)?;
        let repeated = |this: &mut Self, name: &str| match arg(name) {
            Arg::Value(v) => {
                let list = vec![Arg::Value(v), Arg::Ints(vec![batch])];
                this.builder().op("aten.repeat.default", list).map(Arg::Value)
            }
            other => Ok(other),
        };
        let operands = [Arg::Value(input), repeated(self, "weight")?, repeated(self, "bias")?];
        let statistics = [repeated(self, "running_mean")?, repeated(self, "running_var")?];
        let call = self.training_norm(operands, statistics, [arg("momentum"), arg("eps")])?;
        let result = self.reshape(call[0], shape)?;
        let mut mean = |value: Value| -> Result<Value, MetaError> {
            let rows = self.reshape(value, vec![batch, channels])?;
            let dims = Arg::Ints(vec![syms.constant(0)]);
            self.builder().op("aten.mean.dim", vec![Arg::Value(rows), dims])
        };
        let updated = [mean(call[3])?, mean(call[4])?];
        Ok((vec![result], updated))
    }

    fn reshape(&mut self, value: Value, shape: Vec<SymInt>) -> Result<Value, MetaError> {
        self.builder().op("aten.reshape.default", vec![Arg::Value(value), Arg::Ints(shape)])
    }
}
