//! The engine against real git repositories as servers, some of them with false content.

pub(crate) mod bounds;
mod expiry;
mod halves;
mod servers;

use super::names::{NameLine, Offer};
use super::*;
use crate::remote::tests::conforms;
use crate::remote::tests::hands::{Hands, hashes};
use crate::repo::open::env::Env;
use crate::tree::oid::Oid;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};

/// A time in November 2026.
const NOW: i64 = 1_795_000_000_000;

/// A server, and any number of machines.
pub(crate) struct World {
    scratch: tempfile::TempDir,
    format: &'static str,
    machines: AtomicI64,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with("sha1")
    }

    fn with(format: &'static str) -> Self {
        let world = Self { scratch: tempfile::tempdir().unwrap(), format, machines: AtomicI64::new(0) };
        git(world.scratch.path(), &["init", "-q", "--bare", &format!("--object-format={format}"), "server.git"]);
        world
    }

    pub(crate) fn server(&self) -> PathBuf {
        self.scratch.path().join("server.git")
    }

    pub(crate) fn on_server(&self, arguments: &[&str]) -> String {
        git(&self.server(), arguments)
    }

    /// Our refs on the server, as `<name> <id>` each.
    fn refs(&self) -> Vec<String> {
        let text = self.on_server(&["for-each-ref", "--format=%(refname) %(objectname)", "refs/yatsu/"]);
        text.lines().map(str::to_owned).collect()
    }

    /// Another clone of the server.
    pub(crate) fn clone_of(&self) -> PathBuf {
        let dir = self.scratch.path().join(format!("clone-{}", self.machines.fetch_add(1, Ordering::Relaxed)));
        let dir_text = dir.display().to_string();
        git(self.scratch.path(), &["init", "-q", &format!("--object-format={}", self.format), &dir_text]);
        git(&dir, &["remote", "add", "origin", &format!("file://{}", self.server().display())]);
        dir
    }

    /// A machine with a clone of its own.
    fn machine(&self) -> GitRefs {
        self.machine_at(NOW)
    }

    /// A machine at another time.
    fn machine_at(&self, now: i64) -> GitRefs {
        at(&self.clone_of(), now)
    }
}

/// The engine of the clone at `dir`, at this time.
fn at(dir: &Path, now: i64) -> GitRefs {
    let now = Timestamp::from_millis(now).unwrap();
    GitRefs::open(&repo_at(dir), "origin", RefSpace::Hidden, false, now).unwrap()
}

pub(crate) fn repo_at(dir: &Path) -> Repo {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut env = Env::from_vars([
        ("PATH".into(), path),
        ("HOME".into(), dir.into()),
        ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
        ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
    ]);
    env.euid = rustix::process::geteuid().as_raw();
    Repo::open(&env, dir).unwrap()
}

fn git(dir: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", dir);
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@example.invalid");
    }
    let said = command.current_dir(dir).args(arguments).output().unwrap();
    assert!(said.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap().trim_end().to_owned()
}

fn side_of(dir: &Path) -> PathBuf {
    dir.join(".git/yatsu/evidence.git")
}

/// Makes a writer with these lines and without any pieces.
fn claim(world: &World, writer: &str, lines: &[NameLine]) {
    let text: String = lines.iter().map(NameLine::text).collect();
    let tree = world.on_server(&["write-tree"]);
    let commit = world.on_server(&["commit-tree", &tree, "-m", &text]);
    for kind in ["names", "evidence"] {
        world.on_server(&["update-ref", &format!("refs/yatsu/{kind}/{writer}/2026-01"), &commit]);
    }
}

fn blob_id(world: &World, bytes: &[u8]) -> Oid {
    let file = world.scratch.path().join("blob");
    fs::write(&file, bytes).unwrap();
    Oid::from_hex(world.on_server(&["hash-object", "-w", &file.display().to_string()]).as_bytes()).unwrap()
}

