//! Floor 9: which loop nodes share a kernel, in which order kernels run, and where buffers lie.
//!
//! [`schedule`] takes a program of loops and returns a [`Schedule`] with two lists of groups. Each group becomes one kernel. Groups of
//! `init` depend on constants alone, and run when a program is created; those of `main` run in each run. A group of kind `Loops`
//! is a parallel space of rows (`outer`) and, for each row, a sequence of stages. A stage is an inner loop nest that computes
//! its items together. Members of a group use each other's values at the same point only, which joining proves symbolically.
//!
//! The loop variables of a group are `index_var(k, outer[k])` for rows and `index_var(INNER + j, inner[j])` within a
//! stage; all loads and stores of its items are flattened to one offset in elements.
//!
//! Invariants: groups are in dependence order; every buffer that two groups share, that is an output or that is
//! written back has a place in memory; a buffer that only one group uses has one only if a stage boundary needs it.
//!
//! [`text`](mod@text) prints a schedule and reads it back.
//!
//! Deliberately absent: source text, vector widths, and costs of kernels beyond simple counts.

mod change_of_variables;
mod collapse;
mod convolve;
mod cost;
mod fill;
mod fuse;
mod gemm_cost;
mod in_place;
mod join;
pub mod lane_axis;
mod launch;
mod memory;
mod occupancy;
mod packing;
mod partition;
mod placed;
mod prologue;
mod recompute;
mod row_column_reduction;
mod split_reduction_finish;
mod stages;
pub mod text;
mod unpacking;
mod vendor;
mod vendor_epilogue;
mod window;
pub mod workspaces;
mod write_back;

pub use cost::{Cost, cost};
pub use fill::goes_on_with;
pub use join::Apart;
pub use memory::{Placement, Placements, Span, bytes_of, held_bytes, is_unbacked};
pub use packing::{HeldTwice, copied_part, packed_part};
pub use row_column_reduction::PANEL;
pub use stages::inner_position;
pub use unpacking::{Digit, Unpacked};
pub use vendor::{Products, Strided, chosen, products, strided_matrix};
pub use window::small_windows;

use crate::base::HashMap;
use crate::loops::uses::{live_nodes, stretches};
use crate::loops::{BufferId, Control, ExprId, LoopNode, NodeKind, Operators, Program, ReductionOp, Routine};
use crate::target::Target;
use crate::types::SymInt;
use std::sync::Arc;

/// First position of inner loop variables; rows have fewer dimensions than this.
pub const INNER: u32 = 64;

/// What a program becomes: kernels in order and memory.
#[derive(Debug)]
pub struct Schedule {
    pub init: Vec<Group>,
    pub main: Vec<Group>,
    /// Which groups of `main` run as one launch: ranges in order that cover it. Groups of one launch are independent.
    pub launches: Vec<std::ops::Range<usize>>,
    /// What one run does, in order; blocks stand between their marks.
    pub steps: Vec<Step>,
    pub placements: Placements,
    /// Constants that runs read in more than one copy.
    pub held_twice: Vec<HeldTwice>,
    /// What fused and what did not, where the settings ask for it.
    pub decisions: Vec<Decision>,
    /// What each launch moves and computes, where that was asked for.
    pub costs: Vec<Cost>,
}

/// Whether a node joined a group.
#[derive(Clone, Debug)]
pub struct Decision {
    pub node: Operators,
    pub group: Operators,
    pub apart: Option<Apart>,
}

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// By its place in [`Schedule::launches`].
    Launch(usize),
    /// A control node of the program.
    Control(usize),
}

/// One kernel.
#[derive(Clone, Debug)]
pub struct Group {
    pub kind: GroupKind,
    /// Buffers read from and written to memory, each once.
    pub reads: Vec<BufferId>,
    pub writes: Vec<BufferId>,
    /// Those of `writes` that hold something before, which the kernel reads where it writes.
    pub updates: Vec<BufferId>,
    pub operators: Operators,
    /// Loops over what its own loops leave in memory, each done by the last block to be ready (GPUs). Their buffers are
    /// among `reads` and `writes`.
    pub last: Vec<Last>,
    /// Memory in which its blocks pass partial results to each other (GPUs).
    pub workspace: Option<workspaces::Workspace>,
}

