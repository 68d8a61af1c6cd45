//! Tensors of a host, kept as they are: sizes, strides, and which of them share memory.
//!
//! Invariant: tensors that overlapped overlap in what is kept, at the same distances.
//!
//! Deliberately absent: files.

use super::error::Message;
use super::ffi;
use super::run_options::RunOptions;
use super::{Executable, RuntimeError, Tensor};
use crate::base::{StableSort, Status, offsets};
use crate::types::Dtype;
use crate::types::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// Tensors in memory of the library's own.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    pub storages: Vec<Vec<u8>>,
    /// `None`: the host gave none for an input that nothing reads.
    pub tensors: Vec<Option<View>>,
}

/// A tensor in one of the storages.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    /// In elements, not negative.
    pub strides: Vec<i64>,
    pub storage: usize,
    /// Bytes of the storage before the first element.
    pub offset: usize,
}

/// A tensor of a host: what it is and where its bytes lie.
struct Given {
    view: View,
    start: usize,
    bytes: usize,
    device: DLDevice,
}

impl View {
    /// Bytes from the first element to the last; `None` where they cannot be counted.
    pub fn extent(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        let last = self
            .shape
            .iter()
            .zip(&self.strides)
            .try_fold(0i64, |sum, (n, s)| sum.checked_add((n - 1).checked_mul(*s)?))?;
        usize::try_from(last).ok()?.checked_add(1)?.checked_mul(self.dtype.size())
    }
}

fn wrong(k: usize, status: Status, what: impl std::fmt::Display) -> RuntimeError {
    RuntimeError::new(status, format!("input {k} {what}"))
}

/// # Safety
/// The pointer is NULL or a tensor whose sizes can be read.
unsafe fn given(k: usize, tensor: *const DLTensor) -> Result<Option<Given>, RuntimeError> {
    // SAFETY: the caller's.
    let Some(t) = (unsafe { tensor.as_ref() }) else { return Ok(None) };
    let dtype = t.dtype.dtype().ok_or_else(|| wrong(k, Status::Dtype, "has no dtype that Litz knows"))?;
    let rank = usize::try_from(t.ndim).ok().filter(|n| *n <= 64);
    let rank = rank.ok_or_else(|| wrong(k, Status::Shape, format!("has {} dimensions", t.ndim)))?;
    if rank > 0 && t.shape.is_null() {
        return Err(wrong(k, Status::InvalidArgument, "has no shape"));
    }
    let read = |list: *const i64| match rank {
        0 => Vec::new(),
        // SAFETY: the caller's; not NULL.
        n => unsafe { std::slice::from_raw_parts(list, n) }.to_vec(),
    };
    let shape = read(t.shape);
    let uncounted = || wrong(k, Status::Shape, "has sizes or strides that cannot be");
    let strides = if t.strides.is_null() {
        let mut strides = vec![1i64; rank];
        for d in (1..rank).rev() {
            strides[d - 1] = strides[d].checked_mul(shape[d].max(1)).ok_or_else(uncounted)?;
        }
        strides
    } else {
        read(t.strides)
    };
    if shape.iter().chain(&strides).any(|n| *n < 0) {
        return Err(uncounted());
    }
    let view = View { dtype, shape, strides, storage: 0, offset: 0 };
    let bytes = view.extent().ok_or_else(uncounted)?;
    if bytes > 0 && t.data.is_null() {
        return Err(wrong(k, Status::InvalidArgument, "has no memory"));
    }
    if !t.device.is_host() && t.device.device_type != DLDevice::CUDA_TYPE {
        let what = format!("lies on a device of type {}", t.device.device_type);
        return Err(wrong(k, Status::Device, what));
    }
    let start = (t.data as usize).wrapping_add(t.byte_offset as usize);
    Ok(Some(Given { view, start, bytes, device: t.device }))
}

