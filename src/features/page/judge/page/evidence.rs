//! Evidence on the page. The bytes come from untrusted programs, so their kind is detected from the bytes, never from the
//! ledger. Everything that is no picture and no film is text.

use super::masked::Masker;
use super::pieces::{NamedPiece, by_right, pair_shown};
use super::pretty::pretty;
use crate::error::Result;
use crate::features::page::model::page::{PageContent, PieceShown};
use crate::model::ledger::EvidenceHash;
use crate::repo::Repo;
use crate::store::evidence::Cache;
use crate::text::base64::encoded_len;
use crate::text::escape::lines;
use crate::text::json::{self, Json, JsonValue};
use crate::text::markers::without_escapes;
use crate::text::picture::{PictureHeader, film};
use serde::de::IgnoredAny;
use std::collections::VecDeque;
use std::io::{self, Write};

/// Largest picture that is shown, in bytes.
const PICTURE: u64 = 512 << 10;
/// Largest picture that is shown, in pixels, because a few bytes may decode to a picture that fills the memory.
const PIXELS: u64 = 40_000_000;
/// Largest film that is shown, in bytes.
const FILM: u64 = 1 << 20;
/// Most bytes that are shown of the beginning and the end of a text.
const HEAD: usize = 48 << 10;
const TAIL: usize = 16 << 10;
/// Bytes of a piece that are kept while it is read: all that is ever shown, and enough around a cut to find a secret
/// there.
const KEPT: usize = 1 << 20;
const KEPT_TAIL: usize = 4 * TAIL;
/// A larger piece is not read.
const LOOKED_AT: u64 = 16 << 20;
/// Most steps of a timeline that are listed.
const STEPS: usize = 500;
/// Most bytes that the elements around a piece take.
const AROUND: usize = 700;
/// At most this many times the room of the page is read, to find pieces that fit.
const GREED: u64 = 16;

const FULL: &str = "the page has no room for it (--max-size)";
const LARGE: &str = "it is larger than what pages show";
const MANY_PIXELS: &str = "it has more than 40 megapixels";
const BINARY: &str = "it is neither text nor a picture or film that browsers show";
const CORRUPT: &str = "what lies under its name in this clone has other content";

/// Shows evidence on a page until `room` bytes are used up.
///
/// # Errors
/// When the cache cannot be read.
pub(crate) fn fill(repo: &Repo, content: &mut PageContent, room: usize) -> Result<()> {
    if content.source.is_published {
        return Ok(());
    }
    let cache = Cache::new(&repo.common_dir);
    let mut looked_at = (room as u64).saturating_mul(GREED);
    let mut room = room;
    for NamedPiece { hash, kind, .. } in by_right(content) {
        let Some(piece) = content.pieces.get_mut(&hash) else { continue };
        let (Some(size), Some(name)) = (piece.size, EvidenceHash::from_hex(hash.as_bytes())) else { continue };
        piece.shown = match () {
            () if size > LOOKED_AT => PieceShown::LeftOut(LARGE),
            () if room <= AROUND || looked_at < size => PieceShown::LeftOut(FULL),
            () => {
                looked_at -= size;
                let mut masker = Masker::default();
                let shown = look(&cache, &name, kind, &mut masker)?;
                match cost(&shown) {
                    cost if cost > room => PieceShown::LeftOut(FULL),
                    cost => {
                        room -= cost;
                        content.source.masked += masker.count;
                        shown
                    }
                }
            }
        };
    }
    pair_shown(content);
    Ok(())
}

