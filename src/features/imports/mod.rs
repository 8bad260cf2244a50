//! What other tools wrote: reports of test runners, and scenarios in files of Gherkin, OpenSpec and spec-kit.

mod judge;

use super::Feature;
use crate::cli::extra::Extra;
use crate::features::imports::judge::drafts;

pub(super) const ROW: Feature = Feature { extras: &[Extra::ReadsScenarios(drafts::read)], ..Feature::NONE };
