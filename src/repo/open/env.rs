//! Everything that is decided by the environment: the variables of git, of the hook frameworks and of this program, read
//! once into a plain value. So no other code asks the process, and tests can make an environment. Judges nothing.
//!
//! | variable | use | why |
//! |---|---|---|
//! | `GIT_DIR` | the repository; no search, no ownership check | git sets it in linked worktrees, submodules, pre-receive |
//! | `GIT_WORK_TREE`, `GIT_IMPLICIT_WORK_TREE` | the work tree; `0` means none | as git does |
//! | `GIT_COMMON_DIR` | where refs, objects, config are | as git does |
//! | `GIT_INDEX_FILE` | the judged index; relative to the top of the work tree, as git reads it | `commit -a` and partial
//! commits judge another file |
//! | `GIT_OBJECT_DIRECTORY`, `GIT_ALTERNATE_OBJECT_DIRECTORIES` | where objects are looked for | pre-receive's quarantine is
//! invisible without them |
//! | `GIT_QUARANTINE_PATH` | kept, and handed on to git | pushed objects wait there, and may be dropped |
//! | `GIT_CEILING_DIRECTORIES`, `GIT_DISCOVERY_ACROSS_FILESYSTEM` | end the search upwards | as git does |
//! | `GIT_NO_REPLACE_OBJECTS`, `GIT_REPLACE_REF_BASE`, `GIT_GRAFT_FILE` | not read, and not handed on | the objects
//! themselves are judged |
//! | `GIT_SHALLOW_FILE` | the list of shallow commits | receive-pack names another one |
//! | `GITHEAD_<id>` | a side of the merge in progress | a clean merge has no `MERGE_HEAD` in its hook |
//! | `GIT_TEST_ASSUME_DIFFERENT_OWNER` | every repository belongs to another user | git's own test switch; only makes us
//! stricter |
//! | `GIT_AUTHOR_NAME` | the name of the user who decides, measures or claims; empty is no name | as git does |
//! | `SUDO_UID` | the second trusted owner if we are root | as git does |
//! | `PRE_COMMIT*`, `PREK_HOOK_STAGE`, `SKIP`, `YATSU_HOOK` | nothing here: `cli` reads them with the arguments | they
//! describe the call, not the repository |
//! | `PATH` | where the git program is looked for | resolved once, never from the current directory |
//!
//! A variable that is set but empty counts as unset, except for `GIT_AUTHOR_NAME`.

use crate::repo::alternates;
use crate::sys;
use crate::tree::oid::Oid;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::rc::Rc;

/// The environment variables that affect a decision, with the variable's name in small letters. Paths are as given.
#[allow(missing_docs)] // the table above says what each variable is for
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env {
    pub git_dir: Option<PathBuf>,
    pub work_tree: Option<PathBuf>,
    /// `GIT_IMPLICIT_WORK_TREE` says that an explicit `GIT_DIR` has no work tree.
    pub no_implicit_work_tree: bool,
    pub common_dir: Option<PathBuf>,
    pub index_file: Option<PathBuf>,
    pub object_dir: Option<PathBuf>,
    /// `GIT_ALTERNATE_OBJECT_DIRECTORIES`, split and unquoted.
    pub alternates: Vec<PathBuf>,
    /// Whether `GIT_QUARANTINE_PATH` is set: the objects of a push may still be refused.
    pub quarantine: bool,
    /// `GIT_CEILING_DIRECTORIES`, split.
    pub ceilings: Vec<PathBuf>,
    pub across_filesystems: bool,
    pub shallow_file: Option<PathBuf>,
    /// The ids of all `GITHEAD_<id>`, sorted.
    pub git_heads: Vec<Oid>,
    pub assume_different_owner: bool,
    /// The user id of this process.
    pub euid: u32,
    pub sudo_uid: Option<u32>,
    /// Every variable, for the git program, which gets only the ones on its own list.
    pub all: Rc<[(OsString, OsString)]>,
}

