//! Pushed and received commits, and the ranges of CI. Purpose: the updates of refs in, one report out. Each tip is
//! judged by its own tree against the states that its new commits begin from; every new commit is looked at for stray
//! evidence. The cost grows with the new commits, never with the history before them.

mod aliases;
mod commits;
mod evidence_refs;
mod fast_push;
mod judge;
mod promotion_base;
mod ref_updates;
pub mod refs;
mod remote;
mod row;
mod tips;
mod walk;

pub use remote::{FrameworkPush, Remote, head};

use crate::app::judge::Options;
use crate::app::judge::gates;
use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::unseen;
use crate::app::progress::Tell;
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::workspace;
use crate::repo::program::NewCommits;
use crate::repo::{FETCH_ALL, Repo};
use crate::report::view::{Report, ScopeMode};
use crate::store::evidence::Cache;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use aliases::Aliases;
use bstr::{BStr, BString};
use judge::Brings;
use ref_updates::Refs;
use refs::Update;
use tips::Tip;

/// Tips that are judged together.
struct Push<'a> {
    /// The repository from which is pushed, or which receives.
    repo: &'a Repo,
    /// Who reads the answer, and who hears that it takes long.
    how: How<'a>,
    /// How the report calls it.
    mode: ScopeMode,
    /// What is judged by, in place of each tip's own configuration.
    config: Option<Config>,
    /// The default branch of the side that is pushed to, where that is known here.
    default: Option<BString>,
    /// The other names of its refs, where this is that side.
    aliases: Aliases,
    /// The side that is pushed to.
    side: Side,
    /// What every tip is compared with, where that is settled beforehand.
    base: Option<Oid>,
    /// Where a range begins, which is the old tip of the branch that nobody names.
    from: Option<Oid>,
}

/// The side that is pushed to.
enum Side {
    /// This repository receives; its own refs say what is there.
    Here,
    /// The remote whose tracking branches say what it has, if there is one.
    There(Option<String>),
}

impl Push<'_> {
    fn cache(&self) -> Cache {
        Cache::new(&self.repo.common_dir)
    }

    /// What a state is judged by, with its own sight. One that cannot be used is for the judgement to name, or nothing there
    /// is ours.
    fn config_for(&self, view: &dyn Tree) -> Config {
        gates::judging(self.config.as_ref(), &workspace::read_config(view).unwrap_or_default())
    }

    fn brings_other_config(&self, snapshot: &Snapshot) -> Result<bool> {
        match &self.config {
            Some(config) => Ok(workspace::read_config(&*snapshot.view)? != *config),
            None => Ok(false),
        }
    }
}

/// How the work is done.
#[derive(Clone, Copy)]
pub struct How<'a> {
    /// How each tip is judged.
    pub options: Options,
    /// Told how far it is.
    pub progress: Tell<'a>,
    /// Whether whoever asks sees no more than what the push introduces, so that the concerned nodes can tell.
    pub briefly: bool,
}

/// What a push brings to `remote`.
///
/// # Errors
/// When a tip is no commit, or what must be compared cannot be read. That the other side holds commits that are not here
/// is no error.
pub fn push(repo: &Repo, updates: &[Update], remote: &Remote, how: How<'_>) -> Result<Report> {
    // what goes beside the code is for the other side to look at: nobody here has its refs
    let updates = &evidence_refs::split(updates).code;
    let brought = tips::of(repo, updates)?;
    // found out once: a remote that is named by its URL is looked up in the configuration, which git reads
    let tracked = remote.tracked(repo)?;
    let wanted = new_to(repo, &brought.tips, updates, tracked.clone())?;
    let (default, side) = (remote::default_branch(repo, tracked.as_deref())?, Side::There(tracked));
    let push = Push {
        repo,
        how,
        mode: ScopeMode::Push,
        config: None,
        default,
        aliases: Aliases::default(),
        side,
        base: None,
        from: None,
    };
    let standing = repo.head()?;
    let refs = Refs { updates, standing, misshapen: Vec::new() };
    let findings = ref_updates::look(&push, &brought, refs)?;
    push.judge(Brings { tips: &brought.tips, wanted: &wanted, findings, standing }, &[])
}

/// Whether `remote` has every commit of `updates`, as far as is known here.
///
/// # Errors
/// As [`push`].
pub fn brings_nothing(repo: &Repo, updates: &[Update], remote: &Remote) -> Result<bool> {
    let updates = &evidence_refs::split(updates).code;
    let wanted = new_to(repo, &tips::of(repo, updates)?.tips, updates, remote.tracked(repo)?)?;
    Ok(repo.new_commits(&wanted)?.is_empty())
}

