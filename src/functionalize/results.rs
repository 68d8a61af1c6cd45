//! Results as PyTorch gives them: their strides, and which of them are views of one another.
//!
//! Results of one storage share memory. The result that shows all of the storage is computed, and the others are views of it.
//! Where no result shows all of it, the storage itself is computed as a hidden output, also where only a run knows its size or the
//! places of the views. A result that shares its storage with no other is computed by itself. A result that views an input or a
//! constant is a copy of it; that of one whose declared strides repeat elements is contiguous. Several such results that may
//! show the same elements are views of one copy, of no more than the part that they lie in where that part is known, and only where
//! that has no more elements than they have together.
//!
//! Deliberately absent: how a layout comes about, which is the scheduler's business.

use super::{Functionalize, Memory};
use crate::base::{HashMap, HashSet, StableSort};
use crate::ir::{Alias, Arg, Definition, Graph, Output, OutputValue, Returned, Shown, Value};
use crate::meta::{Builder, MetaError};
use crate::ops::{Class, OpId};
use crate::types::{SymArena, SymInt, TensorMeta, contiguous_strides, dense_order, lies_apart, view_strides};
use std::sync::Arc;

/// Notes of each output its strides, what it is a view of, and whose memory it shares.
pub(super) fn note(cx: &mut Functionalize<'_>, memory: Memory) -> Result<(), MetaError> {
    let old = cx.old;
    if memory == Memory::Known {
        for (output, known) in cx.new.outputs.iter_mut().zip(&old.outputs) {
            (output.alias, output.shown) = (known.alias, known.shown.clone());
        }
        return Ok(());
    }
    let tensor = |output: &Output| match output.value {
        OutputValue::Tensor(v) if keeps_its_strides(old, output, v) => None,
        OutputValue::Tensor(v) => Some((owner(cx, cx.resolve(v)), old.meta(v))),
        OutputValue::Number(_) => None,
    };
    let tensors: Vec<Option<(Value, &TensorMeta)>> = old.outputs.iter().map(tensor).collect();
    let of_root = of_root(&tensors);
    let mut wholes = HashMap::default();
    for (k, tensor) in tensors.iter().enumerate() {
        let Some((root, meta)) = *tensor else {
            cx.new.outputs[k].shown.clone_from(&old.outputs[k].shown);
            continue;
        };
        let alike = &of_root[&root];
        let output = &mut cx.new.outputs[k];
        output.alias = match old.values[root].definition {
            Definition::Input(input) => Some(Alias::Input(input)),
            Definition::Constant(constant) => Some(Alias::Constant(constant)),
            Definition::Node { .. } => alike.first().copied().filter(|first| *first < k).map(Alias::Output),
        };
        let whole =
            |k: &usize| tensors[*k].is_some_and(|(_, other)| shows_all(&old.syms, other, old.meta(root)));
        let base = *wholes.entry(root).or_insert_with(|| alike.iter().copied().find(whole));
        let base = base.filter(|base| *base != k);
        // A caller may give an input, or a constant's new data, with other strides than those declared. Elements that were declared to
        // share a place may then differ. A node's result always has elements of its own, even if an operand's strides repeat.
        let declared = old.meta(root);
        let repeats = match output.alias {
            Some(Alias::Input(_) | Alias::Constant(_)) => {
                !lies_apart(&old.syms, &declared.shape, &declared.strides)
            }
            _ => {
                let made = old.producer(root).is_some_and(|node| node.op.class() != Class::View);
                made && repeats_elements(&old.syms, declared)
            }
        };
        let shape = meta.shape.clone();
        let strides = if repeats { contiguous_strides(&old.syms, &shape) } else { meta.strides.clone() };
        let base = base.filter(|_| !repeats).map(|base| (base, meta.offset));
        output.shown = Some(Shown { dtype: meta.dtype, shape, strides, base, storage: None });
    }
    if memory == Memory::Apart {
        return Ok(());
    }
    share(cx, &tensors, &of_root);
    share_copies(cx, &tensors, &of_root)
}

/// True for a result that is noted to lie otherwise than its value does, as in the halves of a program for training, where a pass may
/// have put another value in its place.
fn keeps_its_strides(graph: &Graph, output: &Output, value: Value) -> bool {
    output.shown.as_ref().is_some_and(|shown| shown.strides != graph.meta(value).strides)
}

/// The results that share the memory of each value, in their order.
type OfRoot = HashMap<Value, Vec<usize>>;

