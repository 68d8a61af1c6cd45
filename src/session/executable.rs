//! A compiled or opened program: a runtime instance, and what saving it takes.

use super::{Options, SessionError};
use crate::base::Status;
use crate::device::toolchain::Toolchain;
use crate::plan::Plan;
use crate::runtime::artifact::{self, ArtifactParts};
use crate::runtime::{self, ConstantBytes, Tensor};
use crate::target::Isa;
use crate::types::Dtype;
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What writing an artifact of a compiled program takes.
#[derive(Clone)]
pub(crate) struct Saved {
    objects: Arc<Vec<Vec<u8>>>,
    toolchain: Toolchain,
    isa: Isa,
    external_weights: bool,
    time_limit: Duration,
}

impl Saved {
    pub fn new(objects: Vec<Vec<u8>>, toolchain: Toolchain, isa: Isa, options: &Options) -> Saved {
        Saved {
            objects: Arc::new(objects),
            toolchain,
            isa,
            external_weights: options.external_weights,
            time_limit: options.compiler_timeout,
        }
    }
    pub fn write(&self, plan: &Plan, constants: &[ConstantBytes], path: &Path) -> Result<(), SessionError> {
        let parts = ArtifactParts {
            plan,
            objects: &self.objects,
            constants,
            toolchain: &self.toolchain,
            isa: self.isa,
            amx: false,
            external_weights: self.external_weights,
            time_limit: self.time_limit,
        };
        artifact::write(path, &parts)?;
        Ok(())
    }
}

pub(crate) fn no_artifact() -> SessionError {
    SessionError::Option {
        status: Status::Unsupported,
        message: "the interpreter makes no artifact: one holds native code; compile with the backend cpu"
            .into(),
    }
}

/// A program that runs. Any number of threads may use one at the same time.
pub struct Executable {
    instance: runtime::Executable,
    saved: Option<Saved>,
}

impl std::ops::Deref for Executable {
    type Target = runtime::Executable;
    fn deref(&self) -> &runtime::Executable {
        &self.instance
    }
}

