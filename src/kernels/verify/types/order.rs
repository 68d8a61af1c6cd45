//! What the routines of scans, sorts, scatters and recurrences ask of a call: its operands, its numbers and its regions.

use super::{Checked, Checker};
use crate::kernels::verify::Wrong;
use crate::kernels::{Base, Is, Launch, LocalId, Memory, Operand, Region, Role, Routine, TemplateCall, Type};
use crate::loops::Cell;
use crate::templates::recurrence::THREADS;
use crate::types::Dtype;

/// An operand, by what it is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wanted {
    /// Elements that values are taken into.
    Combined,
    Workspace,
    Semaphores,
}

/// What a region is given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Takes {
    Coordinate,
    Value(Dtype),
    Place(Dtype),
    PlaceOfIndex,
    Other,
}

/// What a region is given and gives.
struct Function {
    takes: Vec<Takes>,
    gives: Option<Type>,
    /// It may be missing.
    optional: bool,
}

impl Function {
    /// It is about so many coordinates.
    fn of(coordinates: usize, more: &[Takes]) -> Function {
        let takes = [Takes::Coordinate].repeat(coordinates).into_iter().chain(more.iter().copied()).collect();
        Function { takes, gives: None, optional: false }
    }
}

/// All that a routine asks for, and the threads of a block that it is written for.
struct Signature {
    threads: Option<i64>,
    cluster: i64,
    operands: Vec<Wanted>,
    numbers: usize,
    regions: Vec<Function>,
}

fn signature(routine: &Routine) -> Option<Signature> {
    use Takes::{Place, PlaceOfIndex, Value};
    let scan = |dtype, has_places: bool, coordinates| {
        let mut given = vec![Value(dtype)];
        given.extend(has_places.then_some(Value(Dtype::Int64)));
        vec![Function::of(coordinates, &[Place(dtype)]), Function::of(coordinates, &given)]
    };
    let sort = |dtype| {
        let given = [Value(dtype), Value(Dtype::Int64)];
        vec![Function::of(2, &[Place(dtype)]), Function::of(2, &given)]
    };
    let scatter = |dtype| {
        let rest = Function { gives: Some(Type::Index), ..Function::of(1, &[]) };
        vec![Function::of(2, &[PlaceOfIndex]), rest, Function::of(3, &[Place(dtype)])]
    };
    let tags = [Wanted::Workspace, Wanted::Workspace, Wanted::Semaphores];
    Some(match *routine {
        Routine::ScanBeside { dtype, op, segments } => {
            let regions = scan(dtype, op.has_places(), 1);
            Signature { threads: Some(32 * segments), cluster: 1, operands: Vec::new(), numbers: 2, regions }
        }
        Routine::ScanLine { dtype, op, threads } => {
            let regions = scan(dtype, op.has_places(), 1);
            Signature { threads: Some(threads), cluster: 1, operands: Vec::new(), numbers: 2, regions }
        }
        Routine::ScanParts { dtype, op, threads, .. } => {
            let (operands, regions) = (tags[1..].to_vec(), scan(dtype, op.has_places(), 2));
            Signature { threads: Some(threads), cluster: 1, operands, numbers: 3, regions }
        }
        Routine::SortLines { dtype, .. } => {
            Signature { threads: None, cluster: 1, operands: Vec::new(), numbers: 3, regions: sort(dtype) }
        }
        Routine::SortTogether { dtype, threads, .. } => Signature {
            threads: Some(threads),
            cluster: 1,
            operands: tags.to_vec(),
            numbers: 2,
            regions: sort(dtype),
        },
        Routine::ScatterNear { dtype, threads, .. } => {
            let (operands, regions) = (vec![Wanted::Combined], scatter(dtype));
            Signature { threads: Some(threads), cluster: 1, operands, numbers: 3, regions }
        }
        Routine::ScatterSorted { dtype, threads, .. } => {
            let operands = [Wanted::Combined].into_iter().chain(tags).collect();
            Signature { threads: Some(threads), cluster: 1, operands, numbers: 3, regions: scatter(dtype) }
        }
        Routine::RecurrenceCluster { dtype, cell, blocks, projects, .. } => {
            let at = |coordinates, optional| Function {
                gives: Some(Type::Scalar(dtype)),
                optional,
                ..Function::of(coordinates, &[])
            };
            let put = |coordinates| Function { optional: true, ..Function::of(coordinates, &[Value(dtype)]) };
            let (lstm, operands) = (cell == Cell::Lstm, Vec::new());
            let read =
                [at(3, false), at(2, false), at(1, true), at(2, false), at(2, !lstm), at(2, !projects)];
            let regions = read.into_iter().chain([put(3), put(2), put(2)]).collect();
            Signature { threads: Some(THREADS), cluster: blocks, operands, numbers: 4, regions }
        }
        _ => return None,
    })
}

