//! The bytes that a group moves between its kernel and memory, and its floating-point operations.
//!
//! Bytes count what must be moved at least once. A buffer counts as many elements as there are points that read it, but each of its
//! elements at most once; cache misses and repeated reads of tiles are not counted. Operations are those of the expressions, one for
//! each function, and two for each multiplication and addition of a contraction.
//!
//! Deliberately absent: estimates of time.

use super::{Group, GroupKind, Item, Loops, bytes_of};
use crate::base::{HashMap, HashSet, StableSort};
use crate::loops::uses::gemm_shares_b;
use crate::loops::{BufferId, Expr, ExprId, NodeKind, Program};
use crate::types::{Dtype, SymInt, SymbolId, SymbolKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    pub bytes: SymInt,
    pub flop: SymInt,
}

/// The cost of running groups once.
pub fn cost(program: &Program, groups: &[Group]) -> Cost {
    let syms = &program.syms;
    let mut counter = Counter { program, read: HashMap::default(), flop: syms.constant(0) };
    let mut written = HashSet::default();
    let (mut reads, mut bytes) = (HashSet::default(), syms.constant(0));
    for group in groups {
        counter.group(group);
        reads.extend(group.reads.iter().copied());
        written.extend(group.writes.iter().copied());
    }
    let mut order: Vec<BufferId> = written.into_iter().collect();
    order.stable_sort();
    for buffer in order {
        bytes = syms.add(bytes, bytes_of(program, buffer));
    }
    let mut order: Vec<BufferId> = reads.into_iter().collect();
    order.stable_sort();
    for buffer in order {
        if let Some(elements) = counter.read.get(&buffer) {
            let item = program.buffers[buffer].dtype.size() as i64;
            bytes = syms.add(bytes, syms.mul_const(*elements, item));
        }
    }
    Cost { bytes, flop: counter.flop }
}

struct Counter<'a> {
    program: &'a Program,
    /// Elements that are read of each buffer.
    read: HashMap<BufferId, SymInt>,
    flop: SymInt,
}

