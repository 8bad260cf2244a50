//! The three-way merge of a ledger (hooks.md, "Merging ledgers"): bytes in, bytes out. Loses and doubles no line of either
//! side; if that is impossible, writes ordinary conflict markers.

use super::redaction::Redactions;
use crate::model::ledger::{Ledger, parse};
use crate::text::ndjson::{self, RawLine};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::HashSet;

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// The merged ledger: the local side, then the lines that only the other side has.
    Clean(Vec<u8>),
    /// The other side lacks a line of the base, so its history was edited. Both sides between conflict markers.
    Refused(Vec<u8>),
}

/// Merges three versions of a ledger; `base` is empty if both sides added the file. Lines are compared without their ends;
/// blank lines are ignored. `ours` is a prefix of the result, with a final line end added if lines follow. A line that one
/// side redacted is not in the result: its redaction replaces it.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    let in_base: HashSet<&[u8]> = ndjson::filled(base).collect();
    let in_theirs: HashSet<&[u8]> = ndjson::filled(theirs).collect();
    let [our_ledger, their_ledger] = [ours, theirs].map(with_redactions);
    let excused = Redactions::of([&their_ledger]);
    if in_base.iter().any(|line| !in_theirs.contains(line) && !excused.cover(line)) {
        return Merged::Refused(conflict(ours, theirs));
    }
    // a redaction of the base that `ours` lacks was dropped there, and stays dropped
    let brought = their_ledger.lines.iter().filter(|line| !in_base.contains(&*line.bytes));
    let redactions = Redactions::among(our_ledger.lines.iter().chain(brought));
    let mut result = redacted(ours, &redactions);
    let kept = result.clone();
    let mut known: HashSet<&[u8]> = in_base.into_iter().chain(ndjson::filled(&kept)).collect();
    for line in ndjson::filled(theirs).filter(|line| known.insert(line) && !redactions.cover(line)) {
        append(&mut result, line);
    }
    Merged::Clean(result)
}

/// The parsed ledger if it may hold redactions, otherwise an empty one to save the parsing.
fn with_redactions(bytes: &[u8]) -> Ledger {
    if bytes.contains_str("redacts") { parse(&RepoPath::root(), bytes) } else { Ledger::default() }
}

/// `ours` with redactions in the place of the redacted lines, each once.
fn redacted(ours: &[u8], redactions: &Redactions<'_>) -> Vec<u8> {
    let mut known: HashSet<&[u8]> = ndjson::filled(ours).collect();
    let mut out = Vec::with_capacity(ours.len());
    for (line, whole) in ndjson::lines(ours).zip(ours.split_inclusive(|byte| *byte == b'\n')) {
        let Some(stands) = redactions.in_place_of(line.bytes).first().copied() else {
            out.extend_from_slice(whole);
            continue;
        };
        if known.insert(stands) {
            out.extend_from_slice(stands);
            out.extend_from_slice(&whole[line.bytes.len()..]);
        }
    }
    out
}

/// The common beginning of both sides stands before the markers, as git writes it.
fn conflict(ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let sides = || ndjson::lines(ours).zip(ndjson::lines(theirs));
    let shared = sides().take_while(|(left, right)| left.bytes == right.bytes).count();
    let mut result = Vec::with_capacity(ours.len() + theirs.len() + 64);
    ndjson::lines(ours).take(shared).for_each(|line| append(&mut result, line.bytes));
    append(&mut result, b"<<<<<<< ours");
    append_rest(&mut result, ndjson::lines(ours).skip(shared));
    append(&mut result, b"=======");
    append_rest(&mut result, ndjson::lines(theirs).skip(shared));
    append(&mut result, b">>>>>>> theirs");
    result
}

fn append_rest<'b>(result: &mut Vec<u8>, lines: impl Iterator<Item = RawLine<'b>>) {
    lines.for_each(|line| append(result, line.bytes));
}

