//! The keys that log, trace, measure and check what is compiled and run.

use super::{Key, parse_bool};
use crate::base::event::Channel;
use crate::runtime::profile::ProfileRequest;
use std::path::{Path, PathBuf};

pub const KEYS: &[Key] = &[
    Key {
        name: "log",
        ty: "stages, fusion, guards, cache, perf_hints, cudagraphs, autotune, memory, kernels, separated by commas",
        default: "",
        meaning: "Channels that are logged whole, whatever the level of the log's callback; to standard error where there is no callback. docs/trace.md lists the events of each channel.",
        set: |o, v| {
            for name in v.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let channel = Channel::from_name(name).ok_or_else(|| {
                    format!(
                        "there is no channel `{name}`; there are {}",
                        Channel::ALL.map(Channel::name).join(", ")
                    )
                })?;
                o.watch.channels.add(channel);
            }
            Ok(())
        },
    },
    Key {
        name: "trace.file",
        ty: "path",
        default: "",
        meaning: "The events of compilations are written there as a trace that Chrome (about:tracing) and Perfetto show: a JSON list, complete after each compilation, after its longer stages and after each event outside of one. It begins anew with the first compilation after the key was set to another file; options and programs of one process that name one file write to it together, as long as one of them is there.",
        set: |o, v| {
            o.watch.set_file((!v.is_empty()).then(|| Path::new(v)));
            Ok(())
        },
    },
    Key {
        name: "profile",
        ty: "false | true | kernels",
        default: "false",
        meaning: "What each kernel of a run takes is measured and described: `profile` of litz_executable_describe and the page of litz_executable_report. On a GPU runs are then waited for, and of those that are replayed as CUDA graphs the whole is measured; kernels: each of their kernels, too. When an artifact is opened: its runs.",
        set: |o, v| {
            o.profile = match (v, parse_bool(v)) {
                ("kernels", _) => ProfileRequest::Kernels,
                (_, Ok(true)) => ProfileRequest::Runs,
                (_, Ok(false)) => ProfileRequest::Nothing,
                _ => return Err("it is false, true or kernels".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.check",
        ty: "false | true | finite",
        default: "false",
        meaning: "true: before each run the interpreter goes through the graph node by node with the run's inputs. Where a node's dtype, sizes or strides are not what inference said when the graph was built, the run ends with LITZ_ERROR_ASSERTION, which names the node. finite: so does the first NaN or infinity that comes into being. Slow.",
        set: |o, v| {
            o.check = match v {
                "finite" => Some(true),
                _ => parse_bool(v).map_err(|_| "it is false, true or finite")?.then_some(false),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.choice",
        ty: "text",
        default: "",
        meaning: "With a mode that autotunes, the way in which products and convolutions are done that can be done so, by its name in what describe says of `autotune`; nothing is timed then.",
        set: |o, v| {
            o.choice = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "debug.compare",
        ty: "off | interpreter",
        default: "off",
        meaning: "interpreter: in each run, what a kernel wrote is computed again by the interpreter from what the kernels before it wrote. A result that differs by more than rounding ends the run with LITZ_ERROR_ASSERTION, which names the kernel and the worst element. Slow; runs are not recorded as CUDA graphs.",
        set: |o, v| {
            o.compares = match v {
                "off" => false,
                "interpreter" => true,
                _ => return Err("it is off or interpreter".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.dump",
        ty: "folder",
        default: "",
        meaning: "Each compilation writes a folder there, named by the graph: the text after every stage, the kernels' sources and the options. docs/trace.md lists the files.",
        set: |o, v| {
            o.dump = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "debug.save_inputs",
        ty: "bool",
        default: "false",
        meaning: "The inputs of each run are written to that folder, a safetensors file for each; debug.dump must be set.",
        set: |o, v| {
            o.save_inputs = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "debug.repro_constants",
        ty: "data | seeds",
        default: "data",
        meaning: "What litz_graph_save_repro keeps of larger constants. seeds: numbers from which others like them are made, of the same dtype, range, mean and spread, for failures that do not depend on the weights.",
        set: |o, v| {
            o.seeds_constants = match v {
                "data" => false,
                "seeds" => true,
                _ => return Err("it is data or seeds".into()),
            };
            Ok(())
        },
    },
    Key {
        name: "debug.size_asserts",
        ty: "bool",
        default: "false",
        meaning: "Each run on a GPU sees that its tensors lie in memory of a GPU, and reach no further than that.",
        set: |o, v| {
            o.size_asserts = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "debug.verify",
        ty: "bool",
        default: "false",
        meaning: "Checks the graph after every stage. Debug builds do so unless it is false, and check every kernel, too.",
        set: |o, v| {
            o.verify = parse_bool(v)?;
            Ok(())
        },
    },
];
