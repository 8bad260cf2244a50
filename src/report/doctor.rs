//! The doctor's findings, for people and programs. This module only formats: the verdict is decided before.
//!
//! Machine form: `yatsu-hook/doctor/v1` (schema/doctor.v1.schema.json), one JSON object on one line.

use super::view::{Diagnosis, Health, Style};
use crate::finding::Verdict;
use crate::text::escape::terminal;
use owo_colors::OwoColorize;
use serde::Serialize;
use std::io::{self, Write};

/// Writes one line per diagnosis, its repair below it, and the counts. Without diagnoses it writes nothing. Fails only
/// when `out` does.
pub(crate) fn write_human(found: &[Diagnosis], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for one in found {
        writeln!(out, "{} {}", mark(one.health, style), terminal(&one.what))?;
        if let Some(repair) = &one.repair {
            writeln!(out, "        repair: {}", terminal(repair))?;
        }
    }
    if found.is_empty() { Ok(()) } else { writeln!(out, "{}", counts(found)) }
}

/// Writes the document and a newline. Fails only when `out` does.
pub(crate) fn write_json(found: &[Diagnosis], verdict: Verdict, out: &mut dyn Write) -> io::Result<()> {
    super::write_json(&DoctorJson { diagnoses: found, verdict }, out)
}

/// The word for a health, padded to the width of the longest one.
fn mark(health: Health, style: &Style) -> String {
    let word = format!("{:<7}", health.as_str());
    match health {
        _ if !style.color => word,
        Health::Ok => word.green().to_string(),
        Health::Advice => word.yellow().bold().to_string(),
        Health::Absent | Health::Broken | Health::Unknown => word.red().bold().to_string(),
    }
}

fn counts(found: &[Diagnosis]) -> String {
    let count = |health| found.iter().filter(|one| one.health == health).count();
    let named = [Health::Absent, Health::Broken, Health::Unknown, Health::Advice]
        .map(|health| (count(health), health.as_str()));
    let said: Vec<String> =
        named.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if said.is_empty() { format!("all {} fine", found.len()) } else { said.join(", ") }
}

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/doctor/v1")]
struct DoctorJson<'a> {
    diagnoses: &'a [Diagnosis],
    verdict: Verdict,
}
