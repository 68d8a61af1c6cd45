//! Writing an artifact.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::assembly::{self, ENTRY_NAME};
use super::open::Opened;
use super::trailer::{self, Kind, PAGE, Trailer};
use crate::base::file::{self, Access, NewFile};
use crate::base::{StableSort, Status, embedded};
use crate::device::scratch::{self, Folder};
use crate::device::toolchain::Toolchain;
use crate::plan::{Library, Plan, Step};
use crate::runtime::program::ConstantBytes;
use crate::runtime::{Cubin, CudaRuns, RuntimeError};
use crate::target::Isa;

/// The program for one instruction set.
pub struct Variant<'a> {
    pub plan: &'a Plan,
    /// The kernels' objects: together they define every symbol of the plan's kernels, and no variant's others.
    pub objects: &'a [Vec<u8>],
    pub isa: Isa,
    pub amx: bool,
}

/// The forms of a program for inputs that share memory, one for each variant; see `runtime::overlap`.
#[derive(Clone, Copy)]
pub struct Forms<'a> {
    pub variants: &'a [Variant<'a>],
    /// Their GPU kernels.
    pub cubins: &'a [Cubin],
    pub bases: &'a [u32],
    pub storages: &'a [u32],
}

/// The parts of an artifact.
pub struct ArtifactParts<'a> {
    /// One at least, the one for the least machine first; all with the same storages of constants.
    pub variants: &'a [Variant<'a>],
    pub forms: Option<Forms<'a>>,
    /// GPU kernels; then there are no objects, and one variant.
    pub cubins: &'a [Cubin],
    /// How it runs on the GPU.
    pub runs: CudaRuns,
    /// Each constant's data, in the plan's order. Where it lies in the file is the plan's `offset`.
    pub constants: &'a [ConstantBytes],
    pub toolchain: &'a Toolchain,
    /// Weights go to `<path>.weights` instead of the library.
    pub external_weights: bool,
    /// Stands before the entry's name, so that several artifacts can be linked into one program.
    pub prefix: &'a str,
    pub time_limit: Duration,
    /// What the library keeps with a program, and no program reads; see `Opened::notes`.
    pub notes: Option<&'a [u8]>,
    /// A folder that gets what the artifact is linked from, beside the kernels: `program.s` and `plan.bin`.
    pub dump: Option<&'a Path>,
}

/// Writes an artifact beside `path` and renames it, so that no half-written file is ever seen under that name.
/// A folder as `path`: the file is named by its hash. Returns where it is and the file's SHA-256.
pub fn write(path: &Path, parts: &ArtifactParts) -> Result<(PathBuf, String), RuntimeError> {
    let first = &parts.variants[0];
    check_parts(parts)?;
    check_target(path)?;
    let plans = assembly::programs(parts).map(|v| v.plan.to_bytes()).collect::<Result<Vec<_>, _>>()?;
    let weights_bytes = weights_end(first.plan);
    let id = identity(&plans, parts);
    let library = link(parts, &plans, weights_bytes, &id)?;
    let plan_offset = find(&library, &plans[0])
        .ok_or_else(|| RuntimeError::new(Status::Internal, "the linked artifact does not hold its plan"))?;
    let trailer = Trailer {
        abi_version: trailer::ABI_VERSION,
        isa: first.isa as u32,
        flags: (if first.amx { trailer::FLAG_AMX } else { 0 })
            | (if parts.cubins.is_empty() { 0 } else { trailer::FLAG_CUDA })
            | (if parts.external_weights { trailer::FLAG_EXTERNAL } else { 0 })
            | (if parts.notes.is_some() { trailer::FLAG_NOTES } else { 0 }),
        kind: Kind::Program as u32,
        code_bytes: library.len() as u64,
        weights_offset: (library.len() as u64).next_multiple_of(PAGE),
        weights_bytes,
        id,
        plan_offset: plan_offset as u64,
        plan_bytes: plans[0].len() as u64,
        prefix_bytes: parts.prefix.len() as u64,
    };
    write_files(path, &library, (parts.notes, parts.prefix), &trailer, first.plan, parts.constants)
}

