//! Reads a transcript of plain text line by line, in one pass and in bounded memory.

use super::names::{MarkerName, is_name, marker, metric_name};
use super::plain::without_escapes;
use super::value::{Quantity, quantity};
use super::{AbsentMetric, FindingCounts, MAX_TOLD, Malformed, Shown};
use crate::text::escape::echo;
use bstr::ByteSlice;

/// How many bytes of a line are read. A longer line may begin with a marker, but states no number.
const MAX_LINE: usize = 64 << 10;
/// How many malformed lines are listed.
const MAX_MALFORMED: usize = 20;
/// How many lines above a finding its statistics may be.
const REACH: u64 = 10;

const BOM: &[u8] = b"\xef\xbb\xbf";
const UTF16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

#[derive(Clone, Debug, Default)]
pub(super) struct LineReader {
    shown: Shown,
    /// Whether a line of the current text was read.
    has_begun: bool,
    /// The beginning of an unfinished line, at most [`MAX_LINE`] bytes.
    open: Vec<u8>,
    /// The length of that line so far.
    open_length: usize,
    lines: u64,
    support: Support,
}

/// The statistics that may support the next finding.
#[derive(Clone, Debug, Default)]
struct Support {
    /// The last line with a confidence interval.
    ci: Option<u64>,
    /// The last line with an effect size.
    effect: Option<u64>,
    /// The support of the latest verified finding, and whether no other finding has the same.
    pair: Option<([u64; 2], bool)>,
}

impl LineReader {
    pub(super) fn take(&mut self, mut piece: &[u8]) {
        while let Some(end) = piece.find_byte(b'\n') {
            if self.open_length == 0 {
                self.line(&piece[..end.min(MAX_LINE)], end > MAX_LINE);
            } else {
                self.keep(&piece[..end]);
                self.close();
            }
            piece = &piece[end + 1..];
        }
        self.keep(piece);
    }

    /// The current text ends and another begins.
    pub(super) fn next_text(&mut self) {
        self.end_line();
        self.has_begun = false;
        self.support = Support::default();
    }

    /// Ends the current line, if one has begun.
    pub(super) fn end_line(&mut self) {
        if self.open_length > 0 {
            self.close();
        }
    }

    /// How many bytes of an unfinished line are kept.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.open.capacity()
    }

    /// Marks the lines as output of notebook cells.
    pub(super) fn is_of_cells(&mut self) {
        self.shown.of_cells = true;
    }

    pub(super) fn finish(mut self) -> Shown {
        self.end_line();
        self.shown
    }

    fn keep(&mut self, part: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.open.len());
        self.open.extend_from_slice(&part[..part.len().min(room)]);
        self.open_length = self.open_length.saturating_add(part.len());
    }

    fn close(&mut self) {
        let line = std::mem::take(&mut self.open);
        let is_cut = self.open_length > line.len();
        self.open_length = 0;
        self.line(&line, is_cut);
        // the buffer is reused
        self.open = line;
        self.open.clear();
    }

    /// A line without its LF, or the beginning of a line that is cut.
    fn line(&mut self, line: &[u8], is_cut: bool) {
        self.lines += 1;
        let line = if std::mem::replace(&mut self.has_begun, true) { line } else { self.first(line) };
        // the first byte rules out most lines
        let first = line.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        if !matches!(first, Some(b'[' | 0x1b | 0xc2)) {
            return;
        }
        let line = if is_cut { line } else { line.strip_suffix(b"\r").unwrap_or(line) };
        match begin(&without_escapes(line)) {
            Begin::Text => {}
            Begin::Malformed(why) => self.malformed(why),
            Begin::Marker(marker) => self.marker(marker, is_cut),
        }
    }

    /// The first line without a byte order mark. In a UTF-16 text no marker is read, and that is reported.
    fn first<'l>(&mut self, line: &'l [u8]) -> &'l [u8] {
        if UTF16.iter().any(|mark| line.starts_with(mark)) {
            self.malformed("the text is UTF-16, and markers are only read in UTF-8: save it as UTF-8".to_owned());
        }
        line.strip_prefix(BOM).unwrap_or(line)
    }

    fn marker(&mut self, line: MarkerLine<'_>, is_cut: bool) {
        match (&*line.name.name, line.name.subtype.as_deref()) {
            ("METRIC", None) => return self.malformed("[METRIC] names no metric: write [METRIC:name]".to_owned()),
            ("METRIC", Some(metric)) => {
                let content = std::str::from_utf8(line.content);
                let value = match content {
                    _ if is_cut => Quantity::Malformed(format!("the line is longer than {MAX_LINE} bytes")),
                    Ok(content) => quantity(content, line.unit.as_deref()),
                    Err(_) => Quantity::Malformed("what stands behind it is not UTF-8".to_owned()),
                };
                self.metric(metric, value);
            }
            ("STAT", Some("ci")) => self.support.ci = Some(self.lines),
            ("STAT", Some("effect_size")) => self.support.effect = Some(self.lines),
            ("FINDING", _) => self.support.finding(self.lines, &mut self.shown.marked.findings),
            _ => {}
        }
        let markers = &mut self.shown.marked.markers;
        if markers.len() < MAX_TOLD {
            markers.insert(line.name);
        }
    }

    /// The last line of a metric counts, even without a value.
    fn metric(&mut self, name: &str, value: Quantity) {
        let metrics = &mut self.shown.marked.metrics;
        let is_known = metrics.contains_key(name) || self.shown.absent.contains_key(name);
        if !is_known && metrics.len() + self.shown.absent.len() >= MAX_TOLD {
            return;
        }
        metrics.remove(name);
        self.shown.marked.units.remove(name);
        self.shown.absent.remove(name);
        match value {
            Quantity::Value(number, unit) => {
                metrics.insert(name.to_owned(), number);
                self.shown.marked.units.extend(unit.map(|unit| (name.to_owned(), unit)));
            }
            Quantity::Absent => {
                self.shown.absent.insert(name.to_owned(), AbsentMetric { line: self.lines, malformed: None });
            }
            Quantity::Malformed(why) => {
                self.malformed(format!("[METRIC:{name}]: {why}"));
                self.shown.absent.insert(name.to_owned(), AbsentMetric { line: self.lines, malformed: Some(why) });
            }
        }
    }

    pub(super) fn malformed(&mut self, message: String) {
        self.shown.malformed_lines += 1;
        if self.shown.malformed.len() < MAX_MALFORMED {
            self.shown.malformed.push(Malformed { line: self.lines, message });
        }
    }
}

