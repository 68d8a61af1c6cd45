//! Sizes as the signature spells them (`2*s0 + 1`, `s1//2`, `max(s0, 3)`), evaluated for given symbols.

use std::collections::BTreeMap;

/// The value of an expression; what is wrong with it otherwise.
pub fn evaluate(text: &str, symbols: &BTreeMap<String, i64>) -> Result<i64, String> {
    let mut reader = Reader { rest: text, symbols };
    let value = reader.sum()?;
    reader.skip();
    if reader.rest.is_empty() { Ok(value) } else { Err(reader.odd()) }
}

struct Reader<'a> {
    rest: &'a str,
    symbols: &'a BTreeMap<String, i64>,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }
    fn odd(&self) -> String {
        format!("the size cannot be read at `{}`", self.rest)
    }
    fn takes(&mut self, word: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            let next = if self.takes("+") {
                i64::checked_add as fn(i64, i64) -> Option<i64>
            } else if self.takes("-") {
                i64::checked_sub
            } else {
                return Ok(value);
            };
            value = next(value, self.product()?).ok_or("the size is too large")?;
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        loop {
            // Both round down, as Python's do.
            let next: fn(i64, i64) -> Option<i64> = if self.takes("//") {
                |a, b| a.checked_div_euclid(b).filter(|_| b > 0)
            } else if self.takes("*") {
                i64::checked_mul
            } else if self.takes("%") {
                |a, b| a.checked_rem_euclid(b).filter(|_| b > 0)
            } else {
                return Ok(value);
            };
            value = next(value, self.factor()?).ok_or("the size is no number")?;
        }
    }

    fn factor(&mut self) -> Result<i64, String> {
        self.skip();
        if self.takes("-") {
            return self.factor()?.checked_neg().ok_or_else(|| self.odd());
        }
        if self.takes("(") {
            let value = self.sum()?;
            return if self.takes(")") { Ok(value) } else { Err(self.odd()) };
        }
        let end =
            self.rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(self.odd());
        }
        if let Ok(number) = word.parse() {
            self.rest = rest;
            return Ok(number);
        }
        if let (choose, true) = (word, rest.starts_with('(')) {
            let pick: fn(i64, i64) -> i64 = match choose {
                "min" | "Min" => i64::min,
                "max" | "Max" => i64::max,
                _ => return Err(self.odd()),
            };
            self.rest = &rest[1..];
            let mut value = self.sum()?;
            while self.takes(",") {
                value = pick(value, self.sum()?);
            }
            return if self.takes(")") { Ok(value) } else { Err(self.odd()) };
        }
        let value = self.symbols.get(word).copied().ok_or_else(|| format!("there is no symbol `{word}`"))?;
        self.rest = rest;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;
    use std::collections::BTreeMap;

    #[test]
    fn sizes_are_evaluated_as_python_would() {
        let symbols: BTreeMap<String, i64> = [("s0".into(), 7), ("n_1".into(), 3)].into();
        let value = |text: &str| evaluate(text, &symbols);
        assert_eq!(value("2*s0 + 1"), Ok(15));
        assert_eq!(value("s0//2*n_1"), Ok(9));
        assert_eq!(value("-1 + (s0 - n_1) % 3"), Ok(0));
        assert_eq!(value("max(s0, 2*n_1, 1) + min(1, 2)"), Ok(8));
        assert_eq!(value("(-7)//2"), Ok(-4));
        for wrong in ["", "s9", "2*", "(1", "s0 s0", "f(1)", "1//0", "9223372036854775807 + 1"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }
}
