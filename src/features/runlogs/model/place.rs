//! Decides which files are run logs: by the configuration, otherwise by their place together with their content. A
//! `run_state.jsonl` of an unrelated program must not be judged.

use super::builtin::{CALIBRATION_CYCLE, MEASURE, QUALITY_PLAYBOOK};
use super::event::{LogEvent, take_apart};
use super::line::LogLines;
use super::profile::INDEX;
use crate::features::runlogs::model::settings::{ProfileName, RunLogSettings};
use crate::model::config::Config;
use crate::names::{RUN_ENDING, RUN_STATE, RUNS_DIR};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;

/// The directory of a run's log in the quality playbook.
const QUALITY_DIR: &str = "quality";
const CYCLES_DIR: &str = "Calibration Cycles";
/// A byte order mark, which an editor may put before a file's first byte.
const BOM: &[u8] = b"\xef\xbb\xbf";
/// The field that names a line's event.
const EVENT: &str = "event";
/// How many non-blank lines are searched for an `_index`.
pub(crate) const LOOKED_AT: usize = 10;

/// The meaning of a file's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPlace {
    pub profile: ProfileName,
    /// Whether the path alone is enough; otherwise some version of the file must begin like a log ([`begins_like_a_log`]).
    pub sure: bool,
}

/// The meaning of a file's path; `None` if it is no place for a run log.
pub(crate) fn place(path: &RepoPath, config: &Config) -> Option<LogPlace> {
    place_but_hidden(path, config).filter(|_| !config.exclude.covers(path))
}

/// The same, also for a path that the configuration excludes from the search.
pub(crate) fn place_but_hidden(path: &RepoPath, config: &Config) -> Option<LogPlace> {
    match config.of::<RunLogSettings>().entries.iter().find(|entry| entry.path.is_match(path)) {
        Some(entry) => Some(LogPlace { profile: entry.profile.clone(), sure: true }),
        None => by_name(path),
    }
}

/// The meaning of a path without configuration.
pub(crate) fn by_name(path: &RepoPath) -> Option<LogPlace> {
    let of = |name, sure| Some(LogPlace { profile: ProfileName::BuiltIn(name), sure });
    // the name alone rules out most paths
    let is_state = path.name() == RUN_STATE;
    if !is_state && !path.name().ends_with(RUN_ENDING.as_bytes()) {
        return None;
    }
    let dir = path.parent()?;
    if !is_state {
        return if *dir.as_bstr() == RUNS_DIR { of(MEASURE, true) } else { None };
    }
    if dir.name() == QUALITY_DIR {
        return of(QUALITY_PLAYBOOK, false);
    }
    if dir.parent()?.name() == CYCLES_DIR { of(CALIBRATION_CYCLE, false) } else { None }
}

/// Whether one of the first ten non-blank lines names an event `_index`. Nothing is parsed: otherwise a log with a damaged
/// first line would not be a log, and all of it could be edited.
pub fn begins_like_a_log(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let filled = bytes.split(|byte| *byte == b'\n').filter(|line| !line.iter().all(u8::is_ascii_whitespace));
    filled.take(LOOKED_AT).any(names_an_index)
}

/// Whether a line holds `"event"` and, after a colon, `"_index"`, in any JSON spelling.
fn names_an_index(line: &[u8]) -> bool {
    line.find_iter(b"\"").any(|quote| {
        let value = behind(&line[quote..], EVENT).and_then(|rest| rest.trim_ascii_start().strip_prefix(b":"));
        value.is_some_and(|value| behind(value.trim_ascii_start(), INDEX).is_some())
    })
}

/// The rest of `line` after the JSON string `text`, if `line` begins with it.
fn behind<'l>(line: &'l [u8], text: &str) -> Option<&'l [u8]> {
    let first = line.strip_prefix(b"\"")?;
    let spelled = |rest: &'l [u8], byte: u8| {
        let escaped = || {
            let (digits, rest) = rest.strip_prefix(b"\\u")?.split_at_checked(4)?;
            digits.eq_ignore_ascii_case(format!("{byte:04x}").as_bytes()).then_some(rest)
        };
        rest.strip_prefix(&[byte]).or_else(escaped)
    };
    text.bytes().try_fold(first, spelled)?.strip_prefix(b"\"")
}

/// The probable profile of a log outside the known places, by the fields of its first event.
pub(crate) fn likely_profile(bytes: &[u8]) -> &'static str {
    let mut lines = LogLines::new(bytes);
    let Ok(Some(line)) = lines.next_line() else { return QUALITY_PLAYBOOK };
    let events = take_apart(&line, 0).events;
    let has = |field: &str| events.first().is_some_and(|event: &LogEvent<'_>| event.get(field).is_some());
    match (has("cycle_name"), has("benchmark"), has("run")) {
        (true, _, _) => CALIBRATION_CYCLE,
        (_, false, true) => MEASURE,
        _ => QUALITY_PLAYBOOK,
    }
}

/// The directory that a run works on. The paths in its rules are relative to it. It is the directory above the log's
/// directory, or the repository for a log in [`RUNS_DIR`].
pub(crate) fn target_of(log: &RepoPath) -> RepoPath {
    let dir = log.parent().unwrap_or_default();
    if *dir.as_bstr() == RUNS_DIR { RepoPath::root() } else { dir.parent().unwrap_or_default() }
}

