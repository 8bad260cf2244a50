//! One scenario: its state, what is expected, its latest reading with evidence, and its earlier readings.

use super::figures::{figure, pair};
use super::markup::Markup;
use super::metrics::metrics;
use crate::features::page::model::page::{PageContent, PageNode, PageScenario};
use crate::finding::{Axis, DriftPath};
use crate::report::score;
use crate::report::view::score::{ReadingRow, ReadingState, RedactedRow, ScenarioRow};
use crate::report::view::terms::PolicyRow;
use crate::report::view::verdict::ShownVerdict;
use bstr::BStr;

/// The heading elements by the depth of the node, one level below the node's own heading.
const HEADINGS: [[&str; 2]; 4] = [["<h3>", "</h3>"], ["<h4>", "</h4>"], ["<h5>", "</h5>"], ["<h6>", "</h6>"]];
/// What an observed reading proves.
const OBSERVED: &str = "Observed means: the harness of a coding agent reported this command and exit code for exactly this \
                        content. It does not mean that no one forged the report: an agent with a shell can write one.";
/// How many moved paths the line of a scenario names. The rest stands below.
const MOVED: usize = 2;
/// How many paths that differ since the last pass are named.
const DIFFERING: usize = 10;
/// How many of the last verdicts the strip in the line of a scenario shows.
const STRIP: usize = 10;

/// `fresh`, `stale`, `unmeasured` or `unjudged`.
fn state(state: &ReadingState) -> &'static str {
    match state {
        ReadingState::Fresh => "fresh",
        ReadingState::Stale(_) => "stale",
        ReadingState::Unmeasured => "unmeasured",
        ReadingState::NotJudged(_) => "unjudged",
    }
}

/// The verdict that counts: `pass`, `fail`, `legacy` or `none`.
pub(super) fn verdict(scenario: &PageScenario) -> &'static str {
    scenario.row.verdict().map_or("none", ShownVerdict::as_str)
}

pub(super) fn article(page: &mut Markup, content: &PageContent, node: &PageNode, scenario: &PageScenario) {
    let row = &scenario.row;
    page.raw("<article").attr("id", &scenario.anchor).attr("data-scenario", &row.scenario);
    page.attr("data-node", &node.dir).attr("data-state", state(&row.state)).attr("data-verdict", verdict(scenario));
    page.attr("data-tags", row.tags.join(" ")).raw("><details");
    page.raw(if scenario.is_open { " open><summary>" } else { "><summary>" });
    line(page, node, scenario);
    page.raw("</summary>\n<div class=\"body\">\n");
    words(page, scenario);
    environments(page, row);
    blocked(page, row);
    last_pass(page, content, scenario);
    metrics(page, &row.readings);
    if let Some(latest) = row.counting() {
        all_drift(page, content, &latest.drift);
        page.raw("<div class=\"latest\"><p class=\"by\">");
        facts(page, content, latest);
        page.raw("</p>\n");
        details(page, latest);
        if let Some(both) = &scenario.pair {
            pair(page, content, scenario, both);
        }
        pieces(page, content, scenario, latest);
        page.raw("</div>\n");
    }
    timeline(page, content, scenario);
    page.raw("</div></details></article>\n");
}

/// The line that is visible while the scenario is folded.
fn line(page: &mut Markup, node: &PageNode, scenario: &PageScenario) {
    let row = &scenario.row;
    let latest = row.counting();
    pill(page, &row.state, verdict(scenario));
    let [open, close] = HEADINGS[node.depth.min(HEADINGS.len() - 1)];
    page.raw(open).text(&row.scenario).raw(close);
    page.raw("<span class=\"chips\">");
    for tag in &row.tags {
        page.raw("<span class=\"tag\"").attr("data-tag", tag).raw(">").text(tag).raw("</span>");
    }
    page.raw("</span>");
    strip(page, &row.readings);
    if let Some(latest) = latest {
        page.time(&latest.ts);
    }
    why(page, &row.state, latest);
    if let Some(note) = latest.filter(|_| verdict(scenario) == "fail").and_then(|latest| latest.note.as_ref()) {
        page.raw("<span class=\"reason\">").text(note).raw("</span>");
    }
    if let Some(lack) = row.trust.as_ref().and_then(PolicyRow::lack) {
        page.raw("<span class=\"why\">trust: ").text(lack).raw("</span>");
    }
}

