//! git's own conversion of a file's content on `git add`: CR LF becomes LF if the attributes and the configuration say so,
//! and an expanded `$Id: …$` is folded (gitattributes, "End-of-line conversion" and "ident"). A conversion by another
//! program is not run, only reported.

use super::settings::WorktreeSettings;
use crate::error::Result;
use crate::repo::program::{AttributeReader, AttributeValue};
use crate::tree::path::RepoPath;
use bstr::{BString, ByteSlice};

/// The attributes that decide, in the order that [`Conversion::of`] expects.
pub(super) const ATTRIBUTES: &[&str] = &["text", "crlf", "eol", "ident", "filter", "working-tree-encoding"];

/// When CR LF becomes LF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// Never: `-text`, or no attribute and `core.autocrlf` off.
    Keep,
    /// Always: `text`, or `eol` alone.
    Text,
    /// If the content looks like text and the index has no CR LF in it.
    Guess,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversion {
    pub(super) line_ends: LineEnds,
    pub(super) ident: bool,
    /// The attribute that needs another program or a character set conversion; for messages.
    pub(super) external: Option<String>,
    /// Whether the conversion would change if an attribute had a value spelt like its state (`text=set`).
    pub(super) in_doubt: bool,
}

impl Conversion {
    /// Asks git for the attributes of `path`.
    pub(super) fn of(path: &RepoPath, attributes: &AttributeReader, settings: &WorktreeSettings) -> Result<Self> {
        Ok(Self::from_values(&attributes.of(path)?, settings))
    }

    /// Like [`Self::of`], but resolves the doubt by further runs of git.
    pub(super) fn exactly(path: &RepoPath, attributes: &AttributeReader, settings: &WorktreeSettings) -> Result<Self> {
        let rule = Self::of(path, attributes, settings)?;
        let line_ends = match attributes.line_ends(path)?.as_deref() {
            None => rule.line_ends,
            Some("-text") => LineEnds::Keep,
            Some(auto) if auto.starts_with("text=auto") => LineEnds::Guess,
            Some(text) if text.starts_with("text") => LineEnds::Text,
            Some(_) => unsaid(settings.auto_crlf),
        };
        let ident = rule.ident && !attributes.has_value(path, "ident", "set")?;
        Ok(Self { line_ends, ident, in_doubt: false, ..rule })
    }

    fn from_values(values: &[AttributeValue], settings: &WorktreeSettings) -> Self {
        let value = |at: usize| values.get(at).unwrap_or(&AttributeValue::Unspecified);
        let own = OwnAttributes { text: value(0), crlf: value(1), eol: value(2), ident: value(3) };
        Self {
            line_ends: own.line_ends(settings.auto_crlf),
            ident: *own.ident == AttributeValue::Set,
            external: filter(value(4), settings).or_else(|| encoding(value(5))),
            in_doubt: own.is_doubtful(settings.auto_crlf),
        }
    }
}

#[derive(Clone, Copy)]
struct OwnAttributes<'v> {
    text: &'v AttributeValue,
    /// The old name of `text`.
    crlf: &'v AttributeValue,
    eol: &'v AttributeValue,
    ident: &'v AttributeValue,
}

impl OwnAttributes<'_> {
    /// `text`, else its old name `crlf`, then `eol`, then `core.autocrlf`: git's order.
    fn line_ends(self, auto: bool) -> LineEnds {
        match said(self.text).or_else(|| said(self.crlf)) {
            Some(said) => said,
            None if is_value(self.eol, &[b"lf", b"crlf"]) => LineEnds::Text,
            None => unsaid(auto),
        }
    }

    /// Whether the result changes if `text`, `crlf` or `ident` has its state's name as a value.
    fn is_doubtful(self, auto: bool) -> bool {
        let as_state = self.line_ends(auto);
        let (texts, crlfs) = (readings(self.text), readings(self.crlf));
        let differs = |text| crlfs.iter().any(|crlf| OwnAttributes { text, crlf, ..self }.line_ends(auto) != as_state);
        *self.ident == AttributeValue::Set || texts.iter().any(differs)
    }
}

