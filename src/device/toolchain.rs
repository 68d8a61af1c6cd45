//! The C++ compiler: found, asked what it is, and driven: sources to objects in parallel, objects to a shared
//! library.
//!
//! A compiler is taken for one when it says that it speaks GNU C++ (`__GNUC__`), as g++ and clang++ do. The flags are ours
//! alone: `CXXFLAGS` speaks of the host's own program. No question to a compiler is waited for without end. It runs in the
//! folder of what it compiles, and is given names within that: what the folder is called does not matter, nor does the
//! host's working directory.
//!
//! Objects are kept by the caller, so that a program that was compiled in memory becomes an artifact without being
//! compiled again. Kernels are compiled without contraction of multiply and add (a source that wants it says so) and
//! without any fast-math flag: results are the source's.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::cache::{Disk, Found, Item, Key};
use super::process::{Finished, Invocation, run_within};
use super::scratch::{self, Folder};
use crate::base::{Status, cancel, shortened};
use crate::target::Isa;

/// Why there is no binary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolchainError {
    #[error(
        "no C++ compiler was found: looked for {looked}; install one (g++ or clang++) or name one with the option `cpp.compiler`"
    )]
    Missing { looked: String },
    #[error("`{compiler}` cannot be run as a C++ compiler: {reason}")]
    Unusable { compiler: String, reason: String },
    #[error("the C++ compiler `{compiler}` failed on {what} ({outcome})")]
    Failed { compiler: String, what: String, outcome: String, output: String },
    #[error("the C++ compiler `{compiler}` did not finish {what} within {seconds} s and was stopped")]
    TimedOut { compiler: String, what: String, seconds: u64 },
    #[error("{what}: {reason}")]
    Io { what: String, reason: String },
}

impl ToolchainError {
    pub fn status(&self) -> Status {
        match self {
            ToolchainError::Io { .. } => Status::Io,
            _ => Status::Toolchain,
        }
    }
    /// What the compiler printed.
    pub fn output(&self) -> Option<&str> {
        match self {
            ToolchainError::Failed { output, .. } => Some(output),
            _ => None,
        }
    }
}

/// Where to look for a compiler, in this order; the environment's values are handed in.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The option `cpp.compiler`: a path or a name. Nothing else is tried when it is given.
    pub explicit: Option<OsString>,
    /// The environment's CXX: a command, possibly with arguments.
    pub cxx: Option<OsString>,
    /// The environment's PATH.
    pub path: Option<OsString>,
    /// Where it is remembered what compilers said of themselves: asking one takes longer than a warm start may.
    pub cache: Option<Disk>,
}

/// A C++ compiler.
#[derive(Clone, Debug)]
pub struct Toolchain {
    program: PathBuf,
    /// Arguments that came with the command (`ccache g++`, `g++ -B...`).
    leading: Vec<OsString>,
    /// The first line of `--version`.
    version: String,
    /// Which file it is, as far as that can be told without running it.
    identity: String,
}

/// A compiler that does not answer a question about itself within this time is not used.
const PROBE_LIMIT: Duration = Duration::from_secs(20);

/// One source to compile.
#[derive(Clone, Debug)]
pub struct Source {
    /// A file name without its ending, of letters, digits, `_` and `-`; the object takes it.
    pub name: String,
    pub text: String,
    /// 0 to 3.
    pub optimization: u8,
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    pub isa: Isa,
    /// Tile instructions may be used.
    pub amx: bool,
    /// Warnings are errors; for the project's own tests.
    pub strict: bool,
    /// More flags, after all others.
    pub extra: Vec<OsString>,
    /// How many compilers run at once.
    pub jobs: usize,
    pub time_limit: Duration,
}

