//! Patches: the branches that are meant for the main branch, with the state of each. Derived from refs, trees and ledgers
//! for every query; nothing is stored. This file loads what all branches share and finds a branch by name; [`facts`]
//! judges one branch.

mod branches;
mod content;
mod decisions;
mod facts;
mod rows;
mod states;

pub(crate) use branches::{Branch, is_alone};
pub(crate) use content::BranchChange;
pub(crate) use rows::row;

use crate::app::judge::{branch, remember, snapshot};
use crate::app::progress::{ProgressStep, Tell};
use crate::engine::anchors::Anchors;
use crate::error::{Error, Refusal, Result};
use crate::features::patches::judge::engine::patch::Patch;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::text::escape::echo;
use crate::text::nearest::nearest;
use crate::tree::oid::Oid;
use branches::MergedFrom;
use bstr::BString;
use decisions::Decided;
use facts::{Known, TipKey};
use states::{BaseState, BaseStates};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Most similar names that a hint lists.
const NEAR: usize = 3;

pub(crate) struct MainBranch {
    /// Its short name, for messages and to distinguish it from other branches.
    pub(crate) name: String,
    pub(crate) commit: Oid,
    state: Rc<BaseState>,
}

/// The branches of a repository, with the data that all of them share.
pub(crate) struct Patches<'r> {
    repo: &'r Repo,
    pub(crate) main: MainBranch,
    /// The nodes of the working tree, or of HEAD in a bare repository.
    workspace: Workspace,
    /// The full name of the checked-out branch.
    head: Option<BString>,
    anchors: Anchors,
    bases: BaseStates<'r>,
    merges: OnceCell<MergedFrom>,
    /// Every decision about a patch, in the checkout and in main.
    decided: Vec<Decided>,
    known: RefCell<HashMap<TipKey, Rc<Known>>>,
}

impl<'r> Patches<'r> {
    /// The branches of `repo`; `None` without a main branch.
    ///
    /// # Errors
    /// Usage if the named main branch does not exist; unchecked if something cannot be read.
    pub(crate) fn load(repo: &'r Repo) -> Result<Option<Self>> {
        let view = snapshot::all(repo)?.view;
        let config = workspace::read_config(&*view)?;
        let Some((full, commit)) = branch::main_of(repo, &config)? else { return Ok(None) };
        let full = repo.symbolic_ref(full.as_bytes())?.map_or(full, |target| target.to_string());
        let commit = local_ahead(repo, &full, &commit)?.unwrap_or(commit);
        let workspace = workspace::load(&*view, config.clone(), &Select::All)?;
        let bases = BaseStates::new(repo, config);
        let state = bases.of(Some(snapshot::known_tree(repo, &commit)?))?;
        let decided = decisions::standing_in(workspace.nodes.iter().chain(&state.workspace.nodes));
        let main = MainBranch { name: branches::short(full.as_bytes()), commit, state };
        Ok(Some(Self {
            repo,
            main,
            workspace,
            head: repo.work_dir.as_ref().map_or(Ok(None), |_| repo.head_branch())?,
            anchors: remember::anchors(repo),
            bases,
            merges: OnceCell::new(),
            decided,
            known: RefCell::default(),
        }))
    }

    /// As [`Self::load`], for callers that need a main branch.
    ///
    /// # Errors
    /// As [`Self::load`]; usage without a main branch.
    pub(crate) fn demand(repo: &'r Repo) -> Result<Self> {
        Self::load(repo)?.ok_or_else(|| match repo.head() {
            Ok(None) => {
                Error::usage("there is no commit yet").hint("a patch is a branch beside the main one: commit first")
            }
            _ => Error::usage("there is no main branch that a patch could be meant for")
                .hint("name it: `mainBranch` in spexcode.json"),
        })
    }

    /// Every patch, sorted by name.
    ///
    /// # Errors
    /// If existing content of any branch cannot be read.
    pub(crate) fn all(&self, tell: Tell<'_>) -> Result<Vec<Patch>> {
        let branches = self.branches()?;
        let mut found = Vec::new();
        for (done, branch) in branches.iter().enumerate() {
            tell(ProgressStep::Count { what: "looking at branches", done: done + 1, of: branches.len() });
            found.extend(self.patch(branch)?);
        }
        Ok(found)
    }

