//! Operators whose results' sizes depend on data. Each becomes, when it is built, the number of elements computed as a
//! tensor, `litz.bind`, which makes a symbol of that number, and operators that take the symbol as a size.
//!
//! Deliberately absent: how a run finds the number (see `loops::Control::Read`).

mod unique;

use super::{Builder, Infer, MetaError, numbers, parts, resized, suppression};
use crate::base::Status;
use crate::ir::{Arg, Guard, Value};
use crate::ops::{Form, OpId};
use crate::types::{Dtype, MemoryFormat, Range, SymInt};

type Results = Result<Vec<Value>, MetaError>;

/// What the operator gives on these arguments, which stand as its schema says; `None` where its sizes are known.
pub(super) fn expand(b: &mut Builder<'_>, op: OpId, form: Form, args: &[Arg]) -> Option<Results> {
    if expands_always(op) {
        let cx = Infer { graph: b.graph, op, args, guards: Vec::new() };
        if let Err(error) = numbers::wide_unsigned(&cx, &[]) {
            return Some(Err(error));
        }
    }
    let mut cx = Expand { b, op, args };
    Some(match op {
        OpId::Nonzero | OpId::Argwhere => cx.value("self").and_then(|v| Ok(vec![cx.places(v)?])),
        OpId::NonzeroNumpy => cx.value("self").and_then(|v| cx.columns(v)),
        OpId::WhereDefault => cx.value("condition").and_then(|v| cx.columns(v)),
        OpId::MaskedSelect => cx.masked_select(),
        OpId::Unique2 => cx.unique2(),
        OpId::UniqueConsecutive => cx.unique_consecutive(),
        OpId::UniqueDim => cx.unique_dim(),
        OpId::Bincount => cx.bincount(),
        OpId::Nms => cx.nms(),
        OpId::RepeatInterleaveTensor => cx.repeat_interleave(),
        OpId::RepeatInterleaveSelfTensor => cx.repeat_interleave_self(),
        OpId::Resize | OpId::ResizeAs if form == Form::InPlace => resized::resize(cx.b, op, args),
        OpId::Resize | OpId::ResizeAs => resized::resized_copy(cx.b, op, args),
        OpId::TensorSplitTensor => resized::split_by_tensor(cx.b, op, args),
        OpId::Cond => return cx.cond(),
        OpId::CtcLoss => return cx.ctc_loss(),
        OpId::Chunk
        | OpId::UnsafeChunk
        | OpId::SplitTensor
        | OpId::UnsafeSplitTensor
        | OpId::SplitCopyTensor
        | OpId::UnbindInt
        | OpId::UnbindCopyInt => return parts::expand(cx.b, op, args),
        OpId::PaddedDenseToJagged if args[2] == Arg::None => cx.jagged(),
        OpId::Switch => super::switch::expand(cx.b, args),
        OpId::IndexTensor | OpId::IndexPut | OpId::UnsafeIndexPut => return cx.masks(form),
        _ => return None,
    })
}

/// Operators that [`expand`] never leaves a node of.
pub fn expands_always(op: OpId) -> bool {
    use OpId::*;
    matches!(
        op,
        Nonzero
            | Argwhere
            | NonzeroNumpy
            | WhereDefault
            | MaskedSelect
            | Unique2
            | UniqueConsecutive
            | UniqueDim
            | Bincount
            | Nms
            | RepeatInterleaveTensor
            | RepeatInterleaveSelfTensor
            | Resize
            | ResizeAs
            | TensorSplitTensor
            | Switch
    )
}

struct Expand<'b, 'g> {
    b: &'b mut Builder<'g>,
    op: OpId,
    args: &'b [Arg],
}

fn v(value: Value) -> Arg {
    Arg::Value(value)
}

