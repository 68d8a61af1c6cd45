//! Faults from outside: compilers that hang, die or lie, disks that are full, folders that cannot be written to, forks,
//! panics inside of every export. What each C program holds the library to stands in `c_tests`.

mod common;

use litz::base::Status;
use litz::frontend::pt2;
use litz::meta::text::parse;
use litz::session::{self, Options};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn host(source: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (out, temporary) = (folder.path().join("out"), folder.path().join("tmp"));
    for path in [&out, &temporary] {
        std::fs::create_dir(path).expect("a folder");
    }
    let libraries = common::library_folder(folder.path());
    let program = common::c_build(folder.path(), &libraries, source, &[]);
    let out = out.to_str().expect("the path is UTF-8");
    let arguments: Vec<&str> = arguments.iter().map(|a| if *a == "OUT" { out } else { *a }).collect();
    let said = common::run(Command::new(program).args(&arguments).env("TMPDIR", &temporary));
    assert!(said.contains("all right"), "{source} {arguments:?} ended early: {said}");
    for line in said.lines().filter(|line| line.starts_with("LEFT OUT")) {
        // Past the test runner, which shows nothing of a test that passes.
        let _ = writeln!(std::io::stderr(), "{source}: {line}");
    }
    let left: Vec<_> =
        std::fs::read_dir(&temporary).expect("the folder").flatten().map(|e| e.path()).collect();
    let left: Vec<_> = left.iter().filter(|p| !p.to_string_lossy().contains("cache-")).collect();
    assert!(left.is_empty(), "{source} {arguments:?} left {left:?} in the temporary folder");
}

#[test]
fn hosts_as_they_are() {
    host("hosts.c", &["OUT"]);
}

#[test]
fn hosts_with_limits() {
    host("limits.c", &["OUT"]);
}

#[test]
fn hosts_and_machines_that_do_wrong_on_the_interpreter() {
    host("faults.c", &["interpreter", "OUT"]);
}

#[test]
fn hosts_and_machines_that_do_wrong_on_the_cpu() {
    host("faults.c", &["cpu", "OUT"]);
}

/// The library's allocator has a reserve, and calls end where it is drawn on.
#[cfg(feature = "allocator")]
#[test]
fn memory_that_runs_out_ends_calls_not_the_process() {
    let model = common::root().join("tests/data/mlp.pt2");
    let model = model.to_str().expect("the path is UTF-8");
    host("shortage.c", &[model, "counted", "331"]);
    host("shortage.c", &[model, "limited", "interpreter", "256"]);
    host("shortage.c", &[model, "limited", "cpu", "16384"]);
}

#[test]
fn ten_thousand_cycles_leave_nothing() {
    host("cycles.c", &["interpreter", "10000"]);
}

#[test]
fn cycles_with_loaded_kernels_leave_nothing() {
    host("cycles.c", &["cpu", "1000"]);
}

#[test]
fn many_threads_on_the_interpreter() {
    host("threads.c", &["interpreter", "50"]);
}

#[test]
fn many_threads_on_the_cpu() {
    host("threads.c", &["cpu", "50"]);
}

const PROGRAM: &str =
    "graph \"relu\" {\n  input %0 \"x\": float32[4]\n  %1 = aten.relu.default(%0)\n  output \"y\" = %1\n}\n";

/// Compiles with a program that stands for the compiler; gives status and message.
fn compile_with(folder: &Path, script: &str, set: &[(&str, &str)]) -> (Status, String, Option<String>) {
    let compiler = folder.join("g++");
    std::fs::write(&compiler, format!("#!/bin/sh\n{script}\n")).expect("the script can be written");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let mut options = Options::new();
    let compiler = compiler.to_str().expect("the path is UTF-8");
    for (key, value) in
        [("backend", "cpu"), ("cache.enabled", "false"), ("cpp.compiler", compiler)].iter().chain(set)
    {
        options.set(key, value).expect("the option");
    }
    let graph = parse(PROGRAM).expect("the program");
    match session::compile(&graph, &options) {
        Ok(_) => (Status::Ok, String::new(), None),
        Err(e) => (e.status(), e.to_string(), e.output().map(str::to_string)),
    }
}

/// What makes the scripts pass for a compiler: they answer questions, and fail at the work.
fn works_until(work: &str) -> String {
    format!("case \"$*\" in *kernels*) {work};; *) exec g++ \"$@\";; esac")
}

