//! Required content of the documents: each kind of event, and the parts that sources cite.

use super::{root, sources};
use std::collections::BTreeSet;
use std::fs;

#[test]
fn the_formats_document_names_every_kind_of_event() {
    let formats = fs::read_to_string(root().join("docs/formats.md")).expect("docs/formats.md");
    for kind in &yatsu_hook::model::ledger::KINDS {
        let name = kind.name.split(' ').next_back().unwrap_or_default();
        assert!(formats.contains(&format!("**{name}**")), "docs/formats.md does not say what {} is", kind.name);
    }
}

/// Files of the formats: their names in a comment are no citations of a document.
const OF_THE_FORMATS: [&str; 3] = ["yatsu.md", "eval.md", "spec.md"];

/// A document that a comment cites, and the cited part.
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

/// The comments of a source file as one line.
fn comments(text: &str) -> String {
    let said = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
    said.map(|line| line.trim_start_matches(['/', '!']).trim()).collect::<Vec<_>>().join(" ")
}

/// Every `name.md` outside of backticks, with the quotation after it.
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

/// Whether a heading, a row used as one, or the bold beginning of a paragraph has this text.
fn has_part(document: &str, part: &str) -> bool {
    document.lines().any(|line| (line.starts_with('#') || line.contains("**")) && line.contains(part))
}

/// The most hops of a walk, because a longer one is hard to follow.
const MOST_HOPS: usize = 15;

/// A section of ARCHITECTURE.md that follows one call from `main` down.
struct CallWalk<'t> {
    /// Its heading.
    heading: &'t str,
    /// Its numbered lines, each with its continuation lines.
    hops: Vec<String>,
}

#[test]
fn a_walk_names_files_that_are_there_each_once_and_is_short() {
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let walks = walks(&architecture);
    assert!(walks.len() >= 3, "too few walks are seen: {}", walks.len());
    let mut wrong = Vec::new();
    for CallWalk { heading, hops } in walks {
        let last = hops.iter().filter_map(|hop| last_number(hop)).max().unwrap_or_default();
        if last > MOST_HOPS || hops.is_empty() {
            wrong.push(format!("{heading}: {last} hops"));
        }
        let mut named = BTreeSet::new();
        for file in hops.iter().flat_map(|hop| files_named(hop)) {
            if !root().join("src").join(file.trim_start_matches("src/")).exists() {
                wrong.push(format!("{heading}: {file} is not there"));
            }
            if !named.insert(file.to_owned()) {
                wrong.push(format!("{heading}: {file} stands twice"));
            }
        }
    }
    assert!(wrong.is_empty(), "ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

fn walks(text: &str) -> Vec<CallWalk<'_>> {
    let sections = text.split("\n## ").filter(|section| section.starts_with("A walk of "));
    sections
        .map(|section| CallWalk { heading: section.lines().next().unwrap_or_default(), hops: hops(section) })
        .collect()
}

fn hops(section: &str) -> Vec<String> {
    let mut hops: Vec<String> = Vec::new();
    for line in section.lines().skip(1) {
        match hops.last_mut() {
            _ if line.starts_with(|c: char| c.is_ascii_digit()) => hops.push(line.to_owned()),
            Some(hop) => hop.extend([" ", line]),
            None => {}
        }
    }
    hops
}

/// The last number of a hop: `8. to 13. are …` counts as six hops.
fn last_number(hop: &str) -> Option<usize> {
    let numbers = hop.split(' ').take_while(|word| *word == "to" || word.ends_with('.'));
    numbers.filter_map(|word| word.trim_end_matches('.').parse().ok()).last()
}

/// The files and directories in backticks. A word of the code has neither a slash nor an extension.
fn files_named(hop: &str) -> impl Iterator<Item = &str> {
    hop.split('`').skip(1).step_by(2).filter(|word| word.contains('/') || word.ends_with(".rs"))
}
