//! Programs: compiled or opened, described, run.

use crate::error::{Error, Status, c_path, c_text, call, give, text};
use crate::options::{Kept, Options};
use crate::sys;
use crate::tensor::{Dtype, Tensor, borrowed};
use std::path::Path;

/// What an output shares its memory with in the exported program; a run gives a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    None,
    Input(usize),
    Constant(usize),
    Output(usize),
}

/// Facts about an input, an output or a constant.
#[derive(Clone, Debug)]
pub struct Info {
    pub name: String,
    pub dtype: Dtype,
    /// DLPack's type and index.
    pub device: (i32, i32),
    pub min_shape: Vec<i64>,
    /// -1: no bound.
    pub max_shape: Vec<i64>,
    /// Runs write to it.
    pub mutated: bool,
    pub alias: Alias,
}

/// How to run once.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// The random state: its seed and where it begins.
    pub seed: Option<(u64, u64)>,
    /// Another device of the same kind than the one compiled for.
    pub device_index: i32,
}

/// A compiled program with its constants. Any number of threads may run one at once.
pub struct Executable {
    handle: *mut sys::litz_executable,
    inputs: Vec<Info>,
    outputs: Vec<Info>,
    _kept: Kept,
}

// SAFETY: executables are for any number of threads.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    pub(crate) fn of(handle: *mut sys::litz_executable, kept: Kept) -> Result<Executable, Error> {
        let library = sys::library()?;
        let mut made = Executable { handle, inputs: Vec::new(), outputs: Vec::new(), _kept: kept };
        // SAFETY: the handle is ours.
        let (inputs, outputs) =
            unsafe { ((library.executable_num_inputs)(handle), (library.executable_num_outputs)(handle)) };
        made.inputs = (0..inputs).map(|k| made.info(0, k)).collect::<Result<_, _>>()?;
        made.outputs = (0..outputs).map(|k| made.info(1, k)).collect::<Result<_, _>>()?;
        Ok(made)
    }

    /// Opens an artifact. Loading runs its code, so open only files that you trust.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Executable, Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the path ends with NUL and the options are alive.
        call(|err| unsafe { (library.executable_open)(path.as_ptr(), options.handle, &mut handle, err) })?;
        Executable::of(handle, options.kept.clone())
    }

    /// Writes an artifact of the program, with the constants as they are now.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: the handle is ours.
        call(|err| unsafe { (library.executable_save)(self.handle, path.as_ptr(), err) })
    }

    /// Another instance: it shares code and constants that no run changes, and has state of its own.
    pub fn instance(&self) -> Result<Executable, Error> {
        let library = sys::library()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle is ours.
        call(|err| unsafe { (library.executable_clone)(self.handle, &mut handle, err) })?;
        Executable::of(handle, self._kept.clone())
    }

    /// The program as JSON.
    pub fn describe(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.executable_describe)(self.handle, out, err) })
    }

    /// The signature as JSON.
    pub fn spec(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.executable_spec)(self.handle, out, err) })
    }

    /// A picture with a box for each kernel: "svg" or "dot".
    pub fn draw(&self, format: &str) -> Result<String, Error> {
        let library = sys::library()?;
        let format = c_text("the format", format)?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.executable_draw)(self.handle, format.as_ptr(), out, err) })
    }

    /// A page of HTML about the program.
    pub fn report(&self) -> Result<String, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        give(|out, err| unsafe { (library.executable_report)(self.handle, out, err) })
    }

    /// What a run takes.
    pub fn inputs(&self) -> &[Info] {
        &self.inputs
    }

    /// What a run gives.
    pub fn outputs(&self) -> &[Info] {
        &self.outputs
    }

    /// The program's parameters, buffers and constants.
    pub fn constants(&self) -> Result<Vec<Info>, Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        let n = unsafe { (library.executable_num_constants)(self.handle) };
        (0..n).map(|k| self.info(2, k)).collect()
    }

    fn info(&self, what: i32, k: usize) -> Result<Info, Error> {
        let library = sys::library()?;
        // SAFETY: a struct of numbers and pointers may be zero.
        let mut info: sys::litz_tensor_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::litz_tensor_info>();
        // SAFETY: the struct says its size.
        call(|err| unsafe { (library.executable_info)(self.handle, what, k, &mut info, err) })?;
        let list = |p: *const i64| -> Vec<i64> {
            // SAFETY: `ndim` sizes, which live as long as the executable.
            if info.ndim == 0 {
                Vec::new()
            } else {
                unsafe { std::slice::from_raw_parts(p, info.ndim as usize) }.to_vec()
            }
        };
        let of = usize::try_from(info.alias_of).unwrap_or(0);
        Ok(Info {
            // SAFETY: the name lives as long as the executable.
            name: unsafe { text(info.name) },
            dtype: Dtype::from_dl(info.dtype)?,
            device: (info.device.device_type, info.device.device_id),
            min_shape: list(info.min_shape),
            max_shape: list(info.max_shape),
            mutated: info.mutated != 0,
            alias: match info.alias_kind {
                1 => Alias::Input(of),
                2 => Alias::Constant(of),
                3 => Alias::Output(of),
                _ => Alias::None,
            },
        })
    }

    /// Runs once. A program that writes to its inputs is refused: [`Executable::run_mut`] lets it.
    pub fn run(&self, inputs: &[&Tensor], options: &RunOptions) -> Result<Vec<Tensor>, Error> {
        self.only_reads()?;
        self.allocated(&borrowed(inputs).pointers(), options)
    }

    /// Runs once; inputs that the program mutates are written to.
    pub fn run_mut(&self, inputs: &mut [Tensor], options: &RunOptions) -> Result<Vec<Tensor>, Error> {
        self.allocated(&borrowed(inputs).pointers(), options)
    }

    fn only_reads(&self) -> Result<(), Error> {
        match self.inputs.iter().find(|i| i.mutated) {
            None => Ok(()),
            Some(input) => {
                let message =
                    format!("the program writes to its input `{}`: run it with run_mut", input.name);
                Err(Error::new(Status::INVALID_ARGUMENT, message))
            }
        }
    }

    fn allocated(&self, inputs: &[*const sys::DLTensor], options: &RunOptions) -> Result<Vec<Tensor>, Error> {
        self.allocated_by(inputs, &options.raw())
    }

    fn allocated_by(
        &self,
        inputs: &[*const sys::DLTensor],
        raw: &sys::litz_run_options,
    ) -> Result<Vec<Tensor>, Error> {
        let library = sys::library()?;
        let mut outputs = vec![std::ptr::null_mut(); self.outputs.len()];
        // SAFETY: inputs are borrowed by the caller, for writing where the program writes to them.
        call(|err| unsafe {
            (library.executable_run)(
                self.handle,
                inputs.as_ptr(),
                inputs.len(),
                outputs.as_mut_ptr(),
                outputs.len(),
                raw,
                err,
            )
        })?;
        // SAFETY: a run that succeeded wrote each of them, and they are ours.
        let given: Vec<_> = outputs.into_iter().map(|t| unsafe { Tensor::given(t) }).collect();
        given.into_iter().collect()
    }

    /// Runs once into tensors of the sizes that [`Executable::infer_outputs`] tells.
    pub fn run_into(
        &self,
        inputs: &[&Tensor],
        outputs: &mut [Tensor],
        options: &RunOptions,
    ) -> Result<(), Error> {
        let library = sys::library()?;
        self.only_reads()?;
        let (inputs, outputs) = (borrowed(inputs), borrowed(outputs));
        let (inputs, outputs) = (inputs.pointers(), outputs.pointers());
        let raw = options.raw();
        // SAFETY: inputs are only read, and outputs are borrowed for writing.
        call(|err| unsafe {
            (library.executable_run_into)(
                self.handle,
                inputs.as_ptr(),
                inputs.len(),
                outputs.as_ptr(),
                outputs.len(),
                &raw,
                err,
            )
        })
    }

    /// The dtype and sizes of the outputs for these inputs; a size that depends on data gets its bound, -1 for none.
    pub fn infer_outputs(&self, inputs: &[&Tensor]) -> Result<Vec<(Dtype, Vec<i64>)>, Error> {
        let library = sys::library()?;
        let given = borrowed(inputs);
        let inputs = given.pointers();
        let mut sizes: Vec<_> = self
            .outputs
            .iter()
            .map(|o| (vec![0i64; o.min_shape.len()], vec![0i64; o.min_shape.len()]))
            .collect();
        let mut outputs: Vec<sys::DLTensor> = sizes
            .iter_mut()
            .map(|(shape, strides)| sys::DLTensor {
                data: std::ptr::null_mut(),
                device: sys::DLDevice { device_type: 1, device_id: 0 },
                ndim: shape.len() as i32,
                dtype: sys::DLDataType { code: 0, bits: 0, lanes: 0 },
                shape: shape.as_mut_ptr(),
                strides: strides.as_mut_ptr(),
                byte_offset: 0,
            })
            .collect();
        // SAFETY: there is room for each output's sizes and strides.
        call(|err| unsafe {
            (library.executable_infer_outputs)(
                self.handle,
                inputs.as_ptr(),
                inputs.len(),
                outputs.as_mut_ptr(),
                outputs.len(),
                err,
            )
        })?;
        let dtypes = outputs.iter().map(|t| Dtype::from_dl(t.dtype)).collect::<Result<Vec<_>, _>>()?;
        Ok(dtypes.into_iter().zip(sizes.into_iter().map(|(shape, _)| shape)).collect())
    }

    /// A copy of a constant as it is now, by its name or an alias.
    pub fn constant(&self, name: &str) -> Result<Tensor, Error> {
        let library = sys::library()?;
        let name = c_text("the name", name)?;
        let mut given = std::ptr::null_mut();
        // SAFETY: the handle is ours; what is written is ours too.
        unsafe {
            call(|err| (library.executable_constant)(self.handle, name.as_ptr(), &mut given, err))?;
            Tensor::given(given)
        }
    }

    /// Replaces constants by name, all or none. Later runs see all of them.
    pub fn update_constants(&self, constants: &[(&str, &Tensor)]) -> Result<(), Error> {
        let library = sys::library()?;
        let names = constants.iter().map(|(n, _)| c_text("a name", n)).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
        let tensors: Vec<&Tensor> = constants.iter().map(|(_, t)| *t).collect();
        let given = borrowed(&tensors);
        let data = given.pointers();
        // SAFETY: names and tensors are borrowed until the call ends.
        call(|err| unsafe {
            (library.executable_update_constants)(self.handle, names.as_ptr(), data.as_ptr(), data.len(), err)
        })
    }

    /// Writes every parameter and buffer to a safetensors file.
    pub fn save_constants(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: the handle is ours.
        call(|err| unsafe { (library.executable_save_constants)(self.handle, path.as_ptr(), err) })
    }

    /// Replaces parameters and buffers by those of a safetensors file, all or nothing.
    pub fn load_constants(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: the handle is ours.
        call(|err| unsafe { (library.executable_load_constants)(self.handle, path.as_ptr(), err) })
    }

    /// Writes a checkpoint: every parameter and buffer, an optimizer's state among them, and the random state that the next run is
    /// given: its seed and offset.
    pub fn save_checkpoint(&self, path: impl AsRef<Path>, random: (u64, u64)) -> Result<(), Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        // SAFETY: the handle is ours.
        call(|err| unsafe {
            (library.executable_save_checkpoint)(self.handle, path.as_ptr(), random.0, random.1, err)
        })
    }

    /// Replaces parameters and buffers by those of a checkpoint, all or nothing; gives the seed and offset that it holds.
    pub fn load_checkpoint(&self, path: impl AsRef<Path>) -> Result<(u64, u64), Error> {
        let library = sys::library()?;
        let path = c_path(path.as_ref())?;
        let (mut seed, mut offset) = (0, 0);
        // SAFETY: the handle is ours, and the places are valid.
        call(|err| unsafe {
            (library.executable_load_checkpoint)(self.handle, path.as_ptr(), &mut seed, &mut offset, err)
        })?;
        Ok((seed, offset))
    }

    /// Runs once as [`Executable::run`] does from a random state, and gives the offset that the next run begins at.
    pub fn run_random(&self, inputs: &[&Tensor], random: (u64, u64)) -> Result<(Vec<Tensor>, u64), Error> {
        self.only_reads()?;
        let mut next = random.1;
        let mut raw = RunOptions { seed: Some(random), ..RunOptions::default() }.raw();
        raw.next_offset = &mut next;
        let outputs = self.allocated_by(&borrowed(inputs).pointers(), &raw)?;
        Ok((outputs, next))
    }

    /// Ends the runs in progress on other threads.
    pub fn cancel(&self) -> Result<(), Error> {
        let library = sys::library()?;
        // SAFETY: the handle is ours.
        call(|err| unsafe { (library.executable_cancel)(self.handle, err) })
    }
}

impl RunOptions {
    fn raw(&self) -> sys::litz_run_options {
        // SAFETY: a struct of numbers and pointers may be zero.
        let mut raw: sys::litz_run_options = unsafe { std::mem::zeroed() };
        raw.struct_size = std::mem::size_of::<sys::litz_run_options>();
        raw.device_index = self.device_index;
        if let Some((seed, offset)) = self.seed {
            raw.flags = 4;
            (raw.seed, raw.offset) = (seed, offset);
        }
        raw
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        if let Ok(library) = sys::library() {
            // SAFETY: the handle is ours, and this is its last use.
            unsafe { (library.executable_release)(self.handle) }
        }
    }
}
