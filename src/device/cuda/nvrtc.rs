//! NVRTC: CUDA C++ to machine code, in the process and without a GPU.

use super::{CudaError, LibrarySearch};
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

/// The run-time compiler. It may be used by several threads at once.
#[derive(Clone, Debug)]
pub struct Nvrtc {
    path: PathBuf,
    version: String,
}

/// Names of the library's file, newest first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

impl Nvrtc {
    /// Opens the library.
    pub fn find(search: &LibrarySearch) -> Result<Nvrtc, CudaError> {
        let missing = "NVRTC (CUDA's run-time compiler)";
        let path = search.open(missing, "cuda.nvrtc", &NAMES)?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the library is open; the call writes the two numbers.
        let known =
            unsafe { sys::is_culib_present() && sys::nvrtcVersion(&mut major, &mut minor).result().is_ok() };
        if !known {
            let looked = format!("`{}`, which does not answer", path.display());
            return Err(CudaError::Missing { what: missing, looked, option: "cuda.nvrtc" });
        }
        Ok(Nvrtc { path, version: format!("{major}.{minor}") })
    }

    pub fn version(&self) -> &str {
        &self.version
    }
    /// What tells this compiler from another on any machine, for a cache's key: releases of one version differ in length.
    pub fn release(&self) -> String {
        let length = std::fs::metadata(&self.path).ok().map(|m| m.len());
        format!("{} {length:?}", self.version)
    }
    /// What else tells it from others on this machine.
    pub fn identity(&self) -> String {
        let time = std::fs::metadata(&self.path).ok().and_then(|m| m.modified().ok());
        format!("{} {time:?}", self.path.display())
    }
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The options that decide what code is made; a cache key must hold them.
    pub fn options(arch: &str) -> Vec<String> {
        // Lambdas that are templates have no place for an annotation.
        let fixed = ["--std=c++17", "--disable-warnings", "-default-device"].map(String::from);
        [format!("--gpu-architecture={arch}")].into_iter().chain(fixed).collect()
    }

    /// Compiles one program to a cubin for `arch` (`sm_90a`), or to PTX (`compute_90`), with the NUL that ends it.
    pub fn compile(&self, source: &str, arch: &str) -> Result<Vec<u8>, CudaError> {
        let failed = |outcome: String, log: String| CudaError::Compile {
            version: self.version.clone(),
            arch: arch.to_string(),
            outcome,
            log,
        };
        let text =
            CString::new(source).map_err(|_| failed("the source holds a NUL".into(), String::new()))?;
        let program = Program(
            result::create_program(&text, Some(c"litz.cu"))
                .map_err(|e| failed(e.to_string(), String::new()))?,
        );
        // SAFETY: the program was created above, and is destroyed after its last use.
        unsafe {
            if let Err(error) = result::compile_program(program.0, &Nvrtc::options(arch)) {
                let log = result::get_program_log(program.0).unwrap_or_default();
                return Err(failed(error.to_string(), text_of(&log)));
            }
            let mut size = 0;
            let error = |e: result::NvrtcError| failed(e.to_string(), String::new());
            if arch.starts_with("compute_") {
                sys::nvrtcGetPTXSize(program.0, &mut size).result().map_err(error)?;
                let mut text = vec![0u8; size];
                sys::nvrtcGetPTX(program.0, text.as_mut_ptr().cast()).result().map_err(error)?;
                return Ok(text);
            }
            sys::nvrtcGetCUBINSize(program.0, &mut size).result().map_err(error)?;
            let mut cubin = vec![0u8; size];
            sys::nvrtcGetCUBIN(program.0, cubin.as_mut_ptr().cast()).result().map_err(error)?;
            Ok(cubin)
        }
    }
}

fn text_of(log: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = log.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created by NVRTC, destroyed once.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}