impl Captured {
    /// A copy of a host's tensors, and of what is between those that share memory.
    ///
    /// # Safety
    /// Every pointer is NULL or a tensor whose memory is as it says, can be read and is not written during the call.
    pub unsafe fn of(inputs: &[*const DLTensor]) -> Result<Captured, RuntimeError> {
        // SAFETY: the caller's.
        let given = inputs.iter().enumerate().map(|(k, t)| unsafe { given(k, *t) });
        let mut given = given.collect::<Result<Vec<_>, _>>()?;
        let mut order: Vec<&mut Given> = given.iter_mut().flatten().collect();
        order.stable_sort_by_key(|g| (g.device.device_type, g.device.device_id, g.start));
        let mut captured = Captured::default();
        // Pieces of memory that tensors cover together: where each begins and ends, and its device.
        let mut pieces: Vec<(usize, usize, DLDevice)> = Vec::new();
        for g in order {
            let end = g.start + g.bytes;
            match pieces.last_mut() {
                Some((_, last, device)) if g.bytes > 0 && *device == g.device && g.start < *last => {
                    *last = (*last).max(end);
                }
                _ => pieces.push((g.start, end, g.device)),
            }
            g.view.storage = pieces.len() - 1;
            g.view.offset = g.start - pieces[g.view.storage].0;
        }
        for (start, end, device) in pieces {
            // SAFETY: the caller's: each byte belongs to a tensor, or lies between elements of one.
            captured.storages.push(unsafe { copied(start, end - start, device) }?);
        }
        captured.tensors = given.into_iter().map(|g| g.map(|g| g.view)).collect();
        Ok(captured)
    }

    /// A tensor's elements in order.
    pub fn contiguous(&self, view: &View) -> Vec<u8> {
        let (storage, item) = (&self.storages[view.storage], view.dtype.size());
        let count: usize = view.shape.iter().map(|n| *n as usize).product();
        let mut elements = Vec::with_capacity(count * item);
        for offset in offsets(&view.shape, &view.strides) {
            let at = view.offset + offset as usize * item;
            elements.extend_from_slice(&storage[at..at + item]);
        }
        elements
    }

    /// The tensors, in memory of the CPU or of a GPU that they share as they did; those that `on_host` names stay on the CPU.
    pub fn tensors(
        &self,
        device: Option<i32>,
        on_host: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Option<SharedTensor>>, RuntimeError> {
        let mut host: Vec<Option<Arc<Tensor>>> = vec![None; self.storages.len()];
        let mut remote = host.clone();
        let mut made = Vec::with_capacity(self.tensors.len());
        for (k, view) in self.tensors.iter().enumerate() {
            let Some(view) = view else {
                made.push(None);
                continue;
            };
            let bytes = &self.storages[view.storage];
            let shape = [bytes.len() as i64];
            let place = match device.filter(|_| !on_host(k)) {
                None => &mut host[view.storage],
                Some(_) => &mut remote[view.storage],
            };
            let memory = match place {
                Some(memory) => Arc::clone(memory),
                None => {
                    let tensor = Tensor::from_bytes(Dtype::Uint8, &shape, bytes)?;
                    let tensor = match device.filter(|_| !on_host(k)) {
                        None => tensor,
                        Some(device) => tensor.to_device(device)?,
                    };
                    Arc::clone(place.insert(Arc::new(tensor)))
                }
            };
            made.push(Some(SharedTensor::new(view, memory)));
        }
        Ok(made)
    }
}

impl Executable {
    /// Runs once on kept tensors, which are copied to where the program runs.
    pub fn run_captured(&self, inputs: &Captured) -> Result<Vec<Tensor>, RuntimeError> {
        let plan = self.plan();
        if inputs.tensors.len() != plan.inputs.len() {
            let (given, taken) = (inputs.tensors.len(), plan.inputs.len());
            let message = format!("{given} inputs are given, and the program takes {taken}");
            return Err(RuntimeError::new(Status::InvalidArgument, message));
        }
        let tensors = inputs.tensors(self.program().device(), &|k| plan.inputs[k].scalar)?;
        let pointers: Vec<*const DLTensor> = tensors
            .iter()
            .map(|t| t.as_ref().map_or(std::ptr::null(), |t| std::ptr::from_ref(t.dl())))
            .collect();
        // SAFETY: own tensors are as they say, and belong to this call alone.
        unsafe { self.run(&pointers, Some(&RunOptions::own())) }
    }
}

/// # Safety
/// `bytes` bytes can be read there.
unsafe fn copied(start: usize, bytes: usize, device: DLDevice) -> Result<Vec<u8>, RuntimeError> {
    let mut data = Vec::new();
    data.try_reserve_exact(bytes).map_err(|_| {
        RuntimeError::new(Status::OutOfMemory, format!("there is no memory for a copy of {bytes} bytes"))
    })?;
    if bytes == 0 {
        return Ok(data);
    }
    if device.is_host() {
        // SAFETY: the caller's.
        data.extend_from_slice(unsafe { std::slice::from_raw_parts(start as *const u8, bytes) });
        return Ok(data);
    }
    data.resize(bytes, 0);
    let mut message = Message::new();
    // SAFETY: the caller's; the vector has room for as many bytes.
    let status = unsafe {
        ffi::lx_cuda_copy(
            device.device_id,
            data.as_mut_ptr().cast(),
            start as *const c_void,
            bytes as u64,
            message.pointer(),
            message.size(),
        )
    };
    message.check(status)?;
    Ok(data)
}

/// A tensor in memory that others share.
pub struct SharedTensor(NonNull<DLManagedTensorVersioned>);

/// What a [`SharedTensor`] points at.
#[repr(C)]
struct Block {
    managed: DLManagedTensorVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _memory: Arc<Tensor>,
}

impl SharedTensor {
    fn new(view: &View, memory: Arc<Tensor>) -> SharedTensor {
        let mut block = Box::new(Block {
            managed: DLManagedTensorVersioned {
                version: DLPackVersion { major: 1, minor: 1 },
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete),
                flags: 0,
                dl_tensor: DLTensor {
                    data: memory.dl().data.cast::<u8>().wrapping_add(view.offset).cast(),
                    device: memory.dl().device,
                    ndim: view.shape.len() as i32,
                    dtype: DLDataType::from(view.dtype),
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    byte_offset: 0,
                },
            },
            shape: view.shape.clone(),
            strides: view.strides.clone(),
            _memory: memory,
        });
        block.managed.dl_tensor.shape = block.shape.as_mut_ptr();
        block.managed.dl_tensor.strides = block.strides.as_mut_ptr();
        SharedTensor(NonNull::from(Box::leak(block)).cast())
    }
    pub fn dl(&self) -> &DLTensor {
        // SAFETY: the block lives as long as this value.
        unsafe { &self.0.as_ref().dl_tensor }
    }
    /// For a host: freed by its deleter.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let raw = self.0.as_ptr();
        std::mem::forget(self);
        raw
    }
}

