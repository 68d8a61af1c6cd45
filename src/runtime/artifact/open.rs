//! Opening an artifact: from a path, a file descriptor's path, or memory. The library runs its program with its own executor, so
//! that it shares threads, memory and everything else with programs that were compiled in this process.

use std::ffi::CString;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::assembly::ENTRY_NAME;
use super::content::{Content, Mapped};
use super::trailer::{self, Kind, Trailer};
use super::weights::{constants, mapped_weights};
use crate::base::{SharedBytes, Status, file, signal};
use crate::device::cpu;
use crate::device::scratch::forbids_execution;
use crate::ir::HostOperators;
use crate::plan::Plan;
use crate::runtime::ffi::{self, ArtifactApi, ArtifactTable, Cubin, FormTable, KernelFn, Variant};
use crate::runtime::overlap;
use crate::runtime::profile::ProfileRequest;
use crate::runtime::program::describe;
use crate::runtime::{Code, Executable, InstanceOptions, Program, RuntimeError};
use crate::target::Isa;

/// How to open an artifact.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The SHA-256 that the file must have, 64 hexadecimal digits.
    pub sha256: Option<String>,
    /// A program for a GPU runs on that of this index.
    pub device: i32,
    /// The instruction sets that may run; empty: all. The best of them that the artifact and this CPU have does.
    pub isas: Vec<Isa>,
    pub threads: Option<usize>,
    pub profile: ProfileRequest,
    /// Tensors in the host's memory are copied to a GPU and back, whatever the artifact was made with.
    pub host_tensors: bool,
    /// Where the operators of a host's are that the program calls.
    pub operators: HostOperators,
}

/// Opens an artifact: a file, or a folder that holds one whose name is its hash.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Executable, RuntimeError> {
    let mut options = options.clone();
    let mut path = path.to_owned();
    if path.is_dir() {
        let (found, name) = find_in_folder(&path, options.sha256.as_deref())?;
        path = found;
        options.sha256.get_or_insert(name);
    }
    let cannot =
        |e: &std::io::Error| RuntimeError::io(format!("cannot open the artifact `{}`", path.display()), e);
    let (file, _) = file::open(&path).map_err(|e| cannot(&e))?;
    // By its own name it is loaded where that still leads to it: the name may be that of a descriptor or of a file that is gone.
    let same = |p: &PathBuf| {
        let (here, there) = (file.metadata(), p.metadata());
        here.is_ok_and(|a| there.is_ok_and(|b| (a.dev(), a.ino()) == (b.dev(), b.ino())))
    };
    let named = path.canonicalize().ok().filter(same);
    let source = Source { shown: named.clone().unwrap_or(path), named };
    let (opened, weights) = Opened::load(source, Content::File(&file), &options)?;
    instance(opened, weights, &options)
}

/// Opens an artifact that lies in memory, which is not needed afterwards. Its code is loaded from a file in memory; its weights are
/// read where they lie, and what the program needs of them later is copied once the rest was packed.
pub fn open_memory(bytes: &[u8], options: &OpenOptions) -> Result<Executable, RuntimeError> {
    let source = Source { shown: PathBuf::from("memory"), named: None };
    let (opened, weights) = Opened::load(source, Content::Memory(bytes), options)?;
    instance(opened, weights, options)
}

