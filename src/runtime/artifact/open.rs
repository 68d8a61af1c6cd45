//! Opening an artifact.

use std::ffi::{CString, c_char};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use super::NO_TENSOR;
use super::trailer::{self, Kind, Trailer};
use crate::base::{Status, file};
use crate::device::cpu;
use crate::plan::Plan;
use crate::runtime::error::Message;
use crate::runtime::executable::This;
use crate::runtime::ffi::{self, ArtifactApi, RunOptions};
use crate::runtime::program::describe;
use crate::runtime::tensor::{OutputSink, allocate_output};
use crate::runtime::{Executable, RuntimeError};
use crate::target::Isa;
use crate::types::dlpack::DLTensor;

/// Opens an artifact: a file, or a folder that holds one whose name is its hash. With `expected_sha256`, the file's
/// SHA-256 must be that one (64 hexadecimal digits). A program for a GPU runs on that of index `device`.
pub fn open(path: &Path, expected_sha256: Option<&str>, device: i32) -> Result<Executable, RuntimeError> {
    let path = absolute(path)?;
    let (path, expected) = if path.is_dir() { find_in_folder(&path, expected_sha256)? } else { (path, None) };
    let file = Arc::new(Loaded::load(path, expected_sha256.or(expected.as_deref()))?);
    Ok(Executable::of_artifact(Opened::new(file, device)?))
}

/// An instance of an opened artifact.
pub struct Opened {
    file: Arc<Loaded>,
    this: This,
    /// Runs and updates hold it shared; what copies constants out of a program that mutates them holds it alone.
    lock: RwLock<()>,
    /// The process that it was made in.
    process: u32,
    device: i32,
}

/// A checked and loaded file.
struct Loaded {
    path: PathBuf,
    sha256: String,
    isa: Isa,
    /// The program runs on a GPU.
    cuda: bool,
    /// The file that holds the weights, kept open: instances made later map what was checked, whatever became of
    /// its name.
    weights: File,
    plan: Plan,
    api: &'static ArtifactApi,
    // Last: `api` points into it.
    _library: libloading::Library,
}

fn bad(path: &Path, what: impl std::fmt::Display) -> RuntimeError {
    RuntimeError::new(
        Status::Parse,
        format!("`{}` is not an artifact that can be opened: {what}", path.display()),
    )
}

fn absolute(path: &Path) -> Result<PathBuf, RuntimeError> {
    path.canonicalize()
        .map_err(|e| RuntimeError::io(format!("cannot open the artifact `{}`", path.display()), &e))
}

/// The artifact of a folder: a file named `<64 hexadecimal digits>.so`, whose hash must then be that.
fn find_in_folder(folder: &Path, expected: Option<&str>) -> Result<(PathBuf, Option<String>), RuntimeError> {
    let listing = std::fs::read_dir(folder)
        .map_err(|e| RuntimeError::io(format!("cannot list the folder `{}`", folder.display()), &e))?;
    let mut found: Vec<String> = listing
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".so").map(str::to_owned))
        .filter(|name| name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit()))
        .filter(|name| expected.is_none_or(|e| e.eq_ignore_ascii_case(name)))
        .collect();
    match (found.pop(), found.is_empty()) {
        (Some(name), true) => Ok((folder.join(format!("{name}.so")), Some(name))),
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

impl Loaded {
    fn load(path: PathBuf, expected_sha256: Option<&str>) -> Result<Loaded, RuntimeError> {
        let cannot = |e: &std::io::Error| {
            RuntimeError::io(format!("cannot open the artifact `{}`", path.display()), e)
        };
        let (file, before) = file::open(&path).map_err(|e| cannot(&e))?;
        if before.len() < trailer::BYTES as u64 {
            return Err(bad(&path, format!("it has {} bytes only", before.len())));
        }
        // SAFETY: the file is only read; a file that someone else cuts while it is mapped is the loader's trouble too.
        let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| cannot(&e))?;
        let (trailer, plan, isa, sha256) = check(&path, &bytes)?;
        if let Some(expected) = expected_sha256
            && !expected.eq_ignore_ascii_case(&sha256)
        {
            return Err(bad(&path, format!("its SHA-256 is {sha256}, but {expected} is asked for")));
        }
        let external = trailer.flags & trailer::FLAG_EXTERNAL != 0 && trailer.weights_bytes != 0;
        let weights = if external { Some(check_weights(&path, &trailer)?) } else { None };
        let (library, api) = load_library(&path)?;
        let after = std::fs::metadata(&path).map_err(|e| cannot(&e))?;
        if (before.dev(), before.ino()) != (after.dev(), after.ino()) {
            return Err(bad(&path, "it was replaced while it was being opened; open it again"));
        }
        drop(bytes);
        let weights = weights.unwrap_or(file);
        let cuda = trailer.flags & trailer::FLAG_CUDA != 0;
        Ok(Loaded { path, sha256, isa, cuda, weights, plan, api, _library: library })
    }
}

