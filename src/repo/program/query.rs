//! The questions to git, each one a run of git.

use super::config::ScopedConfig;
use super::{Answer, Git, GitConfig, parse};
use crate::error::{Error, Result};
use crate::names::{LEDGER_GLOB, NEWER_LEDGER};
use crate::repo::change::PathChange;
use crate::repo::native::index::Tracked;
use crate::repo::native::trees::empty_tree;
use crate::repo::non_code_refs::{is_unjudged, unjudged_patterns};
use crate::sys;
use crate::tree::Ignored;
use crate::tree::oid::{HashKind, Oid};
use crate::tree::path::RepoPath;
use bstr::{BString, ByteSlice};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;

/// Parameters of the question which commits a push brings.
#[derive(Clone, Debug, Default)]
pub struct NewCommits {
    /// The pushed tips: commits or tags of commits.
    pub tips: Vec<Oid>,
    /// Commits that the other side has; all of them must exist here.
    pub known: Vec<Oid>,
    /// The name of the remote, if it has one: commits on its tracking branches are left out too.
    pub remote: Option<String>,
    /// Whether this repository receives the push, so that every commit reachable from its refs is known.
    pub all_refs: bool,
}

/// A commit that a push brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    /// The id of the commit.
    pub id: Oid,
    /// Its parents in order; none where a shallow clone was cut.
    pub parents: Vec<Oid>,
    /// Its tree, if it was read.
    pub tree: Option<Oid>,
}

impl Git {
    /// The staged changes against `base`, a commit or a tree; against the empty tree if `None` (a branch without a commit).
    /// Intent-to-add entries count as absent, as in a commit. Sorted by path.
    pub fn staged(&self, base: Option<&Oid>) -> Result<Vec<PathChange>> {
        let base = base.copied().map_or_else(|| self.hash_kind().map(empty_tree), Ok)?.to_string();
        // without --ignore-submodules=none a .gitmodules with `ignore = all` would hide a staged submodule
        let mut arguments = vec!["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev"];
        arguments.extend(["--ita-invisible-in-index", "--ignore-submodules=none", &base, "--"]);
        parse::raw_changes(&self.demand(&arguments)?)
    }

    /// Every entry of the index, sparse directories expanded, sorted by path and stage.
    pub fn index_entries(&self) -> Result<Vec<Tracked>> {
        parse::index_entries(&self.demand(&["ls-files", "--stage", "-v", "--debug", "-z"])?)
    }

    /// The untracked files at or below `dir` that git does not ignore, sorted by path. Without files in nested repositories.
    pub fn untracked(&self, dir: &RepoPath) -> Result<Vec<RepoPath>> {
        let below = if dir.is_root() { &[][..] } else { std::slice::from_ref(dir) };
        let output = self.demand(&with_paths(&["ls-files", "--others", "--exclude-standard", "-z"], below))?;
        let paths = output.split_str("\0").filter(|path| !path.is_empty() && !path.ends_with(b"/"));
        let mut paths: Vec<RepoPath> = paths.map(RepoPath::from_git).collect();
        paths.sort();
        Ok(paths)
    }

    /// The sides of resolved conflicts that the index remembers: paths and blobs.
    pub(crate) fn resolved_conflicts(&self) -> Result<Vec<(RepoPath, Oid)>> {
        parse::resolved_conflicts(&self.demand(&["ls-files", "--resolve-undo", "-z"])?)
    }

    /// The objects with ids that begin with these hex digits, at least four.
    pub(crate) fn starting_with(&self, hex: &str) -> Result<Vec<Oid>> {
        self.demand(&["rev-parse", &format!("--disambiguate={hex}")])?
            .lines()
            .map(|id| one_id("rev-parse", id))
            .collect()
    }

