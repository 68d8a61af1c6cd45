//! Parameters, buffers and constants of an archive: raw storages and the views that names have of them.

use super::FrontendError;
use super::archive::{Archive, Piece};
use super::error::Result;
use super::json;
use crate::base::{HashMap, StableSort, memory, offsets};
use crate::ir::ConstantData;
use crate::types::Dtype;
use serde_json::Value;
use std::sync::Arc;

/// One name's view of a storage.
#[derive(Clone)]
pub struct Payload {
    /// The archive entry that holds the storage: the same for names that share it.
    pub storage: String,
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub strides: Vec<i64>,
    /// In elements.
    pub offset: i64,
    piece: Piece,
}

/// Every payload by its exported name.
pub type Payloads = HashMap<String, Payload>;

const FOLDERS: [(&str, &str); 2] =
    [("data/weights/", "model_weights_config.json"), ("data/constants/", "model_constants_config.json")];

/// Reads both configurations and the storages that they name.
pub fn read(archive: &mut Archive) -> Result<Payloads> {
    let mut payloads = Payloads::new();
    let mut storages: HashMap<String, Piece> = HashMap::new();
    for (folder, config) in FOLDERS {
        let entry = format!("{folder}{config}");
        if !archive.has(&entry) {
            refuse_old_layout(archive, folder)?;
            continue;
        }
        let piece = archive.read(&entry)?;
        let config = json::parse(piece.as_slice()).map_err(|e| e.in_entry(&entry, None))?;
        let names =
            json::field(&config, "config", "the configuration").map_err(|e| e.in_entry(&entry, None))?;
        for (name, meta) in json::object(names, "config").map_err(|e| e.in_entry(&entry, None))? {
            let view = read_view(folder, name, meta).map_err(|e| e.in_entry(&entry, None))?;
            let piece = match storages.get(&view.storage) {
                Some(piece) => piece.clone(),
                None => {
                    let piece = archive.read(&view.storage)?;
                    storages.insert(view.storage.clone(), piece.clone());
                    piece
                }
            };
            let payload = Payload { piece, ..view };
            payload.check(name).map_err(|e| e.in_entry(&payload.storage, None))?;
            payloads.insert(name.clone(), payload);
        }
    }
    Ok(payloads)
}

/// Archives of PyTorch 2.8 and 2.9 keep all weights in one pickle.
fn refuse_old_layout(archive: &Archive, folder: &str) -> Result<()> {
    match archive.names().find(|n| n.starts_with(folder) && !n.ends_with('/')) {
        Some(entry) => Err(pickled(entry)),
        None => Ok(()),
    }
}

fn pickled(entry: &str) -> FrontendError {
    FrontendError::unsupported(format!(
        "`{entry}` is pickled, which Litz does not read; export again with PyTorch 2.10 or later"
    ))
}

/// A part of a storage of which several names are different views that overlap.
pub struct SharedStorage {
    storage: String,
    dtype: Dtype,
    /// In elements.
    pub start: i64,
    end: i64,
    /// The graph's constant for it, once there is one.
    pub constant: Option<usize>,
}

impl SharedStorage {
    pub fn holds(&self, view: &Payload) -> bool {
        let (start, end) = view.elements();
        view.storage == self.storage
            && view.dtype == self.dtype
            && start >= self.start
            && end <= self.end
            && start < end
    }
    /// All of it, given any view of it.
    pub fn whole(&self, view: &Payload) -> Payload {
        let (shape, strides) = (vec![self.end - self.start], vec![1]);
        Payload { shape, strides, offset: self.start, ..view.clone() }
    }
}

/// Where different views of one storage and dtype overlap, directly or through others.
pub fn shared_storages<'a>(payloads: impl Iterator<Item = &'a Payload>) -> Vec<SharedStorage> {
    let mut views: Vec<&Payload> = payloads.filter(|p| p.elements().0 < p.elements().1).collect();
    let key = |p: &Payload| (p.storage.clone(), p.dtype.number(), p.elements());
    views.stable_sort_by_key(|p| key(p));
    let (mut shared, mut k) = (Vec::new(), 0);
    while k < views.len() {
        let (first, (start, mut end)) = (views[k], views[k].elements());
        let from = k;
        while k < views.len()
            && views[k].storage == first.storage
            && views[k].dtype == first.dtype
            && (k == from || views[k].elements().0 < end)
        {
            end = end.max(views[k].elements().1);
            k += 1;
        }
        if views[from..k].iter().any(|v| !v.same_view(first)) {
            shared.push(SharedStorage {
                storage: first.storage.clone(),
                dtype: first.dtype,
                start,
                end,
                constant: None,
            });
        }
    }
    shared
}

