//! Tiles: a few neighbouring rows computed together, because a load is contiguous along the rows and not along the lanes.
//!
//! A whole square of such a load, with as many columns as the tile has rows, is read along the rows, transposed in registers and kept
//! in an array, so that each cache line is read once. Columns and rows outside of whole squares are read with strides.

use super::dealing::{TILE, TILE_WIDTH, crosses, parts_of_tile, share};
use super::loops::Writer;
use crate::kernels::{
    Access, Axis, IndexOp, LocalId, Loop, Pointer, Shape, Statement, Step, Type, Unroll, Value, ValueId,
};
use crate::loops::{Expr, ExprId, UnaryOp};
use crate::mapping::emit::{Lanes, Operand, Storage};
use crate::schedule::{INNER, Stage};
use crate::types::{Dtype, SymInt};

/// A value whose squares are transposed.
struct Crossing {
    value: ExprId,
    /// Where its elements lie, and their dtype in registers.
    pointer: Pointer,
    offset: SymInt,
    dtype: Dtype,
}

/// The loops over a tile: variables of the program, and the place of the vector at hand.
#[derive(Clone, Copy)]
struct Place {
    lane: SymInt,
    row: SymInt,
    column: ValueId,
}

impl Writer<'_> {
    pub(super) fn open_tile(&mut self, place: ValueId) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let parts = parts_of_tile(&syms, self.loops);
        let e = &mut self.emitter;
        let (parts, total) = (e.index(parts), e.index(self.loops.stages[0].inner[0]));
        let width = e.integer(TILE_WIDTH);
        let tile = e.quotient_of(place, parts);
        let tile = e.named("tile", Type::Index, tile);
        let own = e.rest_of(place, parts);
        let first = e.times(own, width);
        let first = e.named("first", Type::Index, first);
        let end = e.plus(first, width);
        let last = e.lesser(end, total);
        self.part = Some((first, e.named("last", Type::Index, last)));
        self.open_block(&self.loops.outer, TILE, tile);
    }

    /// The only stage over a tile of rows: squares, then vectors of the inner loop outside and rows inside.
    pub(super) fn tile(&mut self) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let loops = self.loops;
        let (stage, outer) = (&loops.stages[0], &loops.outer);
        let lane = syms.index_var(INNER, stage.inner[0]);
        let row = syms.index_var(outer.len() as u32 - 1, outer[outer.len() - 1]);
        let symbol = syms.as_symbol(lane).expect("a tile has lanes");
        let (first, last) = self.part.expect("a tile has a part of its rows");
        let variable = self.emitter.local("j", Type::Index);
        self.emitter.push(Statement::Variable { local: variable, value: Some(first) });
        let place = Place { lane, row, column: self.emitter.local_value(variable) };
        let crossings = self.crossings(stage, place);
        if !crossings.is_empty() {
            self.squares(stage, &crossings, variable, place);
        }
        // Parts are multiples of every vector's lanes.
        let divisible = syms.as_const(stage.inner[0]).is_some_and(|n| n % self.lanes == 0);
        for whole in [true, false].into_iter().filter(|whole| *whole || !divisible) {
            self.emitter.open();
            let level = self.emitter.depth();
            self.emitter.bind(lane, place.column, level);
            let count = (!whole).then(|| {
                let count = self.emitter.minus(last, place.column);
                self.emitter.open_tail(count)
            });
            self.emitter.lanes = Some(Lanes { symbol, count, multiple: Some(self.lanes) });
            self.rows_of_tile(stage, row);
            self.emitter.lanes = None;
            self.emitter.set_tail_mask(None);
            let body = self.emitter.close_block();
            let statement = if whole {
                vectors(variable, last, 1, body)
            } else {
                let condition = self.emitter.index_op(IndexOp::Less, &[place.column, last]);
                Statement::If { condition, then: body, otherwise: Vec::new() }
            };
            self.emitter.push(statement);
        }
    }

    /// The vectors at one place of all rows.
    fn rows_of_tile(&mut self, stage: &Stage, row_variable: SymInt) {
        let (base, wide) = self.rows.expect("a tile has rows");
        let row = self.emitter.local("r", Type::Index);
        self.emitter.open();
        let level = self.emitter.depth();
        let at = self.emitter.local_value(row);
        self.emitter.bind(row_variable, at, level);
        self.items(stage, &vec![None; stage.items.len()], None);
        let end = self.emitter.plus(base, wide);
        self.emitter.close_range(row, [base, end], Axis::Serial, Unroll::Free);
    }

    /// Values that are loaded wherever the stage runs, from neighbours along the rows. None where there are few elements, and where a
    /// square is several vectors wide and rows have much in common: there it would be computed anew in each row.
    fn crossings(&self, stage: &Stage, place: Place) -> Vec<Crossing> {
        let (program, syms) = (self.program, &self.program.syms);
        let (Some(row), Some(lane)) = (syms.as_symbol(place.row), syms.as_symbol(place.lane)) else {
            return Vec::new();
        };
        let elements = syms.mul(syms.product(&self.loops.outer), stage.inner[0]);
        let few = syms.as_const(elements).is_some_and(|n| n < LEAST_ELEMENTS);
        if few || self.lanes < TILE && share(program, &stage.items, [row, lane]) {
            return Vec::new();
        }
        let value = |value: ExprId| program.exprs.stored_bits(value).unwrap_or(value);
        let roots: Vec<ExprId> = stage.items.iter().map(|i| value(i.value())).collect();
        let loads = program.exprs.unconditional_loads(&roots);
        let all = program.exprs.postorder(&roots);
        let mut found = Vec::new();
        for load in loads.into_iter().filter(|load| crosses(program, *load, [row, lane], self.lanes)) {
            let Expr::Load { buffer, index, .. } = &program.exprs[load] else { continue };
            let Some(Storage::Memory(pointer)) = self.emitter.storage.get(buffer) else { continue };
            if self.emitter.written.contains(buffer) {
                continue;
            }
            // The bits of a half are loaded as they stand in memory, its value as a float32.
            let own = program.exprs.dtype(load);
            let bits = |e: &ExprId| {
                own.is_reduced_float()
                    && matches!(program.exprs[*e], Expr::Unary(UnaryOp::ToBits, a) if a == load)
            };
            let uses = |e: &ExprId| program.exprs.operands(*e).contains(&load) && !bits(e);
            let mut add = |value, pointer, dtype: Dtype| {
                if TRANSPOSED.contains(&dtype) {
                    found.push(Crossing { value, pointer, offset: index[0], dtype });
                }
            };
            if let Some(value) = all.iter().copied().find(bits) {
                add(value, pointer.clone().as_bits(Dtype::Int16), Dtype::Int16);
            }
            if roots.contains(&load) || all.iter().any(uses) {
                let register = if own.is_reduced_float() { Dtype::Float32 } else { own };
                add(load, pointer.clone(), register);
            }
        }
        found
    }

    /// Where the tile has all its rows: squares, as long as there are whole ones.
    fn squares(&mut self, stage: &Stage, crossings: &[Crossing], variable: LocalId, place: Place) {
        let (_, last) = self.part.expect("a tile has a part of its rows");
        let (_, wide) = self.rows.expect("a tile has rows");
        // A square of the tile's rows is made of squares of vectors, so many beside one another and above one another.
        let beside = TILE / self.lanes;
        self.emitter.open();
        self.emitter.open();
        let arrays: Vec<LocalId> =
            crossings.iter().map(|c| self.vectors(c.dtype, TILE * beside, None)).collect();
        self.over_squares(beside, |w, [column, row]| w.transpose(crossings, &arrays, place, [column, row]));
        self.computed_rows(stage, crossings, &arrays, place);
        let body = self.emitter.close_block();
        self.emitter.push(vectors(variable, last, beside, body));
        let rows = self.emitter.integer(TILE);
        let all = self.emitter.index_op(IndexOp::Equal, &[wide, rows]);
        self.emitter.close_if(all);
    }

    /// Loops over the squares of vectors, column of squares by column; the body is given a square's place, in squares.
    fn over_squares(&mut self, beside: i64, body: impl FnOnce(&mut Self, [ValueId; 2])) {
        let none = self.emitter.integer(0);
        if beside == 1 {
            return body(self, [none, none]);
        }
        let loops = ["c", "s"].map(|name| {
            self.emitter.open();
            self.emitter.local(name, Type::Index)
        });
        let places = loops.map(|local| self.emitter.local_value(local));
        body(self, places);
        for local in loops.into_iter().rev() {
            self.emitter.close_counted(local, beside, Axis::Serial, Unroll::Free);
        }
    }

    /// Loads one square of vectors of each value along the rows, and transposes it.
    fn transpose(
        &mut self,
        crossings: &[Crossing],
        arrays: &[LocalId],
        place: Place,
        [column, row]: [ValueId; 2],
    ) {
        let (base, _) = self.rows.expect("a tile has rows");
        let beside = TILE / self.lanes;
        let e = &mut self.emitter;
        // A column of squares is as many vectors as the tile has rows.
        let (tile, lanes) = (e.integer(TILE), e.integer(self.lanes));
        let (above, below) = (e.times(column, tile), e.times(row, lanes));
        let first = e.plus(above, below);
        let first = if beside == 1 { e.integer(0) } else { e.named("first", Type::Index, first) };
        let turn = e.local("u", Type::Index);
        e.open();
        let (level, turned) = (e.depth(), e.local_value(turn));
        let columns = e.times(column, lanes);
        let at = e.plus(columns, turned);
        let at = e.plus(place.column, if beside == 1 { turned } else { at });
        let at = e.named("i", Type::Index, at);
        let rows = if beside == 1 { base } else { e.plus(base, below) };
        let rows = if beside == 1 { rows } else { e.named("i", Type::Index, rows) };
        e.bind(place.lane, at, level);
        e.bind(place.row, rows, level);
        let own = e.plus(first, turned);
        for (crossing, array) in crossings.iter().zip(arrays) {
            let at = e.index(crossing.offset);
            let shape = Shape::Vector { aligned: false };
            let value = e.add(Value::Load(Access { pointer: crossing.pointer.clone(), at, shape }));
            let place = e.add(Value::Element(*array, if beside == 1 { turned } else { own }));
            e.push(Statement::Assign { place, value });
        }
        e.close_counted(turn, self.lanes, Axis::Unrolled, Unroll::Times(self.lanes));
        for array in arrays {
            e.push(Statement::Transpose { array: *array, first });
        }
    }

    /// The tile's rows, whose crossing values lie in the arrays.
    fn computed_rows(&mut self, stage: &Stage, crossings: &[Crossing], arrays: &[LocalId], place: Place) {
        let symbol = self.program.syms.as_symbol(place.lane).expect("a tile has lanes");
        let (base, _) = self.rows.expect("a tile has rows");
        let beside = TILE / self.lanes;
        let e = &mut self.emitter;
        let (row, column) = (e.local("r", Type::Index), e.local("c", Type::Index));
        let (turn, turned) = (e.local_value(row), e.local_value(column));
        e.open();
        if beside > 1 {
            e.open();
        }
        let level = e.depth();
        let below = e.plus(base, turn);
        let below = e.named("i", Type::Index, below);
        let (at, own) = if beside > 1 {
            let behind = e.lanes_behind(place.column, turned);
            let behind = e.named("i", Type::Index, behind);
            let tile = e.integer(TILE);
            let first = e.times(turned, tile);
            (behind, e.plus(first, turn))
        } else {
            (place.column, turn)
        };
        e.bind(place.lane, at, level);
        e.bind(place.row, below, level);
        e.lanes = Some(Lanes { symbol, count: None, multiple: Some(self.lanes) });
        for (crossing, array) in crossings.iter().zip(arrays) {
            let element = e.add(Value::Element(*array, own));
            let element = e.named("v", Type::Vector(crossing.dtype), element);
            e.preset(crossing.value, Operand::varying(element));
        }
        self.items(stage, &vec![None; stage.items.len()], None);
        self.emitter.lanes = None;
        if beside > 1 {
            self.emitter.close_counted(column, beside, Axis::Serial, Unroll::Free);
        }
        self.emitter.close_counted(row, TILE, Axis::Serial, Unroll::Free);
    }
}

/// With fewer elements the code of squares is not worth its compilation.
const LEAST_ELEMENTS: i64 = 2048;

/// Register types whose squares are transposed: one machine vector of lanes of two or four bytes.
const TRANSPOSED: [Dtype; 5] = [Dtype::Float32, Dtype::Int32, Dtype::Uint32, Dtype::Int16, Dtype::Uint16];

/// A loop that goes on from the variable's place, so many vectors a turn.
fn vectors(variable: LocalId, bound: ValueId, step: i64, body: Vec<Statement>) -> Statement {
    Statement::Loop(Box::new(Loop {
        axis: Axis::Vector,
        variable,
        first: None,
        bound,
        step: Step::Vectors(step),
        unroll: Unroll::Free,
        body,
    }))
}
