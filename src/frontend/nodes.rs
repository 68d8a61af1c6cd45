//! The nodes of an exported graph: operators become nodes, symbolic numbers are evaluated, regions that only set a
//! mode are inlined, everything else is refused by name.

use super::FrontendError;
use super::error::Result;
use super::json;
use super::number::{self, Number, evaluate};
use super::program::{Entry, Reader, Scope, bind, lookup, lookup_number, lookup_tensor};
use crate::base::Status;
use crate::ir::{Arg, Definition, Graph, Guard, Value};
use crate::meta::Builder;
use crate::ops::{Class, Form, OpId};
use crate::types::{Device, DeviceKind, Dtype, Layout, MemoryFormat, Range, SymInt};
use rustc_hash::FxHashSet;
use serde_json::Value as Json;

/// How long a calculation of symbolic numbers may be: expressions are walked recursively further on.
const DEPTH: u32 = 500;

/// One argument as the file gives it; the name is empty for a positional one.
pub(super) struct Given<'a> {
    pub name: &'a str,
    pub tag: &'a str,
    pub value: &'a Json,
}

impl Reader<'_> {
    /// Reads all nodes of a graph into the graph being built; names are those of the scope.
    pub fn nodes(&mut self, graph: &Json, scope: &mut Scope, place: &str) -> Result<()> {
        for (k, node) in json::list(json::field(graph, "nodes", place)?, place)?.iter().enumerate() {
            let place = format!("nodes[{k}]");
            let target = json::string(json::field(node, "target", &place)?, &place)?;
            let name = json::optional(node, "name").and_then(Json::as_str).unwrap_or(&place);
            self.node(node, target, scope, &place).map_err(|e| e.at_node(name, target))?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Json, target: &str, scope: &mut Scope, place: &str) -> Result<()> {
        let mut given = Vec::new();
        for input in json::list(json::field(node, "inputs", place)?, place)? {
            let name = json::string(json::field(input, "name", place)?, place)?;
            let (tag, value) = json::tagged(json::field(input, "arg", place)?, place)?;
            given.push(Given { name, tag, value });
        }
        let outputs = json::list(json::field(node, "outputs", place)?, place)?;
        let short = target.strip_prefix("torch.ops.").unwrap_or(target);
        if let Some(operator) = number_operator(target) {
            return self.number_node(operator, &given, outputs, scope);
        }
        match short {
            "aten.sym_size.int" | "aten.sym_stride.int" => {
                let (meta, dim) =
                    (self.graph.meta(self.tensor(&given, scope)?).clone(), self.dimension(&given)?);
                let rank = meta.rank() as i64;
                let k = if dim < 0 { dim + rank } else { dim };
                if k < 0 || k >= rank {
                    return Err(FrontendError::new(
                        Status::InvalidArgument,
                        format!("dimension {dim} of a tensor of rank {rank}"),
                    ));
                }
                let list = if short == "aten.sym_size.int" { meta.shape } else { meta.strides };
                give_number(outputs, scope, Number::Int(list[k as usize]), 0)
            }
            "aten.sym_numel.default" => {
                let value = self.tensor(&given, scope)?;
                let count = self.graph.meta(value).numel(&self.graph.syms);
                give_number(outputs, scope, Number::Int(count), 0)
            }
            "aten.sym_storage_offset.default" => {
                let value = self.tensor(&given, scope)?;
                give_number(outputs, scope, Number::Int(self.graph.meta(value).offset), 0)
            }
            "aten.item.default" | "aten._local_scalar_dense.default" => self.item(&given, outputs, scope),
            "aten._assert_scalar.default" => self.assert_number(&given, scope),
            "aten.sym_constrain_range.default" | "aten.sym_constrain_range_for_size.default" => {
                self.constrain(&given, scope)
            }
            "aten._assert_tensor_metadata.default" => self.assert_metadata(&given, scope),
            "higher_order.cond" => self.cond(&given, outputs, scope, place),
            "higher_order.while_loop" => self.while_loop(&given, outputs, scope, place),
            "higher_order.map_impl" | "higher_order.scan" => self.map_or_scan(&given, outputs, scope, place),
            "higher_order.invoke_subgraph" => self.invoke_subgraph(&given, outputs, scope, place),
            "higher_order.with_effects" => self.with_effects(&given, outputs, scope),
            "higher_order.wrap_with_set_grad_enabled" => self.set_grad_enabled(&given, outputs, scope, place),
            "higher_order.wrap_with_autocast" => self.autocast(&given, outputs, scope, place),
            _ => self.operator(short, &given, outputs, scope),
        }
    }

    fn operator(
        &mut self,
        target: &str,
        given: &[Given<'_>],
        outputs: &[Json],
        scope: &mut Scope,
    ) -> Result<()> {
        if let Some(kind) = target.strip_prefix("higher_order.") {
            return Err(FrontendError::unsupported(format!(
                "the higher-order operator `{kind}` is not supported"
            )));
        }
        let mut names = Vec::new();
        for output in outputs {
            output_names(output, &mut names)?;
        }
        if OpId::find(target).is_none() {
            let near = OpId::nearest(target, 3).join(", ");
            return Err(FrontendError::unsupported(format!(
                "the operator `{target}` is not supported; the nearest known are {near}"
            )));
        }
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        for arg in given {
            let value = self.arg(arg, scope).map_err(|mut e| {
                if !arg.name.is_empty() {
                    e.message = format!("argument `{}`: {}", arg.name, e.message);
                }
                e
            })?;
            if arg.name.is_empty() {
                positional.push(value);
            } else {
                named.push((arg.name.to_string(), value));
            }
        }
        let results = Builder::new(&mut self.graph).call_named(target, positional, named)?;
        if results.len() != names.len() && names.iter().any(Option::is_some) {
            return Err(FrontendError::parse(format!(
                "the operator gives {} results, but the file names {}",
                results.len(),
                names.len()
            )));
        }
        for (value, name) in results.into_iter().zip(names) {
            if let Some(name) = name {
                self.graph.values[value].name = Some(name.to_string());
                bind(scope, name, Entry::Tensor(value), "outputs")?;
            }
        }
        Ok(())
    }

    /// One argument in the form that coercion to a schema takes.
    fn arg(&self, given: &Given<'_>, scope: &Scope) -> Result<Arg> {
        let (value, place) = (given.value, given.tag);
        let syms = &self.graph.syms;
        let list = |v| json::list(v, place);
        Ok(match given.tag {
            "as_none" => Arg::None,
            "as_tensor" => match lookup(scope, tensor_name(value)?)? {
                Entry::Tensor(v) => Arg::Value(v),
                Entry::Number(n, _) => self.number_arg(n)?,
                Entry::Nothing => Arg::None,
            },
            "as_tensors" => {
                let one = |v| Ok(Some(lookup_tensor(scope, tensor_name(v)?)?));
                Arg::Values(list(value)?.iter().map(one).collect::<Result<_>>()?)
            }
            "as_optional_tensor" => self.optional_tensor(value, scope)?.map_or(Arg::None, Arg::Value),
            "as_optional_tensors" => Arg::Values(
                list(value)?.iter().map(|v| self.optional_tensor(v, scope)).collect::<Result<_>>()?,
            ),
            "as_int" => Arg::Int(syms.constant(json::integer(value, place)?)),
            "as_ints" => Arg::Ints(
                list(value)?
                    .iter()
                    .map(|v| Ok(syms.constant(json::integer(v, place)?)))
                    .collect::<Result<_>>()?,
            ),
            "as_float" => Arg::Float(json::float(value, place)?),
            "as_floats" => {
                Arg::Floats(list(value)?.iter().map(|v| json::float(v, place)).collect::<Result<_>>()?)
            }
            "as_bool" => Arg::Bool(json::boolean(value, place)?),
            "as_bools" => {
                Arg::Bools(list(value)?.iter().map(|v| json::boolean(v, place)).collect::<Result<_>>()?)
            }
            "as_string" => Arg::Str(json::string(value, place)?.to_string()),
            "as_sym_int" | "as_sym_float" | "as_sym_bool" => self.number_arg(self.number(value, scope)?.0)?,
            "as_sym_ints" => {
                Arg::Ints(list(value)?.iter().map(|v| self.sym_int(v, scope)).collect::<Result<_>>()?)
            }
            "as_sym_floats" => Arg::Floats(
                list(value)?
                    .iter()
                    .map(|v| match self.number_arg(self.number(v, scope)?.0)? {
                        Arg::Float(v) => Ok(v),
                        Arg::Int(v) if syms.as_const(v).is_some() => Ok(syms.as_const(v).unwrap_or(0) as f64),
                        _ => {
                            Err(FrontendError::unsupported("a symbolic number stands where a float is asked"))
                        }
                    })
                    .collect::<Result<_>>()?,
            ),
            "as_scalar_type" => Arg::Dtype(super::weights::read_dtype(value, place)?),
            "as_memory_format" => {
                let number = json::integer(value, place)?;
                let format = MemoryFormat::from_number(number);
                Arg::MemoryFormat(format.ok_or_else(|| {
                    FrontendError::unsupported(format!("memory format number {number} is not known"))
                })?)
            }
            "as_layout" => match json::integer(value, place)? {
                7 => Arg::Layout(Layout::Strided),
                other => {
                    return Err(FrontendError::unsupported(format!("layout number {other} is not dense")));
                }
            },
            "as_device" => {
                let kind = match json::string(json::field(value, "type", place)?, place)? {
                    "cuda" => DeviceKind::Cuda,
                    "meta" => {
                        return Err(FrontendError::unsupported("tensors on the device `meta` have no data"));
                    }
                    // Every device is replaced by the backend's.
                    _ => DeviceKind::Cpu,
                };
                let index = json::optional(value, "index").and_then(Json::as_i64).unwrap_or(0);
                Arg::Device(Device { kind, index: index as i32 })
            }
            other => {
                return Err(FrontendError::unsupported(format!(
                    "arguments of kind `{other}` are not supported"
                )));
            }
        })
    }

    fn optional_tensor(&self, value: &Json, scope: &Scope) -> Result<Option<Value>> {
        match json::tagged(value, "an optional tensor")? {
            ("as_none", _) => Ok(None),
            (_, v) => lookup_tensor(scope, tensor_name(v)?).map(Some),
        }
    }

    /// A number as an operator's argument.
    fn number_arg(&self, number: Number) -> Result<Arg> {
        let syms = &self.graph.syms;
        match number {
            Number::Int(v) => Ok(Arg::Int(v)),
            Number::Float(v) => Ok(Arg::Float(v)),
            Number::Bool(v) => match syms.as_const(v) {
                Some(c) => Ok(Arg::Bool(c != 0)),
                None => Err(FrontendError::unsupported(format!(
                    "the symbolic bool {} as an operator's argument is not supported",
                    number::text(syms, number)
                ))),
            },
            Number::Quotient(..) | Number::Bits(_) => Ok(Arg::SymFloat(number::float_bits(syms, number))),
        }
    }

    /// A number by name or by value, with its depth.
    fn number(&self, value: &Json, scope: &Scope) -> Result<(Number, u32)> {
        match json::tagged(value, "a number")? {
            ("as_name", name) => lookup_number(scope, json::string(name, "as_name")?),
            (tag, v) => match self.known_number(tag, v, tag)? {
                Some(n) => Ok((n, 0)),
                None => Err(FrontendError::parse(format!("`{tag}` is no number"))),
            },
        }
    }
    fn sym_int(&self, value: &Json, scope: &Scope) -> Result<SymInt> {
        match self.number(value, scope)?.0 {
            Number::Int(v) | Number::Bool(v) => Ok(v),
            n => Err(FrontendError::unsupported(format!(
                "{} stands where an integer is asked",
                number::text(&self.graph.syms, n)
            ))),
        }
    }

    /// The arguments of a symbolic operator, lists flattened, and the deepest one's depth.
    fn numbers(&self, given: &[Given<'_>], scope: &Scope) -> Result<(Vec<Number>, u32)> {
        let mut found = Vec::new();
        for arg in given {
            match arg.tag {
                "as_sym_int" | "as_sym_float" | "as_sym_bool" => found.push(self.number(arg.value, scope)?),
                "as_sym_ints" | "as_sym_floats" | "as_sym_bools" => {
                    for v in json::list(arg.value, arg.tag)? {
                        found.push(self.number(v, scope)?);
                    }
                }
                "as_ints" | "as_floats" | "as_bools" => {
                    for v in json::list(arg.value, arg.tag)? {
                        let one = self.known_number(arg.tag.trim_end_matches('s'), v, arg.tag)?;
                        found.extend(one.map(|n| (n, 0)));
                    }
                }
                tag => match self.known_number(tag, arg.value, tag)? {
                    Some(n) => found.push((n, 0)),
                    None => {
                        return Err(FrontendError::unsupported(format!(
                            "an argument of kind `{tag}` to an operator on numbers is not supported"
                        )));
                    }
                },
            }
        }
        let depth = found.iter().map(|f| f.1).max().unwrap_or(0);
        Ok((found.into_iter().map(|f| f.0).collect(), depth))
    }

    fn number_node(
        &mut self,
        operator: &str,
        given: &[Given<'_>],
        outputs: &[Json],
        scope: &mut Scope,
    ) -> Result<()> {
        let (args, depth) = self.numbers(given, scope)?;
        if depth >= DEPTH {
            return Err(FrontendError::unsupported(format!(
                "the calculation of this size is longer than {DEPTH} operations"
            )));
        }
        let result = evaluate(&self.graph.syms, operator, &args).map_err(FrontendError::unsupported)?;
        give_number(outputs, scope, result, depth + 1)
    }

    fn named<'g, 'v>(&self, given: &'g [Given<'v>], name: &str, place: usize) -> Option<&'g Given<'v>> {
        let by_name = given.iter().find(|g| g.name == name);
        by_name.or_else(|| given.get(place).filter(|g| g.name.is_empty()))
    }
    /// The tensor that is the first argument.
    fn tensor(&self, given: &[Given<'_>], scope: &Scope) -> Result<Value> {
        match given.first() {
            Some(Given { tag: "as_tensor", value, .. }) => lookup_tensor(scope, tensor_name(value)?),
            _ => Err(FrontendError::parse("the first argument must be a tensor")),
        }
    }
    fn dimension(&self, given: &[Given<'_>]) -> Result<i64> {
        match self.named(given, "dim", 1) {
            Some(Given { tag: "as_int", value, .. }) => json::integer(value, "dim"),
            _ => Err(FrontendError::parse("the argument `dim` must be an int")),
        }
    }

    /// A number that is in a tensor: a symbol, of the name and range that the file gives it.
    fn item(&mut self, given: &[Given<'_>], outputs: &[Json], scope: &mut Scope) -> Result<()> {
        let value = self.tensor(given, scope)?;
        let dtype = self.graph.meta(value).dtype;
        let [output] = outputs else {
            return Err(FrontendError::parse("an item is one number"));
        };
        let named = entry_name(output)?.and_then(|name| self.number_symbols.get(name)).map(String::as_str);
        let symbol = match (dtype, named) {
            (Dtype::Bool, _) => Builder::new(&mut self.graph).data_symbol(Range::new(0, 1)),
            (d, _) if d.is_float() => {
                Builder::new(&mut self.graph).data_symbol(Range::new(i64::MIN, i64::MAX))
            }
            (_, Some(name)) if self.symbols.find(name).is_none() => self.symbols.get(name, i64::MIN),
            _ => Builder::new(&mut self.graph).data_symbol(Range::new(i64::MIN, i64::MAX)),
        };
        Builder::new(&mut self.graph).read_number(value, symbol)?;
        let number = match dtype {
            Dtype::Bool => Number::Bool(symbol),
            d if d.is_float() => Number::Bits(symbol),
            _ => Number::Int(symbol),
        };
        give_number(outputs, scope, number, 0)
    }

    /// A condition on sizes that each run checks.
    pub fn require(&mut self, condition: SymInt, message: String) -> Result<()> {
        match self.graph.syms.decide(condition) {
            Some(true) => Ok(()),
            Some(false) => Err(FrontendError::new(
                Status::Shape,
                format!("the condition can never hold within the declared ranges: {message}"),
            )),
            None => {
                let guard = Guard { condition, message };
                if !self.graph.guards.iter().any(|g| g.condition == condition) {
                    self.graph.guards.push(guard);
                }
                Ok(())
            }
        }
    }

    fn assert_number(&mut self, given: &[Given<'_>], scope: &Scope) -> Result<()> {
        let (numbers, _) = self.numbers(&given[..given.len().min(1)], scope)?;
        let [number] = numbers[..] else {
            return Err(FrontendError::parse("the assertion has no condition"));
        };
        let message = self.named(given, "assert_msg", 1).and_then(|g| g.value.as_str());
        let message = message.unwrap_or("an assertion of the program failed").to_string();
        let condition = number::truth(&self.graph.syms, number).map_err(FrontendError::unsupported)?;
        self.require(condition, message)
    }

    fn constrain(&mut self, given: &[Given<'_>], scope: &Scope) -> Result<()> {
        let (numbers, _) = self.numbers(&given[..given.len().min(1)], scope)?;
        let [Number::Int(size)] = numbers[..] else {
            return Err(FrontendError::parse("the first argument must be an integer"));
        };
        let syms = self.graph.syms.clone();
        let text = syms.display(size);
        for (name, least) in [("min", true), ("max", false)] {
            let bound = given.iter().find(|g| g.name == name && g.tag == "as_int");
            if let Some(bound) = bound {
                let bound = json::integer(bound.value, name)?;
                let c = syms.constant(bound);
                let (condition, sign) =
                    if least { (syms.le(c, size), ">=") } else { (syms.le(size, c), "<=") };
                self.require(condition, format!("{text} must be {sign} {bound}"))?;
            }
        }
        Ok(())
    }

    /// Compares what the export saw with what was inferred. The device is not compared: every tensor is moved to
    /// the backend's. Nor are strides: inputs may come with any.
    fn assert_metadata(&mut self, given: &[Given<'_>], scope: &Scope) -> Result<()> {
        let meta = self.graph.meta(self.tensor(given, scope)?).clone();
        if let Some(Given { tag: "as_scalar_type", value, .. }) = self.named(given, "dtype", 3) {
            let want: Dtype = super::weights::read_dtype(value, "dtype")?;
            if want != meta.dtype {
                return Err(FrontendError::new(
                    Status::Dtype,
                    format!("the program asserts dtype {want}, but the tensor has {}", meta.dtype),
                ));
            }
        }
        let sizes = match self.named(given, "size", 1) {
            Some(g) if g.tag == "as_ints" || g.tag == "as_sym_ints" => {
                self.numbers(std::slice::from_ref(g), scope)?.0
            }
            _ => return Ok(()),
        };
        if sizes.len() != meta.rank() {
            return Err(FrontendError::new(
                Status::Shape,
                format!("the program asserts rank {}, but the tensor has {}", sizes.len(), meta.rank()),
            ));
        }
        let syms = self.graph.syms.clone();
        for (k, (want, have)) in sizes.iter().zip(&meta.shape).enumerate() {
            let Number::Int(want) = want else {
                return Err(FrontendError::parse("the asserted sizes must be integers"));
            };
            let text =
                format!("size {k} is asserted to be {}, and is {}", syms.display(*want), syms.display(*have));
            self.require(syms.eq(*want, *have), text)?;
        }
        Ok(())
    }

    /// Tokens order effects; nodes here are in order anyway, so they vanish.
    fn with_effects(&mut self, given: &[Given<'_>], outputs: &[Json], scope: &mut Scope) -> Result<()> {
        let [_, operator, args @ ..] = given else {
            return Err(FrontendError::parse("`with_effects` must have a token and an operator"));
        };
        let [token, outputs @ ..] = outputs else {
            return Err(FrontendError::parse("`with_effects` must give a token"));
        };
        if operator.tag != "as_operator" {
            return Err(FrontendError::unsupported("`with_effects` of something that is no operator"));
        }
        let target = json::string(operator.value, "as_operator")?;
        let target = target.strip_prefix("torch.ops.").unwrap_or(target);
        self.operator(target, args, outputs, scope)?;
        let mut names = Vec::new();
        output_names(token, &mut names)?;
        names.into_iter().flatten().try_for_each(|name| bind(scope, name, Entry::Nothing, "outputs"))
    }

    /// A graph that stands in the file where it is called.
    fn invoke_subgraph(
        &mut self,
        given: &[Given<'_>],
        outputs: &[Json],
        scope: &mut Scope,
        place: &str,
    ) -> Result<()> {
        let [body, _identifier, operands @ ..] = given else {
            return Err(FrontendError::parse("`invoke_subgraph` must have a graph and a name"));
        };
        self.inline(body, operands, outputs, scope, false, place)
    }

    fn set_grad_enabled(
        &mut self,
        given: &[Given<'_>],
        outputs: &[Json],
        scope: &mut Scope,
        place: &str,
    ) -> Result<()> {
        let [enabled, body, operands @ ..] = given else {
            return Err(FrontendError::parse("`wrap_with_set_grad_enabled` must have a mode and a graph"));
        };
        let cut = !json::boolean(enabled.value, "the mode")?;
        self.inline(body, operands, outputs, scope, cut, place)
    }

    fn autocast(
        &mut self,
        given: &[Given<'_>],
        outputs: &[Json],
        scope: &mut Scope,
        place: &str,
    ) -> Result<()> {
        let [_, _, enabled, _, body, operands @ ..] = given else {
            return Err(FrontendError::parse(
                "`wrap_with_autocast` must have a device, a dtype, two modes and a graph",
            ));
        };
        if enabled.tag != "as_bool" || json::boolean(enabled.value, "enabled")? {
            return Err(FrontendError::unsupported(
                "the higher-order operator `wrap_with_autocast` is not supported; run `ep.run_decompositions()` before saving the program",
            ));
        }
        self.inline(body, operands, outputs, scope, false, place)
    }

    /// Reads a subgraph in place. `cut`: its results carry no gradient.
    fn inline(
        &mut self,
        body: &Given<'_>,
        operands: &[Given<'_>],
        outputs: &[Json],
        scope: &mut Scope,
        cut: bool,
        place: &str,
    ) -> Result<()> {
        let mut entries = Vec::new();
        for operand in operands {
            entries.push(self.entry(operand.tag, operand.value, scope)?);
        }
        let results = self.inline_graph(body, &entries, place)?;
        if results.len() != outputs.len() {
            return Err(FrontendError::parse(format!(
                "the region gives {} results, but the file names {}",
                results.len(),
                outputs.len()
            )));
        }
        for (mut entry, output) in results.into_iter().zip(outputs) {
            if let (true, Entry::Tensor(v)) = (cut, entry)
                && self.graph.meta(v).dtype.is_float()
                && OpId::find("aten.detach.default").is_some()
            {
                entry = Entry::Tensor(
                    Builder::new(&mut self.graph).op("aten.detach.default", vec![Arg::Value(v)])?,
                );
            }
            if let Some(name) = entry_name(output)? {
                bind(scope, name, entry, place)?;
            }
        }
        Ok(())
    }

    /// The nodes of a subgraph, in this graph; gives its results.
    pub(super) fn inline_graph(
        &mut self,
        body: &Given<'_>,
        operands: &[Entry],
        place: &str,
    ) -> Result<Vec<Entry>> {
        if body.tag != "as_graph" {
            return Err(FrontendError::parse("the region's body must be a graph"));
        }
        let graph = json::field(body.value, "graph", place)?;
        let inputs = json::list(json::field(graph, "inputs", place)?, place)?;
        if inputs.len() != operands.len() {
            return Err(FrontendError::parse(format!(
                "the region takes {} operands, but is given {}",
                inputs.len(),
                operands.len()
            )));
        }
        let mut inner = Scope::default();
        for (input, entry) in inputs.iter().zip(operands) {
            if let Some(name) = entry_name(input)? {
                bind(&mut inner, name, *entry, place)?;
            }
        }
        self.nodes(graph, &mut inner, place)?;
        let results = json::list(json::field(graph, "outputs", place)?, place)?.iter().map(|result| {
            let (tag, value) = json::tagged(result, place)?;
            self.entry(tag, value, &inner)
        });
        results.collect()
    }

    pub(super) fn entry(&self, tag: &str, value: &Json, scope: &Scope) -> Result<Entry> {
        match tag {
            "as_tensor" => lookup(scope, tensor_name(value)?),
            "as_none" => Ok(Entry::Nothing),
            "as_sym_int" | "as_sym_float" | "as_sym_bool" => {
                self.number(value, scope).map(|(n, depth)| Entry::Number(n, depth))
            }
            _ => match self.known_number(tag, value, tag)? {
                Some(n) => Ok(Entry::Number(n, 0)),
                None => {
                    Err(FrontendError::unsupported(format!("operands of kind `{tag}` are not supported")))
                }
            },
        }
    }
}

/// The operator on numbers that a target names, if it names one.
fn number_operator(target: &str) -> Option<&str> {
    let short = |prefix: &str| target.strip_prefix(prefix);
    short("_operator.")
        .or_else(|| short("math."))
        .or_else(|| short("torch.").filter(|t| t.starts_with("sym_") || t.starts_with("_sym_")))
        .or_else(|| match target {
            "builtins.max" | "builtins.min" | "builtins.round" | "builtins.abs" | "builtins.int" => {
                short("builtins.")
            }
            _ => None,
        })
}

fn tensor_name(value: &Json) -> Result<&str> {
    json::string(json::field(value, "name", "as_tensor")?, "as_tensor.name")
}

/// The name that an argument of any kind binds, when it binds one.
pub(super) fn entry_name(value: &Json) -> Result<Option<&str>> {
    match json::tagged(value, "an argument")? {
        ("as_tensor", v) => tensor_name(v).map(Some),
        ("as_sym_int" | "as_sym_float" | "as_sym_bool", v) => Ok(v.get("as_name").and_then(Json::as_str)),
        _ => Ok(None),
    }
}

/// The tensors that one output names; `None` for a result that the program does not use.
fn output_names<'a>(output: &'a Json, names: &mut Vec<Option<&'a str>>) -> Result<()> {
    match json::tagged(output, "an output")? {
        ("as_tensor", v) => names.push(Some(tensor_name(v)?)),
        ("as_tensors", v) => {
            for v in json::list(v, "as_tensors")? {
                names.push(Some(tensor_name(v)?));
            }
        }
        ("as_none", _) => names.push(None),
        ("as_optional_tensor", v) => output_names(v, names)?,
        ("as_optional_tensors", v) => {
            for v in json::list(v, "as_optional_tensors")? {
                output_names(v, names)?;
            }
        }
        ("as_sym_int" | "as_sym_float" | "as_sym_bool", _) => {
            return Err(FrontendError::unsupported(
                "the operator reads a number from a tensor's data, which is not supported",
            ));
        }
        (tag, _) => {
            return Err(FrontendError::unsupported(format!("results of kind `{tag}` are not supported")));
        }
    }
    Ok(())
}

fn give_number(outputs: &[Json], scope: &mut Scope, number: Number, depth: u32) -> Result<()> {
    let [output] = outputs else {
        return Err(FrontendError::parse("an operator on numbers must have one result"));
    };
    match entry_name(output)? {
        Some(name) => bind(scope, name, Entry::Number(number, depth), "outputs"),
        None => Ok(()),
    }
}

/// Constants that the program may write to, directly or through a view; errs on the side of naming too many.
pub fn mutated_constants(graph: &Graph) -> FxHashSet<usize> {
    let mut may_be: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); graph.values.len()];
    for (k, constant) in graph.constants.iter().enumerate() {
        may_be[constant.value.index()].insert(k);
    }
    let mut mutated = FxHashSet::default();
    for id in &graph.order {
        let node = &graph.nodes[*id];
        let written = node.form == Form::InPlace;
        if written && let Some(Arg::Value(v)) = node.args.first() {
            mutated.extend(&may_be[v.index()]);
        }
        for name in ["running_mean", "running_var"] {
            if let Some(Arg::Value(v)) = node.arg(name) {
                mutated.extend(&may_be[v.index()]);
            }
        }
        if written || !matches!(node.op.class(), Class::Pointwise | Class::Reduction | Class::Contraction) {
            let all: FxHashSet<usize> = node.uses().flat_map(|v| may_be[v.index()].iter().copied()).collect();
            for v in &node.outputs {
                may_be[v.index()] = all.clone();
            }
        }
    }
    for write in &graph.writes {
        if let Definition::Constant(k) = write.target {
            mutated.insert(k);
        }
    }
    mutated
}
