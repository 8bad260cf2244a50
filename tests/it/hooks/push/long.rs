//! In long histories without our files only names are read. The answer must be the same as with a comparison of each commit
//! with its parents.

use super::{ZERO, fed};
use crate::support::{self, Dice, Scratch, sha256};
use std::fmt::Write as _;

/// In a history of this length only names are read.
const COMMITS: usize = 300;
const BYTES: &str = "bytes that somebody filed, long enough to be evidence of something\n";

/// The changes of a commit beside some file; mostly none.
fn deed(dice: &mut Dice, kinds: usize) -> String {
    let add = |path: &str, text: &str| format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len());
    let named = format!("docs/{}", sha256(BYTES));
    match dice.roll(40).checked_sub(40 - kinds).unwrap_or(9) {
        0 => add(&named, BYTES),
        1 => format!("D {named}\n"),
        2 => add("a/yatsu-blobs/x.bin", BYTES),
        3 => "D a/yatsu-blobs\n".into(),
        4 => add("quality/run_state.jsonl", "{\"event\":\"_index\",\"ts\":\"2026-01-01T00:00:00Z\"}\n"),
        5 => "D quality\n".into(),
        6 => add("a/spexcode.json", "{}\n"),
        7 => add(&format!("docs/{}", "f".repeat(64)), BYTES),
        _ => String::new(),
    }
}

/// A random history without our files, with a file `top` at the top all the time.
fn history(seed: u64, kinds: usize, top: &str) -> Scratch {
    let (scratch, mut dice, mut stream) = (Scratch::new(), Dice(seed), String::new());
    for mark in 1..=COMMITS {
        let person = format!("A <a@example.invalid> {} +0000", 1_767_225_600 + mark);
        let subject = format!("c{mark}");
        write!(stream, "commit refs/heads/main\nmark :{mark}\ncommitter {person}\ndata {}\n{subject}\n", subject.len())
            .expect("text");
        let back = 1 + dice.roll(3);
        match mark {
            1 => write!(stream, "M 100644 inline {top}\ndata 3\n{{}}\n\n").expect("text"),
            _ => writeln!(stream, "from :{}", mark - back.min(mark - 1)).expect("text"),
        }
        if mark > 4 && dice.roll(3) == 0 {
            writeln!(stream, "merge :{}", mark - 1 - dice.roll(4)).expect("text");
        }
        let path = dice.pick(&["src/a", "src/b/c", "lib/d", "e"]);
        let text = dice.roll(50).to_string();
        write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n{}", text.len(), deed(&mut dice, kinds))
            .expect("text");
    }
    support::fed(scratch.git_command(&["fast-import", "--quiet", "--force"]), stream).expect(0);
    scratch
}

/// The gate's answer to a push of all of it, without the ids, because these differ between the two histories.
fn said(scratch: &Scratch) -> (i32, String) {
    let head = scratch.git(&["rev-parse", "refs/heads/main"]);
    let line = format!("refs/heads/main {head} refs/heads/main {ZERO}\n");
    let said = fed(scratch, &["pre-push", "origin", "x"], line.as_bytes());
    let is_id = |word: &str| word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = said.err.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let words =
        plain.map(|word| if is_id(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())) { "# " } else { word });
    let text: String = words.collect();
    // findings of one place are sorted by id
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    (said.code, lines.join("\n"))
}

/// `YATSU_FULL=1` runs two hundred histories.
#[test]
fn a_history_that_is_looked_at_for_names_says_what_one_that_is_compared_says() {
    let full = std::env::var_os("YATSU_FULL").is_some();
    let (mut quiet, mut loud) = (0, 0);
    for seed in 0..if full { 200 } else { 6 } {
        println!("seed {seed}");
        // with a configuration file every commit is compared
        let kinds = [0, 2, 8][seed as usize % 3];
        let [by_name, compared] = ["plain.json", "spexcode.json"].map(|top| said(&history(seed, kinds, top)));
        assert_eq!(by_name, compared);
        quiet += usize::from(by_name.1.is_empty());
        loud += usize::from(!by_name.1.is_empty());
    }
    assert!(quiet > 1 && loud > 1, "{quiet} {loud}");
}
