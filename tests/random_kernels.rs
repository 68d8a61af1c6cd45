//! Random graphs as kernels for four targets, run as data: the kernels of every graph pass the verifier, race with nobody, write
//! each result once, and compute what the interpreter of loops computes. No compiler and no GPU takes part, so that a
//! mistake of mapping is told apart from one of printing.
//!
//! A graph follows from its number alone. `LITZ_RANDOM_KERNELS=N` runs the graphs 0 to N-1; `LITZ_RANDOM_KERNEL=K` runs graph K
//! only. `LITZ_RANDOM_TEMPLATES=N` and `LITZ_RANDOM_TEMPLATE=K` say the same of graphs round a template, `LITZ_RANDOM_WINDOWS=N` and
//! `LITZ_RANDOM_WINDOW=K` of graphs round windows, `LITZ_RANDOM_ATTENTIONS=N` and `LITZ_RANDOM_ATTENTION=K` of graphs round attention,
//! `LITZ_RANDOM_GRADIENTS=N` and `LITZ_RANDOM_GRADIENT=K` of graphs with its gradients.
//! `LITZ_RANDOM_KERNELS_LOG` names a file for all mistakes.

mod common;

use common::attention_graphs::{attention_case, gradients_case};
use common::contents::{Content, fill};
use common::planted_graphs::IN_TEMPLATES;
use common::programs::{Case, case_among};
use common::random::Random;
use common::template_graphs::template_case;
use common::window_graphs::window_case;
use litz::decompose::{HostRules, Kernels, Own, Rules, decompose_by};
use litz::functionalize::functionalize;
use litz::interp::difference::{difference, tolerance};
use litz::interp::{Memory, run_node, run_program};
use litz::kernels::verify::{Data, verify_with};
use litz::kernels::{
    Block, IndexOp, Kernel, Launch, Operand, Role, Routine, Statement, TemplateCall, Value, ValueId,
    each_statement, interpret, text,
};
use litz::loop_passes;
use litz::loops::{self, BufferId, NodeKind, Program, lower::lower};
use litz::mapping;
use litz::meta::text::parse;
use litz::passes;
use litz::schedule::{self, Group, Settings};
use litz::target::{CpuTarget, CudaTarget, Isa, Target};
use litz::types::{Dtype, SymbolId};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// As many as a busy core runs in half a minute.
const USUAL: usize = 150;
/// The same of windows.
const WINDOWS: usize = 60;

/// The same of attention.
const ATTENTIONS: usize = 36;

/// Scratch of a thread, as far as it is for the mapping to decide.
const SCRATCH: i64 = 256 << 10;

/// Below, at and above a vector's width and a warp, prime, long beside short, and none.
const SIZES: [(i64, i64); 12] = [
    (5, 8),
    (33, 7),
    (16, 64),
    (3, 130),
    (1, 40),
    (1, 1),
    (0, 5),
    (6, 0),
    (2, 700),
    (700, 2),
    (24, 48),
    (1, 2500),
];

