//! spec-kit: the numbered acceptance scenarios of the user stories in a `spec.md`.

use super::markdown::{MarkdownLine, NumberedLine, begins_with_label, is_rule, item, without_bold};
use super::steps::{Steps, one_line};
use super::{FoundScenarios, after_word};

const ACCEPTANCE: &str = "**Acceptance Scenarios**";
const STORY: &str = "User Story ";
const PRIORITY: &str = "(Priority:";
/// An item of a list may stand this far from the margin; one that is further in belongs to the item above it.
const MARGIN: usize = 1;

/// Whether a line begins the scenarios of a story.
pub(super) fn is_spec_kit(lines: &[NumberedLine<'_>]) -> bool {
    lines.iter().any(|(_, line)| is_acceptance(line))
}

fn is_acceptance(line: &MarkdownLine<'_>) -> bool {
    matches!(line, MarkdownLine::Text(text) if text.trim_start().starts_with(ACCEPTANCE))
}

/// Whether a line looks as if it began the scenarios of a story and does not: `**Acceptance Scenarios:**`, a heading.
fn is_near(line: &MarkdownLine<'_>) -> bool {
    let is_alike = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        ["acceptance scenarios", "acceptance scenario"].iter().any(|word| after_word(&text, word).is_some())
    };
    match line {
        MarkdownLine::Heading(_, text) | MarkdownLine::Text(text) => is_alike(text) && !is_acceptance(line),
        MarkdownLine::Code(_) => false,
    }
}

/// Where the reader is.
#[derive(Default)]
struct StoryReader {
    title: String,
    /// How many scenarios it has so far.
    count: usize,
    in_list: bool,
    /// The open scenario.
    steps: Option<Steps>,
}

pub(super) fn read(lines: &[NumberedLine<'_>]) -> FoundScenarios {
    let (mut found, mut story, mut after_blank) = (FoundScenarios::default(), StoryReader::default(), false);
    for (number, line) in lines {
        if is_near(line) {
            found.near.push(*number);
        }
        match line {
            MarkdownLine::Heading(_, text) => {
                story.close(&mut found);
                story = StoryReader { title: title(text), ..StoryReader::default() };
            }
            line if is_acceptance(line) => {
                story.close(&mut found);
                story.in_list = true;
            }
            MarkdownLine::Text("") => {}
            MarkdownLine::Text(text) => story.text(&mut found, text, after_blank),
            MarkdownLine::Code(text) => {
                if let Some(steps) = &mut story.steps {
                    steps.go_on('\n', text);
                }
            }
        }
        after_blank = *line == MarkdownLine::Text("");
    }
    story.close(&mut found);
    found
}

impl StoryReader {
    fn text(&mut self, found: &mut FoundScenarios, line: &str, after_blank: bool) {
        let indent = line.len() - line.trim_start().len();
        let is_end = is_rule(line) || (indent <= MARGIN && item(line).is_none() && begins_with_label(line));
        if is_end || !self.in_list {
            return self.close(found);
        }
        if indent <= MARGIN && item(line).is_some() && self.steps.is_some() {
            self.close(found);
            self.in_list = true;
        }
        self.steps.get_or_insert_default().text(line, after_blank);
    }

    /// Ends the open scenario and the list.
    fn close(&mut self, found: &mut FoundScenarios) {
        self.in_list = false;
        if let Some(steps) = self.steps.take() {
            self.count += 1;
            found.add(&format!("{} {}", one_line(&self.title, "Scenario"), self.count), &[], &steps, Vec::new());
        }
    }
}

/// The title in a heading such as `User Story 2 - Pay by card (Priority: P1)`: `Pay by card`.
fn title(heading: &str) -> String {
    let plain = without_bold(heading);
    let story = plain.strip_prefix(STORY).map(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.trim_start().trim_start_matches(['-', '\u{2013}', '\u{2014}', ':'])
    });
    let named = story.map(without_priority).filter(|title| !title.trim().is_empty());
    named.unwrap_or_else(|| without_priority(&plain))
}

fn without_priority(title: &str) -> String {
    let Some((before, after)) = title.split_once(PRIORITY) else { return title.to_owned() };
    match after.split_once(')') {
        Some((_, rest)) => format!("{before}{rest}"),
        None => before.to_owned(),
    }
}