impl Support {
    fn finding(&mut self, line: u64, counts: &mut FindingCounts) {
        let near = |stat: &Option<u64>| stat.filter(|stat| line - stat <= REACH);
        let (ci, effect) = (near(&self.ci), near(&self.effect));
        counts.total += 1;
        counts.without_ci += u64::from(ci.is_none());
        counts.without_effect += u64::from(effect.is_none());
        let (Some(ci), Some(effect)) = (ci, effect) else { return };
        counts.verified += 1;
        let is_alone = match self.pair {
            // a second finding with the same support makes the first one shared, too
            Some((pair, was_alone)) if pair == [ci, effect] => {
                counts.shared += 1 + u64::from(was_alone);
                false
            }
            _ => true,
        };
        self.pair = Some(([ci, effect], is_alone));
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Begin<'l> {
    /// Neither a marker nor similar to one: the line is ignored.
    Text,
    Marker(MarkerLine<'l>),
    /// Similar to a marker, but invalid; with the reason.
    Malformed(String),
}

#[derive(Debug, PartialEq, Eq)]
struct MarkerLine<'l> {
    name: MarkerName,
    unit: Option<String>,
    content: &'l [u8],
}

/// The beginning of `line`, which has no escapes and no line end.
fn begin(line: &[u8]) -> Begin<'_> {
    let Some(inside) = opened(line) else { return Begin::Text };
    let length = inside.iter().take_while(|byte| is_name(**byte)).count();
    let (name, behind) = inside.split_at(length);
    let Some(name) = std::str::from_utf8(name).ok().and_then(marker) else { return Begin::Text };
    let (parts, content) = match behind {
        [b']', content @ ..] => (&b""[..], content),
        [b':', behind @ ..] => match behind.iter().position(|byte| *byte == b']') {
            Some(end) => (&behind[..end], &behind[end + 1..]),
            None => return Begin::Text,
        },
        _ => return Begin::Text,
    };
    match std::str::from_utf8(parts).map_err(|_| "is not UTF-8".to_owned()).and_then(attributes) {
        Ok((subtype, unit)) => Begin::Marker(MarkerLine { name: MarkerName { name, subtype }, unit, content }),
        Err(why) => Begin::Malformed(format!("what stands behind [{name}: {why}")),
    }
}

/// The text after the bracket at the beginning of a line; blanks before the bracket are skipped.
fn opened(line: &[u8]) -> Option<&[u8]> {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line[blanks..].strip_prefix(b"[")
}

/// The subtype and the unit among `parts`: the first part without `=`, and the value of `unit`.
fn attributes(parts: &str) -> Result<(Option<String>, Option<String>), String> {
    let (mut subtype, mut unit) = (None, None);
    for part in parts.split(':').filter(|part| !part.trim().is_empty()) {
        match part.split_once('=') {
            None if subtype.is_none() => {
                let name = metric_name(part).ok_or_else(|| format!("is no name: `{}`", echo(part.trim())))?;
                subtype = Some(name);
            }
            Some((key, value)) if unit.is_none() && key.trim() == "unit" => unit = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    Ok((subtype, unit))
}
