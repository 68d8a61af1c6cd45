//! A program's form for inputs that share memory: the graph again, over a piece of memory for each base, into which its inputs
//! are copied, of which they are views, and from which they are copied back. What the graph writes to one input is then seen in
//! the others, in the order in which it reads and writes (AOTAutograd's synthetic base). Offsets and strides of the views are
//! numbers that a run gives: one form serves every layout.
//!
//! Constants, state among them, are inputs, which the instance lends: a form has no state, and updates reach it. Frozen constants
//! stay constants. In the graph an input has the strides that the program promises for it, wherever it lies: views
//! and results are those of the program.
//!
//! Deliberately absent: running it (`executor/overlap.c`).

use super::executable::{Saved, SavedForms};
use super::rebuild::Rebuild;
use super::{Compiled, Given, Options, SessionError, build, usage};
use crate::base::{HashMap, HashSet, SideMap, Status};
use crate::device::stack;
use crate::ir::{Arg, Definition, Graph, Shared, Value, Write};
use crate::meta::{Builder, MetaError};
use crate::ops::{Class, OpId};
use crate::plan::{self, Plan};
use crate::runtime::overlap::{Form, Forms, Kept, Made, bases_of, lent_storages, widest_bases};
use crate::runtime::{self, InstanceOptions, Program, RuntimeError};
use crate::types::{Range, SymInt, TensorMeta};
use std::sync::Arc;

/// Offsets, strides and sizes of bases are less than this, so that sums of their products are numbers.
const MOST: i64 = 1 << 40;

/// What making forms takes.
pub struct Recompiled {
    graph: Graph,
    options: Options,
    /// The bases that serve all inputs.
    widest: Vec<u32>,
    mutated: Vec<bool>,
    storages: Vec<u32>,
    /// The graph's constant in each of them.
    constants: Vec<usize>,
    kept: Kept<Form>,
}

impl Recompiled {
    /// `None` for programs in which no input can share memory that is written to.
    pub fn of(graph: &Graph, options: &Options, plan: &Plan) -> Option<Recompiled> {
        let widest = widest_bases(plan)?;
        let storages = lent_storages(plan);
        let names = names_of(&plan.constants);
        let mut places: HashMap<&str, usize> = HashMap::default();
        for (k, constant) in graph.constants.iter().enumerate() {
            places.entry(&constant.name).or_insert(k);
            for view in &constant.views {
                places.entry(&view.name).or_insert(k);
            }
        }
        let named = |storage: &u32| places.get(names.get(storage)?).copied();
        let constants = storages.iter().map(named).collect::<Option<Vec<_>>>()?;
        let (graph, options) = (graph.clone(), options.for_later());
        let mutated = plan.inputs.iter().map(|i| i.mutated).collect();
        Some(Recompiled { graph, options, widest, mutated, storages, constants, kept: Kept::default() })
    }

    /// Dumps the compilation of the forms as well, each to a folder of its own. Artifacts hold the kernels of their forms.
    pub fn dumped(mut self, options: &Options) -> Recompiled {
        self.options.dump = options.dump.clone();
        self
    }

    /// The form that serves all inputs, beside an instance of the program, and what saving it takes. What is saved with the
    /// program has kernels: the form runs those, and only others are compiled. `None` where there can be no form.
    pub fn beside(
        &self,
        instance: &runtime::Executable,
        saved: Option<&Saved>,
    ) -> Result<Option<(Form, Option<SavedForms>)>, SessionError> {
        let compiled = saved.map(Saved::kernels).unwrap_or_default();
        let Some(made) = self.widest_built(&compiled)? else { return Ok(None) };
        let code = made.code.beside(instance.program());
        let program = Program::start(made.plan, code, made.constants, &self.how(), Vec::new())?;
        let forms = made.saved.and_then(|saved| self.placed(saved, instance.plan()));
        Ok(Some((Form { program, bases: self.widest.clone(), storages: self.storages.clone() }, forms)))
    }

    /// The program of the form that serves all inputs, without kernels that are compiled already.
    fn widest_built(&self, compiled: &HashSet<&str>) -> Result<Option<Compiled>, SessionError> {
        let given = Given { compiled: Some(compiled), ..Given::default() };
        let built = over_bases(&self.graph, (&self.widest, &self.mutated), &self.constants)
            .and_then(|graph| build(&graph, &self.options, given));
        match built {
            Err(e) if e.status() == Status::Unsupported => Ok(None),
            made => made.map(Some),
        }
    }

    fn how(&self) -> InstanceOptions {
        InstanceOptions {
            threads: self.options.threads,
            operators: self.graph.operators.clone(),
            ..InstanceOptions::default()
        }
    }