/// A file in memory.
fn memory_file(bytes: &[u8]) -> Result<File, RuntimeError> {
    let cannot = |e: std::io::Error| RuntimeError::io("cannot make a file of the artifact in memory", &e);
    // SAFETY: the name ends with a NUL; the call gives a descriptor or -1.
    let descriptor = unsafe { libc::memfd_create(c"litz-artifact".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(cannot(std::io::Error::last_os_error()));
    }
    // SAFETY: the descriptor is new, and nobody else's.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    signal::within_limits(|| file.write_all(bytes)).map_err(cannot)?;
    Ok(file)
}

fn instance(
    opened: Arc<Opened>,
    weights: Option<Arc<Mapped>>,
    options: &OpenOptions,
) -> Result<Executable, RuntimeError> {
    if options.device != 0 && !opened.cuda() {
        let message = format!("option `device` is {}, but the CPU has one device, 0", options.device);
        return Err(RuntimeError::new(Status::Device, message));
    }
    if options.threads.is_some() && opened.cuda() {
        let message = "option `cpu.threads` cannot act: the artifact's program runs on a GPU";
        return Err(RuntimeError::new(Status::InvalidArgument, message));
    }
    let start = |form: bool, profile: ProfileRequest| {
        let (opened, (_, plan)) = (opened.clone(), opened.part(form));
        let (plan, constants) = (plan.clone(), constants(plan, weights.as_ref()));
        let code =
            Code::Artifact { opened, device: options.device, host_tensors: options.host_tensors, form };
        let operators = options.operators.clone();
        let how = InstanceOptions { threads: options.threads, profile, operators };
        Program::start(plan, code, constants, &how, Vec::new())
    };
    let form = match &opened.form {
        None => None,
        Some((table, _)) => {
            let program = start(true, ProfileRequest::default())?;
            // SAFETY: static data of the library, which the program holds; a number for each input, and each storage.
            let (bases, storages) = unsafe {
                (
                    std::slice::from_raw_parts(table.bases, opened.plan.inputs.len()).to_vec(),
                    std::slice::from_raw_parts(table.storages, table.n_storages as usize).to_vec(),
                )
            };
            if storages.iter().any(|k| *k as usize >= opened.plan.storages.len()) {
                return Err(bad(&opened.path, "its form for inputs that share memory is not the program's"));
            }
            Some(Arc::new(overlap::Made(Arc::new(overlap::Form { program, bases, storages })))
                as Arc<dyn overlap::Forms>)
        }
    };
    Ok(start(false, options.profile)?.with_forms(form))
}

/// Where a file comes from.
struct Source {
    /// What messages and describe call it.
    shown: PathBuf,
    /// The path that leads to it; `None`: its descriptor alone does.
    named: Option<PathBuf>,
}

/// An artifact that was checked and loaded; shared by the instances of its program.
pub struct Opened {
    path: PathBuf,
    sha256: String,
    isas: Vec<Isa>,
    plan: Plan,
    prefix: String,
    trailer: Trailer,
    notes: Notes,
    /// What the code was loaded from. Kept open: its descriptor is a name that the loader knows it by.
    file: File,
    /// The file holds the code alone.
    in_memory: bool,
    table: &'static ArtifactTable,
    variant: &'static Variant,
    /// The form for inputs that share memory, and its plan.
    form: Option<(&'static FormTable, Plan)>,
    // Last: the tables lie in it.
    _library: libloading::Library,
}

// SAFETY: nothing of it changes after it is made; the tables are static data of the library.
unsafe impl Send for Opened {}
// SAFETY: as above.
unsafe impl Sync for Opened {}

/// What the library keeps with a program, and no program reads.
enum Notes {
    Absent,
    /// In the artifact's file.
    InFile,
    Read(Vec<u8>),
}

pub(super) fn bad(path: &Path, what: impl std::fmt::Display) -> RuntimeError {
    RuntimeError::new(
        Status::Parse,
        format!("`{}` is not an artifact that can be opened: {what}", path.display()),
    )
}

/// The artifact of a folder: a file named `<64 hexadecimal digits>.so`, and its hash, which must then be that.
fn find_in_folder(folder: &Path, expected: Option<&str>) -> Result<(PathBuf, String), RuntimeError> {
    let listing = std::fs::read_dir(folder)
        .map_err(|e| RuntimeError::io(format!("cannot list the folder `{}`", folder.display()), &e))?;
    let mut found: Vec<String> = listing
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".so").map(str::to_owned))
        .filter(|name| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit()))
        .filter(|name| expected.is_none_or(|e| e.eq_ignore_ascii_case(name)))
        .collect();
    match (found.pop(), found.is_empty()) {
        (Some(name), true) => Ok((folder.join(format!("{name}.so")), name)),
        (Some(_), false) => Err(RuntimeError::new(
            Status::InvalidArgument,
            format!(
                "the folder `{}` holds several artifacts; name the file, or set artifact.sha256",
                folder.display()
            ),
        )),
        (None, _) => {
            Err(RuntimeError::new(Status::Io, format!("the folder `{}` holds no artifact", folder.display())))
        }
    }
}

