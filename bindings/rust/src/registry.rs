//! Operators and decompositions of the program's own, as closures.
//!
//! Invariant: a closure that panics ends the call with an error; nothing unwinds into the library.

use crate::building::{Value, ids, value, with_spec};
use crate::error::{Error, c_text, call, give, text};
use crate::graph::Graph;
use crate::sys::{self, DLTensor, litz_arg};
use crate::tensor::{Dtype, Element};
use crate::{Size, Status};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An argument that a closure is given. Tensors are values of a graph, or places in the list of a run's tensors.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    None,
    Value(Value),
    Symbol(Value),
    Tensor(usize),
    Int(i64),
    Float(f64),
    Bool(bool),
    Complex(f64, f64),
    Text(String),
    Dtype(Dtype),
    Ints(Vec<i64>),
    Sizes(Vec<Size>),
    Values(Vec<Option<Value>>),
    Tensors(Vec<Option<usize>>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    /// A device, layout or memory format: its kind in `litz_arg`, and its number.
    Other(i32, i64),
}

/// The type of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub dtype: Dtype,
    pub shape: Vec<Size>,
}

/// A tensor in host memory that a closure is lent: contiguous elements.
pub struct View<'a> {
    raw: &'a DLTensor,
}

/// A [`View`] that is to be filled.
pub struct ViewMut<'a> {
    raw: &'a DLTensor,
}

fn shape(raw: &DLTensor) -> &[i64] {
    // SAFETY: the library gives as many sizes as dimensions, for as long as the tensor is lent.
    if raw.ndim == 0 { &[] } else { unsafe { std::slice::from_raw_parts(raw.shape, raw.ndim as usize) } }
}

fn elements<T: Element>(raw: &DLTensor) -> Result<(*mut T, usize), Error> {
    let dtype = Dtype::from_dl(raw.dtype)?;
    if dtype != T::DTYPE {
        return Err(Error::new(
            Status::DTYPE,
            format!("the elements are {}, not {}", dtype.name(), T::DTYPE.name()),
        ));
    }
    let count = shape(raw).iter().product::<i64>() as usize;
    let data = raw.data.cast::<u8>().wrapping_add(raw.byte_offset as usize).cast::<T>();
    if count == 0 {
        return Ok((std::ptr::NonNull::dangling().as_ptr(), 0));
    }
    if !data.is_aligned() {
        return Err(Error::invalid("the elements are not aligned"));
    }
    Ok((data, count))
}

impl View<'_> {
    pub fn dtype(&self) -> Result<Dtype, Error> {
        Dtype::from_dl(self.raw.dtype)
    }
    pub fn shape(&self) -> &[i64] {
        shape(self.raw)
    }
    /// The elements row by row.
    pub fn slice<T: Element>(&self) -> Result<&[T], Error> {
        let (data, count) = elements(self.raw)?;
        // SAFETY: so many elements lie there while the tensor is lent, and nobody writes to them.
        Ok(unsafe { std::slice::from_raw_parts(data, count) })
    }
}

impl ViewMut<'_> {
    pub fn dtype(&self) -> Result<Dtype, Error> {
        Dtype::from_dl(self.raw.dtype)
    }
    pub fn shape(&self) -> &[i64] {
        shape(self.raw)
    }
    /// The elements row by row, to be written.
    pub fn slice_mut<T: Element>(&mut self) -> Result<&mut [T], Error> {
        let (data, count) = elements(self.raw)?;
        // SAFETY: so many elements lie there while the tensor is lent, and nobody else has them.
        Ok(unsafe { std::slice::from_raw_parts_mut(data, count) })
    }
}

type Meta = Box<dyn Fn(&Graph, &[Given]) -> Result<Vec<Type>, Error> + Send + Sync>;
type Run = Box<dyn Fn(&[Given], &[View<'_>], &mut [ViewMut<'_>]) -> Result<(), Error> + Send + Sync>;
type Derivative =
    Box<dyn Fn(&Graph, &[Option<Value>], &[Given]) -> Result<Vec<Option<Value>>, Error> + Send + Sync>;