impl CompileOptions {
    pub fn new(isa: Isa) -> Self {
        CompileOptions {
            isa,
            amx: false,
            strict: cfg!(debug_assertions),
            extra: Vec::new(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            time_limit: Duration::from_secs(300),
        }
    }
}

impl Toolchain {
    /// The first compiler that answers `--version`.
    pub fn find(search: &Search) -> Result<Toolchain, ToolchainError> {
        if let Some(explicit) = &search.explicit {
            let program = locate(explicit, search.path.as_deref()).ok_or_else(|| {
                ToolchainError::Missing { looked: format!("`{}`", explicit.to_string_lossy()) }
            })?;
            return Toolchain::of(program, Vec::new(), search.cache.as_ref());
        }
        let mut looked = Vec::new();
        let mut unusable = None;
        let from_environment = search.cxx.as_ref().filter(|c| !c.is_empty()).map(|c| split_command(c));
        let usual = ["g++", "clang++", "c++"].map(|name| vec![OsString::from(name)]);
        for command in from_environment.into_iter().chain(usual) {
            let Some((program, leading)) = command.split_first() else { continue };
            looked.push(format!("`{}`", program.to_string_lossy()));
            let Some(found) = locate(program, search.path.as_deref()) else { continue };
            match Toolchain::of(found, leading.to_vec(), search.cache.as_ref()) {
                Ok(toolchain) => return Ok(toolchain),
                Err(error) => unusable = unusable.or(Some(error)),
            }
        }
        Err(unusable.unwrap_or_else(|| {
            let path = match search.path.as_deref() {
                None => "which is not set",
                Some(path) if path.is_empty() => "which is empty",
                Some(_) => "of which absolute folders count",
            };
            ToolchainError::Missing { looked: format!("{} on PATH, {path}", looked.join(", ")) }
        }))
    }

    fn of(
        program: PathBuf,
        leading: Vec<OsString>,
        cache: Option<&Disk>,
    ) -> Result<Toolchain, ToolchainError> {
        let identity = identity(&program).map_err(|e| ToolchainError::Unusable {
            compiler: program.to_string_lossy().into_owned(),
            reason: e.to_string(),
        })?;
        let same = |t: &&Toolchain| t.program == program && t.leading == leading && t.identity == identity;
        if let Some(t) = known().iter().find(same) {
            return Ok(t.clone());
        }
        let mut toolchain = Toolchain { program, leading, version: String::new(), identity };
        let cache = cache.filter(|_| toolchain.speaks_for_itself());
        let key = Key::of("compiler", [toolchain.identity.as_bytes()]);
        match cache.map(|cache| cache.load(&key)) {
            Some(Found::Entry(items)) if items.len() == 1 => {
                toolchain.version = String::from_utf8_lossy(&items[0].bytes).into_owned();
            }
            _ => {
                toolchain.version = toolchain.ask_version()?;
                let items = [Item { name: "version".into(), bytes: toolchain.version.clone().into() }];
                // A cache that cannot be written to is the affair of whoever opened it.
                let _ = cache.map(|cache| cache.store(&key, &items, false));
            }
        }
        known().push(toolchain.clone());
        Ok(toolchain)
    }

    /// Whether the file that is started decides alone what it does: a wrapper's version is that of the compiler behind
    /// it, which changes without the wrapper.
    fn speaks_for_itself(&self) -> bool {
        let Ok(resolved) = self.program.canonicalize() else { return false };
        let name = resolved.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut magic = [0; 4];
        let binary = std::fs::File::open(&resolved).and_then(|mut f| f.read_exact(&mut magic)).is_ok();
        self.leading.is_empty()
            && ["g++", "c++", "clang"].iter().any(|part| name.contains(part))
            && binary
            && &magic == b"\x7fELF"
    }

    /// The first line of what it says of itself. Also that it is a compiler of the kind that is needed is seen here, where
    /// another one may still be taken.
    fn ask_version(&self) -> Result<String, ToolchainError> {
        let folder = Folder::new()?;
        let ask = |question: &[&str]| -> Result<Finished, ToolchainError> {
            match run_within(&self.invocation(folder.path(), question), PROBE_LIMIT) {
                Ok(Some(answer)) if answer.success => Ok(answer),
                Ok(Some(answer)) => Err(self.unusable(format!(
                    "`{}` failed ({}): {}",
                    question.join(" "),
                    answer.outcome,
                    answer.text.trim()
                ))),
                Ok(None) => Err(self.unusable(format!("it does not answer `{}`", question.join(" ")))),
                Err(error) => Err(self.unusable(error.to_string())),
            }
        };
        let version = ask(&["--version"])?;
        // Its standard input is empty, so these are the macros that it defines by itself.
        let macros = ask(&["-dM", "-E", "-x", "c++", "-"])?;
        if !macros.text.contains("__GNUC__") {
            return Err(self.unusable(
                "it does not take the command line of g++ and clang++ (it defines no `__GNUC__`)",
            ));
        }
        Ok(version.text.lines().next().unwrap_or_default().trim().to_owned())
    }

