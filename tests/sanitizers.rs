//! Hosts, the executor and generated kernels under the compilers' sanitizers and valgrind. `scripts/sanitize-*` and
//! `scripts/valgrind` run all of it; a plain test run takes the short selection.
//!
//! Three ways to look: C hosts that are instrumented themselves, with the library as it is (leaks, wrong frees, tensors
//! that are read or written beyond their memory); kernels compiled with the sanitizer by the option `cpp.flags`; and a
//! program whose executor and kernels are compiled into an instrumented host (`c_tests/bare.c`), where everything
//! that runs threads is instrumented. ThreadSanitizer takes the last alone: the locks of Rust's standard library
//! are not known to it.

mod common;

use common::programs::case;
use litz::session::{self, Options};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Sanitizer {
    /// For hosts and whatever is compiled into them.
    flags: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

// Stacks in memory from elsewhere are not as aligned as vectors of 64 bytes need them (GCC's bug 110027).
const ADDRESS: Sanitizer = Sanitizer {
    flags: &["-fsanitize=address", "-fno-omit-frame-pointer"],
    environment: &[("ASAN_OPTIONS", "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=0")],
};
const UNDEFINED: Sanitizer = Sanitizer {
    flags: &["-fsanitize=undefined", "-fno-sanitize-recover=all"],
    environment: &[("UBSAN_OPTIONS", "print_stacktrace=1")],
};
const THREAD: Sanitizer = Sanitizer {
    flags: &["-fsanitize=thread"],
    environment: &[("TSAN_OPTIONS", "halt_on_error=1:second_deadlock_stack=1")],
};

/// Random graphs that one process goes through.
const GRAPHS: usize = 8;

struct Bench {
    folder: tempfile::TempDir,
    libraries: PathBuf,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    Bench { folder, libraries }
}

fn data(name: &str) -> String {
    common::root().join("tests/data").join(name).to_str().expect("the path is UTF-8").to_string()
}

impl Bench {
    fn path(&self) -> &str {
        self.folder.path().to_str().expect("the path is UTF-8")
    }
    /// Runs what must end well and say so.
    fn run(&self, program: &Path, with: &Sanitizer, arguments: &[&str]) {
        let mut command = Command::new(program);
        command.args(arguments).envs(with.environment.iter().copied()).env("XDG_CACHE_HOME", self.path());
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if said.contains("unexpected memory mapping") {
            // ThreadSanitizer wants the addresses where it expects them; some kernels choose at random more widely.
            let mut fixed = Command::new("setarch");
            fixed.arg("-R").arg(program).args(arguments).envs(with.environment.iter().copied());
            let said = common::run(&mut fixed);
            assert!(said.contains("all right"), "{program:?} {arguments:?}: {said}");
            return;
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && printed.contains("all right"),
            "{program:?} {arguments:?}: {}\n{printed}\n{said}",
            output.status
        );
    }
    /// A host of `c_tests`, instrumented.
    fn host(&self, with: &Sanitizer, source: &str, arguments: &[&str]) {
        let program = common::c_build(self.folder.path(), &self.libraries, source, with.flags);
        self.run(&program, with, arguments);
    }
    /// A model's kernels compiled with the sanitizer and loaded into an instrumented host.
    fn kernels(&self, with: &Sanitizer, model: &str) {
        let flags = format!("cpp.flags=-g {}", with.flags.join(" "));
        let options =
            ["backend=cpu", "cache.enabled=false", "cpp.optimization=1", "cpp.strict=false", &flags];
        let model = data(model);
        let arguments: Vec<&str> = std::iter::once(model.as_str()).chain(options).collect();
        self.host(with, "model.c", &arguments);
    }
    /// Random graphs' kernels compiled with the sanitizer and loaded into an instrumented host, as many at once as there
    /// are CPUs.
    fn random_graphs(&self, with: &Sanitizer, numbers: std::ops::Range<usize>) {
        let host = common::c_build(self.folder.path(), &self.libraries, "graphs.c", with.flags);
        let flags = format!("cpp.flags=-g1 {}", with.flags.join(" "));
        let options =
            ["backend=cpu", "cache.enabled=false", "cpp.optimization=1", "cpp.strict=false", &flags, "--"];
        let next = AtomicUsize::new(numbers.start);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
                scope.spawn(|| {
                    loop {
                        let first = next.fetch_add(GRAPHS, Ordering::Relaxed);
                        let some = first..(first + GRAPHS).min(numbers.end);
                        if some.is_empty() {
                            return;
                        }
                        let write = |number: usize| {
                            let path = self.folder.path().join(format!("graph{number}.litz"));
                            std::fs::write(&path, case(number).text).expect("a text can be written");
                            path.to_str().expect("the path is UTF-8").to_string()
                        };
                        let files: Vec<String> = some.map(write).collect();
                        let arguments: Vec<&str> =
                            options.into_iter().chain(files.iter().map(String::as_str)).collect();
                        self.run(&host, with, &arguments);
                    }
                });
            }
        });
    }
    /// A model's executor and kernels compiled into a host, with many threads over it.
    fn bare(&self, with: &Sanitizer, model: &str, rounds: &str, outputs: &str, inputs: &[&str]) {
        let arguments: Vec<&str> = [rounds, outputs].into_iter().chain(inputs.iter().copied()).collect();
        self.inside(with, "bare.c", &[], model, &arguments);
    }
    /// A model's executor and kernels compiled into a host; its first argument is the file of the weights.
    fn inside(&self, with: &Sanitizer, host: &str, link: &[&str], model: &str, arguments: &[&str]) {
        let dump = self.folder.path().join("dump");
        std::fs::create_dir_all(&dump).expect("a folder");
        let weights = self.folder.path().join("weights.so");
        let graph = litz::frontend::from_pt2(Path::new(&data(model))).expect("the model can be read");
        let mut options = Options::new();
        let set = [("backend", "cpu"), ("cpu.isa", "scalar"), ("cache.enabled", "false")];
        for (key, value) in set.iter().copied().chain([("debug.dump", dump.to_str().expect("UTF-8"))]) {
            options.set(key, value).expect("the option");
        }
        session::compile_artifact(&graph, &options, &weights).expect("the model compiles");
        // The first folder is the program's; a form for inputs that overlap has one of its own.
        let mut dumps: Vec<PathBuf> =
            std::fs::read_dir(&dump).expect("the dumps").flatten().map(|e| e.path()).collect();
        dumps.sort();
        let dump = dumps[0].clone();
        let root = common::root();
        let object = |name: &str| self.folder.path().join(format!("{name}.o"));
        let mut objects = Vec::new();
        for name in ["unity", "artifact"] {
            common::run(
                Command::new(common::c_compiler())
                    .args(["-std=c11", "-O1", "-g", "-pthread", "-c"])
                    .args(with.flags)
                    .arg(root.join(format!("src/executor/{name}.c")))
                    .arg("-o")
                    .arg(object(name)),
            );
            objects.push(object(name));
        }
        let within =
            |folder: &PathBuf| std::fs::read_dir(folder).expect("a dump").flatten().map(|e| e.path());
        for (k, source) in dumps.iter().flat_map(within).enumerate() {
            if source.extension().is_some_and(|e| e == "cpp") {
                let place = object(&format!("kernels_{k}"));
                common::run(
                    Command::new(common::cxx_compiler())
                        .args(["-std=gnu++17", "-O1", "-g", "-march=x86-64", "-ffp-contract=off", "-w", "-c"])
                        .args(with.flags)
                        .arg(&source)
                        .arg("-o")
                        .arg(&place),
                );
                objects.push(place);
            }
        }
        objects.push(dump.join("program.s"));
        let program = self.folder.path().join(host.trim_end_matches(".c"));
        common::run(
            Command::new(common::c_compiler())
                .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-g", "-pthread", "-I"])
                .arg(root.join("include"))
                .args(with.flags)
                .args(link)
                .arg(root.join("c_tests").join(host))
                // The program's assembly names its plan by the file's name alone.
                .arg(format!("-Wa,-I{}", dump.display()))
                .args(&objects)
                .arg("-o")
                .arg(&program)
                .args(["-lm", "-ldl"]),
        );
        let weights = weights.to_str().expect("UTF-8");
        let arguments: Vec<&str> = std::iter::once(weights).chain(arguments.iter().copied()).collect();
        self.run(&program, with, &arguments);
    }
    /// The executor over a driver of GPUs that stands in for NVIDIA's.
    fn device(&self, with: &Sanitizer) {
        let (sources, driver) = (common::root().join("c_tests/gpu"), self.folder.path().join("libcuda.so.1"));
        let compile = || {
            let mut command = Command::new(common::c_compiler());
            command
                .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-pthread"])
                .args(with.flags);
            command
        };
        let products = self.folder.path().join("libproducts.so");
        let library = |name: &str, source: &str, to: &Path| {
            let mut command = compile();
            command.args(["-shared", "-fPIC", &format!("-Wl,-soname,{name}"), "-o"]).arg(to);
            command.arg(sources.join(source));
            command
        };
        common::run(&mut library("libcuda.so.1", "fake_driver.c", &driver));
        common::run(library("libproducts.so", "fake_products.c", &products).arg(&driver));
        let program = self.folder.path().join("device");
        common::run(
            compile()
                .args(["-Wno-unused-function", "-o"])
                .arg(&program)
                .args([&sources.join("device.c"), &driver])
                .arg(format!("-Wl,-rpath,{}", self.path()))
                .args(["-lm", "-ldl"]),
        );
        self.run(&program, with, &[products.to_str().expect("the path is UTF-8")]);
        for name in ["transforms", "factorisations"] {
            let program = self.folder.path().join(name);
            common::run(
                compile()
                    .args(["-Wno-unused-function", "-o"])
                    .arg(&program)
                    .arg(sources.join(name).with_extension("c"))
                    .args(["-lm", "-ldl"]),
            );
            // A library that lacks the functions.
            self.run(&program, with, &[driver.to_str().expect("the path is UTF-8")]);
        }
    }
    /// A host under valgrind, not instrumented.
    fn valgrind(&self, source: &str, arguments: &[&str]) {
        let program = common::c_build(self.folder.path(), &self.libraries, source, &[]);
        let said = common::run(
            Command::new("valgrind")
                .args([
                    "--quiet",
                    "--error-exitcode=9",
                    "--leak-check=full",
                    "--errors-for-leak-kinds=definite",
                ])
                .args(["--show-leak-kinds=definite", "--fair-sched=yes"])
                .arg(&program)
                .args(arguments)
                .env("XDG_CACHE_HOME", self.path()),
        );
        assert!(said.contains("all right"), "{source}: {said}");
    }
}

