//! The page of a run, `PROGRESS.md` beside its log: header, phases, the last events and artifacts, from the log alone.
//! Other text in an existing page is kept ([`kept`]). Pure: a [`Story`] and the old page in, the new page out. The same log
//! gives the same page on every machine, so that a rule can detect an edited page.

mod foreign_text;
mod markdown;
#[cfg(test)]
mod tests;

use super::story::{PhaseTold, Story, ToldEvent, WrittenFile};
use super::{PhaseRun, RunEnd};
use crate::features::runlogs::model::builtin::QUALITY_PLAYBOOK;
use crate::features::runlogs::model::profile::{PhaseSpec, Profile};
use markdown::plain;

const NONE_YET: &str = "(none yet)";
/// The line of a run without documentation, and the beginning of the line with the reason of an abort for that.
const CODE_ONLY: &str = "Documentation state: code_only";
const ABORTED: &str = "ERROR: aborted_missing_docs — ";
/// The header labels that do not come from a field of the log.
const LABELS: [&str; 4] = ["**Started:**", "**Ended:**", "**Status:**", "**Runner:**"];
const TITLE: &str = "# Run Progress";
const TITLE_OF_PLAYBOOK: &str = "# QPB Run Progress";

/// The page of the log with this story; `before` is the existing page.
pub fn render(story: &Story, profile: &Profile, before: Option<&[u8]>) -> Vec<u8> {
    let title = if profile.name == QUALITY_PLAYBOOK { TITLE_OF_PLAYBOOK } else { TITLE };
    let sections = [
        format!("{title}\n\n{}", header(story)),
        format!("{}\n\n{}", foreign_text::PHASES, phases(story, profile)),
        format!("{} (last 10)\n\n{}", foreign_text::RECENT, recent(story)),
        format!("{}\n\n{}", foreign_text::ARTIFACTS, artifacts(story)),
        format!("{}\n", foreign_text::MARK),
    ];
    let mut page = sections.join("\n").into_bytes();
    let labels = labels(story);
    let others = before
        .map(|before| foreign_text::others(before, foreign_text::Header { title, labels: &labels }))
        .unwrap_or_default();
    page.extend_from_slice(&others);
    page
}

/// The labels that begin the lines of a header.
fn labels(story: &Story) -> Vec<String> {
    let fields = story.index.iter().chain(&story.start).map(|(name, _)| format!("**{}:**", label(name)));
    LABELS.map(str::to_owned).into_iter().chain(fields).collect()
}

/// Whether an existing file that is not a rendered page would lose a section to [`render`].
pub fn would_lose(before: &[u8]) -> bool {
    foreign_text::is_at_stake(before, &[TITLE, TITLE_OF_PLAYBOOK])
}

/// The name of the page for a log of that name; `None` if its profile has no page.
pub fn name(profile: &Profile, log: &str) -> Option<String> {
    let id = log.rsplit_once('.').map_or(log, |(id, _)| id);
    profile.page.as_ref().map(|page| page.replace("{id}", id))
}

fn header(story: &Story) -> String {
    let labelled = |pairs: &[(String, String)]| {
        let shown = pairs.iter().filter(|(name, _)| name != "target_path");
        shown.map(|(name, value)| format!("**{}:** {}", label(name), plain(value))).collect::<Vec<_>>()
    };
    let began = story.began.as_ref().map(|ts| format!("**Started:** {}", plain(ts)));
    let first = began.into_iter().chain(labelled(&story.index)).collect::<Vec<_>>().join(" ");
    let mut lines = vec![first, labelled(&story.start).join(" ")];
    lines.extend(story.run.ended.as_ref().map(|end| ended(story, end)));
    lines.retain(|line| !line.is_empty());
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if story.code_only {
        text += &format!("\n{CODE_ONLY}\n");
    }
    if let Some(reason) = &story.aborted {
        text += &format!("\n{ABORTED}{}\n", plain(reason));
    }
    text
}

fn ended(story: &Story, end: &RunEnd) -> String {
    let at = story.run.last.map(|at| format!("**Ended:** {at}"));
    let status = end.status.as_ref().map(|status| format!("**Status:** {}", plain(status)));
    at.into_iter().chain(status).collect::<Vec<_>>().join(" ")
}

/// A field's name for people: `playbook_version` becomes "Playbook version", and a suffix `_state` is dropped.
fn label(name: &str) -> String {
    let words = name.strip_suffix("_state").unwrap_or(name).replace('_', " ");
    let mut letters = words.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    plain(&(capital + letters.as_str()))
}

fn phases(story: &Story, profile: &Profile) -> String {
    let each = profile.phases.iter().zip(&story.run.phases).zip(&story.ends);
    let lines: String = each.map(|((spec, run), told)| phase(spec, run, told)).collect();
    if lines.is_empty() { format!("{NONE_YET}\n") } else { lines }
}

fn phase(spec: &PhaseSpec, run: &PhaseRun, told: &PhaseTold) -> String {
    let mark = if run.is_closed() { 'x' } else { ' ' };
    let state = if run.is_closed() {
        let facts = facts(run, told).join(", ");
        if facts.is_empty() { facts } else { format!(" ({facts})") }
    } else if run.is_open() {
        let since = told.started.as_deref().unwrap_or_default();
        // only the part after the date, because the header has the day
        let since = since.split_once('T').map_or(since, |(_, time)| time);
        format!(" *(in progress, started {})*", plain(since))
    } else if run.reopened > 0 {
        " *(reopened)*".to_owned()
    } else {
        String::new()
    };
    format!("- [{mark}] Phase {} — {}{state}\n", spec.n, plain(&spec.name))
}

fn facts(run: &PhaseRun, told: &PhaseTold) -> Vec<String> {
    let lasted = run.started.zip(run.ended).map(|(from, to)| duration(from.millis_until(to)));
    let counts = told.counts.iter().map(|(name, value)| {
        let (name, is_count) = (plain(&name.replace('_', " ")), value.bytes().all(|byte| byte.is_ascii_digit()));
        if is_count { format!("{} {name}", plain(value)) } else { format!("{name} {}", plain(value)) }
    });
    let produced = match told.produced {
        0 => None,
        1 => Some("1 artifact produced".to_owned()),
        many => Some(format!("{many} artifacts produced")),
    };
    lasted.into_iter().chain(counts).chain(produced).collect()
}

/// `m:ss`, or `h:mm:ss` from one hour on. A negative duration counts as zero.
fn duration(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

fn recent(story: &Story) -> String {
    let lines: String = story.recent.iter().rev().map(event).collect();
    if lines.is_empty() { format!("{NONE_YET}\n") } else { lines }
}

fn event(event: &ToldEvent) -> String {
    let fields = event.fields.iter().map(|(name, value)| format!(" {}={}", plain(name), plain(value)));
    format!("- {} — {}{}\n", plain(&event.ts), plain(&event.name), fields.collect::<String>())
}

fn artifacts(story: &Story) -> String {
    let mut lines: String = story.artifacts.iter().map(artifact).collect();
    if story.artifacts_cut {
        lines += "- and more than are listed here\n";
    }
    if lines.is_empty() { format!("{NONE_YET}\n") } else { lines }
}

fn artifact(artifact: &WrittenFile) -> String {
    let size = match artifact.size {
        None => String::new(),
        Some(1) => " (1 byte)".to_owned(),
        Some(size) => format!(" ({} bytes)", separated(size)),
    };
    format!("- {}{size}\n", plain(&artifact.path))
}

/// A number with thousands separators.
fn separated(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
