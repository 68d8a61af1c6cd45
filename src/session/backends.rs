//! The backends: by name, which of them can be used here, and the one that options ask for.
//!
//! Invariant: a backend that is asked for by name never falls back to another.
//!
//! Deliberately absent: what each does with a graph (see the pipeline).

use super::SessionError;
#[cfg(feature = "cuda")]
use super::cuda;
use super::hosted::HostBackend;
use super::native;
use super::options::{BackendRequest, Options};
use crate::base::event::Event;
use crate::base::{Status, json};
use crate::decompose::{Decomposed, HostRules, Kernels};
use crate::device::cpu;
use crate::device::toolchain::{Toolchain, ToolchainError};
use crate::ops::OpId;
use crate::target::{CpuTarget, Target};
use serde_json::Value;
use std::sync::Arc;

/// A backend's name and tags. `debug` is for finding mistakes, not for speed.
const BACKENDS: [(&str, &[&str]); 5] = [
    ("cpu", &["native"]),
    ("cuda", &["native", "gpu"]),
    ("interpreter", &["debug"]),
    ("nop", &["debug"]),
    ("print", &["debug"]),
];

/// The backends without any of the tags, as a JSON array: name, tags, whether it can be used here, and why not.
pub fn backends_json(exclude: &[&str]) -> String {
    let one = |(name, tags): &(&str, &[&str])| {
        let why = unusable(name);
        json!({"name": name, "tags": tags, "available": why.is_none(), "why_not": why})
    };
    let kept = BACKENDS.iter().filter(|(_, tags)| !tags.iter().any(|t| exclude.contains(t)));
    Value::Array(kept.map(one).collect()).to_string()
}

/// Why a backend cannot be used here.
fn unusable(name: &str) -> Option<String> {
    let options = Options::new();
    match name {
        "cpu" => Toolchain::find(&options.search(&options.cache())).err().map(|e| e.to_string()),
        #[cfg(feature = "cuda")]
        "cuda" => cuda::Gpu::find(&options).err().map(|e| e.to_string()),
        #[cfg(not(feature = "cuda"))]
        "cuda" => Some("this build has no backend `cuda`".to_string()),
        _ => None,
    }
}

/// The backend that a compilation ends up with.
pub(super) enum Backend {
    Cpu(Box<native::Builder>),
    #[cfg(feature = "cuda")]
    Cuda {
        gpu: Box<cuda::Gpu>,
    },
    Interpreter {
        because: Option<String>,
    },
    /// The interpreter on the functional graph, without Litz's own passes.
    Nop {
        name: &'static str,
    },
    Host(Arc<HostBackend>),
}

impl Backend {
    /// Whether it takes graphs as they are made functional, which Litz's own passes do not rewrite.
    pub fn is_plain(&self) -> bool {
        matches!(self, Backend::Nop { .. } | Backend::Host(_))
    }
    /// Whether its graphs have no composite operators.
    pub fn is_decomposed(&self) -> bool {
        if let Backend::Host(backend) = self { backend.decomposed } else { true }
    }
    /// Whether halves are rounded within operators, where PyTorch's kernels for a CPU round them.
    pub fn rounds_within(&self, options: &Options, target: Option<&Target>) -> bool {
        options.strict_numerics && self.is_decomposed() && !matches!(target, Some(Target::Cuda(_)))
    }
    /// The machine that its kernels are for.
    pub fn target(&self) -> Option<Target> {
        match self {
            Backend::Cpu(builder) => builder.targets.first().cloned().map(Target::Cpu),
            #[cfg(feature = "cuda")]
            Backend::Cuda { gpu } => Some(Target::Cuda(gpu.target.clone())),
            _ => None,
        }
    }
    /// What it has kernels for, given its target and a host's rules. A host's backend is given simple operators where it wants any.
    /// An attention that a host computes in its own way gives no sums, so that its gradient has no kernel either.
    pub fn kernels<'t>(&self, target: Option<&'t Target>, host: &HostRules) -> Kernels<'t> {
        match (self, target) {
            (Backend::Host(_), _) => Kernels::None,
            _ if host.contains_key(&Decomposed::Operator(OpId::ScaledDotProductAttention)) => Kernels::None,
            (_, Some(target)) => Kernels::Of(target),
            _ => Kernels::All,
        }
    }
    pub fn name(&self) -> &str {
        match self {
            Backend::Cpu(_) => "cpu",
            #[cfg(feature = "cuda")]
            Backend::Cuda { .. } => "cuda",
            Backend::Interpreter { .. } => "interpreter",
            Backend::Nop { name } => name,
            Backend::Host(backend) => &backend.name,
        }
    }
}

