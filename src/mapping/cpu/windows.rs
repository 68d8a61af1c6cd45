//! Reductions over windows that share columns. Each column of elements is reduced once, into scratch; then each window is reduced from
//! its columns.
//!
//! A task computes several rows of windows in two passes. In the first, lanes are neighbouring columns, whatever the windows'
//! stride is. In the second, lanes are neighbouring windows. A window of 3 x 3 costs 3 + 3 steps instead of 9, and only the first
//! pass meets the edges of the image. The first pass finishes all rows of the task before the second begins: a load that straddles two
//! stores which are still in the store buffer would stall.

use super::loops::{Kept, Writer};
use crate::base::HashMap;
use crate::kernels::{
    Access, Axis, LocalId, Pointer, Shape, Space, Statement, Type, Unroll, Value, ValueId, accumulator,
    combination, identity,
};
use crate::loops::{Expr, ExprId, Program, ReductionOp};
use crate::mapping::emit::{Emitter, Operand, Span, Storage};
use crate::schedule::{INNER, Item, Loops, Stage};
use crate::types::{SymInt, SymNode, SymbolKind};

/// Rows of windows in a task, at most.
const ROWS: i64 = 16;
/// Bytes of scratch for the columns of a task, at most, unless one row takes more. They stay in L1 beside the elements that are read.
const NEAR: i64 = 4 << 10;
/// Elements of a window's side up to which its loop is unrolled.
const UNROLLED: i64 = 16;

/// How windows are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Windows {
    /// Rows of windows in a task.
    pub rows: i64,
    /// Columns from a window to the next.
    stride: i64,
    /// Windows do not overlap, and all their rows are walked as one, from the columns to the results.
    flat: bool,
    /// The columns with elements of the image. All others are padding that changes no result; scratch holds it from the beginning.
    inside: Option<Inside>,
}

/// Columns from the first to the one before the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inside {
    first: i64,
    last: SymInt,
}

/// The variables of a group of windows.
struct Axes {
    /// Rows of windows, and the windows of a row.
    row: SymInt,
    window: SymInt,
    windows: SymInt,
    /// The place of an element in its row of the window, which has `size` of them.
    place: SymInt,
    size: i64,
    /// Elements of a column.
    height: i64,
}

impl Axes {
    /// None where the loops are none of windows.
    fn of(program: &Program, loops: &Loops) -> Option<Axes> {
        let syms = &program.syms;
        let [.., rows, windows] = loops.outer[..] else { return None };
        let (last, before) = loops.stages.first()?.inner.split_last()?;
        let n = loops.outer.len() as u32;
        let row = syms.index_var(n - 2, rows);
        syms.as_symbol(row)?;
        let axes = Axes {
            row,
            window: syms.index_var(n - 1, windows),
            windows,
            place: syms.index_var(INNER + before.len() as u32, *last),
            size: syms.as_const(*last)?,
            height: syms.as_const(syms.product(before))?,
        };
        (!before.is_empty() && syms.range(windows).min > 0).then_some(axes)
    }

    /// Whether an index depends on the column.
    fn along(&self, program: &Program, index: SymInt) -> bool {
        let syms = &program.syms;
        [self.window, self.place]
            .into_iter()
            .any(|v| syms.as_symbol(v).is_some_and(|s| syms.depends_on(index, s)))
    }

    /// The columns that the windows of a row have together.
    fn columns(&self, program: &Program, stride: i64) -> SymInt {
        let syms = &program.syms;
        syms.add_const(syms.mul_const(syms.add_const(self.windows, -1), stride), self.size)
    }

    /// From one row's columns to the next in scratch. Whole vectors may be stored, which end behind a row's columns.
    fn pitch(&self, program: &Program, form: Windows, lanes: i64) -> SymInt {
        let (syms, columns) = (&program.syms, self.columns(program, form.stride));
        if form.flat {
            return columns;
        }
        let columns = syms.add_const(columns, form.before(lanes));
        syms.mul_const(syms.ceildiv(columns, syms.constant(lanes)), lanes)
    }

