//! The page beside a log: opened before the log is touched, written after it. It never overwrites another file: a file
//! that this program reads, a run log, or a text with the same headings that was not rendered from a log.

use crate::app::site::{self, Site};
use crate::error::{Error, Refusal, Result};
use crate::features::runlogs::judge::engine::page::{name, render, would_lose};
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::find_runlog::word_of;
use crate::features::runlogs::model::place::{begins_like_a_log, place};
use crate::features::runlogs::model::profile::Profile;
use crate::names::{CONFIG_FILE, is_like_ours};
use crate::store::ledger::OpenLedger;
use crate::store::lock::LedgerLock;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;

/// The page of a log, open for writing.
pub(super) struct OpenPage<'l> {
    open: OpenLedger<'l>,
    path: RepoPath,
    before: Vec<u8>,
}

impl<'l> OpenPage<'l> {
    /// The page of `log`; `None` if its profile has none.
    ///
    /// # Errors
    /// Refused if the existing file is no page; also if it cannot be read.
    pub(super) fn open(
        site: &dyn Site,
        lock: &'l LedgerLock,
        log: &RepoPath,
        profile: &Profile,
    ) -> Result<Option<Self>> {
        let Some(path) = page_path(log, profile) else { return Ok(None) };
        let open = OpenLedger::open(lock, site::work_dir(site)?, &path)?;
        let before = open.read()?;
        refuse_other(site, log, &path, &before)?;
        Ok(Some(Self { open, path, before }))
    }

    /// Updates the page.
    ///
    /// # Errors
    /// If it could not be written.
    pub(super) fn write(self, profile: &Profile, story: &Story) -> Result<RepoPath> {
        let page = render(story, profile, Some(&self.before));
        if page != self.before {
            self.open.replace(&page)?;
        }
        Ok(self.path)
    }
}

/// The path of the page of a log; `None` if the profile has none.
pub(super) fn page_path(log: &RepoPath, profile: &Profile) -> Option<RepoPath> {
    let name = name(profile, &log.name().to_str_lossy())?;
    Some(log.parent().unwrap_or_default().child(name.as_bytes()))
}

/// Refuses to overwrite another file of the project with a page.
///
/// # Errors
/// Refused if `page` is such a file.
pub(super) fn refuse_other(site: &dyn Site, log: &RepoPath, page: &RepoPath, before: &[u8]) -> Result<()> {
    let refuse = |what: &str, hint: String| {
        let message = format!("{page} {what}, and is not overwritten with the page of {log}");
        Err(Error::refused(message)
            .because(Refusal::Exists)
            .hint("name another page in the profile of the log")
            .hint(hint))
    };
    let is_log = page == log || begins_like_a_log(before);
    if is_like_ours(page.name()) {
        refuse("is called as a file that this program reads", "or call the log otherwise".to_owned())
    } else if is_log || place(page, &site.config()?).is_some_and(|place| place.sure) {
        refuse("is a run log", format!("or see that no pattern of yatsu.runlogs in {CONFIG_FILE} is met by it"))
    } else if would_lose(before) {
        let what = "was not rendered from a log, and has sections that are called as those of a page are";
        refuse(what, format!("or move the file: git mv {} somewhere else", word_of(site, page)))
    } else {
        Ok(())
    }
}
