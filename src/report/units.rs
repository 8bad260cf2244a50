//! `units`, for people and programs. Machine form: `yatsu-hook/units/v1` (schema/units.v1.schema.json).

use super::view::units::FileUnits;
use crate::text::escape::terminal;
use std::io::{self, Write};

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
