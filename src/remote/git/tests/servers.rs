//! Servers that take, show or give something other than requested, and writers that lie.

use super::*;
use std::os::unix::fs::PermissionsExt;

/// Makes `script` a hook of the server.
fn hook(world: &World, name: &str, script: &str) {
    let path = world.server().join("hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A year after [`NOW`].
const LATER: i64 = NOW + 365 * 86_400_000;

fn between() -> Month {
    Month::parse("2027-06").unwrap()
}

#[test]
fn a_probe_tells_a_server_that_shows_a_ref_and_gives_nothing_of_it() {
    let world = World::new();
    let dir = world.clone_of();
    git(&dir, &["config", "remote.origin.uploadpack", "git -c uploadpack.packObjectsHook=false upload-pack"]);
    let error = at(&dir, NOW).probe().unwrap_err();
    assert!(error.message.contains("does not deliver its objects"), "{error}");
    assert_eq!(world.refs(), Vec::<String>::new(), "nothing is left of the trial");
}

#[test]
fn a_probe_takes_the_place_of_one_that_was_killed() {
    let world = World::new();
    let dir = world.clone_of();
    let mut machine = at(&dir, NOW);
    machine.side.ready().unwrap();
    let left = world.on_server(&["commit-tree", &world.on_server(&["write-tree"]), "-m", "left"]);
    let name = machine.side.probe_ref(&machine.side.writer().unwrap());
    world.on_server(&["update-ref", &name, &left]);
    machine.probe().unwrap();
    assert_eq!(world.refs(), Vec::<String>::new());
}

#[test]
fn what_a_server_took_and_does_not_show_is_not_called_there() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 2);
    world.on_server(&["config", "uploadpack.hideRefs", "refs/yatsu"]);
    let error = world.machine().put(&pieces, &mut hands).unwrap_err();
    assert!(error.message.contains("does not show it"), "{error}");
}

#[test]
fn without_all_or_nothing_a_server_is_never_asked_to_name_what_it_lacks() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let (pieces, log) = (hands.pieces("a", 2), world.scratch.path().join("log"));
    let asked = || {
        let text = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(&log);
        text.lines().map(|line| line.split('/').nth(2).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let refuses = |family: &str| {
        let log = log.display();
        hook(&world, "update", &format!("echo \"$1\" >>'{log}'\ncase $1 in refs/yatsu/{family}/*) exit 1 ;; esac"));
    };
    world.on_server(&["config", "receive.advertiseAtomic", "false"]);
    refuses("evidence");
    assert_eq!(at(&dir, NOW).put(&pieces, &mut hands).unwrap().refused.len(), 2);
    assert_eq!(asked(), ["evidence"]);
    refuses("nothing");
    assert_eq!(at(&dir, NOW).put(&pieces, &mut hands).unwrap().sent, pieces);
    assert_eq!(asked(), ["evidence", "names"]);
    // when refs are deleted, the order is reversed
    refuses("names");
    assert!(at(&dir, LATER).expire(between(), &mut |_| false, false).unwrap_err().message.contains("was not deleted"));
    assert_eq!((asked(), world.refs().len()), (vec!["names".to_owned()], 2));
}

#[test]
fn what_is_needed_and_cannot_be_put_anew_does_not_go() {
    let world = World::new();
    let mut hands = Hands::new();
    let pieces = hands.pieces("a", 2);
    world.machine().put(&pieces, &mut hands).unwrap();
    let before = world.refs();
    hook(&world, "update", "case $3 in *[1-9a-f]*) exit 1 ;; esac");
    let error = world.machine_at(LATER).expire(between(), &mut |_| true, false).unwrap_err();
    assert!(error.message.contains("nothing was deleted"), "{error}");
    assert_eq!(world.refs(), before);
}

#[test]
fn a_month_that_moved_since_it_was_judged_does_not_go() {
    let world = World::new();
    let mut hands = Hands::new();
    world.machine().put(&hands.pieces("a", 2), &mut hands).unwrap();
    let evidence = world.refs().into_iter().find(|line| line.contains("/evidence/")).unwrap();
    let (name, id) = evidence.split_once(' ').unwrap();
    let tree = world.on_server(&["rev-parse", &format!("{id}^{{tree}}")]);
    let next = world.on_server(&["commit-tree", &tree, "-p", id, "-m", "somebody goes on"]);
    let mut machine = world.machine_at(LATER);
    let mut pushed_meanwhile = |_: &EvidenceHash| {
        world.on_server(&["update-ref", name, &next]);
        false
    };
    let error = machine.expire(between(), &mut pushed_meanwhile, false).unwrap_err();
    assert!(error.message.contains("was not deleted"), "{error}");
    assert!(world.refs().len() == 2 && world.refs().contains(&format!("{name} {next}")), "{:?}", world.refs());
}

#[test]
fn nothing_of_this_month_expires_whatever_month_is_named() {
    let world = World::new();
    let mut hands = Hands::new();
    world.machine().put(&hands.pieces("a", 2), &mut hands).unwrap();
    let before = world.refs();
    let expired = world.machine().expire(Month::parse("9999-01").unwrap(), &mut |_| false, false).unwrap();
    assert_eq!((expired.gone, world.refs()), (vec![], before));
}

#[test]
fn what_is_about_to_be_sent_is_noted_before_the_server_has_it() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let noted = world.scratch.path().join("noted");
    hook(
        &world,
        "pre-receive",
        &format!(
            "env -i PATH=\"$PATH\" git --git-dir='{}' for-each-ref --format='%(objectname)' refs/next >'{}'",
            side_of(&dir).display(),
            noted.display()
        ),
    );
    at(&dir, NOW).put(&hands.pieces("a", 1), &mut hands).unwrap();
    let noted = fs::read_to_string(noted).unwrap();
    assert!(world.refs().iter().all(|line| noted.contains(line.split_once(' ').unwrap().1)), "{noted}");
}

