//! Tensors between pages that cannot be touched: an access beyond their pages ends the process, and a write beside
//! them on their pages is seen afterwards.

use litz::runtime::{RunOptions, RuntimeError, Tensor};
use litz::session::Executable;
use litz::types::Dtype;
use litz::types::dlpack::{DLDataType, DLDevice, DLTensor};

/// What lies untouchable on either side.
const GUARD: usize = 1 << 20;
const PAGE: usize = 4096;

/// A tensor as plain data: its storage from the first to the last element, and how it is seen.
#[derive(Clone, Debug)]
pub struct Operand {
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    pub bytes: Vec<u8>,
}

/// Row-major strides.
pub fn dense(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k].max(1);
    }
    strides
}

/// How many elements a storage has whose strides are not negative.
pub fn extent(shape: &[i64], strides: &[i64]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().zip(strides).map(|(n, s)| (n - 1) * s).sum::<i64>() as usize + 1
}

/// The place of every element in its storage, in row-major order.
pub fn places(shape: &[i64], strides: &[i64]) -> Vec<usize> {
    if shape.contains(&0) {
        return Vec::new();
    }
    let mut places = vec![0i64];
    for (size, stride) in shape.iter().zip(strides) {
        places = places.iter().flat_map(|p| (0..*size).map(move |k| p + k * stride)).collect();
    }
    places.into_iter().map(|p| p as usize).collect()
}

/// Where a tensor lies on its pages, and what is around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    AtEnd,
    AtBeginning,
}

impl Place {
    fn filling(self) -> u8 {
        match self {
            Place::AtEnd => 0xa5,
            Place::AtBeginning => 0x5a,
        }
    }
}

/// An operand in memory of its own between guards.
pub struct Guarded {
    operand: Operand,
    map: *mut u8,
    room: usize,
    at: usize,
    place: Place,
}

impl Guarded {
    pub fn new(operand: &Operand, place: Place) -> Guarded {
        let size = operand.bytes.len();
        let room = size.max(1).next_multiple_of(PAGE);
        // SAFETY: a new mapping, of which the middle is made accessible; both calls are checked.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let map = libc::mmap(std::ptr::null_mut(), room + 2 * GUARD, libc::PROT_NONE, flags, -1, 0);
            assert!(map != libc::MAP_FAILED, "no memory for a tensor of {size} bytes");
            let map = map.cast::<u8>();
            let access = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(map.add(GUARD).cast(), room, access), 0, "guards can be set");
            std::ptr::write_bytes(map.add(GUARD), place.filling(), room);
            map
        };
        let at = if place == Place::AtEnd { room - size } else { 0 };
        let guarded = Guarded { operand: operand.clone(), map, room, at, place };
        // SAFETY: `at + size <= room`.
        unsafe { std::ptr::copy_nonoverlapping(operand.bytes.as_ptr(), guarded.data(), size) };
        guarded
    }
    fn data(&self) -> *mut u8 {
        // SAFETY: inside of the mapping.
        unsafe { self.map.add(GUARD + self.at) }
    }
    pub fn dl(&mut self) -> DLTensor {
        DLTensor {
            data: self.data().cast(),
            device: DLDevice::CPU,
            ndim: self.operand.shape.len() as i32,
            dtype: DLDataType::from(self.operand.dtype),
            shape: self.operand.shape.as_mut_ptr(),
            strides: self.operand.strides.as_mut_ptr(),
            byte_offset: 0,
        }
    }
    /// The operand as it is in memory now.
    pub fn now(&self) -> Operand {
        // SAFETY: that many bytes were made accessible there.
        let bytes = unsafe { std::slice::from_raw_parts(self.data(), self.operand.bytes.len()) };
        Operand { bytes: bytes.to_vec(), ..self.operand.clone() }
    }
    /// Whether something beside the tensor was written.
    pub fn written_beside(&self) -> bool {
        // SAFETY: the pages between the guards.
        let all = unsafe { std::slice::from_raw_parts(self.map.add(GUARD), self.room) };
        let (before, rest) = all.split_at(self.at);
        let beside = before.iter().chain(&rest[self.operand.bytes.len()..]);
        beside.into_iter().any(|b| *b != self.place.filling())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's.
        unsafe { libc::munmap(self.map.cast(), self.room + 2 * GUARD) };
    }
}

/// What a run gave and left behind.
pub struct Ran {
    pub outputs: Vec<Operand>,
    pub inputs: Vec<Operand>,
}

/// Why there is no [`Ran`].
pub enum Fault {
    /// The library said so.
    Told(RuntimeError),
    /// Memory was touched that is nobody's business.
    Touched(String),
}

impl From<RuntimeError> for Fault {
    fn from(error: RuntimeError) -> Fault {
        Fault::Told(error)
    }
}

fn owned(tensor: &Tensor) -> Operand {
    Operand {
        dtype: tensor.dtype(),
        shape: tensor.shape().to_vec(),
        strides: tensor.strides().to_vec(),
        bytes: tensor.bytes().to_vec(),
    }
}

/// Runs a program once on operands between guards, with outputs of the library's or between guards.
pub fn run(
    program: &Executable,
    inputs: &[Operand],
    outputs: Option<&[Operand]>,
    place: Place,
) -> Result<Ran, Fault> {
    let mut inputs: Vec<Guarded> = inputs.iter().map(|o| Guarded::new(o, place)).collect();
    let tensors: Vec<DLTensor> = inputs.iter_mut().map(Guarded::dl).collect();
    let pointers: Vec<*const DLTensor> = tensors.iter().map(std::ptr::from_ref).collect();
    // Random numbers are the same in every run.
    let own = RunOptions::own();
    let given = match outputs {
        None => {
            // SAFETY: the tensors are as they say, and live through the run.
            let given = unsafe { program.run(&pointers, Some(&own)) };
            given.map(|given| given.iter().map(owned).collect())
        }
        Some(outputs) => {
            let mut outputs: Vec<Guarded> = outputs.iter().map(|o| Guarded::new(o, place)).collect();
            let into: Vec<DLTensor> = outputs.iter_mut().map(Guarded::dl).collect();
            let into: Vec<*const DLTensor> = into.iter().map(std::ptr::from_ref).collect();
            // SAFETY: as above, for both lists.
            let status = unsafe { program.run_into(&pointers, &into, Some(&own)) };
            if let Some(k) = outputs.iter().position(Guarded::written_beside) {
                return Err(Fault::Touched(format!("wrote beside output {k}")));
            }
            status.map(|()| outputs.iter().map(Guarded::now).collect())
        }
    };
    if let Some(k) = inputs.iter().position(Guarded::written_beside) {
        return Err(Fault::Touched(format!("wrote beside input {k}")));
    }
    Ok(Ran { outputs: given?, inputs: inputs.iter().map(Guarded::now).collect() })
}
