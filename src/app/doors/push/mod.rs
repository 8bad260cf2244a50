//! Judges pushed and received commits, and the ranges of CI. Input: the updates of refs. Output: one report. Each tip is
//! judged by its own tree against the states that its new commits start from. Every new commit is searched for stray
//! evidence. The cost grows with the new commits, never with the older history.

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

use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::{Options, gates, unseen};
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
use refs::Update;
use tips::Tip;

/// Tips that are judged together.
struct Push<'a> {
    /// The repository that pushes or receives.
    repo: &'a Repo,
    /// The settings and the progress display.
    how: How<'a>,
    /// The name of the scope in the report.
    mode: ScopeMode,
    /// The configuration to judge by, in place of each tip's own.
    config: Option<Config>,
    /// The default branch of the receiving side, if it is known here.
    default: Option<BString>,
    /// The symbolic refs of the receiving side, if this repository receives.
    aliases: Aliases,
    side: Side,
    /// The base of every tip, if it is fixed beforehand.
    base: Option<Oid>,
    /// The start of a range, which stands for the old tip of an unnamed branch.
    from: Option<Oid>,
    /// The commit of the default branch of a receiving repository, before the push.
    standing: Option<Oid>,
}

/// The receiving side of a push.
enum Side {
    /// This repository receives; its own refs show the existing commits.
    Here,
    /// A remote receives; its tracking branches, if there are any, show the existing commits.
    There(Option<String>),
}

impl<'a> Push<'a> {
    /// A push to `side`, as far as nothing else is known.
    fn to(side: Side, repo: &'a Repo, how: How<'a>, mode: ScopeMode) -> Self {
        let (config, default, base, from, standing) = (None, None, None, None, None);
        Self { repo, how, mode, config, default, aliases: Aliases::default(), side, base, from, standing }
    }

    fn cache(&self) -> Cache {
        Cache::new(&self.repo.common_dir)
    }

    /// The configuration to judge a state by, with the state's own search places. An unusable configuration counts as the
    /// default here: either the judgement reports it, or there is nothing to judge.
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

/// The settings for judging a push.
#[derive(Clone, Copy)]
pub struct How<'a> {
    /// The settings for judging each tip.
    pub options: Options,
    /// Receives the progress.
    pub progress: Tell<'a>,
    /// Whether the report shows only introduced findings, so that judging the concerned nodes is enough.
    pub briefly: bool,
}

/// Judges a push to `remote`.
///
/// # Errors
/// When a tip is no commit, or when necessary content cannot be read. Unknown commits on the remote are no error.
pub fn push(repo: &Repo, updates: &[Update], remote: &Remote, how: How<'_>) -> Result<Report> {
    // refs beside the code are left to the remote to check, because its refs are not known here
    let updates = &evidence_refs::split(updates).0;
    let brought = tips::of(repo, updates)?;
    // found once, because a remote given by URL is looked up in git's configuration
    let tracked = remote.tracked(repo)?;
    let wanted = new_to(repo, &brought.tips, updates, tracked.clone())?;
    let (default, side) = (remote::default_branch(repo, tracked.as_deref())?, Side::There(tracked));
    let push = Push { default, ..Push::to(side, repo, how, ScopeMode::Push) };
    let standing = repo.head()?;
    let findings = ref_updates::look(&push, &brought, updates, standing, Vec::new())?;
    push.judge(&brought.tips, &wanted, findings, standing, &[])
}

/// Whether `remote` has every commit of `updates`, as far as is known here.
///
/// # Errors
/// As [`push`].
pub fn brings_nothing(repo: &Repo, updates: &[Update], remote: &Remote) -> Result<bool> {
    let updates = &evidence_refs::split(updates).0;
    let wanted = new_to(repo, &tips::of(repo, updates)?.tips, updates, remote.tracked(repo)?)?;
    Ok(repo.new_commits(&wanted)?.is_empty())
}

fn new_to(repo: &Repo, tips: &[Tip], updates: &[Update], remote: Option<String>) -> Result<NewCommits> {
    Ok(NewCommits { remote, ..tips::wanted(repo, tips, updates)? })
}

/// Judges a push to this repository. The configuration is the one of the default branch before the push, so that no push
/// chooses its judge. Without a default branch the push's own counts, because there is no gate yet that it could lower.
///
/// # Errors
/// As [`push`].
pub fn receive(repo: &Repo, updates: &[Update], how: How<'_>) -> Result<Report> {
    let aliases = Aliases::of(repo)?;
    let (updates, notes) = aliases.resolved(repo, updates)?;
    let (updates, aside) = evidence_refs::split(&updates);
    let updates = &updates[..];
    let brought = tips::of(repo, updates)?;
    // every commit that a code ref reaches here already passed this gate, perhaps through another ref
    let wanted = NewCommits { all_refs: true, ..tips::wanted(repo, &brought.tips, updates)? };
    let head = aliases.resolve(repo, BStr::new("HEAD"))?;
    let default = head.strip_prefix(b"refs/heads/").map(BString::from);
    let standing = standing(repo)?;
    let config = standing.map_or(Ok(None), |commit| standing_config(repo, &commit))?;
    let push = Push { config, default, aliases, standing, ..Push::to(Side::Here, repo, how, ScopeMode::Receive) };
    let misshapen = evidence_refs::misshapen(repo, &aside)?;
    let findings = ref_updates::look(&push, &brought, updates, standing, misshapen)?;
    let mut report = push.judge(&brought.tips, &wanted, findings, standing, &[])?;
    if !report.is_silent() {
        report.notes.extend(notes);
    }
    Ok(report)
}

/// The commit of the default branch.
fn standing(repo: &Repo) -> Result<Option<Oid>> {
    let mut head = repo.judged_head()?;
    for name in [&b"refs/heads/main"[..], b"refs/heads/master"] {
        // a server's HEAD may name a branch that was never pushed
        head = head.map_or_else(|| repo.find_ref(name), |id| Ok(Some(id)))?;
    }
    Ok(head)
}

/// The configuration of the default branch; `None` if it is unusable and the branch has no yatsu-hook file.
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

/// Judges the commits that `to` has since it left `from`, for `paths` only; for everything if there are none.
///
/// # Errors
/// When an end of the range, or its fork commit, is not in this clone.
pub fn range(repo: &Repo, (from, to): (&str, &str), paths: &[RepoPath], how: How<'_>) -> Result<Report> {
    let (from, to) = (repo.resolve_end("base", from)?, repo.resolve_end("tip", to)?);
    let base = match repo.merge_base(&from, &to)? {
        Some(fork) => fork,
        None if repo.shallow => {
            let message = format!("where {} left {} is not in this shallow clone", to.short(), from.short());
            return Err(Error::unchecked(message).hint(FETCH_ALL));
        }
        // two unrelated histories: their tips are compared
        None => from,
    };
    // Checked before judging, because an unknown path has no findings and would look like a clean range.
    unseen::refuse(repo, &[&*repo.commit_view(&to)?, &*repo.commit_view(&base)?], paths)?;
    let tip = Tip { name: to.short().into(), branch: None, commit: to, old: None };
    // `from` and not the fork: commits merged from `from` do not belong to the range
    let wanted = NewCommits { tips: vec![to], known: vec![from], ..NewCommits::default() };
    let push = Push { base: Some(base), from: Some(from), ..Push::to(Side::There(None), repo, how, ScopeMode::Range) };
    push.judge(&[tip], &wanted, Vec::new(), None, paths)
}
