//! Claims for people and programs. Machine form: `yatsu-hook/claim/v1` (schema/claim.v1.schema.json), one JSON object for
//! every verb. A token appears only in the answer to the process that took the claim.

use crate::features::claims::model::next_rows::NextRow;
use crate::features::claims::model::rows::{ClaimRow, WaiverReceipt};
use crate::features::claims::print::next::write_row;
use crate::report::receipt::{Receipt, added};
use crate::report::shown;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/claim/v1")]
struct ClaimsJson<'a> {
    verb: &'a str,
    claims: &'a [ClaimRow],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<&'a NextRow>,
}

/// The machine form of the answer to `verb`, with the item to measure if a scenario was claimed.
pub(crate) fn write_json(
    verb: &str,
    claims: &[ClaimRow],
    item: Option<&NextRow>,
    out: &mut dyn Write,
) -> io::Result<()> {
    crate::report::write_json(&ClaimsJson { verb, claims, next: item.into_iter().collect() }, out)
}

/// A new claim, with its token.
pub(crate) fn write_given(row: &ClaimRow, item: Option<&NextRow>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "token {}", row.token.as_deref().unwrap_or_default())?;
    write_taken(row, item, out)
}

/// A new claim and the item to measure, without the token.
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
        let run = row.run.as_ref().map_or(String::new(), |run| format!(", run {}", shown(run)));
        let seen = row.seen_by.as_ref().map_or(String::new(), |place| format!(" ({})", shown(place)));
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
        let reason = row.reason.as_ref().map_or(String::new(), |reason| format!(": {}", shown(reason)));
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

fn what(row: &ClaimRow) -> String {
    shown(&row.called)
}

fn who(row: &ClaimRow) -> String {
    shown(&row.owner)
}

impl Receipt for WaiverReceipt {
    const VERB: &'static str = "waive-budget";

    fn lines(&self, _all: bool) -> String {
        let name = format!("{}/{}", shown(&self.node), shown(&self.scenario));
        match self.outcome {
            "waived" => format!("waived {name} at {}; {}\n", self.ts, added(&[&self.ledger])),
            _ => format!("already waived {name} at {}; nothing was written\n", self.ts),
        }
    }
}
