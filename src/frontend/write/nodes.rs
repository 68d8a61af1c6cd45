//! A graph's nodes, the graphs that they run, and the guards that reading would not derive.

use super::numbers::{self, Kind};
use super::{Writer, dtype_number};
use crate::base::{HashMap, json};
use crate::frontend::FrontendError;
use crate::frontend::error::Result;
use crate::ir::{Arg, FUNCTIONAL, Graph, Guard, Node, NodeId, OutputValue};
use crate::meta::infer_form;
use crate::ops::{ArgBase, ArgType, Default as SchemaDefault, OpId, SchemaArg};
use crate::types::{DeviceKind, Dtype};
use serde_json::Value as Json;

impl<'g> Writer<'g> {
    /// Every node, with the guards of inputs before them and the others behind.
    pub(super) fn body(&mut self) -> Result<()> {
        let graph = self.graph;
        let waiting = self.own_guards();
        let known = |guard: &&Guard| {
            let given =
                |s| self.sources.contains_key(&s) || self.numbers.contains_key(&graph.syms.symbol_expr(s));
            graph.syms.sources(guard.condition).into_iter().all(given)
        };
        let (first, last): (Vec<&Guard>, Vec<&Guard>) = waiting.into_iter().partition(known);
        first.into_iter().try_for_each(|g| self.guard(g))?;
        for id in &graph.order {
            self.node(*id).map_err(|e| {
                let name = graph.nodes[*id].op.name();
                FrontendError::new(e.status, format!("{name}: {}", e.message))
            })?;
        }
        self.metadata = json!({});
        last.into_iter().try_for_each(|g| self.guard(g))
    }

