//! What the commits of a range did to the scenarios, for a comment on a pull request. Input: the report of the range's check,
//! which names both ends. Output: a [`RangeReview`]. The states before and after are judged as a score is, and the verdict and
//! the errors are the report's: nothing is judged a second way.

mod checked;
mod numbers;
mod pictures;
mod row;

use crate::app::judge::remember;
use crate::app::query::view::node_ref;
use crate::engine::anchors::Anchors;
use crate::engine::effective::Effective;
use crate::engine::facts::{self, Facts, Score};
use crate::engine::freshness::Judge;
use crate::engine::successors::{Successors, is_unreadable};
use crate::error::{Error, ErrorKind, Result};
use crate::features::page::model::range_review::{DroppedScenario, RangeReview, RangeRow};
use crate::finding::{Finding, Origin};
use crate::model::config::Config;
use crate::model::ids::composed;
use crate::model::ledger::{Reading, Timestamp};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::model::workspace::{self, Select};
use crate::repo::{FETCH_ALL, Repo};
use crate::report::view::Report;
use crate::report::view::verdict::ShownVerdict;
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The commit that a typed revision names. An unknown one is unchecked and no usage error: a comment has to say so.
pub(crate) fn end(repo: &Repo, rev: &str) -> Result<Oid> {
    repo.resolve(rev).map_err(|error| match error.kind {
        ErrorKind::Usage => {
            let hint = "fetch the branch that has it, or name a commit that is here";
            Error::unchecked(error.message).hint(if repo.shallow { FETCH_ALL } else { hint })
        }
        _ => error,
    })
}

/// The review of the range that `report` judged, also compared with the commit `checked`.
///
/// # Errors
/// When a state cannot be read, or the comparison with `checked` cannot be made.
pub(crate) fn review(repo: &Repo, report: Report, checked: Option<Oid>) -> Result<RangeReview> {
    let commit = |id: &Option<String>| id.as_ref().and_then(|id| Oid::from_hex(id.as_bytes()));
    let ends = commit(&report.scope.base).zip(commit(&report.scope.tip));
    let (from, to) = ends.ok_or_else(|| Error::fault("the check of a range names no commits"))?;
    let anchors = remember::anchors(repo);
    let new = State::of(repo, &anchors, &to, None)?;
    let old = State::of(repo, &anchors, &from, Some(&new.facts.workspace.config))?;
    let judge = Judge::new(&*new.view, &anchors, &new.facts.workspace.config.evaluators);
    let cache = Cache::new(&repo.common_dir);
    let successors = Successors::of(&old.facts, &new.facts);
    let filed = filed(&old.facts);
    let range = Range { old: &old.facts, new: &new.facts, successors, judge: &judge, cache: &cache, filed };
    let mut rows = range.rows()?;
    let numbers = numbers::count(&rows);
    let checked = checked.map(|rev| checked::compare(&judge, &new.facts, rev)).transpose()?;
    rows.retain(row::is_touched);
    let place =
        |row: &RangeRow| (row.after.verdict != Some(ShownVerdict::Fail), row.node.clone(), row.scenario.clone());
    rows.sort_by_cached_key(place);
    let is_about_scenario = |finding: &&Finding| {
        let is_new = finding.origin == Some(Origin::Introduced) && finding.scenario.is_some();
        is_new || finding.blocks()
    };
    Ok(RangeReview {
        verdict: report.verdict,
        from: Some(from.to_string()),
        to: Some(to.to_string()),
        numbers: Some(numbers),
        score: report.summary.score,
        rows,
        dropped: range.dropped(),
        findings: report.findings.iter().filter(is_about_scenario).count(),
        errors: report.findings.into_iter().filter(Finding::blocks).collect(),
        unchecked: None,
        checked,
    })
}

/// One end of the range, judged by its own configuration.
struct State {
    view: Rc<dyn Tree>,
    facts: Facts,
}

