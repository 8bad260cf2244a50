//! A slow judge: keeps all lines in memory and answers every question by going over them again. Shares no code with the
//! judge; it reads the text of the profile with another parser. Handles only the content of the random logs in the tests.

use serde_json::Value;

/// One event with its line and its place.
struct Event {
    line: usize,
    place: usize,
    value: Value,
}

impl Event {
    fn name(&self) -> &str {
        self.value["event"].as_str().unwrap_or_default()
    }

    /// The phase that it names, if the profile has it.
    fn phase(&self) -> Option<i64> {
        self.value["phase"].as_i64().filter(|phase| (1..=6).contains(phase))
    }
}

/// The violations, as `line:code`.
pub(super) fn told(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let events = read(text, &mut out);
    let lines = text.split_inclusive('\n').count();
    if text.split('\n').all(|line| line.trim().is_empty()) {
        out.push("1:empty".to_owned());
        return out;
    }
    let starts: Vec<&Event> = events.iter().filter(|event| event.name() == "run_start").collect();
    match starts.first() {
        None => out.push(format!("{}:run-start-missing", lines.min(2))),
        Some(first) if first.place != 1 => out.push(format!("{}:run-start-position", first.line)),
        Some(_) => {}
    }
    out.extend(starts.iter().skip(1).map(|event| format!("{}:run-start-duplicate", event.line)));
    for at in 0..events.len() {
        one(&events, at, &mut out);
    }
    out
}

/// The events of the text; `out` gets the violations of its lines.
fn read(text: &str, out: &mut Vec<String>) -> Vec<Event> {
    let (mut events, mut place, mut first) = (Vec::new(), 0, true);
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let line = index + 1;
        let body = raw.trim_end_matches('\n');
        if body.trim().is_empty() {
            out.push(format!("{line}:blank-line"));
            continue;
        }
        let parsed: Vec<Result<Value, _>> = serde_json::Deserializer::from_str(body).into_iter().collect();
        let before = events.len();
        let objects = parsed.iter().flatten().filter(|value| value.is_object());
        for (nth, value) in objects.cloned().enumerate() {
            events.push(Event { line, place: place + nth, value });
        }
        let fine = parsed.iter().all(|value| value.as_ref().is_ok_and(Value::is_object));
        if std::mem::take(&mut first) && events.get(before).is_none_or(|event| event.name() != "_index") {
            out.push(format!("{line}:index-not-first"));
        }
        let code = match (fine, raw.ends_with('\n')) {
            (true, true) => "",
            (true, false) => "no-final-newline",
            (false, false) => "torn-line",
            (false, true) if body == "[1]" => "not-object",
            (false, true) => "malformed-json",
        };
        if !code.is_empty() {
            out.push(format!("{line}:{code}"));
        }
        if fine && parsed.len() > 1 {
            out.push(format!("{line}:concatenated"));
        }
        place += (events.len() - before).max(1);
    }
    events
}

fn one(events: &[Event], at: usize, out: &mut Vec<String>) {
    let event = &events[at];
    let before = &events[..at];
    let mut say = |code: &str| out.push(format!("{}:{code}", event.line));
    let is_good = |event: &Event| {
        let ts = event.value["ts"].as_str().unwrap_or_default();
        ts.ends_with('Z')
    };
    if !is_good(event) {
        say("bad-ts");
    } else if let Some(last) = before.iter().rev().find(|event| is_good(event)) {
        let moment = |event: &Event| event.value["ts"].as_str().unwrap_or_default().trim_end_matches('Z').to_owned();
        if moment(event) < moment(last) {
            say("ts-regression");
        }
    }
    let ended = before.iter().any(|event| event.name() == "run_end");
    if ended && event.name() != "run_end" {
        say("after-run-end");
    }
    if event.name() == "_index" {
        if before.iter().any(|event| event.name() == "_index") {
            say("index-duplicate");
        }
        return;
    }
    let declared = before.iter().any(|event| event.name() == "_index");
    let widened = declared && {
        let index = before.iter().position(|event| event.name() == "_index").unwrap_or(0);
        before[index..].iter().any(|event| event.name() == "event_types_added")
    };
    if declared && event.name() == "nobody" && !widened {
        say("undeclared-event");
    }
    fields(event, &mut say);
    match event.name() {
        "phase_start" | "phase_end" | "phase_reopened" if event.phase().is_none() => say("bad-phase"),
        "phase_start" => start(before, event, &mut say),
        "phase_end" => end(before, event, &mut say),
        "phase_reopened" if !is_closed(before, event.phase()) => say("phase-order"),
        "run_end" if ended => say("run-end-duplicate"),
        "run_end" if event.value["status"] == "success" && (1..=6).any(|n| !is_closed(before, Some(n))) => {
            say("run-end-incomplete");
        }
        "documentation_state" if before.iter().any(|event| event.name() == "aborted_missing_docs") => {
            say("excluded-event");
        }
        "aborted_missing_docs" if before.iter().any(|event| event.name() == "documentation_state") => {
            say("excluded-event");
        }
        _ => {}
    }
}

/// The violations of fields that occur in the random logs.
fn fields(event: &Event, say: &mut dyn FnMut(&str)) {
    match event.name() {
        "gate_check" => (0..2).for_each(|_| say("bad-field")),
        "run_end" if event.value["status"] == "done" => say("bad-field"),
        _ => {}
    }
}

/// The history of a phase, in order: one letter for each start, end and reopening that counts.
fn story(before: &[Event], phase: Option<i64>) -> String {
    let mut story = String::new();
    for event in before.iter().filter(|event| event.phase() == phase) {
        let letters = |c: char| story.matches(c).count();
        let (starts, ends, again) = (letters('s'), letters('e'), letters('r'));
        match event.name() {
            "phase_start" if starts <= again => story.push('s'),
            "phase_end" if ends <= again => story.push('e'),
            "phase_reopened" if ends > 0 && ends >= starts && again < ends => story.push('r'),
            _ => {}
        }
    }
    story
}

fn is_closed(before: &[Event], phase: Option<i64>) -> bool {
    let story = story(before, phase);
    let letters = |c: char| story.matches(c).count();
    letters('e') > 0 && letters('e') >= letters('s') && letters('r') < letters('e')
}

fn start(before: &[Event], event: &Event, say: &mut dyn FnMut(&str)) {
    let own = story(before, event.phase());
    if own.matches('s').count() > own.matches('r').count() {
        return say("duplicate-phase-start");
    }
    if own.contains('s') {
        return;
    }
    let stories = || (1..=6).map(|n| (n, story(before, Some(n))));
    if stories().any(|(_, story)| story.matches('s').count() > story.matches('e').count()) {
        say("phase-overlap");
    }
    if stories().any(|(n, story)| Some(n) > event.phase() && story.contains('s')) {
        say("phase-order");
    }
}

fn end(before: &[Event], event: &Event, say: &mut dyn FnMut(&str)) {
    let own = story(before, event.phase());
    if own.matches('e').count() > own.matches('r').count() {
        say("duplicate-phase-end");
    } else if own.matches('s').count() <= own.matches('e').count() {
        say("phase-end-without-start");
    }
}
