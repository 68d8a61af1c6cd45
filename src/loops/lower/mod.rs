//! From the functional graph to loops.
//!
//! Every graph value becomes a [`Lazy`]: the expression of one element over the value's own index space. Pointwise
//! operators and views only build expressions; reductions, contractions and the like append a loop node and give a
//! load of its buffer. A value that several nodes use and that costs something is *realized*: computed into a buffer
//! by a pointwise node of its own; the scheduler fuses such nodes again and drops buffers that nobody else reads.
//!
//! Invariants: a `Lazy`'s expression uses only the variables of its own sizes; a value read at a data-dependent
//! index is realized first, unless few of its elements are read.
//!
//! Deliberately absent: fusion decisions (see `schedule`).

mod args;
mod blocks;
mod control;
mod functions;
mod lazy;
mod math;
mod region;
mod rules;

pub use args::Args;
pub use lazy::Lazy;
pub use math::{X, wrap};

use super::{
    BufferData, BufferId, BufferKind, Control, Equal, Expr, ExprId, Given, LoopNode, NodeKind, OUTPUT,
    Operators, Program,
};
use crate::base::{Boxed, HashMap, HashSet, SideMap, Status, memory};
use crate::ir::describe::number_dtype;
use crate::ir::{
    Arg, Definition, Graph, Guard, Node, Number, OriginId, OutputValue, Value, ValueData, symbols_of_nodes,
};
use crate::ops::{Class, OpId, for_each_op};
use crate::types::{Dtype, Scalar, SymArena, SymInt, SymbolId, TensorMeta, contiguous_strides};
use functions::Functions;
use region::Region;
use std::sync::Arc;

/// An operator that has no loops.
pub type LowerError = Boxed<LowerErrorFields>;

#[derive(Clone, Debug, thiserror::Error)]
#[error("{op}: {message}")]
pub struct LowerErrorFields {
    pub status: Status,
    pub op: &'static str,
    pub message: String,
    /// The nodes of the user's program that it is about.
    pub origins: Vec<OriginId>,
}

impl LowerError {
    pub fn new(status: Status, op: &'static str, message: String, origins: Vec<OriginId>) -> LowerError {
        Boxed::of(LowerErrorFields { status, op, message, origins })
    }
    pub fn status(&self) -> Status {
        self.status
    }
}

/// No tensor has more bytes.
const MOST_BYTES: i64 = 1 << 60;

/// The state of one lowering.
pub struct Lower<'g> {
    pub graph: &'g Graph,
    pub program: Program,
    values: SideMap<ValueData, Lazy>,
    /// How many nodes and outputs use each value.
    uses: HashMap<Value, usize>,
    /// Results of matrix products and convolutions.
    contractions: HashSet<BufferId>,
    /// The operator being lowered, and where its node comes from, for `LoopNode::operators`.
    op: &'static str,
    origins: Vec<OriginId>,
    /// Operators whose results are still only expressions, by expression: they are named by the node that realizes.
    pending: HashMap<ExprId, Operators>,
    /// Of those expressions, the operator whose result each is.
    makers: HashMap<ExprId, Operators>,
    /// Guards that wait for symbols that are not known yet.
    guards: Vec<Guard>,
    /// Symbols that nodes of the graph give.
    data_symbols: HashSet<SymbolId>,
    functions: Functions,
    region: Region,
}

type Rule = fn(&mut Lower<'_>, &Args<'_>) -> Result<Vec<Lazy>, LowerError>;

macro_rules! rule_or_none {
    (lower $f:ident) => {
        Some(rules::$f as Rule)
    };
    ($other:ident $($f:ident)?) => {
        None
    };
}
macro_rules! rule_table {
    ($($id:ident $name:literal $schema:literal $class:ident [$($form:ident)*] meta($meta:ident) $rule:ident($($f:ident)?) $($grad:ident($derivative:ident))?;)*) => {
        fn rule_of(op: OpId) -> Option<Rule> {
            match op { $(OpId::$id => rule_or_none!($rule $($f)?),)* }
        }
    };
}
for_each_op!(rule_table);

