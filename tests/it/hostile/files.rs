//! Every file of `tests/data/hostile`, staged in a repository and judged by the program.

use super::{at, gate, message, of, one_node};
use crate::support::{Scratch, hermetic, program};
use bstr::ByteSlice;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use yatsu_hook::text::escape::terminal;

fn data(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/hostile").join(folder)
}

/// The parser's table: file, then place and beginning of the message for each violation; none for a sound file.
fn expected_of_scenario_files() -> BTreeMap<String, Vec<(String, String)>> {
    let table = fs::read_to_string(data("yatsu").join("expected.tsv")).expect("the table");
    let mut rows: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.splitn(4, '\t').collect();
        let row = rows.entry(columns[0].into()).or_default();
        if columns[1] != "-" {
            row.push((columns[1].into(), columns[3].into()));
        }
    }
    rows
}

/// A violation that only the view shows: a missing path, or one that a glob's limits refuse.
fn is_about_the_view(finding: &Value) -> bool {
    message(finding).contains("` names ")
}

#[test]
fn every_scenario_file_is_judged_as_its_table_says() {
    let scratch = one_node();
    for (name, wanted) in expected_of_scenario_files() {
        scratch.write(".spec/n/yatsu.md", fs::read(data("yatsu").join(&name)).unwrap());
        scratch.git(&["add", "-A"]);
        let (code, findings) = gate(&scratch, &name);
        let schema = of(&findings, "yatsu-schema");
        let said: Vec<_> = schema.iter().filter(|finding| !is_about_the_view(finding)).collect();
        let same = said.len() == wanted.len()
            && said.iter().all(|finding| {
                let text = terminal(message(finding)).into_owned();
                wanted.iter().any(|(place, start)| *place == at(finding) && text.starts_with(start))
            });
        assert!(same, "{name}\nsaid:   {said:#?}\nwanted: {wanted:#?}");
        assert_eq!(code, i32::from(!schema.is_empty()), "{name}: {findings:#?}");
        assert!(schema.iter().all(|finding| finding["help"].as_str().is_some_and(|help| !help.is_empty())));
    }
}

#[test]
fn the_report_for_people_is_a_line_with_the_place_what_stands_there_and_the_way_out() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", fs::read(data("yatsu/03-esc.md")).unwrap());
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(1);
    let mut lines = said.err.lines();
    let first = lines.find(|line| line.contains("error[")).expect("a finding");
    assert!(first.starts_with(".spec/n/yatsu.md:4:26: error[yatsu-schema]"), "{}", said.err);
    let quoted: Vec<&str> = lines.by_ref().take(2).collect();
    assert!(quoted[0].starts_with("    4 | ") && quoted[1].trim_matches([' ', '|', '^']).is_empty(), "{}", said.err);
    assert!(lines.next().is_some_and(|line| line.trim_start().starts_with("help: ")), "{}", said.err);
}

/// Ledgers that the parser accepts but the gate refuses when their lines are added.
const REFUSED_WHEN_ADDED: [&str; 3] = ["code-sha-64", "far-times", "generations"];

/// Stages that ledger, measured at an existing commit.
fn with_a_ledger(scratch: &Scratch, name: &str) {
    let head = scratch.git(&["rev-parse", "HEAD"]);
    let bytes = fs::read(data("ledger").join(name)).unwrap();
    scratch.write(".spec/n/yatsu.evals.ndjson", bytes.replace("4b825dc642cb6eb9a060e54bf8d69288fbee4904", head));
    scratch.git(&["add", "-A"]);
}

#[test]
fn every_ledger_is_judged_as_its_table_says() {
    let scratch = one_node();
    let table: BTreeMap<String, Value> =
        serde_json::from_slice(&fs::read(data("ledger/expected.json")).unwrap()).unwrap();
    let mut refused = Vec::new();
    for (name, row) in table {
        let file = format!("{name}.ndjson");
        with_a_ledger(&scratch, &file);
        let (code, findings) = gate(&scratch, &file);
        let found: Vec<String> = of(&findings, "ledger-schema").into_iter().map(at).collect();
        let problems = row["problems"].as_array().unwrap();
        for problem in problems {
            let wanted = format!("{}:{}", problem["line"], problem["column"]);
            assert!(found.contains(&wanted), "{name}: {wanted} not in {findings:#?}");
        }
        if !problems.is_empty() {
            assert_eq!(code, 1, "{name}: {findings:#?}");
        } else if code == 1 {
            refused.push(name);
        }
    }
    assert_eq!(refused, REFUSED_WHEN_ADDED, "ledgers without a problem of their own that were refused");
}

/// Printed text is escaped for the terminal first, but a command must stay correct.
#[test]
fn the_printed_command_reaches_the_shell_whatever_the_name_holds() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "");
    let name = "\"it's \\u200b\\u00e4 \\\\here\"";
    let entry = format!("  - name: {name}\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/a.rs\n");
    scratch.write(".spec/n/yatsu.md", format!("---\nscenarios:\n{entry}---\n"));
    scratch.commit("declared");
    let said = scratch.yatsu(&["scan"]).expect(0).out;
    let help = said.lines().find_map(|line| line.trim().strip_prefix("help: ")).expect("a repair");
    let command = help.split("   (or").next().and_then(|help| help.split("then: ").nth(1)).expect("a command");
    let command = command.replace("yatsu-hook", &format!("'{}'", program().display()));
    let mut shell = hermetic("bash", &scratch.home());
    let said = shell.current_dir(&scratch.root).args(["-c", &command]).output().expect("bash");
    assert!(said.status.success(), "{command}: {}", String::from_utf8_lossy(&said.stderr));
    assert!(scratch.read(".spec/n/yatsu.evals.ndjson").contains("it's \u{200b}\u{e4} \\\\here"));
}
