//! Slopes through branches, and what of a branch is refused.

use super::{compare, graph_of, loss};
use litz::ir::OutputValue;
use litz::session;

/// Branches on both inputs, each with a predicate that is true and one that is not.
pub fn branches() -> impl Iterator<Item = String> {
    let graph = |name: &str, body: &str| {
        format!(
            "graph \"{name}\" {{\n input %0 \"x\": float64[2, 3]\n input %1 \"y\": float64[2, 3]\n {body}\n }}"
        )
    };
    let product =
        graph("product", "%2 = aten.mul.Tensor(%0, %1)\n %3 = aten.sin.default(%2)\n output \"a\" = %3");
    // No gradient by the second operand.
    let power = graph("power", "%2 = aten.exp.default(%0)\n output \"a\" = %2");
    // The operand itself, and a view of one.
    let given = graph("given", "output \"a\" = %1");
    let turned =
        graph("turned", "%2 = aten.flip.default(%1, [1])\n %3 = aten.mul.Tensor(%2, %2)\n output \"a\" = %3");
    let pair = |first: &str, second: &str| format!("{first}, {second}, [%0, %1]");
    let nested = graph(
        "nested",
        &format!(
            "%2 = aten.sum.default(%1)\n %3 = aten.lt.Scalar(%2, 0.0)\n %4 = higher_order.cond.default(%3, {})\n \
             %5 = aten.mul.Tensor(%4, %0)\n output \"a\" = %5",
            pair(&product, &power)
        ),
    );
    // Results that are numbers of places, and one that is not used.
    let more = |name: &str, op: &str| {
        let body = format!(
            "%2 = aten.{op}.default(%0)\n %3 = aten.argmax.default(%1)\n %4 = aten.mul.Tensor(%2, %1)\n \
             output \"a\" = %2\n output \"b\" = %3\n output \"c\" = %4"
        );
        graph(name, &body)
    };
    let one = [
        pair(&product, &power),
        pair(&power, &product),
        pair(&given, &turned),
        pair(&nested, &turned),
        pair(&power, &nested),
        // An operand that is given twice.
        format!("{product}, {turned}, [%0, %0]"),
    ];
    let several = format!(
        "%6, %7, %8 = higher_order.cond.default(%4, {}, {}, [%0, %1])",
        more("m", "sin"),
        more("n", "exp")
    );
    let one = one
        .into_iter()
        .map(|c| format!("%5 = higher_order.cond.default(%4, {c})\n  %2 = aten.mul.Tensor(%5, %5)"));
    let several = [
        format!("{several}\n  %2 = aten.mul.Tensor(%6, %8)"),
        format!("{several}\n  %2 = aten.sin.default(%8)"),
    ];
    one.chain(several).flat_map(|call| {
        ["gt", "lt"].map(|compare| {
            format!("%3 = aten.sum.default(%0)\n  %4 = aten.{compare}.Scalar(%3, 0.0)\n  {call}")
        })
    })
}

#[test]
fn slopes_of_branches_are_those_of_differences() {
    compare(branches());
}

#[test]
fn what_a_branch_would_do_twice_is_refused() {
    let branch = |body: &str| format!("graph \"b\" {{\n input %0 \"x\": float64[2, 3]\n {body}\n }}");
    let plain = branch("%1 = aten.sin.default(%0)\n output \"a\" = %1");
    let flat = branch("%1 = aten.view.default(%0, [6])\n output \"a\" = %1");
    let part =
        branch("%1 = aten.view.default(%0, [6])\n %2 = aten.slice.Tensor(%1, 0, 0, 4)\n output \"a\" = %2");
    let found = branch(
        "%1 = aten.gt.Scalar(%0, 0.5)\n %2 = aten.masked_select.default(%0, %1)\n %3 = aten.sum.default(%2)\n %4 = aten.mul.Tensor(%0, %3)\n output \"a\" = %4",
    );
    for (yes, no, words) in
        [(&flat, &part, "sizes differ between the branches"), (&found, &plain, "would run it again")]
    {
        let call = format!(
            "%3 = aten.sum.default(%0)\n  %4 = aten.gt.Scalar(%3, 0.0)\n  \
             %5 = higher_order.cond.default(%4, {yes}, {no}, [%0])\n  %2 = aten.sin.default(%5)"
        );
        let mut graph = graph_of(&call);
        let (x, y) = (graph.inputs[0].value, graph.inputs[1].value);
        let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("{call}: a number") };
        let total = loss(&mut graph, z);
        let error =
            session::differentiate(&graph, &[total], None, &[x, y]).err().expect("it is refused").to_string();
        assert!(error.contains("higher_order.cond") && error.contains(words), "{error}");
    }
}
