//! The result of a writing verb, for people and machines: lines, or one JSON document (`yatsu-hook/receipt/v1`,
//! schema/receipt.v1.schema.json). Each kind has one block here, or in its feature, with all that distinguishes it. The last
//! line says unambiguously what was done. All text from a repository is escaped. Nothing is decided here.

use super::shown;
use super::view::receipt::{
    BegunOutcome, CheckReceipt, CollectionOutcome, CollectionReceipt, CorruptPiece, EditReason, EditReceipt, Exported,
    FilingOutcome, FoldOutcome, FoldReceipt, NewReceipt, OriginReceipt, ReadingName, ReadingReceipt, RedactionReceipt,
    RepairOutcome, Repaired, RetractionReceipt, StoreEntry, StoreReceipt, Stored, Unnamed,
};
use super::view::score::ReadingState;
use crate::text::escape::{echo, terminal};
use crate::text::{plural, shell};
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format. If the meaning of any key changes, the name changes.
const SCHEMA: &str = "yatsu-hook/receipt/v1";

/// How many scenarios are named beside a piece of evidence.
const MAX_NAMERS: usize = 3;

/// How many files one `git add` command names.
const MAX_ADDED: usize = 3;

/// The result of a writing verb.
pub(crate) trait Receipt: Serialize {
    /// The verb, as the document names it.
    const VERB: &'static str;

    /// Whether people also see what changed without being asked for by name; otherwise they see it with `-v`.
    const LISTS: bool = false;

    /// The lines for standard output, each with its newline. With `all`, they also list pieces and lines that changed
    /// without being asked for by name.
    fn lines(&self, all: bool) -> String;

    /// The lines for standard error: what is left to a person.
    fn left(&self) -> String {
        String::new()
    }

    /// Whether the verb changed nothing, because it only reads or was asked for a dry run. Its output is then the whole
    /// result.
    fn is_answer(&self) -> bool {
        false
    }
}

/// Writes the JSON document and a newline. Fails only when `out` does.
pub(crate) fn write_json<R: Receipt>(receipt: &R, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct OfVerb<'a, R> {
        verb: &'static str,
        #[serde(flatten)]
        receipt: &'a R,
    }
    super::write_document(SCHEMA, &OfVerb { verb: R::VERB, receipt }, out)
}

impl Receipt for NewReceipt {
    const VERB: &'static str = "new";

    fn lines(&self, _all: bool) -> String {
        let (what, file) = (declared(self), shown(&self.file));
        let notes = self.origin.as_ref().map(left_to_do).unwrap_or_default();
        match self.outcome {
            BegunOutcome::Created => {
                let beside = self.files.iter().filter(|path| **path != self.file);
                let beside: String = beside.map(|path| format!(", with {}", shown(path))).collect();
                format!("{notes}created {what} in {file}{beside}\n")
            }
            BegunOutcome::WouldCreate => {
                let mut text = String::new();
                for (path, content) in self.files.iter().zip(&self.contents) {
                    text += &format!("+++ {}\n", terminal(path));
                    content.lines().for_each(|line| text += &format!("+{}\n", terminal(line)));
                }
                format!("{text}{notes}would create {what} in {file}; nothing was written\n")
            }
        }
    }

