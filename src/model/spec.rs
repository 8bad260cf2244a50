//! `spec.md`: a tolerant line reader (formats.md, "spec.md").
//!
//! Real files are not valid YAML (`desc: a: b`), so the frontmatter is read line by line. An unindented `key: rest` splits
//! at its first colon, and a `- item` belongs to the preceding key. Never fails and reports nothing: unknown text is
//! skipped.

use super::governed::{Governed, parse_text, split_commas};
use super::node::Spec;
use super::source::Position;
use crate::text::frontmatter;
use crate::tree::path::RepoPath;

/// Reads the `spec.md` at `path`. Without frontmatter all fields are empty.
pub fn parse(path: &RepoPath, bytes: &[u8]) -> Spec {
    let mut reader =
        SpecReader { spec: Spec { path: path.clone(), ..Spec::default() }, key: ListKey::Other, bracket: false };
    if let Ok(front) = frontmatter::split(bytes) {
        let text = String::from_utf8_lossy(front.block);
        for (number, line) in text.lines().enumerate() {
            reader.line(line, front.first_line + number as u32);
        }
    }
    reader.spec
}

#[derive(Clone, Copy)]
enum ListKey {
    Code,
    Related,
    Other,
}

struct SpecReader {
    spec: Spec,
    key: ListKey,
    /// Inside a `[` that is not closed yet.
    bracket: bool,
}

/// A piece of a line: `text` is always a slice of `line`.
#[derive(Clone, Copy)]
struct LinePiece<'a> {
    line: &'a str,
    text: &'a str,
    number: u32,
}

impl<'a> LinePiece<'a> {
    /// The same line, narrowed to `text`, a part of it.
    fn narrow(self, text: &'a str) -> Self {
        Self { text, ..self }
    }

    fn position(self) -> Position {
        let offset = self.text.as_ptr() as usize - self.line.as_ptr() as usize;
        Position { line: self.number, column: self.line[..offset].chars().count() as u32 + 1 }
    }
}

impl SpecReader {
    fn line(&mut self, line: &str, number: u32) {
        let trimmed = line.trim();
        let piece = LinePiece { line, text: trimmed, number };
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return;
        }
        if self.bracket {
            return self.flow(piece);
        }
        if let Some(item) = list_item(trimmed) {
            return self.item(piece.narrow(item));
        }
        match line.split_once(':') {
            Some((key, rest)) if !line.starts_with([' ', '\t']) => self.key(key.trim_end(), piece.narrow(rest.trim())),
            _ => {}
        }
    }

    fn key(&mut self, key: &str, rest: LinePiece<'_>) {
        self.key = ListKey::Other;
        match key {
            "title" => self.spec.title = plain(rest.text),
            "status" => self.spec.status = plain(rest.text),
            "code" => self.list(ListKey::Code, rest),
            "related" => self.list(ListKey::Related, rest),
            _ => {}
        }
    }

    fn list(&mut self, key: ListKey, rest: LinePiece<'_>) {
        self.key = key;
        match rest.text.strip_prefix('[') {
            Some(inner) => self.flow(rest.narrow(inner.trim_start())),
            None => {
                let text = clean(rest.text);
                self.take(parse_text(text, rest.narrow(text).position()));
            }
        }
    }

    /// The items of one line inside brackets.
    fn flow(&mut self, piece: LinePiece<'_>) {
        let inner = piece.text.split_once(']').map(|(inner, _)| inner);
        self.bracket = inner.is_none();
        for part in split_commas(inner.unwrap_or(piece.text)) {
            self.item(piece.narrow(part.trim()));
        }
    }

    fn item(&mut self, piece: LinePiece<'_>) {
        let text = clean(piece.text);
        if !text.is_empty() {
            self.take(vec![Governed::parse(text, piece.narrow(text).position(), None)]);
        }
    }

    fn take(&mut self, paths: Vec<Governed>) {
        match self.key {
            ListKey::Code => self.spec.code.extend(paths),
            ListKey::Related => self.spec.related.extend(paths.into_iter().map(Governed::of_whole_file)),
            ListKey::Other => {}
        }
    }
}

