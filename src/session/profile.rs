//! What describe says of profiled runs: the times of kernels, and how near they come to what the machine can do.
//!
//! A kernel's limit is the time that its bytes take at the measured bandwidth or its operations at the measured peak, whichever
//! is longer. Data in a cache are read faster than memory, so that the share of small kernels may pass 1.
//!
//! Deliberately absent: measuring runs (see `runtime::profile`) and machines (see `device::limits`).

use crate::base::{StableSort, json};
use crate::device::{cpu, limits};
use crate::picture::report::{Limits, amount, bytes, time};
use crate::plan::Step;
use crate::runtime;
use crate::runtime::profile::{StepTotal, Totals};
use crate::target::Isa;
use serde_json::Value;
use std::fmt::Write;

/// What the machine that runs a program can do; `None` where that is not measured.
pub fn limits_of(instance: &runtime::Executable, about: &Value) -> Option<Limits> {
    if let Some(device) = instance.program().device() {
        return gpu_limits(device);
    }
    let native = cpu::detect();
    let threads = about["options"]["cpu.threads"].as_str().and_then(|n| n.parse().ok());
    let isa = about["isa"].as_str().and_then(Isa::from_name).unwrap_or(native.isa).min(native.isa);
    let found = limits::cpu(threads.unwrap_or(native.cores), isa);
    Some(Limits {
        bytes_per_second: found.bytes_per_second,
        flop_per_second: found.flop_per_second,
        tensor_flop_per_second: None,
    })
}

#[cfg(feature = "cuda")]
fn gpu_limits(device: i32) -> Option<Limits> {
    // A child of a fork cannot ask the driver.
    runtime::cuda::check_fork().ok()?;
    let found = crate::device::cuda::limits(device)?;
    Some(Limits {
        bytes_per_second: found.bytes_per_second,
        flop_per_second: found.flop_per_second,
        tensor_flop_per_second: found.tensor_flop_per_second,
    })
}

#[cfg(not(feature = "cuda"))]
fn gpu_limits(_: i32) -> Option<Limits> {
    None
}

/// The operations a second that a kernel could reach. Tensor cores multiply TF32 half as fast as halves.
fn flop_limit(limits: Limits, about: &Value, tf32: bool) -> f64 {
    let tensor = limits.tensor_flop_per_second;
    let reached = match about["operands"].as_str() {
        Some("float16" | "bfloat16") => tensor,
        Some("float32") if tf32 => tensor.map(|flop| flop / 2.0),
        _ => None,
    };
    reached.unwrap_or(limits.flop_per_second)
}

/// The part of its limit that work reached in so many seconds.
fn share(limits: Limits, bytes: f64, flop: f64, seconds: f64) -> f64 {
    (bytes / limits.bytes_per_second).max(flop / limits.flop_per_second) / seconds
}

/// `profile` of describe; `None` where runs are not profiled.
pub fn section(instance: &runtime::Executable, about: &Value) -> Option<Value> {
    let totals = instance.program().profile()?.totals();
    let limits = if totals.timed > 0 { limits_of(instance, about) } else { None };
    Some(of_totals(&totals, &instance.plan().main, about, limits))
}

/// The section of these steps' measurements.
fn of_totals(totals: &Totals, steps: &[Step], about: &Value, limits: Option<Limits>) -> Value {
    let no_kernels = Vec::new();
    let known = about["kernels"].as_array().unwrap_or(&no_kernels);
    let tf32 = about["options"]["cuda.tf32"] == "true";
    let (mut kernels, mut copies, mut inside) = (Vec::new(), StepTotal::default(), 0.0);
    let mut number = 0;
    for (step, total) in steps.iter().zip(&totals.steps) {
        inside += total.seconds;
        match step {
            Step::Kernel { .. } | Step::Extern { .. } => {
                let about = known.get(number).unwrap_or(&Value::Null);
                let own = limits.map(|l| Limits { flop_per_second: flop_limit(l, about, tf32), ..l });
                kernels.push(entry(number, about, total, totals.timed, own));
                number += 1;
            }
            Step::Copy { .. } => {
                copies.calls += total.calls;
                copies.seconds += total.seconds;
                copies.last_seconds += total.last_seconds;
            }
            _ => {}
        }
    }
    let limits = limits.map(|l| {
        let mut entry = json!({"bytes_per_second": l.bytes_per_second, "flop_per_second": l.flop_per_second});
        if let Some(tensor) = l.tensor_flop_per_second {
            entry["tensor_flop_per_second"] = tensor.into();
            entry["tensor_flop_from"] = "the driver's clock and multiprocessors, not measured".into();
        }
        entry
    });
    let mut section = json!({
        "runs": totals.runs,
        "timed_runs": totals.timed,
        "replayed_runs": totals.replayed,
        "seconds": totals.seconds,
        "last_seconds": totals.last_seconds,
        "limits": limits,
        "kernels": kernels,
        "copies": {"calls": copies.calls, "seconds": copies.seconds, "last_seconds": copies.last_seconds},
        "steps_seconds": inside,
    });
    section["table"] = table(&section).into();
    section
}

