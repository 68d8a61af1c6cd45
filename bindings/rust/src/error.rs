//! Errors: what the library says, and what goes wrong before it is asked.

use crate::sys;
use std::ffi::CStr;
use std::fmt;

/// The number of a failure: a `LITZ_ERROR_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Status(pub i32);

impl Status {
    pub const INVALID_ARGUMENT: Status = Status(1);
    pub const UNSUPPORTED: Status = Status(2);
    pub const SHAPE: Status = Status(3);
    pub const DTYPE: Status = Status(4);
    pub const DEVICE: Status = Status(5);
    pub const PARSE: Status = Status(6);
    pub const IO: Status = Status(7);
    pub const TOOLCHAIN: Status = Status(8);
    pub const CUDA: Status = Status(9);
    pub const OUT_OF_MEMORY: Status = Status(10);
    pub const ABI: Status = Status(11);
    pub const STATE: Status = Status(12);
    pub const CAPACITY: Status = Status(13);
    pub const CANCELLED: Status = Status(14);
    pub const ASSERTION: Status = Status(15);
    pub const INTERNAL: Status = Status(99);
}

/// A failed call.
#[derive(Clone, Debug)]
pub struct Error {
    pub status: Status,
    /// What is wrong, where, and what to do about it.
    pub message: String,
    /// The same for programs: a JSON object.
    pub detail: String,
}

impl Error {
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        Error { status, message: message.into(), detail: "{}".into() }
    }
    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::new(Status::INVALID_ARGUMENT, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Makes a call that takes `litz_error **err` last, and turns its status into a result.
pub(crate) fn call(f: impl FnOnce(*mut *mut sys::litz_error) -> i32) -> Result<(), Error> {
    let mut error = std::ptr::null_mut();
    let status = f(&mut error);
    if status == 0 {
        return Ok(());
    }
    let library = sys::library()?;
    // SAFETY: a failed call wrote an error that is the caller's; these functions accept NULL too.
    unsafe {
        let result = Error {
            status: Status(status),
            message: text((library.error_message)(error)),
            detail: text((library.error_detail)(error)),
        };
        (library.error_release)(error);
        Err(result)
    }
}

/// # Safety
/// `text` is NULL or NUL-terminated.
pub(crate) unsafe fn text(text: *const std::ffi::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Makes a call that gives a string.
pub(crate) fn give(
    f: impl FnOnce(*mut *mut sys::litz_string, *mut *mut sys::litz_error) -> i32,
) -> Result<String, Error> {
    let mut string = std::ptr::null_mut();
    call(|err| f(&mut string, err))?;
    let library = sys::library()?;
    // SAFETY: a call that succeeded wrote a string that is the caller's.
    unsafe {
        let data = (library.string_data)(string).cast::<u8>();
        let bytes = std::slice::from_raw_parts(data, (library.string_size)(string));
        let result = String::from_utf8_lossy(bytes).into_owned();
        (library.string_release)(string);
        Ok(result)
    }
}

/// A path or a text as C takes it.
pub(crate) fn c_text(what: &str, text: &str) -> Result<std::ffi::CString, Error> {
    std::ffi::CString::new(text).map_err(|_| Error::invalid(format!("{what} holds a NUL: {text:?}")))
}

pub(crate) fn c_path(path: &std::path::Path) -> Result<std::ffi::CString, Error> {
    let text =
        path.to_str().ok_or_else(|| Error::invalid(format!("the path `{}` is no UTF-8", path.display())))?;
    c_text("the path", text)
}
