//! `units`, for people and programs. Machine form: `yatsu-hook/units/v1` (schema/units.v1.schema.json).

use super::json::PathDto;
use super::view::units::FileUnits;
use crate::text::escape::terminal;
use serde::Serialize;
use std::io::{self, Write};

/// The name of the format.
const SCHEMA: &str = "yatsu-hook/units/v1";

/// One line per unit: its name, its kind, its lines.
pub(crate) fn write(file: &FileUnits, out: &mut dyn Write) -> io::Result<()> {
    if let Some(unread) = &file.unread {
        return writeln!(out, "the whole file is compared: {}", terminal(unread));
    }
    if file.units.is_empty() {
        return writeln!(out, "it declares nothing that has a name");
    }
    let names: Vec<String> = file.units.iter().map(|unit| terminal(&unit.name).into_owned()).collect();
    let width = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or_default().min(48);
    let (name, kind) = (
        width(&mut names.iter().map(|name| name.chars().count())),
        width(&mut file.units.iter().map(|unit| unit.kind.len())),
    );
    for (unit, shown) in file.units.iter().zip(&names) {
        let broken = unit.broken.map_or(String::new(), |line| format!("  the grammar cannot read it at line {line}"));
        let (first, last) = unit.lines;
        writeln!(out, "{shown:name$}  {:kind$}  {first}-{last}{broken}", unit.kind)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct UnitsJson<'a> {
    schema: &'static str,
    #[serde(flatten)]
    path: PathDto<'a>,
    language: Option<&'a str>,
    units: Vec<UnitDto<'a>>,
    unread: Option<&'a str>,
}

#[derive(Serialize)]
struct UnitDto<'a> {
    name: &'a str,
    kind: &'a str,
    lines: [usize; 2],
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<usize>,
}

/// Writes one document.
pub(crate) fn write_json(file: &FileUnits, out: &mut dyn Write) -> io::Result<()> {
    let units = file.units.iter().map(|unit| {
        let (first, last) = unit.lines;
        UnitDto { name: &unit.name, kind: unit.kind, lines: [first, last], id: &unit.id, broken: unit.broken }
    });
    let document = UnitsJson {
        schema: SCHEMA,
        path: PathDto::of(Some(&file.path)),
        language: file.language,
        units: units.collect(),
        unread: file.unread.as_deref(),
    };
    let json = serde_json::to_string(&document).map_err(io::Error::from)?;
    writeln!(out, "{}", super::inert_json(json))
}
