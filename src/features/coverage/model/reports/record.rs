//! Collects the records of a report: which file, in which context, and the lines and functions that ran. Repeated records
//! are merged while they come, so that memory follows the result and not the length of the report.

use super::lines::{LineSet, Lines};
use super::{Activity, Coverage, Format, MAX_FILES, MeasuredFile};
use crate::text::escape::echo;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// How many bytes names, lines and functions of all reports may take together. With the peak of the readers and of the result
/// the program stays below 128 MiB.
const MAX_HELD: usize = 96 << 20;
/// Records are merged after this many bytes of new ones at the earliest.
const MERGE_AFTER: usize = 4 << 20;
/// Longest name of a file or a context, in bytes.
pub(crate) const MAX_NAME: usize = 4096;
/// A record that has this many ranges is stored in parts.
const MAX_RANGES: usize = 1 << 16;

/// What one record says; a reader fills it and hands it to [`Records::add`], which leaves it empty.
#[derive(Default)]
pub(super) struct Record {
    /// The executed lines.
    pub(super) lines: LineSet,
    /// The first lines of the functions that ran; 0 where the report has no line.
    pub(super) ran: Starts,
    /// The first lines of all functions.
    pub(super) functions: Starts,
}

/// First lines of functions. Functions are the same if they begin on the same line: an alias of a function, or an instance
/// of a generic one, is no function of its own.
#[derive(Default)]
pub(super) struct Starts(LineSet);

impl Starts {
    pub(super) fn add(&mut self, line: u32) {
        // shifted by one: a set of lines has no line 0
        let line = line.saturating_add(1);
        self.0.add(line, line);
    }
}

struct ContextRow {
    file: u32,
    /// 0: no context; else the index of the context and 1.
    context: u32,
    lines: Lines,
    ran: Lines,
    functions: Lines,
}

impl ContextRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.lines.weight() + self.ran.weight() + self.functions.weight()
    }
}

struct NamedFile {
    name: String,
    has_counters: bool,
    has_statements: bool,
}

/// Everything that was read so far.
#[derive(Default)]
pub(super) struct Records {
    pub(super) sources: Vec<String>,
    files: Vec<NamedFile>,
    contexts: Vec<String>,
    file_index: NameIndex,
    context_index: NameIndex,
    rows: Vec<ContextRow>,
    /// The weight of names and rows, and of the reports before this one.
    held: usize,
    /// `held` after the last merge.
    merged: usize,
}

impl Records {
    /// No record yet, beside other reports that take `weight` bytes.
    pub(super) fn beside(weight: usize) -> Self {
        Self { held: weight, merged: weight, ..Self::default() }
    }

    /// The number of the file with this name.
    pub(super) fn file(&mut self, name: &str) -> Result<u32, String> {
        match self.file_index.find(name, |at| &self.files[at].name) {
            Some(found) => Ok(found),
            None => self.new_file(name),
        }
    }

    /// The number of a file that has no record yet.
    pub(super) fn new_file(&mut self, name: &str) -> Result<u32, String> {
        if self.file_index.find(name, |at| &self.files[at].name).is_some() {
            return Err(format!("it names `{}` twice", echo(name)));
        }
        if self.files.len() >= MAX_FILES {
            return Err(format!("it names more than {MAX_FILES} files"));
        }
        self.hold_name(name)?;
        self.files.push(NamedFile { name: name.to_owned(), has_counters: false, has_statements: false });
        Ok(self.file_index.add(name))
    }

    /// The number of the context with this name; `None` for the empty name, which stands for code outside of tests.
    pub(super) fn context(&mut self, name: &str) -> Result<Option<u32>, String> {
        if name.is_empty() {
            return Ok(None);
        }
        if let Some(found) = self.context_index.find(name, |at| &self.contexts[at]) {
            return Ok(Some(found));
        }
        self.hold_name(name)?;
        self.hold(context_weight(name) - (name.len() + 96))?;
        self.contexts.push(name.to_owned());
        Ok(Some(self.context_index.add(name)))
    }

    /// Sets the functions that ran, by the executed lines, for each context of the file that was named last.
    pub(super) fn settle_functions(&mut self, file: u32, ran: impl Fn(&Lines) -> Starts) -> Result<(), String> {
        let own = self.rows.iter_mut().rev().take_while(|row| row.file == file);
        let mut more = 0;
        for row in own.filter(|row| row.context > 0) {
            row.ran = ran(&row.lines).0.take();
            more += row.ran.weight();
        }
        self.hold(more)
    }

    fn hold_name(&mut self, name: &str) -> Result<(), String> {
        if name.len() > MAX_NAME {
            return Err(format!("a name is longer than {MAX_NAME} bytes: {}", echo(name)));
        }
        self.hold(name.len() + 96)
    }

    /// The tool counts the functions of this file.
    pub(super) fn counts_functions(&mut self, file: u32) {
        self.files[file as usize].has_counters = true;
    }

    /// The tool saw a statement in this file.
    pub(super) fn has_statements(&mut self, file: u32) {
        self.files[file as usize].has_statements = true;
    }

    /// Stores the record if it is large, so that one with endless lines takes no memory.
    pub(super) fn relieve(&mut self, file: u32, context: Option<u32>, record: &mut Record) -> Result<(), String> {
        let longest = record.lines.len().max(record.ran.0.len()).max(record.functions.0.len());
        if longest < MAX_RANGES { Ok(()) } else { self.add(file, context, record) }
    }

