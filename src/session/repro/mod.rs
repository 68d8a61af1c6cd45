//! A folder with everything that reproduces a failure: the graph, its constants, inputs and options, and a C program that
//! replays it.
//!
//! | file | contents |
//! |---|---|
//! | `graph.litz` | the graph; larger constants are `stored` at a place of `constants.bin`, or `seeded` |
//! | `inputs.bin`, `repro.json` | the inputs' memory, and the place of each input in it; what the host had registered |
//! | `options.json` | the options that were set |
//! | `replay.c`, `replay.sh` | the program, and the command that compiles and runs it |
//!
//! Invariant: a folder is read back as it was saved: constants bit by bit, unless they are seeded, and inputs with their
//! strides and the memory that they share.
//!
//! Deliberately absent: buffers as runs have changed them; the graph's constants have their first values.

mod calls;
mod host;
mod program;

use super::{Options, SessionError, SharedRegistry};
use crate::base::{HashMap, SharedBytes, Status, file, json};
use crate::ir::seeded::Seeded;
use crate::ir::text::{Placed, print_placed};
use crate::ir::{ConstantData, Graph};
use crate::meta::text;
use crate::runtime::{Captured, CapturedView as View};
use crate::types::Dtype;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(super) use host::Needs;

/// Alignment of each constant in its file.
const ALIGNMENT: usize = 64;

const GRAPH: &str = "graph.litz";
const CONSTANTS: &str = "constants.bin";
const INPUTS: &str = "inputs.bin";
const INDEX: &str = "repro.json";
const OPTIONS: &str = "options.json";

/// No file but those of data has as many bytes: the text of a million nodes has a tenth of them.
const LONGEST_TEXT: u64 = 1 << 30;

/// Writes a folder, which is made where it is missing. Its earlier files of these names are replaced.
pub fn save(graph: &Graph, options: &Options, inputs: &Captured, folder: &Path) -> Result<(), SessionError> {
    check_inputs(graph, inputs)?;
    check_named(folder)?;
    std::fs::create_dir_all(folder).map_err(|e| io("make the folder", folder, e))?;
    let mut constants = Vec::new();
    let mut places: HashMap<*const ConstantData, usize> = HashMap::default();
    let mut place = |data: &Arc<ConstantData>, dtype: Dtype| -> Placed {
        if options.seeds_constants {
            return Placed::Seeded(Seeded::like(dtype, data.bytes(), places.len() as u64));
        }
        Placed::Stored(*places.entry(Arc::as_ptr(data)).or_insert_with(|| {
            constants.resize(constants.len().next_multiple_of(ALIGNMENT), 0);
            constants.extend_from_slice(data.bytes());
            constants.len() - data.bytes().len()
        }))
    };
    let text = print_placed(graph, &mut place);
    let starts = starts(inputs);
    let mut memory = Vec::new();
    for (storage, start) in inputs.storages.iter().zip(&starts) {
        memory.resize(*start, 0);
        memory.extend_from_slice(storage);
    }
    let options_json = options.set_json();
    let needs = Needs::of(graph, options);
    let program = program::replay(graph, &text, options.seeds_constants, &needs);
    let mut index = index(graph, inputs, &starts);
    needs.note(&mut index);
    let files: [(&str, &[u8]); 7] = [
        (GRAPH, text.as_bytes()),
        (CONSTANTS, &constants),
        (INPUTS, &memory),
        (INDEX, &serde_json::to_vec_pretty(&index).unwrap_or_default()),
        (OPTIONS, options_json.as_bytes()),
        ("replay.c", program.as_bytes()),
        ("replay.sh", program::SCRIPT.as_bytes()),
    ];
    for (name, content) in files {
        let path = folder.join(name);
        file::write(&path, content).map_err(|e| io("write", &path, e))?;
    }
    Ok(())
}

/// The graph and the options that a folder holds. The registry, which the options then have, has the host's operators that the
/// graph calls.
pub fn load(folder: &Path, registry: Option<&SharedRegistry>) -> Result<(Graph, Options), SessionError> {
    check_named(folder)?;
    let text = read(folder, GRAPH)?;
    let index: Value =
        serde_json::from_slice(&read(folder, INDEX)?).map_err(|e| damaged(folder, INDEX, &e.to_string()))?;
    Needs::noted(&index).check(registry).map_err(|e| SessionError::Option {
        status: e.status(),
        message: format!("`{}`: {e}", folder.display()),
    })?;
    let mut options = Options::new();
    options.set_registry(registry.cloned());
    let text = String::from_utf8(text).map_err(|_| damaged(folder, GRAPH, "it is not UTF-8"))?;
    let constants: SharedBytes = Arc::new(read(folder, CONSTANTS)?);
    let graph =
        text::parse_placed(&text, &constants, &options.operators()).map_err(|e| SessionError::Option {
            status: e.status(),
            message: format!("`{}`: {e}", folder.join(GRAPH).display()),
        })?;
    let json = String::from_utf8(read(folder, OPTIONS)?);
    let json = json.map_err(|_| damaged(folder, OPTIONS, "it is not UTF-8"))?;
    options.patch(&json).map_err(|e| SessionError::Option {
        status: e.status(),
        message: format!("`{}`: {e}", folder.join(OPTIONS).display()),
    })?;
    Ok((graph, options))
}

