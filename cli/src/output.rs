//! What is said, and where: the answer on standard output, in words or as JSON; notes on standard error.

use crate::args::{Color, Global};
use crate::failure::Failure;
use serde_json::Value;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

pub struct Output {
    pub json: bool,
    pub quiet: bool,
    pub verbose: u8,
    color: bool,
    /// Bars may be drawn on standard error.
    pub bars: bool,
    /// Why a part of the answer was not written.
    lost: OnceLock<std::io::Error>,
}

/// Writes a line to standard output.
pub fn say(text: &str) -> std::io::Result<()> {
    write(format!("{text}\n").as_bytes())
}

fn write(text: &[u8]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush())
}

impl Output {
    pub fn new(global: &Global) -> Output {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        let wanted = |terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !no_color && !dumb,
        };
        let stderr = std::io::stderr().is_terminal();
        Output {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            color: wanted(std::io::stdout().is_terminal()) && !global.json,
            bars: stderr && wanted(stderr) && !global.quiet && !global.json,
            lost: OnceLock::new(),
        }
    }

    /// The answer, in words.
    pub fn say(&self, text: &str) {
        self.note(say(text));
    }

    /// The answer, as it is.
    pub fn write(&self, text: &[u8]) {
        self.note(write(text));
    }

    /// A reader that went away is no failure.
    fn note(&self, written: std::io::Result<()>) {
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.lost.get_or_init(|| error);
        }
    }

    /// Whether all that was said was written.
    pub fn complete(&self) -> Result<(), Failure> {
        match self.lost.get() {
            None => Ok(()),
            Some(error) => Err(Failure::Input(format!("standard output: {error}"))),
        }
    }

    /// The answer, as JSON or in words.
    pub fn answer(&self, json: &Value, words: impl FnOnce(&Output)) {
        if self.json { self.say(&format!("{json:#}")) } else { words(self) }
    }

    pub fn failure(&self, failure: &Failure) {
        if let (true, Some(json)) = (self.json, failure.json()) {
            self.say(&format!("{json:#}"));
        }
        if let Some(message) = failure.message() {
            let _ = writeln!(std::io::stderr().lock(), "litz: {message}");
        }
    }

    fn styled(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
    pub fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }
    pub fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }
    pub fn good(&self, text: &str) -> String {
        self.styled("32", text)
    }
    pub fn bad(&self, text: &str) -> String {
        self.styled("31", text)
    }
    pub fn warn(&self, text: &str) -> String {
        self.styled("33", text)
    }

    pub fn heading(&self, text: &str) {
        self.say(&format!("\n{}", self.bold(text)));
    }

    /// Rows in columns, each as wide as its widest cell; the last one is as long as it is.
    pub fn table(&self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |k: usize| rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let mut line = String::from(" ");
            for (k, cell) in row.iter().enumerate() {
                line.push(' ');
                line.push_str(cell);
                if k + 1 < row.len() {
                    line.extend(std::iter::repeat_n(' ', widths[k] - cell.chars().count() + 1));
                }
            }
            self.say(line.trim_end());
        }
    }
}

/// 1536 as "1.5 KiB".
pub fn bytes(n: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut n = n;
    let mut k = 0;
    while n >= 1024.0 && k + 1 < units.len() {
        n /= 1024.0;
        k += 1;
    }
    if k == 0 { format!("{n:.0} B") } else { format!("{n:.1} {}", units[k]) }
}

/// Seconds as people say them.
pub fn seconds(s: f64) -> String {
    match s {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// 2.5e9 as "2.50 G".
pub fn amount(n: f64) -> String {
    for (size, unit) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if n >= size {
            return format!("{:.2} {unit}", n / size);
        }
    }
    format!("{n:.0} ")
}