const MODELS: [&str; 5] =
    ["mlp.pt2", "gpt2_tiny.pt2", "resnet18_thin.pt2", "stateful_mutation.pt2", "mlp_dynamic_batch.pt2"];

fn hosts(with: &Sanitizer) {
    let bench = bench();
    bench.host(with, "graph.c", &[]);
    bench.host(with, "load.c", &[bench.path(), &data("mlp.pt2")]);
    bench.host(with, "run.c", &["interpreter", bench.path()]);
    bench.host(with, "run.c", &["cpu", bench.path()]);
    bench.host(with, "artifact.c", &[bench.path()]);
    bench.host(with, "wrapper.cpp", &["cpu"]);
    bench.host(with, "cycles.c", &["interpreter", "50"]);
    bench.host(with, "threads.c", &["interpreter", "10"]);
    bench.host(with, "threads.c", &["cpu", "10"]);
}

/// Each allocation of the executor fails in turn; nothing leaks and nothing is used that is not there.
#[test]
fn address_without_memory() {
    let wrapped = ["malloc", "calloc", "realloc", "aligned_alloc"].map(|name| format!("-Wl,--wrap={name}"));
    let wrapped: Vec<&str> = wrapped.iter().map(String::as_str).collect();
    bench().inside(&ADDRESS, "starved.c", &wrapped, "mlp_dynamic_batch.pt2", &["32"]);
}

