//! The lane loop and what stands at its edges: whole vectors and tails, stores, and the sums of a template.

use super::{Emitter, FIRST_OF_CHUNK, Lanes, Operand};
use crate::codegen::cpp;
use crate::loops::{Expr, ExprId};
use crate::types::{Dtype, SymInt, SymNode, SymbolKind};

impl Emitter<'_> {
    /// A template's sums at the lanes.
    pub fn accumulator(&mut self, pointer: &str, start: &str, cast: Option<&'static str>) -> Operand {
        let lane = self.lanes.as_ref().and_then(|l| self.variables.get(&l.symbol)).map(|v| v.0.clone());
        let place = match lane {
            Some(lane) => format!("{pointer} + ({lane} - {start})"),
            None => pointer.to_string(),
        };
        let loaded = self.contiguous(&place, false);
        match cast {
            Some(cast) => self.call(cast, vec![loaded]),
            None => loaded,
        }
    }

    /// A condition at every lane, where its comparisons are of sums in which the lane has a known factor: each then holds
    /// for the first lanes, or for all but those.
    pub(super) fn lane_condition(&mut self, condition: SymInt) -> Option<String> {
        let lane = self.lanes.as_ref()?.symbol;
        let syms = std::sync::Arc::clone(&self.program.syms);
        let is_data = |s| matches!(syms.symbol_kind(s), SymbolKind::Data(_));
        if syms.symbols(condition).into_iter().any(is_data) {
            return None;
        }
        if !syms.depends_on(condition, lane) {
            return Some(format!("splat({} != 0)", self.index(condition)));
        }
        let (a, b, strict) = match syms.node(condition) {
            SymNode::And(a, b) => {
                let (a, b) = (self.lane_condition(a)?, self.lane_condition(b)?);
                return Some(format!("mask_and({a}, {b})"));
            }
            SymNode::Or(a, b) => {
                let (a, b) = (self.lane_condition(a)?, self.lane_condition(b)?);
                return Some(format!("mask_or({a}, {b})"));
            }
            SymNode::Not(a) => return Some(format!("mask_not({})", self.lane_condition(a)?)),
            SymNode::Lt(a, b) => (a, b, true),
            SymNode::Le(a, b) => (a, b, false),
            _ => return None,
        };
        // What is left at the first lane, and what each further lane adds.
        let left = syms.sub(b, a);
        let step = syms.linear_in(left, lane).and_then(|(step, _)| syms.as_const(step))?;
        if step == 0 {
            return Some(format!("splat({} != 0)", self.index(condition)));
        }
        let left = self.wide_index(left);
        let quotient = |left: String, by: i64| match by {
            1 => left,
            _ => format!("litz_floor_divide({left}, (i64){by})"),
        };
        Some(match (step > 0, strict) {
            (true, true) => format!("mask_not(first_lanes({} + 1))", quotient(format!("-{left}"), step)),
            (true, false) => {
                format!("mask_not(first_lanes({}))", quotient(format!("({} - {left})", step - 1), step))
            }
            (false, true) => {
                format!("first_lanes({})", quotient(format!("({left} + {})", -step - 1), -step))
            }
            (false, false) => format!("first_lanes({} + 1)", quotient(left, -step)),
        })
    }

    /// The operand in another register type.
    pub fn convert(&mut self, operand: Operand, to: Dtype) -> Operand {
        self.call(cpp::cast(to), vec![operand])
    }

    /// The mask of the loop's tail.
    pub fn tail_mask(&self) -> String {
        self.masks.first().cloned().unwrap_or_else(|| "splat(true)".to_string())
    }

    /// Computes a value and stores it at an offset. Storing rounds to a reduced float by itself.
    pub fn store(&mut self, pointer: &str, offset: SymInt, value: ExprId) {
        if let Some(bits) = self.program.exprs.stored_bits(value) {
            let operand = self.value(bits);
            return self.store_text(&format!("((i16 *){pointer})"), offset, operand);
        }
        let operand = self.rounded_by_store(value);
        self.store_text(pointer, offset, operand);
    }

    /// Computes a value that is about to be stored.
    pub fn rounded_by_store(&mut self, value: ExprId) -> Operand {
        let rounded = match &self.program.exprs[value] {
            Expr::Cast(to, a) if to.is_reduced_float() && self.program.exprs.dtype(*a) == Dtype::Float32 => {
                *a
            }
            _ => value,
        };
        self.value(rounded)
    }

    pub fn store_text(&mut self, pointer: &str, offset: SymInt, operand: Operand) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let place = self.index(offset);
        let Some(lanes) = self.lanes.clone() else {
            self.line(&format!("store({pointer} + {place}, {});", operand.text));
            return;
        };
        let text = self.vector(operand);
        match self.lane_step(offset, &lanes) {
            Some(step) if syms.as_const(step) == Some(1) => match &lanes.count {
                Some(count) => self.line(&format!("store_tail({pointer} + {place}, {text}, {count});")),
                None if !self.is_aligned(offset, lanes.symbol) => {
                    self.line(&format!("store_apart({pointer} + {place}, {text});"));
                }
                None => self.line(&format!("store({pointer} + {place}, {text});")),
            },
            Some(step) => {
                let step = self.index(step);
                let count = lanes.count.unwrap_or_else(|| "LITZ_LANES".to_string());
                self.line(&format!("store_strided({pointer} + {place}, {text}, {step}, {count});"));
            }
            None => {
                let indices = self.lane_indices(offset).text;
                let mask = self.tail_mask();
                self.line(&format!("store_scatter({pointer}, {indices}, {text}, {mask});"));
            }
        }
    }

    /// Names the variables of the point at a row-major position, in the innermost scope.
    pub fn bind_point(&mut self, sizes: &[SymInt], position: &str) {
        self.bind_space(0, sizes, position);
    }

    /// [`Self::bind_point`] for variables counted from `base`.
    pub fn bind_space(&mut self, base: u32, sizes: &[SymInt], position: &str) {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (level, ty) = (self.depth(), self.index_type);
        let wide: Vec<usize> = (0..sizes.len())
            .filter(|k| syms.as_symbol(syms.index_var(base + *k as u32, sizes[*k])).is_some())
            .collect();
        if let [only] = wide[..] {
            let var = syms.index_var(base + only as u32, sizes[only]);
            return self.bind(var, position, level);
        }
        let mut left = position.to_string();
        for (n, k) in wide.iter().enumerate().rev() {
            let (var, name) = (syms.index_var(base + *k as u32, sizes[*k]), self.fresh("i"));
            if n == 0 {
                self.line(&format!("const {ty} {name} = {left};"));
            } else {
                let (size, quotient) = (self.divisor(sizes[*k]), self.fresh("q"));
                self.line(&format!("const {ty} {name} = {left} % {size}, {quotient} = {left} / {size};"));
                left = quotient;
            }
            self.line(&format!("(void){name};"));
            self.bind(var, &name, level);
        }
    }

    /// A loop over `[first, last)` in whole vectors, then what is left under a mask. `known`: the number of elements
    /// where the text may rely on it. A variable over one value gives a plain block.
    pub fn over_lanes(
        &mut self,
        var: SymInt,
        (first, last): (&str, &str),
        known: Option<i64>,
        lanes: i64,
        body: &mut dyn FnMut(&mut Self),
    ) {
        self.over_lanes_unrolled(var, (first, last), known, lanes, 1, &mut |e, _| body(e));
    }

    /// [`Self::over_lanes`], first with `unroll` vectors a turn: there the body is told so, and `u` counts them.
    pub fn over_lanes_unrolled(
        &mut self,
        var: SymInt,
        (first, last): (&str, &str),
        known: Option<i64>,
        lanes: i64,
        unroll: i64,
        body: &mut dyn FnMut(&mut Self, bool),
    ) {
        let Some(symbol) = self.program.syms.as_symbol(var) else {
            self.open();
            body(self, false);
            return self.close("");
        };
        let multiple = ["0", FIRST_OF_CHUNK].contains(&first).then_some(lanes);
        let name = self.fresh("j");
        self.line(&format!("i64 {name} = {first};"));
        if unroll > 1 && known.is_none_or(|n| n >= 2 * unroll * lanes) {
            // Several vectors a turn, each with an accumulator of its own: no addition waits for the last.
            self.open();
            self.open();
            let level = self.depth();
            let own = self.fresh("j");
            self.line(&format!("const i64 {own} = {name} + u * LITZ_LANES; (void){own};"));
            self.bind(var, &own, level);
            self.lanes = Some(Lanes { symbol, count: None, multiple });
            body(self, true);
            self.lanes = None;
            self.line_at(level - 1, "_Pragma(\"GCC unroll 8\")");
            self.close(&format!("for (i64 u = 0; u < {unroll}; u++)"));
            self.close(&format!(
                "for (; {name} + {unroll} * LITZ_LANES <= {last}; {name} += {unroll} * LITZ_LANES)"
            ));
        }
        if known.is_none_or(|n| n >= lanes) {
            self.open();
            let level = self.depth();
            self.bind(var, &name, level);
            self.lanes = Some(Lanes { symbol, count: None, multiple });
            body(self, false);
            self.lanes = None;
            self.close(&format!("for (; {name} + LITZ_LANES <= {last}; {name} += LITZ_LANES)"));
        }
        if known.is_none_or(|n| n % lanes != 0) {
            self.open();
            let level = self.depth();
            self.bind(var, &name, level);
            let (count, mask) = (self.fresh("n"), self.fresh("m"));
            self.line(&format!("const i64 {count} = {last} - {name};"));
            self.line(&format!("const vmask {mask} = tail_mask({count}); (void){mask};"));
            self.set_tail_mask(Some(mask));
            self.lanes = Some(Lanes { symbol, count: Some(count), multiple });
            body(self, false);
            self.lanes = None;
            self.set_tail_mask(None);
            self.close(&format!("if ({name} < {last})"));
        }
    }
}