const LIAR: &str = "0000000000000000";

#[test]
fn git_refs_conform() {
    conforms(&|| {
        let world = World::new();
        // each machine comes a month later, because only pieces of earlier months can expire
        Box::new(move || {
            let months = world.machines.load(Ordering::Relaxed);
            Box::new(at(&world.clone_of(), NOW + months * 31 * 86_400_000))
        })
    });
}

#[test]
fn git_refs_of_a_sha256_repository_keep_what_was_put() {
    let world = World::with("sha256");
    let (mut here, mut there, mut hands) = (world.machine(), world.machine(), Hands::new());
    here.probe().unwrap();
    let pieces = hands.pieces("a", 3);
    assert_eq!(here.put(&pieces, &mut hands).unwrap().sent, pieces);
    assert_eq!(there.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
    assert_eq!(hands.taken.len(), 3);
}

#[test]
fn one_push_moves_two_refs_of_a_writer_and_the_next_one_goes_on_from_them() {
    let world = World::new();
    let dir = world.clone_of();
    let mut hands = Hands::new();
    let writer = {
        let mut machine = at(&dir, NOW);
        machine.put(&hands.pieces("a", 2), &mut hands).unwrap();
        machine.side.writer().unwrap()
    };
    for number in 0..3 {
        let pieces = hands.pieces(&format!("more {number}"), 1);
        assert_eq!(at(&dir, NOW).put(&pieces, &mut hands).unwrap().sent, pieces);
    }
    let refs: Vec<_> = world.refs().iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(refs, ["evidence", "names"].map(|family| format!("refs/yatsu/{family}/{writer}/2026-11")));
    assert_eq!(world.on_server(&["rev-list", "--count", &refs[0]]), "4");
    let paths = world.on_server(&["ls-tree", "-r", "--name-only", &refs[0]]);
    let hash = hands.pieces("more 2", 1)[0].hash.to_string();
    assert_eq!(paths, format!("{}/{hash}", &hash[..2]), "a tree holds the pieces of its push alone");
    assert_eq!(world.on_server(&["ls-tree", "-r", &refs[1]]), "");
    world.on_server(&["fsck", "--strict"]);
}

#[test]
fn after_a_push_no_bytes_stay_beside_the_users_repository() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let pieces = [hands.piece(&vec![b'x'; 200_000]), hands.piece(&vec![b'y'; 200_000])];
    for piece in pieces {
        at(&dir, NOW).put(&[piece], &mut hands).unwrap();
    }
    let side = side_of(&dir);
    let kinds = git(&side, &["cat-file", "--batch-check=%(objecttype) %(objectsize)", "--batch-all-objects"]);
    assert!(!kinds.contains("blob") && kinds.lines().filter(|kind| kind.starts_with("commit")).count() == 4, "{kinds}");
    let left: Vec<_> = fs::read_dir(&side).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".yatsu-tmp")), "{left:?}");
    assert!(git(&dir, &["for-each-ref"]).is_empty());
}

#[test]
fn a_copied_checkout_becomes_another_writer_and_nobody_loses_anything() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let [a, b, c] = ["a", "b", "c"].map(|what| hands.pieces(what, 1)[0]);
    at(&dir, NOW).put(&[a], &mut hands).unwrap();
    let copy = world.scratch.path().join("copy");
    assert!(Command::new("cp").arg("-a").args([&dir, &copy]).status().unwrap().success());
    assert_eq!(at(&dir, NOW).put(&[b], &mut hands).unwrap().sent, [b]);
    let mut copied = at(&copy, NOW);
    assert_eq!(copied.put(&[c], &mut hands).unwrap().sent, [c]);
    assert!(copied.notes().iter().any(|note| note.contains("a copy of this clone")), "drawn once");
    assert_eq!(world.refs().len(), 4);
    assert_eq!(world.machine().get(&hashes(&[a, b, c]), 100, &mut hands).unwrap(), []);
    assert_eq!(at(&dir, NOW).has(&hashes(&[a, b])).unwrap(), [Held::Proven { size: 3 }, Held::Proven { size: 3 }]);
}

