//! What an artifact holds beside code, as assembly: plans, tables of kernels, and the executor's structures over them
//! (`src/executor/executor.h`), field by field.

use std::fmt::Write as _;

use super::write::{ArtifactParts, Variant};
use crate::base::Status;
use crate::runtime::{Cubin, RuntimeError, ffi};

/// The function that `src/executor/artifact.c` defines.
pub(super) const ENTRY_NAME: &str = "litz_artifact_entry_v1";

pub(super) fn plan_file(variant: usize) -> String {
    if variant == 0 { "plan.bin".into() } else { format!("plan{variant}.bin") }
}

pub(super) fn cubin_file(k: usize) -> String {
    format!("kernels{k}.cubin")
}

/// The assembly; the plans and cubins lie beside it.
pub(super) fn text(parts: &ArtifactParts, weights_bytes: u64, id: &[u8; 16]) -> Result<String, RuntimeError> {
    let programs: Vec<&Variant> = programs(parts).collect();
    let names = programs.iter().flat_map(|v| &v.plan.kernels).map(|k| k.symbol.as_str());
    if let Some(bad) = names.chain([parts.prefix]).find(|s| !is_name(s)) {
        return Err(RuntimeError::new(Status::Internal, format!("`{bad}` is no name for a symbol")));
    }
    let mut text = String::new();
    let mut line = |s: std::fmt::Arguments| {
        text.write_fmt(s).and_then(|()| text.write_str("\n")).expect("writing to a string does not fail");
    };
    if !parts.prefix.is_empty() {
        // The same function under another name: objects that are compiled already cannot be asked for it.
        let jump = if cfg!(target_arch = "x86_64") {
            "jmp"
        } else if cfg!(target_arch = "aarch64") {
            "b"
        } else {
            let message = "option `artifact.prefix` is not supported on this machine";
            return Err(RuntimeError::new(Status::Unsupported, message));
        };
        let name = format!("{}{ENTRY_NAME}", parts.prefix);
        line(format_args!(".text\n.globl {name}\n.type {name}, %function"));
        line(format_args!("{name}: {jump} {ENTRY_NAME}\n.size {name}, . - {name}"));
    }
    line(format_args!(".section .rodata"));
    for n in 0..programs.len() {
        line(format_args!(".balign 64\nlitz_plan{n}: .incbin \"{}\"", plan_file(n)));
        line(format_args!("litz_plan{n}_end:"));
    }
    for k in 0..all_cubins(parts).count() {
        line(format_args!(".balign 64\nlitz_cubin{k}: .incbin \"{}\"", cubin_file(k)));
        line(format_args!("litz_cubin{k}_end:"));
    }
    let cuda = !parts.cubins.is_empty();
    line(format_args!(".section .data.rel.ro,\"aw\""));
    line(format_args!(".balign 8"));
    for (n, variant) in programs.iter().enumerate() {
        line(format_args!("litz_kernels{n}:"));
        for kernel in variant.plan.kernels.iter().filter(|_| !cuda) {
            line(format_args!(".quad {}", kernel.symbol));
        }
    }
    line(format_args!("litz_cubins:"));
    for (k, cubin) in all_cubins(parts).enumerate() {
        if k == parts.cubins.len() {
            line(format_args!("litz_form_cubins:"));
        }
        line(format_args!(".quad litz_cubin{k}, litz_cubin{k}_end - litz_cubin{k}"));
        line(format_args!(".long {}, {}", cubin.arch, cubin.kind as u32));
    }
    for (n, variant) in programs.iter().enumerate() {
        if n == 0 {
            line(format_args!("litz_variants:"));
        } else if n == parts.variants.len() {
            line(format_args!("litz_forms:"));
        }
        let kernels = if cuda { 0 } else { variant.plan.kernels.len() };
        line(format_args!(".quad litz_plan{n}, litz_plan{n}_end - litz_plan{n}, litz_kernels{n}"));
        line(format_args!(".long {kernels}, {}, {}, 0", variant.isa as u32, flags(parts, variant)));
        if let Some(forms) = parts.forms.filter(|_| n >= parts.variants.len()) {
            line(format_args!(".quad litz_bases, litz_storages, {}", forms.storages.len()));
            let cubins = if forms.cubins.is_empty() { "0" } else { "litz_form_cubins" };
            line(format_args!(".quad {cubins}, {}", forms.cubins.len()));
        }
    }
    if let Some(forms) = parts.forms {
        let list = |numbers: &[u32]| numbers.iter().map(|n| format!(".long {n}\n")).collect::<String>();
        line(format_args!(
            "litz_bases:\n{}litz_storages:\n{}.balign 8",
            list(forms.bases),
            list(forms.storages)
        ));
    }
    line(format_args!(".globl lx_this\n.hidden lx_this"));
    line(format_args!("lx_this:"));
    line(format_args!(".quad {}, litz_variants", size_of::<ffi::ArtifactTable>()));
    line(format_args!(".long {}, {}", parts.variants.len(), u32::from(parts.external_weights)));
    line(format_args!(".quad {weights_bytes}, litz_cubins"));
    line(format_args!(".long {}, {}", parts.cubins.len(), parts.runs.most_graphs));
    line(format_args!(".byte {}", id.map(|b| b.to_string()).join(", ")));
    line(format_args!(".quad {}", if parts.forms.is_some() { "litz_forms" } else { "0" }));
    line(format_args!(".section .note.GNU-stack,\"\",%progbits"));
    Ok(text)
}

fn flags(parts: &ArtifactParts, variant: &Variant) -> u32 {
    let amx = if variant.amx { ffi::PROGRAM_AMX } else { 0 };
    amx | if parts.cubins.is_empty() { 0 } else { parts.runs.flags() }
}

/// The programs of an artifact: its variants, and behind them the form of each.
pub(super) fn programs<'a>(parts: &'a ArtifactParts<'_>) -> impl Iterator<Item = &'a Variant<'a>> {
    parts.variants.iter().chain(parts.forms.iter().flat_map(|forms| forms.variants))
}

/// The cubins of the program, and behind them those of its form.
pub(super) fn all_cubins<'a>(parts: &'a ArtifactParts<'_>) -> impl Iterator<Item = &'a Cubin> {
    parts.cubins.iter().chain(parts.forms.iter().flat_map(|forms| forms.cubins))
}

/// Whether a text may stand in a symbol's name.
fn is_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
