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
    let name = |word: &str| line.strip_prefix(word)?.strip_prefix(':');
    let (word, keyword, name) = KEYWORDS.iter().find_map(|(word, keyword)| Some((word, keyword, name(word)?)))?;
    Some(Head { keyword: *keyword, word, name: name.trim() })
}

/// The keyword that a line nearly begins with: `scenario: pays`, `**Scenario:** pays`, `- Scenario: pays`.
fn near_keyword(line: &str) -> Option<Keyword> {
    let is_near = |word: &str| {
        after_word(line, word).is_some_and(|rest| rest.trim_start_matches([' ', '*', '_']).starts_with(':'))
    };
    KEYWORDS.iter().find(|(word, _)| is_near(word)).map(|(_, keyword)| *keyword)
}

/// The word and the text of a step, for example `Given` and `a cart`. One blank at least stands behind the word.
fn step(line: &str) -> Option<(&str, &str)> {
    let (word, text) = line.trim_start().split_once(' ')?;
    let is_english = |word: &str| is_step_word(word) && word.starts_with(|c: char| c.is_ascii_uppercase());
    (word == "*" || (is_english(word) && word[1..].chars().all(|c| c.is_ascii_lowercase())))
        .then(|| (word, text.trim()))
}

/// How many cells a row of a table has; `\|` is no border.
fn cells(row: &str) -> usize {
    let mut is_escaped = false;
    let is_border = |c: char| {
        let is_border = c == '|' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_border
    };
    row.matches(is_border).count().saturating_sub(1)
}

/// Reads a whole file.
///
/// # Errors
/// Another language than English, and what Gherkin itself refuses: a doc string without an end, and a line that has no place
/// where it stands. `scenario: pays` behind a step as text of the step would take the scenario below it along.
pub(super) fn read(text: &str, library: &HashSet<&str>) -> Result<FoundScenarios, UnreadFeature> {
    if let Some(other) = language(text).filter(|name| *name != "en") {
        return Err(UnreadFeature::Language(other.to_owned()));
    }
    let mut reader = GherkinReader::new(library);
    for (at, line) in text.lines().enumerate() {
        reader.line(at + 1, line);
    }
    if let Some(line) = reader.tags_at {
        reader.refuse(UnreadFeature::Refused(line, TAGS));
    }
    reader.close();
    match (reader.doc_string, reader.refused) {
        (_, Some(why)) => Err(why),
        (Some(open), None) => Err(UnreadFeature::OpenDocString(open.line)),
        (None, None) => Ok(reader.found),
    }
}

// why a line has no place
const CELLS: &str = "this row has another number of cells than the first one of its table";
const SECOND: &str = "a step has at most one doc string and one table";
const BLANK: &str = "a tag has a blank";
const TAGS: &str = "tags stand before a scenario, a rule or examples";
const KEYWORD: &str = "this keyword has no place here";
const AFTER_EXAMPLES: &str = "a step stands behind the examples of its scenario";

/// A doc string that is not closed yet.
struct DocString {
    line: usize,
    /// `"""` or three backticks.
    fence: &'static str,
    /// How many blanks stand before the fence; each line loses as many.
    indent: usize,
    /// Whether its step has a table already.
    after_table: bool,
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
    /// The line of these tags.
    tags_at: Option<usize>,
    doc_string: Option<DocString>,
    last: LastLine,
    /// Whether a feature was begun.
    in_feature: bool,
    /// The first fault.
    refused: Option<UnreadFeature>,
}

