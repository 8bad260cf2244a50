//! Parses git's output: `diff-index --raw -z`, `ls-files --stage -v --debug -z`. Unexpected output is an error.

use crate::error::{Error, Result};
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::native::index::{IndexEntry, Stat, Tracked};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{IgnoreRule, Ignored};
use bstr::ByteSlice;

/// In-memory flags of an index entry (git's read-cache.h) as `ls-files --debug` prints them.
const INTENT_TO_ADD: u32 = 1 << 29;
const SKIP_WORKTREE: u32 = 1 << 30;
const ASSUME_VALID: u32 = 1 << 15;

fn unexpected(verb: &str, record: &[u8]) -> Error {
    let record = String::from_utf8_lossy(&record[..record.len().min(200)]).into_owned();
    Error::odd_git(format!("git {verb} printed something unexpected: {record}"))
}

/// `:<mode> <mode> <id> <id> <status>` NUL path NUL, repeated (git-diff-index, raw output format).
pub(super) fn raw_changes(output: &[u8]) -> Result<Vec<PathChange>> {
    let mut parts = output.split_str("\0");
    let mut changes = Vec::new();
    while let Some(about) = parts.next().filter(|about| !about.is_empty()) {
        let path = parts.next().filter(|path| !path.is_empty()).ok_or_else(|| unexpected("diff-index", about))?;
        changes.push(raw_change(about, path).ok_or_else(|| unexpected("diff-index", about))?);
    }
    Ok(changes)
}

/// `<file>` NUL `<line>` NUL `<pattern>` NUL `<path>` NUL, repeated (git-check-ignore). A path that a `!` pattern
/// re-includes is listed too, but is not ignored.
pub(super) fn ignored(output: &[u8]) -> Result<Vec<Ignored>> {
    let fields: Vec<&[u8]> = output.split_str("\0").collect();
    let mut found = Vec::new();
    for record in fields.chunks_exact(4) {
        let rule = ignore_rule(record).ok_or_else(|| unexpected("check-ignore", record[0]))?;
        if !rule.pattern.starts_with(b"!") {
            let path = record[3].strip_prefix(b"./").unwrap_or(record[3]);
            found.push(Ignored { path: RepoPath::from_git(path), rule });
        }
    }
    Ok(found)
}

fn ignore_rule(record: &[&[u8]]) -> Option<IgnoreRule> {
    let [file, line, pattern, _] = record else { return None };
    Some(IgnoreRule { file: (*file).into(), line: line.to_str().ok()?.parse().ok()?, pattern: (*pattern).into() })
}

fn raw_change(about: &[u8], path: &[u8]) -> Option<PathChange> {
    let fields: Vec<&[u8]> = about.strip_prefix(b":")?.split_str(" ").collect();
    let [old_mode, new_mode, old_id, new_id, status] = fields[..] else { return None };
    let path = RepoPath::from_git(path);
    let old = side(old_mode, old_id)?;
    match status {
        b"U" => Some(PathChange { path, old, new: None, unmerged: true }),
        b"A" | b"D" | b"M" | b"T" => Some(PathChange { path, old, new: side(new_mode, new_id)?, unmerged: false }),
        _ => None,
    }
}

/// The outer option is `None` if the side cannot be parsed, the inner one if there is no entry.
fn side(mode: &[u8], id: &[u8]) -> Option<Option<(Mode, Oid)>> {
    let (mode, id) = (octal(mode)?, Oid::from_hex(id)?);
    match (mode, id.is_zero()) {
        (0, true) => Some(None),
        (0, false) | (_, true) => None,
        _ => Some(Some((Mode::canonical(mode), id))),
    }
}

fn octal(text: &[u8]) -> Option<u32> {
    u32::from_str_radix(text.to_str().ok()?, 8).ok()
}

/// `<tag> <mode> <id> <stage>` TAB path NUL and five lines of stat data, repeated (git-ls-files). git's manual warns that
/// the form of the stat data may change; parsing then fails with an error.
pub(super) fn index_entries(mut output: &[u8]) -> Result<Vec<Tracked>> {
    let mut entries = Vec::new();
    while !output.is_empty() {
        let (entry, rest) = index_entry(output).ok_or_else(|| unexpected("ls-files", output))?;
        entries.push(entry);
        output = rest;
    }
    Ok(entries)
}

/// `<mode> <id> <stage>` TAB path NUL, repeated (git-ls-files, `--resolve-undo`).
pub(super) fn resolved_conflicts(output: &[u8]) -> Result<Vec<(RepoPath, Oid)>> {
    let records = output.split_str("\0").filter(|record| !record.is_empty());
    records.map(|record| side_of_conflict(record).ok_or_else(|| unexpected("ls-files", record))).collect()
}

fn side_of_conflict(record: &[u8]) -> Option<(RepoPath, Oid)> {
    let (about, path) = record.split_once_str("\t")?;
    let fields: Vec<&[u8]> = about.split_str(" ").collect();
    let [_mode, id, _stage] = fields[..] else { return None };
    Some((RepoPath::from_git(path), Oid::from_hex(id)?))
}

