//! Options that were set and cannot act: a key for another backend, or one that another key takes its meaning from. A user
//! who set it expects something of it, so it is an error, which names both.
//!
//! Deliberately absent: keys that a mode sets, since a mode is for every backend; keys of the cache, of artifacts and of training, which
//! programs of all kinds share in a host's one set of options.

use super::options::VendorRequest;
use super::{Options, SessionError};

/// Keys that act when an artifact is opened, or are refused there by name. All others are decided when it is written.
const AT_OPEN: [&str; 11] = [
    "backend",
    "device",
    "cpu.isa",
    "cpu.threads",
    "artifact.sha256",
    "log",
    "trace.file",
    "profile",
    "debug.check",
    "debug.compare",
    "debug.save_inputs",
];

/// Keys, by their beginnings, that act on a CPU alone.
const OF_CPU: [&str; 1] = ["cpu."];
/// Keys of the C++ compiler: what links an artifact of a GPU's program, too, and what compiles kernels for a CPU.
const OF_LINKING: [&str; 2] = ["cpp.compiler", "cpp.timeout"];
const OF_CPP: [&str; 3] = ["cpp.flags", "cpp.optimization", "cpp.strict"];
/// Keys that act on a GPU alone.
const OF_GPU: [&str; 7] = [
    "cuda.",
    "cudagraph.",
    "autotune.",
    "artifact.vendor",
    "run.host_tensors",
    "debug.choice",
    "debug.size_asserts",
];

impl Options {
    /// What is said of keys that were set and do not act when an artifact is opened; a host may open with the options that it
    /// compiled with, so they are no error.
    pub(super) fn idle_at_open(&self) -> Option<String> {
        let acts = |key: &str| AT_OPEN.contains(&key) || (key == "debug.dump" && self.save_inputs);
        let idle = self.given.iter().filter(|(key, value)| !acts(key) && !is_default(key, value));
        let idle: Vec<String> = idle.map(|(key, value)| format!("`{key}` = `{value}`")).collect();
        (!idle.is_empty()).then(|| {
            format!(
                "these options act when a program is compiled, and not on an artifact that is opened: {}",
                idle.join(", ")
            )
        })
    }

    /// Refuses what was set, to another value than the default, and is not for this backend.
    pub(super) fn check_backend(&self, backend: &str) -> Result<(), SessionError> {
        let foreign: &[&[&str]] = match backend {
            "cuda" => &[&OF_CPU, &OF_CPP],
            "cpu" => &[&OF_GPU],
            _ => &[&OF_CPU, &OF_LINKING, &OF_CPP, &OF_GPU],
        };
        for (key, value) in &self.given {
            if foreign.iter().copied().flatten().any(|prefix| key.starts_with(prefix))
                && !is_default(key, value)
            {
                let message = format!(
                    "option `{key}` is `{value}`, which cannot act: the program is for the backend {backend}"
                );
                return Err(SessionError::invalid(message));
            }
        }
        Ok(())
    }

    /// Refuses a remote cache that nobody could trust.
    pub(super) fn check_remote_cache(&self) -> Result<(), SessionError> {
        if self.cache_remote.is_some() && self.cache_remote_key.is_none() {
            let message = "option `cache.remote` needs option `cache.remote_key`: entries are code, and what seals them says \
                           whose";
            return Err(SessionError::invalid(message));
        }
        Ok(())
    }

    /// Refuses keys that contradict each other, or leave one without meaning, in a program for a GPU.
    pub(super) fn check_gpu(&self) -> Result<(), SessionError> {
        let off = self.vendor == VendorRequest::Off;
        let files = [
            ("cuda.cublaslt", &self.cublaslt),
            ("cuda.cudnn", &self.cudnn),
            ("cuda.cufft", &self.cufft),
            ("cuda.cusolver", &self.cusolver),
        ];
        for (key, file) in files {
            if off && file.is_some() {
                let message = format!("option `{key}` cannot act: option `artifact.vendor` is off");
                return Err(SessionError::invalid(message));
            }
        }
        let given = |key: &str| self.given.get(key).filter(|value| !is_default(key, value));
        for key in ["cudagraph.trees", "cudagraph.limit"] {
            if given(key).is_some() && !self.graphs {
                let message = format!("option `{key}` cannot act: option `cudagraph.enabled` is false");
                return Err(SessionError::invalid(message));
            }
        }
        if given("debug.choice").is_some() && !self.autotunes {
            let message = "option `debug.choice` cannot act: option `autotune.enabled` is false";
            return Err(SessionError::invalid(message));
        }
        if !self.deterministic {
            return Ok(());
        }
        if given("autotune.enabled").is_some() && self.choice.is_none() {
            let message = "option `autotune.enabled` cannot act: option `deterministic` is true, and nothing is chosen by \
                           timing then";
            return Err(SessionError::invalid(message));
        }
        if !self.cuda_deterministic {
            let message = "option `deterministic` is true, and option `cuda.deterministic` is false: atomic operations add \
                           floats in any order";
            return Err(SessionError::invalid(message));
        }
        if self.cudnn.is_some() || self.vendor == VendorRequest::On {
            let key = if self.cudnn.is_some() { "cuda.cudnn" } else { "artifact.vendor" };
            return Err(SessionError::Option {
                status: crate::base::Status::Unsupported,
                message: format!(
                    "option `{key}` asks for cuDNN, whose convolutions do not promise the same result at every run; \
                     option `deterministic` is true"
                ),
            });
        }
        Ok(())
    }
}

