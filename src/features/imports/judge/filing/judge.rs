//! Checks whether the results of reports may be filed: every reading as if it were filed alone. Writes nothing.

use super::{BulkRequest, ReportFiling, listed};
use crate::app::record::eval::{Filing, FilingRequest, GivenNumbers, goal};
use crate::error::{Error, ErrorKind, Refusal, Result};
use crate::features::claims::OthersClaims;
use crate::features::evals::derived;
use crate::features::imports::judge::matching::reason::reason;
use crate::features::imports::judge::matching::transcript::{Transcript, compose};
use crate::features::imports::judge::matching::{FlakyMeans, ImportFate, Matched};
use crate::features::imports::model::answer::{FreshScenario, PassedScenario, ReportedCase};
use crate::model::ledger::{EvidenceHash, Ledger, Reading, RunCounts, Status};
use crate::model::node::Declared;
use crate::model::usage::Usage;
use crate::report::view::receipt::FilingOutcome;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::text::markers::Shown;
use crate::text::{first_of, plural};
use sha2::{Digest, Sha256};
use std::io::Cursor;

/// Most remedies that a refusal of many readings names.
const MAX_REMEDIES: usize = 4;
/// Most scenarios that one reason names.
const MAX_CALLED: usize = 3;

/// A reading that may be filed.
pub(super) struct JudgedReading<'a> {
    pub(super) target: usize,
    /// The cases that its verdict comes from.
    pub(super) cases: Vec<usize>,
    /// Where it goes, and the warnings about it.
    pub(super) filing: Filing<'a>,
    /// The reading: without its time when it is judged, as the ledger holds it once it is settled.
    pub(super) reading: Reading,
    pub(super) outcome: FilingOutcome,
    /// How many secrets were masked in its evidence.
    pub(super) masked: usize,
    /// The markers in its output, if its node has a contract.
    pub(super) shown: Option<Shown>,
    pub(super) rows: Vec<ReportedCase>,
}

impl JudgedReading<'_> {
    /// Gives the reading its time among these ledgers, or finds it there.
    pub(super) fn settle(&mut self, ledgers: &[Ledger]) -> Result<()> {
        (self.outcome, self.reading) = self.filing.settle(self.reading.clone(), ledgers)?;
        Ok(())
    }
}

pub(super) struct JudgedAll<'a> {
    pub(super) matched: &'a Matched,
    pub(super) readings: Vec<JudgedReading<'a>>,
    /// Scenarios that another owner has claimed, and with `--only-stale` those that the report is too old for.
    pub(super) passed: Vec<PassedScenario>,
    /// With `--only-stale`: scenarios with a fresh reading that says the same.
    pub(super) fresh: Vec<FreshScenario>,
}

/// What becomes of the result of one scenario.
enum Fate<'a> {
    File(Box<JudgedReading<'a>>),
    Pass(String),
}

