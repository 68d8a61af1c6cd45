//! Tensors that the library owns: one block of memory with DLPack's structure, the sizes and the data, freed by
//! DLPack's deleter, so that it may outlive everything else.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::RuntimeError;
use super::ffi;
use super::memory::TENSORS;
use super::spare::{self, Spare, Taken};
use crate::base::{Status, offsets};
use crate::types::Dtype;
use crate::types::dlpack::{DLDataType, DLDevice, DLManagedTensorVersioned, DLPackVersion, DLTensor};

const ALIGNMENT: usize = 64;
/// The DLPack version whose structures these are.
const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// A tensor in the CPU's memory or a GPU's, owned. Its bytes can be seen in the CPU's memory only.
#[derive(Debug)]
pub struct Tensor {
    managed: NonNull<DLManagedTensorVersioned>,
}

// SAFETY: the block is owned by this value alone, and is only written through `&mut self` or before it is shared.
unsafe impl Send for Tensor {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Tensor {}

/// What lies before the data: DLPack's structure and the size of the whole block.
#[repr(C)]
struct Block {
    managed: DLManagedTensorVersioned,
    bytes: usize,
    /// Those of a GPU's memory.
    device_bytes: u64,
    /// The stream in whose order a GPU's memory is freed; NULL: the executor's own.
    stream: *mut c_void,
    /// This tensor, and the views of its memory.
    references: AtomicUsize,
    /// The tensor whose memory this one is a view of, and has a reference to; NULL: its memory is its own.
    base: *mut DLManagedTensorVersioned,
    /// Who takes the block back, if somebody does.
    spare: Option<Weak<Spare>>,
}

/// Where an output's memory is taken from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Cpu,
    Cuda { device: i32, stream: *mut c_void },
}

impl Tensor {
    /// Memory of `bytes` bytes, not yet written. `None` when there is none.
    fn allocate(dtype: DLDataType, shape: &[i64], strides: &[i64], bytes: u64) -> Option<Tensor> {
        Tensor::allocate_of(dtype, shape, strides, bytes, None)
    }
    /// The same; it reuses one of the run's freed blocks where there are some.
    fn allocate_of(
        dtype: DLDataType,
        shape: &[i64],
        strides: &[i64],
        bytes: u64,
        taken: Option<&mut Taken<'_>>,
    ) -> Option<Tensor> {
        let header = size_of::<Block>() + 16 * shape.len();
        let data_at = header.next_multiple_of(ALIGNMENT);
        let total = usize::try_from(bytes).ok()?.checked_add(data_at)?;
        let layout = Layout::from_size_align(total, ALIGNMENT).ok()?;
        let (block, spare) = match taken {
            Some(taken) => taken.allocate(layout)?,
            None => (spare::new_block(layout)?, None),
        };
        TENSORS.add(total);
        let sizes: NonNull<i64>;
        // SAFETY: every offset lies inside of the block, whose alignment is that of all that is written.
        unsafe {
            sizes = block.add(size_of::<Block>()).cast();
            std::ptr::copy_nonoverlapping(shape.as_ptr(), sizes.as_ptr(), shape.len());
            std::ptr::copy_nonoverlapping(strides.as_ptr(), sizes.as_ptr().add(shape.len()), shape.len());
            block.cast::<Block>().write(Block {
                managed: DLManagedTensorVersioned {
                    version: VERSION,
                    manager_ctx: std::ptr::null_mut(),
                    deleter: Some(delete),
                    flags: 0,
                    dl_tensor: DLTensor {
                        data: block.add(data_at).as_ptr().cast(),
                        device: DLDevice::CPU,
                        ndim: shape.len() as i32,
                        dtype,
                        shape: sizes.as_ptr(),
                        strides: sizes.as_ptr().add(shape.len()),
                        byte_offset: 0,
                    },
                },
                bytes: total,
                device_bytes: 0,
                stream: std::ptr::null_mut(),
                references: AtomicUsize::new(1),
                base: std::ptr::null_mut(),
                spare,
            });
        }
        Some(Tensor { managed: block.cast() })
    }

