//! What is known of a tensor before it exists.

use super::{Dtype, SymArena, SymInt};

/// A kind of device, numbered as DLPack does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum DeviceKind {
    Cpu = 1,
    Cuda = 2,
}

/// One device. Graphs are retargeted to the backend's device, so a graph's own devices only matter to
/// operators that ask for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    pub kind: DeviceKind,
    pub index: i32,
}

/// What PyTorch calls devices: a graph that names one of them was made there.
const DEVICE_WORDS: [&str; 12] =
    ["cpu", "cuda", "meta", "mps", "xpu", "hip", "xla", "hpu", "mtia", "mkldnn", "vulkan", "privateuseone"];

impl Device {
    /// A device as PyTorch writes it: `cuda`, or `cuda:1`.
    pub fn from_text(text: &str) -> Option<Device> {
        let (word, index) = match text.split_once(':') {
            Some((word, index)) => (word, index.parse::<u16>().ok()?),
            None => (text, 0),
        };
        let kind = if word == "cuda" { DeviceKind::Cuda } else { DeviceKind::Cpu };
        DEVICE_WORDS.contains(&word).then_some(Device { kind, index: i32::from(index) })
    }
}

/// PyTorch's layouts; only `Strided` is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Layout {
    Strided = 7,
}

/// PyTorch's memory formats, numbered as the export schema does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum MemoryFormat {
    Contiguous = 1,
    ChannelsLast = 2,
    ChannelsLast3d = 3,
    Preserve = 4,
}

impl MemoryFormat {
    pub fn from_number(number: i64) -> Option<MemoryFormat> {
        use MemoryFormat::*;
        [Contiguous, ChannelsLast, ChannelsLast3d, Preserve].into_iter().find(|m| *m as i64 == number)
    }
    /// As the text form writes it.
    pub fn name(self) -> &'static str {
        match self {
            MemoryFormat::Contiguous => "contiguous",
            MemoryFormat::ChannelsLast => "channels_last",
            MemoryFormat::ChannelsLast3d => "channels_last_3d",
            MemoryFormat::Preserve => "preserve",
        }
    }
}

/// Dtype, shape and PyTorch's strides of a tensor, all symbolic. `strides` and `offset` (in elements) are what
/// PyTorch would give the value; only operators that look at storage (`as_strided`, `view`) depend on them:
/// the compiler chooses its own layouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMeta {
    pub dtype: Dtype,
    pub shape: Vec<SymInt>,
    pub strides: Vec<SymInt>,
    pub offset: SymInt,
}

impl TensorMeta {
    /// A contiguous tensor.
    pub fn contiguous(syms: &SymArena, dtype: Dtype, shape: Vec<SymInt>) -> TensorMeta {
        let strides = contiguous_strides(syms, &shape);
        TensorMeta { dtype, shape, strides, offset: syms.constant(0) }
    }
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
    /// The same memory as a tensor that kernels know: a complex one has a last dimension of its two parts, and float8 numbers are bytes.
    pub fn in_parts(&self, syms: &SymArena) -> TensorMeta {
        if !self.dtype.is_complex() {
            return TensorMeta { dtype: self.dtype.stored(), ..self.clone() };
        }
        let double = |s: &SymInt| syms.mul_const(*s, 2);
        TensorMeta {
            dtype: self.dtype.part(),
            shape: self.shape.iter().copied().chain([syms.constant(2)]).collect(),
            strides: self.strides.iter().map(double).chain([syms.constant(1)]).collect(),
            offset: double(&self.offset),
        }
    }
    /// The number of elements.
    pub fn numel(&self, syms: &SymArena) -> SymInt {
        syms.product(&self.shape)
    }
    /// True when `strides` are exactly those of a contiguous tensor of this shape, dimensions of size 1 aside.
    pub fn is_contiguous(&self, syms: &SymArena) -> bool {
        let want = contiguous_strides(syms, &self.shape);
        (0..self.rank()).all(|k| self.strides[k] == want[k] || syms.as_const(self.shape[k]) == Some(1))
    }
}

/// Row-major strides in elements, sizes of 0 counted as 1, as PyTorch does.
pub fn contiguous_strides(syms: &SymArena, shape: &[SymInt]) -> Vec<SymInt> {
    let one = syms.constant(1);
    let mut strides = vec![one; shape.len()];
    for k in (0..shape.len().saturating_sub(1)).rev() {
        strides[k] = syms.mul(strides[k + 1], syms.max(shape[k + 1], one));
    }
    strides
}
