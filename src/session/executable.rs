//! A compiled or opened program: a runtime instance, and what saving it takes.

use super::{Options, SessionError};
use crate::base::Status;
use crate::device::toolchain::Toolchain;
use crate::plan::Plan;
use crate::runtime::artifact::{self, ArtifactParts};
use crate::runtime::{self, ConstantBytes, Cubin, CudaRuns};
use crate::target::Isa;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What writing an artifact of a compiled program takes.
#[derive(Clone)]
pub(crate) struct Saved {
    objects: Arc<Vec<Vec<u8>>>,
    cubins: Arc<Vec<Cubin>>,
    runs: CudaRuns,
    /// What links it; a program for a GPU was compiled without, and looks for one when it is saved.
    toolchain: Result<Toolchain, Box<Options>>,
    isa: Isa,
    external_weights: bool,
    time_limit: Duration,
    dump: Option<PathBuf>,
}

impl Saved {
    pub fn new(objects: Vec<Vec<u8>>, toolchain: Toolchain, isa: Isa, options: &Options) -> Saved {
        Saved {
            objects: Arc::new(objects),
            cubins: Arc::default(),
            runs: CudaRuns::default(),
            toolchain: Ok(toolchain),
            isa,
            external_weights: options.external_weights,
            time_limit: options.compiler_timeout,
            dump: options.dump.clone(),
        }
    }
    /// Of a program for a GPU.
    #[cfg(feature = "cuda")]
    pub fn of_cubins(cubins: Arc<Vec<Cubin>>, runs: CudaRuns, options: &Options) -> Saved {
        Saved {
            objects: Arc::default(),
            cubins,
            runs,
            toolchain: Err(Box::new(options.clone())),
            isa: Isa::Scalar,
            external_weights: options.external_weights,
            time_limit: options.compiler_timeout,
            dump: options.dump.clone(),
        }
    }
    pub fn write(&self, plan: &Plan, constants: &[ConstantBytes], path: &Path) -> Result<(), SessionError> {
        let found;
        let toolchain = match &self.toolchain {
            Ok(toolchain) => toolchain,
            Err(options) => {
                found = Toolchain::find(&options.search(options.cache().as_ref().ok()))?;
                &found
            }
        };
        let parts = ArtifactParts {
            plan,
            objects: &self.objects,
            cubins: &self.cubins,
            runs: self.runs,
            constants,
            toolchain,
            isa: self.isa,
            amx: false,
            external_weights: self.external_weights,
            time_limit: self.time_limit,
            dump: self.dump.as_deref(),
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
        let mut constants: Vec<ConstantBytes> = Vec::with_capacity(plan.storages.len());
        for storage in 0..plan.storages.len() {
            constants.push(Arc::new(self.instance.storage(storage)?));
        }
        saved.write(plan, &constants, path)
    }
    /// What is known of the program, as JSON.
    pub fn describe(&self) -> String {
        let metadata = self.instance.metadata();
        let (opened, counts) = (self.instance.artifact(), self.instance.graph_counts());
        if opened.is_none() && counts.is_none() {
            return metadata.to_string();
        }
        let mut value: serde_json::Value = serde_json::from_str(metadata).unwrap_or_default();
        if let (Some(object), Some(counts)) = (value.as_object_mut(), counts) {
            let entry = serde_json::json!({
                "recorded": counts.recorded,
                "replayed": counts.replayed,
                "patched": counts.patched,
                "step_by_step": counts.eager,
                "not_recorded_because": counts.reason,
            });
            object.insert("graphs".into(), entry);
        }
        if let (Some(object), Some(opened)) = (value.as_object_mut(), opened) {
            object.insert("artifact".into(), true.into());
            object.insert("path".into(), opened.path().to_string_lossy().into());
            object.insert("sha256".into(), opened.sha256().into());
        }
        value.to_string()
    }
}
