//! Which files of a view are ours, by name and place alone: nothing is opened.

use crate::error::Result;
use crate::model::config::Config;
use crate::model::tree::{Entry, Kind, Tree};
use crate::repo::path::RepoPath;
use bstr::{BStr, ByteSlice};
use std::collections::{BTreeMap, BTreeSet};

/// A file of ours and what sits at its path.
pub type File = (RepoPath, Entry);

/// The files of ours in one directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeFiles {
    /// The directory.
    pub dir: RepoPath,
    /// `spec.md`.
    pub spec: Option<File>,
    /// `yatsu.md`.
    pub yatsu: Option<File>,
    /// `eval.md`, the newer name.
    pub eval: Option<File>,
    /// The ledgers, the older name first.
    pub ledgers: Vec<File>,
}

impl NodeFiles {
    /// Whether the directory is a node, and not merely where a ledger was left behind.
    pub fn is_node(&self) -> bool {
        self.spec.is_some() || self.yatsu.is_some() || self.eval.is_some()
    }
}

/// What a file name means to us.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Spec,
    Yatsu,
    Eval,
    OldLedger,
    NewLedger,
}

/// Every name that is ours somewhere.
pub const OUR_NAMES: [&str; 5] = ["spec.md", "yatsu.md", "eval.md", "yatsu.evals.ndjson", "evals.ndjson"];

impl Role {
    /// Names that are ours everywhere.
    fn everywhere(name: &BStr) -> Option<Self> {
        match name.as_bytes() {
            b"yatsu.md" => Some(Self::Yatsu),
            b"yatsu.evals.ndjson" => Some(Self::OldLedger),
            _ => None,
        }
    }

    /// Names that are ours under a root; elsewhere they are somebody else's.
    fn under_roots(name: &BStr) -> Option<Self> {
        match name.as_bytes() {
            b"spec.md" => Some(Self::Spec),
            b"eval.md" => Some(Self::Eval),
            b"evals.ndjson" => Some(Self::NewLedger),
            _ => None,
        }
    }
}

/// Every directory with files of ours, sorted, its contents unread. What sits at one of our names and is no regular
/// file is listed with its kind, a directory too.
///
/// # Errors
/// When the tree cannot be listed.
pub fn catalog(tree: &dyn Tree, config: &Config) -> Result<Vec<NodeFiles>> {
    let mut found: BTreeMap<RepoPath, BTreeMap<Role, File>> = BTreeMap::new();
    for (path, entry) in tree.files(&RepoPath::root(), &|path| ours(path, config).is_some())? {
        let Some((at, role)) = ours(&path, config) else { continue };
        let entry = if at == path { entry } else { Entry { kind: Kind::Dir, id: None } };
        found.entry(at.parent().unwrap_or_default()).or_default().entry(role).or_insert((at, entry));
    }
    Ok(found.into_iter().map(|(dir, files)| node_files(dir, files)).collect())
}

/// The same for these directories alone, asking for each of our names; `None` where a directory has one of them, which
/// only the whole catalog tells right.
///
/// # Errors
/// When the tree cannot be read.
pub fn catalog_of(tree: &dyn Tree, config: &Config, dirs: &BTreeSet<RepoPath>) -> Result<Option<Vec<NodeFiles>>> {
    let mut found = Vec::new();
    for dir in dirs {
        let mut files = BTreeMap::new();
        for name in OUR_NAMES {
            let path = dir.child(name.as_bytes());
            let Some(entry) = tree.entry(&path)? else { continue };
            if entry.kind == Kind::Dir {
                return Ok(None);
            }
            if let Some((at, role)) = ours(&path, config) {
                files.insert(role, (at, entry));
            }
        }
        if !files.is_empty() {
            found.push(node_files(dir.clone(), files));
        }
    }
    Ok(Some(found))
}

fn node_files(dir: RepoPath, mut files: BTreeMap<Role, File>) -> NodeFiles {
    NodeFiles {
        dir,
        spec: files.remove(&Role::Spec),
        yatsu: files.remove(&Role::Yatsu),
        eval: files.remove(&Role::Eval),
        ledgers: files.into_values().collect(),
    }
}

/// The path of ours that `path` is, or the directory on its way that has one of our names; and what it is to us.
fn ours(path: &RepoPath, config: &Config) -> Option<(RepoPath, Role)> {
    let found = match role(path, config) {
        Some(role) => (path.clone(), role),
        // hardly any path holds such a directory: look only where one of our endings is followed by a slash
        None if path.as_bstr().contains_str(".md/") || path.as_bstr().contains_str(".ndjson/") => {
            let above = std::iter::successors(path.parent(), RepoPath::parent);
            above.filter_map(|dir| role(&dir, config).map(|role| (dir, role))).last()?
        }
        None => return None,
    };
    (!config.exclude.covers(path)).then_some(found)
}

fn role(path: &RepoPath, config: &Config) -> Option<Role> {
    let name = path.name();
    Role::everywhere(name)
        .or_else(|| Role::under_roots(name).filter(|_| path.parent().is_some_and(|dir| config.root_of(&dir).is_some())))
}
