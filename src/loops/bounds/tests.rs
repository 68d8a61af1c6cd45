//! One program a rule: what is proved, what becomes a guard, and what is refused.

mod counts;

use super::prove::{Proof, Prover};
use super::{BoundsError, bound, stay_within};
use crate::base::Status;
use crate::ir::Graph;
use crate::loops::{
    BinaryOp, BufferId, BufferKind, Control, ExprId, LoopNode, NodeKind, Operators, Program, ReductionOp,
    Routine, ScatterMode,
};
use crate::plan::external::{Attributes, Cholesky, Fourier};
use crate::types::{Dtype, Range, Scalar, SymArena, SymInt};
use std::sync::Arc;

struct Case {
    graph: Graph,
    program: Program,
}

impl Case {
    fn new() -> Case {
        let graph = Graph::new("case");
        let program = Program::new(Arc::clone(&graph.syms));
        Case { graph, program }
    }
    fn n(&self, value: i64) -> SymInt {
        self.graph.syms.constant(value)
    }
    /// A size whose products with two others are not too large for any nest.
    fn symbol(&self, name: &str) -> SymInt {
        self.graph.syms.symbol(name, Range::new(0, 1 << 15), None)
    }
    fn input(&mut self, dtype: Dtype, sizes: &[SymInt]) -> BufferId {
        let buffer = self.program.temporary(dtype, sizes);
        self.program.buffers[buffer].kind = BufferKind::Input(0);
        if self.graph.inputs.is_empty() {
            let meta = crate::types::TensorMeta::contiguous(&self.graph.syms, dtype, sizes.to_vec());
            self.graph.add_input("x", meta);
        }
        buffer
    }
    fn load(&mut self, buffer: BufferId, index: Vec<SymInt>, data: Vec<ExprId>) -> ExprId {
        let dtype = self.program.buffers[buffer].dtype;
        self.program.exprs.load(buffer, dtype, index, data)
    }
    fn node(&mut self, kind: NodeKind) {
        self.program.nodes.push(LoopNode { kind, operators: Operators::new("aten.case", &[]) });
    }
    fn pointwise(&mut self, sizes: &[SymInt], value: ExprId) -> BufferId {
        let dtype = self.program.exprs.dtype(value);
        let out = self.program.temporary(dtype, sizes);
        self.node(NodeKind::Pointwise { sizes: sizes.to_vec(), value, out });
        out
    }
    /// The guards, as text.
    fn bound(&mut self) -> Result<Vec<String>, BoundsError> {
        let guards = bound(&mut self.program, &self.graph)?;
        Ok(guards.iter().map(|g| self.graph.syms.display(g.condition)).collect())
    }
    fn refused(&mut self) -> String {
        self.bound().expect_err("the program is refused").to_string()
    }
}

#[test]
fn an_index_off_by_one_is_refused_and_named() {
    let mut case = Case::new();
    let sizes = [case.n(4), case.n(3)];
    let x = case.input(Dtype::Float32, &sizes);
    let vars = case.program.vars(&sizes);
    let next = case.graph.syms.add_const(vars[1], 1);
    let value = case.load(x, vec![vars[0], next], Vec::new());
    case.pointwise(&sizes, value);
    assert_eq!(
        case.refused(),
        "aten.case: cannot show that reads of input \"x\" stay within it: index `1 + i1` of dimension 1, which has 3 \
         elements"
    );
}

#[test]
fn a_place_whose_constants_go_beyond_64_bits_is_refused_and_named() {
    let mut case = Case::new();
    let (s, three) = (case.symbol("s"), case.n(3));
    let x = case.input(Dtype::Float32, &[s, three]);
    let vars = case.program.vars(&[s, three]);
    let place = case.graph.syms.mul_const(vars[0], i64::MAX);
    let value = case.load(x, vec![place, vars[1]], Vec::new());
    case.pointwise(&[s, three], value);
    assert!(case.refused().ends_with("of input \"x\" goes beyond 64 bits"), "{}", case.refused());
}

