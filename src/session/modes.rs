//! The modes of the option `mode`: values of other keys under one name.
//!
//! Deliberately absent: what these keys mean (see `option_keys`), and which value wins (see `option_values`).

/// The modes, each with the values that it gives other keys.
pub const MODES: [(&str, &[(&str, &str)]); 4] = [
    ("default", &[]),
    ("reduce-overhead", &[("cudagraph.enabled", "true")]),
    ("max-autotune", &[("autotune.enabled", "true"), ("cudagraph.enabled", "true")]),
    ("max-autotune-no-cudagraphs", &[("autotune.enabled", "true")]),
];

/// The values that a mode gives other keys.
pub fn mode_values(mode: &str) -> Option<&'static [(&'static str, &'static str)]> {
    MODES.iter().find(|m| m.0 == mode).map(|m| m.1)
}
