//! A compiled program: plan, code and constants, shared by all of its instances.

use std::ffi::{CString, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::RuntimeError;
use super::artifact::Opened;
use super::cuda::{Cubin, CudaRuns};
use super::executable::{Executable, InstanceOptions};
use super::ffi::{self, KernelFn};
use super::host::{Failures, HostContext, HostKernel, call_host_kernel};
use super::memory::Weights;
use super::observe::{Observer, Observers};
use super::operators::HostCalls;
use super::profile::Profile;
use crate::base::{Bytes, Origin, SharedBytes, Status};
use crate::plan::{Library, Plan, Step};
use crate::target::Isa;

/// The data of a storage of constants.
pub type ConstantBytes = SharedBytes;

/// Where a plan's kernels come from.
pub enum Code {
    /// Shared libraries that together export the symbol of each kernel, compiled for the instruction set.
    Libraries { libraries: Vec<Arc<libloading::Library>>, isa: Isa, amx: bool },
    /// One closure for each kernel of the plan.
    Host(Vec<HostKernel>),
    /// GPU kernels, each by its symbol in one of the cubins.
    Cuda { cubins: Arc<Vec<Cubin>>, device: i32, runs: CudaRuns, vendor: VendorFiles },
    /// An artifact's, for the CPU or for the GPU of that index; `form`: those of its form for inputs that share memory.
    Artifact { opened: Arc<Opened>, device: i32, host_tensors: bool, form: bool },
}

/// The files of NVIDIA's libraries, for steps that need them.
#[derive(Clone, Debug, Default)]
pub struct VendorFiles {
    pub cublaslt: Option<PathBuf>,
    pub cudnn: Option<PathBuf>,
    pub cufft: Option<PathBuf>,
    pub cusolver: Option<PathBuf>,
}

impl Code {
    /// Loads a library of kernels. The file may be removed afterwards.
    pub fn load(path: &Path, isa: Isa, amx: bool) -> Result<Code, RuntimeError> {
        // SAFETY: the library holds generated kernels only; it has no constructors.
        match unsafe { libloading::os::unix::Library::open(Some(path), libc::RTLD_NOW | libc::RTLD_LOCAL) } {
            Ok(library) => Ok(Code::Libraries { libraries: vec![Arc::new(library.into())], isa, amx }),
            Err(error) => Err(RuntimeError::new(
                Status::Io,
                format!("cannot load the compiled kernels `{}`: {}", path.display(), describe(&error, path)),
            )),
        }
    }
}

impl Code {
    /// The code of a program that shares kernels with another one: those that it lacks are the other's.
    pub fn beside(self, program: &Program) -> Code {
        let theirs = program.libraries.iter().cloned();
        match self {
            Code::Libraries { libraries, isa, amx } => {
                Code::Libraries { libraries: libraries.into_iter().chain(theirs).collect(), isa, amx }
            }
            Code::Host(closures) if closures.is_empty() && !program.libraries.is_empty() => {
                let amx = program.flags & ffi::PROGRAM_AMX != 0;
                Code::Libraries { libraries: theirs.collect(), isa: program.isa, amx }
            }
            other => other,
        }
    }
}

/// The loader's own words, which libloading keeps as the source, without the path that they begin with: the message
/// around them has it.
pub(super) fn describe(error: &libloading::Error, path: &Path) -> String {
    let text = match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    };
    let path = format!("{}: ", path.display());
    text.strip_prefix(&path).map_or(text.clone(), str::to_owned)
}

/// An 8-byte aligned copy of a plan's bytes.
struct PlanBytes {
    words: Vec<u64>,
    length: usize,
}

