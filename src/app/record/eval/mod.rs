//! `eval`: files one reading. A [`FilingRequest`] in, a [`NewReading`] out; prints nothing.
//!
//! Everything is validated before anything is written: arguments, repository, node, scenario, the ledger as it stands,
//! the evidence. Then the evidence is made durable, then one line is appended (the protocol is in [`crate::store`]).

mod advice;
mod attached;
mod began;
mod keyed;
mod marked;
mod measured;
mod placeholder;
mod settle;
mod written;

pub(crate) use advice::{absent, dirty_advice, unstamped_test};
pub(crate) use began::BegunFiling;
pub(crate) use marked::{GivenNumbers, marker_advice};
pub(crate) use measured::{MeasuredNow, stamped_now};
pub(crate) use written::as_written;

use super::filing::{AskedReading, BegunStep, FilingAdvice, FilingGuard, FilingStep};
use super::transaction::Transaction;
use crate::app::site;
use crate::app::site::Site;
use crate::app::site::line_files::{GitHoldings, NewLineFiles};
use crate::app::site::spending;
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::budget::Judged;
use crate::error::{Error, Refusal, Result};
use crate::model::began::BeganToken;
use crate::model::config::Config;
use crate::model::contract::Goal;
use crate::model::labels::{ReadingKey, RunId};
use crate::model::ledger::{FilingTerms, Measures, Reading, ReadingVerdict, Status, Timestamp, encode_reading};
use crate::model::node::{Declared, Node, is_newer};
use crate::model::scenario::Scenario;
use crate::model::usage::{Characters, Usage};
use crate::report::view::receipt::FilingOutcome;
use crate::store::Store;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::store::lock::LedgerLock;
use crate::text::markers::{SaidMetric, Shown};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use attached::AttachedEvidence;
use placeholder::refuse_placeholder;
use std::cell::Cell;
use std::rc::Rc;

/// What the user wants filed.
pub(crate) struct FilingRequest {
    /// A node reference; `None` or `.` means the node of the current directory, or the one that the branch touched.
    pub node: Option<String>,
    /// The scenario; may be left out when the node declares one.
    pub scenario: Option<String>,
    /// `None` if a feature says it.
    pub verdict: Option<Status>,
    /// A one-line annotation of at most [`MAX_NOTE`] bytes.
    pub note: Option<String>,
    /// Whether the note only says what a report says: then another note makes no other measurement.
    pub is_note_of_report: bool,
    /// Evidence with its stated kind, in the order given.
    pub evidence: Vec<(Expect, Source)>,
    /// Metrics that were given beside the output, with `--metric`.
    pub metrics: Vec<SaidMetric>,
    /// Artifacts of the measurement, each with its name.
    pub artifacts: Vec<(RepoPath, Source)>,
    /// What features add.
    pub steps: Vec<Box<dyn FilingStep>>,
    /// A step timeline; needs evidence beside it.
    pub timeline: Option<Source>,
    /// `name@version`; `None` for `manual` at its configured version.
    pub evaluator: Option<String>,
    /// The name of the person who measured: one line, not checked.
    pub by: Option<String>,
    /// The token of `begin`: nothing is filed if the content changed since.
    pub began: Option<BeganToken>,
    /// The idempotency key: a second filing with the same key files nothing.
    pub key: Option<ReadingKey>,
    pub run: Option<RunId>,
    pub usage: Usage,
    /// Estimate the tokens from the evidence as it is taken in.
    pub estimate: Option<TokenEstimate>,
    /// Refuse when a governed file differs from HEAD, or a pass lacks the evidence that its tag asks for.
    pub strict: bool,
    /// Validate everything, write nothing.
    pub dry_run: bool,
    /// When it was filed: the `ts` of the line, unless the ledger has a later one.
    pub now: Timestamp,
}

/// The input for an estimate of the tokens.
#[derive(Clone, Debug)]
pub(crate) struct TokenEstimate {
    /// Counted characters of the prompt.
    pub prompt: Characters,
    /// Counted characters of the transcript, complete once it was read.
    pub transcript: Rc<Cell<Characters>>,
}

