//! Receipts for people. The last line says unambiguously what was done. All text from a repository is escaped.

use super::{
    BegunOutcome, CheckReceipt, CollectionOutcome, CollectionReceipt, CorruptPiece, EditReceipt, Exported, FoldOutcome,
    FoldReceipt, NewReceipt, OriginReceipt, ReadingName, ReadingReceipt, Receipt, RedactionOutcome, RedactionReceipt,
    RepairOutcome, Repaired, RetractionReceipt, SignatureReceipt, SigningReceipt, StoreEntry, StoreReceipt, Unnamed,
    WaiverOutcome, WaiverReceipt, WrittenPage,
};
use crate::report::shown;
use crate::report::view::receipt::{EditReason, FilingOutcome};
use crate::report::view::score::ReadingState;
use crate::text::escape::{echo, terminal};
use crate::text::{plural, shell};

/// How many scenarios are named beside a piece of evidence.
const MAX_NAMERS: usize = 3;

/// How many files one `git add` command names.
const MAX_ADDED: usize = 3;

/// The lines for standard output, each with its newline. With `all`, they also list pieces and lines that changed
/// without being asked for by name.
pub(crate) fn lines(receipt: &Receipt, all: bool) -> String {
    match receipt {
        Receipt::New(begun) => beginning(begun),
        Receipt::Eval(filed) => filing(filed),
        Receipt::WaiveBudget(waived) => waiver(waived),
        Receipt::Sign(signed) => signing(signed),
        Receipt::Retract(retracted) => retraction(retracted),
        Receipt::Redact(redacted) => redaction(redacted),
        Receipt::Clean(cleaned) => collection(cleaned, all),
        Receipt::Repair(repaired) => repair(repaired, all),
        Receipt::Fold(folded) => fold(folded),
        Receipt::EvidencePut(stored) => format!("{}\n", stored.hash),
        Receipt::EvidenceGet(Exported { hash, path, size, .. }) => {
            format!("wrote {hash} to {} ({})\n", shown(path), amount(*size))
        }
        Receipt::EvidenceCheck(checked) => check(checked),
        Receipt::EvidenceLs(listed) => listing(listed),
        Receipt::Report(page) => written(page),
    }
}

/// The lines for standard error: the problems that a repair leaves to a person.
pub(crate) fn left(repaired: &Repaired) -> String {
    let mut text = String::new();
    for ledger in &repaired.ledgers {
        for left in &ledger.left {
            let (path, message) = (terminal(&ledger.ledger), terminal(&left.message));
            text += &format!("{path}:{}: {message}\n  help: {}\n", left.line, terminal(&left.help));
        }
    }
    text
}

/// The lines for standard error: the homes that a fold left.
pub(crate) fn left_homes(folded: &FoldReceipt) -> String {
    let mut text = String::new();
    for left in &folded.left {
        text += &format!("{} is left as it is: {}\n", shown(&left.node), terminal(&left.message));
        left.help.iter().for_each(|help| text += &format!("  help: {}\n", terminal(help)));
    }
    text
}

fn fold(folded: &FoldReceipt) -> String {
    let segments = folded.homes.iter().map(|home| home.segments.len()).sum();
    let lines = folded.homes.iter().map(|home| home.lines).sum();
    let what = format!(
        "{} of {}, {} new in trunk files",
        plural(segments, "segment"),
        plural(folded.homes.len(), "node"),
        plural(lines, "line")
    );
    match folded.outcome {
        FoldOutcome::Folded => format!("folded {what}\n"),
        FoldOutcome::WouldFold => format!("would fold {what}; nothing was written\n"),
        FoldOutcome::Nothing => "nothing to fold\n".to_owned(),
    }
}

/// What the page contains, and who can read it.
fn written(page: &WrittenPage) -> String {
    let of = |count: usize, what: &str| if count > 0 { format!(", {count} {what}") } else { String::new() };
    let secrets = if page.masked == 1 { "secret masked" } else { "secrets masked" };
    format!(
        "wrote {} ({}): {}, {} of evidence{}{}{}; everyone who has the file can read them\n",
        shown(&page.path),
        amount(page.size as u64),
        plural(page.scenarios, "scenario"),
        plural(page.shown, "piece"),
        of(page.left_out, "left out"),
        of(page.missing, "not in this clone"),
        of(page.masked, secrets),
    )
}

