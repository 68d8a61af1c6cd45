//! Files that the library carries with it: native headers without their comments, the executor's objects, and the operators'
//! schemas. `build.rs` compresses them in packs, which makes them four times smaller. A pack is unpacked when the first of its files is
//! asked for, once in a process. Headers of the CPU and schemas are deflated, since warm compilations wait for them; the others are
//! packed by LZMA, which is smaller and slower.
//!
//! Deliberately absent: files of the host, which `file` reads.

use std::io::Read;
use std::ops::Range;
use std::sync::OnceLock;

/// Files that `build.rs` compressed together.
struct Pack {
    unpack: fn(&[u8], &mut Vec<u8>) -> std::io::Result<usize>,
    packed: &'static [u8],
    content: OnceLock<Box<[u8]>>,
}

impl Pack {
    const fn new(unpack: fn(&[u8], &mut Vec<u8>) -> std::io::Result<usize>, packed: &'static [u8]) -> Pack {
        Pack { unpack, packed, content: OnceLock::new() }
    }

    fn content(&self) -> &[u8] {
        self.content.get_or_init(|| {
            let mut content = Vec::new();
            (self.unpack)(self.packed, &mut content).expect("build.rs wrote this stream");
            content.into()
        })
    }
}

fn deflate(packed: &[u8], content: &mut Vec<u8>) -> std::io::Result<usize> {
    flate2::read::DeflateDecoder::new(packed).read_to_end(content)
}

fn lzma(packed: &[u8], content: &mut Vec<u8>) -> std::io::Result<usize> {
    lzma_rust2::LzmaReader::new_mem_limit(packed, u32::MAX, None)?.read_to_end(content)
}

static PACKS: [Pack; 4] = include!(concat!(env!("OUT_DIR"), "/embedded/packs.rs"));

/// A file by its place in a pack.
pub struct Embedded {
    pack: usize,
    place: Range<usize>,
}

impl Embedded {
    /// What `build.rs` writes for `embedded!`.
    pub const fn new(pack: usize, place: Range<usize>) -> Embedded {
        Embedded { pack, place }
    }

    pub fn bytes(self) -> &'static [u8] {
        &PACKS[self.pack].content()[self.place]
    }

    pub fn text(self) -> &'static str {
        std::str::from_utf8(self.bytes()).expect("headers and schemas are UTF-8")
    }
}

/// The [`Embedded`] file that `build.rs` wrote under this name.
macro_rules! embedded {
    ($name:expr) => {
        include!(concat!(env!("OUT_DIR"), "/embedded/", $name, ".rs"))
    };
}
pub(crate) use embedded;

#[cfg(test)]
mod tests {
    use super::PACKS;

    #[test]
    fn a_file_comes_back_as_it_was() {
        let header = embedded!("native/prelude.h").text();
        let whole = include_str!("../codegen/native/prelude.h");
        let code = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
            lines.filter(|line| !line.is_empty()).map(str::to_string).collect()
        };
        assert_eq!(code(header), code(whole));
        assert!(!header.contains("//"));
        for pack in &PACKS {
            assert!(pack.packed.len() * 3 < pack.content().len());
        }
    }
}
