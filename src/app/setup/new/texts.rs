//! Writes the texts of a new node: whole files, and the single entry. Looks nothing up.

use crate::model::scenario::placeholder;
use crate::text::escape::terminal;
use crate::text::yaml::write::{quoted, scalar};

/// The maximal number of tags that a comment lists.
const LISTED_TAGS: usize = 12;

/// The content of a new scenario's entry.
#[derive(Clone, Debug)]
pub(super) struct EntryText<'a> {
    pub(super) name: &'a str,
    /// The description, if the user gave one.
    pub(super) description: Option<&'a str>,
    /// The expected result, if the user gave one.
    pub(super) expected: Option<&'a str>,
    pub(super) tags: &'a [String],
    /// Its governed list; empty means the node's list.
    pub(super) code: &'a [String],
    pub(super) library: &'a [String],
}

impl EntryText<'_> {
    /// The entry as an item of a list with `indent` before its dashes.
    pub(super) fn item(&self, indent: &str) -> String {
        let mut text = format!("{indent}- name: {}\n", scalar(self.name));
        let mut line = |comment: Option<&str>, key: &str, value: String| {
            if let Some(comment) = comment {
                text += &format!("{indent}  # {comment}\n");
            }
            text += &format!("{indent}  {key}: {value}\n");
        };
        let said = |text: Option<&str>, placeholder| scalar(text.unwrap_or(placeholder));
        line(
            Some("What to do, so that others measure the same."),
            "description",
            said(self.description, placeholder::DESCRIPTION),
        );
        line(Some("What a perfect result looks like."), "expected", said(self.expected, placeholder::EXPECTED));
        line(self.choice().as_deref(), "tags", list(self.tags.iter().map(|tag| scalar(tag))));
        if !self.code.is_empty() {
            let code = list(self.code.iter().map(|path| scalar(path)));
            line(Some("What makes a reading stale when it changes."), "code", code);
        }
        text
    }

    pub(super) fn file(&self) -> String {
        format!("---\nscenarios:\n{}---\n", self.item("  "))
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

/// A spec file with this title that governs `code`. Its parser reads line by line and knows no escapes.
pub(super) fn spec(title: &str, code: &[String]) -> String {
    let items: String = code.iter().map(|path| format!("  - {}\n", spec_item(path))).collect();
    format!("---\ntitle: {}\nstatus: active\ncode:\n{items}---\n", scalar(title))
}

fn spec_item(path: &str) -> String {
    let has_escapes = quoted(path) != format!("\"{path}\"");
    if has_escapes { format!("'{path}'") } else { scalar(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_node_explains_itself() {
        let library = ["frontend-e2e", "backend-api", "cli", "desktop", "mobile"].map(String::from);
        let (tags, code) = (["cli".to_owned()], ["src/greet.rs".to_owned()]);
        let entry =
            EntryText { name: "works", description: None, expected: None, tags: &tags, code: &code, library: &library };
        insta::assert_snapshot!(spec("greet", &code) + &entry.file(), @r"
        ---
        title: greet
        status: active
        code:
          - src/greet.rs
        ---
        ---
        scenarios:
          - name: works
            # What to do, so that others measure the same.
            description: Say what to do step by step so that somebody else measures the same.
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
    fn a_quote_in_a_path_is_left_to_the_other_one() {
        for (path, written) in
            [("a/b.rs#f", "\"a/b.rs#f\""), ("# x", "\"# x\""), ("a, b.rs", "\"a, b.rs\""), ("a\"b", "'a\"b'")]
        {
            assert_eq!(spec_item(path), written);
        }
    }
}
