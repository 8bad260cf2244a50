//! The directory that a run works on, as it lies on disk. The commands check its artifacts before they end a phase or a
//! run. Links are not followed, so that nothing outside of the directory counts as an artifact.

use crate::app::judge::snapshot::ScoredContent;
use crate::app::site::{self, Site};
use crate::error::{Error, Result};
use crate::features::goals::JudgedState;
use crate::features::runlogs::judge::engine::artifacts::{NodeGoal, Target, matching_lines, unmet};
use crate::features::runlogs::judge::engine::facts::LogEnds;
use crate::features::runlogs::judge::engine::plan::PlanTarget;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::log_target::{has_goal_of, over_budget, readings_of, standing};
use crate::features::runlogs::model::place::{log_id, target_of};
use crate::features::runlogs::model::profile::{ArtifactRule, Headings};
use crate::model::config::Config;
use crate::model::node::Node;
use crate::sys;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Most entries of a directory that are read, subdirectories included.
const MOST_ENTRIES: usize = 200_000;

/// The state of the work tree, judged at the first question about goals, once for all logs.
pub(crate) type JudgedOnce<'a> = OnceCell<JudgedState<'a>>;

/// The target directory of one log on disk.
pub(crate) struct DiskTarget<'a> {
    site: &'a dyn Site,
    judged: &'a JudgedOnce<'a>,
    work_dir: PathBuf,
    dir: RepoPath,
    run: String,
    config: Config,
}

impl<'a> DiskTarget<'a> {
    /// The target of a log with this story.
    ///
    /// # Errors
    /// In a bare repository, and if the work tree cannot be read.
    pub(crate) fn of(site: &'a dyn Site, judged: &'a JudgedOnce<'a>, log: &RepoPath, story: &Story) -> Result<Self> {
        Ok(Self {
            site,
            judged,
            work_dir: site::work_dir(site)?.to_owned(),
            dir: target_of(log),
            run: story.run_id().map_or_else(|| log_id(log), |run| run.to_string()),
            config: site.config()?,
        })
    }

    /// The entry at a path of the target, if only directories lie on the way to it.
    fn about(&self, path: &RepoPath) -> Result<Option<(PathBuf, Metadata)>> {
        let Ok(at) = self.dir.join(path.as_bstr()) else { return Ok(None) };
        if !at.is_within(&self.dir) {
            return Ok(None);
        }
        let mut place = self.work_dir.clone();
        let mut found = None;
        for part in at.components() {
            if found.as_ref().is_some_and(|about: &Metadata| !about.is_dir()) {
                return Ok(None);
            }
            place.push(sys::in_tree(part));
            match place.symlink_metadata() {
                Ok(about) => found = Some(about),
                Err(error) if is_absence(error.kind()) => return Ok(None),
                Err(error) => return Err(unread(&at, &error)),
            }
        }
        Ok(found.map(|about| (place, about)))
    }
}

fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
}

fn unread(path: &RepoPath, error: &std::io::Error) -> Error {
    Error::unread(path, error)
}

impl Target for DiskTarget<'_> {
    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        Ok(self.about(path)?.filter(|(_, about)| about.is_file()).map(|(_, about)| about.len()))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        let Some((place, _)) = self.about(path)?.filter(|(_, about)| about.is_file()) else { return Ok(None) };
        std::fs::read(place).map(Some).map_err(|error| unread(path, &error))
    }

    fn below(&self, dir: &RepoPath) -> Result<Vec<RepoPath>> {
        let (mut open, mut files, mut seen) = (vec![dir.clone()], Vec::new(), 0_usize);
        while let Some(dir) = open.pop() {
            let place = if dir.is_root() && self.dir.is_root() {
                self.work_dir.clone()
            } else {
                match self.about(&dir)?.filter(|(_, about)| about.is_dir()) {
                    Some((place, _)) => place,
                    None => continue,
                }
            };
            for entry in std::fs::read_dir(place).map_err(|error| unread(&dir, &error))? {
                let entry = entry.map_err(|error| unread(&dir, &error))?;
                let kind = entry.file_type().map_err(|error| unread(&dir, &error))?;
                let path = dir.child(entry.file_name().as_encoded_bytes());
                seen += 1;
                if seen > MOST_ENTRIES {
                    return Err(Error::unchecked(format!("{dir} holds more than {MOST_ENTRIES} files"))
                        .hint("start the run with a target that holds fewer: yatsu-hook runlog start --help"));
                }
                if kind.is_file() {
                    files.push(path);
                } else if kind.is_dir() && entry.file_name() != ".git" {
                    open.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    fn is_untracked(&self, _path: &RepoPath) -> Result<bool> {
        Ok(false)
    }

    fn readings(&self) -> Result<u64> {
        Ok(self.site.nodes()?.iter().map(|node| readings_of(node, &self.run)).sum())
    }

    fn goals(&self) -> Result<Vec<NodeGoal>> {
        let wanted = |node: &Node| has_goal_of(node, &self.run);
        // judging the whole state is slow, and mostly no node is wanted
        if !self.site.nodes()?.iter().any(wanted) {
            return Ok(Vec::new());
        }
        if self.judged.get().is_none() {
            let _ = self.judged.set(JudgedState::load(self.site.repo()?, &ScoredContent::WorkTree)?);
        }
        self.judged.get().map_or(Ok(Vec::new()), |state| Ok(standing(state.judged(&wanted)?)))
    }
}

impl PlanTarget for DiskTarget<'_> {
    fn lacking(&self, rules: &[ArtifactRule]) -> Result<Vec<String>> {
        let is_count = |rule: &&ArtifactRule| matches!(rule, ArtifactRule::Count { .. });
        let rules: Vec<ArtifactRule> = rules.iter().filter(|rule| !is_count(rule)).cloned().collect();
        Ok(unmet(&rules, self, &LogEnds::default())?.into_iter().map(|unmet| unmet.what).collect())
    }

    fn headings(&self, headings: &Headings) -> Result<u64> {
        matching_lines(headings, self)
    }

    fn refusals(&self) -> Result<Vec<String>> {
        if self.config.budgets.is_unlimited() {
            return Ok(Vec::new());
        }
        Ok(over_budget(&self.site.nodes()?, &self.config.budgets, &self.run).into_iter().collect())
    }
}