impl Opened {
    fn load(
        source: Source,
        content: Content<'_>,
        options: &OpenOptions,
    ) -> Result<(Arc<Opened>, Option<Arc<Mapped>>), RuntimeError> {
        let path = &source.shown;
        let (trailer, first, prefix, sha256) = check(path, content)?;
        if let Some(expected) = &options.sha256
            && !expected.eq_ignore_ascii_case(&sha256)
        {
            return Err(bad(path, format!("its SHA-256 is {sha256}, but {expected} is asked for")));
        }
        let weights = mapped_weights(path, content, &trailer)?;
        let cannot = |e: std::io::Error| {
            RuntimeError::io(format!("cannot read the artifact `{}`", path.display()), &e)
        };
        let notes = match content {
            _ if trailer.flags & trailer::FLAG_NOTES == 0 => Notes::Absent,
            Content::File(_) => Notes::InFile,
            Content::Memory(_) => Notes::Read(read_notes(path, content, &trailer)?),
        };
        let file = match content {
            Content::File(file) => file.try_clone().map_err(cannot)?,
            Content::Memory(bytes) => {
                let code = bytes.get(..trailer.code_bytes as usize);
                memory_file(code.ok_or_else(|| bad(path, "its code lies outside of it"))?)?
            }
        };
        let own = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let named = source.named.as_deref().unwrap_or(&own);
        let (mut library, mut table) = load_library(path, named, &prefix)?;
        if table.id != trailer.id {
            // The loader gives what it has loaded by that name before, as long as it is open, also where the file was replaced since.
            (library, table) = load_library(path, &own, &prefix)?;
        }
        if table.id != trailer.id {
            return Err(bad(path, "it was replaced while it was being opened; open it again"));
        }
        // SAFETY: the table and what it names are static data of the library, which wrote them so.
        let variants = unsafe { std::slice::from_raw_parts(table.variants, table.n_variants as usize) };
        let variant = choose(path, variants, &options.isas)?;
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(variant.plan.cast(), variant.plan_bytes as usize) };
        let plan = if std::ptr::eq(variant, &variants[0]) { first } else { Plan::from_bytes(bytes)? };
        let check = |plan: &Plan, variant: &Variant| {
            if plan.kernels.len() > variant.n_kernels as usize && variant.flags & ffi::PROGRAM_CUDA == 0 {
                return Err(bad(path, "it lacks kernels of its plan"));
            }
            if plan.storages.iter().any(|s| {
                s.offset.checked_add(s.bytes).is_none_or(|end| s.bytes != 0 && end > trailer.weights_bytes)
            }) {
                return Err(bad(path, "its constants lie outside of its weights"));
            }
            Ok(())
        };
        check(&plan, variant)?;
        let number = variants.iter().position(|v| std::ptr::eq(v, variant)).unwrap_or(0);
        let form = match table.forms.is_null() {
            true => None,
            false => {
                // SAFETY: there is a form for each variant; what they name is static data of the library, too.
                let (form, bytes) = unsafe {
                    let form = &*table.forms.add(number);
                    let plan = form.program.plan.cast();
                    (form, std::slice::from_raw_parts(plan, form.program.plan_bytes as usize))
                };
                let plan = Plan::from_bytes(bytes)?;
                check(&plan, &form.program)?;
                Some((form, plan))
            }
        };
        let opened = Arc::new(Opened {
            path: source.shown,
            sha256,
            isas: variants.iter().filter_map(|v| Isa::from_number(v.isa)).collect(),
            plan,
            prefix,
            trailer,
            notes,
            file,
            in_memory: matches!(content, Content::Memory(_)),
            table,
            variant,
            form,
            _library: library,
        });
        Ok((opened, weights))
    }

    /// The parts of a program: the artifact's, or its form for inputs that share memory.
    fn part(&self, form: bool) -> (&'static Variant, &Plan) {
        match &self.form {
            Some((table, plan)) if form => (&table.program, plan),
            _ => (self.variant, &self.plan),
        }
    }

    /// Where it was opened from.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Of the file.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
    /// The instruction set that runs, and all that the artifact holds.
    pub fn isa(&self) -> Isa {
        Isa::from_number(self.variant.isa).unwrap_or(Isa::Scalar)
    }
    pub fn isas(&self) -> &[Isa] {
        &self.isas
    }
    pub(in crate::runtime) fn plan(&self) -> &Plan {
        &self.plan
    }
    pub(in crate::runtime) fn cuda(&self) -> bool {
        self.variant.flags & ffi::PROGRAM_CUDA != 0
    }
    pub(in crate::runtime) fn flags(&self) -> u32 {
        self.variant.flags
    }
    pub(in crate::runtime) fn most_graphs(&self) -> u32 {
        self.table.most_graphs
    }
    pub(in crate::runtime) fn kernels(&self, form: bool) -> Vec<KernelFn> {
        let (variant, plan) = self.part(form);
        let n = if self.cuda() { 0 } else { plan.kernels.len() };
        // SAFETY: the library has as many kernels as it says, which were counted when it was opened.
        (0..n).map(|k| unsafe { variant.kernels.add(k).read() }).collect()
    }
    pub(in crate::runtime) fn cubins(&self, form: bool) -> Vec<Cubin> {
        let (first, n) = match &self.form {
            Some((table, _)) if form => (table.cubins, table.n_cubins as usize),
            _ => (self.table.cubins, self.table.n_cubins as usize),
        };
        // SAFETY: the library has as many as it says.
        (0..n).map(|k| unsafe { first.add(k).read() }).collect()
    }
    /// What was kept with the program when the artifact was written; `None`: nothing was.
    pub fn notes(&self) -> Result<Option<Vec<u8>>, RuntimeError> {
        match &self.notes {
            Notes::Absent => Ok(None),
            Notes::InFile => read_notes(&self.path, Content::File(&self.file), &self.trailer).map(Some),
            Notes::Read(notes) => Ok(Some(notes.clone())),
        }
    }
    /// The data of the storages as the file holds them. Empty where the artifact was opened in memory, which is the host's again.
    pub fn storages(&self) -> Result<Vec<SharedBytes>, RuntimeError> {
        if self.in_memory {
            return Ok(Vec::new());
        }
        let weights = mapped_weights(&self.path, Content::File(&self.file), &self.trailer)?;
        Ok(constants(&self.plan, weights.as_ref()))
    }
    /// The library in the file, what stands before its entry's name, and the trailer.
    pub(super) fn code(&self) -> Result<(Vec<u8>, String, Trailer), RuntimeError> {
        let mut library = vec![0; self.trailer.code_bytes as usize];
        self.file.read_exact_at(&mut library, 0).map_err(|e| {
            RuntimeError::io(format!("cannot read the artifact `{}`", self.path.display()), &e)
        })?;
        Ok((library, self.prefix.clone(), self.trailer.clone()))
    }
}

