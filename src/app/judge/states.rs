//! Loads and judges the judged state and its bases, each on its own. Every rule reads the result.

use super::snapshot::{Base, EarlierBase, Snapshot};
use super::{Concerned, Focus, Question, gates};
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts, Score, Standing};
use crate::engine::watched::watched;
use crate::error::{Error, ErrorKind, Result};
use crate::finding::RuleId;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::parts::Parts;
use crate::model::scenario::Scenario;
use crate::model::workspace::{self, ParsedBefore, Select, Workspace};
use crate::rules;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The judged state with its bases.
pub(crate) struct States {
    pub view: Facts,
    /// The configuration in the judged state. The state may be judged by another one.
    pub own: Rc<Config>,
    /// The facts of the bases, in the snapshot's order.
    pub bases: Vec<Facts>,
    /// The workspaces of [`Snapshot::others`], in the snapshot's order.
    pub(super) others: Vec<Workspace>,
    /// For each base, its nodes by its own roots and exclude, if the facts of the base show more.
    filed: Vec<Option<Workspace>>,
    /// The other configurations that must also allow the change.
    pub gates: Vec<Config>,
    /// Whether one of the states holds a node, a scenario file, a ledger or a run log.
    pub ours: bool,
}

/// A state of the branch before it took the change.
#[derive(Clone, Copy)]
pub(crate) struct EarlierState<'a> {
    /// The content of the state.
    pub(crate) base: &'a Base,
    /// The declarations in the state.
    pub(crate) workspace: &'a Workspace,
}

/// A scenario that could not be judged, so that advice is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotJudged {
    pub node: RepoPath,
    /// Its name.
    pub scenario: String,
    /// The entries that say which files the scenario is judged by.
    pub watched: Vec<Governed>,
    /// The files that the reading measured, as far as it says.
    pub measured: Vec<RepoPath>,
    /// The tags of the scenario, as declared.
    pub tags: Vec<String>,
    /// The reason, as the end of a sentence.
    pub reason: String,
    /// Whether only parsing is missing. Then the scenario is not mentioned if the change does not concern it.
    pub unparsed: bool,
}

impl NotJudged {
    /// The scenario, with the reason as the end of a sentence.
    pub(crate) fn of(node: &Node, scenario: &Scenario, reason: String) -> Self {
        Self {
            node: node.dir.clone(),
            scenario: scenario.name.clone(),
            watched: watched(node, scenario).cloned().collect(),
            measured: Vec::new(),
            tags: scenario.tags.clone(),
            reason,
            unparsed: false,
        }
    }

    /// Whether the missing advice concerns one of `paths`: the node there, or a governed or measured file.
    pub(crate) fn is_about(&self, paths: &[RepoPath]) -> bool {
        is_scenario_about(&self.node, &self.watched.iter().collect::<Vec<_>>(), &self.measured, paths)
    }
}

/// Whether a scenario of the node at `dir` that is judged by the content of `watched`, with a reading that measured `measured`,
/// concerns one of `paths`: a path in the node, a watched or a measured one. Without paths the answer is yes.
pub(crate) fn is_scenario_about(
    dir: &RepoPath,
    watched: &[&Governed],
    measured: &[RepoPath],
    paths: &[RepoPath],
) -> bool {
    let watches = |asked: &RepoPath| {
        let below = |entry: &Governed| entry.path.as_ref().is_ok_and(|path| path.is_within(asked));
        watched.iter().any(|entry| below(entry) || entry.covers(asked))
            || measured.iter().any(|path| path.is_within(asked))
    };
    let here = |asked: &RepoPath| dir.is_within(asked) || asked.parent().as_ref() == Some(dir);
    paths.is_empty() || paths.iter().any(|asked| here(asked) || watches(asked))
}

/// The result of loading the states.
pub(super) enum Loaded {
    /// The states hold something to judge.
    Ours(Box<States>),
    /// No state holds anything to judge; with the configuration in force.
    NothingOfOurs(Box<Config>),
    /// Only a check of everything can decide.
    TooNarrow,
}