#[test]
fn a_line_that_nobody_looked_at_is_no_proof_and_keeps_no_piece_from_being_sent() {
    let world = World::new();
    let mut hands = Hands::new();
    let piece = hands.piece(b"measured");
    let id = blob_id(&world, b"something else");
    claim(&world, LIAR, &[NameLine::Piece(piece.hash, Offer { id, size: 8 })]);
    let mut machine = world.machine();
    assert_eq!(
        machine.has(&[piece.hash]).unwrap(),
        [Held::Said { by: format!("writer {LIAR}"), size: 8, is_hearsay: true }]
    );
    assert_eq!(machine.put(&[piece], &mut hands).unwrap().sent, [piece]);
    let notes = machine.notes();
    assert!(notes.iter().any(|note| note.contains("poison") && note.contains(LIAR)), "{notes:?}");
    assert_eq!(machine.put(&[piece], &mut hands).unwrap().there, [piece]);
}

#[test]
fn names_whose_bytes_were_taken_away_offer_nothing_and_the_bytes_go_again() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let piece = hands.piece(b"measured");
    at(&dir, NOW).put(&[piece], &mut hands).unwrap();
    for line in world.refs().iter().filter(|line| line.contains("/evidence/")) {
        world.on_server(&["update-ref", "-d", line.split(' ').next().unwrap()]);
    }
    assert_eq!(at(&dir, NOW).has(&[piece.hash]).unwrap(), [Held::No]);
    assert_eq!(world.machine().get(&[piece.hash], 100, &mut hands).unwrap().len(), 1);
    let receipt = at(&dir, NOW).put(&[piece], &mut hands).unwrap();
    assert_eq!(receipt.sent, [piece], "{receipt:?}");
    assert_eq!(world.machine().get(&[piece.hash], 100, &mut hands).unwrap(), []);
}

#[test]
fn what_was_read_by_its_id_is_no_hearsay_and_no_proof() {
    let world = World::new();
    let (first, second, mut hands) = (world.clone_of(), world.clone_of(), Hands::new());
    let piece = hands.piece(b"measured");
    at(&first, NOW).put(&[piece], &mut hands).unwrap();
    let hearsay = |machine: &mut GitRefs| match &machine.has(&[piece.hash]).unwrap()[..] {
        [Held::Said { is_hearsay, .. }] => *is_hearsay,
        held => panic!("{held:?}"),
    };
    assert!(hearsay(&mut at(&second, NOW)));
    assert_eq!(at(&second, NOW).get(&[piece.hash], 100, &mut hands).unwrap(), []);
    assert!(!hearsay(&mut at(&second, NOW)));
    // a piece that was read by its id may be in no ref's commit; the server gives it now and may delete it later
    let evidence = world.refs().into_iter().find(|line| line.contains("/evidence/")).unwrap();
    let empty = world.on_server(&["commit-tree", &world.on_server(&["write-tree"]), "-m", "emptied"]);
    world.on_server(&["update-ref", evidence.split(' ').next().unwrap(), &empty]);
    let mut machine = at(&first, NOW);
    assert_eq!(machine.get(&[piece.hash], 100, &mut hands).unwrap(), []);
    assert!(matches!(machine.has(&[piece.hash]).unwrap()[..], [Held::Said { .. }]));
}

