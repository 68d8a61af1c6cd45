//! The function of a kernel for a CPU: it computes the tasks from `begin` to `end`.

use super::{Dialect, words};
use crate::kernels::{Body, BufferParameter};

const HEAD: &str = "\nextern \"C\" __attribute__((visibility(\"default\"))) int LITZ_KERNEL(void *, void *const *B, const i64 *S, i64 begin, i64 end, void *scratch) {\n  (void)B; (void)S; (void)scratch;\n";

/// The function around a body.
pub fn function(buffers: &[BufferParameter], body: &Body) -> String {
    let mut text = String::from(HEAD);
    for (place, parameter) in buffers.iter().enumerate() {
        let ty = words::memory_type(parameter.dtype);
        let constant = if parameter.role.is_written() { "" } else { "const " };
        text.push_str(&format!(
            "  {constant}{ty} *__restrict const b{place} = ({constant}{ty} *)B[{place}];\n"
        ));
    }
    text.push_str(&super::block(Dialect::Cxx, body, &body.block, 1));
    text.push_str("  return 0;\n}\n");
    text
}
