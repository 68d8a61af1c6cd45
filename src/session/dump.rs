//! What `debug.dump` writes: a folder for each compilation, named by the graph and the first number that is free, with the
//! text after every stage, the sources, the options, and inputs of runs where `debug.save_inputs` asks for them.
//!
//! Invariant: [`FILES`] lists what is written; `docs/trace.md` is made of it.

use super::{Options, SessionError};
use crate::base::file;
use crate::kernels::{self, Kernel};
use crate::loops::{self, Program};
use crate::schedule::{self, Group, Schedule};
use crate::target::Target;
use std::path::{Path, PathBuf};

/// Every file, as the document names it, and what it is.
pub const FILES: [(&str, &str); 18] = [
    ("options.json", "Every option with its effective value and where that comes from."),
    ("graph.litz", "The graph as it was given. Data of more than 64 bytes is left out, here and below."),
    ("functionalized.litz", "The graph without mutation."),
    (
        "joint.litz",
        "Of a training program: the graph with its gradients, after every pass, before it is divided. Both halves have folders of their own.",
    ),
    ("decomposed.litz", "The graph of simpler operators."),
    ("passes.litz", "The graph after every pass."),
    ("loops.txt", "The loop program that the graph was lowered to, with its accesses proved."),
    ("loops_<target>.txt", "The loop program after the passes for one target."),
    (
        "groups_<target>.txt",
        "For each instruction set or GPU: the scheduled loop program, the groups that its nodes fused into, and where buffers lie.",
    ),
    ("kernels_<target>.txt", "The kernels that groups were mapped to, as data."),
    (
        "kernels<n>.cpp",
        "The sources for a CPU; `kernels_<isa>_<n>.cpp` where there are several instruction sets.",
    ),
    ("kernels<n>.cu", "The sources for a GPU."),
    ("program.json", "The program as `litz_executable_describe` gives it."),
    ("program.s", "The assembly that an artifact is made from."),
    ("plan.bin", "The plan that an artifact holds."),
    (
        "plan<n>.bin",
        "Plans of its other forms: for further instruction sets, and for inputs that share memory.",
    ),
    ("kernels<n>.cubin", "The code for a GPU that an artifact holds."),
    ("inputs<n>.safetensors", "The inputs of run `n`, by name, with `debug.save_inputs`."),
];

/// Folders of one name that are tried.
const MOST: usize = 1_000_000;
/// Characters of a graph's name that a folder has.
const LONGEST: usize = 60;

/// A new folder for a compilation.
pub fn folder(root: &Path, graph: &str) -> Result<PathBuf, SessionError> {
    let io = |path: &Path, e: std::io::Error| SessionError::Io {
        what: format!("make the folder `{}`", path.display()),
        reason: e.to_string(),
    };
    match std::fs::create_dir(root) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(io(root, e)),
        _ => {}
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let name: String = graph.chars().map(plain).take(LONGEST).collect();
    for k in 0..MOST {
        let path = root.join(format!("{name}_{k}"));
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(io(&path, e)),
        }
    }
    Err(io(root, std::io::ErrorKind::AlreadyExists.into()))
}

pub fn without_folder() -> SessionError {
    SessionError::invalid(
        "option `debug.save_inputs` is true, but `debug.dump`, which says where, is not set",
    )
}

impl Options {
    /// The options of a program that is opened, whose runs are kept in a folder of their own.
    pub(super) fn of_opened(&self, name: &str) -> Result<Options, SessionError> {
        let root = self.dump.as_deref().ok_or_else(without_folder)?;
        let mut own = self.clone();
        own.dump = Some(folder(root, name)?);
        Ok(own)
    }
    /// Where the inputs of runs are kept, if they are.
    pub(super) fn kept_inputs(&self) -> Option<PathBuf> {
        self.dump.clone().filter(|_| self.save_inputs)
    }
    /// What fused, and where buffers lie, behind the program as it is scheduled.
    pub(super) fn dump_groups(
        &self,
        program: &Program,
        schedule: &Schedule,
        target: &Target,
    ) -> Result<(), SessionError> {
        self.dump_text(&format!("groups_{}.txt", target.name()), || {
            loops::text::text(program) + &schedule::text::groups(program, schedule)
        })
    }
    /// Writes a text where the compilation is dumped.
    pub(super) fn dump_text(&self, name: &str, text: impl FnOnce() -> String) -> Result<(), SessionError> {
        let Some(folder) = &self.dump else { return Ok(()) };
        let path = folder.join(name);
        file::write(&path, text().as_bytes()).map_err(|e| SessionError::Io {
            what: format!("write `{}`", path.display()),
            reason: e.to_string(),
        })
    }
}

/// The text of a target's kernels, where a compilation is dumped.
pub(super) struct DumpedKernels<'o> {
    options: &'o Options,
    file: String,
    text: String,
}

impl<'o> DumpedKernels<'o> {
    /// None where the compilation is not dumped.
    pub(super) fn new(options: &'o Options, target: &Target) -> Option<Self> {
        let file = format!("kernels_{}.txt", target.name());
        options.dump.is_some().then(|| DumpedKernels { options, file, text: String::new() })
    }
    pub(super) fn add(&mut self, program: &Program, kind: &str, group: &Group, kernel: &Kernel) {
        let buffers: Vec<String> = kernel.buffers.iter().map(|b| b.buffer.to_string()).collect();
        self.text += &format!("# {kind} ({}) of {}\n", group.operators.text(), buffers.join(", "));
        self.text += &kernels::text::text(&program.syms, kernel);
        self.text.push('\n');
    }
    pub(super) fn write(self) -> Result<(), SessionError> {
        self.options.dump_text(&self.file, || self.text)
    }
}
