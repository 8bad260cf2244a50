//! The TREE extension: nothing panics, and what is believed adds up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::tree::oid::HashKind;
use yatsu_hook::repo::native::tree_ext::{CacheTree, find_from_end};

fn add_up(tree: &CacheTree<'_>, record: usize) {
    let children = tree.children(record);
    if let Some((own, _)) = tree.node(record).valid {
        let below: u64 = children.iter().map(|(_, child)| u64::from(tree.node(*child).valid.expect("valid").0)).sum();
        assert!(below <= u64::from(own));
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Some(tree) = CacheTree::parse(bytes, HashKind::Sha1) {
        add_up(&tree, tree.root());
    }
    if bytes.len() > 32
        && let Some(found) = find_from_end(bytes, bytes.len() - 20, u32::from(bytes[11]), HashKind::Sha1)
    {
        if let Some(tree) = found.tree() {
            assert_eq!(tree.node(tree.root()).valid, found.root);
            add_up(&tree, tree.root());
        }
    }
});
