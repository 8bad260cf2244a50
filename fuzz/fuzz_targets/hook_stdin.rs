//! Any bytes on a push hook's standard input are one update per line, or an error that blocks.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::app::doors::push::refs::{MAX_UPDATES, pushed, received};
use yatsu_hook::error::ErrorKind;
use yatsu_hook::tree::oid::HashKind;

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    for hash in [HashKind::Sha1, HashKind::Sha256] {
        for answer in [pushed(bytes, hash), received(bytes, hash)] {
            match answer {
                Ok(updates) => {
                    assert!(updates.len() == lines && lines <= MAX_UPDATES);
                    assert!(updates.iter().all(|update| update.name.starts_with(b"refs/")));
                }
                Err(error) => assert_eq!(error.kind, ErrorKind::Unchecked),
            }
        }
    }
});
