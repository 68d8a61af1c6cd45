//! Transitional: what writers that still spell their kernels by hand ask of an emitter. Each ported writer uses less of it.

use super::{Emitter, Operand, Span};
use crate::kernels::{Base, Pointer, Statement, Value, ValueId};
use crate::loops::ExprId;
use crate::print::{self, words};
use crate::types::SymInt;

/// A value, or the text of one.
pub trait Spelled {
    fn value(self, emitter: &mut Emitter<'_>) -> ValueId;
}
impl Spelled for ValueId {
    fn value(self, _: &mut Emitter<'_>) -> ValueId {
        self
    }
}
impl Spelled for &str {
    fn value(self, emitter: &mut Emitter<'_>) -> ValueId {
        emitter.add(Value::Text(self.to_string()))
    }
}
impl Spelled for &&str {
    fn value(self, emitter: &mut Emitter<'_>) -> ValueId {
        (*self).value(emitter)
    }
}
impl Spelled for &String {
    fn value(self, emitter: &mut Emitter<'_>) -> ValueId {
        self.as_str().value(emitter)
    }
}

impl From<&str> for Pointer {
    fn from(text: &str) -> Pointer {
        Pointer { base: Base::Text(text.to_string()), origin: None, bits: None }
    }
}
impl From<&String> for Pointer {
    fn from(text: &String) -> Pointer {
        text.as_str().into()
    }
}

impl Emitter<'_> {
    /// The type of indices.
    pub fn index_name(&self) -> &'static str {
        words::index_type(self.body.index)
    }
    pub fn text(&self, value: ValueId) -> String {
        print::value(self.dialect, &self.body, value)
    }
    pub fn index_text(&mut self, index: SymInt) -> String {
        let value = self.index(index);
        self.text(value)
    }
    pub fn divisor_text(&mut self, index: SymInt) -> String {
        let value = self.divisor(index);
        self.text(value)
    }
    pub fn index_of_data_text(&mut self, index: SymInt, data: &[ExprId]) -> String {
        let value = self.index_of_data(index, data);
        self.text(value)
    }
    pub fn value_text(&mut self, id: ExprId) -> String {
        let operand = self.value(id);
        self.text(operand.value)
    }
    pub fn vector_text(&mut self, operand: Operand) -> String {
        let value = self.vector(operand);
        self.text(value)
    }
    pub fn uniform(&mut self, text: &str) -> Operand {
        Operand::uniform(text.value(self))
    }
    pub fn varying(&mut self, text: &str) -> Operand {
        Operand::varying(text.value(self))
    }

    /// A span between bounds that are spelled.
    pub fn span(
        &mut self,
        variable: SymInt,
        (first, last): (&str, &str),
        known: Option<i64>,
        lanes: i64,
    ) -> Span {
        let whole = first == "0";
        Span { variable, first: first.value(self), last: last.value(self), known, lanes, whole }
    }

    pub fn line(&mut self, text: &str) {
        self.push(Statement::Text(text.to_string()));
    }
    pub fn line_at(&mut self, level: usize, text: &str) {
        self.push_at(level, Statement::Text(text.to_string()));
    }
    /// Closes the innermost scope and puts it into the one around it as `head { … }`.
    pub fn close(&mut self, head: &str) {
        let body = self.close_block();
        self.push(Statement::TextBlock { head: head.to_string(), body });
    }
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.counter += 1;
        format!("{prefix}_{}", self.counter)
    }
}
