//! Memos of other versions of the program, beside this version's or under its name. They have the worst content: that HEAD's
//! tree has none of our files, so that every commit would pass silently.

use std::fs;
use std::path::{Path, PathBuf};
use yatsu_hook::app::memo;
use yatsu_hook::tree::oid::Oid;

/// An older and a newer generation.
const OTHERS: [&str; 2] = ["0.0.1-1", "99.0.0-1"];

/// The memos that programs of other generations would have left for this tree.
pub(super) fn memos(tree: Oid) -> Vec<Vec<u8>> {
    OTHERS.iter().map(|other| memo::empty_of(other, tree).expect("a memo")).collect()
}

/// A memo of another generation beside this version's.
pub(super) struct Beside {
    file: PathBuf,
    bytes: Vec<u8>,
}

impl Beside {
    /// Writes `bytes` beside the memo at `own`, to a file with the newer generation's name.
    pub(super) fn leave(own: &Path, bytes: &[u8]) -> Self {
        let file = own.with_file_name(format!("memo-{}", OTHERS[1]));
        fs::create_dir_all(own.parent().expect("a directory")).expect("a directory");
        fs::write(&file, bytes).expect("a memo");
        Self { file, bytes: bytes.to_vec() }
    }

    /// Removes it, after checking that it was not changed.
    pub(super) fn take_away(self) {
        assert_eq!(fs::read(&self.file).expect("the other version's memo"), self.bytes);
        fs::remove_file(&self.file).expect("a file");
    }
}