type Rule = Box<dyn Fn(&Graph, &[Given]) -> Result<Option<Vec<Value>>, Error> + Send + Sync>;

/// `LITZ_OPERATOR_EFFECT` and `LITZ_OPERATOR_DETERMINISTIC`.
const EFFECT: u64 = 1;
const DETERMINISTIC: u64 = 2;

/// An operator of the program's own. Closures get one argument for each of the schema's, in its order; any number of threads may be
/// in one at once.
#[derive(Default)]
pub struct Operator {
    meta: Option<Meta>,
    run: Option<Run>,
    derivative: Option<Derivative>,
    flags: u64,
}

impl Operator {
    pub fn new() -> Operator {
        Operator::default()
    }
    /// Tells the types of the results. The graph is lent, to look at tensors and to calculate with symbols.
    pub fn meta(
        mut self,
        f: impl Fn(&Graph, &[Given]) -> Result<Vec<Type>, Error> + Send + Sync + 'static,
    ) -> Operator {
        self.meta = Some(Box::new(f));
        self
    }
    /// Computes on a CPU: the arguments, the tensors among them, and the results to fill. What the schema marks as written is not
    /// supported here.
    pub fn run(
        mut self,
        f: impl Fn(&[Given], &[View<'_>], &mut [ViewMut<'_>]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Operator {
        self.run = Some(Box::new(f));
        self
    }
    /// Adds the gradients to a graph: from one cotangent for each result, one value or `None` for each tensor among the arguments.
    pub fn derivative(
        mut self,
        f: impl Fn(&Graph, &[Option<Value>], &[Given]) -> Result<Vec<Option<Value>>, Error>
        + Send
        + Sync
        + 'static,
    ) -> Operator {
        self.derivative = Some(Box::new(f));
        self
    }
    /// The operator is called for what it does besides its results.
    pub fn effect(mut self) -> Operator {
        self.flags |= EFFECT;
        self
    }
    /// It gives the same bits at every run and number of threads: option `deterministic` refuses an operator without this.
    pub fn deterministic(mut self) -> Operator {
        self.flags |= DETERMINISTIC;
        self
    }
}

/// Operators and decompositions; [`crate::Options::set_registry`] lets graphs and compilations use them. One thread at a time.
pub struct Registry {
    pub(crate) handle: *mut sys::litz_registry,
}

// SAFETY: registries are for one thread at a time, any thread.
unsafe impl Send for Registry {}

const EMPTY: sys::litz_operator = sys::litz_operator {
    struct_size: std::mem::size_of::<sys::litz_operator>(),
    context: std::ptr::null_mut(),
    release: None,
    meta: None,
    run_cpu: None,
    run_cuda: None,
    derivative: None,
    pointwise_source: std::ptr::null(),
    flags: 0,
    reserved: [0; 7],
};

impl Registry {
    pub fn new() -> Result<Registry, Error> {
        let library = sys::library()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place for the handle is valid.
        call(|err| unsafe { (library.registry_new)(&mut handle, err) })?;
        Ok(Registry { handle })
    }

    /// Adds an operator by its schema as PyTorch writes it: `mylib::scale(Tensor x, float by=2.0) -> Tensor`.
    pub fn add_operator(&self, schema: &str, operator: Operator) -> Result<(), Error> {
        if schema.contains('!') && operator.run.is_some() {
            return Err(Error::new(
                Status::UNSUPPORTED,
                "a closure that writes to its arguments is not supported",
            ));
        }
        let mut raw = EMPTY;
        raw.meta = operator.meta.is_some().then_some(on_meta as sys::litz_operator_meta_fn);
        raw.run_cpu = operator.run.is_some().then_some(on_run as sys::litz_operator_run_fn);
        raw.derivative =
            operator.derivative.is_some().then_some(on_derivative as sys::litz_operator_derivative_fn);
        raw.flags = operator.flags;
        raw.release = Some(release::<Operator>);
        let context = Box::into_raw(Box::new(operator));
        raw.context = context.cast();
        let added = self.add(schema, &raw);
        if added.is_err() {
            // SAFETY: a call that fails does not take the context.
            drop(unsafe { Box::from_raw(context) });
        }
        added
    }

    /// Adds an operator by one C expression of its arguments' names, for each element. It fuses, runs on every backend and in
    /// artifacts, and has a derivative.
    pub fn add_pointwise(&self, schema: &str, expression: &str) -> Result<(), Error> {
        let expression = c_text("the expression", expression)?;
        let mut raw = EMPTY;
        raw.pointwise_source = expression.as_ptr();
        self.add(schema, &raw)
    }

    fn add(&self, schema: &str, raw: &sys::litz_operator) -> Result<(), Error> {
        let library = sys::library()?;
        let schema = c_text("the schema", schema)?;
        // SAFETY: the handle is ours; what the operator points at lives until the call ends, or belongs to the registry then.
        call(|err| unsafe { (library.registry_add_operator)(self.handle, schema.as_ptr(), raw, err) })
    }

    /// Adds source for a backend, "cpu" or "cuda", to an operator: see `litz_registry_add_operator_source`.
    pub fn add_operator_source(
        &self,
        op: &str,
        backend: &str,
        source: &str,
        function: &str,
    ) -> Result<(), Error> {
        let library = sys::library()?;
        let [op, backend, source, function] = [op, backend, source, function].map(|t| c_text("a text", t));
        let (op, backend, source, function) = (op?, backend?, source?, function?);
        // SAFETY: the handle is ours and the texts end with NUL.
        call(|err| unsafe {
            let (source, function) = (source.as_ptr(), function.as_ptr());
            (library.registry_add_operator_source)(
                self.handle,
                op.as_ptr(),
                backend.as_ptr(),
                source,
                function,
                err,
            )
        })
    }

    /// Replaces every node of a functional operator by the nodes that the rule adds; `None` keeps the node.
    pub fn add_decomposition(
        &self,
        op: &str,
        rule: impl Fn(&Graph, &[Given]) -> Result<Option<Vec<Value>>, Error> + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let library = sys::library()?;
        let op = c_text("the operator", op)?;
        let rule: Rule = Box::new(rule);
        let context = Box::into_raw(Box::new(rule));
        // SAFETY: the handle is ours; the cleanup frees the rule once nobody calls it any more.
        let added = call(|err| unsafe {
            let f: sys::litz_decomposition_fn = on_decomposition;
            (library.registry_add_decomposition)(self.handle, op.as_ptr(), f, context.cast(), err)
        });
        if added.is_err() {
            // SAFETY: a call that fails does not keep the context.
            drop(unsafe { Box::from_raw(context) });
            return added;
        }
        // SAFETY: as above.
        call(|err| unsafe {
            (library.registry_add_cleanup)(self.handle, release::<Rule>, context.cast(), err)
        })
    }

    /// What the registry holds, as JSON.
    pub fn describe(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.registry_describe)(self.handle, out, err) })
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        if let Ok(library) = sys::library() {
            // SAFETY: the handle is ours, and this is its last use; options and programs keep what they need.
            unsafe { (library.registry_release)(self.handle) }
        }
    }
}