/// The last verdicts as bars, the newest at the right. A fail is a higher bar, because not every reader can use colour.
fn strip(page: &mut Markup, readings: &[ReadingRow]) {
    let verdicts: Vec<&'static str> =
        readings.iter().take(STRIP).rev().map(|reading| reading.effective().as_str()).collect();
    if verdicts.is_empty() {
        return;
    }
    page.raw("<span class=\"strip\" role=\"img\"");
    page.attr("aria-label", format!("last verdicts, the newest at the end: {}", verdicts.join(", "))).raw(">");
    for verdict in verdicts {
        page.raw("<span class=\"").raw(verdict).raw("\"></span>");
    }
    page.raw("</span>");
}

/// The state in words.
fn pill(page: &mut Markup, state: &ReadingState, verdict: &'static str) {
    match state {
        ReadingState::Fresh => page.raw("<span class=\"pill ").raw(verdict).raw("\">").raw(verdict).raw("</span>"),
        ReadingState::Stale(_) => {
            page.raw("<span class=\"pill stale\">stale <small>was ").raw(verdict).raw("</small></span>")
        }
        ReadingState::Unmeasured => page.raw("<span class=\"pill unmeasured\">unmeasured</span>"),
        ReadingState::NotJudged(_) => {
            page.raw("<span class=\"pill unjudged\">not judged <small>was ").raw(verdict).raw("</small></span>")
        }
    };
}

/// Why the reading is not fresh: the stale axes and the moved paths, or why it could not be judged.
fn why(page: &mut Markup, state: &ReadingState, latest: Option<&ReadingRow>) {
    let (axes, reason) = (state.axes(), state.reason());
    if axes.is_empty() && reason.is_none() {
        return;
    }
    page.raw("<span class=\"why\">");
    if let Some(reason) = reason {
        page.text(reason);
    }
    let drift = latest.map_or(&[][..], |latest| &latest.drift);
    // moved paths stand behind by name, so the axis `code` is left out
    let told = axes.iter().filter(|axis| **axis != Axis::Code || drift.is_empty());
    for (at, axis) in told.enumerate() {
        let words = match axis {
            Axis::Evaluator if drift.iter().any(DriftPath::is_test) => "the test changed",
            axis => axis_words(*axis),
        };
        page.raw(if at > 0 { "; " } else { "" }).raw(words);
    }
    if !drift.is_empty() {
        page.raw(if axes.iter().any(|axis| *axis != Axis::Code) { "; moved: " } else { "moved: " });
    }
    for (at, path) in drift.iter().take(MOVED).enumerate() {
        page.raw(if at > 0 { ", " } else { "" });
        moved(page, path.named().as_ref());
    }
    if drift.len() > MOVED {
        page.raw(" and ").number((drift.len() - MOVED) as u128).raw(" more");
    }
    page.raw("</span>");
}

fn axis_words(axis: Axis) -> &'static str {
    match axis {
        Axis::Code => "the code moved",
        Axis::Scenario => "its text changed",
        Axis::Evaluator => "its evaluator is older than the one in use",
        Axis::Anchor => "the commit it was measured at is not here",
    }
}

fn moved(page: &mut Markup, name: &BStr) {
    page.raw("<code").attr("data-moved", name).raw(">").text(name).raw("</code>");
}

/// All moved paths, if some did not fit into the line, or to link them: a link inside the line that unfolds the scenario
/// could not be reached by every reader.
fn all_drift(page: &mut Markup, content: &PageContent, drift: &[DriftPath]) {
    if drift.len() <= MOVED && (drift.is_empty() || content.links.is_none()) {
        return;
    }
    page.raw("<p class=\"why\">moved: ");
    for (at, path) in drift.iter().enumerate() {
        page.raw(if at > 0 { ", " } else { "" });
        let link = content.links.as_ref().and_then(|links| links.file(&path.path));
        page.linked(link, |page| moved(page, path.named().as_ref()));
    }
    page.raw("</p>\n");
}

