//! Other programs, run within a time limit, whatever host this is: one that ignores its children, reaps all of them, is
//! killed at any moment, or keeps many files open.
//!
//! A program is not the host's child but that of a *supervisor*: a process that this library makes, that shares the host's
//! memory and runs no program of its own. The system tells nobody of the supervisor's end but those who ask for it by
//! `__WALL`, so a host's `waitpid(-1)`, SIGCHLD handler or ignored SIGCHLD never sees it. It starts the program in a process
//! group, waits for it, and reports through a pipe; when its host is gone or the time is up it kills the group.
//!
//! Invariants:
//! - when the report says that the program ended, nothing of its group is left;
//! - between `clone` and `execve` only system calls are made, on memory that was prepared before: other threads of the host
//!   go on meanwhile, and may hold any lock;
//! - a program gets its standard input (empty) and outputs, and no other file of the host's.
//!
//! The thread that makes the supervisor is a new one and waits for its end: the system tells a process of the end of the
//! *thread* that made it, so that thread must live as long as the host does.

use crate::base::cancel;
use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is run, and where.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// An absolute path.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The working directory, and where the program makes its temporary files.
    pub folder: PathBuf,
}

/// How a program ended, and what it printed: errors first.
pub struct Finished {
    pub success: bool,
    pub outcome: String,
    pub text: String,
}

/// What a pipe brings beyond this is dropped.
const MOST_OUTPUT: usize = 64 << 10;

/// Runs a program to its end, or stops it (with its children) when the time is up: then `None`. It is stopped, too, when the work
/// that it is for is cancelled.
pub fn run_within(invocation: &Invocation, limit: Duration) -> io::Result<Option<Finished>> {
    let (_nothing, _) = io::pipe()?;
    let (out, out_end) = io::pipe()?;
    let (err, err_end) = io::pipe()?;
    let (report, report_end) = io::pipe()?;
    // Above the standard ones, which a host may have closed: those are replaced before the program starts.
    let ends = [raised(_nothing)?, raised(out_end)?, raised(err_end)?, raised(report_end)?];
    let words = Words::of(invocation)?;
    let (argv, envp) = (pointers(&words.args), pointers(&words.environment));
    // Stacks of the supervisor and of the program until it starts.
    let mut stacks = [vec![0u128; STACK], vec![0u128; STACK]];
    let [first, second] = stacks.each_mut().map(|stack| stack.as_mut_ptr_range().end);
    let (stop, watched) = (AtomicBool::new(false), cancel::watched().is_some());
    let job = Job {
        program: words.program.as_ptr(),
        argv: argv.as_ptr(),
        envp: envp.as_ptr(),
        folder: words.folder.as_ptr(),
        files: [ends[0].as_raw_fd(), ends[1].as_raw_fd(), ends[2].as_raw_fd()],
        report: ends[3].as_raw_fd(),
        host: std::process::id() as libc::pid_t,
        seconds: limit.as_secs().min(i32::MAX as u64) as libc::time_t,
        nanoseconds: libc::c_long::from(limit.subsec_nanos()),
        stop: &stop,
        stack: second.cast(),
    };
    let supervised = Supervised { job: &job, stack: first.cast() };
    let (mut out, mut err) = (Output::of(out)?, Output::of(err)?);
    let reports = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("litz-compiler".into()).stack_size(128 << 10);
        thread.spawn_scoped(scope, || supervised.run())?;
        let mut reports = Vec::new();
        loop {
            wait_for(&[report.as_raw_fd(), out.pipe.as_raw_fd(), err.pipe.as_raw_fd()], watched)?;
            if cancel::is_asked() {
                stop.store(true, Ordering::Relaxed);
            }
            out.take()?;
            err.take()?;
            if is_readable(report.as_raw_fd())? {
                let next = Report::read(&report)?;
                reports.push(next);
                if next.kind == Report::GONE {
                    return io::Result::Ok(reports);
                }
            }
        }
    })?;
    out.take()?;
    err.take()?;
    drop(stacks);
    let text = err.text() + &out.text();
    match reports.first() {
        Some(Report { kind: Report::NOT_STARTED, value }) => Err(io::Error::from_raw_os_error(*value)),
        Some(Report { kind: Report::ENDED, value }) => {
            let status = std::process::ExitStatus::from_raw(*value);
            Ok(Some(Finished { success: status.success(), outcome: status.to_string(), text }))
        }
        Some(Report { kind: Report::TIMED_OUT, .. }) => Ok(None),
        _ => Err(io::Error::other("it was stopped by another process")),
    }
}

