//! Floor 11: translation units. `mapping` builds kernels, `print` spells them, and this module puts them behind the headers that they need.
//!
//! [`kernel`] gives the text of one kernel. It names buffers and symbols by their place among the kernel's parameters, so equal
//! kernels have equal text whatever buffers they use, and are compiled once. [`combined`] joins several kernels to one, and [`host`] makes
//! a kernel of a host's source.
//!
//! Invariants: the text includes no header; it is warning-free under `-Wall -Wextra`; it reads and writes only within
//! the buffers it is given.
//!
//! Deliberately absent: decisions about kernels, running a compiler, and devices.

mod combined;
pub mod cuda;
pub mod host;

use crate::base::{OrderedSet, embedded};
use crate::kernels::{self, Launch};
use crate::loops::{BufferId, Program};
use crate::print;
use crate::target::Isa;
use crate::types::{SymInt, SymbolId};

pub use crate::kernels::TensorMap;
pub use crate::templates::Header as NativeHeader;

/// A group as source.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What it is, for `describe`: `loops`, `gemm`, `convolution`, `attention`, `pack`, …
    pub kind: &'static str,
    /// The function, named `LITZ_KERNEL`.
    pub body: String,
    /// Macros of the native functions that it uses.
    pub functions: OrderedSet<&'static str>,
    /// CPUs: heights of tiles that it uses, as bits.
    pub tile_heights: u32,
    /// Native headers that it uses after the prelude.
    pub headers: Vec<NativeHeader>,
    /// Its buffer parameters in order.
    pub buffers: Vec<BufferId>,
    /// Its scalar parameters in order: the values of these symbols.
    pub symbols: Vec<SymbolId>,
    /// The number of tasks, and how many at least are worth a thread. (CUDA: blocks, and threads of a block.)
    pub tasks: SymInt,
    pub grain: SymInt,
    /// Bytes of memory of its own that each thread needs. (CUDA: of dynamic shared memory that each block needs.)
    pub scratch: SymInt,
    /// CUDA: elements of a thread's vectors, which the whole text is compiled for; CPUs: 0.
    pub lanes: i64,
    /// CUDA: the parameters `t0`, `t1`, … behind the buffers.
    pub maps: Vec<TensorMap>,
}

/// A kernel as text, and what it is.
pub fn kernel(program: &Program, (kind, kernel): (&'static str, kernels::Kernel)) -> Kernel {
    let syms = &program.syms;
    let (body, headers, tasks, grain, scratch, lanes) = match kernel.launch {
        Launch::Cpu { tasks, grain, scratch } => {
            let body = print::cxx::function(&kernel.buffers, &kernel.body);
            (body, print::headers(&kernel.body), tasks, grain, scratch, 0)
        }
        Launch::Gpu { blocks, threads, shared, .. } => {
            let (body, headers) = (print::cuda::function(&kernel), print::cuda::headers(&kernel));
            (body, headers, blocks, syms.constant(threads), shared, kernel.lanes)
        }
    };
    Kernel {
        kind,
        body,
        functions: print::functions(&kernel.body),
        tile_heights: print::tile_heights(&kernel),
        headers,
        buffers: kernel.buffers.iter().map(|b| b.buffer).collect(),
        symbols: kernel.symbols,
        tasks,
        grain,
        scratch,
        lanes,
        maps: kernel.maps,
    }
}

/// One kernel that runs several, given by their final names.
pub fn combined(program: &Program, parts: &[(String, &Kernel)]) -> Kernel {
    combined::kernel(program, parts)
}

/// One kernel of a GPU that runs several, which are computed element by element.
pub fn combined_blocks<'k>(
    program: &Program,
    kind: &'static str,
    kernels: impl Iterator<Item = &'k kernels::Kernel>,
) -> Kernel {
    combined::blocks(program, kind, kernels)
}

