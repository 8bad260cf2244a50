//! Findings about signatures and the trust that is asked for.

pub(crate) mod signature_broken;
pub(crate) mod signature_unknown;
mod trust_lowered;
pub(crate) mod trust_unmet;
