//! Advice about a reading that is about to be filed. With `--strict` the reading is refused instead.

use super::Filing;
use super::written::as_written;
use crate::app::site::Site;
use crate::engine::freshness::governed;
use crate::error::{Error, Refusal, Result};
use crate::finding::{Level, RuleId};
use crate::model::config::{Config, Lack};
use crate::model::governed::{Found, Governed};
use crate::model::ledger::{Evidence, Reading, ReadingVerdict, Status, TestAtCommit};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::names::{LEDGER_GLOB, is_segment};
use crate::text::escape::{echo, in_ascii};
use crate::tree::Ignored;
use crate::tree::path::RepoPath;

/// Why a test has no stamp.
const NO_STAMP: &str =
    "more than 256 files, a path with `#`, the whole repository, an edited submodule, or a line over 32 KiB";
const COMMIT_FIRST: &str = "commit the test, then measure";

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

pub(super) fn refuse_dirty(differing: &[String]) -> Result<()> {
    if differing.is_empty() {
        return Ok(());
    }
    let mut lines = dirty_advice(differing).into_iter();
    let error = Error::refused(lines.next().unwrap_or_default()).because(Refusal::NotMet);
    Err(lines.fold(error, Error::hint))
}

pub(super) fn refuse_doubt(sentence: Option<&String>) -> Result<()> {
    match sentence {
        Some(sentence) => Err(Error::refused(sentence).because(Refusal::Stale).hint("measure again, then file")),
        None => Ok(()),
    }
}

/// One line for each path of the governed list at which nothing is, because nothing of it is measured, and for a test that has
/// its name in another Unicode form.
pub(crate) fn absent(node: &Node, scenario: &Scenario) -> Vec<String> {
    let line =
        |path: &Governed| Some(format!("`code` names {:?}, which {}", echo(&path.text), path.governs_nothing()?));
    let of_test = scenario.test.as_ref().filter(|test| matches!(test.found, Found::OtherForm(_)));
    let of_test = of_test
        .and_then(|test| Some(format!("`test` names {:?}, which {}", echo(&test.text), test.governs_nothing()?)));
    governed(node, scenario).iter().filter_map(line).chain(of_test).collect()
}

/// Advice if the line has no room for the stamp of the test: then the commit testifies.
pub(crate) fn unstamped_test(reading: &Reading) -> Result<Option<String>> {
    if reading.test.is_none() {
        return Ok(None);
    }
    Ok(without_stamp(&as_written(reading)?).map(|then| match then.is_same {
        true => {
            let entry = in_ascii(&then.entry.to_string());
            format!("the test {entry} has no stamp ({NO_STAMP}): it is compared with the commit of the reading")
        }
        false => format!("{}; {COMMIT_FIRST}", never_fresh(then)),
    }))
}

/// With `--strict` a reading that is never fresh is refused. `reading` is one as its line says it.
pub(super) fn refuse_uncommitted_test(reading: &Reading) -> Result<()> {
    match without_stamp(reading).filter(|then| !then.is_same) {
        Some(then) => Err(Error::refused(never_fresh(then)).because(Refusal::NotMet).hint(COMMIT_FIRST)),
        None => Ok(()),
    }
}

fn never_fresh(then: &TestAtCommit) -> String {
    let entry = in_ascii(&then.entry.to_string());
    format!("the test {entry} differs from the commit and has no stamp ({NO_STAMP}): this reading is never fresh")
}

fn without_stamp(reading: &Reading) -> Option<&TestAtCommit> {
    reading.test.as_ref().filter(|_| reading.has_unstamped_test()).and_then(|test| test.at_commit.as_ref())
}

pub(super) fn refuse_absent(absent: &[String]) -> Result<()> {
    match absent.first() {
        Some(line) => Err(Error::refused(line)
            .because(Refusal::NotMet)
            .hint("correct the list in the scenario file, then file again")),
        None => Ok(()),
    }
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
    // stock files that let one ledger through know no segments
    let way_out = if is_segment(ledger.name()) { format!("; below that rule: !{LEDGER_GLOB}") } else { String::new() };
    let sentence = |rule: &Ignored| {
        format!("{ledger} is hidden by {}: no commit will hold this reading{way_out}", rule.rule.words())
    };
    Ok(ignored.first().map(sentence))
}

pub(super) fn refuse_hidden(hidden: Option<&str>) -> Result<()> {
    match hidden {
        Some(sentence) => {
            Err(Error::refused(sentence).because(Refusal::NotMet).hint("narrow that rule, then file again"))
        }
        None => Ok(()),
    }
}

impl Filing<'_> {
    /// The evidence that the configuration demands of a pass and that is missing; empty if the rule is switched off or only
    /// informs. A fail needs no evidence.
    fn lacks(&self, evidence: &[Evidence]) -> Vec<Lack> {
        let (rule, config) = (RuleId::EvidenceKind, &self.work.config);
        let is_pass = self.draft.verdict == ReadingVerdict::Measured(Status::Pass);
        if !is_pass || config.level(rule, rule.default_level()) < Some(Level::Warning) {
            return Vec::new();
        }
        config.lacking(&self.scenario.tags, evidence)
    }

    /// One line for each piece of missing evidence.
    pub(crate) fn evidence_advice(&self, evidence: &[Evidence]) -> Vec<String> {
        self.lacks(evidence).into_iter().map(|lack| format!("{}: {}", lack.sentence(), lack.flags())).collect()
    }

    /// With `--strict` a pass without the demanded evidence is refused.
    pub(crate) fn refuse_lacking(&self, evidence: &[Evidence]) -> Result<()> {
        match self.lacks(evidence).into_iter().next() {
            Some(lack) if self.strict => Err(Error::refused(lack.sentence())
                .because(Refusal::NotMet)
                .hint(format!("file it with {}", lack.flags()))),
            _ => Ok(()),
        }
    }
}
