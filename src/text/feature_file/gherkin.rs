//! Gherkin with English keywords (cucumber.io/docs/gherkin/reference): one line after the other, as its grammar is defined.

use super::steps::{Steps, is_step_word, one_line};
use super::{FoundScenarios, UnreadFeature, after_word};
use std::collections::HashSet;

/// The sections of a file, each followed by a colon and a name.
const KEYWORDS: [(&str, Keyword); 11] = [
    ("Feature", Keyword::Feature),
    ("Business Need", Keyword::Feature),
    ("Ability", Keyword::Feature),
    ("Rule", Keyword::Rule),
    ("Background", Keyword::Background),
    ("Scenario Outline", Keyword::Scenario),
    ("Scenario Template", Keyword::Scenario),
    ("Scenario", Keyword::Scenario),
    ("Example", Keyword::Scenario),
    ("Examples", Keyword::Examples),
    ("Scenarios", Keyword::Examples),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    Feature,
    Rule,
    Background,
    Scenario,
    Examples,
}

/// Whether the first line that is no comment and no tag begins a feature, or a first comment names a language.
pub(super) fn is_gherkin(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '@']));
    language(text).is_some() || first.and_then(section).is_some_and(|section| section.keyword == Keyword::Feature)
}

/// The language of a comment such as `# language: de` before the first other line.
fn language(text: &str) -> Option<&str> {
    let comments = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let named = comments.filter_map(|line| line.strip_prefix('#')?.trim_start().strip_prefix("language"));
    let mut named = named.filter_map(|rest| Some(rest.trim_start().strip_prefix(':')?.trim()));
    named.find(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_')))
}

/// The head of a section, for example `Scenario Outline: pays twice`.
struct Head<'a> {
    keyword: Keyword,
    /// The keyword as written, for example `Scenario Outline`.
    word: &'static str,
    name: &'a str,
}

fn section(line: &str) -> Option<Head<'_>> {
    let (word, name) = line.split_once(':')?;
    let (word, keyword) = KEYWORDS.iter().find(|(known, _)| *known == word.trim_end())?;
    Some(Head { keyword: *keyword, word, name: name.trim() })
}

/// The keyword that a line nearly begins with: `scenario: pays`, `**Scenario:** pays`, `- Scenario: pays`.
fn near_keyword(line: &str) -> Option<Keyword> {
    let is_near = |word: &str| {
        after_word(line, word).is_some_and(|rest| rest.trim_start_matches([' ', '*', '_']).starts_with(':'))
    };
    KEYWORDS.iter().find(|(word, _)| is_near(word)).map(|(_, keyword)| *keyword)
}

/// The word and the text of a step, for example `Given` and `a cart`.
fn step(line: &str) -> Option<(&str, &str)> {
    let (word, text) = line.split_once(char::is_whitespace)?;
    let is_english = |word: &str| is_step_word(word) && word.starts_with(|c: char| c.is_ascii_uppercase());
    (word == "*" || (is_english(word) && word[1..].chars().all(|c| c.is_ascii_lowercase())))
        .then(|| (word, text.trim_start()))
}

/// Reads a whole file.
///
/// # Errors
/// Another language than English, a doc string without an end, and behind a step a line that the grammar has no place for:
/// `scenario: pays` as text of the step would take the scenario below it along.
pub(super) fn read(text: &str, library: &HashSet<&str>) -> Result<FoundScenarios, UnreadFeature> {
    if let Some(other) = language(text).filter(|name| *name != "en") {
        return Err(UnreadFeature::Language(other.to_owned()));
    }
    let mut reader = GherkinReader::new(library);
    for (at, line) in text.lines().enumerate() {
        reader.line(at + 1, line);
    }
    reader.close();
    match (reader.doc_string, reader.stray) {
        (_, Some(line)) => Err(UnreadFeature::Stray(line)),
        (Some(open), None) => Err(UnreadFeature::OpenDocString(open.line)),
        (None, None) => Ok(reader.found),
    }
}

/// A doc string that is not closed yet.
struct DocString {
    line: usize,
    /// `"""` or three backticks.
    fence: &'static str,
    /// How many blanks stand before the fence; each line loses as many.
    indent: usize,
}

/// The section that the next step belongs to.
enum OpenSection {
    /// The head of a feature or a rule: free text.
    Prose,
    Background,
    Scenario(String, Vec<String>),
}

