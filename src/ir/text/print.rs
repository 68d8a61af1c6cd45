//! Graphs to text.

use super::origins::Sources;
use super::{Names, base64};
use crate::base::{HashMap, HashSet};
use crate::ir::seeded::Seeded;
use crate::ir::shared::repeated;
use crate::ir::spec::{Fixed, Holds};
use crate::ir::{
    Arg, Constant, ConstantData, ConstantKind, Definition, Graph, Node, NodeId, Number, OriginId,
    OutputValue, Value, symbols_of_nodes,
};
use crate::ops::{Default as SchemaDefault, SchemaArg};
use crate::types::{DeviceKind, Dtype, Layout, Range, Scalar, SymInt, SymbolId, TensorMeta, float_text};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

/// The bytes of a constant that texts for people show at most.
const SHORT: usize = 64;

/// The whole graph, values numbered in order; parsed, it prints the same.
pub fn print(graph: &Graph) -> String {
    let sources = Rc::new(Sources::of(graph));
    Printer { numbers: Some(numbers(graph)), signature: true, sources, ..Printer::of(graph) }.graph()
}

/// Where larger data of a constant are.
pub enum Placed {
    /// At that byte of a file that belongs to the text.
    Stored(usize),
    Seeded(Seeded),
}

type Place<'a> = &'a mut dyn FnMut(&Arc<ConstantData>, Dtype) -> Placed;

/// [`print`], with a place instead of data that a short list of numbers does not say.
pub fn print_placed(graph: &Graph, place: Place<'_>) -> String {
    let place = Some(&RefCell::new(place));
    let sources = Rc::new(Sources::of(graph));
    Printer { numbers: Some(numbers(graph)), signature: true, place, sources, ..Printer::of(graph) }.graph()
}

/// The graph as an argument of a node of another graph: symbols of these names are that graph's. Beside the text, the origins that
/// nodes name by number.
pub fn print_inside(graph: &Graph, known: &HashSet<String>) -> (String, Vec<OriginId>) {
    let (sources, origins) = Sources::apart(graph);
    let sources = Rc::new(sources);
    // What a node gives is its own, whatever it is called.
    let own = symbols_of_nodes(graph);
    let is_known = |id: &SymbolId| !own.contains(id) && known.contains(&graph.syms.symbol_name(*id));
    let mut names = Names::default();
    let (shared, others): (Vec<_>, Vec<_>) = mentioned(graph).into_iter().partition(is_known);
    shared.iter().for_each(|id| _ = names.add(&graph.syms, *id));
    names.reserve(known.iter().cloned());
    others.iter().for_each(|id| _ = names.add(&graph.syms, *id));
    let printer = Printer { declared: others, ..Printer::among(graph, names) };
    let printer = Printer { numbers: Some(numbers(graph)), sources, ..printer };
    (printer.graph(), origins)
}

/// The values in order.
fn numbers(graph: &Graph) -> HashMap<Value, usize> {
    let mut numbers = HashMap::default();
    let given = graph.inputs.iter().map(|i| i.value).chain(graph.constants.iter().map(|c| c.value));
    let made = graph.order.iter().flat_map(|n| graph.nodes[*n].outputs.iter().copied());
    for value in given.chain(made) {
        let next = numbers.len();
        numbers.entry(value).or_insert(next);
    }
    numbers
}

/// For logs and tests: the graph's own numbers, data of more than 64 bytes left out.
pub fn dump(graph: &Graph) -> String {
    Printer { limit: SHORT, ..Printer::of(graph) }.graph()
}

/// One node's arguments as [`dump`] writes them, in the schema's order.
pub fn arguments(graph: &Graph, names: &mut SymbolNames, node: NodeId) -> Vec<String> {
    let node = &graph.nodes[node];
    let repeated = Repeated::of(node.subgraphs());
    let printer = Printer { limit: SHORT, ..Printer::with(graph, names.of(graph), repeated) };
    node.args.iter().map(|arg| printer.arg(arg)).collect()
}

/// The names of a graph's symbols, kept while the graph is edited and read node by node.
#[derive(Default)]
pub struct SymbolNames {
    names: Arc<Names>,
    /// How many symbols there were.
    count: usize,
}

impl SymbolNames {
    fn of(&mut self, graph: &Graph) -> Arc<Names> {
        let count = graph.syms.symbol_count();
        if self.count != count {
            *self = SymbolNames { names: Arc::new(names(graph)), count };
        }
        self.names.clone()
    }
}