/// Adds a whole line, never onto an unfinished one.
fn append(result: &mut Vec<u8>, line: &[u8]) {
    if !result.is_empty() && !result.ends_with(b"\n") {
        result.push(b'\n');
    }
    result.extend_from_slice(line);
    result.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{Event, encode_redaction, redact};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn text(merged: Merged) -> (bool, String) {
        match merged {
            Merged::Clean(bytes) => (true, String::from_utf8(bytes).unwrap()),
            Merged::Refused(bytes) => (false, String::from_utf8(bytes).unwrap()),
        }
    }

    fn clean(base: &str, ours: &str, theirs: &str) -> String {
        let (clean, text) = text(merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()));
        assert!(clean, "{text}");
        text
    }

    #[test]
    fn ours_then_what_only_theirs_has() {
        assert_eq!(clean("a\n", "a\nb\n", "a\nc\nd\n"), "a\nb\nc\nd\n");
        assert_eq!(clean("", "b\n", "b\nc\n"), "b\nc\n");
        assert_eq!(clean("a\n", "a\n", "a\n"), "a\n");
        assert_eq!(clean("", "", "c\n"), "c\n");
    }

    #[test]
    fn what_a_rebase_dropped_from_ours_stays_dropped() {
        assert_eq!(clean("a\nb\n", "a\n", "a\nb\nc\n"), "a\nc\n");
        assert_eq!(clean("a\nb\n", "b\na\n", "a\nb\nc\n"), "b\na\nc\n");
    }

    #[test]
    fn a_missing_final_line_end_glues_nothing() {
        assert_eq!(clean("a", "a\nb", "a\nc"), "a\nb\nc\n");
        assert_eq!(clean("a\n", "a\nb", "a\n"), "a\nb");
        assert_eq!(clean("a", "a", "a\n"), "a");
        assert_eq!(clean("a\r\n", "a\n", "a\r\nc\r\n"), "a\nc\n");
        assert_eq!(clean("a\n", "a\n\n", "a\n\n\nc\nc\n"), "a\n\nc\n");
    }

    #[test]
    fn a_base_line_that_theirs_lacks_is_a_conflict() {
        let (clean, merged) = text(merge(b"a\nb\n", b"a\nb\nc", b"a\nx"));
        assert_eq!((clean, merged.as_str()), (false, "a\n<<<<<<< ours\nb\nc\n=======\nx\n>>>>>>> theirs\n"));
        assert_eq!(text(merge(b"a", b"", b"")).1, "<<<<<<< ours\n=======\n>>>>>>> theirs\n");
    }

    fn redaction(line: &str) -> String {
        let Some(Event::Redaction(redaction)) = redact(line.as_bytes(), "a name", None) else { panic!("a redaction") };
        encode_redaction(&redaction)
    }

    fn reading(second: u32) -> String {
        format!("{{\"scenario\":\"s\",\"evaluator\":\"m@1\",\"ts\":\"2026-01-01T00:00:0{second}.000Z\"}}")
    }

    #[test]
    fn a_line_that_one_side_redacted_does_not_come_back_from_the_other() {
        let (one, two, three) = (reading(1), reading(2), reading(3));
        let gone = redaction(&one);
        let text = |lines: &[&String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let (both, added) = (text(&[&one, &two]), text(&[&one, &two, &three]));
        let redacted = text(&[&gone, &two]);
        assert_eq!(clean(&both, &redacted, &added), text(&[&gone, &two, &three]), "ours redacted");
        assert_eq!(clean(&both, &added, &redacted), text(&[&gone, &two, &three]), "theirs redacted, in place");
        assert_eq!(clean("", &redacted, &added), text(&[&gone, &two, &three]), "new on both sides");
        assert_eq!(clean("", &added, &redacted), text(&[&gone, &two, &three]), "new on both sides");
        assert_eq!(clean(&both, &redacted, &redacted), redacted);
        let dropped = clean(&redacted, &both, &text(&[&gone, &two, &three]));
        assert_eq!(dropped, text(&[&one, &two, &three]), "what a rebase dropped from ours stays dropped");
    }

    #[test]
    fn two_redactions_of_one_line_both_stand() {
        let one = reading(1);
        let (mine, other) = (redaction(&one), redaction(&one).replace("a name", "another"));
        let merged = clean(&format!("{one}\n"), &format!("{mine}\n"), &format!("{other}\n"));
        assert_eq!(merged, format!("{mine}\n{other}\n"));
    }

    #[test]
    fn a_redaction_of_another_line_excuses_nothing() {
        let (one, two) = (reading(1), reading(2));
        let forged = format!("{}\n{two}\n", redaction(&reading(3)));
        assert!(!text(merge(format!("{one}\n{two}\n").as_bytes(), b"", forged.as_bytes())).0);
    }

    /// Some lines of a small set, so that the sides overlap; with or without a final line end.
    fn side() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        (vec(0..12_u8, 0..8), any::<bool>()).prop_map(|(lines, ended)| {
            let mut text: Vec<u8> = lines.iter().flat_map(|line| [b'a' + line, b'\n']).collect();
            if !ended {
                text.pop();
            }
            (lines.iter().map(|line| b'a' + line).collect(), text)
        })
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_doubled((base, base_text) in side(), (ours, our_text) in side(), (theirs, their_text) in side()) {
            let set = |lines: &[u8]| lines.iter().copied().collect::<std::collections::BTreeSet<_>>();
            let (base, mine, other) = (set(&base), set(&ours), set(&theirs));
            match merge(&base_text, &our_text, &their_text) {
                Merged::Clean(result) => {
                    prop_assert!(base.is_subset(&other));
                    prop_assert!(result.starts_with(&our_text));
                    let lines: Vec<u8> = ndjson::filled(&result).map(|line| { assert_eq!(line.len(), 1); line[0] }).collect();
                    let expected: std::collections::BTreeSet<_> = mine.iter().chain(other.difference(&base)).copied().collect();
                    prop_assert_eq!(&set(&lines), &expected);
                    prop_assert_eq!(lines.len() - ours.len(), expected.len() - mine.len());
                }
                Merged::Refused(result) => {
                    prop_assert!(!base.is_subset(&other));
                    let kept: std::collections::BTreeSet<_> = ndjson::filled(&result).filter(|line| line.len() == 1).map(|line| line[0]).collect();
                    prop_assert_eq!(kept, mine.union(&other).copied().collect());
                }
            }
        }

        #[test]
        fn any_bytes_merge(base: Vec<u8>, ours: Vec<u8>, theirs: Vec<u8>) {
            if let Merged::Clean(result) = merge(&base, &ours, &theirs) {
                prop_assert!(result.starts_with(&ours));
            }
        }
    }
}