fn entry(number: usize, about: &Value, total: &StepTotal, runs: u64, limits: Option<Limits>) -> Value {
    let of_run = |sum: Option<f64>| sum.filter(|_| runs > 0).map(|sum| sum / runs as f64);
    let sums = total.bytes.zip(total.flop);
    let reached = limits.zip(sums).filter(|_| total.seconds > 0.0);
    json!({
        "kernel": number,
        "name": about["name"],
        "kind": about["kind"],
        "operators": about["operators"],
        "modules": about["modules"],
        "source": about["source"],
        "calls": total.calls,
        "seconds": total.seconds,
        "last_seconds": total.last_seconds,
        "run_seconds": of_run(Some(total.seconds)),
        "run_bytes": of_run(total.bytes),
        "run_flop": of_run(total.flop),
        "bytes_per_second": total.bytes.filter(|_| total.seconds > 0.0).map(|b| b / total.seconds),
        "flop_per_second": total.flop.filter(|_| total.seconds > 0.0).map(|f| f / total.seconds),
        "share_of_limit": reached.map(|(l, (bytes, flop))| share(l, bytes, flop, total.seconds)),
    })
}

/// The section as text, the kernels that took longest first.
fn table(section: &Value) -> String {
    let number = |value: &Value| value.as_f64();
    let mut out = String::new();
    let runs = section["runs"].as_u64().unwrap_or(0);
    let all = number(&section["seconds"]).unwrap_or(0.0);
    let _ = writeln!(
        out,
        "{runs} runs in {}, the last in {}",
        time(all),
        time(number(&section["last_seconds"]).unwrap_or(0.0))
    );
    if let Some(limit) = number(&section["limits"]["bytes_per_second"]) {
        let peak = number(&section["limits"]["flop_per_second"]).unwrap_or(0.0);
        let tensor = number(&section["limits"]["tensor_flop_per_second"]);
        let tensor = tensor.map(|t| format!(", tensor cores {}/s by their clock", amount(t, "FLOP")));
        let tensor = tensor.unwrap_or_default();
        let _ = writeln!(out, "limits: {}/s, {}/s{tensor}", bytes(limit), amount(peak, "FLOP"));
    }
    let _ = writeln!(
        out,
        "{:>6}  {:<12} {:>11} {:>11} {:>6} {:>10} {:>11} {:>7}  computes",
        "kernel", "kind", "a run", "the last", "part", "bytes", "FLOP", "limit"
    );
    let none = Vec::new();
    let mut kernels: Vec<&Value> = section["kernels"].as_array().unwrap_or(&none).iter().collect();
    kernels.stable_sort_by(|a, b| {
        number(&b["seconds"]).unwrap_or(0.0).total_cmp(&number(&a["seconds"]).unwrap_or(0.0))
    });
    for kernel in kernels {
        let text =
            |key: &str, form: &dyn Fn(f64) -> String| number(&kernel[key]).map_or("-".to_string(), form);
        let part = number(&kernel["seconds"]).filter(|_| all > 0.0).map(|s| s / all);
        let names = kernel["operators"].as_array().unwrap_or(&none).iter().filter_map(Value::as_str);
        let names: Vec<&str> = names.map(|n| n.split('.').nth(1).unwrap_or(n)).collect();
        let _ = writeln!(
            out,
            "{:>6}  {:<12} {:>11} {:>11} {:>6} {:>10} {:>11} {:>7}  {}",
            kernel["kernel"].as_u64().unwrap_or(0),
            kernel["kind"].as_str().unwrap_or("?"),
            text("run_seconds", &time),
            text("last_seconds", &time),
            part.map_or("-".to_string(), |p| format!("{:.1} %", p * 100.0)),
            text("run_bytes", &bytes),
            text("run_flop", &|f| amount(f, "FLOP")),
            text("share_of_limit", &|s| format!("{:.0} %", s * 100.0)),
            names.join(", ") + &from(kernel)
        );
    }
    let copies = number(&section["copies"]["seconds"]).unwrap_or(0.0);
    let rest = (all - number(&section["steps_seconds"]).unwrap_or(0.0)).max(0.0);
    let _ = writeln!(out, "copies {}, between steps {}", time(copies), time(rest));
    out
}