impl<'g> ReportFiling<'g> {
    /// Judges everything that the reports say.
    ///
    /// # Errors
    /// Refused, naming every refused reading; otherwise the first error that is no refusal.
    pub(super) fn judge(&self, matched: &'g Matched) -> Result<JudgedAll<'g>> {
        let mut all = JudgedAll { matched, readings: Vec::new(), passed: Vec::new(), fresh: Vec::new() };
        let claims = OthersClaims::now(&self.work.store)?;
        let (mut count, mut refused) = (0, Vec::new());
        for (target, fate) in &matched.fates {
            for (status, cases, runs) in self.results(*target, fate) {
                count += 1;
                if let Some(fresh) = self.fresh(*target, status)? {
                    all.fresh.push(fresh);
                    continue;
                }
                match self.judge_one(*target, status, cases, runs, &claims) {
                    Ok(Fate::File(judged)) => all.readings.push(*judged),
                    Ok(Fate::Pass(why)) => all.passed.push(self.passed(*target, why, cases)),
                    Err(error) if matches!(error.kind, ErrorKind::Refused(_)) => refused.push((*target, error)),
                    Err(error) => return Err(error),
                }
            }
        }
        match refused.len() {
            0 => Ok(all),
            some => Err(self.refusal(refused, format!("{some} of {} are refused", plural(count, "reading")))),
        }
    }

    /// The readings that a fate says: the verdict, its cases, and the runs where they are counted.
    fn results<'m>(&self, target: usize, fate: &'m ImportFate) -> Vec<(Status, &'m [usize], Option<RunCounts>)> {
        match fate {
            ImportFate::Reading { status, cases } => vec![(*status, &cases[..], None)],
            ImportFate::Runs { rounds, .. } => {
                let (_, scenario) = self.asked.scenarios[target];
                let counted = rounds.iter().filter_map(|one| {
                    let report = Some(self.hash_of(&one.cases));
                    let runs = RunCounts { report, ..RunCounts::new(one.pass, one.of)? };
                    Some((derived(scenario, runs), &one.cases[..], Some(runs)))
                });
                counted.collect()
            }
            ImportFate::Skipped { .. } | ImportFate::Ambiguous { .. } | ImportFate::Unmatched => Vec::new(),
        }
    }

    /// The sha256 of the report with these cases; of several reports, of their sorted sha256s, a line each.
    fn hash_of(&self, cases: &[usize]) -> EvidenceHash {
        let mut all: Vec<String> = self.reports_of(cases).map(|read| read.hash.to_string()).collect();
        all.sort();
        let mut reports = self.reports_of(cases);
        match (reports.next(), reports.next()) {
            (Some(only), None) => only.hash,
            _ => EvidenceHash(Sha256::digest(all.join("\n")).into()),
        }
    }

    /// One refusal for all refused readings, with their remedies.
    fn refusal(&self, refused: Vec<(usize, Error)>, message: String) -> Error {
        let mut kinds: Vec<ErrorKind> = refused.iter().map(|(_, error)| error.kind).collect();
        kinds.dedup();
        let reason = if let [ErrorKind::Refused(reason)] = kinds[..] { reason } else { Refusal::Other };
        let mut lines = self.by_reason(&refused);
        let (mut remedies, is_single): (Vec<String>, _) = (Vec::new(), refused.len() == 1);
        for hint in refused.into_iter().flat_map(|(_, error)| error.hints) {
            if remedies.len() < MAX_REMEDIES && !remedies.contains(&hint) {
                remedies.push(hint);
            }
        }
        let error = match &mut lines[..] {
            [only] if is_single => Error::refused(std::mem::take(only)),
            _ => listed(format!("{message}, and so none is filed"), lines),
        };
        remedies.into_iter().fold(error.because(reason), Error::hint)
    }

    /// A line for each reason with its scenarios, because an old report, for example, is old for all of them.
    fn by_reason(&self, refused: &[(usize, Error)]) -> Vec<String> {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for (target, error) in refused {
            let called = self.called(*target);
            match reasons.iter_mut().find(|(reason, _)| *reason == error.message) {
                Some((_, about)) => about.push(called),
                None => reasons.push((&error.message, vec![called])),
            }
        }
        reasons.into_iter().map(|(reason, about)| format!("{}: {reason}", first_of(about, MAX_CALLED))).collect()
    }

    /// A scenario as messages name it.
    pub(super) fn called(&self, target: usize) -> String {
        let (node, scenario) = self.asked.scenarios[target];
        let env = self.asked.envs[target].as_ref().map_or(String::new(), |env| format!(" in {env}"));
        format!("{}/{}{env}", node.id, scenario.name)
    }

    /// Why the claim of another owner keeps the reading out; `None` if it is already filed.
    fn held(&self, judged: &JudgedReading<'_>, claims: &OthersClaims) -> Result<Option<String>> {
        match judged.outcome {
            FilingOutcome::AlreadyFiled => Ok(None),
            _ => claims.forbid(&judged.filing),
        }
    }

