//! Reads the file at a hook's path: its owner, and whether git would run it. Never writes.

use super::shim::{self, HookEvent};
use crate::error::{Error, Result};
use crate::sys;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The content of a hook's path.
pub(super) enum HookFile {
    Nothing,
    /// A file with the program's marker.
    Ours(Vec<u8>),
    /// An existing foreign file or link, with its bytes if they can be read.
    Foreign(Option<Vec<u8>>),
}

/// Reads the path. Fails for a directory and for an unreadable path.
pub(super) fn find(hook: &Path) -> Result<HookFile> {
    let unreadable = |error: io::Error| {
        Error::refused(format!("the hook {} cannot be read: {error}", hook.display()))
            .hint("check who owns it and that its directory is a directory")
    };
    match fs::symlink_metadata(hook) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HookFile::Nothing),
        Err(error) => return Err(unreadable(error)),
        Ok(metadata) if metadata.is_dir() => return Err(unreadable(io::ErrorKind::IsADirectory.into())),
        Ok(_) => {}
    }
    match fs::read(hook) {
        Ok(content) if shim::is_ours(&content) => Ok(HookFile::Ours(content)),
        Ok(content) => Ok(HookFile::Foreign(Some(content))),
        // A dangling link belongs to the user, too: it is kept and restored unchanged.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HookFile::Foreign(None)),
        Err(error) => Err(unreadable(error)),
    }
}

/// The path under which an existing `hook` is kept.
pub(in crate::app) fn kept_path(hook: &Path) -> PathBuf {
    with_end(hook, shim::KEPT)
}

fn with_end(hook: &Path, end: &str) -> PathBuf {
    let mut name = hook.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// A shim that pre-commit or prek moved aside, with its bytes. They move every existing hook when they are installed.
pub(in crate::app) fn put_aside(hook: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let path = with_end(hook, shim::ASIDE);
    let content = fs::read(&path).ok().filter(|content| shim::is_ours(content))?;
    Some((path, content))
}

/// The same, if git reaches it through the hook `content` of pre-commit or prek.
pub(in crate::app) fn run_aside(hook: &Path, content: &[u8]) -> Option<(PathBuf, Vec<u8>)> {
    put_aside(hook).filter(|(path, _)| shim::is_managed(content) && is_executable(path))
}

/// Whether the path exists, even as a dangling link.
pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether git would run the file at all.
pub(crate) fn is_executable(path: &Path) -> bool {
    sys::runs(path)
}

/// Whether a hook is empty: git runs it, and it lets everything pass.
pub(in crate::app) fn is_blank(content: &[u8]) -> bool {
    content.trim_ascii().is_empty()
}

/// Whether a text of others runs the program at `event`. A line that names the program and an event calls it there; without
/// any such line, each line that names the program does, for example `exec yatsu-hook "$(basename "$0")"`. Comments and
/// lines that `is_call` refuses do not count.
pub(in crate::app) fn calls(content: &[u8], event: HookEvent, is_call: fn(&str) -> bool) -> bool {
    let text = String::from_utf8_lossy(content);
    let is_comment = |line: &str| ["#", "//"].iter().any(|mark| line.trim_start().starts_with(mark));
    let names_us = |line: &&str| line.contains("yatsu-hook") && !is_comment(line) && is_call(line);
    let lines: Vec<&str> = text.lines().filter(names_us).collect();
    let names = |line: &str, event: HookEvent| line.contains("yatsu-hook run") || has_word(line, event.as_str());
    let any = lines.iter().any(|line| HookEvent::ALL.iter().any(|event| names(line, *event)));
    lines.iter().any(|line| !any || names(line, event))
}

/// Whether `word` stands in `line`, and is no part of a longer name: `pre-push` is not in `pre-push-checks`.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_calls_the_program_at_the_event_that_it_names() {
        let any = |_: &str| true;
        for (text, wanted) in [
            ("yatsu-hook pre-commit", [true, false, false]),
            ("yatsu-hook pre-merge-commit", [false, true, false]),
            ("/opt/a/yatsu-hook -q pre-push \"$@\"", [false, false, true]),
            ("exec yatsu-hook \"$(basename \"$0\")\"", [true, true, true]),
            ("- name: yatsu-hook\n  run: yatsu-hook pre-push {1} {2}", [false, false, true]),
            ("run: yatsu-hook run\nrun: yatsu-hook pre-push", [true, true, true]),
            ("# yatsu-hook pre-commit\n// yatsu-hook pre-push", [false, false, false]),
            ("pre-commit:\n  run: other", [false, false, false]),
            ("yatsu-hook pre-push-checks", [true, true, true]),
        ] {
            assert_eq!(HookEvent::CLIENT.map(|event| calls(text.as_bytes(), event, any)), wanted, "{text}");
        }
    }
}
