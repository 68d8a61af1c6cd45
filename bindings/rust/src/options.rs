//! Options: string keys and values, and the callbacks that hear of compilations.

use crate::error::{Error, c_text, call, give, text};
use crate::registry::Registry;
use crate::sys;
use std::any::Any;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Callbacks that the library may still call: kept by the options and by everything made with them.
pub(crate) type Kept = Vec<Arc<dyn Any + Send + Sync>>;

type Log = Box<dyn Fn(i32, &str) + Send + Sync>;
type Trace = Box<dyn Fn(&str) + Send + Sync>;

/// How to compile. `docs/options.md` lists the keys, as [`crate::options_list`] does.
pub struct Options {
    pub(crate) handle: *mut sys::litz_options,
    pub(crate) kept: Kept,
}

// SAFETY: options are for one thread at a time, any thread.
unsafe impl Send for Options {}

impl Options {
    /// The defaults.
    pub fn new() -> Result<Options, Error> {
        let library = sys::library()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the place for the handle is valid.
        call(|err| unsafe { (library.options_new)(&mut handle, err) })?;
        Ok(Options { handle, kept: Vec::new() })
    }

    pub(crate) fn of(handle: *mut sys::litz_options) -> Options {
        Options { handle, kept: Vec::new() }
    }

    /// Sets one option.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Error> {
        let library = sys::library()?;
        let (key, value) = (c_text("the key", key)?, c_text("the value", value)?);
        // SAFETY: the handle is ours and the texts end with NUL.
        call(|err| unsafe { (library.options_set)(self.handle, key.as_ptr(), value.as_ptr(), err) })
    }

    /// The effective value of an option.
    pub fn get(&self, key: &str) -> Result<String, Error> {
        let library = sys::library()?;
        let key = c_text("the key", key)?;
        // SAFETY: as for `set`.
        give(|out, err| unsafe { (library.options_get)(self.handle, key.as_ptr(), out, err) })
    }

    /// Every option with its effective value and where it comes from, as JSON.
    pub fn json(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.options_json)(self.handle, out, err) })
    }

    /// The machine as a compilation with these options finds it, as JSON.
    pub fn machine(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.machine_describe)(self.handle, out, err) })
    }

    /// The cache on disk that these options name, as JSON.
    pub fn cache(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.cache_describe)(self.handle, out, err) })
    }

    /// Removes the least recently used entries until the others take so many bytes at most; says which, as JSON.
    pub fn prune_cache(&self, max_bytes: u64) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.cache_prune)(self.handle, max_bytes, out, err) })
    }

    /// Lets graphs and compilations with these options use what the registry holds.
    pub fn set_registry(&mut self, registry: &Registry) -> Result<(), Error> {
        let library = sys::library()?;
        // SAFETY: both handles are alive; the options keep the registry.
        call(|err| unsafe { (library.options_set_registry)(self.handle, registry.handle, err) })
    }

    /// Sends log messages up to `level` (0 errors, 1 warnings, 2 information, 3 debugging) to `f`, on any thread.
    pub fn set_log(
        &mut self,
        level: i32,
        f: impl Fn(i32, &str) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let library = sys::library()?;
        let f: Arc<Log> = Arc::new(Box::new(f));
        let context = Arc::as_ptr(&f).cast_mut().cast();
        // SAFETY: the closure lives as long as these options and all that is made with them, which keep it.
        call(|err| unsafe { (library.options_set_log)(self.handle, level, Some(log), context, err) })?;
        self.kept.push(f);
        Ok(())
    }

    /// Sends every event of compilations and runs to `f`, a line of JSON each, on any thread.
    pub fn set_trace(&mut self, f: impl Fn(&str) + Send + Sync + 'static) -> Result<(), Error> {
        let library = sys::library()?;
        let f: Arc<Trace> = Arc::new(Box::new(f));
        let context = Arc::as_ptr(&f).cast_mut().cast();
        // SAFETY: as for `set_log`.
        call(|err| unsafe { (library.options_set_trace)(self.handle, Some(trace), context, err) })?;
        self.kept.push(f);
        Ok(())
    }
}

/// # Safety
/// `context` is the `Log` that `set_log` gave, and `message` ends with NUL.
unsafe extern "C" fn log(context: *mut c_void, level: i32, message: *const c_char) {
    // SAFETY: as the caller promises. Nothing unwinds into the library.
    let (f, message) = unsafe { (&*context.cast::<Log>(), text(message)) };
    let _ = catch_unwind(AssertUnwindSafe(|| f(level, &message)));
}

/// # Safety
/// As for `log`.
unsafe extern "C" fn trace(context: *mut c_void, line: *const c_char) {
    // SAFETY: as for `log`.
    let (f, line) = unsafe { (&*context.cast::<Trace>(), text(line)) };
    let _ = catch_unwind(AssertUnwindSafe(|| f(&line)));
}

impl Drop for Options {
    fn drop(&mut self) {
        if let Ok(library) = sys::library() {
            // SAFETY: the handle is ours, and this is its last use.
            unsafe { (library.options_release)(self.handle) }
        }
    }
}