/// Rows of heads that share one, over a batch and a length that are both symbols: `length * (i0 // 2) + i1`.
#[test]
fn a_symbol_times_a_quotient_is_bounded_by_the_quotients_end() {
    for (heads, stays) in [(2, true), (3, false)] {
        let mut case = Case::new();
        let (batch, length) = (case.symbol("batch"), case.symbol("length"));
        let syms = Arc::clone(&case.graph.syms);
        let x = case.input(Dtype::Float32, &[syms.mul(batch, length)]);
        let sizes = [syms.mul_const(batch, heads), length];
        let vars = case.program.vars(&sizes);
        let row = syms.mul(length, syms.floordiv(vars[0], case.n(2)));
        let value = case.load(x, vec![syms.add(row, vars[1])], Vec::new());
        case.pointwise(&sizes, value);
        match stays {
            true => assert_eq!(case.bound().unwrap(), Vec::<String>::new()),
            false => assert!(!matches!(case.bound(), Ok(guards) if guards.is_empty())),
        }
    }
}

#[test]
fn a_mask_bounds_what_stands_under_it_and_nothing_else() {
    for masked in [true, false] {
        let mut case = Case::new();
        let s = case.symbol("s");
        let x = case.input(Dtype::Float32, &[s]);
        let padded = case.graph.syms.add_const(s, 2);
        let syms = Arc::clone(&case.graph.syms);
        let place = syms.add_const(case.program.vars(&[padded])[0], -1);
        let inside = syms.and(syms.le(syms.constant(0), place), syms.lt(place, s));
        let condition = case.program.exprs.index_value(inside, Dtype::Bool);
        let value = case.load(x, vec![place], Vec::new());
        let zero = case.program.exprs.float(0.0, Dtype::Float32);
        let value = match masked {
            true => case.program.exprs.masked(condition, value, zero),
            // Both sides of a select are evaluated.
            false => case.program.exprs.select(condition, value, zero),
        };
        case.pointwise(&[padded], value);
        match masked {
            true => assert_eq!(case.bound().unwrap(), Vec::<String>::new()),
            false => drop(case.refused()),
        }
    }
}

/// A mask of a sum of one place and another that the index divides: from a place on, and one earlier, which is outside.
#[test]
fn a_mask_of_a_sum_bounds_its_quotient() {
    for least in [6, 5] {
        let mut case = Case::new();
        let (four, nine, three, places) = (case.n(4), case.n(9), case.n(3), case.n(5));
        let x = case.input(Dtype::Float32, &[places]);
        let syms = Arc::clone(&case.graph.syms);
        let vars = case.program.vars(&[four, nine]);
        let sum = syms.add(syms.mul_const(vars[0], 3), vars[1]);
        let place = syms.add_const(syms.add(vars[0], syms.floordiv(vars[1], three)), -2);
        let inside = syms.and(syms.le(case.n(least), sum), syms.lt(place, places));
        let condition = case.program.exprs.index_value(inside, Dtype::Bool);
        let value = case.load(x, vec![place], Vec::new());
        let zero = case.program.exprs.float(0.0, Dtype::Float32);
        let value = case.program.exprs.masked(condition, value, zero);
        case.pointwise(&[four, nine], value);
        assert_eq!(case.bound().is_ok(), least == 6, "from {least}");
    }
}

/// A multiple of a quotient under a mask: `1 + 2 * (i // 2)` is at most 15 for places below 16, and 17 is reached below 17.
#[test]
fn a_mask_bounds_a_multiple_of_a_quotient() {
    for most in [16, 17] {
        let mut case = Case::new();
        let (places, all) = (case.n(16), case.n(32));
        let x = case.input(Dtype::Float32, &[places]);
        let syms = Arc::clone(&case.graph.syms);
        let i = case.program.vars(&[all])[0];
        let place = syms.add_const(syms.mul_const(syms.floordiv(i, case.n(2)), 2), 1);
        let condition = case.program.exprs.index_value(syms.lt(i, case.n(most)), Dtype::Bool);
        let value = case.load(x, vec![place], Vec::new());
        let zero = case.program.exprs.float(0.0, Dtype::Float32);
        let value = case.program.exprs.masked(condition, value, zero);
        case.pointwise(&[all], value);
        assert_eq!(case.bound().is_ok(), most == 16, "below {most}");
    }
}