impl Builder<'_> {
    /// A symbol for the number in a tensor of one element, known once that is computed: an integer, a bool as 0 and 1,
    /// a float as its bits.
    pub fn read_number(&mut self, value: Value, symbol: SymInt) -> Result<(), MetaError> {
        let meta = self.graph.meta(value).clone();
        let dtype = match meta.dtype {
            Dtype::Bool => Dtype::Bool,
            d if d.is_float() => Dtype::Float64,
            d if d.is_complex() => {
                let message = "a complex number as a number of the program";
                return Err(MetaError::new(Status::Unsupported, "graph", message));
            }
            _ => Dtype::Int64,
        };
        let mut value = value;
        if meta.rank() > 0 {
            value = self.op("aten.reshape.default", vec![v(value), Arg::Ints(Vec::new())])?;
        }
        if meta.dtype != dtype {
            value =
                self.op_with("aten._to_copy.default", vec![v(value)], vec![("dtype", Arg::Dtype(dtype))])?;
        }
        self.call(OpId::Bind, Form::Functional, vec![v(value), Arg::Int(symbol)]).map(|_| ())
    }
    /// A new symbol that data give. Its name is no declared symbol's, since graphs that nodes run find symbols by name.
    pub fn data_symbol(&mut self, range: Range) -> SymInt {
        let syms = &self.graph.syms;
        let is_taken = |name: &String| {
            let named = |s: &SymInt| syms.as_symbol(*s).is_some_and(|id| syms.symbol_name(id) == *name);
            self.graph.symbols.iter().any(named)
        };
        let mut names = (self.graph.binds..).map(|k| format!("u{k}"));
        let name = names.find(|name| !is_taken(name)).unwrap_or_default();
        syms.symbol(&name, range, None)
    }
}

