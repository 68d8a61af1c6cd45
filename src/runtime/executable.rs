//! An instance of a program: its mutable constants, and runs. Where the program comes from, from a compilation or from an
//! artifact, makes no difference here: the executor of this library runs both.

use std::ffi::{CString, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use super::RuntimeError;
use super::artifact::Opened;
use super::capture::Captured;
use super::cuda::GraphCounts;
use super::error::Message;
use super::ffi;
use super::overlap::Forms;
use super::profile::ProfileRequest;
use super::program::Program;
use super::run_options::RunOptions;
use super::spare::Spare;
use super::tensor::{OutputSink, Place, Tensor, allocate_output, view_output};
use crate::base::Status;
use crate::ir::HostOperators;
use crate::plan::{Alias, Plan, ScalarId, ScalarOp};
use crate::types::Dtype;
use crate::types::dlpack::DLTensor;

/// What can be said of an input, an output or a constant before a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    pub name: CString,
    pub dtype: Dtype,
    /// Equal where static; -1 in `max_shape`: no bound.
    pub min_shape: Vec<i64>,
    pub max_shape: Vec<i64>,
    /// Constants: 0 parameter, 1 buffer, 2 constant.
    pub kind: i32,
    /// In elements; `None` where they depend on a size.
    pub strides: Option<Vec<i64>>,
    /// Runs write to it.
    pub mutated: bool,
    pub alias: Alias,
    /// A number that a run reads on the host, whatever the program's device.
    pub host: bool,
}

/// The tables that `info` answers from, made once for a program.
#[derive(Debug)]
struct Info {
    inputs: Vec<TensorInfo>,
    outputs: Vec<TensorInfo>,
    constants: Vec<TensorInfo>,
    /// Of those that are hidden, too.
    output_dtypes: Vec<Dtype>,
}

/// How an instance runs.
#[derive(Clone, Debug, Default)]
pub struct InstanceOptions {
    /// Threads that a kernel's tasks are spread over; `None`: as many as [`set_threads`] says.
    pub threads: Option<usize>,
    pub profile: ProfileRequest,
    /// Where the operators of a host's are that the program calls.
    pub operators: HostOperators,
}

/// A program that runs. Any number of threads may use one at the same time.
pub struct Executable {
    instance: NonNull<ffi::Instance>,
    program: Arc<Program>,
    info: Arc<Info>,
    listener: Option<Arc<dyn Listener>>,
    forms: Option<Arc<dyn Forms>>,
    spare: Arc<Spare>,
}

/// Who hears of runs.
pub trait Listener: Send + Sync {
    /// Whether it is to have copies of inputs, before each run.
    fn wants_inputs(&self) -> bool;
    /// A run is about to begin. An error ends it.
    fn begins(&self, executable: &Executable, inputs: &Captured) -> Result<(), RuntimeError>;
    /// A run is over, or enqueued.
    fn ran(&self, executable: &Executable);
    /// It hears of this one's runs from now on.
    fn listens(&self, _executable: &Executable) {}
}

/// An instance whose program is not shared yet.
pub(super) struct Unowned(NonNull<ffi::Instance>);

impl Unowned {
    /// Whether the program's data of a storage is not needed any more; see `lx_let_go`.
    pub(super) fn lets_go(&self, storage: usize) -> bool {
        // SAFETY: nobody else has the instance.
        unsafe { ffi::lx_let_go(self.0.as_ptr(), storage) != 0 }
    }
    /// The program's data of a storage lies there from now on; see `lx_move_storage`.
    pub(super) fn moves(&self, storage: usize, to: *const c_void) {
        // SAFETY: nobody else has the instance; the data is the program's, which outlives it.
        unsafe { ffi::lx_move_storage(self.0.as_ptr(), storage, to) }
    }
    /// The executable, with the program that it was created of.
    pub(super) fn of(self, program: Arc<Program>) -> Executable {
        let info = Arc::new(Info::of(program.plan()));
        Executable { instance: self.0, program, info, listener: None, forms: None, spare: Spare::new() }
    }
}