    fn is_answer(&self) -> bool {
        self.outcome == BegunOutcome::WouldCreate
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

impl Receipt for ReadingReceipt {
    const VERB: &'static str = "eval";

    fn lines(&self, _all: bool) -> String {
        let (word, end) = match self.outcome {
            FilingOutcome::Filed => ("filed", ""),
            FilingOutcome::WouldFile => ("would file", "; nothing was written"),
            FilingOutcome::AlreadyFiled => ("already filed", "; nothing was written"),
        };
        let (node, scenario) = (shown(&self.node), shown(&self.scenario));
        let commit = self.code_sha.get(..12).unwrap_or(&self.code_sha);
        let counts = self.measures.counts();
        let with = match counts.is_empty() {
            false => format!(", with {}", counts.join(", ")),
            true if self.reads_markers => ", with no metric, marker or artifact".to_owned(),
            true => String::new(),
        };
        let verdict = format!("{}{}", self.status, self.terms.grade_word());
        format!("{word} {node}/{scenario} {verdict} @ {commit} {}{with}{end}\n", self.ts)
    }

    fn is_answer(&self) -> bool {
        self.outcome == FilingOutcome::WouldFile
    }
}

impl Receipt for RetractionReceipt {
    const VERB: &'static str = "retract";

    fn lines(&self, _all: bool) -> String {
        let (node, scenario) = (shown(&self.node), shown(&self.scenario));
        let now = match &self.latest {
            None => String::new(),
            Some(None) => "; no reading is left".to_owned(),
            Some(Some(latest)) => {
                let state = latest.state.as_ref().map_or("of a scenario that is not declared", ReadingState::as_str);
                format!("; latest is now {} {} ({state})", latest.verdict.as_str(), latest.ts)
            }
        };
        format!("retracted {node}/{scenario} {}{now}\n", self.retracts)
    }
}

impl Receipt for RedactionReceipt {
    const VERB: &'static str = "redact";

    fn lines(&self, _all: bool) -> String {
        let (node, scenario) = (shown(&self.node), shown(&self.scenario));
        match self.ledgers.is_empty() {
            true => format!("already redacted {node}/{scenario} {}; nothing was written\n", self.ts),
            false => format!("redacted {node}/{scenario} {}; {}\n", self.ts, added(&self.ledgers)),
        }
    }
}

/// The `git add` command for the written files. If the files are many or their names are long, the command is not
/// spelled out.
pub(crate) fn added<T: AsRef<str>>(files: &[T]) -> String {
    let is_long = files.len() > MAX_ADDED || files.iter().any(|file| echo(file.as_ref()) != file.as_ref());
    let words: Vec<String> = files.iter().map(|file| shell::place(file.as_ref())).collect();
    if is_long { "git add them".to_owned() } else { format!("git add {}", words.join(" ")) }
}

impl Receipt for CollectionReceipt {
    const VERB: &'static str = "clean";

    fn lines(&self, all: bool) -> String {
        let mut text = String::new();
        if all || self.outcome != CollectionOutcome::Cleaned {
            self.evidence.iter().for_each(|piece| text += &unnamed(piece));
        }
        let count = format!("{} of evidence", plural(self.evidence.len(), "piece"));
        let bytes = amount(self.evidence.iter().filter_map(|piece| piece.size).sum());
        let stay = format!("{} named, {} young", self.referenced, self.young);
        match self.outcome {
            CollectionOutcome::Restored => text + &format!("restored {count}\n"),
            CollectionOutcome::WouldClean => {
                text + &format!("would collect {count} ({bytes}); {stay}; nothing was moved\n")
            }
            CollectionOutcome::Cleaned => {
                text + &format!("collected {count} ({bytes}); {stay}; {} deleted for good\n", self.purged)
            }
        }
    }

    fn is_answer(&self) -> bool {
        self.outcome == CollectionOutcome::WouldClean
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

impl Receipt for Repaired {
    const VERB: &'static str = "repair";
    const LISTS: bool = true;

    fn lines(&self, all: bool) -> String {
        let mut text = String::new();
        let changed: Vec<_> = self.ledgers.iter().filter(|ledger| !ledger.changes.is_empty()).collect();
        if all || self.outcome == RepairOutcome::WouldRepair {
            for ledger in &changed {
                let name = terminal(&ledger.ledger);
                text += &format!("--- {name}\n+++ {name}\n");
                ledger.changes.iter().for_each(|change| text += &diff(change));
            }
        }
        let changes: usize = changed.iter().map(|ledger| ledger.changes.len()).sum();
        let what = format!("{} in {}", plural(changes, "change"), plural(changed.len(), "file"));
        text + &match self.outcome {
            RepairOutcome::Repaired => {
                let to_add: Vec<_> = changed.iter().filter(|one| !one.is_gone).map(|one| &one.ledger).collect();
                let next = if to_add.is_empty() { String::new() } else { format!("; {}", added(&to_add)) };
                format!("repaired: {what}{next}\n")
            }
            RepairOutcome::WouldRepair => format!("would repair: {what}; nothing was written\n"),
            RepairOutcome::Sound => match self.ledgers.iter().map(|ledger| ledger.left.len()).sum() {
                0 => "nothing to repair\n".to_owned(),
                left => format!("{} left for you to mend\n", plural(left, "line")),
            },
        }
    }

    fn left(&self) -> String {
        let mut text = String::new();
        for ledger in &self.ledgers {
            for left in &ledger.left {
                let (path, message) = (terminal(&ledger.ledger), terminal(&left.message));
                text += &format!("{path}:{}: {message}\n  help: {}\n", left.line, terminal(&left.help));
            }
        }
        text
    }

    fn is_answer(&self) -> bool {
        self.outcome == RepairOutcome::WouldRepair
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

impl Receipt for FoldReceipt {
    const VERB: &'static str = "fold";

    fn lines(&self, _all: bool) -> String {
        let segments = self.homes.iter().map(|home| home.segments.len()).sum();
        let lines = self.homes.iter().map(|home| home.lines).sum();
        let what = format!(
            "{} of {}, {} new in trunk files",
            plural(segments, "segment"),
            plural(self.homes.len(), "node"),
            plural(lines, "line")
        );
        match self.outcome {
            FoldOutcome::Folded => format!("folded {what}\n"),
            FoldOutcome::WouldFold => format!("would fold {what}; nothing was written\n"),
            FoldOutcome::Nothing => "nothing to fold\n".to_owned(),
        }
    }

    fn left(&self) -> String {
        let mut text = String::new();
        for left in &self.left {
            text += &format!("{} is left as it is: {}\n", shown(&left.node), terminal(&left.why.message));
            left.why.hints.iter().for_each(|help| text += &format!("  help: {}\n", terminal(help)));
        }
        text
    }

    fn is_answer(&self) -> bool {
        self.outcome == FoldOutcome::WouldFold
    }
}

impl Receipt for Stored {
    const VERB: &'static str = "evidence-put";

    fn lines(&self, _all: bool) -> String {
        format!("{}\n", self.hash)
    }
}

/// `evidence get` into a file.
impl Receipt for Exported {
    const VERB: &'static str = "evidence-get";

    fn lines(&self, _all: bool) -> String {
        format!("wrote {} to {} ({})\n", self.hash, shown(&self.path), amount(self.size))
    }
}

impl Receipt for CheckReceipt {
    const VERB: &'static str = "evidence-check";

    fn lines(&self, _all: bool) -> String {
        let mut text: String = self.corrupt.iter().map(corrupt).collect();
        let files = plural(self.files, "file");
        text += &match self.corrupt.len() {
            0 => format!("{files} checked, none is corrupt\n"),
            count => format!("{files} checked, {count} corrupt\n"),
        };
        text
    }

    fn is_answer(&self) -> bool {
        true
    }
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

impl Receipt for StoreReceipt {
    const VERB: &'static str = "evidence-ls";

    fn lines(&self, _all: bool) -> String {
        let kind = |entry: &StoreEntry| match entry.kinds.is_empty() {
            true => "-".to_owned(),
            false => entry.kinds.iter().map(String::as_str).collect::<Vec<_>>().join("+"),
        };
        let width = self.evidence.iter().map(|entry| kind(entry).chars().count()).max().unwrap_or_default();
        let line = |entry: &StoreEntry| {
            let size = entry.size.map_or_else(|| "missing".to_owned(), amount);
            let age = entry.age.as_deref().unwrap_or("-");
            let text = format!("{} {:width$} {size:>10} {age:>4}", entry.hash, kind(entry));
            format!("{text}{}\n", namers(&entry.named_by))
        };
        self.evidence.iter().map(line).collect()
    }

    fn is_answer(&self) -> bool {
        true
    }
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