#[test]
fn compilers_that_hang_die_or_lie() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pid = folder.path().join("pid");
    let start = Instant::now();
    let hang = works_until(&format!("sleep 100 & echo $! > {}; wait", pid.display()));
    let (status, message, _) = compile_with(folder.path(), &hang, &[("cpp.timeout", "0.5")]);
    assert_eq!(status, Status::Toolchain, "{message}");
    assert!(message.contains("did not finish") && start.elapsed() < Duration::from_secs(30), "{message}");
    let child = std::fs::read_to_string(&pid).expect("the compiler was started");
    let lives = || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    while lives() {
        assert!(start.elapsed() < Duration::from_secs(30), "what the compiler started is stopped with it");
        std::thread::sleep(Duration::from_millis(20));
    }

    let cases = [
        ("kill -9 $$", "signal"),
        ("kill -SEGV $$", "signal"),
        ("echo it is full >&2; exit 1", "failed"),
        ("exit 0", "compiled object"), // it made nothing
        ("while [ $# -gt 0 ]; do [ \"$1\" = -o ] && echo nonsense > \"$2\"; shift; done", ""),
        ("head -c 10000000 /dev/zero | tr '\\0' x >&2; exit 1", "failed"),
    ];
    for (work, words) in cases {
        let (status, message, output) = compile_with(folder.path(), &works_until(work), &[]);
        assert!(matches!(status, Status::Toolchain | Status::Io), "{work}: {status:?} {message}");
        assert!(message.contains(words), "{work}: {message}");
        assert!(
            !work.contains("full") || output.as_deref().is_some_and(|o| o.contains("it is full")),
            "{output:?}"
        );
        assert!(output.is_none_or(|o| o.len() <= 200 << 10), "{work}: what it printed is cut");
    }
    // A compiler that never was one, by name and for auto.
    let (status, message, _) = compile_with(folder.path(), "exit 7", &[]);
    assert!(status == Status::Toolchain && message.contains("--version"), "{message}");
    let (status, message, _) = compile_with(folder.path(), "exit 7", &[("backend", "auto")]);
    assert_eq!(status, Status::Ok, "{message}");
}

/// Compiles the program to an artifact.
fn artifact(path: &Path, set: &[(&str, &str)]) {
    let mut options = Options::new();
    for (key, value) in [("backend", "cpu"), ("cache.enabled", "false")].iter().chain(set) {
        options.set(key, value).expect("the option");
    }
    session::compile_artifact(&parse(WEIGHTED).expect("the program"), &options, path).expect("it compiles");
}

/// A changed byte of the file `changed` is found when `artifact` is opened, before any of it is loaded.
fn every_change_is_found(artifact: &Path, changed: &Path) {
    let good = std::fs::read(changed).expect("the file");
    let spread = (0..good.len()).step_by(good.len().div_ceil(200));
    let ends = (0..64.min(good.len())).chain(good.len().saturating_sub(160)..good.len());
    for at in spread.chain(ends) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(changed, bytes).expect("the file can be changed");
        let opened = session::open(artifact, &Options::new());
        let Err(error) = opened else { panic!("byte {at} of {} was changed unseen", changed.display()) };
        assert_ne!(error.status(), Status::Internal, "{error}");
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the mappings");
        assert!(!maps.contains(&*artifact.to_string_lossy()), "byte {at}: it was loaded");
    }
    std::fs::write(changed, good).expect("the file can be restored");
    session::open(artifact, &Options::new()).expect("as written it is good");
}

const WEIGHTED: &str = "graph \"weighted\" {\n  input %0 \"x\": float32[4]\n  parameter %1 \"w\": float32[4] = base64 \"AACAPwAAAEAAAEBAAACAQA==\"\n  %2 = aten.mul.Tensor(%0, %1)\n  output \"y\" = %2\n}\n";

#[test]
fn any_changed_byte_of_an_artifact_is_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (inside, beside) = (folder.path().join("inside.so"), folder.path().join("beside.so"));
    artifact(&inside, &[]);
    every_change_is_found(&inside, &inside);
    artifact(&beside, &[("artifact.weights", "external")]);
    every_change_is_found(&beside, &beside);
    every_change_is_found(&beside, &folder.path().join("beside.so.weights"));
}

