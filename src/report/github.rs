//! Workflow commands of GitHub Actions: `::error file=…,line=…,col=…,title=…::message`, one annotation for each rule and
//! place, on a file of the change if one is to blame.
//!
//! GitHub shows ten annotations of a level and silently drops the rest. So the tenth annotation says how many more there
//! are, and these follow as plain lines in a group of the log. All text is first made safe for a terminal and then encoded,
//! so that text from a repository can neither end a command nor begin one.

use super::annotations::{Annotation, annotations, place};
use super::view::Report;
use crate::finding::{Level, Location, Origin};
use crate::text::{escape, plural};
use bstr::ByteSlice;
use std::io::{self, Write};

/// GitHub shows this many annotations of a level for one step.
const SHOWN: usize = 10;

/// Writes the commands. An empty report writes nothing.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let (all, notes) = (annotations(report), notes(report));
    let mut room = AnnotationRoom::of(&all, notes.len(), report.unchecked.is_some());
    let mut cut = Vec::new();
    for one in &all {
        let level = one.first().level;
        if room.takes(level) {
            writeln!(out, "::{}{}::{}", command(level), properties(one), text(one))?;
        } else {
            cut.push(one);
        }
    }
    for (level, count) in room.cut() {
        let more = plural(count, &format!("more {}", level.as_str()));
        writeln!(out, "::{}::{more}: see the log of this step", command(level))?;
    }
    if !cut.is_empty() {
        let count: usize = cut.iter().map(|one| one.count()).sum();
        writeln!(out, "::group::{}", plural(count, "more finding"))?;
        cut.iter().try_for_each(|one| writeln!(out, "{}", line(one)))?;
        writeln!(out, "::endgroup::")?;
    }
    notes.iter().try_for_each(|note| writeln!(out, "::notice::{}", data(note)))?;
    if let Some((message, hints)) = &report.unchecked {
        let hints: String = hints.iter().map(|hint| format!("%0Ahint: {}", data(hint))).collect();
        writeln!(out, "::error title=could not check::{}{hints}", data(message))?;
    }
    Ok(())
}

/// How many annotations of each level there is room for, and how many have none.
struct AnnotationRoom([(Level, usize, usize); 3]);

impl AnnotationRoom {
    /// The room for `all`. If a level has too many annotations, one place is kept for the number of the rest. `notes` count
    /// as notices, and a check that could not be made counts as an error.
    fn of(all: &[Annotation<'_>], notes: usize, unchecked: bool) -> Self {
        let beside = [(Level::Error, usize::from(unchecked)), (Level::Warning, 0), (Level::Info, notes)];
        Self(beside.map(|(level, beside)| {
            let wanted = all.iter().filter(|one| one.first().level == level).count();
            let room = SHOWN.saturating_sub(beside).max(1);
            let shown = if wanted > room { room - 1 } else { wanted };
            (level, shown, wanted - shown)
        }))
    }

    /// Takes a place of this level, if one is left.
    fn takes(&mut self, level: Level) -> bool {
        let room = self.0.iter_mut().find(|(of, ..)| *of == level).map(|(_, room, _)| room);
        room.filter(|room| **room > 0).map(|room| *room -= 1).is_some()
    }

    /// The levels with annotations that are left out, and how many are.
    fn cut(&self) -> impl Iterator<Item = (Level, usize)> {
        self.0.iter().filter(|(.., cut)| *cut > 0).map(|(level, _, cut)| (*level, *cut))
    }
}

/// The notes beside the findings. The number of older findings comes last.
fn notes(report: &Report) -> Vec<String> {
    report.rest().into_iter().chain(report.all_notes().cloned()).collect()
}

fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    }
}

fn properties(one: &Annotation<'_>) -> String {
    let mut list = Vec::new();
    if let Some(location) = place(one.first()) {
        list.push(format!("file={}", property(&location.path)));
        list.extend(location.line.map(|line| format!("line={line}")));
        list.extend(location.line.and(location.column).map(|column| format!("col={column}")));
    }
    list.push(format!("title={}", property(one.first().rule.as_str())));
    format!(" {}", list.join(","))
}

fn text(one: &Annotation<'_>) -> String {
    let mut text = sentence(one);
    let moved = one.moved();
    if !moved.first.is_empty() {
        text += &format!("%0Amoved: {}", data(&moved.joined(", ")));
    }
    if let Some(help) = one.help() {
        text += &format!("%0Ahelp: {}", data(&help));
    }
    text
}

/// The scenario, what is wrong, and whether the change caused it. An annotation needs all three because its reader does not
/// see the output of the failed run.
fn sentence(one: &Annotation<'_>) -> String {
    let origin = match one.first().origin {
        None => String::new(),
        Some(Origin::Inherited) => " (older, not from this change)".to_owned(),
        Some(origin) => format!(" ({})", origin.as_str()),
    };
    let subjects = one.subjects();
    let whose = if subjects.first.is_empty() { String::new() } else { format!("{}: ", subjects.joined(", ")) };
    let messages: Vec<String> = one.messages().first.iter().map(String::as_str).map(data).collect();
    let more = match one.messages().rest {
        0 => String::new(),
        rest => format!("%0A+{rest}"),
    };
    format!("{}{}{more}{origin}", data(&whose), messages.join("%0A"))
}

/// A plain line of the log. It begins with the level, which this program writes, so it cannot begin a command.
fn line(one: &Annotation<'_>) -> String {
    let finding = one.first();
    let place = place(finding).map(|place| format!(" {}", inert(&shown(place)))).unwrap_or_default();
    format!("{}[{}]{place} {}", finding.level.as_str(), finding.rule.as_str(), sentence(one).replace("%0A", "; "))
}

fn shown(place: &Location) -> Vec<u8> {
    let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
    [place.path.as_bytes(), line.as_bytes()].concat()
}

/// Text that no runner reads as the beginning of a command in the older `##[...]` form.
fn inert<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    escape::terminal(text).replace("##[", "# #[")
}

/// The encoding of a command's message.
fn data<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    inert(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The encoding of a property's value, in which `:` and `,` are separators.
fn property<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