    fn invocation(&self, folder: &Path, args: &[&str]) -> Invocation {
        let args = self.leading.iter().cloned().chain(args.iter().map(OsString::from)).collect();
        Invocation { program: self.program.clone(), args, folder: folder.to_owned() }
    }

    fn unusable(&self, reason: impl Into<String>) -> ToolchainError {
        ToolchainError::Unusable { compiler: self.name(), reason: reason.into() }
    }

    /// The compiler's path.
    pub fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
    /// The first line of what it says of itself.
    pub fn program(&self) -> &Path {
        &self.program
    }
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What tells this compiler from another on any machine, for a cache's key. A wrapper has nothing that does.
    pub fn release(&self) -> String {
        let own = if self.speaks_for_itself() { "" } else { &self.identity };
        format!("{:?} {:?} {own}", self.version, self.leading)
    }
    /// What else tells it from others on this machine: which file it is.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The flags that decide what code is made; a cache key must hold them.
    pub fn flags(options: &CompileOptions, optimization: u8) -> Vec<OsString> {
        let mut flags: Vec<OsString> = vec![format!("-O{}", optimization.min(3)).into()];
        let isa: &[&str] = match options.isa {
            _ if !cfg!(target_arch = "x86_64") => &[],
            Isa::Scalar => &["-march=x86-64"],
            Isa::Avx2 => &["-march=x86-64-v3"],
            Isa::Avx512 => &["-march=x86-64-v4", "-mprefer-vector-width=512"],
        };
        flags.extend(isa.iter().map(OsString::from));
        if options.amx {
            flags.extend(["-mamx-tile", "-mamx-bf16", "-mamx-int8", "-mavx512bf16"].map(OsString::from));
        }
        let fixed = [
            "-std=gnu++17",
            "-fPIC",
            "-fno-exceptions",
            "-fno-rtti",
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-trapping-math",
            "-fno-semantic-interposition",
            "-fno-asynchronous-unwind-tables",
            "-fno-stack-protector",
            "-nostdinc++",
        ];
        flags.extend(fixed.map(OsString::from));
        if options.strict {
            // Generated code need not use all that it is given.
            let warnings = [
                "-Wall",
                "-Wextra",
                "-Werror",
                "-Wno-psabi",
                "-Wno-unknown-pragmas",
                "-Wno-unused",
                "-Wno-unused-parameter",
            ];
            flags.extend(warnings.map(OsString::from));
        } else {
            flags.push("-w".into());
        }
        flags.extend(options.extra.iter().cloned());
        flags
    }

