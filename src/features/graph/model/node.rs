//! The ids of nodes in a derived graph. They depend on names and places only, so that they are equal on every machine. Ids
//! are unique.

use crate::model::ids::nfc;
use crate::model::ledger::Timestamp;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::fmt::Write;

pub fn goal(dir: &RepoPath) -> String {
    format!("goal:{}", directory(dir))
}

pub fn scenario(dir: &RepoPath, name: &str) -> String {
    format!("scenario:{}", subject(dir, name))
}

/// A reading of a scenario; `twin` numbers readings with the same time, from 1.
pub fn reading(dir: &RepoPath, name: &str, ts: Timestamp, twin: u32) -> String {
    format!("reading:{}", moment(&subject(dir, name), ts, twin))
}

pub fn failure_of(reading: &str) -> String {
    format!("failure:{}", reading.strip_prefix("reading:").unwrap_or(reading))
}

/// A decision about a node; `twin` numbers decisions with the same time, from 1.
pub fn decision(dir: &RepoPath, ts: Timestamp, twin: u32) -> String {
    format!("decision:{}", moment(&directory(dir), ts, twin))
}

pub fn run(id: &str) -> String {
    format!("run:{id}")
}

pub fn logged(kind: &str, run: &str, line: u32) -> String {
    format!("{kind}:{run}:{line}")
}

/// Evidence bytes, by their hash.
pub fn artifact(hash: &str) -> String {
    format!("artifact:{hash}")
}

pub fn file(path: &RepoPath) -> String {
    format!("file:{}", text(path, ""))
}

pub fn commit(id: &Oid) -> String {
    format!("commit:{id}")
}

/// A person or program that acted.
pub fn actor(name: &str) -> String {
    format!("actor:{name}")
}

/// A work tree.
pub fn frame(name: &str) -> String {
    format!("frame:{name}")
}

/// A branch as a proposed change.
pub fn patch(branch: &str) -> String {
    format!("patch:{branch}")
}

/// The state of a branch with regard to a scenario.
pub fn eval(branch: &str, dir: &RepoPath, name: &str) -> String {
    format!("eval:{branch}#{}", subject(dir, name))
}

/// A scenario without a kind: `DIR#NAME`, the name in NFC as in every comparison of names.
pub fn subject(dir: &RepoPath, name: &str) -> String {
    format!("{}#{}", directory(dir), nfc(name))
}

/// A node's directory as ids spell it. A `#` in it is escaped, because the scenario's name follows the first `#`.
pub fn directory(dir: &RepoPath) -> String {
    if dir.is_root() { ".".to_owned() } else { text(dir, "#") }
}

/// A path as text. Bytes that are not UTF-8, `%` and each of `marks` are written as `%` and two digits, so that different
/// paths have different texts.
fn text(path: &RepoPath, marks: &str) -> String {
    let mut out = String::new();
    for chunk in path.as_bstr().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '%' => out.push_str("%25"),
                c if marks.contains(c) => {
                    let _ = write!(out, "%{:02X}", c as u32);
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn moment(of: &str, ts: Timestamp, twin: u32) -> String {
    if twin > 1 { format!("{of}@{ts}~{twin}") } else { format!("{of}@{ts}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_things_have_one_id() {
        let dir = |text: &[u8]| RepoPath::from_git(text);
        assert_eq!(scenario(&dir(b".spec/a"), "b#c"), "scenario:.spec/a#b#c");
        assert_eq!(scenario(&dir(b".spec/a#b"), "c"), "scenario:.spec/a%23b#c");
        assert_eq!(goal(&dir(b"a%23b")), "goal:a%2523b");
        assert_eq!((goal(&dir(b"")), file(&dir(b"a#b\xff"))), ("goal:.".to_owned(), "file:a#b%FF".to_owned()));
        let at = Timestamp::parse("2026-01-01T00:00:00.000Z").unwrap();
        let second = reading(&dir(b"n"), "s", at, 2);
        assert_eq!(second, "reading:n#s@2026-01-01T00:00:00.000Z~2");
        assert_eq!(failure_of(&second), "failure:n#s@2026-01-01T00:00:00.000Z~2");
        assert_eq!(scenario(&dir(b"n"), "cafe\u{301}"), scenario(&dir(b"n"), "caf\u{e9}"));
    }
}
