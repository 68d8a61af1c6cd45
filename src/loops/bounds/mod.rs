//! Every access within its buffer, for all sizes in range: what makes a program unable to touch memory that is not its
//! own, whatever lowering did.
//!
//! Each load's and store's index is proved to lie within the buffer's sizes wherever it is evaluated. Where a proof needs
//! an equality or a bound of symbols, that becomes a guard: checked before a run where inputs alone give the symbols,
//! otherwise by a check before the node. Where there is no such condition, the program is refused.
//!
//! Invariants relied upon: the value of a `Masked` and of a `Check` is evaluated where the condition holds alone; a nest
//! with an empty dimension evaluates nothing; templates read the spaces that their nodes state, and a convolution's
//! windows nothing outside of its image; a library's routine accesses whole operands of the sizes that its attributes state.
//!
//! An index whose constants exceed 64 bits is refused, even where the access is in bounds: generated code calculates in 64
//! bits.
//!
//! Deliberately absent: what later stages make of the indices (they keep their meaning), and races.

mod abbreviate;
mod again;
mod assumed;
mod atoms;
mod counts;
mod equal;
mod facts;
mod goal_facts;
mod nodes;
mod prove;
#[cfg(test)]
mod tests;

pub use equal::Equal;
pub use facts::Interval;
pub use goal_facts::not_negative;
pub use prove::{Proof, Prover};

use super::{BufferId, BufferKind, Control, Expr, ExprId, LoopNode, NodeKind, Program};
use crate::base::{HashSet, Status, bounded, memory};
use crate::ir::{Graph, Guard, OutputValue};
use crate::types::{SymArena, SymInt, SymbolId, SymbolKind};
use assumed::Assumed;
use counts::{Counts, MOST_POINTS};
use facts::{Context, Facts};
use std::sync::Arc;

/// An access that is not known to stay within its buffer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BoundsError {
    #[error(
        "{operators}: cannot show that reads of {operand} stay within it: index `{index}` of dimension {dimension}, which \
         has {size} elements"
    )]
    Read { operators: String, operand: String, index: String, dimension: usize, size: String },
    #[error(
        "{operators}: cannot show that writes of {operand} stay within it: index `{index}` of dimension {dimension}, \
         which has {size} elements"
    )]
    Write { operators: String, operand: String, index: String, dimension: usize, size: String },
    #[error("{operators}: the shape {found} of {operand} cannot be shown to be {expected}")]
    Shape { operators: String, operand: String, found: String, expected: String },
    #[error("{operators}: the index `{index}` of {operand} goes beyond 64 bits")]
    Overflow { operators: String, operand: String, index: String },
    #[error(
        "{operators}: {count} elements are more than the {MOST_POINTS} (2^47) that the address space of a process can hold"
    )]
    TooLarge { operators: String, count: String },
    #[error("no sizes are right for this program: {message}")]
    Never { message: String },
    #[error("{operators}: the loop variable `{variable}` has no loop")]
    UnboundVariable { operators: String, variable: String },
    #[error("{operators}: the operands of a library's routine are not those that its attributes state")]
    Routine { operators: String },
}

impl BoundsError {
    pub fn status(&self) -> Status {
        match self {
            BoundsError::Never { .. } | BoundsError::TooLarge { .. } => Status::Shape,
            BoundsError::UnboundVariable { .. } | BoundsError::Routine { .. } => Status::Internal,
            _ => Status::Unsupported,
        }
    }
}

/// An expression in a message: those that data give sizes to may be very long.
fn text(syms: &SymArena, e: SymInt) -> String {
    bounded(syms.display(e))
}

/// Proves all accesses. Gives the guards that a run has to check before it begins, beside the graph's own; checks that
/// need symbols from data are added to the program.
pub fn bound(program: &mut Program, graph: &Graph) -> Result<Vec<Guard>, BoundsError> {
    loop {
        let foreign = match prove_all(program, graph) {
            Err(Failure::Refused(error)) => return Err(error),
            Err(Failure::Foreign(foreign)) => foreign,
            Ok((guards, checks)) => {
                add_checks(program, checks);
                return Ok(guards);
            }
        };
        // Each turn takes one foreign variable out of one expression.
        let syms = Arc::clone(&program.syms);
        let map = [(foreign.variable, foreign.own)].into_iter().collect();
        let root = program.exprs.substitute(&syms, foreign.root, &map);
        program.nodes[foreign.node].for_each_expr(&mut |e| {
            if *e == foreign.root {
                *e = root;
            }
        });
    }
}

