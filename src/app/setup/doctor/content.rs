//! Checks the content of the repository: whether the configuration is usable, and whether this clone has the commits and
//! the evidence that readings name.

use super::{Diagnosis, broken, could_not_look, ok, or_unknown};
use crate::app::judge::{absent, evidence, snapshot};
use crate::app::query::{segments, unstaged};
use crate::engine::effective::Effective;
use crate::error::{Error, ErrorKind, Result};
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::reference::scenario_word;
use crate::model::workspace::{self, Select, Workspace};
use crate::names::CONFIG_FILE;
use crate::repo::Repo;
use crate::store::evidence::Cache;
use crate::text::plural;
use crate::tree::oid::Oid;
use crate::tree::{Anchor, History, MissingAnchor, Tree};
use std::collections::BTreeMap;

/// The counted reading of a scenario, with the data about its anchor.
#[derive(Clone, Debug)]
pub(super) struct AnchoredReading {
    /// Its node, in the form for commands.
    pub(super) node: String,
    /// The name of the scenario that it measured.
    pub(super) scenario: String,
    pub(super) commit: Oid,
    /// Whether it has a stamp, so that it is valid without its commit.
    pub(super) stamped: bool,
}

/// Checks configuration and anchors of the working tree, or of HEAD in a bare repository.
pub(super) fn diagnose(repo: &Repo) -> Vec<Diagnosis> {
    let view = match snapshot::all(repo) {
        Ok(snapshot) => snapshot.view,
        Err(error) => return vec![could_not_look(&absent::explained(repo, error))],
    };
    let config = match workspace::read_config(&*view) {
        Ok(config) => config,
        Err(error) => return vec![configuration(&error)],
    };
    let mut found = vec![ok(format!("{CONFIG_FILE} can be used as it stands, or is not there"))];
    match workspace::load(&*view, config, &Select::All) {
        Ok(workspace) => {
            found.extend(hidden(&*view, &workspace));
            found.extend(of_readings(repo, &workspace));
            found.extend(unstaged(repo, &workspace));
            found.extend(segments::many(&workspace.nodes).map(|(what, command)| super::advice(what, command)));
        }
        Err(error) => found.push(could_not_look(&absent::explained(repo, error))),
    }
    found
}

/// One diagnosis for each yatsu-hook file that an ignore rule hides from git.
fn hidden(view: &dyn Tree, workspace: &Workspace) -> Vec<Diagnosis> {
    or_unknown(
        workspace::hidden(view, &workspace.config)
            .map(|hidden| hidden.iter().map(|hidden| super::advice(hidden.sentence(), hidden.repair())).collect()),
    )
}

/// A diagnosis of filed readings that git does not have yet, if there are any.
fn unstaged(repo: &Repo, workspace: &Workspace) -> Vec<Diagnosis> {
    if repo.work_dir.is_none() {
        return Vec::new();
    }
    let found = unstaged::of_all(repo, &workspace.nodes).map(|found| found.sentence());
    or_unknown(found.map(|found| found.map(|(what, command)| super::advice(what, command)).into_iter().collect()))
}

fn of_readings(repo: &Repo, workspace: &Workspace) -> Vec<Diagnosis> {
    // an unreadable directory is already reported with its repair
    let told = !super::evidence(&repo.common_dir).is_empty();
    let held =
        if told { Ok(Vec::new()) } else { evidence(workspace, &Cache::new(&repo.common_dir)).map(|one| vec![one]) };
    let judged = anchors(&anchored(workspace), &*repo.history());
    [held, judged].into_iter().flat_map(or_unknown).collect()
}

/// How much of the named evidence is on this machine. Missing bytes are no fault: they stay where they were filed, because
/// evidence does not travel with git.
fn evidence(workspace: &Workspace, cache: &Cache) -> Result<Diagnosis> {
    let named = evidence::named(workspace);
    let mut held = 0;
    for hash in &named {
        held += usize::from(cache.has(hash)?);
    }
    let all = plural(named.len(), "piece");
    Ok(ok(match (named.len(), held) {
        (0, _) => "no reading names evidence".to_owned(),
        (all_of_it, held) if held == all_of_it => format!("all evidence that readings name is here ({all})"),
        (_, 0) => format!("readings name {all} of evidence, none of it on this machine: it stays where it was filed"),
        (_, held) => {
            format!("{held} of {all} of evidence that readings name are on this machine, the others elsewhere")
        }
    }))
}

