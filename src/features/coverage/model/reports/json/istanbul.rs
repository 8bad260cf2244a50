//! The entries of Istanbul, one for each file: `statementMap` and `fnMap` have the places, `s` and `f` the counts.
//!
//! A statement counts on its first line, as Istanbul itself counts lines: a class is a statement over all of its methods.

use super::members::{Each, Members, Object, Text, ignore};
use crate::features::coverage::model::reports::record::{Record, Records};
use serde::Deserialize;
use serde::de::MapAccess;

/// One value of the report.
#[derive(Default)]
pub(super) struct IstanbulFile {
    path: Option<String>,
    has_map: bool,
    /// The number of a statement, and its line.
    statements: Vec<(u32, u32)>,
    functions: Vec<(u32, u32)>,
    /// The numbers of the executed statements.
    executed: Vec<u32>,
    called: Vec<u32>,
    /// Whether it has `f`.
    has_counts: bool,
}

#[derive(Deserialize)]
struct IstanbulPlace {
    start: Option<Point>,
}

#[derive(Deserialize)]
struct Point {
    line: Option<u32>,
}

/// `decl` is the name of a function, `loc` its body, `line` what older versions write.
#[derive(Deserialize)]
struct IstanbulFunction {
    decl: Option<IstanbulPlace>,
    line: Option<u32>,
    loc: Option<IstanbulPlace>,
}

impl IstanbulPlace {
    fn line(&self) -> Option<u32> {
        self.start.as_ref()?.line
    }
}

impl IstanbulFunction {
    fn line(&self) -> Option<u32> {
        let decl = self.decl.as_ref().and_then(IstanbulPlace::line);
        decl.or(self.line).or_else(|| self.loc.as_ref().and_then(IstanbulPlace::line))
    }
}

fn number(key: &str) -> Result<u32, String> {
    key.parse().map_err(|_| "the key of a statement or function is no number".to_owned())
}

/// Collects the numbers with a count above 0.
fn counted(into: &mut Vec<u32>) -> Each<f64, impl FnMut(&str, f64) -> Result<(), String>> {
    Each::new(|key: &str, count| {
        let number = number(key)?;
        if count > 0.0 {
            into.push(number);
        }
        Ok(())
    })
}

impl Members for IstanbulFile {
    const ANY_KIND: bool = true;

    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "path" => {
                self.path = map.next_value::<Text>()?.0;
                Ok(())
            }
            "statementMap" => {
                self.has_map = true;
                map.next_value_seed(Object(&mut Each::new(|key: &str, place: IstanbulPlace| {
                    self.statements.push((number(key)?, place.line().unwrap_or(0)));
                    Ok(())
                })))
            }
            "fnMap" => map.next_value_seed(Object(&mut Each::new(|key: &str, function: IstanbulFunction| {
                self.functions.push((number(key)?, function.line().unwrap_or(0)));
                Ok(())
            }))),
            "s" => map.next_value_seed(Object(&mut counted(&mut self.executed))),
            "f" => {
                self.has_counts = true;
                map.next_value_seed(Object(&mut counted(&mut self.called)))
            }
            _ => ignore(map),
        }
    }
}

impl IstanbulFile {
    /// Whether this is an entry: other values have no path or no statements.
    pub(super) fn is_whole(&self) -> bool {
        self.path.is_some() && self.has_map
    }

    pub(super) fn store(mut self, report: &mut Records) -> Result<(), String> {
        let Some(path) = self.path.filter(|_| self.has_map) else { return Ok(()) };
        let file = report.file(&path)?;
        if self.has_counts {
            report.counts_functions(file);
        }
        if !self.statements.is_empty() {
            report.has_statements(file);
        }
        self.statements.sort_unstable();
        self.functions.sort_unstable();
        let mut record = Record::default();
        for id in self.executed {
            if let Some(line) = line_of(&self.statements, id) {
                record.lines.add(line, line);
            }
            report.relieve(file, None, &mut record)?;
        }
        for (_, line) in &self.functions {
            record.functions.add(*line);
            report.relieve(file, None, &mut record)?;
        }
        for id in self.called {
            record.ran.add(line_of(&self.functions, id).unwrap_or(0));
            report.relieve(file, None, &mut record)?;
        }
        report.add(file, None, &mut record)
    }
}

fn line_of(places: &[(u32, u32)], number: u32) -> Option<u32> {
    let at = places.binary_search_by_key(&number, |(number, _)| *number).ok()?;
    Some(places[at].1)
}