/// How many more bytes the piece takes on the page than a note that it is left out.
fn cost(shown: &PieceShown) -> usize {
    // escaping makes a character at most 5 bytes longer
    let text = |text: &str| text.len() + 5 * text.bytes().filter(|byte| b"&<>\"'".contains(byte)).count();
    match shown {
        PieceShown::Picture { bytes, .. } | PieceShown::Film { bytes, .. } => encoded_len(bytes.len()) + AROUND,
        PieceShown::Text { head, tail } => text(head) + tail.as_ref().map_or(0, |(_, tail)| text(tail)) + AROUND,
        PieceShown::Steps(steps) => steps.iter().flatten().map(|part| text(part) + 40).sum::<usize>() + AROUND,
        PieceShown::LeftOut(_) | PieceShown::Missing(_) | PieceShown::Away(_) => 0,
    }
}

/// What is shown of a piece, however much room there is.
fn look(cache: &Cache, hash: &EvidenceHash, kind: &str, masker: &mut Masker) -> Result<PieceShown> {
    Ok(Looked::at(cache, hash)?.map_or(PieceShown::Missing(CORRUPT), |seen| seen.shown(kind, masker)))
}

/// The beginning and the end of a piece that was read.
#[derive(Default)]
pub(in crate::features::page::judge) struct Looked {
    pub(in crate::features::page::judge) head: Vec<u8>,
    tail: VecDeque<u8>,
    size: u64,
}