fn of_root(tensors: &[Option<(Value, &TensorMeta)>]) -> OfRoot {
    let mut found = OfRoot::default();
    for (k, tensor) in tensors.iter().enumerate() {
        if let Some((root, _)) = tensor {
            found.entry(*root).or_default().push(k);
        }
    }
    found
}

/// Whether a stride of 0 shows elements many times.
fn repeats_elements(syms: &SymArena, meta: &TensorMeta) -> bool {
    let repeats = |(size, stride): (&SymInt, &SymInt)| {
        syms.as_const(*stride) == Some(0) && syms.as_const(*size) != Some(1)
    };
    meta.shape.iter().zip(&meta.strides).any(repeats)
}

/// What owns the memory that a result can share: the root of its storage, or the last view that shows other values than lie there,
/// which are computed, or shows them in another layout, as the inputs of a form over bases do (`session/overlap.rs`).
fn owner(cx: &Functionalize<'_>, value: Value) -> Value {
    let mut at = value;
    while let Some((view, result)) = cx.states[at].view {
        let view = &cx.views[view];
        let shown = view.results[result];
        if super::views::changes_values(cx.old, view.op, shown) || lies_otherwise(cx, view, shown) {
            return at;
        }
        at = view.parent;
    }
    cx.states[value].root
}

/// True where a result is said to lie elsewhere than it does: `as_strided` is told other places, an operator that gives its
/// argument itself gives a part of a storage, and is said to give a tensor of its own, or symbols leave open how a tensor of
/// another shape lies in the memory of the first.
fn lies_otherwise(cx: &Functionalize<'_>, view: &super::View, result: Value) -> bool {
    let meta = cx.old.meta(result);
    if view.identity {
        let own = cx.old.meta(view.parent);
        return (own.offset, &own.strides) != (meta.offset, &meta.strides);
    }
    if matches!(view.op, OpId::View | OpId::UnsafeView | OpId::ViewAs | OpId::UnflattenInt) {
        let own = cx.old.meta(view.parent);
        return view_strides(&cx.old.syms, &own.shape, &own.strides, &meta.shape).is_none();
    }
    match &view.args[..] {
        [_, _, Arg::Ints(strides), offset] if view.op == OpId::AsStrided => {
            *strides != meta.strides || *offset != Arg::Int(meta.offset)
        }
        _ => false,
    }
}

/// Makes the first result of each storage that several show, and none all of, the storage itself.
fn share(cx: &mut Functionalize<'_>, tensors: &[Option<(Value, &TensorMeta)>], of_root: &OfRoot) {
    let (old, syms) = (cx.old, &cx.old.syms);
    let mut done = HashSet::default();
    for tensor in tensors {
        let Some((root, _)) = *tensor else { continue };
        let storage = old.meta(root);
        let whole = dense_order(syms, &storage.shape, &storage.strides).is_some()
            && syms.as_const(storage.offset) == Some(0);
        let computed = matches!(old.values[root].definition, Definition::Node { .. });
        if !done.insert(root) || !computed || !whole {
            continue;
        }
        let shares = |k: &usize| cx.new.outputs[*k].shown.as_ref().is_some_and(|s| s.base.is_none());
        let group: Vec<usize> = of_root[&root].iter().copied().filter(shares).collect();
        let shown_whole =
            |k: &usize| matches!(tensors[*k], Some((_, meta)) if shows_all(syms, meta, storage));
        if group.len() < 2 || group.iter().any(shown_whole) {
            continue;
        }
        let current = cx.states[root].current;
        show_in(cx, tensors, &group, (current, &storage.strides, syms.constant(0)));
    }
}

/// Makes the first result of a group what all of them are views of: a value with these strides, from this element of the storage on.
fn show_in(
    cx: &mut Functionalize<'_>,
    tensors: &[Option<(Value, &TensorMeta)>],
    group: &[usize],
    (value, strides, start): (Value, &[SymInt], SymInt),
) {
    let first = group[0];
    cx.new.outputs[first].value = OutputValue::Tensor(value);
    for member in group.iter().copied() {
        let (Some((_, meta)), Some(shown)) = (tensors[member], &mut cx.new.outputs[member].shown) else {
            continue;
        };
        shown.base = Some((first, cx.old.syms.sub(meta.offset, start)));
        shown.storage = (member == first).then(|| strides.to_vec());
    }
}

