//! Regions that templates call, and the calls.

use super::Emitter;
use crate::kernels::reach;
use crate::kernels::{
    Builtin, Is, Local, LocalId, Memory, Operand, Parameter, Pointer, Region, Space, Statement, Type, ValueId,
};
use crate::types::{Dtype, SymInt};

/// A region being built; its scope is the innermost.
pub struct OpenRegion {
    local: LocalId,
    parameters: Vec<Parameter>,
}

impl OpenRegion {
    /// The parameter at this place.
    pub fn parameter(&self, place: usize) -> LocalId {
        self.parameters[place].local
    }
}

impl Emitter<'_> {
    /// A local of this name, without a number.
    fn named_local(&mut self, name: &'static str, ty: Type) -> LocalId {
        self.body.locals.push(Local { name: name.into(), number: None, ty, may_be_unused: true })
    }

    pub fn open_region(&mut self, name: &'static str) -> OpenRegion {
        let local = self.named_local(name, Type::Region);
        self.open();
        OpenRegion { local, parameters: Vec::new() }
    }
    fn region_parameter(&mut self, region: &mut OpenRegion, name: &'static str, ty: Type, is: Is) -> LocalId {
        let local = self.named_local(name, ty);
        region.parameters.push(Parameter { local, is });
        local
    }
    /// A coordinate along a dimension of this size.
    pub fn coordinate(&mut self, region: &mut OpenRegion, name: &'static str, size: SymInt) -> ValueId {
        let local = self.region_parameter(region, name, Type::Index, Is::Below(size));
        self.local_value(local)
    }
    /// The first of so many neighbouring coordinates, which divide the size.
    pub fn step(&mut self, region: &mut OpenRegion, name: &'static str, size: SymInt, of: i64) -> ValueId {
        if of == 1 {
            return self.coordinate(region, name, size);
        }
        let local = self.region_parameter(region, name, Type::Index, Is::Step { size, of });
        self.local_value(local)
    }
    /// The first coordinate of a run within this size, and how many there are.
    pub fn run(&mut self, region: &mut OpenRegion, names: [&'static str; 2], size: SymInt) -> [ValueId; 2] {
        let first = self.region_parameter(region, names[0], Type::Index, Is::First(size));
        let count = self.region_parameter(region, names[1], Type::Index, Is::Count);
        [first, count].map(|local| self.local_value(local))
    }
    /// The elements of the run, or so many.
    pub fn elements(
        &mut self,
        region: &mut OpenRegion,
        name: &'static str,
        dtype: Dtype,
        length: Option<SymInt>,
        written: bool,
    ) -> Pointer {
        let ty = Type::Pointer { dtype, space: Space::Lent };
        self.region_parameter(region, name, ty, Is::Elements { length, written }).into()
    }
    pub fn given(&mut self, region: &mut OpenRegion, name: &'static str, dtype: Dtype) -> ValueId {
        let local = self.region_parameter(region, name, Type::Scalar(dtype), Is::Value);
        self.local_value(local)
    }
    /// An integer that the region sets.
    pub fn place(&mut self, region: &mut OpenRegion, name: &'static str) -> LocalId {
        self.region_parameter(region, name, Type::Index, Is::Place)
    }
    /// A variable that the region sets.
    pub fn variable(&mut self, region: &mut OpenRegion, name: &'static str, ty: Type) -> ValueId {
        let local = self.region_parameter(region, name, ty, Is::Place);
        self.local_value(local)
    }
    /// Gives the variable of a dimension, if it has one, its coordinate.
    pub fn bind_coordinate(
        &mut self,
        region: &mut OpenRegion,
        (place, size): (u32, SymInt),
        name: &'static str,
    ) {
        let value = self.coordinate(region, name, size);
        let level = self.depth();
        self.bind(self.program.syms.index_var(place, size), value, level);
    }

    /// Ends the region; gives the name that calls use.
    pub fn close_region(&mut self, region: OpenRegion, gives: Option<Type>) -> LocalId {
        let OpenRegion { local, parameters } = region;
        let body = self.close_block();
        self.push(Statement::Region(Box::new(Region { local, parameters, gives, body })));
        local
    }

    /// The tasks of a call.
    pub fn tasks(&mut self) -> [ValueId; 2] {
        [self.builtin(Builtin::Begin), self.builtin(Builtin::End)]
    }

    /// Memory from an element on, whose dimensions have these sizes and strides.
    pub fn memory(
        &mut self,
        pointer: Pointer,
        dtype: Dtype,
        at: SymInt,
        dimensions: &[(SymInt, SymInt)],
    ) -> Operand {
        let syms = std::sync::Arc::clone(&self.program.syms);
        let (sizes, steps): (Vec<SymInt>, Vec<SymInt>) = dimensions.iter().copied().unzip();
        let elements = reach(&syms, &sizes, &steps);
        let at = Some(self.index(at));
        let strides = dimensions.iter().map(|(_, stride)| self.index(*stride)).collect();
        Operand::Memory(Box::new(Memory { pointer, dtype, at, strides, elements, written: false }))
    }
}
