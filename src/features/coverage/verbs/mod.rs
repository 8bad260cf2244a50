//! `coverage`, and what coverage adds to `eval` and `new`.

pub(super) mod coverage;
pub(super) mod coverage_args;