impl State {
    /// The state of `commit`. If its configuration is unusable, it was never judged, and `instead` judges it.
    fn of(repo: &Repo, anchors: &Anchors, commit: &Oid, instead: Option<&Config>) -> Result<Self> {
        let view = repo.commit_view(commit)?;
        let config = match (workspace::read_config(&*view), instead) {
            (Err(_), Some(config)) => config.clone(),
            (own, _) => own?,
        };
        let workspace = workspace::load(&*view, config, &Select::All)?;
        let facts = facts::collect_unowned(&*view, anchors, workspace)?;
        Ok(Self { view, facts })
    }
}

/// The readings in the ledgers of a state, withdrawn ones too, by scenario name and time.
type FiledReadings<'a> = HashMap<(String, Timestamp), Vec<&'a Reading>>;

fn filed(facts: &Facts) -> FiledReadings<'_> {
    let mut filed = FiledReadings::new();
    for reading in facts.workspace.nodes.iter().flat_map(Node::readings) {
        filed.entry((composed(&reading.scenario).into_owned(), reading.ts)).or_default().push(reading);
    }
    filed
}

/// A scenario before the range.
#[derive(Clone, Copy)]
struct Former<'a> {
    node: &'a Node,
    scenario: &'a Scenario,
    score: &'a Score,
}

impl<'a> Former<'a> {
    fn declared(&self) -> Declared<'a> {
        Declared { node: self.node, scenario: self.scenario }
    }
}

/// Both states of a range, and the judge of the later one.
struct Range<'a> {
    old: &'a Facts,
    new: &'a Facts,
    successors: Successors<'a>,
    judge: &'a Judge<'a>,
    cache: &'a Cache,
    /// The readings that the earlier state has. A moved or copied ledger keeps its lines, so the node does not matter.
    filed: FiledReadings<'a>,
}

impl<'a> Range<'a> {
    /// Every scenario of the later state, and the ones that an unreadable file of it may still declare.
    fn rows(&self) -> Result<Vec<RangeRow>> {
        let former = self.former();
        let mut rows = Vec::new();
        for (node, scores) in self.new.workspace.nodes.iter().zip(&self.new.scores) {
            let effective = Effective::of(node);
            for (scenario, score) in node.scenarios().iter().zip(scores) {
                let key = (&node.dir, composed(&scenario.name).into_owned());
                let now = row::Now { declared: Declared { node, scenario }, score, effective: &effective };
                rows.push(self.row(former.get(&key).copied(), now)?);
            }
        }
        let hidden = self.gone().filter(|was| is_unreadable(self.new, was.node));
        rows.extend(hidden.map(row::unreadable));
        Ok(rows)
    }

    /// The earlier state of each scenario, by its place in the later state. A moved node is found as the rules find it.
    fn former(&self) -> BTreeMap<(&'a RepoPath, String), Former<'a>> {
        let found = self.formers().filter_map(|was| {
            let now = self.successors.find(was.declared())?;
            Some(((&now.node.dir, composed(&now.scenario.name).into_owned()), was))
        });
        found.collect()
    }

    fn formers(&self) -> impl Iterator<Item = Former<'a>> {
        self.old.scenarios().map(|(node, scenario, score)| Former { node, scenario, score })
    }

    /// The scenarios of the earlier state that are not found in the later one.
    fn gone(&self) -> impl Iterator<Item = Former<'a>> {
        self.formers().filter(|was| self.successors.find(was.declared()).is_none())
    }

    /// The scenarios of the earlier state that the later one no longer declares, sorted.
    fn dropped(&self) -> Vec<DroppedScenario> {
        let gone = self.gone().filter(|was| !is_unreadable(self.new, was.node));
        let named = |was: Former<'_>| DroppedScenario { node: node_ref(was.node), scenario: was.scenario.name.clone() };
        let mut dropped: Vec<_> = gone.map(named).collect();
        dropped.sort();
        dropped
    }

    /// Whether the earlier state has this reading.
    fn had(&self, reading: &Reading) -> bool {
        let key = (composed(&reading.scenario).into_owned(), reading.ts);
        self.filed.get(&key).is_some_and(|same| same.contains(&reading))
    }
}