fn read_notes(path: &Path, content: Content<'_>, trailer: &Trailer) -> Result<Vec<u8>, RuntimeError> {
    let cannot =
        |e: std::io::Error| RuntimeError::io(format!("cannot read the artifact `{}`", path.display()), &e);
    let damaged = || bad(path, "its notes lie outside of it");
    let behind = trailer::BYTES as u64 + trailer.prefix_bytes + 8;
    let end = content.len().map_err(cannot)?.checked_sub(behind).ok_or_else(damaged)?;
    let mut length = [0; 8];
    content.read_exact_at(&mut length, end).map_err(cannot)?;
    let start = end.checked_sub(u64::from_le_bytes(length)).ok_or_else(damaged)?;
    let mut notes = vec![0; (end - start) as usize];
    content.read_exact_at(&mut notes, start).map_err(cannot)?;
    Ok(notes)
}

/// The best variant for this CPU among those that may run. Programs for a GPU have one.
fn choose(
    path: &Path,
    variants: &'static [Variant],
    asked: &[Isa],
) -> Result<&'static Variant, RuntimeError> {
    if let [only] = variants
        && only.flags & ffi::PROGRAM_CUDA != 0
    {
        return Ok(only);
    }
    let isa = |v: &Variant| Isa::from_number(v.isa);
    let may = |v: &&Variant| asked.is_empty() || isa(v).is_some_and(|isa| asked.contains(&isa));
    let runs = |v: &&Variant| isa(v).is_some_and(|isa| isa <= cpu::native_isa());
    if let Some(best) = variants.iter().filter(may).filter(runs).max_by_key(|v| v.isa) {
        return Ok(best);
    }
    let names = |list: &mut dyn Iterator<Item = Isa>| list.map(Isa::name).collect::<Vec<_>>().join(", ");
    let (path, holds) = (path.display(), names(&mut variants.iter().filter_map(isa)));
    let message = if variants.iter().any(|v| may(&v)) {
        let native = cpu::native_isa();
        format!(
            "the artifact `{path}` was compiled for the instruction set {holds}, but this CPU has {native} at most; compile it \
             with option cpu.isa set to that"
        )
    } else {
        let asked = names(&mut asked.iter().copied());
        format!("the artifact `{path}` holds code for {holds}, but option `cpu.isa` asks for {asked}")
    };
    Err(RuntimeError::new(Status::Unsupported, message))
}

