//! Inputs as a program will be given them, known when it is compiled: their sizes, and runs on their data.
//!
//! Invariant: a run on examples changes nothing of the caller's: what the program writes to is a copy.
//!
//! Deliberately absent: what sizes and data are used for.

use super::RuntimeError;
use super::executable::Executable;
use super::run_options::RunOptions;
use super::tensor::Tensor;
use crate::base::Status;
use crate::plan::{self, InputNeed};
use crate::types::Dtype;
use crate::types::dlpack::{DLDevice, DLTensor};

/// One tensor for each input, or NULL for one that the program does not use.
pub struct Examples {
    tensors: Vec<*const DLTensor>,
    dtypes: Vec<Option<Dtype>>,
}

/// More dimensions than a tensor has.
const MOST_DIMENSIONS: i32 = 64;

impl Examples {
    /// Checks what can be seen of the tensors alone.
    ///
    /// # Safety
    /// Every pointer is NULL, or a tensor whose memory is as it says and can be read, and is not written by anyone as long
    /// as the result lives.
    pub unsafe fn new(tensors: &[*const DLTensor]) -> Result<Examples, RuntimeError> {
        let mut dtypes = Vec::with_capacity(tensors.len());
        for (k, tensor) in tensors.iter().enumerate() {
            let wrong = |status, what: &str| RuntimeError::new(status, format!("example {k}: {what}"));
            // SAFETY: the caller's.
            let Some(tensor) = (unsafe { tensor.as_ref() }) else {
                dtypes.push(None);
                continue;
            };
            if !(0..=MOST_DIMENSIONS).contains(&tensor.ndim) || (tensor.ndim > 0 && tensor.shape.is_null()) {
                return Err(wrong(Status::InvalidArgument, "its number of dimensions or its shape is none"));
            }
            let dtype = tensor.dtype.dtype().ok_or_else(|| wrong(Status::Dtype, "its dtype is not known"))?;
            dtypes.push(Some(dtype));
        }
        Ok(Examples { tensors: tensors.to_vec(), dtypes })
    }

    pub fn count(&self) -> usize {
        self.tensors.len()
    }
    /// `None`: the input was left out.
    pub fn dtype(&self, k: usize) -> Option<Dtype> {
        self.dtypes[k]
    }
    /// The sizes of one that was not left out.
    pub fn shape(&self, k: usize) -> &[i64] {
        match self.tensor(k) {
            None => &[],
            Some(tensor) if tensor.ndim == 0 => &[],
            // SAFETY: the tensor has as many sizes.
            Some(tensor) => unsafe { std::slice::from_raw_parts(tensor.shape, tensor.ndim as usize) },
        }
    }
    /// The bits of a 0-d number in host memory, as a program's number inputs take them.
    pub fn number(&self, k: usize) -> Option<i64> {
        let tensor = self.tensor(k)?;
        if tensor.ndim != 0 || tensor.data.is_null() || tensor.device.device_type != DLDevice::CPU.device_type
        {
            return None;
        }
        // SAFETY: the tensor's one element can be read; it need not be aligned.
        unsafe {
            let at = tensor.data.cast::<u8>().add(tensor.byte_offset as usize);
            match self.dtypes[k]? {
                Dtype::Int64 | Dtype::Float64 => Some(at.cast::<i64>().read_unaligned()),
                Dtype::Bool => Some(i64::from(at.read() != 0)),
                _ => None,
            }
        }
    }

    fn tensor(&self, k: usize) -> Option<&DLTensor> {
        // SAFETY: the caller of `new` lets the tensors be read.
        unsafe { self.tensors[k].as_ref() }
    }

    /// The inputs of a run on them, and the copies among these.
    pub(super) fn inputs(
        &self,
        executable: &Executable,
    ) -> Result<(Vec<*const DLTensor>, Vec<Tensor>), RuntimeError> {
        let is_null = |(k, _): &(usize, &plan::Input)| self.tensors.get(*k).is_some_and(|t| t.is_null());
        let mut left_out = executable.plan().inputs.iter().enumerate().filter(is_null);
        if let Some((k, input)) = left_out.find(|(_, input)| input.need != InputNeed::Nothing) {
            let what = format!("examples[{k}] (input `{}`) is NULL, and the program uses it", input.name);
            return Err(RuntimeError::new(Status::InvalidArgument, what));
        }
        let (mut inputs, mut copies) = (self.tensors.clone(), Vec::new());
        let written = executable
            .plan()
            .inputs
            .iter()
            .enumerate()
            .filter(|(_, input)| input.mutated || input.overwritten);
        for (k, _) in written.filter(|(k, _)| *k < self.tensors.len()) {
            let Some((tensor, dtype)) = self.tensor(k).zip(self.dtypes[k]) else { continue };
            // SAFETY: the caller of `new` lets the tensor be read.
            let copy = unsafe { Tensor::like(tensor, dtype) }?;
            inputs[k] = std::ptr::from_ref(copy.dl());
            copies.push(copy);
        }
        Ok((inputs, copies))
    }

    /// The same, where the program's kernels read them: what a run would copy there from the host's memory is there already, so
    /// that kernels are timed and not copies.
    pub(super) fn inputs_in_place(
        &self,
        executable: &Executable,
    ) -> Result<(Vec<*const DLTensor>, Vec<Tensor>), RuntimeError> {
        let (mut inputs, mut copies) = self.inputs(executable)?;
        let Some(device) = executable.program().copies_host_tensors_to() else { return Ok((inputs, copies)) };
        for (k, input) in inputs.iter_mut().enumerate() {
            // SAFETY: the caller of `new` lets tensors be read, and copies are own ones.
            let given = unsafe { input.as_ref() }.zip(self.dtypes[k]);
            if let Some((tensor, dtype)) = given.filter(|(t, _)| t.ndim > 0 && t.device.is_host()) {
                // SAFETY: as above.
                let moved = unsafe { Tensor::like(tensor, dtype) }?.to_device(device)?;
                *input = std::ptr::from_ref(moved.dl());
                copies.push(moved);
            }
        }
        Ok((inputs, copies))
    }

    /// Runs once on them, so that a program's first run finds what is made then. Constants that runs change stay as they
    /// are.
    pub fn warm(&self, executable: &Executable) -> Result<(), RuntimeError> {
        let writes = executable.plan().storages.iter().any(|s| s.mutated);
        let own = if writes { Some(executable.try_clone()?) } else { None };
        let (inputs, _copies) = self.inputs(executable)?;
        // SAFETY: the caller of `new` lets the tensors be read, and what is written is a copy.
        unsafe { own.as_ref().unwrap_or(executable).run(&inputs, Some(&RunOptions::own())) }?;
        Ok(())
    }
}