impl Expand<'_, '_> {
    fn error(&self, status: Status, message: impl Into<String>) -> MetaError {
        MetaError::new(status, self.op.name(), message)
    }
    fn arg(&self, name: &str) -> Arg {
        self.op.schema().arg(name).map_or(Arg::None, |k| self.args[k].clone())
    }
    fn value(&self, name: &str) -> Result<Value, MetaError> {
        match self.arg(name) {
            Arg::Value(value) => Ok(value),
            _ => Err(self.error(Status::InvalidArgument, format!("argument `{name}` must be a tensor"))),
        }
    }
    fn flag(&self, name: &str) -> bool {
        self.arg(name) == Arg::Bool(true)
    }
    fn known(&self, name: &str) -> Option<i64> {
        match self.arg(name) {
            Arg::Int(n) => self.b.graph.syms.as_const(n),
            _ => None,
        }
    }
    fn int(&self, n: i64) -> Arg {
        Arg::Int(self.b.graph.syms.constant(n))
    }
    fn ints(&self, list: &[i64]) -> Arg {
        Arg::Ints(list.iter().map(|n| self.b.graph.syms.constant(*n)).collect())
    }
    fn call(&mut self, name: &str, args: Vec<Arg>) -> Result<Value, MetaError> {
        self.b.op(name, args)
    }
    fn shape(&self, value: Value) -> Vec<SymInt> {
        self.b.graph.meta(value).shape.clone()
    }
    fn dtype(&self, value: Value) -> Dtype {
        self.b.graph.meta(value).dtype
    }
    fn numel(&self, value: Value) -> SymInt {
        self.b.graph.meta(value).numel(&self.b.graph.syms)
    }
    fn cast(&mut self, value: Value, dtype: Dtype) -> Result<Value, MetaError> {
        if self.dtype(value) == dtype {
            return Ok(value);
        }
        self.b.op_with("aten._to_copy.default", vec![v(value)], vec![("dtype", Arg::Dtype(dtype))])
    }
    fn flat(&mut self, value: Value) -> Result<Value, MetaError> {
        let size = self.numel(value);
        self.call("aten.reshape.default", vec![v(value), Arg::Ints(vec![size])])
    }
    fn dim(&self, given: i64, rank: usize) -> Result<usize, MetaError> {
        let n = rank.max(1) as i64;
        if given < -n || given >= n {
            return Err(
                self.error(Status::InvalidArgument, format!("dimension {given} of a tensor of rank {rank}"))
            );
        }
        Ok(given.rem_euclid(n) as usize)
    }
    /// A run fails where not all elements hold.
    fn assert_all(&mut self, conditions: Value, message: &str) -> Result<(), MetaError> {
        let all = self.call("aten.all.default", vec![v(conditions)])?;
        let message = Arg::Str(format!("{}: {message}", self.op.name()));
        self.b.call(OpId::AssertAsyncMsg, Form::Functional, vec![v(all), message]).map(|_| ())
    }
    fn arange(&mut self, size: SymInt) -> Result<Value, MetaError> {
        self.b.op_with("aten.arange.default", vec![Arg::Int(size)], vec![("dtype", Arg::Dtype(Dtype::Int64))])
    }
    /// A number that is in a tensor, as a symbol.
    fn bind(&mut self, number: Value, range: Range) -> Result<SymInt, MetaError> {
        let symbol = self.b.data_symbol(range);
        self.b.read_number(number, symbol)?;
        Ok(symbol)
    }
    /// Targets that lie one behind another are rows as long as the longest.
    fn ctc_loss(&mut self) -> Option<Results> {
        let targets = self.args[1].value()?;
        let is_line = self.b.graph.meta(targets).rank() == 1;
        is_line.then(|| self.b.call_named("litz.ctc_loss_of_line.default", self.args.to_vec(), Vec::new()))
    }
    /// Sizes that differ between branches are new symbols.
    fn cond(&mut self) -> Option<Results> {
        let (Arg::Graph(yes), Arg::Graph(no), Arg::Ints(sizes)) =
            (self.arg("true_fn"), self.arg("false_fn"), self.arg("sizes"))
        else {
            return None;
        };
        let syms = self.b.graph.syms.clone();
        let shapes = |g: &crate::ir::Graph| -> Vec<Vec<SymInt>> {
            let tensors = g.outputs.iter().filter_map(|o| match o.value {
                crate::ir::OutputValue::Tensor(v) => Some(g.meta(v).shape.clone()),
                crate::ir::OutputValue::Number(_) => None,
            });
            tensors.collect()
        };
        let (yes, no) = (shapes(&yes.0), shapes(&no.0));
        if !sizes.is_empty() || yes.len() != no.len() || yes.iter().zip(&no).any(|(a, b)| a.len() != b.len())
        {
            return None;
        }
        let pairs = yes.iter().flatten().zip(no.iter().flatten());
        let differing: Vec<(SymInt, SymInt)> =
            pairs.filter(|(a, b)| !syms.known_eq(**a, **b)).map(|(a, b)| (*a, *b)).collect();
        if differing.is_empty() {
            return None;
        }
        let symbol = |(a, b): (SymInt, SymInt)| {
            let (a, b) = (syms.range(a), syms.range(b));
            self.b.data_symbol(Range::new(a.min.min(b.min).max(0), a.max.max(b.max)))
        };
        let sizes: Vec<SymInt> = differing.into_iter().map(symbol).collect();
        let mut args = self.args.to_vec();
        if let Some(k) = self.op.schema().arg("sizes") {
            args[k] = Arg::Ints(sizes);
        }
        Some(self.b.call(self.op, Form::Functional, args))
    }

    /// Rows as many as the last offset says.
    fn jagged(&mut self) -> Results {
        let Arg::Values(offsets) = self.arg("offsets") else {
            return Err(self.error(Status::InvalidArgument, "`offsets` must be tensors"));
        };
        let Some(Some(offsets)) = offsets.first() else {
            return Err(self.error(Status::InvalidArgument, "`offsets` must be a tensor"));
        };
        let (dim, last) = (self.int(0), self.int(-1));
        let total = self.call("aten.select.int", vec![v(*offsets), dim, last])?;
        let total = self.bind(total, Range::size())?;
        let mut args = self.args.to_vec();
        args[2] = Arg::Int(total);
        self.b.call(self.op, Form::Functional, args)
    }

    /// How many elements are not zero: at most all.
    fn count(&mut self, value: Value) -> Result<SymInt, MetaError> {
        let most = self.b.graph.syms.range(self.numel(value)).max;
        let count = self.call("aten.count_nonzero.default", vec![v(value)])?;
        self.bind(count, Range::new(0, most))
    }

