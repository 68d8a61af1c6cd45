//! The cache on disk as hosts meet it: processes that compile one graph after another, at once, and with a cache that is
//! damaged, foreign or cannot be written to. The store itself is tested where it stands (`src/device/cache.rs`).

mod common;

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

struct Bench {
    folder: tempfile::TempDir,
    program: PathBuf,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let program = common::c_build(folder.path(), &libraries, "cache_host.c", &[]);
    Bench { folder, program }
}

impl Bench {
    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }
    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.env_remove("XDG_CACHE_HOME").env("HOME", self.folder.path().join("home"));
        command.arg(format!("cache.dir={}", self.cache().display())).args(options);
        command
    }
    /// What a process that compiles says.
    fn says(&self, options: &[&str]) -> String {
        let said = common::run(&mut self.command(options));
        let known = |l: &str| l.starts_with("cache") || l.starts_with("log: ") || l == "all right";
        // Nothing but the host itself prints.
        assert!(said.contains("all right") && said.lines().all(known), "{said}");
        said
    }
    fn gives(&self, options: &[&str], origin: &str) {
        let said = self.says(options);
        assert!(said.contains(&format!("cache: {origin}\n")), "wanted {origin} with {options:?}: {said}");
    }
    /// The cache's entries, and whatever else lies there.
    fn entries(&self) -> Vec<PathBuf> {
        let listing = std::fs::read_dir(self.cache().join("v1")).expect("the cache was made");
        let mut entries: Vec<PathBuf> = listing.map(|e| e.expect("an entry").path()).collect();
        entries.sort();
        entries
    }
    /// The entry that holds kernels.
    fn kernels(&self) -> PathBuf {
        let entries = self.entries();
        let mut with = entries.into_iter().filter(|e| holds_kernels(e));
        with.next().expect("there is an entry of kernels")
    }
}

fn library(entry: &Path) -> Option<PathBuf> {
    files(entry).into_iter().find(|f| f.extension().is_some_and(|e| e == "so"))
}

fn holds_kernels(entry: &Path) -> bool {
    library(entry).is_some()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("a file").path()).collect()
}

#[test]
fn what_was_compiled_is_found_by_the_next_process() {
    let bench = bench();
    bench.gives(&["cache.enabled=false"], "none");
    assert!(!bench.cache().exists(), "a cache that is off writes nothing");
    bench.gives(&[], "miss");
    let mode = std::fs::metadata(bench.cache()).expect("the cache").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    bench.gives(&[], "hit");
    bench.gives(&["cache.enabled=false"], "none");
    // What shapes the code is another entry; what does not is the same.
    bench.gives(&["cpp.optimization=1"], "miss");
    bench.gives(&["cpu.isa=scalar"], "miss");
    bench.gives(&["cpp.timeout=100"], "hit");
    bench.gives(&["cpu.isa=scalar"], "hit");
}

#[test]
fn levels_keys_and_fresh_compilations_are_told() {
    let bench = bench();
    let told = |options: &[&str], what: &str| -> Vec<String> {
        let prefix = format!("{what}: ");
        bench.says(options).lines().filter_map(|l| Some(l.strip_prefix(&prefix)?.to_string())).collect()
    };
    assert_eq!(told(&["again"], "cache_level"), ["null", "memory"]);
    assert_eq!(told(&["again"], "cache_level"), ["disk", "memory"]);
    assert_eq!(told(&["reset"], "cache_level"), ["disk", "disk"]);
    assert_eq!(told(&["cache.memory_bytes=0", "again"], "cache_level"), ["disk", "disk"]);
    assert_eq!(told(&["cache.enabled=false", "again"], "cache_level"), ["null", "null"]);
    assert_eq!(told(&["cache.enabled=false"], "cache_key"), ["null"]);
    let keys = told(&["again"], "cache_key");
    let entry = bench.kernels();
    assert_eq!(keys, vec![entry.file_name().expect("a name").to_string_lossy().into_owned(); 2]);
    // A compilation is one entry, also where it makes kernels for several instruction sets.
    let before = bench.entries().len();
    let several = told(&["cpu.isa=scalar,avx2", "again"], "cache_level");
    assert_eq!(
        (several, bench.entries().len()),
        (vec!["null".to_string(), "memory".to_string()], before + 1)
    );
    // A fresh one asks nobody, and what it makes replaces what was there.
    let written =
        |entry: &Path| std::fs::metadata(entry.join("sums")).expect("its list").modified().expect("a time");
    let time = written(&entry);
    assert_eq!(told(&["cache.fresh=true", "again"], "cache"), ["miss", "miss"]);
    assert!(written(&entry) > time);
    assert_eq!(told(&[], "cache"), ["hit"]);
}