/// Halves of rows that lie one behind the other: the second half is 2 places on where the place within a row is below 2, and the
/// first one 2 places back elsewhere. One place more is outside of the last or the first row.
#[test]
fn a_mask_of_a_remainder_bounds_its_variable() {
    for rows in [Some(2), None] {
        for (step, is_second, fits) in
            [(2, false, true), (3, false, false), (-2, true, true), (-3, true, false)]
        {
            let mut case = Case::new();
            let syms = Arc::clone(&case.graph.syms);
            let rows = rows.map_or_else(|| case.symbol("rows"), |n| case.n(n));
            let places = syms.mul_const(rows, 4);
            let x = case.input(Dtype::Float32, &[places]);
            let i = case.program.vars(&[places])[0];
            let mut below = syms.lt(syms.modulo(i, case.n(4)), case.n(2));
            if is_second {
                below = syms.not(below);
            }
            let condition = case.program.exprs.index_value(below, Dtype::Bool);
            let value = case.load(x, vec![syms.add_const(i, step)], Vec::new());
            let zero = case.program.exprs.float(0.0, Dtype::Float32);
            let value = case.program.exprs.masked(condition, value, zero);
            case.pointwise(&[places], value);
            let proved = case.bound().is_ok_and(|guards| guards.is_empty());
            assert_eq!(proved, fits, "{step} places on in {} rows", syms.display(rows));
        }
    }
}

/// Padding of an empty tensor: the mask of the read is always false, so its index needs no bounds.
#[test]
fn what_is_never_evaluated_needs_no_bounds() {
    for reached in [false, true] {
        let mut case = Case::new();
        let (six, none) = (case.n(6), case.n(0));
        let x = case.input(Dtype::Float32, &[six, none]);
        let vars = case.program.vars(&[six]);
        let value = case.load(x, vec![vars[0], none], Vec::new());
        let condition = case.program.exprs.index_value(case.n(reached.into()), Dtype::Bool);
        let zero = case.program.exprs.float(0.0, Dtype::Float32);
        let value = case.program.exprs.masked(condition, value, zero);
        case.pointwise(&[six], value);
        assert_eq!(case.bound().is_ok(), !reached);
    }
}

#[test]
fn sizes_of_two_symbols_become_a_guard_unless_one_says_so_already() {
    for known in [false, true] {
        let mut case = Case::new();
        let (s, t) = (case.symbol("s"), case.symbol("t"));
        let x = case.input(Dtype::Float32, &[t]);
        let syms = Arc::clone(&case.graph.syms);
        if known {
            let condition = syms.eq(s, t);
            case.graph.guards.push(crate::ir::Guard { condition, message: String::new() });
        }
        let value = case.load(x, case.program.vars(&[s]), Vec::new());
        case.pointwise(&[s], value);
        let guards = case.bound().unwrap();
        match known {
            true => assert_eq!(guards, Vec::<String>::new()),
            // Nothing is read where there is nothing to compute.
            false => assert_eq!(guards, ["(0 <= (t + (-1)*s)) or (s <= 0)"]),
        }
    }
}

#[test]
fn a_reshaped_index_needs_as_many_elements() {
    let mut case = Case::new();
    let (a, b) = (case.symbol("a"), case.symbol("b"));
    let three = case.n(3);
    let x = case.input(Dtype::Float32, &[b, three]);
    let syms = Arc::clone(&case.graph.syms);
    let flat = case.program.vars(&[a])[0];
    let value = case.load(x, vec![syms.floordiv(flat, three), syms.modulo(flat, three)], Vec::new());
    case.pointwise(&[a], value);
    assert_eq!(case.bound().unwrap(), ["(0 <= ((-1)*a + 3*b)) or (a <= 0)"]);
}

