//! `eval --from-junit`, `eval --from-ctrf`, `eval --from-promptfoo`: files one reading for every scenario with a result in test
//! reports. Prints nothing.
//!
//! Every reading is checked as if it were filed alone, and all of them before the first byte is written: if one is
//! refused, none is filed. Then the evidence is made durable, then the lines, ledger by ledger, under one lock. The same
//! command completes an interrupted one.

mod age;
mod file;
mod judge;
mod scope;

use crate::app::record::eval::{BegunFiling, WorkTree, validate_words};
use crate::app::record::filing::{BegunStep, CaseName, FiledCases, FilingStep};
use crate::app::site::Site;
use crate::app::site::manifests::{declared, go_module};
use crate::engine::freshness::Judge;
use crate::error::{Error, Refusal, Result};
pub(crate) use crate::features::imports::judge::matching::FlakyMeans;
use crate::features::imports::judge::matching::place::{TestGround, cargo_package};
use crate::features::imports::judge::matching::{self, ImportFate, Matched};
use crate::features::imports::model::answer::{
    ImportAnswer, ImportStep, PassedScenario, ReportedCase, UnmatchedParts, UnmatchedScenario,
};
use crate::features::imports::model::test_report::map::MapLine;
use crate::features::imports::model::test_report::{
    MAX_REPORT, ReportFault, TestCase, TestReport, ctrf, junit, map, promptfoo,
};
use crate::model::began::BeganToken;
use crate::model::labels::{EnvName, RunId};
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::store::Store;
use crate::store::evidence::Source;
use crate::text::spelled::spelled;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use scope::AskedScenarios;
use sha2::{Digest, Sha256};

spelled! {
    /// The format of a report. Its name is also the name of the evaluator, e.g. `junit@1`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum ReportForm {
        Junit = "junit",
        /// The Common Test Report Format.
        Ctrf = "ctrf",
        Promptfoo = "promptfoo",
    }
}

pub(crate) struct ReadReport {
    /// The name by which the user gave it.
    pub name: String,
    /// Its cases and suites.
    pub report: TestReport,
    /// sha256 of its bytes.
    pub hash: EvidenceHash,
    /// When it was last written, in seconds and nanoseconds; `None` for a stream.
    pub modified: Option<(i64, i64)>,
}

impl ReadReport {
    /// What is said of its cases that count for nothing.
    fn aside(&self) -> Option<String> {
        Some(format!("{}: {}", self.name, self.report.suites.first()?.aside.as_ref()?))
    }
}

/// What the user wants filed.
pub(crate) struct BulkRequest {
    pub form: ReportForm,
    pub reports: Vec<ReadReport>,
    /// Which cases measure which scenarios, beside the `test` of the scenarios.
    pub map: Vec<MapLine>,
    /// What features add.
    pub steps: Vec<Box<dyn FilingStep>>,
    /// References of the nodes to file for; empty means all.
    pub nodes: Vec<String>,
    /// The environment of cases that name none; only scenarios that list it are filed for.
    pub env: Option<EnvName>,
    /// Only scenarios with one of these tags; empty means all.
    pub tags: Vec<String>,
    /// The token of `begin`: nothing is filed if the content changed since.
    pub began: Option<BeganToken>,
    /// What a pass at a later try counts as.
    pub flaky: Option<FlakyMeans>,
    /// A skipped case may stand beside others in every scenario, not only where its `test` says so.
    pub skips: bool,
    /// The exit code of the test run; `None` if it is not known.
    pub exit: Option<i64>,
    /// The commit at which the tests ran; `None` if only the age of the reports says it.
    pub ran_at: Option<Oid>,
    /// Accept a report that is older than the content it is filed for.
    pub older_report: bool,
    /// Pass over fresh scenarios whose verdict stays, and those that a report is too old for.
    pub only_stale: bool,
    /// `name@version`; `None` for the report format at its configured version.
    pub evaluator: Option<String>,
    pub by: Option<String>,
    pub note: Option<String>,
    pub run: Option<RunId>,
    /// Refuse instead of warning, and refuse if a scenario with a test gets no verdict.
    pub strict: bool,
    pub dry_run: bool,
    pub now: Timestamp,
    /// The path of the work tree in the file system.
    pub top: String,
}

