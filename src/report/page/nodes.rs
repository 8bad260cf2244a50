//! The nodes of a page: the table of contents, and a section for each node. The section of a node contains the sections
//! of the nodes below it.

use super::counts;
use super::markup::Markup;
use super::scenario;
use crate::report::view::page::{PageContent, PageNode};
use crate::report::view::tally::ScoreTally;

/// The heading elements by depth. Deeper nodes all use the last one.
const HEADINGS: [[&str; 2]; 4] = [["<h2>", "</h2>\n"], ["<h3>", "</h3>\n"], ["<h4>", "</h4>\n"], ["<h5>", "</h5>\n"]];

fn tally(node: &PageNode) -> ScoreTally {
    node.scenarios.iter().map(|scenario| &scenario.row).collect()
}

/// The node's title, or its id if it has none.
fn title(node: &PageNode) -> &str {
    node.title.as_ref().unwrap_or(&node.id)
}

/// The table of contents, with a link to each part.
pub(super) fn contents(page: &mut Markup, content: &PageContent) {
    page.raw("<nav aria-label=\"Contents\">\n<ul>\n");
    let mut depth = 0;
    for (at, node) in content.nodes.iter().enumerate() {
        match node.depth {
            next if next > depth => page.times(next - depth, "<ul>"),
            next => page.raw(if at > 0 { "</li>\n" } else { "" }).times(depth - next, "</ul></li>\n"),
        };
        depth = node.depth;
        page.raw("<li><a href=\"#n-").number(at as u128).raw("\">").text(title(node)).raw("</a>");
        if !node.scenarios.is_empty() {
            page.raw(" <span class=\"many\">").number(node.scenarios.len() as u128).raw("</span>");
        }
        let failed = tally(node).fail;
        if failed > 0 {
            page.raw(" <span class=\"fail\">").number(failed as u128).raw(" fail</span>");
        }
    }
    page.raw(if content.nodes.is_empty() { "" } else { "</li>\n" });
    page.times(depth, "</ul></li>\n");
    for (is_there, id, title) in [
        (!content.goals.is_empty(), "goals", "Goals"),
        (!content.runs.is_empty(), "runs", "Runs"),
        (!content.coverage.is_empty(), "coverage", "Coverage"),
        (!content.lineage.is_empty(), "lineage", "Lineage"),
    ] {
        if is_there {
            page.raw("<li class=\"part\"><a href=\"#").raw(id).raw("\">").raw(title).raw("</a></li>\n");
        }
    }
    page.raw("</ul>\n</nav>\n");
}

/// The sections of the nodes.
pub(super) fn tree(page: &mut Markup, content: &PageContent) {
    page.raw("<div id=\"scenarios\" tabindex=\"-1\"></div>\n");
    let mut depth = 0;
    for (at, node) in content.nodes.iter().enumerate() {
        if at > 0 && node.depth <= depth {
            page.times(depth + 1 - node.depth, "</section>\n");
        }
        depth = node.depth;
        section(page, content, at);
    }
    if content.nodes.is_empty() {
        page.raw(
            "<p class=\"none\">No scenarios here. One begins with <code>yatsu-hook new NODE --code PATH</code>.</p>\n",
        );
        return;
    }
    page.times(depth + 1, "</section>\n");
}

fn section(page: &mut Markup, content: &PageContent, at: usize) {
    let node = &content.nodes[at];
    page.raw("<section class=\"node\"").attr("data-node", &node.dir).raw(" id=\"n-").number(at as u128).raw("\">");
    let [open, close] = HEADINGS[node.depth.min(HEADINGS.len() - 1)];
    page.raw(open).text(title(node)).raw(close);
    page.raw("<p class=\"dir\"><code>").text(&node.dir).raw("</code> ");
    counts::words(page, &tally(node));
    page.raw("</p>\n");
    for scenario in &node.scenarios {
        scenario::article(page, content, node, scenario);
    }
}
