//! Runs whose inputs share memory with one that the program writes to. Another program of the same graph does them, a form of it
//! whose inputs may share memory (`executor/overlap.c`); who made the program gives the form when a run needs it.
//!
//! Invariant: a form holds no state, so that clones share it.

use super::error::Message;
use super::executable::Executable;
use super::{RUN_HAS_STREAM, RunOptions, RuntimeError, Tensor, ffi};
use crate::base::{HashMap, Status};
use crate::plan::{InputNeed, Plan};
use crate::types::dlpack::DLTensor;
use std::sync::{Arc, Mutex, MutexGuard};

/// A program for inputs that share memory.
pub struct Form {
    pub program: Executable,
    /// For each of the original program's inputs the number of its base, from 1 on; 0: it is in none.
    pub bases: Vec<u32>,
    /// The storages of constants that an instance lends it.
    pub storages: Vec<u32>,
}

/// Who gives forms.
pub trait Forms: Send + Sync {
    /// A form in which inputs of one group have one base. `groups`: of each input the first one of its group.
    fn form(&self, groups: &[u32]) -> Result<Arc<Form>, RuntimeError>;
}

/// The form that was made with the program.
pub struct Made(pub Arc<Form>);

impl Forms for Made {
    fn form(&self, _groups: &[u32]) -> Result<Arc<Form>, RuntimeError> {
        Ok(Arc::clone(&self.0))
    }
}

/// Whether inputs of one group have one base.
pub fn fits(bases: &[u32], groups: &[u32]) -> bool {
    let mut members = vec![0; groups.len()];
    groups.iter().for_each(|first| members[*first as usize] += 1);
    (0..groups.len()).all(|k| members[k] == 1 || (bases[k] != 0 && bases[k] == bases[groups[k] as usize]))
}

/// A base for each group of inputs.
pub fn bases_of(groups: &[u32]) -> Vec<u32> {
    let mut bases = vec![0; groups.len()];
    let mut n = 0;
    for k in 0..groups.len() {
        let first = groups[k] as usize;
        if first != k {
            if bases[first] == 0 {
                n += 1;
                bases[first] = n;
            }
            bases[k] = bases[first];
        }
    }
    bases
}

/// The bases that serve whatever inputs share memory: one for each dtype of an input that is written to. `None`: no two inputs
/// can share memory that is written to.
pub fn widest_bases(plan: &Plan) -> Option<Vec<u32>> {
    let mut bases = vec![0; plan.inputs.len()];
    let mut n = 0;
    let mut of_dtype: HashMap<i32, (Vec<usize>, bool)> = HashMap::default();
    for (k, input) in plan.inputs.iter().enumerate() {
        let (tensors, mutated) = of_dtype.entry(input.dtype).or_default();
        *mutated |= input.mutated;
        if !input.scalar && input.need == InputNeed::Data {
            tensors.push(k);
        }
    }
    for input in &plan.inputs {
        // Taken out where the first input of the dtype stands.
        let Some((tensors, mutated)) = of_dtype.remove(&input.dtype) else { continue };
        if mutated && tensors.len() > 1 {
            n += 1;
            tensors.into_iter().for_each(|k| bases[k] = n);
        }
    }
    (n > 0).then_some(bases)
}

/// The storages that a form is lent: those that are used, but for frozen ones, which stay as they are.
pub fn lent_storages(plan: &Plan) -> Vec<u32> {
    let lent = |k: &u32| {
        let storage = &plan.storages[*k as usize];
        !storage.unused && !storage.frozen
    };
    (0..plan.storages.len() as u32).filter(lent).collect()
}

/// A program whose inputs may share memory where they have one base.
pub trait OverBases {
    /// For each input the number of its base, from 1 on; 0: it is in none.
    fn bases(&self) -> &[u32];
}

impl OverBases for Form {
    fn bases(&self) -> &[u32] {
        &self.bases
    }
}

/// Programs that were made for groups of inputs, up to a number.
pub struct Kept<F> {
    list: Mutex<Vec<Arc<F>>>,
    /// Held while a program is made, so that threads do not make the same one.
    making: Mutex<()>,
}

impl<F: OverBases> Kept<F> {
    /// As many as are kept.
    const MOST: usize = 16;

    /// The first that fits; otherwise one that `make` gives, which is told whether it must be the widest.
    pub fn get<E>(&self, groups: &[u32], make: impl FnOnce(bool) -> Result<F, E>) -> Result<Arc<F>, E> {
        let found = || self.all().into_iter().find(|form| fits(form.bases(), groups));
        if let Some(form) = found() {
            return Ok(form);
        }
        let _making = self.making.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(form) = found() {
            return Ok(form);
        }
        let made = Arc::new(make(self.all().len() + 1 >= Self::MOST)?);
        self.list().push(Arc::clone(&made));
        Ok(made)
    }

