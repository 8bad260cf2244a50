//! The rule for a file with one writer: it only grows. The old content stays its beginning, byte for byte. A torn last line
//! is exempt, because it never was a line.

use crate::text::ndjson;
use std::borrow::Cow;

/// The place where a new version of a file stops beginning with the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenAt {
    /// The physical line, from 1.
    pub line: u32,
    /// The old line, without its end.
    pub was: Vec<u8>,
    /// Whether the new version is a beginning of the old one: lines were only cut off.
    pub cut: bool,
}

/// The part of a file that must stay. A last line that is no JSON is dropped; a last line without its end gets one.
fn kept(before: &[u8]) -> Cow<'_, [u8]> {
    let end = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let tail = &before[end..];
    if tail.is_empty() {
        Cow::Borrowed(before)
    } else if ndjson::objects(tail).is_some() {
        Cow::Owned([before, b"\n"].concat())
    } else {
        Cow::Borrowed(&before[..end])
    }
}

/// The place where `now` breaks the rule; `None` if it holds. A file that is unchanged to the last byte always holds.
pub(crate) fn broken(before: &[u8], now: &[u8]) -> Option<BrokenAt> {
    let kept = kept(before);
    if now == before || now.starts_with(&kept) {
        return None;
    }
    let same = kept.iter().zip(now).take_while(|(a, b)| a == b).count();
    let start = kept[..same].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = kept[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
    let was = kept[start..].split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
    Some(BrokenAt { line: u32::try_from(line).unwrap_or(u32::MAX), was, cut: same == now.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(before: &str, now: &str) -> Option<(u32, String, bool)> {
        let broken = broken(before.as_bytes(), now.as_bytes())?;
        Some((broken.line, String::from_utf8(broken.was).unwrap(), broken.cut))
    }

    #[test]
    fn what_grows_at_its_end_keeps_the_law() {
        for (before, now) in [
            ("", "{}\n"),
            ("{}\n", "{}\n{}\n"),
            ("{}", "{}"),
            ("{}", "{}\n"),
            ("{}", "{}\n{}\n"),
            ("{}\n{\"a", "{}\n"),
            ("{}\n{\"a", "{}\n{\"b\":1}\n"),
            ("{\"a", ""),
        ] {
            assert_eq!(at(before, now), None, "{before:?} {now:?}");
        }
    }

    #[test]
    fn what_is_edited_cut_or_put_between_breaks_it_in_a_line() {
        let three = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
        assert_eq!(at(three, &three.replace('2', "9")), Some((2, "{\"n\":2}".into(), false)));
        assert_eq!(at(three, "{\"n\":1}\n{\"n\":2}\n"), Some((3, "{\"n\":3}".into(), true)));
        assert_eq!(at(three, ""), Some((1, "{\"n\":1}".into(), true)));
        assert_eq!(
            at(three, &three.replace("{\"n\":2}", "{\"x\":0}\n{\"n\":2}")),
            Some((2, "{\"n\":2}".into(), false))
        );
        assert_eq!(at("{}", "{}{}\n"), Some((1, "{}".into(), false)), "glued behind a line without its end");
        assert_eq!(at("{}\n", "{}\r\n"), Some((1, "{}".into(), false)));
        assert_eq!(at("{}\n{}", "{}\n{\"a\":1}\n"), Some((2, "{}".into(), false)));
    }

    proptest! {
        #[test]
        fn a_law_that_holds_step_by_step_holds_from_end_to_end(
            parts in prop::collection::vec("(\\{\\}\n|\\{\\}|\\{\n?){0,3}", 1..5),
        ) {
            let versions: Vec<String> = parts.iter().scan(String::new(), |text, part| { *text += part; Some(text.clone()) }).collect();
            let holds = versions.windows(2).all(|pair| broken(pair[0].as_bytes(), pair[1].as_bytes()).is_none());
            if holds {
                let (first, last) = (&versions[0], &versions[versions.len() - 1]);
                prop_assert_eq!(broken(first.as_bytes(), last.as_bytes()), None);
            }
        }
    }
}