/// Which modules and lines of the user's program a kernel comes from, as far as these are known.
fn from(kernel: &Value) -> String {
    let list = |key: &str| {
        let all = kernel[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let (modules, lines) = (list("modules"), list("source"));
    let said = |word: &str, list: String| if list.is_empty() { list } else { format!(" {word} {list}") };
    said("in", modules) + &said("at", lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BufferId, ScalarId};

    #[test]
    fn times_are_of_runs_and_the_longest_comes_first() {
        let plan = crate::plan::tests::sample();
        let kernel = plan.main[0].clone();
        let copy =
            Step::Copy { destination: BufferId(0), source: BufferId(1), bytes: ScalarId(0), start: None };
        let total = |seconds: f64, bytes: f64, flop: f64| StepTotal {
            calls: 2,
            seconds,
            last_seconds: seconds / 4.0,
            bytes: Some(bytes),
            flop: Some(flop),
        };
        let totals = Totals {
            runs: 2,
            timed: 2,
            seconds: 10.0,
            last_seconds: 4.0,
            steps: vec![total(1.0, 8.0, 2.0), total(2.0, 0.0, 0.0), total(4.0, 8.0, 40.0)],
            ..Totals::default()
        };
        let about = json!({"kernels": [
            {"name": "a", "kind": "pointwise", "operators": ["aten.relu.default"]},
            {"name": "b", "kind": "gemm", "operators": ["aten.mm.default"], "modules": ["", "net.0"], "source": ["net.py:7"]},
        ]});
        let limits = Limits { bytes_per_second: 16.0, flop_per_second: 20.0, tensor_flop_per_second: None };
        let section = of_totals(&totals, &[kernel.clone(), copy, kernel], &about, Some(limits));
        assert_eq!((&section["seconds"], &section["last_seconds"]), (&json!(10.0), &json!(4.0)));
        assert_eq!(section["steps_seconds"], json!(7.0));
        assert_eq!(section["copies"], json!({"calls": 2, "seconds": 2.0, "last_seconds": 0.5}));
        let [a, b] = &section["kernels"].as_array().unwrap()[..] else { panic!("{section}") };
        assert_eq!((&a["name"], &b["name"], &b["kernel"]), (&json!("a"), &json!("b"), &json!(1)));
        assert_eq!(
            (&a["run_seconds"], &a["run_bytes"], &a["run_flop"]),
            (&json!(0.5), &json!(4.0), &json!(1.0))
        );
        assert_eq!((&b["bytes_per_second"], &b["flop_per_second"]), (&json!(2.0), &json!(10.0)));
        // What takes longer at its limit counts: bytes of the first, operations of the second.
        assert_eq!((&a["share_of_limit"], &b["share_of_limit"]), (&json!(0.5), &json!(0.5)));
        let table: Vec<&str> = section["table"].as_str().unwrap().lines().collect();
        assert!(table[0].starts_with("2 runs in 10") && table[0].contains("the last in 4"), "{table:?}");
        assert!(
            table[3].contains("gemm")
                && table[3].contains("40.0 %")
                && table[3].ends_with("mm in net.0 at net.py:7"),
            "{table:?}"
        );
        assert!(table[4].contains("pointwise") && table[4].ends_with(" relu"), "{table:?}");
        assert!(table[4].contains("10.0 %"), "{table:?}");
        assert_eq!(b["source"], json!(["net.py:7"]));
        assert!(table[5].starts_with("copies 2") && table[5].contains("between steps 3"), "{table:?}");
    }
}
