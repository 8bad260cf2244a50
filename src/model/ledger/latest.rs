//! A ledger by its latest readings alone: what is kept of one by whoever asks how scenarios stand now. Of the readings that a
//! later one took the place of nothing but the hashes is left. Only of a ledger in which nothing else follows from those.

use super::{Event, EvidenceHash, Ledger, Line, Reading, Timestamp};
use crate::model::ids::composed;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The same ledger with the latest reading of each scenario and no other; `None` where that would not tell the same of
/// them: one with problems, with anything but readings, or with readings that are one by their key or their time.
pub(crate) fn latest(ledger: &Ledger) -> Option<Ledger> {
    if !ledger.problems.is_empty() || ledger.torn || ledger.missing_final_newline {
        return None;
    }
    let mut moments = BTreeSet::new();
    let mut last: BTreeMap<Cow<'_, str>, (Timestamp, u32)> = BTreeMap::new();
    for line in &ledger.lines {
        let reading = plain(&line.event)?;
        let name = composed(&reading.scenario);
        if !moments.insert((name.clone(), reading.ts)) {
            return None;
        }
        let last = last.entry(name).or_insert((reading.ts, line.number));
        *last = (*last).max((reading.ts, line.number));
    }
    let kept: BTreeSet<u32> = last.values().map(|(_, number)| *number).collect();
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
    match event {
        Event::Reading(reading) => Some(&**reading).filter(|reading| reading.terms.key.is_none()),
        Event::Retraction(_) | Event::Redaction(_) | Event::Decision(_) | Event::Other | Event::Unknown(_) => None,
    }
}

impl Ledger {
    /// Every hash that a reading in it names, superseded or not.
    pub(crate) fn named(&self) -> impl Iterator<Item = EvidenceHash> {
        let readings = self.lines.iter().filter_map(|line| match &line.event {
            Event::Reading(reading) => Some(reading),
            Event::Retraction(_) | Event::Redaction(_) | Event::Decision(_) | Event::Other | Event::Unknown(_) => None,
        });
        readings.flat_map(|reading| reading.bytes()).chain(self.superseded.iter().copied())
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
    fn the_latest_of_each_scenario_stays_and_of_the_others_what_they_name() {
        let named = |byte: &str| format!(",\"blob\":\"{}\",\"blobKind\":\"image\"", byte.repeat(32));
        let whole = parsed(&[
            reading("s", 5, &named("0a")),
            "\n".into(),
            reading("s", 1, &named("0b")),
            reading("caf\u{e9}", 1, &named("0c")),
            reading("cafe\u{301}", 2, ""),
        ]);
        let short = latest(&whole).unwrap();
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
        assert!(latest(&parsed(std::slice::from_ref(&first))).is_some());
        for other in others {
            assert!(latest(&parsed(&[first.clone(), other.clone()])).is_none(), "{other}");
        }
        assert!(latest(&parsed(&["{\"scenario\":\n".into()])).is_none(), "with nothing but a problem");
    }
}