fn new_to(repo: &Repo, tips: &[Tip], updates: &[Update], remote: Option<String>) -> Result<NewCommits> {
    Ok(NewCommits { remote, ..tips::wanted(repo, tips, updates)? })
}

/// What a push brings to this repository. It is judged by the configuration that the default branch had before it, so
/// that no push chooses its judge; by its own where there is no default branch yet, which is no gate that it could lower.
///
/// # Errors
/// As [`push`].
pub fn receive(repo: &Repo, updates: &[Update], how: How<'_>) -> Result<Report> {
    let aliases = Aliases::of(repo)?;
    let (updates, notes) = aliases.resolved(repo, updates)?;
    let evidence_refs::Split { code: updates, aside } = evidence_refs::split(&updates);
    let updates = &updates[..];
    let brought = tips::of(repo, updates)?;
    // whatever a ref of the code reaches here came in through this gate, also by another ref
    let wanted = NewCommits { all_refs: true, ..tips::wanted(repo, &brought.tips, updates)? };
    let head = aliases.resolve(repo, BStr::new("HEAD"))?;
    let default = head.strip_prefix(b"refs/heads/").map(BString::from);
    let standing = standing(repo)?;
    let config = standing.map_or(Ok(None), |commit| standing_config(repo, &commit))?;
    let push = Push {
        repo,
        how,
        mode: ScopeMode::Receive,
        config,
        default,
        aliases,
        side: Side::Here,
        base: None,
        from: None,
    };
    let refs = Refs { updates, standing, misshapen: evidence_refs::misshapen(repo, &aside)? };
    let findings = ref_updates::look(&push, &brought, refs)?;
    let mut report = push.judge(Brings { tips: &brought.tips, wanted: &wanted, findings, standing }, &[])?;
    if !report.is_silent() {
        report.notes.extend(notes);
    }
    Ok(report)
}

/// What the default branch holds.
fn standing(repo: &Repo) -> Result<Option<Oid>> {
    let mut head = repo.judged_head()?;
    for name in [&b"refs/heads/main"[..], b"refs/heads/master"] {
        // a server's HEAD may name a branch that nobody ever pushed
        head = head.map_or_else(|| repo.find_ref(name), |id| Ok(Some(id)))?;
    }
    Ok(head)
}

/// What the default branch decided about the gate; `None` where that cannot be read and nothing of ours is there.
fn standing_config(repo: &Repo, head: &Oid) -> Result<Option<Config>> {
    let view = repo.commit_view(head)?;
    match workspace::read_config(&*view) {
        Ok(config) => Ok(Some(config)),
        Err(_) if workspace::catalog(&*view, &Config::default())?.is_empty() => Ok(None),
        Err(error) => Err(error
            .context("the configuration of the default branch, which received commits are judged by")
            .hint("push the repair with the server's pre-receive hook moved aside")),
    }
}

/// What `to` adds to the commit where it left `from`, about `paths` alone unless there are none.
///
/// # Errors
/// When an end of the range, or the commit where they part, is not in this clone.
pub fn range(repo: &Repo, (from, to): (&str, &str), paths: &[RepoPath], how: How<'_>) -> Result<Report> {
    let missing = |error: Error| {
        let hint = "fetch the branch that has it, name a commit that is here, or see what `git fsck` says";
        let hint = if repo.shallow { FETCH_ALL } else { hint };
        Error::unchecked(format!("the base of the range cannot be read in this clone: {}", error.message)).hint(hint)
    };
    let (from, to) = (repo.resolve(from).map_err(missing)?, repo.resolve(to)?);
    let base = match repo.merge_base(&from, &to)? {
        Some(fork) => fork,
        None if repo.shallow => {
            let message = format!("where {} left {} is not in this shallow clone", to.short(), from.short());
            return Err(Error::unchecked(message).hint(FETCH_ALL));
        }
        // two histories without a common commit: the end of one is compared with the end of the other
        None => from,
    };
    // Before anything is judged: of a path that nobody has no finding is told, which would look like a clean range.
    unseen::refuse(repo, &[&*repo.commit_view(&to)?, &*repo.commit_view(&base)?], paths)?;
    let tip = Tip { name: to.short().into(), branch: None, commit: to, old: None };
    // `from`, not the fork: what was merged from there since is not the range's own
    let wanted = NewCommits { tips: vec![to], known: vec![from], ..NewCommits::default() };
    let side = Side::There(None);
    let push = Push {
        repo,
        how,
        mode: ScopeMode::Range,
        config: None,
        default: None,
        aliases: Aliases::default(),
        side,
        base: Some(base),
        from: Some(from),
    };
    let brings = Brings { tips: &[tip], wanted: &wanted, findings: Vec::new(), standing: None };
    push.judge(brings, paths)
}