    fn make(&self, bases: Vec<u32>) -> Result<Form, SessionError> {
        let graph = over_bases(&self.graph, (&bases, &self.mutated), &self.constants)?;
        let made = build(&graph, &self.options, Given::default())?;
        let program = Program::start(made.plan, made.code, made.constants, &self.how(), Vec::new())?;
        Ok(Form { program, bases, storages: self.storages.clone() })
    }

    /// The form that an artifact holds, whose constants lie where the program has them: its objects are of the kernels that
    /// the program lacks. `None` where there can be no form.
    pub fn saved(
        &self,
        program: &Plan,
        compiled: &HashSet<&str>,
    ) -> Result<Option<SavedForms>, SessionError> {
        let made = self.widest_built(compiled)?.and_then(|made| made.saved);
        Ok(made.and_then(|saved| self.placed(saved, program)))
    }

    /// A form's program with its constants where the program has them; `None` where it has no such.
    fn placed(&self, saved: Saved, program: &Plan) -> Option<SavedForms> {
        let (variants, cubins) = saved.into_programs()?;
        let (bases, storages) = (self.widest.clone(), self.storages.clone());
        let mut forms = SavedForms { variants, cubins, bases, storages };
        let places: HashMap<&str, u32> =
            program.constants.iter().rev().map(|c| (&*c.name, c.storage)).collect();
        for Plan { storages, constants, .. } in forms.variants.iter_mut().map(|v| &mut v.plan) {
            let names = names_of(constants);
            for (k, own) in storages.iter_mut().enumerate() {
                let there = names.get(&(k as u32)).and_then(|name| places.get(name));
                match there.map(|storage| &program.storages[*storage as usize]) {
                    _ if own.bytes == 0 => {}
                    Some(there) if there.bytes == own.bytes => own.offset = there.offset,
                    _ => return None,
                }
            }
        }
        Some(forms)
    }
}

/// The first name of each storage that a plan's constants lie in.
fn names_of(constants: &[plan::Constant]) -> HashMap<u32, &str> {
    constants.iter().rev().map(|c| (c.storage, &*c.name)).collect()
}

/// Who gives a program's forms, and what saving the program takes.
pub struct Found {
    pub forms: Option<Arc<dyn Forms>>,
    /// Compiles the form that is saved with the program; none where `saved` already has it.
    pub recompiled: Option<Arc<Recompiled>>,
    pub saved: Option<Saved>,
}

/// The forms of an instance of a program. One that drops constants has a form at once, for what makes others holds all constants.
pub fn forms(
    graph: &Graph,
    options: &Options,
    instance: &runtime::Executable,
    saved: Option<Saved>,
) -> Result<Found, SessionError> {
    let Some(recompiled) = Recompiled::of(graph, options, instance.plan()) else {
        return Ok(Found { forms: None, recompiled: None, saved });
    };
    if usage::drops(instance.plan()) {
        let (form, kept) = recompiled.beside(instance, saved.as_ref())?.unzip();
        let forms = form.map(|form| Arc::new(Made(Arc::new(form))) as Arc<dyn Forms>);
        let saved = saved.map(|saved| saved.with_forms(kept.flatten()));
        return Ok(Found { forms, recompiled: None, saved });
    }
    let recompiled = Arc::new(recompiled);
    Ok(Found { forms: Some(Arc::clone(&recompiled) as Arc<dyn Forms>), recompiled: Some(recompiled), saved })
}

impl Forms for Recompiled {
    fn form(&self, groups: &[u32]) -> Result<Arc<Form>, RuntimeError> {
        // It is compiled here, which may take more of a stack than runs do.
        let made = stack::with_enough(|| {
            self.kept
                .get(groups, |widest| self.make(if widest { self.widest.clone() } else { bases_of(groups) }))
        });
        made.map_err(|e| not_compiled(&e))
    }
}

/// The error of a run that needs a form which does not compile.
pub(super) fn not_compiled(error: &SessionError) -> RuntimeError {
    let message =
        format!("inputs share memory, and the program writes to one of them; compiled for that: {error}");
    RuntimeError::new(error.status(), message)
}

fn refused(message: &str) -> SessionError {
    SessionError::Option { status: Status::Unsupported, message: format!("{message}; give copies") }
}

/// Where an input lies in its base.
struct Place {
    input: usize,
    offset: SymInt,
    strides: Vec<SymInt>,
}

