//! The generated source of every kernel of many programs, for several targets: what shows that a change of the code
//! generator changes nothing.
//!
//! The programs are the models of `tests/data`, the operator cases of `tests/data/ops` and random graphs. The test writes a
//! file for each kind of program and target to the folder `LITZ_TEXTS`. No compiler runs and no GPU is needed. A record from
//! before a change is compared with one from after it:
//!
//! ```text
//! LITZ_TEXTS=/tmp/before cargo test --test generated_text -- --ignored --nocapture
//! … change the code generator …
//! LITZ_TEXTS=/tmp/after cargo test --test generated_text -- --ignored --nocapture
//! scripts/compare-text /tmp/before /tmp/after
//! ```
//!
//! `scripts/compare-text` compares up to names; `diff -r` compares the bytes. `LITZ_TEXTS_ONLY=models.avx2` writes that
//! file alone.

mod common;

use common::programs::case;
use flate2::read::GzDecoder;
use litz::codegen;
use litz::decompose::decompose;
use litz::frontend::{export_json, pt2};
use litz::functionalize::functionalize;
use litz::ir::Graph;
use litz::loop_passes;
use litz::loops::{self, lower::lower};
use litz::mapping;
use litz::meta::text::parse;
use litz::passes;
use litz::schedule::{self, GroupKind, Settings};
use litz::target::{CpuTarget, CudaTarget, Isa, Target};
use safetensors::SafeTensors;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// As many random graphs have met every operator that they are made of in most dtypes.
const RANDOM_GRAPHS: usize = 240;
/// Scratch of a thread, small enough that some blocks of products are made smaller for it.
const SCRATCH: i64 = 256 << 10;

