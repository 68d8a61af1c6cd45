//! Errors behind one pointer. A result that holds such an error is returned in registers, and `?` copies a pointer instead of the
//! error's fields. Rules of operators are full of both, so the library is smaller.
//!
//! Deliberately absent: any knowledge of the error's fields.

use std::error::Error;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// An error whose fields are `E`, which is used as if it were `E`.
#[derive(Clone, PartialEq, Eq)]
pub struct Boxed<E>(Box<E>);

impl<E> Boxed<E> {
    #[cold]
    pub fn of(fields: E) -> Self {
        Boxed(Box::new(fields))
    }
    pub fn into_fields(self) -> E {
        *self.0
    }
}

impl<E> Deref for Boxed<E> {
    type Target = E;
    fn deref(&self) -> &E {
        &self.0
    }
}

impl<E> DerefMut for Boxed<E> {
    fn deref_mut(&mut self) -> &mut E {
        &mut self.0
    }
}

impl<E: fmt::Debug> fmt::Debug for Boxed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: fmt::Display> fmt::Display for Boxed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: Error> Error for Boxed<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