    /// `[count, rank]`: where the elements are that are not zero, in order.
    fn nonzero(&mut self, value: Value) -> Result<Value, MetaError> {
        let count = self.count(value)?;
        self.nonzero_of(value, count)
    }
    fn nonzero_of(&mut self, value: Value, count: SymInt) -> Result<Value, MetaError> {
        self.b.op_with("aten.nonzero_static.default", vec![v(value)], vec![("size", Arg::Int(count))])
    }
    /// [`Self::nonzero`] as PyTorch lays it out: the places along one dimension side by side.
    fn places(&mut self, value: Value) -> Result<Value, MetaError> {
        let places = self.nonzero(value)?;
        self.outermost(places, 1)
    }
    /// A copy in which a dimension is the outermost one in memory.
    fn outermost(&mut self, value: Value, dim: usize) -> Result<Value, MetaError> {
        if dim == 0 || self.shape(value).len() < 2 {
            return Ok(value);
        }
        let (dim, first) = (self.int(dim as i64), self.int(0));
        let moved = self.call("aten.movedim.int", vec![v(value), dim.clone(), first.clone()])?;
        let format = vec![("memory_format", Arg::MemoryFormat(MemoryFormat::Contiguous))];
        let copy = self.b.op_with("aten.clone.default", vec![v(moved)], format)?;
        self.call("aten.movedim.int", vec![v(copy), first, dim])
    }
    /// The columns of [`Self::nonzero`].
    fn coordinates(&mut self, value: Value) -> Results {
        let mut value = value;
        if self.b.graph.meta(value).rank() == 0 {
            value = self.call("aten.unsqueeze.default", vec![v(value), self.int(0)])?;
        }
        let rank = self.b.graph.meta(value).rank();
        let places = self.nonzero(value)?;
        self.select_columns(places, rank)
    }
    /// [`Self::coordinates`], as views of what [`Self::places`] gives.
    fn columns(&mut self, value: Value) -> Results {
        if self.b.graph.meta(value).rank() == 0 {
            return self.coordinates(value);
        }
        let places = self.places(value)?;
        self.select_columns(places, self.b.graph.meta(value).rank())
    }
    fn select_columns(&mut self, places: Value, rank: usize) -> Results {
        (0..rank as i64)
            .map(|k| self.call("aten.select.int", vec![v(places), self.int(1), self.int(k)]))
            .collect()
    }

    /// The kept boxes in the order of their scores.
    fn nms(&mut self) -> Results {
        let (kept, order) = suppression::kept(self.b, self.op, self.args)?;
        let places = self.coordinates(kept)?;
        Ok(vec![self.call("aten.index_select.default", vec![v(order), self.int(0), v(places[0])])?])
    }

    fn masked_select(&mut self) -> Results {
        let (own, mask) = (self.value("self")?, self.value("mask")?);
        if self.dtype(mask) != Dtype::Bool {
            return Err(self.error(Status::Dtype, format!("the mask is {}, not bool", self.dtype(mask))));
        }
        let (mut own, mut mask) = (own, mask);
        if self.shape(own) != self.shape(mask) {
            own = self.call("aten.where.self", vec![v(mask), v(own), v(own)])?;
            let shape = self.shape(own);
            mask = self.call("aten.expand.default", vec![v(mask), Arg::Ints(shape)])?;
        }
        let (own, mask) = (self.flat(own)?, self.flat(mask)?);
        let places = self.coordinates(mask)?;
        Ok(vec![self.call("aten.index_select.default", vec![v(own), self.int(0), v(places[0])])?])
    }