fn targets() -> [(&'static str, Target); 4] {
    [
        ("avx2", Target::Cpu(CpuTarget::generic(Isa::Avx2))),
        ("avx512", Target::Cpu(CpuTarget::generic(Isa::Avx512))),
        ("sm_80", Target::Cuda(CudaTarget::generic(80))),
        ("sm_90", Target::Cuda(CudaTarget::generic(90))),
    ]
}

fn listed(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

fn models() -> Vec<(String, Graph)> {
    let paths = listed(".", ".pt2").into_iter().chain(listed("shapes", ".pt2"));
    paths.filter_map(|path| Some((path.file_stem()?.to_str()?.to_string(), pt2::read(&path).ok()?))).collect()
}

fn operators() -> Vec<(String, Graph)> {
    let mut graphs = Vec::new();
    for path in listed("ops", ".gz") {
        let mut bytes = Vec::new();
        GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut bytes).unwrap();
        let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
        let cases = &metadata.metadata().as_ref().unwrap()["cases"];
        let cases: serde_json::Value = serde_json::from_str(cases).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        for (k, case) in cases.as_array().into_iter().flatten().enumerate() {
            if let Ok(graph) = export_json::read(case["graph"].to_string().as_bytes()) {
                graphs.push((format!("{name} {k}"), graph));
            }
        }
    }
    graphs
}

fn random_graphs() -> Vec<(String, Graph)> {
    let graph = |k: usize| Some((k.to_string(), parse(&case(k).text).ok()?));
    (0..RANDOM_GRAPHS).filter_map(graph).collect()
}

/// What this thread has had of a processor: other work on the machine does not count.
fn processor_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call only writes to the struct, which lives until it returns.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The source of every kernel of a graph; what is refused is left out.
fn source(graph: &Graph, target: &Target, text: &mut String, spent: &mut Duration) -> Option<()> {
    let functional = functionalize(graph).ok()?;
    let mut graph = decompose(&functional).ok()?;
    passes::run(&mut graph).ok()?;
    let mut program = lower(&graph).ok()?;
    loops::bound(&mut program, &graph).ok()?;
    loop_passes::run(&mut program, target, false).ok()?;
    let scheduled = schedule::schedule(&mut program, target, Settings { fuse: true, explain: false });
    let start = processor_time();
    for group in scheduled.init.iter().chain(&scheduled.main) {
        if let GroupKind::Template { routine: Some(_), .. } = group.kind {
            continue;
        }
        match mapping::kernel(&program, group, target, SCRATCH) {
            Ok(mapped) => {
                let kernel = codegen::kernel(&program, mapped);
                let [tasks, grain, scratch] =
                    [kernel.tasks, kernel.grain, kernel.scratch].map(|n| program.syms.display(n));
                let symbols: Vec<String> =
                    kernel.symbols.iter().map(|s| program.syms.symbol_name(*s)).collect();
                write!(
                    text,
                    "// {} tasks {tasks} grain {grain} scratch {scratch} lanes {} symbols {symbols:?} {:?} {:?} {:?}{}",
                    kernel.kind, kernel.lanes, kernel.functions, kernel.headers, kernel.buffers, kernel.body
                )
                .unwrap();
            }
            Err(e) => writeln!(text, "// refused: {e}").unwrap(),
        }
    }
    if matches!(target, Target::Cpu(_)) {
        for launch in scheduled.launches.iter().filter(|launch| launch.len() > 1) {
            let groups = &scheduled.main[launch.clone()];
            let kernels: Option<Vec<(String, codegen::Kernel)>> = groups
                .iter()
                .enumerate()
                .map(|(k, group)| {
                    let mapped = mapping::kernel(&program, group, target, SCRATCH).ok()?;
                    Some((format!("part{k}"), codegen::kernel(&program, mapped)))
                })
                .collect();
            let Some(kernels) = kernels else { continue };
            let parts: Vec<(String, &codegen::Kernel)> =
                kernels.iter().map(|(n, k)| (n.clone(), k)).collect();
            text.push_str(&codegen::combined(&program, &parts).body);
        }
    }
    *spent += processor_time() - start;
    Some(())
}

#[test]
#[ignore = "a record for comparing; see this file's head"]
fn record() {
    let folder = PathBuf::from(std::env::var("LITZ_TEXTS").expect("LITZ_TEXTS names a folder"));
    let only = std::env::var("LITZ_TEXTS_ONLY").unwrap_or_default();
    std::fs::create_dir_all(&folder).unwrap();
    type Graphs = fn() -> Vec<(String, Graph)>;
    let kinds: [(&str, Graphs); 3] =
        [("models", models), ("operators", operators), ("random", random_graphs)];
    for (kind, graphs) in kinds {
        if !targets().iter().any(|(name, _)| format!("{kind}.{name}").starts_with(&only)) {
            continue;
        }
        let graphs = graphs();
        for (name, target) in targets() {
            let file = format!("{kind}.{name}");
            if !file.starts_with(&only) {
                continue;
            }
            let (mut text, mut spent) = (String::new(), Duration::ZERO);
            for (name, graph) in &graphs {
                writeln!(text, "\n// ==== {name}").unwrap();
                if source(graph, &target, &mut text, &mut spent).is_none() {
                    text.push_str("// refused\n");
                }
            }
            assert!(text.contains("LITZ_KERNEL"), "{file} has no kernel");
            println!("{file}: {} bytes, {:.3} s of code generation", text.len(), spent.as_secs_f64());
            std::fs::write(folder.join(file), text).unwrap();
        }
    }
}

/// The heights of the tiles of a product of so many rows.
fn heights(rows: &str, isa: Isa) -> u32 {
    let text = format!(
        "graph \"g\" {{\n  symbol s in [1, 100]\n  input %0 \"x\": float32[{rows}, 64]\n  input %1 \"like\": float32[s]\n  constant %2 \"w\": float32[96, 64] = seeded 1 mean 0.0 spread 1.0\n  %3 = aten.linear.default(%0, %2)\n  output \"y\" = %3\n}}\n"
    );
    let target = Target::Cpu(CpuTarget::generic(isa));
    let mut graph = decompose(&functionalize(&parse(&text).expect("a graph")).unwrap()).unwrap();
    passes::run(&mut graph).unwrap();
    let mut program = lower(&graph).unwrap();
    loops::bound(&mut program, &graph).unwrap();
    loop_passes::run(&mut program, &target, false).unwrap();
    let scheduled = schedule::schedule(&mut program, &target, Settings { fuse: true, explain: false });
    let kernels =
        scheduled.main.iter().map(|group| mapping::kernel(&program, group, &target, SCRATCH).unwrap());
    kernels.map(|mapped| codegen::kernel(&program, mapped).tile_heights).fold(0, |all, bits| all | bits)
}

#[test]
fn a_product_compiles_the_heights_of_tiles_that_it_has() {
    assert_eq!(heights("7", Isa::Avx512), 1 << 7);
    // Two blocks of 15 rows.
    assert_eq!(heights("30", Isa::Avx512), 1 << 7 | 1 << 8);
    assert_eq!(heights("7", Isa::Avx2), 1 << 3 | 1 << 4);
    assert_eq!(heights("s", Isa::Avx512), (1 << 15) - 2);
    assert_eq!(heights("s", Isa::Avx2), (1 << 7) - 2);
}
