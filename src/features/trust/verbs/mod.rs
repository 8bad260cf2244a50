//! The verbs `sign` and `export`, and `--sign` of the verbs that write lines.

pub(super) mod export;
pub(super) mod export_args;
pub(super) mod sign;
pub(super) mod sign_args;
