//! Limits: how much foreign data is read, how much is sent at once, and where history is cut off.

use super::super::put::slices;
use super::*;
use crate::repo::program::network::{FetchLimits, Fetched};

/// Random bytes, which do not compress, without NUL.
pub(crate) fn noise(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    let mut source = fs::File::open("/dev/urandom").unwrap();
    std::io::Read::read_exact(&mut source, &mut bytes).unwrap();
    bytes.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = 1);
    bytes
}

/// A commit without files and with this message, which need not be text.
pub(crate) fn commit_of(world: &World, message: &[u8]) -> String {
    let tree = world.on_server(&["write-tree"]);
    let head = format!("tree {tree}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\n");
    let file = world.server().join("text");
    fs::write(&file, [head.as_bytes(), message].concat()).unwrap();
    let write = ["-c", "core.compression=1", "hash-object", "-w", "-t", "commit", "--literally"];
    world.on_server(&[&write[..], &[&file.display().to_string()]].concat())
}

/// Makes a writer with a names commit that has this message.
fn names_of(world: &World, writer: &str, message: &[u8]) {
    let commit = commit_of(world, message);
    for kind in ["names", "evidence"] {
        world.on_server(&["update-ref", &format!("refs/yatsu/{kind}/{writer}/2026-01"), &commit]);
    }
}

#[test]
fn more_than_64_mib_of_names_are_passed_over_however_small_they_come() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 3);
    world.machine().put(&pieces, &mut hands).unwrap();
    names_of(&world, LIAR, &vec![b'x'; 65 << 20]);
    names_of(&world, "1111111111111111", &noise(65 << 20));
    let mut machine = world.machine();
    let mut seen = 0;
    let Listed::Partly(reasons) = machine.list(&mut |_| seen += 1).unwrap() else { panic!("all of it") };
    assert_eq!((seen, reasons.len()), (3, 2), "{reasons:?}");
    let unpacked = |reason: &&String| reason.contains("more than 64 MiB of names");
    let [one] = reasons.iter().filter(unpacked).collect::<Vec<_>>()[..] else { panic!("{reasons:?}") };
    assert!(one.contains(LIAR), "the other one is too large to be fetched at all: {one}");
}

#[test]
fn a_fetch_writes_no_more_than_it_may() {
    let world = World::new();
    let id = blob_id(&world, &noise(4 << 20)).to_string();
    let mut machine = world.machine();
    machine.side.ready().unwrap();
    for (mib, is_whole) in [(1, false), (8, true)] {
        let (_dir, door) = machine.side.apart().unwrap();
        let fetched = door.fetch(std::slice::from_ref(&id), FetchLimits { bytes: mib << 20, anew: true }).unwrap();
        assert_eq!(matches!(fetched, Fetched::All), is_whole, "{mib} MiB: {fetched:?}");
    }
}

#[test]
fn a_push_has_at_most_a_thousand_pieces_and_500_mib() {
    let parts = |sizes: &[u64]| -> Vec<usize> {
        let pieces: Vec<_> = sizes.iter().map(|size| Piece { hash: EvidenceHash([7; 32]), size: *size }).collect();
        slices(&pieces, |piece| piece.size).into_iter().map(<[Piece]>::len).collect()
    };
    assert_eq!(parts(&[]), Vec::<usize>::new());
    assert_eq!(parts(&[1; 2001]), [1000, 1000, 1]);
    assert_eq!(parts(&[300 << 20, 200 << 20, 1, 600 << 20, 5]), [2, 1, 1, 1]);
}

#[test]
fn what_is_larger_than_allowed_is_told_by_its_line_and_not_fetched() {
    let world = World::new();
    let mut hands = Hands::new();
    let piece = hands.piece(b"measured");
    world.machine().put(&[piece], &mut hands).unwrap();
    let withheld = world.machine().get(&[piece.hash], 7, &mut hands).unwrap();
    assert_eq!(withheld[0].why, "it has 8 bytes, and 7 are allowed");
    assert_eq!(hands.most, 0, "nothing of it was shown");
}

#[test]
fn history_is_cut_off_at_the_tips_of_this_machine_and_nowhere_else() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let pieces = hands.pieces("a", 3);
    world.machine().put(&pieces[..1], &mut hands).unwrap();
    let others = world.refs();
    let is_cut = || {
        let own = world.refs().into_iter().filter(|line| line.contains("/evidence/") && !others.contains(line));
        let mut tips: Vec<String> = own.map(|line| line.split(' ').next_back().unwrap().to_owned()).collect();
        tips.sort();
        let text = fs::read_to_string(side_of(&dir).join("shallow")).unwrap();
        assert_eq!(text.lines().collect::<Vec<_>>(), tips);
        tips.len()
    };
    at(&dir, NOW).put(&pieces[1..2], &mut hands).unwrap();
    assert_eq!(is_cut(), 1);
    let month = 31 * 86_400_000;
    at(&dir, NOW + month).put(&pieces[2..], &mut hands).unwrap();
    assert_eq!(is_cut(), 2);
    at(&dir, NOW + month).delete(&[pieces[2].hash], "r").unwrap();
    is_cut();
}

#[test]
fn what_a_killed_one_left_goes_with_the_next_run() {
    let world = World::new();
    let dir = world.clone_of();
    at(&dir, NOW).has(&[]).unwrap();
    let left = side_of(&dir).join(".yatsu-tmp-1-1");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("x"), "x").unwrap();
    at(&dir, NOW).has(&[]).unwrap();
    assert!(!left.exists());
}

/// A month goes as a whole: a piece with an unreadable line would go unseen.
#[test]
fn no_month_is_deleted_whose_names_break_off() {
    let (world, mut hands) = (World::new(), Hands::new());
    let dir = world.clone_of();
    let pieces = hands.pieces("a", 2);
    for piece in &pieces {
        at(&dir, NOW).put(std::slice::from_ref(piece), &mut hands).unwrap();
    }
    let names = world.refs().into_iter().find(|line| line.contains("/names/")).unwrap();
    let first = world.on_server(&["rev-list", "--max-parents=0", names.split(' ').next().unwrap()]);
    let refs = world.refs();
    let object = side_of(&dir).join("objects").join(&first[..2]).join(&first[2..]);
    fs::remove_file(&object).unwrap();
    let error = at(&dir, NOW).delete(&[pieces[1].hash], "r").unwrap_err();
    assert!(error.to_string().contains("could not be read to their end"), "{error}");
    assert_eq!(world.refs(), refs, "the other piece is still there");
}
