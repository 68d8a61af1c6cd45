//! Programs put together by hand: plans with kernels in C++, run in the process and as artifacts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::artifact::{self, ArtifactParts, write};
use super::*;
use crate::base::Status;
use crate::device::cpu;
use crate::device::toolchain::{CompileOptions, Search, Source, Toolchain};
use crate::plan::*;
use crate::target::Isa;
use crate::types::Dtype;
use crate::types::dlpack::DLTensor;

const F32: i32 = Dtype::Float32 as i32;
const I64: i32 = Dtype::Int64 as i32;

/// Builds plans with less ado.
#[derive(Default)]
struct Build {
    plan: Plan,
}

impl Build {
    fn scalar(&mut self, op: ScalarOp) -> ScalarId {
        self.plan.scalars.push(op);
        ScalarId(self.plan.scalars.len() as u32 - 1)
    }
    fn number(&mut self, value: i64) -> ScalarId {
        self.scalar(ScalarOp::Constant(value))
    }
    fn size(&mut self, name: &str, min: i64, max: i64, input: u32, dim: u32) -> ScalarId {
        let source = SymbolSource::Dimension { input, dim, factor: 1, addend: 0 };
        self.plan.symbols.push(Symbol { name: name.into(), min, max, source });
        self.scalar(ScalarOp::Symbol(self.plan.symbols.len() as u32 - 1))
    }
    fn strides(&mut self, shape: &[ScalarId]) -> Vec<ScalarId> {
        let mut next = self.number(1);
        let mut strides = Vec::new();
        for size in shape.iter().rev() {
            strides.insert(0, next);
            next = self.scalar(ScalarOp::Mul(next, *size));
        }
        strides
    }
    fn bytes(&mut self, shape: &[ScalarId], item: i64) -> ScalarId {
        let item = self.number(item);
        shape.iter().fold(item, |n, size| self.scalar(ScalarOp::Mul(n, *size)))
    }
    fn buffer(&mut self, kind: BufferKind, bytes: ScalarId) -> BufferId {
        self.plan.buffers.push(Buffer { kind, bytes });
        BufferId(self.plan.buffers.len() as u32 - 1)
    }
    fn input(&mut self, name: &str, dtype: i32, shape: &[ScalarId], mutated: bool) -> BufferId {
        let strides = self.strides(shape);
        let n = shape.len();
        self.plan.inputs.push(Input {
            name: name.into(),
            dtype,
            shape: shape.into(),
            strides,
            mutated,
            scalar: false,
            min_shape: vec![0; n],
            max_shape: vec![-1; n],
        });
        let bytes = self.bytes(shape, Dtype::from_number(dtype.into()).unwrap().size() as i64);
        self.buffer(BufferKind::Input(self.plan.inputs.len() as u32 - 1), bytes)
    }
    fn output(&mut self, name: &str, dtype: i32, shape: &[ScalarId]) -> BufferId {
        let strides = self.strides(shape);
        let n = shape.len();
        self.plan.outputs.push(Output {
            name: name.into(),
            dtype,
            shape: shape.into(),
            strides,
            min_shape: vec![0; n],
            max_shape: vec![-1; n],
        });
        let bytes = self.bytes(shape, Dtype::from_number(dtype.into()).unwrap().size() as i64);
        self.buffer(BufferKind::Output(self.plan.outputs.len() as u32 - 1), bytes)
    }
    fn constant(&mut self, name: &str, shape: &[i64], mutated: bool) -> BufferId {
        let bytes = 4 * shape.iter().product::<i64>();
        let end = self.plan.storages.last().map_or(0, |s| s.offset + s.bytes);
        let offset = end.next_multiple_of(64);
        self.plan.storages.push(Storage { offset, bytes: bytes as u64, mutated });
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
    fn kernel(&mut self, symbol: &str) -> KernelId {
        self.plan.kernels.push(Kernel { symbol: symbol.into() });
        KernelId(self.plan.kernels.len() as u32 - 1)
    }
    fn step(
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
            room: None,
            maps: Vec::new(),
        }
    }
}

const PRELUDE: &str = "typedef long i64; typedef int i32;\n\
    #define KERNEL(name) extern \"C\" i32 name(void *, void *const *b, const i64 *s, i64 begin, i64 end, void *scratch)\n";

/// A C++ kernel of `body`, which sees `b`, `s`, `begin`, `end` and `scratch`.
fn kernel_source(name: &str, body: &str) -> Source {
    let text = format!("{PRELUDE}KERNEL({name}) {{ (void)b; (void)s; (void)scratch; {body} return 0; }}\n");
    Source { name: name.into(), text, optimization: 1 }
}

fn toolchain() -> Toolchain {
    Toolchain::find(&Search { path: std::env::var_os("PATH"), ..Search::default() })
        .expect("tests need a C++ compiler")
}