/// The facts of the bases that were judged last. They are kept because the tips of one push often share a base.
#[derive(Default)]
pub(crate) struct LastBases {
    /// The configuration that the facts were collected with; `None` without facts.
    config: Option<Config>,
    known: Vec<(Oid, Facts)>,
}

impl LastBases {
    /// The bases of `snapshot` with the facts in `judged`.
    pub(crate) fn of(snapshot: &Snapshot, judged: States) -> Self {
        let ids = snapshot.bases.iter().map(|base| base.commit);
        let known = ids.zip(judged.bases).filter_map(|(id, facts)| Some((id?, facts))).collect();
        Self { config: Some(judged.view.workspace.config), known }
    }

    /// Removes and returns the facts of `base`, if they were collected with `config`.
    fn take(&mut self, base: &Base, config: &Config) -> Option<Facts> {
        let at =
            self.known.iter().position(|(id, _)| Some(*id) == base.commit && self.config.as_ref() == Some(config))?;
        // what features found in a base answers the question of one tip, for example about the run logs that it touches
        Some(Facts { parts: Parts::default(), has_other_files: false, ..self.known.swap_remove(at).1 })
    }
}

impl States {
    /// States that contain nothing to judge.
    pub(crate) fn of_nothing(config: Config) -> Self {
        let (own, view) = (Rc::new(config.clone()), Facts::of_nothing(config));
        let (bases, others, filed, gates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { view, own, bases, others, filed, gates, ours: false }
    }

    /// The states before the branch took the change: `earlier` of `snapshot`, or the bases if that is empty.
    pub(crate) fn earlier<'a>(&'a self, snapshot: &'a Snapshot) -> Vec<EarlierState<'a>> {
        let known = snapshot.bases.iter().enumerate().take(self.bases.len());
        let bases: Vec<EarlierState<'a>> =
            known.map(|(at, base)| EarlierState { base, workspace: self.filed(at) }).collect();
        if snapshot.earlier.is_empty() {
            return bases;
        }
        let mut others = self.others.iter();
        let state = |from: &'a EarlierBase| match from {
            EarlierBase::Base(at) => bases.get(*at).copied(),
            EarlierBase::Other(base) => others.next().map(|workspace| EarlierState { base, workspace }),
        };
        snapshot.earlier.iter().filter_map(state).collect()
    }

    /// The nodes of the base at this index, as the base's own configuration shows them.
    pub(super) fn filed(&self, base: usize) -> &Workspace {
        let own = self.filed.get(base).and_then(Option::as_ref);
        own.unwrap_or(&self.bases[base].workspace)
    }

    /// Whether evidence may be tracked at `path`, by all configurations that the change is judged by.
    pub(crate) fn allow(&self, path: &RepoPath) -> bool {
        gates::allow(&self.view.workspace.config, &self.gates, path)
    }

    /// The scenarios of the judged state with an unknown freshness or an unanswered selector.
    pub(super) fn not_judged(&self) -> Vec<NotJudged> {
        let unknown = |(node, scenario, score): (&Node, &Scenario, &Score)| match &score.standing {
            Standing::NotJudged(reason) => Some(not_judged(node, scenario, score, reason)),
            Standing::Unmeasured | Standing::Judged(_) => None,
        };
        let scores = self.view.scenarios().filter_map(unknown);
        scores.chain(unasked(&self.view)).collect()
    }
}

fn not_judged(node: &Node, scenario: &Scenario, score: &Score, why: &Error) -> NotJudged {
    let measured = score.reading.as_ref().map(Reading::stamped_paths).unwrap_or_default();
    let unparsed = why.kind == ErrorKind::Unparsed;
    NotJudged { measured, unparsed, ..NotJudged::of(node, scenario, why.message.clone()) }
}

