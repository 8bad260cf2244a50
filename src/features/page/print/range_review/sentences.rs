//! The sentences of a comment: what the range did, in numbers, and why a scenario is not fresh.

use crate::features::page::model::range_review::{CheckedContent, RangeNumbers, RangeReview, RangeRow, VerdictCounts};
use crate::finding::Axis;
use crate::report::view::score::ReadingState;
use crate::report::view::tally::ScenarioStand;
use crate::text::plural;

/// What the range did, with all numbers that are not 0.
pub(super) fn summary(review: &RangeReview, numbers: &RangeNumbers) -> String {
    let mut said: Vec<String> = Vec::new();
    let dropped = review.dropped.len();
    said.extend(made_stale(numbers));
    said.extend(others(numbers));
    let mut each = |count: usize, one: &str, many: &str| {
        if count > 0 {
            said.push(format!("{count} {}.", if count == 1 { one } else { many }));
        }
    };
    each(numbers.new_unmeasured, "scenario is new and unmeasured", "scenarios are new and unmeasured");
    each(numbers.new_stale, "scenario is new and stale", "scenarios are new and stale");
    let (one, many) = ("scenario is answered by an earlier reading", "scenarios are answered by earlier readings");
    each(numbers.fresh_again, one, many);
    each(numbers.other_verdict, "scenario has another verdict", "scenarios have another verdict");
    let (one, many) = ("scenario was measured and is stale again", "scenarios were measured and are stale again");
    each(numbers.stale_again, one, many);
    each(numbers.reworded, "unmeasured scenario has another text", "unmeasured scenarios have another text");
    each(numbers.withdrawn, "reading was withdrawn", "readings were withdrawn");
    each(dropped, "scenario was dropped", "scenarios were dropped");
    each(numbers.not_judged, "scenario could not be judged", "scenarios could not be judged");
    if review.rows.is_empty() && dropped == 0 {
        said.push(untouched(review.findings));
    }
    let others = if numbers.stale_before == 1 { "other was" } else { "others were" };
    said.extend((numbers.stale_before > 0).then(|| format!("{} {others} stale before.", numbers.stale_before)));
    said.join(" ")
}

/// The sentence about a range that changed the state of no scenario. `check` may still have found something.
fn untouched(findings: usize) -> String {
    match findings {
        0 => "This change touches no scenario.".to_owned(),
        _ => {
            let found = plural(findings, "new finding");
            format!("This change makes no reading stale and measures no scenario. `check` has {found}.")
        }
    }
}

/// For example `This change made 3 readings stale: 2 were measured again (1 pass, 1 fail), 1 was not.`
fn made_stale(numbers: &RangeNumbers) -> Option<String> {
    let again = numbers.again.all();
    let mut parts = Vec::new();
    if again > 0 {
        parts.push(format!("{again} {} measured again ({})", was(again), verdicts(&numbers.again)));
    }
    if numbers.not_again > 0 {
        let end = if again > 0 { "" } else { " measured again" };
        parts.push(format!("{} {} not{end}", numbers.not_again, was(numbers.not_again)));
    }
    if numbers.speaks_again > 0 {
        let is = if numbers.speaks_again == 1 { "is" } else { "are" };
        parts.push(format!("{} {is} answered by an earlier reading of this content", numbers.speaks_again));
    }
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let count = numbers.made_stale;
    (count > 0).then(|| format!("This change made {} stale{parts}.", plural(count, "reading")))
}

/// The scenarios that the range measured and did not make stale.
fn others(numbers: &RangeNumbers) -> Option<String> {
    let (count, verdicts) = (numbers.others.all(), verdicts(&numbers.others));
    match (count, numbers.made_stale) {
        (0, _) => None,
        (_, 0) => Some(format!("This change measured {} ({verdicts}).", plural(count, "scenario"))),
        _ => Some(format!("{} {} measured ({verdicts}).", plural(count, "other scenario"), was(count))),
    }
}

fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