    /// A tensor whose memory a run will write. Gaps between its elements are zero.
    fn for_output(
        dtype: Dtype,
        shape: &[i64],
        strides: &[i64],
        bytes: u64,
        taken: Option<&mut Taken<'_>>,
    ) -> Option<Tensor> {
        let tensor = Tensor::allocate_of(DLDataType::from(dtype), shape, strides, bytes, taken)?;
        let elements = shape.iter().try_fold(1u64, |n, d| n.checked_mul(u64::try_from(*d).ok()?));
        if elements.is_some_and(|n| n.saturating_mul(dtype.size() as u64) < bytes) {
            // SAFETY: `bytes` bytes of data were just allocated.
            unsafe { std::ptr::write_bytes(tensor.dl().data.cast::<u8>(), 0, bytes as usize) };
        }
        Some(tensor)
    }

    /// As [`Tensor::for_output`], in a GPU's memory.
    fn on_device(
        dtype: Dtype,
        shape: &[i64],
        strides: &[i64],
        bytes: u64,
        (device, stream): (i32, *mut c_void),
    ) -> Option<Tensor> {
        let mut tensor = Tensor::allocate(DLDataType::from(dtype), shape, strides, 0)?;
        let mut memory = std::ptr::null_mut();
        // SAFETY: the call writes the pointer; no message is asked for.
        let status =
            unsafe { ffi::lx_cuda_allocate(device, bytes, stream, &mut memory, std::ptr::null_mut(), 0) };
        if status != 0 {
            return None;
        }
        // SAFETY: the block is this value's alone.
        unsafe {
            let block = tensor.managed.as_mut();
            block.dl_tensor.data = memory;
            block.dl_tensor.device = DLDevice { device_type: DLDevice::CUDA_TYPE, device_id: device };
            let own = tensor.managed.as_ptr().cast::<Block>();
            (*own).stream = stream;
            (*own).device_bytes = bytes;
        }
        Some(tensor)
    }

    /// A view of this tensor's memory from that byte on, which lives as long as either does.
    fn view(&self, dtype: Dtype, shape: &[i64], strides: &[i64], at: u64) -> Option<Tensor> {
        let own = self.dl();
        let mut tensor = Tensor::allocate(DLDataType::from(dtype), shape, strides, 0)?;
        // SAFETY: the block is this value's alone; the base's lives, and counts who refers to it.
        unsafe {
            let block = tensor.managed.as_mut();
            block.dl_tensor.data = own.data.cast::<u8>().add(at as usize).cast();
            block.dl_tensor.device = own.device;
            (*tensor.managed.as_ptr().cast::<Block>()).base = self.managed.as_ptr();
            (*self.managed.as_ptr().cast::<Block>()).references.fetch_add(1, Ordering::Relaxed);
        }
        Some(tensor)
    }

    /// A copy in a GPU's memory, with its strides, of a tensor in the CPU's.
    pub fn to_device(&self, device: i32) -> Result<Tensor, RuntimeError> {
        let bytes = self.bytes();
        let place = (device, std::ptr::null_mut());
        let made = Tensor::on_device(self.dtype(), self.shape(), self.strides(), bytes.len() as u64, place)
            .ok_or_else(|| {
            let message = format!("the GPU has no memory for a tensor of {} bytes", bytes.len());
            RuntimeError::new(Status::OutOfMemory, message)
        })?;
        let mut message = super::error::Message::new();
        let (to, from) = (made.dl().data, bytes.as_ptr().cast());
        // SAFETY: both are as long as the call says.
        let status = unsafe {
            ffi::lx_cuda_copy(device, to, from, bytes.len() as u64, message.pointer(), message.size())
        };
        message.check(status)?;
        Ok(made)
    }

    /// A copy of a tensor, wherever it lies, with its strides: of all memory from its first element to its last.
    ///
    /// # Safety
    /// The tensor's memory is as it says, and can be read.
    pub(super) unsafe fn like(from: &DLTensor, dtype: Dtype) -> Result<Tensor, RuntimeError> {
        // SAFETY: the caller's.
        let (made, bytes) = unsafe { Tensor::unwritten_like(from, dtype, std::ptr::null_mut()) }?;
        let start = from.data.cast::<u8>().cast_const().wrapping_add(from.byte_offset as usize);
        if from.device.is_host() {
            if bytes > 0 {
                // SAFETY: both have as many bytes.
                unsafe { std::ptr::copy_nonoverlapping(start, made.dl().data.cast::<u8>(), bytes as usize) };
            }
            return Ok(made);
        }
        let mut message = super::error::Message::new();
        // SAFETY: both are as long as the call says.
        let status = unsafe {
            let (text, size) = (message.pointer(), message.size());
            ffi::lx_cuda_copy(from.device.device_id, made.dl().data, start.cast(), bytes, text, size)
        };
        message.check(status)?;
        Ok(made)
    }

