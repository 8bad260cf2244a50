//! A reading: one measurement. Its line keeps the original format with additional keys, so that readers of every generation
//! understand it (formats.md, "A reading").

use super::coverage::CoverageValue;
use super::fields::{
    Field, bad, compact, hash, hash_value, missing, plain_path, present, required, scenario, spelling, string, text,
    time, wrong_type,
};
use super::measures::{self, Measures, MeasuresValue};
use super::runs::RunCounts;
use super::terms::{self, FilingTerms, TermsValue};
use super::tested;
use super::{Evidence, EvidenceHash, EvidenceKind, MAX_STAMPED_FILES, Stamped, StampedTest, StampedUnit, Timestamp};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use serde::Serialize;
use std::collections::BTreeMap;

/// A longer line, in bytes, is written without its stamp.
pub const MAX_WRITTEN_LINE: usize = 32 << 10;

/// The result of a measurement, as the ledger spells it: `pass` or `fail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The result was the expected result.
    Pass,
    /// The result was not the expected result.
    Fail,
}

/// The verdict of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadingVerdict {
    /// `pass` or `fail`.
    Measured(Status),
    /// Filed before verdicts existed, or only a note.
    Legacy,
}

/// One measurement of one scenario, as one line of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The scenario's name.
    pub scenario: String,
    /// The commit of the measurement; `None` if the line has none (a finding if a change adds such a line).
    pub code_sha: Option<Oid>,
    /// sha256 of the folded description and expected, lower-case hex.
    pub scenario_hash: Option<EvidenceHash>,
    /// The evidence, in the spelling of any generation.
    pub evidence: Vec<Evidence>,
    /// A step timeline's bytes.
    pub timeline: Option<EvidenceHash>,
    /// `name@version`.
    pub evaluator: Option<String>,
    /// The stamp: the content of each governed file at the measurement; `None` if none was written.
    pub governed: Option<BTreeMap<RepoPath, Stamped>>,
    /// The readable units that selectors name in these files, each with the object id of its bytes.
    pub units: BTreeMap<StampedUnit, Oid>,
    /// The content of the test that measured the scenario; `None` in older lines, and if the scenario has no test file.
    pub test: Option<StampedTest>,
    /// Whether a governed file differed from the commit's tree.
    pub dirty: bool,
    /// The person who measured, for information; never verified.
    pub by: Option<String>,
    /// The verdict; `Legacy` for lines of an older generation without one.
    pub verdict: ReadingVerdict,
    /// The annotation on the verdict.
    pub note: Option<String>,
    /// Its key, attempt, run, usage and what speaks for it.
    pub terms: FilingTerms,
    /// Its measured values.
    pub measures: Measures,
    /// When it was filed, as its writer states it. The later of two readings counts.
    pub ts: Timestamp,
}

impl Reading {
    /// A reading of `scenario` that holds nothing but its `commit`.
    pub(crate) fn nothing_but(scenario: &str, commit: Oid) -> Self {
        Self {
            scenario: scenario.to_owned(),
            code_sha: Some(commit),
            scenario_hash: None,
            evidence: Vec::new(),
            timeline: None,
            evaluator: None,
            governed: None,
            units: BTreeMap::new(),
            test: None,
            dirty: false,
            by: None,
            verdict: ReadingVerdict::Legacy,
            note: None,
            terms: FilingTerms::default(),
            measures: Measures::default(),
            ts: Timestamp { millis: 0 },
        }
    }

    /// Every hash of bytes that it names: evidence, its timeline, artifacts.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = EvidenceHash> {
        let pieces = self.evidence.iter().map(|piece| piece.hash);
        pieces.chain(self.timeline).chain(self.measures.artifacts.values().copied())
    }

    /// Its pictures and recordings: two runs seldom record the same bytes. Text is the same as long as all is well, for
    /// example the report of a green test run.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = EvidenceHash> {
        let is_recorded = |piece: &&Evidence| matches!(piece.kind, EvidenceKind::Image | EvidenceKind::Video);
        self.evidence.iter().filter(is_recorded).map(|piece| piece.hash)
    }

    /// The recordings for which only the word of its author speaks. The harness of an observed reading saw the run itself.
    pub(crate) fn recorded_by_hand(&self) -> impl Iterator<Item = EvidenceHash> {
        self.recorded().filter(|_| self.terms.how.is_none())
    }

    /// The files in its stamp and in the stamp of its test.
    pub(crate) fn stamped_files(&self) -> impl Iterator<Item = (&RepoPath, &Stamped)> {
        self.governed.iter().flatten().chain(self.test.iter().flat_map(|test| &test.files))
    }

    /// The paths of these files.
    pub(crate) fn stamped_paths(&self) -> Vec<RepoPath> {
        self.stamped_files().map(|(path, _)| path.clone()).collect()
    }

    /// Whether its test has no stamp, so that the commit testifies.
    pub(crate) fn has_unstamped_test(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.files.is_empty())
    }

    /// The files that its coverage names.
    pub(crate) fn ran(&self) -> impl Iterator<Item = &RepoPath> {
        self.terms.coverage.iter().flat_map(|coverage| &coverage.ran)
    }
}

