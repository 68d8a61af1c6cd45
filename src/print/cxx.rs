//! The function of a kernel for a CPU, which computes the tasks from `begin` to `end`. Several kernels can become one function, which divides
//! a range of tasks among them.

use super::{Dialect, words};
use crate::kernels::{Body, BufferParameter, ValueId};
use crate::types::Dtype;

const HEAD: &str = "\nextern \"C\" __attribute__((visibility(\"default\"))) int LITZ_KERNEL(void *, void *const *B, const i64 *S, i64 begin, i64 end, void *scratch) {\n  (void)B; (void)S; (void)scratch;\n";

/// The function up to its body, for buffers by place, dtype and whether they are written.
pub fn head(buffers: impl Iterator<Item = (usize, Dtype, bool)>) -> String {
    let mut text = String::from(HEAD);
    for (place, dtype, written) in buffers {
        let ty = words::memory_type(dtype);
        let constant = if written { "" } else { "const " };
        text.push_str(&format!(
            "  {constant}{ty} *__restrict const b{place} = ({constant}{ty} *)B[{place}];\n"
        ));
    }
    text
}

/// The function around a body.
pub fn function(buffers: &[BufferParameter], body: &Body) -> String {
    let parameters = buffers.iter().enumerate();
    let mut text = head(parameters.map(|(place, p)| (place, p.dtype, p.role.is_written())));
    text.push_str(&super::block(Dialect::Cxx, body, &body.block, 1));
    text.push_str("  return 0;\n}\n");
    text
}

/// A kernel that another function calls.
pub struct Part<'n> {
    pub name: &'n str,
    /// Its tasks, a value of the calling body.
    pub tasks: ValueId,
    /// The first of its buffers and of its symbols among all.
    pub buffers: usize,
    pub symbols: usize,
}

/// A function that runs kernels, as if the tasks of each followed those of the one before. The body names what their numbers of
/// tasks need.
pub fn parts(body: &Body, parts: &[Part<'_>]) -> String {
    let mut text = String::from("\n");
    for (k, Part { name, .. }) in parts.iter().enumerate() {
        if !parts[..k].iter().any(|p| p.name == *name) {
            text.push_str(&format!(
                "extern \"C\" int {name}(void *, void *const *, const i64 *, i64, i64, void *);\n"
            ));
        }
    }
    text.push_str(HEAD);
    text.push_str(&super::block(Dialect::Cxx, body, &body.block, 1));
    text.push_str("  i64 first = 0;\n");
    for Part { name, tasks, buffers, symbols } in parts {
        let count = super::value(Dialect::Cxx, body, *tasks);
        text.push_str(&format!(
            "  {{
    const i64 count = {count}, from = litz_greater(begin - first, 0), to = litz_lesser(end - first, count);
    const int code = from < to ? {name}(nullptr, B + {buffers}, S + {symbols}, from, to, scratch) : 0;
    if (code) return code;
    first += count;
  }}
"
        ));
    }
    text.push_str("  return 0;\n}\n");
    text
}
