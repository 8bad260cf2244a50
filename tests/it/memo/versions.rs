//! Memos of other versions of the program, as they may stand beside ours or under its name. They say the worst: that nothing
//! in HEAD's tree is ours, by which every commit would pass in silence.

use std::fs;
use std::path::{Path, PathBuf};
use yatsu_hook::app::memo;
use yatsu_hook::tree::oid::Oid;

/// An older and a newer generation.
const OTHERS: [&str; 2] = ["0.0.1-1", "99.0.0-1"];

/// What programs of other generations would have left of this tree.
pub(super) fn memos(tree: Oid) -> Vec<Vec<u8>> {
    OTHERS.iter().map(|other| memo::empty_of(other, tree).expect("a memo")).collect()
}

/// A memo of another generation beside ours.
pub(super) struct Beside {
    file: PathBuf,
    bytes: Vec<u8>,
}

impl Beside {
    /// Leaves `bytes` beside the memo that lies at `own`, in a file of the newer generation's name.
    pub(super) fn leave(own: &Path, bytes: &[u8]) -> Self {
        let file = own.with_file_name(format!("memo-{}", OTHERS[1]));
        fs::create_dir_all(own.parent().expect("a directory")).expect("a directory");
        fs::write(&file, bytes).expect("a memo");
        Self { file, bytes: bytes.to_vec() }
    }

    /// Takes it away; it is as it was left, whatever was done meanwhile.
    pub(super) fn take_away(self) {
        assert_eq!(fs::read(&self.file).expect("the other version's memo"), self.bytes);
        fs::remove_file(&self.file).expect("a file");
    }
}
