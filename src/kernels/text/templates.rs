//! Regions and calls of templates, printed and read.

use super::print::{Printer, type_text};
use super::read::{Reader, buffer_place};
use crate::ir::text::lexer::{Place, Token};
use crate::kernels::template::{Field, field_name};
use crate::kernels::{
    Base, Boxes, Is, LocalId, Memory, Operand, Parameter, Pointer, Region, Routine, Space, Statement,
    TemplateCall, Type,
};
use crate::meta::text::Result;
use crate::types::{Dtype, Scalar, float_text};

impl Printer<'_> {
    pub(super) fn region(&self, region: &Region) -> String {
        let parameters: Vec<String> = region.parameters.iter().map(|p| self.parameter(p)).collect();
        let gives = region.gives.map(|ty| format!(" gives {}", type_text(ty))).unwrap_or_default();
        format!("define {}({}){gives}", self.local(region.local), parameters.join(", "))
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let (name, ty) = (self.local(parameter.local), self.kernel.body.locals[parameter.local].ty);
        let dtype = match ty {
            Type::Scalar(dtype) | Type::Pointer { dtype, .. } => dtype,
            _ => Dtype::Int64,
        };
        match parameter.is {
            Is::Below(size) => format!("{name} below {}", self.size(size)),
            Is::Step { size, of } => format!("{name} below {} by {of}", self.size(size)),
            Is::First(size) => format!("{name} first {}", self.size(size)),
            Is::Count => format!("{name} count"),
            Is::Elements { length, written } => {
                let length = length.map(|n| format!(" of {}", self.size(n))).unwrap_or_default();
                format!("{name} elements {dtype}{}{length}", if written { " written" } else { "" })
            }
            Is::Value => format!("{name} value {dtype}"),
            Is::Place if ty == Type::Index => format!("{name} place index"),
            Is::Place => format!("{name} place {dtype}"),
        }
    }

    pub(super) fn call_of(&self, call: &TemplateCall) -> String {
        let fields: Vec<String> =
            call.routine.fields().iter().map(|(name, field)| format!("{name} {}", text_of(*field))).collect();
        let operands: Vec<String> = call.operands.iter().map(|o| self.template_operand(o)).collect();
        let numbers: Vec<String> = call.numbers.iter().map(|v| self.of(*v)).collect();
        let region = |r: &Option<LocalId>| r.map_or("none".to_string(), |r| self.local(r));
        let regions: Vec<String> = call.regions.iter().map(region).collect();
        format!(
            "call {}({}) operands ({}) numbers ({}) regions ({})",
            call.routine.name(),
            fields.join(", "),
            operands.join(", "),
            numbers.join(", "),
            regions.join(", ")
        )
    }

    pub(super) fn template_operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Absent => "none".to_string(),
            Operand::Region(region) => self.local(*region),
            Operand::Rows(memory, at) => {
                format!(
                    "rows {} {}",
                    self.local(*at),
                    self.template_operand(&Operand::Memory(memory.clone()))
                )
            }
            Operand::Boxes(Boxes { map, at, written }) => {
                let at = at.map(|at| format!(" at {}", self.local(at))).unwrap_or_default();
                format!("boxes {map}{at}{}", if *written { " written" } else { "" })
            }
            Operand::Memory(memory) => {
                let Memory { pointer, dtype, at, strides, elements, written } = &**memory;
                let base = match pointer.base {
                    Base::Buffer(place) => format!("b{place}"),
                    _ => String::new(),
                };
                let at = at.map(|at| format!("[{}]", self.of(at))).unwrap_or_default();
                let strides: Vec<String> = strides.iter().map(|v| self.of(*v)).collect();
                let (strides, elements) = (strides.join(", "), self.size(*elements));
                let written = if *written { " written" } else { "" };
                format!("{base}{at} {dtype} strides ({strides}) elements {elements}{written}")
            }
        }
    }
}

fn text_of(field: Field) -> String {
    match field {
        Field::Number(v) => v.to_string(),
        Field::Flag(v) => v.to_string(),
        Field::Float(v) => float_text(v),
        Field::Dtype(dtype) => dtype.to_string(),
        Field::Name(name) => name.to_string(),
        Field::List(list, length) => format!("{:?}", &list[..length]),
    }
}