    /// Whether two passes take fewer steps than going through each window's elements: for a vector of windows, in loads.
    fn pays(&self, stride: i64, lanes: i64) -> bool {
        let load = match stride {
            1 => 1,
            // Two loads and a shuffle.
            2 => 3,
            _ => lanes,
        };
        let columns = stride.saturating_mul(self.height.saturating_add(1));
        let passes = columns.saturating_add(load.saturating_mul(self.size));
        passes <= load.saturating_mul(self.size).saturating_mul(self.height)
    }
}

impl Windows {
    /// Elements of scratch before a row's first column, so that the first one inside is at a multiple of the lanes.
    fn before(self, lanes: i64) -> i64 {
        let first = self.inside.map_or(0, |inside| inside.first);
        if self.flat { 0 } else { (-first).rem_euclid(lanes) }
    }
}

/// How a group is dealt out, where it goes through windows whose columns are worth being reduced first.
pub(super) fn form(program: &Program, loops: &Loops, lanes: i64) -> Option<Windows> {
    let syms = &program.syms;
    let axes = Axes::of(program, loops)?;
    let [stage, after @ ..] = &loops.stages[..] else { return None };
    let stores = |s: &Stage| s.inner.is_empty() && s.items.iter().all(|i| matches!(i, Item::Store { .. }));
    if !loops.row_buffers.is_empty() || after.len() > 1 || !after.iter().all(stores) {
        return None;
    }
    let mut strides = stage.items.iter().map(|item| match item {
        Item::Reduce {
            op: ReductionOp::Sum | ReductionOp::Product | ReductionOp::Max | ReductionOp::Min,
            value,
            ..
        } => stride(program, &axes, *value),
        _ => None,
    });
    let stride = strides.next()??;
    // Columns between windows belong to none.
    if !strides.all(|s| s == Some(stride)) || stride > axes.size || !axes.pays(stride, lanes) {
        return None;
    }
    let flat = stride == axes.size && loops.stages.iter().all(|s| walks_rows_as_one(program, &axes, s));
    let mut form = Windows { rows: 1, stride, flat, inside: inside(program, &axes, stage, stride) };
    let bytes = |item: &Item| accumulator(program.exprs.dtype(item.value())).size() as i64;
    let bytes: i64 = stage.items.iter().map(bytes).sum();
    let columns = syms.hint(axes.pitch(program, form, lanes));
    let most = (NEAR / columns.saturating_mul(bytes).max(1)).clamp(1, ROWS);
    // As many in each task, as far as that goes.
    let even = |rows: i64| {
        let tasks = rows.saturating_add(most - 1) / most;
        rows.saturating_add(tasks - 1) / tasks
    };
    form.rows = syms.as_const(loops.outer[loops.outer.len() - 2]).filter(|n| *n > 0).map_or(most, even);
    Some(form)
}

/// A reduction's value as what its elements are, the condition for a row of them to be within the image, and those for a column to
/// be. None where no padding is known to change no result.
fn padded(program: &Program, axes: &Axes, item: &Item) -> Option<(ExprId, Option<SymInt>, Vec<SymInt>)> {
    let syms = &program.syms;
    let Item::Reduce { op, value, .. } = item else { return None };
    let Expr::Masked { condition, value, otherwise } = program.exprs[*value] else { return None };
    let Expr::Index(condition, _) = program.exprs[condition] else { return None };
    let Expr::Constant(padding, dtype) = program.exprs[otherwise] else { return None };
    let own = identity(*op, dtype);
    let same = match dtype.is_float() {
        // A zero that is negative is none: a sum of those is negative, too.
        true => padding.as_f64().to_bits() == own.as_f64().to_bits(),
        false => padding == own,
    };
    if !same || accumulator(dtype) != dtype {
        return None;
    }
    let (mut columns, mut rows, mut left) = (Vec::new(), None, vec![condition]);
    while let Some(part) = left.pop() {
        match syms.node(part) {
            SymNode::And(a, b) => left.extend([b, a]),
            _ if axes.along(program, part) => columns.push(part),
            _ => rows = Some(rows.map_or(part, |rows| syms.and(rows, part))),
        }
    }
    Some((value, rows, columns))
}

