//! The kind of evidence, judged by its content (formats.md, "The evidence cache"). Pure.

use crate::model::ledger::EvidenceKind;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Size limit of a `--result` that is parsed to see if it is data, in bytes.
pub(crate) const MAX_DATA: usize = 4_000_000;

/// The kind that the caller expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// PNG, JPEG, GIF or WebP.
    Image,
    /// WebM, Matroska or MP4.
    Video,
    /// Data if it is a JSON object or array, otherwise a transcript.
    Result,
    /// A file that a measurement produced: always data, whatever the content.
    Artifact,
    /// A step timeline.
    Timeline,
    /// Any kind; it is detected from the content.
    Any,
}

impl Expect {
    /// How many leading bytes [`judge`] needs.
    pub(crate) fn head(self) -> usize {
        match self {
            Self::Image | Self::Video => 16,
            Self::Artifact => 1,
            Self::Result | Self::Timeline | Self::Any => MAX_DATA + 1,
        }
    }
}

/// The kind of the content that begins with `head`, or the end of an error message, e.g. "is empty". A `head` shorter than
/// [`Expect::head`] is the whole content.
pub(crate) fn judge(expect: Expect, head: &[u8]) -> Result<EvidenceKind, String> {
    match expect {
        _ if head.is_empty() => Err("is empty".into()),
        Expect::Image if is_image(head) => Ok(EvidenceKind::Image),
        Expect::Image => Err("is no PNG, JPEG, GIF or WebP picture".into()),
        Expect::Video if is_video(head) => Ok(EvidenceKind::Video),
        Expect::Video => Err("is no WebM, Matroska or MP4 video".into()),
        Expect::Artifact => Ok(EvidenceKind::Data),
        Expect::Timeline => timeline(head).map(|()| EvidenceKind::Data),
        Expect::Any if is_image(head) => Ok(EvidenceKind::Image),
        Expect::Any if is_video(head) => Ok(EvidenceKind::Video),
        Expect::Result | Expect::Any if is_data(head) => Ok(EvidenceKind::Data),
        Expect::Result | Expect::Any => Ok(EvidenceKind::Transcript),
    }
}

