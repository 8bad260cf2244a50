//! Making git call us, and telling whether it does.

pub mod doctor;
pub mod install;
