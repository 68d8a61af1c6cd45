//! What a GPU reaches at most: bytes of its memory and operations of float32 in a second are measured; what its tensor cores do
//! with halves follows from the clock and the multiprocessors, as the driver says them.
//!
//! Measured once for each device, when somebody first asks, and kept for the process: it takes some hundredths of a second. The
//! kernel is PTX, which the driver compiles, so that artifacts are measured where no other compiler is.
//!
//! Deliberately absent: caches. Data in a cache is read faster than the limit for memory says.

use cudarc::driver::{result, sys};
use once_cell::sync::Lazy;
use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::base::HashMap;

/// What can be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuLimits {
    /// Read and written, together.
    pub bytes_per_second: f64,
    /// Of float32, outside of tensor cores.
    pub flop_per_second: f64,
    /// Of tensor cores that multiply halves and add float32, by the driver's clock; `None`: not known of this architecture.
    pub tensor_flop_per_second: Option<f64>,
}

static KNOWN: Lazy<Mutex<HashMap<i32, Option<GpuLimits>>>> = Lazy::new(Mutex::default);

/// The limits of a device, in a process that has used the driver; `None`: the driver does not let them be measured.
pub fn limits(index: i32) -> Option<GpuLimits> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(index).or_insert_with(|| measured(index).ok())
}

/// What a multiprocessor's tensor cores do in a clock: operations of a dense product of halves with float32 sums.
fn tensor_flop_of_a_clock(arch: u32) -> Option<f64> {
    Some(match arch {
        70 | 75 => 1024.0,
        80 => 2048.0,
        86 | 89 | 120 => 1024.0,
        90 => 4096.0,
        100 | 103 => 8192.0,
        _ => return None,
    })
}

/// Chains that do not wait for one another, and how often each goes on in a round.
const CHAINS: usize = 8;
const UNROLLED: usize = 16;
const THREADS: u32 = 256;
const BLOCKS_EACH: u32 = 8;
const ROUNDS: u32 = 4096;
/// Of each of the two buffers; halved where there is no memory.
const COPY_BYTES: usize = 256 << 20;
/// Enough that what a launch takes does not count.
const COPIES: usize = 8;
/// The best of a few tries is what the device does when nothing else disturbs it.
const TRIES: usize = 5;

/// Threads that multiply and add, for an architecture.
fn source(arch: u32) -> String {
    // The driver compiles the PTX of an earlier architecture for a later one.
    let mut text = format!(
        ".version 7.8\n.target sm_{}\n.address_size 64\n.visible .entry litz_limits(.param .u64 sink, .param .u32 rounds, \
         .param .f32 factor, .param .f32 addend)\n{{\n.reg .f32 %x<{CHAINS}>;\n.reg .f32 %a, %b;\n.reg .u32 %n;\n.reg .u64 %s;\n\
         .reg .pred %p;\nld.param.u64 %s, [sink];\nld.param.u32 %n, [rounds];\nld.param.f32 %a, [factor];\n\
         ld.param.f32 %b, [addend];\nmov.f32 %x0, %b;\n",
        arch.clamp(70, 90)
    );
    for k in 1..CHAINS {
        let _ = writeln!(text, "fma.rn.f32 %x{k}, %x{}, %a, %b;", k - 1);
    }
    text.push_str("again:\n");
    for _ in 0..UNROLLED {
        for k in 0..CHAINS {
            let _ = writeln!(text, "fma.rn.f32 %x{k}, %x{k}, %a, %b;");
        }
    }
    text.push_str("sub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra again;\n");
    for k in 1..CHAINS {
        let _ = writeln!(text, "add.f32 %x0, %x0, %x{k};");
    }
    // The sums never are that number: nothing is stored, and the compiler cannot know.
    text.push_str(
        "setp.ne.f32 %p, %x0, 0f7F7FFFFF;\n@%p bra done;\ncvta.to.global.u64 %s, %s;\nst.global.f32 [%s], %x0;\ndone:\nret;\n}\n",
    );
    text
}

/// Pages to give back, whatever fails.
struct Bench {
    device: sys::CUdevice,
    stream: sys::CUstream,
    memory: [sys::CUdeviceptr; 2],
    module: sys::CUmodule,
}

type Outcome<T> = Result<T, result::DriverError>;

fn measured(index: i32) -> Outcome<GpuLimits> {
    let device = result::device::get(index)?;
    let mut context = std::ptr::null_mut();
    // SAFETY: the device is the driver's; the context is given back by `Bench`.
    unsafe {
        sys::cuDevicePrimaryCtxRetain(&mut context, device).result()?;
        if let Err(error) = sys::cuCtxPushCurrent_v2(context).result() {
            let _ = sys::cuDevicePrimaryCtxRelease_v2(device);
            return Err(error);
        }
    }
    let bench = Bench { device, stream: std::ptr::null_mut(), memory: [0; 2], module: std::ptr::null_mut() };
    bench.measure()
}