#[test]
fn text_that_nests_deep_is_an_error() {
    let head = "graph \"deep\" {\n  symbol s0 in [1, 64]\n  input %0 \"x\": float32[s0]\n";
    for (open, close) in
        [("[", "]"), ("(", ")"), ("(s0 + ", ")"), ("-", ""), ("floor(", ")"), ("max(1, ", ")")]
    {
        let nested = format!("{}s0{}", open.repeat(100_000), close.repeat(100_000));
        for line in [
            format!("  %1 = aten.view.default(%0, [{nested}])\n"),
            format!("  input %1 \"y\": float32[{nested}]\n"),
            format!("  guard {nested}\n"),
        ] {
            let text = format!("{head}{line}  output \"y\" = %0\n}}\n");
            assert!(parse(&text).is_err(), "{open}");
        }
    }
    assert!(parse(&"{".repeat(100_000)).is_err() && parse(&"graph ".repeat(100_000)).is_err());
}

/// Reads, compiles and runs a program over `x`; the status of what fails first.
fn outcome(backend: &str, input: &str, lines: &[&str]) -> (Status, String) {
    let last = lines.last().and_then(|l| l.split([' ', ',']).next()).expect("a line");
    let text = format!(
        "graph \"large\" {{\n  input %0 \"x\": {input}\n  {}\n  output \"y\" = {last}\n}}\n",
        lines.join("\n  ")
    );
    let graph = match parse(&text) {
        Ok(graph) => graph,
        Err(e) => return (e.status(), e.to_string()),
    };
    let mut options = Options::new();
    options.set("backend", backend).expect("the option");
    match session::compile(&graph, &options) {
        Ok(executable) => {
            let x = litz::runtime::Tensor::zeros(litz::types::Dtype::Float32, &[4]).expect("a small tensor");
            match executable.run_tensors(&[&x]) {
                Ok(_) => (Status::Ok, String::new()),
                Err(e) => (e.status, e.to_string()),
            }
        }
        Err(e) => (e.status(), e.to_string()),
    }
}

#[test]
fn sizes_that_no_memory_holds() {
    use Status::{InvalidArgument, OutOfMemory, Shape, Unsupported};
    let ones = format!("%1 = aten.view.default(%0, [4{}])", ", 1".repeat(64));
    let cases: [(Status, &str, &[&str]); 20] = [
        (Unsupported, "float32[1099511627776]", &["%1, %2 = aten.split.Tensor(%0, 1)"]),
        (Unsupported, "float32[1099511627776]", &["%1, %2 = aten.unbind.int(%0)"]),
        (Unsupported, "float32[0]", &["%1, %2 = aten.chunk.default(%0, 1099511627776)"]),
        (Unsupported, "float32[4]", &["%1, %2 = aten.tensor_split.sections(%0, 9223372036854775807)"]),
        (Unsupported, "float32[4]", &[&ones]),
        (Shape, "float32[4]", &["%1 = aten.repeat.default(%0, [4611686018427387904])"]),
        (Shape, "float32[4]", &["%1 = aten.repeat.default(%0, [1152921504606846976])"]),
        (Shape, "float32[4]", &["%1 = aten.constant_pad_nd.default(%0, [9223372036854775807, 1])"]),
        // Tensors without elements, whose strides do not fit.
        (Shape, "float32[0, 9223372036854775807, 2]", &["%1 = aten.neg.default(%0)"]),
        (Shape, "float32[4]", &["%1 = aten.zeros.default([0, 9223372036854775807, 2])"]),
        // What no number is a multiple of.
        (
            Shape,
            "float32[1, 2, 4, 8]",
            &[
                "%1 = aten.zeros.default([1, 0, 4, 8])",
                "%2 = aten.scaled_dot_product_attention.default(%0, %1, %1, enable_gqa=true)",
            ],
        ),
        (
            InvalidArgument,
            "float32[3, 3, 5, 6]",
            &["%1 = aten.conv2d.padding(%0, %0, padding=\"same\", dilation=[-9223372036854775808, 2])"],
        ),
        // As many operators as a number says.
        (Unsupported, "float32[4]", &["%1 = aten.mvlgamma.default(%0, 4611686018427387904)"]),
        (InvalidArgument, "float32[4]", &["%1 = aten.special_multigammaln.default(%0, -4294967296)"]),
        (
            Unsupported,
            "float32[4]",
            &["%1 = aten.fft_fftfreq.default(9223372036854775807, dtype=float8_e4m3fn)"],
        ),
        (OutOfMemory, "float32[4]", &["%1 = aten.repeat.default(%0, [35184372088832])"]),
        (OutOfMemory, "float32[4]", &["%1 = aten.zeros.default([35184372088832])"]),
        (OutOfMemory, "float32[4]", &["%1 = aten.eye.default(8388608)"]),
        (
            OutOfMemory,
            "float32[4]",
            &["%1 = aten.arange.default(35184372088832)", "%2 = aten.cumsum.default(%1, 0)"],
        ),
        (
            OutOfMemory,
            "float32[4]",
            &["%1 = aten.ones.default([35184372088832])", "%2, %3 = aten.sort.default(%1)"],
        ),
    ];
    for (k, (status, input, lines)) in cases.into_iter().enumerate() {
        let (got, message) = outcome("interpreter", input, lines);
        assert!(
            got == status || (lines[0].contains("%1, %2") && got != Status::Ok),
            "{lines:?}: {got:?} {message}"
        );
        if k % 3 == 2 {
            let (native, message) = outcome("cpu", input, lines);
            assert_eq!(native, got, "{lines:?}: {message}");
        }
    }
}

