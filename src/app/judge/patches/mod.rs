//! Patches: the branches of a repository as far as they are meant for its main branch, with the state of each. Derived from
//! refs, trees and ledgers at every question; nothing is stored. What is asked, what is known of all branches, and who is
//! meant by a name; one branch at a time is [`facts`]'s.

mod branches;
mod decisions;
mod facts;
mod rows;
mod states;

pub(crate) use branches::{Branch, is_alone};
pub(crate) use rows::row;

use crate::app::judge::remember;
use crate::app::judge::{branch, snapshot};
use crate::app::progress::{ProgressStep, Tell};
use crate::engine::anchors::Anchors;
use crate::engine::patch::Patch;
use crate::error::{Error, Refusal, Result};
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

/// So many near names are named.
const NEAR: usize = 3;

/// The main branch.
pub(crate) struct MainBranch {
    /// Its short name, for people and to tell it from other branches.
    pub(crate) name: String,
    /// Its tip.
    pub(crate) commit: Oid,
    /// What it holds.
    state: Rc<BaseState>,
}

/// The branches of a repository, and what is known of all of them.
pub(crate) struct Patches<'r> {
    repo: &'r Repo,
    /// The main branch.
    pub(crate) main: MainBranch,
    /// The nodes of the working tree; of a bare repository those of HEAD.
    workspace: Workspace,
    /// The full name of the branch that is checked out here.
    head: Option<BString>,
    anchors: Anchors,
    bases: BaseStates<'r>,
    merges: OnceCell<MergedFrom>,
    /// Every decision about any patch, of what is checked out here and of the main branch.
    decided: Vec<Decided>,
    known: RefCell<HashMap<TipKey, Rc<Known>>>,
}

impl<'r> Patches<'r> {
    /// The branches of `repo`; nothing where there is no main branch that they could be meant for.
    ///
    /// # Errors
    /// Usage where a main branch is named that is not here; unchecked where something cannot be read.
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

    /// The same for whoever cannot do without.
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

    /// Every patch, by name.
    ///
    /// # Errors
    /// Where something that is here cannot be read: of half the branches nobody can tell.
    pub(crate) fn all(&self, tell: Tell<'_>) -> Result<Vec<Patch>> {
        let branches = self.branches()?;
        let mut found = Vec::new();
        for (done, branch) in branches.iter().enumerate() {
            tell(ProgressStep::Count { what: "looking at branches", done: done + 1, of: branches.len() });
            found.extend(self.patch(branch)?);
        }
        Ok(found)
    }

    /// Every branch with the patch that it is, or why nobody can tell: for whoever can do without some of them.
    ///
    /// # Errors
    /// Where the branches cannot be listed.
    pub(crate) fn each(&self) -> Result<Vec<(Branch, Result<Option<Patch>>)>> {
        let branches = self.branches()?;
        Ok(branches.into_iter().map(|branch| (branch.clone(), self.patch(&branch))).collect())
    }

    /// The patch of a branch by its name; without one, of the branch that is checked out.
    ///
    /// # Errors
    /// Usage where none is named and none is checked out; refused where the name is no patch's.
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

    /// Whether `branch` is the one that is checked out here.
    fn is_here(&self, branch: &Branch) -> bool {
        self.head.as_ref() == Some(&branch.full)
    }
}

/// The tip of the local branch of the same name as this one of the remote, where it holds all of that and more. The branches
/// of a clone that has not pushed yet began on its own main branch: beside the remote's each would touch everything that is
/// new in both.
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

/// Up to three of `names` that may have been meant.
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
