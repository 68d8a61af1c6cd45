//! The libraries that programs link, `liblitz.so` and `liblitz.a`: the C ABI of the crate `litz`, and nothing of its own.
//!
//! They are a package apart because of their size. A crate that is also compiled for Rust programs keeps each of its public
//! functions, and each instance of a generic one, for callers that it does not know. Here the compiler knows that only the
//! C functions are called, and the library is a fifth smaller.

extern crate litz;
