//! Buffers that lie in the memory of an input, instead of memory of their own.
//!
//! - Mutated inputs and buffers are written where they lie, instead of beside and then copied: caches of keys and values,
//!   running statistics, counters.
//! - Inputs that nobody needs after the run (`Program::spent`) are memory for intermediate results, one buffer after another:
//!   the values that a forward has saved, in its backward.
//!
//! A buffer may take another one's memory when the other's contents are dead: every kernel that reads them runs before, and the kernel that
//! writes the buffer reads them, if at all, at the point that it writes, and not after the write. On a GPU several threads compute
//! the values of a row, and one of them stores them, so another thread might read the new value. Such kernels get memory of their own.
//!
//! Deliberately absent: changes of what a kernel computes, but for a scatter into a copy of its target, which becomes a scatter into the
//! target itself.

use super::memory::{bytes_of, is_unbacked};
use super::{Group, GroupKind, Item};
use crate::base::{HashMap, HashSet, StableSort};
use crate::loops::access::{flat_accesses, store_offset};
use crate::loops::uses::leaves_the_program;
use crate::loops::{BufferId, BufferKind, Expr, ExprId, NodeKind, Program};
use crate::target::Target;
use crate::types::dense_order;
use std::ops::Range;

/// The buffers that are to lie where an input or a constant does, as `(input or constant, buffer)`.
pub fn places(
    program: &mut Program,
    target: &Target,
    main: &mut [Group],
    launches: &[Range<usize>],
) -> Vec<(BufferId, BufferId)> {
    let mut uses = Uses::of(main, launches, matches!(target, Target::Cuda(_)));
    let mut done = writes_in_place(program, main, &mut uses);
    over_spent_inputs(program, main, &mut uses, &mut done);
    done
}

/// Who makes and reads buffers, and when.
struct Uses {
    on_gpu: bool,
    /// The launch of each group.
    launch: Vec<usize>,
    makers: HashMap<BufferId, Vec<usize>>,
    readers: HashMap<BufferId, Vec<usize>>,
}

impl Uses {
    fn of(main: &[Group], launches: &[Range<usize>], on_gpu: bool) -> Uses {
        let mut launch = vec![0; main.len()];
        for (k, range) in launches.iter().enumerate() {
            launch[range.clone()].fill(k);
        }
        let (mut makers, mut readers): (HashMap<_, Vec<usize>>, HashMap<_, Vec<usize>>) = Default::default();
        for (k, group) in main.iter().enumerate() {
            group.writes.iter().for_each(|b| makers.entry(*b).or_default().push(k));
            group.reads.iter().for_each(|b| readers.entry(*b).or_default().push(k));
        }
        Uses { on_gpu, launch, makers, readers }
    }

    /// The groups that write to a buffer, in order: the first makes it, and copies of slices may follow.
    fn makers(&self, buffer: BufferId) -> &[usize] {
        self.makers.get(&buffer).map_or(&[], Vec::as_slice)
    }
    fn readers(&self, buffer: BufferId) -> &[usize] {
        self.readers.get(&buffer).map_or(&[], Vec::as_slice)
    }

    /// Lets `new` take the place of `old`, if it may: the group that makes it then knows what it reads of `old` by the name of `new`.
    fn take_place(
        &mut self,
        program: &mut Program,
        main: &mut [Group],
        old: BufferId,
        new: BufferId,
    ) -> bool {
        let Some(maker) = self.makers(new).first().copied() else { return false };
        let before = |k: &usize| self.launch[*k] < self.launch[maker];
        if !self.makers(old).iter().all(before) || !self.readers(old).iter().all(|k| *k == maker || before(k))
        {
            return false;
        }
        if !main[maker].reads.contains(&old) {
            return true;
        }
        if !alike(program, old, new)
            || (self.on_gpu && shares_its_points(&main[maker]))
            || !reads_only_its_point(program, &main[maker], old, new)
        {
            return false;
        }
        let group = &mut main[maker];
        group.reads.retain(|b| *b != old);
        group.updates.push(new);
        rename(program, group, old, new);
        if let Some(readers) = self.readers.get_mut(&old) {
            readers.retain(|k| *k != maker);
        }
        true
    }
}

/// Whether an element lies at the same place in both.
pub(super) fn alike(program: &Program, old: BufferId, new: BufferId) -> bool {
    let (old, new) = (&program.buffers[old], &program.buffers[new]);
    old.dtype == new.dtype && old.sizes == new.sizes && old.strides == new.strides
}

