//! The book below docs/: every page is in its table of contents, every link has a target, every rule is explained.

use super::root;
use crate::support::Scratch;
use std::fs;
use std::path::{Path, PathBuf};
use yatsu_hook::finding::RuleId;
use yatsu_hook::rules::explain;

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every page below `dir`, without the table of contents.
pub fn pages(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("docs").map(|entry| entry.expect("an entry").path()) {
        match entry.extension().and_then(|extension| extension.to_str()) {
            None if entry.is_dir() => found.extend(pages(&entry)),
            Some("md") if entry.file_name().is_some_and(|name| name != "SUMMARY.md") => found.push(entry),
            _ => {}
        }
    }
    found.sort();
    found
}

/// The targets of the links and pictures of a page, without code.
fn links(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let prose = text.lines().filter(|line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced && !line.starts_with("    ")
    });
    let parts = prose.flat_map(|line| line.split('`').step_by(2)).flat_map(|part| part.split("](").skip(1));
    parts.filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

/// The anchor that forges and mdBook make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn every_page_of_the_book_is_in_its_table_of_contents_once() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed = links(&summary);
    let written: Vec<String> =
        pages(&docs).iter().map(|page| page.strip_prefix(&docs).expect("below docs").display().to_string()).collect();
    assert!(written.len() > 20, "the book is gone");
    for page in &written {
        let times = listed.iter().filter(|target| *target == page).count();
        assert_eq!(times, 1, "docs/SUMMARY.md lists {page} {times} times");
    }
    assert_eq!(listed.len(), written.len(), "docs/SUMMARY.md lists what is not there: {listed:?}");
}

/// The groups of the book in the order of its table of contents.
const GROUPS: [&str; 5] = ["Start", "Team", "Judging", "Fleets", "Reference"];

#[test]
fn the_pages_stand_in_five_groups_and_the_readme_lists_the_same() {
    let summary = read(&root().join("docs/SUMMARY.md"));
    let mut parts = summary.split("\n# ").skip(1).map(|part| part.split_once('\n').expect("pages"));
    let readme = read(&root().join("README.md"));
    for group in GROUPS {
        let (name, pages) = parts.next().expect("a group");
        assert_eq!(name, group);
        let line = readme.lines().find_map(|line| line.strip_prefix(&format!("* **{group}**: "))).expect(group);
        let listed: Vec<&str> = links(line).into_iter().filter_map(|page| page.strip_prefix("docs/")).collect();
        assert_eq!(listed, links(pages), "{group} in README.md and in docs/SUMMARY.md");
    }
    assert_eq!(parts.next(), None);
}

/// A skill file begins with its name and its use, as harnesses read it.
#[test]
fn every_page_begins_with_for_whom_it_is_and_another_page_leads_to_it() {
    let pages: Vec<(PathBuf, String)> =
        pages(&root().join("docs")).into_iter().map(|page| (page.clone(), read(&page))).collect();
    let leads = |(from, text): &(PathBuf, String), page: &Path| {
        let target = |link: &str| from.parent()?.join(link.split('#').next()?).canonicalize().ok();
        from != page && links(text).into_iter().any(|link| target(link).as_deref() == Some(page))
    };
    for (page, text) in &pages {
        let first = text.split("\n\n").nth(1).unwrap_or_default();
        let is_skill = page.ends_with("skill/SKILL.md");
        assert!(is_skill || first.starts_with("For "), "{}: for whom? {first}", page.display());
        let is_led_to = pages.iter().any(|from| leads(from, page));
        assert!(is_led_to, "no page has a link to {}", page.display());
    }
}

#[test]
fn every_link_of_the_documents_leads_somewhere() {
    let top = [
        "README.md",
        "AGENTS.md",
        "ARCHITECTURE.md",
        "DURABILITY.md",
        "CONSISTENCY.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "benches/README.md",
    ];
    let mut pages = pages(&root().join("docs"));
    pages.extend(top.iter().map(|name| root().join(name)));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in &pages {
        let text = read(page);
        for target in links(&text).into_iter().filter(|target| !target.contains("://")) {
            seen += 1;
            let (path, part) = target.split_once('#').unwrap_or((target, ""));
            let file = if path.is_empty() { page.clone() } else { page.parent().expect("a directory").join(path) };
            let has_part = || read(&file).lines().any(|line| line.starts_with('#') && anchor(line) == part);
            if !file.exists() || (!part.is_empty() && !has_part()) {
                wrong.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(seen > 40, "too few links are seen: {seen}");
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

/// `YATSU_UPDATE_TOUR=1` writes the output of `explain` into the page.
#[test]
fn the_page_of_findings_says_of_every_rule_what_explain_says() {
    let page = root().join("docs/findings.md");
    let text = read(&page);
    let said: String = RuleId::ALL
        .iter()
        .map(|rule| {
            let told = explain(*rule);
            format!("\n## {}\n\n{}\n\n{}\n\n*To mend:* {}\n", rule.as_str(), told.summary, told.why, told.mend)
        })
        .collect();
    let head = text.split("\n## ").next().expect("a beginning").trim_end();
    let whole = format!("{head}\n{said}");
    if std::env::var_os("YATSU_UPDATE_TOUR").is_some() {
        fs::write(&page, &whole).expect("docs/findings.md");
    } else {
        assert!(text == whole, "docs/findings.md is not what explain says; YATSU_UPDATE_TOUR=1 writes it");
    }
}

#[test]
fn the_page_for_agents_has_the_block_that_is_printed() {
    let block = Scratch::new().yatsu(&["explain", "agents"]).expect(0).out;
    assert!(block.len() > 500, "{block}");
    assert!(
        read(&root().join("docs/agents.md")).contains(&format!("```markdown\n{block}```\n")),
        "docs/agents.md is old"
    );
}