// SAFETY: nothing of it changes after it is made; the API's table is static data of functions that any thread may
// call, with instances that are the callers' own.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// Everything that can be known of a file's bytes without loading it.
fn check(path: &Path, bytes: &[u8]) -> Result<(Trailer, Plan, Isa, String), RuntimeError> {
    let Some(trailer) = Trailer::read(bytes) else {
        let what = if bytes.starts_with(b"\x7fELF") {
            "it is a library, but it was cut short or not made by Litz"
        } else {
            "its content is something else"
        };
        return Err(bad(path, what));
    };
    if trailer.abi_version != trailer::ABI_VERSION {
        return Err(RuntimeError::new(
            Status::Abi,
            format!(
                "the artifact `{}` has format version {}, this library reads version {}; compile it again",
                path.display(),
                trailer.abi_version,
                trailer::ABI_VERSION
            ),
        ));
    }
    if trailer.kind != Kind::Program as u32 {
        return Err(bad(path, "it holds weights alone; open the artifact that it belongs to"));
    }
    let sha256 = trailer::checked_hash(bytes).ok_or_else(|| {
        bad(path, "its content is not what was written (its SHA-256 differs); it is damaged")
    })?;
    let isa = Isa::from_number(trailer.isa).filter(|isa| *isa <= cpu::native_isa()).ok_or_else(|| {
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
    let range = usize::try_from(trailer.plan_offset)
        .ok()
        .and_then(|start| Some(start..start.checked_add(usize::try_from(trailer.plan_bytes).ok()?)?));
    let plan =
        range.and_then(|range| bytes.get(range)).ok_or_else(|| bad(path, "its plan lies outside of it"))?;
    Ok((trailer, Plan::from_bytes(plan)?, isa, sha256))
}

/// External weights: theirs is the trailer with the same identity.
fn check_weights(path: &Path, trailer: &Trailer) -> Result<File, RuntimeError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".weights");
    let path = Path::new(&name);
    let cannot =
        |e: &std::io::Error| RuntimeError::io(format!("cannot open the weights `{}`", path.display()), e);
    let (file, _) = file::open(path).map_err(|e| cannot(&e))?;
    // SAFETY: as for the artifact itself.
    let bytes = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| cannot(&e))?;
    let theirs =
        Trailer::read(&bytes).ok_or_else(|| bad(path, "it does not end as a file of weights does"))?;
    if theirs.kind != Kind::Weights as u32 || theirs.id != trailer.id {
        return Err(bad(path, "it holds the weights of another program"));
    }
    if trailer::checked_hash(&bytes).is_none() {
        return Err(bad(path, "its content is not what was written (its SHA-256 differs); it is damaged"));
    }
    Ok(file)
}

