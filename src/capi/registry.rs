//! Registries: passes, decompositions and backends that a host adds to the compiler.
//!
//! Invariants: a graph that a callback is lent is the library's again when the callback returns, whatever it did with it; a
//! callback's failure is an error of the call that it was made for, never one inside Litz.

use super::callback::{lend, outcome};
use super::edit::Lent;
use super::error::{give_text, litz_error, litz_string};
use super::graph::litz_graph;
use super::guard::{self, Failure, Opaque, Outcome, invalid, wall};
use super::nodes::Arguments;
use super::options::{Context, litz_options};
use super::types::*;
use crate::ir::{Arg, Graph, Value};
use crate::meta::MetaError;
use crate::ops::OpId;
use crate::session::{HostBackend, HostCall, HostError, HostProgram, Point, SharedRegistry};
use crate::types::dlpack::DLTensor;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A host's passes, decompositions and backends. One thread at a time; options that it was set on, and programs compiled with
/// them, keep it alive.
pub struct litz_registry {
    _opaque: [u8; 0],
}

impl Opaque for litz_registry {
    type State = SharedRegistry;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzReg\x01");
    const NAME: &'static str = "litz_registry";
}

/// Makes an empty registry. The caller owns `*out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_new(
    out: *mut *mut litz_registry,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        let out = guard::out(out, "out")?;
        // SAFETY: checked above.
        unsafe { out.write(guard::wrap(SharedRegistry::default())) };
        Ok(())
    })
}

/// Sets the registry of these options. A compilation uses the passes, decompositions and backends that the registry holds when
/// the compilation begins. The options, and every executable compiled with them, keep the registry alive. A NULL `r` removes
/// it. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_options_set_registry(
    o: *mut litz_options,
    r: *mut litz_registry,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live options, and for NULL or a live registry.
        unsafe {
            let options = guard::get_mut(o, "o")?;
            let registry = if r.is_null() { None } else { Some(guard::get(r, "r")?.clone()) };
            options.set_registry(registry);
        }
        Ok(())
    })
}

/// Adds a pass, which runs behind those that were added before it at the same point: `pre_grad`, on the graph as it was
/// given; `joint`, on the functional graph whose composite operators are decomposed; `post_grad`, behind Litz's own passes. In a
/// training program the first is the graph before it is differentiated, the second has the gradients, and the third is each half by
/// itself.
/// It is called for the graph, and before that for each graph that a node of it runs, on the thread that compiles; a
/// program may be compiled again by a run whose inputs share memory. It may add nodes (those of `post_grad` and `joint` are
/// made functional and decomposed again) and constants, replace and erase; inputs, outputs and their types stay. The graph
/// is checked afterwards, and an error names the pass by its point and number. The graph is lent for the call;
/// `litz_is_compiling` is 1 in it. `context` must stay valid until the registry and all that was made with it are released:
/// see `litz_registry_add_cleanup`. `fn` must not unwind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_add_pass(
    r: *mut litz_registry,
    point: *const c_char,
    r#fn: litz_pass_fn,
    context: *mut c_void,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (registry, point) = unsafe { (guard::get(r, "r")?, guard::text(point, "point")?) };
        let known = Point::from_name(point).ok_or_else(|| {
            let names = Point::ALL.map(|p| format!("`{}`", p.name())).join(", ");
            invalid(format!("there is no point `{point}` in the pipeline; there are {names}"))
        })?;
        let function = r#fn.ok_or_else(|| invalid("`fn` is NULL"))?;
        let context = Context(context);
        let pass = move |graph: &mut Graph, inside: bool| {
            let kind = if inside { Lent::ToPassInside } else { Lent::ToPass };
            let call = |g: *mut litz_graph| {
                let mut error = std::ptr::null_mut();
                // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
                unsafe {
                    let status = function(context.pointer(), g, &mut error);
                    outcome("the pass", status, error)
                }
            };
            lend(graph, kind, "the pass", call).map(|(_, changed)| changed).map_err(host_error)
        };
        registry.add_pass(known, Arc::new(pass));
        Ok(())
    })
}

