//! An exported program's JSON as a graph: inputs and constants by the signature, nodes in order, outputs.

use super::FrontendError;
use super::constants::Loaded;
use super::error::Result;
use super::number::Number;
use super::regions::Precision;
use super::scope::{Entry, Scope, bind};
use super::signature::{Call, fixed};
use super::symbols::Symbols;
use super::weight_files::WeightFile;
use super::weights::{Payload, Payloads, SharedStorage, read_dtype};
use super::{composite, guards, json, srepr, survey};
use crate::base::{HashMap, HashSet};
use crate::ir::spec::Holds;
use crate::ir::{self, ConstantKind, Definition, Graph, HostOperators, Value};
use crate::types::{Dtype, Range, SymInt, TensorMeta, contiguous_strides};
use serde_json::Value as Json;

/// The parts of an exported program, whether the document is one or its `graph_module` alone.
pub(super) struct Document<'a> {
    graph: &'a Json,
    pub(super) signature: &'a Json,
    ranges: Option<&'a Json>,
    guards: Option<&'a Json>,
    calls: Option<&'a Json>,
    tuples: Option<&'a Json>,
}

/// What is being read.
pub struct Reader<'a> {
    pub graph: Graph,
    pub symbols: Symbols,
    pub(super) payloads: Option<&'a Payloads>,
    /// Where there are no payloads: what becomes a constant by its name, and no input.
    pub(super) weights: Option<&'a WeightFile>,
    /// Tensors of the weights that are in the graph.
    pub(super) loaded: Vec<Loaded>,
    /// What the weights should have and have not.
    pub(super) missing: Vec<String>,
    /// The view of its storage that each constant is.
    pub(super) views: Vec<Payload>,
    /// Storages of which several constants are different views that overlap.
    pub(super) shared: Vec<SharedStorage>,
    /// Parameters, buffers and constants by exported name: constants, or inputs where there are no weights.
    pub(super) named: HashMap<String, Definition>,
    /// The symbol that a number of the graph is called, by the number's name.
    pub number_symbols: HashMap<String, String>,
    /// User inputs by the name that nodes use.
    pub(super) user_inputs: HashMap<String, usize>,
    /// Where in its storage an input began when the program was exported, for inputs that did not begin it.
    pub(super) starts: HashMap<Value, i64>,
    /// Whether a subgraph of such a program is being read. Its inputs may be views of those inputs.
    pub(super) starts_around: bool,
    /// Bounds of counts that the exporter asserts and that are too low: see `masked_select`.
    pub(super) low_bounds: Vec<SymInt>,
    /// The trees of arguments and results, as the program records them.
    pub(super) call: Call,
    pub(super) precision: Precision,
}

