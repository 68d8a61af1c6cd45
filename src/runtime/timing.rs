//! How long a program's runs take, on examples of its inputs or on data of no meaning: what chooses between ways of
//! compiling one.

use super::RuntimeError;
use super::examples::Examples;
use super::executable::Executable;
use super::run_options::RunOptions;
use super::tensor::Tensor;
use crate::base::StableSort;
use crate::types::Dtype;
use crate::types::dlpack::DLTensor;
use std::time::{Duration, Instant};

/// Runs before those that count: code is loaded, memory is taken, a graph is recorded.
const WARM: usize = 4;

impl Executable {
    /// The median seconds of one run, of as many as `most` allows, at least three: a GPU's clocks sink under load, so that
    /// its best run says little of the others. Without examples, floats of the inputs are random, other numbers are
    /// zero, and number inputs are `numbers`.
    pub fn time_runs(
        &self,
        shapes: &[Vec<i64>],
        numbers: &[i64],
        examples: Option<&Examples>,
        most: Duration,
    ) -> Result<f64, RuntimeError> {
        let (pointers, _inputs) = match examples {
            Some(examples) => examples.inputs_in_place(self)?,
            None => self.data_of_no_meaning(shapes, numbers)?,
        };
        let how = RunOptions::own();
        // SAFETY: the tensors are as they say, and what is written belongs to this call alone.
        let outputs = unsafe { self.run(&pointers, Some(&how)) }?;
        let rooms: Vec<*const DLTensor> = outputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
        // Into memory that stays: what no recorded step can be given anew would be copied. Sizes that come of the data are
        // known to a run alone.
        // SAFETY: as above.
        let fixed = unsafe { self.run_into(&pointers, &rooms, Some(&how)) }.is_ok();
        let run = || {
            let start = Instant::now();
            if fixed {
                // SAFETY: as above.
                unsafe { self.run_into(&pointers, &rooms, Some(&how)) }?;
            } else {
                // SAFETY: as above.
                unsafe { self.run(&pointers, Some(&how)) }?;
            }
            Ok::<f64, RuntimeError>(start.elapsed().as_secs_f64())
        };
        for _ in 0..WARM {
            run()?;
        }
        let (start, mut runs) = (Instant::now(), Vec::new());
        while runs.len() < 3 || (start.elapsed() < most && runs.len() < 200) {
            runs.push(run()?);
        }
        runs.stable_sort_by(f64::total_cmp);
        Ok(runs[runs.len() / 2])
    }

    fn data_of_no_meaning(
        &self,
        shapes: &[Vec<i64>],
        numbers: &[i64],
    ) -> Result<(Vec<*const DLTensor>, Vec<Tensor>), RuntimeError> {
        let device = self.program().device();
        let mut inputs = Vec::with_capacity(shapes.len());
        for (k, shape) in shapes.iter().enumerate() {
            let (input, dtype) = (&self.plan().inputs[k], self.inputs()[k].dtype);
            let mut tensor = Tensor::zeros(dtype, shape)?;
            if input.scalar {
                let number = numbers[k].to_ne_bytes();
                let own = tensor.bytes_mut();
                let n = own.len().min(number.len());
                own[..n].copy_from_slice(&number[..n]);
            } else {
                fill(dtype, tensor.bytes_mut(), k as u64);
            }
            inputs.push(match device {
                Some(device) if !input.scalar => tensor.to_device(device)?,
                _ => tensor,
            });
        }
        let pointers = inputs.iter().map(|t| std::ptr::from_ref(t.dl())).collect();
        Ok((pointers, inputs))
    }
}

/// Elements that are written over and over: of a prime count, so that no two rows of a tensor are alike. What repeats, or lies
/// close together, switches fewer wires: at its power limit a GPU multiplies such matrices up to a tenth faster.
const REPEATED: usize = 262_147;

/// Floats about as a normal distribution has them, of variance 1.
fn fill(dtype: Dtype, bytes: &mut [u8], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let size = dtype.size();
    let mut pattern = vec![0; REPEATED.min(bytes.len() / size.max(1)) * size];
    for element in pattern.chunks_exact_mut(size) {
        let number = uniform() + uniform() + uniform();
        match dtype {
            Dtype::Float64 => element.copy_from_slice(&f64::from(number).to_ne_bytes()),
            Dtype::Float32 => element.copy_from_slice(&number.to_ne_bytes()),
            Dtype::Float16 => element.copy_from_slice(&half::f16::from_f32(number).to_ne_bytes()),
            Dtype::Bfloat16 => element.copy_from_slice(&half::bf16::from_f32(number).to_ne_bytes()),
            _ => return,
        }
    }
    for chunk in bytes.chunks_mut(pattern.len().max(1)) {
        chunk.copy_from_slice(&pattern[..chunk.len()]);
    }
}
