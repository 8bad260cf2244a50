//! Coverage files of other tools, and the answer of `coverage suggest`.

pub(crate) mod answer;
pub mod reports;
