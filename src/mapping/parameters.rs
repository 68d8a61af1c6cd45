//! The buffers of a group as parameters of its kernel.

use super::emit::{Emitter, Storage};
use super::role;
use crate::kernels::{BufferParameter, Memory, Pointer, reach};
use crate::loops::{BufferId, Program};
use crate::schedule::Group;

/// Declares these buffers in order. The emitter then finds them in memory.
pub fn declare(emitter: &mut Emitter<'_>, group: &Group, buffers: &[BufferId]) -> Vec<BufferParameter> {
    let mut parameters = Vec::with_capacity(buffers.len());
    for buffer in buffers.iter().copied() {
        let data = &emitter.program.buffers[buffer];
        let (dtype, sizes, strides) = (data.dtype, data.sizes.clone(), data.strides.clone());
        emitter.storage.insert(buffer, Storage::Memory(Pointer::buffer(parameters.len())));
        parameters.push(BufferParameter { buffer, dtype, sizes, strides, role: role(group, buffer) });
    }
    parameters
}

/// The start of a buffer.
pub fn pointer(parameters: &[BufferParameter], buffer: BufferId) -> Pointer {
    let place = parameters.iter().position(|b| b.buffer == buffer);
    Pointer::buffer(place.expect("the buffer is a parameter"))
}

/// All of a buffer.
pub fn whole(program: &Program, group: &Group, parameters: &[BufferParameter], buffer: BufferId) -> Memory {
    let data = &program.buffers[buffer];
    Memory {
        pointer: pointer(parameters, buffer),
        dtype: data.dtype,
        at: None,
        strides: Vec::new(),
        elements: reach(&program.syms, &data.sizes, &data.strides),
        written: group.writes.contains(&buffer),
    }
}
