//! The memos: nothing panics, what is believed of the hooks' memo answers questions, and what is believed of anchors is
//! written as it was read. The checksum is set right, so that the lists behind it are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::app::memo;
use yatsu_hook::app::memo::anchors::AnchorsMemo;
use yatsu_hook::app::memo::{PathsMemo, anchors, wire};
use yatsu_hook::engine::anchors::TreesBefore;
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

fn ask(bytes: &[u8]) {
    let Some(memo) = PathsMemo::decode(bytes) else { return };
    let known: Vec<RepoPath> = memo.dirs(|_| true).collect();
    assert_eq!(known.is_empty(), memo.is_empty());
    let path = RepoPath::from_git(bytes);
    assert!(memo.naming(&path).iter().all(|dir| known.contains(dir)));
    assert!(memo.globs().all(|(_, dir)| known.contains(&dir)));
    assert!(memo.with_units_of(bytes).all(|dir| known.contains(&dir)));
}

fn read_again(bytes: &[u8]) {
    let Some(memo) = AnchorsMemo::open(bytes) else { return };
    let known: Vec<_> = memo.trees().into_iter().filter_map(|id| Some((id, memo.facts(&id)?))).collect();
    let again = anchors::encode(&known).expect("no larger than it was");
    let again = AnchorsMemo::open(again).expect("what was written");
    for (id, facts) in known {
        let told = again.facts(&id).expect("what was written");
        assert_eq!((told.entries(), told.texts()), (facts.entries(), facts.texts()));
    }
}

fuzz_target!(|bytes: &[u8]| {
    ask(bytes);
    ask(&wire::seal(&memo::MAGIC, bytes).expect("not too large"));
    let tree = Oid::from_hex(&[b'1'; 40]).expect("an id");
    read_again(bytes);
    read_again(&anchors::of_said(&[(tree, bytes.to_vec())]).expect("not too large"));
});
