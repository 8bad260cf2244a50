//! The merge driver for ledgers: `merge.yatsu-ledger.*` in the repository's configuration, and the attributes in
//! `info/attributes` of the common directory, so that no tracked file is written. A team that wants the driver in every
//! clone commits the two attribute lines in `.gitattributes` instead; the configuration is per clone in both cases.

use super::git::GitSetup;
use super::{DriverWish, InstallPlan, InstallStep, shim};
use crate::app::site;
use crate::app::site::setup_git::{GitScope, SetupGit};
use crate::error::{Error, Result};
use crate::names;
use crate::sys;
use crate::text::shell;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

const SECTION: &str = "merge.yatsu-ledger";
const NAME: &str = "merge.yatsu-ledger.name";
const DRIVER: &str = "merge.yatsu-ledger.driver";
const TITLE: &str = "yatsu ledgers: both sides' readings";

/// The attribute lines, with a marker line before them.
fn block() -> String {
    let [wide, narrow] = names::LEDGER_PATTERNS;
    format!(
        "# yatsu-hook merge driver: `yatsu-hook uninstall` removes these three lines\n\
         {wide} merge=yatsu-ledger\n\
         {narrow} merge=yatsu-ledger\n"
    )
}

/// Whether to set up the driver: always if the user asked for it; otherwise only if no attribute decides how ledgers merge.
pub(super) fn is_wanted(
    git: &dyn SetupGit,
    facts: &GitSetup,
    wish: DriverWish,
    plan: &mut InstallPlan,
) -> Result<bool> {
    let Some(top) = facts.top.as_ref().filter(|_| wish == DriverWish::Usual) else {
        return Ok(wish == DriverWish::Asked);
    };
    let ledger =
        first_ledger(git, top)?.unwrap_or_else(|| format!("x{}", names::LEDGER_PATTERNS[0].trim_start_matches('*')));
    let attribute = attribute(git, top, &ledger)?;
    let is_free = matches!(attribute.as_str(), "unspecified" | "yatsu-ledger");
    if !is_free {
        plan.notes.push(format!(
            "ledgers merge by `{attribute}` here, by an attribute of this repository: left as it is; \
             `yatsu-hook install --merge-driver` takes the driver for this clone"
        ));
    }
    Ok(is_free)
}

/// A tracked ledger: a trunk file if there is one, because a segment has one writer and merges anyhow.
pub(in crate::app) fn first_ledger(git: &dyn SetupGit, top: &Path) -> Result<Option<String>> {
    let is_trunk = |path: &&String| names::is_trunk(RepoPath::from_git(path.as_str()).name());
    let ledgers = ledgers(git, top, &["ls-files", "-z"])?;
    Ok(ledgers.iter().find(is_trunk).or(ledgers.first()).cloned())
}

/// How git's attributes say that `ledger` merges: the name of a driver, or `unspecified`.
pub(in crate::app) fn attribute(git: &dyn SetupGit, top: &Path, ledger: &str) -> Result<String> {
    let top = top.to_string_lossy();
    let said = git.run(&["-C", top.as_ref(), "check-attr", "-z", "merge", "--", ledger])?;
    Ok(String::from_utf8_lossy(said.split(|&byte| byte == 0).nth(2).unwrap_or_default()).into_owned())
}

/// The ledgers in the output of this git command.
fn ledgers(git: &dyn SetupGit, top: &Path, command: &[&str]) -> Result<Vec<String>> {
    let top = top.to_string_lossy();
    let [wide, narrow] = names::LEDGER_PATTERNS.map(|pattern| format!(":(top,glob)**/{pattern}"));
    let args = [&["-C", top.as_ref()], command, &["--", &wide, &narrow]].concat();
    let listed = git.run(&args)?;
    let paths = listed.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

/// Notes how to resolve ledgers that are already in conflict: the driver comes too late for them.
pub(super) fn note_conflicts(git: &dyn SetupGit, facts: &GitSetup, plan: &mut InstallPlan) -> Result<()> {
    let Some(top) = &facts.top else { return Ok(()) };
    // from the index alone: `git diff` would let filters look at the files
    let unmerged = ledgers(git, top, &["ls-files", "-z", "--unmerged"])?;
    let mut sides: BTreeMap<RepoPath, Vec<&str>> = BTreeMap::new();
    for line in &unmerged {
        // mode, id and stage, a tab, the path; a line for each stage
        let Some((about, path)) = line.split_once('\t') else { continue };
        sides
            .entry(RepoPath::from_git(path))
            .or_default()
            .extend(about.split(' ').nth(2).filter(|stage| *stage != "1"));
    }
    for (ledger, sides) in sides.iter().filter(|(path, _)| names::is_ledger(path.name())) {
        let (word, one) = (shell::place(ledger), site::one_sided(ledger));
        plan.notes.push(match sides.len() {
            2 => format!(
                "{ledger} is in conflict: `yatsu-hook repair` keeps the lines of both sides; then git add {word}"
            ),
            _ => format!("{}: {}", one.message, one.hints.join("; ")),
        });
    }
    Ok(())
}

/// Plans the missing settings.
pub(super) fn install(facts: &GitSetup, program: &str, plan: &mut InstallPlan) -> Result<()> {
    let driver = shim::merge_driver(program);
    for (key, value) in [(NAME, TITLE), (DRIVER, driver.as_str())] {
        if facts.here.settings.value(key) == Some(value) {
            continue;
        }
        let settings = &facts.here.settings;
        if let (Some(file), Some(unset)) = (settings.included(key), settings.unset_included(key)) {
            plan.notes.push(format!(
                "{} sets {key}, and git's configuration includes that file, so that a new value would lose: \
                 {unset} && yatsu-hook install --merge-driver",
                file.display()
            ));
        } else {
            let scope = facts.here.settings.deciding_file(key);
            plan.steps.push(InstallStep::set(scope, key, value.to_owned()));
        }
    }
    let file = attributes(&facts.common);
    let mut text = read(&file)?.unwrap_or_default();
    if position(&text).is_none() {
        if text.last().is_some_and(|&byte| byte != b'\n') {
            text.push(b'\n');
        }
        // at the end, because later lines win
        text.extend_from_slice(block().as_bytes());
        plan.steps.push(InstallStep::Write { mode: mode(&file), path: file, content: text });
    }
    Ok(())
}

/// Plans the removal of the driver and its attributes.
pub(super) fn remove(facts: &GitSetup, plan: &mut InstallPlan) -> Result<()> {
    for scope in [GitScope::Local, GitScope::Worktree] {
        if facts.here.settings.lines().any(|line| line.scope == scope && line.key.starts_with("merge.yatsu-ledger.")) {
            plan.steps.push(InstallStep::remove(scope, "--remove-section", SECTION));
        }
    }
    let file = attributes(&facts.common);
    let Some(mut text) = read(&file)? else { return Ok(()) };
    let Some(start) = position(&text) else { return Ok(()) };
    text.drain(start..start + block().len());
    plan.steps.push(match text.is_empty() {
        true => InstallStep::Remove(file),
        false => InstallStep::Write { mode: mode(&file), path: file, content: text },
    });
    Ok(())
}

fn attributes(common: &Path) -> PathBuf {
    sys::spelled(common.join("info/attributes"))
}

fn position(text: &[u8]) -> Option<usize> {
    text.find(block())
}

fn read(file: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::refused(format!("{} cannot be read: {error}", file.display()))
            .hint("check who owns it and that it is a file")),
    }
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(0o644, |metadata| sys::rights(&metadata) & 0o777)
}
