//! What the gate would advise against in a reading that is about to be filed. With `--strict` it is not filed.

use super::Request;
use super::measured::Measured;
use crate::error::{Error, Result};
use crate::finding::{Level, RuleId};
use crate::model::config::Config;
use crate::model::reading::{Evidence, Status};
use crate::model::scenario::Scenario;
use crate::repo::path::RepoPath;
use crate::rules::{Lack, lacking};

/// What to tell somebody whose governed files differ from the commit that the reading names; nothing when none does.
pub fn dirty_advice(dirty: &[RepoPath]) -> Vec<String> {
    if dirty.is_empty() {
        return Vec::new();
    }
    let files = dirty.iter().take(10).map(|path| format!("  {path}"));
    let more = dirty.len().checked_sub(11).map(|rest| format!("  and {} more: git status", rest + 1));
    let head = "governed files differ from the commit that this reading names:".to_owned();
    let tail = "the order that leaves no doubt: measure, commit, then file".to_owned();
    std::iter::once(head).chain(files).chain(more).chain([tail]).collect()
}

pub(super) fn refuse_dirty(request: &Request, measured: &Measured) -> Result<()> {
    if !request.strict || measured.dirty.is_empty() {
        return Ok(());
    }
    let mut lines = dirty_advice(&measured.dirty).into_iter();
    let error = Error::refused(lines.next().unwrap_or_default());
    Err(lines.fold(error, Error::hint))
}

/// What the configuration asks of the evidence of one reading.
pub(super) struct Wanted<'a> {
    config: &'a Config,
    scenario: &'a Scenario,
    /// Whether it is a pass that is filed: nothing is asked of a fail.
    passes: bool,
    strict: bool,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(request: &Request, config: &'a Config, scenario: &'a Scenario) -> Self {
        Self { config, scenario, passes: request.status == Status::Pass, strict: request.strict }
    }

    /// What the gate will miss; nothing where the rule is switched off or only informs.
    fn lacks(&self, evidence: &[Evidence]) -> Vec<Lack> {
        let rule = RuleId::EvidenceKind;
        let level = self.config.level(rule, rule.default_level());
        if !self.passes || level < Some(Level::Warning) {
            return Vec::new();
        }
        lacking(self.config, self.scenario, evidence)
    }

    /// One line for everything that the gate will miss.
    pub(super) fn advice(&self, evidence: &[Evidence]) -> Vec<String> {
        self.lacks(evidence).into_iter().map(|lack| format!("{}: {}", lack.message, lack.flags)).collect()
    }

    pub(super) fn refuse(&self, evidence: &[Evidence]) -> Result<()> {
        match self.lacks(evidence).into_iter().next() {
            Some(lack) if self.strict => Err(Error::refused(lack.message).hint(format!("file it with {}", lack.flags))),
            _ => Ok(()),
        }
    }
}