/// Names for all symbols that the text mentions: declared ones first, then as they appear.
fn names(graph: &Graph) -> Names {
    let mut names = Names::default();
    let syms = &graph.syms;
    for symbol in mentioned(graph) {
        names.add(syms, symbol);
    }
    names
}

/// Graphs that are several arguments: the first is written out, with a number for the others.
struct Repeated {
    graphs: HashSet<*const Graph>,
    numbers: RefCell<HashMap<*const Graph, usize>>,
}

impl Repeated {
    /// Among these graphs and those that their nodes run.
    fn of<'g>(graphs: impl Iterator<Item = &'g Graph>) -> Repeated {
        Repeated { graphs: repeated(graphs), numbers: RefCell::default() }
    }
}

/// The symbols that a graph's text mentions: declared ones first, then as they appear.
pub fn mentioned(graph: &Graph) -> Vec<SymbolId> {
    let mut seen = HashSet::default();
    let all = expressions(graph, &mut HashSet::default());
    all.into_iter().flat_map(|e| graph.syms.sources(e)).filter(|s| seen.insert(*s)).collect()
}

/// The expressions in a graph's text, in its order; of each graph once.
fn expressions(graph: &Graph, graphs: &mut HashSet<*const Graph>) -> Vec<SymInt> {
    let mut all: Vec<SymInt> = graph.symbols.clone();
    for input in &graph.inputs {
        let meta = &graph.metas[input.value];
        all.extend(meta.shape.iter().chain(&meta.strides));
        all.push(meta.offset);
        all.extend(input.symbol);
    }
    for id in &graph.order {
        for arg in &graph.nodes[*id].args {
            match arg {
                Arg::Int(v) | Arg::SymFloat(v) => all.push(*v),
                Arg::Ints(list) => all.extend(list),
                Arg::Graph(g) if graphs.insert(std::ptr::from_ref(&*g.0)) => {
                    all.extend(expressions(&g.0, graphs));
                }
                _ => {}
            }
        }
    }
    all.extend(graph.guards.iter().map(|g| g.condition));
    all.extend(graph.outputs.iter().filter_map(|o| match o.value {
        OutputValue::Number(Number::Symbolic(v) | Number::Truth(v) | Number::Float(v)) => Some(v),
        _ => None,
    }));
    all.dedup();
    all
}

struct Printer<'a, 'p> {
    graph: &'a Graph,
    names: Arc<Names>,
    /// The numbers to print; `None`: the values' own.
    numbers: Option<HashMap<Value, usize>>,
    /// Data of more bytes is left out.
    limit: usize,
    /// How many graphs are around this one.
    depth: usize,
    /// Its signature is said.
    signature: bool,
    /// The symbols that it declares, and the parts of expressions that have names.
    declared: Vec<SymbolId>,
    parts: Vec<SymInt>,
    repeated: Rc<Repeated>,
    /// Where nodes come from, where that is said.
    sources: Rc<Sources>,
    /// What tells where larger data are; `None`: they stand in the text.
    place: Option<&'a RefCell<Place<'p>>>,
}

