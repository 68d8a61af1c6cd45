//! Calls of a host's operators: what its meta function says, or for one with an expression the broadcast of its tensors.

use super::broadcast;
use crate::base::Status;
use crate::ir::host::HostError;
use crate::ir::{Arg, HostCall, Value};
use crate::meta::{Infer, MetaError, elementwise_strides, result_type};
use crate::types::{SymInt, TensorMeta, contiguous_strides};

type Metas = Result<Vec<TensorMeta>, MetaError>;

/// The new results, and what becomes of each tensor that is written.
pub fn host_call(cx: &mut Infer<'_>) -> Metas {
    let [Arg::Call(call)] = cx.args else {
        return Err(cx.error(Status::Internal, "a call without an operator"));
    };
    let (graph, operator) = (cx.graph, &call.operator);
    let error = |status, message: String| MetaError::new(status, operator.name, message);
    for value in call.args.iter().flat_map(Arg::values) {
        let dtype = graph.meta(value).dtype;
        if !dtype.is_arithmetic() {
            return Err(error(Status::Unsupported, format!("operands of dtype {dtype}")));
        }
    }
    let mut metas = match &operator.functions.meta {
        Some(meta) => meta(graph, operator, &call.args)
            .map_err(|HostError { status, message }| error(status, message))?,
        None if operator.functions.expression.is_some() => vec![pointwise(cx, call)?],
        None if operator.new_results() == Some(0) => Vec::new(),
        None => return Err(error(Status::Internal, "there is no function for the types of results".into())),
    };
    if let Some(count) = operator.new_results()
        && metas.len() != count
    {
        let message = format!("its meta function told {} results, not {count}", metas.len());
        return Err(error(Status::InvalidArgument, message));
    }
    for meta in &mut metas {
        // Functions give contiguous results, whatever else was asked for.
        meta.strides = match operator.functions.expression.is_some() {
            true => std::mem::take(&mut meta.strides),
            false => contiguous_strides(&graph.syms, &meta.shape),
        };
    }
    metas.extend(call.written().into_iter().map(|value| written(cx, value)));
    Ok(metas)
}

/// New contents of a tensor.
fn written(cx: &Infer<'_>, value: Value) -> TensorMeta {
    let meta = cx.graph.meta(value);
    TensorMeta::contiguous(cx.syms(), meta.dtype, meta.shape.clone())
}

fn pointwise(cx: &mut Infer<'_>, call: &HostCall) -> Result<TensorMeta, MetaError> {
    let graph = cx.graph;
    let tensors: Vec<&TensorMeta> =
        call.args.iter().filter_map(Arg::value).map(|value| graph.meta(value)).collect();
    let given = call.args.iter().filter(|arg| arg.value().is_some());
    let dtype = result_type(graph, given)
        .map_err(|message| MetaError::new(Status::Dtype, call.operator.name, message))?;
    let shapes: Vec<&[SymInt]> = tensors.iter().map(|t| &t.shape[..]).collect();
    let shape = broadcast(cx, &shapes)
        .map_err(|error| MetaError::new(error.status, call.operator.name, error.into_fields().message))?;
    let strides = elementwise_strides(&graph.syms, &shape, &tensors);
    Ok(TensorMeta { dtype, shape, strides, offset: graph.syms.constant(0) })
}