pub(super) fn read(object: &Json<'_>) -> Field<Reading> {
    let (verdict, note) = verdict(object)?;
    let (mut measures, units) = measures::read(object);
    let test = measures::counted(tested::read(object), &mut measures.wrong);
    Ok(Reading {
        scenario: scenario(object)?,
        code_sha: code_sha(object)?,
        scenario_hash: hash(object, "scenarioHash")?,
        evidence: evidence(object)?,
        timeline: hash(object, "timelineBlob")?,
        evaluator: evaluator(object)?,
        governed: governed(object)?,
        units,
        test,
        dirty: dirty(object)?,
        by: text(object, "by")?,
        note,
        terms: terms_beside(object, &verdict),
        verdict,
        measures,
        ts: time(object, "ts")?,
    })
}

/// The terms. A report of a harness, or counts, that contradict the verdict count for nothing.
fn terms_beside(object: &Json<'_>, verdict: &ReadingVerdict) -> FilingTerms {
    let mut terms = terms::read(object);
    let is_pass = *verdict == ReadingVerdict::Measured(Status::Pass);
    if let Some(how) = terms.how.take_if(|how| (how.exit == 0) != is_pass) {
        terms.wrong.push(format!("\"how\" says exit {}, which contradicts the verdict: exit 0 is a pass", how.exit));
    }
    if let Some(runs) = terms.runs.take_if(|runs| contradicts(*runs, verdict)) {
        terms
            .wrong
            .push(format!("\"runs\" says that {} of {} passed, which contradicts the verdict", runs.pass, runs.of));
    }
    terms
}

/// Whether no rule could derive this verdict from these runs.
fn contradicts(runs: RunCounts, verdict: &ReadingVerdict) -> bool {
    match verdict {
        ReadingVerdict::Measured(Status::Pass) => runs.pass == 0,
        ReadingVerdict::Measured(Status::Fail) => runs.pass == runs.of,
        ReadingVerdict::Legacy => false,
    }
}

fn code_sha(object: &Json<'_>) -> Field<Option<Oid>> {
    let Some(value) = object.get("codeSha") else { return Ok(None) };
    let text = string("codeSha", value)?;
    let id = Oid::from_hex(text.as_bytes()).ok_or_else(|| {
        let what =
            format!("\"codeSha\" must be a full commit id, 40 or 64 lower-case hex digits, not \"{}\"", echo(text));
        bad("commit-id", value, what)
    })?;
    Ok(Some(id))
}

/// A non-empty `evidence` list wins over the scalar `blob`. The unused one must be well-formed, too.
pub(super) fn evidence(object: &Json<'_>) -> Field<Vec<Evidence>> {
    let kind = kind(object, "blobKind")?.unwrap_or(EvidenceKind::Image);
    let blob = hash(object, "blob")?.map(|hash| Evidence { hash, kind });
    let Some(list) = present(object, "evidence") else { return Ok(blob.into_iter().collect()) };
    let JsonValue::Array(items) = &list.value else { return Err(wrong_type("evidence", "a list", list)) };
    if items.is_empty() {
        return Ok(blob.into_iter().collect());
    }
    items.iter().map(evidence_item).collect()
}

fn evidence_item(item: &Json<'_>) -> Field<Evidence> {
    if !matches!(item.value, JsonValue::Object(_)) {
        return Err(wrong_type("evidence", "a list of objects with \"hash\" and \"kind\"", item));
    }
    let hash = hash_value("hash", required(item, "hash")?)?;
    let kind = kind(item, "kind")?.ok_or_else(|| missing("kind", item))?;
    Ok(Evidence { hash, kind })
}

