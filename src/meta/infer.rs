//! Running a meta rule: access to arguments, and questions about symbols.

use super::{numbers, rules};
use crate::base::{Boxed, Status, is_planted};
use crate::ir::host::HostResult;
use crate::ir::{Arg, Graph, Guard, OriginId, Value};
use crate::ops::{Complex, Form, OpId, for_each_op};
use crate::types::{Dtype, Scalar, SymArena, SymInt, TensorMeta};

/// An operator that cannot be applied to its arguments.
pub type MetaError = Boxed<MetaErrorFields>;

#[derive(Clone, Debug, thiserror::Error)]
#[error("{op}: {message}")]
pub struct MetaErrorFields {
    pub status: Status,
    pub op: &'static str,
    pub message: String,
    /// The nodes of the user's program that it is about, where a stage of a compilation found it.
    pub origins: Vec<OriginId>,
}

impl MetaError {
    pub fn new(status: Status, op: &'static str, message: impl Into<String>) -> MetaError {
        Boxed::of(MetaErrorFields { status, op, message: message.into(), origins: Vec::new() })
    }
    /// Says what node it is about, if nobody has yet.
    pub fn at(mut self, origins: &[OriginId]) -> MetaError {
        if self.origins.is_empty() {
            self.origins = origins.to_vec();
        }
        self
    }
    pub fn status(&self) -> Status {
        self.status
    }
}

/// A number argument: known now, or a symbol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarArg {
    Known(Scalar),
    Symbolic(SymInt),
    /// A float's bits.
    SymFloat(SymInt),
}

/// What a rule sees: one operator's arguments and the facts about them.
pub struct Infer<'a> {
    pub graph: &'a Graph,
    pub op: OpId,
    pub args: &'a [Arg],
    /// Conditions that the results depend on and ranges alone do not decide.
    pub guards: Vec<Guard>,
}

/// The results of an operator on these arguments, and the guards they rest on.
pub fn infer(graph: &Graph, op: OpId, args: &[Arg]) -> Result<(Vec<TensorMeta>, Vec<Guard>), MetaError> {
    let mut cx = Infer { graph, op, args, guards: Vec::new() };
    let results = results(&mut cx)?;
    Ok((results, cx.guards))
}

/// What the rule says, and what is asked of every operator.
fn results(cx: &mut Infer<'_>) -> Result<Vec<TensorMeta>, MetaError> {
    let complex = takes_complex(cx.graph, cx.op, cx.args)?;
    let mut results = rule_of(cx.op)(cx)?;
    if complex
        && cx.op.is_real_of_complex()
        && let Some(first) = results.first_mut()
    {
        first.dtype = first.dtype.part();
    }
    // A fault that tests plant: wrong where a size is not known.
    if is_planted("wrong strides") && cx.op == OpId::Exp {
        for meta in results.iter_mut().filter(|m| cx.graph.syms.as_consts(&m.shape).is_none()) {
            if let Some(first) = meta.strides.first_mut() {
                *first = cx.graph.syms.add_const(*first, 1);
            }
        }
    }
    possible(cx, &results)?;
    numbers::check(cx, &results)?;
    Ok(results)
}

/// Whether complex numbers are among the arguments, which the operator then must take.
pub(super) fn takes_complex(graph: &Graph, op: OpId, args: &[Arg]) -> Result<bool, MetaError> {
    let name = if let [Arg::Call(call)] = args { call.operator.name } else { op.name() };
    let refused = |message| MetaError::new(Status::Unsupported, name, message);
    let mut found = args.iter().any(|a| matches!(a, Arg::Complex(_)));
    for value in args.iter().flat_map(Arg::values) {
        match graph.meta(value).dtype {
            Dtype::Complex32 => return Err(refused("operands of dtype complex32")),
            Dtype::Float16 if makes_complex(op) => return Err(refused("a result of dtype complex32")),
            dtype if dtype.is_float8() && !op.takes_float8() => {
                return Err(MetaError::new(Status::Unsupported, name, format!("operands of dtype {dtype}")));
            }
            dtype => found |= dtype.is_complex(),
        }
    }
    if found && op.complex() == Complex::Refused {
        return Err(refused("takes no complex numbers"));
    }
    Ok(found)
}