impl<'a> Printer<'a, '_> {
    /// For a graph that no other one runs: its data in the text, its values' own numbers, no signature.
    fn of(graph: &'a Graph) -> Self {
        Printer::among(graph, names(graph))
    }
    /// [`Self::of`], where symbols have these names.
    fn among(graph: &'a Graph, mut names: Names) -> Self {
        let subgraphs = graph.order.iter().flat_map(|id| graph.nodes[*id].subgraphs());
        let declared = mentioned(graph);
        let parts = names.name_parts(&graph.syms, &expressions(graph, &mut HashSet::default()));
        Printer { declared, parts, ..Printer::with(graph, Arc::new(names), Repeated::of(subgraphs)) }
    }
    /// The same, without declarations of symbols.
    fn with(graph: &'a Graph, names: Arc<Names>, repeated: Repeated) -> Self {
        Printer {
            graph,
            names,
            numbers: None,
            limit: usize::MAX,
            depth: 0,
            signature: false,
            declared: Vec::new(),
            parts: Vec::new(),
            repeated: Rc::new(repeated),
            sources: Rc::default(),
            place: None,
        }
    }

    fn graph(&self) -> String {
        let (g, syms) = (self.graph, &self.graph.syms);
        let address = std::ptr::from_ref(g);
        let number = if self.repeated.graphs.contains(&address) {
            let mut numbers = self.repeated.numbers.borrow_mut();
            let next = numbers.len();
            format!(" as {}", numbers.entry(address).or_insert(next))
        } else {
            String::new()
        };
        let mut out = format!("graph {}{number} {{\n", quoted(&g.name, '"'));
        let mut line = |text: String| {
            let _ = writeln!(out, "{}  {text}", "  ".repeat(self.depth));
        };
        for text in self.sources.lines.iter().filter(|_| self.depth == 0) {
            line(text.clone());
        }
        if self.depth == 0 && g.takes_wide_unsigned && g.has_wide_unsigned() {
            line("wide_unsigned".to_string());
        }
        if self.depth == 0 && g.made_on_gpu {
            line("gpu".to_string());
        }
        // The outermost graph declares all symbols.
        for id in self.declared.iter().copied() {
            let hint = syms.symbol_hint(id).map(|h| format!(" hint {h}")).unwrap_or_default();
            line(format!("symbol {} in {}{hint}", self.names.get(syms, id), range(syms.symbol_range(id))));
        }
        for part in &self.parts {
            let name = self.names.part(*part).unwrap_or_default();
            line(format!("let {name} = {}", self.names.meaning(syms, *part)));
        }
        for input in &g.inputs {
            let (number, name) = (self.value(input.value), quoted(&input.name, '"'));
            let meta = &g.metas[input.value];
            line(match input.symbol {
                Some(symbol) => format!("number {number} {name}: {} = {}", meta.dtype, self.size(symbol)),
                None => {
                    let spent = if input.spent { " spent" } else { "" };
                    format!("input {number} {name}{spent}: {}{}", self.ty(meta), self.layout(meta))
                }
            });
        }
        for constant in &g.constants {
            line(self.constant(constant));
        }
        for id in &g.order {
            line(self.node(&g.nodes[*id]));
        }
        for guard in &g.guards {
            line(format!("guard {} {}", self.size(guard.condition), quoted(&guard.message, '"')));
        }
        for write in &g.writes {
            let name = match write.target {
                Definition::Input(k) => quoted(&g.inputs[k].name, '"'),
                Definition::Constant(k) => quoted(&g.constants[k].name, '"'),
                Definition::Node { node, .. } => format!("{node}"),
            };
            line(format!("write {name} = {}", self.value(write.value)));
        }
        for output in &g.outputs {
            let value = match output.value {
                OutputValue::Tensor(v) => self.value(v),
                OutputValue::Number(Number::Symbolic(v)) => self.size(v),
                OutputValue::Number(Number::Truth(v)) => format!("bool({})", self.size(v)),
                OutputValue::Number(Number::Float(v)) => self.names.float(syms, v),
                OutputValue::Number(Number::Scalar(number)) => scalar(number),
            };
            line(format!("output {} = {value}", quoted(&output.name, '"')));
        }
        if self.signature {
            signature(g, &mut line);
        }
        let _ = writeln!(out, "{}}}", "  ".repeat(self.depth));
        out
    }

    fn value(&self, value: Value) -> String {
        match &self.numbers {
            Some(numbers) => format!("%{}", numbers.get(&value).copied().unwrap_or(usize::MAX)),
            None => format!("{value}"),
        }
    }
    fn size(&self, size: SymInt) -> String {
        self.names.expression(&self.graph.syms, size)
    }
    fn sizes(&self, list: &[SymInt]) -> String {
        self.names.list(&self.graph.syms, list)
    }
    fn ty(&self, meta: &TensorMeta) -> String {
        format!("{}{}", meta.dtype, self.sizes(&meta.shape))
    }
    /// A result's type, which a parser infers.
    fn type_in_short(&self, value: Value) -> String {
        let (meta, syms) = (&self.graph.metas[value], &self.graph.syms);
        let sizes: Vec<String> = meta.shape.iter().map(|s| self.names.in_short(syms, *s)).collect();
        format!("{}[{}]", meta.dtype, sizes.join(", "))
    }
    /// Strides and offset, where they are not those of a contiguous tensor.
    fn layout(&self, meta: &TensorMeta) -> String {
        let syms = &self.graph.syms;
        let plain = TensorMeta::contiguous(syms, meta.dtype, meta.shape.clone());
        let mut text = String::new();
        if meta.strides != plain.strides {
            let _ = write!(text, " strides {}", self.sizes(&meta.strides));
        }
        if meta.offset != plain.offset {
            let _ = write!(text, " offset {}", self.size(meta.offset));
        }
        text
    }

    fn constant(&self, constant: &Constant) -> String {
        let kind = kind_word(constant.kind);
        let meta = &self.graph.metas[constant.value];
        let aliases: Vec<String> = constant.aliases.iter().map(|a| quoted(a, '"')).collect();
        let aliases =
            if aliases.is_empty() { String::new() } else { format!(" aliases [{}]", aliases.join(", ")) };
        let bytes = constant.data.bytes();
        let strings = |list: &[String]| list.iter().map(|a| quoted(a, '"')).collect::<Vec<_>>().join(", ");
        let views: Vec<String> = constant
            .views
            .iter()
            .map(|v| {
                let aliases = if v.aliases.is_empty() {
                    String::new()
                } else {
                    format!(" aliases [{}]", strings(&v.aliases))
                };
                let (kind, name) = (kind_word(v.kind), quoted(&v.name, '"'));
                format!("{kind} {name}{aliases} {:?} strides {:?} offset {}", v.shape, v.strides, v.offset)
            })
            .collect();
        let views = if views.is_empty() { String::new() } else { format!(" views [{}]", views.join(", ")) };
        let data = match dense(meta.dtype, bytes) {
            Some(list) => list,
            None if let Some(place) = self.place
                && !bytes.is_empty() =>
            {
                match (place.borrow_mut())(&constant.data, meta.dtype) {
                    Placed::Stored(at) => format!("stored {at}"),
                    Placed::Seeded(seeded) => seeded.to_string(),
                }
            }
            None if bytes.len() > self.limit => format!("elided {} bytes", bytes.len()),
            None => format!("base64 \"{}\"", base64::encode(bytes)),
        };
        let (number, name) = (self.value(constant.value), quoted(&constant.name, '"'));
        format!("{kind} {number} {name}{aliases}{views}: {}{} = {data}", self.ty(meta), self.layout(meta))
    }

    fn node(&self, node: &Node) -> String {
        let results: Vec<String> = node
            .outputs
            .iter()
            .map(|v| match &self.graph.values[*v].name {
                Some(name) => format!("{} {}", self.value(*v), quoted(name, '"')),
                None => self.value(*v),
            })
            .collect();
        let (op, (_, schema, given)) = (node.called_name(), node.called());
        let mut args = Vec::new();
        let mut skipped = false;
        for (arg, want) in given.iter().zip(&schema.args) {
            if self.is_default(arg, want) {
                skipped = true;
            } else if skipped || want.keyword_only {
                args.push(format!("{}={}", want.name, self.arg(arg)));
            } else {
                args.push(self.arg(arg));
            }
        }
        let types: Vec<String> = node.outputs.iter().map(|v| self.type_in_short(*v)).collect();
        let types = if types.is_empty() { String::new() } else { format!("  # {}", types.join(", ")) };
        let results = if results.is_empty() { String::new() } else { format!("{} = ", results.join(", ")) };
        let from = self.sources.of_node(&node.origins);
        format!("{results}{op}({}){from}{types}", args.join(", "))
    }

    fn is_default(&self, arg: &Arg, want: &SchemaArg) -> bool {
        let int = |v: &SymInt| self.graph.syms.as_const(*v);
        match (arg, &want.default) {
            (Arg::None, None) => want.ty.optional,
            (Arg::None, Some(SchemaDefault::None)) => true,
            (Arg::Int(v), Some(SchemaDefault::Int(d))) => int(v) == Some(*d),
            (Arg::Float(v), Some(SchemaDefault::Float(d))) => v.to_bits() == d.to_bits(),
            (Arg::Bool(v), Some(SchemaDefault::Bool(d))) => v == d,
            (Arg::Str(v), Some(SchemaDefault::Str(d))) => v == d,
            (Arg::Ints(v), Some(SchemaDefault::Ints(d))) => {
                v.len() == d.len() && v.iter().zip(d).all(|(v, d)| int(v) == Some(*d))
            }
            _ => false,
        }
    }

    fn arg(&self, arg: &Arg) -> String {
        fn list<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
            format!("[{}]", items.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        match arg {
            Arg::None => "None".to_string(),
            Arg::Value(v) => self.value(*v),
            Arg::Values(vs) => list(vs, |v| v.map_or("None".to_string(), |v| self.value(v))),
            Arg::Int(v) => self.size(*v),
            Arg::Ints(vs) => self.sizes(vs),
            Arg::Graph(g) => {
                if let Some(number) = self.repeated.numbers.borrow().get(&std::ptr::from_ref(&*g.0)) {
                    return format!("graph {number}");
                }
                let numbers = self.numbers.as_ref().map(|_| numbers(&g.0));
                let inner = Printer {
                    graph: &g.0,
                    names: self.names.clone(),
                    numbers,
                    depth: self.depth + 1,
                    signature: false,
                    declared: Vec::new(),
                    parts: Vec::new(),
                    repeated: self.repeated.clone(),
                    sources: self.sources.clone(),
                    ..*self
                };
                inner.graph().trim_end().to_string()
            }
            Arg::Graphs(graphs) => list(graphs, |g| self.arg(&Arg::Graph(g.clone()))),
            Arg::Call(call) => call.operator.name.to_string(),
            Arg::Float(v) => float(*v),
            Arg::SymFloat(v) => self.names.float(&self.graph.syms, *v),
            Arg::Complex([re, im]) => format!("complex({}, {})", float(*re), float(*im)),
            Arg::Floats(vs) => list(vs, |v| float(*v)),
            Arg::Bool(v) => v.to_string(),
            Arg::Bools(vs) => list(vs, bool::to_string),
            Arg::Str(s) => quoted(s, '"'),
            Arg::Dtype(d) => d.name().to_string(),
            Arg::Layout(Layout::Strided) => "strided".to_string(),
            Arg::Device(d) => match d.kind {
                DeviceKind::Cpu => format!("cpu({})", d.index),
                DeviceKind::Cuda => format!("cuda({})", d.index),
            },
            Arg::MemoryFormat(m) => m.name().to_string(),
        }
    }
}