    /// The ones of `paths` that git ignores, each with the deciding rule, which is the last match. A path that a `!` rule
    /// re-includes is left out.
    pub(crate) fn ignored(&self, paths: &[RepoPath]) -> Result<Vec<Ignored>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        // check-ignore does not support literal pathspecs; `./` keeps a path from being read as pathspec magic
        let asked: Vec<u8> = paths.iter().flat_map(|path| [b"./", path.as_bstr().as_bytes(), b"\0"].concat()).collect();
        let answer = self.ask_with(&["--no-literal-pathspecs", "check-ignore", "-v", "-z", "--stdin"], asked)?;
        match answer.code {
            // 1: none of them is ignored
            Some(0 | 1) => parse::ignored(&answer.out),
            _ => Err(self.failure(&answer)),
        }
    }

    /// The object of a revision, or `None` if there is none. A revision that looks like an option has none.
    pub fn rev_parse(&self, revision: &str) -> Result<Option<Oid>> {
        if revision.starts_with('-') {
            return Ok(None);
        }
        let answer = self.ask(&["rev-parse", "--verify", "--quiet", revision])?;
        self.found(answer)?.map(|id| one_id("rev-parse", &id)).transpose()
    }

    /// The output; `None` if git found nothing: exit code 1.
    pub(super) fn found(&self, answer: Answer) -> Result<Option<Vec<u8>>> {
        match answer.code {
            Some(0) => Ok(Some(answer.out)),
            Some(1) => Ok(None),
            _ => Err(self.failure(&answer)),
        }
    }

    /// The commit of a revision, tags peeled.
    pub fn commit_of(&self, revision: &str) -> Result<Option<Oid>> {
        self.rev_parse(&format!("{revision}^{{commit}}"))
    }

    /// All best common ancestors, in the order of `git merge-base`, which prints only the first one without `--all`.
    pub fn merge_bases(&self, one: &Oid, other: &Oid) -> Result<Vec<Oid>> {
        let answer = self.ask(&["merge-base", "--all", &one.to_string(), &other.to_string()])?;
        if answer.code == Some(1) && !answer.err.is_empty() {
            return Err(self.failure(&answer));
        }
        self.found(answer)?.unwrap_or_default().lines().map(|id| one_id("merge-base", id)).collect()
    }

    /// The commits of a push that the other side does not have yet, parents before children.
    pub fn rev_list(&self, wanted: &NewCommits) -> Result<Vec<NewCommit>> {
        if wanted.tips.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = String::new();
        wanted.tips.iter().for_each(|tip| input += &format!("{tip}\n"));
        wanted.known.iter().for_each(|known| input += &format!("^{known}\n"));
        let mut arguments: Vec<String> =
            ["rev-list", "--topo-order", "--reverse", "--parents", "--stdin"].map(str::to_owned).into();
        // git forgets the excludes after each `--all` or similar option, so they are repeated
        let left_out = || unjudged_patterns().into_iter().map(|pattern| format!("--exclude={pattern}"));
        if wanted.all_refs {
            arguments.push("--not".into());
            arguments.extend(left_out().chain(self.unjudged_aliases()?));
            arguments.extend(["--all".into(), "--not".into()]);
        }
        if let Some(remote) = wanted.remote.as_deref().filter(|remote| is_remote_name(remote)) {
            arguments.push("--not".into());
            arguments.extend(left_out());
            arguments.extend([format!("--remotes={remote}"), "--not".into()]);
        }
        let answer = self.refuse_failure(self.ask_with(&arguments, input.into_bytes())?)?;
        answer.out.lines().map(new_commit).collect()
    }

    /// Options that exclude symbolic refs to refs without code from `--all`.
    fn unjudged_aliases(&self) -> Result<Vec<String>> {
        let refs = self.each_ref("symref")?.into_iter().filter(|(target, _)| is_unjudged(target));
        let mut aliases: Vec<String> = refs.map(|(_, name)| format!("--exclude={}", name.to_str_lossy())).collect();
        let head = self.symbolic_ref(b"HEAD")?.filter(|target| is_unjudged(target));
        aliases.extend(head.map(|_| "--exclude=HEAD".to_owned()));
        Ok(aliases)
    }

    /// The newest commit in the history of `tip` that was made at `date` or before; `None` without one in this clone.
    pub(crate) fn newest_until(&self, tip: &Oid, date: i64) -> Result<Option<Oid>> {
        let (tip, date) = (tip.to_string(), format!("--min-age={date}"));
        let answer = self.demand(&["rev-list", "--max-count=1", &date, &tip, "--"])?;
        answer.lines().next().map(|id| one_id("rev-list", id)).transpose()
    }

    /// Every merge in the history of `tip`, the newest first.
    pub(crate) fn merges(&self, tip: &Oid) -> Result<Vec<NewCommit>> {
        let tip = tip.to_string();
        let answer = self.demand(&["rev-list", "--topo-order", "--merges", "--parents", &tip, "--"])?;
        answer.lines().map(new_commit).collect()
    }

    /// The ones of `commits` that no other one descends from.
    pub fn independent(&self, commits: &[Oid]) -> Result<Vec<Oid>> {
        let mut arguments = vec!["merge-base".to_owned(), "--independent".into()];
        arguments.extend(commits.iter().map(Oid::to_string));
        self.demand(&arguments)?.lines().map(|line| one_id("merge-base", line)).collect()
    }

    /// For each commit in `from..to` that changed files at or below `paths`, the files that it changed there; `None` if
    /// there are more than `most` such commits. A merge changed the files that differ from all its parents.
    pub(crate) fn touching(
        &self,
        (from, to): (&Oid, &Oid),
        paths: &[RepoPath],
        most: usize,
    ) -> Result<Option<Vec<Vec<RepoPath>>>> {
        let (limit, range) = (format!("--max-count={}", most + 1), format!("{from}..{to}"));
        let list = ["rev-list", &limit, &range];
        let commits = self.demand(&with_paths(&list, paths))?;
        let ids: HashSet<&[u8]> = commits.lines().collect();
        if ids.len() > most {
            return Ok(None);
        }
        let names = ["diff-tree", "--stdin", "--root", "-r", "-c", "-z", "--name-only", "--no-renames"];
        let answer = self.refuse_failure(self.ask_with(&with_paths(&names, paths), commits.clone())?)?;
        let mut changed: Vec<Vec<RepoPath>> = Vec::new();
        for word in answer.out.split_str("\0").filter(|word| !word.is_empty()) {
            match changed.last_mut() {
                Some(files) if !ids.contains(word) => files.push(RepoPath::from_git(word)),
                _ => changed.push(Vec::new()),
            }
        }
        Ok(Some(changed))
    }

    /// The commits behind `tip` and not behind `excluded` that changed `paths`, as `git log` simplifies history, newest first.
    /// `None` if there are more than `most`.
    pub(crate) fn log(&self, tip: &Oid, excluded: &[Oid], paths: &[RepoPath], most: usize) -> Result<Option<Vec<Oid>>> {
        let ids: Vec<String> = excluded.iter().map(|id| format!("^{id}")).chain([tip.to_string()]).collect();
        self.listed(&ids, paths, most)
    }

    /// The commits behind `tip` that changed a file of the ledger in `home`, newest first, without git's simplification: also
    /// commits of merged branches that brought a file and took it away. `None` if there are more than `most`.
    pub(crate) fn ledger_log(&self, tip: &Oid, home: &RepoPath, most: usize) -> Result<Option<Vec<Oid>>> {
        // the names of segments that are gone are not known, so a pattern stands for them
        let mut pattern = Vec::new();
        for byte in home.child(b"").as_bstr().iter() {
            pattern.extend(b"*?[\\".contains(byte).then_some(b'\\'));
            pattern.push(*byte);
        }
        let files = [LEDGER_GLOB, NEWER_LEDGER].map(|name| {
            let path = [&pattern, name.as_bytes()].concat();
            let mut spec = OsString::from(":(top,glob)");
            spec.push(sys::native(path.as_bstr()));
            spec
        });
        let (limit, tip) = (format!("--max-count={}", most + 1), tip.to_string());
        let words = ["--no-literal-pathspecs", "rev-list", "--topo-order", &limit, "--full-history", &tip, "--"]
            .map(OsString::from);
        self.commits_of(&[&words[..], &files].concat(), most)
    }

    fn listed(&self, words: &[String], paths: &[RepoPath], most: usize) -> Result<Option<Vec<Oid>>> {
        let limit = format!("--max-count={}", most + 1);
        let mut list = vec!["rev-list", "--topo-order", &limit];
        list.extend(words.iter().map(String::as_str));
        self.commits_of(&with_paths(&list, paths), most)
    }

    fn commits_of<T: AsRef<OsStr>>(&self, list: &[T], most: usize) -> Result<Option<Vec<Oid>>> {
        let output = self.demand(list)?;
        let commits: Vec<Oid> = output.lines().map(|id| one_id("rev-list", id)).collect::<Result<_>>()?;
        Ok((commits.len() <= most).then_some(commits))
    }

    /// The id of the ref of this full name, not peeled.
    pub(crate) fn find_ref(&self, name: &[u8]) -> Result<Option<Oid>> {
        self.rev_parse(&name.to_str_lossy())
    }

    /// The target of the symbolic ref with this full name; `None` if it is not symbolic.
    pub(crate) fn symbolic_ref(&self, name: &[u8]) -> Result<Option<BString>> {
        let answer = self.ask(&["symbolic-ref", "--quiet", &name.to_str_lossy()])?;
        Ok(self.found(answer)?.map(|target| target.trim_end().into()))
    }

    /// One field of every ref (git-for-each-ref, "FIELD NAMES"), and the ref's full name, sorted by name.
    fn each_ref(&self, field: &str) -> Result<Vec<(BString, BString)>> {
        let output = self.demand(&["for-each-ref", &format!("--format=%({field}) %(refname)")])?;
        let split = output.lines().map(|line| line.split_once_str(" ").unwrap_or((line, b"")));
        Ok(split.map(|(field, name)| (field.into(), name.into())).collect())
    }

    /// The names of all symbolic refs with an existing target; git does not list the others.
    pub(crate) fn symbolic_refs(&self) -> Result<Vec<BString>> {
        let refs = self.each_ref("symref")?.into_iter();
        Ok(refs.filter(|(target, _)| !target.is_empty()).map(|(_, name)| name).collect())
    }

    /// All refs with a full name that begins with `prefix`, sorted by name, not peeled.
    pub(crate) fn list_refs(&self, prefix: &[u8]) -> Result<Vec<(BString, Oid)>> {
        let refs = self.each_ref("objectname")?.into_iter().filter(|(_, name)| name.starts_with(prefix));
        refs.map(|(id, name)| Ok((name, one_id("for-each-ref", &id)?))).collect()
    }

    /// The hash of the repository's object ids.
    pub fn hash_kind(&self) -> Result<HashKind> {
        let output = self.demand(&["rev-parse", "--show-object-format"])?;
        match output.trim_end() {
            b"sha1" => Ok(HashKind::Sha1),
            b"sha256" => Ok(HashKind::Sha256),
            other => Err(Error::unchecked(format!("the repository uses an unknown hash: {}", other.as_bstr()))
                .hint("sha1 and sha256 are known: update yatsu-hook")),
        }
    }

    /// Fails if git does not trust the owner of the repository. Whether git may use a bare repository without a name is not
    /// checked here.
    pub(crate) fn check_trust(&self) -> Result<()> {
        self.demand(&["-c", "safe.bareRepository=all", "rev-parse", "--git-dir"]).map(drop)
    }

    /// The output of `git var GIT_AUTHOR_IDENT`; `None` if git cannot name an author.
    pub(in crate::repo) fn author_ident(&self) -> Result<Option<Vec<u8>>> {
        let answer = self.ask(&["var", "GIT_AUTHOR_IDENT"])?;
        Ok((answer.code == Some(0)).then_some(answer.out))
    }

    /// The whole configuration.
    pub fn config(&self) -> Result<GitConfig> {
        self.demand(&["config", "--list", "-z"]).map(|output| GitConfig::parse(&output))
    }

    /// The whole configuration with the scope of each value.
    pub(crate) fn scoped_config(&self) -> Result<ScopedConfig> {
        let output = self.demand(&["config", "--list", "-z", "--show-scope"])?;
        ScopedConfig::parse(&output).ok_or_else(|| Error::odd_git("git config lists its values in an unknown way"))
    }

    /// The commit checked out in the submodule at `path`; `None` if nothing is checked out there, or it has no commit.
    pub fn submodule_head(&self, path: &RepoPath) -> Result<Option<Oid>> {
        let dir = self.dir.join(sys::in_tree(path.as_bstr()));
        if fs::symlink_metadata(dir.join(".git")).is_err() {
            return Ok(None);
        }
        self.elsewhere(&dir).rev_parse("HEAD").map_err(|error| error.context(format!("submodule {path}")))
    }
}

