//! The number of scenarios in each state, as a bar and in words. The words are always there, because not every reader
//! can use colour.

use super::markup::Markup;
use crate::report::view::tally::ScoreTally;

/// Each state with its class, its word and its count, in the order of display: what a reader has to look at stands first.
pub(super) fn states(score: &ScoreTally) -> [(&'static str, &'static str, usize); 6] {
    [
        ("fail", "fail", score.fail),
        ("stale", "stale", score.stale),
        ("unjudged", "not judged", score.not_judged),
        ("unmeasured", "unmeasured", score.unmeasured),
        ("legacy", "legacy", score.legacy),
        ("pass", "pass", score.pass),
    ]
}

/// The states that a scenario is in.
pub(super) fn counts(score: &ScoreTally) -> impl Iterator<Item = (&'static str, &'static str, usize)> {
    states(score).into_iter().filter(|(_, _, number)| *number > 0)
}

/// The shares as a bar. The score line has the same numbers in words.
pub(super) fn bar(page: &mut Markup, score: &ScoreTally) {
    let all = score.all();
    if all == 0 {
        return;
    }
    page.raw("<div class=\"bar\" aria-hidden=\"true\">");
    for (class, _, number) in counts(score) {
        // the page's policy forbids `style` attributes
        let share = ((number * 100 + all / 2) / all).max(1);
        page.raw("<span class=\"").raw(class).raw(" w").number(share as u128).raw("\"></span>");
    }
    page.raw("</div>\n");
}

/// The counts in words, one behind the other.
pub(super) fn words(page: &mut Markup, score: &ScoreTally) {
    for (at, (class, word, number)) in counts(score).enumerate() {
        page.raw(if at > 0 { " " } else { "" }).raw("<span class=\"count ").raw(class).raw("\">");
        page.number(number as u128).raw(" ").raw(word).raw("</span>");
    }
}
