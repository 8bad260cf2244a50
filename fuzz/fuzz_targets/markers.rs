//! Any bytes as a transcript: bounded, every name in its one spelling, numbers that can stand together, and the same in
//! whatever pieces it comes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::text::markers::{MAX_TOLD, MarkerName, MarkerReader, metric_name, unit};

fuzz_target!(|bytes: &[u8]| {
    let mut whole = MarkerReader::default();
    whole.take(bytes);
    let shown = whole.finish();
    let marked = &shown.marked;
    assert!(marked.metrics.len() + shown.absent.len() <= MAX_TOLD && marked.markers.len() <= MAX_TOLD);
    assert!(marked.metrics.keys().chain(shown.absent.keys()).all(|name| metric_name(name).as_deref() == Some(name)));
    assert!(marked.metrics.keys().all(|name| !shown.absent.contains_key(name)));
    assert!(marked.units.iter().all(|(name, of)| marked.metrics.contains_key(name) && unit(of) == Some(of)));
    assert!(marked.markers.iter().all(|marker| MarkerName::parse(&marker.to_string()).as_ref() == Some(marker)));
    assert!(marked.findings.is_possible() && shown.malformed.len() as u64 <= shown.malformed_lines);
    let mut reader = MarkerReader::default();
    bytes.chunks(7).for_each(|piece| reader.take(piece));
    assert_eq!(reader.finish(), shown);
});
