//! Operators of a host's own: what `litz_registry_add_operator` takes, and how its functions are called.
//!
//! Invariants: what a function is lent is the library's again when it returns; a function's failure is an error of the call or run
//! that it was made for, never one inside Litz.

use super::callback::{lend, outcome};
use super::edit::Lent;
use super::error::litz_error;
use super::graph::litz_graph;
use super::guard::{self, Opaque, Outcome, invalid, wall};
use super::nodes::{Arguments, zero_argument};
use super::registry::{Owned, host_error, litz_registry};
use super::tensor::read_spec;
use super::types::*;
use crate::base::Status;
use crate::ir::host::{HostError, HostFunction, HostFunctions, HostSource};
use crate::ir::{Arg, Graph, HostOperator, Value};
use crate::plan::host::{HostKind, Invocation, ParsedArgument, ParsedTensor};
use crate::types::dlpack::{DLDataType, DLDevice, DLTensor};
use crate::types::{Dtype, TensorMeta};
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

/// The results of an operator whose types are being told.
pub struct litz_meta {
    _opaque: [u8; 0],
}

pub struct Outputs {
    graph: *mut litz_graph,
    given: Vec<Option<TensorMeta>>,
    /// The result is a list; `given` grows with each result that the host tells.
    list: bool,
}

/// Results of a list, at most.
const MOST_RESULTS: usize = 1 << 16;

impl Opaque for litz_meta {
    type State = Outputs;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzMet\x01");
    const NAME: &'static str = "litz_meta";
}

/// Tells the type of the `k`-th result, counted among those that no argument is. `spec` is read as that of `litz_graph_input`, but
/// strides are not: results are contiguous. Only for use within a `meta` function, once for each result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_meta_output(
    outs: *mut litz_meta,
    k: usize,
    spec: *const litz_tensor_spec,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for the `outs` that a `meta` function was given, which nothing else uses then, and a live spec.
        unsafe {
            let outs = guard::get_mut(outs, "outs")?;
            let state = guard::get(outs.graph, "g")?;
            let meta = read_spec(state, spec).map_err(|f| f.within(&format!("result {k}")))?;
            if outs.list && k >= outs.given.len() && k < MOST_RESULTS {
                outs.given.resize(k + 1, None);
            }
            let count = outs.given.len();
            match outs.given.get_mut(k) {
                Some(place @ None) => *place = Some(meta),
                Some(Some(_)) => return Err(invalid(format!("the type of result {k} is told already"))),
                None => return Err(invalid(format!("there is no result {k}; there are {count}"))),
            }
        }
        Ok(())
    })
}

/// Adds an operator by its schema as PyTorch writes it, `mylib::scale(Tensor x, float by=2.0) -> Tensor`: graphs made with options
/// that have the registry may call it ("mylib.scale", "mylib.scale.default"), and exported programs that call it are read.
/// `Tensor(a!)` marks what it writes; a result of the same mark is that argument. Results are tensors, or one list of them (`-> Tensor[]`), as long as
/// `meta` says. `op` is copied. A schema that is not understood, and a name that the registry has, are `LITZ_ERROR_INVALID_ARGUMENT`. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_add_operator(
    r: *mut litz_registry,
    schema: *const c_char,
    op: *const litz_operator,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let (registry, schema) = (guard::get(r, "r")?, guard::text(schema, "schema")?);
            let given = guard::item(op, "op")?;
            guard::struct_size(&raw const given.struct_size, size_of::<litz_operator>(), "op")?;
            if given.reserved != [0; 7] {
                return Err(invalid("`op->reserved` must be zero: zero the struct before filling it"));
            }
            if given.flags & !(LITZ_OPERATOR_EFFECT | LITZ_OPERATOR_DETERMINISTIC) != 0 {
                return Err(invalid(format!("`op->flags` is {:#x}: not all of it is known", given.flags)));
            }
            let expression = match given.pointwise_source.is_null() {
                true => None,
                false => Some(guard::text(given.pointwise_source, "op->pointwise_source")?.to_string()),
            };
            let owned = Arc::new(Owned::new(given.context, given.release));
            let functions = HostFunctions {
                meta: given.meta.map(|f| meta_of(f, &owned)),
                derivative: given.derivative.map(|f| derivative_of(f, &owned)),
                cpu: given.run_cpu.map(|f| function_of(f, &owned)),
                cuda: given.run_cuda.map(|f| function_of(f, &owned)),
                expression,
                effect: given.flags & LITZ_OPERATOR_EFFECT != 0,
                deterministic: given.flags & LITZ_OPERATOR_DETERMINISTIC != 0,
            };
            registry.add_operator(schema, functions)?;
            owned.own();
        }
        Ok(())
    })
}