/// Whether the operator makes complex numbers of parts.
fn makes_complex(op: OpId) -> bool {
    use OpId::{ComplexDefault, Polar, ViewAsComplex, ViewAsComplexCopy};
    matches!(op, ComplexDefault | Polar | ViewAsComplex | ViewAsComplexCopy)
}

/// As many dimensions as PyTorch's tensors may have, and the executor's.
pub const MOST_DIMENSIONS: usize = 64;

/// Inputs and constants have no more dimensions than results may have, and strides that fit 64 bits.
pub fn check_dimensions(graph: &Graph) -> Result<(), MetaError> {
    let inputs = graph.inputs.iter().map(|i| ("input", &i.name, i.value));
    let constants = graph.constants.iter().map(|c| ("constant", &c.name, c.value));
    for (kind, name, value) in inputs.chain(constants) {
        let rank = graph.meta(value).rank();
        if rank > MOST_DIMENSIONS {
            let message = format!("`{name}` has {rank} dimensions, more than {MOST_DIMENSIONS}");
            return Err(MetaError::new(Status::Unsupported, kind, message));
        }
        let meta = graph.meta(value);
        if let Some(stride) = meta.strides.iter().find(|stride| overflows(&graph.syms, **stride)) {
            let stride = graph.syms.display(*stride);
            let message = format!("`{name}` would have a stride of {stride}, more than 63 bits can count");
            return Err(MetaError::new(Status::Shape, kind, message));
        }
    }
    Ok(())
}

/// True for a number that does not fit 64 bits, which is kept as the expression that it was.
fn overflows(syms: &SymArena, number: SymInt) -> bool {
    syms.as_const(number).is_none() && syms.symbols(number).is_empty()
}

/// Results that memory could hold if there were enough of it: what is larger is a mistake, best told where it is made.
fn possible(cx: &Infer<'_>, results: &[TensorMeta]) -> Result<(), MetaError> {
    for result in results {
        if result.rank() > MOST_DIMENSIONS {
            let message =
                format!("the result would have {} dimensions, more than {MOST_DIMENSIONS}", result.rank());
            return Err(cx.error(Status::Unsupported, message));
        }
        let syms = cx.syms();
        if let Some(size) = result.shape.iter().find(|size| overflows(syms, **size)) {
            let message = format!(
                "the result would have a size of {}, more than 63 bits can count",
                syms.display(*size)
            );
            return Err(cx.shape_error(message));
        }
        // A tensor without elements has strides, too.
        if let Some(stride) = result.strides.iter().find(|stride| overflows(syms, **stride)) {
            let message = format!(
                "the result would have a stride of {}, more than 63 bits can count",
                syms.display(*stride)
            );
            return Err(cx.shape_error(message));
        }
        let Some(sizes) = syms.as_consts(&result.shape) else { continue };
        let item = result.dtype.size() as i64;
        if !sizes.contains(&0) && sizes.iter().try_fold(item, |n, size| n.checked_mul(*size)).is_none() {
            let message =
                format!("the result of shape {sizes:?} would have more bytes than 63 bits can count");
            return Err(cx.shape_error(message));
        }
    }
    Ok(())
}

