//! Coverage files, and edits during a measurement (docs/coverage.md).

mod began;
mod eval;
pub mod import;
mod key;
mod suggest;