fn kind(object: &Json<'_>, key: &'static str) -> Field<Option<EvidenceKind>> {
    let Some(value) = present(object, key) else { return Ok(None) };
    let text = string(key, value)?;
    let kind = EvidenceKind::parse(text).ok_or_else(|| {
        let what = format!("\"{key}\" must be image, transcript, video or data, not \"{}\"", echo(text));
        bad("evidence-kind", value, what)
    })?;
    Ok(Some(kind))
}

fn evaluator(object: &Json<'_>) -> Field<Option<String>> {
    let Some(value) = present(object, "evaluator") else { return Ok(None) };
    let text = string("evaluator", value)?;
    let well_formed = text
        .split_once('@')
        .is_some_and(|(name, version)| !name.trim().is_empty() && !version.trim().is_empty() && !version.contains('@'));
    if !well_formed {
        let what = format!("\"evaluator\" must be name@version, not \"{}\"", echo(text));
        return Err(bad("evaluator", value, what));
    }
    Ok(Some(text.to_owned()))
}

pub(super) fn governed(object: &Json<'_>) -> Field<Option<BTreeMap<RepoPath, Stamped>>> {
    let Some(value) = present(object, "governed") else { return Ok(None) };
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type("governed", "an object", value)) };
    let stamp = members.iter().map(|(path, id)| Ok((stamped_path(path, id)?, stamped(id)?)));
    stamp.collect::<Field<_>>().map(Some)
}

fn stamped_path(text: &str, value: &Json<'_>) -> Field<RepoPath> {
    plain_path(text).ok_or_else(|| {
        let what = format!("\"{}\" in \"governed\" is not a plain path of this repository", echo(text));
        bad("stamp-path", value, what)
    })
}

fn stamped(value: &Json<'_>) -> Field<Stamped> {
    let text = string("governed", value)?;
    Stamped::parse(text).ok_or_else(|| {
        let what = format!(
            "a \"governed\" id must be a full object id, with x:, l: or m: before it, or -; not \"{}\"",
            echo(text)
        );
        bad("stamp-id", value, what)
    })
}

pub(super) fn dirty(object: &Json<'_>) -> Field<bool> {
    match present(object, "dirty") {
        None => Ok(false),
        Some(Json { value: JsonValue::Bool(dirty), .. }) => Ok(*dirty),
        Some(value) => Err(wrong_type("dirty", "true or false", value)),
    }
}

/// A missing verdict is valid, because an older generation had none. A present verdict must have a known word.
fn verdict(object: &Json<'_>) -> Field<(ReadingVerdict, Option<String>)> {
    let Some(verdict) = object.get("verdict") else { return Ok((ReadingVerdict::Legacy, None)) };
    if !matches!(verdict.value, JsonValue::Object(_)) {
        return Err(wrong_type("verdict", "an object with \"status\"", verdict));
    }
    let status = required(verdict, "status")?;
    let word = string("status", status)?;
    let value = match word {
        "pass" => ReadingVerdict::Measured(Status::Pass),
        "fail" => ReadingVerdict::Measured(Status::Fail),
        "note" => ReadingVerdict::Legacy,
        _ => return Err(bad("status", status, format!("\"status\" must be pass or fail, not \"{}\"", echo(word)))),
    };
    Ok((value, text(verdict, "note")?))
}

/// The order of the fields is the order of the keys.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReadingLine<'r> {
    scenario: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario_hash: Option<String>,
    blob: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob_kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Vec<EvidenceItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline_blob: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluator: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    governed: Option<BTreeMap<&'r str, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<BTreeMap<String, String>>,
    /// For a line that is too long for the stamp of the test.
    #[serde(skip)]
    test_at_commit: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dirty: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<VerdictValue<'r>>,
    #[serde(flatten)]
    terms: TermsValue<'r>,
    #[serde(flatten)]
    measures: MeasuresValue<'r>,
    ts: String,
}

#[derive(Serialize)]
pub(super) struct EvidenceItem {
    hash: String,
    kind: &'static str,
}

impl EvidenceItem {
    pub(super) fn of(item: &Evidence) -> Self {
        Self { hash: item.hash.to_string(), kind: item.kind.as_str() }
    }
}

#[derive(Serialize)]
struct VerdictValue<'r> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'r str>,
}