impl Checker<'_> {
    /// Whether a call has what its routine asks for, where that is known here.
    pub(super) fn called(&self, call: &TemplateCall) -> Checked<()> {
        let Some(wanted) = signature(&call.routine) else { return Ok(()) };
        let name = call.routine.name();
        let other = |what, found: String, expected: String| Err(Wrong::Call { name, what, found, expected });
        let same = |what, found: usize, expected: usize| match found == expected {
            true => Ok(()),
            false => other(what, found.to_string(), expected.to_string()),
        };
        let Launch::Gpu { threads, cluster, .. } = self.kernel.launch else {
            return Err(Wrong::OtherMachine { what: "the template" });
        };
        if let Some(expected) = wanted.threads.filter(|n| *n != threads) {
            return other("threads", threads.to_string(), expected.to_string());
        }
        if cluster != wanted.cluster {
            return other("blocks of a cluster", cluster.to_string(), wanted.cluster.to_string());
        }
        same("operands", call.operands.len(), wanted.operands.len())?;
        same("numbers", call.numbers.len(), wanted.numbers)?;
        same("regions", call.regions.len(), wanted.regions.len())?;
        for (operand, wanted) in call.operands.iter().zip(&wanted.operands) {
            let found = self.role_of(operand);
            let expected = match wanted {
                Wanted::Combined => Role::Combined,
                Wanted::Workspace => Role::Workspace,
                Wanted::Semaphores => Role::Semaphores,
            };
            if found != Some(expected) {
                let found = found.map_or("no buffer".to_string(), |role| format!("{role:?}"));
                return other("an operand", found, format!("{expected:?}"));
            }
        }
        for (region, wanted) in call.regions.iter().zip(&wanted.regions) {
            if region.is_none() && wanted.optional {
                continue;
            }
            let Some(found) = region.and_then(|local| self.region_of(local)) else {
                return other("a region", "none".to_string(), format!("{:?}", wanted.takes));
            };
            let takes: Vec<Takes> = found.parameters.iter().map(|p| self.taken(p.local, p.is)).collect();
            if takes != wanted.takes || found.gives != wanted.gives {
                let text = |takes: &[Takes], gives| format!("{takes:?} giving {gives:?}");
                return other("a region", text(&takes, found.gives), text(&wanted.takes, wanted.gives));
            }
        }
        Ok(())
    }

    /// What is done with an operand that is written.
    fn role_of(&self, operand: &Operand) -> Option<Role> {
        match operand {
            Operand::Memory(memory) if memory.written => match **memory {
                Memory { pointer: crate::kernels::Pointer { base: Base::Buffer(place), .. }, .. } => {
                    self.kernel.buffers.get(place).map(|parameter| parameter.role)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn region_of(&self, local: LocalId) -> Option<&Region> {
        self.regions.get(&local).copied()
    }

    fn taken(&self, local: LocalId, is: Is) -> Takes {
        match (is, self.kernel.body.locals[local].ty) {
            (Is::Below(_), _) => Takes::Coordinate,
            (Is::Value, Type::Scalar(dtype)) => Takes::Value(dtype),
            (Is::Place, Type::Scalar(dtype)) => Takes::Place(dtype),
            (Is::Place, Type::Index) => Takes::PlaceOfIndex,
            _ => Takes::Other,
        }
    }
}
