//! Text in messages.

use std::borrow::Cow;

/// What a message shows of a name that somebody else chose: all of it, or the beginning of a very long one.
pub fn shortened(name: &str) -> Cow<'_, str> {
    const MOST: usize = 120;
    if name.len() <= MOST {
        return Cow::Borrowed(name);
    }
    let end = (0..=MOST).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    Cow::Owned(format!("{}… ({} bytes)", &name[..end], name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shortened("aten.add.Tensor"), "aten.add.Tensor");
        let long = "é".repeat(1000);
        let text = shortened(&format!("x{long}")).into_owned();
        assert!(text.starts_with("xéé") && text.ends_with("é… (2001 bytes)") && text.len() < 150, "{text}");
    }
}
