//! How a joint graph is divided into a forward and a backward: marks of the user's graph, options, and a budget.
//!
//! A budget is met by a row of divisions, each of which runs more of the forward again than the one before and keeps less. A division whose
//! peak is above that of one before it is left out of the row: its peak is that of the two halves' own plans, scheduled for a CPU
//! as they would be compiled. Between two neighbours stand mixtures, which keep the last values of the forward as the first neighbour
//! does and run its first nodes again as the second does. The first of the row that fits the budget is taken.
//!
//! Invariants: the row does not depend on the budget, so a smaller budget never has a higher peak, nor keeps more; without a budget
//! nothing is scheduled twice.
//!
//! Deliberately absent: the cut (`differentiate::partition`), and building the halves (`session::training`).

use super::training::Halves;
use super::{Options, SessionError};
use crate::base::{HashMap, HashSet, StableSort, json};
use crate::decompose::decompose;
use crate::device::cpu;
use crate::differentiate::{Choice, Joint, Mark, Partition};
use crate::functionalize::split_results;
use crate::ir::{Arg, Definition, Graph, NodeId, OriginId, OutputValue, Value};
use crate::loops::{self, lower::lower};
use crate::ops::OpId;
use crate::target::Target;
use crate::{loop_passes, passes, schedule};

/// How the values that a forward keeps are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioner {
    /// All that the backward reads of the forward.
    Default,
    /// The least bytes, where nothing that is dear is computed twice.
    MinCut,
    /// The least bytes, where reductions and scans may be computed twice.
    MemoryEfficient,
}

impl Partitioner {
    pub const ALL: [Partitioner; 3] =
        [Partitioner::Default, Partitioner::MinCut, Partitioner::MemoryEfficient];

    pub fn name(self) -> &'static str {
        match self {
            Partitioner::Default => "default",
            Partitioner::MinCut => "min_cut",
            Partitioner::MemoryEfficient => "memory_efficient",
        }
    }
}

/// How much a forward may keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// 0: as little as can be; 1: as much as without a budget.
    Share(f64),
    Bytes(u64),
}

impl Budget {
    /// A number up to 1 is a share, a larger one bytes.
    pub fn read(text: &str) -> Option<Budget> {
        let number: f64 = text.parse().ok()?;
        match number {
            n if (0.0..=1.0).contains(&n) => Some(Budget::Share(n)),
            n if n > 1.0 && n.fract() == 0.0 && n < 9e15 => Some(Budget::Bytes(n as u64)),
            _ => None,
        }
    }
    fn bytes(self, least: u64, most: u64) -> u64 {
        match self {
            Budget::Share(share) => least + ((most.saturating_sub(least)) as f64 * share) as u64,
            Budget::Bytes(bytes) => bytes,
        }
    }
}

/// What the user said of values, by the origin of the nodes that make them.
pub(super) type Marks = HashMap<OriginId, Mark>;

/// A graph without the operators that mark values, and what they say.
pub(super) fn unmarked(graph: &Graph) -> (Graph, Marks) {
    let mut graph = graph.clone();
    let mut marks = Marks::default();
    let mut places: HashMap<Value, Value> = HashMap::default();
    for id in graph.order.clone() {
        let node = &graph.nodes[id];
        let mark = match node.op {
            OpId::Keep => Some(Mark::Keep),
            OpId::Recompute => Some(Mark::Recompute),
            _ => None,
        };
        let mut moved = |v: Value| places.get(&v).copied().unwrap_or(v);
        if let (Some(mark), Some(own), [result]) = (mark, node.args[0].value(), &node.outputs[..]) {
            let (own, result) = (moved(own), *result);
            if let Definition::Node { node, .. } = graph.values[own].definition {
                marks.extend(graph.origins_of(node).into_iter().map(|o| (o, mark)));
            }
            places.insert(result, own);
            graph.order.remove(id);
            continue;
        }
        if !places.is_empty() {
            let args = &mut graph.nodes[id].args;
            args.iter_mut().for_each(|a: &mut Arg| a.map_values(&mut moved));
        }
    }
    let moved = |v: Value| places.get(&v).copied().unwrap_or(v);
    for output in &mut graph.outputs {
        if let OutputValue::Tensor(value) = output.value {
            output.value = OutputValue::Tensor(moved(value));
        }
    }
    graph.writes.iter_mut().for_each(|w| w.value = moved(w.value));
    (graph, marks)
}

