//! The rule `under-declared`.

pub(super) mod under_declared;
