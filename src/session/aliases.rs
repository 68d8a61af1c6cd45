//! A program for inputs that share memory: the graph again, over one tensor of all their memory, of which those inputs are
//! views. What it writes to one is then seen in the others, in the order in which the graph reads and writes.
//!
//! The sizes of those inputs are fixed: such a program serves calls of one layout, and a few of them are kept.
//!
//! Deliberately absent: programs with state, which both programs would have to share, and artifacts, which hold no graph.

use super::{Options, SessionError, executable::Executable};
use crate::base::{SideMap, Status};
use crate::ir::{Arg, Definition, Graph, Guard, Number, OutputValue, Shared, Value, ValueData, Write};
use crate::meta::{Builder, MetaError};
use crate::plan::Constant;
use crate::runtime::aliases::Aliases;
use crate::types::{SymInt, SymbolId, TensorMeta};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Layouts whose programs are kept.
const KEPT: usize = 16;

/// What compiling again takes, and what was compiled.
pub struct Aliased {
    graph: Graph,
    options: Options,
    programs: Mutex<Vec<(Aliases, Arc<Executable>)>>,
    /// Constants are no longer those of the graph.
    changed: AtomicBool,
}

impl Aliased {
    /// `None` for programs that write to no input, or have no other.
    pub fn new(graph: &Graph, options: &Options, writes: bool) -> Option<Aliased> {
        let some = writes && graph.inputs.len() > 1;
        some.then(|| Aliased {
            graph: graph.clone(),
            options: options.for_later(),
            programs: Mutex::default(),
            changed: AtomicBool::new(false),
        })
    }
    pub fn fresh(&self) -> Aliased {
        Aliased {
            graph: self.graph.clone(),
            options: self.options.clone(),
            programs: Mutex::default(),
            changed: AtomicBool::new(self.changed.load(Ordering::Acquire)),
        }
    }
    /// The constants changed: programs are compiled again, with those of now.
    pub fn forget(&self) {
        self.changed.store(true, Ordering::Release);
        self.programs.lock().unwrap_or_else(|e| e.into_inner()).clear();
    }

    /// The program for these aliases, whose constants are those of `original`.
    pub fn program(&self, aliases: &Aliases, original: &Executable) -> Result<Arc<Executable>, SessionError> {
        let mut programs = self.programs.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, program)) = programs.iter().find(|(known, _)| known == aliases) {
            return Ok(Arc::clone(program));
        }
        if original.plan().storages.iter().any(|s| s.mutated) {
            return Err(refused(aliases, &self.graph, "it changes its own buffers, too"));
        }
        let graph = over_bases(&self.graph, aliases)?;
        let program = Arc::new(super::compile(&graph, &self.options)?);
        let constants = &original.plan().constants;
        let used = |c: &&Constant| !original.plan().storages[c.storage as usize].unused;
        for constant in constants.iter().filter(used).filter(|_| self.changed.load(Ordering::Acquire)) {
            program.update_tensors(&[(&constant.name, &original.constant(&constant.name)?)])?;
        }
        if programs.len() == KEPT {
            programs.remove(0);
        }
        programs.push((aliases.clone(), Arc::clone(&program)));
        Ok(program)
    }
}

fn refused(aliases: &Aliases, graph: &Graph, why: &str) -> SessionError {
    let names: Vec<String> =
        aliases.groups[0].views.iter().map(|v| format!("`{}`", graph.inputs[v.input].name)).collect();
    SessionError::Option {
        status: Status::Unsupported,
        message: format!(
            "the inputs {} share memory, and the program writes to them: {why}; give copies",
            names.join(" and ")
        ),
    }
}