fn kind_word(kind: ConstantKind) -> &'static str {
    match kind {
        ConstantKind::Parameter => "parameter",
        ConstantKind::Buffer => "buffer",
        ConstantKind::Constant => "constant",
    }
}

fn range(range: Range) -> String {
    let bound = |v: i64| match v {
        i64::MIN => "-inf".to_string(),
        i64::MAX => "inf".to_string(),
        v => v.to_string(),
    };
    format!("[{}, {}]", bound(range.min), bound(range.max))
}

/// Always distinguishable from an integer, and exact.
fn float(v: f64) -> String {
    float_text(v)
}

/// A signature's lines.
fn signature(graph: &Graph, line: &mut dyn FnMut(String)) {
    let spec = &graph.spec;
    let sides = [
        (&spec.inputs, graph.inputs.len(), "arguments", "argument"),
        (&spec.outputs, graph.outputs.len(), "results", "result"),
    ];
    for (side, _, trees, word) in sides.into_iter().filter(|(side, n, ..)| side.fits(*n)) {
        if let Some(tree) = &side.tree {
            line(format!("{trees} {}", quoted(tree, '"')));
        }
        for leaf in &side.leaves {
            let holds = match &leaf.holds {
                Holds::Given => String::new(),
                Holds::None => " = None".to_string(),
                Holds::Fixed(Fixed::Text(text)) => format!(" = {}", quoted(text, '"')),
                Holds::Fixed(Fixed::Number(number)) => format!(" = {}", scalar(*number)),
            };
            line(format!("{word} {}{holds}", quoted(&leaf.path, '"')));
        }
    }
    for (key, value) in &spec.metadata {
        line(format!("metadata {} = {}", quoted(key, '"'), quoted(value, '"')));
    }
}