/// What was filed, for a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewReading {
    pub outcome: FilingOutcome,
    pub node: String,
    pub dir: RepoPath,
    /// The file that the line went to.
    pub ledger: RepoPath,
    /// The reading as the ledger holds it.
    pub reading: Reading,
    /// The governed files that differ from the commit.
    pub dirty: Vec<RepoPath>,
    /// The governed entries that differ, as the list names them: a file may differ while its governed unit does not. If
    /// not empty: a warning with [`dirty_advice`].
    pub differing: Vec<String>,
    /// The result of the budgets; `None` without limits.
    pub budget: Option<Judged>,
    /// Warning lines for a reading that is over its budget.
    pub over: Vec<String>,
    /// The right to file it had expired, and nobody else has it: a warning.
    pub late: bool,
    /// The markers in the output; `None` if the node has no goal contract, because then the output is not searched.
    pub shown: Option<Shown>,
    /// Warnings of features that asked other machines, one sentence each.
    pub unconfirmed: Vec<String>,
    /// Warnings, one sentence each: the missing evidence, and a ledger that git ignores.
    pub lacks: Vec<String>,
    /// What features say about it with `-v`.
    pub details: Vec<String>,
    /// Git ignores the ledger, so a plain `git add` refuses it.
    pub is_hidden: bool,
}

/// Files one reading.
///
/// # Errors
/// Usage for wrong arguments; refused (exit 1) if the state of the repository allows no filing; unchecked (exit 3) if
/// something could not be read, locked or written. After any error except a half-done one nothing was filed, and the same
/// request can be made again.
pub(crate) fn eval(site: &dyn Site, store: &Store, mut request: FilingRequest) -> Result<NewReading> {
    let steps = std::mem::take(&mut request.steps);
    let each = || steps.iter().map(|step| &**step);
    let (now, is_meant) = (request.now, !request.dry_run);
    let asked = each().map(|step| if is_meant { step.confirm(site, store, now) } else { Ok(None) });
    let unconfirmed: Vec<Option<String>> = asked.collect::<Result<_>>()?;
    validate(&request)?;
    let work = WorkTree::of(site, store, now)?;
    let node = site::find_node(site, &work.nodes, request.node.as_deref())?;
    let scenario = site::find_scenario(&work.nodes, node, request.scenario.as_deref())?;
    let mut filing = work.prepare(site, Declared { node, scenario }, 0, &request, each())?;
    for step in each() {
        if let Some(begun) = step.begin(site, &work.nodes, None)? {
            filing.complete(&*begun, 0)?;
        }
    }
    request.evidence.append(&mut filing.evidence);
    let numbers = GivenNumbers::of(&mut request, goal(node));
    let settled =
        if is_meant { filing.file(request, &numbers, &steps) } else { filing.preview(request, &numbers, &steps) };
    let Settled { outcome, ledger, reading, late, budget } = settled?;
    let told = |step: &dyn FilingStep| if is_meant { step.told(site, store, now) } else { None };
    let unconfirmed = each().zip(unconfirmed).filter_map(|(step, said)| said.or_else(|| told(step))).collect();
    let mut lacks = filing.evidence_advice(&reading.evidence);
    lacks.extend(absent(node, scenario));
    lacks.extend(unstamped_test(&reading)?);
    lacks.extend(filing.step_advice(outcome, &reading)?);
    let details = filing.details();
    let is_hidden = filing.hidden.is_some();
    lacks.extend(filing.doubts.into_iter().chain(filing.hidden));
    let over = budget.as_ref().map(|judged| spending::advice(judged, &reading, node)).unwrap_or_default();
    Ok(NewReading {
        outcome,
        node: node.id.clone(),
        dir: node.dir.clone(),
        ledger,
        reading,
        dirty: filing.dirty,
        differing: filing.differing,
        budget,
        over,
        late,
        shown: numbers.shown(),
        unconfirmed,
        lacks,
        details,
        is_hidden,
    })
}

pub(crate) fn goal(node: &Node) -> &Goal {
    node.file.as_ref().map_or(&Goal::Unset, |file| &file.goal)
}

/// The work tree in which readings are filed, read once for all of them.
pub(crate) struct WorkTree {
    pub(crate) head: Oid,
    pub(crate) config: Config,
    pub(crate) nodes: Vec<Node>,
    pub(crate) store: Store,
    pub(crate) files: NewLineFiles,
    /// What git held before the lock was taken.
    git: GitHoldings,
}

