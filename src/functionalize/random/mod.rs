//! Random numbers made pure: every node that draws becomes a function of the seed and of a place that is its own.
//!
//! The random state is the number of the next block of words. Each node takes the stretch of blocks that its elements need, in
//! the order of the program, before any pass: what is optimised, fused or removed afterwards changes no number. Outside of
//! branches and loops the state is a symbolic integer, the run's offset and the sizes of the stretches before.
//!
//! A branch or a body that draws gets the state as an operand, a 0-d tensor that it writes to ([`thread`]): so the state
//! after a node depends on which branch ran and how many turns there were, as that of PyTorch's generators does.
//!
//! Invariants: no node that draws is left; the last node of a graph that drew says where the state stands; a graph that was
//! functionalized before goes on from there.
//!
//! Deliberately absent: PyTorch's own numbers. Distributions, intervals and errors are PyTorch's.

mod choices;
mod composites;
mod distributions;
mod draw;
mod dropout;
mod thread;

pub(super) use thread::thread;

use super::Functionalize;
use crate::base::Status;
use crate::ir::{Arg, Graph, Node, Value};
use crate::meta::MetaError;
use crate::ops::{Class, Form, OpId};
use crate::types::{Dtype, RandomState, Range, SymInt, TensorMeta};
use draw::{Draw, Written};

/// The name of the operand by which a graph within another one gets the state.
const STATE: &str = "random state";

/// The name of the symbol that stands for the state after branches or loops that draw.
const NEXT: &str = "next_random_offset";

/// Where the next node draws from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// The old value by which graphs that draw get the state.
    state: Option<Value>,
    /// That value, once it holds the state.
    held: Option<Value>,
    /// Blocks beyond that, or beyond nothing.
    blocks: SymInt,
    /// Something was drawn.
    drew: bool,
}

impl Position {
    /// At the start of a program.
    pub(super) fn outermost(graph: &Graph, state: Option<Value>) -> Position {
        // A graph that was functionalized before, and was given other nodes since, says where its state stands.
        let ends = |node: &&Node| node.op == OpId::RandomNext;
        let end = graph.order.iter().map(|id| &graph.nodes[*id]).find(ends);
        let end = end.and_then(|node| node.arg("offset")).and_then(Arg::int);
        let blocks = end.unwrap_or_else(|| graph.syms.random_state(RandomState::Offset));
        Position { state, held: None, blocks, drew: end.is_some() }
    }
    /// At the start of a graph that a node runs: what it is given by [`thread`].
    pub(super) fn within(graph: &Graph) -> Position {
        let state = graph.inputs.last().filter(|input| input.name == STATE).map(|input| input.value);
        Position { state, held: state, blocks: graph.syms.constant(0), drew: false }
    }
}

/// True for a node that draws: of those that may also do without, with arguments that ask for it.
pub(super) fn draws(graph: &Graph, node: &Node) -> bool {
    use OpId::*;
    let is_true = |name: &str| matches!(node.arg(name), Some(Arg::Bool(true)));
    let positive = |name: &str| !matches!(node.arg(name), Some(Arg::Float(p)) if *p == 0.0);
    match node.op {
        Dropout | FeatureDropout | AlphaDropout | FeatureAlphaDropout => is_true("train") && positive("p"),
        NativeDropout => !matches!(node.arg("train"), Some(Arg::Bool(false))) && positive("p"),
        Rrelu => is_true("training"),
        ScaledDotProductAttention => positive("dropout_p"),
        LstmInput | GruInput | RnnTanhInput | RnnReluInput => {
            let several =
                !matches!(node.arg("num_layers"), Some(Arg::Int(n)) if graph.syms.as_const(*n) == Some(1));
            is_true("train") && positive("dropout") && several
        }
        op => op.class() == Class::Random,
    }
}

