//! Stale scenarios that one path made stale, as one card with their list: the edit of a file that many scenarios govern is one thing
//! to look at.

use super::markup::Markup;
use crate::features::page::model::page::{PageContent, PageScenario};
use crate::report::view::score::ReadingState;
use crate::text::plural;
use bstr::{BStr, ByteSlice};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The cards, the largest first; nothing where no path is behind two scenarios.
pub(super) fn causes(page: &mut Markup, content: &PageContent) {
    let cards = cards(content);
    if cards.is_empty() {
        return;
    }
    page.raw("<section id=\"causes\" aria-label=\"Stale by one cause\">\n");
    for (path, scenarios) in cards {
        let nodes: BTreeSet<_> = scenarios.iter().map(|scenario| &scenario.row.node.dir).collect();
        page.raw("<details class=\"cause\"")
            .attr("data-cause", path)
            .raw("><summary><span class=\"pill stale\">stale</span> ");
        page.raw("<code>").text(path).raw("</code> moved: ").text(plural(scenarios.len(), "scenario"));
        page.raw(" of ").text(plural(nodes.len(), "node")).raw("</summary>\n<ul class=\"links\">");
        for scenario in scenarios {
            page.raw("<li><a href=\"#").text(&scenario.anchor).raw("\">").text(&scenario.row.node.id).raw("/");
            page.text(&scenario.row.scenario).raw("</a></li>");
        }
        page.raw("</ul></details>\n");
    }
    page.raw("</section>\n");
}

/// Each path with the scenarios that it made stale, two at least. A scenario with several goes to the largest card.
fn cards(content: &PageContent) -> Vec<(&BStr, Vec<&PageScenario>)> {
    let stale: Vec<(&PageScenario, BTreeSet<&BStr>)> = content
        .scenarios()
        .filter(|scenario| matches!(scenario.row.state, ReadingState::Stale(_)))
        .filter_map(|scenario| {
            let drift = &scenario.row.counting()?.drift;
            Some((scenario, drift.iter().map(|moved| moved.path.as_bstr()).collect()))
        })
        .collect();
    let mut sizes: BTreeMap<&BStr, usize> = BTreeMap::new();
    stale.iter().flat_map(|(_, paths)| paths).for_each(|path| *sizes.entry(path).or_default() += 1);
    let mut cards: BTreeMap<&BStr, Vec<&PageScenario>> = BTreeMap::new();
    for (scenario, paths) in &stale {
        let home = paths.iter().max_by_key(|path| (sizes.get(*path), Reverse(**path)));
        if let Some(home) = home {
            cards.entry(home).or_default().push(scenario);
        }
    }
    let mut cards: Vec<_> = cards.into_iter().filter(|(_, scenarios)| scenarios.len() > 1).collect();
    cards.sort_by_key(|(path, scenarios)| (Reverse(scenarios.len()), *path));
    cards
}