/// The value of an int64 input at the same place, made fit to be an index into `size` elements.
fn index_from_data(case: &mut Case, how: &str, size: SymInt) -> ExprId {
    let four = case.n(4);
    let given = case.program.temporary(Dtype::Int64, &[four]);
    case.program.buffers[given].kind = BufferKind::Input(0);
    let value = case.load(given, case.program.vars(&[four]), Vec::new());
    let e = &mut case.program.exprs;
    let (zero, all) = (e.int(0, Dtype::Int64), e.index_value(size, Dtype::Int64));
    let one = e.int(1, Dtype::Int64);
    match how {
        "unchecked" => value,
        "checked" | "checked below" => {
            let (low, high) = (e.binary(BinaryOp::Le, zero, value), e.binary(BinaryOp::Lt, value, all));
            let both = e.binary(BinaryOp::LogicalAnd, low, high);
            e.check(if how == "checked" { both } else { low }, value, 0)
        }
        _ => {
            let last = e.binary(BinaryOp::Sub, all, one);
            let low = e.binary(BinaryOp::Maximum, value, zero);
            e.binary(BinaryOp::Minimum, low, last)
        }
    }
}

#[test]
fn an_index_from_data_is_checked_or_clamped() {
    for (how, fits) in [("unchecked", false), ("checked", true), ("checked below", false), ("clamped", true)]
    {
        let mut case = Case::new();
        let (four, nine) = (case.n(4), case.n(9));
        let x = case.input(Dtype::Float32, &[nine]);
        let place = index_from_data(&mut case, how, nine);
        let value = case.load(x, vec![case.graph.syms.data_var(0)], vec![place]);
        case.pointwise(&[four], value);
        assert_eq!(case.bound().is_ok(), fits, "{how}");
    }
}

#[test]
fn a_scatter_stays_within_its_result() {
    use ScatterMode::{Set, SetUnique};
    // Clamped to ten elements, a place may be 9: behind the last of nine, where points are left out.
    for (how, of, mode, fits) in [
        ("unchecked", 9, Set, false),
        ("checked", 9, Set, true),
        ("clamped", 10, Set, false),
        ("clamped", 10, SetUnique, true),
        ("clamped", 11, SetUnique, false),
        ("checked below", 9, SetUnique, false),
    ] {
        let mut case = Case::new();
        let (four, nine, of) = (case.n(4), case.n(9), case.n(of));
        let place = index_from_data(&mut case, how, of);
        let value = case.program.exprs.float(1.0, Dtype::Float32);
        let out = case.program.temporary(Dtype::Float32, &[nine]);
        case.node(NodeKind::Scatter {
            sizes: vec![four],
            index: vec![case.graph.syms.data_var(0)],
            data: vec![place],
            value,
            mode,
            initial: value,
            out,
        });
        assert_eq!(case.bound().is_ok(), fits, "{how} {mode:?}");
    }
}

#[test]
fn positions_of_extremes_are_places_and_sums_of_flags_are_counts() {
    let mut case = Case::new();
    let (rows, row) = (case.n(5), case.symbol("s"));
    let x = case.input(Dtype::Float32, &[rows, row]);
    let value = case.load(x, case.program.vars(&[rows, row]), Vec::new());
    let outs =
        vec![case.program.temporary(Dtype::Float32, &[rows]), case.program.temporary(Dtype::Int64, &[rows])];
    let op = ReductionOp::MaxWithIndex;
    case.node(NodeKind::Reduction { sizes: vec![rows], reduced: vec![row], op, value, outs: outs.clone() });
    let position = case.load(outs[1], case.program.vars(&[rows]), Vec::new());
    let index = vec![case.program.vars(&[rows])[0], case.graph.syms.data_var(0)];
    let picked = case.load(x, index, vec![position]);
    case.pointwise(&[rows], picked);

    let flags = case.program.exprs.constant(Scalar::Bool(true), Dtype::Bool);
    let flags = case.program.exprs.cast(flags, Dtype::Int64);
    let count = case.program.temporary(Dtype::Int64, &[rows]);
    let op = ReductionOp::Sum;
    case.node(NodeKind::Reduction {
        sizes: vec![rows],
        reduced: vec![row],
        op,
        value: flags,
        outs: vec![count],
    });
    let longer = case.graph.syms.add_const(row, 1);
    let y = case.program.temporary(Dtype::Float32, &[longer]);
    case.program.buffers[y].kind = BufferKind::Input(0);
    let place = case.load(count, case.program.vars(&[rows]), Vec::new());
    let picked = case.load(y, vec![case.graph.syms.data_var(0)], vec![place]);
    case.pointwise(&[rows], picked);
    // The first read is within the row wherever there is one; an empty one has no position.
    assert_eq!(case.bound().unwrap(), ["0 <= (s + -1 + (-1)*max(s + -1, 0))"]);
}

