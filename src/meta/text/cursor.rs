//! A place among tokens, with the steps that most lines take.

use super::{Result, TextError};
use crate::ir::text::lexer::{Place, Token, tokens};
use crate::types::Scalar;

pub struct Cursor {
    tokens: Vec<(Token, Place)>,
    at: usize,
}

impl Cursor {
    pub fn new(text: &str) -> Result<Cursor> {
        let tokens = tokens(text).map_err(|(place, message)| TextError::new(place, message))?;
        Ok(Cursor { tokens, at: 0 })
    }
    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }
    fn second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }
    pub fn second_is_word(&self, word: &str) -> bool {
        matches!(self.second(), Token::Word(w) if w == word)
    }
    pub fn place(&self) -> Place {
        self.tokens[self.at].1
    }
    /// The next token; at the end, the end again.
    pub fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }
    /// The operators that later nodes call, by the shape of their lines.
    pub fn calls_ahead(&self) -> impl Iterator<Item = (&str, Place)> {
        self.tokens[self.at..].windows(2).filter_map(|two| match two {
            [(Token::Word(word), place), (Token::Sign("("), _)] if word.contains('.') => {
                Some((word.as_str(), *place))
            }
            _ => None,
        })
    }
    pub fn expected(&self, what: &str) -> TextError {
        TextError::new(self.place(), format!("expected {what}, found {}", self.peek()))
    }

    pub fn take_sign(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if there {
            self.next();
        }
        there
    }
    pub fn sign(&mut self, sign: &str) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }
    pub fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Token::Word(w) if w == word);
        if there {
            self.next();
        }
        there
    }
    pub fn word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }
    pub fn string(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Token::Str(s) => {
                let s = s.clone();
                self.next();
                Ok(s)
            }
            _ => Err(self.expected(&format!("{what} as a string"))),
        }
    }
    pub fn value_number(&mut self) -> Result<u64> {
        match *self.peek() {
            Token::Value(n) => {
                self.next();
                Ok(n)
            }
            _ => Err(self.expected("a value, such as `%3`")),
        }
    }
    /// The digits of an integer; those of the smallest one come as itself.
    pub fn unsigned(&mut self) -> Result<i64> {
        match *self.peek() {
            Token::Int(v) => {
                self.next();
                Ok(v)
            }
            _ => Err(self.expected("an integer")),
        }
    }
    pub fn integer(&mut self) -> Result<i64> {
        if self.take_sign("-") {
            return Ok(self.unsigned()?.wrapping_neg());
        }
        let place = self.place();
        match self.unsigned()? {
            i64::MIN => Err(TextError::new(place, "the number does not fit 64 bits")),
            v => Ok(v),
        }
    }
    /// An argument's name and its `=`, when they come next.
    pub fn argument_name(&mut self) -> Option<String> {
        match (self.peek(), self.second()) {
            (Token::Word(name), Token::Sign("=")) => {
                let name = name.clone();
                self.next();
                self.next();
                Some(name)
            }
            _ => None,
        }
    }

    /// A float or bool, when one comes next: what no symbolic integer can start with.
    pub fn known_scalar(&mut self) -> Option<Scalar> {
        let negative = matches!(self.peek(), Token::Sign("-"));
        let token = if negative { self.second() } else { self.peek() };
        let float = match token {
            Token::Float(v) => *v,
            Token::Word(w) if w == "inf" => f64::INFINITY,
            Token::Word(w) if w == "nan" => f64::NAN,
            Token::Word(w) if !negative && (w == "true" || w == "false") => {
                let value = w == "true";
                self.next();
                return Some(Scalar::Bool(value));
            }
            _ => return None,
        };
        (0..1 + negative as usize).for_each(|_| {
            self.next();
        });
        Some(Scalar::Float(if negative { -float } else { float }))
    }
    /// A number of any kind.
    pub fn scalar(&mut self) -> Result<Scalar> {
        match self.known_scalar() {
            Some(known) => Ok(known),
            None => self.integer().map(Scalar::Int),
        }
    }
    pub fn end(&self) -> Result<()> {
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(self.expected("the end of the text")),
        }
    }
}
