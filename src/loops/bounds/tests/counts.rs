//! How many points nests may have: what is guarded, checked and refused.

use super::Case;
use crate::loops::{Control, LoopNode, NodeKind, ReductionOp};
use crate::types::{Dtype, Range, Scalar, SymInt};

impl Case {
    /// A size without a bound.
    fn any(&self, name: &str) -> SymInt {
        self.graph.syms.symbol(name, Range::size(), None)
    }
    /// Sums ones over a space, without a buffer of its size.
    fn sum_of_ones(&mut self, sizes: &[SymInt]) {
        let value = self.program.exprs.constant(Scalar::Int(1), Dtype::Int64);
        let out = self.program.temporary(Dtype::Int64, &[]);
        self.node(NodeKind::Reduction {
            sizes: Vec::new(),
            reduced: sizes.to_vec(),
            op: ReductionOp::Sum,
            value,
            outs: vec![out],
        });
    }
    fn checks(&self) -> Vec<bool> {
        let is_check = |n: &LoopNode| matches!(n.kind, NodeKind::Control(Control::Check { .. }));
        self.program.nodes.iter().map(is_check).collect()
    }
}

#[test]
fn a_nest_whose_points_may_be_too_many_is_guarded_once() {
    let mut case = Case::new();
    let (s, t) = (case.any("s"), case.graph.syms.symbol("t", Range::new(1, i64::MAX), None));
    case.sum_of_ones(&[s]);
    case.sum_of_ones(&[s, t, case.n(8)]);
    case.sum_of_ones(&[t, s]);
    // One that says it for the other two.
    assert_eq!(case.bound().unwrap(), ["(s*t) <= 17592186044416"]);
}

#[test]
fn a_nest_that_always_has_too_many_points_is_refused() {
    let mut case = Case::new();
    let half = case.n(1 << 40);
    case.sum_of_ones(&[half, half]);
    assert_eq!(
        case.refused(),
        "aten.case: 1208925819614629174706176 elements are more than the 140737488355328 (2^47) that the address space of a \
         process can hold"
    );
}

#[test]
fn points_that_data_decide_or_a_branch_has_are_checked_there() {
    let mut case = Case::new();
    let (early, late) = (case.any("s"), case.any("u"));
    case.program.unbacked.extend(case.graph.syms.as_symbol(late));
    case.sum_of_ones(&[late, late]);
    case.sum_of_ones(&[late, late]);
    let guarded = case.any("t");
    case.sum_of_ones(&[guarded]);
    let predicate = case.program.temporary(Dtype::Bool, &[]);
    case.node(NodeKind::Control(Control::If { predicate }));
    case.sum_of_ones(&[early]);
    case.node(NodeKind::Control(Control::Else));
    case.sum_of_ones(&[early]);
    case.sum_of_ones(&[guarded]);
    case.node(NodeKind::Control(Control::EndIf));
    assert_eq!(case.bound().unwrap(), ["t <= 140737488355328"]);
    assert_eq!(
        case.checks(),
        [true, false, false, false, false, true, false, false, true, false, false, false]
    );
}
