//! The `files` of coverage.py: for each file `executed_lines`, `functions` since 7.6, and `contexts` with `--show-contexts`.
//!
//! The function named with the empty text is the code outside of functions.

use super::members::{Items, Members, Object, Text, ignore};
use crate::features::coverage::model::reports::lines::Lines;
use crate::features::coverage::model::reports::record::{Record, Records, Starts};
use serde::de::{Error, MapAccess};

/// How many lines the functions of one file may have.
const MAX_BODY_LINES: usize = 1 << 20;
/// Contexts of lines are stored after this many.
const MAX_PAIRS: usize = 1 << 19;

pub(super) struct PyFiles<'a> {
    report: &'a mut Records,
    record: Record,
    pub(super) is_object: bool,
}

impl<'a> PyFiles<'a> {
    pub(super) fn of(report: &'a mut Records) -> Self {
        Self { report, record: Record::default(), is_object: false }
    }
}

impl Members for PyFiles<'_> {
    const ANY_KIND: bool = true;

    fn begin(&mut self) {
        self.is_object = true;
    }

    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let number = self.report.new_file(key).map_err(A::Error::custom)?;
        let mut file =
            PyFile { report: self.report, number, record: &mut self.record, pairs: Vec::new(), bodies: Vec::new() };
        map.next_value_seed(Object(&mut file))?;
        file.store().map_err(A::Error::custom)
    }
}

struct PyFile<'a> {
    report: &'a mut Records,
    number: u32,
    record: &'a mut Record,
    /// A context and a line that ran in it.
    pairs: Vec<(u32, u32)>,
    /// An executed line of a function, and the first line of the function.
    bodies: Vec<(u32, u32)>,
}

impl Members for PyFile<'_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "executed_lines" => map.next_value_seed(Items::new(|line| {
                self.report.has_statements(self.number);
                self.record.lines.add(line, line);
                self.report.relieve(self.number, None, self.record)
            })),
            "missing_lines" => map.next_value_seed(Items::new(|_: u32| {
                self.report.has_statements(self.number);
                Ok(())
            })),
            "contexts" => map.next_value_seed(Object(&mut Contexts(self))),
            "functions" => map.next_value_seed(Object(&mut PyFunctions(self))),
            _ => ignore(map),
        }
    }
}

impl PyFile<'_> {
    fn store_pairs(&mut self) -> Result<(), String> {
        self.pairs.sort_unstable();
        for group in self.pairs.chunk_by(|one, other| one.0 == other.0) {
            let mut record = Record::default();
            group.iter().for_each(|(_, line)| record.lines.add(*line, *line));
            self.report.add(self.number, Some(group[0].0), &mut record)?;
        }
        self.pairs.clear();
        Ok(())
    }

    fn store(mut self) -> Result<(), String> {
        self.report.add(self.number, None, self.record)?;
        self.store_pairs()?;
        self.bodies.sort_unstable();
        let bodies = &self.bodies;
        self.report.settle_functions(self.number, |lines| functions_of(lines, bodies))
    }
}

/// The first lines of the functions that have one of the lines.
fn functions_of(lines: &Lines, bodies: &[(u32, u32)]) -> Starts {
    let mut starts = Starts::default();
    for range in lines.ranges() {
        let from = bodies.partition_point(|(line, _)| line < range.start());
        let own = bodies[from..].iter().take_while(|(line, _)| line <= range.end());
        own.for_each(|(_, start)| starts.add(*start));
    }
    starts
}

/// `{"12": ["tests/test_cart.py::test_sum|run", ""]}`
struct Contexts<'a, 'b>(&'a mut PyFile<'b>);

impl Members for Contexts<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let file = &mut *self.0;
        let line: u32 = key.parse().map_err(|_| A::Error::custom("a key of `contexts` is no line"))?;
        map.next_value_seed(Items::new(|Text(name)| {
            let name = name.ok_or("the name of a context is no text")?;
            let Some(context) = file.report.context(&name)? else { return Ok(()) };
            file.pairs.push((context, line));
            if file.pairs.len() < MAX_PAIRS { Ok(()) } else { file.store_pairs() }
        }))
    }
}

struct PyFunctions<'a, 'b>(&'a mut PyFile<'b>);

impl Members for PyFunctions<'_, '_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        if key.is_empty() {
            return ignore(map);
        }
        let file = &mut *self.0;
        let from = file.bodies.len();
        let mut function = PyFunction { bodies: &mut file.bodies, first: None, start: None, has_lists: false };
        map.next_value_seed(Object(&mut function))?;
        if function.has_lists {
            file.report.counts_functions(file.number);
        }
        // without `start_line`, which came later than `functions`, the first statement says where it is
        let start = function.start.or(function.first).unwrap_or(0);
        file.record.functions.add(start);
        if file.bodies.len() > from {
            file.record.ran.add(start);
        }
        file.bodies[from..].iter_mut().for_each(|(_, own)| *own = start);
        file.report.relieve(file.number, None, file.record).map_err(A::Error::custom)
    }
}

struct PyFunction<'a> {
    bodies: &'a mut Vec<(u32, u32)>,
    /// The first statement.
    first: Option<u32>,
    start: Option<u32>,
    /// Whether it lists its lines: a summary alone does not say whether it ran.
    has_lists: bool,
}

impl PyFunction<'_> {
    fn statement(&mut self, line: u32) {
        self.first = Some(self.first.map_or(line, |first| first.min(line)));
    }
}

impl Members for PyFunction<'_> {
    fn member<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        self.has_lists |= matches!(key, "executed_lines" | "missing_lines");
        match key {
            "executed_lines" => map.next_value_seed(Items::new(|line| {
                self.statement(line);
                self.bodies.push((line, 0));
                match self.bodies.len() {
                    0..=MAX_BODY_LINES => Ok(()),
                    _ => Err(format!("the functions of a file have more than {MAX_BODY_LINES} lines")),
                }
            })),
            "missing_lines" => map.next_value_seed(Items::new(|line| {
                self.statement(line);
                Ok(())
            })),
            "start_line" => {
                self.start = map.next_value()?;
                Ok(())
            }
            _ => ignore(map),
        }
    }
}