#[test]
fn another_compiler_is_another_entry() {
    let bench = bench();
    bench.gives(&[], "miss");
    let wrapper = bench.folder.path().join("my-g++");
    for version in ["one", "two"] {
        let answer = format!("case $1 in --version) echo version {version};; *) exec g++ \"$@\";; esac");
        std::fs::write(&wrapper, format!("#!/bin/sh\n{answer}\n")).expect("the wrapper can be written");
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).expect("its mode");
        let compiler = format!("cpp.compiler={}", wrapper.display());
        bench.gives(&[&compiler], "miss");
        bench.gives(&[&compiler], "hit");
    }
}

#[test]
fn damage_costs_time_only() {
    let bench = bench();
    bench.gives(&[], "miss");
    for file in files(&bench.kernels()) {
        let path = bench.kernels().join(file.file_name().expect("a name"));
        let mut bytes = std::fs::read(&path).expect("the file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        std::fs::write(&path, bytes).expect("the file can be damaged");
        let said = bench.says(&[]);
        assert!(said.contains("cache: miss") && said.contains("damaged"), "{}: {said}", path.display());
        bench.gives(&[], "hit");
    }
    // A library of somebody else's under the right name, truncated files, an empty folder.
    std::fs::copy(common::shared_library(), library(&bench.kernels()).expect("kernels"))
        .expect("it can be replaced");
    bench.gives(&[], "miss");
    for file in files(&bench.kernels()) {
        std::fs::write(&file, "").expect("the file can be cut");
    }
    bench.gives(&[], "miss");
    let place = bench.kernels();
    std::fs::remove_dir_all(&place).expect("it can be removed");
    std::fs::create_dir(&place).expect("an empty folder");
    bench.gives(&[], "miss");
    bench.gives(&[], "hit");
    // What is remembered of the compiler is damaged too.
    for entry in bench.entries() {
        let version = entry.join("version");
        if version.exists() {
            std::fs::write(version, "something else").expect("it can be damaged");
        }
    }
    bench.gives(&[], "hit");
}

#[test]
fn many_processes_compile_one_key_at_once() {
    let bench = bench();
    let mut keys = BTreeSet::new();
    for origin in ["", "cache: hit"] {
        let started: Vec<Child> = (0..8)
            .map(|_| bench.command(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn())
            .map(|child| child.expect("the program starts"))
            .collect();
        for child in started {
            let output = child.wait_with_output().expect("the program ends");
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && said.contains("all right") && said.contains(origin),
                "{output:?}"
            );
            let key = said.lines().find_map(|line| line.strip_prefix("cache_key: "));
            keys.insert(key.expect("each process says its key").to_string());
        }
    }
    let left = bench.entries();
    let name = |entry: &PathBuf| entry.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(left.iter().all(|entry| !name(entry).starts_with('.')), "{left:?}");
    let with_kernels: BTreeSet<String> = left.iter().filter(|entry| holds_kernels(entry)).map(name).collect();
    assert_eq!(with_kernels, keys, "{left:?}");
    // Where a busy machine does not start the first compiler, a process takes the next; each is another key.
    let compilers = left.iter().filter(|entry| entry.join("version").exists()).count();
    assert_eq!(keys.len(), compilers.max(1), "{left:?}");
}

#[test]
fn a_cache_that_cannot_be_used_is_said_and_left_out() {
    let bench = bench();
    std::fs::write(bench.cache(), "a file").expect("the file can be written");
    let said = bench.says(&[]);
    assert!(
        said.contains("cache: miss") && said.contains("log: ") && said.contains("without a cache on disk"),
        "{said}"
    );
    // The process has its memory all the same.
    let said = bench.says(&["again"]);
    assert!(said.contains("cache_level: memory"), "{said}");
    let said = bench.says(&["cache.memory_bytes=0", "again"]);
    assert_eq!(said.matches("cache: none").count(), 2, "{said}");
    std::fs::remove_file(bench.cache()).expect("the file can be removed");
    // Others could put their code there.
    std::fs::create_dir(bench.cache()).expect("a folder");
    std::fs::set_permissions(bench.cache(), std::fs::Permissions::from_mode(0o777)).expect("its mode");
    let said = bench.says(&[]);
    assert!(said.contains("cache: miss") && said.contains("others may write"), "{said}");
}

#[test]
fn the_usual_place_and_the_bound() {
    let bench = bench();
    let run = |options: &[&str], xdg: Option<&Path>| {
        let mut command = Command::new(&bench.program);
        command.env("HOME", bench.folder.path().join("home")).env_remove("XDG_CACHE_HOME").args(options);
        if let Some(path) = xdg {
            command.env("XDG_CACHE_HOME", path);
        }
        let said = common::run(&mut command);
        assert!(said.contains("cache: miss"), "{said}");
    };
    run(&[], None);
    assert!(bench.folder.path().join("home/.cache/litz/v1").is_dir());
    run(&[], Some(&bench.folder.path().join("xdg")));
    assert!(bench.folder.path().join("xdg/litz/v1").is_dir());
    // An entry of this graph's kernels is larger than that; nothing is kept, and nothing fails.
    bench.gives(&["cache.max_bytes=8192"], "miss");
    bench.gives(&["cache.max_bytes=8192"], "miss");
}