fn targets() -> [(&'static str, Target); 4] {
    let gpu = |arch| {
        // So few multiprocessors that small tensors are shared out as large ones are.
        Target::Cuda(CudaTarget { multiprocessors: 2, ..CudaTarget::generic(arch) })
    };
    [
        ("avx2", Target::Cpu(CpuTarget::generic(Isa::Avx2))),
        ("avx512", Target::Cpu(CpuTarget::generic(Isa::Avx512))),
        ("sm_80", gpu(80)),
        ("sm_90", gpu(90)),
    ]
}

/// The bytes of all buffers of a program.
struct Bytes(Vec<Vec<u8>>);

impl Memory for Bytes {
    fn read(&self, buffer: BufferId) -> Option<&[u8]> {
        self.0.get(buffer.index()).map(Vec::as_slice)
    }
    fn write(&mut self, buffer: BufferId) -> Option<&mut [u8]> {
        self.0.get_mut(buffer.index()).map(Vec::as_mut_slice)
    }
}

fn no_symbol(_: SymbolId) -> Option<i64> {
    None
}

/// The bytes up to a buffer's last element.
fn length(program: &Program, buffer: BufferId) -> usize {
    let data = &program.buffers[buffer];
    let of = |list: &[litz::types::SymInt]| program.syms.as_consts(list);
    let (sizes, strides) = (of(&data.sizes), of(&data.strides));
    let (Some(sizes), Some(strides)) = (sizes, strides) else { panic!("sizes are known") };
    if sizes.contains(&0) {
        return 0;
    }
    let last: i64 = sizes.iter().zip(&strides).map(|(n, s)| (n - 1) * s).sum();
    (last as usize + 1) * data.dtype.size()
}

/// A program for a target, and what its inputs hold.
struct Run {
    program: Program,
    scheduled: schedule::Schedule,
    memory: Bytes,
    /// What every node leaves, by the interpreter of loops, as far as it runs single nodes whose results have a layout of their own.
    known: Result<Bytes, String>,
    /// The outputs and then what is written back, as the interpreter of loops has them before any pass over loops, in the order of
    /// their indices.
    expected: Vec<Vec<u8>>,
}

fn prepared(case: &Case, number: usize, target: &Target) -> Result<Run, String> {
    let graph = parse(&case.text).map_err(|e| e.to_string())?;
    let functional = functionalize(&graph).map_err(|e| e.to_string())?;
    // What the target has no kernel for becomes other operators.
    let rules = Rules { host: &HostRules::default(), own: Own::All, kernels: Kernels::Of(target) };
    let mut graph = decompose_by(&functional, rules).map_err(|e| e.to_string())?;
    passes::run(&mut graph).map_err(|e| e.to_string())?;
    let mut program = lower(&graph).map_err(|e| e.to_string())?;
    loops::bound(&mut program, &graph).map_err(|e| e.to_string())?;
    let mut random = Random(!(number as u64));
    let inputs: Vec<Vec<u8>> = case
        .inputs
        .iter()
        .map(|shape| fill(case.dtype, shape.iter().product::<i64>() as usize, Content::Small, &mut random))
        .collect();
    let constants: Vec<&[u8]> = graph.constants.iter().map(|c| c.data.bytes()).collect();
    let given: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let (outputs, writes) =
        run_program(&program, &given, &constants, &no_symbol).map_err(|e| format!("loops: {e}"))?;
    let results = outputs.iter().chain(&writes);
    let expected = results_of(&program)
        .zip(results)
        .map(|(buffer, bytes)| contiguous(&program, buffer, bytes))
        .collect();
    loop_passes::run(&mut program, target, false).map_err(|e| e.to_string())?;
    let loops = program.clone();
    let scheduled = schedule::schedule(&mut program, target, Settings { fuse: true, explain: false });
    let mut memory = Bytes((0..program.buffers.len()).map(|_| Vec::new()).collect());
    for (id, _) in program.buffers.iter() {
        memory.0[id.index()] = vec![0; length(&program, id)];
    }
    let all = program.inputs.iter().zip(&given).chain(program.constants.iter().zip(&constants));
    for (buffer, bytes) in all {
        memory.0[buffer.index()] = bytes.to_vec();
    }
    // What is written back is written in place where it can be.
    for (target, source) in &program.writes {
        memory.0[source.index()] = memory.0[target.index()].clone();
    }
    let mut bytes = Bytes(memory.0.clone());
    let mut nodes = (0..loops.nodes.len()).filter(|n| !matches!(loops.nodes[*n].kind, NodeKind::Control(_)));
    let each = |node| run_node(&loops, node, &mut bytes, &no_symbol).map_err(|e| format!("loops: {e}"));
    let known = nodes.try_for_each(each).map(|()| bytes);
    Ok(Run { program, scheduled, memory, known, expected })
}

/// The kernel of a group, where it is data.
fn mapped(program: &Program, group: &Group, target: &Target) -> Option<Kernel> {
    mapping::kernel(program, group, target, SCRATCH).ok().map(|k| k.1)
}

/// Runs a kernel on the program's memory.
fn launch(
    program: &Program,
    kernel: &Kernel,
    memory: &mut Bytes,
    order: u64,
) -> Result<(), interpret::Fault> {
    let mut own: Vec<Vec<u8>> = kernel.buffers.iter().map(|b| memory.0[b.buffer.index()].clone()).collect();
    interpret::run(&program.syms, kernel, &no_symbol, &mut own, order)?;
    for (parameter, bytes) in kernel.buffers.iter().zip(own) {
        if parameter.role != Role::Input {
            memory.0[parameter.buffer.index()] = bytes;
        }
    }
    Ok(())
}

/// The first mistake of a graph's kernels for a target.
fn mistake(case: &Case, number: usize, target: &Target, met: &Met) -> Option<String> {
    let mut run = match prepared(case, number, target) {
        Ok(run) => run,
        Err(e) => return Some(e),
    };
    let groups: Vec<Group> = run.scheduled.init.iter().chain(&run.scheduled.main).cloned().collect();
    for group in &groups {
        let Some(kernel) = mapped(&run.program, group, target) else {
            // What the target refuses is as its loops say, node by node. Where they do not run so, nothing is known of the rest.
            let Ok(known) = &run.known else {
                met.left.fetch_add(1, Ordering::Relaxed);
                return None;
            };
            for buffer in &group.writes {
                run.memory.0[buffer.index()] = known.0[buffer.index()].clone();
            }
            continue;
        };
        met.kernels.fetch_add(1, Ordering::Relaxed);
        each_statement(&kernel.body.block, &mut |statement| {
            if let Statement::Template(call) = statement {
                met.templates.lock().unwrap().insert(call.routine.name());
            }
        });
        let said = |e: String| Some(format!("{e}\n{}", text::text(&run.program.syms, &kernel)));
        if let Err(e) = verify_with(&run.program.syms, &kernel, target, Data::BoundByLoops) {
            return said(format!("refused: {e}"));
        }
        if let Err(e) = launch(&run.program, &kernel, &mut run.memory, number as u64 % 5) {
            return said(e.to_string());
        }
    }
    wrong_result(&run)
}

/// The outputs, and what is written back.
fn results_of(program: &Program) -> impl Iterator<Item = BufferId> + '_ {
    program.outputs.iter().copied().chain(program.writes.iter().map(|w| w.1))
}

