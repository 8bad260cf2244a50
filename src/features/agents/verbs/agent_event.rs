//! `agent event`: reads one event, and prints one whole answer or the neutral one of the harness. An error, a silent harness
//! and work that takes too long are a neutral answer too.

use crate::cli::call::Call;
use crate::cli::{Exit, clock, deadline, framework, parsing, stdio};
use crate::error::{Error, Result};
use crate::features::agents::judge::events::{self, Shows, Visit};
use crate::features::agents::model::agent_event::{self, Event, MAX_EVENT, Speaker};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::reply::{AgentReply, NameRule};
use crate::features::agents::print::reply::{encode, has_messages, has_questions};
use crate::features::agents::verbs::agent_args::EventArgs;
use crate::features::claims::claimed_token;
use crate::model::ledger::Timestamp;
use crate::repo::Repo;
use crate::repo::open::env::Env;
use crate::store::Store;
use crate::sys;
use std::cell::OnceCell;
use std::io::{self, IsTerminal, Read};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long one event may take in all. Harnesses wait 10 s.
const LIMIT: Duration = Duration::from_secs(5);
/// How long standard input may be silent.
const SILENCE: Duration = Duration::from_secs(2);
const CHUNK: usize = 64 << 10;

pub(super) fn event(call: Call<'_>, args: EventArgs) -> Result<Exit> {
    // first of all: an observation is about the time before this moment
    let (started, now) = (Instant::now(), clock::now());
    let names = if args.user { NameRule::WithoutBlanks } else { NameRule::WithBlanks };
    let said = args.harness.map(speaker);
    let event = input(started)?.and_then(|bytes| agent_event::read(&bytes, said));
    let Some(event) = event else {
        return print(&encode(said.unwrap_or(Speaker::Claude), "", names, &AgentReply::Neutral));
    };
    let answered = Arc::new(AtomicBool::new(false));
    let reply = reply(call, &event, started, now, &answered);
    if answered.swap(true, Ordering::SeqCst) {
        // the deadline answers at this moment, and ends the process
        loop {
            std::thread::park();
        }
    }
    let (reply, failed) = reply.map_or_else(|error| (AgentReply::Neutral, Some(error)), |reply| (reply, None));
    let printed = print(&encode(event.speaker, event.name, names, &reply));
    failed.map_or(printed, Err)
}

fn print(answer: &[u8]) -> Result<Exit> {
    stdio::print(answer).map(|()| Exit::CLEAN)
}

fn speaker(harness: Harness) -> Speaker {
    match harness {
        Harness::Claude => Speaker::Claude,
        Harness::Codex => Speaker::Codex,
        Harness::Cursor => Speaker::Cursor,
        Harness::Gemini => Speaker::Gemini,
        Harness::Copilot => Speaker::Copilot,
    }
}

/// Standard input to its end. `None` for a terminal, a silent harness and a payload that is too large.
fn input(started: Instant) -> Result<Option<Vec<u8>>> {
    let mut input = io::stdin().lock();
    if input.is_terminal() {
        return Ok(None);
    }
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    while bytes.len() <= MAX_EVENT {
        let wait = sys::time_limit(SILENCE).min(sys::time_limit(LIMIT).saturating_sub(started.elapsed()));
        match sys::has_input(wait) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::unread("standard input", &error)),
        }
        match input.read(&mut chunk) {
            Ok(0) => return Ok(Some(bytes)),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::unread("standard input", &error)),
        }
    }
    Ok(None)
}

fn reply(
    call: Call<'_>,
    event: &Event,
    started: Instant,
    now: Timestamp,
    answered: &Arc<AtomicBool>,
) -> Result<AgentReply> {
    if framework::skipped(&|name| std::env::var_os(name)).is_some() {
        return Ok(AgentReply::Neutral);
    }
    let Some(place) = place(call, event)? else { return Ok(AgentReply::Neutral) };
    let repo = Repo::open(&Env::from_process(), &place)?;
    repo.read_units_by(parsing::patient());
    let store = Store::new(&repo.common_dir).shared_by(repo.shared);
    let watch = OnceCell::new();
    // never dropped: the answer may come late, and without the sender nothing waits for it
    let busy = || {
        watch.get_or_init(|| ManuallyDrop::new(watch_over(event.speaker, started, answered)));
    };
    let shows = Shows { questions: has_questions(event.speaker), messages: has_messages(event.speaker) };
    let token = claimed_token().ok().flatten();
    events::answer(&Visit { repo: &repo, store: &store, event, now, token, shows, busy: &busy })
}

/// The directory of the event, if a repository may be around it.
fn place(call: Call<'_>, event: &Event) -> Result<Option<PathBuf>> {
    let place = match &event.place {
        Some(place) => sys::canonical(place).ok(),
        None => Some(call.here()?),
    };
    let is_inside = |place: &PathBuf| {
        std::env::var_os("GIT_DIR").is_some() || place.ancestors().any(|dir| dir.join(".git").exists())
    };
    Ok(place.filter(is_inside))
}

/// Answers neutrally when the time is over.
fn watch_over(speaker: Speaker, started: Instant, answered: &Arc<AtomicBool>) -> Sender<()> {
    let answered = Arc::clone(answered);
    #[allow(clippy::exit)] // stuck work cannot be asked to stop
    let give_up = move || {
        if !answered.swap(true, Ordering::SeqCst) {
            let _ = print(&encode(speaker, "", NameRule::WithoutBlanks, &AgentReply::Neutral));
            stdio::tell(
                format!("yatsu-hook: the event took more than {} s\n", sys::time_limit(LIMIT).as_secs()).as_bytes(),
            );
            std::process::exit(0);
        }
    };
    deadline::watch(sys::time_limit(LIMIT).saturating_sub(started.elapsed()), give_up)
}
