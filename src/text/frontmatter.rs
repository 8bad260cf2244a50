//! Finds the block between the first two `---` lines of a Markdown file; does not parse it.

/// The bytes between the two lines, and their place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frontmatter<'a> {
    /// The block: whole lines, line ends as in the file.
    pub block: &'a [u8],
    /// How many bytes of the file precede the block.
    pub offset: usize,
    /// The block's first line, counted from 1.
    pub first_line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFrontmatter {
    /// The first line is not `---`.
    NotOpened,
    /// No second `---` line.
    NotClosed,
    Utf16,
}

/// Finds the block from a first line `---` to the next line `---`. A byte order mark, CRLF and blanks after the dashes
/// are accepted.
pub(crate) fn split(bytes: &[u8]) -> Result<Frontmatter<'_>, NoFrontmatter> {
    if is_utf16(bytes) {
        return Err(NoFrontmatter::Utf16);
    }
    let bom = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut lines = bytes[bom..].split_inclusive(|byte| *byte == b'\n');
    let offset = match lines.next() {
        Some(first) if is_fence(first) => bom + first.len(),
        _ => return Err(NoFrontmatter::NotOpened),
    };
    let mut length = 0;
    for line in lines {
        if is_fence(line) {
            return Ok(Frontmatter { block: &bytes[offset..offset + length], offset, first_line: 2 });
        }
        length += line.len();
    }
    Err(NoFrontmatter::NotClosed)
}

fn is_fence(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"---"
}

/// UTF-16 by its byte order mark, or by the zero byte beside an opening dash.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'-', 0, ..] | [0, b'-', ..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_block_lies_between_two_lines_of_dashes() {
        for (text, block, offset) in [
            ("---\na: 1\n---\nbody\n---\n", "a: 1\n", 4),
            ("---\r\na: 1\r\n---\r\n", "a: 1\r\n", 5),
            ("\u{feff}---\na\n---", "a\n", 7),
            ("---\n---", "", 4),
            ("--- \na: ---\n --- \n---\t\n", "a: ---\n --- \n", 5),
        ] {
            let found = split(text.as_bytes()).unwrap();
            assert_eq!((found.block, found.offset, found.first_line), (block.as_bytes(), offset, 2), "{text:?}");
        }
    }

    #[test]
    fn the_reason_is_told() {
        use NoFrontmatter::{NotClosed, NotOpened, Utf16};
        for (bytes, reason) in [
            (&b""[..], NotOpened),
            (b"# title\n---\n", NotOpened),
            (b"\n---\na\n---\n", NotOpened),
            (b"----\na\n---\n", NotOpened),
            (b"---", NotClosed),
            (b"---\na: 1\n", NotClosed),
            (b"\xff\xfe-\0-\0-\0\n\0", Utf16),
            (b"\0-\0-\0-\0\n", Utf16),
        ] {
            assert_eq!(split(bytes), Err(reason), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_split_or_refused(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
            let bytes = [b"---\n", tail.as_slice()].concat();
            if let Ok(found) = split(&bytes) {
                prop_assert_eq!(found.block, &bytes[found.offset..found.offset + found.block.len()]);
            }
        }
    }
}
