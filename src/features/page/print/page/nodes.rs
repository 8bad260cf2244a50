//! The nodes of a page: the table of contents, and a section for each node. The section of a node contains the sections
//! of the nodes below it.

use super::counts;
use super::markup::Markup;
use super::scenario;
use crate::features::page::model::page::{PageContent, PageNode, PieceShown};
use crate::report::view::tally::ScoreTally;
use bstr::BStr;

/// The heading elements by depth. Deeper nodes all use the last one.
const HEADINGS: [[&str; 2]; 4] = [["<h2>", "</h2>\n"], ["<h3>", "</h3>\n"], ["<h4>", "</h4>\n"], ["<h5>", "</h5>\n"]];

fn tally(node: &PageNode) -> ScoreTally {
    node.scenarios.iter().map(|scenario| &scenario.row).collect()
}

/// The node's title, or its id if it has none.
fn title(node: &PageNode) -> &str {
    node.title.as_ref().unwrap_or(&node.id)
}

/// A directory in the fragment of an address.
fn encoded(dir: &BStr) -> String {
    let byte = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    dir.iter().map(byte).collect()
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
        let score = tally(node);
        for (state, number) in [("fail", score.fail), ("stale", score.stale), ("unmeasured", score.unmeasured)] {
            if number > 0 {
                // a fragment that the script reads; without it the link leads nowhere
                page.raw(" <a class=\"mark ").raw(state).raw("\"").attr("data-mark", state);
                page.attr("href", format!("#q={}&state={state}", encoded(node.dir.as_ref()))).raw(">");
                page.number(number as u128).raw(" ").raw(state).raw("</a>");
            }
        }
    }
    page.raw(if content.nodes.is_empty() { "" } else { "</li>\n" });
    page.times(depth, "</ul></li>\n");
    for (is_there, id, title) in [
        (!content.goals.is_empty(), "goals", "Goals"),
        (!content.runs.is_empty(), "runs", "Runs"),
        (!content.governed.is_empty(), "coverage", "Governed files"),
    ] {
        if is_there {
            page.raw("<li class=\"part\"><a href=\"#").raw(id).raw("\">").raw(title).raw("</a></li>\n");
        }
    }
    page.raw("</ul>\n</nav>\n");
}

/// A page with more scenarios lets the browser skip what is out of sight, so that a filter stays fast. A shorter page is
/// drawn whole: a capture of the full page would be blank below the first screens.
pub(super) const LARGE: usize = 400;

/// The sections of the nodes.
pub(super) fn tree(page: &mut Markup, content: &PageContent) {
    page.raw("<div id=\"scenarios\" tabindex=\"-1\"></div>\n");
    page.raw("<p id=\"nothing\" hidden>Nothing found. <button type=\"button\" id=\"all\">Show all</button></p>\n");
    let mut depth = 0;
    for (at, node) in content.nodes.iter().enumerate() {
        if at > 0 && node.depth <= depth {
            page.times(depth + 1 - node.depth, "</section>\n");
        }
        depth = node.depth;
        section(page, content, at);
    }
    if content.nodes.is_empty() {
        page.raw(match content.source.is_narrowed {
            true => "<p class=\"none\">Nothing found: no scenario has these nodes and tags.</p>\n",
            false => {
                "<p class=\"none\">No scenarios here. One begins with <code>yatsu-hook new NODE --code PATH</code>.</p>\n"
            }
        });
        return;
    }
    page.times(depth + 1, "</section>\n");
}

/// Whether a picture is shown in the node or in a node inside.
fn has_picture(content: &PageContent, at: usize) -> bool {
    let depth = content.nodes[at].depth;
    let inside = content.nodes[at + 1..].iter().take_while(|node| node.depth > depth);
    let here = content.nodes[at..=at].iter().chain(inside).flat_map(|node| &node.scenarios);
    let pieces = here.flat_map(|scenario| &scenario.row.readings).flat_map(|reading| &reading.evidence);
    pieces
        .filter_map(|row| content.pieces.get(&row.hash))
        .any(|piece| matches!(piece.shown, PieceShown::Picture { .. }))
}

fn section(page: &mut Markup, content: &PageContent, at: usize) {
    let node = &content.nodes[at];
    page.raw(if has_picture(content, at) { "<section class=\"node pictured\"" } else { "<section class=\"node\"" });
    page.attr("data-node", &node.dir).raw(" id=\"n-").number(at as u128).raw("\">");
    let [open, close] = HEADINGS[node.depth.min(HEADINGS.len() - 1)];
    page.raw(open).text(title(node)).raw(close);
    page.raw("<p class=\"dir\"><code>").text(&node.dir).raw("</code> ");
    counts::words(page, &tally(node));
    page.raw("</p>\n");
    let (passes, others): (Vec<_>, Vec<_>) = node.scenarios.iter().partition(|scenario| scenario.row.is_fresh_pass());
    others.iter().for_each(|scenario| scenario::article(page, content, node, scenario));
    if !passes.is_empty() {
        page.raw("<details class=\"passes\"").raw(if node.shows_passes { " open>" } else { ">" });
        page.raw("<summary>").number(passes.len() as u128).raw(" pass</summary>\n");
        passes.iter().for_each(|scenario| scenario::article(page, content, node, scenario));
        page.raw("</details>\n");
    }
}
