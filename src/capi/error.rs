//! Versions, errors and strings.

use super::guard::{self, Failure, Opaque, Outcome, wall, wall_or};
use super::types::{LITZ_ABI_VERSION, litz_status};
use crate::base::Status;
use serde_json::{Map, Value as Json};
use std::ffi::{CString, c_char};

/// An error: a code, a message and a JSON detail. Made by a failed call or by `litz_error_new`; release it
/// with `litz_error_release`. Any thread may read one.
pub struct litz_error {
    _opaque: [u8; 0],
}

/// A string that the library made; release it with `litz_string_release`. Any thread may read one.
pub struct litz_string {
    _opaque: [u8; 0],
}

pub(super) struct ErrorState {
    code: litz_status,
    message: CString,
    detail: CString,
}

impl Opaque for litz_error {
    type State = ErrorState;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzErr\x01");
    const NAME: &'static str = "litz_error";
}

impl Opaque for litz_string {
    type State = CString;
    const MAGIC: u64 = u64::from_le_bytes(*b"LitzStr\x01");
    const NAME: &'static str = "litz_string";
}

/// A C string of any text; a NUL inside ends nothing, it becomes U+FFFD.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

pub(super) fn new_string(text: &str) -> *mut litz_string {
    guard::wrap(c_string(text))
}

/// The wall of a call that gives a string: `place` is where, with the argument's name.
pub(super) fn give_text(
    place: (*mut *mut litz_string, &str),
    err: *mut *mut litz_error,
    body: impl FnOnce() -> Outcome<String>,
) -> litz_status {
    let mut body = Some(body);
    give_text_by(place, err, &mut || body.take().map_or(Ok(String::new()), |body| body()))
}

/// One function serves every export.
fn give_text_by(
    place: (*mut *mut litz_string, &str),
    err: *mut *mut litz_error,
    body: &mut dyn FnMut() -> Outcome<String>,
) -> litz_status {
    wall(err, || {
        let out = guard::out(place.0, place.1)?;
        let text = body()?;
        // SAFETY: checked above.
        unsafe { out.write(new_string(&text)) };
        Ok(())
    })
}

pub(super) fn new_error(code: litz_status, message: &str, mut detail: Map<String, Json>) -> *mut litz_error {
    detail.insert("code".to_string(), code.into());
    detail.insert("message".to_string(), message.into());
    let detail = Json::Object(detail).to_string();
    guard::wrap_anyway(ErrorState { code, message: c_string(message), detail: c_string(&detail) })
}

/// The message of an error that a callback made; `None` for NULL.
///
/// # Safety
/// `error` is NULL or a live error.
pub(super) unsafe fn message_of(error: *const litz_error) -> Option<String> {
    // SAFETY: as the caller vouches.
    let state = unsafe { guard::get(error, "error") }.ok()?;
    Some(state.message.to_string_lossy().into_owned())
}

/// The ABI version of this library: major << 16 | minor. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn litz_abi_version() -> u32 {
    LITZ_ABI_VERSION
}

/// The version of this library as text, such as "0.1.0"; borrowed for ever. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn litz_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Whether a program that was compiled with header version `header_version` (pass `LITZ_ABI_VERSION`) can use this
/// library. `LITZ_ERROR_ABI` says why it cannot. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_check_abi(header_version: u32, err: *mut *mut litz_error) -> litz_status {
    wall(err, || {
        let (major, minor) = (header_version >> 16, header_version & 0xffff);
        let (own_major, own_minor) = (LITZ_ABI_VERSION >> 16, LITZ_ABI_VERSION & 0xffff);
        let why = if major != own_major {
            "another major version: compile the program with this library's header"
        } else if minor > own_minor {
            "the library is older than the header: install a newer library"
        } else {
            return Ok(());
        };
        let message = format!(
            "the header has ABI version {major}.{minor} and the library {own_major}.{own_minor}: {why}"
        );
        Err(Failure::new(Status::Abi, message)
            .with("header", header_version)
            .with("library", LITZ_ABI_VERSION))
    })
}

/// Makes an error, for callbacks that report one. `code` is a `LITZ_ERROR_…`; a `message` that is NULL or no UTF-8
/// becomes an empty one. The caller owns the result. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_error_new(code: litz_status, message: *const c_char) -> *mut litz_error {
    wall_or(std::ptr::null_mut(), || {
        // SAFETY: the header asks for NULL or a NUL-terminated string.
        let message = unsafe { guard::text(message, "message") }.unwrap_or_default();
        Ok(new_error(code, message, Map::new()))
    })
}

/// The error's `LITZ_ERROR_…`; `LITZ_OK` for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_error_code(e: *const litz_error) -> litz_status {
    // SAFETY: the header asks for NULL or a live error.
    wall_or(Status::Ok.code(), || Ok(unsafe { guard::get(e, "e") }?.code))
}

/// The message says what failed, where, and how to mend it; borrowed from the error, "" for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_error_message(e: *const litz_error) -> *const c_char {
    // SAFETY: the header asks for NULL or a live error.
    wall_or(c"".as_ptr(), || Ok(unsafe { guard::get(e, "e") }?.message.as_ptr()))
}

/// The same for programs: a JSON object with `code`, `message` and further facts; borrowed from the error,
/// "{}" for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_error_detail(e: *const litz_error) -> *const c_char {
    // SAFETY: the header asks for NULL or a live error.
    wall_or(c"{}".as_ptr(), || Ok(unsafe { guard::get(e, "e") }?.detail.as_ptr()))
}

/// Frees an error; NULL is accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_error_release(e: *mut litz_error) {
    // SAFETY: the header asks for NULL or a live error that is the caller's.
    unsafe { guard::release(e) }
}

/// The text, UTF-8 and NUL-terminated; borrowed from the string, "" for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_string_data(s: *const litz_string) -> *const c_char {
    // SAFETY: the header asks for NULL or a live string.
    wall_or(c"".as_ptr(), || Ok(unsafe { guard::get(s, "s") }?.as_ptr()))
}

/// Bytes of the text, without the NUL; 0 for NULL. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_string_size(s: *const litz_string) -> usize {
    // SAFETY: the header asks for NULL or a live string.
    wall_or(0, || Ok(unsafe { guard::get(s, "s") }?.as_bytes().len()))
}

/// Frees a string; NULL is accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_string_release(s: *mut litz_string) {
    // SAFETY: the header asks for NULL or a live string that is the caller's.
    unsafe { guard::release(s) }
}