/// A program and what an artifact of it is made of.
struct Built {
    plan: Plan,
    objects: Vec<Vec<u8>>,
    constants: Vec<ConstantBytes>,
    isa: Isa,
    program: Arc<Program>,
}

impl Built {
    fn new(plan: Plan, kernels: &[(&str, &str)], constants: &[&[f32]]) -> Built {
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
    fn instance(&self) -> Executable {
        Executable::new(&self.program, &InstanceOptions::default()).unwrap()
    }
    fn write(&self, path: &Path, external_weights: bool) -> Result<(PathBuf, String), RuntimeError> {
        write(
            path,
            &ArtifactParts {
                plan: &self.plan,
                cubins: &[],
                runs: CudaRuns::default(),
                objects: &self.objects,
                constants: &self.constants,
                toolchain: &toolchain(),
                isa: self.isa,
                amx: false,
                external_weights,
                time_limit: Duration::from_secs(60),
                dump: None,
            },
        )
    }
    /// In the process, a clone, and as an artifact.
    fn everywhere(&self, check: impl Fn(&Executable)) {
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

fn floats_to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

fn floats(shape: &[i64], values: &[f32]) -> Tensor {
    Tensor::from_bytes(Dtype::Float32, shape, &floats_to_bytes(values)).unwrap()
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.bytes().chunks_exact(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect()
}

/// A borrowed tensor over memory of the test's.
struct View {
    shape: Vec<i64>,
    strides: Vec<i64>,
    tensor: DLTensor,
}

impl View {
    fn new(data: *mut u8, shape: &[i64], strides: &[i64]) -> Box<View> {
        let mut view = Box::new(View {
            shape: shape.into(),
            strides: strides.into(),
            tensor: DLTensor { data: data.cast(), dtype: Dtype::Float32.into(), ..artifact::NO_TENSOR },
        });
        view.tensor.ndim = shape.len() as i32;
        view.tensor.shape = view.shape.as_mut_ptr();
        view.tensor.strides = view.strides.as_mut_ptr();
        view
    }
    fn of(data: &mut [f32], shape: &[i64], strides: &[i64]) -> Box<View> {
        View::new(data.as_mut_ptr().cast(), shape, strides)
    }
}

/// `y = 2 (x + w)`, x of `n` rows of 3 (n from 0 to 1000); `2 w` is derived when the program is created.
fn add_rows() -> Built {
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
        Step::Copy { destination: y, source: arena, bytes },
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

fn expected(x: &[f32], w: [f32; 3]) -> Vec<f32> {
    x.iter().enumerate().map(|(k, v)| 2.0 * (v + w[k % 3])).collect()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, RuntimeError>, status: Status, parts: &[&str]) {
    let error = result.expect_err("this is to be refused");
    assert_eq!(error.status, status, "{error}");
    for part in parts {
        assert!(error.message.contains(part), "{:?} does not say {part:?}", error.message);
    }
}

fn open(path: &Path, sha256: Option<&str>) -> Result<Executable, RuntimeError> {
    artifact::open(path, sha256, 0)
}

#[test]
fn tickets_are_zero_when_a_run_starts() {
    let mut b = Build::default();
    b.plan.name = "tickets".into();
    let (one, four) = (b.number(1), b.number(4));
    let y = b.output("y", F32, &[one]);
    let first = b.buffer(BufferKind::Tickets { offset: 0 }, four);
    let second = b.buffer(BufferKind::Tickets { offset: 64 }, four);
    let count = b.kernel("count");
    b.plan.main = vec![b.step(count, &[y, first, second], &[], one)];
    let text = "const int *t = (const int *)b[1], *u = (const int *)b[2]; \
                ((float *)b[0])[0] = u - t == 16 ? 1 + t[0] + u[0] : -1;";
    Built::new(b.plan, &[("count", text)], &[]).everywhere(|e| {
        for _ in 0..2 {
            let y = e.run_tensors(&[]).unwrap();
            assert_eq!(values(&y[0]), [1.0]);
        }
    });
}

#[test]
fn dynamic_sizes_and_derived_constants() {
    add_rows().everywhere(|e| {
        for n in [0, 1, 2, 999, 5] {
            let x: Vec<f32> = (0..3 * n).map(|k| k as f32).collect();
            let y = e.run_tensors(&[&floats(&[n as i64, 3], &x)]).unwrap();
            assert_eq!((y.len(), y[0].shape(), y[0].strides()), (1, &[n as i64, 3][..], &[3, 1][..]));
            assert_eq!(values(&y[0]), expected(&x, [10.0, 20.0, 30.0]));
        }
        e.update_tensors(&[("alias.w", &floats(&[3], &[1.0, 2.0, 3.0]))]).unwrap();
        let y = e.run_tensors(&[&floats(&[1, 3], &[1.0; 3])]).unwrap();
        assert_eq!(values(&y[0]), [4.0, 6.0, 8.0]);
        assert_eq!(values(&e.constant("w").unwrap()), [1.0, 2.0, 3.0]);
        assert_eq!(
            values(&e.try_clone().unwrap().run_tensors(&[&floats(&[1, 3], &[1.0; 3])]).unwrap()[0]),
            [4.0, 6.0, 8.0]
        );
        assert_eq!(e.metadata(), "{\"a\":1}");
        e.synchronize().unwrap();
    });
}

#[test]
fn wrong_inputs_are_named() {
    add_rows().everywhere(|e| {
        let x = floats(&[2, 3], &[0.0; 6]);
        refused(e.run_tensors(&[]), Status::InvalidArgument, &["0 inputs", "has 1"]);
        refused(
            e.run_tensors(&[&floats(&[1001, 3], &[0.0; 3003])]),
            Status::Shape,
            &["`x`", "dimension 0", "1001", "from 0 to 1000"],
        );
        refused(
            e.run_tensors(&[&floats(&[2, 4], &[0.0; 8])]),
            Status::Shape,
            &["input 0 `x`", "dimension 1 is 4", "expects 3"],
        );
        refused(e.run_tensors(&[&floats(&[6], &[0.0; 6])]), Status::Shape, &["1 dimensions", "expects 2"]);
        let ints = Tensor::zeros(Dtype::Int32, &[2, 3]).unwrap();
        refused(e.run_tensors(&[&ints]), Status::Dtype, &["int32", "float32"]);
        // SAFETY: these tensors are wrong in ways that a run looks for first.
        unsafe {
            refused(e.run(&[std::ptr::null()], None), Status::InvalidArgument, &["`x`", "NULL"]);
            let mut wrong = *x.dl();
            wrong.device.device_type = 2;
            refused(e.run(&[&wrong], None), Status::Device, &["input 0 `x`", "CPU"]);
            wrong = *x.dl();
            wrong.data = std::ptr::null_mut();
            refused(e.run(&[&wrong], None), Status::InvalidArgument, &["data is NULL"]);
            wrong = *x.dl();
            wrong.shape = std::ptr::null_mut();
            refused(e.run(&[&wrong], None), Status::InvalidArgument, &["shape is NULL"]);
            wrong = *x.dl();
            wrong.dtype.lanes = 2;
            refused(e.run(&[&wrong], None), Status::Dtype, &["2 lanes"]);
            let mut backwards = [3i64, -1];
            wrong = *x.dl();
            wrong.strides = backwards.as_mut_ptr();
            refused(e.run(&[&wrong], None), Status::InvalidArgument, &["negative strides"]);
            let mut vast = [i64::MAX / 2, i64::MAX / 2];
            wrong.strides = vast.as_mut_ptr();
            refused(e.run(&[&wrong], None), Status::Shape, &["memory"]);
            let mut negative = [-2i64, 3];
            wrong = *x.dl();
            wrong.shape = negative.as_mut_ptr();
            refused(e.run(&[&wrong], None), Status::Shape, &["-2"]);

            let right: [*const DLTensor; 1] = [x.dl()];
            let options = RunOptions { flags: 64, ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::InvalidArgument, &["unknown flags 0x40"]);
            let options = RunOptions { reserved: [0, 1], ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::InvalidArgument, &["reserved"]);
            let options = RunOptions { struct_size: 8, ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::InvalidArgument, &["struct_size"]);
            let options = RunOptions { device_index: 1, ..RunOptions::default() };
            refused(e.run(&right, Some(&options)), Status::Device, &["device_index"]);
            let mut next = 0;
            let options =
                RunOptions { flags: RUN_ASYNC, offset: 5, next_offset: &mut next, ..RunOptions::default() };
            e.run(&right, Some(&options)).unwrap();
            assert_eq!(next, 5);

            refused(e.run_into(&right, &[], None), Status::InvalidArgument, &["0 outputs"]);
            refused(
                e.run_into(&right, &[std::ptr::null()], None),
                Status::InvalidArgument,
                &["output 0 `y`"],
            );
            let small = floats(&[1, 3], &[0.0; 3]);
            refused(
                e.run_into(&right, &[small.dl()], None),
                Status::Shape,
                &["output 0 `y`", "dimension 0 is 1", "`n` is 2", "`x`"],
            );
        }
        let three = floats(&[3], &[0.0; 3]);
        refused(e.update_tensors(&[("v", &three)]), Status::InvalidArgument, &["`v`"]);
        refused(e.update_tensors(&[("w", &three), ("alias.w", &three)]), Status::InvalidArgument, &["twice"]);
        refused(e.update_tensors(&[("w", &x)]), Status::Shape, &["`w`"]);
        refused(e.constant("nothing"), Status::InvalidArgument, &["`nothing`"]);
        assert_eq!(values(&e.run_tensors(&[&x]).unwrap()[0]), expected(&[0.0; 6], [10.0, 20.0, 30.0]));
    });
}

#[test]
fn any_layout_of_inputs_and_outputs() {
    add_rows().everywhere(|e| {
        let w = [10.0, 20.0, 30.0];
        let mut memory: Vec<f32> = (0..40).map(|k| k as f32).collect();
        let run = |view: &View| {
            // SAFETY: every view lies in `memory`.
            values(&unsafe { e.run(&[&view.tensor], None) }.unwrap()[0])
        };
        // Transposed, every other column, expanded rows, one row with an odd stride, strides left out, an offset.
        assert_eq!(
            run(&View::of(&mut memory, &[2, 3], &[1, 2])),
            expected(&[0.0, 2.0, 4.0, 1.0, 3.0, 5.0], w)
        );
        assert_eq!(
            run(&View::of(&mut memory, &[2, 3], &[10, 2])),
            expected(&[0.0, 2.0, 4.0, 10.0, 12.0, 14.0], w)
        );
        assert_eq!(
            run(&View::of(&mut memory, &[2, 3], &[0, 1])),
            expected(&[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], w)
        );
        assert_eq!(run(&View::of(&mut memory, &[1, 3], &[-7, 1])), expected(&[0.0, 1.0, 2.0], w));
        let mut view = View::of(&mut memory, &[2, 3], &[3, 1]);
        view.tensor.strides = std::ptr::null_mut();
        view.tensor.byte_offset = 8;
        assert_eq!(run(&view), expected(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0], w));
        // Misaligned by one byte.
        let mut bytes = vec![0u8; 25];
        bytes[1..].copy_from_slice(&floats_to_bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        // SAFETY: the offset is inside of the vector.
        let odd = View::new(unsafe { bytes.as_mut_ptr().add(1) }, &[2, 3], &[3, 1]);
        assert_eq!(run(&odd), expected(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], w));
        // An empty tensor needs no data.
        let mut view = View::of(&mut memory, &[0, 3], &[3, 1]);
        view.tensor.data = std::ptr::null_mut();
        assert!(run(&view).is_empty());

        // Outputs: other strides, misaligned, over the input, expanded, empty.
        let x = floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let y = expected(&values(&x), w);
        let mut out = vec![-1.0f32; 12];
        let into = |output: &View| {
            // SAFETY: the output lies in the test's memory.
            unsafe { e.run_into(&[x.dl()], &[&output.tensor], None) }
        };
        into(&View::of(&mut out, &[2, 3], &[1, 4])).unwrap();
        assert_eq!(out, [y[0], y[3], -1.0, -1.0, y[1], y[4], -1.0, -1.0, y[2], y[5], -1.0, -1.0]);
        into(&View::of(&mut out, &[2, 3], &[3, 1])).unwrap();
        assert_eq!(out[..6], y[..]);
        // SAFETY: the offset is inside of the vector.
        into(&View::new(unsafe { bytes.as_mut_ptr().add(1) }, &[2, 3], &[3, 1])).unwrap();
        assert_eq!(bytes[1..], floats_to_bytes(&y));
        refused(
            into(&View::of(&mut out, &[2, 3], &[0, 1])),
            Status::InvalidArgument,
            &["output 0 `y`", "share memory"],
        );
        let mut both = values(&x);
        both.extend([0.0; 6]);
        let input = View::of(&mut both, &[2, 3], &[3, 1]);
        let output = View::of(&mut both[3..], &[2, 3], &[3, 1]);
        // SAFETY: both lie in `both`.
        unsafe { e.run_into(&[&input.tensor], &[&output.tensor], None) }.unwrap();
        assert_eq!(both[3..9], y[..]);
        // SAFETY: empty tensors are not read or written.
        unsafe {
            let empty = View::new(std::ptr::null_mut(), &[0, 3], &[3, 1]);
            e.run_into(&[&empty.tensor], &[&empty.tensor], None).unwrap();
        }
        // Sizes alone.
        let (mut shape, mut strides) = ([0; 2], [0; 2]);
        let mut inferred =
            DLTensor { shape: shape.as_mut_ptr(), strides: strides.as_mut_ptr(), ..artifact::NO_TENSOR };
        // SAFETY: the output has room for two sizes.
        unsafe { e.infer_outputs(&[x.dl()], std::slice::from_mut(&mut inferred)) }.unwrap();
        assert_eq!(
            (inferred.ndim, inferred.dtype, shape, strides),
            (2, Dtype::Float32.into(), [2, 3], [3, 1])
        );
    });
}

/// Counts its runs in a buffer and adds `k` (a 0-d input) to its mutated input `x`; fails when `k` is 13.
fn counter() -> Built {
    let mut b = Build::default();
    b.plan.inputs.push(Input {
        name: "k".into(),
        dtype: I64,
        shape: vec![],
        strides: vec![],
        mutated: false,
        scalar: true,
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

#[test]
fn mutation_of_inputs_and_constants() {
    counter().everywhere(|e| {
        let number = |k: i64| Tensor::from_bytes(Dtype::Int64, &[], &k.to_ne_bytes()).unwrap();
        let z = floats(&[4], &[1.0, 2.0, 3.0, 4.0]);
        let run = |k: i64, x: &View, z: &DLTensor| {
            // SAFETY: the test's own memory, which nobody else uses.
            unsafe { e.run(&[number(k).dl(), &x.tensor, z], None) }.map(|y| values(&y[0]))
        };
        let start = values(&e.constant("steps").unwrap())[0];
        let mut x = vec![0.0f32; 8];
        assert_eq!(run(2, &View::of(&mut x, &[4], &[1]), z.dl()).unwrap(), [6.0, 5.0, 4.0, 3.0]);
        assert_eq!(x, [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        // Strided: copied back.
        assert_eq!(run(-1, &View::of(&mut x, &[4], &[2]), z.dl()).unwrap(), [5.0, 4.0, 1.0, 0.0]);
        assert_eq!(x, [1.0, 2.0, 1.0, 2.0, -1.0, 0.0, -1.0, 0.0]);
        // The same memory as an input that is only read: that one is as it was when the run began.
        let mut x = vec![1.0f32, 2.0, 3.0, 4.0];
        let view = View::of(&mut x, &[4], &[1]);
        assert_eq!(run(10, &view, &view.tensor).unwrap(), [15.0, 15.0, 15.0, 15.0]);
        assert_eq!(x, [11.0, 12.0, 13.0, 14.0]);
        assert_eq!(values(&e.constant("steps").unwrap()), [start + 3.0]);
        let clone = e.try_clone().unwrap();
        assert_eq!(values(&clone.constant("steps").unwrap()), [start + 3.0]);
        e.update_tensors(&[("steps", &floats(&[1], &[100.0]))]).unwrap();
        assert_eq!(values(&clone.constant("steps").unwrap()), [start + 3.0]);

        refused(
            run(3, &View::of(&mut x, &[4], &[0]), z.dl()),
            Status::InvalidArgument,
            &["input 1 `x`", "expand"],
        );
        refused(run(13, &View::of(&mut x, &[4], &[1]), z.dl()), Status::Assertion, &["k must not be 13"]);
        refused(run(12, &View::of(&mut x, &[4], &[1]), z.dl()), Status::Shape, &["k must not be 12"]);
        refused(
            run(-6, &View::of(&mut x, &[4], &[1]), z.dl()),
            Status::Shape,
            &["input 0 `k`", "-6", "at least -5"],
        );
        refused(e.run_tensors(&[]), Status::InvalidArgument, &["mutates", "`x`"]);
        assert_eq!(values(&e.constant("steps").unwrap()), [100.0]);
        run(0, &View::of(&mut x, &[4], &[1]), z.dl()).unwrap();
        assert_eq!(values(&e.constant("steps").unwrap()), [101.0]);
    });
}

#[test]
fn many_threads_run_one_executable() {
    let built = add_rows();
    let e = Executable::new(&built.program, &InstanceOptions { threads: Some(4) }).unwrap();
    std::thread::scope(|scope| {
        for t in 0..8 {
            let e = &e;
            scope.spawn(move || {
                for n in 0..200i64 {
                    let n = (n * 7 + t) % 300;
                    let x: Vec<f32> = (0..3 * n).map(|k| (k + t) as f32).collect();
                    let y = e.run_tensors(&[&floats(&[n, 3], &x)]).unwrap();
                    assert_eq!(values(&y[0]), expected(&x, [10.0, 20.0, 30.0]));
                }
            });
        }
        for _ in 0..50 {
            e.update_tensors(&[("w", &floats(&[3], &[10.0, 20.0, 30.0]))]).unwrap();
        }
    });
    let counting = counter().instance();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let counting = &counting;
            scope.spawn(move || {
                let k = Tensor::from_bytes(Dtype::Int64, &[], &1i64.to_ne_bytes()).unwrap();
                let (mut x, z) = (vec![0.0f32; 4], floats(&[4], &[0.0; 4]));
                let x = View::of(&mut x, &[4], &[1]);
                for _ in 0..100 {
                    // SAFETY: each thread has its own tensors.
                    unsafe { counting.run(&[k.dl(), &x.tensor, z.dl()], None) }.unwrap();
                }
            });
        }
    });
    assert_eq!(values(&counting.constant("steps").unwrap()), [400.0]);
}

#[test]
fn the_host_may_bring_its_own_threads() {
    unsafe extern "C" fn backwards(
        context: *mut std::ffi::c_void,
        body: RangeFn,
        argument: *mut std::ffi::c_void,
        n: i64,
        grain: i64,
    ) {
        // SAFETY: the context is the test's counter; the body is called as documented.
        unsafe {
            *context.cast::<i64>() += 1;
            let mut end = n;
            while end > 0 {
                let begin = (end - 5 * grain).max(0);
                body(argument, begin, end);
                end = begin;
            }
        }
    }
    let e = add_rows().instance();
    let mut calls = 0i64;
    let options = RunOptions {
        parallel_for: Some(backwards),
        parallel_for_context: (&raw mut calls).cast(),
        ..RunOptions::default()
    };
    let x: Vec<f32> = (0..300).map(|k| k as f32).collect();
    let tensor = floats(&[100, 3], &x);
    // SAFETY: own tensors; the callback is as documented.
    let y = unsafe { e.run(&[tensor.dl()], Some(&options)) }.unwrap();
    assert_eq!(values(&y[0]), expected(&x, [10.0, 20.0, 30.0]));
    assert_eq!(calls, 1);
}

#[test]
fn kernels_in_rust() {
    let built = add_rows();
    let get = |call: &KernelCall, b: usize, k: usize| {
        let bytes: Vec<u8> = call.buffers[b][4 * k..4 * k + 4].iter().map(|c| c.get()).collect();
        f32::from_ne_bytes(bytes.try_into().unwrap())
    };
    let set = |call: &KernelCall, b: usize, k: usize, v: f32| {
        v.to_ne_bytes().iter().zip(&call.buffers[b][4 * k..]).for_each(|(v, c)| c.set(*v));
    };
    let double: HostKernel = Box::new(move |call| {
        (0..3).for_each(|k| set(call, 1, k, 2.0 * get(call, 0, k)));
        Ok(())
    });
    let add: HostKernel = Box::new(move |call| {
        for k in 3 * call.begin as usize..3 * call.end as usize {
            set(call, 2, k, 2.0 * get(call, 0, k) + get(call, 1, k % 3));
        }
        Ok(())
    });
    let program =
        Program::new(built.plan.clone(), Code::Host(vec![double, add]), built.constants.clone()).unwrap();
    let e = Executable::new(&program, &InstanceOptions::default()).unwrap();
    let y = e.run_tensors(&[&floats(&[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])]).unwrap();
    assert_eq!(values(&y[0]), expected(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [10.0, 20.0, 30.0]));

    let none: HostKernel = Box::new(|_| Ok(()));
    let beyond: HostKernel = Box::new(move |call| {
        get(call, 0, 1 << 20);
        Ok(())
    });
    let program =
        Program::new(built.plan.clone(), Code::Host(vec![none, beyond]), built.constants.clone()).unwrap();
    let e = Executable::new(&program, &InstanceOptions::default()).unwrap();
    refused(e.run_tensors(&[&floats(&[1, 3], &[0.0; 3])]), Status::Internal, &["add_rows"]);
}

#[test]
fn outputs_outlive_the_executable() {
    let e = add_rows().instance();
    let y = e.run_tensors(&[&floats(&[1, 3], &[0.0; 3])]).unwrap();
    drop(e);
    assert_eq!(values(&y[0]), [20.0, 40.0, 60.0]);
}

/// `readelf` of a file, for what a test says of its layout.
fn readelf(flags: &str, file: &Path) -> String {
    let output =
        std::process::Command::new("readelf").arg(flags).arg(file).output().expect("binutils are there");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_artifact_needs_little_and_exports_one_function() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.so");
    add_rows().write(&path, false).unwrap();
    let needed: Vec<String> = readelf("-dW", &path)
        .lines()
        .filter(|l| l.contains("(NEEDED)"))
        .map(|l| l.rsplit('[').next().unwrap().trim_end_matches(']').to_owned())
        .collect();
    let allowed =
        ["libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];
    assert!(needed.iter().all(|n| allowed.contains(&n.as_str())), "{needed:?}");
    let exported: Vec<String> = readelf("-sDW", &path)
        .lines()
        .filter(|l| l.contains(" GLOBAL ") && !l.contains(" UND "))
        .map(|l| l.split_whitespace().last().unwrap().to_owned())
        .collect();
    assert_eq!(exported, ["litz_artifact_entry_v1"]);
    assert!(!readelf("-lW", &path).lines().any(|l| l.contains("GNU_STACK") && l.contains("RWE")));
    let size = std::fs::metadata(&path).unwrap().len();
    // Most of it is the executor, without what only a GPU needs.
    assert!(size < 100_000, "{size} bytes");
    let bytes = std::fs::read(&path).unwrap();
    assert!(!bytes.windows(7).any(|w| w == b"libcuda"), "an artifact for the CPU opens no driver");
}

#[test]
fn damaged_artifacts_are_refused_before_they_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (path, hash) = add_rows().write(&place("good.so"), false).unwrap();
    assert_eq!(path, place("good.so"));
    let good = std::fs::read(&path).unwrap();
    let e = open(&path, Some(&hash.to_uppercase())).unwrap();
    assert_eq!(
        (e.artifact().unwrap().sha256(), e.artifact().unwrap().path().file_name().unwrap()),
        (&*hash, "good.so".as_ref())
    );
    refused(open(&path, Some("00")), Status::Parse, &["good.so", "SHA-256", &hash]);

    let try_bytes = |bytes: &[u8]| {
        std::fs::write(place("bad.so"), bytes).unwrap();
        open(&place("bad.so"), None)
    };
    for cut in [0, 1, 64, 127, 128, 4096, good.len() / 2, good.len() - 129, good.len() - 1] {
        refused(try_bytes(&good[..cut]), Status::Parse, &["bad.so"]);
    }
    for at in [0, 100, 5000, good.len() / 2, good.len() - 120, good.len() - 60, good.len() - 10] {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        assert!(try_bytes(&bytes).is_err(), "with byte {at} changed");
    }
    refused(try_bytes(b"#!/bin/sh\necho hello\n"), Status::Parse, &["21 bytes"]);
    refused(try_bytes(&[b'x'; 5000]), Status::Parse, &["something else"]);
    let system = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    refused(try_bytes(&system), Status::Parse, &["not made by Litz"]);
    refused(open(&place("none.so"), None), Status::Io, &["none.so"]);
    refused(open(folder.path(), None), Status::Io, &["holds no artifact"]);
    let elsewhere = place("no/such/folder/a.so");
    refused(add_rows().write(&elsewhere, false), Status::Io, &["no/such/folder"]);
    assert!(
        std::fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .all(|f| !f.file_name().to_string_lossy().starts_with('.'))
    );
}

/// Rewrites an artifact's trailer with another instruction set, its hash right again.
fn with_isa(file: &[u8], isa: u32) -> Vec<u8> {
    use sha2::Digest;
    let mut bytes = file[..file.len() - 32].to_vec();
    let at = file.len() - 128 + 20;
    bytes[at..at + 4].copy_from_slice(&isa.to_le_bytes());
    let hash = sha2::Sha256::digest(&bytes);
    bytes.extend_from_slice(&hash);
    bytes
}

#[test]
fn code_for_a_better_cpu_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.so");
    add_rows().write(&path, false).unwrap();
    std::fs::write(&path, with_isa(&std::fs::read(&path).unwrap(), 7)).unwrap();
    refused(open(&path, None), Status::Unsupported, &["a.so", "unknown", "cpu.isa"]);
}

#[test]
fn weights_inside_beside_and_in_a_folder() {
    let built = add_rows();
    let folder = tempfile::tempdir().unwrap();
    let x = floats(&[1, 3], &[0.0; 3]);
    let check = |e: &Executable| assert_eq!(values(&e.run_tensors(&[&x]).unwrap()[0]), [20.0, 40.0, 60.0]);

    let (beside, _) = built.write(&folder.path().join("beside.so"), true).unwrap();
    let weights = folder.path().join("beside.so.weights");
    check(&open(&beside, None).unwrap());
    let good = std::fs::read(&weights).unwrap();
    let mut bytes = good.clone();
    bytes[5] ^= 1;
    std::fs::write(&weights, &bytes).unwrap();
    refused(open(&beside, None), Status::Parse, &["beside.so.weights", "damaged"]);
    counter().write(&folder.path().join("other.so"), true).unwrap();
    std::fs::copy(folder.path().join("other.so.weights"), &weights).unwrap();
    refused(open(&beside, None), Status::Parse, &["another program"]);
    refused(open(&folder.path().join("other.so.weights"), None), Status::Parse, &["weights alone"]);
    std::fs::remove_file(&weights).unwrap();
    refused(open(&beside, None), Status::Io, &["beside.so.weights"]);

    let named = tempfile::tempdir().unwrap();
    let (path, hash) = built.write(named.path(), false).unwrap();
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), format!("{hash}.so"));
    check(&open(named.path(), None).unwrap());
    check(&open(named.path(), Some(&hash)).unwrap());
    let e = open(named.path(), None).unwrap();
    assert_eq!(e.artifact().unwrap().path(), path.canonicalize().unwrap());
    // Replaced while it is in use: what is open goes on as it was.
    counter().write(&path, false).unwrap();
    check(&e);
    check(&e.try_clone().unwrap());
}

/// A host that knows `artifact.h` alone: opens `argv[1]`, runs `y = 2 (x + w)`, prints y.
const C_HOST: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#include "litz/artifact.h"
int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) { puts(dlerror()); return 2; }
    if (argc > 2 && chdir(argv[2])) return 3;
    litz_artifact_entry_fn entry;
    *(void **)&entry = dlsym(library, LITZ_ARTIFACT_ENTRY);
    const litz_artifact_api *api = entry();
    if (api->magic != LITZ_ARTIFACT_MAGIC || api->abi_version != LITZ_ARTIFACT_ABI_VERSION) return 4;
    char error[512];
    void *self;
    if (api->create(NULL, 0, &self, error, sizeof error)) { puts(error); return 5; }
    float x[6] = {0, 1, 2, 3, 4, 5}, y[6];
    int64_t shape[2] = {2, 3}, out_shape[2], out_strides[2];
    DLTensor in = {x, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0}, out = in;
    out.data = y;
    out.shape = out_shape;
    out.strides = out_strides;
    const DLTensor *ins[1] = {&in}, *outs[1] = {&out};
    if (api->infer_outputs(self, ins, 1, &out, 1, error, sizeof error)) { puts(error); return 6; }
    if (api->run(self, ins, 1, outs, 1, NULL, error, sizeof error)) { puts(error); return 7; }
    printf("%s %g %g %g %g %g %g", api->metadata, y[0], y[1], y[2], y[3], y[4], y[5]);
    float w[3] = {1, 1, 1};
    int64_t w_shape[1] = {3};
    DLTensor new_w = {w, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, w_shape, NULL, 0}, view;
    const char *name = "w";
    const DLTensor *data = &new_w;
    if (api->update_constants(self, &name, &data, 1, error, sizeof error)) { puts(error); return 8; }
    if (api->constant(self, 0, &view, error, sizeof error)) { puts(error); return 9; }
    if (api->run(self, ins, 1, outs, 1, NULL, error, sizeof error)) { puts(error); return 10; }
    printf(" %g %g", y[0], ((float *)view.data)[2]);
    shape[1] = 4;
    printf(" %d", api->run(self, ins, 1, outs, 1, NULL, error, 8));
    printf(" [%s]", error);
    api->destroy(self);
    api->destroy(NULL);
    return dlclose(library);
}
"#;

#[test]
fn a_plain_c_program_runs_an_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("host.c"), C_HOST).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"]).arg(include).arg(place("host.c"));
    assert!(compiler.arg("-o").arg(place("host")).arg("-ldl").status().unwrap().success());
    let expected = "{\"a\":1} 20 42 64 26 48 70 2 1 3 [input 0]";
    for external in [false, true] {
        add_rows().write(&place("program.so"), external).unwrap();
        // Moved, run from its own folder, with a change of folder in between and with nothing on PATH.
        std::fs::create_dir_all(place("moved")).unwrap();
        std::fs::rename(place("program.so"), place("moved/model.so")).unwrap();
        if external {
            std::fs::rename(place("program.so.weights"), place("moved/model.so.weights")).unwrap();
        }
        let mut host = std::process::Command::new(place("host"));
        let output = host.args(["./model.so", "/"]).current_dir(place("moved")).env_clear().output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert!(output.status.success(), "{}", output.status);
    }
    std::fs::remove_file(place("moved/model.so.weights")).unwrap();
    let output = std::process::Command::new(place("host")).arg(place("moved/model.so")).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("model.so.weights"), "{output:?}");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn weights_as_safetensors() {
    counter().everywhere(|e| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.safetensors");
        e.update_tensors(&[("steps", &floats(&[1], &[7.0]))]).unwrap();
        e.save_constants(&path).unwrap();
        e.update_tensors(&[("steps", &floats(&[1], &[8.0]))]).unwrap();
        e.load_constants(&path).unwrap();
        assert_eq!(values(&e.constant("alias.steps").unwrap()), [7.0]);

        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        refused(e.load_constants(&path), Status::Parse, &["weights.safetensors"]);
        refused(e.load_constants(&folder.path().join("none")), Status::Io, &["none"]);
        add_rows().instance().save_constants(&path).unwrap();
        refused(e.load_constants(&path), Status::InvalidArgument, &["`w`"]);
        let other = add_rows().instance();
        counter().instance().save_constants(&path).unwrap();
        refused(other.load_constants(&path), Status::InvalidArgument, &["`steps`"]);
        safetensors::serialize_to_file(Vec::<(&str, safetensors::tensor::TensorView)>::new(), None, &path)
            .unwrap();
        refused(other.load_constants(&path), Status::InvalidArgument, &["lacks the parameter `w`"]);
    });
}