fn load_library(path: &Path) -> Result<(libloading::Library, &'static ArtifactApi), RuntimeError> {
    // SAFETY: the file is whole, and was written by this library or with its knowledge of the hash; it has no
    // constructors of its own.
    let library =
        unsafe { libloading::os::unix::Library::open(Some(path), libc::RTLD_NOW | libc::RTLD_LOCAL) }
            .map_err(|e| bad(path, describe(&e, path)))?;
    let library = libloading::Library::from(library);
    type Entry = unsafe extern "C" fn() -> *const ArtifactApi;
    // SAFETY: the entry's signature is fixed by its name; the table is static data of the library.
    let api = unsafe {
        let entry =
            library.get::<Entry>(b"litz_artifact_entry_v1\0").map_err(|e| bad(path, describe(&e, path)))?;
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
    Ok((library, api))
}

impl Opened {
    fn new(file: Arc<Loaded>, device: i32) -> Result<Opened, RuntimeError> {
        let (mut this, mut message) = (std::ptr::null_mut(), Message::new());
        let weights = CString::new(format!("/proc/self/fd/{}", file.weights.as_raw_fd())).expect("digits");
        // SAFETY: the table's functions are the artifact's, which `file` keeps loaded.
        let status = unsafe {
            (file.api.create)(weights.as_ptr(), device, &mut this, message.pointer(), message.size())
        };
        message.check(status)?;
        Ok(Opened { file, this, lock: RwLock::new(()), process: std::process::id(), device })
    }

    /// The CUDA device that the program runs on; `None`: the CPU.
    pub fn device(&self) -> Option<i32> {
        self.file.cuda.then_some(self.device)
    }
    pub fn path(&self) -> &Path {
        &self.file.path
    }
    /// Of the file.
    pub fn sha256(&self) -> &str {
        &self.file.sha256
    }
    pub fn isa(&self) -> Isa {
        self.file.isa
    }
    pub(in crate::runtime) fn plan(&self) -> &Plan {
        &self.file.plan
    }
    pub(in crate::runtime) fn api(&self) -> &'static ArtifactApi {
        self.file.api
    }
    pub(in crate::runtime) fn this(&self) -> This {
        self.this
    }

    fn shared(&self) -> Result<RwLockReadGuard<'_, ()>, RuntimeError> {
        match self.lock.try_read() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
            Err(TryLockError::WouldBlock) => {
                self.same_process()?;
                Ok(self.lock.read().unwrap_or_else(|e| e.into_inner()))
            }
        }
    }
    fn alone(&self) -> Result<RwLockWriteGuard<'_, ()>, RuntimeError> {
        match self.lock.try_write() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
            Err(TryLockError::WouldBlock) => {
                self.same_process()?;
                Ok(self.lock.write().unwrap_or_else(|e| e.into_inner()))
            }
        }
    }
    /// After a fork, whoever holds the lock may be a thread that does not exist here; it is not waited for.
    fn same_process(&self) -> Result<(), RuntimeError> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let message = format!(
            "the artifact `{}` is in use and was opened before this process was forked; open it again in this process",
            self.file.path.display()
        );
        Err(RuntimeError::new(Status::State, message))
    }

    /// A new instance that holds what this one's constants hold now.
    pub(in crate::runtime) fn try_clone(&self) -> Result<Opened, RuntimeError> {
        let made = Opened::new(self.file.clone(), self.device)?;
        let names: Vec<CString> = self
            .file
            .plan
            .constants
            .iter()
            .map(|c| CString::new(c.name.as_str()).expect("a checked plan's strings hold no NUL"))
            .collect();
        let alone = self.alone()?;
        let views: Vec<DLTensor> = (0..names.len()).map(|k| self.view(k)).collect::<Result<_, _>>()?;
        // What lies on a device is not compared here.
        let differs =
            |k: &usize| self.file.cuda || made.view(*k).is_ok_and(|theirs| !same_bytes(&views[*k], &theirs));
        let changed: Vec<usize> = (0..names.len()).filter(differs).collect();
        let given: Vec<*const c_char> = changed.iter().map(|k| names[*k].as_ptr()).collect();
        let data: Vec<*const DLTensor> = changed.iter().map(|k| &raw const views[*k]).collect();
        // SAFETY: the views are this instance's, which is held still.
        unsafe { made.update_constants(&given, &data)? };
        drop(alone);
        Ok(made)
    }

    fn view(&self, k: usize) -> Result<DLTensor, RuntimeError> {
        let (mut view, mut message) = (NO_TENSOR, Message::new());
        // SAFETY: the artifact's own function, with its own instance.
        let status =
            unsafe { (self.api().constant)(self.this, k, &mut view, message.pointer(), message.size()) };
        message.check(status)?;
        Ok(view)
    }

    /// Copies a constant's value now into memory of its size.
    pub(in crate::runtime) fn copy_constant(&self, k: usize, bytes: &mut [u8]) -> Result<(), RuntimeError> {
        let _alone = self.alone()?;
        let view = self.view(k)?;
        let (rows, row) = rows(&view);
        if rows.len() * row != bytes.len() {
            let message = "a constant of an artifact has another size than its plan says";
            return Err(RuntimeError::new(Status::Internal, message));
        }
        for (to, at) in bytes.chunks_exact_mut(row.max(1)).zip(rows) {
            // SAFETY: the row lies in the constant, which is held still, and `to` has its size.
            unsafe {
                let from = view.data.cast::<u8>().add(at);
                if self.file.cuda {
                    let (to, from, mut message) = (to.as_mut_ptr().cast(), from.cast(), Message::new());
                    let (text, size) = (message.pointer(), message.size());
                    let status = ffi::lx_cuda_copy(self.device, to, from, row as u64, text, size);
                    message.check(status)?;
                } else {
                    std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), row);
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// As `Executable::run`.
    pub(in crate::runtime) unsafe fn run_allocating(
        &self,
        inputs: &[*const DLTensor],
        sink: &mut OutputSink<'_>,
        options: *const RunOptions,
    ) -> Result<(), RuntimeError> {
        let _shared = self.lock.read().unwrap_or_else(|e| e.into_inner());
        let mut message = Message::new();
        let n_outputs = sink.dtypes.len();
        // SAFETY: the caller's; the sink outlives the call.
        let status = unsafe {
            (self.api().run_allocating)(
                self.this,
                inputs.as_ptr(),
                inputs.len(),
                allocate_output,
                std::ptr::from_mut(sink).cast(),
                n_outputs,
                options,
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)
    }

    /// # Safety
    /// As `Executable::run_into`.
    pub(in crate::runtime) unsafe fn run(
        &self,
        inputs: &[*const DLTensor],
        outputs: &[*const DLTensor],
        options: *const RunOptions,
    ) -> Result<(), RuntimeError> {
        let _shared = self.shared()?;
        let mut message = Message::new();
        // SAFETY: the caller's.
        let status = unsafe {
            (self.api().run)(
                self.this,
                inputs.as_ptr(),
                inputs.len(),
                outputs.as_ptr(),
                outputs.len(),
                options,
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)
    }

    /// # Safety
    /// As `Executable::update_constants`.
    pub(in crate::runtime) unsafe fn update_constants(
        &self,
        names: &[*const c_char],
        data: &[*const DLTensor],
    ) -> Result<(), RuntimeError> {
        let _shared = self.shared()?;
        let mut message = Message::new();
        // SAFETY: the caller's.
        let status = unsafe {
            (self.api().update_constants)(
                self.this,
                names.as_ptr(),
                data.as_ptr(),
                names.len(),
                message.pointer(),
                message.size(),
            )
        };
        message.check(status)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the instance; the library is closed after it.
        unsafe { (self.api().destroy)(self.this) }
    }
}

fn same_bytes(a: &DLTensor, b: &DLTensor) -> bool {
    if std::ptr::eq(a.data, b.data) {
        return true;
    }
    let (rows, row) = rows(a);
    rows.into_iter().all(|at| {
        // SAFETY: both are views of one constant of the same program, with the same sizes and strides.
        unsafe {
            let (a, b) = (a.data.cast::<u8>().add(at), b.data.cast::<u8>().add(at));
            libc::memcmp(a.cast(), b.cast(), row) == 0
        }
    })
}

/// Where each contiguous row of an executor's view begins, in bytes from its first element, and the bytes of a row.
fn rows(view: &DLTensor) -> (Vec<usize>, usize) {
    let (shape, strides): (&[i64], &[i64]) = match view.ndim as usize {
        0 => (&[], &[]),
        // SAFETY: an executor's view has as many sizes and strides as dimensions.
        n => unsafe {
            (std::slice::from_raw_parts(view.shape, n), std::slice::from_raw_parts(view.strides, n))
        },
    };
    let item = view.dtype.bits as usize / 8;
    let (mut row, mut outer) = (1, shape.len());
    while outer > 0 && (strides[outer - 1] as usize == row || shape[outer - 1] == 1) {
        row *= shape[outer - 1] as usize;
        outer -= 1;
    }
    let mut places = vec![0];
    for (size, stride) in shape[..outer].iter().zip(strides) {
        let step = *stride as usize * item;
        places = places.iter().flat_map(|at| (0..*size as usize).map(move |k| at + k * step)).collect();
    }
    (places, row * item)
}