/// # Safety
/// `context` is a boxed `T` of this module, and this is its last use.
unsafe extern "C" fn release<T>(context: *mut c_void) {
    // SAFETY: as the caller promises. A destructor that panics must not unwind into the library.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(context.cast::<T>()) })));
}

/// Runs a closure's part of a call; its error, or that it panicked, becomes the library's.
fn told(err: *mut *mut sys::litz_error, f: impl FnOnce() -> Result<(), Error>) -> i32 {
    let error = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(_) => Error::new(Status::INTERNAL, "a closure panicked"),
    };
    if let (Ok(library), Ok(message), false) =
        (sys::library(), c_text("the message", &error.message), err.is_null())
    {
        // SAFETY: the place for the error is the library's.
        unsafe { *err = (library.error_new)(error.status.0, message.as_ptr()) };
    }
    error.status.0
}

/// The graph of a callback, which it is lent.
fn lent(handle: *mut sys::litz_graph) -> ManuallyDrop<Graph> {
    ManuallyDrop::new(Graph { handle, kept: Vec::new() })
}

/// # Safety
/// `args` has `n` arguments, and what they point at is alive.
unsafe fn given(args: *const litz_arg, n: usize, is_run: bool) -> Result<Vec<Given>, Error> {
    // SAFETY: as the caller promises.
    unsafe { list(args, n) }.iter().map(|arg| unsafe { one(arg, is_run) }).collect()
}