    /// Memory for a tensor of the sizes and strides of another, where that lies, and how many bytes it has. A GPU's memory is taken and
    /// given back in the order of the stream; NULL: the executor's own.
    ///
    /// # Safety
    /// The tensor is as it says.
    pub(super) unsafe fn unwritten_like(
        from: &DLTensor,
        dtype: Dtype,
        stream: *mut c_void,
    ) -> Result<(Tensor, u64), RuntimeError> {
        let wrong =
            |what: &str| RuntimeError::new(Status::InvalidArgument, format!("a tensor to copy {what}"));
        // SAFETY: the caller's.
        let list = |numbers: *mut i64| match from.ndim {
            0 => &[][..],
            n => unsafe { std::slice::from_raw_parts(numbers.cast_const(), n as usize) },
        };
        let shape = list(from.shape);
        let mut contiguous = vec![1i64; shape.len()];
        for k in (1..shape.len()).rev() {
            contiguous[k - 1] = contiguous[k].saturating_mul(shape[k].max(1));
        }
        let strides = if from.strides.is_null() { &contiguous[..] } else { list(from.strides) };
        if shape.iter().zip(strides).any(|(n, stride)| *n < 0 || (*stride < 0 && *n > 1)) {
            return Err(wrong("has negative sizes or strides"));
        }
        let last = shape
            .iter()
            .zip(strides)
            .try_fold(0i64, |last, (n, s)| last.checked_add((n - 1).checked_mul(*s)?));
        let elements = if shape.contains(&0) { Some(0) } else { last.and_then(|last| last.checked_add(1)) };
        let bytes = elements.and_then(|n| u64::try_from(n).ok()?.checked_mul(dtype.size() as u64));
        let bytes = bytes.ok_or_else(|| wrong("has sizes that no memory has"))?;
        if bytes > 0 && from.data.is_null() {
            return Err(wrong("has no data"));
        }
        let made = match from.device.is_host() {
            true => Tensor::for_output(dtype, shape, strides, bytes, None),
            false => Tensor::on_device(dtype, shape, strides, bytes, (from.device.device_id, stream)),
        };
        let made = made.ok_or_else(|| {
            let message = format!("there is no memory for a copy of {bytes} bytes");
            RuntimeError::new(Status::OutOfMemory, message)
        })?;
        Ok((made, bytes))
    }

