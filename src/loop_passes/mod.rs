//! Floor 8: passes over loops, before anything is fused: one ordered list, [`LOOP_PASSES`].
//!
//! A pass brings nodes, operands and layouts into the form that the target's kernels need. It runs if the target has the capability that
//! the list states ([`Target`]'s functions), and never asks which machine the target is.
//!
//! Invariants: a pass keeps every result, every write and every check; the program is verified after each pass in debug
//! builds; float results change by rounding alone.
//!
//! Deliberately absent: which nodes share a kernel, launches, memory. An interpreted program needs none of these passes but
//! [`order_results`], which gives results the strides that are promised.

mod attention_band;
mod attention_match;
mod channels_last;
mod constant_values;
mod copies;
mod gelu_formula;
mod group_heads;
mod input_order;
pub mod lay_out_codes;
mod liveness;
mod lookups;
mod matrix_order;
mod one_hot_sums;
mod operands;
mod permute_gemm_rows;
mod reduce_windows;
mod result_order;
mod split_attention_backward;
mod split_reductions;
mod store_reduced;
mod unpack_weights;
mod unused_indices;

pub use input_order::run as order_inputs;
pub use result_order::{lay_out as lay_out_result, order_of as order_of_result, run as order_results};

use crate::base::{Arena, memory};
use crate::loops::{BufferData, BufferId, LoopNode, LoopsError, Program, verify};
use crate::target::Target;
use std::time::Instant;

/// One pass.
pub struct LoopPass {
    pub name: &'static str,
    /// Whether kernels for the target want it.
    pub applies: fn(&Target) -> bool,
    pub run: fn(&mut Program, &Target),
    /// Why it stands at this place of the list.
    pub why_here: &'static str,
}

/// What runs, in order.
pub const LOOP_PASSES: &[LoopPass] = &[
    LoopPass {
        name: "gelu_formula",
        applies: |_| true,
        run: gelu_formula::run,
        why_here: "before all others, which need not know it",
    },
    LoopPass {
        name: "unused_indices",
        applies: |_| true,
        run: |program, _| unused_indices::run(program),
        why_here: "before reductions are split or fused, which cost more with indices",
    },
    LoopPass {
        name: "order_inputs",
        applies: |_| true,
        run: |program, _| order_inputs(program),
        why_here: "before anything looks at how buffers lie",
    },
    LoopPass {
        name: "one_hot_sums",
        applies: |_| true,
        run: |program, _| one_hot_sums::run(program),
        why_here: "before sums are split, or become parts of kernels",
    },
    LoopPass {
        name: "reduce_windows",
        applies: Target::reduces_windows,
        run: reduce_windows::run,
        why_here: "before layouts: what is left of convolutions reads channels that are neighbours",
    },
    LoopPass {
        name: "store_reduced",
        applies: Target::templates_store_reduced,
        run: |program, _| store_reduced::run(program),
        why_here: "before layouts: whether a convolution suits tensor cores depends on the dtype of what it reads",
    },
    LoopPass {
        name: "channels_last",
        applies: Target::has_tensor_cores,
        run: channels_last::run,
        why_here: "before results get their order: a result may have its channels last already",
    },
    LoopPass {
        name: "order_results",
        applies: |_| true,
        run: |program, _| order_results(program, true),
        why_here: "after convolutions have given results their channels last, and before anything looks at how results lie",
    },
    LoopPass {
        name: "match_attention",
        applies: |_| true,
        run: attention_match::run,
        why_here: "before products get copies of their operands, through which a softmax would not be seen",
    },
    LoopPass {
        name: "group_heads",
        applies: |_| true,
        run: |program, _| group_heads::run(program),
        why_here: "after attention is found, and before its operands are copied: heads that repeat are read once",
    },
    LoopPass {
        name: "attention_band",
        applies: Target::attention_skips_bands,
        run: |program, _| attention_band::run(program),
        why_here: "after attention is found",
    },
    LoopPass {
        name: "matrix_order",
        applies: Target::walks_rows_by_one_stride,
        run: |program, _| matrix_order::run(program),
        why_here: "before operands, which copies what lies otherwise",
    },
    LoopPass {
        name: "unpack_weights",
        applies: Target::unpacks_right_operands,
        run: unpack_weights::run,
        why_here: "after attention is found, whose operands are not products' any more; before operands, which copies what is not in memory",
    },
    LoopPass {
        name: "operands",
        applies: |_| true,
        run: operands::run,
        why_here: "after every template is found",
    },
    LoopPass {
        name: "lay_out_codes",
        applies: Target::multiplies_codes,
        run: lay_out_codes::run,
        why_here: "after operands, which make a product of few rows of a batch that shares its weights",
    },
    LoopPass {
        name: "split_attention_backward",
        applies: Target::attention_backward_owns_rows,
        run: |program, _| split_attention_backward::run(program),
        why_here: "after operands, whose copies both parts read",
    },
    LoopPass {
        name: "permute_gemm_rows",
        applies: Target::walks_rows_by_one_stride,
        run: |program, _| permute_gemm_rows::run(program),
        why_here: "after operands, which make products of batches",
    },
    LoopPass {
        name: "lookups",
        applies: |_| true,
        run: |program, _| lookups::run(program),
        why_here: "before reductions are split, whose parts would each look up less",
    },
    LoopPass {
        name: "split_reductions",
        applies: |target| target.workers() > 1,
        run: split_reductions::run,
        why_here: "last: what is to be reduced does not change any more",
    },
];

