//! Bytes as text, in the standard alphabet with padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut word = [0u8; 3];
        word[..group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes([0, word[0], word[1], word[2]]);
        for k in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= group.len() { digit as char } else { '=' });
        }
    }
    text
}

/// The bytes, or what is wrong with the text.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return Err(format!("{} characters are no base64", text.len()));
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for c in group {
            let digit = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(format!("`{}` is no base64 digit", char::from(*c).escape_default())),
            };
            bits = bits << 6 | digit as u32;
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_every_length() {
        for n in 0..40u8 {
            let bytes: Vec<u8> = (0..n).map(|k| k.wrapping_mul(37) ^ 0xa5).collect();
            assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }
        assert_eq!(encode(b"Litz"), "TGl0eg==");
        for bad in ["A", "AAAAA", "A===", "AA?A", "é==="] {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }
}
