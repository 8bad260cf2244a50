//! The score over time as columns, one a commit, and the same figures as a table. Two rows on two scales: in one, nine fails
//! beside 850 passes could not be told from one.

use super::counts;
use super::markup::Markup;
use super::short_commit;
use crate::features::page::model::page::{HistoryStep, PageContent};
use crate::report::view::tally::ScoreTally;
use crate::text::plural;

/// The heights of both rows in pixels.
const ROOMS: [usize; 2] = [64, 32];
/// The least height of a part that is not zero, in pixels.
const LEAST: usize = 3;
/// The heights as CSS classes, because the page's policy forbids `style` attributes.
pub(super) const HEIGHTS: [&str; 65] = [
    "h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "h10", "h11", "h12", "h13", "h14", "h15", "h16", "h17",
    "h18", "h19", "h20", "h21", "h22", "h23", "h24", "h25", "h26", "h27", "h28", "h29", "h30", "h31", "h32", "h33",
    "h34", "h35", "h36", "h37", "h38", "h39", "h40", "h41", "h42", "h43", "h44", "h45", "h46", "h47", "h48", "h49",
    "h50", "h51", "h52", "h53", "h54", "h55", "h56", "h57", "h58", "h59", "h60", "h61", "h62", "h63", "h64",
];

/// The states of the upper row, from its top; the fails stand at the line between both rows.
fn above(score: &ScoreTally) -> [(&'static str, usize); 5] {
    [
        ("unmeasured", score.unmeasured),
        ("legacy", score.legacy),
        ("unjudged", score.not_judged),
        ("stale", score.stale),
        ("fail", score.fail),
    ]
}

fn sum_above(step: &HistoryStep) -> usize {
    above(&step.score).iter().map(|(_, number)| number).sum()
}

/// The section; nothing for fewer than two commits, which show no course.
pub(super) fn history(page: &mut Markup, content: &PageContent) {
    const BEGIN: &str =
        "<section id=\"history\" aria-label=\"The score over time\"><h2>The score over time</h2>\n<p class=\"by\">";
    let steps = &content.history;
    if let Some(why) = &content.no_history {
        page.raw(BEGIN).raw("Not known here: ").text(why).raw("</p></section>\n");
    }
    let [first, .., last] = &steps[..] else { return };
    page.raw(BEGIN).raw("Each column is a commit that changed a state, the newest at the right. ");
    page.raw("Steps are commits, not days.</p>\n");
    // of a work tree, the last column is not what the score above counts
    let when = if content.source.is_work_tree { "at the last commit " } else { "now " };
    let most_above = steps.iter().map(sum_above).max().unwrap_or_default();
    let most_pass = steps.iter().map(|step| step.score.pass).max().unwrap_or_default();
    let mut words = vec!["fail", "stale", "unmeasured"];
    words.extend(steps.iter().any(|step| step.score.not_judged > 0).then_some("not judged"));
    words.extend(steps.iter().any(|step| step.score.legacy > 0).then_some("legacy"));
    scale(page, &words, when, sum_above(last), most_above);
    page.raw("<ol aria-hidden=\"true\">");
    for step in steps {
        page.raw("<li").attr("data-commit", &step.commit).raw("><div>");
        parts(page, &above(&step.score), most_above, ROOMS[0]);
        page.raw("</div><div>");
        parts(page, &[("pass", step.score.pass)], most_pass, ROOMS[1]);
        page.raw("</div></li>");
    }
    page.raw("</ol>\n");
    scale(page, &["pass"], when, last.score.pass, most_pass);
    page.raw("<p class=\"days\">").text(day(first)).raw(" <span>").text(day(last)).raw("</span></p>\n");
    table(page, content);
    page.raw("</section>\n");
}

/// What the height of a row means.
fn scale(page: &mut Markup, words: &[&'static str], when: &'static str, number: usize, most: usize) {
    page.raw("<p class=\"scale\">");
    for (at, word) in words.iter().enumerate() {
        page.raw(if at > 0 { ", " } else { "" }).raw(word);
    }
    page.raw(": ").raw(when).number(number as u128);
    page.raw(", at most ").number(most as u128).raw("</p>\n");
}

fn parts(page: &mut Markup, parts: &[(&'static str, usize)], most: usize, room: usize) {
    let numbers: Vec<usize> = parts.iter().map(|(_, number)| *number).collect();
    for ((state, _), height) in parts.iter().zip(heights(&numbers, most, room)).filter(|(_, height)| *height > 0) {
        page.raw("<span").attr("data-state", state).raw(" class=\"").raw(HEIGHTS[height]).raw("\"></span>");
    }
}

/// The height of each part where `most` fills the room. A part that is not zero is seen; the largest one gives it the room.
fn heights(numbers: &[usize], most: usize, room: usize) -> Vec<usize> {
    let height = |number: &usize| match number {
        0 => 0,
        number => ((number * room + most / 2) / most.max(1)).max(LEAST),
    };
    let mut heights: Vec<usize> = numbers.iter().map(height).collect();
    let over = heights.iter().sum::<usize>().saturating_sub(room);
    if let Some(largest) = heights.iter_mut().max() {
        *largest -= over;
    }
    heights
}

fn day(step: &HistoryStep) -> &str {
    step.date.get(.."2026-01-01".len()).unwrap_or(&step.date)
}

/// The same figures in words, the newest first.
fn table(page: &mut Markup, content: &PageContent) {
    let steps = &content.history;
    page.raw("<details><summary>").text(plural(steps.len(), "commit")).raw(" with their figures</summary>\n");
    page.raw(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures of these commits\"><table><thead><tr>",
    );
    page.raw("<th scope=\"col\">Commit</th><th scope=\"col\">Day</th>");
    for (_, word, _) in counts::states(&ScoreTally::default()) {
        page.raw("<th scope=\"col\">").raw(word).raw("</th>");
    }
    page.raw("</tr></thead>\n<tbody>\n");
    for step in steps.iter().rev() {
        page.raw("<tr").attr("data-commit", &step.commit).raw("><th scope=\"row\">");
        let address = content.links.as_ref().map(|links| links.forge.commit(&step.commit));
        page.linked(address, |page| short_commit(page, &step.commit));
        if let Some(subject) = &step.subject {
            page.raw(" ").text(subject);
        }
        page.raw("</th><td>").text(day(step)).raw("</td>");
        for (state, _, number) in counts::states(&step.score) {
            page.raw("<td").attr("data-state", state).raw(">").number(number as u128).raw("</td>");
        }
        page.raw("</tr>\n");
    }
    page.raw("</tbody></table></div></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_there_is_seen_and_a_row_never_outgrows_its_room() {
        assert_eq!(heights(&[0, 0, 0], 0, 64), [0, 0, 0]);
        assert_eq!(heights(&[1, 0, 127], 128, 64), [3, 0, 61]);
        assert_eq!(heights(&[64], 128, 64), [32]);
        assert_eq!(heights(&[1, 1, 1, 1, 852], 856, 64), [3, 3, 3, 3, 52]);
        for most in 1..200 {
            let all =
                heights(&[most / 3, most / 5, 1.min(most), most - most / 3 - most / 5 - 1.min(most) / 2], most * 2, 32);
            assert!(all.iter().sum::<usize>() <= 32, "{most}: {all:?}");
        }
    }
}
