//! `graph-dangling`: relations to missing things, for example a reading of a scenario that is not declared any more.

use crate::features::graph::judge::gaps::GraphGaps;
use crate::finding::{Finding, RuleId};
use crate::rules::Explanation;
use crate::text::escape::echo;

pub(crate) const EXPLANATION: Explanation = Explanation::of(
    "A relation of the event graph leads to something that is not there, for example to a scenario that is no longer declared.",
    "A reading of a deleted scenario explains nothing about the current code, and is easy to overlook.",
    "Nothing must be done. If the scenario only moved, its ledger moves with it. If a file of a `code:` list is gone, `yatsu-hook scan` names \
     the edit to make.",
);

pub(crate) fn check(gaps: &GraphGaps, found: &mut Vec<Finding>) {
    for dangling in &gaps.dangling {
        let [from, rel, to] = &dangling.first;
        let more = match dangling.others {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        let message = format!("{} is not there: {} {rel} {}{more}", echo(&dangling.id), echo(from), echo(to));
        let mut finding = Finding::new(RuleId::GraphDangling, message);
        finding.help =
            "nothing has to be done: the graph keeps old events; if the scenario moved, its ledger moves with it"
                .to_owned();
        finding.key.clone_from(&dangling.id);
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::judge::engine::replay::replay;

    #[test]
    fn what_relations_name_and_nobody_has_is_told_once() {
        let relation = |from: &str| {
            format!("{{\"CreateRelation\":{{\"from\":\"{from}\",\"rel\":\"observes\",\"to\":\"scenario:n#gone\"}}}}\n")
        };
        let node = |id: &str| format!("{{\"CreateNode\":{{\"id\":\"{id}\",\"kind\":\"observation\"}}}}\n");
        let log = node("reading:a") + &node("reading:b") + &relation("reading:a") + &relation("reading:b");
        let replayed = replay("-", log.as_bytes(), None);
        let mut found = Vec::new();
        check(&GraphGaps::of(&replayed.graph, &replayed.missed), &mut found);
        let told: Vec<&str> = found.iter().map(|finding| &*finding.message).collect();
        insta::assert_snapshot!(told.join("\n"), @"scenario:n#gone is not there: reading:a observes scenario:n#gone, and 1 more");
    }
}
