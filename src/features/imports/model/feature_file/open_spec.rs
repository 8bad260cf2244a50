//! OpenSpec: the scenarios below the requirements of a spec, or of a delta.

use super::markdown::{MarkdownLine, NumberedLine, is_rule, item, without_bold};
use super::steps::{Steps, one_line};
use super::{FoundScenarios, after_word};

const REQUIREMENT: &str = "Requirement:";
const SCENARIO: &str = "Scenario:";

/// The text behind a first word, in any case: OpenSpec takes `### REQUIREMENT: pays`, too.
fn behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

fn is_requirement(text: &str) -> bool {
    behind(text, REQUIREMENT).is_some()
}

/// Whether there is a heading `### Requirement:`.
pub(super) fn is_open_spec(lines: &[NumberedLine<'_>]) -> bool {
    lines.iter().any(|(_, line)| matches!(line, MarkdownLine::Heading(3, text) if is_requirement(text)))
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
        match heading {
            _ if heading.eq_ignore_ascii_case("REMOVED Requirements") => Self::Removed,
            _ if heading.eq_ignore_ascii_case("RENAMED Requirements") => Self::Renamed,
            _ => Self::Taken,
        }
    }
}

pub(super) fn read(lines: &[NumberedLine<'_>]) -> FoundScenarios {
    let (mut found, mut part) = (FoundScenarios::default(), DeltaPart::Taken);
    let mut open: Option<(String, Steps)> = None;
    let (mut after_blank, mut in_requirement) = (false, false);
    for (number, line) in lines {
        count_skipped(&mut found, part, line);
        if let MarkdownLine::Heading(level, text) = line {
            in_requirement = *level > 2 && (in_requirement || *level == 3 && is_requirement(text));
        }
        let name = scenario(line, in_requirement).filter(|_| part == DeltaPart::Taken);
        if part == DeltaPart::Taken && name.is_none() && is_near(line) {
            found.near.push(*number);
        }
        match (line, &mut open) {
            (MarkdownLine::Heading(level, text), _) => {
                close(&mut found, open.take());
                if *level == 2 {
                    part = DeltaPart::of(text);
                }
                open = name.map(|name| (name, Steps::default()));
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

/// The name of the scenario that a line begins. As OpenSpec counts them, every heading of the fourth level below a requirement
/// begins one: `#### Scenario: pays`, and also `#### Pays twice`.
fn scenario(line: &MarkdownLine<'_>, in_requirement: bool) -> Option<String> {
    let MarkdownLine::Heading(4, text) = line else { return None };
    let text = without_bold(text);
    let name = behind(&text, SCENARIO);
    (in_requirement || name.is_some()).then(|| one_line(name.unwrap_or(&text), "Scenario"))
}

/// Whether a line that is no heading of a scenario looks like one: `### Scenario: a`, `##### scenario a`, `scenario: a`.
fn is_near(line: &MarkdownLine<'_>) -> bool {
    match line {
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
        (DeltaPart::Removed, MarkdownLine::Heading(3, text)) if is_requirement(text) => found.removed += 1,
        // OpenSpec takes a list of such headings, too
        (DeltaPart::Removed, MarkdownLine::Text(text)) if item(text).is_some_and(is_quoted_requirement) => {
            found.removed += 1;
        }
        (DeltaPart::Renamed, MarkdownLine::Text(text)) if text.contains("FROM:") && text.contains(REQUIREMENT) => {
            found.renamed += 1
        }
        _ => {}
    }
}

/// Whether an item is a heading: "`### Requirement: pays`".
fn is_quoted_requirement(item: &str) -> bool {
    let heading = item.trim_start_matches('`').strip_prefix("###");
    heading.is_some_and(|text| text.trim_start().starts_with(REQUIREMENT))
}

fn close(found: &mut FoundScenarios, open: Option<(String, Steps)>) {
    if let Some((name, steps)) = open {
        found.add(&name, &[], &steps, Vec::new());
    }
}
