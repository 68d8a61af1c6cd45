//! Graphs built operator by operator.

use crate::error::{Error, Status, c_text, call, give};
use crate::graph::Graph;
use crate::options::Options;
use crate::sys::{self, litz_arg};
use crate::tensor::{Dtype, Tensor, borrowed};
use crate::weights::Weights;
use std::ffi::CString;

/// A tensor or symbol of a graph. One of another graph is an error where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub(crate) sys::litz_value);

/// A size of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    Fixed(i64),
    Symbol(Value),
}

impl From<i64> for Size {
    fn from(size: i64) -> Size {
        Size::Fixed(size)
    }
}
impl From<Value> for Size {
    fn from(symbol: Value) -> Size {
        Size::Symbol(symbol)
    }
}

/// What a constant is to a program: training changes parameters, and runs may write to buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Parameter = 0,
    Buffer = 1,
    Constant = 2,
}

/// An argument of an operator.
#[derive(Clone)]
pub enum Arg<'a> {
    None,
    Value(Value),
    Symbol(Value),
    Int(i64),
    Float(f64),
    Bool(bool),
    Complex(f64, f64),
    Text(&'a str),
    Dtype(Dtype),
    Sizes(Vec<Size>),
    Values(Vec<Option<Value>>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    /// A graph that the operator runs; it is copied.
    Graph(&'a Graph),
    Graphs(Vec<&'a Graph>),
    /// An argument by its name.
    Named(&'a str, Box<Arg<'a>>),
}

impl<'a> Arg<'a> {
    /// An argument by its name in the operator's schema.
    pub fn named(name: &'a str, arg: impl Into<Arg<'a>>) -> Arg<'a> {
        Arg::Named(name, Box::new(arg.into()))
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident),* $(,)?) => { $(
        impl<'a> From<$ty> for Arg<'a> {
            fn from(value: $ty) -> Arg<'a> {
                Arg::$variant(value)
            }
        }
    )* };
}
from! { Value => Value, i64 => Int, f64 => Float, bool => Bool, &'a str => Text, Dtype => Dtype, Vec<Size> => Sizes, &'a Graph => Graph }

impl From<&[i64]> for Arg<'_> {
    fn from(list: &[i64]) -> Self {
        Arg::Sizes(list.iter().map(|n| Size::Fixed(*n)).collect())
    }
}
impl<const N: usize> From<[i64; N]> for Arg<'_> {
    fn from(list: [i64; N]) -> Self {
        list[..].into()
    }
}
impl From<&[Value]> for Arg<'_> {
    fn from(list: &[Value]) -> Self {
        Arg::Values(list.iter().map(|v| Some(*v)).collect())
    }
}
impl<const N: usize> From<[Value; N]> for Arg<'_> {
    fn from(list: [Value; N]) -> Self {
        list[..].into()
    }
}

const EMPTY: litz_arg = litz_arg {
    name: std::ptr::null(),
    kind: 0,
    reserved0: 0,
    value: 0,
    i: 0,
    f: 0.0,
    f_imag: 0.0,
    ints: std::ptr::null(),
    values: std::ptr::null(),
    floats: std::ptr::null(),
    n: 0,
    s: std::ptr::null(),
    subgraph: std::ptr::null(),
    subgraphs: std::ptr::null(),
    reserved: [0; 3],
};

/// Arguments as C takes them, and what they point at.
#[derive(Default)]
struct Arguments {
    raw: Vec<litz_arg>,
    texts: Vec<CString>,
    ints: Vec<Vec<i64>>,
    values: Vec<Vec<u64>>,
    floats: Vec<Vec<f64>>,
    graphs: Vec<Vec<*const sys::litz_graph>>,
}