fn with_paths<'a>(arguments: &'a [&'a str], paths: &'a [RepoPath]) -> Vec<Cow<'a, OsStr>> {
    let arguments = arguments.iter().copied().chain(["--"]).map(|word| Cow::Borrowed(OsStr::new(word)));
    // git refuses an empty path
    let native =
        |path: &'a RepoPath| if path.is_root() { Cow::Borrowed(OsStr::new(".")) } else { sys::native(path.as_bstr()) };
    arguments.chain(paths.iter().map(native)).collect()
}

fn one_id(verb: &str, output: &[u8]) -> Result<Oid> {
    Oid::from_hex(output.trim_end())
        .ok_or_else(|| Error::odd_git(format!("git {verb} printed no object id: {}", output.as_bstr())))
}

/// `<id> <parent>...`
fn new_commit(line: &[u8]) -> Result<NewCommit> {
    let mut ids = line.split_str(" ").map(|id| one_id("rev-list", id));
    let id = ids.next().unwrap_or_else(|| one_id("rev-list", line))?;
    Ok(NewCommit { id, parents: ids.collect::<Result<_>>()?, tree: None })
}

/// Whether git would match the name literally: a URL has no tracking branches, and a glob would leave out too much.
pub(crate) fn is_remote_name(remote: &str) -> bool {
    !remote.is_empty() && !remote.contains(['*', '?', '[', '\\', ':']) && !remote.starts_with(['/', '.'])
}
