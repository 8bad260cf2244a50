//! Checks the files that the phases of a run must leave. A closed set of rules in; the unmet requirements out, each with
//! its remedy. All questions go through [`Target`], which a git view and the disk implement. A path that leaves the run's
//! directory counts as missing and is never looked up.

use super::facts::LogEnds;
use crate::error::{Error, Result};
use crate::features::runlogs::model::profile::{ArtifactRule, Headings};
use crate::model::glob;
use crate::text::escape::echo;
use crate::text::plural;
use crate::text::shell;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::BTreeSet;

/// The size limit of files that are searched for lines.
const MOST_SEARCHED: u64 = 64 << 20;
/// The number of different headings of one file that are followed.
const MOST_HEADINGS: usize = 10_000;

/// The directory of a run. Paths are relative to it.
pub trait Target {
    /// The size of a regular file; `None` for anything else, links included.
    fn size(&self, path: &RepoPath) -> Result<Option<u64>>;

    /// The content of a regular file.
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>>;

    /// The regular files below a directory, sorted.
    fn below(&self, dir: &RepoPath) -> Result<Vec<RepoPath>>;

    /// Whether a file is on disk and missing from the judged content.
    fn is_untracked(&self, path: &RepoPath) -> Result<bool>;

    /// The number of readings that belong to the run.
    fn readings(&self) -> Result<u64>;

    /// The nodes of the run's readings that have a goal, with its status.
    fn goals(&self) -> Result<Vec<NodeGoal>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGoal {
    /// The node, as typed on a command line.
    pub node: String,
    pub status: String,
}

/// A requirement of a run that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// The missing thing, as the end of a sentence that begins with the phase or run.
    pub what: String,
    /// The missing file, as the rule names it.
    pub path: Option<String>,
    /// Whether it is on disk and untracked.
    pub untracked: bool,
    /// Whether it is a number that no line of the log has, because its phase has not ended.
    pub uncounted: bool,
}

impl Unmet {
    /// A requirement that could not be judged.
    pub(crate) fn unknown(error: &Error) -> Self {
        Self::of(format!("it could not be judged: {error}"))
    }

    /// A requirement other than a file.
    pub(crate) fn of(what: String) -> Self {
        Self { what, path: None, untracked: false, uncounted: false }
    }
}

/// The unmet requirements of these rules, in their order.
///
/// # Errors
/// A needed file or directory cannot be read.
pub fn unmet(rules: &[ArtifactRule], target: &dyn Target, ends: &LogEnds) -> Result<Vec<Unmet>> {
    let asked = Asked { target, ends };
    let mut found = Vec::new();
    for rule in rules {
        asked.rule(rule, &mut found)?;
    }
    Ok(found)
}

/// The number of matching lines of a file; 0 if the file does not exist.
///
/// # Errors
/// The file exists and cannot be read.
pub fn matching_lines(headings: &Headings, target: &dyn Target) -> Result<u64> {
    Ok(Asked { target, ends: &LogEnds::default() }.matching(headings)?.len() as u64)
}

struct Asked<'a> {
    target: &'a dyn Target,
    ends: &'a LogEnds,
}