/// Replaces every node of operator `op` ("aten.softplus"; a functional one, or one of the registry's own, which then needs nothing
/// else that computes it) by the nodes that `rule` builds. The rule gets
/// one argument for each of the schema's, in its order and with its name. The rule adds nodes to `g`, which is lent for the
/// call, and writes its `n_outs` results; all of them 0 keep the node. Results must have the dtypes and sizes of the
/// operator's. An operator that already has a decomposition in this registry is refused; one of Litz's own gives way.
/// Threads, `context` and unwinding as for litz_registry_add_pass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_add_decomposition(
    r: *mut litz_registry,
    op: *const c_char,
    rule: litz_decomposition_fn,
    context: *mut c_void,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let (registry, op) = unsafe { (guard::get(r, "r")?, guard::text(op, "op")?) };
        let function = rule.ok_or_else(|| invalid("`rule` is NULL"))?;
        let context = Context(context);
        let rule = move |graph: &mut Graph, op: OpId, args: &[Arg], n: usize| {
            let call = |g: *mut litz_graph| {
                // SAFETY: `lend` made the handle, which nothing else uses now.
                let state = unsafe { guard::get_mut(g, "g") }?;
                let arguments = match args {
                    [Arg::Call(call)] => Arguments::of(state, &call.operator.schema, &call.args),
                    _ => Arguments::of(state, op.schema(), args),
                };
                let mut outs: Vec<litz_value> = vec![0; n];
                let (mut error, list) = (std::ptr::null_mut(), &arguments.list);
                // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
                unsafe {
                    let (list, n_args) = (list.as_ptr(), list.len());
                    let outs = outs.as_mut_ptr();
                    let status = function(context.pointer(), g, list, n_args, outs, n, &mut error);
                    outcome("the rule", status, error)?;
                }
                if outs.iter().all(|v| *v == 0) {
                    return Ok(None);
                }
                // SAFETY: as above.
                let state = unsafe { guard::get(g, "g") }?;
                let of = |(k, v): (usize, &litz_value)| {
                    state.tensor(*v).map_err(|f| f.within(&format!("outs[{k}]")))
                };
                let values: Outcome<Vec<Value>> = outs.iter().enumerate().map(of).collect();
                values.map(Some)
            };
            let said = lend(graph, Lent::ToRule, "the rule", call).map_err(host_error);
            let named = |e: HostError| {
                MetaError::new(e.status, op.name(), format!("the host's decomposition: {}", e.message))
            };
            said.map(|(values, _)| values).map_err(named)
        };
        Ok(registry.add_decomposition(op, Arc::new(rule))?)
    })
}

/// Adds a backend, which option `backend` then names on options that have the registry. `tags` are for `litz_registry_describe`
/// to tell. `b` is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_add_backend(
    r: *mut litz_registry,
    name: *const c_char,
    tags: *const *const c_char,
    n_tags: usize,
    b: *const litz_backend,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        unsafe {
            let (registry, name) = (guard::get(r, "r")?, guard::text(name, "name")?);
            let tags = guard::list(tags, n_tags, "tags")?.iter();
            let tags: Outcome<Vec<String>> = tags
                .enumerate()
                .map(|(k, t)| Ok(guard::text(*t, &format!("tags[{k}]"))?.to_string()))
                .collect();
            let given = guard::item(b, "b")?;
            guard::struct_size(&raw const given.struct_size, size_of::<litz_backend>(), "b")?;
            if given.reserved0 != 0 || given.reserved != [0; 4] {
                return Err(invalid("`b->reserved` must be zero: zero the struct before filling it"));
            }
            if given.flags & !(LITZ_BACKEND_DECOMPOSED | LITZ_BACKEND_DETERMINISTIC) != 0 {
                return Err(invalid(format!("`b->flags` is {:#x}: not all of it is known", given.flags)));
            }
            let compile = given.compile.ok_or_else(|| invalid("`b->compile` is NULL"))?;
            let owned = Arc::new(Owned::new(given.context, given.release));
            let held = Arc::clone(&owned);
            registry.add_backend(HostBackend {
                name: name.to_string(),
                tags: tags?,
                decomposed: given.flags & LITZ_BACKEND_DECOMPOSED != 0,
                deterministic: given.flags & LITZ_BACKEND_DETERMINISTIC != 0,
                compile: Box::new(move |graph| program_of(compile, &held, graph)),
            })?;
            owned.own();
        }
        Ok(())
    })
}

/// Registers a function that frees the callbacks' data. `fn` is called with `context` once the registry, its options and all
/// programs compiled with them are released, on the thread that releases the last of them. `fn` must not unwind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_add_cleanup(
    r: *mut litz_registry,
    r#fn: litz_release_fn,
    context: *mut c_void,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for live pointers.
        let registry = unsafe { guard::get(r, "r") }?;
        let function = r#fn.ok_or_else(|| invalid("`fn` is NULL"))?;
        let context = Context(context);
        registry.add_cleanup(Box::new(move || {
            // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
            unsafe { function(context.pointer()) }
        }));
        Ok(())
    })
}

/// Describes a registry as JSON: `passes` (how many at each point), `decompositions` (operators), `own_decompositions`
/// (operators that Litz decomposes by its own rules with this registry), `backends` (`name` and
/// `tags`). The caller owns `*json`. One thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_describe(
    r: *const litz_registry,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        // SAFETY: the header asks for live pointers.
        let registry = unsafe { guard::get(r, "r") }?;
        Ok(registry.describe().to_string())
    })
}