/// The first result that is not as the interpreter of loops has it.
fn wrong_result(run: &Run) -> Option<String> {
    let program = &run.program;
    for (k, (buffer, expected)) in results_of(program).zip(&run.expected).enumerate() {
        let data = &program.buffers[buffer];
        let found = contiguous(program, buffer, &run.memory.0[buffer.index()]);
        // Few digits, but many operators.
        let tolerance = 8.0 * tolerance(data.dtype);
        if let Some(d) = difference(data.dtype, &found, expected, tolerance) {
            return Some(format!("result {k}: element {} is {} instead of {}", d.at, d.found, d.expected));
        }
    }
    None
}

/// A buffer's elements in the order of their indices.
fn contiguous(program: &Program, buffer: BufferId, bytes: &[u8]) -> Vec<u8> {
    let data = &program.buffers[buffer];
    // A buffer's dimensions may lie in another order than the result's.
    let own: Vec<usize> = (0..data.sizes.len()).collect();
    let order = program.orders.get(&buffer).unwrap_or(&own);
    let of = |list: &[litz::types::SymInt]| {
        let known = program.syms.as_consts(list).expect("sizes are known");
        let mut given = known.clone();
        order.iter().zip(known).for_each(|(dim, n)| given[*dim] = n);
        given
    };
    let (sizes, strides, size) = (of(&data.sizes), of(&data.strides), data.dtype.size());
    let mut offsets = vec![0i64];
    for (n, stride) in sizes.iter().zip(&strides) {
        offsets = offsets.iter().flat_map(|at| (0..*n).map(move |k| at + k * stride)).collect();
    }
    offsets.iter().flat_map(|at| bytes[*at as usize * size..][..size].to_vec()).collect()
}

/// What a run has met.
#[derive(Default)]
struct Met {
    kernels: AtomicUsize,
    /// Graphs with a node that the target refuses, and that nothing tells the results of.
    left: AtomicUsize,
    templates: Mutex<BTreeSet<&'static str>>,
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|n| n.parse().expect("a number"))
}

