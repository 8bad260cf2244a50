//! Behaviours that are measured many times: runs with a rate, environments, and what could not be measured here.

mod judge;
mod model;
mod print;
mod verbs;

// What other features use.
pub(crate) use judge::counted::derived;
pub(crate) use verbs::flags::typed_env;

use super::Feature;
use crate::cli::extra::Extra;
use crate::features::evals::verbs::flags;

pub(super) const ROW: Feature =
    Feature { filing: Some(flags::FILING), extras: &[Extra::FilesMany(flags::files_blocked)], ..Feature::NONE };
