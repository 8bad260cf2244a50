//! Servers that take one of two refs of an atomic push, and why they do.

use super::*;

/// The families of our refs on the server.
fn families(world: &World) -> Vec<String> {
    let family = |line: &String| line.split('/').nth(2).unwrap_or_default().to_owned();
    world.refs().iter().map(family).collect()
}

#[test]
fn the_same_piece_goes_at_one_moment_to_two_servers_of_which_one_is_a_copy() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let piece = hands.piece(b"measured");
    for name in ["copy.git", "new.git"] {
        git(world.scratch.path(), &["clone", "-q", "--mirror", "server.git", name]);
    }
    let url = |name: &str| format!("file://{}", world.scratch.path().join(name).display());
    assert_eq!(at(&dir, NOW).put(&[piece], &mut hands).unwrap().sent, [piece]);
    git(&world.server(), &["push", "-q", "--mirror", &url("copy.git")]);
    for name in ["copy.git", "new.git"] {
        git(&dir, &["remote", "set-url", "origin", &url(name)]);
        assert_eq!(at(&dir, NOW).put(&[piece], &mut hands).unwrap().sent, [piece], "{name}");
        assert_eq!(at(&dir, NOW).has(&[piece.hash]).unwrap(), [Held::Proven { size: 8 }], "{name}");
    }
}

#[test]
fn what_a_server_took_of_half_a_push_is_taken_back() {
    for hidden in ["evidence", "names"] {
        let world = World::new();
        let (dir, mut hands) = (world.clone_of(), Hands::new());
        let pieces = hands.pieces("a", 2);
        world.on_server(&["config", "receive.hideRefs", &format!("refs/yatsu/{hidden}")]);
        for _ in 0..2 {
            let receipt = at(&dir, NOW).put(&pieces, &mut hands).unwrap();
            assert_eq!((receipt.sent.len(), receipt.refused.len()), (0, 2), "{receipt:?}");
            assert_eq!(families(&world), Vec::<String>::new());
        }
        // the same with earlier refs on the server
        world.on_server(&["config", "--unset", "receive.hideRefs"]);
        at(&dir, NOW).put(&pieces[..1], &mut hands).unwrap();
        let before = world.refs();
        world.on_server(&["config", "receive.hideRefs", &format!("refs/yatsu/{hidden}")]);
        assert_eq!(at(&dir, NOW + 1000).put(&pieces, &mut hands).unwrap().refused.len(), 1);
        assert_eq!(world.refs(), before);
        let held = [Held::Proven { size: 3 }, Held::No];
        assert_eq!(at(&dir, NOW).has(&hashes(&pieces)).unwrap(), held);
    }
}
