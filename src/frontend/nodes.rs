//! The nodes of an exported graph: operators become nodes, symbolic numbers are evaluated, assertions become guards,
//! regions and control flow go to `regions` and `control`, everything else is refused by name.

use super::FrontendError;
use super::args::{Call, Given, bound_name};
use super::error::Result;
use super::json;
use super::number::{self, Number, evaluate};
use super::origin;
use super::program::Reader;
use super::regions::Precision;
use super::scope::{Entry, Scope, bind};
use super::vendor_attention::Kind;
use crate::base::Status;
use crate::functionalize::aliases;
use crate::ir::{Arg, Guard, Value};
use crate::meta::Builder;
use crate::meta::formulas::is_formula;
use crate::ops::{Form, OpId};
use crate::types::{Dtype, Range, SymArena, SymInt, TensorMeta};
use serde_json::Value as Json;

/// How long a calculation of symbolic numbers may be: expressions are walked recursively further on.
const DEPTH: u32 = 500;

impl Reader<'_> {
    /// Reads all nodes of a graph into the graph being built; names are those of the scope.
    pub fn nodes(&mut self, graph: &Json, scope: &mut Scope, place: &str) -> Result<()> {
        for (k, node) in json::list(json::field(graph, "nodes", place)?, place)?.iter().enumerate() {
            let place = format!("nodes[{k}]");
            let target = json::string(json::field(node, "target", &place)?, &place)?;
            let name = json::optional(node, "name").and_then(Json::as_str);
            let outer = self.graph.making.clone();
            let mut origin = origin::of(node, name, target, &self.graph);
            origin.sets_precision = self.precision != Precision::Given;
            let origin = self.graph.origins.add(origin);
            self.graph.making = vec![origin];
            let outcome = self.node(node, target, scope, &place);
            outcome
                .map_err(|e| e.at_node(name.unwrap_or(&place), target, &self.graph.origins.get(origin)))?;
            self.graph.making = outer;
        }
        Ok(())
    }

    fn node(&mut self, node: &Json, target: &str, scope: &mut Scope, place: &str) -> Result<()> {
        let outputs = json::list(json::field(node, "outputs", place)?, place)?;
        let given = Given::of(node, place)?;
        let call = Call { given: &given, outputs, place };
        let short = target.strip_prefix("torch.ops.").unwrap_or(target);
        if let Some(operator) = number_operator(target) {
            return self.number_node(operator, call, scope);
        }
        match short {
            "aten.sym_size.int" | "aten.sym_stride.int" => {
                let (meta, dim) = (self.graph.meta(call.tensor(scope)?).clone(), call.dimension()?);
                let rank = meta.rank() as i64;
                let k = if dim < 0 { dim + rank } else { dim };
                if k < 0 || k >= rank {
                    return Err(FrontendError::new(
                        Status::InvalidArgument,
                        format!("dimension {dim} of a tensor of rank {rank}"),
                    ));
                }
                let list = if short == "aten.sym_size.int" { meta.shape } else { meta.strides };
                call.give_number(scope, Number::Int(list[k as usize]), 0)
            }
            "aten.sym_numel.default" => {
                let value = call.tensor(scope)?;
                let count = self.graph.meta(value).numel(&self.graph.syms);
                call.give_number(scope, Number::Int(count), 0)
            }
            "aten.sym_storage_offset.default" => {
                let value = call.tensor(scope)?;
                let own = self.graph.meta(value).offset;
                let offset = self.graph.syms.add_const(own, self.start_of(value)?);
                call.give_number(scope, Number::Int(offset), 0)
            }
            "aten.is_same_size.default" => {
                let [a, b] = call.two_tensors(scope)?.map(|v| self.graph.meta(v).shape.clone());
                let syms = self.graph.syms.clone();
                let alike = syms.constant((a.len() == b.len()) as i64);
                let same = a.iter().zip(&b).fold(alike, |same, (a, b)| syms.and(same, syms.eq(*a, *b)));
                call.give_number(scope, Number::Bool(same), 0)
            }
            "aten.sym_is_contiguous.default" => {
                let meta = self.graph.meta(call.tensor(scope)?).clone();
                match call.named("memory_format", 1).map(|g| (g.tag, g.value)) {
                    None => {}
                    Some(("as_memory_format" | "as_int", value)) if matches!(value.as_i64(), Some(0 | 1)) => {
                    }
                    _ => {
                        let message = "a memory format other than contiguous";
                        return Err(FrontendError::unsupported(message));
                    }
                }
                let contiguous = contiguity(&self.graph.syms, &meta);
                call.give_number(scope, Number::Bool(contiguous), 0)
            }
            "aten.item.default" | "aten._local_scalar_dense.default" => self.item(call, scope),
            "aten.masked_select.default" => self.masked_select(short, call, scope),
            "aten._assert_scalar.default" => self.assert_number(call, scope),
            "aten.sym_constrain_range.default" | "aten.sym_constrain_range_for_size.default" => {
                self.constrain(call, scope)
            }
            "aten._assert_tensor_metadata.default" => self.assert_metadata(call, scope),
            FLASH => self.vendor_attention(Kind::Flash, call, scope),
            CUDNN => self.vendor_attention(Kind::Cudnn, call, scope),
            FLASH_BACKWARD => self.vendor_attention_backward(Kind::Flash, call, scope),
            CUDNN_BACKWARD => self.vendor_attention_backward(Kind::Cudnn, call, scope),
            "higher_order.cond" => self.cond(call, scope),
            "higher_order.while_loop" => self.while_loop(call, scope),
            "higher_order.map_impl" | "higher_order.scan" => self.map_or_scan(call, scope),
            "higher_order.associative_scan" => self.associative_scan(call, scope),
            "higher_order.invoke_subgraph" => self.invoke_subgraph(call, scope),
            "higher_order.tag_activation_checkpoint" => self.checkpoint(call, scope),
            "higher_order.auto_functionalized_v2" => self.auto_functionalized(call, scope),
            "higher_order.with_effects" => self.with_effects(call, scope),
            "higher_order.wrap_with_set_grad_enabled" => self.set_grad_enabled(call, scope),
            "higher_order.wrap_with_autocast" => self.autocast(call, scope),
            _ => self.operator(short, call, scope),
        }
    }

    pub(super) fn operator(&mut self, target: &str, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let names = call.tensor_names()?;
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        for arg in call.given {
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
        if target.contains("as_strided") {
            self.count_from_start(&mut positional, &mut named)?;
        }
        if let Precision::Mixed(autocast) = self.precision {
            autocast.arguments(&mut self.graph, target, &mut positional, &mut named)?;
        }
        let results =
            Builder::with_results(&mut self.graph, names.len()).call_named(target, positional, named)?;
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

    /// Where the input that a value is a view of began in its storage when the program was exported. An input of a subgraph may be a
    /// view of such an input, which is not known here: it is refused.
    fn start_of(&self, value: Value) -> Result<i64> {
        let shown = |value: &Value| {
            let node = self.graph.producer(*value)?;
            let looks = node.form == Form::InPlace || aliases(&self.graph, node).is_some();
            if looks { node.uses().next() } else { None }
        };
        let owner = std::iter::successors(Some(value), shown).last().unwrap_or(value);
        if self.starts_around && self.graph.producer(owner).is_none() {
            return Err(FrontendError::unsupported(
                "the program was exported with an input that does not begin its storage, and `as_strided` looks at the storage of an \
                 operand of a branch, a loop's body or another subgraph: export it with the whole storage",
            ));
        }
        Ok(self.starts.get(&owner).copied().unwrap_or(0))
    }

    /// Counts the offset of `as_strided` and its kin from the first element of the input that is looked at. PyTorch counts it from the
    /// storage's first element, and what lies in front of an input is not given to a run.
    fn count_from_start(&mut self, positional: &mut [Arg], named: &mut [(String, Arg)]) -> Result<()> {
        let Some(Arg::Value(of)) = positional.first().or(named.first().map(|(_, arg)| arg)) else {
            return Ok(());
        };
        let start = self.start_of(*of)?;
        let last = match named.iter_mut().find(|(name, _)| name == "storage_offset") {
            Some((_, offset)) => Some(offset),
            None => positional.last_mut(),
        };
        let Some(Arg::Int(offset)) = last.filter(|_| start != 0) else { return Ok(()) };
        let moved = self.graph.syms.add_const(*offset, -start);
        if self.graph.syms.range(moved).min < 0 {
            let read = self.graph.syms.display(*offset);
            return Err(FrontendError::unsupported(format!(
                "the program was exported with an input that begins at element {start} of its storage, and looks at that storage from \
                 element {read} on; a run is given no elements in front of an input: export it with the whole storage"
            )));
        }
        *offset = moved;
        Ok(())
    }

    fn number_node(&mut self, operator: &str, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let (args, depth) = self.numbers(call.given, scope)?;
        if depth >= DEPTH {
            return Err(FrontendError::unsupported(format!(
                "the calculation of this size is longer than {DEPTH} operations"
            )));
        }
        let result = evaluate(&self.graph.syms, operator, &args).map_err(FrontendError::unsupported)?;
        call.give_number(scope, result, depth + 1)
    }

    /// A number that is in a tensor: a symbol, of the name and range that the file gives it.
    fn item(&mut self, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let value = call.tensor(scope)?;
        let dtype = self.graph.meta(value).dtype;
        let [output] = call.outputs else {
            return Err(FrontendError::parse("an item is one number"));
        };
        let named = bound_name(output)?.and_then(|name| self.number_symbols.get(name)).map(String::as_str);
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
        call.give_number(scope, number, 0)
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

    /// The exporter asserts that no more elements are chosen than the first operand has, also where the mask repeats it. That
    /// bound is left out then: the operator's own is the size of the mask.
    fn masked_select(&mut self, short: &str, call: Call<'_>, scope: &mut Scope) -> Result<()> {
        let [own, mask] = call.two_tensors(scope)?;
        self.operator(short, call, scope)?;
        let graph = &self.graph;
        let syms = &graph.syms;
        let most = |value| syms.range(graph.meta(value).numel(syms)).max;
        let result = graph.order.last().and_then(|id| graph.nodes[id].outputs.first());
        if let Some(count) = result.and_then(|v| graph.meta(*v).shape.first()).copied()
            && graph.meta(own).shape != graph.meta(mask).shape
            && syms.range(count).max > most(own)
        {
            self.low_bounds.push(syms.le(count, syms.constant(most(own))));
        }
        Ok(())
    }

    fn assert_number(&mut self, call: Call<'_>, scope: &Scope) -> Result<()> {
        let (numbers, _) = self.numbers(call.first(), scope)?;
        let [number] = numbers[..] else {
            return Err(FrontendError::parse("the assertion has no condition"));
        };
        let message = call.named("assert_msg", 1).and_then(|g| g.value.as_str());
        let message = message.unwrap_or("an assertion of the program failed").to_string();
        let condition = number::truth(&self.graph.syms, number).map_err(FrontendError::unsupported)?;
        if self.low_bounds.contains(&condition) {
            return Ok(());
        }
        self.require(condition, message)
    }

    fn constrain(&mut self, call: Call<'_>, scope: &Scope) -> Result<()> {
        let (numbers, _) = self.numbers(call.first(), scope)?;
        let [Number::Int(size)] = numbers[..] else {
            return Err(FrontendError::parse("the first argument must be an integer"));
        };
        let syms = self.graph.syms.clone();
        let text = syms.display(size);
        for (name, least) in [("min", true), ("max", false)] {
            let bound = call.given.iter().find(|g| g.name == name && g.tag == "as_int");
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
    fn assert_metadata(&mut self, call: Call<'_>, scope: &Scope) -> Result<()> {
        let meta = self.graph.meta(call.tensor(scope)?).clone();
        if let Some(Given { tag: "as_scalar_type", value, .. }) = call.named("dtype", 3) {
            let want: Dtype = super::weights::read_dtype(value, "dtype")?;
            if want != meta.dtype {
                return Err(FrontendError::new(
                    Status::Dtype,
                    format!("the program asserts dtype {want}, but the tensor has {}", meta.dtype),
                ));
            }
        }
        let sizes = match call.named("size", 1) {
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
}

/// Whether a tensor is contiguous, as 0 or 1: no elements, or each stride that of the dimensions after it, but for
/// dimensions of one element.
fn contiguity(syms: &SymArena, meta: &TensorMeta) -> SymInt {
    let one = syms.constant(1);
    let mut step = one;
    let mut holds = one;
    for (size, stride) in meta.shape.iter().zip(&meta.strides).rev() {
        let fits = syms.or(syms.eq(*size, one), syms.eq(*stride, step));
        holds = syms.and(holds, fits);
        step = syms.mul(step, *size);
    }
    syms.or(syms.eq(step, syms.constant(0)), holds)
}

const FLASH: &str = "aten._scaled_dot_product_flash_attention.default";
const FLASH_BACKWARD: &str = "aten._scaled_dot_product_flash_attention_backward.default";
const CUDNN: &str = "aten._scaled_dot_product_cudnn_attention.default";
const CUDNN_BACKWARD: &str = "aten._scaled_dot_product_cudnn_attention_backward.default";

/// Targets that are read here rather than taken from the table of operators.
pub const OWN: [&str; 27] = [
    "aten.is_same_size.default",
    "aten.sym_is_contiguous.default",
    "aten.sym_size.int",
    "aten.sym_stride.int",
    "aten.sym_numel.default",
    "aten.sym_storage_offset.default",
    "aten.item.default",
    "aten._local_scalar_dense.default",
    "aten._assert_scalar.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
    "aten._assert_tensor_metadata.default",
    FLASH,
    FLASH_BACKWARD,
    CUDNN,
    CUDNN_BACKWARD,
    "higher_order.cond",
    "higher_order.while_loop",
    "higher_order.map_impl",
    "higher_order.scan",
    "higher_order.associative_scan",
    "higher_order.invoke_subgraph",
    "higher_order.tag_activation_checkpoint",
    "higher_order.auto_functionalized_v2",
    "higher_order.with_effects",
    "higher_order.wrap_with_set_grad_enabled",
    "higher_order.wrap_with_autocast",
];

/// Whether nodes with this target can be read.
pub(super) fn is_known(target: &str) -> bool {
    let short = target.strip_prefix("torch.ops.").unwrap_or(target);
    number_operator(target).is_some()
        || OWN.contains(&short)
        || OpId::find(short).is_some()
        || OpId::of_out_form(short).is_some()
        || is_formula(short)
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
