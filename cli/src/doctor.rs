//! `litz doctor`: what of the machine Litz finds, and how to get what is missing.

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::source;
use serde_json::{Value, json};

/// What makes a backend that is missing here available.
fn remedy(backend: &str, why: &str) -> &'static str {
    match backend {
        "cpu" => {
            "install a C++ compiler: `apt install g++` or `dnf install gcc-c++`, or name one with --set cpp.compiler=PATH"
        }
        "cuda" if why.contains("NVRTC") => {
            "install CUDA's run-time compiler: `pip install nvidia-cuda-nvrtc-cu12` or the distribution's cuda-nvrtc, or \
             name its file with --set cuda.nvrtc=PATH"
        }
        "cuda" if why.contains("driver") => {
            "install NVIDIA's driver, or compile for a GPU elsewhere with --set cuda.arch=…; a machine without a GPU needs neither"
        }
        _ => "",
    }
}

pub fn doctor(args: &DoctorArgs, output: &Output) -> Result<(), Failure> {
    let begin = std::time::Instant::now();
    let options = source::options(&args.options, output)?;
    let library = litz_api::library_path()?;
    let backends: Value = serde_json::from_str(&litz_api::backends(&["debug"])?).unwrap_or_default();
    let set: Value = serde_json::from_str(&options.json()?).unwrap_or_default();
    let from_environment: Vec<Value> = set
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, o)| o["from"] == "environment")
        .map(|(key, o)| json!({"option": key, "value": o["value"]}))
        .collect();
    let mut checks = Vec::new();
    for backend in backends.as_array().into_iter().flatten() {
        let name = backend["name"].as_str().unwrap_or_default();
        let why = backend["why_not"].as_str();
        checks.push(json!({
            "name": format!("backend {name}"),
            "ok": why.is_none(),
            "found": why.is_none().then_some("available"),
            "why_not": why,
            "remedy": why.map(|w| remedy(name, w)).filter(|r| !r.is_empty()),
        }));
    }
    let healthy = checks.iter().any(|c| c["ok"] == true);
    let answer = json!({
        "version": litz_api::version()?,
        "library": library,
        "checks": checks,
        "environment": from_environment,
        "healthy": healthy,
        "seconds": begin.elapsed().as_secs_f64(),
    });
    output.answer(&answer, |o| {
        o.say(&format!(
            "{} {} ({})",
            o.bold("litz"),
            answer["version"].as_str().unwrap_or_default(),
            library.display()
        ));
        for check in &checks {
            let text = |key: &str| check[key].as_str().unwrap_or_default();
            let mark = if check["ok"] == true { o.good("ok     ") } else { o.bad("missing") };
            let what = if check["ok"] == true { text("found") } else { text("why_not") };
            o.say(&format!("  {mark}  {}: {what}", text("name")));
            if !text("remedy").is_empty() {
                o.say(&format!("           {} {}", o.dim("to get it:"), text("remedy")));
            }
        }
        for set in &from_environment {
            o.say(&format!(
                "  set by the environment: {} = {}",
                set["option"].as_str().unwrap_or_default(),
                set["value"]
            ));
        }
    });
    if healthy { Ok(()) } else { Err(Failure::No) }
}
