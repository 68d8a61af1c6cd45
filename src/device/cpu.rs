//! This machine's CPU.

use std::path::Path;

use crate::target::{CpuTarget, Isa, IsaRequest};

/// The best instruction set that this CPU and its operating system run.
pub fn native_isa() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if avx512 {
            return Isa::Avx512;
        }
        if avx2 {
            return Isa::Avx2;
        }
    }
    Isa::Scalar
}

/// This machine, looked at once a call.
pub fn detect() -> CpuTarget {
    let isa = native_isa();
    let mut target = CpuTarget::generic(isa);
    target.cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (level, kind, bytes) in caches(Path::new("/sys/devices/system/cpu/cpu0/cache")) {
        match (level, kind.as_str()) {
            (1, "Data") => target.l1d = bytes,
            (2, "Unified") => target.l2 = bytes,
            _ => {}
        }
    }
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx512 {
        target.amx = has_amx();
    }
    target
}

/// The target for the option `cpu.isa`. `None` where this machine does not have what was asked for.
pub fn resolve(request: IsaRequest) -> Option<CpuTarget> {
    let native = detect();
    match request {
        IsaRequest::Native => Some(native),
        IsaRequest::Exactly(isa) if isa <= native.isa => Some(native.with_isa(isa)),
        IsaRequest::Exactly(_) => None,
    }
}

/// AMX tiles with bf16 and int8, once the operating system has permitted them to this process.
#[cfg(target_arch = "x86_64")]
fn has_amx() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const BF16: u32 = 1 << 22;
    const TILE: u32 = 1 << 24;
    const INT8: u32 = 1 << 25;
    if __cpuid(0).eax < 7 {
        return false;
    }
    let features = __cpuid_count(7, 0).edx;
    features & (BF16 | TILE | INT8) == BF16 | TILE | INT8 && permit_amx()
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn permit_amx() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: this request takes two numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(all(target_arch = "x86_64", not(target_os = "linux")))]
fn permit_amx() -> bool {
    false
}

/// Level, type and bytes of each cache that sysfs lists.
fn caches(folder: &Path) -> Vec<(u32, String, usize)> {
    let read = |index: usize, file: &str| {
        let text = std::fs::read_to_string(folder.join(format!("index{index}")).join(file)).ok()?;
        Some(text.trim().to_owned())
    };
    (0..8)
        .map_while(|k| {
            Some((read(k, "level")?.parse().ok()?, read(k, "type")?, parse_size(&read(k, "size")?)?))
        })
        .collect()
}

fn parse_size(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_plausible() {
        let target = detect();
        assert!(target.cores >= 1 && target.l1d >= 8 << 10 && target.l2 >= target.l1d, "{target:?}");
        assert_eq!(resolve(IsaRequest::Exactly(Isa::Scalar)).unwrap().isa, Isa::Scalar);
        assert_eq!(IsaRequest::parse("avx2"), Some(IsaRequest::Exactly(Isa::Avx2)));
        assert_eq!(IsaRequest::parse("sse9"), None);
    }

    #[test]
    fn sizes_of_sysfs() {
        assert_eq!(parse_size("48K"), Some(48 << 10));
        assert_eq!(parse_size("2M"), Some(2 << 20));
        assert_eq!(parse_size("x"), None);
    }
}
