//! A compiled or opened program: a runtime instance, and what saving it takes.

use super::compare::Comparison;
use super::frozen::Frozen;
use super::inside::{self, Inside};
use super::overlap::Recompiled;
use super::profile;
use super::registry::SharedRegistry;
use super::variants::Variant;
use super::{Options, SessionError, usage};
use crate::base::{HashSet, Status};
use crate::device::cpu;
use crate::device::toolchain::Toolchain;
use crate::ir::Graph;
use crate::picture::Outline;
use crate::plan::Plan;
use crate::runtime::artifact::{self, ArtifactParts};
use crate::runtime::overlap::Forms;
use crate::runtime::{self, ConstantBytes, Cubin, CudaRuns, Weights};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The forms of a program for inputs that share memory, one for each of its variants.
pub(crate) struct SavedForms {
    pub variants: Vec<Variant>,
    pub cubins: Arc<Vec<Cubin>>,
    pub bases: Vec<u32>,
    pub storages: Vec<u32>,
}

/// Constants that an artifact is written with, and that no instance holds.
#[derive(Default)]
struct Dropped {
    constants: Vec<ConstantBytes>,
    _counted: Option<Weights>,
}

/// What writing an artifact of a compiled program takes.
#[derive(Clone)]
pub(crate) struct Saved {
    variants: Arc<Vec<Variant>>,
    cubins: Arc<Vec<Cubin>>,
    runs: CudaRuns,
    /// For inputs that share memory.
    forms: Option<Arc<SavedForms>>,
    /// The artifact's data for pictures, where they were asked for.
    notes: Option<Arc<Vec<u8>>>,
    /// Whether this machine runs it, and it is for no other kind: then what it makes of constants can stand in their place.
    here: bool,
    /// For each storage that instances drop, the data that an artifact for other machines too makes its own of.
    dropped: Arc<Dropped>,
    /// What links it; a program for a GPU was compiled without, and looks for one when it is saved.
    toolchain: Option<Toolchain>,
    options: Arc<Options>,
}