/// Memory, graphs, streams and faults on a GPU that is not there: each call of the driver fails in turn.
#[test]
fn address_device() {
    bench().device(&ADDRESS);
}

#[test]
fn undefined_device() {
    bench().device(&UNDEFINED);
}

#[test]
fn thread_device() {
    bench().device(&THREAD);
}

#[test]
fn address_short() {
    let bench = bench();
    bench.host(&ADDRESS, "run.c", &["cpu", bench.path()]);
    bench.kernels(&ADDRESS, "gpt2_tiny.pt2");
    bench.bare(&ADDRESS, "mlp.pt2", "4", "1", &["f32:7,32"]);
    bench.random_graphs(&ADDRESS, 1000..1024);
}

#[test]
#[ignore = "minutes; scripts/sanitize-address runs it"]
fn address_long() {
    hosts(&ADDRESS);
    for model in MODELS {
        bench().kernels(&ADDRESS, model);
    }
    bench().bare(&ADDRESS, "gpt2_tiny.pt2", "4", "1", &["i64:2,16"]);
    bench().bare(&ADDRESS, "stateful_mutation.pt2", "0", "4", &["f32:6,4", "f32:6,5"]);
}

#[test]
fn undefined_short() {
    let bench = bench();
    bench.kernels(&UNDEFINED, "gpt2_tiny.pt2");
    bench.bare(&UNDEFINED, "mlp.pt2", "4", "1", &["f32:7,32"]);
}