/// The graph whose first inputs are the memory of the groups.
fn over_bases(old: &Graph, aliases: &Aliases) -> Result<Graph, SessionError> {
    let syms = &old.syms;
    let mut fixed: FxHashMap<SymbolId, SymInt> = FxHashMap::default();
    for view in aliases.groups.iter().flat_map(|g| &g.views) {
        let meta = old.meta(old.inputs[view.input].value);
        if meta.rank() != view.shape.len() {
            return Err(refused(aliases, old, "one has another number of dimensions than the program takes"));
        }
        for (size, given) in meta.shape.iter().zip(&view.shape) {
            if let Some(symbol) = syms.as_symbol(*size) {
                fixed.insert(symbol, syms.constant(*given));
            }
        }
    }
    let mut cx = Rebuild { fixed, old, new: old.new_subgraph(&old.name), map: SideMap::new() };
    for view in aliases.groups.iter().flat_map(|g| &g.views) {
        let meta = old.meta(old.inputs[view.input].value);
        let sizes: Vec<SymInt> = meta.shape.iter().map(|s| cx.size(*s)).collect();
        if syms.as_consts(&sizes).as_deref() != Some(&view.shape[..]) {
            return Err(refused(aliases, old, "their sizes are not those that the program takes"));
        }
    }
    if old.inputs.iter().filter_map(|i| i.symbol).any(|s| cx.size(s) != s) {
        return Err(refused(aliases, old, "their sizes are numbers that the program takes beside them"));
    }
    let mut places: Vec<Option<usize>> = vec![None; old.inputs.len()];
    let mut bases = Vec::new();
    for (k, group) in aliases.groups.iter().enumerate() {
        let dtype = old.meta(old.inputs[group.views[0].input].value).dtype;
        let meta = TensorMeta::contiguous(syms, dtype, vec![syms.constant(group.elements)]);
        let names: Vec<&str> = group.views.iter().map(|v| &*old.inputs[v.input].name).collect();
        bases.push(cx.new.add_input(&format!("memory {k} of {}", names.join(", ")), meta));
    }
    let in_group = |k: usize| aliases.groups.iter().any(|g| g.views.iter().any(|v| v.input == k));
    for (k, input) in old.inputs.iter().enumerate().filter(|(k, _)| !in_group(*k)) {
        places[k] = Some(cx.new.inputs.len());
        cx.add_input(input);
    }
    for constant in &old.constants {
        let meta = old.meta(constant.value).clone();
        let value = cx.new.add_constant_like(constant, meta);
        cx.map.insert(constant.value, value);
    }
    let told = |e: MetaError| refused(aliases, old, &e.to_string());
    for (group, base) in aliases.groups.iter().zip(bases) {
        for view in &group.views {
            let ints = |list: &[i64]| Arg::Ints(list.iter().map(|n| syms.constant(*n)).collect());
            let offset = Arg::Int(syms.constant(view.offset));
            let args = vec![Arg::Value(base), ints(&view.shape), ints(&view.strides), offset];
            let value = Builder::new(&mut cx.new).op("aten.as_strided.default", args).map_err(told)?;
            cx.map.insert(old.inputs[view.input].value, value);
        }
    }
    cx.nodes(&mut Shared::default()).map_err(told)?;
    for write in &old.writes {
        let value = cx.map[write.value];
        match write.target {
            Definition::Input(k) => match places[k] {
                Some(place) => cx.new.writes.push(Write { target: Definition::Input(place), value }),
                None => {
                    let args = vec![Arg::Value(cx.map[old.inputs[k].value]), Arg::Value(value)];
                    Builder::new(&mut cx.new).op("aten.copy_.default", args).map_err(told)?;
                }
            },
            target => cx.new.writes.push(Write { target, value }),
        }
    }
    Ok(cx.new)
}

/// A graph that is built again, with some symbols known.
struct Rebuild<'g> {
    fixed: FxHashMap<SymbolId, SymInt>,
    old: &'g Graph,
    new: Graph,
    map: SideMap<ValueData, Value>,
}

impl Rebuild<'_> {
    fn size(&self, size: SymInt) -> SymInt {
        self.old.syms.substitute(size, &self.fixed)
    }
    fn add_input(&mut self, input: &crate::ir::Input) {
        let meta = self.old.meta(input.value);
        let sizes = |list: &[SymInt]| list.iter().map(|s| self.size(*s)).collect();
        let meta = TensorMeta {
            dtype: meta.dtype,
            shape: sizes(&meta.shape),
            strides: sizes(&meta.strides),
            offset: self.size(meta.offset),
        };
        let value = self.new.add_input(&input.name, meta);
        if let Some(last) = self.new.inputs.last_mut() {
            last.symbol = input.symbol;
        }
        self.map.insert(input.value, value);
    }

    /// Everything behind inputs and constants, but what is written.
    fn nodes(&mut self, shared: &mut Shared) -> Result<(), MetaError> {
        let old = self.old;
        for id in &old.order {
            let node = &old.nodes[*id];
            let mut args = node.args.clone();
            for arg in &mut args {
                arg.map_values(&mut |v| self.map[v]);
                match arg {
                    Arg::Int(size) | Arg::SymFloat(size) => *size = self.size(*size),
                    Arg::Ints(list) => list.iter_mut().for_each(|s| *s = self.size(*s)),
                    Arg::Graph(graph) => {
                        let fixed = &self.fixed;
                        *graph = shared.map(graph, &mut |shared, inner| again(fixed, inner, shared))?;
                    }
                    _ => {}
                }
            }
            self.new.making = old.origins_of(*id);
            let results = Builder::new(&mut self.new).call(node.op, node.form, args)?;
            for (before, after) in node.outputs.iter().zip(results) {
                self.map.insert(*before, after);
            }
        }
        self.new.making = Vec::new();
        for guard in &old.guards {
            let condition = self.size(guard.condition);
            if old.syms.decide(condition) != Some(true) {
                self.new.guards.push(Guard { condition, message: guard.message.clone() });
            }
        }
        self.new.symbols =
            old.symbols.iter().copied().filter(|s| old.syms.as_symbol(self.size(*s)).is_some()).collect();
        for output in &old.outputs {
            let value = match output.value {
                OutputValue::Tensor(v) => OutputValue::Tensor(self.map[v]),
                OutputValue::Number(Number::Symbolic(s)) => {
                    OutputValue::Number(Number::Symbolic(self.size(s)))
                }
                OutputValue::Number(Number::Truth(s)) => OutputValue::Number(Number::Truth(self.size(s))),
                OutputValue::Number(Number::Float(s)) => OutputValue::Number(Number::Float(self.size(s))),
                number => number,
            };
            self.new.add_output(&output.name, value);
        }
        Ok(())
    }
}

/// A subgraph with the symbols known.
pub fn again(
    fixed: &FxHashMap<SymbolId, SymInt>,
    old: &Graph,
    shared: &mut Shared,
) -> Result<Graph, MetaError> {
    let mut cx = Rebuild { fixed: fixed.clone(), old, new: old.new_subgraph(&old.name), map: SideMap::new() };
    old.inputs.iter().for_each(|input| cx.add_input(input));
    cx.nodes(shared)?;
    for write in &old.writes {
        cx.new.writes.push(Write { target: write.target, value: cx.map[write.value] });
    }
    Ok(cx.new)
}
