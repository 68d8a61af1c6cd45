//! Python expressions, as far as exported programs hold them: sympy's `srepr` of sizes, and guards.
//!
//! Deliberately absent: names' meanings; see `srepr` and `guards`.

use std::iter::Peekable;
use std::str::CharIndices;

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Int(i64),
    Float(f64),
    Str(String),
    /// `torch.sym_max` is one name.
    Name(String),
    Call(Box<Expr>, Vec<Expr>, Vec<(String, Expr)>),
    Index(Box<Expr>, Box<Expr>),
    /// A method or member of something that is no plain name: `L['x'].size`.
    Member(Box<Expr>, String),
    /// `neg`, `pos` or `not_`.
    Unary(&'static str, Box<Expr>),
    /// `a op b op c`, all of one precedence, from the left; operators by the names of Python's `operator` module.
    Chain(Box<Expr>, Vec<(&'static str, Expr)>),
    /// `a < b <= c`: every neighbouring pair.
    Compare(Box<Expr>, Vec<(&'static str, Expr)>),
}

impl Expr {
    /// The kind of expression, as messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Expr::Int(_) => "integer",
            Expr::Float(_) => "float",
            Expr::Str(_) => "string",
            Expr::Name(_) => "name",
            Expr::Call(..) => "call",
            Expr::Index(..) => "index",
            Expr::Member(..) => "member",
            Expr::Unary(..) | Expr::Chain(..) => "arithmetic",
            Expr::Compare(..) => "comparison",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Int(i64),
    Float(f64),
    Str(String),
    Name(String),
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: [&str; 25] = [
    "**", "//", "<=", ">=", "==", "!=", "<<", ">>", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]",
    ",", ".", "=", "&", "|", "^",
];

/// How deep parentheses may nest; real files stay below ten.
const DEPTH: usize = 100;

pub fn parse(text: &str) -> Result<Expr, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    let expr = parser.expression(0, 0)?;
    match parser.tokens.get(parser.at) {
        None => Ok(expr),
        Some(t) => Err(format!("{} does not belong after the expression", show(Some(t)))),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.peek().copied() {
        if c.is_whitespace() {
            chars.next();
        } else if c.is_ascii_digit() {
            found.push(number(text, &mut chars)?);
        } else if c.is_alphabetic() || c == '_' {
            let end = skip(text, &mut chars, |c| c.is_alphanumeric() || c == '_');
            found.push(Token::Name(text[at..end].to_string()));
        } else if c == '\'' || c == '"' {
            chars.next();
            let mut body = String::new();
            loop {
                match chars.next() {
                    Some((_, end)) if end == c => break,
                    Some((_, '\\')) => body.extend(chars.next().map(|(_, c)| c)),
                    Some((_, other)) => body.push(other),
                    None => return Err("a string is not closed".to_string()),
                }
            }
            found.push(Token::Str(body));
        } else {
            let sign = SIGNS.into_iter().find(|s| text[at..].starts_with(s));
            let sign = sign.ok_or_else(|| format!("`{c}` is no part of an expression"))?;
            let _ = chars.nth(sign.len() - 1);
            found.push(Token::Sign(sign));
        }
    }
    Ok(found)
}

fn skip(text: &str, chars: &mut Peekable<CharIndices<'_>>, belongs: impl Fn(char) -> bool) -> usize {
    while chars.next_if(|(_, c)| belongs(*c)).is_some() {}
    chars.peek().map_or(text.len(), |(k, _)| *k)
}

fn number(text: &str, chars: &mut Peekable<CharIndices<'_>>) -> Result<Token, String> {
    let start = chars.peek().map_or(0, |(k, _)| *k);
    let mut end = skip(text, chars, |c| c.is_ascii_digit());
    let mut whole = true;
    if chars.next_if(|(_, c)| *c == '.').is_some() {
        whole = false;
        end = skip(text, chars, |c| c.is_ascii_digit());
    }
    if chars.next_if(|(_, c)| *c == 'e' || *c == 'E').is_some() {
        whole = false;
        chars.next_if(|(_, c)| *c == '-' || *c == '+');
        end = skip(text, chars, |c| c.is_ascii_digit());
    }
    let text = &text[start..end];
    if whole {
        text.parse().map(Token::Int).map_err(|_| format!("{text} does not fit 64 bits"))
    } else {
        text.parse().map(Token::Float).map_err(|_| format!("`{text}` is no number"))
    }
}

fn show(token: Option<&Token>) -> String {
    match token {
        None => "the end".to_string(),
        Some(Token::Int(v)) => format!("`{v}`"),
        Some(Token::Float(v)) => format!("`{v}`"),
        Some(Token::Str(s)) => format!("'{s}'"),
        Some(Token::Name(n)) => format!("`{n}`"),
        Some(Token::Sign(s)) => format!("`{s}`"),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

/// A binary operator: precedence and name. Python's order, weakest first.
fn binary(token: &Token) -> Option<(u8, &'static str)> {
    Some(match token {
        Token::Name(n) if n == "or" => (1, "or"),
        Token::Name(n) if n == "and" => (2, "and"),
        Token::Sign(s) => match *s {
            "==" => (4, "eq"),
            "!=" => (4, "ne"),
            "<" => (4, "lt"),
            "<=" => (4, "le"),
            ">" => (4, "gt"),
            ">=" => (4, "ge"),
            "|" => (5, "or_"),
            "^" => (6, "xor"),
            "&" => (7, "and_"),
            "<<" => (8, "lshift"),
            ">>" => (8, "rshift"),
            "+" => (9, "add"),
            "-" => (9, "sub"),
            "*" => (10, "mul"),
            "/" => (10, "truediv"),
            "//" => (10, "floordiv"),
            "%" => (10, "mod"),
            "**" => (12, "pow"),
            _ => return None,
        },
        _ => return None,
    })
}

const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SIGNED: u8 = 11;
const POWER: u8 = 12;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }
    fn take(&mut self, sign: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.at += there as usize;
        there
    }
    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("expected `{sign}`, found {}", show(self.peek()))) }
    }

    /// An expression of operators at least as strong as `least`.
    fn expression(&mut self, least: u8, depth: usize) -> Result<Expr, String> {
        if depth > DEPTH {
            return Err(format!("the expression nests deeper than {DEPTH}"));
        }
        let mut left = self.operand(depth)?;
        while let Some((strength, _)) = self.peek().and_then(binary).filter(|(s, _)| *s >= least) {
            let mut rest = Vec::new();
            while let Some((s, name)) = self.peek().and_then(binary).filter(|(s, _)| *s == strength) {
                self.at += 1;
                // The power operator binds from the right, all others from the left.
                rest.push((name, self.expression(if s == POWER { s } else { s + 1 }, depth + 1)?));
            }
            left = match strength {
                COMPARISON => Expr::Compare(Box::new(left), rest),
                _ => Expr::Chain(Box::new(left), rest),
            };
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Expr, String> {
        let token = self.peek().cloned();
        self.at += 1;
        let mut expr = match token {
            Some(Token::Int(v)) => return Ok(Expr::Int(v)),
            Some(Token::Float(v)) => return Ok(Expr::Float(v)),
            Some(Token::Str(s)) => return Ok(Expr::Str(s)),
            Some(Token::Sign("-")) => return self.signed("neg", depth),
            Some(Token::Sign("+")) => return self.signed("pos", depth),
            Some(Token::Name(n)) if n == "not" => {
                return Ok(Expr::Unary("not_", Box::new(self.expression(NOT, depth + 1)?)));
            }
            Some(Token::Sign("(")) => {
                let inner = self.expression(0, depth + 1)?;
                self.expect(")")?;
                inner
            }
            Some(Token::Name(n)) if binary(&Token::Name(n.clone())).is_none() => Expr::Name(n),
            other => return Err(format!("expected an operand, found {}", show(other.as_ref()))),
        };
        for _ in 0..DEPTH {
            if self.take("(") {
                expr = self.call(expr, depth)?;
            } else if self.take("[") {
                let index = self.expression(0, depth + 1)?;
                self.expect("]")?;
                expr = Expr::Index(Box::new(expr), Box::new(index));
            } else if self.take(".") {
                let Some(Token::Name(member)) = self.peek().cloned() else {
                    return Err(format!("expected a name after `.`, found {}", show(self.peek())));
                };
                self.at += 1;
                expr = match expr {
                    Expr::Name(n) => Expr::Name(format!("{n}.{member}")),
                    other => Expr::Member(Box::new(other), member),
                };
            } else {
                return Ok(expr);
            }
        }
        Err(format!("the expression nests deeper than {DEPTH}"))
    }

    fn signed(&mut self, name: &'static str, depth: usize) -> Result<Expr, String> {
        Ok(match (name, self.expression(SIGNED, depth + 1)?) {
            ("neg", Expr::Int(v)) => Expr::Int(-v),
            (_, inner) => Expr::Unary(name, Box::new(inner)),
        })
    }

    fn call(&mut self, function: Expr, depth: usize) -> Result<Expr, String> {
        let (mut args, mut named) = (Vec::new(), Vec::new());
        while !self.take(")") {
            let is_named = matches!(self.tokens.get(self.at + 1), Some(Token::Sign("=")));
            match (self.peek().cloned(), is_named) {
                (Some(Token::Name(name)), true) => {
                    self.at += 2;
                    named.push((name, self.expression(0, depth + 1)?));
                }
                _ => args.push(self.expression(0, depth + 1)?),
            }
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(Expr::Call(Box::new(function), args, named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binds_as_python_does() {
        let int = |v| Box::new(Expr::Int(v));
        assert_eq!(
            parse("1 + 2*3 < 4 and not 5").unwrap(),
            Expr::Chain(
                Box::new(Expr::Compare(
                    Box::new(Expr::Chain(
                        int(1),
                        vec![("add", Expr::Chain(int(2), vec![("mul", Expr::Int(3))]))]
                    )),
                    vec![("lt", Expr::Int(4))]
                )),
                vec![("and", Expr::Unary("not_", int(5)))]
            )
        );
        let power = Expr::Chain(int(2), vec![("pow", Expr::Chain(int(3), vec![("pow", Expr::Int(2))]))]);
        assert_eq!(parse("2**3**2").unwrap(), power);
        assert_eq!(
            parse("-2**2").unwrap(),
            Expr::Unary("neg", Box::new(Expr::Chain(int(2), vec![("pow", Expr::Int(2))])))
        );
        assert!(matches!(parse("L['x'].size()[0]").unwrap(), Expr::Index(..)));
        assert_eq!(parse("torch.sym_max").unwrap(), Expr::Name("torch.sym_max".to_string()));
    }

    #[test]
    fn refuses_without_overflowing_the_stack() {
        assert!(parse(&"(".repeat(100_000)).unwrap_err().contains("nests"));
        assert!(parse(&"-".repeat(100_000)).unwrap_err().contains("nests"));
        assert!(parse(&format!("f{}", "(1)".repeat(100_000))).unwrap_err().contains("nests"));
        assert!(parse(&"1**".repeat(100_000)).unwrap_err().contains("nests"));
        assert!(parse(&format!("1{}", "+1".repeat(100_000))).is_ok());
        for bad in ["", "1 +", "f(1", "'x", "a b", "1 ; 2", "99999999999999999999", "x[", "é€"] {
            assert!(parse(bad).is_err() || bad == "é€", "{bad}");
        }
    }
}