impl Counter<'_> {
    fn group(&mut self, group: &Group) {
        match &group.kind {
            GroupKind::Loops(loops) => self.loops(loops),
            GroupKind::RowColumnReduction(panels) => {
                self.loops(&panels.columns);
                let outer = &panels.columns.outer;
                for stage in &panels.columns.stages {
                    self.items(&[outer, &stage.inner], &panels.rows);
                }
            }
            GroupKind::Template { node, dims, epilogue, packed, .. } => {
                self.node(*node);
                if let Some(panels) = packed {
                    self.read.insert(*panels, self.constant_operand(*node));
                }
                self.items(&[dims], epilogue);
            }
            GroupKind::Standalone { node } => self.node(*node),
            // What is packed is moved, and nothing is computed.
            GroupKind::Pack { node, .. } => {
                let flop = self.flop;
                self.node(*node);
                self.flop = flop;
            }
        }
        group.last.iter().for_each(|last| self.loops(&last.loops));
    }

    fn loops(&mut self, loops: &Loops) {
        for stage in &loops.stages {
            self.items(&[&loops.outer, &stage.inner], &stage.items);
        }
    }

    fn items(&mut self, space: &[&[SymInt]], items: &[Item]) {
        let points = self.product(&space.concat());
        for item in items {
            let combine = matches!(item, Item::Reduce { .. }) && self.dtype(item.value()).is_float();
            self.value(item.value(), points, combine as i64);
        }
    }

    fn product(&self, sizes: &[SymInt]) -> SymInt {
        self.program.syms.product(sizes)
    }
    fn dtype(&self, expr: ExprId) -> Dtype {
        self.program.exprs.dtype(expr)
    }
    fn compute(&mut self, points: SymInt, each: i64) {
        let syms = &self.program.syms;
        self.flop = syms.add(self.flop, syms.mul_const(points, each));
    }

    /// An expression at each of so many points, with more operations besides.
    fn value(&mut self, root: ExprId, points: SymInt, more: i64) {
        let exprs = &self.program.exprs;
        let is_operation = |id: &ExprId| {
            matches!(exprs[*id], Expr::Unary(..) | Expr::Binary(..)) && exprs.dtype(*id).is_float()
        };
        let operations = exprs.postorder(&[root]).iter().filter(|id| is_operation(id)).count() as i64;
        self.compute(points, operations + more);
        self.loads(root);
    }

    fn loads(&mut self, root: ExprId) {
        let program = self.program;
        let syms = &program.syms;
        for load in program.exprs.loads(&[root]) {
            let Expr::Load { buffer, .. } = &program.exprs[load] else { continue };
            let mut variables = HashMap::default();
            self.variables(load, &mut variables);
            let mut sizes: Vec<(SymbolId, SymInt)> = variables.into_iter().collect();
            sizes.stable_sort();
            let sizes: Vec<SymInt> = sizes.into_iter().map(|s| s.1).collect();
            let all = self.product(&program.buffers[*buffer].sizes);
            let elements = syms.min(self.product(&sizes), all);
            let most = self.read.entry(*buffer).or_insert(elements);
            if syms.hint(elements) > syms.hint(*most) {
                *most = elements;
            }
        }
    }

    /// The loop variables that decide where a load reads, with their sizes.
    fn variables(&self, load: ExprId, found: &mut HashMap<SymbolId, SymInt>) {
        let (exprs, syms) = (&self.program.exprs, &self.program.syms);
        for id in exprs.postorder(&[load]) {
            let places: &[SymInt] = match &exprs[id] {
                Expr::Load { index, .. } => index,
                Expr::Index(place, _) => std::slice::from_ref(place),
                _ => continue,
            };
            for symbol in places.iter().flat_map(|p| syms.symbols(*p)) {
                if let SymbolKind::Index { size, .. } = syms.symbol_kind(symbol) {
                    found.insert(symbol, size);
                }
            }
        }
    }

    /// Elements of the operand that a template reads in panels: those that fill panels up do not count.
    fn constant_operand(&self, node: usize) -> SymInt {
        match &self.program.nodes[node].kind {
            NodeKind::Gemm { batch, n, k, b, .. } => {
                let batch = if gemm_shares_b(self.program, batch, *b) { &[] } else { &batch[..] };
                self.product(&[batch, &[*n, *k]].concat())
            }
            NodeKind::Convolution(c) => self.product(&c.weight_sizes),
            other => unreachable!("no operand of {other:?} is packed"),
        }
    }

    /// A node by itself.
    fn node(&mut self, node: usize) {
        let program = self.program;
        let syms = &program.syms;
        let times = |factors: &[SymInt], n: i64| syms.mul_const(syms.product(factors), n);
        match &program.nodes[node].kind {
            NodeKind::Pointwise { sizes, value, .. } | NodeKind::Sort { sizes, value, .. } => {
                return self.value(*value, self.product(sizes), 0);
            }
            NodeKind::Reduction { sizes, reduced, value, .. } => {
                let points = self.product(&[sizes.as_slice(), reduced].concat());
                return self.value(*value, points, self.dtype(*value).is_float() as i64);
            }
            NodeKind::Scan { sizes, value, .. } => {
                return self.value(*value, self.product(sizes), self.dtype(*value).is_float() as i64);
            }
            NodeKind::Scatter { sizes, value, out, initial, .. } => {
                self.value(*initial, self.product(&program.buffers[*out].sizes), 0);
                self.value(*value, self.product(sizes), 0);
            }
            NodeKind::Gemm { batch, m, n, k, .. } => {
                let points = self.product(&[batch.as_slice(), &[*m, *n, *k]].concat());
                self.compute(points, 2);
            }
            NodeKind::Convolution(c) => {
                let [_, in_channels, height, width] = c.weight_sizes;
                let out = self.product(&program.buffers[c.out].sizes);
                self.compute(syms.product(&[out, in_channels, height, width]), 2);
            }
            NodeKind::Attention(a) => {
                let scores = syms.product(&[a.batch, a.heads, a.queries, a.keys]);
                // Of a triangle of scores half are computed.
                let halves = if a.band.upper.is_some() || a.band.lower.is_some() { 1 } else { 2 };
                let both = syms.add(a.head_size, a.value_size);
                self.compute(syms.mul(scores, both), halves);
                if let Some(score) = a.score {
                    self.value(score.value, scores, 0);
                }
            }
            NodeKind::AttentionBackward(a) => {
                let scores = syms.product(&[a.batch, a.heads, a.queries, a.keys]);
                let halves = if a.band.upper.is_some() || a.band.lower.is_some() { 1 } else { 2 };
                // Scores and the gradient of weights, and a product for each result.
                let results = [a.grad_query, a.grad_key].iter().flatten().count() as i64;
                let heads = syms.mul_const(a.head_size, 1 + results);
                let values = syms.mul_const(a.value_size, 1 + i64::from(a.grad_value.is_some()));
                self.compute(syms.mul(scores, syms.add(heads, values)), halves);
            }
            NodeKind::Recurrence(r) => {
                let rows = syms.mul(r.steps, r.batch);
                let gates = times(&[r.projected, r.hidden], 2 * r.cell.gates());
                let projection = times(&[r.projected, r.hidden], if r.projection.is_some() { 2 } else { 0 });
                self.compute(syms.mul(rows, syms.add(gates, projection)), 1);
            }
            // What a library computes is its own affair.
            NodeKind::Library(_) | NodeKind::Control(_) => {}
        }
        for root in program.nodes[node].exprs() {
            self.loads(root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Settings, schedule};
    use crate::target::{CpuTarget, Target};
    use crate::{decompose, functionalize, loops, meta, passes};

    /// Bytes and operations of all kernels of a run, sizes as typical.
    fn total(text: &str, fuse: bool) -> (i64, i64) {
        let graph = functionalize::functionalize(&meta::text::parse(text).unwrap()).unwrap();
        let mut graph = decompose::decompose(&graph).unwrap();
        passes::run(&mut graph).unwrap();
        let mut program = loops::lower::lower(&graph).unwrap();
        let target = Target::Cpu(CpuTarget::generic(crate::target::Isa::Avx2));
        let schedule = schedule(&mut program, &target, Settings { fuse, explain: false });
        let costs = schedule.launches.iter().map(|l| cost(&program, &schedule.main[l.clone()]));
        costs.fold((0, 0), |all, c| (all.0 + program.syms.hint(c.bytes), all.1 + program.syms.hint(c.flop)))
    }

    fn graph(body: &str) -> String {
        format!("graph \"g\" {{\n{body}\n}}\n")
    }

    #[test]
    fn pointwise_kernels_move_what_they_read_and_write() {
        let text = graph(
            "  input %0 \"x\": float32[100, 8]\n  input %1 \"b\": float32[8]\n  %2 = aten.add.Tensor(%0, %1)\n  \
             %3 = aten.relu.default(%2)\n  output \"y\" = %3",
        );
        // x, y and b, once each; an addition and a maximum a point.
        assert_eq!(total(&text, true), (4 * (800 + 800 + 8), 2 * 800));
    }

    #[test]
    fn a_product_is_two_operations_for_each_pair() {
        let text = graph(
            "  input %0 \"x\": float32[4, 8]\n  input %1 \"w\": float32[8, 16]\n  %2 = aten.mm.default(%0, %1)\n  \
             output \"y\" = %2",
        );
        let want = (4 * (32 + 128 + 64), 2 * 4 * 8 * 16);
        assert_eq!(total(&text, false), want);
    }

    #[test]
    fn a_gather_reads_what_it_takes() {
        let text = graph(
            "  input %0 \"table\": float32[50000, 16]\n  input %1 \"i\": int64[10]\n  \
             %2 = aten.embedding.default(%0, %1)\n  output \"y\" = %2",
        );
        assert_eq!(total(&text, true), (10 * 8 + 2 * 4 * 160, 0));
    }

    #[test]
    fn a_slice_reads_a_part() {
        let text = graph(
            "  input %0 \"x\": float32[1000, 4]\n  %1 = aten.slice.Tensor(%0, 0, 0, 10)\n  \
             %2 = aten.neg.default(%1)\n  output \"y\" = %2",
        );
        assert_eq!(total(&text, true), (2 * 4 * 40, 40));
    }
}
