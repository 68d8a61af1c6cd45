//! Constants of an executable: reading what they, their storages and derived buffers hold now, and replacing them.
//!
//! Deliberately absent: files of weights (see `weights`), and who shares a storage, which the executor decides.

use std::ffi::{CStr, CString, c_char};

use super::error::Message;
use super::ffi;
use super::{Executable, RuntimeError, Tensor};
use crate::base::Status;
use crate::types::dlpack::DLTensor;

impl Executable {
    /// The index of a constant by its name or an alias.
    pub fn find_constant(&self, name: &str) -> Option<usize> {
        self.plan().constants.iter().position(|c| c.name == name || c.aliases.iter().any(|a| a == name))
    }

    /// A copy of a constant's value now.
    pub fn constant(&self, name: &str) -> Result<Tensor, RuntimeError> {
        let k = self.find_constant(name).ok_or_else(|| {
            RuntimeError::new(Status::InvalidArgument, format!("the program has no constant `{name}`"))
        })?;
        let constant = &self.plan().constants[k];
        let mut tensor = Tensor::zeros(self.constants()[k].dtype, &constant.shape)?;
        let bytes = tensor.bytes_mut();
        let mut message = Message::new();
        // SAFETY: the memory is the new tensor's.
        let status = unsafe {
            ffi::lx_copy_constant(
                self.raw(),
                k,
                bytes.as_mut_ptr().cast(),
                bytes.len() as u64,
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)?;
        Ok(tensor)
    }

    /// What the storage of that number holds now.
    pub fn storage(&self, k: usize) -> Result<Vec<u8>, RuntimeError> {
        let bytes = self.plan().storages.get(k).map_or(0, |s| s.bytes);
        let mut data = vec![0u8; bytes as usize];
        let mut message = Message::new();
        // SAFETY: the memory is the new vector's, and the instance lives as long as this value.
        let status = unsafe {
            ffi::lx_copy_storage(
                self.raw(),
                k,
                data.as_mut_ptr().cast(),
                bytes,
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)?;
        Ok(data)
    }

    /// What was derived from constants as the derived buffer of that number; nothing where runs do not read it.
    pub fn derived(&self, piece: usize) -> Result<Vec<u8>, RuntimeError> {
        // SAFETY: the instance lives as long as this value.
        let bytes = unsafe { ffi::lx_derived_bytes(self.raw(), piece) };
        let mut data = vec![0u8; bytes as usize];
        if data.is_empty() {
            return Ok(data);
        }
        let mut message = Message::new();
        // SAFETY: the memory is the new vector's, and the instance lives as long as this value.
        let status = unsafe {
            let to = data.as_mut_ptr().cast();
            let (text, size) = (message.pointer(), message.size());
            ffi::lx_copy_derived(self.raw(), piece, to, bytes, text, size)
        };
        message.check(status)?;
        Ok(data)
    }

    /// Replaces constants by name; all or none. Waits for runs in flight.
    ///
    /// # Safety
    /// Every pointer in `data` is NULL or a tensor whose memory is as it says and can be read.
    pub unsafe fn update_constants(
        &self,
        names: &[&CStr],
        data: &[*const DLTensor],
    ) -> Result<(), RuntimeError> {
        if names.len() != data.len() {
            return Err(RuntimeError::new(Status::InvalidArgument, "there are not as many tensors as names"));
        }
        let names: Vec<*const c_char> = names.iter().map(|n| n.as_ptr()).collect();
        let mut message = Message::new();
        // SAFETY: the caller's.
        let status = unsafe {
            ffi::lx_update_constants(
                self.raw(),
                names.as_ptr(),
                data.as_ptr(),
                names.len(),
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)
    }

    /// [`Executable::update_constants`] with tensors of the library's own.
    pub fn update_tensors(&self, updates: &[(&str, &Tensor)]) -> Result<(), RuntimeError> {
        let names: Vec<CString> = updates
            .iter()
            .map(|(name, _)| CString::new(*name))
            .collect::<Result<_, _>>()
            .map_err(|_| RuntimeError::new(Status::InvalidArgument, "a constant's name holds a NUL"))?;
        let names: Vec<&CStr> = names.iter().map(CString::as_c_str).collect();
        let data: Vec<*const DLTensor> = updates.iter().map(|(_, t)| std::ptr::from_ref(t.dl())).collect();
        // SAFETY: own tensors are as they say.
        unsafe { self.update_constants(&names, &data) }
    }
}