/// Adds source text to an operator of the registry ("mylib.scale"), for `backend` "cpu" (C++; what of C is C++, too) or "cuda" (CUDA
/// C++, whose function is `__device__`). It is compiled with the kernels of programs that call the operator, and is part of their
/// artifacts, which then need no registry; functions of the operator are not called. `function` in it returns nothing and takes
/// the arguments by the schema, each tensor as a `litz_tensor`, an int or dtype as `int64_t`, a bool as `bool`, a float as `double`;
/// then each result as a `litz_tensor` to fill; then `int64_t task` and `int64_t tasks`: it is called for each task from 0 to
/// below `tasks`, by any thread, and does its share (`for (i = task; i < n; i += tasks)`). `litz_tensor` is declared for it:
/// `void *data` (contiguous), `int64_t count` of elements, `int dtype`, `int ndim`, `int64_t sizes[8]`; a tensor that is not
/// given has `data` NULL. Operators that write to arguments, or take lists or strings, take no source. Each backend's is added
/// once. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_add_operator_source(
    r: *mut litz_registry,
    op: *const c_char,
    backend: *const c_char,
    source: *const c_char,
    function: *const c_char,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let (registry, op) = (guard::get(r, "r")?, guard::text(op, "op")?);
            let backend = guard::text(backend, "backend")?;
            let text = guard::text(source, "source")?.to_string();
            let function = guard::text(function, "function")?.to_string();
            Ok(registry.add_source(op, backend, HostSource { text, function })?)
        }
    })
}

type Meta = unsafe extern "C" fn(
    *mut c_void,
    *mut litz_graph,
    *const litz_arg,
    usize,
    *mut litz_meta,
    *mut *mut litz_error,
) -> litz_status;

fn meta_of(function: Meta, owned: &Arc<Owned>) -> crate::ir::host::MetaFunction {
    let owned = Arc::clone(owned);
    Box::new(move |graph: &Graph, operator: &HostOperator, args: &[Arg]| {
        // The function sees the tensors alone, as inputs of a graph of their own.
        let (mut own, mut args) = (graph.new_subgraph(operator.name), args.to_vec());
        let mut count = 0;
        for arg in &mut args {
            arg.map_values(&mut |value| {
                count += 1;
                own.add_input(&format!("tensor{}", count - 1), graph.meta(value).clone())
            });
        }
        let call = |g: *mut litz_graph| {
            // SAFETY: `lend` made the handle, which nothing else uses now.
            let state = unsafe { guard::get_mut(g, "g") }?;
            let arguments = Arguments::of(state, &operator.schema, &args);
            let count = operator.new_results();
            let given = vec![None; count.unwrap_or(0)];
            let outs = Outputs { graph: g, given, list: count.is_none() };
            let outs = guard::lend::<litz_meta>(outs);
            let (mut error, list) = (std::ptr::null_mut(), &arguments.list);
            // SAFETY: the header asks that callback and context stay valid and that it does not unwind; the loan ends with it.
            let outs = unsafe {
                let status = function(owned.pointer(), g, list.as_ptr(), list.len(), outs, &mut error);
                let (outs, _) = guard::take_back(outs);
                outcome("its meta function", status, error)?;
                outs
            };
            let told = |(k, meta): (usize, Option<TensorMeta>)| {
                meta.ok_or_else(|| invalid(format!("its meta function did not tell the type of result {k}")))
            };
            outs.given.into_iter().enumerate().map(told).collect::<Outcome<Vec<TensorMeta>>>()
        };
        let lent = lend(&mut own, Lent::ToRule, "its meta function", call).map_err(host_error);
        lent.map(|(metas, _)| metas)
    })
}

