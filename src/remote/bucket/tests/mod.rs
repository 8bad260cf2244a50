//! Buckets: through a fake in a thread, and through real processes that misbehave.

mod fake;

use super::*;
use crate::remote::IntoCache;
use crate::remote::tests::conforms;
use crate::remote::tests::hands::{Hands, hashes, piece_of};
use fake::{Wrong, program, truth};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn url() -> BucketUrl {
    BucketUrl::parse("s3://evidence/team").unwrap()
}

/// Two directories that live as long as the values that use them.
struct Scratch {
    bucket: tempfile::TempDir,
    repository: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        Self { bucket: tempfile::tempdir().unwrap(), repository: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> Store {
        Store::new(self.repository.path())
    }

    fn open(&self, wrong: Arc<Wrong>) -> Bucket {
        let dir = self.bucket.path().to_owned();
        Bucket::through(url(), &self.store(), Box::new(move || program(&dir, Arc::clone(&wrong))))
    }

    /// The files of the cache's directory, including temporary ones.
    fn files(&self) -> Vec<PathBuf> {
        let dir = self.repository.path().join("spexcode/yatsu-blobs");
        fs::read_dir(dir).map_or(Vec::new(), |entries| entries.map(|entry| entry.unwrap().path()).collect())
    }
}

#[test]
fn a_bucket_conforms() {
    conforms(&|| {
        let (scratch, machines) = (Scratch::new(), std::sync::Mutex::new(Vec::new()));
        Box::new(move || {
            // each machine has a repository of its own
            let machine = tempfile::tempdir().unwrap();
            let (dir, store) = (scratch.bucket.path().to_owned(), Store::new(machine.path()));
            machines.lock().unwrap().push(machine);
            Box::new(Bucket::through(url(), &store, Box::new(move || program(&dir, truth()))))
        })
    });
}

/// A test against a foreign server, which tests/object-storage.sh starts.
#[test]
#[ignore = "needs a server, which tests/object-storage.sh starts"]
fn a_real_bucket_conforms() {
    let set = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let (bucket, program) = (set("YATSU_TEST_BUCKET"), PathBuf::from(set("YATSU_TEST_CLOUD")));
    let program = CloudProgram::locate(Some(&program), std::env::vars_os().collect()).unwrap();
    let count = std::cell::Cell::new(0);
    conforms(&|| {
        count.set(count.get() + 1);
        let url = BucketUrl::parse(&format!("{bucket}/{}", count.get())).unwrap();
        let (program, machines) = (program.clone(), std::sync::Mutex::new(Vec::new()));
        Box::new(move || {
            let machine = Scratch::new();
            let bucket = Bucket::new(url.clone(), program.clone(), &machine.store());
            machines.lock().unwrap().push(machine);
            Box::new(bucket)
        })
    });
}

fn answers(line: &str) -> Option<Vec<u8>> {
    Some(format!("{line}\n").into_bytes())
}

/// A lie about an existing `piece`: the answer to `get`.
fn lie(line: &'static str, bytes: &'static [u8]) -> Arc<Wrong> {
    Arc::new(move |question| match question {
        CloudQuestion::Get { file, .. } => {
            fs::write(file, bytes).unwrap();
            answers(line)
        }
        _ => None,
    })
}

#[test]
fn no_lie_of_the_program_gets_a_name_in_the_cache_and_each_is_told() {
    let cases: [(&'static str, &'static [u8], &str); 9] = [
        ("ok 8", b"measurec", "other content"),
        ("ok 8", b"measure", "8 bytes were promised and 7 came"),
        ("ok 8", b"", "8 bytes were promised and 0 came"),
        ("ok 8", b"measured and more", "more came than the 8 bytes"),
        ("ok 0", b"", "other content"),
        ("ok 18446744073709551615", b"measurec", "were promised and 8 came"),
        ("no it does not want to", b"measured", "it does not want to"),
        ("absent", b"measured", "nothing of that name"),
        ("no \u{7f}", b"", ""),
    ];
    for (line, bytes, told) in cases {
        let scratch = Scratch::new();
        let (store, mut never) = (scratch.store(), |_| {});
        let mut taker = IntoCache::new(&store, 8, &mut never);
        match scratch.open(lie(line, bytes)).get(&[piece_of(b"measured").hash], 8, &mut taker) {
            Ok(withheld) => assert!(withheld[0].why.contains(told), "{line}: {withheld:?}"),
            Err(error) => assert!(error.message.contains("no line of its language"), "{line}: {error}"),
        }
        assert_eq!(scratch.files(), Vec::<PathBuf>::new(), "{line}");
    }
}

#[test]
fn a_program_that_says_nonsense_is_not_listened_to_any_longer() {
    let long = "x".repeat(20_000);
    for (said, told) in [
        ("hello\n", "makes no sense"),
        ("ok -1\n", "makes no sense"),
        ("\n", "makes no sense"),
        ("absent\0\n", "no line of its language"),
        ("absent\u{1b}[2J\n", "no line of its language"),
        (&long, "no line of its language"),
        ("ok sent\n", "to another question"),
        ("ok\n", "to another question"),
        ("fail protocol what?\n", "does not understand the request"),
        ("fail denied no right\n", "does not let us: no right"),
        ("fail config no bucket\n", "cannot be asked: no bucket"),
        ("fail store <html>\n", "answers what makes no sense: <html>"),
        ("retry 503 Slow Down\n", "cannot be reached: 503 Slow Down"),
        ("absen", "ended in the middle of it: it is only a fake"),
        ("", "ended in the middle of it"),
    ] {
        let scratch = Scratch::new();
        let said = said.to_owned();
        let wrong = said.clone();
        let wrong: Arc<Wrong> = Arc::new(move |question| {
            let dies = wrong == "absen";
            matches!(question, CloudQuestion::Has(_))
                .then(|| if dies { Vec::new() } else { wrong.clone().into_bytes() })
        });
        let mut remote = scratch.open(wrong);
        let error = remote.has(&[piece_of(b"x").hash, piece_of(b"y").hash]).unwrap_err();
        assert_eq!(error.kind.exit_code(), 3, "{said}");
        assert!(error.message.contains(told), "{said}: {error}");
    }
}

#[test]
fn answers_that_nobody_asked_for_are_no_answers() {
    for line in ["ok sent\nok sent", "ok 8\nok 8\nok 8", "absent\nok"] {
        let scratch = Scratch::new();
        let wrong: Arc<Wrong> =
            Arc::new(move |question| matches!(question, CloudQuestion::Has(_)).then(|| answers(line)).flatten());
        let mut remote = scratch.open(wrong);
        let held = remote.has(&[piece_of(b"x").hash]);
        // a surplus answer meets the next question, to which it does not fit
        let put = Hands::new().piece(b"y");
        assert!(held.is_err() || remote.put(&[put], &mut Hands::new()).is_ok_and(|receipt| receipt.sent.is_empty()));
    }
}

#[test]
fn after_a_death_the_next_question_starts_the_program_anew() {
    let scratch = Scratch::new();
    let (mut hands, dead) = (Hands::new(), Arc::new(std::sync::atomic::AtomicBool::new(false)));
    let once = Arc::clone(&dead);
    let wrong: Arc<Wrong> = Arc::new(move |question| {
        let is_put = matches!(question, CloudQuestion::Put { .. });
        (is_put && !once.swap(true, std::sync::atomic::Ordering::SeqCst)).then(Vec::new)
    });
    let mut remote = scratch.open(wrong);
    let pieces = hands.pieces("there", 3);
    assert!(remote.put(&pieces, &mut hands).unwrap_err().message.contains("ended in the middle"));
    assert_eq!(remote.put(&pieces, &mut hands).unwrap().sent, pieces);
}

#[test]
fn a_bucket_that_may_not_be_listed_says_so_and_expires_nothing() {
    let scratch = Scratch::new();
    let wrong: Arc<Wrong> = Arc::new(|question| {
        matches!(question, CloudQuestion::List).then(|| answers("fail denied s3:ListBucket")).flatten()
    });
    let (mut remote, mut hands) = (scratch.open(wrong), Hands::new());
    let pieces = hands.pieces("there", 3);
    remote.put(&pieces, &mut hands).unwrap();
    let Listed::Partly(why) = remote.list(&mut |_| panic!("nothing is seen")).unwrap() else { panic!() };
    assert!(why[0].contains("s3://evidence/team") && why[0].contains("s3:ListBucket"), "{why:?}");
    let error = remote.expire(Month::new(9999, 1).unwrap(), &mut |_| false, false).unwrap_err();
    assert!(error.message.contains("nothing was deleted"), "{error}");
    assert_eq!(remote.has(&hashes(&pieces)).unwrap().len(), 3);
}

#[test]
fn what_was_put_anew_since_the_list_does_not_expire() {
    let scratch = Scratch::new();
    let wrong: Arc<Wrong> = Arc::new(|question| match question {
        CloudQuestion::Delete { put: Some(_), .. } => answers("no it was put again since"),
        CloudQuestion::Delete { put: None, .. } => panic!("without its time"),
        _ => None,
    });
    let (mut remote, mut hands) = (scratch.open(wrong), Hands::new());
    let piece = hands.piece(b"measured");
    remote.put(&[piece], &mut hands).unwrap();
    let expired = remote.expire(Month::new(9999, 1).unwrap(), &mut |_| false, false).unwrap();
    assert_eq!((expired.gone, expired.kept), (vec![], 1));
}

#[test]
fn every_byte_that_went_is_told_once_and_not_more() {
    let scratch = Scratch::new();
    let wrong: Arc<Wrong> = Arc::new(|question| match question {
        CloudQuestion::Put { .. } => answers("busy 3\nbusy 2\nbusy 5\nbusy 1000\nok sent"),
        _ => None,
    });
    let mut hands = Hands::new();
    let pieces = hands.pieces("there", 20);
    scratch.open(wrong).put(&pieces, &mut hands).unwrap();
    assert_eq!(hands.done, pieces.iter().map(|piece| piece.size).sum::<u64>());
}

#[test]
fn a_probe_says_which_step_it_was_that_failed() {
    let refuses = |wanted: fn(&CloudQuestion) -> bool, line: &'static str, told: &str| {
        let scratch = Scratch::new();
        let wrong: Arc<Wrong> = Arc::new(move |question| wanted(question).then(|| answers(line)).flatten());
        let error = scratch.open(wrong).probe().unwrap_err();
        assert!(error.message.contains(told), "{told}: {error}");
        assert_eq!(scratch.files(), Vec::<PathBuf>::new());
    };
    refuses(|question| matches!(question, CloudQuestion::Probe(_)), "fail config no such bucket", "no such bucket");
    refuses(|question| matches!(question, CloudQuestion::Put { .. }), "fail denied no", "nothing can be put there");
    refuses(|question| matches!(question, CloudQuestion::Put { .. }), "no too large", "takes nothing: too large");
    refuses(|question| matches!(question, CloudQuestion::Has(_)), "fail denied no", "cannot be asked for");
    refuses(|question| matches!(question, CloudQuestion::Get { .. }), "fail denied no", "cannot be read");
    refuses(|question| matches!(question, CloudQuestion::Get { .. }), "absent", "does not give back");
    refuses(|question| matches!(question, CloudQuestion::Delete { .. }), "fail denied no", "cannot be deleted");
}

