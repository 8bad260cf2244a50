//! Parses the standard input of git's push hooks (githooks(5)). Input: bytes. Output: one update per ref. Pure.
//! Anything that git would not write is an error, because a skipped line would be an unjudged ref.

use crate::error::{Error, Result};
use crate::text::escape::echo;
use crate::tree::oid::{HashKind, Oid};
use bstr::{BStr, BString, ByteSlice};

/// The maximal length of the input, in bytes.
pub(crate) const MAX_INPUT: usize = 8 << 20;
/// The maximal number of refs in one push.
pub const MAX_UPDATES: usize = 10_000;

/// The update of one ref on the receiving side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The ref's full name on the receiving side.
    pub name: BString,
    /// The old value there; `None` for a new ref.
    pub old: Option<Oid>,
    /// The new value; `None` for a deletion.
    pub new: Option<Oid>,
}

impl Update {
    /// The branch name; `None` for a tag or another ref.
    pub(crate) fn branch(&self) -> Option<&BStr> {
        self.name.strip_prefix(b"refs/heads/").map(ByteSlice::as_bstr)
    }
}

/// Parses the lines of `pre-push`: `<local ref> SP <local id> SP <remote ref> SP <remote id> LF`. The local ref may be
/// any text that the user typed, with spaces. The last line may lack its line end, because hook managers drop it; the
/// id at its end shows whether the line is complete.
///
/// # Errors
/// Unchecked, for anything else.
pub fn pushed(input: &[u8], hash: HashKind) -> Result<Vec<Update>> {
    if input.is_empty() {
        return Ok(Vec::new());
    }
    let lines = input.strip_suffix(b"\n").unwrap_or(input);
    each(lines, |line| {
        // parsed from the end, because only the local ref may contain spaces
        let mut fields = line.rsplitn_str(4, " ");
        let (old, name, new) = (fields.next()?, fields.next()?, fields.next()?);
        fields.next().filter(|local| !local.is_empty())?;
        update(name, id(old, hash)?, id(new, hash)?)
    })
}

/// Parses the lines of `pre-receive`: `<old id> SP <new id> SP <ref> LF`.
///
/// # Errors
/// Unchecked, for anything else.
pub fn received(input: &[u8], hash: HashKind) -> Result<Vec<Update>> {
    if input.is_empty() {
        return Ok(Vec::new());
    }
    // a truncated name would be another ref
    let Some(lines) = input.strip_suffix(b"\n") else {
        return Err(Error::unchecked("standard input is cut short: its last line has no end").hint(AS_GIT_WRITES));
    };
    each(lines, |line| {
        let mut fields = line.splitn_str(3, " ");
        let (old, new, name) = (fields.next()?, fields.next()?, fields.next()?);
        update(name, id(old, hash)?, id(new, hash)?)
    })
}

const AS_GIT_WRITES: &str = "hand on what git writes to the hook, unchanged (githooks(5))";

/// Parses every line of `lines`, which has no final line end.
fn each(lines: &[u8], parse: impl Fn(&[u8]) -> Option<Update>) -> Result<Vec<Update>> {
    if lines.len() > MAX_INPUT {
        return Err(Error::unchecked(format!("standard input is longer than {MAX_INPUT} bytes")).hint(FEWER));
    }
    let mut updates = Vec::new();
    for (number, line) in lines.split_str("\n").enumerate() {
        if number == MAX_UPDATES {
            return Err(Error::unchecked(format!("more than {MAX_UPDATES} refs are pushed at once")).hint(FEWER));
        }
        updates.push(parse(line).ok_or_else(|| garbage(number + 1, line))?);
    }
    Ok(updates)
}

const FEWER: &str = "push fewer refs at once";

fn garbage(number: usize, line: &[u8]) -> Error {
    let text = String::from_utf8_lossy(line);
    let shown = echo(&text);
    Error::unchecked(format!("line {number} of standard input is none that git writes to this hook: {shown:?}"))
        .hint(AS_GIT_WRITES)
}