impl Group {
    /// The semaphores of its blocks: memory that is zero before and after a run.
    pub fn semaphores(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.last.iter().map(|l| l.semaphores).chain(self.workspace.iter().map(|r| r.semaphores))
    }
}

/// A last stage.
#[derive(Clone, Debug)]
pub struct Last {
    pub loops: Loops,
    pub waits: Waits,
    /// The blocks count here: memory that is zero before and after a run.
    pub semaphores: BufferId,
}

/// Which rows of a group a row of its last stage needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    All,
    /// So many that follow one another: row `r` needs those from `r * n` on.
    Neighbours(SymInt),
    /// So many at equal distances: row `r` of all `R` needs `r`, `r + R`, `r + 2 R` and so on.
    Apart(SymInt),
    /// Those of a panel. Each block has some of its columns.
    Panel,
}

#[derive(Clone, Debug)]
pub enum GroupKind {
    Loops(Loops),
    /// A template node with an epilogue of pointwise consumers: `Store` items over the dimensions of its out buffer,
    /// which they read at their own point.
    Template {
        node: usize,
        packed: Option<BufferId>,
        /// Its right operand in vectors, where that is unpacked in each run.
        unpacked: Option<Arc<Unpacked>>,
        dims: Vec<SymInt>,
        epilogue: Vec<Item>,
        /// It was grouped for a vendor's library.
        vendor: bool,
        /// The call of the library. `None`: Litz's template computes the group.
        routine: Option<Routine>,
    },
    /// The constant operand of the template `node`, packed into panels.
    Pack {
        node: usize,
        out: BufferId,
    },
    /// Reductions down the columns and along the rows of one matrix.
    RowColumnReduction(RowColumnReduction),
    /// A node that is computed by itself: scans, sorts, scatters; every node when nothing is fused.
    Standalone {
        node: usize,
    },
}

/// The loops of a group of columns, panel by panel, in which the rows' reductions take part: `Reduce` items over the same
/// variables. Each block, which takes `PANEL` columns of a panel, leaves a part of each row's result at
/// `block's place among the columns * rows + row`.
#[derive(Clone, Debug)]
pub struct RowColumnReduction {
    pub columns: Loops,
    pub rows: Vec<Item>,
}

/// A space of rows, and what is computed in each.
#[derive(Clone, Debug)]
pub struct Loops {
    pub outer: Vec<SymInt>,
    pub stages: Vec<Stage>,
    /// Buffers that live only within a row: elements per row, by buffer.
    pub row_buffers: HashMap<BufferId, RowBuffer>,
}

/// A row-local buffer: addressed by the inner linear index of the stage that fills it.
#[derive(Clone, Debug)]
pub struct RowBuffer {
    pub elements: SymInt,
    /// The offset that both writer and readers use in memory, replaced by the inner linear index.
    pub offset: SymInt,
}

#[derive(Clone, Debug)]
pub struct Stage {
    /// Sizes of the inner loops, outermost first; empty: once per row.
    pub inner: Vec<SymInt>,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Store {
        node: usize,
        buffer: BufferId,
        offset: SymInt,
        value: ExprId,
    },
    /// Reduces over the stage's inner space; `offset` is a function of the row.
    Reduce {
        node: usize,
        op: ReductionOp,
        value: ExprId,
        outs: Vec<BufferId>,
        offset: SymInt,
    },
}