fn beginning(begun: &NewReceipt) -> String {
    let (what, file) = (declared(begun), shown(&begun.file));
    let notes = begun.origin.as_ref().map(left_to_do).unwrap_or_default();
    match begun.outcome {
        BegunOutcome::Created => {
            let beside = begun.files.iter().filter(|path| **path != begun.file);
            let beside: String = beside.map(|path| format!(", with {}", shown(path))).collect();
            format!("{notes}created {what} in {file}{beside}\n")
        }
        BegunOutcome::WouldCreate => {
            let mut text = String::new();
            for (path, content) in begun.files.iter().zip(&begun.contents) {
                text += &format!("+++ {}\n", terminal(path));
                content.lines().for_each(|line| text += &format!("+{}\n", terminal(line)));
            }
            format!("{text}{notes}would create {what} in {file}; nothing was written\n")
        }
    }
}

/// The new scenarios: `board/draws`, or `board with 16 scenarios (2 drafts)`.
fn declared(begun: &NewReceipt) -> String {
    let node = shown(&begun.node);
    let Some(origin) = &begun.origin else { return format!("{node}/{}", shown(&begun.scenario)) };
    let drafts = match origin.drafts.len() {
        0 => String::new(),
        count => format!(" ({})", plural(count, "draft")),
    };
    format!("{node} with {}{drafts}", plural(origin.scenarios.len(), "scenario"))
}

/// How many line numbers are shown.
const MAX_LINES: usize = 8;

/// The lines about requirements that were skipped, and about open questions.
fn left_to_do(origin: &OriginReceipt) -> String {
    let mut text = String::new();
    let requirements = [(origin.removed, "removed"), (origin.renamed, "renamed")];
    for (count, word) in requirements.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!("skipped {}\n", plural(count, &format!("{word} requirement")));
    }
    if !origin.near.is_empty() {
        let lines: Vec<String> = origin.near.iter().take(MAX_LINES).map(ToString::to_string).collect();
        let more = if origin.near.len() > MAX_LINES { ", \u{2026}" } else { "" };
        let near = plural(origin.near.len(), "line");
        text += &format!("skipped {near} like the beginning of a scenario: {}{more}\n", lines.join(", "));
    }
    if origin.needs_clarification > 0 {
        text +=
            &format!("left {} in the texts: [NEEDS CLARIFICATION\n", plural(origin.needs_clarification, "question"));
    }
    text
}

fn filing(filed: &ReadingReceipt) -> String {
    let (word, end) = match filed.outcome {
        FilingOutcome::Filed => ("filed", ""),
        FilingOutcome::WouldFile => ("would file", "; nothing was written"),
        FilingOutcome::AlreadyFiled => ("already filed", "; nothing was written"),
    };
    let (node, scenario) = (shown(&filed.node), shown(&filed.scenario));
    let commit = filed.code_sha.get(..12).unwrap_or(&filed.code_sha);
    let counts = filed.measures.counts();
    let with = match counts.is_empty() {
        false => format!(", with {}", counts.join(", ")),
        true if filed.reads_markers => ", with no metric, marker or artifact".to_owned(),
        true => String::new(),
    };
    let verdict = format!("{}{}", filed.status, filed.terms.grade_word());
    format!("{word} {node}/{scenario} {verdict} @ {commit} {}{with}{end}\n", filed.ts)
}

/// The `git add` command for the written files. If the files are many or their names are long, the command is not
/// spelled out.
fn added<T: AsRef<str>>(files: &[T]) -> String {
    let is_long = files.len() > MAX_ADDED || files.iter().any(|file| echo(file.as_ref()) != file.as_ref());
    let words: Vec<String> = files.iter().map(|file| shell::place(file.as_ref())).collect();
    if is_long { "git add them".to_owned() } else { format!("git add {}", words.join(" ")) }
}

