//! Gives the shared library its name, its relocations the short form where the machine's C library can read it, and what is
//! equal one place where the linker can do that.

use std::path::Path;
use std::process::Command;

/// Functions that are compiled to the same bytes are kept once: of one generic function there are many. So is constant data, of
/// which nothing here takes an address for a name. lld can do it, which rustc uses on some platforms and distributions.
const SHARE_WHAT_IS_EQUAL: &str = "-Wl,--icf=all,--ignore-data-address-equality";

/// Whether the linker that rustc uses for this target knows an argument: it links an empty library with it.
fn linker_knows(argument: &str) -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let folder = variable("OUT_DIR");
    let source = Path::new(&folder).join("empty.rs");
    if std::fs::write(
        &source,
        "#![no_std]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! {\n    loop {}\n}\n",
    )
    .is_err()
    {
        return false;
    }
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args([
        "--crate-type=cdylib",
        "--edition=2024",
        "-Cpanic=abort",
        "--out-dir",
        &folder,
        "--target",
        &variable("TARGET"),
    ]);
    rustc.arg(format!("-Clink-arg={argument}")).arg(&source);
    rustc.args(variable("CARGO_ENCODED_RUSTFLAGS").split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.output().is_ok_and(|output| output.status.success())
}

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
    if linker_knows(SHARE_WHAT_IS_EQUAL) {
        println!("cargo:rustc-cdylib-link-arg={SHARE_WHAT_IS_EQUAL}");
    }
    // 0.28 MB of relocations in 4 KB. glibc reads them since 2.36, and what is linked on an older one is to run there.
    let native = std::env::var("HOST") == std::env::var("TARGET");
    if native && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
}
