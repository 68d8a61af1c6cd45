//! An executable's parameters and buffers as a safetensors file: weights alone, or a checkpoint.
//!
//! A checkpoint is all that a training program goes on from: parameters, buffers (an optimizer's state and its count of steps are
//! buffers) and the random state. It is a file of weights that holds each of them and says so in its metadata, under one key, so
//! that the same state gives the same bytes.
//!
//! Invariants:
//! - a file is written beside its place and renamed: a reader sees the old file or the new one;
//! - a file is read whole and compared with the program before anything changes.
//!
//! Deliberately absent: where a host stands in its data, and the state of optimizers that are the host's own.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use safetensors::tensor::{Dtype as FileDtype, Metadata, TensorInfo};

use super::capture::View;
use super::executable::TensorInfo as TensorInfoOf;
use super::{Captured, Executable, RuntimeError, Tensor};
use crate::base::{StableSort, Status, file};
use crate::plan::Constant;
use crate::types::Dtype;

/// Kinds of constants that such a file holds: parameters and buffers.
const PARAMETER: i32 = 0;
const BUFFER: i32 = 1;

/// The key of a checkpoint's metadata, and the form of what stands there. A change that earlier readers would misread takes a new
/// number.
const CHECKPOINT: &str = "litz.checkpoint";
const CHECKPOINT_VERSION: u64 = 1;

/// Where the random numbers of the next run go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomState {
    pub seed: u64,
    pub offset: u64,
}

impl RandomState {
    fn metadata(self) -> HashMap<String, String> {
        let RandomState { seed, offset } = self;
        let text = format!("{{\"version\":{CHECKPOINT_VERSION},\"seed\":{seed},\"offset\":{offset}}}");
        HashMap::from([(CHECKPOINT.to_string(), text)])
    }

    fn read(header: &Metadata, path: &Path) -> Result<RandomState, RuntimeError> {
        let refused =
            |status, what: String| RuntimeError::new(status, format!("`{}` {what}", path.display()));
        let Some(text) = header.metadata().as_ref().and_then(|m| m.get(CHECKPOINT)) else {
            let what = format!(
                "is no checkpoint: its metadata lack `{CHECKPOINT}`. Weights are read by load_constants"
            );
            return Err(refused(Status::Parse, what));
        };
        let state: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let number = |key: &str| {
            state[key].as_u64().ok_or_else(|| {
                refused(Status::Parse, format!("is damaged: `{CHECKPOINT}` has no number `{key}`: {text}"))
            })
        };
        let version = number("version")?;
        if version != CHECKPOINT_VERSION {
            let what = format!(
                "is a checkpoint of version {version}; this library reads version {CHECKPOINT_VERSION}"
            );
            return Err(refused(Status::Unsupported, what));
        }
        Ok(RandomState { seed: number("seed")?, offset: number("offset")? })
    }
}

impl Executable {
    /// Writes every parameter and buffer that the program uses as it is now, beside `path` and renamed. The values are those of one
    /// moment, whatever runs meanwhile.
    pub fn save_constants(&self, path: &Path) -> Result<(), RuntimeError> {
        self.save_state(path, None)
    }

    /// The same, and the random state that the next run is given.
    pub fn save_checkpoint(&self, path: &Path, random: RandomState) -> Result<(), RuntimeError> {
        self.save_state(path, Some(random.metadata()))
    }

    fn save_state(&self, path: &Path, metadata: Option<HashMap<String, String>>) -> Result<(), RuntimeError> {
        let cannot = |e: std::io::Error| {
            RuntimeError::io(format!("cannot write the weights `{}`", path.display()), &e)
        };
        // What cannot be written there is known before anything is copied.
        file::check_target(path).map_err(cannot)?;
        let still = self.try_clone()?;
        let mut tensors = Vec::new();
        for (constant, info) in still.plan().constants.iter().zip(still.constants()) {
            let storage = &still.plan().storages[constant.storage as usize];
            let unused = storage.unused && !storage.frozen;
            if (constant.kind == PARAMETER || constant.kind == BUFFER) && !unused {
                let tensor = still.constant(&constant.name)?;
                let (shape, bytes) = (tensor.shape().to_vec(), tensor.bytes().to_vec());
                tensors.push(Named { name: constant.name.clone(), dtype: info.dtype, shape, bytes });
            }
        }
        write(path, metadata, tensors)
    }