/// A shell script with the name of the program, and the bucket through it.
fn script(dir: &Path, text: &str) -> Bucket {
    let path = dir.join("yatsu-hook-cloud");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let program = CloudProgram::locate(Some(&dir.join("yatsu-hook")), path_of("/usr/bin:/bin")).unwrap();
    Bucket::new(url(), program, &Store::new(dir))
}

fn path_of(path: &str) -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), path.into()), ("AWS_REGION".into(), "nowhere".into())]
}

fn ask(remote: &mut Bucket) -> Error {
    remote.has(&[piece_of(b"x").hash]).unwrap_err()
}

#[test]
fn a_program_that_is_not_the_one_or_of_another_version_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = ask(&mut script(dir.path(), "read line; echo yatsu-cloud 1; cat >/dev/null"));
    assert!(error.message.contains("another version (`yatsu-cloud 1`"), "{error}");
    assert!(error.hints[0].contains("update both"), "{error:?}");
    let error = ask(&mut script(dir.path(), "echo hello; cat >/dev/null"));
    assert!(error.message.contains("another program has its name"), "{error}");
    let error = ask(&mut script(dir.path(), "echo 'cannot read https://key:hunter2@host/x' >&2; exit 1"));
    assert!(error.message.contains("ended in the middle of it: cannot read https://host/x"), "{error}");
    assert_eq!(error.kind.exit_code(), 3);
}

