//! The cache that machines share, on a real Redis server: found by processes with other folders, sealed, bounded, and never
//! more than `cache.remote_timeout` of a compilation, whatever becomes of the server.
#![cfg(feature = "remote-cache")]

mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SECRET: &str = "cache.remote_key=a key that tests share";

/// A server of its own, which ends with this value.
struct Server {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start(more: &[&str]) -> Server {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The port is free now; nobody else asks for it in the moment until the server has it.
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
        let child = Command::new("redis-server")
            .args([
                "--port",
                &port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
            ])
            .arg(folder.path())
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("redis-server is installed: scripts/setup");
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "the server answers");
            std::thread::sleep(Duration::from_millis(20));
        }
        Server { child, port, _folder: folder }
    }
    fn url(&self) -> String {
        format!("cache.remote=redis://127.0.0.1:{}", self.port)
    }
    /// The answer to a command, as it stands on the line.
    fn ask(&self, parts: &[&[u8]]) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        let mut text = format!("*{}\r\n", parts.len()).into_bytes();
        for part in parts {
            text.extend(format!("${}\r\n", part.len()).bytes());
            text.extend(*part);
            text.extend(b"\r\n");
        }
        stream.write_all(&text).expect("the server takes a command");
        stream.set_read_timeout(Some(Duration::from_millis(300))).expect("a limit");
        let (mut answer, mut part) = (Vec::new(), [0; 65536]);
        while let Ok(n @ 1..) = stream.read(&mut part) {
            answer.extend(&part[..n]);
        }
        answer
    }
    /// The name of the only entry.
    fn entry(&self) -> Vec<u8> {
        let answer = String::from_utf8(self.ask(&[b"KEYS", b"litz:*"])).expect("names are text");
        let names: Vec<&str> = answer.lines().filter(|l| l.starts_with("litz:")).collect();
        assert_eq!(names.len(), 1, "{answer}");
        names[0].as_bytes().to_vec()
    }
    fn signal(&self, signal: &str) {
        let done = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(done.expect("kill runs").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Bench {
    folder: tempfile::TempDir,
    program: PathBuf,
    machines: std::cell::Cell<u32>,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = common::library_folder(folder.path());
    let program = common::c_build(folder.path(), &libraries, "cache_host.c", &[]);
    Bench { folder, program, machines: Default::default() }
}

impl Bench {
    /// A process on another machine: with a folder that nobody else has.
    fn machine(&self, options: &[&str]) -> Command {
        self.machines.set(self.machines.get() + 1);
        let mut command = Command::new(&self.program);
        command
            .arg(format!("cache.dir={}", self.folder.path().join(self.machines.get().to_string()).display()));
        command.args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
    /// What it says; its result is right whatever the cache does.
    fn says(&self, options: &[&str]) -> String {
        let said = common::run(&mut self.machine(options));
        assert!(said.contains("all right"), "{said}");
        said
    }
    fn level(&self, options: &[&str], level: &str) -> String {
        let said = self.says(options);
        assert!(said.contains(&format!("cache_level: {level}\n")), "wanted {level} with {options:?}: {said}");
        said
    }
}

#[test]
fn machines_share_entries_that_are_sealed_and_bounded() {
    let (bench, server) = (bench(), Server::start(&[]));
    let url = server.url();
    let with = |more: &[&'static str]| [&[url.as_str(), SECRET][..], more].concat();
    let said = bench.level(&with(&["cache.remote_max_bytes=100"]), "null");
    assert!(!said.contains("log: "), "{said}");
    bench.level(&with(&["cache.remote_expiry=1000"]), "null");
    let name = server.entry();
    let left = String::from_utf8(server.ask(&[b"TTL", &name])).expect("a number");
    let left: i64 = left.trim_start_matches(':').trim().parse().expect("seconds");
    assert!((900..=1000).contains(&left), "{left}");
    bench.level(&with(&[]), "remote");
    // Found once, the entry is on the machine's own levels.
    let said = bench.says(&with(&["again"]));
    assert!(said.contains("cache_level: remote\n") && said.contains("cache_level: memory\n"), "{said}");
    // Fresh compilations ask nobody; other compilers and options are other entries.
    bench.level(&with(&["cache.fresh=true"]), "null");
    bench.level(&with(&["cpp.optimization=1", "cache.remote_max_bytes=100"]), "null");
    // Whoever has another key uses nothing of it. Storing his own replaces it.
    let other = [url.as_str(), "cache.remote_key=another key of that length"];
    let said = bench.level(&other, "null");
    assert!(said.contains("does not verify"), "{said}");
    let said = bench.level(&with(&[]), "null");
    assert!(said.contains("does not verify"), "{said}");
    bench.level(&with(&[]), "remote");
    // So it is with one that was changed, and with what is none.
    server.ask(&[b"SETRANGE", &name, b"200", b"\x00\x01\x02\x03"]);
    assert!(bench.level(&with(&[]), "null").contains("does not verify"));
    for wrong in [&b""[..], b"nonsense", &[0; 5000]] {
        server.ask(&[b"SET", &name, wrong]);
        assert!(bench.level(&with(&[]), "null").contains("does not verify"));
    }
    server.ask(&[b"DEL", &name]);
    server.ask(&[b"LPUSH", &name, b"a list"]);
    assert!(bench.level(&with(&[]), "null").contains("WRONGTYPE"));
}

#[test]
fn passwords_and_databases_come_from_the_url() {
    let (bench, server) = (bench(), Server::start(&["--requirepass", "open sesame"]));
    let url = |user: &str| format!("cache.remote=redis://{user}127.0.0.1:{}/2", server.port);
    let good = url(":open%20sesame@");
    bench.level(&[&good, SECRET], "null");
    bench.level(&[&good, SECRET], "remote");
    for wrong in [url(""), url(":wrong@")] {
        let said = bench.level(&[&wrong, SECRET], "null");
        assert!(said.contains("remote cache at 127.0.0.1") && !said.contains("sesame"), "{said}");
    }
}

/// A server that does not answer may cost a compilation so many seconds beyond three times a compilation without any store. That one is
/// timed before, and after, as other programs may slow the machine down in between.
fn within(bench: &Bench, seconds: f64, what: &str, work: impl FnOnce() -> String) -> String {
    let timed = |work: &mut dyn FnMut()| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64()
    };
    let plain = || 3.0 * timed(&mut || drop(bench.says(&[]))) + seconds;
    let before = plain();
    let mut said = String::new();
    let mut work = Some(work);
    let took = timed(&mut || said = work.take().map(|work| work()).unwrap_or_default());
    assert!(took < before || took < plain(), "{what}: {took} s: {said}");
    said
}

const HALF: &str = "cache.remote_timeout=0.5";

#[test]
fn absent_paused_and_wrong_servers_cost_the_timeout_at_most() {
    let bench = bench();
    let mut server = Server::start(&[]);
    let url = server.url();
    bench.level(&[&url, SECRET], "null");
    server.signal("-STOP");
    let said = within(&bench, 3.0, "paused", || bench.level(&[&url, SECRET, HALF], "null"));
    assert!(said.contains("no answer within cache.remote_timeout (0.5 s)"), "{said}");
    server.signal("-CONT");
    bench.level(&[&url, SECRET], "remote");
    server.child.kill().expect("the server is killed");
    server.child.wait().expect("the server ends");
    within(&bench, 3.0, "absent", || bench.level(&[&url, SECRET, HALF], "null"));
    // One that speaks another language, one that says nothing, one that never ends.
    let speaks: [fn(&mut TcpStream); 3] = [
        |s| drop(s.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")),
        |_| std::thread::sleep(Duration::from_secs(30)),
        |s| {
            let _ = s.write_all(b"$1000000\r\n");
            while s.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        },
    ];
    for (k, speak) in speaks.into_iter().enumerate() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("cache.remote=redis://{}", listener.local_addr().expect("its number"));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut stream = stream;
                    let _ = stream.read(&mut [0; 4096]);
                    speak(&mut stream);
                });
            }
        });
        let said = within(&bench, 3.0, &format!("server {k}"), || bench.level(&[&url, SECRET, HALF], "null"));
        assert!(said.contains("log: the remote cache at 127.0.0.1"), "server {k}: {said}");
    }
}

#[test]
fn servers_that_end_or_stop_in_the_middle_of_a_call() {
    let bench = bench();
    for signal in ["-KILL", "-STOP"] {
        let server = Server::start(&[]);
        bench.level(&[&server.url(), SECRET], "null");
        // The server has taken the question and waits to answer.
        server.ask(&[b"CLIENT", b"PAUSE", b"60000", b"ALL"]);
        let url = server.url();
        let said = within(&bench, 5.0, signal, || {
            let waiting =
                bench.machine(&[&url, SECRET, "cache.remote_timeout=2"]).spawn().expect("it starts");
            std::thread::sleep(Duration::from_millis(500));
            server.signal(signal);
            let output = waiting.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{output:?}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        });
        assert!(said.contains("all right") && said.contains("log: the remote cache"), "{signal}: {said}");
    }
}

#[test]
fn a_full_server_keeps_nothing_and_breaks_nothing() {
    let bench = bench();
    let server = Server::start(&["--maxmemory", "1", "--maxmemory-policy", "noeviction"]);
    let said = bench.level(&[&server.url(), SECRET], "null");
    assert!(said.contains("does not keep an entry") && said.contains("OOM"), "{said}");
    bench.level(&[&server.url(), SECRET], "null");
}
