//! Which content of a server is deleted with its month, and which never is.

use super::*;

#[test]
fn nothing_expires_where_something_could_not_be_read_or_does_not_come() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 2);
    world.machine().put(&pieces, &mut hands).unwrap();
    let before = world.refs();
    let wrong = blob_id(&world, b"wrong");
    let alone = hands.piece(b"only the liar has it");
    claim(&world, LIAR, &[NameLine::Piece(alone.hash, Offer { id: wrong, size: 5 })]);
    let month = Month::parse("2027-06").unwrap();
    let expire = || {
        let mut machine = at(&world.clone_of(), NOW + 365 * 86_400_000);
        machine.expire(month, &mut |hash| *hash == alone.hash, false)
    };
    let error = expire().unwrap_err();
    assert!(
        error.message.contains("nothing was deleted") && error.message.contains(&alone.hash.to_string()),
        "{error}"
    );
    world.on_server(&["update-ref", &format!("refs/yatsu/names/{LIAR}/2026-01"), &wrong.to_string()]);
    assert!(expire().unwrap_err().message.contains("not everything could be read"));
    assert!(before.iter().all(|line| world.refs().contains(line)));
    for kind in ["names", "evidence"] {
        world.on_server(&["update-ref", "-d", &format!("refs/yatsu/{kind}/{LIAR}/2026-01")]);
    }
    assert_eq!(expire().unwrap().gone.len(), 2);
    assert_eq!(world.refs(), Vec::<String>::new());
}

#[test]
fn no_month_goes_with_a_needed_piece_that_a_stranger_wants_dropped() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let piece = hands.piece(b"measured");
    at(&dir, NOW).put(&[piece], &mut hands).unwrap();
    claim(&world, LIAR, &[NameLine::Drop(piece.hash, "so it pleases me".to_owned())]);
    let before = world.refs();
    let later = || at(&dir, NOW + 365 * 86_400_000);
    let month = Month::parse("2027-06").unwrap();
    for dry_run in [true, false] {
        let error = later().expire(month, &mut |_| true, dry_run).unwrap_err();
        assert!(error.message.contains("nothing was deleted") && error.message.contains(LIAR), "{error}");
    }
    assert_eq!(world.refs(), before);
    later().delete(&[piece.hash], "it must go").unwrap();
    later().expire(month, &mut |_| true, false).unwrap();
    assert_eq!(later().has(&[piece.hash]).unwrap(), [Held::No]);
}

#[test]
fn a_lie_about_a_size_keeps_no_month_from_going() {
    let world = World::new();
    let mut hands = Hands::new();
    let piece = hands.piece(b"measured");
    world.machine().put(&[piece], &mut hands).unwrap();
    let id = blob_id(&world, b"measured");
    let lies = [9, 7, 0, u64::MAX, 1 << 40].map(|size| NameLine::Piece(piece.hash, Offer { id, size }));
    // this writer is the first in the order
    claim(&world, LIAR, &lies);
    let mut later = at(&world.clone_of(), NOW + 365 * 86_400_000);
    let expired = later.expire(Month::parse("2027-06").unwrap(), &mut |_| true, false).unwrap();
    assert_eq!((expired.gone, expired.kept), (vec![], 1));
    assert!(world.refs().iter().all(|line| line.contains("/2027-")), "{:?}", world.refs());
    assert_eq!(world.machine().get(&[piece.hash], 100, &mut hands).unwrap(), []);
}

#[test]
fn evidence_whose_names_are_gone_goes_with_no_month() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 2);
    world.machine().put(&pieces[..1], &mut hands).unwrap();
    world.machine().put(&pieces[1..], &mut hands).unwrap();
    let names = world.refs().into_iter().find(|line| line.contains("/names/")).unwrap();
    let (name, _) = names.split_once(' ').unwrap();
    world.on_server(&["update-ref", "-d", name]);
    let before = world.refs();
    for dry_run in [true, false] {
        let mut later = at(&world.clone_of(), NOW + 365 * 86_400_000);
        let error = later.expire(Month::parse("2027-06").unwrap(), &mut |_| false, dry_run).unwrap_err();
        let evidence = name.replace("/names/", "/evidence/");
        assert!(error.message.contains("nothing was deleted") && error.message.contains(&evidence), "{error}");
    }
    assert_eq!(world.refs(), before);
}
