//! The profiles that judge run logs. A project's own profile is a part of the gate and lies in the tree. The profiles of
//! the judged state and of each base all count, so that no change is judged only by its own profile.

use super::{Content, content};
use crate::error::{Error, Result};
use crate::features::runlogs::model::profile::Profile;
use crate::features::runlogs::model::settings::{ProfileName, RunLogSettings};
use crate::features::runlogs::model::weaker::lowered;
use crate::features::runlogs::model::{builtin, parse_profile};
use crate::model::config::Config;
use crate::names::CONFIG_FILE;
use crate::text::shell;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A profile with the content that a state has for it.
#[derive(Debug)]
pub(super) struct StandingProfile {
    pub(super) profile: Cow<'static, Profile>,
    /// The bytes of the profile's file, to distinguish profiles of the same name.
    source: Vec<u8>,
}

impl StandingProfile {
    pub(super) fn is(&self, other: &Self) -> bool {
        self.profile.name == other.profile.name && self.source == other.source
    }
}

/// The profiles of one state, each read once.
pub(super) struct Profiles<'t> {
    tree: &'t dyn Tree,
    known: BTreeMap<ProfileName, Rc<StandingProfile>>,
}

impl<'t> Profiles<'t> {
    pub(super) fn of(tree: &'t dyn Tree) -> Self {
        Self { tree, known: BTreeMap::new() }
    }

    /// The profile of that name.
    ///
    /// # Errors
    /// As [`profile`].
    pub(super) fn get(&mut self, name: &ProfileName) -> Result<Rc<StandingProfile>> {
        if let Some(known) = self.known.get(name) {
            return Ok(Rc::clone(known));
        }
        let (profile, source) = standing(self.tree, name)?;
        let read = Rc::new(StandingProfile { profile, source });
        self.known.insert(name.clone(), Rc::clone(&read));
        Ok(read)
    }
}

/// The profile of that name; a file profile is read from `view`.
///
/// # Errors
/// Configuration, when the profile does not exist or is not valid.
pub(crate) fn profile(view: &dyn Tree, name: &ProfileName) -> Result<Cow<'static, Profile>> {
    standing(view, name).map(|(profile, _)| profile)
}

fn standing(view: &dyn Tree, name: &ProfileName) -> Result<(Cow<'static, Profile>, Vec<u8>)> {
    let path = match name {
        ProfileName::BuiltIn(name) => {
            let known = builtin::find(name).map(|profile| (Cow::Borrowed(profile), Vec::new()));
            return known.ok_or_else(|| {
                Error::config(format!("there is no profile {name}"))
                    .hint(format!("one of {}, or a file", builtin::names().join(", ")))
            });
        }
        ProfileName::File(path) => path,
    };
    let Some(Content::Bytes(bytes)) = content(view, path)? else {
        let message = format!("{CONFIG_FILE} names {path} as a profile in yatsu.runlogs, and there is no such file");
        return Err(Error::config(message).hint(format!("git add -- {}, or name another one", shell::place(path))));
    };
    Ok((Cow::Owned(parse_profile(&path.to_string(), &bytes)?), bytes))
}

/// The files that these configurations name as profiles.
pub(super) fn files<'c>(configs: impl IntoIterator<Item = &'c Config>) -> BTreeSet<&'c RepoPath> {
    let entries = configs.into_iter().flat_map(|config| &config.of::<RunLogSettings>().entries);
    entries
        .filter_map(|entry| match &entry.profile {
            ProfileName::File(path) => Some(path),
            ProfileName::BuiltIn(_) => None,
        })
        .collect()
}

/// The requirements that the profiles named by `config` have in `then` and no longer in `now`, each with its file.
pub(super) fn weakened(config: &Config, then: &dyn Tree, now: &dyn Tree) -> Vec<(RepoPath, String)> {
    let mut found = Vec::new();
    for path in files([config]) {
        let name = ProfileName::File(path.clone());
        // a missing or invalid profile is reported as an error where it judges a log
        if let (Ok(old), Ok(new)) = (profile(then, &name), profile(now, &name)) {
            found.extend(lowered(&old, &new).into_iter().map(|sentence| (path.clone(), sentence)));
        }
    }
    found
}