fn scalar(number: Scalar) -> String {
    match number {
        Scalar::Int(v) => v.to_string(),
        Scalar::Float(v) => float(v),
        Scalar::Bool(v) => v.to_string(),
    }
}

/// A string between two quotes of a kind.
pub fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// At most sixteen elements as a list of numbers; `None` where there are more or the numbers do not say all.
fn dense(dtype: Dtype, bytes: &[u8]) -> Option<String> {
    let size = dtype.size();
    if bytes.len() > 16 * size || bytes.is_empty() {
        return None;
    }
    let one = |b: &[u8]| -> Option<String> {
        let mut word = [0u8; 8];
        word[..b.len()].copy_from_slice(b);
        let unsigned = u64::from_le_bytes(word);
        let shift = 64 - 8 * b.len();
        Some(match dtype {
            Dtype::Float32 => {
                let v = f32::from_bits(unsigned as u32);
                (!v.is_nan()).then(|| format!("{v:?}"))?
            }
            Dtype::Float64 => {
                let v = f64::from_bits(unsigned);
                (!v.is_nan()).then(|| format!("{v:?}"))?
            }
            Dtype::Bool => match unsigned {
                0 => "false".to_string(),
                1 => "true".to_string(),
                _ => return None,
            },
            d if d.is_integer() && d.is_signed() => (((unsigned << shift) as i64) >> shift).to_string(),
            d if d.is_integer() && d != Dtype::Uint64 => unsigned.to_string(),
            _ => return None,
        })
    };
    let list: Vec<String> = bytes.chunks(size).map(one).collect::<Option<_>>()?;
    Some(format!("[{}]", list.join(", ")))
}
