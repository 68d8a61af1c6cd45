//! Files of tensors: `.npy`, `.npz` and safetensors, by their ending.

use crate::failure::Failure;
use crate::given;
use crate::npy;
use litz_api::{Dtype, Tensor};
use safetensors::tensor::{Dtype as Stored, SafeTensors, View, serialize_to_file};
use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::Path;

/// Named tensors in the order of the file; a `.npy` has no name.
pub type Tensors = Vec<(Option<String>, Tensor)>;

const STORED: [(Stored, Dtype); 18] = [
    (Stored::BOOL, Dtype::Bool),
    (Stored::U8, Dtype::Uint8),
    (Stored::I8, Dtype::Int8),
    (Stored::U16, Dtype::Uint16),
    (Stored::I16, Dtype::Int16),
    (Stored::U32, Dtype::Uint32),
    (Stored::I32, Dtype::Int32),
    (Stored::U64, Dtype::Uint64),
    (Stored::I64, Dtype::Int64),
    (Stored::F16, Dtype::Float16),
    (Stored::BF16, Dtype::Bfloat16),
    (Stored::F32, Dtype::Float32),
    (Stored::F64, Dtype::Float64),
    (Stored::C64, Dtype::Complex64),
    (Stored::F8_E4M3, Dtype::Float8E4m3fn),
    (Stored::F8_E5M2, Dtype::Float8E5m2),
    (Stored::F8_E4M3FNUZ, Dtype::Float8E4m3fnuz),
    (Stored::F8_E5M2FNUZ, Dtype::Float8E5m2fnuz),
];

enum Form {
    Npy,
    Npz,
    Safetensors,
}

fn form(path: &Path) -> Result<Form, Failure> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => Ok(Form::Npy),
        Some("npz") => Ok(Form::Npz),
        Some("safetensors") => Ok(Form::Safetensors),
        _ => Err(Failure::input(path, "tensors are read and written as .npy, .npz or .safetensors")),
    }
}

pub fn read(path: &Path) -> Result<Tensors, Failure> {
    let form = form(path)?;
    let wrong = |e: String| Failure::input(path, e);
    let bytes = given::read(path)?;
    match form {
        Form::Npy => Ok(vec![(None, npy::read(&bytes).map_err(wrong)?)]),
        Form::Npz => {
            let mut archive =
                zip::ZipArchive::new(std::io::Cursor::new(bytes)).map_err(|e| wrong(e.to_string()))?;
            let mut tensors = Vec::new();
            for k in 0..archive.len() {
                let mut entry = archive.by_index(k).map_err(|e| wrong(e.to_string()))?;
                let name = entry.name().map_err(|e| wrong(e.to_string()))?.into_owned();
                let mut data = Vec::new();
                entry.read_to_end(&mut data).map_err(|e| wrong(format!("`{name}`: {e}")))?;
                let tensor = npy::read(&data).map_err(|e| wrong(format!("`{name}` {e}")))?;
                tensors.push((Some(name.trim_end_matches(".npy").to_string()), tensor));
            }
            Ok(tensors)
        }
        Form::Safetensors => {
            let file = SafeTensors::deserialize(&bytes)
                .map_err(|e| wrong(format!("is no safetensors file: {e}")))?;
            let one = |(name, view): (String, safetensors::tensor::TensorView<'_>)| {
                let dtype = STORED.iter().find(|(stored, _)| *stored == view.dtype());
                let dtype = dtype.ok_or_else(|| wrong(format!("`{name}` is {:?}", view.dtype())))?.1;
                let shape: Vec<i64> = view.shape().iter().map(|d| *d as i64).collect();
                Ok((Some(name), Tensor::from_bytes(dtype, &shape, view.data())?))
            };
            file.tensors().into_iter().map(one).collect()
        }
    }
}

struct Stored1<'a> {
    dtype: Stored,
    shape: Vec<usize>,
    data: Cow<'a, [u8]>,
}

impl View for &Stored1<'_> {
    fn dtype(&self) -> Stored {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.data)
    }
    fn data_len(&self) -> usize {
        self.data.len()
    }
}

/// Whether `write` can write so many tensors there; asked before they are computed.
pub fn check_writable(path: &Path, count: usize) -> Result<(), Failure> {
    match form(path)? {
        Form::Npy if count != 1 => {
            Err(Failure::Usage(format!("{}: a .npy holds one tensor, and there are {count}", path.display())))
        }
        _ => Ok(()),
    }
}

pub fn write(path: &Path, tensors: &[(String, Tensor)]) -> Result<(), Failure> {
    let wrong = |e: String| Failure::input(path, e);
    match form(path)? {
        Form::Npy => {
            let bytes = npy::write(&tensors[0].1).map_err(wrong)?;
            std::fs::write(path, bytes).map_err(|e| Failure::input(path, e))
        }
        Form::Npz => {
            let file = std::fs::File::create(path).map_err(|e| Failure::input(path, e))?;
            let mut archive = zip::ZipWriter::new(file);
            let how =
                zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
            for (name, tensor) in tensors {
                let bytes = npy::write(tensor).map_err(wrong)?;
                archive
                    .start_file(format!("{name}.npy"), how.large_file(true))
                    .map_err(|e| wrong(e.to_string()))?;
                archive.write_all(&bytes).map_err(|e| Failure::input(path, e))?;
            }
            archive.finish().map(drop).map_err(|e| wrong(e.to_string()))
        }
        Form::Safetensors => {
            let one = |(name, tensor): &(String, Tensor)| {
                let dtype = STORED.iter().find(|(_, d)| *d == tensor.dtype());
                let dtype =
                    dtype.ok_or_else(|| wrong(format!("safetensors has no {}", tensor.dtype().name())))?.0;
                let shape = tensor.shape().iter().map(|d| *d as usize).collect();
                let data = Cow::Owned(tensor.bytes()?.into_owned());
                Ok((name.clone(), Stored1 { dtype, shape, data }))
            };
            let stored: Vec<(String, Stored1)> = tensors.iter().map(one).collect::<Result<_, Failure>>()?;
            let views = stored.iter().map(|(name, view)| (name, view));
            serialize_to_file(views, None, path).map_err(|e| wrong(e.to_string()))
        }
    }
}
