//! `litz bench`: how long runs take, and where the time goes.
//!
//! Calls are timed from outside, first of all; then, unless that is not wanted, a second program of the same graph that times
//! its kernels says how much of a call is their work (the device's time) and how much is around it (the host's), and how
//! near the kernels come to the machine's limits. The two are apart because timing kernels costs time.

use crate::args::BenchArgs;
use crate::failure::{About, Failure};
use crate::inputs::inputs;
use crate::output::{Output, amount, seconds};
use crate::source;
use litz_api::{Executable, RunOptions, Tensor};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// A benchmark of a fast program keeps so many times for each thread at most; then every second is dropped.
const MOST_TIMES: usize = 1 << 20;

/// The longest benchmark: a day.
const MOST_SECONDS: f64 = 86400.0;

pub fn bench(args: &BenchArgs, output: &Output) -> Result<(), Failure> {
    if !(args.time > 0.0 && args.time <= MOST_SECONDS) {
        let message = format!("--time is {:?}: it is a number of seconds, up to {MOST_SECONDS}", args.time);
        return Err(Failure::Usage(message));
    }
    if args.threads == 0 || args.threads > 1024 {
        return Err(Failure::Usage(format!("--threads is {}: it is from 1 to 1024", args.threads)));
    }
    let begin = Instant::now();
    let program = source::program(&args.model, &args.options, output)?;
    let ready = begin.elapsed().as_secs_f64();
    let about: Value = serde_json::from_str(&program.describe()?).unwrap_or_default();
    let given = inputs(&args.inputs, &program)?;
    let first = Instant::now();
    once(&program, &given)?;
    let first_run = first.elapsed().as_secs_f64();
    let mut times = Times::of(&program, &given, args).about(&args.model)?;
    let device = if args.no_profile { Value::Null } else { profile(args, &given, output)? };
    let advice = advice(&about, &device, args, &times);
    let answer = json!({
        "model": args.model,
        "backend": about["backend"],
        "target": about["target"],
        "inputs": given.iter().zip(program.inputs()).map(|(t, i)| json!({"name": i.name, "dtype": t.dtype().name(), "shape": t.shape()})).collect::<Vec<_>>(),
        "ready_seconds": ready,
        "first_run_seconds": first_run,
        "threads": args.threads,
        "runs": times.count,
        "seconds": times.wall,
        "runs_per_second": times.count as f64 / times.wall,
        "call_seconds": times.summary(),
        "device": device,
        "advice": advice,
    });
    output.answer(&answer, |o| words(o, &answer, &mut times));
    Ok(())
}

/// A run in tensors of its own: what a run writes to must not be another's.
fn once(program: &Executable, given: &[Tensor]) -> Result<(), Failure> {
    let mut own = given.iter().map(Tensor::copy).collect::<Result<Vec<_>, _>>()?;
    program.run_mut(&mut own, &RunOptions::default())?;
    Ok(())
}

struct Times {
    /// Seconds of calls, sorted.
    calls: Vec<f64>,
    count: u64,
    wall: f64,
    total: f64,
}

impl Times {
    fn of(program: &Executable, given: &[Tensor], args: &BenchArgs) -> Result<Times, litz_api::Error> {
        let state = program.constants()?.iter().any(|c| c.mutated);
        // Runs of a program with state wait for one another: each thread has an instance.
        let own = state && args.threads > 1;
        let instances = (0..if own { args.threads } else { 0 })
            .map(|_| program.instance())
            .collect::<Result<Vec<_>, _>>()?;
        let barrier = Barrier::new(args.threads);
        let length = Duration::from_secs_f64(args.time);
        let parts = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..args.threads)
                .map(|k| {
                    let program = instances.get(k).unwrap_or(program);
                    let barrier = &barrier;
                    scope.spawn(move || -> Result<Times, litz_api::Error> {
                        let prepared = given.iter().map(Tensor::copy).collect::<Result<Vec<_>, _>>();
                        let mut warm = Ok(());
                        let mut own = Vec::new();
                        match prepared {
                            Ok(tensors) => {
                                own = tensors;
                                for _ in 0..args.warmup {
                                    warm =
                                        warm.and(program.run_mut(&mut own, &RunOptions::default()).map(drop));
                                }
                            }
                            Err(error) => warm = Err(error),
                        }
                        // Every thread comes here, whatever went wrong: the others wait for it.
                        barrier.wait();
                        warm?;
                        Times::one(program, &mut own, length)
                    })
                })
                .collect();
            let joined = threads.into_iter().map(|t| t.join().expect("a thread that times does not panic"));
            joined.collect::<Result<Vec<_>, _>>()
        })?;
        let mut all = Times { calls: Vec::new(), count: 0, wall: 0.0, total: 0.0 };
        for part in parts {
            all.calls.extend(part.calls);
            all.count += part.count;
            all.total += part.total;
            all.wall = all.wall.max(part.wall);
        }
        all.calls.sort_by(f64::total_cmp);
        Ok(all)
    }

    fn one(program: &Executable, own: &mut [Tensor], length: Duration) -> Result<Times, litz_api::Error> {
        let mut times = Times { calls: Vec::new(), count: 0, wall: 0.0, total: 0.0 };
        let (mut every, mut skipped) = (1u64, 0u64);
        let begin = Instant::now();
        loop {
            let start = Instant::now();
            let outputs = program.run_mut(own, &RunOptions::default())?;
            let end = Instant::now();
            drop(outputs);
            let took = (end - start).as_secs_f64();
            times.count += 1;
            times.total += took;
            skipped += 1;
            if skipped == every {
                skipped = 0;
                times.calls.push(took);
                if times.calls.len() == MOST_TIMES {
                    let mut keep = false;
                    times.calls.retain(|_| {
                        keep = !keep;
                        keep
                    });
                    every *= 2;
                }
            }
            if end - begin >= length {
                times.wall = (end - begin).as_secs_f64();
                return Ok(times);
            }
        }
    }

    fn percentile(&self, percent: f64) -> f64 {
        let last = self.calls.len() - 1;
        self.calls[(percent / 100.0 * last as f64).round() as usize]
    }

    fn summary(&self) -> Value {
        json!({
            "least": self.calls[0], "p50": self.percentile(50.0), "p90": self.percentile(90.0),
            "p99": self.percentile(99.0), "p99.9": self.percentile(99.9), "largest": self.calls[self.calls.len() - 1],
            "mean": self.total / self.count as f64,
        })
    }
}

