//! An executable's parameters and buffers as a safetensors file.

use std::borrow::Cow;
use std::path::Path;

use safetensors::tensor::{Dtype as FileDtype, SafeTensorError, SafeTensors, View};

use super::{Executable, RuntimeError, Tensor};
use crate::base::Status;
use crate::types::Dtype;

/// Kinds of constants that such a file holds: parameters and buffers.
const PARAMETER: i32 = 0;
const BUFFER: i32 = 1;

impl Executable {
    /// Writes every parameter and buffer as it is now, beside `path` and renamed. The values are those of one
    /// moment, whatever runs meanwhile.
    pub fn save_constants(&self, path: &Path) -> Result<(), RuntimeError> {
        let still = self.try_clone()?;
        let mut tensors = Vec::new();
        for (constant, info) in still.plan().constants.iter().zip(still.constants()) {
            if constant.kind == PARAMETER || constant.kind == BUFFER {
                file_dtype(info.dtype).ok_or_else(|| {
                    RuntimeError::new(
                        Status::Unsupported,
                        format!("`{}` is {}, which safetensors files cannot hold", constant.name, info.dtype),
                    )
                })?;
                tensors.push((constant.name.as_str(), Saved::of(still.constant(&constant.name)?)));
            }
        }
        let cannot = |e: &dyn std::fmt::Display| {
            RuntimeError::new(Status::Io, format!("cannot write the weights `{}`: {e}", path.display()))
        };
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".litz-").tempfile_in(folder).map_err(|e| cannot(&e))?;
        safetensors::serialize_to_file(tensors, None, file.path()).map_err(|e| cannot(&e))?;
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).map_err(|e| cannot(&e))?;
        file.persist(path).map_err(|e| cannot(&e.error))?;
        Ok(())
    }

    /// Replaces parameters and buffers by those of a file; all of them or none. Every tensor of the file must be
    /// one of the program's (by its name or an alias) and every parameter must be there; buffers that are not keep
    /// their values.
    pub fn load_constants(&self, path: &Path) -> Result<(), RuntimeError> {
        let bytes = std::fs::read(path)
            .map_err(|e| RuntimeError::io(format!("cannot read the weights `{}`", path.display()), &e))?;
        let file = SafeTensors::deserialize(&bytes).map_err(|e| damaged(path, &e))?;
        let mut given = vec![None; self.constants().len()];
        let mut tensors = Vec::new();
        for (name, view) in file.iter() {
            let k = self.find_constant(name).ok_or_else(|| {
                let message = format!(
                    "`{}` holds `{name}`, which is no parameter or buffer of the program",
                    path.display()
                );
                RuntimeError::new(Status::InvalidArgument, message)
            })?;
            if let Some(other) = given[k].replace(name) {
                let message =
                    format!("`{}` holds both `{other}` and `{name}`, which are one constant", path.display());
                return Err(RuntimeError::new(Status::InvalidArgument, message));
            }
            tensors.push((name, self.read_tensor(k, name, view.dtype(), view.shape(), view.data())?));
        }
        let mut constants = self.plan().constants.iter().zip(&given);
        if let Some((missing, _)) = constants.find(|(c, given)| c.kind == PARAMETER && given.is_none()) {
            let message = format!("`{}` lacks the parameter `{}`", path.display(), missing.name);
            return Err(RuntimeError::new(Status::InvalidArgument, message));
        }
        let updates: Vec<(&str, &Tensor)> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        self.update_tensors(&updates)
    }

    fn read_tensor(
        &self,
        k: usize,
        name: &str,
        dtype: FileDtype,
        shape: &[usize],
        data: &[u8],
    ) -> Result<Tensor, RuntimeError> {
        let (info, wanted) = (&self.constants()[k], &self.plan().constants[k].shape);
        if file_dtype(info.dtype) != Some(dtype) {
            let message = format!("`{name}` is {dtype:?} in the file, but {} in the program", info.dtype);
            return Err(RuntimeError::new(Status::Dtype, message));
        }
        if !shape.iter().map(|n| *n as i64).eq(wanted.iter().copied()) {
            let message =
                format!("`{name}` has the shape {shape:?} in the file, but {wanted:?} in the program");
            return Err(RuntimeError::new(Status::Shape, message));
        }
        Tensor::from_bytes(info.dtype, wanted, data)
    }
}

fn damaged(path: &Path, error: &SafeTensorError) -> RuntimeError {
    RuntimeError::new(Status::Parse, format!("`{}` is not a whole safetensors file: {error}", path.display()))
}

/// A tensor as safetensors wants to see it.
struct Saved {
    tensor: Tensor,
    shape: Vec<usize>,
}

impl Saved {
    fn of(tensor: Tensor) -> Saved {
        let shape = tensor.shape().iter().map(|n| *n as usize).collect();
        Saved { tensor, shape }
    }
}

impl View for Saved {
    fn dtype(&self) -> FileDtype {
        file_dtype(self.tensor.dtype()).expect("checked before the tensor was taken")
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.tensor.bytes())
    }
    fn data_len(&self) -> usize {
        self.tensor.bytes().len()
    }
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
