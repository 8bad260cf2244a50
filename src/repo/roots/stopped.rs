//! Objects named in a git directory outside its refs and reflogs: in the state files of a stopped merge, rebase,
//! cherry-pick, revert, am, bisect or notes merge, and in any other file. Every file at the top and in the directories of
//! stopped operations is read, because the set of files changes with git's versions. An id that is wrongly taken for a root
//! only keeps an object too long.

use super::{Mention, Roots, content, each_file, ids_of, names, unreadable};
use crate::error::Result;
use bstr::ByteSlice;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The directories with the state of operations; `info` has the grafts.
const DIRECTORIES: [&str; 5] = ["info", "rebase-merge", "rebase-apply", "sequencer", "NOTES_MERGE_WORKTREE"];

/// Files that are read elsewhere, with more care.
const READ_ELSEWHERE: [&str; 2] = ["index", "packed-refs"];

/// Directories with state that git needs to continue.
const OPERATIONS: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];

/// Files at the top that contain only ids or a symbolic ref, in addition to files that end in HEAD. With any other content
/// such a file is damaged, and the lost id is unknown.
const POINTERS: [&str; 4] = ["AUTO_MERGE", "BISECT_EXPECTED_REV", "MERGE_AUTOSTASH", "NOTES_MERGE_PARTIAL"];

/// The same in the directory of a stopped operation.
const OWN_POINTERS: [&str; 9] = [
    "abort-safety",
    "amend",
    "autostash",
    "head",
    "onto",
    "orig-head",
    "original-commit",
    "squash-onto",
    "stopped-sha",
];

/// Lists of steps, which name commits in full or by their first digits.
const STEPS: [&str; 3] = ["done", "git-rebase-todo", "todo"];

/// The number of digits of an id or an evidence hash.
const WHOLE: [usize; 2] = [40, 64];

