//! The Markdown of a comment. The verdict, the numbers and the last line always stand. A comment that is too long is cut at
//! rows, the least urgent sections first.

use super::pictures::{self, CommentRow};
use super::{Comment, CommentStyle, MARKER, sentences};
use crate::features::page::model::range_review::{DroppedScenario, RangeReview, RangeRow};
use crate::finding::{Finding, NodeRef, RuleId};
use crate::report::markdown::{cell, code};
use crate::report::subject;
use crate::text::escape::{clip, echo};
use bstr::ByteSlice;
use std::collections::BTreeSet;

/// The most pictures side by side, in pairs.
const PAIRS: usize = 10;
/// The most scenarios that are named as different from the checked commit.
const DIFFERING: usize = 10;
/// The longest reason of an unchecked comment in characters.
const REASON: usize = 200;
/// The longest note of a fail in characters.
const NOTE: usize = 200;
/// Bytes kept free for the sentence about rows that were left out.
const MORE: usize = 32;

/// A part of a comment that can be cut at its rows.
#[derive(Default)]
struct Section {
    head: &'static str,
    rows: Vec<CommentRow>,
    /// How many rows were left out.
    more: usize,
}

impl Section {
    fn of(head: &'static str, rows: Vec<CommentRow>) -> Self {
        Self { head, rows, more: 0 }
    }

    /// At most `most` rows with pictures: rows in words take no place of a picture.
    fn first_pictures(mut self, most: usize) -> Self {
        let (all, mut shown) = (self.rows.len(), 0);
        self.rows.retain(|row| {
            shown += usize::from(!row.attachments.is_empty());
            row.attachments.is_empty() || shown <= most
        });
        self.more = all - self.rows.len();
        self
    }

    /// At most `most` rows.
    fn first(mut self, most: usize) -> Self {
        self.more = self.rows.len().saturating_sub(most);
        self.rows.truncate(most);
        self
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.more == 0
    }

    /// The most bytes that it takes.
    fn len(&self) -> usize {
        if self.is_empty() {
            0
        } else {
            self.head.len() + MORE + self.rows.iter().map(|row| row.text.len()).sum::<usize>()
        }
    }

    fn write(&self, text: &mut String) {
        if self.is_empty() {
            return;
        }
        text.push_str(self.head);
        self.rows.iter().for_each(|row| text.push_str(&row.text));
        if self.more > 0 {
            text.push_str(&format!("\nand {} more\n", self.more));
        }
    }
}

pub(super) fn comment(review: &RangeReview, style: &CommentStyle) -> Comment {
    let (top, foot) = (top(review), foot(review, style));
    let mut sections = sections(review, style);
    fit(&mut sections, style.limit.saturating_sub(top.len() + foot.len()));
    let mut body = top;
    sections.iter().for_each(|section| section.write(&mut body));
    body.push_str(&foot);
    let mut files = BTreeSet::new();
    let cut = sections.iter().map(|section| section.more).sum();
    let shown = sections.into_iter().flat_map(|section| section.rows).flat_map(|row| row.attachments);
    Comment { body, cut, attachments: shown.filter(|one| files.insert(one.file.clone())).collect() }
}

/// Cuts rows until the sections fit into `room` bytes: measured scenarios first, then pictures, then what was not measured,
/// then the rest.
fn fit(sections: &mut [Section; 6], room: usize) {
    const MEASURED_FIRST: [usize; 6] = [3, 4, 2, 5, 1, 0];
    let mut taken: usize = sections.iter().map(Section::len).sum();
    for at in MEASURED_FIRST {
        let section = &mut sections[at];
        while taken > room
            && let Some(row) = section.rows.pop()
        {
            taken -= row.text.len();
            section.more += 1;
        }
    }
}

