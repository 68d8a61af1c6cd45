//! Tensors: of a program's own memory, or of memory that the library gave.
//!
//! Invariant: what is described lies within the memory. Own memory is contiguous and aligned to 64 bytes.

use crate::error::{Error, Status};
use crate::sys::{self, DLDataType, DLDevice, DLManagedTensorVersioned, DLTensor};
use std::borrow::Cow;

macro_rules! dtypes {
    ($($name:ident = $number:literal, $text:literal, $code:literal, $bits:literal;)*) => {
        /// An element type, numbered as `LITZ_DTYPE_…`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum Dtype { $($name = $number),* }

        impl Dtype {
            pub const ALL: &[Dtype] = &[$(Dtype::$name),*];
            /// As PyTorch names it: "float32".
            pub fn name(self) -> &'static str {
                match self { $(Dtype::$name => $text),* }
            }
            pub(crate) fn dl(self) -> DLDataType {
                match self { $(Dtype::$name => DLDataType { code: $code, bits: $bits, lanes: 1 }),* }
            }
            /// Bytes of an element.
            pub fn size(self) -> usize {
                match self { $(Dtype::$name => $bits / 8),* }
            }
        }
    };
}

dtypes! {
    Uint8 = 1, "uint8", 1, 8;
    Int8 = 2, "int8", 0, 8;
    Int16 = 3, "int16", 0, 16;
    Int32 = 4, "int32", 0, 32;
    Int64 = 5, "int64", 0, 64;
    Float16 = 6, "float16", 2, 16;
    Float32 = 7, "float32", 2, 32;
    Float64 = 8, "float64", 2, 64;
    Complex64 = 10, "complex64", 5, 64;
    Complex128 = 11, "complex128", 5, 128;
    Bool = 12, "bool", 6, 8;
    Bfloat16 = 13, "bfloat16", 4, 16;
    Uint16 = 28, "uint16", 1, 16;
    Float8E4m3fn = 29, "float8_e4m3fn", 10, 8;
    Float8E5m2 = 30, "float8_e5m2", 12, 8;
    Float8E4m3fnuz = 31, "float8_e4m3fnuz", 11, 8;
    Float8E5m2fnuz = 32, "float8_e5m2fnuz", 13, 8;
    Uint32 = 36, "uint32", 1, 32;
    Uint64 = 37, "uint64", 1, 64;
}

impl Dtype {
    pub fn from_name(name: &str) -> Option<Dtype> {
        Dtype::ALL.iter().copied().find(|d| d.name() == name)
    }
    pub(crate) fn from_dl(dl: DLDataType) -> Result<Dtype, Error> {
        let found = Dtype::ALL.iter().copied().find(|d| d.dl() == dl);
        found.ok_or_else(|| Error::invalid(format!("there is no element type {dl:?}")))
    }
}

/// A Rust type that is an element type.
pub trait Element: Copy + sealed::Plain {
    const DTYPE: Dtype;
}

mod sealed {
    /// # Safety
    /// Every pattern of bits is a value, and there is no padding.
    pub unsafe trait Plain {}
}

macro_rules! elements {
    ($($ty:ty = $dtype:ident;)*) => {$(
        // SAFETY: a plain number.
        unsafe impl sealed::Plain for $ty {}
        impl Element for $ty { const DTYPE: Dtype = Dtype::$dtype; }
    )*};
}

elements! {
    u8 = Uint8; i8 = Int8; u16 = Uint16; i16 = Int16; u32 = Uint32; i32 = Int32; u64 = Uint64; i64 = Int64;
    f32 = Float32; f64 = Float64;
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Block([u8; 64]);

enum Memory {
    Own(Vec<Block>),
    /// Owned by the library's deleter, which runs when this is dropped.
    Given(*mut DLManagedTensorVersioned),
}

/// A tensor: dtype, sizes, and elements.
pub struct Tensor {
    dtype: Dtype,
    device: DLDevice,
    shape: Vec<i64>,
    strides: Vec<i64>,
    memory: Memory,
}

// SAFETY: own memory is plain; given memory is owned by this tensor alone, and its deleter may run on any thread.
unsafe impl Send for Tensor {}
// SAFETY: shared tensors are only read.
unsafe impl Sync for Tensor {}

const CPU: DLDevice = DLDevice { device_type: 1, device_id: 0 };

fn contiguous(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k].max(1);
    }
    strides
}