/// Lowers a functional, decomposed graph.
pub fn lower(graph: &Graph) -> Result<Program, LowerError> {
    let program = empty_program(graph);
    let mut cx = Lower {
        graph,
        program,
        values: SideMap::new(),
        uses: count_uses(graph),
        contractions: HashSet::default(),
        op: "",
        origins: Vec::new(),
        pending: HashMap::default(),
        makers: HashMap::default(),
        guards: Vec::new(),
        data_symbols: HashSet::default(),
        functions: Functions::default(),
        region: Region::of(graph),
    };
    cx.bind_inputs_and_constants();
    cx.functions = Functions::of(graph, &cx.program.constants);
    cx.data_symbols = symbols_of_nodes(graph);
    // The others are checked before a run begins.
    cx.guards = graph.guards.clone();
    cx.guards.retain(|g| graph.syms.sources(g.condition).iter().any(|s| cx.data_symbols.contains(s)));
    for id in &graph.order {
        let node = &graph.nodes[*id];
        cx.lower_node(node)?;
    }
    cx.leave_region();
    cx.bind_outputs()?;
    Ok(cx.program)
}

/// A program of the graph's inputs, constants, outputs and what is written back, without the nodes that compute these: for
/// whom computes them in another way.
pub fn interface(graph: &Graph) -> Program {
    let mut program = empty_program(graph);
    let syms = &graph.syms;
    let push = |program: &mut Program, kind: BufferKind, dtype: Dtype, sizes: &[SymInt]| {
        let strides = contiguous_strides(syms, sizes);
        program.buffers.push(BufferData { kind, dtype, sizes: sizes.to_vec(), strides })
    };
    for (k, input) in graph.inputs.iter().enumerate() {
        let meta = graph.meta(input.value).in_parts(syms);
        let buffer = push(&mut program, BufferKind::Input(k), meta.dtype, &meta.shape);
        program.inputs.push(buffer);
    }
    for (k, constant) in graph.constants.iter().enumerate() {
        let meta = graph.meta(constant.value).in_parts(syms);
        let buffer = push(&mut program, BufferKind::Constant(k), meta.dtype, &meta.shape);
        program.constants.push(buffer);
    }
    for output in &graph.outputs {
        let (dtype, sizes) = match output.value {
            OutputValue::Tensor(value) => {
                let meta = graph.meta(value).in_parts(syms);
                (meta.dtype, meta.shape)
            }
            OutputValue::Number(number) => (number_dtype(number), Vec::new()),
        };
        let buffer = push(&mut program, BufferKind::Temporary, dtype, &sizes);
        program.outputs.push(buffer);
    }
    for write in &graph.writes {
        let target = match write.target {
            Definition::Input(k) => program.inputs[k],
            Definition::Constant(k) => program.constants[k],
            // Functional graphs have none.
            Definition::Node { .. } => continue,
        };
        let meta = graph.meta(write.value).in_parts(syms);
        let source = push(&mut program, BufferKind::Temporary, meta.dtype, &meta.shape);
        program.writes.push((target, source));
    }
    program
}

