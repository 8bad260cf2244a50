//! Finds the reading of a scenario that counts in a view (docs/freshness.md, "Which reading counts"). A clock decides only
//! between readings of the same content. For example: two branches measure the same scenario, main merges both, and the
//! merged files are those of the branch that filed first. Its reading counts, although the other one is later.
//!
//! All code asks here for "the" reading of a scenario.

use super::narrow::UnitTestimony;
use super::{Freshness, Judge, Judgement};
use crate::engine::effective::{Effective, FiledEvent};
use crate::error::{ErrorKind, Result};
use crate::finding::Axis;
use crate::model::ledger::{MOST_SEARCHED, Reading};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;

/// The reading of a scenario that counts in a view.
pub struct CountingReading<'n> {
    /// The reading with its line.
    pub filed: FiledEvent<'n, Reading>,
    /// Whether a later reading measured other content.
    pub is_earlier: bool,
    /// Its freshness; an error if git cannot compute it.
    pub freshness: Result<Freshness>,
}

/// The state of a reading that is not the latest.
enum Earlier {
    /// It was measured on the content of the view.
    Stands(Freshness),
    /// Its stamp proves it stale.
    Disproved,
    /// Neither can be proved here, so the search ends.
    Unproved,
}

/// A search through the readings before the latest one.
struct Search<'j, 'a> {
    judge: &'j Judge<'a>,
    asked: Declared<'j>,
    /// Whether the measured file of a reading was already parsed.
    has_parsed: bool,
    /// Whether an added path may change an answer.
    appeared: bool,
}

impl Judge<'_> {
    /// The reading of `scenario` in `effective` that counts in the view: the latest one measured on the content and the
    /// text of the view, by its test, or else the latest. `None` without readings.
    pub fn counting<'n>(
        &self,
        node: &Node,
        scenario: &Scenario,
        effective: &Effective<'n>,
    ) -> Option<CountingReading<'n>> {
        self.counting_among(Declared { node, scenario }, effective.newest_first(&scenario.name).copied())
    }

    /// The same among some of its readings, newest first.
    pub(crate) fn counting_among<'n>(
        &self,
        asked: Declared<'_>,
        mut newest_first: impl Iterator<Item = FiledEvent<'n, Reading>>,
    ) -> Option<CountingReading<'n>> {
        let latest = newest_first.next()?;
        let judged = match self.judgement(asked, latest.event, UnitTestimony::File) {
            Ok(judged) => judged,
            Err(error) => return Some(CountingReading::latest(latest, Err(error))),
        };
        let Judgement { mut freshness, is_disproved, .. } = judged;
        if is_of_this_content(&freshness) || !is_disproved || latest.event.governed.is_none() {
            return Some(CountingReading::latest(latest, Ok(freshness)));
        }
        let mut search = Search { judge: self, asked, has_parsed: false, appeared: freshness.appeared };
        for filed in newest_first.take(MOST_SEARCHED - 1) {
            match search.look_at(filed.event) {
                Ok(Earlier::Disproved) => {}
                Ok(Earlier::Unproved) => break,
                Ok(Earlier::Stands(found)) => {
                    let freshness = Ok(Freshness { appeared: search.appeared, ..found });
                    return Some(CountingReading { filed, is_earlier: true, freshness });
                }
                // asked again after the file is parsed
                Err(error) => return Some(CountingReading::latest(latest, Err(error))),
            }
        }
        freshness.appeared = search.appeared;
        Some(CountingReading::latest(latest, Ok(freshness)))
    }
}

impl<'n> CountingReading<'n> {
    fn latest(filed: FiledEvent<'n, Reading>, freshness: Result<Freshness>) -> Self {
        Self { filed, is_earlier: false, freshness }
    }
}

impl Search<'_, '_> {
    /// The state of an earlier reading. Fails only if the file has to be parsed first and the caller must ask again.
    fn look_at(&mut self, reading: &Reading) -> Result<Earlier> {
        // Without a stamp the commit would decide, and another clone may not have that commit.
        if reading.governed.is_none() {
            return Ok(Earlier::Unproved);
        }
        let Some(mut judged) = self.judged(reading, UnitTestimony::StampedId)? else { return Ok(Earlier::Unproved) };
        if judged.by_stamped_id && !judged.is_disproved && is_of_this_content(&judged.freshness) {
            // At most one file is parsed: parsing the file of each reading would cost a hook seconds.
            if std::mem::replace(&mut self.has_parsed, true) {
                return Ok(Earlier::Unproved);
            }
            judged = match self.judged(reading, UnitTestimony::File)? {
                Some(judged) => judged,
                None => return Ok(Earlier::Unproved),
            };
        }
        Ok(match judged {
            Judgement { is_disproved: true, .. } => Earlier::Disproved,
            Judgement { freshness, .. } if is_of_this_content(&freshness) => Earlier::Stands(freshness),
            Judgement { .. } => Earlier::Unproved,
        })
    }