fn is_default(key: &str, value: &str) -> bool {
    super::option_keys::keys().any(|k| k.name == key && k.default == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(set: &[(&str, &str)]) -> Options {
        let mut options = Options::new();
        set.iter().for_each(|(key, value)| options.set(key, value).unwrap());
        options
    }

    #[test]
    fn keys_of_other_backends_are_named() {
        let refused =
            |set: &[(&str, &str)], backend| options(set).check_backend(backend).unwrap_err().to_string();
        assert!(refused(&[("cuda.tf32", "true")], "cpu").contains("`cuda.tf32`"));
        assert!(refused(&[("cpu.threads", "2")], "cuda").contains("`cpu.threads`"));
        let of_gpu = [
            ("cudagraph.enabled", "true"),
            ("cudagraph.trees", "false"),
            ("cudagraph.limit", "3"),
            ("autotune.enabled", "true"),
            ("artifact.vendor", "off"),
            ("debug.size_asserts", "true"),
            ("debug.choice", "library"),
        ];
        for (key, value) in of_gpu {
            for backend in ["cpu", "interpreter", "nop", "a host's"] {
                assert!(
                    refused(&[(key, value)], backend).contains(&format!("`{key}`")),
                    "{key} on {backend}"
                );
            }
            options(&[(key, value)]).check_backend("cuda").unwrap();
        }
        for backend in ["cuda", "interpreter", "print"] {
            assert!(refused(&[("cpp.flags", "-g")], backend).contains("`cpp.flags`"), "{backend}");
        }
        options(&[("cpp.flags", "-g")]).check_backend("cpu").unwrap();
        options(&[("cpp.compiler", "c++")]).check_backend("cuda").unwrap();
        assert!(refused(&[("cpp.compiler", "c++")], "interpreter").contains("`cpp.compiler`"));
        for backend in ["cpu", "interpreter"] {
            assert!(
                refused(&[("run.host_tensors", "copy")], backend).contains("`run.host_tensors` is `copy`")
            );
        }
        options(&[("run.host_tensors", "copy")]).check_backend("cuda").unwrap();
        assert!(refused(&[("cpu.isa", "scalar")], "interpreter").contains("backend interpreter"));
        // The default asks for nothing, and modes are for every backend.
        let quiet = [
            ("cuda.tf32", "false"),
            ("cuda.arch", ""),
            ("mode", "max-autotune"),
            ("cpu.threads", "3"),
            ("run.host_tensors", "refuse"),
        ];
        options(&quiet).check_backend("cpu").unwrap();
    }

    #[test]
    fn what_is_idle_when_an_artifact_is_opened_is_named() {
        let idle = |set: &[(&str, &str)]| options(set).idle_at_open();
        let said = idle(&[("cpp.optimization", "3"), ("freeze", "true"), ("cpu.threads", "2")]).unwrap();
        assert!(
            said.contains("`cpp.optimization` = `3`, `freeze` = `true`") && !said.contains("cpu.threads"),
            "{said}"
        );
        assert_eq!(idle(&[("profile", "true"), ("mode", "default"), ("cpp.optimization", "2")]), None);
        assert!(idle(&[("debug.dump", "/x")]).unwrap().contains("debug.dump"));
        assert_eq!(idle(&[("debug.dump", "/x"), ("debug.save_inputs", "true")]), None);
        for key in AT_OPEN {
            assert!(super::super::option_keys::keys().any(|k| k.name == key), "{key}");
        }
    }

    #[test]
    fn contradictions_are_named() {
        let refused = |set: &[(&str, &str)]| options(set).check_gpu().unwrap_err().to_string();
        assert!(refused(&[("artifact.vendor", "off"), ("cuda.cudnn", "/x")]).contains("`cuda.cudnn`"));
        let both = refused(&[("deterministic", "true"), ("cuda.deterministic", "false")]);
        assert!(both.contains("`cuda.deterministic`") && both.contains("`deterministic`"), "{both}");
        assert!(refused(&[("deterministic", "true"), ("artifact.vendor", "on")]).contains("cuDNN"));
        options(&[("deterministic", "true")]).check_gpu().unwrap();
        assert!(refused(&[("cudagraph.limit", "3")]).contains("`cudagraph.enabled` is false"));
        options(&[("cudagraph.limit", "3"), ("mode", "reduce-overhead")]).check_gpu().unwrap();
        assert!(refused(&[("debug.choice", "library")]).contains("`autotune.enabled` is false"));
        assert!(refused(&[("autotune.enabled", "true"), ("deterministic", "true")]).contains("timing"));
        // A mode asks for what can be had.
        options(&[("mode", "max-autotune"), ("deterministic", "true")]).check_gpu().unwrap();
    }
}