impl Arguments {
    fn of(args: &[Arg<'_>]) -> Result<Arguments, Error> {
        let mut made = Arguments::default();
        for arg in args {
            let raw = made.one(arg)?;
            made.raw.push(raw);
        }
        Ok(made)
    }

    /// Pointers stay valid: what they point at is on the heap and is not changed any more.
    fn one(&mut self, arg: &Arg<'_>) -> Result<litz_arg, Error> {
        let mut raw = EMPTY;
        match arg {
            Arg::None => {}
            Arg::Value(v) => (raw.kind, raw.value) = (1, v.0),
            Arg::Symbol(v) => (raw.kind, raw.value) = (10, v.0),
            Arg::Int(i) => (raw.kind, raw.i) = (2, *i),
            Arg::Float(f) => (raw.kind, raw.f) = (3, *f),
            Arg::Bool(b) => (raw.kind, raw.i) = (4, i64::from(*b)),
            Arg::Complex(re, im) => (raw.kind, raw.f, raw.f_imag) = (16, *re, *im),
            Arg::Text(text) => {
                self.texts.push(c_text("a text", text)?);
                (raw.kind, raw.s) = (8, self.texts[self.texts.len() - 1].as_ptr());
            }
            Arg::Dtype(dtype) => (raw.kind, raw.i) = (9, *dtype as i64),
            Arg::Sizes(list) => {
                let of = |s: &Size| match s {
                    Size::Fixed(n) => (*n, 0),
                    Size::Symbol(v) => (0, v.0),
                };
                let (ints, values): (Vec<i64>, Vec<u64>) = list.iter().map(of).unzip();
                (raw.kind, raw.n) = (5, list.len());
                (raw.ints, raw.values) = (ints.as_ptr(), values.as_ptr());
                self.ints.push(ints);
                self.values.push(values);
            }
            Arg::Bools(list) => {
                let ints: Vec<i64> = list.iter().map(|b| i64::from(*b)).collect();
                (raw.kind, raw.n, raw.ints) = (12, ints.len(), ints.as_ptr());
                self.ints.push(ints);
            }
            Arg::Values(list) => {
                let values = ids(list);
                (raw.kind, raw.n, raw.values) = (6, values.len(), values.as_ptr());
                self.values.push(values);
            }
            Arg::Floats(list) => {
                let list = list.clone();
                (raw.kind, raw.n, raw.floats) = (7, list.len(), list.as_ptr());
                self.floats.push(list);
            }
            Arg::Graph(graph) => (raw.kind, raw.subgraph) = (11, graph.handle.cast_const()),
            Arg::Graphs(list) => {
                let list: Vec<_> = list.iter().map(|g| g.handle.cast_const()).collect();
                (raw.kind, raw.n, raw.subgraphs) = (17, list.len(), list.as_ptr());
                self.graphs.push(list);
            }
            Arg::Named(name, arg) => {
                raw = self.one(arg)?;
                self.texts.push(c_text("a name", name)?);
                raw.name = self.texts[self.texts.len() - 1].as_ptr();
            }
        }
        Ok(raw)
    }
}

pub(crate) fn ids(list: &[Option<Value>]) -> Vec<u64> {
    list.iter().map(|v| v.map_or(0, |v| v.0)).collect()
}
pub(crate) fn value(id: u64) -> Option<Value> {
    (id != 0).then_some(Value(id))
}

/// A tensor's type as C takes it, for as long as `f` runs.
pub(crate) fn with_spec<T>(dtype: Dtype, shape: &[Size], f: impl FnOnce(&sys::litz_tensor_spec) -> T) -> T {
    let sizes: Vec<i64> = shape.iter().map(|s| if let Size::Fixed(n) = s { *n } else { 0 }).collect();
    let symbols: Vec<u64> = shape.iter().map(|s| if let Size::Symbol(v) = s { v.0 } else { 0 }).collect();
    f(&sys::litz_tensor_spec {
        struct_size: std::mem::size_of::<sys::litz_tensor_spec>(),
        dtype: dtype.dl(),
        device: sys::DLDevice { device_type: 1, device_id: 0 },
        ndim: shape.len() as i32,
        requires_grad: 0,
        shape: sizes.as_ptr(),
        symbols: symbols.as_ptr(),
        strides: std::ptr::null(),
    })
}

impl Graph {
    /// An empty graph. Operators of the options' registry may be called.
    pub fn new(name: &str, options: &Options) -> Result<Graph, Error> {
        let library = sys::library()?;
        let name = c_text("the name", name)?;
        // SAFETY: the name ends with NUL and the options are alive.
        Graph::made(options, |out, err| unsafe {
            (library.graph_new)(name.as_ptr(), options.handle, out, err)
        })
    }

    fn added(
        &self,
        name: &str,
        f: impl FnOnce(&sys::Library, *const std::ffi::c_char, *mut u64, *mut *mut sys::litz_error) -> i32,
    ) -> Result<Value, Error> {
        let library = sys::library()?;
        let name = c_text("the name", name)?;
        let mut id = 0;
        call(|err| f(library, name.as_ptr(), &mut id, err))?;
        Ok(Value(id))
    }