struct GherkinReader<'l> {
    library: &'l HashSet<&'l str>,
    found: FoundScenarios,
    open: OpenSection,
    /// The steps of the open section.
    steps: Steps,
    /// The backgrounds of the feature and of the rule.
    backgrounds: [Steps; 2],
    /// The tags of the feature and of the rule.
    tags: [Vec<String>; 2],
    /// The tags of the section that comes next.
    next_tags: Vec<String>,
    in_rule: bool,
    doc_string: Option<DocString>,
    /// Below the head of examples, where free text may stand.
    in_examples: bool,
    /// The first line behind a step that is nothing of Gherkin.
    stray: Option<usize>,
}

impl<'l> GherkinReader<'l> {
    fn new(library: &'l HashSet<&'l str>) -> Self {
        Self {
            library,
            found: FoundScenarios::default(),
            open: OpenSection::Prose,
            steps: Steps::default(),
            backgrounds: Default::default(),
            tags: Default::default(),
            next_tags: Vec::new(),
            in_rule: false,
            doc_string: None,
            in_examples: false,
            stray: None,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        let text = line.trim();
        if self.doc_string.is_some() {
            self.quoted(line, text);
        } else if text.starts_with('@') {
            self.tags_of(text);
        } else if let Some(head) = section(text) {
            self.begin(&head);
        } else if !text.is_empty() && !text.starts_with('#') {
            self.content(number, line, text);
        }
    }

    /// A line of a doc string, or its end.
    fn quoted(&mut self, line: &str, text: &str) {
        let Some(doc_string) = &self.doc_string else { return };
        if text.starts_with(doc_string.fence) {
            self.steps.go_on('\n', text);
            self.doc_string = None;
        } else {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            self.steps.go_on('\n', &line[indent.min(doc_string.indent)..]);
        }
    }

    /// A line that is neither a section nor its tags.
    fn content(&mut self, number: usize, line: &str, text: &str) {
        let is_prose = matches!(self.open, OpenSection::Prose);
        if let Some((word, text)) = step(text).filter(|_| !is_prose) {
            return self.steps.begin(word, text);
        }
        if is_prose || self.steps.has_none() {
            // the free text below a name
            self.found.near.extend((near_keyword(text) == Some(Keyword::Scenario)).then_some(number));
        } else if let Some(fence) = ["\"\"\"", "```"].into_iter().find(|fence| text.starts_with(fence)) {
            self.doc_string = Some(DocString { line: number, fence, indent: line.len() - line.trim_start().len() });
            self.steps.go_on('\n', text);
        } else if text.starts_with('|') {
            self.in_examples = false;
            self.steps.go_on('\n', text);
        } else if self.in_examples {
            self.steps.go_on(' ', text);
        } else {
            self.stray.get_or_insert(number);
        }
    }

    /// Keeps the tags of a line such as `@cli @slow # a comment`.
    fn tags_of(&mut self, line: &str) {
        let tags = line.split(" #").next().unwrap_or_default().split('@').map(str::trim);
        for tag in tags.filter(|tag| self.library.contains(tag)) {
            if !self.next_tags.iter().any(|known| known == tag) {
                self.next_tags.push(tag.to_owned());
            }
        }
    }

    fn begin(&mut self, head: &Head<'_>) {
        if head.keyword == Keyword::Examples {
            return self.examples(head);
        }
        self.close();
        self.in_examples = false;
        let tags = std::mem::take(&mut self.next_tags);
        match head.keyword {
            Keyword::Feature => {
                self.in_rule = false;
                self.backgrounds = Default::default();
                self.tags = [tags, Vec::new()];
            }
            Keyword::Rule => {
                self.in_rule = true;
                self.backgrounds[1] = Steps::default();
                self.tags[1] = tags;
            }
            Keyword::Background => self.open = OpenSection::Background,
            Keyword::Scenario | Keyword::Examples => {
                self.open = OpenSection::Scenario(one_line(head.name, head.word), tags);
            }
        }
    }

    /// The examples of an outline: a part of its description.
    fn examples(&mut self, head: &Head<'_>) {
        if let OpenSection::Scenario(_, tags) = &mut self.open {
            tags.append(&mut self.next_tags);
            self.in_examples = true;
            self.steps.begin_before(&one_line(&format!("{}: {}", head.word, head.name), head.word));
        }
    }

    /// Ends the open section.
    fn close(&mut self) {
        let steps = std::mem::take(&mut self.steps);
        match std::mem::replace(&mut self.open, OpenSection::Prose) {
            OpenSection::Prose => {}
            OpenSection::Background => self.backgrounds[usize::from(self.in_rule)] = steps,
            OpenSection::Scenario(name, own) => {
                let mut tags = self.tags.concat();
                tags.extend(own);
                let [feature, rule] = &self.backgrounds;
                self.found.add(&name, &[feature, rule], &steps, tags);
            }
        }
    }
}
