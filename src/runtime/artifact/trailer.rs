//! The last 128 bytes of an artifact, and of a file of weights. `src/executor/artifact.c` states the same layout.

use std::io::Read;

use sha2::{Digest, Sha256};

/// Ends with a line break of each kind, so that a transfer as text shows.
const MAGIC: [u8; 16] = *b"LITZ artifact\r\n\0";
pub(super) const ABI_VERSION: u32 = 1;
pub(super) const BYTES: usize = 128;
/// Weights begin at a multiple of this, so that they can be mapped.
pub(super) const PAGE: u64 = 4096;

pub(super) const FLAG_AMX: u32 = 1;
pub(super) const FLAG_EXTERNAL: u32 = 2;
/// The program runs on an NVIDIA GPU.
pub(super) const FLAG_CUDA: u32 = 4;
/// Before the prefix lie the program's notes and, in eight bytes, their length.
pub(super) const FLAG_NOTES: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Program = 1,
    Weights = 2,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    pub(super) abi_version: u32,
    pub(super) isa: u32,
    pub(super) flags: u32,
    pub(super) kind: u32,
    pub(super) code_bytes: u64,
    pub(super) weights_offset: u64,
    pub(super) weights_bytes: u64,
    pub(super) id: [u8; 16],
    /// Where the plan's bytes lie in the file.
    pub(super) plan_offset: u64,
    pub(super) plan_bytes: u64,
    /// The prefix of the entry's name. The file holds it right before the trailer.
    pub(super) prefix_bytes: u64,
}

impl Trailer {
    /// The trailer's bytes; `hash` has seen all of the file before it.
    pub(super) fn seal(&self, mut hash: Sha256) -> [u8; BYTES] {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend_from_slice(&MAGIC);
        for v in [self.abi_version, self.isa, self.flags, self.kind] {
            bytes.extend_from_slice(&v.to_le_bytes());
        }
        for v in [self.code_bytes, self.weights_offset, self.weights_bytes] {
            bytes.extend_from_slice(&v.to_le_bytes());
        }
        bytes.extend_from_slice(&self.id);
        for v in [self.plan_offset, self.plan_bytes, self.prefix_bytes] {
            bytes.extend_from_slice(&v.to_le_bytes());
        }
        hash.update(&bytes);
        bytes.extend_from_slice(&hash.finalize());
        bytes.try_into().expect("the fields add up to 128 bytes")
    }

    /// The trailer at the end of a file's bytes, its hash not yet compared. `None`: there is none.
    pub(super) fn read(file: &[u8]) -> Option<Trailer> {
        let bytes: &[u8; BYTES] = file.last_chunk()?;
        if bytes[..16] != MAGIC {
            return None;
        }
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Some(Trailer {
            abi_version: u32_at(16),
            isa: u32_at(20),
            flags: u32_at(24),
            kind: u32_at(28),
            code_bytes: u64_at(32),
            weights_offset: u64_at(40),
            weights_bytes: u64_at(48),
            id: bytes[56..72].try_into().expect("sixteen bytes"),
            plan_offset: u64_at(72),
            plan_bytes: u64_at(80),
            prefix_bytes: u64_at(88),
        })
    }
}

/// The SHA-256 of a whole file, when its last 32 bytes are that of all before them. It is read piece by piece, so that no page
/// of it is held.
pub(super) fn checked_hash(file: &mut dyn Read, bytes: u64) -> std::io::Result<Option<String>> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 18]);
    let mut left = bytes.saturating_sub(32);
    while left > 0 {
        let n = left.min(piece.len() as u64) as usize;
        file.read_exact(&mut piece[..n])?;
        hash.update(&piece[..n]);
        left -= n as u64;
    }
    let mut stated = [0; 32];
    file.read_exact(&mut stated)?;
    let same = hash.clone().finalize().as_slice() == stated;
    Ok(same.then(|| hex(&hash.chain_update(stated).finalize())))
}

/// SHA-256 as the option `artifact.sha256` states it.
pub(super) fn hex(hash: &[u8]) -> String {
    hash.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_comes_back() {
        let trailer = Trailer {
            abi_version: 1,
            isa: 2,
            flags: 3,
            kind: 1,
            code_bytes: 5,
            weights_offset: 4096,
            weights_bytes: 7,
            id: [9; 16],
            plan_offset: 11,
            plan_bytes: 12,
            prefix_bytes: 13,
        };
        let mut file = b"content".to_vec();
        file.extend_from_slice(&trailer.seal(Sha256::new().chain_update(b"content")));
        assert_eq!(Trailer::read(&file), Some(trailer));
        let hash = |file: &[u8]| checked_hash(&mut &file[..], file.len() as u64).unwrap();
        assert_eq!(hash(&file), Some(hex(&Sha256::digest(&file))));
        file[3] ^= 1;
        assert_eq!(hash(&file), None);
        assert_eq!(Trailer::read(b"short"), None);
    }
}
