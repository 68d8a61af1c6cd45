//! Complex numbers as pairs of real ones: which operators have rules, and what the rules make of them.

use super::*;

#[test]
fn operators_with_a_rule_of_their_own_have_one() {
    for op in OpId::all() {
        let expects = op.complex() == Complex::Rule && op.class() != Class::Control;
        assert_eq!(rule_of(*op).is_some(), expects, "{}", op.name());
    }
}