/// In pieces of 16 bytes: what a stack is aligned to.
const STACK: usize = (64 << 10) / 16;

/// The strings that `execve` takes.
struct Words {
    program: CString,
    args: Vec<CString>,
    environment: Vec<CString>,
    folder: CString,
}

impl Words {
    fn of(invocation: &Invocation) -> io::Result<Words> {
        let word = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::from);
        let program = word(invocation.program.as_os_str().as_bytes())?;
        let folder = invocation.folder.as_os_str().as_bytes();
        let mut args = vec![program.clone()];
        for arg in &invocation.args {
            args.push(word(arg.as_bytes())?);
        }
        // Messages in English; what the program makes on its way goes with the folder.
        let own = [("LC_ALL", b"C".as_slice()), ("TMPDIR", folder), ("PWD", folder)];
        let mut environment = Vec::new();
        for (name, value) in own {
            environment.push(word(&[name.as_bytes(), b"=", value].concat())?);
        }
        for (name, value) in std::env::vars_os() {
            if own.iter().all(|(ours, _)| name != *ours) {
                environment.push(word(&[name.as_bytes(), b"=", value.as_bytes()].concat())?);
            }
        }
        Ok(Words { program, args, environment, folder: word(folder)? })
    }
}

fn pointers(words: &[CString]) -> Vec<*const c_char> {
    words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect()
}

/// The descriptor, or one above the standard ones that stands for it.
fn raised(file: impl Into<OwnedFd>) -> io::Result<OwnedFd> {
    let file = file.into();
    if file.as_raw_fd() > libc::STDERR_FILENO {
        return Ok(file);
    }
    // SAFETY: the descriptor is open; what is given is a new one, which nobody else owns.
    unsafe {
        match libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, libc::STDERR_FILENO + 1) {
            -1 => Err(io::Error::last_os_error()),
            raised => Ok(OwnedFd::from_raw_fd(raised)),
        }
    }
}

/// What a program prints.
struct Output {
    pipe: PipeReader,
    kept: Vec<u8>,
}