impl Saved {
    pub fn new(variants: Vec<Variant>, toolchain: Toolchain, options: &Options) -> Saved {
        let here = matches!(&variants[..], [only] if only.isa <= cpu::native_isa());
        Saved {
            variants: Arc::new(variants),
            cubins: Arc::default(),
            runs: CudaRuns::default(),
            forms: None,
            notes: None,
            here,
            dropped: Arc::default(),
            toolchain: Some(toolchain),
            options: Arc::new(options.clone()),
        }
    }
    /// Of a program for a GPU; `here`: one that this machine has.
    #[cfg(feature = "cuda")]
    pub fn of_cubins(
        variants: Vec<Variant>,
        (cubins, runs): (Arc<Vec<Cubin>>, CudaRuns),
        here: bool,
        options: &Options,
    ) -> Saved {
        Saved {
            variants: Arc::new(variants),
            cubins,
            runs,
            forms: None,
            notes: None,
            here,
            dropped: Arc::default(),
            toolchain: None,
            options: Arc::new(options.clone()),
        }
    }
    /// With the forms for inputs that share memory.
    pub fn with_forms(self, forms: Option<SavedForms>) -> Saved {
        Saved { forms: forms.map(Arc::new), ..self }
    }
    pub fn has_forms(&self) -> bool {
        self.forms.is_some()
    }
    /// The symbols of the kernels that it has objects of.
    pub fn kernels(&self) -> HashSet<&str> {
        self.variants.iter().flat_map(|v| &v.plan.kernels).map(|k| k.symbol.as_str()).collect()
    }
    /// The programs and a GPU's kernels.
    pub fn into_programs(self) -> Option<(Vec<Variant>, Arc<Vec<Cubin>>)> {
        Some((Arc::into_inner(self.variants)?, self.cubins))
    }
    /// With the data for pictures.
    pub fn with_notes(self, notes: Option<Vec<u8>>) -> Saved {
        Saved { notes: notes.map(Arc::new), ..self }
    }
    /// With the constants that instances drop, where an artifact holds them.
    pub fn with_dropped(self, plan: &Plan, constants: &[ConstantBytes]) -> Saved {
        if self.here || !usage::drops(plan) {
            return self;
        }
        let nothing = || Arc::new(Vec::new()) as ConstantBytes;
        let keep =
            |(data, dropped): (&ConstantBytes, bool)| if dropped { Arc::clone(data) } else { nothing() };
        let constants: Vec<_> = constants.iter().zip(usage::dropped(plan)).map(keep).collect();
        let counted = Some(Weights::hold(&constants, &vec![false; constants.len()]));
        Saved { dropped: Arc::new(Dropped { constants, _counted: counted }), ..self }
    }
    /// Whether the file holds what was made of constants in their place.
    pub fn folds(&self) -> bool {
        let folds = |plan: &Plan| usage::drops(plan) || self.options.freeze && usage::calls_once(plan);
        self.here && self.variants.iter().any(|v| folds(&v.plan))
    }
    /// The program with what an instance of it made of constants, and an instance of its form.
    pub fn frozen(
        &self,
        instance: &runtime::Executable,
        form: Option<&runtime::Executable>,
    ) -> Result<Frozen, SessionError> {
        let formed = self.forms.as_ref().map(|f| &f.variants[0].plan).zip(form);
        Frozen::of(&self.variants[0].plan, instance, formed)
    }
    /// As [`Self::write`], without the constants that were dropped.
    pub fn write_frozen(&self, frozen: &Frozen, path: &Path) -> Result<(PathBuf, String), SessionError> {
        self.write_plans(Some(frozen), &frozen.constants, path)
    }
    /// Gives the file's path and its SHA-256.
    pub fn write(&self, constants: &[ConstantBytes], path: &Path) -> Result<(PathBuf, String), SessionError> {
        self.write_plans(None, constants, path)
    }
    /// `frozen` holds the plans of the one variant, where they are others.
    fn write_plans(
        &self,
        frozen: Option<&Frozen>,
        constants: &[ConstantBytes],
        path: &Path,
    ) -> Result<(PathBuf, String), SessionError> {
        let (found, options) = (&self.toolchain, &self.options);
        let toolchain = match found {
            Some(toolchain) => toolchain,
            None => &Toolchain::find(&options.search(&options.cache()))?,
        };
        fn part<'a>(v: &'a Variant, plan: Option<&'a Plan>) -> artifact::Variant<'a> {
            artifact::Variant { plan: plan.unwrap_or(&v.plan), objects: &v.objects, isa: v.isa, amx: false }
        }
        let variants: Vec<_> = self.variants.iter().map(|v| part(v, frozen.map(|f| &f.plan))).collect();
        let formed = self.forms.iter().flat_map(|f| f.variants.iter());
        let formed: Vec<_> = formed.map(|v| part(v, frozen.and_then(|f| f.form.as_ref()))).collect();
        let forms = self.forms.as_ref().map(|f| artifact::Forms {
            variants: &formed,
            cubins: &f.cubins,
            bases: &f.bases,
            storages: &f.storages,
        });
        let parts = ArtifactParts {
            variants: &variants,
            forms,
            cubins: &self.cubins,
            runs: self.runs,
            constants,
            toolchain,
            external_weights: options.external_weights,
            prefix: &options.artifact_prefix,
            time_limit: options.compiler_timeout,
            notes: self.notes.as_ref().map(|n| n.as_slice()),
            dump: options.dump.as_deref(),
        };
        Ok(artifact::write(path, &parts)?)
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
    /// What describe says of how this one came to be.
    about: Arc<Value>,
    /// Makes its forms for inputs that share memory.
    recompiled: Option<Arc<Recompiled>>,
    comparison: Option<Arc<Comparison>>,
    /// What it was compiled from and to; of an artifact once somebody asked.
    inside: OnceLock<Option<Arc<(Outline, Inside)>>>,
    /// What the host registered lives as long as what it took part in.
    registry: Option<SharedRegistry>,
}

impl std::ops::Deref for Executable {
    type Target = runtime::Executable;
    fn deref(&self) -> &runtime::Executable {
        &self.instance
    }
}

impl Executable {
    pub(crate) fn new(instance: runtime::Executable, saved: Option<Saved>, about: Value) -> Executable {
        let about = Arc::new(about);
        let (recompiled, comparison, inside, registry) = (None, None, OnceLock::new(), None);
        Executable { instance, saved, about, recompiled, comparison, inside, registry }
    }
    pub(crate) fn with_recompiled(self, recompiled: Option<Arc<Recompiled>>) -> Executable {
        Executable { recompiled, ..self }
    }
    /// With another who gives its forms for inputs that share memory.
    pub(crate) fn with_forms(self, forms: Arc<dyn Forms>) -> Executable {
        Executable { instance: self.instance.with_forms(Some(forms)), recompiled: None, ..self }
    }
    pub(crate) fn with_comparison(self, comparison: Option<Arc<Comparison>>) -> Executable {
        Executable { comparison, ..self }
    }
    pub(crate) fn keeping(self, registry: Option<SharedRegistry>) -> Executable {
        Executable { registry, ..self }
    }
    /// The first difference that `debug.compare` found since the last call.
    pub fn take_difference(&self) -> Option<String> {
        self.comparison.as_ref().and_then(|c| c.take_difference())
    }
    pub(super) fn with_inside(self, graph: &Graph, inside: Inside) -> Executable {
        Executable { inside: Some(Arc::new((Outline::of(graph), inside))).into(), ..self }
    }
    /// `None`: the artifact does not hold it.
    pub(super) fn inside(&self) -> Result<Option<Arc<(Outline, Inside)>>, SessionError> {
        if let Some(known) = self.inside.get() {
            return Ok(known.clone());
        }
        let notes =
            self.instance.artifact().map(|a| Ok::<_, SessionError>((a.notes()?, a.isa()))).transpose()?;
        let read = match notes {
            Some((Some(notes), isa)) => Some(Arc::new(inside::read_notes(&notes, isa)?)),
            _ => None,
        };
        Ok(self.inside.get_or_init(|| read).clone())
    }
    /// An instance with its own mutable state, as this one's is now.
    pub fn clone_instance(&self) -> Result<Executable, SessionError> {
        let instance = self.instance.try_clone()?;
        Ok(Executable {
            instance,
            saved: self.saved.clone(),
            about: self.about.clone(),
            recompiled: self.recompiled.clone(),
            comparison: self.comparison.clone(),
            inside: self.inside.clone(),
            registry: self.registry.clone(),
        })
    }
    /// Writes the artifact of this program with its constants as they are now. Gives the file's path.
    pub fn save(&self, path: &Path) -> Result<PathBuf, SessionError> {
        let mut constants: Vec<ConstantBytes> = Vec::new();
        let plan = self.instance.plan();
        if self.saved.is_none() && self.instance.artifact().is_none() {
            return Err(no_artifact());
        }
        if let Some(saved) = self.saved.as_ref().filter(|s| s.folds()) {
            // A program that drops constants was made with its form.
            let forms = self.instance.forms().filter(|_| saved.has_forms());
            let form = forms.map(|forms| forms.form(&[])).transpose()?;
            let frozen = saved.frozen(&self.instance, form.as_ref().map(|f| &f.program))?;
            return Ok(saved.write_frozen(&frozen, path)?.0);
        }
        let dropped = usage::dropped(plan);
        let kept = if dropped.contains(&true) { self.dropped()? } else { Vec::new() };
        for (storage, dropped) in dropped.into_iter().enumerate() {
            constants.push(match kept.get(storage).filter(|_| dropped) {
                Some(data) => Arc::clone(data),
                None => Arc::new(self.instance.storage(storage)?),
            });
        }
        let (file, _) = match (&self.saved, self.instance.artifact()) {
            (_, Some(opened)) => artifact::rewrite(path, opened, &constants)?,
            (Some(saved), None) => {
                let saved = match &self.recompiled {
                    Some(r) => saved.clone().with_forms(r.saved(plan, &saved.kernels())?),
                    None => saved.clone(),
                };
                saved.write(&constants, path)?
            }
            (None, None) => return Err(no_artifact()),
        };
        Ok(file)
    }
    /// The data of the storages that the instance dropped: of a compiled program as it was given, of an opened one from its file.
    /// Empty where nobody has it.
    fn dropped(&self) -> Result<Vec<ConstantBytes>, SessionError> {
        Ok(match (&self.saved, self.instance.artifact()) {
            (_, Some(opened)) => opened.storages()?,
            (Some(saved), None) => saved.dropped.constants.clone(),
            (None, None) => Vec::new(),
        })
    }
    /// The signature, as JSON; programs of earlier versions have none.
    pub fn spec(&self) -> Result<Value, SessionError> {
        let mut value: Value = serde_json::from_str(self.instance.metadata()).unwrap_or_default();
        let spec = value.as_object_mut().and_then(|object| object.shift_remove("spec"));
        spec.ok_or_else(|| SessionError::Option {
            status: Status::Unsupported,
            message: "the artifact holds no signature: it was made before there were any; make it again"
                .into(),
        })
    }
    /// What is known of the program, as JSON.
    pub fn describe(&self) -> String {
        self.described().to_string()
    }
    /// [`Executable::describe`] before it is text.
    pub(super) fn described(&self) -> Value {
        let mut value = with_about(self.instance.metadata(), &self.about);
        let Some(object) = value.as_object_mut() else { return value };
        // It may be large, and has a call of its own.
        object.shift_remove("spec");
        object.shift_remove("costs");
        if let Some(counts) = self.instance.graph_counts() {
            let entry = crate::base::json!({
                "recorded": counts.recorded,
                "replayed": counts.replayed,
                "patched": counts.patched,
                "step_by_step": counts.eager,
                "not_recorded_because": counts.reason,
            });
            object.insert("graphs".into(), entry);
        }
        if let Some(opened) = self.instance.artifact() {
            object.insert("artifact".into(), true.into());
            object.insert("path".into(), opened.path().to_string_lossy().into());
            object.insert("sha256".into(), opened.sha256().into());
        }
        if let Some(section) = profile::section(&self.instance, &value)
            && let Some(object) = value.as_object_mut()
        {
            object.insert("profile".into(), section);
        }
        value
    }
}

/// A plan's metadata and what is said of its compilation alone.
pub fn with_about(metadata: &str, about: &Value) -> Value {
    let mut value: Value = serde_json::from_str(metadata).unwrap_or_default();
    if let (Some(object), Some(about)) = (value.as_object_mut(), about.as_object()) {
        object.extend(about.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    value
}