impl Tensor {
    /// A tensor of zeros.
    pub fn zeros(dtype: Dtype, shape: &[i64]) -> Result<Tensor, Error> {
        let size = shape
            .iter()
            .try_fold(dtype.size(), |n, d| usize::try_from(*d).ok().and_then(|d| n.checked_mul(d)))
            .filter(|n| isize::try_from(*n).is_ok())
            .ok_or_else(|| Error::invalid(format!("there is no tensor of the sizes {shape:?}")))?;
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(size.div_ceil(64)).map_err(|_| {
            Error::new(Status::OUT_OF_MEMORY, format!("there is no memory of {size} bytes for a tensor"))
        })?;
        blocks.resize(size.div_ceil(64), Block([0; 64]));
        let memory = Memory::Own(blocks);
        Ok(Tensor { dtype, device: CPU, shape: shape.to_vec(), strides: contiguous(shape), memory })
    }

    /// A copy of these elements, row by row.
    pub fn from_bytes(dtype: Dtype, shape: &[i64], bytes: &[u8]) -> Result<Tensor, Error> {
        let mut tensor = Tensor::zeros(dtype, shape)?;
        let room = tensor.bytes_mut().expect("own memory can be written");
        if room.len() != bytes.len() {
            return Err(Error::invalid(format!(
                "{dtype:?} of the sizes {shape:?} has {} bytes, not {}",
                room.len(),
                bytes.len()
            )));
        }
        room.copy_from_slice(bytes);
        Ok(tensor)
    }