impl Item {
    pub fn node(&self) -> usize {
        match self {
            Item::Store { node, .. } | Item::Reduce { node, .. } => *node,
        }
    }
    pub fn value(&self) -> ExprId {
        match self {
            Item::Store { value, .. } | Item::Reduce { value, .. } => *value,
        }
    }
    fn value_mut(&mut self) -> &mut ExprId {
        match self {
            Item::Store { value, .. } | Item::Reduce { value, .. } => value,
        }
    }
    pub fn offset(&self) -> SymInt {
        match self {
            Item::Store { offset, .. } | Item::Reduce { offset, .. } => *offset,
        }
    }
    pub fn outs(&self) -> Vec<BufferId> {
        match self {
            Item::Store { buffer, .. } => vec![*buffer],
            Item::Reduce { outs, .. } => outs.clone(),
        }
    }
}

/// What may be decided about a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// False: every node is a kernel of its own (the interpreter).
    pub fuse: bool,
    /// Decisions about fusion are told.
    pub explain: bool,
}

/// Schedules a verified program.
pub fn schedule(program: &mut Program, target: &Target, settings: Settings) -> Schedule {
    let gpu = match target {
        Target::Cuda(gpu) if settings.fuse => Some(gpu),
        _ => None,
    };
    let live = live_nodes(program);
    let (once, fixed) = partition::constant_nodes(program, &live, gpu);
    let (first, rest): (Vec<usize>, Vec<usize>) = live.into_iter().partition(|n| once.contains(n));
    let packing::Packing { of: packed, unpacked, held_twice } = match settings.fuse {
        true => packing::plan(program, target, &rest, &first, &fixed),
        false => packing::Packing::default(),
    };
    let facts = settings.fuse.then(|| fuse::Facts::of(program, packed, unpacked));
    let mut decisions = Vec::new();
    if settings.explain {
        decisions.extend(first.iter().chain(&rest).filter_map(|n| inlined(program, &program.nodes[*n])));
    }
    let mut group = |program: &mut Program, nodes: &[usize]| {
        let told = settings.explain.then_some(&mut decisions);
        match &facts {
            Some(facts) => fuse::fuse(program, target, nodes, facts, told),
            None => fuse::singles(program, nodes),
        }
    };
    // Nothing is joined across a fence.
    let stretches = stretches(program);
    let mut init = Vec::new();
    for run in first.chunk_by(|a, b| stretches[*a] == stretches[*b]) {
        init.extend(group(program, run));
    }
    let (mut main, mut parts) = (Vec::new(), Vec::new());
    // What is between two nodes that act is grouped by itself.
    let acts = |program: &Program, n: usize| program.nodes[n].kind.acts();
    let is_control = |program: &Program, n: usize| matches!(program.nodes[n].kind, NodeKind::Control(_));
    for run in rest
        .chunk_by(|a, b| !acts(program, *a) && !acts(program, *b))
        .map(<[usize]>::to_vec)
        .collect::<Vec<_>>()
    {
        if program.nodes[run[0]].kind == NodeKind::Control(Control::Fence) {
            continue;
        }
        if is_control(program, run[0]) {
            parts.push(Part::Control(run[0]));
            continue;
        }
        let mut groups = group(program, &run);
        partition::hoist_packing(&mut init, &mut groups);
        parts.push(Part::Groups(main.len()..main.len() + groups.len()));
        main.extend(groups);
    }
    stages::finish(program, target, &mut init, &mut main);
    let mut ungrouped = main.into_iter();
    let (mut main, mut launches, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        let range = match part {
            Part::Control(node) => {
                steps.push(Step::Control(node));
                continue;
            }
            Part::Groups(range) => range,
        };
        let mut groups: Vec<Group> = ungrouped.by_ref().take(range.len()).collect();
        if let Some(gpu) = gpu {
            row_column_reduction::join(program, &mut groups);
            split_reduction_finish::attach(program, gpu, &mut groups);
        }
        let own = if settings.fuse {
            launch::combine(program, target, &mut groups)
        } else {
            (0..groups.len()).map(|k| k..k + 1).collect()
        };
        for launch in own {
            steps.push(Step::Launch(launches.len()));
            launches.push(main.len() + launch.start..main.len() + launch.end);
        }
        main.extend(groups);
    }
    // Where steps are steered, what is written when is not seen from the launches alone.
    let straight = !steps.iter().any(|s| matches!(s, Step::Control(_)));
    let mut in_place = match settings.fuse && straight {
        true => in_place::places(program, target, &mut main, &launches),
        false => Vec::new(),
    };
    if gpu.is_some() && straight {
        write_back::append(program, target, &mut main, &mut launches, &mut steps, &mut in_place);
    }
    if settings.fuse && matches!(target, Target::Cuda(_)) {
        fill::split_init(program, &mut init);
        fill::split(program, &mut main, &mut launches, &mut steps);
    }
    if let Some(gpu) = gpu {
        workspaces::add(program, &mut main, gpu);
    }
    vendor::assign(program, target, &mut init);
    vendor::assign(program, target, &mut main);
    let placements = memory::place(program, &init, &main, &launches, &in_place, &steps);
    Schedule { init, main, launches, steps, placements, held_twice, decisions, costs: Vec::new() }
}

