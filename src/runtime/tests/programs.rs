//! Plans put together by hand, with kernels in C++, and what their tests say again and again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::super::artifact::{self, ArtifactParts, OpenOptions, Variant, write};
use super::super::*;
use crate::base::Status;
use crate::device::cpu;
use crate::device::toolchain::{CompileOptions, Search, Source, Toolchain};
use crate::plan::*;
use crate::target::Isa;
use crate::types::Dtype;
use crate::types::dlpack::{DLDataType, DLDevice, DLTensor};

pub const F32: i32 = Dtype::Float32 as i32;
pub const I64: i32 = Dtype::Int64 as i32;

/// Builds plans with less ado.
#[derive(Default)]
pub struct Build {
    pub plan: Plan,
}

impl Build {
    pub fn scalar(&mut self, op: ScalarOp) -> ScalarId {
        self.plan.scalars.push(op);
        ScalarId(self.plan.scalars.len() as u32 - 1)
    }
    pub fn number(&mut self, value: i64) -> ScalarId {
        self.scalar(ScalarOp::Constant(value))
    }
    pub fn size(&mut self, name: &str, min: i64, max: i64, input: u32, dim: u32) -> ScalarId {
        let source = SymbolSource::Dimension { input, dim, factor: 1, addend: 0 };
        self.plan.symbols.push(Symbol { name: name.into(), min, max, source });
        self.scalar(ScalarOp::Symbol(self.plan.symbols.len() as u32 - 1))
    }
    pub fn strides(&mut self, shape: &[ScalarId]) -> Vec<ScalarId> {
        let mut next = self.number(1);
        let mut strides = Vec::new();
        for size in shape.iter().rev() {
            strides.insert(0, next);
            next = self.scalar(ScalarOp::Mul(next, *size));
        }
        strides
    }
    pub fn bytes(&mut self, shape: &[ScalarId], item: i64) -> ScalarId {
        let item = self.number(item);
        shape.iter().fold(item, |n, size| self.scalar(ScalarOp::Mul(n, *size)))
    }
    pub fn buffer(&mut self, kind: BufferKind, bytes: ScalarId) -> BufferId {
        self.plan.buffers.push(Buffer { kind, bytes });
        BufferId(self.plan.buffers.len() as u32 - 1)
    }
    pub fn input(&mut self, name: &str, dtype: i32, shape: &[ScalarId], mutated: bool) -> BufferId {
        let strides = self.strides(shape);
        let n = shape.len();
        self.plan.inputs.push(Input {
            name: name.into(),
            dtype,
            shape: shape.into(),
            strides,
            mutated,
            overwritten: false,
            scalar: false,
            fixed: false,
            need: InputNeed::Data,
            min_shape: vec![0; n],
            max_shape: vec![-1; n],
        });
        let bytes = self.bytes(shape, Dtype::from_number(dtype.into()).unwrap().size() as i64);
        self.buffer(BufferKind::Input(self.plan.inputs.len() as u32 - 1), bytes)
    }
    pub fn output(&mut self, name: &str, dtype: i32, shape: &[ScalarId]) -> BufferId {
        let strides = self.strides(shape);
        let n = shape.len();
        self.plan.outputs.push(Output {
            name: name.into(),
            dtype,
            shape: shape.into(),
            strides,
            min_shape: vec![0; n],
            max_shape: vec![-1; n],
            memory: OutputMemory::Own,
            alias: Alias::None,
        });
        let bytes = self.bytes(shape, Dtype::from_number(dtype.into()).unwrap().size() as i64);
        self.buffer(BufferKind::Output(self.plan.outputs.len() as u32 - 1), bytes)
    }
    pub fn constant(&mut self, name: &str, shape: &[i64], mutated: bool) -> BufferId {
        let bytes = 4 * shape.iter().product::<i64>();
        let end = self.plan.storages.last().map_or(0, |s| s.offset + s.bytes);
        let offset = end.next_multiple_of(64);
        self.plan.storages.push(Storage { offset, bytes: bytes as u64, mutated, ..Storage::default() });
        let strides = (0..shape.len()).map(|k| shape[k + 1..].iter().product()).collect();
        self.plan.constants.push(Constant {
            name: name.into(),
            aliases: vec![format!("alias.{name}")],
            kind: i32::from(mutated),
            dtype: F32,
            shape: shape.into(),
            strides,
            storage: self.plan.storages.len() as u32 - 1,
            offset: 0,
        });
        let bytes = self.number(bytes);
        self.buffer(BufferKind::Storage(self.plan.storages.len() as u32 - 1), bytes)
    }
    pub fn kernel(&mut self, symbol: &str) -> KernelId {
        self.plan.kernels.push(Kernel { symbol: symbol.into() });
        KernelId(self.plan.kernels.len() as u32 - 1)
    }
    pub fn step(
        &mut self,
        kernel: KernelId,
        buffers: &[BufferId],
        scalars: &[ScalarId],
        tasks: ScalarId,
    ) -> Step {
        let one = self.number(1);
        let scratch = self.number(256);
        Step::Kernel {
            kernel,
            buffers: buffers.into(),
            scalars: scalars.into(),
            tasks,
            grain: one,
            scratch,
            scratch_buffer: None,
            maps: Vec::new(),
            lasting: true,
            packs: None,
        }
    }
}

