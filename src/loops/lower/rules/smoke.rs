//! Every operator of the pointwise, reduction and factory families on plain arguments of every dtype: what meta
//! accepts must lower to a program that holds its invariants, or be refused by name.

use crate::base::Status;
use crate::ir::{Arg, Graph, OutputValue};
use crate::loops::lower::lower;
use crate::meta::Builder;
use crate::ops::{ArgBase, Class, Form, OpId};
use crate::types::{Dtype, MemoryFormat, TensorMeta};

fn arguments(graph: &mut Graph, op: OpId, dtype: Dtype) -> Vec<(String, Arg)> {
    let mut named = Vec::new();
    for arg in &op.schema().args {
        if arg.default.is_some() && !matches!(arg.name.as_str(), "min" | "max" | "dim") {
            continue;
        }
        let int = |v: i64| graph.syms.constant(v);
        let value = match (arg.ty.list, arg.ty.base) {
            (false, ArgBase::Tensor) => {
                let element =
                    if matches!(arg.name.as_str(), "mask" | "condition") { Dtype::Bool } else { dtype };
                let scalar = matches!(arg.name.as_str(), "value" | "start" | "end" | "weight");
                let shape = if scalar { vec![] } else { vec![int(2), int(4)] };
                let meta = TensorMeta::contiguous(&graph.syms, element, shape);
                let name = format!("x{}", graph.inputs.len());
                Arg::Value(graph.add_input(&name, meta))
            }
            (false, ArgBase::Int | ArgBase::Scalar) => Arg::Int(int(1)),
            (true, ArgBase::Int) => Arg::Ints(match arg.name.as_str() {
                "dim" => vec![int(1)],
                "physical_layout" => vec![int(1), int(0)],
                _ => vec![int(2), int(3)],
            }),
            (false, ArgBase::Float) => Arg::Float(0.5),
            (false, ArgBase::Bool) => Arg::Bool(true),
            (false, ArgBase::Str) => Arg::Str("floor".into()),
            (false, ArgBase::Dtype) => Arg::Dtype(dtype),
            (false, ArgBase::MemoryFormat) => Arg::MemoryFormat(MemoryFormat::Contiguous),
            _ => continue,
        };
        named.push((arg.name.clone(), value));
    }
    named
}

#[test]
fn what_is_inferred_lowers() {
    let dtypes = [
        Dtype::Float32,
        Dtype::Float64,
        Dtype::Float16,
        Dtype::Bfloat16,
        Dtype::Int64,
        Dtype::Int32,
        Dtype::Int16,
        Dtype::Int8,
        Dtype::Uint8,
        Dtype::Bool,
    ];
    let mut lowered = 0;
    for op in OpId::all()
        .iter()
        .filter(|o| matches!(o.class(), Class::Pointwise | Class::Reduction | Class::Factory))
    {
        let mut accepted = 0;
        for dtype in dtypes {
            let mut graph = Graph::new("test");
            let named = arguments(&mut graph, *op, dtype);
            let Ok(args) = crate::meta::coerce(&graph, *op, Form::Functional, Vec::new(), named) else {
                continue;
            };
            let Ok(values) = Builder::new(&mut graph).call(*op, Form::Functional, args) else { continue };
            for (k, value) in values.iter().enumerate() {
                graph.add_output(&format!("out{k}"), OutputValue::Tensor(*value));
            }
            match lower(&graph) {
                Ok(program) => {
                    crate::loops::verify(&program)
                        .unwrap_or_else(|e| panic!("{} of {dtype}: {e}", op.name()));
                    accepted += 1;
                }
                Err(e) => assert_eq!(e.status(), Status::Unsupported, "{} of {dtype}: {e}", op.name()),
            }
        }
        lowered += accepted;
        if accepted == 0 {
            println!("never lowered: {}", op.name());
        }
    }
    assert!(lowered > 2000, "only {lowered} combinations lowered");
}