    /// Compiles every source to `<folder>/<name>.o`, several at once; the objects are in the sources' order.
    pub fn compile(
        &self,
        sources: &[Source],
        options: &CompileOptions,
        folder: &Path,
    ) -> Result<Vec<PathBuf>, ToolchainError> {
        let next = AtomicUsize::new(0);
        let first_error = Mutex::new(None);
        let lock = || first_error.lock().unwrap_or_else(|e| e.into_inner());
        let watched = cancel::watched();
        let work = || {
            let _watching = watched.clone().map(cancel::Watch::on_this_thread);
            while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                if lock().is_some() {
                    return;
                }
                if let Err(error) = self.compile_one(source, options, folder) {
                    lock().get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..options.jobs.min(sources.len()).max(1) {
                // Where the host may have no more threads, the others do it all.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        match first_error.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(error) => Err(error),
            None => Ok(sources.iter().map(|s| object_path(folder, &s.name)).collect()),
        }
    }

    fn compile_one(
        &self,
        source: &Source,
        options: &CompileOptions,
        folder: &Path,
    ) -> Result<(), ToolchainError> {
        let (text, object) = (format!("{}.cpp", source.name), format!("{}.o", source.name));
        scratch::write(folder, &text, source.text.as_bytes())?;
        let mut command = self.invocation(folder, &[]);
        command.args.extend(Toolchain::flags(options, source.optimization));
        command.args.extend(["-c", &text, "-o", &object].map(OsString::from));
        self.finish(command, &format!("the kernel source `{}`", source.name), options.time_limit)
    }

    /// Links objects into a shared library that needs libm and libc alone. All lie in one folder.
    pub fn link(
        &self,
        objects: &[PathBuf],
        library: &Path,
        time_limit: Duration,
    ) -> Result<(), ToolchainError> {
        // The driver's start files and default libraries cost as much as the link itself.
        let flags = ["-shared", "-nostartfiles", "-nodefaultlibs", "-Wl,-O0,-Bsymbolic,-z,noexecstack"];
        let mut command = self.invocation(library.parent().unwrap_or(Path::new(".")), &flags);
        command.args.extend(["-Wl,--build-id=none", "-o"].map(OsString::from));
        command.args.push(file_name(library));
        command.args.extend(objects.iter().map(|o| file_name(o)));
        command.args.extend(["-lm", "-lc"].map(OsString::from));
        self.finish(command, "linking kernels", time_limit)
    }

    /// Links an artifact: objects and one assembly file into a library that exports what `exports` (a version
    /// script) lists. All lie in one folder, where the assembly finds what it includes.
    pub fn link_artifact(
        &self,
        objects: &[PathBuf],
        assembly: &Path,
        exports: &Path,
        library: &Path,
        time_limit: Duration,
    ) -> Result<(), ToolchainError> {
        let mut script = OsString::from("-Wl,--version-script=");
        script.push(file_name(exports));
        let flags = [
            "-shared",
            "-nodefaultlibs",
            "-Wl,-Bsymbolic,-z,noexecstack,-z,relro,-z,now,-z,muldefs,--gc-sections,-s",
        ];
        let mut command = self.invocation(library.parent().unwrap_or(Path::new(".")), &flags);
        command.args.push(script);
        command.args.extend(["-Wl,--build-id=none,--as-needed", "-o"].map(OsString::from));
        command.args.extend([file_name(library), file_name(assembly)]);
        command.args.extend(objects.iter().map(|o| file_name(o)));
        command.args.extend(["-lm", "-lpthread", "-lc", "-lgcc"].map(OsString::from));
        self.finish(command, "linking the artifact", time_limit)
    }

    fn finish(&self, command: Invocation, what: &str, time_limit: Duration) -> Result<(), ToolchainError> {
        let compiler = self.name();
        match run_within(&command, time_limit) {
            Ok(Some(output)) if output.success => Ok(()),
            Ok(Some(output)) => Err(ToolchainError::Failed {
                compiler,
                what: what.into(),
                outcome: match scratch::is_full(&command.folder) {
                    true => format!(
                        "{}; the file system of `{}` is full, {}",
                        output.outcome,
                        command.folder.display(),
                        scratch::whose()
                    ),
                    false => match first_error(&output.text) {
                        Some(line) => format!("{}; {line}", output.outcome),
                        None => output.outcome,
                    },
                },
                output: output.text,
            }),
            Ok(None) => {
                Err(ToolchainError::TimedOut { compiler, what: what.into(), seconds: time_limit.as_secs() })
            }
            Err(error) => Err(ToolchainError::Unusable { compiler, reason: error.to_string() }),
        }
    }
}

/// The first line of a compiler's words that tells an error.
fn first_error(output: &str) -> Option<String> {
    let line = output.lines().find(|line| line.contains("error: "))?;
    Some(shortened(line.trim()).into_owned())
}

/// The compilers that this process has asked what they are.
fn known() -> MutexGuard<'static, Vec<Toolchain>> {
    static KNOWN: Mutex<Vec<Toolchain>> = Mutex::new(Vec::new());
    KNOWN.lock().unwrap_or_else(|e| e.into_inner())
}

/// Forgets what compilers said; they are asked again.
pub fn forget() {
    known().clear();
}

/// Path, length and times of the file that a name leads to. A change of the file changes its ctime. Its inode number says
/// nothing more, and some file systems of containers and networks give a file another one each time they meet it.
fn identity(program: &Path) -> std::io::Result<String> {
    use std::os::unix::fs::MetadataExt;
    let resolved = program.canonicalize()?;
    let m = resolved.metadata()?;
    let times = [m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec()];
    Ok(format!("{:?} {:?} {} {times:?}", program, resolved, m.len()))
}

fn file_name(path: &Path) -> OsString {
    path.file_name().unwrap_or_default().to_owned()
}

fn object_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.o"))
}

/// CXX may hold arguments; they are split at blanks, as make does.
fn split_command(command: &OsStr) -> Vec<OsString> {
    match command.to_str() {
        Some(text) => text.split_whitespace().map(OsString::from).collect(),
        None => vec![command.to_owned()],
    }
}

/// The file that a command names: as it stands where it holds a slash, otherwise the first on PATH.
fn locate(program: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    let given = Path::new(program);
    if given.components().count() > 1 {
        return std::path::absolute(given).ok().filter(|file| is_executable(file));
    }
    // An empty entry means the working directory, which anybody may have written to. It is not searched, nor are relative entries.
    let folders = std::env::split_paths(path?).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(given)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn search() -> Search {
        Search { path: std::env::var_os("PATH"), ..Search::default() }
    }

    /// A program that stands for a compiler: it says that it speaks GNU C++, and does what `body` says for the rest.
    fn script(folder: &Path, body: &str) -> OsString {
        use std::os::unix::fs::PermissionsExt;
        let file = folder.join("compiler");
        let answers = "case \"$*\" in *-dM*) echo '#define __GNUC__ 14'; exit;; esac";
        std::fs::write(&file, format!("#!/bin/sh\n{answers}\n{body}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file.into()
    }

    fn source(name: &str, text: &str) -> Source {
        Source { name: name.into(), text: text.into(), optimization: 1 }
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let nothing = Search { path: Some("/nonexistent".into()), ..Search::default() };
        let error = Toolchain::find(&nothing).unwrap_err();
        assert!(error.to_string().contains("`g++`, `clang++`, `c++` on PATH, of which"), "{error}");
        let explicit = Search { explicit: Some("/no/such/g++".into()), ..search() };
        let error = Toolchain::find(&explicit).unwrap_err();
        assert!(
            error.to_string().contains("`/no/such/g++`") && error.status() == Status::Toolchain,
            "{error}"
        );
    }

    #[test]
    fn cxx_comes_first_and_may_hold_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = script(folder.path(), "echo I am $1 $2");
        command.push(" one");
        let found = Toolchain::find(&Search { cxx: Some(command), ..search() }).unwrap();
        assert_eq!(found.version(), "I am one --version");
        let microsoft = script(folder.path(), "").into_string().unwrap();
        std::fs::write(&microsoft, "#!/bin/sh\nexit 0\n").unwrap();
        let error = Toolchain::find(&Search { explicit: Some(microsoft.into()), ..search() }).unwrap_err();
        assert!(error.to_string().contains("__GNUC__"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let unusable = script(folder.path(), "echo no >&2; exit 3");
        let error = Toolchain::find(&Search { explicit: Some(unusable), ..search() }).unwrap_err();
        assert!(
            matches!(&error, ToolchainError::Unusable { reason, .. } if reason.contains("no")),
            "{error}"
        );
    }

    #[test]
    fn failures_carry_what_the_compiler_printed() {
        let folder = tempfile::tempdir().unwrap();
        let toolchain = Toolchain::find(&search()).unwrap();
        let sources =
            [source("good", "int f() { return 1; }"), source("bad", "int f( { return unknown_name; }")];
        let error =
            toolchain.compile(&sources, &CompileOptions::new(Isa::Scalar), folder.path()).unwrap_err();
        assert!(error.to_string().contains("`bad`"), "{error}");
        assert!(error.output().unwrap().contains("bad.cpp"), "{error:?}");
        assert_eq!(error.status(), Status::Toolchain);
    }

    #[test]
    fn a_hanging_compiler_is_stopped_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let hang = script(folder.path(), "case $1 in --version) echo fake;; *) sleep 60;; esac");
        let toolchain = Toolchain::find(&Search { explicit: Some(hang), ..search() }).unwrap();
        let options =
            CompileOptions { time_limit: Duration::from_millis(200), ..CompileOptions::new(Isa::Scalar) };
        let start = Instant::now();
        let error = toolchain.compile(&[source("k", "")], &options, folder.path()).unwrap_err();
        assert!(matches!(error, ToolchainError::TimedOut { .. }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