pub(crate) struct BulkOutcome {
    pub answer: ImportAnswer,
    /// Warnings, each in one or more lines.
    pub warnings: Vec<Vec<String>>,
    /// What features say about the readings with `-v`.
    pub details: Vec<String>,
    /// The ledgers that have a new line and that git does not ignore, sorted.
    pub ledgers: Vec<RepoPath>,
    /// Whether a scenario with a result was passed over.
    pub has_passed: bool,
    /// The lines of the map that match no case, from 1.
    pub idle: Vec<usize>,
    /// Pairs of a wanted name and a similar name in the reports, if there is no reading at all.
    pub near: Vec<[String; 2]>,
}

/// Most cases or scenarios that a refusal names.
const MAX_NAMED: usize = 20;

/// Reads a report.
///
/// # Errors
/// Refused if it is no report, or exceeds a limit; unchecked if it cannot be read.
pub(crate) fn read_report(form: ReportForm, name: &str, source: Source) -> Result<ReadReport> {
    let modified = source.modified();
    let bytes = read(name, source)?;
    let report = match form {
        ReportForm::Junit => junit::parse(&bytes),
        ReportForm::Ctrf => ctrf::parse(&bytes),
        ReportForm::Promptfoo => promptfoo::parse(&bytes),
    };
    let hash = EvidenceHash(Sha256::digest(&bytes).into());
    Ok(ReadReport { name: name.to_owned(), report: report.map_err(|fault| unread(name, &fault))?, hash, modified })
}

/// Reads a map.
///
/// # Errors
/// As [`read_report`].
pub(crate) fn read_map(name: &str, source: Source) -> Result<Vec<MapLine>> {
    map::parse(&read(name, source)?).map_err(|fault| unread(name, &fault))
}

fn read(name: &str, source: Source) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.read_through(&mut |part| {
        bytes.extend_from_slice(part);
        match bytes.len() > MAX_REPORT {
            true => Err(Error::refused(format!("{name} is larger than {} MiB", MAX_REPORT >> 20))
                .because(Refusal::Invalid)
                .hint("file the parts of it one by one")),
            false => Ok(()),
        }
    })?;
    Ok(bytes)
}

fn unread(name: &str, fault: &ReportFault) -> Error {
    Error::refused(format!("{name}:{}:{}: {}", fault.line, fault.column, fault.message))
        .because(Refusal::Invalid)
        .hint("have the tests write it anew; which reports are read: docs/reports.md")
}

