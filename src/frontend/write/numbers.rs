//! Sizes and other symbolic numbers in export JSON: as sympy's `srepr` in tensor metadata, and as nodes where operators take
//! them.

use super::Writer;
use crate::base::json;
use crate::frontend::FrontendError;
use crate::frontend::error::Result;
use crate::ir::Graph;
use crate::types::{Calculation, SymInt, SymNode, SymbolId};
use serde_json::{Map, Value as Json};

/// A float as the schema has it; JSON lacks some.
pub(super) fn float(v: f64) -> Json {
    if v.is_finite() {
        json!(v)
    } else if v.is_nan() {
        "NaN".into()
    } else if v > 0.0 {
        "Infinity".into()
    } else {
        "-Infinity".into()
    }
}

/// PyTorch's type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Truth,
    Float,
}

impl Kind {
    /// The kind of a calculation's result.
    pub(super) fn of(calculation: Calculation) -> Kind {
        use Calculation::*;
        match calculation {
            Eq | Lt | Le => Kind::Truth,
            c if c.gives_float() => Kind::Float,
            _ => Kind::Integer,
        }
    }
    /// The schema's word for an argument of the kind.
    fn tag(self) -> &'static str {
        match self {
            Kind::Integer => "as_sym_int",
            Kind::Truth => "as_sym_bool",
            Kind::Float => "as_sym_float",
        }
    }
}

/// Nothing in the document gives a symbol's value.
pub(super) fn no_source(graph: &Graph, id: SymbolId) -> FrontendError {
    let name = graph.syms.symbol_name(id);
    FrontendError::unsupported(format!(
        "the symbol `{name}` has no source here: no size of an input or of a node's result gives its value"
    ))
}

/// True for expressions that are 0 or 1 because they are conditions.
fn is_condition(node: &SymNode) -> bool {
    use SymNode::*;
    matches!(node, Eq(..) | Lt(..) | Le(..) | And(..) | Or(..) | Not(..))
}

