//! `eval`: files one reading. A [`FilingRequest`] in, a [`NewReading`] out; prints nothing.
//!
//! Everything is validated before anything is written: arguments, repository, node, scenario, the ledger as it stands,
//! the evidence. Then the evidence is made durable, then one line is appended (the protocol is in [`crate::store`]).

mod advice;
mod measured;

pub use advice::dirty_advice;

use crate::engine::effective::Effective;
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::ledger::{
    Event, Evidence, EvidenceHash, Ledger, Reading, ReadingVerdict, Status, Timestamp, encode_reading, parse,
};
use crate::model::node::{Node, is_newer};
use crate::model::scenario::Scenario;
use crate::store::Store;
use crate::store::evidence::{Cache, PendingEvidence, Source};
use crate::store::kind::Expect;
use crate::store::ledger::{OpenLedger, next_ts};
use crate::store::lock::GcShared;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use advice::{WantedEvidence, refuse_dirty};
use measured::MeasuredNow;
use site::Site;

/// Longest note in bytes.
pub const MAX_NOTE: usize = 2048;
/// Longest other text in bytes.
pub const MAX_FIELD: usize = 4096;

/// What the user wants filed.
pub struct FilingRequest {
    /// A node reference; `None` or `.` for the node the user stands in or the branch touched.
    pub node: Option<String>,
    /// The scenario; may be left out when the node declares one.
    pub scenario: Option<String>,
    /// Pass or fail.
    pub status: Status,
    /// A one-line annotation of at most [`MAX_NOTE`] bytes.
    pub note: Option<String>,
    /// Evidence with what it was said to be, in the order given.
    pub evidence: Vec<(Expect, Source)>,
    /// A step timeline; needs evidence beside it.
    pub timeline: Option<Source>,
    /// `name@version`; `None` for `manual` at its configured version.
    pub evaluator: Option<String>,
    /// Who measured.
    pub by: Option<String>,
    /// Refuse when a governed file differs from HEAD, or a pass lacks the evidence that its tag asks for.
    pub strict: bool,
    /// Validate everything, write nothing.
    pub dry_run: bool,
    /// The clock.
    pub now: Timestamp,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A line was appended.
    Filed,
    /// The latest effective reading says all this already; nothing was written.
    AlreadyFiled,
    /// A dry run: this would be appended.
    WouldFile,
}

/// The receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReading {
    /// What became of it.
    pub outcome: Outcome,
    /// The node's id.
    pub node: String,
    /// The node's directory.
    pub dir: RepoPath,
    /// The ledger.
    pub ledger: RepoPath,
    /// The reading as the ledger holds it.
    pub reading: Reading,
    /// The governed files that differ from the commit. Not empty: a warning with [`dirty_advice`].
    pub dirty: Vec<RepoPath>,
    /// What the configuration asks of the evidence and it has not, and that git ignores the ledger; one sentence each:
    /// warnings.
    pub lacks: Vec<String>,
}

/// Files one reading.
///
/// # Errors
/// Usage for arguments; refused (exit 1) for a repository in a state in which nothing can be filed; unchecked (exit 3)
/// for what could not be read, locked or written. After any error nothing was filed, and the same request can be made
/// again.
pub fn eval(site: &dyn Site, store: &Store, mut request: FilingRequest) -> Result<NewReading> {
    validate(&request)?;
    let work_dir = site::work_dir(site)?;
    let head = head(site)?;
    let config = site.config()?;
    let nodes = site.nodes()?;
    let node = site::find_node(site, &nodes, request.node.as_deref())?;
    let scenario = site::find_scenario(&nodes, node, request.scenario.as_deref())?;
    let ledger = site::ledger_path(node);
    for known in &node.ledgers {
        site::refuse_unsound(site, known)?;
    }
    site::latest_believable(&node.ledgers, &scenario.name, request.now)?;
    let hidden = advice::hidden_ledger(site, (&config, node), &ledger)?;
    advice::refuse_hidden(&request, hidden.as_deref())?;
    let measured = measured::measure(site, &head, node, scenario, &config)?;
    refuse_dirty(&request, &measured)?;
    let draft = draft(&request, &config, scenario, head, &measured)?;
    let wanted = WantedEvidence::of(&request, &config, scenario);
    let store = &store.clone().of_newer_generation(is_newer(&nodes));
    let filing = Filing { site, store, work_dir, node, ledger, now: request.now, wanted: &wanted };
    let (outcome, reading) = if request.dry_run {
        let attached = examine(store, &mut request)?;
        wanted.refuse(&attached.0)?;
        let draft = with_evidence(draft, attached);
        filing.preview(draft)?
    } else {
        filing.file(draft, request)?
    };
    let (ledger, mut lacks) = (filing.ledger, wanted.advice(&reading.evidence));
    lacks.extend(hidden);
    Ok(NewReading {
        outcome,
        node: node.id.clone(),
        dir: node.dir.clone(),
        ledger,
        reading,
        dirty: measured.dirty,
        lacks,
    })
}