    /// Every branch with its patch or its error, for callers that accept partial results.
    ///
    /// # Errors
    /// If the branches cannot be listed.
    pub(crate) fn each(&self) -> Result<Vec<(Branch, Result<Option<Patch>>)>> {
        let branches = self.branches()?;
        Ok(branches.into_iter().map(|branch| (branch.clone(), self.patch(&branch))).collect())
    }

    /// The patch of the named branch; without a name, of the checked-out branch.
    ///
    /// # Errors
    /// Usage if no branch is named or checked out; refused if the branch is no patch.
    pub(crate) fn named(&self, name: Option<&str>) -> Result<Patch> {
        let branch = self.meant(name)?;
        self.patch(&branch)?.ok_or_else(|| {
            Error::refused(format!(
                "{} has no commit that {} lacks or lacked",
                echo(&branch.name),
                echo(&self.main.name)
            ))
            .because(Refusal::NothingLeft)
            .argv(["patch", "ls"])
            .hint("`yatsu-hook patch ls` lists the branches that have")
        })
    }

    fn meant(&self, name: Option<&str>) -> Result<Branch> {
        let branches = self.branches()?;
        let Some(name) = name else { return self.checked_out(branches) };
        let short = branches::short(name.as_bytes());
        let is_called = |branch: &&Branch| branch.name == name || branch.name == short || branch.is_remote_called(name);
        if let Some(branch) = branches.iter().find(is_called) {
            return Ok(branch.clone());
        }
        if short == self.main.name {
            return Err(self.is_main());
        }
        let names: Vec<&str> = branches.iter().map(|branch| &*branch.name).collect();
        let error = Error::refused(format!("there is no branch `{}`", echo(name)))
            .because(Refusal::Unknown)
            .argv(["patch", "ls"]);
        let near = near(name, &names);
        let error = near.iter().fold(error, |error, near| error.hint(format!("did you mean `{}`?", echo(near))));
        Err(if near.is_empty() { error.hint("`yatsu-hook patch ls` lists them") } else { error })
    }

    fn checked_out(&self, branches: Vec<Branch>) -> Result<Branch> {
        let Some(head) = &self.head else {
            let why = if self.repo.work_dir.is_none() { "a bare repository has none" } else { "none is checked out" };
            return Err(Error::usage(format!("no branch is named, and {why}"))
                .hint("name it: `yatsu-hook patch ls` lists them"));
        };
        let found = branches.into_iter().find(|branch| branch.full == *head);
        found.ok_or_else(|| self.is_main())
    }

    fn is_main(&self) -> Error {
        Error::usage(format!("{} is the main branch, which patches are meant for", echo(&self.main.name)))
            .hint("name another one: `yatsu-hook patch ls` lists them")
    }

    /// Whether `branch` is checked out here.
    fn is_here(&self, branch: &Branch) -> bool {
        self.head.as_ref() == Some(&branch.full)
    }
}

/// The tip of the local branch with the name of the remote branch `full`, if it is ahead of `commit`. In a clone with an
/// unpushed main, the other branches began on the local main. Compared with the remote's main, each would also touch all
/// that is unpushed.
fn local_ahead(repo: &Repo, full: &str, commit: &Oid) -> Result<Option<Oid>> {
    if !full.starts_with("refs/remotes/") {
        return Ok(None);
    }
    let local = format!("refs/heads/{}", branches::short(full.as_bytes()));
    match repo.find_ref(local.as_bytes())? {
        Some(tip) if tip != *commit && repo.leads_to(&tip, commit)? => Ok(Some(tip)),
        _ => Ok(None),
    }
}

/// Up to three of `names` that are similar to `name`.
fn near<'n>(name: &str, names: &[&'n str]) -> Vec<&'n str> {
    let lower = name.to_lowercase();
    let slip = nearest(name, names.iter().copied());
    let holds = names.iter().copied().filter(|known| {
        let known = known.to_lowercase();
        !lower.is_empty() && (known.contains(&lower) || lower.contains(&known))
    });
    let mut found: Vec<&str> = Vec::new();
    for near in slip.into_iter().chain(holds) {
        if found.len() < NEAR && !found.contains(&near) {
            found.push(near);
        }
    }
    found
}