/// The halves of a joint graph as the options want them, and what describe says of the division.
pub(super) fn divided(
    joint: &Joint,
    gradients: &[Option<usize>],
    marks: Marks,
    options: &Options,
) -> Result<(Halves, serde_json::Value), SessionError> {
    let choice = Choice {
        keeps_all: options.partitioner == Partitioner::Default,
        price: None,
        cheap_reductions: options.partitioner == Partitioner::MemoryEfficient,
        marks,
        ..Choice::default()
    };
    // Where a budget is asked for, nothing that is kept is overwritten: the divisions that keep more would have the lower peaks.
    let halves = |partition: &Partition| {
        let mut halves = Halves::of(joint, gradients.to_vec(), partition)?;
        if options.budget.is_some() {
            halves.backward.inputs.iter_mut().for_each(|input| input.spent = false);
        }
        Ok(halves)
    };
    let whole = joint.partition(&choice);
    let first = halves(&whole)?;
    let mut about = json!({"partitioner": options.partitioner.name()});
    let chosen = match options.budget {
        None => first,
        Some(_) if choice.keeps_all => {
            let message =
                "option `training.budget` needs a partitioner that recomputes: min_cut or memory_efficient";
            return Err(SessionError::invalid(message));
        }
        Some(budget) => {
            let least = halves(&joint.partition(&Choice { price: Some(0.0), ..choice.clone() }))?.bytes;
            let budget = budget.bytes(least, first.bytes);
            let row = row(joint, &choice, &whole);
            let (found, peak) = within(joint, (choice, first), row, budget, &halves)?;
            about["budget"] = json!({"bytes": budget, "met": found.bytes <= budget, "peak_bytes": peak});
            found
        }
    };
    about["saved_bytes"] = chosen.bytes.into();
    about["computed_again"] = chosen.again.into();
    Ok((chosen, about))
}

/// How much lower the price of work is from one division to the next.
const STEP: f64 = 4.0;

/// Choices that run more and more of the forward again. A price takes all nodes or none where each saves as many bytes for its work.
/// Therefore the row also has choices that keep every n-th expensive node and run the others again.
fn row(joint: &Joint, choice: &Choice, first: &Partition) -> Vec<Choice> {
    let dear = joint.dear();
    let Some(least) = dear.iter().map(|(_, work)| *work).min() else { return Vec::new() };
    let total = dear.iter().fold(0u64, |sum, (_, work)| sum.saturating_add(*work));
    let mut row = Vec::new();
    // From a price at which the lightest work is worth all that is kept, to one at which all of it is worth less than a byte.
    let kept: f64 = first.kept.iter().map(|v| typical_bytes(&joint.graph, *v) as f64).sum();
    let mut price = kept.max(1.0) / least as f64;
    while price > 0.0 {
        price = if price * (total as f64) < 1.0 { 0.0 } else { price / STEP };
        row.push(Choice { price: Some(price), ..choice.clone() });
    }
    let dear = joint.dear_kept(first);
    let mut every = 2;
    while every <= dear.len() {
        let once = dear.iter().copied().skip(every - 1).step_by(every).collect();
        row.push(Choice { price: Some(0.0), once, ..choice.clone() });
        every += every.div_ceil(4);
    }
    row
}

/// Into how many parts the nodes are cut for mixtures.
const MIXTURES: usize = 8;

