//! The page beside a log: it overwrites no other file, and a page that cannot be written doubles no event.

use super::verbs::{LOG, PAGE, START, log, names, refused, started, yatsu};
use crate::support::{Said, Scratch, program};
use std::os::unix::fs::symlink;

/// A repository with logs in `logs` that have a page of that name.
fn with_page(page: &str, logs: &str) -> Scratch {
    let s = Scratch::new();
    let profile = r#"{"name":"p","schemaVersion":"1","events":{"_index":{"position":"first"},"go":{"position":"second"},"note":{}},"page":"PAGE"}"#;
    s.write("p.json", profile.replace("PAGE", page));
    let config = r#"{"yatsu":{"runlogs":[{"path":"LOGS","profile":"p.json"}]}}"#;
    s.write("spexcode.json", config.replace("LOGS", logs));
    s
}

#[test]
fn a_page_that_is_no_page_by_its_name_is_refused_and_nothing_is_written() {
    for page in ["{id}.jsonl", "other.jsonl", "yatsu.evals.ndjson", "PROGRESS", "data.csv"] {
        let s = with_page(page, "logs/*.jsonl");
        let said = yatsu(&s, "runlog start logs/a.jsonl").expect(2);
        assert!(said.err.contains("p.json:1:") && said.err.contains("page must end in .md"), "{}", said.err);
        assert!(!s.root.join("logs/a.jsonl").exists(), "{page}");
    }
}

#[test]
fn a_file_of_the_project_is_never_overwritten_with_a_page() {
    for (page, text) in [
        ("yatsu.md", "---\nscenarios: []\n---\n"),
        ("spec.md", "# What it does\n"),
        ("SPEC.md", "# What it does\n"),
        ("GUIDE.md", "# Guide\n\n## Phases\n\nwritten by hand\n"),
        ("x.md", "{\"event\":\"_index\",\"ts\":\"2026-01-01T00:00:00Z\"}\n"),
    ] {
        let s = with_page(page, "logs/*.jsonl");
        let at = format!("logs/{page}");
        s.write(&at, text);
        let said = yatsu(&s, "runlog start logs/a.jsonl").expect(1);
        assert!(said.err.contains("nothing was appended") && said.err.contains("not overwritten"), "{}", said.err);
        assert_eq!(s.read(&at), text);
        assert!(!s.root.join("logs/a.jsonl").exists(), "{page}");
    }
}

#[test]
fn a_log_that_ends_as_a_page_does_is_not_its_own_page() {
    let s = with_page("{id}.md", "logs/**");
    yatsu(&s, "runlog start logs/a.md").expect(1);
    s.write("logs/a.md", "{\"event\":\"_index\",\"ts\":\"2026-01-01T00:00:00Z\",\"schema_version\":\"1\",\"event_types\":[\"_index\",\"go\",\"note\"]}\n{\"event\":\"go\",\"ts\":\"2026-01-01T00:00:00Z\"}\n");
    let before = s.read("logs/a.md");
    for line in ["add note", "progress", "progress --check"] {
        let log = if line == "add note" { "--log logs/a.md" } else { "logs/a.md" };
        let said = yatsu(&s, &format!("runlog {line} {log}")).expect(1);
        assert!(said.err.contains("is a run log"), "{}", said.err);
        assert_eq!(s.read("logs/a.md"), before, "{line}");
    }
}

#[test]
fn a_page_that_somebody_began_keeps_its_sections() {
    for text in [
        "# Notes\n\n## My plan\n\nmine\n",
        "# QPB Run Progress\n\n## Phases\n- [ ] old\n\n## My plan\n\nmine\n",
        "\n# Run Progress\n\n## My plan\n\nmine\n",
    ] {
        let s = Scratch::new();
        s.write(PAGE, text);
        s.yatsu(START).expect(0);
        let page = s.read(PAGE);
        assert!(page.starts_with("# QPB Run Progress") && page.contains("## My plan\n\nmine\n"), "{page}");
    }
}

#[test]
fn a_page_that_is_a_link_keeps_the_event_from_being_appended() {
    let s = started();
    std::fs::remove_file(s.root.join(PAGE)).expect("removed");
    symlink("/nowhere", s.root.join(PAGE)).expect("a link");
    for _ in 0..2 {
        refused(&s, "runlog add gate_check gate_name=g verdict=pass", 3, "nothing was appended");
    }
    std::fs::remove_file(s.root.join(PAGE)).expect("removed");
    yatsu(&s, "runlog add gate_check gate_name=g verdict=pass").expect(0);
    assert_eq!(names(&s).iter().filter(|name| *name == "gate_check").count(), 1);
}

#[test]
fn a_page_that_cannot_be_written_any_more_says_that_the_event_was_appended() {
    let s = started();
    s.write(PAGE, s.read(PAGE) + "\n## Mine\n\n" + &"a line of mine\n".repeat(100_000));
    let before = log(&s);
    // the log just fits into the limit per file, like on a full disk
    let mut full = s.yatsu_command(&[]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 512; exec \"$0\" \"$@\""]).arg(program());
    shell.args(["runlog", "add", "gate_check", "gate_name=g", "verdict=pass"]).current_dir(&s.root).env_clear();
    shell.envs(full.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = Said::of(shell.output().expect("it runs")).expect(3);
    assert!(said.err.contains(&format!("{LOG}: appended gate_check")), "{}", said.err);
    assert!(said.err.contains("do not append it again: `yatsu-hook runlog progress"), "{}", said.err);
    assert!(!said.err.contains("same command again"), "{}", said.err);
    assert_eq!(log(&s).lines().count(), before.lines().count() + 1);
    full.args(["runlog", "progress"]);
    Said::of(full.output().expect("it runs")).expect(0);
    assert!(s.read(PAGE).contains("gate_check") && s.read(PAGE).contains("a line of mine"));
}

#[test]
fn what_somebody_wrote_above_the_first_section_is_still_there_after_the_next_event() {
    let s = started();
    s.write(PAGE, s.read(PAGE).replace("\n## Phases\n", "\nDo not stop the server.\n\n## Phases\n"));
    yatsu(&s, "runlog add gate_check gate_name=g verdict=pass").expect(0);
    yatsu(&s, "runlog progress").expect(0);
    assert_eq!(s.read(PAGE).matches("Do not stop the server.").count(), 1, "{}", s.read(PAGE));
}
