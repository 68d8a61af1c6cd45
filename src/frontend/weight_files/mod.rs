//! Files of named tensors, as sources of weights: safetensors, their index of several files, and GGUF.
//!
//! Invariants:
//! - files are mapped, and elements stay in the mapping where they lie aligned;
//! - every tensor lies within its file;
//! - tensors of GGUF's blocks stay packed: the graph gets the blocks as a constant of bytes, and nodes that unpack them.
//!
//! Deliberately absent: pickles, files in memory, writing (the runtime writes safetensors), GGUF of big-endian machines.

mod blocks;
mod gguf;
mod safetensors;

use super::error::{FrontendError, Result};
use super::mapped::{Shared, is_aligned, map};
use crate::base::{HashMap, Status, memory, shortened};
use crate::ir::{Arg, ConstantData, ConstantKind, Graph, Value};
use crate::meta::Builder;
use crate::types::{Dtype, SymInt, TensorMeta};
use serde_json::{Map, Value as Json};
use std::path::Path;
use std::sync::Arc;

use blocks::Blocks;

/// Named tensors of one file, or of several that an index lists.
#[derive(Clone, Default)]
pub struct WeightFile {
    tensors: HashMap<String, Tensor>,
    /// The file's own keys and values.
    pub metadata: Map<String, Json>,
}

/// A tensor of a file.
#[derive(Clone)]
pub struct Tensor {
    pub format: Format,
    /// As PyTorch counts: the last dimension is the one whose elements lie together.
    pub shape: Vec<i64>,
    owner: Shared,
    start: usize,
    end: usize,
}

