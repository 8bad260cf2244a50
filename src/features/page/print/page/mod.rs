//! The page of a score: one self-contained HTML file. Input: a [`PageContent`]. Output: bytes. Nothing is decided here.
//! Repository content is always written as text ([`markup`]). The page has one script and one style, both from this program,
//! and a policy that names their hashes, so that injected scripts or styles do not run.

mod causes;
mod counts;
mod figures;
mod history;
mod markup;
mod metrics;
mod nodes;
mod scenario;
mod sections;

use crate::features::page::model::page::{PageContent, PieceCounts};
use crate::text::base64::base64;
use crate::text::plural;
use markup::Markup;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The first bytes of every page. A file is replaced only if it begins with them.
pub(crate) const BEGINNING: &str = "<!DOCTYPE html>\n<html lang=\"en\" data-yatsu-page=\"1\">";

pub(crate) fn write(content: &PageContent) -> String {
    let mut page = Markup::default();
    head(&mut page, content);
    page.raw("<body>\n<a class=\"skip\" href=\"#scenarios\">To the scenarios</a>\n");
    top(&mut page, content);
    page.raw("<div class=\"frame\">\n");
    nodes::contents(&mut page, content);
    page.raw(if content.score.all() > nodes::LARGE { "<main class=\"large\">\n" } else { "<main>\n" });
    causes::causes(&mut page, content);
    nodes::tree(&mut page, content);
    sections::goals(&mut page, content);
    sections::runs(&mut page, content);
    sections::governed_files(&mut page, content);
    page.raw("</main>\n</div>\n<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
    page.finish()
}

fn head(page: &mut Markup, content: &PageContent) {
    page.raw(BEGINNING).raw("\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta http-equiv=\"Content-Security-Policy\"").attr("content", policy()).raw(">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    page.raw("<title>").text(project(content)).raw(" · ").text(content.score.sentence()).raw("</title>\n");
    page.raw("<style>").raw(STYLE).raw("</style>\n</head>\n");
}

/// The content security policy: the page may show its own pictures and films, and nothing else.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    format!(
        "default-src 'none'; img-src data:; media-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn top(page: &mut Markup, content: &PageContent) {
    let repository = content.links.as_ref().map(|links| links.forge.repository().to_owned());
    page.raw("<header>\n<h1>").linked(repository, |page| {
        page.text(project(content));
    });
    page.raw("</h1>\n<p id=\"score\">").text(content.score.sentence()).raw("</p>\n");
    counts::bar(page, &content.score);
    source(page, content);
    if content.score.all() > 0 {
        words(page, content);
    }
    page.raw("</header>\n");
    history::history(page, content);
    search(page, content);
}

/// The name of the repository; it has none if it lies at the root of a file system.
fn project(content: &PageContent) -> &[u8] {
    if content.source.project.is_empty() { b"Scenarios" } else { &content.source.project }
}

/// The first digits of a commit.
fn short_commit(page: &mut Markup, commit: &str) {
    page.raw("<code>").text(commit.get(..12).unwrap_or(commit)).raw("</code>");
}

/// The branch, the commit or work tree that the page shows, and a note on what is missing from it.
fn source(page: &mut Markup, content: &PageContent) {
    let source = &content.source;
    page.raw("<p id=\"source\"");
    if let Some(commit) = &source.commit {
        page.attr("data-commit", commit);
    }
    if let Some(branch) = &source.branch {
        page.attr("data-branch", branch).raw(">Branch <b>").text(branch).raw("</b> · ");
    } else {
        page.raw(">");
    }
    if let Some(commit) = &source.commit {
        page.raw(if source.is_work_tree { "The work tree at " } else { "Commit " });
        let address = content.links.as_ref().map(|links| links.forge.commit(commit));
        page.linked(address, |page| short_commit(page, commit));
    } else {
        page.raw("Before the first commit");
    }
    for note in notes(content) {
        page.raw(" · ").text(note);
    }
    page.raw("</p>\n");
}

/// How much evidence is on the page, how much is not, and how many secrets were masked.
fn notes(content: &PageContent) -> Vec<String> {
    let PieceCounts { shown, left_out, missing } = content.piece_counts();
    let mut notes = Vec::new();
    match content.pieces.len() {
        0 => {}
        _ if content.source.is_published => notes.push("made without evidence, notes and names".to_owned()),
        _ => {
            notes.push(format!("{} of evidence shown", plural(shown, "piece")));
            notes.extend((left_out > 0).then(|| format!("{left_out} left out")));
            notes.extend((missing > 0).then(|| format!("{missing} not in this clone")));
        }
    }
    let masked = content.source.masked;
    notes.extend((masked > 0).then(|| format!("{} masked", plural(masked, "secret"))));
    notes
}

/// The meaning of the words of a score, for readers who never saw the tool.
fn words(page: &mut Markup, content: &PageContent) {
    let score = &content.score;
    let has_readings = score.all() > score.unmeasured;
    page.raw("<details id=\"words\"><summary>What the words mean</summary><dl>");
    for (word, meaning, is_told) in [
        ("scenario", "Something to measure, and what a perfect result of it looks like.", true),
        ("fresh", "The measured content is the content that is here: the pass or the fail counts.", true),
        (
            "stale",
            "The governed content has changed since the measurement: the result is unknown until it is measured again.",
            true,
        ),
        ("unmeasured", "The scenario is declared and has no reading.", true),
        (
            "bars",
            "The last ten verdicts, the newest at the right. A high bar is a fail, a low one a pass.",
            has_readings,
        ),
        ("legacy", "The latest reading has no verdict, so it does not count as a pass.", score.legacy > 0),
        (
            "not judged",
            "This clone lacks the commits or files that are needed to judge the reading.",
            score.not_judged > 0,
        ),
    ] {
        if is_told {
            page.raw("<dt>").raw(word).raw("</dt><dd>").raw(meaning).raw("</dd>");
        }
    }
    page.raw("</dl></details>\n");
}

/// The search and filter controls. They are hidden until the script shows them, because they do nothing without it.
fn search(page: &mut Markup, content: &PageContent) {
    page.raw("<form role=\"search\" hidden>\n<div class=\"ask\"><label for=\"q\">Find</label>");
    page.raw("<input id=\"q\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"node, name, tag, file, expected\">");
    page.raw("<output id=\"shown\" for=\"q\"></output><button type=\"button\" id=\"unfold\" aria-pressed=\"false\">Unfold</button></div>\n");
    page.raw("<div class=\"filters\" role=\"group\" aria-label=\"Filter by state\">");
    // the parts of the score line: each scenario is in one of them, so that the numbers add up to all
    for (state, word, count) in counts::counts(&content.score) {
        page.raw("<button type=\"button\" aria-pressed=\"false\"").attr("data-filter-state", state);
        page.raw(">").raw(word).raw(" <b>").number(count as u128).raw("</b></button>");
    }
    page.raw("</div>\n");
    tags(page, content);
    page.raw("</form>\n");
}

fn tags(page: &mut Markup, content: &PageContent) {
    let tags: BTreeSet<&str> =
        content.scenarios().flat_map(|scenario| &scenario.row.tags).map(String::as_str).collect();
    if tags.is_empty() {
        return;
    }
    page.raw("<div class=\"filters tags\" role=\"group\" aria-label=\"Filter by tag\">");
    for tag in tags {
        page.raw("<button type=\"button\" aria-pressed=\"false\"").attr("data-filter-tag", tag).raw(">");
        page.text(tag).raw("</button>");
    }
    page.raw("</div>\n");
}

#[cfg(test)]
mod tests;
