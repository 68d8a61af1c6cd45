//! What all routines of a GPU ask of a call: its counts, its regions and its launch.

use super::{Checked, Wrong};
use crate::base::HashMap;
use crate::kernels::text;
use crate::kernels::{
    Base, Is, Kernel, Launch, LocalId, Operand, Parameter, Region, Role, TemplateCall, Type,
};
use crate::types::{Dtype, SymArena};

/// A call, and the kernel around it.
#[derive(Clone, Copy)]
pub(super) struct Call<'k> {
    pub syms: &'k SymArena,
    pub kernel: &'k Kernel,
    pub regions: &'k HashMap<LocalId, &'k Region>,
    pub call: &'k TemplateCall,
}

/// How a routine's blocks are: threads, where they are a known number, blocks of a cluster, bytes of shared memory where they are.
pub(super) struct Asked {
    pub threads: Option<i64>,
    pub cluster: i64,
    pub bytes: Option<i64>,
}

/// What a region is given beside its coordinates.
pub(super) enum Given {
    Value(Dtype),
    /// So many elements.
    Elements(Dtype, i64),
    /// A variable that it sets.
    Place(Type),
}

impl Call<'_> {
    pub fn other(&self, what: &'static str, found: String, expected: String) -> Checked<()> {
        Err(Wrong::Call { name: self.call.routine.name(), what, found, expected })
    }
    pub fn other_operand(&self, found: &Operand, expected: String) -> Checked<()> {
        self.other("an operand", text::operand(self.syms, self.kernel, found), expected)
    }
    pub fn count(&self, what: &'static str, found: usize, expected: usize) -> Checked<()> {
        match found == expected {
            true => Ok(()),
            false => self.other(what, found.to_string(), expected.to_string()),
        }
    }
    pub fn operands(&self, expected: usize) -> Checked<()> {
        self.count("operands", self.call.operands.len(), expected)
    }
    /// How many numbers and regions there are.
    pub fn counts(&self, numbers: usize, regions: usize) -> Checked<()> {
        self.count("numbers", self.call.numbers.len(), numbers)?;
        self.count("regions", self.call.regions.len(), regions)
    }
    pub fn lanes(&self, expected: i64) -> Checked<()> {
        self.count("lanes", self.kernel.lanes as usize, expected as usize)
    }

    pub fn launch(&self, asked: Asked) -> Checked<()> {
        let Launch::Gpu { threads, cluster, shared, .. } = &self.kernel.launch else {
            return Err(Wrong::OtherMachine { what: "the template" });
        };
        let same = |what, found: i64, expected: Option<i64>| match expected.is_none_or(|n| n == found) {
            true => Ok(()),
            false => self.other(what, found.to_string(), expected.unwrap_or_default().to_string()),
        };
        same("threads", *threads, asked.threads)?;
        same("blocks of a cluster", *cluster, Some(asked.cluster))?;
        same("bytes of dynamic shared memory", self.syms.as_const(*shared).unwrap_or(-1), asked.bytes)
    }

    /// The region at a place, which may not be missing.
    pub fn needed(&self, k: usize, check: impl FnOnce(LocalId) -> Checked<()>) -> Checked<()> {
        match self.call.regions[k] {
            Some(region) => check(region),
            None => self.other("a region", "none".to_string(), "one".to_string()),
        }
    }

    /// Whether a region has so many coordinates, and then these parameters. The last coordinate is that of neighbouring elements.
    pub fn region(
        &self,
        local: LocalId,
        coordinates: usize,
        given: &[Given],
        gives: Option<Type>,
    ) -> Checked<()> {
        self.region_along(local, (coordinates, coordinates.saturating_sub(1)), given, gives)
    }

    /// The same, where neighbouring elements lie along the coordinate `along`, which is at multiples of their number.
    pub fn region_along(
        &self,
        local: LocalId,
        (coordinates, along): (usize, usize),
        given: &[Given],
        gives: Option<Type>,
    ) -> Checked<()> {
        let found = || super::super::name(self.kernel, local);
        let Some(region) = self.regions.get(&local) else {
            return self.other("what it calls", found(), "a region".to_string());
        };
        let parameters = &region.parameters;
        let (first, rest) = parameters.split_at(coordinates.min(parameters.len()));
        let lanes =
            given.iter().map(|g| if let Given::Elements(_, n) = g { *n } else { 1 }).max().unwrap_or(1);
        let below = first.iter().enumerate().all(|(k, p)| match p.is {
            Is::Below(_) => lanes == 1 || k != along,
            Is::Step { of, .. } => lanes == of && k == along,
            _ => false,
        });
        let fits = |(parameter, given): (&Parameter, &Given)| {
            let ty = self.kernel.body.locals[parameter.local].ty;
            match (given, parameter.is, ty) {
                (Given::Value(dtype), Is::Value, Type::Scalar(found)) => found == *dtype,
                (Given::Place(expected), Is::Place, found) => found == *expected,
                (
                    Given::Elements(dtype, count),
                    Is::Elements { length: Some(length), written: false },
                    Type::Pointer { dtype: found, .. },
                ) => found == *dtype && self.syms.as_const(length) == Some(*count),
                _ => false,
            }
        };
        let all = first.len() == coordinates && below && rest.len() == given.len();
        match all && rest.iter().zip(given).all(fits) && region.gives == gives {
            true => Ok(()),
            false => {
                let mut expected = format!("one of {coordinates} coordinates");
                for parameter in given {
                    expected += " and ";
                    expected += &match parameter {
                        Given::Value(dtype) => format!("a value of {dtype}"),
                        Given::Elements(dtype, count) => format!("{count} elements of {dtype}"),
                        Given::Place(ty) => format!("a place for {}", text::type_text(*ty)),
                    };
                }
                if let Some(gives) = gives {
                    expected += &format!(", which gives {}", text::type_text(gives));
                }
                self.other("a region", found(), expected)
            }
        }
    }

    /// What is done with an operand that is written.
    pub fn written(&self, k: usize, expected: Role) -> Checked<()> {
        let place = match &self.call.operands[k] {
            Operand::Memory(memory) if memory.written => match memory.pointer.base {
                Base::Buffer(place) => self.kernel.buffers.get(place),
                Base::Local(_) => None,
            },
            _ => None,
        };
        let found = place.map(|parameter| parameter.role);
        match found == Some(expected) {
            true => Ok(()),
            false => {
                let found = found.map_or("no buffer".to_string(), |role| format!("{role:?}"));
                self.other("an operand", found, format!("{expected:?}"))
            }
        }
    }
}
