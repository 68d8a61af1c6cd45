//! Faults that tests plant, to see that they are found: in debug builds, the one that `LITZ_TEST_PLANT` names.
//!
//! Deliberately absent: any of it in a release build.

/// Whether the tests want this fault.
#[cfg(debug_assertions)]
pub fn is_planted(fault: &str) -> bool {
    std::env::var_os("LITZ_TEST_PLANT").is_some_and(|planted| planted == fault)
}

/// Whether the tests want this fault: never.
#[cfg(not(debug_assertions))]
pub const fn is_planted(_fault: &str) -> bool {
    false
}