/// A translation unit of kernels for an instruction set: their bodies under their final names, after what they need.
pub fn source(isa: Isa, kernels: &[(String, &Kernel)]) -> String {
    let functions = OrderedSet::from_iter(kernels.iter().flat_map(|(_, k)| k.functions.iter()));
    let headers = OrderedSet::from_iter(kernels.iter().flat_map(|(_, k)| k.headers.iter().copied()));
    let mut text = String::new();
    for name in &functions {
        text.push_str(&format!("#define LITZ_USE_{name}\n"));
    }
    let tile_heights = kernels.iter().fold(0, |all, (_, k)| all | k.tile_heights);
    text.push_str(&format!("#define LITZ_TILE_HEIGHTS {tile_heights:#x}\n"));
    text.push_str(&NativeHeader::prelude_constants(isa.vector_bytes() as i64));
    text.push_str(embedded!("native/prelude.h").text());
    if functions.iter().any(|name| !print::is_tile(name)) || headers.contains(&NativeHeader::Attention) {
        text.push_str(embedded!("native/f64_math.h").text());
        text.push_str(embedded!("native/functions.h").text());
    }
    if has_gamma(functions.iter().map(|name| **name)) {
        text.push_str(embedded!("native/gamma.h").text());
    }
    text.push_str(SUPPORT);
    for header in headers {
        text.push_str(&header.text(isa.vector_bytes() as i64));
    }
    for (name, kernel) in kernels {
        text.push_str(&kernel.body.replace("LITZ_KERNEL", name));
    }
    text
}

/// A text and, in front of it, the lines in it that include files. Only what came from a host has any.
pub fn includes_first(text: String, around: impl FnOnce(&str) -> String) -> String {
    let includes = |line: &&str| line.trim_start().starts_with('#') && line.contains("include");
    let line_before = |at: usize| text[..at].rsplit('\n').next().unwrap_or_default();
    if !text.match_indices("include").any(|(at, _)| line_before(at).trim_start().starts_with('#')) {
        return around(&text);
    }
    let first: String = text.lines().filter(includes).map(|line| format!("{line}\n")).collect();
    // Lines keep their numbers.
    let rest: String =
        text.lines().map(|line| if includes(&line) { "\n".into() } else { format!("{line}\n") }).collect();
    first + &around(&rest)
}

/// Whether an incomplete gamma function is among these.
fn has_gamma<'n>(mut functions: impl Iterator<Item = &'n str>) -> bool {
    functions.any(|name| name.starts_with("IGAMMA"))
}

/// What generated text uses beyond the prelude.
const SUPPORT: &str = r#"
#define LITZ_FAIL(n) n
LITZ_FN i64 litz_floor_divide(i64 a, i64 b) { return l_floor_divide(a, b); }
LITZ_FN i64 litz_modulo(i64 a, i64 b) { return l_remainder(a, b); }
LITZ_FN i64 litz_lesser(i64 a, i64 b) { return a < b ? a : b; }
LITZ_FN i64 litz_greater(i64 a, i64 b) { return a > b ? a : b; }
// x / s for one s and many x, to the same bit: with r = 1/s correctly rounded, q = x r and one correction by the exact remainder give the
// rounded quotient (Markstein's theorem) as long as nothing over- or underflows; vectors where something might are divided.
LITZ_FN vf32 divide_by(vf32 x, f32 s) {
#ifdef __FMA__
    const f32 r = 1.0f / s, size = l_abs(s);
    const vf32 q = mul(x, splat(r)), most = l_abs(q), zero = splat(0.0f);
    const vmask plain = mask_or(mask_and(gt(most, splat(0x1p-60f)), lt(most, splat(0x1p60f))), eq(x, zero));
    if (size > 0x1p-60f && size < 0x1p60f && all(plain)) {
        const vf32 rest = fused(neg(q), splat(s), x);
        return select(eq(x, zero), q, fused(rest, splat(r), q));
    }
#endif
    return divide(x, splat(s));
}
LITZ_FN f32 divide_by(f32 x, f32 s) { return x / s; }
"#;
