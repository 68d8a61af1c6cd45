//! Floor 2: what a machine can do, as plain data. `device` fills it; loop passes, the scheduler and `mapping` read it.
//!
//! Deliberately absent: detection.

mod reductions;

pub use reductions::{LEAST_COLUMN_CHUNK, LEAST_ELEMENTS, LEAST_ROW_CHUNK};

use crate::base::OrderedMap;
use crate::templates::blocked::RegisterTile;
use crate::templates::{Tile, attention, pixels, recurrence};
use crate::types::Dtype;
use std::fmt;

/// Instruction sets that kernels are written for. Ordered: a machine that has one has those before it. The numbers
/// are the executor's and artifacts'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Isa {
    /// x86-64 without AVX, or another architecture: the compiler's generic vectors.
    Scalar = 0,
    /// AVX2 with FMA and F16C (x86-64-v3).
    Avx2 = 1,
    /// AVX-512 F, BW, CD, DQ and VL (x86-64-v4).
    Avx512 = 2,
}

/// A CPU that kernels are written for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuTarget {
    pub isa: Isa,
    /// Bytes of the first-level data cache and of the second-level cache, per core.
    pub l1d: usize,
    pub l2: usize,
    /// Cores that a run may use.
    pub cores: usize,
    /// AMX tiles with bfloat16.
    pub amx: bool,
}

impl CpuTarget {
    /// What products are made of.
    pub fn register_tile(&self) -> RegisterTile {
        RegisterTile::of(self.isa.vector_bytes() as i64)
    }
    /// Columns of one panel of a packed right operand, for elements of this many bytes.
    pub fn panel_columns(&self, element_bytes: usize) -> usize {
        self.register_tile().panel_bytes as usize / element_bytes
    }
}

impl CpuTarget {
    /// A machine of which only the instruction set is known; for tests, and code for elsewhere.
    pub fn generic(isa: Isa) -> CpuTarget {
        CpuTarget { isa, l1d: 32 << 10, l2: 1 << 20, cores: 2, amx: false }
    }

    /// This machine's caches and cores with a smaller instruction set.
    pub fn with_isa(self, isa: Isa) -> CpuTarget {
        CpuTarget { isa, amx: self.amx && isa == Isa::Avx512, ..self }
    }
}

/// An NVIDIA GPU that kernels are written for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaTarget {
    /// Compute capability: 90 for 9.0.
    pub arch: u32,
    pub multiprocessors: usize,
    /// Bytes of shared memory that one block may ask for.
    pub shared_bytes: usize,
    /// Bytes of the second-level cache.
    pub l2: usize,
    /// Floats may be added to one another in whichever order threads come to it.
    pub atomics: bool,
    pub vendor: Vendor,
}

/// What NVIDIA's libraries may be used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vendor {
    /// cuBLASLt may do matrix products.
    pub cublaslt: bool,
    /// cuDNN may do convolutions.
    pub cudnn: bool,
    /// cuFFT does Fourier transforms.
    pub cufft: bool,
    /// cuSOLVER does factorisations of matrices whose sizes suit it.
    pub cusolver: bool,
    /// Runs are replayed as graphs: a library's call takes no time of the host's.
    pub replayed: bool,
    /// They may round float32 operands to TF32.
    pub tf32: bool,
    /// What was decided for products, by their names (`schedule::products`), whatever does them; the others follow rules.
    pub choices: OrderedMap<String, Choice>,
}

/// Who does a product that there is a choice for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Litz's template, with the tile that the cost model picks and everything that fuses into it.
    Template,
    /// Litz's template with this tile.
    Tile(Tile),
    /// The library, with the epilogue that it can apply; the rest of the epilogue is a kernel of its own.
    Library,
}

const OWN: &str = "own template";
const LIBRARY: &str = "library";