impl Output {
    fn of(pipe: PipeReader) -> io::Result<Output> {
        // SAFETY: the descriptor is open, and the request takes a number.
        match unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(Output { pipe, kept: Vec::new() }),
        }
    }
    /// Takes what is there now.
    fn take(&mut self) -> io::Result<()> {
        let mut piece = [0; 4096];
        loop {
            match self.pipe.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(n) => {
                    let room = MOST_OUTPUT - self.kept.len();
                    self.kept.extend_from_slice(&piece[..n.min(room)]);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

fn poll(files: &mut [libc::pollfd], timeout: c_int) -> io::Result<()> {
    loop {
        // SAFETY: the list is ours, and as long as it is said to be.
        if unsafe { libc::poll(files.as_mut_ptr(), files.len() as libc::nfds_t, timeout) } >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Every so many milliseconds it is looked whether a program is to be stopped.
const LOOK: c_int = 20;
const LOOK_NANOSECONDS: libc::c_long = 1_000_000 * LOOK as libc::c_long;

/// Until one of them can be read; for a while at most where the end of the work may be asked for.
fn wait_for(files: &[RawFd], watched: bool) -> io::Result<()> {
    let mut files: Vec<libc::pollfd> =
        files.iter().map(|fd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 }).collect();
    poll(&mut files, if watched { LOOK } else { -1 })
}

fn is_readable(fd: RawFd) -> io::Result<bool> {
    let mut files = [libc::pollfd { fd, events: libc::POLLIN, revents: 0 }];
    poll(&mut files, 0)?;
    Ok(files[0].revents != 0)
}

/// What the supervisor says, in pieces that a pipe does not tear apart.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Report {
    kind: i32,
    value: i32,
}

impl Report {
    /// With the error's number.
    const NOT_STARTED: i32 = 1;
    /// With the status as `waitpid` gives it.
    const ENDED: i32 = 2;
    const TIMED_OUT: i32 = 3;
    /// Somebody asked the supervisor to end.
    const STOPPED: i32 = 4;
    /// The last one: the supervisor is no more.
    const GONE: i32 = 5;

    fn read(mut pipe: &PipeReader) -> io::Result<Report> {
        let mut bytes = [0; size_of::<Report>()];
        pipe.read_exact(&mut bytes)?;
        let number = |at: usize| i32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Ok(Report { kind: number(0), value: number(4) })
    }

    fn send(kind: i32, value: i32, pipe: RawFd) {
        let report = Report { kind, value };
        // SAFETY: the report is plain data; a pipe that cannot take it has no reader any more.
        unsafe { libc::write(pipe, (&raw const report).cast(), size_of::<Report>()) };
    }
}

/// All that the supervisor and the program until it starts need; it outlives both.
#[repr(C)]
struct Job {
    program: *const c_char,
    argv: *const *const c_char,
    envp: *const *const c_char,
    folder: *const c_char,
    files: [RawFd; 3],
    report: RawFd,
    host: libc::pid_t,
    seconds: libc::time_t,
    nanoseconds: libc::c_long,
    /// The program is to be stopped; the supervisor shares the host's memory.
    stop: *const AtomicBool,
    /// The end of the program's stack.
    stack: *mut c_void,
}

struct Supervised<'a> {
    job: &'a Job,
    stack: *mut c_void,
}

// SAFETY: the pointers are valid until the thread ends: the caller of `run_within` owns their targets and waits for it.
unsafe impl Sync for Supervised<'_> {}

impl Supervised<'_> {
    /// Makes the supervisor, and waits until it is gone.
    fn run(&self) {
        let job: *const Job = self.job;
        // SAFETY: this thread is new and runs nothing else. No signal is handled in it, so none of the host's handlers runs
        // in the supervisor, which has the same mask. With CLONE_VFORK this thread stands still while the supervisor
        // uses its thread-local data (`errno`). The stacks and the job are the caller's, which waits for this thread.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
            // No signal is named for the supervisor's end.
            let flags = libc::CLONE_VM | libc::CLONE_VFORK;
            let supervisor = libc::clone(supervise, self.stack, flags, job.cast_mut().cast());
            if supervisor < 0 {
                Report::send(Report::NOT_STARTED, *libc::__errno_location(), self.job.report);
            } else {
                while libc::waitpid(supervisor, std::ptr::null_mut(), libc::__WALL) < 0
                    && *libc::__errno_location() == libc::EINTR
                {}
            }
        }
        Report::send(Report::GONE, 0, self.job.report);
    }
}