/// Why the accesses are not proved.
enum Failure {
    Refused(BoundsError),
    Foreign(Foreign),
}

impl From<BoundsError> for Failure {
    fn from(error: BoundsError) -> Failure {
        Failure::Refused(error)
    }
}

/// A loop variable over another expression of the same size: guards make the two equal, and a rule took one for the nest and
/// the other for its variables.
struct Foreign {
    node: usize,
    root: ExprId,
    variable: SymbolId,
    own: SymInt,
}

fn prove_all(program: &Program, graph: &Graph) -> Result<(Vec<Guard>, Vec<Check>), Failure> {
    let mut verifier = Verifier::new(program, Some(graph));
    for guard in &graph.guards {
        if verifier.is_early(guard.condition) {
            if verifier.prover.is_never(guard.condition) {
                return Err(BoundsError::Never { message: guard.message.clone() }.into());
            }
            verifier.prover.assume_always(guard.condition);
        }
    }
    for (k, node) in program.nodes.iter().enumerate() {
        verifier.node = k;
        verifier.count(node)?;
        verifier.visit(node)?;
        verifier.facts.learn_results(&node.kind);
    }
    verifier.results(graph)?;
    verifier.guard_counts();
    let Verifier { guards, checks, .. } = verifier;
    Ok((guards, checks))
}

/// Whether nodes stay within their buffers for all sizes in range, whatever a run checks beforehand: for accesses that
/// a later stage has rewritten.
pub fn stay_within(program: &Program, nodes: &HashSet<usize>) -> bool {
    let mut verifier = Verifier::new(program, None);
    for (k, node) in program.nodes.iter().enumerate() {
        verifier.node = k;
        if let NodeKind::Control(control) = &node.kind {
            // Its checks are facts for the nodes after it; the copies were proved before.
            let _ = verifier.control(control);
        } else if nodes.contains(&k) && verifier.visit(node).is_err() {
            return false;
        }
        verifier.facts.learn_results(&node.kind);
    }
    verifier.guards.is_empty() && verifier.checks.iter().all(|c| !nodes.contains(&c.node))
}

/// A condition that is checked before a node.
struct Check {
    node: usize,
    condition: SymInt,
    message: String,
}

fn add_checks(program: &mut Program, checks: Vec<Check>) {
    for check in checks.into_iter().rev() {
        program.assertions.push(check.message);
        let assertion = program.assertions.len() as u32 - 1;
        let operators = program.nodes[check.node].operators.clone();
        let kind = NodeKind::Control(Control::Check { condition: check.condition, assertion });
        program.nodes.insert(check.node, LoopNode { kind, operators });
    }
}

struct Verifier<'p> {
    program: &'p Program,
    /// Names inputs and constants; without one they are named by their kind.
    graph: Option<&'p Graph>,
    prover: Prover<'p>,
    facts: Facts<'p>,
    /// `(index, size)` that hold wherever they stand, and did so before.
    inside: HashSet<(SymInt, SymInt)>,
    /// Indices whose loop variables belong to the nest at hand.
    of_nest: HashSet<SymInt>,
    guards: Vec<Guard>,
    /// Conditions that are guards already (no node), or checks (their node).
    asked: HashSet<(Option<usize>, SymInt)>,
    checks: Vec<Check>,
    /// For each open block, how many assumptions there were when it began.
    blocks: Vec<usize>,
    /// For each open function, what was assumed around it: where it is run again, it may not hold.
    around: Vec<Assumed>,
    /// Symbols that were assigned just before the node, in order. Each value is in terms of the symbols before the assignment.
    sets: Vec<(SymbolId, SymInt)>,
    node: usize,
    counts: Counts,
}

/// One access: a buffer at an index with the data that it names, in a nest of `sizes`, under a context.
struct Access<'e> {
    buffer: BufferId,
    index: &'e [SymInt],
    data: &'e [ExprId],
    sizes: &'e [SymInt],
    /// The expression that it stands in, where it stands in one.
    root: Option<ExprId>,
    context: Context,
    writes: bool,
    /// How many places behind the end of a dimension an index may name: those of a scatter that are left out.
    beyond: i64,
}

