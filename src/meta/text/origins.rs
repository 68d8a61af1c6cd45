//! The lines that say where nodes come from: `module`, `trace`, `origin`, and `from [0, 1]` behind a node.

use super::{Reader, Result, TextError};
use crate::ir::text::lexer::Place;
use crate::ir::{Module, Origin, OriginId};

/// What such lines said so far; each is named by its number.
#[derive(Default)]
pub struct Known {
    modules: Vec<Module>,
    traces: Vec<String>,
    origins: Vec<OriginId>,
}

impl Known {
    /// Origins that a graph has already.
    pub fn of(origins: Vec<OriginId>) -> Known {
        Known { origins, ..Known::default() }
    }
}

/// True for the words that such lines begin with.
pub fn is_line(word: &str) -> bool {
    matches!(word, "module" | "trace" | "origin")
}

impl Reader {
    pub(super) fn origin(&mut self, word: &str, place: Place) -> Result<()> {
        if self.depth > 0 {
            return Err(TextError::new(place, format!("`{word}` stands in the outermost graph alone")));
        }
        let known = match word {
            "module" => self.known.modules.len(),
            "trace" => self.known.traces.len(),
            _ => self.known.origins.len(),
        };
        let place = self.text.cursor.place();
        let number = self.text.cursor.unsigned()?;
        if number != known as i64 {
            return Err(TextError::new(place, format!("expected {known}, the next number of a `{word}`")));
        }
        match word {
            "module" => {
                let (path, class) =
                    (self.text.cursor.string("the module's path")?, self.text.cursor.string("its class")?);
                self.known.modules.push(Module { path, class });
            }
            "trace" => self.known.traces.push(self.text.cursor.string("the stack trace")?),
            _ => {
                let (node, operator) =
                    (self.text.cursor.string("the node's name")?, self.text.cursor.string("its operator")?);
                let mut origin = Origin { node, operator, ..Origin::default() };
                if self.text.cursor.take_word("modules") {
                    for k in self.numbers("module", self.known.modules.len())? {
                        origin.modules.push(self.known.modules[k].clone());
                    }
                }
                if self.text.cursor.take_word("trace") {
                    let k = self.known_number("trace", self.known.traces.len())?;
                    origin.stack_trace = self.known.traces[k].clone();
                }
                origin.sets_precision = self.text.cursor.take_word("autocast");
                origin.unfused = self.text.cursor.take_word("unfused");
                self.known.origins.push(self.graph.origins.add(origin));
            }
        }
        Ok(())
    }

    /// Where the node comes from that was just read.
    pub(super) fn node_origins(&mut self) -> Result<Vec<OriginId>> {
        if !self.text.cursor.take_word("from") {
            return Ok(Vec::new());
        }
        let numbers = self.numbers("origin", self.known.origins.len())?;
        Ok(numbers.into_iter().map(|k| self.known.origins[k]).collect())
    }

    /// `[0, 2]`
    fn numbers(&mut self, what: &str, known: usize) -> Result<Vec<usize>> {
        self.text.cursor.sign("[")?;
        let mut list = Vec::new();
        while !self.text.cursor.take_sign("]") {
            list.push(self.known_number(what, known)?);
            if !self.text.cursor.take_sign(",") {
                self.text.cursor.sign("]")?;
                break;
            }
        }
        Ok(list)
    }
    fn known_number(&mut self, what: &str, known: usize) -> Result<usize> {
        let place = self.text.cursor.place();
        let number = self.text.cursor.unsigned()?;
        let found = usize::try_from(number).ok().filter(|k| *k < known);
        found.ok_or_else(|| TextError::new(place, format!("no line before this one is `{what} {number}`")))
    }
}
