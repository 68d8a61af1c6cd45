//! NumPy's `.npy`: one array with its dtype, order and sizes.
//!
//! Both orders are read; C order is written. Byte orders other than the machine's, records and Python objects are refused by
//! name. bfloat16 and the 8-bit floats have no name in NumPy, and are refused.

use litz_api::{Dtype, Tensor};

const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy's names.
const NAMES: [(&str, Dtype); 14] = [
    ("|b1", Dtype::Bool),
    ("|u1", Dtype::Uint8),
    ("|i1", Dtype::Int8),
    ("<u2", Dtype::Uint16),
    ("<i2", Dtype::Int16),
    ("<u4", Dtype::Uint32),
    ("<i4", Dtype::Int32),
    ("<u8", Dtype::Uint64),
    ("<i8", Dtype::Int64),
    ("<f2", Dtype::Float16),
    ("<f4", Dtype::Float32),
    ("<f8", Dtype::Float64),
    ("<c8", Dtype::Complex64),
    ("<c16", Dtype::Complex128),
];

pub fn read(bytes: &[u8]) -> Result<Tensor, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("is no .npy: its magic is missing")?;
    let short = "ends within its header";
    let (&major, rest) = rest.split_first().ok_or(short)?;
    let rest = rest.get(1..).ok_or(short)?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk::<2>().map(|(n, r)| (u16::from_le_bytes(*n) as usize, r)),
        2 | 3 => rest.split_first_chunk::<4>().map(|(n, r)| (u32::from_le_bytes(*n) as usize, r)),
        _ => return Err(format!("is a .npy of version {major}, which is not known")),
    }
    .ok_or(short)?;
    let (header, data) = rest.split_at_checked(length).ok_or(short)?;
    let header = std::str::from_utf8(header).map_err(|_| "has a header that is no text")?;
    let value = |key: &str| {
        let (_, rest) = header.split_once(&format!("'{key}':"))?;
        Some(rest.trim_start())
    };
    let descr = value("descr").and_then(|v| v.strip_prefix('\'')?.split_once('\''));
    let descr = descr.ok_or("holds records or objects, and not an array of numbers")?.0;
    let plain = descr.replacen('=', "<", 1);
    let plain =
        if plain.ends_with(['1']) && !plain.starts_with('|') { format!("|{}", &plain[1..]) } else { plain };
    let found = NAMES.iter().find(|(name, _)| *name == plain);
    let dtype =
        found.ok_or_else(|| format!("has elements of NumPy's type `{descr}`, which is not supported"))?.1;
    let fortran = value("fortran_order").is_some_and(|v| v.starts_with("True"));
    let sizes = value("shape").and_then(|v| v.strip_prefix('(')?.split_once(')')).ok_or("has no shape")?.0;
    let sizes = sizes.split(',').map(str::trim).filter(|s| !s.is_empty());
    let shape: Vec<i64> = sizes
        .map(|s| s.trim_end_matches('L').parse())
        .collect::<Result<_, _>>()
        .map_err(|_| "has an odd shape")?;
    let wrong = |e: litz_api::Error| e.message;
    let mut tensor = Tensor::zeros(dtype, &shape).map_err(wrong)?;
    let room = tensor.bytes_mut().ok_or("has no memory")?;
    if room.len() != data.len() {
        return Err(format!("has {} bytes of data, and its header says {}", data.len(), room.len()));
    }
    if fortran {
        rows_of_columns(data, room, &shape, dtype.size());
    } else {
        room.copy_from_slice(data);
    }
    Ok(tensor)
}

/// Reorders elements whose first dimension is the innermost in memory.
fn rows_of_columns(data: &[u8], out: &mut [u8], shape: &[i64], size: usize) {
    let mut index = vec![0usize; shape.len()];
    for place in out.chunks_exact_mut(size) {
        let mut offset = 0;
        for (k, i) in index.iter().enumerate().rev() {
            offset = offset * shape[k] as usize + i;
        }
        place.copy_from_slice(&data[offset * size..(offset + 1) * size]);
        for k in (0..index.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] as usize {
                break;
            }
            index[k] = 0;
        }
    }
}

pub fn write(tensor: &Tensor) -> Result<Vec<u8>, String> {
    let name = NAMES.iter().find(|(_, dtype)| *dtype == tensor.dtype());
    let name = name.ok_or_else(|| format!("NumPy has no {}; write .safetensors", tensor.dtype().name()))?.0;
    let sizes: String = tensor.shape().iter().map(|d| format!("{d}, ")).collect();
    let sizes = if tensor.shape().len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // The data begin at a multiple of 64 bytes.
    let fixed = MAGIC.len() + 4;
    let length = (fixed + header.len() + 1).next_multiple_of(64) - fixed;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend(u16::try_from(length).map_err(|_| "the header is too long")?.to_le_bytes());
    out.extend(header.bytes());
    out.extend(&*tensor.bytes().map_err(|e| e.message)?);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back() {
        for shape in [&[][..], &[3], &[2, 3], &[0, 4]] {
            let n: i64 = shape.iter().product();
            let numbers: Vec<f32> = (0..n).map(|k| k as f32).collect();
            let tensor = Tensor::from_slice(shape, &numbers).unwrap();
            let bytes = write(&tensor).unwrap();
            assert_eq!((bytes.len() - tensor.bytes().unwrap().len()) % 64, 0);
            let back = read(&bytes).unwrap();
            assert_eq!((back.shape(), back.to_vec::<f32>().unwrap()), (shape, numbers));
        }
    }

    #[test]
    fn columns_become_rows_and_what_cannot_be_is_named() {
        let of = |header: &str, data: &[u8]| {
            let mut bytes = MAGIC.to_vec();
            bytes.extend([1, 0]);
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.bytes());
            bytes.extend(data);
            read(&bytes)
        };
        let t =
            of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", &[1, 4, 2, 5, 3, 6]).unwrap();
        assert_eq!(t.to_vec::<u8>().unwrap(), [1, 2, 3, 4, 5, 6]);
        for (header, what) in [
            ("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "`>f4`"),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "records"),
            ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "`|O`"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }", "its header says 36"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "sizes"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }", "odd shape"),
        ] {
            let message = of(header, &[0; 4]).unwrap_err();
            assert!(message.contains(what), "{header}: {message}");
        }
        assert!(read(b"\x93NUMPY\x01").is_err() && read(b"abc").is_err());
    }
}
