//! The result of filing test reports, for people and programs. Machine form: `yatsu-hook/import/v1`
//! (schema/import.v1.schema.json), the same before and after filing.

use crate::features::imports::model::answer::{ImportAnswer, ImportStep, ImportedReading, PassedScenario};
use crate::report::shown;
use crate::text::escape::terminal;
use crate::text::plural;
use std::io::{self, Write};

/// At most this many scenarios without a test case are listed, because the report of one suite lacks the scenarios of all
/// others.
const LISTED: usize = 10;

/// Writes the form for people: a table of the planned readings, or the receipts of the filed ones; then the scenarios
/// passed over, with reasons; and one line with the counts.
pub(crate) fn write_human(answer: &ImportAnswer, idle: &[usize], out: &mut dyn Write) -> io::Result<()> {
    match answer.outcome {
        ImportStep::Planned => table(&answer.readings, out)?,
        ImportStep::Filed | ImportStep::AlreadyFiled => {
            answer.readings.iter().try_for_each(|reading| receipt(reading, out))?;
        }
    }
    passed("skipped", &answer.skipped, out)?;
    passed("ambiguous", &answer.ambiguous, out)?;
    let without = &answer.unmatched.scenarios;
    for gone in without.iter().take(LISTED) {
        writeln!(out, "no case of {} for {}/{}", shown(&gone.test), shown(&gone.node), shown(&gone.scenario))?;
    }
    if without.len() > LISTED {
        let more = plural(without.len() - LISTED, "more scenario");
        writeln!(out, "and none for {more}: --dry-run --format json lists them")?;
    }
    for line in idle {
        writeln!(out, "entry {line} of the map is like no case")?;
    }
    if answer.masked > 0 {
        writeln!(out, "{} masked in the evidence", plural(answer.masked, "secret"))?;
    }
    writeln!(out, "{}", counts(answer))
}

/// The readings that would be filed, one line per scenario.
fn table(readings: &[ImportedReading], out: &mut dyn Write) -> io::Result<()> {
    if readings.is_empty() {
        return Ok(());
    }
    let name = |reading: &ImportedReading| format!("{}/{}", shown(&reading.node), shown(&reading.scenario));
    let width = readings.iter().map(|reading| name(reading).chars().count()).chain([8]).max().unwrap_or_default();
    writeln!(out, "{:width$}  VERDICT  CASES  WHAT", "SCENARIO")?;
    for reading in readings {
        let what = match reading.outcome {
            ImportStep::AlreadyFiled => "already filed",
            ImportStep::Planned | ImportStep::Filed => "would file",
        };
        writeln!(out, "{:width$}  {:7}  {:5}  {what}", name(reading), reading.status, reading.cases.len())?;
    }
    Ok(())
}

fn receipt(reading: &ImportedReading, out: &mut dyn Write) -> io::Result<()> {
    let (word, end) = match reading.outcome {
        ImportStep::AlreadyFiled => ("already filed", "; nothing was written"),
        ImportStep::Planned | ImportStep::Filed => ("filed", ""),
    };
    let (node, scenario) = (shown(&reading.node), shown(&reading.scenario));
    let commit = reading.commit.get(..12).unwrap_or(&reading.commit);
    writeln!(out, "{word} {node}/{scenario} {} @ {commit} {}{end}", reading.status, reading.ts)
}

fn passed(word: &str, all: &[PassedScenario], out: &mut dyn Write) -> io::Result<()> {
    for one in all {
        writeln!(out, "{word} {}/{}: {}", shown(&one.node), shown(&one.scenario), terminal(&one.why))?;
    }
    Ok(())
}