#[test]
fn after_a_lie_the_next_writers_line_is_tried_and_the_rest_comes() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("true", 20);
    world.machine().put(&pieces, &mut hands).unwrap();
    let wrong = blob_id(&world, b"wrong!");
    let absent = Oid::from_hex(&[b'1'; 40]).unwrap();
    let tree = Oid::from_hex(world.on_server(&["write-tree"]).as_bytes()).unwrap();
    let lie = |(at, piece): (usize, &Piece)| {
        let id = [wrong, absent, tree, wrong][at % 4];
        NameLine::Piece(piece.hash, Offer { id, size: if at % 4 == 3 { 7 } else { 6 } })
    };
    claim(&world, LIAR, &pieces.iter().enumerate().map(lie).collect::<Vec<_>>());
    let withheld = world.machine().get(&hashes(&pieces), 100, &mut hands).unwrap();
    assert_eq!(withheld, []);
    assert_eq!(hands.taken.len(), 20);
    let alone = hands.piece(b"only the liar has it");
    claim(&world, LIAR, &[NameLine::Piece(alone.hash, Offer { id: wrong, size: 6 })]);
    let withheld = world.machine().get(&[alone.hash, pieces[0].hash], 100, &mut hands).unwrap();
    assert!(withheld.len() == 1 && withheld[0].why.contains("other content"), "{withheld:?}");
}

#[test]
fn a_month_is_fetched_whole_where_no_blob_is_given_by_its_id() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 5);
    world.machine().put(&pieces, &mut hands).unwrap();
    let dir = world.clone_of();
    // a server that only speaks the first protocol
    git(&dir, &["config", "remote.origin.uploadpack", "env -u GIT_PROTOCOL git-upload-pack"]);
    let mut machine = at(&dir, NOW);
    machine.probe().unwrap();
    assert_eq!(machine.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
    assert_eq!(hands.taken.len(), 5);
    let notes = machine.notes();
    assert!(notes.len() == 1 && notes[0].contains("2026-11") && notes[0].contains("whole"), "{notes:?}");
}

#[test]
fn a_ref_that_cannot_be_read_stops_nobody_elses_and_is_named() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 3);
    world.machine().put(&pieces, &mut hands).unwrap();
    let blob = blob_id(&world, b"no commit");
    world.on_server(&["update-ref", &format!("refs/yatsu/names/{LIAR}/2026-02"), &blob.to_string()]);
    world.on_server(&["update-ref", "refs/yatsu/names/not-a-writer/2026-02", &blob.to_string()]);
    // a commit without its tree and parent: every fetch of it fails
    let text = format!("tree {0}\nparent {0}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n", "1".repeat(40));
    let file = world.scratch.path().join("commit");
    fs::write(&file, text).unwrap();
    let bad = world.on_server(&["hash-object", "-w", "-t", "commit", "--literally", &file.display().to_string()]);
    let path = world.server().join(format!("refs/yatsu/names/{LIAR}/2026-03"));
    fs::write(path, format!("{bad}\n")).unwrap();
    let mut machine = world.machine();
    let mut seen = Vec::new();
    let listed = machine.list(&mut |piece| seen.push(piece)).unwrap();
    assert_eq!(seen.len(), 3);
    let Listed::Partly(reasons) = listed else { panic!("all of it") };
    assert!(reasons.len() == 2 && reasons.iter().all(|reason| reason.contains(LIAR)), "{reasons:?}");
    assert_eq!(machine.get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
    assert!(machine.notes().iter().any(|note| note.starts_with("passed over: ")));
}

#[test]
fn what_is_larger_than_git_takes_stays_and_is_named_with_its_size() {
    let world = World::new();
    let mut hands = Hands::new();
    let large = hands.piece(&vec![b'x'; (10 << 20) + 1]);
    let small = hands.piece(b"small");
    let receipt = world.machine().put(&[large, small], &mut hands).unwrap();
    assert_eq!(receipt.sent, [small]);
    assert!(receipt.refused[0].1.contains("10485761 bytes"), "{receipt:?}");
}

