//! Operators of a host's that came as source: a kernel that calls the function in it.
//!
//! The text stands in a namespace of its own, whose name is the kernel's, so that equal names in other texts are others. It sees
//! tensors as [`TENSOR`] has them. Lines that include files are moved in front of everything (see [`super::includes_first`]).
//!
//! Invariant: the function is given what its schema says, in order, then the results, the task and how many tasks there are.

use super::Kernel;
use crate::ir::HostOperator;
use crate::ir::host::HostSource;
use crate::loops::{BufferId, Program, Routine};
use crate::mapping::Refusal;
use crate::mapping::emit::{Emitter, Finished};
use crate::plan::Attributes;
use crate::plan::host::{HostKind, MOST_SOURCE_DIMENSIONS, ParsedArgument, ParsedTensor, parse};
use crate::print::{self, Dialect, cuda, cxx};
use crate::schedule::Group;
use crate::target::Target;
use crate::types::SymInt;

/// What the text may use; `litz_bits` makes a float of its bits.
const TENSOR: &str = "typedef i8 int8_t; typedef u8 uint8_t; typedef i16 int16_t; typedef u16 uint16_t;
typedef i32 int32_t; typedef u32 uint32_t; typedef i64 int64_t; typedef u64 uint64_t;
struct litz_tensor { void *data; i64 count; int dtype; int ndim; i64 sizes[8]; };
LITZ_FN double litz_bits(i64 bits) { union { i64 bits; double number; } u; u.bits = bits; return u.number; }
";

/// Elements that a task of a CPU, and a thread of a GPU, has at least.
const ELEMENTS: i64 = 1024;
const MOST_TASKS: i64 = 64;
const THREADS: i64 = 256;
/// Blocks for each multiprocessor of a GPU.
const BLOCKS: i64 = 8;

