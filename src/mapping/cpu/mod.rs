//! Kernels for a CPU: how loops are dealt out to tasks and lanes ([`dealing`]), and the bodies that follow.

mod block;
mod dealing;
pub mod loops;
pub mod scan;
pub mod scatter;

use crate::kernels::{BufferParameter, Kernel, Launch, Pointer, Role};
use crate::mapping::emit::{Emitter, Finished, Storage};
use crate::schedule::Group;

/// Lines along an axis that are worth a thread.
const LINES: i64 = 16;

/// The buffer parameters of a group's kernel, whose elements the emitter then finds there.
pub fn declare_buffers(emitter: &mut Emitter<'_>, group: &Group) -> Vec<BufferParameter> {
    let mut parameters = Vec::with_capacity(group.reads.len() + group.writes.len());
    for buffer in group.reads.iter().chain(&group.writes).copied() {
        let data = &emitter.program.buffers[buffer];
        let role = if group.writes.contains(&buffer) { Role::Result } else { Role::Input };
        emitter.storage.insert(buffer, Storage::Memory(Pointer::buffer(parameters.len())));
        parameters.push(BufferParameter {
            buffer,
            dtype: data.dtype,
            sizes: data.sizes.clone(),
            strides: data.strides.clone(),
            role,
        });
    }
    emitter.written.extend(group.writes.iter().copied());
    parameters
}

/// The finished kernel of an emitter's body.
fn finish(emitter: Emitter<'_>, buffers: Vec<BufferParameter>, launch: Launch, lanes: i64) -> Kernel {
    let Finished { body, symbols, .. } = emitter.finish();
    Kernel { buffers, symbols, launch, lanes, body }
}
