//! What the routines of scans, sorts, scatters and recurrences ask of a call: its operands, its numbers, its regions and its launch.

use super::Checked;
use super::calls::{Asked, Call, Given};
use crate::kernels::{Role, Routine, Type};
use crate::loops::Cell;
use crate::templates::recurrence::THREADS;
use crate::types::Dtype;

/// Workspaces in which blocks pass their tags to each other.
const TAGS: [Role; 3] = [Role::Workspace, Role::Workspace, Role::Semaphores];

/// Checks a call of one of these; other routines pass.
pub(super) fn check(c: &Call<'_>) -> Checked<()> {
    let block = |threads| Asked { threads, cluster: 1, bytes: None };
    match c.call.routine {
        Routine::ScanBeside { dtype, op, segments } => {
            c.launch(block(Some(32 * segments)))?;
            c.scan(dtype, op.has_places(), 1, &[])
        }
        Routine::ScanLine { dtype, op, threads } => {
            c.launch(block(Some(threads)))?;
            c.scan(dtype, op.has_places(), 1, &[])
        }
        Routine::ScanParts { dtype, op, threads, .. } => {
            c.launch(block(Some(threads)))?;
            c.scan(dtype, op.has_places(), 2, &TAGS[1..])
        }
        Routine::SortLines { dtype, .. } => {
            c.launch(block(None))?;
            c.sort(dtype, 3, &[])
        }
        Routine::SortTogether { dtype, threads, .. } => {
            c.launch(block(Some(threads)))?;
            c.sort(dtype, 2, &TAGS)
        }
        Routine::ScatterNear { dtype, threads, .. } => {
            c.launch(block(Some(threads)))?;
            c.scatter(dtype, &[])
        }
        Routine::ScatterSorted { dtype, threads, .. } => {
            c.launch(block(Some(threads)))?;
            c.scatter(dtype, &TAGS)
        }
        Routine::RecurrenceCluster { dtype, cell, blocks, projects, .. } => {
            c.launch(Asked { threads: Some(THREADS), cluster: blocks, bytes: None })?;
            c.recurrence(dtype, cell, projects)
        }
        _ => Ok(()),
    }
}

impl Call<'_> {
    fn roles(&self, roles: &[Role]) -> Checked<()> {
        self.operands(roles.len())?;
        roles.iter().enumerate().try_for_each(|(k, role)| self.written(k, *role))
    }

    fn scan(&self, dtype: Dtype, has_places: bool, coordinates: usize, roles: &[Role]) -> Checked<()> {
        self.roles(roles)?;
        self.counts(1 + coordinates, 2)?;
        let element = [Given::Place(Type::Scalar(dtype))];
        self.needed(0, |region| self.region(region, coordinates, &element, None))?;
        let mut given = vec![Given::Value(dtype)];
        given.extend(has_places.then_some(Given::Value(Dtype::Int64)));
        self.needed(1, |region| self.region(region, coordinates, &given, None))
    }

    fn sort(&self, dtype: Dtype, numbers: usize, roles: &[Role]) -> Checked<()> {
        self.roles(roles)?;
        self.counts(numbers, 2)?;
        self.needed(0, |region| self.region(region, 2, &[Given::Place(Type::Scalar(dtype))], None))?;
        let given = [Given::Value(dtype), Given::Value(Dtype::Int64)];
        self.needed(1, |region| self.region(region, 2, &given, None))
    }

    fn scatter(&self, dtype: Dtype, roles: &[Role]) -> Checked<()> {
        self.roles(&[&[Role::Combined], roles].concat())?;
        self.counts(3, 3)?;
        self.needed(0, |region| self.region(region, 2, &[Given::Place(Type::Index)], None))?;
        self.needed(1, |region| self.region(region, 1, &[], Some(Type::Index)))?;
        self.needed(2, |region| self.region(region, 3, &[Given::Place(Type::Scalar(dtype))], None))
    }

    fn recurrence(&self, dtype: Dtype, cell: Cell, projects: bool) -> Checked<()> {
        self.operands(0)?;
        self.counts(4, 9)?;
        let number = Some(Type::Scalar(dtype));
        let lstm = cell == Cell::Lstm;
        // Gates, weight, bias, first, first cell, projection: their coordinates, and whether they may be missing.
        let read = [(3, false), (2, false), (1, true), (2, false), (2, !lstm), (2, !projects)];
        for (k, (coordinates, optional)) in read.into_iter().enumerate() {
            if optional && self.call.regions[k].is_none() {
                continue;
            }
            self.needed(k, |region| self.region(region, coordinates, &[], number))?;
        }
        for (k, coordinates) in [(6, 3), (7, 2), (8, 2)] {
            if let Some(region) = self.call.regions[k] {
                self.region(region, coordinates, &[Given::Value(dtype)], None)?;
            }
        }
        Ok(())
    }
}