/// Runs that time their kernels: what they take of a call, and the share of the machine's limits that they reach.
fn profile(args: &BenchArgs, given: &[Tensor], output: &Output) -> Result<Value, Failure> {
    let mut options = args.options.clone();
    options.set.push("profile=true".to_string());
    let program = source::program(&args.model, &options, output)?;
    let mut own = given.iter().map(Tensor::copy).collect::<Result<Vec<_>, _>>()?;
    // The first runs load what later ones find loaded, and describe subtracts them.
    for _ in 0..args.warmup.max(1) {
        program.run_mut(&mut own, &RunOptions::default())?;
    }
    let read = || -> Result<Value, Failure> {
        let about: Value = serde_json::from_str(&program.describe()?).unwrap_or_default();
        Ok(about["profile"].clone())
    };
    let before = read()?;
    let begin = Instant::now();
    let length = Duration::from_secs_f64(args.time.min(1.0));
    while begin.elapsed() < length {
        program.run_mut(&mut own, &RunOptions::default())?;
    }
    let after = read()?;
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let runs = number(&after["timed_runs"]) - number(&before["timed_runs"]);
    if runs <= 0.0 {
        return Ok(Value::Null);
    }
    let of_run = |key: &str| (number(&after[key]) - number(&before[key])) / runs;
    let (whole, steps) = (of_run("seconds"), of_run("steps_seconds"));
    let limits = &after["limits"];
    let mut kernels = Vec::new();
    let (mut bytes, mut flop, mut at_limits, mut timed) = (0.0, 0.0, 0.0, 0.0);
    let none = Vec::new();
    let lists = [&after, &before].map(|p| p["kernels"].as_array().unwrap_or(&none));
    for (now, then) in lists[0].iter().zip(lists[1]) {
        let took = (number(&now["seconds"]) - number(&then["seconds"])) / runs;
        let share = now["share_of_limit"].as_f64();
        bytes += number(&now["run_bytes"]);
        flop += number(&now["run_flop"]);
        if let Some(share) = share {
            at_limits += share * took;
            timed += took;
        }
        let calls = now["calls"].as_u64().unwrap_or(0) - then["calls"].as_u64().unwrap_or(0);
        if calls > 0 {
            kernels.push(json!({
                "name": now["name"], "kind": now["kind"], "operators": now["operators"], "seconds": took,
                "bytes": now["run_bytes"], "flop": now["run_flop"], "share_of_limit": share,
            }));
        }
    }
    kernels.sort_by(|a, b| number(&b["seconds"]).total_cmp(&number(&a["seconds"])));
    Ok(json!({
        "runs": runs,
        "run_seconds": whole,
        "kernel_seconds": steps,
        "host_seconds": (whole - steps).max(0.0),
        "bytes": bytes,
        "flop": flop,
        "share_of_limit": (timed > 0.0).then_some(at_limits / timed),
        "limits": limits,
        "kernels": kernels,
    }))
}

