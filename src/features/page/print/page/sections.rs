//! The sections below the scenarios, each only if it has content: goals with their criteria, runs with their phases, the
//! governed files.

use super::counts;
use super::markup::Markup;
use crate::features::goals::{ActualValue, Completion, CriterionRow, GatesRow, GoalRow};
use crate::features::page::model::page::{GovernedRow, PageContent, PageRun};

/// The goals with the results of both gates.
pub(super) fn goals(page: &mut Markup, content: &PageContent) {
    if content.goals.is_empty() {
        return;
    }
    page.raw("<section id=\"goals\" class=\"part\"><h2>Goals</h2>\n");
    content.goals.iter().for_each(|row| goal(page, row));
    page.raw("</section>\n");
}

fn goal(page: &mut Markup, row: &GoalRow) {
    page.raw("<article class=\"goal\"").attr("data-goal", &row.node.dir).attr("data-status", row.status).raw(">");
    page.raw("<h3>").text(&row.node.id).raw(" <span class=\"pill ");
    page.raw(if row.is_fine { "pass" } else { "stale" }).raw("\">").raw(row.status).raw("</span></h3>\n");
    if let Some(text) = &row.text {
        page.raw("<p class=\"words\">").lines(text.trim_end()).raw("</p>\n");
    }
    if let Some(Completion { by, ts }) = &row.completed {
        page.raw("<p>said to be complete by ").text(by).raw(", ").text(ts).raw("</p>\n");
    }
    if let Some(gates) = &row.gates {
        gate(page, &row.node.id, gates);
    }
    // a blocker that the table of criteria already shows is not repeated below it
    let is_told = |blocker: &str| {
        let criteria = row.gates.iter().flat_map(|gates| &gates.criteria);
        criteria.into_iter().any(|one| blocker == format!("{}: {}", one.id, one.reason))
    };
    let others: Vec<String> = row.blockers.iter().filter(|blocker| !is_told(blocker)).cloned().collect();
    if !others.is_empty() {
        page.raw("<ul class=\"said\">").items(&others).raw("</ul>\n");
    }
    page.raw("</article>\n");
}

fn gate(page: &mut Markup, node: &str, gates: &GatesRow) {
    page.raw("<p>trust ").number(gates.trust.score).raw(" of 100, ").number(gates.trust.threshold).raw(" needed (");
    page.raw(if gates.trust.passed { "enough" } else { "not enough" }).raw("); attempt ").number(gates.attempt);
    page.raw(" of ").number(gates.max_attempts).raw("</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\"");
    page.attr("aria-label", format!("Criteria of {node}")).raw("><table>");
    page.raw("<thead><tr><th scope=\"col\">Criterion</th><th scope=\"col\">Asks</th><th scope=\"col\">Found</th>");
    page.raw("<th scope=\"col\">Status</th><th scope=\"col\">Why</th></tr></thead>\n<tbody>\n");
    gates.criteria.iter().for_each(|one| criterion(page, one));
    page.raw("</tbody></table></div>\n");
}

fn criterion(page: &mut Markup, row: &CriterionRow) {
    page.raw("<tr").attr("data-criterion", &row.id).attr("data-status", row.status).raw("><th scope=\"row\">");
    page.text(&row.id);
    if let Some(description) = &row.description {
        page.raw("<br><small>").text(description).raw("</small>");
    }
    page.raw("</th><td>").text(&row.asks).raw("</td><td>");
    match &row.actual {
        None => page.raw("nothing"),
        Some(ActualValue::Number(value)) => {
            page.text(value.to_string()).raw(" ").text(row.unit.as_deref().unwrap_or_default())
        }
        Some(ActualValue::Count(count)) => page.number(*count),
        Some(ActualValue::Named(name)) => page.text(name),
    };
    page.raw("</td><td><span class=\"pill ").raw(status_class(row.status)).raw("\">").raw(row.status);
    page.raw("</span></td><td>").text(&row.reason).raw("</td></tr>\n");
}

/// The colour class of a criterion, shared with scenarios in the like state.
fn status_class(status: &str) -> &'static str {
    match status {
        "MET" => "pass",
        "NOT_MET" => "fail",
        _ => "unmeasured",
    }
}

