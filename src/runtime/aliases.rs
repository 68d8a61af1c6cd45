//! Inputs that share memory with an input that the program writes to, and runs of a program that was compiled for them.
//!
//! A program is compiled for inputs that are apart: what it writes to one is not seen in another. Where some share bytes,
//! `session` compiles it again over one tensor of all their memory, of which they are views (AOTAutograd's synthetic base).
//! [`Aliases`] is what that program depends on, and [`run`] gives it its inputs.
//!
//! Invariant: tensors of one dtype and device are grouped, at multiples of an element's size; others are left to the
//! executor, which refuses them where both are written to.

use super::executable::Executable;
use super::{RunOptions, RuntimeError, Tensor};
use crate::plan::InputNeed;
use crate::types::dlpack::DLTensor;

/// One tensor in the memory of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Which input it is.
    pub input: usize,
    pub shape: Vec<i64>,
    /// In elements.
    pub strides: Vec<i64>,
    /// Elements from the start of the group's memory.
    pub offset: i64,
}

/// Inputs whose memory is one piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    pub views: Vec<View>,
    /// Elements from the first to the last.
    pub elements: i64,
}

/// All such groups of a run's inputs; no input is in two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aliases {
    pub groups: Vec<Group>,
}

/// An input's bytes.
struct Placed {
    first: usize,
    end: usize,
    item: usize,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Placed {
    /// `None` where the executor has something to say about the tensor, or it has no elements.
    ///
    /// # Safety
    /// The pointer is NULL or a tensor whose sizes can be read.
    unsafe fn of(tensor: *const DLTensor) -> Option<Placed> {
        // SAFETY: the caller's.
        let t = unsafe { tensor.as_ref() }?;
        let rank = usize::try_from(t.ndim).ok()?;
        if t.data.is_null() || (rank > 0 && t.shape.is_null()) || t.dtype.lanes != 1 {
            return None;
        }
        let item = usize::from(t.dtype.bits) / 8;
        let read = |list: *const i64| -> Vec<i64> {
            if rank == 0 {
                return Vec::new();
            }
            // SAFETY: the caller's; not NULL.
            unsafe { std::slice::from_raw_parts(list, rank) }.to_vec()
        };
        let shape = read(t.shape);
        let strides = if t.strides.is_null() {
            let mut strides = vec![1i64; rank];
            for k in (1..rank).rev() {
                strides[k - 1] = strides[k].checked_mul(shape[k].max(1))?;
            }
            strides
        } else {
            read(t.strides)
        };
        if item == 0 || shape.iter().any(|n| *n < 1) || strides.iter().any(|s| *s < 0) {
            return None;
        }
        let last = shape
            .iter()
            .zip(&strides)
            .try_fold(0i64, |sum, (n, s)| sum.checked_add((n - 1).checked_mul(*s)?))?;
        let first = (t.data as usize).checked_add(usize::try_from(t.byte_offset).ok()?)?;
        let bytes = usize::try_from(last).ok()?.checked_add(1)?.checked_mul(item)?;
        Some(Placed { first, end: first.checked_add(bytes)?, item, shape, strides })
    }

    fn meets(&self, other: &Placed) -> bool {
        self.first < other.end && other.first < self.end
    }

    /// Bytes from the first element to each, in row-major order.
    fn each(&self, f: &mut dyn FnMut(usize)) {
        let mut at = vec![0i64; self.shape.len()];
        loop {
            let element: i64 = at.iter().zip(&self.strides).map(|(k, s)| k * s).sum();
            f(self.first + element as usize * self.item);
            let Some(d) = (0..at.len()).rev().find(|d| at[*d] + 1 < self.shape[*d]) else { return };
            at[d] += 1;
            at[d + 1..].fill(0);
        }
    }

    /// Whether an element of one shares bytes with an element of the other.
    fn shares(&self, other: &Placed) -> bool {
        if !self.meets(other) {
            return false;
        }
        let dense = |p: &Placed| p.shape.iter().product::<i64>() as usize * p.item == p.end - p.first;
        if dense(self) && dense(other) {
            return true;
        }
        let (begin, end) = (self.first.max(other.first), self.end.min(other.end));
        let mut marks = vec![false; end - begin];
        self.each(&mut |at| {
            for byte in at.max(begin)..(at + self.item).min(end) {
                marks[byte - begin] = true;
            }
        });
        let mut found = false;
        other.each(&mut |at| {
            let (from, to) = (at.max(begin), (at + other.item).min(end));
            found |= from < to && marks[from - begin..to - begin].contains(&true);
        });
        found
    }
}

impl Executable {
    /// The inputs that share memory with one that the program writes to; `None` where there is none, as for all programs
    /// that write to no input.
    ///
    /// # Safety
    /// Every pointer in `inputs` is NULL or a tensor whose sizes can be read.
    pub unsafe fn aliases(&self, inputs: &[*const DLTensor]) -> Option<Aliases> {
        let plan = self.plan();
        let is_tensor =
            |k: &usize| plan.inputs.get(*k).is_some_and(|i| !i.scalar && i.need == InputNeed::Data);
        let written: Vec<usize> = (0..plan.inputs.len()).filter(|k| plan.inputs[*k].mutated).collect();
        if written.is_empty() || inputs.len() != plan.inputs.len() || inputs.len() < 2 {
            return None;
        }
        // SAFETY: the caller's.
        let placed: Vec<Option<Placed>> = inputs.iter().map(|t| unsafe { Placed::of(*t) }).collect();
        // Groups by the lowest input in each.
        let mut group: Vec<usize> = (0..inputs.len()).collect();
        for k in &written {
            let Some(own) = &placed[*k] else { continue };
            for other in (0..inputs.len()).filter(|o| o != k && is_tensor(o)) {
                let Some(there) = &placed[other] else { continue };
                // SAFETY: both are tensors, as `placed` found.
                let (a, b) = unsafe { (&*inputs[*k], &*inputs[other]) };
                let alike = a.dtype == b.dtype && a.device == b.device;
                if alike && (own.first.abs_diff(there.first)).is_multiple_of(own.item) && own.shares(there) {
                    let (low, high) = (group[*k].min(group[other]), group[*k].max(group[other]));
                    group.iter_mut().filter(|g| **g == high).for_each(|g| *g = low);
                }
            }
        }
        let mut groups = Vec::new();
        for lowest in 0..inputs.len() {
            let members: Vec<usize> = (0..inputs.len()).filter(|k| group[*k] == lowest).collect();
            if members.len() < 2 {
                continue;
            }
            let of = |k: &usize| placed[*k].as_ref();
            let begin = members.iter().filter_map(of).map(|p| p.first).min()?;
            let end = members.iter().filter_map(of).map(|p| p.end).max()?;
            let view = |k: &usize| -> Option<View> {
                let Placed { first, item, shape, strides, .. } = placed[*k].as_ref()?;
                let offset = ((first - begin) / item) as i64;
                Some(View { input: *k, shape: shape.clone(), strides: strides.clone(), offset })
            };
            let item = of(&members[0])?.item;
            let views = members.iter().map(view).collect::<Option<Vec<_>>>()?;
            groups.push(Group { views, elements: ((end - begin) / item) as i64 });
        }
        (!groups.is_empty()).then_some(Aliases { groups })
    }
}

/// The inputs of the program that was compiled for these aliases: first the groups' memory, then those in no group. The
/// tensors point into what stands beside them, which stays where it is.
struct Gathered {
    /// Of each group its size and its stride.
    _sizes: Vec<[i64; 2]>,
    _bases: Vec<DLTensor>,
    pointers: Vec<*const DLTensor>,
}

impl Aliases {
    /// # Safety
    /// The inputs are those that these aliases were found among.
    unsafe fn gather(&self, inputs: &[*const DLTensor]) -> Gathered {
        let mut sizes: Vec<[i64; 2]> = self.groups.iter().map(|g| [g.elements, 1]).collect();
        let base = |(group, size): (&Group, &mut [i64; 2])| {
            // One of them is where the memory begins.
            let start = group.views.iter().find(|v| v.offset == 0)?;
            // SAFETY: the caller's.
            let first = unsafe { &*inputs[start.input] };
            Some(DLTensor {
                data: first.data,
                device: first.device,
                ndim: 1,
                dtype: first.dtype,
                shape: &raw mut size[0],
                strides: &raw mut size[1],
                byte_offset: first.byte_offset,
            })
        };
        let bases: Vec<DLTensor> = self.groups.iter().zip(&mut sizes).filter_map(base).collect();
        let in_group = |k: usize| self.groups.iter().any(|g| g.views.iter().any(|v| v.input == k));
        let others = (0..inputs.len()).filter(|k| !in_group(*k)).map(|k| inputs[k]);
        let pointers = bases.iter().map(std::ptr::from_ref).chain(others).collect();
        Gathered { _sizes: sizes, _bases: bases, pointers }
    }

    /// Runs the program that was compiled for these aliases.
    ///
    /// # Safety
    /// As [`Executable::run`]; the inputs are those that these aliases were found among.
    pub unsafe fn run(
        &self,
        program: &Executable,
        inputs: &[*const DLTensor],
        options: Option<&RunOptions>,
    ) -> Result<Vec<Tensor>, RuntimeError> {
        // SAFETY: the caller's.
        let gathered = unsafe { self.gather(inputs) };
        // SAFETY: the caller's; the groups' memory is that of their tensors.
        unsafe { program.run(&gathered.pointers, options) }
    }
    /// The same into the caller's outputs.
    ///
    /// # Safety
    /// As [`Executable::run_into`]; the inputs are those that these aliases were found among.
    pub unsafe fn run_into(
        &self,
        program: &Executable,
        inputs: &[*const DLTensor],
        outputs: &[*const DLTensor],
        options: Option<&RunOptions>,
    ) -> Result<(), RuntimeError> {
        // SAFETY: the caller's.
        let gathered = unsafe { self.gather(inputs) };
        // SAFETY: the caller's; the groups' memory is that of their tensors.
        unsafe { program.run_into(&gathered.pointers, outputs, options) }
    }
}
