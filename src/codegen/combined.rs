//! Several kernels as one: a function that deals a range of tasks out over the kernels' own.

use super::Kernel;
use super::emit::{Emitter, Finished};
use crate::loops::Program;
use crate::print::{self, Dialect};

/// The kernel that runs these, by their final names, as if the tasks of each followed those of the one before.
pub fn kernel(program: &Program, parts: &[(String, &Kernel)]) -> Kernel {
    let syms = &program.syms;
    let mut emitter = Emitter::new(program, Dialect::Cxx);
    let (mut buffers, mut symbols) = (Vec::new(), Vec::new());
    let (mut tasks, mut scratch) = (syms.constant(0), syms.constant(0));
    let mut declared = String::new();
    let (mut pieces, mut known) = (0.0, 0);
    // The parts' symbols come first, so that each finds its own in a row; what the counts need follows.
    let own_symbols: usize = parts.iter().map(|(_, k)| k.symbols.len()).sum();
    emitter.reserve_symbols(own_symbols);
    emitter.line("i64 first = 0;");
    for (name, part) in parts {
        let line =
            format!("extern \"C\" int {name}(void *, void *const *, const i64 *, i64, i64, void *);\n");
        if !declared.contains(&line) {
            declared.push_str(&line);
        }
        let count = emitter.index_text(part.tasks);
        emitter.line("{");
        emitter.line(&format!(
            "  const i64 count = {count}, from = litz_greater(begin - first, 0), to = litz_lesser(end - first, count);"
        ));
        emitter.line(&format!(
            "  const int code = from < to ? {name}(nullptr, B + {}, S + {}, from, to, scratch) : 0;",
            buffers.len(),
            symbols.len()
        ));
        emitter.line("  if (code) return code;");
        emitter.line("  first += count;");
        emitter.line("}");
        buffers.extend(part.buffers.iter().copied());
        symbols.extend(part.symbols.iter().copied());
        tasks = syms.add(tasks, part.tasks);
        scratch = syms.max(scratch, part.scratch);
        let count = syms.hint(part.tasks).max(0);
        known += count;
        pieces += count as f64 / syms.hint(part.grain).max(1) as f64;
    }
    let Finished { body: lines, symbols: counted, functions } = emitter.finish();
    symbols.extend(counted);
    let grain = (known as f64 / f64::max(pieces, 1e-9)).ceil().clamp(1.0, 1e15) as i64;
    Kernel {
        kind: parts[0].1.kind,
        body: format!("\n{declared}{}", print::cxx::function(&[], &lines)),
        functions,
        headers: Vec::new(),
        buffers,
        symbols,
        tasks,
        grain: syms.constant(grain),
        scratch,
        lanes: 0,
        maps: Vec::new(),
    }
}