    /// Those that are made. This waits for none that is being made.
    pub fn all(&self) -> Vec<Arc<F>> {
        self.list().clone()
    }

    fn list(&self) -> MutexGuard<'_, Vec<Arc<F>>> {
        self.list.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl<F> Default for Kept<F> {
    fn default() -> Kept<F> {
        Kept { list: Mutex::default(), making: Mutex::default() }
    }
}

impl Form {
    pub(super) fn table(&self) -> ffi::Form {
        ffi::Form {
            program: self.program.raw(),
            bases: self.bases.as_ptr(),
            storages: self.storages.as_ptr(),
            n_storages: self.storages.len(),
        }
    }
}

impl Executable {
    /// The form for a run that failed with `INPUTS_SHARE_MEMORY` and this message.
    ///
    /// # Safety
    /// As [`Executable::run`]; the inputs are those of that run.
    pub(super) unsafe fn form_for(
        &self,
        inputs: &[*const DLTensor],
        told: &Message,
    ) -> Result<Arc<Form>, RuntimeError> {
        let Some(forms) = self.forms() else {
            return told
                .check(Status::Unsupported.code())
                .and(Err(RuntimeError::new(Status::Internal, "a run failed without a message")));
        };
        // SAFETY: the caller's.
        forms.form(&unsafe { self.overlaps(inputs) }?)
    }

    /// For each input the first one that it shares memory with where one of them is written to, directly or through others.
    ///
    /// # Safety
    /// As [`Executable::run`].
    pub(super) unsafe fn overlaps(&self, inputs: &[*const DLTensor]) -> Result<Vec<u32>, RuntimeError> {
        let mut groups = vec![0u32; inputs.len()];
        let mut message = Message::new();
        // SAFETY: the caller's; there is a place for each input's group.
        let status = unsafe {
            let (text, size) = (message.pointer(), message.size());
            ffi::lx_find_overlaps(self.raw(), inputs.as_ptr(), inputs.len(), groups.as_mut_ptr(), text, size)
        };
        message.check(status)?;
        Ok(groups)
    }

    /// A copy of an input with its strides, where it lies, made in the order of a run with these options.
    ///
    /// # Safety
    /// As [`Executable::run`].
    pub(super) unsafe fn copy_of(
        &self,
        input: &DLTensor,
        options: Option<&RunOptions>,
    ) -> Result<Tensor, RuntimeError> {
        let unknown = || RuntimeError::new(Status::Dtype, "a tensor to copy has an unknown dtype");
        let dtype = input.dtype.dtype().ok_or_else(unknown)?;
        let stream =
            options.filter(|o| o.flags & RUN_HAS_STREAM != 0).map_or(std::ptr::null_mut(), |o| o.stream);
        let given = options.map_or(std::ptr::null(), std::ptr::from_ref);
        let mut message = Message::new();
        // SAFETY: the caller's. Memory is taken in the stream's order only where a run may use it.
        let status = unsafe { ffi::lx_check_stream(self.raw(), given, message.pointer(), message.size()) };
        message.check(status)?;
        // SAFETY: the caller's.
        let (made, _) = unsafe { Tensor::unwritten_like(input, dtype, stream) }?;
        // SAFETY: the caller's; the copy has the input's sizes.
        unsafe { self.copy_elements(made.dl(), input, options) }?;
        Ok(made)
    }

    /// Copies the elements of a tensor to another of its dtype and sizes, in the order of a run with these options.
    ///
    /// # Safety
    /// Both are as they say, and lie where a run's inputs may.
    pub(super) unsafe fn copy_elements(
        &self,
        to: &DLTensor,
        from: &DLTensor,
        options: Option<&RunOptions>,
    ) -> Result<(), RuntimeError> {
        let options = options.map_or(std::ptr::null(), std::ptr::from_ref);
        let mut message = Message::new();
        // SAFETY: the caller's.
        let status = unsafe {
            ffi::lx_copy_elements(self.raw(), to, from, options, message.pointer(), message.size())
        };
        message.check(status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_bases_and_wider_bases_fit() {
        // Inputs 1 and 3, and 2 and 4, share memory.
        let groups = [0, 1, 2, 1, 2];
        let bases = bases_of(&groups);
        assert_eq!(bases, [0, 1, 2, 1, 2]);
        assert!(fits(&bases, &groups));
        assert!(fits(&[1; 5], &groups));
        assert!(!fits(&[0, 1, 2, 2, 1], &groups));
        assert!(!fits(&[1, 1, 0, 1, 0], &groups));
        assert!(fits(&bases, &[0, 1, 2, 3, 4]));
    }
}