    /// An index by masks is one by the places where they hold.
    fn masks(&mut self, form: Form) -> Option<Results> {
        let Arg::Values(list) = self.arg("indices") else { return None };
        let is_mask = |value: &Value| matches!(self.dtype(*value), Dtype::Bool | Dtype::Uint8);
        let masks = list.iter().flatten().filter(|m| is_mask(m)).count();
        // What is written where a single mask holds needs no places, unless each place has a value of its own.
        let alone = self.op != OpId::IndexTensor && list.iter().flatten().count() == 1;
        if masks == 0
            || alone
                && list.iter().flatten().all(|m| self.dtype(*m) == Dtype::Bool)
                && !self.has_values_of_places(&list)
        {
            return None;
        }
        Some(self.index_by_places(list, form))
    }
    /// True for an `index_put` whose values have a dimension for the elements that the mask chooses.
    fn has_values_of_places(&self, list: &[Option<Value>]) -> bool {
        let Some((at, Some(mask))) = list.iter().enumerate().find(|(_, m)| m.is_some()) else { return false };
        let (Ok(own), Ok(values)) = (self.value("self"), self.value("values")) else { return false };
        let masked = self.shape(*mask).len();
        let (own, values) = (self.shape(own), self.shape(values));
        let behind = own.len().saturating_sub(at + masked);
        let chosen = values.len().checked_sub(behind + 1).map(|k| values[k]);
        masked > 0 && chosen.is_some_and(|size| self.b.graph.syms.as_const(size) != Some(1))
    }
    fn index_by_places(&mut self, list: Vec<Option<Value>>, form: Form) -> Results {
        let own = self.shape(self.value("self")?);
        let mut places: Vec<Option<Value>> = Vec::new();
        for index in list {
            let Some(index) = index.filter(|i| matches!(self.dtype(*i), Dtype::Bool | Dtype::Uint8)) else {
                places.push(index);
                continue;
            };
            let mask = self.shape(index);
            let at = places.len();
            if mask.is_empty() || at + mask.len() > own.len() {
                return Err(self.error(
                    Status::Unsupported,
                    format!(
                        "a mask of rank {} at dimension {at} of a tensor of rank {}",
                        mask.len(),
                        own.len()
                    ),
                ));
            }
            for (k, size) in mask.iter().enumerate() {
                self.require_equal(*size, own[at + k])?;
            }
            places.extend(self.coordinates(index)?.into_iter().map(Some));
        }
        let mut args = self.args.to_vec();
        if let Some(k) = self.op.schema().arg("indices") {
            args[k] = Arg::Values(places);
        }
        self.b.call(self.op, form, args)
    }
    fn require_equal(&mut self, a: SymInt, b: SymInt) -> Result<(), MetaError> {
        let syms = self.b.graph.syms.clone();
        let condition = syms.eq(a, b);
        let message = format!(
            "{}: the mask's size {} is not the tensor's, {}",
            self.op.name(),
            syms.display(a),
            syms.display(b)
        );
        match syms.decide(condition) {
            Some(true) => Ok(()),
            Some(false) => Err(self.error(Status::Shape, message)),
            None => {
                self.b.graph.guards.push(Guard { condition, message });
                Ok(())
            }
        }
    }

    fn bincount(&mut self) -> Results {
        let own = self.value("self")?;
        let least = self.known("minlength").unwrap_or(0);
        if least < 0 || self.shape(own).len() != 1 {
            return Err(self.error(
                Status::InvalidArgument,
                "counts a tensor of one dimension; minlength is not negative",
            ));
        }
        let dtype = self.dtype(own);
        if !dtype.is_integer() {
            return Err(self.error(Status::Dtype, format!("counts integers, not {dtype}")));
        }
        if self.b.graph.syms.as_const(self.shape(own)[0]) == Some(0) {
            // As PyTorch, whatever the weights are.
            let named = vec![("dtype", Arg::Dtype(Dtype::Int64))];
            return Ok(vec![self.b.op_with("aten.zeros.default", vec![self.ints(&[least])], named)?]);
        }
        let own = self.cast(own, Dtype::Int64)?;
        // The number beside the elements makes the least size, and serves an empty tensor.
        let (one, least_last) = (self.ints(&[1]), self.int(least - 1));
        let named = vec![("dtype", Arg::Dtype(Dtype::Int64))];
        let edge = self.b.op_with("aten.full.default", vec![one, least_last], named)?;
        let all = self.call("aten.cat.default", vec![Arg::Values(vec![Some(own), Some(edge)])])?;
        let most = self.call("aten.amax.default", vec![v(all)])?;
        let size = self.call("aten.add.Scalar", vec![v(most), self.int(1)])?;
        let size = self.bind(size, Range::new(least, i64::MAX))?;
        let weights = match self.arg("weights") {
            Arg::Value(w) if self.dtype(w) == Dtype::Float32 => w,
            Arg::Value(w) => self.cast(w, Dtype::Float64)?,
            _ => self.call("aten.ones_like.default", vec![v(own)])?,
        };
        let dtype = vec![("dtype", Arg::Dtype(self.dtype(weights)))];
        let zeros = self.b.op_with("aten.zeros.default", vec![Arg::Ints(vec![size])], dtype)?;
        Ok(vec![self.call("aten.scatter_add.default", vec![v(zeros), self.int(0), v(own), v(weights)])?])
    }

