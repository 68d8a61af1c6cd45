//! What an observer of a run can see: buffers and symbols of the loops by the plan's numbers.
//!
//! Deliberately absent: what is done with them.

use super::link::Linked;
use crate::base::{HashMap, StableSort, Status, offsets};
use crate::ir::Graph;
use crate::loops::{BufferData, BufferId, Part, Program};
use crate::runtime::{RuntimeError, View};
use crate::types::{SymArena, SymInt, SymbolId};
use std::sync::Arc;

/// The places of a linked program's buffers and symbols.
pub struct Places {
    syms: Arc<SymArena>,
    /// Every buffer: where its elements lie.
    buffers: Vec<BufferData>,
    places: HashMap<BufferId, u32>,
    symbols: HashMap<SymbolId, u32>,
    inputs: Vec<BufferId>,
    /// By name.
    constants: HashMap<String, BufferId>,
}

impl Places {
    /// `graph`: what was lowered.
    pub fn new(graph: &Graph, program: &Program, linked: &Linked) -> Places {
        Places {
            syms: Arc::clone(&program.syms),
            buffers: program.buffers.iter().map(|(_, data)| data.clone()).collect(),
            places: linked.buffers.iter().map(|(b, place)| (*b, place.0)).collect(),
            symbols: linked.symbols.clone(),
            inputs: program.inputs.clone(),
            constants: graph
                .constants
                .iter()
                .map(|c| c.name.clone())
                .zip(program.constants.iter().copied())
                .collect(),
        }
    }

    pub fn buffer(&self, buffer: BufferId) -> &BufferData {
        &self.buffers[buffer.index()]
    }
    pub fn symbol(&self, view: &View<'_>, id: SymbolId) -> Option<i64> {
        view.symbol(*self.symbols.get(&id)?)
    }
    /// The symbols whose values are known by now.
    pub fn known_symbols(&self, view: &View<'_>) -> Vec<(SymbolId, i64)> {
        self.symbols.iter().filter_map(|(id, k)| Some((*id, view.symbol(*k)?))).collect()
    }
    /// The numbers that sizes are in this run; `None` where one is not known.
    pub fn sizes(&self, view: &View<'_>, list: &[SymInt]) -> Option<Vec<i64>> {
        let value = |id: SymbolId| self.symbol(view, id);
        list.iter().map(|size| self.syms.eval(*size, &value).ok()).collect()
    }

    /// A buffer as the run has it, its elements in order; `None` where it has no place, or its sizes are not known yet.
    pub fn read(&self, view: &View<'_>, buffer: BufferId) -> Result<Option<Vec<u8>>, RuntimeError> {
        let data = self.buffer(buffer);
        let dims = data.sizes.iter().zip(&data.strides).enumerate();
        let parts: Vec<Part> =
            dims.map(|(dim, (size, stride))| Part { size: *size, stride: *stride, dim }).collect();
        self.read_as(view, buffer, &parts)
    }
    /// A buffer as the one that it stands for has its elements.
    pub fn read_as(
        &self,
        view: &View<'_>,
        buffer: BufferId,
        parts: &[Part],
    ) -> Result<Option<Vec<u8>>, RuntimeError> {
        let Some(place) = self.places.get(&buffer) else { return Ok(None) };
        let data = self.buffer(buffer);
        let mut parts = parts.to_vec();
        parts.stable_sort_by_key(|part| part.dim);
        let list = |of: fn(&Part) -> SymInt| parts.iter().map(of).collect::<Vec<SymInt>>();
        let (sizes, strides) = (list(|p| p.size), list(|p| p.stride));
        let (Some(sizes), Some(strides)) = (self.sizes(view, &sizes), self.sizes(view, &strides)) else {
            return Ok(None);
        };
        let bytes = view.read(*place)?;
        let elements = gathered(&bytes, data.dtype.size(), &sizes, &strides);
        elements.map(Some).ok_or_else(|| {
            let message = format!("buffer {buffer} of sizes {sizes:?} has {} bytes only", bytes.len());
            RuntimeError::new(Status::Internal, message)
        })
    }
    /// An input's elements, where a step may read them.
    pub fn input(&self, view: &View<'_>, k: usize) -> Result<Option<Vec<u8>>, RuntimeError> {
        self.inputs.get(k).map_or(Ok(None), |b| self.read(view, *b))
    }
    /// The same of a constant.
    pub fn constant(&self, view: &View<'_>, name: &str) -> Result<Option<Vec<u8>>, RuntimeError> {
        self.constants.get(name).map_or(Ok(None), |b| self.read(view, *b))
    }
}

/// The elements in order; `None` where there are fewer bytes than that takes.
fn gathered(bytes: &[u8], item: usize, sizes: &[i64], strides: &[i64]) -> Option<Vec<u8>> {
    let count: usize = sizes.iter().map(|n| (*n).max(0) as usize).product();
    let mut elements = Vec::with_capacity(count * item);
    for offset in offsets(sizes, strides) {
        let start = usize::try_from(offset).ok()?.checked_mul(item)?;
        elements.extend_from_slice(bytes.get(start..start + item)?);
    }
    Some(elements)
}
