//! Training programs over bases, as in `overlap.rs`, for inputs that share memory with one that the forward writes to. A write to one
//! input is seen in the others, in the order of the graph. An element that several inputs show gives its gradient to the last of them.
//!
//! Invariant: a form shares parameters, buffers and their locks with its program.
//!
//! Deliberately absent: running them (`runtime/shared_inputs.rs`).

use super::overlap::{not_compiled, over_bases};
use super::training::Training;
use super::{Options, SessionError};
use crate::base::Status;
use crate::device::stack;
use crate::ir::Graph;
use crate::plan::Plan;
use crate::runtime::overlap::{Kept, OverBases, bases_of, widest_bases};
use crate::runtime::shared_inputs::{Form, Halves};
use crate::runtime::training::Between;
use crate::runtime::{self, RuntimeError};
use std::sync::Arc;

/// What making such programs takes.
pub(super) struct Sharing {
    graph: Graph,
    options: Options,
    /// Which inputs are written to.
    pub mutated: Vec<bool>,
    /// Bases that serve whatever inputs share memory, for a program that meets many groups.
    widest: Vec<u32>,
    made: Kept<Made>,
}

struct Made {
    bases: Vec<u32>,
    program: Arc<Training>,
}

impl OverBases for Made {
    fn bases(&self) -> &[u32] {
        &self.bases
    }
}

impl Sharing {
    /// `None` for programs in which no two inputs can share memory that is written to. Parameters and buffers have memory of their own.
    pub(super) fn of(graph: &Graph, options: &Options, forward: &Plan) -> Option<Sharing> {
        let inputs = forward.inputs.get(..graph.inputs.len())?;
        let of_dtype = |dtype: i32| inputs.iter().filter(|i| !i.scalar && i.dtype == dtype).count();
        inputs.iter().find(|i| i.mutated && of_dtype(i.dtype) > 1)?;
        let widest = widest_bases(forward)?.into_iter().take(inputs.len()).collect();
        let mutated = inputs.iter().map(|i| i.mutated).collect();
        Some(Sharing {
            graph: graph.clone(),
            options: options.for_later(),
            mutated,
            widest,
            made: Kept::default(),
        })
    }

    pub(super) fn cancel(&self) {
        self.made.all().iter().for_each(|made| made.program.cancel());
    }

    /// The program for inputs of these groups, beside the one that it is a form of.
    pub(super) fn form(&self, groups: &[u32], of: &Training) -> Result<Form, RuntimeError> {
        let made = self.made.get(groups, |widest| {
            let bases = if widest { self.widest.clone() } else { bases_of(groups) };
            let _watching = of.cancels.watch();
            // It is compiled here, which may take more of a stack than runs do.
            let program = stack::with_enough(|| {
                let graph = over_bases(&self.graph, (&bases, &self.mutated), &[])?;
                Training::beside(&graph, &self.options, of)
            })?;
            Ok(Made { bases, program: Arc::new(program) })
        });
        let made = made.map_err(|e: SessionError| not_compiled(&e))?;
        Ok(Form { bases: made.bases.clone(), program: made.program.clone() })
    }
}

impl Halves for Training {
    fn between(&self) -> &Between {
        &self.between
    }
    fn forward_program(&self) -> &runtime::Executable {
        &self.forward
    }
    fn backward_program(&self) -> Result<&runtime::Executable, RuntimeError> {
        Training::backward_program(self).map_err(|e| RuntimeError::new(e.status(), e.to_string()))
    }
    fn shared_writes(&self) -> Option<&[bool]> {
        self.sharing.as_ref().map(|sharing| &*sharing.mutated)
    }
    fn form(&self, groups: &[u32]) -> Result<Form, RuntimeError> {
        match &self.sharing {
            Some(sharing) => sharing.form(groups, self),
            None => Err(RuntimeError::new(Status::Internal, "a training program without forms")),
        }
    }
}

/// The refusal of a run that no form does: one of the two is a parameter or a buffer.
pub(super) fn refused(first: &str, second: &str) -> RuntimeError {
    let message = format!(
        "`{first}` and `{second}` share memory, and the program writes to one of them; give a copy of the input"
    );
    RuntimeError::new(Status::Unsupported, message)
}
