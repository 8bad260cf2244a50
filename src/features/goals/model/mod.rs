//! The settings of goals, and the rows in which goals are printed.

pub(crate) mod rows;
pub(crate) mod settings;
pub(crate) mod weakened;
