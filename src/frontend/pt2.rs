//! `.pt2` archives, as `torch.export.save` of PyTorch 2.10 to 2.15 writes them.

use super::archive::Archive;
use super::error::{FrontendError, Result};
use super::mapped::{Shared, map};
use super::program::{self, State};
use super::{composite_results, json, weights};
use crate::base::{StableSort, shortened};
use crate::ir::{Graph, HostOperators};
use std::path::Path;
use std::sync::Arc;

/// Reads a file. It is mapped, and weights stay in the mapping: it must not be written to while the graph, or
/// anything compiled from it, lives.
pub fn read(path: &Path) -> Result<Graph> {
    read_with(path, &HostOperators::default())
}

/// [`read`] of a program that may call operators of a host's.
pub fn read_with(path: &Path, operators: &HostOperators) -> Result<Graph> {
    let file = path.display().to_string();
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    map(path).and_then(|bytes| read_shared(bytes, &stem, operators)).map_err(|e| e.in_file(&file))
}

/// Reads an archive in memory; the bytes are kept as long as the graph needs them.
pub fn read_bytes(bytes: Vec<u8>) -> Result<Graph> {
    read_bytes_with(bytes, &HostOperators::default())
}

/// [`read_bytes`] of a program that may call operators of a host's.
pub fn read_bytes_with(bytes: Vec<u8>, operators: &HostOperators) -> Result<Graph> {
    read_shared(Arc::new(bytes), "", operators)
}

fn read_shared(bytes: Shared, stem: &str, operators: &HostOperators) -> Result<Graph> {
    let mut archive = Archive::open(bytes)?;
    check_format(&mut archive)?;
    let entry = model_entry(&archive)?;
    let model = archive.read(&entry)?;
    let document = json::parse(model.as_slice()).map_err(|e| e.in_entry(&entry, None))?;
    let payloads = weights::read(&mut archive)?;
    let name = match archive.name() {
        "" => stem.to_string(),
        root => root.to_string(),
    };
    // `extra_files` of `torch.export.save`, which are text.
    let mut extra: Vec<String> =
        archive.names().filter(|n| n.starts_with(EXTRA)).map(str::to_string).collect();
    extra.stable_sort();
    let (mut metadata, mut results) = (Vec::new(), None);
    for entry in extra {
        let text = archive.read_text(&entry)?;
        match &entry[EXTRA.len()..] {
            composite_results::METADATA => results = Some(text),
            key => metadata.push((key.to_string(), text)),
        }
    }
    let state = State::Archive(&payloads, results);
    let mut graph = program::read(&document, &name, state, operators).map_err(|mut e| {
        if e.entry.is_none() {
            e.entry = Some(entry);
        }
        e
    })?;
    graph.spec.metadata.extend(metadata);
    Ok(graph)
}

/// The folder of files that users add.
const EXTRA: &str = "extra/";

fn check_format(archive: &mut Archive) -> Result<()> {
    let format = archive.read_text("archive_format")?;
    if format.trim() != "pt2" {
        return Err(FrontendError::parse(format!(
            "the archive's format is `{}`, not `pt2`",
            shortened(format.trim())
        )));
    }
    if archive.has("archive_version") {
        let version = archive.read_text("archive_version")?;
        if version.trim() != "0" {
            return Err(FrontendError::unsupported(format!(
                "the archive's version is {}, and Litz reads version 0; export with PyTorch 2.10 to 2.15",
                shortened(version.trim())
            )));
        }
    }
    if archive.has("byteorder") {
        let order = archive.read_text("byteorder")?;
        if order.trim() != "little" {
            return Err(FrontendError::unsupported(format!(
                "the archive's byte order is `{}`",
                shortened(order.trim())
            )));
        }
    }
    Ok(())
}

/// The program's entry: `models/model.json`, or the only one under `models/`.
fn model_entry(archive: &Archive) -> Result<String> {
    let mut models: Vec<&str> =
        archive.names().filter(|n| n.starts_with("models/") && n.ends_with(".json")).collect();
    models.stable_sort();
    match models[..] {
        [] if archive.names().any(|n| n.contains("aotinductor")) => Err(FrontendError::unsupported(
            "the archive holds a program that PyTorch compiled (AOTInductor), not an exported one; use torch.export.save",
        )),
        [] => Err(FrontendError::parse("the archive has no program (no entry `models/model.json`)")),
        _ if models.contains(&"models/model.json") => Ok("models/model.json".to_string()),
        [only] => Ok(only.to_string()),
        _ => Err(FrontendError::unsupported(format!(
            "the archive holds several programs ({}) and none is called `model`; save the one that is meant alone",
            models.join(", ")
        ))),
    }
}
