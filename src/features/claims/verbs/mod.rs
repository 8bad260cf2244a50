//! The verbs `claim` and `next`, and what claims add to others.

pub(super) mod claim;
pub(super) mod claim_args;
pub(crate) mod filing;
pub(super) mod next;
pub(super) mod next_args;
pub(super) mod prune;
mod values;