#[test]
fn another_writer_is_drawn_once_and_not_for_ever() {
    let world = World::new();
    // the server answers each time that another push was faster, and at last something else
    world.on_server(&["config", "receive.procReceiveRefs", "refs/yatsu"]);
    let count = world.scratch.path().join("count");
    hook(
        &world,
        "proc-receive",
        &format!(
            "packet() {{ length=$(head -c4); [ \"$length\" != 0000 ] && [ -n \"$length\" ] || return 1\n\
             line=$(head -c $((0x$length - 4)) | tr -d '\\000'); }}\n\
             say() {{ printf '%04x%s\\n' $((${{#1}} + 5)) \"$1\"; }}\n\
             while packet; do :; done; say version=1; printf 0000\n\
             echo x >>'{0}'; why='stale info'; [ $(wc -l <'{0}') -lt 5 ] || why='enough'\n\
             while packet; do set -- $line; refs=\"$refs $3\"; done\n\
             for name in $refs; do say \"ng $name $why\"; done; printf 0000",
            count.display()
        ),
    );
    let (mut machine, mut hands) = (world.machine(), Hands::new());
    let receipt = machine.put(&hands.pieces("a", 1), &mut hands).unwrap();
    assert!(receipt.refused.len() == 1 && receipt.refused[0].1.contains("stale info"), "{receipt:?}");
    assert_eq!(fs::read_to_string(&count).unwrap().lines().count(), 2);
    assert_eq!(machine.notes().iter().filter(|note| note.contains("this clone is writer")).count(), 1);
}

#[test]
fn a_liars_true_word_counts_although_others_of_it_are_lies() {
    let world = World::new();
    let mut hands = Hands::new();
    let [lied, alone] = [hands.piece(b"lied about"), hands.piece(b"only the liar has it")];
    world.machine().put(&[lied], &mut hands).unwrap();
    let absent = Oid::from_hex(&[b'1'; 40]).unwrap();
    let offer = |piece: Piece, id| NameLine::Piece(piece.hash, Offer { id, size: piece.size });
    let id = blob_id(&world, b"only the liar has it");
    claim(&world, LIAR, &[offer(lied, absent), offer(alone, id)]);
    assert_eq!(world.machine().get(&[lied.hash, alone.hash], 100, &mut hands).unwrap(), []);
}

