//! Drafts of scenarios from a file of another tool. Input: the scenarios in it. Output: the entries to write.

use super::selected;
use crate::model::ids::{nfc, same_name};
use crate::model::scenario::{Scenario, placeholder};
use crate::report::view::receipt::OriginReceipt;
use crate::text::escape::is_bidi;
use crate::text::found_scenario::{FeatureFile, FoundScenario};
use std::collections::HashMap;

/// An open question in a text of spec-kit, for example `[NEEDS CLARIFICATION: how long?]`.
const OPEN_QUESTION: &str = "[NEEDS CLARIFICATION";

/// One scenario to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DraftEntry {
    pub(super) name: String,
    /// `None` stands for the placeholder of `new`.
    pub(super) description: Option<String>,
    /// `None` stands for the placeholder of `new`.
    pub(super) expected: Option<String>,
    pub(super) tags: Vec<String>,
}

impl DraftEntry {
    pub(super) fn description(&self) -> &str {
        self.description.as_deref().unwrap_or(placeholder::DESCRIPTION)
    }

    pub(super) fn expected(&self) -> &str {
        self.expected.as_deref().unwrap_or(placeholder::EXPECTED)
    }

    fn has_placeholder(&self) -> bool {
        self.description() == placeholder::DESCRIPTION || self.expected() == placeholder::EXPECTED
    }

    fn open_questions(&self) -> usize {
        let texts = [self.name.as_str(), self.description(), self.expected()];
        texts.iter().map(|text| text.matches(OPEN_QUESTION).count()).sum()
    }
}

/// The file at `path`, which the entries of a new node come from, and the work that is left for its author.
pub(super) fn origin(path: String, file: &FeatureFile, entries: &[DraftEntry]) -> OriginReceipt {
    OriginReceipt {
        path,
        kind: file.kind,
        scenarios: entries.iter().map(|entry| entry.name.clone()).collect(),
        drafts: entries.iter().filter(|entry| entry.has_placeholder()).map(|entry| entry.name.clone()).collect(),
        needs_clarification: entries.iter().map(DraftEntry::open_questions).sum(),
        removed: file.removed,
        renamed: file.renamed,
        near: file.near.clone(),
    }
}

/// The entries of the scenarios `found`, each under a name of its own: the second `pays` becomes `pays (2)`. An entry with the
/// texts of a `declared` scenario keeps the declared name first, so that another scenario of that name gets a number and is
/// seen as new. Each entry has the tags `asked` and those of its scenario; without any it has `usual`.
pub(super) fn entries(
    found: &[FoundScenario],
    declared: &[Scenario],
    asked: &[String],
    usual: &[String],
) -> Vec<DraftEntry> {
    let entry = |one: &FoundScenario| DraftEntry {
        name: visible(&one.name),
        description: one.description.as_deref().map(visible),
        expected: one.expected.as_deref().map(visible),
        tags: match asked.is_empty() && one.tags.is_empty() {
            true => usual.to_vec(),
            false => selected::sorted([asked, &one.tags].concat()),
        },
    };
    let mut entries: Vec<DraftEntry> = found.iter().map(entry).collect();
    let mut free: Vec<&Scenario> = declared.iter().collect();
    let mut is_named = vec![false; entries.len()];
    for is_meant in [same_name as fn(&str, &str) -> bool, is_numbered] {
        for (entry, is_named) in entries.iter_mut().zip(&mut is_named).filter(|(_, is_named)| !**is_named) {
            let same = |one: &&Scenario| {
                one.description == entry.description()
                    && one.expected == entry.expected()
                    && is_meant(&one.name, &entry.name)
            };
            if let Some(at) = free.iter().position(same) {
                entry.name = free.remove(at).name.clone();
                *is_named = true;
            }
        }
    }
    let named = entries.iter().zip(&is_named).filter(|(_, is_named)| **is_named);
    let mut counts: HashMap<String, usize> = named.map(|(entry, _)| (nfc(&entry.name), 1)).collect();
    for (entry, _) in entries.iter_mut().zip(is_named).filter(|(_, is_named)| !is_named) {
        entry.name = unique(&entry.name, &mut counts);
    }
    entries
}

/// Whether `name` is `plain` with a number, for example `pays (2)` and `pays`.
fn is_numbered(name: &str, plain: &str) -> bool {
    let number = name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
    number.is_some_and(|(name, number)| number.parse::<usize>().is_ok() && same_name(name, plain))
}

