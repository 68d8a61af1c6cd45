//! The status codes of the C ABI. Every floor's error type maps itself to one of them.

/// What kind of failure an error is; the numbers are the C ABI's and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Status {
    Ok = 0,
    InvalidArgument = 1,
    /// Refused as not supported; named in the message, nothing attempted.
    Unsupported = 2,
    Shape = 3,
    Dtype = 4,
    Device = 5,
    Parse = 6,
    Io = 7,
    Toolchain = 8,
    Cuda = 9,
    OutOfMemory = 10,
    Abi = 11,
    State = 12,
    Capacity = 13,
    Cancelled = 14,
    /// The graph's own run-time assertion failed.
    Assertion = 15,
    Internal = 99,
}

impl Status {
    /// The number that crosses the C boundary.
    pub fn code(self) -> i32 {
        self as i32
    }

    /// The status for a number from C code; an unknown number is `Internal`.
    pub fn from_code(code: i32) -> Status {
        use Status::*;
        [
            Ok,
            InvalidArgument,
            Unsupported,
            Shape,
            Dtype,
            Device,
            Parse,
            Io,
            Toolchain,
            Cuda,
            OutOfMemory,
            Abi,
            State,
            Capacity,
            Cancelled,
            Assertion,
        ]
        .into_iter()
        .find(|s| s.code() == code)
        .unwrap_or(Internal)
    }
}