impl Reader {
    /// Things between parentheses, with commas.
    fn listed<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.text.cursor.sign("(")?;
        let mut list = Vec::new();
        while !self.text.cursor.take_sign(")") {
            if !list.is_empty() {
                self.text.cursor.sign(",")?;
            }
            list.push(one(self)?);
        }
        Ok(list)
    }

    pub(super) fn region(&mut self) -> Result<Statement> {
        let (name, local) = self.declaration(Some(Type::Region))?;
        let known = self.scope.len();
        let parameters = self.listed(Self::parameter)?;
        let gives = if self.text.cursor.take_word("gives") { Some(self.ty()?) } else { None };
        let body = self.braced()?;
        self.scope.truncate(known);
        self.define((name, local));
        Ok(Statement::Region(Box::new(Region { local, parameters, gives, body })))
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let place = self.text.cursor.place();
        let (name, local) = self.declaration(Some(Type::Index))?;
        let Token::Word(word) = self.text.cursor.next() else {
            return self.fail(place, "expected what the parameter is");
        };
        let (ty, is) = match word.as_str() {
            "below" => {
                let size = self.text.size()?;
                let by = self.text.cursor.take_word("by");
                (Type::Index, if by { Is::Step { size, of: self.number()? } } else { Is::Below(size) })
            }
            "first" => (Type::Index, Is::First(self.text.size()?)),
            "count" => (Type::Index, Is::Count),
            "elements" => {
                let ty = Type::Pointer { dtype: self.text.dtype()?, space: Space::Lent };
                let written = self.text.cursor.take_word("written");
                let length = if self.text.cursor.take_word("of") { Some(self.text.size()?) } else { None };
                (ty, Is::Elements { length, written })
            }
            "value" => (Type::Scalar(self.text.dtype()?), Is::Value),
            "place" if self.text.cursor.take_word("index") => (Type::Index, Is::Place),
            "place" => (Type::Scalar(self.text.dtype()?), Is::Place),
            other => return self.fail(place, format!("no parameter is `{other}`")),
        };
        self.kernel.body.locals[local].ty = ty;
        self.kernel.body.locals[local].may_be_unused = true;
        self.define((name, local));
        Ok(Parameter { local, is })
    }

    pub(super) fn call_of_template(&mut self, place: Place) -> Result<Statement> {
        let Token::Word(name) = self.text.cursor.next() else {
            return self.fail(place, "expected a template");
        };
        let fields = self.listed(|this| {
            let Token::Word(name) = this.text.cursor.next() else {
                return this.fail(place, "expected the name of a field");
            };
            Ok((name, this.field()?))
        })?;
        let find = |name: &str| fields.iter().find(|(n, _)| n == name).map(|(_, field)| *field);
        let Some(routine) = Routine::of(&name, &find) else {
            return self.fail(place, format!("there is no template `{name}` of these fields"));
        };
        self.text.cursor.word("operands")?;
        let operands = self.listed(Self::template_operand)?;
        self.text.cursor.word("numbers")?;
        let numbers = self.listed(Self::value)?;
        self.text.cursor.word("regions")?;
        let regions = self.listed(|this| {
            if this.text.cursor.take_word("none") {
                return Ok(None);
            }
            Ok(Some(this.local("a region")?))
        })?;
        Ok(Statement::Template(Box::new(TemplateCall { routine, operands, numbers, regions })))
    }

    fn field(&mut self) -> Result<Field> {
        let place = self.text.cursor.place();
        if let Token::Word(word) = self.text.cursor.peek().clone() {
            let named = field_name(&word).map(Field::Name);
            if let Some(field) = named.or_else(|| Dtype::from_name(&word).map(Field::Dtype)) {
                self.text.cursor.next();
                return Ok(field);
            }
        }
        if let Some(sizes) =
            matches!(self.text.cursor.peek(), Token::Sign("[")).then(|| self.text.sizes()).transpose()?
        {
            let mut list = [0; 15];
            if sizes.len() > list.len() {
                return self.fail(place, "a list has at most fifteen numbers");
            }
            for (number, size) in list.iter_mut().zip(&sizes) {
                match self.text.syms.as_const(*size) {
                    Some(known) => *number = known,
                    None => return self.fail(place, "a list is of numbers"),
                }
            }
            return Ok(Field::List(list, sizes.len()));
        }
        match self.text.cursor.scalar()? {
            Scalar::Int(v) => Ok(Field::Number(v)),
            Scalar::Bool(v) => Ok(Field::Flag(v)),
            Scalar::Float(v) if v.is_finite() => Ok(Field::Float(v)),
            Scalar::Float(_) => self.fail(place, "a template's geometry is finite"),
        }
    }

    pub(super) fn template_operand(&mut self) -> Result<Operand> {
        if self.text.cursor.take_word("none") {
            return Ok(Operand::Absent);
        }
        if self.text.cursor.take_word("rows") {
            let (at, place) = (self.local("a region")?, self.text.cursor.place());
            return match self.template_operand()? {
                Operand::Memory(memory) => Ok(Operand::Rows(memory, at)),
                _ => self.fail(place, "rows lie in a buffer"),
            };
        }
        if self.text.cursor.take_word("boxes") {
            let place = self.text.cursor.place();
            let map = self.number()?;
            let Some(map) = usize::try_from(map).ok().filter(|k| *k < self.kernel.maps.len()) else {
                return self.fail(place, format!("the kernel has no map {map}"));
            };
            let at = match self.text.cursor.take_word("at") {
                true => Some(self.local("a region")?),
                false => None,
            };
            return Ok(Operand::Boxes(Boxes { map, at, written: self.text.cursor.take_word("written") }));
        }
        let buffer = match self.text.cursor.peek() {
            Token::Word(word) if self.find(word).is_none() => {
                buffer_place(word).filter(|place| *place < self.kernel.buffers.len())
            }
            _ => None,
        };
        let Some(buffer) = buffer else { return Ok(Operand::Region(self.local("a buffer or a region")?)) };
        self.text.cursor.next();
        let at = if self.text.cursor.take_sign("[") {
            let at = self.value()?;
            self.text.cursor.sign("]")?;
            Some(at)
        } else {
            None
        };
        let dtype = self.text.dtype()?;
        self.text.cursor.word("strides")?;
        let strides = self.listed(Self::value)?;
        self.text.cursor.word("elements")?;
        let elements = self.text.size()?;
        let written = self.text.cursor.take_word("written");
        let pointer = Pointer::buffer(buffer);
        Ok(Operand::Memory(Box::new(Memory { pointer, dtype, at, strides, elements, written })))
    }
}
