//! Any bytes are judged as a run log by every profile: no more violations are counted than are told, no event stands outside
//! its line, and what only grew keeps the law of a file with one writer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::runlogs::judge::engine::moves::{LogFate, fate};
use yatsu_hook::features::runlogs::judge::engine::{Watch, judge};
use yatsu_hook::features::runlogs::model::builtin;
use yatsu_hook::features::runlogs::model::code::Violation;
use yatsu_hook::features::runlogs::model::event::LogEvent;
use yatsu_hook::features::runlogs::model::line::LogLine;

#[derive(Default)]
struct Heard {
    violations: u64,
    line: u32,
}

impl Watch for Heard {
    fn line(&mut self, line: &LogLine<'_>) {
        assert_eq!(line.number, self.line + 1);
        self.line = line.number;
    }

    fn event(&mut self, event: &LogEvent<'_>) {
        assert_eq!(event.line, self.line);
    }

    fn violation(&mut self, violation: Violation, _line: Option<&LogLine<'_>>) {
        assert!(violation.line >= 1 && violation.column >= 1);
        self.violations += 1;
    }
}

/// What stands between the log as it was and what was added; as itself it may stand in no JSON.
const SEPARATOR: u8 = 0x1e;

fuzz_target!(|bytes: &[u8]| {
    let at = bytes.iter().position(|byte| *byte == SEPARATOR).unwrap_or(bytes.len());
    let (before, more) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    for name in builtin::names() {
        let profile = builtin::find(name).expect("a profile");
        let mut heard = Heard::default();
        let run = judge(before, profile, &mut heard).expect("memory");
        assert!(run.errors <= heard.violations);
        let whole = [before, if before.is_empty() || before.ends_with(b"\n") { b"" } else { b"\n" }, more].concat();
        if run.whole {
            assert_eq!(fate(before, Some(&whole), &|_| Ok(false), profile).expect("no log is read"), LogFate::Kept);
        }
    }
});
