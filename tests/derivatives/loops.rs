//! Derivatives of loops: those that `scan` and `map` become, others that are bounded, and those that nothing bounds.

use super::{Slopes, compare, compare_modes, graph_of, loss};
use litz::ir::{Graph, OutputValue, Value};
use litz::session;

/// A loop on tensors that stand before, with its graphs in text; inputs of both are numbered from `%0`.
#[derive(Clone, Copy)]
struct Loop<'t> {
    before: &'static str,
    inputs: &'static [&'static str],
    condition: &'static str,
    body: &'t str,
    /// The carried tensors, and the other operands.
    operands: &'static str,
    results: &'static str,
    after: &'static str,
}

impl Loop<'_> {
    fn text(&self) -> String {
        let inputs: String =
            self.inputs.iter().enumerate().map(|(k, i)| format!(" input %{k} \"a{k}\": {i}\n")).collect();
        format!(
            "{}\n  {} = higher_order.while_loop.default(graph \"goes on\" {{\n{inputs} {}\n }}, graph \"body\" {{\n{inputs} {}\n }}, {})\n  {}",
            self.before, self.results, self.condition, self.body, self.operands, self.after
        )
    }
}

const COUNT: &str = "%3 = aten.zeros.default([], dtype=int64)\n  %4 = aten.select.int(%1, 0, 0)\n  \
     %5 = aten.zeros.default([6, 3], dtype=float64)\n  %6 = aten.cat.default([%0, %1, %0], 0)";
const ROW: &str = "%10 = aten.unsqueeze.default(%0, 0)\n %11 = aten.index_select.default(%3, 0, %10)\n \
     %12 = aten.squeeze.dim(%11, 0)\n %13 = aten.add.Scalar(%0, 1)\n";
const SIX: &str = "%9 = aten.lt.Scalar(%0, 6)\n output \"c\" = %9";

/// The graph of a call with the sum of its result's squares, and its two inputs.
fn with_loss(call: &str) -> (Graph, Value, [Value; 2]) {
    let mut graph = graph_of(call);
    let inputs = [0, 1].map(|k| graph.inputs[k].value);
    let OutputValue::Tensor(z) = graph.outputs[0].value else { panic!("a number") };
    let total = loss(&mut graph, z);
    (graph, total, inputs)
}

/// What frontends make of `scan` and `map`: a number, what is carried, a stack, and operands that are read by rows or whole.
fn scans() -> Vec<String> {
    let inputs = &["int64[]", "float64[3]", "float64[6, 3]", "float64[6, 3]", "float64[2, 3]"];
    let scan = |body: String| {
        Loop {
            before: COUNT,
            inputs,
            condition: SIX,
            body: &body,
            operands: "[%3, %4, %5], [%6, %1]",
            results: "%20, %21, %22",
            after: "%23 = aten.mul.Tensor(%22, %21)\n  %2 = aten.sin.default(%23)",
        }
        .text()
    };
    let outputs = "output \"n\" = %13\n output \"h\" = %18\n output \"s\" = %19";
    // A recurrent cell whose weights are captured.
    let cell = format!(
        "{ROW} %14 = aten.sum.dim_IntList(%4, [0])\n %15 = aten.mul.Tensor(%1, %14)\n %16 = aten.add.Tensor(%15, %12)\n \
         %18 = aten.tanh.default(%16)\n %17 = aten.mul.Tensor(%18, %12)\n %19 = aten.index_put.default(%2, [%0], %17)\n {outputs}"
    );
    // Its state is not used: a map.
    let map = format!(
        "{ROW} %14 = aten.mul.Tensor(%4, %12)\n %15 = aten.sin.default(%14)\n %16 = aten.sum.dim_IntList(%15, [0])\n \
         %18 = aten.alias.default(%1)\n %19 = aten.index_put.default(%2, [%0], %16)\n {outputs}"
    );
    // The state stays.
    let stays = map.replace("%18 = aten.alias.default(%1)\n ", "").replace("= %18", "= %1");
    // A branch in the body.
    let branch = |name: &str, op: &str| {
        format!(
            "graph \"{name}\" {{\n input %0 \"h\": float64[3]\n input %1 \"x\": float64[3]\n %2 = aten.{op}.Tensor(%0, %1)\n output \"y\" = %2\n }}"
        )
    };
    let branches = format!(
        "{ROW} %14 = aten.remainder.Scalar(%0, 2)\n %15 = aten.eq.Scalar(%14, 0)\n \
         %16 = higher_order.cond.default(%15, {}, {}, [%1, %12])\n %18 = aten.sin.default(%16)\n \
         %19 = aten.index_put.default(%2, [%0], %16)\n {outputs}",
        branch("even", "mul"),
        branch("odd", "add")
    );
    // The stack is read before it is written; the rows are read at two places.
    let reads_stack = format!(
        "{ROW} %14 = aten.sum.dim_IntList(%2, [0])\n %15 = aten.mul.Tensor(%14, %12)\n %16 = aten.add.Tensor(%1, %15)\n \
         %18 = aten.sin.default(%16)\n %19 = aten.index_put.default(%2, [%0], %18)\n {outputs}"
    );
    let two_rows = format!(
        "{ROW} %24 = aten.rsub.Scalar(%0, 5)\n %25 = aten.index.Tensor(%3, [%24])\n %16 = aten.mul.Tensor(%25, %12)\n \
         %18 = aten.add.Tensor(%1, %16)\n %19 = aten.index_put.default(%2, [%24], %16)\n {outputs}"
    );
    // From the last row to the first.
    let reverse = cell.replace("%0, 0)", "%24, 0)").replace("[%0]", "[%24]");
    let reverse = format!("%24 = aten.rsub.Scalar(%0, 5)\n {reverse}");
    [cell, map, stays, branches, reads_stack, two_rows, reverse].into_iter().map(scan).collect()
}

