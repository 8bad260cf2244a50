//! Lineage on the page: the causes and resolutions of failures, taken from the graph, scenario by scenario.

use super::PageRequest;
use super::masked::Masker;
use crate::app::query::view::ScoreView;
use crate::error::Result;
use crate::features::graph::judge::{DerivedGraph, GraphSource, GraphView, failures};
use crate::features::graph::model::answer::GraphLine;
use crate::features::graph::model::node;
use crate::features::graph::model::shape;
use crate::features::page::model::page::{LineageStep, PageContent, PageLineage, PageScenario};
use crate::model::ledger::Timestamp;
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;
use std::collections::HashMap;

/// Most scenarios with a lineage.
const MOST: usize = 200;

/// Fills in the lineage of `content` for every scenario with a failed reading on the page.
///
/// # Errors
/// When the graph cannot be made.
pub(super) fn trace(
    score: &ScoreView<'_>,
    request: &PageRequest,
    content: &mut PageContent,
    masker: &mut Masker,
) -> Result<()> {
    let failed: Vec<&PageScenario> = content.scenarios().filter(|scenario| has_failed(scenario)).take(MOST).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let view = GraphView { repo: score.repo, rev: request.rev.as_deref(), branches: false };
    let graph = DerivedGraph::of(&GraphSource::View(view), None)?;
    let id = |scenario: &PageScenario| {
        node::scenario(&RepoPath::from_git(scenario.row.node.dir.clone()), &scenario.row.scenario)
    };
    let by_id: HashMap<String, &PageScenario> = failed.iter().map(|scenario| (id(scenario), *scenario)).collect();
    let ids: Vec<String> = failed.iter().map(|scenario| id(scenario)).collect();
    let found = failures(&graph, &ids).into_iter().filter_map(|(id, tree)| {
        let scenario = by_id.get(&id)?;
        let name = format!("{}/{}", scenario.row.node.id, scenario.row.scenario);
        let steps = tree.lines.into_iter().map(|line| step(line, masker)).collect();
        Some(PageLineage { anchor: scenario.anchor.clone(), name, steps: nested(steps) })
    });
    let lineage: Vec<PageLineage> = found.collect();
    for scenario in content.nodes.iter_mut().flat_map(|node| &mut node.scenarios) {
        scenario.has_lineage = lineage.iter().any(|one| one.anchor == scenario.anchor);
    }
    content.lineage = lineage;
    Ok(())
}

/// The step of a node, with its name instead of its id: `reading:.spec/n#works@2026-01-01T00:01:00.000Z` is the `reading` of
/// that time, because all readings of the list are of one scenario.
fn step(line: GraphLine, masker: &mut Masker) -> LineageStep {
    let (kind, rest) = line.id.split_once(':').unwrap_or(("", &line.id));
    let (before, moment) = rest.rsplit_once('@').unwrap_or((rest, ""));
    // `~2` numbers nodes of one time
    let ts = moment.split('~').next().filter(|ts| Timestamp::parse(ts).is_some());
    let name = match (kind, ts) {
        ("reading" | "failure" | "decision", Some(_)) => String::new(),
        (_, Some(_)) => masker.text(before),
        ("patch" | "actor" | "file" | "run", None) => masker.text(rest),
        ("commit" | "artifact", None) => rest.chars().take(12).collect(),
        _ => String::new(),
    };
    // a resolved failure has the reading that resolved it below it, with its time
    let about = line.about.strip_prefix("resolved at ").map(|at| at.split_once(", ").map_or("", |(_, note)| note));
    let about = about.map(|note| if note.is_empty() { "resolved".to_owned() } else { format!("resolved, {note}") });
    LineageStep {
        depth: line.depth,
        rel: line.rel.as_deref().map(leads_to).unwrap_or_default(),
        kind: masker.text(&kind.replace('_', " ")),
        name,
        ts: ts.map(str::to_owned),
        about: masker.text(&about.unwrap_or(line.about)),
        id: masker.text(&line.id),
    }
}