type Derivative = unsafe extern "C" fn(
    *mut c_void,
    *mut litz_graph,
    *const litz_arg,
    usize,
    *const litz_value,
    usize,
    *mut litz_value,
    *mut *mut litz_error,
) -> litz_status;

fn derivative_of(function: Derivative, owned: &Arc<Owned>) -> crate::ir::host::DerivativeFunction {
    let owned = Arc::clone(owned);
    Box::new(move |graph: &mut Graph, operator: &HostOperator, args: &[Arg], cotangents: &[Option<Value>]| {
        let count = args.iter().flat_map(Arg::values).count();
        let call = |g: *mut litz_graph| {
            // SAFETY: `lend` made the handle, which nothing else uses now.
            let state = unsafe { guard::get_mut(g, "g") }?;
            let arguments = Arguments::of(state, &operator.schema, args);
            let given: Vec<litz_value> =
                cotangents.iter().map(|c| c.map_or(0, |c| state.give_tensor(c))).collect();
            let mut grads: Vec<litz_value> = vec![0; count];
            let (mut error, list) = (std::ptr::null_mut(), &arguments.list);
            // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
            unsafe {
                let (args, n_args) = (list.as_ptr(), list.len());
                let (given, n_outs) = (given.as_ptr(), given.len());
                let grads = grads.as_mut_ptr();
                let status = function(owned.pointer(), g, args, n_args, given, n_outs, grads, &mut error);
                outcome("its derivative function", status, error)?;
            }
            // SAFETY: as above.
            let state = unsafe { guard::get(g, "g") }?;
            let of = |(k, grad): (usize, &litz_value)| match grad {
                0 => Ok(None),
                grad => state.tensor(*grad).map(Some).map_err(|f| f.within(&format!("grads[{k}]"))),
            };
            grads.iter().enumerate().map(of).collect::<Outcome<Vec<Option<Value>>>>()
        };
        let lent = lend(graph, Lent::ToRule, "its derivative function", call).map_err(host_error);
        lent.map(|(grads, _)| grads)
    })
}

type Run = unsafe extern "C" fn(
    *mut c_void,
    *const litz_arg,
    usize,
    *const *const DLTensor,
    usize,
    *const *const DLTensor,
    usize,
    *mut c_void,
    *mut *mut litz_error,
) -> litz_status;

fn function_of(function: Run, owned: &Arc<Owned>) -> HostFunction {
    let owned = Arc::clone(owned);
    Arc::new(move |invocation: &Invocation<'_>| {
        let (arguments, _texts, _lists) = arguments_of(&invocation.call.arguments);
        let of = |t: &ParsedTensor<'_, i64>| tensor_of(t, invocation);
        let tensors = invocation.call.tensors.iter().map(of).collect::<Result<Vec<_>, HostError>>()?;
        let outs = invocation.call.results.iter().map(of).collect::<Result<Vec<_>, HostError>>()?;
        let pointers = |list: &[DLTensor]| list.iter().map(std::ptr::from_ref).collect::<Vec<_>>();
        let (tensors_at, outs_at) = (pointers(&tensors), pointers(&outs));
        let mut error = std::ptr::null_mut();
        // SAFETY: the header asks that callback and context stay valid and that it does not unwind; the lists outlive the call.
        unsafe {
            let status = function(
                owned.pointer(),
                arguments.as_ptr(),
                arguments.len(),
                tensors_at.as_ptr(),
                tensors_at.len(),
                outs_at.as_ptr(),
                outs_at.len(),
                invocation.stream,
                &mut error,
            );
            outcome("its function", status, error).map_err(host_error)
        }
    })
}

