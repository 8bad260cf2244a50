//! Whether the gate really stands: the repository and its setup in, a list of [`Diagnosis`] out, each with the line
//! that repairs it. Looks, never writes. What git and the disk tell is asked here; what needs the model is passed in.

mod hooks;

use super::install::Request;
use super::install::git::{Facts, Git, values};
use crate::error::Result;
use crate::model::source::Problem;
use crate::model::tree::{Anchor, History, MissingAnchor};
use crate::repo::oid::Oid;
use std::fs;
use std::io;
use std::path::Path;

/// How it stands with one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Ok,
    /// Works, with a loss that the user should know about.
    Warn,
    /// The gate does not do its work.
    Bad,
}

/// What was found about one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// How it stands.
    pub health: Health,
    /// What was looked at and what it is like, unescaped.
    pub what: String,
    /// What to do about it; there is one whenever it is not [`Health::Ok`].
    pub repair: Option<String>,
}

impl Diagnosis {
    fn ok(what: impl Into<String>) -> Self {
        Self { health: Health::Ok, what: what.into(), repair: None }
    }

    fn warn(what: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { health: Health::Warn, what: what.into(), repair: Some(repair.into()) }
    }

    fn bad(what: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { health: Health::Bad, what: what.into(), repair: Some(repair.into()) }
    }
}

/// A reading that counts, as far as its anchor is concerned.
#[derive(Clone, Debug)]
pub struct AnchoredReading {
    /// `<node>/<scenario>`.
    pub name: String,
    /// The commit it names.
    pub commit: Oid,
}

/// Everything that git and the disk can tell: access, version, the hooks of each worktree, depth, the merge driver, the
/// evidence directory. A repository that git refuses to open is one bad diagnosis, not an error.
pub fn repository(git: &dyn Git, request: &Request) -> Result<Vec<Diagnosis>> {
    let facts = match Facts::gather(git, request) {
        Ok(facts) => facts,
        Err(error) => return Ok(vec![unreadable(&request.here, &error)]),
    };
    let mut found = vec![version(&facts)];
    found.extend(hooks::diagnose(git, &facts)?);
    found.push(depth(git)?);
    found.extend(merge_driver(git, &facts)?);
    found.push(evidence(&facts.common));
    Ok(found)
}

/// One diagnosis for the configuration's problems each, or that there is none.
pub fn configuration(problems: &[Problem]) -> Vec<Diagnosis> {
    if problems.is_empty() {
        return vec![Diagnosis::ok("the configuration can be read as it stands")];
    }
    let said = |problem: &Problem| {
        Diagnosis::bad(format!("spexcode.json:{}: {}", problem.at.line, problem.message), problem.help.clone())
    };
    problems.iter().map(said).collect()
}

/// Readings whose commit is no longer (or not yet) here. Fails where history cannot be read.
pub fn anchors(readings: &[AnchoredReading], history: &dyn History) -> Result<Vec<Diagnosis>> {
    let mut found = Vec::new();
    for reading in readings {
        let name = format!("the reading of {} was measured at {}, which", reading.name, reading.commit.short());
        found.extend(match history.anchor(&reading.commit)? {
            Anchor::Tree(_) => None,
            Anchor::Missing(MissingAnchor::Shallow) => {
                Some(Diagnosis::warn(format!("{name} this shallow clone does not hold"), "git fetch --unshallow"))
            }
            Anchor::Missing(MissingAnchor::Pruned) => {
                Some(Diagnosis::warn(format!("{name} is gone"), "measure it again: yatsu-hook eval"))
            }
            Anchor::NotACommit => Some(Diagnosis::bad(format!("{name} is no commit"), "yatsu-hook retract, then eval")),
        });
    }
    if found.is_empty() {
        found.push(Diagnosis::ok(format!("every reading's commit is here ({} readings)", readings.len())));
    }
    Ok(found)
}

fn unreadable(here: &Path, error: &crate::error::Error) -> Diagnosis {
    let what = format!("git does not open this repository: {}", error.message);
    if error.message.contains("dubious ownership") || error.message.contains("safe.directory") {
        let here = super::install::shim::quote(&here.to_string_lossy());
        return Diagnosis::bad(what, format!("git config --global --add safe.directory {here}"));
    }
    let hint = error.hints.first().map_or("run yatsu-hook inside a git repository", String::as_str);
    Diagnosis::bad(what, hint)
}

fn version(facts: &Facts) -> Diagnosis {
    let version = facts.version;
    let configured = !values(&facts.local, "hook.yatsu-hook.command").is_empty();
    if configured && !version.runs_config_hooks() {
        return Diagnosis::bad(
            format!("the hooks live in git's configuration, which git {version} does not run"),
            "yatsu-hook install",
        );
    }
    Diagnosis::ok(format!("git {version}"))
}

fn depth(git: &dyn Git) -> Result<Diagnosis> {
    let shallow = git.run(&["rev-parse", "--is-shallow-repository"])?.starts_with(b"true");
    Ok(if shallow {
        Diagnosis::warn("this clone is shallow: readings of older commits cannot be judged", "git fetch --unshallow")
    } else {
        Diagnosis::ok("the history is complete")
    })
}

/// Nothing is said where there is no ledger to merge.
fn merge_driver(git: &dyn Git, facts: &Facts) -> Result<Option<Diagnosis>> {
    let Some(top) = &facts.top else { return Ok(None) };
    let top = top.to_string_lossy();
    let ledgers = [":(top,glob)**/*.evals.ndjson", ":(top,glob)**/evals.ndjson"];
    let listed = git.run(&[&["-C", top.as_ref(), "ls-files", "-z", "--"][..], &ledgers].concat())?;
    let Some(ledger) = listed.split(|&byte| byte == 0).next().filter(|path| !path.is_empty()) else { return Ok(None) };
    let ledger = String::from_utf8_lossy(ledger);
    let said = git.run(&["-C", top.as_ref(), "check-attr", "-z", "merge", "--", ledger.as_ref()])?;
    let attribute = said.split(|&byte| byte == 0).nth(2).unwrap_or_default();
    let configured = !values(&facts.local, "merge.yatsu-ledger.driver").is_empty();
    Ok(Some(match (attribute, configured) {
        (b"yatsu-ledger", true) => Diagnosis::ok("parallel readings merge by the ledger's merge driver"),
        (b"yatsu-ledger", false) => Diagnosis::bad(
            "ledgers name the merge driver yatsu-ledger, which this clone does not have",
            "yatsu-hook install --merge-driver",
        ),
        (b"union", _) => Diagnosis::ok("parallel readings merge by git's union merge"),
        _ => Diagnosis::warn(
            "parallel branches that both file readings will conflict in the ledger",
            "yatsu-hook install --merge-driver",
        ),
    }))
}

/// A missing directory is no fault: it is made when the first evidence is filed.
fn evidence(common: &Path) -> Diagnosis {
    let dir = common.join("spexcode/yatsu-blobs");
    match fs::read_dir(&dir) {
        Ok(_) => Diagnosis::ok(format!("evidence lies in {}", dir.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Diagnosis::ok("no evidence has been filed here"),
        Err(error) => Diagnosis::bad(
            format!("the evidence directory {} cannot be read: {error}", dir.display()),
            "make it a directory that you may read and write",
        ),
    }
}

#[cfg(test)]
mod tests;