fn update(name: &[u8], old: Option<Oid>, new: Option<Oid>) -> Option<Update> {
    // git-check-ref-format(1) forbids more; this excludes only bytes that would confuse the parser
    let plain = name.iter().all(|byte| *byte > b' ' && *byte != 0x7f);
    (plain && name.starts_with(b"refs/") && name.len() > 5).then(|| Update { name: name.into(), old, new })
}

/// The outer option is `None` if this is no id of the repository's hash; the inner one is `None` for the zero id.
fn id(hex: &[u8], hash: HashKind) -> Option<Option<Oid>> {
    let id = Oid::from_hex(hex).filter(|id| id.kind() == hash)?;
    Some((!id.is_zero()).then_some(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    const ZERO: &str = "0000000000000000000000000000000000000000";

    fn push(text: &str) -> Result<Vec<Update>> {
        pushed(text.as_bytes(), HashKind::Sha1)
    }

    fn receive(text: &str) -> Result<Vec<Update>> {
        received(text.as_bytes(), HashKind::Sha1)
    }

    #[test]
    fn both_forms_say_the_same() {
        let a = Oid::from_hex(A.as_bytes());
        let expected = [Update { name: "refs/heads/x".into(), old: None, new: a }];
        assert_eq!(push(&format!("refs/heads/y {A} refs/heads/x {ZERO}\n")).unwrap(), expected);
        assert_eq!(push(&format!("HEAD^{{/fix a bug}} {A} refs/heads/x {ZERO}")).unwrap(), expected);
        assert_eq!(receive(&format!("{ZERO} {A} refs/heads/x\n")).unwrap(), expected);
        let gone = push(&format!("(delete) {ZERO} refs/heads/x {A}\n")).unwrap();
        assert_eq!((gone[0].old, gone[0].new), (a, None));
        assert!(push("").unwrap().is_empty() && receive("").unwrap().is_empty());
    }

    #[test]
    fn a_branch_is_what_lies_under_heads() {
        let update = |name: &str| Update { name: name.into(), old: None, new: None };
        assert_eq!(update("refs/heads/a/b").branch(), Some(b"a/b".as_bstr()));
        assert_eq!(update("refs/tags/a").branch(), None);
    }

    #[test]
    fn garbage_is_an_error_on_every_line() {
        let good = format!("{ZERO} {A} refs/heads/x\n");
        for bad in [
            "\n".to_owned(),
            format!("{good}\n"),
            format!("{good}{ZERO} {A}\n"),
            format!("{ZERO} {A} refs/heads/x"),
            format!("{ZERO} {A} heads/x\n"),
            format!("{ZERO} {A} refs/\n"),
            format!("{ZERO} {A} refs/heads/x y\n"),
            format!("{ZERO} {A} refs/heads/x\r\n"),
            format!("{ZERO}  {A} refs/heads/x\n"),
            format!("{ZERO} {} refs/heads/x\n", A.to_uppercase()),
            format!("{ZERO} {} refs/heads/x\n", &A[1..]),
            format!("{ZERO} {A}{} refs/heads/x\n", &A[..24]),
        ] {
            let error = receive(&bad).expect_err(&bad);
            assert_eq!((error.kind.exit_code(), error.hints.len()), (3, 1), "{bad}");
        }
        for bad in
            ["\n".into(), format!(" {A} refs/heads/x {ZERO}\n"), format!("{A} refs/heads/x {ZERO}\n"), "x".into()]
        {
            assert!(push(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn there_are_limits() {
        let line = format!("{ZERO} {A} refs/heads/x\n");
        assert_eq!(receive(&line.repeat(MAX_UPDATES)).unwrap().len(), MAX_UPDATES);
        assert!(receive(&line.repeat(MAX_UPDATES + 1)).is_err());
        let long = format!("{ZERO} {A} refs/heads/{}\n", "x".repeat(MAX_INPUT));
        assert!(receive(&long).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_updates_or_an_error(input: Vec<u8>) {
            let lines = input.lines().count();
            for updates in [pushed(&input, HashKind::Sha1), received(&input, HashKind::Sha256)].into_iter().flatten() {
                prop_assert_eq!(updates.len(), lines);
            }
        }
    }
}
