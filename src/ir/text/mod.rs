//! Litz text: a graph as lines that people read and `meta::text` parses again.
//!
//! ```text
//! graph "mlp" {
//!   module 0 "encoder" "model.Encoder"
//!   trace 0 "File \"model.py\", line 12, in forward\n    y = self.a(x)"
//!   origin 0 "linear" "aten.linear.default" modules [0] trace 0
//!   symbol s0 in [1, 512] hint 7
//!   let e0 = (s0 + 3) // 4
//!   input %0 "x": float32[s0, 32]
//!   input %7 "scratch" spent: float32[s0, 32]
//!   number %1 "n": int64 = s1
//!   parameter %2 "a.weight" aliases ["b.weight"]: float32[64, 32] = base64 "…"
//!   buffer %3 "steps": int64[] = [0]
//!   %4 "y" = aten.linear.default(%0, %2, None) from [0]  # float32[s0, 64]
//!   %5, %6 = aten.split.Tensor(%4, 32, dim=1)   # float32[s0, 32], float32[s0, 32]
//!   guard s0 > 3 "x must have more than three rows"
//!   write "steps" = %3
//!   output "y" = %4
//!   output "rows" = 2*s0
//!   arguments "[1, {…}]"
//!   argument "args[0][\"x\"]"
//!   argument "kwargs.scale" = 0.5
//!   results "[1, {…}]"
//!   result "output[0]"
//!   metadata "author" = "somebody"
//! }
//! ```
//!
//! `let` names a part of sizes. A text that is printed does so where a long part stands more than once; the types in comments leave other
//! long sizes out. A graph that is several arguments is written once, as `graph "name" as 0 { … }`, and `graph 0` where it stands again.
//! Arguments that equal their schema's default are left out. `#` starts a comment; types of results stand in one,
//! for they are inferred. In a graph that begins with the line `wide_unsigned`, operators take uint16, uint32 and uint64 even where
//! PyTorch has no kernel for them; in one with the line `gpu`, layer and batch norms save statistics in float32, as on a GPU. A program may overwrite an input that is `spent`. Strides are said where an input's are not contiguous ones.
//!
//! `module`, `trace` and `origin` stand where more is known of where nodes come from than their names; nodes name the last of
//! them (`ir::origin`). An origin that ends in `autocast` stands in a region that sets its own precision; one that ends in
//! `unfused` is of nodes that run one operator at a time. The last lines are the signature (`ir::spec`): a leaf without a value is
//! the next input, or output.
//!
//! Invariants: [`print`] gives a text that is complete (data included) and stable: parsed, it prints the same.
//! [`dump`] keeps the graph's own numbers of values, as errors name them, and leaves large data out, which the
//! parser refuses.
//!
//! [`print_placed`] says of larger data where they lie, or which seed makes them: `= stored 4096` is that byte of a file that
//! belongs to the text, `= seeded 7 mean 0.0 spread 0.1` and `= seeded 7 from 0 to 9` are as [`super::seeded`] makes them.
//!
//! Deliberately absent: parsing, which must infer and so stands above.

pub mod base64;
mod expression;
pub mod lexer;
mod origins;
mod print;

pub use expression::{Names, is_keyword};
pub use print::{Placed, SymbolNames, arguments, dump, mentioned, print, print_inside, print_placed, quoted};