/// The line of a reading, without its line end. The stamp is omitted if it names more than [`MAX_STAMPED_FILES`], if the
/// line would exceed [`MAX_WRITTEN_LINE`], and if it cannot spell a path (not UTF-8, or [`RepoPath::parse`] would read
/// another path): half a stamp would vouch for files that were not checked. In a line that is too long the files that ran are
/// counted and not named, half of them at a time, because they are advice; then the coverage, the units, the stamp and the
/// stamp of the test are omitted. Units are never written without the stamp. Without the stamp of the test the line says how
/// the test stood at the commit.
pub fn encode_reading(reading: &Reading) -> String {
    let stamp = reading.governed.as_ref().and_then(stamp_value);
    let units = stamp.as_ref().and_then(|_| units_value(reading)).unwrap_or_default();
    let mut line = reading_line(reading, stamp, units);
    let omissions: [fn(&mut ReadingLine<'_>); 4] = [
        |line| line.terms.coverage = None,
        |line| line.measures.omit_selectors(),
        |line| line.governed = None,
        |line| line.test = line.test_at_commit.take(),
    ];
    let mut text = compact(&line);
    while text.len() > MAX_WRITTEN_LINE && line.terms.coverage.as_mut().is_some_and(CoverageValue::count_half) {
        text = compact(&line);
    }
    for omit in omissions {
        if text.len() > MAX_WRITTEN_LINE {
            omit(&mut line);
            text = compact(&line);
        }
    }
    text
}

fn reading_line<'r>(
    reading: &'r Reading,
    governed: Option<BTreeMap<&'r str, String>>,
    units: BTreeMap<String, String>,
) -> ReadingLine<'r> {
    let first = reading.evidence.first();
    ReadingLine {
        scenario: &reading.scenario,
        code_sha: reading.code_sha.map(|id| id.to_string()),
        scenario_hash: reading.scenario_hash.map(|hash| hash.to_string()),
        blob: first.map(|item| item.hash.to_string()),
        blob_kind: first.map(|item| item.kind.as_str()),
        evidence: evidence_list(&reading.evidence),
        timeline_blob: reading.timeline.map(|hash| hash.to_string()),
        evaluator: reading.evaluator.as_deref(),
        governed,
        test: reading.test.as_ref().and_then(tested::written),
        test_at_commit: reading.test.as_ref().and_then(tested::at_commit),
        dirty: reading.dirty,
        by: reading.by.as_deref(),
        verdict: verdict_value(reading),
        terms: terms::value(&reading.terms),
        measures: measures::value(&reading.measures, units),
        ts: reading.ts.to_string(),
    }
}

/// The list is written only if older readers cannot get the same from the scalar pair.
fn evidence_list(evidence: &[Evidence]) -> Option<Vec<EvidenceItem>> {
    let plain = |item: &Evidence| matches!(item.kind, EvidenceKind::Image | EvidenceKind::Transcript);
    if evidence.len() <= 1 && evidence.iter().all(plain) {
        return None;
    }
    Some(evidence.iter().map(EvidenceItem::of).collect())
}

fn verdict_value(reading: &Reading) -> Option<VerdictValue<'_>> {
    let note = reading.note.as_deref();
    let status = match reading.verdict {
        ReadingVerdict::Measured(Status::Pass) => "pass",
        ReadingVerdict::Measured(Status::Fail) => "fail",
        ReadingVerdict::Legacy if note.is_some() => "note",
        ReadingVerdict::Legacy => return None,
    };
    Some(VerdictValue { status, note })
}

/// A stamp as written in a line; `None` if it names too many files, or one that no line can spell.
pub(crate) fn stamp_value(governed: &BTreeMap<RepoPath, Stamped>) -> Option<BTreeMap<&str, String>> {
    if governed.len() > MAX_STAMPED_FILES {
        return None;
    }
    governed.iter().map(|(path, stamped)| Some((spelling(path)?, stamped.to_text()))).collect()
}

/// The units as written in a stamp; `None` if there are none, or more than a stamp holds.
pub(super) fn units_value(reading: &Reading) -> Option<BTreeMap<String, String>> {
    let files = reading.governed.as_ref().map_or(0, BTreeMap::len);
    let fit = !reading.units.is_empty() && files + reading.units.len() <= MAX_STAMPED_FILES;
    let spelled = |(unit, id): (&StampedUnit, &Oid)| Some((unit.to_text()?, id.to_string()));
    if fit { reading.units.iter().map(spelled).collect() } else { None }
}
