//! Litz text to tokens, each with its place.

/// Where in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// `%12`
    Value(u64),
    /// A word; dots belong to it (`aten.add.Tensor`).
    Word(String),
    /// A symbol's name between backquotes.
    Symbol(String),
    Int(i64),
    Float(f64),
    Str(String),
    Sign(&'static str),
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Value(v) => write!(f, "`%{v}`"),
            Token::Word(w) | Token::Symbol(w) => write!(f, "`{w}`"),
            Token::Int(v) => write!(f, "`{v}`"),
            Token::Float(v) => write!(f, "`{v:?}`"),
            Token::Str(s) => write!(f, "{s:?}"),
            Token::Sign(s) => write!(f, "`{s}`"),
            Token::End => write!(f, "the end of the text"),
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 20] =
    ["//", "<=", ">=", "==", "!=", "{", "}", "(", ")", "[", "]", ",", ":", "=", "<", ">", "+", "-", "*", "%"];

/// All tokens; the last is `End`. The error is a place and what is wrong there.
pub fn tokens(text: &str) -> Result<Vec<(Token, Place)>, (Place, String)> {
    let mut scanner = Scanner { rest: text, place: Place { line: 1, column: 1 } };
    let mut found = Vec::new();
    loop {
        scanner.skip();
        let place = scanner.place;
        let token = scanner.token().map_err(|message| (place, message))?;
        let end = token == Token::End;
        found.push((token, place));
        if end {
            return Ok(found);
        }
    }
}

struct Scanner<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Scanner<'a> {
    fn bump(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }
    /// What follows the next character.
    fn second(&self) -> Option<char> {
        self.rest.chars().nth(1)
    }
    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest;
        while self.peek().is_some_and(&belongs) {
            self.bump();
        }
        &rest[..rest.len() - self.rest.len()]
    }

    /// Blanks and comments.
    fn skip(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.peek() != Some('#') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        let Some(c) = self.peek() else { return Ok(Token::End) };
        let digit = |c: char| c.is_ascii_digit();
        if c == '%' && self.second().is_some_and(digit) {
            self.bump();
            let digits = self.take_while(digit);
            return digits
                .parse()
                .map(Token::Value)
                .map_err(|_| format!("`%{digits}` is too large a number"));
        }
        if digit(c) {
            return self.number();
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let whole = self.rest;
            self.take_while(part);
            while self.peek() == Some('.') && self.second().is_some_and(part) {
                self.bump();
                self.take_while(part);
            }
            return Ok(Token::Word(whole[..whole.len() - self.rest.len()].to_string()));
        }
        if c == '"' || c == '`' {
            let text = self.string(c)?;
            return Ok(if c == '"' { Token::Str(text) } else { Token::Symbol(text) });
        }
        match SIGNS.into_iter().find(|s| self.rest.starts_with(s)) {
            Some(sign) => {
                sign.chars().for_each(|_| {
                    self.bump();
                });
                Ok(Token::Sign(sign))
            }
            None => Err(match c.is_control() {
                true => format!("the character U+{:04X} is no part of Litz text", c as u32),
                false => format!("`{c}` is no part of Litz text"),
            }),
        }
    }

    fn number(&mut self) -> Result<Token, String> {
        let whole = self.rest;
        let digit = |c: char| c.is_ascii_digit();
        self.take_while(digit);
        let mut float = false;
        if self.peek() == Some('.') && self.second().is_some_and(digit) {
            float = true;
            self.bump();
            self.take_while(digit);
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            float = true;
            self.bump();
            if matches!(self.peek(), Some('-' | '+')) {
                self.bump();
            }
            self.take_while(digit);
        }
        let text = &whole[..whole.len() - self.rest.len()];
        if float {
            return text.parse().map(Token::Float).map_err(|_| format!("`{text}` is no number"));
        }
        // One more than the largest integer is the smallest one's digits.
        match text.parse::<u64>() {
            Ok(v) if v <= 1 << 63 => Ok(Token::Int(v as i64)),
            _ => Err(format!("`{text}` does not fit 64 bits")),
        }
    }

    fn string(&mut self, quote: char) -> Result<String, String> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                None => return Err("a string is not closed".to_string()),
                Some(c) if c == quote => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push(c),
            }
        }
    }
    fn escape(&mut self) -> Result<char, String> {
        match self.bump() {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some(c @ ('\\' | '"' | '`')) => Ok(c),
            Some('u') if self.peek() == Some('{') => {
                self.bump();
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                match (c, self.bump()) {
                    (Some(c), Some('}')) => Ok(c),
                    _ => Err("an escape `\\u{…}` must hold a character's number".to_string()),
                }
            }
            _ => Err("an escape must be one of \\n \\t \\\\ \\\" \\` \\u{…}".to_string()),
        }
    }
}
