//! Any bytes as a source file of any language: a parser in C reads them, and whatever is said of a unit lies in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::text::units::{Found, Language, read};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, source)) = bytes.split_first() else { return };
    let language = Language::ALL[usize::from(*first) % Language::ALL.len()];
    let mut questions = 0;
    let mut late = || {
        questions += 1;
        questions > 10_000
    };
    let Ok(units) = read(language, source, &mut late) else { return };
    for unit in units.all() {
        assert!(!unit.pieces.is_empty() && unit.pieces.iter().all(|piece| piece.start < piece.end));
        assert!(unit.pieces.iter().all(|piece| piece.end <= source.len()) && unit.lines.0 <= unit.lines.1);
        assert!(unit.bytes(source).len() >= unit.pieces[0].len());
        // every name that is told is a selector
        assert!(matches!(units.find(&unit.name), Found::Unit(_) | Found::Broken(_)));
    }
});
