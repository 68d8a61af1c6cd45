//! Calls of a host's operators: nodes whose operands are contiguous, as the functions are promised.

use crate::base::Status;
use crate::ir::{Arg, HostCall};
use crate::loops::lower::{Args, Lazy, Lower, LowerError};
use crate::loops::{NodeKind, Routine};
use crate::ops::Class;
use crate::plan::Attributes;
use crate::plan::host::{self, HostArgument, HostKind, HostTensor};
use crate::types::SymInt;

pub fn host_call(cx: &mut Lower<'_>, args: &Args<'_>) -> Result<Vec<Lazy>, LowerError> {
    let Some(call) = args.node.host_call() else {
        return Err(cx.error(Status::Internal, "a call without an operator"));
    };
    let written = call.written();
    let (mut operands, mut tensors, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for value in call.args.iter().flat_map(Arg::values) {
        let lazy = cx.value(value);
        let buffer = cx.realize(&lazy);
        let (dtype, sizes) = (cx.program.buffers[buffer].dtype, cx.program.buffers[buffer].sizes.clone());
        let is_written = written.contains(&value);
        if is_written {
            copies.push(cx.program.temporary(dtype, &sizes));
        }
        operands.push(buffer);
        tensors.push(HostTensor { dtype: dtype.number(), sizes, written: is_written });
    }
    let mut results = Vec::new();
    let mut outs = Vec::new();
    for k in 0..args.node.outputs.len() - written.len() {
        let (dtype, sizes) = (args.result(k).dtype, args.result(k).shape.clone());
        outs.push(cx.program.temporary(dtype, &sizes));
        results.push(HostTensor { dtype: dtype.number(), sizes, written: false });
    }
    outs.extend(copies);
    operands.extend(&outs);
    let name = call.operator.name;
    let attributes = Attributes::Host(host::HostCall::new(name, tensors, results, arguments(cx, call)?));
    let effect = args.node.op.class() == Class::Effect;
    cx.push(NodeKind::Library(Box::new(Routine { attributes, operands, effect })));
    Ok(outs.into_iter().map(|out| cx.load_all(out)).collect())
}

/// The arguments by the schema, each with its name.
fn arguments(cx: &Lower<'_>, call: &HostCall) -> Result<Vec<(String, HostArgument<SymInt>)>, LowerError> {
    let syms = cx.syms();
    let number = |v: i64| syms.constant(v);
    let mut next = 0;
    let mut place = || {
        next += 1;
        next - 1
    };
    let mut one = |arg: &Arg| -> Result<HostArgument<SymInt>, LowerError> {
        Ok(match arg {
            Arg::None => HostArgument::None,
            Arg::Value(_) => HostArgument::Tensor(place()),
            Arg::Values(list) => HostArgument::Tensors(list.iter().map(|v| v.map(|_| place())).collect()),
            Arg::Int(v) => HostArgument::Number(HostKind::Int, *v),
            Arg::Ints(list) => HostArgument::Numbers(HostKind::Ints, list.clone()),
            Arg::Float(v) => HostArgument::Number(HostKind::Float, number(v.to_bits() as i64)),
            Arg::SymFloat(bits) => HostArgument::Number(HostKind::Float, *bits),
            Arg::Floats(list) => HostArgument::Numbers(
                HostKind::Floats,
                list.iter().map(|v| number(v.to_bits() as i64)).collect(),
            ),
            Arg::Bool(v) => HostArgument::Number(HostKind::Bool, number((*v).into())),
            Arg::Bools(list) => {
                HostArgument::Numbers(HostKind::Bools, list.iter().map(|v| number((*v).into())).collect())
            }
            Arg::Str(text) => HostArgument::String(text.clone()),
            Arg::Dtype(dtype) => HostArgument::Number(HostKind::Dtype, number(dtype.number().into())),
            Arg::Layout(layout) => HostArgument::Number(HostKind::Layout, number(*layout as i64)),
            Arg::Device(device) => {
                let code = (device.kind as i64) << 32 | i64::from(device.index as u32);
                HostArgument::Number(HostKind::Device, number(code))
            }
            Arg::MemoryFormat(format) => HostArgument::Number(HostKind::MemoryFormat, number(*format as i64)),
            Arg::Complex(_) | Arg::Graph(_) | Arg::Graphs(_) | Arg::Call(_) => {
                return Err(cx.unsupported(format!("{} as an argument of a host's operator", arg.kind())));
            }
        })
    };
    let names = call.operator.schema.args.iter().map(|a| a.name.clone());
    names.zip(&call.args).map(|(name, arg)| Ok((name, one(arg)?))).collect()
}
