//! Files that the library carries with it: native headers without their comments, the executor's objects, and the operators'
//! schemas. `build.rs` deflates them, which makes them four times smaller, and each is unpacked when it is first asked for, once in
//! a process.
//!
//! Deliberately absent: files of the host, which `file` reads.

use std::io::Read;
use std::sync::OnceLock;

/// A file as `build.rs` deflated it.
pub struct Embedded {
    deflated: &'static [u8],
    content: OnceLock<Box<[u8]>>,
}

impl Embedded {
    /// `deflated` is a raw deflate stream: what `embedded!` includes.
    pub const fn new(deflated: &'static [u8]) -> Embedded {
        Embedded { deflated, content: OnceLock::new() }
    }

    pub fn bytes(&self) -> &[u8] {
        self.content.get_or_init(|| {
            let mut content = Vec::new();
            flate2::read::DeflateDecoder::new(self.deflated)
                .read_to_end(&mut content)
                .expect("build.rs wrote a deflate stream");
            content.into()
        })
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(self.bytes()).expect("headers and schemas are UTF-8")
    }
}

/// A static reference to the [`Embedded`] file that `build.rs` wrote under this name.
macro_rules! embedded {
    ($name:expr) => {{
        static FILE: $crate::base::Embedded =
            $crate::base::Embedded::new(include_bytes!(concat!(env!("OUT_DIR"), "/embedded/", $name)));
        &FILE
    }};
}
pub(crate) use embedded;

#[cfg(test)]
mod tests {
    #[test]
    fn a_file_comes_back_as_it_was() {
        let header = embedded!("native/prelude.h");
        let whole = include_str!("../codegen/native/prelude.h");
        let code = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
            lines.filter(|line| !line.is_empty()).map(str::to_string).collect()
        };
        assert_eq!(code(header.text()), code(whole));
        assert!(!header.text().contains("//"));
        assert!(header.deflated.len() * 3 < header.bytes().len());
    }
}
