//! Installs the git hooks and checks the installation; creates the first file of a scenario.

pub mod doctor;
pub mod install;
pub(crate) mod new;