/// What could be done where the machine is not used.
fn advice(about: &Value, device: &Value, args: &BenchArgs, times: &Times) -> Vec<String> {
    let mut advice = Vec::new();
    let backend = about["backend"].as_str().unwrap_or_default();
    if backend == "interpreter" {
        let because = about["fallbacks"][0]["because"].as_str().unwrap_or("it was asked for");
        advice.push(format!(
            "the interpreter runs this program, slowly: {because}; `litz doctor` says what is missing"
        ));
    }
    let has_symbols = about["symbols"].as_array().is_some_and(|s| !s.is_empty());
    let is_set = |key: &str| about["options"][key].is_string();
    let (p50, p99) = (times.percentile(50.0), times.percentile(99.0));
    if times.calls.len() >= 100 && p99 > 3.0 * p50 {
        advice.push(format!(
            "calls vary: p99 is {:.1} times p50; other work on this machine, or more threads than CPUs, takes turns with the program",
            p99 / p50
        ));
    }
    let Some(kernel) = device["kernel_seconds"].as_f64() else { return advice };
    let host = device["host_seconds"].as_f64().unwrap_or(0.0);
    let whole = (kernel + host).max(f64::MIN_POSITIVE);
    if host / whole > 0.3 {
        let how = match backend {
            "cuda" => "mode=reduce-overhead records runs as CUDA graphs; a larger batch does more in a run",
            _ => "a larger batch does more in a run, and litz_executable_run_into spares the outputs' memory",
        };
        advice.push(format!("{:.0} % of a run is not kernels' work: {how}", 100.0 * host / whole));
    }
    let share = device["share_of_limit"].as_f64();
    if let Some(share) = share.filter(|s| *s < 0.3) {
        if kernel < 50e-6 {
            advice.push(format!(
                "kernels take {} of a run: too little work to reach the machine's limits; a larger batch would",
                seconds(kernel)
            ));
        } else if backend == "cuda" && !is_set("mode") {
            advice.push(format!(
                "kernels reach {:.0} % of the limits: mode=max-autotune chooses tiles by timing",
                100.0 * share
            ));
        } else if let Some(slow) = device["kernels"].as_array().and_then(|k| k.first()) {
            let part = slow["seconds"].as_f64().unwrap_or(0.0) / kernel.max(f64::MIN_POSITIVE);
            advice.push(format!(
                "kernels reach {:.0} % of the limits; {:.0} % of their time is in `{}`",
                100.0 * share,
                100.0 * part,
                slow["name"].as_str().unwrap_or_default()
            ));
        }
    }
    if has_symbols && args.inputs.input.is_empty() && args.inputs.sizes.is_empty() {
        advice.push(
            "sizes were made up, small ones: give those of your use with --size or --input".to_string(),
        );
    }
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = about["options"]["cpu.threads"].as_str().and_then(|n| n.parse::<usize>().ok());
    if let Some(threads) = threads.filter(|n| *n < cpus && backend == "cpu") {
        advice.push(format!("cpu.threads is {threads}, and there are {cpus} CPUs"));
    }
    advice
}

fn words(o: &Output, answer: &Value, times: &mut Times) {
    let text = |value: &Value| match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.as_str().unwrap_or_default().to_string(),
    };
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    o.say(&format!(
        "{} on {} ({}), {} thread{}",
        o.bold(&text(&answer["model"])),
        text(&answer["backend"]),
        text(&answer["target"]),
        answer["threads"],
        if answer["threads"] == 1 { "" } else { "s" },
    ));
    o.say(&format!(
        "  ready in {}, first run {}, then {} runs: {:.1} a second",
        seconds(number(&answer["ready_seconds"])),
        seconds(number(&answer["first_run_seconds"])),
        times.count,
        number(&answer["runs_per_second"]),
    ));
    let call = &answer["call_seconds"];
    let columns = ["least", "p50", "p90", "p99", "p99.9", "largest", "mean"];
    o.heading("a call");
    o.table(&[columns.map(str::to_string).to_vec(), columns.map(|c| seconds(number(&call[c]))).to_vec()]);
    let device = &answer["device"];
    if device.is_object() {
        o.heading("where the time goes (a run that times its kernels)");
        let (kernel, host) = (number(&device["kernel_seconds"]), number(&device["host_seconds"]));
        o.say(&format!("  kernels {}, the host around them {}", seconds(kernel), seconds(host)));
        o.say(&format!(
            "  {}B/s and {}FLOP/s",
            amount(number(&device["bytes"]) / kernel.max(f64::MIN_POSITIVE)),
            amount(number(&device["flop"]) / kernel.max(f64::MIN_POSITIVE))
        ));
        if let (Some(share), limits) = (device["share_of_limit"].as_f64(), &device["limits"]) {
            o.say(&format!(
                "  {:.0} % of the roofline ({}B/s, {}FLOP/s measured here)",
                100.0 * share,
                amount(number(&limits["bytes_per_second"])),
                amount(number(&limits["flop_per_second"])),
            ));
        }
        let mut rows = Vec::new();
        for kernel in device["kernels"].as_array().into_iter().flatten().take(10) {
            let share =
                kernel["share_of_limit"].as_f64().map_or(String::new(), |s| format!("{:.0} %", 100.0 * s));
            rows.push(vec![
                seconds(number(&kernel["seconds"])),
                share,
                text(&kernel["kind"]),
                text(&kernel["operators"]),
            ]);
        }
        o.table(&rows);
    }
    for line in answer["advice"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        o.say(&format!("{} {line}", o.warn("advice:")));
    }
}