/// How elements lie in a file.
#[derive(Clone, Copy)]
pub enum Format {
    Plain(Dtype),
    Blocks(&'static Blocks),
    /// A format that the file names, or numbers, and that is refused where it is used.
    Unknown(&'static str, u32),
}

impl Format {
    /// PyTorch's name of a dtype, or the file's name of a format.
    pub fn name(&self) -> String {
        match self {
            Format::Plain(dtype) => dtype.name().to_string(),
            Format::Blocks(blocks) => blocks.name.to_string(),
            Format::Unknown("", number) => format!("type {number}"),
            Format::Unknown(name, _) => name.to_string(),
        }
    }
    /// What a graph computes with.
    pub fn dtype(&self) -> Option<Dtype> {
        match self {
            Format::Plain(dtype) => Some(*dtype),
            Format::Blocks(_) => Some(Dtype::Float32),
            Format::Unknown(..) => None,
        }
    }
    /// The bytes of so many elements in rows of so many; `None` where they are no whole blocks, or too many.
    fn bytes(&self, shape: &[i64]) -> Option<usize> {
        let (elements, bytes) = match self {
            Format::Plain(dtype) => (1, dtype.size()),
            Format::Blocks(blocks) => (blocks.elements, blocks.bytes),
            Format::Unknown(..) => return None,
        };
        let row = *shape.last().unwrap_or(&1);
        let count = shape.iter().try_fold(1i64, |n, size| n.checked_mul(*size))?;
        if row % elements as i64 != 0 {
            return None;
        }
        usize::try_from(count / elements as i64).ok()?.checked_mul(bytes)
    }
}

impl WeightFile {
    /// Opens a file by what it begins with; an index of safetensors by its name, `….json`. The files must not be written to while
    /// the result, or a graph that has weights of it, lives.
    pub fn open(path: &Path) -> Result<WeightFile> {
        let read = || {
            let bytes = map(path)?;
            let content = (*bytes).as_ref();
            if content.starts_with(gguf::MAGIC) {
                return gguf::read(&bytes);
            }
            if path.extension().is_some_and(|e| e == "json") {
                return safetensors::read_index(content, path);
            }
            safetensors::read(&bytes)
        };
        read().map_err(|e| e.in_file(&path.display().to_string()))
    }

    pub fn len(&self) -> usize {
        self.tensors.len()
    }
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }
    pub fn at(&self, k: usize) -> Option<(&str, &Tensor)> {
        self.tensors.get_index(k).map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Gives a tensor another name, too.
    pub fn alias(&mut self, tensor: &str, name: &str) -> Result<()> {
        let found = self.tensor(tensor)?.clone();
        if name.is_empty() || self.tensors.contains_key(name) {
            let what = if name.is_empty() { "an empty name" } else { "a name that another tensor has" };
            let message = format!("`{}` is {what}", shortened(name));
            return Err(FrontendError::new(Status::InvalidArgument, message));
        }
        self.tensors.insert(name.to_string(), found);
        Ok(())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Tensor> {
        self.tensors.get(name)
    }

    fn tensor(&self, name: &str) -> Result<&Tensor> {
        self.get(name).ok_or_else(|| {
            let message = format!("the weights have no tensor `{}`", shortened(name));
            FrontendError::new(Status::InvalidArgument, message)
        })
    }

    /// Adds a tensor to a graph as a constant of that name; gives its elements, of the dtype that [`Format::dtype`] tells.
    pub fn add_to(&self, graph: &mut Graph, tensor: &str, name: &str, kind: ConstantKind) -> Result<Value> {
        let found = self.tensor(tensor)?;
        found.add_to(graph, name, kind).map_err(|e| e.about("tensor", tensor))
    }
}

impl Tensor {
    /// How many bytes it takes in the file.
    pub fn bytes(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn same_bytes(&self, other: &Tensor) -> bool {
        Arc::ptr_eq(&self.owner, &other.owner) && (self.start, self.end) == (other.start, other.end)
    }

    pub(super) fn add_to(&self, graph: &mut Graph, name: &str, kind: ConstantKind) -> Result<Value> {
        let syms = Arc::clone(&graph.syms);
        let sizes = |shape: &[i64]| -> Vec<SymInt> { shape.iter().map(|n| syms.constant(*n)).collect() };
        match self.format {
            Format::Unknown(..) => Err(FrontendError::unsupported(format!(
                "its elements are {}, which Litz does not read",
                self.format.name()
            ))),
            Format::Plain(dtype) => {
                let meta = TensorMeta::contiguous(&syms, dtype, sizes(&self.shape));
                Ok(graph.add_constant(name, kind, meta, Arc::new(self.data())))
            }
            Format::Blocks(blocks) => {
                let mut packed = self.shape.clone();
                let row = packed.pop().unwrap_or(0);
                packed.extend([row / blocks.elements as i64, blocks.bytes as i64]);
                let meta = TensorMeta::contiguous(&syms, Dtype::Uint8, sizes(&packed));
                let value = graph.add_constant(name, kind, meta, Arc::new(self.data()));
                let elements = blocks.unpacked(graph, value)?;
                let args = vec![Arg::Value(elements), Arg::Ints(sizes(&self.shape))];
                Ok(Builder::new(graph).op("aten.view.default", args)?)
            }
        }
    }

    fn data(&self) -> ConstantData {
        let bytes = &(*self.owner).as_ref()[self.start..self.end];
        if is_aligned(bytes) {
            return ConstantData::Shared { owner: self.owner.clone(), range: self.start..self.end };
        }
        memory::expect(bytes.len());
        ConstantData::Owned(bytes.to_vec())
    }
}

/// Adds a tensor of a file after its place and sizes were checked.
fn insert(
    file: &mut WeightFile,
    name: &str,
    (format, shape): (Format, Vec<i64>),
    owner: &Shared,
    range: (usize, Option<usize>),
) -> Result<()> {
    let wrong = |what: String| Err(FrontendError::parse(what).about("tensor", name));
    let length = (**owner).as_ref().len();
    let (start, end) = match (format.bytes(&shape), range) {
        _ if shape.len() > 64 => return wrong(format!("it has {} dimensions", shape.len())),
        _ if shape.iter().any(|n| *n < 0) => return wrong(format!("its sizes are {shape:?}")),
        (None, (start, end)) => match format {
            // How long it is, only its format would tell.
            Format::Unknown(..) => (start, end.unwrap_or(start)),
            _ => return wrong(format!("sizes {shape:?} of {} are no whole blocks", format.name())),
        },
        (Some(bytes), (start, end)) => {
            let own = start.saturating_add(bytes);
            if end.is_some_and(|end| end != own) {
                let given = end.unwrap_or(start).saturating_sub(start);
                return wrong(format!("it has {given} bytes, and its sizes {shape:?} ask for {bytes}"));
            }
            (start, own)
        }
    };
    if start > end || end > length {
        return wrong(format!("bytes {start} to {end} are asked of a file that has {length}"));
    }
    let tensor = Tensor { format, shape, owner: owner.clone(), start, end };
    if file.tensors.insert(name.to_string(), tensor).is_some() {
        return wrong("the file names it twice".to_string());
    }
    Ok(())
}
