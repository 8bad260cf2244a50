//! Reports in JSON. The members of the outermost object say which: `meta` and `files` for coverage.py; values with `path` and
//! `statementMap` for Istanbul.

mod coverage_py;
mod istanbul;
mod members;
mod screen;

use super::input::{CoverageInput, TOO_LARGE};
use super::record::Records;
use super::{Coverage, CoverageFault, Format, refusal};
use coverage_py::PyFiles;
use istanbul::IstanbulFile;
use members::{Members, Object, Text, ignore, read_members};
use screen::Screen;
use serde::de::{Error, MapAccess};

pub(super) fn read(document: CoverageInput<'_>, report: Records) -> Result<Coverage, CoverageFault> {
    let mut top = Top { report, ..Top::default() };
    let mut json = serde_json::Deserializer::from_reader(Screen::of(document));
    if let Err(error) = read_members(&mut top, &mut json).and_then(|()| json.end()) {
        let mut fault = fault(&error);
        if top.has_meta && fault.message.starts_with(TOO_LARGE) {
            fault.message = format!("{}: {}", fault.message, refusal::CONTEXTS);
        }
        return Err(fault);
    }
    match top {
        Top { has_members: false, .. } => Err(CoverageFault::of(refusal::EMPTY)),
        Top { has_meta: true, has_files: true, report, .. } => Ok(report.finish(Format::CoveragePy)),
        Top { has_entries: true, has_files: false, report, .. } => Ok(report.finish(Format::Istanbul)),
        Top { has_list: true, is_gcov: true, .. } => Err(CoverageFault::of(refusal::GCOV_JSON)),
        Top { has_list: true, .. } => Err(CoverageFault::of(refusal::TARPAULIN)),
        _ => Err(CoverageFault::of(refusal::unknown())),
    }
}

fn fault(error: &serde_json::Error) -> CoverageFault {
    let message = error.to_string();
    let line = u32::try_from(error.line()).ok().filter(|line| *line > 0);
    // the place stands in its own field
    let place = line.and_then(|_| message.rfind(" at line "));
    let message = message[..place.unwrap_or(message.len())].to_owned();
    match error.classify() {
        serde_json::error::Category::Eof => CoverageFault { line, message: "the file ends inside a value".into() },
        serde_json::error::Category::Syntax => {
            CoverageFault { line, message: format!("the file is no JSON: {message}") }
        }
        _ => CoverageFault { line, message },
    }
}

#[derive(Default)]
struct Top {
    report: Records,
    has_members: bool,
    has_meta: bool,
    has_files: bool,
    /// Whether `files` is a list.
    has_list: bool,
    /// Whether gcov wrote the file.
    is_gcov: bool,
    /// Whether a value is an entry of Istanbul.
    has_entries: bool,
}

impl Members for Top {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        self.has_members = true;
        match key {
            "meta" => {
                self.has_meta = true;
                ignore(map)
            }
            // an object for coverage.py, a list for gcov, gcovr and tarpaulin
            "files" => {
                let mut files = PyFiles::of(&mut self.report);
                map.next_value_seed(Object(&mut files))?;
                self.has_files |= files.is_object;
                self.has_list |= !files.is_object;
                Ok(())
            }
            "result" => Err(A::Error::custom(refusal::V8)),
            "gcc_version" => {
                self.is_gcov = true;
                ignore(map)
            }
            "gcovr/format_version" => Err(A::Error::custom(refusal::GCOVR)),
            "type" => match map.next_value::<Text>()? {
                Text(Some(name)) if name.starts_with("llvm.coverage") => Err(A::Error::custom(refusal::LLVM)),
                _ => Ok(()),
            },
            _ => {
                let mut entry = IstanbulFile::default();
                map.next_value_seed(Object(&mut entry))?;
                self.has_entries |= entry.is_whole();
                entry.store(&mut self.report).map_err(A::Error::custom)
            }
        }
    }
}
