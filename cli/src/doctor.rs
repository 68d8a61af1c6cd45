//! `litz doctor`: what of the machine Litz finds, and how to get what is missing.

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::source;
use serde_json::{Value, json};

/// How to get what is missing.
fn remedy(part: &str) -> &'static str {
    match part {
        "C++ compiler" => {
            "`apt install g++` or `dnf install gcc-c++`; another one is named by --set cpp.compiler=PATH"
        }
        "GPU" => "install NVIDIA's driver; without a GPU here, --set cuda.arch=90 compiles for one elsewhere",
        "NVRTC" => {
            "`pip install nvidia-cuda-nvrtc` or the CUDA toolkit, found by CUDA_HOME; a file is named by --set cuda.nvrtc=PATH"
        }
        "cuBLASLt" => "`pip install nvidia-cublas` or the CUDA toolkit; Litz's own kernels do without it",
        "cuDNN" => "`pip install nvidia-cudnn-cu13` or NVIDIA's packages; Litz's own kernels do without it",
        "cuFFT" => "`pip install nvidia-cufft` or the CUDA toolkit; the host transforms without it",
        "cuSOLVER" => "`pip install nvidia-cusolver` or the CUDA toolkit; the host factorises without it",
        "cache folder" => "name a folder of your own with --set cache.dir=PATH, or set XDG_CACHE_HOME",
        _ => "",
    }
}

pub fn doctor(args: &DoctorArgs, output: &Output) -> Result<(), Failure> {
    let begin = std::time::Instant::now();
    let options = source::options(&args.options, output)?;
    let library = litz_api::library_path()?;
    let machine: Value = serde_json::from_str(&options.machine()?).unwrap_or_default();
    let parts: Vec<Value> = machine["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| {
            let mut part = part.clone();
            let name = part["name"].as_str().unwrap_or_default();
            let how = Some(remedy(name)).filter(|r| part["why_not"].is_string() && !r.is_empty());
            part["remedy"] = how.into();
            part
        })
        .collect();
    let set: Value = serde_json::from_str(&options.json()?).unwrap_or_default();
    let from_environment: Vec<Value> = set
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, o)| o["from"] == "environment")
        .map(|(key, o)| json!({"option": key, "value": o["value"]}))
        .collect();
    let has = |name: &str| parts.iter().any(|p| p["name"] == name && p["why_not"].is_null());
    let backends = json!({"cpu": has("C++ compiler"), "cuda": has("GPU") && has("NVRTC")});
    let healthy = backends["cpu"] == true || backends["cuda"] == true;
    let answer = json!({
        "version": litz_api::version()?,
        "library": library,
        "cpu": machine["cpu"],
        "parts": parts,
        "backends": backends,
        "environment": from_environment,
        "healthy": healthy,
        "seconds": begin.elapsed().as_secs_f64(),
    });
    output.answer(&answer, |o| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        o.say(&format!("{} {} ({})", o.bold("litz"), text(&answer["version"]), library.display()));
        let cpu = &machine["cpu"];
        o.say(&format!("  {}  CPU: {}, {} cores", o.good("found  "), text(&cpu["isa"]), cpu["cores"]));
        for part in &parts {
            let name = text(&part["name"]);
            if part["why_not"].is_null() {
                let version = text(&part["version"]);
                let version = if version.is_empty() { version } else { format!(" ({version})") };
                o.say(&format!("  {}  {name}: {}{version}", o.good("found  "), text(&part["path"])));
            } else {
                o.say(&format!("  {}  {name}, for {}", o.bad("missing"), text(&part["needed_for"])));
                o.say(&format!("           {}", text(&part["why_not"])));
                o.say(&format!("           {} {}", o.dim("to get it:"), text(&part["remedy"])));
            }
        }
        for set in &from_environment {
            o.say(&format!("  set by the environment: {} = {}", text(&set["option"]), text(&set["value"])));
        }
    });
    if healthy { Ok(()) } else { Err(Failure::No) }
}
