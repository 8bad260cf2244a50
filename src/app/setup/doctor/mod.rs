//! Checks whether the gate works. Input: the repository and its setup. Output: a list of [`Diagnosis`], each with the command
//! that repairs it. Never writes.

mod content;
mod hooks;
mod repair;

use super::install::git::GitSetup;
use super::install::{InstallRequest, is_configured, is_executable, merge_driver, shim};
use crate::app::judge::snapshot;
use crate::app::site::line_files;
use crate::app::site::setup_git::{GitScope, SetupGit};
use crate::error::{Error, Result};
use crate::finding::Verdict;
use crate::model::{glob, workspace};
use crate::repo::Repo;
use crate::report::view::{Diagnosis, Health};
use crate::store::evidence::{NEWER, OLDER, PARENT};
use crate::sys;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;
use std::path::Path;
use std::{fs, io};

/// Checks everything: the setup in git and on disk ([`setup`]), then the content of the repository. `repo` is the
/// repository as it was opened for reading, `more` what features examine in it.
pub(crate) fn examine(
    git: &dyn SetupGit,
    request: &InstallRequest,
    repo: &Result<Repo>,
    more: &dyn Fn(&Repo) -> Vec<Diagnosis>,
) -> Vec<Diagnosis> {
    let mut found = match setup(git, request, repo.as_ref().is_ok_and(takes_segments)) {
        Ok(found) => found,
        // This program's own error is clearer than git's.
        Err(error) => return vec![could_not_look(repo.as_ref().err().unwrap_or(&error))],
    };
    match repo {
        Ok(repo) => {
            found.extend(content::diagnose(repo));
            found.extend(more(repo));
        }
        Err(error) => found.push(could_not_look(error)),
    }
    found
}

/// Whether new readings go into segments. If that is unknown, the answer is no: then the merge driver is asked for.
fn takes_segments(repo: &Repo) -> bool {
    let asked = || -> Result<bool> {
        let view = snapshot::all(repo)?.view;
        let config = workspace::read_config(&*view)?;
        let is_newer =
            workspace::catalog(&*view, &config)?.iter().any(|node| node.yatsu.is_none() && node.eval.is_some());
        line_files::takes_segments(&config, is_newer, || repo.has_remote())
    };
    repo.work_dir.is_some() && asked().unwrap_or(false)
}

/// Checks the version, the hooks of each worktree, the depth, the merge driver, the evidence directory. Fails if git
/// cannot open the repository; any other failed check becomes a diagnosis.
pub fn setup(git: &dyn SetupGit, request: &InstallRequest, takes_segments: bool) -> Result<Vec<Diagnosis>> {
    let facts = GitSetup::gather(git, request)?;
    let mut found = vec![version(&facts)];
    found.extend(or_unknown(hooks::diagnose(git, &facts)));
    found.extend(or_unknown(depth(git).map(|one| vec![one])));
    found.extend(or_unknown(merging(git, &facts, takes_segments).map(Vec::from_iter)));
    found.extend(evidence(&facts.common));
    found.extend(both_systems(sys::is_shared_with_other_system(&facts.common)));
    Ok(found)
}

/// Whether some hook of this clone reaches the program. If that is unknown, the answer is yes.
pub(crate) fn is_hooked(git: &dyn SetupGit, request: &InstallRequest) -> bool {
    let found = GitSetup::gather(git, request).and_then(|facts| hooks::diagnose(git, &facts));
    found.map_or(true, |found| found.iter().any(|one| one.health != Health::Absent))
}

/// Pass if the gate works; fail if something is broken or not installed; unchecked if a check could not be made.
pub(crate) fn verdict(found: &[Diagnosis]) -> Verdict {
    match found.iter().map(|one| one.health).max() {
        None | Some(Health::Ok | Health::Advice) => Verdict::Pass,
        Some(Health::Absent | Health::Broken) => Verdict::Fail,
        Some(Health::Unknown) => Verdict::Unchecked,
    }
}

pub(crate) fn ok(what: impl Into<String>) -> Diagnosis {
    Diagnosis { health: Health::Ok, what: what.into(), repair: None }
}

pub(crate) fn advice(what: impl Into<String>, repair: impl Into<String>) -> Diagnosis {
    Diagnosis { health: Health::Advice, what: what.into(), repair: Some(repair.into()) }
}

pub(crate) fn broken(what: impl Into<String>, repair: impl Into<String>) -> Diagnosis {
    Diagnosis { health: Health::Broken, what: what.into(), repair: Some(repair.into()) }
}

/// A repository of another user is broken, because the repair is known; any other error is unknown.
fn could_not_look(error: &Error) -> Diagnosis {
    let repair = error.hints.first().map_or("mend what the message names, then run this again", String::as_str);
    let trust = error.hints.iter().any(|hint| hint.contains("safe.directory"));
    let health = if trust { Health::Broken } else { Health::Unknown };
    Diagnosis { health, what: error.message.clone(), repair: Some(repair.to_owned()) }
}

