//! The interpreter as a backend: the plan's kernels are closures over interpreted nodes.

use super::SessionError;
use super::link::Call;
use super::native::library_call;
use crate::base::Status;
use crate::interp::{Interpreter, RawBuffer};
use crate::loops::{NodeKind, Program};
use crate::runtime::{Code, HostKernel, KernelCall, KernelFailure};
use crate::schedule::{Group, GroupKind, Schedule};
use std::sync::Arc;

/// Calls of the groups of a schedule that fused nothing, and their code.
pub fn build(
    program: &Arc<Program>,
    schedule: &Schedule,
) -> Result<(Vec<Call>, Vec<Call>, Code), SessionError> {
    let internal = |message: String| SessionError::Option { status: Status::Internal, message };
    let interpreter = Interpreter::new(Arc::clone(program)).map_err(|e| internal(e.to_string()))?;
    let nodes = Arc::new(interpreter.into_kernels());
    let one = program.syms.constant(1);
    let mut closures: Vec<HostKernel> = Vec::new();
    let mut calls = |groups: &[Group]| -> Result<Vec<Call>, SessionError> {
        let mut list = Vec::with_capacity(groups.len());
        for group in groups {
            let GroupKind::Standalone { node } = group.kind else {
                return Err(internal("the interpreter was given a fused group".into()));
            };
            if let NodeKind::Library(routine) = &program.nodes[node].kind {
                list.push(library_call(program, routine));
                continue;
            }
            let Some(kernel) = &nodes[node] else {
                return Err(internal("a control node was given as a group".into()));
            };
            list.push(Call {
                symbol: format!("node{node}"),
                buffers: kernel.buffers(),
                symbols: kernel.symbols().to_vec(),
                tasks: one,
                grain: one,
                scratch: program.syms.constant(0),
                maps: Vec::new(),
                routine: None,
            });
            let nodes = Arc::clone(&nodes);
            closures.push(Box::new(move |call: &KernelCall<'_>| match &nodes[node] {
                Some(kernel) => run(kernel, call),
                None => unreachable!("seen above"),
            }));
        }
        Ok(list)
    };
    let (init, main) = (calls(&schedule.init)?, calls(&schedule.main)?);
    Ok((init, main, Code::Host(closures)))
}

fn run(kernel: &crate::interp::NodeKernel, call: &KernelCall<'_>) -> Result<(), KernelFailure> {
    let reads = kernel.reads().len();
    // The interpreter's own vectors would end the process where there is no memory. It holds a copy of each buffer and
    // computes with values of eight bytes, so that much is asked for first, and given back.
    let bytes = call.buffers.iter().try_fold(0usize, |all, b| all.checked_add(b.len()));
    let needed = bytes.and_then(|bytes| bytes.checked_mul(10)).ok_or(KernelFailure::NoMemory)?;
    Vec::<u8>::new().try_reserve_exact(needed).map_err(|_| KernelFailure::NoMemory)?;
    let mut memory: Vec<Vec<u8>> =
        call.buffers.iter().map(|b| b.iter().map(std::cell::Cell::get).collect()).collect();
    let (read, write) = memory.split_at_mut(reads);
    let mut buffers: Vec<RawBuffer<'_>> = read.iter().map(|b| RawBuffer::Read(b)).collect();
    buffers.extend(write.iter_mut().map(|b| RawBuffer::Write(b)));
    match kernel.run(&mut buffers, call.scalars) {
        0 => {}
        n if n > 0 => return Err(KernelFailure::Assertion(n as u32 - 1)),
        n => panic!("an interpreted node failed with {n}"),
    }
    for (cells, bytes) in call.buffers[reads..].iter().zip(&memory[reads..]) {
        cells.iter().zip(bytes).for_each(|(c, b)| c.set(*b));
    }
    Ok(())
}