    /// `None` if git cannot compute the freshness.
    fn judged(&mut self, reading: &Reading, testifies: UnitTestimony) -> Result<Option<Judgement>> {
        match self.judge.judgement(self.asked, reading, testifies) {
            Ok(judged) => {
                self.appeared |= judged.freshness.appeared;
                Ok(Some(judged))
            }
            Err(error) if error.kind == ErrorKind::Unparsed => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// Whether a reading was measured on the content and the text of the view, by the test of the view. The version of the
/// evaluator is ignored.
fn is_of_this_content(freshness: &Freshness) -> bool {
    freshness.test.is_empty() && freshness.axes.iter().all(|axis| *axis == Axis::Evaluator)
}

#[cfg(all(test, feature = "units"))]
mod tests {
    use super::*;
    use crate::engine::anchors::Anchors;
    use crate::model::governed::Governed;
    use crate::model::ledger::parse;
    use crate::model::scenario;
    use crate::model::source::Position;
    use crate::tree::memory::{MemoryHistory, MemoryTree, id_of};
    use crate::tree::path::RepoPath;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    const F: &str = "function f() { return 1 }";
    const OTHER: &str = "function f() { return 2 }";

    /// The line of a reading. Its file holds `source` and the comment `more`; its stamp records the unit `f` with the bytes
    /// `said`.
    fn line(history: &MemoryHistory, second: usize, (source, more): (&str, &str), said: &str) -> String {
        let file = history.keep(format!("{source}\n// {more}\n").as_bytes());
        format!(
            "{{\"scenario\":\"s\",\"codeSha\":\"{}\",\"scenarioHash\":\"{}\",\"blob\":null,\"governed\":{{\"a.ts\":\"{file}\"}},\
             \"units\":{{\"a.ts#f\":\"{}\"}},\"verdict\":{{\"status\":\"pass\"}},\"ts\":\"2026-01-01T00:00:{second:02}.000Z\"}}\n",
            "1".repeat(40),
            scenario::text_hash("d", "e"),
            id_of(said.as_bytes())
        )
    }

    /// The line that counts and the number of parsed files, for a view with `f` as in [`F`] and a rest that was never
    /// measured.
    fn counts(readings: &[((&str, &str), &str)]) -> (u32, usize) {
        let history = Rc::new(MemoryHistory::default());
        let lines: String =
            readings.iter().enumerate().map(|(at, (file, said))| line(&history, at, *file, said)).collect();
        let text = "---\nscenarios:\n  - name: s\n    description: d\n    expected: e\n    tags: [cli]\n---\n";
        let mut file = scenario::parse(&RepoPath::from_git("n/scenarios"), text.as_bytes(), &[]);
        file.scenarios[0].code = vec![Governed::parse("a.ts#f", Position::default(), None)];
        let ledgers = vec![parse(&RepoPath::from_git("n/ledger"), lines.as_bytes())];
        let node = Node { dir: RepoPath::from_git("n"), file: Some(file), ledgers, ..Node::default() };
        let view = MemoryTree::of_files(&[("a.ts", &format!("{F}\n// here\n"))]);
        let (anchors, evaluators) = (Anchors::new(Rc::clone(&history) as _), BTreeMap::new());
        let judge = Judge::new(&view, &anchors, &evaluators);
        let scenario = &node.file.as_ref().expect("a file").scenarios[0];
        let found = judge.counting(&node, scenario, &Effective::of(&node)).expect("a reading");
        (found.filed.line, history.parsed())
    }

    #[test]
    fn of_earlier_readings_only_the_first_with_the_same_unit_has_its_file_parsed() {
        let other = |more| ((OTHER, more), OTHER);
        // the files of the view, of the latest reading and of the one that counts
        assert_eq!(counts(&[((F, "1"), F), other("2"), other("3"), other("4")]), (1, 3));
        // a reading with a wrong unit in its stamp is passed over, and no further file is parsed
        assert_eq!(counts(&[((F, "1"), F), ((OTHER, "2"), F), other("3")]), (3, 3));
    }
}
