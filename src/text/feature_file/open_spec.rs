//! OpenSpec: the scenarios below the requirements of a spec, or of a delta.

use super::markdown::{MarkdownLine, NumberedLine, is_rule, without_bold};
use super::steps::{Steps, one_line};
use super::{FoundScenarios, after_word};

const REQUIREMENT: &str = "Requirement:";
const SCENARIO: &str = "Scenario:";

/// Whether there is a heading `### Requirement:`.
pub(super) fn is_open_spec(lines: &[NumberedLine<'_>]) -> bool {
    lines.iter().any(|(_, line)| matches!(line, MarkdownLine::Heading(3, text) if text.starts_with(REQUIREMENT)))
}

/// The part of a delta that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeltaPart {
    /// A spec, or what a delta adds or changes.
    Taken,
    Removed,
    Renamed,
}

impl DeltaPart {
    /// The part below a heading of the second level, for example `REMOVED Requirements`.
    fn of(heading: &str) -> Self {
        match heading.split_once(' ') {
            Some((word, "Requirements")) if word.eq_ignore_ascii_case("REMOVED") => Self::Removed,
            Some((word, "Requirements")) if word.eq_ignore_ascii_case("RENAMED") => Self::Renamed,
            _ => Self::Taken,
        }
    }
}

pub(super) fn read(lines: &[NumberedLine<'_>]) -> FoundScenarios {
    let (mut found, mut part) = (FoundScenarios::default(), DeltaPart::Taken);
    let mut open: Option<(String, Steps)> = None;
    let mut after_blank = false;
    for (number, line) in lines {
        count_skipped(&mut found, part, line);
        if part == DeltaPart::Taken && is_near(line) {
            found.near.push(*number);
        }
        match (line, &mut open) {
            (MarkdownLine::Heading(level, text), _) => {
                close(&mut found, open.take());
                if *level == 2 {
                    part = DeltaPart::of(text);
                }
                let name = text.strip_prefix(SCENARIO).filter(|_| *level == 4 && part == DeltaPart::Taken);
                open = name.map(|name| (one_line(&without_bold(name), "Scenario"), Steps::default()));
            }
            (MarkdownLine::Text(text), Some(_)) if is_rule(text) => close(&mut found, open.take()),
            (MarkdownLine::Text(text), Some((_, steps))) if !text.is_empty() => steps.text(text, after_blank),
            (MarkdownLine::Code(text), Some((_, steps))) => steps.go_on('\n', text),
            (MarkdownLine::Text(_) | MarkdownLine::Code(_), _) => {}
        }
        after_blank = *line == MarkdownLine::Text("");
    }
    close(&mut found, open);
    found
}

/// Whether a line looks like the heading of a scenario and is none: `### Scenario: a`, `#### **Scenario:** a`, `scenario: a`.
fn is_near(line: &MarkdownLine<'_>) -> bool {
    match line {
        MarkdownLine::Heading(4, text) if text.starts_with(SCENARIO) => false,
        MarkdownLine::Heading(_, text) => after_word(text, "scenario").is_some(),
        MarkdownLine::Text(text) => {
            after_word(text, "scenario").is_some_and(|rest| rest.trim_start_matches([' ', '*', '_']).starts_with(':'))
        }
        MarkdownLine::Code(_) => false,
    }
}

/// Counts a requirement that a delta removes: a heading; or one that it renames: a line with FROM.
fn count_skipped(found: &mut FoundScenarios, part: DeltaPart, line: &MarkdownLine<'_>) {
    match (part, line) {
        (DeltaPart::Removed, MarkdownLine::Heading(3, text)) if text.starts_with(REQUIREMENT) => found.removed += 1,
        (DeltaPart::Renamed, MarkdownLine::Text(text)) if text.contains("FROM:") && text.contains(REQUIREMENT) => {
            found.renamed += 1
        }
        _ => {}
    }
}

fn close(found: &mut FoundScenarios, open: Option<(String, Steps)>) {
    if let Some((name, steps)) = open {
        found.add(&name, &[], &steps, Vec::new());
    }
}