#[test]
fn locks_of_a_killed_git_stop_no_later_push() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let [a, b] = ["a", "b"].map(|what| hands.pieces(what, 1)[0]);
    at(&dir, NOW).put(&[a], &mut hands).unwrap();
    let side = side_of(&dir);
    let refs = git(&side, &["for-each-ref", "--format=%(refname)"]);
    for name in refs.lines().chain(["config", "packed-refs", "shallow"]) {
        fs::create_dir_all(side.join(name).parent().unwrap()).unwrap();
        fs::write(side.join(format!("{name}.lock")), "").unwrap();
    }
    let mut machine = at(&dir, NOW);
    assert_eq!(machine.put(&[b], &mut hands).unwrap().sent, [b]);
    assert_eq!(world.refs().len(), 2, "the same writer: {:?}", world.refs());
}

#[test]
fn a_push_that_died_without_an_answer_is_still_ours() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let [a, b] = ["a", "b"].map(|what| hands.pieces(what, 1)[0]);
    at(&dir, NOW).put(&[a], &mut hands).unwrap();
    // undoes what the answer to the push changed
    let side = side_of(&dir);
    let before: Vec<_> =
        git(&side, &["for-each-ref", "--format=%(objectname) %(refname)"]).lines().map(str::to_owned).collect();
    for line in before.iter().filter(|line| line.contains("refs/own/")) {
        let (id, name) = line.split_once(' ').unwrap();
        git(&side, &["update-ref", &name.replace("refs/own/", "refs/next/"), id]);
        git(&side, &["update-ref", "-d", name]);
    }
    let mut machine = at(&dir, NOW);
    assert_eq!(machine.has(&[a.hash]).unwrap(), [Held::Proven { size: 3 }]);
    assert_eq!(machine.put(&[b], &mut hands).unwrap().sent, [b]);
    assert_eq!(world.refs().len(), 2, "the same writer: {:?}", world.refs());
}

#[test]
fn refs_that_somebody_deleted_there_prove_nothing_and_are_put_again() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let pieces = hands.pieces("a", 3);
    at(&dir, NOW).put(&pieces, &mut hands).unwrap();
    git(&dir, &["push", "-q", "--mirror", "origin"]);
    assert_eq!(world.refs(), Vec::<String>::new(), "a stranger mirrors over it");
    let mut machine = at(&dir, NOW);
    assert_eq!(machine.has(&hashes(&pieces)).unwrap(), [Held::No, Held::No, Held::No]);
    assert_eq!(machine.put(&pieces, &mut hands).unwrap().sent, pieces);
    assert_eq!(world.machine().get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
}

#[test]
fn each_step_of_a_probe_that_fails_has_its_sentence() {
    let world = World::new();
    let says = |key: &str, value: &str, space: RefSpace, text: &str| {
        world.on_server(&["config", key, value]);
        let now = Timestamp::from_millis(NOW).unwrap();
        let mut remote = GitRefs::open(&repo_at(&world.clone_of()), "origin", space, false, now).unwrap();
        let error = remote.probe().unwrap_err();
        world.on_server(&["config", "--unset", key]);
        assert!(error.message.contains(text) && !error.hints.is_empty(), "{key}: {error:?}");
    };
    says("receive.hideRefs", "refs/yatsu", RefSpace::Hidden, "does not take what is pushed");
    says("uploadpack.hideRefs", "refs/yatsu", RefSpace::Hidden, "does not show it");
    says("receive.denyDeletes", "true", RefSpace::Branches, "does not delete it");
    world.machine().probe().unwrap();
}

