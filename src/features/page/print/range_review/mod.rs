//! The comment on a pull request, and the plan for a program that posts it. Input: a [`RangeReview`]. Output: Markdown, or
//! `yatsu-hook/pr/v1` (schema/pr.v1.schema.json). The same review and options give the same bytes: no clock, no host.
//!
//! All text of a repository stands in code spans. Evidence is named by its hash, and notes are shown on request alone, because
//! a comment cannot be redacted.

mod body;
mod pictures;
mod sentences;

use crate::features::page::model::range_review::{CheckedContent, DroppedScenario, RangeReview, RangeRow};
use crate::finding::{Finding, NodeRef, Verdict, json};
use crate::report::markdown::destination;
use crate::report::view::tally::{ScenarioStand, ScoreTally};
use crate::report::view::verdict::ShownVerdict;
use crate::report::write_document;
use pictures::Attachment;
use serde::Serialize;
use std::io::{self, Write};

/// The first line of every comment, by which a program finds its own comment again.
const MARKER: &str = "<!-- yatsu-hook:pr -->";
/// The placeholder for the path of the body in the command of the plan.
const BODY: &str = "BODY";

/// How a comment is written.
#[derive(Clone, Debug)]
pub(crate) struct CommentStyle {
    /// The address of the page; every scenario links to its article there.
    pub(crate) page: Option<String>,
    /// Whether pictures are shown; otherwise they are named by hash and size.
    pub(crate) pictures: bool,
    /// Whether the notes of fails are shown.
    pub(crate) notes: bool,
    /// The longest comment in bytes.
    pub(crate) limit: usize,
}

impl CommentStyle {
    /// The address of the page in a Markdown link, or of an article on it.
    fn address(&self, article: Option<&str>) -> Option<String> {
        let fragment = article.map(|article| format!("#open={article}")).unwrap_or_default();
        self.page.as_ref().map(|page| destination(page) + &fragment)
    }
}

/// A comment within its limit.
struct Comment {
    body: String,
    /// How many rows, pairs and errors were left out.
    cut: usize,
    /// The shown pictures, each file once.
    attachments: Vec<Attachment>,
}

/// The comment alone.
pub(crate) fn write(review: &RangeReview, style: &CommentStyle, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(body::comment(review, style).body.as_bytes())
}

/// The comment with its plan.
pub(crate) fn write_json(review: &RangeReview, style: &CommentStyle, out: &mut dyn Write) -> io::Result<()> {
    let Comment { body, cut, attachments } = body::comment(review, style);
    let numbers = review.numbers.as_ref();
    let files = attachments.iter().flat_map(|one| ["--attach".to_owned(), format!("./{}", one.file)]);
    let plan = CommentPlan {
        marker: MARKER,
        verdict: review.verdict,
        from: review.from.as_deref(),
        to: review.to.as_deref(),
        score: review.score,
        made_stale: numbers.map(|numbers| numbers.made_stale),
        measured_again: numbers.map(|numbers| numbers.measured_again()),
        speaks_again: numbers.map(|numbers| numbers.speaks_again),
        not_measured: numbers.map(|numbers| numbers.not_measured()),
        stale_before: numbers.map(|numbers| numbers.stale_before),
        fresh_again: numbers.map(|numbers| numbers.fresh_again),
        other_verdict: numbers.map(|numbers| numbers.other_verdict),
        withdrawn: numbers.map(|numbers| numbers.withdrawn),
        dropped: &review.dropped,
        not_judged: numbers.map(|numbers| numbers.not_judged),
        stale_again: numbers.map(|numbers| numbers.stale_again),
        reworded: numbers.map(|numbers| numbers.reworded),
        untouched: numbers.map(|numbers| numbers.untouched),
        failing: numbers.map(|numbers| numbers.failing),
        rows: review.rows.iter().map(TouchedScenario::of).collect(),
        errors: &review.errors,
        reason: review.unchecked.as_ref().map(|(message, _)| message),
        checked: review.checked.as_ref(),
        gh: ["gh", "pr", "comment", "--body-file", BODY].map(str::to_owned).into_iter().chain(files).collect(),
        body,
        cut,
        attachments,
    };
    write_document("yatsu-hook/pr/v1", &plan, out)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommentPlan<'a> {
    marker: &'static str,
    verdict: Verdict,
    from: Option<&'a str>,
    to: Option<&'a str>,
    score: Option<ScoreTally>,
    made_stale: Option<usize>,
    measured_again: Option<usize>,
    speaks_again: Option<usize>,
    not_measured: Option<usize>,
    stale_before: Option<usize>,
    fresh_again: Option<usize>,
    other_verdict: Option<usize>,
    withdrawn: Option<usize>,
    dropped: &'a [DroppedScenario],
    not_judged: Option<usize>,
    stale_again: Option<usize>,
    reworded: Option<usize>,
    untouched: Option<usize>,
    failing: Option<usize>,
    rows: Vec<TouchedScenario<'a>>,
    errors: &'a [Finding],
    reason: Option<&'a String>,
    checked: Option<&'a CheckedContent>,
    body: String,
    cut: usize,
    attachments: Vec<Attachment>,
    gh: Vec<String>,
}

#[derive(Serialize)]
struct TouchedScenario<'a> {
    #[serde(flatten, serialize_with = "json::id_and_path")]
    node: NodeRef,
    scenario: &'a str,
    article: &'a str,
    before: Option<StateAndVerdict>,
    after: StateAndVerdict,
    /// How many readings the range filed.
    readings: usize,
    why: Option<String>,
}

/// A state of a scenario with the verdict of the reading that counts.
#[derive(Serialize)]
struct StateAndVerdict {
    state: &'static str,
    verdict: Option<ShownVerdict>,
}

impl StateAndVerdict {
    fn of(stand: &ScenarioStand) -> Self {
        Self { state: stand.state.as_str(), verdict: stand.verdict }
    }
}

impl<'a> TouchedScenario<'a> {
    fn of(row: &'a RangeRow) -> Self {
        Self {
            node: row.node.clone(),
            scenario: &row.scenario,
            article: &row.article,
            before: row.before.as_ref().map(StateAndVerdict::of),
            after: StateAndVerdict::of(&row.after),
            readings: row.filed,
            why: sentences::why(row),
        }
    }
}