/// The possible meanings of git's answer: it prints the state `set` and the value `set` alike.
fn readings(value: &AttributeValue) -> Vec<AttributeValue> {
    match value.state() {
        Some(state) => vec![value.clone(), AttributeValue::Value(state.into())],
        None => vec![value.clone()],
    }
}

/// The conversion if no attribute is set.
fn unsaid(auto: bool) -> LineEnds {
    if auto { LineEnds::Guess } else { LineEnds::Keep }
}

/// Whether `content` has something that git's own conversions change.
pub(super) fn is_convertible(content: &[u8]) -> bool {
    content.contains_str("\r\n") || content.contains_str("$Id:")
}

fn said(value: &AttributeValue) -> Option<LineEnds> {
    match value {
        AttributeValue::Set => Some(LineEnds::Text),
        AttributeValue::Unset => Some(LineEnds::Keep),
        AttributeValue::Value(value) if value == "input" => Some(LineEnds::Text),
        AttributeValue::Value(value) if value == "auto" => Some(LineEnds::Guess),
        AttributeValue::Value(_) | AttributeValue::Unspecified => None,
    }
}

fn is_value(value: &AttributeValue, wanted: &[&[u8]]) -> bool {
    matches!(value, AttributeValue::Value(value) if wanted.contains(&value.as_slice()))
}

/// The configured filter. `check-attr` prints `filter=set` and a bare `filter` alike, hence the name `set`.
fn filter(value: &AttributeValue, settings: &WorktreeSettings) -> Option<String> {
    let name: BString = match value {
        AttributeValue::Value(name) => name.clone(),
        AttributeValue::Set => "set".into(),
        AttributeValue::Unset => "unset".into(),
        AttributeValue::Unspecified => "unspecified".into(),
    };
    settings.filters.contains(&name).then(|| format!("filter={name}"))
}

/// A character set that git would convert. UTF-8 needs no conversion.
fn encoding(value: &AttributeValue) -> Option<String> {
    match value {
        AttributeValue::Unspecified => None,
        AttributeValue::Value(name) if [&b"utf-8"[..], b"utf8"].contains(&name.to_ascii_lowercase().as_slice()) => None,
        AttributeValue::Value(name) => Some(format!("working-tree-encoding={name}")),
        // git refuses to add such a file
        AttributeValue::Set | AttributeValue::Unset => Some("working-tree-encoding without a name".into()),
    }
}

/// git's statistics of a content, to guess whether it is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    pub(super) size: u64,
    pub(super) crlf: u64,
    lone_cr: u64,
    nul: u64,
    printable: u64,
    other: u64,
    last: u8,
}

impl Census {
    pub(super) fn of(content: &[u8]) -> Self {
        let mut census = Self::default();
        census.feed(content);
        census.finish()
    }

    /// Counts the next chunk of a content.
    pub(super) fn feed(&mut self, piece: &[u8]) {
        self.size += piece.len() as u64;
        for &byte in piece {
            if self.last == b'\r' {
                if byte == b'\n' { self.crlf += 1 } else { self.lone_cr += 1 }
            }
            match byte {
                b'\r' | b'\n' => {}
                0 => (self.nul, self.other) = (self.nul + 1, self.other + 1),
                // backspace, tab, escape and form feed occur in texts
                0x08 | b'\t' | 0x1b | 0x0c => self.printable += 1,
                0x01..=0x1f | 0x7f => self.other += 1,
                _ => self.printable += 1,
            }
            self.last = byte;
        }
    }

    /// Counts the last byte: a CR without LF, or the end-of-file mark of DOS.
    pub(super) fn finish(mut self) -> Self {
        match self.last {
            b'\r' => self.lone_cr += 1,
            0x1a => self.other = self.other.saturating_sub(1),
            _ => {}
        }
        self
    }

