//! Gives the shared library its name for the loader.

fn main() {
    // The number changes with the major version of the interface alone, so that programs find what they were compiled for.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liblitz_linalg.so.0");
    println!("cargo:rerun-if-changed=build.rs");
}
