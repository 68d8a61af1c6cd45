//! The zip container of a `.pt2` file: its entries by name, checked before anything in them is believed.
//!
//! A file is mapped, not read, and a stored entry is handed out as a piece of the mapping, so that weights which lie
//! aligned for their dtype are not copied. The file must therefore not be written to while a graph made from it, or anything compiled from that
//! graph, lives; replacing it by another file of the same name is fine.

use super::FrontendError;
use super::error::Result;
use super::mapped::Shared;
use crate::base::{HashMap, Origin, memory};
use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::Arc;
use zip::read::{ArchiveOffset, Config};
use zip::{CompressionMethod, ZipArchive};

/// What compressed entries may grow to in all: real programs compress a few times, a zip bomb a thousand times.
const GROWTH: u64 = 100;
const GROWTH_FLOOR: u64 = 256 << 20;

pub struct Archive {
    bytes: Shared,
    zip: ZipArchive<Cursor<View>>,
    /// The folder that all entries lie in, with its slash.
    root: String,
    /// Index by name within the root.
    entries: HashMap<String, usize>,
    inflated: u64,
}

/// A piece of shared bytes.
#[derive(Clone)]
pub struct Piece {
    pub bytes: Shared,
    pub range: Range<usize>,
}

impl Piece {
    pub fn as_slice(&self) -> &[u8] {
        &(*self.bytes).as_ref()[self.range.clone()]
    }
}

/// What the zip reader reads from.
#[derive(Clone)]
struct View(Shared);

impl AsRef<[u8]> for View {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

/// Takes what was read of a piece of a mapped file, and gives its pages back as it goes: checking an archive takes no memory
/// beside it, and who needs the data later has it read again.
struct Pages<'a> {
    bytes: &'a Shared,
    from: usize,
    to: usize,
}

/// Pages are given back by so many bytes.
const PAGES: usize = 4 << 20;

impl Pages<'_> {
    fn give_back(&mut self) {
        let all = (**self.bytes).as_ref();
        let begin = all.as_ptr().wrapping_add(self.from);
        let begin = begin.wrapping_add(begin.align_offset(PAGE));
        let bytes = (all.as_ptr() as usize + self.to).saturating_sub(begin as usize) / PAGE * PAGE;
        if bytes > 0 && self.bytes.origin() == Origin::Mapped {
            // SAFETY: whole pages of a file that is mapped privately and never written to: they are read again. A failure
            // costs memory alone.
            unsafe { libc::madvise(begin.cast_mut().cast(), bytes, libc::MADV_DONTNEED) };
        }
        self.from = begin as usize + bytes - all.as_ptr() as usize;
    }
}