/// The inputs that a folder holds.
pub fn load_inputs(folder: &Path) -> Result<Captured, SessionError> {
    check_named(folder)?;
    let wrong = |why: &str| damaged(folder, INDEX, why);
    let json: Value = serde_json::from_slice(&read(folder, INDEX)?).map_err(|e| wrong(&e.to_string()))?;
    let memory = read(folder, INPUTS)?;
    let list = |value: &Value, key: &str| -> Option<Vec<i64>> {
        value.get(key)?.as_array()?.iter().map(Value::as_i64).collect()
    };
    let array = |key: &str| {
        json.get(key).and_then(Value::as_array).ok_or_else(|| wrong(&format!("`{key}` is no list")))
    };
    let mut captured = Captured::default();
    for storage in array("storages")? {
        let number =
            |key: &str| storage.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let bytes = number("start")
            .zip(number("bytes"))
            .and_then(|(start, bytes)| memory.get(start..start.checked_add(bytes)?));
        captured
            .storages
            .push(bytes.ok_or_else(|| wrong("a storage lies outside of `inputs.bin`"))?.to_vec());
    }
    for input in array("inputs")? {
        if input.get("given").and_then(Value::as_bool) == Some(false) {
            captured.tensors.push(None);
            continue;
        }
        let view = (|| {
            let number = |key: &str| usize::try_from(input.get(key)?.as_u64()?).ok();
            let view = View {
                dtype: Dtype::from_name(input.get("dtype")?.as_str()?)?,
                shape: list(input, "shape")?,
                strides: list(input, "strides")?,
                storage: number("storage")?,
                offset: number("offset")?,
            };
            let room = captured.storages.get(view.storage)?.len();
            let sound = view.shape.len() == view.strides.len()
                && view.shape.iter().chain(&view.strides).all(|n| *n >= 0)
                && view.shape.len() <= 64
                && view.extent()?.checked_add(view.offset)? <= room;
            sound.then_some(view)
        })();
        let view = view.ok_or_else(|| wrong("an input is not described, or lies outside of its storage"));
        captured.tensors.push(Some(view?));
    }
    Ok(captured)
}

fn check_inputs(graph: &Graph, inputs: &Captured) -> Result<(), SessionError> {
    let (wanted, given) = (graph.inputs.len(), inputs.tensors.len());
    if given != 0 && given != wanted {
        let names: Vec<&str> = graph.inputs.iter().map(|i| i.name.as_str()).collect();
        return Err(SessionError::invalid(format!(
            "the graph takes {wanted} inputs ({}), {given} were given",
            names.join(", ")
        )));
    }
    let given = graph.inputs.iter().zip(&inputs.tensors).filter_map(|(i, t)| Some((i, t.as_ref()?)));
    for (input, tensor) in given {
        let meta = graph.meta(input.value);
        if meta.dtype != tensor.dtype || meta.rank() != tensor.shape.len() {
            let message = format!(
                "input `{}` is {} of {} dimensions, the tensor given is {} of {}",
                input.name,
                meta.dtype,
                meta.rank(),
                tensor.dtype,
                tensor.shape.len()
            );
            let status = if meta.dtype == tensor.dtype { Status::Shape } else { Status::Dtype };
            return Err(SessionError::Option { status, message });
        }
    }
    Ok(())
}

/// Where each storage begins in the inputs' file.
fn starts(inputs: &Captured) -> Vec<usize> {
    let mut end = 0usize;
    let mut start = |storage: &Vec<u8>| {
        let start = end.next_multiple_of(ALIGNMENT);
        end = start + storage.len();
        start
    };
    inputs.storages.iter().map(&mut start).collect()
}

fn index(graph: &Graph, inputs: &Captured, starts: &[usize]) -> Value {
    let tensors = graph.inputs.iter().zip(&inputs.tensors).map(|(input, t)| {
        let Some(t) = t else { return json!({"name": input.name, "given": false}) };
        json!({
            "name": input.name,
            "dtype": t.dtype.name(),
            "shape": t.shape,
            "strides": t.strides,
            "storage": t.storage,
            "offset": t.offset,
        })
    });
    let storages =
        inputs.storages.iter().zip(starts).map(|(s, start)| json!({"start": start, "bytes": s.len()}));
    json!({
        "litz": env!("CARGO_PKG_VERSION"),
        "inputs": tensors.collect::<Vec<_>>(),
        "storages": storages.collect::<Vec<_>>(),
    })
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, SessionError> {
    let path = folder.join(name);
    let (mut opened, metadata) = file::open(&path).map_err(|e| io("read", &path, e))?;
    if ![CONSTANTS, INPUTS].contains(&name) && metadata.len() > LONGEST_TEXT {
        return Err(damaged(folder, name, &format!("it has {} bytes", metadata.len())));
    }
    file::read_exactly(&mut opened, metadata.len() as usize).map_err(|e| io("read", &path, e))
}

/// An empty name would be the working directory's.
fn check_named(folder: &Path) -> Result<(), SessionError> {
    match folder.as_os_str().is_empty() {
        true => Err(SessionError::invalid("the folder of a repro has an empty name")),
        false => Ok(()),
    }
}

fn damaged(folder: &Path, name: &str, why: &str) -> SessionError {
    let message = format!("`{}` is not what a repro holds: {why}", folder.join(name).display());
    SessionError::Option { status: Status::Parse, message }
}

fn io(what: &str, path: &Path, error: std::io::Error) -> SessionError {
    SessionError::Io { what: format!("{what} `{}`", path.display()), reason: file::reason(&error) }
}