#[test]
fn a_store_of_another_shape_is_refused() {
    let mut case = Case::new();
    let (three, four) = (case.n(3), case.n(4));
    let value = case.program.exprs.float(1.0, Dtype::Float32);
    let out = case.program.temporary(Dtype::Float32, &[three]);
    case.node(NodeKind::Pointwise { sizes: vec![four], value, out });
    assert_eq!(case.refused(), "aten.case: the shape [3] of an intermediate value cannot be shown to be [4]");
}

/// A loop's carried tensor that grows: it is copied to memory of a size that was set anew since it was computed.
#[test]
fn copies_follow_sizes_that_were_set_before_them() {
    for (times, fits) in [(1, true), (2, false)] {
        let mut case = Case::new();
        let (size, between) = (case.symbol("n"), case.symbol("next"));
        let more = case.graph.syms.add_const(size, 1);
        let (own, source) =
            (case.input(Dtype::Float32, &[size]), case.program.temporary(Dtype::Float32, &[more]));
        let [symbol, next] = [size, between].map(|s| case.graph.syms.as_symbol(s).expect("a symbol"));
        case.node(NodeKind::Control(Control::Set {
            symbol: next,
            value: case.graph.syms.add_const(size, times),
        }));
        case.node(NodeKind::Control(Control::Set { symbol, value: between }));
        case.node(NodeKind::Control(Control::Copy { destination: own, source }));
        assert_eq!(case.bound().is_ok(), fits);
    }
}

#[test]
fn a_variable_without_a_loop_is_refused() {
    let mut case = Case::new();
    let (three, four) = (case.n(3), case.n(4));
    let x = case.input(Dtype::Float32, &[four]);
    let value = case.load(x, case.program.vars(&[three]), Vec::new());
    case.pointwise(&[four], value);
    assert_eq!(case.refused(), "aten.case: the loop variable `i0` has no loop");
}

/// A branch that is not taken reads nothing, so a run is not refused for its sizes.
#[test]
fn in_a_block_a_condition_is_checked_there() {
    let mut case = Case::new();
    let (s, t) = (case.symbol("s"), case.symbol("t"));
    let x = case.input(Dtype::Float32, &[t]);
    let predicate = case.program.temporary(Dtype::Bool, &[]);
    let value = case.load(x, case.program.vars(&[s]), Vec::new());
    case.node(NodeKind::Control(Control::If { predicate }));
    case.pointwise(&[s], value);
    case.node(NodeKind::Control(Control::Else));
    case.pointwise(&[s], value);
    case.node(NodeKind::Control(Control::EndIf));
    assert_eq!(case.bound().unwrap(), Vec::<String>::new());
    let checks = case
        .program
        .nodes
        .iter()
        .map(|n| matches!(n.kind, NodeKind::Control(Control::Check { .. })))
        .collect::<Vec<_>>();
    // One before each read: what one branch checked says nothing about the other.
    assert_eq!(checks, [false, true, false, false, true, false, false]);
}

#[test]
fn accesses_that_were_rewritten_are_proved_without_conditions() {
    let holds = |rows: i64, columns: i64| {
        let mut case = Case::new();
        let syms = Arc::clone(&case.graph.syms);
        let (s, panel) = (case.symbol("s"), case.n(32));
        let panels = case.input(Dtype::Float32, &[case.n(rows), case.n(8), case.n(columns)]);
        let sizes = [case.n(100), case.n(8)];
        let vars = case.program.vars(&sizes);
        let at = vec![syms.floordiv(vars[0], panel), vars[1], syms.modulo(vars[0], panel)];
        let value = case.load(panels, at, Vec::new());
        case.pointwise(&sizes, value);
        // What would need a guard.
        let vars = case.program.vars(&[s]);
        let value = case.load(panels, vec![case.n(0), case.n(0), vars[0]], Vec::new());
        case.pointwise(&[s], value);
        [0, 1].map(|node| stay_within(&case.program, &[node].into_iter().collect()))
    };
    assert_eq!(holds(4, 32), [true, false]);
    assert_eq!(holds(3, 32), [false, false]);
    assert_eq!(holds(4, 31), [false, false]);
}

