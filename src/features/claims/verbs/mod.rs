//! What claims add to other verbs.

pub(crate) mod filing;
pub(super) mod prune;
