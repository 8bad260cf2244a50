//! The board against a real server with arbitrary content in its refs.

use super::*;
use crate::remote::git::tests::bounds::{commit_of, noise};
use crate::remote::git::tests::{World, repo_at};
use crate::store::Store;
use std::fs;

/// The board of another clone.
fn board(world: &World) -> GitBoard {
    let repo = repo_at(&world.clone_of());
    let passing = Store::new(&repo.common_dir).pass_claims(Duration::from_secs(60)).unwrap();
    GitBoard::open(&repo, "origin", RefSpace::Hidden, passing, BoardPatience::default()).unwrap()
}

/// Writes a note with the message `text` directly to the server, without the board.
fn write(world: &World, end: &str, text: &[u8]) {
    let commit = commit_of(world, text);
    world.on_server(&["update-ref", &format!("refs/yatsu/claims/{end}"), &commit]);
}

#[test]
fn a_note_that_is_there_already_to_the_byte_is_no_win() {
    let world = World::new();
    let (mut one, mut other, end) = (board(&world), board(&world), "0".repeat(40));
    assert_eq!(one.swap(&end, None, Some(("same", 1))), Ok(Swapped::Won));
    for board in [&mut one, &mut other] {
        assert!(matches!(board.swap(&end, None, Some(("same", 1))), Ok(Swapped::Refused(_))));
    }
    let there = other.look(Some(&end)).unwrap().pop().map(|note| note.id);
    assert_eq!(other.swap(&end, there, Some(("another", 1))), Ok(Swapped::Won));
    assert!(matches!(one.swap(&end, there, None), Ok(Swapped::Refused(_))), "it moved since");
    let there = one.look(Some(&end)).unwrap().pop().map(|note| note.id);
    assert_eq!(one.swap(&end, there, None), Ok(Swapped::Won));
}

#[test]
fn what_is_large_hides_no_other_note_and_what_is_none_is_not_looked_at() {
    let world = World::new();
    let mut here = board(&world);
    here.swap(&"0".repeat(40), None, Some(("a note", 1))).unwrap();
    write(&world, &"1".repeat(40), &[b'x'; 70 << 10]);
    write(&world, "abc", b"its name is too short");
    let read = |board: &mut GitBoard| -> Vec<_> {
        board.look(None).unwrap().into_iter().map(|note| note.message.map(|text| text.len())).collect()
    };
    let large = Err("is no commit of a few lines".to_owned());
    assert_eq!(read(&mut here), [Ok("a note".len()), large.clone()]);
    // larger than the limit for all notes together, so they are fetched one by one
    write(&world, &"2".repeat(40), &noise(17 << 20));
    assert_eq!(read(&mut board(&world)), [Ok("a note".len()), large, Err("could not be fetched".to_owned())]);
}

#[test]
fn more_than_10_000_notes_are_not_fetched() {
    let world = World::new();
    let commit = world.on_server(&["commit-tree", &world.on_server(&["write-tree"]), "-m", "x"]);
    let refs: String = (0..=10_000).map(|number| format!("{commit} refs/yatsu/claims/{number:040}\n")).collect();
    fs::write(world.server().join("packed-refs"), format!("# pack-refs with: peeled fully-peeled sorted \n{refs}"))
        .unwrap();
    let error = board(&world).look(None).unwrap_err();
    assert!(error.message.contains("more than 10000 claims"), "{error}");
}
