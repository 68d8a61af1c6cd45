//! Programs for a GPU: printed kernels behind the prelude, which gives their words a meaning for one thread, and the native headers
//! that they need.

use super::Kernel;
use crate::base::{OrderedSet, embedded};

/// A program of kernels whose vectors have `lanes` elements, under their final names.
pub fn source(lanes: i64, kernels: &[(&String, &Kernel)]) -> String {
    let mut text = format!("#define LITZ_LANES {lanes}\n{}", embedded!("native/cuda/prelude.h").text());
    let headers = OrderedSet::from_iter(kernels.iter().flat_map(|(_, k)| k.headers.iter().copied()));
    if super::has_gamma(kernels.iter().flat_map(|(_, k)| k.functions.iter().copied())) {
        text.push_str(GAMMA);
        text.push_str(embedded!("native/gamma.h").text());
    }
    for header in headers {
        text.push_str(&header.text(0));
    }
    for (name, kernel) in kernels {
        text.push_str(&kernel.body.replace("LITZ_KERNEL", name));
    }
    super::includes_first(text, str::to_string)
}

/// The incomplete gamma functions in this vocabulary; their text follows.
const GAMMA: &str = "
#define LITZ_LIBM(name) name
LITZ_NOINLINE f64 litz_gamma_part(f64 a, f64 x, int upper);
LITZ_FLOAT l_igamma(T a, T x) { return (T)litz_gamma_part((f64)a, (f64)x, 0); }
LITZ_FLOAT l_igammac(T a, T x) { return (T)litz_gamma_part((f64)a, (f64)x, 1); }
LITZ_LIFT2(l_igamma) LITZ_LIFT2(l_igammac)
";

/// The program that the executor copies between layouts with.
pub fn copy_source() -> String {
    source(1, &[]) + embedded!("native/cuda/copy.h").text()
}
