//! The gate: snapshot -> model -> facts -> rules -> levels -> verdict -> report.

use super::added;
use super::consequences;
use super::levels;
use super::losses;
use super::losses::{Loss, SeenState};
use super::outcome;
use super::outcome::{NotJudged, Reader};
use super::snapshot;
use super::snapshot::{AddedBlob, Base, Snapshot};
use super::stray;
use super::stray::KnownEvidence;
use super::unseen;
use crate::app::doors::quiet;
use crate::app::doors::remember;
use crate::engine::anchors::Anchors;
use crate::engine::facts;
use crate::engine::facts::{Facts, Standing};
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::finding::{Finding, Level, RuleId};
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::node::Node;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::repo::{Backend, Repo};
use crate::report::view::{Report, Scope, ScopeMode};
use crate::rules;
use crate::rules::{Change, Door, LostLine};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashSet};

/// How a check is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Warnings become errors.
    pub strict: bool,
    /// Now.
    pub now: Timestamp,
    /// Who reads the report.
    pub reader: Reader,
    /// Whether the files of a state without a base are read to look for evidence among them; else only their names are
    /// looked at. Reading every tracked file costs a large repository more than everything else together.
    pub reads_files: bool,
}

/// What was found in a snapshot, at its levels.
pub struct Judged {
    /// What was examined.
    pub scope: Scope,
    /// Everything that was found.
    pub findings: Vec<Finding>,
    /// The scenarios about which advice could not be given.
    pub not_judged: Vec<NotJudged>,
    /// The nodes of the judged state.
    pub workspace: Workspace,
    /// What it is compared with, in the snapshot's order.
    pub before: Vec<Facts>,
    /// What it was judged by before, beside what it is judged by now.
    pub gates: Vec<Config>,
    /// The evidence that its readings name.
    pub named: HashSet<EvidenceHash>,
    /// Whether there is evidence with which the files were not compared by their content.
    pub unread: bool,
}

impl Judged {
    /// Whether evidence may be tracked at `path`.
    pub fn allows(&self, path: &RepoPath) -> bool {
        allows(&self.workspace.config, &self.gates, path)
    }
}

/// Whether evidence may be tracked at `path`: only where it could be before, so that no change allows itself what it
/// brings.
fn allows(now: &Config, gates: &[Config], path: &RepoPath) -> bool {
    gates.iter().chain([now]).all(|config| config.allow_in_tree.is_match(path))
}

/// The facts of the bases that were compared with last: the tips of one push often have one in common.
#[derive(Default)]
pub struct LastBases {
    /// The configuration by which they were collected.
    config: Config,
    known: Vec<(Oid, Facts)>,
}

impl LastBases {
    /// Those of `snapshot`, which was `judged`.
    pub fn of(snapshot: &Snapshot, judged: Judged) -> Self {
        let ids = snapshot.bases.iter().map(|base| base.commit);
        let known = ids.zip(judged.before).filter_map(|(id, facts)| Some((id?, facts))).collect();
        Self { config: judged.workspace.config, known }
    }

    /// Gives up what is known of `base` by `config`.
    fn take(&mut self, base: &Base, config: &Config) -> Option<Facts> {
        let at = self.known.iter().position(|(id, _)| Some(*id) == base.commit && self.config == *config)?;
        Some(self.known.swap_remove(at).1)
    }
}

/// The gate before a commit: the index against HEAD. `silently`: whoever asked sees nothing but what there is to say, so
/// that nothing more need be found out than that there is nothing. `busy` is called before anything that may take long.
pub fn staged(repo: &Repo, options: Options, (clean_merge, silently): (bool, bool), busy: &dyn Fn()) -> Result<Report> {
    if repo.backend == Backend::Program {
        busy();
    }
    let compared = snapshot::compare(repo)?;
    if let ([only], true) = (compared.as_slice(), silently)
        && quiet::is_silent(repo, only, options, busy)
    {
        return Ok(report_of(repo, Vec::new(), &[], options));
    }
    busy();
    check(repo, &snapshot::of_staged(repo, &compared, clean_merge)?, options)
}

/// Judges `snapshot` and says what it found.
pub fn check(repo: &Repo, snapshot: &Snapshot, options: Options) -> Result<Report> {
    let Some(judged) = judge(repo, snapshot, options)? else { return Ok(unseen(repo, snapshot, options)) };
    Ok(outcome::report(judged.scope, judged.findings, &judged.not_judged, options.reader))
}