    pub(super) fn declared(&self, target: usize) -> Declared<'g> {
        let (node, scenario) = self.asked.scenarios[target];
        Declared { node, scenario }
    }

    fn judge_one(
        &self,
        target: usize,
        status: Status,
        cases: &[usize],
        runs: Option<RunCounts>,
        claims: &OthersClaims,
    ) -> Result<Fate<'g>> {
        let one = self.declared(target);
        let transcript = self.transcript(cases);
        let mut request = self.filing(status, &transcript, &self.called(target));
        if request.note.is_none() && status == Status::Fail {
            let flaky_passes = self.request.flaky == Some(FlakyMeans::Pass);
            request.note = reason(cases.iter().map(|case| &self.cases[*case]), flaky_passes);
            request.is_note_of_report = true;
        }
        let steps = || self.steps.iter().filter(|(_, begun)| begun.concerns(target));
        let each = steps().map(|(step, _)| *step);
        let mut filing = self.work.prepare(self.site, one, target, &request, each)?;
        steps().try_for_each(|(_, begun)| filing.complete(&**begun, target))?;
        filing.draft.terms.env.clone_from(&self.asked.envs[target]);
        filing.draft.terms.runs = runs;
        match self.older(one, &filing.dirty, cases)? {
            Some(why) if self.request.only_stale => return Ok(Fate::Pass(why)),
            Some(why) => return Err(older(why)),
            None => {}
        }
        let numbers = GivenNumbers::of(&mut request, goal(one.node));
        let attached = request.examine(&numbers, &self.work.store.evidence())?;
        filing.refuse_lacking(&attached.evidence)?;
        let reading = attached.attach_to(filing.draft.clone());
        let (outcome, _) = filing.settle(reading.clone(), &one.node.ledgers)?;
        let (masked, shown, rows) = (transcript.masked, numbers.shown(), self.reported(cases));
        let judged = JudgedReading { target, cases: cases.to_vec(), filing, reading, outcome, masked, shown, rows };
        Ok(self.held(&judged, claims)?.map_or_else(|| Fate::File(Box::new(judged)), Fate::Pass))
    }

    pub(super) fn transcript(&self, cases: &[usize]) -> Transcript {
        let of = |case: &usize| (&self.cases[*case], self.places[*case].as_str());
        compose(cases.iter().map(of), self.request.flaky == Some(FlakyMeans::Pass))
    }

    /// The request that files one reading alone.
    fn filing(&self, status: Status, transcript: &Transcript, called: &str) -> FilingRequest {
        let BulkRequest { form, evaluator, by, note, run, strict, dry_run, now, .. } = self.request;
        let version = || self.work.config.evaluators.get(form.as_str()).map_or("1", String::as_str);
        FilingRequest {
            node: None,
            scenario: None,
            verdict: Some(status),
            note: note.clone(),
            is_note_of_report: false,
            evidence: vec![(Expect::Result, source(transcript, called))],
            metrics: Vec::new(),
            artifacts: Vec::new(),
            steps: Vec::new(),
            timeline: None,
            evaluator: Some(evaluator.clone().unwrap_or_else(|| format!("{}@{}", form.as_str(), version()))),
            by: by.clone(),
            began: None,
            key: None,
            run: run.clone(),
            usage: Usage::default(),
            estimate: None,
            strict: *strict,
            dry_run: *dry_run,
            now: *now,
        }
    }
}

fn older(why: String) -> Error {
    Error::refused(why)
        .because(Refusal::Stale)
        .hint("run the tests again")
        .hint("or say that nothing of it matters: --older-report")
}

pub(super) fn source(transcript: &Transcript, called: &str) -> Source {
    Source::stream(format!("the transcript of {called}"), Box::new(Cursor::new(transcript.text.clone().into_bytes())))
}