/// The scenarios with an unanswered selector, except scenarios that already have an unknown freshness.
fn unasked(facts: &Facts) -> Vec<NotJudged> {
    let mut found = Vec::new();
    let mut reasons: BTreeMap<(usize, Option<usize>), &Error> = BTreeMap::new();
    for unasked in &facts.selectors.unasked {
        reasons.entry((unasked.node, unasked.scenario)).or_insert(&unasked.reason);
    }
    for ((number, list), reason) in reasons {
        let node = &facts.workspace.nodes[number];
        let declared = node.scenarios().iter().zip(&facts.scores[number]).enumerate();
        let concerned = declared.filter(|(at, (scenario, score))| {
            let is_of_list = list.map_or(scenario.code.is_empty(), |own| own == *at);
            is_of_list && !matches!(score.standing, Standing::NotJudged(_))
        });
        found.extend(concerned.map(|(_, (scenario, score))| not_judged(node, scenario, score, reason)));
    }
    found
}

/// Loads the judged state and its bases.
pub(super) fn load(question: &Question<'_>, last: &mut LastBases) -> Result<Loaded> {
    let Question { snapshot, anchors, before, focus, .. } = *question;
    if let Focus::Nodes(concerned) = focus {
        return load_nodes(snapshot, anchors, concerned);
    }
    let loaded = load_view(snapshot, before);
    let hidden = match &loaded {
        Ok((_, view)) if rules::speaks(RuleId::SpecIgnored, snapshot.door) => {
            workspace::hidden(&*snapshot.view, &view.config)?
        }
        _ => Vec::new(),
    };
    let no_node = loaded.as_ref().map_or(true, |(_, view)| view.nodes.is_empty());
    if hidden.is_empty() && no_node && nothing_of_ours(snapshot)? {
        let own = workspace::read_config(&*snapshot.view).unwrap_or_default();
        return Ok(Loaded::NothingOfOurs(Box::new(gates::judging(snapshot.config.as_ref(), &own))));
    }
    let (own, view) = loaded?;
    let owned = rules::speaks(RuleId::YatsuOwners, snapshot.door);
    let collect = if owned { facts::collect } else { facts::collect_unowned };
    let view = Facts { hidden, ..collect(&*snapshot.view, anchors, view)? };
    let bases = bases(snapshot, anchors, &view, last)?;
    let others = others(snapshot, &view.workspace.config)?;
    let filed = filed(snapshot, &view.workspace.config, &bases)?;
    let gates = gates::others(snapshot, &own, &bases);
    Ok(Loaded::Ours(Box::new(States { view, own: Rc::new(own), bases, others, filed, gates, ours: true })))
}

/// Loads only the concerned nodes. The change does not touch the configuration, so there is only one, and nothing comes
/// into sight or leaves it.
fn load_nodes(snapshot: &Snapshot, anchors: &Anchors, concerned: Concerned<'_>) -> Result<Loaded> {
    let config = concerned.config.clone();
    if concerned.dirs.is_empty() {
        // The most frequent case: a commit that touches no yatsu-hook file. So nothing is built.
        return Ok(Loaded::Ours(Box::new(States { ours: true, ..States::of_nothing(config) })));
    }
    let facts = |tree: &dyn Tree| {
        let workspace = workspace::load_alone(tree, config.clone(), concerned.dirs, concerned.others)?;
        workspace.map(|workspace| facts::collect_unowned(tree, anchors, workspace)).transpose()
    };
    let Some(view) = facts(&*snapshot.view)? else { return Ok(Loaded::TooNarrow) };
    let mut bases = Vec::new();
    for base in &snapshot.bases {
        let Some(facts) = facts(&*base.tree)? else { return Ok(Loaded::TooNarrow) };
        bases.push(facts);
    }
    if depends_on_others(&view, &bases) {
        return Ok(Loaded::TooNarrow);
    }
    let mut others = Vec::new();
    for base in snapshot.others() {
        let alone = workspace::load_alone(&*base.tree, config.clone(), concerned.dirs, concerned.others)?;
        let Some(workspace) = alone else { return Ok(Loaded::TooNarrow) };
        others.push(workspace);
    }
    let gates = gates::others(snapshot, &config, &bases);
    Ok(Loaded::Ours(Box::new(States {
        view,
        own: Rc::new(config),
        bases,
        others,
        filed: Vec::new(),
        gates,
        ours: true,
    })))
}

