//! `ls`: the scenarios with their latest state.

use crate::app::query::ls as listing;
use crate::app::query::ls::ListFilter;
use crate::cli::args::view::{ListArgs, UsageArgs};
use crate::cli::call::Call;
use crate::cli::global::Stream;
use crate::cli::{Exit, clock};
use crate::error::{Error, Result};
use crate::report::score as score_text;
use crate::report::view::score::ScenarioRow;

pub(super) fn ls(call: Call<'_>, args: &ListArgs) -> Result<Exit> {
    if args.cost {
        return spent(call, args);
    }
    let repo = call.repo()?;
    let here = call.standing(&repo);
    if args.unowned {
        let (paths, governed) = call.patiently(|| listing::unowned(&repo))?;
        let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
        return call.answer(|out| match call.is_machine() {
            true => score_text::write_unowned_json(&paths, governed, out),
            false => score_text::write_unowned(&paths, governed, out),
        });
    }
    let listed = call.patiently(|| listing::ls(&repo, filter(args), &args.tags, &args.nodes, &here))?;
    let (rows, governed) = (listed.rows, listed.governed);
    let style = call.global.style(Stream::Out);
    let exit = call.answer(|out| match call.is_machine() {
        true => score_text::write_score_json(&rows, governed, out),
        false => score_text::write_score(&rows, governed, clock::now().millis, &style, out),
    })?;
    super::say_note(call, listed.new.note());
    super::invite(call, &repo, rows.is_empty() && args.nodes.is_empty());
    Ok(exit)
}

/// `ls --cost`: what `usage` prints of the same node.
fn spent(call: Call<'_>, args: &ListArgs) -> Result<Exit> {
    match &args.nodes[..] {
        [_, _, ..] => Err(too_many(&args.nodes)),
        nodes => super::usage::usage(call, UsageArgs { node: nodes.first().cloned(), run: None }),
    }
}

fn too_many(nodes: &[String]) -> Error {
    Error::usage("ls --cost takes one node at most")
        .argv(["ls", "--cost", &nodes[0]])
        .hint("ask for one after the other")
}

fn filter(args: &ListArgs) -> ListFilter {
    match (args.unmeasured, args.stale, args.failing) {
        (true, ..) => ListFilter::Unmeasured,
        (_, true, _) => ListFilter::Stale,
        (.., true) => ListFilter::Failing,
        _ => ListFilter::Any,
    }
}

/// Prints scenarios without their score, one per line.
pub(super) fn print_rows(call: Call<'_>, rows: &[ScenarioRow]) -> Result<Exit> {
    let style = call.global.style(Stream::Out);
    call.answer(|out| match call.is_machine() {
        true => score_text::write_score_json(rows, None, out),
        false => score_text::write_list(rows, &style, out),
    })
}