#[test]
fn a_program_that_is_silent_or_deaf_is_not_waited_for_for_ever() {
    let dir = tempfile::tempdir().unwrap();
    for text in ["exec sleep 1000", &format!("echo {}; exec sleep 1000", wire::GREETING)] {
        let mut remote = script(dir.path(), text);
        remote.patience = Duration::from_millis(50);
        let error = ask(&mut remote);
        assert!(error.message.contains("has said nothing for"), "{error}");
    }
}

#[test]
fn the_program_sees_the_environment_and_the_bucket_and_ends_with_its_input() {
    let dir = tempfile::tempdir().unwrap();
    let ended = dir.path().join("ended");
    let text = format!(
        "read line; echo {}; read probe; echo \"fail config $AWS_REGION $probe\"; cat >/dev/null; : >{}",
        wire::GREETING,
        ended.display()
    );
    let error = ask(&mut script(dir.path(), &text));
    assert!(error.message.contains("nowhere probe s3://evidence/team"), "{error}");
    assert!(ended.exists(), "it was let end by itself");
}

#[test]
fn a_program_that_is_not_installed_is_named_with_the_line_that_installs_it() {
    let dir = tempfile::tempdir().unwrap();
    let locate = |path: &str| CloudProgram::locate(Some(&dir.path().join("yatsu-hook")), path_of(path)).map(drop);
    fs::write(dir.path().join("yatsu-hook-cloud"), "not to be run").unwrap();
    let error = locate(".:bin::/nowhere").unwrap_err();
    assert!(error.message.contains("not installed") && error.hints[0].contains("--features cloud"), "{error:?}");
    assert_eq!(error.kind.exit_code(), 3);
    fs::set_permissions(dir.path().join("yatsu-hook-cloud"), fs::Permissions::from_mode(0o755)).unwrap();
    locate("/nowhere").unwrap();
    let elsewhere = CloudProgram::locate(None, path_of(&format!("relative:{}", dir.path().display())));
    assert!(elsewhere.is_ok(), "an absolute entry of PATH");
    // the same directory as a relative path
    let up = "../".repeat(std::env::current_dir().unwrap().components().count());
    let relative = format!("{up}{}", dir.path().strip_prefix("/").unwrap().display());
    assert!(Path::new(&relative).join("yatsu-hook-cloud").exists());
    for ours in [None, Some(Path::new(&relative).join("yatsu-hook"))] {
        assert!(CloudProgram::locate(ours.as_deref(), path_of(&format!("{relative}:"))).is_err(), "{ours:?}");
    }
}

