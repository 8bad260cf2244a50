//! The settings of patches, and the data of their reports.

pub(crate) mod answer;
pub(crate) mod settings;
