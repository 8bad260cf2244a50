//! Reduces a ledger to the readings that may count, for questions about the current state, and to its signatures with the
//! readings that they sign. The other readings leave only their evidence hashes. Works only for a ledger in which other
//! lines change nothing.

use super::{Event, EvidenceHash, Ledger, Line, LineHash, PatchDecisionKind, Reading, Signature, Timestamp};
use crate::model::ids::composed;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many readings of a scenario, from the latest on, are searched for the one that counts.
pub(crate) const MOST_SEARCHED: usize = 64;

/// The same ledger with only the readings that may count in some view, every signature, and every reading that one signs.
/// `None` if the reduced ledger could give another answer: it has problems, lines of other kinds, a reading with a key, or
/// two readings of one scenario with one time.
///
/// The search for the reading that counts ends at the first one without a stamp, so no older reading is kept. A signed one
/// is: an older pass may speak for the content that is here, or end the search for authors of a newer one.
pub(crate) fn may_count(ledger: &Ledger) -> Option<Ledger> {
    if !ledger.problems.is_empty() || ledger.torn || ledger.missing_final_newline {
        return None;
    }
    let mut moments = BTreeSet::new();
    let mut all: BTreeMap<Cow<'_, str>, Vec<(Timestamp, u32, bool)>> = BTreeMap::new();
    let mut kept = BTreeSet::new();
    let signed: BTreeSet<LineHash> = ledger.signatures().flat_map(|signature| &signature.lines).copied().collect();
    for line in &ledger.lines {
        let Some(reading) = plain(&line.event) else {
            if matches!(line.event, Event::Signature(_)) {
                kept.insert(line.number);
                continue;
            }
            return None;
        };
        if !signed.is_empty() && signed.contains(&LineHash::of_object(&line.bytes)) {
            kept.insert(line.number);
        }
        let name = composed(&reading.scenario);
        if !moments.insert((name.clone(), reading.ts)) {
            return None;
        }
        all.entry(name).or_default().push((reading.ts, line.number, reading.governed.is_some()));
    }
    for mut readings in all.into_values() {
        readings.sort_by_key(|(ts, number, _)| Reverse((*ts, *number)));
        let stamped = readings.iter().take(MOST_SEARCHED).take_while(|(.., is_stamped)| *is_stamped).count();
        kept.extend(readings.iter().take(stamped.max(1)).map(|(_, number, _)| *number));
    }
    let (lines, others): (Vec<&Line>, Vec<&Line>) = ledger.lines.iter().partition(|line| kept.contains(&line.number));
    let superseded = others.iter().filter_map(|line| plain(&line.event)).flat_map(Reading::bytes).collect();
    Some(Ledger {
        path: ledger.path.clone(),
        lines: lines.into_iter().cloned().collect(),
        superseded,
        ..Ledger::default()
    })
}

/// A reading that counts by its time alone.
fn plain(event: &Event) -> Option<&Reading> {
    event.reading().filter(|reading| reading.terms.key.is_none())
}

