//! Prints and reads collective operations of a block in shared memory.

use super::print::Printer;
use super::read::{Reader, buffer_place};
use crate::ir::text::lexer::{Place, Token};
use crate::kernels::{Base, Over, Pointer, ReduceStrips, Statement, Type, ValueId};
use crate::meta::text::Result;
use crate::types::Dtype;

impl Printer<'_> {
    pub(super) fn shared(&self, statement: &Statement) -> String {
        let buffer = |pointer: &Pointer, at: &ValueId| match pointer.base {
            Base::Buffer(place) => format!("b{place}[{}]", self.of(*at)),
            _ => String::new(),
        };
        match statement {
            Statement::FoldRows { op, dtype, array } => {
                format!("fold_rows.{op:?}.{dtype} {}", self.local(*array))
            }
            Statement::Fetch { held, turn, from, at } => {
                format!("fetch {}[{}] = {}", self.local(*held), self.of(*turn), buffer(from, at))
            }
            Statement::PutSquare { held, array, side, threads } => {
                let (held, array) = (self.local(*held), self.local(*array));
                format!("put_square {array} = {held} side {side} threads {threads}")
            }
            Statement::Flush { array, place, to, at, width } => {
                let from = format!("{}[{}]", self.local(*array), self.of(*place));
                format!("flush {} = {from} width {width}", buffer(to, at))
            }
            Statement::ReduceStrips(s) => {
                let Over::Above { across, above } = s.over else { return String::new() };
                let [array, workspace, place, result] =
                    [s.array, s.workspace, s.place, s.result].map(|l| self.local(l));
                format!(
                    "reduce_strips.{:?}.{} {array} across {across} above {above} in {workspace} gives {place}, {result}",
                    s.op, s.dtype
                )
            }
            _ => String::new(),
        }
    }
}

impl Reader {
    /// `b0[at]`
    fn in_buffer(&mut self) -> Result<(Pointer, ValueId)> {
        let place = self.text.cursor.place();
        let Token::Word(name) = self.text.cursor.next() else { return self.fail(place, "expected a buffer") };
        let Some(buffer) = buffer_place(&name).filter(|b| *b < self.kernel.buffers.len()) else {
            return self.fail(place, format!("there is no buffer `{name}`"));
        };
        let at = self.value_after("[")?;
        self.text.cursor.sign("]")?;
        Ok((Pointer::buffer(buffer), at))
    }

    pub(super) fn shared(&mut self, word: &str, rest: &str, place: Place) -> Result<Statement> {
        Ok(match word {
            "fold_rows" => {
                let (op, dtype) = self.reduced(rest, place)?;
                Statement::FoldRows { op, dtype, array: self.local("an array")? }
            }
            "fetch" => {
                let held = self.local("what is held")?;
                let turn = self.value_after("[")?;
                self.text.cursor.sign("]")?;
                self.text.cursor.sign("=")?;
                let (from, at) = self.in_buffer()?;
                Statement::Fetch { held, turn, from, at }
            }
            "put_square" => {
                let array = self.local("an array")?;
                self.text.cursor.sign("=")?;
                let held = self.local("what is held")?;
                let (side, threads) = (self.number_after("side")?, self.number_after("threads")?);
                Statement::PutSquare { held, array, side, threads }
            }
            "flush" => {
                let (to, at) = self.in_buffer()?;
                self.text.cursor.sign("=")?;
                let array = self.local("an array")?;
                let place = self.value_after("[")?;
                self.text.cursor.sign("]")?;
                Statement::Flush { array, place, to, at, width: self.number_after("width")? }
            }
            _ => {
                let (op, dtype) = self.reduced(rest, place)?;
                let array = self.local("an array")?;
                let over =
                    Over::Above { across: self.number_after("across")?, above: self.number_after("above")? };
                self.text.cursor.word("in")?;
                let workspace = self.local("an array")?;
                self.text.cursor.word("gives")?;
                let known = self.scope.len();
                let column = self.declaration(Some(Type::Scalar(Dtype::Int32)))?;
                let column = self.define(column);
                self.text.cursor.sign(",")?;
                let result = self.declaration(Some(Type::Scalar(dtype)))?;
                let result = self.define(result);
                let body = self.braced()?;
                self.scope.truncate(known);
                let strips = ReduceStrips { op, dtype, over, array, workspace, place: column, result, body };
                Statement::ReduceStrips(Box::new(strips))
            }
        })
    }
}
