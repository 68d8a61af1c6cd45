//! The C ABI as Rust sees it: types, and a table of the functions, found in the library when it is opened.
//!
//! Invariant: each declaration is that of `include/litz/litz.h`; a test compares them.
#![allow(non_camel_case_types)]

use crate::error::{Error, Status};
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The version of the ABI that this file states.
pub const LITZ_ABI_VERSION: u32 = 1;

macro_rules! opaque {
    ($($name:ident),*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque!(
    litz_error,
    litz_string,
    litz_options,
    litz_graph,
    litz_executable,
    litz_predicate,
    litz_registry,
    litz_weights,
    litz_meta
);

/// A tensor or symbol of a graph; 0 is none.
pub type litz_value = u64;
pub type litz_node = u64;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[repr(C)]
#[derive(Debug)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    pub major: u32,
    pub minor: u32,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}

#[repr(C)]
#[derive(Debug)]
pub struct litz_tensor_info {
    pub struct_size: usize,
    pub name: *const c_char,
    pub dtype: DLDataType,
    pub device: DLDevice,
    pub ndim: i32,
    pub kind: i32,
    pub min_shape: *const i64,
    pub max_shape: *const i64,
    pub strides: *const i64,
    pub mutated: i32,
    pub alias_kind: i32,
    pub alias_of: i64,
}

#[repr(C)]
#[derive(Debug)]
pub struct litz_run_options {
    pub struct_size: usize,
    pub flags: u32,
    pub device_index: i32,
    pub stream: *mut c_void,
    pub seed: u64,
    pub offset: u64,
    pub parallel_for: *const c_void,
    pub parallel_for_context: *mut c_void,
    pub static_inputs: *const u8,
    pub static_outputs: *const u8,
    pub next_offset: *mut u64,
    pub reserved: [u64; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct litz_arg {
    pub name: *const c_char,
    pub kind: i32,
    pub reserved0: i32,
    pub value: litz_value,
    pub i: i64,
    pub f: f64,
    pub f_imag: f64,
    pub ints: *const i64,
    pub values: *const litz_value,
    pub floats: *const f64,
    pub n: usize,
    pub s: *const c_char,
    pub subgraph: *const litz_graph,
    pub subgraphs: *const *const litz_graph,
    pub reserved: [u64; 3],
}

#[repr(C)]
#[derive(Debug)]
pub struct litz_tensor_spec {
    pub struct_size: usize,
    pub dtype: DLDataType,
    pub device: DLDevice,
    pub ndim: i32,
    pub requires_grad: i32,
    pub shape: *const i64,
    pub symbols: *const litz_value,
    pub strides: *const i64,
}

pub type litz_release_fn = unsafe extern "C" fn(*mut c_void);
pub type litz_operator_meta_fn = unsafe extern "C" fn(
    *mut c_void,
    *mut litz_graph,
    *const litz_arg,
    usize,
    *mut litz_meta,
    *mut *mut litz_error,
) -> i32;
pub type litz_operator_run_fn = unsafe extern "C" fn(
    *mut c_void,
    *const litz_arg,
    usize,
    *const *const DLTensor,
    usize,
    *const *const DLTensor,
    usize,
    *mut c_void,
    *mut *mut litz_error,
) -> i32;
pub type litz_operator_derivative_fn = unsafe extern "C" fn(
    *mut c_void,
    *mut litz_graph,
    *const litz_arg,
    usize,
    *const litz_value,
    usize,
    *mut litz_value,
    *mut *mut litz_error,
) -> i32;
pub type litz_decomposition_fn = unsafe extern "C" fn(
    *mut c_void,
    *mut litz_graph,
    *const litz_arg,
    usize,
    *mut litz_value,
    usize,
    *mut *mut litz_error,
) -> i32;

#[repr(C)]
#[derive(Debug)]
pub struct litz_operator {
    pub struct_size: usize,
    pub context: *mut c_void,
    pub release: Option<litz_release_fn>,
    pub meta: Option<litz_operator_meta_fn>,
    pub run_cpu: Option<litz_operator_run_fn>,
    pub run_cuda: Option<litz_operator_run_fn>,
    pub derivative: Option<litz_operator_derivative_fn>,
    pub pointwise_source: *const c_char,
    pub flags: u64,
    pub reserved: [u64; 7],
}

pub type litz_log_fn = unsafe extern "C" fn(*mut c_void, i32, *const c_char);
pub type litz_trace_fn = unsafe extern "C" fn(*mut c_void, *const c_char);
pub type litz_predicate_fn =
    unsafe extern "C" fn(*mut c_void, *const litz_graph, *mut i32, *mut *mut litz_error) -> i32;

macro_rules! functions {
    ($(fn $name:ident = $symbol:ident($($ty:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        /// The functions of the library, without their prefix.
        pub struct Library {
            path: PathBuf,
            $(pub $name: unsafe extern "C" fn($($ty),*) $(-> $result)?,)*
            _open: libloading::Library,
        }

        impl Library {
            fn of(path: PathBuf, open: libloading::Library) -> Result<Library, String> {
                // SAFETY: the symbols have these types, as long as `litz_check_abi` agrees, which is asked next.
                $(let $name = *unsafe {
                    open.get::<unsafe extern "C" fn($($ty),*) $(-> $result)?>(concat!(stringify!($symbol), "\0"))
                }
                .map_err(|_| format!("`{}` lacks {}", path.display(), stringify!($symbol)))?;)*
                Ok(Library { path, $($name,)* _open: open })
            }
        }

        /// Each function by its name in C, with its declaration here.
        pub const DECLARATIONS: &[(&str, &[&str], &str)] =
            &[$((stringify!($symbol), &[$(stringify!($ty)),*], stringify!($($result)?))),*];
    };
}

type Err = *mut *mut litz_error;
type Text = *mut *mut litz_string;
type Inputs = *const *const DLTensor;

functions! {
    fn check_abi = litz_check_abi(u32, Err) -> i32;
    fn version = litz_version() -> *const c_char;
    fn error_new = litz_error_new(i32, *const c_char) -> *mut litz_error;
    fn error_message = litz_error_message(*const litz_error) -> *const c_char;
    fn error_detail = litz_error_detail(*const litz_error) -> *const c_char;
    fn error_release = litz_error_release(*mut litz_error);
    fn string_data = litz_string_data(*const litz_string) -> *const c_char;
    fn string_size = litz_string_size(*const litz_string) -> usize;
    fn string_release = litz_string_release(*mut litz_string);
    fn options_new = litz_options_new(*mut *mut litz_options, Err) -> i32;
    fn options_set = litz_options_set(*mut litz_options, *const c_char, *const c_char, Err) -> i32;
    fn options_get = litz_options_get(*const litz_options, *const c_char, Text, Err) -> i32;
    fn options_json = litz_options_json(*const litz_options, Text, Err) -> i32;
    fn machine_describe = litz_machine_describe(*const litz_options, Text, Err) -> i32;
    fn cache_describe = litz_cache_describe(*const litz_options, Text, Err) -> i32;
    fn cache_prune = litz_cache_prune(*const litz_options, u64, Text, Err) -> i32;
    fn options_list = litz_options_list(Text, Err) -> i32;
    fn options_cancel = litz_options_cancel(*const litz_options, Err) -> i32;
    fn options_set_log = litz_options_set_log(*mut litz_options, i32, Option<litz_log_fn>, *mut c_void, Err) -> i32;
    fn options_set_trace = litz_options_set_trace(*mut litz_options, Option<litz_trace_fn>, *mut c_void, Err) -> i32;
    fn options_release = litz_options_release(*mut litz_options);
    fn backends = litz_backends(*const *const c_char, usize, Text, Err) -> i32;
    fn counters = litz_counters(Text, Err) -> i32;
    fn reset = litz_reset(Err) -> i32;
    fn graph_from_pt2 = litz_graph_from_pt2(*const c_char, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_from_pt2_memory = litz_graph_from_pt2_memory(*const c_void, usize, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_from_onnx = litz_graph_from_onnx(*const c_char, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_from_export_json = litz_graph_from_export_json(*const c_char, usize, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_from_text = litz_graph_from_text(*const c_char, usize, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_from_repro_with = litz_graph_from_repro_with(*const c_char, *mut litz_registry, *mut *mut litz_graph, *mut *mut litz_options, Err) -> i32;
    fn graph_from_repro = litz_graph_from_repro(*const c_char, *mut *mut litz_graph, *mut *mut litz_options, Err) -> i32;
    fn graph_new = litz_graph_new(*const c_char, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_symbol = litz_graph_symbol(*mut litz_graph, *const c_char, i64, i64, i64, *mut litz_value, Err) -> i32;
    fn graph_scalar_input = litz_graph_scalar_input(*mut litz_graph, *const c_char, i32, i64, i64, *mut litz_value, Err) -> i32;
    fn graph_input = litz_graph_input(*mut litz_graph, *const c_char, *const litz_tensor_spec, *mut litz_value, Err) -> i32;
    fn graph_constant = litz_graph_constant(*mut litz_graph, *const c_char, i32, i32, *const DLTensor, *mut litz_value, Err) -> i32;
    fn graph_weight = litz_graph_weight(*mut litz_graph, *const litz_weights, *const c_char, *const c_char, i32, *mut litz_value, Err) -> i32;
    fn graph_call = litz_graph_call(*mut litz_graph, *const c_char, *const litz_arg, usize, *mut litz_value, usize, *mut usize, Err) -> i32;
    fn graph_output = litz_graph_output(*mut litz_graph, *const c_char, litz_value, Err) -> i32;
    fn graph_find = litz_graph_find(*const litz_graph, *const c_char, *mut litz_value, Err) -> i32;
    fn graph_value_describe = litz_graph_value_describe(*const litz_graph, litz_value, Text, Err) -> i32;
    fn graph_differentiate = litz_graph_differentiate(*mut litz_graph, *const litz_value, *const litz_value, usize, *const litz_value, usize, *mut litz_value, Err) -> i32;
    fn graph_nodes = litz_graph_nodes(*const litz_graph, *mut litz_node, usize, *mut usize, Err) -> i32;
    fn graph_disable_fusion = litz_graph_disable_fusion(*mut litz_graph, *const litz_node, usize, Err) -> i32;
    fn graph_optimizer_step = litz_graph_optimizer_step(*mut litz_graph, *const c_char, *const litz_value, *const litz_value, usize, *const litz_arg, usize, Err) -> i32;
    fn graph_from_export_json_with_weights = litz_graph_from_export_json_with_weights(*const c_char, usize, *const litz_weights, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn graph_from_onnx_memory = litz_graph_from_onnx_memory(*const c_void, usize, *const c_char, *const litz_options, *mut *mut litz_graph, Err) -> i32;
    fn weights_open = litz_weights_open(*const c_char, *mut *mut litz_weights, Err) -> i32;
    fn weights_describe = litz_weights_describe(*const litz_weights, Text, Err) -> i32;
    fn weights_alias = litz_weights_alias(*mut litz_weights, *const c_char, *const c_char, Err) -> i32;
    fn weights_release = litz_weights_release(*mut litz_weights);
    fn registry_new = litz_registry_new(*mut *mut litz_registry, Err) -> i32;
    fn registry_add_operator = litz_registry_add_operator(*mut litz_registry, *const c_char, *const litz_operator, Err) -> i32;
    fn registry_add_operator_source = litz_registry_add_operator_source(*mut litz_registry, *const c_char, *const c_char, *const c_char, *const c_char, Err) -> i32;
    fn registry_add_decomposition = litz_registry_add_decomposition(*mut litz_registry, *const c_char, litz_decomposition_fn, *mut c_void, Err) -> i32;
    fn registry_add_cleanup = litz_registry_add_cleanup(*mut litz_registry, litz_release_fn, *mut c_void, Err) -> i32;
    fn registry_describe = litz_registry_describe(*const litz_registry, Text, Err) -> i32;
    fn registry_release = litz_registry_release(*mut litz_registry);
    fn options_set_registry = litz_options_set_registry(*mut litz_options, *mut litz_registry, Err) -> i32;
    fn meta_output = litz_meta_output(*mut litz_meta, usize, *const litz_tensor_spec, Err) -> i32;
    fn executable_save_checkpoint = litz_executable_save_checkpoint(*const litz_executable, *const c_char, u64, u64, Err) -> i32;
    fn executable_load_checkpoint = litz_executable_load_checkpoint(*mut litz_executable, *const c_char, *mut u64, *mut u64, Err) -> i32;
    fn graph_to_text = litz_graph_to_text(*const litz_graph, Text, Err) -> i32;
    fn graph_describe = litz_graph_describe(*const litz_graph, Text, Err) -> i32;
    fn graph_spec = litz_graph_spec(*const litz_graph, Text, Err) -> i32;
    fn graph_draw = litz_graph_draw(*const litz_graph, *const c_char, Text, Err) -> i32;
    fn graph_save_repro = litz_graph_save_repro(*const litz_graph, *const litz_options, Inputs, usize, *const c_char, Err) -> i32;
    fn graph_release = litz_graph_release(*mut litz_graph);
    fn compile = litz_compile(*const litz_graph, *const litz_options, *mut *mut litz_executable, Err) -> i32;
    fn compile_artifact = litz_compile_artifact(*const litz_graph, *const litz_options, *const c_char, Err) -> i32;
    fn executable_save = litz_executable_save(*const litz_executable, *const c_char, Err) -> i32;
    fn executable_open = litz_executable_open(*const c_char, *const litz_options, *mut *mut litz_executable, Err) -> i32;
    fn executable_clone = litz_executable_clone(*const litz_executable, *mut *mut litz_executable, Err) -> i32;
    fn executable_cancel = litz_executable_cancel(*const litz_executable, Err) -> i32;
    fn executable_describe = litz_executable_describe(*const litz_executable, Text, Err) -> i32;
    fn executable_spec = litz_executable_spec(*const litz_executable, Text, Err) -> i32;
    fn executable_draw = litz_executable_draw(*const litz_executable, *const c_char, Text, Err) -> i32;
    fn executable_report = litz_executable_report(*const litz_executable, Text, Err) -> i32;
    fn executable_num_inputs = litz_executable_num_inputs(*const litz_executable) -> usize;
    fn executable_num_outputs = litz_executable_num_outputs(*const litz_executable) -> usize;
    fn executable_num_constants = litz_executable_num_constants(*const litz_executable) -> usize;
    fn executable_info = litz_executable_info(*const litz_executable, i32, usize, *mut litz_tensor_info, Err) -> i32;
    fn executable_infer_outputs = litz_executable_infer_outputs(*const litz_executable, Inputs, usize, *mut DLTensor, usize, Err) -> i32;
    fn executable_run = litz_executable_run(*const litz_executable, Inputs, usize, *mut *mut DLManagedTensorVersioned, usize, *const litz_run_options, Err) -> i32;
    fn executable_run_into = litz_executable_run_into(*const litz_executable, Inputs, usize, Inputs, usize, *const litz_run_options, Err) -> i32;
    fn executable_constant = litz_executable_constant(*const litz_executable, *const c_char, *mut *mut DLManagedTensorVersioned, Err) -> i32;
    fn executable_update_constants = litz_executable_update_constants(*mut litz_executable, *const *const c_char, Inputs, usize, Err) -> i32;
    fn executable_save_constants = litz_executable_save_constants(*const litz_executable, *const c_char, Err) -> i32;
    fn executable_load_constants = litz_executable_load_constants(*mut litz_executable, *const c_char, Err) -> i32;
    fn executable_synchronize = litz_executable_synchronize(*const litz_executable, Err) -> i32;
    fn executable_release = litz_executable_release(*mut litz_executable);
    fn tensor_release = litz_tensor_release(*mut DLManagedTensorVersioned);
    fn repro_inputs = litz_repro_inputs(*const c_char, *const litz_options, *mut *mut DLManagedTensorVersioned, usize, *mut usize, Err) -> i32;
    fn minify = litz_minify(*const litz_graph, litz_predicate_fn, *mut c_void, *mut *mut litz_graph, Err) -> i32;
    fn predicate_new = litz_predicate_new(*const c_char, *const litz_options, Inputs, usize, *mut *mut litz_predicate, Err) -> i32;
    fn predicate_holds = litz_predicate_holds(*mut c_void, *const litz_graph, *mut i32, Err) -> i32;
    fn predicate_release = litz_predicate_release(*mut litz_predicate);
}

impl Library {
    /// The file that was opened.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }
}

/// The library, opened when it is first asked for.
pub fn library() -> Result<&'static Library, Error> {
    static LIBRARY: OnceLock<Result<Library, Error>> = OnceLock::new();
    LIBRARY.get_or_init(open).as_ref().map_err(Clone::clone)
}

/// The name that the loader knows: with the ABI's major version.
const SONAME: &str = "liblitz.so.0";

/// Where the library is looked for, in order.
fn candidates() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("LITZ_LIBRARY").filter(|v| !v.is_empty()) {
        return vec![named.into()];
    }
    let mut found = Vec::new();
    let program = std::env::current_exe().and_then(|p| p.canonicalize());
    if let Some(folder) = program.ok().as_deref().and_then(|p| p.parent()) {
        let multiarch = format!("../lib/{}-linux-gnu", std::env::consts::ARCH);
        for place in [".", "../lib", "../lib64", &multiarch] {
            for name in [SONAME, "liblitz.so"] {
                let path = folder.join(place).join(name);
                if path.exists() {
                    found.push(path);
                }
            }
        }
    }
    found.push(SONAME.into());
    found
}

fn open() -> Result<Library, Error> {
    let mut failures = Vec::new();
    for path in candidates() {
        // SAFETY: loading runs the library's constructors, of which it has none that need anything.
        match unsafe { libloading::Library::new(&path) } {
            Ok(open) => {
                let library = Library::of(path, open).map_err(|e| Error::new(Status::ABI, e))?;
                return agrees(library);
            }
            // The loader's own words, which may begin with the path, are the error's source.
            Err(error) => {
                let (path, said) = (path.display().to_string(), std::error::Error::source(&error));
                let said = said.map_or_else(|| error.to_string(), ToString::to_string);
                failures.push(if said.starts_with(&path) { said } else { format!("{path}: {said}") });
            }
        }
    }
    let message = format!(
        "Litz's library cannot be opened ({}); install it, or name its file in the environment's LITZ_LIBRARY",
        failures.join("; ")
    );
    Err(Error::new(Status::IO, message))
}

/// Whether the library understands these declarations.
fn agrees(library: Library) -> Result<Library, Error> {
    let mut error = std::ptr::null_mut();
    // SAFETY: the function takes a number and a place for an error, which is then ours.
    unsafe {
        let status = (library.check_abi)(LITZ_ABI_VERSION, &mut error);
        if status == 0 {
            return Ok(library);
        }
        let message = crate::error::text((library.error_message)(error));
        (library.error_release)(error);
        Err(Error::new(Status(status), message))
    }
}