fn empty_program(graph: &Graph) -> Program {
    let strides = |value: Value| graph.meta(value).in_parts(&graph.syms).strides;
    let shown = |k: usize| {
        let computes = |r: &&crate::ir::Returned| r.output == k && (!r.is_view() || r.storage().is_some());
        let result = graph.results.iter().find(computes)?;
        let strides = result.storage().or(result.shown.as_ref().map(|s| &s.strides))?.clone();
        let OutputValue::Tensor(value) = graph.outputs[k].value else { return Some(strides) };
        let meta = graph.meta(value);
        Some(TensorMeta { strides, ..meta.clone() }.in_parts(&graph.syms).strides)
    };
    let outputs = graph.outputs.iter().enumerate().map(|(k, o)| match o.value {
        OutputValue::Tensor(value) => shown(k).unwrap_or_else(|| strides(value)),
        OutputValue::Number(_) => Vec::new(),
    });
    // A written input's strides may name a symbol that a guard makes equal to one of the result's sizes.
    let equal = Equal::of(&graph.syms, graph.guards.iter().map(|g| g.condition));
    let settled =
        |strides: Vec<SymInt>| strides.into_iter().map(|s| equal.stand_in(&graph.syms, s)).collect();
    let inputs = graph.inputs.iter().map(|i| strides(i.value)).collect();
    let given = Given { inputs, outputs: outputs.map(settled).collect() };
    let (origins, operators) = (Arc::clone(&graph.origins), graph.operators.clone());
    Program { given, origins, operators, ..Program::new(Arc::clone(&graph.syms)) }
}

fn count_uses(graph: &Graph) -> HashMap<Value, usize> {
    let mut uses = HashMap::default();
    let outputs = graph.outputs.iter().filter_map(|o| match o.value {
        OutputValue::Tensor(v) => Some(v),
        OutputValue::Number(_) => None,
    });
    let nodes = graph.order.iter().flat_map(|n| graph.nodes[*n].uses());
    for value in nodes.chain(outputs).chain(graph.writes.iter().map(|w| w.value)) {
        *uses.entry(value).or_insert(0) += 1;
    }
    uses
}

