//! `debug.compare=interpreter`: each kernel's results beside what the interpreter makes of the same memory.
//!
//! The program's loops are kept as they were before anything was fused. After each step of a run, what its kernel wrote is
//! computed again from what the kernels before it wrote, so that the first difference is the fault of that kernel alone.
//! Buffers that scheduling added (packed operands, parts of sums) have no counterpart; what is made of them has. Those that it
//! put in the place of others, with their dimensions in another order or rounded, are compared as the ones that they stand for.
//!
//! Invariant: a run sees its own values only, however many go on at the same time.
//!
//! Deliberately absent: what is derived from constants later, when they are updated.

use super::link::{Call, Linked};
use super::seen::Places;
use super::{Options, SessionError};
use crate::base::{HashMap, Status};
use crate::interp::difference::{self, difference};
use crate::interp::{InterpError, Known, Oracle};
use crate::ir::Graph;
use crate::loops::{BufferId, BufferKind, Operators, Original, Part, Program};
use crate::plan::{Plan, Step};
use crate::runtime::{Moment, Observer, RuntimeError, View};
use crate::schedule::{Group, Schedule};
use crate::types::{Dtype, SymbolId, floats};
use std::sync::{Arc, Mutex, MutexGuard};

/// What a program is compared by.
pub struct Comparison {
    oracle: Oracle,
    places: Places,
    /// What each run must see before it writes: inputs, and constants that runs change.
    begin: Vec<BufferId>,
    main: Vec<Watched>,
    /// By step of `main`: what only an earlier turn of a loop around it can have computed so far.
    stale: Vec<Vec<BufferId>>,
    init: Vec<Watched>,
    /// Rounding of float32 that the options allow.
    single: f64,
    runs: Mutex<HashMap<u64, Known>>,
    found: Mutex<Option<String>>,
}

/// What a step of the plan writes.
#[derive(Default)]
struct Watched {
    /// The kernel in a message's words; empty for copies.
    kernel: String,
    buffers: Vec<Seen>,
}

struct Seen {
    /// As it was before scheduling.
    buffer: BufferId,
    /// The buffer that holds it, and how.
    place: BufferId,
    parts: Vec<Part>,
    /// It is whole after this step.
    whole: bool,
}

/// The option where it cannot act.
pub fn refused(why: &str) -> SessionError {
    SessionError::invalid(format!("option `debug.compare` is interpreter, but {why}"))
}

impl Comparison {
    /// `original`: the program before it was scheduled.
    pub fn new(
        graph: &Graph,
        original: Program,
        fused: &Program,
        schedule: &Schedule,
        (init, main): (&[Call], &[Call]),
        linked: &Linked,
        options: &Options,
    ) -> Result<Arc<Comparison>, SessionError> {
        let internal =
            |e: InterpError| SessionError::Option { status: Status::Internal, message: e.to_string() };
        let first_new = original.buffers.len();
        let plan = &linked.plan;
        let old = |place: BufferId, whole: bool| {
            let Original { buffer, parts } = fused.original(place)?;
            let is_old = buffer.index() < first_new && fused.buffers[place].kind == BufferKind::Temporary;
            is_old.then_some(Seen { buffer, place, parts, whole })
        };
        let writes = |groups: &[Group]| groups.iter().flat_map(|g| g.writes.clone()).collect::<Vec<_>>();
        let written: Vec<Vec<BufferId>> =
            schedule.launches.iter().map(|l| writes(&schedule.main[l.clone()])).collect();
        let last = |k: usize, b: BufferId| !written[k + 1..].iter().any(|list| list.contains(&b));
        let named = |call: &Call, groups: &[Group]| {
            let operators = Operators::of(groups.iter().map(|g| &g.operators));
            let place = fused.origins.place(&operators.origins);
            format!("`{}` of {}{place}", call.symbol, operators.names.join(", "))
        };
        let launches = schedule.launches.iter().enumerate().map(|(k, launch)| Watched {
            kernel: named(&main[k], &schedule.main[launch.clone()]),
            buffers: written[k].iter().filter_map(|b| old(*b, last(k, *b))).collect(),
        });
        let of_place: HashMap<u32, BufferId> =
            linked.buffers.iter().map(|(b, place)| (place.0, *b)).collect();
        let copied = |step: &Step| match step {
            Step::Copy { destination, .. } => {
                let buffer = of_place.get(&destination.0).and_then(|b| old(*b, false));
                let buffers = buffer.into_iter().collect();
                Watched { kernel: String::new(), buffers }
            }
            _ => Watched::default(),
        };
        let begin = |plan: &Plan| {
            let inputs = original.inputs.iter().copied();
            let changed = original.constants.iter().enumerate().filter(|(k, _)| plan.storages[*k].mutated);
            inputs.chain(changed.map(|(_, b)| *b)).filter(|b| linked.buffers.contains_key(b)).collect()
        };
        let main = by_step(&plan.main, launches, &copied);
        Ok(Arc::new(Comparison {
            begin: begin(plan),
            stale: later_in_loops(&plan.main, &main),
            main,
            init: schedule
                .init
                .iter()
                .zip(init)
                .map(|(group, call)| {
                    let groups = std::slice::from_ref(group);
                    let buffers = writes(groups).into_iter().filter_map(|b| old(b, true)).collect();
                    Watched { kernel: named(call, groups), buffers }
                })
                .collect(),
            places: Places::new(graph, fused, linked),
            oracle: Oracle::new(Arc::new(original)).map_err(internal)?,
            // TF32 has ten bits.
            single: if options.tf32 { 1e-2 } else { difference::tolerance(Dtype::Float32) },
            runs: Mutex::default(),
            found: Mutex::default(),
        }))
    }

