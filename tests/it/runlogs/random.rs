//! Random commands in random order: every written log is valid, every prefix of it can be resumed, and an applied plan
//! leaves nothing to append.

use super::verbs::{LOG, leave, log, started, yatsu};
use crate::support::{Dice, Scratch};
use std::fs;
use yatsu_hook::features::runlogs::judge::engine::{Watch, judge};
use yatsu_hook::features::runlogs::model::builtin;
use yatsu_hook::features::runlogs::model::code::Violation;
use yatsu_hook::features::runlogs::model::line::LogLine;

/// Panics at any finding, including advice.
struct NothingWrong<'l>(&'l str);

impl Watch for NothingWrong<'_> {
    fn violation(&mut self, violation: Violation, _line: Option<&LogLine<'_>>) {
        panic!("{violation:?} in\n{}", self.0);
    }
}

/// Whether the run ended.
#[track_caller]
fn valid(text: &str) -> bool {
    let profile = builtin::find("quality-playbook").expect("a profile");
    judge(text.as_bytes(), profile, &mut NothingWrong(text)).expect("readable").ended.is_some()
}

/// One random deed: a verb, or a file that comes or goes.
fn act(s: &Scratch, dice: &mut Dice) {
    let n = 1 + dice.roll(7);
    let phase = u32::try_from(1 + dice.roll(6)).expect("small");
    let words = match dice.roll(10) {
        0 => format!("runlog phase start {n}"),
        1 => format!("runlog phase end {n} findings_total=3 --artifact a/{n}.md"),
        2 => format!("runlog phase end {phase} bugs_md_count=9"),
        3 => "runlog resume --apply".to_owned(),
        4 => format!("runlog add phase_reopened phase:={phase} reason=r"),
        5 => format!("runlog add artifact_written relative_path=a/{n}.md byte_size:={n}"),
        6 => format!("runlog add gate_check gate_name={n} verdict={}", ["pass", "good"][dice.roll(2)]),
        7 => "runlog end success".to_owned(),
        8 => return leave(s, phase),
        _ => {
            let gone = ["QUALITY.md", "EXPLORATION.md", "BUGS.md", "results/quality-gate.log"][dice.roll(4)];
            let _ = fs::remove_file(s.root.join("quality").join(gone));
            return;
        }
    };
    let said = yatsu(
        s,
        &format!("{words} {}", if words.contains("resume") { LOG.to_owned() } else { format!("--log {LOG}") }),
    );
    assert!((0..=2).contains(&said.code), "{words}: {}", said.err);
}

#[test]
fn whatever_is_typed_the_log_stays_valid() {
    let histories = if std::env::var_os("YATSU_FULL").is_some() { 100 } else { 3 };
    for seed in 0..histories {
        let (s, mut dice) = (started(), Dice(seed));
        for _ in 0..30 {
            let before = log(&s);
            act(&s, &mut dice);
            let now = log(&s);
            assert!(now.starts_with(&before), "seed {seed}: only ever appended to");
            if valid(&now) {
                break;
            }
        }
        yatsu(&s, &format!("runlog progress --check {LOG}")).expect(0);
    }
}

#[test]
fn every_prefix_of_a_whole_run_resumes_to_its_end() {
    let s = started();
    for n in 1..=6 {
        leave(&s, n);
        yatsu(&s, &format!("runlog resume --apply {LOG}")).expect(0);
        if n < 6 {
            yatsu(&s, &format!("runlog phase start {}", n + 1)).expect(0);
        }
    }
    let whole = log(&s);
    assert!(valid(&whole), "{whole}");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    for cut in 2..lines.len() {
        s.write(LOG, lines[..cut].concat());
        for _ in 0..8 {
            let said = yatsu(&s, &format!("runlog resume --apply {LOG}")).expect(0);
            let again = log(&s);
            yatsu(&s, &format!("runlog resume --apply {LOG}")).expect(0);
            assert_eq!(log(&s), again, "twice is once");
            match said.out.lines().find_map(|line| line.trim().strip_prefix("yatsu-hook ")) {
                Some(command) => drop(yatsu(&s, command).expect(0)),
                None => break,
            }
        }
        assert!(valid(&log(&s)), "from line {cut}:\n{}", log(&s));
    }
}