/// Everything that can be known of a file without loading it: its trailer, its first plan, what stands before the entry's
/// name, and its hash.
fn check(path: &Path, content: Content<'_>) -> Result<(Trailer, Plan, String, String), RuntimeError> {
    let cannot =
        |e: std::io::Error| RuntimeError::io(format!("cannot read the artifact `{}`", path.display()), &e);
    let all = content.len().map_err(cannot)?;
    let (trailer, sha256) = check_hash(path, content, |trailer, start| match trailer {
        None if start.starts_with(b"\x7fELF") => {
            Err(bad(path, "it is a library, but it was cut short or not made by Litz"))
        }
        None => Err(bad(path, "its content is something else")),
        Some(t) if t.abi_version != trailer::ABI_VERSION => Err(RuntimeError::new(
            Status::Abi,
            format!(
                "the artifact `{}` has format version {}, this library reads version {}; compile it again",
                path.display(),
                t.abi_version,
                trailer::ABI_VERSION
            ),
        )),
        Some(t) if t.kind != Kind::Program as u32 => {
            Err(bad(path, "it holds weights alone; open the artifact that it belongs to"))
        }
        Some(t) => Ok(t),
    })?;
    Isa::from_number(trailer.isa).filter(|isa| *isa <= cpu::native_isa()).ok_or_else(|| {
        let name = Isa::from_number(trailer.isa).map_or("an unknown one", Isa::name);
        RuntimeError::new(
            Status::Unsupported,
            format!(
                "the artifact `{}` was compiled for the instruction set {name}, but this CPU has {} at most; compile it \
                 with option cpu.isa set to that",
                path.display(),
                cpu::native_isa()
            ),
        )
    })?;
    let piece = |at: u64, bytes: u64, what: &str| -> Result<Vec<u8>, RuntimeError> {
        if at.checked_add(bytes).is_none_or(|end| end > all) {
            return Err(bad(path, format!("its {what} lies outside of it")));
        }
        let mut read = vec![0; bytes as usize];
        content.read_exact_at(&mut read, at).map_err(cannot)?;
        Ok(read)
    };
    let plan = Plan::from_bytes(&piece(trailer.plan_offset, trailer.plan_bytes, "plan")?)?;
    let before = (all - trailer::BYTES as u64).checked_sub(trailer.prefix_bytes);
    let prefix = piece(before.unwrap_or(u64::MAX), trailer.prefix_bytes, "entry's name")?;
    let prefix = String::from_utf8(prefix).map_err(|_| bad(path, "its entry has a name that is no text"))?;
    Ok((trailer, plan, prefix, sha256))
}

