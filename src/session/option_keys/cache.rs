//! The keys of the cache, on disk, in memory and on a server.

use super::{Key, parse_bool};
use std::path::PathBuf;
use std::time::Duration;

pub const KEYS: &[Key] = &[
    Key {
        name: "cache.enabled",
        ty: "bool",
        default: "true",
        meaning: "What a compilation makes is kept, in memory and on disk, and found again by later ones of the same program. describe says the entry's cache_key and the cache_level where it was found.",
        set: |o, v| {
            o.cache_enabled = parse_bool(v)?;
            Ok(())
        },
    },
    Key {
        name: "cache.dir",
        ty: "folder",
        default: "",
        meaning: "Where it is kept on disk, a folder of this user that others cannot write to; empty: litz in the user's cache folder (XDG_CACHE_HOME, or .cache in HOME).",
        set: |o, v| {
            o.cache_folder = (!v.is_empty()).then(|| PathBuf::from(v));
            Ok(())
        },
    },
    Key {
        name: "cache.max_bytes",
        ty: "integer",
        default: "1073741824",
        meaning: "How much that folder holds at most; what was used least recently is removed.",
        set: |o, v| {
            o.cache_max_bytes = v.parse().map_err(|_| "it is a number of bytes")?;
            Ok(())
        },
    },
    Key {
        name: "cache.memory_bytes",
        ty: "integer",
        default: "33554432",
        meaning: "How much the process keeps in memory at most, for its own later compilations, until litz_reset; 0: nothing.",
        set: |o, v| {
            o.cache_memory_bytes = v.parse().map_err(|_| "it is a number of bytes")?;
            Ok(())
        },
    },
    Key {
        name: "cache.remote",
        ty: "URL",
        default: "",
        meaning: "A store that machines share, redis://[user:password@]host[:port][/database], asked after the folder. Needs cache.remote_key, and a build with the Cargo feature remote-cache. A server that is slow, full, wrong or absent costs cache.remote_timeout at most.",
        set: |o, v| {
            check_remote(v)?;
            o.cache_remote = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "cache.remote_key",
        ty: "text of at least 16 characters",
        default: "",
        meaning: "What entries of the store are sealed with (HMAC-SHA256): one that does not verify is not used, since entries are code. Machines that share entries share it.",
        set: |o, v| {
            if !v.is_empty() && v.len() < 16 {
                return Err("it has 16 characters at least".into());
            }
            o.cache_remote_key = (!v.is_empty()).then(|| v.to_string());
            Ok(())
        },
    },
    Key {
        name: "cache.remote_timeout",
        ty: "seconds",
        default: "1",
        meaning: "What the store may cost a compilation, all calls together.",
        set: |o, v| {
            let fits = |s: &f64| *s > 0.0 && *s <= 3600.0;
            let seconds = v.parse::<f64>().ok().filter(fits).ok_or("it is a positive number, up to 3600")?;
            o.cache_remote_timeout = Duration::from_secs_f64(seconds);
            Ok(())
        },
    },
    Key {
        name: "cache.remote_max_bytes",
        ty: "integer",
        default: "67108864",
        meaning: "The largest entry, compressed, that is sent to the store or taken from it.",
        set: |o, v| {
            o.cache_remote_max_bytes =
                v.parse().ok().filter(|n| *n <= 1 << 40).ok_or("it is a number of bytes, up to 2^40")?;
            Ok(())
        },
    },
    Key {
        name: "cache.remote_expiry",
        ty: "seconds",
        default: "2592000",
        meaning: "How long the store keeps an entry.",
        set: |o, v| {
            let seconds: u64 = v
                .parse()
                .ok()
                .filter(|n| (1..=10_000_000_000).contains(n))
                .ok_or("it is a number of seconds from 1")?;
            o.cache_remote_expiry = Duration::from_secs(seconds);
            Ok(())
        },
    },
    Key {
        name: "cache.fresh",
        ty: "bool",
        default: "false",
        meaning: "The cache is not asked: everything is made again, autotuning's choices too, and replaces what the cache held.",
        set: |o, v| {
            o.cache_fresh = parse_bool(v)?;
            Ok(())
        },
    },
];

pub const CACHE_MAX_BYTES: u64 = 1 << 30;
pub const CACHE_MEMORY_BYTES: u64 = 32 << 20;
pub const CACHE_REMOTE_BYTES: u64 = 64 << 20;
pub const CACHE_REMOTE_SECONDS: u64 = 30 * 24 * 3600;

#[cfg(feature = "remote-cache")]
fn check_remote(url: &str) -> Result<(), String> {
    if url.is_empty() { Ok(()) } else { crate::device::cache::check_url(url) }
}

#[cfg(not(feature = "remote-cache"))]
fn check_remote(url: &str) -> Result<(), String> {
    if url.is_empty() { Ok(()) } else { Err("remote caches are not supported by this build".into()) }
}
