//! `include/litz/litz_ops.hpp`: `litz::aten::add` and its like, overloads told apart by their parameters.

use super::c::wrapped;
use super::operators::{Kind, Operator, Parameter, Results, identifier};
use litz::ops::Default;
use std::collections::BTreeMap;

const HEAD: &str = r#"// Every operator as a C++17 function: `aten.add.Tensor` is litz::aten::add, in-place forms are litz::aten::add_.
// Generated from the operator table in src/ops; see docs/add-an-operator.md.
//
//   litz::Value y = litz::aten::softmax(litz::aten::linear(x, w), -1);
//   auto [values, indices] = litz::aten::topk(y, 3);
//
// A function takes the operator's arguments in the order of the schema that its comment states, and what may be left out
// has its default. Overloads of an operator are overloads of the function; one that could not be told from another has
// its overload's name behind its own. The graph is that of the tensors; functions without one take it first. Failures
// throw litz::Error and leave the graph as it was.
//
//   Tensor, Tensor?    Value; an empty one is None
//   int, SymInt        Size: a number or a symbol          float, bool     double; Flag: true or false, and no number
//   Scalar             Scalar: a number or a symbol        str             std::string
//                      (Number where an overload takes a Flag)
//   int[]              IntList: {2, n}, vectors            int[2]          IntList<true>: one number for all, too
//   T?                 std::optional<T>                    several results std::array, or std::vector where their
//                                                                          number depends on the arguments
#ifndef LITZ_OPS_HPP
#define LITZ_OPS_HPP

#include "litz.hpp"

namespace litz {
"#;

const TAIL: &str = "\n} // namespace litz\n\n#endif // LITZ_OPS_HPP\n";

/// A function: its operator, its name in C++, and from which parameter on defaults are written.
pub struct Function<'o> {
    pub operator: &'o Operator,
    pub name: String,
    /// The types of its parameters.
    pub types: Vec<String>,
    /// A call gives at least so many arguments.
    pub least: usize,
}

/// The names and defaults of all overloads: those with the same parameters as one before get their overload's name,
/// and where a call with `k` arguments could mean two, only the one with fewer parameters may be called with `k`.
pub fn functions(operators: &[Operator]) -> Vec<Function<'_>> {
    let mut sets: BTreeMap<(&str, &str), Vec<&Operator>> = BTreeMap::new();
    for op in operators {
        sets.entry((op.namespace(), op.base())).or_default().push(op);
    }
    let mut all = Vec::new();
    for ((_, base), mut set) in sets {
        set.sort_by_key(|op| (op.parameters.len(), op.overload() != "default", op.overload().to_string()));
        let beside = |k: usize, kinds: &[Kind]| {
            set.iter().any(|op| op.parameters.get(k).is_some_and(|p| kinds.contains(&p.kind)))
        };
        let mut placed: Vec<Function> = Vec::new();
        for op in &set {
            let ty = |(k, p): (usize, &Parameter)| match p.kind {
                // What one overload takes alone, another must not take as well.
                Kind::Ints if beside(k, &[Kind::Int, Kind::SymInt]) => {
                    parameter_type(&Parameter { length: None, ..p.clone() })
                }
                Kind::Scalar if beside(k, &[Kind::Bool]) => parameter_type(p).replace("Scalar", "Number"),
                _ => parameter_type(p),
            };
            let types: Vec<String> = op.parameters.iter().enumerate().map(ty).collect();
            let omittable = op.parameters.iter().rev().take_while(|p| p.omittable()).count();
            let mut least = types.len() - omittable;
            for other in placed.iter().filter(|f| f.operator.base() == f.name) {
                let both = op.parameters.iter().zip(&other.operator.parameters);
                let same = both.take_while(|(a, b)| alike(a.kind, b.kind)).count();
                // Calls with up to as many arguments as are of the same kind could mean both.
                if least <= same && other.least <= same {
                    least = same.min(other.types.len()) + 1;
                }
            }
            let (name, least) = if least <= types.len() {
                (identifier(base, "_op"), least)
            } else {
                (identifier(&op.joined(), "_op"), types.len() - omittable)
            };
            placed.push(Function { operator: op, name, types, least });
        }
        all.extend(placed);
    }
    all
}

/// Whether parameters of these kinds take the same arguments, left out or not.
fn alike(a: Kind, b: Kind) -> bool {
    let integer = |kind| matches!(kind, Kind::Int | Kind::SymInt);
    // Braces around numbers make either list.
    let numbers = |kind| matches!(kind, Kind::Ints | Kind::Floats);
    a == b || integer(a) && integer(b) || numbers(a) && numbers(b)
}

