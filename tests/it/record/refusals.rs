//! Readings that cannot be filed, and why: rows 45 to 49 of the table of bad inputs, and states of a repository.

use super::*;
use crate::support::{hermetic, program};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn without_a_commit_there_is_nothing_to_name() {
    let s = Scratch::new();
    s.write(".spec/board/yatsu.md", scenarios(&[("renders", "src/a.rs")]));
    refused(&s, eval(&s, &["--pass"]), 1, "no commit yet");
}

#[test]
fn a_bare_repository_has_no_ledger() {
    let s = repository("");
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = s.base.join("bare.git");
    for line in
        [&["eval", "board", "--pass"][..], &["retract", "board", "--scenario", "renders"], &["clean"], &["repair"]]
    {
        let mut command = hermetic(program(), &s.home());
        let said = Said::of(command.current_dir(&bare).args(line).output().expect("it runs")).expect(1);
        assert!(said.err.contains("bare repository"), "{line:?} {}", said.err);
    }
}

/// Two branches that each file a reading, merged into a conflict.
fn conflict() -> Scratch {
    let s = repository("");
    for (branch, status) in [("one", "--pass"), ("two", "--fail")] {
        s.git(&["switch", "-qc", branch, "main"]);
        eval(&s, &[status]).expect(0);
        s.commit(branch);
    }
    assert_ne!(s.try_git(&["merge", "-q", "one"]).code, 0);
    s
}

#[test]
fn an_unfinished_merge_of_the_ledger() {
    let s = conflict();
    let before = s.read(LEDGER);
    refused(&s, eval(&s, &["--pass"]), 1, "is being merged");
    let said = s.yatsu(&["retract", "board", "--scenario", "renders"]);
    refused(&s, said, 1, "is being merged");
    assert_eq!(s.read(LEDGER), before);
    // Added like this, the markers are the obstacle.
    s.git(&["add", LEDGER]);
    let said = eval(&s, &["--pass"]);
    assert!(said.err.contains("  hint: "), "{}", said.err);
    refused(&s, said, 1, "conflict marker");
    let sound: String = before.lines().filter(|line| line.starts_with('{')).map(|line| format!("{line}\n")).collect();
    s.write(LEDGER, sound);
    eval(&s, &["--pass"]).expect(0);
    assert_eq!(lines(&s).len(), 3);
}

#[test]
fn a_torn_ledger() {
    let s = repository("");
    eval(&s, &["--pass"]).expect(0);
    let whole = s.read(LEDGER);
    s.write(LEDGER, &whole[..whole.len() - 9]);
    let said = eval(&s, &["--fail"]);
    assert!(said.err.contains("yatsu-hook repair --dry-run"), "{}", said.err);
    refused(&s, said, 1, "torn");
    assert_eq!(s.read(LEDGER), whole[..whole.len() - 9]);
    // Only the final newline is missing, so the line is whole: the next writer adds it.
    s.write(LEDGER, whole.trim_end());
    eval(&s, &["--fail"]).expect(0);
    assert!(s.read(LEDGER).starts_with(&whole) && lines(&s).len() == 2);
}

#[test]
fn texts_that_do_not_fit_a_line() {
    let s = repository("");
    let long = "x".repeat(100_000);
    refused(&s, eval(&s, &["--pass", "--note", "two\nlines"]), 2, "one line");
    refused(&s, eval(&s, &["--pass", "--note", "\u{1b}[2J"]), 2, "one line");
    refused(&s, eval(&s, &["--pass", "--note", &long]), 2, "at most 2048");
    refused(&s, eval(&s, &["--pass", "--note", " "]), 2, "blank");
    for evaluator in ["robot", "@", "a@", "a@1@2"] {
        refused(&s, eval(&s, &["--pass", "--evaluator", evaluator]), 2, "is no evaluator");
    }
    let mut command = s.yatsu_command(&["eval", "board", "--pass", "--note"]);
    let said = Said::of(command.arg(OsStr::from_bytes(b"\xff")).output().expect("it runs"));
    refused(&s, said, 2, "UTF-8");
    // The system itself refuses arguments of this size.
    assert!(s.yatsu_command(&["eval", "board", "--pass", "--note", &"x".repeat(2 << 20)]).output().is_err());
    assert_eq!(lines(&s).len(), 0);
}

#[test]
fn evidence_that_is_none() {
    let s = repository("");
    s.write("shot.png", PNG);
    s.write("text.png", "not a picture");
    s.write("empty.png", "");
    let fifo = s.root.join("fifo");
    assert!(hermetic("mkfifo", &s.home()).arg(&fifo).status().expect("mkfifo").success());
    for (file, code, word) in [
        ("fifo", 2, "regular file"),
        ("/dev/zero", 2, "regular file"),
        ("src", 2, "regular file"),
        ("text.png", 2, "is no PNG"),
        ("empty.png", 2, "is empty"),
        ("nowhere.png", 2, "cannot read"),
    ] {
        refused(&s, eval(&s, &["--pass", "--image", file]), code, word);
        // If one piece is bad, the good one is not kept either.
        refused(&s, eval(&s, &["--pass", "--image", "shot.png", "--image", file]), code, word);
    }
    refused(&s, eval(&s, &["--pass", "--video", "shot.png"]), 2, "is no WebM");
    refused(&s, eval(&s, &["--pass", "--timeline", "shot.png"]), 2, "a timeline needs evidence");
    refused(&s, eval(&s, &["--pass", "--image", "shot.png", "--timeline", "text.png"]), 2, "no step timeline");
    refused(&s, eval(&s, &["--pass", "--result", "-"]), 2, "standard input is empty");
    assert_eq!(lines(&s).len(), 0);
}

