//! A disk that fills up during every writing verb: nothing is torn or lost, and the message names the remedy.

use super::verbs::{LOG, PAGE, START, leave, log, started};
use crate::support::{Said, Scratch, program};
use std::fs;
use std::path::Path;

/// Runs the program with a limit per file in blocks of half a kilobyte, like on a full disk.
fn limited(s: &Scratch, blocks: usize, words: &[&str]) -> Said {
    let full = s.yatsu_command(&[]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]).arg(program()).args(words);
    shell.current_dir(&s.root).env_clear();
    shell.envs(full.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Said::of(shell.output().expect("it runs"))
}

/// The names in the log's directory, and the contents of the log and its page.
#[derive(Clone, Debug, PartialEq)]
struct Files {
    names: Vec<String>,
    log: Option<String>,
    page: Option<String>,
}

fn files(s: &Scratch) -> Files {
    let read = |path: &str| fs::read_to_string(s.root.join(path)).ok();
    let list = |dir: &Path| {
        fs::read_dir(dir).map(|entries| {
            let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
            names.collect::<Vec<_>>()
        })
    };
    let mut names = list(&s.root.join("quality")).unwrap_or_default();
    names.sort();
    Files { names, log: read(LOG), page: read(PAGE) }
}

fn restore(s: &Scratch, files: &Files) {
    for (path, text) in [(LOG, &files.log), (PAGE, &files.page)] {
        match text {
            Some(text) => s.write(path, text),
            None => drop(fs::remove_file(s.root.join(path))),
        }
    }
}

/// Whether every line is a whole object.
fn is_whole(text: &str) -> bool {
    text.ends_with('\n') && text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
}

/// Carries out `words` with a disk that fills up at every size.
#[track_caller]
fn fills_up(s: &Scratch, words: &[&str]) {
    let before = files(s);
    let (mut refused, mut done) = (0, 0);
    for blocks in 0..14 {
        let said = limited(s, blocks, words);
        let after = files(s);
        let told = format!("{words:?} at {blocks} blocks: {} {}{}", said.code, said.out, said.err);
        if said.code == 0 || said.code == 1 && !said.out.is_empty() {
            done += 1;
            assert!(after.log.as_deref().is_none_or(is_whole), "{told}");
            s.yatsu(&["runlog", "progress", "--check", LOG]).expect(0);
        } else {
            refused += 1;
            assert_eq!(said.code, 3, "{told}");
            assert!(said.err.contains("yatsu-hook: "), "{told}");
            let new =
                |name: &&String| !before.names.contains(name) && *name != "run_state.jsonl" && *name != "PROGRESS.md";
            assert_eq!(after.names.iter().find(new), None, "nothing is left lying about: {told}");
            let old_log = before.log.clone().unwrap_or_default();
            let log = after.log.clone().unwrap_or_default();
            assert!(log.starts_with(&old_log), "what stood there stands there: {told}");
            assert!(after.page == before.page || words.contains(&"progress"), "no page is torn: {told}");
            if log == old_log {
                let again = s.yatsu(words);
                assert!(again.code <= 1, "the same again: {told}\n{}", again.err);
            } else {
                assert!(is_whole(&log) && said.err.contains("appended"), "{told}");
                s.yatsu(&["runlog", "progress", LOG]).expect(0);
            }
            s.yatsu(&["runlog", "progress", "--check", LOG]).expect(0);
        }
        restore(s, &before);
    }
    assert!(refused > 0 && done > 0, "{words:?}: {refused} refused, {done} done");
}

#[test]
fn a_full_disk_tears_and_loses_nothing_whatever_is_written() {
    let s = started();
    let add = ["runlog", "add", "artifact_written", "relative_path=a", "byte_size:=1"];
    fills_up(&s, &add);
    fills_up(&s, &["runlog", "phase", "end", "1"]);
    fills_up(&s, &["runlog", "resume", "--apply"]);
    fills_up(&s, &["runlog", "end", "aborted"]);
    leave(&s, 1);
    fills_up(&s, &["runlog", "phase", "end", "1", "findings_total=3"]);
    s.yatsu(&["runlog", "phase", "end", "1"]).expect(0);
    fills_up(&s, &["runlog", "phase", "start", "2"]);
    s.write(PAGE, s.read(PAGE).replace("[x]", "[ ]"));
    fills_up(&s, &["runlog", "progress"]);
}

#[test]
fn a_full_disk_starts_no_half_of_a_run() {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("begin");
    fills_up(&s, START);
}

#[test]
fn a_full_disk_repairs_nothing_by_half() {
    let s = started();
    let whole = log(&s);
    let padding: String =
        (0..20).map(|_| whole.lines().last().expect("a line").replace("phase_start", "note") + "\n").collect();
    let torn = format!("{whole}{padding}{{\"event\":\"phase_st");
    s.write(LOG, &torn);
    for blocks in 0..14 {
        let said = limited(&s, blocks, &["repair"]);
        let now = log(&s);
        match said.code {
            0 => assert_eq!(now, format!("{whole}{padding}")),
            _ => assert!(said.code == 3 && now == torn, "{} {}\n{now}", said.code, said.err),
        }
        s.write(LOG, &torn);
    }
}
