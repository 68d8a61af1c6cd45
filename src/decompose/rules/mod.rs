//! The decomposition rules, by family of operators; a row of the operator table names the function.

mod algebra;
mod distance;
mod fractional;
mod gradient;
mod host;
mod least_squares;
mod linalg;
mod loss;
mod numeric;
mod placement;
mod prims;
mod quantized;
mod recurrence;
mod signal;
mod singular_values;
mod spectral;
mod vision;

pub use algebra::*;
pub use distance::*;
pub use fractional::*;
pub use gradient::*;
pub use host::*;
pub use least_squares::*;
pub use linalg::*;
pub use loss::*;
pub use numeric::*;
pub use placement::*;
pub use prims::*;
pub use quantized::*;
pub use recurrence::*;
pub use signal::*;
pub use singular_values::*;
pub use spectral::*;
pub use vision::*;
