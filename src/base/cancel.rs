//! Ending work early because somebody asked for it. A compilation watches the requests of its options on the threads that
//! work for it; the next [`super::memory::checkpoint`] after a request unwinds with [`Cancelled`] to the export that was called,
//! and other programs that it waits for are stopped.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a checkpoint unwinds with.
#[derive(Clone, Copy, Debug)]
pub struct Cancelled;

/// Requests to end the work that is in progress. Work within work is ended by the requests of both.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<AtomicU64>);

impl Requests {
    /// Asks for the end of all work that watches now.
    pub fn ask(&self) {
        self.0.fetch_add(1, Relaxed);
    }
    /// Watches on this thread as long as what it gives lives.
    pub fn watch(&self) -> Watching {
        let around = watched().map(Box::new);
        Watch { requests: self.0.clone(), began: self.now(), around }.on_this_thread()
    }
    /// How many there were. Work that checks by itself remembers this when it begins, and asks [`Requests::is_asked_since`].
    pub fn now(&self) -> u64 {
        self.0.load(Relaxed)
    }
    pub fn is_asked_since(&self, began: u64) -> bool {
        self.now() != began
    }
}

/// Work that a request ends.
#[derive(Clone, Debug)]
pub struct Watch {
    requests: Arc<AtomicU64>,
    /// How many requests there were when it began.
    began: u64,
    /// What this thread watched before: the work that this work is part of.
    around: Option<Box<Watch>>,
}

impl Watch {
    fn is_asked(&self) -> bool {
        self.requests.load(Relaxed) != self.began || self.around.as_ref().is_some_and(|w| w.is_asked())
    }
    /// Watches on this thread, too.
    pub fn on_this_thread(self) -> Watching {
        Watching(WATCH.with(|watch| watch.replace(Some(self))))
    }
}

/// Ends the watch of a thread; what was watched before is watched again.
#[derive(Debug)]
pub struct Watching(Option<Watch>);

impl Drop for Watching {
    fn drop(&mut self) {
        let before = self.0.take();
        let _ = WATCH.try_with(|watch| watch.replace(before));
    }
}

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// What this thread watches, for threads that work for it.
pub fn watched() -> Option<Watch> {
    WATCH.try_with(|watch| watch.borrow().clone()).unwrap_or(None)
}

/// Whether the end of this thread's work was asked for.
pub fn is_asked() -> bool {
    let asked = |watch: &RefCell<Option<Watch>>| watch.borrow().as_ref().is_some_and(Watch::is_asked);
    WATCH.try_with(asked).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::super::memory;
    use super::*;

    #[test]
    fn a_request_ends_the_work_that_was_in_progress() {
        let requests = Requests::default();
        requests.ask();
        let watching = requests.watch();
        memory::checkpoint();
        let helper = watched().unwrap();
        requests.ask();
        let ended = std::panic::catch_unwind(memory::checkpoint);
        assert!(ended.is_err_and(|payload| payload.is::<Cancelled>()));
        std::thread::spawn(move || {
            assert!(!is_asked());
            let _watching = helper.on_this_thread();
            assert!(is_asked());
        })
        .join()
        .unwrap();
        drop(watching);
        memory::checkpoint();
    }

    #[test]
    fn a_request_ends_the_work_within_the_work_it_is_for() {
        let (outer, inner) = (Requests::default(), Requests::default());
        let around = outer.watch();
        outer.ask();
        // The work within begins after the request, and ends all the same.
        let within = inner.watch();
        assert!(is_asked());
        drop(within);
        drop(around);
        let _around = outer.watch();
        let within = inner.watch();
        inner.ask();
        assert!(is_asked());
        drop(within);
        assert!(!is_asked());
    }
}