fn is_image(head: &[u8]) -> bool {
    head.starts_with(b"\x89PNG\r\n\x1a\n")
        || head.starts_with(b"\xff\xd8\xff")
        || head.starts_with(b"GIF87a")
        || head.starts_with(b"GIF89a")
        || (head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP"))
}

/// Matroska and WebM begin with the EBML magic number; MP4 with a box named `ftyp`.
fn is_video(head: &[u8]) -> bool {
    head.starts_with(b"\x1a\x45\xdf\xa3") || head.get(4..8) == Some(b"ftyp")
}

/// A JSON object or array of at most [`MAX_DATA`] bytes. Nothing is built, so nesting and size cost no memory.
fn is_data(bytes: &[u8]) -> bool {
    let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) else { return false };
    matches!(first, b'{' | b'[')
        && bytes.len() <= MAX_DATA
        && std::str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Timeline {
    v: u8,
    axis: Option<String>,
    events: Vec<KindStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct KindStep {
    t_ms: Option<f64>,
    at: Option<f64>,
    step: String,
    #[serde(rename = "node")]
    _node: Option<String>,
}

/// `{v:1,events:[{tMs,step,node?}]}` or `{v:2,axis,events:[{at,step,node?}]}`: closed keys, positions finite, at least 0
/// and never decreasing, steps not blank.
fn timeline(bytes: &[u8]) -> Result<(), String> {
    if bytes.len() > MAX_DATA {
        return Err(format!("is longer than {MAX_DATA} bytes, too long for a step timeline"));
    }
    let timeline: Timeline = serde_json::from_slice(bytes).map_err(|error| format!("is no step timeline: {error}"))?;
    match (timeline.v, timeline.axis.as_deref().map(str::trim)) {
        (1, None) | (2, Some(_)) if timeline.axis.as_deref() != Some("") => {}
        (1, Some(_)) => return Err("has an `axis`, which version 1 of a step timeline has not".into()),
        (2, _) => return Err("lacks the `axis` of a step timeline of version 2".into()),
        (version, _) => return Err(format!("has version {version}; step timelines have version 1 or 2")),
    }
    let mut last = 0.0;
    for (number, step) in (1..).zip(&timeline.events) {
        last =
            position(timeline.v, step, last).map_err(|what| format!("is no step timeline: event {number} {what}"))?;
    }
    Ok(())
}

fn position(version: u8, step: &KindStep, last: f64) -> Result<f64, String> {
    if step.step.trim().is_empty() {
        return Err("has a blank `step`".into());
    }
    let (key, other) = if version == 1 { ("tMs", "at") } else { ("at", "tMs") };
    let (wanted, unwanted) = if version == 1 { (step.t_ms, step.at) } else { (step.at, step.t_ms) };
    match wanted {
        _ if unwanted.is_some() => Err(format!("has `{other}`; version {version} says `{key}`")),
        None => Err(format!("lacks `{key}`")),
        Some(at) if !at.is_finite() || at < 0.0 => Err(format!("has a `{key}` that is not a number from 0 up")),
        Some(at) if at < last => Err("comes before the one above it".into()),
        Some(at) => Ok(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_videos_are_known_by_their_first_bytes() {
        for head in [&b"\x89PNG\r\n\x1a\n."[..], b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8 "] {
            assert_eq!(judge(Expect::Image, head), Ok(EvidenceKind::Image));
            assert!(judge(Expect::Video, head).is_err());
        }
        for head in [&b"\x1a\x45\xdf\xa3...."[..], b"\0\0\0\x20ftypisom"] {
            assert_eq!(judge(Expect::Video, head), Ok(EvidenceKind::Video));
            assert!(judge(Expect::Image, head).is_err());
        }
        assert!(judge(Expect::Image, b"a text").unwrap_err().contains("PNG"));
        assert_eq!(judge(Expect::Any, b"GIF87a"), Ok(EvidenceKind::Image));
    }

    #[test]
    fn nothing_is_evidence_of_nothing() {
        for expect in [Expect::Image, Expect::Video, Expect::Result, Expect::Timeline, Expect::Any] {
            assert_eq!(judge(expect, b""), Err("is empty".into()));
        }
    }

    #[test]
    fn a_result_is_data_only_when_it_is_json_of_the_right_sort_and_size() {
        let kind = |text: &str| judge(Expect::Result, text.as_bytes()).unwrap();
        for data in ["{\"a\":1}", " [1, 2]\n", "[]"] {
            assert_eq!(kind(data), EvidenceKind::Data, "{data}");
        }
        for text in ["42", "\"x\"", "null", "{\"a\":}", "{} {}", "plain", "{\"a\":\"\0\"}", "[NaN]"] {
            assert_eq!(kind(text), EvidenceKind::Transcript, "{text}");
        }
        assert_eq!(judge(Expect::Result, b"[\"\xff\"]").unwrap(), EvidenceKind::Transcript);
        assert_eq!(kind(&"[".repeat(100_000)), EvidenceKind::Transcript);
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(kind(&deep), EvidenceKind::Data);
        let full = format!("[{}]", " ".repeat(MAX_DATA - 2));
        assert_eq!(kind(&full), EvidenceKind::Data);
        assert_eq!(kind(&(full + " ")), EvidenceKind::Transcript);
    }

    #[test]
    fn timelines_have_closed_keys_and_positions_that_never_decrease() {
        let ok = |text: &str| judge(Expect::Timeline, text.as_bytes()).map(|_| ());
        assert_eq!(ok(r#"{"v":1,"events":[{"tMs":0,"step":"a"},{"tMs":0.5,"step":"b","node":"n"}]}"#), Ok(()));
        assert_eq!(ok(r#"{"v":2,"axis":"frame","events":[{"at":3,"step":"a"}]}"#), Ok(()));
        for bad in [
            r#"{"v":3,"events":[]}"#,
            r#"{"v":2,"events":[]}"#,
            r#"{"v":2,"axis":"","events":[]}"#,
            r#"{"v":1,"axis":"t","events":[]}"#,
            r#"{"v":1}"#,
            r#"{"v":1,"events":[],"x":1}"#,
            r#"{"v":1,"events":[{"tMs":1,"step":"a","x":1}]}"#,
            r#"{"v":1,"events":[{"at":1,"step":"a"}]}"#,
            r#"{"v":1,"events":[{"tMs":1,"step":" "}]}"#,
            r#"{"v":1,"events":[{"tMs":-1,"step":"a"}]}"#,
            r#"{"v":1,"events":[{"tMs":1e999,"step":"a"}]}"#,
            r#"{"v":1,"events":[{"tMs":2,"step":"a"},{"tMs":1,"step":"b"}]}"#,
            r#"{"v":1,"v":1,"events":[]}"#,
            "[]",
        ] {
            assert!(ok(bad).is_err(), "{bad}");
        }
    }
}