/// The graph whose inputs may share memory where they have the same base; `lent` are the constants that become inputs.
pub(super) fn over_bases(
    old: &Graph,
    (bases, mutated): (&[u32], &[bool]),
    lent: &[usize],
) -> Result<Graph, SessionError> {
    let mut cx =
        Rebuild { fixed: HashMap::default(), old, new: old.new_subgraph(&old.name), map: SideMap::new() };
    old.inputs.iter().for_each(|input| cx.add_input(input));
    for k in lent {
        let constant = &old.constants[*k];
        let value = cx.new.add_input(&constant.name, old.meta(constant.value).clone());
        cx.map.insert(constant.value, value);
    }
    let is_lent: HashSet<usize> = lent.iter().copied().collect();
    for (k, constant) in old.constants.iter().enumerate().filter(|(k, _)| !is_lent.contains(k)) {
        let value = cx.new.add_constant_like(constant, old.meta(constant.value).clone());
        cx.map.insert(old.constants[k].value, value);
    }
    let mut numbers = Vec::new();
    let mut places: Vec<(SymInt, Vec<Place>)> = Vec::new();
    let mut inputs_of = vec![Vec::new(); bases.iter().copied().max().unwrap_or(0) as usize];
    for (k, base) in bases.iter().enumerate().filter(|(_, base)| **base > 0) {
        inputs_of[*base as usize - 1].push(k);
    }
    for (base, inputs) in (1..).zip(inputs_of) {
        let mut number = |what: &str, least: i64| {
            let symbol =
                old.syms.symbol(&format!("m{}", old.syms.symbol_count()), Range::new(least, MOST), None);
            cx.new.add_number_input(what, crate::types::Dtype::Int64, symbol);
            numbers.push(symbol);
            symbol
        };
        let elements = number(&format!("the elements of memory {base}"), 0);
        let mut inside = Vec::new();
        for input in inputs {
            let (name, rank) = (&old.inputs[input].name, old.meta(old.inputs[input].value).rank());
            let offset = number(&format!("the offset of `{name}`"), 0);
            let strides = (0..rank).map(|d| number(&format!("stride {d} of `{name}`"), 0)).collect();
            inside.push(Place { input, offset, strides });
        }
        places.push((elements, inside));
    }
    let whole = |e: MetaError| SessionError::from(e);
    let mut copied: Vec<(Value, Value)> = Vec::new();
    for (elements, inside) in &places {
        let dtype = old.meta(old.inputs[inside[0].input].value).dtype;
        let named = vec![("dtype", Arg::Dtype(dtype))];
        let mut base = Builder::new(&mut cx.new)
            .op_with("aten.zeros.default", vec![Arg::Ints(vec![*elements])], named)
            .map_err(whole)?;
        let layout = |place: &Place| {
            let shape = old.meta(old.inputs[place.input].value).shape.clone();
            vec![Arg::Ints(shape), Arg::Ints(place.strides.clone()), Arg::Int(place.offset)]
        };
        for place in inside {
            let given = cx.map[old.inputs[place.input].value];
            let args = [vec![Arg::Value(base), Arg::Value(given)], layout(place)].concat();
            base = Builder::new(&mut cx.new).op("aten.as_strided_scatter.default", args).map_err(whole)?;
        }
        for place in inside {
            let (value, args) =
                (old.inputs[place.input].value, [vec![Arg::Value(base)], layout(place)].concat());
            let view = Builder::new(&mut cx.new).op("aten.as_strided.default", args).map_err(whole)?;
            let TensorMeta { strides, offset, .. } = old.meta(value).clone();
            let meta = cx.new.meta(view).clone();
            cx.new.metas.insert(view, TensorMeta { strides, offset, ..meta });
            if mutated[place.input] {
                copied.push((cx.map[value], view));
            }
            cx.map.insert(value, view);
        }
    }
    let in_base =
        |value: &Value| matches!(old.values[*value].definition, Definition::Input(k) if bases[k] != 0);
    for node in old.order.iter().map(|id| &old.nodes[*id]).filter(|n| n.op == OpId::AsStrided) {
        let mut of = node.uses().next();
        while let Some(producer) = of.and_then(|v| old.producer(v)).filter(|n| n.op.class() == Class::View) {
            of = producer.uses().next();
        }
        if of.is_some_and(|v| in_base(&v)) {
            return Err(refused("as_strided looks at the memory of an input that shares it with another"));
        }
    }
    cx.nodes(&mut Shared::default()).map_err(whole)?;
    cx.new.symbols.extend(numbers);
    for write in &old.writes {
        let value = cx.map[write.value];
        match write.target {
            Definition::Input(k) => {
                let args = vec![Arg::Value(cx.map[old.inputs[k].value]), Arg::Value(value)];
                Builder::new(&mut cx.new).op("aten.copy_.default", args).map_err(whole)?;
            }
            Definition::Constant(k) if is_lent.contains(&k) => {
                let args = vec![Arg::Value(cx.map[old.constants[k].value]), Arg::Value(value)];
                Builder::new(&mut cx.new).op("aten.copy_.default", args).map_err(whole)?;
            }
            target => cx.new.writes.push(Write { target, value }),
        }
    }
    for (input, view) in copied {
        Builder::new(&mut cx.new)
            .op("aten.copy_.default", vec![Arg::Value(input), Arg::Value(view)])
            .map_err(whole)?;
    }
    Ok(cx.new)
}