impl Choice {
    pub fn name(&self) -> String {
        match self {
            Choice::Template => OWN.to_string(),
            Choice::Tile(tile) => format!("{OWN}: {tile}"),
            Choice::Library => LIBRARY.to_string(),
        }
    }
    /// The choice of this name.
    pub fn from_name(name: &str) -> Option<Choice> {
        match name {
            OWN => Some(Choice::Template),
            LIBRARY => Some(Choice::Library),
            _ => Tile::named(name.strip_prefix(OWN)?.strip_prefix(": ")?).map(Choice::Tile),
        }
    }
}

/// Elements of a row that a block's 1024 threads keep in registers at most: there is no room for another block beside it, which
/// would load while this one waits. Blocks of a cluster have a quarter of that, or half where the row is wider.
pub const ROW_OF_A_BLOCK: i64 = 64 << 10;

impl CudaTarget {
    /// A GPU of which only the compute capability is known: the usual data-centre part of its generation.
    pub fn generic(arch: u32) -> CudaTarget {
        let (multiprocessors, shared_bytes) = match arch {
            ..80 => (40, 64 << 10),
            80..=89 => (108, 99 << 10),
            _ => (132, 227 << 10),
        };
        CudaTarget {
            arch,
            multiprocessors,
            shared_bytes,
            l2: 40 << 20,
            atomics: false,
            vendor: Vendor::default(),
        }
    }
    /// The blocks that share a row of so many elements, all of which stay in registers; 1: one block keeps it, or walks
    /// along a row that is too wide for any cluster.
    pub fn blocks_of_row(&self, elements: i64) -> i64 {
        if self.arch < 90 || elements <= ROW_OF_A_BLOCK / 2 {
            return 1;
        }
        let of_a_cluster = |blocks: &i64| elements <= blocks * (ROW_OF_A_BLOCK / 4);
        let widest = (elements <= 8 * (ROW_OF_A_BLOCK / 2)).then_some(8);
        [4, 8].into_iter().find(of_a_cluster).or(widest).unwrap_or(1)
    }
    /// Whether the threads of a block, or of a cluster, keep a row of so many elements in registers.
    pub fn keeps_row(&self, elements: i64) -> bool {
        elements <= ROW_OF_A_BLOCK || self.blocks_of_row(elements) > 1
    }
    /// A template multiplies few rows by weights of 4 and 8 bits as they lie in memory.
    pub fn multiplies_codes(&self) -> bool {
        self.arch >= 80
    }
    /// The name that the compiler and `describe` use: `sm_90a` where the generation has instructions of its own.
    pub fn name(&self) -> String {
        format!("sm_{}{}", self.arch, if self.arch >= 90 { "a" } else { "" })
    }
}

/// What the schedule is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Cpu(CpuTarget),
    Cuda(CudaTarget),
}