impl<'g> Lower<'g> {
    pub fn syms(&self) -> &'g SymArena {
        &self.graph.syms
    }
    pub fn error(&self, status: Status, message: impl Into<String>) -> LowerError {
        LowerError::new(status, self.op, message.into(), self.origins.clone())
    }
    pub fn unsupported(&self, message: impl Into<String>) -> LowerError {
        self.error(Status::Unsupported, message)
    }

    fn bind_inputs_and_constants(&mut self) {
        let graph = self.graph;
        let inputs = graph.inputs.iter().enumerate().map(|(k, i)| (BufferKind::Input(k), i.value));
        let constants = graph.constants.iter().enumerate().map(|(k, c)| (BufferKind::Constant(k), c.value));
        for (kind, value) in inputs.chain(constants) {
            let meta = graph.meta(value).in_parts(&graph.syms);
            // Inputs arrive, and constants lie, contiguous: the executor copies what does not.
            let strides = contiguous_strides(&graph.syms, &meta.shape);
            let buffer = self.program.buffers.push(BufferData {
                kind,
                dtype: meta.dtype,
                sizes: meta.shape.clone(),
                strides,
            });
            match kind {
                BufferKind::Input(k) => {
                    self.program.inputs.push(buffer);
                    if graph.inputs[k].spent {
                        self.program.spent.insert(buffer);
                    }
                }
                _ => self.program.constants.push(buffer),
            }
            // A number is a symbol of the run: its tensor is the host's, which kernels cannot read everywhere.
            let symbol = match kind {
                BufferKind::Input(k) => graph.inputs[k].symbol,
                _ => None,
            };
            let lazy = match (symbol, meta.dtype) {
                (Some(bits), Dtype::Float64) => self.number(Number::Float(bits)),
                (Some(truth), Dtype::Bool) => self.number(Number::Truth(truth)),
                (Some(symbol), _) => self.number(Number::Symbolic(symbol)),
                (None, _) => self.load_all(buffer),
            };
            self.values.insert(value, lazy);
        }
    }

    /// A number as a tensor without dimensions.
    fn number(&mut self, number: Number) -> Lazy {
        let exprs = &mut self.program.exprs;
        let expr = match number {
            Number::Symbolic(s) => exprs.index_value(s, Dtype::Int64),
            Number::Truth(s) => self.condition(s),
            Number::Float(bits) => exprs.float_of_bits(bits),
            Number::Scalar(s) => {
                let dtype = if let Scalar::Float(_) = s { Dtype::Float64 } else { s.default_dtype() };
                exprs.constant(s, dtype)
            }
        };
        Lazy { sizes: Vec::new(), expr }
    }

    fn lower_node(&mut self, node: &Node) -> Result<(), LowerError> {
        memory::checkpoint();
        self.cross(node);
        self.op = node.name();
        self.origins.clone_from(&node.origins);
        match node.op {
            OpId::Bind => return self.bind_symbol(node),
            OpId::Cond => return self.cond(node),
            OpId::WhileLoop => return self.while_loop(node),
            _ => {}
        }
        let rule = rule_of(node.op).ok_or_else(|| self.unsupported("this operator has no loops yet"))?;
        for value in node.uses().chain(node.outputs.iter().copied()) {
            self.check_value(value)?;
        }
        if node.op.class() == Class::View {
            self.realize_epilogues(node);
        }
        let args = Args::new(self.graph, node);
        let results = rule(self, &args)?;
        if args.unknown_float.get() {
            return Err(self.unsupported("an argument is a float known only at run time"));
        }
        if results.len() != node.outputs.len() {
            return Err(self.error(Status::Internal, format!("the lowering gave {} results", results.len())));
        }
        for (value, lazy) in node.outputs.iter().zip(results) {
            let meta = self.graph.meta(*value).in_parts(self.syms());
            if self.program.exprs.dtype(lazy.expr) != meta.dtype || lazy.sizes.len() != meta.rank() {
                let found = self.program.exprs.dtype(lazy.expr);
                let message = format!(
                    "lowered to {found} of rank {}, not {} of rank {}",
                    lazy.sizes.len(),
                    meta.dtype,
                    meta.rank()
                );
                return Err(self.error(Status::Internal, message));
            }
            if !self.is_trivial(lazy.expr) {
                let mut operators = self.pending_below(lazy.expr);
                let own = self.own();
                operators.add(&own);
                self.pending.insert(lazy.expr, operators);
                self.makers.insert(lazy.expr, own);
            }
            let uses = self.uses.get(value).copied().unwrap_or(0);
            let lazy = if uses > 1 && !self.is_trivial(lazy.expr) || self.is_large(lazy.expr) {
                self.kept(&lazy)
            } else {
                lazy
            };
            self.values.insert(*value, lazy);
            self.region.made(*value);
        }
        Ok(())
    }

    /// From here on a symbol is the number in a tensor; guards that waited for it follow.
    fn bind_symbol(&mut self, node: &Node) -> Result<(), LowerError> {
        let (Some(Arg::Value(value)), Some(Arg::Int(symbol))) = (node.arg("self"), node.arg("symbol")) else {
            return Err(self.error(Status::Internal, "binds nothing"));
        };
        let lazy = self.value(*value);
        let buffer = self.realize(&lazy);
        let symbol = self.syms().as_symbol(*symbol);
        let symbol = symbol.ok_or_else(|| self.error(Status::Internal, "binds no symbol"))?;
        self.steer(Control::Read { symbol, buffer });
        self.check_guards();
        Ok(())
    }
    /// Appends a control node.
    fn steer(&mut self, control: Control) {
        self.program.pinned.extend(control.reads().into_iter().chain(control.writes()));
        self.program.unbacked.extend(control.gives());
        self.program.nodes.push(LoopNode { kind: NodeKind::Control(control), operators: self.own() });
    }
    /// Checks what waited for symbols and has them now.
    fn check_guards(&mut self) {
        let syms = self.syms();
        let known = |c: SymInt, unbacked: &HashSet<SymbolId>, given: &HashSet<SymbolId>| {
            syms.sources(c).iter().all(|s| unbacked.contains(s) || !given.contains(s))
        };
        let (ready, waiting): (Vec<Guard>, Vec<Guard>) = std::mem::take(&mut self.guards)
            .into_iter()
            .partition(|g| known(g.condition, &self.program.unbacked, &self.data_symbols));
        self.guards = waiting;
        for guard in ready {
            let assertion = self.assertion(guard.message);
            self.steer(Control::Check { condition: guard.condition, assertion });
        }
    }

    /// What is computed from a contraction's result is realized before a view rearranges it: in the result's own
    /// space it can be the contraction's epilogue.
    fn realize_epilogues(&mut self, node: &Node) {
        for value in node.uses() {
            let lazy = self.values[value].clone();
            if !self.is_trivial(lazy.expr) && self.loads_contraction(lazy.expr) {
                let buffer = self.materialize(&lazy);
                let lazy = self.load_all(buffer);
                self.values.insert(value, lazy);
            }
        }
    }
    fn loads_contraction(&self, id: ExprId) -> bool {
        self.program.exprs.loads(&[id]).into_iter().any(|l| match &self.program.exprs[l] {
            Expr::Load { buffer, .. } => self.contractions.contains(buffer),
            _ => false,
        })
    }

    /// Operators named by the pending expressions that this one is built from.
    fn pending_below(&self, root: ExprId) -> Operators {
        let (mut found, mut seen, mut open) = (Vec::new(), HashSet::default(), vec![root]);
        while let Some(id) = open.pop() {
            match self.pending.get(&id) {
                _ if !seen.insert(id) => {}
                // Those that it is built from are named with it.
                Some(operators) => found.push(operators),
                None => open.extend(self.program.exprs.operands(id).into_iter().rev()),
            }
        }
        Operators::of(found)
    }
    /// Notes which operator of a node is its own, where it computes others.
    fn note_own(&mut self, result: BufferId, all: &Operators, own: &Operators) {
        if all.origins.iter().any(|id| !own.origins.contains(id)) {
            self.program.own.insert(result, own.clone());
        }
    }
    /// The node that is being lowered.
    fn own(&self) -> Operators {
        Operators::new(self.op, &self.origins)
    }

    /// Costs nothing to evaluate again: a load at a plain index, a number, and casts of these.
    fn is_trivial(&self, id: ExprId) -> bool {
        match &self.program.exprs[id] {
            Expr::Constant(..) | Expr::Index(..) => true,
            Expr::Load { data, .. } => data.is_empty(),
            Expr::Cast(_, a) => self.is_trivial(*a),
            _ => false,
        }
    }

    /// So large that inlining it further would make one kernel of everything.
    fn is_large(&self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        // As its formula has, of which each kernel is made.
        let of = |e: &ExprId| {
            if matches!(exprs[*e], Expr::Unary(crate::loops::UnaryOp::GeluTanh, _)) { 9 } else { 1 }
        };
        exprs.postorder(&[id]).iter().map(of).sum::<usize>() > 96
    }

    /// A value that loops go over has a dtype that is computed with, and sizes that sums of a few of them stay within 64 bits
    /// for: everything from here on counts on it.
    fn check_value(&self, value: Value) -> Result<(), LowerError> {
        let meta = self.graph.meta(value);
        if !meta.dtype.is_arithmetic() && !meta.dtype.is_float8() {
            return Err(self.unsupported(format!("dtype {} cannot be computed with", meta.dtype)));
        }
        let syms = &self.graph.syms;
        let sizes = || meta.shape.iter().map(|size| syms.as_const(*size).unwrap_or(1));
        let bytes = sizes().try_fold(meta.dtype.size() as i64, i64::checked_mul);
        if bytes.is_none_or(|n| n > MOST_BYTES) || sizes().any(|n| n > MOST_BYTES) {
            let message =
                format!("a tensor of shape {} is larger than any memory", syms.display_list(&meta.shape));
            return Err(self.error(Status::OutOfMemory, message));
        }
        Ok(())
    }

    fn bind_outputs(&mut self) -> Result<(), LowerError> {
        self.op = OUTPUT;
        self.origins = Vec::new();
        let graph = self.graph;
        for output in &graph.outputs {
            let buffer = match output.value {
                OutputValue::Tensor(value) => {
                    self.check_value(value)?;
                    self.output_buffer(value)
                }
                OutputValue::Number(number) => {
                    let lazy = self.number(number);
                    self.materialize(&lazy)
                }
            };
            self.program.outputs.push(buffer);
        }
        for write in &graph.writes {
            let target = match write.target {
                Definition::Input(k) => self.program.inputs[k],
                Definition::Constant(k) => self.program.constants[k],
                Definition::Node { .. } => {
                    return Err(self.error(
                        Status::Internal,
                        "a write to a node's value is left after functionalization",
                    ));
                }
            };
            self.check_value(write.value)?;
            let source = self.output_buffer(write.value);
            self.program.writes.push((target, source));
        }
        Ok(())
    }

    /// A buffer that holds the value and serves no other output or write.
    fn output_buffer(&mut self, value: Value) -> BufferId {
        let lazy = self.values[value].clone();
        if let Some(buffer) = self.whole_buffer(&lazy) {
            let program = &self.program;
            let serves = program.outputs.contains(&buffer)
                || (program.pinned.contains(&buffer) && self.is_unbacked(buffer))
                || program.writes.iter().any(|w| w.1 == buffer);
            if program.buffers[buffer].kind == BufferKind::Temporary && !serves {
                return buffer;
            }
        }
        self.materialize(&lazy)
    }

    /// True for a buffer whose size data give: it may get its memory more than once.
    fn is_unbacked(&self, buffer: BufferId) -> bool {
        let sizes = &self.program.buffers[buffer].sizes;
        let given = |s: &SymInt| self.syms().sources(*s).iter().any(|s| self.program.unbacked.contains(s));
        sizes.iter().any(given)
    }

    // What rules build with.

    /// The loop variables of a space.
    pub fn vars(&self, sizes: &[SymInt]) -> Vec<SymInt> {
        self.program.vars(sizes)
    }
    /// True when a node, an output or a write uses the value.
    pub fn is_used(&self, value: Value) -> bool {
        self.uses.contains_key(&value)
    }
    /// The lowered form of a graph value.
    pub fn value(&self, value: Value) -> Lazy {
        self.values[value].clone()
    }
    /// Appends a node of this operator; what its expressions inline is named with it.
    pub fn push(&mut self, mut kind: NodeKind) {
        // A reduction over no dimensions becomes one over a dimension of size 1: every reduction has an inner loop.
        if let NodeKind::Reduction { reduced, .. } = &mut kind
            && reduced.is_empty()
        {
            reduced.push(self.program.syms.constant(1));
        }
        let mut node = LoopNode { kind, operators: Operators::default() };
        for root in node.exprs() {
            node.operators.add(&self.pending_below(root));
        }
        let own = self.own();
        if let Some(result) = node.outs().first() {
            self.note_own(*result, &node.operators, &own);
        }
        node.operators.add(&own);
        self.program.over_own_spaces(&mut node);
        if let NodeKind::Library(routine) = &node.kind {
            self.program.pinned.extend(&routine.operands);
        }
        if let NodeKind::Gemm { .. } | NodeKind::Convolution(_) = node.kind {
            self.contractions.extend(node.outs());
        }
        self.program.nodes.push(node);
    }
    /// The number of an assertion message for `Expr::Check`.
    pub fn assertion(&mut self, mut message: String) -> u32 {
        message += &self.graph.origins.place(&self.origins);
        self.message(message)
    }
    /// The number of a text that a run may tell; equal ones are one.
    fn message(&mut self, message: String) -> u32 {
        let list = &mut self.program.assertions;
        let place = list.iter().position(|m| *m == message).unwrap_or_else(|| {
            list.push(message);
            list.len() - 1
        });
        place as u32
    }
    /// The expression in its dtype's compute type (float32 for reduced floats).
    pub fn compute(&mut self, expr: ExprId) -> ExprId {
        let dtype = self.program.exprs.dtype(expr).compute();
        self.program.exprs.cast(expr, dtype)
    }
}