/// Writes an artifact that was opened, with other constants.
pub fn rewrite(
    path: &Path,
    opened: &Opened,
    constants: &[ConstantBytes],
) -> Result<(PathBuf, String), RuntimeError> {
    check_target(path)?;
    let (library, prefix, trailer) = opened.code()?;
    let notes = opened.notes()?;
    write_files(path, &library, (notes.as_deref(), &prefix), &trailer, opened.plan(), constants)
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

fn weights_end(plan: &Plan) -> u64 {
    plan.storages.iter().map(|c| c.offset + c.bytes).max().unwrap_or(0)
}

fn write_files(
    path: &Path,
    library: &[u8],
    (notes, prefix): (Option<&[u8]>, &str),
    trailer: &Trailer,
    plan: &Plan,
    constants: &[ConstantBytes],
) -> Result<(PathBuf, String), RuntimeError> {
    let external = trailer.flags & trailer::FLAG_EXTERNAL != 0;
    let mut file = Hashed::new(path, Access::Library)?;
    file.write(library)?;
    if !external && trailer.weights_bytes != 0 {
        file.fill_to(trailer.weights_offset)?;
        file.write_constants(plan, constants)?;
    }
    if let Some(notes) = notes {
        file.write(notes)?;
        file.write(&(notes.len() as u64).to_le_bytes())?;
    }
    file.write(prefix.as_bytes())?;
    let (file, hash) = file.seal(trailer)?;
    let target = if path.is_dir() { path.join(format!("{hash}.so")) } else { path.to_owned() };
    if external && trailer.weights_bytes != 0 {
        let name = weights_beside(&target);
        let mut weights = Hashed::new(&name, Access::Data)?;
        weights.write_constants(plan, constants)?;
        let trailer = Trailer {
            kind: Kind::Weights as u32,
            code_bytes: 0,
            weights_offset: 0,
            plan_offset: 0,
            plan_bytes: 0,
            prefix_bytes: 0,
            ..trailer.clone()
        };
        keep(weights.seal(&trailer)?.0, &name)?;
    }
    keep(file, &target)?;
    Ok((target, hash))
}

fn check_parts(parts: &ArtifactParts) -> Result<(), RuntimeError> {
    let internal = |message: &str| Err(RuntimeError::new(Status::Internal, message));
    let plan = parts.variants[0].plan;
    if parts.variants.iter().any(|v| v.plan.storages != plan.storages) {
        return internal("the programs for several instruction sets have other constants each");
    }
    if parts.forms.is_some_and(|f| f.variants.len() != parts.variants.len()) {
        return internal("not every program has a form for inputs that share memory");
    }
    let lengths = parts.constants.iter().map(|c| (**c).as_ref().len() as u64);
    if plan.storages.len() != parts.constants.len() || !plan.storages.iter().map(|c| c.bytes).eq(lengths) {
        return internal("the constants' data is not what the plan says");
    }
    let mut order: Vec<_> = plan.storages.iter().filter(|c| c.bytes != 0).collect();
    order.stable_sort_by_key(|c| c.offset);
    if let Some(pair) = order.windows(2).find(|p| p[0].offset + p[0].bytes > p[1].offset) {
        let (a, b) = (pair[0].offset, pair[1].offset);
        return internal(&format!("storages at bytes {a} and {b} overlap in the weights"));
    }
    Ok(())
}

/// Ties a library to its weights.
fn identity(plans: &[Vec<u8>], parts: &ArtifactParts) -> [u8; 16] {
    let mut hash = Sha256::new();
    plans.iter().for_each(|plan| hash.update(plan));
    for data in parts.constants {
        hash.update((**data).as_ref());
    }
    let hash = hash.finalize();
    *hash.first_chunk().expect("a hash has 32 bytes")
}

/// The library's bytes, without weights and trailer.
fn link(
    parts: &ArtifactParts,
    plans: &[Vec<u8>],
    weights_bytes: u64,
    id: &[u8; 16],
) -> Result<Vec<u8>, RuntimeError> {
    let folder = Folder::new()?;
    let place = |name: String, content: &[u8]| -> Result<PathBuf, RuntimeError> {
        Ok(scratch::write(folder.path(), &name, content)?)
    };
    // What is linked, and the same to look at.
    let keep = |name: String, content: &[u8]| -> Result<PathBuf, RuntimeError> {
        if let Some(path) = parts.dump.map(|dump| dump.join(&name)) {
            file::write(&path, content)
                .map_err(|e| RuntimeError::io(format!("cannot write `{}`", path.display()), &e))?;
        }
        place(name, content)
    };
    for (k, plan) in plans.iter().enumerate() {
        keep(assembly::plan_file(k), plan)?;
    }
    for (k, cubin) in assembly::all_cubins(parts).enumerate() {
        keep(assembly::cubin_file(k), &cubin.data)?;
    }
    let text = assembly::text(parts, weights_bytes, id)?;
    let assembly = keep("program.s".into(), text.as_bytes())?;
    let exports = format!("{{ global: {}{ENTRY_NAME}; local: *; }};\n", parts.prefix);
    let exports = place("exports.map".into(), exports.as_bytes())?;
    // Compiled when the library was. The smaller one lacks what only a GPU's programs need.
    let executor =
        if parts.cubins.is_empty() { embedded!("executor_cpu.o") } else { embedded!("executor.o") };
    let mut objects = vec![
        place("executor.o".into(), executor.bytes())?,
        place("entry.o".into(), embedded!("artifact.o").bytes())?,
    ];
    // What opens the second library is left out of artifacts that have no step of it.
    let needs_linalg = |plan: &Plan| {
        let mut steps = plan.init.iter().chain(&plan.main);
        steps.any(|s| matches!(s, Step::Extern { attributes, .. } if attributes.routine().library() == Library::Linalg))
    };
    if assembly::programs(parts).any(|v| needs_linalg(v.plan)) {
        objects.push(place("linalg.o".into(), embedded!("linalg.o").bytes())?);
    }
    for (n, variant) in assembly::programs(parts).enumerate() {
        for (k, object) in variant.objects.iter().enumerate() {
            objects.push(place(format!("kernels{n}_{k}.o"), object)?);
        }
    }
    let library = folder.path().join("artifact.so");
    parts.toolchain.link_artifact(&objects, &assembly, &exports, &library, parts.time_limit)?;
    std::fs::read(&library).map_err(|e| RuntimeError::io("cannot read the linked artifact", &e))
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
    /// What the caller named, for errors.
    path: PathBuf,
    file: BufWriter<NewFile>,
    hash: Sha256,
    at: u64,
}

impl Hashed {
    /// Beside `path`, or in it where it is a folder.
    fn new(path: &Path, access: Access) -> Result<Hashed, RuntimeError> {
        let file = if path.is_dir() { NewFile::within(path, access) } else { NewFile::beside(path, access) };
        let file = file.map_err(|e| cannot_write(path, &e))?;
        Ok(Hashed { path: path.to_owned(), file: BufWriter::new(file), hash: Sha256::new(), at: 0 })
    }
    fn write(&mut self, bytes: &[u8]) -> Result<(), RuntimeError> {
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|e| cannot_write(&self.path, &e))
    }
    fn fill_to(&mut self, offset: u64) -> Result<(), RuntimeError> {
        while self.at < offset {
            let n = (offset - self.at).min(4096) as usize;
            self.write(&[0; 4096][..n])?;
        }
        Ok(())
    }
    /// The weights, beginning here.
    fn write_constants(&mut self, plan: &Plan, constants: &[ConstantBytes]) -> Result<(), RuntimeError> {
        let start = self.at;
        let mut order: Vec<usize> = (0..constants.len()).filter(|k| plan.storages[*k].bytes != 0).collect();
        order.stable_sort_by_key(|k| plan.storages[*k].offset);
        for k in order {
            self.fill_to(start + plan.storages[k].offset)?;
            self.write((*constants[k]).as_ref())?;
        }
        Ok(())
    }
    /// Ends the file; its SHA-256 is that of all of it.
    fn seal(mut self, trailer: &Trailer) -> Result<(NewFile, String), RuntimeError> {
        let end = trailer.seal(self.hash.clone());
        self.write(&end)?;
        let file = self.file.into_inner().map_err(|e| cannot_write(&self.path, e.error()))?;
        Ok((file, trailer::hex(&self.hash.finalize())))
    }
}

/// Gives a finished file its name.
fn keep(file: NewFile, target: &Path) -> Result<(), RuntimeError> {
    file.keep_as(target).map_err(|e| cannot_write(target, &e))
}
