//! One change of a run log: lock, read, judge, write once. The log and the new lines are judged together before anything
//! is written, so that these commands only write valid logs. The page beside the log is written last. The protocol is in
//! [`crate::store`].

use super::offer::line_to_type;
use super::page::OpenPage;
use crate::app::site::{self, Site};
use crate::error::{Error, Refusal, Result};
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::find_runlog::{self, unreadable};
use crate::features::runlogs::model::code::{LogCode, Violation};
use crate::features::runlogs::model::line::MAX_LINE;
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::Profile;
use crate::features::runlogs::model::write::NewEvent;
use crate::model::ledger::Timestamp;
use crate::store::ledger::{LineForm, OpenLedger};
use crate::store::lock::LedgerLock;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::borrow::Cow;

/// The form of a line of a run log.
const LINE: LineForm =
    LineForm { what: "a line of a run log", max: MAX_LINE, shorter: "write long texts to files and name those" };

/// A log as it stands under the lock.
pub(super) struct OpenedLog<'l> {
    lock: &'l LedgerLock,
    site: &'l dyn Site,
    open: OpenLedger<'l>,
    pub(super) path: RepoPath,
    /// The profile that its lines must follow.
    pub(super) profile: Cow<'static, Profile>,
    /// The whole file; empty if there is none.
    pub(super) bytes: Vec<u8>,
    pub(super) story: Story,
}

impl<'l> OpenedLog<'l> {
    /// Opens an existing log.
    ///
    /// # Errors
    /// Usage if the log does not exist; refused if it is being merged or has errors. A log with only its `_index` is
    /// accepted, so that the start of the run can still be appended.
    pub(super) fn open(site: &'l dyn Site, lock: &'l LedgerLock, path: &RepoPath) -> Result<Self> {
        let work_dir = site::work_dir(site)?;
        if !site::is_there(work_dir, path)? {
            let error = Error::usage(format!("there is no run log {path}"));
            let other = "name another one: yatsu-hook runlog ls";
            return Err(match line_to_type(site, Some(path)) {
                Ok(line) => error.hint(format!("start one: {line}")).hint(format!("or {other}")),
                Err(_) => error.hint(other),
            });
        }
        if site.is_unmerged(path)? {
            return Err(Error::refused(format!("{path} is being merged"))
                .because(Refusal::Invalid)
                .hint("a run log has one writer: keep one side, `git add` it, and finish the merge"));
        }
        let open = OpenLedger::open(lock, work_dir, path)?;
        let bytes = open.read()?;
        let profile = find_runlog::profile_of(site, path, &bytes)?;
        let story = Story::read(bytes.as_slice(), &profile).map_err(|error| unreadable(path, &error))?;
        refuse_unsound(site, path, &story)?;
        Ok(Self { lock, site, open, path: path.clone(), profile, bytes, story })
    }

    /// Prepares a new log and its directory.
    ///
    /// # Errors
    /// Refused if the path exists, unless it is an empty file.
    pub(super) fn make(
        site: &'l dyn Site,
        lock: &'l LedgerLock,
        path: &RepoPath,
        profile: Cow<'static, Profile>,
    ) -> Result<Self> {
        let work_dir = site::work_dir(site)?;
        if site::is_there(work_dir, path)? && !find_runlog::is_blank(work_dir, path) {
            return Err(occupied(site, path));
        }
        let open = OpenLedger::open_again(lock, work_dir, path)?;
        Ok(Self { lock, site, open, path: path.clone(), profile, bytes: Vec::new(), story: Story::default() })
    }

    /// The time of a line that is written now, never before the last one.
    pub(super) fn moment(&self, now: Timestamp) -> Moment {
        let now = Moment { seconds: now.millis.div_euclid(1000), nanos: 0 };
        self.story.run.last.map_or(now, |last| last.max(now))
    }

    /// Checks these events as if they were appended, and returns the story after them. Earlier errors are not reported
    /// again.
    ///
    /// # Errors
    /// Refused or usage, by the kind of the violation.
    pub(super) fn check(&self, events: &[NewEvent], at: Moment) -> Result<Story> {
        let mut text = self.bytes.clone();
        if text.last().is_some_and(|byte| *byte != b'\n') {
            text.push(b'\n');
        }
        for event in events {
            text.extend_from_slice(event.line(at).as_bytes());
            text.push(b'\n');
        }
        let after = Story::read_beyond(text.as_slice(), &self.profile, self.story.run.lines)
            .map_err(|error| unreadable(&self.path, &error))?;
        match after.beyond.first() {
            Some(violation) => Err(refusal(self.site, &self.path, violation)),
            None => Ok(after),
        }
    }

