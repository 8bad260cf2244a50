//! Finds the run logs on disk, the profile of each, and the log that the user means.

use crate::app::site::{self, Site};
use crate::error::{Error, Result};
use crate::features::runlogs::judge::engine::facts::LogFacts;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::logs::profile;
use crate::features::runlogs::model::builtin;
use crate::features::runlogs::model::line::MAX_LINE;
use crate::features::runlogs::model::place::{begins_like_a_log, likely_profile, place};
use crate::features::runlogs::model::profile::Profile;
use crate::names::{RUN_ENDING, RUNS_DIR};
use crate::store::ledger::open_to_look;
use crate::sys;
use crate::text::escape::ECHO;
use crate::text::shell;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{BufReader, Read};
use std::path::Path;

pub(crate) type ToldLog = (Cow<'static, Profile>, Story);

/// How many bytes of a file are read to recognise a log: ten lines of the longest.
const HEAD: u64 = 10 * (MAX_LINE as u64 + 2);

/// Whether the path is an empty file. `repair` leaves one if a log was torn in its first line.
pub(crate) fn is_blank(work_dir: &Path, path: &RepoPath) -> bool {
    let about = work_dir.join(sys::in_tree(path.as_bstr())).symlink_metadata();
    about.is_ok_and(|about| about.is_file() && about.len() == 0)
}

/// The profile of a log: by its path, else by its content.
///
/// # Errors
/// Configuration if a profile of the project is missing or invalid.
pub(crate) fn profile_of(site: &dyn Site, path: &RepoPath, bytes: &[u8]) -> Result<Cow<'static, Profile>> {
    match place(path, &site.config()?) {
        Some(place) => profile(&*site.worktree()?, &place.profile),
        None => builtin::find(likely_profile(bytes)).map(Cow::Borrowed).ok_or_else(|| {
            Error::usage(format!("{path} is of no known profile"))
                .hint("say in yatsu.runlogs which one it has: yatsu-hook explain yatsu.runlogs")
        }),
    }
}

/// The profile and the story of the log at that path; `None` if it does not exist.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn story_of(site: &dyn Site, path: &RepoPath) -> Result<Option<ToldLog>> {
    let work_dir = site::work_dir(site)?;
    let Some(head) = head_of(work_dir, path)? else { return Ok(None) };
    let profile = profile_of(site, path, &head)?;
    let Some(file) = open_to_look(work_dir, path)? else { return Ok(None) };
    let story = Story::read(BufReader::new(file), &profile).map_err(|error| unreadable(path, &error))?;
    Ok(Some((profile, story)))
}

/// The beginning of a file, enough to recognise a log. A large file is not held whole.
fn head_of(work_dir: &Path, path: &RepoPath) -> Result<Option<Vec<u8>>> {
    let Some(file) = open_to_look(work_dir, path)? else { return Ok(None) };
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).map_err(|error| unreadable(path, &error))?;
    Ok(Some(head))
}

/// The run logs of a work tree, and files in their places that lack an `_index`.
#[derive(Default)]
pub(crate) struct FoundLogs {
    pub(crate) logs: Vec<RepoPath>,
    /// Facts about the files that only lack their `_index`.
    pub(crate) without_index: Vec<LogFacts>,
}

/// Every run log of the work tree.
///
/// # Errors
/// If the work tree cannot be read.
pub(crate) fn logs(site: &dyn Site) -> Result<Vec<RepoPath>> {
    Ok(found(site)?.logs)
}

/// The files in the places of run logs: those that git sees, and all in the runs directory, ignored or not.
///
/// # Errors
/// If the work tree cannot be read.
pub(crate) fn found(site: &dyn Site) -> Result<FoundLogs> {
    let (work_dir, config) = (site::work_dir(site)?, site.config()?);
    let files = site.worktree()?.files(&RepoPath::root(), &|path| place(path, &config).is_some())?;
    let mut paths: BTreeSet<RepoPath> = files.into_iter().map(|(path, _)| path).collect();
    for entry in std::fs::read_dir(work_dir.join(RUNS_DIR)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let path = RepoPath::parse(
            format!("{RUNS_DIR}/")
                .as_bytes()
                .iter()
                .chain(name.as_encoded_bytes())
                .copied()
                .collect::<Vec<u8>>()
                .as_slice(),
        );
        paths.extend(path.ok().filter(|_| name.as_encoded_bytes().ends_with(RUN_ENDING.as_bytes())));
    }
    let mut found = FoundLogs::default();
    for path in paths {
        let place = place(&path, &config);
        let Some(head) = head_of(work_dir, &path)? else { continue };
        if place.as_ref().is_some_and(|place| place.sure) || begins_like_a_log(&head) {
            found.logs.push(path);
        } else if let Some(place) = place {
            let profile = profile(&*site.worktree()?, &place.profile)?;
            found.without_index.extend(LogFacts::without_index(&path, &head, &profile));
        }
    }
    Ok(found)
}

/// The named log, else the log of the only open run; `None` without an open run.
///
/// # Errors
/// Usage if several runs are open.
pub(crate) fn meant(site: &dyn Site, named: Option<&RepoPath>) -> Result<Option<RepoPath>> {
    if let Some(path) = named {
        return Ok(Some(path.clone()));
    }
    let mut open = Vec::new();
    for path in logs(site)? {
        if story_of(site, &path)?.is_some_and(|(_, story)| story.is_open()) {
            open.push(path);
        }
    }
    if open.len() < 2 {
        return Ok(open.pop());
    }
    let error = Error::usage(format!("{} runs are open; name the log", open.len()));
    Err(open.iter().take(20).fold(error, |error, path| error.hint(word_of(site, path))))
}

/// As [`meant`], for commands that need a log.
///
/// # Errors
/// Also usage if no run is open.
pub(crate) fn needed(site: &dyn Site, named: Option<&RepoPath>) -> Result<RepoPath> {
    meant(site, named)?.ok_or_else(|| {
        Error::usage("no run is open").hint("start one: yatsu-hook runlog start").hint("all runs: yatsu-hook runlog ls")
    })
}

pub(crate) fn unreadable(path: &RepoPath, error: &std::io::Error) -> Error {
    Error::unread(path, error)
}

/// A file as an argument of a command, relative to the user's current directory.
pub(crate) fn argument_of(site: &dyn Site, path: &RepoPath) -> String {
    let text = path.seen_from(&site.here()).to_string();
    // a bare word such as `-a` or `a=b` would be taken for an option or a field
    let is_bare = !text.contains('/') && (text.starts_with('-') || text.contains('='));
    if is_bare { format!("./{text}") } else { text }
}

/// A file as a shell word for a command in a message. A very long name becomes the placeholder `FILE`.
pub(crate) fn word_of(site: &dyn Site, path: &RepoPath) -> String {
    let text = argument_of(site, path);
    if text.chars().count() > ECHO { "FILE".to_owned() } else { shell::word(&text) }
}