    /// Writes the inputs of a run, by their names; none for those that it was not given.
    pub fn save_inputs(&self, inputs: &Captured, path: &Path) -> Result<(), RuntimeError> {
        let named = self.inputs().iter().zip(&inputs.tensors);
        let one = |(info, view): (&TensorInfoOf, &Option<View>)| {
            view.as_ref().map(|view| Named {
                name: info.name.to_string_lossy().into_owned(),
                dtype: view.dtype,
                shape: view.shape.clone(),
                bytes: inputs.contiguous(view),
            })
        };
        write(path, None, named.filter_map(one).collect())
    }

    /// Replaces parameters and buffers by those of a file; all of them or none. Every tensor of the file must be
    /// one of the program's (by its name or an alias) and every parameter that the program uses must be there; buffers that are not keep
    /// their values. A tensor is read only when its type and shape are the program's, so a file takes no more memory
    /// than the program's own constants.
    pub fn load_constants(&self, path: &Path) -> Result<(), RuntimeError> {
        let (source, header) = open(path)?;
        self.load_state(path, source, &header, &[PARAMETER])
    }

    /// Replaces parameters and buffers by those of a checkpoint, all or none, and gives its random state. As
    /// [`Self::load_constants`], but every buffer that the program uses must be there, too: an optimizer whose state kept its first
    /// values would go on otherwise than it did.
    pub fn load_checkpoint(&self, path: &Path) -> Result<RandomState, RuntimeError> {
        let (source, header) = open(path)?;
        let random = RandomState::read(&header, path)?;
        self.load_state(path, source, &header, &[PARAMETER, BUFFER])?;
        Ok(random)
    }

    /// Constants of the kinds `whole` must all be there.
    fn load_state(
        &self,
        path: &Path,
        mut source: File,
        header: &Metadata,
        whole: &[i32],
    ) -> Result<(), RuntimeError> {
        let mut given = vec![None; self.constants().len()];
        let mut tensors = Vec::new();
        for name in header.offset_keys() {
            let info = header.info(&name).expect("the header lists it");
            let k = self.find_constant(&name).ok_or_else(|| {
                let message = format!(
                    "`{}` holds `{name}`, which is no parameter or buffer of the program",
                    path.display()
                );
                RuntimeError::new(Status::InvalidArgument, message)
            })?;
            if let Some(other) = given[k].replace(name.clone()) {
                let message =
                    format!("`{}` holds both `{other}` and `{name}`, which are one constant", path.display());
                return Err(RuntimeError::new(Status::InvalidArgument, message));
            }
            let (start, end) = info.data_offsets;
            self.check_tensor(k, &name, info)?;
            // They lie one after the other, in the order of their offsets.
            let data = file::read_exactly(&mut source, end - start).map_err(|e| cannot_read(path, &e))?;
            let dtype = self.constants()[k].dtype;
            tensors.push((k, Tensor::from_bytes(dtype, &self.plan().constants[k].shape, &data)?, name));
        }
        let mut constants = self.plan().constants.iter().zip(&given);
        let wanted = |c: &Constant| {
            let storage = &self.plan().storages[c.storage as usize];
            whole.contains(&c.kind) && !storage.unused && !storage.frozen
        };
        if let Some((missing, _)) = constants.find(|(c, given)| wanted(c) && given.is_none()) {
            let kind = if missing.kind == PARAMETER { "parameter" } else { "buffer" };
            let message = format!("`{}` lacks the {kind} `{}`", path.display(), missing.name);
            return Err(RuntimeError::new(Status::InvalidArgument, message));
        }
        let updates: Vec<(&str, &Tensor)> =
            tensors.iter().map(|(_, tensor, name)| (name.as_str(), tensor)).collect();
        self.update_tensors(&updates)
    }

    fn check_tensor(&self, k: usize, name: &str, found: &TensorInfo) -> Result<(), RuntimeError> {
        let (info, wanted) = (&self.constants()[k], &self.plan().constants[k].shape);
        if file_dtype(info.dtype) != Some(found.dtype) {
            let message =
                format!("`{name}` is {} in the file, but {} in the program", found.dtype, info.dtype);
            return Err(RuntimeError::new(Status::Dtype, message));
        }
        if !found.shape.iter().map(|n| *n as i64).eq(wanted.iter().copied()) {
            let message = format!(
                "`{name}` has the shape {:?} in the file, but {wanted:?} in the program",
                found.shape
            );
            return Err(RuntimeError::new(Status::Shape, message));
        }
        Ok(())
    }
}

/// A tensor of a file.
struct Named {
    name: String,
    dtype: Dtype,
    shape: Vec<i64>,
    bytes: Vec<u8>,
}