const PRELUDE: &str = "typedef long i64; typedef int i32;\n\
    #define KERNEL(name) extern \"C\" i32 name(void *, void *const *b, const i64 *s, i64 begin, i64 end, void *scratch)\n";

/// A C++ kernel of `body`, which sees `b`, `s`, `begin`, `end` and `scratch`.
pub fn kernel_source(name: &str, body: &str) -> Source {
    let text = format!("{PRELUDE}KERNEL({name}) {{ (void)b; (void)s; (void)scratch; {body} return 0; }}\n");
    Source { name: name.into(), text, optimization: 1 }
}

pub fn toolchain() -> Toolchain {
    Toolchain::find(&Search { path: std::env::var_os("PATH"), ..Search::default() })
        .expect("tests need a C++ compiler")
}

/// A program and what an artifact of it is made of.
pub struct Built {
    pub plan: Plan,
    pub objects: Vec<Vec<u8>>,
    pub constants: Vec<ConstantBytes>,
    pub isa: Isa,
    pub program: Arc<Program>,
}

impl Built {
    pub fn new(plan: Plan, kernels: &[(&str, &str)], constants: &[&[f32]]) -> Built {
        let folder = tempfile::tempdir().unwrap();
        let isa = cpu::native_isa();
        let sources: Vec<Source> = kernels.iter().map(|(name, body)| kernel_source(name, body)).collect();
        let toolchain = toolchain();
        let objects = toolchain.compile(&sources, &CompileOptions::new(isa), folder.path()).unwrap();
        let library = folder.path().join("kernels.so");
        toolchain.link(&objects, &library, Duration::from_secs(60)).unwrap();
        let code = Code::load(&library, isa, false).unwrap();
        let constants: Vec<ConstantBytes> =
            constants.iter().map(|c| Arc::new(floats_to_bytes(c)) as ConstantBytes).collect();
        let program = Program::new(plan.clone(), code, constants.clone()).unwrap();
        let objects = objects.iter().map(|o| std::fs::read(o).unwrap()).collect();
        Built { plan, objects, constants, isa, program }
    }
    pub fn instance(&self) -> Executable {
        Executable::new(&self.program, &InstanceOptions::default()).unwrap()
    }
    pub fn write(&self, path: &Path, external_weights: bool) -> Result<(PathBuf, String), RuntimeError> {
        write(
            path,
            &ArtifactParts {
                variants: &[Variant { plan: &self.plan, objects: &self.objects, isa: self.isa, amx: false }],
                forms: None,
                cubins: &[],
                runs: CudaRuns::default(),
                constants: &self.constants,
                toolchain: &toolchain(),
                external_weights,
                prefix: "",
                time_limit: Duration::from_secs(60),
                notes: None,
                dump: None,
            },
        )
    }
    /// In the process, a clone, and as an artifact.
    pub fn everywhere(&self, check: impl Fn(&Executable)) {
        let local = self.instance();
        let clone = local.try_clone().unwrap();
        check(&local);
        check(&clone);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program.so");
        self.write(&path, false).unwrap();
        let opened = open(&path, None).unwrap();
        let clone = opened.try_clone().unwrap();
        check(&opened);
        check(&clone);
    }
}

pub fn floats_to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

pub fn floats(shape: &[i64], values: &[f32]) -> Tensor {
    Tensor::from_bytes(Dtype::Float32, shape, &floats_to_bytes(values)).unwrap()
}

pub fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.bytes().chunks_exact(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect()
}

/// A tensor with nothing filled in.
pub const NO_TENSOR: DLTensor = DLTensor {
    data: std::ptr::null_mut(),
    device: DLDevice::CPU,
    ndim: 0,
    dtype: DLDataType { code: 0, bits: 0, lanes: 0 },
    shape: std::ptr::null_mut(),
    strides: std::ptr::null_mut(),
    byte_offset: 0,
};

/// A borrowed tensor over memory of the test's.
pub struct View {
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    pub tensor: DLTensor,
}

impl View {
    pub fn new(data: *mut u8, shape: &[i64], strides: &[i64]) -> Box<View> {
        let mut view = Box::new(View {
            shape: shape.into(),
            strides: strides.into(),
            tensor: DLTensor { data: data.cast(), dtype: Dtype::Float32.into(), ..NO_TENSOR },
        });
        view.tensor.ndim = shape.len() as i32;
        view.tensor.shape = view.shape.as_mut_ptr();
        view.tensor.strides = view.strides.as_mut_ptr();
        view
    }
    pub fn of(data: &mut [f32], shape: &[i64], strides: &[i64]) -> Box<View> {
        View::new(data.as_mut_ptr().cast(), shape, strides)
    }
}