fn waiver(waived: &WaiverReceipt) -> String {
    let (node, scenario) = (shown(&waived.node), shown(&waived.scenario));
    match waived.outcome {
        WaiverOutcome::Waived => format!("waived {node}/{scenario} at {}; {}\n", waived.ts, added(&[&waived.ledger])),
        WaiverOutcome::AlreadyWaived => {
            format!("already waived {node}/{scenario} at {}; nothing was written\n", waived.ts)
        }
    }
}

fn signing(signed: &SigningReceipt) -> String {
    if signed.signatures.is_empty() {
        return "already signed by this key; nothing was written\n".to_owned();
    }
    let line = |one: &SignatureReceipt| {
        let known = one.principals.iter().map(|name| echo(name)).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { String::new() } else { format!(" ({known})") };
        let (lines, node) = (plural(one.lines, "line"), shown(&one.node));
        format!("signed {lines} of {node} with {}{known}: {}\n", one.key, shown(&one.ledger))
    };
    signed.signatures.iter().map(line).collect()
}

fn retraction(retracted: &RetractionReceipt) -> String {
    let (node, scenario) = (shown(&retracted.node), shown(&retracted.scenario));
    let now = match &retracted.latest {
        None => String::new(),
        Some(None) => "; no reading is left".to_owned(),
        Some(Some(latest)) => {
            let state = latest.state.as_ref().map_or("of a scenario that is not declared", ReadingState::as_str);
            format!("; latest is now {} {} ({state})", latest.verdict.as_str(), latest.ts)
        }
    };
    format!("retracted {node}/{scenario} {}{now}\n", retracted.retracts)
}

fn redaction(redacted: &RedactionReceipt) -> String {
    let (node, scenario) = (shown(&redacted.node), shown(&redacted.scenario));
    match redacted.outcome {
        RedactionOutcome::Redacted => {
            format!("redacted {node}/{scenario} {}; {}\n", redacted.ts, added(&redacted.ledgers))
        }
        RedactionOutcome::AlreadyRedacted => {
            format!("already redacted {node}/{scenario} {}; nothing was written\n", redacted.ts)
        }
    }
}

fn collection(cleaned: &CollectionReceipt, all: bool) -> String {
    let mut text = String::new();
    if all || cleaned.outcome != CollectionOutcome::Cleaned {
        cleaned.evidence.iter().for_each(|piece| text += &unnamed(piece));
    }
    let count = format!("{} of evidence", plural(cleaned.evidence.len(), "piece"));
    let bytes = amount(cleaned.evidence.iter().filter_map(|piece| piece.size).sum());
    let stay = format!("{} named, {} young", cleaned.referenced, cleaned.young);
    match cleaned.outcome {
        CollectionOutcome::Restored => text + &format!("restored {count}\n"),
        CollectionOutcome::WouldClean => {
            text + &format!("would collect {count} ({bytes}); {stay}; nothing was moved\n")
        }
        CollectionOutcome::Cleaned => {
            text + &format!("collected {count} ({bytes}); {stay}; {} deleted for good\n", cleaned.purged)
        }
    }
}

fn unnamed(piece: &Unnamed) -> String {
    let size = piece.size.map(|size| format!(" {}", amount(size))).unwrap_or_default();
    format!("{}{size}{}\n", piece.hash, readings("named by", &piece.readings))
}