/// Loops whose number of turns data decide, below a bound, and others than frontends make.
fn others() -> Vec<String> {
    let until = Loop {
        before: "%3 = aten.zeros.default([], dtype=int64)",
        inputs: &["int64[]", "float64[2, 3]", "float64[2, 3]"],
        condition: "%3 = aten.lt.Scalar(%0, 9)\n %4 = aten.sum.default(%1)\n %5 = aten.lt.Scalar(%4, 11.0)\n \
             %6 = aten.logical_and.default(%3, %5)\n output \"c\" = %6",
        body: "%3 = aten.add.Scalar(%0, 1)\n %4 = aten.mul.Tensor(%1, %2)\n %5 = aten.sin.default(%4)\n \
             %6 = aten.add.Tensor(%1, %5)\n output \"n\" = %3\n output \"h\" = %6",
        operands: "[%3, %0], [%1]",
        results: "%4, %5",
        after: "%2 = aten.mul.Tensor(%5, %5)",
    };
    // Counts by threes, behind what it carries, in a tensor of one element.
    let by_three = Loop {
        before: "%3 = aten.full.default([1], 2, dtype=int64)",
        inputs: &["float64[2, 3]", "int64[1]", "float64[2, 3]"],
        condition: "%3 = aten.le.Scalar(%1, 12)\n output \"c\" = %3",
        body: "%3 = aten.add.Scalar(%1, 3)\n %4 = aten.mul.Tensor(%1, %0)\n %7 = aten.mul.Scalar(%4, 0.1)\n %5 = aten.mul.Tensor(%7, %2)\n \
             %6 = aten.sin.default(%5)\n output \"h\" = %6\n output \"n\" = %3",
        operands: "[%0, %3], [%1]",
        results: "%4, %5",
        after: "%2 = aten.mul.Tensor(%4, %0)",
    };
    // The stack is given, and one of its rows is written over.
    let given = Loop {
        before: "%3 = aten.zeros.default([], dtype=int64)\n  %4 = aten.scalar_tensor.default(1, dtype=int64)",
        inputs: &["int64[]", "float64[2, 3]", "float64[2, 3]", "int64[]"],
        condition: "%4 = aten.lt.Tensor(%0, %3)\n output \"c\" = %4",
        body: "%4 = aten.add.Scalar(%0, 1)\n %5 = aten.index.Tensor(%2, [%0])\n %6 = aten.mul.Tensor(%5, %5)\n \
             %7 = aten.index_put.default(%1, [%0], %6)\n output \"n\" = %4\n output \"s\" = %7",
        operands: "[%3, %0], [%1, %4]",
        results: "%5, %6",
        after: "%7 = aten.sin.default(%6)\n  %2 = aten.mul.Tensor(%7, %6)",
    };
    // No turn at all.
    let none = Loop { condition: "%4 = aten.lt.Scalar(%0, 0)\n output \"c\" = %4", ..given };
    // A loop in a loop.
    let nested = Loop {
        before: "%3 = aten.zeros.default([], dtype=int64)",
        inputs: &["int64[]", "float64[2, 3]", "float64[2, 3]"],
        condition: "%3 = aten.lt.Scalar(%0, 2)\n output \"c\" = %3",
        body: "%3 = aten.add.Scalar(%0, 1)\n %4 = aten.zeros.default([], dtype=int64)\n \
             %5, %6 = higher_order.while_loop.default(graph \"less\" {\n input %0 \"i\": int64[]\n input %1 \"h\": float64[2, 3]\n \
             input %2 \"y\": float64[2, 3]\n %3 = aten.lt.Scalar(%0, 3)\n output \"c\" = %3\n }, graph \"inner\" {\n \
             input %0 \"i\": int64[]\n input %1 \"h\": float64[2, 3]\n input %2 \"y\": float64[2, 3]\n %3 = aten.add.Scalar(%0, 1)\n \
             %4 = aten.mul.Tensor(%1, %2)\n %5 = aten.cos.default(%4)\n output \"n\" = %3\n output \"h\" = %5\n }, [%4, %1], [%2])\n \
             %7 = aten.mul.Tensor(%6, %2)\n output \"n\" = %3\n output \"h\" = %7",
        operands: "[%3, %0], [%1]",
        results: "%4, %5",
        after: "%2 = aten.mul.Tensor(%5, %0)",
    };
    [until, by_three, given, none, nested].iter().map(Loop::text).collect()
}