impl WorkTree {
    pub(crate) fn of(site: &dyn Site, store: &Store, now: Timestamp) -> Result<Self> {
        site::work_dir(site)?;
        let (head, config, nodes) = (head(site)?, site.config()?, site.nodes()?);
        let store = store.clone().of_newer_generation(is_newer(&nodes));
        let files = NewLineFiles::of(site, &config, &nodes, now)?;
        Ok(Self { head, config, nodes, store, files, git: GitHoldings::default() })
    }

    /// Checks everything about a reading except its evidence: the ledgers of the node, the governed content, the claim.
    pub(crate) fn prepare<'a, 's>(
        &'a self,
        site: &'a dyn Site,
        one: Declared<'a>,
        number: usize,
        request: &FilingRequest,
        steps: impl Iterator<Item = &'s dyn FilingStep> + Clone,
    ) -> Result<Filing<'a>> {
        let (config, Declared { node, scenario }) = (&self.config, one);
        refuse_placeholder(site, node, scenario)?;
        let ledger = self.files.path(site, node, &self.git)?;
        for known in &node.ledgers {
            site::refuse_unsound(site, known)?;
        }
        site::latest_believable(node, &node.ledgers, &scenario.name, request.now)?;
        let hidden = advice::hidden_ledger(site, config, node, &ledger)?;
        advice::refuse_hidden(hidden.as_deref().filter(|_| request.strict))?;
        let begun = request.began.clone().map(|token| BegunFiling::of_one(token, Declared { node, scenario }));
        begun.iter().try_for_each(|begun| begun.check(site))?;
        let mut measured = measured::measure(site, &self.head, node, scenario, config)?;
        let differing = std::mem::take(&mut measured.differing);
        if request.strict {
            advice::refuse_absent(&absent(node, scenario))?;
            advice::refuse_dirty(&differing)?;
        }
        let dirty = measured.dirty.clone();
        let mut draft = draft(request, config, scenario, self.head, measured);
        let (store, nodes, now) = (&self.store, &self.nodes[..], request.now);
        let asked = AskedReading { site, store, config, nodes, one, number, now };
        let mut evidence = Vec::new();
        for step in steps.clone() {
            evidence.extend(step.verdict(&asked, &mut draft)?);
        }
        if draft.verdict == ReadingVerdict::Legacy {
            return Err(Error::fault("nothing says the verdict of the reading"));
        }
        let mut doubts = Vec::new();
        for step in steps.clone() {
            doubts.extend(step.doubt(&asked, &draft)?);
        }
        advice::refuse_doubt(doubts.first().filter(|_| request.strict))?;
        for step in steps {
            step.dress(&asked, &mut draft)?;
        }
        Ok(Filing {
            site,
            work: self,
            node,
            scenario,
            ledger,
            draft,
            evidence,
            dirty,
            differing,
            hidden,
            doubts,
            advice: Vec::new(),
            begun,
            strict: request.strict,
            is_note_of_report: request.is_note_of_report,
            now,
        })
    }
}

impl WorkTree {
    /// What stands in the work tree now, as a reading of the scenario without a verdict: for a measurement that could not be
    /// made.
    pub(crate) fn attempt(&self, site: &dyn Site, one: Declared<'_>, request: &FilingRequest) -> Result<Reading> {
        let Declared { node, scenario } = one;
        refuse_placeholder(site, node, scenario)?;
        for known in &node.ledgers {
            site::refuse_unsound(site, known)?;
        }
        let measured = measured::measure(site, &self.head, node, scenario, &self.config)?;
        Ok(draft(request, &self.config, scenario, self.head, measured))
    }
}

fn validate(request: &FilingRequest) -> Result<()> {
    validate_words(request.note.as_deref(), request.by.as_deref(), request.evaluator.as_deref())?;
    if request.timeline.is_some() && request.evidence.is_empty() {
        return Err(Error::usage("a timeline needs evidence that it is the timeline of")
            .hint("add --video, or another piece of evidence"));
    }
    Ok(())
}

