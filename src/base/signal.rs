//! Signals that the system sends in addition to an error. They would end a host that does not expect them.
//!
//! Invariant: the thread's signal mask and the signals that were pending before stay as they were.

use std::io;

/// Runs a write that may exceed the limit for file sizes: it fails with an error, without the signal SIGXFSZ to the writing thread.
pub fn within_limits<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // SAFETY: the signal sets are plain data and local. Only this thread's mask is changed, and restored afterwards.
    unsafe {
        let (mut limit, mut before, mut waiting): (libc::sigset_t, libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut limit);
        libc::sigaddset(&mut limit, libc::SIGXFSZ);
        libc::sigpending(&mut waiting);
        libc::pthread_sigmask(libc::SIG_BLOCK, &limit, &mut before);
        let written = write();
        // A signal that was pending before is the host's, and stays.
        if written.is_err() && libc::sigismember(&waiting, libc::SIGXFSZ) == 0 {
            let no_time: libc::timespec = std::mem::zeroed();
            libc::sigtimedwait(&limit, std::ptr::null_mut(), &no_time);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        written
    }
}