/// Files what the reports say.
///
/// # Errors
/// As [`crate::app::record::eval::eval`]; several refused readings are all named. After any error except a half-done one nothing was filed,
/// and the same request completes what was begun.
pub(crate) fn bulk(site: &dyn Site, store: &Store, mut request: BulkRequest) -> Result<BulkOutcome> {
    validate_words(request.note.as_deref(), request.by.as_deref(), request.evaluator.as_deref())?;
    let work = WorkTree::of(site, store, request.now)?;
    let asked = AskedScenarios::of(&work, &request)?;
    let begun = request.began.take().map(|token| {
        let tags = request.tags.iter().flat_map(|tag| ["--tag", tag]).map(str::to_owned);
        BegunFiling { token, scenarios: asked.wanted(), words: request.nodes.iter().cloned().chain(tags).collect() }
    });
    begun.iter().try_for_each(|begun| begun.check(site))?;
    let lengths: Vec<usize> = request.reports.iter().map(|read| read.report.cases.len()).collect();
    let asides: Vec<Vec<String>> =
        request.reports.iter().filter_map(ReadReport::aside).map(|said| vec![said]).collect();
    let mut report = TestReport::joined(request.reports.iter_mut().map(|read| std::mem::take(&mut read.report)));
    asked.find_named(&work.nodes, &mut report)?;
    refuse_hidden_failure(&report, request.exit)?;
    let ground = ground(site, &request.top)?;
    let matched = matching::matched(&report, &ground, &asked.targets, &asked.map, request.flaky);
    let case_places = matching::case_place(&ground, &report);
    let (request, asked, cases, places) = (&request, &asked, &report.cases[..], &case_places[..]);
    let from = filed_cases(cases, &matched);
    let mut steps = Vec::new();
    for step in request.steps.iter().map(|step| &**step) {
        steps.extend(step.begin(site, &work.nodes, Some(&from))?.map(|begun| (step, begun)));
    }
    let (view, anchors) = (site.worktree()?, site.anchors());
    let judge = &Judge::new(&*view, &anchors, &work.config.evaluators);
    let given = ReportFiling { site, work: &work, judge, request, asked, begun, cases, places, lengths, steps };
    if request.strict {
        given.refuse_gaps(&matched)?;
    }
    let judged = given.judge(&matched)?;
    let mut done = if request.dry_run { file::planned(&given, judged)? } else { file::filed(&given, judged)? };
    if done.answer.readings.is_empty() {
        done.near = matching::near_names(&report, &ground, &asked.targets, &matched, 5);
    }
    done.warnings.extend(asides);
    done.idle = matched.idle.iter().map(|line| line + 1).collect();
    Ok(done)
}

/// Refuses reports without a failure of a run that failed. Some runners leave errors outside of tests out of their reports.
fn refuse_hidden_failure(report: &TestReport, exit: Option<i64>) -> Result<()> {
    match exit {
        Some(exit) if exit != 0 && !report.has_failure() => Err(Error::refused(format!(
            "the tests ended with exit code {exit}, and the reports have no failure"
        ))
        .because(Refusal::NotMet)
        .hint("the output of the tests says what failed; a report may lack it, for example an error outside of a test")
        .hint("which switch of your runner writes it: docs/reports.md, What each runner needs")),
        _ => Ok(()),
    }
}

struct ReportFiling<'a> {
    site: &'a dyn Site,
    work: &'a WorkTree,
    judge: &'a Judge<'a>,
    request: &'a BulkRequest,
    asked: &'a AskedScenarios<'a>,
    begun: Option<BegunFiling<'a>>,
    cases: &'a [TestCase],
    /// The display name of the place of each case.
    places: &'a [String],
    /// The number of cases of each report, in order.
    lengths: Vec<usize>,
    /// What features add.
    steps: Vec<(&'a dyn FilingStep, Box<dyn BegunStep + 'a>)>,
}

fn filed_cases<'c>(cases: &'c [TestCase], matched: &Matched) -> FiledCases<'c> {
    let is_filed = |fate: &ImportFate| matches!(fate, ImportFate::Reading { .. } | ImportFate::Runs { .. });
    let of_fates =
        matched.fates.iter().flat_map(|(target, fate)| fate.cases().iter().map(|case| (*case, Some(*target))));
    let others = matched.unmatched.iter().map(|case| (*case, None));
    FiledCases {
        cases: cases.iter().map(|case| CaseName { classname: &case.classname, name: &case.name }).collect(),
        owners: of_fates.chain(others).collect(),
        filed: matched.fates.iter().filter(|(_, fate)| is_filed(fate)).map(|(target, _)| *target).collect(),
    }
}