    /// Stores the record.
    pub(super) fn add(&mut self, file: u32, context: Option<u32>, record: &mut Record) -> Result<(), String> {
        let row = ContextRow {
            file,
            context: context.map_or(0, |index| index + 1),
            lines: record.lines.take(),
            ran: record.ran.0.take(),
            functions: record.functions.0.take(),
        };
        let weight = row.weight();
        self.rows.push(row);
        self.hold(weight)
    }

    fn hold(&mut self, weight: usize) -> Result<(), String> {
        self.held += weight;
        let is_due = self.held - self.merged >= self.merged.max(MERGE_AFTER);
        if is_due || self.held > MAX_HELD {
            self.merge();
        }
        // a quarter is free after every merge, so that the next one is far away
        if self.merged > MAX_HELD / 4 * 3 {
            let most = (MAX_HELD / 4 * 3) >> 20;
            return Err(format!(
                "the names and lines of all coverage files take more than {most} MiB of memory: measure fewer files at \
                 once, or leave out the contexts"
            ));
        }
        Ok(())
    }

    fn merge(&mut self) {
        self.rows.sort_unstable_by_key(|row| (row.file, row.context));
        if self.rows.is_sorted_by(|one, other| (one.file, one.context) < (other.file, other.context)) {
            self.merged = self.held;
            return;
        }
        let before: usize = self.rows.iter().map(ContextRow::weight).sum();
        let mut rows = std::mem::take(&mut self.rows).into_iter().peekable();
        let mut merged: Vec<ContextRow> = Vec::new();
        while let Some(first) = rows.next() {
            let (file, context) = (first.file, first.context);
            let same = std::iter::from_fn(|| rows.next_if(|row| (row.file, row.context) == (file, context)));
            merged.push(one_row(first, same));
        }
        let after: usize = merged.iter().map(ContextRow::weight).sum();
        self.rows = merged;
        self.held = self.held - before + after;
        self.merged = self.held;
    }

    /// What the report says.
    pub(super) fn finish(mut self, format: Format) -> Coverage {
        self.merge();
        let mut files = Vec::with_capacity(self.files.len());
        // from the last file on, so that the rows give back memory while the result takes it
        while let Some(named) = self.files.pop() {
            let first = self.rows.partition_point(|row| (row.file as usize) < self.files.len());
            files.push(measured(named, self.rows.split_off(first)));
            if self.rows.len() < self.rows.capacity() / 2 {
                self.rows.shrink_to_fit();
            }
        }
        files.reverse();
        Coverage { format, sources: self.sources, contexts: self.contexts, files }
    }
}

/// How many bytes of memory a context takes: the judgement sorts a second copy, and an import finds its cases by a third.
pub(super) fn context_weight(name: &str) -> usize {
    3 * name.len() + 384
}

/// Rows of the same file and context as one.
fn one_row(first: ContextRow, same: impl Iterator<Item = ContextRow>) -> ContextRow {
    let (file, context) = (first.file, first.context);
    let (mut lines, mut ran, mut functions) = (vec![first.lines], vec![first.ran], vec![first.functions]);
    for row in same {
        lines.push(row.lines);
        ran.push(row.ran);
        functions.push(row.functions);
    }
    ContextRow { file, context, lines: Lines::union(lines), ran: Lines::union(ran), functions: Lines::union(functions) }
}

/// A file with its rows, ascending by context and each of another one.
fn measured(named: NamedFile, rows: Vec<ContextRow>) -> MeasuredFile {
    let lines = Lines::union(rows.iter().map(|row| row.lines.clone()));
    let ran = Lines::union(rows.iter().map(|row| row.ran.clone()));
    // a counter may speak of a function that the file does not describe
    let functions = Lines::union(rows.iter().map(|row| row.functions.clone()).chain([ran.clone()]));
    let of_context = |row: ContextRow| {
        let context = row.context.checked_sub(1)?;
        Some(Activity { context: Some(context), functions: row.ran, lines: row.lines })
    };
    // collected in the memory of the rows
    let mut activity: Vec<Activity> = rows.into_iter().filter_map(of_context).collect();
    activity.insert(0, Activity { context: None, functions: ran, lines });
    MeasuredFile {
        name: named.name,
        statements: named.has_statements || !functions.is_empty(),
        functions: named.has_counters.then_some(functions),
        activity,
    }
}

/// Finds numbers by names without a second copy of the names. Two names with one hash take two neighbouring places.
#[derive(Default)]
struct NameIndex {
    hasher: RandomState,
    places: HashMap<u64, u32, RandomState>,
}

impl NameIndex {
    fn find<'a>(&self, name: &str, name_of: impl Fn(usize) -> &'a String) -> Option<u32> {
        let mut place = self.hasher.hash_one(name);
        loop {
            let number = *self.places.get(&place)?;
            if name_of(number as usize) == name {
                return Some(number);
            }
            place = place.wrapping_add(1);
        }
    }

    /// Gives a name, which is not found, the next number.
    fn add(&mut self, name: &str) -> u32 {
        let mut place = self.hasher.hash_one(name);
        while self.places.contains_key(&place) {
            place = place.wrapping_add(1);
        }
        let number = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.insert(place, number);
        number
    }
}
