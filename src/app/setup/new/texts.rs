//! The texts of a new node: whole files, and single entries. Input: names and texts. Reads no file.

use super::drafts::DraftEntry;
use crate::text::escape::terminal;
use crate::text::yaml::write::{quoted, scalar};

/// A comment lists at most this many tags.
const LISTED_TAGS: usize = 12;

/// The content of a new scenario's entry.
#[derive(Clone, Debug)]
pub(super) struct EntryText<'a> {
    pub(super) entry: &'a DraftEntry,
    /// Its governed list; empty means the node's list.
    pub(super) code: &'a [String],
    /// The file of another tool that the entry comes from. Such an entry has no comments.
    pub(super) related: Option<&'a str>,
    /// The test that measures it.
    pub(super) test: Option<&'a TestText>,
    pub(super) library: &'a [String],
}

/// The test of a scenario: the file, and the name of a test in it.
#[derive(Clone, Debug)]
pub(super) struct TestText {
    pub(super) path: String,
    pub(super) name: Option<String>,
}

impl EntryText<'_> {
    /// The entry as an item of a list with `indent` before its dashes.
    pub(super) fn item(&self, indent: &str) -> String {
        let mut text = format!("{indent}- name: {}\n", scalar(&self.entry.name));
        let mut line = |comment: Option<&str>, key: &str, value: String| {
            if let Some(comment) = comment.filter(|_| self.related.is_none()) {
                text += &format!("{indent}  # {comment}\n");
            }
            text += &format!("{indent}  {key}: {value}\n");
        };
        line(Some("What to do, so that others measure the same."), "description", scalar(self.entry.description()));
        line(Some("What a perfect result looks like."), "expected", scalar(self.entry.expected()));
        line(self.choice().as_deref(), "tags", list(self.entry.tags.iter().map(|tag| scalar(tag))));
        if let Some(TestText { path, name }) = self.test {
            let path = scalar(path);
            let value = name.as_ref().map_or(path.clone(), |name| format!("{{path: {path}, name: {}}}", scalar(name)));
            line(Some("The test that measures it. This program never runs it."), "test", value);
        }
        if !self.code.is_empty() {
            let code = list(self.code.iter().map(|path| scalar(path)));
            line(Some("What makes a reading stale when it changes."), "code", code);
        }
        if let Some(path) = self.related {
            line(None, "related", list([scalar(path)].into_iter()));
        }
        text
    }

    /// A comment with the known tags; `None` if the library is empty. Tags with control characters are left out.
    fn choice(&self) -> Option<String> {
        let shown: Vec<&str> =
            self.library.iter().map(String::as_str).filter(|tag| terminal(tag) == *tag).take(LISTED_TAGS).collect();
        let more = if shown.len() < self.library.len() { ", \u{2026}" } else { "" };
        (!shown.is_empty()).then(|| format!("One or more of: {}{more}", shown.join(", ")))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A scenario file with these entries.
pub(super) fn file(entries: &str) -> String {
    format!("---\nscenarios:\n{entries}---\n")
}

/// A spec file with this title.
pub(super) fn spec(title: &str) -> String {
    format!("---\ntitle: {}\nstatus: active\n---\n", spec_item(title))
}

/// The title as a value of a spec file. Other programs read such a file line by line and know no escapes, so a text that
/// would need one stands between single quotes.
fn spec_item(text: &str) -> String {
    let has_escapes = quoted(text) != format!("\"{text}\"");
    if has_escapes { format!("'{text}'") } else { scalar(text) }
}

#[cfg(test)]
mod tests {
    use super::super::drafts;
    use super::*;
    use crate::model::scenario;
    use crate::text::found_scenario::FoundScenario;
    use crate::tree::path::RepoPath;
    use proptest::prelude::*;

    #[test]
    fn a_new_node_explains_itself() {
        let library = ["frontend-e2e", "backend-api", "cli", "desktop", "mobile"].map(String::from);
        let (tags, code) = (["cli".to_owned()], ["src/greet.rs".to_owned()]);
        let entry = DraftEntry { name: "works".to_owned(), description: None, expected: None, tags: tags.into() };
        let text = EntryText { entry: &entry, code: &code, related: None, test: None, library: &library };
        insta::assert_snapshot!(file(&text.item("  ")), @r"
        ---
        scenarios:
          - name: works
            # What to do, so that others measure the same.
            description: Say what to do step by step so that another person measures the same.
            # What a perfect result looks like.
            expected: Say what a perfect result looks like.
            # One or more of: frontend-e2e, backend-api, cli, desktop, mobile
            tags: [cli]
            # What makes a reading stale when it changes.
            code: [src/greet.rs]
        ---
        ");
    }

    #[test]
    fn a_path_with_a_quote_stands_between_quotes_of_the_other_kind() {
        for (path, written) in
            [("a/b.rs#f", "\"a/b.rs#f\""), ("# x", "\"# x\""), ("a, b.rs", "\"a, b.rs\""), ("a\"b", "'a\"b'")]
        {
            assert_eq!(spec_item(path), written);
        }
    }

    /// Texts that YAML, Markdown or a terminal could take for something else.
    fn piece() -> impl Strategy<Value = String> {
        let special = prop::sample::select(vec![
            "---",
            "- ",
            "# ",
            ": ",
            "'",
            "\"",
            "\\",
            "{",
            "[",
            "&a",
            "*a",
            "!t",
            "|",
            ">",
            "%",
            "@x",
            "`",
            "<b>",
            "-->",
            "\u{1b}[2J",
            "\u{202e}",
            "\u{200b}",
            "\u{e0041}",
            "\u{2028}",
            "\u{85}",
            "\u{0}",
            "\u{feff}",
            "\t",
            " ",
            "null",
            "1e3",
            "true",
            "~",
            "\u{1f469}\u{200d}\u{1f4bb}",
        ]);
        prop_oneof![special.prop_map(str::to_owned), "[a-z ]{0,6}", "\\PC{0,4}", Just("x".repeat(900))]
    }

    fn line() -> impl Strategy<Value = String> {
        prop::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// P23: the scenario file has the names and the texts of the drafts, whatever they are.
        #[test]
        fn every_draft_is_read_back_as_itself(
            drafts in prop::collection::vec((line(), line(), line()), 1..6),
            path in "[a-z#, ?]{1,8}",
        ) {
            let step = |word: &str, text: &str| Some(format!("{word} {text}").trim().to_owned());
            let found = |(name, given, then): &(String, String, String)| FoundScenario {
                name: format!("pays {name}").split_whitespace().collect::<Vec<_>>().join(" "),
                description: step("Given", given),
                expected: step("Then", then),
                tags: Vec::new(),
            };
            let found: Vec<_> = drafts.iter().map(found).collect();
            let entries = drafts::entries(&found, &[], &[], &["cli".to_owned()]);
            let text = |entry| EntryText { entry, code: &[], related: Some(&path), test: None, library: &[] }.item("  ");
            let file = file(&entries.iter().map(text).collect::<String>());
            prop_assert!(file.lines().all(|line| terminal(line) == line), "{}", file);
            let parsed = scenario::parse(&RepoPath::from_git("n/yatsu.md"), file.as_bytes(), &[]);
            let read = parsed.scenarios.iter().map(|one| (one.name.as_str(), one.description.as_str(), one.expected.as_str()));
            let wanted = entries.iter().map(|one| (one.name.as_str(), one.description(), one.expected()));
            prop_assert_eq!(read.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{}", file);
        }
    }
}