    /// A contiguous tensor of zero bytes.
    pub fn zeros(dtype: Dtype, shape: &[i64]) -> Result<Tensor, RuntimeError> {
        let too_large =
            || RuntimeError::new(Status::OutOfMemory, format!("a tensor of shape {shape:?} does not fit"));
        let mut strides = vec![1i64; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k].checked_mul(shape[k].max(1)).ok_or_else(too_large)?;
        }
        let bytes = shape
            .iter()
            .try_fold(dtype.size() as u64, |n, d| n.checked_mul(u64::try_from(*d).ok()?))
            .ok_or_else(too_large)?;
        let tensor =
            Tensor::allocate(DLDataType::from(dtype), shape, &strides, bytes).ok_or_else(too_large)?;
        // SAFETY: `bytes` bytes of data were just allocated.
        unsafe { std::ptr::write_bytes(tensor.dl().data.cast::<u8>(), 0, bytes as usize) };
        Ok(tensor)
    }

    /// A contiguous tensor with the given content, which must be as long as the shape says.
    pub fn from_bytes(dtype: Dtype, shape: &[i64], bytes: &[u8]) -> Result<Tensor, RuntimeError> {
        let mut tensor = Tensor::zeros(dtype, shape)?;
        let own = tensor.bytes_mut();
        if own.len() != bytes.len() {
            return Err(RuntimeError::new(
                Status::InvalidArgument,
                format!("a {dtype} tensor of shape {shape:?} takes {} bytes, not {}", own.len(), bytes.len()),
            ));
        }
        own.copy_from_slice(bytes);
        Ok(tensor)
    }

    /// A tensor with these strides, which give each element a place of its own. `bytes` are its elements in the order of its sizes.
    pub fn laid_out(
        dtype: Dtype,
        shape: &[i64],
        strides: &[i64],
        bytes: &[u8],
    ) -> Result<Tensor, RuntimeError> {
        let contiguous = Tensor::from_bytes(dtype, shape, bytes)?;
        if strides == contiguous.strides() || shape.contains(&0) {
            return Ok(contiguous);
        }
        let item = dtype.size();
        let extent = shape.iter().zip(strides).try_fold(1u64, |n, (size, stride)| {
            n.checked_add(u64::try_from(size - 1).ok()?.checked_mul(u64::try_from(*stride).ok()?)?)
        });
        let made = extent.and_then(|n| n.checked_mul(item as u64));
        let made = made.and_then(|bytes| Tensor::for_output(dtype, shape, strides, bytes, None));
        let mut made = made.ok_or_else(|| {
            let message = format!("a tensor of shape {shape:?} and strides {strides:?} does not fit");
            RuntimeError::new(Status::OutOfMemory, message)
        })?;
        let own = made.bytes_mut();
        for (element, offset) in bytes.chunks_exact(item).zip(offsets(shape, strides)) {
            let at = offset as usize * item;
            own[at..at + item].copy_from_slice(element);
        }
        Ok(made)
    }

    pub fn dl(&self) -> &DLTensor {
        // SAFETY: the block lives as long as this value.
        unsafe { &self.managed.as_ref().dl_tensor }
    }
    pub fn dtype(&self) -> Dtype {
        self.dl().dtype.dtype().expect("own tensors are made of a dtype")
    }
    pub fn shape(&self) -> &[i64] {
        // SAFETY: `allocate` wrote `ndim` sizes there.
        unsafe { std::slice::from_raw_parts(self.dl().shape, self.dl().ndim as usize) }
    }
    pub fn strides(&self) -> &[i64] {
        // SAFETY: `allocate` wrote `ndim` strides there.
        unsafe { std::slice::from_raw_parts(self.dl().strides, self.dl().ndim as usize) }
    }
    /// The elements' bytes, from the first to the last in memory.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the data's length is that of the extent, and it was written when the tensor was made.
        unsafe { std::slice::from_raw_parts(self.dl().data.cast(), self.extent()) }
    }
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and this value is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.dl().data.cast(), self.extent()) }
    }

    fn extent(&self) -> usize {
        if self.shape().contains(&0) {
            return 0;
        }
        let last: i64 = self.shape().iter().zip(self.strides()).map(|(n, s)| (n - 1) * s).sum();
        (last as usize + 1) * (self.dl().dtype.bits as usize / 8)
    }

    /// DLPack's structure, for a host: freed by its deleter.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let raw = self.managed.as_ptr();
        std::mem::forget(self);
        raw
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: this value owns the block.
        unsafe { delete(self.managed.as_ptr()) }
    }
}

/// Large blocks are asked for in huge pages, as the executor does for its own.
pub(super) fn advise_huge_pages(block: NonNull<u8>, bytes: usize) {
    const PAGE: usize = 4096;
    if bytes >= 4 << 20 {
        let skip = block.as_ptr().align_offset(PAGE);
        // SAFETY: the range lies inside of the block; advice changes no content.
        unsafe {
            libc::madvise(block.as_ptr().add(skip).cast(), (bytes - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE)
        };
    }
}

/// DLPack's deleter of a [`Block`].
unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    if managed.is_null() {
        return;
    }
    // SAFETY: only tensors that `Tensor::allocate` made carry this deleter, and it runs once for each reference.
    unsafe {
        let block = managed.cast::<Block>();
        if (*block).references.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let (bytes, base, spare) = ((*block).bytes, (*block).base, (*block).spare.take());
        let tensor = &(*managed).dl_tensor;
        if tensor.device.device_type == DLDevice::CUDA_TYPE && base.is_null() {
            let own = &*block;
            ffi::lx_cuda_free(tensor.device.device_id, tensor.data, own.device_bytes, own.stream);
        }
        TENSORS.sub(bytes);
        let layout = Layout::from_size_align_unchecked(bytes, ALIGNMENT);
        match spare {
            Some(spare) => spare::free(NonNull::new_unchecked(managed.cast()), layout, spare),
            None => System.dealloc(managed.cast(), layout),
        }
        // A base has none of its own.
        delete(base);
    }
}

