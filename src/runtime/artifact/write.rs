//! Writing an artifact.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::trailer::{self, Kind, PAGE, Trailer};
use crate::base::Status;
use crate::base::file::{self, Access, NewFile};
use crate::device::scratch::Folder;
use crate::device::toolchain::Toolchain;
use crate::plan::Plan;
use crate::runtime::program::ConstantBytes;
use crate::runtime::{Cubin, CudaRuns, RuntimeError, ffi};
use crate::target::Isa;

/// The executor, compiled when the library was; and the same without what only a GPU's programs need.
const EXECUTOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/executor.o"));
const CPU_EXECUTOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/executor_cpu.o"));
const ENTRY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/artifact.o"));

/// What an artifact is made of.
pub struct ArtifactParts<'a> {
    pub plan: &'a Plan,
    /// The kernels' objects: together they define every symbol of the plan's kernels.
    pub objects: &'a [Vec<u8>],
    /// GPU kernels; then there are no objects.
    pub cubins: &'a [Cubin],
    /// How it runs on the GPU.
    pub runs: CudaRuns,
    /// Each constant's data, in the plan's order. Where it lies in the file is the plan's `offset`.
    pub constants: &'a [ConstantBytes],
    pub toolchain: &'a Toolchain,
    pub isa: Isa,
    pub amx: bool,
    /// Weights go to `<path>.weights` instead of the library.
    pub external_weights: bool,
    pub time_limit: Duration,
    /// A folder that gets what the artifact is linked from, beside the kernels: `program.s` and `plan.bin`.
    pub dump: Option<&'a Path>,
}

/// Writes an artifact beside `path` and renames it, so that no half-written file is ever seen under that name.
/// A folder as `path`: the file is named by its hash. Returns where it is and the file's SHA-256.
pub fn write(path: &Path, parts: &ArtifactParts) -> Result<(PathBuf, String), RuntimeError> {
    check_parts(parts)?;
    check_target(path)?;
    let plan = parts.plan.to_bytes()?;
    let weights_bytes = parts.plan.storages.iter().map(|c| c.offset + c.bytes).max().unwrap_or(0);
    let id = identity(&plan, parts);
    let library = link(parts, &plan, weights_bytes, &id)?;
    let plan_offset = find(&library, &plan)
        .ok_or_else(|| RuntimeError::new(Status::Internal, "the linked artifact does not hold its plan"))?;

    let trailer = Trailer {
        abi_version: trailer::ABI_VERSION,
        isa: parts.isa as u32,
        flags: (if parts.amx { trailer::FLAG_AMX } else { 0 })
            | (if parts.cubins.is_empty() { 0 } else { trailer::FLAG_CUDA })
            | (if parts.external_weights { trailer::FLAG_EXTERNAL } else { 0 }),
        kind: Kind::Program as u32,
        code_bytes: library.len() as u64,
        weights_offset: (library.len() as u64).next_multiple_of(PAGE),
        weights_bytes,
        id,
        plan_offset: plan_offset as u64,
        plan_bytes: plan.len() as u64,
    };
    let mut file = Hashed::new(path, Access::Library)?;
    file.write(&library)?;
    if !parts.external_weights && weights_bytes != 0 {
        file.fill_to(trailer.weights_offset)?;
        file.write_constants(parts)?;
    }
    let (file, hash) = file.seal(&trailer)?;
    let target = if path.is_dir() { path.join(format!("{hash}.so")) } else { path.to_owned() };
    if parts.external_weights && weights_bytes != 0 {
        let name = weights_beside(&target);
        let mut weights = Hashed::new(&name, Access::Data)?;
        weights.write_constants(parts)?;
        let trailer = Trailer {
            kind: Kind::Weights as u32,
            code_bytes: 0,
            weights_offset: 0,
            plan_offset: 0,
            plan_bytes: 0,
            ..trailer
        };
        keep(weights.seal(&trailer)?.0, &name)?;
    }
    keep(file, &target)?;
    Ok((target, hash))
}

/// Whether an artifact may be written there: into a folder, or as a file.
pub fn check_target(path: &Path) -> Result<(), RuntimeError> {
    if path.is_dir() {
        return Ok(());
    }
    file::check_target(path).map_err(|e| cannot_write(path, &e))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> RuntimeError {
    RuntimeError::io(format!("cannot write the artifact `{}`", path.display()), error)
}

fn weights_beside(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".weights");
    name.into()
}