fn validate(request: &FilingRequest) -> Result<()> {
    site::one_line("note", request.note.as_deref(), MAX_NOTE)?;
    site::one_line("name after --by", request.by.as_deref(), MAX_FIELD)?;
    site::one_line("evaluator", request.evaluator.as_deref(), MAX_FIELD)?;
    if let Some(text) = &request.evaluator {
        let parts: Vec<_> = text.split('@').collect();
        if parts.len() != 2 || parts.iter().any(|part| part.trim().is_empty()) {
            return Err(Error::usage(format!("`{text}` is no evaluator")).hint("write name@version, manual@1 say"));
        }
    }
    if request.timeline.is_some() && request.evidence.is_empty() {
        return Err(Error::usage("a timeline needs evidence that it is the timeline of")
            .hint("add --video, or another piece of evidence"));
    }
    Ok(())
}

fn head(site: &dyn Site) -> Result<Oid> {
    site.head()?.ok_or_else(|| {
        Error::refused("there is no commit yet that a reading could name")
            .hint("commit what you measured, then file again")
    })
}

/// The reading without its evidence and its time.
fn draft(
    request: &FilingRequest,
    config: &Config,
    scenario: &Scenario,
    head: Oid,
    measured: &MeasuredNow,
) -> Result<Reading> {
    let manual = || config.evaluators.get("manual").map_or("manual@1".into(), |version| format!("manual@{version}"));
    Ok(Reading {
        scenario: scenario.name.clone(),
        code_sha: Some(head),
        scenario_hash: config.stamp_content.then_some(scenario.text_hash),
        evidence: Vec::new(),
        timeline: None,
        evaluator: Some(request.evaluator.clone().unwrap_or_else(manual)),
        governed: measured.stamp.clone(),
        dirty: !measured.dirty.is_empty(),
        by: request.by.clone(),
        verdict: ReadingVerdict::Measured(request.status),
        note: request.note.clone(),
        ts: request.now,
    })
}

type Attached = (Vec<Evidence>, Option<EvidenceHash>);

fn with_evidence(draft: Reading, (evidence, timeline): Attached) -> Reading {
    Reading { evidence, timeline, ..draft }
}

/// The evidence by name and kind, without storing it.
fn examine(store: &Store, request: &mut FilingRequest) -> Result<Attached> {
    let cache = store.evidence();
    let mut evidence = Vec::new();
    for (expect, source) in request.evidence.drain(..) {
        let (hash, kind) = cache.examine(source, expect)?;
        evidence.push(Evidence { hash, kind });
    }
    let timeline = request.timeline.take().map(|source| cache.examine(source, Expect::Timeline)).transpose()?;
    Ok((evidence, timeline.map(|(hash, _)| hash)))
}

/// The evidence under temporary names: every piece is judged before the first one is published.
fn stage(
    cache: &Cache,
    right: &GcShared,
    request: FilingRequest,
) -> Result<(Vec<PendingEvidence>, Option<PendingEvidence>)> {
    let stage = |(expect, source)| cache.stage(right, source, expect);
    let evidence = request.evidence.into_iter().map(stage).collect::<Result<_>>()?;
    let timeline = request.timeline.map(|source| cache.stage(right, source, Expect::Timeline)).transpose()?;
    Ok((evidence, timeline))
}