impl Env {
    pub(crate) fn from_process() -> Self {
        let mut env = Self::from_vars(std::env::vars_os().map(|(name, value)| (sys::variable(name), value)));
        env.euid = sys::user();
        env
    }

    /// The environment made of these variables, for user id 0.
    pub fn from_vars(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut env = Self { all: vars.into_iter().collect(), ..Self::default() };
        for (name, value) in Rc::clone(&env.all).iter().filter(|(_, value)| !value.is_empty()) {
            env.take(name.as_encoded_bytes(), value);
        }
        env.git_heads.sort_unstable();
        env
    }

    /// `GIT_AUTHOR_NAME`, also if it is empty.
    pub(in crate::repo) fn author_name(&self) -> Option<&[u8]> {
        self.all.iter().find(|(name, _)| name == "GIT_AUTHOR_NAME").map(|(_, value)| value.as_encoded_bytes())
    }

    fn take(&mut self, name: &[u8], value: &OsStr) {
        match name {
            b"GIT_DIR" => self.git_dir = Some(value.into()),
            b"GIT_WORK_TREE" => self.work_tree = Some(value.into()),
            b"GIT_IMPLICIT_WORK_TREE" => self.no_implicit_work_tree = !is_true(value),
            b"GIT_COMMON_DIR" => self.common_dir = Some(value.into()),
            b"GIT_INDEX_FILE" => self.index_file = Some(value.into()),
            b"GIT_OBJECT_DIRECTORY" => self.object_dir = Some(value.into()),
            b"GIT_ALTERNATE_OBJECT_DIRECTORIES" => self.alternates = alternates::in_variable(value.as_encoded_bytes()),
            b"GIT_CEILING_DIRECTORIES" => self.ceilings = split_list(value.as_encoded_bytes()),
            b"GIT_DISCOVERY_ACROSS_FILESYSTEM" => self.across_filesystems = is_true(value),
            b"GIT_QUARANTINE_PATH" => self.quarantine = true,
            b"GIT_SHALLOW_FILE" => self.shallow_file = Some(value.into()),
            b"GIT_TEST_ASSUME_DIFFERENT_OWNER" => self.assume_different_owner = is_true(value),
            b"SUDO_UID" => self.sudo_uid = value.to_str().and_then(|uid| uid.parse().ok()),
            _ => self.git_heads.extend(name.strip_prefix(b"GITHEAD_").and_then(Oid::from_hex)),
        }
    }
}

/// git's reading of a boolean variable: anything except a plain "no" is true.
fn is_true(value: &OsStr) -> bool {
    !["0", "false", "no", "off"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

fn path_of(bytes: &[u8]) -> PathBuf {
    sys::native(bytes).into_owned().into()
}

fn split_list(list: &[u8]) -> Vec<PathBuf> {
    list.split(|byte| *byte == sys::LIST_SEPARATOR).filter(|part| !part.is_empty()).map(path_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &[(&str, &str)]) -> Env {
        Env::from_vars(vars.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn gits_variables_are_read() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let env = env(&[
            ("GIT_DIR", ".git"),
            ("GIT_INDEX_FILE", ".git/index"),
            (&format!("GITHEAD_{id}"), "side"),
            ("GITHEAD_nonsense", "x"),
            ("GIT_WORK_TREE", ""),
            ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "false"),
        ]);
        assert_eq!(env.git_dir, Some(".git".into()));
        assert_eq!(env.index_file, Some(".git/index".into()));
        assert_eq!(env.git_heads, [Oid::from_hex(id.as_bytes()).unwrap()]);
        assert!(env.work_tree.is_none() && !env.across_filesystems);
    }

    #[test]
    fn alternates_may_be_quoted() {
        let env = env(&[("GIT_ALTERNATE_OBJECT_DIRECTORIES", r#"/a:"/b:\"\303\251":/c"#)]);
        assert_eq!(env.alternates, [PathBuf::from("/a"), "/b:\"é".into(), "/c".into()]);
    }
}