/// Mixtures of two neighbours: each runs the first nodes again as `less` does, and keeps the last as `more` does, since the backward
/// reads those first. From one to the next, fewer are kept.
fn between(joint: &Joint, more: &Choice, less: &Choice) -> Vec<Choice> {
    let dear: Vec<NodeId> = joint.dear().into_iter().map(|(id, _)| id).collect();
    let mut kept: HashSet<NodeId> = more.once.clone();
    match more.price {
        None => kept.extend(&dear),
        Some(_) => kept.extend(joint.dear_kept(&joint.partition(more))),
    }
    let places = (1..MIXTURES).map(|k| dear.len() * k / MIXTURES);
    let mixture = |place: usize| {
        let end = dear[place..].iter().filter(|id| kept.contains(id));
        Choice { once: less.once.iter().chain(end).copied().collect(), ..less.clone() }
    };
    places.map(mixture).collect()
}

/// The first division of the row that keeps no more than `budget`, or its last; and its peak.
fn within(
    joint: &Joint,
    first: (Choice, Halves),
    row: Vec<Choice>,
    budget: u64,
    halves: &dyn Fn(&Partition) -> Result<Halves, SessionError>,
) -> Result<(Halves, u64), SessionError> {
    let descending = |choices: Vec<Choice>| -> Result<Vec<(Choice, Halves)>, SessionError> {
        let divided = |choice: Choice| Ok((choice.clone(), halves(&joint.partition(&choice))?));
        let mut row = choices.into_iter().map(divided).collect::<Result<Vec<_>, SessionError>>()?;
        row.stable_sort_by_key(|(_, h)| std::cmp::Reverse(h.bytes));
        Ok(row)
    };
    let (mut choice, mut best) = first;
    let mut lowest = best.peak()?;
    for (less, next) in descending(row)? {
        if best.bytes <= budget {
            break;
        }
        if next.bytes >= best.bytes {
            continue;
        }
        let peak = next.peak()?;
        if peak > lowest {
            continue;
        }
        // Those of neighbours that both keep too much do so, too.
        let mixtures = if next.bytes <= budget { between(joint, &choice, &less) } else { Vec::new() };
        for (_, mixture) in descending(mixtures)? {
            if best.bytes > budget && (next.bytes..best.bytes).contains(&mixture.bytes) {
                let own = mixture.peak()?;
                if (peak..=lowest).contains(&own) {
                    (best, lowest) = (mixture, own);
                }
            }
        }
        if best.bytes > budget {
            (choice, best, lowest) = (less, next, peak);
        }
    }
    Ok((best, lowest))
}

impl Halves {
    /// The most memory that a forward and its backward need at one time, beside parameters, inputs and cotangents: of both plans, and
    /// what lies between them. Sizes that a run decides count as typical.
    pub(super) fn peak(&self) -> Result<u64, SessionError> {
        let forward = live(&self.forward)?;
        let backward = self.bytes.saturating_add(live(&self.backward)?);
        Ok(forward.max(backward))
    }
}

/// What a program's arena and outputs take at most at one time.
fn live(graph: &Graph) -> Result<u64, SessionError> {
    let mut graph = decompose(graph)?;
    passes::run(&mut graph)?;
    split_results(&mut graph)?;
    let mut program = lower(&graph)?;
    loops::verify(&program)?;
    loops::bound(&mut program, &graph)?;
    let target = Target::Cpu(cpu::detect());
    loop_passes::run(&mut program, &target, false)?;
    let settings = schedule::Settings { fuse: true, explain: false };
    let schedule = schedule::schedule(&mut program, &target, settings);
    let outputs: u64 = graph.outputs.iter().map(|o| bytes_of(&graph, o.value)).sum();
    Ok((schedule.placements.live_bytes.max(0) as u64).saturating_add(outputs))
}

fn bytes_of(graph: &Graph, value: OutputValue) -> u64 {
    match value {
        OutputValue::Tensor(value) => typical_bytes(graph, value),
        OutputValue::Number(_) => 0,
    }
}

/// Bytes of a tensor; sizes that a run decides count as typical.
pub(super) fn typical_bytes(graph: &Graph, value: Value) -> u64 {
    let meta = graph.meta(value);
    let elements = graph.syms.hint(graph.syms.product(&meta.shape)).max(0) as u64;
    elements.saturating_mul(meta.dtype.size() as u64)
}
