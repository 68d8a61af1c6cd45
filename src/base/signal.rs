//! Signals that the system sends beside an error, and that end a host which does not expect them.
//!
//! Invariant: the calling thread's mask and what waited for it before are as they were.

use std::io;

/// A write that fails beyond the limit of a file's size, without the signal SIGXFSZ, which the system sends to the thread that writes.
pub fn within_limits<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // SAFETY: sets of signals are plain data, all of them this function's; it changes the mask of its own thread alone, and puts
    // back what was there.
    unsafe {
        let (mut limit, mut before, mut waiting): (libc::sigset_t, libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut limit);
        libc::sigaddset(&mut limit, libc::SIGXFSZ);
        libc::sigpending(&mut waiting);
        libc::pthread_sigmask(libc::SIG_BLOCK, &limit, &mut before);
        let written = write();
        // One that waits for the host to unblock it stays.
        if written.is_err() && libc::sigismember(&waiting, libc::SIGXFSZ) == 0 {
            let no_time: libc::timespec = std::mem::zeroed();
            libc::sigtimedwait(&limit, std::ptr::null_mut(), &no_time);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        written
    }
}