impl Write for Looked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = KEPT - self.head.len();
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(first);
        self.tail.extend(&rest[rest.len().saturating_sub(KEPT_TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(KEPT_TAIL));
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Looked {
    /// The piece of this name; `None` if it is gone, or if other bytes lie under its name: they are not what was filed.
    pub(in crate::features::page::judge) fn at(cache: &Cache, hash: &EvidenceHash) -> Result<Option<Self>> {
        let mut seen = Self::default();
        let actual = cache.see(hash, &mut seen)?;
        Ok(Some(seen).filter(|_| actual.as_ref() == Some(hash)))
    }

    fn shown(self, kind: &str, masker: &mut Masker) -> PieceShown {
        if let Some(picture) = PictureHeader::of(&self.head) {
            return match () {
                () if picture.pixels() > PIXELS => PieceShown::LeftOut(MANY_PIXELS),
                () if self.size > PICTURE => PieceShown::LeftOut(LARGE),
                () => {
                    let size = [picture.width, picture.height];
                    PieceShown::Picture { mime: picture.mime, size, bytes: self.head }
                }
            };
        }
        if let Some(mime) = film(&self.head) {
            return match self.size {
                size if size > FILM => PieceShown::LeftOut(LARGE),
                _ => PieceShown::Film { mime, bytes: self.head },
            };
        }
        if is_binary(&self.head) {
            return PieceShown::LeftOut(BINARY);
        }
        let is_whole = self.tail.is_empty();
        let data = std::str::from_utf8(&self.head).ok().filter(|text| is_whole && is_data(text));
        if let Some(steps) = data.filter(|_| kind == "timeline").and_then(|text| steps(text, masker)) {
            return PieceShown::Steps(steps);
        }
        match data {
            Some(data) => cut(&masker.text(&lines(&pretty(data)))),
            None if is_whole => cut(&masker.text(&plain(&self.head))),
            None => self.ends(masker),
        }
    }

    /// The beginning and the end of a text that is too long to be kept.
    fn ends(mut self, masker: &mut Masker) -> PieceShown {
        // more is masked than shown, so a secret across the end of the shown part is recognised
        let head = masker.text(&plain(&self.head[..2 * HEAD]));
        let tail = masker.text(&plain(self.tail.make_contiguous()));
        let (head, tail) = (beginning(&head).to_owned(), end(&tail).to_owned());
        let left_out = self.size.saturating_sub((head.len() + tail.len()) as u64);
        PieceShown::Text { head, tail: Some((left_out, tail)) }
    }
}

/// A text as it is shown: without terminal escapes, other control characters written out, e.g. `\u{8}`.
fn plain(bytes: &[u8]) -> String {
    let lines_of = bytes.split(|byte| *byte == b'\n').map(without_escapes);
    lines(&lines_of.collect::<Vec<_>>().join(&b'\n'))
}

fn cut(text: &str) -> PieceShown {
    if text.len() <= HEAD + TAIL {
        return PieceShown::Text { head: text.to_owned(), tail: None };
    }
    let (head, tail) = (beginning(text), end(text));
    let left_out = (text.len() - head.len() - tail.len()) as u64;
    PieceShown::Text { head: head.to_owned(), tail: Some((left_out, tail.to_owned())) }
}

/// The beginning of a long text, cut at the end of a line if one is near.
fn beginning(text: &str) -> &str {
    let mut end = HEAD.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    head.rfind('\n').filter(|at| *at > HEAD / 2).map_or(head, |at| &head[..=at])
}

/// The end of a long text, cut at the beginning of a line if one is near.
fn end(text: &str) -> &str {
    let mut start = text.len().saturating_sub(TAIL);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = &text[start..];
    tail.find('\n').filter(|at| *at < TAIL / 2).map_or(tail, |at| &tail[at + 1..])
}

/// Whether the bytes are no readable text: they have a NUL, or more than a tenth is no UTF-8.
fn is_binary(bytes: &[u8]) -> bool {
    let wrong: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    bytes.contains(&0) || wrong * 10 > bytes.len()
}

fn is_data(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The steps of a timeline: the place of each, e.g. `120 ms` or `frame 3`, and its text.
fn steps(text: &str, masker: &mut Masker) -> Option<Vec<[String; 2]>> {
    let timeline = json::parse(text).ok()?;
    let axis = timeline.get("axis").and_then(Json::as_str).unwrap_or("at");
    let JsonValue::Array(events) = &timeline.get("events")?.value else { return None };
    let step = |event: &Json<'_>| {
        let number = |key: &str| match event.get(key)?.value {
            JsonValue::Number(text) => Some(text.to_owned()),
            _ => None,
        };
        let place = number("tMs").map(|ms| format!("{ms} ms")).or_else(|| Some(format!("{axis} {}", number("at")?)));
        let node = event.get("node").and_then(Json::as_str).map(|node| format!(" ({node})")).unwrap_or_default();
        Some([place?, masker.text(&(event.get("step")?.as_str()?.to_owned() + &node))])
    };
    events.iter().take(STEPS).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: &str, bytes: &[u8]) -> PieceShown {
        let mut seen = Looked::default();
        bytes.chunks(100_000).for_each(|part| seen.write_all(part).unwrap());
        seen.shown(kind, &mut Masker::default())
    }

    fn text(shown: PieceShown) -> String {
        match shown {
            PieceShown::Text { head, tail: None } => head,
            PieceShown::Text { head, tail: Some((left_out, tail)) } => format!("{head}<{left_out}>{tail}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_ledger_calls_a_picture_is_one_only_by_its_bytes() {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
        assert_eq!(text(shown("image", svg.as_bytes())), svg);
        let gif = b"GIF89a\x10\x00\x02\x01\0";
        assert!(matches!(shown("transcript", gif), PieceShown::Picture { mime: "image/gif", size: [16, 258], .. }));
        assert!(matches!(shown("data", b"\x1a\x45\xdf\xa3."), PieceShown::Film { mime: "video/webm", .. }));
    }

    #[test]
    fn a_picture_that_would_fill_the_memory_is_left_out() {
        let side = 60_000_u32.to_be_bytes();
        let bomb = [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], &side, &side].concat();
        assert!(matches!(shown("image", &bomb), PieceShown::LeftOut(MANY_PIXELS)));
        let mut large = b"GIF89a\x10\x00\x10\x00".to_vec();
        large.resize(PICTURE as usize + 1, 0);
        assert!(matches!(shown("image", &large), PieceShown::LeftOut(LARGE)));
        large.resize(PICTURE as usize, 0);
        assert!(matches!(shown("image", &large), PieceShown::Picture { .. }));
        assert!(matches!(shown("image", b"\0\x01\x02"), PieceShown::LeftOut(BINARY)));
    }

    #[test]
    fn a_text_has_no_escapes_and_no_secrets() {
        let log = "\x1b[31mred\x1b[0m\r\nghp_0123456789abcdefghijklmnopqrstuvwxyz\u{202e}\x08\n";
        assert_eq!(text(shown("transcript", log.as_bytes())), "red\n[masked: github token]\\u{202e}\\u{8}\n");
        assert_eq!(text(shown("data", b"{\"a\":[1]}")), "{\n  \"a\": [\n    1\n  ]\n}");
        assert_eq!(text(shown("data", b"caf\xe9 au lait, encore")), "caf\\xe9 au lait, encore");
    }

    #[test]
    fn a_film_is_shown_up_to_a_mebibyte() {
        let mut film = b"\x1a\x45\xdf\xa3".to_vec();
        film.resize(FILM as usize, 0);
        assert!(matches!(shown("video", &film), PieceShown::Film { .. }));
        film.push(0);
        assert!(matches!(shown("video", &film), PieceShown::LeftOut(LARGE)));
    }

    #[test]
    fn no_secret_is_shown_where_a_text_is_cut_at_its_end_or_in_a_step() {
        let token = format!("ghp_{}", "0123456789abcdefghij".repeat(2));
        let words = "word ".repeat(2 * KEPT / 5);
        let cut = "x".repeat(HEAD - 10) + " " + &token + "\n" + &words;
        assert!(!text(shown("transcript", cut.as_bytes())).contains("ghp_"));
        let ends = text(shown("transcript", format!("{words}{token}\n").as_bytes()));
        assert!(ends.ends_with("[masked: github token]\n"), "{}", &ends[ends.len() - 100..]);
        let step = format!(r#"{{"tMs":0,"step":"{token}"}}"#);
        let timeline = format!(r#"{{"v":1,"events":[{}]}}"#, vec![step; STEPS + 1].join(","));
        let PieceShown::Steps(steps) = shown("timeline", timeline.as_bytes()) else { panic!("a timeline") };
        assert_eq!(steps.len(), STEPS);
        assert!(steps.iter().all(|[_, step]| step == "[masked: github token]"), "{:?}", steps[0]);
    }

    #[test]
    fn of_a_long_text_both_ends_are_shown_and_the_rest_is_counted() {
        for count in [20_000, 500_000] {
            let all: String = (0..count).map(|n| format!("line {n:06}\n")).collect();
            let PieceShown::Text { head, tail: Some((left_out, tail)) } = shown("transcript", all.as_bytes()) else {
                panic!()
            };
            assert_eq!(head.len() + tail.len() + left_out as usize, all.len());
            assert!(all.starts_with(&head) && head.ends_with('\n') && head.len() <= HEAD && head.len() > HEAD - 100);
            assert!(all.ends_with(&tail) && tail.starts_with("line ") && tail.len() <= TAIL && tail.len() > TAIL - 100);
        }
        let solid = "é".repeat(100_000);
        let PieceShown::Text { head, tail: Some((left_out, tail)) } = shown("transcript", solid.as_bytes()) else {
            panic!()
        };
        assert_eq!(head.len() + tail.len() + left_out as usize, solid.len());
    }

    #[test]
    fn a_timeline_is_its_steps() {
        let of = |json: &str| match shown("timeline", json.as_bytes()) {
            PieceShown::Steps(steps) => steps.concat().join("|"),
            other => format!("{other:?}"),
        };
        assert_eq!(
            of(r#"{"v":1,"events":[{"tMs":0,"step":"open"},{"tMs":1.5,"step":"click","node":"b"}]}"#),
            "0 ms|open|1.5 ms|click (b)"
        );
        assert_eq!(of(r#"{"v":2,"axis":"frame","events":[{"at":3,"step":"a"}]}"#), "frame 3|a");
        assert!(of(r#"{"v":1,"events":[{"step":"a"}]}"#).starts_with("Text"));
    }
}
