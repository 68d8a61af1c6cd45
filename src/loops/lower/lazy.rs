//! Values that are not computed yet, and when they are: reads of an element at any index, and buffers that hold a value.
//!
//! A read at an index that data give needs the value in memory, unless so few of its elements are read that each is
//! better computed where it is used.

use super::super::{BufferId, Expr, ExprId, LoopNode, NodeKind};
use super::Lower;
use crate::base::{HashMap, HashSet};
use crate::types::{SymInt, SymbolId, SymbolKind, contiguous_strides};
use std::sync::Arc;

/// A value as the expression of one element, over the variables of `sizes`.
#[derive(Clone, Debug)]
pub struct Lazy {
    pub sizes: Vec<SymInt>,
    pub expr: ExprId,
}

/// A read of less than one element of so many is no reason to compute all of them.
const FEW: i64 = 8;
/// Expressions of a value that is computed again where it is read.
const MOST_AGAIN: usize = 32;

impl Lower<'_> {
    /// The buffer when the value is exactly all of one, in order.
    pub fn whole_buffer(&self, lazy: &Lazy) -> Option<BufferId> {
        let Expr::Load { buffer, index, data } = &self.program.exprs[lazy.expr] else { return None };
        let data_of = &self.program.buffers[*buffer];
        let plain = data.is_empty() && index.len() == lazy.sizes.len() && data_of.sizes == lazy.sizes;
        let contiguous = data_of.strides == contiguous_strides(&self.program.syms, &data_of.sizes);
        (plain && contiguous && index[..] == self.program.vars(&lazy.sizes)[..]).then_some(*buffer)
    }

    /// All of a buffer.
    pub fn load_all(&mut self, buffer: BufferId) -> Lazy {
        let data = &self.program.buffers[buffer];
        let (sizes, dtype) = (data.sizes.clone(), data.dtype);
        let index = self.program.vars(&sizes);
        Lazy { expr: self.program.exprs.load(buffer, dtype, index, Vec::new()), sizes }
    }
    /// A value's element at an index that is a function of other loop variables (no data variables).
    pub fn at(&mut self, lazy: &Lazy, index: &[SymInt]) -> ExprId {
        assert_eq!(lazy.sizes.len(), index.len(), "an index has one entry per dimension");
        let syms = Arc::clone(&self.program.syms);
        let mut map = HashMap::default();
        for (var, to) in self.program.vars(&lazy.sizes).into_iter().zip(index) {
            if let Some(symbol) = syms.as_symbol(var)
                && var != *to
            {
                map.insert(symbol, *to);
            }
        }
        let expr = self.program.exprs.substitute(&syms, lazy.expr, &map);
        if let Some(names) = self.pending.get(&lazy.expr).cloned()
            && expr != lazy.expr
        {
            self.pending.entry(expr).or_insert(names);
        }
        expr
    }
    /// A value's element at an index that may use `data_var(k)`, which stands for the int64 expression `data[k]`.
    /// The value is realized, unless few of its elements are read and each is soon computed. The caller sees to it that
    /// the index stays within bounds (`Expr::Check`, clamp).
    pub fn at_data(&mut self, lazy: &Lazy, index: Vec<SymInt>, data: Vec<ExprId>) -> ExprId {
        if self.whole_buffer(lazy).is_none()
            && self.reads_few(lazy, &index, &data)
            && let Some(expr) = self.moved_by_data(lazy, &index, &data)
        {
            return expr;
        }
        let (buffer, index) = match self.whole_buffer(lazy) {
            Some(buffer) => (buffer, index),
            None => (self.materialize(lazy), index),
        };
        let dtype = self.program.buffers[buffer].dtype;
        self.program.exprs.load(buffer, dtype, index, data)
    }

    /// True where a read through data is known to visit a small part of a value's space.
    fn reads_few(&self, lazy: &Lazy, index: &[SymInt], data: &[ExprId]) -> bool {
        let syms = self.syms();
        let mut symbols: HashSet<SymbolId> = index.iter().flat_map(|i| syms.symbols(*i)).collect();
        for e in self.program.exprs.postorder(data) {
            match &self.program.exprs[e] {
                Expr::Index(i, _) => symbols.extend(syms.symbols(*i)),
                Expr::Load { index, .. } => symbols.extend(index.iter().flat_map(|i| syms.symbols(*i))),
                _ => {}
            }
        }
        let mut visits: i64 = 1;
        for symbol in symbols {
            match syms.symbol_kind(symbol) {
                SymbolKind::Index { .. } => {
                    visits = visits.saturating_mul(syms.symbol_range(symbol).max.saturating_add(1));
                }
                SymbolKind::Free => return false,
                SymbolKind::Data(_) => {}
            }
        }
        let all = syms.as_const(syms.product(&lazy.sizes));
        all.is_some_and(|n| visits <= n / FEW)
    }

    /// A value's element at an index that data give, computed there: where nothing below the value is masked, checked,
    /// read through data or a position itself.
    fn moved_by_data(&mut self, lazy: &Lazy, index: &[SymInt], data: &[ExprId]) -> Option<ExprId> {
        let syms = Arc::clone(&self.program.syms);
        let order = self.program.exprs.postorder(&[lazy.expr]);
        let plain = |e: &ExprId| match &self.program.exprs[*e] {
            Expr::Masked { .. } | Expr::Check { .. } | Expr::Index(..) => false,
            Expr::Load { data, .. } => data.is_empty(),
            _ => true,
        };
        if order.len() > MOST_AGAIN || !order.iter().all(plain) {
            return None;
        }
        let mut map = HashMap::default();
        for (var, to) in self.program.vars(&lazy.sizes).into_iter().zip(index) {
            map.extend(syms.as_symbol(var).map(|symbol| (symbol, *to)));
        }
        let by_data = |i: &SymInt| {
            syms.symbols(*i).into_iter().any(|s| matches!(syms.symbol_kind(s), SymbolKind::Data(_)))
        };
        Some(self.program.exprs.rewrite(lazy.expr, &mut |exprs, id| match exprs[id].clone() {
            Expr::Load { buffer, index, .. } => {
                let index: Vec<SymInt> = index.iter().map(|i| syms.substitute(*i, &map)).collect();
                let data = if index.iter().any(by_data) { data.to_vec() } else { Vec::new() };
                let dtype = exprs.dtype(id);
                exprs.load(buffer, dtype, index, data)
            }
            _ => id,
        }))
    }
    /// A value as a function of a larger space by NumPy's broadcasting: the expression over `vars(sizes)`.
    pub fn broadcast(&mut self, lazy: &Lazy, sizes: &[SymInt]) -> ExprId {
        let vars = self.vars(sizes);
        let (one, zero) = (self.syms().constant(1), self.syms().constant(0));
        let skip = sizes.len() - lazy.sizes.len();
        let index: Vec<SymInt> = lazy
            .sizes
            .iter()
            .enumerate()
            .map(|(k, s)| if *s == one { zero } else { vars[skip + k] })
            .collect();
        self.at(lazy, &index)
    }
    /// A buffer that holds the value: its own where it is one already.
    pub fn realize(&mut self, lazy: &Lazy) -> BufferId {
        match self.whole_buffer(lazy) {
            Some(buffer) => buffer,
            None => self.materialize(lazy),
        }
    }
    /// The value, computed once into a buffer unless it is trivial: for operands that are read many times.
    pub fn computed(&mut self, lazy: &Lazy) -> Lazy {
        if self.is_trivial(lazy.expr) {
            return lazy.clone();
        }
        let buffer = self.materialize(lazy);
        self.load_all(buffer)
    }
    /// The value, computed once into a buffer. What is a half until it is widened lies there as a half, and is widened where it is
    /// read.
    pub(super) fn kept(&mut self, lazy: &Lazy) -> Lazy {
        if let Expr::Cast(wide, half) = self.program.exprs[lazy.expr]
            && wide.is_float()
            && self.program.exprs.dtype(half).is_reduced_float()
            && !self.is_trivial(half)
        {
            let names = self.pending_below(lazy.expr);
            self.pending.insert(half, names);
            let buffer = self.materialize(&Lazy { sizes: lazy.sizes.clone(), expr: half });
            let kept = self.load_all(buffer);
            let expr = self.program.exprs.cast(kept.expr, wide);
            return Lazy { sizes: kept.sizes, expr };
        }
        let buffer = self.materialize(lazy);
        self.load_all(buffer)
    }
    pub(super) fn materialize(&mut self, lazy: &Lazy) -> BufferId {
        let dtype = self.program.exprs.dtype(lazy.expr);
        let out = self.program.temporary(dtype, &lazy.sizes);
        // A nest without points reads nothing, so its indices need not fit 64 bits.
        let is_empty = lazy.sizes.iter().any(|s| self.syms().range(*s).max < 1);
        let value = match is_empty && self.has_large_index(lazy.expr) {
            true => self.program.exprs.int(0, dtype),
            false => lazy.expr,
        };
        let kind = NodeKind::Pointwise { sizes: lazy.sizes.clone(), value, out };
        let mut operators = self.pending_below(lazy.expr);
        if operators.is_empty() {
            operators = self.own();
        }
        if let Some(own) = self.makers.get(&lazy.expr).cloned() {
            self.note_own(out, &operators, &own);
        }
        self.program.nodes.push(LoopNode { kind, operators });
        out
    }
    /// True where an index holds a constant beyond 32 bits.
    fn has_large_index(&self, root: ExprId) -> bool {
        let exprs = &self.program.exprs;
        exprs.postorder(&[root]).into_iter().any(|id| match &exprs[id] {
            Expr::Load { index, .. } => index.iter().any(|i| self.syms().is_large(*i)),
            Expr::Index(index, _) => self.syms().is_large(*index),
            _ => false,
        })
    }
}
