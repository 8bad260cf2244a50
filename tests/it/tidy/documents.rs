//! What the documents must say: each kind of event and each of its keys, and what the sources cite of them.

use super::{root, sources};
use std::fs;

#[test]
fn the_formats_document_names_every_kind_of_event_and_every_key() {
    let formats = fs::read_to_string(root().join("docs/formats.md")).expect("docs/formats.md");
    for kind in &yatsu_hook::model::ledger::KINDS {
        let name = kind.name.split(' ').next_back().unwrap_or_default();
        assert!(formats.contains(&format!("**{name}**")), "docs/formats.md does not say what {} is", kind.name);
        for key in kind.keys {
            let said = formats.contains(&format!("`{key}`")) || formats.contains(&format!("\"{key}\":"));
            assert!(said, "docs/formats.md does not name the key {key} of {}", kind.name);
        }
    }
}

/// Files that the formats are named after: where they stand in a comment no document is cited.
const OF_THE_FORMATS: [&str; 3] = ["yatsu.md", "eval.md", "spec.md"];

/// A document that a comment cites, and the part of it that is meant.
struct Citation {
    document: String,
    part: Option<String>,
}

#[test]
fn every_cited_document_exists_and_has_the_part_that_is_meant() {
    let files = ["src", "tests", "fuzz"].iter().flat_map(|dir| sources(dir));
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (path, text) in files {
        for Citation { document, part } in citations(&comments(&text)) {
            seen += 1;
            let text = [root().join("docs").join(&document), root().join(&document)]
                .into_iter()
                .find_map(|file| fs::read_to_string(file).ok());
            match text {
                None => wrong.push(format!("{path}: {document} is neither in docs/ nor at the top")),
                Some(text) => wrong.extend(
                    part.filter(|part| !has_part(&text, part))
                        .map(|part| format!("{path}: {document} has no \"{part}\"")),
                ),
            }
        }
    }
    assert!(seen > 20, "too few citations are seen: {seen}");
    assert!(wrong.is_empty(), "cited and not there:\n{}", wrong.join("\n"));
}

/// What the comments of a source file say, as one line.
fn comments(text: &str) -> String {
    let said = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
    said.map(|line| line.trim_start_matches(['/', '!']).trim()).collect::<Vec<_>>().join(" ")
}

/// Every `name.md` that stands outside of backticks, with what is quoted behind it.
fn citations(comments: &str) -> Vec<Citation> {
    let plain: String = comments.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/');
    let mut found = Vec::new();
    for (at, _) in plain.match_indices(".md") {
        let name = plain[..at].rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let rest = &plain[at + ".md".len()..];
        if name.is_empty() || rest.starts_with(is_name) {
            continue;
        }
        let document = format!("{}.md", name.trim_start_matches("docs/"));
        let part = rest.strip_prefix(", \"").and_then(|rest| rest.split_once('"')).map(|(part, _)| part.to_owned());
        if !OF_THE_FORMATS.contains(&&*document) {
            found.push(Citation { document, part });
        }
    }
    found
}

/// Whether a heading, a row that is one, or the bold beginning of a paragraph says it.
fn has_part(document: &str, part: &str) -> bool {
    document.lines().any(|line| (line.starts_with('#') || line.contains("**")) && line.contains(part))
}
