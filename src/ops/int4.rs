//! How PyTorch packs weights of 4 bits for a CPU: two to a byte, in blocks of rows as wide as the vectors of the CPU that packed them.
//!
//! Nothing beside the bytes says which CPU that was. Rows that fill no block lie in pairs in every layout.
//!
//! Deliberately absent: Arm, where the width of a block depends on PyTorch's version, too.

/// The vectors that a weight was packed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int4Layout {
    /// Blocks of 64 rows; a byte holds rows that lie 32 apart.
    Avx512,
    /// Blocks of 32 rows; a byte holds rows that lie 16 apart.
    Avx2,
    /// Blocks of 32 rows; a byte holds neighbours.
    Default,
}

impl Int4Layout {
    pub const ALL: [Int4Layout; 3] = [Int4Layout::Avx512, Int4Layout::Avx2, Int4Layout::Default];

    /// As `torch.backends.cpu.get_cpu_capability()` says it, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Int4Layout::Avx512 => "avx512",
            Int4Layout::Avx2 => "avx2",
            Int4Layout::Default => "default",
        }
    }
    pub fn from_name(name: &str) -> Option<Int4Layout> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }
    /// Rows of a block.
    pub fn block(self) -> i64 {
        match self {
            Int4Layout::Avx512 => 64,
            Int4Layout::Avx2 | Int4Layout::Default => 32,
        }
    }
    /// Whether a byte of a whole block holds neighbours, and not rows that lie half a block apart.
    pub fn in_pairs(self) -> bool {
        self == Int4Layout::Default
    }
    /// Whether weights of so many rows lie alike in every layout.
    pub fn is_one(rows: i64) -> bool {
        rows < 32
    }
}
