//! Physical lines of a file with one JSON object per line. This is the only definition of a line, for the reader, the
//! append-only rule and the merge. It parses only as much as the repair of a broken line needs.

use super::json;
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawLine<'b> {
    /// Its number, from 1; blank lines count.
    pub number: u32,
    /// Its bytes without the line end. CRLF is a line end, because converting it loses nothing.
    pub bytes: &'b [u8],
    /// Whether a line end follows; only the last line can lack one.
    pub ended: bool,
}

impl RawLine<'_> {
    /// Whether it holds only white space.
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// Whether it is a conflict marker of a textual merge.
    pub(crate) fn is_conflict_marker(&self) -> bool {
        let marked =
            |mark: &[u8]| self.bytes.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(b" "));
        [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"].into_iter().any(|mark| marked(mark))
    }
}

/// The lines of a file in order, blank ones included. A line end at the end of the file starts no further line.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = RawLine<'_>> {
    bytes.split_inclusive(|byte| *byte == b'\n').enumerate().map(|(index, line)| {
        let body = line.strip_suffix(b"\n");
        let bytes = body.map_or(line, |body| body.strip_suffix(b"\r").unwrap_or(body));
        RawLine { number: u32::try_from(index + 1).unwrap_or(u32::MAX), bytes, ended: body.is_some() }
    })
}

/// The lines that are not blank, as bytes.
pub(crate) fn filled(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines(bytes).filter(|line| !line.is_blank()).map(|line| line.bytes)
}

/// The objects of a line: one for a whole line, several if lines were glued together, `None` for anything else.
pub(crate) fn objects(line: &[u8]) -> Option<Vec<&str>> {
    json::objects(std::str::from_utf8(line).ok()?)
}

/// The numbers of the conflict marker lines, if they mark complete conflicts, each with a beginning, a separator and an
/// end. Empty if anything about them is unusual, because then only a person can decide.
pub(crate) fn conflict_markers(bytes: &[u8]) -> HashSet<u32> {
    let (mut found, mut next): (HashSet<u32>, &[u8]) = (HashSet::new(), b"<");
    for line in lines(bytes).filter(RawLine::is_conflict_marker) {
        let sort = line.bytes[0];
        if !next.contains(&sort) {
            return HashSet::new();
        }
        next = match sort {
            b'<' => b"|=",
            b'|' => b"=",
            b'=' => b">",
            _ => b"<",
        };
        found.insert(line.number);
    }
    if next == b"<" { found } else { HashSet::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_physical_numbers_and_lose_their_ends() {
        let found: Vec<_> = lines(b"a\r\n\n b\nc").map(|line| (line.number, line.bytes, line.ended)).collect();
        let expected: [(u32, &[u8], bool); 4] = [(1, b"a", true), (2, b"", true), (3, b" b", true), (4, b"c", false)];
        assert_eq!(found, expected);
        assert_eq!(lines(b"").count(), 0);
        assert_eq!(filled(b"a\n \t\r\nb").collect::<Vec<_>>(), [b"a", b"b"]);
    }

    #[test]
    fn conflict_markers_are_recognised_and_nothing_else() {
        for text in ["<<<<<<< HEAD", "=======", ">>>>>>> x", "||||||| base"] {
            assert!(lines(text.as_bytes()).next().unwrap().is_conflict_marker(), "{text}");
        }
        for text in ["<<<<<< x", "========", "=======x", " ======="] {
            assert!(!lines(text.as_bytes()).next().unwrap().is_conflict_marker(), "{text}");
        }
    }

    #[test]
    fn markers_of_whole_conflicts_are_told_and_of_no_other() {
        let whole = "a\n<<<<<<< x\nb\n||||||| y\n=======\nc\n>>>>>>> z\n<<<<<<<\n=======\nd\n>>>>>>>\n";
        let mut found: Vec<u32> = conflict_markers(whole.as_bytes()).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [2, 4, 5, 7, 8, 9, 11]);
        for text in
            ["a\n", "=======\n", "<<<<<<<\n=======\n", "<<<<<<<\n>>>>>>>\n", "<<<<<<<\n<<<<<<<\n=======\n>>>>>>>\n"]
        {
            assert!(conflict_markers(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