/// An assertion over constants is checked, though nothing reads its result.
#[test]
fn assertions_over_constants_hold() {
    let counts = "aten.repeat_interleave.Tensor(%1)";
    for (count, words) in [("-1", "must not be negative"), ("4611686018427387904", "too large to be added")] {
        let full = format!("%1 = aten.full.default([4], {count})");
        for backend in ["interpreter", "cpu"] {
            let (status, message) = outcome(backend, "float32[4]", &[&full, &format!("%2 = {counts}")]);
            assert!(
                status == Status::Assertion && message.contains(words),
                "{backend}: {status:?} {message}"
            );
            let unread =
                ["%2 = aten.ge.Scalar(%1, 5)", "%3 = aten.all.default(%2)", "%4 = aten.neg.default(%0)"];
            let asserted = "aten._assert_async.msg(%3, \"must be five or more\")";
            let lines = [&full, unread[0], unread[1], asserted, unread[2]];
            let (status, message) = outcome(backend, "float32[4]", &lines);
            let want = if count == "-1" { Status::Assertion } else { Status::Ok };
            assert_eq!(status, want, "{backend}: {message}");
        }
    }
}

/// New data of a constant that fail an assertion are refused, and the old data stay.
#[test]
fn assertions_hold_when_constants_change() {
    use litz::runtime::Tensor;
    let text = "graph \"counts\" {\n  input %0 \"x\": int64[2]\n  buffer %1 \"w\": int64[2] = [0, 0]\n  %2 = aten.ge.Scalar(%1, 0)\n  \
                %3 = aten.all.default(%2)\n  aten._assert_async.msg(%3, \"w must not be negative\")\n  \
                %4 = aten.add.Tensor(%0, %1)\n  output \"y\" = %4\n}\n";
    let numbers = |list: [i64; 2]| {
        let bytes: Vec<u8> = list.iter().flat_map(|v| v.to_ne_bytes()).collect();
        Tensor::from_bytes(litz::types::Dtype::Int64, &[2], &bytes).expect("memory")
    };
    for backend in ["interpreter", "cpu"] {
        let mut options = Options::new();
        options.set("backend", backend).expect("the option");
        let program = session::compile(&parse(text).expect("a graph"), &options).expect("it compiles");
        let sum = || program.run_tensors(&[&numbers([1, 2])]).expect("it runs")[0].bytes().to_vec();
        program.update_tensors(&[("w", &numbers([3, 4]))]).expect("the new data hold");
        assert_eq!(sum(), numbers([4, 6]).bytes(), "{backend}");
        let error = program.update_tensors(&[("w", &numbers([5, -1]))]).expect_err("a negative one");
        assert!(error.to_string().contains("w must not be negative"), "{backend}: {error}");
        assert_eq!(sum(), numbers([4, 6]).bytes(), "{backend}: the data that hold are kept");
    }
}

/// As long as real programs get, and longer: nothing recurses as deep as a program is long.
#[test]
fn long_chains_are_compiled() {
    for line in ["aten.sin.default(%", "aten.add.Scalar(%"] {
        let second = if line.contains("Scalar") { ", 1)" } else { ")" };
        let lines: Vec<String> = (0..4000).map(|k| format!("%{} = {line}{k}{second}", k + 1)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(outcome("cpu", "float32[4]", &lines), (Status::Ok, String::new()));
    }
}

#[test]
fn a_temporary_folder_that_is_not_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let program = common::c_build(folder.path(), &libraries, "cache_host.c", &[]);
    for place in ["/nonexistent", "/dev/null", "/proc"] {
        let output = Command::new(&program)
            .arg("cache.enabled=false")
            .env("TMPDIR", place)
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("gave 7") && said.contains(place), "{place}: {said}");
    }
}

