//! What other tools wrote: reports of test runners, and scenarios in files of Gherkin, OpenSpec and spec-kit.

mod judge;
pub mod model;
mod print;
mod verbs;

use super::Feature;
use crate::cli::extra::Extra;
use crate::features::imports::judge::drafts;
use crate::features::imports::verbs::reports;

pub(super) const ROW: Feature = Feature {
    filing: Some(reports::FILING),
    extras: &[Extra::FilesMany(reports::files_many), Extra::ReadsScenarios(drafts::read)],
    ..Feature::NONE
};
