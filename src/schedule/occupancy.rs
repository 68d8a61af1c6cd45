//! Decides whether loops that nodes would share have enough independent pieces for the machine. If the rows are few and long, separate
//! kernels are better: they can divide the rows.

use super::fuse::{Draft, Member};
use super::lane_axis::{COLUMNS, goes_by_columns};
use super::{Loops, Stage};
use crate::base::HashMap;
use crate::loops::Program;
use crate::target::Target;
use crate::types::SymInt;

/// So many elements in all, or fewer, need no more rows.
const SMALL_SPACE: i64 = 1 << 15;

/// True if there are enough rows for the machine, or few elements in all. `kept`: blocks of a GPU may share a row.
pub(super) fn enough_rows(
    program: &Program,
    target: &Target,
    outer: &[SymInt],
    inner: &[SymInt],
    kept: bool,
) -> bool {
    let syms = &program.syms;
    let (rows, width) = (syms.hint(syms.product(outer)), syms.hint(syms.product(inner)));
    let blocks = match target {
        Target::Cuda(gpu) if kept => gpu.blocks_of_row(width),
        _ => 1,
    };
    rows.saturating_mul(blocks) >= 2 * target.workers() as i64 || rows.saturating_mul(width) <= SMALL_SPACE
}

/// False if a GPU would go through the group with the new member by columns, and had too few blocks for the machine. A block then takes
/// [`COLUMNS`] neighbouring rows.
pub(super) fn enough_columns(
    program: &Program,
    target: &Target,
    draft: &Draft,
    outer: &[SymInt],
    new: &Member,
) -> bool {
    let Target::Cuda(_) = target else { return true };
    let syms = &program.syms;
    let (rows, width) = (syms.hint(syms.product(outer)), syms.hint(syms.product(&new.inner)));
    if rows / COLUMNS >= target.workers() as i64 || rows.saturating_mul(width) <= SMALL_SPACE {
        return true;
    }
    let stages = draft.members.iter().chain([new]);
    let stages = stages.map(|m| Stage { inner: m.inner.clone(), items: vec![m.item.clone()] }).collect();
    !goes_by_columns(program, &Loops { outer: outer.to_vec(), stages, row_buffers: HashMap::default() })
}