/// Writes a file beside its place, and renames it.
fn write(
    path: &Path,
    metadata: Option<HashMap<String, String>>,
    tensors: Vec<Named>,
) -> Result<(), RuntimeError> {
    let cannot = |e: std::io::Error| RuntimeError::io(format!("cannot write `{}`", path.display()), &e);
    let typed = |t: Named| {
        let dtype = file_dtype(t.dtype).ok_or_else(|| {
            let message = format!("`{}` is {}, which safetensors files cannot hold", t.name, t.dtype);
            RuntimeError::new(Status::Unsupported, message)
        })?;
        Ok((dtype, t))
    };
    let mut tensors = tensors.into_iter().map(typed).collect::<Result<Vec<_>, RuntimeError>>()?;
    // As the format asks: the widest first, so that all lie aligned.
    tensors.stable_sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    let mut end = 0;
    let infos = tensors.iter().map(|(dtype, t)| {
        let shape = t.shape.iter().map(|n| *n as usize).collect();
        let start = end;
        end += t.bytes.len();
        (t.name.clone(), TensorInfo { dtype: *dtype, shape, data_offsets: (start, end) })
    });
    let header = Metadata::new(metadata, infos.collect()).map_err(|e| e.to_string());
    let header = header.and_then(|m| serde_json::to_string(&m).map_err(|e| e.to_string()));
    let mut header = header.map_err(|e| RuntimeError::new(Status::Internal, e))?.into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut out = BufWriter::new(file::NewFile::beside(path, file::Access::Data).map_err(cannot)?);
    out.write_all(&(header.len() as u64).to_le_bytes()).map_err(cannot)?;
    out.write_all(&header).map_err(cannot)?;
    for (_, t) in &tensors {
        out.write_all(&t.bytes).map_err(cannot)?;
    }
    out.into_inner().map_err(|e| cannot(e.into_error()))?.keep().map_err(cannot)
}

fn open(path: &Path) -> Result<(File, Metadata), RuntimeError> {
    let (mut source, metadata) = file::open(path).map_err(|e| cannot_read(path, &e))?;
    let header = read_header(&mut source, metadata.len(), path)?;
    Ok((source, header))
}

fn cannot_read(path: &Path, error: &std::io::Error) -> RuntimeError {
    RuntimeError::io(format!("cannot read the weights `{}`", path.display()), error)
}

/// What the format allows a header to take.
const MOST_HEADER: u64 = 100_000_000;

/// The header; what follows it is then as long as it says.
fn read_header(source: &mut File, length: u64, path: &Path) -> Result<Metadata, RuntimeError> {
    let damaged = |what: &str| {
        let message = format!("`{}` is not a whole safetensors file: {what}", path.display());
        RuntimeError::new(Status::Parse, message)
    };
    if length < 8 {
        return Err(damaged("it is shorter than the length of a header"));
    }
    let size = file::read_exactly(source, 8).map_err(|e| cannot_read(path, &e))?;
    let size = u64::from_le_bytes(size.try_into().expect("eight bytes"));
    if size > MOST_HEADER || size > length - 8 {
        return Err(damaged("its header is longer than the file or than the format allows"));
    }
    let header = file::read_exactly(source, size as usize).map_err(|e| cannot_read(path, &e))?;
    let header: Metadata = serde_json::from_slice(&header).map_err(|e| damaged(&e.to_string()))?;
    if length - 8 - size != header.data_len() as u64 {
        return Err(damaged(&format!(
            "{} bytes follow the header, which lists {}",
            length - 8 - size,
            header.data_len()
        )));
    }
    Ok(header)
}

/// `None`: the format has no such type.
fn file_dtype(dtype: Dtype) -> Option<FileDtype> {
    Some(match dtype {
        Dtype::Bool => FileDtype::BOOL,
        Dtype::Uint8 => FileDtype::U8,
        Dtype::Int8 => FileDtype::I8,
        Dtype::Int16 => FileDtype::I16,
        Dtype::Uint16 => FileDtype::U16,
        Dtype::Int32 => FileDtype::I32,
        Dtype::Uint32 => FileDtype::U32,
        Dtype::Int64 => FileDtype::I64,
        Dtype::Uint64 => FileDtype::U64,
        Dtype::Float16 => FileDtype::F16,
        Dtype::Bfloat16 => FileDtype::BF16,
        Dtype::Float32 => FileDtype::F32,
        Dtype::Float64 => FileDtype::F64,
        Dtype::Complex64 => FileDtype::C64,
        Dtype::Float8E4m3fn => FileDtype::F8_E4M3,
        Dtype::Float8E5m2 => FileDtype::F8_E5M2,
        Dtype::Float8E4m3fnuz => FileDtype::F8_E4M3FNUZ,
        Dtype::Float8E5m2fnuz => FileDtype::F8_E5M2FNUZ,
        Dtype::Complex32 | Dtype::Complex128 => return None,
    })
}