    /// The guards that inference of the nodes does not leave by itself, word for word: reading finds those again.
    fn own_guards(&self) -> Vec<&'g Guard> {
        let graph = self.graph;
        let derived: Vec<Guard> = graph
            .order
            .iter()
            .map(|id| &graph.nodes[*id])
            .flat_map(|n| {
                infer_form(graph, n.op, n.form, &n.args).map(|(_, guards)| guards).unwrap_or_default()
            })
            .collect();
        graph.guards.iter().filter(|guard| !derived.contains(guard)).collect()
    }

    fn guard(&mut self, guard: &Guard) -> Result<()> {
        let condition = self.bool_argument(guard.condition)?;
        let inputs = json!([
            {"name": "self", "arg": condition, "kind": 1},
            {"name": "assert_msg", "arg": {"as_string": guard.message}, "kind": 1},
        ]);
        let name = self.free("_assert_scalar");
        self.nodes.push(json!({
            "target": "torch.ops.aten._assert_scalar.default",
            "inputs": inputs,
            "outputs": [],
            "metadata": {},
            "is_hop_single_tensor_return": null,
            "name": name,
        }));
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Result<()> {
        let node = &self.graph.nodes[id];
        self.metadata = self.origin_of(node);
        match node.op {
            OpId::Bind => return self.item(node),
            OpId::Cond | OpId::WhileLoop => return self.steering(node),
            // A view of a storage, which is a constant of its own.
            OpId::AsStrided if node.outputs.iter().all(|v| self.names.contains_key(v)) => return Ok(()),
            _ => {}
        }
        let (_, schema, args) = node.called();
        let is_default = |arg: &Arg, want: &SchemaArg| self.is_default(arg, want);
        let positional = schema.args.iter().take_while(|a| !a.keyword_only).count();
        // Positional arguments up to the last that says something.
        let said = |k: &usize| !is_default(&args[*k], &schema.args[*k]);
        let given = (0..positional).rfind(said).map_or(0, |k| k + 1);
        let required = schema.args.iter().take(positional).filter(|a| a.default.is_none()).count();
        let keyword: Vec<usize> = (positional..schema.args.len()).filter(said).collect();
        let mut inputs = Vec::new();
        for k in (0..given.max(required)).chain(keyword) {
            let want = &schema.args[k];
            let arg = self.argument(&args[k], want)?;
            let kind = if want.keyword_only { 2 } else { 1 };
            inputs.push(json!({"name": want.name, "arg": arg, "kind": kind}));
        }
        let target = node.called_name();
        if target.starts_with(FUNCTIONAL) {
            return Err(FrontendError::unsupported(format!("the functional form of `{}`", node.name())));
        }
        let names = self.results(node);
        let mut tensors = names.iter().map(|name| json!({"name": name}));
        let is_list = schema.returns.iter().any(|r| r.list);
        // A list is the last result.
        let one = |result: &ArgType| match result.list {
            true => Some(json!({"as_tensors": tensors.by_ref().collect::<Vec<_>>()})),
            false => tensors.next().map(|t| json!({"as_tensor": t})),
        };
        let outputs: Vec<Json> = schema.returns.iter().filter_map(one).collect();
        let name = match &names[..] {
            [only] if !is_list => only.clone(),
            _ => self.free(short_name(&target)),
        };
        self.push(&format!("torch.ops.{target}"), inputs, outputs, None, &name);
        Ok(())
    }

    fn push(
        &mut self,
        target: &str,
        inputs: Vec<Json>,
        outputs: Vec<Json>,
        single: Option<bool>,
        name: &str,
    ) {
        self.nodes.push(json!({
            "target": target,
            "inputs": inputs,
            "outputs": outputs,
            "metadata": self.metadata,
            "is_hop_single_tensor_return": single,
            "name": name,
        }));
    }

    /// Names for a node's results: those of outputs, where they are some.
    fn results(&mut self, node: &Node) -> Vec<String> {
        let graph = self.graph;
        let mut names = Vec::new();
        for value in &node.outputs {
            let output = graph.outputs.iter().find(|o| o.value == OutputValue::Tensor(*value));
            let own = graph.values[*value].name.clone();
            let wish =
                output.map(|o| o.name.clone()).or(own).unwrap_or_else(|| short_name(node.name()).to_string());
            names.push(self.tensor(*value, &wish, false));
        }
        names
    }

    /// A number in a tensor, as `item` reads it.
    fn item(&mut self, node: &Node) -> Result<()> {
        let (Some(Arg::Value(value)), Some(Arg::Int(symbol))) = (node.arg("self"), node.arg("symbol")) else {
            return Err(FrontendError::unsupported("it binds nothing"));
        };
        let kind = match self.graph.meta(*value).dtype {
            Dtype::Bool => Kind::Truth,
            d if d.is_float() => Kind::Float,
            _ => Kind::Integer,
        };
        let arguments = vec![json!({"as_tensor": {"name": self.name(*value)?}})];
        let name = self.number_node("torch.ops.aten.item.default", arguments, *symbol, kind);
        if let Some(input) = self.nodes.last_mut().and_then(|n| n["inputs"].get_mut(0)) {
            input["name"] = "self".into();
        }
        debug_assert!(self.used.contains(&name));
        Ok(())
    }

    /// `cond` and `while_loop`, whose graphs are arguments.
    fn steering(&mut self, node: &Node) -> Result<()> {
        let mut inputs = Vec::new();
        for (arg, want) in node.args.iter().zip(&node.op.schema().args) {
            let value = match arg {
                Arg::Graph(inner) => {
                    let name = self.free(&format!("{}_graph", want.name));
                    // The condition of a loop gives a tensor, other graphs a list.
                    let single = node.op == OpId::WhileLoop && inputs.is_empty();
                    json!({"as_graph": {"name": name, "graph": subgraph(&inner.0, single)?}})
                }
                Arg::Ints(_) => continue,
                arg => self.argument(arg, want)?,
            };
            inputs.push(json!({"name": "", "arg": value, "kind": 1}));
        }
        let names = self.results(node);
        let outputs: Vec<Json> = names.iter().map(|n| json!({"as_tensor": {"name": n}})).collect();
        // As the graphs say, which give lists.
        let single = false;
        let name = self.free(short_name(node.op.name()));
        self.note_sizes(node)?;
        let target = node.op.name();
        let target = target.strip_suffix(".default").unwrap_or(target);
        self.push(&format!("torch.ops.{target}"), inputs, outputs, Some(single), &name);
        Ok(())
    }

    /// Sizes that a node's graphs decide are those of its results: unbacked symbols to PyTorch.
    fn note_sizes(&mut self, node: &Node) -> Result<()> {
        let Some(Arg::Ints(sizes)) = node.arg("sizes") else { return Ok(()) };
        let graph = self.graph;
        for symbol in sizes.iter().filter_map(|s| graph.syms.as_symbol(*s)) {
            let place = node.outputs.iter().find_map(|value| {
                let shape = &graph.meta(*value).shape;
                let dim = shape.iter().position(|s| graph.syms.as_symbol(*s) == Some(symbol))?;
                Some((*value, dim))
            });
            let place = place.ok_or_else(|| numbers::no_source(graph, symbol))?;
            self.sources.insert(symbol, place);
        }
        Ok(())
    }

    fn argument(&mut self, arg: &Arg, want: &SchemaArg) -> Result<Json> {
        Ok(match arg {
            Arg::None => json!({"as_none": true}),
            Arg::Value(value) => json!({"as_tensor": {"name": self.name(*value)?}}),
            Arg::Values(list) => {
                let mut items = Vec::new();
                let optional = want.ty.element_optional || list.iter().any(Option::is_none);
                for value in list {
                    items.push(match (value, optional) {
                        (Some(v), false) => json!({"name": self.name(*v)?}),
                        (Some(v), true) => json!({"as_tensor": {"name": self.name(*v)?}}),
                        (None, _) => json!({"as_none": true}),
                    });
                }
                if optional { json!({"as_optional_tensors": items}) } else { json!({"as_tensors": items}) }
            }
            Arg::Int(size) if want.ty.base == ArgBase::Scalar => self.number_argument(*size)?,
            Arg::Int(size) => self.int_argument(*size)?,
            Arg::Ints(list) => self.ints_argument(list)?,
            Arg::Float(v) => json!({"as_float": numbers::float(*v)}),
            Arg::SymFloat(bits) => self.float_argument(*bits)?,
            Arg::Complex([re, im]) => {
                json!({"as_complex": {"real": numbers::float(*re), "imag": numbers::float(*im)}})
            }
            Arg::Floats(list) => {
                json!({"as_floats": list.iter().map(|v| numbers::float(*v)).collect::<Vec<_>>()})
            }
            Arg::Bool(v) => json!({"as_bool": v}),
            Arg::Bools(list) => json!({"as_bools": list}),
            Arg::Str(text) => json!({"as_string": text}),
            Arg::Dtype(dtype) => json!({"as_scalar_type": dtype_number(*dtype)}),
            Arg::Layout(layout) => json!({"as_layout": *layout as i32}),
            Arg::Device(device) => {
                let kind = if device.kind == DeviceKind::Cpu { "cpu" } else { "cuda" };
                let index = (device.kind == DeviceKind::Cuda && device.index >= 0).then_some(device.index);
                json!({"as_device": {"type": kind, "index": index}})
            }
            Arg::MemoryFormat(format) => json!({"as_memory_format": *format as i32}),
            Arg::Graph(_) | Arg::Graphs(_) | Arg::Call(_) => {
                return Err(FrontendError::unsupported("a graph as an argument"));
            }
        })
    }

    fn is_default(&self, arg: &Arg, want: &SchemaArg) -> bool {
        let syms = &self.graph.syms;
        match (arg, &want.default) {
            (Arg::None, Some(SchemaDefault::None)) => true,
            (Arg::Int(v), Some(SchemaDefault::Int(d))) => syms.as_const(*v) == Some(*d),
            (Arg::Float(v), Some(SchemaDefault::Float(d))) => v == d,
            (Arg::Bool(v), Some(SchemaDefault::Bool(d))) => v == d,
            (Arg::Str(v), Some(SchemaDefault::Str(d))) => v == d,
            (Arg::Ints(v), Some(SchemaDefault::Ints(d))) => syms.as_consts(v).as_ref() == Some(d),
            (Arg::Bools(v), Some(SchemaDefault::Bools(d))) => v == d,
            _ => false,
        }
    }

    /// A node's stack trace and modules, as PyTorch keeps them.
    fn origin_of(&self, node: &Node) -> Json {
        let Some(origin) = node.origins.first().map(|o| self.graph.origins.get(*o)) else { return json!({}) };
        let mut metadata = json!({});
        if !origin.stack_trace.is_empty() {
            metadata["stack_trace"] = origin.stack_trace.clone().into();
        }
        if !origin.modules.is_empty() {
            let one = |m: &crate::ir::Module| {
                let key = format!("L__self__{}", m.path.replace(['.', ','], "_"));
                format!("{key},{},{}", m.path, m.class)
            };
            let stack: Vec<String> = origin.modules.iter().map(one).collect();
            metadata["nn_module_stack"] = stack.join(";").into();
        }
        metadata
    }
}

