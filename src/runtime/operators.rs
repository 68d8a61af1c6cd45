//! Operators of a host's, called by steps of a program.
//!
//! Invariants: a program has a function for every call among its steps before it is created, and keeps what the functions use;
//! a call whose words are no call ends the run with an error.
//!
//! Deliberately absent: C types, which whoever registers functions knows.

use super::RuntimeError;
use super::error::report;
use super::ffi;
use crate::base::{HashMap, Status};
use crate::ir::HostOperators;
use crate::ir::host::HostFunction;
use crate::plan::host::{HostCall, Invocation, parse};
use crate::plan::{Attributes, Plan, Step};
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The functions of a program, by their operators' names.
pub(super) struct HostCalls(HashMap<String, HostFunction>);

impl HostCalls {
    /// `None`: the program calls none.
    pub(super) fn of(
        plan: &Plan,
        operators: &HostOperators,
        on_gpu: bool,
    ) -> Result<Option<Box<HostCalls>>, RuntimeError> {
        let mut functions = HashMap::default();
        for name in names(plan) {
            let machine = if on_gpu { "cuda" } else { "cpu" };
            let refuse = |what: &str| {
                let message = format!("the program calls the host's operator `{name}`, {what}");
                RuntimeError::new(Status::Unsupported, message)
            };
            let operator = operators.find(&name).ok_or_else(|| {
                refuse("which is not registered: set a registry that has it on the options")
            })?;
            let given = &operator.functions;
            let function = if on_gpu { &given.cuda } else { &given.cpu };
            let function = function
                .clone()
                .ok_or_else(|| refuse(&format!("which was registered without `run_{machine}`")))?;
            // The closure holds what the function uses.
            functions.insert(name, function);
        }
        Ok((!functions.is_empty()).then(|| Box::new(HostCalls(functions))))
    }
}

/// The operators of a host's that a plan calls, each once and in order.
pub fn names(plan: &Plan) -> Vec<String> {
    let mut names = Vec::new();
    for step in plan.init.iter().chain(&plan.main) {
        if let Step::Extern { attributes: Attributes::Host(call), .. } = step
            && let Some(name) = call.name()
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// Calls a function on memory of the caller's, for whoever runs nodes without a plan.
pub fn call_host(
    function: &HostFunction,
    call: &HostCall<i64>,
    operands: &mut [Vec<u8>],
) -> Result<(), RuntimeError> {
    let damaged =
        || RuntimeError::new(Status::Internal, "a call of a host's operator does not fit its operands");
    let (reads, writes) = call.operand_counts();
    if operands.len() != reads + writes {
        return Err(damaged());
    }
    // Elements of any dtype are aligned in these.
    let mut words: Vec<Vec<u64>> = operands.iter().map(|bytes| super::library::words_of(bytes)).collect();
    let memory: Vec<*mut c_void> = words.iter_mut().map(|w| w.as_mut_ptr().cast()).collect();
    let parsed = parse(&call.words, &call.values, memory.len()).ok_or_else(damaged)?;
    let (operands_at, stream) = (&memory[..], std::ptr::null_mut());
    function(&Invocation { call: parsed, operands: operands_at, device: (1, 0), stream })
        .map_err(|error| RuntimeError::new(error.status, error.message))?;
    for (bytes, words) in operands.iter_mut().zip(&words).skip(reads) {
        let length = bytes.len();
        *bytes = words.iter().flat_map(|word| word.to_ne_bytes()).take(length).collect();
    }
    Ok(())
}

/// What the executor calls; its context is the program's [`HostCalls`].
pub(super) unsafe extern "C" fn call(
    context: *mut c_void,
    call: *const ffi::HostCall,
    error: *mut c_char,
    error_size: usize,
) -> i32 {
    // SAFETY: the executor hands back the context that it was given, and lists as long as it says.
    let (calls, call, words, values, operands) = unsafe {
        let (calls, call) = (&*context.cast::<HostCalls>(), &*call);
        (
            calls,
            call,
            slice(call.words, call.n_words),
            slice(call.values, call.n_values),
            slice(call.operands, call.n_operands),
        )
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let damaged = || RuntimeError::new(Status::Parse, "the plan is damaged: a call of a host's operator");
        let name =
            HostCall::<i64> { words: words.to_vec(), values: Vec::new() }.name().ok_or_else(damaged)?;
        let function = calls.0.get(&name).ok_or_else(damaged)?;
        let (device, stream) = ((call.device_type, call.device_index), call.stream);
        let parsed = parse(words, values, operands.len()).ok_or_else(damaged)?;
        let invocation = Invocation { call: parsed, operands, device, stream };
        function(&invocation)
            .map_err(|error| RuntimeError::new(error.status, format!("{name}: {}", error.message)))
    }));
    let outcome = outcome.unwrap_or_else(|_| {
        Err(RuntimeError::new(Status::Internal, "a mistake inside Litz, in the call of a host's operator"))
    });
    // SAFETY: the executor gives room for as many bytes.
    unsafe { report(outcome, error, error_size) }
}

/// # Safety
/// `pointer` points at `n` items, or `n` is 0.
unsafe fn slice<'a, T>(pointer: *const T, n: u32) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    // SAFETY: as the caller vouches.
    unsafe { std::slice::from_raw_parts(pointer, n as usize) }
}