impl Ledger {
    /// Every reading that it holds, without superseded ones.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.lines.iter().filter_map(|line| line.event.reading())
    }

    /// Every signature that it holds.
    fn signatures(&self) -> impl Iterator<Item = &Signature> {
        self.lines.iter().filter_map(|line| match &line.event {
            Event::Signature(signature) => Some(&**signature),
            _ => None,
        })
    }

    /// Whether it holds a complete decision about a patch.
    pub(crate) fn decides_patches(&self) -> bool {
        let decides = |event: &Event| match event {
            Event::Decision(decision) => {
                decision.wrong.is_empty() && PatchDecisionKind::parse(&decision.kind).is_some()
            }
            _ => false,
        };
        self.lines.iter().any(|line| decides(&line.event))
    }

    /// Every hash that its readings and its vain attempts name, superseded ones included.
    pub(crate) fn named(&self) -> impl Iterator<Item = EvidenceHash> {
        let naming = self.lines.iter().filter_map(|line| line.event.naming());
        naming.flat_map(Reading::bytes).chain(self.superseded.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::effective::Effective;
    use crate::model::ledger::parse;
    use crate::tree::path::RepoPath;

    const SHA: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn reading(scenario: &str, second: u32, more: &str) -> String {
        format!(
            "{{\"scenario\":\"{scenario}\",\"codeSha\":\"{SHA}\"{more},\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}\n"
        )
    }

    fn parsed(lines: &[String]) -> Ledger {
        parse(&RepoPath::from_git("n/yatsu.evals.ndjson"), lines.concat().as_bytes())
    }

    #[test]
    fn what_may_count_stays_and_of_the_others_what_they_name() {
        let named = |byte: &str| format!(",\"blob\":\"{}\",\"blobKind\":\"image\"", byte.repeat(32));
        let whole = parsed(&[
            reading("s", 5, &named("0a")),
            "\n".into(),
            reading("s", 1, &named("0b")),
            reading("caf\u{e9}", 1, &named("0c")),
            reading("cafe\u{301}", 2, ""),
        ]);
        let short = may_count(&whole).unwrap();
        assert_eq!(short.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 5]);
        assert!(short.lines.iter().all(|line| whole.lines.contains(line)));
        let all = |ledger: &Ledger| ledger.named().collect::<BTreeSet<_>>();
        assert_eq!((all(&short), all(&whole).len()), (all(&whole), 3));
        for name in ["s", "caf\u{e9}", "none"] {
            let of = |ledger| Effective::over(std::slice::from_ref(ledger)).latest(name).cloned();
            assert_eq!(of(&short), of(&whole), "{name}");
        }
    }

    #[test]
    fn of_stamped_readings_those_stay_that_may_count_in_another_view() {
        let stamped = |second| reading("s", second, ",\"governed\":{\"a\":\"-\"}");
        let kept = |lines: &[String]| {
            may_count(&parsed(lines)).unwrap().lines.iter().map(|line| line.number).collect::<Vec<_>>()
        };
        assert_eq!(kept(&[stamped(1), reading("s", 2, ""), stamped(3), stamped(4)]), [3, 4]);
        assert_eq!(kept(&[stamped(1), stamped(2), reading("s", 3, "")]), [3]);
        let many: Vec<String> = (0..60)
            .flat_map(|second| [second, second + 60])
            .map(|at| stamped(at % 60).replace("00:00:", &format!("00:{:02}:", at / 60)))
            .collect();
        assert_eq!(kept(&many).len(), MOST_SEARCHED);
    }

    #[test]
    fn signatures_stay_with_the_readings_that_they_sign() {
        let all = [reading("s", 1, ""), reading("s", 2, ""), reading("s", 3, "")];
        let signing = |line: &str| {
            let hash = LineHash::of_object(line.as_bytes());
            format!(
                "{{\"kind\":\"signature\",\"home\":\"n\",\"lines\":[\"{hash}\"],\"ts\":\"2026-01-02T00:00:00.000Z\",\"sig\":\"AAAA\"}}\n"
            )
        };
        let [first, second, last] = all.clone();
        let whole = parsed(&[first.clone(), signing(&first), second, last, signing("another ledger's")]);
        let short = may_count(&whole).unwrap();
        assert_eq!(short.lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 4, 5]);
        assert!(short.lines.iter().all(|line| whole.lines.contains(line)));
        let edited = first.replace('}', ",\"by\":\"eve\"}");
        let short = may_count(&parsed(&[edited, signing(&first), all[2].clone()])).unwrap();
        assert_eq!(short.lines.len(), 2, "an edited line is no signed one");
    }

    #[test]
    fn a_ledger_in_which_more_matters_has_no_short_form() {
        let first = reading("s", 1, "");
        let retraction =
            "{\"retracts\":\"2026-01-01T00:00:01.000Z\",\"scenario\":\"s\",\"ts\":\"2026-01-01T00:00:09.000Z\"}\n";
        let others = [
            retraction.to_owned(),
            first.clone(),
            reading("s", 1, ",\"by\":\"another\""),
            reading("s", 2, ",\"key\":\"k\""),
            "{\"kind\":\"other\"}\n".into(),
            "{\"scenario\":\n".into(),
            reading("s", 2, "").trim_end().into(),
        ];
        assert!(may_count(&parsed(std::slice::from_ref(&first))).is_some());
        for other in others {
            assert!(may_count(&parsed(&[first.clone(), other.clone()])).is_none(), "{other}");
        }
        assert!(may_count(&parsed(&["{\"scenario\":\n".into()])).is_none(), "with nothing but a problem");
    }
}