/// Checks the texts that any reading may have.
pub(crate) fn validate_words(note: Option<&str>, by: Option<&str>, evaluator: Option<&str>) -> Result<()> {
    site::one_line("note", note, MAX_NOTE)?;
    site::one_line("name after --by", by, MAX_FIELD)?;
    site::one_line("evaluator", evaluator, MAX_FIELD)?;
    let Some(text) = evaluator else { return Ok(()) };
    let parts: Vec<_> = text.split('@').collect();
    if parts.len() != 2 || parts.iter().any(|part| part.trim().is_empty()) {
        return Err(Error::usage(format!("`{text}` is no evaluator")).hint("write name@version, manual@1 say"));
    }
    Ok(())
}

fn head(site: &dyn Site) -> Result<Oid> {
    site.head()?.ok_or_else(|| {
        Error::refused("there is no commit yet that a reading could name")
            .because(Refusal::NotMet)
            .hint("the order that leaves no doubt: commit, measure, file")
    })
}

/// The reading without its evidence and its time.
fn draft(request: &FilingRequest, config: &Config, scenario: &Scenario, head: Oid, measured: MeasuredNow) -> Reading {
    let manual = || config.evaluators.get("manual").map_or("manual@1".into(), |version| format!("manual@{version}"));
    Reading {
        scenario: scenario.name.clone(),
        code_sha: Some(head),
        scenario_hash: config.stamp_content.then_some(scenario.text_hash),
        evidence: Vec::new(),
        timeline: None,
        evaluator: Some(request.evaluator.clone().unwrap_or_else(manual)),
        governed: measured.stamp,
        units: measured.units,
        test: measured.test,
        dirty: !measured.dirty.is_empty(),
        by: request.by.clone(),
        verdict: request.verdict.map_or(ReadingVerdict::Legacy, ReadingVerdict::Measured),
        note: request.note.clone(),
        terms: FilingTerms {
            key: request.key.clone(),
            attempt: None,
            run: request.run.clone(),
            usage: Some(request.usage.clone()).filter(|usage| !usage.is_empty()),
            how: None,
            coverage: None,
            env: None,
            runs: None,
            wrong: Vec::new(),
        },
        measures: Measures::default(),
        ts: request.now,
    }
}

/// A reading that may be filed, its evidence unread.
pub(crate) struct Filing<'a> {
    pub(crate) site: &'a dyn Site,
    pub(crate) work: &'a WorkTree,
    pub(crate) node: &'a Node,
    pub(crate) scenario: &'a Scenario,
    /// The file that takes its line, as far as it is known without the lock.
    pub(crate) ledger: RepoPath,
    /// The reading without its evidence and its time.
    pub(crate) draft: Reading,
    /// What features give as evidence.
    evidence: Vec<(Expect, Source)>,
    /// The governed files that differ from the commit.
    pub(crate) dirty: Vec<RepoPath>,
    /// The governed entries that differ, as the list names them.
    pub(crate) differing: Vec<String>,
    /// The warning that git ignores the ledger.
    pub(crate) hidden: Option<String>,
    /// Why the measurement may be about other content.
    pub(crate) doubts: Vec<String>,
    /// What features say about it once it is filed.
    advice: Vec<Box<dyn FilingAdvice>>,
    /// The token of `begin`, if it is checked for this reading alone.
    begun: Option<BegunFiling<'a>>,
    strict: bool,
    is_note_of_report: bool,
    now: Timestamp,
}

struct Settled {
    outcome: FilingOutcome,
    /// The file of its line.
    ledger: RepoPath,
    reading: Reading,
    late: bool,
    /// The result of the budgets, once they were asked.
    budget: Option<Judged>,
}

impl<'a> Filing<'a> {
    /// Has a feature add to the reading with this `number`.
    pub(crate) fn complete(&mut self, step: &dyn BegunStep, number: usize) -> Result<()> {
        let asked = AskedReading { number, ..self.asked() };
        self.advice.extend(step.complete(&asked, &mut self.draft)?);
        Ok(())
    }