/// The trailer of a file, as `accept` takes it (with the file's first bytes), and the hash of all of it.
pub(super) fn check_hash(
    path: &Path,
    content: Content<'_>,
    accept: impl FnOnce(Option<Trailer>, &[u8]) -> Result<Trailer, RuntimeError>,
) -> Result<(Trailer, String), RuntimeError> {
    let cannot = |e: std::io::Error| RuntimeError::io(format!("cannot read `{}`", path.display()), &e);
    let bytes = content.len().map_err(cannot)?;
    if bytes < trailer::BYTES as u64 {
        return Err(bad(path, format!("it has {bytes} bytes only")));
    }
    let (mut end, mut start) = ([0; trailer::BYTES], [0; 4]);
    content.read_exact_at(&mut end, bytes - trailer::BYTES as u64).map_err(cannot)?;
    content.read_exact_at(&mut start, 0).map_err(cannot)?;
    let trailer = accept(Trailer::read(&end), &start)?;
    let sha256 = content.checked_hash(bytes).map_err(cannot)?;
    let damaged = || bad(path, "its content is not what was written (its SHA-256 differs); it is damaged");
    Ok((trailer, sha256.ok_or_else(damaged)?))
}

fn load_library(
    path: &Path,
    loaded: &Path,
    prefix: &str,
) -> Result<(libloading::Library, &'static ArtifactTable), RuntimeError> {
    let entry = CString::new(format!("{prefix}{ENTRY_NAME}"))
        .map_err(|_| bad(path, "its entry has a name that is no text"))?;
    // SAFETY: the file is whole, and was written by this library or with its knowledge of the hash; it has no
    // constructors of its own.
    let library =
        unsafe { libloading::os::unix::Library::open(Some(loaded), libc::RTLD_NOW | libc::RTLD_LOCAL) }
            .map_err(|e| match forbids_execution(loaded) {
                true => RuntimeError::new(
                    Status::Io,
                    format!(
                        "cannot load the artifact `{}`: its file system is mounted `noexec`",
                        path.display()
                    ),
                ),
                false => bad(path, describe(&e, loaded)),
            })?;
    let library = libloading::Library::from(library);
    type Entry = unsafe extern "C" fn() -> *const ArtifactApi;
    // SAFETY: the entry's signature is fixed by its name; the table is static data of the library.
    let api = unsafe {
        let entry =
            library.get::<Entry>(entry.as_bytes_with_nul()).map_err(|e| bad(path, describe(&e, loaded)))?;
        entry().as_ref()
    };
    let api =
        api.filter(|api| api.magic == ffi::ARTIFACT_MAGIC && api.struct_size >= size_of::<ArtifactApi>());
    let api = api.ok_or_else(|| bad(path, "its table of functions is not the one expected"))?;
    if api.abi_version != ffi::ARTIFACT_ABI_VERSION {
        return Err(RuntimeError::new(
            Status::Abi,
            format!("the artifact `{}` has interface version {}", path.display(), api.abi_version),
        ));
    }
    // SAFETY: as above.
    let table = unsafe { api.program.as_ref() };
    let table = table.filter(|t| t.struct_size >= size_of::<ArtifactTable>() as u64 && t.n_variants > 0);
    let table = table.ok_or_else(|| bad(path, "it holds no program"))?;
    Ok((library, table))
}