/// Looks at so many graphs, or at one, for these targets. Returns the templates that their kernels call.
fn look(
    usual: usize,
    [one, all]: [&str; 2],
    targets: &[(&str, Target)],
    case: &(dyn Fn(usize) -> Case + Sync),
) -> BTreeSet<&'static str> {
    let range = match number(one) {
        Some(only) => only..only + 1,
        None => 0..number(all).unwrap_or(usual),
    };
    let (next, met) = (AtomicUsize::new(range.start), Met::default());
    let problems: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= range.end {
                        return;
                    }
                    let case = case(k);
                    for (name, target) in targets {
                        if let Some(problem) = mistake(&case, k, target, &met) {
                            let problem = format!("graph {k} for {name}: {problem}\n{}", case.text);
                            problems.lock().unwrap().push(problem);
                        }
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    if let Ok(path) = std::env::var("LITZ_RANDOM_KERNELS_LOG") {
        std::fs::write(path, problems.join("\n====\n")).expect("the log is written");
    }
    let [kernels, left] = [&met.kernels, &met.left].map(|n| n.load(Ordering::Relaxed));
    println!("{kernels} kernels, {left} graphs left, {} mistakes", problems.len());
    assert!(problems.is_empty(), "{} mistakes, the first: {}", problems.len(), problems[0]);
    met.templates.into_inner().unwrap()
}

#[test]
fn kernels_of_random_graphs_compute_what_their_loops_say() {
    let names = ["LITZ_RANDOM_KERNEL", "LITZ_RANDOM_KERNELS"];
    look(USUAL, names, &targets(), &|k| case_among(k, &SIZES));
}

#[test]
fn windows_of_random_graphs_compute_what_their_loops_say() {
    let names = ["LITZ_RANDOM_WINDOW", "LITZ_RANDOM_WINDOWS"];
    look(WINDOWS, names, &targets(), &window_case);
}

#[test]
fn templates_of_random_graphs_compute_what_their_loops_say() {
    let names = ["LITZ_RANDOM_TEMPLATE", "LITZ_RANDOM_TEMPLATES"];
    look(USUAL, names, &targets(), &template_case);
}

/// All forms that a GPU has for attention.
#[test]
fn attention_of_random_graphs_computes_what_its_loops_say() {
    let names = ["LITZ_RANDOM_ATTENTION", "LITZ_RANDOM_ATTENTIONS"];
    let met = look(ATTENTIONS, names, &targets()[2..], &attention_case);
    all_are_met(names, &met, &["Warps", "Few", "Fma", "Mma", "Split", "Wgmma"]);
}

/// Those for its gradients, which Hopper alone has.
#[test]
fn gradients_of_random_graphs_compute_what_their_loops_say() {
    let names = ["LITZ_RANDOM_GRADIENT", "LITZ_RANDOM_GRADIENTS"];
    let met = look(ATTENTIONS / 2, names, &targets()[3..], &gradients_case);
    all_are_met(names, &met, &["GradQueries", "GradKeys"]);
}

/// Whether the usual graphs have all forms.
fn all_are_met(names: [&str; 2], met: &BTreeSet<&str>, forms: &[&str]) {
    let missing = forms.iter().filter(|form| !met.contains(format!("Attention{form}").as_str()));
    let missing: Vec<&&str> = missing.collect();
    let usual = names.iter().all(|name| number(name).is_none());
    assert!(!usual || missing.is_empty(), "no graph has the forms {missing:?}");
}

/// Rows that a GPU walks along once for their maximum and the sum of exponentials below it.
#[test]
fn softmax_sums_of_wide_rows_are_what_their_loops_say() {
    let case = |_| Case {
        text: "graph \"sums\" {
  input %0 \"x\": float32[6, 8192]
  %1 = aten.amax.default(%0, [1], true)
  %2 = aten.sub.Tensor(%0, %1)
  %3 = aten.exp.default(%2)
  %4 = aten.sum.dim_IntList(%3, [1])
  output \"most\" = %1
  output \"sum\" = %4
}"
        .into(),
        dtype: Dtype::Float32,
        inputs: vec![vec![6, 8192]],
        results: Vec::new(),
    };
    look(5, ["LITZ_RANDOM_SOFTMAX", "LITZ_RANDOM_SOFTMAXES"], &targets()[3..], &case);
}

