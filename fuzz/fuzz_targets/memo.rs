//! The memos: nothing panics, what is believed of the hooks' memo answers questions, and what is believed of anchors is
//! written as it was read. The checksum is set right, so that the lists behind it are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::app::doors::memo;
use yatsu_hook::app::doors::memo::{PathsMemo, anchors, wire};
use yatsu_hook::tree::path::RepoPath;

fn ask(bytes: &[u8]) {
    let Some(memo) = PathsMemo::decode(bytes) else { return };
    let known: Vec<RepoPath> = memo.dirs(|_| true).collect();
    assert_eq!(known.is_empty(), memo.is_empty());
    let path = RepoPath::from_git(bytes);
    assert!(memo.naming(&path).iter().all(|dir| known.contains(dir)));
    assert!(memo.globs().all(|(_, dir)| known.contains(&dir)));
}

fn read_again(bytes: &[u8]) {
    let Some(known) = anchors::decode(bytes) else { return };
    let known: Vec<_> = known.into_iter().collect();
    let again = anchors::decode(&anchors::encode(&known).expect("no larger than it was")).expect("what was written");
    for (id, facts) in known {
        assert_eq!((again[&id].entries(), again[&id].texts()), (facts.entries(), facts.texts()));
    }
}

fuzz_target!(|bytes: &[u8]| {
    ask(bytes);
    ask(&wire::seal(&memo::MAGIC, bytes).expect("not too large"));
    read_again(&wire::seal(&anchors::MAGIC, bytes).expect("not too large"));
});
