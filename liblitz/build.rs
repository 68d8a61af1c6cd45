//! Gives the shared library its name.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The SONAME carries the major version of the C ABI only.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liblitz.so.0");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,noexecstack");
}