#[test]
fn closed_standard_input_is_empty() {
    let s = repository("");
    let script = format!("'{}' eval board --pass --result - <&-", program().display());
    let mut shell = hermetic("sh", &s.home());
    let said = Said::of(shell.current_dir(&s.root).args(["-c", &script]).output().expect("sh runs"));
    refused(&s, said, 2, "standard input is empty");
}

mod needs_script {
    use super::*;

    #[test]
    #[ignore = "needs script"]
    fn a_terminal_is_no_result() {
        let s = repository("");
        let line = format!("'{}' eval board --pass --result -", program().display());
        let mut script = hermetic("script", &s.home());
        let output = script.current_dir(&s.root).args(["-qec", &line, "/dev/null"]).output();
        let said = Said::of(output.expect("script runs")).expect(2);
        assert!(said.out.contains("standard input is a terminal"), "{}", said.out);
        assert_eq!(lines(&s).len(), 0);
    }
}

#[test]
fn an_evidence_directory_that_is_not_ours() {
    type Row<'a> = (&'a str, &'a dyn Fn(&Scratch));
    let spoil: [Row<'_>; 4] = [
        ("symbolic link", &|s| {
            std::fs::create_dir(s.base.join("away")).expect("made");
            symlink(s.base.join("away"), blobs(s)).expect("linked");
        }),
        ("symbolic link", &|s| {
            std::fs::remove_dir(s.root.join(".git/spexcode")).expect("removed");
            std::fs::create_dir(s.base.join("away")).expect("made");
            symlink(s.base.join("away"), s.root.join(".git/spexcode")).expect("linked");
        }),
        ("yatsu-blobs", &|s| std::fs::write(blobs(s), "a file").expect("written")),
        (if rustix::process::geteuid().is_root() { "mode 000" } else { "Permission denied" }, &|s| {
            std::fs::create_dir(blobs(s)).expect("made");
            std::fs::set_permissions(blobs(s), std::fs::Permissions::from_mode(0o000)).expect("mode");
        }),
    ];
    for (word, spoil) in spoil {
        let s = repository("");
        s.write("shot.png", PNG);
        std::fs::create_dir(s.root.join(".git/spexcode")).expect("made");
        spoil(&s);
        let said = eval(&s, &["--pass", "--image", "shot.png"]).expect(3);
        assert!(said.err.contains(word) && said.err.ends_with("FAILED: nothing filed\n"), "{word}: {}", said.err);
        assert_eq!(lines(&s).len(), 0);
        assert!(std::fs::read_dir(s.base.join("away")).map_or(0, Iterator::count) == 0);
        let _ = std::fs::set_permissions(blobs(&s), std::fs::Permissions::from_mode(0o755));
        // A reading without evidence does not need the directory.
        eval(&s, &["--pass"]).expect(0);
    }
}

#[test]
fn a_ledger_that_is_a_link_is_not_followed() {
    let s = repository("");
    std::fs::write(s.base.join("outside"), "").expect("written");
    symlink(s.base.join("outside"), s.root.join(LEDGER)).expect("linked");
    let said = eval(&s, &["--pass"]);
    assert_ne!(said.code, 0);
    assert!(said.err.ends_with("FAILED: nothing filed\n"), "{}", said.err);
    assert_eq!(std::fs::read(s.base.join("outside")).expect("read"), b"");
}

#[test]
fn a_reading_from_the_future_is_not_followed() {
    let s = repository("");
    let head = s.git(&["rev-parse", "HEAD"]);
    let line = crate::support::reading_line(&head, "renders", "pass", 0).replace("2026-01-01", "9998-01-01");
    s.write(LEDGER, line);
    refused(&s, eval(&s, &["--fail"]), 1, "more than ten minutes ahead");
    s.yatsu(&["retract", "board", "--scenario", "renders", "--ts", "9998-01-01T00:00:00.000Z"]).expect(0);
    eval(&s, &["--fail"]).expect(0);
}

/// A recording verb never starts a program from the configuration.
#[test]
fn filters_are_not_run() {
    let s = repository("src");
    s.write(".gitattributes", "*.rs filter=canary\n");
    s.commit("attributes");
    let canary = s.base.join("canary");
    for key in ["filter.canary.clean", "filter.canary.smudge", "filter.canary.process", "core.fsmonitor"] {
        s.git(&["config", key, &format!("touch {}", canary.display())]);
    }
    s.write("src/a.rs", "fn changed() {}\n");
    let said = eval(&s, &["--pass"]).expect(0);
    assert!(said.err.contains("src/a.rs"), "{}", said.err);
    let line = last(&s);
    assert_eq!((&line["dirty"], line.get("governed")), (&true.into(), None));
    s.yatsu(&["clean", "--dry-run"]).expect(0);
    s.yatsu(&["repair", "--dry-run"]).expect(0);
    assert!(!canary.exists());
}