/// The backend that the options ask for, with what it compiles with.
pub(super) fn choose(options: &Options) -> Result<Backend, SessionError> {
    let chosen = wanted(options)?;
    if let Backend::Interpreter { because: Some(because) } = &chosen {
        options.emit(&Event::Fallback { asked: "auto", got: "interpreter", because: because.clone() });
    }
    // What falls back was asked for as a program for the CPU, and tells that it is none.
    let fell_back = matches!(&chosen, Backend::Interpreter { because: Some(_) });
    options.check_backend(if fell_back { "cpu" } else { chosen.name() })?;
    Ok(chosen)
}

/// [`choose`], which tells nobody yet.
pub(super) fn wanted(options: &Options) -> Result<Backend, SessionError> {
    let found = || -> Result<Backend, SessionError> {
        let native = cpu::detect();
        let isas = if options.isas.is_empty() { vec![native.isa] } else { options.isas.clone() };
        if isas[0] > native.isa {
            return Err(SessionError::Option {
                status: Status::Unsupported,
                message: "this machine lacks the instruction set that option `cpu.isa` asks for".to_string(),
            });
        }
        let threads = options.threads.unwrap_or(native.cores);
        // Cores decide how sums are split, and so how they are rounded.
        let cores = if options.deterministic { DETERMINISTIC_CORES } else { threads };
        let targets =
            isas.into_iter().map(|isa| CpuTarget { cores, ..native.clone().with_isa(isa) }).collect();
        let cache = options.cache();
        let toolchain = Toolchain::find(&options.search(&cache))?;
        Ok(Backend::Cpu(Box::new(native::Builder { targets, threads, toolchain, cache })))
    };
    options.check_remote_cache()?;
    if options.device != 0 && options.backend != BackendRequest::Cuda {
        let message = format!("option `device` is {}, but the CPU has one device, 0", options.device);
        return Err(SessionError::invalid(message));
    }
    match &options.backend {
        #[cfg(feature = "cuda")]
        BackendRequest::Cuda => Ok(Backend::Cuda { gpu: Box::new(cuda::Gpu::find(options)?) }),
        #[cfg(not(feature = "cuda"))]
        BackendRequest::Cuda => unreachable!("the option does not take it"),
        BackendRequest::Cpu => found(),
        BackendRequest::Interpreter => Ok(Backend::Interpreter { because: None }),
        BackendRequest::Nop => Ok(Backend::Nop { name: "nop" }),
        BackendRequest::Print => Ok(Backend::Nop { name: "print" }),
        BackendRequest::Host(name) => {
            let found = options.registered().backend(name).cloned();
            found.map(Backend::Host).ok_or_else(|| {
                SessionError::invalid(format!("the options' registry has no backend `{name}`"))
            })
        }
        BackendRequest::Auto => match found() {
            Err(SessionError::Toolchain(
                error @ (ToolchainError::Missing { .. } | ToolchainError::Unusable { .. }),
            )) => Ok(Backend::Interpreter { because: Some(error.to_string()) }),
            other => other,
        },
    }
}

/// What programs with the option `deterministic` are written for, whatever the machine has.
const DETERMINISTIC_CORES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::HostRule;

    #[test]
    fn a_hosts_attention_has_no_gradient_of_another() {
        let backend = Backend::Interpreter { because: None };
        let rule: HostRule = Arc::new(|_, _, _, _| Ok(None));
        let with = |op: OpId| HostRules::from_iter([(Decomposed::Operator(op), rule.clone())]);
        let kernels = |op: OpId| backend.kernels(None, &with(op));
        assert!(matches!(kernels(OpId::ScaledDotProductAttention), Kernels::None));
        assert!(matches!(kernels(OpId::Linear), Kernels::All));
    }
}