/// The sections in the order of the comment.
fn sections(review: &RangeReview, style: &CommentStyle) -> [Section; 6] {
    let name = |node: &NodeRef, scenario: &str, article: &str| {
        let name = cell(&format!("{}/{}", echo(&node.id), echo(scenario)));
        style.address(Some(article)).map_or(name.clone(), |address| format!("[{name}]({address})"))
    };
    let named = |row: &RangeRow| name(&row.node, &row.scenario, &row.article);
    let hints = review.unchecked.iter().flat_map(|(_, hints)| hints);
    let hints = hints.map(|hint| format!("\nhint: {}\n", code(hint)).into()).collect();
    let differ = review.checked.iter().flat_map(|checked| &checked.differ);
    let differ =
        differ.map(|one| format!("- {}\n", code(&format!("{}/{}", echo(&one.node.id), echo(&one.scenario)))).into());
    let (fresh, open): (Vec<_>, Vec<_>) = review.rows.iter().partition(|row| row.is_fresh());
    let open = open.into_iter().map(|row| {
        let why = sentences::why(row).unwrap_or_default();
        format!("| {} | {} |\n", named(row), cell(&why)).into()
    });
    let note = |row: &RangeRow| {
        let note = row.note.as_ref().filter(|_| style.notes);
        note.map(|note| format!(" {}", cell(&clip(note, NOTE)))).unwrap_or_default()
    };
    let measured = fresh
        .into_iter()
        .map(|row| format!("| {} | {} | {}{} |\n", named(row), before(row), after(row), note(row)).into());
    // a table brings its own blank line
    let head = if style.pictures { "\n### Before and after\n" } else { "\n### Before and after\n\n" };
    let pairs = Section::of(head, pictures::pairs(review, style.pictures, name));
    let errors = review.errors.iter().map(error).chain(dropped(review)).map(CommentRow::from).collect();
    [
        Section::of("", hints),
        Section::of("\n", differ.collect()).first(DIFFERING),
        Section::of("\n### Nobody measured\n\n| scenario | why |\n|---|---|\n", open.collect()),
        Section::of("\n### Measured\n\n| scenario | before | after |\n|---|---|---|\n", measured.collect()),
        pairs.first_pictures(PAIRS),
        Section::of("\n### Errors\n\n", errors),
    ]
}

fn before(row: &RangeRow) -> String {
    row.before.as_ref().map_or_else(|| "new".to_owned(), sentences::stand)
}

fn after(row: &RangeRow) -> String {
    let stand = sentences::stand(&row.after);
    match row.filed {
        _ if !row.is_measured => format!("{stand} (an earlier reading)"),
        1 => stand,
        filed => format!("{stand} ({filed} readings)"),
    }
}

fn error(finding: &Finding) -> String {
    let about = subject(finding).map(|about| format!("{}: ", code(&about))).unwrap_or_default();
    let line = |line: Option<u32>| line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = finding.location.as_ref();
    let place =
        place.map(|place| format!(" ({})", code(&format!("{}{}", place.path.to_str_lossy(), line(place.line)))));
    format!("- {} {about}{}{}\n", code(finding.rule.as_str()), code(&finding.message), place.unwrap_or_default())
}

/// The dropped scenarios, except where an error already says so.
fn dropped(review: &RangeReview) -> impl Iterator<Item = String> {
    let is_named = |gone: &DroppedScenario| {
        let mut errors = review.errors.iter().filter(|finding| finding.rule == RuleId::ScenarioDropped);
        errors.any(|one| one.node.as_ref() == Some(&gone.node) && one.scenario.as_deref() == Some(&*gone.scenario))
    };
    let name = |gone: &DroppedScenario| code(&format!("{}/{}", echo(&gone.node.id), echo(&gone.scenario)));
    review.dropped.iter().filter(move |gone| !is_named(gone)).map(move |gone| format!("- {} was dropped\n", name(gone)))
}

/// The verdict, the numbers and the score.
fn top(review: &RangeReview) -> String {
    let failing = review.numbers.as_ref().map_or(0, |numbers| numbers.failing);
    let failing = if failing > 0 { format!(", {failing} failing") } else { String::new() };
    let mut text = format!("{MARKER}\n## yatsu-hook: {}{failing}\n", review.verdict.as_str());
    if let Some((message, _)) = &review.unchecked {
        text += &format!("could not check: {}\n", code(&clip(message, REASON)));
    }
    if let Some(numbers) = &review.numbers {
        let score = review.score.and_then(|score| score.line());
        text += &format!("{}\n", sentences::summary(review, numbers));
        text += &format!("{}\n", score.as_deref().unwrap_or("no scenario was scored"));
    }
    let checked = review.checked.as_ref().map(|checked| format!("\n{}\n", sentences::checked(checked)));
    text + &checked.unwrap_or_default()
}

/// The range and the link to the page; empty if neither is known.
fn foot(review: &RangeReview, style: &CommentStyle) -> String {
    let range = review.from.as_ref().zip(review.to.as_ref());
    let range = range.map(|(from, to)| format!("`{}`..`{}`", &from[..12], &to[..12]));
    let page = style.address(None).map(|address| format!("[page]({address})"));
    let parts: Vec<String> = range.into_iter().chain(page).collect();
    if parts.is_empty() { String::new() } else { format!("\n<sub>{}</sub>\n", parts.join(" · ")) }
}
