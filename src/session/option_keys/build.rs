//! The keys of the C++ compiler and of artifacts.

use super::super::options::VendorRequest;
use super::{Key, parse_bool};
use std::time::Duration;

pub const KEYS: &[Key] = &[
    Key {
        name: "cpp.compiler",
        ty: "path or name",
        default: "",
        meaning: "The C++ compiler; empty: the environment's CXX, then g++, clang++ and c++ on PATH.",
        set: |o, v| {
            o.compiler = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "cpp.timeout",
        ty: "seconds",
        default: "300",
        meaning: "How long one run of the C++ compiler may take.",
        set: |o, v| {
            let seconds = v
                .parse::<f64>()
                .ok()
                .filter(|s| *s > 0.0 && s.is_finite())
                .ok_or("it is a positive number")?;
            o.compiler_timeout = Duration::from_secs_f64(seconds.min(1e9));
            Ok(())
        },
    },
    Key {
        name: "cpp.optimization",
        ty: "0 | 1 | 2 | 3",
        default: "2",
        meaning: "The C++ compiler's optimization level.",
        set: |o, v| {
            o.optimization = v.parse().ok().filter(|n| *n <= 3).ok_or("it is 0, 1, 2 or 3")?;
            Ok(())
        },
    },
    Key {
        name: "cpp.strict",
        ty: "bool",
        default: "false",
        meaning: "Warnings about generated code are errors.",
        set: |o, v| {
            o.compiler_strict = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cpp.flags",
        ty: "flags",
        default: "",
        meaning: "More flags for the C++ compiler when it compiles kernels, separated by blanks: to look for mistakes (-g, -fsanitize=address). Flags that change results are the caller's affair.",
        set: |o, v| {
            o.compiler_flags = v.split_whitespace().map(str::to_string).collect();
            Ok(())
        },
    },
    Key {
        name: "artifact.weights",
        ty: "inside | external",
        default: "inside",
        meaning: "Where an artifact's weights lie: in it, or beside it in <artifact>.weights.",
        set: |o, v| {
            o.external_weights = match v {
                "inside" => false,
                "external" => true,
                _ => return Err("it is inside or external".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "artifact.graph",
        ty: "bool",
        default: "false",
        meaning: "Artifacts hold what pictures and reports of them show: the graph, without its constants, and the kernels' sources.",
        set: |o, v| {
            o.artifact_graph = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "artifact.prefix",
        ty: "letters, digits and _",
        default: "",
        meaning: "What stands before the name of an artifact's entry, `litz_artifact_entry_v1`, so that several artifacts can be linked into one program.",
        set: |o, v| {
            let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if !v.bytes().all(good) || v.starts_with(|c: char| c.is_ascii_digit()) || v.len() > 200 {
                return Err("it is a name of letters, digits and _ that begins with no digit".into());
            }
            o.artifact_prefix = v.to_string();
            Ok(())
        },
    },
    Key {
        name: "artifact.vendor",
        ty: "auto | on | off",
        default: "auto",
        meaning: "Whether programs for GPUs, artifacts and those that run here, use NVIDIA's libraries of matrix products (cuBLASLt) and of convolutions (cuDNN), which are then opened where they run. auto: each where it is found now; on: both must be found; off: own kernels alone.",
        set: |o, v| {
            o.vendor = match v {
                "auto" => VendorRequest::Auto,
                "on" => VendorRequest::On,
                "off" => VendorRequest::Off,
                _ => return Err("it is auto, on or off".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "artifact.sha256",
        ty: "64 hexadecimal digits",
        default: "",
        meaning: "The SHA-256 that an artifact must have to be opened.",
        set: |o, v| {
            if !v.is_empty() && (v.len() != 64 || !v.bytes().all(|b| b.is_ascii_hexdigit())) {
                return Err("it is 64 hexadecimal digits".into());
            }
            o.artifact_sha256 = (!v.is_empty()).then(|| v.to_lowercase());
            Ok(())
        },
    },
];
