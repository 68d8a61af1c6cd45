//! Safetensors: a header of JSON, then the elements; and the index by which large models are cut into several such files.

use super::{Format, WeightFile, insert};
use crate::base::{OrderedSet, StableSort, shortened};
use crate::frontend::error::{FrontendError, Result};
use crate::frontend::json;
use crate::frontend::mapped::{Shared, beside, map};
use crate::types::Dtype;
use safetensors::tensor::Dtype as FileDtype;
use serde_json::Value as Json;
use std::path::Path;

pub fn read(bytes: &Shared) -> Result<WeightFile> {
    let (header, metadata) = safetensors::SafeTensors::read_metadata((**bytes).as_ref())
        .map_err(|e| FrontendError::parse(format!("this is neither a safetensors file nor GGUF: {e}")))?;
    let first = header + 8;
    let mut file = WeightFile::default();
    for (key, value) in metadata.metadata().iter().flatten() {
        file.metadata.insert(key.clone(), Json::String(value.clone()));
    }
    // In the order in which they lie, whatever the order of the header.
    let mut tensors: Vec<_> = metadata.tensors().into_iter().collect();
    tensors.stable_sort_by_key(|(name, info)| (info.data_offsets, name.clone()));
    for (name, info) in tensors {
        let shape = info.shape.iter().map(|n| i64::try_from(*n).unwrap_or(-1)).collect();
        let (start, end) = info.data_offsets;
        insert(&mut file, &name, (format(info.dtype), shape), bytes, (first + start, Some(first + end)))?;
    }
    Ok(file)
}

/// Reads an index and the files that it lists, which lie in its folder.
pub fn read_index(content: &[u8], path: &Path) -> Result<WeightFile> {
    let index = json::parse(content)?;
    let names = json::object(json::field(&index, "weight_map", "the index")?, "weight_map")?;
    let mut file = WeightFile::default();
    if let Some(metadata) = json::optional(&index, "metadata") {
        file.metadata.clone_from(json::object(metadata, "metadata")?);
    }
    let mut locations = OrderedSet::new();
    for location in names.values() {
        locations.insert(json::string(location, "weight_map")?);
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    for location in locations {
        let bytes = beside(folder, location).and_then(|path| map(&path));
        let part = bytes.and_then(|bytes| read(&bytes)).map_err(|e| e.about("file", location))?;
        file.tensors.extend(
            part.tensors
                .into_iter()
                .filter(|(name, _)| names.get(name).and_then(Json::as_str) == Some(location)),
        );
    }
    match names.keys().find(|name| !file.tensors.contains_key(*name)) {
        None => Ok(file),
        Some(name) => {
            let message =
                format!("tensor `{}` is not in the file that the index names for it", shortened(name));
            Err(FrontendError::parse(message))
        }
    }
}

fn format(dtype: FileDtype) -> Format {
    Format::Plain(match dtype {
        FileDtype::BOOL => Dtype::Bool,
        FileDtype::U8 => Dtype::Uint8,
        FileDtype::I8 => Dtype::Int8,
        FileDtype::I16 => Dtype::Int16,
        FileDtype::U16 => Dtype::Uint16,
        FileDtype::I32 => Dtype::Int32,
        FileDtype::U32 => Dtype::Uint32,
        FileDtype::I64 => Dtype::Int64,
        FileDtype::U64 => Dtype::Uint64,
        FileDtype::F16 => Dtype::Float16,
        FileDtype::BF16 => Dtype::Bfloat16,
        FileDtype::F32 => Dtype::Float32,
        FileDtype::F64 => Dtype::Float64,
        FileDtype::C64 => Dtype::Complex64,
        FileDtype::F8_E4M3 => Dtype::Float8E4m3fn,
        FileDtype::F8_E5M2 => Dtype::Float8E5m2,
        FileDtype::F8_E4M3FNUZ => Dtype::Float8E4m3fnuz,
        FileDtype::F8_E5M2FNUZ => Dtype::Float8E5m2fnuz,
        _ => return Format::Unknown("floats of an unknown kind", 0),
    })
}