/// Lines and points so many that a GPU's blocks share them.
#[test]
fn what_blocks_share_is_what_its_loops_say() {
    let graphs: [(&str, &[&[i64]]); 4] = [
        (
            "  input %0 \"x\": float32[2, 9000]
  %1 = aten.cumsum.default(%0, 1)
  %2, %3 = aten.cummax.default(%0, 1)
  output \"sums\" = %1
  output \"most\" = %2
  output \"places\" = %3",
            &[&[2, 9000]],
        ),
        (
            "  input %0 \"x\": float32[2, 9000]
  %1, %2 = aten.sort.stable(%0, stable=true, dim=1, descending=true)
  output \"sorted\" = %1
  output \"places\" = %2",
            &[&[2, 9000]],
        ),
        (
            "  input %0 \"x\": float32[2, 9000]
  %1, %2 = aten.topk.default(%0, 5)
  %3, %4 = aten.topk.default(%0, 8500)
  output \"few\" = %1
  output \"many\" = %3",
            &[&[2, 9000]],
        ),
        (
            "  input %0 \"x\": float32[7, 2]
  input %1 \"y\": float32[33000, 2]
  input %2 \"by\": float32[33000]
  %3 = aten.argsort.default(%2, 0)
  %4 = aten.remainder.Scalar(%3, 7)
  %5 = aten.index_add.default(%0, 0, %4, %1)
  output \"sums\" = %5",
            &[&[7, 2], &[33000, 2], &[33000]],
        ),
    ];
    let case = |number: usize| {
        let (nodes, inputs) = graphs[number % graphs.len()];
        Case {
            text: format!("graph \"shared\" {{\n{nodes}\n}}\n"),
            dtype: Dtype::Float32,
            inputs: inputs.iter().map(|shape| shape.to_vec()).collect(),
            results: Vec::new(),
        }
    };
    look(graphs.len(), ["LITZ_RANDOM_SHARED", "LITZ_RANDOM_SHARED_ALL"], &targets()[2..], &case);
}

/// Random graphs that mistakes are planted in, and one more, whose kernels have squares: on a GPU with a barrier, on a CPU in
/// registers.
const PLANTED: usize = 12;
const TRANSPOSED: &str = "graph \"transposed\" {
  input %0 \"x\": float32[96, 64]
  input %1 \"y\": float32[64, 96]
  %2 = aten.t.default(%0)
  %3 = aten.add.Tensor(%1, %2)
  output \"z\" = %3
}";

/// Mistakes of a mapping, planted.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    MissingBarrier,
    LeftOutStore,
    LeftOutTranspose,
    IndexOffByOne,
    WrongSplit,
}

/// The kernel with a mistake; none where there is nothing to make it with.
fn with(mistake: Mistake, kernel: &Kernel, program: &Program) -> Option<Kernel> {
    let mut wrong = kernel.clone();
    let syms = &program.syms;
    let body = &mut wrong.body;
    let done = match mistake {
        Mistake::MissingBarrier => first(&mut body.block, &mut |list, k| {
            let found = matches!(list[k], Statement::Barrier(_));
            found.then(|| drop(list.remove(k))).is_some()
        }),
        Mistake::LeftOutStore => first(&mut body.block, &mut |list, k| {
            let found = matches!(list[k], Statement::Store { .. } | Statement::Scatter { .. });
            found.then(|| drop(list.remove(k))).is_some()
        }),
        Mistake::LeftOutTranspose => first(&mut body.block, &mut |list, k| {
            let found = matches!(list[k], Statement::Transpose { .. });
            found.then(|| drop(list.remove(k))).is_some()
        }),
        Mistake::IndexOffByOne => {
            let values = &mut body.values;
            first(&mut body.block, &mut |list, k| match &mut list[k] {
                Statement::Store { access, .. } | Statement::Scatter { access, .. } => {
                    let one = values.push(Value::Integer(1));
                    access.at = values.push(Value::Index(IndexOp::Add, [access.at, one].into()));
                    true
                }
                _ => false,
            })
        }
        Mistake::WrongSplit => {
            let less = |n| syms.add_const(n, -1);
            if takes_turns(&wrong) {
                return None;
            }
            match &mut wrong.launch {
                Launch::Cpu { tasks, .. } => *tasks = less(*tasks),
                Launch::Gpu { blocks, .. } => *blocks = less(*blocks),
            }
            true
        }
    };
    done.then_some(wrong)
}

/// Whether the blocks of a kernel take what there is to do in turn, so that any number of them does it.
fn takes_turns(kernel: &Kernel) -> bool {
    let mut found = false;
    each_statement(&kernel.body.block, &mut |statement| {
        if let Statement::Template(call) = statement {
            found |= matches!(
                call.routine,
                Routine::GemmTma { .. }
                    | Routine::ConvolutionTma { .. }
                    | Routine::ScanParts { .. }
                    | Routine::SortLines { .. }
                    | Routine::SortTogether { .. }
                    | Routine::ScatterSorted { .. }
            );
        }
    });
    found
}

