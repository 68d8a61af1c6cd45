//! Buffers that passes and the scheduler put in place of others, and where the others' elements are in them.

use super::{BufferId, Program};
use crate::types::SymInt;

/// How a buffer lies that stands for another one.
#[derive(Clone, Debug, PartialEq)]
pub enum Stand {
    /// The other's dimension that each of its own is.
    Dims(Vec<usize>),
    /// Its rows, the first of its two dimensions: row `i % fast * slow + i / fast` is row `i` of the other, whose leading dimensions
    /// together are rows.
    Rows { fast: SymInt, slow: SymInt },
}

/// The buffer that was there first, as another one holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Original {
    pub buffer: BufferId,
    /// The dimensions of the one that holds it, a dimension of rows in another order as two.
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub size: SymInt,
    pub stride: SymInt,
    /// Its place among the dimensions by which the original's elements are in order.
    pub dim: usize,
}

impl Program {
    /// The buffer that was there before this one was put in its place; itself where there is none. `None` where the orders of two that
    /// stand for each other do not go together.
    pub fn original(&self, buffer: BufferId) -> Option<Original> {
        let data = &self.buffers[buffer];
        let sizes = data.sizes.iter().zip(&data.strides).enumerate();
        let parts = sizes.map(|(dim, (size, stride))| Part { size: *size, stride: *stride, dim }).collect();
        let mut found = Original { buffer, parts };
        while let Some((from, stand)) = self.stands_for.get(&found.buffer) {
            let sizes = &self.buffers[found.buffer].sizes;
            match stand {
                Stand::Dims(order) if (0..order.len()).eq(order.iter().copied()) => {}
                Stand::Dims(order) => {
                    // Its own dimensions must be those that are to be put in order.
                    let of_dim = |d: usize| found.parts.iter().find(|p| p.dim == d).map(|p| p.size);
                    let own = (0..found.parts.len()).map(of_dim).collect::<Option<Vec<SymInt>>>()?;
                    if own != *sizes {
                        return None;
                    }
                    found.parts.iter_mut().for_each(|part| part.dim = order[part.dim]);
                }
                Stand::Rows { fast, slow } => {
                    let rows = found.parts.iter().position(|p| p.dim == 0)?;
                    if sizes.len() != 2 || found.parts.len() != 2 {
                        return None;
                    }
                    found.parts.iter_mut().for_each(|part| part.dim *= 2);
                    let Part { stride, .. } = found.parts[rows];
                    let outer = self.syms.mul(stride, *slow);
                    found.parts[rows] = Part { size: *slow, stride, dim: 0 };
                    found.parts.insert(rows, Part { size: *fast, stride: outer, dim: 1 });
                }
            }
            found.buffer = *from;
        }
        Some(found)
    }
}
