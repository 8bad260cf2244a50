//! `runlog start`: the first lines of a run, all of them in one write.

use super::desk::OpenedLog;
use super::offer::{OURS, askable, placed, typing};
use super::{append, started};
use crate::app::site::Site;
use crate::error::{Error, Result};
use crate::features::runlogs::judge::logs::profile;
use crate::features::runlogs::model::builtin::{self, MEASURE};
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::place::log_id;
use crate::features::runlogs::model::profile::{EventSpec, FieldSpec, LogPosition, Profile};
use crate::features::runlogs::model::receipts::LogReceipt;
use crate::features::runlogs::model::settings::ProfileName;
use crate::features::runlogs::model::write::{NewEvent, NewField};
use crate::model::labels::RunId;
use crate::model::ledger::Timestamp;
use crate::names::{RUN_ENDING, RUNS_DIR};
use crate::store::Store;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::borrow::Cow;

/// The field that names a run.
const RUN: &str = "run";

/// Starts a run: in `file`, or in a new one in the runs directory, of the named profile. `fields` are the typed ones of the
/// first two events; `random` distinguishes it from another run of the same second.
///
/// # Errors
/// Usage if the profile is unknown, or if a field is missing or unknown; refused if the file exists.
pub(crate) fn start(
    site: &dyn Site,
    store: &Store,
    file: Option<&RepoPath>,
    named: Option<&str>,
    fields: &[NewField],
    now: Timestamp,
    random: u16,
) -> Result<LogReceipt> {
    let (path, profile) = match file {
        Some(path) => (path.clone(), profile_at(site, path, named)?),
        None => (new_path(now, random)?, measure(named)?),
    };
    let lock = store.lock_ledger()?;
    let log = OpenedLog::make(site, &lock, &path, profile)?;
    let at = log.moment(now);
    let events = opening(&log.profile, fields, at, &log_id(&path))?;
    let first = log.profile.phases.first().map(|phase| phase.n);
    append(log, now, "start", first, &events)
}

/// The profile of a log without a typed path.
fn measure(named: Option<&str>) -> Result<Cow<'static, Profile>> {
    if let Some(other) = named.filter(|name| *name != MEASURE) {
        return Err(Error::usage(format!("a run of {} needs the name of its log", echo(other)))
            .hint("name it: yatsu-hook runlog start --profile quality-playbook quality/run_state.jsonl …"));
    }
    builtin::find(MEASURE).map(Cow::Borrowed).ok_or_else(|| Error::fault("the profile measure cannot be read"))
}

/// The profile of the logs at this path.
fn profile_at(site: &dyn Site, path: &RepoPath, named: Option<&str>) -> Result<Cow<'static, Profile>> {
    let place = placed(site, path, named)?;
    let known = match &place.profile {
        ProfileName::BuiltIn(name) => (*name).to_owned(),
        ProfileName::File(file) => file.to_string(),
    };
    let profile = profile(&*site.worktree()?, &place.profile)?;
    match named.filter(|named| *named != known && *named != profile.name) {
        Some(other) => {
            Err(Error::usage(format!("{path} is a place for runs of {}, not of {}", echo(&known), echo(other)))
                .hint("name another file, or leave --profile out"))
        }
        None => Ok(profile),
    }
}

/// A generated path: the time and a random number.
fn new_path(now: Timestamp, random: u16) -> Result<RepoPath> {
    let at = Moment { seconds: now.millis.div_euclid(1000), nanos: 0 }.to_string().replace(['-', ':'], "");
    let path = format!("{RUNS_DIR}/{at}-{random:04x}{RUN_ENDING}");
    RepoPath::parse(path.as_bytes()).map_err(|problem| Error::usage(format!("{path} {}", problem.as_str())))
}

fn opening(profile: &Profile, typed: &[NewField], at: Moment, id: &str) -> Result<Vec<NewEvent>> {
    let (Some(index), Some(start)) = (profile.at(LogPosition::First), profile.at(LogPosition::Second)) else {
        return Err(Error::fault(format!("{} has no first lines", profile.name)));
    };
    let knows = |spec: &EventSpec, name: &str| spec.fields.iter().any(|field| field.name == name);
    for field in typed {
        if OURS.contains(&field.name.as_str()) {
            return Err(
                Error::usage(format!("{} is not typed: it follows from the profile", field.name)).hint("leave it out")
            );
        }
        if !knows(index, &field.name) && !knows(start, &field.name) {
            let known: Vec<&str> =
                [index, start].iter().flat_map(|spec| askable(spec)).map(|field| &*field.name).collect();
            return Err(Error::usage(format!("a run of {} starts with no field {}", profile.name, echo(&field.name)))
                .hint(format!("its fields are {}", known.join(", "))));
        }
    }
    refuse_lacking(profile, [index, start], typed)?;
    let of = |spec: &EventSpec| typed.iter().filter(|field| knows(spec, &field.name)).cloned().collect::<Vec<_>>();
    let mut first = NewEvent::new(&index.name)
        .with(NewField::text("schema_version", &profile.schema_version))
        .with(NewField::texts("event_types", profile.vocabulary()));
    first.fields.extend(of(index));
    if knows(index, RUN) && RunId::parse(id).is_some() && !typed.iter().any(|field| field.name == RUN) {
        first.fields.push(NewField::text(RUN, id));
    }
    if knows(index, "started_at") {
        first.fields.push(NewField::text("started_at", &at.to_string()));
    }
    let second = NewEvent { name: start.name.clone(), fields: of(start) };
    let phase = profile.phases.first().map(|phase| started(phase.n));
    Ok([first, second].into_iter().chain(phase).collect())
}

fn refuse_lacking(profile: &Profile, specs: [&EventSpec; 2], typed: &[NewField]) -> Result<()> {
    let required = specs.into_iter().flat_map(askable).filter(|field| field.required);
    let lacks = |field: &&FieldSpec| !typed.iter().any(|typed| typed.name == field.name);
    let lacking: Vec<String> = required.filter(lacks).map(typing).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("a run of {} can't start without {}", profile.name, lacking.join(" ")))
        .hint("FIELD=VALUE is a text; numbers and lists are typed FIELD:=JSON"))
}
