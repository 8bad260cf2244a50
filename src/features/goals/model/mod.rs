//! The settings of goals, the result of the trust gate, and the rows in which goals are printed.

pub(crate) mod rows;
pub(crate) mod settings;
pub(crate) mod trust_gate;
pub(crate) mod weakened;