/// The same, about `paths` alone; about everything when there are none.
pub fn only(repo: &Repo, snapshot: &Snapshot, options: Options, paths: &[RepoPath]) -> Result<Report> {
    let bases = snapshot.bases.iter().map(|base| &*base.tree);
    unseen::refuse(repo, &std::iter::once(&*snapshot.view).chain(bases).collect::<Vec<_>>(), paths)?;
    let Some(mut judged) = judge(repo, snapshot, options)? else { return Ok(unseen(repo, snapshot, options)) };
    keep_about(&mut judged.findings, paths);
    judged.not_judged.retain(|scenario| scenario.is_about(paths));
    Ok(outcome::report(judged.scope, judged.findings, &judged.not_judged, options.reader))
}

/// Drops what is not about `paths`; nothing when there are none.
pub(crate) fn keep_about(findings: &mut Vec<Finding>, paths: &[RepoPath]) {
    findings.retain(|finding| paths.is_empty() || is_about(finding, paths));
}

/// Whether a finding lies at one of `paths` or below, or speaks of content that does.
fn is_about(finding: &Finding, paths: &[RepoPath]) -> bool {
    let place = finding.location.iter().map(|location| &location.path);
    let mut speaks_of = finding.drift.iter().map(|drift| &drift.path).chain(place).chain(&finding.about);
    speaks_of.any(|path| paths.iter().any(|asked| RepoPath::from_git(path.clone()).is_within(asked)))
}

/// The report of these findings alone, about staged content.
pub fn report_of(repo: &Repo, findings: Vec<Finding>, not_judged: &[NotJudged], options: Options) -> Report {
    let scope =
        Scope { mode: ScopeMode::Staged, base: None, tip: None, backend: Some(repo.answered_by()), files: 0, nodes: 0 };
    outcome::report(scope, findings, not_judged, options.reader)
}

/// The report about a snapshot in which nothing is ours, or nothing changed.
pub fn nothing(repo: &Repo, snapshot: &Snapshot, options: Options) -> Report {
    outcome::report(scope(repo, snapshot, 0, 0), Vec::new(), &[], options.reader)
}

/// The same about staged content, where something that git ignores might be ours.
fn unseen(repo: &Repo, snapshot: &Snapshot, options: Options) -> Report {
    let staged = snapshot.tip.is_none();
    let findings = if staged { unseen::beside_nothing(repo, &*snapshot.view, options) } else { Vec::new() };
    outcome::report(scope(repo, snapshot, 0, 0), findings, &[], options.reader)
}

/// Judges `snapshot`; `None` when it has nothing that is ours, or changes nothing.
pub fn judge(repo: &Repo, snapshot: &Snapshot, options: Options) -> Result<Option<Judged>> {
    judge_next(repo, snapshot, options, &mut LastBases::default())
}

/// The same, after a snapshot with the bases `last`, which are not collected again.
pub fn judge_next(repo: &Repo, snapshot: &Snapshot, options: Options, last: &mut LastBases) -> Result<Option<Judged>> {
    if nothing_changed(snapshot) {
        return Ok(None);
    }
    let loaded = load_view(snapshot);
    let hidden = match &loaded {
        Ok((_, view)) if rules::speaks(RuleId::SpecIgnored, snapshot.door()) => {
            workspace::hidden(&*snapshot.view, &view.config)?
        }
        _ => Vec::new(),
    };
    if hidden.is_empty()
        && loaded.as_ref().map_or(true, |(_, view)| view.nodes.is_empty())
        && nothing_of_ours(snapshot)?
    {
        return strays_alone(repo, snapshot, options);
    }
    let (own, view) = loaded?;
    let anchors = remember::anchors(repo, snapshot);
    let owned = rules::speaks(RuleId::YatsuOwners, snapshot.door());
    let collect = if owned { facts::collect } else { facts::collect_unowned };
    let view = Facts { hidden, ..collect(&*snapshot.view, &anchors, view)? };
    let bases = bases(snapshot, &anchors, &view, last)?;
    let cache = Cache::new(&repo.common_dir);
    let before: Vec<&Workspace> = bases.iter().map(|base| &base.workspace).collect();
    let gates = gates(snapshot, &before);
    let whole = under_old_gate(snapshot, &view.workspace, &gates)?;
    let seen = whole.as_ref().unwrap_or(&view.workspace);
    let lost = lost((&snapshot.bases, snapshot.tip), SeenState { tree: &*snapshot.view, workspace: seen }, &before)?;
    let named = named(seen);
    let allowed = |path: &RepoPath| allows(&view.workspace.config, &gates, path);
    let any = !named.is_empty() || cache.exists()?;
    let reads = reads_files(snapshot, options);
    let known = KnownEvidence {
        cache: &cache,
        named: &|hash| named.contains(hash),
        any: any && reads,
        allowed: &allowed,
        held: &|id| held(snapshot, id),
    };
    let strays = if snapshot.many { Vec::new() } else { strays(repo, snapshot, &known)? };
    let mut change = change((repo, &anchors), ((&view, seen), &bases, &own), (lost, strays), options)?;
    // what the change itself allows counts from the next one on
    change.redact &= gates.iter().all(|gate| gate.redact);
    change.door = snapshot.door();
    if options.reader == Reader::Person {
        remember::remember(repo, snapshot, (&view, &anchors));
    }
    let mut findings = levels::apply_since(rules::of_change(&change), &view.workspace.config, &gates, options.strict);
    findings.retain(|finding| timely(finding, snapshot));
    consequences::drop(&mut findings);
    let files = snapshot.bases.first().map_or_else(|| own_files(&view.workspace), |base| base.changed.len());
    let scope = scope(repo, snapshot, files, view.workspace.nodes.len());
    let not_judged = not_judged(&view);
    let (workspace, unread) = (view.workspace, any && !reads);
    Ok(Some(Judged { scope, findings, not_judged, workspace, before: bases, gates, named, unread }))
}