/// A program that is wrong after a pass.
#[derive(Clone, Debug, thiserror::Error)]
#[error("after loop pass {pass}: {error}")]
pub struct LoopPassError {
    pub pass: &'static str,
    pub error: LoopsError,
}

/// What a pass did.
#[derive(Clone, Debug)]
pub struct Report {
    pub pass: &'static str,
    /// Known where that was asked for.
    pub changed: Option<bool>,
    /// Loop nodes before and after.
    pub nodes: [usize; 2],
    pub seconds: f64,
}

/// Runs the passes that apply to the target; `compares`: finds out which of them changed anything.
pub fn run(program: &mut Program, target: &Target, compares: bool) -> Result<Vec<Report>, LoopPassError> {
    let passes = LOOP_PASSES.iter().filter(|p| (p.applies)(target));
    let mut known = compares.then(|| Facts::of(program));
    passes.map(|pass| run_one(program, pass, target, known.as_mut())).collect()
}

/// Runs the pass of this name alone, for tests and tools; `None` where there is none.
pub fn run_named(
    program: &mut Program,
    name: &str,
    target: &Target,
) -> Option<Result<Report, LoopPassError>> {
    LOOP_PASSES.iter().find(|p| p.name == name).map(|pass| {
        let mut known = Facts::of(program);
        run_one(program, pass, target, Some(&mut known))
    })
}

/// What tells whether a pass changed anything: expressions are only added, and equal ones have equal handles.
struct Facts {
    nodes: Vec<LoopNode>,
    outputs: Vec<BufferId>,
    buffers: Arena<BufferData>,
}

impl Facts {
    fn of(program: &Program) -> Facts {
        let Program { nodes, outputs, buffers, .. } = program;
        Facts { nodes: nodes.clone(), outputs: outputs.clone(), buffers: buffers.clone() }
    }
    fn hold(&self, program: &Program) -> bool {
        self.nodes == program.nodes
            && self.outputs == program.outputs
            && self.buffers.iter().eq(program.buffers.iter())
    }
}

/// Runs a pass. `known` holds the facts of the program before it, and afterwards those of the program that it left.
fn run_one(
    program: &mut Program,
    pass: &LoopPass,
    target: &Target,
    known: Option<&mut Facts>,
) -> Result<Report, LoopPassError> {
    memory::checkpoint();
    let nodes = program.nodes.len();
    let begin = Instant::now();
    (pass.run)(program, target);
    let (pass, seconds) = (pass.name, begin.elapsed().as_secs_f64());
    let changed = known.map(|known| {
        let changed = !known.hold(program);
        if changed {
            *known = Facts::of(program);
        }
        changed
    });
    if cfg!(debug_assertions) {
        verify(program).map_err(|error| LoopPassError { pass, error })?;
    }
    Ok(Report { pass, changed, nodes: [nodes, program.nodes.len()], seconds })
}