/// Where parameters, buffers and constants come from.
pub enum State<'a> {
    /// The archive around the program, and the text of its extra file about composite results (`composite_results`).
    Archive(&'a Payloads, Option<String>),
    /// A file of its own. What it has not is an input, where no such file would have it.
    Weights(&'a WeightFile),
    /// They become inputs.
    Inputs,
}

/// Reads a document.
pub fn read(document: &Json, name: &str, state: State<'_>, operators: &HostOperators) -> Result<Graph> {
    check_version(document)?;
    let results = if let State::Archive(_, results) = &state { results.as_deref() } else { None };
    let apart = composite::in_parts(document, results)?;
    let (document, composites) = match &apart {
        Some(apart) => (&apart.document, &apart.metadata[..]),
        None => (document, &[][..]),
    };
    let module = json::optional(document, "graph_module").unwrap_or(document);
    let place = "the program";
    let document = Document {
        graph: json::field(module, "graph", place)?,
        signature: json::field(module, "signature", place)?,
        ranges: json::optional(document, "range_constraints"),
        guards: json::optional(document, "guards_code"),
        calls: json::optional(module, "module_call_graph"),
        tuples: json::optional(module, "treespec_namedtuple_fields"),
    };
    let graph = Graph { operators: operators.clone(), ..Graph::new(name) };
    let symbols = Symbols::new(graph.syms.clone(), document.ranges)?;
    let mut reader = Reader {
        graph,
        symbols,
        payloads: if let State::Archive(payloads, _) = state { Some(payloads) } else { None },
        weights: if let State::Weights(weights) = state { Some(weights) } else { None },
        loaded: Vec::new(),
        missing: Vec::new(),
        views: Vec::new(),
        shared: Vec::new(),
        named: HashMap::default(),
        number_symbols: HashMap::default(),
        user_inputs: HashMap::default(),
        starts: HashMap::default(),
        starts_around: false,
        low_bounds: Vec::new(),
        call: Call::read(document.calls, document.tuples)?,
        precision: Precision::Given,
    };
    let mut scope = Scope::default();
    let user = reader.inputs(&document, &mut scope)?;
    reader.declare_symbols();
    guards::ranges(&mut reader)?;
    reader.graph.spec.inputs = reader.call.arguments(&user)?;
    guards::add(&mut reader, document.guards, &user)?;
    reader.number_symbols = number_symbols(document.graph);
    survey::refuse_unsupported(document.graph, operators)?;
    reader.nodes(document.graph, &mut scope, "graph")?;
    reader.outputs(&document, &scope)?;
    reader.graph.spec.outputs = reader.call.results()?;
    for (key, text) in composites {
        reader.graph.spec.metadata.insert((*key).to_string(), text.clone());
    }
    reader.refuse_shared_mutation()?;
    ir::verify(&reader.graph, false)
        .map_err(|e| FrontendError::new(e.status(), format!("the program does not hold together: {e}")))?;
    Ok(reader.graph)
}

/// Names of numbers that the file says to be plain symbols.
pub fn number_symbols(graph: &Json) -> HashMap<String, String> {
    let Some(values) = graph.get("sym_int_values").and_then(Json::as_object) else {
        return HashMap::default();
    };
    let symbol = |value: &Json| {
        let text = value.get("as_expr")?.get("expr_str")?.as_str()?;
        let (name, rest) = text.strip_prefix("Symbol('")?.split_once('\'')?;
        (!rest.contains('(')).then(|| name.to_string())
    };
    values.iter().filter_map(|(name, value)| Some((name.clone(), symbol(value)?))).collect()
}

fn check_version(document: &Json) -> Result<()> {
    let Some(version) = json::optional(document, "schema_version") else { return Ok(()) };
    let major = json::integer(json::field(version, "major", "schema_version")?, "schema_version.major")?;
    if major != 8 {
        let torch = document.get("torch_version").and_then(Json::as_str).unwrap_or("unknown");
        return Err(FrontendError::unsupported(format!(
            "the program's schema has major version {major} (PyTorch {torch}); Litz reads version 8, as PyTorch 2.10 to 2.15 write it"
        )));
    }
    Ok(())
}

/// An input of the signature.
pub struct UserInput {
    /// As nodes name it.
    pub name: String,
    pub entry: Entry,
    pub leaf: Source,
}

/// Where an input comes from.
pub enum Source {
    /// A leaf of the callers' arguments.
    Argument(Holds),
    /// The module's state, where there are no weights.
    State(String),
}

impl Reader<'_> {
    /// Makes inputs and constants in the signature's order; gives the user inputs, specialised ones included.
    fn inputs(&mut self, document: &Document<'_>, scope: &mut Scope) -> Result<Vec<UserInput>> {
        let specs = json::list(json::field(document.signature, "input_specs", "signature")?, "input_specs")?;
        // Constants keep their exported names; an input that has one of them gives way.
        let reserved: HashSet<&str> = specs.iter().filter_map(constant_name).collect();
        if let Some(payloads) = self.payloads {
            let names = specs.iter().filter_map(constant_name);
            self.shared = super::weights::shared_storages(names.filter_map(|n| payloads.get(n)));
        }
        let mut user = Vec::new();
        for (k, spec) in specs.iter().enumerate() {
            let place = format!("input_specs[{k}]");
            let (kind, spec) = json::tagged(spec, &place)?;
            match kind {
                "user_input" => {
                    let (tag, arg) = json::tagged(json::field(spec, "arg", &place)?, &place)?;
                    user.push(self.user_input(document, scope, tag, arg, &reserved, &place)?);
                }
                "parameter" | "buffer" | "tensor_constant" => {
                    let (kind, key) = match kind {
                        "parameter" => (ConstantKind::Parameter, "parameter_name"),
                        "buffer" => (ConstantKind::Buffer, "buffer_name"),
                        _ => (ConstantKind::Constant, "tensor_constant_name"),
                    };
                    let name = json::string(json::field(spec, key, &place)?, &place)?;
                    let arg = json::field(json::field(spec, "arg", &place)?, "name", &place)?;
                    let arg = json::string(arg, &place)?;
                    // A file of weights is a state_dict.
                    let is_saved = kind != ConstantKind::Constant
                        && spec.get("persistent").and_then(Json::as_bool) != Some(false);
                    let value = self.constant(document, arg, name, kind, is_saved)?;
                    let entry = Entry::Tensor(value);
                    bind(scope, arg, entry, &place)?;
                    if matches!(self.graph.values[value].definition, Definition::Input(_)) {
                        let leaf = Source::State(name.to_string());
                        user.push(UserInput { name: arg.to_string(), entry, leaf });
                    }
                }
                "constant_input" => {
                    let name = json::string(json::field(spec, "name", &place)?, &place)?;
                    let (tag, value) = json::tagged(json::field(spec, "value", &place)?, &place)?;
                    let entry = self
                        .known_number(tag, value, &place)?
                        .map_or(Entry::Nothing, |n| Entry::Number(n, 0));
                    bind(scope, name, entry, &place)?;
                    let leaf = Source::Argument(fixed(tag, value, &place)?);
                    user.push(UserInput { name: name.to_string(), entry, leaf });
                }
                "token" => {
                    let arg = json::field(json::field(spec, "arg", &place)?, "name", &place)?;
                    bind(scope, json::string(arg, &place)?, Entry::Nothing, &place)?;
                }
                "custom_obj" => {
                    let name = spec.get("custom_obj_name").and_then(Json::as_str).unwrap_or("?");
                    return Err(FrontendError::unsupported(format!(
                        "the program needs the custom object `{name}`, which only PyTorch can make"
                    )));
                }
                other => {
                    return Err(FrontendError::unsupported(format!(
                        "{place}: inputs of kind `{other}` are not known"
                    )));
                }
            }
        }
        self.refuse_missing()?;
        Ok(user)
    }

    /// A number that is fixed in the file; `None` for None and strings, which nodes hold as they need them.
    pub fn known_number(&self, tag: &str, value: &Json, place: &str) -> Result<Option<Number>> {
        let syms = &self.graph.syms;
        Ok(match tag {
            "as_int" => Some(Number::Int(syms.constant(json::integer(value, place)?))),
            "as_float" => Some(Number::Float(json::float(value, place)?)),
            "as_bool" => Some(Number::Bool(syms.constant(json::boolean(value, place)? as i64))),
            _ => None,
        })
    }

    fn user_input(
        &mut self,
        document: &Document<'_>,
        scope: &mut Scope,
        tag: &str,
        arg: &Json,
        reserved: &HashSet<&str>,
        place: &str,
    ) -> Result<UserInput> {
        let (name, entry) = match tag {
            "as_tensor" => {
                let name = json::string(json::field(arg, "name", place)?, place)?;
                let meta = self.input_meta(document, name)?;
                let value = self.graph.add_input(&self.free_name(name, reserved), meta);
                let start = document.graph["tensor_values"][name]["storage_offset"]["as_int"].as_i64();
                if let Some(start) = start.filter(|start| *start != 0) {
                    self.starts.insert(value, start);
                }
                (name, Entry::Tensor(value))
            }
            "as_sym_int" | "as_sym_bool" | "as_sym_float" => {
                let name = json::string(json::field(arg, "as_name", place)?, place)?;
                if tag == "as_sym_float" {
                    let any = Range::new(i64::MIN, i64::MAX);
                    let bits = self.graph.syms.symbol(name, any, None);
                    self.graph.add_number_input(&self.free_name(name, reserved), Dtype::Float64, bits);
                    let entry = Entry::Number(Number::Bits(bits), 0);
                    bind(scope, name, entry, place)?;
                    self.user_inputs.insert(name.to_string(), self.graph.inputs.len() - 1);
                    return Ok(UserInput {
                        name: name.to_string(),
                        entry,
                        leaf: Source::Argument(Holds::Given),
                    });
                }
                let values = if tag == "as_sym_int" { "sym_int_values" } else { "sym_bool_values" };
                let value = json::field(json::field(document.graph, values, "graph")?, name, values)?;
                let (symbol, dtype) = self.number_symbol(name, value, tag == "as_sym_bool")?;
                self.graph.add_number_input(&self.free_name(name, reserved), dtype, symbol);
                let number = if dtype == Dtype::Bool { Number::Bool(symbol) } else { Number::Int(symbol) };
                (name, Entry::Number(number, 0))
            }
            // A number or None that the export fixed is no input.
            _ => {
                let entry =
                    self.known_number(tag, arg, place)?.map_or(Entry::Nothing, |n| Entry::Number(n, 0));
                let leaf = Source::Argument(fixed(tag, arg, place)?);
                return Ok(UserInput { name: String::new(), entry, leaf });
            }
        };
        bind(scope, name, entry, place)?;
        self.user_inputs.insert(name.to_string(), self.graph.inputs.len() - 1);
        Ok(UserInput { name: name.to_string(), entry, leaf: Source::Argument(Holds::Given) })
    }

    fn free_name(&self, name: &str, reserved: &HashSet<&str>) -> String {
        let taken = |n: &str| reserved.contains(n) || self.graph.inputs.iter().any(|i| i.name == n);
        if !taken(name) {
            return name.to_string();
        }
        (1..).map(|k| format!("{name}_{k}")).find(|n| !taken(n)).unwrap_or_default()
    }

    /// The symbol that a number input binds.
    fn number_symbol(&mut self, name: &str, value: &Json, is_bool: bool) -> Result<(SymInt, Dtype)> {
        let syms = self.graph.syms.clone();
        let (tag, value) = json::tagged(value, name)?;
        if tag != "as_expr" {
            // A size that the export knows to be one number still has to be given.
            let only = match self.known_number(tag, value, name)? {
                Some(Number::Int(v) | Number::Bool(v)) => syms.as_const(v).unwrap_or(0),
                _ => {
                    return Err(FrontendError::parse(format!(
                        "input `{name}` has no value that is understood"
                    )));
                }
            };
            return Ok((
                syms.symbol(name, Range::exactly(only), Some(only)),
                if is_bool { Dtype::Bool } else { Dtype::Int64 },
            ));
        }
        let text = json::string(json::field(value, "expr_str", name)?, name)?;
        note_hint(&mut self.symbols, text, value);
        if is_bool {
            return Ok((syms.symbol(name, Range::new(0, 1), None), Dtype::Bool));
        }
        let size = srepr::size(&syms, &mut self.symbols, text).map_err(FrontendError::unsupported)?;
        if syms.as_symbol(size).is_none() {
            return Err(FrontendError::unsupported(format!(
                "input `{name}` is the number `{}`, which is no plain symbol",
                syms.display(size)
            )));
        }
        Ok((size, Dtype::Int64))
    }

    /// Dtype, shape and strides of an input, from the file.
    pub(super) fn input_meta(&mut self, document: &Document<'_>, name: &str) -> Result<TensorMeta> {
        let place = format!("tensor_values.{name}");
        let meta =
            json::field(json::field(document.graph, "tensor_values", "graph")?, name, "tensor_values")?;
        let dtype = read_dtype(json::field(meta, "dtype", &place)?, &place)?;
        if let Some(layout) = json::optional(meta, "layout")
            && json::integer(layout, &place)? != 7
        {
            return Err(FrontendError::unsupported(format!(
                "input `{name}` is not a dense tensor (layout {layout})"
            )));
        }
        if json::optional(meta, "device").and_then(|d| json::optional(d, "type")) == Some(&Json::from("cuda"))
        {
            self.graph.made_on_gpu = true;
        }
        let shape = self.sizes(json::field(meta, "sizes", &place)?, &place)?;
        if shape.len() > 64 {
            return Err(FrontendError::parse(format!("{place} has {} dimensions", shape.len())));
        }
        let strides = self.sizes(json::field(meta, "strides", &place)?, &place)?;
        if strides.len() != shape.len() {
            return Err(FrontendError::parse(format!(
                "{place} has {} sizes but {} strides",
                shape.len(),
                strides.len()
            )));
        }
        let syms = &self.graph.syms;
        if let Some(size) = shape.iter().find(|s| syms.range(**s).max < 0) {
            return Err(FrontendError::parse(format!(
                "{place} has the negative size {}",
                syms.display(*size)
            )));
        }
        let strides = self.plain_strides(&shape, strides);
        // Where a tensor starts in its storage is the caller's business: its data pointer is offset 0 (`Reader::count_from_start`).
        let offset = syms.constant(0);
        Ok(TensorMeta { dtype, shape, strides, offset })
    }

    fn sizes(&mut self, list: &Json, place: &str) -> Result<Vec<SymInt>> {
        json::list(list, place)?.iter().map(|v| self.size(v, place)).collect()
    }
    fn size(&mut self, value: &Json, place: &str) -> Result<SymInt> {
        let syms = self.graph.syms.clone();
        match json::tagged(value, place)? {
            ("as_int", v) => Ok(syms.constant(json::integer(v, place)?)),
            ("as_expr", v) => {
                let text = json::string(json::field(v, "expr_str", place)?, place)?;
                note_hint(&mut self.symbols, text, v);
                let size = srepr::size(&syms, &mut self.symbols, text);
                size.map_err(|e| FrontendError::unsupported(format!("{place}: {e}")))
            }
            (tag, _) => Err(FrontendError::parse(format!("{place} has a size of the unknown kind `{tag}`"))),
        }
    }

    /// The exported strides. A contiguous tensor, and one without elements, gets the expressions of [`contiguous_strides`].
    pub(super) fn plain_strides(&self, shape: &[SymInt], strides: Vec<SymInt>) -> Vec<SymInt> {
        let syms = &self.graph.syms;
        let contiguous = contiguous_strides(syms, shape);
        let plain = |k: usize| syms.product(&shape[k + 1..]);
        let is_contiguous = (0..shape.len()).all(|k| strides[k] == contiguous[k] || strides[k] == plain(k));
        let is_empty = syms.as_consts(shape).is_some_and(|s| s.contains(&0));
        if is_contiguous || is_empty { contiguous } else { strides }
    }

    /// Lists the symbols that inputs bind, in order of appearance.
    fn declare_symbols(&mut self) {
        let syms = self.graph.syms.clone();
        let mut seen = HashSet::default();
        for input in &self.graph.inputs {
            let sizes = self.graph.metas[input.value].shape.iter().copied().chain(input.symbol);
            for symbol in sizes.flat_map(|s| syms.symbols(s)) {
                if seen.insert(symbol) {
                    self.graph.symbols.push(syms.symbol_expr(symbol));
                }
            }
        }
    }
}

fn constant_name(spec: &Json) -> Option<&str> {
    let spec = spec.as_object()?.values().next()?;
    ["parameter_name", "buffer_name", "tensor_constant_name"].iter().find_map(|k| spec.get(k)?.as_str())
}

/// Sizes carry the value that the export saw; a plain symbol takes it as its hint.
fn note_hint(symbols: &mut Symbols, text: &str, expr: &Json) {
    let name = text.strip_prefix("Symbol('").and_then(|t| t.split_once('\''));
    let hint = json::optional(expr, "hint").and_then(|h| h.get("as_int")).and_then(Json::as_i64);
    if let (Some((name, rest)), Some(hint)) = (name, hint)
        && !rest.contains('(')
    {
        symbols.hint(name, hint);
    }
}