/// The steps with each failure below the reading that failed, if that reading is listed. The failure then does not repeat
/// the note of the reading.
fn nested(steps: Vec<LineageStep>) -> Vec<LineageStep> {
    let mut groups: Vec<Vec<LineageStep>> = Vec::new();
    for step in steps {
        match groups.last_mut() {
            Some(group) if step.depth > group[0].depth => group.push(step),
            _ => groups.push(vec![step]),
        }
    }
    let mut placed: Vec<Vec<LineageStep>> = Vec::new();
    for mut group in groups {
        let reading = group[0].id.strip_prefix("failure:").map(|of| format!("reading:{of}"));
        match placed.iter_mut().find(|before| Some(&before[0].id) == reading.as_ref()) {
            None => placed.push(group),
            Some(before) => {
                group.iter_mut().for_each(|step| step.depth += 1);
                let state = group[0].about.split(", ").next().unwrap_or_default().to_owned();
                group[0].about = state;
                before.extend(group);
            }
        }
    }
    placed.into_iter().flatten().collect()
}

/// The words before a node below another one. The graph points from a cause to the failure, the list from the failure to
/// its cause.
fn leads_to(rel: &str) -> String {
    match rel {
        shape::OBSERVES => String::new(),
        shape::ADDRESSES => "addressed by".to_owned(),
        shape::EXPLAINS => "explained by".to_owned(),
        shape::REFERENCES => "mentioned by".to_owned(),
        other => other.replace('_', " "),
    }
}

fn has_failed(scenario: &PageScenario) -> bool {
    scenario.row.readings.iter().any(|reading| reading.effective() == ShownVerdict::Fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_a_name_and_a_time_instead_of_an_id() {
        let named = |id: &str, rel: &str| {
            let line = GraphLine { depth: 1, rel: Some(rel.to_owned()), id: id.to_owned(), about: String::new() };
            let LineageStep { rel, kind, name, ts, .. } = step(line, &mut Masker::default());
            [rel, kind, name, ts.unwrap_or_default()].join("|")
        };
        let at = "2026-01-01T00:01:00.000Z";
        for (id, rel, expected) in [
            (format!("reading:.spec/n#works@{at}"), "observes", format!("|reading||{at}")),
            (format!("failure:.spec/n#a@b@{at}~2"), "addresses", format!("addressed by|failure||{at}")),
            (format!("decision:.@{at}"), "approved_by", format!("approved by|decision||{at}")),
            ("patch:ada/fix@home".to_owned(), "addresses", "addressed by|patch|ada/fix@home|".to_owned()),
            ("hypothesis:night:7".to_owned(), "explains", "explained by|hypothesis||".to_owned()),
            (format!("commit:{}", "a".repeat(40)), "x", format!("x|commit|{}|", "a".repeat(12))),
            ("of_others".to_owned(), "x_y", "x y|||".to_owned()),
        ] {
            assert_eq!(named(&id, rel), expected, "{id}");
        }
    }

    #[test]
    fn a_failure_stands_below_the_reading_that_failed() {
        let step = |(depth, id, about): (usize, &str, &str)| {
            let line = GraphLine { depth, rel: None, id: id.to_owned(), about: about.to_owned() };
            step(line, &mut Masker::default())
        };
        let steps = [
            (1, "reading:n#w@2026-01-01T00:03:00.000Z", "fail, again"),
            (1, "reading:n#w@2026-01-01T00:01:00.000Z", "fail, why"),
            (1, "failure:n#w@2026-01-01T00:03:00.000Z", "open, again"),
            (1, "failure:n#w@2026-01-01T00:01:00.000Z", "resolved at 2026-01-01T00:02:00.000Z, why"),
            (2, "reading:n#w@2026-01-01T00:02:00.000Z", "pass"),
            (1, "failure:n#w@2025-01-01T00:01:00.000Z", "resolved at 2026-01-01T00:02:00.000Z, old"),
            (2, "reading:n#w@2026-01-01T00:02:00.000Z", "pass"),
        ];
        let told = |step: LineageStep| format!("{}{} {}", "-".repeat(step.depth), step.kind, step.about);
        let told: Vec<String> = nested(steps.into_iter().map(step).collect()).into_iter().map(told).collect();
        assert_eq!(
            told,
            [
                "-reading fail, again",
                "--failure open",
                "-reading fail, why",
                "--failure resolved",
                "---reading pass",
                "-failure resolved, old",
                "--reading pass"
            ]
        );
    }
}