/// Spells out each character that a scenario file may not have, for example an escape as `\u{1b}`.
fn visible(text: &str) -> String {
    let is_refused = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || is_bidi(c);
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        match is_refused(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
        shown
    })
}

/// `name`, or with the first free number: `pays (2)`. `counts` has every name in use, with the last number given to it.
fn unique(name: &str, counts: &mut HashMap<String, usize>) -> String {
    let mut number = counts.get(&nfc(name)).copied().unwrap_or_default();
    let mut free = name.to_owned();
    while number > 0 && (number == 1 || counts.contains_key(&nfc(&free))) {
        number += 1;
        free = format!("{name} ({number})");
    }
    counts.insert(nfc(name), number.max(1));
    counts.entry(nfc(&free)).or_insert(1);
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::path::RepoPath;

    fn names(names: &[&str]) -> Vec<String> {
        let found = |name: &&str| FoundScenario {
            name: (*name).to_owned(),
            description: None,
            expected: None,
            tags: vec!["cli".to_owned()],
        };
        let found: Vec<_> = names.iter().map(found).collect();
        entries(&found, &[], &[], &[]).into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn every_name_of_a_file_is_its_own() {
        assert_eq!(names(&["a", "b", "a", "a"]), ["a", "b", "a (2)", "a (3)"]);
        assert_eq!(names(&["a", "a", "a (2)", "a (2)", "a"]), ["a", "a (2)", "a (2) (2)", "a (2) (3)", "a (3)"]);
        assert_eq!(names(&["a (2)", "a", "a"]), ["a (2)", "a", "a (3)"]);
        assert_eq!(names(&["\u{e9}", "e\u{301}"]), ["\u{e9}", "e\u{301} (2)"]);
        let many = vec!["x"; 500];
        assert_eq!(names(&many)[499], "x (500)");
    }

    #[test]
    fn a_scenario_with_the_declared_texts_keeps_its_name() {
        let found = |name: &str, then: &str| FoundScenario {
            name: name.to_owned(),
            description: None,
            expected: Some(then.to_owned()),
            tags: Vec::new(),
        };
        let names = |all: &[FoundScenario], declared: &[(&str, &str)]| {
            let file = |(name, then): &(&str, &str)| {
                let entry = DraftEntry { name: (*name).into(), ..entries(&[found("", then)], &[], &[], &[]).remove(0) };
                super::super::texts::EntryText {
                    entry: &entry,
                    code: &[],
                    related: Some("f"),
                    test: None,
                    library: &[],
                }
                .item("  ")
            };
            let text = super::super::texts::file(&declared.iter().map(file).collect::<String>());
            let declared = crate::model::scenario::parse(&RepoPath::from_git("n/yatsu.md"), text.as_bytes(), &[]);
            assert_eq!(declared.scenarios.len(), text.matches("name:").count(), "{text}");
            entries(all, &declared.scenarios, &[], &[]).into_iter().map(|entry| entry.name).collect::<Vec<_>>()
        };
        let three = [found("a", "new"), found("a", "one"), found("a", "two"), found("d", "d")];
        assert_eq!(names(&three, &[("a", "one"), ("a (2)", "two")]), ["a (3)", "a", "a (2)", "d"]);
        assert_eq!(names(&three, &[("a (2)", "two"), ("a", "by hand")]), ["a", "a (3)", "a (2)", "d"]);
        let same = [found("a", "x"), found("a (2)", "x"), found("a", "x")];
        assert_eq!(names(&same, &[("a (2)", "x")]), ["a", "a (2)", "a (3)"]);
        assert_eq!(names(&same, &[("a", "x"), ("a (7)", "x")]), ["a", "a (2)", "a (7)"]);
        assert_eq!(names(&same[..1], &[("a b (2)", "x"), ("a (x)", "x")]), ["a"]);
    }

    #[test]
    fn tags_of_the_file_and_of_the_command_line_add_up() {
        let tags = |own: &[&str], asked: &[&str]| {
            let list = |tags: &[&str]| tags.iter().map(ToString::to_string).collect::<Vec<_>>();
            let found = FoundScenario { name: "x".to_owned(), description: None, expected: None, tags: list(own) };
            entries(&[found], &[], &list(asked), &list(&["usual"])).remove(0).tags
        };
        assert_eq!(tags(&[], &[]), ["usual"]);
        assert_eq!(tags(&["wip", "cli", "wip"], &[]), ["cli", "wip"]);
        assert_eq!(tags(&["wip"], &["cli", "wip"]), ["cli", "wip"]);
    }
}
