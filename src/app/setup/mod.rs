//! Making git call us, and telling whether it does; and the first file of a scenario.

pub mod doctor;
pub mod install;
pub(crate) mod new;
