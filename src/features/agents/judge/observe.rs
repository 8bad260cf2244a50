//! Records an observation: a coding agent ran a command that scenarios declare. Input: the report of the harness. Output: a
//! line in the store, or nothing if no scenario declares exactly this command at the top of the work tree. Judges nothing:
//! `eval --observed` does.

use crate::app::record::eval::{MeasuredNow, stamped_now};
use crate::app::site::Site;
use crate::app::site::real::Real;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::agents::model::agent_event::{CallExit, ShellCall};
use crate::features::agents::model::observation::{
    Observation, ObservedOutput, ObservedScenario, VERSION, observed_test,
};
use crate::model::config::{Config, Observe};
use crate::model::ledger::{EvidenceHash, stamp_value};
use crate::model::node::{Declared, is_newer};
use crate::model::session::SessionHash;
use crate::model::workspace::{self, Select};
use crate::model::{ledger::Timestamp, scenario};
use crate::repo::Repo;
use crate::store::Store;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::store::ledger::look;
use crate::store::observations;
use crate::sys;
use crate::sys::MetadataExt;
use crate::text::secrets;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// How long the hook of an agent waits for a lock: its harness waits for the hook.
const WAIT: Duration = Duration::from_secs(1);
/// File systems take their times from a clock that may be this many milliseconds behind.
const COARSE_CLOCK: i64 = 20;
/// How much later than the end of a command the hook about it reads the clock, in milliseconds: the harness starts a shell,
/// and the shell this program. A file that changed as short before the command counts as changed meanwhile.
const LATE: i64 = 500;

/// Records `call` if a scenario declares its command. `session` is the harness's id of the session, `now` the time when the
/// report arrived.
///
/// # Errors
/// When the work tree cannot be read or the store cannot be written. Nothing was recorded then.
pub(crate) fn note(
    repo: &Repo,
    config: &Config,
    session: &str,
    harness: &str,
    call: &ShellCall,
    now: Timestamp,
) -> Result<()> {
    let top = repo.work_dir.as_deref().filter(|_| config.agents.observe == Observe::Declared);
    let Some((top, command)) = top.and_then(|top| Some((top, at_top(call, top)?))) else { return Ok(()) };
    let dirs = declaring(repo, config, command)?;
    if dirs.is_empty() {
        return Ok(());
    }
    let (site, Some(head)) = (Real::new(repo, RepoPath::root()), repo.head()?) else { return Ok(()) };
    let nodes = workspace::load(&*site.worktree()?, config.clone(), &Select::Dirs(dirs))?.nodes;
    let (mut scenarios, mut watched, mut is_named) = (Vec::new(), Watched::default(), true);
    for one in nodes.iter().flat_map(declared).filter(|one| one.scenario.test_command.as_deref() == Some(command)) {
        let measured = stamped_now(&site, &head, one.node, one.scenario)?;
        let ids = measured.stamp.as_ref().and_then(stamp_value);
        let test = measured.test.as_ref().and_then(observed_test);
        is_named &= ids.is_some() && (test.is_some() || one.scenario.test.is_none());
        scenarios.push(observed(one, ids.unwrap_or_default(), test.unwrap_or_default()));
        watched.add(one, measured);
    }
    if scenarios.is_empty() {
        return Ok(());
    }
    let began =
        call.duration_ms.and_then(|duration| i64::try_from(duration).ok()).map(|duration| now.millis - duration - LATE);
    // after the content was read: a file that changed since has a later time
    let steady = is_named && began.is_some_and(|began| watched.stood_still(top, began));
    let store =
        Store::new(&repo.common_dir).shared_by(repo.shared).with_wait(WAIT).of_newer_generation(is_newer(&nodes));
    let output = call.output.as_deref().map(|output| take_in(&store, config, output)).transpose()?;
    let new = Observation {
        v: VERSION,
        id: String::new(),
        ts: now,
        harness: harness.to_owned(),
        session: SessionHash::of(session.as_bytes()).to_string(),
        call: call.call.clone(),
        command: command.to_owned(),
        exit: match call.exit {
            CallExit::Code(code) => Some(code),
            CallExit::Unknown(_) => None,
        },
        steady,
        output,
        scenarios,
        is_genuine: true,
    }
    .sealed();
    observations::add(&store, &new.encode(), |lines| is_reported(lines, &new))
}

/// The places that must not change while a command runs.
#[derive(Default)]
struct Watched {
    paths: BTreeSet<RepoPath>,
    folders: BTreeSet<RepoPath>,
}

impl Watched {
    /// Adds the files that a reading of the scenario stamps: the governed ones and its test. A test that is emptied for one
    /// run and put back has a later time.
    fn add(&mut self, one: Declared<'_>, measured: MeasuredNow) {
        let tested = measured.test.into_iter().flat_map(|test| test.files);
        for (path, _) in measured.stamp.into_iter().flatten().chain(tested) {
            // a file of a governed directory that was deleted meanwhile is in no stamp: its directory changed
            let mut lists = governed(one.node, one.scenario).iter().chain(&one.scenario.test);
            if !lists.any(|entry| entry.path.as_ref() == Ok(&path)) {
                self.folders.insert(path.parent().unwrap_or_default());
            }
            self.paths.insert(path);
        }
        // the text that the reading will speak about
        self.paths.extend(one.node.file.as_ref().map(|file| file.path.clone()));
    }

    fn stood_still(&self, top: &Path, began: i64) -> bool {
        self.paths.iter().chain(&self.folders).all(|path| stood_still(top, path, began))
            && !was_renamed(top, &self.paths, began)
    }
}