/// What a change adds is always read.
fn reads_files(snapshot: &Snapshot, options: Options) -> bool {
    options.reads_files || !snapshot.bases.is_empty()
}

/// A commit that changes nothing introduces nothing; a row of commits may.
fn nothing_changed(snapshot: &Snapshot) -> bool {
    !snapshot.many && !snapshot.bases.is_empty() && snapshot.bases.iter().all(|base| base.changed.is_empty())
}

/// Whether neither the judged state nor a base has a node, a scenario file or a ledger: then the gate has no opinion,
/// whatever the configuration says.
fn nothing_of_ours(snapshot: &Snapshot) -> Result<bool> {
    let trees = std::iter::once(&snapshot.view).chain(snapshot.bases.iter().map(|base| &base.tree));
    for tree in trees {
        let own = || workspace::read_config(&**tree).unwrap_or_default();
        let config = snapshot.config.clone().unwrap_or_else(own);
        if !workspace::catalog(&**tree, &config)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What there is to say where nothing is ours: evidence is none of anybody's tree. `None` where there is none, or where it
/// is looked for commit by commit.
fn strays_alone(repo: &Repo, snapshot: &Snapshot, options: Options) -> Result<Option<Judged>> {
    if snapshot.many {
        return Ok(None);
    }
    let own = || workspace::read_config(&*snapshot.view).unwrap_or_default();
    let mut judged = without_nodes(repo, snapshot, snapshot.config.clone().unwrap_or_else(own));
    let cache = Cache::new(&repo.common_dir);
    let known = KnownEvidence {
        cache: &cache,
        named: &|_| false,
        any: cache.exists()? && reads_files(snapshot, options),
        allowed: &|path| judged.allows(path),
        held: &|id| held(snapshot, id),
    };
    let strays = strays(repo, snapshot, &known)?;
    if strays.is_empty() {
        return Ok(None);
    }
    let nothing = Facts::of_nothing(judged.workspace.config.clone());
    let change = Change { door: snapshot.door(), strays, ..Change::of(&nothing, options.now) };
    judged.findings = levels::apply(rules::of_change(&change), &judged.workspace.config, options.strict);
    Ok(Some(judged))
}

/// The judgement of a state where nothing is ours, before anything is found.
pub(crate) fn without_nodes(repo: &Repo, snapshot: &Snapshot, config: Config) -> Judged {
    Judged {
        scope: scope(repo, snapshot, 0, 0),
        findings: Vec::new(),
        not_judged: Vec::new(),
        workspace: Workspace { config, nodes: Vec::new() },
        before: Vec::new(),
        gates: Vec::new(),
        named: HashSet::new(),
        unread: false,
    }
}

/// The judged state by what it is judged by, and its own configuration.
fn load_view(snapshot: &Snapshot) -> Result<(Config, Workspace)> {
    let own = workspace::read_config(&*snapshot.view)?;
    let config = snapshot.config.clone().unwrap_or_else(|| own.clone());
    Ok((own, load(&*snapshot.view, config)?))
}

fn load(tree: &dyn Tree, config: Config) -> Result<Workspace> {
    workspace::load(tree, config, &Select::All)
}

/// The facts of every base, judged by the view's configuration: a change of configuration must not turn what was
/// there before into something new. But all that the base's own gate looked at is there, so that none of it gets out of
/// sight, and that gate is kept for comparison.
fn bases(snapshot: &Snapshot, anchors: &Anchors, view: &Facts, last: &mut LastBases) -> Result<Vec<Facts>> {
    let mut bases = Vec::new();
    for base in &snapshot.bases {
        if let Some(facts) = last.take(base, &view.workspace.config) {
            bases.push(facts);
            continue;
        }
        let now = &view.workspace.config;
        // a base whose configuration cannot be used was judged by nobody
        let own = workspace::read_config(&*base.tree).unwrap_or_else(|_| now.clone());
        let seen = if snapshot.config.is_some() { now.clone() } else { seen_by(now, &own) };
        let mut facts = facts::collect_unowned(&*base.tree, anchors, load(&*base.tree, seen)?)?;
        facts.workspace.config = own;
        bases.push(facts);
    }
    Ok(bases)
}

/// `now`, looking wherever `then` looked.
pub(crate) fn seen_by(now: &Config, then: &Config) -> Config {
    let more = then.roots.iter().filter(|root| !now.roots.contains(root));
    let roots = now.roots.iter().chain(more).cloned().collect();
    let both = now.exclude.text().iter().filter(|text| then.exclude.text().contains(text)).cloned().collect();
    // every one of them was compiled before
    let exclude = Globs::compile(both).unwrap_or_default();
    Config { roots, exclude, ..now.clone() }
}

/// What the bases were judged by, where the change itself says what it is judged by. Where nothing was ours before there
/// was no gate that could be lowered.
fn gates(snapshot: &Snapshot, before: &[&Workspace]) -> Vec<Config> {
    let ours = before.iter().filter(|base| snapshot.config.is_none() && !base.nodes.is_empty());
    ours.map(|base| base.config.clone()).collect()
}

/// The judged state as the gates of all bases would have seen it, where they saw more; lines that this change puts out of
/// sight are not lost.
fn under_old_gate(snapshot: &Snapshot, view: &Workspace, gates: &[Config]) -> Result<Option<Workspace>> {
    let now = &view.config;
    let hides = |then: &Config| {
        now.exclude.text().iter().any(|text| !then.exclude.text().contains(text))
            || then.roots.iter().any(|root| !now.roots.contains(root))
    };
    if !gates.iter().any(hides) {
        return Ok(None);
    }
    let all = gates.iter().fold(now.clone(), |seen, then| seen_by(&seen, then));
    load(&*snapshot.view, all).map(Some)
}

/// What lies between the facts of a state and those of its bases; `seen` holds also what the change puts out of sight,
/// whose lines are judged when they are added, and only then.
pub fn change<'a>(
    (repo, anchors): (&Repo, &Anchors),
    ((view, seen), bases, own): ((&'a Facts, &Workspace), &'a [Facts], &'a Config),
    (lost, strays): (Vec<LostLine>, Vec<rules::Stray>),
    options: Options,
) -> Result<Change<'a>> {
    let cache = Cache::new(&repo.common_dir);
    let before: Vec<&Workspace> = bases.iter().map(|base| &base.workspace).collect();
    let added = if bases.is_empty() { Vec::new() } else { added::judged(repo.hash, anchors, seen, &before)? };
    let mut absent_evidence = BTreeSet::new();
    // Each piece once, however many lines name it: the cache is on disk.
    let pieces: BTreeSet<_> =
        added.iter().filter(|added| !added.moved).flat_map(|added| added::hashes(&added.line)).collect();
    for hash in pieces {
        if !cache.has(&hash)? {
            absent_evidence.insert(hash);
        }
    }
    let no_evidence = !absent_evidence.is_empty() && cache.is_empty()?;
    let door = if bases.is_empty() { Door::State } else { Door::Commit };
    let alone = Change::of(view, options.now);
    Ok(Change { door, own, bases, added, lost, strays, absent_evidence, no_evidence, ..alone })
}

/// The lines that a base has and the view lacks, each once: a base whose loss is an error comes first. `before` holds
/// the workspaces of `bases`, which are compared with the commit `tip`, or with what no commit holds yet.
fn lost((bases, tip): (&[Base], Option<Oid>), new: SeenState<'_>, before: &[&Workspace]) -> Result<Vec<LostLine>> {
    let mut bases: Vec<_> = bases.iter().zip(before).collect();
    bases.sort_by_key(|(base, _)| base.rewritten);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (base, workspace) in bases {
        let from = match (tip, base.commit) {
            (Some(_), Some(commit)) => commit.short(),
            _ => "HEAD".into(),
        };
        for Loss { line, how } in losses::of(new, SeenState { tree: &*base.tree, workspace })? {
            if seen.insert((line.ledger.clone(), line.line.clone())) {
                found.push(LostLine { line, how, from: from.clone(), rewritten: base.rewritten });
            }
        }
    }
    Ok(found)
}

/// The added blobs that are evidence; of a state without a base, all of its blobs are looked at. Where neither the cache
/// nor a reading knows of any evidence, nothing is read but what is named like evidence.
fn strays(repo: &Repo, snapshot: &Snapshot, known: &KnownEvidence<'_>) -> Result<Vec<rules::Stray>> {
    let whole = snapshot.bases.is_empty();
    let added = if whole { every_blob(snapshot, known.any)? } else { snapshot.added() };
    if whole { stray::strays(&&*snapshot.view, &added, known) } else { stray::strays(repo, &added, known) }
}

/// The blobs of the whole state; those alone that are named like evidence unless `any` is.
fn every_blob(snapshot: &Snapshot, any: bool) -> Result<Vec<AddedBlob>> {
    let root = RepoPath::root();
    let mut blobs = Vec::new();
    for (path, _) in snapshot.view.files(&root, &|path| any || stray::is_telling(path))? {
        if snapshot.view.is_untracked(&path)? {
            continue;
        }
        if let Some(id) = snapshot.view.entry(&path)?.and_then(|entry| entry.id) {
            blobs.push(AddedBlob { path, id });
        }
    }
    Ok(blobs)
}

/// Every hash that a reading of the workspace names.
pub fn named(workspace: &Workspace) -> HashSet<EvidenceHash> {
    let lines = workspace.nodes.iter().flat_map(|node| &node.ledgers).flat_map(|ledger| &ledger.lines);
    lines.flat_map(added::hashes).collect()
}

/// Whether a base holds this content somewhere already.
pub(crate) fn held(snapshot: &Snapshot, id: &Oid) -> Result<bool> {
    let root = RepoPath::root();
    for base in &snapshot.bases {
        if base.tree.files(&root, &|_| true)?.iter().any(|(_, entry)| entry.id == Some(*id)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Advice in a merge is for what the merge itself did, and comes too late where git made the merge.
fn timely(finding: &Finding, snapshot: &Snapshot) -> bool {
    if finding.level == Level::Error || snapshot.bases.len() < 2 && !snapshot.clean_merge {
        return true;
    }
    if snapshot.clean_merge {
        return false;
    }
    let changed = snapshot.changed_paths();
    let place = finding.location.iter().map(|location| &location.path);
    let paths = finding.drift.iter().map(|drift| &drift.path).chain(place);
    paths.into_iter().any(|path| changed.iter().any(|c| c.as_bstr() == path.as_slice() as &[u8]))
}

/// The scenarios whose freshness could not be told.
pub fn not_judged(facts: &Facts) -> Vec<NotJudged> {
    facts
        .scenarios()
        .filter_map(|(node, scenario, score)| match &score.standing {
            Standing::NotJudged(reason) => {
                let (tags, governed) = (scenario.tags.clone(), governed(node, scenario).to_vec());
                Some(NotJudged { node: node.dir.clone(), governed, tags, reason: reason.clone() })
            }
            Standing::Missing | Standing::Judged(_) => None,
        })
        .collect()
}

/// How many files of ours a whole state has.
fn own_files(workspace: &Workspace) -> usize {
    let of = |node: &Node| node.ledgers.len() + usize::from(node.spec.is_some()) + usize::from(node.file.is_some());
    workspace.nodes.iter().map(of).sum()
}

fn scope(repo: &Repo, snapshot: &Snapshot, files: usize, nodes: usize) -> Scope {
    Scope {
        mode: snapshot.mode,
        base: snapshot.bases.first().and_then(|base| base.commit).map(|id| id.to_string()),
        tip: snapshot.tip.map(|id| id.to_string()),
        backend: Some(repo.answered_by()),
        files,
        nodes,
    }
}
