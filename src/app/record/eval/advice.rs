//! Advice about a reading that is about to be filed. With `--strict` the reading is refused instead.

use super::FilingRequest;
use super::measured::MeasuredNow;
use crate::app::site::Site;
use crate::error::{Error, Refusal, Result};
use crate::finding::{Level, RuleId};
use crate::model::config::{Config, Lack};
use crate::model::ledger::{Evidence, Status};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::tree::Ignored;
use crate::tree::path::RepoPath;

/// Advice if governed content differs from the commit that the reading names; empty otherwise.
pub(crate) fn dirty_advice(dirty: &[String]) -> Vec<String> {
    if dirty.is_empty() {
        return Vec::new();
    }
    let files = dirty.iter().take(10).map(|path| format!("  {path}"));
    let more = dirty.len().checked_sub(11).map(|rest| format!("  and {} more: git status", rest + 1));
    let head = "governed files differ from the commit that this reading names:".to_owned();
    let tail = "the order that leaves no doubt: commit, measure, file".to_owned();
    std::iter::once(head).chain(files).chain(more).chain([tail]).collect()
}

pub(super) fn refuse_dirty(request: &FilingRequest, measured: &MeasuredNow) -> Result<()> {
    if !request.strict || measured.differing.is_empty() {
        return Ok(());
    }
    let mut lines = dirty_advice(&measured.differing).into_iter();
    let error = Error::refused(lines.next().unwrap_or_default()).because(Refusal::NotMet);
    Err(lines.fold(error, Error::hint))
}

/// Advice if the reading would go into a new ledger that git ignores; `None` if the rule is switched off or only informs.
pub(super) fn hidden_ledger(
    site: &dyn Site,
    config: &Config,
    node: &Node,
    ledger: &RepoPath,
) -> Result<Option<String>> {
    let level = config.level(RuleId::SpecIgnored, RuleId::SpecIgnored.default_level());
    if level < Some(Level::Warning) || node.ledgers.iter().any(|known| known.path == *ledger) {
        return Ok(None);
    }
    let ignored = site.worktree()?.ignored(std::slice::from_ref(ledger))?;
    let sentence =
        |rule: &Ignored| format!("{ledger} is hidden by {}: no commit will hold this reading", rule.rule.words());
    Ok(ignored.first().map(sentence))
}

pub(super) fn refuse_hidden(request: &FilingRequest, hidden: Option<&str>) -> Result<()> {
    match hidden.filter(|_| request.strict) {
        Some(sentence) => {
            Err(Error::refused(sentence).because(Refusal::NotMet).hint("narrow that rule, then file again"))
        }
        None => Ok(()),
    }
}

/// The evidence that the configuration demands of one reading.
pub(super) struct WantedEvidence<'a> {
    config: &'a Config,
    scenario: &'a Scenario,
    /// Whether a pass is filed. A fail needs no evidence.
    passes: bool,
    strict: bool,
}

impl<'a> WantedEvidence<'a> {
    pub(super) fn of(request: &FilingRequest, config: &'a Config, scenario: &'a Scenario) -> Self {
        Self { config, scenario, passes: request.status == Status::Pass, strict: request.strict }
    }

    /// The missing evidence; empty if the rule is switched off or only informs.
    fn lacks(&self, evidence: &[Evidence]) -> Vec<Lack> {
        let rule = RuleId::EvidenceKind;
        let level = self.config.level(rule, rule.default_level());
        if !self.passes || level < Some(Level::Warning) {
            return Vec::new();
        }
        self.config.lacking(&self.scenario.tags, evidence)
    }

    /// One line for each piece of missing evidence.
    pub(super) fn advice(&self, evidence: &[Evidence]) -> Vec<String> {
        self.lacks(evidence).into_iter().map(|lack| format!("{}: {}", lack.sentence(), lack.flags())).collect()
    }

    pub(super) fn refuse(&self, evidence: &[Evidence]) -> Result<()> {
        match self.lacks(evidence).into_iter().next() {
            Some(lack) if self.strict => Err(Error::refused(lack.sentence())
                .because(Refusal::NotMet)
                .hint(format!("file it with {}", lack.flags()))),
            _ => Ok(()),
        }
    }
}