impl Asked<'_> {
    fn rule(&self, rule: &ArtifactRule, found: &mut Vec<Unmet>) -> Result<()> {
        match rule {
            ArtifactRule::File { .. } => self.file(rule, found),
            ArtifactRule::Glob { .. } => self.glob(rule, found),
            ArtifactRule::AllOf(rules) => rules.iter().try_for_each(|rule| self.rule(rule, found)),
            ArtifactRule::AnyOf(rules) => self.any_of(rules, found),
            ArtifactRule::WhenHeading { headings, then } => {
                if self.matching(headings)?.is_empty() {
                    return Ok(());
                }
                then.iter().try_for_each(|rule| self.rule(rule, found))
            }
            ArtifactRule::ForEachHeading { headings, files } => self.for_each(headings, files, found),
            ArtifactRule::Count { event, field, headings } => self.count(event, field, headings, found),
            ArtifactRule::Reading { min } => {
                let filed = self.target.readings()?;
                if filed < *min {
                    let wanted = plural(usize::try_from(*min).unwrap_or(usize::MAX), "reading");
                    found.push(Unmet::of(format!("{wanted} of this run must be filed, and {filed} are")));
                }
                Ok(())
            }
            ArtifactRule::Goal { status } => {
                let short = self.target.goals()?.into_iter().filter(|goal| goal.status != *status);
                found.extend(short.map(|goal| {
                    let (node, word) = (echo(&goal.node), shell::word(&goal.node));
                    let is = &goal.status;
                    Unmet::of(format!("the goal of {node} must be {status}, and is {is}: yatsu-hook goal check {word}"))
                }));
                Ok(())
            }
        }
    }

    fn file(&self, rule: &ArtifactRule, found: &mut Vec<Unmet>) -> Result<()> {
        let ArtifactRule::File { path, non_empty, min_lines, heading } = rule else { return Ok(()) };
        let Some((at, size)) = self.present(path, found)? else { return Ok(()) };
        let wrong = |what: String| Unmet { path: Some(path.clone()), ..Unmet::of(what) };
        if *non_empty && size == 0 {
            found.push(wrong(format!("{} is empty", echo(path))));
        }
        if min_lines.is_none() && heading.is_none() {
            return Ok(());
        }
        let text = self.searched(&at, size)?;
        let count = lines(&text).count() as u64;
        if let Some(least) = min_lines.filter(|least| count < *least) {
            found.push(wrong(format!("{} has {count} lines, and needs {least}", echo(path))));
        }
        if let Some(heading) = heading.as_ref().filter(|heading| !lines(&text).any(|line| heading.is_match(&line))) {
            found.push(wrong(format!("{} has no line that matches {}", echo(path), echo(heading.as_str()))));
        }
        Ok(())
    }

    /// The file at this path with its size; records an unmet requirement if it is missing.
    fn present(&self, path: &str, found: &mut Vec<Unmet>) -> Result<Option<(RepoPath, u64)>> {
        let at = RepoPath::parse(path.as_bytes()).ok().filter(|at| !at.is_root());
        let Some(at) = at else {
            let what = format!("{} leads out of the run's directory and is not looked for", echo(path));
            found.push(Unmet { path: Some(path.to_owned()), ..Unmet::of(what) });
            return Ok(None);
        };
        if let Some(size) = self.target.size(&at)? {
            return Ok(Some((at, size)));
        }
        let untracked = self.target.is_untracked(&at)?;
        let how = if untracked { "is untracked: git add it" } else { "is not there" };
        let what = format!("{} {how}", echo(path));
        found.push(Unmet { path: Some(path.to_owned()), untracked, ..Unmet::of(what) });
        Ok(None)
    }

    fn glob(&self, rule: &ArtifactRule, found: &mut Vec<Unmet>) -> Result<()> {
        let ArtifactRule::Glob { pattern, matcher, min, max, non_empty } = rule else { return Ok(()) };
        let Ok(pattern_path) = RepoPath::parse(pattern.as_bytes()) else {
            if *min > 0 {
                let what = format!("{} leads out of the run's directory and is not looked for", echo(pattern));
                found.push(Unmet::of(what));
            }
            return Ok(());
        };
        let mut count = 0_u64;
        for path in self.target.below(&glob::literal_base(&pattern_path))? {
            if glob::is_match(matcher, &path) && (!non_empty || self.target.size(&path)?.is_some_and(|size| size > 0)) {
                count += 1;
            }
        }
        let what = if *non_empty { "non-empty file" } else { "file" };
        let unmet = |least: &str, wanted: u64| {
            let wanted = plural(usize::try_from(wanted).unwrap_or(usize::MAX), what);
            Unmet::of(format!("{} must match at {least} {wanted}, and matches {count}", echo(pattern)))
        };
        if count < *min {
            found.push(unmet("least", *min));
        }
        if let Some(most) = max.filter(|most| count > *most) {
            found.push(unmet("most", most));
        }
        Ok(())
    }

    fn any_of(&self, rules: &[ArtifactRule], found: &mut Vec<Unmet>) -> Result<()> {
        let mut first: Option<Vec<Unmet>> = None;
        for rule in rules {
            let mut lacking = Vec::new();
            self.rule(rule, &mut lacking)?;
            if lacking.is_empty() {
                return Ok(());
            }
            first.get_or_insert(lacking);
        }
        // report only the first alternative, which profiles prefer; the others are fallbacks
        found.extend(first.unwrap_or_default());
        Ok(())
    }

    fn for_each(&self, headings: &Headings, files: &[String], found: &mut Vec<Unmet>) -> Result<()> {
        let mut names = BTreeSet::new();
        for line in self.matching(headings)? {
            let group = headings.regex.captures(&line).and_then(|captures| captures.get(1));
            names.extend(group.map(|group| group.as_str().to_owned()));
            if names.len() > MOST_HEADINGS {
                let what = format!("{} has more than {MOST_HEADINGS} headings to follow", headings.file);
                return Err(
                    Error::unchecked(what).hint("give the file fewer headings, or the profile a narrower pattern")
                );
            }
        }
        for name in &names {
            for file in files {
                self.present(&file.replace("{1}", name), found)?;
            }
        }
        Ok(())
    }

    fn count(&self, event: &str, field: &str, headings: &Headings, found: &mut Vec<Unmet>) -> Result<()> {
        let there = self.matching(headings)?.len();
        let file = echo(&headings.file);
        match self.ends.count(event, field) {
            None => {
                let what = format!("no {event} says {field}, and {file} has {there}");
                found.push(Unmet { uncounted: true, ..Unmet::of(what) });
            }
            Some(said) if usize::try_from(said) != Ok(there) => {
                found.push(Unmet::of(format!("{event} says {field} {said}, and {file} has {there}")));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The matching lines of a file; none if the file does not exist.
    fn matching(&self, headings: &Headings) -> Result<Vec<String>> {
        let Ok(path) = RepoPath::parse(headings.file.as_bytes()) else { return Ok(Vec::new()) };
        let Some(size) = self.target.size(&path)? else { return Ok(Vec::new()) };
        let text = self.searched(&path, size)?;
        Ok(lines(&text).filter(|line| headings.regex.is_match(line)).map(|line| line.into_owned()).collect())
    }

    fn searched(&self, path: &RepoPath, size: u64) -> Result<Vec<u8>> {
        if size > MOST_SEARCHED {
            return Err(Error::unchecked(format!("{path} is larger than {MOST_SEARCHED} bytes and was not searched"))
                .hint(
                    "lines are only counted in smaller files: split the artifact, or let the profile name another file",
                ));
        }
        Ok(self.target.read(path)?.unwrap_or_default())
    }
}

/// The lines of a text as people count them: a final line end starts no further line.
fn lines(text: &[u8]) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.lines().map(ByteSlice::to_str_lossy)
}

#[cfg(test)]
mod tests;
