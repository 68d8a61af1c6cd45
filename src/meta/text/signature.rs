//! The lines of a signature: `arguments`, `argument`, `results`, `result`, `metadata`.

use super::{Reader, Result, TextError};
use crate::ir::spec::{Fixed, Holds, Leaf, Side};
use crate::ir::text::lexer::{Place, Token};

/// True for the words that such lines begin with.
pub fn is_line(word: &str) -> bool {
    matches!(word, "arguments" | "argument" | "results" | "result" | "metadata")
}

impl Reader {
    pub(super) fn signature(&mut self, word: &str, place: Place) -> Result<()> {
        if self.depth > 0 {
            return Err(TextError::new(place, "a graph that is an argument has no signature of its own"));
        }
        if word == "metadata" {
            let key = self.text.cursor.string("the key")?;
            self.text.cursor.sign("=")?;
            let value = self.text.cursor.string("the value")?;
            return match self.graph.spec.metadata.insert(key.clone(), value) {
                None => Ok(()),
                Some(_) => Err(TextError::new(place, format!("the key {key:?} is given twice"))),
            };
        }
        let spec = &mut self.graph.spec;
        let side = if word.starts_with("argument") { &mut spec.inputs } else { &mut spec.outputs };
        if word.ends_with('s') {
            let tree = self.text.cursor.string("the tree")?;
            return match side.tree.replace(tree) {
                None => Ok(()),
                Some(_) => Err(TextError::new(place, format!("`{word}` is given twice"))),
            };
        }
        let path = self.text.cursor.string("the path")?;
        let holds = if !self.text.cursor.take_sign("=") {
            Holds::Given
        } else if self.text.cursor.take_word("None") {
            Holds::None
        } else if let Token::Str(_) = self.text.cursor.peek() {
            Holds::Fixed(Fixed::Text(self.text.cursor.string("the value")?))
        } else {
            Holds::Fixed(Fixed::Number(self.text.cursor.scalar()?))
        };
        side.leaves.push(Leaf { path, holds });
        Ok(())
    }

    /// As many leaves are given as there are inputs, and outputs.
    pub(super) fn check_signature(&self, place: Place) -> Result<()> {
        let spec = &self.graph.spec;
        let sides = [
            (&spec.inputs, self.graph.inputs.len(), "input"),
            (&spec.outputs, self.graph.outputs.len(), "output"),
        ];
        for (side, n, what) in sides {
            if *side != Side::default() && !side.fits(n) {
                let message = format!("the signature has not as many leaves as the graph has {what}s, {n}");
                return Err(TextError::new(place, message));
            }
        }
        Ok(())
    }
}
