//! Who measures which scenario now, or works on which key or path: here and on a board that other machines see.

mod verbs;

use super::Feature;
use crate::cli::extra::Extra;
use crate::features::claims::verbs::prune_board;

pub(super) const ROW: Feature = Feature { extras: &[Extra::PrunesRemote(prune_board)], ..Feature::NONE };