    /// A size that is known at run time only, from `min` to `max`; `hint` is a typical one.
    pub fn symbol(&self, name: &str, min: i64, max: Option<i64>, hint: Option<i64>) -> Result<Value, Error> {
        // SAFETY: the handle is ours and the name ends with NUL.
        self.added(name, |library, name, id, err| unsafe {
            (library.graph_symbol)(self.handle, name, min, max.unwrap_or(-1), hint.unwrap_or(-1), id, err)
        })
    }

    /// A number that is given to each run: int64, bool or float64.
    pub fn scalar_input(&self, name: &str, dtype: Dtype, min: i64, max: Option<i64>) -> Result<Value, Error> {
        // SAFETY: as for `symbol`.
        self.added(name, |library, name, id, err| unsafe {
            (library.graph_scalar_input)(self.handle, name, dtype as i32, min, max.unwrap_or(-1), id, err)
        })
    }

    /// A tensor that is given to each run.
    pub fn input(&self, name: &str, dtype: Dtype, shape: &[Size]) -> Result<Value, Error> {
        // SAFETY: as for `symbol`; the spec lives until the call ends.
        self.added(name, |library, name, id, err| {
            with_spec(dtype, shape, |spec| unsafe { (library.graph_input)(self.handle, name, spec, id, err) })
        })
    }

    /// A tensor with its data, which are copied.
    pub fn constant(&self, name: &str, kind: Kind, data: &Tensor) -> Result<Value, Error> {
        let given = [data];
        let given = borrowed(&given);
        let data = given.pointers();
        // SAFETY: as for `symbol`; the tensor is borrowed until the call ends.
        self.added(name, |library, name, id, err| unsafe {
            (library.graph_constant)(self.handle, name, kind as i32, 0, data[0], id, err)
        })
    }

    /// A tensor of a file of weights, whose data stay in the file. One in GGUF's blocks is unpacked to float32 by the program.
    pub fn weight(
        &self,
        weights: &Weights,
        tensor: &str,
        name: Option<&str>,
        kind: Kind,
    ) -> Result<Value, Error> {
        let name = name.map(|n| c_text("the name", n)).transpose()?;
        let own = name.as_ref().map_or(std::ptr::null(), |n| n.as_ptr());
        // SAFETY: as for `symbol`; the weights are alive.
        self.added(tensor, |library, tensor, id, err| unsafe {
            (library.graph_weight)(self.handle, weights.handle, tensor, own, kind as i32, id, err)
        })
    }