/// Results of an input or a constant that may lie over one another become views of one copy.
fn share_copies(
    cx: &mut Functionalize<'_>,
    tensors: &[Option<(Value, &TensorMeta)>],
    of_root: &OfRoot,
) -> Result<(), MetaError> {
    let old = cx.old;
    let syms = &old.syms;
    let mut groups_of = HashMap::default();
    for (k, tensor) in tensors.iter().enumerate() {
        let Some((root, _)) = *tensor else { continue };
        let storage = old.meta(root);
        let order = dense_order(syms, &storage.shape, &storage.strides);
        let given = !matches!(old.values[root].definition, Definition::Node { .. });
        let Some(order) = order.filter(|_| given && syms.as_const(storage.offset) == Some(0)) else {
            continue;
        };
        let alone = |k: &usize| {
            matches!(tensors[*k], Some((_, meta)) if meta.dtype == storage.dtype)
                && cx.new.outputs[*k].shown.as_ref().is_some_and(|s| s.base.is_none())
        };
        // By the first member of each, which comes first here.
        let groups: &mut HashMap<usize, Vec<usize>> = groups_of.entry(root).or_insert_with(|| {
            let members: Vec<usize> = of_root[&root].iter().copied().filter(alone).collect();
            let groups = that_meet(syms, members.iter().map(|k| (*k, extent(syms, tensors, *k))).collect());
            groups.into_iter().map(|group| (group[0], group)).collect()
        });
        let Some(group) = groups.remove(&k) else { continue };
        if group.len() < 2 {
            continue;
        }
        let current = cx.states[root].current;
        let parts = group.iter().map(|k| {
            let (start, end) = extent(syms, tensors, *k);
            Some((syms.as_const(start)?, syms.as_const(end)?))
        });
        let parts: Option<Vec<(i64, i64)>> = parts.collect();
        let numel = storage.numel(syms);
        let part = parts.and_then(|parts| {
            let (start, end) = (parts.iter().map(|p| p.0).min()?, parts.iter().map(|p| p.1).max()?);
            (end - start < syms.as_const(numel)?).then_some((syms.constant(start), syms.constant(end)))
        });
        let elements = group.iter().filter_map(|k| tensors[*k]).map(|(_, meta)| meta.numel(syms));
        let together = elements.fold(syms.constant(0), |sum, n| syms.add(sum, n));
        let copied = part.map_or(numel, |(start, end)| syms.sub(end, start));
        if !syms.known_le(copied, together) {
            continue;
        }
        let Some((start, end)) = part else {
            show_in(cx, tensors, &group, (current, &storage.strides, syms.constant(0)));
            continue;
        };
        let int = |n: i64| syms.constant(n);
        let order = order.into_iter().map(|d| int(d as i64)).collect();
        let flat = cx.builder().op("aten.permute.default", vec![Arg::Value(current), Arg::Ints(order)])?;
        let flat = cx.builder().op("aten.reshape.default", vec![Arg::Value(flat), Arg::Ints(vec![numel])])?;
        let args = vec![Arg::Value(flat), Arg::Int(int(0)), Arg::Int(start), Arg::Int(end)];
        let value = cx.builder().op("aten.slice.Tensor", args)?;
        show_in(cx, tensors, &group, (value, &[int(1)], start));
    }
    Ok(())
}

/// Divides results into groups so that results of two groups show no element in common. Each group is in ascending order.
fn that_meet(syms: &SymArena, mut results: Vec<(usize, (SymInt, SymInt))>) -> Vec<Vec<usize>> {
    let may_exceed = |a: SymInt, b: SymInt| !syms.known_le(a, b);
    results.stable_sort_by_key(|(_, (start, _))| syms.range(*start).min);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    if results.is_sorted_by(|a, b| syms.known_le(a.1.0, b.1.0)) {
        // A group begins behind the ends of the group before, and starts never decrease. So a result can only meet the last
        // group, and is compared with its largest ends.
        let mut ends: Vec<SymInt> = Vec::new();
        for (k, (start, end)) in results {
            let group = groups.last_mut().filter(|_| ends.iter().any(|e| may_exceed(*e, start)));
            if let Some(group) = group {
                group.push(k);
            } else {
                groups.push(vec![k]);
                ends.clear();
            }
            if ends.iter().all(|e| may_exceed(end, *e)) {
                ends.retain(|e| may_exceed(*e, end));
                ends.push(end);
            }
        }
    } else {
        let mut left = results;
        while let Some(first) = left.pop() {
            let mut group = vec![first];
            let mut at = 0;
            while at < group.len() {
                let here = group[at].1;
                let meets = |(_, there): &mut (usize, (SymInt, SymInt))| {
                    may_exceed(here.1, there.0) && may_exceed(there.1, here.0)
                };
                group.extend(left.extract_if(.., meets));
                at += 1;
            }
            groups.push(group.into_iter().map(|(k, _)| k).collect());
        }
    }
    for group in &mut groups {
        group.stable_sort();
    }
    groups
}