/// Whether the facts of these nodes depend on other nodes: all nodes share the budget of a run.
fn depends_on_others(view: &Facts, bases: &[Facts]) -> bool {
    let shares = |facts: &Facts| !facts.workspace.config.budgets.run.is_empty() && !facts.budgets.runs().is_empty();
    shares(view) || bases.iter().any(shares)
}

/// Loads the judged state by the configuration in force, with its own search places. Also returns its own configuration.
fn load_view(snapshot: &Snapshot, before: &dyn ParsedBefore) -> Result<(Config, Workspace)> {
    let own = workspace::read_config(&*snapshot.view)?;
    let config = gates::judging(snapshot.config.as_ref(), &own);
    Ok((own, workspace::load_knowing(&*snapshot.view, config, &Select::All, before)?))
}

/// Whether neither the judged state nor a base has a node, a scenario file or a ledger. Then the gate judges nothing,
/// whatever the configuration says.
fn nothing_of_ours(snapshot: &Snapshot) -> Result<bool> {
    let before = snapshot.bases.iter().chain(snapshot.others()).map(|base| &base.tree);
    let trees = std::iter::once(&snapshot.view).chain(before);
    for tree in trees {
        if !workspace::catalog(&**tree, &workspace::read_config(&**tree).unwrap_or_default())?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The declarations in [`Snapshot::others`], each with its own search places and configuration.
fn others(snapshot: &Snapshot, now: &Config) -> Result<Vec<Workspace>> {
    let load = |base: &Base| {
        let own = workspace::read_config(&*base.tree).unwrap_or_else(|_| now.clone());
        let workspace = workspace::load(&*base.tree, gates::with_sight_of(&own, now), &Select::All)?;
        Ok(Workspace { config: own, ..workspace })
    };
    snapshot.others().map(load).collect()
}

/// The facts of every base, judged by the view's configuration, because a change of configuration must not turn an old
/// problem into a new one. For example, a ledger that comes into sight is accepted as it is, so a base shows the files that
/// either configuration shows. Budgets are the base's own: a change that lowers a limit introduces the breaches.
fn bases(snapshot: &Snapshot, anchors: &Anchors, view: &Facts, last: &mut LastBases) -> Result<Vec<Facts>> {
    let now = &view.workspace.config;
    let mut bases = Vec::new();
    for base in &snapshot.bases {
        if let Some(facts) = last.take(base, now) {
            bases.push(facts);
            continue;
        }
        // a base with an unusable configuration was never judged
        let own = workspace::read_config(&*base.tree).unwrap_or_else(|_| now.clone());
        let seen = gates::with_both_sights(now, &own);
        let budgets = if snapshot.config.is_some() { seen.budgets } else { own.budgets };
        let workspace = workspace::load(&*base.tree, Config { budgets, ..seen }, &Select::All)?;
        let mut facts = facts::collect_unowned(&*base.tree, anchors, workspace)?;
        facts.workspace.config = own;
        bases.push(facts);
    }
    Ok(bases)
}

/// The nodes of each base by its own search places, if these differ from `now`.
fn filed(snapshot: &Snapshot, now: &Config, bases: &[Facts]) -> Result<Vec<Option<Workspace>>> {
    let own = |(base, facts): (&Base, &Facts)| {
        let own = &facts.workspace.config;
        let differs = !gates::same_sight(own, now);
        differs.then(|| workspace::load(&*base.tree, own.clone(), &Select::All)).transpose()
    };
    snapshot.bases.iter().zip(bases).map(own).collect()
}