/// `add` of `aten.add.Tensor`.
fn short_name(op: &str) -> &str {
    op.split('.').nth(1).unwrap_or(op)
}

/// A graph that a node runs: its inputs are the operands. `single`: it gives one tensor, and not a list.
fn subgraph(graph: &Graph, single: bool) -> Result<Json> {
    if !graph.constants.is_empty() {
        return Err(FrontendError::unsupported("a graph with constants of its own"));
    }
    let mut writer = Writer::new(graph);
    let mut inputs = Vec::new();
    let mut seen: HashMap<_, ()> = HashMap::default();
    for input in &graph.inputs {
        if seen.insert(input.value, ()).is_some() || input.symbol.is_some() {
            return Err(FrontendError::unsupported("a number as an operand of a graph"));
        }
        let name = writer.tensor(input.value, &input.name, false);
        inputs.push(json!({"as_tensor": {"name": name}}));
    }
    writer.body()?;
    let mut outputs = Vec::new();
    for output in &graph.outputs {
        let OutputValue::Tensor(value) = output.value else {
            return Err(FrontendError::unsupported("a number that a graph gives"));
        };
        outputs.push(json!({"as_tensor": {"name": writer.name(value)?}}));
    }
    if !graph.writes.is_empty() {
        return Err(FrontendError::unsupported("a graph that writes to its operands"));
    }
    Ok(writer.finish(inputs, outputs, single))
}