#[test]
fn a_transform_has_as_many_elements_as_its_attributes_say() {
    // The outer, transformed and inner sizes of the attributes, the kind, and the sizes of both operands.
    let transform = |[outer, n, inner, kind]: [i64; 4], operands: [&[i64]; 2]| {
        let mut case = Case::new();
        let operands = operands.map(|sizes| {
            let sizes: Vec<SymInt> = sizes.iter().map(|s| case.n(*s)).collect();
            case.program.temporary(Dtype::Float32, &sizes)
        });
        let dtype = case.n(Dtype::Float32.number().into());
        let [outer, n, inner, kind, one] = [outer, n, inner, kind, 1].map(|v| case.n(v));
        let batch = case.graph.syms.mul(outer, inner);
        let attributes = Attributes::Fourier(Fourier {
            batch,
            dtype,
            outer,
            n,
            inner,
            outers: one,
            columns: one,
            kind,
            normalization: one,
        });
        case.node(NodeKind::Library(Box::new(Routine::pure(attributes, operands.to_vec()))));
        case.bound().map_err(|e| e.status())
    };
    assert_eq!(transform([6, 5, 7, 0], [&[2, 3, 5, 7, 2]; 2]), Ok(Vec::new()));
    assert_eq!(transform([6, 5, 1, 2], [&[2, 3, 5], &[2, 3, 3, 2]]), Ok(Vec::new()));
    assert_eq!(transform([2, 4, 3, 3], [&[2, 3, 3, 2], &[2, 4, 3]]), Ok(Vec::new()));
    for wrong in [
        transform([6, 5, 7, 1], [&[2, 3, 5, 7, 2], &[2, 3, 5, 7]]),
        transform([6, 5, 1, 2], [&[2, 3, 5], &[2, 3, 2, 2]]),
        transform([2, 4, 3, 3], [&[2, 2, 3, 2], &[2, 4, 3]]),
    ] {
        assert_eq!(wrong, Err(Status::Internal));
    }
}

#[test]
fn a_routine_whose_operands_are_not_as_large_as_its_attributes_is_refused() {
    // The batch and n of the attributes, and the sizes and dtypes of matrix, factor and info.
    let factor = |dtype: Dtype, operands: [(&[i64], Dtype); 3]| {
        let mut case = Case::new();
        let operands = operands.map(|(sizes, dtype)| {
            let sizes: Vec<SymInt> = sizes.iter().map(|s| case.n(*s)).collect();
            case.program.temporary(dtype, &sizes)
        });
        let [batch, n, upper] = [6, 3, 0].map(|v| case.n(v));
        let dtype = case.n(dtype.number().into());
        let attributes = Attributes::Cholesky(Cholesky { batch, dtype, n, upper });
        case.node(NodeKind::Library(Box::new(Routine::pure(attributes, operands.to_vec()))));
        case.bound().map_err(|e| (e.status(), e.to_string()))
    };
    let (f32, i32) = (Dtype::Float32, Dtype::Int32);
    let matrix: (&[i64], Dtype) = (&[2, 3, 3, 3], f32);
    let info: (&[i64], Dtype) = (&[2, 3], i32);
    assert_eq!(factor(f32, [matrix, matrix, info]), Ok(Vec::new()));
    let small = factor(f32, [matrix, (&[2, 3, 3, 2], f32), info]);
    let message =
        "aten.case: the shape [2, 3, 3, 2] of an intermediate value cannot be shown to be [2, 3, 3, 3]";
    assert_eq!(small, Err((Status::Unsupported, message.to_string())));
    for wrong in [
        factor(f32, [(&[2, 2, 3, 3], f32), (&[2, 2, 3, 3], f32), (&[2, 2], i32)]),
        factor(f32, [matrix, matrix, (&[2, 3], Dtype::Uint8)]),
        factor(Dtype::Float64, [matrix, matrix, info]),
        factor(f32, [(&[3], f32), matrix, info]),
    ] {
        assert_eq!(wrong.map_err(|(status, _)| status), Err(Status::Internal));
    }
}