impl<'p> Verifier<'p> {
    fn new(program: &'p Program, graph: Option<&'p Graph>) -> Verifier<'p> {
        Verifier {
            program,
            graph,
            prover: Prover::new(&program.syms),
            facts: Facts::new(program),
            inside: HashSet::default(),
            of_nest: HashSet::default(),
            guards: Vec::new(),
            asked: HashSet::default(),
            checks: Vec::new(),
            blocks: Vec::new(),
            around: Vec::new(),
            sets: Vec::new(),
            node: 0,
            counts: Counts::default(),
        }
    }

    fn syms(&self) -> &SymArena {
        &self.program.syms
    }

    fn visit(&mut self, node: &LoopNode) -> Result<(), Failure> {
        memory::checkpoint();
        if !matches!(node.kind, NodeKind::Control(Control::Set { .. } | Control::Copy { .. })) {
            self.sets.clear();
        }
        let spaces = self.program.spaces(&node.kind);
        node.exprs().into_iter().zip(spaces).try_for_each(|(value, space)| self.reads(value, &space))?;
        match &node.kind {
            NodeKind::Pointwise { sizes, out, .. } => self.same(*out, sizes),
            NodeKind::Reduction { sizes, outs, .. } | NodeKind::Scan { sizes, outs, .. } => {
                outs.iter().try_for_each(|out| self.same(*out, sizes))
            }
            NodeKind::Sort { sizes, axis, kept, values, positions, .. } => {
                let fits = self.syms().sub(sizes[*axis], *kept);
                self.settle(*values, "sort", fits, sizes)?;
                let mut first = sizes.clone();
                first[*axis] = *kept;
                [values, positions].into_iter().try_for_each(|out| self.same(*out, &first))
            }
            NodeKind::Scatter { sizes, index, data, mode, out, .. } => {
                self.enter(sizes);
                let context = Facts::TOP;
                let (root, beyond) = (None, i64::from(mode.leaves_out()));
                self.access(&Access { buffer: *out, index, data, sizes, root, context, writes: true, beyond })
            }
            NodeKind::Gemm { batch, m, n, out, .. } => {
                let sizes: Vec<SymInt> = batch.iter().copied().chain([*m, *n]).collect();
                self.same(*out, &sizes)
            }
            NodeKind::Convolution(c) => self.convolution(c),
            NodeKind::Attention(a) => self.attention(a),
            NodeKind::AttentionBackward(a) => self.attention_backward(a),
            NodeKind::Recurrence(r) => {
                let rows = if r.batch_first { [r.batch, r.steps] } else { [r.steps, r.batch] };
                self.same(r.out, &[rows[0], rows[1], r.projected])?;
                self.same(r.last, &[r.batch, r.projected])?;
                r.last_cell.map_or(Ok(()), |out| self.same(out, &[r.batch, r.hidden]))
            }
            NodeKind::Library(routine) => self.routine(routine),
            NodeKind::Control(control) => self.control(control),
        }
    }

    /// Outputs have the shapes that the graph promises, and what is written back has its target's.
    fn results(&mut self, graph: &Graph) -> Result<(), Failure> {
        self.node = self.program.nodes.len();
        let program = self.program;
        for (output, buffer) in graph.outputs.iter().zip(&program.outputs) {
            if let OutputValue::Tensor(value) = output.value {
                self.same(*buffer, &graph.meta(value).in_parts(&graph.syms).shape)?;
            }
        }
        for (target, source) in &program.writes {
            let sizes = program.buffers[*source].sizes.clone();
            self.same(*target, &sizes)?;
        }
        Ok(())
    }

    /// Every load below a value that is computed at the points of `sizes`.
    fn reads(&mut self, root: ExprId, sizes: &[SymInt]) -> Result<(), Failure> {
        let program = self.program;
        if self.is_empty(sizes) {
            return Ok(());
        }
        self.enter(sizes);
        let (mut seen, mut stack) = (HashSet::default(), vec![(root, Facts::TOP)]);
        while let Some((id, context)) = stack.pop() {
            if !seen.insert((id, context)) {
                continue;
            }
            match &program.exprs[id] {
                Expr::Load { buffer, index, data } => {
                    let (buffer, root) = (*buffer, Some(root));
                    self.access(&Access {
                        buffer,
                        index,
                        data,
                        sizes,
                        root,
                        context,
                        writes: false,
                        beyond: 0,
                    })?;
                    stack.extend(data.iter().map(|e| (*e, context)));
                }
                Expr::Masked { condition, value, otherwise } => {
                    let inner = self.facts.enter(context, *condition, true);
                    stack.extend([(*condition, context), (*otherwise, context), (*value, inner)]);
                }
                Expr::Check { condition, value, .. } => {
                    let inner = self.facts.enter(context, *condition, true);
                    stack.extend([(*condition, context), (*value, inner)]);
                }
                Expr::Index(index, _) => {
                    self.bound_variables(*index, sizes, Some(root))?;
                    if !self.syms().fits(*index) {
                        return Err(self.overflow(*index, "a calculated value".to_string()).into());
                    }
                }
                _ => stack.extend(program.exprs.operands(id).into_iter().map(|e| (e, context))),
            }
        }
        Ok(())
    }

    /// Goals from here on are about the points of a nest.
    fn enter(&mut self, sizes: &[SymInt]) {
        self.prover.enter(sizes);
        self.of_nest.clear();
    }

    /// Each loop variable of an index belongs to the nest.
    fn bound_variables(
        &mut self,
        index: SymInt,
        sizes: &[SymInt],
        root: Option<ExprId>,
    ) -> Result<(), Failure> {
        if !self.of_nest.insert(index) {
            return Ok(());
        }
        let syms = &self.program.syms;
        for symbol in syms.symbols(index) {
            let SymbolKind::Index { position, size } = syms.symbol_kind(symbol) else { continue };
            let own = sizes.get(position as usize);
            if own == Some(&size) {
                continue;
            }
            if let (Some(root), Some(own)) = (root, own)
                && self.prover.are_equal(*own, size)
            {
                let own = syms.index_var(position, *own);
                return Err(Failure::Foreign(Foreign { node: self.node, root, variable: symbol, own }));
            }
            let variable = syms.symbol_name(symbol);
            return Err(BoundsError::UnboundVariable { operators: self.operators(), variable }.into());
        }
        Ok(())
    }

    /// A nest that never has points.
    fn is_empty(&self, sizes: &[SymInt]) -> bool {
        sizes.iter().any(|s| self.syms().range(*s).max < 1)
    }

    fn access(&mut self, access: &Access<'_>) -> Result<(), Failure> {
        let program = self.program;
        if self.is_empty(access.sizes) {
            return Ok(());
        }
        self.place(access)?;
        let mut given: Option<(Vec<SymInt>, Vec<Interval>)> = None;
        for (dimension, (index, size)) in
            access.index.iter().zip(&program.buffers[access.buffer].sizes).enumerate()
        {
            let (index, size) = (*index, program.syms.add_const(*size, access.beyond));
            self.bound_variables(index, access.sizes, access.root)?;
            if self.inside.contains(&(index, size)) {
                continue;
            }
            let syms = &program.syms;
            let last = syms.add_const(size, -1);
            let above = syms.sub(last, index);
            if syms.range(index).min >= 0 && syms.range(above).min >= 0
                || syms.known_le(syms.constant(0), index) && syms.known_le(index, last)
            {
                self.inside.insert((index, size));
                continue;
            }
            let (facts, data) = given.get_or_insert_with(|| {
                let data = access.data.iter().map(|e| self.facts.interval(*e, access.context)).collect();
                (self.facts.facts(access.context), data)
            });
            let prover = &mut self.prover;
            let low = prover.prove(index, facts, data);
            match low.and(syms, || prover.prove(above, facts, data)) {
                Proof::Holds => {}
                Proof::When(condition) => {
                    let message = format!(
                        "{}: index `{}` of dimension {dimension} of {} is outside its {} elements",
                        self.operators(),
                        text(syms, index),
                        self.name(access.buffer),
                        text(syms, size)
                    );
                    self.require(condition, access.sizes, message);
                }
                Proof::Open => {
                    let (operators, operand) = (self.operators(), self.name(access.buffer));
                    let (index, size) = (text(syms, index), text(syms, size));
                    let error = match access.writes {
                        true => BoundsError::Write { operators, operand, index, dimension, size },
                        false => BoundsError::Read { operators, operand, index, dimension, size },
                    };
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    /// The place in memory that an access is at can be calculated in 64 bits.
    fn place(&self, access: &Access<'_>) -> Result<(), Failure> {
        let (syms, buffer) = (self.syms(), &self.program.buffers[access.buffer]);
        if !access.index.iter().chain(&buffer.strides).any(|e| syms.is_large(*e)) {
            return Ok(());
        }
        let terms: Vec<SymInt> = access
            .index
            .iter()
            .zip(&buffer.strides)
            .map(|(index, stride)| syms.mul(*index, *stride))
            .collect();
        let place = syms.sum(&terms);
        let whole = terms.iter().chain(access.index).chain([&place]).all(|e| syms.fits(*e));
        if whole { Ok(()) } else { Err(self.overflow(place, self.name(access.buffer)).into()) }
    }

    fn overflow(&self, index: SymInt, operand: String) -> BoundsError {
        BoundsError::Overflow { operators: self.operators(), operand, index: text(self.syms(), index) }
    }

    /// A buffer has these sizes.
    fn same(&mut self, buffer: BufferId, sizes: &[SymInt]) -> Result<(), Failure> {
        let program = self.program;
        let found = &program.buffers[buffer].sizes;
        if found == sizes {
            return Ok(());
        }
        let shape = |this: &Self, list: &[SymInt]| bounded(this.syms().display_list(list));
        let error = |this: &Self| BoundsError::Shape {
            operators: this.operators(),
            operand: this.name(buffer),
            found: shape(this, found),
            expected: shape(this, sizes),
        };
        if found.len() != sizes.len() {
            return Err(error(self).into());
        }
        self.enter(&[]);
        for (a, b) in found.iter().zip(sizes) {
            let (up, down) = (program.syms.sub(*a, *b), program.syms.sub(*b, *a));
            let prover = &mut self.prover;
            let proof = prover.prove(up, &[], &[]).and(&program.syms, || prover.prove(down, &[], &[]));
            match proof {
                Proof::Holds => {}
                Proof::When(condition) => {
                    let message = format!(
                        "{}: the shapes {} and {} of {} differ",
                        self.operators(),
                        shape(self, found),
                        shape(self, sizes),
                        self.name(buffer)
                    );
                    self.require(condition, &[], message);
                }
                Proof::Open => return Err(error(self).into()),
            }
        }
        Ok(())
    }

    /// `gap >= 0` for the sizes of a node.
    fn settle(&mut self, out: BufferId, what: &str, gap: SymInt, sizes: &[SymInt]) -> Result<(), Failure> {
        self.enter(sizes);
        match self.prover.prove(gap, &[], &[]) {
            Proof::Holds => Ok(()),
            Proof::When(condition) => {
                let text = text(self.syms(), condition);
                let message = format!("{}: the {what} needs sizes with {text}", self.operators());
                self.require(condition, sizes, message);
                Ok(())
            }
            Proof::Open if self.is_empty(sizes) => Ok(()),
            Proof::Open => Err(BoundsError::Shape {
                operators: self.operators(),
                operand: self.name(out),
                found: bounded(self.syms().display_list(sizes)),
                expected: format!("within the operands of the {what}"),
            }
            .into()),
        }
    }

    /// Has a condition checked, unless the nest is empty.
    fn require(&mut self, condition: SymInt, sizes: &[SymInt], message: String) {
        let syms = &self.program.syms;
        let zero = syms.constant(0);
        let empty = sizes
            .iter()
            .filter(|s| syms.range(**s).min < 1)
            .fold(zero, |any, size| syms.or(any, syms.le(*size, zero)));
        let condition = syms.or(condition, empty);
        self.prover.assume(condition);
        if self.blocks.is_empty() && self.is_early(condition) {
            if self.asked.insert((None, condition)) {
                self.guards.push(Guard { condition, message });
            }
        } else if self.asked.insert((Some(self.node), condition)) {
            self.checks.push(Check { node: self.node, condition, message });
        }
    }

    /// Whether inputs alone give what a condition is about.
    fn is_early(&self, condition: SymInt) -> bool {
        self.syms().sources(condition).iter().all(|s| !self.program.unbacked.contains(s))
    }

    fn operators(&self) -> String {
        match self.program.nodes.get(self.node) {
            Some(node) => node.operators.located(&self.program.origins),
            None => "output".to_string(),
        }
    }

    fn name(&self, buffer: BufferId) -> String {
        match (self.program.buffers[buffer].kind, self.graph) {
            (BufferKind::Input(k), Some(graph)) => format!("input \"{}\"", graph.inputs[k].name),
            (BufferKind::Constant(k), Some(graph)) => format!("constant \"{}\"", graph.constants[k].name),
            (BufferKind::Input(_), None) => "an input".to_string(),
            (BufferKind::Constant(_), None) => "a constant".to_string(),
            (BufferKind::Temporary, _) => "an intermediate value".to_string(),
        }
    }
}
