//! Calls of a GPU's recurrences.

use crate::kernels::{Routine, TemplateCall};
use crate::print::template::cell_name;
use crate::print::{Speller, words};

/// What stands for an operand or a result that there is not, in the order of a call's regions: it gives 0, or takes a value.
const MISSING: [&str; 9] = [
    "[](i64, i64, i64) { return 0; }",
    "[](i64, i64) { return 0; }",
    "[](i64) { return 0; }",
    "[](i64, i64) { return 0; }",
    "[](i64, i64) { return 0; }",
    "[](i64, i64) { return 0; }",
    "[](i64, i64, i64, TYPE) {}",
    "[](i64, i64, TYPE) {}",
    "[](i64, i64, TYPE) {}",
];

impl Speller<'_> {
    pub(super) fn recurrence_cluster(&mut self, call: &TemplateCall) {
        let Routine::RecurrenceCluster { dtype, cell, blocks, rows, kept, projects, reverse } = call.routine
        else {
            unreachable!("the routine is a recurrence's")
        };
        self.dynamic();
        let (ty, numbers) = (words::scalar_type(dtype), self.values(&call.numbers));
        self.push(&format!("const litz_recurrence_shape shape = {{{numbers}, {reverse}}};"));
        self.next_line();
        let function = |(region, missing): (&Option<_>, &&str)| match region {
            Some(region) => self.region_name(*region).to_string(),
            None => missing.replace("TYPE", ty),
        };
        let functions: Vec<String> = call.regions.iter().zip(&MISSING).map(function).collect();
        let (cell, functions) = (cell_name(cell), functions.join(", "));
        self.push(&format!(
            "litz_recurrence<{cell}, {ty}, {blocks}, {rows}, {kept}, {projects}>(shape, {functions}, dynamic);"
        ));
    }
}
