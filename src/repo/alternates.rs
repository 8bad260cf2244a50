//! Object directories that a repository borrows from: splits git's two lists of them as git does.

use crate::sys;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directories in `GIT_ALTERNATE_OBJECT_DIRECTORIES`, separated by colons.
pub(super) fn in_variable(list: &[u8]) -> Vec<PathBuf> {
    split(list, sys::LIST_SEPARATOR)
}

/// The directories in `info/alternates`, one per line, with comments. A relative path starts at the directory with the list.
pub(super) fn in_file(list: &[u8]) -> Vec<PathBuf> {
    split(list, b'\n')
}

/// One directory for the variable, quoted if its name needs quoting, e.g. because of a colon.
pub(super) fn quoted(directory: &Path) -> OsString {
    let bytes = sys::git_bytes(directory);
    if !bytes.starts_with(b"\"") && !bytes.contains(&sys::LIST_SEPARATOR) {
        return directory.into();
    }
    let escaped = bytes.iter().flat_map(|byte| match byte {
        b'"' | b'\\' => vec![b'\\', *byte],
        b'\n' => b"\\n".to_vec(),
        _ => vec![*byte],
    });
    sys::native(&[b"\"".to_vec(), escaped.collect(), b"\"".to_vec()].concat()).into_owned()
}

/// Splits a list of directories. An entry that begins with `"` is quoted as in C, because its name may hold the separator.
/// An entry that begins with `#` is a comment.
fn split(mut list: &[u8], separator: u8) -> Vec<PathBuf> {
    let mut found = Vec::new();
    while !list.is_empty() {
        let (part, rest) = unquote(list).unwrap_or_else(|| {
            let end = list.iter().position(|byte| *byte == separator).unwrap_or(list.len());
            (list[..end].to_vec(), &list[end..])
        });
        if !part.is_empty() && !list.starts_with(b"#") {
            found.push(sys::native(&part).into_owned().into());
        }
        list = rest.strip_prefix(&[separator]).unwrap_or(rest);
    }
    found
}

/// Splits off a C-quoted text at the start and returns it with the rest; `None` if the list does not begin with one.
fn unquote(list: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = list.strip_prefix(b"\"")?;
    let mut plain = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((plain, rest)),
            b'\\' => rest = unescape(rest, &mut plain)?,
            _ => plain.push(byte),
        }
    }
}

fn unescape<'a>(rest: &'a [u8], plain: &mut Vec<u8>) -> Option<&'a [u8]> {
    let octal = rest.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)));
    if let Some(digits) = octal {
        let value = digits.iter().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
        plain.push(u8::try_from(value).ok()?);
        return Some(&rest[3..]);
    }
    let (&byte, after) = rest.split_first()?;
    plain.push(match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        byte @ (b'"' | b'\\') => byte,
        _ => return None,
    });
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_alternates_has_comments_and_quotes() {
        let list = b"# no directory\n/a\n\n../b:c\n\"/d\\n\"\n/e";
        assert_eq!(in_file(list), ["/a", "../b:c", "/d\n", "/e"].map(PathBuf::from));
        assert_eq!(in_variable(b"#c:/a"), [PathBuf::from("/a")]);
    }
}
