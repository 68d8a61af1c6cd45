//! State of the whole process: caches and memory.

use super::error::{give_text, litz_error, litz_string};
use super::guard::{self, Failure, wall};
use super::types::litz_status;
use crate::base::{Status, json};
use crate::runtime::{self, cuda, memory};
use crate::session;
use crate::types::dlpack::DLDevice;

/// Drops memory that only makes later calls faster: caches, idle pools and recorded CUDA graphs, and sets the
/// numbers of [`litz_counters`] to zero. Executables, graphs and outputs stay. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_reset(err: *mut *mut litz_error) -> litz_status {
    wall(err, || {
        session::reset();
        Ok(())
    })
}

/// Counts of the library's work in this process so far, as a JSON object of groups of numbers: `compiles` (`begun`, `failed`),
/// `kernels` (`compiled`, `from_cache`), `cache` (`hits`, `misses`, `damaged`), `autotune` (`candidates`), `artifacts`
/// (`written`, `opened`), `fallbacks` (`interpreter`) and `cuda_graphs` (`recorded`, `replayed`, `patched` among them, and runs
/// `step_by_step`). The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_counters(
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || Ok(session::counters_json()))
}

/// 1 on a thread that works for a compilation, as in the callbacks of one; 0 elsewhere. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn litz_is_compiling() -> i32 {
    session::is_compiling().into()
}

/// True for the CPU, false for a CUDA device; the library manages memory of these alone.
fn is_cpu(device_type: i32, device_index: i32) -> Result<bool, Failure> {
    match (device_type, device_index) {
        (t, 0) if t == DLDevice::CPU.device_type => Ok(true),
        (DLDevice::CUDA_TYPE, _) => Ok(false),
        _ => {
            let message = format!(
                "there is no device of type {device_type} with index {device_index}; there are the CPU (1, 0) and CUDA \
                 devices (2)"
            );
            Err(Failure::new(Status::Device, message))
        }
    }
}

/// A step of the host's begins: in modes with CUDA graphs each run of a program between two marks has a graph of its own,
/// with its addresses. Outputs of earlier steps stay as they are: no replay overwrites them. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_cudagraph_mark_step_begin() {
    cuda::mark_step();
}

/// How many threads the process's pool has for the runs of programs that have no `cpu.threads` of their own, compiled and
/// opened ones alike: 1 to 256, or 0 for one for each CPU that the process may use, which is the default. Waits for a kernel
/// that the pool is busy with. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_set_threads(n: i32, err: *mut *mut litz_error) -> litz_status {
    wall(err, || {
        let n = usize::try_from(n).map_err(|_| guard::invalid(format!("`n` is {n}: it is not negative")))?;
        Ok(runtime::set_threads(n)?)
    })
}

/// How much memory the library holds on a device (DLPack's type and index; the CPU is 1, 0), as JSON: `tensors` (those that
/// runs gave out and nobody has freed); and of programs, compiled and opened ones alike, `weights` (constants as they were
/// given, but for those in the host's own memory and those in files that runs never read), `packed_weights` (buffers
/// derived from constants), `arenas` (intermediate results) and `frames` (other memory of runs, and that of freed outputs which the next one takes), each with `bytes`,
/// `peak_bytes` and `blocks`. Memory that programs share counts once. For a CUDA device (2, its index), in bytes:
/// `allocated`, `cached` and `reserved` (both together), the most that `peak_allocated` and `peak_reserved` ever were, and
/// the device's `available` and `total`, 0 as long as the library has not used it; and `pinned`, the host's memory that
/// tensors are copied through (option `run.host_tensors`). The caller owns `*json`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_memory_stats(
    device_type: i32,
    device_index: i32,
    json: *mut *mut litz_string,
    err: *mut *mut litz_error,
) -> litz_status {
    give_text((json, "json"), err, || {
        let text = if is_cpu(device_type, device_index)? {
            let held = memory::usage();
            let entry =
                |u: memory::Usage| json!({"bytes": u.bytes, "peak_bytes": u.peak_bytes, "blocks": u.blocks});
            json!({
                "tensors": entry(held.tensors), "weights": entry(held.weights), "packed_weights": entry(held.packed),
                "frames": entry(held.frames), "arenas": entry(held.arenas),
            })
            .to_string()
        } else {
            let u = cuda::device_usage(device_index)?;
            json!({
                "allocated": u.allocated, "cached": u.cached, "reserved": u.reserved,
                "peak_allocated": u.peak_allocated, "peak_reserved": u.peak_reserved,
                "available": u.available, "total": u.total, "pinned": u.pinned,
            })
            .to_string()
        };
        Ok(text)
    })
}

/// Gives unused memory that the library holds on a device back to the system; on the CPU also the memory that programs keep
/// for their next runs. Runs in progress keep theirs. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn litz_memory_release(
    device_type: i32,
    device_index: i32,
    err: *mut *mut litz_error,
) -> litz_status {
    wall(err, || {
        if is_cpu(device_type, device_index)? {
            memory::release();
        } else {
            cuda::release_device(device_index)?;
        }
        Ok(())
    })
}
