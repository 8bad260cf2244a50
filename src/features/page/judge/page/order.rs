//! The order of a page, and which scenarios start unfolded. What a reader has to look at stands first; passes are folded.

use crate::features::page::model::page::{PageContent, PageNode};
use crate::report::view::score::{ReadingState, ScenarioRow};
use crate::report::view::verdict::ShownVerdict;

/// On a page with at most this many scenarios, everything but passes starts unfolded.
const FEW: usize = 8;
/// Most failed scenarios that start unfolded on a longer page.
const FAILED: usize = 20;

/// The place of a scenario among others, the smallest first: failing, stale, not judged, unmeasured, without a verdict,
/// passed.
fn rank(row: &ScenarioRow) -> u8 {
    match (&row.state, row.verdict()) {
        (ReadingState::Fresh, Some(ShownVerdict::Fail)) => 0,
        (ReadingState::Stale(_), Some(ShownVerdict::Fail)) => 1,
        (ReadingState::Stale(_), _) => 2,
        (ReadingState::NotJudged(_), _) => 3,
        (ReadingState::Unmeasured, _) | (ReadingState::Fresh, None) => 4,
        (ReadingState::Fresh, Some(ShownVerdict::Legacy)) => 5,
        (ReadingState::Fresh, Some(ShownVerdict::Pass)) => 6,
    }
}

/// Sorts the scenarios of each node, and the nodes beside each other by their worst scenario, here or below. Equals keep
/// their order, and every node still stands before the nodes below it.
pub(super) fn worst_first(nodes: &mut Vec<PageNode>) {
    let mut worst = vec![u8::MAX; nodes.len()];
    let mut above: Vec<usize> = Vec::new();
    let mut ways: Vec<Vec<usize>> = Vec::new();
    for (at, node) in nodes.iter_mut().enumerate() {
        node.scenarios.sort_by_key(|scenario| rank(&scenario.row));
        above.truncate(node.depth);
        above.push(at);
        let own = node.scenarios.first().map_or(u8::MAX, |scenario| rank(&scenario.row));
        above.iter().for_each(|at| worst[*at] = worst[*at].min(own));
        ways.push(above.clone());
    }
    // the key of a node begins with the key of the node above it, so that no other node comes between them
    let key = |at: usize| ways[at].iter().map(|up| (worst[*up], *up)).collect::<Vec<_>>();
    let mut keyed: Vec<(Vec<(u8, usize)>, PageNode)> =
        nodes.drain(..).enumerate().map(|(at, node)| (key(at), node)).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    nodes.extend(keyed.into_iter().map(|(_, node)| node));
}

/// Unfolds the scenarios that a reader has to look at, and on a short page the lines of the passes.
pub(super) fn unfold(content: &mut PageContent) {
    let all = content.score.all();
    let mut room = FAILED;
    for node in &mut content.nodes {
        node.shows_passes = all <= FEW;
        for scenario in &mut node.scenarios {
            let is_failed = scenario.row.verdict() == Some(ShownVerdict::Fail);
            let is_pass = scenario.row.is_fresh_pass();
            scenario.is_open = all == 1 || (all <= FEW && !is_pass) || (is_failed && room > 0);
            room -= usize::from(is_failed && room > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::page::model::page::PageScenario;
    use crate::finding::NodeRef;
    use crate::report::view::score::ReadingRow;

    /// A node of this depth with a scenario of each state: `f`ail, `s`tale, `u`nmeasured, `p`ass.
    fn node(name: &str, depth: usize, states: &str) -> PageNode {
        let scenarios = states.chars().enumerate().map(|(at, letter)| scenario(letter, at)).collect();
        PageNode { dir: name.into(), id: name.to_owned(), title: None, depth, scenarios, shows_passes: false }
    }

    fn scenario(letter: char, at: usize) -> PageScenario {
        let (verdict, state) = match letter {
            'f' => (Some(ShownVerdict::Fail), ReadingState::Fresh),
            'x' => (Some(ShownVerdict::Fail), ReadingState::Stale(Vec::new())),
            's' => (Some(ShownVerdict::Pass), ReadingState::Stale(Vec::new())),
            'n' => (Some(ShownVerdict::Pass), ReadingState::NotJudged(String::new())),
            'l' => (Some(ShownVerdict::Legacy), ReadingState::Fresh),
            'p' => (Some(ShownVerdict::Pass), ReadingState::Fresh),
            _ => (None, ReadingState::Unmeasured),
        };
        let readings = verdict.map(|verdict| ReadingRow::sample(verdict, state.clone())).into_iter().collect();
        let row = ScenarioRow {
            decided: None,
            environments: Vec::new(),
            blocked: Vec::new(),
            trust: None,
            node: NodeRef { dir: "n".into(), id: "n".to_owned() },
            scenario: format!("{letter}{at}"),
            tags: Vec::new(),
            description: String::new(),
            expected: String::new(),
            state,
            readings,
            redacted: Vec::new(),
            because: Vec::new(),
        };
        PageScenario::sample(row)
    }

    fn sorted(mut nodes: Vec<PageNode>) -> String {
        worst_first(&mut nodes);
        let names = |node: &PageNode| {
            let scenarios: Vec<&str> = node.scenarios.iter().map(|scenario| scenario.row.scenario.as_str()).collect();
            format!("{}{}({})", "-".repeat(node.depth), node.id, scenarios.join(" "))
        };
        nodes.iter().map(names).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_fails_or_is_stale_stands_first_and_equals_keep_their_order() {
        assert_eq!(sorted(vec![node("a", 0, "plunsxfpf")]), "a(f6 f8 x5 s4 n3 u2 l1 p0 p7)");
    }

    #[test]
    fn nodes_with_the_worst_below_them_stand_first_and_keep_what_is_below_them() {
        let tree = vec![
            node("a", 0, "p"),
            node("b", 1, "p"),
            node("c", 1, "s"),
            node("d", 0, ""),
            node("e", 1, ""),
            node("f", 2, "fp"),
            node("g", 1, "u"),
            node("h", 0, "s"),
        ];
        assert_eq!(
            sorted(tree),
            "d() -e() --f(f0 p1) -g(u0) a(p0) -c(s0) -b(p0) h(s0)",
            "equal nodes keep the order of the tree"
        );
    }
}