pub(crate) fn or_unknown(found: Result<Vec<Diagnosis>>) -> Vec<Diagnosis> {
    found.unwrap_or_else(|error| vec![could_not_look(&error)])
}

fn version(facts: &GitSetup) -> Diagnosis {
    let version = facts.version;
    if is_configured(&facts.here.settings, GitScope::Local) && !version.runs_config_hooks() {
        return broken(
            format!("the hooks live in git's configuration, which git {version} does not run"),
            "yatsu-hook install",
        );
    }
    match version.too_old() {
        Some(old) => broken(old, "update git"),
        None => ok(format!("git {version}")),
    }
}

fn depth(git: &dyn SetupGit) -> Result<Diagnosis> {
    let shallow = git.run(&["rev-parse", "--is-shallow-repository"])?.starts_with(b"true");
    Ok(if shallow {
        advice("this clone is shallow: what was before its cut is not here to compare with", "git fetch --unshallow")
    } else {
        ok("the history is complete")
    })
}

/// Windows and WSL on one repository: what one of them locks, the other one writes.
fn both_systems(are_there: bool) -> Option<Diagnosis> {
    are_there.then(|| {
        advice(
            "programs of Windows and of WSL can use this repository, and do not see each other's locks",
            "use this program from only one of them here",
        )
    })
}

/// No diagnosis without a ledger to merge.
fn merging(git: &dyn SetupGit, facts: &GitSetup, takes_segments: bool) -> Result<Option<Diagnosis>> {
    let Some(top) = &facts.top else { return Ok(None) };
    let Some(ledger) = merge_driver::first_ledger(git, top)? else { return Ok(None) };
    let attribute = merge_driver::attribute(git, top, &ledger)?;
    let driver = facts.here.settings.value("merge.yatsu-ledger.driver");
    Ok(Some(match (&*attribute, driver) {
        ("yatsu-ledger", Some(driver)) => runnable(driver),
        ("yatsu-ledger", None) => broken(
            "ledgers name the merge driver yatsu-ledger, which this clone does not have",
            "yatsu-hook install --no-hooks --merge-driver",
        ),
        ("union", _) => advice(
            "ledgers merge by git's union merge: a line that one branch redacted comes back from the other, and git says nothing",
            union_line(top, &ledger),
        ),
        _ if takes_segments => ok("parallel readings merge anywhere: each line of work has files of its own"),
        _ => advice(
            "parallel branches that both file readings will conflict in the ledger",
            "yatsu-hook install --no-hooks --merge-driver",
        ),
    }))
}

/// The line of the attributes that asks for union for this ledger, to be removed: of several that fit, git follows the last.
fn union_line(top: &Path, ledger: &str) -> String {
    let fits = |pattern: &str| {
        let whole =
            if pattern.contains('/') { pattern.trim_start_matches('/').to_owned() } else { format!("**/{pattern}") };
        glob::compile(&whole).is_ok_and(|matcher| glob::is_match(&matcher, &RepoPath::from_git(ledger)))
    };
    let is_union = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(fits) && words.any(|word| word == "merge=union")
    };
    let text = fs::read_to_string(top.join(".gitattributes")).unwrap_or_default();
    let numbered = text.lines().zip(1..).filter(|(line, _)| is_union(line)).last();
    match numbered {
        Some((line, number)) => format!("remove line {number} of .gitattributes: {}", echo(line)),
        None => "remove the attribute merge=union of ledgers: git check-attr merge FILE".to_owned(),
    }
}

/// The driver's command doubles percent signs, because git would read a single one as a placeholder.
fn runnable(driver: &str) -> Diagnosis {
    match shim::written_program(&driver.replace("%%", "%")) {
        Some(program) if !is_executable(Path::new(&program)) => advice(
            format!("the merge driver's {program} is gone; it is looked for in PATH, else ledgers conflict"),
            "yatsu-hook install --no-hooks --merge-driver",
        ),
        _ => ok("parallel readings merge by the ledger's merge driver"),
    }
}

/// The evidence directories that cannot be used. Their content is diagnosed with the readings. A missing one is no
/// fault: it is created when the first evidence is filed.
fn evidence(common: &Path) -> Vec<Diagnosis> {
    let dirs = [common.join(PARENT), common.join(PARENT).join(OLDER), common.join(PARENT).join(NEWER)];
    // paths below a file do not exist either, but the file itself is reported
    dirs.iter().filter(|dir| dir.parent().is_some_and(Path::is_dir)).filter_map(|dir| unusable(dir)).collect()
}

fn unusable(dir: &Path) -> Option<Diagnosis> {
    let error = fs::read_dir(dir).err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
    let word = shell::word(&dir.to_string_lossy());
    let repair = match error.kind() {
        io::ErrorKind::NotADirectory => format!("mv {word} {word}.aside"),
        _ => format!("chmod u+rwx {word}"),
    };
    Some(broken(format!("the evidence directory {} cannot be read: {error}", dir.display()), repair))
}

#[cfg(test)]
mod tests;