impl Drop for SharedTensor {
    fn drop(&mut self) {
        // SAFETY: this value owns the block.
        unsafe { delete(self.0.as_ptr()) }
    }
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    if !managed.is_null() {
        // SAFETY: only blocks of `SharedTensor::new` carry this deleter, and it runs once.
        drop(unsafe { Box::from_raw(managed.cast::<Block>()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(data: &mut [f32], shape: &mut [i64], strides: &mut [i64], offset: u64) -> DLTensor {
        DLTensor {
            data: data.as_mut_ptr().cast(),
            device: DLDevice::CPU,
            ndim: shape.len() as i32,
            dtype: Dtype::Float32.into(),
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut_ptr(),
            byte_offset: offset,
        }
    }

    #[test]
    fn what_overlapped_overlaps() {
        let mut data: Vec<f32> = (0..12).map(|k| k as f32).collect();
        let mut other = vec![7f32; 2];
        let (mut s1, mut t1) = ([2i64, 3], [1i64, 4]);
        let (mut s2, mut t2) = ([3i64], [1i64]);
        let (mut s3, mut t3) = ([0i64], [1i64]);
        let a = tensor(&mut data, &mut s1, &mut t1, 0);
        let b = tensor(&mut data, &mut s2, &mut t2, 32);
        let c = tensor(&mut other, &mut s3, &mut t3, 0);
        // SAFETY: the tensors describe vectors that live here.
        let kept = unsafe { Captured::of(&[&a, &b, &c]) }.unwrap();
        let view = |k: usize| kept.tensors[k].as_ref().unwrap();
        assert_eq!((view(0).storage, view(0).offset), (view(1).storage, 0));
        assert_eq!(view(1).offset, 32);
        let floats = |bytes: Vec<u8>| -> Vec<f32> {
            bytes.chunks(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
        };
        assert_eq!(floats(kept.contiguous(view(0))), [0.0, 4.0, 8.0, 1.0, 5.0, 9.0]);
        assert_eq!(floats(kept.contiguous(view(1))), [8.0, 9.0, 10.0]);
        assert!(kept.contiguous(view(2)).is_empty());
        let made = kept.tensors(None, &|_| true).unwrap();
        let data = |k: usize| made[k].as_ref().unwrap().dl().data as usize;
        assert_eq!(data(1) - data(0), 32);
        // SAFETY: NULL stays NULL.
        let none = unsafe { Captured::of(&[std::ptr::null(), &b]) }.unwrap();
        assert!(none.tensors[0].is_none() && none.tensors[1].is_some());
    }
}
