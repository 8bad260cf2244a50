use super::*;
use crate::error::ErrorKind;

/// The first bytes of the two files of the first published SHA-1 collision (Stevens, Bursztein, Karpman, Albertini, Markov:
/// "The first collision for full SHA-1", 2017; shattered.io): the same beginning, then two blocks that differ, after which
/// both have one hash.
const BEGINNING: &str = "255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033203020522f547970\
    652034203020522f537562747970652035203020522f46696c7465722036203020522f436f6c6f7253706163652037203020522f4c656e67\
    74682038203020522f42697473506572436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d312069732064656164\
    2121212121852fec092339759c39b1a1c63c4c97e1fffe01";
const ONE: &str = "7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22fe7bd\
    728f0e45bce046d23c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660\
    dd309791d06bd0af3f98cda4bc4629b1";
const OTHER: &str = "7f46dc93a6b67e013b029aaa1db2560b45ca67d688c7f84b8c4c791fe02b3df614f86db1690901c56b45c1530afedfb76038e972722fe7ad\
    728f0e4904e046c230570fe9d41398abe12ef5bc942be33542a4802d98b5d70f2a332ec37fac3514e74ddc0f2cc1a874cd0c78305a215664\
    61309789606bd0bf3f98cda8044629a1";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().map(|digit| (digit as char).to_digit(16).unwrap() as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn published() -> [Vec<u8>; 2] {
    [ONE, OTHER].map(|blocks| bytes(&[BEGINNING, blocks].concat()))
}

/// The hash of these bytes alone, without git's header.
fn bare(content: &[u8]) -> Result<Oid> {
    let mut state = HashState::new(HashKind::Sha1);
    state.feed(content);
    state.finish()
}

#[test]
fn the_empty_blob_has_the_ids_that_git_gives_it() {
    let id = |kind| blob_id(kind, b"").unwrap().to_string();
    assert_eq!(id(HashKind::Sha1), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    assert_eq!(id(HashKind::Sha256), "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
}

#[test]
fn a_content_of_another_length_has_no_id() {
    let mut hasher = BlobHasher::new(HashKind::Sha1, 3);
    hasher.update(b"ab");
    assert!(hasher.finish().is_err());
}

#[test]
fn bytes_that_were_made_to_collide_get_no_id() {
    for content in published() {
        let refused = bare(&content).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Unchecked);
        assert!(refused.message.contains("attack on SHA-1"), "{}", refused.message);
        // the published blocks still collide with the same bytes appended
        assert!(bare(&[&content[..], b"more"].concat()).is_err());
        let mut harmless = content;
        harmless[250] ^= 1;
        assert!(bare(&harmless).is_ok());
    }
}

/// The published blocks collide only at their place in the published files. git's header moves them, so as blobs they are
/// two harmless contents, for git and here. Blocks that collide after a git header have never been published.
#[test]
fn the_published_files_are_two_blobs() {
    let ids = published().map(|content| blob_id(HashKind::Sha1, &content).unwrap().to_string());
    assert_eq!(ids, ["ef380704685cc8e54de9bc13556d1ff7026ec0cc", "6e98aef8bba6ff517f5b164d7418c5e2a6cf90c9"]);
    let sha256 = published().map(|content| blob_id(HashKind::Sha256, &content).unwrap());
    assert_ne!(sha256[0], sha256[1]);
}