fn read_view(folder: &str, name: &str, meta: &Value) -> Result<Payload> {
    let place = format!("config.{name}");
    if json::optional(meta, "use_pickle").is_some_and(|v| v.as_bool() != Some(false)) {
        return Err(FrontendError::unsupported(format!(
            "`{name}` is pickled, which Litz does not read: PyTorch saves tensors made of others so, such as torchao's quantised weights. Save `program.run_decompositions()`, or export the model after `unwrap_tensor_subclass_parameters`; then their parts are saved. Archives of older versions: export again with PyTorch 2.10 or later"
        )));
    }
    let path = json::string(json::field(meta, "path_name", &place)?, &place)?;
    let Some(tensor) = json::optional(meta, "tensor_meta") else { return Err(pickled(name)) };
    let numbers = |member: &str| -> Result<Vec<i64>> {
        let list = json::list(json::field(tensor, member, &place)?, &place)?;
        list.iter().map(|v| json::integer(json::field(v, "as_int", &place)?, &place)).collect()
    };
    let offset = json::field(json::field(tensor, "storage_offset", &place)?, "as_int", &place)?;
    let shape = numbers("sizes")?;
    if let Some(size) = shape.iter().find(|n| **n < 0) {
        return Err(FrontendError::parse(format!("{place} has a negative size, {size}")));
    }
    Ok(Payload {
        storage: format!("{folder}{path}"),
        dtype: read_dtype(json::field(tensor, "dtype", &place)?, &place)?,
        shape,
        strides: numbers("strides")?,
        offset: json::integer(offset, &place)?,
        piece: Piece { bytes: Arc::new(Vec::new()), range: 0..0 },
    })
}

/// A dtype by PyTorch's number.
pub fn read_dtype(value: &Value, place: &str) -> Result<Dtype> {
    let number = json::integer(value, place)?;
    Dtype::from_number(number).ok_or_else(|| {
        let name = match number {
            14..=22 => "a quantised dtype",
            33 => "float8_e8m0fnu",
            _ => "an unknown dtype",
        };
        FrontendError::unsupported(format!(
            "{place} has dtype number {number} ({name}), which Litz does not have"
        ))
    })
}

impl Payload {
    pub fn same_view(&self, other: &Payload) -> bool {
        self.storage == other.storage
            && self.dtype == other.dtype
            && self.shape == other.shape
            && self.strides == other.strides
            && self.offset == other.offset
    }

    /// First and last-plus-one byte of the storage that the view reaches; `None` on overflow.
    pub fn extent(&self) -> Option<(i64, i64)> {
        let size = self.dtype.size() as i64;
        let start = self.offset.checked_mul(size)?;
        if self.shape.contains(&0) {
            return Some((start, start));
        }
        let mut last = self.offset;
        for (n, stride) in self.shape.iter().zip(&self.strides) {
            last = last.checked_add((n - 1).checked_mul(*stride)?)?;
        }
        Some((start, last.checked_add(1)?.checked_mul(size)?))
    }

    /// [`Self::extent`] in elements, of a view that was checked.
    fn elements(&self) -> (i64, i64) {
        let (start, end) = self.extent().unwrap_or((0, 0));
        let size = self.dtype.size() as i64;
        (start / size, end / size)
    }

    fn check(&self, name: &str) -> Result<()> {
        let bytes = self.piece.range.len() as i64;
        let sane = self.shape.len() == self.strides.len()
            && self.shape.len() <= 64
            && self.offset >= 0
            && self.shape.iter().chain(&self.strides).all(|v| *v >= 0);
        match self.extent() {
            Some((_, end)) if sane && end <= bytes && self.count().is_some() => Ok(()),
            _ => Err(FrontendError::parse(format!(
                "`{name}` of sizes {:?}, strides {:?}, offset {} and dtype {} does not lie within its storage of {bytes} bytes",
                self.shape, self.strides, self.offset, self.dtype
            ))),
        }
    }

    fn count(&self) -> Option<usize> {
        let bytes = self.shape.iter().try_fold(self.dtype.size() as i64, |n, d| n.checked_mul(*d))?;
        usize::try_from(bytes / self.dtype.size() as i64).ok()
    }

    fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        self.shape.contains(&0)
            || self.shape.iter().zip(&self.strides).rev().all(|(n, stride)| {
                let fits = *n == 1 || *stride == expected;
                expected *= *n;
                fits
            })
    }

    /// The elements, contiguous: a piece of the archive where they lie so and aligned, a copy otherwise.
    pub fn data(&self) -> Result<Arc<ConstantData>> {
        let (size, count) = (self.dtype.size(), self.count().unwrap_or(0));
        let first = self.offset as usize * size;
        let all = self.piece.as_slice();
        if self.is_contiguous() {
            let range = first..first + count * size;
            let aligned = (all[range.clone()].as_ptr() as usize).is_multiple_of(size.min(8));
            return Ok(Arc::new(if aligned {
                let start = self.piece.range.start;
                let range = start + range.start..start + range.end;
                ConstantData::Shared { owner: self.piece.bytes.clone(), range }
            } else {
                memory::expect(range.len());
                ConstantData::Owned(all[range].to_vec())
            }));
        }
        // A view may repeat elements (stride 0), so that a small file could ask for any amount.
        if count * size > (all.len() + (1 << 20)) * 64 {
            return Err(FrontendError::unsupported(format!(
                "its sizes {:?} repeat a storage of {} bytes too often",
                self.shape,
                all.len()
            )));
        }
        memory::expect(count * size);
        let mut data = Vec::with_capacity(count * size);
        for offset in offsets(&self.shape, &self.strides) {
            let at = first + offset as usize * size;
            data.extend_from_slice(&all[at..at + size]);
        }
        Ok(Arc::new(ConstantData::Owned(data)))
    }
}
