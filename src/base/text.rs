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

/// A message that may quote what somebody else wrote, more than once: all of it, or the beginning and the end of a very
/// long one.
pub fn bounded(message: String) -> String {
    const PART: usize = 1500;
    let length = message.len();
    if length <= 2 * PART + 100 {
        return message;
    }
    let boundary = |at: &usize| message.is_char_boundary(*at);
    let head = (0..=PART).rev().find(boundary).unwrap_or(0);
    let tail = (length - PART..=length).find(boundary).unwrap_or(length);
    format!("{}… ({} bytes left out) …{}", &message[..head], tail - head, &message[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_keep_their_ends() {
        assert_eq!(bounded("short".into()), "short");
        let text = bounded(format!("begin{}end", "é".repeat(10_000)));
        assert!(text.starts_with("beginéé") && text.ends_with("ééend") && text.len() < 3200, "{text}");
        assert!(text.contains(" bytes left out) …é"), "{text}");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shortened("aten.add.Tensor"), "aten.add.Tensor");
        let long = "é".repeat(1000);
        let text = shortened(&format!("x{long}")).into_owned();
        assert!(text.starts_with("xéé") && text.ends_with("é… (2001 bytes)") && text.len() < 150, "{text}");
    }
}