/// The columns within the image, of all reductions alike.
fn inside(program: &Program, axes: &Axes, stage: &Stage, stride: i64) -> Option<Inside> {
    let syms = &program.syms;
    let (window, place) = (syms.as_symbol(axes.window)?, syms.as_symbol(axes.place)?);
    let in_first = HashMap::from_iter([(window, syms.constant(0))]);
    let one = |item: &Item| {
        let (_, _, conditions) = padded(program, axes, item)?;
        let mut inside = Inside { first: 0, last: axes.columns(program, stride) };
        for condition in conditions {
            // What must not be negative.
            let left = match syms.node(condition) {
                SymNode::Le(a, b) => syms.sub(b, a),
                SymNode::Lt(a, b) => syms.add_const(syms.sub(b, a), -1),
                _ => return None,
            };
            let (step, rest) = syms.linear_in(syms.substitute(left, &in_first), place)?;
            let varies = |s| !matches!(syms.symbol_kind(s), SymbolKind::Free);
            if syms.symbols(rest).into_iter().any(varies) {
                return None;
            }
            match syms.as_const(step)? {
                1 => inside.first = inside.first.max(-syms.as_const(rest)?),
                -1 => inside.last = syms.min(inside.last, syms.add_const(rest, 1)),
                _ => return None,
            }
        }
        // An image without columns is nothing to begin in.
        syms.known_lt(syms.constant(inside.first), inside.last).then_some(inside)
    };
    let mut all = stage.items.iter().map(one);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// Columns from a window to the next, where an element's value depends on its column and not on which of its windows asks for
/// it, and neighbours in memory are columns beside one another.
fn stride(program: &Program, axes: &Axes, value: ExprId) -> Option<i64> {
    let syms = &program.syms;
    let (window, place) = (syms.as_symbol(axes.window)?, syms.as_symbol(axes.place)?);
    let step = |index: SymInt, symbol| syms.as_const(syms.linear_in(index, symbol)?.0);
    if program.exprs.dtype(value).is_reduced_float() {
        return None;
    }
    let all = program.exprs.postorder(&[value]);
    let mut stride = None;
    for e in &all {
        let Expr::Load { index, data, .. } = &program.exprs[*e] else { continue };
        match step(index[0], place)? {
            0 => {}
            1 if data.is_empty() => stride = step(index[0], window),
            _ => return None,
        }
    }
    let stride = stride.filter(|s| *s > 0)?;
    let column = syms.add(axes.place, syms.mul_const(axes.window, stride));
    let map = HashMap::from_iter([(window, syms.constant(0)), (place, column)]);
    let alike = |index: SymInt| syms.substitute(index, &map) == index;
    let by_column = all.iter().all(|e| match &program.exprs[*e] {
        Expr::Index(index, _) => alike(*index),
        Expr::Load { index, .. } => alike(index[0]),
        _ => true,
    });
    by_column.then_some(stride)
}

/// Whether a stage's results, and what it loads for them, go from the last window of a row to the first of the next one as they
/// go from window to window.
fn walks_rows_as_one(program: &Program, axes: &Axes, stage: &Stage) -> bool {
    let syms = &program.syms;
    let (Some(row), Some(window)) = (syms.as_symbol(axes.row), syms.as_symbol(axes.window)) else {
        return false;
    };
    let walks = |index: SymInt| {
        let Some((of_row, rest)) = syms.linear_in(index, row) else { return false };
        let Some((of_window, _)) = syms.linear_in(rest, window) else { return false };
        !syms.depends_on(of_row, window) && of_row == syms.mul(of_window, axes.windows)
    };
    stage.items.iter().all(|item| {
        // The elements are read by the first pass, row by row.
        let read = match item {
            Item::Store { value, .. } => program.exprs.postorder(&[*value]),
            Item::Reduce { .. } => Vec::new(),
        };
        walks(item.offset())
            && read.into_iter().all(|e| match &program.exprs[e] {
                Expr::Index(index, _) => walks(*index),
                Expr::Load { index, .. } => walks(index[0]),
                _ => true,
            })
    })
}

/// The number of tasks and the steps that each takes.
pub(super) fn work(program: &Program, loops: &Loops, form: Windows) -> (SymInt, SymInt) {
    let syms = &program.syms;
    let n = loops.outer.len();
    let (others, rows, windows) = (&loops.outer[..n - 2], loops.outer[n - 2], loops.outer[n - 1]);
    let tasks = syms.mul(syms.product(others), syms.ceildiv(rows, syms.constant(form.rows)));
    let (size, before) = loops.stages[0].inner.split_last().expect("a window has sides");
    let steps = syms.add(syms.mul_const(syms.product(before), form.stride), *size);
    (tasks, syms.mul(syms.mul_const(windows, form.rows), steps))
}

impl Writer<'_> {
    fn axes(&self) -> Axes {
        Axes::of(self.program, self.loops).expect("windows have axes")
    }

    /// Declares scratch for the columns of a task's rows, for each reduction; gives all bytes of scratch.
    pub(super) fn declare_columns(&mut self, form: Windows) -> SymInt {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let axes = self.axes();
        let pitch = axes.pitch(self.program, form, self.lanes);
        let elements = syms.add_const(syms.mul_const(pitch, form.rows), self.lanes);
        let (mut end, unit) = (syms.constant(0), syms.constant(64));
        for item in &self.loops.stages[0].items {
            let dtype = accumulator(self.program.exprs.dtype(item.value()));
            let local = self.emitter.local("w", Type::Pointer { dtype, space: Space::Scratch });
            let bytes = self.emitter.index(end);
            self.emitter.push(Statement::Pointer { local, bytes, elements: None });
            self.columns.push(local);
            let bytes = syms.mul_const(elements, dtype.size() as i64);
            end = syms.add(end, syms.mul(syms.ceildiv(bytes, unit), unit));
        }
        if let Some(inside) = form.inside {
            self.fill_padding(&axes, form, inside);
        }
        end
    }

    /// Gives scratch the columns outside of the image, which no task stores to.
    fn fill_padding(&mut self, axes: &Axes, form: Windows, inside: Inside) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (zero, first) = (syms.constant(0), syms.constant(inside.first));
        let mut outside = vec![[zero, first], [inside.last, axes.columns(self.program, form.stride)]];
        outside.retain(|[first, last]| !syms.known_eq(*first, *last));
        if outside.is_empty() {
            return;
        }
        let pitch = axes.pitch(self.program, form, self.lanes);
        let e = &mut self.emitter;
        let row = e.local("r", Type::Index);
        e.open();
        let turned = e.local_value(row);
        let (pitch, before) = (e.index(pitch), e.integer(form.before(self.lanes)));
        let line = e.times(turned, pitch);
        let line = e.plus(line, before);
        let line = e.named("line", Type::Index, line);
        for ends in outside {
            let ends = ends.map(|end| self.emitter.index(end));
            let column = self.emitter.local("t", Type::Index);
            self.emitter.open();
            let counted = self.emitter.local_value(column);
            let at = self.emitter.plus(line, counted);
            for (item, array) in self.loops.stages[0].items.iter().zip(self.columns.clone()) {
                let Item::Reduce { op, value, .. } = item else { continue };
                let value = self.start(*op, accumulator(self.program.exprs.dtype(*value)));
                let access = Access { pointer: Pointer::from(array), at, shape: Shape::Element };
                self.emitter.push(Statement::Store { access, value });
            }
            self.emitter.close_range(column, ends, Axis::Serial, Unroll::Free);
        }
        self.emitter.close_counted(row, form.rows, Axis::Serial, Unroll::Free);
    }

    /// Both passes over a task's rows.
    pub(super) fn windows(&mut self, form: Windows) {
        let axes = self.axes();
        self.reduce_columns(&axes, form);
        self.emitter.open();
        let count = self.emitter.index(axes.windows);
        let (last, known) = if form.flat {
            let (base, wide) = self.rows();
            let level = self.emitter.depth();
            self.emitter.bind(axes.row, base, level);
            let last = self.emitter.times(wide, count);
            (self.emitter.named("last", Type::Index, last), None)
        } else {
            (count, self.program.syms.as_const(axes.windows))
        };
        let divisible = self.program.syms.as_const(axes.windows).is_some_and(|n| n % self.lanes == 0);
        let first = self.emitter.integer(0);
        let span =
            Span { variable: axes.window, first, last, known, lanes: self.lanes, whole: true, divisible };
        // Vectors outside and rows inside: what only the place in a row decides, such as how many elements a window has there, is
        // found once for all rows.
        self.over_vectors(span, &mut |w| match form.flat {
            true => w.join_columns(&axes, form, None),
            false => w.over_rows(&axes, form, |w, line| w.join_columns(&axes, form, Some(line))),
        });
        self.emitter.close_scope();
    }

    /// A loop over a task's rows; the body is given where the row's columns begin in scratch.
    fn over_rows(&mut self, axes: &Axes, form: Windows, body: impl FnOnce(&mut Self, ValueId)) {
        let (base, wide) = self.rows();
        let pitch = axes.pitch(self.program, form, self.lanes);
        let before = form.before(self.lanes);
        let e = &mut self.emitter;
        let turn = e.local("r", Type::Index);
        e.open();
        let (level, turned) = (e.depth(), e.local_value(turn));
        let own = e.plus(base, turned);
        let own = e.spare("i", Type::Index, own);
        e.bind(axes.row, own, level);
        let pitch = e.index(pitch);
        let mut line = e.times(turned, pitch);
        if before > 0 {
            let before = e.integer(before);
            line = e.plus(line, before);
        }
        let line = e.named("line", Type::Index, line);
        body(self, line);
        self.emitter.close_loop(turn, wide, Axis::Serial, Unroll::Free);
    }

    /// The first pass: each column of each row of windows comes to one element of scratch. The place in the first window
    /// counts on through the windows behind it.
    fn reduce_columns(&mut self, axes: &Axes, form: Windows) {
        let (program, loops) = (self.program, self.loops);
        let stage = &loops.stages[0];
        let all = Inside { first: 0, last: axes.columns(program, form.stride) };
        let Inside { first, last } = form.inside.unwrap_or(all);
        let before = &stage.inner[..stage.inner.len() - 1];
        self.over_rows(axes, form, |w, line| {
            let level = w.emitter.depth();
            let zero = w.emitter.integer(0);
            w.emitter.bind(axes.window, zero, level);
            let known = program.syms.as_const(last).map(|last| last - first);
            let span = Span {
                variable: axes.place,
                first: w.emitter.integer(first),
                last: w.emitter.index(last),
                known,
                lanes: w.lanes,
                whole: first % w.lanes == 0,
                divisible: known.is_some_and(|n| n % w.lanes == 0),
            };
            w.over_vectors(span, &mut |w| {
                let partials: Vec<LocalId> = stage.items.iter().map(|i| w.partial(i)).collect();
                let open: Vec<(LocalId, ValueId, SymInt)> = before
                    .iter()
                    .enumerate()
                    .map(|(k, size)| {
                        let (variable, bound) = w.open_loop(k, *size);
                        (variable, bound, *size)
                    })
                    .collect();
                for (item, partial) in stage.items.iter().zip(&partials) {
                    w.take_element(axes, form, item, *partial);
                }
                for (variable, bound, size) in open.into_iter().rev() {
                    let unroll = unrolled(program.syms.as_const(size));
                    w.emitter.close_loop(variable, bound, Axis::Serial, unroll);
                }
                let column = w.emitter.index(axes.place);
                let at = w.emitter.plus(line, column);
                for (partial, array) in partials.into_iter().zip(w.columns.clone()) {
                    // Padding stays as it is.
                    let count = w.emitter.lanes.and_then(|l| l.count).filter(|_| form.inside.is_some());
                    let shape = match count {
                        Some(count) => Shape::Tail { count },
                        None => Shape::Vector { aligned: false },
                    };
                    let access = Access { pointer: Pointer::from(array), at, shape };
                    let value = w.emitter.local_value(partial);
                    w.emitter.push(Statement::Store { access, value });
                }
            });
        });
    }

    /// Takes a vector of elements into what their columns come to; those outside of the image change nothing.
    fn take_element(&mut self, axes: &Axes, form: Windows, item: &Item, partial: LocalId) {
        let stage = &self.loops.stages[0];
        let Item::Reduce { op, value, .. } = item else { return };
        let within = form.inside.and_then(|_| padded(self.program, axes, item));
        let Some((own, rows, _)) = within else {
            return self.accumulate(*op, *value, Kept::Partial(partial), None, stage);
        };
        let Some(rows) = rows else {
            return self.accumulate(*op, own, Kept::Partial(partial), None, stage);
        };
        let condition = self.emitter.holds(rows);
        self.emitter.open();
        self.emitter.guarded(own);
        self.accumulate(*op, own, Kept::Partial(partial), None, stage);
        self.emitter.close_if(condition);
    }

    /// Declares the vector that a column of elements is reduced to.
    fn partial(&mut self, item: &Item) -> LocalId {
        let Item::Reduce { op, value, .. } = item else { unreachable!("windows are reduced") };
        let dtype = accumulator(self.program.exprs.dtype(*value));
        let start = self.start(*op, dtype);
        let start = self.emitter.splat(start);
        self.variable("r", Type::Vector(dtype), start)
    }

    /// The second pass at a vector of windows of a row whose columns begin at `line`: windows from their columns, and what follows
    /// from them.
    fn join_columns(&mut self, axes: &Axes, form: Windows, line: Option<ValueId>) {
        let loops = self.loops;
        let e = &mut self.emitter;
        let (window, stride) = (e.index(axes.window), e.integer(form.stride));
        let before = e.times(stride, window);
        let first = line.map_or(before, |line| e.plus(line, before));
        let first = e.named("x", Type::Index, first);
        for (item, array) in loops.stages[0].items.iter().zip(self.columns.clone()) {
            self.join_window(axes, form, item, array, first);
        }
        for item in loops.stages[1..].iter().flat_map(|s| &s.items) {
            let Item::Store { buffer, offset, value, .. } = item else { continue };
            if self.group.writes.contains(buffer) {
                self.store(*buffer, *offset, *value);
            }
        }
    }

    /// A vector of windows of one reduction, from the first column of the first of them on.
    fn join_window(&mut self, axes: &Axes, form: Windows, item: &Item, array: LocalId, first: ValueId) {
        let Item::Reduce { op, value, outs, offset, .. } = item else { return };
        let own = self.program.exprs.dtype(*value);
        let dtype = accumulator(own);
        let count = self.emitter.lanes.and_then(|l| l.count);
        let e = &mut self.emitter;
        let shape = match (form.stride, count) {
            (1, None) => Shape::Vector { aligned: false },
            (1, Some(count)) => Shape::Tail { count },
            (stride, count) => Shape::Strided { step: e.integer(stride), count },
        };
        let load =
            |e: &mut Emitter<'_>, at| e.add(Value::Load(Access { pointer: Pointer::from(array), at, shape }));
        let start = load(e, first);
        let joined = self.variable("r", Type::Vector(dtype), start);
        let e = &mut self.emitter;
        let turn = e.local("k", Type::Index);
        e.open();
        let place = e.local_value(turn);
        let at = e.plus(first, place);
        let (value, so_far) = (load(e, at), e.local_value(joined));
        let value = e.add(Value::Binary(combination(*op), so_far, value));
        e.push(Statement::Assign { place: so_far, value });
        let ends = [e.integer(1), e.integer(axes.size)];
        e.close_range(turn, ends, Axis::Serial, unrolled(Some(axes.size)));
        let mut value = e.local_value(joined);
        if dtype != own {
            let cast = e.add(Value::Cast(own, value));
            value = e.named("v", Type::Vector(own), cast);
        }
        let value = Operand::varying(value);
        if self.group.writes.contains(&outs[0]) {
            let pointer = self.pointers[&outs[0]].clone();
            self.emitter.store_value(pointer, *offset, value);
        }
        let storage = match form.flat {
            true => Storage::Row(value),
            false => Storage::Turn { value, variable: axes.row },
        };
        self.emitter.storage.insert(outs[0], storage);
    }

    /// [`Emitter::over_lanes`], whose body is lent the writer.
    fn over_vectors(&mut self, span: Span, body: &mut dyn FnMut(&mut Self)) {
        let mut emitter = std::mem::replace(&mut self.emitter, Emitter::new(self.program));
        emitter.over_lanes(span, &mut |e| {
            std::mem::swap(&mut self.emitter, e);
            body(self);
            std::mem::swap(&mut self.emitter, e);
        });
        self.emitter = emitter;
    }
}

/// How far a loop along a side of a window is unrolled.
fn unrolled(size: Option<i64>) -> Unroll {
    match size {
        Some(n) if (2..=UNROLLED).contains(&n) => Unroll::Times(n),
        _ => Unroll::Free,
    }
}