impl Target {
    /// Names the machine in files and messages: the instruction set or the GPU's architecture.
    pub fn name(&self) -> String {
        match self {
            Target::Cpu(cpu) => cpu.isa.name().to_string(),
            Target::Cuda(gpu) => gpu.name(),
        }
    }
    /// How many independent pieces of work keep the machine busy.
    pub fn workers(&self) -> usize {
        match self {
            Target::Cpu(cpu) => cpu.cores,
            Target::Cuda(gpu) => gpu.multiprocessors,
        }
    }
    /// Tensor cores take operands of reduced floats as they lie in memory, eight neighbours at a time.
    pub fn has_tensor_cores(&self) -> bool {
        matches!(self, Target::Cuda(gpu) if gpu.arch >= 80)
    }
    /// A library that does products can apply GELU by tanh to their results.
    pub fn library_applies_gelu(&self) -> bool {
        matches!(self, Target::Cuda(gpu) if gpu.vendor.cublaslt)
    }
    /// Hopper's convolutions have a better epilogue for few channels than a product.
    pub fn has_wide_convolution_epilogue(&self) -> bool {
        matches!(self, Target::Cuda(gpu) if gpu.arch == 90)
    }
    /// Convolutions of each channel by itself, and of groups of few channels, are reductions where no template takes them.
    pub fn reduces_windows(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// A template computes convolutions of each of so many channels by itself, over such a window of operands of this dtype.
    pub fn has_depthwise_template(&self, dtype: Dtype, channels: i64, taps: [i64; 2]) -> bool {
        match self {
            Target::Cpu(_) => true,
            Target::Cuda(gpu) => {
                gpu.arch >= 80 && dtype.is_reduced_float() && pixels::has_depthwise(channels, taps)
            }
        }
    }
    /// Templates can write what they computed in float32 as a reduced float.
    pub fn templates_store_reduced(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// Products compute rows of their right operand where they multiply them.
    pub fn unpacks_right_operands(&self) -> bool {
        matches!(self, Target::Cpu(_))
    }
    /// A template multiplies few rows by weights of 4 and 8 bits as they lie in memory.
    pub fn multiplies_codes(&self) -> bool {
        matches!(self, Target::Cuda(gpu) if gpu.multiplies_codes())
    }
    /// The attention template skips keys outside of any band; otherwise only those after a query.
    pub fn attention_skips_bands(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// The most elements that one value of the attention template may have; none: any number.
    pub fn widest_attention_value(&self) -> Option<i64> {
        matches!(self, Target::Cuda(_)).then_some(attention::WIDEST_VALUE)
    }
    /// There is a template for the gradients of attention over this dtype, with heads and values of these sizes where they are known.
    pub fn has_attention_backward(&self, dtype: Dtype, sizes: [Option<i64>; 2]) -> bool {
        match self {
            Target::Cpu(_) => dtype != Dtype::Float64,
            Target::Cuda(target) => attention::has_backward(target.arch, dtype.is_reduced_float(), sizes),
        }
    }
    /// A kernel of attention's gradients gives each task rows of its own, of one side: queries, or keys and values. The copy engine brings
    /// its operands.
    pub fn attention_backward_owns_rows(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// An exponential or a quotient takes less time than the bytes of its result.
    pub fn computes_faster_than_it_reads(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// Copy engines and libraries read the rows of a product's left operand only at equal distances.
    pub fn walks_rows_by_one_stride(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// A thread looks up where its row begins once, and not at each step of a panel.
    pub fn looks_up_rows_once(&self) -> bool {
        matches!(self, Target::Cuda(_))
    }
    /// Columns of the panels in which a recurrence reads its weights; none: element by element, each operand from memory.
    pub fn recurrence_panel(&self) -> Option<i64> {
        matches!(self, Target::Cpu(_)).then_some(recurrence::PANEL)
    }
    /// Columns of a panel of a packed right operand, where matrix products want one packed.
    pub fn panel_columns(&self, element_bytes: usize) -> Option<usize> {
        match self {
            Target::Cpu(cpu) => Some(cpu.panel_columns(element_bytes)),
            Target::Cuda(_) => None,
        }
    }
    /// The most bytes of a row that are kept between the stages of a kernel instead of lying in memory.
    pub fn row_bytes(&self) -> i64 {
        match self {
            Target::Cpu(_) => 1 << 20,
            Target::Cuda(_) => 32 << 10,
        }
    }
}

/// What the option `cpu.isa` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsaRequest {
    /// The best that this machine has.
    Native,
    Exactly(Isa),
}

impl IsaRequest {
    /// `native`, `scalar`, `avx2` or `avx512`.
    pub fn parse(text: &str) -> Option<IsaRequest> {
        if text == "native" {
            Some(IsaRequest::Native)
        } else {
            Isa::from_name(text).map(IsaRequest::Exactly)
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Isa {
    pub const ALL: [Isa; 3] = [Isa::Scalar, Isa::Avx2, Isa::Avx512];

    /// The choice of this name.
    pub fn from_name(name: &str) -> Option<Isa> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name)
    }
    pub fn from_number(number: u32) -> Option<Isa> {
        Isa::ALL.into_iter().find(|isa| *isa as u32 == number)
    }
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
    /// Bytes of one vector register.
    pub fn vector_bytes(self) -> usize {
        match self {
            Isa::Scalar => 16,
            Isa::Avx2 => 32,
            Isa::Avx512 => 64,
        }
    }
    /// float32 lanes of one vector register.
    pub fn lanes(self) -> usize {
        self.vector_bytes() / 4
    }
}
