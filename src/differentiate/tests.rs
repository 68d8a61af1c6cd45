//! Formulas that parse, rules that name only their rows' arguments, and gradients against differences.

use super::formula::{Term, parse};
use super::rules::FORMULAS;
use super::{gradients, is_differentiable};
use crate::ir::{Arg, Graph, Value};
use crate::meta::Builder;
use crate::ops::OpId;
use crate::types::{Dtype, TensorMeta};

#[test]
fn every_formula_parses() {
    for (rule, argument, formula) in FORMULAS {
        parse(formula).unwrap_or_else(|e| panic!("{rule}, {argument}: {e}"));
    }
}

#[test]
fn formulas_bind_as_arithmetic_does() {
    let term = parse("-a * b + c / 2 < d && !e").unwrap();
    let call = |name, args| Term::Call(name, args);
    let product = call("mul", vec![call("neg", vec![Term::Name("a")]), Term::Name("b")]);
    let quotient = call("div", vec![Term::Name("c"), Term::Number(2.0)]);
    let sum = call("add", vec![product, quotient]);
    let less = call("lt", vec![sum, Term::Name("d")]);
    assert_eq!(term, call("logical_and", vec![less, call("logical_not", vec![Term::Name("e")])]));
}

#[test]
fn wrong_formulas_say_where() {
    for (text, why) in [("a +", "a name or a number"), ("f(a", ")"), ("a b", "unexpected"), ("(a", ")")] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}

/// A graph of one float64 input of these sizes.
fn graph_of(shape: &[i64]) -> (Graph, Value) {
    let mut graph = Graph::new("g");
    let sizes = shape.iter().map(|n| graph.syms.constant(*n)).collect();
    let meta = TensorMeta::contiguous(&graph.syms, Dtype::Float64, sizes);
    let x = graph.add_input("x", meta);
    (graph, x)
}

/// A rule calculates with its operator's numbers, which may be any of 64 bits.
#[test]
fn numbers_at_the_ends_of_64_bits_are_no_fault() {
    for number in [i64::MIN, i64::MAX, -3] {
        let (mut graph, x) = graph_of(&[3, 3]);
        let number = Arg::Int(graph.syms.constant(number));
        let mut b = Builder::new(&mut graph);
        let turned = b.op("aten.rot90.default", vec![Arg::Value(x), number.clone()]).unwrap();
        let slope = b.op("aten.polygamma.default", vec![number, Arg::Value(x)]).unwrap();
        for y in [turned, slope] {
            let found = gradients(&mut graph, &[(y, Some(y))], &[x]).unwrap();
            assert!(found[0].is_some());
        }
    }
}

#[test]
fn a_gradient_has_the_sizes_of_its_value() {
    let (mut graph, x) = graph_of(&[3, 1]);
    let other = graph_of(&[3, 1]).0.meta(x).clone();
    let shape = [2, 3, 4].map(|n| graph.syms.constant(n)).to_vec();
    let wide = TensorMeta::contiguous(&graph.syms, other.dtype, shape);
    let y = graph.add_input("y", wide);
    let z = Builder::new(&mut graph).op("aten.mul.Tensor", vec![Arg::Value(x), Arg::Value(y)]).unwrap();
    let found = gradients(&mut graph, &[(z, Some(z))], &[x, y]).unwrap();
    for (value, gradient) in [x, y].into_iter().zip(found) {
        assert_eq!(graph.meta(gradient.unwrap()).shape, graph.meta(value).shape);
    }
}

#[test]
fn what_nothing_depends_on_has_no_gradient() {
    let (mut graph, x) = graph_of(&[4]);
    let mut builder = Builder::new(&mut graph);
    let cut = builder.op("aten.detach.default", vec![Arg::Value(x)]).unwrap();
    let y = builder.op("aten.exp.default", vec![Arg::Value(cut)]).unwrap();
    assert_eq!(gradients(&mut graph, &[(y, Some(y))], &[x]).unwrap(), [None]);
}

#[test]
fn an_operator_without_a_rule_is_named() {
    let (mut graph, x) = graph_of(&[4]);
    let y = Builder::new(&mut graph).op("aten.special_airy_ai.default", vec![Arg::Value(x)]).unwrap();
    let error = gradients(&mut graph, &[(y, Some(y))], &[x]).unwrap_err();
    assert_eq!(error.op, "aten.special_airy_ai.default");
    assert!(!is_differentiable(OpId::find("aten.special_airy_ai.default").unwrap().0));
}