    /// The reading, as features are asked about it.
    pub(crate) fn asked(&self) -> AskedReading<'a> {
        let WorkTree { store, config, nodes, .. } = self.work;
        let one = Declared { node: self.node, scenario: self.scenario };
        AskedReading { site: self.site, store, config, nodes, one, number: 0, now: self.now }
    }

    /// Has features decide whether it may be filed.
    fn guards<'l>(
        &self,
        steps: &[Box<dyn FilingStep>],
        lock: Option<&'l LedgerLock>,
        outcome: FilingOutcome,
        reading: &Reading,
    ) -> Result<Vec<Box<dyn FilingGuard + 'l>>> {
        let asked = self.asked();
        steps.iter().filter_map(|step| step.guard(&asked, lock, outcome, reading).transpose()).collect()
    }

    /// What features warn of, once the reading is filed.
    pub(crate) fn step_advice(&self, outcome: FilingOutcome, reading: &Reading) -> Result<Vec<String>> {
        let all = self.advice.iter().map(|one| one.advice(outcome, &self.draft, reading));
        Ok(all.collect::<Result<Vec<_>>>()?.concat())
    }

    pub(crate) fn details(&self) -> Vec<String> {
        self.advice.iter().flat_map(|one| one.details()).collect()
    }

    /// Stores the evidence first, then the line that names it, because a line without its evidence could not be checked.
    /// The right to add evidence is held until the line stands, so that no garbage collection comes in between.
    fn file(&self, request: FilingRequest, numbers: &GivenNumbers, steps: &[Box<dyn FilingStep>]) -> Result<Settled> {
        let store = &self.work.store;
        let right = store.share_evidence()?;
        let cache = store.evidence();
        let staged = request.stage(numbers, &cache, &right)?;
        self.refuse_lacking(&staged.named.evidence)?;
        // checked before publishing, so that a refused reading leaves no evidence behind; checked again under the lock
        self.foresee(staged.named.clone(), steps)?;
        let draft = staged.publish(&cache, &right)?.attach_to(self.draft.clone());
        let transaction = Transaction::begin(self.site, store)?;
        self.begun.iter().try_for_each(|begun| begun.check_again(self.site))?;
        let open = transaction.open_for(&self.work.files, self.node)?;
        let ledger = open.ledger.path.clone();
        let (outcome, reading) = self.settle(draft, &transaction.ledgers(self.node, &open)?)?;
        let guards = self.guards(steps, Some(transaction.lock()), outcome, &reading)?;
        // before the line is written, because an error after it would look like a reading that was not filed
        let budget = self.budget(&ledger, &reading)?;
        let outcome = match outcome {
            FilingOutcome::WouldFile => {
                open.append(&encode_reading(&reading))?;
                FilingOutcome::Filed
            }
            outcome => outcome,
        };
        let late = guards.iter().any(|guard| guard.is_late());
        // the line first: a claim that ended without its reading would let others take a scenario that was measured
        guards.into_iter().try_for_each(FilingGuard::filed)?;
        Ok(Settled { outcome, ledger, reading, late, budget })
    }

    /// The result of the budgets for the reading, among all that was filed by now.
    fn budget(&self, ledger: &RepoPath, reading: &Reading) -> Result<Option<Judged>> {
        let filed = [(&self.node.dir, ledger, reading)];
        Ok(spending::of_readings(self.site, &self.work.config.budgets, &filed)?.pop().flatten())
    }

    /// Says what would be filed, and writes nothing. The ledgers as read without the lock are enough for that.
    fn preview(
        &self,
        request: FilingRequest,
        numbers: &GivenNumbers,
        steps: &[Box<dyn FilingStep>],
    ) -> Result<Settled> {
        let attached = request.examine(numbers, &self.work.store.evidence())?;
        self.refuse_lacking(&attached.evidence)?;
        let settled = self.foresee(attached, steps)?;
        Ok(Settled { budget: self.budget(&settled.ledger, &settled.reading)?, ..settled })
    }

    /// The expected result, as far as it is known without the lock.
    fn foresee(&self, attached: AttachedEvidence, steps: &[Box<dyn FilingStep>]) -> Result<Settled> {
        let (outcome, reading) = self.settle(attached.attach_to(self.draft.clone()), &self.node.ledgers)?;
        let late = self.guards(steps, None, outcome, &reading)?.iter().any(|guard| guard.is_late());
        Ok(Settled { outcome, ledger: self.ledger.clone(), reading, late, budget: None })
    }
}

#[cfg(test)]
mod tests;