fn check_parts(parts: &ArtifactParts) -> Result<(), RuntimeError> {
    let plan = parts.plan;
    let lengths = parts.constants.iter().map(|c| (**c).as_ref().len() as u64);
    if plan.storages.len() != parts.constants.len() || !plan.storages.iter().map(|c| c.bytes).eq(lengths) {
        return Err(RuntimeError::new(Status::Internal, "the constants' data is not what the plan says"));
    }
    let mut order: Vec<_> = plan.storages.iter().filter(|c| c.bytes != 0).collect();
    order.sort_by_key(|c| c.offset);
    if let Some(pair) = order.windows(2).find(|p| p[0].offset + p[0].bytes > p[1].offset) {
        let message =
            format!("storages at bytes {} and {} overlap in the weights", pair[0].offset, pair[1].offset);
        return Err(RuntimeError::new(Status::Internal, message));
    }
    Ok(())
}

/// Ties a library to its weights.
fn identity(plan: &[u8], parts: &ArtifactParts) -> [u8; 16] {
    let mut hash = Sha256::new_with_prefix(plan);
    for data in parts.constants {
        hash.update((**data).as_ref());
    }
    let hash = hash.finalize();
    *hash.first_chunk().expect("a hash has 32 bytes")
}

/// The library's bytes, without weights and trailer.
fn link(
    parts: &ArtifactParts,
    plan: &[u8],
    weights_bytes: u64,
    id: &[u8; 16],
) -> Result<Vec<u8>, RuntimeError> {
    let folder = Folder::new()?;
    let place = |name: String, content: &[u8]| -> Result<PathBuf, RuntimeError> {
        let path = folder.path().join(name);
        std::fs::write(&path, content)
            .map_err(|e| RuntimeError::io(format!("cannot write `{}`", path.display()), &e))?;
        Ok(path)
    };
    place("plan.bin".into(), plan)?;
    for (k, cubin) in parts.cubins.iter().enumerate() {
        place(format!("kernels{k}.cubin"), &cubin.data)?;
    }
    let text = assembly(parts, weights_bytes, id)?;
    let assembly = place("program.s".into(), text.as_bytes())?;
    if let Some(dump) = parts.dump {
        let write = |name: &str, content: &[u8]| -> Result<(), RuntimeError> {
            let path = dump.join(name);
            file::write(&path, content)
                .map_err(|e| RuntimeError::io(format!("cannot write `{}`", path.display()), &e))
        };
        write("plan.bin", plan)?;
        for (k, cubin) in parts.cubins.iter().enumerate() {
            write(&format!("kernels{k}.cubin"), &cubin.data)?;
        }
        write("program.s", text.as_bytes())?;
    }
    let exports = place("exports.map".into(), b"{ global: litz_artifact_entry_v1; local: *; };\n")?;
    let executor = if parts.cubins.is_empty() { CPU_EXECUTOR } else { EXECUTOR };
    let mut objects = vec![place("executor.o".into(), executor)?, place("entry.o".into(), ENTRY)?];
    for (k, object) in parts.objects.iter().enumerate() {
        objects.push(place(format!("kernels{k}.o"), object)?);
    }
    let library = folder.path().join("artifact.so");
    parts.toolchain.link_artifact(&objects, &assembly, &exports, &library, parts.time_limit)?;
    std::fs::read(&library).map_err(|e| RuntimeError::io("cannot read the linked artifact", &e))
}