/// `y = 2 (x + w)`, x of `n` rows of 3 (n from 0 to 1000); `2 w` is derived when the program is created.
pub fn add_rows() -> Built {
    let mut b = Build::default();
    b.plan.name = "add_rows".into();
    let n = b.size("n", 0, 1000, 0, 0);
    let three = b.number(3);
    let one = b.number(1);
    let x = b.input("x", F32, &[n, three], false);
    let y = b.output("y", F32, &[n, three]);
    let w = b.constant("w", &[3], false);
    let twelve = b.number(12);
    let doubled = b.buffer(BufferKind::Derived { offset: 0 }, twelve);
    b.plan.derived_bytes = 12;
    let (double, add) = (b.kernel("double_it"), b.kernel("add_rows"));
    b.plan.init = vec![b.step(double, &[w, doubled], &[], one)];
    let zero = b.number(0);
    let bytes = b.bytes(&[n, three], 4);
    let arena = b.buffer(BufferKind::Arena { offset: zero }, bytes);
    b.plan.arena_bytes = Some(bytes);
    b.plan.main = vec![
        b.step(add, &[x, doubled, arena], &[n, three], n),
        Step::Copy { destination: y, source: arena, bytes, start: None },
    ];
    b.plan.metadata = "{\"a\":1}".into();
    let kernels = [
        ("double_it", "for (int k = 0; k < 3; k++) ((float *)b[1])[k] = 2 * ((const float *)b[0])[k];"),
        (
            "add_rows",
            "if ((unsigned long)scratch % 64) return 1; for (int k = 0; k < 64; k++) ((int *)scratch)[k] = k; \
             for (i64 r = begin; r < end; r++) for (i64 k = 0; k < s[1]; k++) \
             ((float *)b[2])[r * 3 + k] = 2 * ((const float *)b[0])[r * 3 + k] + ((const float *)b[1])[k];",
        ),
    ];
    Built::new(b.plan, &kernels, &[&[10.0, 20.0, 30.0]])
}

pub fn expected(x: &[f32], w: [f32; 3]) -> Vec<f32> {
    x.iter().enumerate().map(|(k, v)| 2.0 * (v + w[k % 3])).collect()
}

#[track_caller]
pub fn refused<T: std::fmt::Debug>(result: Result<T, RuntimeError>, status: Status, parts: &[&str]) {
    let error = result.expect_err("this is to be refused");
    assert_eq!(error.status, status, "{error}");
    for part in parts {
        assert!(error.message.contains(part), "{:?} does not say {part:?}", error.message);
    }
}

pub fn open(path: &Path, sha256: Option<&str>) -> Result<Executable, RuntimeError> {
    artifact::open(path, &OpenOptions { sha256: sha256.map(str::to_owned), ..OpenOptions::default() })
}

/// Counts its runs in a buffer and adds `k` (a 0-d input) to its mutated input `x`; fails when `k` is 13.
pub fn counter() -> Built {
    let mut b = Build::default();
    b.plan.inputs.push(Input {
        name: "k".into(),
        dtype: I64,
        shape: vec![],
        strides: vec![],
        mutated: false,
        overwritten: false,
        scalar: true,
        fixed: false,
        need: InputNeed::Data,
        min_shape: vec![],
        max_shape: vec![],
    });
    b.plan.symbols.push(Symbol {
        name: "k".into(),
        min: -5,
        max: i64::MAX,
        source: SymbolSource::Value { input: 0 },
    });
    let k = b.scalar(ScalarOp::Symbol(0));
    let four = b.number(4);
    let one = b.number(1);
    let x = b.input("x", F32, &[four], true);
    let z = b.input("z", F32, &[four], false);
    let y = b.output("y", F32, &[four]);
    let steps = b.constant("steps", &[1], true);
    let kernel = b.kernel("count");
    b.plan.assertions = vec!["never".into(), "k must not be 13".into()];
    b.plan.main = vec![b.step(kernel, &[x, z, y, steps], &[k], one)];
    let twelve = b.number(12);
    let low = b.scalar(ScalarOp::Eq(k, twelve));
    let guard = b.scalar(ScalarOp::Not(low));
    b.plan.guards = vec![Guard { scalar: guard, status: 3, message: "k must not be 12".into() }];
    let body = "if (s[0] == 13) return 2; float *x = (float *)b[0]; const float *z = (const float *)b[1]; float *y = (float *)b[2]; \
                ((float *)b[3])[0] += 1; for (int i = 0; i < 4; i++) x[i] += s[0]; \
                for (int i = 0; i < 4; i++) y[i] = x[i] + z[3 - i];";
    Built::new(b.plan, &[("count", body)], &[&[0.0]])
}