/// The writes that happen in place, as `(target, source)`.
fn writes_in_place(program: &mut Program, main: &mut [Group], uses: &mut Uses) -> Vec<(BufferId, BufferId)> {
    let mut done: Vec<(BufferId, BufferId)> = Vec::new();
    for (target, source) in program.writes.clone() {
        let alone = program.buffers[source].kind == BufferKind::Temporary
            && !program.outputs.contains(&source)
            && program.writes.iter().filter(|w| w.0 == target || w.1 == source).count() == 1;
        if alike(program, target, source) && alone && uses.take_place(program, main, target, source) {
            done.push((target, source));
        }
    }
    done
}

/// A buffer of fewer bytes stays in the arena of a GPU: a recorded graph is patched for each kernel whose inputs have moved.
const LEAST_BYTES: i64 = 1 << 16;

/// Memory of an input, and the buffer that was the last to lie there.
struct Spent {
    input: BufferId,
    tenant: BufferId,
}

/// Buffers over inputs that are spent: launch by launch, of those of one launch the largest first.
fn over_spent_inputs(
    program: &mut Program,
    main: &mut [Group],
    uses: &mut Uses,
    done: &mut Vec<(BufferId, BufferId)>,
) {
    let least = if uses.on_gpu { LEAST_BYTES } else { 1 };
    let mut spent: Vec<Spent> = Vec::new();
    for input in program.inputs.clone() {
        // What nobody reads need not be given.
        let read = !uses.readers(input).is_empty();
        let written = program.writes.iter().any(|w| w.0 == input);
        if program.spent.contains(&input) && read && !written {
            spent.push(Spent { input, tenant: input });
        }
    }
    if spent.is_empty() {
        return;
    }
    let mut wanted: Vec<(usize, std::cmp::Reverse<i64>, BufferId)> = Vec::new();
    for (k, group) in main.iter().enumerate() {
        for buffer in &group.writes {
            let bytes = bytes_of(program, *buffer);
            let first = uses.makers(*buffer).first() == Some(&k);
            let temporary = program.buffers[*buffer].kind == BufferKind::Temporary
                && !leaves_the_program(program, *buffer)
                && !is_unbacked(program, bytes);
            let bytes = program.syms.hint(bytes);
            if first && temporary && bytes >= least {
                wanted.push((uses.launch[k], std::cmp::Reverse(bytes), *buffer));
            }
        }
    }
    wanted.stable_sort();
    for (_, _, buffer) in wanted {
        let mut fitting: Vec<usize> =
            (0..spent.len()).filter(|k| has_room(program, spent[*k].input, buffer)).collect();
        // The smallest memory that it fits into.
        fitting.stable_sort_by_key(|k| program.syms.hint(bytes_of(program, spent[*k].input)));
        let mut fitting = fitting.into_iter();
        if let Some(k) = fitting.find(|k| uses.take_place(program, main, spent[*k].tenant, buffer)) {
            spent[k].tenant = buffer;
            done.push((spent[k].input, buffer));
        }
    }
}

/// Whether an input's memory is large enough for a buffer.
fn has_room(program: &Program, input: BufferId, buffer: BufferId) -> bool {
    let syms = &program.syms;
    let data = &program.buffers[input];
    // One with gaps has other elements between its own, and one that repeats elements has fewer bytes than its sizes say.
    let alike = alike(program, input, buffer);
    let whole = dense_order(syms, &data.sizes, &data.strides).is_some();
    let (has, needs) = (bytes_of(program, input), bytes_of(program, buffer));
    let fits =
        has == needs || matches!((syms.as_const(has), syms.as_const(needs)), (Some(h), Some(n)) if n <= h);
    alike || (fits && whole)
}

/// True for a kernel in which several threads of a GPU compute the same value: rows with reductions or several stages.
fn shares_its_points(group: &Group) -> bool {
    let GroupKind::Loops(loops) = &group.kind else { return false };
    let mut items = loops.stages.iter().flat_map(|s| &s.items);
    loops.stages.len() > 1 || !loops.row_buffers.is_empty() || items.any(|i| matches!(i, Item::Reduce { .. }))
}