fn verdicts(counts: &VerdictCounts) -> String {
    let VerdictCounts { pass, fail, legacy } = counts;
    let parts = [(pass, "pass"), (fail, "fail"), (legacy, "legacy")];
    let parts = parts.into_iter().filter(|(count, _)| **count > 0);
    parts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// State and verdict, for example `fresh pass`.
pub(super) fn stand(stand: &ScenarioStand) -> String {
    let state = if let ReadingState::NotJudged(_) = stand.state { "not judged" } else { stand.state.as_str() };
    stand.verdict.map_or_else(|| state.to_owned(), |verdict| format!("{state} {}", verdict.as_str()))
}

/// Why the scenario is not fresh after the range, or could not be compared; `None` if neither is so.
pub(super) fn why(row: &RangeRow) -> Option<String> {
    let mut parts = Vec::new();
    if row.before.is_none() {
        parts.push("new".to_owned());
    }
    match (&row.unknown, &row.after.state) {
        (Some(reason), _) => parts.push(format!("not judged: {reason}")),
        (None, ReadingState::Fresh) => return None,
        (None, ReadingState::Stale(axes)) => parts.extend(axes.iter().map(|axis| of_axis(*axis, &row.after))),
        (None, ReadingState::Unmeasured | ReadingState::NotJudged(_)) => {}
    }
    parts.extend(row.is_withdrawn.then(|| "its reading was withdrawn".to_owned()));
    Some(parts.join("; "))
}

fn of_axis(axis: Axis, stand: &ScenarioStand) -> String {
    match (axis, stand.moved.as_slice()) {
        (Axis::Code, [only]) => format!("code: {only}"),
        (Axis::Code, [first, rest @ ..]) => format!("code: {first} +{}", rest.len()),
        (Axis::Evaluator, _) if !stand.test.is_empty() => "evaluator: the test changed".to_owned(),
        (axis, _) => axis.as_str().to_owned(),
    }
}

/// The result of the comparison with another commit, without the names of scenarios.
pub(super) fn checked(checked: &CheckedContent) -> String {
    let rev = &checked.rev[..12];
    match checked.differ.len() {
        0 => format!("The same content as at {rev}: {}.", plural(checked.scenarios, "scenario")),
        1 => format!("1 of {} governs other content than at {rev}:", plural(checked.scenarios, "scenario")),
        count => format!("{count} of {} govern other content than at {rev}:", plural(checked.scenarios, "scenario")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::features::page::model::range_review::DroppedScenario;
    use crate::finding::NodeRef;

    fn review(numbers: RangeNumbers, dropped: usize, findings: usize) -> RangeReview {
        let gone = DroppedScenario { node: NodeRef { dir: "n".into(), id: "n".into() }, scenario: "works".into() };
        let dropped = vec![gone; dropped];
        RangeReview { numbers: Some(numbers), dropped, findings, ..RangeReview::unchecked(&Error::unchecked("")) }
    }

    #[test]
    fn every_number_has_its_words_and_none_is_said_if_it_is_0() {
        let said = |review: RangeReview| summary(&review, review.numbers.as_ref().expect("numbers"));
        let none = said(review(RangeNumbers::default(), 0, 0));
        assert_eq!(none, "This change touches no scenario.");
        let found = said(review(RangeNumbers::default(), 0, 1));
        assert_eq!(found, "This change makes no reading stale and measures no scenario. `check` has 1 new finding.");
        let all = RangeNumbers {
            made_stale: 9,
            again: VerdictCounts { pass: 2, fail: 1, legacy: 1 },
            others: VerdictCounts { pass: 2, fail: 0, legacy: 0 },
            speaks_again: 2,
            not_again: 2,
            new_unmeasured: 1,
            new_stale: 2,
            fresh_again: 2,
            other_verdict: 2,
            only_withdrawn: 1,
            stale_before: 4,
            stale_again: 1,
            reworded: 2,
            untouched: 7,
            not_judged: 3,
            withdrawn: 1,
            failing: 1,
        };
        assert_eq!((all.measured_again(), all.not_measured()), (6, 5));
        let every = said(review(all, 2, 1));
        assert_eq!(
            every,
            "This change made 9 readings stale: 4 were measured again (2 pass, 1 fail, 1 legacy), 2 were not, 2 are answered by \
             an earlier reading of this content. 2 other scenarios were measured (2 pass). 1 scenario is new and unmeasured. \
             2 scenarios are new and stale. 2 scenarios are answered by earlier readings. 2 scenarios have another verdict. \
             1 scenario was measured and is stale again. 2 unmeasured scenarios have another text. \
             1 reading was withdrawn. 2 scenarios were dropped. 3 scenarios could not be judged. 4 others were stale before."
        );
        let document = document();
        for sentence in every.split_inclusive(". ").skip(2).chain([&*none, &*found]) {
            assert!(
                document.contains(&format!("`{}`", sentence.trim())),
                "docs/pull-requests.md does not explain: {sentence}"
            );
        }
    }

    fn document() -> String {
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/pull-requests.md")).expect("the document")
    }

    #[test]
    fn every_key_of_the_plan_is_explained() {
        let schema = include_str!("../../../../../schema/pr.v1.schema.json");
        let schema: serde_json::Value = serde_json::from_str(schema).expect("a schema");
        let document = document();
        let explained = document.split("## For programs").nth(1).expect("a section");
        for key in schema["properties"].as_object().expect("properties").keys() {
            assert!(explained.contains(&format!("`{key}`")), "docs/pull-requests.md does not explain `{key}`");
        }
    }
}