    /// The first difference that a run found since the last call.
    pub fn take_difference(&self) -> Option<String> {
        locked(&self.found).take()
    }

    fn step(&self, view: &View<'_>, watched: &Watched, known: &mut Known) -> Result<(), RuntimeError> {
        let symbols = |id: SymbolId| self.places.symbol(view, id);
        let mut seen = Vec::with_capacity(watched.buffers.len());
        for place in &watched.buffers {
            let Some(found) = self.found(view, place)? else { continue };
            let Seen { buffer, whole, .. } = place;
            if *whole {
                let mut given = |b: BufferId| self.read(view, b).map_err(Trouble::from);
                let expected = self.oracle.value(*buffer, known, &mut given, &symbols);
                let expected = expected.map_err(|e| self.told(e, &watched.kernel))?;
                if let Some(expected) = expected {
                    self.compare(view, place, &found, &expected, watched)?;
                }
            }
            seen.push((*buffer, found));
        }
        known.extend(seen);
        Ok(())
    }

    fn compare(
        &self,
        view: &View<'_>,
        place: &Seen,
        found: &[u8],
        expected: &[u8],
        watched: &Watched,
    ) -> Result<(), RuntimeError> {
        let data = &self.oracle.program().buffers[place.buffer];
        let tolerance = match self.places.buffer(place.place).dtype {
            Dtype::Float32 => self.single,
            dtype => difference::tolerance(dtype),
        };
        let Some(worst) = difference(data.dtype, found, expected, tolerance) else { return Ok(()) };
        let shape = self.places.sizes(view, &data.sizes).unwrap_or_default();
        let message = format!(
            "debug.compare: kernel {} gives another result than the interpreter: element {:?} of a {} of shape \
             {shape:?} is {}, and should be {}; {} of {} elements differ",
            watched.kernel,
            difference::index_of(worst.at, &shape),
            data.dtype,
            worst.found,
            worst.expected,
            worst.count,
            worst.elements
        );
        Err(self.differs(message))
    }

    fn differs(&self, message: String) -> RuntimeError {
        *locked(&self.found) = Some(message.clone());
        RuntimeError::new(Status::Assertion, message)
    }

    /// The interpreter ends where the kernel did not.
    fn told(&self, error: Trouble, kernel: &str) -> RuntimeError {
        let program = self.oracle.program();
        match error {
            Trouble::Run(error) => error,
            Trouble::Interpreter(InterpError::Assertion(k)) => self.differs(format!(
                "debug.compare: kernel {kernel} gives a result where the interpreter finds: {}",
                program.assertions.get(k as usize).map_or("an assertion that does not hold", String::as_str)
            )),
            Trouble::Interpreter(error) => RuntimeError::new(Status::Internal, error.to_string()),
        }
    }