/// The description, the expected result, and the command that files another reading. It has no verdict, so that
/// pasting it files none.
fn words(page: &mut Markup, scenario: &PageScenario) {
    page.raw("<dl><dt>Measure</dt><dd>").lines(scenario.description.trim_end());
    page.raw("</dd><dt>Expected</dt><dd class=\"expected\">").lines(scenario.row.expected.trim_end());
    if let Some(test) = &scenario.test {
        page.raw("</dd><dt>Test</dt><dd><code>").text(test).raw("</code>");
    }
    page.raw("</dd><dt>Again</dt><dd class=\"again\"><span><code>").text(&scenario.command).raw("</code> ");
    page.raw("<button type=\"button\" class=\"copy\">copy</button></span> <small>");
    match scenario.test {
        Some(_) => page.raw("or <code>--from-ctrf</code>; FILE is the report of the tests"),
        None => page.raw("and <code>--pass</code> or <code>--fail</code>"),
    };
    page.raw("</small></dd></dl>\n");
}

/// The last pass before the fails, and what differs since.
fn last_pass(page: &mut Markup, content: &PageContent, scenario: &PageScenario) {
    let Some(pass) = scenario.last_pass.as_ref().filter(|_| verdict(scenario) == "fail") else { return };
    page.raw("<p class=\"by passed\"").attr("data-passed", &pass.commit).raw(">Last pass: ");
    page.time(&pass.ts);
    let address = content.links.as_ref().map(|links| links.forge.commit(&pass.commit));
    page.raw(" @ ").linked(address, |page| super::short_commit(page, &pass.commit));
    for (at, path) in pass.differing.iter().take(DIFFERING).enumerate() {
        page.raw(if at > 0 { ", " } else { ". The first fail had other content at " });
        page.raw("<code>").text(path).raw("</code>");
    }
    if let Some(more) = pass.differing.len().checked_sub(DIFFERING).filter(|more| *more > 0) {
        page.raw(" and ").number(more as u128).raw(" more");
    }
    page.raw("</p>\n");
}

/// The answer in each environment, and the window of its runs.
fn environments(page: &mut Markup, row: &ScenarioRow) {
    if row.environments.is_empty() {
        return;
    }
    page.raw("<table class=\"environments\"><thead><tr><th>environment</th><th>state</th><th>verdict</th>");
    page.raw("<th>runs</th><th>needed</th></tr></thead><tbody>\n");
    for one in &row.environments {
        let runs = one.runs.as_ref();
        page.raw("<tr").attr("data-env", one.env.as_deref().unwrap_or_default());
        page.attr("data-state", one.state).raw("><td>").text(one.env.as_deref().unwrap_or("-")).raw("</td><td>");
        page.text(one.state).raw("</td><td>").text(one.verdict.map_or("-", ShownVerdict::as_str)).raw("</td><td>");
        page.text(runs.map_or_else(|| "-".to_owned(), |runs| runs.phrase())).raw("</td><td>");
        page.text(runs.map_or_else(|| "-".to_owned(), |runs| format!("{} of {}", runs.need, runs.of)));
        page.raw("</td></tr>\n");
    }
    page.raw("</tbody></table>\n");
}

/// Where it could not be measured, and why.
fn blocked(page: &mut Markup, row: &ScenarioRow) {
    for one in &row.blocked {
        page.raw("<p class=\"why\" data-blocked>").text(one.phrase()).raw(" (");
        page.time(&one.ts);
        if let Some(by) = &one.by {
            page.raw(" by ").text(by);
        }
        page.raw(")</p>\n");
    }
}