/// Elements of its storage between which a result lies, from the first on to behind the last. One without elements may seem to have
/// some.
fn extent(syms: &SymArena, tensors: &[Option<(Value, &TensorMeta)>], k: usize) -> (SymInt, SymInt) {
    let zero = syms.constant(0);
    let Some((_, meta)) = tensors[k] else { return (zero, zero) };
    let one = syms.constant(1);
    let steps = meta.shape.iter().zip(&meta.strides);
    let reach = steps.map(|(size, stride)| syms.mul(syms.max(syms.sub(*size, one), zero), *stride));
    let end = reach.fold(syms.add(meta.offset, one), |a, b| syms.add(a, b));
    (meta.offset, end)
}

/// True for a view of every element of a storage, none of them twice.
fn shows_all(syms: &SymArena, view: &TensorMeta, root: &TensorMeta) -> bool {
    // Without elements even strides of 0 may be those of a dense tensor; a result with them has its elements once.
    let dense = |meta: &TensorMeta| {
        dense_order(syms, &meta.shape, &meta.strides).is_some() && !repeats_elements(syms, meta)
    };
    let whole = syms.known_eq(view.numel(syms), root.numel(syms)) && syms.as_const(view.offset) == Some(0);
    view.dtype == root.dtype && whole && dense(view) && dense(root)
}

/// Leaves the outputs that are computed, and says how all results come of them.
pub fn split(graph: &mut Graph) -> Result<(), MetaError> {
    let outputs = std::mem::take(&mut graph.outputs);
    let base = |k: usize| outputs[k].shown.as_ref().and_then(|s| s.base).map(|(base, _)| base);
    let mut computed = 0;
    let mut places = Vec::with_capacity(outputs.len());
    for k in 0..outputs.len() {
        places.push(computed);
        computed += usize::from(base(k).is_none_or(|base| base == k));
    }
    let returned = outputs.iter().enumerate().map(|(k, output)| Returned {
        name: output.name.clone(),
        alias: output.alias,
        output: places[base(k).unwrap_or(k)],
        shown: output.shown.clone(),
    });
    graph.results = returned.collect();
    for mut output in outputs {
        if let (OutputValue::Tensor(value), Some(shown)) = (output.value, &output.shown)
            && shown.storage.is_none()
        {
            if shown.base.is_some() {
                continue;
            }
            output.value = OutputValue::Tensor(once(graph, value, shown)?);
        }
        graph.outputs.push(output);
    }
    Ok(())
}

/// The value with one element of each dimension that repeats it.
fn once(graph: &mut Graph, mut value: Value, shown: &Shown) -> Result<Value, MetaError> {
    let syms = Arc::clone(&graph.syms);
    let int = |n: i64| Arg::Int(syms.constant(n));
    let dims = 0..shown.shape.len();
    let repeated: Vec<usize> =
        dims.filter(|dim| repeats(&syms, shown.shape[*dim], shown.strides[*dim])).collect();
    // No operator but the way in and out knows complex numbers any more.
    let complex = graph.meta(value).dtype.is_complex() && !repeated.is_empty();
    if complex {
        value = Builder::new(graph).op("aten.view_as_real.default", vec![Arg::Value(value)])?;
    }
    for dim in repeated {
        let args = vec![Arg::Value(value), int(dim as i64), int(0), int(1)];
        value = Builder::new(graph).op("aten.slice.Tensor", args)?;
    }
    if complex {
        value = Builder::new(graph).op("aten.contiguous.default", vec![Arg::Value(value)])?;
        value = Builder::new(graph).op("aten.view_as_complex.default", vec![Arg::Value(value)])?;
    }
    Ok(value)
}

/// True for a dimension whose elements are one in memory.
fn repeats(syms: &SymArena, size: SymInt, stride: SymInt) -> bool {
    syms.as_const(stride) == Some(0) && syms.range(size).min >= 1 && syms.as_const(size) != Some(1)
}