/// What the last line was that is neither blank nor a comment: it decides what may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLine {
    /// The head of a section, or the free text below it.
    Head,
    Step,
    /// The end of the doc string of a step, and whether the step has a table, too.
    DocString(bool),
    /// A row of the table of a step, with the number of cells of the first row, and whether the step has a doc string, too.
    Row(usize, bool),
    /// The head of examples, or the free text below it.
    Examples,
    /// A row of the examples.
    Example(usize),
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
            tags_at: None,
            doc_string: None,
            last: LastLine::Head,
            in_feature: false,
            refused: None,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        let text = line.trim();
        if self.doc_string.is_some() {
            self.quoted(line, text);
        } else if text.starts_with('@') {
            self.tags_of(number, text);
        } else if let Some(head) = section(text).filter(|head| !self.is_text(head)) {
            self.begin(number, &head);
        } else if !text.is_empty() && !text.starts_with('#') {
            self.content(number, line, text);
        }
    }

    fn refuse(&mut self, why: UnreadFeature) {
        self.refused.get_or_insert(why);
    }

    /// Whether a keyword is free text: below a head, where Gherkin looks for other keywords.
    fn is_text(&self, head: &Head<'_>) -> bool {
        let is_free = matches!(self.last, LastLine::Head | LastLine::Examples) && self.in_feature;
        is_free
            && self.tags_at.is_none()
            && match head.keyword {
                Keyword::Feature => true,
                Keyword::Background => !matches!(self.open, OpenSection::Prose),
                Keyword::Examples => !matches!(self.open, OpenSection::Scenario(..)),
                Keyword::Rule | Keyword::Scenario => false,
            }
    }

    /// A line of a doc string, or its end.
    fn quoted(&mut self, line: &str, text: &str) {
        let Some(doc_string) = &self.doc_string else { return };
        if text.starts_with(doc_string.fence) {
            self.steps.go_on('\n', text);
            self.last = LastLine::DocString(doc_string.after_table);
            self.doc_string = None;
        } else {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            self.steps.go_on('\n', &line[indent.min(doc_string.indent)..]);
        }
    }

    /// A line that is neither a section nor its tags.
    fn content(&mut self, number: usize, line: &str, text: &str) {
        if self.tags_at.is_some() || !self.in_feature {
            return self.refuse(UnreadFeature::Refused(number, if self.in_feature { TAGS } else { KEYWORD }));
        }
        let is_step = !matches!(self.open, OpenSection::Prose) && self.last != LastLine::Examples;
        if let Some((word, text)) = step(line).filter(|_| is_step) {
            if matches!(self.last, LastLine::Example(_)) {
                self.refuse(UnreadFeature::Refused(number, AFTER_EXAMPLES));
            }
            self.last = LastLine::Step;
            return self.steps.begin(word, text);
        }
        let fence = ["\"\"\"", "```"].into_iter().find(|fence| text.starts_with(fence));
        match (self.last, fence) {
            // the free text below a name
            (LastLine::Head, _) => {
                self.found.near.extend((near_keyword(text) == Some(Keyword::Scenario)).then_some(number));
            }
            (LastLine::Step | LastLine::Row(_, false), Some(fence)) => {
                let (indent, after_table) = (line.len() - line.trim_start().len(), self.last != LastLine::Step);
                self.doc_string = Some(DocString { line: number, fence, indent, after_table });
                self.steps.go_on('\n', text);
            }
            (LastLine::DocString(_) | LastLine::Row(..), Some(_)) => {
                self.refuse(UnreadFeature::Refused(number, SECOND))
            }
            (last, None) if text.starts_with('|') => self.row(number, text, last),
            (LastLine::Examples, _) => self.steps.go_on(' ', text),
            _ => self.refuse(UnreadFeature::Stray(number)),
        }
    }

    fn row(&mut self, number: usize, text: &str, last: LastLine) {
        let count = cells(text);
        match last {
            LastLine::Row(first, _) | LastLine::Example(first) if first != count => {
                self.refuse(UnreadFeature::Refused(number, CELLS));
            }
            LastLine::DocString(true) => self.refuse(UnreadFeature::Refused(number, SECOND)),
            LastLine::Step | LastLine::DocString(false) => self.last = LastLine::Row(count, last != LastLine::Step),
            LastLine::Examples => self.last = LastLine::Example(count),
            LastLine::Row(..) | LastLine::Example(_) | LastLine::Head => {}
        }
        self.steps.go_on('\n', text);
    }

    /// Keeps the tags of a line such as `@cli @slow # a comment`.
    fn tags_of(&mut self, number: usize, line: &str) {
        let end =
            line.char_indices().zip(line.chars().skip(1)).find(|((_, c), next)| c.is_whitespace() && *next == '#');
        let line = end.map_or(line, |((at, _), _)| &line[..at]);
        self.tags_at.get_or_insert(number);
        for tag in line.split('@').map(str::trim) {
            if tag.contains(char::is_whitespace) {
                self.refuse(UnreadFeature::Refused(number, BLANK));
            }
            if self.library.contains(tag) && !self.next_tags.iter().any(|known| known == tag) {
                self.next_tags.push(tag.to_owned());
            }
        }
    }

    /// Whether a keyword may stand here.
    fn has_place(&self, keyword: Keyword) -> bool {
        match keyword {
            Keyword::Feature => !self.in_feature,
            Keyword::Background => self.in_feature && self.tags_at.is_none() && matches!(self.open, OpenSection::Prose),
            Keyword::Examples => matches!(self.open, OpenSection::Scenario(..)),
            Keyword::Rule | Keyword::Scenario => self.in_feature,
        }
    }

    fn begin(&mut self, number: usize, head: &Head<'_>) {
        if !self.has_place(head.keyword) {
            self.refuse(UnreadFeature::Refused(number, KEYWORD));
        }
        self.tags_at = None;
        if head.keyword == Keyword::Examples {
            return self.examples(head);
        }
        self.close();
        self.last = LastLine::Head;
        let tags = std::mem::take(&mut self.next_tags);
        match head.keyword {
            Keyword::Feature => {
                self.in_feature = true;
                self.tags[0] = tags;
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
            self.last = LastLine::Examples;
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