/// Gives the registry back; NULL is accepted. Options that it was set on keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_registry_release(r: *mut litz_registry) {
    // SAFETY: the header asks for NULL or a live registry that is the caller's.
    unsafe { guard::release(r) }
}

/// A host's context with the function that releases it, once the library owns it.
pub(super) struct Owned {
    context: Context,
    release: litz_release_fn,
    owns: AtomicBool,
}

impl Owned {
    pub(super) fn new(context: *mut c_void, release: litz_release_fn) -> Owned {
        Owned { context: Context(context), release, owns: AtomicBool::new(false) }
    }
    pub(super) fn own(&self) {
        self.owns.store(true, Ordering::Release);
    }
    pub(super) fn pointer(&self) -> *mut c_void {
        self.context.pointer()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let (true, Some(release)) = (self.owns.load(Ordering::Acquire), self.release) {
            // SAFETY: the header asks that it takes the context and does not unwind.
            unsafe { release(self.context.pointer()) };
        }
    }
}

type Compile = unsafe extern "C" fn(
    *mut c_void,
    *const litz_graph,
    *mut litz_callable,
    *mut *mut litz_error,
) -> litz_status;

/// Has a host's backend compile a graph.
fn program_of(compile: Compile, backend: &Arc<Owned>, graph: &Graph) -> Result<HostProgram, HostError> {
    let call = |g: *mut litz_graph| {
        let mut callable = litz_callable {
            struct_size: size_of::<litz_callable>(),
            context: std::ptr::null_mut(),
            run: None,
            release: None,
            reserved: [0; 4],
        };
        let mut error = std::ptr::null_mut();
        // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
        unsafe {
            let status = compile(backend.pointer(), g.cast_const(), &mut callable, &mut error);
            outcome("its compile function", status, error)?;
        }
        let owned = Owned::new(callable.context, callable.release);
        owned.own();
        if callable.struct_size != size_of::<litz_callable>() || callable.reserved != [0; 4] {
            return Err(invalid("its compile function changed the callable's struct_size or reserved words"));
        }
        let run =
            callable.run.ok_or_else(|| invalid("its compile function gave a callable without `run`"))?;
        Ok((run, owned))
    };
    let lent = lend(&mut graph.clone(), Lent::ToRead, "its compile function", call).map_err(host_error)?;
    let ((run, owned), _) = lent;
    // What the callable uses of the backend's lives as long.
    let backend = Arc::clone(backend);
    Ok(Box::new(move |call: &HostCall<'_>| {
        let _backend = &backend;
        let pointers = |list: &[DLTensor]| list.iter().map(std::ptr::from_ref).collect::<Vec<_>>();
        let (inputs, constants) = (pointers(call.inputs), pointers(call.constants));
        let outputs: Vec<*const DLTensor> = call.outputs.iter().map(|o| o.as_ptr().cast_const()).collect();
        let given = litz_backend_call {
            struct_size: size_of::<litz_backend_call>(),
            inputs: inputs.as_ptr(),
            n_inputs: inputs.len(),
            constants: constants.as_ptr(),
            n_constants: constants.len(),
            outputs: outputs.as_ptr(),
            n_outputs: outputs.len(),
            reserved: [0; 4],
            resize: Some(resize),
            results: std::ptr::from_ref(call).cast(),
        };
        let mut error = std::ptr::null_mut();
        // SAFETY: the header asks that callback and context stay valid and that it does not unwind.
        unsafe {
            let status = run(owned.pointer(), &given, &mut error);
            outcome("its callable", status, error).map_err(host_error)
        }
    }))
}

/// The function that gives an output its sizes: see `litz_backend_resize_fn`.
unsafe extern "C" fn resize(
    results: *const c_void,
    k: usize,
    shape: *const i64,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        // SAFETY: the header asks for the `results` of the call that the callable was given.
        let results = unsafe { guard::item(results.cast::<HostCall<'_>>(), "results") }?;
        let Some(output) = results.outputs.get(k) else {
            return Err(invalid(format!("there is no output {k}; there are {}", results.outputs.len())));
        };
        // SAFETY: the header asks for as many sizes as the output has dimensions.
        let shape = unsafe { guard::list(shape, output.get().ndim as usize, "shape") }?;
        (results.resize)(k, shape).map_err(|e| Failure::new(e.status, e.message))
    })
}

pub(super) fn host_error(failure: Failure) -> HostError {
    HostError { status: failure.status, message: failure.into_fields().message }
}
