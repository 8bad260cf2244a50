//! Prints what `log` answers, for people and as one JSON object.

use super::judge::{HistoryRequest, USUAL_LIMIT};
use super::model::{LogAnswer, LogEntry, StateChange, StateWord, Why};
use crate::repo::FETCH_ALL;
use crate::report;
use crate::report::view::Style;
use crate::text::escape::terminal;
use crate::text::shell;
use crate::text::{first_of, plural};
use crate::tree::oid::Oid;
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// The most lines about the changes of one commit.
const LINES: usize = 8;
/// The most scenarios that one line names.
const NAMES: usize = 3;
/// The characters of a day in a time stamp.
const DAY: usize = "2026-01-01".len();

pub(super) fn write_json(answer: &LogAnswer, out: &mut dyn Write) -> io::Result<()> {
    report::write_json(answer, out)
}

/// One commit after another: its line, the counts, then what changed, grouped by cause.
pub(super) fn write(
    answer: &LogAnswer,
    request: &HistoryRequest,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if answer.tip.is_none() {
        return writeln!(out, "there is no commit yet");
    }
    for entry in &answer.entries {
        write_entry(entry, style, out)?;
    }
    if answer.entries.is_empty() {
        writeln!(out, "no state changed in {}", plural(answer.walked, "commit"))?;
    }
    if let Some(before) = &answer.before {
        let score =
            before.score.map_or_else(|| "its configuration cannot be used".to_owned(), |score| score.sentence());
        writeln!(out, "before that, at {}: {score}", before.commit.short())?;
    }
    if answer.shallow {
        writeln!(out, "history is cut off there: {FETCH_ALL}")?;
    }
    answer.next.map_or(Ok(()), |next| writeln!(out, "older commits: {}", older(request, answer, next)))
}

/// The command that goes on with the question. An older commit may not know a name or a tag, so a question with some is asked
/// again, for more commits.
fn older(request: &HistoryRequest, answer: &LogAnswer, next: Oid) -> String {
    let HistoryRequest { names, tags, from, to, limit, .. } = request;
    let flag = |name: &str, value: &str| format!(" {name} {}", shell::word(value));
    let from: String = from.iter().map(|from| flag("--from", from)).collect();
    let limit = limit.unwrap_or(USUAL_LIMIT);
    if names.is_empty() && tags.is_empty() {
        let limit = if limit == USUAL_LIMIT { String::new() } else { format!(" -n {limit}") };
        return format!("yatsu-hook log{from} --to {}{limit}", next.short());
    }
    let to: String = to.iter().map(|to| flag("--to", to)).collect();
    let words = names.iter().map(|name| format!(" {}", shell::word(name)));
    let words: String = words.chain(tags.iter().map(|tag| flag("--tag", tag))).collect();
    // an answer that is not full ended where one question does not walk further
    let is_full = answer.entries.iter().filter(|entry| entry.is_of_state()).count() >= limit;
    let limit = if is_full { 2 * limit } else { 0 };
    format!("yatsu-hook log{words}{from}{to} -n {limit}")
}

fn write_entry(entry: &LogEntry, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let short = entry.commit.short();
    let short = if style.color { short.yellow().to_string() } else { short };
    let day = entry.date.get(..DAY).unwrap_or(&entry.date);
    writeln!(out, "{short}  {day}  {}", terminal(&entry.subject))?;
    if style.quiet {
        return Ok(());
    }
    if let Some(score) = entry.score {
        writeln!(out, "  {}", score.sentence())?;
    }
    if let Some(why) = &entry.unread {
        writeln!(out, "  not judged: {}", terminal(why))?;
    }
    let groups = grouped(&entry.changes);
    let most = if style.verbose { usize::MAX } else { LINES };
    for (what, names) in groups.iter().take(most) {
        writeln!(out, "  {what}: {}", first_of(names, if style.verbose { usize::MAX } else { NAMES }))?;
    }
    let left: usize = groups.iter().skip(most).map(|(_, names)| names.len()).sum();
    if left == 0 {
        return Ok(());
    }
    writeln!(out, "  and {left} more: yatsu-hook log --to {} -n 1 -v", entry.commit.short())
}

/// The names of the changed scenarios, by what happened to them: the largest group first.
fn grouped(changes: &[StateChange]) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for change in changes {
        let (what, name) = (what(change), format!("{}/{}", terminal(&change.node.id), terminal(&change.scenario)));
        match groups.iter_mut().find(|(known, _)| *known == what) {
            Some((_, names)) => names.push(name),
            None => groups.push((what, vec![name])),
        }
    }
    // a stable sort: equal groups keep the order of their first scenarios
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    groups
}

/// What happened to a scenario, for example `pass → stale, code src/board.py`.
fn what(change: &StateChange) -> String {
    let word = |state: Option<StateWord>| state.map_or("", StateWord::as_str);
    let (was, is) = (word(change.was), word(change.is));
    match change.why {
        Why::New => format!("new, {is}"),
        Why::Dropped => format!("dropped, was {was}"),
        Why::Renamed => {
            let state = if was == is { String::new() } else { format!(", {was} → {is}") };
            match &change.from {
                Some(from) if from.name == change.scenario => {
                    format!("moved from {}{state}", terminal(&from.dir.to_string()))
                }
                Some(from) => format!("renamed from {}{state}", terminal(&from.to_string())),
                None => format!("renamed{state}"),
            }
        }
        Why::Stale => format!("{was} → {is}, {}", cause(change)),
        Why::Measured => format!("{was} → {is}, measured"),
        Why::Returned => format!("{was} → {is}, what was measured came back"),
        Why::Withdrawn => format!("{was} → {is}, a reading was withdrawn"),
        Why::Unreadable if change.is.is_none() => format!("{was} → its file cannot be read"),
        Why::Unreadable => format!("its file could not be read → {is}"),
        Why::Other => format!("{was} → {is}"),
    }
}

/// The stale axes, and the first path that moved.
fn cause(change: &StateChange) -> String {
    let axes: Vec<&str> = change.axes.iter().map(|axis| axis.as_str()).collect();
    let moved = change.moved.first().map(|path| format!(" {}", terminal(path))).unwrap_or_default();
    let more = if change.moved.len() > 1 { format!(" +{}", change.moved.len() - 1) } else { String::new() };
    format!("{}{moved}{more}", axes.join(", "))
}