fn list_item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('-')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim_start())
}

/// A title or status: unquoted, `None` if it is empty.
fn plain(rest: &str) -> Option<String> {
    let text = between_quotes(rest).filter(|(_, behind)| behind.is_empty()).map_or(rest, |(inner, _)| inner);
    (!text.is_empty()).then(|| text.to_owned())
}

/// An item without its comment and without one pair of quotes.
fn clean(item: &str) -> &str {
    if let Some((inner, behind)) = between_quotes(item)
        && (behind.is_empty() || behind.starts_with('#'))
    {
        return inner;
    }
    let comment = item.match_indices('#').find(|(at, _)| *at == 0 || item[..*at].ends_with([' ', '\t']));
    item[..comment.map_or(item.len(), |(at, _)| at)].trim_end()
}

/// The text between the first quote and its partner, and the rest.
fn between_quotes(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inner, behind) = text[1..].split_once(quote)?;
    Some((inner, behind.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Spec {
        parse(&RepoPath::parse(b".spec/a/spec.md").unwrap(), text.as_bytes())
    }

    fn texts(list: &[Governed]) -> Vec<&str> {
        list.iter().map(|path| path.text.as_str()).collect()
    }

    fn shown(list: &[Governed]) -> Vec<String> {
        list.iter().map(Governed::shown).collect()
    }

    #[test]
    fn what_is_no_yaml_is_read_by_lines() {
        let spec = read(
            "---\ntitle: \"T: x\"\nstatus: active\ndesc: a: b: [c\n  - stray\n  code: not a key\ncode:\n  - src/a.rs#part\n\
             - src/b.rs\nrelated: x.md\n---\n- body\n",
        );
        assert_eq!(spec.title.as_deref(), Some("T: x"));
        assert_eq!(spec.status.as_deref(), Some("active"));
        assert_eq!(shown(&spec.code), ["src/a.rs#part", "src/b.rs"]);
        assert_eq!(texts(&spec.related), ["x.md"]);
        assert_eq!(spec.code[0].at, Position { line: 8, column: 5 });
        assert_eq!(spec.related[0].at, Position { line: 10, column: 10 });
    }

    #[test]
    fn every_spelling_of_a_list_is_understood() {
        for list in [
            "[a.ts, 'b c.ts' , \"d#e\"]",
            "[ a.ts,\n  'b c.ts', # two\n  \"d#e\"\n]",
            "\n  - a.ts # one\n  - 'b c.ts' # two\n\n  # three\n  - \"d#e\"",
            "\r\n- a.ts#sym\r\n- b c.ts\r\n- \"d#e\"",
        ] {
            let spec = read(&format!("---\ncode: {list}\nstatus: x\n---\n"));
            assert_eq!(texts(&spec.code), ["a.ts", "b c.ts", "d"], "{list}");
            assert_eq!(spec.code[2].symbol(), Some("e"), "{list}");
            assert_eq!(spec.status.as_deref(), Some("x"), "{list}");
        }
        let spec = read("---\ncode: a.ts, ?src/{b,c}.ts\n---\n");
        assert_eq!(texts(&spec.code), ["a.ts", "src/{b,c}.ts"]);
        assert!(spec.code[1].optional && !spec.code[0].optional);
    }

    #[test]
    fn without_frontmatter_there_is_nothing() {
        for text in ["", "# title\ncode: a\n", "---\ncode: a\n"] {
            let spec = read(text);
            assert!(spec.title.is_none() && spec.code.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_path_that_is_none_keeps_its_reason() {
        let spec = read("---\ncode: [../x, .git/config]\n---\n");
        assert!(spec.code.iter().all(|path| path.path.is_err()));
    }

    proptest! {
        #[test]
        fn nothing_panics(tail in "[-\\[\\]:,#'\"? a\t\r\n\u{e9}]{0,80}", bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            read(&format!("---\ncode: {tail}\n---\n"));
            parse(&RepoPath::root(), &[b"---\n", bytes.as_slice(), b"\n---\n"].concat());
        }
    }
}