/// Goals meet the assumptions of their own symbols, and those that cannot be, until these are taken back.
#[test]
fn assumptions_by_symbols() {
    let syms = SymArena::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| syms.symbol(name, Range::new(0, 9), None));
    let mut assumed = super::assumed::Assumed::default();
    let (gap, other) = (syms.sub(a, b), syms.sub(b, c));
    assumed.add(&syms, gap);
    assert!(assumed.settle(&syms, gap) && assumed.settle(&syms, syms.add_const(gap, 1)));
    assert!(!assumed.settle(&syms, syms.sub(b, a)) && !assumed.settle(&syms, other));
    assumed.add(&syms, other);
    assert!(assumed.settle(&syms, other) && assumed.len() == 2);
    assumed.truncate(&syms, 1);
    assert!(assumed.settle(&syms, gap) && !assumed.settle(&syms, other) && assumed.len() == 1);
    assumed.add(&syms, syms.constant(-9));
    assert!(assumed.settle(&syms, other));
    assumed.truncate(&syms, 0);
    assert!(!assumed.settle(&syms, gap) && !assumed.settle(&syms, other));
}

/// A kernel's place of a lane in a row that it walks in blocks, for any batch size: what is known of tasks and of the batch alone
/// is no way to the bound of the row.
#[test]
fn facts_of_free_symbols_do_not_keep_a_goal_of_variables_from_its_proof() {
    let syms = SymArena::new();
    let free = |name: &str, min| syms.symbol(name, Range::new(min, i64::MAX), None);
    let (batch, begin, end) = (free("batch", 1), free("begin", 0), free("end", 0));
    let count = syms.symbol("count", Range::new(1, 256), None);
    let chunks = syms.floordiv(count, syms.constant(16));
    let sizes = [batch, syms.constant(24), syms.constant(256), chunks, syms.constant(16)];
    let [b, row, first, chunk, lane] = std::array::from_fn(|k| syms.index_var(k as u32, sizes[k]));
    let sum = |terms: &[(i64, SymInt)]| {
        terms.iter().fold(syms.constant(0), |sum, (c, e)| syms.add(sum, syms.mul_const(*e, *c)))
    };
    let one = syms.constant(1);
    let goal =
        sum(&[(6144, batch), (-1, one), (-6144, b), (-256, row), (-1, first), (-1, lane), (-16, chunk)]);
    let facts = [
        sum(&[(1, end), (-1, begin)]),
        sum(&[(4, batch), (-1, end)]),
        sum(&[(1, batch), (-1, one)]),
        syms.constant(23),
        sum(&[(256, one), (-1, first), (-1, count)]),
        sum(&[(1, chunks), (-1, one)]),
        sum(&[(-16, one), (-16, chunk), (1, count)]),
    ];
    let mut prover = Prover::new(&syms);
    prover.enter(&sizes);
    assert_eq!(prover.prove(goal, &facts, &[]), Proof::Holds);
}

/// A place of a list that so many data-dependent lengths make up: whichever of its bounds each length has, the place is within it.
#[test]
fn a_sum_of_minima_is_not_taken_apart_before_what_moves() {
    let syms = SymArena::new();
    let least = |k: i64| syms.min(syms.symbol(&format!("u{k}"), Range::size(), None), syms.constant(400));
    let length = (0..90).map(least).fold(syms.constant(0), |sum, m| syms.add(sum, m));
    let four = syms.constant(4);
    let place = syms.index_var(0, syms.mul(length, four));
    let row = syms.floordiv(syms.add_const(place, 3), four);
    let mut prover = Prover::new(&syms);
    assert_eq!(prover.prove(syms.sub(length, row), &[], &[]), Proof::Holds);
}