#[test]
fn who_lied_thrice_is_asked_last_and_two_liars_keep_nobody_waiting() {
    let world = World::new();
    let (dir, mut hands, log) = (world.clone_of(), Hands::new(), world.scratch.path().join("log"));
    let pieces = hands.pieces("true", 40);
    world.machine().put(&pieces, &mut hands).unwrap();
    let absent = Oid::from_hex(&[b'1'; 40]).unwrap();
    let lies = |pieces: &[Piece]| -> Vec<NameLine> {
        pieces.iter().map(|piece| NameLine::Piece(piece.hash, Offer { id: absent, size: 6 })).collect()
    };
    claim(&world, LIAR, &lies(&pieces));
    git(&dir, &["config", "remote.origin.uploadpack", &format!("echo x >>'{}'; git-upload-pack", log.display())]);
    assert_eq!(at(&dir, NOW).get(&hashes(&pieces), 100, &mut hands).unwrap(), []);
    let asked = fs::read_to_string(log).unwrap().lines().count();
    assert!(asked < 40, "each lie was looked at: {asked}");
    let none = hands.pieces("lies", 8);
    for liar in [LIAR, "1111111111111111"] {
        claim(&world, liar, &lies(&none));
    }
    assert_eq!(world.machine().get(&hashes(&none), 100, &mut hands).unwrap().len(), 8);
}

#[test]
fn what_was_dropped_is_given_to_nobody_although_another_writer_still_has_it_there() {
    let world = World::new();
    let (first, mut hands) = (world.clone_of(), Hands::new());
    let secret = hands.piece(b"secret");
    at(&first, NOW).put(&[secret], &mut hands).unwrap();
    world.machine().put(&[secret], &mut hands).unwrap();
    at(&first, NOW).delete(&[secret.hash], "a token").unwrap();
    let mut other = world.machine();
    assert_eq!(other.has(&[secret.hash]).unwrap(), [Held::No]);
    assert_eq!(other.get(&[secret.hash], 100, &mut hands).unwrap()[0].why, "it was dropped: a token");
    assert!(hands.taken.is_empty());
}

#[test]
fn what_was_once_got_is_sent_where_the_names_say_another_blob_now() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let piece = hands.piece(b"measured");
    world.machine().put(&[piece], &mut hands).unwrap();
    assert_eq!(at(&dir, NOW).get(&[piece.hash], 100, &mut hands).unwrap(), []);
    assert_eq!(at(&dir, NOW).put(&[piece], &mut hands).unwrap().there, [piece]);
    for line in world.refs() {
        world.on_server(&["update-ref", "-d", line.split_once(' ').unwrap().0]);
    }
    let id = blob_id(&world, b"measurec");
    claim(&world, LIAR, &[NameLine::Piece(piece.hash, Offer { id, size: 8 })]);
    assert_eq!(at(&dir, NOW).put(&[piece], &mut hands).unwrap().sent, [piece]);
}

#[test]
fn names_that_are_gone_there_are_forgotten_here() {
    let world = World::new();
    let (dir, mut hands) = (world.clone_of(), Hands::new());
    let piece = hands.piece(b"measured");
    world.machine().put(&[piece], &mut hands).unwrap();
    at(&dir, NOW).has(&[piece.hash]).unwrap();
    assert_eq!(at(&dir, NOW).side.names_here().unwrap().len(), 1);
    for line in world.refs() {
        world.on_server(&["update-ref", "-d", line.split_once(' ').unwrap().0]);
    }
    at(&dir, NOW).has(&[piece.hash]).unwrap();
    assert_eq!(at(&dir, NOW).side.names_here().unwrap().len(), 0);
}