#[test]
fn what_was_dropped_is_neither_put_nor_given_and_every_writer_takes_it_out_of_its_own_month() {
    let world = World::new();
    let (first, second, mut hands) = (world.clone_of(), world.clone_of(), Hands::new());
    let [secret, a, b] = ["secret", "a", "b"].map(|what| hands.pieces(what, 1)[0]);
    at(&first, NOW).put(&[secret, a], &mut hands).unwrap();
    at(&second, NOW).put(&[secret, b], &mut hands).unwrap();
    let id = git(&first, &["hash-object", &hands.path(&secret.hash).display().to_string()]);
    let mut machine = at(&first, NOW);
    machine.delete(&[secret.hash], "a token\nwas in it").unwrap();
    assert!(machine.notes().iter().any(|note| note.contains("that machine pushes next")));
    let reaches = || world.on_server(&["rev-list", "--objects", "--all"]).contains(&id);
    assert!(reaches(), "the other writer has it still");
    let receipt = machine.put(&[secret], &mut hands).unwrap();
    assert!(receipt.refused[0].1.contains("it was dropped: a token was in it"), "{receipt:?}");
    drop(machine);
    assert_eq!(at(&second, NOW).put(&[b], &mut hands).unwrap().there, [b]);
    assert!(!reaches(), "and now nobody leads to it");
    assert_eq!(world.refs().len(), 4);
    let mut anew = world.machine();
    assert_eq!(anew.get(&hashes(&[secret, a, b]), 100, &mut hands).unwrap().len(), 1);
    assert_eq!(at(&first, NOW).has(&hashes(&[secret, a])).unwrap(), [Held::No, Held::Proven { size: 3 }]);
}

#[test]
fn what_somebody_else_drops_is_named_and_the_last_copy_of_it_stays() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let [last, kept, other] = ["last", "kept", "other"].map(|what| hands.pieces(what, 1)[0]);
    at(&dir, NOW).put(&[last, kept, other], &mut hands).unwrap();
    fs::remove_file(hands.path(&last.hash)).unwrap();
    let drops = [last, kept].map(|piece| NameLine::Drop(piece.hash, "evil".to_owned()));
    claim(&world, LIAR, &drops);
    let mut machine = at(&dir, NOW);
    machine.put(&[other], &mut hands).unwrap();
    let notes = machine.notes();
    let of = |piece: Piece| notes.iter().find(|note| note.contains(&piece.hash.to_string())).unwrap();
    for piece in [last, kept] {
        assert!(of(piece).contains(LIAR) && of(piece).contains("(evil)"), "{notes:?}");
    }
    assert!(of(kept).contains("was removed"), "{notes:?}");
    let command = format!("yatsu-hook share drop {} --reason R", last.hash);
    assert!(of(last).contains("not obeyed") && of(last).contains(&command), "{notes:?}");
    let paths = world.on_server(&["rev-list", "--objects", "--all"]);
    assert!(paths.contains(&last.hash.to_string()) && !paths.contains(&kept.hash.to_string()), "{paths}");
    // a drop removes only the named piece
    machine.delete(&[other.hash], "ours").unwrap();
    let paths = world.on_server(&["rev-list", "--objects", "--all"]);
    assert!(paths.contains(&last.hash.to_string()) && !paths.contains(&other.hash.to_string()), "{paths}");
    world.on_server(&["update-ref", "-d", &format!("refs/yatsu/names/{LIAR}/2026-01")]);
    assert_eq!(world.machine().get(&[last.hash], 100, &mut hands).unwrap(), [], "it can be had again");
    drop(machine);
    let mut machine = at(&dir, NOW);
    machine.delete(&[last.hash], "it must go").unwrap();
    assert!(!world.on_server(&["rev-list", "--objects", "--all"]).contains(&last.hash.to_string()));
}

#[test]
fn a_drop_outlives_its_month() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let pieces = hands.pieces("a", 2);
    let mut machine = at(&dir, NOW);
    machine.put(&pieces, &mut hands).unwrap();
    machine.delete(&[pieces[0].hash], "a token").unwrap();
    drop(machine);
    let year = 365 * 86_400_000;
    let mut later = at(&dir, NOW + year);
    assert_eq!(later.expire(Month::parse("2027-06").unwrap(), &mut |_| false, false).unwrap().gone, [pieces[1]]);
    drop(later);
    let mut other = at(&world.clone_of(), NOW + year);
    assert_eq!(other.put(&pieces, &mut hands).unwrap().refused.len(), 1);
}