/// The type of a parameter, as it is declared.
fn parameter_type(p: &Parameter) -> String {
    let plain = match p.kind {
        Kind::Tensor => return "const Value &".into(),
        Kind::Tensors if p.optional => return "const std::optional<std::vector<Value>> &".into(),
        Kind::Tensors => return "const std::vector<Value> &".into(),
        Kind::Ints => {
            return format!("const IntList<{}, {}> &", p.length.is_some(), p.optional)
                .replace("<false, false>", "<>")
                .replace(", false>", ">");
        }
        Kind::Floats if p.optional => return "const std::optional<std::vector<double>> &".into(),
        Kind::Floats => return "const std::vector<double> &".into(),
        Kind::Bools if p.optional => return "const std::optional<std::vector<bool>> &".into(),
        Kind::Bools => return "const std::vector<bool> &".into(),
        Kind::Int | Kind::SymInt => "Size",
        Kind::Float => "double",
        Kind::Bool => "Flag",
        Kind::Scalar => "Scalar",
        Kind::Str if p.optional => return "const std::optional<std::string> &".into(),
        Kind::Str => return "const std::string &".into(),
        Kind::Dtype => "Dtype",
        Kind::Layout => "Layout",
        Kind::Device => "DLDevice",
        Kind::MemoryFormat => "MemoryFormat",
    };
    if p.optional { format!("std::optional<{plain}>") } else { plain.to_string() }
}

fn default(p: &Parameter) -> Option<String> {
    let numbers = |list: Vec<String>| format!("{{{}}}", list.join(", "));
    Some(match p.default.as_ref() {
        None if p.optional => none(p),
        None => return None,
        Some(Default::None) => none(p),
        Some(Default::Int(v)) => match p.kind {
            Kind::Dtype => format!("static_cast<Dtype>({v})"),
            Kind::MemoryFormat => format!("static_cast<MemoryFormat>({v})"),
            _ => v.to_string(),
        },
        Some(Default::Float(v)) => format!("{v:?}"),
        Some(Default::Bool(v)) => v.to_string(),
        Some(Default::Str(v)) => format!("{v:?}"),
        Some(Default::Ints(v)) => numbers(v.iter().map(i64::to_string).collect()),
        Some(Default::Bools(v)) => numbers(v.iter().map(bool::to_string).collect()),
    })
}

fn none(p: &Parameter) -> String {
    if p.kind == Kind::Tensor { "Value()".into() } else { "std::nullopt".into() }
}

pub fn header(operators: &[Operator]) -> String {
    let mut text = String::from(HEAD);
    let mut namespace = "";
    let functions = functions(operators);
    // Declarations by namespace; a namespace's operators stand together because they are sorted by name.
    for function in &functions {
        let op = function.operator;
        if op.namespace() != namespace {
            if !namespace.is_empty() {
                text.push_str(&format!("\n}} // namespace {namespace}\n"));
            }
            namespace = op.namespace();
            text.push_str(&format!("\nnamespace {namespace} {{\n"));
        }
        text.push_str(&definition(function));
    }
    text.push_str(&format!("\n}} // namespace {namespace}\n"));
    text.push_str(TAIL);
    text
}

/// Whether a graph must be given, because no argument tells it.
pub fn takes_graph(op: &Operator) -> bool {
    !op.parameters.iter().any(|p| matches!(p.kind, Kind::Tensor | Kind::Tensors))
}

fn definition(function: &Function) -> String {
    let op = function.operator;
    let mut list = Vec::new();
    if takes_graph(op) {
        list.push("Graph &graph".to_string());
    }
    for (k, p) in op.parameters.iter().enumerate() {
        let ty = &function.types[k];
        let space = if ty.ends_with('&') { "" } else { " " };
        let given = match default(p) {
            Some(value) if k >= function.least => format!(" = {value}"),
            _ => String::new(),
        };
        list.push(format!("{ty}{space}{}{given}", p.identifier()));
    }
    let result = match op.results {
        Results::None => "void".to_string(),
        Results::One => "Value".to_string(),
        Results::Fixed(n) => format!("std::array<Value, {n}>"),
        Results::List => "std::vector<Value>".to_string(),
    };
    let mut text = format!("\n/// {}{}\n", op.name, op.schema);
    text.push_str(&wrapped(&format!("inline {result} {}(", function.name), &list, ") {\n"));
    let graph = if takes_graph(op) {
        "graph.get()".to_string()
    } else {
        let tensors = op.parameters.iter().filter(|p| matches!(p.kind, Kind::Tensor | Kind::Tensors));
        format!("detail::graph_of({})", tensors.map(Parameter::identifier).collect::<Vec<_>>().join(", "))
    };
    let args: Vec<String> = op
        .parameters
        .iter()
        .map(|p| match p.kind {
            Kind::Tensor if p.optional => format!("detail::optional({})", p.identifier()),
            Kind::Bools => format!("detail::bools({})", p.identifier()),
            _ => p.identifier(),
        })
        .collect();
    let call = match op.results {
        Results::None => "litz::call_all",
        Results::One => "return litz::call",
        Results::Fixed(_) => "return detail::fixed",
        Results::List => "return litz::call_all",
    };
    let call = match op.results {
        Results::Fixed(n) => format!("{call}<{n}>"),
        _ => call.to_string(),
    };
    text.push_str(&wrapped(&format!("    {call}({graph}, \"{}\", {{", op.name), &args, "});\n}\n"));
    text
}