/// What the runs over generated kernels are for: a read beside an input is seen, where nothing else would be.
#[cfg(debug_assertions)]
#[test]
#[ignore = "half a minute; scripts/sanitize-address runs it"]
fn address_finds_a_planted_read() {
    let bench = bench();
    let host = common::c_build(bench.folder.path(), &bench.libraries, "graphs.c", ADDRESS.flags);
    let text =
        "graph \"g\" {\n  input %0 \"x\": float32[5]\n  %1 = aten.relu.default(%0)\n  output \"y\" = %1\n}\n";
    let graph = bench.folder.path().join("read.litz");
    std::fs::write(&graph, text).expect("a text can be written");
    let flags = format!("cpp.flags=-g1 {}", ADDRESS.flags.join(" "));
    let run = |plant: &str, verifies: &str| {
        let mut command = Command::new(&host);
        command.arg(format!("debug.verify={verifies}"));
        command.args([
            "backend=cpu",
            "cpu.isa=scalar",
            "cache.enabled=false",
            "cpp.optimization=1",
            "cpp.strict=false",
        ]);
        command.args([&flags, "--"]).arg(&graph).envs(ADDRESS.environment.iter().copied());
        command.env("LITZ_TEST_PLANT", plant).output().expect("the program starts")
    };
    let sound = run("nothing", "true");
    assert!(sound.status.success(), "{}", String::from_utf8_lossy(&sound.stderr));
    // The verifier of kernels sees it before it runs.
    let refused = run("outside", "true");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("is not within `b0`"), "{said}");
    let found = run("outside", "false");
    let said = String::from_utf8_lossy(&found.stderr);
    let seen = said.contains("AddressSanitizer: heap-buffer-overflow") && said.contains("READ of size");
    assert!(!found.status.success() && seen, "{said}");
}

#[test]
#[ignore = "half an hour; scripts/sanitize-address runs it"]
fn address_random_graphs() {
    bench().random_graphs(&ADDRESS, 0..1000);
}

#[test]
#[ignore = "minutes; scripts/sanitize-undefined runs it"]
fn undefined_long() {
    hosts(&UNDEFINED);
    for model in MODELS {
        bench().kernels(&UNDEFINED, model);
    }
    bench().bare(&UNDEFINED, "gpt2_tiny.pt2", "4", "1", &["i64:2,16"]);
}

#[test]
fn thread_short() {
    bench().bare(&THREAD, "mlp.pt2", "50", "1", &["f32:7,32"]);
}

#[test]
#[ignore = "minutes; scripts/sanitize-thread runs it"]
fn thread_long() {
    bench().bare(&THREAD, "gpt2_tiny.pt2", "20", "1", &["i64:2,16"]);
    bench().bare(&THREAD, "resnet18_thin.pt2", "2", "1", &["f32:2,3,64,64"]);
    bench().bare(&THREAD, "mlp_dynamic_batch.pt2", "200", "1", &["f32:50,32"]);
}

/// valgrind's CPU lacks AVX-512, so code for it must be refused there: with the library, and without it.
fn code_for_a_better_cpu(bench: &Bench) {
    if litz::device::cpu::native_isa() != litz::target::Isa::Avx512 {
        return;
    }
    let artifact = bench.folder.path().join("avx512.so");
    let text = "graph \"relu\" {\n  input %0 \"x\": float32[4]\n  %1 = aten.relu.default(%0)\n  output \"z\" = %1\n}\n";
    let graph = litz::meta::text::parse(text).expect("the program");
    let mut options = Options::new();
    for (key, value) in [("backend", "cpu"), ("cpu.isa", "avx512"), ("cache.enabled", "false")] {
        options.set(key, value).expect("the option");
    }
    session::compile_artifact(&graph, &options, &artifact).expect("the model compiles");
    let host = common::c_build(bench.folder.path(), &bench.libraries, "artifact_host.c", &[]);
    let opener = common::c_build(bench.folder.path(), &bench.libraries, "opener.c", &[]);
    for program in [host, opener] {
        let output = Command::new("valgrind").arg("--quiet").arg(&program).arg(&artifact).output();
        let output = output.expect("valgrind starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && said.contains("instruction set avx512"),
            "{program:?}: {output:?}"
        );
    }
}

#[test]
fn valgrind_short() {
    let bench = bench();
    code_for_a_better_cpu(&bench);
    bench.valgrind("run.c", &["interpreter", bench.path()]);
}

#[test]
#[ignore = "minutes; scripts/valgrind runs it"]
fn valgrind_long() {
    let bench = bench();
    bench.valgrind("graph.c", &[]);
    bench.valgrind("run.c", &["cpu", bench.path()]);
    bench.valgrind("artifact.c", &[bench.path()]);
    bench.valgrind("cycles.c", &["interpreter", "3"]);
    bench.valgrind("threads.c", &["cpu", "1"]);
    bench.valgrind("model.c", &[&data("mlp.pt2"), "backend=cpu"]);
}
