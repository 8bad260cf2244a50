//! Profiles of `go test -coverprofile`: `mode: set`, then a line per block. `example.com/shop/cart.go:3.29,5.26 2 1` is a
//! block from line 3 to line 5 with 2 statements that ran once.
//!
//! A profile over several packages names a block once for each of them. Profiles that stand one after the other are one.

use super::input::CoverageLines;
use super::record::{Record, Records};
use super::{Coverage, CoverageFault, Format, has_run, shown};
use crate::text::escape::echo;

pub(super) fn read(mut lines: CoverageLines<'_>, mut report: Records) -> Result<Coverage, CoverageFault> {
    let mut record = Record::default();
    let mut current = None;
    while let Some(line) = lines.next()? {
        let fault = |message: String| CoverageFault::at(line.number, message);
        // a count may have lost its last digits
        if !line.is_ended {
            return Err(fault("the profile ends in the middle of a line".into()));
        }
        let text = String::from_utf8_lossy(line.bytes);
        if let Some(mode) = text.strip_prefix("mode:").map(str::trim) {
            if !["set", "count", "atomic"].contains(&mode) {
                return Err(fault(format!("`{}` is no mode of a profile: set, count or atomic", echo(mode))));
            }
            continue;
        }
        if text.is_empty() {
            continue;
        }
        let block = Block::of(&text).ok_or_else(|| fault(format!("`{}` is no block of a profile", shown(&line))))?;
        let file = report.file(block.name).map_err(fault)?;
        report.has_statements(file);
        if let Some(before) = current.replace(file).filter(|before| *before != file) {
            report.add(before, None, &mut record).map_err(fault)?;
        }
        if block.ran {
            record.lines.add(block.first, block.last);
        }
        report.relieve(file, None, &mut record).map_err(fault)?;
    }
    if let Some(file) = current {
        report.add(file, None, &mut record).map_err(CoverageFault::of)?;
    }
    Ok(report.finish(Format::Go))
}

struct Block<'a> {
    name: &'a str,
    first: u32,
    last: u32,
    ran: bool,
}

impl<'a> Block<'a> {
    /// Reads from the end, because a name may hold colons and spaces.
    fn of(text: &'a str) -> Option<Self> {
        let (rest, count) = text.rsplit_once(' ')?;
        let (rest, statements) = rest.rsplit_once(' ')?;
        let (name, places) = rest.rsplit_once(':')?;
        let (start, end) = places.split_once(',')?;
        has_run(statements)?;
        let (first, last) = (line_of(start)?, line_of(end)?);
        (!name.is_empty() && 0 < first && first <= last).then_some(Self { name, first, last, ran: has_run(count)? })
    }
}

/// The line of `3.29`.
fn line_of(place: &str) -> Option<u32> {
    let (line, column) = place.split_once('.')?;
    column.parse::<u32>().ok()?;
    line.parse().ok()
}

#[cfg(test)]
mod tests;
