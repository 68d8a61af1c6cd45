//! Other programs, run within a time limit: one that hangs is stopped with all that it started, and its output is bounded.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended, and what it printed: errors first.
pub struct Finished {
    pub success: bool,
    pub outcome: String,
    pub text: String,
}

/// Runs a command to its end, or stops it (with its children) when the time is up: then `None`.
pub fn run_within(mut command: Command, limit: Duration) -> std::io::Result<Option<Finished>> {
    use std::os::unix::process::CommandExt;
    // Messages in English, and a group of its own, so that the compiler proper is stopped with its driver.
    command
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = command.spawn()?;
    let out = child.stdout.take().map(drain);
    let err = child.stderr.take().map(drain);
    let status = wait_within(&mut child, limit)?;
    let Some(status) = status else { return Ok(None) };
    let mut text = String::new();
    for reader in [err, out].into_iter().flatten() {
        text.push_str(&reader.join().unwrap_or_default());
    }
    Ok(Some(Finished { success: status.success(), outcome: status.to_string(), text }))
}

/// At most 64 KiB of what a pipe brings, read to its end.
fn drain(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(n @ 1..) = pipe.read(&mut piece) {
            let room = (64 << 10) - kept.len().min(64 << 10);
            kept.extend_from_slice(&piece[..n.min(room)]);
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

fn wait_within(child: &mut Child, limit: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            // SAFETY: the child has not been waited for, so its id, which is its group's, is still its own.
            unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(1));
    }
}