fn tensor_of(tensor: &ParsedTensor<'_, i64>, invocation: &Invocation<'_>) -> Result<DLTensor, HostError> {
    let (device_type, device_id) = invocation.device;
    let dtype = Dtype::from_number(tensor.dtype.into()).ok_or_else(|| HostError {
        status: Status::Parse,
        message: format!("{} is no dtype", tensor.dtype),
    })?;
    Ok(DLTensor {
        data: invocation.operands[tensor.operand],
        device: DLDevice { device_type, device_id },
        ndim: tensor.sizes.len() as i32,
        dtype: DLDataType::from(dtype),
        // Neither is written.
        shape: tensor.sizes.as_ptr().cast_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    })
}

/// The arguments for C, and the memory that they point to.
fn arguments_of(given: &[(String, ParsedArgument<'_, i64>)]) -> (Vec<litz_arg>, Vec<CString>, Vec<Vec<u64>>) {
    let (mut texts, mut lists) = (Vec::new(), Vec::new());
    let mut text = |s: &str| {
        let held = CString::new(s.replace('\0', "\u{fffd}")).unwrap_or_default();
        let at = held.as_ptr();
        texts.push(held);
        at
    };
    let mut arguments = Vec::with_capacity(given.len());
    for (name, value) in given {
        let mut c = zero_argument();
        c.name = text(name);
        match value {
            ParsedArgument::None => {}
            ParsedArgument::Tensor(place) => (c.kind, c.value) = (LITZ_ARG_VALUE, (*place).into()),
            ParsedArgument::Tensors(places) => {
                let list: Vec<litz_value> = places.iter().map(|p| (*p).into()).collect();
                (c.kind, c.n, c.values) = (LITZ_ARG_VALUES, list.len(), list.as_ptr());
                lists.push(list);
            }
            ParsedArgument::Number(HostKind::Float, bits) => {
                (c.kind, c.f) = (LITZ_ARG_FLOAT, f64::from_bits(**bits as u64));
            }
            ParsedArgument::Number(kind, number) => (c.kind, c.i) = (*kind as i32, **number),
            ParsedArgument::Numbers(HostKind::Floats, bits) => {
                // The same bits are the numbers.
                (c.kind, c.n, c.floats) = (LITZ_ARG_FLOATS, bits.len(), bits.as_ptr().cast());
            }
            ParsedArgument::Numbers(kind, list) => {
                (c.kind, c.n, c.ints) = (*kind as i32, list.len(), list.as_ptr())
            }
            ParsedArgument::String(s) => (c.kind, c.s) = (LITZ_ARG_STRING, text(s)),
        }
        arguments.push(c);
    }
    (arguments, texts, lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_arguments_are_numbered_as_in_the_abi() {
        use HostKind::*;
        let abi = |kind| match kind {
            None => LITZ_ARG_NONE,
            Tensor => LITZ_ARG_VALUE,
            Int => LITZ_ARG_INT,
            Float => LITZ_ARG_FLOAT,
            Bool => LITZ_ARG_BOOL,
            Ints => LITZ_ARG_INTS,
            Tensors => LITZ_ARG_VALUES,
            Floats => LITZ_ARG_FLOATS,
            String => LITZ_ARG_STRING,
            Dtype => LITZ_ARG_DTYPE,
            Bools => LITZ_ARG_BOOLS,
            Device => LITZ_ARG_DEVICE,
            MemoryFormat => LITZ_ARG_MEMORY_FORMAT,
            Layout => LITZ_ARG_LAYOUT,
        };
        for kind in HostKind::ALL {
            assert_eq!(kind as i32, abi(kind), "{kind:?}");
        }
    }
}
