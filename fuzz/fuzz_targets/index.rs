//! Damaged index files: nothing panics, and what is found by path is what was walked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::repo::native::index::Index;
use yatsu_hook::repo::native::listing::Listing;
use yatsu_hook::repo::native::map::Map;
use yatsu_hook::tree::oid::HashKind;

fuzz_target!(|bytes: &[u8]| {
    for hash in [HashKind::Sha1, HashKind::Sha256] {
        let Ok(listing) = Index::new(Map::owned(bytes.to_vec()), hash).and_then(Listing::new) else { continue };
        for number in 0..listing.len() {
            let path = listing.path(number).to_vec();
            assert!(listing.at_path(&path).contains(&number));
            assert!(listing.below(b"").contains(&number));
            let _ = listing.entry(number);
            if let Some(slash) = path.iter().position(|byte| *byte == b'/') {
                assert!(listing.below(&path[..slash]).contains(&number));
                listing.tree_id(&path[..slash]);
            }
        }
    }
});
