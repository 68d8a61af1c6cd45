//! `litz cache`: the entries of the cache on disk.

use crate::args::{CacheAction, CacheArgs};
use crate::failure::Failure;
use crate::output::{Output, bytes};
use crate::source;
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn cache(args: &CacheArgs, output: &Output) -> Result<(), Failure> {
    let (CacheAction::List { options } | CacheAction::Size { options } | CacheAction::Prune { options, .. }) =
        &args.action;
    let options = source::options(options, output)?;
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap_or_default();
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    match &args.action {
        CacheAction::List { .. } => {
            let about = read(options.cache()?);
            output.answer(&about, |o| {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
                let row = |e: &Value| {
                    vec![text(&e["key"]), bytes(number(&e["bytes"])), ago(now - number(&e["used"]))]
                };
                o.table(&about["entries"].as_array().into_iter().flatten().map(row).collect::<Vec<_>>());
            });
        }
        CacheAction::Size { .. } => {
            let mut about = read(options.cache()?);
            about["entries"] = about["entries"].as_array().map_or(0, Vec::len).into();
            output.answer(&about, |o| {
                o.say(&format!(
                    "{}: {} entries, {} of at most {}",
                    text(&about["folder"]),
                    about["entries"],
                    o.bold(&bytes(number(&about["bytes"]))),
                    bytes(number(&about["max_bytes"])),
                ));
            });
        }
        CacheAction::Prune { keep, .. } => {
            let about = read(options.prune_cache(size(keep)?)?);
            output.answer(&about, |o| {
                let removed = about["removed"].as_array().map_or(0, Vec::len);
                o.say(&format!("{removed} entries removed, {}", bytes(number(&about["bytes"]))));
            });
        }
    }
    Ok(())
}

/// "300M" as bytes.
fn size(text: &str) -> Result<u64, Failure> {
    let usage =
        || Failure::Usage(format!("--keep takes bytes, or a number with K, M or G, and this is `{text}`"));
    let (digits, factor) = match text.chars().last() {
        Some('K' | 'k') => (&text[..text.len() - 1], 1 << 10),
        Some('M' | 'm') => (&text[..text.len() - 1], 1 << 20),
        Some('G' | 'g') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)).ok_or_else(usage)
}

fn ago(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => "used just now".to_string(),
        s if s < 3600.0 => format!("used {:.0} min ago", s / 60.0),
        s if s < 86400.0 => format!("used {:.0} h ago", s / 3600.0),
        s => format!("used {:.0} days ago", s / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_have_units() {
        let of = |text| super::size(text).ok();
        assert_eq!(
            [of("0"), of("3K"), of("2m"), of("1G")],
            [Some(0), Some(3072), Some(2 << 20), Some(1 << 30)]
        );
        assert_eq!([of(""), of("M"), of("-1"), of("1T"), of("99999999999G")], [None; 5]);
    }
}
