//! Finding the files of NVIDIA's libraries.

use super::CudaError;
use crate::base::StableSort;
use std::path::{Path, PathBuf};

/// Where to look for NVIDIA's libraries; the environment's values are handed in.
#[derive(Clone, Debug, Default)]
pub struct LibrarySearch {
    /// The option that names the file itself. Nothing else is tried when it is given.
    pub explicit: Option<PathBuf>,
    /// The environment's CUDA_HOME or CUDA_PATH.
    pub cuda_home: Option<PathBuf>,
    /// Roots of Python environments (`VIRTUAL_ENV`, `CONDA_PREFIX`, and what the `python3` on PATH belongs to).
    pub python: Vec<PathBuf>,
}

impl LibrarySearch {
    /// Opens the first file that is there: the explicit one; what the system's loader knows by `names`; CUDA_HOME; the
    /// `nvidia-*` wheels of Python environments. The library stays open.
    pub(super) fn open(
        &self,
        what: &'static str,
        option: &'static str,
        names: &[&str],
    ) -> Result<PathBuf, CudaError> {
        let mut looked: Vec<String> = Vec::new();
        for path in self.candidates(names) {
            if path.components().count() > 1 && !path.is_file() {
                continue;
            }
            looked.push(format!("`{}`", path.display()));
            if keep_open(&path) {
                return Ok(path);
            }
        }
        if self.explicit.is_none() {
            looked.push("CUDA_HOME".into());
            looked.push("the nvidia-* wheels of Python environments".into());
        } else if looked.is_empty() {
            looked.extend(self.explicit.iter().map(|p| format!("`{}`", p.display())));
        }
        Err(CudaError::Missing { what, looked: looked.join(", "), option })
    }

    fn candidates(&self, names: &[&str]) -> Vec<PathBuf> {
        if let Some(explicit) = &self.explicit {
            return vec![explicit.clone()];
        }
        let mut found: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
        let homes = self.cuda_home.iter().cloned().chain([PathBuf::from("/usr/local/cuda")]);
        for home in homes {
            for folder in ["lib64", "targets/x86_64-linux/lib", "lib"] {
                found.extend(names.iter().map(|n| home.join(folder).join(n)));
            }
        }
        for root in &self.python {
            for packages in entries(&root.join("lib")).into_iter().filter(|p| is_python(p)) {
                for site in ["site-packages", "dist-packages"] {
                    for wheel in entries(&packages.join(site).join("nvidia")) {
                        found.extend(names.iter().map(|n| wheel.join("lib").join(n)));
                    }
                }
            }
        }
        found
    }
}

fn is_python(folder: &Path) -> bool {
    folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python3"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    found.stable_sort();
    found
}

/// Opens a library for the rest of the process's life: what is found by its name later is this one.
fn keep_open(path: &Path) -> bool {
    use libloading::os::unix::Library;
    // SAFETY: NVIDIA's libraries may be loaded at any time; their constructors are what every CUDA program runs.
    match unsafe { Library::open(Some(path), libc::RTLD_NOW | libc::RTLD_GLOBAL) } {
        Ok(library) => {
            std::mem::forget(library);
            true
        }
        Err(_) => false,
    }
}