/// The kernel of a call whose operator has this source.
pub fn kernel(
    program: &Program,
    group: &Group,
    (routine, operator, source): (&Routine, &HostOperator, &HostSource),
    target: &Target,
) -> Result<Kernel, Refusal> {
    let error = |message: String| Refusal { operators: group.operators.located(&program.origins), message };
    let Attributes::Host(call) = &routine.attributes else {
        return Err(error("a library's routine has no source".into()));
    };
    let parsed = parse(&call.words, &call.values, routine.operands.len());
    let parsed = parsed.ok_or_else(|| error("a call that does not hold together".into()))?;
    let mut tensors = parsed.tensors.iter().chain(&parsed.results);
    if let Some(large) = tensors.find(|t| t.sizes.len() > MOST_SOURCE_DIMENSIONS) {
        let (name, rank) = (operator.name, large.sizes.len());
        let message = format!(
            "`{name}` came as source, which takes tensors of {MOST_SOURCE_DIMENSIONS} dimensions at most, not {rank}"
        );
        return Err(error(message));
    }
    let mut buffers: Vec<BufferId> = Vec::new();
    for buffer in &routine.operands {
        if !buffers.contains(buffer) {
            buffers.push(*buffer);
        }
    }
    let dialect = if let Target::Cuda(_) = target { Dialect::Cuda } else { Dialect::Cxx };
    let mut writer = Writer {
        emitter: Emitter::new(program),
        dialect,
        program,
        operands: &routine.operands,
        buffers: &buffers,
    };
    let mut given = Vec::new();
    for (name, argument) in &parsed.arguments {
        let text = match argument {
            ParsedArgument::Tensor(place) => writer.tensor(&parsed.tensors[*place as usize - 1]),
            ParsedArgument::Number(kind, value) => writer.number(*kind, **value),
            ParsedArgument::None => "LITZ_KERNEL_source::litz_tensor{}".to_string(),
            _ => return Err(error(format!("argument `{name}` cannot be given to source"))),
        };
        given.push(text);
    }
    given.extend(parsed.results.iter().map(|result| writer.tensor(result)));
    let syms = &program.syms;
    let whole = parsed.results.iter().map(|r| syms.product(r.sizes));
    let count = whole.reduce(|a, b| syms.max(a, b)).unwrap_or_else(|| syms.constant(1));
    let (tasks, grain) = match target {
        Target::Cpu(_) => {
            let tasks = syms.ceildiv(count, syms.constant(ELEMENTS));
            (syms.max(syms.min(tasks, syms.constant(MOST_TASKS)), syms.constant(1)), 1)
        }
        Target::Cuda(gpu) => {
            let blocks = syms.ceildiv(count, syms.constant(THREADS));
            let most = syms.constant(BLOCKS * gpu.multiprocessors as i64);
            (syms.max(syms.min(blocks, most), syms.constant(1)), THREADS)
        }
    };
    let all = writer.index(tasks);
    let Finished { body, symbols } = writer.emitter.finish();
    let functions = print::functions(&body);
    let lines = print::block(dialect, &body, &body.block, 1);
    let function = format!("LITZ_KERNEL_source::{}", source.function);
    let parameters =
        buffers.iter().enumerate().map(|(k, b)| (k, program.buffers[*b].dtype, group.writes.contains(b)));
    let text = match target {
        Target::Cpu(_) => {
            let head = cxx::head(parameters);
            given.extend(["task".to_string(), all]);
            let given = given.join(", ");
            format!(
                "{head}{lines}  for (i64 task = begin; task < end; task++) {function}({given});\n  return 0;\n}}\n"
            )
        }
        Target::Cuda(_) => {
            let head = cuda::head(parameters, symbols.len(), THREADS);
            given.extend([
                format!("(i64)blockIdx.x * {THREADS} + threadIdx.x"),
                format!("(i64)gridDim.x * {THREADS}"),
            ]);
            let given = given.join(", ");
            format!("{head}{lines}  {function}({given});\n}}\n")
        }
    };
    let body = format!(
        "\nnamespace LITZ_KERNEL_source {{\n{TENSOR}#line 1 \"{}\"\n{}\n}}\n#line 1 \"the call of {}\"\n{text}",
        operator.name, source.text, operator.name
    );
    Ok(Kernel {
        kind: "host",
        body,
        functions,
        tile_heights: 0,
        headers: Vec::new(),
        buffers,
        symbols,
        tasks,
        grain: syms.constant(grain),
        scratch: syms.constant(0),
        lanes: i64::from(matches!(target, Target::Cuda(_))),
        maps: Vec::new(),
    })
}

struct Writer<'p> {
    emitter: Emitter<'p>,
    dialect: Dialect,
    program: &'p Program,
    operands: &'p [BufferId],
    buffers: &'p [BufferId],
}

impl Writer<'_> {
    fn index(&mut self, index: SymInt) -> String {
        let value = self.emitter.index(index);
        print::value(self.dialect, &self.emitter.body, value)
    }
    fn tensor(&mut self, tensor: &ParsedTensor<'_, SymInt>) -> String {
        let operand = self.operands[tensor.operand];
        let place = self.buffers.iter().position(|b| *b == operand).unwrap_or_default();
        let count = self.index(self.program.syms.product(tensor.sizes));
        let sizes: Vec<String> = tensor.sizes.iter().map(|s| self.index(*s)).collect();
        let (dtype, rank) = (tensor.dtype, sizes.len());
        format!(
            "LITZ_KERNEL_source::litz_tensor{{(void *)b{place}, {count}, {dtype}, {rank}, {{{}}}}}",
            sizes.join(", ")
        )
    }
    fn number(&mut self, kind: HostKind, value: SymInt) -> String {
        let text = self.index(value);
        match kind {
            HostKind::Float => format!("LITZ_KERNEL_source::litz_bits({text})"),
            HostKind::Bool => format!("({text}) != 0"),
            _ => format!("(i64)({text})"),
        }
    }
}
