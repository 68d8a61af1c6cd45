//! What spans the process: caches and memory.

use super::error::{litz_error, litz_string, new_string};
use super::guard::{self, Failure, Outcome, wall};
use super::types::litz_status;
use crate::base::Status;
use crate::runtime::memory;
use crate::session;
use crate::types::dlpack::DLDevice;
use serde_json::json;

/// Drops what the library keeps in memory to be faster next time: caches and idle pools. Executables, graphs and
/// outputs stay. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_reset(err: *mut *mut litz_error) -> litz_status {
    wall(err, || {
        session::reset();
        Ok(())
    })
}

/// Devices whose memory the library manages.
fn managed(device_type: i32, device_index: i32) -> Outcome {
    if (device_type, device_index) == (DLDevice::CPU.device_type, DLDevice::CPU.device_id) {
        return Ok(());
    }
    let message =
        format!("there is no device of type {device_type} with index {device_index}; only the CPU (1, 0)");
    Err(Failure::new(Status::Device, message))
}

/// How much memory the library holds on a device (DLPack's type and index; the CPU is 1, 0), as JSON: `tensors` (those
/// that runs gave out and nobody has freed) and `frames` (what programs keep to run), each with `bytes`, `peak_bytes`
/// and `blocks`. The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_memory_stats(
    device_type: i32,
    device_index: i32,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        let json = guard::out(json, "json")?;
        managed(device_type, device_index)?;
        let (tensors, frames) = memory::usage();
        let entry =
            |u: memory::Usage| json!({"bytes": u.bytes, "peak_bytes": u.peak_bytes, "blocks": u.blocks});
        let text = json!({"tensors": entry(tensors), "frames": entry(frames)}).to_string();
        // SAFETY: checked above.
        unsafe { json.write(new_string(&text)) };
        Ok(())
    })
}

/// Gives memory of a device that the library holds and does not use back to the system. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_memory_release(
    device_type: i32,
    device_index: i32,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        managed(device_type, device_index)?;
        memory::release();
        Ok(())
    })
}