impl ReportFiling<'_> {
    /// The part of the answer about cases and scenarios without a reading.
    fn answer(&self, matched: &Matched, outcome: ImportStep) -> ImportAnswer {
        let unmatched = UnmatchedParts {
            cases: self.reported(&matched.unmatched),
            scenarios: matched.fates.iter().filter_map(|(target, fate)| self.unmatched(*target, fate)).collect(),
        };
        let (mut skipped, mut ambiguous) = (Vec::new(), Vec::new());
        for (target, fate) in &matched.fates {
            match fate {
                ImportFate::Skipped { why, cases } => skipped.push(self.passed(*target, why.clone(), cases)),
                ImportFate::Ambiguous { why, cases } => ambiguous.push(self.passed(*target, why.clone(), cases)),
                ImportFate::Reading { .. } | ImportFate::Runs { .. } | ImportFate::Unmatched => {}
            }
        }
        ImportAnswer { outcome, readings: Vec::new(), skipped, ambiguous, unmatched, masked: 0, fresh: None }
    }

    /// The row of a scenario with a test, if no case was found for it.
    fn unmatched(&self, target: usize, fate: &ImportFate) -> Option<UnmatchedScenario> {
        let (node, scenario) = self.asked.scenarios[target];
        let test = scenario.test.as_ref().filter(|_| *fate == ImportFate::Unmatched)?;
        let name = scenario.test_name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        let test = format!("{}{name}", test.text);
        Some(UnmatchedScenario { node: node.id.clone(), scenario: scenario.name.clone(), test })
    }

    fn passed(&self, target: usize, why: String, cases: &[usize]) -> PassedScenario {
        let (node, scenario) = self.asked.scenarios[target];
        let cases = self.reported(cases);
        PassedScenario { node: node.id.clone(), scenario: scenario.name.clone(), why, cases }
    }

    fn reported(&self, cases: &[usize]) -> Vec<ReportedCase> {
        let row = |case: &TestCase| ReportedCase {
            file: case.file.clone(),
            classname: case.classname.clone(),
            name: case.name.clone(),
            state: case.state.as_str(),
        };
        cases.iter().map(|case| row(&self.cases[*case])).collect()
    }

    /// With `--strict` a scenario that has a test must have a verdict.
    fn refuse_gaps(&self, matched: &Matched) -> Result<()> {
        let answer = self.answer(matched, ImportStep::Planned);
        let has_test = |passed: &&PassedScenario| {
            let all = self.asked.scenarios.iter();
            let mut same = all.filter(|(node, scenario)| node.id == passed.node && scenario.name == passed.scenario);
            same.any(|(_, scenario)| scenario.test.is_some())
        };
        let passed = answer.skipped.iter().chain(&answer.ambiguous).filter(has_test);
        let passed = passed.map(|passed| format!("{}/{}: {}", passed.node, passed.scenario, passed.why));
        let unmatched = answer.unmatched.scenarios.iter();
        let unmatched = unmatched.map(|gone| format!("{}/{}: no case of {}", gone.node, gone.scenario, gone.test));
        let gaps: Vec<String> = passed.chain(unmatched).collect();
        match gaps.len() {
            0 => Ok(()),
            count => Err(listed(format!("the reports do not say of {count} scenarios whether they work"), gaps)
                .because(Refusal::NotMet)),
        }
    }
}

/// A refusal that lists the first of many items.
fn listed(message: String, all: Vec<String>) -> Error {
    let count = all.len();
    let error = all.into_iter().take(MAX_NAMED).fold(Error::refused(message), Error::hint);
    match count.saturating_sub(MAX_NAMED) {
        0 => error,
        more => error.hint(format!("and {more} more: --dry-run lists them")),
    }
}

/// The files of the work tree, with its Go modules and Cargo packages.
fn ground(site: &dyn Site, top: &str) -> Result<TestGround> {
    let view = site.worktree()?;
    let files: Vec<RepoPath> = view.files(&RepoPath::root(), &|_| true)?.into_iter().map(|(path, _)| path).collect();
    let modules = declared(&*view, &files, "go.mod", go_module)?;
    let crates = declared(&*view, &files, "Cargo.toml", cargo_package)?;
    Ok(TestGround { top: top.trim_end_matches('/').to_owned(), files, modules, crates })
}