extern "C" fn supervise(job: *mut c_void) -> c_int {
    // SAFETY: the job outlives this process (`Supervised::run`); all that follows are system calls. Handlers and
    // descriptors are this process's own from `clone` on.
    unsafe {
        let job = &*job.cast::<Job>();
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
        if libc::getppid() != job.host {
            libc::_exit(1);
        }
        // Where the host ignores its children, this process would not see its own end, either.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let program = libc::clone(start, job.stack, flags, (&raw const *job).cast_mut().cast());
        if program < 0 {
            Report::send(Report::NOT_STARTED, *libc::__errno_location(), job.report);
            libc::_exit(1);
        }
        // The host's files and the program's pipes are not kept open from here.
        close_all_but(job.report, 0);
        let mut end: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut end);
        end.tv_sec += job.seconds;
        end.tv_nsec += job.nanoseconds;
        let mut awaited: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut awaited);
        libc::sigaddset(&mut awaited, libc::SIGCHLD);
        libc::sigaddset(&mut awaited, libc::SIGTERM);
        let (mut outcome, mut killed) = (Report::ENDED, false);
        loop {
            let mut found: libc::siginfo_t = std::mem::zeroed();
            let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let asked = libc::waitid(libc::P_PID, program as libc::id_t, &mut found, how);
            if asked < 0 || found.si_pid() == program {
                break;
            }
            let mut now: libc::timespec = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
            let mut left =
                libc::timespec { tv_sec: end.tv_sec - now.tv_sec, tv_nsec: end.tv_nsec - now.tv_nsec };
            while left.tv_nsec < 0 {
                left.tv_nsec += 1_000_000_000;
                left.tv_sec -= 1;
            }
            while left.tv_nsec >= 1_000_000_000 {
                left.tv_nsec -= 1_000_000_000;
                left.tv_sec += 1;
            }
            let late = left.tv_sec < 0;
            let stopped = !killed && (*job.stop).load(Ordering::Relaxed);
            if left.tv_sec > 0 || left.tv_nsec > LOOK_NANOSECONDS {
                left = libc::timespec { tv_sec: 0, tv_nsec: LOOK_NANOSECONDS };
            }
            let woken =
                if late || stopped { 0 } else { libc::sigtimedwait(&awaited, std::ptr::null_mut(), &left) };
            // The host is gone or asks for the end, or the time is up.
            if woken == libc::SIGTERM || stopped || late {
                outcome = if late { Report::TIMED_OUT } else { Report::STOPPED };
                killed = true;
                libc::kill(-program, libc::SIGKILL);
                libc::kill(program, libc::SIGKILL);
                // Soon, but only when the system has seen to it.
                end = now;
                end.tv_sec += 1;
            }
        }
        // Stops the processes that the program left behind. Its id stays taken until it is waited for.
        libc::kill(-program, libc::SIGKILL);
        let mut status = 0;
        if libc::waitpid(program, &mut status, 0) == program {
            Report::send(outcome, status, job.report);
        }
        libc::_exit(0)
    }
}

extern "C" fn start(job: *mut c_void) -> c_int {
    // SAFETY: as for `supervise`, whose thread stands still until the program starts.
    unsafe {
        let job = &*job.cast::<Job>();
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::umask(0o077);
        let mut standard = 0;
        let placed = job.files.iter().all(|file| {
            standard += 1;
            libc::dup2(*file, standard - 1) >= 0
        });
        if placed && libc::chdir(job.folder) == 0 {
            close_all_but(job.report, libc::STDERR_FILENO + 1);
            libc::execve(job.program, job.argv, job.envp);
        }
        Report::send(Report::NOT_STARTED, *libc::__errno_location(), job.report);
        libc::_exit(127)
    }
}

/// Closes all descriptors from `least` on but one.
fn close_all_but(kept: RawFd, least: RawFd) {
    let range = |first: RawFd, last: u32| {
        if u32::try_from(first).is_ok_and(|first| first > last) {
            return;
        }
        // SAFETY: this process's descriptors are its own, and nothing here uses those that are closed.
        unsafe {
            if libc::syscall(libc::SYS_close_range, first, last, 0) == 0 {
                return;
            }
            // An older system. Descriptors beyond this many are improbable, and close when the program starts.
            let mut most: libc::rlimit = std::mem::zeroed();
            libc::getrlimit(libc::RLIMIT_NOFILE, &mut most);
            let last = u64::from(last).min(most.rlim_cur).min(1 << 16) as RawFd;
            for file in first..=last {
                libc::close(file);
            }
        }
    };
    if kept > least {
        range(least, kept as u32 - 1);
    }
    range(kept + 1, u32::MAX);
}