    /// Adds an operator by its name, `"aten.add.Tensor"` or `"sym.mul"`, and gives all of its results.
    pub fn calls(&self, op: &str, args: &[Arg<'_>]) -> Result<Vec<Option<Value>>, Error> {
        let library = sys::library()?;
        let op = c_text("the operator", op)?;
        let args = Arguments::of(args)?;
        let (mut ids, mut n) = (vec![0; 8], 0);
        let once = |ids: &mut Vec<u64>, n: &mut usize| {
            // SAFETY: the handle is ours, and what the arguments point at is alive; there is room for as many results as stated.
            call(|err| unsafe {
                let (raw, out) = (args.raw.as_ptr(), ids.as_mut_ptr());
                (library.graph_call)(self.handle, op.as_ptr(), raw, args.raw.len(), out, ids.len(), n, err)
            })
        };
        match once(&mut ids, &mut n) {
            Err(error) if error.status == Status::CAPACITY => {
                ids.resize(n, 0);
                once(&mut ids, &mut n)?;
            }
            done => done?,
        }
        ids.truncate(n);
        Ok(ids.into_iter().map(value).collect())
    }

    /// [`Graph::calls`] of an operator with one result.
    pub fn call(&self, op: &str, args: &[Arg<'_>]) -> Result<Value, Error> {
        match self.calls(op, args)?[..] {
            [Some(value)] => Ok(value),
            ref other => Err(Error::invalid(format!("{op} has {} results: use `calls`", other.len()))),
        }
    }

    pub fn output(&self, name: &str, value: Value) -> Result<(), Error> {
        let library = sys::library()?;
        let name = c_text("the name", name)?;
        // SAFETY: the handle is ours.
        call(|err| unsafe { (library.graph_output)(self.handle, name.as_ptr(), value.0, err) })
    }

    /// An input, constant, output or symbol by its name.
    pub fn find(&self, name: &str) -> Result<Value, Error> {
        // SAFETY: the handle is ours.
        self.added(name, |library, name, id, err| unsafe { (library.graph_find)(self.handle, name, id, err) })
    }

    /// Dtype, shape, strides and producer of a tensor, or the range of a symbol, as JSON.
    pub fn describe_value(&self, value: Value) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.graph_value_describe)(self.handle, value.0, out, err) })
    }

    /// Appends the gradients of `outputs` with respect to `wrt`; `None` where no output depends on one. `cotangents` weigh the
    /// outputs; without them there is one output, of one element.
    pub fn differentiate(
        &self,
        outputs: &[Value],
        cotangents: Option<&[Option<Value>]>,
        wrt: &[Value],
    ) -> Result<Vec<Option<Value>>, Error> {
        let library = sys::library()?;
        if cotangents.is_some_and(|c| c.len() != outputs.len()) {
            return Err(Error::invalid("there must be a cotangent for each output"));
        }
        let (from, by): (Vec<u64>, Vec<u64>) =
            (outputs.iter().map(|v| v.0).collect(), wrt.iter().map(|v| v.0).collect());
        let weights = cotangents.map(ids);
        let weights = weights.as_ref().map_or(std::ptr::null(), |w| w.as_ptr());
        let mut gradients = vec![0; wrt.len()];
        // SAFETY: the handle is ours, and the lists are as long as stated.
        call(|err| unsafe {
            let out = gradients.as_mut_ptr();
            (library.graph_differentiate)(
                self.handle,
                from.as_ptr(),
                weights,
                from.len(),
                by.as_ptr(),
                by.len(),
                out,
                err,
            )
        })?;
        Ok(gradients.into_iter().map(value).collect())
    }

    /// The operators that `add` appends run one at a time: no kernel computes one of them together with another operator.
    pub fn unfused<R>(&self, add: impl FnOnce(&Graph) -> Result<R, Error>) -> Result<R, Error> {
        let first = self.nodes()?.len();
        let made = add(self)?;
        let nodes = self.nodes()?;
        let region = nodes.get(first..).unwrap_or_default();
        let library = sys::library()?;
        // SAFETY: the handle is ours, and the list is as long as stated.
        call(|err| unsafe {
            (library.graph_disable_fusion)(self.handle, region.as_ptr(), region.len(), err)
        })?;
        Ok(made)
    }

    /// The nodes in the order in which they run.
    fn nodes(&self) -> Result<Vec<sys::litz_node>, Error> {
        let library = sys::library()?;
        let mut count = 0;
        // SAFETY: the handle is ours, and the list is as long as stated.
        let listed = call(|err| unsafe {
            (library.graph_nodes)(self.handle, std::ptr::null_mut(), 0, &raw mut count, err)
        });
        match listed {
            Err(e) if e.status != Status::CAPACITY => return Err(e),
            _ => {}
        }
        let mut nodes = vec![0; count];
        // SAFETY: as above.
        call(|err| unsafe {
            (library.graph_nodes)(self.handle, nodes.as_mut_ptr(), count, &raw mut count, err)
        })?;
        Ok(nodes)
    }

    /// Appends one step of an optimizer ("sgd", "adamw", …), with its numbers by name.
    pub fn optimizer_step(
        &self,
        kind: &str,
        parameters: &[Value],
        gradients: &[Option<Value>],
        numbers: &[(&str, f64)],
    ) -> Result<(), Error> {
        let library = sys::library()?;
        if parameters.len() != gradients.len() {
            return Err(Error::invalid("there must be a gradient for each parameter"));
        }
        let kind = c_text("the optimizer", kind)?;
        let named: Vec<Arg<'_>> = numbers.iter().map(|(name, number)| Arg::named(name, *number)).collect();
        let args = Arguments::of(&named)?;
        let (own, given): (Vec<u64>, Vec<u64>) = (parameters.iter().map(|v| v.0).collect(), ids(gradients));
        // SAFETY: as for `differentiate`.
        call(|err| unsafe {
            let (raw, n) = (args.raw.as_ptr(), args.raw.len());
            (library.graph_optimizer_step)(
                self.handle,
                kind.as_ptr(),
                own.as_ptr(),
                given.as_ptr(),
                own.len(),
                raw,
                n,
                err,
            )
        })
    }
}
