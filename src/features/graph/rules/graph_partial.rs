//! `graph-partial`: a place that adds nothing to the graph: a line that cannot be read, or an event that is refused.

use crate::features::graph::judge::gaps::GraphGaps;
use crate::finding::{Finding, Location, RuleId};
use crate::rules::Explanation;
use crate::text::{plural, shell};

pub(crate) const EXPLANATION: Explanation = Explanation::of(
    "A part of the event graph is missing: a line cannot be read, or an event is refused.",
    "The rest of the graph is still shown, so an incomplete answer may look complete.",
    "Mend the line: `yatsu-hook validate -- FILE` says what is wrong with a ledger or a scenario file. In the log of another program the event \
     stays refused; append an event that corrects it.",
);

pub(crate) fn check(gaps: &GraphGaps, found: &mut Vec<Finding>) {
    for note in &gaps.partial {
        let mut finding = Finding::new(RuleId::GraphPartial, format!("not in the graph: {}", note.message));
        finding.location = Some(Location { path: note.path.clone().into(), line: Some(note.line), column: None });
        finding.help = format!(
            "what is wrong with the line: yatsu-hook validate -- {}; torn and glued lines: yatsu-hook repair",
            shell::place(&note.path)
        );
        finding.key = format!("{}:{}", note.path, note.message);
        found.push(finding);
    }
    if gaps.unlisted > 0 {
        let more = usize::try_from(gaps.unlisted).unwrap_or(usize::MAX);
        let mut finding =
            Finding::new(RuleId::GraphPartial, format!("not in the graph: {} more", plural(more, "place")));
        finding.help = "mend the first ones: what follows is mostly the same".to_owned();
        finding.key = "unlisted".to_owned();
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::judge::engine::replay::replay;

    #[test]
    fn a_place_that_says_nothing_is_told_with_its_line() {
        let replayed = replay("state/events.jsonl", b"\ngarbage\n", None);
        let gaps = GraphGaps::of(&replayed.graph, &replayed.missed);
        let mut found = Vec::new();
        check(&gaps, &mut found);
        insta::assert_snapshot!(found[0].message, @"not in the graph: the line is not JSON (expected value)");
        let place = found[0].location.as_ref().map(|location| (location.path.to_string(), location.line));
        assert_eq!((found.len(), place), (1, Some(("state/events.jsonl".into(), Some(2)))));
        check(&GraphGaps { unlisted: 2, ..GraphGaps::default() }, &mut found);
        insta::assert_snapshot!(found[1].message, @"not in the graph: 2 places more");
    }
}