/// A reading in one line: time, verdict, evaluator, person, commit.
fn facts(page: &mut Markup, content: &PageContent, reading: &ReadingRow) {
    page.time(&reading.ts);
    page.raw(" <b>").raw(reading.verdict.as_str()).raw("</b>").text(reading.terms.grade_word());
    if reading.effective() != reading.verdict {
        page.raw(", counts as ").raw(reading.effective().as_str());
    }
    page.raw(" ").raw(reading.state.as_str());
    for (before, text) in [(" · ", &reading.evaluator), (" by ", &reading.by)] {
        if let Some(text) = text {
            page.raw(before).text(text);
        }
    }
    if let Some(commit) = &reading.commit {
        let code = |page: &mut Markup| super::short_commit(page, commit);
        page.raw(" @ ").linked(content.links.as_ref().map(|links| links.forge.commit(commit)), code);
    }
    page.raw(if reading.dirty { ", on uncommitted content" } else { "" });
}

/// The other details of a reading: note, measures, how it was filed, its cost.
fn details(page: &mut Markup, reading: &ReadingRow) {
    if let Some(note) = &reading.note {
        page.raw("<blockquote>").lines(note).raw("</blockquote>\n");
    }
    let mut said = score::told(reading);
    if said.is_empty() {
        return;
    }
    said.extend(reading.terms.how.as_ref().map(|_| OBSERVED.to_owned()));
    page.raw("<ul class=\"said\">").items(&said).raw("</ul>\n");
}

fn pieces(page: &mut Markup, content: &PageContent, scenario: &PageScenario, reading: &ReadingRow) {
    if reading.evidence.is_empty() {
        return;
    }
    page.raw("<div class=\"evidence\">\n");
    let mut shown: Vec<&str> = Vec::new();
    for piece in &reading.evidence {
        let is_paired = scenario.pair.as_ref().is_some_and(|pair| match reading.counts {
            true => pair.after.hash == piece.hash,
            false => pair.is_before(&reading.ts, &piece.hash),
        });
        let is_again = is_paired || shown.contains(&&*piece.hash);
        // the picture after stands in the pair above, the picture before far from its reading
        if !(is_paired && reading.counts) {
            figure(page, content, piece, (!is_again).then_some([&*scenario.anchor, &*reading.ts]));
        }
        shown.push(&piece.hash);
    }
    page.raw("</div>\n");
}

/// All readings and the redacted lines. The reading that counts stands above with its evidence.
fn timeline(page: &mut Markup, content: &PageContent, scenario: &PageScenario) {
    let row = &scenario.row;
    let all = row.readings.len() + scenario.older;
    if all + row.redacted.len() == 0 {
        return;
    }
    page.raw("<details class=\"timeline\"><summary>Timeline <span class=\"many\">").number(all as u128);
    page.raw("</span></summary>\n<ol>\n");
    let mut gone = row.redacted.iter().peekable();
    for reading in &row.readings {
        while let Some(redacted) = gone.next_if(|redacted| redacted.ts > reading.ts) {
            taken_out(page, redacted);
        }
        page.raw("<li data-reading").attr("data-ts", &reading.ts).attr("data-verdict", reading.effective().as_str());
        page.attr("data-state", state(&reading.state)).raw("><p class=\"by\">");
        facts(page, content, reading);
        page.raw("</p>");
        // the reading that counts stands above; of several runs that count only the newest does
        if !row.counting().is_some_and(|above| std::ptr::eq(above, reading)) {
            details(page, reading);
            pieces(page, content, scenario, reading);
        }
        page.raw("</li>\n");
    }
    gone.for_each(|redacted| taken_out(page, redacted));
    page.raw("</ol>\n");
    if scenario.older > 0 {
        page.raw("<p class=\"more\">and ").number(scenario.older as u128).raw(" older</p>\n");
    }
    page.raw("</details>\n");
}

fn taken_out(page: &mut Markup, redacted: &RedactedRow) {
    page.raw("<li class=\"gone\">");
    page.time(&redacted.ts);
    page.raw(" redacted");
    if let Some(by) = &redacted.by {
        page.raw(" by ").text(by);
    }
    if !redacted.reason.is_empty() {
        page.raw(": ").text(&redacted.reason);
    }
    page.raw("</li>\n");
}