pub(crate) fn readings(word: &str, named: &[ReadingName]) -> String {
    let one = |named: &ReadingName| format!("{}/{} {}", shown(&named.node), shown(&named.scenario), named.ts);
    if named.is_empty() {
        return String::new();
    }
    format!("  {word} {}", named.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn repair(repaired: &Repaired, all: bool) -> String {
    let mut text = String::new();
    let changed: Vec<_> = repaired.ledgers.iter().filter(|ledger| !ledger.changes.is_empty()).collect();
    if all || repaired.outcome == RepairOutcome::WouldRepair {
        for ledger in &changed {
            let name = terminal(&ledger.ledger);
            text += &format!("--- {name}\n+++ {name}\n");
            ledger.changes.iter().for_each(|change| text += &diff(change));
        }
    }
    let changes: usize = changed.iter().map(|ledger| ledger.changes.len()).sum();
    let what = format!("{} in {}", plural(changes, "change"), plural(changed.len(), "file"));
    text + &match repaired.outcome {
        RepairOutcome::Repaired => {
            let to_add: Vec<_> = changed.iter().filter(|one| !one.is_gone).map(|one| &one.ledger).collect();
            let next = if to_add.is_empty() { String::new() } else { format!("; {}", added(&to_add)) };
            format!("repaired: {what}{next}\n")
        }
        RepairOutcome::WouldRepair => format!("would repair: {what}; nothing was written\n"),
        RepairOutcome::Sound => match repaired.ledgers.iter().map(|ledger| ledger.left.len()).sum() {
            0 => "nothing to repair\n".to_owned(),
            left => format!("{} left for you to mend\n", plural(left, "line")),
        },
    }
}

fn diff(change: &EditReceipt) -> String {
    let what = match change.reason {
        EditReason::Torn => "a write was cut off",
        EditReason::Conflict => "a merge left this marker; the lines of both sides stay",
        EditReason::Glued => "several events on one line",
        EditReason::Duplicate => "the same line stood there before",
        EditReason::Redacted => "it was redacted",
        EditReason::Edited => "the line was edited",
        EditReason::Lost => "was lost",
    };
    let place = if change.line == 0 { String::new() } else { format!("line {}: ", change.line) };
    let mut text = format!("@@ {place}{what} @@\n");
    if let Some(line) = &change.removed {
        text += &format!("-{}\n", terminal(line));
    }
    for line in &change.added {
        text += &format!("+{}\n", terminal(line));
    }
    text
}

fn check(checked: &CheckReceipt) -> String {
    let mut text: String = checked.corrupt.iter().map(corrupt).collect();
    let files = plural(checked.files, "file");
    text += &match checked.corrupt.len() {
        0 => format!("{files} checked, none is corrupt\n"),
        count => format!("{files} checked, {count} corrupt\n"),
    };
    text
}

fn corrupt(corrupt: &CorruptPiece) -> String {
    let found = match (&corrupt.actual, &corrupt.problem) {
        (Some(actual), _) => format!("actual {actual}"),
        (None, problem) => format!("unreadable: {}", terminal(problem.as_deref().unwrap_or("no reason is known"))),
    };
    let path = terminal(&corrupt.path);
    let hurts = readings("hurts", &corrupt.readings);
    let hurts = if hurts.is_empty() { "  no reading of the work tree names it".to_owned() } else { hurts };
    format!(
        "{path}: corrupt: expected {}, {found}\n{hurts}\n  help: yatsu-hook evidence put FILE, with the original bytes\n",
        corrupt.expected
    )
}

fn listing(listed: &StoreReceipt) -> String {
    let kind = |entry: &StoreEntry| if entry.kinds.is_empty() { "-".to_owned() } else { entry.kinds.join("+") };
    let width = listed.evidence.iter().map(|entry| kind(entry).chars().count()).max().unwrap_or_default();
    let line = |entry: &StoreEntry| {
        let size = entry.size.map_or_else(|| "missing".to_owned(), amount);
        let age = entry.age.as_deref().unwrap_or("-");
        let text = format!("{} {:width$} {size:>10} {age:>4}", entry.hash, kind(entry));
        format!("{text}{}\n", namers(&entry.named_by))
    };
    listed.evidence.iter().map(line).collect()
}

/// The scenarios that name a piece, at most [`MAX_NAMERS`] of them.
fn namers(all: &[ReadingName]) -> String {
    let one = |named: &ReadingName| format!("{}/{}", shown(&named.node), shown(&named.scenario));
    let mut names: Vec<String> = all.iter().map(one).collect();
    names.dedup();
    match names.len() {
        0 => "  named by no reading of the work tree".to_owned(),
        count if count > MAX_NAMERS => format!("  {} +{}", names[..MAX_NAMERS].join(", "), count - MAX_NAMERS),
        _ => format!("  {}", names.join(", ")),
    }
}

/// A size in bytes, in the largest unit that leaves a number of at least one.
pub(crate) fn amount(bytes: u64) -> String {
    let units = ["kB", "MB", "GB"];
    let mut size = bytes as f64;
    let mut unit = "B";
    for larger in units {
        if size < 1000.0 {
            break;
        }
        size /= 1000.0;
        unit = larger;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{size:.1} {unit}") }
}