/// What children of the tests below do: make an artifact at the place that they are told, and say how it ended.
#[test]
#[ignore = "a child of other tests"]
fn makes_an_artifact() {
    let place = std::env::var("LITZ_TEST_PLACE").expect("a place");
    let graph = parse(
        "graph \"g\" {\n  input %0 \"x\": float32[4]\n  %1 = aten.sin.default(%0)\n  output \"y\" = %1\n}\n",
    );
    let mut options = Options::new();
    for (key, value) in [("backend", "cpu"), ("cache.enabled", "false")] {
        options.set(key, value).expect("the option");
    }
    let graph = graph.expect("the text");
    let made = session::compile(&graph, &options)
        .and_then(|_| session::compile_artifact(&graph, &options, Path::new(&place)));
    println!("made: {}", made.err().map_or("all right".to_string(), |e| e.to_string()));
}

/// This program as such a child, started through another one.
fn child(starter: &str, arguments: &[&str], place: &Path) -> Command {
    let mut command = Command::new(starter);
    command.args(arguments).arg(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "--nocapture", "makes_an_artifact"]).env("LITZ_TEST_PLACE", place);
    command
}

/// A file system without room, or from which no code runs, is one that TMPDIR names: the message says so.
#[test]
fn a_temporary_folder_that_takes_no_kernels() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("tmp");
    std::fs::create_dir(&place).expect("a folder");
    for how in ["noexec", "size=4k", "size=64k", "nr_inodes=1", "nr_inodes=2"] {
        let script =
            format!("mount -t tmpfs -o {how} tmpfs '{}' && echo mounted && exec \"$@\"", place.display());
        let arguments = ["--map-root-user", "--mount", "sh", "-c", &script, "sh"];
        let output =
            child("unshare", &arguments, &folder.path().join("made.so")).env("TMPDIR", &place).output();
        let said = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        if !said.contains("mounted") {
            let _ = writeln!(std::io::stderr(), "LEFT OUT: no file system can be mounted here");
            return;
        }
        let ended = said.lines().find_map(|line| line.strip_prefix("made: ")).unwrap_or(&said);
        assert!(ended.contains("TMPDIR") && ended.contains(place.to_str().expect("UTF-8")), "{how}: {ended}");
    }
}

/// Nothing of a file waits to be written when it gets its name, so that no crash of the machine leaves half of it.
#[test]
fn files_are_on_the_disk_before_they_have_their_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let calls = "trace=write,pwrite64,writev,ftruncate,fsync,fdatasync,rename,renameat,renameat2";
    let place = folder.path().join("made.so");
    let output = child("strace", &["-f", "-y", "-e", calls], &place).output();
    let Ok(output) = output else {
        let _ = writeln!(std::io::stderr(), "LEFT OUT: there is no strace");
        return;
    };
    assert!(place.exists(), "{}", String::from_utf8_lossy(&output.stdout));
    let trace = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = trace.lines().collect();
    let named = lines.iter().position(|l| l.contains("rename") && l.contains("/made.so\""));
    let before = &lines[..named.expect("the file is renamed")];
    let new =
        lines[before.len()].split('"').find(|part| part.contains("/.litz-")).expect("what it was called");
    let last = before.iter().rfind(|l| l.contains(&format!("<{new}>"))).expect("what was done with it");
    assert!(last.contains("fsync(") || last.contains("fdatasync("), "{last}");
}

/// Messages about files say which, and say it once.
#[test]
fn a_message_says_a_path_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (missing, other) = (folder.path().join("missing/file"), folder.path().join("other"));
    std::fs::write(&other, [7; 500]).expect("a file");
    let graph =
        parse("graph \"g\" {\n  input %0 \"x\": float32[4]\n  output \"y\" = %0\n}\n").expect("the text");
    let mut options = Options::new();
    options.set("backend", "cpu").expect("the option");
    let mut messages = Vec::new();
    for path in [&missing, &other, &folder.path().to_owned()] {
        messages.extend(pt2::read(path).err().map(|e| (path.clone(), e.to_string())));
        messages.extend(session::open(path, &Options::new()).err().map(|e| (path.clone(), e.to_string())));
    }
    let made = session::compile_artifact(&graph, &options, &missing).unwrap_err();
    messages.push((folder.path().join("missing"), made.to_string()));
    assert_eq!(messages.len(), 7);
    for (path, message) in messages {
        assert_eq!(message.matches(path.to_str().expect("UTF-8")).count(), 1, "{message}");
    }
}
