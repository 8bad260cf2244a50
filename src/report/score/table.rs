//! `ls` for people: a header and a line for each scenario, in columns. On a terminal, texts too long for its width are
//! cut, names in the middle. In a pipe nothing is cut.

use super::{name, over};
use crate::finding::Axis;
use crate::report::view::Style;
use crate::report::view::score::{ReadingRow, ReadingState, ScenarioRow};
use crate::report::view::verdict::ShownVerdict;
use crate::text::age;
use crate::text::escape::terminal;
use owo_colors::OwoColorize;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const HEADER: [&str; 6] = ["STATE", "VERDICT", "SCENARIO", "TAGS", "AGE", "WHY"];

/// The column of names, by its place in the header.
const NAME: usize = 2;
/// The column of reasons.
const WHY: usize = 5;
/// The columns that a narrow terminal drops, the least important first: tags, reasons, ages.
const SPARED: [usize; 3] = [3, WHY, 4];

/// The blanks between two columns.
const GAP: usize = 2;

/// The sign in place of the text that was cut.
const CUT: &str = "…";

/// The least width of a cut name and of a cut reason.
const LEAST: usize = 12;

/// The cells of one line, escaped.
struct Cells<'a> {
    row: &'a ScenarioRow,
    name: String,
    tags: String,
    age: String,
    why: String,
}

/// Writes a line for each of `rows`. `now` is in milliseconds. Without rows it prints nothing.
pub(super) fn write(rows: &[ScenarioRow], now: i64, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut lines: Vec<Cells<'_>> = rows.iter().map(|row| Cells::of(row, now)).collect();
    let columns = match style.width {
        Some(width) => fit(&mut lines, width),
        None => all(),
    };
    let widths = widths(&lines);
    let write_line = |out: &mut dyn Write, cells: &[String; 6], plain: &[String; 6]| {
        let mut line = String::new();
        for column in &columns {
            line += &cells[*column];
            line += &" ".repeat(widths[*column].saturating_sub(plain[*column].width()) + GAP);
        }
        // no blanks after the last column
        writeln!(out, "{}", line.trim_end())
    };
    write_line(out, &HEADER.map(str::to_owned), &HEADER.map(str::to_owned))?;
    for line in &lines {
        let plain = line.plain();
        let mut painted = plain.clone();
        painted[0] = painted_state(&line.row.state, style, &plain[0]);
        painted[1] = painted_verdict(line.row, style, &plain[1]);
        write_line(out, &painted, &plain)?;
    }
    Ok(())
}

impl<'a> Cells<'a> {
    fn of(row: &'a ScenarioRow, now: i64) -> Self {
        let latest = row.counting();
        let tags = terminal(&row.tags.join(",")).into_owned();
        let age = latest.map_or_else(String::new, |reading| age(now - reading.filed));
        Self { row, name: name(row), tags, age, why: why(row) }
    }

    fn plain(&self) -> [String; 6] {
        let verdict = self.row.verdict().map_or_else(
            || "-".to_owned(),
            |verdict| {
                // the grade belongs to the reading, and other runs may have decided
                let says = self.row.counting().filter(|reading| reading.effective() == verdict);
                format!("{}{}", verdict.as_str(), says.map(|reading| reading.terms.grade_word()).unwrap_or_default())
            },
        );
        [self.row.state.as_str(), &verdict, &self.name, &self.tags, &self.age, &self.why].map(str::to_owned)
    }
}

/// The indices of all columns.
fn all() -> Vec<usize> {
    (0..HEADER.len()).collect()
}

fn widths(lines: &[Cells<'_>]) -> [usize; 6] {
    let mut widths = HEADER.map(str::len);
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line.plain()) {
            *width = (*width).max(cell.width());
        }
    }
    widths
}