/// # Safety
/// There are `n` items at `data`, or none.
unsafe fn list<'a, T>(data: *const T, n: usize) -> &'a [T] {
    // SAFETY: as the caller promises.
    if n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, n) } }
}

/// # Safety
/// What the argument points at is alive.
unsafe fn one(arg: &litz_arg, is_run: bool) -> Result<Given, Error> {
    let place = |id: u64| (id != 0).then(|| id as usize - 1);
    // SAFETY: as the caller promises.
    let (ints, values) = unsafe {
        let ints = if arg.ints.is_null() { &[][..] } else { list(arg.ints, arg.n) };
        (ints, if arg.values.is_null() { &[][..] } else { list(arg.values, arg.n) })
    };
    Ok(match arg.kind {
        0 => Given::None,
        1 if is_run => place(arg.value).map_or(Given::None, Given::Tensor),
        1 => value(arg.value).map_or(Given::None, Given::Value),
        10 => value(arg.value).map_or(Given::None, Given::Symbol),
        2 => Given::Int(arg.i),
        3 => Given::Float(arg.f),
        4 => Given::Bool(arg.i != 0),
        5 if values.iter().all(|v| *v == 0) => Given::Ints(ints.to_vec()),
        5 => {
            let sizes = ints.iter().zip(values).map(|(n, v)| value(*v).map_or(Size::Fixed(*n), Size::Symbol));
            Given::Sizes(sizes.collect())
        }
        6 if is_run => Given::Tensors(values.iter().map(|v| place(*v)).collect()),
        6 => Given::Values(values.iter().map(|v| value(*v)).collect()),
        // SAFETY: as the caller promises.
        7 => Given::Floats(unsafe { list(arg.floats, arg.n) }.to_vec()),
        // SAFETY: as the caller promises.
        8 => Given::Text(unsafe { text(arg.s) }),
        9 => Dtype::ALL
            .iter()
            .find(|d| **d as i64 == arg.i)
            .map(|d| Given::Dtype(*d))
            .ok_or_else(|| Error::invalid(format!("there is no dtype {}", arg.i)))?,
        12 => Given::Bools(ints.iter().map(|b| *b != 0).collect()),
        16 => Given::Complex(arg.f, arg.f_imag),
        kind => Given::Other(kind, arg.i),
    })
}

/// # Safety
/// As `litz_operator_meta_fn`, with a context of [`Registry::add_operator`].
unsafe extern "C" fn on_meta(
    context: *mut c_void,
    g: *mut sys::litz_graph,
    args: *const litz_arg,
    n: usize,
    outs: *mut sys::litz_meta,
    err: *mut *mut sys::litz_error,
) -> i32 {
    told(err, || {
        // SAFETY: as the caller promises.
        let (operator, args) = unsafe { (&*context.cast::<Operator>(), given(args, n, false)?) };
        let Some(meta) = &operator.meta else { return Ok(()) };
        let library = sys::library()?;
        for (k, ty) in meta(&lent(g), &args)?.iter().enumerate() {
            with_spec(ty.dtype, &ty.shape, |spec| {
                // SAFETY: the place for results is the library's, and the spec lives until the call ends.
                call(|err| unsafe { (library.meta_output)(outs, k, spec, err) })
            })?;
        }
        Ok(())
    })
}