/// The plan and the cubins, which lie beside it, the table of kernels and `struct lx_artifact` (src/executor/artifact.c), field by field.
fn assembly(parts: &ArtifactParts, weights_bytes: u64, id: &[u8; 16]) -> Result<String, RuntimeError> {
    let symbols = parts.plan.kernels.iter().map(|k| k.symbol.as_str());
    if let Some(bad) =
        symbols.clone().find(|s| !s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') || s.is_empty())
    {
        return Err(RuntimeError::new(Status::Internal, format!("`{bad}` is no name for a kernel's symbol")));
    }
    let cuda = !parts.cubins.is_empty();
    let flags = if parts.amx { ffi::PROGRAM_AMX } else { 0 } | if cuda { parts.runs.flags() } else { 0 };
    let id = id.map(|b| b.to_string()).join(", ");
    let mut text = String::new();
    let mut line = |s: std::fmt::Arguments| {
        text.write_fmt(s).and_then(|()| text.write_str("\n")).expect("writing to a string does not fail");
    };
    line(format_args!(".section .rodata"));
    line(format_args!(".balign 64"));
    line(format_args!("litz_plan: .incbin \"plan.bin\""));
    line(format_args!("litz_plan_end:"));
    for k in 0..parts.cubins.len() {
        line(format_args!(".balign 64\nlitz_cubin{k}: .incbin \"kernels{k}.cubin\""));
        line(format_args!("litz_cubin{k}_end:"));
    }
    line(format_args!(".section .data.rel.ro,\"aw\""));
    line(format_args!(".balign 8"));
    line(format_args!("litz_kernels:"));
    for symbol in symbols.filter(|_| !cuda) {
        line(format_args!(".quad {symbol}"));
    }
    line(format_args!("litz_cubins:"));
    for (k, cubin) in parts.cubins.iter().enumerate() {
        line(format_args!(".quad litz_cubin{k}, litz_cubin{k}_end - litz_cubin{k}"));
        line(format_args!(".long {}, {}", cubin.arch, cubin.kind as u32));
    }
    line(format_args!(".globl lx_artifact\n.hidden lx_artifact"));
    line(format_args!("lx_artifact:"));
    line(format_args!(".quad litz_plan, litz_plan_end - litz_plan, litz_kernels, {weights_bytes}"));
    line(format_args!(
        ".long {flags}, {}, {}, {}",
        parts.isa as u32,
        u32::from(parts.external_weights),
        parts.runs.most_graphs
    ));
    line(format_args!(".byte {id}"));
    line(format_args!(".quad litz_cubins, {}", parts.cubins.len()));
    line(format_args!(".section .note.GNU-stack,\"\",@progbits"));
    Ok(text)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(at) = haystack[from..].iter().position(|b| *b == first) {
        if haystack[from + at..].starts_with(needle) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// A temporary file that hashes what is written to it.
struct Hashed {
    file: BufWriter<NewFile>,
    hash: Sha256,
    at: u64,
}

impl Hashed {
    /// Beside `path`, or in it where it is a folder.
    fn new(path: &Path, access: Access) -> Result<Hashed, RuntimeError> {
        let file = if path.is_dir() { NewFile::within(path, access) } else { NewFile::beside(path, access) };
        let file = file.map_err(|e| cannot_write(path, &e))?;
        Ok(Hashed { file: BufWriter::new(file), hash: Sha256::new(), at: 0 })
    }
    fn write(&mut self, bytes: &[u8]) -> Result<(), RuntimeError> {
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| RuntimeError::io("cannot write the artifact", &e))
    }
    fn fill_to(&mut self, offset: u64) -> Result<(), RuntimeError> {
        while self.at < offset {
            let n = (offset - self.at).min(4096) as usize;
            self.write(&[0; 4096][..n])?;
        }
        Ok(())
    }
    /// The weights, beginning here.
    fn write_constants(&mut self, parts: &ArtifactParts) -> Result<(), RuntimeError> {
        let start = self.at;
        let mut order: Vec<usize> =
            (0..parts.constants.len()).filter(|k| parts.plan.storages[*k].bytes != 0).collect();
        order.sort_by_key(|k| parts.plan.storages[*k].offset);
        for k in order {
            self.fill_to(start + parts.plan.storages[k].offset)?;
            self.write((*parts.constants[k]).as_ref())?;
        }
        Ok(())
    }
    /// Ends the file; its SHA-256 is that of all of it.
    fn seal(mut self, trailer: &Trailer) -> Result<(NewFile, String), RuntimeError> {
        let end = trailer.seal(self.hash.clone());
        self.write(&end)?;
        let file =
            self.file.into_inner().map_err(|e| RuntimeError::io("cannot write the artifact", e.error()))?;
        Ok((file, trailer::hex(&self.hash.finalize())))
    }
}

/// Gives a finished file its name.
fn keep(file: NewFile, target: &Path) -> Result<(), RuntimeError> {
    file.keep_as(target).map_err(|e| cannot_write(target, &e))
}