/// Adds the objects that the files of the git directory `dir` name.
pub(super) fn read(dir: &Path, prefix: &str, roots: &mut Roots) -> Result<()> {
    for name in names(dir)? {
        let text = name.to_string_lossy();
        let path = dir.join(&name);
        if !READ_ELSEWHERE.contains(&&*text) && is_file(&path)? {
            file(&path, &text, &format!("{prefix}{text}"), roots)?;
        }
    }
    for directory in DIRECTORIES {
        each_file(&dir.join(directory), &format!("{prefix}{directory}"), &mut |path, holder| {
            let name = holder.rsplit('/').next().unwrap_or(holder);
            if is_file(path)? { file(path, name, holder, roots) } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Sockets and the like contain nothing. A path without access may be a file, so it is an error.
fn is_file(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Ok(about) => Ok(about.is_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn file(path: &Path, name: &str, holder: &str, roots: &mut Roots) -> Result<()> {
    // A lock file is incomplete; the file that it replaces is read. A shared index is read together with its split index.
    if name.ends_with(".lock") || name.starts_with("sharedindex.") {
        return Ok(());
    }
    let directory = path.parent().and_then(Path::file_name);
    let in_operation = OPERATIONS.iter().any(|operation| directory == Some(OsStr::new(operation)));
    if is_pointer(name, in_operation) {
        return ids_of(path, holder, &mut roots.tips);
    }
    if in_operation && STEPS.contains(&name) {
        steps(path, holder, &mut roots.mentions)?;
    }
    let mut start = Vec::new();
    let mentions = &mut roots.mentions;
    each_run(path, &mut start, &mut |hex| {
        mentions.insert(Mention { hex, holder: holder.to_owned(), needed: false });
    })?;
    if start == *b"DIRC" {
        roots.indexes.push(path.to_owned());
    }
    Ok(())
}

fn is_pointer(name: &str, in_operation: bool) -> bool {
    match in_operation {
        true => OWN_POINTERS.contains(&name),
        // Git does not keep objects alive for FETCH_HEAD, so it may name a missing one.
        false => (name.ends_with("HEAD") && name != "FETCH_HEAD") || POINTERS.contains(&name),
    }
}

/// The commits that a list of steps names; git needs them to continue the operation.
fn steps(path: &Path, holder: &str, mentions: &mut BTreeSet<Mention>) -> Result<()> {
    let bytes = content(path)?.unwrap_or_default();
    for hex in bytes.lines().filter_map(step) {
        mentions.insert(Mention { hex, holder: holder.to_owned(), needed: true });
    }
    Ok(())
}

/// `<command> [-C | -c] <commit> …` (git-rebase, "INTERACTIVE MODE"). The other commands take labels, refs and shell
/// commands instead of commits.
fn step(line: &[u8]) -> Option<String> {
    let mut words = line.fields();
    let command = words.next()?;
    let (commit, is_merge) = match command {
        b"pick" | b"p" | b"revert" | b"edit" | b"e" | b"reword" | b"r" | b"squash" | b"s" | b"drop" | b"d"
        | b"fixup" | b"f" => (words.next()?, false),
        b"merge" | b"m" => (words.next()?, true),
        _ => return None,
    };
    let is_option = matches!(commit, b"-C" | b"-c");
    let commit = match (is_option, is_merge) {
        (true, _) => words.next()?,
        (false, false) => commit,
        // A label.
        (false, true) => return None,
    };
    // Any other word is a revision that a user wrote and git has not replaced by an id yet.
    let is_id = (4..=64).contains(&commit.len()) && commit.iter().all(is_hex);
    is_id.then(|| commit.to_str_lossy().into_owned())
}

/// Passes every run of hex digits with the length of an id to `see`, and the first four bytes to `start`. Memory does not
/// grow with the file.
fn each_run(path: &Path, start: &mut Vec<u8>, see: &mut dyn FnMut(String)) -> Result<()> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(path, &error.to_string())),
    };
    let (mut run, mut buffer) = (HexRun::default(), vec![0; 64 * 1024]);
    loop {
        let count = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(path, &error.to_string())),
        };
        let missing = 4_usize.saturating_sub(start.len());
        start.extend_from_slice(&buffer[..count.min(missing)]);
        buffer[..count].iter().for_each(|byte| run.add(*byte, see));
    }
    run.end(see);
    Ok(())
}

/// The hex digits since the last other byte. A run that is too long keeps only enough digits to show that.
#[derive(Default)]
struct HexRun {
    digits: String,
}

impl HexRun {
    fn add(&mut self, byte: u8, see: &mut dyn FnMut(String)) {
        if !is_hex(&byte) {
            self.end(see);
        } else if self.digits.len() <= WHOLE[1] {
            self.digits.push(char::from(byte));
        }
    }

    fn end(&mut self, see: &mut dyn FnMut(String)) {
        if WHOLE.contains(&self.digits.len()) && self.digits.bytes().any(|digit| digit != b'0') {
            see(std::mem::take(&mut self.digits));
        }
        self.digits.clear();
    }
}

fn is_hex(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<String> {
        let scratch = tempfile::tempdir().unwrap();
        let (path, mut found) = (scratch.path().join("file"), Vec::new());
        std::fs::write(&path, text).unwrap();
        each_run(&path, &mut Vec::new(), &mut |hex| found.push(hex)).unwrap();
        found
    }

    #[test]
    fn ids_are_found_wherever_they_stand_and_only_whole() {
        let (id, long) = ("0123456789".repeat(4), "01234567".repeat(8));
        assert_eq!(runs(&format!("From {id} Mon\nsee {long}.\n{id}")), [&*id, &long, &id]);
        assert_eq!(runs(&format!("{id}0 {} {}", &id[1..], id.to_uppercase().replace('1', "A"))), [""; 0]);
        assert_eq!(runs(&format!("{long}0 {}", "0".repeat(40))), [""; 0]);
        for before in 65_500..65_540 {
            assert_eq!(runs(&format!("{}{id}\n", "-".repeat(before))), [&*id], "{before}");
        }
    }

    #[test]
    fn a_step_names_its_commit_and_nothing_else_does() {
        let named = |line: &str| step(line.as_bytes());
        for line in
            ["pick 0647222 side1", "fixup -C 0647222 # x", "merge -c 0647222 label", "  d 0647222", "revert 0647222"]
        {
            assert_eq!(named(line).as_deref(), Some("0647222"), "{line}");
        }
        for line in
            ["label facade", "reset facade", "merge facade", "exec beef", "# pick 0647222", "pick HEAD~2", "break", ""]
        {
            assert_eq!(named(line), None, "{line}");
        }
    }
}