fn index_entry(record: &[u8]) -> Option<(Tracked, &[u8])> {
    let (head, rest) = record.split_once_str("\0")?;
    let (about, path) = head.split_once_str("\t")?;
    let fields: Vec<&[u8]> = about.split_str(" ").collect();
    let [_tag, mode, id, stage] = fields[..] else { return None };
    let mode = octal(mode)?;
    let (stat, flags, rest) = stat_lines(rest, mode)?;
    let entry = IndexEntry {
        mode: Mode::canonical(mode),
        id: Oid::from_hex(id)?,
        stage: stage.to_str().ok()?.parse().ok().filter(|stage| *stage <= 3)?,
        intent_to_add: flags & INTENT_TO_ADD != 0,
        skip_worktree: flags & SKIP_WORKTREE != 0,
        assume_valid: flags & ASSUME_VALID != 0,
        stat,
    };
    Some((Tracked { path: RepoPath::from_git(path), entry }, rest))
}

fn stat_lines(mut text: &[u8], mode: u32) -> Option<(Stat, u32, &[u8])> {
    let mut next = |prefix: &str, middle: &str| -> Option<(&[u8], &[u8])> {
        let (line, rest) = text.split_once_str("\n")?;
        text = rest;
        line.trim_start().strip_prefix(prefix.as_bytes())?.split_once_str(middle)
    };
    let (ctime, mtime) = (next("ctime: ", ":")?, next("mtime: ", ":")?);
    let (node, owner) = (next("dev: ", "\tino: ")?, next("uid: ", "\tgid: ")?);
    let (size, flags) = next("size: ", "\tflags: ")?;
    let stat = Stat {
        mtime: (decimal(mtime.0)?, decimal(mtime.1)?),
        ctime: (decimal(ctime.0)?, decimal(ctime.1)?),
        dev: decimal(node.0)?,
        ino: decimal(node.1)?,
        mode,
        uid: decimal(owner.0)?,
        gid: decimal(owner.1)?,
        size: decimal(size)?,
    };
    Some((stat, u32::from_str_radix(flags.to_str().ok()?, 16).ok()?, text))
}

fn decimal(text: &[u8]) -> Option<u32> {
    text.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "61780798228d17af2d34fce4cfbdf35556832472";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn raw(about: &str) -> Result<Vec<PathChange>> {
        raw_changes(format!("{about}\0dir/a b\n\0").as_bytes())
    }

    #[test]
    fn a_raw_record_keeps_path_bytes_and_both_sides() {
        let changes = raw(&format!(":100644 100755 {OLD} {OLD} M")).unwrap();
        assert_eq!(changes[0].path.to_string(), "dir/a b\n");
        assert_eq!(changes[0].old.unwrap().0, Mode::FILE);
        assert_eq!(changes[0].new.unwrap().0, Mode::EXEC);
        let unmerged = raw(&format!(":100644 000000 {OLD} {ZERO} U")).unwrap();
        assert!(unmerged[0].unmerged && unmerged[0].new.is_none());
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for about in [":100644", "x", &format!(":100644 100644 {OLD} {OLD} R100"), &format!(":0 100644 {OLD} {OLD} A")]
        {
            assert!(raw(about).is_err(), "{about}");
        }
        assert!(raw_changes(format!(":100644 000000 {OLD} {ZERO} D").as_bytes()).is_err());
        assert!(index_entries(format!("H 100644 {OLD} 0\ta\0").as_bytes()).is_err());
        assert!(index_entries(b"H 100644").is_err());
    }

    #[test]
    fn sides_of_resolved_conflicts_are_read() {
        let sides = resolved_conflicts(format!("100644 {OLD} 1\ta b\0100644 {OLD} 3\tc\0").as_bytes()).unwrap();
        assert_eq!(sides.iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>(), ["a b", "c"]);
        assert_eq!(resolved_conflicts(b"").unwrap(), []);
        assert!(resolved_conflicts(format!("H 100644 {OLD} 1\ta\0").as_bytes()).is_err());
    }

    #[test]
    fn flags_of_an_index_entry_are_read() {
        let lines = "  ctime: 1:2\n  mtime: 3:4\n  dev: 5\tino: 6\n  uid: 7\tgid: 8\n  size: 9\tflags: ";
        let text = format!("H 100644 {OLD} 0\ta\0{lines}20004000\nS 100644 {OLD} 2\tb\0{lines}40008000\n");
        let entries = index_entries(text.as_bytes()).unwrap();
        assert!(entries[0].entry.intent_to_add && !entries[0].entry.skip_worktree && !entries[0].entry.assume_valid);
        assert!(entries[1].entry.skip_worktree && entries[1].entry.assume_valid && entries[1].entry.stage == 2);
        assert_eq!(entries[1].entry.stat.size, 9);
    }
}
