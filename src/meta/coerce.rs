//! Bringing given arguments into the form that an operator's schema asks for.

use super::MetaError;
use crate::base::{Status, shortened};
use crate::ir::{Arg, Graph};
use crate::ops::{ArgBase, ArgType, Default, Form, OpId, Schema};
use crate::types::{Calculation, Device, Dtype, Layout, MemoryFormat};

/// One argument per schema argument, in its type: an int where a float is asked becomes one, a number where a
/// list of known length is asked is repeated, a plain list of tensors becomes one of optional tensors, and what is
/// not given takes its default. An in-place form calls its first argument `self`, whatever the functional one's is.
pub fn coerce(
    graph: &Graph,
    op: OpId,
    form: Form,
    positional: Vec<Arg>,
    named: Vec<(String, Arg)>,
) -> Result<Vec<Arg>, MetaError> {
    coerce_by(graph, (op.name(), op.schema()), form, positional, named)
}

/// [`coerce`] for whatever has a name and a schema.
pub fn coerce_by(
    graph: &Graph,
    (op, schema): (&'static str, &Schema),
    form: Form,
    positional: Vec<Arg>,
    named: Vec<(String, Arg)>,
) -> Result<Vec<Arg>, MetaError> {
    let error = |message: String| MetaError::new(Status::InvalidArgument, op, message);
    if positional.len() > schema.args.len() {
        return Err(error(format!("{} arguments given, {} taken", positional.len(), schema.args.len())));
    }
    let mut given: Vec<Option<Arg>> = positional.into_iter().map(Some).collect();
    given.resize(schema.args.len(), None);
    for (name, arg) in named {
        let written = (form == Form::InPlace && name == "self").then_some(0);
        let k = schema.arg(&name).or(written).ok_or_else(|| {
            let known: Vec<&str> = schema.args.iter().map(|a| a.name.as_str()).collect();
            error(format!("there is no argument `{}`; it takes {}", shortened(&name), known.join(", ")))
        })?;
        if given[k].replace(arg).is_some() {
            return Err(error(format!("argument `{name}` is given twice")));
        }
    }
    let mut args = Vec::with_capacity(given.len());
    for (want, given) in schema.args.iter().zip(given) {
        let arg = match (given, &want.default) {
            (Some(arg), _) => arg,
            (None, Some(default)) => from_default(graph, default),
            (None, None) if want.ty.optional || want.ty.base == ArgBase::Generator => Arg::None,
            (None, None) => return Err(error(format!("argument `{}` is missing", want.name))),
        };
        // Where one number is the default, a list of one means it for every dimension; elsewhere a list is whole.
        let arg = match (arg, want.ty.length, &want.default) {
            (Arg::Ints(v), Some(n), Some(_)) if v.len() == 1 => Arg::Ints(vec![v[0]; n]),
            (arg, ..) => arg,
        };
        let found = arg.kind();
        args.push(convert(graph, arg, &want.ty).ok_or_else(|| {
            error(format!("argument `{}` is {found}, where the schema has {}", want.name, want.ty))
        })?);
    }
    Ok(args)
}

fn from_default(graph: &Graph, default: &Default) -> Arg {
    match default {
        Default::None => Arg::None,
        Default::Int(v) => Arg::Int(graph.syms.constant(*v)),
        Default::Float(v) => Arg::Float(*v),
        Default::Bool(v) => Arg::Bool(*v),
        Default::Str(v) => Arg::Str(v.clone()),
        Default::Ints(v) => Arg::Ints(v.iter().map(|i| graph.syms.constant(*i)).collect()),
        Default::Bools(v) => Arg::Bools(v.clone()),
    }
}

fn convert(graph: &Graph, arg: Arg, ty: &ArgType) -> Option<Arg> {
    use ArgBase as B;
    let syms = &graph.syms;
    let known = |v| syms.as_const(v);
    Some(match (arg, ty.list, ty.base) {
        (Arg::None, false, B::Tensor | B::Int | B::Scalar | B::Float | B::Bool | B::Str) if !ty.optional => {
            return None;
        }
        (Arg::None, true, _) if !ty.optional => return None,
        (Arg::None, _, _) => Arg::None,
        (Arg::Values(v), true, B::Tensor) if !ty.element_optional && v.iter().any(Option::is_none) => {
            return None;
        }
        (Arg::Value(v), true, B::Tensor) => Arg::Values(vec![Some(v)]),
        // An empty list says nothing about its elements.
        (Arg::Values(v), true, B::Int | B::Scalar) if v.is_empty() => Arg::Ints(Vec::new()),
        (Arg::Ints(v), true, B::Tensor) if v.is_empty() => Arg::Values(Vec::new()),
        (Arg::Ints(v), true, B::Float) => {
            Arg::Floats(v.into_iter().map(|i| known(i).map(|c| c as f64)).collect::<Option<_>>()?)
        }
        (Arg::Ints(v), true, B::Bool) => {
            Arg::Bools(v.into_iter().map(|i| known(i).map(|c| c != 0)).collect::<Option<_>>()?)
        }
        (Arg::Int(v), true, B::Int) => Arg::Ints(vec![v; ty.length.unwrap_or(1)]),
        (Arg::Int(v), false, B::Float) => match known(v) {
            Some(known) => Arg::Float(known as f64),
            None => Arg::SymFloat(syms.calculate(Calculation::Float, &[v])),
        },
        (Arg::Int(v), false, B::Bool) => Arg::Bool(known(v)? != 0),
        (Arg::Int(v), false, B::Dtype) => Arg::Dtype(Dtype::from_number(known(v)?)?),
        (Arg::Int(v), false, B::MemoryFormat) => Arg::MemoryFormat(MemoryFormat::from_number(known(v)?)?),
        (Arg::Int(_), false, B::Layout) => Arg::Layout(Layout::Strided),
        (Arg::Bool(v), false, B::Int) => Arg::Int(syms.constant(v as i64)),
        (Arg::Bool(v), false, B::Float) => Arg::Float(v as i64 as f64),
        (Arg::Str(s), false, B::Device) => Arg::Device(Device::from_text(&s)?),
        (arg, _, _) if crate::ir::fits(&arg, ty) => arg,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_in_place_form_calls_its_first_argument_self() {
        let graph = Graph::new("test");
        let named = |name: &str| {
            vec![
                (name.to_string(), Arg::None),
                ("p".to_string(), Arg::Float(0.5)),
                ("train".to_string(), Arg::Bool(false)),
            ]
        };
        let message = |form, name| {
            coerce(&graph, OpId::Dropout, form, Vec::new(), named(name)).unwrap_err().into_fields().message
        };
        assert!(message(Form::Functional, "self").contains("there is no argument `self`"));
        for (form, name) in [(Form::InPlace, "self"), (Form::InPlace, "input"), (Form::Functional, "input")] {
            assert!(
                message(form, name).contains("argument `input` is None, where the schema has a tensor"),
                "{form:?} {name}"
            );
        }
    }
}