#[test]
fn slopes_of_loops_are_those_of_differences() {
    compare(scans().into_iter().chain(others()));
}

#[test]
fn forward_mode_of_loops_is_reverse_mode_along_a_direction() {
    compare_modes(scans().into_iter().chain(others()));
}

/// Loops whose turns nothing bounds.
fn unbounded() -> Vec<String> {
    let body = "%3 = aten.add.Scalar(%0, 1)\n %4 = aten.mul.Tensor(%1, %2)\n %5 = aten.sin.default(%4)\n \
         %6 = aten.mul.Scalar(%1, 1.5)\n %7 = aten.add.Tensor(%5, %6)\n output \"n\" = %3\n output \"h\" = %7";
    // The condition depends on all that is carried but the number.
    let grows = Loop {
        before: "%3 = aten.zeros.default([], dtype=int64)",
        inputs: &["int64[]", "float64[2, 3]", "float64[2, 3]"],
        condition: "%3 = aten.mul.Tensor(%1, %1)\n %4 = aten.sum.default(%3)\n %5 = aten.lt.Scalar(%4, 300.0)\n output \"c\" = %5",
        body,
        operands: "[%3, %0], [%1]",
        results: "%4, %5",
        after: "%2 = aten.mul.Tensor(%5, %5)",
    };
    // It depends on a number alone, which data give at first, which doubles, or which another operand bounds.
    let from_data = Loop {
        before: "%6 = aten.sum.default(%1)\n  %7 = aten.sign.default(%6)\n  %3 = aten._to_copy.default(%7, dtype=int64)",
        condition: "%3 = aten.lt.Scalar(%0, 4)\n output \"c\" = %3",
        ..grows
    };
    let doubled = body.replace("aten.add.Scalar(%0, 1)", "aten.mul.Scalar(%0, 2)");
    let doubles = Loop {
        before: "%3 = aten.ones.default([], dtype=int64)",
        condition: "%3 = aten.lt.Scalar(%0, 20)\n output \"c\" = %3",
        body: &doubled,
        ..grows
    };
    // No turn at all.
    let none = Loop {
        condition: "%3 = aten.sum.default(%1)\n %4 = aten.lt.Scalar(%3, -1000.0)\n output \"c\" = %4",
        ..grows
    };
    [grows, from_data, doubles, none].iter().map(Loop::text).collect()
}

#[test]
fn turns_that_nothing_bounds_are_counted_first() {
    compare(unbounded().into_iter());
    compare_modes(unbounded().into_iter());
}