/// # Safety
/// As `litz_operator_run_fn`, with a context of [`Registry::add_operator`].
unsafe extern "C" fn on_run(
    context: *mut c_void,
    args: *const litz_arg,
    n: usize,
    tensors: *const *const DLTensor,
    n_tensors: usize,
    outs: *const *const DLTensor,
    n_outs: usize,
    _stream: *mut c_void,
    err: *mut *mut sys::litz_error,
) -> i32 {
    told(err, || {
        // SAFETY: as the caller promises; the tensors are lent for the call.
        unsafe {
            let (operator, args) = (&*context.cast::<Operator>(), given(args, n, true)?);
            let tensors: Vec<View<'_>> =
                list(tensors, n_tensors).iter().map(|t| View { raw: &**t }).collect();
            let mut outs: Vec<ViewMut<'_>> =
                list(outs, n_outs).iter().map(|t| ViewMut { raw: &**t }).collect();
            match &operator.run {
                Some(run) => run(&args, &tensors, &mut outs),
                None => Ok(()),
            }
        }
    })
}

/// How many tensors are among arguments.
fn count_tensors(args: &[Given]) -> usize {
    let of = |arg: &Given| match arg {
        Given::Value(_) => 1,
        Given::Values(list) => list.iter().flatten().count(),
        _ => 0,
    };
    args.iter().map(of).sum()
}

/// # Safety
/// There is room for `n` values at `out`.
unsafe fn write(values: &[Option<Value>], out: *mut u64, n: usize) -> Result<(), Error> {
    if values.len() != n {
        return Err(Error::invalid(format!("{n} values are asked, and the closure gave {}", values.len())));
    }
    let values = ids(values);
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), out, n) };
    Ok(())
}

/// # Safety
/// As `litz_operator_derivative_fn`, with a context of [`Registry::add_operator`].
unsafe extern "C" fn on_derivative(
    context: *mut c_void,
    g: *mut sys::litz_graph,
    args: *const litz_arg,
    n: usize,
    cotangents: *const u64,
    n_outs: usize,
    grads: *mut u64,
    err: *mut *mut sys::litz_error,
) -> i32 {
    told(err, || {
        // SAFETY: as the caller promises.
        let (operator, args, weights) =
            unsafe { (&*context.cast::<Operator>(), given(args, n, false)?, list(cotangents, n_outs)) };
        let Some(derivative) = &operator.derivative else { return Ok(()) };
        let weights: Vec<Option<Value>> = weights.iter().map(|v| value(*v)).collect();
        let values = derivative(&lent(g), &weights, &args)?;
        // SAFETY: the library has room for one value for each tensor.
        unsafe { write(&values, grads, count_tensors(&args)) }
    })
}

/// # Safety
/// As `litz_decomposition_fn`, with a context of [`Registry::add_decomposition`].
unsafe extern "C" fn on_decomposition(
    context: *mut c_void,
    g: *mut sys::litz_graph,
    args: *const litz_arg,
    n: usize,
    outs: *mut u64,
    n_outs: usize,
    err: *mut *mut sys::litz_error,
) -> i32 {
    told(err, || {
        // SAFETY: as the caller promises.
        let (rule, args) = unsafe { (&*context.cast::<Rule>(), given(args, n, false)?) };
        let values = match rule(&lent(g), &args)? {
            None => vec![None; n_outs],
            Some(values) => values.into_iter().map(Some).collect(),
        };
        // SAFETY: there is room for `n_outs` results.
        unsafe { write(&values, outs, n_outs) }
    })
}