/// See the module.
pub struct Program {
    plan: Plan,
    bytes: PlanBytes,
    kernels: Vec<KernelFn>,
    contexts: Vec<*mut c_void>,
    pointers: Vec<*const c_void>,
    flags: u32,
    isa: Isa,
    cubin_table: Vec<ffi::Cubin>,
    device: Option<i32>,
    most_graphs: u32,
    // What the pointers above point into.
    libraries: Vec<Arc<libloading::Library>>,
    _closures: Vec<HostContext>,
    failures: Arc<Failures>,
    _cubins: Arc<Vec<Cubin>>,
    cublaslt: Option<CString>,
    cudnn: Option<CString>,
    cufft: Option<CString>,
    cusolver: Option<CString>,
    artifact: Option<Arc<Opened>>,
    constants: Vec<ConstantBytes>,
    mapped: Vec<u8>,
    weights: Weights,
    /// The executor is given their address, which stays.
    observers: Option<Box<Observers>>,
    profile: Option<Arc<Profile>>,
    /// The executor is given their address, which stays.
    host_calls: Option<Box<HostCalls>>,
}

// SAFETY: everything is unchanged after `new`, the closures are `Send + Sync`, and the pointers point into what this
// value owns.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    /// Puts a program together. `constants` holds one entry for each of the plan's storages, in its order.
    pub fn new(plan: Plan, code: Code, constants: Vec<ConstantBytes>) -> Result<Arc<Program>, RuntimeError> {
        Program::assemble(plan, code, constants).map(Arc::new)
    }

    fn assemble(plan: Plan, code: Code, constants: Vec<ConstantBytes>) -> Result<Program, RuntimeError> {
        let bytes = PlanBytes::of(&plan.to_bytes()?);
        let constants = aligned(&plan, constants)?;
        let pointers = constants.iter().map(|c| (**c).as_ref().as_ptr().cast()).collect();
        let mapped = constants.iter().map(|c| (c.origin() == Origin::Mapped).into()).collect();
        let weights = Weights::hold(&constants, &plan.storages_of_runs());
        let mut program = Program {
            plan,
            bytes,
            kernels: Vec::new(),
            contexts: Vec::new(),
            pointers,
            flags: 0,
            isa: Isa::Scalar,
            cubin_table: Vec::new(),
            device: None,
            most_graphs: 0,
            libraries: Vec::new(),
            _closures: Vec::new(),
            failures: Arc::default(),
            _cubins: Arc::default(),
            cublaslt: None,
            cudnn: None,
            cufft: None,
            cusolver: None,
            artifact: None,
            constants,
            mapped,
            weights,
            observers: None,
            profile: None,
            host_calls: None,
        };
        match code {
            Code::Libraries { libraries, isa, amx } => program.take_libraries(libraries, isa, amx)?,
            Code::Host(closures) => program.take_closures(closures)?,
            Code::Cuda { cubins, device, runs, vendor } => {
                let text =
                    |file: Option<PathBuf>| CString::new(file?.into_os_string().into_encoded_bytes()).ok();
                (program.cublaslt, program.cudnn) = (text(vendor.cublaslt), text(vendor.cudnn));
                (program.cufft, program.cusolver) = (text(vendor.cufft), text(vendor.cusolver));
                let entry = |c: &Cubin| ffi::Cubin {
                    data: c.data.as_ptr().cast(),
                    bytes: c.data.len() as u64,
                    arch: c.arch,
                    kind: c.kind as u32,
                };
                program.cubin_table = cubins.iter().map(entry).collect();
                program._cubins = cubins;
                program.flags = runs.flags();
                program.most_graphs = runs.most_graphs;
                program.device = Some(device);
            }
            Code::Artifact { opened, device, host_tensors, form } => {
                program.kernels = opened.kernels(form);
                program.cubin_table = opened.cubins(form);
                let more = if host_tensors && opened.cuda() { ffi::PROGRAM_HOST_TENSORS } else { 0 };
                (program.flags, program.most_graphs) = (opened.flags() | more, opened.most_graphs());
                program.isa = opened.isa();
                program.device = opened.cuda().then_some(device);
                program.artifact = Some(opened);
            }
        }
        Ok(program)
    }

    /// The only instance of a program, from which others are cloned: constants that it can do without are let go, unless an
    /// observer may want to see them.
    pub fn start(
        plan: Plan,
        code: Code,
        constants: Vec<ConstantBytes>,
        options: &InstanceOptions,
        observers: Vec<Arc<dyn Observer>>,
    ) -> Result<Executable, RuntimeError> {
        let mut plan = plan;
        let profile = Profile::of(options.profile, &mut plan)?.map(Arc::new);
        let mut program = Program::assemble(plan, code, constants)?;
        program.observers = (!observers.is_empty()).then(|| Box::new(observers));
        program.profile = profile;
        program.host_calls = HostCalls::of(&program.plan, &options.operators, program.device.is_some())?;
        let instance = Executable::create(&program, options)?;
        for k in 0..program.constants.len() {
            let origin = program.constants[k].origin();
            let held = matches!(origin, Origin::Held | Origin::Lent) || program.plan.storages[k].frozen;
            if program.observers.is_none() && held && instance.lets_go(k) {
                program.constants[k] = Arc::new(Vec::new());
            } else if origin == Origin::Lent {
                let own: ConstantBytes = Arc::new(Words::of((*program.constants[k]).as_ref()));
                program.pointers[k] = (*own).as_ref().as_ptr().cast();
                instance.moves(k, program.pointers[k]);
                program.constants[k] = own;
            }
        }
        program.weights = Weights::hold(&program.constants, &program.plan.storages_of_runs());
        Ok(instance.of(Arc::new(program)))
    }

    fn take_libraries(
        &mut self,
        libraries: Vec<Arc<libloading::Library>>,
        isa: Isa,
        amx: bool,
    ) -> Result<(), RuntimeError> {
        for kernel in &self.plan.kernels {
            let name = CString::new(kernel.symbol.as_str()).expect("a checked plan's strings hold no NUL");
            // SAFETY: every symbol of the plan is a kernel with the kernels' signature; code generation made both.
            let of = |library: &Arc<libloading::Library>| unsafe {
                library.get::<KernelFn>(name.as_bytes_with_nul()).ok().map(|symbol| *symbol)
            };
            let missing = || {
                RuntimeError::new(Status::Internal, format!("the kernels' library lacks `{}`", kernel.symbol))
            };
            self.kernels.push(libraries.iter().find_map(of).ok_or_else(missing)?);
        }
        self.isa = isa;
        self.flags = if amx { ffi::PROGRAM_AMX } else { 0 };
        self.libraries = libraries;
        Ok(())
    }

    fn take_closures(&mut self, closures: Vec<HostKernel>) -> Result<(), RuntimeError> {
        if closures.len() != self.plan.kernels.len() {
            return Err(RuntimeError::new(
                Status::Internal,
                format!("the plan has {} kernels, {} were given", self.plan.kernels.len(), closures.len()),
            ));
        }
        let mut arity = vec![(0, 0); closures.len()];
        for step in self.plan.init.iter().chain(&self.plan.main) {
            if let Step::Kernel { kernel, buffers, scalars, .. } = step {
                arity[kernel.0 as usize] = (buffers.len(), scalars.len());
            }
        }
        self._closures = closures
            .into_iter()
            .zip(arity)
            .map(|(kernel, (n_buffers, n_scalars))| {
                let failures = Arc::clone(&self.failures);
                HostContext { kernel, n_buffers, n_scalars, failures }
            })
            .collect();
        self.contexts = self._closures.iter().map(|c| std::ptr::from_ref(c).cast_mut().cast()).collect();
        self.kernels = vec![call_host_kernel; self.contexts.len()];
        self.flags = ffi::PROGRAM_CHECKED_KERNELS;
        Ok(())
    }

    /// What a kernel in Rust failed with in this thread's run.
    pub(super) fn take_failure(&self) -> Option<RuntimeError> {
        self.failures.take()
    }
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
    /// What its runs took, where that was asked for.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }
    /// The CUDA device that it runs on; `None`: the CPU.
    pub fn device(&self) -> Option<i32> {
        self.device
    }
    /// The CUDA device that its runs copy tensors of the host's to, where they do.
    pub(super) fn copies_host_tensors_to(&self) -> Option<i32> {
        self.device.filter(|_| self.flags & ffi::PROGRAM_HOST_TENSORS != 0)
    }
    pub fn isa(&self) -> Isa {
        self.isa
    }
    /// The artifact that it was opened from.
    pub fn artifact(&self) -> Option<&Arc<Opened>> {
        self.artifact.as_ref()
    }
    /// The data that the program was made with, in the plan's order.
    pub fn constants(&self) -> &[ConstantBytes] {
        &self.constants
    }

    /// The executor's view of it, valid as long as this value.
    pub(super) fn table(&self) -> ffi::ProgramTable {
        ffi::ProgramTable {
            plan: self.bytes.words.as_ptr().cast(),
            plan_bytes: self.bytes.length,
            kernels: self.kernels.as_ptr(),
            contexts: if self.contexts.is_empty() { std::ptr::null() } else { self.contexts.as_ptr() },
            constants: self.pointers.as_ptr(),
            weights: std::ptr::null(),
            weights_bytes: 0,
            flags: self.flags,
            isa: self.isa as u32,
            cubins: self.cubin_table.as_ptr(),
            n_cubins: self.cubin_table.len() as u32,
            device_index: self.device.unwrap_or(0),
            most_graphs: self.most_graphs,
            reserved: 0,
            libraries: Library::ALL.map(|library| {
                let file = match library {
                    Library::Cublaslt => &self.cublaslt,
                    Library::Cudnn => &self.cudnn,
                    Library::Cufft => &self.cufft,
                    Library::Cusolver => &self.cusolver,
                    Library::Linalg | Library::Host => &None,
                };
                file.as_ref().map_or(std::ptr::null(), |p| p.as_ptr())
            }),
            mapped: self.mapped.as_ptr(),
            observe: self.observers.as_ref().map(|_| super::observe::call as ffi::ObserveFn),
            observe_context: self
                .observers
                .as_ref()
                .map_or(std::ptr::null_mut(), |o| std::ptr::from_ref::<Observers>(o).cast_mut().cast()),
            costs: self.profile.as_ref().map_or(std::ptr::null(), |p| p.costs()),
            call_host: self.host_calls.as_ref().map(|_| super::operators::call as ffi::HostFn),
            host_context: self
                .host_calls
                .as_ref()
                .map_or(std::ptr::null_mut(), |c| std::ptr::from_ref::<HostCalls>(c).cast_mut().cast()),
        }
    }
}