/// Calls `f` with the places of statements until it has done something.
fn first(list: &mut Block, f: &mut impl FnMut(&mut Block, usize) -> bool) -> bool {
    for k in 0..list.len() {
        if f(list, k) {
            return true;
        }
        let found = match &mut list[k] {
            Statement::Loop(l) => first(&mut l.body, f),
            Statement::If { then, otherwise, .. } => first(then, f) || first(otherwise, f),
            Statement::Block(block) => first(block, f),
            Statement::Region(region) => first(&mut region.body, f),
            Statement::ReduceStrips(strips) => first(&mut strips.body, f),
            Statement::LastBlocks(last) => last.regions.iter_mut().any(|region| first(region, f)),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// Whether the verifier, the interpreter or the results tell a wrong kernel from the right one.
fn is_found(run: &Run, right: &Kernel, wrong: &Kernel, target: &Target) -> bool {
    let program = &run.program;
    let results = |kernel: &Kernel, order: u64| {
        let mut memory = Bytes(run.memory.0.clone());
        launch(program, kernel, &mut memory, order).map(|()| memory.0)
    };
    verify_with(&program.syms, wrong, target, Data::BoundByLoops).is_err()
        || (0..5).any(|order| match (results(right, order), results(wrong, order)) {
            (Ok(right), Ok(wrong)) => right != wrong,
            _ => true,
        })
}

#[test]
fn planted_mistakes_are_found() {
    use Mistake::*;
    let mut missed = Vec::new();
    for mistake in [MissingBarrier, LeftOutStore, LeftOutTranspose, IndexOffByOne, WrongSplit] {
        let mut planted = 0;
        for number in 0..=PLANTED {
            let mut case = case_among(number, &SIZES);
            if number == PLANTED {
                (case.text, case.dtype) = (TRANSPOSED.to_string(), Dtype::Float32);
                case.inputs = vec![vec![96, 64], vec![64, 96]];
            }
            for (name, target) in targets() {
                let mut run = prepared(&case, number, &target).unwrap_or_else(|e| panic!("{e}"));
                let groups: Vec<Group> =
                    run.scheduled.init.iter().chain(&run.scheduled.main).cloned().collect();
                for group in &groups {
                    let kernel = mapped(&run.program, group, &target);
                    let empty = |b: &BufferId| length(&run.program, *b) == 0;
                    let wrong = kernel.as_ref().filter(|_| !group.writes.iter().any(empty));
                    if let (Some(kernel), Some(wrong)) =
                        (&kernel, wrong.and_then(|k| with(mistake, k, &run.program)))
                    {
                        planted += 1;
                        if !is_found(&run, kernel, &wrong, &target) {
                            let text = text::text(&run.program.syms, &wrong);
                            missed.push(format!("{mistake:?} in graph {number} for {name}:\n{text}"));
                        }
                    }
                    let known = run.known.as_ref().unwrap_or_else(|e| panic!("{e}"));
                    for buffer in &group.writes {
                        run.memory.0[buffer.index()] = known.0[buffer.index()].clone();
                    }
                }
            }
        }
        println!("{mistake:?}: {planted} planted");
        assert!(planted > 0, "{mistake:?} is planted nowhere");
    }
    assert!(missed.is_empty(), "{} missed, the first: {}", missed.len(), missed[0]);
}

/// Where a call says how many elements it is about, or how far those of its operands lie apart; batches aside, where there is one
/// alone.
fn strides(call: &mut TemplateCall, batched: bool) -> Vec<&mut ValueId> {
    let numbers = match call.routine {
        Routine::Convolution { .. } => 16..19,
        Routine::Attention { .. } | Routine::AttentionRows { .. } => 7..16,
        Routine::AttentionBackward { .. } => 7..37,
        Routine::Recurrence { .. } => 4..10,
        Routine::RecurrenceCluster { .. } => 0..4,
        Routine::ScatterNear { .. } => 0..3,
        Routine::ScanBeside { .. } | Routine::ScanLine { .. } | Routine::SortLines { .. } => 0..2,
        _ => 0..0,
    };
    let operands = call.operands.iter_mut().filter_map(|operand| match operand {
        Operand::Memory(memory) => Some(memory.strides.iter_mut().skip(usize::from(!batched))),
        _ => None,
    });
    operands.flatten().chain(&mut call.numbers[numbers]).collect()
}

/// The kernel with a mistake in its tensor maps, and with other blocks, where its blocks do not take whatever tiles there are.
fn elsewhere(kernel: &Kernel, program: &Program) -> Vec<Kernel> {
    let syms = &program.syms;
    let mut wrongs = Vec::new();
    for k in 0..kernel.maps.len() {
        let mut wrong = kernel.clone();
        if let [_, stride, ..] = &mut wrong.maps[k].strides[..] {
            *stride = syms.add_const(*stride, 8);
        }
        wrongs.push(wrong);
    }
    if let (Launch::Gpu { blocks, cluster, .. }, false) = (&kernel.launch, takes_turns(kernel)) {
        for other in [*cluster, -*cluster] {
            let mut wrong = kernel.clone();
            if let Launch::Gpu { blocks: count, .. } = &mut wrong.launch {
                *count = syms.add_const(*blocks, other);
            }
            wrongs.push(wrong);
        }
    }
    wrongs
}

/// The first call of a template.
fn call_in(block: &mut Block) -> Option<&mut TemplateCall> {
    block.iter_mut().find_map(|statement| match statement {
        Statement::Template(call) => Some(&mut **call),
        Statement::Block(block) => call_in(block),
        Statement::Loop(l) => call_in(&mut l.body),
        _ => None,
    })
}

#[test]
fn mistakes_planted_in_templates_are_found() {
    let (mut missed, mut planted) = (Vec::new(), [0; 3]);
    let cases = IN_TEMPLATES.into_iter().enumerate();
    for ((number, (dtype, nodes, inputs)), (name, target)) in cases
        .flat_map(|case| targets().into_iter().map(move |target| (case, target)))
        // Rows here are shorter than its vectors: their loops have no turn.
        .filter(|(_, (name, _))| *name != "avx512")
    {
        let case = Case {
            text: format!("graph \"template\" {{\n{nodes}\n}}\n"),
            dtype,
            inputs: inputs.iter().map(|shape| shape.to_vec()).collect(),
            results: Vec::new(),
        };
        let batched = matches!(number, 0 | 5 | 7 | 8 | 9);
        let mut run = prepared(&case, number, &target).unwrap_or_else(|e| panic!("{e}"));
        let groups: Vec<Group> = run.scheduled.init.iter().chain(&run.scheduled.main).cloned().collect();
        for group in &groups {
            let Some(kernel) = mapped(&run.program, group, &target) else { continue };
            let mut wrongs = Vec::new();
            if call_in(&mut kernel.body.block.clone()).is_some() {
                let regions = [Mistake::LeftOutStore, Mistake::IndexOffByOne];
                let regions = regions.map(|m| (0, with(m, &kernel, &run.program)));
                wrongs.extend(regions.into_iter().filter_map(|(kind, kernel)| Some((kind, kernel?))));
                for k in 0.. {
                    let mut wrong = kernel.clone();
                    let one = wrong.body.values.push(Value::Integer(1));
                    let Some(call) = call_in(&mut wrong.body.block) else { break };
                    let Some(stride) = strides(call, batched).into_iter().nth(k) else { break };
                    *stride = wrong.body.values.push(Value::Index(IndexOp::Add, [*stride, one].into()));
                    wrongs.push((1, wrong));
                }
                wrongs.extend(elsewhere(&kernel, &run.program).into_iter().map(|wrong| (2, wrong)));
            }
            for (k, (kind, wrong)) in wrongs.iter().enumerate() {
                planted[*kind] += 1;
                if !is_found(&run, &kernel, wrong, &target) {
                    let text = text::text(&run.program.syms, wrong);
                    missed.push(format!("mistake {k} in graph {number} for {name}:\n{text}"));
                }
            }
            launch(&run.program, &kernel, &mut run.memory, 0).unwrap_or_else(|e| panic!("{e}"));
        }
    }
    println!("{planted:?} planted in regions, in strides, and in maps and launches");
    assert!(planted[0] >= 12 && planted[1] >= 40 && planted[2] >= 10, "{planted:?}");
    assert!(missed.is_empty(), "{} missed, the first: {}", missed.len(), missed[0]);
}