fn reads_only_its_point(program: &Program, group: &Group, target: BufferId, source: BufferId) -> bool {
    let reads = |e: ExprId| flat_accesses(program, e).iter().any(|(b, _, _)| *b == target);
    // A last stage runs while other blocks are at the group's own loops.
    if !group.last.is_empty() {
        return false;
    }
    match &group.kind {
        GroupKind::Standalone { node } => {
            let NodeKind::Scatter { data, value, initial, .. } = &program.nodes[*node].kind else {
                return false;
            };
            let elsewhere = data.iter().chain([value]).any(|e| reads(*e));
            !elsewhere && is_whole(program, *initial, target, source)
        }
        GroupKind::Template { node, epilogue, .. } => {
            let inside = program.nodes[*node].exprs().into_iter().any(reads);
            !inside
                && !read_again(program, epilogue, source)
                && items_agree(program, epilogue, target, source)
        }
        GroupKind::Loops(loops) => {
            let storing = |items: &[Item]| items.iter().any(|i| i.outs().contains(&source));
            let others = loops.stages.iter().filter(|s| !storing(&s.items));
            let mut storing_stages = loops.stages.iter().filter(|s| storing(&s.items));
            let elsewhere = others.flat_map(|s| &s.items).any(|i| reads(i.value()));
            let again = loops.stages.iter().any(|s| read_again(program, &s.items, source));
            let stage = storing_stages.next();
            !elsewhere && !again && stage.is_some_and(|s| items_agree(program, &s.items, target, source))
        }
        GroupKind::Pack { .. } | GroupKind::RowColumnReduction(_) => false,
    }
}

/// True when the items load what one of them has stored: where old and new contents have one name, the two loads would be
/// one.
fn read_again(program: &Program, items: &[Item], source: BufferId) -> bool {
    let roots: Vec<ExprId> = items.iter().map(Item::value).collect();
    let loads = program.exprs.loads(&roots);
    loads.into_iter().any(|l| matches!(&program.exprs[l], Expr::Load { buffer, .. } if *buffer == source))
}

/// Items up to the one that stores read the target at that item's offset; later ones read it only as part of the value
/// that was stored, which is at hand.
fn items_agree(program: &Program, items: &[Item], target: BufferId, source: BufferId) -> bool {
    let Some(last) = items.iter().position(|i| i.outs().contains(&source)) else { return false };
    let Item::Store { offset, value: stored, .. } = items[last] else { return false };
    items.iter().enumerate().all(|(k, item)| {
        if k > last {
            return !reads_beside(program, item.value(), stored, target);
        }
        let mut reads = flat_accesses(program, item.value()).into_iter().filter(|a| a.0 == target);
        reads.all(|(_, at, data)| at == offset && !data)
    })
}

/// True when the target is loaded other than within `known`.
fn reads_beside(program: &Program, root: ExprId, known: ExprId, target: BufferId) -> bool {
    let (mut stack, mut seen) = (vec![root], HashSet::default());
    while let Some(id) = stack.pop() {
        if id == known || !seen.insert(id) {
            continue;
        }
        if matches!(&program.exprs[id], Expr::Load { buffer, .. } if *buffer == target) {
            return true;
        }
        stack.extend(program.exprs.operands(id));
    }
    false
}

/// All of the target, in the source's own space.
fn is_whole(program: &Program, initial: ExprId, target: BufferId, source: BufferId) -> bool {
    let vars = program.vars(&program.buffers[source].sizes);
    match &program.exprs[initial] {
        Expr::Load { buffer, index, data } => {
            *buffer == target && data.is_empty() && index[..] == [store_offset(program, source, &vars)]
        }
        _ => false,
    }
}

/// What the group loads of the target it loads of the source.
fn rename(program: &mut Program, group: &mut Group, target: BufferId, source: BufferId) {
    let mut renamed = |root: ExprId| {
        program.exprs.rewrite(root, &mut |exprs, id| match exprs[id].clone() {
            Expr::Load { buffer, index, data } if buffer == target => {
                let dtype = exprs.dtype(id);
                exprs.load(source, dtype, index.into(), data.into())
            }
            _ => id,
        })
    };
    match &mut group.kind {
        GroupKind::Standalone { node } => {
            if let NodeKind::Scatter { initial, .. } = &mut program.nodes[*node].kind {
                *initial = renamed(*initial);
            }
        }
        GroupKind::Template { epilogue, .. } => {
            for Item::Store { value, .. } | Item::Reduce { value, .. } in epilogue {
                *value = renamed(*value);
            }
        }
        GroupKind::Loops(loops) => {
            for Item::Store { value, .. } | Item::Reduce { value, .. } in
                loops.stages.iter_mut().flat_map(|s| &mut s.items)
            {
                *value = renamed(*value);
            }
        }
        GroupKind::Pack { .. } | GroupKind::RowColumnReduction(_) => {}
    }
}