impl PlanBytes {
    fn of(bytes: &[u8]) -> PlanBytes {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        });
        PlanBytes { words: words.collect(), length: bytes.len() }
    }
}

/// Storages of the plan's sizes, each at an address that its elements' type allows: others are copied.
fn aligned(plan: &Plan, constants: Vec<ConstantBytes>) -> Result<Vec<ConstantBytes>, RuntimeError> {
    if constants.len() != plan.storages.len() {
        return Err(RuntimeError::new(
            Status::Internal,
            format!("the plan has {} storages, data of {} was given", plan.storages.len(), constants.len()),
        ));
    }
    plan.storages
        .iter()
        .zip(constants)
        .enumerate()
        .map(|(k, (storage, data))| {
            let bytes = (*data).as_ref();
            if bytes.len() as u64 != storage.bytes {
                return Err(RuntimeError::new(
                    Status::Internal,
                    format!("storage {k} takes {} bytes, its data has {}", storage.bytes, bytes.len()),
                ));
            }
            Ok(if bytes.as_ptr().cast::<u128>().is_aligned() || bytes.is_empty() {
                data
            } else {
                Arc::new(Words::of(bytes))
            })
        })
        .collect()
}

/// Bytes at a multiple of 16.
struct Words {
    words: Vec<u128>,
    length: usize,
}

impl Words {
    fn of(bytes: &[u8]) -> Words {
        let words = bytes.chunks(16).map(|chunk| {
            let mut word = [0; 16];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        });
        Words { words: words.collect(), length: bytes.len() }
    }
}

impl Bytes for Words {
    fn origin(&self) -> Origin {
        Origin::Held
    }
}

impl AsRef<[u8]> for Words {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `length` is at most the words' bytes, which are all initialised.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.length) }
    }
}
