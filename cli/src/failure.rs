//! Failures and what the command ends with.

use litz_api::{Error, Status};
use serde_json::{Value, json};
use std::path::Path;

/// For the long help and the man page.
pub const EXIT_CODES: &str = "\
Exit codes:
  0   done, and the answer is yes
  1   done, and the answer is no: results differ, a check fails, nothing can be compiled here
  2   the command line is wrong
  3   bad input: a file that is missing or malformed, sizes or dtypes that do not fit; or an answer that cannot be written
  4   refused as not supported, by name
  5   the machine lacks something: a compiler, a driver, a device, memory
  6   a run ended by itself: an assertion of the graph, a cancellation
  7   the library liblitz.so is missing or of another version
  70  a mistake inside Litz

Environment:
  LITZ_LIBRARY  the file of the library
  NO_COLOR      no colours and no bars";

/// Why a command did not end well.
#[derive(Debug)]
pub enum Failure {
    /// The answer is no; it was said already.
    No,
    /// The command line cannot be.
    Usage(String),
    /// A file cannot be used, or what is in it.
    Input(String),
    /// The library cannot be used.
    Library(Error),
    /// The library said no.
    Litz { about: String, error: Error },
}

impl Failure {
    pub fn input(path: &Path, what: impl std::fmt::Display) -> Failure {
        Failure::Input(format!("{}: {what}", path.display()))
    }

    pub fn code(&self) -> u8 {
        match self {
            Failure::No => 1,
            Failure::Usage(_) => 2,
            Failure::Input(_) => 3,
            Failure::Library(_) => 7,
            Failure::Litz { error, .. } => match error.status {
                Status::UNSUPPORTED => 4,
                Status::DEVICE | Status::TOOLCHAIN | Status::CUDA | Status::OUT_OF_MEMORY => 5,
                Status::STATE | Status::CANCELLED | Status::ASSERTION => 6,
                Status::ABI => 7,
                Status::INTERNAL => 70,
                _ => 3,
            },
        }
    }

    pub fn message(&self) -> Option<String> {
        Some(match self {
            Failure::No => return None,
            Failure::Usage(text) | Failure::Input(text) => text.clone(),
            Failure::Library(error) => error.message.clone(),
            Failure::Litz { about, error } if about.is_empty() => error.message.clone(),
            Failure::Litz { about, error } => format!("{about}: {}", error.message),
        })
    }

    pub fn json(&self) -> Option<Value> {
        let message = self.message()?;
        let mut value = json!({"message": message, "exit_code": self.code()});
        if let Failure::Litz { error, .. } | Failure::Library(error) = self {
            value["status"] = error.status.0.into();
            value["detail"] = serde_json::from_str(&error.detail).unwrap_or_default();
        }
        Some(json!({"error": value}))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Litz { about: String::new(), error }
    }
}

/// Says of which file an error of the library is.
pub trait About<T> {
    fn about(self, path: &Path) -> Result<T, Failure>;
}

impl<T> About<T> for Result<T, Error> {
    fn about(self, path: &Path) -> Result<T, Failure> {
        // Most errors name their file already.
        self.map_err(|error| {
            let named = error.message.contains(&*path.to_string_lossy());
            let about = if named { String::new() } else { path.display().to_string() };
            Failure::Litz { about, error }
        })
    }
}
