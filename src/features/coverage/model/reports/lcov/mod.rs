//! Tracefiles of lcov: for each source file a record from `SF:` to `end_of_record`. `TN:` before it names the test.
//!
//! `FN:3,Cart` is a function on line 3, `FNDA:1,Cart` its calls, `DA:3,1` a line and its hits. lcov 2 writes
//! `FNL:0,3,7` and `FNA:0,1,Cart` for the functions.

mod functions;

use super::input::CoverageLines;
use super::record::{Record, Records};
use super::{Coverage, CoverageFault, Format, has_run, shown};
use crate::text::escape::echo;
use functions::Functions;

/// Whether the beginning of a file has the first line of a tracefile.
pub(super) fn begins(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !is_comment(line.trim_ascii_end()));
    lines.next().is_some_and(|line| line.starts_with(b"TN:") || line.starts_with(b"SF:"))
}

fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || line.starts_with(b"#")
}

pub(super) fn read(mut lines: CoverageLines<'_>, report: Records) -> Result<Coverage, CoverageFault> {
    let mut reader = Reader { report, ..Reader::default() };
    while let Some(line) = lines.next()? {
        let text = String::from_utf8_lossy(line.bytes.trim_ascii_end());
        if is_comment(text.as_bytes()) {
            continue;
        }
        let is_read = reader.line(&text).map_err(|message| CoverageFault::at(line.number, message))?;
        if is_read.is_none() {
            return Err(CoverageFault::at(line.number, format!("`{}` is no line of a tracefile here", shown(&line))));
        }
    }
    match reader.file {
        Some(_) => Err(CoverageFault::of("the file ends inside a record: `end_of_record` is missing")),
        None => Ok(reader.report.finish(Format::Lcov)),
    }
}

#[derive(Default)]
struct Reader {
    report: Records,
    /// The test of the records that follow.
    test: Option<u32>,
    /// The file of the open record.
    file: Option<u32>,
    record: Record,
    functions: Functions,
}

impl Reader {
    /// Reads one line; `None` if it stands where no such line may stand.
    fn line(&mut self, line: &str) -> Result<Option<()>, String> {
        let Some(file) = self.file else { return self.outside(line) };
        if line == "end_of_record" {
            self.functions.settle(&mut self.record);
            self.file = None;
            return self.report.add(file, self.test, &mut self.record).map(Some);
        }
        let Some((key, value)) = line.split_once(':') else { return Ok(None) };
        // a place without a count does not say whether the function ran
        if matches!(key, "FNDA" | "FNA") {
            self.report.counts_functions(file);
        }
        let read = match key {
            "SF" => return Err(format!("`{}` begins inside a record: `end_of_record` is missing", echo(line))),
            "DA" => self.executed(file, value),
            "FN" => self.functions.begin(value),
            "FNDA" => self.functions.calls(value),
            "FNL" => self.functions.place(value),
            "FNA" => self.functions.alias_calls(value),
            // branches, totals and keys to come
            _ => key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_').then_some(()),
        };
        self.report.relieve(file, self.test, &mut self.record)?;
        self.functions.check()?;
        Ok(read)
    }

    fn outside(&mut self, line: &str) -> Result<Option<()>, String> {
        if let Some(name) = line.strip_prefix("TN:") {
            self.test = self.report.context(name)?;
        } else if let Some(name) = line.strip_prefix("SF:").filter(|name| !name.is_empty()) {
            self.file = Some(self.report.file(name)?);
        } else {
            return Ok(None);
        }
        Ok(Some(()))
    }

    /// Reads `3,1`, and `3,1,checksum`.
    fn executed(&mut self, file: u32, value: &str) -> Option<()> {
        let mut fields = value.split(',');
        let line = fields.next()?.parse().ok()?;
        let ran = has_run(fields.next()?)?;
        self.report.has_statements(file);
        if ran {
            self.record.lines.add(line, line);
        }
        Some(())
    }
}
