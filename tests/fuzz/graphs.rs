//! Graphs that came from a mutant: compiled, and run where they are small.

use crate::check::{self, Answer};
use crate::common::contents::{Content, fill};
use crate::common::guarded::{Operand, extent};
use crate::common::random::Random;
use litz::ir::Graph;
use litz::types::{Dtype, SymInt, SymbolId};
use std::collections::HashMap;

/// The most elements of all values of a graph that is run.
const LARGEST: u64 = 1 << 16;

/// What a graph's inputs may be. `None` where a run would need too much, or sizes that cannot be had.
fn operands(graph: &Graph, random: &mut Random) -> Option<Vec<Operand>> {
    let syms = &graph.syms;
    let mut values: HashMap<SymbolId, i64> = HashMap::new();
    for symbol in &graph.symbols {
        let id = syms.as_symbol(*symbol)?;
        let range = syms.symbol_range(id);
        let hint = syms.symbol_hint(id).filter(|_| !random.once_in(4));
        let value = hint.unwrap_or_else(|| random.of(&[0, 1, 2, 3, 4, 8]));
        values.insert(id, value.clamp(range.min, range.max));
    }
    let value_of = |e: SymInt| syms.eval(e, &|id| values.get(&id).copied()).ok();
    let list = |sizes: &[SymInt]| sizes.iter().map(|s| value_of(*s)).collect::<Option<Vec<i64>>>();
    let one = |input: &litz::ir::Input, random: &mut Random| {
        let meta = graph.meta(input.value);
        let (shape, strides) = (list(&meta.shape)?, list(&meta.strides)?);
        let within = |n: &i64| (0..1 << 16).contains(n);
        let places =
            shape.iter().zip(&strides).try_fold(1i64, |sum, (n, s)| sum.checked_add(n.checked_mul(*s)?));
        if !shape.iter().all(within) || !strides.iter().all(within) || places? > 1 << 20 {
            return None;
        }
        let content = if meta.dtype == Dtype::Int64 { Content::Index(3) } else { Content::Small };
        let bytes = match input.symbol.and_then(value_of) {
            Some(number) if meta.dtype == Dtype::Int64 => number.to_le_bytes().to_vec(),
            _ => fill(meta.dtype, extent(&shape, &strides), content, random),
        };
        Some(Operand { dtype: meta.dtype, shape, strides, bytes })
    };
    graph.inputs.iter().map(|input| one(input, random)).collect()
}

/// Compiles and runs on the interpreter, and now and then on the CPU, which must give the same.
pub fn go_through(graph: &Graph, random: &mut Random, on_cpu: bool) -> Answer {
    run_and_compare(graph, random, on_cpu.then_some(&[]))
}

/// Compiles and runs on the interpreter, and on the CPU with these options.
pub fn compared(graph: &Graph, random: &mut Random, set: &[(&str, &str)]) -> Answer {
    run_and_compare(graph, random, Some(set))
}

fn run_and_compare(graph: &Graph, random: &mut Random, on_cpu: Option<&[(&str, &str)]>) -> Answer {
    let small = check::elements(graph).is_some_and(|n| n <= LARGEST);
    let program = match check::compile(graph, "interpreter", &[]) {
        Ok(program) => program,
        Err(answer) => return answer,
    };
    // A mutant's loop may be one without an end.
    let ends = !graph.order.iter().any(|n| graph.nodes[*n].op.name().contains("while_loop"));
    let Some(inputs) = operands(graph, random).filter(|_| small && ends) else {
        return Answer::Refused("not run".into());
    };
    let expected = check::run(&program, &inputs);
    let Some(set) = on_cpu.filter(|_| !matches!(expected, Answer::Defect(_))) else {
        return expected;
    };
    let got = match check::compile(graph, "cpu", set) {
        Ok(program) => check::run(&program, &inputs),
        Err(answer) => answer,
    };
    match (&got, &expected) {
        (Answer::Gave(got), Answer::Gave(want)) => match check::difference(got, want, false) {
            Some(how) => check::defect("differs from the interpreter", how),
            None => expected,
        },
        (Answer::Defect(_), _) => got,
        (Answer::Refused(how), Answer::Gave(_)) => {
            check::defect("refuses what the interpreter takes", how.clone())
        }
        (Answer::Gave(_), Answer::Refused(how)) => {
            check::defect("takes what the interpreter refuses", how.clone())
        }
        _ => expected,
    }
}
