//! Gives the shared library its name, and its relocations the short form where the machine's C library can read it.

/// The version of the C library that this machine has, where it is glibc.
#[cfg(target_env = "gnu")]
fn glibc() -> Option<(u32, u32)> {
    use std::ffi::{CStr, c_char};
    unsafe extern "C" {
        fn gnu_get_libc_version() -> *const c_char;
    }
    // SAFETY: the function takes nothing and returns a static string that ends with 0.
    let version = unsafe { CStr::from_ptr(gnu_get_libc_version()) };
    let (major, minor) = version.to_str().ok()?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}

#[cfg(not(target_env = "gnu"))]
fn glibc() -> Option<(u32, u32)> {
    None
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The SONAME carries the major version of the C ABI only.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liblitz.so.0");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,noexecstack");
    // 0.28 MB of relocations in 4 KB. glibc reads them since 2.36, and what is linked on an older one is to run there.
    let native = std::env::var("HOST") == std::env::var("TARGET");
    if native && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
}
