//! Every operator with every dtype that it takes, as generated code for each compiler: what is generated must be C++ without
//! warnings. The compilers look at the code and make nothing of it, which takes a small part of the time.

use crate::calls::{self, Call};
use crate::check::{self, Answer, Defect};
use crate::common::random::Random;
use crate::fuzzer::Cases;
use crate::watch::{Finding, Log};
use litz::device::cpu;
use litz::device::toolchain::{CompileOptions, Toolchain};
use litz::ops::{ArgBase, OpId};
use litz::types::Dtype;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const COMPILERS: [&str; 2] = ["g++", "clang++"];

/// How many calls are one source.
const TOGETHER: usize = 80;

/// How many calls are drawn for an operator and a dtype until one is taken.
const DRAWN: usize = 12;

/// A prime that does not divide the number of cases.
const APART: u64 = 7919;

#[derive(Default)]
pub struct Compilers {
    seed: u64,
    alone: bool,
    ops: Vec<OpId>,
    dtypes: Vec<Dtype>,
    waiting: Vec<(u64, Call)>,
}

/// Fails where a compiler is missing.
pub fn are_there() {
    for compiler in COMPILERS {
        let answers = Command::new(compiler).arg("--version").output().is_ok_and(|o| o.status.success());
        assert!(answers, "there is no {compiler} on the PATH; scripts/setup installs it");
    }
}

impl Compilers {
    /// The operator and the dtype of a case: neighbours are far apart, so that a short time goes over all of the table.
    fn at(&self, number: u64) -> (OpId, Dtype) {
        let place = (number * APART % (self.ops.len() * self.dtypes.len()) as u64) as usize;
        (self.ops[place / self.dtypes.len()], self.dtypes[place % self.dtypes.len()])
    }
    fn call(&self, number: u64) -> Option<Call> {
        let (op, dtype) = self.at(number);
        let mut random = Random(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let taken = |random: &mut Random| {
            let mut call = calls::call_of(op, random, Some(dtype)).known();
            calls::name_results(&mut call);
            let graph = check::read(&call.text()).ok()?;
            let small = check::elements(&graph).is_some_and(|n| n < 1 << 20);
            (small && check::compile(&graph, "interpreter", &[]).is_ok()).then_some(call)
        };
        (0..DRAWN).find_map(|_| taken(&mut random))
    }

    /// What a compiler says of the code for these calls.
    fn said(&self, calls: &[Call], compiler: &str) -> Option<Defect> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let graph = check::read(&calls::text(calls)).ok()?;
        let stub = stub(folder.path());
        let dump = folder.path().join("dump");
        std::fs::create_dir(&dump).expect("a folder");
        let path = |p: &Path| p.to_str().expect("UTF-8").to_string();
        let set =
            [("cpp.compiler", path(&stub)), ("debug.dump", path(&dump)), ("debug.verify", "false".into())];
        let set = set.each_ref().map(|(k, v)| (*k, v.as_str()));
        if let Err(Answer::Defect(defect)) = check::compile(&graph, "cpu", &set)
            && defect.kind != "does not compile"
        {
            return Some(defect);
        }
        let flags = Toolchain::flags(&CompileOptions::new(cpu::native_isa()), 0);
        // Each compilation has a folder of its own there.
        let inside = |folder: &Path| std::fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path());
        let sources = inside(&dump).flat_map(|compilation| inside(&compilation));
        sources.filter(|p| p.extension().is_some_and(|e| e == "cpp")).find_map(|source| {
            let mut command = Command::new(compiler);
            let output =
                command.args(&flags).arg("-fsyntax-only").arg(&source).output().expect("it was found");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let errors: Vec<&str> = text.lines().filter(|l| l.contains("error")).take(2).collect();
            let saw = format!("{compiler}: {}", errors.join("; "));
            (!output.status.success()).then_some(Defect { kind: "does not compile", saw })
        })
    }
}

/// What passes for a compiler, but fails at kernels: their source was written before.
fn stub(folder: &Path) -> PathBuf {
    let path = folder.join("g++");
    let script = "#!/bin/sh\ncase \"$*\" in *kernels*) exit 1;; *) exec g++ \"$@\";; esac\n";
    std::fs::write(&path, script).expect("the script can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    path
}

impl Cases for Compilers {
    fn begin(&mut self, seed: u64, alone: bool) {
        let graphs = |op: &OpId| op.schema().args.iter().any(|a| a.ty.base == ArgBase::Graph);
        self.ops =
            OpId::all().iter().copied().filter(|op| !graphs(op) && !op.name().starts_with("litz.")).collect();
        self.dtypes = Dtype::ALL.into_iter().filter(|d| d.is_computable()).collect();
        (self.seed, self.alone) = (seed, alone);
    }

    fn count(&self) -> Option<u64> {
        Some((self.ops.len() * self.dtypes.len()) as u64)
    }

    fn case(&mut self, number: u64, log: &mut Log) {
        log.count("cases", 1);
        if let Some(call) = self.call(number) {
            log.count("compiled", 1);
            self.waiting.push((number, call));
        }
        if self.waiting.len() >= TOGETHER || self.alone {
            self.finish(log);
        }
    }

    fn finish(&mut self, log: &mut Log) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return;
        }
        let (numbers, calls): (Vec<u64>, Vec<Call>) = waiting.into_iter().unzip();
        log.begin(&numbers, 300);
        for compiler in COMPILERS {
            self.narrowed(&numbers, &calls, compiler, log);
        }
    }

    fn described(&mut self, seed: u64, number: u64) -> (String, String) {
        self.begin(seed, true);
        let text = self.call(number).map(|c| c.text()).unwrap_or_default();
        (self.at(number).0.name().into(), text)
    }
}

impl Compilers {
    /// Looks for the calls that a compiler does not take, by halves.
    fn narrowed(&self, numbers: &[u64], calls: &[Call], compiler: &str, log: &mut Log) {
        let Some(defect) = self.said(calls, compiler) else { return };
        if let [call] = calls {
            log.found(Finding {
                numbers: numbers.to_vec(),
                kind: defect.kind.into(),
                subject: call.op.name().into(),
                saw: defect.saw,
                case: call.text(),
            });
            return;
        }
        let half = calls.len() / 2;
        self.narrowed(&numbers[..half], &calls[..half], compiler, log);
        self.narrowed(&numbers[half..], &calls[half..], compiler, log);
    }
}