/// A node that computes others in its loops, where lowering put them.
fn inlined(program: &Program, node: &LoopNode) -> Option<Decision> {
    let mut result = *node.outs().first()?;
    while let Some((original, _)) = program.stands_for.get(&result) {
        result = *original;
    }
    let own = program.own.get(&result)?;
    Some(Decision { node: own.clone(), group: node.operators.clone(), apart: None })
}

/// A kernel without loops: the buffers that it reads and writes.
pub struct Opaque {
    pub reads: Vec<BufferId>,
    pub writes: Vec<BufferId>,
    pub operators: Operators,
}

/// The schedule of a program whose nodes are all control nodes, between the first and the second of these kernels.
pub fn opaque_kernels(program: &Program, kernels: Vec<Opaque>) -> Schedule {
    let group = |kernel: Opaque| {
        let loops = Loops { outer: Vec::new(), stages: Vec::new(), row_buffers: HashMap::default() };
        let Opaque { reads, writes, operators } = kernel;
        Group {
            kind: GroupKind::Loops(loops),
            reads,
            writes,
            updates: Vec::new(),
            operators,
            last: Vec::new(),
            workspace: None,
        }
    };
    let main: Vec<Group> = kernels.into_iter().map(group).collect();
    let launches: Vec<std::ops::Range<usize>> = (0..main.len()).map(|k| k..k + 1).collect();
    let mut steps: Vec<Step> = (0..main.len()).map(Step::Launch).collect();
    steps.splice(1..1, (0..program.nodes.len()).map(Step::Control));
    let placements = memory::place(program, &[], &main, &launches, &[], &steps);
    let (init, held_twice, decisions) = (Vec::new(), Vec::new(), Vec::new());
    Schedule { init, main, launches, steps, placements, held_twice, decisions, costs: Vec::new() }
}

impl Schedule {
    /// Works out what launches move and compute.
    pub fn count_costs(&mut self, program: &Program) {
        self.costs = self.launches.iter().map(|l| cost(program, &self.main[l.clone()])).collect();
    }
    /// Places the scratch of threads in the arena: `scratch` has the bytes of all threads of each launch.
    pub fn add_scratch(&mut self, program: &Program, scratch: &[SymInt]) {
        let runs = memory::last_runs(program, &self.steps);
        let scratch: Vec<(std::ops::Range<usize>, usize, SymInt)> = self
            .steps
            .iter()
            .enumerate()
            .filter_map(|(k, step)| match step {
                Step::Launch(l) => Some((k..runs[k], *l, *scratch.get(*l)?)),
                Step::Control(_) => None,
            })
            .collect();
        self.placements.add_scratch(program, &scratch);
    }
}

/// What stands between the marks of blocks.
enum Part {
    Groups(std::ops::Range<usize>),
    Control(usize),
}