// SAFETY: the executor's instances may be used by many threads at once; that is its documented interface.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// An instance of a program, its constants as the program was made with them.
    pub fn new(program: &Arc<Program>, options: &InstanceOptions) -> Result<Executable, RuntimeError> {
        Ok(Executable::create(program, options)?.of(program.clone()))
    }

    /// The instance alone; what it was made of must be handed to [`Unowned::of`].
    pub(super) fn create(program: &Program, options: &InstanceOptions) -> Result<Unowned, RuntimeError> {
        let host = ffi::HostTable {
            context: std::ptr::null_mut(),
            allocate: Some(super::memory::allocate),
            release: Some(super::memory::free),
            parallel_for: None,
            parallel_for_context: std::ptr::null_mut(),
            threads: options.threads.unwrap_or(0).min(ffi::MOST_THREADS) as i32,
            profiles_graphs: (options.profile == ProfileRequest::Kernels).into(),
            profiled: program.profile().map(|_| super::profile::profiled as ffi::ProfiledFn),
            // The program holds it, and lives as long as the instance and its clones.
            profile_context: program
                .profile()
                .map_or(std::ptr::null_mut(), |p| std::ptr::from_ref(p).cast_mut().cast()),
        };
        let table = program.table();
        let (mut instance, mut message) = (std::ptr::null_mut(), Message::new());
        // SAFETY: the table's pointers live as long as `program`, which the executable will hold.
        let status =
            unsafe { ffi::lx_create(&table, &host, &mut instance, message.pointer(), message.size()) };
        message.check(status)?;
        Ok(Unowned(NonNull::new(instance).expect("a created instance is not NULL")))
    }

    /// An instance with its own mutable state, holding what this one's holds now; all else is shared.
    pub fn try_clone(&self) -> Result<Executable, RuntimeError> {
        let (mut made, mut message) = (std::ptr::null_mut(), Message::new());
        // SAFETY: the instance lives as long as this value.
        let status =
            unsafe { ffi::lx_clone(self.instance.as_ptr(), &mut made, message.pointer(), message.size()) };
        message.check(status)?;
        let instance = NonNull::new(made).expect("a cloned instance is not NULL");
        let (program, info, listener) = (self.program.clone(), self.info.clone(), self.listener.clone());
        Ok(Executable { instance, program, info, listener, forms: self.forms.clone(), spare: Spare::new() })
    }

    /// The executable, with somebody who gives programs for inputs that share memory.
    pub fn with_forms(self, forms: Option<Arc<dyn Forms>>) -> Executable {
        let mut made = self;
        made.forms = forms;
        made
    }
    /// Who gives its forms for inputs that share memory.
    pub fn forms(&self) -> Option<&dyn Forms> {
        self.forms.as_deref()
    }
    pub(super) fn raw(&self) -> *mut ffi::Instance {
        self.instance.as_ptr()
    }

    /// The executable, with somebody who hears of its runs and those of its clones.
    pub fn heard_by(self, listener: Option<Arc<dyn Listener>>) -> Executable {
        let mut heard = self;
        heard.listener = listener;
        if let Some(listener) = &heard.listener {
            listener.listens(&heard);
        }
        heard
    }

    /// Runs in progress end with [`Status::Cancelled`], unless they have begun to write to constants or inputs.
    pub fn cancel(&self) {
        // SAFETY: the instance lives as long as this value.
        unsafe { ffi::lx_cancel(self.instance.as_ptr()) }
    }

    /// How many runs of this instance have come to their first kernel: one that was refused before is not among them.
    pub fn runs_begun(&self) -> u64 {
        // SAFETY: the instance lives as long as this value.
        unsafe { ffi::lx_runs_begun(self.instance.as_ptr()) }
    }

    pub fn plan(&self) -> &Plan {
        self.program.plan()
    }
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }
    /// The artifact that was opened; `None` for what was compiled in this process.
    pub fn artifact(&self) -> Option<&Arc<Opened>> {
        self.program.artifact()
    }
    /// The plan's JSON, as `describe` gives it.
    pub fn metadata(&self) -> &str {
        &self.plan().metadata
    }
    pub fn inputs(&self) -> &[TensorInfo] {
        &self.info.inputs
    }
    pub fn outputs(&self) -> &[TensorInfo] {
        &self.info.outputs
    }
    pub fn constants(&self) -> &[TensorInfo] {
        &self.info.constants
    }

    /// Fills dtype, ndim and device of each output, and the sizes and strides that its pointers point to.
    ///
    /// # Safety
    /// Every pointer in `inputs` is NULL or a tensor whose `shape` (and data, for a 0-d input) can be read; each
    /// output's `shape` and `strides` are NULL or have room for the output's rank.
    pub unsafe fn infer_outputs(
        &self,
        inputs: &[*const DLTensor],
        outputs: &mut [DLTensor],
    ) -> Result<(), RuntimeError> {
        let mut message = Message::new();
        // SAFETY: the caller's, and the instance lives as long as this value.
        let status = unsafe {
            let (text, size) = (message.pointer(), message.size());
            let (given, n, out, n_out) = (inputs.as_ptr(), inputs.len(), outputs.as_mut_ptr(), outputs.len());
            ffi::lx_infer_outputs(self.instance.as_ptr(), given, n, out, n_out, text, size)
        };
        message.check(status)
    }

    /// Runs once; the outputs own their memory.
    ///
    /// # Safety
    /// Every pointer in `inputs` is NULL or a tensor whose memory is as it says, can be read, can be written where
    /// the program mutates it, and is not written by anyone else during the call. Pointers in `options` are as
    /// `litz_run_options` says.
    pub unsafe fn run(
        &self,
        inputs: &[*const DLTensor],
        options: Option<&RunOptions>,
    ) -> Result<Vec<Tensor>, RuntimeError> {
        // SAFETY: the caller's.
        unsafe { self.announce(inputs) }?;
        let options = options.map_or(std::ptr::null(), std::ptr::from_ref);
        let (dtypes, results) = (&self.info.output_dtypes, self.info.outputs.len());
        // SAFETY: the caller's inputs and options, where it gave any.
        let place = unsafe { self.place_of_results(inputs, options) };
        let outputs = dtypes.iter().map(|_| None).collect();
        let form;
        let mut sink = OutputSink { dtypes, place, taken: self.spare.for_run(), outputs };
        let mut message = Message::new();
        // SAFETY: the caller's; the sink outlives the call.
        let status = unsafe {
            ffi::lx_run_allocating(
                self.instance.as_ptr(),
                inputs.as_ptr(),
                inputs.len(),
                allocate_output,
                view_output,
                (&raw mut sink).cast(),
                results,
                options,
                message.pointer(),
                message.size(),
            )
        };
        if status == ffi::INPUTS_SHARE_MEMORY {
            // SAFETY: the caller's; these are the inputs that share memory.
            form = unsafe { self.form_for(inputs, &message) }?;
            sink.dtypes = &form.program.info.output_dtypes;
            sink.outputs = sink.dtypes.iter().map(|_| None).collect();
            // SAFETY: the caller's; the sink and the form outlive the call.
            let status = unsafe {
                ffi::lx_run_form_allocating(
                    self.instance.as_ptr(),
                    &form.table(),
                    inputs.as_ptr(),
                    inputs.len(),
                    allocate_output,
                    view_output,
                    (&raw mut sink).cast(),
                    results,
                    options,
                    message.pointer(),
                    message.size(),
                )
            };
            form.program.outcome(status, &message)?;
            self.tell();
            return sink.given(results);
        }
        self.outcome(status, &message)?;
        self.tell();
        sink.given(results)
    }

    /// Runs once into the caller's outputs.
    ///
    /// # Safety
    /// As [`Executable::run`]; and every pointer in `outputs` is NULL or a tensor whose memory can be written.
    pub unsafe fn run_into(
        &self,
        inputs: &[*const DLTensor],
        outputs: &[*const DLTensor],
        options: Option<&RunOptions>,
    ) -> Result<(), RuntimeError> {
        // SAFETY: the caller's.
        unsafe { self.announce(inputs) }?;
        let options = options.map_or(std::ptr::null(), std::ptr::from_ref);
        let mut message = Message::new();
        // SAFETY: the caller's.
        let status = unsafe {
            ffi::lx_run(
                self.instance.as_ptr(),
                inputs.as_ptr(),
                inputs.len(),
                outputs.as_ptr(),
                outputs.len(),
                options,
                message.pointer(),
                message.size(),
            )
        };
        if status == ffi::INPUTS_SHARE_MEMORY {
            // SAFETY: the caller's; these are the inputs that share memory.
            let form = unsafe { self.form_for(inputs, &message) }?;
            // SAFETY: the caller's; the form outlives the call.
            let status = unsafe {
                ffi::lx_run_form(
                    self.instance.as_ptr(),
                    &form.table(),
                    inputs.as_ptr(),
                    inputs.len(),
                    outputs.as_ptr(),
                    outputs.len(),
                    options,
                    message.pointer(),
                    message.size(),
                )
            };
            form.program.outcome(status, &message)?;
        } else {
            self.outcome(status, &message)?;
        }
        self.tell();
        Ok(())
    }

    /// # Safety
    /// As [`Executable::run`]; `options` is NULL or can be read.
    unsafe fn place_of_results(&self, inputs: &[*const DLTensor], options: *const RunOptions) -> Place {
        let Some(device) = self.program.device() else { return Place::Cpu };
        // SAFETY: the caller's.
        unsafe {
            match ffi::lx_gives_to_host(self.instance.as_ptr(), inputs.as_ptr(), inputs.len()) {
                0 => Place::Cuda { device: device_of(options, device), stream: stream_of(options) },
                _ => Place::Cpu,
            }
        }
    }

    /// # Safety
    /// As [`Executable::run`].
    unsafe fn announce(&self, inputs: &[*const DLTensor]) -> Result<(), RuntimeError> {
        match &self.listener {
            Some(listener) if listener.wants_inputs() => {
                // SAFETY: the caller's.
                listener.begins(self, &unsafe { Captured::of(inputs) }?)
            }
            _ => Ok(()),
        }
    }

    /// What a run ended with.
    fn outcome(&self, status: i32, message: &Message) -> Result<(), RuntimeError> {
        if status == 0 {
            return Ok(());
        }
        self.program.take_failure().map_or_else(|| message.check(status), Err)
    }

    fn tell(&self) {
        if let Some(listener) = &self.listener {
            listener.ran(self);
        }
    }

    /// Runs once on tensors of the library's own. Fails where the program mutates its inputs.
    pub fn run_tensors(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>, RuntimeError> {
        if let Some(input) = self.plan().inputs.iter().find(|i| i.mutated || i.overwritten) {
            return Err(RuntimeError::new(
                Status::InvalidArgument,
                format!("the program writes to its input `{}`; use run", input.name),
            ));
        }
        let pointers: Vec<*const DLTensor> = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
        // SAFETY: own tensors are as they say, and the program does not write to them.
        unsafe { self.run(&pointers, None) }
    }

    /// What became of runs on a GPU; `None` on the CPU.
    pub fn graph_counts(&self) -> Option<GraphCounts> {
        self.program.device()?;
        let mut counts =
            ffi::GraphCounts { recorded: 0, replayed: 0, patched: 0, eager: 0, reason: std::ptr::null() };
        // SAFETY: the instance lives as long as this value, and with it the reason's text.
        unsafe { ffi::lx_graph_counts_of(self.instance.as_ptr(), &mut counts) };
        Some(GraphCounts::of(&counts))
    }

    /// Waits for asynchronous runs, and reports what went wrong in them.
    pub fn synchronize(&self) -> Result<(), RuntimeError> {
        let mut message = Message::new();
        // SAFETY: the instance lives as long as this value.
        let status =
            unsafe { ffi::lx_synchronize(self.instance.as_ptr(), message.pointer(), message.size()) };
        message.check(status)
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the instance; the program is dropped after it.
        unsafe { ffi::lx_destroy(self.instance.as_ptr()) }
    }
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable").field("name", &self.plan().name).field("info", &self.info).finish()
    }
}

