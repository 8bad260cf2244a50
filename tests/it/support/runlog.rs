//! Lines of run logs as a playbook writes them.

/// The place of the log in these tests.
pub const LOG: &str = "quality/run_state.jsonl";

/// A line of that event, at that minute after two o'clock.
pub fn event(name: &str, minute: u32, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!(
        "{{\"event\":\"{name}\",\"ts\":\"2026-05-15T{:02}:{:02}:00Z\"{comma}{rest}}}\n",
        14 + minute / 60,
        minute % 60
    )
}

/// The first line of a playbook's log.
pub fn index() -> String {
    let types = "\"_index\",\"run_start\",\"phase_start\",\"phase_end\",\"artifact_written\",\"gate_check\",\"error\",\"run_end\"";
    event(
        "_index",
        0,
        &format!(
            "\"schema_version\":\"1.5.6\",\"event_types\":[{types}],\"benchmark\":\"chi\",\"lever_state\":\"baseline\",\
             \"started_at\":\"2026-05-15T14:00:00Z\""
        ),
    )
}

pub fn run_start() -> String {
    event("run_start", 0, "\"runner\":\"claude\",\"playbook_version\":\"1.5.6\",\"target_path\":\".\"")
}

pub fn start(phase: u32, minute: u32) -> String {
    event("phase_start", minute, &format!("\"phase\":{phase}"))
}

pub fn end(phase: u32, minute: u32) -> String {
    let counts = if phase == 6 { "\"bugs_md_count\":0" } else { "" };
    event("phase_end", minute, &format!("\"phase\":{phase},\"key_counts\":{{{counts}}},\"artifacts_produced\":[]"))
}

pub fn run_end(minute: u32, status: &str) -> String {
    event("run_end", minute, &format!("\"status\":\"{status}\""))
}

/// A run in its second phase: four lines, and the start of phase 2.
pub fn begun() -> String {
    index() + &run_start() + &start(1, 1) + &end(1, 2) + &start(2, 3)
}

/// A whole run with all six phases.
pub fn whole() -> String {
    let phases: String = (1..=6).map(|n| start(n, 2 * n) + &end(n, 2 * n + 1)).collect();
    index() + &run_start() + &phases + &run_end(20, "success")
}