fn named(staged: &[PendingEvidence]) -> Vec<Evidence> {
    staged.iter().map(|one| Evidence { hash: one.hash, kind: one.kind }).collect()
}

fn publish(
    cache: &Cache,
    right: &GcShared,
    staged: (Vec<PendingEvidence>, Option<PendingEvidence>),
) -> Result<Attached> {
    let mut evidence = Vec::new();
    for one in staged.0 {
        let kind = one.kind;
        evidence.push(Evidence { hash: cache.publish(right, one)?, kind });
    }
    let timeline = staged.1.map(|one| cache.publish(right, one)).transpose()?;
    Ok((evidence, timeline))
}

/// Where a reading goes.
struct Filing<'a> {
    site: &'a dyn Site,
    store: &'a Store,
    work_dir: &'a std::path::Path,
    node: &'a Node,
    ledger: RepoPath,
    now: Timestamp,
    wanted: &'a WantedEvidence<'a>,
}

impl Filing<'_> {
    /// The right to add evidence is held until the line stands, so that no collector comes between the two.
    fn file(&self, draft: Reading, request: FilingRequest) -> Result<(Outcome, Reading)> {
        let right = self.store.share_evidence()?;
        let cache = self.store.evidence();
        let staged = stage(&cache, &right, request)?;
        self.wanted.refuse(&named(&staged.0))?;
        let draft = with_evidence(draft, publish(&cache, &right, staged)?);
        let lock = self.store.lock_ledger()?;
        let open = OpenLedger::open(&lock, self.work_dir, &self.ledger)?;
        let now = parse(&self.ledger, &open.read()?);
        site::refuse_unsound(self.site, &now)?;
        let (outcome, reading) = self.settle(draft, now)?;
        if outcome == Outcome::WouldFile {
            open.append(&encode_reading(&reading))?;
            return Ok((Outcome::Filed, reading));
        }
        Ok((outcome, reading))
    }

    fn preview(&self, draft: Reading) -> Result<(Outcome, Reading)> {
        let known = self.node.ledgers.iter().find(|ledger| ledger.path == self.ledger).cloned();
        self.settle(draft, known.unwrap_or_default())
    }

    /// The reading as the ledger will hold it, or the one that says the same already.
    fn settle(&self, draft: Reading, now: Ledger) -> Result<(Outcome, Reading)> {
        let others = self.node.ledgers.iter().filter(|ledger| ledger.path != self.ledger).cloned();
        let ts = next_ts(&now, self.now);
        let ledgers: Vec<_> = std::iter::once(now).chain(others).collect();
        site::latest_believable(&ledgers, &draft.scenario, self.now)?;
        let reading = as_written(&Reading { ts, ..draft })?;
        match Effective::over(&ledgers).latest(&reading.scenario) {
            Some(before) if says_the_same(before, &reading) => Ok((Outcome::AlreadyFiled, before.clone())),
            _ => Ok((Outcome::WouldFile, reading)),
        }
    }
}

/// What a reader will make of the line: the encoder leaves out a stamp that is too long.
fn as_written(reading: &Reading) -> Result<Reading> {
    let ledger = parse(&RepoPath::root(), encode_reading(reading).as_bytes());
    match ledger.lines.into_iter().next().map(|line| line.event) {
        Some(Event::Reading(reading)) => Ok(*reading),
        _ => Err(ledger.problems.first().map_or_else(
            || Error::unchecked("the reading cannot be written as a ledger line"),
            |problem| Error::refused(format!("the reading would be no valid ledger line: {}", problem.message)),
        )),
    }
}

/// Whether two readings testify to the same measurement, whoever filed it and whenever.
fn says_the_same(before: &Reading, new: &Reading) -> bool {
    let ignoring = |reading: &Reading| Reading { ts: new.ts, by: None, ..reading.clone() };
    ignoring(before) == ignoring(new)
}

pub mod redact;
pub mod repair;
pub mod retract;
pub mod site;
#[cfg(test)]
mod tests;
