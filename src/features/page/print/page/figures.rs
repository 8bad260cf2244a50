//! A piece of evidence. It is shown once on the page, at its home reading; other readings link there. Pictures and films
//! are `data:` URLs, everything else is text: it is never markup, and nothing of it runs.
//!
//! A picture is the summary of a `details` without content: opened by a click or by the keyboard, the style sheet lays it
//! over the page. No script takes part.

use super::markup::Markup;
use crate::features::page::model::page::{PageContent, PagePiece, PageScenario, PicturePair, PieceShown};
use crate::report::receipt::amount;
use crate::report::view::score::EvidenceRow;

/// The pictures of the reading before and of the reading that counts, beside each other.
pub(super) fn pair(page: &mut Markup, content: &PageContent, scenario: &PageScenario, pair: &PicturePair) {
    let Some(latest) = scenario.row.counting() else { return };
    let earlier = scenario.row.readings.iter().find(|reading| reading.ts == pair.ts && !reading.counts);
    page.raw("<div class=\"pair\" data-pair>\n");
    for (role, row, reading) in [("before", &pair.before, earlier), ("after", &pair.after, Some(latest))] {
        let Some((reading, piece)) = reading.zip(content.pieces.get(&row.hash)) else { continue };
        let is_home = piece.is_at_home(&scenario.anchor, &reading.ts);
        let caption = |page: &mut Markup| {
            page.raw("<b>").raw(role).raw("</b> ").raw(reading.effective().as_str()).raw(", ");
            page.time(&reading.ts);
            page.raw(" · ");
        };
        written(page, row, piece, is_home, caption);
    }
    page.raw("</div>\n");
}

/// The figure of a piece. `at` is the reading that names it: the scenario's anchor and the reading's time; `None` if the
/// piece stands in a pair.
pub(super) fn figure(page: &mut Markup, content: &PageContent, row: &EvidenceRow, at: Option<[&str; 2]>) {
    let Some(piece) = content.pieces.get(&row.hash) else { return };
    let is_home = at.is_some_and(|[anchor, ts]| piece.is_at_home(anchor, ts));
    written(page, row, piece, is_home, |_| {});
}

fn written(page: &mut Markup, row: &EvidenceRow, piece: &PagePiece, is_home: bool, caption: impl FnOnce(&mut Markup)) {
    page.raw("<figure").attr("data-evidence", &row.hash).attr("data-kind", row.kind);
    page.attr("data-shown", shown(&piece.shown));
    if is_home && matches!(piece.shown, PieceShown::Text { .. }) {
        page.raw(" class=\"wide\"");
    }
    if is_home {
        page.raw(" id=\"e-").text(&row.hash[..12]).raw("\"");
    }
    page.raw("><figcaption>");
    caption(page);
    page.raw(row.kind).raw(" <code>").text(&row.hash[..12]).raw("</code>");
    if let Some(size) = piece.size {
        page.raw(" <span class=\"size\">").text(amount(size)).raw("</span>");
    }
    page.raw("</figcaption>");
    match &piece.shown {
        PieceShown::LeftOut(why) => {
            let command = format!("yatsu-hook evidence get {} -o FILE", row.hash);
            page.raw("<p>left out: ").raw(why).raw("; <code>").text(&command).raw("</code></p>");
        }
        PieceShown::Away(what) => {
            page.raw("<p>").text(what).raw("</p>");
        }
        PieceShown::Missing(why) => {
            page.raw("<p>miss original file: ").raw(why).raw("; on the machine that has them: ");
            page.raw("<code>yatsu-hook evidence put FILE</code></p>");
        }
        _ if !is_home => {
            page.raw("<p><a href=\"#e-").text(&row.hash[..12]).raw("\">shown elsewhere on this page</a></p>");
        }
        _ => body(page, row, piece),
    }
    page.raw("</figure>\n");
}

fn shown(shown: &PieceShown) -> &'static str {
    match shown {
        PieceShown::Text { tail: Some(_), .. } => "cut",
        PieceShown::LeftOut(_) => "left-out",
        PieceShown::Missing(_) | PieceShown::Away(_) => "missing",
        PieceShown::Picture { .. } | PieceShown::Film { .. } | PieceShown::Text { .. } | PieceShown::Steps(_) => {
            "embedded"
        }
    }
}

fn body(page: &mut Markup, row: &EvidenceRow, piece: &PagePiece) {
    match &piece.shown {
        PieceShown::Picture { mime, size: [width, height], bytes } => {
            page.raw("<details class=\"zoom\" name=\"zoom\"><summary>");
            page.raw("<img alt=\"The picture that was filed as evidence, ");
            page.number(*width).raw(" by ").number(*height).raw(" pixels\" width=\"").number(*width);
            page.raw("\" height=\"").number(*height).raw("\"").data("src", mime, bytes).raw(">");
            page.raw("</summary></details>");
        }
        PieceShown::Film { mime, bytes } => {
            page.raw("<video controls preload=\"none\" aria-label=\"The film that was filed as evidence\"");
            page.data("src", mime, bytes).raw("></video>");
        }
        PieceShown::Steps(steps) => {
            page.raw("<ol class=\"steps\">");
            for [place, step] in steps {
                page.raw("<li><span class=\"place\">").text(place).raw("</span> ").text(step).raw("</li>");
            }
            page.raw("</ol>");
        }
        PieceShown::Text { head, tail } => text(page, row, head, tail.as_ref()),
        PieceShown::LeftOut(_) | PieceShown::Missing(_) | PieceShown::Away(_) => {}
    }
}

/// A text, folded if it is long.
fn text(page: &mut Markup, row: &EvidenceRow, head: &str, tail: Option<&(u64, String)>) {
    let lines = head.lines().count();
    let is_long = tail.is_some() || lines > 12;
    if is_long {
        page.raw("<details class=\"text\"><summary>").raw(row.kind).raw(" of ");
        match tail {
            None => page.number(lines as u128).raw(" lines"),
            Some((left_out, _)) => page.raw("many lines, ").text(amount(*left_out)).raw(" in the middle left out"),
        };
        page.raw("</summary>");
    }
    // a <pre> swallows a first newline
    page.raw("<pre tabindex=\"0\">\n").lines(head).raw("</pre>");
    if let Some((left_out, tail)) = tail {
        page.raw("<p class=\"more\">").text(amount(*left_out)).raw(" left out here</p><pre tabindex=\"0\">\n");
        page.lines(tail).raw("</pre>");
    }
    page.raw(if is_long { "</details>" } else { "" });
}