impl Functionalize<'_> {
    /// A node that draws, in either form.
    pub(super) fn draw(&mut self, node: &Node) -> Result<(), MetaError> {
        let args = self.args(&node.args)?;
        let (results, written) = self.drawn(node.op, args)?;
        let target = match (node.form, node.args.first()) {
            (Form::InPlace, Some(Arg::Value(target))) => Some(self.resolve(*target)),
            _ => None,
        };
        if let Some(target) = target {
            self.write_in_place(node, target, results[0])?;
        } else {
            for (old, new) in node.outputs.iter().zip(results) {
                self.laid_out_as(*old, new);
                self.add_base(*old, new);
            }
        }
        for (name, contents) in written {
            if let Some(Arg::Value(target)) = node.arg(name) {
                self.mutate(node.op, self.resolve(*target), contents)?;
            }
        }
        Ok(())
    }

    /// The results of a node that draws, and what it leaves in arguments of these names.
    fn drawn(&mut self, op: OpId, args: Vec<Arg>) -> Result<(Vec<Value>, Written), MetaError> {
        let state = self.random.held.map(|held| self.read(held)).transpose()?;
        if state.is_none() && self.given_by_data(self.random.blocks) {
            return Err(refused(op, "a pass adds random numbers to a graph whose loops draw some, too"));
        }
        let mut blocks = self.random.blocks;
        let mut draw = Draw::new(&mut self.new, op, &args, state, &mut blocks);
        let results = distributions::results(&mut draw)?;
        let written = std::mem::take(&mut draw.written);
        (self.random.blocks, self.random.drew) = (blocks, true);
        Ok((results, written))
    }

    /// True for an end of the state that a loop of this graph left: no node before it knows the symbol.
    fn given_by_data(&self, blocks: SymInt) -> bool {
        let syms = &self.old.syms;
        syms.as_symbol(blocks).is_some_and(|symbol| syms.symbol_name(symbol) == NEXT)
    }

    /// What replaces an old value has its strides.
    fn laid_out_as(&mut self, old: Value, new: Value) {
        let (want, have) = (self.old.meta(old), self.new.meta(new));
        if want.dtype == have.dtype && want.shape == have.shape && want.strides != have.strides {
            let meta: TensorMeta = want.clone();
            self.new.metas.insert(new, meta);
        }
    }

    /// Before a node that runs graphs: the tensor by which they get the state holds it.
    pub(super) fn hand_over_state(&mut self, node: &Node) -> Result<(), MetaError> {
        let Some(held) = self.random.state.filter(|state| thread::takes(node, *state)) else { return Ok(()) };
        let contents = match self.random.held {
            Some(_) => {
                let (state, blocks) = (self.read(held)?, self.random.blocks);
                self.builder().op("aten.add.Scalar", vec![Arg::Value(state), Arg::Int(blocks)])?
            }
            None => {
                let blocks = Arg::Int(self.random.blocks);
                self.builder().op_with(
                    "aten.scalar_tensor.default",
                    vec![blocks],
                    vec![("dtype", Arg::Dtype(Dtype::Int64))],
                )?
            }
        };
        self.mutate(node.op, held, contents)?;
        let zero = self.new.syms.constant(0);
        self.random = Position { held: Some(held), blocks: zero, drew: true, ..self.random };
        Ok(())
    }

    /// Leaves the state where others find it: in the operand, or in a node of its own.
    pub(super) fn end_random(&mut self) -> Result<(), MetaError> {
        let Position { held, blocks, drew, .. } = self.random;
        if !drew {
            return Ok(());
        }
        let Some(held) = held else {
            self.builder().call(OpId::RandomNext, Form::Functional, vec![Arg::Int(blocks)])?;
            return Ok(());
        };
        let state = self.read(held)?;
        let next = self.builder().op("aten.add.Scalar", vec![Arg::Value(state), Arg::Int(blocks)])?;
        if self.old.inputs.iter().any(|input| input.value == held) {
            return self.mutate(OpId::RandomNext, held, next);
        }
        let symbol = self.new.syms.symbol(NEXT, Range::new(0, 2 * RandomState::MOST_OFFSET), None);
        self.builder().call(OpId::Bind, Form::Functional, vec![Arg::Value(next), Arg::Int(symbol)])?;
        self.builder().call(OpId::RandomNext, Form::Functional, vec![Arg::Int(symbol)])?;
        Ok(())
    }
}

/// Refuses what a graph within another one cannot draw.
fn refused(op: OpId, message: impl Into<String>) -> MetaError {
    MetaError::new(Status::Unsupported, op.name(), message)
}