/// Whether the call was reported already: two hooks may report one. A model server may use the name of a call again, so only
/// the newest line about the command counts: a fail, a pass and the same fail again are three calls.
fn is_reported(lines: &[&[u8]], new: &Observation) -> bool {
    let is_about = |known: &Observation| known.session == new.session && known.command == new.command;
    let newest = lines.iter().rev().filter_map(|line| Observation::read(line)).find(is_about);
    let is_same = |known: Observation| (known.call, known.exit) == (new.call.clone(), new.exit);
    new.call.is_some() && newest.is_some_and(|known| known.scenarios == new.scenarios && is_same(known))
}

/// The command without the blanks around it that a shell ignores.
pub(crate) fn trimmed(command: &str) -> &str {
    command.trim_matches([' ', '\t', '\n'])
}

/// The command, if it ran in `top`: by the directory of the shell, or by a leading `cd TOP && `.
fn at_top<'c>(call: &'c ShellCall, top: &Path) -> Option<&'c str> {
    let top = sys::canonical(top).ok()?;
    let is_top = |dir: &Path| dir.is_absolute() && sys::canonical(dir).is_ok_and(|dir| dir == top);
    let command = trimmed(&call.command);
    let moved = command.split_once(" && ").filter(|(first, _)| {
        // the shell reads these otherwise: after `cd /top #`, for example, the rest is a comment
        let is_plain = !first.contains(|c: char| c.is_control() || "$`~*?[]{}()<>|&;#!\\".contains(c));
        let words = shlex::split(first).filter(|_| is_plain).unwrap_or_default();
        matches!(&words[..], [cd, dir] if cd == "cd" && is_top(Path::new(dir)))
    });
    match moved {
        Some((_, command)) => Some(trimmed(command)),
        None => call.directory.as_deref().is_some_and(is_top).then_some(command),
    }
}

/// The directories of the tracked nodes with a scenario that declares `command`. Almost no command is declared, so only
/// scenario files are read, and parsed only if they hold such a key at all.
fn declaring(repo: &Repo, config: &Config, command: &str) -> Result<BTreeSet<RepoPath>> {
    // an index with a conflict names no files
    let (Ok(index), Some(top)) = (repo.index_view(), &repo.work_dir) else { return Ok(BTreeSet::new()) };
    let mut found = BTreeSet::new();
    for files in workspace::catalog(&*index, config)? {
        let Some((path, _)) = files.yatsu.or(files.eval) else { continue };
        let Some(bytes) = look(top, &path)?.filter(|bytes| bytes.contains_str("command")) else { continue };
        let file = scenario::parse(&path, &bytes, &config.scenario_tags);
        if file.scenarios.iter().any(|scenario| scenario.test_command.as_deref() == Some(command)) {
            found.insert(files.dir);
        }
    }
    Ok(found)
}

fn declared(node: &crate::model::node::Node) -> impl Iterator<Item = Declared<'_>> {
    node.scenarios().iter().map(move |scenario| Declared { node, scenario })
}

fn observed(
    Declared { node, scenario }: Declared<'_>,
    governed: BTreeMap<&str, String>,
    test: BTreeMap<String, String>,
) -> ObservedScenario {
    ObservedScenario {
        node: node.dir.to_string(),
        scenario: scenario.name.clone(),
        text: scenario.text_hash,
        governed: governed.into_iter().map(|(path, id)| (path.to_owned(), id)).collect(),
        test: Some(test),
    }
}

/// Whether the file did not change since `began`, by its times. The directory of an absent file says when it was deleted.
fn stood_still(top: &Path, path: &RepoPath, began: i64) -> bool {
    match top.join(sys::in_tree(path.as_bstr())).symlink_metadata() {
        Ok(about) => {
            let changed = millis(about.mtime(), about.mtime_nsec()).max(millis(about.ctime(), about.ctime_nsec()));
            changed < began - COARSE_CLOCK
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            !path.is_root() && stood_still(top, &path.parent().unwrap_or_default(), began)
        }
        Err(_) => false,
    }
}

/// Whether a directory above a path got another name since `began`: the files below it keep their times. For example, `mv new
/// src` gives `src/a.rs` other content, and only the time of `src` says so. A file written there later hides it.
fn was_renamed(top: &Path, paths: &BTreeSet<RepoPath>, began: i64) -> bool {
    let above: BTreeSet<RepoPath> = paths.iter().flat_map(|path| path.above()).collect();
    let place = |dir: &RepoPath| top.join(sys::in_tree(dir.as_bstr()));
    above.iter().filter_map(|dir| renamed_at(&place(dir))).any(|at| at >= began - COARSE_CLOCK)
}

/// When a directory got its name or its mode, in milliseconds, if its entries are older; `None` for anything else.
pub(crate) fn renamed_at(place: &Path) -> Option<i64> {
    let about = place.symlink_metadata().ok().filter(fs::Metadata::is_dir)?;
    let (named, written) = (millis(about.ctime(), about.ctime_nsec()), millis(about.mtime(), about.mtime_nsec()));
    (written < named).then_some(named)
}

fn millis(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000)
}

/// The output by its hash. With `yatsu.agents.keepOutput` the evidence cache gets the bytes, unless they hold a secret.
fn take_in(store: &Store, config: &Config, output: &[u8]) -> Result<ObservedOutput> {
    let kept = config.agents.keep_output && !output.is_empty() && secrets::find(output).is_empty();
    if kept {
        let source = Source::stream("the output", Box::new(Cursor::new(output.to_vec())));
        store.evidence().put(&store.share_evidence()?, source, Expect::Result)?;
    }
    Ok(ObservedOutput { sha256: EvidenceHash(Sha256::digest(output).into()), bytes: output.len() as u64, kept })
}