#[test]
fn a_piece_that_is_missing_here_is_refused_and_the_others_go() {
    let scratch = Scratch::new();
    let mut hands = Hands::new();
    let pieces = [hands.piece(b"here"), piece_of(b"not here"), hands.piece(b"here too")];
    let receipt = scratch.open(truth()).put(&pieces, &mut hands).unwrap();
    assert_eq!(receipt.sent, [pieces[0], pieces[2]]);
    assert_eq!(receipt.refused, [(pieces[1], "it vanished".to_owned())]);
}

#[test]
fn what_was_found_to_be_a_lie_makes_room_for_the_truth() {
    let scratch = Scratch::new();
    let mut hands = Hands::new();
    let pieces = [hands.piece(b"measured"), hands.piece(b"measured too")];
    let mut bucket = scratch.open(truth());
    bucket.put(&pieces, &mut hands).unwrap();
    fs::write(scratch.bucket.path().join(pieces[0].hash.to_string()), b"measurec").unwrap();
    let mut elsewhere = scratch.open(truth());
    assert_eq!(elsewhere.put(&pieces, &mut hands).unwrap().there, pieces, "nobody looked");
    assert_eq!(elsewhere.get(&hashes(&pieces), 100, &mut hands).unwrap().len(), 1);
    let receipt = elsewhere.put(&pieces, &mut hands).unwrap();
    assert_eq!((receipt.sent, receipt.there), (vec![pieces[0]], vec![pieces[1]]));
    assert_eq!(elsewhere.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
}

/// Counts the reads.
fn watched(reads: &Arc<std::sync::atomic::AtomicUsize>) -> Arc<Wrong> {
    let reads = Arc::clone(reads);
    Arc::new(move |question| {
        let is_read = usize::from(matches!(question, CloudQuestion::Get { .. }));
        reads.fetch_add(is_read, std::sync::atomic::Ordering::SeqCst);
        None
    })
}

#[test]
fn what_was_put_or_read_once_is_proven_in_later_runs_while_the_same_version_lies_there() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let reads = Arc::default();
    let pieces = hands.pieces("there", 3);
    scratch.open(watched(&reads)).put(&pieces, &mut hands).unwrap();
    let proven = |held: Vec<Held>| held.iter().map(|held| matches!(held, Held::Proven { .. })).collect::<Vec<_>>();
    let later = || proven(scratch.open(watched(&reads)).has(&hashes(&pieces)).unwrap());
    assert_eq!(later(), [true; 3], "a receipt of this machine");
    // another machine replaces a piece by other bytes of the same size and then puts it back; this machine sees neither
    let path = scratch.bucket.path().join(pieces[1].hash.to_string());
    fs::write(scratch.bucket.path().join("x"), b"thero 1").unwrap();
    fs::rename(scratch.bucket.path().join("x"), &path).unwrap();
    assert_eq!(later(), [true, false, true], "another version is another thing");
    assert_eq!(scratch.open(watched(&reads)).get(&[pieces[1].hash], 100, &mut hands).unwrap().len(), 1);
    assert_eq!(later(), [true, false, true], "and a lie");
    fs::remove_file(&path).unwrap();
    assert_eq!(scratch.open(watched(&reads)).put(&pieces, &mut hands).unwrap().sent, [pieces[1]]);
    assert_eq!((later(), reads.load(std::sync::atomic::Ordering::SeqCst)), (vec![true; 3], 1));
    // another machine has no receipt before its first read
    let elsewhere = Scratch { repository: tempfile::tempdir().unwrap(), bucket: scratch.bucket };
    let has = || proven(elsewhere.open(watched(&reads)).has(&hashes(&pieces)).unwrap());
    assert_eq!(has(), [false; 3]);
    elsewhere.open(watched(&reads)).get(&hashes(&pieces[..2]), 100, &mut hands).unwrap();
    assert_eq!(has(), [true, true, false]);
    elsewhere.open(watched(&reads)).delete(&[pieces[0].hash], "a test").unwrap();
    assert_eq!(has(), [false, true, false]);
}