    /// git's guess: more than one control character per 128 printable ones, a NUL, or a CR without LF.
    fn looks_binary(&self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || self.printable / 128 < self.other
    }

    /// Whether the content in the index is text with CR LF, which git keeps when the file is added again.
    pub(super) fn is_text_with_crlf(&self) -> bool {
        self.crlf > 0 && !self.looks_binary()
    }

    /// Whether CR LF becomes LF in this content. `in_index`, called if needed: whether the index's content is text with CR
    /// LF.
    pub(super) fn converts(&self, rule: LineEnds, in_index: impl FnOnce() -> Result<bool>) -> Result<bool> {
        match rule {
            LineEnds::Keep => Ok(false),
            LineEnds::Text => Ok(self.crlf > 0),
            LineEnds::Guess if !self.is_text_with_crlf() => Ok(false),
            LineEnds::Guess => in_index().map(|keeps| !keeps),
        }
    }
}

/// Drops each CR before an LF from a content that comes in chunks.
#[derive(Default)]
pub(super) struct CrStripper {
    held: bool,
}

impl CrStripper {
    /// The next chunk without these CRs.
    pub(super) fn strip(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut kept = Vec::with_capacity(piece.len() + 1);
        for &byte in piece {
            if self.held && byte != b'\n' {
                kept.push(b'\r');
            }
            self.held = byte == b'\r';
            if !self.held {
                kept.push(byte);
            }
        }
        kept
    }

    /// The CR that was held back at the end, if any.
    pub(super) fn finish(self) -> &'static [u8] {
        if self.held { b"\r" } else { b"" }
    }
}

/// The content with every CR LF turned into LF.
pub(super) fn strip_cr(content: &[u8]) -> Vec<u8> {
    let mut stripper = CrStripper::default();
    let mut kept = stripper.strip(content);
    kept.extend_from_slice(stripper.finish());
    kept
}

/// The content with every `$Id: …$` on one line turned into `$Id$`.
pub(super) fn fold_ident(content: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some((before, after)) = rest.split_once_str("$Id:") {
        folded.extend_from_slice(before);
        let end = after.find_byteset(b"$\n").filter(|end| after[*end] == b'$');
        folded.extend_from_slice(if end.is_some() { b"$Id$" } else { b"$Id:" });
        rest = end.map_or(after, |end| &after[end + 1..]);
    }
    folded.extend_from_slice(rest);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip_in_pieces(content: &[u8], cut: usize) -> Vec<u8> {
        let mut stripper = CrStripper::default();
        let mut kept = stripper.strip(&content[..cut]);
        kept.extend(stripper.strip(&content[cut..]));
        kept.extend_from_slice(stripper.finish());
        kept
    }

    #[test]
    fn only_a_cr_before_an_lf_goes_wherever_the_pieces_are_cut() {
        let content = b"a\r\nb\r\r\nc\rd\r";
        for cut in 0..=content.len() {
            assert_eq!(strip_in_pieces(content, cut), b"a\nb\r\nc\rd\r", "{cut}");
            let mut census = Census::default();
            census.feed(&content[..cut]);
            census.feed(&content[cut..]);
            assert_eq!(census.finish(), Census::of(content), "{cut}");
        }
    }

    #[test]
    fn the_guess_follows_control_characters_and_lone_cr() {
        let text = |content: &[u8]| Census::of(content).is_text_with_crlf();
        assert!(text(b"a\r\n") && text(b"\r\n") && text(b"a\r\n\x1a"));
        assert!(!text(b"a\r\n\0") && !text(b"a\r\nb\rc") && !text(b"a\r\n\x01") && !text(b"a\n"));
    }

    #[test]
    fn ident_is_folded_within_a_line_only() {
        assert_eq!(fold_ident(b"x $Id: abc $ y $Id$ $Id: open\n$"), b"x $Id$ y $Id$ $Id: open\n$");
    }
}
