//! A process of its own for what may crash: a small program that loads this library, compiles the graph of a folder and runs
//! it.
//!
//! Invariant: an error that the library reports is no crash; a signal is one.
//!
//! Deliberately absent: what is in the folder.

use super::process::{Invocation, run_within};
use super::scratch::{self, Folder};
use super::toolchain::{Search, Toolchain, ToolchainError};
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With results, or with an error that was reported.
    Well,
    /// By a signal, which is named.
    Killed(String),
    TooLate,
}

/// The program, compiled.
pub struct Child {
    folder: Folder,
    program: PathBuf,
    library: PathBuf,
}

/// Plain C that is C++, too; it includes nothing, as generated code does.
const SOURCE: &str = r#"
typedef int status;
typedef unsigned long size;
extern "C" void *dlopen(const char *, int);
extern "C" void *dlsym(void *, const char *);
template <class F> static F *found(void *library, const char *name) { return (F *)dlsym(library, name); }
int main(int argc, char **argv) {
    void *library = argc == 3 ? dlopen(argv[1], 2) : nullptr;
    void *graph = nullptr, *options = nullptr, *program = nullptr, *none[1024] = {}, *inputs[1024] = {};
    const void *given[1024];
    size n = 0;
    if (!library) return 77;
    auto read = found<status(const char *, void **, void **, void **)>(library, "litz_graph_from_repro");
    auto compile = found<status(const void *, const void *, void **, void **)>(library, "litz_compile");
    auto kept = found<status(const char *, const void *, void **, size, size *, void **)>(library, "litz_repro_inputs");
    auto count = found<size(const void *)>(library, "litz_executable_num_outputs");
    auto run = found<status(const void *, const void *const *, size, void **, size, const void *, void **)>(library, "litz_executable_run");
    if (!read || !compile || !kept || !count || !run) return 77;
    if (read(argv[2], &graph, &options, nullptr) || compile(graph, options, &program, nullptr)) return 1;
    if (kept(argv[2], options, inputs, 1024, &n, nullptr) || count(program) > 1024) return 1;
    // DLManagedTensorVersioned: version, context, deleter and flags stand before the tensor.
    for (size k = 0; k < n; k++) given[k] = (const char *)inputs[k] + 32;
    return run(program, given, n, none, count(program), nullptr, nullptr) ? 1 : 0;
}
"#;

/// The program's status where the library cannot be loaded.
const UNLOADED: &str = "exit status: 77";

impl Child {
    /// Compiles it by a C++ compiler.
    pub fn new(search: &Search) -> Result<Child, ToolchainError> {
        let failed =
            |what: &str, output: String| ToolchainError::Io { what: what.to_string(), reason: output };
        let toolchain = Toolchain::find(search)?;
        let library = own_file()
            .ok_or_else(|| failed("find this library's file", "the loader does not say it".into()))?;
        let folder = Folder::new()?;
        let source = scratch::write(folder.path(), "child.cpp", SOURCE.as_bytes())?;
        let program = folder.path().join("child");
        let invocation = Invocation {
            program: toolchain.name().into(),
            args: vec!["-std=c++17".into(), "-o".into(), (&program).into(), source.into(), "-ldl".into()],
            folder: folder.path().to_owned(),
        };
        let finished = run_within(&invocation, Duration::from_secs(120));
        match finished.map_err(|e| failed("start the C++ compiler", e.to_string()))? {
            Some(finished) if finished.success => Ok(Child { folder, program, library }),
            Some(finished) => Err(failed("compile the program that a child runs", finished.text)),
            None => Err(failed("compile the program that a child runs", "it took too long".into())),
        }
    }

    /// A place for files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles and runs what a folder holds.
    pub fn run(&self, repro: &Path, limit: Duration) -> Result<Ended, ToolchainError> {
        let failed = |reason: String| ToolchainError::Io {
            what: "run a graph in a process of its own".into(),
            reason,
        };
        let invocation = Invocation {
            program: self.program.clone(),
            args: vec![(&self.library).into(), repro.into()],
            folder: self.folder.path().to_owned(),
        };
        match run_within(&invocation, limit).map_err(|e| failed(e.to_string()))? {
            None => Ok(Ended::TooLate),
            Some(finished) if finished.outcome.starts_with(UNLOADED) => {
                Err(failed(format!("`{}` is no library that can be loaded", self.library.display())))
            }
            Some(finished) if finished.success || !finished.outcome.contains("signal") => Ok(Ended::Well),
            Some(finished) => Ok(Ended::Killed(finished.outcome)),
        }
    }
}

/// The file that this code was loaded from.
fn own_file() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is one of this code, and the call fills the struct where it gives a number that is not 0.
    unsafe {
        if libc::dladdr(own_file as *const libc::c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        let name = info.assume_init().dli_fname;
        if name.is_null() {
            return None;
        }
        std::path::absolute(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())).ok()
    }
}