#[test]
fn a_memo_of_receipts_that_is_damaged_or_of_another_bucket_proves_nothing() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let pieces = hands.pieces("there", 2);
    scratch.open(truth()).put(&pieces, &mut hands).unwrap();
    let path = scratch.repository.path().join("yatsu/receipts-1");
    let text = fs::read_to_string(&path).unwrap();
    let proven = |text: &str| {
        fs::write(&path, text).unwrap();
        let held = scratch.open(truth()).has(&hashes(&pieces)).unwrap();
        held.iter().filter(|held| matches!(held, Held::Proven { .. })).count()
    };
    assert_eq!(proven(&text), 2);
    assert_eq!(proven(&text[..text.len() - 2]), 1, "cut off");
    assert_eq!(proven(&text.replace("s3://evidence/team", "s3://evidence/other")), 0);
    for wrong in ["", "\n", "nonsense", &text.replace(' ', "  "), &text.to_uppercase()] {
        assert_eq!(proven(wrong), 0, "{wrong}");
    }
}

#[test]
fn a_store_that_tells_no_version_proves_for_this_run_alone() {
    let (scratch, mut hands) = (Scratch::new(), Hands::new());
    let piece = hands.piece(b"measured");
    let wrong: Arc<Wrong> = Arc::new(|question| match question {
        CloudQuestion::Put { .. } => answers("ok sent"),
        CloudQuestion::Has(_) => answers("ok 8"),
        _ => None,
    });
    let mut bucket = scratch.open(Arc::clone(&wrong));
    bucket.put(&[piece], &mut hands).unwrap();
    assert_eq!(bucket.has(&[piece.hash]).unwrap(), [Held::Proven { size: 8 }]);
    assert!(matches!(scratch.open(wrong).has(&[piece.hash]).unwrap()[..], [Held::Said { .. }]));
}

