//! Recurrences: a cluster of blocks follows some rows of the batch through all steps, each block with some hidden units.

use super::super::{Kernel, NativeHeader, Refusal, cpp};
use super::function::Launch;
use super::template::{Shape, Template};
use crate::loops::{BufferId, Cell, ExprId, Recurrence};
use crate::templates::recurrence::{MOST, THREADS, UNITS};
use crate::types::SymInt;

impl Template<'_> {
    pub(super) fn recurrence(mut self, r: &Recurrence) -> Result<Kernel, Refusal> {
        let program = self.program;
        let syms = &program.syms;
        let group = self.group;
        let refuse = |message: &str| Refusal {
            operators: group.operators.located(&program.origins),
            message: message.to_string(),
        };
        let (Some(hidden), Some(projected)) = (syms.as_const(r.hidden), syms.as_const(r.projected)) else {
            return Err(refuse("on a GPU, the number of hidden units must be known when it is compiled"));
        };
        let dtype = program.exprs.dtype(r.gates);
        let (ty, size) = (cpp::scalar_type(dtype), dtype.size() as i64);
        let projects = r.projection.is_some();

        // Many blocks share a row where it is long; only Hopper's successors have clusters.
        let mut blocks = 1;
        while self.target.arch >= 90 && blocks < MOST && hidden / (2 * blocks) >= UNITS {
            blocks *= 2;
        }
        let clusters = (self.target.multiprocessors as i64 / blocks).max(1);
        let batch = syms.hint(r.batch).max(1);
        let mut rows =
            (((batch + clusters - 1) / clusters) as u64).next_power_of_two().min(MOST as u64) as i64;
        let slice = (hidden + blocks - 1) / blocks;
        let gates = r.cell.gates();
        let shared = |rows: i64, kept: bool| {
            let states = 2 * projected + slice + gates * slice + if projects { hidden } else { 0 };
            size * (rows * states + if kept { gates * slice * projected } else { 0 })
        };
        let most = self.target.shared_bytes as i64 - 1024;
        while rows > 1 && shared(rows, false) > most {
            rows /= 2;
        }
        if shared(rows, false) > most {
            return Err(refuse("so many hidden units do not fit into a GPU's shared memory"));
        }
        let kept = shared(rows, true) <= most;

        let [gate_space, weight_space, first_space, bias, first_cell, projection] = r.operands(syms);
        let (step, row) = if r.batch_first { ("row", "step") } else { ("step", "row") };
        self.at("gates", gate_space, &[step, row, "n"], &["step", "row", "n"]);
        self.at("weight", weight_space, &["k", "n"], &["k", "n"]);
        self.at("first", first_space, &["row", "k"], &["row", "k"]);
        self.at("bias", bias, &["n"], &["n"]);
        self.at("first_cell", first_cell, &["row", "k"], &["row", "k"]);
        self.at("projection", projection, &["k", "n"], &["k", "n"]);
        self.put("out", Some(r.out), &[step, row, "n"], &["step", "row", "n"], ty);
        self.put("last", Some(r.last), &["row", "n"], &["row", "n"], ty);
        self.put("last_cell", r.last_cell, &["row", "n"], &["row", "n"], ty);
        let (steps, batch) = (self.emitter.index_text(r.steps), self.emitter.index_text(r.batch));
        self.emitter.line("extern __shared__ __align__(16) char dynamic[];");
        self.emitter.line(&format!(
            "const litz_recurrence_shape shape = {{{steps}, {batch}, {hidden}, {projected}, {}}};",
            r.reverse
        ));
        let cell = match r.cell {
            Cell::Tanh => "LITZ_CELL_TANH",
            Cell::Relu => "LITZ_CELL_RELU",
            Cell::Lstm => "LITZ_CELL_LSTM",
            Cell::Gru => "LITZ_CELL_GRU",
        };
        self.emitter.line(&format!(
            "litz_recurrence<{cell}, {ty}, {blocks}, {rows}, {kept}, {projects}>(shape, gates, weight, bias, first, first_cell, projection, out, last, last_cell, dynamic);"
        ));
        let groups = syms.ceildiv(r.batch, syms.constant(rows));
        let shape = Shape {
            kind: "recurrence",
            headers: vec![NativeHeader::CudaRecurrence],
            blocks: syms.mul_const(groups, blocks),
            launch: Launch { cluster: blocks, ..Launch::block(THREADS) },
            shared: syms.constant(shared(rows, kept)),
        };
        Ok(self.finish(shape))
    }

    /// A function of `parameters` that gives an operand at the coordinates `index`; 0 where there is none.
    fn at(
        &mut self,
        name: &str,
        operand: Option<(ExprId, Vec<SymInt>)>,
        index: &[&str],
        parameters: &[&str],
    ) {
        let parameters: Vec<String> = parameters.iter().map(|p| format!("i64 {p}")).collect();
        let head = format!("const auto {name} = [&]({})", parameters.join(", "));
        self.emitter.open();
        match operand {
            Some((expr, sizes)) => {
                let level = self.emitter.depth();
                for ((k, size), variable) in sizes.iter().enumerate().zip(index) {
                    self.emitter.bind(self.program.syms.index_var(k as u32, *size), variable, level);
                }
                let value = self.emitter.value_text(expr);
                self.emitter.line(&format!("return {value};"));
            }
            None => self.emitter.line("return 0;"),
        }
        self.emitter.close(&head);
        self.emitter.line(";");
    }

    /// A function of `parameters` and a value that stores it into a result at the coordinates `index`.
    fn put(
        &mut self,
        name: &str,
        buffer: Option<BufferId>,
        index: &[&str],
        parameters: &[&str],
        ty: &'static str,
    ) {
        let parameters: Vec<String> = parameters.iter().map(|p| format!("i64 {p}")).collect();
        self.emitter.open();
        if let Some(buffer) = buffer.filter(|b| self.group.writes.contains(b)) {
            let syms = std::sync::Arc::clone(&self.program.syms);
            let data = &self.program.buffers[buffer];
            let vars = self.program.vars(&data.sizes);
            let level = self.emitter.depth();
            for (var, variable) in vars.iter().zip(index) {
                self.emitter.bind(*var, variable, level);
            }
            let terms: Vec<SymInt> = vars.iter().zip(&data.strides).map(|(i, s)| syms.mul(*i, *s)).collect();
            let pointer = self.pointer(buffer);
            let value = self.emitter.uniform("value");
            self.emitter.store_value(&pointer, syms.sum(&terms), value);
        }
        self.emitter.close(&format!("const auto {name} = [&]({}, {ty} value)", parameters.join(", ")));
        self.emitter.line(";");
    }
}