/// Makes the lines fit `width` columns: shortens tags to the first one and the number of the others, drops columns, then
/// cuts names in the middle and reasons at the end. A cut name gets at least half of the width that both share. Returns
/// the columns that fit.
fn fit(lines: &mut [Cells<'_>], width: usize) -> Vec<usize> {
    if taken(&all(), &widths(lines)) <= width {
        return all();
    }
    for line in lines.iter_mut() {
        if let [first, _, ..] = line.row.tags.as_slice() {
            line.tags = format!("{} +{}", terminal(first), line.row.tags.len() - 1);
        }
    }
    let widths = widths(lines);
    let mut least = widths;
    for column in [NAME, WHY] {
        least[column] = least[column].min(LEAST);
    }
    let mut columns = all();
    for spared in SPARED {
        if taken(&columns, &least) > width {
            columns.retain(|column| *column != spared);
        }
    }
    let why = if columns.contains(&WHY) { widths[WHY] } else { 0 };
    let fixed = taken(&columns, &widths) - widths[NAME] - why;
    let room = width.saturating_sub(fixed).max(LEAST);
    let for_name = widths[NAME].min((room / 2).max(room.saturating_sub(why)));
    for line in lines {
        line.name = cut_inside(&line.name, for_name);
        line.why = cut_end(&line.why, room - for_name);
    }
    columns
}

/// The width of these columns and the gaps between them.
fn taken(columns: &[usize], widths: &[usize; 6]) -> usize {
    columns.iter().map(|column| widths[*column]).sum::<usize>() + columns.len().saturating_sub(1) * GAP
}

/// `text` cut at its end to at most `width` columns.
fn cut_end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    format!("{}{CUT}", head(text.chars(), width.saturating_sub(1)))
}

/// `text` cut in the middle.
fn cut_inside(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let end: String = head(text.chars().rev(), room / 2).chars().rev().collect();
    format!("{}{CUT}{end}", head(text.chars(), room - room / 2))
}

/// The longest beginning of `chars` that fits into `width` columns.
fn head(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken <= width
    };
    chars.take_while(fits).collect()
}

/// Why a reading is not fresh, which budget it breaches, or the note of a fresh fail.
fn why(row: &ScenarioRow) -> String {
    let latest = row.counting();
    let mut parts: Vec<String> = row.state.axes().iter().map(|axis| of_axis(*axis, latest)).collect();
    parts.extend(row.state.reason().map(str::to_owned));
    parts.extend(latest.and_then(|reading| Some(format!("filed as {}, {}", reading.verdict.as_str(), over(reading)?))));
    parts.extend(row.answers());
    if row.state == ReadingState::Fresh && parts.is_empty() {
        let failed = latest.filter(|reading| reading.effective() == ShownVerdict::Fail);
        parts.extend(failed.and_then(|reading| reading.note.clone()));
    }
    terminal(&parts.join("; ")).into_owned()
}

fn of_axis(axis: Axis, latest: Option<&ReadingRow>) -> String {
    let drift = latest.map(|reading| reading.drift.as_slice()).unwrap_or_default();
    let (test, moved): (Vec<_>, Vec<_>) = drift.iter().partition(|moved| moved.is_test());
    match (axis, moved.as_slice()) {
        (Axis::Code, [only]) => format!("code: {}", only.named()),
        (Axis::Code, [first, rest @ ..]) => format!("code: {} +{}", first.named(), rest.len()),
        (Axis::Evaluator, _) if !test.is_empty() => "evaluator: the test changed".to_owned(),
        (axis, _) => axis.as_str().to_owned(),
    }
}

/// A state in its colour. Fresh has none, because a fresh reading may be a fail.
pub(super) fn painted_state(state: &ReadingState, style: &Style, text: &str) -> String {
    match state {
        _ if !style.color => text.to_owned(),
        ReadingState::Fresh => text.to_owned(),
        ReadingState::Stale(_) => text.yellow().to_string(),
        ReadingState::Unmeasured => text.dimmed().to_string(),
        ReadingState::NotJudged(_) => text.cyan().to_string(),
    }
}

/// The verdict of the latest reading in its colour.
pub(super) fn painted_verdict(row: &ScenarioRow, style: &Style, text: &str) -> String {
    row.verdict().map_or_else(|| text.to_owned(), |verdict| painted(verdict, &row.state, style, text))
}