fn configuration(error: &Error) -> Diagnosis {
    match error.kind {
        ErrorKind::Config => {
            let repair = error.hints.first().map_or("yatsu-hook config check", String::as_str);
            broken(error.message.clone(), repair)
        }
        _ => could_not_look(error),
    }
}

/// The latest effective reading of every declared scenario, if it names a commit.
fn anchored(workspace: &Workspace) -> Vec<AnchoredReading> {
    workspace.nodes.iter().flat_map(anchored_of).collect()
}

fn anchored_of(node: &Node) -> Vec<AnchoredReading> {
    let effective = Effective::of(node);
    let declared = node.scenarios().iter();
    let latest = declared.filter_map(|scenario| effective.latest(&scenario.name));
    let anchored = |reading: &Reading| {
        let (node, scenario) = (node.id.clone(), reading.scenario.clone());
        Some(AnchoredReading { node, scenario, commit: reading.code_sha?, stamped: reading.governed.is_some() })
    };
    latest.filter_map(anchored).collect()
}

/// The reason why a reading's commit is unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LostCommit {
    /// The shallow clone ends after it.
    Shallow,
    /// It was deleted, or never pushed.
    Gone,
    /// The object is no commit.
    NoCommit,
}

/// Counts the readings with lost commits by reason, with one example each. Stamped readings do not need their commit.
/// Fails if the history cannot be read.
pub(super) fn anchors(readings: &[AnchoredReading], history: &dyn History) -> Result<Vec<Diagnosis>> {
    let mut lost: BTreeMap<LostCommit, Vec<&AnchoredReading>> = BTreeMap::new();
    let mut spared = 0;
    for reading in readings {
        let reason = match history.anchor(&reading.commit)? {
            Anchor::Tree(_) => continue,
            Anchor::NotACommit => LostCommit::NoCommit,
            Anchor::Missing(_) if reading.stamped => {
                spared += 1;
                continue;
            }
            Anchor::Missing(MissingAnchor::Shallow) => LostCommit::Shallow,
            Anchor::Missing(MissingAnchor::Pruned) => LostCommit::Gone,
        };
        lost.entry(reason).or_default().push(reading);
    }
    if lost.is_empty() {
        return Ok(vec![ok(all_here(readings.len(), spared))]);
    }
    Ok(lost.into_iter().map(|(reason, which)| lost_anchors(reason, &which, readings.len())).collect())
}

fn all_here(readings: usize, spared: usize) -> String {
    match spared {
        0 => format!("the commit of every latest reading is here ({})", plural(readings, "reading")),
        _ => format!(
            "every latest reading can be judged; {spared} of {readings} by what was recorded, its commit being elsewhere or gone"
        ),
    }
}

fn lost_anchors(reason: LostCommit, which: &[&AnchoredReading], all: usize) -> Diagnosis {
    let first = which.first().map_or(String::new(), |reading| {
        format!("{}/{} at {}", reading.node, reading.scenario, reading.commit.short())
    });
    let first_of = |verb: &str, rest: &str| {
        let word = which.first().map(|reading| scenario_word(&reading.node, &reading.scenario)).unwrap_or_default();
        format!("yatsu-hook {verb} {word} {rest}")
    };
    let count = format!("{} of {} (such as {first})", which.len(), plural(all, "latest reading"));
    match reason {
        LostCommit::Shallow => super::advice(
            format!("the commit of {count} is not in this shallow clone"),
            "git fetch --unshallow   (in CI: fetch-depth: 0)",
        ),
        LostCommit::Gone => super::advice(
            format!("the commit of {count} is gone: rebased, squashed or never pushed"),
            format!(
                "fetch the branch that has it, or measure again, then: {}",
                first_of("eval", "--pass   (or --fail; with a test: --from-junit FILE)")
            ),
        ),
        LostCommit::NoCommit => {
            broken(format!("the codeSha of {count} is no commit"), first_of("retract", "").trim_end())
        }
    }
}