    /// What a run has of a buffer, as it was before scheduling.
    fn found(&self, view: &View<'_>, seen: &Seen) -> Result<Option<Arc<Vec<u8>>>, RuntimeError> {
        let Some(bytes) = self.places.read_as(view, seen.place, &seen.parts)? else { return Ok(None) };
        let (own, given) =
            (self.places.buffer(seen.place).dtype, self.oracle.program().buffers[seen.buffer].dtype);
        let bytes = if own == given { Some(bytes) } else { floats::converted(own, given, &bytes) };
        Ok(bytes.map(Arc::new))
    }

    fn read(&self, view: &View<'_>, buffer: BufferId) -> Result<Option<Arc<Vec<u8>>>, RuntimeError> {
        Ok(self.places.read(view, buffer)?.map(Arc::new))
    }
}

/// What each step of a run writes; `launches` are those of the kernels, in order.
fn by_step(
    steps: &[Step],
    mut launches: impl Iterator<Item = Watched>,
    copied: &dyn Fn(&Step) -> Watched,
) -> Vec<Watched> {
    let one = |step: &Step| match step {
        Step::Kernel { .. } | Step::Extern { .. } => launches.next().unwrap_or_default(),
        step => copied(step),
    };
    steps.iter().map(one).collect()
}

/// For each step what the kernels write that come after it in a loop around it.
fn later_in_loops(steps: &[Step], watched: &[Watched]) -> Vec<Vec<BufferId>> {
    let mut later = vec![Vec::new(); steps.len()];
    for (begin, step) in steps.iter().enumerate() {
        let Step::While { condition, body, .. } = step else { continue };
        let end = (begin + 1 + *condition as usize + *body as usize).min(steps.len());
        for (k, later) in later.iter_mut().enumerate().take(end).skip(begin + 1) {
            // Copies hold from one turn to the next.
            let kernels = (k + 1..end).filter(|j| !matches!(steps[*j], Step::Copy { .. }));
            later.extend(kernels.flat_map(|j| watched[j].buffers.iter().map(|seen| seen.buffer)));
        }
    }
    later
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

impl Observer for Comparison {
    fn see(&self, view: &View<'_>, moment: Moment) -> Result<(), RuntimeError> {
        match moment {
            Moment::Begin => {
                let mut known = Known::default();
                for buffer in &self.begin {
                    known.extend(self.read(view, *buffer)?.map(|value| (*buffer, value)));
                }
                locked(&self.runs).insert(view.run(), known);
            }
            Moment::End => _ = locked(&self.runs).remove(&view.run()),
            Moment::Init(k) => {
                if let Some(watched) = self.init.get(k) {
                    self.step(view, watched, &mut Known::default())?;
                }
            }
            Moment::Step(k) => {
                let Some(watched) = self.main.get(k) else { return Ok(()) };
                let mut known = locked(&self.runs).remove(&view.run()).unwrap_or_default();
                self.stale[k].iter().for_each(|buffer| _ = known.remove(buffer));
                let outcome = self.step(view, watched, &mut known);
                locked(&self.runs).insert(view.run(), known);
                outcome?;
            }
        }
        Ok(())
    }
}

/// What ends the look at a step.
enum Trouble {
    Run(RuntimeError),
    Interpreter(InterpError),
}

impl From<InterpError> for Trouble {
    fn from(error: InterpError) -> Trouble {
        Trouble::Interpreter(error)
    }
}

impl From<RuntimeError> for Trouble {
    fn from(error: RuntimeError) -> Trouble {
        Trouble::Run(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::lower::lower;
    use crate::schedule::{Settings, schedule};
    use crate::target::{CudaTarget, Target};

    /// What a GPU's kernels write in another order of dimensions, and rounded, is what the program had.
    #[test]
    fn what_a_gpu_lays_out_otherwise_has_its_original() {
        let graph = crate::meta::text::parse(
            r#"graph "image" {
              input %0 "x": bfloat16[2, 16, 20, 20]
              input %1 "w": bfloat16[32, 16, 3, 3]
              input %2 "v": bfloat16[32, 32, 3, 3]
              %3 = aten.conv2d.default(%0, %1, None, [1, 1], [1, 1], [1, 1], 1)
              %4 = aten.relu.default(%3)
              %5 = aten.conv2d.default(%4, %2, None, [1, 1], [1, 1], [1, 1], 1)
              output "y" = %5
            }"#,
        )
        .unwrap();
        let mut program = lower(&graph).unwrap();
        let original = program.clone();
        let target = Target::Cuda(CudaTarget::generic(90));
        crate::loop_passes::run(&mut program, &target, false).unwrap();
        let schedule = schedule(&mut program, &target, Settings { fuse: true, explain: false });
        let written: Vec<BufferId> = schedule.main.iter().flat_map(|g| g.writes.clone()).collect();
        let stand: Vec<(BufferId, Original)> = written
            .iter()
            .map(|place| (*place, program.original(*place).expect("its original")))
            .filter(|(place, original)| original.buffer != *place)
            .collect();
        let dims = |o: &Original| o.parts.iter().map(|p| p.dim).collect::<Vec<_>>();
        assert!(stand.iter().any(|(_, o)| dims(o) == [0, 2, 3, 1]), "{stand:?}");
        for (place, found) in &stand {
            let (own, given) = (&program.buffers[*place], &original.buffers[found.buffer]);
            let turned: Vec<_> = dims(found).iter().map(|d| given.sizes[*d]).collect();
            assert_eq!(own.sizes, turned);
            assert!(
                own.dtype == given.dtype || own.dtype.is_reduced_float(),
                "{} {}",
                own.dtype,
                given.dtype
            );
        }
    }

    /// A GPU's pass reorders the rows of products, and of pointwise results of these. Their originals say where each row is.
    #[test]
    fn rows_that_a_gpu_moves_are_found() {
        let graph = crate::meta::text::parse(
            r#"graph "rows" {
              input %0 "x": float32[4, 3, 8]
              input %1 "w": float32[8, 5]
              input %2 "v": float32[5, 7]
              %3 = aten.transpose.int(%0, 0, 1)
              %4 = aten.reshape.default(%3, [12, 8])
              %5 = aten.mm.default(%4, %1)
              %6 = aten.relu.default(%5)
              %7 = aten.mm.default(%6, %2)
              output "y" = %7
            }"#,
        )
        .unwrap();
        let mut program = lower(&graph).unwrap();
        let original = program.clone();
        crate::loop_passes::run(&mut program, &Target::Cuda(CudaTarget::generic(90)), false).unwrap();
        let value = |program: &Program, buffer: BufferId| {
            let oracle = Oracle::new(Arc::new(program.clone())).unwrap();
            let mut given = |b: BufferId| {
                let data = &program.buffers[b];
                let count = data.sizes.iter().map(|n| program.syms.as_const(*n).unwrap()).product::<i64>();
                let bytes = (0..count).flat_map(|k| (k as f32).to_le_bytes()).collect();
                Ok::<_, InterpError>(Some(Arc::new(bytes)))
            };
            let found = oracle.value(buffer, &Known::default(), &mut given, &|_| None).unwrap().unwrap();
            found.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect::<Vec<_>>()
        };
        let known = |n: crate::types::SymInt| program.syms.as_const(n).unwrap() as usize;
        let mut moved = 0;
        for place in program.stands_for.keys() {
            let found = program.original(*place).expect("its original");
            let (own, want) = (value(&program, *place), value(&original, found.buffer));
            let mut parts = found.parts.clone();
            parts.sort_by_key(|p| p.dim);
            let [slow, fast, columns] = parts[..] else { panic!("{found:?}") };
            let at = |i: usize, j: usize, k: usize| {
                i * known(slow.stride) + j * known(fast.stride) + k * known(columns.stride)
            };
            let mut read = Vec::new();
            for i in 0..known(slow.size) {
                for j in 0..known(fast.size) {
                    read.extend((0..known(columns.size)).map(|k| own[at(i, j, k)]));
                }
            }
            assert_eq!(read, want);
            assert_ne!(own, want);
            moved += 1;
        }
        assert!(moved > 0, "{:?}", program.stands_for);
    }
}