impl Bench {
    fn measure(mut self) -> Outcome<GpuLimits> {
        use sys::CUdevice_attribute_enum::*;
        let device = self.device;
        let attribute = |which| {
            // SAFETY: the device is the driver's.
            unsafe { result::device::get_attribute(device, which) }.map(|n| n.max(0) as u32)
        };
        let arch = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? * 10
            + attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let hertz = f64::from(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?) * 1e3;
        // SAFETY: writes the stream, which is given back with this value.
        unsafe { sys::cuStreamCreate(&mut self.stream, 1) }.result()?;
        let tensor = tensor_flop_of_a_clock(arch).map(|flop| flop * f64::from(multiprocessors) * hertz);
        Ok(GpuLimits {
            bytes_per_second: self.bandwidth()?,
            flop_per_second: self.compute(arch, multiprocessors)?,
            tensor_flop_per_second: tensor.filter(|flop| *flop > 0.0),
        })
    }

    /// The seconds that work takes at best.
    fn best(&self, work: &dyn Fn() -> Outcome<()>) -> Outcome<f64> {
        let mut best = f64::MAX;
        // The first try makes warm.
        for attempt in 0..=TRIES {
            let start = Instant::now();
            work()?;
            // SAFETY: the stream is this value's own.
            unsafe { sys::cuStreamSynchronize(self.stream) }.result()?;
            if attempt > 0 {
                best = best.min(start.elapsed().as_secs_f64());
            }
        }
        Ok(best.max(1e-9))
    }

    fn bandwidth(&mut self) -> Outcome<f64> {
        let mut bytes = COPY_BYTES;
        while let Err(error) = self.take(bytes) {
            self.give_memory();
            bytes /= 2;
            if bytes < COPY_BYTES / 16 {
                return Err(error);
            }
        }
        let [to, from] = self.memory;
        let seconds = self.best(&|| {
            (0..COPIES).try_for_each(|_| {
                // SAFETY: both are as long.
                unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream) }.result()
            })
        })?;
        self.give_memory();
        Ok(2.0 * (COPIES * bytes) as f64 / seconds)
    }

    fn take(&mut self, bytes: usize) -> Outcome<()> {
        for memory in &mut self.memory {
            // SAFETY: writes the address.
            unsafe { sys::cuMemAlloc_v2(memory, bytes) }.result()?;
        }
        Ok(())
    }

    fn give_memory(&mut self) {
        for memory in self.memory.iter_mut().filter(|m| **m != 0) {
            // SAFETY: it was given by the driver, and is used no more.
            let _ = unsafe { sys::cuMemFree_v2(*memory) };
            *memory = 0;
        }
    }

    fn compute(&mut self, arch: u32, multiprocessors: u32) -> Outcome<f64> {
        let text = CString::new(source(arch)).expect("the text holds no NUL");
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is this value's own, and the text ends with a NUL.
        unsafe {
            sys::cuModuleLoadData(&mut self.module, text.as_ptr().cast()).result()?;
            sys::cuModuleGetFunction(&mut function, self.module, c"litz_limits".as_ptr()).result()?;
        }
        let blocks = multiprocessors.max(1) * BLOCKS_EACH;
        let (mut sink, mut rounds, mut factor, mut addend) = (0u64, ROUNDS, 0.999f32, 1e-3f32);
        let mut parameters: [*mut c_void; 4] = [
            (&raw mut sink).cast(),
            (&raw mut rounds).cast(),
            (&raw mut factor).cast(),
            (&raw mut addend).cast(),
        ];
        let parameters = parameters.as_mut_ptr();
        // SAFETY: the parameters are those of the kernel, and are read before the call returns.
        let launch = || unsafe {
            let null = std::ptr::null_mut();
            sys::cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, self.stream, parameters, null)
                .result()
        };
        let seconds = self.best(&launch)?;
        let each = 2.0 * (CHAINS * UNROLLED) as f64 * f64::from(ROUNDS);
        Ok(each * f64::from(blocks * THREADS) / seconds)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.give_memory();
        let mut popped = std::ptr::null_mut();
        // SAFETY: what was made is given back once; the context was entered by who made this value.
        unsafe {
            if !self.module.is_null() {
                let _ = sys::cuModuleUnload(self.module);
            }
            if !self.stream.is_null() {
                let _ = sys::cuStreamDestroy_v2(self.stream);
            }
            let _ = sys::cuCtxPopCurrent_v2(&mut popped);
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_goes_through_all_its_chains() {
        let text = source(120);
        assert!(text.contains(".target sm_90\n"), "an earlier architecture's text is taken by later ones");
        assert_eq!(text.matches("fma.rn.f32").count(), CHAINS * UNROLLED + CHAINS - 1);
        assert_eq!(text.matches("bra again").count(), 1);
    }
}