/// Its gradient decides sizes by data in the body, so it has none of its own.
#[test]
fn turns_of_a_loop_in_a_loop_are_counted_in_each_turn() {
    let inside = "%3 = aten.add.Scalar(%0, 1)\n %4 = higher_order.while_loop.default(graph \"less\" {\n input %0 \"h\": float64[2, 3]\n \
         input %1 \"y\": float64[2, 3]\n %2 = aten.mul.Tensor(%0, %0)\n %3 = aten.sum.default(%2)\n %4 = aten.lt.Scalar(%3, 90.0)\n \
         output \"c\" = %4\n }, graph \"inner\" {\n input %0 \"h\": float64[2, 3]\n input %1 \"y\": float64[2, 3]\n \
         %2 = aten.mul.Scalar(%0, 2.5)\n %3 = aten.mul.Tensor(%0, %1)\n %4 = aten.sin.default(%3)\n %5 = aten.add.Tensor(%2, %4)\n \
         output \"h\" = %5\n }, [%1], [%2])\n %7 = aten.mul.Scalar(%4, 0.3)\n output \"n\" = %3\n output \"h\" = %7";
    let call = Loop {
        before: "%3 = aten.zeros.default([], dtype=int64)",
        inputs: &["int64[]", "float64[2, 3]", "float64[2, 3]"],
        condition: "%3 = aten.lt.Scalar(%0, 2)\n output \"c\" = %3",
        body: inside,
        operands: "[%3, %0], [%1]",
        results: "%4, %5",
        after: "%2 = aten.mul.Tensor(%5, %5)",
    };
    let (graph, total, [x, y]) = with_loss(&call.text());
    let first = session::differentiate(&graph, &[total], None, &[x, y]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(Slopes::of(first.graph, total, &first.gradients).wrong(), None);
}

#[test]
fn bodies_in_which_data_decide_a_size_are_refused() {
    let call = Loop {
        before: "%3 = aten.zeros.default([], dtype=int64)",
        inputs: &["int64[]", "float64[2, 3]"],
        condition: "%2 = aten.lt.Scalar(%0, 3)\n output \"c\" = %2",
        body: "%2 = aten.add.Scalar(%0, 1)\n %3 = aten.gt.Scalar(%1, 0.5)\n %4 = aten.masked_select.default(%1, %3)\n \
             %5 = aten.sum.default(%4)\n %6 = aten.mul.Tensor(%1, %5)\n output \"n\" = %2\n output \"h\" = %6",
        operands: "[%3, %0], []",
        results: "%4, %5",
        after: "%2 = aten.mul.Tensor(%5, %5)",
    };
    let (graph, total, [x, y]) = with_loss(&call.text());
    let error =
        session::differentiate(&graph, &[total], None, &[x, y]).err().expect("it is refused").to_string();
    let words = "data decide a size or a number";
    assert!(error.contains("higher_order.while_loop") && error.contains(words), "{error}");
}

/// Only the condition of the backward's loop mentions the number of turns, since doubling keeps nothing.
#[test]
fn turns_of_a_loop_in_a_branch_are_counted() {
    let text = "%3 = aten.sum.default(%0)\n %4 = aten.gt.Scalar(%3, -1000.0)\n \
         %5 = higher_order.cond.default(%4, graph \"doubled\" {\n input %0 \"x\": float64[2, 3]\n \
         %1 = higher_order.while_loop.default(graph \"less\" {\n input %0 \"h\": float64[2, 3]\n %1 = aten.mul.Tensor(%0, %0)\n \
         %2 = aten.sum.default(%1)\n %3 = aten.lt.Scalar(%2, 90.0)\n output \"c\" = %3\n }, graph \"twice\" {\n \
         input %0 \"h\": float64[2, 3]\n %1 = aten.mul.Scalar(%0, 2.0)\n output \"h\" = %1\n }, [%0], [])\n output \"z\" = %1\n }, \
         graph \"own\" {\n input %0 \"x\": float64[2, 3]\n %1 = aten.clone.default(%0)\n output \"z\" = %1\n }, [%0])\n \
         %2 = aten.mul.Tensor(%5, %1)";
    let (graph, total, [x, y]) = with_loss(text);
    let first = session::differentiate(&graph, &[total], None, &[x, y]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(Slopes::of(first.graph, total, &first.gradients).wrong(), None);
}
