//! Claims for people and programs. Machine form: `yatsu-hook/claim/v1` (schema/claim.v1.schema.json), one JSON object for
//! every verb. A token appears only in the answer to the process that took the claim.

use super::next::{NextDto, write_row};
use super::view::claim::ClaimRow;
use super::view::next::NextRow;
use crate::text::escape::{echo, terminal};
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/claim/v1";

#[derive(Serialize)]
struct ClaimsJson<'a> {
    schema: &'static str,
    verb: &'a str,
    claims: Vec<ClaimDto<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<NextDto<'a>>,
}

#[derive(Serialize)]
struct ClaimDto<'a> {
    ts: &'a str,
    event: &'static str,
    node: &'a str,
    scenario: &'a str,
    owner: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
    until: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "seenBy")]
    seen_by: Option<&'a str>,
}

/// The machine form of the answer to `verb`.
pub(crate) fn write_json(verb: &str, rows: &[ClaimRow], out: &mut dyn Write) -> io::Result<()> {
    write_claimed(verb, rows, None, out)
}

/// The machine form of a claimed scenario, with the item to measure.
pub(crate) fn write_claimed(
    verb: &str,
    rows: &[ClaimRow],
    item: Option<&NextRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (claims, next) = (rows.iter().map(ClaimDto::of).collect(), item.map(NextDto::of).into_iter().collect());
    let json = serde_json::to_string(&ClaimsJson { schema: SCHEMA, verb, claims, next }).map_err(io::Error::from)?;
    writeln!(out, "{}", super::inert_json(json))
}

impl<'a> ClaimDto<'a> {
    fn of(row: &'a ClaimRow) -> Self {
        Self {
            ts: &row.ts,
            event: row.event,
            node: &row.node,
            scenario: &row.scenario,
            owner: &row.owner,
            token: row.token.as_deref(),
            attempt: row.attempt,
            run: row.run.as_deref(),
            until: &row.until,
            reason: row.reason.as_deref(),
            state: row.state,
            seen_by: row.seen_by.as_deref(),
        }
    }
}

/// A new claim, with its token.
pub(crate) fn write_given(row: &ClaimRow, item: Option<&NextRow>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "token {}", row.token.as_deref().unwrap_or_default())?;
    write_taken(row, item, out)
}

/// The scenario of a new claim and the item to measure, without the token.
pub(crate) fn write_taken(row: &ClaimRow, item: Option<&NextRow>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {} by {}, attempt {}, until {}", row.event, what(row), who(row), row.attempt, row.until)?;
    item.map_or(Ok(()), |item| write_row(item, out))
}

/// A new claim as an `export YATSU_CLAIM=...` line for a shell.
pub(crate) fn write_export(row: &ClaimRow, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "export YATSU_CLAIM={}", row.token.as_deref().unwrap_or_default())
}

/// The result of a dry run.
pub(crate) fn write_would_take(row: &ClaimRow, item: Option<&NextRow>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "would take {}, attempt {}; nothing was written", what(row), row.attempt)?;
    item.map_or(Ok(()), |item| write_row(item, out))
}

/// The claims that are held, one per line. An empty list prints nothing.
pub(crate) fn write_held(rows: &[ClaimRow], out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let state = row.state.unwrap_or_default();
        let run = row.run.as_ref().map_or(String::new(), |run| format!(", run {}", terminal(&*echo(run))));
        let seen = row.seen_by.as_ref().map_or(String::new(), |place| format!(" ({})", terminal(&*echo(place))));
        writeln!(
            out,
            "{state:<6} {} by {}, attempt {}{run}, until {}{seen}",
            what(row),
            who(row),
            row.attempt,
            row.until
        )?;
    }
    Ok(())
}

/// The journal of claims, one event per line.
pub(crate) fn write_log(rows: &[ClaimRow], out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(": {}", terminal(&*echo(reason))));
        let until = match row.event {
            "taken" | "renewed" | "reclaimed" | "intended" => format!(", until {}", row.until),
            _ => String::new(),
        };
        writeln!(
            out,
            "{} {} {} by {}, attempt {}{until}{reason}",
            row.ts,
            row.event,
            what(row),
            who(row),
            row.attempt
        )?;
    }
    Ok(())
}

/// Why a scenario was not taken, in one line.
pub(crate) fn passed_over(series: &str, reason: &str) -> String {
    format!("passed over {}: {}\n", terminal(series), terminal(reason))
}

fn what(row: &ClaimRow) -> String {
    terminal(&format!("{}/{}", row.called, row.scenario)).into_owned()
}

fn who(row: &ClaimRow) -> String {
    terminal(&*echo(&row.owner)).into_owned()
}