/// The possible logs of a page, by its path alone.
pub(crate) fn logs_beside(page: &RepoPath) -> Vec<RepoPath> {
    let Some(stem) = page.name().strip_suffix(b".md") else { return Vec::new() };
    let dir = page.parent().unwrap_or_default();
    vec![dir.child(RUN_STATE.as_bytes()), dir.child(&[stem, RUN_ENDING.as_bytes()].concat())]
}

/// The name of a log without its extension: the name of its page, and of its run if the log has none.
pub(crate) fn log_id(log: &RepoPath) -> String {
    let name = log.name();
    let stem = name.rfind_byte(b'.').filter(|dot| *dot > 0).map_or(name.as_bytes(), |dot| &name[..dot]);
    stem.to_str_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::parse;

    fn at(path: &str, config: &str) -> Option<(String, bool)> {
        let config = parse(config.as_bytes()).unwrap();
        place(&RepoPath::from_git(path), &config).map(|place| (place.profile.text(), place.sure))
    }

    #[test]
    fn logs_lie_in_three_places() {
        let known = |path: &str| at(path, "{}");
        let of = |name: &str, sure: bool| Some((name.to_owned(), sure));
        assert_eq!(known("quality/run_state.jsonl"), of(QUALITY_PLAYBOOK, false));
        assert_eq!(known("a b/chi/quality/run_state.jsonl"), of(QUALITY_PLAYBOOK, false));
        assert_eq!(known("x/Calibration Cycles/2026-05/run_state.jsonl"), of(CALIBRATION_CYCLE, false));
        assert_eq!(known(".yatsu/runs/1.jsonl"), of(MEASURE, true));
        for path in [
            "run_state.jsonl",
            "state/run_state.jsonl",
            "Calibration Cycles/run_state.jsonl",
            "Calibration Cycles/a/b/run_state.jsonl",
            "quality/other.jsonl",
            "a/.yatsu/runs/1.jsonl",
            ".yatsu/runs/1.md",
            ".yatsu/runs/old/1.jsonl",
        ] {
            assert_eq!(known(path), None, "{path}");
        }
    }

    #[test]
    fn the_configuration_is_asked_first_and_what_it_excludes_is_none() {
        let config = r#"{"yatsu":{"runlogs":[{"path":"quality/*.jsonl","profile":"measure"},{"path":"logs/**","profile":"mine.json"}],"exclude":["vendor"]}}"#;
        assert_eq!(at("quality/run_state.jsonl", config), Some(("measure".into(), true)));
        assert_eq!(at("logs/a/b", config), Some(("mine.json".into(), true)));
        assert_eq!(at("a/quality/run_state.jsonl", config), Some((QUALITY_PLAYBOOK.into(), false)));
        assert_eq!(at("vendor/quality/run_state.jsonl", config), None);
    }

    #[test]
    fn a_log_is_recognised_by_its_first_ten_lines() {
        let index = "{\"event\":\"_index\"}\n";
        assert!(begins_like_a_log(index.as_bytes()));
        assert!(begins_like_a_log(format!("garbage\n{}{index}", "{\"event\":\"x\"}\n".repeat(8)).as_bytes()));
        assert!(
            begins_like_a_log(format!("\u{feff}\r\n{}{index}", " \n".repeat(10)).as_bytes()),
            "blank ones do not count"
        );
        assert!(!begins_like_a_log(format!("{}{index}", "{}\n".repeat(10)).as_bytes()));
        for other in [
            "",
            "{\"event\":\"start\",\"of\":\"_index\"}\n",
            "\"_index\"\n",
            "_index\n",
            "{\"event\",\"_index\"}",
            "{\"event\":\"_indexed\"}",
            "{\"an event\":\"_index\"}",
            "{\"text\":\"{\\\"event\\\":\\\"_index\\\"}\"}",
            "{\"event\":\n\"_index\"}",
            "\"event\\u00",
        ] {
            assert!(!begins_like_a_log(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_line_that_is_no_json_is_recognised_by_its_bytes() {
        let long = [b"{\"x\":\"".as_slice(), &vec![b'a'; 1 << 21], b"\",\"event\":\"_index\"}"].concat();
        for line in [
            b"\xef\xbb\xbf{\"event\":\"_index\"}".as_slice(),
            b"{\"event\":\"x\",\"event\" :\t \"_index\"}",
            b"{\"n\":NaN,\"event\":\"_index\",\"s\":\"\\ud800\xff\"}",
            b"{\"ev{\"event\":\"_index\"}",
            b"{\"\\u0065ven\\u0074\":\"\\u005Findex\"}",
            &long,
        ] {
            assert!(begins_like_a_log(line), "{}", line[..line.len().min(60)].as_bstr());
        }
    }

    #[test]
    fn a_run_works_on_the_directory_above_its_logs() {
        let of = |path: &str| target_of(&RepoPath::from_git(path)).to_string();
        assert_eq!((of("a/quality/run_state.jsonl"), of("quality/run_state.jsonl")), ("a".into(), String::new()));
        assert_eq!((of(".yatsu/runs/1.jsonl"), of("x.jsonl")), (String::new(), String::new()));
    }
}
