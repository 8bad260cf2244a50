//! `yatsu-drift`: a reading that no longer speaks for the code.

use super::wording::{eval_command, of_scenario};
use crate::engine::facts::{Facts, Standing};
use crate::engine::freshness::Freshness;
use crate::finding::{Axis, DriftPath, Finding, RuleId};
use crate::model::reading::Reading;
use crate::model::tree::MissingAnchor;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, score) in facts.scenarios() {
        let (Some(reading), Standing::Judged(freshness)) = (&score.latest, &score.standing) else { continue };
        if freshness.is_fresh() {
            continue;
        }
        let mut finding = of_scenario(RuleId::YatsuDrift, node, scenario, message(reading, freshness));
        finding.axes.clone_from(&freshness.axes);
        finding.since = reading.code_sha.map(|id| id.to_string());
        finding.drift = freshness.moved.iter().map(moved).collect();
        finding.help = help(freshness, &eval_command(node, scenario));
        found.push(finding);
    }
}

fn moved(path: &crate::repo::path::RepoPath) -> DriftPath {
    DriftPath { path: path.to_bstring(), commits: None }
}

fn message(reading: &Reading, freshness: &Freshness) -> String {
    let axes: Vec<&str> = freshness.axes.iter().map(|axis| axis.as_str()).collect();
    let since = reading.code_sha.map_or_else(|| "an unnamed commit".into(), |id| id.short());
    let why = match freshness.missing {
        Some(MissingAnchor::Shallow) => "; that commit is beyond this shallow clone",
        Some(MissingAnchor::Pruned) if freshness.axes.contains(&Axis::Anchor) => {
            "; that commit is gone, rewritten and pruned, and nothing else testifies"
        }
        _ => "",
    };
    format!("stale on {}, measured at {since}{why}", axes.join(", "))
}

fn help(freshness: &Freshness, eval: &str) -> String {
    let shallow = freshness.missing == Some(MissingAnchor::Shallow) && freshness.axes.contains(&Axis::Anchor);
    if shallow {
        return "git fetch --unshallow   (in CI: fetch-depth: 0)".into();
    }
    format!("measure it again, then: {eval}")
}