/// The runs with their phases.
pub(super) fn runs(page: &mut Markup, content: &PageContent) {
    if content.runs.is_empty() {
        return;
    }
    page.raw("<section id=\"runs\" class=\"part\"><h2>Runs</h2>\n");
    content.runs.iter().for_each(|one| run(page, one));
    page.raw("</section>\n");
}

fn run(page: &mut Markup, run: &PageRun) {
    page.raw("<article class=\"run\"").attr("data-run", &run.file).raw("><h3><code>").text(&run.file);
    page.raw("</code> <span class=\"pill none\">").text(&run.state).raw("</span></h3>\n<p class=\"by\">");
    page.text(&run.profile);
    for (before, at) in [(", began ", &run.began), (", last event ", &run.last)] {
        if let Some(at) = at {
            page.raw(before);
            page.time(at);
        }
    }
    if run.errors > 0 {
        page.raw(", errors in the log: ").number(run.errors);
    }
    page.raw("</p>\n");
    if !run.phases.is_empty() {
        page.raw("<ol class=\"phases\">");
        for phase in &run.phases {
            page.raw("<li").attr("data-phase", phase.number.to_string()).attr("data-state", phase.state).raw("><b>");
            page.number(phase.number).raw(" ").text(&phase.name).raw("</b> <span class=\"state\">");
            page.raw(phase.state).raw("</span>");
            for [name, value] in &phase.counts {
                page.raw(" <span class=\"many\">").text(name).raw(" ").text(value).raw("</span>");
            }
            page.raw("</li>");
        }
        page.raw("</ol>\n");
    }
    events(page, run);
    page.raw("</article>\n");
}

fn events(page: &mut Markup, run: &PageRun) {
    if run.events.is_empty() {
        return;
    }
    page.raw("<details><summary>Last events</summary><ul class=\"said\">");
    for [ts, name, fields] in &run.events {
        page.raw("<li>").text(ts).raw(" <b>").text(name).raw("</b> ").text(fields).raw("</li>");
    }
    page.raw("</ul></details>\n");
}

/// The governed files, files without a fresh reading first.
pub(super) fn governed_files(page: &mut Markup, content: &PageContent) {
    if content.governed.is_empty() {
        return;
    }
    let all = content.governed.len() + content.uncounted;
    page.raw("<section id=\"coverage\" class=\"part\"><h2>Governed files</h2>\n<details");
    page.raw(if all <= 40 { " open>" } else { ">" }).raw("<summary>Governed files and units <span class=\"many\">");
    page.number(all as u128).raw("</span>, with a fresh pass <span class=\"many\">").number(content.proven as u128);
    page.raw("</span></summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Governed files\">");
    page.raw("<table><thead><tr><th scope=\"col\">File</th>");
    page.raw("<th scope=\"col\">Scenarios</th><th scope=\"col\">How they stand</th></tr></thead>\n<tbody>\n");
    content.governed.iter().for_each(|row| covered(page, content, row));
    page.raw("</tbody></table></div>\n");
    if content.uncounted > 0 {
        page.raw("<p class=\"more\">and ").number(content.uncounted as u128).raw(" more</p>\n");
    }
    page.raw("</details></section>\n");
}

fn covered(page: &mut Markup, content: &PageContent, row: &GovernedRow) {
    page.raw("<tr").attr("data-path", &row.path).raw("><th scope=\"row\">");
    page.linked(content.links.as_ref().and_then(|links| links.file(&row.file)), |page| {
        page.raw("<code>").text(&row.path).raw("</code>");
    });
    page.raw("</th><td>");
    if !row.first.is_empty() {
        page.raw("<ul class=\"links\">");
        for [anchor, name] in &row.first {
            page.raw("<li><a href=\"#").text(anchor).raw("\">").text(name).raw("</a></li>");
        }
        let more = row.score.all() - row.first.len();
        if more > 0 {
            page.raw("<li>+").number(more as u128).raw("</li>");
        }
        page.raw("</ul>");
    }
    page.raw("</td><td>");
    match row.score.all() {
        0 => drop(page.raw("no scenario")),
        _ => counts::words(page, &row.score),
    }
    page.raw("</td></tr>\n");
}
