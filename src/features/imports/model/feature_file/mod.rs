//! Reads the scenarios of other tools: Gherkin feature files, OpenSpec specs and spec-kit specs. Input: the text of a file
//! from any source, possibly hostile. Output: the scenarios in the order of the file, or the reason why it has none. Pure,
//! in time linear in the text; knows no repository.
//!
//! For example, `Given a cart`, `When one pays` and `Then a bill comes` become the description `Given a cart; When one pays`
//! and the expected result `Then a bill comes`.

mod gherkin;
mod markdown;
mod open_spec;
mod spec_kit;
mod steps;
#[cfg(test)]
mod tests;

use crate::text::found_scenario::{FeatureFile, FoundScenario};
use crate::text::spelled::spelled;
use std::collections::HashSet;
use steps::Steps;

/// Largest file in bytes, and the most that the texts of its scenarios may have together. A background is repeated in each
/// scenario, so the texts can be longer than the file.
pub(crate) const MAX_FEATURE_FILE: usize = 256 << 10;
/// How many scenarios one file may have.
pub(crate) const MAX_FOUND: usize = 500;

spelled! {
    /// The tool that wrote a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FileKind {
        /// A feature file, for example `features/pay.feature`.
        Gherkin = "gherkin",
        /// A spec or a delta, for example `openspec/specs/pay/spec.md`.
        OpenSpec = "openspec",
        /// A feature specification, for example `specs/001-pay/spec.md`.
        SpecKit = "spec-kit",
    }
}

/// Why a file gives no scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadFeature {
    /// No tool that is known here wrote it.
    UnknownKind,
    /// A Gherkin file in this language.
    Language(String),
    /// The doc string that opens in this line, counted from 1, is never closed.
    OpenDocString(usize),
    /// The code fence that opens in this line is never closed.
    OpenFence(usize),
    /// The comment that opens in this line is never closed.
    OpenComment(usize),
    /// This line behind a step is neither a step nor a keyword of Gherkin, for example `scenario: pays`.
    Stray(usize),
    /// Gherkin itself refuses this line, for this reason: a sentence.
    Refused(usize, &'static str),
    /// This many scenarios, more than [`MAX_FOUND`].
    TooMany(usize),
    /// The texts of the scenarios are longer than [`MAX_FEATURE_FILE`].
    TooLong,
    /// The kind is known, and there is no scenario. These lines look like one.
    Empty(FileKind, Vec<usize>),
}

/// Reads a file. Of the tags, only those in `library` are kept.
///
/// # Errors
/// See [`UnreadFeature`].
pub fn read(text: &str, library: &[String]) -> Result<FeatureFile, UnreadFeature> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if gherkin::is_gherkin(text) {
        let library = library.iter().map(String::as_str).collect::<HashSet<_>>();
        return gherkin::read(text, &library)?.finish(FileKind::Gherkin);
    }
    let lines = markdown::lines(text)?;
    if open_spec::is_open_spec(&lines) {
        open_spec::read(&lines).finish(FileKind::OpenSpec)
    } else if spec_kit::is_spec_kit(&lines) {
        spec_kit::read(&lines).finish(FileKind::SpecKit)
    } else {
        Err(UnreadFeature::UnknownKind)
    }
}

/// The words after which a text is nearly that of a heading, without bold, list marks and case: `: pays` for
/// `**Scenario: pays**`. None if the word goes on, as in `scenarios`.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '-' | '+' | '#'));
    let (start, rest) = text.split_at_checked(word.len())?;
    (start.eq_ignore_ascii_case(word) && !rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The scenarios that were read so far.
#[derive(Debug, Default)]
struct FoundScenarios {
    scenarios: Vec<FoundScenario>,
    /// How many there are, also beyond the limit.
    count: usize,
    /// The bytes of their texts.
    bytes: usize,
    removed: usize,
    renamed: usize,
    near: Vec<usize>,
}

impl FoundScenarios {
    /// Adds a scenario with these steps, after the ones of `backgrounds`. One beyond a limit is only counted.
    fn add(&mut self, name: &str, backgrounds: &[&Steps], steps: &Steps, tags: Vec<String>) {
        self.count += 1;
        self.bytes += name.len() + steps.bytes() + backgrounds.iter().map(|steps| steps.bytes()).sum::<usize>();
        if self.count > MAX_FOUND || self.bytes > MAX_FEATURE_FILE {
            return;
        }
        let before = backgrounds.iter().flat_map(|background| background.all()).chain(steps.before());
        let (description, expected) = (steps::joined(before), steps::joined(steps.after()));
        self.scenarios.push(FoundScenario { name: name.to_owned(), description, expected, tags });
    }

    fn finish(self, kind: FileKind) -> Result<FeatureFile, UnreadFeature> {
        match self.count {
            0 => Err(UnreadFeature::Empty(kind, self.near)),
            count if count > MAX_FOUND => Err(UnreadFeature::TooMany(count)),
            _ if self.bytes > MAX_FEATURE_FILE => Err(UnreadFeature::TooLong),
            _ => {
                let Self { scenarios, removed, renamed, near, .. } = self;
                Ok(FeatureFile { kind: kind.as_str(), scenarios, removed, renamed, near })
            }
        }
    }
}