    /// A copy of these elements, row by row.
    pub fn from_slice<T: Element>(shape: &[i64], elements: &[T]) -> Result<Tensor, Error> {
        // SAFETY: plain numbers are bytes.
        let bytes = unsafe {
            std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), std::mem::size_of_val(elements))
        };
        Tensor::from_bytes(T::DTYPE, shape, bytes)
    }

    /// # Safety
    /// `given` is a tensor that the library gave and nobody else owns.
    pub(crate) unsafe fn given(given: *mut DLManagedTensorVersioned) -> Result<Tensor, Error> {
        // SAFETY: as the caller promises; the library always writes strides.
        let (dtype, device, shape, strides) = unsafe {
            let t = &(*given).dl_tensor;
            let list = |p: *mut i64| -> Vec<i64> {
                if t.ndim == 0 { Vec::new() } else { std::slice::from_raw_parts(p, t.ndim as usize).to_vec() }
            };
            (Dtype::from_dl(t.dtype), t.device, list(t.shape), list(t.strides))
        };
        let memory = Memory::Given(given);
        // Made first, so that an element type that is not known frees it.
        let mut tensor = Tensor { dtype: Dtype::Uint8, device, shape, strides, memory };
        tensor.dtype = dtype?;
        Ok(tensor)
    }

    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }
    /// In elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }
    /// DLPack's type and index: (1, 0) is the host, (2, k) a CUDA device.
    pub fn device(&self) -> (i32, i32) {
        (self.device.device_type, self.device.device_id)
    }
    /// How many elements there are.
    pub fn count(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    fn address(&self) -> *mut u8 {
        match &self.memory {
            Memory::Own(blocks) => blocks.as_ptr().cast_mut().cast(),
            // SAFETY: the tensor is alive as long as this one.
            Memory::Given(t) => unsafe {
                let t = &(**t).dl_tensor;
                t.data.cast::<u8>().wrapping_add(t.byte_offset as usize)
            },
        }
    }

    fn is_contiguous(&self) -> bool {
        let expected = contiguous(&self.shape);
        let same = |k: usize| self.shape[k] <= 1 || self.strides[k] == expected[k];
        self.count() == 0 || (0..self.shape.len()).all(same)
    }

    /// The elements row by row; copied where they lie otherwise. A tensor on a device is an error.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Error> {
        if self.device.device_type != CPU.device_type {
            return Err(Error::invalid("the tensor is not in the host's memory"));
        }
        let size = self.dtype.size();
        if self.count() == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        if self.is_contiguous() {
            // SAFETY: so many bytes lie there, and they live as long as this tensor.
            return Ok(Cow::Borrowed(unsafe {
                std::slice::from_raw_parts(self.address(), self.count() * size)
            }));
        }
        let mut copy = Vec::with_capacity(self.count() * size);
        let mut index = vec![0i64; self.shape.len()];
        for _ in 0..self.count() {
            let offset: i64 = index.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
            // SAFETY: the index is within the sizes.
            copy.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.address().offset(offset as isize * size as isize), size)
            });
            for k in (0..index.len()).rev() {
                index[k] += 1;
                if index[k] < self.shape[k] {
                    break;
                }
                index[k] = 0;
            }
        }
        Ok(Cow::Owned(copy))
    }

    /// The elements of a tensor that was made here; `None` for one that the library gave.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let size = self.count() * self.dtype.size();
        match &mut self.memory {
            // SAFETY: the blocks have at least so many bytes.
            Memory::Own(blocks) => {
                Some(unsafe { std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast::<u8>(), size) })
            }
            Memory::Given(_) => None,
        }
    }

    /// The elements row by row, as numbers of the tensor's own type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        if T::DTYPE != self.dtype {
            let message = format!("the tensor's elements are {}, not {}", self.dtype.name(), T::DTYPE.name());
            return Err(Error::invalid(message));
        }
        let bytes = self.bytes()?;
        let size = self.dtype.size();
        // SAFETY: every pattern of bits is a value; the address need not be aligned.
        Ok(bytes.chunks_exact(size).map(|c| unsafe { c.as_ptr().cast::<T>().read_unaligned() }).collect())
    }

    /// A copy in memory of its own.
    pub fn copy(&self) -> Result<Tensor, Error> {
        Tensor::from_bytes(self.dtype, &self.shape, &self.bytes()?)
    }

    fn raw(&self) -> DLTensor {
        DLTensor {
            data: self.address().cast(),
            device: self.device,
            ndim: self.shape.len() as i32,
            dtype: self.dtype.dl(),
            shape: self.shape.as_ptr().cast_mut(),
            strides: self.strides.as_ptr().cast_mut(),
            byte_offset: 0,
        }
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        if let (Memory::Given(given), Ok(library)) = (&self.memory, sys::library()) {
            // SAFETY: the tensor is ours, and this is its last use.
            unsafe { (library.tensor_release)(*given) }
        }
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.dtype.name(), self.shape)
    }
}

/// Tensors as C takes them, for as long as they are borrowed.
pub(crate) struct Borrowed<'a> {
    raw: Vec<DLTensor>,
    _tensors: std::marker::PhantomData<&'a Tensor>,
}

pub(crate) fn borrowed<'a, T: AsRef<Tensor> + 'a>(tensors: &'a [T]) -> Borrowed<'a> {
    Borrowed { raw: tensors.iter().map(|t| t.as_ref().raw()).collect(), _tensors: std::marker::PhantomData }
}

impl Borrowed<'_> {
    pub fn pointers(&self) -> Vec<*const DLTensor> {
        self.raw.iter().map(|t| t as *const DLTensor).collect()
    }
}

impl AsRef<Tensor> for Tensor {
    fn as_ref(&self) -> &Tensor {
        self
    }
}