/// The last line.
fn counts(answer: &ImportAnswer) -> String {
    let (old, new): (Vec<_>, Vec<_>) =
        answer.readings.iter().partition(|reading| reading.outcome == ImportStep::AlreadyFiled);
    let of = |status: &str| new.iter().filter(|reading| reading.status == status).count();
    let (word, end) = match answer.outcome {
        ImportStep::Planned => ("would file", "; nothing was written"),
        ImportStep::Filed | ImportStep::AlreadyFiled => ("filed", ""),
    };
    let mut parts = vec![format!("{word} {}", plural(new.len(), "reading"))];
    if !new.is_empty() {
        parts[0] += &format!(" ({} pass, {} fail)", of("pass"), of("fail"));
    }
    let cases = answer.unmatched.cases.len();
    let fresh = answer.fresh.as_ref().map_or(0, Vec::len);
    let rest = [
        (fresh, format!("{} fresh already", plural(fresh, "scenario"))),
        (old.len(), format!("{} already filed", old.len())),
        (answer.skipped.len(), format!("{} skipped", answer.skipped.len())),
        (answer.ambiguous.len(), format!("{} ambiguous", answer.ambiguous.len())),
        (
            answer.unmatched.scenarios.len(),
            format!("{} without a case", plural(answer.unmatched.scenarios.len(), "scenario")),
        ),
        (cases, format!("{} unmatched", plural(cases, "case"))),
    ];
    parts.extend(rest.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words));
    parts.join(", ") + end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::imports::model::answer::{UnmatchedParts, UnmatchedScenario};

    fn reading(scenario: &str, outcome: ImportStep, status: &'static str) -> ImportedReading {
        ImportedReading {
            env: None,
            runs: None,
            node: "n".into(),
            scenario: scenario.into(),
            outcome,
            status,
            cases: Vec::new(),
            evidence: Vec::new(),
            ts: "T".into(),
            commit: "a".repeat(40),
        }
    }

    fn answer(outcome: ImportStep, readings: Vec<ImportedReading>) -> ImportAnswer {
        let passed = |why: &str| PassedScenario {
            node: "n".into(),
            scenario: "\u{1b}[2J".into(),
            why: why.into(),
            cases: Vec::new(),
        };
        let unmatched = UnmatchedParts::default();
        ImportAnswer {
            outcome,
            readings,
            skipped: vec![passed("held")],
            ambiguous: Vec::new(),
            unmatched,
            masked: 1,
            fresh: None,
        }
    }

    fn text(answer: &ImportAnswer) -> String {
        let mut out = Vec::new();
        write_human(answer, &[2], &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn receipts_come_first_and_the_counts_last() {
        let readings = vec![
            reading("a", ImportStep::Filed, "pass"),
            reading("b", ImportStep::Filed, "fail"),
            reading("c", ImportStep::AlreadyFiled, "pass"),
        ];
        let expected = "filed n/a pass @ aaaaaaaaaaaa T\nfiled n/b fail @ aaaaaaaaaaaa T\n\
                        already filed n/c pass @ aaaaaaaaaaaa T; nothing was written\n\
                        skipped n/\\u{1b}[2J: held\nentry 2 of the map is like no case\n1 secret masked in the evidence\n\
                        filed 2 readings (1 pass, 1 fail), 1 already filed, 1 skipped\n";
        assert_eq!(text(&answer(ImportStep::Filed, readings)), expected);
    }

    #[test]
    fn the_report_of_one_suite_does_not_list_the_scenarios_of_all_others() {
        let mut answer = answer(ImportStep::Filed, vec![reading("a", ImportStep::Filed, "pass")]);
        let without = |n: usize| UnmatchedScenario { node: "n".into(), scenario: format!("s{n}"), test: "t".into() };
        answer.unmatched.scenarios = (0..12).map(without).collect();
        let said = text(&answer);
        assert_eq!(said.lines().filter(|line| line.starts_with("no case of t for n/s")).count(), 10, "{said}");
        assert!(said.contains("\nand none for 2 more scenarios: --dry-run --format json lists them\n"), "{said}");
        assert!(said.contains(", 12 scenarios without a case"), "{said}");
        answer.unmatched.scenarios.truncate(10);
        assert!(!text(&answer).contains("and none for"), "all are listed");
    }

    #[test]
    fn a_dry_run_is_a_table() {
        let readings =
            vec![reading("longer name", ImportStep::Planned, "pass"), reading("b", ImportStep::AlreadyFiled, "fail")];
        let said = text(&answer(ImportStep::Planned, readings));
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[0], "SCENARIO       VERDICT  CASES  WHAT");
        assert_eq!(lines[1], "n/longer name  pass         0  would file");
        assert_eq!(lines[2], "n/b            fail         0  already filed");
        assert_eq!(
            lines.last(),
            Some(&"would file 1 reading (1 pass, 0 fail), 1 already filed, 1 skipped; nothing was written")
        );
    }
}