    /// Appends the events in one write, and updates the page, which is returned if the profile has one.
    ///
    /// # Errors
    /// As [`Self::check`]; also if the log could not be written, which leaves it as it was. Half done if only the page
    /// could not be written.
    pub(super) fn append(self, events: &[NewEvent], at: Moment) -> Result<Option<RepoPath>> {
        let after = self.check(events, at)?;
        // before the log is touched: after a failure the user tries again, and would append the events twice
        let page = OpenPage::open(self.site, self.lock, &self.path, &self.profile)
            .map_err(|error| error.context("nothing was appended"))?;
        let lines: Vec<String> = events.iter().map(|event| event.line(at)).collect();
        self.open.append_all(&lines, &LINE)?;
        page.map(|page| page.write(&self.profile, &after)).transpose().map_err(|error| {
            let done = format!("{}: appended {}, and its page could not be written", self.path, shown(events));
            let word = find_runlog::word_of(self.site, &self.path);
            // its own hints say to run the same command again, which would append the events twice
            Error { hints: Vec::new(), ..error }.half_done(done).hint(format!(
                "do not append it again: `yatsu-hook runlog progress {word}` writes the page once that is mended"
            ))
        })
    }
}

/// The names of events in a sentence.
fn shown(events: &[NewEvent]) -> String {
    events.iter().map(|event| echo(&event.name).into_owned()).collect::<Vec<_>>().join(", ")
}

fn refuse_unsound(site: &dyn Site, path: &RepoPath, story: &Story) -> Result<()> {
    if story.run.newer {
        return Err(Error::refused(format!(
            "{path} is of a newer format than this program knows; nothing is appended"
        ))
        .because(Refusal::Invalid)
        .hint("a newer yatsu-hook may know it"));
    }
    let Some(fault) = story.faults.first().filter(|_| !story.lacks_only_its_start()) else { return Ok(()) };
    let count = story.run.errors;
    let more = if count > 1 { format!(" (and {} more errors)", count - 1) } else { String::new() };
    let error = Error::refused(format!("{path}:{}: {}: nothing is appended{more}", fault.line, fault.message))
        .because(Refusal::Invalid)
        .argv(["runlog", "check", &find_runlog::argument_of(site, path)]);
    Err(match fault.code {
        LogCode::TornLine | LogCode::Concatenated => {
            error.hint("`yatsu-hook repair --dry-run` shows how it can be mended, `yatsu-hook repair` does it")
        }
        _ => error.hint(fault.help.clone()),
    }
    .hint(format!("everything that is wrong with it: yatsu-hook runlog check {}", find_runlog::word_of(site, path))))
}

/// The refusal of a new line: usage for a typed field, refused for the state of the run.
fn refusal(site: &dyn Site, path: &RepoPath, violation: &Violation) -> Error {
    let message = format!("{path}: {}", violation.message);
    match violation.code {
        LogCode::BadField | LogCode::IndexField | LogCode::DuplicateKey => {
            Error::usage(message).hint("FIELD=VALUE is a text; numbers and objects are typed FIELD:=JSON")
        }
        LogCode::AfterRunEnd | LogCode::RunEndDuplicate => {
            Error::refused(message).because(Refusal::Already).hint("an ended run is over: start another log")
        }
        LogCode::UndeclaredEvent => Error::refused(message).because(Refusal::Invalid).hint(violation.help.clone()),
        _ => {
            let word = find_runlog::word_of(site, path);
            Error::refused(message)
                .because(Refusal::NotMet)
                .argv(["runlog", "resume", &find_runlog::argument_of(site, path)])
                .hint(format!("where the run stands: yatsu-hook runlog resume {word}"))
        }
    }
}

fn occupied(site: &dyn Site, path: &RepoPath) -> Error {
    let word = find_runlog::word_of(site, path);
    let ended = find_runlog::story_of(site, path).ok().flatten().is_some_and(|(_, story)| !story.is_open());
    let error = Error::refused(format!("{path} is there")).because(Refusal::Exists);
    if ended {
        return error.hint(format!("its run ended: move it, git mv {word} somewhere else, and start again"));
    }
    error.hint(format!("go on with it: yatsu-hook runlog resume {word}"))
}