    /// Each index as often as it is asked for.
    fn repeated(&mut self, repeats: Value) -> Result<Value, MetaError> {
        let (rank, dtype) = (self.shape(repeats).len(), self.dtype(repeats));
        if rank != 1 {
            return Err(self.error(Status::Shape, format!("`repeats` must be a vector, not of rank {rank}")));
        }
        if !matches!(dtype, Dtype::Int64 | Dtype::Int32) {
            return Err(self.error(Status::Dtype, format!("`repeats` must be int64 or int32, not {dtype}")));
        }
        let right = self.call("aten.ge.Scalar", vec![v(repeats), self.int(0)])?;
        self.assert_all(right, "`repeats` must not be negative")?;
        let wide = self.cast(repeats, Dtype::Int64)?;
        // Each count is at most an equal share of 2^62, so that the sum stays within int64.
        let syms = &self.b.graph.syms;
        let counts = syms.max(self.shape(repeats)[0], syms.constant(1));
        let share = syms.floordiv(syms.constant(1 << 62), counts);
        let right = self.call("aten.le.Scalar", vec![v(wide), Arg::Int(share)])?;
        self.assert_all(right, "`repeats` are too large to be added")?;
        let ends = self.call("aten.cumsum.default", vec![v(wide), self.int(0)])?;
        let all = self.call("aten.sum.default", vec![v(wide)])?;
        let size = match self.arg("output_size") {
            Arg::Int(size) => {
                let right = self.call("aten.eq.Scalar", vec![v(all), Arg::Int(size)])?;
                self.assert_all(right, "`output_size` is not the sum of `repeats`")?;
                size
            }
            _ => self.bind(all, Range::size())?,
        };
        let position = self.arange(size)?;
        self.b.op_with(
            "aten.searchsorted.Tensor",
            vec![v(ends), v(position)],
            vec![("right", Arg::Bool(true))],
        )
    }
    fn repeat_interleave(&mut self) -> Results {
        let repeats = self.value("repeats")?;
        let dtype = self.dtype(repeats);
        let index = self.repeated(repeats)?;
        Ok(vec![self.cast(index, dtype)?])
    }
    fn repeat_interleave_self(&mut self) -> Results {
        let (own, mut repeats) = (self.value("self")?, self.value("repeats")?);
        let (own, dim) = match self.known("dim") {
            Some(_) if self.shape(own).is_empty() => {
                let message = "a 0-d tensor has no dimension to repeat elements along";
                return Err(self.error(Status::Shape, message));
            }
            Some(given) => (own, self.dim(given, self.shape(own).len())?),
            None => (self.flat(own)?, 0),
        };
        let size = self.shape(own)[dim];
        let one = self.b.graph.syms.constant(1);
        if self.shape(repeats).len() > 1 {
            return Err(self.error(Status::Shape, "`repeats` must be a number or a vector"));
        }
        if self.shape(repeats).is_empty() || self.shape(repeats)[0] == one && size != one {
            repeats = self.call("aten.expand.default", vec![v(repeats), Arg::Ints(vec![size])])?;
        }
        let given = self.shape(repeats)[0];
        self.require_equal(given, size)?;
        let index = self.repeated(repeats)?;
        Ok(vec![self.call("aten.index_select.default", vec![v(own), self.int(dim as i64), v(index)])?])
    }
}