impl Executable {
    pub(crate) fn new(instance: runtime::Executable, saved: Option<Saved>) -> Executable {
        Executable { instance, saved }
    }
    /// An instance with its own mutable state, as this one's is now.
    pub fn clone_instance(&self) -> Result<Executable, SessionError> {
        Ok(Executable { instance: self.instance.try_clone()?, saved: self.saved.clone() })
    }
    /// Writes the artifact of this program with its constants as they are now.
    pub fn save(&self, path: &Path) -> Result<(), SessionError> {
        if let Some(opened) = self.instance.artifact() {
            let what = format!("copy the artifact to `{}`", path.display());
            return super::copy_file(opened.path(), path)
                .map_err(|e| SessionError::Io { what, reason: e.to_string() });
        }
        let saved = self.saved.as_ref().ok_or_else(no_artifact)?;
        let plan = self.instance.plan();
        let mut constants: Vec<ConstantBytes> = Vec::with_capacity(plan.constants.len());
        for constant in &plan.constants {
            constants.push(Arc::new(self.instance.constant(&constant.name)?.bytes().to_vec()));
        }
        saved.write(plan, &constants, path)
    }
    /// What is known of the program, as JSON.
    pub fn describe(&self) -> String {
        let metadata = self.instance.metadata();
        let Some(opened) = self.instance.artifact() else { return metadata.to_string() };
        let mut value: serde_json::Value = serde_json::from_str(metadata).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.insert("artifact".into(), true.into());
            object.insert("path".into(), opened.path().to_string_lossy().into());
            object.insert("sha256".into(), opened.sha256().into());
        }
        value.to_string()
    }
    /// Writes every parameter and buffer as safetensors, beside `path` and renamed.
    pub fn save_constants(&self, path: &Path) -> Result<(), SessionError> {
        let mut tensors: Vec<(String, Tensor)> = Vec::new();
        for constant in &self.instance.plan().constants {
            if constant.kind != 2 {
                tensors.push((constant.name.clone(), self.instance.constant(&constant.name)?));
            }
        }
        let mut views = Vec::with_capacity(tensors.len());
        for (name, tensor) in &tensors {
            let shape = tensor.shape().iter().map(|n| *n as usize).collect();
            let view =
                TensorView::new(safetensors_dtype(tensor.dtype())?, shape, tensor.bytes()).map_err(|e| {
                    SessionError::Io { what: format!("store the constant `{name}`"), reason: e.to_string() }
                })?;
            views.push((name.as_str(), view));
        }
        let fail = |reason: String| SessionError::Io { what: format!("write `{}`", path.display()), reason };
        let bytes = safetensors::serialize(views, None).map_err(|e| fail(e.to_string()))?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| fail(e.to_string()))?;
        std::io::Write::write_all(&mut file, &bytes).map_err(|e| fail(e.to_string()))?;
        file.as_file().sync_all().map_err(|e| fail(e.to_string()))?;
        file.persist(path).map_err(|e| fail(e.to_string()))?;
        Ok(())
    }
    /// Replaces every parameter and buffer by those of a safetensors file: all, or on any error none.
    pub fn load_constants(&self, path: &Path) -> Result<(), SessionError> {
        let fail = |reason: String| SessionError::Io { what: format!("read `{}`", path.display()), reason };
        let file = std::fs::read(path).map_err(|e| fail(e.to_string()))?;
        let stored = SafeTensors::deserialize(&file).map_err(|e| SessionError::Option {
            status: Status::Parse,
            message: format!("`{}` is no safetensors file: {e}", path.display()),
        })?;
        let plan = self.instance.plan();
        let mut updates: Vec<(String, Tensor)> = Vec::new();
        for constant in plan.constants.iter().filter(|c| c.kind != 2) {
            let names = std::iter::once(&constant.name).chain(&constant.aliases);
            let view = names.into_iter().find_map(|n| stored.tensor(n).ok()).ok_or_else(|| {
                SessionError::invalid(format!("`{}` has no tensor `{}`", path.display(), constant.name))
            })?;
            let dtype = Dtype::from_number(constant.dtype.into()).ok_or_else(|| {
                SessionError::invalid(format!("constant `{}` has no known dtype", constant.name))
            })?;
            let shape: Vec<i64> = view.shape().iter().map(|n| *n as i64).collect();
            if safetensors_dtype(dtype)? != view.dtype() || shape != constant.shape {
                return Err(SessionError::invalid(format!(
                    "tensor `{}` of `{}` is {:?} {shape:?}, not {dtype} {:?}",
                    constant.name,
                    path.display(),
                    view.dtype(),
                    constant.shape
                )));
            }
            updates.push((constant.name.clone(), Tensor::from_bytes(dtype, &shape, view.data())?));
        }
        let known = |n: &str| plan.constants.iter().any(|c| c.name == n || c.aliases.iter().any(|a| a == n));
        if let Some(extra) = stored.names().into_iter().find(|n| !known(n)) {
            return Err(SessionError::invalid(format!(
                "`{}` has a tensor `{extra}`, which the program lacks",
                path.display()
            )));
        }
        let updates: Vec<(&str, &Tensor)> = updates.iter().map(|(n, t)| (n.as_str(), t)).collect();
        Ok(self.instance.update_tensors(&updates)?)
    }
}

fn safetensors_dtype(dtype: Dtype) -> Result<safetensors::Dtype, SessionError> {
    use safetensors::Dtype as S;
    Ok(match dtype {
        Dtype::Float64 => S::F64,
        Dtype::Float32 => S::F32,
        Dtype::Float16 => S::F16,
        Dtype::Bfloat16 => S::BF16,
        Dtype::Int64 => S::I64,
        Dtype::Int32 => S::I32,
        Dtype::Int16 => S::I16,
        Dtype::Int8 => S::I8,
        Dtype::Uint64 => S::U64,
        Dtype::Uint32 => S::U32,
        Dtype::Uint16 => S::U16,
        Dtype::Uint8 => S::U8,
        Dtype::Bool => S::BOOL,
        other => {
            let message = format!("safetensors has no dtype {other}");
            return Err(SessionError::Option { status: Status::Unsupported, message });
        }
    })
}