#[test]
fn a_list_shows_each_piece_once_whatever_is_said() {
    let scratch = Scratch::new();
    let piece = Piece { hash: piece_of(b"x").hash, size: 1 };
    let wrong: Arc<Wrong> = Arc::new(move |question| {
        let line = CloudAnswer::Listed(piece, 0);
        matches!(question, CloudQuestion::List).then(|| answers(&format!("{line}\n{line}\nok 2"))).flatten()
    });
    let mut seen = Vec::new();
    assert_eq!(scratch.open(wrong).list(&mut |piece| seen.push(piece)).unwrap(), Listed::Whole);
    assert_eq!(seen, [piece]);
}

#[test]
fn what_was_put_is_proven_as_it_was_put_and_until_it_goes() {
    let scratch = Scratch::new();
    let mut hands = Hands::new();
    let piece = hands.piece(b"measured");
    let mut bucket = scratch.open(truth());
    bucket.put(&[piece], &mut hands).unwrap();
    assert_eq!(bucket.has(&[piece.hash]).unwrap(), [Held::Proven { size: 8 }]);
    let said = |size| Held::Said { by: "s3://evidence/team".to_owned(), size, is_hearsay: false };
    fs::write(scratch.bucket.path().join(piece.hash.to_string()), b"measured and more").unwrap();
    assert_eq!(bucket.has(&[piece.hash]).unwrap(), [said(17)], "somebody put something else there");
    bucket.delete(&[piece.hash], "a test").unwrap();
    scratch.open(truth()).put(&[piece], &mut hands).unwrap();
    assert_eq!(bucket.has(&[piece.hash]).unwrap(), [said(8)], "somebody put it there again");
}

#[test]
fn of_a_long_complaint_only_the_beginning_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let error = ask(&mut script(dir.path(), "head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1"));
    assert!(error.message.contains("xxxx") && error.message.len() < 5000, "{}", error.message.len());
}