impl Info {
    fn of(plan: &Plan) -> Info {
        let dtype =
            |number: i32| Dtype::from_number(number.into()).expect("a checked plan's dtypes are known");
        let info = |name: &str, number: i32, min_shape: &[i64], max_shape: &[i64]| TensorInfo {
            name: CString::new(name).expect("a checked plan's strings hold no NUL"),
            dtype: dtype(number),
            min_shape: min_shape.to_vec(),
            max_shape: max_shape.to_vec(),
            kind: 0,
            strides: None,
            mutated: false,
            alias: Alias::None,
            host: false,
        };
        let known = |strides: &[ScalarId]| {
            let known = |s: &ScalarId| match plan.scalars[s.0 as usize] {
                ScalarOp::Constant(v) => Some(v),
                _ => None,
            };
            strides.iter().map(known).collect::<Option<Vec<i64>>>()
        };
        let inputs = plan.inputs.iter().map(|t| TensorInfo {
            strides: known(&t.strides),
            mutated: t.mutated,
            host: t.scalar,
            ..info(&t.name, t.dtype, &t.min_shape, &t.max_shape)
        });
        let outputs = plan.outputs.iter().map(|t| TensorInfo {
            strides: known(&t.strides),
            alias: t.alias,
            ..info(&t.name, t.dtype, &t.min_shape, &t.max_shape)
        });
        let constants = plan.constants.iter().map(|c| TensorInfo {
            kind: c.kind,
            strides: Some(c.strides.clone()),
            mutated: plan.storages[c.storage as usize].mutated,
            ..info(&c.name, c.dtype, &c.shape, &c.shape)
        });
        Info {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            constants: constants.collect(),
            output_dtypes: plan.outputs.iter().chain(&plan.hidden).map(|t| dtype(t.dtype)).collect(),
        }
    }
}

/// The device of a run: the program's, or another one that the options name.
///
/// # Safety
/// `options` is NULL or can be read.
unsafe fn device_of(options: *const RunOptions, own: i32) -> i32 {
    // SAFETY: the caller's.
    unsafe { options.as_ref() }.map(|o| o.device_index).filter(|index| *index != 0).unwrap_or(own)
}

/// The host's stream of a run; NULL: the executor's own.
///
/// # Safety
/// `options` is NULL or can be read.
unsafe fn stream_of(options: *const RunOptions) -> *mut c_void {
    // SAFETY: the caller's.
    match unsafe { options.as_ref() } {
        Some(o) if o.flags & super::RUN_HAS_STREAM != 0 => o.stream,
        _ => std::ptr::null_mut(),
    }
}

/// The threads of programs that have no number of their own; 0: one for each CPU that the process may use.
pub fn set_threads(n: usize) -> Result<(), RuntimeError> {
    if n > ffi::MOST_THREADS {
        let message = format!("a pool has {} threads at most, {n} are asked for", ffi::MOST_THREADS);
        return Err(RuntimeError::new(Status::InvalidArgument, message));
    }
    // SAFETY: from any thread.
    unsafe { ffi::lx_set_threads(n as i32) };
    Ok(())
}