/// [`infer`] for a form: what an in-place call gives is its first argument, whose shape and dtype stay; a result that
/// does not fit there is an error, as in PyTorch.
pub fn infer_form(
    graph: &Graph,
    op: OpId,
    form: Form,
    args: &[Arg],
) -> Result<(Vec<TensorMeta>, Vec<Guard>), MetaError> {
    let mut cx = Infer { graph, op, args, guards: Vec::new() };
    let mut results = results(&mut cx)?;
    if form == Form::InPlace
        && let [Arg::Call(call)] = args
    {
        // The operator's own results, of which some are what it writes to.
        let new = results.len() - call.written().len();
        let own = call.operator.results(new).into_iter().map(|result| match result {
            HostResult::New(k) => Ok(results[k].clone()),
            HostResult::Argument(k) => match call.args[k].value() {
                Some(value) => Ok(graph.meta(value).clone()),
                None => Err(MetaError::new(
                    Status::InvalidArgument,
                    call.operator.name,
                    "a result is an argument that is not given",
                )),
            },
        });
        return Ok((own.collect::<Result<_, _>>()?, cx.guards));
    }
    if form == Form::InPlace
        && let (Some(Arg::Value(target)), Some(result)) = (args.first(), results.first_mut())
    {
        let own = graph.meta(*target);
        if result.dtype.category() > own.dtype.category() {
            let message =
                format!("the result is {}, which can't be cast to {} in place", result.dtype, own.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
        // As PyTorch: a dtype that is asked for must be the one that is there.
        let asked = op.schema().arg("dtype").and_then(|_| cx.dtype("dtype"));
        let exact = matches!(op, OpId::FloatPowerTensorTensor | OpId::FloatPowerTensorScalar);
        if asked.is_some_and(|dtype| dtype != own.dtype) || exact && result.dtype != own.dtype {
            let message = format!("the result is {}, which is not the {} of `self`", result.dtype, own.dtype);
            return Err(cx.error(Status::Dtype, message));
        }
        if op == OpId::Abs && own.dtype.is_complex() {
            return Err(
                cx.error(Status::Dtype, "magnitudes are real: there are none in place of complex numbers")
            );
        }
        let syms = &graph.syms;
        let message = format!(
            "the result of shape {} does not fit in place into {}",
            syms.display_list(&result.shape),
            syms.display_list(&own.shape)
        );
        if result.rank() != own.rank() {
            return Err(cx.shape_error(message));
        }
        for (a, b) in result.shape.iter().zip(&own.shape) {
            cx.require(syms.eq(*a, *b), message.clone())?;
        }
        *result = own.clone();
    }
    Ok((results, cx.guards))
}

type Rule = fn(&mut Infer<'_>) -> Result<Vec<TensorMeta>, MetaError>;

macro_rules! rule_table {
    ($($id:ident $name:literal $schema:literal $class:ident [$($form:ident)*] meta($meta:ident) $rule:ident($($f:ident)?) $($grad:ident($derivative:ident))?;)*) => {
        fn rule_of(op: OpId) -> Rule {
            match op { $(OpId::$id => rules::$meta,)* }
        }
    };
}
for_each_op!(rule_table);

impl<'a> Infer<'a> {
    pub fn syms(&self) -> &'a SymArena {
        &self.graph.syms
    }
    pub fn error(&self, status: Status, message: impl Into<String>) -> MetaError {
        MetaError::new(status, self.op.name(), message)
    }
    pub fn shape_error(&self, message: impl Into<String>) -> MetaError {
        self.error(Status::Shape, message)
    }
    /// The place of an argument in the schema; rules name arguments as PyTorch does.
    fn place(&self, name: &str) -> usize {
        self.op.schema().arg(name).unwrap_or_else(|| panic!("{} has no argument `{name}`", self.op.name()))
    }
    pub fn arg(&self, name: &str) -> &'a Arg {
        &self.args[self.place(name)]
    }
    pub fn value(&self, name: &str) -> Result<Value, MetaError> {
        match self.arg(name) {
            Arg::Value(v) => Ok(*v),
            _ => Err(self.error(Status::InvalidArgument, format!("argument `{name}` must be a tensor"))),
        }
    }
    pub fn optional_value(&self, name: &str) -> Option<Value> {
        self.arg(name).value()
    }
    pub fn meta(&self, name: &str) -> Result<&'a TensorMeta, MetaError> {
        Ok(self.graph.meta(self.value(name)?))
    }
    pub fn optional_meta(&self, name: &str) -> Option<&'a TensorMeta> {
        self.optional_value(name).map(|v| self.graph.meta(v))
    }
    /// The tensors of a list argument.
    pub fn metas(&self, name: &str) -> Result<Vec<&'a TensorMeta>, MetaError> {
        match self.arg(name) {
            Arg::Values(list) => Ok(list.iter().flatten().map(|v| self.graph.meta(*v)).collect()),
            _ => {
                Err(self
                    .error(Status::InvalidArgument, format!("argument `{name}` must be a list of tensors")))
            }
        }
    }
    pub fn int(&self, name: &str) -> Result<SymInt, MetaError> {
        self.optional_int(name).ok_or_else(|| {
            self.error(Status::InvalidArgument, format!("argument `{name}` must be an integer"))
        })
    }
    pub fn optional_int(&self, name: &str) -> Option<SymInt> {
        self.arg(name).int()
    }
    /// An integer that must be known when the graph is built (a dimension's number, a mode).
    pub fn known_int(&self, name: &str) -> Result<i64, MetaError> {
        let value = self.int(name)?;
        self.syms().as_const(value).ok_or_else(|| {
            let text = self.syms().display(value);
            self.error(Status::Unsupported, format!("argument `{name}` must be a constant, not `{text}`"))
        })
    }
    pub fn ints(&self, name: &str) -> Result<&'a [SymInt], MetaError> {
        self.optional_ints(name).ok_or_else(|| {
            self.error(Status::InvalidArgument, format!("argument `{name}` must be a list of integers"))
        })
    }
    pub fn optional_ints(&self, name: &str) -> Option<&'a [SymInt]> {
        self.arg(name).ints()
    }
    pub fn known_ints(&self, name: &str) -> Result<Vec<i64>, MetaError> {
        let list = self.ints(name)?;
        self.syms().as_consts(list).ok_or_else(|| {
            let text = self.syms().display_list(list);
            self.error(Status::Unsupported, format!("argument `{name}` must be constant, not `{text}`"))
        })
    }
    pub fn bool(&self, name: &str) -> bool {
        self.arg(name).is_true()
    }
    pub fn string(&self, name: &str) -> Option<&'a str> {
        self.arg(name).string()
    }
    pub fn dtype(&self, name: &str) -> Option<Dtype> {
        self.arg(name).dtype()
    }
    pub fn scalar(&self, name: &str) -> Option<ScalarArg> {
        match self.arg(name) {
            Arg::Int(v) => Some(match self.syms().as_const(*v) {
                Some(c) => ScalarArg::Known(Scalar::Int(c)),
                None => ScalarArg::Symbolic(*v),
            }),
            Arg::Float(v) => Some(ScalarArg::Known(Scalar::Float(*v))),
            Arg::SymFloat(v) => Some(ScalarArg::SymFloat(*v)),
            Arg::Bool(v) => Some(ScalarArg::Known(Scalar::Bool(*v))),
            _ => None,
        }
    }
    /// A dimension number, negative ones counted from the end; a 0-d tensor has dimension 0 (and -1).
    pub fn dim(&self, given: i64, rank: usize) -> Result<usize, MetaError> {
        let n = rank.max(1) as i64;
        if given < -n || given >= n {
            return Err(self.error(
                Status::InvalidArgument,
                format!("dimension {given} is outside [{}, {}] for a tensor of rank {rank}", -n, n - 1),
            ));
        }
        Ok((if given < 0 { given + n } else { given }) as usize)
    }
    /// Requires two lists of sizes to be equal, but for one dimension where one is left out.
    pub fn require_sizes(
        &mut self,
        have: &[SymInt],
        want: &[SymInt],
        skip: Option<usize>,
        message: &str,
    ) -> Result<(), MetaError> {
        if have.len() != want.len() {
            return Err(self.shape_error(message));
        }
        for (k, (a, b)) in have.iter().zip(want).enumerate() {
            if Some(k) != skip {
                self.require(self.syms().eq(*a, *b), message)?;
            }
        }
        Ok(())
    }
    /// Requires an argument that is a tensor to have no dimensions; numbers and absent ones pass.
    pub fn require_zero_dim(&self, name: &str) -> Result<(), MetaError> {
        match self.optional_meta(name).map(TensorMeta::rank) {
            None | Some(0) => Ok(()),
            Some(rank) => {
                Err(self.shape_error(format!("`{name}` must be 0-dimensional, not {rank}-dimensional")))
            }
        }
    }
    /// Makes sure that a 0/1 condition holds: by ranges, or by a guard; false for all values is an error.
    pub fn require(&mut self, condition: SymInt, message: impl Into<String>) -> Result<(), MetaError> {
        match self.syms().decide(condition) {
            Some(true) => Ok(()),
            Some(false) => Err(self.shape_error(message)),
            // A remainder of a division by zero, say, has no value that a guard could be of.
            None if self.syms().symbols(condition).is_empty() => Err(self.shape_error(message)),
            None => {
                let message = format!("{}: {}", self.op.name(), message.into());
                let guard = Guard { condition, message };
                if !self.guards.contains(&guard) {
                    self.guards.push(guard);
                }
                Ok(())
            }
        }
    }
}
