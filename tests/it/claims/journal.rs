//! The journal as a file: long, full, truncated, of another version, not a file at all, of another user. In no case is a
//! claim stolen because of it, and no command hangs.

use super::*;
use std::fs::{self, Permissions, set_permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;

fn file(s: &Scratch) -> PathBuf {
    s.root.join(".git/yatsu/claims.ndjson")
}

/// The n-th token.
fn numbered(number: usize) -> String {
    format!("{number:032x}")
}

fn event(scenario: &str, event: &str, token: usize, attempt: u32, until: &str) -> String {
    line(event, &numbered(token), attempt, until).replace("\"draws\"", &format!("\"{scenario}\""))
}

const LONG: usize = 128 << 10;

/// More than 128 KiB beside what is open: `sorts` is held, `tried` was released at attempt 2, and then `draws` was taken and
/// filed over and over.
fn long() -> String {
    let mut text = event("sorts", "taken", 1, 1, FUTURE);
    text += &event("tried", "taken", 2, 1, PAST);
    text += &event("tried", "reclaimed", 3, 2, PAST);
    text += &event("tried", "released", 3, 2, PAST);
    let mut token = 4;
    while text.len() <= LONG + (4 << 10) {
        text += &(event("draws", "taken", token, 1, PAST) + &event("draws", "filed", token, 1, PAST));
        token += 1;
    }
    text
}

/// The repository of these tests, with the journal `text`.
fn with_journal(text: &str) -> Scratch {
    let s = repository();
    let three = scenarios(&[("draws", "src/a.rs"), ("sorts", "src/a.rs"), ("tried", "src/a.rs")]);
    s.write(".spec/board/yatsu.md", three);
    set_journal(&s, text);
    s
}

fn log(s: &Scratch) -> Vec<String> {
    s.yatsu(&["claim", "log"]).expect(0).out.lines().map(str::to_owned).collect()
}

#[test]
fn a_long_journal_keeps_its_live_claims_its_attempts_and_its_last_events() {
    let s = with_journal(&long());
    set_permissions(file(&s), Permissions::from_mode(0o640)).expect("a mode");
    let before = log(&s);
    let taken = claimed(&take(&s, "draws", "Bob").expect(0));
    assert_eq!((&taken["event"], &taken["attempt"]), (&"taken".into(), &1.into()));
    let after = log(&s);
    let length = journal(&s).len();
    assert!((LONG / 2 - 1000..LONG / 2 + 1000).contains(&length), "{length} bytes");
    // the held and the released series, the last events, and the new one
    let last = after.len() - 3;
    assert_eq!(after[2..2 + last], before[before.len() - last..]);
    assert!(after[0].contains("taken board/sorts") && after[1].contains("released board/tried"));
    assert!(after[2 + last].contains("taken board/draws by Bob"));
    let held = s.yatsu(&["claim", "ls"]).expect(0).out;
    assert_eq!(held.lines().filter(|line| line.starts_with("live ")).count(), 2, "{held}");
    refused(take(&s, "sorts", "Bob"), 1, "sorts is held by Ann");
    s.yatsu(&["claim", "renew", &numbered(1)]).expect(0);
    assert_eq!(claimed(&take(&s, "tried", "Bob").expect(0))["attempt"], 2);
    refused(s.yatsu(&["claim", "renew", &numbered(3)]), 1, "has ended: released");
    refused(s.yatsu(&["claim", "renew", &numbered(4)]), 1, "no claim of this repository has this token");
    let mode = fs::metadata(file(&s)).expect("a journal").permissions().mode() & 0o777;
    assert_eq!((mode, names_below(&s)), (0o640, vec!["claims.ndjson".to_owned(), "ledger.lock".to_owned()]));
}

/// The files beside the journal; there must be no temporary ones.
fn names_below(s: &Scratch) -> Vec<String> {
    let entries = fs::read_dir(s.root.join(".git/yatsu")).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_long_because_all_of_it_matters_is_left_as_it_is() {
    let held = |number: usize| event(&format!("scenario {number}"), "taken", number, 1, FUTURE);
    let text: String = (0..2000).map(held).collect();
    assert!(text.len() > 2 * LONG);
    let s = with_journal(&text);
    let taken = claimed(&take(&s, "draws", "Bob").expect(0));
    assert!(journal(&s).starts_with(&text) && journal(&s).lines().count() == 2001);
    s.yatsu(&["claim", "release", taken["token"].as_str().expect("a token")]).expect(0);
}

#[test]
fn beside_what_is_open_a_journal_has_at_most_128_kib() {
    let held = |number: usize| event(&format!("scenario {number}"), "taken", 1 << 20 | number, 1, FUTURE);
    let s = with_journal(&((0..500).map(held).collect::<String>() + &long()));
    let (mut most, mut least) = (0, usize::MAX);
    for _ in 0..40 {
        let taken = claimed(&take(&s, "draws", "Bob").expect(0));
        s.yatsu(&["claim", "release", taken["token"].as_str().expect("a token")]).expect(0);
        let text = journal(&s);
        let (open, others): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.contains("\"scenario "));
        let length = others.iter().map(|line| line.len() + 1).sum::<usize>();
        assert_eq!(open.len(), 500);
        (most, least) = (most.max(length), least.min(length));
    }
    assert!(most <= LONG && least <= LONG / 2 + 1000, "{least} to {most} bytes");
}

/// Runs the program with a limit of `kib` KiB per file.
fn limited(s: &Scratch, kib: u64, args: &[&str]) -> Said {
    let mut shell = hermetic("bash", &s.home());
    let script = format!("ulimit -f {kib}; exec \"$0\" \"$@\"");
    Said::of(shell.current_dir(&s.root).arg("-c").arg(script).arg(program()).args(args).output().expect("bash"))
}

/// A journal of a little more than 8 KiB in which `draws` is held.
fn of_eight_kib() -> String {
    let mut text = String::new();
    for token in 2.. {
        if text.len() > 8 << 10 {
            break;
        }
        text += &(event("sorts", "taken", token, 1, PAST) + &event("sorts", "released", token, 1, PAST));
    }
    text + &event("draws", "taken", 1, 1, FUTURE)
}

#[test]
fn a_full_disk_takes_nothing_and_leaves_the_journal_as_it_was() {
    let text = of_eight_kib();
    let s = with_journal(&text);
    let kib = text.len() as u64 / 1024;
    let token = numbered(1);
    for args in [
        &["claim", "take", "board", "--scenario", "sorts"][..],
        &["claim", "next"],
        &["claim", "renew", &token],
        &["claim", "release", &token],
        &["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "r"],
    ] {
        let said = limited(&s, kib, args).expect(3);
        assert!(said.err.contains("make room") && said.out.is_empty(), "{args:?}: {}", said.err);
        assert_eq!(journal(&s), text, "{args:?}");
    }
    limited(&s, kib, &["claim", "ls"]).expect(0);
    s.yatsu(&["claim", "renew", &token]).expect(0);
}

#[test]
fn a_full_disk_cannot_shorten_a_long_journal_and_leaves_it_as_it_was() {
    let text = long();
    let s = with_journal(&text);
    limited(&s, 60, &["claim", "take", "board", "--scenario", "draws"]).expect(3);
    assert!(journal(&s) == text, "the old journal stands");
    assert_eq!(names_below(&s), ["claims.ndjson", "ledger.lock"]);
    take(&s, "draws", "Bob").expect(0);
}

#[test]
fn a_reading_whose_claim_could_not_be_ended_is_said_to_be_filed_and_the_same_command_ends_it() {
    let text = of_eight_kib();
    let s = with_journal(&text);
    let flags = ["eval", "board", "--scenario", "draws", "--pass", "--claim", &numbered(1)];
    let said = limited(&s, text.len() as u64 / 1024, &flags).expect(3);
    assert!(said.err.contains("the reading is filed, and its claim could not be ended"), "{}", said.err);
    assert!(said.err.ends_with("FAILED: filed, but not finished: run the same command again\n"), "{}", said.err);
    assert_eq!((filed(&s).len(), journal(&s)), (1, text));
    assert!(s.yatsu(&flags).expect(0).out.starts_with("already filed"));
    assert_eq!(filed(&s).len(), 1);
    assert!(journal(&s).lines().last().is_some_and(|line| line.contains("\"event\":\"filed\"")));
}

#[test]
fn a_read_only_common_directory_gives_nothing_and_is_read_all_the_same() {
    let s = with_journal(&event("draws", "taken", 1, 1, FUTURE));
    s.yatsu(&["claim", "renew", &numbered(1)]).expect(0);
    let before = journal(&s);
    let dir = s.root.join(".git/yatsu");
    set_permissions(file(&s), Permissions::from_mode(0o444)).expect("read only");
    set_permissions(&dir, Permissions::from_mode(0o555)).expect("read only");
    for args in [&["claim", "take", "board", "--scenario", "sorts"][..], &["claim", "renew", &numbered(1)]] {
        let said = s.yatsu_held_off(args).expect(3);
        assert!(said.err.contains("give yourself the right to write there"), "{args:?}: {}", said.err);
    }
    let held = s.yatsu_held_off(&["claim", "ls"]).expect(0);
    assert!(held.out.starts_with("live   board/draws"), "{}", held.out);
    assert_eq!(journal(&s), before);
    set_permissions(&dir, Permissions::from_mode(0o755)).expect("writable");
}

/// Asserts the answers of every command that reads the journal.
#[track_caller]
fn nothing_is_stolen(s: &Scratch, word: &str) {
    let token = numbered(1);
    for args in [
        &["claim", "take", "board", "--scenario", "draws"][..],
        &["claim", "next"],
        &["claim", "renew", &token],
        &["claim", "release", &token],
        &["claim", "release", "--force", "board", "--scenario", "draws", "--reason", "r"],
        &["claim", "ls"],
        &["claim", "log"],
        &["claim", "log", "board"],
        &["eval", "board", "--scenario", "draws", "--pass"],
        &["eval", "board", "--scenario", "draws", "--pass", "--claim", &token],
        &["eval", "board", "--scenario", "draws", "--pass", "--dry-run"],
    ] {
        let said = s.yatsu(args).expect(3);
        assert!(said.err.contains(word), "{args:?}: `{word}` is not in:\n{}", said.err);
        assert!(!said.err.contains(&token), "a token is spelled:\n{}", said.err);
    }
    assert_eq!(filed(s).len(), 0);
}

#[test]
fn an_event_of_a_later_version_stops_everybody_and_is_kept() {
    let ours = event("draws", "taken", 1, 1, FUTURE);
    let later = event("sorts", "taken", 2, 1, FUTURE).replace("\"v\":1", "\"v\":3");
    let text = ours + &later;
    let s = with_journal(&text);
    nothing_is_stolen(&s, "line 2 is of another version");
    assert_eq!(journal(&s), text);
}

#[test]
fn a_journal_that_is_no_file_of_ours_is_neither_followed_nor_waited_for() {
    type Row<'a> = (&'a str, &'a dyn Fn(&Scratch));
    let rows: [Row<'_>; 5] = [
        ("symbolic link", &|s| {
            fs::write(s.base.join("elsewhere"), event("draws", "taken", 1, 1, FUTURE)).expect("a file");
            symlink(s.base.join("elsewhere"), file(s)).expect("a link");
        }),
        ("symbolic link", &|s| symlink("/dev/zero", file(s)).expect("a link")),
        ("claims.ndjson", &|s| {
            assert!(hermetic("mkfifo", &s.home()).arg(file(s)).status().expect("mkfifo").success());
        }),
        ("claims.ndjson", &|s| fs::create_dir(file(s)).expect("a directory")),
        ("symbolic link", &|s| {
            fs::remove_dir_all(s.root.join(".git/yatsu")).expect("gone");
            fs::create_dir(s.base.join("away")).expect("a directory");
            symlink(s.base.join("away"), s.root.join(".git/yatsu")).expect("a link");
        }),
    ];
    for (word, spoil) in rows {
        let s = with_journal("");
        fs::remove_file(file(&s)).expect("gone");
        spoil(&s);
        nothing_is_stolen(&s, word);
        assert!(fs::read_dir(s.base.join("away")).map_or(0, Iterator::count) == 0);
    }
}

mod needs_root {
    use super::*;

    #[test]
    #[ignore = "needs root"]
    fn somebody_elses_journal_that_may_not_be_read_stops_everybody() {
        let s = with_journal(&event("draws", "taken", 1, 1, FUTURE));
        set_permissions(file(&s), Permissions::from_mode(0o600)).expect("a mode");
        chown(file(&s), Some(65534), Some(65534)).expect("a superuser gives a file away");
        let token = numbered(1);
        for args in [
            &["claim", "take", "board", "--scenario", "draws"][..],
            &["claim", "ls"],
            &["eval", "board", "--scenario", "draws", "--pass"],
            &["eval", "board", "--scenario", "draws", "--pass", "--claim", &token],
        ] {
            let said = s.yatsu_held_off(args).expect(3);
            assert!(
                said.err.contains("claims.ndjson") && said.err.contains("ermission denied"),
                "{args:?}: {}",
                said.err
            );
        }
        assert_eq!(filed(&s).len(), 0);
    }
}

/// The file is sparse, so it costs no disk; read as a whole it would cost a gigabyte of memory.
#[test]
fn a_line_of_a_gigabyte_is_not_read() {
    let s = with_journal("");
    fs::OpenOptions::new().write(true).open(file(&s)).expect("a file").set_len(1 << 30).expect("a length");
    nothing_is_stolen(&s, "no journal of claims gets so long");
}