impl std::io::Write for Pages<'_> {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        self.to += data.len();
        if self.to - self.from >= PAGES {
            self.give_back();
        }
        Ok(data.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a page has at least; larger pages are given back where they are whole.
const PAGE: usize = 4096;

impl Archive {
    pub fn open(bytes: Shared) -> Result<Archive> {
        let size = (*bytes).as_ref().len();
        // Where an archive begins is not searched for: the smaller archives that a .pt2 holds mislead a search.
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let zip = ZipArchive::with_config(config, Cursor::new(View(bytes.clone()))).map_err(|e| {
            let hint = "; the file is cut short or is no .pt2 archive";
            FrontendError::parse(format!("this is not a readable zip archive of {size} bytes: {e}{hint}"))
        })?;
        // A .pt2 holds smaller archives; cut short behind one, it ends as that one does.
        if zip.offset() != 0 {
            return Err(FrontendError::parse(format!(
                "this is no .pt2 archive, or one that is cut short: its directory of entries describes only what follows byte {}",
                zip.offset()
            )));
        }
        if zip.has_duplicate_names() {
            return Err(FrontendError::parse("the archive has two entries of one name"));
        }
        let mut archive = Archive { bytes, zip, root: String::new(), entries: HashMap::new(), inflated: 0 };
        archive.index()?;
        Ok(archive)
    }

    /// Lists the entries and finds the folder that they lie in.
    fn index(&mut self) -> Result<()> {
        let mut names = Vec::with_capacity(self.zip.len());
        for k in 0..self.zip.len() {
            let entry = self
                .zip
                .by_index_raw(k)
                .map_err(|e| FrontendError::parse(format!("entry {k} of the archive cannot be read: {e}")))?;
            let name = entry.name().map_err(|e| {
                FrontendError::parse(format!("entry {k} of the archive has no readable name: {e}"))
            })?;
            let name = name.into_owned();
            let climbs = name.split(['/', '\\']).any(|part| part == "..") || name.starts_with('/');
            if climbs || name.contains('\0') {
                let message = "the name leads out of the archive's folder".to_string();
                return Err(FrontendError::parse(message).in_entry(&name, Some(entry.header_start())));
            }
            names.push(name);
        }
        let marker = "archive_format";
        let at = names.iter().find(|n| *n == marker || n.ends_with("/archive_format"));
        let root = at.map(|n| n[..n.len() - marker.len()].to_string());
        self.root = root.ok_or_else(|| self.not_pt2(&names))?;
        for (k, name) in names.iter().enumerate() {
            if let Some(within) = name.strip_prefix(&self.root) {
                self.entries.insert(within.to_string(), k);
            }
        }
        Ok(())
    }

    fn not_pt2(&self, names: &[String]) -> FrontendError {
        let again = "export again with PyTorch 2.10 or later, using torch.export.save";
        if names.iter().any(|n| n.ends_with("serialized_exported_program.json")) {
            FrontendError::unsupported(format!("this archive was written by PyTorch before 2.8; {again}"))
        } else if names.iter().any(|n| n.ends_with("data.pkl")) {
            FrontendError::unsupported(format!(
                "this is a pickled model (torch.save), not an exported program; {again}"
            ))
        } else {
            FrontendError::parse("this zip archive has no entry `archive_format`, so it is no .pt2 archive")
        }
    }

    /// The root folder's name; empty when there is none.
    pub fn name(&self) -> &str {
        self.root.trim_end_matches('/')
    }
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// An entry's bytes, its checksum verified; a piece of the archive itself where it is stored uncompressed.
    pub fn read(&mut self, name: &str) -> Result<Piece> {
        let k = *self
            .entries
            .get(name)
            .ok_or_else(|| FrontendError::parse(format!("the archive has no entry `{}{name}`", self.root)))?;
        let total = (*self.bytes).as_ref().len();
        let allowed = GROWTH_FLOOR.max(GROWTH * total as u64).saturating_sub(self.inflated);
        let mut entry = self
            .zip
            .by_index(k)
            .map_err(|e| FrontendError::parse(format!("it cannot be read: {e}")).in_entry(name, None))?;
        let offset = entry.header_start();
        let fail = |message: String| FrontendError::parse(message).in_entry(name, Some(offset));
        let size = entry.size();
        if entry.compression() == CompressionMethod::Stored {
            let start = entry.data_start().ok_or_else(|| fail("its data cannot be found".to_string()))?;
            let end = start.checked_add(size).filter(|end| *end <= total as u64);
            let end = end.ok_or_else(|| {
                fail(format!("its {size} bytes reach beyond the archive's {total}; the file is cut short"))
            })?;
            if entry.compressed_size() != size {
                let stored = entry.compressed_size();
                return Err(fail(format!("it says {size} bytes, but stores {stored} uncompressed ones")));
            }
            // Reading to the end is what compares the checksum.
            let mut pages = Pages { bytes: &self.bytes, from: start as usize, to: start as usize };
            let read = std::io::copy(&mut entry, &mut pages);
            pages.give_back();
            let read = read.map_err(|e| fail(format!("its data is damaged: {e}")))?;
            if read != size {
                return Err(fail(format!("it says {size} bytes, but has {read}")));
            }
            return Ok(Piece { bytes: self.bytes.clone(), range: start as usize..end as usize });
        }
        if size > allowed {
            return Err(fail(format!(
                "it says that it unpacks to {size} bytes, which is too much for an archive of {total}"
            )));
        }
        memory::expect(size as usize);
        let mut data = Vec::with_capacity(size as usize);
        let read = entry.by_ref().take(size + 1).read_to_end(&mut data);
        read.map_err(|e| fail(format!("its data is damaged: {e}")))?;
        if data.len() as u64 != size {
            return Err(fail(format!("it says {size} bytes, but unpacks to {} or more", data.len())));
        }
        self.inflated += size;
        let range = 0..data.len();
        Ok(Piece { bytes: Arc::new(data), range })
    }

    /// An entry that holds text.
    pub fn read_text(&mut self, name: &str) -> Result<String> {
        let piece = self.read(name)?;
        let text = std::str::from_utf8(piece.as_slice());
        text.map(str::to_string).map_err(|e| {
            FrontendError::parse("it is not UTF-8 text").in_entry(name, Some(e.valid_up_to() as u64))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::mapped::map;
    use std::io::Write;
    use std::path::Path;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// KiB of a mapped file that are resident in this process.
    fn resident(path: &Path) -> usize {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.lines().skip_while(|l| !l.ends_with(path.to_str().unwrap()));
        let rss = lines.find_map(|l| l.strip_prefix("Rss:")).expect("the file is mapped");
        rss.trim().trim_end_matches(" kB").trim().parse().unwrap()
    }

    #[test]
    fn a_checked_entry_takes_no_memory_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.pt2");
        let mut zip = ZipWriter::new(std::fs::File::create(&path).unwrap());
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, bytes) in [("m/archive_format", 3), ("m/data", 24 << 20), ("m/more", 1 << 20)] {
            zip.start_file(name, stored).unwrap();
            zip.write_all(&vec![7; bytes]).unwrap();
        }
        zip.finish().unwrap();
        let mut archive = Archive::open(map(&path).unwrap()).unwrap();
        let pieces = ["data", "more"].map(|name| archive.read(name).unwrap());
        assert!(resident(&path) < 2048, "{} KiB are resident", resident(&path));
        assert!(pieces.iter().all(|p| p.as_slice().iter().all(|b| *b == 7)));
    }
}