/// A verdict in its colour. A pass is green only while it is fresh, because a stale or withdrawn pass proves nothing.
pub(super) fn painted_reading(reading: &ReadingRow, style: &Style, text: &str) -> String {
    if reading.retracted.is_some() {
        return text.to_owned();
    }
    painted(reading.effective(), &reading.state, style, text)
}

fn painted(verdict: ShownVerdict, state: &ReadingState, style: &Style, text: &str) -> String {
    match (verdict, state) {
        _ if !style.color => text.to_owned(),
        (ShownVerdict::Fail, _) => text.red().bold().to_string(),
        (ShownVerdict::Pass, ReadingState::Fresh) => text.green().to_string(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::NodeRef;
    use crate::report::view::RuleText;

    fn row(name: &str, tags: &[&str], state: ReadingState) -> ScenarioRow {
        ScenarioRow {
            decided: None,
            environments: Vec::new(),
            blocked: Vec::new(),
            trust: None,
            node: NodeRef { dir: ".spec/n".into(), id: "n".into() },
            scenario: name.into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            description: String::new(),
            expected: String::new(),
            state,
            readings: Vec::new(),
            redacted: Vec::new(),
            because: Vec::new(),
        }
    }

    fn printed(rows: &[ScenarioRow], width: Option<usize>) -> String {
        let describe = |_| RuleText { summary: "", why: "", mend: "" };
        let style = Style { color: false, verbose: false, quiet: false, ascii: false, width, describe };
        let mut out = Vec::new();
        write(rows, 0, &style, &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_pipe_gets_every_name_whole_and_a_terminal_what_fits() {
        let long = "a scenario with a name that nobody would call short, and some more";
        let rows = [
            row(
                long,
                &["cli", "mobile", "desktop"],
                ReadingState::NotJudged("git cannot tell, for a long reason".into()),
            ),
            row("b", &["cli"], ReadingState::Unmeasured),
        ];
        let piped = printed(&rows, None);
        assert!(
            piped.contains(long) && piped.contains("cli,mobile,desktop") && piped.contains("long reason"),
            "{piped}"
        );
        for width in [80, 60] {
            let cut = printed(&rows, Some(width));
            assert!(cut.lines().all(|line| line.width() <= width), "{cut}");
            assert!(cut.contains("cli +2") && cut.contains("n/a sc") && cut.contains(CUT), "{cut}");
        }
        assert_eq!(printed(&rows[1..], Some(80)), printed(&rows[1..], None), "what fits is not cut");
        for (width, header) in [
            (60, "STATE VERDICT SCENARIO TAGS AGE WHY"),
            (52, "STATE VERDICT SCENARIO AGE WHY"),
            (40, "STATE VERDICT SCENARIO AGE"),
            (33, "STATE VERDICT SCENARIO"),
        ] {
            let narrow = printed(&rows, Some(width));
            let head = narrow.lines().next().unwrap_or_default();
            assert_eq!(head.split_whitespace().collect::<Vec<_>>().join(" "), header, "{narrow}");
            assert!(narrow.lines().all(|line| line.width() <= width), "{narrow}");
        }
        assert_eq!(printed(&[], None), "");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = [row("漢字", &["cli"], ReadingState::Unmeasured), row("abcd", &["cli"], ReadingState::Unmeasured)];
        let lines = printed(&rows, None);
        let at: Vec<usize> = lines.lines().skip(1).map(|line| line.split("cli").next().expect("it").width()).collect();
        assert_eq!(at[0], at[1], "{lines}");
    }

    #[test]
    fn every_state_is_a_word_in_colour_too() {
        let describe = |_| RuleText { summary: "", why: "", mend: "" };
        let style = Style { color: true, verbose: false, quiet: false, ascii: false, width: None, describe };
        for state in [ReadingState::Fresh, ReadingState::Stale(vec![Axis::Code]), ReadingState::Unmeasured] {
            assert!(painted_state(&state, &style, state.as_str()).contains(state.as_str()));
        }
    }
}
