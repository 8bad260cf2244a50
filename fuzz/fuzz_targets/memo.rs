//! The memo of the hooks: nothing panics, and what is believed answers questions. The checksum is set right, so that the
//! lists behind it are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::app::memo::{Memo, seal};
use yatsu_hook::repo::path::RepoPath;

fn ask(bytes: &[u8]) {
    let Some(memo) = Memo::decode(bytes) else { return };
    let known: Vec<RepoPath> = memo.dirs(|_| true).collect();
    assert_eq!(known.is_empty(), memo.is_empty());
    let path = RepoPath::from_git(bytes);
    assert!(memo.naming(&path).iter().all(|dir| known.contains(dir)));
    assert!(memo.globs().all(|(_, dir)| known.contains(&dir)));
}

fuzz_target!(|bytes: &[u8]| {
    ask(bytes);
    ask(&seal(bytes));
});