impl Writer<'_> {
    /// A size in the facts about a tensor.
    pub(super) fn size(&self, size: SymInt) -> Json {
        match self.graph.syms.as_const(size) {
            Some(known) => json!({"as_int": known}),
            None => json!({"as_expr": self.expression(size, Kind::Integer)}),
        }
    }

    /// An expression with what it may be; that of a float is its bits'.
    pub(super) fn expression(&self, size: SymInt, kind: Kind) -> Json {
        let hint = self.graph.syms.hint(size);
        let is_found = |id: &SymbolId| self.data_symbols.contains(id);
        let hint = match kind {
            // A value that only a run finds has none.
            _ if self.graph.syms.sources(size).iter().any(is_found) => Json::Null,
            Kind::Integer => json!({"as_int": hint}),
            Kind::Truth => json!({"as_bool": hint != 0}),
            Kind::Float => json!({"as_float": float(f64::from_bits(hint as u64))}),
        };
        let text = if kind == Kind::Float { self.srepr_float(size) } else { self.srepr(size) };
        json!({"expr_str": text, "hint": hint})
    }

    pub(super) fn srepr(&self, size: SymInt) -> String {
        let syms = &self.graph.syms;
        let one = |s: &SymInt| self.srepr(*s);
        let call = |name: &str, list: &[SymInt]| {
            format!("{name}({})", list.iter().map(one).collect::<Vec<_>>().join(", "))
        };
        match syms.node(size) {
            SymNode::Constant(v) => format!("Integer({v})"),
            SymNode::Symbol(id) if let Some((calculation, operands)) = syms.definition(id) => {
                self.srepr_calculation(calculation, &operands)
            }
            SymNode::Symbol(id) => {
                let range = syms.symbol_range(id);
                let sign = match range.min {
                    1.. => "positive=True, ",
                    0 => "nonnegative=True, ",
                    _ => "",
                };
                format!("Symbol('{}', {sign}integer=True)", self.spelled(id))
            }
            SymNode::Add(list) => call("Add", &list),
            SymNode::Mul(list) => call("Mul", &list),
            SymNode::FloorDiv(a, b) => call("FloorDiv", &[a, b]),
            SymNode::Mod(a, b) => call("PythonMod", &[a, b]),
            SymNode::Min(a, b) => call("Min", &[a, b]),
            SymNode::Max(a, b) => call("Max", &[a, b]),
            SymNode::Eq(a, b) => call("Equality", &[a, b]),
            SymNode::Lt(a, b) => call("StrictLessThan", &[a, b]),
            SymNode::Le(a, b) => call("LessThan", &[a, b]),
            SymNode::And(a, b) => call("And", &[a, b]),
            SymNode::Or(a, b) => call("Or", &[a, b]),
            SymNode::Not(a) => call("Not", &[a]),
            SymNode::Select(c, a, b) => call("Where", &[c, a, b]),
        }
    }

    /// A number as an argument of an operator: an integer, or a condition.
    pub(super) fn number_argument(&mut self, size: SymInt) -> Result<Json> {
        if is_condition(&self.graph.syms.node(size)) {
            return self.bool_argument(size);
        }
        match self.numbers.get(&size) {
            Some(name) if self.bools.contains_key(name) => Ok(json!({"as_sym_bool": {"as_name": name}})),
            _ => self.int_argument(size),
        }
    }

    pub(super) fn int_argument(&mut self, size: SymInt) -> Result<Json> {
        Ok(match self.graph.syms.as_const(size) {
            Some(known) => json!({"as_int": known}),
            None => json!({"as_sym_int": {"as_name": self.int_name(size)?}}),
        })
    }

    pub(super) fn bool_argument(&mut self, size: SymInt) -> Result<Json> {
        Ok(match self.graph.syms.as_const(size) {
            Some(known) => json!({"as_bool": known != 0}),
            None => json!({"as_sym_bool": {"as_name": self.bool_name(size)?}}),
        })
    }

    /// Items of a list of integers.
    pub(super) fn ints_argument(&mut self, list: &[SymInt]) -> Result<Json> {
        if let Some(known) = self.graph.syms.as_consts(list) {
            return Ok(json!({"as_ints": known}));
        }
        let mut items = Vec::new();
        for size in list {
            items.push(match self.graph.syms.as_const(*size) {
                Some(known) => json!({"as_int": known}),
                None => json!({"as_name": self.int_name(*size)?}),
            });
        }
        Ok(json!({"as_sym_ints": items}))
    }

    /// The name of an integer, which nodes are added for where it has none yet.
    fn int_name(&mut self, size: SymInt) -> Result<String> {
        if let Some(name) = self.numbers.get(&size) {
            return Ok(name.clone());
        }
        use SymNode::*;
        match self.graph.syms.node(size) {
            Constant(v) => Err(FrontendError::unsupported(format!("the number {v} has no name"))),
            Symbol(id) => self.symbol_name(id, size),
            Add(list) => self.fold("add", &list),
            Mul(list) => self.fold("mul", &list),
            FloorDiv(a, b) => self.call("_operator.floordiv", &[a, b], size),
            Mod(a, b) => self.call("_operator.mod", &[a, b], size),
            Min(a, b) => self.call("torch.sym_min", &[a, b], size),
            Max(a, b) => self.call("torch.sym_max", &[a, b], size),
            Select(c, a, b) => {
                let condition = self.bool_argument(c)?;
                let (a, b) = (self.int_argument(a)?, self.int_argument(b)?);
                Ok(self.number_node("torch.sym_ite", vec![condition, a, b], size, Kind::Integer))
            }
            // A condition that is counted with: 1 where it holds.
            Eq(..) | Lt(..) | Le(..) | And(..) | Or(..) | Not(..) => {
                let condition = self.bool_argument(size)?;
                let (one, zero) = (json!({"as_int": 1}), json!({"as_int": 0}));
                Ok(self.number_node("torch.sym_ite", vec![condition, one, zero], size, Kind::Integer))
            }
        }
    }

    fn bool_name(&mut self, size: SymInt) -> Result<String> {
        if let Some(name) = self.numbers.get(&size)
            && self.bools.contains_key(name)
        {
            return Ok(name.clone());
        }
        use SymNode::*;
        let node = self.graph.syms.node(size);
        if let Symbol(id) = node
            && let Some((calculation, operands)) = self.graph.syms.definition(id)
            && Kind::of(calculation) == Kind::Truth
        {
            return self.calculated(calculation, &operands, size);
        }
        let (target, arguments) = match node {
            Eq(a, b) => ("_operator.eq", [self.int_argument(a)?, self.int_argument(b)?].to_vec()),
            Lt(a, b) => ("_operator.lt", [self.int_argument(a)?, self.int_argument(b)?].to_vec()),
            Le(a, b) => ("_operator.le", [self.int_argument(a)?, self.int_argument(b)?].to_vec()),
            And(a, b) => ("_operator.and_", [self.bool_argument(a)?, self.bool_argument(b)?].to_vec()),
            Or(a, b) => ("_operator.or_", [self.bool_argument(a)?, self.bool_argument(b)?].to_vec()),
            Not(a) => ("torch.sym_not", [self.bool_argument(a)?].to_vec()),
            // Any other number holds where it is not 0.
            _ => ("_operator.ne", [self.int_argument(size)?, json!({"as_int": 0})].to_vec()),
        };
        Ok(self.number_node(target, arguments, size, Kind::Truth))
    }

    /// A symbol's value: where an input has it.
    fn symbol_name(&mut self, id: SymbolId, size: SymInt) -> Result<String> {
        if let Some((calculation, operands)) = self.graph.syms.definition(id) {
            if Kind::of(calculation) != Kind::Truth {
                return self.calculated(calculation, &operands, size);
            }
            // A condition that is counted with.
            let condition = self.bool_argument(size)?;
            let choice = vec![condition, json!({"as_int": 1}), json!({"as_int": 0})];
            return Ok(self.number_node("torch.sym_ite", choice, size, Kind::Integer));
        }
        let Some((value, dim)) = self.sources.get(&id).copied() else {
            return Err(no_source(self.graph, id));
        };
        let whole = self.graph.meta(value).shape[dim];
        let arguments = vec![json!({"as_tensor": {"name": self.name(value)?}}), json!({"as_int": dim})];
        let read = self.number_node("torch.ops.aten.sym_size.int", arguments, whole, Kind::Integer);
        if whole == size {
            return Ok(read);
        }
        // whole = factor * symbol + rest
        let syms = &self.graph.syms;
        let linear = syms.linear_in(whole, id);
        let linear = linear.and_then(|(f, rest)| Some((syms.as_const(f)?, syms.as_const(rest)?)));
        let Some((factor, rest)) = linear.filter(|(factor, _)| *factor > 0) else {
            let (name, text) = (syms.symbol_name(id), syms.display(whole));
            return Err(FrontendError::unsupported(format!(
                "the symbol `{name}` stands in the size {text} alone, which does not give its value"
            )));
        };
        let multiple = syms.add_const(whole, -rest);
        let of = json!({"as_sym_int": {"as_name": read}});
        let name = if rest == 0 {
            of
        } else {
            let name =
                self.number_node("_operator.sub", vec![of, json!({"as_int": rest})], multiple, Kind::Integer);
            json!({"as_sym_int": {"as_name": name}})
        };
        if factor == 1 {
            return self.numbers.get(&multiple).cloned().ok_or_else(|| no_source(self.graph, id));
        }
        Ok(self.number_node("_operator.floordiv", vec![name, json!({"as_int": factor})], size, Kind::Integer))
    }

    fn fold(&mut self, operator: &str, list: &[SymInt]) -> Result<String> {
        let target = format!("_operator.{operator}");
        let mut all = list[0];
        let mut name = None;
        for next in &list[1..] {
            let syms = &self.graph.syms;
            let so_far = if operator == "add" { syms.add(all, *next) } else { syms.mul(all, *next) };
            let left = match name {
                Some(name) => json!({"as_sym_int": {"as_name": name}}),
                None => self.int_argument(all)?,
            };
            let right = self.int_argument(*next)?;
            name = Some(match self.numbers.get(&so_far) {
                Some(known) => known.clone(),
                None => self.number_node(&target, vec![left, right], so_far, Kind::Integer),
            });
            all = so_far;
        }
        Ok(name.expect("a sum or product has two terms or more"))
    }

    fn call(&mut self, target: &str, operands: &[SymInt], size: SymInt) -> Result<String> {
        let arguments: Vec<Json> = operands.iter().map(|s| self.int_argument(*s)).collect::<Result<_>>()?;
        Ok(self.number_node(target, arguments, size, Kind::Integer))
    }

    /// The facts about numbers of a kind.
    pub(super) fn values(&mut self, kind: Kind) -> &mut Map<String, Json> {
        match kind {
            Kind::Integer => &mut self.ints,
            Kind::Truth => &mut self.bools,
            Kind::Float => &mut self.floats,
        }
    }

    /// Adds a node that gives a number.
    pub(super) fn number_node(
        &mut self,
        target: &str,
        arguments: Vec<Json>,
        size: SymInt,
        kind: Kind,
    ) -> String {
        let short = target.trim_start_matches("torch.ops.aten.");
        let short =
            short.trim_start_matches("_operator.").trim_start_matches("torch.").trim_start_matches("math.");
        let short = short.split('.').next().unwrap_or(short).trim_end_matches('_');
        let name = self.free(short);
        let expression = json!({"as_expr": self.expression(size, kind)});
        self.values(kind).insert(name.clone(), expression);
        let names: &[&str] = if short == "sym_size" { &["self", "dim"] } else { &["a", "b", "c"] };
        let inputs: Vec<Json> = arguments
            .into_iter()
            .zip(names)
            .map(|(arg, name)| json!({"name": name, "arg": arg, "kind": 1}))
            .collect();
        self.nodes.push(json!({
            "target": target,
            "inputs": inputs,
            "outputs": [{(kind.tag()): {"as_name": name}}],
            "metadata": self.metadata,
            "is_hop_single_tensor_return": null,
            "name": name,
        }));
        self.numbers.insert(size, name.clone());
        name
    }
}
