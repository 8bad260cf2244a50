//! The runs on the page, phase by phase, from their logs.

use super::masked::Masker;
use crate::app::query::view::ScoreView;
use crate::error::{Error, Result};
use crate::features::page::model::page::{PagePhase, PageRun};
use crate::features::runlogs::{PhaseRun, PhaseSpec, PhaseTold, Profile, ReadLog, Story, ToldEvent};

/// Every run of the view, open runs first, then by the path of the log. A page for publication shows no events.
///
/// # Errors
/// When a log cannot be read.
pub(super) fn runs(score: &ScoreView<'_>, masker: &mut Masker) -> Result<Vec<PageRun>> {
    let mut found = Vec::new();
    for log in ReadLog::all(&*score.view, &score.workspace.config)? {
        let story =
            Story::read(log.bytes.as_slice(), &log.profile).map_err(|error| Error::unread(&log.path, &error))?;
        found.push(run(log.path.to_string(), &story, &log.profile, masker));
    }
    found.sort_by(|one, other| (one.state != "open", &one.file).cmp(&(other.state != "open", &other.file)));
    Ok(found)
}

fn run(file: String, story: &Story, profile: &Profile, masker: &mut Masker) -> PageRun {
    let each = profile.phases.iter().zip(&story.run.phases).zip(&story.ends);
    let ended = story.run.ended.as_ref().map(|end| end.status.clone().unwrap_or_else(|| "ended".to_owned()));
    let publishes = masker.publishes;
    PageRun {
        file,
        profile: profile.name.clone(),
        state: match story.run.newer {
            true => "newer".to_owned(),
            false => ended.unwrap_or_else(|| "open".to_owned()),
        },
        began: story.began.clone(),
        last: story.recent.back().map(|event| event.ts.clone()),
        phases: each.map(|((spec, run), told)| phase(spec, run, told)).collect(),
        events: story.recent.iter().rev().filter(|_| !publishes).map(|event| told(event, masker)).collect(),
        errors: story.run.errors,
    }
}

fn phase(spec: &PhaseSpec, run: &PhaseRun, told: &PhaseTold) -> PagePhase {
    let state = match run {
        run if run.is_closed() => "done",
        run if run.is_open() => "open",
        run if run.reopened > 0 => "reopened",
        _ => "to do",
    };
    let counts = told.counts.iter().map(|(name, value)| [name.replace('_', " "), value.clone()]);
    PagePhase { number: spec.n, name: spec.name.clone(), state, counts: counts.collect() }
}

fn told(event: &ToldEvent, masker: &mut Masker) -> [String; 3] {
    let fields = event.fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
    [event.ts.clone(), event.name.clone(), masker.text(&fields)]
}