/// Collects the outputs that the executor asks memory for.
pub(super) struct OutputSink<'a> {
    pub(super) dtypes: &'a [Dtype],
    pub(super) place: Place,
    pub(super) taken: Taken<'a>,
    /// Each output, once it has memory: some get theirs in the middle of the run.
    pub(super) outputs: Vec<Option<Tensor>>,
}

impl OutputSink<'_> {
    /// The first outputs, once a run has given all of them memory.
    pub(super) fn given(self, n: usize) -> Result<Vec<Tensor>, RuntimeError> {
        let all: Option<Vec<Tensor>> = self.outputs.into_iter().take(n).collect();
        all.ok_or_else(|| RuntimeError::new(Status::Internal, "a run gave an output no memory"))
    }
}

/// Gives the executor an output's memory; its context is an [`OutputSink`].
pub(super) unsafe extern "C" fn allocate_output(
    context: *mut c_void,
    k: usize,
    bytes: u64,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
) -> *mut c_void {
    // SAFETY: the executor calls back with the context it was given, during the run that lent it.
    let sink = unsafe { &mut *context.cast::<OutputSink>() };
    // SAFETY: `ndim` sizes and strides lie there; for a 0-d tensor the pointers may mean nothing.
    let (shape, strides): (&[i64], &[i64]) = match ndim {
        0 => (&[], &[]),
        n => unsafe {
            (std::slice::from_raw_parts(shape, n as usize), std::slice::from_raw_parts(strides, n as usize))
        },
    };
    let made = sink.dtypes.get(k).and_then(|d| match sink.place {
        Place::Cpu => Tensor::for_output(*d, shape, strides, bytes, Some(&mut sink.taken)),
        Place::Cuda { device, stream } => Tensor::on_device(*d, shape, strides, bytes, (device, stream)),
    });
    let Some(tensor) = made else { return std::ptr::null_mut() };
    let data = tensor.dl().data;
    sink.outputs[k] = Some(tensor);
    data
}

/// Makes an output that is a view of another one; its context is an [`OutputSink`].
pub(super) unsafe extern "C" fn view_output(
    context: *mut c_void,
    k: usize,
    of: usize,
    at: u64,
    ndim: i32,
    shape: *const i64,
    strides: *const i64,
) -> i32 {
    // SAFETY: the executor calls back with the context it was given, during the run that lent it.
    let sink = unsafe { &mut *context.cast::<OutputSink>() };
    // SAFETY: as for `allocate_output`.
    let (shape, strides): (&[i64], &[i64]) = match ndim {
        0 => (&[], &[]),
        n => unsafe {
            (std::slice::from_raw_parts(shape, n as usize), std::slice::from_raw_parts(strides, n as usize))
        },
    };
    let base = sink.outputs.get(of).and_then(Option::as_ref);
    let dtype = sink.dtypes.get(k).copied();
    let made = base.zip(dtype).and_then(|(base, dtype)| base.view(dtype, shape, strides, at));
    let Some(tensor) = made else { return 0 };
    sink.outputs[k] = Some(tensor);
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_owned() {
        let t = Tensor::from_bytes(Dtype::Float32, &[2, 3], &[7; 24]).unwrap();
        assert_eq!((t.shape(), t.strides(), t.bytes()), (&[2, 3][..], &[3, 1][..], &[7; 24][..]));
        assert_eq!(t.dl().data as usize % 64, 0);
        let raw = t.into_raw();
        // SAFETY: the block was just given up, with its deleter.
        unsafe { (*raw).deleter.unwrap()(raw) };
        assert!(Tensor::zeros(Dtype::Int8, &[0, 5]).unwrap().bytes().is_empty());
        assert!(Tensor::from_bytes(Dtype::Int16, &[2], &[0; 3]).is_err());
        assert!(Tensor::zeros(Dtype::Float64, &[i64::MAX, 3]).is_err());
    }
}
